// SPDX-License-Identifier: Apache-2.0
//! A kernel's run cycle by cycle, where records come and go while it runs.
//!
//! The schedule says when each loop with streams is entered if nobody has to wait, and how often it
//! runs. An iteration starts an interval after the one before, when its records are there and the FIFO
//! behind each stream that it gives to has room: so the hardware does it. Everything behind a loop
//! comes later by what the loop had to wait.

use std::collections::VecDeque;

use crate::components::lane::Lane;
use crate::model::Part;
use crate::package::Manifest;
use crate::simulation::{Bell, Clock, either};
use crate::trace::{Activity, ComponentId, Recorder, Work};

/// A record that is given in a cycle leaves its FIFO that much later at the earliest
/// (`PUSH_TO_VALID_CYCLES` of python/tandem/rtl/streams.py).
const GIVEN_TO_LEAVING_CYCLES: u64 = 1;
/// When a record leaves, an iteration can start in its place that much later
/// (`CREDIT_RETURN_CYCLES` there).
const LEAVING_TO_CREDIT_CYCLES: u64 = 2;

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

    /// Runs from now on, and returns the cycles that it took. What each lane made it wait for is
    /// added to `gates`, if anybody wants to know.
    pub async fn run(&self, hardware: &Hardware<'_>, lanes: &[Lane], gates: &mut Gates) -> u64 {
        let mut pace = Pace::new(hardware);
        let mut late = 0;
        let mut drained = 0;
        for each in &self.loops {
            let lane = |argument: usize| lanes.iter().find(|lane| lane.argument == argument);
            let mut flow = Flow {
                of: each,
                lanes: each.takes.iter().map(|&argument| lane(argument)).collect(),
                outlets: each
                    .gives
                    .iter()
                    .map(|give| Outlet::new(give, lane(give.argument)))
                    .collect(),
                last: None,
            };
            flow.run(each.entered + late, &mut pace, gates).await;
            let last = flow.last.unwrap_or(each.entered + late);
            late = (last + each.length).saturating_sub(each.entered + each.spent);
            drained = flow.outlets.iter().map(|outlet| outlet.last + 1).fold(drained, u64::max);
        }
        let end = self.end + late;
        pace.busy_until(end + 1);
        pace.settle().await;
        let cycles = end.max(drained) + 1;
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

/// The kernel's clock, and whether it computes.
struct Pace<'a> {
    hardware: &'a Hardware<'a>,
    clock: &'a Clock,
    start_ps: u64,
    busy_until: u64,
    activity: Option<Activity<'a>>,
}

impl<'a> Pace<'a> {
    fn new(hardware: &'a Hardware<'a>) -> Self {
        let clock = hardware.recorder.clock();
        let start_ps = clock.now_ps();
        let mut pace = Self { hardware, clock, start_ps, busy_until: 0, activity: None };
        pace.begin();
        pace
    }

    fn begin(&mut self) {
        let Hardware { recorder, component, call, work, .. } = *self.hardware;
        self.activity = Some(recorder.begin(component, call, work));
    }

    fn time_ps(&self, cycle: u64) -> u64 {
        self.start_ps.saturating_add(cycle.saturating_mul(self.hardware.clock_ps))
    }

    /// The first cycle that begins no earlier than a time.
    fn cycle_at(&self, time_ps: u64) -> u64 {
        time_ps.saturating_sub(self.start_ps).div_ceil(self.hardware.clock_ps.max(1))
    }

    fn busy_until(&mut self, cycle: u64) {
        self.busy_until = self.busy_until.max(cycle);
    }

    /// An iteration starts: the kernel computes until it has left the pipeline.
    async fn starts(&mut self, cycle: u64, until: u64) {
        if cycle > self.busy_until {
            self.settle().await;
            self.clock.sleep_until(self.time_ps(cycle)).await;
        }
        if self.activity.is_none() {
            self.begin();
        }
        self.busy_until(until);
    }

    /// Waits until it is known what a lane asks for, and computes on meanwhile as long as there is
    /// something to compute.
    async fn known(&mut self, bell: &Bell, find: impl Fn() -> Option<u64>) -> u64 {
        loop {
            if let Some(time_ps) = find() {
                return self.cycle_at(time_ps);
            }
            let idle_ps = self.time_ps(self.busy_until);
            if self.activity.is_some() && self.clock.now_ps() >= idle_ps {
                self.activity = None;
            }
            match self.activity {
                Some(_) => either(bell.rings(), self.clock.sleep_until(idle_ps)).await,
                None => bell.rings().await,
            }
        }
    }

