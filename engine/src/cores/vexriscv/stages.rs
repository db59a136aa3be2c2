// SPDX-License-Identifier: Apache-2.0
//! The pipeline behind the fetcher: when each of the last instructions has left each stage, and what
//! follows from that for the next one.
//!
//! An instruction leaves a stage (`isFiring`) in a cycle in which that is not stuck. A stuck stage
//! makes all before it stuck, with an instruction in it or without (`isStuckByOthers`): bubbles are
//! never closed. So of an instruction that comes later, no stage may move while an older one waits.

use super::words::Word;
use crate::cores::Cycle;

/// When an instruction has left its stages.
#[derive(Debug, Clone, Copy, Default)]
pub struct Slot {
    pub decode: Cycle,
    pub execute: Cycle,
    pub memory: Cycle,
    pub write_back: Cycle,
    /// What it is to those behind it.
    pub what: What,
    /// What a store wrote into the data cache.
    pub stored: Stored,
}

/// What an instruction is to those behind it; copied at once.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C, align(4))]
pub struct What {
    /// The register that others may wait for; [`NO_REGISTER`] for none.
    pub rd: u8,
    /// The stages from which decode can not have its value.
    pub late: Late,
    /// Whether it loads or stores.
    pub is_access: bool,
}

/// Stages from which decode can not have a value, so that it waits while the instruction is there. A
/// decoder that is minimised may have it wait in memory for what it could have had in execute.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C)]
pub struct Late {
    pub in_execute: bool,
    pub in_memory: bool,
}

const NOTHING: What =
    What { rd: NO_REGISTER, late: Late { in_execute: false, in_memory: false }, is_access: false };

/// No register has this number.
pub const NO_REGISTER: u8 = 0xff;

/// A write to the data cache: its word there, and which bytes; none of them if there is no write.
#[derive(Debug, Clone, Copy, Default)]
#[repr(align(4))]
pub struct Stored {
    pub place: u16,
    pub lanes: u8,
}

/// Of as many instructions it is told when they left their stages: what execute does now has to know of
/// two before.
const SLOTS: usize = 4;

/// The last instructions, and what else makes decode stuck.
#[derive(Debug, Clone, Copy)]
pub struct Stages {
    slots: [Slot; SLOTS],
    /// Which of them is the last one's: the place changes, and the content need not.
    newest: usize,
    /// Decode is stuck behind the first of these cycles, to the end of the second: `mret` is under
    /// way (`when_CsrPlugin_l1116`), or the data cache is emptied (`execute_haltIt`).
    closed: (Cycle, Cycle),
    /// Execute has no instruction go on before: the data cache loads a line (`execute_refilling`).
    execute_from: Cycle,
    /// From this cycle on nothing is stuck.
    settled: Cycle,
}

impl Slot {
    /// Of an instruction that waits for nothing, from decode on.
    #[inline]
    pub fn at_once(decode: Cycle, word: &Word) -> Self {
        Self {
            decode,
            execute: decode + 1,
            memory: decode + 2,
            write_back: decode + 3,
            what: word.what,
            stored: Stored::default(),
        }
    }

    /// The first cycle from `cycle` on in which a word in decode need not wait for this instruction.
    #[inline]
    fn known(&self, word: &Word, cycle: Cycle) -> Cycle {
        if word.rs1 != self.what.rd && word.rs2 != self.what.rd {
            return cycle;
        }
        let waits_in_execute = self.what.late.in_execute && cycle <= self.execute;
        let cycle = if waits_in_execute { self.execute + 1 } else { cycle };
        let waits_in_memory =
            self.what.late.in_memory && cycle > self.execute && cycle <= self.memory;
        if waits_in_memory { self.memory + 1 } else { cycle }
    }
}

impl Default for Stages {
    fn default() -> Self {
        let slot = Slot { what: NOTHING, ..Slot::default() };
        Self { slots: [slot; SLOTS], newest: 0, closed: (0, 0), execute_from: 0, settled: 0 }
    }
}

/// The cycle, or the one in which a wait is over that lasts from behind `after` to before `until`.
#[inline]
fn behind_wait(cycle: Cycle, after: Cycle, until: Cycle) -> Cycle {
    if cycle > after && cycle < until { until } else { cycle }
}

impl Stages {
    /// The last instruction.
    #[inline]
    pub fn last(&self) -> &Slot {
        &self.slots[self.newest % SLOTS]
    }

    /// The one before.
    #[inline]
    pub fn before(&self) -> &Slot {
        &self.slots[(self.newest + SLOTS - 1) % SLOTS]
    }

