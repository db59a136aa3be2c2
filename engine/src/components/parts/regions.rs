// SPDX-License-Identifier: Apache-2.0
//! Which kernel each region of each device holds, and for how many calls.
//!
//! Calls come in turn. Each gets the region in which it will have ended first, as far as that can be
//! told: one that holds its kernel or is just getting it, when those that were there before have run;
//! or an empty one, when the kernel has been loaded. Where there is none of either, the kernel is
//! loaded into the one that no call has used for longest; where all are in use the call waits, and
//! those behind it wait too.

use std::cell::{Cell, RefCell};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use crate::components::configuration::{ConfigurationId, ConfigurationPort, Loads, least_loads};
use crate::components::device::DeviceSettings;
use crate::job::failure::Failure;
use crate::simulation::{Bell, Clock, Server, either};
use crate::trace::Recorder;

/// Changes from one kernel to another that a run remembers.
const KEPT_WANTS: usize = 1 << 20;

/// What a call asks of a device.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Demand {
    /// The time that its link takes for what comes.
    pub in_ps: u64,
    /// The same for what goes.
    pub out_ps: u64,
    /// The time that its kernel runs.
    pub runs_ps: u64,
}

/// When a call will have ended in a region, as far as that can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Outlook {
    /// When the region holds the kernel.
    ready_ps: u64,
    /// When all has been moved that was asked of its link.
    link_free_ps: u64,
    /// When it has run, and all that is left is to bring the results.
    end_ps: u64,
}

/// What holds a kernel.
#[derive(Debug)]
struct Region {
    device: usize,
    port: usize,
    link: usize,
    /// Copies of its kernel.
    units: u64,
    loaded: Option<ConfigurationId>,
    /// What is being loaded.
    loading: Option<ConfigurationId>,
    /// Whether it has held anything yet.
    is_new: bool,
    users: u32,
    last_use: u64,
    /// When it has its kernel.
    ready_ps: u64,
    /// When each copy of that will have run what it was given, as far as that can be told.
    runs_end_ps: BinaryHeap<Reverse<u64>>,
}

impl Region {
    /// Whether it holds a kernel, or is just getting it.
    fn has(&self, id: ConfigurationId) -> bool {
        [self.loaded, self.loading].contains(&Some(id))
    }

