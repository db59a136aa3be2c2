// SPDX-License-Identifier: Apache-2.0
//! Calls that are submitted now and waited for later, in queues and together.

use std::path::Path;

use super::fake::{Buffers, kernel};
use super::hardware::FakeRtl;
use proptest::prelude::*;
use tandem::breakdown::Category;
use tandem::call::mode::{HardwareClock, Mode};
use tandem::call::{Call, Kernel, KernelIndex};
use tandem::error::{Error, Status};
use tandem::platform::{Changes, Platform};
use tandem::session::Session;
use tandem::session::events::{Called, Event, Touch, check_extents, check_numbers, check_sizes};

const QUEUES: u32 = 3;

fn session(mode: Mode) -> (Session, KernelIndex) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../platforms/pcie3-x16.toml");
    let platform = Platform::load(&path, Changes("kernel.units=2")).expect("a good platform");
    let mut session = Session::new(mode, Some(platform));
    let index = session.insert(kernel(FakeRtl::Right));
    (session, index)
}

/// Submits calls together, as the C interface does.
fn submit(
    (session, index): &mut (Session, KernelIndex),
    calls: &mut [Buffers],
    queue: u32,
) -> Result<Event, Error> {
    let mut begun = Vec::new();
    for buffers in calls.iter_mut() {
        let (ready, memories) = (session.ready(*index)?, session.begin());
        begun.push(unsafe { Call::before(ready, &buffers.data(), memories)? });
    }
    let touches: Vec<_> = begun.iter().map(Touch::of).collect();
    if let Err(error) = session.check_apart(&touches, queue) {
        session.give_up(begun.len());
        return Err(error);
    }
    let run = |mut call: Call| {
        let function = call.ready.kernel.function.as_deref().expect("a function");
        unsafe { function.run(&call.data, &call.answers) };
        unsafe {
            call.look_back()?;
            call.after()?;
        }
        let scalars = unsafe { call.scalars() };
        Ok(Called { call, scalars, software_ps: 1_000 })
    };
    let called = begun.into_iter().map(run).collect::<Result<_, Error>>()?;
    session.submit(called, touches.into_iter().flatten().collect(), queue)
}

/// What a program does.
#[derive(Debug, Clone)]
enum Step {
    Submit { queue: u32, records: Vec<u64> },
    Wait { which: usize, most_ps: Option<u64> },
    Cancel { which: usize },
    Work { ps: u64 },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (0..QUEUES, proptest::collection::vec(0u64..2000, 1..4))
            .prop_map(|(queue, records)| Step::Submit { queue, records }),
        3 => (any::<usize>(), proptest::option::of(0u64..30_000_000))
            .prop_map(|(which, most_ps)| Step::Wait { which, most_ps }),
        1 => any::<usize>().prop_map(|which| Step::Cancel { which }),
        1 => (0u64..50_000_000).prop_map(|ps| Step::Work { ps }),
    ];
    proptest::collection::vec(step, 1..24)
}

/// What was seen: the time after each step, and the events that ended, each with its queue.
type Seen = (Vec<u64>, Vec<(Event, u32, u64)>);

