// SPDX-License-Identifier: Apache-2.0
//! A call's hardware on its way to the simulated clock and back: a call gives it to its job, a device runs
//! it, and the call gets it back with what it did.

use std::ffi::c_void;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;

use crate::call::execute::{
    Expected, HardwareCall, Memories, Recorded, Running, Simulated, check_cycles,
};
use crate::call::{Kernel, no_model};
use crate::components::parts::lane::Lane;
use crate::course::{Course, Hardware};
use crate::error::{Error, Result, Status};

/// What the hardware of a call is made from. It lies in the device's memory, and the model's state beside
/// it: nothing of the program's is used.
pub struct Given {
    /// The kernel, whose RTL is loaded.
    pub kernel: Arc<Kernel>,
    /// Where the arguments are in the device's memory.
    pub data: Vec<*mut c_void>,
    /// Their bytes.
    pub bytes: Vec<u64>,
    /// The pace of each argument's stream.
    pub intervals: Arc<[u32]>,
    /// The schedule's cycles.
    pub predicted_cycles: u64,
    /// Whether a long simulation tells its progress.
    pub show_progress: bool,
    /// Who records what it does, if anybody does.
    pub recording: Option<Recorded>,
    /// What all of it lies in.
    pub memories: Memories,
    /// What the C has left, where that is compared as soon as the hardware is done; else its call does that.
    pub expected: Option<Expected>,
}

// SAFETY: what the addresses lead to is memory of `memories`, which goes with them.
unsafe impl Send for Given {}

/// What hardware did on the clock.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stepped {
    /// What it took.
    pub simulated: Simulated,
    /// The cycles that the schedule gives it, with records coming and going as they did.
    pub scheduled_cycles: u64,
}

/// The hardware of a call. Clones are the same.
#[derive(Clone)]
pub struct Stepping(Arc<Mutex<State>>);

enum State {
    Given(Box<Given>),
    /// It is on the clock, or was given up there.
    Away,
    Back(Box<(Memories, Result<Stepped>)>),
}

impl Given {
    /// # Safety
    /// It stays where it is as long as what is returned.
    unsafe fn begin(&mut self) -> Result<Running<'_>> {
        let rtl = self.kernel.rtl.as_deref().ok_or_else(no_model)?;
        let call = HardwareCall {
            manifest: &self.kernel.manifest,
            data: &self.data,
            bytes: &self.bytes,
            intervals: &self.intervals,
            predicted_cycles: self.predicted_cycles,
            show_progress: self.show_progress,
            recording: self.recording.clone(),
        };
        // SAFETY: the caller's promise.
        unsafe { call.begin(rtl, &mut self.memories) }
    }

    /// Compares what the hardware has done, if that is its own matter.
    fn checked(&self, stepped: Stepped) -> Result<Stepped> {
        if let Some(expected) = &self.expected {
            let manifest = &self.kernel.manifest;
            expected.check(manifest, &self.memories)?;
            check_cycles(manifest, stepped.scheduled_cycles, stepped.simulated.cycles)?;
        }
        Ok(stepped)
    }

    unsafe fn run(&mut self) -> Result<Stepped> {
        let scheduled_cycles = self.predicted_cycles;
        // SAFETY: all that it was given is there until it goes back.
        unsafe {
            let mut running = self.begin()?;
            running.run_to_end()?;
            Ok(Stepped { simulated: running.simulated(), scheduled_cycles })
        }
    }

    async unsafe fn step(
        &mut self,
        course: &Course,
        at: &Hardware<'_>,
        lanes: &[Lane],
    ) -> Result<Stepped> {
        // SAFETY: all that it was given is there until it goes back.
        unsafe {
            let mut running = self.begin()?;
            let scheduled_cycles = course.step(at, lanes, &mut running).await?;
            Ok(Stepped { simulated: running.simulated(), scheduled_cycles })
        }
    }
}

impl Stepping {
    /// Hardware that has not begun.
    pub fn new(given: Given) -> Self {
        Self(Arc::new(Mutex::new(State::Given(Box::new(given)))))
    }

    /// Runs it to its end, as its ports wait for nothing; returns the cycles that it took.
    pub fn run(&self) -> u64 {
        let Some(mut given) = self.take() else { return 0 };
        // SAFETY: it stays in its box.
        let stepped = unsafe { given.run() };
        self.put_back(*given, stepped)
    }

    /// Runs it as time goes on, while its records come and go by lanes; returns the cycles that it took.
    pub async fn step(&self, course: &Course, at: &Hardware<'_>, lanes: &[Lane]) -> u64 {
        let Some(mut given) = self.take() else { return 0 };
        // SAFETY: it stays in its box.
        let stepped = unsafe { given.step(course, at, lanes).await };
        self.put_back(*given, stepped)
    }

    /// What it did, and the memory of the device that it has left.
    ///
    /// # Errors
    /// [`Status::Internal`] if it has not come to its end.
    pub fn end(&self) -> Result<(Memories, Result<Stepped>)> {
        match std::mem::replace(&mut *self.lock(), State::Away) {
            State::Back(back) => Ok(*back),
            State::Given(_) | State::Away => {
                let message = "hardware that was stepped with the clock did not come to its end";
                Err(Error::new(Status::Internal, message))
            }
        }
    }

    fn take(&self) -> Option<Box<Given>> {
        match std::mem::replace(&mut *self.lock(), State::Away) {
            State::Given(given) => Some(given),
            State::Back(_) | State::Away => None,
        }
    }

    fn put_back(&self, given: Given, stepped: Result<Stepped>) -> u64 {
        let cycles = stepped.as_ref().map_or(0, |stepped| stepped.simulated.cycles);
        let stepped = stepped.and_then(|stepped| given.checked(stepped));
        *self.lock() = State::Back(Box::new((given.memories, stepped)));
        cycles
    }

    /// Whether nobody else has it, so that it never comes to an end any more.
    pub fn is_given_up(&self) -> bool {
        Arc::strong_count(&self.0) == 1
    }

    /// Whether it has come to its end.
    pub fn is_back(&self) -> bool {
        matches!(*self.lock(), State::Back(_))
    }

    /// Comes when the hardware has failed: whoever waits for what it gives then waits in vain. To be polled
    /// beside it.
    pub async fn fails(&self) {
        std::future::poll_fn(|_| match &*self.lock() {
            State::Back(back) if back.1.is_err() => Poll::Ready(()),
            _ => Poll::Pending,
        })
        .await;
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PartialEq for Stepping {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Stepping {}

impl std::fmt::Debug for Stepping {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Stepping")
    }
}
