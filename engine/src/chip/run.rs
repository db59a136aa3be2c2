// SPDX-License-Identifier: Apache-2.0
//! A program's way through a chip.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde::Deserialize;

use super::Chip;
use super::breaks::{Break, BreakRequest, Breaks, Reason, named, state_of};
use super::calls::{Bounds, Driven, Stops, Tally};
use super::fault::Fault;
use super::host::Host;
use super::lines::line_at;
use super::processor::{Processor, processor};
use super::program::Program;
use super::report::{FORMAT_VERSION, FunctionTime, KernelReport, Report};
use super::settings::ChipSettings;
use super::shell::{Held, Shell};
use super::tap::{Accesses, Seen, Tap};
use super::timeline::{Event, KEPT_EVENTS, Timeline, Track};
use super::wave::{Wave, WaveRequest};
use crate::cores::rtl::RtlCore;
use crate::cores::{Cause, Cycle, Observer, Retired, Stop, Trap};
use crate::error::{Error, Result, Status};
use crate::execute::duration_ps;
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

fn read_model(file: &Path) -> Result<Vec<u8>> {
    let failed = |cause| Error::new(Status::BadPackage, format!("{}: {cause}", file.display()));
    std::fs::read(file).map_err(failed)
}

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

/// Who looks at the core: counts, and stops it where calls begin and end.
pub struct Watch {
    stops: Stops,
    /// The place at which it has just been stopped: it goes on from there.
    passed: Option<u32>,
    instructions: u64,
    profile: Option<Profile>,
    stack: StackWatch,
}

/// Whether the stack pointer leaves the stack.
struct StackWatch {
    register: u8,
    limit: u32,
    pointer: u32,
    /// The instruction by which it has.
    left: Option<u32>,
}

impl StackWatch {
    #[inline]
    fn retired(&mut self, retired: Retired) {
        if retired.register != self.register {
            return;
        }
        if retired.value < self.limit && self.pointer >= self.limit {
            self.left.get_or_insert(retired.pc);
        }
        self.pointer = retired.value;
    }
}

/// Time by function.
struct Profile {
    /// By half a word of the program: which function.
    of: Vec<u32>,
    base: u32,
    cycles: Vec<u64>,
    instructions: Vec<u64>,
    last: Cycle,
    /// Where the program went from one function to another, if that is wanted.
    visits: Option<Visits>,
}

/// Which function runs from which cycle on.
struct Visits {
    now: usize,
    begun: Vec<(usize, Cycle)>,
    dropped: u64,
}

impl Watch {
    /// The function of an instruction, by its number in the profile.
    #[inline]
    pub fn function(&self, pc: u32) -> usize {
        self.profile.as_ref().map_or(0, |profile| profile.row(pc))
    }
}

impl Observer for Watch {
    #[inline]
    fn retired(&mut self, retired: Retired) {
        self.instructions += 1;
        self.stack.retired(retired);
        if let Some(profile) = &mut self.profile {
            profile.count(retired);
        }
    }

    #[inline]
    fn stops_at(&mut self, pc: u32) -> bool {
        let stops = self.stops.stops_at(pc) && self.passed.take() != Some(pc);
        if stops {
            self.passed = Some(pc);
        }
        stops
    }
}

impl Profile {
    fn new(program: &Program, has_timeline: bool) -> Self {
        let base = program.segments.iter().map(|s| s.address).min().unwrap_or_default();
        let end = |s: &super::program::Segment| s.address.saturating_add(s.bytes);
        let end = program.segments.iter().map(end).max().unwrap_or_default();
        let mut of = vec![u32::MAX; (end.saturating_sub(base) / 2) as usize + 1];
        for (index, symbol) in program.symbols.iter().enumerate() {
            let first = (symbol.address.saturating_sub(base) / 2) as usize;
            let last = first + symbol.bytes.div_ceil(2) as usize;
            if symbol.is_function && last <= of.len() {
                of[first..last].fill(index as u32);
            }
        }
        let count = program.symbols.len() + 1;
        let none = || Visits { now: usize::MAX, begun: Vec::new(), dropped: 0 };
        let visits = has_timeline.then(none);
        let (cycles, instructions) = (vec![0; count], vec![0; count]);
        Self { of, base, cycles, instructions, last: 0, visits }
    }

    /// The row of the function that an address is in.
    #[inline]
    fn row(&self, pc: u32) -> usize {
        let place = (pc.wrapping_sub(self.base) / 2) as usize;
        let of = self.of.get(place).map_or(usize::MAX, |&index| index as usize);
        of.min(self.cycles.len() - 1)
    }

    #[inline]
    fn count(&mut self, retired: Retired) {
        let row = self.row(retired.pc);
        self.cycles[row] += retired.cycle.saturating_sub(self.last);
        self.instructions[row] += 1;
        if let Some(visits) = self.visits.as_mut().filter(|visits| visits.now != row) {
            visits.add(row, self.last);
        }
        self.last = retired.cycle;
    }

    fn rows(&self, program: &Program) -> Vec<FunctionTime> {
        let row = |(row, (&cycles, &instructions)): (usize, (&u64, &u64))| {
            (instructions > 0).then(|| FunctionTime {
                name: name_of(program, row).to_string(),
                cycles,
                instructions,
            })
        };
        let counts = self.cycles.iter().zip(&self.instructions);
        let mut rows: Vec<_> = counts.enumerate().filter_map(row).collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row.cycles));
        rows
    }
}

impl Visits {
    /// Another one runs, from a cycle on.
    #[cold]
    fn add(&mut self, row: usize, from: Cycle) {
        self.now = row;
        // So many have an end too.
        match self.begun.len() <= KEPT_EVENTS {
            true => self.begun.push((row, from)),
            false => self.dropped += 1,
        }
    }

    /// What the program did in which function, but for the last one.
    fn tell(&self, program: &Program, timeline: &mut Timeline) {
        let both = self.begun.iter().zip(self.begun.iter().skip(1));
        let event = |(&(row, begin), &(_, end)): (&(usize, Cycle), &(usize, Cycle))| {
            Event::plain(Track::Processor, name_of(program, row), begin, end)
        };
        timeline.events.extend(both.map(event));
        timeline.dropped += self.dropped;
    }
}

/// The function of a profile's row.
fn name_of(program: &Program, row: usize) -> &str {
    program.symbols.get(row).map_or("(elsewhere)", |symbol| &symbol.name)
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
        let stack = StackWatch { register, limit: stack_limit, pointer: 0, left: None };
        let (stops, passed) = (Stops::default(), None);
        let watch = Watch { stops, passed, instructions: 0, profile, stack };
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

fn read_settings(request: &Request) -> Result<ChipSettings> {
    let shown = request.platform.display().to_string();
    let text = std::fs::read_to_string(&request.platform)
        .map_err(|error| Error::new(Status::BadPlatform, format!("{shown}: error: {error}")))?;
    ChipSettings::parse(&shown, &text, Changes(&request.changes))
}
