// SPDX-License-Identifier: Apache-2.0
//! More of something is never slower: regions, devices, copies of a kernel.

use proptest::prelude::*;
use tandem::components::controller::{Access, ControllerSettings, Registers};
use tandem::components::device::Computation;
use tandem::job::{Job, Moved};
use tandem::machine::Machine;
use tandem::platform::{ConfigurationSettings, DeviceSettings, LinkSettings, Memory, Platform};

const US: u64 = 1_000_000;

/// A platform of devices alike on one link, each with regions and a port of its own.
fn platform(devices: usize, regions: u64, load_ps: u64) -> Platform {
    let link = LinkSettings {
        name: "link".into(),
        bandwidth_to_device_bytes_per_s: 1_000_000_000,
        bandwidth_from_device_bytes_per_s: 1_000_000_000,
        transfer_time_ps: US,
        ..LinkSettings::default()
    };
    let port = |index| ConfigurationSettings {
        name: format!("port-{index}"),
        time_ps: load_ps,
        regions,
        ..ConfigurationSettings::default()
    };
    let device = |index| DeviceSettings {
        name: format!("device-{index}"),
        clock_hz: 100_000_000,
        clock_ps: 10_000,
        launch_cycles: 10,
        target: "ecp5".into(),
        units: 1,
        configuration: index,
        ..DeviceSettings::default()
    };
    let memory = Memory { banks: 4, bank_size_bytes: 1 << 30, width_bytes: 8, ..Memory::default() };
    Platform {
        name: "some".into(),
        title: "Some".into(),
        links: vec![link],
        configurations: (0..devices).map(port).collect(),
        memories: vec![memory],
        devices: (0..devices).map(device).collect(),
        ..Platform::default()
    }
}

/// (kernel, bytes each way, cycles, time since the one before) of calls, each in a queue of its own.
type Calls = Vec<(usize, u64, u64, u64)>;

fn calls(kernels: usize, bytes: u64, gap_ps: u64) -> impl Strategy<Value = Calls> {
    let bytes = prop_oneof![Just(0), 0..bytes];
    let gap = prop_oneof![Just(0), 0..gap_ps];
    proptest::collection::vec((0..kernels, bytes, 1u64..200_000, gap), 1..16)
}

/// When the last of the calls has ended.
fn end_ps(platform: Platform, calls: &Calls, in_turn: bool) -> u64 {
    let mut machine = Machine::new(platform);
    for (number, &(kernel, bytes, cycles, gap_ps)) in calls.iter().enumerate() {
        machine.work(gap_ps, None);
        let moved = Moved { argument: 0, bytes, record_bytes: 8, is_locked: false };
        let run = Computation { cycles, latency_cycles: 0, clock_ps: 10_000 };
        let job = Job {
            call: number as u64,
            kernel,
            moved_in: vec![moved],
            moved_out: vec![moved],
            run,
            ..Job::default()
        };
        if in_turn {
            machine.call(&job);
        } else {
            machine.submit(job);
        }
    }
    machine.finish();
    machine.now_ps()
}

proptest! {
    /// A kernel is loaded once more only where that is sooner than to wait.
    #[test]
    fn more_regions_and_devices_compute_no_longer(
        calls in calls(1, 1, 1_000 * US), load_ps in 0u64..5_000 * US, units in 1u64..3,
    ) {
        let end = |devices, regions| {
            let mut platform = platform(devices, regions, load_ps);
            platform.devices.iter_mut().for_each(|device| device.units = units);
            end_ps(platform, &calls, false)
        };
        for fewer in 1..4 {
            prop_assert!(end(1, fewer + 1) <= end(1, fewer), "regions");
            let devices = fewer as usize;
            prop_assert!(end(devices + 1, 1) <= end(devices, 1), "devices");
        }
    }

    /// What goes over one link in another order may end a little later; what is loaded in vain would
    /// cost much more.
    #[test]
    fn more_regions_on_one_link_are_hardly_ever_slower(
        calls in calls(1, 300_000, 1_000 * US), load_ps in 5_000 * US..50_000 * US,
    ) {
        let end = |regions| {
            let platform = platform(1, regions, load_ps);
            end_ps(platform, &calls, false)
        };
        prop_assert!(end(2) < end(1) + load_ps / 2);
    }

    /// One call after the other: what was not used for longest makes room, of which there may be more.
    #[test]
    fn more_regions_load_no_more_often(
        calls in calls(4, 300_000, 1_000 * US), load_ps in 0u64..5_000 * US,
    ) {
        let end = |regions| end_ps(platform(1, regions, load_ps), &calls, true);
        for fewer in 1..5 {
            prop_assert!(end(fewer + 1) <= end(fewer));
        }
    }
}

