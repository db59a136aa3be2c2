// SPDX-License-Identifier: Apache-2.0
//! A run: its mode and platform, the kernels it has opened, what is on the device, and the tally.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Instant;

use crate::breakdown::{Breakdown, Category};
use crate::buffers::Argument;
use crate::components::Job;
use crate::error::{Error, Result, Status};
use crate::execute::{self, Call, Execution, Memories, elapsed_ps};
use crate::machine::Machine;
use crate::model::{NativeModel, NativeObject, RtlModel, RtlObject};
use crate::package::{Kind, Manifest, Package, PackageFile, Parameter, VERSION};
use crate::platform::Platform;
use crate::report::{FORMAT_VERSION, KernelReport, PlatformName, Report, Tally};
use crate::settings::{Mode, Settings};
use crate::trace::Trace;

/// A kernel ready to be called.
pub struct Kernel {
    /// Its interface.
    pub manifest: Manifest,
    /// Identity of its package.
    pub manifest_sha256: String,
    /// The C function and the schedule; not loaded in native mode.
    pub native: Option<Box<dyn NativeModel>>,
    /// The RTL; loaded in simulate mode only.
    pub rtl: Option<Box<dyn RtlModel>>,
}

/// An opened kernel and its part of the tally. Its place in the list is its configuration's id.
struct Opened {
    kernel: Kernel,
    intervals: Vec<u32>,
    calls: u64,
    cycles: u64,
}

/// Where in the program a package's files are; they outlive every call, so that this names them.
pub type PackageKey = Vec<(usize, usize)>;

/// Index of an opened kernel.
pub type KernelIndex = usize;

/// The state of a run.
pub struct Session {
    mode: Mode,
    machine: Option<Machine>,
    fault: Option<Error>,
    report_path: Option<PathBuf>,
    show_progress: bool,
    baseline_runs: u32,
    kernels: Vec<Opened>,
    indices: HashMap<PackageKey, KernelIndex>,
    memories: Memories,
    trace: Trace,
    tally: Tally,
}

impl Session {
    /// A run in a mode, on a platform unless the mode is native.
    pub fn new(mode: Mode, platform: Option<Platform>) -> Self {
        Self {
            mode,
            machine: platform.map(Machine::new),
            fault: None,
            report_path: None,
            show_progress: false,
            baseline_runs: 1,
            kernels: Vec::new(),
            indices: HashMap::new(),
            memories: Memories::default(),
            trace: Trace::default(),
            tally: Tally::default(),
        }
    }

    /// The run that the environment asks for. If it asks for something impossible, every call
    /// fails with that, and so says the report.
    pub fn from_environment() -> Self {
        let settings = Settings::from_environment();
        let mut session = Self::new(settings.mode, settings.platform);
        session.fault = settings.fault;
        session.report_path = settings.report_path;
        session.show_progress = settings.show_progress;
        session.baseline_runs = settings.baseline_runs;
        session
    }

    /// How kernels run.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// What has been counted.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// The spans of the run.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// The kernel of a package: opened at its first call, then known by `key`.
    ///
    /// # Errors
    /// The environment's fault; [`Status::BadPackage`].
    pub fn open(&mut self, key: PackageKey, files: Vec<PackageFile<'_>>) -> Result<KernelIndex> {
        if let Some(fault) = &self.fault {
            return Err(fault.clone());
        }
        if let Some(&index) = self.indices.get(&key) {
            return Ok(index);
        }
        let start = Instant::now();
        let kernel = load(self.mode, &Package::read(files)?)?;
        let index = self.insert(kernel);
        self.indices.insert(key, index);
        self.tally.open_wall_ps += elapsed_ps(start);
        Ok(index)
    }

    /// Adds a kernel; the same package a second time is the same kernel.
    pub fn insert(&mut self, kernel: Kernel) -> KernelIndex {
        let same = |opened: &Opened| opened.kernel.manifest_sha256 == kernel.manifest_sha256;
        self.kernels.iter().position(same).unwrap_or_else(|| {
            let interval = |parameter| self.interval_cycles(parameter);
            let intervals = kernel.manifest.arguments.iter().map(interval).collect();
            self.kernels.push(Opened { kernel, intervals, calls: 0, cycles: 0 });
            self.kernels.len() - 1
        })
    }

    fn interval_cycles(&self, parameter: &Parameter) -> u32 {
        match (&self.machine, parameter.kind) {
            (Some(machine), Kind::Stream) => {
                machine.platform.memory.stream_interval_cycles(parameter.element_bytes)
            }
            _ => 1,
        }
    }

