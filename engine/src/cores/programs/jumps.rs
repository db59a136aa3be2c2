// SPDX-License-Identifier: Apache-2.0
//! Jumps of random programs, whose distances are known when their targets come, and what lies behind them.

use super::{COUNTER, LINK, PLACE, Writer};

/// What has effects when it is decoded, or goes elsewhere: `ecall`, `ebreak`, `mret`, `fence.i`, the
/// data cache's, reading of `mepc`, `jal` forward and back, a branch back, `jalr`, no instruction.
const IN_VAIN: [u32; 11] = [
    0x0000_0073,
    0x0010_0073,
    0x3020_0073,
    0x0000_100f,
    0x0000_500f,
    0x3410_2373,
    0x0400_006f,
    0xfc1f_f06f,
    0xfc00_00e3,
    0x0000_0067,
    0x0000_0000,
];

/// A jump whose distance is not known yet.
pub(super) struct Open {
    pub(super) place: usize,
    /// From where its distance counts.
    pub(super) from: usize,
    pub(super) kind: Kind,
    /// After so many items its target comes.
    pub(super) items: u32,
}

pub(super) enum Kind {
    Branch,
    Jump,
    /// The immediate of an instruction by one register.
    Immediate,
    CompressedBranch,
    CompressedJump,
}

impl Writer {
    /// Ends the jumps whose targets come now, or all.
    pub(super) fn close(&mut self, all: bool) {
        let here = self.here();
        let open = std::mem::take(&mut self.open);
        for mut jump in open {
            if all || jump.items == 0 {
                self.fix(&jump, (here - jump.from) as u32);
            } else {
                jump.items -= 1;
                self.open.push(jump);
            }
        }
    }

    fn fix(&mut self, jump: &Open, distance: u32) {
        let place = jump.place / 2;
        let bit = |from: u32, to: u32| (distance >> from & 1) << to;
        let field = |from: u32, count: u32, to: u32| (distance >> from & ((1 << count) - 1)) << to;
        let bits = match jump.kind {
            Kind::Branch => field(1, 4, 8) | field(5, 6, 25) | bit(11, 7) | bit(12, 31),
            Kind::Jump => field(1, 10, 21) | bit(11, 20) | field(12, 8, 12) | bit(20, 31),
            Kind::Immediate => distance << 20,
            Kind::CompressedBranch => {
                field(1, 2, 3) | field(3, 2, 10) | bit(5, 2) | field(6, 2, 5) | bit(8, 12)
            }
            Kind::CompressedJump => {
                let low = field(1, 3, 3) | bit(4, 11) | bit(5, 2) | bit(6, 7) | bit(7, 6);
                low | field(8, 2, 9) | bit(10, 8) | bit(11, 12)
            }
        };
        self.halves[place] |= bits as u16;
        if !matches!(jump.kind, Kind::CompressedBranch | Kind::CompressedJump) {
            self.halves[place + 1] |= (bits >> 16) as u16;
        }
    }

    pub(super) fn open(&mut self, kind: Kind, from: usize) {
        let items = self.random.one_of(&[0, 1, 1, 2, 3, 6]);
        self.open.push(Open { place: self.here(), from, kind, items });
    }

    pub(super) fn branch(&mut self) {
        let funct3 = self.random.one_of(&[0, 1, 4, 5, 6, 7]);
        let (rs1, rs2) = (self.source(), self.source());
        self.open(Kind::Branch, self.here());
        self.full(rs2 << 20 | rs1 << 15 | funct3 << 12 | 0x63);
    }

    pub(super) fn jump(&mut self) {
        let rd = self.target();
        self.open(Kind::Jump, self.here());
        self.full(rd << 7 | 0x6f);
        self.gap();
    }

    /// What nobody executes, behind a jump: now and then as much as changes the line of a cache.
    pub(super) fn gap(&mut self) {
        let reach = self.random.one_of(&[1, 1, 8, 40]);
        let halves = self.random.below(reach);
        match (self.random.below(2), self.features.compressed) {
            (0, true) => (0..halves).for_each(|_| {
                let half = self.random.bits();
                self.half(half);
            }),
            (0, false) => (0..halves / 2).for_each(|_| {
                let word = self.random.bits();
                self.full(word);
            }),
            _ => (0..halves / 2).for_each(|_| self.in_vain()),
        }
    }

    /// An instruction that nobody executes, but that may come to decode.
    fn in_vain(&mut self) {
        match self.random.below(6) {
            0 => self.arithmetic(),
            1 => self.multiply(),
            2 => self.access(),
            _ => {
                let word = self.random.one_of(&IN_VAIN);
                self.full(word);
            }
        }
    }

    /// A branch that is always taken, which nobody foresees, over what is decoded in vain.
    pub(super) fn skip(&mut self) {
        let place = self.here();
        self.full(0x63);
        for _ in 0..1 + self.random.below(4) {
            self.in_vain();
        }
        let distance = (self.here() - place) as u32;
        self.fix(&Open { place, from: place, kind: Kind::Branch, items: 0 }, distance);
    }

    pub(super) fn register_jump(&mut self) {
        let rd = self.target();
        let place = self.here();
        self.full(PLACE << 7 | 0x17);
        if self.random.below(2) == 0 {
            self.arithmetic();
        }
        self.open(Kind::Immediate, place);
        self.full(PLACE << 15 | rd << 7 | 0x67);
        self.gap();
    }

    /// A function that is called, and returns.
    pub(super) fn call(&mut self) {
        let place = self.here();
        self.full(LINK << 7 | 0x6f);
        let over = self.here();
        self.full(0x6f);
        self.gap();
        let function = (self.here() - place) as u32;
        self.fix(&Open { place, from: place, kind: Kind::Jump, items: 0 }, function);
        for _ in 0..self.random.below(4) {
            self.arithmetic();
        }
        self.full(LINK << 15 | 0x67);
        let behind = (self.here() - over) as u32;
        self.fix(&Open { place: over, from: over, kind: Kind::Jump, items: 0 }, behind);
    }

    /// `mret` as a jump.
    pub(super) fn return_from_trap(&mut self) {
        let place = self.here();
        self.full(PLACE << 7 | 0x17);
        let from = self.here();
        self.full(PLACE << 15 | PLACE << 7 | 0x13);
        self.full(0x341 << 20 | PLACE << 15 | 1 << 12 | 0x73);
        self.full(0x3020_0073);
        self.gap();
        let distance = (self.here() - place) as u32;
        self.fix(&Open { place: from, from: place, kind: Kind::Immediate, items: 0 }, distance);
    }

    pub(super) fn counted_loop(&mut self) {
        // A jump into a loop would find another counter.
        self.close(true);
        let rounds = 1 + self.random.below(6);
        self.full(rounds << 20 | COUNTER << 7 | 0x13);
        let start = self.here();
        for _ in 0..1 + self.random.below(12) {
            self.item(false);
        }
        self.full(0xfff << 20 | COUNTER << 15 | COUNTER << 7 | 0x13);
        let distance = (start as u32).wrapping_sub(self.here() as u32);
        let place = self.here();
        self.full(COUNTER << 15 | 1 << 12 | 0x63);
        self.fix(&Open { place, from: place, kind: Kind::Branch, items: 0 }, distance);
    }
}
