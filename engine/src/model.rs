// SPDX-License-Identifier: Apache-2.0
//! A kernel's two executable models (docs/package.md): what the compiler knows of a call (extents,
//! touched bytes, the schedule's cycle count), and the RTL cycle by cycle.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::fs::File;
use std::io::Write;
use std::ops::AddAssign;
use std::os::fd::{AsRawFd, FromRawFd};
use std::path::Path;

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

/// The RTL, cycle by cycle.
pub trait RtlModel: Send + Sync {
    /// Size of the state.
    fn state_bytes(&self) -> u64;

    /// Prepares a call in `state`.
    ///
    /// # Safety
    /// `state` is zeroed, 64-byte aligned and of [`RtlModel::state_bytes`]; `data[k]` points to
    /// `bytes[k]` bytes and stays valid until the last [`RtlModel::run`].
    unsafe fn start(&self, state: *mut c_void, data: &Data, bytes: &[u64], intervals: &[u32]);

    /// Lets record `r` of an argument's stream pass from cycle `gates[r / chunk_records]` on.
    ///
    /// # Safety
    /// `state` was started, and `gates`, one for each chunk, stay until the last [`RtlModel::run`].
    unsafe fn gates(&self, state: *mut c_void, argument: usize, gates: &[u64], chunk_records: u64);

    /// Simulates at most `cycles` cycles more.
    ///
    /// # Safety
    /// `state` was started.
    unsafe fn run(&self, state: *mut c_void, cycles: u64) -> Progress;

    /// The cycles from `start` to `done`.
    ///
    /// # Safety
    /// `state` was started.
    unsafe fn cycles(&self, state: *const c_void) -> u64;
}

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
    state_bytes: unsafe extern "C" fn() -> u64,
    start: unsafe extern "C" fn(*mut c_void, *const *mut c_void, *const u64, *const u32),
    gates: unsafe extern "C" fn(*mut c_void, u32, *const u64, u64),
    run: unsafe extern "C" fn(*mut c_void, u64) -> c_int,
    cycles: unsafe extern "C" fn(*const c_void) -> u64,
    _object: SharedObject,
}

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
        // SAFETY: docs/package.md gives these functions' types.
        unsafe {
            Ok(Self {
                state_bytes: object.function(c"tandem_rtl_state_bytes")?,
                start: object.function(c"tandem_rtl_start")?,
                gates: object.function(c"tandem_rtl_gates")?,
                run: object.function(c"tandem_rtl_run")?,
                cycles: object.function(c"tandem_rtl_cycles")?,
                _object: object,
            })
        }
    }
}

impl RtlModel for RtlObject {
    fn state_bytes(&self) -> u64 {
        // SAFETY: the function takes nothing and only tells a constant.
        unsafe { (self.state_bytes)() }
    }

    unsafe fn start(&self, state: *mut c_void, data: &Data, bytes: &[u64], intervals: &[u32]) {
        // SAFETY: the caller's promise.
        unsafe { (self.start)(state, data.as_ptr(), bytes.as_ptr(), intervals.as_ptr()) }
    }

    unsafe fn gates(&self, state: *mut c_void, argument: usize, gates: &[u64], chunk_records: u64) {
        // SAFETY: the caller's promise.
        unsafe { (self.gates)(state, argument as u32, gates.as_ptr(), chunk_records) }
    }

    unsafe fn run(&self, state: *mut c_void, cycles: u64) -> Progress {
        // SAFETY: the caller's promise.
        match unsafe { (self.run)(state, cycles) } {
            0 => Progress::Running,
            1 => Progress::Done,
            _ => Progress::OutOfBounds,
        }
    }

    unsafe fn cycles(&self, state: *const c_void) -> u64 {
        // SAFETY: the caller's promise.
        unsafe { (self.cycles)(state) }
    }
}

/// A shared object that exists in memory only. The file stays open as long as the library: the
/// loader knows libraries by name, and a descriptor's number that is used again would name the old
/// library.
struct SharedObject {
    name: &'static CStr,
    library: Library,
    _file: File,
}

impl SharedObject {
    fn load(name: &'static CStr, content: &[u8]) -> Result<Self> {
        let bad = |cause: String| unusable(name, &cause);
        let file = memory_file(name, content).map_err(|error| bad(error.to_string()))?;
        let path = format!("/proc/self/fd/{}", file.as_raw_fd());
        // SAFETY: the package's hashes were checked, so this is what the compiler wrote; its
        // objects have no initialisers.
        let library = unsafe { Library::open(Some(Path::new(&path)), RTLD_NOW | RTLD_LOCAL) }
            .map_err(|error| bad(error.to_string()))?;
        Ok(Self { name, library, _file: file })
    }

    /// # Safety
    /// The function has the type `F`.
    unsafe fn function<F: Copy>(&self, function: &CStr) -> Result<F> {
        // SAFETY: the caller's promise.
        let symbol = unsafe { self.library.get::<F>(function) };
        symbol.map(|symbol| *symbol).map_err(|error| unusable(self.name, &error.to_string()))
    }
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
