// SPDX-License-Identifier: Apache-2.0
//! What has changed and is not written yet, signal by signal, as FST has it in its files: this is small,
//! and needs no order between signals. The time is cut into sections. Who knows of changes has a
//! [`Track`] and comes to the end of a section by himself: the core is ahead of kernels, which get to a
//! cycle when somebody looks at them.

use std::collections::VecDeque;

use super::hierarchy::Signal;

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

/// A change of a signal.
#[derive(Debug, PartialEq, Eq)]
pub struct Change {
    /// The tick, counted from the section's first.
    pub at: u64,
    /// What it has become: characters, of a number a bit each.
    pub value: Vec<u8>,
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
            self.end_section();
        }
    }

    #[cold]
    fn end_section(&mut self) {
        let chain = |cell: &mut Cell| {
            cell.last = 0;
            let room = Vec::with_capacity(cell.changes.len());
            (cell.bits, std::mem::replace(&mut cell.changes, room))
        };
        let chains = self.cells.iter_mut().map(chain).collect();
        let values = self.values();
        let frame = std::mem::replace(&mut self.frame, values);
        self.ended.push_back(Part { frame, chains });
        self.first += SECTION_TICKS;
    }

    /// The section that a tick is in, counted from the first.
    #[inline]
    pub fn section_of(&self, tick: Tick) -> u64 {
        (tick - self.begun) / SECTION_TICKS
    }

    /// The first section that is not written yet, which ends before a tick: nothing more is told of it.
    pub fn take(&mut self, end: Tick) -> Part {
        self.come(end);
        self.ended.pop_front().unwrap_or_default()
    }

    /// The same of the last one, which is shorter; changes behind it are forgotten.
    pub fn take_last(&mut self, ticks: u64) -> Part {
        if self.ended.is_empty() {
            self.end_section();
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

    /// A signal becomes these numbers, one a tick from `first` on, which is in the section under way.
    /// `known`: what it is before, if that is known. Returns the last one.
    #[inline]
    pub fn put_all(
        &mut self,
        cell: usize,
        first: Tick,
        known: Option<u64>,
        values: impl Iterator<Item = u64>,
    ) -> Option<u64> {
        let start = first - self.first;
        let cell = &mut self.cells[cell];
        let (mut now, mut is_new) = (known.unwrap_or_default(), known.is_none());
        for (at, value) in (start..).zip(values) {
            if value != now || is_new {
                cell.becomes(at, value);
                (now, is_new) = (value, false);
            }
        }
        (!is_new).then_some(now)
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

    /// Ticks since its last change, which is now.
    #[inline]
    fn gone(&mut self, at: u64) -> u64 {
        at - std::mem::replace(&mut self.last, at)
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
fn bytes_before(bits: u32, data: &[u8], ticks: u64) -> usize {
    let (mut place, mut at) = (0, 0);
    loop {
        let before = place;
        if next(bits, data, &mut place, &mut at).is_none_or(|change| change.at >= ticks) {
            return before;
        }
    }
}

/// Seven bits a byte, the lowest first.
#[inline]
pub fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value > 0x7f {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn read_varint(data: &[u8], place: &mut usize) -> u64 {
    let mut value = 0;
    for shift in (0..).step_by(7) {
        let byte = data[*place];
        *place += 1;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            break;
        }
    }
    value
}
