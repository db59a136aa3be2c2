// SPDX-License-Identifier: Apache-2.0
//! Loads and stores.

use super::stages::{Slot, Stored};
use super::words::Word;
use super::{
    Cause, Class, Cycle, Going, Halt, LINE_WORDS, Operation, Ports, Then, UNCACHED, VexRiscv, halt,
    is_aligned, loaded, stored,
};

impl VexRiscv {
    #[inline(always)]
    pub(super) fn load<P: Ports + ?Sized>(
        &mut self,
        ports: &mut P,
        word: &Word,
        base: u32,
    ) -> Going<Then> {
        let operation = word.instruction.operation;
        let address = base.wrapping_add(word.instruction.immediate);
        let is_cached = self.variant.data_lines > 0 && address < UNCACHED;
        let found = if is_cached { self.cache.word(address) } else { None };
        // To be done anew goes before an exception.
        if found.is_some() && self.meets_store(word, address) {
            return Ok(Then::Again(None));
        }
        if !is_aligned(operation, address) {
            return Err(self.misaligned(ports, word));
        }
        match found {
            Some(found) => Ok(self.next(word, loaded(operation, address, found))),
            None if is_cached => Ok(Then::Again(Some(self.load_line(ports, address)?))),
            None => {
                let found = self.read(ports, address)?;
                Ok(self.next(word, loaded(operation, address, found)))
            }
        }
    }

    #[inline(never)]
    fn read<P: Ports + ?Sized>(&mut self, ports: &mut P, address: u32) -> Going<u32> {
        match self.variant.data_lines {
            0 => self.read_at_once(ports, address),
            _ => self.read_uncached(ports, address),
        }
    }

    /// Whether a store writes bytes of the word into the cache while the load is in execute or memory
    /// and has read the old ones (`dataColisions`).
    #[inline]
    fn meets_store(&self, word: &Word, address: u32) -> bool {
        let (slot, place) = (self.stages.last(), self.cache.place(address) as u16);
        let lanes = size_of_load(word) << (address & 3) & 15;
        [self.stages.before(), self.stages.third()].iter().any(|store| {
            let Stored { place: written, lanes: bytes } = store.stored;
            let is_seen = store.write_back == slot.execute || store.write_back == slot.memory;
            is_seen && written == place && bytes & lanes != 0
        })
    }

    /// The line is not there: write-back is stuck until the command for it is taken and the loader is
    /// busy; in that cycle the load is removed. It comes again, and waits in execute for the line.
    /// The first cycle in which it may leave that.
    #[inline(never)]
    fn load_line<P: Ports + ?Sized>(&mut self, ports: &mut P, address: u32) -> Going<Cycle> {
        let Slot { execute, memory, .. } = *self.stages.last();
        let taken = self.queue.takes(memory + 1);
        let at = self.queue.take(taken);
        let mut words = [0; LINE_WORDS];
        let first = address & !(4 * LINE_WORDS as u32 - 1);
        let acks = ports.read(at, first, &mut words).map_err(|refused| halt((at, refused)))?;
        let ended = acks.first + (LINE_WORDS as u64 - 1) * acks.interval;
        self.queue.end(ended);
        self.cache.load(address, &words);
        // A word is written the cycle behind its acknowledgement, and the loader is idle in the next.
        self.stages.delay([execute, memory, taken + 2]);
        Ok(ended + 2)
    }

    /// Write-back waits for the word, which comes the cycle behind its acknowledgement.
    fn read_uncached<P: Ports + ?Sized>(&mut self, ports: &mut P, address: u32) -> Going<u32> {
        let Slot { execute, memory, .. } = *self.stages.last();
        let taken = self.queue.takes(memory + 1);
        let at = self.queue.take(taken);
        let (acknowledged, word) = self.read_word(ports, at, address)?;
        self.stages.delay([execute, memory, acknowledged + 1]);
        Ok(word)
    }

    /// Without a cache the command goes from execute, and memory waits for the word, which comes with
    /// its acknowledgement.
    fn read_at_once<P: Ports + ?Sized>(&mut self, ports: &mut P, address: u32) -> Going<u32> {
        let execute = self.queue.takes_one(self.stages.last().execute);
        let (memory, word) = self.read_word(ports, execute + 1, address)?;
        self.stages.delay([execute, memory, memory + 1]);
        Ok(word)
    }

    fn read_word<P: Ports + ?Sized>(
        &mut self,
        ports: &mut P,
        at: Cycle,
        address: u32,
    ) -> Going<(Cycle, u32)> {
        let mut words = [0];
        let acks =
            ports.read(at, address & !3, &mut words).map_err(|refused| halt((at, refused)))?;
        self.queue.end(acks.first);
        Ok((acks.first, words[0]))
    }

    /// A store is done for the pipeline when its command is taken.
    #[inline(always)]
    pub(super) fn store<P: Ports + ?Sized>(
        &mut self,
        ports: &mut P,
        word: &Word,
        base: u32,
        value: u32,
    ) -> Going<Then> {
        let address = base.wrapping_add(word.instruction.immediate);
        if !is_aligned(word.instruction.operation, address) {
            return Err(self.misaligned(ports, word));
        }
        let at = self.hand_over();
        let (written, lanes) = stored(word.instruction.operation, address, value);
        let acknowledged = ports.write(at, address & !3, written, lanes);
        self.queue.end(acknowledged.map_err(|refused| halt((at, refused)))?);
        if self.variant.data_lines == 0 || address >= UNCACHED {
            return Ok(Then::Next);
        }
        let stored = self.cache.store(address, written, lanes);
        self.stages.store(stored);
        Ok(Then::Next)
    }

    /// When a store leaves its stages, and the cycle in which it is seen at the bus.
    #[inline]
    fn hand_over(&mut self) -> Cycle {
        let Slot { execute, memory, .. } = *self.stages.last();
        if self.variant.data_lines > 0 {
            let write_back = self.queue.takes(memory + 1);
            self.stages.delay([execute, memory, write_back]);
            return self.queue.take(write_back);
        }
        let execute = self.queue.takes_one(execute);
        self.stages.delay([execute, execute + 1, execute + 2]);
        execute + 1
    }

    #[inline(never)]
    fn misaligned<P: Ports + ?Sized>(&mut self, ports: &mut P, word: &Word) -> Halt {
        let slot = self.stages.last();
        let cycles = match self.variant.data_lines {
            // Memory sees it in its first cycle. A load waits there for a word that nobody has asked
            // for, and is removed in the next one.
            0 => (
                slot.execute + 1,
                slot.execute + if word.instruction.class == Class::Load { 4 } else { 3 },
            ),
            _ => (slot.memory + 1, slot.memory + 2),
        };
        self.exception(ports, word, cycles, Cause::Misaligned)
    }
}

/// The lanes of a load at the begin of a word (`_zz_stage0_mask`).
#[inline]
fn size_of_load(word: &Word) -> u8 {
    match word.instruction.operation {
        Operation::Lb | Operation::Lbu => 1,
        Operation::Lh | Operation::Lhu => 3,
        _ => 15,
    }
}
