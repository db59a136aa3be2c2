// SPDX-License-Identifier: Apache-2.0
//! From a word to an instruction.

use super::{Class, Instruction, LR, NONE, Operation, PC, Second, Shift};

const ALWAYS: u8 = 14;

const ILLEGAL: Instruction = Instruction {
    immediate: 0,
    list: 0,
    operation: Operation::Illegal,
    class: Class::System,
    condition: ALWAYS,
    rd: NONE,
    rn: NONE,
    rm: NONE,
    rs: NONE,
    reads: [NONE; 4],
    second: Second::Immediate,
    shift: Shift::Lsl,
    amount: 0,
    sets_flags: false,
    reads_flags: false,
    is_up: false,
    is_before: false,
    writes_back: false,
};

/// The instruction of a word. One that is none is [`Operation::Illegal`], whatever its condition.
#[must_use]
pub fn decode(word: u32) -> Instruction {
    let fields = Fields(word);
    let condition = (word >> 28) as u8;
    match fields.decode().filter(|_| condition <= ALWAYS) {
        Some(mut decoded) => {
            decoded.condition = condition;
            decoded.reads_flags |= condition != ALWAYS;
            decoded
        }
        None => ILLEGAL,
    }
}

/// The parts of a word.
#[derive(Clone, Copy)]
struct Fields(u32);

impl Fields {
    fn bits(self, low: u32, count: u32) -> u32 {
        self.0 >> low & ((1 << count) - 1)
    }

    fn bit(self, place: u32) -> bool {
        self.0 >> place & 1 == 1
    }

    fn register(self, low: u32) -> u8 {
        self.bits(low, 4) as u8
    }

    fn decode(self) -> Option<Instruction> {
        match self.bits(25, 3) {
            0 if self.0 & 0x90 == 0x90 => self.multiply_or_half(),
            0 | 1 => self.data_processing(),
            2 => Some(self.single()),
            3 if !self.bit(4) => Some(self.single()),
            4 => self.multiple(),
            5 => Some(self.branch()),
            7 if self.bit(24) => Some(Instruction {
                operation: Operation::Swi,
                immediate: self.bits(0, 24),
                ..ILLEGAL
            }),
            _ => None,
        }
    }

    fn multiply_or_half(self) -> Option<Instruction> {
        match (self.bits(5, 2), self.bits(23, 2)) {
            (0, 0) if !self.bit(22) => Some(self.multiply()),
            (0, 1) => Some(self.multiply_long()),
            (0, 2) if self.0 & 0x30_0f00 == 0 => Some(self.swap()),
            (0, _) => None,
            _ => self.half(),
        }
    }

    fn multiply(self) -> Instruction {
        let (rd, rn, rs, rm) =
            (self.register(16), self.register(12), self.register(8), self.register(0));
        let adds = self.bit(21);
        let operation = if adds { Operation::Mla } else { Operation::Mul };
        let reads = [rm, rs, if adds { rn } else { NONE }, NONE];
        let (class, sets_flags) = (Class::Multiply, self.bit(20));
        Instruction { operation, class, rd, rn, rs, rm, reads, sets_flags, ..ILLEGAL }
    }

    fn multiply_long(self) -> Instruction {
        let (rd, rn, rs, rm) =
            (self.register(16), self.register(12), self.register(8), self.register(0));
        let (operation, adds) = match self.bits(21, 2) {
            0 => (Operation::Umull, false),
            1 => (Operation::Umlal, true),
            2 => (Operation::Smull, false),
            _ => (Operation::Smlal, true),
        };
        let reads = if adds { [rm, rs, rn, rd] } else { [rm, rs, NONE, NONE] };
        let (class, sets_flags) = (Class::MultiplyLong, self.bit(20));
        Instruction { operation, class, rd, rn, rs, rm, reads, sets_flags, ..ILLEGAL }
    }

    fn swap(self) -> Instruction {
        let (rd, rn, rm) = (self.register(12), self.register(16), self.register(0));
        let operation = if self.bit(22) { Operation::Swpb } else { Operation::Swp };
        let reads = [rn, rm, NONE, NONE];
        Instruction { operation, class: Class::Swap, rd, rn, rm, reads, ..ILLEGAL }
    }

    /// Half-words and signed bytes.
    fn half(self) -> Option<Instruction> {
        let (operation, class) = match (self.bit(20), self.bits(5, 2)) {
            (true, 1) => (Operation::Ldrh, Class::Load),
            (true, 2) => (Operation::Ldrsb, Class::Load),
            (true, _) => (Operation::Ldrsh, Class::Load),
            (false, 1) => (Operation::Strh, Class::Store),
            // Doublewords came later.
            (false, _) => return None,
        };
        let own = match self.bit(22) {
            true => Instruction {
                immediate: self.bits(8, 4) << 4 | self.bits(0, 4),
                second: Second::Immediate,
                ..ILLEGAL
            },
            false => Instruction { rm: self.register(0), second: Second::Register, ..ILLEGAL },
        };
        Some(self.access(Instruction { operation, class, ..own }))
    }

    /// A load or store of a word or an unsigned byte.
    fn single(self) -> Instruction {
        let (operation, class) = match (self.bit(20), self.bit(22)) {
            (true, false) => (Operation::Ldr, Class::Load),
            (true, true) => (Operation::Ldrb, Class::Load),
            (false, false) => (Operation::Str, Class::Store),
            (false, true) => (Operation::Strb, Class::Store),
        };
        let own = match self.bit(25) {
            false => Instruction { immediate: self.bits(0, 12), ..ILLEGAL },
            true => self.shifted_by_amount(ILLEGAL),
        };
        self.access(Instruction { operation, class, ..own })
    }

