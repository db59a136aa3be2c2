// SPDX-License-Identifier: Apache-2.0
//! Whether a thread is inside the engine. A signal handler that interrupts the engine may itself
//! call a kernel: that call must neither wait for a lock nor allocate.

use std::cell::Cell;

use crate::host::stack;

thread_local! {
    /// Where on the stack this thread entered the engine; 0 outside.
    static ENTRY: Cell<usize> = const { Cell::new(0) };
}

/// A thread inside the engine, until dropped.
pub struct Inside;

impl Inside {
    /// Enters, unless this thread is in the engine already. An entry whose frame is gone (a
    /// `longjmp` left it) counts for nothing: stacks grow downwards, so a handler's frame lies
    /// below the one it interrupted, or on the engine's stack.
    #[inline(never)]
    pub fn enter() -> Option<Self> {
        let here = 0u8;
        let frame = &raw const here as usize;
        ENTRY.with(|entry| {
            if entry.get() != 0 && (frame < entry.get() || stack::is_own(frame)) {
                return None;
            }
            entry.set(frame);
            Some(Self)
        })
    }

    /// Whether this thread is in the engine.
    pub fn is_inside() -> bool {
        ENTRY.with(|entry| entry.get() != 0)
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        ENTRY.with(|entry| entry.set(0));
    }
}
