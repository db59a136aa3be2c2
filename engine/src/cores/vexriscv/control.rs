// SPDX-License-Identifier: Apache-2.0
//! The control registers (`CsrPlugin`, its small configuration), and when they let an interrupt in.
//!
//! Exceptions end a run, so that they change none of them.

use crate::cores::rv32::{Instruction, Operation};
use crate::cores::{Cycle, Ports};

const MSTATUS: u32 = 0x300;
const MIE: u32 = 0x304;
const MTVEC: u32 = 0x305;
const MEPC: u32 = 0x341;
const MCAUSE: u32 = 0x342;
const MIP: u32 = 0x344;
const PENDING: u32 = 0xfc0;
const MASK: u32 = 0xbc0;
const DATA_CACHE: u32 = 0xcc0;

/// Bits of `mstatus` that there are: MPP, MPIE, MIE.
const MSTATUS_BITS: u32 = 0x1888;
/// Those of `mie`: external, timer, software.
const MIE_BITS: u32 = 0x888;
const MPP: u32 = 0x1800;
const MPIE: u32 = 0x80;
const MIE_OF_MSTATUS: u32 = 0x8;
/// The external interrupt, in `mie` and `mip`.
const EXTERNAL: u32 = 0x800;
/// `mcause` of it.
const EXTERNAL_CAUSE: u32 = 0x8000_000b;

/// The registers.
pub struct Control {
    mstatus: u32,
    mie: u32,
    mtvec: u32,
    /// Where `mret` goes.
    pub mepc: u32,
    mcause: u32,
    /// The mask of the external interrupts.
    mask: u32,
    has_data_cache: bool,
    /// The last settings that decide on interrupts, the newest first. A change takes longer than
    /// what is looked back for.
    settings: [Setting; 3],
}

/// What decides on interrupts.
#[derive(Debug, Clone, Copy, Default)]
struct Setting {
    /// The first cycle in which it is so.
    from: Cycle,
    is_enabled: bool,
    mask: u32,
}

impl Control {
    /// As reset leaves them.
    pub fn new(has_data_cache: bool) -> Self {
        Self {
            mstatus: MPP,
            mie: 0,
            mtvec: 0,
            mepc: 0,
            mcause: 0,
            mask: 0,
            has_data_cache,
            settings: [Setting::default(); 3],
        }
    }

    /// Whether an interrupt might come in at all.
    #[inline]
    pub fn listens(&self) -> bool {
        self.settings[0].is_enabled | self.settings[1].is_enabled | self.settings[2].is_enabled
    }

    fn setting(&self, cycle: Cycle) -> Setting {
        let [newest, middle, oldest] = self.settings;
        let since = |setting: &Setting| setting.from <= cycle;
        [newest, middle].into_iter().find(since).unwrap_or(oldest)
    }

    /// What the registers say now, from cycle `from` on.
    fn decide(&mut self, from: Cycle) {
        let is_enabled = self.mstatus & MIE_OF_MSTATUS != 0 && self.mie & EXTERNAL != 0;
        let [newest, middle, _] = self.settings;
        self.settings = [Setting { from, is_enabled, mask: self.mask }, newest, middle];
    }

    /// Whether `CsrPlugin_interrupt_valid` is high in a cycle: of the lines three cycles before, which
    /// went through a register, `mip` and itself.
    pub fn is_asked<P: Ports + ?Sized>(&self, ports: &mut P, cycle: Cycle) -> bool {
        self.setting(cycle - 1).is_enabled
            && ports.interrupts(cycle - 3) & self.setting(cycle - 2).mask != 0
    }

    /// An interrupt goes to `mtvec` in a cycle, in place of the instruction at `pc`; where that is.
    pub fn enter_trap(&mut self, cycle: Cycle, pc: u32) -> u32 {
        let enabled = (self.mstatus & MIE_OF_MSTATUS) << 4;
        self.mstatus = MPP | enabled;
        (self.mepc, self.mcause) = (pc, EXTERNAL_CAUSE);
        self.decide(cycle + 1);
        self.mtvec & !3
    }

    /// The registers that show the lines, of an instruction that leaves execute in a cycle; 0 of all
    /// others.
    pub fn lines<P: Ports + ?Sized>(&self, ports: &mut P, number: u32, execute: Cycle) -> u32 {
        match number {
            PENDING => ports.interrupts(execute - 1) & self.mask,
            MIP if ports.interrupts(execute - 2) & self.mask != 0 => EXTERNAL,
            _ => 0,
        }
    }

    /// What an instruction reads of its register, which then has what it writes. One that there is not
    /// reads as 0: `execute_CsrPlugin_illegalAccess` leads nowhere.
    /// `lines`: what it shows of the lines; `execute`: when it leaves that stage.
    pub fn access(&mut self, this: Instruction, first: u32, (lines, execute): (u32, Cycle)) -> u32 {
        let read = self.read(this.immediate) | lines;
        let operand = if this.by_immediate { this.rs1.into() } else { first };
        let written = match this.operation {
            Operation::Csrrw => operand,
            Operation::Csrrs => read | operand,
            _ => read & !operand,
        };
        if this.operation == Operation::Csrrw || this.rs1 != 0 {
            self.write(this.immediate, written);
            self.decide(execute + 1);
        }
        read
    }

    fn read(&self, number: u32) -> u32 {
        match number {
            MSTATUS => self.mstatus,
            MIE => self.mie,
            MEPC => self.mepc,
            MCAUSE => self.mcause,
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

    /// `mret`, which leaves write-back in a cycle.
    pub fn leave_trap(&mut self, write_back: Cycle) {
        let enabled = (self.mstatus & MPIE) >> 4;
        self.mstatus = MPIE | enabled;
        self.decide(write_back + 1);
    }
}
