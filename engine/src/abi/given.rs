// SPDX-License-Identifier: Apache-2.0
//! What C gives: raw pointers, which are checked here and go no further.

use std::ffi::{CStr, OsStr, c_char, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::error::{Error, Result, Status};
use crate::package::PackageFile;
use crate::platform::{Changes, Platform};

use super::{ABI_VERSION, MOST_FILES};

/// `struct tandem_file`.
#[repr(C)]
#[derive(Debug)]
pub struct TandemFile {
    pub(super) name: *const c_char,
    pub(super) data: *const c_void,
    pub(super) bytes: usize,
}

/// `struct tandem_package`.
#[repr(C)]
#[derive(Debug)]
pub struct TandemPackage {
    pub(super) abi_version: u32,
    pub(super) file_count: u32,
    pub(super) files: *const TandemFile,
}

/// The files of a package, which outlive the program's calls.
///
/// # Safety
/// Null, or a package as `tandem.h` says.
pub(super) unsafe fn files(package: *const TandemPackage) -> Result<&'static [TandemFile]> {
    // SAFETY: the caller's promise.
    let package = unsafe { package.as_ref() }.ok_or_else(|| null("package"))?;
    if package.abi_version != ABI_VERSION {
        let message = format!(
            "the program was built for ABI version {}, this engine has {ABI_VERSION}; build the \
             program again",
            package.abi_version
        );
        return Err(Error::new(Status::BadPackage, message));
    }
    if package.file_count > MOST_FILES {
        let message = format!("a package of {} files: not a package", package.file_count);
        return Err(Error::new(Status::BadPackage, message));
    }
    // SAFETY: the caller's promise.
    unsafe { slice(package.files, package.file_count as usize, "package files") }
}

/// # Safety
/// The file's name and data are null or valid.
pub(super) unsafe fn read_file(file: &TandemFile) -> Result<PackageFile<'static>> {
    // SAFETY: the caller's promise.
    let name = unsafe { text(file.name, "the name of a package's file")? };
    let name = name
        .to_str()
        .map_err(|_| Error::new(Status::BadPackage, "the name of a package's file is not UTF-8"))?;
    // SAFETY: the caller's promise.
    let data = unsafe { slice(file.data.cast(), file.bytes, name)? };
    Ok(PackageFile { name, data })
}

/// # Safety
/// `path` is null or a C string, and so is `changes`.
pub(super) unsafe fn platform(path: *const c_char, changes: *const c_char) -> Result<Platform> {
    // SAFETY: the caller's promise.
    let path = unsafe { text(path, "path")? };
    let changes = match changes.is_null() {
        true => c"",
        // SAFETY: the caller's promise.
        false => unsafe { text(changes, "changes")? },
    };
    let path = Path::new(OsStr::from_bytes(path.to_bytes()));
    Platform::load(path, Changes(&changes.to_string_lossy()))
}

/// # Safety
/// Null, or a C string that outlives its use.
pub(super) unsafe fn text(text: *const c_char, name: &str) -> Result<&'static CStr> {
    if text.is_null() {
        return Err(null(name));
    }
    // SAFETY: the caller's promise.
    Ok(unsafe { CStr::from_ptr(text) })
}

/// # Safety
/// Null, or `count` items that outlive their use.
pub(super) unsafe fn slice<T>(items: *const T, count: usize, name: &str) -> Result<&'static [T]> {
    match (items.is_null(), count) {
        (_, 0) => Ok(&[]),
        (true, _) => Err(null(name)),
        // SAFETY: the caller's promise.
        (false, _) => Ok(unsafe { std::slice::from_raw_parts(items, count) }),
    }
}

pub(super) fn null(name: &str) -> Error {
    Error::new(Status::BadArgument, format!("{name}: null pointer"))
}

/// Writes what fits of a text and its final zero; returns how long it is.
///
/// # Safety
/// `place` is null or valid for `bytes` bytes.
pub(super) unsafe fn write_text(text: &str, place: *mut c_char, bytes: usize) -> i64 {
    if !place.is_null() && bytes > 0 {
        let shown = text.len().min(bytes - 1);
        // SAFETY: the caller's promise; one byte is left for the final zero.
        unsafe {
            place.cast::<u8>().copy_from_nonoverlapping(text.as_ptr(), shown);
            place.add(shown).write(0);
        }
    }
    text.len() as i64
}
