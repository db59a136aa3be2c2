// SPDX-License-Identifier: Apache-2.0
//! Processor time of the C function. The thread's own clock costs more than a short call takes, so a
//! call is timed by the wall; of one that took long it is then asked how long the processor did
//! something else meanwhile.

use std::cell::Cell;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Calls that take longer are timed one by one; what another thread takes of a shorter one is rare,
/// and reading the thread's clock would count.
pub const LONG: Duration = Duration::from_micros(20);
/// Between two readings of the thread's clock where calls are short.
const UNREAD_CALLS: u32 = 16;

#[derive(Clone, Copy)]
struct Reading {
    at: Instant,
    used: Duration,
}

thread_local! {
    static LAST: Cell<Option<Reading>> = const { Cell::new(None) };
    static UNREAD: Cell<u32> = const { Cell::new(0) };
}

/// The processor time that this thread has used.
pub fn used() -> Duration {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the structure is ours.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut now) };
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

/// A C function is about to start: now and then the thread's clock is read, and always with `surely`,
/// as after the thread has waited.
pub fn about_to_start(surely: bool) {
    let unread = UNREAD.get() + 1;
    let is_due = surely || unread >= UNREAD_CALLS || LAST.get().is_none();
    UNREAD.set(if is_due { 0 } else { unread });
    if is_due {
        LAST.set(Some(Reading { at: Instant::now(), used: used() }));
    }
}

/// The processor time of a C function that took so long by the wall.
pub fn taken(wall: Duration) -> Duration {
    let wall = wall.saturating_sub(cost_of_asking());
    let Some(last) = LAST.get().filter(|_| wall > LONG) else { return wall };
    let now = Reading { at: Instant::now(), used: used() };
    LAST.set(Some(now));
    let worked = now.used.saturating_sub(last.used);
    let elsewhere = now.at.duration_since(last.at).saturating_sub(worked);
    wall.saturating_sub(elsewhere)
}

/// What of a time between two looks at the clock is looking.
fn cost_of_asking() -> Duration {
    static COST: OnceLock<Duration> = OnceLock::new();
    *COST.get_or_init(|| {
        let look = |_| {
            let start = Instant::now();
            start.elapsed()
        };
        (0..64).map(look).min().unwrap_or_default()
    })
}
