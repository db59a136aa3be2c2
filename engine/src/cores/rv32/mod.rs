// SPDX-License-Identifier: Apache-2.0
//! RV32IMC with Zicsr: what an instruction is and what it computes, shared by all cores. How long it
//! takes is each core's.
//!
//! Ours and not a crate's: `rrs-lib` decodes an instruction each time it is executed, and knows no
//! compressed ones; here one is decoded once, into what a core needs to execute and to time it.

mod cache;
mod compressed;
mod decode;
mod execute;

pub use cache::Decoder;
pub use compressed::expand;
pub use decode::decode;
pub use execute::{compute, is_aligned, is_taken, loaded, stored};

use super::Convention;

/// RISC-V's calling convention (RISC-V ABIs Specification, 1.0: ra, sp, a0).
pub const RISC_V: Convention = Convention { return_address: 1, stack: 2, result: 10 };

/// What an instruction does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Operation {
    /// rs1 + second, also of `lui`, with x0.
    Add,
    /// rs1 - second.
    Sub,
    /// Shift left.
    Sll,
    /// Signed rs1 < second.
    Slt,
    /// Unsigned rs1 < second.
    Sltu,
    /// Exclusive or.
    Xor,
    /// Shift right, zeros in.
    Srl,
    /// Shift right, signs in.
    Sra,
    /// Or.
    Or,
    /// And.
    And,
    /// The product's low word.
    Mul,
    /// The signed product's high word.
    Mulh,
    /// That of signed rs1 and unsigned rs2.
    Mulhsu,
    /// The unsigned product's high word.
    Mulhu,
    /// Signed quotient.
    Div,
    /// Unsigned quotient.
    Divu,
    /// Signed remainder.
    Rem,
    /// Unsigned remainder.
    Remu,
    /// pc + immediate.
    Auipc,
    /// Jump to pc + immediate.
    Jal,
    /// Jump to rs1 + immediate.
    Jalr,
    /// Branch if equal.
    Beq,
    /// Branch if not equal.
    Bne,
    /// Branch if signed less.
    Blt,
    /// Branch if not signed less.
    Bge,
    /// Branch if unsigned less.
    Bltu,
    /// Branch if not unsigned less.
    Bgeu,
    /// Load a signed byte.
    Lb,
    /// Load a signed half-word.
    Lh,
    /// Load a word.
    Lw,
    /// Load an unsigned byte.
    Lbu,
    /// Load an unsigned half-word.
    Lhu,
    /// Store a byte.
    Sb,
    /// Store a half-word.
    Sh,
    /// Store a word.
    Sw,
    /// Order memory.
    Fence,
    /// Order instructions behind stores.
    FenceI,
    /// Empty the data cache: `fence` with funct3 5, as VexRiscv has it.
    FlushData,
    /// Call of the environment.
    Ecall,
    /// Breakpoint.
    Ebreak,
    /// Return from a trap.
    Mret,
    /// Wait for an interrupt.
    Wfi,
    /// Write a control register; its number is the immediate.
    Csrrw,
    /// Set bits of one.
    Csrrs,
    /// Clear bits of one.
    Csrrc,
    /// What a unit beside the core makes of rs1 and rs2 (custom-0); the immediate is funct7 and funct3.
    Custom,
    /// None.
    Illegal,
}

/// What kind of instruction it is: what a core's units have to do for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Class {
    /// Adder, logic, comparison.
    Compute,
    /// Shifter.
    Shift,
    /// Multiplier.
    Multiply,
    /// Divider.
    Divide,
    /// `jal`.
    Jump,
    /// `jalr`.
    JumpRegister,
    /// Conditional.
    Branch,
    /// Load.
    Load,
    /// Store.
    Store,
    /// `fence`.
    Fence,
    /// All else.
    System,
}

/// An instruction, decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instruction {
    /// What it computes with, sign-extended; the number of a control register.
    pub immediate: u32,
    /// What it does.
    pub operation: Operation,
    /// Its kind.
    pub class: Class,
    /// The register that it writes, 0 if none.
    pub rd: u8,
    /// The first one that it reads, 0 if none; of `csrrwi` and its like, the number itself.
    pub rs1: u8,
    /// The second one, 0 if none.
    pub rs2: u8,
    /// Whether the second operand is the immediate; of a control register's, the first one.
    pub by_immediate: bool,
    /// Its size, 2 or 4.
    pub bytes: u8,
}

/// Whether the instruction whose low bits these are has two bytes.
#[inline]
#[must_use]
pub fn is_compressed(word: u32) -> bool {
    word & 3 != 3
}

impl Instruction {
    /// The second operand, of registers as they are.
    #[inline]
    #[must_use]
    pub fn second(&self, registers: &[u32; 32]) -> u32 {
        if self.by_immediate { self.immediate } else { registers[usize::from(self.rs2 & 31)] }
    }

    /// The first operand.
    #[inline]
    #[must_use]
    pub fn first(&self, registers: &[u32; 32]) -> u32 {
        registers[usize::from(self.rs1 & 31)]
    }
}
