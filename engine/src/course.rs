// SPDX-License-Identifier: Apache-2.0
//! A kernel's run cycle by cycle, where records come and go while it runs.
//!
//! The schedule says when each loop with streams is entered if nobody has to wait, and how often it
//! runs. An iteration starts an interval after the one before, when its records are there and the FIFO
//! behind each stream that it gives to has room: so the hardware does it. Everything behind a loop
//! comes later by what the loop had to wait.

mod outlet;
mod pace;
mod starts;
mod stepped;

use crate::components::parts::lane::Lane;
use crate::model::Part;
use crate::package::Manifest;
use crate::trace::{ComponentId, Recorder, Work};

use outlet::Outlet;
use pace::Pace;

/// What the schedule says of a call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Course {
    /// The loops with streams, in the order in which they are entered.
    loops: Vec<Loop>,
    /// The cycle behind the last block.
    end: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Loop {
    /// The cycle in which it is entered, and those that it takes, if nobody waits.
    entered: u64,
    spent: u64,
    iterations: u64,
    interval: u64,
    length: u64,
    /// Arguments of which an iteration takes a record.
    takes: Vec<usize>,
    gives: Vec<Give>,
}

impl Loop {
    /// The cycle in which all is done of so many iterations, the last of which started in some cycle. Up to
    /// the one in which the next one starts, if nothing makes it wait, it computes.
    fn done(&self, count: u64, last: u64) -> u64 {
        let is_over = count >= self.iterations;
        last + if is_over { self.length } else { self.length.max(self.interval) }
    }
}

/// An argument to which an iteration gives a record.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Give {
    argument: usize,
    /// In which of its cycles.
    cycle: u64,
    /// Records that the FIFO behind holds.
    depth: u64,
    /// Cycles between two that leave.
    pace: u64,
}

impl Course {
    /// The course of a call whose parts are known; nothing where no record comes or goes while the
    /// kernel runs.
    pub fn new(manifest: &Manifest, parts: &[Part], intervals: &[u32]) -> Option<Self> {
        let place = |name: &String| manifest.arguments.iter().position(|p| p.name == *name);
        let pace = |argument: usize| intervals.get(argument).map_or(1, |&pace| u64::from(pace));
        let mut loops = Vec::new();
        for (facts, part) in manifest.loops.iter().zip(parts) {
            let (Some(ii), Some(length)) = (facts.ii, facts.length_cycles) else { continue };
            if part.iterations == 0 || facts.takes.is_empty() && facts.gives.is_empty() {
                continue;
            }
            let takes = facts.takes.iter().map(place).collect::<Option<Vec<_>>>()?;
            let give = |give: &crate::package::Given| {
                let argument = place(&give.stream)?;
                let (cycle, depth) = (give.cycle, give.depth);
                Some(Give { argument, cycle, depth, pace: pace(argument) })
            };
            loops.push(Loop {
                entered: part.entered,
                spent: part.cycles,
                iterations: part.iterations,
                interval: takes.iter().map(|&argument| pace(argument)).fold(ii, u64::max),
                length,
                takes,
                gives: facts.gives.iter().map(give).collect::<Option<_>>()?,
            });
        }
        loops.sort_by_key(|each| each.entered);
        let end = parts.last()?.entered;
        (!loops.is_empty()).then_some(Self { loops, end })
    }

    /// Records of the arguments that come and go while the kernel runs.
    pub fn records(&self) -> impl Iterator<Item = (usize, u64)> {
        self.loops.iter().flat_map(|each| {
            let gives = each.gives.iter().map(|give| give.argument);
            each.takes.iter().copied().chain(gives).map(|argument| (argument, each.iterations))
        })
    }

    /// The cycle in which what is behind a loop is done: the next loop is entered, or the call ends.
    fn left(&self, index: usize) -> u64 {
        self.loops.get(index + 1).map_or(self.end + 1, |next| next.entered)
    }

