// SPDX-License-Identifier: Apache-2.0
//! The part of the C ABI for programs that drive kernels by themselves.

use std::ffi::{OsStr, c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Instant;

use super::{Run, answer, guard, lock, null, platform, slice, text, with_session, write_text};
use crate::call::mode::Mode;
use crate::call::{Call, Way};
use crate::error::{Error, Result, Status};
use crate::host::inside::Inside;
use crate::host::memory::{self, Pages};
use crate::host::processor;
use crate::host::wall::{duration_ps, elapsed_ps};
use crate::package::{PackageFile, Parameter, Part};
use crate::session::Session;
use crate::session::events::{Called, Event, Touch, check_extents, check_numbers, check_sizes};

/// No more calls are submitted together; a larger count is a mistake.
const MOST_CALLS: u32 = 1 << 20;
/// What a program says that waits however long it takes.
const FOREVER: u64 = u64::MAX;

/// `struct tandem_argument`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct TandemArgument {
    /// Where it is.
    pub data: *mut c_void,
    /// How many bytes the program has there.
    pub bytes: usize,
}

/// See `tandem.h`.
///
/// # Safety
/// The pointers are null or C strings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tandem_reserve(
    path: *const c_char,
    changes: *const c_char,
    mode: *const c_char,
) -> c_int {
    entered(|| {
        // SAFETY: the caller's promise.
        let mode = Mode::parse(&unsafe { text(mode, "mode")? }.to_string_lossy())?;
        let platform = match mode {
            Mode::Native => None,
            // SAFETY: the caller's promise.
            _ => Some(unsafe { platform(path, changes)? }),
        };
        let old = with_session(|session| session.tally().unfinished_calls);
        if old > 0 {
            let message = format!(
                "{old} calls of the run before have not ended; wait for them or cancel them first"
            );
            return Err(Error::new(Status::BadArgument, message));
        }
        with_session(|session| session.write_report(true))?;
        let session = Session::reserve(mode, platform);
        *lock() = Some(Run { session, process: std::process::id() });
        Ok(0)
    }) as c_int
}

/// See `tandem.h`.
///
/// # Safety
/// `folder` is null or a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tandem_open(folder: *const c_char) -> i64 {
    entered(|| {
        // SAFETY: the caller's promise.
        let folder = unsafe { text(folder, "folder")? };
        let folder = Path::new(OsStr::from_bytes(folder.to_bytes()));
        let simulates = with_session(|session| session.mode()) == Mode::Simulate;
        let rtl = if simulates { &["rtl.so"][..] } else { &[] };
        let read = |name: &'static str| match std::fs::read(folder.join(name)) {
            Ok(data) => Ok((name, data)),
            Err(cause) => {
                let message = format!(
                    "{}: {cause}; `tandem build --models` makes packages that can be opened",
                    folder.join(name).display()
                );
                Err(Error::new(Status::BadPackage, message))
            }
        };
        let names =
            ["manifest.json", "ahead.so", "function.so"].into_iter().chain(rtl.iter().copied());
        let files = names.map(read).collect::<Result<Vec<_>>>()?;
        let files = files.iter().map(|(name, data)| PackageFile { name, data }).collect();
        with_session(|session| {
            let index = session.open_package(files)?;
            Ok(session.number_of(index) as i64)
        })
    })
}

/// See `tandem.h`.
#[unsafe(no_mangle)]
pub extern "C" fn tandem_configure(kernel: i64) -> c_int {
    entered(|| with_session(|session| session.configure(session.index_of(kernel)?)).map(|()| 0))
        as c_int
}

/// See `tandem.h`.
///
/// # Safety
/// `arguments` is null or valid for `calls` times `count` arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tandem_submit(
    kernel: i64,
    arguments: *const TandemArgument,
    count: u32,
    calls: u32,
    queue: u32,
) -> i64 {
    entered(|| {
        // SAFETY: the caller's promise.
        let event = unsafe { submit(kernel, arguments, (count, calls), queue) };
        event.map(|event| event as i64)
    })
}

/// See `tandem.h`.
#[unsafe(no_mangle)]
pub extern "C" fn tandem_wait(event: i64, most_ps: u64) -> c_int {
    entered(|| {
        let waited = with_session(|session| session.wait(number(event)?, limit(most_ps)));
        waited.map(|()| 0).inspect_err(|error| {
            if error.status != Status::TimedOut {
                with_session(|session| session.count_error(error));
            }
        })
    }) as c_int
}

