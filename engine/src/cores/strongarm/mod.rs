// SPDX-License-Identifier: Apache-2.0
//! StrongARM (SA-110, SA-1100) as a model that goes from instruction to instruction. How long each
//! takes, and where that is from, is in [`timing`].
//!
//! Of an instruction it counts the cycle in which it issues; it retires when the next one could. A
//! miss of the data cache stops the whole pipeline until the word has come. Two things are simpler
//! than in the processor: instructions are fetched one ahead, so that of two misses of which the
//! load's comes first its line is asked for first, and a condition that does not hold saves no waiting
//! for registers.
//!
//! There is no RTL of it to be had: what is here is what documents say.

mod accesses;
mod bus;
mod caches;
mod load_store;
mod timing;

use self::accesses::Front;
use self::bus::{Bus, Fill};
use self::caches::{DataCache, InstructionCache};
use self::load_store::listed;
pub use self::timing::Settings;
use super::armv4::{
    Class, Instruction, LR, NONE, Operation, PC, Second, Shifted, arithmetic, flag, passes,
    product, shifted,
};
use super::{
    Cause, Convention, Core, Cycle, Going, Halt, HasTwin, Observer, Ports, Retired, Stop, Trap,
    ended,
};

/// In the list of when registers are there: that the flags are.
const FLAGS: usize = NONE as usize + 1;
/// Whose status `mrs` reads: user mode's.
const USER_MODE: u32 = 0x10;
/// In [`Core::registers`]: the status, with the flags in its upper four bits.
const STATUS: usize = 16;

/// The core.
pub struct StrongArm {
    settings: Settings,
    /// r0 to r15, and what is written for nobody.
    registers: [u32; 17],
    flags: u8,
    pc: u32,
    /// The first cycle in which the next instruction can issue.
    issue: Cycle,
    /// By register, the first cycle in which one that needs it can issue.
    ready: [Cycle; 18],
    /// The latest of them.
    all_ready: Cycle,
    /// The first cycle in which a product can issue.
    multiplier_free: Cycle,
    front: Front,
    instructions: InstructionCache,
    data: DataCache,
    /// The line of data that came last.
    fill: Fill,
    bus: Bus,
    trap: Option<Trap>,
}

impl StrongArm {
    /// A core out of reset.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        Self {
            settings,
            registers: [0; 17],
            flags: 0,
            pc: 0,
            // The first fetch is in cycle 0.
            issue: 1,
            ready: [0; 18],
            all_ready: 0,
            multiplier_free: 0,
            front: Front::default(),
            instructions: InstructionCache::new(),
            data: DataCache::new(settings.data_cache_bytes),
            fill: Fill::default(),
            bus: Bus::default(),
            trap: None,
        }
    }
}

impl Core for StrongArm {
    fn run<P: Ports + ?Sized, O: Observer>(
        &mut self,
        ports: &mut P,
        until: Cycle,
        observer: &mut O,
    ) -> Stop {
        if let Some(trap) = self.trap {
            return Stop::Trapped(trap);
        }
        let gone = self.go_on(ports, until, observer);
        ended(gone, self.pc, &mut self.trap)
    }

    fn cycle(&self) -> Cycle {
        self.trap.map_or(self.issue, |trap| trap.cycle)
    }

    fn registers(&self) -> [u32; 32] {
        let mut registers = [0; 32];
        registers[..usize::from(PC)].copy_from_slice(&self.registers[..usize::from(PC)]);
        registers[usize::from(PC)] = self.pc;
        registers[STATUS] = self.status();
        registers
    }

    fn pc(&self) -> u32 {
        self.pc
    }
}

impl HasTwin for StrongArm {
    type Twin = Self;

    const CONVENTION: Convention = Convention { return_address: 14, stack: 13, result: 0 };

    fn twin(&self, pc: u32, registers: [u32; 32]) -> Self {
        let mut twin = Self {
            pc,
            flags: (registers[STATUS] >> 28) as u8,
            instructions: self.instructions.clone(),
            data: self.data.clone(),
            ..Self::new(self.settings)
        };
        twin.registers[..usize::from(PC)].copy_from_slice(&registers[..usize::from(PC)]);
        twin
    }

    /// Its instructions nobody changes, and its data is in memory.
    fn twin_behind(&self, before: &Self, pc: u32, registers: [u32; 32]) -> Self {
        before.twin(pc, registers)
    }
}

impl StrongArm {
    fn go_on<P: Ports + ?Sized, O: Observer>(
        &mut self,
        ports: &mut P,
        until: Cycle,
        observer: &mut O,
    ) -> Going<Stop> {
        while self.issue < until {
            if observer.stops_at(self.pc) {
                return Ok(Stop::Stopped);
            }
            let this = self.fetch(ports)?;
            if self.all_ready > self.issue {
                self.wait(this);
            }
            let pc = self.pc;
            self.registers[usize::from(PC)] = pc.wrapping_add(8);
            self.pc = pc.wrapping_add(4);
            if !passes(this.condition, self.flags) {
                self.issue += 1;
                observer.retired(Retired { cycle: self.issue, pc, register: 0, value: 0 });
                continue;
            }
            if let Err(halt) = self.execute(ports, this) {
                self.pc = pc;
                return Err(halt);
            }
            let register = if this.rd == NONE { 0 } else { this.rd };
            let value = if this.rd == NONE { 0 } else { self.registers[usize::from(this.rd & 15)] };
            observer.retired(Retired { cycle: self.issue, pc, register, value });
        }
        Ok(Stop::Reached)
    }

