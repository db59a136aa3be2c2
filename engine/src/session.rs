// SPDX-License-Identifier: Apache-2.0
//! A run: its mode and platform, the kernels it has opened, what is on the device, and the tally.

pub(crate) mod batches;
mod booking;
pub mod chains;
pub mod costs;
pub mod events;
mod in_flight;
mod in_use;
mod jobs;
mod kernels;
pub mod latencies;
pub mod observations;
pub mod report;
mod reporting;
pub mod settings;
mod unmet;

use std::collections::{BTreeMap, HashMap};
use std::ffi::c_void;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use crate::call::execute::Memories;
use crate::call::mode::{HardwareClock, Mode};
use crate::call::software::Software;
use crate::call::{Call, KernelIndex, Way};
use crate::components::controller::ControllerSettings;
use crate::error::{Error, Result, Status};
use crate::job::stepping::Stepping;
use crate::machine::{Machine, QueueId};
use crate::model::Part;
use crate::package::{Kind, Parameter};
use crate::platform::{Memory, Platform};
use crate::recording::Recording;
use crate::session::batches::{Batches, Lost};
use crate::session::chains::{Chained, Writers};
use crate::session::events::{Event, Pending};
use crate::session::observations::{ArgumentTally, FifoTally};
use crate::session::report::Tally;
use crate::session::settings::{Settings, WaveSettings};
use crate::trace::span_file::SpanFile;

use self::in_flight::{CLOCK_END_PS, clock_end};
use self::in_use::InUse;
use self::jobs::{Staying, Variables, job};
use self::kernels::Opened;

/// How many runs there were.
static RUNS: AtomicU64 = AtomicU64::new(0);

/// Where in the program a package's files are; they outlive every call, so that this names them.
pub type PackageKey = Vec<(usize, usize)>;

/// The state of a run.
pub struct Session {
    mode: Mode,
    /// What tells the time in simulate mode.
    pub clock: HardwareClock,
    machine: Option<Machine>,
    /// The memory that a call has, unless the mode is native.
    memory: Option<Memory>,
    /// Hardware of calls that the program goes on beside, in the order in which they came.
    stepping: Vec<Stepping>,
    fault: Option<Error>,
    report_path: Option<PathBuf>,
    reported: Option<Instant>,
    show_progress: bool,
    baseline_runs: u32,
    kernels: Vec<Opened>,
    indices: HashMap<PackageKey, KernelIndex>,
    /// The one called last.
    last: Option<(PackageKey, KernelIndex)>,
    memories: Vec<Memories>,
    /// What of the program's own stays in the devices' memory.
    variables: Variables,
    next_call: u64,
    /// What the last calls have written.
    writers: Writers,
    batches: Batches,
    tally: Tally,
    /// What was submitted and not waited for.
    in_flight: BTreeMap<Event, Pending>,
    /// Of the program's memory, what that uses in each queue.
    in_use: InUse<QueueId>,
    next_event: Event,
    /// What kernels' and events' numbers begin with, so that those of another run are none of this.
    first_number: u64,
    /// What is kept of it for a wave, if anything is.
    recording: Option<Arc<Recording>>,
    /// Since when the program is on its own, where that counts.
    on_its_own: Option<Instant>,
}

impl Session {
    /// A run in a mode, on a platform unless the mode is native.
    pub fn new(mode: Mode, platform: Option<Platform>) -> Self {
        Self {
            mode,
            clock: HardwareClock::Scheduled,
            memory: platform.as_ref().map(Platform::least_memory),
            machine: platform.map(Machine::new),
            stepping: Vec::new(),
            fault: None,
            report_path: None,
            reported: None,
            show_progress: false,
            baseline_runs: 1,
            kernels: Vec::new(),
            indices: HashMap::new(),
            last: None,
            memories: Vec::new(),
            variables: Variables::default(),
            next_call: 0,
            writers: Writers::default(),
            batches: Batches::default(),
            tally: Tally::default(),
            in_flight: BTreeMap::new(),
            in_use: InUse::default(),
            next_event: 0,
            first_number: RUNS.fetch_add(1, Ordering::Relaxed) << 32,
            recording: None,
            on_its_own: None,
        }
    }

