// SPDX-License-Identifier: Apache-2.0
//! A chip's signals over time, in a file that viewers of waves read: core, bus, shells and kernels.
//! Who knows of changes keeps them in a [`Track`]; from there they go into the file in the order of time,
//! so that only some thousand cycles are in memory.

mod core;
mod level;
mod port;
mod probe;

use std::fs::File;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::{JoinHandle, spawn};

use serde::{Deserialize, Serialize};

pub use self::core::{CallTrack, CoreTrack};
pub use self::port::PortTrack;
pub use self::probe::Probe;
use super::program::Program;
use super::shell::Shell;
use crate::cores::Cycle;
use crate::error::{Error, Result, Status};
use crate::wave::{Format, Part, SECTION_TICKS, Section, Signals, Track, Writer, writer};

/// How far a core's requests may lie behind the cycle in which it says that it is.
const LATEST_CYCLES: Cycle = 64;
/// Sections that wait to be written.
const WAITING_SECTIONS: usize = 2;

/// A file that is to be written.
#[derive(Debug, Clone, Deserialize)]
pub struct FileRequest {
    /// Its name.
    pub file: PathBuf,
    /// How it is written.
    pub format: Format,
}

/// What is to be written, and where.
#[derive(Debug, Clone, Deserialize)]
pub struct WaveRequest {
    /// All files, of which each has the same.
    pub files: Vec<FileRequest>,
    /// The first cycle.
    pub from: Cycle,
    /// The first one behind the last.
    pub to: Cycle,
}

/// A wave under way.
pub struct Wave {
    files: Vec<FileRequest>,
    window: Range<Cycle>,
    clock_ps: u64,
    /// The cycle in which the core comes out of reset: before it nothing happens.
    reset: Cycle,
    /// What the core tells.
    pub core: CoreTrack,
    /// What calls do.
    pub calls: CallTrack,
    /// The core's port, or that for instructions if it has two.
    pub fetch: PortTrack,
    /// The port for data, and for devices.
    pub data: PortTrack,
    /// Those that wait to look at kernels.
    probes: Vec<Probe>,
    state: State,
    /// The first cycle that is not given to the writer.
    first: Cycle,
    /// Who compresses and writes, beside the simulation.
    writer: Option<(SyncSender<Section>, JoinHandle<std::io::Result<()>>)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Before,
    Recording,
    Ended,
}

/// What a wave has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WaveReport {
    /// The first cycle.
    pub from: Cycle,
    /// The first one behind the last.
    pub to: Cycle,
}

impl Wave {
    /// Begins a file. `reset`: the cycle in which the core begins.
    ///
    /// # Errors
    /// [`Status::BadArgument`] if it cannot be written.
    pub fn new(
        asked: &WaveRequest,
        (clock_ps, reset): (u64, Cycle),
        program: &Program,
        kernels: &[(&str, &Shell)],
    ) -> Result<Self> {
        let mut signals = Signals::of("chip");
        let core = CoreTrack::new(&mut signals, program);
        let calls = CallTrack::new(&mut signals, kernels.iter().map(|&(name, _)| name));
        let fetch = PortTrack::new(&mut signals, "instructions");
        let data = PortTrack::new(&mut signals, "data");
        let probe = |&(name, shell): &(&str, &Shell)| Probe::new(&mut signals, name, shell.shown());
        let probes = kernels.iter().map(probe).collect();
        let mut wave = Self {
            files: asked.files.clone(),
            window: asked.from..asked.to,
            clock_ps,
            reset,
            core,
            calls,
            fetch,
            data,
            probes,
            state: State::Before,
            first: 0,
            writer: None,
        };
        let begun = |one: &FileRequest| writer(one.format, File::create(&one.file)?, &signals);
        let writers = asked.files.iter().map(begun);
        let writers =
            writers.collect::<std::io::Result<_>>().map_err(|error| wave.failed(&error))?;
        let (sender, sections) = sync_channel(WAITING_SECTIONS);
        wave.writer = Some((sender, spawn(|| written(writers, sections))));
        Ok(wave)
    }

    /// The cycle up to which the core may go on.
    pub fn until(&self, now: Cycle) -> Cycle {
        match self.state {
            State::Before => self.window.start.max(now),
            State::Recording => self.window.end.min(now.saturating_add(SECTION_TICKS)),
            State::Ended => Cycle::MAX,
        }
    }

    /// Whether it records.
    pub fn is_recording(&self) -> bool {
        self.state == State::Recording
    }

