// SPDX-License-Identifier: Apache-2.0
//! A run as JSON (docs/trace.md).

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::breakdown::Times;
use crate::call::declined::Declined;
use crate::call::software::Software;
use crate::components::configuration::Loads;
use crate::components::memory::Crowding;
use crate::components::transfer::Mode as TransferMode;
use crate::error::{Error, Result, Status};
use crate::host::replaceable;
use crate::model::Part;
use crate::package::LoopFacts;
use crate::session::chains::Chained;
use crate::session::costs::Costs;
use crate::session::latencies::Quantiles;
use crate::session::observations::{ArgumentTally, FifoTally};
use crate::trace::{Busy, Span};

/// The version of the JSON that this engine writes.
pub const FORMAT_VERSION: u32 = 3;

/// A run. Times are picoseconds, sizes bytes; "wall" times were measured on the host.
#[derive(Debug, Serialize)]
pub struct Report<'a> {
    /// Always "tandem-run".
    pub format: &'static str,
    /// [`FORMAT_VERSION`].
    pub format_version: u32,
    /// The engine's version.
    pub tandem_version: &'static str,
    /// Whether the program told its end; else these are the figures shortly before it.
    pub complete: bool,
    /// How the kernels ran.
    pub mode: &'static str,
    /// Where they ran, unless natively.
    pub platform: Option<PlatformName<'a>>,
    /// Each kernel that was called.
    pub kernels: Vec<KernelReport<'a>>,
    /// Clock period of the first kernel.
    pub clock_ps: Option<u64>,
    /// Counts and sums.
    #[serde(flatten)]
    pub tally: &'a Tally,
    /// Simulated time that passed while calls were in flight; in native mode their wall time.
    pub total_ps: u64,
    /// Of it, without configuration.
    pub no_config_ps: u64,
    /// Of it, the device only.
    pub device_ps: u64,
    /// Simulated time by category, each instant in one: sums to `total_ps`.
    pub breakdown_ps: Times,
    /// The part of each that does not grow with bytes.
    pub fixed_ps: Times,
    /// Simulated time by category, each instant in every category of which anything happened.
    pub busy_ps: Times,
    /// Of the time that the program's own work takes here, the percent that count.
    pub program_percent: u64,
    /// How long calls on the device took, from being submitted until their results were there.
    pub latency_ps: Option<Quantiles>,
    /// What batches took, calls alone among them.
    pub batches: Costs,
    /// How often kernels were loaded, and had to be.
    pub configurations: Loads,
    /// How bytes were to come and go.
    pub transfer_mode: TransferMode,
    /// What did not fit the devices' memories.
    pub memory: Crowding,
    /// What the platform was asked for and could not have, a sentence each.
    pub unmet: Vec<String>,
    /// Why the platform's device gives wrong results, if it does.
    pub wrong_results: Option<String>,
    /// How long each component was busy.
    pub components: Vec<Busy>,
    /// The first spans.
    pub spans: Vec<Span>,
    /// How many spans are not shown.
    pub spans_dropped: u64,
    /// Where all of them are, if they were asked for.
    pub spans_file: Option<PathBuf>,
    /// The file of what hardware did, if it is recorded.
    pub recording: Option<PathBuf>,
}

/// Which platform.
#[derive(Debug, Serialize)]
pub struct PlatformName<'a> {
    /// Its slug.
    pub name: &'a str,
    /// One line for people.
    pub title: &'a str,
    /// The FPGA of its first device, where the kernels are scheduled for another family.
    pub chip: Option<&'a str>,
}

/// One kernel's part.
#[derive(Debug, Serialize)]
pub struct KernelReport<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its package.
    pub manifest_sha256: &'a str,
    /// The family it was scheduled for.
    pub target: &'a str,
    /// Its clock period.
    pub clock_ps: u64,
    /// Its initiation interval, where it is one pipeline.
    pub ii: Option<u64>,
    /// Latency of that pipeline.
    pub latency_cycles: Option<u64>,
    /// Calls on the device, or native ones.
    pub calls: u64,
    /// Its cycles.
    pub cycles: u64,
    /// Those of each loop.
    pub loops: Vec<LoopReport<'a>>,
    /// Those of what is in no loop.
    pub outside_cycles: u64,
    /// Those in which it waited for records, or for room for them.
    pub waiting_cycles: u64,
    /// What its C function takes.
    pub software: &'a Software,
    /// What its calls needed of each argument.
    pub arguments: &'a ArgumentTally,
    /// What its calls would want of the FIFOs between its processes.
    pub fifos: &'a FifoTally,
    /// How its calls hang on earlier ones.
    pub chained_calls: Chained,
}

/// One loop of a kernel in this run.
#[derive(Debug, Serialize)]
pub struct LoopReport<'a> {
    /// What the schedule says of it.
    #[serde(flatten)]
    pub facts: &'a LoopFacts,
    /// What calls took.
    #[serde(flatten)]
    pub part: Part,
}

