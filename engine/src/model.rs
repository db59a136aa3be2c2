// SPDX-License-Identifier: Apache-2.0
//! A kernel's two executable models (docs/package.md): what the compiler knows of a call (extents,
//! touched bytes, the schedule's cycle count), and the RTL cycle by cycle.

use std::ffi::{CStr, c_char, c_void};
use std::fs::File;
use std::io::Write;
use std::ops::AddAssign;
use std::os::fd::{AsRawFd, FromRawFd};
use std::path::PathBuf;
use std::ptr::null;
use std::sync::atomic::{AtomicU64, Ordering};

use libc::RTLD_DEEPBIND;
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use serde::Serialize;

use crate::error::{Error, Result, Status};

/// Pointers to the data of a call's arguments, in the manifest's order.
pub type Data = [*mut c_void];

/// What a slice of an RTL simulation ended with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// It has more cycles to go.
    Running,
    /// So has it, but whether a record may pass in the next one is not known yet.
    Waiting,
    /// `done` was seen.
    Done,
    /// An access outside a buffer.
    OutOfBounds,
}

/// Bytes of a buffer, counted from the pointer that the program passed: `low` may lie before it.
/// Nothing where `low == high`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Reach {
    /// The first byte.
    pub low: i64,
    /// One past the last.
    pub high: i64,
}

/// A part of a call's cycles: of one loop, those of inner loops apart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[repr(C)]
pub struct Part {
    /// How often the loop's body began.
    pub iterations: u64,
    /// How long it took.
    pub cycles: u64,
    /// Of a loop that takes or gives records, the cycle in which it was entered; of what is in no
    /// loop, the cycle behind the last block; else 0.
    #[serde(skip)]
    pub entered: u64,
}

impl AddAssign for Part {
    fn add_assign(&mut self, other: Self) {
        self.iterations += other.iterations;
        self.cycles += other.cycles;
        self.entered = other.entered;
    }
}

/// An extent that exceeds every memory (docs/package.md).
pub(crate) const EXTENT_TOO_LARGE: u64 = u64::MAX;
/// An extent that this call's numbers do not tell (docs/package.md).
pub(crate) const EXTENT_UNKNOWN: u64 = u64::MAX - 1;
/// In place of a call's cycles: its processes wait for each other (docs/package.md).
pub(crate) const NEVER_ENDS: u64 = u64::MAX;

/// In place of a call's cycles: it waits for what another part of the program would have to write
/// (docs/package.md).
pub(crate) const WAITS: u64 = u64::MAX - 2;

/// In place of a call's cycles: it needs more than hardware was given for it (docs/package.md).
pub(crate) const EXCEEDS: u64 = u64::MAX - 3;

/// Bytes of an argument, counted from its pointer, with which the C does the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// The first byte.
    pub low: i64,
    /// One past the last.
    pub high: i64,
    /// Whether the C reads what they held before the call.
    pub reads: bool,
    /// Whether it writes them.
    pub writes: bool,
}

impl Run {
    /// The same bytes, counted from that many before.
    pub fn moved(&self, start: usize) -> Self {
        let start = start as i64;
        Self { low: self.low + start, high: self.high + start, ..*self }
    }
}

/// What a call does with memory, in the order of the C.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Traced {
    /// No array reads or writes what another one has written before: the runs of each argument, in
    /// order.
    Apart(Vec<Vec<Run>>),
    /// One does.
    Meets(Meeting),
    /// That cannot be told.
    Unknown,
    /// As [`WAITS`].
    Waits,
    /// As [`EXCEEDS`].
    Exceeds,
}

/// An access of an array to what another one has written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Meeting {
    /// The argument.
    pub argument: u32,
    /// The one that has written there.
    pub other: u32,
    /// Whether it writes.
    pub stores: bool,
    /// Whether it is a pointer in a struct that one of the two accesses.
    pub by_field: bool,
    /// The line in the C, such as "line 3", or empty.
    pub place: String,
    /// The byte, counted from the argument's pointer.
    pub byte: i64,
}

