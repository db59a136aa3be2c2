// SPDX-License-Identifier: Apache-2.0
//! Configuration: which kernel each region of each device holds, and for how many calls; and the
//! ports through which kernels are loaded.
//!
//! Calls come in turn. One whose kernel some region holds gets the region with the fewest calls in
//! flight, but loads its kernel into an empty region if there is one and all that hold it are busy.
//! Else the kernel is loaded into an empty region, or into the one that no call has used for longest;
//! where all are in use, or some region is just getting the kernel, the call waits, and those behind
//! it wait too.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use serde::Serialize;

use super::Station;
use super::device::DeviceSettings;
use crate::breakdown::Category;
use crate::failure::Failure;
use crate::schema::{ANSWER, Absence, Form, Instance, Kind, RATE, Row, SIZE, TIME};
use crate::simulation::{Bell, Clock, Server, either};
use crate::trace::{Recorder, Work, transfer_ps};

/// `[configuration]` of a platform file.
pub const KIND: Kind = Kind {
    name: "configuration",
    meaning: "the port through which kernels are loaded into a device",
    is_needed: true,
    may_be_several: true,
    rows: &[
        Row::needed("time", TIME, 0, "\"100 ms\"", "loading one kernel, whatever its size"),
        Row::fact(
            "image",
            SIZE,
            Absence::Is(0),
            0,
            "\"3 MB\"",
            "what is loaded, of one region, beside `time`",
        ),
        Row::fact("rate", RATE, Absence::Nothing, 1, "\"50 MB/s\"", "at which `image` is loaded"),
        Row::fact(
            "regions",
            Form::Count,
            Absence::Is(1),
            1,
            "2",
            "parts of a device that hold a kernel each and are loaded while the others run",
        ),
        Row::choice(
            "preload",
            ANSWER,
            Absence::Is(0),
            0,
            "\"yes\"",
            "whether empty regions are filled before the program starts, with the kernels that it \
             calls first",
        ),
        Row::choice(
            "prefetch",
            ANSWER,
            Absence::Is(0),
            0,
            "\"yes\"",
            "whether the kernel that came next the last time is loaded while one runs, into a region \
             that is not in use",
        ),
        Row::choice(
            "failures",
            Form::Count,
            Absence::Is(0),
            0,
            "1",
            "what if loading failed: so many times, from the first one on",
        ),
    ],
};

/// A configuration port in the engine's units.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ConfigurationSettings {
    /// Its name in the trace.
    pub name: String,
    /// Loading one kernel, whatever its size.
    pub time_ps: u64,
    /// What is loaded beside that.
    pub image_bytes: u64,
    /// At which it is.
    pub rate_bytes_per_s: Option<u64>,
    /// Regions of a device.
    pub regions: u64,
    /// Whether empty regions are filled before the program starts.
    pub preloads: bool,
    /// Whether the next kernel is loaded while one runs.
    pub prefetches: bool,
    /// How many loads fail.
    pub failures: u64,
}

impl ConfigurationSettings {
    /// What a file says; nothing if it lacks what is needed.
    pub fn read(said: &Instance) -> Option<Self> {
        Some(Self {
            name: said.name.clone(),
            time_ps: said.number("time")?,
            image_bytes: said.number("image")?,
            rate_bytes_per_s: said.number("rate"),
            regions: said.number("regions")?,
            preloads: said.number("preload")? == 1,
            prefetches: said.number("prefetch")? == 1,
            failures: said.number("failures")?,
        })
    }

    /// Loading one kernel.
    pub fn load_ps(&self) -> u64 {
        let image_ps = self.rate_bytes_per_s.map_or(0, |rate| transfer_ps(self.image_bytes, rate));
        self.time_ps.saturating_add(image_ps)
    }
}

/// Identity of a configuration (a kernel's package) within one run.
pub type ConfigurationId = usize;

