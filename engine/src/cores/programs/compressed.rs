// SPDX-License-Identifier: Apache-2.0
//! Compressed instructions of random programs.

use super::jumps::{Kind, Open};
use super::{SECOND_WINDOW, Writer};

impl Writer {
    /// One, of any kind.
    pub(super) fn compressed(&mut self) {
        match self.random.below(10) {
            0..=2 => self.compressed_immediate(),
            3..=4 => self.compressed_register(),
            5..=6 => self.compressed_access(),
            7 => self.compressed_branch(),
            8 => self.compressed_jump(),
            _ => self.compressed_stack(),
        }
    }

    /// Six bits as a compressed instruction has them.
    fn six_bits(&mut self) -> u32 {
        let value = self.random.below(64);
        (value >> 5) << 12 | (value & 31) << 2
    }

    fn compressed_immediate(&mut self) {
        let (rd, low, six) = (self.target(), self.low_target() - 8, self.six_bits());
        let shift = self.random.below(32) << 2;
        let not_zero = if six == 0 { 1 << 2 } else { six };
        let half = match self.random.below(8) {
            0 => six | rd << 7 | 0x0001,
            1 => six | rd << 7 | 0x4001,
            2 => not_zero | rd << 7 | 0x6001,
            3 => shift | low << 7 | 0x8001,
            4 => shift | low << 7 | 0x8401,
            5 => six | low << 7 | 0x8801,
            6 => shift | rd << 7 | 0x0002,
            // c.addi4spn
            _ => 1 << 5 | self.random.below(256) << 5 | (low & 7) << 2,
        };
        self.half(half);
    }

    fn compressed_register(&mut self) {
        let (low, other) = (self.low_target() - 8, self.random.below(8));
        let (rd, rs2) = (self.target(), 1 + self.random.below(31));
        let half = match self.random.below(6) {
            kind @ 0..=3 => 0x8c01 | low << 7 | kind << 5 | other << 2,
            4 => 0x8002 | rd << 7 | rs2 << 2,
            _ => 0x9002 | rd << 7 | rs2 << 2,
        };
        self.half(half);
    }

    fn compressed_access(&mut self) {
        let (base, low) = (SECOND_WINDOW - 8, self.low_target() - 8);
        let places = self.random.below(8) << 10 | self.random.below(4) << 5 | base << 7;
        let other = self.random.below(8);
        match self.random.below(2) {
            0 => self.half(0x4000 | places | low << 2),
            _ => self.half(0xc000 | places | other << 2),
        }
    }

    fn compressed_stack(&mut self) {
        let (rd, rs2) = (self.target(), self.source());
        match self.random.below(2) {
            0 => {
                let rd = if rd == 0 { 5 } else { rd };
                let six = self.six_bits();
                self.half(0x4002 | six | rd << 7);
            }
            _ => {
                let places = self.random.below(64) << 7;
                self.half(0xc002 | places | rs2 << 2);
            }
        }
    }

    fn compressed_branch(&mut self) {
        let (low, kind) = (self.random.below(8), self.random.below(2));
        // It reaches 254 bytes.
        let (items, here) = (self.random.below(2), self.here());
        self.open.push(Open { place: here, from: here, kind: Kind::CompressedBranch, items });
        self.half(0xc001 | kind << 13 | low << 7);
    }

    fn compressed_jump(&mut self) {
        let here = self.here();
        let link = self.random.below(2);
        self.open.push(Open { place: here, from: here, kind: Kind::CompressedJump, items: 1 });
        // c.j, or c.jal, which writes the link.
        self.half(if link == 1 { 0x2001 } else { 0xa001 });
    }
}
