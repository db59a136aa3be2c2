// SPDX-License-Identifier: Apache-2.0
//! Looking ahead: what a call does with memory, as closely as it takes to know whether the device can
//! serve it.

use std::ffi::c_void;

use crate::call::declined::Declined;
use crate::call::plan::{Ahead, Cycles, MAY_OVERLAP, STOPPED, clamped};
use crate::error::Result;
use crate::model::{EXTENT_UNKNOWN, Reach, Run, Traced};
use crate::package::{Extent, Flow, Kind, Parameter};

const POINTER_BYTES: i128 = 8;

/// How closely to look at a call.
#[derive(Debug, Clone, Copy, Default)]
pub struct Closely {
    /// To find out what it does with each byte, so that nothing else of the program's memory needs
    /// to be read.
    pub exactly: bool,
    /// To go by what it touches where only a bound of that is known.
    pub past_bounds: bool,
}

/// What looking ahead has shown so far.
pub(crate) struct Look {
    pub observed: bool,
    pub cycles: Option<Cycles>,
    pub touched: Vec<Reach>,
    /// The arrays whose bytes meet, so that it is open what the device may do.
    pub meets: Option<String>,
    pub shares_bytes: bool,
    pub runs: Option<Vec<Vec<Run>>>,
    pub declined: Option<Declined>,
}

impl Look {
    /// What extents tell and, where they are not known, or not exact and that is asked for, the
    /// kernel's own way through memory.
    ///
    /// # Safety
    /// As for [`Plan::new`].
    pub unsafe fn new(ahead: Ahead<'_>, extents: &[u64], closely: Closely) -> Result<Self> {
        let known = |p: &Parameter, bytes| {
            matches!(p.extent, Extent::Exact | Extent::Bound) && bytes != EXTENT_UNKNOWN
                || p.kind == Kind::Place
        };
        let is_exact = |p: &Parameter| p.extent == Extent::Exact || p.kind == Kind::Place;
        let mut pairs = ahead.manifest.arguments.iter().zip(extents);
        let inexact = !ahead.manifest.arguments.iter().all(is_exact);
        let observed = !pairs.all(|(p, &bytes)| known(p, bytes))
            || (closely.exactly || closely.past_bounds) && inexact;
        let claimed = |&bytes: &u64| Reach { low: 0, high: clamped(bytes) };
        let touched: Vec<_> = extents.iter().map(claimed).collect();
        let mut look = Self {
            observed: false,
            cycles: None,
            meets: overlap(ahead, &touched),
            touched,
            shares_bytes: !ahead.view.shared.is_empty(),
            runs: None,
            declined: None,
        };
        if observed || inexact && look.meets.is_some() {
            // SAFETY: the caller's promise.
            unsafe { look.observe(ahead, extents, false)? };
        }
        ahead.view.touched(ahead.manifest, &mut look.touched);
        look.observed |= ahead.view.runs.is_some();
        Ok(look)
    }

    /// # Safety
    /// As for [`Plan::new`].
    unsafe fn observe(&mut self, ahead: Ahead<'_>, extents: &[u64], apart: bool) -> Result<()> {
        // SAFETY: the caller's promise.
        let (cycles, touched) = unsafe { ahead.touched(extents, apart)? };
        self.meets = overlap(ahead, &touched)
            .or_else(|| (cycles.total == STOPPED).then(|| MAY_OVERLAP.to_string()));
        (self.observed, self.cycles, self.touched) = (true, Some(cycles), touched);
        ahead.view.touched(ahead.manifest, &mut self.touched);
        Ok(())
    }

    /// What the C does with memory decides whether arrays that meet may be apart in the device.
    ///
    /// # Safety
    /// As for [`Plan::new`].
    pub unsafe fn trace(&mut self, ahead: Ahead<'_>, extents: &[u64]) -> Result<()> {
        // SAFETY: the caller's promise.
        match unsafe { ahead.traced() } {
            Traced::Apart(runs) => {
                self.runs = Some(runs);
                self.shares_bytes |= self.meets.is_some();
                if self.meets.is_some() {
                    // SAFETY: the caller's promise.
                    unsafe { self.observe(ahead, extents, true)? };
                }
                self.meets = None;
            }
            Traced::Meets(meeting) => {
                self.declined = Some(Declined::meets(ahead.manifest, &meeting, &ahead.view.data));
            }
            Traced::Waits => self.declined = Some(Declined::waits()),
            Traced::Exceeds => self.declined = Some(ahead.model.reason().into()),
            Traced::Unknown => {}
        }
        Ok(())
    }
}

/// The device has a copy of each buffer, so buffers that overlap cannot be served, unless they are
/// one buffer and the kernel is known to read each part of it before it writes there.
fn overlap(ahead: Ahead<'_>, touched: &[Reach]) -> Option<String> {
    let arguments = &ahead.manifest.arguments;
    let pointers = |from: usize| (from..arguments.len()).filter(|&i| arguments[i].is_pointer());
    for i in pointers(0) {
        for j in pointers(i + 1) {
            let both_in = arguments[i].direction == Flow::In && arguments[j].direction == Flow::In;
            let same = ahead.view.data[i] == ahead.view.data[j] && ahead.manifest.may_share(i, j);
            if !both_in && !same && meet(&ahead.view.data, touched, (i, j)) {
                return Some(format!(
                    "`{}` and `{}` overlap",
                    arguments[i].name, arguments[j].name
                ));
            }
        }
    }
    changed_field(ahead, touched)
}

/// A pointer that was read before the call lies where another array is written, as well as may be.
fn changed_field(ahead: Ahead<'_>, touched: &[Reach]) -> Option<String> {
    let arguments = &ahead.manifest.arguments;
    let mut fields =
        arguments.iter().filter_map(|own| own.field.as_ref().map(|field| (own, field)));
    fields.find_map(|(own, field)| {
        let parent = ahead.view.data.get(field.argument).filter(|parent| !parent.is_null())?;
        let start = *parent as i128 + i128::from(field.byte);
        let is_hit = |i: &usize| {
            let (low, high) = range(&ahead.view.data, touched, *i);
            low < high && low < start + POINTER_BYTES && start < high
        };
        let mut written = (0..arguments.len()).filter(|&i| {
            (field.open || i != field.argument)
                && arguments[i].is_pointer()
                && arguments[i].is_written()
        });
        let other = written.find(is_hit)?;
        Some(format!("`{}` is written where `{}` is read from", arguments[other].name, own.name))
    })
}

/// The addresses that a call touches of an array.
fn range(data: &[*mut c_void], touched: &[Reach], k: usize) -> (i128, i128) {
    let base = data[k] as i128;
    (base + i128::from(touched[k].low), base + i128::from(touched[k].high))
}

pub(crate) fn meet(data: &[*mut c_void], touched: &[Reach], (i, j): (usize, usize)) -> bool {
    let ((a, a_end), (b, b_end)) = (range(data, touched, i), range(data, touched, j));
    a < a_end && b < b_end && a < b_end && b < a_end
}
