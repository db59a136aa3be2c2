// SPDX-License-Identifier: Apache-2.0
//! What programs submit and wait for by themselves, and what they do meanwhile.

use std::ffi::c_void;
use std::time::Instant;

use super::Session;
use super::in_use::InUse;
use super::jobs::{Staying, job};
use crate::call::{KernelIndex, Way};
use crate::error::{Error, Result, Status};
use crate::host::memory::{self, Allocated, Pages};
use crate::host::wall::elapsed_ps;
use crate::job::Job;
use crate::job::ended::Ended;
use crate::machine::{Machine, QueueId};
use crate::session::batches::Lost;
use crate::session::events::{Called, Event, Pending, Touch, overlaps_call, overlaps_event};
/// Where time stands still.
pub(super) const CLOCK_END_PS: u64 = u64::MAX;

impl Session {
    /// That calls to be submitted touch nothing of what is in flight in other queues, or of each
    /// other, where one of the two writes.
    ///
    /// # Errors
    /// [`Status::BadArgument`] with both arguments.
    pub fn check_apart(&self, touches: &[Vec<Touch>], queue: QueueId) -> Result<()> {
        let others = || self.in_flight.iter().filter(|(_, pending)| pending.queue != queue);
        let mut together = InUse::default();
        for (call, own) in touches.iter().enumerate() {
            for touch in own {
                let met = match () {
                    () if self.in_use.clashes(touch, queue) => {
                        others().find_map(|(&event, pending)| overlaps_event(touch, event, pending))
                    }
                    () if together.clashes(touch, call) => {
                        overlaps_call(touch, call, &touches[..call])
                    }
                    () => None,
                };
                met.map_or(Ok(()), Err)?;
            }
            own.iter().for_each(|touch| together.add(touch, call));
        }
        Ok(())
    }

    /// Calls of one kernel that have their values are handed over together, behind all else in their
    /// queue. Nothing happens until somebody waits. `touches` are all of theirs.
    ///
    /// # Errors
    /// Those of a batch that was not complete.
    pub fn submit(
        &mut self,
        mut calls: Vec<Called>,
        touches: Vec<Touch>,
        queue: QueueId,
    ) -> Result<Event> {
        self.settle()?;
        for called in calls.iter().filter(|called| matches!(called.call.way, Way::Host(_))) {
            self.bring_home(&called.call)?;
        }
        let mut jobs = Vec::new();
        for called in &mut calls {
            let Some(machine) = &self.machine else { break };
            let staying = Staying { variables: &self.variables, platform: &machine.platform };
            if let Some(job) = job(&mut called.call, self.next_call, staying) {
                self.tally.streamed_calls += u64::from(job.course.is_some());
                let hardware = match &called.call.way {
                    Way::Device(device) => device.to_step(),
                    Way::Native | Way::Host(_) => None,
                };
                self.tally.stepped_calls += u64::from(hardware.is_some());
                self.stepping.extend(hardware.clone());
                jobs.push(Job { wants_gates: false, hardware, ..job });
                self.next_call += 1;
            }
        }
        let start_ps = self.machine.as_ref().map_or(0, Machine::now_ps);
        let machine = self.machine.as_mut().filter(|_| !jobs.is_empty());
        let submitted = machine.map(|machine| machine.submit_to(queue, jobs));
        let pending = Pending { submitted, start_ps, calls, queue, touches };
        self.next_event += 1;
        let event = self.first_number + self.next_event;
        pending.touches.iter().for_each(|touch| self.in_use.add(touch, queue));
        self.in_flight.insert(event, pending);
        Ok(event)
    }

    /// What was submitted is nobody's any more.
    fn take(&mut self, event: Event) -> Result<Pending> {
        let pending = self.in_flight.remove(&event).ok_or_else(|| unknown(event))?;
        pending.touches.iter().for_each(|touch| self.in_use.remove(touch, pending.queue));
        Ok(pending)
    }

    /// A kernel's number, as programs know it.
    pub fn number_of(&self, index: KernelIndex) -> u64 {
        self.first_number + index as u64
    }

