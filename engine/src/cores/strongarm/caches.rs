// SPDX-License-Identifier: Apache-2.0
//! Which lines are in the caches.
//!
//! Of instructions there are the contents, decoded; a store does not change them, as in the
//! processor. Of data there are the addresses: the words are in memory always, so that whoever looks
//! there sees what the program sees. When a line is written back, only its time is new to memory.

use super::timing::{BLOCK_BYTES, INSTRUCTION_CACHE_BYTES, LINE_BYTES, LINE_WORDS, WAYS};
use crate::cores::armv4::{Instruction, decode};

/// The address of a line that is none.
pub(super) const NO_LINE: u32 = 1;
/// Rows of the table that tells where a line was last: many more than a cache has lines.
const ROWS: usize = 1 << 12;

/// The line that an address is in.
#[inline]
pub fn line_of(address: u32) -> u32 {
    address & !(LINE_BYTES - 1)
}

/// The addresses of a cache's lines. A set's lines are replaced in turn (\[C\] of `timing`).
#[derive(Clone)]
struct Lines {
    addresses: Vec<u32>,
    /// By set, which one goes next.
    turn: Vec<u8>,
    /// Where a line was last: 32 ways are too many to look through each time.
    last: Vec<u16>,
}

impl Lines {
    fn new(bytes: u32) -> Self {
        let count = (bytes / LINE_BYTES) as usize;
        Self { addresses: vec![NO_LINE; count], turn: vec![0; count / WAYS], last: vec![0; ROWS] }
    }

    #[inline]
    fn find(&mut self, line: u32) -> Option<usize> {
        let row = (line / LINE_BYTES) as usize % ROWS;
        let place = usize::from(self.last[row]);
        if self.addresses[place] == line { Some(place) } else { self.search(line, row) }
    }

    fn search(&mut self, line: u32, row: usize) -> Option<usize> {
        let first = self.set(line) * WAYS;
        let found = self.addresses[first..first + WAYS].iter().position(|&other| other == line);
        found.map(|way| {
            self.last[row] = (first + way) as u16;
            first + way
        })
    }

    fn set(&self, line: u32) -> usize {
        (line / LINE_BYTES) as usize % self.turn.len()
    }

    /// A place for a line, and the line that was there.
    fn replace(&mut self, line: u32) -> (usize, u32) {
        let set = self.set(line);
        let way = usize::from(self.turn[set]);
        self.turn[set] = ((way + 1) % WAYS) as u8;
        let place = set * WAYS + way;
        self.last[(line / LINE_BYTES) as usize % ROWS] = place as u16;
        (place, std::mem::replace(&mut self.addresses[place], line))
    }
}

/// The instruction cache.
#[derive(Clone)]
pub struct InstructionCache {
    lines: Lines,
    instructions: Vec<Instruction>,
}

impl InstructionCache {
    /// An empty one.
    pub fn new() -> Self {
        let words = (INSTRUCTION_CACHE_BYTES / 4) as usize;
        Self { lines: Lines::new(INSTRUCTION_CACHE_BYTES), instructions: vec![decode(0); words] }
    }

    /// Where the first instruction of a line is.
    #[inline]
    pub fn find(&mut self, line: u32) -> Option<usize> {
        self.lines.find(line).map(|place| place * LINE_WORDS)
    }

    /// A line has come; where its first instruction is.
    pub fn load(&mut self, line: u32, words: &[u32; LINE_WORDS]) -> usize {
        let first = self.lines.replace(line).0 * LINE_WORDS;
        let places = &mut self.instructions[first..first + LINE_WORDS];
        for (place, &word) in places.iter_mut().zip(words) {
            *place = decode(word);
        }
        first
    }

    /// The instruction at a place.
    #[inline]
    pub fn instruction(&self, place: usize) -> Instruction {
        self.instructions[place]
    }
}

/// The data cache.
#[derive(Clone)]
pub struct DataCache {
    lines: Lines,
    /// By line, a bit for each block that memory does not have yet.
    changed: Vec<u8>,
}

/// A line that has left the cache, and a bit for each block of it that memory does not have.
#[derive(Debug, Clone, Copy)]
pub struct Evicted {
    pub line: u32,
    pub changed: u8,
}

impl DataCache {
    /// An empty one.
    pub fn new(bytes: u32) -> Self {
        let lines = Lines::new(bytes);
        Self { changed: vec![0; lines.addresses.len()], lines }
    }

    /// Whether a line is there.
    #[inline]
    pub fn has(&mut self, line: u32) -> bool {
        self.lines.find(line).is_some()
    }

    /// Writes to a word, if its line is there.
    #[inline]
    pub fn write(&mut self, address: u32) -> bool {
        let Some(place) = self.lines.find(line_of(address)) else { return false };
        self.changed[place] |= 1 << (address % LINE_BYTES / BLOCK_BYTES);
        true
    }

    /// A line is to come, in place of another one.
    pub fn load(&mut self, line: u32) -> Evicted {
        let (place, evicted) = self.lines.replace(line);
        Evicted { line: evicted, changed: std::mem::take(&mut self.changed[place]) }
    }
}
