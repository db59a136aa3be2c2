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
    burst_cycles: u64,
}

impl Ram {
    /// An empty one.
    pub fn new(settings: &RamSettings) -> Self {
        Self {
            base: settings.base,
            content: vec![0; settings.bytes as usize],
            wait_cycles: settings.wait_cycles,
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

    /// The first byte in which another memory of the same chip differs, but for the bytes from
    /// `but.start` to `but.end`.
    pub fn differs(&self, other: &Self, but: &Range<u32>) -> Option<u32> {
        self.rams.iter().zip(&other.rams).find_map(|(one, other)| one.differs(other, but))
    }
}

impl Ram {
    fn differs(&self, other: &Self, but: &Range<u32>) -> Option<u32> {
        let size = self.content.len() as u64;
        let inside = |address: u32| u64::from(address).saturating_sub(u64::from(self.base));
        let (skip, on) = (inside(but.start).min(size) as usize, inside(but.end).min(size) as usize);
        let part = |from: usize, to: usize| {
            let (ours, others) = (&self.content[from..to], &other.content[from..to]);
            if ours == others {
                return None;
            }
            let byte = ours.iter().zip(others).position(|(a, b)| a != b)?;
            Some(self.base + (from + byte) as u32)
        };
        part(0, skip).or_else(|| part(on.max(skip), size as usize))
    }
}
