// SPDX-License-Identifier: Apache-2.0
//! The report of a run.

use std::time::{Duration, Instant};

use crate::breakdown::{Breakdown, Category};
use crate::call::mode::Mode;
use crate::components::controller::ControllerSettings;
use crate::error::{Error, Result, Status};
use crate::machine::Machine;
use crate::package::VERSION;
use crate::session::report::{FORMAT_VERSION, PlatformName, Report};
use crate::trace::span_file::SpanFile;

use super::Session;
use super::kernels::Opened;

/// A report of a run that still goes on is written at most that often.
const INTERIM_PERIOD: Duration = Duration::from_millis(500);

impl Session {
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
