// SPDX-License-Identifier: Apache-2.0
//! What calls ask of the machine: what of their arguments crosses the link, and what stays in the
//! device's memory.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::Arc;

use crate::call::mode::Mode;
use crate::call::{Call, Way};
use crate::components::device::Computation;
use crate::host::memory::{self, Allocated, Pages};
use crate::job::ended::Ended;
use crate::job::residence::BufferId;
use crate::job::{BufferUse, Job, Moved};
use crate::package::{Manifest, Parameter, spread};
use crate::platform::Platform;

/// Variables of the program that nothing but kernels uses, by their addresses: their sizes.
#[derive(Debug, Default)]
pub struct Variables(BTreeMap<usize, u64>);

impl Variables {
    /// Learns of those that a call of the program's own brings with it.
    pub fn learn(&mut self, call: &Call) {
        if !call.ready.has_own_variables {
            return;
        }
        for (parameter, &address) in call.ready.kernel.manifest.arguments.iter().zip(&call.data) {
            if parameter.stays_bytes > 0 {
                self.0.insert(address as usize, parameter.stays_bytes);
            }
        }
    }

    /// The one that so many bytes from an address on lie in, if they do.
    fn around(&self, address: *const c_void, bytes: u64) -> Option<(BufferId, u64)> {
        let (&first, &size) = self.0.range(..=address as usize).next_back()?;
        let end = ((address as usize - first) as u64).saturating_add(bytes);
        (end <= size).then_some((first, size))
    }
}

/// What stays in the devices' memory between calls.
#[derive(Clone, Copy)]
pub struct Staying<'a> {
    /// The program's variables of that kind.
    pub variables: &'a Variables,
    /// The machine's.
    pub platform: &'a Platform,
}

impl Staying<'_> {
    /// What so many bytes from an address on are part of, if that stays: who it is, and its size.
    pub fn around(&self, address: *const c_void, bytes: u64) -> Option<(BufferId, u64)> {
        if self.platform.controller.is_some() {
            return None; // it moves what calls need by itself
        }
        let of_the_device = |found: &Allocated| found.pages == Pages::Device;
        let found = memory::around(address, bytes).filter(of_the_device);
        let found = found.map(|found| (found.address, found.bytes));
        found.or_else(|| self.variables.around(address, bytes))
    }
}

/// What a call asks of the machine, if it is for the device. It then counts as ended after the
/// cycles of its schedule, until more is known.
pub fn job(call: &mut Call, number: u64, staying: Staying<'_>) -> Option<Job> {
    let Call { ready, data, way, .. } = call;
    let Way::Device(device) = way else { return None };
    let manifest = &ready.kernel.manifest;
    let mut job = Job {
        call: number,
        kernel: ready.index,
        parameter_bytes: device.plan.parameter_bytes(manifest),
        result_bytes: result_bytes(manifest),
        run: Computation {
            cycles: device.cycles,
            latency_cycles: manifest.latency_cycles.unwrap_or(0),
            clock_ps: manifest.clock_ps,
        },
        course: if ready.is_streamed { device.course(ready).map(Arc::new) } else { None },
        loops: device.loops.clone(),
        wants_gates: ready.mode == Mode::Simulate,
        record: device.recorded(ready).map(|recorded| recorded.record),
        ..Job::default()
    };
    let word_bytes = ready.memory.map_or(1, |memory| memory.width_bytes);
    let room = |bytes| staying.platform.transfer.element_bytes(bytes, word_bytes);
    for moved in device.plan.moved(manifest) {
        let parameter = &manifest.arguments[moved.argument];
        let (is_read, is_written) = (parameter.is_read(), parameter.is_written());
        let address = device.view.start(moved.argument, data);
        if let Some((id, bytes)) = staying.around(address, moved.bytes) {
            let is_needed = is_read || moved.bytes < bytes;
            job.uses(BufferUse { id, bytes, is_needed, is_written });
            device.stays.push(moved.argument);
            continue;
        }
        let pages = memory::around(address, moved.bytes).map(|found| found.pages);
        let moved = Moved {
            is_locked: pages.is_some_and(|pages| pages != Pages::Ordinary),
            bytes: spread(moved.bytes, moved.record_bytes, room),
            record_bytes: room(moved.record_bytes),
            ..moved
        };
        job.moved_in.extend(is_read.then_some(moved));
        job.moved_out.extend(is_written.then_some(moved));
    }
    device.ended = Some(Ended { cycles: device.cycles, ..Ended::default() });
    Some(job)
}

/// Bytes of what comes back with a call: results, and small arrays that are written by value.
fn result_bytes(manifest: &Manifest) -> u64 {
    let come = |p: &&Parameter| !p.in_device_memory() && p.is_written();
    manifest.arguments.iter().filter(come).map(|p| p.element_bytes).sum()
}