    /// When a copy of its kernel is free.
    fn free_ps(&self) -> u64 {
        let is_any = (self.runs_end_ps.len() as u64) < self.units;
        self.runs_end_ps.peek().filter(|_| !is_any).map_or(0, |&Reverse(end_ps)| end_ps)
    }
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
    /// When each link has moved what was asked of it.
    links_free_ps: RefCell<Vec<u64>>,
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
            let (link, units) = (settings.link, settings.units.max(1));
            let region = move |_| Region {
                device,
                port,
                link,
                units,
                loaded: None,
                loading: None,
                is_new: true,
                users: 0,
                last_use: 0,
                ready_ps: 0,
                runs_end_ps: BinaryHeap::new(),
            };
            (0..count).map(region)
        };
        let regions = devices.iter().enumerate().flat_map(of_device).collect();
        let clock = recorder.clock().clone();
        let links = devices.iter().map(|device| device.link + 1).max().unwrap_or(0);
        Self {
            ports,
            regions: RefCell::new(regions),
            deaths: devices.iter().map(|device| device.dies_ps).collect(),
            next: RefCell::default(),
            last: Cell::default(),
            loads: Cell::default(),
            links_free_ps: RefCell::new(vec![0; links]),
            wanted: RefCell::default(),
            turn: Server::new(&clock, 1),
            left: Bell::new(&clock),
            clock,
        }
    }

    /// Has a region hold a kernel until what is returned is dropped; `demand`: what the call asks of
    /// each device.
    ///
    /// # Errors
    /// [`Failure`], where loading fails or no device is alive.
    pub async fn holding(
        &self,
        call: u64,
        id: ConfigurationId,
        demand: impl Fn(usize) -> Demand,
    ) -> Result<Held<'_>, Failure> {
        loop {
            let turn = self.turn.place().await;
            let index = self.place(id, &demand).await?;
            let device = self.regions.borrow()[index].device;
            let held = self.hold(index, id, demand(device));
            self.remember(id);
            // Those behind may load other regions meanwhile, by ports of their own.
            drop(turn);
            let of = |state: fn(&Region) -> Option<ConfigurationId>| {
                state(&self.regions.borrow()[index])
            };
            if !self.regions.borrow()[index].has(id) {
                self.load(call, id, &held).await?;
            }
            self.left.until(|| of(|region| region.loading).is_none()).await;
            if of(|region| region.loaded) == Some(id) {
                return Ok(held);
            }
            // Somebody else has tried to load it, in vain.
        }
    }

    /// Waits until there is a region for a call.
    async fn place(
        &self,
        id: ConfigurationId,
        demand: &impl Fn(usize) -> Demand,
    ) -> Result<usize, Failure> {
        loop {
            if let Some(index) = self.choose(id, demand) {
                return Ok(index);
            }
            match self.next_death() {
                None if self.is_alive() => self.left.rings().await,
                None => return Err(Failure::NoneLeft),
                Some(death_ps) => {
                    either(self.left.rings(), self.clock.sleep_until(death_ps)).await;
                }
            }
        }
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
        let is_free = self.room_for_next(id).is_some();
        (is_free && !self.regions.borrow().iter().any(|region| region.has(next))).then_some(next)
    }

    /// Loads the kernel that comes next. Nobody waits for it, so that nobody hears of a failure.
    pub async fn prefetch(&self, call: u64, id: ConfigurationId, next: ConfigurationId) {
        if let Some(index) = self.room_for_next(id) {
            let held = self.hold(index, next, Demand::default());
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

    fn hold(&self, index: usize, id: ConfigurationId, demand: Demand) -> Held<'_> {
        let mut regions = self.regions.borrow_mut();
        let now = regions.iter().map(|region| region.last_use).max().unwrap_or(0) + 1;
        let region = &mut regions[index];
        let outlook = self.outlook(region, id, demand);
        region.users += 1;
        region.last_use = now;
        region.ready_ps = outlook.ready_ps;
        if region.runs_end_ps.len() as u64 == region.units {
            region.runs_end_ps.pop();
        }
        region.runs_end_ps.push(Reverse(outlook.end_ps));
        self.links_free_ps.borrow_mut()[region.link] = outlook.link_free_ps;
        Held { regions: self, index, device: region.device }
    }

    /// A call has left its region. Where nobody is left, nobody has to be waited for, whatever was
    /// thought before.
    fn leave(&self, index: usize) {
        let now_ps = self.clock.now_ps();
        let mut regions = self.regions.borrow_mut();
        regions[index].users -= 1;
        let link = regions[index].link;
        if regions[index].users == 0 {
            regions[index].runs_end_ps.clear();
        }
        if regions.iter().all(|region| region.link != link || region.users == 0) {
            self.links_free_ps.borrow_mut()[link] = now_ps;
        }
    }

    /// What is to come of a call in a region that holds its kernel, or is to get it.
    fn outlook(&self, region: &Region, id: ConfigurationId, demand: Demand) -> Outlook {
        let Demand { in_ps, out_ps, runs_ps } = demand;
        let now_ps = self.clock.now_ps();
        let port = &self.ports[region.port];
        let ready_ps = match () {
            () if region.has(id) => region.ready_ps.max(now_ps),
            () if region.is_new && port.settings.preloads => now_ps,
            () => port.loaded_ps(),
        };
        let moved_ps = self.links_free_ps.borrow()[region.link].max(now_ps).saturating_add(in_ps);
        let start_ps = moved_ps.max(ready_ps.saturating_add(in_ps)).max(region.free_ps());
        Outlook {
            ready_ps,
            link_free_ps: moved_ps.saturating_add(out_ps),
            end_ps: start_ps.saturating_add(runs_ps),
        }
    }

    /// The region for a call, if there is one now.
    fn choose(&self, id: ConfigurationId, demand: &impl Fn(usize) -> Demand) -> Option<usize> {
        let regions = self.regions.borrow();
        let all = || regions.iter().enumerate().filter(|(_, r)| !self.has_died(r.device));
        let is_empty = |r: &Region| (r.loaded, r.loading, r.users) == (None, None, 0);
        let ending = |&(index, region): &(usize, &Region)| {
            let outlook = self.outlook(region, id, demand(region.device));
            (outlook.end_ps, !region.has(id), region.users, index)
        };
        let first = all().filter(|(_, r)| r.has(id) || is_empty(r)).min_by_key(ending);
        let unused = || all().filter(|(_, r)| r.users == 0).min_by_key(|(_, r)| r.last_use);
        first.or_else(unused).map(|(index, _)| index)
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
        self.regions.leave(self.index);
        self.regions.left.ring();
    }
}
