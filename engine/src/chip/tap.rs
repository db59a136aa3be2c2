// SPDX-License-Identifier: Apache-2.0
//! Who looks at all that a core does, for a wave or a break: between it and the chip, and beside
//! [`Watch`]. A run without them knows nothing of this.

use std::cell::Cell;
use std::collections::VecDeque;

use serde::Serialize;

use super::Chip;
use super::bus::Request;
use super::watch::Watch;
use super::wave::{CoreTrack, PortTrack};
use crate::cores::{Acks, Cycle, Observer, Ports, Refused, Retired};

/// How many accesses are kept.
const KEPT_ACCESSES: usize = 8;
const WORD: u32 = 4;

/// An access of data at the core's port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Access {
    /// The first cycle in which it stood there.
    pub begin: Cycle,
    /// That of the acknowledgement, of a burst that of its first word.
    pub acknowledged: Cycle,
    /// The address.
    pub address: u32,
    /// What was written, or read; of a burst the first word.
    pub word: u32,
    /// Whether it was written.
    pub is_write: bool,
}

/// The last accesses, and what is watched of them.
#[derive(Debug, Default)]
pub struct Accesses {
    /// The last ones, the oldest first.
    pub last: VecDeque<Access>,
    /// The word in memory that is watched.
    pub watched: Option<u32>,
    /// Whether it was stored to.
    pub is_stored: bool,
}

impl Accesses {
    fn add(&mut self, access: Access) {
        if self.last.len() == KEPT_ACCESSES {
            self.last.pop_front();
        }
        self.last.push_back(access);
    }
}

/// What is around a core, and who looks at it.
pub struct Tap<'r> {
    /// The chip.
    pub chip: &'r mut Chip,
    /// What is kept of accesses.
    pub accesses: &'r mut Accesses,
    /// Whether the word that is watched was stored to.
    pub is_stored: &'r Cell<bool>,
    /// The ports in a wave, for instructions and for data, if there is one.
    pub ports: Option<(&'r mut PortTrack, &'r mut PortTrack)>,
    /// Whether accesses of memory are those at the core's port. A model that keeps no data in its
    /// caches asks for more.
    pub shows_memory: bool,
}

impl Tap<'_> {
    fn shows(&self, address: u32) -> bool {
        self.shows_memory || self.chip.is_device(address)
    }

    fn was_read(&mut self, at: Cycle, address: u32, words: &[u32], acks: Acks) {
        if !self.shows(address) {
            return;
        }
        let word = words.first().copied().unwrap_or_default();
        let acknowledged = acks.first;
        self.accesses.add(Access { begin: at, acknowledged, address, word, is_write: false });
        if let Some((_, data)) = &mut self.ports {
            data.read(at, address, words, acks);
        }
    }

    fn was_written(&mut self, at: Cycle, asked: Request, acknowledged: Cycle) {
        let Request { address, written } = asked;
        if !self.shows(address) {
            return;
        }
        let word = written.map_or(0, |(word, _)| word);
        self.accesses.add(Access { begin: at, acknowledged, address, word, is_write: true });
        if let Some((_, data)) = &mut self.ports {
            data.write(at, asked, acknowledged);
        }
    }
}

impl Ports for Tap<'_> {
    #[inline]
    fn fetch(&mut self, at: Cycle, address: u32, words: &mut [u32]) -> Result<Acks, Refused> {
        let acks = self.chip.fetch(at, address, words)?;
        if let Some((instructions, _)) = &mut self.ports {
            instructions.read(at, address, words, acks);
        }
        Ok(acks)
    }

    #[inline]
    fn read(&mut self, at: Cycle, address: u32, words: &mut [u32]) -> Result<Acks, Refused> {
        let acks = self.chip.read(at, address, words)?;
        self.was_read(at, address, words, acks);
        Ok(acks)
    }

    #[inline]
    fn write(&mut self, at: Cycle, address: u32, word: u32, lanes: u8) -> Result<Cycle, Refused> {
        let acknowledged = self.chip.write(at, address, word, lanes)?;
        if self.accesses.watched == Some(address & !(WORD - 1)) {
            self.is_stored.set(true);
        }
        self.was_written(at, Request { address, written: Some((word, lanes)) }, acknowledged);
        Ok(acknowledged)
    }

    fn interrupts(&mut self, at: Cycle) -> u32 {
        self.chip.interrupts(at)
    }

    fn custom(&mut self, at: Cycle, function: u32, operands: [u32; 2]) -> Option<(u32, Cycle)> {
        let asked = self.chip.asked_by_instruction(function, operands)?;
        let (word, ready) = self.chip.custom(at, function, operands)?;
        match asked.written {
            Some(_) => self.was_written(at, asked, ready),
            None => {
                let acks = Acks { first: ready, interval: 1 };
                self.was_read(at, asked.address, &[word], acks);
            }
        }
        Some((word, ready))
    }
}

/// Who sees instructions, and in which functions they are.
pub struct Seen<'r> {
    /// Who looks in any case.
    pub watch: &'r mut Watch,
    /// The core in a wave, if there is one.
    pub core: Option<&'r mut CoreTrack>,
    /// Whether the word that is watched was stored to: the core stops then.
    pub is_stored: &'r Cell<bool>,
}

impl Observer for Seen<'_> {
    #[inline]
    fn retired(&mut self, retired: Retired) {
        self.watch.retired(retired);
        if let Some(core) = &mut self.core {
            core.retired(retired, self.watch.function(retired.pc));
        }
    }

    #[inline]
    fn stops_at(&mut self, pc: u32) -> bool {
        self.is_stored.get() || self.watch.stops_at(pc)
    }
}