    /// Lets time pass until nothing computes any more.
    async fn settle(&mut self) {
        if self.activity.is_some() {
            self.clock.sleep_until(self.time_ps(self.busy_until)).await;
            self.activity = None;
        }
    }
}

/// A stream that a loop gives to: the FIFO, and what is behind.
struct Outlet<'a> {
    give: &'a Give,
    lane: Option<&'a Lane>,
    /// When records that were given have left: the last `depth`, in order.
    left: VecDeque<u64>,
    /// When records that are in the FIFO could have left at the earliest.
    inside: VecDeque<u64>,
    /// How many have left.
    count: u64,
    /// When the last one did.
    last: u64,
}

impl<'a> Outlet<'a> {
    fn new(give: &'a Give, lane: Option<&'a Lane>) -> Self {
        let (left, inside) = (VecDeque::new(), VecDeque::new());
        Self { give, lane, left, inside, count: 0, last: 0 }
    }

    /// Lets the next record leave. Waits until it is known when there is room for it.
    async fn leaves(&mut self, records: u64, pace: &mut Pace<'_>, gates: &mut Gates) {
        let Some(&valid) = self.inside.front() else { return };
        let room = match self.lane {
            Some(lane) => {
                let chunk = self.count / lane.chunk_records;
                let cycle = pace.known(lane.bell(), || lane.known_room(chunk)).await;
                gates.add(lane, chunk, cycle);
                cycle
            }
            None => 0,
        };
        self.inside.pop_front();
        let next = if self.count == 0 { 0 } else { self.last + self.give.pace };
        self.has_left(valid.max(next).max(room), records, pace);
    }

    fn has_left(&mut self, cycle: u64, records: u64, pace: &Pace<'_>) {
        self.last = cycle;
        self.count += 1;
        self.left.push_back(cycle);
        if self.left.len() as u64 > self.give.depth {
            self.left.pop_front();
        }
        if let Some(lane) = self.lane
            && (self.count.is_multiple_of(lane.chunk_records) || self.count == records)
        {
            lane.give(pace.time_ps(cycle + 1));
        }
    }

    /// From which cycle on iteration `k` has room.
    async fn credit(
        &mut self,
        k: u64,
        records: u64,
        pace: &mut Pace<'_>,
        gates: &mut Gates,
    ) -> u64 {
        let Some(wanted) = k.checked_sub(self.give.depth) else { return 0 };
        while self.count <= wanted {
            self.leaves(records, pace, gates).await;
        }
        let back = (self.count - 1 - wanted) as usize;
        let cycle = self.left.len().checked_sub(1 + back).and_then(|at| self.left.get(at));
        cycle.map_or(0, |&cycle| cycle + LEAVING_TO_CREDIT_CYCLES)
    }

    /// Lets records leave as far as it is known when.
    async fn leave_known(&mut self, records: u64, pace: &mut Pace<'_>, gates: &mut Gates) {
        let is_known =
            |lane: &Lane, count: u64| lane.known_room(count / lane.chunk_records).is_some();
        while !self.inside.is_empty() && self.lane.is_none_or(|lane| is_known(lane, self.count)) {
            self.leaves(records, pace, gates).await;
        }
    }

    /// When the record of an iteration leaves that starts in `start` and finds the FIFO with nothing
    /// in it of which that is unknown.
    fn first_leaving(&self, start: u64) -> u64 {
        let valid = start + self.give.cycle + GIVEN_TO_LEAVING_CYCLES;
        if self.count == 0 { valid } else { valid.max(self.last + self.give.pace) }
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

    /// The cycle from which on iterations can start an interval apart, and how many, so that their
    /// records leave an interval apart too; nothing where that is not known.
    fn runs_evenly(&self, start: u64, interval: u64, pace: &Pace<'_>) -> Option<(u64, u64)> {
        if !self.inside.is_empty() || self.give.pace > interval {
            return None;
        }
        let valid = start + self.give.cycle + GIVEN_TO_LEAVING_CYCLES;
        let start = match self.first_leaving(start) {
            first if first == valid => start,
            _ if self.is_steady(interval) => {
                start.max(self.left.front()? + LEAVING_TO_CREDIT_CYCLES)
            }
            _ => return None,
        };
        let Some(lane) = self.lane else { return Some((start, u64::MAX)) };
        let room = lane.known_room(self.count / lane.chunk_records)?;
        let fits = pace.cycle_at(room) <= self.first_leaving(start);
        fits.then(|| (start, lane.chunk_records - self.count % lane.chunk_records))
    }
}

/// A loop under way.
struct Flow<'a> {
    of: &'a Loop,
    lanes: Vec<Option<&'a Lane>>,
    outlets: Vec<Outlet<'a>>,
    last: Option<u64>,
}