    /// The run that the environment asks for. If it asks for something impossible, every call
    /// fails with that, and so says the report.
    pub fn from_environment() -> Self {
        Self::from_settings(Settings::from_environment())
    }

    /// A run that the program asks for; the environment says where its report goes.
    pub fn reserve(mode: Mode, platform: Option<Platform>) -> Self {
        Self::from_settings(Settings::of(mode, platform))
    }

    fn from_settings(settings: Settings) -> Self {
        let mut session = Self::new(settings.mode, settings.platform);
        session.fault = settings.fault;
        session.clock = settings.clock;
        session.report_path = settings.report_path;
        session.show_progress = settings.show_progress;
        session.baseline_runs = settings.baseline_runs;
        if let (Some(machine), Some(prefix)) = (&session.machine, settings.spans_prefix) {
            match SpanFile::new(&prefix, std::process::id()) {
                Ok(file) => machine.with_trace(|trace| trace.file = Some(file)),
                Err(error) => _ = session.fault.get_or_insert(error),
            }
        }
        session.recorded(settings.wave);
        session
    }

    /// Has it recorded, if that is wanted.
    fn recorded(&mut self, asked: Option<WaveSettings>) {
        let (Some(machine), Some(asked)) = (&self.machine, asked) else { return };
        match Recording::new(&asked.prefix, std::process::id(), asked.wanted) {
            Ok(recording) => {
                let recording = Arc::new(recording);
                self.recording = Some(Arc::clone(&recording));
                machine.with_trace(|trace| trace.recording = Some(recording));
            }
            Err(error) => _ = self.fault.get_or_insert(error),
        }
    }

