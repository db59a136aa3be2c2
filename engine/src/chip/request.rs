// SPDX-License-Identifier: Apache-2.0
//! What is asked for: a chip, a program, and the kernels beside it.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::breaks::BreakRequest;
use super::calls::Driven;
use super::settings::ChipSettings;
use super::shell::{Held, Shell};
use super::wave::WaveRequest;
use crate::error::{Error, Result, Status};
use crate::model::RtlObject;
use crate::schema::Changes;

/// What is to be run.
#[derive(Debug, Clone, Deserialize)]
pub struct Request {
    /// The chip's file.
    pub platform: PathBuf,
    /// What shall be otherwise than it says.
    pub changes: String,
    /// The ELF file.
    pub program: PathBuf,
    /// Its arguments, its name first.
    pub arguments: Vec<String>,
    /// The kernels, in the order of their shells.
    pub kernels: Vec<KernelRequest>,
    /// The file of a model of the core's RTL, to run alongside the core's own model.
    #[serde(default)]
    pub core_rtl: Option<PathBuf>,
    /// The descriptor of its standard output.
    pub output: i32,
    /// Whether to count time by function, which takes time.
    pub profile: bool,
    /// Whether to tell what happened when.
    #[serde(default)]
    pub timeline: bool,
    /// The signals that are to be written, if any.
    #[serde(default)]
    pub wave: Option<WaveRequest>,
    /// Where it is to be stopped.
    #[serde(default)]
    pub breaks: BreakRequest,
    /// Cycles after which a C function beside a call counts as endless.
    pub limit_cycles: u64,
}

/// A kernel of it.
#[derive(Debug, Clone, Deserialize)]
pub struct KernelRequest {
    /// Where in the program it is.
    #[serde(flatten)]
    pub driven: Driven,
    /// The file of its RTL's model.
    pub model: PathBuf,
    /// What its shell holds.
    pub arguments: Vec<Held>,
}

impl KernelRequest {
    /// Its shell, in which it rests.
    ///
    /// # Errors
    /// [`Status::BadPackage`] where its model cannot be read.
    pub fn shell(&self) -> Result<Shell> {
        Ok(Shell::new(RtlObject::load(&read_model(&self.model)?)?, self.arguments.clone()))
    }
}

pub(super) fn read_model(file: &Path) -> Result<Vec<u8>> {
    let failed = |cause| Error::new(Status::BadPackage, format!("{}: {cause}", file.display()));
    std::fs::read(file).map_err(failed)
}

pub(super) fn read_settings(request: &Request) -> Result<ChipSettings> {
    let shown = request.platform.display().to_string();
    let text = std::fs::read_to_string(&request.platform)
        .map_err(|error| Error::new(Status::BadPlatform, format!("{shown}: error: {error}")))?;
    ChipSettings::parse(&shown, &text, Changes(&request.changes))
}
