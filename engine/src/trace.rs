// SPDX-License-Identifier: Apache-2.0
//! What happened on the simulated clock: components being busy, for whom and with what. Totals are
//! exact however long the run; of the spans themselves the first [`KEPT_SPANS`] are kept.

pub mod span_file;

use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

use serde::{Serialize, Serializer};

use crate::breakdown::{Attribution, Breakdown, Category};
use crate::model::loop_times::LoopTimes;
use crate::recording::{Doing, Record, Recording};
use crate::simulation::Clock;
use crate::trace::span_file::SpanFile;

/// How many spans a report shows; later ones are counted.
pub const KEPT_SPANS: usize = 10_000;

/// A component being busy with one thing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Span {
    /// The component's name.
    pub component: Name,
    /// What the time was spent on.
    pub category: Category,
    /// Simulated time of its begin.
    pub start_ps: u64,
    /// Simulated time of its end.
    pub end_ps: u64,
    /// Bytes moved, 0 where none are.
    pub bytes: u64,
    /// The part of the duration that does not grow with bytes.
    pub fixed_ps: u64,
    /// Index of the call, from 0.
    pub call: u64,
}

/// A loop of a call, as a file of spans has it: it is part of the span of the kernel.
#[derive(Debug, Serialize)]
struct LoopSpan<'a> {
    component: &'a str,
    category: &'static str,
    start_ps: u64,
    end_ps: u64,
    bytes: u64,
    fixed_ps: u64,
    call: u64,
}

/// A component's name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Name(Rc<str>);

impl Name {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Serialize for Name {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

/// How long a component was busy with anything.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Busy {
    /// The component.
    pub component: Name,
    /// The time, that of several things at once counted once.
    pub busy_ps: u64,
    #[serde(skip)]
    active: u32,
    #[serde(skip)]
    since_ps: u64,
}

/// The spans of a run and their fold.
#[derive(Debug, Default)]
pub struct Trace {
    /// The first [`KEPT_SPANS`] spans, in the order of their ends.
    pub spans: Vec<Span>,
    /// How many spans were counted but not kept.
    pub dropped: u64,
    /// Where all spans go, if anybody wants them.
    pub file: Option<SpanFile>,
    /// Where what components do is recorded for a wave, if it is.
    pub recording: Option<Arc<Recording>>,
    attribution: Attribution,
    components: Vec<Busy>,
}

/// A component's place in a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ComponentId(usize);

/// A piece of a component's time, before it is known when.
#[derive(Debug, Clone, Copy)]
pub struct Work {
    /// What the time is booked on.
    pub category: Category,
    /// How long it takes.
    pub duration_ps: u64,
    /// The part of the duration that does not grow with bytes; it comes first.
    pub fixed_ps: u64,
    /// Bytes that the work moves.
    pub bytes: u64,
}

impl Work {
    /// Work whose duration does not depend on data.
    pub fn fixed(category: Category, duration_ps: u64) -> Self {
        Self { category, duration_ps, fixed_ps: duration_ps, bytes: 0 }
    }

    /// Work at a rate.
    pub fn moving(category: Category, bytes: u64, bytes_per_s: u64) -> Self {
        Self { category, duration_ps: transfer_ps(bytes, bytes_per_s), fixed_ps: 0, bytes }
    }
}

/// How long `bytes` take at a rate, rounded up to a picosecond.
pub fn transfer_ps(bytes: u64, bytes_per_s: u64) -> u64 {
    const PS_PER_S: u128 = 1_000_000_000_000;
    let ps = (u128::from(bytes) * PS_PER_S).div_ceil(u128::from(bytes_per_s.max(1)));
    u64::try_from(ps).unwrap_or(u64::MAX)
}

/// A trace so far, to look at while it grows.
#[derive(Debug, Clone, Default)]
pub struct Happened {
    /// Where the time went.
    pub breakdown: Breakdown,
    /// How long each component was busy.
    pub components: Vec<Busy>,
    /// The first spans.
    pub spans: Vec<Span>,
    /// How many more there were.
    pub dropped: u64,
    /// The file that has all of them.
    pub file: Option<PathBuf>,
}

impl Trace {
    /// What has happened until `now_ps`.
    pub fn happened(&self, now_ps: u64) -> Happened {
        Happened {
            breakdown: self.breakdown(now_ps),
            components: self.components.clone(),
            spans: self.spans.clone(),
            dropped: self.dropped,
            file: self.file.as_ref().map(|file| file.path().to_path_buf()),
        }
    }

    /// Forgets what has happened until now, when nothing is under way.
    pub fn forget(&mut self) {
        let components = self.components.drain(..);
        let components = components.map(|busy| Busy { busy_ps: 0, ..busy }).collect();
        *self = Self { components, ..Self::default() };
    }

    /// Where the time of a run that has come to `now_ps` went.
    pub fn breakdown(&self, now_ps: u64) -> Breakdown {
        self.attribution.at(now_ps)
    }

    /// Every component, and how long it was busy.
    pub fn components(&self) -> &[Busy] {
        &self.components
    }

    /// One call more is in flight, or one less.
    fn in_flight(&mut self, now_ps: u64, change: i32) {
        match change {
            1 => self.attribution.begin_call(now_ps),
            _ => self.attribution.end_call(now_ps),
        }
        if let Some(recording) = &self.recording {
            recording.in_flight(now_ps, change);
        }
    }

    fn keep(&mut self, span: Span) {
        if span.start_ps == span.end_ps {
            return;
        }
        if let Some(file) = &mut self.file {
            file.add(&span);
        }
        if self.spans.len() < KEPT_SPANS {
            self.spans.push(span);
        } else {
            self.dropped += 1;
        }
    }
}

/// Where processes book their time. Clones write into one trace.
#[derive(Clone, Default)]
pub struct Recorder {
    clock: Clock,
    trace: Rc<RefCell<Trace>>,
}

impl Recorder {
    /// A new trace of what happens on a clock.
    pub fn new(clock: &Clock) -> Self {
        Self { clock: clock.clone(), trace: Rc::default() }
    }