fn play(
    (mode, clock): (Mode, HardwareClock),
    steps: &[Step],
) -> Result<(Session, Seen), TestCaseError> {
    let mut run = session(mode);
    run.0.clock = clock;
    let (mut times, mut ended, mut open) = (Vec::new(), Vec::new(), Vec::new());
    let (mut worked_ps, mut cancelled, mut submitted) = (0, 0, 0);
    for step in steps {
        match step {
            Step::Submit { queue, records } => {
                let mut calls: Vec<_> = records.iter().map(|&count| Buffers::new(count)).collect();
                let event = submit(&mut run, &mut calls, *queue).expect("nothing overlaps");
                prop_assert!(calls.iter().all(Buffers::is_right));
                // What hardware is compared with later on is what was there then.
                calls.iter_mut().for_each(|call| call.output.fill(7));
                submitted += calls.len() as u64;
                open.push((event, *queue, calls));
            }
            Step::Wait { which, most_ps } if !open.is_empty() => {
                let index = which % open.len();
                let (event, queue) = (open[index].0, open[index].1);
                let before_ps = run.0.now_ps();
                match run.0.wait(event, *most_ps) {
                    Ok(()) => {
                        open.swap_remove(index);
                        ended.push((event, queue, run.0.now_ps()));
                    }
                    Err(error) => {
                        prop_assert_eq!(error.status, Status::TimedOut);
                        prop_assert_eq!(Some(run.0.now_ps() - before_ps), *most_ps);
                    }
                }
            }
            Step::Cancel { which } if !open.is_empty() => {
                let (event, _, calls) = open.swap_remove(which % open.len());
                run.0.cancel(event).expect("it is in flight");
                cancelled += calls.len() as u64;
            }
            Step::Work { ps } => {
                run.0.work(*ps).expect("devices live");
                worked_ps += ps;
            }
            Step::Wait { .. } | Step::Cancel { .. } => {}
        }
        times.push(run.0.now_ps());
    }
    for (event, queue, _) in open {
        run.0.wait(event, None).expect("an end");
        ended.push((event, queue, run.0.now_ps()));
    }
    let tally = run.0.tally();
    prop_assert_eq!((tally.cancelled_calls, tally.unfinished_calls), (cancelled, 0));
    prop_assert_eq!(tally.calls, submitted - cancelled);
    let report = run.0.report(true);
    prop_assert_eq!(report.total_ps, run.0.now_ps());
    prop_assert!(report.breakdown_ps.of(Category::Host) <= worked_ps);
    prop_assert_eq!(report.busy_ps.of(Category::Host), worked_ps);
    // Another run's events have other numbers; how many came before is the same.
    ended.iter_mut().for_each(|(event, _, _)| *event &= u64::from(u32::MAX));
    Ok((run.0, (times, ended)))
}

proptest! {
    #[test]
    fn nothing_is_lost_and_time_goes_on(steps in steps()) {
        let emulated = (Mode::Emulate, HardwareClock::Scheduled);
        let (_, (times, ended)) = play(emulated, &steps)?;
        prop_assert!(times.is_sorted());
        prop_assert!(ended.iter().map(|(_, _, ps)| ps).is_sorted());
        let (_, again) = play(emulated, &steps)?;
        prop_assert_eq!(&again, &(times, ended));
        for clock in [HardwareClock::Scheduled, HardwareClock::Stepped] {
            let (simulated, seen) = play((Mode::Simulate, clock), &steps)?;
            prop_assert_eq!(&again, &seen);
            let tally = simulated.tally();
            prop_assert_eq!(tally.mismatches, 0);
            let most = tally.calls + tally.cancelled_calls;
            prop_assert!((tally.calls..=most).contains(&tally.checked_calls));
            let stepped = if clock == HardwareClock::Stepped { most } else { 0 };
            prop_assert_eq!(tally.stepped_calls, stepped);
        }
    }
}

#[test]
fn calls_of_a_queue_happen_in_turn_and_those_of_two_at_once() {
    let end_ps = |queues: [u32; 2]| {
        let mut run = session(Mode::Emulate);
        run.0.configure(run.1).expect("it is loaded");
        let start_ps = run.0.now_ps();
        let mut buffers = [[Buffers::new(1_000_000)], [Buffers::new(1_000_000)]];
        let [first, second] = &mut buffers;
        let events = [
            submit(&mut run, first, queues[0]).expect("it is free"),
            submit(&mut run, second, queues[1]).expect("it is free"),
        ];
        let ends = events.map(|event| {
            run.0.wait(event, None).expect("an end");
            run.0.now_ps() - start_ps
        });
        (ends[0], ends[1])
    };
    let (one, both) = end_ps([0, 0]);
    assert_eq!(both, 2 * one, "in turn");
    let (one, both) = end_ps([0, 1]);
    assert!(both < 2 * one, "{both} ps for two, {one} ps for one");
}

#[test]
fn calls_in_flight_that_would_meet_are_refused() {
    let mut run = session(Mode::Emulate);
    let mut first = [Buffers::new(100)];
    let event = submit(&mut run, &mut first, 0).expect("it is free");
    let [taken] = &mut first;
    let mut second = Buffers::new(100);
    std::mem::swap(&mut second.input, &mut taken.output);
    let mut second = [second];
    let error = submit(&mut run, &mut second, 1).expect_err("it reads what is in flight");
    assert_eq!(error.status, Status::BadArgument);
    assert!(error.message.contains("argument in: it overlaps what is written"), "{error}");
    submit(&mut run, &mut second, 0).expect("in the same queue it comes behind");
    run.0.wait(event, None).expect("an end");
    let error = run.0.wait(event, None).expect_err("it was waited for");
    assert_eq!(error.status, Status::BadArgument);
}

