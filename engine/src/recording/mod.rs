// SPDX-License-Identifier: Apache-2.0
//! What a run leaves for its wave. Hardware is simulated before its call comes to the clock, or behind
//! that, as the case may be: each call is recorded in its own cycles, and beside it when these began.
//! [`join`] makes one time line of all, once the program has ended.

mod call;
mod join;
mod lane;
mod spool;
mod system;

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

pub use self::call::CallRecorder;
pub use self::join::{JoinRequest, join};
use self::spool::{Block, Spool};
use self::system::System;
use crate::breakdown::Category;
use crate::error::Result;
use crate::model::{RtlModel, Shown};
use crate::wave::{Sampler, Signal, Track};

/// The number of a call that is recorded, in the order in which they come.
pub type Record = u64;

/// What is wanted of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// The calls.
    pub calls: Range<Record>,
    /// The simulated time.
    pub window_ps: Range<u64>,
}

/// A recording under way, shared by all who know what happens.
pub struct Recording {
    wanted: Wanted,
    state: Mutex<State>,
}

struct State {
    spool: Spool,
    system: System,
    next: Record,
    /// When the cycles of calls began that have not been recorded yet.
    begun: HashMap<Record, Begun>,
    /// Calls that were recorded before they have begun.
    early: HashSet<Record>,
    kernels: HashMap<usize, Free>,
}

/// What calls of a kernel that have ended leave to others.
type Free = Vec<(Sampler, Track)>;

/// When a call's first cycle began, and how long each is.
#[derive(Debug, Clone, Copy)]
struct Begun {
    time_ps: u64,
    clock_ps: u64,
}

/// A kernel whose calls are recorded.
#[derive(Debug, Serialize, Deserialize)]
struct KernelRow {
    kernel: usize,
    name: String,
    signals: Vec<SignalRow>,
}

/// What it shows.
#[derive(Debug, Serialize, Deserialize)]
struct SignalRow {
    name: String,
    scope: String,
    bits: u32,
}

impl SignalRow {
    fn of(shown: &Shown) -> Self {
        let Shown { name, scope, bits, .. } = shown.clone();
        Self { name, scope, bits }
    }
}

impl std::fmt::Debug for Recording {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Recording")
    }
}

impl Recording {
    /// One of a process, in a file that begins with `prefix`.
    ///
    /// # Errors
    /// [`crate::error::Status::BadArgument`] where that cannot be written, or is something else.
    pub fn new(prefix: &Path, process: u32, wanted: Wanted) -> Result<Self> {
        let state = State {
            spool: Spool::new(prefix, process)?,
            system: System::default(),
            next: 0,
            begun: HashMap::new(),
            early: HashSet::new(),
            kernels: HashMap::new(),
        };
        Ok(Self { wanted, state: Mutex::new(state) })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of the next call.
    pub fn number(&self) -> Record {
        let state = &mut *self.lock();
        let next = state.next;
        state.next += 1;
        next
    }

    /// The cycles of a call begin at a time, which may be still to come.
    pub fn begins(&self, record: Record, time_ps: u64, clock_ps: u64) {
        if !self.wanted.calls.contains(&record) {
            return;
        }
        let state = &mut *self.lock();
        if !state.early.remove(&record) {
            state.begun.insert(record, Begun { time_ps, clock_ps });
        }
        state.spool.begins(record, time_ps, clock_ps);
    }

    /// Who records the cycles of a call, if they are wanted: those that are not known to lie elsewhere.
    pub fn call(
        self: &Arc<Self>,
        record: Record,
        (kernel, name): (usize, &str),
        rtl: &dyn RtlModel,
    ) -> Option<CallRecorder> {
        if !self.wanted.calls.contains(&record) {
            return None;
        }
        let state = &mut *self.lock();
        let cycles = match state.begun.remove(&record) {
            Some(begun) => begun.cycles(&self.wanted.window_ps),
            None => {
                state.early.insert(record);
                0..u64::MAX
            }
        };
        if cycles.is_empty() {
            return None;
        }
        let (sampler, track) = state.free(kernel, name, rtl);
        Some(CallRecorder::new(Arc::clone(self), (record, kernel), (sampler, track), cycles))
    }

    /// A component begins something.
    pub fn activity(&self, time_ps: u64, component: (usize, &str), what: Doing) {
        self.seen(time_ps, |system, spool| system.begins(spool, time_ps, component, what));
    }

    /// It has done so.
    pub fn ended(&self, time_ps: u64, component: (usize, &str), what: Doing) {
        self.seen(time_ps, |system, spool| system.ends(spool, time_ps, component, what));
    }

    /// One call more is in flight, or one less.
    pub fn in_flight(&self, time_ps: u64, change: i32) {
        self.seen(time_ps, |system, spool| system.in_flight(spool, time_ps, change));
    }

    fn seen(&self, time_ps: u64, tell: impl FnOnce(&mut System, &mut Spool)) {
        if time_ps < self.wanted.window_ps.end {
            let State { system, spool, .. } = &mut *self.lock();
            tell(system, spool);
        }
    }

    /// Its file.
    pub fn path(&self) -> PathBuf {
        self.lock().spool.path().to_path_buf()
    }

    /// Writes what is not yet in the file.
    pub fn flush(&self) {
        self.lock().spool.flush();
    }
}

impl State {
    fn free(&mut self, kernel: usize, name: &str, rtl: &dyn RtlModel) -> (Sampler, Track) {
        let mut shown: Vec<_> = rtl.shown().iter().collect();
        shown.sort_by_key(|row| &row.scope);
        let spool = &mut self.spool;
        let free = self.kernels.entry(kernel).or_insert_with(|| {
            let signals = shown.iter().map(|row| SignalRow::of(row)).collect();
            spool.json(Block::Kernel, &KernelRow { kernel, name: name.to_string(), signals });
            Vec::new()
        });
        free.pop().unwrap_or_else(|| {
            let signals: Vec<_> =
                shown.iter().map(|row| Signal::new(&[], &row.name, row.bits)).collect();
            (Sampler::new(shown.into_iter(), 0), Track::new(&signals))
        })
    }
}

impl Begun {
    /// Those that lie in a window of time.
    fn cycles(self, window_ps: &Range<u64>) -> Range<u64> {
        let until = |time_ps: u64| time_ps.saturating_sub(self.time_ps);
        // The cycle in which the window begins is shown from there on.
        until(window_ps.start) / self.clock_ps..until(window_ps.end).div_ceil(self.clock_ps)
    }
}

/// What a component does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Doing {
    /// What for.
    pub category: Category,
    /// The index of the call.
    pub call: u64,
    /// What it moves.
    pub bytes: u64,
}
