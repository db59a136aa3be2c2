// SPDX-License-Identifier: Apache-2.0
//! What a loop gives to: the FIFO of a stream, and its lane behind.

use std::collections::VecDeque;

use super::pace::Pace;
use super::{Gates, Give};
use crate::components::parts::lane::Lane;

/// A record that is given in a cycle leaves its FIFO that much later at the earliest
/// (`PUSH_TO_VALID_CYCLES` of python/tandem/rtl/streams.py).
const GIVEN_TO_LEAVING_CYCLES: u64 = 1;
/// When a record leaves, an iteration can start in its place that much later
/// (`CREDIT_RETURN_CYCLES` there).
pub const LEAVING_TO_CREDIT_CYCLES: u64 = 2;

/// A stream that a loop gives to: the FIFO, and what is behind.
pub struct Outlet<'a> {
    give: &'a Give,
    /// How many are given.
    records: u64,
    /// What is behind, where that is no memory of the device.
    pub lane: Option<&'a Lane>,
    /// When records that were given have left: the last `depth`, in order.
    left: VecDeque<u64>,
    /// When records that are in the FIFO could have left at the earliest.
    inside: VecDeque<u64>,
    /// How many have left.
    count: u64,
    /// When the last one did.
    pub last: u64,
}

impl<'a> Outlet<'a> {
    /// With nothing in it.
    pub fn new(give: &'a Give, records: u64, lane: Option<&'a Lane>) -> Self {
        let (left, inside) = (VecDeque::new(), VecDeque::new());
        Self { give, records, lane, left, inside, count: 0, last: 0 }
    }

    /// The cycle from which on there is room behind for the next record to leave; nothing as long as
    /// that is not known.
    fn room(&self, pace: &Pace<'_>) -> Option<u64> {
        let Some(lane) = self.lane else { return Some(0) };
        lane.known_room(self.count / lane.chunk_records).map(|time_ps| pace.cycle_at(time_ps))
    }

    /// Lets records leave as far as it is known when.
    pub fn leave_known(&mut self, pace: &Pace<'_>, gates: &mut Gates) {
        while let Some(&valid) = self.inside.front() {
            let Some(room) = self.room(pace) else { return };
            self.note(room, gates);
            self.inside.pop_front();
            self.has_left(self.leaving(valid).max(room), pace);
        }
    }

    /// There is room for the next record from that cycle on.
    fn note(&self, room: u64, gates: &mut Gates) {
        if let Some(lane) = self.lane {
            gates.add(lane, self.count / lane.chunk_records, room);
        }
    }

    /// When a record leaves that could leave in some cycle, but for the one before.
    fn leaving(&self, valid: u64) -> u64 {
        if self.count == 0 { valid } else { valid.max(self.last + self.give.pace) }
    }

    fn has_left(&mut self, cycle: u64, pace: &Pace<'_>) {
        self.last = cycle;
        self.count += 1;
        self.left.push_back(cycle);
        if self.left.len() as u64 > self.give.depth {
            self.left.pop_front();
        }
        if let Some(lane) = self.lane
            && (self.count.is_multiple_of(lane.chunk_records) || self.count == self.records)
        {
            lane.give(pace.time_ps(cycle + 1));
        }
    }

    /// From which cycle on iteration `k` has room; nothing as long as that is not known.
    pub fn credit(&self, k: u64) -> Option<u64> {
        let Some(wanted) = k.checked_sub(self.give.depth) else { return Some(0) };
        let back = self.count.checked_sub(1 + wanted)? as usize;
        let cycle = self.left.len().checked_sub(1 + back).and_then(|at| self.left.get(at));
        Some(cycle.map_or(0, |&cycle| cycle + LEAVING_TO_CREDIT_CYCLES))
    }

    /// Whether no record is in the FIFO.
    pub fn is_empty(&self) -> bool {
        self.inside.is_empty()
    }

    /// An iteration that starts in some cycle gives its record.
    pub fn given(&mut self, start: u64) {
        self.inside.push_back(self.valid(start));
    }

    /// When the record of an iteration can leave at the earliest.
    fn valid(&self, start: u64) -> u64 {
        start + self.give.cycle + GIVEN_TO_LEAVING_CYCLES
    }

    /// Whether the last records have left an interval apart, as many as the FIFO holds: those behind
    /// them then do so too.
    fn is_steady(&self, interval: u64) -> bool {
        let depth = self.give.depth;
        let (first, last) = (self.left.front(), self.left.back());
        let spread = first.zip(last).map(|(first, last)| last - first);
        self.give.pace == interval
            && self.left.len() as u64 == depth
            && spread == Some((depth - 1) * interval)
    }

    /// The cycle from which on iterations can start an interval apart so that their records leave an
    /// interval apart too; nothing where that is not known.
    pub fn even_start(&self, start: u64, interval: u64) -> Option<u64> {
        if !self.is_empty() || self.give.pace > interval {
            return None;
        }
        match self.valid(start) {
            valid if self.leaving(valid) == valid => Some(start),
            _ if self.is_steady(interval) => {
                Some(start.max(self.left.front()? + LEAVING_TO_CREDIT_CYCLES))
            }
            _ => None,
        }
    }

    /// How many records can leave an interval apart, the first one that of an iteration which starts
    /// in such a cycle; nothing where there is no room in time, or it is not known.
    pub fn even_records(&self, start: u64, pace: &Pace<'_>) -> Option<u64> {
        let Some(lane) = self.lane else { return Some(u64::MAX) };
        let is_in_time = self.room(pace)? <= self.leaving(self.valid(start));
        is_in_time.then(|| lane.chunk_records - self.count % lane.chunk_records)
    }

    /// So many records leave an interval apart, the first one that of an iteration which starts in
    /// such a cycle.
    pub fn leave_evenly(
        &mut self,
        start: u64,
        many: u64,
        interval: u64,
        pace: &Pace<'_>,
        gates: &mut Gates,
    ) {
        self.note(self.room(pace).unwrap_or(0), gates);
        let first = self.leaving(self.valid(start));
        let kept = many.min(self.give.depth);
        self.count += many - kept;
        for i in many - kept..many {
            self.has_left(first + i * interval, pace);
        }
    }
}