/// How often kernels were loaded in a run, and how often they had to be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Loads {
    /// But for those that were there when the program began.
    pub loads: u64,
    /// With as many regions, by somebody who knew what comes, one call after the other, and began
    /// with nothing (Belady, A study of replacement algorithms, 1966); nothing after too many changes.
    pub least_loads: Option<u64>,
}

/// Changes from one kernel to another that a run remembers.
const KEPT_WANTS: usize = 1 << 20;

/// See [`Loads::least_loads`].
pub fn least_loads(wanted: &[ConfigurationId], regions: usize) -> u64 {
    let mut next_use = vec![usize::MAX; wanted.len()];
    let mut seen = BTreeMap::new();
    for (index, id) in wanted.iter().enumerate().rev() {
        next_use[index] = seen.insert(id, index).unwrap_or(usize::MAX);
    }
    let (mut held, mut loads) = (BTreeMap::new(), 0);
    for (id, next) in wanted.iter().zip(next_use) {
        if !held.contains_key(id) {
            loads += 1;
            let latest = held.iter().max_by_key(|&(_, next)| *next).map(|(&id, _)| id);
            if let Some(latest) = latest.filter(|_| held.len() >= regions) {
                held.remove(&latest);
            }
        }
        held.insert(id, next);
    }
    loads
}

/// Loads kernels, one at a time.
pub struct ConfigurationPort {
    settings: ConfigurationSettings,
    failures_left: Cell<u64>,
    station: Station,
}

impl ConfigurationPort {
    /// An idle port.
    pub fn new(recorder: &Recorder, settings: ConfigurationSettings) -> Self {
        let station = Station::new(recorder, &settings.name, 1);
        Self { failures_left: Cell::new(settings.failures), settings, station }
    }

    /// Whether the kernel is loaded then.
    async fn load(&self, call: u64) -> bool {
        let work = Work::fixed(Category::Configure, self.settings.load_ps());
        self.station.serve(call, work).await;
        let left = self.failures_left.get();
        self.failures_left.set(left.saturating_sub(1));
        left == 0
    }
}

/// What holds a kernel.
#[derive(Debug)]
struct Region {
    device: usize,
    port: usize,
    loaded: Option<ConfigurationId>,
    /// What is being loaded.
    loading: Option<ConfigurationId>,
    /// Whether it has held anything yet.
    is_new: bool,
    users: u32,
    last_use: u64,
}

/// The regions of all devices.
pub struct Regions {
    ports: Vec<ConfigurationPort>,
    regions: RefCell<Vec<Region>>,
    /// When each device dies.
    deaths: Vec<Option<u64>>,
    /// Which kernel came after which the last time, and which came last.
    next: RefCell<BTreeMap<ConfigurationId, ConfigurationId>>,
    last: Cell<Option<ConfigurationId>>,
    loads: Cell<u64>,
    /// Which kernels were wanted one after the other, the first [`KEPT_WANTS`] of them.
    wanted: RefCell<Vec<ConfigurationId>>,
    clock: Clock,
    turn: Server,
    left: Bell,
}

impl Regions {
    /// Regions that hold nothing yet.
    pub fn new(
        recorder: &Recorder,
        ports: Vec<ConfigurationPort>,
        devices: &[DeviceSettings],
    ) -> Self {
        let of_device = |(device, settings): (usize, &DeviceSettings)| {
            let port = settings.configuration;
            let count = ports[port].settings.regions;
            let region = move |_| Region {
                device,
                port,
                loaded: None,
                loading: None,
                is_new: true,
                users: 0,
                last_use: 0,
            };
            (0..count).map(region)
        };
        let regions = devices.iter().enumerate().flat_map(of_device).collect();
        let clock = recorder.clock().clone();
        Self {
            ports,
            regions: RefCell::new(regions),
            deaths: devices.iter().map(|device| device.dies_ps).collect(),
            next: RefCell::default(),
            last: Cell::default(),
            loads: Cell::default(),
            wanted: RefCell::default(),
            turn: Server::new(&clock, 1),
            left: Bell::new(&clock),
            clock,
        }
    }