/// What the compiler knows of a call before it happens. All of it looks at the program's memory as
/// it is before the call and changes nothing there.
pub trait CallModel: Send + Sync {
    /// The extent of each argument in bytes; may be [`EXTENT_TOO_LARGE`] or [`EXTENT_UNKNOWN`].
    ///
    /// # Safety
    /// `data` are the arguments of a call that the C function may be given.
    unsafe fn extents(&self, data: &Data) -> Vec<u64>;

    /// The cycles that the schedule gives the call; `parts` get those of each loop and, last, of
    /// what is in no loop. With `apart` it is known that no array reads what another one writes.
    ///
    /// # Safety
    /// As for [`CallModel::extents`], and `bytes` are its answer; `parts` are one more than loops.
    unsafe fn cycles(
        &self,
        data: &Data,
        bytes: &[u64],
        intervals: &[u32],
        parts: &mut [Part],
        apart: bool,
    ) -> u64;

    /// As [`CallModel::cycles`], and what the call reads and writes of each argument.
    ///
    /// # Safety
    /// As for [`CallModel::cycles`].
    unsafe fn touched(
        &self,
        data: &Data,
        bytes: &[u64],
        intervals: &[u32],
        parts: &mut [Part],
        apart: bool,
    ) -> (u64, Vec<Reach>);

    /// What the C does with each byte.
    ///
    /// # Safety
    /// As for [`CallModel::extents`].
    unsafe fn traced(&self, _data: &Data) -> Traced {
        Traced::Unknown
    }

    /// The least depth of each FIFO between processes with which the call takes no cycle more than
    /// with as much room as could be; and that many cycles, or [`NEVER_ENDS`].
    ///
    /// # Safety
    /// As for [`CallModel::cycles`]; `depths` are as many as FIFOs.
    unsafe fn least_depths(
        &self,
        _data: &Data,
        _bytes: &[u64],
        _intervals: &[u32],
        _depths: &mut [u32],
    ) -> u64 {
        NEVER_ENDS
    }

    /// What becomes of each FIFO between processes in each part of the call: counts of
    /// [`Uses`], FIFO by FIFO and part by part.
    ///
    /// # Safety
    /// As for [`CallModel::cycles`]; `rows` are as many as FIFOs times parts.
    unsafe fn fifo_use(
        &self,
        _data: &Data,
        _bytes: &[u64],
        _intervals: &[u32],
        _part_cycles: u64,
        _rows: (u32, &mut [Uses]),
    ) {
    }

    /// When each loop of the call is entered and left, with its number, as many times as there is
    /// `room` for; and how many there are. Nothing of a package that does not tell.
    ///
    /// # Safety
    /// As for [`CallModel::cycles`].
    unsafe fn loops(
        &self,
        _data: &Data,
        _bytes: &[u64],
        _intervals: &[u32],
        _room: usize,
        _apart: bool,
    ) -> Option<(Vec<[u64; 3]>, u64)> {
        None
    }

    /// What the polls of the call answer at which this thread has looked last.
    fn answers(&self) -> Answers {
        Answers::default()
    }

    /// Why the last look ahead of this thread came to [`NEVER_ENDS`] or [`EXCEEDS`], or to
    /// [`Traced::Exceeds`]: which process waits for what, or what is more than hardware was given.
    fn reason(&self) -> String {
        String::new()
    }
}

/// What becomes of a FIFO in a part of a call, as C counts it: records given and taken, and cycles
/// that a process waits for a record and for room.
pub type Uses = [u64; 4];

/// What the polls of a call's processes answer in hardware: of each process, in the order in which
/// they start, in the order in which it asks.
#[derive(Debug, Default)]
pub struct Answers {
    rows: Vec<AnswersRow>,
    /// What the rows point to.
    _answers: Vec<Box<[u8]>>,
}

