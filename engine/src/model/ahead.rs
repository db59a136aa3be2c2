// SPDX-License-Identifier: Apache-2.0
//! `ahead.so`: what the compiler knows of a call.

use std::ffi::{CStr, c_char, c_void};
use std::ptr::null;

use super::shared_object::SharedObject;
use super::{Answers, CallModel, Data, Meeting, Part, Reach, Run, Traced, Uses};
use crate::error::Result;

type Cycles =
    unsafe extern "C" fn(*const *mut c_void, *const u64, *const u32, *mut Part, u32) -> u64;

type Touched = unsafe extern "C" fn(
    *const *mut c_void,
    *const u64,
    *const u32,
    *mut Part,
    *mut Reach,
    u32,
) -> u64;

/// Tells of a run of bytes: an argument, from where to where, and what is done with them.
type Tell = unsafe extern "C" fn(*mut c_void, u32, i64, i64, u32);

type FifoUse =
    unsafe extern "C" fn(*const *mut c_void, *const u64, *const u32, u64, u32, *mut Uses) -> u64;

type Loops = unsafe extern "C" fn(
    *const *mut c_void,
    *const u64,
    *const u32,
    *mut [u64; 3],
    u64,
    u32,
) -> u64;

/// `struct tandem_seen` (docs/package.md).
#[repr(C)]
struct SeenRow {
    answers: *const u8,
    count: u64,
    room: u64,
}

/// `ahead.so`; the C function itself is the program's own.
pub struct CallObject {
    extents: unsafe extern "C" fn(*const *mut c_void, *mut u64),
    cycles: Cycles,
    touched: Touched,
    traced: unsafe extern "C" fn(*const *mut c_void, *mut MeetingRow, Tell, *mut c_void) -> u32,
    least_depths: unsafe extern "C" fn(*const *mut c_void, *const u64, *const u32, *mut u32) -> u64,
    fifo_use: FifoUse,
    loops: Option<Loops>,
    answers: unsafe extern "C" fn(*mut u32) -> *const SeenRow,
    reason: unsafe extern "C" fn() -> *const c_char,
    _object: SharedObject,
}

impl CallObject {
    /// Loads `ahead.so` from its content.
    ///
    /// # Errors
    /// [`crate::error::Status::BadPackage`] if it cannot be loaded or lacks a function.
    pub fn load(content: &[u8]) -> Result<Self> {
        let object = SharedObject::load(c"ahead.so", content)?;
        // SAFETY: docs/package.md gives these functions' types.
        unsafe {
            Ok(Self {
                extents: object.function(c"tandem_extents")?,
                cycles: object.function(c"tandem_cycles")?,
                touched: object.function(c"tandem_touched")?,
                traced: object.function(c"tandem_traced")?,
                least_depths: object.function(c"tandem_least_depths")?,
                fifo_use: object.function(c"tandem_fifo_use")?,
                loops: object.function(c"tandem_loops").ok(),
                answers: object.function(c"tandem_answers")?,
                reason: object.function(c"tandem_reason")?,
                _object: object,
            })
        }
    }
}

impl CallModel for CallObject {
    unsafe fn extents(&self, data: &Data) -> Vec<u64> {
        let mut bytes = vec![0; data.len()];
        // SAFETY: the caller's promise.
        unsafe { (self.extents)(data.as_ptr(), bytes.as_mut_ptr()) };
        bytes
    }

    unsafe fn cycles(
        &self,
        data: &Data,
        bytes: &[u64],
        intervals: &[u32],
        parts: &mut [Part],
        apart: bool,
    ) -> u64 {
        let (data, bytes) = (data.as_ptr(), bytes.as_ptr());
        let (intervals, parts) = (intervals.as_ptr(), parts.as_mut_ptr());
        // SAFETY: the caller's promise.
        unsafe { (self.cycles)(data, bytes, intervals, parts, apart.into()) }
    }

    unsafe fn touched(
        &self,
        data: &Data,
        bytes: &[u64],
        intervals: &[u32],
        parts: &mut [Part],
        apart: bool,
    ) -> (u64, Vec<Reach>) {
        let mut touched = vec![Reach::default(); data.len()];
        let (data, bytes, reaches) = (data.as_ptr(), bytes.as_ptr(), touched.as_mut_ptr());
        let (intervals, parts) = (intervals.as_ptr(), parts.as_mut_ptr());
        // SAFETY: the caller's promise.
        let cycles =
            unsafe { (self.touched)(data, bytes, intervals, parts, reaches, apart.into()) };
        (cycles, touched)
    }

