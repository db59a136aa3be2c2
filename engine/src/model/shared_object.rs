// SPDX-License-Identifier: Apache-2.0
//! Shared objects that exist in memory only.

use std::ffi::CStr;
use std::fs::File;
use std::io::Write;
use std::os::fd::{AsRawFd, FromRawFd};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use libc::RTLD_DEEPBIND;
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

use crate::error::{Error, Result, Status};

/// A shared object that exists in memory only.
pub(super) struct SharedObject {
    name: &'static CStr,
    library: Library,
}

/// How many were loaded.
static LOADS: AtomicU64 = AtomicU64::new(0);

impl SharedObject {
    /// No descriptor stays open: a program may close any, and count on the number that the next one
    /// gets. Names that the program has too are not taken from there.
    pub(super) fn load(name: &'static CStr, content: &[u8]) -> Result<Self> {
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
    pub(super) unsafe fn function<F: Copy>(&self, function: &CStr) -> Result<F> {
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