/// The loops of a kernel with their parts of its cycles.
pub fn loop_reports<'a>(loops: &'a [LoopFacts], parts: &[Part]) -> Vec<LoopReport<'a>> {
    loops.iter().zip(parts).map(|(facts, &part)| LoopReport { facts, part }).collect()
}

/// Counts and sums of a run.
#[derive(Debug, Default, Serialize)]
pub struct Tally {
    /// Calls that succeeded, those on the host apart.
    pub calls: u64,
    /// Calls that ran on the host although the device was there.
    pub host_calls: HostCalls,
    /// Cycles of the kernels: the same in emulate and in simulate mode.
    pub cycles: u64,
    /// As `cycles`, with those that the device adds to each launch.
    pub device_cycles: u64,
    /// Bytes from the host to the device.
    pub bytes_in: u64,
    /// Bytes from the device to the host.
    pub bytes_out: u64,
    /// Transfers of at least one byte.
    pub transfers: u64,
    /// Calls of which streams came and went while the kernel ran.
    pub streamed_calls: u64,
    /// Calls whose hardware was stepped with the clock.
    pub stepped_calls: u64,
    /// Calls whose results and cycles were compared with the C function's and the schedule's.
    pub checked_calls: u64,
    /// Those that differed.
    pub mismatches: u64,
    /// Calls that began and did not come to their end: left by `longjmp`, or the program's end.
    pub unfinished_calls: u64,
    /// Calls that were given up.
    pub cancelled_calls: u64,
    /// Wall time of the C function, in place, in every mode; of calls on the host apart.
    pub software_ps: u64,
    /// Wall time of calls, the C function's among it, without opening packages.
    pub call_wall_ps: u64,
    /// Wall time of opening packages: checking hashes and loading models.
    pub open_wall_ps: u64,
    /// Wall time of simulating RTL.
    pub simulate_wall_ps: u64,
    /// The run's first error.
    pub error: Option<String>,
}

/// Calls that ran on the host, and why.
#[derive(Debug, Default, Serialize)]
pub struct HostCalls {
    /// How many.
    pub calls: u64,
    /// Their wall time; not part of `total_ps`.
    pub wall_ps: u64,
    /// Each reason, in the order in which they came up.
    pub reasons: Vec<HostReason>,
}

/// Why calls ran on the host.
#[derive(Debug, Serialize)]
pub struct HostReason {
    /// The same for all of them.
    pub reason: String,
    /// Where the first of them met it, or empty.
    pub example: String,
    /// What has the device serve such calls, as `--directive` has it, or empty.
    pub directive: String,
    /// How many calls.
    pub calls: u64,
}

impl HostCalls {
    /// Counts one call.
    pub fn add(&mut self, declined: &Declined, wall_ps: u64) {
        self.add_many(declined, 1, wall_ps);
    }

    /// Counts calls of one reason.
    pub fn add_many(&mut self, declined: &Declined, calls: u64, wall_ps: u64) {
        self.calls += calls;
        self.wall_ps = self.wall_ps.saturating_add(wall_ps);
        let is_same = |known: &&mut HostReason| {
            known.reason == declined.reason && known.directive == declined.directive
        };
        match self.reasons.iter_mut().find(is_same) {
            Some(known) => known.calls += calls,
            None => {
                let Declined { reason, example, directive } = declined.clone();
                self.reasons.push(HostReason { reason, example, directive, calls });
            }
        }
    }
}

impl Report<'_> {
    /// The report as text.
    ///
    /// # Errors
    /// [`Status::Internal`]: it is made of texts and numbers, so there should be none.
    pub fn to_json(&self) -> Result<String> {
        serde_json::to_string(self).map_err(|e| Error::new(Status::Internal, e.to_string()))
    }

    /// Writes the report beside its place and then renames it, so that no reader sees half of it.
    /// A device, a pipe or a link is written through, never replaced; nor is what is no report.
    ///
    /// # Errors
    /// The file system's; nothing is left behind.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        replaceable::require(path, replaceable::REPORT)?;
        let text = serde_json::to_vec_pretty(self)?;
        if fs::symlink_metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
            return write_through(path, &text);
        }
        let unfinished = beside(path);
        let written = write_file(&unfinished, &text).and_then(|()| fs::rename(&unfinished, path));
        if written.is_err() {
            // It may not exist; the error worth telling is the first.
            let _ = fs::remove_file(&unfinished);
        }
        written
    }
}

fn beside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".unfinished-{}", std::process::id()));
    PathBuf::from(name)
}

fn write_through(path: &Path, text: &[u8]) -> io::Result<()> {
    let mut file = fs::OpenOptions::new().write(true).truncate(true).open(path)?;
    file.write_all(text)?;
    file.write_all(b"\n")
}

fn write_file(path: &Path, text: &[u8]) -> io::Result<()> {
    let mut file = fs::File::create(path)?;
    file.write_all(text)?;
    file.write_all(b"\n")
}
