// SPDX-License-Identifier: Apache-2.0
//! A run: its mode and platform, the kernels it has opened, what is on the device, and the tally.

mod in_flight;
mod in_use;
mod jobs;
mod unmet;

use std::collections::{BTreeMap, HashMap};
use std::ffi::c_void;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::batches::{Batches, Lost};
use crate::breakdown::{Breakdown, Category};
use crate::call::{Call, DeviceCall, Kernel, KernelIndex, Ready, Way};
use crate::chains::{Chained, Writers};
use crate::components::controller::ControllerSettings;
use crate::error::{Error, Result, Status};
use crate::execute::{Memories, elapsed_ps};
use crate::machine::{Machine, QueueId};
use crate::model::{CallObject, FunctionObject, Part, RtlObject};
use crate::observations::{ArgumentTally, FifoTally};
use crate::package::{Kind, Manifest, Package, PackageFile, Parameter, VERSION};
use crate::platform::{Memory, Platform};
use crate::recording::Recording;
use crate::report::{FORMAT_VERSION, KernelReport, PlatformName, Report, Tally, loop_reports};
use crate::runtime::{Called, Event, Pending};
use crate::settings::{HardwareClock, Mode, Settings, WaveSettings};
use crate::software::{Sample, Software};
use crate::span_file::SpanFile;
use crate::stepping::Stepping;

use self::in_flight::{CLOCK_END_PS, clock_end};
use self::in_use::InUse;
use self::jobs::{Staying, Variables, job};

/// How many runs there were.
static RUNS: AtomicU64 = AtomicU64::new(0);

/// A report of a run that still goes on is written at most that often.
const INTERIM_PERIOD: Duration = Duration::from_millis(500);

