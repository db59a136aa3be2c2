// SPDX-License-Identifier: Apache-2.0
//! The values and the cycles of one call: from the C function and the schedule (emulate), or from
//! the RTL, checked against both (simulate).

use std::ffi::c_void;
use std::io::Write;
use std::time::{Duration, Instant};

use crate::buffers::{Argument, Block, Buffers, Fill};
use crate::error::{Error, Result, Status};
use crate::model::{NativeModel, Progress, RtlModel};
use crate::package::Manifest;

/// Cycles between two looks at the clock and at the bound.
const SLICE_CYCLES: u64 = 1 << 20;
/// How long a simulation may take before it tells its progress, and how often it then does.
const PROGRESS_PERIOD: Duration = Duration::from_secs(2);
/// Time after which the software baseline is not repeated again.
const BASELINE_LIMIT_PS: u64 = 1_000_000_000_000;
/// What the hardware's output buffers hold before a checked call; the C function's hold zeros, so
/// that a byte that the hardware does not write differs.
const UNWRITTEN: u8 = 0xa5;

/// A call with its kernel.
pub struct Call<'a> {
    /// The interface.
    pub manifest: &'a Manifest,
    /// The C function.
    pub native: &'a dyn NativeModel,
    /// The caller's buffers.
    pub arguments: &'a [Argument],
    /// The pace of each argument's stream.
    pub intervals: &'a [u32],
    /// How often the C function is timed; the least time counts.
    pub baseline_runs: u32,
}

/// The device's memory, and what a checked call needs beside it.
#[derive(Debug, Default)]
pub struct Memories {
    device: Buffers,
    check: Buffers,
    rtl_state: Block,
}

/// What a call took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Execution {
    /// Cycles of the kernel.
    pub cycles: u64,
    /// Wall time of the C function.
    pub software_ps: u64,
    /// Wall time of the RTL's simulation.
    pub simulate_wall_ps: u64,
}

/// Runs the C function on the device's buffers; the cycles are the schedule's.
///
/// # Safety
/// The call's arguments are valid for their bytes, and the kernel's interface is the manifest's.
///
/// # Errors
/// [`Status::TooLarge`] if the host has not enough memory.
pub unsafe fn emulate(call: &Call<'_>, memories: &mut Memories) -> Result<Execution> {
    let Memories { device, check, .. } = memories;
    // SAFETY: the caller's promise; a buffer that is only written is written whole (package.md).
    unsafe {
        let data = device.load(call.manifest, call.arguments, Fill::Nothing)?;
        let cycles = call.native.cycles(&data, call.intervals);
        let first_ps = wall_ps(|| call.native.run(&data));
        let software_ps = least_software_ps(call, check, first_ps)?;
        device.store(call.manifest, call.arguments);
        Ok(Execution { cycles, software_ps, simulate_wall_ps: 0 })
    }
}

/// Runs the RTL on the device's buffers and the C function on others, and compares.
///
/// # Safety
/// As for [`emulate`].
///
/// # Errors
/// [`Status::WrongResult`] and [`Status::WrongCycles`] with what differs, [`Status::TooLarge`] if
/// the host has not enough memory. The caller's buffers are then untouched.
pub unsafe fn simulate(
    call: &Call<'_>,
    rtl: &dyn RtlModel,
    memories: &mut Memories,
    show_progress: bool,
) -> Result<Execution> {
    let Memories { device, check, rtl_state } = memories;
    // SAFETY: the caller's promise.
    unsafe {
        let data = device.load(call.manifest, call.arguments, Fill::Byte(UNWRITTEN))?;
        let expected = check.load(call.manifest, call.arguments, Fill::Byte(0))?;
        let predicted = call.native.cycles(&expected, call.intervals);
        let state = rtl_state.reserve_zeroed(rtl.state_bytes())?.cast::<c_void>();
        let bytes: Vec<u64> = call.arguments.iter().map(|argument| argument.bytes).collect();
        let mut outcome = Ok(());
        let simulate_wall_ps = wall_ps(|| {
            rtl.start(state, &data, &bytes, call.intervals);
            outcome = run_to_end(call.manifest, rtl, state, predicted, show_progress);
        });
        outcome?;
        let first_ps = wall_ps(|| call.native.run(&expected));
        compare(call, device, check)?;
        let software_ps = least_software_ps(call, check, first_ps)?;
        check_cycles(call.manifest, predicted, rtl.cycles(state))?;
        device.store(call.manifest, call.arguments);
        Ok(Execution { cycles: predicted, software_ps, simulate_wall_ps })
    }
}

