// SPDX-License-Identifier: Apache-2.0
//! The buffers through which a stream reaches a kernel, or leaves it, while it runs: chunk by chunk,
//! one side filling them, the other one emptying them.
//!
//! Either side may tell a time that is still to come: the other one sleeps until then. So a side
//! that knows how it goes on need not wait for the clock.

use std::cell::RefCell;
use std::collections::VecDeque;

use crate::simulation::{Bell, Clock};

/// Some buffers of one stream.
pub struct Lane {
    /// The argument whose stream it is.
    pub argument: usize,
    /// Records of a chunk; the last one may have fewer.
    pub chunk_records: u64,
    /// Chunks of the stream.
    pub chunks: u64,
    /// Whether it goes on where that of the call before in its batch has ended.
    pub goes_on: bool,
    buffers: u64,
    given: RefCell<Times>,
    taken: RefCell<Times>,
    bell: Bell,
}

/// When what happened to one chunk after the other; early ones are forgotten.
#[derive(Default)]
struct Times {
    forgotten: u64,
    ps: VecDeque<u64>,
}

impl Times {
    fn of(&self, chunk: u64) -> Option<u64> {
        let index = chunk.checked_sub(self.forgotten)?;
        self.ps.get(usize::try_from(index).ok()?).copied()
    }

    fn add(&mut self, time_ps: u64, kept: u64) {
        self.ps.push_back(time_ps);
        while self.ps.len() as u64 > kept {
            self.ps.pop_front();
            self.forgotten += 1;
        }
    }
}

impl Lane {
    /// Empty buffers for a stream of so many records.
    pub fn new(
        clock: &Clock,
        argument: usize,
        records: u64,
        chunk_records: u64,
        buffers: u64,
    ) -> Self {
        let chunk_records = chunk_records.max(1);
        Self {
            argument,
            chunk_records,
            chunks: records.div_ceil(chunk_records),
            goes_on: false,
            buffers: buffers.max(1),
            given: RefCell::default(),
            taken: RefCell::default(),
            bell: Bell::new(clock),
        }
    }

    /// When there is a buffer for a chunk; nothing as long as that is not known.
    pub fn known_room(&self, chunk: u64) -> Option<u64> {
        match chunk.checked_sub(self.buffers) {
            None => Some(0),
            Some(before) => self.taken.borrow().of(before),
        }
    }

    /// When a chunk is full; nothing as long as that is not known.
    pub fn known_chunk(&self, chunk: u64) -> Option<u64> {
        self.given.borrow().of(chunk)
    }

    /// Rings whenever more is known.
    pub fn bell(&self) -> &Bell {
        &self.bell
    }

    /// Waits until there is a buffer for a chunk.
    pub async fn room(&self, chunk: u64, clock: &Clock) {
        self.bell.until(|| self.known_room(chunk).is_some()).await;
        clock.sleep_until(self.known_room(chunk).unwrap_or(0)).await;
    }

    /// Waits until a chunk is full.
    pub async fn chunk(&self, chunk: u64, clock: &Clock) {
        self.bell.until(|| self.known_chunk(chunk).is_some()).await;
        clock.sleep_until(self.known_chunk(chunk).unwrap_or(0)).await;
    }

    /// The next chunk is full at that time.
    pub fn give(&self, time_ps: u64) {
        self.given.borrow_mut().add(time_ps, 2 * self.buffers);
        self.bell.ring();
    }

    /// The next chunk is empty again at that time.
    pub fn take(&self, time_ps: u64) {
        self.taken.borrow_mut().add(time_ps, 2 * self.buffers);
        self.bell.ring();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_yet_is_not_told() {
        let clock = Clock::default();
        let lane = Lane::new(&clock, 0, 9, 2, 2);
        assert_eq!((lane.chunks, lane.chunk_records), (5, 2));
        assert_eq!([0, 1, 2].map(|chunk| lane.known_room(chunk)), [Some(0), Some(0), None]);
        assert_eq!(lane.known_chunk(0), None);
        for time_ps in [30, 50, 80] {
            lane.give(time_ps);
        }
        lane.take(70);
        assert_eq!(
            [0, 1, 2, 3].map(|chunk| lane.known_chunk(chunk)),
            [Some(30), Some(50), Some(80), None]
        );
        assert_eq!([2, 3].map(|chunk| lane.known_room(chunk)), [Some(70), None]);
    }

    #[test]
    fn what_happened_long_ago_is_forgotten() {
        let clock = Clock::default();
        let lane = Lane::new(&clock, 0, 9, 1, 1);
        for time_ps in 1..=4 {
            lane.give(time_ps);
        }
        assert_eq!(
            [0, 1, 2, 3, 4].map(|chunk| lane.known_chunk(chunk)),
            [None, None, Some(3), Some(4), None]
        );
    }
}
