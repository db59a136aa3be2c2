// SPDX-License-Identifier: Apache-2.0
//! The hardware's side of a checked call: the RTL on the device's memory, then the comparison with
//! what the C function has left in the program's.

mod comparison;

use std::ffi::c_void;
use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::call::buffers::Buffers;
use crate::call::plan::Plan;
use crate::course::Gates;
use crate::error::{Error, Result, Status};
use crate::harness::gate::Foreseen;
use crate::harness::{Harness, Steady};
use crate::host::block::Block;
use crate::host::wall::duration_ps;
use crate::model::{Progress, RtlModel};
use crate::package::{Manifest, Parameter};
use crate::recording::{CallRecorder, Record, Recording};

pub use comparison::Expected;
use comparison::Written;

/// Cycles between two looks at the clock and at the bound.
const SLICE_CYCLES: u64 = 1 << 20;
/// How long a simulation may take before it tells its progress, and how often it then does.
const PROGRESS_PERIOD: Duration = Duration::from_secs(2);

/// The device's memory and the state of the RTL. Kept from call to call: fresh pages cost more than
/// the copy into them.
#[derive(Debug, Default)]
pub struct Memories {
    device: Buffers,
    rtl_state: Block,
}

impl Memories {
    /// Copies to the device what a call reads of its arguments, as they are before it; returns
    /// where each is there.
    ///
    /// # Safety
    /// The arguments are those of a call that the C function may be given.
    ///
    /// # Errors
    /// [`Status::TooLarge`] if the host has not enough memory.
    pub unsafe fn load(
        &mut self,
        manifest: &Manifest,
        data: &[*mut c_void],
        plan: &Plan,
    ) -> Result<Vec<*mut c_void>> {
        // SAFETY: the caller's promise.
        unsafe { self.device.load(manifest, data, plan) }
    }
}

/// A call that the RTL shall serve.
pub struct HardwareCall<'a> {
    /// The interface.
    pub manifest: &'a Manifest,
    /// The arguments, where [`Memories::load`] has put them.
    pub data: &'a [*mut c_void],
    /// The bytes of each.
    pub bytes: &'a [u64],
    /// The pace of each argument's stream.
    pub intervals: &'a [u32],
    /// The schedule's cycles.
    pub predicted_cycles: u64,
    /// Whether a long simulation tells its progress.
    pub show_progress: bool,
    /// Who records what the hardware does, if anybody does.
    pub recording: Option<Recorded>,
}

/// A call that is recorded.
#[derive(Debug, Clone)]
pub struct Recorded {
    /// In what.
    pub recording: Arc<Recording>,
    /// Its number there.
    pub record: Record,
    /// The index of its kernel.
    pub kernel: usize,
}

impl Recorded {
    fn recorder(&self, name: &str, rtl: &dyn RtlModel) -> Option<CallRecorder> {
        self.recording.call(self.record, (self.kernel, name), rtl)
    }
}

/// What the RTL took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Simulated {
    /// Cycles from `start` to `done`.
    pub cycles: u64,
    /// Wall time of the simulation.
    pub wall_ps: u64,
}

impl<'a> HardwareCall<'a> {
    /// Runs the RTL on the copies in the device's memory, where it is known beforehand from when on records
    /// may pass.
    ///
    /// # Safety
    /// The call's arguments were loaded into `memories`.
    ///
    /// # Errors
    /// Those of [`HardwareCall::begin`] and [`Running::run`].
    pub unsafe fn simulate(
        &self,
        rtl: &dyn RtlModel,
        memories: &mut Memories,
        gates: &Gates,
    ) -> Result<Simulated> {
        // SAFETY: the caller's promise.
        unsafe {
            let mut running = self.begin(rtl, memories)?;
            for (argument, chunk_records, cycles) in &gates.of_streams {
                running.harness.gate(*argument, Foreseen::new(cycles, *chunk_records));
            }
            running.run_to_end()?;
            Ok(running.simulated())
        }
    }

    /// Resets the RTL: the call begins with the first cycle.
    ///
    /// # Safety
    /// As for [`HardwareCall::simulate`]; `memories` and what they were loaded with stay as they are as
    /// long as what is returned.
    ///
    /// # Errors
    /// [`Status::TooLarge`] if the host has not enough memory; those of [`Harness::new`].
    pub unsafe fn begin(&self, rtl: &dyn RtlModel, memories: &mut Memories) -> Result<Running<'a>> {
        let start = Instant::now();
        // SAFETY: the caller's promise.
        let mut harness = unsafe {
            let state = memories.rtl_state.reserve_zeroed(rtl.state_bytes())?.cast::<c_void>();
            Harness::new(rtl, state, (self.data, self.bytes), self.intervals)?
        };
        let of_call = |recorded: &Recorded| recorded.recorder(&self.manifest.kernel, rtl);
        harness.record(self.recording.as_ref().and_then(of_call));
        let next_progress = self.show_progress.then(|| start + PROGRESS_PERIOD);
        Ok(Running {
            harness,
            kernel: &self.manifest.kernel,
            predicted_cycles: self.predicted_cycles,
            // Twice the schedule's count, and room for kernels of few cycles.
            bound: self.predicted_cycles.saturating_mul(2).saturating_add(10_000),
            next_progress,
            wall: start.elapsed(),
        })
    }
}

/// The RTL on its way through a call.
pub struct Running<'a> {
    /// The hardware, and what is around it.
    pub harness: Harness<'a>,
    /// The cycle by which it has to have ended.
    pub bound: u64,
    kernel: &'a str,
    predicted_cycles: u64,
    next_progress: Option<Instant>,
    wall: Duration,
}