#[test]
fn too_little_memory_is_refused() {
    let (mut session, index) = session(Mode::Emulate);
    let mut buffers = Buffers::new(100);
    let data = buffers.data();
    let ready = session.ready(index).expect("a kernel");
    let parameters = &ready.kernel.manifest.arguments;
    check_numbers(parameters, &data, &[800, 800, 8, 8]).expect("numbers are there");
    let error = check_numbers(parameters, &data, &[800, 800, 7, 8]).expect_err("a short number");
    assert_eq!(error.status, Status::BadArgument);
    let call = unsafe { Call::before(ready.clone(), &data, session.begin()).expect("a call") };
    check_sizes(&call, &[800, 800, 8, 8]).expect("enough");
    let error = check_sizes(&call, &[800, 799, 8, 8]).expect_err("a short array");
    assert!(error.message.contains("799 bytes were given, the call uses 800"), "{error}");
    let error = unsafe { check_extents(&ready, &data, &[799, 800, 8, 8]) };
    assert_eq!(error.expect_err("it is proven").status, Status::BadArgument);
}

#[test]
fn the_clock_ends_and_says_so() {
    let mut run = session(Mode::Emulate);
    assert_eq!(run.0.work(u64::MAX).expect_err("too long").status, Status::BadArgument);
    assert_eq!(run.0.now_ps(), 0, "nothing was done");
    run.0.work(u64::MAX - 1).expect("as long as there is");
    let mut buffers = [Buffers::new(100)];
    let event = submit(&mut run, &mut buffers, 0).expect("it is taken");
    let error = run.0.wait(event, None).expect_err("there is no time left for it");
    assert!(error.message.contains("the simulated clock ends"), "{error}");
    assert!(run.0.work(1).is_err(), "and it does not hang");
    assert_eq!(run.0.tally().unfinished_calls, 0);
}

#[test]
fn memory_in_use_stays() {
    let mut run = session(Mode::Emulate);
    let memory =
        tandem::host::memory::allocate(800, tandem::host::memory::Pages::Ordinary).expect("memory");
    let mut buffers = Buffers::new(100);
    buffers.output = unsafe { Vec::from_raw_parts(memory.cast(), 100, 100) };
    let mut buffers = [buffers];
    let event = submit(&mut run, &mut buffers, 0).expect("it is free");
    std::mem::forget(std::mem::take(&mut buffers[0].output));
    let error = run.0.forget_buffer(memory).expect_err("it is in use");
    assert!(error.message.contains("uses it; wait for it first"), "{error}");
    run.0.wait(event, None).expect("an end");
    run.0.forget_buffer(memory).expect("it is nobody's");
    unsafe { tandem::host::memory::free(memory).expect("it is ours") };
}

/// Nobody looks through all that is in flight for each call that comes: four times as many take
/// little more than four times as long.
#[test]
fn many_in_flight_take_their_time_each() {
    let seconds = |calls: u32| {
        let mut run = session(Mode::Emulate);
        let mut buffers: Vec<_> = (0..calls).map(|_| [Buffers::new(4)]).collect();
        let start = std::time::Instant::now();
        for (queue, buffers) in buffers.iter_mut().enumerate() {
            submit(&mut run, buffers, queue as u32).expect("nothing meets");
        }
        start.elapsed().as_secs_f64()
    };
    let few = (0..3).map(|_| seconds(5_000)).fold(f64::MAX, f64::min);
    let many = (0..3).map(|_| seconds(20_000)).fold(f64::MAX, f64::min);
    assert!(many < 9.0 * few, "{few} s, then {many} s");
}

/// What is wrong with hardware that is stepped is told when somebody waits for it.
#[test]
fn hardware_that_is_wrong_is_found_when_its_turn_has_come() {
    let mut run = session(Mode::Simulate);
    run.0.clock = HardwareClock::Stepped;
    run.1 =
        run.0.insert(Kernel { manifest_sha256: "another".into(), ..kernel(FakeRtl::WrongByte) });
    let mut calls = [Buffers::new(100), Buffers::new(1)];
    let event = submit(&mut run, &mut calls, 0).expect("nothing is known yet");
    assert_eq!(run.0.tally().mismatches, 0);
    let error = run.0.wait(event, None).expect_err("a byte is wrong");
    assert_eq!(error.status, Status::WrongResult);
    assert_eq!((run.0.tally().checked_calls, run.0.tally().mismatches), (2, 1));
}
