// SPDX-License-Identifier: Apache-2.0
//! What `struct tandem_call` holds while the C function runs.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use crate::call::Call;
use crate::session::Session;

const NONE: u64 = 0;
const BEGUN: u64 = 1;
const DEFERRED: u64 = 2;
/// The first word of a call in a child process that only takes its time ([`crate::sampling`]).
pub const SAMPLING: u64 = 3;

const DEFERRED_REASON: &str = "called by a signal handler while the engine was at work";

/// The content of a `struct tandem_call`.
pub type State = [u64; 8];

/// A call whose C function runs.
pub struct UnderWay {
    /// The call.
    pub call: Call,
    /// Wall time of the engine's work so far.
    pub work_ps: u64,
    /// When the C function was started.
    pub c_start: Instant,
}

/// Calls that could not be taken in, and their wall time; without a lock, for signal handlers.
static DEFERRED_CALLS: AtomicU64 = AtomicU64::new(0);
static DEFERRED_NS: AtomicU64 = AtomicU64::new(0);

/// No call.
pub fn none() -> State {
    [NONE, 0, 0, 0, 0, 0, 0, 0]
}

/// A call that has begun.
pub fn begun(under_way: UnderWay) -> State {
    let address = Box::into_raw(Box::new(under_way)) as u64;
    [BEGUN, address, 0, 0, 0, 0, 0, 0]
}

/// A call that the engine cannot take in now; it is counted when it ends.
pub fn deferred() -> State {
    [DEFERRED, monotonic_ns(), 0, 0, 0, 0, 0, 0]
}

/// Ends a deferred call; whether it was one.
pub fn leave_deferred(state: &State) -> bool {
    if state[0] != DEFERRED {
        return false;
    }
    DEFERRED_CALLS.fetch_add(1, Ordering::Relaxed);
    DEFERRED_NS.fetch_add(monotonic_ns() - state[1], Ordering::Relaxed);
    true
}

/// Adds the deferred calls to the tally.
pub fn count_deferred(session: &mut Session) {
    let calls = DEFERRED_CALLS.swap(0, Ordering::Relaxed);
    if calls > 0 {
        let wall_ps = DEFERRED_NS.swap(0, Ordering::Relaxed).saturating_mul(1000);
        session.count_host(DEFERRED_REASON, calls, wall_ps);
    }
}

/// The call that has begun, taken out of its storage.
///
/// # Safety
/// The state was made by this module.
pub unsafe fn take(state: &mut State) -> Option<Box<UnderWay>> {
    if state[0] != BEGUN {
        return None;
    }
    let address = state[1] as *mut UnderWay;
    *state = none();
    // SAFETY: made by `begun`, and taken once.
    Some(unsafe { Box::from_raw(address) })
}

/// The monotonic clock, without allocating.
pub fn monotonic_ns() -> u64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the structure is ours.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut now) };
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}
