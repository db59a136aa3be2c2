// SPDX-License-Identifier: Apache-2.0
//! One time line of a recording: what the system does, and the cycles of each call where they were.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::lane::{Lane, Recorded, Stored};
use super::spool::{Block, Blocks};
use super::system::{IN_FLIGHT, Shows};
use super::{Begun, KernelRow, Record};
use crate::error::{Error, Result, Status};
use crate::wave::{Format, SECTION_TICKS, Section, Signal, Signals, Tick, Track, writer};

/// What a component shows, and the width of each; 0 of text.
const OF_COMPONENT: [(&str, u32); 4] = [("busy", 1), ("category", 0), ("call", 32), ("bytes", 64)];
/// What stands for no category.
const NONE: &str = "-";

/// What is to be made of a recording.
#[derive(Debug, Deserialize)]
pub struct JoinRequest {
    /// The recording.
    pub recording: PathBuf,
    /// The file.
    pub file: PathBuf,
    /// How it is written.
    pub format: Format,
    /// The file that tells what was made, as JSON.
    pub report: PathBuf,
    /// The first time.
    pub from_ps: u64,
    /// The first one behind the last.
    pub to_ps: u64,
}

/// What was made.
#[derive(Debug, Serialize)]
struct Joined {
    /// The first time that it has.
    from_ps: u64,
    /// The end of the last.
    to_ps: u64,
    /// The calls of which it has cycles.
    calls: u64,
    /// Cycles of all.
    cycles: u64,
    /// All signals.
    signals: Vec<SignalName>,
}

/// A signal.
#[derive(Debug, Serialize)]
struct SignalName {
    /// Its scopes, the outermost first.
    scopes: Vec<String>,
    /// Its name there.
    name: String,
    /// Its width; 0 of text.
    bits: u32,
}

/// Makes a wave, and tells what it has.
///
/// # Errors
/// [`Status::BadArgument`] where a file cannot be read or written.
pub fn join(request: &JoinRequest) -> Result<()> {
    let written = joined(request)
        .and_then(|made| std::fs::write(&request.report, serde_json::to_vec(&made)?));
    written.map_err(|error| {
        let message = format!("{}: cannot write the wave: {error}", request.file.display());
        Error::new(Status::BadArgument, message)
    })
}

fn joined(request: &JoinRequest) -> io::Result<Joined> {
    let found = Found::read(&request.recording)?;
    let calls = found.calls(request);
    let mut line = Line::new(found, request)?;
    let (count, cycles) = (calls.len() as u64, calls.iter().map(|call| call.cycles).sum());
    let mut writer = writer(request.format, File::create(&request.file)?, &line.signals)?;
    let mut calls = calls.into_iter().peekable();
    let mut is_empty = true;
    while let Some(section) = line.section(&mut calls)? {
        writer.section(&section)?;
        is_empty = false;
    }
    if is_empty {
        writer.section(&line.empty())?;
    }
    writer.end()?;
    let name =
        |signal: Signal| SignalName { scopes: signal.scopes, name: signal.name, bits: signal.bits };
    Ok(Joined {
        from_ps: line.first_ps.unwrap_or(request.from_ps),
        to_ps: line.last_ps,
        calls: count,
        cycles,
        signals: line.signals.rows.into_iter().map(name).collect(),
    })
}

/// What a recording has.
#[derive(Default)]
struct Found {
    kernels: BTreeMap<usize, KernelRow>,
    components: Vec<String>,
    begun: HashMap<Record, Begun>,
    parts: HashMap<Record, Vec<Stored>>,
    ended: Vec<(Record, usize, u64)>,
}

impl Found {
    fn read(recording: &Path) -> io::Result<Self> {
        let mut found = Self::default();
        let mut blocks = Blocks::new(recording)?;
        while let Some((kind, place, bytes)) = blocks.next()? {
            match kind {
                Block::Kernel => {
                    let row: KernelRow = serde_json::from_slice(&blocks.body(bytes)?)?;
                    found.kernels.insert(row.kernel, row);
                }
                Block::Component => {
                    let name = String::from_utf8_lossy(&blocks.body(bytes)?).into_owned();
                    found.components.push(name);
                }
                Block::Begins => {
                    let [record, time_ps, clock_ps] = blocks.head(bytes)?;
                    found.begun.insert(record, Begun { time_ps, clock_ps });
                }
                Block::Part => {
                    let [record, _, first, cycles] = blocks.head(bytes)?;
                    let cycles = first..first + cycles;
                    found.parts.entry(record).or_default().push(Stored { cycles, place, bytes });
                }
                Block::Ends => {
                    let [record, kernel, cycles] = blocks.head(bytes)?;
                    found.ended.push((record, kernel as usize, cycles));
                }
                Block::System => _ = blocks.head::<0>(bytes)?,
            }
        }
        Ok(found)
    }

