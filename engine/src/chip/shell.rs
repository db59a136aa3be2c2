// SPDX-License-Identifier: Apache-2.0
//! What is around a kernel on a chip's bus: three registers, by which the processor gives it its
//! arguments word by word, starts it, sees when it is done, and takes what it has written. The
//! kernel's hardware runs behind it cycle by cycle. docs/chips.md has the registers, and the Verilog
//! that takes the same cycles.

use std::collections::VecDeque;
use std::ffi::c_void;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::bus::Device;
use super::settings::SHELL_BYTES;
use super::wave::Probe;
use crate::cores::Cycle;
use crate::error::Result;
use crate::harness::Harness;
use crate::host::block::Block;
use crate::model::{Activity, Progress, RtlModel, RtlObject, Shown};

/// Write: an instruction; read: [`DONE`].
pub const CONTROL: u32 = 0;
/// Write: the next word of the argument that was chosen last.
pub const DATA_IN: u32 = 4;
/// Read: the same.
pub const DATA_OUT: u32 = 8;
/// Of a ring of descriptors alone, write: its address, and how many there are more; read: how many are
/// left.
pub const RING: u32 = 12;

/// The instruction that chooses an argument, whose number is in bits 8 to 15; words begin with its
/// first.
pub const CHOOSE: u32 = 1;
/// The instruction that starts the kernel; with [`INTERRUPTS`], its end raises the shell's line.
pub const START: u32 = 2;
/// Of [`START`].
const INTERRUPTS: u32 = 1 << 8;
/// What [`CONTROL`] reads as while the kernel does not run.
const DONE: u32 = 1;
const WORD: usize = 4;

/// What an argument is to the shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Steady while the kernel runs.
    Value,
    /// There when it is done.
    Result,
    /// An array that it accesses in any order.
    Memory,
    /// The same, of which it writes nothing.
    MemoryIn,
    /// An array of which it takes a record after the other.
    StreamIn,
    /// One to which it gives them.
    StreamOut,
}

impl Role {
    /// Whether the kernel writes it.
    fn is_written(self) -> bool {
        matches!(self, Self::Result | Self::Memory | Self::StreamOut)
    }
}

/// An argument, as the shell holds it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    /// What it is.
    pub role: Role,
    /// How much the shell has room for.
    pub bytes: u64,
}

/// When a kernel has begun and ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Computed {
    /// The cycle with `start`.
    pub started: Cycle,
    /// The first one behind that with `done`.
    pub ended: Cycle,
}

/// The line by which a shell interrupts: high while nothing has read [`CONTROL`] since a kernel that
/// was started so has ended. A core asks for it in cycles that were, too.
#[derive(Debug, Default)]
struct Line {
    /// Whether the end of what was started last raises it.
    is_asked: bool,
    /// In which cycles it was high: the last ones, from the first to that behind the last.
    high: VecDeque<Range<Cycle>>,
}

/// How many of them are kept: a core's RTL is some instructions behind its model.
const KEPT_HIGH: usize = 8;

impl Line {
    /// `rises`: when it would, if nothing has read [`CONTROL`].
    fn is_high(&self, at: Cycle, rises: Option<Cycle>) -> bool {
        let now = rises.filter(|_| self.is_asked).is_some_and(|rises| rises <= at);
        now || self.high.iter().any(|cycles| cycles.contains(&at))
    }

    /// Nobody waits for it from behind a cycle on.
    fn falls(&mut self, at: Cycle, rises: Option<Cycle>) {
        if !std::mem::take(&mut self.is_asked) {
            return;
        }
        if let Some(rises) = rises {
            self.high.push_back(rises..at + 1);
            if self.high.len() > KEPT_HIGH {
                self.high.pop_front();
            }
        }
    }
}

/// A kernel and what is around it.
pub struct Shell {
    model: RtlObject,
    state: Block,
    harness: Option<Harness<'static>>,
    arguments: Vec<Held>,
    /// The arguments' bytes, in words of 8 so that they are aligned for any record.
    data: Vec<Vec<u64>>,
    /// Words that were written since an argument was chosen.
    loaded: Vec<usize>,
    chosen: usize,
    word: usize,
    /// The cycles before this one have happened.
    now: Cycle,
    computed: Computed,
    line: Line,
    /// Who looks at the kernel, if anybody.
    probe: Option<Probe>,
    /// Why its kernel has stopped, if that is not because it is done.
    pub fault: Option<String>,
}

/// The register at an address, which is that of a word.
pub fn register(address: u32) -> u32 {
    address & (SHELL_BYTES as u32 - 1) & !3
}

impl Device for Shell {
    fn has(&self, address: u32, is_write: bool) -> bool {
        match register(address) {
            CONTROL => true,
            DATA_IN => is_write,
            DATA_OUT => !is_write,
            _ => false,
        }
    }

    fn access(&mut self, at: Cycle, address: u32, written: Option<u32>) -> u32 {
        self.advance(at);
        let register = register(address);
        match written {
            Some(word) => self.write(at, register, word),
            None => return self.read(at, register),
        }
        0
    }

    fn is_busy(&mut self, at: Cycle) -> bool {
        self.advance(at);
        self.is_running()
    }
}

impl Shell {
    /// A shell with a kernel that rests.
    pub fn new(model: RtlObject, arguments: Vec<Held>) -> Self {
        let room = |held: &Held| vec![0; held.bytes.div_ceil(8) as usize + 1];
        Self {
            model,
            state: Block::default(),
            harness: None,
            data: arguments.iter().map(room).collect(),
            loaded: vec![0; arguments.len()],
            arguments,
            chosen: 0,
            word: 0,
            now: 0,
            computed: Computed::default(),
            line: Line::default(),
            probe: None,
            fault: None,
        }
    }

