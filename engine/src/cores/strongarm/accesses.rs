// SPDX-License-Identifier: Apache-2.0
//! What the core fetches, loads and stores, and when that is there.

use super::bus::Fill;
use super::caches::line_of;
use super::timing::{BLOCK_BYTES, LINE_BYTES, LINE_WORDS, UNCACHED};
use super::{Going, Halt, StrongArm};
use crate::cores::armv4::Instruction;
use crate::cores::{Acks, Cause, Cycle, Ports, Refused};

/// The lines of one instruction after the other.
#[derive(Clone, Copy)]
pub struct Front {
    /// The line of the last one.
    line: u32,
    /// Where it is in the cache.
    place: usize,
    /// How it came there.
    fill: Fill,
}

impl Default for Front {
    fn default() -> Self {
        Self { line: super::caches::NO_LINE, place: 0, fill: Fill::default() }
    }
}

/// A bus error at an address of the program.
fn refused(at: Cycle, address: u32) -> impl Fn(Refused) -> Halt {
    move |_| Halt { cycle: at, cause: Cause::Refused, address }
}

impl StrongArm {
    /// The next instruction, which may let its issue wait.
    #[inline]
    pub(super) fn fetch<P: Ports + ?Sized>(&mut self, ports: &mut P) -> Going<Instruction> {
        let line = line_of(self.pc);
        if line != self.front.line {
            self.change_line(ports, line)?;
        }
        // Fetching is the cycle before issue.
        let fetched = self.front.fill.wait(self.issue - 1, self.pc);
        self.issue = fetched + 1;
        Ok(self.instructions.instruction(self.front.place + (self.pc % LINE_BYTES / 4) as usize))
    }

    #[inline]
    fn change_line<P: Ports + ?Sized>(&mut self, ports: &mut P, line: u32) -> Going<()> {
        let place = self.instructions.find(line);
        self.front.place = match place {
            Some(place) => place,
            None => self.load_instructions(ports)?,
        };
        self.front.line = line;
        Ok(())
    }

    #[cold]
    fn load_instructions<P: Ports + ?Sized>(&mut self, ports: &mut P) -> Going<usize> {
        let at = self.issue - 1 + self.settings.miss_cycles;
        let mut words = [0; LINE_WORDS];
        let read = |ports: &mut P, at, line| ports.fetch(at, line, &mut words);
        let fill = self.bus.line(ports, (at, self.pc), read);
        self.front.fill = fill.map_err(refused(at, self.pc))?;
        Ok(self.instructions.load(line_of(self.pc), &words))
    }

    /// Reads the word that an address is in, in the buffer stage's cycle `at`; the cycle in which it
    /// is there.
    #[inline]
    pub(super) fn read<P: Ports + ?Sized>(
        &mut self,
        ports: &mut P,
        at: Cycle,
        address: u32,
    ) -> Going<(u32, Cycle)> {
        if address >= UNCACHED {
            return self.read_device(ports, at, address);
        }
        if !self.data.has(line_of(address)) {
            return self.load_line(ports, at, address);
        }
        let mut word = [0];
        ports.read(at, address & !3, &mut word).map_err(refused(at, address))?;
        Ok((word[0], self.fill.wait(at, address)))
    }

    #[cold]
    fn read_device<P: Ports + ?Sized>(
        &mut self,
        ports: &mut P,
        at: Cycle,
        address: u32,
    ) -> Going<(u32, Cycle)> {
        let asked = at + self.settings.miss_cycles;
        let access = |ports: &mut P, at| {
            let mut word = [0];
            let acks: Acks = ports.read(at, address & !3, &mut word)?;
            Ok((word[0], acks.first))
        };
        self.bus.alone(ports, asked, access).map_err(refused(asked, address))
    }

    #[cold]
    fn load_line<P: Ports + ?Sized>(
        &mut self,
        ports: &mut P,
        at: Cycle,
        address: u32,
    ) -> Going<(u32, Cycle)> {
        let mut at = at + self.settings.miss_cycles;
        let evicted = self.data.load(line_of(address));
        for block in 0..LINE_BYTES / BLOCK_BYTES {
            if evicted.changed >> block & 1 == 1 {
                let first = evicted.line + block * BLOCK_BYTES;
                let words = (BLOCK_BYTES / 4) as usize;
                at = self.bus.buffer(ports, at, first, words).map_err(refused(at, first))?;
            }
        }
        self.bus.write_those_of(ports, line_of(address)).map_err(refused(at, address))?;
        let mut words = [0; LINE_WORDS];
        let read = |ports: &mut P, at, line| ports.read(at, line, &mut words);
        let fill = self.bus.line(ports, (at, address), read);
        self.fill = fill.map_err(refused(at, address))?;
        Ok((words[(address % LINE_BYTES / 4) as usize], self.fill.wait(at, address)))
    }

    /// Writes bytes of the word that an address is in, in the buffer stage's cycle `at`; the cycle
    /// in which the core has got rid of it. `is_next`: whether it is a list's word behind another.
    #[inline]
    pub(super) fn write<P: Ports + ?Sized>(
        &mut self,
        ports: &mut P,
        at: Cycle,
        (address, is_next): (u32, bool),
        (word, lanes): (u32, u8),
    ) -> Going<Cycle> {
        let place = address & !3;
        if address >= UNCACHED {
            let asked = at + self.settings.miss_cycles;
            let access = |ports: &mut P, at| Ok(((), ports.write(at, place, word, lanes)?));
            let done = self.bus.alone(ports, asked, access);
            return Ok(done.map_err(refused(asked, address))?.1);
        }
        ports.write(at, place, word, lanes).map_err(refused(at, address))?;
        if self.data.write(address) {
            return Ok(self.fill.wait(at, address));
        }
        if is_next && self.bus.extend(place) {
            return Ok(at);
        }
        self.bus.buffer(ports, at, place, 1).map_err(refused(at, address))
    }
}
