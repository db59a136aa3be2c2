// SPDX-License-Identifier: Apache-2.0
//! The life of the program's process: its forks, and its ends.

use std::sync::OnceLock;

use libc::c_int;

use crate::abi::write_report_at_end;

/// What to do around a fork.
pub struct ForkHandlers {
    /// In the thread that forks.
    pub before: fn(),
    /// In parent and child; told whether it is the child.
    pub after: fn(bool),
}

static HANDLERS: OnceLock<&'static ForkHandlers> = OnceLock::new();

/// Has the handlers called around every fork, and the report written at `quick_exit`.
pub fn register(handlers: &'static ForkHandlers) {
    if HANDLERS.set(handlers).is_ok() {
        // SAFETY: the handlers have the right types. Handlers run after a fork in the order in
        // which they were registered: ours allocate, so the allocator's come first.
        unsafe {
            dlmalloc::enable_alloc_after_fork();
            libc::pthread_atfork(Some(before), Some(after_in_parent), Some(after_in_child));
            at_quick_exit(at_end);
        }
    }
}

unsafe extern "C" {
    fn at_quick_exit(handler: extern "C" fn()) -> c_int;
}

extern "C" fn before() {
    if let Some(handlers) = HANDLERS.get() {
        (handlers.before)();
    }
}

extern "C" fn after_in_parent() {
    if let Some(handlers) = HANDLERS.get() {
        (handlers.after)(false);
    }
}

extern "C" fn after_in_child() {
    if let Some(handlers) = HANDLERS.get() {
        (handlers.after)(true);
    }
}

extern "C" fn at_end() {
    write_report_at_end();
}

/// Runs after everything that the program does at its end, its `atexit` handlers among it.
#[used]
#[unsafe(link_section = ".fini_array")]
static AT_END: extern "C" fn() = at_end;

/// In place of the C library's: a program that ends without its `atexit` handlers has a report too.
///
/// # Safety
/// As `_exit(2)`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _exit(status: c_int) -> ! {
    write_report_at_end();
    loop {
        // SAFETY: ends the process.
        unsafe { libc::syscall(libc::SYS_exit_group, status) };
    }
}

/// As [`_exit`].
///
/// # Safety
/// As `_Exit(3)`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _Exit(status: c_int) -> ! {
    // SAFETY: the caller's promise.
    unsafe { _exit(status) }
}