    /// Whether the kernel runs.
    pub fn is_running(&self) -> bool {
        self.harness.is_some()
    }

    /// When the kernel ran last.
    pub fn computed(&self) -> Computed {
        self.computed
    }

    /// What has toggled in its kernel, in calls that have ended.
    pub fn activity(&self) -> Option<Activity> {
        self.model.activity()
    }

    /// What of its kernel has names.
    pub fn shown(&self) -> &[Shown] {
        self.model.shown()
    }

    /// Has its kernel looked at from now on.
    pub fn watch(&mut self, probe: Probe) {
        self.probe = Some(probe);
    }

    /// Shows what its kernel does in a cycle.
    pub fn show_state(&mut self, at: Cycle) {
        let is_running = self.is_running();
        if let Some(probe) = &mut self.probe {
            probe.rests(at, is_running);
        }
    }

    /// Has it not looked at any more.
    pub fn forget_probe(&mut self) {
        self.probe = None;
    }

    /// Who looks at it.
    pub fn probe(&mut self) -> Option<&mut Probe> {
        self.probe.as_mut()
    }

    /// Lets all happen that does before a cycle.
    pub fn advance(&mut self, at: Cycle) {
        let from = self.now.max(self.computed.started);
        self.now = self.now.max(at);
        let Some(harness) = &mut self.harness else { return };
        let (cycles, started) = (at.saturating_sub(from), self.computed.started);
        let progress = match &mut self.probe {
            // SAFETY: what the harness was made with stays as it is while it is there.
            None => unsafe { harness.run(cycles) },
            // SAFETY: the same; the probe was made for this model.
            Some(probe) => unsafe {
                harness.run_watched(cycles, |cycle, state| {
                    probe.sample(started + cycle, cycle == 0, state);
                })
            },
        };
        match progress {
            Progress::Running | Progress::Waiting => return,
            Progress::Done => {
                self.computed.ended = started + harness.cycles();
                if let Some(probe) = &mut self.probe {
                    probe.ended(self.computed.ended);
                }
            }
            Progress::OutOfBounds => {
                self.fault = Some("the kernel left the arrays that its shell holds".to_string());
            }
        }
        self.harness = None;
    }

    /// Whether its line is high in a cycle.
    pub fn interrupts(&self, at: Cycle) -> bool {
        self.line.is_high(at, self.rises())
    }

    /// The first cycle in which the kernel does not run any more.
    fn rises(&self) -> Option<Cycle> {
        (!self.is_running()).then_some(self.computed.ended)
    }

    fn read(&mut self, at: Cycle, register: u32) -> u32 {
        if register == CONTROL {
            self.line.falls(at, self.rises());
        }
        match register {
            CONTROL if !self.is_running() => DONE,
            DATA_OUT if !self.is_running() => self.next_out(),
            _ => 0,
        }
    }

    fn write(&mut self, at: Cycle, register: u32, word: u32) {
        match (register, word & 0xff) {
            // The kernel has its arguments to itself.
            _ if self.is_running() => {}
            (CONTROL, CHOOSE) => self.choose((word >> 8 & 0xff) as usize),
            (CONTROL, START) => {
                self.line.falls(at, self.rises());
                self.line.is_asked = word & INTERRUPTS != 0;
                self.start(at + 1);
            }
            (DATA_IN, _) => self.next_in(word),
            _ => {}
        }
    }

    fn choose(&mut self, argument: usize) {
        (self.chosen, self.word) = (argument, 0);
        if let Some(loaded) = self.loaded.get_mut(argument) {
            *loaded = 0;
        }
    }

    /// The next word's place in the chosen argument; behind its end there is nothing.
    fn next(&mut self) -> Option<(&Held, &mut u64, usize)> {
        let place = self.word;
        self.word += 1;
        let held = self.arguments.get(self.chosen)?;
        if place >= held.bytes.div_ceil(WORD as u64) as usize {
            return None;
        }
        let half = self.data.get_mut(self.chosen)?.get_mut(place / 2)?;
        Some((held, half, 32 * (place % 2)))
    }

    fn next_in(&mut self, word: u32) {
        if let Some((_, half, shift)) = self.next() {
            *half = *half & !(0xffff_ffff << shift) | u64::from(word) << shift;
            self.loaded[self.chosen] = self.word;
        }
    }

    fn next_out(&mut self) -> u32 {
        match self.next() {
            Some((held, half, shift)) if held.role.is_written() => (*half >> shift) as u32,
            _ => 0,
        }
    }

    /// `cycle` is the one in which `start` is high.
    fn start(&mut self, cycle: Cycle) {
        self.computed = Computed { started: cycle, ended: cycle };
        match self.begin() {
            Ok(harness) => self.harness = Some(harness),
            Err(error) => self.fault = Some(error.message),
        }
    }

    fn begin(&mut self) -> Result<Harness<'static>> {
        let data: Vec<_> = self.data.iter_mut().map(|d| d.as_mut_ptr().cast::<c_void>()).collect();
        let held = self.arguments.iter().zip(&self.loaded);
        let bytes: Vec<_> = held
            .map(|(held, &words)| match held.role {
                Role::StreamIn => held.bytes.min((words * WORD) as u64),
                _ => held.bytes,
            })
            .collect();
        let intervals = vec![1; data.len()];
        // SAFETY: `state` and `data` live as long as this shell, which moves neither while the
        // harness is there.
        unsafe {
            let state = self.state.reserve_zeroed(self.model.state_bytes())?.cast();
            Harness::new(&self.model, state, (&data, &bytes), &intervals)
        }
    }
}
