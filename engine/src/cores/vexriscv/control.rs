// SPDX-License-Identifier: Apache-2.0
//! The control registers (`CsrPlugin`, its small configuration), as far as no trap changes them.

use crate::cores::rv32::{Instruction, Operation};

const MSTATUS: u32 = 0x300;
const MIE: u32 = 0x304;
const MTVEC: u32 = 0x305;
const MEPC: u32 = 0x341;
const MASK: u32 = 0xbc0;
const DATA_CACHE: u32 = 0xcc0;

/// Bits of `mstatus` that there are: MPP, MPIE, MIE.
const MSTATUS_BITS: u32 = 0x1888;
/// Those of `mie`: external, timer, software.
const MIE_BITS: u32 = 0x888;
const MPIE: u32 = 0x80;

/// The registers.
pub struct Control {
    mstatus: u32,
    mie: u32,
    mtvec: u32,
    /// Where `mret` goes.
    pub mepc: u32,
    /// The mask of the external interrupts.
    mask: u32,
    has_data_cache: bool,
}

impl Control {
    /// As reset leaves them.
    pub fn new(has_data_cache: bool) -> Self {
        Self { mstatus: 0x1800, mie: 0, mtvec: 0, mepc: 0, mask: 0, has_data_cache }
    }

    /// What an instruction reads of its register, which then has what it writes. One that there is not
    /// reads as 0: `execute_CsrPlugin_illegalAccess` leads nowhere.
    pub fn access(&mut self, this: Instruction, first: u32) -> u32 {
        let read = self.read(this.immediate);
        let operand = if this.by_immediate { this.rs1.into() } else { first };
        let written = match this.operation {
            Operation::Csrrw => operand,
            Operation::Csrrs => read | operand,
            _ => read & !operand,
        };
        if this.operation == Operation::Csrrw || this.rs1 != 0 {
            self.write(this.immediate, written);
        }
        read
    }

    fn read(&self, number: u32) -> u32 {
        match number {
            MSTATUS => self.mstatus,
            MIE => self.mie,
            MEPC => self.mepc,
            MASK => self.mask,
            // Bytes of a line and of a way.
            DATA_CACHE if self.has_data_cache => 0x0200_1000,
            _ => 0,
        }
    }

    fn write(&mut self, number: u32, value: u32) {
        match number {
            MSTATUS => self.mstatus = value & MSTATUS_BITS,
            MIE => self.mie = value & MIE_BITS,
            MTVEC => self.mtvec = value,
            MEPC => self.mepc = value,
            MASK => self.mask = value,
            _ => {}
        }
    }

    /// `mret`.
    pub fn leave_trap(&mut self) {
        let enabled = (self.mstatus & MPIE) >> 4;
        self.mstatus = MPIE | enabled;
    }
}
