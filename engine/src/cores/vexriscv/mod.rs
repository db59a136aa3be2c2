// SPDX-License-Identifier: Apache-2.0
//! VexRiscv as a model that goes from instruction to instruction.
//!
//! Of each instruction it computes in which cycle it leaves decode, execute, memory and write-back
//! ([`stages`]), and when the next one comes to decode ([`fetcher`]). An instruction retires when it
//! leaves write-back (`lastStageIsFiring`).
//!
//! What is behind a jump that was not foreseen, or behind a load that has to be done again, was
//! fetched in vain, but not without effect: it loads lines of the instruction cache or even empties
//! that, and decode may be stuck by it in the very cycle in which the jump needs the fetcher. That
//! path is gone over too ([`VexRiscv::go_in_vain`]).
//!
//! Exceptions end a run. The lines of interrupts are those of `externalInterruptArray`; the timer's and
//! the software's are low.

mod accesses;
mod control;
mod data;
mod fetcher;
mod in_vain;
mod interrupts;
mod jumps;
mod stages;
mod variants;
mod words;

use self::control::Control;
use self::data::{DataCache, Queue};
use self::fetcher::{Fetcher, Front, LINE_WORDS};
use self::stages::{NO_REGISTER, Slot, Stages};
pub use self::variants::{LITE, STANDARD, Variant};
use self::words::Word;
use super::rv32::{Class, Operation, RISC_V, compute, is_aligned, is_taken, loaded, stored};
use super::{
    Cause, Convention, Core, Cycle, Going, Halt, HasTwin, Observer, Ports, Refused, Retired, Stop,
    Trap, ended,
};

/// Cycles that a quotient stays in memory beyond the first: 33 steps, and `div_done` behind them.
const QUOTIENT: Cycle = 33;
/// The same of a product, one bit a step.
const PRODUCT: Cycle = 32;
/// Cycles in which the data cache is emptied, from the start to `flush_ready`.
const FLUSH: Cycle = 130;
/// An address from here on is not cached.
const UNCACHED: u32 = 0x8000_0000;

/// The core.
pub struct VexRiscv {
    variant: Variant,
    registers: [u32; 32],
    front: Front,
    stages: Stages,
    fetcher: Fetcher,
    queue: Queue,
    cache: DataCache,
    control: Control,
    /// Whether the next instruction was under way before, and was removed.
    is_again: bool,
    trap: Option<Trap>,
}

/// How it goes on behind an instruction, which has written its register.
enum Then {
    /// As decode has foreseen.
    Next,
    /// Elsewhere, with a jump from memory; where to.
    Jump(u32),
    /// With a return from a trap, from write-back.
    Return,
    /// It is removed from write-back and begins anew; if a line is loaded, write-back is stuck until
    /// then, and nothing leaves execute before this cycle.
    Again(Option<Cycle>),
}

impl VexRiscv {
    /// A core in reset.
    pub fn new(variant: Variant) -> Self {
        let (fetcher, stages) = (Fetcher::new(variant), Stages::default());
        let arrival = fetcher.restart(&stages, 0);
        Self {
            variant,
            registers: [0; 32],
            front: Front { arrival, pc: 0, behind_flush: None },
            stages,
            fetcher,
            queue: Queue::default(),
            cache: DataCache::new(variant.data_lines),
            control: Control::new(variant.data_lines > 0),
            is_again: false,
            trap: None,
        }
    }
}

impl Core for VexRiscv {
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
        ended(gone, self.front.pc, &mut self.trap)
    }

    fn cycle(&self) -> Cycle {
        self.trap.map_or(self.front.arrival, |trap| trap.cycle)
    }

    fn registers(&self) -> [u32; 32] {
        self.registers
    }

    fn pc(&self) -> u32 {
        self.front.pc
    }
}

impl HasTwin for VexRiscv {
    type Twin = Self;

    const CONVENTION: Convention = RISC_V;

    fn twin(&self, pc: u32, registers: [u32; 32]) -> Self {
        self.twin_behind(self, pc, registers)
    }

    /// Code does not change: its lines are those that the function has left.
    fn twin_behind(&self, before: &Self, pc: u32, registers: [u32; 32]) -> Self {
        let mut twin = Self { registers, cache: self.cache.clone(), ..Self::new(self.variant) };
        twin.fetcher = before.fetcher.settled();
        let arrival = twin.fetcher.restart(&twin.stages, 0);
        twin.front = Front { arrival, pc, behind_flush: None };
        twin
    }
}