    /// The clock.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Looks at the trace.
    pub fn with<T>(&self, look: impl FnOnce(&mut Trace) -> T) -> T {
        look(&mut self.trace.borrow_mut())
    }

    /// Adds a component.
    pub fn component(&self, name: &str) -> ComponentId {
        self.with(|trace| {
            let component = Name(name.into());
            trace.components.push(Busy { component, busy_ps: 0, active: 0, since_ps: 0 });
            ComponentId(trace.components.len() - 1)
        })
    }

    /// A call is in flight, until dropped: what is nobody's time meanwhile is waiting.
    #[must_use]
    pub fn in_flight(&self) -> InFlight<'_> {
        self.with(|trace| trace.in_flight(self.clock.now_ps(), 1));
        InFlight(self)
    }

    /// The cycles of a kernel's call begin so long from now.
    pub fn cycles_begin(&self, record: Option<Record>, after_ps: u64, clock_ps: u64) {
        let Some(record) = record else { return };
        let time_ps = self.clock.now_ps().saturating_add(after_ps);
        self.with(|trace| {
            if let Some(recording) = &trace.recording {
                recording.begins(record, time_ps, clock_ps);
            }
        });
    }

    /// The cycles of a call that ran as its schedule has it have ended now: where all spans are kept,
    /// its loops are.
    pub fn loops(&self, call: u64, (cycles, clock_ps): (u64, u64), times: &LoopTimes) {
        let begin_ps = self.clock.now_ps().saturating_sub(cycles * clock_ps);
        let at = |cycle: u64| begin_ps + cycle * clock_ps;
        let more = format!("{} times more that loops are entered", times.more);
        let span = |component, begin, end| LoopSpan {
            component,
            category: "loop",
            start_ps: at(begin),
            end_ps: at(end),
            bytes: 0,
            fixed_ps: 0,
            call,
        };
        self.with(|trace| {
            let Some(file) = &mut trace.file else { return };
            for &[number, begin, end] in &times.rows {
                file.add(&span(&times.names[number as usize], begin, end));
            }
            if let (1.., Some(&[_, _, end])) = (times.more, times.rows.last()) {
                file.add(&span(&more, end, cycles));
            }
        });
    }

    /// Spends the time of `work`. A process that is cancelled meanwhile has spent what has passed.
    pub async fn spend(&self, component: ComponentId, call: u64, work: Work) {
        if work.duration_ps == 0 {
            return;
        }
        let mut activity = self.begin(component, call, work);
        if work.fixed_ps > 0 {
            self.clock.sleep(work.fixed_ps).await;
        }
        if work.fixed_ps < work.duration_ps {
            activity.moves();
            self.clock.sleep(work.duration_ps - work.fixed_ps).await;
        }
    }

    /// Begins an activity whose end is not known yet; `work` has its bytes, not its duration.
    #[must_use]
    pub fn begin(&self, component: ComponentId, call: u64, work: Work) -> Activity<'_> {
        let start_ps = self.clock.now_ps();
        let is_fixed = work.fixed_ps > 0;
        self.with(|trace| {
            trace.attribution.begin(start_ps, work.category, is_fixed);
            let busy = &mut trace.components[component.0];
            if busy.active == 0 {
                busy.since_ps = start_ps;
            }
            busy.active += 1;
            if let Some(recording) = &trace.recording {
                let what = Doing { category: work.category, call, bytes: work.bytes };
                recording.activity(start_ps, (component.0, busy.component.as_str()), what);
            }
        });
        Activity { recorder: self, component, call, work, start_ps, is_fixed, fixed_ps: 0 }
    }
}

/// A call in flight, until dropped.
pub struct InFlight<'a>(&'a Recorder);

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        let now_ps = self.0.clock.now_ps();
        self.0.with(|trace| trace.in_flight(now_ps, -1));
    }
}

/// A component being busy, until dropped.
pub struct Activity<'a> {
    recorder: &'a Recorder,
    component: ComponentId,
    call: u64,
    work: Work,
    start_ps: u64,
    is_fixed: bool,
    fixed_ps: u64,
}

impl Activity<'_> {
    /// From now on it is a matter of bytes.
    pub fn moves(&mut self) {
        if self.is_fixed {
            self.is_fixed = false;
            let now_ps = self.recorder.clock.now_ps();
            self.fixed_ps = now_ps - self.start_ps;
            let category = self.work.category;
            self.recorder.with(|trace| trace.attribution.moves(now_ps, category));
        }
    }
}

impl Drop for Activity<'_> {
    fn drop(&mut self) {
        let end_ps = self.recorder.clock.now_ps();
        let fixed_ps = if self.is_fixed { end_ps - self.start_ps } else { self.fixed_ps };
        let Work { category, bytes, .. } = self.work;
        self.recorder.with(|trace| {
            trace.attribution.end(end_ps, category, self.is_fixed);
            let busy = &mut trace.components[self.component.0];
            busy.active -= 1;
            if busy.active == 0 {
                busy.busy_ps += end_ps - busy.since_ps;
            }
            let component = busy.component.clone();
            let (start_ps, call) = (self.start_ps, self.call);
            if let Some(recording) = &trace.recording {
                let what = Doing { category, call, bytes };
                recording.ended(end_ps, (self.component.0, component.as_str()), what);
            }
            trace.keep(Span { component, category, start_ps, end_ps, bytes, fixed_ps, call });
        });
    }
}
