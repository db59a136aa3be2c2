// SPDX-License-Identifier: Apache-2.0
//! The C ABI of `include/tandem.h`, which documents each function. Panics end here.

mod chip;
mod core_trace;
mod cores;
mod given;
mod hardware;
#[cfg(test)]
mod layouts;
pub(crate) mod process;
mod runtime;

use std::cell::RefCell;
use std::ffi::{CString, c_char, c_int, c_void};
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::call::execute::Memories;
use crate::call::sampling::{self, Fork};
use crate::call::software::Sample;
use crate::call::under_way::{self, State, UnderWay, Why};
use crate::call::{Call, Ready};
use crate::error::{Error, Result, Status};
use crate::host::inside::Inside;
use crate::host::processor;
use crate::host::stack;
use crate::host::system;
use crate::host::wall::duration_ps;
use crate::model::AnswersRow;
use crate::package::VERSION;
use crate::session::Session;

pub use given::{TandemFile, TandemPackage};
use given::{files, null, platform, read_file, slice, text, write_text};

const ABI_VERSION: u32 = 4;
/// No package has more files; a larger count is not a package.
const MOST_FILES: u32 = 64;

/// `struct tandem_entry`: the program's storage for a call under way.
#[repr(C)]
#[derive(Debug)]
pub struct TandemEntry {
    state: [u64; 8],
}

static SESSION: Mutex<Option<Run>> = Mutex::new(None);

/// The session and the process that it belongs to.
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
pub unsafe extern "C" fn tandem_enter(
    call: *mut TandemEntry,
    package: *const TandemPackage,
    data: *const *mut c_void,
    count: u32,
) -> c_int {
    // SAFETY: the caller's promise.
    let Some(call) = (unsafe { call.as_mut() }) else {
        return answer(|| Err(null("call"))) as c_int;
    };
    if under_way::is_within_another(&raw const call.state) {
        call.state = under_way::aside(Why::WithinAnother);
        return 0;
    }
    let Some(_inside) = Inside::enter() else {
        call.state = under_way::aside(Why::EngineAtWork);
        return 0;
    };
    call.state = under_way::none();
    let status = status_of(|| {
        let start = Instant::now();
        // SAFETY: the caller's promise.
        let data = unsafe { slice(data, count as usize, "data")? };
        // SAFETY: the caller's promise.
        let (ready, memories) = unsafe { open(files(package)?)? };
        // SAFETY: the caller's promise.
        let entered = unsafe { Call::before(ready, data, memories) };
        let entered = entered.inspect_err(|error| with_session(|session| session.fail(error)))?;
        let work_ps = duration_ps(start.elapsed());
        under_way::begin(&mut call.state, UnderWay { call: entered, work_ps });
        Ok(0)
    });
    if status == 0 {
        stack::on_own(|| sample(&mut call.state));
    }
    under_way::start(&mut call.state);
    status
}

/// See `tandem.h`.
///
/// # Safety
/// The pointers are null or valid, as `tandem.h` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tandem_answers(
    call: *const TandemEntry,
    processes: *mut u32,
) -> *const AnswersRow {
    // SAFETY: the caller's promise.
    let (Some(call), Some(processes)) = (unsafe { (call.as_ref(), processes.as_mut()) }) else {
        return std::ptr::null();
    };
    let (rows, count) = under_way::answers(&call.state);
    *processes = count;
    rows
}

/// See `tandem.h`.
#[unsafe(no_mangle)]
pub extern "C" fn tandem_field(parent: *const c_void, offset: i64) -> *mut c_void {
    let place = parent.cast::<u8>().wrapping_offset(offset as isize);
    if parent.is_null() || !system::is_readable(place) {
        return std::ptr::null_mut();
    }
    // SAFETY: the program's memory, which was there just now.
    unsafe { place.cast::<*mut c_void>().read_unaligned() }
}