/// Calls of 16 kB each way on a platform whose memory has room for so many of them.
fn crowded(room: u64, calls: u64, together: bool) -> Machine {
    let mut platform = platform(1, 1, 0);
    platform.links[0].is_full_duplex = true;
    platform.memories[0] = Memory { banks: room, bank_size_bytes: 32_000, ..platform.memories[0] };
    let mut machine = Machine::new(platform);
    let jobs = (0..calls).map(|call| {
        let moved = |argument| Moved { argument, bytes: 16_000, record_bytes: 8, is_locked: false };
        let run = Computation { cycles: 1_000, latency_cycles: 0, clock_ps: 10_000 };
        Job { call, moved_in: vec![moved(0)], moved_out: vec![moved(1)], run, ..Job::default() }
    });
    match together {
        true => drop(machine.submit_batch(jobs.collect())),
        false => jobs.for_each(|job| drop(machine.submit(job))),
    }
    machine.finish();
    machine
}

#[test]
fn no_more_is_in_a_memory_than_it_has_room_for() {
    for together in [true, false] {
        let ends: Vec<_> = (1..7).map(|room| crowded(room, 6, together).now_ps()).collect();
        assert!(ends.is_sorted_by(|fewer, more| fewer >= more), "{ends:?}");
        assert!(ends[0] > ends[5], "room counts");
    }
    let crowding = crowded(2, 6, true).crowding();
    assert_eq!((crowding.cut_batches, crowding.pieces, crowding.waits), (1, 3, 0));
    assert_eq!((crowding.capacity_bytes, crowding.largest_bytes), (64_000, 192_000));
    let crowding = crowded(2, 6, false).crowding();
    assert_eq!((crowding.cut_batches, crowding.waits), (0, 4), "two are there at once");
    assert!(crowding.waits_ps > 0);
    let enough = crowded(6, 6, false).crowding();
    assert_eq!((enough.cut_batches, enough.waits), (0, 0));
}

/// Devices with a link each, at so many bytes a second, behind one at another rate; each gets a call
/// that brings 10 MB, and the end of the last is told.
fn behind_a_hub(devices: usize, own_bytes_per_s: u64, hub_bytes_per_s: u64) -> u64 {
    let mut platform = platform(devices, 1, 0);
    let link = |name: String, rate, through| LinkSettings {
        name,
        bandwidth_to_device_bytes_per_s: rate,
        bandwidth_from_device_bytes_per_s: rate,
        through,
        ..LinkSettings::default()
    };
    platform.links = vec![link("hub".into(), hub_bytes_per_s, None)];
    for (index, device) in platform.devices.iter_mut().enumerate() {
        platform.links.push(link(format!("own-{index}"), own_bytes_per_s, Some(0)));
        device.link = index + 1;
    }
    let mut machine = Machine::new(platform);
    for kernel in 0..devices {
        let moved = Moved { argument: 0, bytes: 10_000_000, record_bytes: 8, is_locked: false };
        let run = Computation { cycles: 0, latency_cycles: 0, clock_ps: 10_000 };
        machine.submit(Job { kernel, moved_in: vec![moved], run, ..Job::default() });
    }
    machine.finish();
    machine.now_ps()
}

#[test]
fn a_wide_link_carries_several_narrow_ones() {
    const GB: u64 = 1_000_000_000;
    let launch_ps = 100_000;
    let ms = |end_ps: u64| (end_ps - launch_ps) as f64 / 1e9;
    for alone in [behind_a_hub(1, GB, 10 * GB), behind_a_hub(1, 10 * GB, GB)] {
        assert_eq!(alone, 10_000_000_000 + launch_ps, "the slowest tells how long it takes");
    }
    assert_eq!(ms(behind_a_hub(8, GB, 10 * GB)), 10.0, "as if each were alone");
    let crowded = ms(behind_a_hub(20, GB, 10 * GB));
    assert!((20.0..20.1).contains(&crowded), "{crowded} ms, of 200 MB at 10 GB/s");
    let narrow = ms(behind_a_hub(4, 10 * GB, GB));
    assert!((40.0..40.1).contains(&narrow), "{narrow} ms, of 40 MB at 1 GB/s");
}

#[test]
fn values_take_their_time_on_the_link() {
    let end = |register_time_ps, calls: usize| {
        let mut platform = platform(1, 1, 0);
        platform.links[0].register_time_ps = register_time_ps;
        let mut machine = Machine::new(platform);
        let run = Computation { cycles: 0, latency_cycles: 0, clock_ps: 10_000 };
        let job = Job { parameter_bytes: 10, result_bytes: 4, run, ..Job::default() };
        machine.call_batch(&vec![job; calls]);
        machine.now_ps() - calls as u64 * 100_000
    };
    assert_eq!(end(None, 1), 14_000, "14 bytes at 1 GB/s");
    assert_eq!(end(None, 3), 42_000);
    assert_eq!(end(Some(160_000), 1), 4 * 160_000, "three registers are written, and one read");
    assert_eq!(end(Some(0), 3), 0);
}

