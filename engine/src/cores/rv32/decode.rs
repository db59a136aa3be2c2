// SPDX-License-Identifier: Apache-2.0
//! From a word to an instruction.

use super::{Class, Instruction, Operation, expand, is_compressed};

/// The instruction of a word; of a compressed one only the low half counts. One that is none is
/// [`Operation::Illegal`].
#[must_use]
pub fn decode(word: u32) -> Instruction {
    if is_compressed(word) {
        let expanded = expand(word as u16).map_or(ILLEGAL, decode_full);
        return Instruction { bytes: 2, ..expanded };
    }
    decode_full(word)
}

const ILLEGAL: Instruction = Instruction {
    immediate: 0,
    operation: Operation::Illegal,
    class: Class::System,
    rd: 0,
    rs1: 0,
    rs2: 0,
    by_immediate: false,
    bytes: 4,
};

fn decode_full(word: u32) -> Instruction {
    let fields = Fields(word);
    let decoded = match word & 0x7f {
        0x37 => Some(fields.upper(Operation::Add)),
        0x17 => Some(fields.upper(Operation::Auipc)),
        0x6f => Some(fields.jump()),
        0x67 if fields.funct3() == 0 => Some(fields.register_jump()),
        0x63 => fields.branch(),
        0x03 => fields.load(),
        0x23 => fields.store(),
        0x13 => fields.by_immediate(),
        0x33 => fields.by_register(),
        0x0f => fields.fence(),
        0x73 => fields.system(),
        0x0b => Some(fields.custom()),
        _ => None,
    };
    decoded.unwrap_or(ILLEGAL)
}

/// The parts of a word.
#[derive(Clone, Copy)]
struct Fields(u32);

impl Fields {
    fn bits(self, low: u32, count: u32) -> u32 {
        self.0 >> low & ((1 << count) - 1)
    }

    fn funct3(self) -> u32 {
        self.bits(12, 3)
    }

    fn rd(self) -> u8 {
        self.bits(7, 5) as u8
    }

    fn rs1(self) -> u8 {
        self.bits(15, 5) as u8
    }

    fn rs2(self) -> u8 {
        self.bits(20, 5) as u8
    }

    /// The sign, in all bits from `low` up.
    fn sign(self, low: u32) -> u32 {
        ((self.0 as i32 >> 31) << low) as u32
    }

    fn immediate_i(self) -> u32 {
        (self.0 as i32 >> 20) as u32
    }

    fn upper(self, operation: Operation) -> Instruction {
        let immediate = self.0 & 0xffff_f000;
        let (class, rd) = (Class::Compute, self.rd());
        Instruction { operation, class, immediate, rd, by_immediate: true, ..ILLEGAL }
    }

    fn jump(self) -> Instruction {
        let offset = self.bits(21, 10) << 1 | self.bits(20, 1) << 11 | self.bits(12, 8) << 12;
        let immediate = offset | self.sign(20);
        let (operation, class, rd) = (Operation::Jal, Class::Jump, self.rd());
        Instruction { operation, class, immediate, rd, ..ILLEGAL }
    }

    fn register_jump(self) -> Instruction {
        let (operation, class) = (Operation::Jalr, Class::JumpRegister);
        self.one_register(operation, class)
    }

    /// With rd, rs1 and an immediate.
    fn one_register(self, operation: Operation, class: Class) -> Instruction {
        let (immediate, rd, rs1) = (self.immediate_i(), self.rd(), self.rs1());
        Instruction { operation, class, immediate, rd, rs1, by_immediate: true, ..ILLEGAL }
    }

    fn branch(self) -> Option<Instruction> {
        let operation = match self.funct3() {
            0 => Operation::Beq,
            1 => Operation::Bne,
            4 => Operation::Blt,
            5 => Operation::Bge,
            6 => Operation::Bltu,
            7 => Operation::Bgeu,
            _ => return None,
        };
        let offset = self.bits(8, 4) << 1 | self.bits(25, 6) << 5 | self.bits(7, 1) << 11;
        let immediate = offset | self.sign(12);
        let (class, rs1, rs2) = (Class::Branch, self.rs1(), self.rs2());
        Some(Instruction { operation, class, immediate, rs1, rs2, ..ILLEGAL })
    }

    fn load(self) -> Option<Instruction> {
        let operation = match self.funct3() {
            0 => Operation::Lb,
            1 => Operation::Lh,
            2 => Operation::Lw,
            4 => Operation::Lbu,
            5 => Operation::Lhu,
            _ => return None,
        };
        Some(self.one_register(operation, Class::Load))
    }

