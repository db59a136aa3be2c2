// SPDX-License-Identifier: Apache-2.0
//! Where it goes on elsewhere: jumps that memory makes, returns from traps, loads that begin anew, and
//! exceptions.

use super::fetcher::Front;
use super::words::Word;
use super::{Then, VexRiscv};
use crate::cores::rv32::Operation;
use crate::cores::{Cause, Cycle, Going, Halt, Ports};

impl VexRiscv {
    /// A word that is no instruction is removed from decode at once, and then waits for nothing but
    /// the stages; the exception goes on through them.
    #[inline(never)]
    pub(super) fn illegal<P: Ports + ?Sized>(&mut self, ports: &mut P, word: &Word) -> Halt {
        let arrival = self.front.arrival;
        let is_held = self.control.listens() && self.control.is_asked(ports, arrival);
        let decode = self.stages.leaves_decode(arrival, word);
        let is_stuck = is_held || decode != arrival;
        let decode = if is_stuck { self.stages.free(arrival + 1) } else { arrival };
        let execute = self.stages.leaves_execute(decode);
        let memory = self.stages.leaves_memory(execute + 1);
        let cause = match word.instruction.operation {
            Operation::Ebreak => Cause::Breakpoint,
            _ => Cause::IllegalInstruction,
        };
        Halt { cycle: memory + 2, cause, address: 0 }
    }

    /// An exception that empties the pipeline behind an instruction in cycle `flush`, and is to be seen
    /// in cycle `cycle`.
    #[inline(never)]
    pub(super) fn exception<P: Ports + ?Sized>(
        &mut self,
        ports: &mut P,
        word: &Word,
        (flush, cycle): (Cycle, Cycle),
        cause: Cause,
    ) -> Halt {
        match self.go_in_vain(ports, word, flush) {
            Ok(_) => Halt { cycle, cause, address: 0 },
            Err(refused) => refused,
        }
    }

    /// That a jump goes to a word's address; else memory makes an exception of it.
    #[inline]
    pub(super) fn require_word<P: Ports + ?Sized>(
        &mut self,
        ports: &mut P,
        word: &Word,
        target: u32,
    ) -> Going<()> {
        if target & 2 == 0 {
            return Ok(());
        }
        let slot = self.stages.last();
        let cycles = (slot.execute + 1, slot.memory + 2);
        Err(self.exception(ports, word, cycles, Cause::Misaligned))
    }

    #[inline]
    pub(super) fn branch<P: Ports + ?Sized>(
        &mut self,
        ports: &mut P,
        word: &Word,
        is_taken: bool,
    ) -> Going<Then> {
        let target = self.front.pc.wrapping_add(word.instruction.immediate);
        if is_taken {
            self.require_word(ports, word, target)?;
        }
        Ok(match (is_taken, word.is_predicted) {
            (true, false) => Then::Jump(target),
            (false, true) => Then::Jump(self.front.pc.wrapping_add(4)),
            _ => Then::Next,
        })
    }

    /// Memory tells the fetcher where to go, from the cycle on in which the instruction comes there to
    /// that in which it leaves; all before it is removed in the first of them.
    #[inline(never)]
    pub(super) fn jump<P: Ports + ?Sized>(
        &mut self,
        ports: &mut P,
        word: &Word,
        target: u32,
    ) -> Going<()> {
        let slot = *self.stages.last();
        let flush = slot.execute + 1;
        let is_stuck = self.go_in_vain(ports, word, flush)?;
        let from = if is_stuck { slot.memory.max(flush + 1) } else { slot.memory };
        let arrival = self.fetcher.restart(&self.stages, from);
        self.front = Front { arrival, pc: target, behind_flush: None };
        Ok(())
    }

    /// `mret` goes from write-back, and decode is stuck as long as it is under way.
    #[inline(never)]
    pub(super) fn return_from_trap<P: Ports + ?Sized>(
        &mut self,
        ports: &mut P,
        word: &Word,
    ) -> Going<()> {
        let slot = *self.stages.last();
        self.stages.close(slot.decode, slot.write_back);
        self.go_in_vain(ports, word, slot.write_back)?;
        self.control.leave_trap(slot.write_back);
        let arrival = self.fetcher.restart(&self.stages, slot.write_back + 1);
        let pc = self.control.mepc & !3;
        self.front = Front { arrival, pc, behind_flush: None };
        Ok(())
    }

    /// A load is removed from write-back (`redoBranch`), with all before it, and is fetched anew.
    #[inline(never)]
    pub(super) fn begin_anew<P: Ports + ?Sized>(
        &mut self,
        ports: &mut P,
        word: &Word,
        loaded: Option<Cycle>,
    ) -> Going<()> {
        let is_stuck = loaded.is_some();
        let flush = self.stages.last().write_back - u64::from(is_stuck);
        let was_stuck = self.go_in_vain(ports, word, flush)?;
        let from = if is_stuck || was_stuck { flush + 1 } else { flush };
        self.stages.empty(flush);
        self.stages.hold_execute(loaded.unwrap_or_default());
        let arrival = self.fetcher.restart(&self.stages, from);
        self.front = Front { arrival, behind_flush: None, ..self.front };
        self.is_again = true;
        Ok(())
    }
}
