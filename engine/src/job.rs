// SPDX-License-Identifier: Apache-2.0
//! What a call asks of the machine: bytes that go and come, and a run of the kernel.

pub mod ended;
pub mod failure;
pub mod residence;
pub mod stepping;

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::components::device::Computation;
use crate::course::Course;
use crate::job::residence::BufferId;
use crate::job::stepping::Stepping;
use crate::model::loop_times::LoopTimes;
use crate::recording::Record;

/// Identity of a kernel within one run.
pub type KernelId = usize;

/// What one call asks of the machine.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Job {
    /// Index of the call, from 0.
    pub call: u64,
    /// The kernel that must be on the device.
    pub kernel: KernelId,
    /// Bytes of the arguments that go with the call.
    pub parameter_bytes: u64,
    /// Bytes of the results that come back with it.
    pub result_bytes: u64,
    /// The buffers that go to the device.
    pub moved_in: Vec<Moved>,
    /// Those that come back.
    pub moved_out: Vec<Moved>,
    /// Device memory of the program that it uses.
    pub buffers: Vec<BufferUse>,
    /// The run of the kernel, if nobody waits.
    pub run: Computation,
    /// How it runs if its records come and go meanwhile, where they can.
    pub course: Option<Arc<Course>>,
    /// Its hardware, where that is stepped with the clock.
    pub hardware: Option<Stepping>,
    /// When its loops are entered and left, if somebody wants to know.
    pub loops: Option<Arc<LoopTimes>>,
    /// Whether it is to be told what the kernel had to wait for.
    pub wants_gates: bool,
    /// Its number in the run's recording, if there is one.
    pub record: Option<Record>,
}

impl Job {
    /// Whether an array's records come or go while the kernel runs.
    pub fn passes(&self, moved: &Moved) -> bool {
        let records = self.course.iter().flat_map(|course| course.records());
        moved.bytes > 0 && records.into_iter().any(|(stream, _)| stream == moved.argument)
    }

    /// It uses device memory, perhaps not for the first time.
    pub fn uses(&mut self, buffer: BufferUse) {
        match self.buffers.iter_mut().find(|used| used.id == buffer.id) {
            Some(used) => {
                used.is_needed |= buffer.is_needed;
                used.is_written |= buffer.is_written;
            }
            None => self.buffers.push(buffer),
        }
    }

    /// The arrays that cross the link, each once.
    pub fn arrays(&self) -> impl Iterator<Item = &Moved> {
        let comes = |out: &&Moved| self.moved_in.iter().any(|come| come.argument == out.argument);
        self.moved_in.iter().chain(self.moved_out.iter().filter(move |out| !comes(out)))
    }

    /// What it moves, both ways.
    pub fn bytes(&self) -> u64 {
        bytes_of(&self.moved_in).saturating_add(bytes_of(&self.moved_out))
    }
}

/// A buffer that crosses the link.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Moved {
    /// The argument.
    pub argument: usize,
    /// Its bytes.
    pub bytes: u64,
    /// Those of a record.
    pub record_bytes: u64,
    /// Whether it lies where the link reaches it, so that the driver need not copy it.
    pub is_locked: bool,
}

impl Moved {
    /// Of so many of its bytes, those that the driver copies.
    pub fn copied(&self, bytes: u64) -> u64 {
        if self.is_locked { 0 } else { bytes }
    }
}

/// Device memory of the program, as a call uses it. It moves as a whole, and only where it must.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BufferUse {
    /// Which.
    pub id: BufferId,
    /// All of it.
    pub bytes: u64,
    /// Whether what it holds is needed: it is read, or not written from end to end.
    pub is_needed: bool,
    /// Whether it is written.
    pub is_written: bool,
}

/// What calls write of the program's device memory.
pub fn written_by(jobs: &[Job]) -> BTreeSet<BufferId> {
    let buffers = jobs.iter().flat_map(|job| &job.buffers);
    buffers.filter(|buffer| buffer.is_written).map(|buffer| buffer.id).collect()
}

/// Whether one of some calls needs what another one leaves in device memory.
pub fn follow_each_other(jobs: &[Job]) -> bool {
    let written = written_by(jobs);
    let mut seen = BTreeSet::new();
    let used = jobs.iter().flat_map(|job| &job.buffers).filter(|used| written.contains(&used.id));
    used.map(|used| used.id).any(|id| !seen.insert(id))
}

/// Bytes of each argument that does not pass, those of all calls together, and how many of them are
/// copied.
pub fn gathered(jobs: &[Job], of: impl Fn(&Job) -> &[Moved]) -> Vec<(u64, u64)> {
    let mut sums: Vec<(usize, (u64, u64))> = Vec::new();
    let whole = |job| of(job).iter().filter(|moved| !job.passes(moved));
    for moved in jobs.iter().flat_map(whole) {
        let copied = moved.copied(moved.bytes);
        match sums.iter_mut().find(|(argument, _)| *argument == moved.argument) {
            Some((_, sum)) => *sum = (sum.0 + moved.bytes, sum.1 + copied),
            None => sums.push((moved.argument, (moved.bytes, copied))),
        }
    }
    sums.into_iter().map(|(_, sum)| sum).collect()
}

/// Bytes of all of them.
pub fn bytes_of(moved: &[Moved]) -> u64 {
    moved.iter().map(|moved| moved.bytes).sum()
}

/// Of these, those that the driver copies.
pub fn copied_of(moved: &[Moved]) -> u64 {
    moved.iter().map(|moved| moved.copied(moved.bytes)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_follow_each_other_where_one_writes_what_another_one_uses() {
        let job = |id, is_written| {
            let buffers = vec![BufferUse { id, bytes: 8, is_needed: true, is_written }];
            Job { buffers, ..Job::default() }
        };
        assert!(!follow_each_other(&[job(1, true), job(2, true), job(3, false)]));
        assert!(!follow_each_other(&[job(1, false), job(1, false)]));
        for writes_first in [true, false] {
            assert!(follow_each_other(&[job(1, writes_first), job(1, !writes_first)]));
        }
    }
}
