// SPDX-License-Identifier: Apache-2.0
//! The C ABI of `include/tandem.h`, which documents each function. Panics end here.

use std::cell::RefCell;
use std::ffi::{CStr, CString, OsStr, c_char, c_int, c_void};
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::buffers::Argument;
use crate::error::{Error, Result, Status};
use crate::execute::wall_ps;
use crate::package::{PackageFile, VERSION};
use crate::platform::Platform;
use crate::session::{KernelIndex, PackageKey, Session};
use crate::settings::Mode;

const ABI_VERSION: u32 = 1;
/// No package has more files; a larger count is not a package.
const MOST_FILES: u32 = 64;

/// `struct tandem_file`.
#[repr(C)]
#[derive(Debug)]
pub struct TandemFile {
    name: *const c_char,
    data: *const c_void,
    bytes: usize,
}

/// `struct tandem_package`.
#[repr(C)]
#[derive(Debug)]
pub struct TandemPackage {
    abi_version: u32,
    file_count: u32,
    files: *const TandemFile,
}

/// `struct tandem_argument`.
#[repr(C)]
#[derive(Debug)]
pub struct TandemArgument {
    data: *mut c_void,
    bytes: u64,
}

/// The C function as the application has it.
type NativeFunction = Option<unsafe extern "C" fn(*const *mut c_void)>;

static SESSION: Mutex<Option<Run>> = Mutex::new(None);

/// The session and the process that it belongs to: a fork's child does not write the report.
struct Run {
    session: Session,
    process: u32,
}

thread_local! {
    static LAST_ERROR: RefCell<CString> = RefCell::default();
}

/// See `tandem.h`.
///
/// # Safety
/// The pointers are null or valid, as `tandem.h` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tandem_call(
    package: *const TandemPackage,
    arguments: *const TandemArgument,
    count: u32,
    native: NativeFunction,
) -> c_int {
    status_of(|| {
        // SAFETY: the caller's promise.
        let (arguments, files) = unsafe { (read_arguments(arguments, count)?, files(package)?) };
        let index = open(files, &arguments)?;
        if mode() == Mode::Native {
            // SAFETY: the caller's promise.
            let wall_ps = unsafe { run_native(native, &arguments)? };
            with_session(|session| session.count_native(index, wall_ps));
            return Ok(0);
        }
        // SAFETY: the caller's promise.
        with_session(|session| unsafe { session.call(index, &arguments) })?;
        Ok(0)
    })
}

/// See `tandem.h`.
///
/// # Safety
/// The pointers are null or valid, as `tandem.h` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tandem_call_on_host(
    package: *const TandemPackage,
    arguments: *const TandemArgument,
    count: u32,
    native: NativeFunction,
    reason: *const c_char,
) -> c_int {
    status_of(|| {
        // SAFETY: the caller's promise.
        let (arguments, files) = unsafe { (read_arguments(arguments, count)?, files(package)?) };
        // SAFETY: the caller's promise.
        let reason = unsafe { text(reason, "reason")? }.to_string_lossy().into_owned();
        let index = open(files, &arguments)?;
        // SAFETY: the caller's promise.
        let wall_ps = unsafe { run_native(native, &arguments)? };
        with_session(|session| session.count_host(index, wall_ps, &reason));
        Ok(0)
    })
}

/// See `tandem.h`.
///
/// # Safety
/// `path` is null or a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tandem_platform_check(path: *const c_char) -> c_int {
    // SAFETY: the caller's promise.
    answer(|| unsafe { platform(path) }.map(|_| 0)) as c_int
}

/// See `tandem.h`.
///
/// # Safety
/// `path` is null or a C string, `text` null or valid for `bytes` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tandem_platform_json(
    path: *const c_char,
    text: *mut c_char,
    bytes: usize,
) -> i64 {
    answer(|| {
        // SAFETY: the caller's promise.
        let json = unsafe { platform(path) }?.to_json()?;
        if !text.is_null() && bytes > 0 {
            let shown = json.len().min(bytes - 1);
            // SAFETY: the caller's promise; one byte is left for the final zero.
            unsafe {
                text.cast::<u8>().copy_from_nonoverlapping(json.as_ptr(), shown);
                text.add(shown).write(0);
            }
        }
        Ok(json.len() as i64)
    })
}

/// See `tandem.h`.
#[unsafe(no_mangle)]
pub extern "C" fn tandem_close() -> c_int {
    answer(|| with_session(|session| session.write_report()).map(|()| 0)) as c_int
}

/// See `tandem.h`.
#[unsafe(no_mangle)]
pub extern "C" fn tandem_error() -> *const c_char {
    LAST_ERROR.try_with(|last| last.borrow().as_ptr()).unwrap_or(c"".as_ptr())
}

/// See `tandem.h`.
#[unsafe(no_mangle)]
pub extern "C" fn tandem_version() -> *const c_char {
    const TEXT: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    debug_assert!(TEXT.starts_with(VERSION));
    TEXT.as_ptr().cast()
}

/// Runs `work`, keeps its error for the thread and turns it into its status.
fn answer(work: impl FnOnce() -> Result<i64>) -> i64 {
    let result = guard(work);
    remember(result.as_ref().err());
    result.unwrap_or_else(|error| error.status as i64)
}