/// See `tandem.h`.
#[unsafe(no_mangle)]
pub extern "C" fn tandem_cancel(event: i64) -> c_int {
    entered(|| with_session(|session| session.cancel(number(event)?)).map(|()| 0)) as c_int
}

/// See `tandem.h`.
///
/// # Safety
/// `arguments` is null or valid for `count` arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tandem_call(
    kernel: i64,
    arguments: *const TandemArgument,
    count: u32,
) -> c_int {
    // SAFETY: the caller's promise.
    let event = unsafe { tandem_submit(kernel, arguments, count, 1, 0) };
    if event < 0 { event as c_int } else { tandem_wait(event, FOREVER) }
}

/// See `tandem.h`.
#[unsafe(no_mangle)]
pub extern "C" fn tandem_work(ps: u64) -> c_int {
    entered(|| with_session(|session| session.work(ps)).map(|()| 0)) as c_int
}

/// See `tandem.h`.
///
/// # Safety
/// `time_ps` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tandem_now(time_ps: *mut u64) -> c_int {
    entered(|| {
        // SAFETY: the caller's promise.
        let time = unsafe { time_ps.as_mut() }.ok_or_else(|| null("time_ps"))?;
        *time = with_session(|session| session.now_ps());
        Ok(0)
    }) as c_int
}

/// See `tandem.h`.
#[unsafe(no_mangle)]
pub extern "C" fn tandem_allocate(bytes: usize, pages: u32) -> *mut c_void {
    let mut memory = std::ptr::null_mut();
    answer(|| {
        let unknown = || format!("pages: {pages}; expected one of enum tandem_pages");
        let pages =
            Pages::from_number(pages).ok_or_else(|| Error::new(Status::BadArgument, unknown()))?;
        memory = memory::allocate(bytes, pages)?;
        Ok(0)
    });
    memory
}

/// See `tandem.h`.
#[unsafe(no_mangle)]
pub extern "C" fn tandem_sync(memory: *mut c_void, writes: c_int) -> c_int {
    entered(|| with_session(|session| session.sync(memory, writes != 0)).map(|()| 0)) as c_int
}

/// See `tandem.h`.
///
/// # Safety
/// Nobody uses the memory any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tandem_free(memory: *mut c_void) -> c_int {
    entered(|| {
        with_session(|session| session.forget_buffer(memory))?;
        // SAFETY: the caller's promise.
        unsafe { memory::free(memory) }.map(|()| 0)
    }) as c_int
}

/// See `tandem.h`.
///
/// # Safety
/// `text` is null or valid for `bytes` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tandem_report(text: *mut c_char, bytes: usize) -> i64 {
    entered(|| {
        let json = with_session(|session| {
            let complete = session.tally().unfinished_calls == 0;
            session.report(complete).to_json()
        })?;
        // SAFETY: the caller's promise.
        Ok(unsafe { write_text(&json, text, bytes) })
    })
}

/// Runs `work` for the program, whose own work before counts as the platform says. A signal handler
/// that interrupted the engine gets [`Status::BadArgument`] without a text: there is nobody to wait
/// for.
fn entered(work: impl FnOnce() -> Result<i64>) -> i64 {
    let Some(_inside) = Inside::enter() else { return Status::BadArgument as i64 };
    answer(|| {
        with_session(Session::come);
        let result = guard(work);
        with_session(Session::go);
        result
    })
}

