// SPDX-License-Identifier: Apache-2.0
//! A call's end.

use crate::course::Gates;
use crate::job::Job;
use crate::job::failure::Failure;

/// A call's end.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ended {
    /// When that was.
    pub time_ps: u64,
    /// The device that served it.
    pub device: usize,
    /// What the kernel took, waiting for records among it.
    pub cycles: u64,
    /// From when on which records could pass.
    pub gates: Gates,
    /// Why it came to no good, if so.
    pub failure: Option<Failure>,
}

impl Ended {
    /// A kernel took so many cycles for a call, of which those of its schedule are counted.
    pub fn took(&mut self, job: &Job, cycles: u64) {
        self.cycles = self.cycles.saturating_sub(job.run.cycles).saturating_add(cycles);
    }
}
