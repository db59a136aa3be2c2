// SPDX-License-Identifier: Apache-2.0
//! What hardware has left, beside what the C function has.

use std::ffi::c_void;
use std::ops::Range;
use std::sync::Arc;

use crate::call::buffers::{Buffers, UNWRITTEN};
use crate::call::plan::Plan;
use crate::error::{Error, Result, Status};
use crate::package::{Manifest, Parameter};

use super::{Memories, check};

/// What the C function has left in the program's memory, kept to be compared later on, when the program
/// may have changed it.
pub struct Expected {
    plan: Arc<Plan>,
    data: Vec<*mut c_void>,
    _kept: Buffers,
}

// SAFETY: the addresses are those of what is kept.
unsafe impl Send for Expected {}

impl Expected {
    /// Keeps what is to be compared of a call.
    ///
    /// # Safety
    /// As for [`check`].
    ///
    /// # Errors
    /// [`Status::TooLarge`] if the host has not enough memory.
    pub unsafe fn new(manifest: &Manifest, data: &[*mut c_void], plan: &Arc<Plan>) -> Result<Self> {
        let mut kept = Buffers::default();
        // SAFETY: the caller's promise.
        let data = unsafe { kept.keep(manifest, data, plan)? };
        Ok(Self { plan: Arc::clone(plan), data, _kept: kept })
    }

    /// As [`check`], of a call that was served since.
    ///
    /// # Errors
    /// As for [`check`].
    pub fn check(&self, manifest: &Manifest, memories: &Memories) -> Result<()> {
        // SAFETY: all that is compared was kept.
        unsafe { check(manifest, &self.data, &self.plan, memories) }
    }
}

/// An argument that the hardware has written.
pub(super) struct Written<'a> {
    pub(super) kernel: &'a str,
    pub(super) parameter: &'a Parameter,
    pub(super) device: &'a [u8],
}

impl Written<'_> {
    /// Compares what both have left in bytes that the C writes.
    ///
    /// # Safety
    /// The program's memory is valid there.
    pub(super) unsafe fn compare(&self, program: *const u8, range: Range<usize>) -> Result<()> {
        // SAFETY: the caller's promise.
        let expected = unsafe { std::slice::from_raw_parts(program.add(range.start), range.len()) };
        let got = self.device.get(range.clone()).unwrap_or_default();
        let float_bytes = self.parameter.float_bytes as usize;
        if *got == *expected || are_same_floats(got, expected, float_bytes) {
            return Ok(());
        }
        Err(wrong_result(self.kernel, &self.parameter.name, (got, expected), range.start))
    }

    /// That all other bytes are as they were: of those that were loaded, of which some may be written,
    /// as in the program's memory where it tells that; the others as before.
    ///
    /// # Safety
    /// The program's memory is valid where bytes were loaded.
    pub(super) unsafe fn check_others(
        &self,
        program: Option<*const u8>,
        written: &[Range<usize>],
        loaded: &[Range<usize>],
    ) -> Result<()> {
        if let [all] = written
            && all.len() == self.device.len()
        {
            return Ok(());
        }
        let mut known = vec![false; self.device.len()];
        written.iter().for_each(|range| known[range.clone()].fill(true));
        let mut changed = 0;
        for range in loaded {
            // SAFETY: the caller's promise.
            let kept = |at| program.is_none_or(|p| unsafe { *p.add(at) } == self.device[at]);
            changed += range.clone().filter(|&at| !known[at] && !kept(at)).count();
            known[range.clone()].fill(true);
        }
        let others = self.device.iter().zip(&known).filter(|&(_, known)| !known);
        changed += others.filter(|&(&byte, _)| byte != UNWRITTEN).count();
        if changed == 0 {
            return Ok(());
        }
        let (kernel, name) = (self.kernel, &self.parameter.name);
        let message = format!(
            "kernel {kernel}: the hardware wrote {changed} bytes of {name} that the C function does \
             not write"
        );
        Err(Error::new(Status::WrongResult, message))
    }
}

/// Whether two buffers of floating-point numbers differ in nothing but what a NaN is made of.
pub(super) fn are_same_floats(got: &[u8], expected: &[u8], float_bytes: usize) -> bool {
    let same = |(a, b): (&[u8], &[u8])| a == b || (is_nan(a) && is_nan(b));
    float_bytes > 0 && got.chunks(float_bytes).zip(expected.chunks(float_bytes)).all(same)
}

/// Whether bytes are those of a NaN, of the format of their size.
pub(super) fn is_nan(bytes: &[u8]) -> bool {
    if let Ok(single) = bytes.try_into() {
        return f32::from_le_bytes(single).is_nan();
    }
    bytes.try_into().is_ok_and(|double| f64::from_le_bytes(double).is_nan())
}

pub(super) fn wrong_result(
    kernel: &str,
    argument: &str,
    (got, expected): (&[u8], &[u8]),
    low: usize,
) -> Error {
    let differs = |(got, expected): (&u8, &u8)| got != expected;
    let offset = got.iter().zip(expected).position(differs).unwrap_or(0);
    let differing = got.iter().zip(expected).filter(|&pair| differs(pair)).count();
    let message = format!(
        "kernel {kernel}: the hardware's {argument} differs from the C function's in {differing} \
         of {} bytes, first at byte {}: expected 0x{:02x}, got 0x{:02x}{}",
        got.len(),
        low + offset,
        expected[offset],
        got[offset],
        if got[offset] == UNWRITTEN { " (as a byte that was never written)" } else { "" },
    );
    Error::new(Status::WrongResult, message)
}
