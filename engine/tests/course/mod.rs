// SPDX-License-Identifier: Apache-2.0
//! A kernel's run beside a model of it that goes from one iteration to the next.

mod hardware;

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::pin::Pin;

use self::hardware::{LoopRtl, signals};

use super::fake::kernel;
use super::hardware::FakeRtl;
use proptest::prelude::*;
use tandem::breakdown::Category;
use tandem::call::execute::{HardwareCall, Memories};
use tandem::components::parts::lane::Lane;
use tandem::course::{Course, Gates, Hardware};
use tandem::model::Part;
use tandem::package::{Given, Manifest};
use tandem::simulation::{Clock, Simulation, all};
use tandem::trace::{Recorder, Work};

const CLOCK_PS: u64 = 10;
const ENTERED: u64 = 3;
const LENGTH: u64 = 9;
/// Cycles of the loop's own that follow its last iteration, and those of what is behind it.
const BEHIND: u64 = 2;
const GIVEN_TO_LEAVING: u64 = 1;
const LEAVING_TO_CREDIT: u64 = 2;
const TAKES: usize = 2;
const STREAMS: usize = 4;

/// A stream's way to the kernel, or from it.
#[derive(Debug, Clone)]
struct Way {
    chunk_records: u64,
    buffers: u64,
    /// How long each chunk is on its way, chunk by chunk.
    step_ps: Vec<u64>,
    /// Of what the kernel gives: in which cycle of an iteration, and how many cycles apart at least.
    cycle: u64,
    pace: u64,
}

impl Way {
    /// Records that the FIFO holds: enough for an iteration in each cycle, as hardware has it.
    fn depth(&self) -> u64 {
        (self.cycle + GIVEN_TO_LEAVING + LEAVING_TO_CREDIT).next_power_of_two()
    }
}

fn ways() -> impl Strategy<Value = Way> {
    let steps = prop_oneof![
        proptest::collection::vec(0u64..20, 40),
        proptest::collection::vec(0u64..200, 40)
    ];
    (1u64..8, 1u64..4, steps, 0u64..LENGTH, 1u64..4).prop_map(
        |(chunk_records, buffers, step_ps, cycle, pace)| Way {
            chunk_records,
            buffers,
            step_ps,
            cycle,
            pace,
        },
    )
}

/// A loop that takes a record of two streams an iteration, and gives one to two others.
#[derive(Debug)]
struct Case {
    iterations: u64,
    interval: u64,
    ways: Vec<Way>,
}

/// What a run comes to.
#[derive(Debug, PartialEq)]
struct Came {
    cycles: u64,
    /// Of these, those in which it computes.
    computing: u64,
    /// By stream from which cycle on each chunk passed.
    passed: BTreeMap<usize, Vec<u64>>,
}

impl Case {
    fn manifest(&self) -> Manifest {
        let mut manifest = kernel(FakeRtl::Right).manifest;
        let names = ["a", "b", "c", "d"].map(String::from);
        let like = manifest.arguments[0].clone();
        manifest.arguments.clear();
        for name in &names {
            let mut argument = like.clone();
            argument.name.clone_from(name);
            manifest.arguments.push(argument);
        }
        let given = |(name, way): (&String, &Way)| Given {
            stream: name.clone(),
            cycle: way.cycle,
            depth: way.depth(),
        };
        let facts = &mut manifest.loops[0];
        (facts.ii, facts.length_cycles) = (Some(self.interval), Some(LENGTH));
        facts.takes = names[..TAKES].to_vec();
        facts.gives = names.iter().zip(&self.ways).skip(TAKES).map(given).collect();
        manifest
    }

    /// The cycles of the loop if nothing makes it wait.
    fn spent(&self) -> u64 {
        (self.iterations - 1) * self.interval + LENGTH + BEHIND
    }

    fn course(&self) -> Course {
        let spent = self.spent();
        let body = Part { iterations: self.iterations, cycles: spent, entered: ENTERED };
        let rest = Part { iterations: 1, cycles: 0, entered: ENTERED + spent };
        Course::new(&self.manifest(), &[body, rest], &self.paces()).expect("a loop with streams")
    }

    fn simulated(&self) -> Came {
        simulated(
            &self.course(),
            self.iterations,
            &self.ways.iter().enumerate().collect::<Vec<_>>(),
        )
    }

    fn paces(&self) -> Vec<u32> {
        let pace = |(stream, way): (usize, &Way)| if stream < TAKES { 1 } else { way.pace as u32 };
        self.ways.iter().enumerate().map(pace).collect()
    }