    /// Has a region hold a kernel until what is returned is dropped.
    ///
    /// # Errors
    /// [`Failure`], where loading fails or no device is alive.
    pub async fn holding(&self, call: u64, id: ConfigurationId) -> Result<Held<'_>, Failure> {
        let turn = self.turn.place().await;
        let index = loop {
            if let Some(index) = self.choose(id) {
                break index;
            }
            match self.next_death() {
                None if self.is_alive() => self.left.rings().await,
                None => return Err(Failure::NoneLeft),
                Some(death_ps) => {
                    either(self.left.rings(), self.clock.sleep_until(death_ps)).await;
                }
            }
        };
        let held = self.hold(index);
        self.remember(id);
        // Those behind may load other regions meanwhile, by ports of their own.
        drop(turn);
        if self.regions.borrow()[index].loaded != Some(id) {
            self.load(call, id, &held).await?;
        }
        Ok(held)
    }

    /// Loads a kernel into a region that is held.
    async fn load(&self, call: u64, id: ConfigurationId, held: &Held<'_>) -> Result<(), Failure> {
        let (port, is_preloaded) = {
            let region = &mut self.regions.borrow_mut()[held.index];
            let is_new = std::mem::replace(&mut region.is_new, false);
            (region.loaded, region.loading) = (None, Some(id));
            (&self.ports[region.port], is_new && self.ports[region.port].settings.preloads)
        };
        let loading = Loading { regions: self, index: held.index };
        if !is_preloaded {
            self.loads.set(self.loads.get() + 1);
            if !self.while_alive(held.device, port.load(call)).await? {
                return Err(Failure::NotLoaded { device: held.device });
            }
        }
        drop(loading);
        self.regions.borrow_mut()[held.index].loaded = Some(id);
        Ok(())
    }

    /// The kernel to load while `id` runs, where that is wanted and there is room for it.
    pub fn wanted_next(&self, id: ConfigurationId) -> Option<ConfigurationId> {
        let next = *self.next.borrow().get(&id)?;
        let is_there = |r: &Region| r.loaded == Some(next) || r.loading == Some(next);
        let is_free = self.room_for_next(id).is_some();
        (is_free && !self.regions.borrow().iter().any(is_there)).then_some(next)
    }

    /// Loads the kernel that comes next. Nobody waits for it, so that nobody hears of a failure.
    pub async fn prefetch(&self, call: u64, id: ConfigurationId, next: ConfigurationId) {
        if let Some(index) = self.room_for_next(id) {
            let held = self.hold(index);
            let _ = self.load(call, next, &held).await;
        }
    }

    /// A region of a port that prefetches, which is not in use and does not hold `id`.
    fn room_for_next(&self, id: ConfigurationId) -> Option<usize> {
        let regions = self.regions.borrow();
        let is_room = |(_, region): &(usize, &Region)| {
            self.ports[region.port].settings.prefetches
                && region.users == 0
                && region.loaded != Some(id)
                && !self.has_died(region.device)
        };
        let free = regions.iter().enumerate().filter(is_room);
        free.min_by_key(|(_, region)| region.last_use).map(|(index, _)| index)
    }

    fn remember(&self, id: ConfigurationId) {
        let last = self.last.replace(Some(id));
        if last == Some(id) {
            return;
        }
        if let Some(last) = last {
            self.next.borrow_mut().insert(last, id);
        }
        let mut wanted = self.wanted.borrow_mut();
        if wanted.len() < KEPT_WANTS {
            wanted.push(id);
        }
    }

    /// How often kernels were loaded.
    pub fn loads(&self) -> Loads {
        let (regions, wanted) = (self.regions.borrow().len(), self.wanted.borrow());
        let least = (wanted.len() < KEPT_WANTS).then(|| least_loads(&wanted, regions));
        Loads { loads: self.loads.get(), least_loads: least }
    }

    /// Has something happen in a device, unless that dies meanwhile.
    ///
    /// # Errors
    /// [`Failure::Died`].
    pub async fn while_alive<T>(
        &self,
        device: usize,
        work: impl Future<Output = T>,
    ) -> Result<T, Failure> {
        let Some(death_ps) = self.deaths[device] else { return Ok(work.await) };
        let done = Cell::new(None);
        let doing = async { done.set(Some(work.await)) };
        either(doing, self.clock.sleep_until(death_ps)).await;
        done.into_inner().ok_or(Failure::Died { device })
    }

    fn has_died(&self, device: usize) -> bool {
        self.deaths[device].is_some_and(|death_ps| death_ps <= self.clock.now_ps())
    }

    fn is_alive(&self) -> bool {
        (0..self.deaths.len()).any(|device| !self.has_died(device))
    }

    /// When the next device dies, if one does.
    fn next_death(&self) -> Option<u64> {
        let now_ps = self.clock.now_ps();
        self.deaths.iter().flatten().copied().filter(|&death_ps| death_ps > now_ps).min()
    }

    fn hold(&self, index: usize) -> Held<'_> {
        let mut regions = self.regions.borrow_mut();
        let now = regions.iter().map(|region| region.last_use).max().unwrap_or(0) + 1;
        let region = &mut regions[index];
        region.users += 1;
        region.last_use = now;
        Held { regions: self, index, device: region.device }
    }

    /// The region for a call, if there is one now.
    fn choose(&self, id: ConfigurationId) -> Option<usize> {
        let regions = self.regions.borrow();
        if regions.iter().any(|region| region.loading == Some(id)) {
            return None;
        }
        let all = || regions.iter().enumerate().filter(|(_, r)| !self.has_died(r.device));
        let empty = all().find(|(_, r)| r.loaded.is_none() && r.users == 0);
        let holding = all().filter(|(_, r)| r.loaded == Some(id)).min_by_key(|(_, r)| r.users);
        let unused = || all().filter(|(_, r)| r.users == 0).min_by_key(|(_, r)| r.last_use);
        let chosen = match (holding, empty) {
            (Some((_, region)), Some(empty)) if region.users > 0 => Some(empty),
            (Some(found), _) => Some(found),
            (None, Some(empty)) => Some(empty),
            (None, None) => unused(),
        };
        chosen.map(|(index, _)| index)
    }
}

