// SPDX-License-Identifier: Apache-2.0
//! The changes of a signal in a section, one behind the other, as they are read.

use super::track::Tick;
use super::varint::read_varint;

/// A change of a signal.
#[derive(Debug, PartialEq, Eq)]
pub struct Change {
    /// The tick, counted from the section's first.
    pub at: u64,
    /// What it has become: characters, of a number a bit each.
    pub value: Vec<u8>,
}

/// The way through a chain of numbers.
#[derive(Debug, Clone, Default)]
pub struct Chain {
    place: usize,
    at: Tick,
}

impl Chain {
    /// The tick of the next change, if there is one.
    #[inline]
    pub fn next_at(&self, bits: u32, data: &[u8]) -> Option<Tick> {
        let mut place = self.place;
        let head = (place < data.len()).then(|| read_varint(data, &mut place))?;
        Some(self.at + if bits == 1 { head >> 2 } else { head >> 1 })
    }

    /// What the signal becomes then, as [`Track::copy`] takes it.
    #[inline]
    pub fn take<'d>(&mut self, bits: u32, data: &'d [u8]) -> &'d [u8] {
        let head = read_varint(data, &mut self.place);
        if bits == 1 {
            self.at += head >> 2;
            return if head >> 1 & 1 == 1 { &[0x80] } else { &[0] };
        }
        self.at += head >> 1;
        taken(data, &mut self.place, bits.div_ceil(8) as usize)
    }
}

/// The changes of a signal.
pub fn changes(bits: u32, data: &[u8]) -> impl Iterator<Item = Change> {
    let (mut place, mut at) = (0, 0);
    std::iter::from_fn(move || next(bits, data, &mut place, &mut at))
}

fn next(bits: u32, data: &[u8], place: &mut usize, at: &mut u64) -> Option<Change> {
    if *place >= data.len() {
        return None;
    }
    let head = read_varint(data, place);
    let is_unknown = head & 1 == 1;
    *at += match (bits, is_unknown) {
        (1, true) => head >> 4,
        (1, false) => head >> 2,
        _ => head >> 1,
    };
    let value = match (bits, is_unknown) {
        (1, true) => vec![b'x'],
        (1, false) => vec![b'0' + (head >> 1 & 1) as u8],
        (0, _) => {
            let length = read_varint(data, place) as usize;
            taken(data, place, length).to_vec()
        }
        (_, true) => taken(data, place, bits as usize).to_vec(),
        (_, false) => {
            let packed = taken(data, place, bits.div_ceil(8) as usize);
            (0..bits as usize).map(|bit| b'0' + (packed[bit / 8] >> (7 - bit % 8) & 1)).collect()
        }
    };
    Some(Change { at: *at, value })
}

fn taken<'d>(data: &'d [u8], place: &mut usize, length: usize) -> &'d [u8] {
    let begin = std::mem::replace(place, *place + length);
    &data[begin..*place]
}

/// How many bytes of a signal's changes are before a tick of the section.
pub(super) fn bytes_before(bits: u32, data: &[u8], ticks: u64) -> usize {
    let (mut place, mut at) = (0, 0);
    loop {
        let before = place;
        if next(bits, data, &mut place, &mut at).is_none_or(|change| change.at >= ticks) {
            return before;
        }
    }
}
