// SPDX-License-Identifier: Apache-2.0
//! Loads and stores.

use super::stages::{Slot, Stored};
use super::words::Word;
use super::{
    Cause, Class, Cycle, Going, Halt, LINE_WORDS, Operation, Ports, Then, UNCACHED, VexRiscv, halt,
    is_aligned, loaded, stored,
};

/// What the bus has to do with a load: the cycles in which it leaves its stages, and the word.
struct Read {
    execute: Cycle,
    memory: Cycle,
    write_back: Cycle,
    word: u32,
}

impl VexRiscv {
    #[inline(always)]
    pub(super) fn load<P: Ports + ?Sized>(
        &mut self,
        ports: &mut P,
        word: &Word,
        slot: &mut Slot,
        base: u32,
    ) -> Going<Then> {
        let operation = word.instruction.operation;
        let address = base.wrapping_add(word.instruction.immediate);
        if !is_aligned(operation, address) {
            return Err(self.misaligned(ports, word, *slot));
        }
        if self.variant.data_lines == 0 || address >= UNCACHED {
            let read = self.read(ports, *slot, address)?;
            (slot.execute, slot.memory) = (read.execute, read.memory);
            slot.write_back = read.write_back;
            return Ok(Then::Next(loaded(operation, address, read.word)));
        }
        let Some(found) = self.cache.word(address) else {
            let (write_back, execute_from) = self.load_line(ports, slot.memory, address)?;
            slot.write_back = write_back;
            return Ok(Then::Again(Some(execute_from)));
        };
        if self.meets_store(slot, word, address) {
            return Ok(Then::Again(None));
        }
        Ok(Then::Next(loaded(operation, address, found)))
    }

    #[inline(never)]
    fn read<P: Ports + ?Sized>(&mut self, ports: &mut P, slot: Slot, address: u32) -> Going<Read> {
        match self.variant.data_lines {
            0 => self.read_at_once(ports, slot, address),
            _ => self.read_uncached(ports, slot, address),
        }
    }

    /// Whether a store writes bytes of the word into the cache while the load is in execute or memory
    /// and has read the old ones (`dataColisions`).
    #[inline]
    fn meets_store(&self, slot: &Slot, word: &Word, address: u32) -> bool {
        let place = self.cache.place(address) as u16;
        let (_, lanes) = stored(as_store(word), address, 0);
        [self.stages.before(), self.stages.last()].iter().any(|store| {
            let Stored { place: written, lanes: bytes } = store.stored;
            let is_seen = store.write_back == slot.execute || store.write_back == slot.memory;
            is_seen && written == place && bytes & lanes != 0
        })
    }

    /// The line is not there: write-back is stuck until the command for it is taken and the loader is
    /// busy; in that cycle the load is removed. It comes again, and waits in execute for the line.
    /// When it would leave write-back, and the first cycle in which it may leave execute again.
    #[inline(never)]
    fn load_line<P: Ports + ?Sized>(
        &mut self,
        ports: &mut P,
        memory: Cycle,
        address: u32,
    ) -> Going<(Cycle, Cycle)> {
        let taken = self.queue.takes(memory + 1);
        let at = self.queue.take(taken);
        let mut words = [0; LINE_WORDS];
        let first = address & !(4 * LINE_WORDS as u32 - 1);
        let acks = ports.read(at, first, &mut words).map_err(|refused| halt((at, refused)))?;
        let ended = acks.first + (LINE_WORDS as u64 - 1) * acks.interval;
        self.queue.end(ended);
        self.cache.load(address, &words);
        // A word is written the cycle behind its acknowledgement, and the loader is idle in the next.
        Ok((taken + 2, ended + 2))
    }

    /// Write-back waits for the word, which comes the cycle behind its acknowledgement.
    fn read_uncached<P: Ports + ?Sized>(
        &mut self,
        ports: &mut P,
        slot: Slot,
        address: u32,
    ) -> Going<Read> {
        let taken = self.queue.takes(slot.memory + 1);
        let at = self.queue.take(taken);
        let (acknowledged, word) = self.read_word(ports, at, address)?;
        let Slot { execute, memory, .. } = slot;
        Ok(Read { execute, memory, write_back: acknowledged + 1, word })
    }

    /// Without a cache the command goes from execute, and memory waits for the word, which comes with
    /// its acknowledgement.
    fn read_at_once<P: Ports + ?Sized>(
        &mut self,
        ports: &mut P,
        slot: Slot,
        address: u32,
    ) -> Going<Read> {
        let execute = self.queue.takes_one(slot.execute);
        let (memory, word) = self.read_word(ports, execute + 1, address)?;
        Ok(Read { execute, memory, write_back: memory + 1, word })
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
        slot: &mut Slot,
        (base, value): (u32, u32),
    ) -> Going<Then> {
        let address = base.wrapping_add(word.instruction.immediate);
        if !is_aligned(word.instruction.operation, address) {
            return Err(self.misaligned(ports, word, *slot));
        }
        let at = self.hand_over(slot);
        let (written, lanes) = stored(word.instruction.operation, address, value);
        let acknowledged = ports.write(at, address & !3, written, lanes);
        self.queue.end(acknowledged.map_err(|refused| halt((at, refused)))?);
        if self.variant.data_lines == 0 || address >= UNCACHED {
            return Ok(Then::Next(0));
        }
        slot.stored = self.cache.store(address, written, lanes);
        Ok(Then::Next(0))
    }

    /// When a store leaves its stages, and the cycle in which it is seen at the bus.
    #[inline]
    fn hand_over(&mut self, slot: &mut Slot) -> Cycle {
        if self.variant.data_lines > 0 {
            slot.write_back = self.queue.takes(slot.memory + 1);
            return self.queue.take(slot.write_back);
        }
        slot.execute = self.queue.takes_one(slot.execute);
        (slot.memory, slot.write_back) = (slot.execute + 1, slot.execute + 2);
        slot.memory
    }

    #[inline(never)]
    fn misaligned<P: Ports + ?Sized>(&mut self, ports: &mut P, word: &Word, slot: Slot) -> Halt {
        let cycles = match self.variant.data_lines {
            // Memory sees it in its first cycle. A load waits there for a word that nobody has asked
            // for, and is removed in the next one.
            0 => (
                slot.execute + 1,
                slot.execute + if word.instruction.class == Class::Load { 4 } else { 3 },
            ),
            _ => (slot.memory + 1, slot.memory + 2),
        };
        self.exception(ports, (word, slot), cycles, Cause::Misaligned)
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