    /// The kernel of a number.
    ///
    /// # Errors
    /// [`Status::BadArgument`] if it is of another run, or of none.
    pub fn index_of(&self, number: i64) -> Result<KernelIndex> {
        let index = u64::try_from(number).ok().and_then(|n| n.checked_sub(self.first_number));
        let unknown = || format!("kernel {number}: it was not opened in this run");
        let index = index.and_then(|index| KernelIndex::try_from(index).ok());
        let index = index.filter(|&index| index < self.kernels.len());
        index.ok_or_else(|| Error::new(Status::BadArgument, unknown()))
    }

    /// Lets time pass until what was submitted has ended, for so long at most, and books it.
    ///
    /// # Errors
    /// [`Status::TimedOut`], after which it may be waited for again; [`Status::BadArgument`] if it
    /// is unknown; [`Status::DeviceFailed`].
    pub fn wait(&mut self, event: Event, most_ps: Option<u64>) -> Result<()> {
        let pending = self.in_flight.get(&event).ok_or_else(|| unknown(event))?;
        let ended = match (&mut self.machine, &pending.submitted) {
            (Some(machine), Some(submitted)) => match most_ps {
                Some(ps) => machine.wait_at_most(submitted, ps),
                None => machine.wait(submitted),
            },
            _ => Some(Ended::default()),
        };
        let compared = self.compare_stepped();
        let Some(ended) = ended else {
            let not_yet = format!("event {event}: it has not ended in that time");
            return compared.and(Err(Error::new(Status::TimedOut, not_yet)));
        };
        let pending = self.take(event)?;
        if compared.is_err() {
            self.give_up(pending.calls.len());
            return compared;
        }
        self.end(pending, ended)
    }

    fn end(&mut self, pending: Pending, ended: Ended) -> Result<()> {
        if ended.time_ps == CLOCK_END_PS {
            self.give_up(pending.calls.len());
            return Err(clock_end());
        }
        if let Some(failure) = ended.failure {
            let kernel = pending.calls.first().map(|called| called.call.ready.index);
            let error = self.told(&Lost { failure, kernel });
            pending.calls.iter().for_each(|_| self.fail(&error));
            return Err(error);
        }
        if pending.submitted.is_some() {
            let calls = pending.calls.len() as u64;
            self.batches.latencies.add(ended.time_ps - pending.start_ps, calls);
        }
        let is_alone = pending.calls.len() == 1;
        let first = pending.calls.first().map(|called| called.call.ready.index);
        let ways = pending.calls.iter().map(|called| &called.call.way);
        let scheduled =
            ways.map(|way| if let Way::Device(device) = way { device.cycles } else { 0 });
        let waited = ended.cycles.saturating_sub(scheduled.sum());
        if let Some(kernel) = first.filter(|_| !is_alone) {
            self.wait_counts(kernel, waited);
        }
        for mut called in pending.calls {
            if let Way::Device(device) = &mut called.call.way
                && is_alone
            {
                device.ended = Some(ended.clone());
            }
            self.finish_called(called);
        }
        Ok(())
    }

    /// Gives up what was submitted: on the simulated clock it ends where it stands.
    ///
    /// # Errors
    /// [`Status::BadArgument`] if it is unknown.
    pub fn cancel(&mut self, event: Event) -> Result<()> {
        let pending = self.take(event)?;
        if let (Some(machine), Some(submitted)) = (&mut self.machine, &pending.submitted) {
            machine.cancel(submitted);
        }
        self.give_up(pending.calls.len());
        self.tally.cancelled_calls += pending.calls.len() as u64;
        Ok(())
    }

    /// Calls that had begun come to nothing.
    pub fn give_up(&mut self, calls: usize) {
        let tally = &mut self.tally;
        tally.unfinished_calls = tally.unfinished_calls.saturating_sub(calls as u64);
    }

    /// Lets all that is in flight end.
    pub(super) fn end_all(&mut self) {
        let ended = self.settle();
        let events: Vec<_> = self.in_flight.keys().copied().collect();
        let waited = events.into_iter().map(|event| self.wait(event, None));
        for error in
            std::iter::once(ended).chain(waited.collect::<Vec<_>>()).filter_map(Result::err)
        {
            self.count_error(&error);
        }
    }

