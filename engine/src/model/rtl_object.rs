// SPDX-License-Identifier: Apache-2.0
//! `rtl.so`: the RTL cycle by cycle.

use std::ffi::{CStr, c_char, c_void};

use super::shared_object::SharedObject;
use super::{Activity, Data, Eval, RtlModel, Shown, Signal, Toggles};
use crate::error::Result;

/// `rtl.so`.
pub struct RtlObject {
    signals: Vec<Signal>,
    state_bytes: unsafe extern "C" fn() -> u64,
    begin: unsafe extern "C" fn(*mut c_void, *const *mut c_void, *mut *mut u8),
    eval: Eval,
    end: Option<Eval>,
    shown: Vec<Shown>,
    /// What it has that counts toggles of those.
    toggles: Option<unsafe extern "C" fn(*mut u64) -> u64>,
    _object: SharedObject,
}

/// `struct tandem_counted` (docs/package.md).
#[repr(C)]
struct CountedRow {
    name: *const c_char,
    place: *const c_char,
    scope: *const c_char,
    bits: u32,
    is_port: u32,
    offset: u32,
}

/// `struct tandem_signal` (docs/package.md).
#[repr(C)]
struct SignalRow {
    name: *const c_char,
    protocol: *const c_char,
    role: *const c_char,
    argument: u32,
    bits: u32,
}

/// In place of an argument: there is none.
const NO_ARGUMENT: u32 = u32::MAX;

impl RtlObject {
    /// Loads `rtl.so` from its content.
    ///
    /// # Errors
    /// [`crate::error::Status::BadPackage`] if it cannot be loaded or lacks a function.
    pub fn load(content: &[u8]) -> Result<Self> {
        let object = SharedObject::load(c"rtl.so", content)?;
        // SAFETY: docs/package.md gives the types of these functions and variables.
        unsafe {
            let count = *object.function::<*const u32>(c"tandem_rtl_signal_count")?;
            let rows = object.function::<*const SignalRow>(c"tandem_rtl_signals")?;
            let rows = std::slice::from_raw_parts(rows, count as usize);
            Ok(Self {
                signals: rows.iter().map(|row| row.signal()).collect(),
                state_bytes: object.function(c"tandem_rtl_state_bytes")?,
                begin: object.function(c"tandem_rtl_begin")?,
                eval: object.function(c"tandem_rtl_eval")?,
                end: object.function(c"tandem_rtl_end").ok(),
                shown: shown(&object)?,
                toggles: object.function(c"tandem_rtl_toggles").ok(),
                _object: object,
            })
        }
    }
}

/// What of a model's state has names; nothing of one that does not show any.
///
/// # Safety
/// The object is an `rtl.so`.
unsafe fn shown(object: &SharedObject) -> Result<Vec<Shown>> {
    // SAFETY: docs/package.md gives the types of these variables.
    unsafe {
        let Ok(count) = object.function::<*const u32>(c"tandem_rtl_counted_count") else {
            return Ok(Vec::new());
        };
        let rows = object.function::<*const CountedRow>(c"tandem_rtl_counted")?;
        let rows = std::slice::from_raw_parts(rows, *count as usize);
        Ok(rows.iter().map(|row| row.signal()).collect())
    }
}

impl CountedRow {
    /// # Safety
    /// The row is one of a model's.
    unsafe fn signal(&self) -> Shown {
        // SAFETY: the caller's promise.
        let text = |place| unsafe { CStr::from_ptr(place) }.to_string_lossy().into_owned();
        let Self { bits, offset, .. } = *self;
        Shown {
            name: text(self.name),
            place: text(self.place),
            scope: text(self.scope),
            bits,
            is_port: self.is_port != 0,
            offset,
        }
    }
}

impl SignalRow {
    /// # Safety
    /// The row is one of a model's port map.
    unsafe fn signal(&self) -> Signal {
        // SAFETY: the caller's promise.
        let text = |place| unsafe { CStr::from_ptr(place) }.to_string_lossy().into_owned();
        Signal {
            name: text(self.name),
            protocol: text(self.protocol),
            role: text(self.role),
            argument: (self.argument != NO_ARGUMENT).then_some(self.argument as usize),
            bits: self.bits,
        }
    }
}

impl RtlModel for RtlObject {
    fn signals(&self) -> &[Signal] {
        &self.signals
    }

    fn state_bytes(&self) -> u64 {
        // SAFETY: the function takes nothing and only tells a constant.
        unsafe { (self.state_bytes)() }
    }

    unsafe fn begin(&self, state: *mut c_void, data: &Data) -> Vec<*mut u8> {
        let mut ports = vec![std::ptr::null_mut(); self.signals.len()];
        // SAFETY: the caller's promise.
        unsafe { (self.begin)(state, data.as_ptr(), ports.as_mut_ptr()) };
        ports
    }

    fn eval(&self) -> Eval {
        self.eval
    }

    fn end(&self) -> Option<Eval> {
        self.end
    }

    fn shown(&self) -> &[Shown] {
        &self.shown
    }

    fn activity(&self) -> Option<Activity> {
        let count = self.toggles?;
        let mut toggles = vec![0; self.shown.len()];
        // SAFETY: the function fills as many as there are signals.
        let cycles = unsafe { count(toggles.as_mut_ptr()) };
        let row = |(row, toggles): (&Shown, u64)| {
            let Shown { name, place, bits, is_port, .. } = row.clone();
            Toggles { name, place, bits, is_port, toggles }
        };
        let signals = self.shown.iter().zip(toggles).map(row).collect();
        Some(Activity { cycles, signals })
    }
}
