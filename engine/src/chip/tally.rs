// SPDX-License-Identifier: Apache-2.0
//! What calls took, part by part.

use serde::Serialize;

/// What happens in which part of a call, in cycles of the clock.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Parts {
    /// Before the first access of the shell.
    pub call: u64,
    /// Accesses of the shell that give arguments and take results.
    pub transfer: u64,
    /// The processor's own part in that, loading and storing words, and its way back.
    pub copy: u64,
    /// The kernel.
    pub compute: u64,
    /// From the kernel's end until the driver has seen it.
    pub wait: u64,
}

impl Parts {
    pub(super) fn add(&mut self, other: Self) {
        self.call += other.call;
        self.transfer += other.transfer;
        self.copy += other.copy;
        self.compute += other.compute;
        self.wait += other.wait;
    }
}

/// What all calls of a kernel took.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Tally {
    /// Its name.
    pub kernel: String,
    /// Calls that the hardware has served.
    pub calls: u64,
    /// Calls that the processor has served, as they were too large for the shell.
    pub software_calls: u64,
    /// Cycles of those that the hardware has served.
    pub cycles: u64,
    /// The same, of the C function beside them.
    pub software_cycles: u64,
    /// Their parts.
    pub parts: Parts,
    /// Words that were written to shells and read there.
    pub words: (u64, u64),
}
