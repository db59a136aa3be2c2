// SPDX-License-Identifier: Apache-2.0
//! The device: the kernel's cycles, and those that the device adds to start it and to see its end.

use std::cell::RefCell;
use std::pin::Pin;

use serde::Serialize;

use super::parts::lane::Lane;
use super::{Component, Station};
use crate::breakdown::Category;
use crate::course::{Course, Gates, Hardware};
use crate::job::Job;
use crate::job::stepping::Stepping;
use crate::schema::reader::Described;
use crate::schema::{Absence, At, FREQUENCY, Form, Instance, Kind, Row, TIME};
use crate::simulation::all;
use crate::trace::{Recorder, Work};

/// `[device]` of a platform file.
pub const KIND: Kind = Kind {
    name: "device",
    meaning: "the device that runs kernels",
    is_needed: true,
    may_be_several: true,
    rows: &[
        Row::needed("clock", FREQUENCY, 1, "\"100 MHz\"", "the clock that kernels are built for"),
        Row::needed(
            "launch_cycles",
            Form::Count,
            0,
            "47",
            "cycles that the device adds to each run of a kernel",
        ),
        Row::choice(
            "target",
            Form::Text,
            Absence::Needed,
            0,
            "\"ecp5\"",
            "the family of `targets/` whose delays schedule the kernel",
        ),
        Row::choice(
            "chip",
            Form::Text,
            Absence::Nothing,
            0,
            "\"Virtex-II XC2V6000\"",
            "its FPGA, where that is of another family, for which `target` stands",
        ),
        Row::choice(
            "dies_after",
            TIME,
            Absence::Nothing,
            0,
            "\"5 ms\"",
            "what if it died, so long after the run's first call began",
        ),
        Row::choice(
            "link",
            Form::Name("link"),
            Absence::Is(0),
            0,
            "\"link\"",
            "the link that it is on; the first",
        ),
        Row::choice(
            "configuration",
            Form::Name("configuration"),
            Absence::Is(0),
            0,
            "\"configuration\"",
            "the port that loads it; the first",
        ),
        Row::choice(
            "memory",
            Form::Name("memory"),
            Absence::Is(0),
            0,
            "\"memory\"",
            "its memory; the first",
        ),
    ],
};

/// What is known of it here.
pub const COMPONENT: Component = Component { check, ..Component::new(&KIND, 80) };

/// The engine counts whole picoseconds, and looks ahead before it knows which device serves a
/// call.
fn check(read: &mut Described) {
    let devices = &read.instances["device"];
    let width = |device: &Instance| {
        let memory = device.number("memory")? as usize;
        read.instances["memory"].get(memory)?.number("width")
    };
    for device in devices {
        let clock = device.values.get("clock");
        if let Some(said) = clock.filter(|said| said.number > PS_PER_S) {
            let message = "[device] clock is faster than a cycle of 1 ps; correct its unit";
            read.findings.add(said.at, message);
        }
        if width(device) != devices.first().and_then(width) {
            let message = format!(
                "[device] {:?} has a memory of another width than {:?}; give them one width",
                device.name, devices[0].name
            );
            read.findings.add(At::Text(device.offset), message);
        }
    }
}

const PS_PER_S: u64 = 1_000_000_000_000;

/// A device in the engine's units.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct DeviceSettings {
    /// Its name in the trace.
    pub name: String,
    /// The clock kernels are built for.
    pub clock_hz: u64,
    /// Its period, rounded to a picosecond.
    pub clock_ps: u64,
    /// Added to each run of a kernel.
    pub launch_cycles: u64,
    /// The family of targets/ whose delays schedule kernels for this platform.
    pub target: String,
    /// Its FPGA, where the family stands for another one.
    pub chip: Option<String>,
    /// Copies of the kernel.
    pub units: u64,
    /// When it dies, if it does.
    pub dies_ps: Option<u64>,
    /// Its link.
    pub link: usize,
    /// The port that loads it.
    pub configuration: usize,
    /// Its memory.
    pub memory: usize,
}

impl DeviceSettings {
    /// What a file says of one with so many copies of its kernel; nothing if it lacks what is needed.
    pub fn read(said: &Instance, units: u64) -> Option<Self> {
        let clock_hz = said.number("clock")?;
        Some(Self {
            name: said.name.clone(),
            clock_hz,
            clock_ps: (PS_PER_S + clock_hz / 2) / clock_hz.max(1),
            launch_cycles: said.number("launch_cycles")?,
            target: said.text("target")?,
            chip: said.text("chip"),
            units,
            dies_ps: said.number("dies_after"),
            link: said.number("link")? as usize,
            configuration: said.number("configuration")? as usize,
            memory: said.number("memory")? as usize,
        })
    }
}