/// A kernel being loaded, until dropped.
struct Loading<'a> {
    regions: &'a Regions,
    index: usize,
}

impl Drop for Loading<'_> {
    fn drop(&mut self) {
        self.regions.regions.borrow_mut()[self.index].loading = None;
        self.regions.left.ring();
    }
}

/// A region that keeps its kernel, until dropped.
#[must_use]
pub struct Held<'a> {
    regions: &'a Regions,
    index: usize,
    /// The device that it is a part of.
    pub device: usize,
}

impl Held<'_> {
    /// Its place among all regions.
    pub fn index(&self) -> usize {
        self.index
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.regions.regions.borrow_mut()[self.index].users -= 1;
        self.regions.left.ring();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    /// Every choice of what to give up.
    fn least(wanted: &[usize], regions: usize, held: &BTreeSet<usize>) -> u64 {
        let Some((&id, rest)) = wanted.split_first() else { return 0 };
        if held.contains(&id) {
            return least(rest, regions, held);
        }
        let with = |gone: Option<usize>| {
            held.iter().copied().filter(|&h| Some(h) != gone).chain([id]).collect()
        };
        let all = match held.len() < regions {
            true => vec![with(None)],
            false => held.iter().map(|&gone| with(Some(gone))).collect(),
        };
        1 + all.iter().map(|held| least(rest, regions, held)).min().unwrap_or(0)
    }

    proptest! {
        #[test]
        fn no_choice_loads_less(
            wanted in proptest::collection::vec(0usize..5, 0..12), regions in 1usize..4,
        ) {
            prop_assert_eq!(least_loads(&wanted, regions), least(&wanted, regions, &BTreeSet::new()));
        }
    }
}
