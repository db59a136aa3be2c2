// SPDX-License-Identifier: Apache-2.0
//! Looks at a model's state cycle by cycle. A cycle costs a copy of what is shown; which signals have
//! changed is found out for many cycles at once, signal by signal: what is known of one, and where its
//! changes go, then stays in registers of the processor.

use std::ffi::c_void;
use std::ops::Range;

use super::track::{Tick, Track};
use crate::model::Shown;

/// Bits of what is compared as a number.
const NUMBER_BITS: u32 = 64;
const NUMBER_BYTES: usize = 8;
/// What is copied for many cycles stays in a processor's second cache.
const KEPT_BYTES: usize = 1 << 17;
/// So many bytes that nobody asks for are copied rather than left out.
const GAP_BYTES: usize = 32;

/// Signals of a state, which are cells of a track that follow each other.
pub struct Sampler {
    spans: Vec<Span>,
    narrow: Vec<Narrow>,
    wide: Vec<Wide>,
    /// Cycles that are kept, a row each.
    rows: Vec<u8>,
    row_bytes: usize,
    most: usize,
    kept: usize,
    /// The tick of the first row.
    first: Tick,
    /// Whether nothing is known of what was before.
    is_new: bool,
}

/// Bytes of the state that are copied.
struct Span {
    state: Range<usize>,
    /// Where in a row they are.
    place: usize,
}

/// A signal of at most [`NUMBER_BITS`] bits.
struct Narrow {
    cell: usize,
    place: usize,
    mask: u64,
    now: u64,
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
        let row_bytes = spans.last().map_or(0, |span| span.place + span.state.len()) + NUMBER_BYTES;
        let most = (KEPT_BYTES / row_bytes).max(1);
        let (mut narrow, mut wide) = (Vec::new(), Vec::new());
        for (cell, row) in (first..).zip(&shown) {
            let place = place(&spans, row.offset as usize);
            if row.bits > NUMBER_BITS {
                wide.push(Wide { cell, place, bytes: bytes_of(row) });
            } else {
                let mask = u64::MAX >> (NUMBER_BITS - row.bits.max(1));
                narrow.push(Narrow { cell, place, mask, now: 0 });
            }
        }
        let rows = vec![0; most * row_bytes];
        Self { spans, narrow, wide, rows, row_bytes, most, kept: 0, first: 0, is_new: true }
    }

    /// What the state is in a tick, the one behind the last.
    ///
    /// # Safety
    /// `state` is that of the model whose signals these are.
    #[inline]
    pub unsafe fn sample(&mut self, tick: Tick, state: *const c_void, track: &mut Track) {
        let is_next = self.kept < self.most && tick == self.first + self.kept as u64;
        if !is_next || self.kept > 0 && track.section_of(tick) != track.section_of(self.first) {
            self.settle(track);
            self.first = tick;
        }
        let row = self.kept * self.row_bytes;
        let state = state.cast::<u8>();
        for span in &self.spans {
            let to = &mut self.rows[row + span.place..][..span.state.len()];
            // SAFETY: the caller's promise: signals lie in the state.
            unsafe { state.add(span.state.start).copy_to(to.as_mut_ptr(), to.len()) };
        }
        self.kept += 1;
    }

    /// The track gets what is kept.
    pub fn settle(&mut self, track: &mut Track) {
        let kept = std::mem::take(&mut self.kept);
        if kept == 0 {
            return;
        }
        track.come(self.first);
        let is_new = std::mem::take(&mut self.is_new);
        let rows = &self.rows[..kept * self.row_bytes];
        for row in &mut self.narrow {
            let known = (!is_new).then_some(row.now);
            let values =
                rows.chunks_exact(self.row_bytes).map(|bytes| number(bytes, row.place) & row.mask);
            row.now = track.put_all(row.cell, self.first, known, values).unwrap_or(row.now);
        }
        for row in &self.wide {
            for (tick, bytes) in (self.first..).zip(rows.chunks_exact(self.row_bytes)) {
                track.put_wide(row.cell, tick, &bytes[row.place..][..row.bytes]);
            }
        }
        track.come(self.first + kept as u64 - 1);
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

/// The bytes of the state that signals are in.
fn spans(shown: &[&Shown]) -> Vec<Span> {
    let mut ranges: Vec<_> =
        shown.iter().map(|row| row.offset as usize..row.offset as usize + bytes_of(row)).collect();
    ranges.sort_by_key(|range| range.start);
    let mut found: Vec<Span> = Vec::new();
    for range in ranges {
        match found.last_mut() {
            Some(last) if range.start <= last.state.end + GAP_BYTES => {
                last.state.end = last.state.end.max(range.end);
            }
            last => {
                let place = last.map_or(0, |last| last.place + last.state.len());
                found.push(Span { state: range, place });
            }
        }
    }
    found
}

fn place(spans: &[Span], offset: usize) -> usize {
    let own = spans.iter().find(|span| span.state.contains(&offset));
    own.map_or(0, |span| span.place + offset - span.state.start)
}

fn bytes_of(row: &Shown) -> usize {
    row.bits.div_ceil(8) as usize
}

/// The eight bytes at a place of a row: behind its last signal there are as many.
#[inline]
fn number(row: &[u8], place: usize) -> u64 {
    row[place..].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}