/// # Safety
/// As for [`tandem_submit`].
unsafe fn submit(
    kernel: i64,
    arguments: *const TandemArgument,
    (count, calls): (u32, u32),
    queue: u32,
) -> Result<Event> {
    if calls == 0 || calls > MOST_CALLS {
        let message = format!("calls: {calls}; expected 1 to {MOST_CALLS}");
        return Err(Error::new(Status::BadArgument, message));
    }
    // SAFETY: the caller's promise.
    let arguments = unsafe { slice(arguments, count as usize * calls as usize, "arguments")? };
    let mut begun = Vec::new();
    let done = (0..calls as usize).try_for_each(|call| {
        let of_call = &arguments[call * count as usize..][..count as usize];
        // SAFETY: the caller's promise.
        begun.push(unsafe { begin(kernel, of_call)? });
        Ok(())
    });
    let touches: Vec<_> = begun.iter().map(Touch::of).collect();
    let apart = done.and_then(|()| with_session(|session| session.check_apart(&touches, queue)));
    if let Err(error) = apart {
        with_session(|session| session.give_up(begun.len()));
        return Err(error);
    }
    let mut called = Vec::new();
    let together = begun.len();
    for call in begun {
        // SAFETY: the arguments were checked.
        match unsafe { run(call) } {
            Ok(run) => called.push(run),
            Err(error) => {
                with_session(|session| {
                    session.fail(&error);
                    session.give_up(together - 1);
                });
                return Err(error);
            }
        }
    }
    let touches = touches.into_iter().flatten().collect();
    with_session(|session| session.submit(called, touches, queue))
}

/// Looks ahead, and checks what was given.
///
/// # Safety
/// Each argument is null, or valid for its bytes.
unsafe fn begin(kernel: i64, arguments: &[TandemArgument]) -> Result<Call> {
    let ready = with_session(|session| session.ready(session.index_of(kernel)?))?;
    let parameters = &ready.kernel.manifest.arguments;
    let arguments = with_parts(parameters, arguments);
    ready.kernel.manifest.check_count(arguments.len())?;
    let data: Vec<_> = arguments.iter().map(|argument| argument.data).collect();
    let bytes: Vec<_> = arguments.iter().map(|argument| argument.bytes).collect();
    check_numbers(parameters, &data, &bytes)?;
    // SAFETY: the numbers are there.
    unsafe { check_extents(&ready, &data, &bytes)? };
    let memories = with_session(Session::begin);
    // SAFETY: the numbers are there; of arrays, the C reads no more than is looked at.
    let call = unsafe { Call::before(ready, &data, memories) };
    let checked = call.and_then(|call| check_sizes(&call, &bytes).map(|()| call));
    checked.inspect_err(|error| with_session(|session| session.fail(error)))
}

/// The arguments with those that are members of structs, which lie where the structs do: a program
/// may leave them out.
fn with_parts(parameters: &[Parameter], given: &[TandemArgument]) -> Vec<TandemArgument> {
    let has_all = given.len() == parameters.len();
    let mut given = given.iter();
    let mut all = Vec::new();
    for parameter in parameters {
        let own = if has_all || parameter.part.is_none() { given.next() } else { None };
        let found = match &parameter.part {
            Some(part) => all.get(part.argument).map(|whole| inside(whole, part)),
            None => own.copied(),
        };
        all.extend(found);
    }
    all.extend(given);
    all
}

/// The bytes of a member; none of a struct that is not there.
fn inside(whole: &TandemArgument, part: &Part) -> TandemArgument {
    let bytes = whole.bytes.saturating_sub(part.byte).min(part.bytes);
    match whole.data.is_null() {
        true => *whole,
        false => TandemArgument { data: whole.data.wrapping_byte_add(part.byte), bytes },
    }
}

/// Runs the C function, and the RTL in simulate mode, and compares.
///
/// # Safety
/// The call's arguments are as large as it needs them.
unsafe fn run(mut call: Call) -> Result<Called> {
    let start = Instant::now();
    let kernel = call.ready.kernel.clone();
    let function = kernel.function.as_deref().ok_or_else(|| {
        let message =
            "the kernel was opened by a program that has its C function; open its package";
        Error::new(Status::Internal, message)
    })?;
    // SAFETY: the caller's promise.
    unsafe {
        let scalars = call.scalars();
        processor::about_to_start(false);
        let c_start = Instant::now();
        function.run(&call.data, &call.answers);
        let software_ps = duration_ps(processor::taken(c_start.elapsed()));
        call.look_back()?;
        call.after()?;
        if call.ready.spoils && matches!(call.way, Way::Device(_)) {
            call.spoil();
        }
        with_session(|session| session.count_work(elapsed_ps(start)));
        Ok(Called { call, scalars, software_ps })
    }
}

fn number(event: i64) -> Result<Event> {
    let unknown = || format!("event {event}: tandem_submit gave no such number");
    Event::try_from(event).map_err(|_| Error::new(Status::BadArgument, unknown()))
}

fn limit(most_ps: u64) -> Option<u64> {
    (most_ps != FOREVER).then_some(most_ps)
}
