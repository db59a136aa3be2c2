// SPDX-License-Identifier: Apache-2.0
//! What `struct tandem_entry` holds while the C function runs.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::call::Call;
use crate::model::AnswersRow;

const NONE: u64 = 0;
const BEGUN: u64 = 1;
const DEFERRED: u64 = 2;
/// The first word of a call in a child process that only takes its time ([`crate::call::sampling`]).
pub const SAMPLING: u64 = 3;

/// The content of a `struct tandem_entry`.
pub type State = [u64; 8];

/// A call whose C function runs.
pub struct UnderWay {
    /// The call.
    pub call: Call,
    /// Wall time of the engine's work so far.
    pub work_ps: u64,
}

/// Calls that the C function serves alone, counted without a lock since a signal handler may make
/// them.
struct Aside {
    reason: &'static str,
    calls: AtomicU64,
    ns: AtomicU64,
}

impl Aside {
    const fn new(reason: &'static str) -> Self {
        Self { reason, calls: AtomicU64::new(0), ns: AtomicU64::new(0) }
    }
}

/// Why a call is served by the C function alone; an index of [`ASIDE`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// The engine was at work in this thread.
    EngineAtWork = 0,
    /// Another offloaded function of this thread runs: in hardware, this call would be part of it.
    WithinAnother = 1,
}

static ASIDE: [Aside; 2] = [
    Aside::new("called by a signal handler while the engine was at work"),
    Aside::new("called within another offloaded function, or by a signal handler during it"),
];

thread_local! {
    /// The innermost call of this thread whose C function runs.
    static INNERMOST: Cell<*const State> = const { Cell::new(std::ptr::null()) };
}

/// Whether a C function that this thread offloads runs, around a call whose state lies at `state`. A
/// call that `longjmp` left no longer counts: its state lay on the stack, below the place that the
/// program went back to, and has been written over.
pub fn is_within_another(state: *const State) -> bool {
    let innermost = INNERMOST.get();
    if innermost.is_null() || state >= innermost {
        return false;
    }
    // SAFETY: it lies in the part of this thread's stack that is in use.
    let around = unsafe { innermost.read_volatile() };
    around[0] == BEGUN && around[2] == !around[1]
}

/// No call.
pub fn none() -> State {
    [NONE, 0, 0, 0, 0, 0, 0, 0]
}

/// Marks a call as begun, in its place.
pub fn begin(state: &mut State, under_way: UnderWay) {
    let rows = under_way.call.answers.rows();
    let (answers, count) = (rows.as_ptr() as u64, rows.len() as u64);
    let address = Box::into_raw(Box::new(under_way)) as u64;
    *state = [BEGUN, address, !address, INNERMOST.get() as u64, 0, answers, count, 0];
    INNERMOST.set(state);
}

/// What polls answer in a call that has begun, here or in the process that this one is a copy of: rows
/// and how many.
pub fn answers(state: &State) -> (*const AnswersRow, u32) {
    match state[6] {
        0 => (std::ptr::null(), 0),
        count => (state[5] as *const AnswersRow, count as u32),
    }
}

/// The state of a call in a copy of the process, where its polls answer the same.
pub fn copied(state: &State, mut child: State) -> State {
    child[5..7].copy_from_slice(&state[5..7]);
    child
}

/// The C function is about to start.
pub fn start(state: &mut State) {
    state[4] = monotonic_ns();
}

/// How long the C function of a call has run.
pub fn time_of(state: &State) -> Duration {
    Duration::from_nanos(monotonic_ns().saturating_sub(state[4]))
}

/// A call that the C function serves alone; it is counted when it ends.
pub fn aside(why: Why) -> State {
    [DEFERRED, monotonic_ns(), why as u64, 0, 0, 0, 0, 0]
}

/// Ends a call that the C function served alone; whether it was one.
pub fn leave_aside(state: &State) -> bool {
    if state[0] != DEFERRED {
        return false;
    }
    if let Some(aside) = ASIDE.get(state[2] as usize) {
        aside.calls.fetch_add(1, Ordering::Relaxed);
        aside.ns.fetch_add(monotonic_ns() - state[1], Ordering::Relaxed);
    }
    true
}

/// Tells each reason's calls since the last time, and their wall time in ps.
pub fn take_aside(mut told: impl FnMut(&'static str, u64, u64)) {
    for aside in &ASIDE {
        let calls = aside.calls.swap(0, Ordering::Relaxed);
        if calls > 0 {
            let wall_ps = aside.ns.swap(0, Ordering::Relaxed).saturating_mul(1000);
            told(aside.reason, calls, wall_ps);
        }
    }
}

/// The call that has begun.
///
/// # Safety
/// The state was made by this module.
pub unsafe fn look(state: &State) -> Option<&UnderWay> {
    // SAFETY: made by `begin`, and not taken yet.
    (state[0] == BEGUN).then(|| unsafe { &*(state[1] as *const UnderWay) })
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
    INNERMOST.set(state[3] as *const State);
    *state = none();
    // SAFETY: made by `begin`, and taken once.
    Some(unsafe { Box::from_raw(address) })
}

/// The monotonic clock, without allocating.
pub fn monotonic_ns() -> u64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the structure is ours.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut now) };
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn calls_aside_are_told_once_with_their_reasons_and_their_time() {
        let start = Instant::now();
        for why in [Why::WithinAnother, Why::EngineAtWork, Why::WithinAnother] {
            let mut state = aside(why);
            state[1] -= 1_000_000; // as if its C function had taken 1 ms
            assert!(leave_aside(&state));
        }
        assert!(!leave_aside(&none()));
        let (mut told, mut all_ps) = (Vec::new(), 0);
        let mut tell = |reason, calls, wall_ps: u64| {
            told.push((calls, reason));
            all_ps += wall_ps;
        };
        take_aside(&mut tell);
        let most_ps = 3_000_000_000 + start.elapsed().as_nanos() as u64 * 1000 * 3;
        take_aside(&mut tell);
        assert_eq!(told, [(1, ASIDE[0].reason), (2, ASIDE[1].reason)]);
        assert!((3_000_000_000..most_ps).contains(&all_ps), "{all_ps} ps");
    }
}
