// SPDX-License-Identifier: Apache-2.0
//! Timing the C function of a call several times, without a trace in the program: a child process
//! with a copy of the program's memory runs it again and again, tells the times and ends.

use std::fs::File;
use std::io::Read;
use std::os::fd::FromRawFd;

use libc::{c_int, c_long, pid_t};

use crate::under_way::{SAMPLING, State, monotonic_ns};

/// Time after which the child takes no more samples.
const LIMIT_NS: u64 = 1_000_000_000;

/// Which process goes on.
pub enum Fork {
    /// The copy; its state leads it through its runs.
    Child(State),
    /// The program, with the times of the copy's runs.
    Parent(Vec<u64>),
}

/// Makes the copy and, in the program, waits for its times. Whatever cannot be had leaves the
/// program without samples.
pub fn fork(runs: u32) -> Fork {
    let mut ends: [c_int; 2] = [-1; 2];
    // SAFETY: the array is ours.
    if unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) } != 0 {
        return Fork::Parent(Vec::new());
    }
    // No signal at its end (the lowest byte): the program never learns of this child.
    // SAFETY: as fork(2); the child runs C that allocates nothing, and ends with exit_group.
    match unsafe { libc::syscall(libc::SYS_clone, 0 as c_long, 0, 0, 0, 0) } {
        // One run more than told: the first one pays for copying the pages that it writes.
        0 => {
            Fork::Child([SAMPLING, ends[1] as u64, u64::from(runs) + 1, monotonic_ns(), 0, 0, 0, 0])
        }
        // SAFETY: the descriptors are ours.
        child => Fork::Parent(unsafe { collect(child as pid_t, ends) }),
    }
}

/// # Safety
/// The descriptors are open and nobody else's.
unsafe fn collect(child: pid_t, [read_end, write_end]: [c_int; 2]) -> Vec<u64> {
    // SAFETY: the caller's promise.
    let mut pipe = unsafe {
        libc::close(write_end);
        File::from_raw_fd(read_end)
    };
    let mut text = Vec::new();
    if child > 0 {
        // A child that died told what it could.
        let _ = pipe.read_to_end(&mut text);
        // SAFETY: the child is ours; `__WALL` because it ends without a signal.
        unsafe { libc::waitpid(child, std::ptr::null_mut(), libc::__WALL) };
    }
    let numbers = text.chunks_exact(8).skip(1).filter_map(|bytes| bytes.try_into().ok());
    numbers.map(u64::from_le_bytes).map(|ns| ns.saturating_mul(1000)).collect()
}

/// Whether a call runs in such a child.
pub fn is_child(state: &State) -> bool {
    state[0] == SAMPLING
}

/// After a run in the child: tells its time, then asks for another run, or ends the process.
/// Returns 1.
pub fn again(state: &mut State) -> c_int {
    let [_, descriptor, left, start_ns, spent_ns, ..] = *state;
    let run_ns = monotonic_ns() - start_ns;
    let bytes = run_ns.to_le_bytes();
    // SAFETY: the buffer is ours; nothing is left to be done about a reader that has gone.
    let told = unsafe { libc::write(descriptor as c_int, bytes.as_ptr().cast(), bytes.len()) };
    let spent_ns = spent_ns + run_ns;
    if told != 8 || left <= 1 || spent_ns > LIMIT_NS {
        // SAFETY: ends this process at once, without the program's own ends.
        unsafe { libc::syscall(libc::SYS_exit_group, 0) };
    }
    (state[2], state[4]) = (left - 1, spent_ns);
    state[3] = monotonic_ns();
    1
}