    /// The core has come to a cycle, and kernels too: begins to record, writes what is known, or ends.
    ///
    /// # Errors
    /// [`Status::BadArgument`] if the file cannot be written.
    pub fn go_on(&mut self, now: Cycle, shells: &mut [Shell], call: Option<usize>) -> Result<()> {
        match self.state {
            State::Before if now >= self.window.start => self.begin(now, shells, call),
            State::Recording if now >= self.window.end => return self.end(now, shells),
            State::Recording => {
                while now >= self.first + SECTION_TICKS + LATEST_CYCLES {
                    self.write(SECTION_TICKS, shells, |track, end| track.take(end))?;
                }
            }
            State::Before | State::Ended => {}
        }
        Ok(())
    }

    fn begin(&mut self, now: Cycle, shells: &mut [Shell], call: Option<usize>) {
        self.state = State::Recording;
        let now = if now > self.reset { now } else { self.window.start };
        (self.window.start, self.first) = (now, now);
        for (shell, probe) in shells.iter_mut().zip(self.probes.drain(..)) {
            shell.watch(probe);
        }
        self.tracks(shells).iter_mut().for_each(|track| track.begin(now));
        self.calls.call(now, call);
        shells.iter_mut().for_each(|shell| shell.show_state(now));
    }

    /// Ends the file behind a cycle, if that is not done.
    ///
    /// # Errors
    /// As [`Self::go_on`].
    pub fn end(&mut self, now: Cycle, shells: &mut [Shell]) -> Result<()> {
        let state = std::mem::replace(&mut self.state, State::Ended);
        let end = self.window.end.min(now).max(self.window.start);
        if state == State::Recording {
            self.window.end = end;
            while end > self.first {
                let cycles = SECTION_TICKS.min(end - self.first);
                self.write(cycles, shells, |track, end| {
                    track.come(end);
                    track.take_last(cycles)
                })?;
            }
            shells.iter_mut().for_each(Shell::forget_probe);
        } else if state == State::Before {
            self.window = now..now;
        }
        self.joined()
    }

    /// Gives the next section to the writer.
    fn write(
        &mut self,
        cycles: u64,
        shells: &mut [Shell],
        take: impl Fn(&mut Track, Cycle) -> Part,
    ) -> Result<()> {
        let (first, end) = (self.first, self.first + cycles);
        self.core.settle(end);
        self.fetch.settle(end);
        self.data.settle(end);
        let tracks = self.tracks(shells);
        let parts = tracks.into_iter().map(|track| take(track, end)).collect();
        self.first = end;
        let section = Section::of_clock(first, cycles, self.clock_ps, parts);
        let sent = self.writer.as_ref().map(|(sender, _)| sender.send(section));
        match sent {
            Some(Err(_)) => self.joined(),
            _ => Ok(()),
        }
    }

    fn tracks<'t>(&'t mut self, shells: &'t mut [Shell]) -> Vec<&'t mut Track> {
        let Self { core, calls, fetch, data, .. } = self;
        let own = [&mut core.track, &mut calls.track, &mut fetch.track, &mut data.track];
        let of_kernels = shells.iter_mut().filter_map(|shell| shell.probe()).map(Probe::track);
        own.into_iter().chain(of_kernels).collect()
    }

    /// Waits for the writer.
    fn joined(&mut self) -> Result<()> {
        let Some((sender, thread)) = self.writer.take() else { return Ok(()) };
        drop(sender);
        let written =
            thread.join().unwrap_or_else(|_| Err(std::io::Error::other("it was given up")));
        written.map_err(|error| self.failed(&error))
    }

    fn failed(&self, error: &std::io::Error) -> Error {
        let names: Vec<_> = self.files.iter().map(|one| one.file.display().to_string()).collect();
        let message = format!("{}: cannot write the wave: {error}", names.join(", "));
        Error::new(Status::BadArgument, message)
    }

    /// What it has come to.
    pub fn report(&self) -> WaveReport {
        WaveReport { from: self.window.start, to: self.window.end }
    }
}

/// Writes all sections that come.
fn written(
    mut writers: Vec<Box<dyn Writer>>,
    sections: std::sync::mpsc::Receiver<Section>,
) -> std::io::Result<()> {
    for section in sections {
        writers.iter_mut().try_for_each(|writer| writer.section(&section))?;
    }
    writers.iter_mut().try_for_each(|writer| writer.end())
}
