// SPDX-License-Identifier: Apache-2.0
//! The cycles of one call.

use std::ffi::c_void;
use std::ops::Range;
use std::sync::Arc;

use super::{Record, Recording};
use crate::wave::{Sampler, Track};

/// So many cycles are written together: what they change stays in a processor's cache until then.
const PART_CYCLES: u64 = 1 << 11;

/// Who records a call, until dropped.
pub struct CallRecorder {
    recording: Arc<Recording>,
    record: Record,
    kernel: usize,
    /// Nothing once it is over.
    seen: Option<(Sampler, Track)>,
    /// The cycles that are wanted.
    cycles: Range<u64>,
    /// The first one that is not in the recording yet, the one behind the last that was seen, and the
    /// one before which something is to be done.
    first: u64,
    next: u64,
    until: u64,
    ended: bool,
}

impl CallRecorder {
    pub(super) fn new(
        recording: Arc<Recording>,
        (record, kernel): (Record, usize),
        (sampler, mut track): (Sampler, Track),
        cycles: Range<u64>,
    ) -> Self {
        let first = cycles.start;
        track.begin(first);
        let (seen, until) = (Some((sampler, track)), cycles.end.min(first + PART_CYCLES));
        Self { recording, record, kernel, seen, cycles, first, next: first, until, ended: false }
    }

    /// What the hardware is in a cycle, before the clock rises.
    ///
    /// # Safety
    /// `state` is that of the kernel's model.
    #[inline]
    pub unsafe fn see(&mut self, cycle: u64, state: *const c_void) {
        if cycle < self.first || cycle >= self.until && !self.goes_on(cycle) {
            return;
        }
        if let Some((sampler, track)) = &mut self.seen {
            // SAFETY: the caller's promise.
            unsafe { sampler.sample(cycle, state, track) };
        }
        self.next = cycle + 1;
    }

    /// `done` was seen: the call had so many cycles.
    pub fn done(&mut self, cycles: u64) {
        self.recording.lock().spool.ends((self.record, self.kernel), cycles);
        self.ended = true;
    }

    /// Writes what was seen so far; whether anything is wanted still.
    #[cold]
    fn goes_on(&mut self, cycle: u64) -> bool {
        if self.next > self.first {
            self.write(self.next - self.first);
        }
        self.until = self.cycles.end.min(self.first.saturating_add(PART_CYCLES));
        cycle < self.cycles.end
    }

    fn write(&mut self, cycles: u64) {
        let Some((sampler, track)) = &mut self.seen else { return };
        sampler.settle(track);
        let part = track.cut_changes(cycles);
        self.recording.lock().spool.part((self.record, self.kernel), (self.first, cycles), &part);
        self.first += cycles;
    }
}

impl Drop for CallRecorder {
    /// What was seen so far is in the recording, also of hardware that goes wrong.
    fn drop(&mut self) {
        if self.next > self.first {
            self.write(self.next - self.first);
        }
        let state = &mut *self.recording.lock();
        if !self.ended {
            state.spool.ends((self.record, self.kernel), self.next);
        }
        if let Some((mut sampler, mut track)) = self.seen.take() {
            sampler.restart();
            track.restart();
            state.kernels.entry(self.kernel).or_default().push((sampler, track));
        }
    }
}
