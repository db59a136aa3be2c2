// SPDX-License-Identifier: Apache-2.0
//! A kernel's hardware as a process on the clock: its ports ask the lanes cycle by cycle, and what has
//! passed is told to them.
//!
//! Time need not go on for each edge. The hardware runs ahead of the clock as long as the lanes know what
//! it asks; where they do not, it waits until the clock has come to that cycle and everything has
//! happened that does until then. What they do not know even so is not there, until the next event.

use std::cell::Cell;
use std::rc::Rc;

use super::pace::{Pace, Period};
use super::starts::{Next, Starts};
use super::{Course, Hardware};
use crate::call::execute::Running;
use crate::components::parts::lane::Lane;
use crate::error::Result;
use crate::harness::Steady;
use crate::harness::gate::{Answer, Gate};
use crate::model::Progress;

/// A lane, as the port of a kernel that is stepped sees it.
struct Live<'a> {
    lane: &'a Lane,
    period: Period,
    records: u64,
    takes: bool,
    /// Of the cycles before this one all is known that is ever to be.
    settled: Rc<Cell<u64>>,
}

impl Gate for Live<'_> {
    fn ask(&mut self, record: u64, cycle: u64) -> Answer {
        let (lane, records) = (self.lane, self.records);
        if record >= records {
            return Answer::Open { until: u64::MAX };
        }
        let chunk = record / lane.chunk_records;
        let known = if self.takes { lane.known_chunk(chunk) } else { lane.known_room(chunk) };
        match known {
            Some(time_ps) if time_ps <= self.period.time_ps(cycle) => {
                Answer::Open { until: records.min((chunk + 1) * lane.chunk_records) }
            }
            None if cycle >= self.settled.get() => Answer::Unknown,
            _ => Answer::Closed,
        }
    }

    /// What follows from that may be there as soon as the next cycle begins.
    fn passed(&mut self, cycle: u64) {
        self.settled.set(self.settled.get().min(cycle + 1));
        let time_ps = self.period.time_ps(cycle + 1);
        if self.takes { self.lane.take(time_ps) } else { self.lane.give(time_ps) }
    }
}

impl Course {
    /// Runs hardware from now on until it is done; returns the cycles that the schedule gives it.
    ///
    /// # Safety
    /// As for [`Running::run`].
    ///
    /// # Errors
    /// Those of [`Running::run`].
    pub async unsafe fn step<'a>(
        &self,
        at: &Hardware<'_>,
        lanes: &'a [Lane],
        running: &mut Running<'a>,
    ) -> Result<u64> {
        let mut pace = Pace::new(at);
        let settled = Rc::new(Cell::new(0));
        for each in &self.loops {
            let gives = each.gives.iter().map(|give| (give.argument, false));
            for (argument, takes) in each.takes.iter().map(|&own| (own, true)).chain(gives) {
                if let Some(lane) = lanes.iter().find(|lane| lane.argument == argument) {
                    let (period, settled) = (pace.period, settled.clone());
                    let records = each.iterations;
                    running.harness.gate(argument, Live { lane, period, records, takes, settled });
                }
            }
        }
        let mut starts = Starts::new(self, &mut running.harness);
        // SAFETY: the caller's promise.
        let ended = unsafe { to_the_end(running, &mut starts, &mut pace, &settled).await };
        pace.settle().await;
        at.recorder.clock().sleep_until(pace.period.time_ps(running.harness.cycles())).await;
        ended.map(|()| starts.scheduled_cycles(&running.harness))
    }
}

/// # Safety
/// As for [`Running::run`].
async unsafe fn to_the_end(
    running: &mut Running<'_>,
    starts: &mut Starts<'_>,
    pace: &mut Pace<'_>,
    settled: &Cell<u64>,
) -> Result<()> {
    pace.busy_until(starts.busy_until);
    loop {
        let before = running.harness.cycles();
        // SAFETY: the caller's promise.
        let progress = unsafe {
            match starts.next() {
                Next::Takes(flow) if pace.is_computing() => running.run_steadily(flow)?,
                _ if pace.is_computing() => {
                    running.run((pace.busy_until + 1).saturating_sub(before))?
                }
                Next::Takes(Steady { argument: stream, .. }) | Next::HasRoom(stream) => {
                    running.run_until_moves(stream)?
                }
                Next::In(cycle) => running.run((cycle + 1).saturating_sub(before))?,
                Next::Never => running.run(u64::MAX)?,
            }
        };
        let after = running.harness.cycles();
        // As long as it computes, what has started matters only once that should be over.
        if !pace.is_computing() || after > pace.busy_until || progress == Progress::Done {
            starts.look(&mut running.harness);
            let (was, is) = (pace.busy_until, starts.busy_until);
            match pace.is_computing() {
                true if is > was || progress == Progress::Done => pace.busy_until(is),
                true => pace.rests().await,
                false if is > was && after > before => pace.computes_from(after - 1, is).await,
                false => {}
            }
        }
        match progress {
            Progress::Done => return Ok(()),
            Progress::Waiting => {
                let excused = settle(after, pace, settled).await;
                running.bound = running.bound.saturating_add(excused);
            }
            Progress::Running | Progress::OutOfBounds => {}
        }
    }
}

/// Waits until the clock has come to a cycle, and everything has happened until then. Returns how many
/// cycles are then settled.
async fn settle(cycle: u64, pace: &Pace<'_>, settled: &Cell<u64>) -> u64 {
    pace.clock.settled(pace.period.time_ps(cycle)).await;
    let next = pace.clock.next_ps().map(|time_ps| pace.period.cycle_at(time_ps));
    // Where nothing else is ever to happen, nobody waits for anything but this.
    let until = next.unwrap_or(u64::MAX).max(cycle + 1);
    settled.set(until);
    if next.is_some() { until - cycle } else { 0 }
}