/// See `tandem.h`.
///
/// # Safety
/// The pointers are null or valid, as `tandem.h` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tandem_leave(call: *mut TandemEntry) -> c_int {
    // SAFETY: the caller's promise.
    let Some(call) = (unsafe { call.as_mut() }) else {
        return answer(|| Err(null("call"))) as c_int;
    };
    if sampling::is_child(&call.state) {
        return sampling::again(&call.state);
    }
    if under_way::leave_aside(&call.state) {
        return 0;
    }
    let software = under_way::time_of(&call.state);
    // A call that began outside of the engine ends outside of it: there is nothing to wait for.
    let _inside = Inside::enter();
    status_of(|| {
        // SAFETY: only `tandem_enter` writes the state.
        let under_way = unsafe { under_way::take(&mut call.state) }.ok_or_else(|| {
            Error::new(Status::BadArgument, "call: it was not entered, or left before")
        })?;
        // SAFETY: the caller's promise.
        unsafe { end(*under_way, software) }
    })
}

/// Has a copy of the process time the C function of a call that has begun, where that is wanted and
/// can be told. In the copy nothing is done but that: a thread of the program may have held any lock.
fn sample(state: &mut State) {
    let start = Instant::now();
    // SAFETY: only `tandem_enter` writes the state.
    let Some(UnderWay { call, .. }) = (unsafe { under_way::look(state) }) else { return };
    let (windows, index, cycles) = (call.ready.sample_windows, call.ready.index, call.cycles());
    let written = if windows > 0 { call.rewritten() } else { None };
    let forked = match written {
        Some(written) => sampling::fork(written, windows),
        None => Fork::Parent(None),
    };
    match forked {
        Fork::Child(child) => *state = under_way::copied(state, child),
        Fork::Parent(told) => {
            // The thread may have waited.
            processor::about_to_start(windows > 0);
            if let Some((least_ps, greatest_ps)) = told {
                let sample = Sample { cycles, least_ps, greatest_ps };
                with_session(|session| session.sample(index, sample, start.elapsed()));
            }
        }
    }
}

/// # Safety
/// The C function has run on the call's arguments.
unsafe fn end(under_way: UnderWay, software: Duration) -> Result<i64> {
    let UnderWay { mut call, work_ps } = under_way;
    let start = Instant::now();
    let software_ps = duration_ps(processor::taken(software));
    // SAFETY: the caller's promise.
    let looked = unsafe { call.look_back() };
    let elapsed = looked.and_then(|()| with_session(|session| session.elapse(&mut call)));
    // SAFETY: the caller's promise.
    let checked = elapsed.and_then(|()| unsafe { call.after() });
    with_session(|session| {
        if let Err(error) = checked {
            session.fail(&error);
            return Err(error);
        }
        // SAFETY: the caller's promise.
        unsafe {
            if call.ready.spoils {
                call.spoil();
            }
            session.finish(call, software_ps);
        }
        let now = Instant::now();
        session.count_work(work_ps + software_ps + duration_ps(now.duration_since(start)));
        if session.report_is_due(now) {
            // One that cannot be written is told at the program's end.
            let _ = session.write_report(false);
        }
        session.go();
        Ok(0)
    })
}

/// See `tandem.h`.
///
/// # Safety
/// `path` and `changes` are null or C strings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tandem_platform_check(
    path: *const c_char,
    changes: *const c_char,
) -> c_int {
    // SAFETY: the caller's promise.
    answer(|| unsafe { platform(path, changes) }.map(|_| 0)) as c_int
}

/// See `tandem.h`.
///
/// # Safety
/// `path` and `changes` are null or C strings, `text` null or valid for `bytes` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tandem_platform_json(
    path: *const c_char,
    changes: *const c_char,
    text: *mut c_char,
    bytes: usize,
) -> i64 {
    answer(|| {
        // SAFETY: the caller's promise.
        let json = unsafe { platform(path, changes) }?.to_json()?;
        // SAFETY: the caller's promise.
        Ok(unsafe { write_text(&json, text, bytes) })
    })
}

