// SPDX-License-Identifier: Apache-2.0
//! Loads and stores.

use super::stages::{Slot, Stored};
use super::words::Word;
use super::{
    Cause, Class, Cycle, Going, LINE_WORDS, Operation, Outcome, Ports, UNCACHED, VexRiscv, halt,
    is_aligned, loaded, stored,
};

impl VexRiscv {
    pub(super) fn load<P: Ports + ?Sized>(
        &mut self,
        ports: &mut P,
        word: &Word,
        slot: Slot,
        base: u32,
    ) -> Going<Outcome> {
        let address = base.wrapping_add(word.instruction.immediate);
        self.require_aligned(ports, word, &slot, address)?;
        if self.variant.data_lines == 0 {
            return self.load_at_once(ports, word, slot, address);
        }
        if address >= UNCACHED {
            return self.load_uncached(ports, word, slot, address);
        }
        let operation = word.instruction.operation;
        match self.cache.word(address) {
            None => self.load_line(ports, slot, address),
            Some(_) if self.meets_store(&slot, word, address) => Ok(Outcome::Again(slot, None)),
            Some(found) => Ok(Outcome::Next(slot, loaded(operation, address, found))),
        }
    }

    /// Whether a store writes bytes of the word into the cache while the load is in execute or memory
    /// and has read the old ones (`dataColisions`).
    fn meets_store(&self, slot: &Slot, word: &Word, address: u32) -> bool {
        let place = self.cache.place(address) as u16;
        let (_, lanes) = stored(as_store(word), address, 0);
        [self.stages.before, self.stages.last].iter().any(|store| {
            let Stored { place: written, lanes: bytes } = store.stored;
            let is_seen = store.write_back == slot.execute || store.write_back == slot.memory;
            is_seen && written == place && bytes & lanes != 0
        })
    }

    /// The line is not there: write-back is stuck until the command for it is taken and the loader is
    /// busy; in that cycle the load is removed. It comes again, and waits in execute for the line.
    fn load_line<P: Ports + ?Sized>(
        &mut self,
        ports: &mut P,
        slot: Slot,
        address: u32,
    ) -> Going<Outcome> {
        let taken = self.queue.takes(slot.memory + 1);
        let at = self.queue.take(taken);
        let mut words = [0; LINE_WORDS];
        let first = address & !(4 * LINE_WORDS as u32 - 1);
        let acks = ports.read(at, first, &mut words).map_err(|refused| halt((at, refused)))?;
        let ended = acks.first + (LINE_WORDS as u64 - 1) * acks.interval;
        self.queue.end(ended);
        self.cache.load(address, &words);
        // A word is written the cycle behind its acknowledgement, and the loader is idle in the next.
        Ok(Outcome::Again(Slot { write_back: taken + 2, ..slot }, Some(ended + 2)))
    }

    /// Write-back waits for the word, which comes the cycle behind its acknowledgement.
    fn load_uncached<P: Ports + ?Sized>(
        &mut self,
        ports: &mut P,
        word: &Word,
        slot: Slot,
        address: u32,
    ) -> Going<Outcome> {
        let taken = self.queue.takes(slot.memory + 1);
        let at = self.queue.take(taken);
        let mut words = [0];
        let acks =
            ports.read(at, address & !3, &mut words).map_err(|refused| halt((at, refused)))?;
        self.queue.end(acks.first);
        let value = loaded(word.instruction.operation, address, words[0]);
        Ok(Outcome::Next(Slot { write_back: acks.first + 1, ..slot }, value))
    }

    /// Without a cache the command goes from execute, and memory waits for the word, which comes with
    /// its acknowledgement.
    fn load_at_once<P: Ports + ?Sized>(
        &mut self,
        ports: &mut P,
        word: &Word,
        slot: Slot,
        address: u32,
    ) -> Going<Outcome> {
        let execute = self.queue.takes_one(slot.execute);
        let mut words = [0];
        let at = execute + 1;
        let acks =
            ports.read(at, address & !3, &mut words).map_err(|refused| halt((at, refused)))?;
        self.queue.end(acks.first);
        let value = loaded(word.instruction.operation, address, words[0]);
        let (memory, write_back) = (acks.first, acks.first + 1);
        Ok(Outcome::Next(Slot { execute, memory, write_back, ..slot }, value))
    }

    /// A store is done for the pipeline when its command is taken.
    pub(super) fn store<P: Ports + ?Sized>(
        &mut self,
        ports: &mut P,
        word: &Word,
        slot: Slot,
        (base, value): (u32, u32),
    ) -> Going<Outcome> {
        let address = base.wrapping_add(word.instruction.immediate);
        self.require_aligned(ports, word, &slot, address)?;
        let (slot, at) = self.hand_over(slot);
        let (written, lanes) = stored(word.instruction.operation, address, value);
        let acknowledged = ports.write(at, address & !3, written, lanes);
        self.queue.end(acknowledged.map_err(|refused| halt((at, refused)))?);
        if self.variant.data_lines == 0 || address >= UNCACHED {
            return Ok(Outcome::Next(slot, 0));
        }
        let stored = self.cache.store(address, written, lanes);
        Ok(Outcome::Next(Slot { stored, ..slot }, 0))
    }

    /// When a store leaves its stages, and the cycle in which it is seen at the bus.
    fn hand_over(&mut self, slot: Slot) -> (Slot, Cycle) {
        if self.variant.data_lines > 0 {
            let write_back = self.queue.takes(slot.memory + 1);
            return (Slot { write_back, ..slot }, self.queue.take(write_back));
        }
        let execute = self.queue.takes_one(slot.execute);
        let (memory, write_back) = (execute + 1, execute + 2);
        (Slot { execute, memory, write_back, ..slot }, execute + 1)
    }

    fn require_aligned<P: Ports + ?Sized>(
        &mut self,
        ports: &mut P,
        word: &Word,
        slot: &Slot,
        address: u32,
    ) -> Going<()> {
        let operation = word.instruction.operation;
        if is_aligned(operation, address) {
            return Ok(());
        }
        let cycles = match self.variant.data_lines {
            // Memory sees it in its first cycle. A load waits there for a word that nobody has asked
            // for, and is removed in the next one.
            0 => (
                slot.execute + 1,
                slot.execute + if word.instruction.class == Class::Load { 4 } else { 3 },
            ),
            _ => (slot.memory + 1, slot.memory + 2),
        };
        Err(self.exception(ports, (word, slot), cycles, Cause::Misaligned))
    }
}

/// The store of a load's size.
fn as_store(word: &Word) -> Operation {
    match word.instruction.operation {
        Operation::Lb | Operation::Lbu => Operation::Sb,
        Operation::Lh | Operation::Lhu => Operation::Sh,
        _ => Operation::Sw,
    }
}
