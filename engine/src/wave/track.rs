// SPDX-License-Identifier: Apache-2.0
//! What has changed and is not written yet, signal by signal, as FST has it in its files: this is small,
//! and needs no order between signals. The time is cut into sections. Who knows of changes has a
//! [`Track`] and comes to the end of a section by himself: the core is ahead of kernels, which get to a
//! cycle when somebody looks at them.

use std::collections::VecDeque;

use super::chain::bytes_before;
use super::column::Column;
use super::hierarchy::Signal;
use super::varint::{varint, write_varint};

/// A place in the order of times.
pub type Tick = u64;

/// Ticks of a section, but for the last one.
pub(crate) const SECTION_TICKS: Tick = 1 << 15;

/// Signals that change in the order of time.
pub struct Track {
    cells: Vec<Cell>,
    /// The first tick of all.
    begun: Tick,
    /// The first tick of the section that is under way.
    first: Tick,
    /// The tick that it has come to.
    now: Tick,
    /// What signals were before that section.
    frame: Vec<u8>,
    /// Sections that have ended.
    ended: VecDeque<Part>,
}

/// A signal.
struct Cell {
    bits: u32,
    is_known: bool,
    /// What it is, if it is a number.
    number: u64,
    /// Its bytes, the lowest first, if it has more than 64 bits.
    wide: Vec<u8>,
    /// The tick of its last change, counted from the section's first.
    last: u64,
    changes: Vec<u8>,
}

/// A section of a track.
#[derive(Debug, Default)]
pub struct Part {
    /// What its signals were before, a character a bit.
    pub frame: Vec<u8>,
    /// The width of each, 0 of text, and its changes.
    pub chains: Vec<(u32, Vec<u8>)>,
}

impl Track {
    /// A track of these signals, of which nothing is known yet.
    pub fn new(signals: &[Signal]) -> Self {
        let cell = |signal: &Signal| Cell {
            bits: signal.bits,
            is_known: false,
            number: 0,
            wide: Vec::new(),
            last: 0,
            changes: Vec::new(),
        };
        let mut made = Self {
            cells: signals.iter().map(cell).collect(),
            begun: 0,
            first: 0,
            now: 0,
            frame: Vec::new(),
            ended: VecDeque::new(),
        };
        made.frame = made.values();
        made
    }

    /// The first section begins with a tick.
    pub fn begin(&mut self, at: Tick) {
        (self.begun, self.first, self.now) = (at, at, at);
    }

    /// What comes now is in this tick, or later.
    #[inline]
    pub fn come(&mut self, tick: Tick) {
        self.now = self.now.max(tick);
        while self.now - self.first >= SECTION_TICKS {
            self.end_section(SECTION_TICKS);
        }
    }

    #[cold]
    fn end_section(&mut self, ticks: u64) {
        let chains = self.taken_chains();
        let values = self.values();
        let frame = std::mem::replace(&mut self.frame, values);
        self.ended.push_back(Part { frame, chains });
        self.first += ticks;
    }

    fn taken_chains(&mut self) -> Vec<(u32, Vec<u8>)> {
        let chain = |cell: &mut Cell| {
            cell.last = 0;
            let room = Vec::with_capacity(cell.changes.len());
            (cell.bits, std::mem::replace(&mut cell.changes, room))
        };
        self.cells.iter_mut().map(chain).collect()
    }

    /// What has changed in so many ticks, of which nothing more is told; the next one begins a section.
    pub fn cut(&mut self, ticks: u64) -> Part {
        self.end_section(ticks);
        self.ended.pop_front().unwrap_or_default()
    }

    /// The same without what signals were before.
    pub fn cut_changes(&mut self, ticks: u64) -> Part {
        let chains = self.taken_chains();
        self.first += ticks;
        Part { frame: Vec::new(), chains }
    }

    /// Nothing is known of any signal, as at the beginning.
    pub fn restart(&mut self) {
        for cell in &mut self.cells {
            (cell.is_known, cell.last) = (false, 0);
            cell.changes.clear();
        }
        self.ended.clear();
        self.frame = self.values();
    }

    /// The first tick behind the section that a tick is in.
    pub fn section_end(&self, tick: Tick) -> Tick {
        tick - (tick - self.begun) % SECTION_TICKS + SECTION_TICKS
    }

