// SPDX-License-Identifier: Apache-2.0
//! What goes to memory: one request at a time, lines that come in, and the write buffer.
//!
//! The bus writes an entry of the buffer when nothing else asks for it, in the order in which they
//! came (\[A\] of `timing`). A read goes first, but for data of a line that has words in the buffer, and
//! for what is not cached (\[F\]).
//! The words are in memory before; a burst of writes takes what the same burst of reads does. So
//! memory is asked for words and for cycles out of their order, which for memory is one; what is not
//! cached is asked in the order of time.

use std::collections::VecDeque;

use super::caches::{NO_LINE, line_of};
use super::timing::{BLOCK_BYTES, LINE_BYTES, LINE_WORDS, WRITE_BUFFER_ENTRIES};
use crate::cores::{Acks, Cycle, Ports, Refused};

/// Words that wait to be written, all in one block.
#[derive(Debug, Clone, Copy)]
struct Entry {
    came: Cycle,
    address: u32,
    words: usize,
}

/// A line that comes in, the word that was asked for first.
#[derive(Debug, Clone, Copy)]
pub struct Fill {
    line: u32,
    asked: u32,
    acks: Acks,
}

impl Default for Fill {
    fn default() -> Self {
        Self { line: NO_LINE, asked: 0, acks: Acks { first: 0, interval: 1 } }
    }
}

impl Fill {
    /// The cycle in which a word of the line is there.
    #[inline]
    fn arrival(&self, address: u32) -> Cycle {
        let words = (address / 4).wrapping_sub(self.asked) % LINE_WORDS as u32;
        self.acks.first + u64::from(words) * self.acks.interval
    }

    /// When the word at an address is there, of one that may be asked for now.
    #[inline]
    pub fn wait(&self, at: Cycle, address: u32) -> Cycle {
        if self.line == line_of(address) { at.max(self.arrival(address)) } else { at }
    }
}

/// The bus, as the processor sees it.
#[derive(Debug, Clone, Default)]
pub struct Bus {
    /// The first cycle in which it can take a request.
    free: Cycle,
    buffer: VecDeque<Entry>,
    /// The first cycle in which the place of the entry that was written last is free.
    written: Cycle,
}

/// The last cycle of a burst.
fn end(acks: Acks, words: usize) -> Cycle {
    acks.first + (words as u64 - 1) * acks.interval
}

impl Bus {
    /// Reads a line of instructions or data by `read`, from a cycle on; the word at the address
    /// comes first.
    pub fn line<P: Ports + ?Sized>(
        &mut self,
        ports: &mut P,
        (at, address): (Cycle, u32),
        read: impl FnOnce(&mut P, Cycle, u32) -> Result<Acks, Refused>,
    ) -> Result<Fill, Refused> {
        let line = line_of(address);
        self.write_until(ports, at)?;
        let acks = read(ports, at.max(self.free), line)?;
        self.free = end(acks, LINE_WORDS) + 1;
        Ok(Fill { line, asked: address % LINE_BYTES / 4, acks })
    }

    /// Writes entries until there is none of a line.
    pub fn write_those_of<P: Ports + ?Sized>(
        &mut self,
        ports: &mut P,
        line: u32,
    ) -> Result<(), Refused> {
        while self.buffer.iter().any(|entry| line_of(entry.address) == line) {
            self.write_one(ports)?;
        }
        Ok(())
    }

    /// Asks for what is not cached: behind all that waits. `access` gives its acknowledgement.
    pub fn alone<P: Ports + ?Sized, T>(
        &mut self,
        ports: &mut P,
        at: Cycle,
        access: impl FnOnce(&mut P, Cycle) -> Result<(T, Cycle), Refused>,
    ) -> Result<(T, Cycle), Refused> {
        while !self.buffer.is_empty() {
            self.write_one(ports)?;
        }
        let (value, acknowledged) = access(ports, at.max(self.free))?;
        self.free = acknowledged + 1;
        Ok((value, acknowledged))
    }

    /// Puts words of one block into the buffer; the cycle in which there is a place for them.
    pub fn buffer<P: Ports + ?Sized>(
        &mut self,
        ports: &mut P,
        at: Cycle,
        address: u32,
        words: usize,
    ) -> Result<Cycle, Refused> {
        self.write_until(ports, at)?;
        let is_writing = self.written > at;
        let is_full = self.buffer.len() + usize::from(is_writing) >= WRITE_BUFFER_ENTRIES;
        if is_full && !is_writing {
            self.write_one(ports)?;
        }
        let came = if is_full { self.written } else { at };
        self.buffer.push_back(Entry { came, address, words });
        Ok(came)
    }

    /// Adds a word to the last entry, of the same instruction, if it fits.
    pub fn extend(&mut self, address: u32) -> bool {
        let Some(entry) = self.buffer.back_mut() else { return false };
        let fits = entry.address + 4 * entry.words as u32 == address
            && !address.is_multiple_of(BLOCK_BYTES);
        entry.words += usize::from(fits);
        fits
    }

    /// Writes what began to be written before a cycle.
    fn write_until<P: Ports + ?Sized>(&mut self, ports: &mut P, at: Cycle) -> Result<(), Refused> {
        while self.buffer.front().is_some_and(|entry| self.free.max(entry.came + 1) < at) {
            self.write_one(ports)?;
        }
        Ok(())
    }

    /// Writes the entry that came first.
    fn write_one<P: Ports + ?Sized>(&mut self, ports: &mut P) -> Result<(), Refused> {
        if let Some(entry) = self.buffer.pop_front() {
            let mut words = [0; (BLOCK_BYTES / 4) as usize];
            let words = &mut words[..entry.words];
            let acks = ports.read(self.free.max(entry.came + 1), entry.address, words)?;
            self.free = end(acks, entry.words) + 1;
            self.written = self.free;
        }
        Ok(())
    }
}