    /// How kernels run.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// What has been counted.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    fn controller(&self) -> Option<&ControllerSettings> {
        self.machine.as_ref()?.platform.controller.as_ref()
    }

    /// Whether the program goes on before calls that it makes by itself have ended on the clock.
    pub fn has_batches(&self) -> bool {
        self.machine.as_ref().is_some_and(|machine| !machine.platform.batch.is_none())
    }

    /// Memory for the device of one call, used ones first. The call counts as begun.
    pub fn begin(&mut self) -> Memories {
        self.tally.unfinished_calls += 1;
        self.memories.pop().unwrap_or_default()
    }

    /// Lets a call that has its values happen on the simulated clock, or has it wait until its batch
    /// is complete.
    ///
    /// # Errors
    /// [`Status::DeviceFailed`], of the call or of a batch that has ended since.
    pub fn elapse(&mut self, call: &mut Call) -> Result<()> {
        self.variables.learn(call);
        let Some(machine) = &mut self.machine else { return Ok(()) };
        let staying = Staying { variables: &self.variables, platform: &machine.platform };
        let asked = job(call, self.next_call, staying);
        let (Some(mut job), Way::Device(device)) = (asked, &mut call.way) else {
            return self.bring_home(call);
        };
        self.next_call += 1;
        self.tally.streamed_calls += u64::from(job.course.is_some());
        let is_alone = machine.platform.batch.is_none();
        job.hardware = device.to_step();
        self.tally.stepped_calls += u64::from(job.hardware.is_some());
        self.stepping.extend(job.hardware.clone().filter(|_| call.ready.goes_on));
        let passed = self.batches.pass(machine, machine.platform.software.program_time_ps);
        let happened = passed.and_then(|()| match is_alone {
            true => self.batches.alone(machine, &job).map(|ended| device.ended = ended),
            false => self.batches.arrive(machine, job),
        });
        let is_over = machine.now_ps() == CLOCK_END_PS;
        self.count_waited();
        happened.map_err(|lost| self.told(&lost))?;
        // What differs is an earlier call's: the next one is told.
        let _ = self.compare_stepped();
        if is_over { Err(clock_end()) } else { Ok(()) }
    }

    /// Books what hardware has done that has come to its end since, while the program went on. Where that
    /// was wrong, no call is made any more.
    ///
    /// # Errors
    /// What differs, of the first one.
    pub(super) fn compare_stepped(&mut self) -> Result<()> {
        let back: Vec<_> = self.stepping.extract_if(.., |it| it.is_back()).collect();
        self.stepping.retain(|it| !it.is_given_up());
        let mut first = Ok(());
        for (memories, stepped) in back.iter().filter_map(|it| it.end().ok()) {
            self.memories.push(memories);
            self.tally.checked_calls += 1;
            match stepped {
                Ok(stepped) => self.tally.simulate_wall_ps += stepped.simulated.wall_ps,
                Err(error) => {
                    self.tally.mismatches += 1;
                    self.count_error(&error);
                    self.fault.get_or_insert_with(|| error.clone());
                    first = first.and(Err(error));
                }
            }
        }
        first
    }

    /// The host runs a call: what of its arguments stays in a device's memory comes to the host.
    pub(super) fn bring_home(&mut self, call: &Call) -> Result<()> {
        let Some(machine) = &self.machine else { return Ok(()) };
        let staying = Staying { variables: &self.variables, platform: &machine.platform };
        let rows = call.ready.kernel.manifest.arguments.iter().zip(&call.data);
        let of_row = |(parameter, &address): (&Parameter, &*mut c_void)| {
            let is_part = parameter.kind == Kind::Place;
            let may_stay = parameter.in_device_memory() || is_part;
            let found = may_stay.then(|| staying.around(address, 0)).flatten();
            found.map(|(id, bytes)| (id, bytes, parameter.is_written() || is_part))
        };
        let home: Vec<_> = rows.filter_map(of_row).collect();
        if !home.is_empty() {
            self.settle()?;
        }
        for (id, bytes, writes) in home {
            let Some(machine) = &mut self.machine else { break };
            let synced = machine.sync(id, bytes, writes);
            synced.map_err(|failure| self.told(&Lost { failure, kernel: None }))?;
        }
        Ok(())
    }

    /// The error of what came to nothing.
    fn told(&self, Lost { failure, kernel }: &Lost) -> Error {
        let opened = kernel.and_then(|index| self.kernels.get(index));
        let name = opened.map(|opened| opened.kernel.manifest.kernel.as_str());
        match &self.machine {
            Some(machine) => failure.error(&machine.platform.devices, name),
            None => Error::new(Status::Internal, "a device failed that is not there"),
        }
    }

    /// Lets all happen that the program has called.
    fn settle(&mut self) -> Result<()> {
        let Some(machine) = &mut self.machine else { return Ok(()) };
        let settled = self.batches.settle(machine);
        self.count_waited();
        settled.map_err(|lost| self.told(&lost))?;
        self.compare_stepped()
    }

    /// A forked process starts to count anew, and reports beside its parent.
    pub fn become_child(&mut self, process: u32) {
        self.tally = Tally { open_wall_ps: self.tally.open_wall_ps, ..Tally::default() };
        if let Some(machine) = &mut self.machine {
            machine.forget();
        }
        self.recording = None;
        self.batches.forget();
        self.stepping.clear();
        self.in_flight.clear();
        self.in_use = InUse::default();
        self.writers = Writers::default();
        self.reported = None;
        for opened in &mut self.kernels {
            (opened.calls, opened.cycles) = (0, 0);
            opened.software = Software::default();
            opened.waiting_cycles = 0;
            opened.parts.fill(Part::default());
            opened.arguments = ArgumentTally::new(&opened.kernel.manifest);
            opened.fifos = FifoTally::new(&opened.kernel.manifest);
            opened.chained = Chained::default();
        }
        if let Some(path) = &mut self.report_path {
            path.as_mut_os_string().push(format!(".{process}"));
        }
    }
}