    /// The calls that are in the window, in the order in which they begin, each with a unit of its
    /// kernel that is free then.
    fn calls(&self, request: &JoinRequest) -> Vec<Recorded> {
        let recorded = |&(record, kernel, cycles): &(Record, usize, u64)| {
            let parts = self.parts.get(&record).cloned().unwrap_or_default();
            let begun = *self.begun.get(&record)?;
            Some(Recorded { record, kernel, begun, cycles, parts, unit: 0 })
        };
        let is_inside =
            |call: &Recorded| call.begun.time_ps < request.to_ps && call.end_ps() > request.from_ps;
        let mut calls: Vec<_> = self.ended.iter().filter_map(recorded).filter(is_inside).collect();
        calls.sort_by_key(|call| (call.begun.time_ps, call.record));
        let mut busy_until: HashMap<usize, Vec<u64>> = HashMap::new();
        for call in &mut calls {
            let units = busy_until.entry(call.kernel).or_default();
            let free = units.iter().position(|&end_ps| end_ps <= call.begun.time_ps);
            call.unit = free.unwrap_or(units.len());
            units.resize(units.len().max(call.unit + 1), 0);
            units[call.unit] = call.end_ps();
        }
        calls
    }
}

/// A time line under way.
struct Line {
    signals: Signals,
    system: SystemLane,
    /// The units, by kernel.
    lanes: BTreeMap<(usize, usize), Lane>,
    blocks: Blocks,
    window_ps: (u64, u64),
    /// The first tick of the next section.
    tick: Tick,
    first_ps: Option<u64>,
    last_ps: u64,
}

impl Line {
    fn new(found: Found, request: &JoinRequest) -> io::Result<Self> {
        let mut signals = Signals::of("run");
        let system = SystemLane::new(&mut signals, &found.components, &request.recording)?;
        let mut lanes = BTreeMap::new();
        let mut units: BTreeMap<usize, usize> = BTreeMap::new();
        for call in found.calls(request) {
            let own = units.entry(call.kernel).or_default();
            *own = (*own).max(call.unit + 1);
        }
        for (kernel, count) in units {
            let Some(row) = found.kernels.get(&kernel) else { continue };
            for unit in 0..count {
                let name = format!("unit{unit}");
                let scopes = [row.name.as_str(), name.as_str()];
                let scopes = if count == 1 { &scopes[..1] } else { &scopes[..] };
                lanes.insert((kernel, unit), Lane::new(&mut signals, scopes, row));
            }
        }
        Ok(Self {
            signals,
            system,
            lanes,
            blocks: Blocks::new(&request.recording)?,
            window_ps: (request.from_ps, request.to_ps),
            tick: 0,
            first_ps: None,
            last_ps: request.from_ps,
        })
    }

    /// The next section of the window; nothing behind its end.
    fn section(
        &mut self,
        calls: &mut std::iter::Peekable<impl Iterator<Item = Recorded>>,
    ) -> io::Result<Option<Section>> {
        loop {
            let is_before = self.first_ps.is_none();
            let times_ps = self.times(calls)?;
            let Some(&last_ps) = times_ps.last() else { return Ok(None) };
            let ticks = times_ps.len() as u64;
            for lane in self.lanes.values_mut() {
                lane.settle(&mut self.blocks)?;
            }
            let tracks = std::iter::once(&mut self.system.track)
                .chain(self.lanes.values_mut().map(|lane| &mut lane.track));
            let parts = tracks.map(|track| track.cut(ticks)).collect();
            self.tick += ticks;
            if is_before && self.first_ps.is_none() {
                continue;
            }
            self.last_ps = last_ps;
            return Ok(Some(Section { times_ps, end_ps: last_ps, parts }));
        }
    }

    /// A section in which nothing happens: readers want one.
    fn empty(&mut self) -> Section {
        let tracks = std::iter::once(&mut self.system.track)
            .chain(self.lanes.values_mut().map(|lane| &mut lane.track));
        let parts = tracks.map(|track| track.cut(1)).collect();
        let (from_ps, _) = self.window_ps;
        Section { times_ps: vec![from_ps], end_ps: from_ps, parts }
    }

