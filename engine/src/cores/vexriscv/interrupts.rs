// SPDX-License-Identifier: Apache-2.0
//! How an interrupt comes in.
//!
//! While one is asked for, an instruction in decode is held there (`pipelineLiberator_active`). When
//! three cycles in which the stages behind could move have emptied them one after the other, the core
//! jumps. If nobody asks any more before that, the instruction goes on.

use super::fetcher::Front;
use super::stages::Stages;
use super::words::Word;
use super::{Cycle, Ports, VexRiscv};

impl VexRiscv {
    /// The cycle from which on nothing holds the next instruction in decode; none if an interrupt
    /// comes in its place.
    #[inline(never)]
    pub(super) fn held<P: Ports + ?Sized>(&mut self, ports: &mut P, word: &Word) -> Option<Cycle> {
        let (mut cycle, mut emptied) = (self.front.arrival, [false; 3]);
        loop {
            let is_asked = self.control.is_asked(ports, cycle);
            if is_asked && emptied[2] {
                self.interrupt(word, cycle);
                return None;
            }
            if !is_asked && self.stages.leaves_decode(cycle, word) == cycle {
                return Some(cycle);
            }
            emptied = if is_asked { passed_on(emptied, &self.stages, cycle) } else { [false; 3] };
            cycle += 1;
        }
    }

    /// The jump to `mtvec`, in whose cycle the fetcher halts.
    fn interrupt(&mut self, word: &Word, cycle: Cycle) {
        if word.flushes {
            self.fetcher.flush(&self.front, cycle);
        }
        let pc = self.control.enter_trap(cycle, self.front.pc);
        let arrival = self.fetcher.restart(&self.stages, cycle + 1);
        self.front = Front { arrival, pc, behind_flush: None };
    }

    /// When a word that is fetched in vain leaves decode, if interrupts hold it there; at the latest
    /// behind cycle `flush`, in which it is removed.
    pub(super) fn held_in_vain<P: Ports + ?Sized>(
        &self,
        ports: &mut P,
        (stages, word): (&Stages, &Word),
        leaves: Cycle,
        flush: Cycle,
    ) -> Cycle {
        let mut cycle = leaves;
        while self.control.listens() && cycle <= flush && self.control.is_asked(ports, cycle) {
            cycle = stages.leaves_decode(cycle + 1, word);
        }
        cycle
    }
}

/// `pipelineLiberator_pcValids` behind a cycle.
fn passed_on([first, second, third]: [bool; 3], stages: &Stages, cycle: Cycle) -> [bool; 3] {
    let [execute, memory, write_back] = stages.stuck(cycle);
    [
        first || !execute,
        if memory { second } else { first },
        if write_back { third } else { second },
    ]
}