    /// The one before that.
    #[inline]
    pub fn third(&self) -> &Slot {
        &self.slots[(self.newest + SLOTS - 2) % SLOTS]
    }

    /// The last instruction leaves stages later: execute, memory, write-back.
    #[inline]
    pub fn delay(&mut self, [execute, memory, write_back]: [Cycle; 3]) {
        let slot = &mut self.slots[self.newest % SLOTS];
        (slot.execute, slot.memory, slot.write_back) = (execute, memory, write_back);
        if write_back != slot.decode + 3 {
            self.settled = self.settled.max(write_back);
        }
    }

    /// The last instruction has written into the data cache.
    #[inline]
    pub fn store(&mut self, stored: Stored) {
        self.slots[self.newest % SLOTS].stored = stored;
    }

    /// Whether an instruction that comes to decode in cycle `arrival` waits for nothing that is behind
    /// decode.
    #[inline]
    pub fn is_settled(&self, arrival: Cycle, word: &Word) -> bool {
        let meets = |slot: &Slot| word.rs1 == slot.what.rd || word.rs2 == slot.what.rd;
        arrival >= self.settled && !(meets(self.last()) | meets(self.before()))
    }

    /// Decode is stuck behind `from`, to the end of `until`.
    pub fn close(&mut self, from: Cycle, until: Cycle) {
        self.closed = (from, until);
        self.settled = self.settled.max(until + 1);
    }

    /// Execute is stuck before `from`, if there is an instruction in it.
    pub fn hold_execute(&mut self, from: Cycle) {
        self.execute_from = from;
        self.settled = self.settled.max(from);
    }

    /// The first cycle, `cycle` or later, in which decode is not stuck by what is behind it: only then
    /// do the fetcher's stages move too.
    #[inline]
    pub fn free(&self, cycle: Cycle) -> Cycle {
        if cycle >= self.settled {
            return cycle;
        }
        let (last, before) = (self.last(), self.before());
        let cycle = behind_wait(cycle, before.memory, before.write_back);
        let cycle = behind_wait(cycle, last.decode, last.execute);
        let cycle = behind_wait(cycle, last.execute, last.memory);
        let cycle = behind_wait(cycle, last.memory, last.write_back);
        behind_wait(cycle, self.closed.0, self.closed.1 + 1)
    }

    /// When an instruction that has come to decode in cycle `arrival` leaves it.
    #[inline]
    pub fn leaves_decode(&self, arrival: Cycle, word: &Word) -> Cycle {
        let mut cycle = self.free(arrival);
        loop {
            let known = self.last().known(word, self.before().known(word, cycle));
            if known == cycle {
                return cycle;
            }
            cycle = self.free(known);
        }
    }

    /// The first cycle in which execute is not stuck by what is behind it, for an instruction that has
    /// left decode.
    #[inline]
    pub fn leaves_execute(&self, decode: Cycle) -> Cycle {
        let cycle = (decode + 1).max(self.execute_from);
        let cycle = behind_wait(cycle, self.last().execute, self.last().memory);
        let cycle = behind_wait(cycle, self.last().memory, self.last().write_back);
        behind_wait(cycle, self.closed.0, self.closed.1 + 1)
    }

    /// Whether execute, memory and write-back are stuck in a cycle.
    pub fn stuck(&self, cycle: Cycle) -> [bool; 3] {
        let (last, before) = (self.last(), self.before());
        let waits = |after, until| cycle > after && cycle < until;
        let in_write_back =
            waits(last.memory, last.write_back) || waits(before.memory, before.write_back);
        let in_memory = in_write_back || waits(last.execute, last.memory);
        let in_execute =
            waits(last.decode, last.execute) || waits(self.closed.0, self.closed.1 + 1);
        [in_memory || in_execute, in_memory, in_write_back]
    }

    /// When an instruction that could leave memory in cycle `ready` does.
    #[inline]
    pub fn leaves_memory(&self, ready: Cycle) -> Cycle {
        behind_wait(ready, self.last().memory, self.last().write_back)
    }

    /// The instruction is the last one now.
    #[inline]
    pub fn push(&mut self, slot: Slot) {
        if slot.write_back != slot.decode + 3 {
            self.settled = self.settled.max(slot.write_back);
        }
        self.newest = (self.newest + 1) % SLOTS;
        self.slots[self.newest % SLOTS] = slot;
    }

    /// All instructions are gone, the last of them in `cycle`.
    pub fn empty(&mut self, cycle: Cycle) {
        let (decode, execute, memory, write_back) = (cycle, cycle, cycle, cycle);
        let slot = Slot { decode, execute, memory, write_back, what: NOTHING, ..Slot::default() };
        self.slots = [slot; SLOTS];
    }
}
