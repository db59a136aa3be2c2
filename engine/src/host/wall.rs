// SPDX-License-Identifier: Apache-2.0
//! Wall time in picoseconds.

use std::time::{Duration, Instant};

/// Wall time since `start`.
pub fn elapsed_ps(start: Instant) -> u64 {
    duration_ps(start.elapsed())
}

/// A duration in picoseconds.
pub fn duration_ps(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos().saturating_mul(1000)).unwrap_or(u64::MAX)
}