/// An opened kernel and its part of the tally. Its place in the list is its id in the machine.
struct Opened {
    kernel: Arc<Kernel>,
    intervals: Arc<[u32]>,
    calls: u64,
    cycles: u64,
    waiting_cycles: u64,
    parts: Vec<Part>,
    software: Software,
    arguments: ArgumentTally,
    fifos: FifoTally,
    chained: Chained,
}

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

    /// The kernel of a package: opened at its first call, then known by `key`.
    ///
    /// # Errors
    /// The environment's fault; [`Status::BadPackage`].
    pub fn open(&mut self, key: PackageKey, files: Vec<PackageFile<'_>>) -> Result<Ready> {
        if let Some(fault) = &self.fault {
            return Err(fault.clone());
        }
        if let Some(&index) = self.indices.get(&key) {
            self.last = Some((key, index));
            return self.ready_for_own(index);
        }
        let start = Instant::now();
        let kernel = load(self.mode, &Package::read(files)?, false)?;
        let index = self.insert(kernel);
        self.indices.insert(key, index);
        self.tally.open_wall_ps += elapsed_ps(start);
        self.ready_for_own(index)
    }

    fn controller(&self) -> Option<&ControllerSettings> {
        self.machine.as_ref()?.platform.controller.as_ref()
    }

    /// What a call of the kernel needs that was called last, if that is the one whose files are there.
    pub fn opened(
        &mut self,
        mut places: impl Iterator<Item = (usize, usize)>,
    ) -> Option<Result<Ready>> {
        let (key, index) = self.last.as_ref()?;
        let is_same = key.iter().all(|&place| places.next() == Some(place));
        let index = *index;
        let is_known = is_same && places.next().is_none() && self.fault.is_none();
        is_known.then(|| self.ready_for_own(index))
    }

    /// What a call needs that the program makes by itself, with variables of its own.
    fn ready_for_own(&mut self, index: KernelIndex) -> Result<Ready> {
        let ready = self.ready(index)?;
        let software = self.kernels.get_mut(index).map(|opened| &mut opened.software);
        let is_sample = self.baseline_runs > 1 && software.is_some_and(Software::wants_sample);
        let sample_windows = if is_sample { self.baseline_runs } else { 0 };
        let goes_on = self.has_batches();
        Ok(Ready { has_own_variables: true, sample_windows, goes_on, ..ready })
    }

    /// Whether the program goes on before calls that it makes by itself have ended on the clock.
    pub fn has_batches(&self) -> bool {
        self.machine.as_ref().is_some_and(|machine| !machine.platform.batch.is_none())
    }

    /// What a call of an opened kernel needs.
    ///
    /// # Errors
    /// [`Status::BadArgument`] if no kernel has that index.
    pub fn ready(&self, index: KernelIndex) -> Result<Ready> {
        let no_kernel =
            || Error::new(Status::BadArgument, format!("kernel {index}: it was not opened"));
        let opened = self.kernels.get(index).ok_or_else(no_kernel)?;
        Ok(Ready {
            index,
            kernel: Arc::clone(&opened.kernel),
            mode: self.mode,
            intervals: Arc::clone(&opened.intervals),
            memory: self.memory,
            transfer: self.machine.as_ref().map_or_else(Default::default, |m| m.platform.transfer),
            is_streamed: self.machine.as_ref().is_some_and(|m| m.platform.streams()),
            spoils: self.controller().is_some_and(|controller| controller.wrong().is_some()),
            has_own_variables: false,
            sample_windows: 0,
            show_progress: self.show_progress,
            recording: self.recording.clone(),
            is_stepped: self.clock == HardwareClock::Stepped,
            goes_on: true,
        })
    }

    /// Adds a kernel; the same package a second time is the same kernel.
    pub fn insert(&mut self, kernel: Kernel) -> KernelIndex {
        let same = |opened: &Opened| opened.kernel.manifest_sha256 == kernel.manifest_sha256;
        let known = self.kernels.iter().position(same);
        if let Some(opened) = known.and_then(|index| self.kernels.get_mut(index))
            && opened.kernel.function.is_none()
        {
            opened.kernel = Arc::new(kernel);
            return known.unwrap_or_default();
        }
        known.unwrap_or_else(|| {
            let interval = |parameter| self.interval_cycles(parameter);
            let intervals = kernel.manifest.arguments.iter().map(interval).collect();
            let arguments = ArgumentTally::new(&kernel.manifest);
            let fifos = FifoTally::new(&kernel.manifest);
            let parts = vec![Part::default(); kernel.manifest.loops.len() + 1];
            if let Some(machine) = &mut self.machine {
                machine.name_kernel(self.kernels.len(), &kernel.manifest.kernel);
            }
            self.kernels.push(Opened {
                kernel: Arc::new(kernel),
                intervals,
                calls: 0,
                cycles: 0,
                waiting_cycles: 0,
                parts,
                software: Software::default(),
                arguments,
                fifos,
                chained: Chained::default(),
            });
            self.kernels.len() - 1
        })
    }

    fn interval_cycles(&self, parameter: &Parameter) -> u32 {
        match (&self.memory, parameter.kind) {
            (Some(memory), Kind::Stream) => memory.stream_interval_cycles(parameter.element_bytes),
            _ => 1,
        }
    }

    /// Memory for the device of one call, used ones first. The call counts as begun.
    pub fn begin(&mut self) -> Memories {
        self.tally.unfinished_calls += 1;
        self.memories.pop().unwrap_or_default()
    }

    /// Books a call that has ended well; `software_ps` is the processor time of the C function.
    ///
    /// # Safety
    /// The call's arguments are still there.
    pub unsafe fn finish(&mut self, call: Call, software_ps: u64) {
        // SAFETY: the caller's promise.
        let scalars = unsafe { call.scalars() };
        self.finish_called(Called { call, scalars, software_ps });
    }

    fn finish_called(&mut self, called: Called) {
        let Called { call, scalars, software_ps } = called;
        self.tally.unfinished_calls = self.tally.unfinished_calls.saturating_sub(1);
        let index = call.ready.index;
        if let Some(opened) = self.kernels.get_mut(index) {
            self.writers.add(&call, &mut opened.chained);
        }
        let cycles = match call.way {
            Way::Host(declined) => {
                self.count_own_work(software_ps);
                return self.tally.host_calls.add(&declined, software_ps);
            }
            Way::Native => 0,
            Way::Device(device) => self.book(&call.ready, *device, &scalars),
        };
        self.tally.calls += 1;
        self.tally.software_ps += software_ps;
        if let Some(opened) = self.kernels.get_mut(index) {
            opened.calls += 1;
            opened.software.add(software_ps, cycles);
        }
    }

    /// Counts a call that has failed.
    pub fn fail(&mut self, error: &Error) {
        self.tally.unfinished_calls = self.tally.unfinished_calls.saturating_sub(1);
        let differs = matches!(error.status, Status::WrongResult | Status::WrongCycles);
        self.tally.checked_calls += u64::from(differs);
        self.tally.mismatches += u64::from(differs);
    }

    /// Keeps the time of a kernel's C function in one call, which took so long to find out.
    pub fn sample(&mut self, index: KernelIndex, sample: Sample, spent: Duration) {
        if let Some(opened) = self.kernels.get_mut(index) {
            opened.software.keep(sample, spent);
        }
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
            Some(machine) => failure.error(&machine.platform, name),
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

    /// Books what kernels waited for records in batches, whose calls were booked when they came.
    fn count_waited(&mut self) {
        for (kernel, cycles) in self.batches.take_waited() {
            self.wait_counts(kernel, cycles);
        }
    }

    fn wait_counts(&mut self, kernel: KernelIndex, cycles: u64) {
        self.tally.cycles += cycles;
        self.tally.device_cycles += cycles;
        if let Some(opened) = self.kernels.get_mut(kernel) {
            opened.cycles += cycles;
            opened.waiting_cycles += cycles;
        }
    }

    /// Opens a package that the program gives as files.
    ///
    /// # Errors
    /// The environment's fault; [`Status::BadPackage`].
    pub fn open_package(&mut self, files: Vec<PackageFile<'_>>) -> Result<KernelIndex> {
        if let Some(fault) = &self.fault {
            return Err(fault.clone());
        }
        let start = Instant::now();
        let package = Package::read(files)?;
        check_opened(&package.manifest)?;
        let kernel = load(self.mode, &package, true)?;
        self.tally.open_wall_ps += elapsed_ps(start);
        Ok(self.insert(kernel))
    }

    /// Counts a call that was on the device; returns its cycles.
    fn book(&mut self, ready: &Ready, device: DeviceCall, scalars: &[u64]) -> u64 {
        let manifest = &ready.kernel.manifest;
        for (i, (parameter, need)) in manifest.arguments.iter().zip(&device.plan.needs).enumerate()
        {
            let crosses = parameter.in_device_memory() && !device.stays.contains(&i);
            if crosses && need.bytes > 0 {
                let (into, out) = (parameter.is_read(), parameter.is_written());
                self.tally.transfers += u64::from(into) + u64::from(out);
                self.tally.bytes_in += if into { need.bytes } else { 0 };
                self.tally.bytes_out += if out { need.bytes } else { 0 };
            }
        }
        let cycles = device.cycles_taken();
        self.tally.cycles += cycles;
        if let (Some(machine), Some(ended)) = (&self.machine, &device.ended) {
            let launch_cycles = machine.platform.devices[ended.device].launch_cycles;
            self.tally.device_cycles += cycles.saturating_add(launch_cycles);
        }
        if let Some(simulated) = device.simulated {
            self.tally.checked_calls += 1;
            self.tally.simulate_wall_ps += simulated.wall_ps;
        }
        if let Some(opened) = self.kernels.get_mut(ready.index) {
            opened.cycles += cycles;
            for (sum, part) in opened.parts.iter_mut().zip(&device.parts) {
                *sum += *part;
            }
            opened.waiting_cycles += cycles - device.cycles.min(cycles);
            opened.arguments.add(manifest, &device.plan, &device.stays, scalars);
            if let Some(wanted) = &device.wanted {
                opened.fifos.add(wanted, cycles);
            }
        }
        self.memories.push(device.into_memories());
        cycles
    }

    /// Adds the wall time of a call.
    pub fn count_work(&mut self, wall_ps: u64) {
        self.tally.call_wall_ps += wall_ps;
    }

    /// Counts calls that the engine could not take in because it was at work itself.
    pub fn count_host(&mut self, reason: &str, calls: u64, wall_ps: u64) {
        self.tally.host_calls.add_many(&reason.to_string().into(), calls, wall_ps);
    }

    /// Keeps the run's first error for the report.
    pub fn count_error(&mut self, error: &Error) {
        self.tally.error.get_or_insert_with(|| error.message.clone());
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

    /// The run so far; `complete` once the program has ended.
    pub fn report(&self, complete: bool) -> Report<'_> {
        let happened = self.machine.as_ref().map(Machine::happened).unwrap_or_default();
        let Breakdown { exposed, fixed, busy } = happened.breakdown;
        let native_ps = if self.mode == Mode::Native { self.tally.software_ps } else { 0 };
        let total_ps = exposed.sum_ps() + native_ps;
        Report {
            format: "tandem-run",
            format_version: FORMAT_VERSION,
            tandem_version: VERSION,
            complete,
            mode: self.mode.name(),
            platform: self.machine.as_ref().map(|machine| PlatformName {
                name: &machine.platform.name,
                title: &machine.platform.title,
                chip: machine.platform.devices.first().and_then(|device| device.chip.as_deref()),
            }),
            kernels: self.kernels.iter().map(Opened::report).collect(),
            clock_ps: self.kernels.first().map(|opened| opened.kernel.manifest.clock_ps),
            tally: &self.tally,
            total_ps,
            no_config_ps: total_ps - exposed.of(Category::Configure),
            device_ps: exposed.of(Category::Compute),
            breakdown_ps: exposed,
            fixed_ps: fixed,
            busy_ps: busy,
            program_percent: self.program_percent(),
            latency_ps: self.batches.latencies.quantiles(),
            batches: self.batches.costs,
            configurations: self.machine.as_ref().map(Machine::loads).unwrap_or_default(),
            transfer_mode: self
                .machine
                .as_ref()
                .map_or_else(Default::default, |machine| machine.platform.transfer.mode),
            memory: self.machine.as_ref().map(Machine::crowding).unwrap_or_default(),
            unmet: self.unmet(),
            wrong_results: self.controller().and_then(ControllerSettings::wrong),
            components: happened.components,
            spans: happened.spans,
            spans_dropped: happened.dropped,
            spans_file: happened.file,
            recording: self.recording.as_ref().map(|recording| recording.path()),
        }
    }

    /// Writes the report where the environment wants it, if it does.
    ///
    /// # Errors
    /// [`Status::Internal`] with the path and the file system's reason.
    pub fn write_report(&mut self, complete: bool) -> Result<()> {
        if complete {
            self.end_all();
        }
        let Some(path) = self.report_path.clone() else { return Ok(()) };
        self.reported = Some(Instant::now());
        if let Some(machine) = &self.machine {
            machine.with_trace(|trace| trace.file.as_mut().map(SpanFile::flush));
        }
        if let Some(recording) = &self.recording {
            recording.flush();
        }
        self.report(complete).write(&path).map_err(|error| {
            let message = format!("cannot write the report {}: {error}", path.display());
            Error::new(Status::Internal, message)
        })
    }

    /// Whether a report of the run so far is due: a program may end without a word to us.
    pub fn report_is_due(&self, now: Instant) -> bool {
        let is_old = |at: Instant| now.saturating_duration_since(at) >= INTERIM_PERIOD;
        self.report_path.is_some() && self.reported.is_none_or(is_old)
    }
}