impl Answers {
    fn new(answers: Vec<Box<[u8]>>) -> Self {
        let rows = answers
            .iter()
            .map(|of| AnswersRow { answers: of.as_ptr(), count: of.len() as u64 })
            .collect();
        Self { rows, _answers: answers }
    }

    /// As C is given them: a row a process.
    pub fn rows(&self) -> &[AnswersRow] {
        &self.rows
    }
}

/// `tandem_polls` (include/tandem.h).
#[repr(C)]
#[derive(Debug)]
pub struct AnswersRow {
    /// 1 where there was a record, or room.
    pub answers: *const u8,
    /// How many.
    pub count: u64,
}

/// `struct tandem_seen` (docs/package.md).
#[repr(C)]
struct SeenRow {
    answers: *const u8,
    count: u64,
    room: u64,
}

/// One port of the hardware.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signal {
    /// As in the Verilog.
    pub name: String,
    /// What the port speaks (docs/verilog.md).
    pub protocol: String,
    /// What the signal is in that.
    pub role: String,
    /// The argument, unless it belongs to the call as a whole.
    pub argument: Option<usize>,
    /// Its width.
    pub bits: u32,
}

impl Signal {
    /// Bytes that its bits take.
    pub fn bytes(&self) -> usize {
        self.bits.div_ceil(8) as usize
    }

    /// Bytes of a place for it that any model's port fits.
    pub fn room_bytes(&self) -> usize {
        self.bytes().next_power_of_two().max(16)
    }
}

/// A model of the RTL: its ports, and half a clock cycle of it. What is around it is
/// [`crate::harness::Harness`].
pub trait RtlModel: Send + Sync {
    /// The port map.
    fn signals(&self) -> &[Signal];

    /// Size of the state.
    fn state_bytes(&self) -> u64;

    /// Makes a model in `state`; where each signal is, null for one that nothing in there reads.
    ///
    /// # Safety
    /// `state` is zeroed, 64-byte aligned and of [`RtlModel::state_bytes`]; `data` are the arguments
    /// of a call.
    unsafe fn begin(&self, state: *mut c_void, data: &Data) -> Vec<*mut u8>;

    /// What computes what follows from the inputs as they are, the clock among them.
    fn eval(&self) -> Eval;

    /// What a state has to be given when a call has ended, if anything.
    fn end(&self) -> Option<Eval> {
        None
    }

    /// What of its state has names.
    fn shown(&self) -> &[Shown] {
        &[]
    }

    /// What has toggled since the model was loaded; nothing of one that does not count.
    fn activity(&self) -> Option<Activity> {
        None
    }
}

/// How often bits of hardware were otherwise behind a clock edge than behind the one before.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Activity {
    /// Cycles between the reset and the end of calls.
    pub cycles: u64,
    /// What they were counted of.
    pub signals: Vec<Toggles>,
}

/// A register or a port of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// As in the Verilog.
    pub name: String,
    /// Where in the C it comes from, such as "file.c:12", or empty.
    pub place: String,
    /// Where waves show it: scopes with a dot between them.
    pub scope: String,
    /// Its width.
    pub bits: u32,
    /// Whether it is a port.
    pub is_port: bool,
    /// Its first byte in the state, the lowest.
    pub offset: u32,
}

/// Toggles of a register or a port.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Toggles {
    /// As in the Verilog.
    pub name: String,
    /// Where in the C it comes from, such as "file.c:12", or empty.
    pub place: String,
    /// Its width.
    pub bits: u32,
    /// Whether it is a port.
    pub is_port: bool,
    /// Of all of its bits together.
    pub toggles: u64,
}

/// Takes a state that was begun.
pub type Eval = unsafe extern "C" fn(*mut c_void);

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

/// `function.so`, for programs that have no C function of their own.
pub struct FunctionObject {
    function: unsafe extern "C" fn(*const *mut c_void),
    know: Option<unsafe extern "C" fn(*const AnswersRow, u32)>,
    _object: SharedObject,
}