impl Running<'_> {
    /// Runs so many cycles more at most, and fewer where a look at the clock is due.
    ///
    /// # Safety
    /// As for [`Harness::run`].
    ///
    /// # Errors
    /// [`Status::WrongResult`] for an access outside the buffers, [`Status::WrongCycles`] when it
    /// does not end.
    pub unsafe fn run(&mut self, cycles: u64) -> Result<Progress> {
        // SAFETY: the caller's promise.
        self.watched(cycles, |harness, cycles| unsafe { harness.run(cycles) })
    }

    /// The same, until a record of an argument's stream has moved.
    ///
    /// # Safety
    /// As for [`Harness::run`].
    ///
    /// # Errors
    /// As for [`Running::run`].
    pub unsafe fn run_until_moves(&mut self, argument: usize) -> Result<Progress> {
        let run = |harness: &mut Harness<'_>, cycles| {
            // SAFETY: the caller's promise.
            unsafe { harness.run_until_moves(argument, cycles) }
        };
        self.watched(u64::MAX, run)
    }

    /// The same, as long as a stream moves steadily.
    ///
    /// # Safety
    /// As for [`Harness::run`].
    ///
    /// # Errors
    /// As for [`Running::run`].
    pub unsafe fn run_steadily(&mut self, flow: Steady) -> Result<Progress> {
        // SAFETY: the caller's promise.
        self.watched(u64::MAX, |harness, cycles| unsafe { harness.run_steadily(flow, cycles) })
    }

    /// Runs until the hardware is done, whose ports do not wait for the clock.
    ///
    /// # Safety
    /// As for [`Harness::run`].
    ///
    /// # Errors
    /// As for [`Running::run`].
    pub unsafe fn run_to_end(&mut self) -> Result<()> {
        // SAFETY: the caller's promise.
        while unsafe { self.run(u64::MAX)? } != Progress::Done {}
        Ok(())
    }

    /// What it took so far.
    pub fn simulated(&self) -> Simulated {
        Simulated { cycles: self.harness.cycles(), wall_ps: duration_ps(self.wall) }
    }

    fn watched(
        &mut self,
        cycles: u64,
        run: impl FnOnce(&mut Harness<'_>, u64) -> Progress,
    ) -> Result<Progress> {
        let left = self.bound.saturating_sub(self.harness.cycles());
        if left == 0 {
            return Err(self.endless());
        }
        let start = Instant::now();
        let progress = run(&mut self.harness, cycles.min(left).min(SLICE_CYCLES));
        self.wall += start.elapsed();
        if progress == Progress::OutOfBounds {
            return Err(out_of_bounds(self.kernel));
        }
        if self.next_progress.is_some_and(|next| start >= next) {
            self.next_progress = Some(start + PROGRESS_PERIOD);
            tell_progress(self.kernel, self.harness.cycles(), self.predicted_cycles);
        }
        Ok(progress)
    }

    fn endless(&self) -> Error {
        let message = format!(
            "kernel {}: the hardware does not end: the schedule says {} cycles, it was still \
             running after {}",
            self.kernel, self.predicted_cycles, self.bound
        );
        Error::new(Status::WrongCycles, message)
    }
}

/// Compares what the hardware left in the device's memory with what the C function left in the
/// program's, and the hardware's cycles with the schedule's.
///
/// # Safety
/// `memories` served a call with these arguments, and the C function has run since.
///
/// # Errors
/// [`Status::WrongResult`] and [`Status::WrongCycles`] with what differs.
pub unsafe fn check(
    manifest: &Manifest,
    data: &[*mut c_void],
    plan: &Plan,
    memories: &Memories,
) -> Result<()> {
    let rows = manifest.arguments.iter().zip(data).zip(&plan.needs).enumerate();
    // What is null the C has not written, or given back.
    let is_there = |p: &Parameter, program: &*mut c_void| p.is_written() && !program.is_null();
    for (index, ((parameter, &program), need)) in rows.filter(|(_, ((p, d), _))| is_there(p, d)) {
        // SAFETY: the caller's promise.
        unsafe {
            let device = memories.device.content(index, need.bytes);
            let (written, read) = (plan.written(index, parameter), plan.read(index, parameter));
            let result = Written { kernel: &manifest.kernel, parameter, device };
            let program = program.cast::<u8>().cast_const();
            written.iter().try_for_each(|range| result.compare(program, range.clone()))?;
            // What arrays share another one may have written in the program's memory.
            let compared = (!plan.shares_bytes).then_some(program);
            result.check_others(compared, &written, &read)?;
        }
    }
    Ok(())
}

/// Compares cycle counts.
///
/// # Errors
/// [`Status::WrongCycles`].
pub fn check_cycles(manifest: &Manifest, predicted: u64, counted: u64) -> Result<()> {
    if counted == predicted {
        return Ok(());
    }
    let message = format!(
        "kernel {}: the hardware took {counted} cycles, the schedule says {predicted}",
        manifest.kernel
    );
    Err(Error::new(Status::WrongCycles, message))
}

fn tell_progress(kernel: &str, cycles: u64, predicted: u64) {
    let percent = cycles.saturating_mul(100) / predicted.max(1);
    // How long hardware that is stepped will wait nobody knows.
    let of_all = match percent {
        0..=100 => format!("of {predicted} cycles ({percent} %)"),
        _ => "cycles".to_string(),
    };
    // Without a standard error nobody reads this; the simulation goes on.
    let _ = writeln!(std::io::stderr(), "tandem: simulate {kernel}: {cycles} {of_all}");
}

fn out_of_bounds(kernel: &str) -> Error {
    let message = format!(
        "kernel {kernel}: the hardware accessed memory that the C function does not touch in this call"
    );
    Error::new(Status::WrongResult, message)
}