    /// The first section that is not written yet, which ends before a tick: nothing more is told of it.
    pub fn take(&mut self, end: Tick) -> Part {
        self.come(end);
        self.ended.pop_front().unwrap_or_default()
    }

    /// The same of the last one, which is shorter; changes behind it are forgotten.
    pub fn take_last(&mut self, ticks: u64) -> Part {
        if self.ended.is_empty() {
            self.end_section(SECTION_TICKS);
        }
        let mut part = self.ended.pop_front().unwrap_or_default();
        for (bits, changes) in &mut part.chains {
            let kept = (ticks > 0).then(|| bytes_before(*bits, changes, ticks));
            changes.truncate(kept.unwrap_or(0));
        }
        part
    }

    fn values(&self) -> Vec<u8> {
        let mut all = Vec::new();
        for cell in &self.cells {
            let digit = |bit: u32| match (cell.is_known, cell.wide.get(bit as usize / 8)) {
                (false, _) => b'x',
                (true, Some(byte)) => b'0' + (byte >> (bit % 8) & 1),
                (true, None) => b'0' + (cell.number >> bit & 1) as u8,
            };
            all.extend((0..cell.bits).rev().map(digit));
        }
        all
    }

    /// A signal of at most 64 bits becomes a number in a tick.
    #[inline]
    pub fn number(&mut self, tick: Tick, cell: usize, value: u64) {
        if !self.is(cell, value) {
            self.come(tick);
            self.put(cell, value);
        }
    }

    /// Whether it is a number already.
    #[inline]
    pub fn is(&self, cell: usize, value: u64) -> bool {
        let cell = &self.cells[cell];
        cell.is_known && cell.number == value
    }

    /// It becomes a number in the tick that the track has come to.
    #[inline]
    pub fn put(&mut self, cell: usize, value: u64) {
        let at = self.now - self.first;
        self.cells[cell].becomes(at, value);
    }

    /// A signal becomes what a column has, a tick a row from `first` on, which is in the section under
    /// way. `is_new`: nothing is known of it before.
    pub fn put_column(&mut self, cell: usize, first: Tick, is_new: bool, column: &Column<'_>) {
        let start = first - self.first;
        let cell = &mut self.cells[cell];
        cell.is_known &= !is_new;
        match cell.bits {
            1 => cell.become_column::<true>(start, column),
            _ => cell.become_column::<false>(start, column),
        }
    }

    /// A signal of more bits becomes these bytes, the lowest first, in a tick of the section under way.
    #[inline]
    pub fn put_wide(&mut self, cell: usize, tick: Tick, bytes: &[u8]) {
        let at = tick - self.first;
        let cell = &mut self.cells[cell];
        if cell.is_known && cell.wide == bytes {
            return;
        }
        cell.is_known = true;
        cell.wide.clear();
        cell.wide.extend_from_slice(bytes);
        let gone = cell.gone(at);
        varint(&mut cell.changes, gone << 1);
        let shift = bytes.len() * 8 - cell.bits as usize;
        let lower = bytes.iter().rev().skip(1).chain(std::iter::once(&0));
        let pairs = bytes.iter().rev().zip(lower);
        let byte = |(high, low): (&u8, &u8)| {
            ((u16::from(*high) << 8 | u16::from(*low)) << shift >> 8) as u8
        };
        cell.changes.extend(pairs.map(byte));
    }

    /// A signal of text becomes one in a tick; the number is the text's own.
    pub fn text(&mut self, tick: Tick, cell: usize, (number, text): (usize, &str)) {
        if self.is(cell, number as u64) {
            return;
        }
        self.come(tick);
        let at = self.now - self.first;
        let cell = &mut self.cells[cell];
        (cell.is_known, cell.number) = (true, number as u64);
        let gone = cell.gone(at);
        varint(&mut cell.changes, gone << 1);
        varint(&mut cell.changes, text.len() as u64);
        cell.changes.extend_from_slice(text.as_bytes());
    }