    unsafe fn traced(&self, data: &Data) -> Traced {
        let mut runs = vec![Vec::new(); data.len()];
        let (argument, other, stores, by_field) = (0, 0, 0, 0);
        let mut meeting = MeetingRow { argument, other, stores, by_field, place: null(), byte: 0 };
        let context = (&raw mut runs).cast();
        // SAFETY: the caller's promise; `add_run` gets the runs of these arguments.
        match unsafe { (self.traced)(data.as_ptr(), &raw mut meeting, add_run, context) } {
            APART => Traced::Apart(runs),
            // SAFETY: the function has filled it.
            MEETS => Traced::Meets(unsafe { meeting.read() }),
            TRACE_WAITS => Traced::Waits,
            TRACE_EXCEEDS => Traced::Exceeds,
            _ => Traced::Unknown,
        }
    }

    unsafe fn least_depths(
        &self,
        data: &Data,
        bytes: &[u64],
        intervals: &[u32],
        depths: &mut [u32],
    ) -> u64 {
        let (data, bytes, depths) = (data.as_ptr(), bytes.as_ptr(), depths.as_mut_ptr());
        // SAFETY: the caller's promise.
        unsafe { (self.least_depths)(data, bytes, intervals.as_ptr(), depths) }
    }

    unsafe fn fifo_use(
        &self,
        data: &Data,
        bytes: &[u64],
        intervals: &[u32],
        part_cycles: u64,
        (parts, rows): (u32, &mut [Uses]),
    ) {
        let (data, bytes, rows) = (data.as_ptr(), bytes.as_ptr(), rows.as_mut_ptr());
        // SAFETY: the caller's promise.
        unsafe { (self.fifo_use)(data, bytes, intervals.as_ptr(), part_cycles, parts, rows) };
    }

    unsafe fn loops(
        &self,
        data: &Data,
        bytes: &[u64],
        intervals: &[u32],
        room: usize,
        apart: bool,
    ) -> Option<(Vec<[u64; 3]>, u64)> {
        let (loops, mut rows) = (self.loops?, vec![[0; 3]; room]);
        let (data, bytes, intervals) = (data.as_ptr(), bytes.as_ptr(), intervals.as_ptr());
        let into = rows.as_mut_ptr();
        // SAFETY: the caller's promise.
        let count = unsafe { loops(data, bytes, intervals, into, room as u64, apart.into()) };
        rows.truncate(usize::try_from(count).unwrap_or(room));
        Some((rows, count))
    }

    fn answers(&self) -> Answers {
        let mut count = 0;
        // SAFETY: the function answers with so many rows of this thread, or with null and none.
        let rows = unsafe {
            let rows = (self.answers)(&raw mut count);
            if count == 0 { &[] } else { std::slice::from_raw_parts(rows, count as usize) }
        };
        let copied = |row: &SeenRow| match row.count {
            0 => Box::default(),
            // SAFETY: there are so many of them.
            count => unsafe { std::slice::from_raw_parts(row.answers, count as usize) }.into(),
        };
        Answers::new(rows.iter().map(copied).collect())
    }

    fn reason(&self) -> String {
        // SAFETY: the function answers with a C string of this thread.
        unsafe { CStr::from_ptr((self.reason)()) }.to_string_lossy().into_owned()
    }
}

/// `struct tandem_meeting` (docs/package.md).
#[repr(C)]
struct MeetingRow {
    argument: u32,
    other: u32,
    stores: u32,
    by_field: u32,
    place: *const c_char,
    byte: i64,
}

impl MeetingRow {
    /// # Safety
    /// The place is a C string.
    unsafe fn read(&self) -> Meeting {
        // SAFETY: the caller's promise.
        let place = unsafe { CStr::from_ptr(self.place) }.to_string_lossy().into_owned();
        let Self { argument, other, byte, .. } = *self;
        let (stores, by_field) = (self.stores != 0, self.by_field != 0);
        Meeting { argument, other, stores, by_field, place, byte }
    }
}

/// What `tandem_traced` answers (docs/package.md).
const APART: u32 = 0;
const MEETS: u32 = 1;
const TRACE_WAITS: u32 = 3;
const TRACE_EXCEEDS: u32 = 4;

/// # Safety
/// `context` are the runs of each argument.
unsafe extern "C" fn add_run(context: *mut c_void, argument: u32, low: i64, high: i64, does: u32) {
    // SAFETY: the caller's promise.
    let runs = unsafe { &mut *context.cast::<Vec<Vec<Run>>>() };
    if let Some(own) = runs.get_mut(argument as usize) {
        own.push(Run { low, high, reads: does & 1 != 0, writes: does & 2 != 0 });
    }
}
