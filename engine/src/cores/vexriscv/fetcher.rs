// SPDX-License-Identifier: Apache-2.0
//! The fetcher: three stages, of which the last one is decode, and the instruction cache.
//!
//! The program counter is the first stage; it reads the cache, the second one compares the tag, and
//! decode finds that the line is not there. Then it and all before it are empty, and the first stage
//! halts until the line has come. The stages move together, in cycles in which decode is not stuck.

use super::stages::Stages;
use super::variants::Variant;
use super::words::Word;
use crate::cores::{Cycle, Ports, Refused};

/// Words of a line.
pub const LINE_WORDS: usize = 8;
const LINE_BYTES: u32 = 4 * LINE_WORDS as u32;

/// The next instruction on a path.
#[derive(Debug, Clone, Copy)]
pub struct Front {
    /// The cycle in which it comes to decode.
    pub arrival: Cycle,
    pub pc: u32,
    /// If it was in the second stage while the instruction before emptied the cache, the cycle in
    /// which that left decode. What is in it was read before.
    pub behind_flush: Option<Cycle>,
}

/// The stages before decode.
pub struct Fetcher {
    variant: Variant,
    /// Of each line the address of its first byte; odd for none.
    tags: Vec<u32>,
    words: Vec<Word>,
    /// The first stage halts before this cycle: a line is loaded, or the cache emptied.
    from: Cycle,
    /// A line that has come before this cycle is lost: the cache is still being emptied.
    kept_from: Cycle,
    /// Whether the cache is empty for all but an instruction that was read before.
    is_emptied: bool,
}

const NO_LINE: u32 = 1;

impl Fetcher {
    /// As reset leaves it: the cache is emptied first.
    pub fn new(variant: Variant) -> Self {
        let mut fetcher = Self {
            variant,
            tags: vec![NO_LINE; variant.instruction_lines],
            words: vec![variant.signals.word(0, false); variant.instruction_lines * LINE_WORDS],
            from: 0,
            kept_from: 0,
            is_emptied: false,
        };
        fetcher.empty(0);
        fetcher
    }

    /// One with the same lines, in which nothing is under way.
    pub fn settled(&self) -> Self {
        let (tags, words) = (self.tags.clone(), self.words.clone());
        Self { variant: self.variant, tags, words, from: 0, kept_from: 0, is_emptied: false }
    }

    /// The instruction, if its line is there and nothing is to be seen to first.
    #[inline]
    pub fn at_hand(&self, front: &Front) -> Option<&Word> {
        let line = self.line(front.pc);
        let is_there = self.tags[line] == front.pc & !(LINE_BYTES - 1);
        let place = line * LINE_WORDS + (front.pc / 4) as usize % LINE_WORDS;
        if is_there && !self.is_emptied { self.words.get(place) } else { None }
    }

    /// The instruction of a path, if that comes to decode in cycle `limit` or before. Lines that are
    /// not there are loaded.
    ///
    /// # Errors
    /// The bus refuses one, with the cycle of the request.
    pub fn fetch<P: Ports + ?Sized>(
        &mut self,
        ports: &mut P,
        front: &mut Front,
        stages: &Stages,
        limit: Cycle,
    ) -> Result<Option<Word>, (Cycle, Refused)> {
        while front.arrival <= limit {
            if let Some(word) = self.at_hand(front) {
                return Ok(Some(*word));
            }
            if let Some(word) = self.look(front) {
                return Ok(Some(word));
            }
            self.load(ports, front)?;
            let arrival = self.restart(stages, front.arrival + 1);
            *front = Front { arrival, behind_flush: None, ..*front };
        }
        Ok(None)
    }

    fn look(&mut self, front: &Front) -> Option<Word> {
        if self.is_emptied && front.behind_flush.is_none() {
            self.forget();
        }
        let line = self.line(front.pc);
        let is_there = self.tags[line] == front.pc & !(LINE_BYTES - 1);
        let word = (front.pc / 4) as usize % LINE_WORDS;
        let found = is_there.then(|| self.words[line * LINE_WORDS + word]);
        if self.is_emptied {
            self.forget();
        }
        found
    }

    fn line(&self, address: u32) -> usize {
        (address / LINE_BYTES) as usize & (self.tags.len() - 1)
    }

    fn forget(&mut self) {
        self.tags.fill(NO_LINE);
        self.is_emptied = false;
    }

    /// Decode has found in the cycle of arrival that the line is not there: `lineLoader_valid` and the
    /// request come with the next one. A word is written the cycle behind its acknowledgement, and
    /// the first stage goes on the cycle behind that.
    fn load<P: Ports + ?Sized>(
        &mut self,
        ports: &mut P,
        front: &Front,
    ) -> Result<(), (Cycle, Refused)> {
        let (at, address) = (front.arrival + 1, front.pc & !(LINE_BYTES - 1));
        let mut words = [0; LINE_WORDS];
        let acks = ports.fetch(at, address, &mut words).map_err(|refused| (at, refused))?;
        let written = acks.first + (LINE_WORDS as u64 - 1) * acks.interval + 1;
        let line = self.line(address);
        self.tags[line] = if written >= self.kept_from { address } else { NO_LINE };
        for (place, word) in words.into_iter().enumerate() {
            self.words[line * LINE_WORDS + place] =
                self.variant.signals.word(word, self.variant.is_iterative);
        }
        self.from = self.from.max(written + 1);
        Ok(())
    }

    /// The cache is emptied, from the cycle on in which `lineLoader_flushPending` meets an empty second
    /// stage: a counter goes over all lines, and the first stage sees its end a cycle later.
    fn empty(&mut self, cycle: Cycle) {
        let lines = self.variant.instruction_lines as u64;
        self.kept_from = cycle + lines + 1;
        self.from = self.from.max(self.kept_from + 1);
        self.is_emptied = true;
    }

    /// A word that empties the cache has been in decode to cycle `until`. As long as the word behind
    /// it waits in the second stage, nothing is emptied. If there is none, since the word before has
    /// emptied the cache too and left in cycle `before`, that begins anew every second cycle.
    pub fn flush(&mut self, front: &Front, until: Cycle) {
        let begins = match front.behind_flush {
            None => until + 1,
            Some(before) => before + 1 + (until - before) / 2 * 2,
        };
        self.empty(begins);
    }

    /// When the target of a jump in cycle `jump` comes to decode, or in the first one behind it in
    /// which the first stage may move.
    #[inline]
    pub fn restart(&self, stages: &Stages, jump: Cycle) -> Cycle {
        let first = stages.free(jump.max(self.from));
        stages.free(first + 1) + 1
    }

    /// What comes behind a word on the path that decode foresees. It has left decode in cycle `decode`
    /// and is the last one in `stages`.
    #[inline]
    pub fn behind(&self, front: &Front, word: &Word, decode: Cycle, stages: &Stages) -> Front {
        if word.is_predicted {
            let (arrival, pc) = (self.restart(stages, decode), front.pc.wrapping_add(word.offset));
            return Front { arrival, pc, behind_flush: None };
        }
        let pc = front.pc.wrapping_add(4);
        if front.behind_flush.is_some() {
            // The second stage was empty: the first one has halted.
            return Front { arrival: self.restart(stages, decode), pc, behind_flush: None };
        }
        Front { arrival: decode + 1, pc, behind_flush: word.flushes.then_some(decode) }
    }
}
