// SPDX-License-Identifier: Apache-2.0
//! What calls take of a device's memory while they are there: no more of them are at a time than it
//! has room for.

use super::components::Components;
use super::ways::Way;
use crate::components::memory::Taken;
use crate::job::Job;

impl Components {
    /// Calls that were handed over together, in as many pieces as it takes for each to fit the
    /// device's memory, whichever device that is.
    pub fn pieces<'a>(&self, jobs: &'a [Job]) -> Vec<&'a [Job]> {
        let capacity_bytes = self.platform.least_memory().capacity_bytes();
        let (mut pieces, mut rest) = (Vec::new(), jobs);
        while !rest.is_empty() {
            let mut taken = InMemory::default();
            let fits = |job: &&Job| self.adds(&mut taken, job) <= capacity_bytes;
            let count = rest.iter().take_while(fits).count().max(1);
            let (piece, others) = rest.split_at(count);
            pieces.push(piece);
            rest = others;
        }
        if pieces.len() > 1 {
            let mut crowding = self.crowding.borrow_mut();
            crowding.cut_batches += 1;
            crowding.pieces += pieces.len() as u64;
            crowding.largest_bytes = crowding.largest_bytes.max(self.room_bytes(jobs));
        }
        pieces
    }

    /// Waits until there is room for calls.
    pub async fn take_room<'a>(&self, way: &'a Way, jobs: &[Job]) -> Taken<'a> {
        let bytes = self.room_bytes(jobs).min(way.memory.capacity_bytes());
        let (taken, waited_ps) = way.room.take(bytes).await;
        if waited_ps > 0 {
            let mut crowding = self.crowding.borrow_mut();
            crowding.waits += 1;
            crowding.waits_ps = crowding.waits_ps.saturating_add(waited_ps);
        }
        taken
    }

    /// What calls that are there together take.
    fn room_bytes(&self, jobs: &[Job]) -> u64 {
        let mut taken = InMemory::default();
        jobs.iter().map(|job| self.adds(&mut taken, job)).last().unwrap_or(0)
    }

    /// One more is there: what they then take.
    fn adds(&self, taken: &mut InMemory, job: &Job) -> u64 {
        let most = self.platform.transfer.stream_bytes();
        let between =
            job.arrays().filter(|moved| job.passes(moved)).map(|moved| moved.bytes.min(most));
        let whole = job.arrays().filter(|moved| !job.passes(moved)).map(|moved| moved.bytes);
        taken.between_bytes = taken.between_bytes.max(between.fold(0, u64::saturating_add));
        taken.whole_bytes = whole.fold(taken.whole_bytes, u64::saturating_add);
        taken.calls += 1;
        let units = self.platform.devices.iter().map(|device| device.units).max().unwrap_or(1);
        let streams = taken.between_bytes.saturating_mul(taken.calls.min(units));
        taken.whole_bytes.saturating_add(streams)
    }
}

/// What calls take together: all of their arrays, but of the streams that pass, which as many calls
/// have at a time as there are copies of the kernel, what lies between link and kernel.
#[derive(Debug, Clone, Copy, Default)]
struct InMemory {
    calls: u64,
    whole_bytes: u64,
    /// Of the call whose streams take most.
    between_bytes: u64,
}