impl VexRiscv {
    fn go_on<P: Ports + ?Sized, O: Observer>(
        &mut self,
        ports: &mut P,
        until: Cycle,
        observer: &mut O,
    ) -> Going<Stop> {
        while self.front.arrival < until {
            // What begins anew has been asked for before.
            if !std::mem::take(&mut self.is_again) && observer.stops_at(self.front.pc) {
                return Ok(Stop::Stopped);
            }
            let word = match self.fetcher.at_hand(&self.front) {
                Some(word) => *word,
                None => self.fetched(ports)?,
            };
            self.step(ports, &word, observer)?;
        }
        Ok(Stop::Reached)
    }

    /// The next instruction, whose line may have to be loaded first.
    #[inline(never)]
    fn fetched<P: Ports + ?Sized>(&mut self, ports: &mut P) -> Going<Word> {
        loop {
            let (front, stages) = (&mut self.front, &self.stages);
            let fetched = self.fetcher.fetch(ports, front, stages, Cycle::MAX);
            if let Some(word) = fetched.map_err(halt)? {
                return Ok(word);
            }
        }
    }

    #[inline]
    fn step<P: Ports + ?Sized, O: Observer>(
        &mut self,
        ports: &mut P,
        word: &Word,
        observer: &mut O,
    ) -> Going<()> {
        let (mut arrival, pc) = (self.front.arrival, self.front.pc);
        if !word.is_legal {
            return Err(self.illegal(ports, word));
        }
        if self.control.listens() {
            match self.held(ports, word) {
                Some(cycle) => arrival = cycle,
                None => return Ok(()),
            }
        }
        self.issue(word, arrival);
        match self.execute(ports, word)? {
            Then::Next => self.foresee(word),
            Then::Jump(target) => self.jump(ports, word, target)?,
            Then::Return => self.return_from_trap(ports, word)?,
            Then::Again(loaded) => return self.begin_anew(ports, word, loaded),
        }
        let register = if word.rd == NO_REGISTER { 0 } else { word.rd };
        let (cycle, value) = (self.stages.last().write_back, self.register(register));
        observer.retired(Retired { cycle, pc, register, value });
        Ok(())
    }

    /// It goes on as decode has foreseen, and the instruction writes its register.
    #[inline]
    fn next(&mut self, word: &Word, value: u32) -> Then {
        if word.rd != NO_REGISTER {
            self.registers[usize::from(word.rd & 31)] = value;
        }
        Then::Next
    }

    /// What comes behind a word that is the last one in the pipeline.
    #[inline]
    fn foresee(&mut self, word: &Word) {
        let decode = self.stages.last().decode;
        if word.flushes | self.front.behind_flush.is_some() {
            return self.foresee_flush(word, decode);
        }
        if word.is_predicted {
            self.front.arrival = self.fetcher.restart(&self.stages, decode);
            self.front.pc = self.front.pc.wrapping_add(word.offset);
        } else {
            self.front.arrival = decode + 1;
            self.front.pc = self.front.pc.wrapping_add(4);
        }
    }

    #[inline(never)]
    fn foresee_flush(&mut self, word: &Word, decode: Cycle) {
        if word.flushes {
            self.fetcher.flush(&self.front, decode);
        }
        self.front = self.fetcher.behind(&self.front, word, decode, &self.stages);
    }

    #[inline(always)]
    fn execute<P: Ports + ?Sized>(&mut self, ports: &mut P, word: &Word) -> Going<Then> {
        let this = word.instruction;
        let (first, second) = (this.first(&self.registers), this.second(&self.registers));
        match this.class {
            Class::Load => self.load(ports, word, first),
            Class::Store => self.store(ports, word, first, self.register(this.rs2)),
            Class::System => self.system(ports, word, first),
            Class::Branch => {
                let is_taken = is_taken(this.operation, first, second);
                self.branch(ports, word, is_taken)
            }
            Class::JumpRegister => {
                let target = first.wrapping_add(this.immediate) & !1;
                self.require_word(ports, word, target)?;
                self.next(word, self.front.pc.wrapping_add(4));
                Ok(Then::Jump(target))
            }
            Class::Jump => {
                let target = self.front.pc.wrapping_add(this.immediate);
                self.require_word(ports, word, target)?;
                Ok(self.next(word, self.front.pc.wrapping_add(4)))
            }
            _ => {
                let first = if this.operation == Operation::Auipc { self.front.pc } else { first };
                Ok(self.next(word, compute(this.operation, first, second)))
            }
        }
    }

