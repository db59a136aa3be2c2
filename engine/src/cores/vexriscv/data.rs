// SPDX-License-Identifier: Apache-2.0
//! The data port: what waits for the bus, and the data cache of those that have one.

use super::fetcher::LINE_WORDS;
use super::stages::Stored;
use crate::cores::Cycle;

const LINE_BYTES: u32 = 4 * LINE_WORDS as u32;

/// What is between a core's data side and the bus.
#[derive(Debug, Clone, Copy, Default)]
pub struct Queue {
    /// The cycle in which the last command was handed to the bus register.
    handed: Cycle,
    /// The cycle in which the bus has ended it.
    ended: Cycle,
}

impl Queue {
    /// The first cycle from `cycle` on in which the data cache's command is taken
    /// (`io_mem_cmd_ready`): there is a place (`rValid`) before the bus register
    /// (`s2mPipe_rValid`), which is free again the cycle behind that in which it was handed on.
    pub fn takes(&self, cycle: Cycle) -> Cycle {
        cycle.max(self.handed + 1)
    }

    /// A command is taken; the cycle in which it is seen at the bus.
    pub fn take(&mut self, taken: Cycle) -> Cycle {
        self.handed = taken.max(self.ended);
        self.handed + 1
    }

    /// The bus ends it.
    pub fn end(&mut self, cycle: Cycle) {
        self.ended = cycle;
    }

    /// The first cycle from `cycle` on in which a core without a cache takes a command
    /// (`dBus_cmd_ready`): the bus register is the only place, and is free the cycle behind the
    /// acknowledgement.
    pub fn takes_one(&self, cycle: Cycle) -> Cycle {
        cycle.max(self.ended + 1)
    }
}

/// The data cache: one way, written through, lines are loaded for loads only.
#[derive(Clone)]
pub struct DataCache {
    /// Of each line the address of its first byte; odd for none.
    tags: Vec<u32>,
    words: Vec<u32>,
}

const NO_LINE: u32 = 1;

impl DataCache {
    /// An empty one.
    pub fn new(lines: usize) -> Self {
        Self { tags: vec![NO_LINE; lines], words: vec![0; lines * LINE_WORDS] }
    }

    /// Forgets all lines.
    pub fn empty(&mut self) {
        self.tags.fill(NO_LINE);
    }

    /// Where a word would be.
    #[inline]
    pub fn place(&self, address: u32) -> usize {
        (address / 4) as usize & (self.words.len() - 1)
    }

    /// The word at an address.
    #[inline]
    pub fn word(&self, address: u32) -> Option<u32> {
        let place = self.place(address);
        let is_there = self.tags[place / LINE_WORDS] == address & !(LINE_BYTES - 1);
        is_there.then(|| self.words[place])
    }

    /// A line has come.
    pub fn load(&mut self, address: u32, words: &[u32; LINE_WORDS]) {
        let first = self.place(address & !(LINE_BYTES - 1));
        self.tags[first / LINE_WORDS] = address & !(LINE_BYTES - 1);
        self.words[first..first + LINE_WORDS].copy_from_slice(words);
    }

    /// Writes bytes if their line is there; what was written.
    #[inline]
    pub fn store(&mut self, address: u32, word: u32, lanes: u8) -> Stored {
        if self.word(address).is_none() {
            return Stored::default();
        }
        let (place, mask) = (self.place(address), mask_of(lanes));
        self.words[place] = self.words[place] & !mask | word & mask;
        Stored { place: place as u16, lanes }
    }
}

/// The bits of byte lanes.
#[inline]
fn mask_of(lanes: u8) -> u32 {
    let bits = u32::from(lanes);
    ((bits & 1) | (bits & 2) << 7 | (bits & 4) << 14 | (bits & 8) << 21) * 0xff
}
