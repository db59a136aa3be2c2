// SPDX-License-Identifier: Apache-2.0
//! A kernel's two executable models (docs/package.md): the C function at native speed with the
//! schedule's cycle count, and the RTL cycle by cycle.

use std::ffi::{CStr, c_int, c_void};
use std::fs::File;
use std::io::Write;
use std::os::fd::{AsRawFd, FromRawFd};
use std::path::Path;

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

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

/// The C function, and the cycles that its schedule gives a call.
pub trait NativeModel: Send {
    /// Computes on the given buffers.
    ///
    /// # Safety
    /// `data` points to a buffer of each argument's extent.
    unsafe fn run(&self, data: &Data);

    /// The cycles of a call on these buffers; asked before [`NativeModel::run`] changes them.
    ///
    /// # Safety
    /// As for [`NativeModel::run`].
    unsafe fn cycles(&self, data: &Data, intervals: &[u32]) -> u64;
}

/// The RTL, cycle by cycle.
pub trait RtlModel: Send {
    /// Size of the state.
    fn state_bytes(&self) -> u64;

    /// Prepares a call in `state`.
    ///
    /// # Safety
    /// `state` is zeroed, 64-byte aligned and of [`RtlModel::state_bytes`]; `data[k]` points to
    /// `bytes[k]` bytes and stays valid until the last [`RtlModel::run`].
    unsafe fn start(&self, state: *mut c_void, data: &Data, bytes: &[u64], intervals: &[u32]);

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

/// `native.so`.
pub struct NativeObject {
    run: unsafe extern "C" fn(*const *mut c_void),
    cycles: unsafe extern "C" fn(*const *mut c_void, *const u32) -> u64,
    _object: SharedObject,
}

/// `rtl.so`.
pub struct RtlObject {
    state_bytes: unsafe extern "C" fn() -> u64,
    start: unsafe extern "C" fn(*mut c_void, *const *mut c_void, *const u64, *const u32),
    run: unsafe extern "C" fn(*mut c_void, u64) -> c_int,
    cycles: unsafe extern "C" fn(*const c_void) -> u64,
    _object: SharedObject,
}

impl NativeObject {
    /// Loads `native.so` from its content.
    ///
    /// # Errors
    /// [`Status::BadPackage`] if it cannot be loaded or lacks a function.
    pub fn load(content: &[u8]) -> Result<Self> {
        let object = SharedObject::load(c"native.so", content)?;
        // SAFETY: docs/package.md gives these functions' types.
        unsafe {
            Ok(Self {
                run: object.function(c"tandem_native")?,
                cycles: object.function(c"tandem_cycles")?,
                _object: object,
            })
        }
    }
}

impl NativeModel for NativeObject {
    unsafe fn run(&self, data: &Data) {
        // SAFETY: the caller's promise.
        unsafe { (self.run)(data.as_ptr()) }
    }

    unsafe fn cycles(&self, data: &Data, intervals: &[u32]) -> u64 {
        // SAFETY: the caller's promise.
        unsafe { (self.cycles)(data.as_ptr(), intervals.as_ptr()) }
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
