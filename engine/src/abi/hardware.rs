// SPDX-License-Identifier: Apache-2.0
//! The part of the C ABI for a model of the RTL alone, without a platform.

use std::ffi::{OsStr, c_char, c_int};
use std::os::unix::ffi::OsStrExt;

use super::runtime::TandemArgument;
use super::{answer, null, slice, text};
use crate::error::{Error, Result, Status};
use crate::harness::Harness;
use crate::host::block::Block;
use crate::model::{Progress, RtlModel, RtlObject};
use crate::recording::{JoinRequest, join};

/// See `tandem.h`.
///
/// # Safety
/// The pointers are null or valid, as `tandem.h` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tandem_simulate(
    model: *const c_char,
    arguments: *const TandemArgument,
    intervals: *const u32,
    count: u32,
    most_cycles: u64,
    cycles: *mut u64,
    toggles: *mut u64,
) -> c_int {
    answer(|| {
        // SAFETY: the caller's promise.
        unsafe {
            let path = OsStr::from_bytes(text(model, "model")?.to_bytes());
            let arguments = slice(arguments, count as usize, "arguments")?;
            let intervals = slice(intervals, count as usize, "intervals")?;
            let cycles = cycles.as_mut().ok_or_else(|| null("cycles"))?;
            let content = std::fs::read(path).map_err(|cause| {
                Error::new(Status::BadPackage, format!("{}: {cause}", path.display()))
            })?;
            let model = RtlObject::load(&content)?;
            *cycles = simulate(&model, arguments, intervals, most_cycles)?;
            if let (false, Some(activity)) = (toggles.is_null(), model.activity()) {
                for (place, signal) in activity.signals.iter().enumerate() {
                    toggles.add(place).write(signal.toggles);
                }
            }
        }
        Ok(0)
    }) as c_int
}

/// See `tandem.h`.
///
/// # Safety
/// `request` is null or a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tandem_wave(request: *const c_char) -> c_int {
    answer(|| {
        // SAFETY: the caller's promise.
        let request = unsafe { text(request, "request")? };
        let request: JoinRequest = serde_json::from_slice(request.to_bytes())
            .map_err(|error| Error::new(Status::BadArgument, format!("request: {error}")))?;
        join(&request).map(|()| 0)
    }) as c_int
}

/// The cycles of one call.
///
/// # Safety
/// Each argument is valid for its bytes.
unsafe fn simulate(
    model: &RtlObject,
    arguments: &[TandemArgument],
    intervals: &[u32],
    most_cycles: u64,
) -> Result<u64> {
    let data: Vec<_> = arguments.iter().map(|argument| argument.data).collect();
    let bytes: Vec<_> = arguments.iter().map(|argument| argument.bytes as u64).collect();
    let mut state = Block::default();
    // SAFETY: the caller's promise.
    let ended = unsafe {
        let place = state.reserve_zeroed(model.state_bytes())?.cast();
        let mut harness = Harness::new(model, place, (&data, &bytes), intervals)?;
        (harness.run(most_cycles), harness.cycles())
    };
    match ended {
        (Progress::Done, cycles) => Ok(cycles),
        (Progress::OutOfBounds, _) => {
            Err(Error::new(Status::WrongResult, "the hardware left its buffers"))
        }
        (Progress::Running | Progress::Waiting, cycles) => {
            let message = format!("the hardware has not ended after {cycles} cycles");
            Err(Error::new(Status::WrongCycles, message))
        }
    }
}