    /// Runs from now on, and returns the cycles that it took. What each lane made it wait for is
    /// added to `gates`, if anybody wants to know.
    pub async fn run(&self, hardware: &Hardware<'_>, lanes: &[Lane], gates: &mut Gates) -> u64 {
        let mut pace = Pace::new(hardware);
        let mut late = 0;
        let mut earlier = Vec::new();
        for (index, each) in self.loops.iter().enumerate() {
            let lane = |argument: usize| lanes.iter().find(|lane| lane.argument == argument);
            let mut flow = Flow {
                of: each,
                lanes: each.takes.iter().map(|&argument| lane(argument)).collect(),
                outlets: each
                    .gives
                    .iter()
                    .map(|give| Outlet::new(give, each.iterations, lane(give.argument)))
                    .collect(),
                earlier,
                last: None,
            };
            // What stands before a loop, and behind it, computes whatever streams do.
            pace.busy_until(each.entered + late);
            flow.run(each.entered + late, &mut pace, gates).await;
            let last = flow.last.unwrap_or(each.entered + late);
            late = (last + each.length).saturating_sub(each.entered + each.spent);
            pace.busy_until(self.left(index) + late);
            if index + 1 == self.loops.len() {
                flow.drain(&mut pace, gates).await;
            }
            earlier = flow.earlier;
            earlier.append(&mut flow.outlets);
        }
        let drained = earlier.iter().map(|outlet| outlet.last + 1).fold(0, u64::max);
        pace.settle().await;
        let cycles = (self.end + late).max(drained) + 1;
        hardware.recorder.clock().sleep_until(pace.time_ps(cycles)).await;
        cycles
    }
}

/// Where and for whom a kernel runs.
pub struct Hardware<'a> {
    /// Where its time is booked.
    pub recorder: &'a Recorder,
    /// On whose name.
    pub component: ComponentId,
    /// Which call.
    pub call: u64,
    /// What it is booked on; the bytes of it.
    pub work: Work,
    /// The period of its clock.
    pub clock_ps: u64,
}

/// From which cycle on each chunk of an argument's stream may pass.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Gates {
    /// Whether anybody wants to know.
    pub are_wanted: bool,
    /// (argument, records of a chunk, a cycle for each chunk).
    pub of_streams: Vec<(usize, u64, Vec<u64>)>,
}

impl Gates {
    fn add(&mut self, lane: &Lane, chunk: u64, cycle: u64) {
        if !self.are_wanted {
            return;
        }
        let argument = lane.argument;
        let row = self.of_streams.iter().position(|row| row.0 == argument).unwrap_or_else(|| {
            self.of_streams.push((argument, lane.chunk_records, Vec::new()));
            self.of_streams.len() - 1
        });
        let cycles = &mut self.of_streams[row].2;
        if cycles.len() as u64 == chunk {
            cycles.push(cycle);
        }
    }
}

/// A loop under way.
struct Flow<'a> {
    of: &'a Loop,
    lanes: Vec<Option<&'a Lane>>,
    outlets: Vec<Outlet<'a>>,
    /// Those of loops before it, out of which records may still be leaving.
    earlier: Vec<Outlet<'a>>,
    last: Option<u64>,
}