/// See `tandem.h`.
#[unsafe(no_mangle)]
pub extern "C" fn tandem_close() -> c_int {
    let _inside = Inside::enter();
    answer(|| with_session(|session| session.write_report(true)).map(|()| 0)) as c_int
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

/// Turns a panic into an error; the work has a stack of the engine's own.
fn guard(work: impl FnOnce() -> Result<i64>) -> Result<i64> {
    stack::on_own(|| catch_unwind(AssertUnwindSafe(work))).unwrap_or_else(|_| {
        let message = "internal error in the engine (its text is on standard error)";
        Err(Error::new(Status::Internal, message))
    })
}

fn remember(error: Option<&Error>) {
    // A thread that is ending has nobody left to ask for its last error.
    let _ = LAST_ERROR.try_with(|last| {
        let message = error.map_or("", |error| &error.message);
        if !(message.is_empty() && last.borrow().is_empty()) {
            *last.borrow_mut() = CString::new(message.replace('\0', "?")).unwrap_or_default();
        }
    });
}

fn lock() -> MutexGuard<'static, Option<Run>> {
    // After a panic the tally may lack a call; the report is still worth writing.
    SESSION.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Works on the session, which the first call starts.
fn with_session<T>(work: impl FnOnce(&mut Session) -> T) -> T {
    let mut guard = lock();
    let run = guard.get_or_insert_with(|| {
        process::register(&FORK_HANDLERS);
        Run { session: Session::from_environment(), process: std::process::id() }
    });
    work(&mut run.session)
}

const FORK_HANDLERS: process::ForkHandlers =
    process::ForkHandlers { before: hold_session, after: release_session };

thread_local! {
    static HELD: RefCell<Option<MutexGuard<'static, Option<Run>>>> = const { RefCell::new(None) };
}

/// Before a fork: no other thread may hold the session while memory is copied. A fork from a
/// signal handler that interrupted the engine cannot wait for it.
fn hold_session() {
    if !Inside::is_inside() {
        let _ = HELD.try_with(|held| *held.borrow_mut() = Some(lock()));
    }
}

/// After a fork, in parent and child.
fn release_session(is_child: bool) {
    let held = HELD.try_with(|held| held.borrow_mut().take()).ok().flatten();
    if let Some(mut guard) = held
        && is_child
        && let Some(run) = &mut *guard
    {
        run.process = std::process::id();
        run.session.become_child(run.process);
    }
}

/// Writes the report when the program ends. A lock that is held then belongs to a thread that will
/// not go on.
pub(crate) fn write_report_at_end() {
    let write = || {
        let mut guard = match SESSION.try_lock() {
            Ok(guard) => guard,
            Err(std::sync::TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(std::sync::TryLockError::WouldBlock) => return Ok(()),
        };
        match &mut *guard {
            Some(run) if run.process == std::process::id() => {
                let session = &mut run.session;
                under_way::take_aside(|reason, calls, ps| session.count_host(reason, calls, ps));
                run.session.write_report(true)
            }
            _ => Ok(()),
        }
    };
    if let Ok(Err(error)) = stack::on_own(|| catch_unwind(write)) {
        // Without a standard error there is nowhere left to tell it.
        let _ = writeln!(std::io::stderr(), "tandem: {error}");
    }
}

/// # Safety
/// The files' names and data are null or valid.
unsafe fn open(files: &'static [TandemFile]) -> Result<(Ready, Memories)> {
    with_session(|session| {
        session.come();
        let places = files.iter().map(|file| (file.data as usize, file.bytes));
        let ready = match session.opened(places.clone()) {
            Some(ready) => ready?,
            None => {
                // SAFETY: the caller's promise.
                let read = files.iter().map(|file| unsafe { read_file(file) });
                session.open(places.collect(), read.collect::<Result<_>>()?)?
            }
        };
        Ok((ready, session.begin()))
    })
}
