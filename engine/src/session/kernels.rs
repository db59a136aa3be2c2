// SPDX-License-Identifier: Apache-2.0
//! The kernels that a run has opened.

use std::sync::Arc;
use std::time::Instant;

use crate::call::mode::{HardwareClock, Mode};
use crate::call::software::Software;
use crate::call::{Kernel, KernelIndex, Ready};
use crate::error::{Error, Result, Status};
use crate::host::wall::elapsed_ps;
use crate::model::{CallObject, FunctionObject, Part, RtlObject};
use crate::package::{Kind, Manifest, Package, PackageFile, Parameter};
use crate::session::chains::Chained;
use crate::session::observations::{ArgumentTally, FifoTally};
use crate::session::report::{KernelReport, loop_reports};

use super::{PackageKey, Session};

/// An opened kernel and its part of the tally. Its place in the list is its id in the machine.
pub(super) struct Opened {
    pub(super) kernel: Arc<Kernel>,
    pub(super) intervals: Arc<[u32]>,
    pub(super) calls: u64,
    pub(super) cycles: u64,
    pub(super) waiting_cycles: u64,
    pub(super) parts: Vec<Part>,
    pub(super) software: Software,
    pub(super) arguments: ArgumentTally,
    pub(super) fifos: FifoTally,
    pub(super) chained: Chained,
}

impl Session {
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
    pub(super) fn ready_for_own(&mut self, index: KernelIndex) -> Result<Ready> {
        let ready = self.ready(index)?;
        let software = self.kernels.get_mut(index).map(|opened| &mut opened.software);
        let is_sample = self.baseline_runs > 1 && software.is_some_and(Software::wants_sample);
        let sample_windows = if is_sample { self.baseline_runs } else { 0 };
        let goes_on = self.has_batches();
        Ok(Ready { has_own_variables: true, sample_windows, goes_on, ..ready })
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

    pub(super) fn interval_cycles(&self, parameter: &Parameter) -> u32 {
        match (&self.memory, parameter.kind) {
            (Some(memory), Kind::Stream) => memory.stream_interval_cycles(parameter.element_bytes),
            _ => 1,
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
}

impl Opened {
    pub(super) fn report(&self) -> KernelReport<'_> {
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

/// Loads the models that a mode needs; those of a program too that has no C function of its own.
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
