// SPDX-License-Identifier: Apache-2.0
//! A signal that is high for some cycles, and low between.

use std::ops::Range;

use crate::cores::Cycle;
use crate::wave::Track;

/// Such a signal.
#[derive(Debug)]
pub struct Level {
    cell: usize,
    /// The first cycle in which it is low again, as long as that is not told.
    until: Option<Cycle>,
}

impl Level {
    /// One of a track.
    pub fn new(cell: usize) -> Self {
        Self { cell, until: None }
    }

    /// It is high in these cycles, which come behind all others, or go on with the last of them.
    #[inline]
    pub fn high(&mut self, track: &mut Track, cycles: Range<Cycle>) {
        self.settle(track, cycles.start);
        self.until = Some(cycles.end);
        track.number(cycles.start, self.cell, 1);
    }

    /// It is low, if it has not been high so far: until then nothing is known of it.
    #[inline]
    pub fn rest(&self, track: &mut Track, at: Cycle) {
        if self.until.is_none() {
            track.number(at, self.cell, 0);
        }
    }

    /// It stays high until a cycle.
    pub fn stay(&mut self, until: Cycle) {
        self.until = Some(until);
    }

    /// Says that it is low, if it is so before a cycle.
    #[inline]
    pub fn settle(&mut self, track: &mut Track, before: Cycle) {
        if let Some(until) = self.until.take_if(|until| *until < before) {
            track.number(until, self.cell, 0);
        }
    }
}
