// SPDX-License-Identifier: Apache-2.0
//! The compressed instructions, as the full ones that they stand for.

/// The full instruction of a compressed one of RV32C without floating point; none if it is not one.
#[must_use]
pub fn expand(half: u16) -> Option<u32> {
    let half = Half(half.into());
    match (half.0 & 3, half.0 >> 13) {
        (0, 0) => half.addi4spn(),
        (0, 2) => Some(load(half.word_offset(), half.low_first(), half.low_second())),
        (0, 6) => Some(store(half.word_offset(), half.low_first(), half.low_second())),
        (1, 0) => Some(by_immediate(0, half.full(), half.full(), half.immediate())),
        (1, 1) => Some(jump(half.jump_offset(), 1)),
        (1, 2) => Some(by_immediate(0, half.full(), 0, half.immediate())),
        (1, 3) => half.upper(),
        (1, 4) => half.arithmetic(),
        (1, 5) => Some(jump(half.jump_offset(), 0)),
        (1, 6) => Some(branch(0, half.low_first(), half.branch_offset())),
        (1, 7) => Some(branch(1, half.low_first(), half.branch_offset())),
        (2, 0) if half.bit(12) == 0 => {
            Some(by_immediate(1, half.full(), half.full(), half.bits(2, 5)))
        }
        (2, 2) if half.full() != 0 => Some(load(half.stack_load_offset(), 2, half.full())),
        (2, 4) => half.register_form(),
        (2, 6) => Some(store(half.stack_store_offset(), 2, half.second())),
        _ => None,
    }
}

fn by_immediate(funct3: u32, rd: u32, rs1: u32, immediate: u32) -> u32 {
    immediate << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | 0x13
}

fn by_register(funct7: u32, funct3: u32, rd: u32, rs1: u32, rs2: u32) -> u32 {
    funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | 0x33
}

fn load(offset: u32, rs1: u32, rd: u32) -> u32 {
    offset << 20 | rs1 << 15 | 2 << 12 | rd << 7 | 0x03
}

fn store(offset: u32, rs1: u32, rs2: u32) -> u32 {
    (offset >> 5) << 25 | rs2 << 20 | rs1 << 15 | 2 << 12 | (offset & 31) << 7 | 0x23
}

fn jump(offset: u32, rd: u32) -> u32 {
    let low = (offset >> 1 & 0x3ff) << 21 | (offset >> 11 & 1) << 20;
    (offset >> 20 & 1) << 31 | low | (offset >> 12 & 0xff) << 12 | rd << 7 | 0x6f
}

fn register_jump(rs1: u32, rd: u32) -> u32 {
    rs1 << 15 | rd << 7 | 0x67
}

fn branch(funct3: u32, rs1: u32, offset: u32) -> u32 {
    let high = (offset >> 12 & 1) << 31 | (offset >> 5 & 0x3f) << 25;
    let low = (offset >> 1 & 15) << 8 | (offset >> 11 & 1) << 7;
    high | rs1 << 15 | funct3 << 12 | low | 0x63
}

/// The parts of a half-word.
#[derive(Clone, Copy)]
struct Half(u32);

impl Half {
    fn bit(self, place: u32) -> u32 {
        self.0 >> place & 1
    }

    fn bits(self, low: u32, count: u32) -> u32 {
        self.0 >> low & ((1 << count) - 1)
    }

    /// The register in bits 11 to 7.
    fn full(self) -> u32 {
        self.bits(7, 5)
    }

    /// The register in bits 6 to 2.
    fn second(self) -> u32 {
        self.bits(2, 5)
    }

    /// One of x8 to x15, in bits 9 to 7.
    fn low_first(self) -> u32 {
        8 + self.bits(7, 3)
    }

    /// One of x8 to x15, in bits 4 to 2.
    fn low_second(self) -> u32 {
        8 + self.bits(2, 3)
    }

    /// Bit 12 in all bits from `low` up.
    fn sign(self, low: u32) -> u32 {
        if self.bit(12) == 1 { u32::MAX << low } else { 0 }
    }

    /// Six signed bits, as twelve.
    fn immediate(self) -> u32 {
        (self.sign(5) | self.bits(2, 5)) & 0xfff
    }

    fn word_offset(self) -> u32 {
        self.bit(6) << 2 | self.bits(10, 3) << 3 | self.bit(5) << 6
    }

    fn stack_load_offset(self) -> u32 {
        self.bits(4, 3) << 2 | self.bit(12) << 5 | self.bits(2, 2) << 6
    }

    fn stack_store_offset(self) -> u32 {
        self.bits(9, 4) << 2 | self.bits(7, 2) << 6
    }

    fn jump_offset(self) -> u32 {
        let low = self.bits(3, 3) << 1 | self.bit(11) << 4 | self.bit(2) << 5 | self.bit(7) << 6;
        let high = self.bit(6) << 7 | self.bits(9, 2) << 8 | self.bit(8) << 10;
        self.sign(11) | low | high
    }

    fn branch_offset(self) -> u32 {
        let low = self.bits(3, 2) << 1 | self.bits(10, 2) << 3 | self.bit(2) << 5;
        self.sign(8) | low | self.bits(5, 2) << 6
    }

    fn addi4spn(self) -> Option<u32> {
        let low = self.bit(6) << 2 | self.bit(5) << 3;
        let offset = low | self.bits(11, 2) << 4 | self.bits(7, 4) << 6;
        (offset != 0).then(|| by_immediate(0, self.low_second(), 2, offset))
    }

    /// `c.addi16sp` and `c.lui`.
    fn upper(self) -> Option<u32> {
        if self.bit(12) == 0 && self.second() == 0 {
            return None;
        }
        if self.full() == 2 {
            let low = self.bit(6) << 4 | self.bit(2) << 5 | self.bit(5) << 6;
            let offset = (self.sign(9) | low | self.bits(3, 2) << 7) & 0xfff;
            return Some(by_immediate(0, 2, 2, offset));
        }
        Some((self.sign(5) | self.second()) << 12 | self.full() << 7 | 0x37)
    }

    fn arithmetic(self) -> Option<u32> {
        let (rd, rs2) = (self.low_first(), self.low_second());
        match (self.bits(10, 2), self.bit(12)) {
            (0, 0) => Some(by_immediate(5, rd, rd, self.second())),
            (1, 0) => Some(by_immediate(5, rd, rd, 0x400 | self.second())),
            (2, _) => Some(by_immediate(7, rd, rd, self.immediate())),
            (3, 0) => Some(match self.bits(5, 2) {
                0 => by_register(0x20, 0, rd, rd, rs2),
                1 => by_register(0, 4, rd, rd, rs2),
                2 => by_register(0, 6, rd, rd, rs2),
                _ => by_register(0, 7, rd, rd, rs2),
            }),
            _ => None,
        }
    }

    /// `c.jr`, `c.mv`, `c.ebreak`, `c.jalr` and `c.add`.
    fn register_form(self) -> Option<u32> {
        match (self.bit(12), self.full(), self.second()) {
            (0, 0, 0) => None,
            (0, rs1, 0) => Some(register_jump(rs1, 0)),
            (0, rd, rs2) => Some(by_register(0, 0, rd, 0, rs2)),
            (_, 0, 0) => Some(0x0010_0073),
            (_, rs1, 0) => Some(register_jump(rs1, 1)),
            (_, rd, rs2) => Some(by_register(0, 0, rd, rd, rs2)),
        }
    }
}
