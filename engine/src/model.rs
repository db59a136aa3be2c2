// SPDX-License-Identifier: Apache-2.0
//! A kernel's two executable models (docs/package.md): what the compiler knows of a call (extents,
//! touched bytes, the schedule's cycle count), and the RTL cycle by cycle.

use std::ffi::{CStr, c_char, c_void};
use std::fs::File;
use std::io::Write;
use std::mem::ManuallyDrop;
use std::ops::AddAssign;
use std::os::fd::{AsRawFd, FromRawFd};
use std::path::PathBuf;

use libc::RTLD_NOLOAD;
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

/// What the compiler knows of a call before it happens. All of it looks at the program's memory as
/// it is before the call and changes nothing there.
pub trait CallModel: Send + Sync {
    /// The extent of each argument in bytes; may be [`EXTENT_TOO_LARGE`] or [`EXTENT_UNKNOWN`].
    ///
    /// # Safety
    /// `data` are the arguments of a call that the C function may be given.
    unsafe fn extents(&self, data: &Data) -> Vec<u64>;

    /// The cycles that the schedule gives the call; `parts` get those of each loop and, last, of
    /// what is in no loop.
    ///
    /// # Safety
    /// As for [`CallModel::extents`], and `bytes` are its answer; `parts` are one more than loops.
    unsafe fn cycles(
        &self,
        data: &Data,
        bytes: &[u64],
        intervals: &[u32],
        parts: &mut [Part],
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
    ) -> (u64, Vec<Reach>);

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

    /// Which process waits for what, where the last look ahead of this thread came to
    /// [`NEVER_ENDS`].
    fn waiting(&self) -> String {
        String::new()
    }
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
}

/// Takes a state that was begun.
pub type Eval = unsafe extern "C" fn(*mut c_void);

type Touched =
    unsafe extern "C" fn(*const *mut c_void, *const u64, *const u32, *mut Part, *mut Reach) -> u64;

/// The part of `native.so` that looks ahead; the C function itself is the program's own.
pub struct CallObject {
    extents: unsafe extern "C" fn(*const *mut c_void, *mut u64),
    cycles: unsafe extern "C" fn(*const *mut c_void, *const u64, *const u32, *mut Part) -> u64,
    touched: Touched,
    least_depths: unsafe extern "C" fn(*const *mut c_void, *const u64, *const u32, *mut u32) -> u64,
    waiting: unsafe extern "C" fn() -> *const c_char,
    _object: SharedObject,
}

/// The part of `native.so` that is the C function, for programs that have none of their own.
pub struct FunctionObject {
    function: unsafe extern "C" fn(*const *mut c_void),
    _object: SharedObject,
}

impl FunctionObject {
    /// Loads `native.so` from its content.
    ///
    /// # Errors
    /// As [`CallObject::load`].
    pub fn load(content: &[u8]) -> Result<Self> {
        let object = SharedObject::load(c"native.so", content)?;
        // SAFETY: docs/package.md gives the function's type.
        Ok(Self { function: unsafe { object.function(c"tandem_native")? }, _object: object })
    }
}

/// The C function.
pub trait Function: Send + Sync {
    /// Runs it.
    ///
    /// # Safety
    /// `data` are the arguments of a call that it may be given.
    unsafe fn run(&self, data: &Data);
}

impl Function for FunctionObject {
    unsafe fn run(&self, data: &Data) {
        // SAFETY: the caller's promise.
        unsafe { (self.function)(data.as_ptr()) };
    }
}

/// `rtl.so`.
pub struct RtlObject {
    signals: Vec<Signal>,
    state_bytes: unsafe extern "C" fn() -> u64,
    begin: unsafe extern "C" fn(*mut c_void, *const *mut c_void, *mut *mut u8),
    eval: Eval,
    _object: SharedObject,
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
    /// Loads `native.so` from its content.
    ///
    /// # Errors
    /// [`Status::BadPackage`] if it cannot be loaded or lacks a function.
    pub fn load(content: &[u8]) -> Result<Self> {
        let object = SharedObject::load(c"native.so", content)?;
        // SAFETY: docs/package.md gives these functions' types.
        unsafe {
            Ok(Self {
                extents: object.function(c"tandem_extents")?,
                cycles: object.function(c"tandem_cycles")?,
                touched: object.function(c"tandem_touched")?,
                least_depths: object.function(c"tandem_least_depths")?,
                waiting: object.function(c"tandem_waiting")?,
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
    ) -> u64 {
        let (data, bytes) = (data.as_ptr(), bytes.as_ptr());
        // SAFETY: the caller's promise.
        unsafe { (self.cycles)(data, bytes, intervals.as_ptr(), parts.as_mut_ptr()) }
    }

    unsafe fn touched(
        &self,
        data: &Data,
        bytes: &[u64],
        intervals: &[u32],
        parts: &mut [Part],
    ) -> (u64, Vec<Reach>) {
        let mut touched = vec![Reach::default(); data.len()];
        let (data, bytes, reaches) = (data.as_ptr(), bytes.as_ptr(), touched.as_mut_ptr());
        // SAFETY: the caller's promise.
        let cycles =
            unsafe { (self.touched)(data, bytes, intervals.as_ptr(), parts.as_mut_ptr(), reaches) };
        (cycles, touched)
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

    fn waiting(&self) -> String {
        // SAFETY: the function answers with a C string of this thread.
        unsafe { CStr::from_ptr((self.waiting)()) }.to_string_lossy().into_owned()
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
                _object: object,
            })
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
}

/// A shared object that exists in memory only. The file stays open as long as the library: the
/// loader knows libraries by name, and a descriptor's number that is used again would name the old
/// library.
struct SharedObject {
    name: &'static CStr,
    library: ManuallyDrop<Library>,
    file: ManuallyDrop<File>,
}

impl SharedObject {
    fn load(name: &'static CStr, content: &[u8]) -> Result<Self> {
        let bad = |cause: String| unusable(name, &cause);
        let file = memory_file(name, content).map_err(|error| bad(error.to_string()))?;
        // SAFETY: the package's hashes were checked, so this is what the compiler wrote; its
        // objects have no initialisers.
        let library = unsafe { Library::open(Some(path_of(&file)), RTLD_NOW | RTLD_LOCAL) };
        let library = library.map_err(|error| bad(error.to_string()))?;
        Ok(Self { name, library: ManuallyDrop::new(library), file: ManuallyDrop::new(file) })
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

impl Drop for SharedObject {
    fn drop(&mut self) {
        let path = path_of(&self.file);
        // SAFETY: nobody uses the library any more, and each of the two is dropped once.
        unsafe {
            ManuallyDrop::drop(&mut self.library);
            // One of C++ may have to stay until the process ends.
            if Library::open(Some(path), RTLD_NOW | RTLD_NOLOAD).is_err() {
                ManuallyDrop::drop(&mut self.file);
            }
        }
    }
}

fn path_of(file: &File) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
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