    /// Checks the arguments of a call.
    ///
    /// # Errors
    /// [`Status::BadArgument`] with what does not fit the interface.
    pub fn check_arguments(&self, index: KernelIndex, arguments: &[Argument]) -> Result<()> {
        let manifest = &self.opened(index)?.kernel.manifest;
        let extents: Vec<u64> = arguments.iter().map(|argument| argument.bytes).collect();
        manifest.check_arguments(&extents)?;
        let mut named = manifest.arguments.iter().zip(arguments);
        match named.find(|(_, argument)| argument.data.is_null() && argument.bytes > 0) {
            Some((parameter, _)) => {
                let message = format!(
                    "kernel {}: argument {}: null pointer",
                    manifest.kernel, parameter.name
                );
                Err(Error::new(Status::BadArgument, message))
            }
            None => Ok(()),
        }
    }

    /// One call on the simulated platform.
    ///
    /// # Safety
    /// The arguments are valid for their bytes, and the kernel's interface is its manifest's.
    ///
    /// # Errors
    /// Those of [`Session::check_arguments`], [`execute::emulate`] and [`execute::simulate`].
    pub unsafe fn call(&mut self, index: KernelIndex, arguments: &[Argument]) -> Result<()> {
        let start = Instant::now();
        self.check_arguments(index, arguments)?;
        let job = self.job(index, arguments)?;
        // SAFETY: the caller's promise.
        let execution = unsafe { self.execute(index, arguments) };
        if self.mode == Mode::Simulate {
            self.count_check(&execution);
        }
        let execution = execution?;
        self.book(index, Job { cycles: execution.cycles, ..job });
        self.tally.software_ps += execution.software_ps;
        self.tally.simulate_wall_ps += execution.simulate_wall_ps;
        self.tally.call_wall_ps += elapsed_ps(start);
        Ok(())
    }

    /// What the machine has to do for a call whose cycles are not known yet.
    fn job(&self, index: KernelIndex, arguments: &[Argument]) -> Result<Job> {
        let manifest = &self.opened(index)?.kernel.manifest;
        let extents: Vec<u64> = arguments.iter().map(|argument| argument.bytes).collect();
        if let Some(machine) = &self.machine {
            machine.platform.memory.check_fit(manifest.device_bytes(&extents))?;
        }
        let moved = |crosses: fn(&Parameter) -> bool| {
            let pairs = manifest.arguments.iter().zip(&extents);
            let crossing = pairs.filter(|(p, _)| p.in_device_memory() && crosses(p));
            crossing.map(|(_, &bytes)| bytes).collect()
        };
        Ok(Job {
            call: self.tally.calls,
            configuration: index,
            bytes_in: moved(Parameter::is_read),
            bytes_out: moved(Parameter::is_written),
            cycles: 0,
            latency_cycles: manifest.latency_cycles.unwrap_or(0),
            clock_ps: manifest.clock_ps,
        })
    }

    /// # Safety
    /// As for [`Session::call`].
    unsafe fn execute(&mut self, index: KernelIndex, arguments: &[Argument]) -> Result<Execution> {
        let opened = self.kernels.get(index).ok_or_else(no_kernel)?;
        let native = opened.kernel.native.as_deref().ok_or_else(no_kernel)?;
        let manifest = &opened.kernel.manifest;
        let call = Call {
            manifest,
            native,
            arguments,
            intervals: &opened.intervals,
            baseline_runs: self.baseline_runs,
        };
        let memories = &mut self.memories;
        // SAFETY: the caller's promise.
        match (self.mode, opened.kernel.rtl.as_deref()) {
            (Mode::Simulate, Some(rtl)) => unsafe {
                execute::simulate(&call, rtl, memories, self.show_progress)
            },
            (Mode::Simulate, None) => Err(no_kernel()),
            _ => unsafe { execute::emulate(&call, memories) },
        }
    }

    fn count_check(&mut self, execution: &Result<Execution>) {
        let status = execution.as_ref().err().map(|error| error.status);
        let differs = matches!(status, Some(Status::WrongResult | Status::WrongCycles));
        self.tally.checked_calls += u64::from(status.is_none() || differs);
        self.tally.mismatches += u64::from(differs);
    }

