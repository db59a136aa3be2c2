// SPDX-License-Identifier: Apache-2.0
//! The memories of a chip, as its core and its host see them.

use std::ops::Range;

use super::program::Program;
use super::settings::RamSettings;
use crate::cores::{Acks, Cycle};
use crate::error::{Error, Result, Status};

/// Bytes of a word.
const WORD: usize = 4;

/// One memory.
#[derive(Debug, Clone)]
pub struct Ram {
    base: u32,
    content: Vec<u8>,
    wait_cycles: u64,
    own_wait_cycles: u64,
    burst_cycles: u64,
}

impl Ram {
    /// An empty one.
    pub fn new(settings: &RamSettings) -> Self {
        Self {
            base: settings.base,
            content: vec![0; settings.bytes as usize],
            wait_cycles: settings.wait_cycles,
            own_wait_cycles: settings.wait_cycles - settings.request_cycles,
            burst_cycles: settings.burst_cycles,
        }
    }

    /// Where bytes are in it, if they are.
    #[inline]
    fn place(&self, address: u32, bytes: usize) -> Option<Range<usize>> {
        let first = address.wrapping_sub(self.base) as usize;
        let end = first.checked_add(bytes)?;
        (end <= self.content.len()).then_some(first..end)
    }
}

/// All of them.
#[derive(Debug, Clone)]
pub struct Memory {
    rams: Vec<Ram>,
}

impl Memory {
    /// Empty ones.
    pub fn new(settings: &[RamSettings]) -> Self {
        Self { rams: settings.iter().map(Ram::new).collect() }
    }

    /// Puts a program where it belongs.
    ///
    /// # Errors
    /// [`Status::TooLarge`] if there is no memory.
    pub fn load(&mut self, program: &Program) -> Result<()> {
        for segment in &program.segments {
            let missing = || {
                let end = segment.address.saturating_add(segment.bytes);
                let message = format!(
                    "the program has bytes from {:#x} to {end:#x}, where the chip has no memory; \
                     give it a larger one, or link the program elsewhere",
                    segment.address
                );
                Error::new(Status::TooLarge, message)
            };
            let place = self.bytes_mut(segment.address, segment.bytes as usize);
            let place = place.ok_or_else(missing)?;
            let (content, rest) = place.split_at_mut(segment.content.len().min(place.len()));
            content.copy_from_slice(&segment.content[..content.len()]);
            rest.fill(0);
        }
        Ok(())
    }

    /// Bytes of one memory.
    #[inline]
    pub fn bytes(&self, address: u32, bytes: usize) -> Option<&[u8]> {
        self.rams.iter().find_map(|ram| ram.content.get(ram.place(address, bytes)?))
    }

    /// The same, to be changed.
    #[inline]
    pub fn bytes_mut(&mut self, address: u32, bytes: usize) -> Option<&mut [u8]> {
        self.rams.iter_mut().find_map(|ram| {
            let place = ram.place(address, bytes)?;
            ram.content.get_mut(place)
        })
    }

    /// How the memory at an address answers who is at a port of its own: cycles from a request to its
    /// acknowledgement, and from one word of a burst to the next. Nothing if there is no memory.
    pub fn pace(&self, address: u32) -> Option<(Cycle, Cycle)> {
        let ram = self.rams.iter().find(|ram| ram.place(address, WORD).is_some())?;
        Some((ram.own_wait_cycles, ram.burst_cycles))
    }

    /// Answers a request for words; nothing if there is no memory.
    #[inline]
    pub fn read(&self, at: Cycle, address: u32, words: &mut [u32]) -> Option<Acks> {
        for ram in &self.rams {
            let Some(place) = ram.place(address, words.len() * WORD) else { continue };
            let bytes = ram.content.get(place)?;
            for (word, bytes) in words.iter_mut().zip(bytes.chunks_exact(WORD)) {
                *word = bytes.try_into().map_or(0, u32::from_le_bytes);
            }
            return Some(Acks { first: at + ram.wait_cycles, interval: ram.burst_cycles });
        }
        None
    }

    /// Writes bytes of a word; the cycle of the acknowledgement, nothing if there is no memory.
    #[inline]
    pub fn write(&mut self, at: Cycle, address: u32, word: u32, lanes: u8) -> Option<Cycle> {
        for ram in &mut self.rams {
            let Some(place) = ram.place(address, WORD) else { continue };
            let bytes = ram.content.get_mut(place)?;
            for (lane, (to, from)) in bytes.iter_mut().zip(word.to_le_bytes()).enumerate() {
                if lanes >> lane & 1 == 1 {
                    *to = from;
                }
            }
            return Some(at + ram.wait_cycles);
        }
        None
    }

    /// The first byte in which another memory of the same chip differs, but for those of some ranges.
    pub fn differs(&self, other: &Self, but: &[Range<u32>]) -> Option<u32> {
        self.rams.iter().zip(&other.rams).find_map(|(one, other)| one.differs(other, but))
    }
}

/// When a port of a memory answers, asked in each cycle in which a request stands there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pace {
    count: Cycle,
    follows: bool,
}

impl Pace {
    /// Whether it is ready with a word in this cycle; `is_last`: whether none follows of its burst.
    pub fn is_ready(&mut self, wait: Cycle, each: Cycle, is_last: bool) -> bool {
        let is_ready = self.count == if self.follows { each } else { wait };
        let goes_on = is_ready && !is_last;
        self.count = if goes_on { 1 } else { self.count + 1 };
        if is_ready && is_last {
            self.count = 0;
        }
        self.follows = goes_on || self.follows && !is_ready;
        is_ready
    }
}

impl Ram {
    fn differs(&self, other: &Self, but: &[Range<u32>]) -> Option<u32> {
        let size = self.content.len();
        let inside = |address: u32| (address.saturating_sub(self.base) as usize).min(size);
        let mut left_out: Vec<_> = but.iter().map(|r| inside(r.start)..inside(r.end)).collect();
        left_out.sort_by_key(|range| range.start);
        left_out.push(size..size);
        let mut from = 0;
        for Range { start, end } in left_out {
            let part = from..start.max(from);
            let (ours, others) = (&self.content[part.clone()], &other.content[part]);
            if ours != others {
                let byte = ours.iter().zip(others).position(|(a, b)| a != b)?;
                return Some(self.base + (from + byte) as u32);
            }
            from = from.max(end);
        }
        None
    }
}
