// SPDX-License-Identifier: Apache-2.0
//! Properties of the simulated clock on random platforms under random calls.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use tandem::breakdown::Category;
use tandem::components::Job;
use tandem::machine::Machine;
use tandem::platform::{Configuration, DeviceSettings, Link, Memory, Platform, Software};
use tandem::trace::{KEPT_SPANS, Span, Trace};

const TIME_PS: std::ops::Range<u64> = 0..10_000_000_000;
const RATE: std::ops::Range<u64> = 1..20_000_000_000;

fn platforms() -> impl Strategy<Value = Platform> {
    let software = (TIME_PS, TIME_PS, proptest::option::of(RATE), TIME_PS);
    let link = (RATE, RATE, TIME_PS);
    (software, link, TIME_PS, 0u64..100).prop_map(|(software, link, configure, launch)| Platform {
        name: "random".into(),
        title: "Random".into(),
        software: Software {
            call_time_ps: software.0,
            launch_time_ps: software.1,
            copy_bandwidth_bytes_per_s: software.2,
            wait_time_ps: software.3,
        },
        link: Link {
            bandwidth_to_device_bytes_per_s: link.0,
            bandwidth_from_device_bytes_per_s: link.1,
            peak_bandwidth_bytes_per_s: None,
            transfer_time_ps: link.2,
        },
        configuration: Configuration { time_ps: configure },
        memory: Memory { banks: 4, bank_size_bytes: 1 << 30, width_bytes: 8 },
        device: DeviceSettings {
            clock_hz: 100_000_000,
            clock_ps: 10_000,
            launch_cycles: launch,
            target: "ecp5".into(),
        },
        sources: BTreeMap::new(),
    })
}

fn jobs() -> impl Strategy<Value = Vec<Job>> {
    let bytes = || proptest::collection::vec(prop_oneof![Just(0), 0u64..10_000_000], 0..4);
    let job = (0usize..3, bytes(), bytes(), 0u64..1 << 32, 0u64..100, 1u64..20_000);
    proptest::collection::vec(job, 1..20).prop_map(|jobs| {
        let job = |(call, parts)| {
            let (configuration, bytes_in, bytes_out, cycles, latency_cycles, clock_ps) = parts;
            let call = call as u64;
            Job { call, configuration, bytes_in, bytes_out, cycles, latency_cycles, clock_ps }
        };
        jobs.into_iter().enumerate().map(job).collect()
    })
}

/// Runs the calls; each returns what it took.
fn run(platform: &Platform, jobs: &[Job]) -> (Vec<u64>, u64, Trace) {
    let mut machine = Machine::new(platform.clone());
    let mut trace = Trace::default();
    let times = jobs.iter().map(|job| machine.call(job.clone(), &mut trace)).collect();
    (times, machine.now_ps(), trace)
}

fn bytes_on(spans: &[Span], component: &str, category: Category) -> u64 {
    let on = |span: &&Span| span.component == component && span.category == category;
    spans.iter().filter(on).map(|span| span.bytes).sum()
}

proptest! {
    #[test]
    fn spans_of_one_component_never_overlap(platform in platforms(), jobs in jobs()) {
        let (_, now_ps, trace) = run(&platform, &jobs);
        let mut busy_until_ps = BTreeMap::new();
        for span in &trace.spans {
            let free_ps = busy_until_ps.insert(span.component, span.end_ps).unwrap_or(0);
            prop_assert!(free_ps <= span.start_ps && span.start_ps < span.end_ps);
            prop_assert!(span.end_ps <= now_ps && span.fixed_ps <= span.end_ps - span.start_ps);
        }
    }

    #[test]
    fn the_breakdown_adds_up(platform in platforms(), jobs in jobs()) {
        let (times, now_ps, trace) = run(&platform, &jobs);
        prop_assert_eq!(times.iter().sum::<u64>(), now_ps);
        prop_assert_eq!(trace.breakdown.total.sum_ps(), now_ps);
        for category in Category::ALL {
            let of = |span: &&Span| span.category == category;
            let spans_ps: u64 = trace.spans.iter().filter(of).map(|s| s.end_ps - s.start_ps).sum();
            prop_assert_eq!(spans_ps, trace.breakdown.total.of(category));
        }
    }

    #[test]
    fn bytes_are_conserved(platform in platforms(), jobs in jobs()) {
        let (_, _, trace) = run(&platform, &jobs);
        let bytes_in: u64 = jobs.iter().flat_map(|job| &job.bytes_in).sum();
        let bytes_out: u64 = jobs.iter().flat_map(|job| &job.bytes_out).sum();
        prop_assert_eq!(bytes_on(&trace.spans, "link", Category::TransferIn), bytes_in);
        prop_assert_eq!(bytes_on(&trace.spans, "link", Category::TransferOut), bytes_out);
        if platform.software.copy_bandwidth_bytes_per_s.is_some() {
            let copied = bytes_on(&trace.spans, "software", Category::Copy);
            prop_assert_eq!(copied, bytes_in + bytes_out);
        }
    }

    #[test]
    fn two_runs_give_the_same_trace(platform in platforms(), jobs in jobs()) {
        prop_assert_eq!(run(&platform, &jobs).2.spans, run(&platform, &jobs).2.spans);
    }

    #[test]
    fn a_kernel_is_configured_once_until_another_one_is(platform in platforms(), jobs in jobs()) {
        let (_, _, trace) = run(&platform, &jobs);
        let differ = |pair: &&[Job]| pair[0].configuration != pair[1].configuration;
        let changes = 1 + jobs.windows(2).filter(differ).count();
        let configure_ps = changes as u64 * platform.configuration.time_ps;
        prop_assert_eq!(trace.breakdown.total.of(Category::Configure), configure_ps);
    }
}

#[test]
fn totals_stay_exact_when_spans_are_dropped() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let platform = platforms().new_tree(&mut runner).expect("a platform").current();
    let job = Job { cycles: 1, clock_ps: 10_000, ..Job::default() };
    let (_, now_ps, trace) = run(&platform, &vec![job; KEPT_SPANS]);
    assert_eq!(trace.spans.len(), KEPT_SPANS);
    assert!(trace.dropped > 0);
    assert_eq!(trace.breakdown.total.sum_ps(), now_ps);
}