impl FunctionObject {
    /// Loads `ahead.so` from its content.
    ///
    /// # Errors
    /// As [`CallObject::load`].
    pub fn load(content: &[u8]) -> Result<Self> {
        let object = SharedObject::load(c"function.so", content)?;
        // SAFETY: docs/package.md gives the functions' types.
        let (function, know) =
            unsafe { (object.function(c"tandem_function")?, object.function(c"tandem_know").ok()) };
        Ok(Self { function, know, _object: object })
    }
}

/// The C function.
pub trait Function: Send + Sync {
    /// Runs it.
    ///
    /// # Safety
    /// `data` are the arguments of a call that it may be given, `answers` what its polls answer.
    unsafe fn run(&self, data: &Data, answers: &Answers);
}

impl Function for FunctionObject {
    unsafe fn run(&self, data: &Data, answers: &Answers) {
        let rows = answers.rows();
        // SAFETY: the caller's promise.
        unsafe {
            if let Some(know) = self.know {
                know(rows.as_ptr(), rows.len() as u32);
            }
            (self.function)(data.as_ptr());
        }
    }
}

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

impl CallObject {
    /// Loads `ahead.so` from its content.
    ///
    /// # Errors
    /// [`Status::BadPackage`] if it cannot be loaded or lacks a function.
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

impl RtlObject {
    /// Loads `rtl.so` from its content.
    ///
    /// # Errors
    /// [`Status::BadPackage`] if it cannot be loaded or lacks a function.
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

/// A shared object that exists in memory only.
struct SharedObject {
    name: &'static CStr,
    library: Library,
}

/// How many were loaded.
static LOADS: AtomicU64 = AtomicU64::new(0);

impl SharedObject {
    /// No descriptor stays open: a program may close any, and count on the number that the next one
    /// gets. Names that the program has too are not taken from there.
    fn load(name: &'static CStr, content: &[u8]) -> Result<Self> {
        let bad = |cause: String| unusable(name, &cause);
        let file = memory_file(name, content).map_err(|error| bad(error.to_string()))?;
        let flags = RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND;
        // SAFETY: the package's hashes were checked, so this is what the compiler wrote; nothing of
        // the program's own, which might have initialisers, is in its objects.
        let library = unsafe { Library::open(Some(new_path_of(&file)), flags) };
        Ok(Self { name, library: library.map_err(|error| bad(error.to_string()))? })
    }

    /// A function, or a variable as a pointer.
    ///
    /// # Safety
    /// It has the type `F`.
    unsafe fn function<F: Copy>(&self, function: &CStr) -> Result<F> {
        // SAFETY: the caller's promise.
        let symbol = unsafe { self.library.get::<F>(function) };
        symbol.map(|symbol| *symbol).map_err(|error| unusable(self.name, &error.to_string()))
    }
}

/// A path to an open file that no library had before: the loader knows libraries by their paths, and
/// numbers of descriptors come again. The digits of a count are ways to write a folder's end.
fn new_path_of(file: &File) -> PathBuf {
    let count = LOADS.fetch_add(1, Ordering::Relaxed);
    let digits = (0..u64::BITS - count.leading_zeros()).map(|bit| count >> bit & 1);
    let ends: String = digits.map(|digit| if digit == 1 { "./" } else { "/" }).collect();
    PathBuf::from(format!("/proc/self/{ends}fd/{}", file.as_raw_fd()))
}

fn memory_file(name: &CStr, content: &[u8]) -> std::io::Result<File> {
    // SAFETY: the name is a C string.
    let descriptor = unsafe { libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC) };
    if descriptor < 0 {
        return Err(std::io::Error::last_os_error());
    }
    // SAFETY: the descriptor is new and nobody else's.
    let mut file = unsafe { File::from_raw_fd(descriptor) };
    file.write_all(content)?;
    Ok(file)
}

fn unusable(name: &CStr, cause: &str) -> Error {
    let name = name.to_string_lossy();
    let message = format!(
        "{name} cannot be loaded: {cause}; compile the kernel again, on this kind of machine"
    );
    Error::new(Status::BadPackage, message)
}