    /// Lets the issue wait for what an instruction needs.
    fn wait(&mut self, this: Instruction) {
        let mut at = self.issue;
        for register in this.reads {
            at = at.max(self.ready[usize::from(register)]);
        }
        if this.reads_flags {
            at = at.max(self.ready[FLAGS]);
        }
        if this.class == Class::StoreMultiple {
            for register in listed(this.list) {
                at = at.max(self.ready[register]);
            }
        }
        if matches!(this.class, Class::Multiply | Class::MultiplyLong) {
            at = at.max(self.multiplier_free);
        }
        self.issue = at;
    }

    #[inline]
    fn register(&self, number: u8) -> u32 {
        self.registers[usize::from(number)]
    }

    /// Writes a register whose value is there from a cycle on.
    #[inline]
    fn set(&mut self, number: u8, value: u32, ready: Cycle) {
        self.registers[usize::from(number)] = value;
        self.ready[usize::from(number)] = ready;
        if number != NONE {
            self.all_ready = self.all_ready.max(ready);
        }
    }

    fn status(&self) -> u32 {
        u32::from(self.flags) << 28 | USER_MODE
    }

    #[inline]
    fn execute<P: Ports + ?Sized>(&mut self, ports: &mut P, this: Instruction) -> Going<()> {
        match this.class {
            Class::Compute => {
                self.compute(this);
                Ok(())
            }
            Class::Load => self.load(ports, this),
            Class::Store => self.store(ports, this),
            Class::Branch => {
                self.branch(this);
                Ok(())
            }
            Class::LoadMultiple => self.load_multiple(ports, this),
            Class::StoreMultiple => self.store_multiple(ports, this),
            Class::Swap => self.swap(ports, this),
            Class::System => Err(self.halt(match this.operation {
                Operation::Swi => Cause::EnvironmentCall,
                _ => Cause::IllegalInstruction,
            })),
            _ => {
                self.others(this);
                Ok(())
            }
        }
    }

    fn halt(&self, cause: Cause) -> Halt {
        Halt { cycle: self.issue, cause, address: 0 }
    }

    /// The second operand, or the offset of an address.
    #[inline]
    fn second(&self, this: Instruction) -> Shifted {
        let carry = self.flags & flag::C != 0;
        match this.second {
            Second::Immediate => Shifted { value: this.immediate, carry },
            Second::Rotated => Shifted { value: this.immediate, carry: this.immediate >> 31 == 1 },
            Second::Register => Shifted { value: self.register(this.rm), carry },
            Second::ByAmount => {
                shifted(this.shift, self.register(this.rm), this.amount.into(), carry)
            }
            Second::ByRegister => {
                let amount = self.register(this.rs) & 0xff;
                shifted(this.shift, self.register(this.rm), amount, carry)
            }
        }
    }

    #[inline]
    fn compute(&mut self, this: Instruction) {
        let second = self.second(this);
        let found = arithmetic(this.operation, self.register(this.rn), second, self.flags);
        if this.sets_flags {
            self.flags = found.flags;
            self.ready[FLAGS] = self.issue + 1;
        }
        self.issue += 1;
        if this.rd == PC {
            self.issue += self.settings.jump_cycles;
            self.pc = found.value & !3;
        } else {
            self.registers[usize::from(this.rd)] = found.value;
            self.ready[usize::from(this.rd)] = self.issue;
        }
    }

    fn branch(&mut self, this: Instruction) {
        let pc = self.registers[usize::from(PC)].wrapping_sub(8);
        if this.rd == LR {
            self.set(LR, self.pc, self.issue + 1);
        }
        self.pc = pc.wrapping_add(this.immediate);
        self.issue += 1 + timing::BRANCH;
    }

    /// Products, and the status.
    fn others(&mut self, this: Instruction) {
        match this.class {
            Class::Multiply | Class::MultiplyLong => self.multiply(this),
            Class::ReadStatus => {
                self.issue += 1;
                self.set(this.rd, self.status(), self.issue);
            }
            _ => {
                if this.sets_flags {
                    self.flags = (self.second(this).value >> 28) as u8;
                }
                self.issue += timing::WRITE_STATUS;
            }
        }
    }

    fn multiply(&mut self, this: Instruction) {
        let (rm, rs) = (self.register(this.rm), self.register(this.rs));
        let (upper, lower) = (self.register(this.rd), self.register(this.rn));
        let added = match this.operation {
            Operation::Mla => lower.into(),
            Operation::Umlal | Operation::Smlal => u64::from(upper) << 32 | u64::from(lower),
            _ => 0,
        };
        let (whole, flags) = product(this.operation, (rm, rs), added, self.flags);
        let is_unsigned = matches!(this.operation, Operation::Umull | Operation::Umlal);
        let delay = timing::product_delay(rs, is_unsigned);
        // A step of the multiplier at a time ([A] of `timing`).
        self.multiplier_free = self.issue + delay;
        let is_long = this.class == Class::MultiplyLong;
        self.issue += if is_long { timing::LONG_PRODUCT } else { 1 };
        let ready = self.issue + delay;
        if is_long {
            self.set(this.rn, whole as u32, ready);
            self.set(this.rd, (whole >> 32) as u32, ready);
        } else {
            self.set(this.rd, whole as u32, ready);
        }
        if this.sets_flags {
            self.flags = flags;
            self.ready[FLAGS] = ready;
        }
    }
}