    /// What all single accesses have in common.
    fn access(self, own: Instruction) -> Instruction {
        let (rd, rn) = (self.register(12), self.register(16));
        let is_before = self.bit(24);
        let stored = if own.class == Class::Store { rd } else { NONE };
        Instruction {
            rd,
            rn,
            reads: [rn, own.rm, stored, NONE],
            is_up: self.bit(23),
            is_before,
            // Behind the access the base is always changed.
            writes_back: !is_before || self.bit(21),
            ..own
        }
    }

    /// rm, shifted by bits 11 to 7.
    fn shifted_by_amount(self, own: Instruction) -> Instruction {
        let (amount, rm) = (self.bits(7, 5) as u8, self.register(0));
        let (shift, amount) = match (self.bits(5, 2), amount) {
            (0, amount) => (Shift::Lsl, amount),
            (1, 0) => (Shift::Lsr, 32),
            (1, amount) => (Shift::Lsr, amount),
            (2, 0) => (Shift::Asr, 32),
            (2, amount) => (Shift::Asr, amount),
            (_, 0) => (Shift::Rrx, 1),
            (_, amount) => (Shift::Ror, amount),
        };
        let second =
            if shift == Shift::Lsl && amount == 0 { Second::Register } else { Second::ByAmount };
        let reads_flags = own.reads_flags || shift == Shift::Rrx;
        Instruction { rm, shift, amount, second, reads_flags, ..own }
    }

    fn multiple(self) -> Option<Instruction> {
        let (list, rn) = (self.bits(0, 16) as u16, self.register(16));
        // Bit 22 means registers of another mode.
        if list == 0 || self.bit(22) {
            return None;
        }
        let (operation, class) = match self.bit(20) {
            true => (Operation::Ldm, Class::LoadMultiple),
            false => (Operation::Stm, Class::StoreMultiple),
        };
        let (is_up, is_before, writes_back) = (self.bit(23), self.bit(24), self.bit(21));
        let reads = [rn, NONE, NONE, NONE];
        let own = Instruction { operation, class, list, rn, reads, ..ILLEGAL };
        Some(Instruction { is_up, is_before, writes_back, ..own })
    }

    fn branch(self) -> Instruction {
        let offset = ((self.0 << 8) as i32 >> 6) as u32;
        let (operation, rd) = if self.bit(24) { (Operation::Bl, LR) } else { (Operation::B, NONE) };
        let immediate = offset.wrapping_add(8);
        Instruction { operation, class: Class::Branch, immediate, rd, ..ILLEGAL }
    }

    fn data_processing(self) -> Option<Instruction> {
        let operation = OPERATIONS[self.bits(21, 4) as usize];
        if operation.only_compares() && !self.bit(20) {
            return self.status();
        }
        let rd = if operation.only_compares() { NONE } else { self.register(12) };
        // With the flags, pc takes the saved status: an exception's end.
        if self.bit(20) && rd == PC {
            return None;
        }
        let moves = matches!(operation, Operation::Mov | Operation::Mvn);
        let rn = if moves { NONE } else { self.register(16) };
        let adds_carry = matches!(operation, Operation::Adc | Operation::Sbc | Operation::Rsc);
        let own = Instruction {
            operation,
            class: Class::Compute,
            rd,
            rn,
            sets_flags: self.bit(20),
            reads_flags: adds_carry,
            ..ILLEGAL
        };
        let own = self.second(own);
        Some(Instruction { reads: [rn, own.rm, own.rs, NONE], ..own })
    }

    fn second(self, own: Instruction) -> Instruction {
        if self.bit(25) {
            return self.rotated(own);
        }
        if !self.bit(4) {
            return self.shifted_by_amount(own);
        }
        let shift = [Shift::Lsl, Shift::Lsr, Shift::Asr, Shift::Ror][self.bits(5, 2) as usize];
        let (rm, rs) = (self.register(0), self.register(8));
        Instruction { rm, rs, shift, second: Second::ByRegister, ..own }
    }

    fn rotated(self, own: Instruction) -> Instruction {
        let rotation = 2 * self.bits(8, 4);
        let immediate = self.bits(0, 8).rotate_right(rotation);
        let second = if rotation == 0 { Second::Immediate } else { Second::Rotated };
        Instruction { immediate, second, ..own }
    }

    /// `mrs` and `msr` of the current status; there is no saved one in user mode.
    fn status(self) -> Option<Instruction> {
        if self.bit(22) {
            return None;
        }
        if !self.bit(21) {
            let is_read = self.0 & 0x020f_0fff == 0x000f_0000;
            let (class, rd) = (Class::ReadStatus, self.register(12));
            let own = Instruction { operation: Operation::Mrs, class, rd, ..ILLEGAL };
            return is_read.then_some(Instruction { reads_flags: true, ..own });
        }
        if self.bits(12, 4) != 15 || (!self.bit(25) && self.bits(4, 8) != 0) {
            return None;
        }
        // The fields to be written; in user mode there are only the flags.
        let sets_flags = self.bit(19);
        let (operation, class) = (Operation::Msr, Class::WriteStatus);
        let own = Instruction { operation, class, sets_flags, ..ILLEGAL };
        if self.bit(25) {
            return Some(self.rotated(own));
        }
        let rm = self.register(0);
        let reads = [rm, NONE, NONE, NONE];
        Some(Instruction { rm, reads, second: Second::Register, ..own })
    }
}

const OPERATIONS: [Operation; 16] = [
    Operation::And,
    Operation::Eor,
    Operation::Sub,
    Operation::Rsb,
    Operation::Add,
    Operation::Adc,
    Operation::Sbc,
    Operation::Rsc,
    Operation::Tst,
    Operation::Teq,
    Operation::Cmp,
    Operation::Cmn,
    Operation::Orr,
    Operation::Mov,
    Operation::Bic,
    Operation::Mvn,
];
