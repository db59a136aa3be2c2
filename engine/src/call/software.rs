// SPDX-License-Identifier: Apache-2.0
//! What the C function of a kernel takes of the processor, over the calls of a run.

use std::time::Duration;

use serde::Serialize;

use crate::host::processor::LONG;

/// Samples that are kept of a kernel.
const MOST_SAMPLES: usize = 24;
/// Time after which no more are taken.
const MOST_SAMPLING: Duration = Duration::from_millis(500);
/// A call of more cycles takes long in software too, and is timed as it is.
pub const LONG_CYCLES: u64 = 500_000;

/// The time of the C function in its calls. Short calls lie between the engine's own work, so that
/// their data and code have left the caches: how long one takes in a program that makes many is told
/// by samples of them, each run again and again.
#[derive(Debug, Default, Serialize)]
pub struct Software {
    /// Calls that took long.
    pub long_calls: u64,
    /// Their processor time.
    pub long_ps: u64,
    /// The others.
    pub short_calls: u64,
    /// Their time in place.
    pub short_ps: u64,
    /// The kernel's cycles in them.
    pub short_cycles: u64,
    /// Some of the latter.
    pub samples: Vec<Sample>,
    #[serde(skip)]
    begun: u64,
    #[serde(skip)]
    spent: Duration,
}

/// A call whose C function was run again and again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Sample {
    /// The kernel's cycles in it; 0 in native mode.
    pub cycles: u64,
    /// Processor time of a run, where it was least.
    pub least_ps: u64,
    /// Where it was most.
    pub greatest_ps: u64,
}

impl Software {
    /// Whether a call that begins is to be a sample: the first ones, and then fewer and fewer.
    pub fn wants_sample(&mut self) -> bool {
        self.begun += 1;
        let is_due = self.begun.is_power_of_two()
            || self.begun.is_multiple_of(3) && (self.begun / 3).is_power_of_two();
        let is_enough = self.samples.len() >= MOST_SAMPLES || self.spent > MOST_SAMPLING;
        is_due && !is_enough
    }

    /// Keeps a sample that took so long to take.
    pub fn keep(&mut self, sample: Sample, spent: Duration) {
        self.spent += spent;
        self.samples.push(sample);
    }

    /// Adds a call of so many cycles.
    pub fn add(&mut self, software_ps: u64, cycles: u64) {
        if Duration::from_nanos(software_ps / 1000) > LONG {
            self.long_calls += 1;
            self.long_ps += software_ps;
        } else {
            self.short_calls += 1;
            self.short_ps += software_ps;
            self.short_cycles += cycles;
        }
    }
}
