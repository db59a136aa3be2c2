// SPDX-License-Identifier: Apache-2.0
//! Agents behind the ports of streams.

use super::ports::{Buffer, Port, copy, is_high};
use crate::error::Result;
use crate::harness::gate::{Answer, Gate};

/// When a stream's next record may pass.
pub(super) struct Pace<'a> {
    interval_cycles: u32,
    wait_cycles: u32,
    /// What is behind the port, if it is not always open.
    pub(super) gate: Option<Box<dyn Gate + 'a>>,
    /// The first record that the gate has to be asked for.
    pub(super) open_until: u64,
}

/// What gives a stream's records to the kernel, or takes those that it gives.
pub(super) struct Stream<'a> {
    pub(super) argument: usize,
    valid: *mut u8,
    ready: *mut u8,
    port: *mut u8,
    /// Where the next record is, or goes.
    next: *mut u8,
    element_bytes: usize,
    records: u64,
    pub(super) position: u64,
    /// The cycle in which the last one has moved.
    pub(super) moved_in: u64,
    /// The cycles in which all have, if anybody wants to know.
    pub(super) moves: Option<Vec<u64>>,
    pub(super) pace: Pace<'a>,
    /// Whether a record moves in this cycle, if the kernel wants that too.
    pub(super) may_move: bool,
}

impl Pace<'_> {
    fn every(interval: u32) -> Self {
        Self { interval_cycles: interval.max(1), wait_cycles: 0, gate: None, open_until: u64::MAX }
    }

    /// Whether a record may pass; nothing where that is not known yet.
    #[inline]
    fn passes(&mut self, record: u64, cycle: u64) -> Option<bool> {
        if self.wait_cycles > 0 {
            return Some(false);
        }
        if record < self.open_until { Some(true) } else { self.ask(record, cycle) }
    }

    #[cold]
    fn ask(&mut self, record: u64, cycle: u64) -> Option<bool> {
        let Some(gate) = &mut self.gate else { return Some(true) };
        match gate.ask(record, cycle) {
            Answer::Open { until } => {
                self.open_until = until;
                Some(true)
            }
            Answer::Closed => Some(false),
            Answer::Unknown => None,
        }
    }

    /// A record has moved in this cycle, of which so many have, or none.
    fn moved(&mut self, did: bool, records: u64, cycle: u64) {
        if !did {
            self.wait_cycles = self.wait_cycles.saturating_sub(1);
            return;
        }
        self.wait_cycles = self.interval_cycles - 1;
        if records == self.open_until
            && let Some(gate) = &mut self.gate
        {
            gate.passed(cycle);
        }
    }
}

impl Stream<'_> {
    pub(super) fn new(
        port: &Port<'_>,
        Buffer { data, bytes }: Buffer,
        interval: u32,
    ) -> Result<Self> {
        let (place, element_bytes) = port.signal("data")?;
        Ok(Self {
            argument: port.argument,
            valid: port.signal("valid")?.0,
            ready: port.signal("ready")?.0,
            port: place,
            next: data,
            element_bytes,
            records: bytes / element_bytes as u64,
            position: 0,
            moved_in: 0,
            moves: None,
            pace: Pace::every(interval),
            may_move: false,
        })
    }

    /// Whether it is known if there is a record.
    ///
    /// # Safety
    /// As for [`Harness::run`]; the kernel reads the stream.
    #[inline]
    pub(super) unsafe fn offer(&mut self, cycle: u64) -> bool {
        let is_left = self.position < self.records;
        let passes = if is_left { self.pace.passes(self.position, cycle) } else { Some(false) };
        self.may_move = passes == Some(true);
        // SAFETY: the record lies in the buffer.
        unsafe {
            self.valid.write(u8::from(self.may_move));
            if self.may_move {
                copy(self.next, self.port, self.element_bytes);
            }
        }
        passes.is_some()
    }

    /// # Safety
    /// As for [`Stream::offer`].
    #[inline]
    pub(super) unsafe fn go_on(&mut self, cycle: u64) {
        // SAFETY: the caller's promise.
        let moves = self.may_move && unsafe { is_high(self.ready) };
        self.moved(moves, cycle);
    }

    /// Whether it is known if there is room. What is given behind the last record is taken too: it is
    /// told then.
    ///
    /// # Safety
    /// As for [`Harness::run`]; the kernel writes the stream.
    #[inline]
    pub(super) unsafe fn accept(&mut self, cycle: u64) -> bool {
        let is_left = self.position < self.records;
        let passes = if is_left { self.pace.passes(self.position, cycle) } else { Some(true) };
        self.may_move = passes == Some(true);
        // SAFETY: the caller's promise.
        unsafe { self.ready.write(u8::from(self.may_move)) };
        passes.is_some()
    }

    /// Whether there was room for what came, if anything did.
    ///
    /// # Safety
    /// As for [`Stream::accept`].
    #[inline]
    pub(super) unsafe fn take(&mut self, cycle: u64) -> bool {
        // SAFETY: the caller's promise; the record lies in the buffer.
        unsafe {
            let moves = self.may_move && is_high(self.valid);
            if moves && self.position == self.records {
                return false;
            }
            if moves {
                copy(self.port, self.next, self.element_bytes);
            }
            self.moved(moves, cycle);
        }
        true
    }

    /// A record has moved in this cycle, or not.
    fn moved(&mut self, did: bool, cycle: u64) {
        if did {
            self.position += 1;
            self.next = self.next.wrapping_add(self.element_bytes);
            self.moved_in = cycle;
            if let Some(moves) = &mut self.moves {
                moves.push(cycle);
            }
        }
        self.pace.moved(did, self.position, cycle);
    }
}
