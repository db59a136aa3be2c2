// SPDX-License-Identifier: Apache-2.0
//! Two cores on one program, side by side: every instruction that retires, with its cycle and what it
//! writes; every request at both ports, with its cycle; registers and memory at the end.

use std::collections::VecDeque;
use std::fmt::Write;

use super::board::Requests;
use super::{Core, Cycle, Observer, Retired, Stop};

pub use super::board::{Board, Waits};
pub use super::programs::random_program;

/// What a core has beyond RV32IM.
#[derive(Debug, Clone, Copy, Default)]
pub struct Features {
    /// Compressed instructions.
    pub compressed: bool,
    /// Control registers that count and may be read.
    pub counters: &'static [u32],
    /// Control registers that may be read and written.
    pub control: &'static [u32],
    /// Whether it has `fence.i`, and `mret`.
    pub flushes_instructions: bool,
    /// Whether it has a data cache, and an instruction that empties it.
    pub flushes_data: bool,
    /// Whether a handler of interrupts is there.
    pub interrupts: bool,
}

/// Cycles of one step. The two take different ones, since where a run stops must make no difference.
const STEPS: [Cycle; 2] = [977, 1000];
/// Instructions that are told before a difference.
const TOLD: usize = 10;
/// Cycles in which all that was written before the end of a program has arrived.
const SETTLING_CYCLES: Cycle = 4000;

/// What a comparison has come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compared {
    /// Instructions that retired on both.
    pub instructions: u64,
    /// The cycle in which the first core was at the end.
    pub cycles: Cycle,
    /// Whether the program came to an end: a jump to itself, or a trap.
    pub ended: bool,
    /// The first difference, with both sides and what came before it; empty if there is none.
    pub difference: String,
    /// What the first core's last step has ended with.
    pub stop: Stop,
}

/// One of the two.
struct Side<'a, C> {
    core: &'a mut C,
    board: Board,
    retired: Retirements,
    stop: Stop,
}

#[derive(Default)]
struct Retirements(VecDeque<Retired>);

impl Observer for Retirements {
    fn retired(&mut self, retired: Retired) {
        self.0.push_back(retired);
    }
}

/// Runs both from cycle 0, at most to cycle `limit`. `memory`: the words from address 0.
pub fn compare<A: Core, B: Core>(
    cores: (&mut A, &mut B),
    memory: &[u32],
    waits: Waits,
    limit: Cycle,
) -> Compared {
    let mut pair = Pair::new(cores, memory, waits);
    let difference = pair.run(limit).err().unwrap_or_default();
    let difference = if difference.is_empty() { difference } else { pair.told(&difference) };
    Compared {
        instructions: pair.instructions,
        cycles: pair.first.core.cycle(),
        ended: pair.end.is_some(),
        difference,
        stop: pair.first.stop,
    }
}

struct Pair<'a, A, B> {
    first: Side<'a, A>,
    second: Side<'a, B>,
    instructions: u64,
    last: VecDeque<Retired>,
    /// The cycle in which the program has jumped to itself.
    end: Option<Cycle>,
}

impl<'a, C: Core> Side<'a, C> {
    fn new(core: &'a mut C, memory: &[u32], waits: Waits) -> Self {
        let board = Board::new(memory.to_vec(), waits, true);
        Self { core, board, retired: Retirements::default(), stop: Stop::Reached }
    }

    fn run(&mut self, until: Cycle) {
        self.stop = self.core.run(&mut self.board, until, &mut self.retired);
    }
}

impl<'a, A: Core, B: Core> Pair<'a, A, B> {
    fn new((first, second): (&'a mut A, &'a mut B), memory: &[u32], waits: Waits) -> Self {
        let first = Side::new(first, memory, waits);
        let second = Side::new(second, memory, waits);
        Self { first, second, instructions: 0, last: VecDeque::new(), end: None }
    }