/// Two short calls at once of a kernel that is there already.
#[test]
fn a_loaded_kernel_is_waited_for_where_loading_takes_longer() {
    let calls = vec![(0, 0, 1000, 0), (0, 0, 1000, 20_000 * US), (0, 0, 1000, 0)];
    let end = |regions| end_ps(platform(1, regions, 10_000 * US), &calls, false);
    assert_eq!(end(1), end(2));
    let long = vec![(0, 0, 1000, 0), (0, 0, 4_000_000, 20_000 * US), (0, 0, 4_000_000, 0)];
    let end = |regions| end_ps(platform(1, regions, 10_000 * US), &long, false);
    assert!(end(2) < end(1), "where computing takes longer, both regions are used");
}

#[test]
fn a_copy_that_is_there_is_used_before_a_region_that_is_empty() {
    let mut platform = platform(1, 2, 5_000 * US);
    platform.configurations[0].preloads = true;
    platform.devices[0].units = 2;
    let mut machine = Machine::new(platform);
    for kernel in [0, 0, 1] {
        let run = Computation { cycles: 1_000, latency_cycles: 0, clock_ps: 10_000 };
        machine.submit(Job { kernel, run, ..Job::default() });
    }
    machine.finish();
    assert_eq!(machine.loads().loads, 0, "each kernel has a region, which holds it from the start");
}

/// What a controller's own work adds to two calls of one batch: each has 10 bytes of parameters, and
/// 50 bytes come and 50 go.
fn controlled_ps(settings: ControllerSettings) -> u64 {
    let end_ps = |settings| {
        let mut platform = platform(1, 1, 0);
        platform.controller = Some(settings);
        let mut machine = Machine::new(platform);
        let moved = [Moved { argument: 0, bytes: 50, record_bytes: 1, is_locked: false }];
        let run = Computation { cycles: 10, latency_cycles: 0, clock_ps: 10_000 };
        let (moved_in, moved_out) = (moved.to_vec(), moved.to_vec());
        let job = Job { parameter_bytes: 10, moved_in, moved_out, run, ..Job::default() };
        machine.call_batch(&vec![job; 2]);
        machine.now_ps()
    };
    let ControllerSettings { parameters, passes, .. } = settings;
    let idle = ControllerSettings { parameters, passes, ..ControllerSettings::default() };
    end_ps(settings) - end_ps(idle)
}

#[test]
fn a_controller_takes_its_time_for_what_it_is_told_to_do() {
    let idle = ControllerSettings {
        port_time_ps: 30,
        mapped_time_ps: 20,
        switch_time_ps: 0,
        passes: true,
        ..ControllerSettings::default()
    };
    let reset = |settings| ControllerSettings { reset_accesses: 4, unsafe_bytes: 3, ..settings };
    let (mapped, safe) = (Registers::Mapped, Registers::Safe);
    let (once, by_port, as_memory) = (true, Some(Access::Port), Some(Access::Mapped));
    let tables = [
        (ControllerSettings { switch_time_ps: 1000, ..idle }, 2 * (1000 + 10 * 30)),
        (ControllerSettings { switch_time_ps: 1000, switches_once: once, ..idle }, 1000 + 600),
        (ControllerSettings { key_time_ps: 700, ..idle }, 600),
        (ControllerSettings { key_time_ps: 700, deciphers: true, ..idle }, 2 * 700 + 600),
        (ControllerSettings { parameters: by_port, ..idle }, 600 + 600),
        (ControllerSettings { parameters: as_memory, ..idle }, 400 + 600),
        (reset(idle), 2 * 14 * 30),
        (reset(ControllerSettings { resets_once: once, ..idle }), 14 * 30),
        (reset(ControllerSettings { registers: mapped, ..idle }), 2 * 14 * 20),
        (reset(ControllerSettings { registers: safe, ..idle }), 2 * (3 * 30 + 11 * 20)),
        (ControllerSettings { byte_time_ps: 5, ..idle }, 600),
        (ControllerSettings { byte_time_ps: 5, passes: false, ..idle }, 2 * 50 * 5 + 600),
    ];
    for (settings, wanted_ps) in tables {
        assert_eq!(controlled_ps(settings), wanted_ps, "{settings:?}");
    }
}