impl Flow<'_> {
    async fn run(&mut self, entered: u64, pace: &mut Pace<'_>, gates: &mut Gates) {
        let n = self.of.iterations;
        let mut k = 0;
        while k < n {
            let mut start = self.last.map_or(entered, |last| last + self.of.interval);
            start = start.max(self.records(k, pace, gates).await);
            for outlet in &mut self.outlets {
                outlet.leave_known(n, pace, gates).await;
            }
            if let Some((start, many)) = self.evenly(k, start, pace) {
                self.run_evenly(k, start, many, pace, gates).await;
                k += many;
                continue;
            }
            for outlet in &mut self.outlets {
                start = start.max(outlet.credit(k, n, pace, gates).await);
            }
            pace.starts(start, start + self.of.length).await;
            for outlet in &mut self.outlets {
                outlet.inside.push_back(start + outlet.give.cycle + GIVEN_TO_LEAVING_CYCLES);
            }
            self.taken(k, 1, start, pace);
            self.last = Some(start);
            k += 1;
        }
        for outlet in &mut self.outlets {
            while !outlet.inside.is_empty() {
                outlet.leaves(n, pace, gates).await;
            }
        }
    }

    /// From which cycle on the records of iteration `k` are there.
    async fn records(&self, k: u64, pace: &mut Pace<'_>, gates: &mut Gates) -> u64 {
        let mut cycle = 0;
        for lane in self.lanes.iter().flatten() {
            // Once a chunk: afterwards it is known to have come.
            if k.is_multiple_of(lane.chunk_records) {
                let chunk = k / lane.chunk_records;
                let came = pace.known(lane.bell(), || lane.known_chunk(chunk)).await;
                gates.add(lane, chunk, came);
                cycle = cycle.max(came);
            }
        }
        cycle
    }

    /// The cycle from which on iterations from `k` on start an interval after each other, and how many
    /// of them; nothing where chunks do not tell.
    fn evenly(&self, k: u64, start: u64, pace: &Pace<'_>) -> Option<(u64, u64)> {
        let mut many = self.of.iterations - k;
        for lane in self.lanes.iter().flatten() {
            many = many.min(lane.chunk_records - k % lane.chunk_records);
        }
        let mut latest = start;
        for outlet in &self.outlets {
            latest = latest.max(outlet.runs_evenly(start, self.of.interval, pace)?.0);
        }
        for outlet in &self.outlets {
            // All outlets have to agree on one cycle.
            let (start, most) = outlet.runs_evenly(latest, self.of.interval, pace)?;
            if start != latest {
                return None;
            }
            many = many.min(most);
        }
        Some((latest, many))
    }

    /// Iterations that start an interval apart.
    async fn run_evenly(
        &mut self,
        k: u64,
        start: u64,
        many: u64,
        pace: &mut Pace<'_>,
        gates: &mut Gates,
    ) {
        let (n, interval) = (self.of.iterations, self.of.interval);
        let last = start + (many - 1) * interval;
        pace.starts(start, last + self.of.length).await;
        for outlet in &mut self.outlets {
            if let Some(lane) = outlet.lane {
                let chunk = outlet.count / lane.chunk_records;
                gates.add(lane, chunk, pace.cycle_at(lane.known_room(chunk).unwrap_or(0)));
            }
            let first = outlet.first_leaving(start);
            let kept = many.min(outlet.give.depth);
            outlet.count += many - kept;
            for i in many - kept..many {
                outlet.has_left(first + i * interval, n, pace);
            }
        }
        self.taken(k, many, last, pace);
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