    /// The first difference as an error.
    fn run(&mut self, limit: Cycle) -> Result<(), String> {
        let mut step = 0;
        loop {
            step += 1;
            self.first.run((step * STEPS[0]).min(limit));
            self.second.run((step * STEPS[1]).min(limit));
            let alike = self.compare_retired();
            compare_requests(
                "fetch",
                &mut self.first.board.fetches,
                &mut self.second.board.fetches,
            )?;
            let accesses = (&mut self.first.board.accesses, &mut self.second.board.accesses);
            compare_requests("access", accesses.0, accesses.1)?;
            alike?;
            let traps = (self.first.stop != Stop::Reached, self.second.stop != Stop::Reached);
            let is_over = self.end.is_some_and(|end| {
                let end = end.max(self.first.board.interrupts_until());
                step * STEPS[0] > end + SETTLING_CYCLES
            });
            if traps == (true, true) {
                self.end = Some(self.first.core.cycle());
                return self.compare_stops();
            }
            if is_over {
                return self.compare_contents();
            }
            if step * STEPS[0] > limit + SETTLING_CYCLES {
                return match traps {
                    (false, false) => Ok(()),
                    _ => self.compare_stops(),
                };
            }
        }
    }

    fn compare_retired(&mut self) -> Result<(), String> {
        let sides = (&mut self.first.retired.0, &mut self.second.retired.0);
        let count = sides.0.len().min(sides.1.len());
        for (first, second) in sides.0.drain(..count).zip(sides.1.drain(..count)) {
            if first != second {
                return Err(format!("retired {}, but {}", shown(&first), shown(&second)));
            }
            self.instructions += 1;
            let again = self.last.back().is_some_and(|last| last.pc == first.pc);
            if again && self.end.is_none() {
                self.end = Some(first.cycle);
            }
            if self.last.len() == TOLD {
                self.last.pop_front();
            }
            self.last.push_back(first);
        }
        Ok(())
    }

    fn compare_stops(&mut self) -> Result<(), String> {
        if self.first.stop != self.second.stop {
            return Err(format!("{:?}, but {:?}", self.first.stop, self.second.stop));
        }
        for side in [&mut self.first.board, &mut self.second.board] {
            side.forget_behind(self.end.unwrap_or(Cycle::MAX));
        }
        let (first, second) = (&self.first, &self.second);
        let left = |side: &Retirements, board: &Board| {
            (side.0.clone(), board.fetches.clone(), board.accesses.clone())
        };
        let both = (left(&first.retired, &first.board), left(&second.retired, &second.board));
        if both.0 != both.1 {
            return Err(format!("before the end {:x?}, but {:x?}", both.0, both.1));
        }
        match self.is_settled() {
            true => self.compare_contents(),
            false => Ok(()),
        }
    }

    /// Whether nothing is under way behind the end: what a model has handed to the bus already.
    fn is_settled(&self) -> bool {
        self.first.board.is_settled && self.second.board.is_settled
    }

    fn compare_contents(&mut self) -> Result<(), String> {
        let registers = (self.first.core.registers(), self.second.core.registers());
        if registers.0 != registers.1 {
            return Err(format!("registers {:x?}, but {:x?}", registers.0, registers.1));
        }
        match self.first.board.contents() == self.second.board.contents() {
            true => Ok(()),
            false => Err("memory differs".to_string()),
        }
    }

    fn told(&self, difference: &str) -> String {
        let mut text = format!("instruction {}: {difference}", self.instructions);
        for retired in &self.last {
            let word = self.word(retired.pc);
            let _ = write!(text, "\n  before: {} word {word:08x}", shown(retired));
        }
        let pc = self.last.back().map_or(0, |last| last.pc.wrapping_add(4));
        for pc in [pc, pc.wrapping_add(4), pc.wrapping_add(8)] {
            let _ = write!(text, "\n  behind: pc {pc:08x} word {:08x}", self.word(pc));
        }
        text
    }
}

impl<A: Core, B: Core> Pair<'_, A, B> {
    fn word(&self, address: u32) -> u32 {
        let memory = self.first.board.contents().0;
        memory.get((address / 4) as usize).copied().unwrap_or_default()
    }
}

fn compare_requests(what: &str, first: &mut Requests, second: &mut Requests) -> Result<(), String> {
    let count = first.len().min(second.len());
    for (first, second) in first.drain(..count).zip(second.drain(..count)) {
        if first != second {
            return Err(format!("{what} {first:x?}, but {second:x?}"));
        }
    }
    Ok(())
}

fn shown(retired: &Retired) -> String {
    let Retired { cycle, pc, register, value } = retired;
    format!("pc {pc:08x} in cycle {cycle}, x{register} = {value:08x}")
}
