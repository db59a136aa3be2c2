// SPDX-License-Identifier: Apache-2.0
//! A program's way through a chip.

use std::cell::Cell;
use std::path::PathBuf;
use std::time::Instant;

use super::Chip;
use super::breaks::{Break, Breaks, Reason, named, state_of};
use super::calls::Bounds;
use super::fault::Fault;
use super::host::Host;
use super::lines::line_at;
use super::processor::{Processor, processor};
use super::profile::Profile;
use super::program::Program;
use super::report::{FORMAT_VERSION, KernelReport, Report};
use super::request::{KernelRequest, Request, read_model, read_settings};
use super::settings::ChipSettings;
use super::shell::Shell;
use super::tally::Tally;
use super::tap::{Accesses, Seen, Tap};
use super::timeline::Timeline;
use super::watch::Watch;
use super::wave::Wave;
use crate::cores::rtl::RtlCore;
use crate::cores::{Cause, Cycle, Stop, Trap};
use crate::error::{Error, Result, Status};
use crate::host::wall::duration_ps;

/// How far a run has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It goes on.
    Running,
    /// The program has ended.
    Ended,
    /// It was stopped where that was asked for.
    Stopped,
}

/// A run.
pub struct Run {
    settings: ChipSettings,
    /// The program's file.
    file: PathBuf,
    program: Program,
    chip: Chip,
    processor: Box<dyn Processor>,
    watch: Watch,
    wave: Option<Wave>,
    breaks: Breaks,
    accesses: Accesses,
    stopped: Option<Break>,
    begun: Instant,
}

impl Run {
    /// A program out of reset.
    ///
    /// # Errors
    /// [`Status::BadPlatform`], [`Status::BadArgument`] for what is no program of this chip,
    /// [`Status::TooLarge`] for one that does not fit, [`Status::BadPackage`].
    pub fn new(request: Request) -> Result<Self> {
        let settings = read_settings(&request)?;
        let program = Program::load(&request.program, settings.machine())?;
        let shells =
            request.kernels.iter().map(KernelRequest::shell).collect::<Result<Vec<_>>>()?;
        let driven = request.kernels.iter().map(|kernel| &kernel.driven);
        let drivers: Vec<_> =
            driven.map(|one| (one.kernel.as_str(), one.driver.as_str())).collect();
        let breaks = request.breaks.find(&program, settings.machine(), &drivers)?;
        let host = Host::new(request.arguments, request.output);
        let mut chip = Chip::new(&settings, shells, host);
        chip.memory.load(&program)?;
        chip.read_only = program.read_only();
        let stack_limit = program.address("STACK_LIMIT").unwrap_or_default();
        chip.stack_guard = stack_limit.saturating_sub(GUARD_BYTES)..stack_limit;
        let bounds = Bounds { stack_limit, limit_cycles: request.limit_cycles };
        let driven: Vec<_> = request.kernels.iter().map(|kernel| kernel.driven.clone()).collect();
        let rtl = request.core_rtl.as_deref().map(read_model).transpose()?;
        let rtl = rtl.as_deref().map(RtlCore::load).transpose()?;
        let processor = processor(&settings, (&driven, &program, bounds), rtl)?;
        let names = request.kernels.iter().map(|kernel| kernel.driven.kernel.as_str());
        let kernels: Vec<_> = names.zip(&chip.shells).collect();
        let times = (settings.clock_ps, processor.cycle());
        let wave = request.wave.as_ref();
        let wave = wave.map(|asked| Wave::new(asked, times, &program, &kernels)).transpose()?;
        let has_profile = request.profile || request.timeline || wave.is_some();
        let profile = has_profile.then(|| Profile::new(&program, request.timeline));
        chip.timeline = request.timeline.then(Timeline::default);
        let register = settings.machine().stack_register();
        let watch = Watch::new((register, stack_limit), profile);
        let accesses = Accesses { watched: breaks.on_store, ..Accesses::default() };
        let (stopped, begun) = (None, Instant::now());
        let mut run = Self {
            settings,
            file: request.program,
            program,
            chip,
            processor,
            watch,
            wave,
            breaks,
            accesses,
            stopped,
            begun,
        };
        run.set_stops();
        Ok(run)
    }

