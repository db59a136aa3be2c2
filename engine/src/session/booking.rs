// SPDX-License-Identifier: Apache-2.0
//! What a run counts of its calls.

use std::time::Duration;

use crate::call::software::Sample;
use crate::call::{Call, DeviceCall, KernelIndex, Ready, Way};
use crate::error::{Error, Status};
use crate::session::events::Called;

use super::Session;

impl Session {
    /// Books a call that has ended well; `software_ps` is the processor time of the C function.
    ///
    /// # Safety
    /// The call's arguments are still there.
    pub unsafe fn finish(&mut self, call: Call, software_ps: u64) {
        // SAFETY: the caller's promise.
        let scalars = unsafe { call.scalars() };
        self.finish_called(Called { call, scalars, software_ps });
    }

    pub(super) fn finish_called(&mut self, called: Called) {
        let Called { call, scalars, software_ps } = called;
        self.tally.unfinished_calls = self.tally.unfinished_calls.saturating_sub(1);
        let index = call.ready.index;
        if let Some(opened) = self.kernels.get_mut(index) {
            self.writers.add(&call, &mut opened.chained);
        }
        let cycles = match call.way {
            Way::Host(declined) => {
                self.count_own_work(software_ps);
                return self.tally.host_calls.add(&declined, software_ps);
            }
            Way::Native => 0,
            Way::Device(device) => self.book(&call.ready, *device, &scalars),
        };
        self.tally.calls += 1;
        self.tally.software_ps += software_ps;
        if let Some(opened) = self.kernels.get_mut(index) {
            opened.calls += 1;
            opened.software.add(software_ps, cycles);
        }
    }

    /// Counts a call that has failed.
    pub fn fail(&mut self, error: &Error) {
        self.tally.unfinished_calls = self.tally.unfinished_calls.saturating_sub(1);
        let differs = matches!(error.status, Status::WrongResult | Status::WrongCycles);
        self.tally.checked_calls += u64::from(differs);
        self.tally.mismatches += u64::from(differs);
    }

    /// Keeps the time of a kernel's C function in one call, which took so long to find out.
    pub fn sample(&mut self, index: KernelIndex, sample: Sample, spent: Duration) {
        if let Some(opened) = self.kernels.get_mut(index) {
            opened.software.keep(sample, spent);
        }
    }

    /// Books what kernels waited for records in batches, whose calls were booked when they came.
    pub(super) fn count_waited(&mut self) {
        for (kernel, cycles) in self.batches.take_waited() {
            self.wait_counts(kernel, cycles);
        }
    }

    pub(super) fn wait_counts(&mut self, kernel: KernelIndex, cycles: u64) {
        self.tally.cycles += cycles;
        self.tally.device_cycles += cycles;
        if let Some(opened) = self.kernels.get_mut(kernel) {
            opened.cycles += cycles;
            opened.waiting_cycles += cycles;
        }
    }

    /// Counts a call that was on the device; returns its cycles.
    pub(super) fn book(&mut self, ready: &Ready, device: DeviceCall, scalars: &[u64]) -> u64 {
        let manifest = &ready.kernel.manifest;
        for (i, (parameter, need)) in manifest.arguments.iter().zip(&device.plan.needs).enumerate()
        {
            let crosses = parameter.in_device_memory() && !device.stays.contains(&i);
            if crosses && need.bytes > 0 {
                let (into, out) = (parameter.is_read(), parameter.is_written());
                self.tally.transfers += u64::from(into) + u64::from(out);
                self.tally.bytes_in += if into { need.bytes } else { 0 };
                self.tally.bytes_out += if out { need.bytes } else { 0 };
            }
        }
        let cycles = device.cycles_taken();
        self.tally.cycles += cycles;
        if let (Some(machine), Some(ended)) = (&self.machine, &device.ended) {
            let launch_cycles = machine.platform.devices[ended.device].launch_cycles;
            self.tally.device_cycles += cycles.saturating_add(launch_cycles);
        }
        if let Some(simulated) = device.simulated {
            self.tally.checked_calls += 1;
            self.tally.simulate_wall_ps += simulated.wall_ps;
        }
        if let Some(opened) = self.kernels.get_mut(ready.index) {
            opened.cycles += cycles;
            for (sum, part) in opened.parts.iter_mut().zip(&device.parts) {
                *sum += *part;
            }
            opened.waiting_cycles += cycles - device.cycles.min(cycles);
            opened.arguments.add(manifest, &device.plan, &device.stays, scalars);
            if let Some(wanted) = &device.wanted {
                opened.fifos.add(wanted, cycles);
            }
        }
        self.memories.push(device.into_memories());
        cycles
    }

    /// Adds the wall time of a call.
    pub fn count_work(&mut self, wall_ps: u64) {
        self.tally.call_wall_ps += wall_ps;
    }

    /// Counts calls that the engine could not take in because it was at work itself.
    pub fn count_host(&mut self, reason: &str, calls: u64, wall_ps: u64) {
        self.tally.host_calls.add_many(&reason.to_string().into(), calls, wall_ps);
    }

    /// Keeps the run's first error for the report.
    pub fn count_error(&mut self, error: &Error) {
        self.tally.error.get_or_insert_with(|| error.message.clone());
    }
}
