// SPDX-License-Identifier: Apache-2.0
//! What a kernel shows: its ports, and the registers of its Verilog by the lines of the C that they
//! come from. They are looked at in each cycle in which the kernel runs, before the clock rises. What
//! it would do between calls nobody simulates: it is unknown there.

use std::ffi::c_void;

use super::hierarchy::{Signal, Signals};
use super::track::Track;
use crate::cores::Cycle;
use crate::model::Shown;

/// Bits of what is compared as a number.
const NUMBER_BITS: u32 = 64;
const START: usize = 0;
const RUNNING: usize = 1;
const DONE: usize = 2;
const OF_SHELL: [&str; 3] = ["start", "running", "done"];

/// A kernel's signals.
pub struct Probe {
    track: Track,
    narrow: Vec<Narrow>,
    wide: Vec<Wide>,
    /// Whether nothing is known of what was before.
    is_new: bool,
}

/// A signal of at most [`NUMBER_BITS`] bits.
struct Narrow {
    cell: usize,
    offset: usize,
    mask: u64,
    /// As the track has it; here all lie together.
    now: u64,
}

/// One of more.
struct Wide {
    cell: usize,
    offset: usize,
    bytes: usize,
}

impl Probe {
    pub(super) fn new(signals: &mut Signals, kernel: &str, shown: &[Shown]) -> Self {
        let mut rows: Vec<_> = shown.iter().map(|row| (scope(row), row)).collect();
        rows.sort_by(|(one, _), (other, _)| one.cmp(other));
        let of_shell = OF_SHELL.map(|name| Signal::new(&[kernel], name, 1));
        let own = rows
            .iter()
            .map(|(scope, row)| Signal::of_module(&[kernel, scope], &row.name, row.bits));
        let track = signals.track(of_shell.into_iter().chain(own));
        let (mut narrow, mut wide) = (Vec::new(), Vec::new());
        for (cell, (_, row)) in (OF_SHELL.len()..).zip(rows) {
            let (offset, bits) = (row.offset as usize, row.bits);
            if bits > NUMBER_BITS {
                wide.push(Wide { cell, offset, bytes: bits.div_ceil(8) as usize });
            } else {
                let mask = u64::MAX >> (NUMBER_BITS - bits.max(1));
                narrow.push(Narrow { cell, offset, mask, now: 0 });
            }
        }
        Self { track, narrow, wide, is_new: true }
    }

    pub(super) fn track(&mut self) -> &mut Track {
        &mut self.track
    }

    /// The kernel rests in a cycle, or runs.
    pub fn rests(&mut self, cycle: Cycle, is_running: bool) {
        self.track.number(cycle, START, 0);
        self.track.number(cycle, RUNNING, is_running.into());
        self.track.number(cycle, DONE, 0);
    }

    /// A cycle of a call: the first one has `start`.
    ///
    /// # Safety
    /// `state` is that of the model whose signals these are.
    pub unsafe fn sample(&mut self, cycle: Cycle, is_first: bool, state: *const c_void) {
        let track = &mut self.track;
        track.come(cycle);
        track.number(cycle, START, is_first.into());
        track.number(cycle, RUNNING, 1);
        let is_new = std::mem::take(&mut self.is_new);
        for row in &mut self.narrow {
            // SAFETY: the caller's promise; behind the last signal there is room (rtl_model.py).
            let word = unsafe { state.byte_add(row.offset).cast::<u64>().read_unaligned() };
            let now = word & row.mask;
            if now != row.now || is_new {
                row.now = now;
                track.put(row.cell, now);
            }
        }
        for row in &self.wide {
            let first = state.cast::<u8>().wrapping_add(row.offset);
            // SAFETY: the caller's promise.
            track.put_wide(row.cell, unsafe { std::slice::from_raw_parts(first, row.bytes) });
        }
    }

    /// The call has ended: `done` was in the cycle before this one.
    pub fn ended(&mut self, cycle: Cycle) {
        self.track.number(cycle - 1, DONE, 1);
        self.rests(cycle, false);
        self.track.come(cycle);
        for cell in OF_SHELL.len()..OF_SHELL.len() + self.narrow.len() + self.wide.len() {
            self.track.put_unknown(cell);
        }
        self.is_new = true;
    }
}

/// The scope of a signal: ports, registers by the line of the C, or those that only steer.
fn scope(row: &Shown) -> String {
    match row.place.rsplit_once(':') {
        _ if row.is_port => "ports".to_string(),
        Some((file, line)) => format!("{file}_line_{line}"),
        None => "control".to_string(),
    }
}
