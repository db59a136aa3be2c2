// SPDX-License-Identifier: Apache-2.0
//! Calls on their way to the device: those that wait for their batch, and the batches that the
//! program goes on beside.

use std::collections::VecDeque;

use crate::components::batch::BatchSettings;
use crate::job::ended::Ended;
use crate::job::failure::Failure;
use crate::job::{Job, KernelId};
use crate::machine::{Machine, Submitted};
use crate::session::costs::Costs;
use crate::session::latencies::Latencies;

/// When calls came, and how many then.
type Arrivals = Vec<(u64, u64)>;

/// What calls are booked by that were handed over together.
struct Given {
    kernel: KernelId,
    /// Those of the schedules.
    cycles: u64,
    start_ps: u64,
    bytes: u64,
}

/// Calls that were handed over.
struct Handed {
    submitted: Submitted,
    given: Given,
    arrivals: Arrivals,
}

/// What came to nothing.
pub struct Lost {
    /// Why.
    pub failure: Failure,
    /// The kernel, of calls.
    pub kernel: Option<KernelId>,
}

/// The batches of a run.
#[derive(Default)]
pub struct Batches {
    waiting: Vec<Job>,
    arrivals: Arrivals,
    bytes: u64,
    handed: VecDeque<Handed>,
    /// The cycles that kernels waited for records in batches that have ended since they were asked for.
    waited: Vec<(KernelId, u64)>,
    /// How long calls took, from when they came.
    pub latencies: Latencies,
    /// What batches took, by their calls and bytes.
    pub costs: Costs,
}

impl Batches {
    /// Lets a call happen by itself.
    ///
    /// # Errors
    /// [`Lost`].
    pub fn alone(&mut self, machine: &mut Machine, job: &Job) -> Result<Option<Ended>, Lost> {
        let start_ps = machine.now_ps();
        let given = Given { kernel: job.kernel, cycles: 0, start_ps, bytes: job.bytes() };
        let Some(ended) = machine.call(job) else { return Ok(None) };
        self.book(&given, &[(start_ps, 1)], &ended)?;
        Ok(Some(ended))
    }

    /// A call comes. It waits for its batch, and the program for batches, as the platform says.
    ///
    /// # Errors
    /// [`Lost`], of any batch that has ended.
    pub fn arrive(&mut self, machine: &mut Machine, job: Job) -> Result<(), Lost> {
        let settings = machine.platform.batch;
        if self.waiting.first().is_some_and(|first| first.kernel != job.kernel) {
            self.close(machine)?;
        }
        self.add(machine, job);
        let is_complete = settings.is_complete(self.waiting.len() as u64, self.bytes);
        if is_complete || self.is_due(machine) {
            self.close(machine)?;
        }
        self.collect_ended(machine)
    }

    /// The program works for so long. Batches are handed over meanwhile as they become due.
    ///
    /// # Errors
    /// [`Lost`].
    pub fn pass(&mut self, machine: &mut Machine, ps: u64) -> Result<(), Lost> {
        let settings = machine.platform.batch;
        // Past its end the clock stands still.
        let mut left_ps = ps.min(u64::MAX - machine.now_ps());
        loop {
            if self.is_due(machine) {
                self.close(machine)?;
            }
            if left_ps == 0 {
                return self.collect_ended(machine);
            }
            let now_ps = machine.now_ps();
            let step_ps = match self.deadline_ps(&settings) {
                Some(deadline_ps) => left_ps.min(deadline_ps - now_ps),
                None => left_ps,
            };
            let is_next = settings.is_adaptive && !self.waiting.is_empty();
            let mut under_way = self.handed.iter().map(|handed| &handed.submitted);
            let before = under_way.find(|batch| is_next && !batch.has_ended());
            machine.work(step_ps, before);
            left_ps -= machine.now_ps() - now_ps;
        }
    }