/// As [`answer`], for calls: their first error is in the report too.
fn status_of(call: impl FnOnce() -> Result<i64>) -> c_int {
    answer(|| guard(call).inspect_err(|error| with_session(|session| session.count_error(error))))
        as c_int
}

/// Turns a panic into an error.
fn guard(work: impl FnOnce() -> Result<i64>) -> Result<i64> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        let message = "internal error in the engine (its text is on standard error)";
        Err(Error::new(Status::Internal, message))
    })
}

fn remember(error: Option<&Error>) {
    let message = error.map_or("", |error| &error.message).replace('\0', "?");
    let message = CString::new(message).unwrap_or_default();
    // A thread that is ending has nobody left to ask for its last error.
    let _ = LAST_ERROR.try_with(|last| *last.borrow_mut() = message);
}

fn lock() -> MutexGuard<'static, Option<Run>> {
    // After a panic the tally may lack a call; the report is still worth writing.
    SESSION.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Works on the session, which the first call starts.
fn with_session<T>(work: impl FnOnce(&mut Session) -> T) -> T {
    let mut guard = lock();
    let run = guard.get_or_insert_with(|| {
        // SAFETY: the handler has the right type and catches its panics.
        unsafe { libc::atexit(write_report_at_exit) };
        Run { session: Session::from_environment(), process: std::process::id() }
    });
    work(&mut run.session)
}

/// Writes the report when the program exits. A lock that is held then belongs to a call that ends
/// the program from inside, or to a thread that will not go on.
extern "C" fn write_report_at_exit() {
    let written = catch_unwind(|| {
        let guard = match SESSION.try_lock() {
            Ok(guard) => guard,
            Err(std::sync::TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(std::sync::TryLockError::WouldBlock) => {
                let message = "no report: the program ended inside a call";
                return Err(Error::new(Status::Internal, message));
            }
        };
        match &*guard {
            Some(run) if run.process == std::process::id() => run.session.write_report(),
            _ => Ok(()),
        }
    });
    if let Ok(Err(error)) = written {
        // Without a standard error there is nowhere left to tell it.
        let _ = writeln!(std::io::stderr(), "tandem: {error}");
    }
}

fn mode() -> Mode {
    with_session(|session| session.mode())
}

fn open(files: Vec<PackageFile<'static>>, arguments: &[Argument]) -> Result<KernelIndex> {
    let place = |file: &PackageFile<'_>| (file.data.as_ptr() as usize, file.data.len());
    let key: PackageKey = files.iter().map(place).collect();
    with_session(|session| {
        let index = session.open(key, files)?;
        session.check_arguments(index, arguments)?;
        Ok(index)
    })
}

/// Runs the C function on the caller's buffers and returns its wall time. The session is not
/// locked meanwhile: the function may call another kernel.
///
/// # Safety
/// The function takes these arguments.
unsafe fn run_native(native: NativeFunction, arguments: &[Argument]) -> Result<u64> {
    let native = native.ok_or_else(|| null("native"))?;
    let data: Vec<*mut c_void> = arguments.iter().map(|argument| argument.data).collect();
    // SAFETY: the caller's promise.
    Ok(wall_ps(|| unsafe { native(data.as_ptr()) }))
}

/// # Safety
/// Null, or `count` arguments.
unsafe fn read_arguments(arguments: *const TandemArgument, count: u32) -> Result<Vec<Argument>> {
    // SAFETY: the caller's promise.
    let arguments = unsafe { slice(arguments, count as usize, "arguments")? };
    Ok(arguments.iter().map(|a| Argument { data: a.data, bytes: a.bytes }).collect())
}

/// The files of a package, which outlive the program's calls.
///
/// # Safety
/// Null, or a package as `tandem.h` says.
unsafe fn files(package: *const TandemPackage) -> Result<Vec<PackageFile<'static>>> {
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
    let files = unsafe { slice(package.files, package.file_count as usize, "package files")? };
    // SAFETY: the caller's promise.
    files.iter().map(|file| unsafe { read_file(file) }).collect()
}

/// # Safety
/// The file's name and data are null or valid.
unsafe fn read_file(file: &TandemFile) -> Result<PackageFile<'static>> {
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
/// `path` is null or a C string.
unsafe fn platform(path: *const c_char) -> Result<Platform> {
    // SAFETY: the caller's promise.
    let path = unsafe { text(path, "path")? };
    Platform::load(Path::new(OsStr::from_bytes(path.to_bytes())))
}

/// # Safety
/// Null, or a C string that outlives its use.
unsafe fn text(text: *const c_char, name: &str) -> Result<&'static CStr> {
    if text.is_null() {
        return Err(null(name));
    }
    // SAFETY: the caller's promise.
    Ok(unsafe { CStr::from_ptr(text) })
}

/// # Safety
/// Null, or `count` items that outlive their use.
unsafe fn slice<T>(items: *const T, count: usize, name: &str) -> Result<&'static [T]> {
    match (items.is_null(), count) {
        (_, 0) => Ok(&[]),
        (true, _) => Err(null(name)),
        // SAFETY: the caller's promise.
        (false, _) => Ok(unsafe { std::slice::from_raw_parts(items, count) }),
    }
}

fn null(name: &str) -> Error {
    Error::new(Status::BadArgument, format!("{name}: null pointer"))
}