    /// Loads a kernel now, so that no call has to wait for that.
    ///
    /// # Errors
    /// [`Status::DeviceFailed`].
    pub fn configure(&mut self, index: KernelIndex) -> Result<()> {
        self.ready(index)?;
        let Some(machine) = &mut self.machine else { return Ok(()) };
        let configured = machine.configure(index);
        configured.map_err(|failure| self.told(&Lost { failure, kernel: Some(index) }))
    }

    /// The program wants to read device memory, or to write it.
    ///
    /// # Errors
    /// [`Status::BadArgument`] if it is none, or in use by what nobody has waited for;
    /// [`Status::DeviceFailed`].
    pub fn sync(&mut self, address: *const c_void, writes: bool) -> Result<()> {
        let found = memory::around(address, 0).filter(|found| found.pages == Pages::Device);
        let found = found.ok_or_else(|| {
            let message = "memory: it is no device memory; ask tandem_allocate for some";
            Error::new(Status::BadArgument, message)
        })?;
        self.check_unused(&found)?;
        let Some(machine) = &mut self.machine else { return Ok(()) };
        let synced = machine.sync(found.address, found.bytes, writes);
        synced.map_err(|failure| self.told(&Lost { failure, kernel: None }))
    }

    /// Memory is given back.
    ///
    /// # Errors
    /// [`Status::BadArgument`] while it is in use by what nobody has waited for.
    pub fn forget_buffer(&mut self, address: *const c_void) -> Result<()> {
        if let Some(found) = memory::around(address, 0) {
            self.check_unused(&found)?;
        }
        if let Some(machine) = &mut self.machine {
            machine.forget_buffer(address as usize);
        }
        Ok(())
    }

    /// That nothing in flight uses the program's memory there.
    fn check_unused(&self, found: &Allocated) -> Result<()> {
        let (low, high) = (found.address, found.address + found.bytes as usize);
        let is_in_use = |pending: &Pending| pending.touches.iter().any(|t| t.lies_in(low, high));
        let mut pending = self.in_flight.iter().filter(|_| self.in_use.has(low, high));
        match pending.find(|(_, pending)| is_in_use(pending)) {
            None => Ok(()),
            Some((event, _)) => {
                let message = format!("memory: event {event} uses it; wait for it first");
                Err(Error::new(Status::BadArgument, message))
            }
        }
    }

    /// The program comes to the engine: what it did meanwhile counts as the platform says.
    pub fn come(&mut self) {
        if let Some(since) = self.on_its_own.take() {
            self.count_own_work(elapsed_ps(since));
        }
    }

    /// The program's own work took so long here.
    pub(super) fn count_own_work(&mut self, wall_ps: u64) {
        let percent = self.program_percent();
        if percent > 0 {
            let worked = self.work(wall_ps.saturating_mul(percent) / 100);
            // A batch that was lost meanwhile has nobody here to tell but the report.
            worked.unwrap_or_else(|error| self.count_error(&error));
        }
    }

    /// The program goes on.
    pub fn go(&mut self) {
        self.on_its_own = (self.program_percent() > 0).then(Instant::now);
    }

    pub(super) fn program_percent(&self) -> u64 {
        self.machine.as_ref().map_or(0, |machine| machine.platform.software.program_percent)
    }

    /// The program has worked for so long since.
    ///
    /// # Errors
    /// [`Status::DeviceFailed`], of a batch that has ended since; [`Status::BadArgument`] for more
    /// than the clock can count.
    pub fn work(&mut self, ps: u64) -> Result<()> {
        let Some(machine) = &mut self.machine else { return Ok(()) };
        if ps >= CLOCK_END_PS - machine.now_ps() {
            return Err(clock_end());
        }
        let passed = self.batches.pass(machine, ps);
        self.count_waited();
        passed.map_err(|lost| self.told(&lost))?;
        self.compare_stepped()
    }

    /// The simulated time.
    pub fn now_ps(&self) -> u64 {
        self.machine.as_ref().map_or(0, Machine::now_ps)
    }
}

/// The clock has counted as far as it can, and can count no further.
pub(super) fn clock_end() -> Error {
    let message = "the simulated clock ends after 2^64 ps, 213 days: let the program work for less, \
                   or give the platform's times in smaller units";
    Error::new(Status::BadArgument, message)
}

fn unknown(event: Event) -> Error {
    let message = format!("event {event}: there is none, or it was waited for before");
    Error::new(Status::BadArgument, message)
}
