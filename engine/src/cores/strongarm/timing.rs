// SPDX-License-Identifier: Apache-2.0
//! How long instructions take on a StrongARM.
//!
//! An instruction **issues** in a cycle and, if nothing waits, executes in the next one, is in the
//! buffer stage (where data is accessed) two behind it, and writes its register three behind it. The
//! next one issues behind its **issue cycles**; one that needs its result behind the **result delay**
//! as well. What no document here says follows from the stages (\[S\]), or is assumed (\[A\]).
//!
//! - \[T\] Intel, SA-1100 Microprocessor Developer's Manual (278088), section 4.2, table "Instruction
//!   Timings". It could not be looked up when this was written: to be compared.
//! - \[C\] The same, sections 6.1 to 6.3; of the SA-1100.
//! - \[F\] Furber, ARM System-on-Chip Architecture, 2nd ed., section 12.3; of the SA-110.
//! - \[P\] Acorn, Performance issues, documentation of RISC OS 3.70; of the SA-110.

use serde::{Deserialize, Serialize};

use crate::cores::Cycle;

/// \[T\] Of a list the base is written while two cycles go by at least.
pub(super) const LEAST_LIST: Cycle = 2;
/// \[T\] Issue cycles of a product of two registers.
pub(super) const LONG_PRODUCT: Cycle = 2;
/// \[T\] Issue cycles of `msr`; of one that changes only flags \[A\].
pub(super) const WRITE_STATUS: Cycle = 3;
/// \[T\] Issue cycles of an exchange.
pub(super) const SWAP: Cycle = 2;
/// \[T\] Result delay of an exchange.
pub(super) const SWAP_DELAY: Cycle = 2;
/// \[T\] Result delay of a load, of a list's last register too.
pub(super) const LOAD_DELAY: Cycle = 1;
/// \[T\] Result delay of a load that repeats a sign.
pub(super) const SIGNED_LOAD_DELAY: Cycle = 2;
/// \[F\], \[P\] What a taken branch takes beyond its own cycle: an adder of its own makes the target in the
/// issue stage, and what was fetched behind the branch is discarded.
pub(super) const BRANCH: Cycle = 1;
/// \[S\] From issue to the buffer stage.
pub(super) const BUFFER: Cycle = 2;
/// \[A\] Bits of the multiplier rs that one step takes: three steps at most are \[T\] and \[P\].
const MULTIPLIER_BITS: u32 = 12;

/// \[C\] Bytes of a line.
pub(super) const LINE_BYTES: u32 = 32;
/// Words of a line.
pub(super) const LINE_WORDS: usize = 8;
/// \[C\] Lines of a set, of either cache.
pub(super) const WAYS: usize = 32;
/// \[C\] The instruction cache.
pub(super) const INSTRUCTION_CACHE_BYTES: u32 = 16 << 10;
/// \[C\], \[F\] Entries of the write buffer.
pub(super) const WRITE_BUFFER_ENTRIES: usize = 8;
/// \[C\], \[F\] Bytes of an entry; \[F\] of what a line knows to be changed, two to a line.
pub(super) const BLOCK_BYTES: u32 = 16;
/// \[A\] From here on nothing is cached or buffered: addresses of devices.
pub(super) const UNCACHED: u32 = 0x8000_0000;

/// What differs from one StrongARM to another, or is not known for sure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// The data cache, in bytes: 16 KiB in an SA-110 (\[F\]), 8 KiB in an SA-1100 (\[C\]).
    pub data_cache_bytes: u32,
    /// \[A\] From the stage that misses a word to its request at the bus.
    pub miss_cycles: Cycle,
    /// \[P\] What an instruction takes beyond its own cycle that computes a new pc.
    pub jump_cycles: Cycle,
    /// \[S\] The same of one that loads it: its word comes in the buffer stage, the target is fetched in
    /// the cycle behind that, and issues in the next.
    pub load_jump_cycles: Cycle,
}

impl Default for Settings {
    fn default() -> Self {
        Self { data_cache_bytes: 16 << 10, miss_cycles: 1, jump_cycles: 1, load_jump_cycles: 3 }
    }
}

/// \[T\] Result delay of a product, 1 to 3: as many steps as rs has parts of twelve bits, without
/// those that are the sign only. \[A\] That a sign of ones ends it too, but for unsigned products.
#[inline]
pub fn product_delay(multiplier: u32, is_unsigned: bool) -> Cycle {
    let sign = if is_unsigned { 0 } else { (multiplier as i32 >> 31) as u32 };
    let bits = 32 - (multiplier ^ sign).leading_zeros();
    if bits < MULTIPLIER_BITS {
        1
    } else if bits < 2 * MULTIPLIER_BITS {
        2
    } else {
        3
    }
}
