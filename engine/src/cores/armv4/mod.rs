// SPDX-License-Identifier: Apache-2.0
//! ARMv4 without Thumb, as a program in user mode sees it: what an instruction is and what it
//! computes (ARM Architecture Reference Manual, ARM DDI 0100). How long it takes is each core's.
//!
//! What the manual leaves unpredictable is either computed as the fields say, or no instruction:
//! the condition 0b1111, registers of other modes, and what came with later versions.

mod decode;
mod execute;

pub use decode::decode;
pub use execute::{Arithmetic, Shifted, arithmetic, loaded, passes, product, shifted, stored};

/// The register that is the program counter.
pub(crate) const PC: u8 = 15;
/// The register with the return address.
pub(crate) const LR: u8 = 14;
/// A register that there is not: as a source nothing is waited for.
pub(crate) const NONE: u8 = 16;

/// The flags N, Z, C and V, as the bits 3 to 0.
pub(crate) mod flag {
    /// Negative.
    pub(crate) const N: u8 = 8;
    /// Zero.
    pub(crate) const Z: u8 = 4;
    /// Carry, or no borrow.
    pub(crate) const C: u8 = 2;
    /// Signed overflow.
    pub(crate) const V: u8 = 1;
}

/// What an instruction does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Operation {
    /// rn and second.
    And,
    /// rn exclusive-or second.
    Eor,
    /// rn - second.
    Sub,
    /// second - rn.
    Rsb,
    /// rn + second.
    Add,
    /// rn + second + C.
    Adc,
    /// rn - second - not C.
    Sbc,
    /// second - rn - not C.
    Rsc,
    /// Flags of `And`.
    Tst,
    /// Flags of `Eor`.
    Teq,
    /// Flags of `Sub`.
    Cmp,
    /// Flags of `Add`.
    Cmn,
    /// rn or second.
    Orr,
    /// second.
    Mov,
    /// rn and not second.
    Bic,
    /// not second.
    Mvn,
    /// rm * rs.
    Mul,
    /// rm * rs + rn.
    Mla,
    /// Unsigned rm * rs to two registers: rd the upper, rn the lower.
    Umull,
    /// The same, added to them.
    Umlal,
    /// Signed rm * rs to two registers.
    Smull,
    /// The same, added to them.
    Smlal,
    /// Load a word.
    Ldr,
    /// Load an unsigned byte.
    Ldrb,
    /// Load an unsigned half-word.
    Ldrh,
    /// Load a signed byte.
    Ldrsb,
    /// Load a signed half-word.
    Ldrsh,
    /// Store a word.
    Str,
    /// Store a byte.
    Strb,
    /// Store a half-word.
    Strh,
    /// Load registers of a list.
    Ldm,
    /// Store registers of a list.
    Stm,
    /// Exchange a word.
    Swp,
    /// Exchange a byte.
    Swpb,
    /// Branch.
    B,
    /// Branch with link.
    Bl,
    /// Read the status.
    Mrs,
    /// Write the status.
    Msr,
    /// Call of the environment.
    Swi,
    /// None.
    Illegal,
}

/// What kind of instruction it is: what a core's units have to do for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Class {
    /// Shifter, adder, logic.
    Compute,
    /// Multiplier, one register.
    Multiply,
    /// Multiplier, two registers.
    MultiplyLong,
    /// Load.
    Load,
    /// Store.
    Store,
    /// Loads of a list.
    LoadMultiple,
    /// Stores of a list.
    StoreMultiple,
    /// Exchange.
    Swap,
    /// Branch.
    Branch,
    /// Reading the status.
    ReadStatus,
    /// Writing the status.
    WriteStatus,
    /// All else.
    System,
}

/// How the shifter changes the second operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Shift {
    /// Left.
    Lsl,
    /// Right, zeros in.
    Lsr,
    /// Right, signs in.
    Asr,
    /// Rotate right.
    Ror,
    /// Rotate right by one with the carry.
    Rrx,
}

/// Where the second operand, or the offset of an address, comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Second {
    /// The immediate, which is no rotated one: the carry stays.
    Immediate,
    /// An immediate that was rotated: the carry is its upper bit.
    Rotated,
    /// rm, as it is.
    Register,
    /// rm, shifted by the amount in the instruction.
    ByAmount,
    /// rm, shifted by the low byte of rs.
    ByRegister,
}

/// An instruction, decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instruction {
    /// What it computes with; of a branch the distance to the target from its own address.
    pub immediate: u32,
    /// The registers of a list.
    pub list: u16,
    /// What it does.
    pub operation: Operation,
    /// Its kind.
    pub class: Class,
    /// The condition, 0 to 14.
    pub condition: u8,
    /// What it writes, or stores.
    pub rd: u8,
    /// The first operand, or an address's base.
    pub rn: u8,
    /// What is shifted, or multiplied.
    pub rm: u8,
    /// By which register.
    pub rs: u8,
    /// Registers whose values it needs, [`NONE`] for no more.
    pub reads: [u8; 4],
    /// Where its second operand comes from.
    pub second: Second,
    /// How that is shifted.
    pub shift: Shift,
    /// By how many bits, 0 to 32.
    pub amount: u8,
    /// Whether it writes the flags.
    pub sets_flags: bool,
    /// Whether it needs the flags.
    pub reads_flags: bool,
    /// Whether the offset is added to the base, not taken from it.
    pub is_up: bool,
    /// Whether the base is changed before the access.
    pub is_before: bool,
    /// Whether the base stays changed.
    pub writes_back: bool,
}

impl Operation {
    /// Whether a data-processing instruction writes no register.
    #[must_use]
    pub fn only_compares(self) -> bool {
        matches!(self, Self::Tst | Self::Teq | Self::Cmp | Self::Cmn)
    }

    /// Bytes of an access.
    #[must_use]
    pub fn bytes(self) -> u32 {
        match self {
            Self::Ldrb | Self::Ldrsb | Self::Strb | Self::Swpb => 1,
            Self::Ldrh | Self::Ldrsh | Self::Strh => 2,
            _ => 4,
        }
    }

    /// Whether a load repeats its sign.
    #[must_use]
    pub fn is_signed_load(self) -> bool {
        matches!(self, Self::Ldrsb | Self::Ldrsh)
    }
}