/// The least time of the C function over the wanted number of runs, on fresh copies of the inputs: a
/// single run is slow when its code and data are cold, and software would look worse than it is.
///
/// # Safety
/// As for [`emulate`]; the caller's buffers still hold the inputs.
unsafe fn least_software_ps(call: &Call<'_>, scratch: &mut Buffers, first_ps: u64) -> Result<u64> {
    let mut least_ps = first_ps;
    let mut spent_ps = first_ps;
    for _ in 1..call.baseline_runs {
        if spent_ps > BASELINE_LIMIT_PS {
            break;
        }
        // SAFETY: the caller's promise.
        let run_ps = unsafe {
            let data = scratch.load(call.manifest, call.arguments, Fill::Byte(0))?;
            wall_ps(|| call.native.run(&data))
        };
        least_ps = least_ps.min(run_ps);
        spent_ps += run_ps;
    }
    Ok(least_ps)
}

/// Runs a started RTL model until it is done.
///
/// # Safety
/// `state` was started.
unsafe fn run_to_end(
    manifest: &Manifest,
    rtl: &dyn RtlModel,
    state: *mut c_void,
    predicted: u64,
    show_progress: bool,
) -> Result<()> {
    // Twice the schedule's count, and room for kernels of few cycles.
    let bound = predicted.saturating_mul(2).saturating_add(10_000);
    let kernel = &manifest.kernel;
    let mut next_progress = Instant::now() + PROGRESS_PERIOD;
    let mut cycles = 0;
    while cycles < bound {
        let slice = SLICE_CYCLES.min(bound - cycles);
        cycles += slice;
        // SAFETY: the caller's promise.
        match unsafe { rtl.run(state, slice) } {
            Progress::Done => return Ok(()),
            Progress::OutOfBounds => return Err(out_of_bounds(kernel)),
            Progress::Running => {}
        }
        if show_progress && Instant::now() >= next_progress {
            next_progress = Instant::now() + PROGRESS_PERIOD;
            tell_progress(kernel, cycles, predicted);
        }
    }
    let message = format!(
        "kernel {kernel}: the hardware does not end: the schedule says {predicted} cycles, it was \
         still running after {bound}"
    );
    Err(Error::new(Status::WrongCycles, message))
}

fn tell_progress(kernel: &str, cycles: u64, predicted: u64) {
    let percent = cycles.saturating_mul(100) / predicted.max(1);
    // Without a standard error nobody reads this; the simulation goes on.
    let _ = writeln!(
        std::io::stderr(),
        "tandem: simulate {kernel}: {cycles} of {predicted} cycles ({percent} %)"
    );
}

fn out_of_bounds(kernel: &str) -> Error {
    let message = format!(
        "kernel {kernel}: the hardware accessed memory outside its buffers; check the extents that \
         its pointer arguments are given"
    );
    Error::new(Status::WrongResult, message)
}

/// # Safety
/// Both memories were loaded with the call's arguments, without [`Fill::Nothing`].
unsafe fn compare(call: &Call<'_>, device: &Buffers, check: &Buffers) -> Result<()> {
    let written = call.manifest.arguments.iter().zip(call.arguments).enumerate();
    for (index, (parameter, argument)) in written.filter(|(_, (p, _))| p.is_written()) {
        // SAFETY: the caller's promise.
        let (got, expected) = unsafe {
            (device.content(index, argument.bytes), check.content(index, argument.bytes))
        };
        if got != expected {
            return Err(wrong_result(&call.manifest.kernel, &parameter.name, got, expected));
        }
    }
    Ok(())
}

fn wrong_result(kernel: &str, argument: &str, got: &[u8], expected: &[u8]) -> Error {
    let differs = |(got, expected): (&u8, &u8)| got != expected;
    let offset = got.iter().zip(expected).position(differs).unwrap_or(0);
    let differing = got.iter().zip(expected).filter(|&pair| differs(pair)).count();
    let message = format!(
        "kernel {kernel}: the hardware's {argument} differs from the C function's in {differing} \
         of {} bytes, first at byte {offset}: expected 0x{:02x}, got 0x{:02x}{}",
        got.len(),
        expected[offset],
        got[offset],
        if got[offset] == UNWRITTEN { " (as a byte that was never written)" } else { "" },
    );
    Error::new(Status::WrongResult, message)
}

fn check_cycles(manifest: &Manifest, predicted: u64, counted: u64) -> Result<()> {
    if counted == predicted {
        return Ok(());
    }
    let message = format!(
        "kernel {}: the hardware took {counted} cycles, the schedule says {predicted}",
        manifest.kernel
    );
    Err(Error::new(Status::WrongCycles, message))
}

/// Wall time of `work`, on the monotonic clock.
pub fn wall_ps(work: impl FnOnce()) -> u64 {
    let start = Instant::now();
    work();
    elapsed_ps(start)
}

/// Wall time since `start`.
pub fn elapsed_ps(start: Instant) -> u64 {
    u64::try_from(start.elapsed().as_nanos().saturating_mul(1000)).unwrap_or(u64::MAX)
}