/// One run of a kernel.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Computation {
    /// Cycles of the kernel.
    pub cycles: u64,
    /// Those of them that do not grow with the data: the latency of its pipeline.
    pub latency_cycles: u64,
    /// Clock period of the kernel.
    pub clock_ps: u64,
}

impl Computation {
    /// How long it takes on a device that adds so many cycles to each.
    pub fn duration_ps(&self, launch_cycles: u64) -> u64 {
        launch_cycles.saturating_add(self.cycles).saturating_mul(self.clock_ps)
    }
}

/// A region of a device: runs its kernel, as often at a time as it has copies of it.
pub struct Device {
    launch_cycles: u64,
    /// Copies of the kernel.
    pub units: usize,
    kernel: Station,
}

impl Device {
    /// A region, whose name in the trace is `name`.
    pub fn new(recorder: &Recorder, name: &str, settings: &DeviceSettings) -> Self {
        let units = u32::try_from(settings.units).unwrap_or(u32::MAX);
        let launch_cycles = settings.launch_cycles;
        Self { launch_cycles, units: units as usize, kernel: Station::new(recorder, name, units) }
    }

    /// Runs the kernel for a call while its records come and go; returns the cycles that it took.
    pub async fn stream(
        &self,
        job: &Job,
        course: &Course,
        lanes: &[Lane],
        gates: &mut Gates,
    ) -> u64 {
        let Job { call, run, .. } = *job;
        let _place = self.kernel.place().await;
        let launch_ps = self.launch_cycles.saturating_mul(run.clock_ps);
        self.kernel.pass(call, Work::fixed(Category::Compute, launch_ps)).await;
        let (recorder, component) = self.kernel.books();
        recorder.cycles_begin(job.record, 0, run.clock_ps);
        let work = Work { category: Category::Compute, duration_ps: 0, fixed_ps: 0, bytes: 0 };
        let hardware = Hardware { recorder, component, call, work, clock_ps: run.clock_ps };
        let cycles = match &job.hardware {
            Some(rtl) => Box::pin(rtl.step(course, &hardware, lanes)).await,
            None => course.run(&hardware, lanes, gates).await,
        };
        self.tell_loops(job, cycles);
        cycles
    }

    /// When loops were entered is known of a call that had to wait for nobody.
    fn tell_loops(&self, job: &Job, cycles: u64) {
        if let Some(times) = &job.loops
            && cycles == job.run.cycles
        {
            self.kernel.books().0.loops(job.call, (cycles, job.run.clock_ps), times);
        }
    }

    /// Runs the kernel for a call; returns the cycles that it took.
    pub async fn compute(&self, job: &Job) -> u64 {
        let _place = self.kernel.place().await;
        self.pass(job).await
    }

    /// Runs it for calls that are there together, so many at a time at most: each copy of it takes
    /// the next one until there is none left, and nobody else's before. `took` is told the cycles of
    /// each.
    pub async fn compute_all(&self, jobs: &[Job], most: usize, took: impl FnMut(&Job, u64)) {
        let copies = self.units.min(jobs.len()).min(most);
        let (rest, took) = (RefCell::new(jobs.iter()), RefCell::new(took));
        let next = || rest.borrow_mut().next();
        let copy = async || {
            let _place = self.kernel.place().await;
            while let Some(job) = next() {
                let cycles = self.pass(job).await;
                took.borrow_mut()(job, cycles);
            }
        };
        match copies {
            0 => {}
            1 => copy().await,
            _ => all((0..copies).map(|_| Box::pin(copy()) as Pin<Box<_>>).collect()).await,
        }
    }

    /// Spends the time of a call's run, whoever has a place. Whatever happens meanwhile, nothing at the
    /// ports of hardware depends on it.
    async fn pass(&self, job: &Job) -> u64 {
        let launch_ps = self.launch_cycles.saturating_mul(job.run.clock_ps);
        self.kernel.books().0.cycles_begin(job.record, launch_ps, job.run.clock_ps);
        let cycles = job.hardware.as_ref().map_or(job.run.cycles, Stepping::run);
        self.kernel.pass(job.call, self.work(Computation { cycles, ..job.run })).await;
        self.tell_loops(job, cycles);
        cycles
    }

    fn work(&self, run: Computation) -> Work {
        let latency = Computation { cycles: run.latency_cycles.min(run.cycles), ..run };
        Work {
            category: Category::Compute,
            duration_ps: run.duration_ps(self.launch_cycles),
            fixed_ps: latency.duration_ps(self.launch_cycles),
            bytes: 0,
        }
    }
}
