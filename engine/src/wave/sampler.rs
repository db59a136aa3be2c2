// SPDX-License-Identifier: Apache-2.0
//! Looks at a model's state cycle by cycle. A cycle costs a copy of what is shown; which signals have
//! changed is found out for many cycles at once, signal by signal: what is known of one, and where its
//! changes go, then stays in registers of the processor.

use std::ffi::c_void;
use std::ops::Range;

use super::column::Column;
use super::track::{Tick, Track};
use crate::model::Shown;

/// Bits of what is compared as a number.
const NUMBER_BITS: u32 = 64;
const NUMBER_BYTES: usize = 8;
/// What is copied for many cycles stays in a processor's first cache.
const KEPT_WORDS: usize = 1 << 12;
/// So many bytes that nobody asks for are copied rather than left out.
const GAP_BYTES: usize = 32;

/// Signals of a state, which are cells of a track that follow each other.
pub struct Sampler {
    spans: Vec<Span>,
    narrow: Vec<Narrow>,
    wide: Vec<Wide>,
    /// Cycles that are kept, a row each.
    rows: Vec<u64>,
    /// The row before the first, and the bits that are not in all rows as they are there.
    before: Vec<u64>,
    changed: Vec<u64>,
    row_words: usize,
    most: usize,
    kept: usize,
    /// The tick of the first row; the one behind the last, and the one before which all has to settle.
    first: Tick,
    next: Tick,
    until: Tick,
    /// Whether nothing is known of what was before.
    is_new: bool,
}

/// Words that are copied: from a byte of the state on, to a place in a row.
struct Span {
    state: usize,
    place: usize,
    words: usize,
}

/// A signal of at most [`NUMBER_BITS`] bits, and the byte of a row where it is.
struct Narrow {
    cell: usize,
    place: usize,
    mask: u64,
}

/// One of more.
struct Wide {
    cell: usize,
    place: usize,
    bytes: usize,
}