    /// Lets a call that has its values happen on the simulated clock.
    fn book(&mut self, index: KernelIndex, job: Job) {
        let cycles = job.cycles;
        let moved = job.bytes_in.iter().chain(&job.bytes_out).filter(|&&bytes| bytes > 0).count();
        self.tally.transfers += moved as u64;
        self.tally.bytes_in += job.bytes_in.iter().sum::<u64>();
        self.tally.bytes_out += job.bytes_out.iter().sum::<u64>();
        if let Some(machine) = &mut self.machine {
            let launch_cycles = machine.platform.device.launch_cycles;
            self.tally.device_cycles += cycles.saturating_add(launch_cycles);
            machine.call(job, &mut self.trace);
        }
        self.count_call(index, cycles);
    }

    fn count_call(&mut self, index: KernelIndex, cycles: u64) {
        self.tally.calls += 1;
        self.tally.cycles += cycles;
        if let Some(opened) = self.kernels.get_mut(index) {
            opened.calls += 1;
            opened.cycles += cycles;
        }
    }

    /// Counts a call that the C function served in native mode.
    pub fn count_native(&mut self, index: KernelIndex, wall_ps: u64) {
        self.count_call(index, 0);
        self.tally.native_ps += wall_ps;
        self.tally.call_wall_ps += wall_ps;
    }

    /// Counts a call that ran on the host for `reason`.
    pub fn count_host(&mut self, index: KernelIndex, wall_ps: u64, reason: &str) {
        self.tally.host_calls.add(reason, wall_ps);
        if self.mode == Mode::Native {
            self.count_native(index, wall_ps);
        }
    }

    /// Keeps the run's first error for the report.
    pub fn count_error(&mut self, error: &Error) {
        self.tally.error.get_or_insert_with(|| error.message.clone());
    }

    /// The run so far.
    pub fn report(&self) -> Report<'_> {
        let Breakdown { total, fixed } = self.trace.breakdown;
        let total_ps = total.sum_ps() + self.tally.native_ps;
        Report {
            format: "tandem-run",
            format_version: FORMAT_VERSION,
            tandem_version: VERSION,
            mode: self.mode.name(),
            platform: self.machine.as_ref().map(|machine| PlatformName {
                name: &machine.platform.name,
                title: &machine.platform.title,
            }),
            kernels: self.kernels.iter().map(Opened::report).collect(),
            clock_ps: self.kernels.first().map(|opened| opened.kernel.manifest.clock_ps),
            tally: &self.tally,
            total_ps,
            no_config_ps: total_ps - total.of(Category::Configure),
            device_ps: total.of(Category::Compute),
            breakdown_ps: total,
            fixed_ps: fixed,
            spans: &self.trace.spans,
            spans_dropped: self.trace.dropped,
        }
    }

    /// Writes the report where the environment wants it, if it does.
    ///
    /// # Errors
    /// [`Status::Internal`] with the path and the file system's reason.
    pub fn write_report(&self) -> Result<()> {
        let Some(path) = &self.report_path else { return Ok(()) };
        self.report().write(path).map_err(|error| {
            let message = format!("cannot write the report {}: {error}", path.display());
            Error::new(Status::Internal, message)
        })
    }

    fn opened(&self, index: KernelIndex) -> Result<&Opened> {
        self.kernels.get(index).ok_or_else(no_kernel)
    }
}

impl Opened {
    fn report(&self) -> KernelReport<'_> {
        let Kernel { manifest, manifest_sha256, .. } = &self.kernel;
        KernelReport {
            name: &manifest.kernel,
            manifest_sha256,
            target: &manifest.target,
            clock_ps: manifest.clock_ps,
            ii: manifest.ii,
            latency_cycles: manifest.latency_cycles,
            calls: self.calls,
            cycles: self.cycles,
        }
    }
}

/// Loads the models that a mode needs.
fn load(mode: Mode, package: &Package<'_>) -> Result<Kernel> {
    let mut kernel = Kernel {
        manifest: package.manifest.clone(),
        manifest_sha256: package.manifest_sha256.clone(),
        native: None,
        rtl: None,
    };
    if mode != Mode::Native {
        kernel.native = Some(Box::new(NativeObject::load(package.file("native.so")?)?));
    }
    if mode == Mode::Simulate {
        kernel.rtl = Some(Box::new(RtlObject::load(package.file("rtl.so")?)?));
    }
    Ok(kernel)
}

fn no_kernel() -> Error {
    Error::new(Status::Internal, "the kernel's models are not loaded in this mode")
}