    /// Goes on for so many cycles.
    ///
    /// # Errors
    /// [`Status::WrongResult`] where hardware and C differ, [`Status::BadArgument`] where the
    /// program does what it must not.
    pub fn go_on(&mut self, cycles: u64) -> Result<State> {
        let end = self.processor.cycle().saturating_add(cycles);
        while self.processor.cycle() < end {
            if self.processor.is_beside() {
                self.call()?;
                return Ok(State::Running);
            }
            let stop = self.run_core(end)?;
            if let Some(fault) = self.chip.shells.iter().find_map(|shell| shell.fault.as_ref()) {
                return Err(Error::new(Status::WrongResult, fault.clone()));
            }
            if let Some(fault) = self.chip.fault {
                return Err(self.stopped_at(self.processor.pc(), &fault.told()));
            }
            if let Some(pc) = self.watch.stack.left.take().filter(|&pc| self.makes_a_frame(pc)) {
                return Err(self.stopped_at(pc, &Fault::Overflowed.told()));
            }
            if let Some(reason) = self.break_of(stop) {
                self.processor.catch_up(&mut self.chip)?;
                self.stopped = Some(self.told(reason));
                return Ok(State::Stopped);
            }
            match stop {
                Stop::Reached => {}
                Stop::Stopped => self.call()?,
                Stop::Trapped(trap) if trap.cause == Cause::Breakpoint => {
                    let status = self.processor.result();
                    self.chip.host.exit.get_or_insert(status.cast_signed() & 0xff);
                    return Ok(State::Ended);
                }
                Stop::Trapped(_) if self.chip.host.exit.is_some() => return Ok(State::Ended),
                Stop::Trapped(trap) => return Err(self.trapped(trap)),
            }
        }
        Ok(State::Running)
    }

    fn call(&mut self) -> Result<()> {
        self.processor.call(&mut self.chip)?;
        self.set_stops();
        if let Some(wave) = self.wave.as_mut().filter(|wave| wave.is_recording()) {
            wave.calls.call(self.processor.cycle(), self.processor.under_way());
        }
        Ok(())
    }

    fn set_stops(&mut self) {
        self.watch.stops = self.processor.stops();
        self.watch.stops.places.extend(self.breaks.on);
    }

    /// Lets the core go on until a cycle, or less far; only who wants to look pays for it.
    fn run_core(&mut self, end: Cycle) -> Result<Stop> {
        let end = end.min(self.breaks.at.unwrap_or(Cycle::MAX));
        self.write_wave()?;
        let until = |wave: &Wave| wave.until(self.processor.cycle());
        let stop = self.run_until(end.min(self.wave.as_ref().map_or(Cycle::MAX, until)))?;
        self.write_wave()?;
        Ok(stop)
    }

    /// What the chip has done by now is told to a wave, if there is one.
    fn write_wave(&mut self) -> Result<()> {
        let Some(wave) = &mut self.wave else { return Ok(()) };
        let now = self.processor.cycle();
        self.chip.advance(now);
        wave.go_on(now, &mut self.chip.shells, self.processor.under_way())
    }

    fn run_until(&mut self, end: Cycle) -> Result<Stop> {
        let is_recording = self.wave.as_ref().is_some_and(Wave::is_recording);
        if !is_recording && self.breaks == Breaks::default() {
            return self.processor.run(&mut self.chip, end, &mut self.watch);
        }
        let is_stored = Cell::new(false);
        let wave = self.wave.as_mut().filter(|_| is_recording);
        let (core, ports) = wave.map_or((None, None), |wave| {
            (Some(&mut wave.core), Some((&mut wave.fetch, &mut wave.data)))
        });
        let mut tap = Tap {
            chip: &mut self.chip,
            accesses: &mut self.accesses,
            is_stored: &is_stored,
            ports,
            shows_memory: self.settings.strongarm.is_none(),
        };
        let mut seen = Seen { watch: &mut self.watch, core, is_stored: &is_stored };
        let stop = self.processor.run_watched(&mut tap, end, &mut seen)?;
        self.accesses.is_stored = is_stored.get();
        Ok(stop)
    }

    /// Why the run is to be stopped here, if it is.
    fn break_of(&self, stop: Stop) -> Option<Reason> {
        let is_at = |at| self.processor.cycle() >= at;
        match stop {
            _ if self.accesses.is_stored => Some(Reason::Store),
            Stop::Stopped if self.breaks.on == Some(self.processor.pc()) => {
                Some(Reason::Instruction)
            }
            Stop::Reached if self.breaks.at.is_some_and(is_at) => Some(Reason::Cycle),
            _ => None,
        }
    }