    fn store(self) -> Option<Instruction> {
        let operation = match self.funct3() {
            0 => Operation::Sb,
            1 => Operation::Sh,
            2 => Operation::Sw,
            _ => return None,
        };
        let immediate = self.bits(7, 5) | self.bits(25, 6) << 5 | self.sign(11);
        let (class, rs1, rs2) = (Class::Store, self.rs1(), self.rs2());
        Some(Instruction { operation, class, immediate, rs1, rs2, ..ILLEGAL })
    }

    fn by_immediate(self) -> Option<Instruction> {
        let (operation, class) = match (self.funct3(), self.bits(25, 7)) {
            (0, _) => (Operation::Add, Class::Compute),
            (1, 0x00) => (Operation::Sll, Class::Shift),
            (2, _) => (Operation::Slt, Class::Compute),
            (3, _) => (Operation::Sltu, Class::Compute),
            (4, _) => (Operation::Xor, Class::Compute),
            (5, 0x00) => (Operation::Srl, Class::Shift),
            (5, 0x20) => (Operation::Sra, Class::Shift),
            (6, _) => (Operation::Or, Class::Compute),
            (7, _) => (Operation::And, Class::Compute),
            _ => return None,
        };
        Some(self.one_register(operation, class))
    }

    fn by_register(self) -> Option<Instruction> {
        let (operation, class) = match (self.bits(25, 7), self.funct3()) {
            (0x00, 0) => (Operation::Add, Class::Compute),
            (0x20, 0) => (Operation::Sub, Class::Compute),
            (0x00, 1) => (Operation::Sll, Class::Shift),
            (0x00, 2) => (Operation::Slt, Class::Compute),
            (0x00, 3) => (Operation::Sltu, Class::Compute),
            (0x00, 4) => (Operation::Xor, Class::Compute),
            (0x00, 5) => (Operation::Srl, Class::Shift),
            (0x20, 5) => (Operation::Sra, Class::Shift),
            (0x00, 6) => (Operation::Or, Class::Compute),
            (0x00, 7) => (Operation::And, Class::Compute),
            (0x01, 0) => (Operation::Mul, Class::Multiply),
            (0x01, 1) => (Operation::Mulh, Class::Multiply),
            (0x01, 2) => (Operation::Mulhsu, Class::Multiply),
            (0x01, 3) => (Operation::Mulhu, Class::Multiply),
            (0x01, 4) => (Operation::Div, Class::Divide),
            (0x01, 5) => (Operation::Divu, Class::Divide),
            (0x01, 6) => (Operation::Rem, Class::Divide),
            (0x01, 7) => (Operation::Remu, Class::Divide),
            _ => return None,
        };
        let (rd, rs1, rs2) = (self.rd(), self.rs1(), self.rs2());
        Some(Instruction { operation, class, rd, rs1, rs2, ..ILLEGAL })
    }

    fn fence(self) -> Option<Instruction> {
        match self.funct3() {
            0 => {
                let (operation, class) = (Operation::Fence, Class::Fence);
                Some(Instruction { operation, class, ..ILLEGAL })
            }
            1 => Some(Instruction { operation: Operation::FenceI, ..ILLEGAL }),
            5 => Some(Instruction { operation: Operation::FlushData, ..ILLEGAL }),
            _ => None,
        }
    }

    fn system(self) -> Option<Instruction> {
        let operation = match self.funct3() {
            0 => return self.environment(),
            1 | 5 => Operation::Csrrw,
            2 | 6 => Operation::Csrrs,
            3 | 7 => Operation::Csrrc,
            _ => return None,
        };
        let (immediate, rd, rs1) = (self.bits(20, 12), self.rd(), self.rs1());
        let by_immediate = self.funct3() >= 4;
        Some(Instruction { operation, immediate, rd, rs1, by_immediate, ..ILLEGAL })
    }

    fn custom(self) -> Instruction {
        let (rd, rs1, rs2) = (self.rd(), self.rs1(), self.rs2());
        let immediate = self.bits(25, 7) << 3 | self.funct3();
        Instruction { operation: Operation::Custom, immediate, rd, rs1, rs2, ..ILLEGAL }
    }

    fn environment(self) -> Option<Instruction> {
        let operation = match self.0 {
            0x0000_0073 => Operation::Ecall,
            0x0010_0073 => Operation::Ebreak,
            0x3020_0073 => Operation::Mret,
            0x1050_0073 => Operation::Wfi,
            _ => return None,
        };
        Some(Instruction { operation, ..ILLEGAL })
    }
}