impl Opened {
    fn report(&self) -> KernelReport<'_> {
        let Kernel { manifest, manifest_sha256, .. } = &*self.kernel;
        KernelReport {
            name: &manifest.kernel,
            manifest_sha256,
            target: &manifest.target,
            clock_ps: manifest.clock_ps,
            ii: manifest.ii,
            latency_cycles: manifest.latency_cycles,
            calls: self.calls,
            cycles: self.cycles,
            loops: loop_reports(&manifest.loops, &self.parts),
            waiting_cycles: self.waiting_cycles,
            outside_cycles: self.parts.last().map_or(0, |part| part.cycles),
            software: &self.software,
            arguments: &self.arguments,
            fifos: &self.fifos,
            chained_calls: self.chained,
        }
    }
}

/// Loads the models that a mode needs; those of a program too that has no C function of its own.
/// That a program can call a kernel by itself: what lies where only the C function tells is nothing
/// that it could give.
///
/// # Errors
/// [`Status::BadArgument`].
fn check_opened(manifest: &Manifest) -> Result<()> {
    let (what, cure) = match manifest {
        joined if joined.has_joined() => {
            ("some of its arrays may overlap", ", or build it without the directive `overlap`")
        }
        made if made.has_made() => ("it returns a block from the heap", ""),
        _ => return Ok(()),
    };
    let kernel = &manifest.kernel;
    let message = format!(
        "kernel {kernel}: {what}; call the C function in a program that has it offloaded{cure}"
    );
    Err(Error::new(Status::BadArgument, message))
}

fn load(mode: Mode, package: &Package<'_>, by_itself: bool) -> Result<Kernel> {
    let mut kernel = Kernel {
        manifest: package.manifest.clone(),
        manifest_sha256: package.manifest_sha256.clone(),
        ahead: None,
        rtl: None,
        function: None,
    };
    if mode != Mode::Native || by_itself || package.manifest.polls {
        kernel.ahead = Some(Box::new(CallObject::load(package.file("ahead.so")?)?));
    }
    if mode == Mode::Simulate {
        kernel.rtl = Some(Box::new(RtlObject::load(package.file("rtl.so")?)?));
    }
    if by_itself {
        kernel.function = Some(Box::new(FunctionObject::load(package.file("function.so")?)?));
    }
    Ok(kernel)
}
