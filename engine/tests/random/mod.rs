// SPDX-License-Identifier: Apache-2.0
//! Random platforms, calls, and times between them.

use std::collections::BTreeMap;

use proptest::prelude::*;
use tandem::components::device::Computation;
use tandem::job::{Job, Moved};
use tandem::platform::{
    BatchSettings, ConfigurationSettings, ControllerSettings, DeviceSettings, LinkSettings, Memory,
    Platform, Software,
};

const TIME_PS: std::ops::Range<u64> = 0..10_000_000_000;

/// Bytes a second; with fewer a run of random calls takes longer than the clock can count.
const RATE: std::ops::Range<u64> = 1_000..20_000_000_000;

pub fn platforms() -> impl Strategy<Value = Platform> {
    let software = (TIME_PS, TIME_PS, proptest::option::of(RATE), TIME_PS).prop_map(|s| Software {
        call_time_ps: s.0,
        launch_time_ps: s.1,
        copy_bandwidth_bytes_per_s: s.2,
        wait_time_ps: s.3,
        program_time_ps: 0,
        program_percent: 0,
    });
    (software, links(), devices(), ports(), proptest::option::of(RATE), controllers()).prop_map(
        |(software, mut links, devices, port, transfer_bandwidth_bytes_per_s, controller)| {
            links.iter_mut().enumerate().for_each(|(index, link)| {
                link.name = format!("link-{index}");
                link.through = link.through.filter(|&through| through < index);
            });
            let device = |(index, (link, launch_cycles, units)): (usize, (usize, u64, u64))| {
                DeviceSettings {
                    name: format!("device-{index}"),
                    clock_hz: 100_000_000,
                    clock_ps: 10_000,
                    launch_cycles,
                    target: "ecp5".into(),
                    units,
                    link: link % links.len(),
                    ..DeviceSettings::default()
                }
            };
            let name = "configuration".into();
            let port = ConfigurationSettings { name, ..port };
            let memory = Memory {
                banks: 4,
                bank_size_bytes: 1 << 30,
                width_bytes: 8,
                transfer_bandwidth_bytes_per_s,
            };
            Platform {
                name: "random".into(),
                title: "Random".into(),
                software,
                configurations: vec![port],
                memories: vec![memory],
                kernels_together: false,
                devices: devices.into_iter().enumerate().map(device).collect(),
                links,
                batch: BatchSettings::default(),
                controller,
                transfer: Default::default(),
                sources: BTreeMap::new(),
                stops: BTreeMap::new(),
            }
        },
    )
}

fn links() -> impl Strategy<Value = Vec<LinkSettings>> {
    let through = proptest::option::of(0usize..3);
    let link = (RATE, RATE, TIME_PS, prop::bool::ANY, through).prop_map(|link| LinkSettings {
        bandwidth_to_device_bytes_per_s: link.0,
        bandwidth_from_device_bytes_per_s: link.1,
        transfer_time_ps: link.2,
        is_full_duplex: link.3,
        through: link.4,
        ..LinkSettings::default()
    });
    proptest::collection::vec(link, 1..4)
}

/// (link, launch cycles, units) of each.
fn devices() -> impl Strategy<Value = Vec<(usize, u64, u64)>> {
    proptest::collection::vec((0usize..3, 0u64..100, 1u64..3), 1..4)
}

fn ports() -> impl Strategy<Value = ConfigurationSettings> {
    (TIME_PS, 1u64..3, any::<bool>(), any::<bool>()).prop_map(|port| ConfigurationSettings {
        time_ps: port.0,
        regions: port.1,
        preloads: port.2,
        prefetches: port.3,
        ..ConfigurationSettings::default()
    })
}

/// With one in half of the cases.
fn controllers() -> impl Strategy<Value = Option<ControllerSettings>> {
    let times = (TIME_PS, TIME_PS, 0u64..100_000, 0u64..100_000, 0u64..20);
    let choices = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    proptest::option::of((times, choices).prop_map(|(times, choices)| ControllerSettings {
        switch_time_ps: times.0,
        key_time_ps: times.1,
        byte_time_ps: times.2,
        port_time_ps: times.3,
        reset_accesses: times.4,
        switches_once: choices.0,
        resets_once: choices.1,
        deciphers: choices.2,
        passes: choices.3,
        ..ControllerSettings::default()
    }))
}

/// One device, one region, one copy of the kernel: what most boards are.
pub fn simple_platforms() -> impl Strategy<Value = Platform> {
    platforms().prop_map(|mut platform| {
        platform.devices.truncate(1);
        platform.devices[0].units = 1;
        platform.configurations[0].regions = 1;
        platform.configurations[0].prefetches = false;
        platform
    })
}

fn moved(bytes: &[u64]) -> Vec<Moved> {
    let moved = |(argument, &bytes)| Moved { argument, bytes, record_bytes: 8, is_locked: false };
    bytes.iter().enumerate().map(moved).collect()
}

pub fn jobs() -> impl Strategy<Value = Vec<Job>> {
    let bytes = || proptest::collection::vec(prop_oneof![Just(0), 0u64..10_000_000], 0..4);
    let job = (0usize..3, bytes(), bytes(), 0u64..1 << 32, 0u64..100, 1u64..20_000);
    proptest::collection::vec(job, 1..20).prop_map(|jobs| {
        type Parts = (usize, Vec<u64>, Vec<u64>, u64, u64, u64);
        let job = |(call, parts): (usize, Parts)| {
            let (kernel, bytes_in, bytes_out, cycles, latency_cycles, clock_ps) = parts;
            Job {
                call: call as u64,
                kernel,
                moved_in: moved(&bytes_in),
                moved_out: moved(&bytes_out),
                run: Computation { cycles, latency_cycles, clock_ps },
                ..Job::default()
            }
        };
        jobs.into_iter().enumerate().map(job).collect()
    })
}

pub fn gaps() -> impl Strategy<Value = Vec<(u64, bool)>> {
    let gap = prop_oneof![Just(0), 0u64..20_000_000_000];
    proptest::collection::vec((gap, prop::bool::weighted(0.2)), 20)
}