    /// The times of the next section: all before the window, or as many as a section has.
    fn times(
        &mut self,
        calls: &mut std::iter::Peekable<impl Iterator<Item = Recorded>>,
    ) -> io::Result<Vec<u64>> {
        let (from_ps, to_ps) = self.window_ps;
        let mut times_ps = Vec::new();
        while (times_ps.len() as u64) < SECTION_TICKS {
            let lanes = self.lanes.values().filter_map(Lane::next_ps);
            let sources = lanes
                .chain(self.system.next_ps())
                .chain(calls.peek().map(|call| call.begun.time_ps));
            let Some(next_ps) = sources.min().filter(|&next_ps| next_ps < to_ps) else { break };
            let mut time_ps = next_ps;
            if self.first_ps.is_none() && next_ps >= from_ps {
                if !times_ps.is_empty() {
                    break;
                }
                // What is known by then is told at the window's begin.
                self.first_ps = Some(from_ps);
                self.restate();
                if from_ps < next_ps && self.knows() {
                    times_ps.push(from_ps);
                    continue;
                }
                time_ps = next_ps;
            }
            let tick = self.tick + times_ps.len() as u64;
            times_ps.push(time_ps);
            self.happens(tick, time_ps, calls)?;
        }
        Ok(times_ps)
    }

    fn knows(&self) -> bool {
        self.tick > 0
    }

    fn restate(&mut self) {
        let tick = self.tick;
        self.system.restate(tick);
        self.lanes.values_mut().for_each(|lane| lane.track.restate(tick));
    }

    fn happens(
        &mut self,
        tick: Tick,
        time_ps: u64,
        calls: &mut std::iter::Peekable<impl Iterator<Item = Recorded>>,
    ) -> io::Result<()> {
        self.system.step(tick, time_ps)?;
        for lane in self.lanes.values_mut().filter(|lane| lane.next_ps() == Some(time_ps)) {
            lane.step(tick);
        }
        while let Some(call) = calls.next_if(|call| call.begun.time_ps == time_ps) {
            if let Some(lane) = self.lanes.get_mut(&(call.kernel, call.unit)) {
                lane.begin(tick, time_ps, call);
            }
        }
        Ok(())
    }
}

/// What the system does.
struct SystemLane {
    track: Track,
    /// What each component shows.
    shown: Vec<Option<Shows>>,
    blocks: Blocks,
    next: Option<Shows>,
}

impl SystemLane {
    fn new(signals: &mut Signals, components: &[String], recording: &Path) -> io::Result<Self> {
        let of_component = components.iter().flat_map(|name| {
            OF_COMPONENT.map(|(signal, bits)| Signal::new(&["system", name], signal, bits))
        });
        let in_flight = Signal::new(&["system"], "calls_in_flight", 32);
        let track = signals.track(of_component.chain(std::iter::once(in_flight)));
        let shown = vec![None; components.len()];
        let mut made = Self { track, shown, blocks: Blocks::new(recording)?, next: None };
        made.go_on()?;
        Ok(made)
    }

    fn go_on(&mut self) -> io::Result<()> {
        self.next = None;
        while let Some((kind, _, bytes)) = self.blocks.next()? {
            if kind == Block::System {
                self.next = Some(Shows::of(self.blocks.head(bytes)?));
                return Ok(());
            }
            self.blocks.head::<0>(bytes)?;
        }
        Ok(())
    }

    fn next_ps(&self) -> Option<u64> {
        self.next.map(|next| next.time_ps)
    }

    fn step(&mut self, tick: Tick, time_ps: u64) -> io::Result<()> {
        let mut last: BTreeMap<u64, Shows> = BTreeMap::new();
        while let Some(next) = self.next.filter(|next| next.time_ps == time_ps) {
            last.insert(next.component, next);
            self.go_on()?;
        }
        last.into_values().for_each(|shows| self.show(tick, shows));
        Ok(())
    }

    fn show(&mut self, tick: Tick, shows: Shows) {
        let components = self.shown.len();
        if shows.component == IN_FLIGHT {
            return self.track.number(tick, components * OF_COMPONENT.len(), shows.active);
        }
        let place = shows.component as usize;
        let Some(shown) = self.shown.get_mut(place) else { return };
        *shown = Some(shows);
        let cell = place * OF_COMPONENT.len();
        let category =
            shows.category().map_or((usize::MAX, NONE), |name| (shows.category as usize, name));
        self.track.number(tick, cell, (shows.active > 0).into());
        self.track.text(tick, cell + 1, category);
        self.track.number(tick, cell + 2, shows.call & u64::from(u32::MAX));
        self.track.number(tick, cell + 3, shows.bytes);
    }

    /// Tells again what is known.
    fn restate(&mut self, tick: Tick) {
        self.track.restate(tick);
        for shows in self.shown.clone().into_iter().flatten() {
            self.track.forget(shows.component as usize * OF_COMPONENT.len() + 1);
            self.show(tick, shows);
        }
    }
}