    /// Hands over what waits, and waits for all.
    ///
    /// # Errors
    /// The first [`Lost`]; the others are told later on.
    pub fn settle(&mut self, machine: &mut Machine) -> Result<(), Lost> {
        self.hand_over(machine);
        while !self.handed.is_empty() {
            self.collect(machine)?;
        }
        Ok(())
    }

    /// The cycles that kernels have waited for records since this was asked.
    pub fn take_waited(&mut self) -> Vec<(KernelId, u64)> {
        std::mem::take(&mut self.waited)
    }

    /// Forgets everything.
    pub fn forget(&mut self) {
        *self = Self::default();
    }

    fn add(&mut self, machine: &Machine, job: Job) {
        let now_ps = machine.now_ps();
        match self.arrivals.last_mut() {
            Some((arrival_ps, calls)) if *arrival_ps == now_ps => *calls += 1,
            _ => self.arrivals.push((now_ps, 1)),
        }
        self.bytes += job.bytes();
        self.waiting.push(job);
    }

    /// Hands over what waits. The program goes on where not too much is under way.
    fn close(&mut self, machine: &mut Machine) -> Result<(), Lost> {
        self.hand_over(machine);
        while self.handed.len() as u64 > machine.platform.batch.ahead {
            self.collect(machine)?;
        }
        Ok(())
    }

    fn hand_over(&mut self, machine: &mut Machine) {
        let Some(first) = self.waiting.first() else { return };
        let bytes = std::mem::take(&mut self.bytes);
        let cycles = self.waiting.iter().map(|job| job.run.cycles).sum();
        let given = Given { kernel: first.kernel, cycles, start_ps: machine.now_ps(), bytes };
        let arrivals = std::mem::take(&mut self.arrivals);
        let submitted = machine.submit_batch(std::mem::take(&mut self.waiting));
        self.handed.push_back(Handed { submitted, given, arrivals });
    }

    /// When the calls that wait are to be handed over at the latest.
    fn deadline_ps(&self, settings: &BatchSettings) -> Option<u64> {
        let (first_ps, _) = self.arrivals.first()?;
        Some(first_ps.saturating_add(settings.within_ps?))
    }

    /// Whether what waits is to be handed over now, complete or not.
    fn is_due(&self, machine: &Machine) -> bool {
        let settings = machine.platform.batch;
        let is_late = self.deadline_ps(&settings).is_some_and(|ps| ps <= machine.now_ps());
        let is_idle = || self.handed.iter().all(|handed| handed.submitted.has_ended());
        is_late || (settings.is_adaptive && !self.waiting.is_empty() && is_idle())
    }

    fn collect_ended(&mut self, machine: &mut Machine) -> Result<(), Lost> {
        while self.handed.front().is_some_and(|handed| handed.submitted.has_ended()) {
            self.collect(machine)?;
        }
        Ok(())
    }

    /// Waits for the batch that was handed over first, and books what it took.
    fn collect(&mut self, machine: &mut Machine) -> Result<(), Lost> {
        let Some(handed) = self.handed.pop_front() else { return Ok(()) };
        match machine.wait(&handed.submitted) {
            Some(ended) => {
                let waited = ended.cycles.saturating_sub(handed.given.cycles);
                self.waited.push((handed.given.kernel, waited));
                self.book(&handed.given, &handed.arrivals, &ended)
            }
            None => Ok(()),
        }
    }

    fn book(&mut self, given: &Given, arrivals: &[(u64, u64)], ended: &Ended) -> Result<(), Lost> {
        if let Some(failure) = ended.failure {
            return Err(Lost { failure, kernel: Some(given.kernel) });
        }
        let mut together = 0;
        for &(arrival_ps, calls) in arrivals {
            self.latencies.add(ended.time_ps - arrival_ps, calls);
            together += calls;
        }
        self.costs.add(together, given.bytes, ended.time_ps - given.start_ps);
        Ok(())
    }
}
