// SPDX-License-Identifier: Apache-2.0
//! What is fetched and decoded behind an instruction, and then removed.

use super::stages::{Slot, Stages};
use super::words::Word;
use super::{Class, Cycle, Going, Operation, Ports, VexRiscv, flush_begins, halt, is_taken};

/// Nothing comes out of it.
const NEVER: Cycle = Cycle::MAX / 2;

impl VexRiscv {
    /// Goes on behind the last instruction of the pipeline, on the path that decode has foreseen, until
    /// all of it is removed in cycle `flush`; whether decode is stuck in that cycle.
    pub(super) fn go_in_vain<P: Ports + ?Sized>(
        &mut self,
        ports: &mut P,
        word: &Word,
        flush: Cycle,
    ) -> Going<bool> {
        let (mut stages, mut limit) = (self.stages, flush);
        let decode = stages.last().decode;
        if word.flushes {
            self.fetcher.flush(&self.front, decode.min(flush));
        }
        let mut front = self.fetcher.behind(&self.front, word, decode, &stages);
        loop {
            let fetched = self.fetcher.fetch(ports, &mut front, &stages, limit).map_err(halt)?;
            let Some(word) = fetched else { break };
            let mut slot = self.slot(&stages, &word, front.arrival);
            let held = self.held_in_vain(ports, (&stages, &word), slot.decode, flush);
            if held > slot.decode {
                slot = self.slot(&stages, &word, held);
            }
            self.wait_for_command(&word, &mut slot);
            let last = if word.is_legal { slot.decode.min(limit) } else { front.arrival };
            if word.flushes {
                self.fetcher.flush(&front, last);
            }
            if !word.is_legal || slot.decode >= limit {
                // A word that is no instruction is removed at once, and nothing is fetched behind it.
                let is_there = last == flush && limit == flush;
                return Ok(if is_there { slot.decode > flush } else { stages.free(flush) > flush });
            }
            limit = self.limit_behind(&word, &slot, &mut stages, (limit, flush));
            stages.push(slot);
            front = self.fetcher.behind(&front, &word, slot.decode, &stages);
        }
        Ok(stages.free(flush) > flush)
    }

    /// Without a cache an access waits in execute for the bus, if it has an address to ask for.
    fn wait_for_command(&self, word: &Word, slot: &mut Slot) {
        if self.variant.data_lines == 0 && word.what.is_access {
            let this = word.instruction;
            let address = this.first(&self.registers).wrapping_add(this.immediate);
            if super::is_aligned(this.operation, address) {
                slot.execute = self.queue.takes_one(slot.execute);
                (slot.memory, slot.write_back) = (slot.execute + 1, slot.execute + 2);
            }
        }
    }

    /// Whether memory finds that decode has not foreseen where it goes.
    fn jumps(&self, word: &Word) -> bool {
        let this = word.instruction;
        match this.class {
            Class::JumpRegister => true,
            Class::Jump => !word.is_predicted,
            Class::Branch => {
                let (first, second) = (this.first(&self.registers), this.second(&self.registers));
                is_taken(this.operation, first, second) != word.is_predicted
            }
            _ => false,
        }
    }

    /// The last cycle in which something may be in decode behind a word that goes on to execute.
    fn limit_behind(
        &mut self,
        word: &Word,
        slot: &Slot,
        stages: &mut Stages,
        (limit, flush): (Cycle, Cycle),
    ) -> Cycle {
        let decode = slot.decode;
        match word.instruction.operation {
            // Memory removes what is in decode. Only what is next to a load that waits in write-back
            // gets there, and that does not need what is loaded.
            _ if self.jumps(word) => limit.min(slot.execute + 1),
            // Execute removes what is in decode, and the fetcher halts.
            Operation::Ecall => limit.min(decode + 1),
            Operation::Mret => {
                stages.close(decode, NEVER);
                limit
            }
            Operation::FlushData if flush_begins(stages, decode) <= flush => {
                // It has begun, and execute is stuck as long as it lasts.
                let begins = flush_begins(stages, decode);
                self.cache.empty();
                for stages in [&mut self.stages, stages] {
                    stages.close(begins + 1, begins + super::FLUSH - 1);
                }
                limit
            }
            _ => limit,
        }
    }
}
