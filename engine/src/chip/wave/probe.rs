// SPDX-License-Identifier: Apache-2.0
//! What a kernel shows: its ports, and the registers of its Verilog by the lines of the C that they
//! come from. They are looked at in each cycle in which the kernel runs, before the clock rises. What
//! it would do between calls nobody simulates: it is unknown there.

use std::ffi::c_void;

use crate::cores::Cycle;
use crate::model::Shown;
use crate::wave::{Sampler, Signal, Signals, Track};

const START: usize = 0;
const RUNNING: usize = 1;
const DONE: usize = 2;
const OF_SHELL: [&str; 3] = ["start", "running", "done"];

/// A kernel's signals.
pub struct Probe {
    track: Track,
    sampler: Sampler,
}

impl Probe {
    pub(super) fn new(signals: &mut Signals, kernel: &str, shown: &[Shown]) -> Self {
        let mut rows: Vec<_> = shown.iter().collect();
        rows.sort_by_key(|row| &row.scope);
        let of_shell = OF_SHELL.map(|name| Signal::new(&[kernel], name, 1));
        let own = rows.iter().map(|row| Signal::of_kernel(kernel, row));
        let track = signals.track(of_shell.into_iter().chain(own));
        let sampler = Sampler::new(rows.into_iter(), OF_SHELL.len());
        Self { track, sampler }
    }

    pub(super) fn track(&mut self) -> &mut Track {
        self.sampler.settle(&mut self.track);
        &mut self.track
    }

    /// The kernel rests in a cycle, or runs.
    pub fn rests(&mut self, cycle: Cycle, is_running: bool) {
        self.sampler.settle(&mut self.track);
        self.track.number(cycle, START, 0);
        self.track.number(cycle, RUNNING, is_running.into());
        self.track.number(cycle, DONE, 0);
    }

    /// A cycle of a call: the first one has `start`.
    ///
    /// # Safety
    /// `state` is that of the model whose signals these are.
    pub unsafe fn sample(&mut self, cycle: Cycle, is_first: bool, state: *const c_void) {
        let Self { track, sampler } = self;
        for (cell, value) in [(START, u64::from(is_first)), (RUNNING, 1)] {
            if !track.is(cell, value) {
                sampler.settle(track);
                track.number(cycle, cell, value);
            }
        }
        // SAFETY: the caller's promise.
        unsafe { sampler.sample(cycle, state, track) };
    }

    /// The call has ended: `done` was in the cycle before this one.
    pub fn ended(&mut self, cycle: Cycle) {
        self.sampler.settle(&mut self.track);
        self.track.number(cycle - 1, DONE, 1);
        self.rests(cycle, false);
        self.sampler.forget(cycle, &mut self.track);
    }
}