    #[inline]
    fn register(&self, number: u8) -> u32 {
        self.registers[usize::from(number & 31)]
    }

    /// An instruction that comes to decode in cycle `arrival` is the last one in the pipeline.
    #[inline]
    fn issue(&mut self, word: &Word, arrival: Cycle) {
        if word.is_prompt && self.stages.is_settled(arrival, word) {
            self.stages.push(Slot::at_once(arrival, word));
        } else {
            self.issue_behind(word, arrival);
        }
    }

    #[inline(never)]
    fn issue_behind(&mut self, word: &Word, arrival: Cycle) {
        let slot = self.slot_behind(&self.stages, word, arrival);
        self.stages.push(slot);
    }

    /// When an instruction that comes to decode in cycle `arrival` leaves its stages, but for what an
    /// access to memory waits for.
    #[inline]
    fn slot(&self, stages: &Stages, word: &Word, arrival: Cycle) -> Slot {
        if word.is_prompt && stages.is_settled(arrival, word) {
            return Slot::at_once(arrival, word);
        }
        self.slot_behind(stages, word, arrival)
    }

    fn slot_behind(&self, stages: &Stages, word: &Word, arrival: Cycle) -> Slot {
        let decode = stages.leaves_decode(arrival, word);
        let execute = self.leaves_execute(stages, word, decode);
        let memory = stages.leaves_memory(execute + 1 + self.steps(word));
        Slot { execute, memory, write_back: memory + 1, ..Slot::at_once(decode, word) }
    }

    #[inline]
    fn leaves_execute(&self, stages: &Stages, word: &Word, decode: Cycle) -> Cycle {
        let cycle = stages.leaves_execute(decode);
        match word.instruction.class {
            // Control registers have effects: nothing may be in memory or write-back
            // (`blockedBySideEffects`).
            Class::System if word.is_control() => cycle.max(stages.last().write_back + 1),
            Class::Shift if self.variant.is_iterative => {
                let amount = word.instruction.second(&self.registers) & 31;
                cycle + u64::from(amount.max(1)) - 1
            }
            Class::System if word.instruction.operation == Operation::FlushData => {
                cycle.max(flush_begins(stages, decode) + FLUSH)
            }
            _ => cycle,
        }
    }

    /// Cycles that memory takes for it beyond one.
    #[inline]
    fn steps(&self, word: &Word) -> Cycle {
        match word.instruction.class {
            Class::Divide => QUOTIENT,
            Class::Multiply if self.variant.is_iterative => PRODUCT,
            _ => 0,
        }
    }

    fn system<P: Ports + ?Sized>(&mut self, ports: &mut P, word: &Word, first: u32) -> Going<Then> {
        let (this, slot) = (word.instruction, *self.stages.last());
        match this.operation {
            Operation::Csrrw | Operation::Csrrs | Operation::Csrrc => {
                let lines = self.control.lines(ports, this.immediate, slot.execute);
                let value = self.control.access(this, first, (lines, slot.execute));
                Ok(self.next(word, value))
            }
            Operation::Mret => Ok(Then::Return),
            Operation::Ecall => {
                let cycles = (slot.decode + 1, slot.memory + 2);
                let cause = Cause::EnvironmentCall;
                Err(self.exception(ports, word, cycles, cause))
            }
            Operation::FlushData => {
                self.cache.empty();
                Ok(Then::Next)
            }
            _ => Ok(Then::Next),
        }
    }
}

/// The first cycle in which `fence` with funct3 5 is in execute and no access is behind it.
fn flush_begins(stages: &Stages, decode: Cycle) -> Cycle {
    [stages.before(), stages.last()]
        .iter()
        .filter(|slot| slot.what.is_access)
        .fold(decode + 1, |cycle, slot| cycle.max(slot.write_back + 1))
}

fn halt((cycle, refused): (Cycle, Refused)) -> Halt {
    Halt { cycle, cause: Cause::Refused, address: refused.address }
}
