// SPDX-License-Identifier: Apache-2.0
//! What the environment asks for; `include/tandem.h` lists the variables.

use std::ffi::OsString;
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::call::mode::{HardwareClock, Mode};
use crate::error::{Error, Result, Status};
use crate::host::replaceable;
use crate::platform::{Changes, Platform};
use crate::recording::Wanted;

/// The environment's wishes.
#[derive(Debug)]
pub struct Settings {
    /// How kernels run.
    pub mode: Mode,
    /// Where they run, unless natively.
    pub platform: Option<Platform>,
    /// What tells the time in simulate mode.
    pub clock: HardwareClock,
    /// Where the report goes.
    pub report_path: Option<PathBuf>,
    /// How the file begins by its name that all spans go to.
    pub spans_prefix: Option<PathBuf>,
    /// What is recorded for a wave, if anything is.
    pub wave: Option<WaveSettings>,
    /// Whether long simulations tell their progress.
    pub show_progress: bool,
    /// How often the C function is timed in a call; the least counts.
    pub baseline_runs: u32,
    /// Why it cannot be so.
    pub fault: Option<Error>,
}

/// A recording for a wave.
#[derive(Debug)]
pub struct WaveSettings {
    /// How its file begins by its name.
    pub prefix: PathBuf,
    /// What is recorded.
    pub wanted: Wanted,
}

impl Settings {
    /// Reads the environment.
    pub fn from_environment() -> Self {
        let (mode, mode_fault) = match read_mode() {
            Ok(mode) => (mode, None),
            Err(fault) => (Mode::Emulate, Some(fault)),
        };
        let (platform, platform_fault) = match read_platform(mode) {
            Ok(platform) => (platform, None),
            Err(fault) => (None, Some(fault)),
        };
        let fault = mode_fault.or(platform_fault);
        let others = Self::of(mode, platform);
        Self { fault: fault.or(others.fault), ..others }
    }

    /// A run in a mode, on a platform; all else is as the environment wants it.
    pub fn of(mode: Mode, platform: Option<Platform>) -> Self {
        let (report_path, report_fault) = match read_report_path() {
            Ok(path) => (path, None),
            Err(fault) => (None, Some(fault)),
        };
        let (baseline_runs, runs_fault) = match read_baseline_runs() {
            Ok(runs) => (runs, None),
            Err(fault) => (1, Some(fault)),
        };
        let (clock, clock_fault) = match read_clock(mode) {
            Ok(clock) => (clock, None),
            Err(fault) => (HardwareClock::Scheduled, Some(fault)),
        };
        let (wave, wave_fault) = match read_wave(mode) {
            Ok(wave) => (wave, None),
            Err(fault) => (None, Some(fault)),
        };
        Self {
            mode,
            platform,
            clock,
            report_path,
            spans_prefix: variable("TANDEM_SPANS").map(PathBuf::from),
            wave,
            show_progress: variable("TANDEM_PROGRESS").is_some_and(|value| value == "1"),
            baseline_runs,
            fault: report_fault.or(runs_fault).or(clock_fault).or(wave_fault),
        }
    }
}

/// `TANDEM_REPORT`, which must not name what is no report.
fn read_report_path() -> Result<Option<PathBuf>> {
    let Some(path) = variable("TANDEM_REPORT").map(PathBuf::from) else { return Ok(None) };
    replaceable::require(&path, replaceable::REPORT).map_err(|error| {
        let message = format!("TANDEM_REPORT: cannot write {}: {error}", path.display());
        Error::new(Status::BadArgument, message)
    })?;
    Ok(Some(path))
}

fn read_baseline_runs() -> Result<u32> {
    let Some(text) = variable("TANDEM_BASELINE_RUNS") else { return Ok(1) };
    let text = text.to_string_lossy();
    text.parse().ok().filter(|&runs| runs > 0).ok_or_else(|| {
        let message = format!("TANDEM_BASELINE_RUNS is \"{text}\"; expected a number from 1 on");
        Error::new(Status::BadArgument, message)
    })
}

fn read_mode() -> Result<Mode> {
    match variable("TANDEM_MODE") {
        Some(text) => Mode::parse(&text.to_string_lossy()),
        None => Ok(Mode::Emulate),
    }
}

fn read_clock(mode: Mode) -> Result<HardwareClock> {
    let Some(text) = variable("TANDEM_CLOCK") else { return Ok(HardwareClock::Scheduled) };
    let clock = HardwareClock::parse(&text.to_string_lossy())?;
    if clock == HardwareClock::Stepped && mode != Mode::Simulate {
        let message = format!(
            "TANDEM_CLOCK is \"stepped\", and the mode {}: only in mode simulate there is hardware \
             to be stepped",
            mode.name()
        );
        return Err(Error::new(Status::BadArgument, message));
    }
    Ok(clock)
}

fn read_wave(mode: Mode) -> Result<Option<WaveSettings>> {
    let Some(prefix) = variable("TANDEM_WAVE").map(PathBuf::from) else { return Ok(None) };
    if mode != Mode::Simulate {
        let message = format!(
            "TANDEM_WAVE is set, and the mode {}: only in mode simulate there is hardware that does \
             anything",
            mode.name()
        );
        return Err(Error::new(Status::BadArgument, message));
    }
    let calls = read_range("TANDEM_WAVE_CALLS")?;
    let window_ps = read_range("TANDEM_WAVE_WINDOW")?;
    Ok(Some(WaveSettings { prefix, wanted: Wanted { calls, window_ps } }))
}

/// Two numbers with a colon between them; all where there is nothing.
fn read_range(name: &str) -> Result<Range<u64>> {
    let Some(text) = variable(name) else { return Ok(0..u64::MAX) };
    let text = text.to_string_lossy();
    let numbers = text.split_once(':').and_then(|(a, b)| Some(a.parse().ok()?..b.parse().ok()?));
    numbers.filter(|range| !range.is_empty()).ok_or_else(|| {
        let message = format!("{name} is \"{text}\"; expected FROM:TO, two numbers");
        Error::new(Status::BadArgument, message)
    })
}

fn read_platform(mode: Mode) -> Result<Option<Platform>> {
    if mode == Mode::Native {
        return Ok(None);
    }
    let path = variable("TANDEM_PLATFORM").ok_or_else(|| no_platform(mode))?;
    let changes = variable("TANDEM_SET").unwrap_or_default();
    Platform::load(Path::new(&path), Changes(&changes.to_string_lossy())).map(Some)
}

/// A variable of the environment; an empty one is as good as none.
fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

fn no_platform(mode: Mode) -> Error {
    let message = format!(
        "TANDEM_PLATFORM is not set; mode {} needs the path of a platform file, such as \
         platforms/src-6e.toml",
        mode.name()
    );
    Error::new(Status::BadPlatform, message)
}
