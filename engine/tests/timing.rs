// SPDX-License-Identifier: Apache-2.0
//! Properties of the simulated clock on random platforms under random calls.

mod random;

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use random::{gaps, jobs, platforms, simple_platforms};
use tandem::breakdown::Category;
use tandem::components::device::Computation;
use tandem::job::failure::Failure;
use tandem::job::{BufferUse, Job};
use tandem::machine::Machine;
use tandem::platform::{DeviceSettings, LinkSettings, Platform};
use tandem::trace::{Happened, KEPT_SPANS, Span};

/// Runs the calls one after the other; each returns what it took.
fn run(platform: &Platform, jobs: &[Job]) -> (Vec<u64>, u64, Happened) {
    let mut machine = Machine::new(platform.clone());
    let mut started_ps = 0;
    let took = |job: &Job| {
        let ended_ps = machine.call(job).expect("an end").time_ps;
        ended_ps - std::mem::replace(&mut started_ps, ended_ps)
    };
    let times = jobs.iter().map(took).collect();
    (times, machine.now_ps(), machine.happened())
}

/// A schedule of calls: each comes some time after the one before, whatever that one does, and one
/// that is given up is cancelled when the next one comes.
fn run_at_once(platform: &Platform, jobs: &[Job], gaps: &[(u64, bool)]) -> (u64, Happened) {
    let mut machine = Machine::new(platform.clone());
    let mut given_up = None;
    for (job, &(gap_ps, gives_up)) in jobs.iter().zip(gaps) {
        machine.work(gap_ps, None);
        if let Some(call) = given_up.take() {
            machine.cancel(&call);
        }
        let call = machine.submit(job.clone());
        given_up = gives_up.then_some(call);
    }
    machine.finish();
    (machine.now_ps(), machine.happened())
}

fn bytes_on(spans: &[Span], component: &str, category: Category) -> u64 {
    let on = |span: &&Span| span.component.as_str() == component && span.category == category;
    spans.iter().filter(on).map(|span| span.bytes).sum()
}

/// The spans of each component but the software, which may wait for several calls at once, devices
/// with several units, and links that others lie behind, never overlap, and lie within the run.
fn check_spans(platform: &Platform, now_ps: u64, happened: &Happened) -> Result<(), TestCaseError> {
    let mut busy_until_ps = BTreeMap::new();
    let mut last_ps = 0;
    for span in &happened.spans {
        prop_assert!(last_ps <= span.end_ps && span.end_ps <= now_ps, "time never goes back");
        last_ps = span.end_ps;
        prop_assert!(span.start_ps < span.end_ps);
        prop_assert!(span.fixed_ps <= span.end_ps - span.start_ps);
        let name = span.component.as_str();
        let several = |d: &DeviceSettings| d.units > 1 && name.starts_with(&d.name);
        let shared = |(index, link): (usize, &LinkSettings)| {
            name.starts_with(&link.name)
                && platform.links.iter().any(|other| other.through == Some(index))
        };
        let is_several =
            platform.devices.iter().any(several) || platform.links.iter().enumerate().any(shared);
        if span.category != Category::Wait && !is_several {
            let free_ps = busy_until_ps.insert(name, span.end_ps).unwrap_or(0);
            prop_assert!(free_ps <= span.start_ps, "{name} is busy twice");
        }
    }
    Ok(())
}

/// The time in which at least one span of the category lies: links that follow each other move
/// the same bytes at the same time.
fn covered_ps(spans: &[Span], category: Category) -> u64 {
    let of_category = spans.iter().filter(|span| span.category == category);
    let mut times: Vec<_> = of_category.map(|span| (span.start_ps, span.end_ps)).collect();
    times.sort_unstable();
    let mut covered = (0, 0);
    for (start_ps, end_ps) in times {
        covered.0 += end_ps.saturating_sub(start_ps.max(covered.1));
        covered.1 = covered.1.max(end_ps);
    }
    covered.0
}