    /// Hardware that is stepped with the clock: its cycles, those that the schedule gives it, and those in
    /// which it computes.
    fn stepped(&self) -> (u64, u64, u64) {
        let (iterations, interval, spent) = (self.iterations, self.interval, self.spent());
        let rtl =
            LoopRtl { iterations, interval, spent, ways: self.ways.clone(), signals: signals() };
        let records = |stream: usize| (0..iterations).map(move |k| k * 7 + stream as u64);
        let mut arrays: Vec<Vec<u64>> =
            (0..TAKES).map(|stream| records(stream).collect()).collect();
        arrays.resize(STREAMS, vec![0; iterations as usize]);
        let data: Vec<*mut c_void> =
            arrays.iter_mut().map(|array| array.as_mut_ptr().cast()).collect();
        let (manifest, bytes) = (self.manifest(), [iterations * 8; STREAMS]);
        let call = HardwareCall {
            manifest: &manifest,
            data: &data,
            bytes: &bytes,
            intervals: &self.paces(),
            predicted_cycles: spent,
            show_progress: false,
            recording: None,
        };
        let mut memories = Memories::default();
        let (course, mut cycles) = (self.course(), (0, 0));
        let ways: Vec<_> = self.ways.iter().enumerate().collect();
        let computing = on_clock(iterations, &ways, async |at, lanes| {
            let mut running = unsafe { call.begin(&rtl, &mut memories).expect("a good map") };
            let scheduled = unsafe { course.step(&at, lanes, &mut running).await };
            cycles = (running.simulated().cycles, scheduled.expect("an end"));
        });
        for stream in 0..TAKES {
            assert_eq!(arrays[TAKES + stream], arrays[stream]);
        }
        (cycles.0, cycles.1, computing)
    }

    /// The model.
    fn expected(&self) -> Came {
        let mut starts = Vec::new();
        let mut left: Vec<Vec<u64>> = vec![Vec::new(); STREAMS];
        // By stream, when each chunk had been moved, and when it had been used up.
        let mut moved: Vec<Vec<u64>> = vec![Vec::new(); STREAMS];
        let mut freed: Vec<Vec<u64>> = vec![Vec::new(); STREAMS];
        let mut passed: BTreeMap<usize, Vec<u64>> = BTreeMap::new();
        for k in 0..self.iterations as usize {
            let mut start = starts.last().map_or(ENTERED, |last| last + self.interval);
            for (stream, way) in self.ways.iter().enumerate().take(TAKES) {
                let chunk = k / way.chunk_records as usize;
                if moved[stream].len() == chunk {
                    let room = chunk.checked_sub(way.buffers as usize);
                    let begun = room.map_or(0, |before| freed[stream][before]);
                    let begun = begun.max(moved[stream].last().copied().unwrap_or(0));
                    moved[stream].push(begun + way.step_ps[chunk]);
                    let cycle = moved[stream][chunk].div_ceil(CLOCK_PS);
                    passed.entry(stream).or_default().push(cycle);
                }
                start = start.max(moved[stream][chunk].div_ceil(CLOCK_PS));
            }
            for (way, left) in self.ways.iter().zip(&left).skip(TAKES) {
                if let Some(before) = k.checked_sub(way.depth() as usize) {
                    start = start.max(left[before] + LEAVING_TO_CREDIT);
                }
            }
            starts.push(start);
            let is_last = |way: &Way| {
                (k as u64 + 1).is_multiple_of(way.chunk_records) || k as u64 + 1 == self.iterations
            };
            for (stream, way) in self.ways.iter().enumerate() {
                if stream < TAKES {
                    if is_last(way) {
                        freed[stream].push((start + 1) * CLOCK_PS);
                    }
                    continue;
                }
                let chunk = k / way.chunk_records as usize;
                let room = chunk.checked_sub(way.buffers as usize);
                let room = room.map_or(0, |before| moved[stream][before].div_ceil(CLOCK_PS));
                let gates = passed.entry(stream).or_default();
                if gates.len() == chunk {
                    gates.push(room);
                }
                let next = left[stream].last().map_or(0, |last| last + way.pace);
                left[stream].push((start + way.cycle + GIVEN_TO_LEAVING).max(next).max(room));
                if is_last(way) {
                    let full = (left[stream][k] + 1) * CLOCK_PS;
                    let begun = full.max(moved[stream].last().copied().unwrap_or(0));
                    moved[stream].push(begun + way.step_ps[chunk]);
                }
            }
        }
        let last = starts.last().expect("an iteration");
        let end = (last + LENGTH).max(ENTERED + self.spent());
        let drained = left.iter().filter_map(|left| left.last()).map(|last| last + 1).max();
        // What stands before the loop and behind it is computed too, and until the next iteration may
        // start.
        let computes = |cycle: &u64| {
            let started = starts.iter().filter(|&start| start <= cycle).count();
            let length = match started == starts.len() {
                true => LENGTH,
                false => LENGTH.max(self.interval),
            };
            *cycle < started.checked_sub(1).map_or(ENTERED, |recent| starts[recent] + length)
        };
        let computing =
            (0..last + LENGTH).filter(computes).count() as u64 + end + 1 - last - LENGTH;
        Came { cycles: end.max(drained.unwrap_or(0)) + 1, computing, passed }
    }
}