    /// What is told where the run has stopped.
    fn told(&mut self, reason: Reason) -> Break {
        let (cycle, pc) = (self.processor.cycle(), self.processor.pc());
        self.chip.advance(cycle);
        let tallies = self.processor.tallies().iter().zip(&self.chip.shells).enumerate();
        let called = self.processor.under_way();
        let kernels = tallies
            .map(|(number, (tally, shell))| state_of(&tally.kernel, shell, called == Some(number)));
        Break {
            reason,
            cycle,
            pc,
            place: self.program.place(pc),
            line: std::fs::read(&self.file).ok().and_then(|elf| line_at(&elf, pc)),
            instruction: self.settings.machine().instruction(self.word_at(pc)),
            registers: named(self.settings.machine(), self.processor.registers()),
            accesses: self.accesses.last.iter().copied().collect(),
            kernels: kernels.collect(),
        }
    }

    /// Ends the wave, so that its file is whole.
    ///
    /// # Errors
    /// [`Status::BadArgument`] if it cannot be written.
    pub fn end_wave(&mut self) -> Result<()> {
        let now = self.processor.cycle();
        self.wave.as_mut().map_or(Ok(()), |wave| wave.end(now, &mut self.chip.shells))
    }

    /// Whether an instruction moves the stack pointer down; one that loads another has changed stacks.
    fn makes_a_frame(&self, pc: u32) -> bool {
        self.settings.machine().moves_stack_pointer(self.word_at(pc))
    }

    /// What is at an instruction's address.
    fn word_at(&self, pc: u32) -> u32 {
        let bytes = self.chip.memory.bytes(pc & !1, 4);
        bytes.map_or(0, |bytes| bytes.try_into().map_or(0, u32::from_le_bytes))
    }

    fn stopped_at(&self, pc: u32, what: &str) -> Error {
        let place = self.program.place(pc);
        let cycle = self.processor.cycle();
        let message = format!("{what}, in {place} ({pc:#010x}), cycle {cycle}");
        Error::new(Status::BadArgument, message)
    }

    fn trapped(&self, trap: Trap) -> Error {
        let address = trap.address;
        let what = match trap.cause {
            Cause::Refused if self.chip.is_device(address) => format!(
                "an access of the device at {address:#010x}, which has no such register, or of less \
                 than a word of it"
            ),
            _ => trap.told(),
        };
        self.stopped_at(trap.pc, &what)
    }

    /// Where the program is now, for people.
    pub fn place(&self) -> String {
        self.program.place(self.processor.pc())
    }

    fn kernels(&self) -> Vec<KernelReport> {
        let tallies = self.processor.tallies().iter().zip(&self.chip.shells);
        let row = |(tally, shell): (&Tally, &Shell)| KernelReport {
            tally: tally.clone(),
            activity: shell.activity(),
        };
        tallies.map(row).collect()
    }

    /// What happened when: what the bus and calls did, and then the program's functions.
    fn timeline(&self) -> Option<Timeline> {
        let mut found = self.chip.timeline.clone()?;
        if let Some(visits) = self.watch.profile.as_ref().and_then(|p| p.visits.as_ref()) {
            visits.tell(&self.program, &mut found);
        }
        Some(found)
    }

    /// What it has come to.
    pub fn report(&self) -> Report {
        Report {
            format_version: FORMAT_VERSION,
            platform: self.settings.name.clone(),
            clock_ps: self.settings.clock_ps,
            core: self.settings.core.clone(),
            cycles: self.processor.cycle(),
            instructions: self.watch.instructions,
            exit_status: self.chip.host.exit,
            sent: self.chip.uart.sent.clone(),
            kernels: self.kernels(),
            functions: self.watch.profile.as_ref().map_or(Vec::new(), |p| p.rows(&self.program)),
            timeline: self.timeline(),
            core_rtl: self.processor.followed(),
            wave: self.wave.as_ref().map(Wave::report),
            stopped: self.stopped.clone(),
            wall_ps: duration_ps(self.begun.elapsed()),
        }
    }
}

/// What lies below the stack and belongs to nobody.
const GUARD_BYTES: u32 = 64;
