// SPDX-License-Identifier: Apache-2.0
//! The signals of a unit of a kernel, which serves one call after the other.

use std::io;
use std::ops::Range;

use super::spool::Blocks;
use super::{Begun, KernelRow};
use crate::wave::{Chain, Signal, Signals, Tick, Track};

const RUNNING: usize = 0;
const CALL: usize = 1;
/// What a unit shows besides, and its width.
const OWN: [(&str, u32); 2] = [("running", 1), ("call", 32)];
/// Numbers before the chains of a part.
const PART_NUMBERS: usize = 4;
const LENGTH_BYTES: usize = 4;

/// A call that was recorded.
#[derive(Debug, Clone)]
pub(super) struct Recorded {
    pub(super) record: u64,
    pub(super) kernel: usize,
    pub(super) begun: Begun,
    pub(super) cycles: u64,
    pub(super) parts: Vec<Stored>,
    /// Its place among the units of the kernel.
    pub(super) unit: usize,
}

/// Cycles of a call, and where in the recording what they had is.
#[derive(Debug, Clone)]
pub(super) struct Stored {
    pub(super) cycles: Range<u64>,
    pub(super) place: u64,
    pub(super) bytes: usize,
}

impl Recorded {
    fn time_ps(&self, cycle: u64) -> u64 {
        self.begun.time_ps.saturating_add(cycle.saturating_mul(self.begun.clock_ps))
    }

    pub(super) fn end_ps(&self) -> u64 {
        self.time_ps(self.cycles)
    }

    /// The first cycle that was seen, and the one behind the last.
    fn seen(&self) -> Range<u64> {
        let first = self.parts.first().map_or(self.cycles, |part| part.cycles.start);
        first..self.parts.last().map_or(self.cycles, |part| part.cycles.end)
    }
}

/// A unit.
pub(super) struct Lane {
    pub(super) track: Track,
    bits: Vec<u32>,
    active: Option<Active>,
    /// What happened in the section under way, in the order of the ticks.
    happened: Vec<Happened>,
    reading: Option<Reading>,
}

/// The call under way.
struct Active {
    call: Recorded,
    /// The next cycle that has a tick.
    cycle: u64,
}

enum Happened {
    Begins(Tick, Recorded),
    /// Cycles from one on, a tick each.
    Cycles(u64, Vec<Tick>),
    Ends(Tick),
}

/// A call of which is read what its signals did.
struct Reading {
    call: Recorded,
    /// Parts that have been read.
    parts: usize,
    /// The last of them, and where each signal's chain is in it.
    cycles: Range<u64>,
    body: Vec<u8>,
    chains: Vec<(Range<usize>, Chain)>,
}

impl Lane {
    pub(super) fn new(signals: &mut Signals, scopes: &[&str], kernel: &KernelRow) -> Self {
        let own = OWN.map(|(name, bits)| Signal::new(scopes, name, bits));
        let shown = kernel.signals.iter().map(|row| {
            let all: Vec<_> = scopes.iter().copied().chain(row.scope.split('.')).collect();
            Signal::new(&all, &row.name, row.bits)
        });
        let track = signals.track(own.into_iter().chain(shown));
        let bits = kernel.signals.iter().map(|row| row.bits).collect();
        Self { track, bits, active: None, happened: Vec::new(), reading: None }
    }

    /// When its next tick is.
    pub(super) fn next_ps(&self) -> Option<u64> {
        let active = self.active.as_ref()?;
        let is_seen = active.cycle < active.call.seen().end;
        Some(active.call.time_ps(if is_seen { active.cycle } else { active.call.cycles }))
    }

    /// A call begins in a tick.
    pub(super) fn begin(&mut self, tick: Tick, time_ps: u64, call: Recorded) {
        self.happened.push(Happened::Begins(tick, call.clone()));
        let cycle = call.seen().start;
        self.active = Some(Active { call, cycle });
        if self.next_ps() == Some(time_ps) {
            self.step(tick);
        }
    }

    /// This tick is that of its next cycle, or of its end.
    pub(super) fn step(&mut self, tick: Tick) {
        let Some(active) = &mut self.active else { return };
        if active.cycle >= active.call.seen().end {
            self.happened.push(Happened::Ends(tick));
            self.active = None;
            return;
        }
        match self.happened.last_mut() {
            Some(Happened::Cycles(_, ticks)) => ticks.push(tick),
            _ => self.happened.push(Happened::Cycles(active.cycle, vec![tick])),
        }
        active.cycle += 1;
    }

    /// Has the track know all that has happened.
    pub(super) fn settle(&mut self, blocks: &mut Blocks) -> io::Result<()> {
        let mut happened = std::mem::take(&mut self.happened).into_iter().peekable();
        while let Some(one) = happened.next() {
            match one {
                Happened::Begins(tick, call) => self.begins(tick, call),
                Happened::Cycles(first, ticks) => self.copy(first, &ticks, blocks)?,
                // What begins at once tells all by itself.
                Happened::Ends(tick) if matches!(happened.peek(), Some(Happened::Begins(next, _)) if *next == tick) =>
                    {}
                Happened::Ends(tick) => self.ends(tick),
            }
        }
        Ok(())
    }

    fn begins(&mut self, tick: Tick, call: Recorded) {
        self.track.number(tick, RUNNING, 1);
        self.track.number(tick, CALL, call.record & u64::from(u32::MAX));
        let (body, chains) = (Vec::new(), Vec::new());
        self.reading = Some(Reading { call, parts: 0, cycles: 0..0, body, chains });
    }

    fn ends(&mut self, tick: Tick) {
        self.track.number(tick, RUNNING, 0);
        self.track.come(tick);
        (CALL..OWN.len() + self.bits.len()).for_each(|cell| self.track.put_unknown(cell));
        self.reading = None;
    }

    fn copy(&mut self, first: u64, ticks: &[Tick], blocks: &mut Blocks) -> io::Result<()> {
        let Some(reading) = &mut self.reading else { return Ok(()) };
        let end = first + ticks.len() as u64;
        loop {
            let begin = reading.cycles.start;
            for (cell, (&bits, (range, chain))) in
                self.bits.iter().zip(&mut reading.chains).enumerate()
            {
                let data = &reading.body[range.clone()];
                while let Some(at) = chain.next_at(bits, data).filter(|at| begin + at < end) {
                    let tick = ticks[(begin + at - first) as usize];
                    self.track.copy(OWN.len() + cell, tick, chain.take(bits, data));
                }
            }
            if reading.cycles.end >= end || !reading.go_on(blocks)? {
                return Ok(());
            }
        }
    }
}

impl Reading {
    /// Reads the next part, if there is one.
    fn go_on(&mut self, blocks: &mut Blocks) -> io::Result<bool> {
        let Some(part) = self.call.parts.get(self.parts) else { return Ok(false) };
        self.parts += 1;
        self.cycles = part.cycles.clone();
        self.body = blocks.body_at(part.place, part.bytes)?;
        self.chains.clear();
        let mut place = PART_NUMBERS * size_of::<u64>();
        while let Some(length) = self.body.get(place..).and_then(|rest| rest.first_chunk()) {
            let begin = place + LENGTH_BYTES;
            place = begin + u32::from_le_bytes(*length) as usize;
            self.chains.push((begin..place.min(self.body.len()), Chain::default()));
        }
        Ok(true)
    }
}