impl Sampler {
    /// One of these signals; `first` is the cell of the first of them.
    pub fn new<'s>(shown: impl Iterator<Item = &'s Shown>, first: usize) -> Self {
        let shown: Vec<_> = shown.collect();
        let spans = spans(&shown);
        let row_words = spans.last().map_or(0, |span| span.place + span.words) + 1;
        let most = (KEPT_WORDS / row_words).max(1);
        let (mut narrow, mut wide) = (Vec::new(), Vec::new());
        for (cell, row) in (first..).zip(&shown) {
            let place = place(&spans, row.offset as usize);
            if row.bits > NUMBER_BITS {
                wide.push(Wide { cell, place, bytes: bytes_of(row) });
            } else {
                let mask = u64::MAX >> (NUMBER_BITS - row.bits.max(1));
                narrow.push(Narrow { cell, place, mask });
            }
        }
        let (rows, [before, changed]) =
            (vec![0; most * row_words], [(); 2].map(|()| vec![0; row_words]));
        let (kept, first, next, until, is_new) = (0, 0, 0, 0, true);
        Self {
            spans,
            narrow,
            wide,
            rows,
            before,
            changed,
            row_words,
            most,
            kept,
            first,
            next,
            until,
            is_new,
        }
    }

    /// What the state is in a tick, the one behind the last.
    ///
    /// # Safety
    /// `state` is that of the model whose signals these are.
    #[inline]
    pub unsafe fn sample(&mut self, tick: Tick, state: *const c_void, track: &mut Track) {
        if tick >= self.until || tick != self.next {
            self.settle(track);
            (self.first, self.until) = (tick, track.section_end(tick).min(tick + self.most as u64));
        }
        let row = &mut self.rows[self.kept * self.row_words..][..self.row_words];
        for span in &self.spans {
            let from = state.cast::<u8>().wrapping_add(span.state).cast::<u64>();
            for (number, word) in row[span.place..][..span.words].iter_mut().enumerate() {
                // SAFETY: the caller's promise: signals lie in the state, and behind the last one as many
                // bytes (rtl_model.py).
                *word = unsafe { from.add(number).read_unaligned() };
            }
        }
        self.kept += 1;
        self.next = tick + 1;
    }

    /// The track gets what is kept.
    pub fn settle(&mut self, track: &mut Track) {
        let kept = std::mem::take(&mut self.kept);
        self.until = 0;
        if kept == 0 {
            return;
        }
        track.come(self.first);
        let is_new = std::mem::take(&mut self.is_new);
        self.find_changed(kept, is_new);
        let Self { rows, row_words, first, changed, .. } = self;
        let rows = &rows[..kept * *row_words];
        for row in
            self.narrow.iter().filter(|row| column(changed, 1, row.place, row.mask).has_any())
        {
            let column = column(rows, kept, row.place, row.mask);
            track.put_column(row.cell, *first, is_new, &column);
        }
        for row in &self.wide {
            for (tick, words) in (*first..).zip(rows.chunks_exact(*row_words)) {
                track.put_wide(row.cell, tick, &bytes_at(words, row.place)[..row.bytes]);
            }
        }
        track.come(self.next - 1);
        self.before.copy_from_slice(&rows[rows.len() - *row_words..]);
    }

    /// Finds the bits that change in so many rows: in most of them few signals do.
    fn find_changed(&mut self, kept: usize, is_new: bool) {
        if is_new {
            return self.changed.fill(u64::MAX);
        }
        self.changed.fill(0);
        let words = self.row_words;
        let (mut before, changed) = (&self.before[..words], &mut self.changed[..words]);
        for number in 0..kept {
            let row = &self.rows[number * words..][..words];
            for word in 0..words {
                changed[word] |= before[word] ^ row[word];
            }
            before = row;
        }
    }

    /// Nothing is kept or known, as at the beginning.
    pub fn restart(&mut self) {
        (self.kept, self.until, self.is_new) = (0, 0, true);
    }

    /// From a tick on nothing is known of the signals.
    pub fn forget(&mut self, tick: Tick, track: &mut Track) {
        self.settle(track);
        track.come(tick);
        let narrow = self.narrow.iter().map(|row| row.cell);
        narrow.chain(self.wide.iter().map(|row| row.cell)).for_each(|cell| track.put_unknown(cell));
        self.is_new = true;
    }
}

/// The words of the state that signals are in.
fn spans(shown: &[&Shown]) -> Vec<Span> {
    let range = |row: &&Shown| row.offset as usize..row.offset as usize + bytes_of(row);
    let mut ranges: Vec<_> = shown.iter().map(range).collect();
    ranges.sort_by_key(|range| range.start);
    let mut found: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match found.last_mut().filter(|last| range.start <= last.end + GAP_BYTES) {
            Some(last) => last.end = last.end.max(range.end),
            None => found.push(range),
        }
    }
    let mut place = 0;
    let span = |range: Range<usize>| {
        let words = range.len().div_ceil(NUMBER_BYTES);
        place += words;
        Span { state: range.start, place: place - words, words }
    };
    found.into_iter().map(span).collect()
}

/// The byte of a row in which a byte of the state is.
fn place(spans: &[Span], offset: usize) -> usize {
    let is_in =
        |span: &&Span| (span.state..span.state + span.words * NUMBER_BYTES).contains(&offset);
    let own = spans.iter().find(is_in);
    own.map_or(0, |span| span.place * NUMBER_BYTES + offset - span.state)
}

fn bytes_of(row: &Shown) -> usize {
    row.bits.div_ceil(8) as usize
}

/// What rows have at a byte of each.
fn column(rows: &[u64], count: usize, place: usize, mask: u64) -> Column<'_> {
    Column::new(rows, count, place, mask)
}

/// The bytes of a row from one on.
fn bytes_at(row: &[u64], place: usize) -> &[u8] {
    // SAFETY: bytes are always aligned, and all of them are the row's.
    let bytes = unsafe { std::slice::from_raw_parts(row.as_ptr().cast::<u8>(), size_of_val(row)) };
    &bytes[place..]
}