impl Flow<'_> {
    async fn run(&mut self, entered: u64, pace: &mut Pace<'_>, gates: &mut Gates) {
        let mut k = 0;
        while k < self.of.iterations {
            let next = self.last.map_or(entered, |last| last + self.of.interval);
            let came = self.until(pace, gates, None, |flow, pace, gates| flow.came(k, pace, gates));
            let start = next.max(came.await);
            k += match self.evenly(k, start, pace) {
                Some((start, many)) => self.run_evenly(k, start, many, pace, gates).await,
                None => self.run_one(k, start, pace, gates).await,
            };
        }
    }

    /// Lets what the loops have given leave.
    async fn drain(&mut self, pace: &mut Pace<'_>, gates: &mut Gates) {
        let are_empty = |flow: &Self| flow.every_outlet().all(Outlet::is_empty).then_some(());
        self.until(pace, gates, None, |flow, _, _| are_empty(flow)).await;
    }

    fn every_outlet(&self) -> impl Iterator<Item = &Outlet<'_>> {
        self.earlier.iter().chain(&self.outlets)
    }

    /// Waits until something is found, which may be so whenever a lane tells something or that cycle
    /// begins. Meanwhile records leave: what is behind need not wait for what the loop waits for.
    async fn until<T>(
        &mut self,
        pace: &mut Pace<'_>,
        gates: &mut Gates,
        cycle: Option<u64>,
        find: impl Fn(&Self, &Pace<'_>, &mut Gates) -> Option<T>,
    ) -> T {
        loop {
            for outlet in self.earlier.iter_mut().chain(&mut self.outlets) {
                outlet.leave_known(pace, gates);
            }
            if let Some(found) = find(self, pace, gates) {
                return found;
            }
            let behind = self.every_outlet().map(|outlet| outlet.lane);
            let lanes = self.lanes.iter().copied().chain(behind).flatten();
            pace.wait(lanes.map(Lane::bell), cycle).await;
        }
    }

    /// From which cycle on the records of iteration `k` are there; nothing as long as that is not
    /// known.
    fn came(&self, k: u64, pace: &Pace<'_>, gates: &mut Gates) -> Option<u64> {
        let mut cycle = 0;
        for lane in self.lanes.iter().flatten() {
            // Once a chunk: afterwards it is known to have come.
            if k.is_multiple_of(lane.chunk_records) {
                let chunk = k / lane.chunk_records;
                let came = pace.cycle_at(lane.known_chunk(chunk)?);
                gates.add(lane, chunk, came);
                cycle = cycle.max(came);
            }
        }
        Some(cycle)
    }

    /// The cycle from which on iterations from `k` on start an interval after each other, and how many
    /// of them; nothing where chunks do not tell.
    fn evenly(&self, k: u64, start: u64, pace: &Pace<'_>) -> Option<(u64, u64)> {
        let mut latest = start;
        for outlet in &self.outlets {
            latest = latest.max(outlet.even_start(start, self.of.interval)?);
        }
        let mut many = self.of.iterations - k;
        for lane in self.lanes.iter().flatten() {
            many = many.min(lane.chunk_records - k % lane.chunk_records);
        }
        for outlet in &self.outlets {
            many = many.min(outlet.even_records(latest, pace)?);
        }
        Some((latest, many))
    }

    /// Iterations that start an interval apart; returns how many.
    async fn run_evenly(
        &mut self,
        k: u64,
        start: u64,
        many: u64,
        pace: &mut Pace<'_>,
        gates: &mut Gates,
    ) -> u64 {
        let last = start + (many - 1) * self.of.interval;
        self.starts(k + many, (start, last), pace, gates).await;
        for outlet in &mut self.outlets {
            outlet.leave_evenly(start, many, self.of.interval, pace, gates);
        }
        self.taken(k, many, last, pace);
        many
    }

    /// An iteration that starts when there is room for what it gives.
    async fn run_one(&mut self, k: u64, start: u64, pace: &mut Pace<'_>, gates: &mut Gates) -> u64 {
        let credit = |flow: &Self| {
            flow.outlets.iter().try_fold(0, |cycle, outlet| Some(outlet.credit(k)?.max(cycle)))
        };
        let start = start.max(self.until(pace, gates, None, |flow, _, _| credit(flow)).await);
        self.starts(k + 1, (start, start), pace, gates).await;
        for outlet in &mut self.outlets {
            outlet.given(start);
        }
        self.taken(k, 1, start, pace);
        1
    }

    /// Iterations start, from one cycle to another; it is then so many: the kernel computes until they have
    /// left the pipeline.
    async fn starts(
        &mut self,
        count: u64,
        (first, last): (u64, u64),
        pace: &mut Pace<'_>,
        gates: &mut Gates,
    ) {
        if first > pace.busy_until {
            let has_begun = |pace: &Pace<'_>| pace.has_begun(first).then_some(());
            self.until(pace, gates, Some(first), |_, pace, _| has_begun(pace)).await;
        }
        pace.computes(self.of.done(count, last));
        self.last = Some(last);
    }

    /// Iterations from `k` on have taken their records, the last of them in `cycle`.
    fn taken(&self, k: u64, many: u64, cycle: u64, pace: &Pace<'_>) {
        for lane in self.lanes.iter().flatten() {
            if (k + many).is_multiple_of(lane.chunk_records) || k + many == self.of.iterations {
                lane.take(pace.time_ps(cycle + 1));
            }
        }
    }
}
