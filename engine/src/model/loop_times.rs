// SPDX-License-Identifier: Apache-2.0
//! When the loops of a call are entered and left.

/// So many of the times at which loops of a call are entered are told.
pub const TOLD: usize = 4096;

/// In a call that waits for nobody.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct LoopTimes {
    /// Of each time: the loop's number, and the cycles.
    pub rows: Vec<[u64; 3]>,
    /// How many more times there were.
    pub more: u64,
    /// What the loops are called.
    pub names: Vec<String>,
}
