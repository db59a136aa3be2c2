// SPDX-License-Identifier: Apache-2.0
//! Time by function, and which function ran when.

use super::program::{Program, Segment};
use super::report::FunctionTime;
use super::timeline::{Event, KEPT_EVENTS, Timeline, Track};
use crate::cores::{Cycle, Retired};

/// Time by function.
pub(super) struct Profile {
    /// By half a word of the program: which function.
    of: Vec<u32>,
    base: u32,
    cycles: Vec<u64>,
    instructions: Vec<u64>,
    last: Cycle,
    /// Where the program went from one function to another, if that is wanted.
    pub(super) visits: Option<Visits>,
}

/// Which function runs from which cycle on.
pub(super) struct Visits {
    now: usize,
    begun: Vec<(usize, Cycle)>,
    dropped: u64,
}

impl Profile {
    pub(super) fn new(program: &Program, has_timeline: bool) -> Self {
        let base = program.segments.iter().map(|s| s.address).min().unwrap_or_default();
        let end = |s: &Segment| s.address.saturating_add(s.bytes);
        let end = program.segments.iter().map(end).max().unwrap_or_default();
        let mut of = vec![u32::MAX; (end.saturating_sub(base) / 2) as usize + 1];
        for (index, symbol) in program.symbols.iter().enumerate() {
            let first = (symbol.address.saturating_sub(base) / 2) as usize;
            let last = first + symbol.bytes.div_ceil(2) as usize;
            if symbol.is_function && last <= of.len() {
                of[first..last].fill(index as u32);
            }
        }
        let count = program.symbols.len() + 1;
        let none = || Visits { now: usize::MAX, begun: Vec::new(), dropped: 0 };
        let visits = has_timeline.then(none);
        let (cycles, instructions) = (vec![0; count], vec![0; count]);
        Self { of, base, cycles, instructions, last: 0, visits }
    }

    /// The row of the function that an address is in.
    #[inline]
    pub(super) fn row(&self, pc: u32) -> usize {
        let place = (pc.wrapping_sub(self.base) / 2) as usize;
        let of = self.of.get(place).map_or(usize::MAX, |&index| index as usize);
        of.min(self.cycles.len() - 1)
    }

    #[inline]
    pub(super) fn count(&mut self, retired: Retired) {
        let row = self.row(retired.pc);
        self.cycles[row] += retired.cycle.saturating_sub(self.last);
        self.instructions[row] += 1;
        if let Some(visits) = self.visits.as_mut().filter(|visits| visits.now != row) {
            visits.add(row, self.last);
        }
        self.last = retired.cycle;
    }

    pub(super) fn rows(&self, program: &Program) -> Vec<FunctionTime> {
        let row = |(row, (&cycles, &instructions)): (usize, (&u64, &u64))| {
            (instructions > 0).then(|| FunctionTime {
                name: name_of(program, row).to_string(),
                cycles,
                instructions,
            })
        };
        let counts = self.cycles.iter().zip(&self.instructions);
        let mut rows: Vec<_> = counts.enumerate().filter_map(row).collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row.cycles));
        rows
    }
}

impl Visits {
    /// Another one runs, from a cycle on.
    #[cold]
    fn add(&mut self, row: usize, from: Cycle) {
        self.now = row;
        // So many have an end too.
        match self.begun.len() <= KEPT_EVENTS {
            true => self.begun.push((row, from)),
            false => self.dropped += 1,
        }
    }

    /// What the program did in which function, but for the last one.
    pub(super) fn tell(&self, program: &Program, timeline: &mut Timeline) {
        let both = self.begun.iter().zip(self.begun.iter().skip(1));
        let event = |(&(row, begin), &(_, end)): (&(usize, Cycle), &(usize, Cycle))| {
            Event::plain(Track::Processor, name_of(program, row), begin, end)
        };
        timeline.events.extend(both.map(event));
        timeline.dropped += self.dropped;
    }
}

/// The function of a profile's row.
fn name_of(program: &Program, row: usize) -> &str {
    program.symbols.get(row).map_or("(elsewhere)", |symbol| &symbol.name)
}
