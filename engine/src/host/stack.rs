// SPDX-License-Identifier: Apache-2.0
//! Stacks of the engine's own: a thread of the program, or a coroutine, may have little more than its
//! function needs.

use std::cell::Cell;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

use libc::{
    MAP_ANONYMOUS, MAP_FAILED, MAP_NORESERVE, MAP_PRIVATE, PROT_NONE, PROT_READ, PROT_WRITE,
};

/// Reading a package and loading its objects takes some tens of kilobytes, a walk ten bytes for each
/// operation of its kernel; what is not used is not there.
const STACK_BYTES: usize = 1 << 23;
/// At the end towards which a stack grows; no system has larger pages.
const GUARD_BYTES: usize = 1 << 16;

/// Stacks that nobody uses. No lock: a signal handler or a forked child may come in between.
static SPARE: [AtomicPtr<c_void>; 16] = [const { AtomicPtr::new(null_mut()) }; 16];

thread_local! {
    /// The addresses of the one that this thread is on: the first, and one past the last.
    static CURRENT: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
}

/// Does some work on a stack of the engine's own; on the caller's where there is no memory for one.
/// `work` must not unwind.
pub fn on_own<R>(work: impl FnOnce() -> R) -> R {
    let here = 0u8;
    if is_own(&raw const here as usize) {
        return work();
    }
    let Some(lowest) = spare().or_else(new_stack) else { return work() };
    let first = lowest as usize + GUARD_BYTES;
    let before = CURRENT.replace((first, first + STACK_BYTES));
    // SAFETY: the memory is ours, and nobody else's until the work is done.
    let result = unsafe { psm::on_stack(first as *mut u8, STACK_BYTES, work) };
    CURRENT.set(before);
    give_back(lowest);
    result
}

/// Whether an address is one of the stack that this thread is on meanwhile.
pub fn is_own(address: usize) -> bool {
    let (first, end) = CURRENT.get();
    (first..end).contains(&address)
}

fn spare() -> Option<*mut c_void> {
    let taken = SPARE.iter().map(|slot| slot.swap(null_mut(), Ordering::AcqRel));
    taken.into_iter().find(|stack| !stack.is_null())
}

fn new_stack() -> Option<*mut c_void> {
    let (bytes, access) = (GUARD_BYTES + STACK_BYTES, PROT_READ | PROT_WRITE);
    let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    // SAFETY: a new mapping touches nothing that is there.
    let lowest = unsafe { libc::mmap(null_mut(), bytes, access, flags, -1, 0) };
    if lowest == MAP_FAILED {
        return None;
    }
    // SAFETY: the mapping is ours.
    unsafe { libc::mprotect(lowest, GUARD_BYTES, PROT_NONE) };
    Some(lowest)
}

fn give_back(lowest: *mut c_void) {
    let puts = |slot: &AtomicPtr<c_void>| {
        slot.compare_exchange(null_mut(), lowest, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    };
    if !SPARE.iter().any(puts) {
        // SAFETY: the mapping is ours, and nobody uses it any more.
        unsafe { libc::munmap(lowest, GUARD_BYTES + STACK_BYTES) };
    }
}