/// What is exposed sums to the time in which calls were in flight, and hides no more than it has.
fn check_breakdown(now_ps: u64, happened: &Happened) -> Result<(), TestCaseError> {
    let breakdown = &happened.breakdown;
    for category in Category::ALL {
        let of = |times: &tandem::breakdown::Times| times.of(category);
        prop_assert!(of(&breakdown.fixed) <= of(&breakdown.exposed));
        prop_assert!(of(&breakdown.exposed) <= of(&breakdown.busy));
        prop_assert!(of(&breakdown.busy) <= now_ps);
        prop_assert!(
            category == Category::Wait
                || of(&breakdown.busy) <= covered_ps(&happened.spans, category)
        );
    }
    for busy in &happened.components {
        prop_assert!(busy.busy_ps <= now_ps);
    }
    prop_assert!(breakdown.exposed.sum_ps() <= now_ps);
    Ok(())
}

proptest! {
    #[test]
    fn calls_one_after_the_other_add_up(mut platform in platforms(), jobs in jobs()) {
        if let Some(controller) = &mut platform.controller {
            controller.passes = false; // else bytes come and go while the kernel computes
        }
        platform.configurations[0].prefetches = false; // else kernels are loaded meanwhile
        let (times, now_ps, happened) = run(&platform, &jobs);
        check_spans(&platform, now_ps, &happened)?;
        check_breakdown(now_ps, &happened)?;
        prop_assert_eq!(times.iter().sum::<u64>(), now_ps);
        prop_assert_eq!(happened.breakdown.exposed.sum_ps(), now_ps);
        prop_assert_eq!(happened.breakdown.exposed, happened.breakdown.busy);
        for category in Category::ALL {
            let covered_ps = covered_ps(&happened.spans, category);
            prop_assert_eq!(covered_ps, happened.breakdown.exposed.of(category));
        }
    }

    #[test]
    fn calls_in_flight_together_take_no_longer_and_lose_nothing(
        platform in simple_platforms(), jobs in jobs(),
    ) {
        let (_, after_another_ps, alone) = run(&platform, &jobs);
        let (now_ps, together) = run_at_once(&platform, &jobs, &vec![(0, false); jobs.len()]);
        check_spans(&platform, now_ps, &together)?;
        check_breakdown(now_ps, &together)?;
        prop_assert!(now_ps <= after_another_ps);
        prop_assert_eq!(together.breakdown.exposed.sum_ps(), now_ps);
        let key = |span: &Span| {
            (span.component.as_str().to_string(), span.category as u8, span.call, span.bytes)
        };
        let did = |happened: &Happened| {
            let mut keys: Vec<_> = happened.spans.iter().map(key).collect();
            keys.sort_unstable();
            keys
        };
        prop_assert_eq!(did(&alone), did(&together));
    }

    #[test]
    fn devices_that_die_and_loads_that_fail_stop_nobody_else(
        mut platform in platforms(), jobs in jobs(), gaps in gaps(),
        deaths in proptest::collection::vec(proptest::option::of(0u64..50_000_000_000), 4),
        failures in prop_oneof![Just(0), 1u64..4],
    ) {
        for (device, dies_ps) in platform.devices.iter_mut().zip(deaths) {
            device.dies_ps = dies_ps;
        }
        platform.configurations[0].failures = failures;
        let mut machine = Machine::new(platform.clone());
        let mut calls = Vec::new();
        for (job, &(gap_ps, _)) in jobs.iter().zip(&gaps) {
            machine.work(gap_ps, None);
            calls.push((machine.now_ps(), machine.submit(job.clone())));
        }
        machine.finish();
        let happened = machine.happened();
        check_spans(&platform, machine.now_ps(), &happened)?;
        check_breakdown(machine.now_ps(), &happened)?;
        let mut not_loaded = 0;
        for (job, (begun_ps, call)) in jobs.iter().zip(&calls) {
            let ended = machine.wait(call).expect("every call comes to an end");
            let death_ps = |device: usize| platform.devices[device].dies_ps.unwrap_or(u64::MAX);
            match ended.failure {
                None => {
                    let of_call = |component: &str, category| {
                        let spans = happened.spans.iter().filter(|span| span.call == job.call);
                        bytes_on(&spans.cloned().collect::<Vec<_>>(), component, category)
                    };
                    let link = &platform.links[platform.devices[ended.device].link];
                    let way = if link.is_full_duplex { ".in" } else { "" };
                    let moved: u64 = job.moved_in.iter().map(|moved| moved.bytes).sum();
                    let name = format!("{}{way}", link.name);
                    prop_assert_eq!(of_call(&name, Category::TransferIn), moved);
                }
                Some(Failure::Died { device }) => {
                    prop_assert!(*begun_ps < death_ps(device).max(1), "it was known to be dead");
                    prop_assert!(death_ps(device) <= ended.time_ps);
                }
                Some(Failure::NotLoaded { .. }) => not_loaded += 1,
                Some(Failure::Lost { .. }) => prop_assert!(false, "nothing stays anywhere"),
                Some(Failure::NoneLeft) => {
                    let last_ps = (0..platform.devices.len()).map(death_ps).max();
                    prop_assert!(last_ps <= Some(ended.time_ps));
                }
            }
        }
        prop_assert!(not_loaded <= failures);
        for (index, device) in platform.devices.iter().enumerate() {
            let Some(dies_ps) = device.dies_ps else { continue };
            let own = |span: &&Span| span.component.as_str().starts_with(&device.name);
            let last_ps = happened.spans.iter().filter(own).map(|span| span.end_ps).max();
            prop_assert!(last_ps <= Some(dies_ps), "device {index} works on");
        }
        let again = {
            let mut machine = Machine::new(platform.clone());
            for (job, &(gap_ps, _)) in jobs.iter().zip(&gaps) {
                machine.work(gap_ps, None);
                machine.submit(job.clone());
            }
            machine.finish();
            machine.happened().spans
        };
        prop_assert_eq!(happened.spans, again);
    }

    #[test]
    fn a_batch_moves_the_same_in_no_more_time(
        platform in simple_platforms(), jobs in jobs(), parameter_bytes in 0u64..100,
    ) {
        let of_one_kernel = |job: Job| Job { kernel: 0, parameter_bytes, ..job };
        let jobs: Vec<_> = jobs.into_iter().map(of_one_kernel).collect();
        let (_, after_another_ps, alone) = run(&platform, &jobs);
        let mut machine = Machine::new(platform.clone());
        let ended = machine.call_batch(&jobs).expect("an end");
        let batch = machine.happened();
        prop_assert_eq!(ended.time_ps, machine.now_ps());
        // Of each transfer the picoseconds are rounded up.
        let roundings = 16 * jobs.len() as u64;
        prop_assert!(machine.now_ps() <= after_another_ps.saturating_add(roundings));
        check_spans(&platform, machine.now_ps(), &batch)?;
        check_breakdown(machine.now_ps(), &batch)?;
        prop_assert_eq!(batch.breakdown.exposed.sum_ps(), machine.now_ps());
        for category in [Category::Compute, Category::TransferIn, Category::TransferOut] {
            let moved = |happened: &Happened| -> u64 {
                let of_category = happened.spans.iter().filter(|span| span.category == category);
                of_category.map(|span| span.bytes).sum()
            };
            prop_assert_eq!(moved(&batch), moved(&alone));
        }
    }

    #[test]
    fn whatever_comes_when_and_is_given_up_time_adds_up(
        platform in platforms(), jobs in jobs(), gaps in gaps(),
    ) {
        let (now_ps, happened) = run_at_once(&platform, &jobs, &gaps);
        check_spans(&platform, now_ps, &happened)?;
        check_breakdown(now_ps, &happened)?;
        let again = run_at_once(&platform, &jobs, &gaps);
        prop_assert_eq!((now_ps, happened.spans), (again.0, again.1.spans));
    }

    /// Whatever devices and copies of the kernel there are, and however calls come together.
    #[test]
    fn calls_that_write_one_memory_follow_each_other(
        mut platform in platforms(), mut jobs in jobs(), gaps in gaps(), together in 1usize..4,
    ) {
        platform.controller = None;
        let written = BufferUse { id: 7, bytes: 4096, is_needed: true, is_written: true };
        jobs.iter_mut().for_each(|job| job.buffers = vec![written]);
        let mut machine = Machine::new(platform);
        for (jobs, (gap_ps, _)) in jobs.chunks(together).zip(gaps) {
            machine.work(gap_ps, None);
            let kernel = jobs[0].kernel;
            machine.submit_batch(jobs.iter().map(|job| Job { kernel, ..job.clone() }).collect());
        }
        machine.finish();
        let spans = machine.happened().spans;
        let computes: Vec<_> =
            spans.iter().filter(|span| span.category == Category::Compute).collect();
        for pair in computes.windows(2) {
            prop_assert!(pair[0].end_ps <= pair[1].start_ps && pair[0].call < pair[1].call);
        }
        // It moves only where the next call is on another device.
        let bytes_of = |category| -> u64 {
            let of_category = spans.iter().filter(|span| span.category == category);
            of_category.filter(|span| span.bytes == 4096).count() as u64
        };
        let platform = &machine.platform;
        let is_near = platform.links[platform.devices[0].link].through.is_none();
        if platform.devices.len() == 1 && is_near {
            let others = jobs.iter().flat_map(|job| job.moved_in.iter().chain(&job.moved_out));
            prop_assume!(others.clone().all(|moved| moved.bytes != 4096));
            prop_assert!(bytes_of(Category::TransferIn) <= 1);
            prop_assert_eq!(bytes_of(Category::TransferOut), 0);
        }
    }

    #[test]
    fn bytes_are_conserved(platform in simple_platforms(), jobs in jobs()) {
        let (_, _, happened) = run(&platform, &jobs);
        let bytes_in: u64 = jobs.iter().flat_map(|job| &job.moved_in).map(|moved| moved.bytes).sum();
        let bytes_out: u64 = jobs.iter().flat_map(|job| &job.moved_out).map(|moved| moved.bytes).sum();
        let mut way = Some(platform.devices[0].link);
        while let Some(link) = way.map(|index| &platform.links[index]) {
            let (into, out) = match link.is_full_duplex {
                true => (format!("{}.in", link.name), format!("{}.out", link.name)),
                false => (link.name.clone(), link.name.clone()),
            };
            prop_assert_eq!(bytes_on(&happened.spans, &into, Category::TransferIn), bytes_in);
            prop_assert_eq!(bytes_on(&happened.spans, &out, Category::TransferOut), bytes_out);
            way = link.through;
        }
        if platform.software.copy_bandwidth_bytes_per_s.is_some() {
            let copied = bytes_on(&happened.spans, "software", Category::Copy);
            prop_assert_eq!(copied, bytes_in + bytes_out);
        }
    }

    #[test]
    fn a_kernel_is_configured_once_until_another_one_is(
        mut platform in simple_platforms(), jobs in jobs(),
    ) {
        platform.configurations[0].preloads = false;
        let (_, _, happened) = run(&platform, &jobs);
        let differ = |pair: &&[Job]| pair[0].kernel != pair[1].kernel;
        let changes = 1 + jobs.windows(2).filter(differ).count();
        let configure_ps = changes as u64 * platform.configurations[0].time_ps;
        prop_assert_eq!(happened.breakdown.exposed.of(Category::Configure), configure_ps);
    }
}

#[test]
fn totals_stay_exact_when_spans_are_dropped() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let platform = platforms().new_tree(&mut runner).expect("a platform").current();
    let run_of_kernel = Computation { cycles: 1, latency_cycles: 0, clock_ps: 10_000 };
    let job = Job { run: run_of_kernel, ..Job::default() };
    let (_, now_ps, happened) = run(&platform, &vec![job; KEPT_SPANS]);
    assert_eq!(happened.spans.len(), KEPT_SPANS);
    assert!(happened.dropped > 0);
    assert_eq!(happened.breakdown.exposed.sum_ps(), now_ps);
}
