// SPDX-License-Identifier: Apache-2.0
//! The clock of a kernel that runs with streams, and whether it computes.

use super::Hardware;
use crate::simulation::{Bell, Clock, any, either};
use crate::trace::Activity;

/// When the cycles of a kernel begin.
#[derive(Debug, Clone, Copy)]
pub struct Period {
    start_ps: u64,
    clock_ps: u64,
}

impl Period {
    /// When a cycle begins.
    pub fn time_ps(self, cycle: u64) -> u64 {
        self.start_ps.saturating_add(cycle.saturating_mul(self.clock_ps))
    }

    /// The first cycle that begins no earlier than a time.
    pub fn cycle_at(self, time_ps: u64) -> u64 {
        time_ps.saturating_sub(self.start_ps).div_ceil(self.clock_ps.max(1))
    }
}

/// The kernel's clock, and whether it computes.
pub struct Pace<'a> {
    hardware: &'a Hardware<'a>,
    /// The simulated clock.
    pub clock: &'a Clock,
    /// The kernel's.
    pub period: Period,
    /// The cycle in which all that has begun is done.
    pub busy_until: u64,
    activity: Option<Activity<'a>>,
}

impl<'a> Pace<'a> {
    /// From now on.
    pub fn new(hardware: &'a Hardware<'a>) -> Self {
        let clock = hardware.recorder.clock();
        let period = Period { start_ps: clock.now_ps(), clock_ps: hardware.clock_ps };
        let mut pace = Self { hardware, clock, period, busy_until: 0, activity: None };
        pace.begin();
        pace
    }

    fn begin(&mut self) {
        let Hardware { recorder, component, call, work, .. } = *self.hardware;
        self.activity = Some(recorder.begin(component, call, work));
    }

    /// When a cycle begins.
    pub fn time_ps(&self, cycle: u64) -> u64 {
        self.period.time_ps(cycle)
    }

    /// The first cycle that begins no earlier than a time.
    pub fn cycle_at(&self, time_ps: u64) -> u64 {
        self.period.cycle_at(time_ps)
    }

    /// What the kernel computes, it has not done before that cycle.
    pub fn busy_until(&mut self, cycle: u64) {
        self.busy_until = self.busy_until.max(cycle);
    }

    /// Whether that cycle has begun.
    pub fn has_begun(&self, cycle: u64) -> bool {
        self.clock.now_ps() >= self.time_ps(cycle)
    }

    /// The kernel computes from now on, until some cycle.
    pub fn computes(&mut self, until: u64) {
        if self.activity.is_none() {
            self.begin();
        }
        self.busy_until(until);
    }

    /// Whether the kernel computes.
    pub fn is_computing(&self) -> bool {
        self.activity.is_some()
    }

    /// Lets time pass until what has begun is done; nothing computes then.
    pub async fn rests(&mut self) {
        self.clock.sleep_until(self.time_ps(self.busy_until)).await;
        self.activity = None;
    }

    /// Lets time pass until a cycle begins, from which on the kernel computes until another one.
    pub async fn computes_from(&mut self, cycle: u64, until: u64) {
        self.clock.sleep_until(self.time_ps(cycle)).await;
        self.computes(until);
    }

    /// Waits until a bell rings or that cycle begins, and computes on meanwhile as long as there is
    /// something to compute.
    pub async fn wait(&mut self, bells: impl Iterator<Item = &Bell>, cycle: Option<u64>) {
        let idle_ps = self.time_ps(self.busy_until);
        if self.clock.now_ps() >= idle_ps {
            self.activity = None;
        }
        let ends_ps = self.activity.as_ref().map(|_| idle_ps);
        let rings = any(bells.map(Bell::rings).collect());
        match ends_ps.into_iter().chain(cycle.map(|cycle| self.time_ps(cycle))).min() {
            Some(time_ps) => either(rings, self.clock.sleep_until(time_ps)).await,
            None => rings.await,
        }
    }

    /// Lets time pass until nothing computes any more.
    pub async fn settle(&mut self) {
        if self.is_computing() {
            self.rests().await;
        }
    }
}