/// A run with some streams of so many records.
fn simulated(course: &Course, records: u64, ways: &[(usize, &Way)]) -> Came {
    let mut gates = Gates { are_wanted: true, ..Gates::default() };
    let mut cycles = 0;
    let computing = on_clock(records, ways, async |at, lanes| {
        cycles = course.run(&at, lanes, &mut gates).await;
    });
    let passed = gates.of_streams.into_iter().map(|(stream, _, cycles)| (stream, cycles));
    Came { cycles, computing, passed: passed.collect() }
}

/// A kernel's process beside streams of so many records: the cycles in which it computes.
fn on_clock(
    records: u64,
    ways: &[(usize, &Way)],
    kernel: impl AsyncFnOnce(Hardware<'_>, &[Lane]),
) -> u64 {
    let mut simulation = Simulation::default();
    let clock = simulation.clock().clone();
    let recorder = Recorder::new(&clock);
    let hardware = Hardware {
        recorder: &recorder,
        component: recorder.component("device"),
        call: 0,
        work: Work::fixed(Category::Compute, 0),
        clock_ps: CLOCK_PS,
    };
    let lane = |&(stream, way): &(usize, &Way)| {
        Lane::new(&clock, stream, records, way.chunk_records, way.buffers)
    };
    let lanes: Vec<Lane> = ways.iter().map(lane).collect();
    let mut processes: Vec<Pin<Box<dyn Future<Output = ()> + '_>>> = Vec::new();
    for (lane, &(stream, way)) in lanes.iter().zip(ways) {
        match stream < TAKES {
            true => processes.push(Box::pin(come(&clock, lane, way))),
            false => processes.push(Box::pin(go(&clock, lane, way))),
        }
    }
    processes.push(Box::pin(kernel(hardware, &lanes)));
    simulation.run_beside(all(processes), || false).expect("an end");
    let busy_ps = recorder.with(|trace| trace.breakdown(clock.now_ps())).busy;
    busy_ps.of(Category::Compute) / CLOCK_PS
}

async fn come(clock: &Clock, lane: &Lane, way: &Way) {
    for chunk in 0..lane.chunks {
        lane.room(chunk, clock).await;
        clock.sleep(way.step_ps[chunk as usize]).await;
        lane.give(clock.now_ps());
    }
}

async fn go(clock: &Clock, lane: &Lane, way: &Way) {
    for chunk in 0..lane.chunks {
        lane.chunk(chunk, clock).await;
        clock.sleep(way.step_ps[chunk as usize]).await;
        lane.take(clock.now_ps());
    }
}

/// One loop gives four records that take long to go, the next one takes four.
#[test]
fn a_loop_does_not_wait_for_what_the_one_before_it_has_given() {
    let step_ps = [0, 0, 100 * CLOCK_PS, 0];
    let way = |step_ps| {
        let step_ps = vec![step_ps; 4];
        Way { chunk_records: 1, buffers: 1, step_ps, cycle: 0, pace: 1 }
    };
    let case = Case { iterations: 4, interval: 1, ways: step_ps.map(way).to_vec() };
    let mut manifest = case.manifest();
    let mut second = manifest.loops[0].clone();
    manifest.loops[0].takes.clear();
    manifest.loops[0].gives.truncate(1);
    second.takes.truncate(1);
    second.gives.clear();
    manifest.loops.push(second);
    let cycles = case.spent();
    let part = |index| Part { iterations: 4, cycles, entered: ENTERED + index * cycles };
    let course = Course::new(&manifest, &[part(0), part(1), part(2)], &[1; STREAMS]);
    let ways = [(0, &case.ways[0]), (2, &case.ways[2])];
    let came = simulated(&course.expect("loops with streams"), 4, &ways);
    let entered = ENTERED + cycles;
    assert_eq!(came.passed[&0], [0, entered + 1, entered + 2, entered + 3]);
    let full = ENTERED + GIVEN_TO_LEAVING + 1;
    assert_eq!(came.passed[&2], [0, full + 100, full + 201, full + 302]);
}

proptest! {
    #[test]
    fn iterations_wait_for_their_records_and_for_room(
        iterations in 1u64..40, interval in prop_oneof![1u64..4, 1u64..2 * LENGTH],
        ways in proptest::collection::vec(ways(), STREAMS),
    ) {
        let case = Case { iterations, interval, ways };
        let expected = case.expected();
        prop_assert_eq!(
            case.stepped(),
            (expected.cycles, expected.cycles, expected.computing)
        );
        prop_assert_eq!(case.simulated(), expected);
    }
}
