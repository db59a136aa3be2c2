// SPDX-License-Identifier: Apache-2.0
//! What decides when records of a stream may pass a port: the harness asks it, cycle by cycle, and it
//! answers for as many records at once as it can.

/// Something behind a stream's port.
pub trait Gate {
    /// Whether a record may pass in a cycle. It is asked in the order of both.
    fn ask(&mut self, record: u64, cycle: u64) -> Answer;

    /// All records that it was said to be open for have passed, the last of them in that cycle.
    fn passed(&mut self, cycle: u64);
}

/// What a gate answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// It may, and so may those behind it before `until`, in this cycle and all that follow.
    Open {
        /// The first record for which it is to be asked again.
        until: u64,
    },
    /// It may not, in this cycle.
    Closed,
    /// That is not known yet: the simulated clock has to come there first.
    Unknown,
}

/// A gate of which all is known beforehand: from which cycle on each chunk may pass.
pub struct Foreseen<'a> {
    cycles: &'a [u64],
    chunk_records: u64,
}

impl<'a> Foreseen<'a> {
    /// Record `r` may pass from cycle `cycles[r / chunk_records]` on, and what is behind at any time.
    pub fn new(cycles: &'a [u64], chunk_records: u64) -> Self {
        Self { cycles, chunk_records: chunk_records.max(1) }
    }
}

impl Gate for Foreseen<'_> {
    fn ask(&mut self, record: u64, cycle: u64) -> Answer {
        let chunk = record / self.chunk_records;
        match self.cycles.get(chunk as usize) {
            Some(&from) if cycle < from => Answer::Closed,
            Some(_) => Answer::Open { until: (chunk + 1) * self.chunk_records },
            None => Answer::Open { until: u64::MAX },
        }
    }

    fn passed(&mut self, _: u64) {}
}