    /// A signal becomes what a chain has of it, in a tick of the section under way.
    #[inline]
    pub fn copy(&mut self, cell: usize, tick: Tick, packed: &[u8]) {
        let at = tick - self.first;
        let cell = &mut self.cells[cell];
        if cell.bits <= 64 {
            let number = packed.iter().fold(0, |number, &byte| number << 8 | u64::from(byte));
            return cell.becomes(at, number >> (packed.len() as u32 * 8 - cell.bits));
        }
        cell.is_known = true;
        let gone = cell.gone(at);
        varint(&mut cell.changes, gone << 1);
        cell.changes.extend_from_slice(packed);
        let shift = packed.len() * 8 - cell.bits as usize;
        let higher = packed.iter().rev().skip(1).chain(std::iter::once(&0));
        let pairs = packed.iter().rev().zip(higher);
        let byte =
            |(low, high): (&u8, &u8)| ((u16::from(*high) << 8 | u16::from(*low)) >> shift) as u8;
        cell.wide.clear();
        cell.wide.extend(pairs.map(byte));
    }

    /// Tells again, in a tick, what signals are that are numbers.
    pub fn restate(&mut self, tick: Tick) {
        let at = tick - self.first;
        for cell in self.cells.iter_mut().filter(|cell| cell.is_known && cell.bits > 0) {
            if cell.bits <= 64 {
                cell.becomes(at, cell.number);
            } else {
                cell.is_known = false;
            }
        }
        for cell in 0..self.cells.len() {
            let wide = std::mem::take(&mut self.cells[cell].wide);
            if !wide.is_empty() {
                self.put_wide(cell, tick, &wide);
            }
        }
    }

    /// What a signal of text is will be told again.
    pub fn forget(&mut self, cell: usize) {
        self.cells[cell].is_known = false;
    }

    /// What a signal is, nobody knows from the tick on that the track has come to.
    pub fn put_unknown(&mut self, cell: usize) {
        let at = self.now - self.first;
        let cell = &mut self.cells[cell];
        cell.is_known = false;
        let gone = cell.gone(at);
        if cell.bits == 1 {
            varint(&mut cell.changes, gone << 4 | 1);
            return;
        }
        varint(&mut cell.changes, gone << 1 | 1);
        cell.changes.extend(std::iter::repeat_n(b'x', cell.bits as usize));
    }
}

impl Cell {
    /// It is a number from a tick of the section on.
    #[inline]
    fn becomes(&mut self, at: u64, value: u64) {
        (self.is_known, self.number) = (true, value);
        let gone = self.gone(at);
        if self.bits == 1 {
            varint(&mut self.changes, gone << 2 | (value & 1) << 1);
            return;
        }
        varint(&mut self.changes, gone << 1);
        // The highest bit comes first. Eight bytes are written always, as that is one store; those that
        // are too many go again.
        let packed = (value << (64 - self.bits)).to_be_bytes();
        let end = self.changes.len() + self.bits.div_ceil(8) as usize;
        self.changes.extend_from_slice(&packed);
        self.changes.truncate(end);
    }

    /// It is what a column has, a row a tick from one of the section on.
    fn become_column<const IS_BIT: bool>(&mut self, start: u64, column: &Column<'_>) {
        let (shift, bytes) = (64 - self.bits, self.bits.div_ceil(8) as usize);
        // What is not known is like none of the numbers.
        let mut now = if self.is_known { self.number } else { !column.number(0) };
        let (mut last, end) = (self.last, self.changes.len());
        self.changes.reserve(column.rows * MOST_CHANGE_BYTES);
        // SAFETY: there is room for as many changes as there are rows, each of which is written before the
        // length has it.
        unsafe {
            let begin = self.changes.as_mut_ptr().add(end);
            let mut place = begin;
            for row in 0..column.rows {
                let value = column.number(row);
                if value == now {
                    continue;
                }
                now = value;
                let at = start + row as u64;
                let gone = at - std::mem::replace(&mut last, at);
                if IS_BIT {
                    place = write_varint(place, gone << 2 | value << 1);
                    continue;
                }
                place = write_varint(place, gone << 1);
                // The highest bit comes first. Eight bytes are written always, as that is one store; the
                // next change goes over those that are too many.
                place.cast::<[u8; 8]>().write((value << shift).to_be_bytes());
                place = place.add(bytes);
            }
            self.changes.set_len(end + place.offset_from_unsigned(begin));
        }
        (self.is_known, self.number, self.last) = (true, now, last);
    }

    /// Ticks since its last change, which is now.
    #[inline]
    fn gone(&mut self, at: u64) -> u64 {
        at - std::mem::replace(&mut self.last, at)
    }
}

/// The most that a change of a number takes: how long ago the one before was, within a section, and
/// eight bytes.
const MOST_CHANGE_BYTES: usize = 3 + 8;
