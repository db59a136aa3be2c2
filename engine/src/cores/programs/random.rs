// SPDX-License-Identifier: Apache-2.0
//! What draws the numbers of random programs.

use super::super::board::mixed;

/// What draws.
pub struct Random(u64);

impl Random {
    /// From a seed.
    pub fn new(seed: u64) -> Self {
        Self(mixed(seed))
    }

    pub(super) fn bits(&mut self) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        (mixed(self.0) >> 16) as u32
    }

    /// A number less than `count`.
    pub fn below(&mut self, count: u32) -> u32 {
        self.bits() % count
    }

    pub(super) fn one_of<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len() as u32) as usize]
    }

    /// Numbers at which something changes, and others.
    pub(super) fn number(&mut self) -> u32 {
        let drawn = self.bits();
        match self.below(8) {
            0 => 0,
            1 => u32::MAX,
            2 => 0x8000_0000,
            3 => drawn & 0xff,
            4 => 1 << (drawn & 31),
            _ => drawn,
        }
    }
}
