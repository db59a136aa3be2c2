// SPDX-License-Identifier: Apache-2.0
//! What a run of a program on a chip has come to (docs/schemas/chip-run.json).

use serde::Serialize;

use super::alongside::Followed;
use super::breaks::Break;
use super::tally::Tally;
use super::timeline::Timeline;
use super::wave::WaveReport;
use crate::model::Activity;

/// Version of the format.
pub const FORMAT_VERSION: u32 = 1;

/// A function's part of a program's time.
#[derive(Debug, Clone, Serialize)]
pub struct FunctionTime {
    /// Its name.
    pub name: String,
    /// Cycles in which its instructions retired, and those before each that it waited.
    pub cycles: u64,
    /// Its instructions.
    pub instructions: u64,
}

/// A kernel's part in it.
#[derive(Debug, Clone, Serialize)]
pub struct KernelReport {
    /// Its calls.
    #[serde(flatten)]
    pub tally: Tally,
    /// What has toggled in it, if its model counts that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub activity: Option<Activity>,
}

/// The end of a run.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    /// Version of the format.
    pub format_version: u32,
    /// The chip's name.
    pub platform: String,
    /// Its clock's period.
    pub clock_ps: u64,
    /// The core.
    pub core: String,
    /// Cycles from reset on.
    pub cycles: u64,
    /// Instructions.
    pub instructions: u64,
    /// The program's exit status; nothing if it has not ended.
    pub exit_status: Option<i32>,
    /// When the first bytes were sent over the serial line: the cycles in which they stood there.
    pub sent: Vec<u64>,
    /// Calls, by kernel.
    pub kernels: Vec<KernelReport>,
    /// Time by function, the largest first.
    pub functions: Vec<FunctionTime>,
    /// What happened when, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeline: Option<Timeline>,
    /// What the core's RTL has done, all as its model, if it ran alongside.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub core_rtl: Option<Followed>,
    /// What is in the wave, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wave: Option<WaveReport>,
    /// Where the run was stopped, if it was.
    #[serde(rename = "break", skip_serializing_if = "Option::is_none")]
    pub stopped: Option<Break>,
    /// Wall time of the simulation.
    pub wall_ps: u64,
}
