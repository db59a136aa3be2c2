// SPDX-License-Identifier: Apache-2.0
//! The components of a machine, and a call's way through them.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::pin::{Pin, pin};
use std::rc::Rc;

use super::stops::stops;
use super::streams::lane_of;
use super::ways::{Way, ways};
use crate::components::Station;
use crate::components::configuration::{ConfigurationId, ConfigurationPort};
use crate::components::controller::Controller;
use crate::components::device::Device;
use crate::components::link::{Direction, Link};
use crate::components::memory::Crowding;
use crate::components::parts::regions::{Demand, Held, Regions};
use crate::components::parts::stop::{Stop, Turn};
use crate::components::software::SoftwareLayer;
use crate::job::ended::Ended;
use crate::job::failure::Failure;
use crate::job::residence::{BufferId, Residences};
use crate::job::{
    Job, KernelId, Moved, bytes_of, copied_of, follow_each_other, gathered, written_by,
};
use crate::platform::{DeviceSettings, LinkSettings, Platform};
use crate::simulation::{Server, all};
use crate::trace::Recorder;

/// The components, as calls see them.
pub struct Components {
    /// Where all of them book.
    pub recorder: Recorder,
    /// The program's processor.
    pub host: Station,
    /// Its driver.
    pub software: SoftwareLayer,
    controller: Option<Controller>,
    pub(super) stops: Vec<Box<dyn Stop>>,
    pub(super) links: Vec<Link>,
    /// What holds kernels.
    pub regions: Regions,
    /// What runs in each region: by its kernel too, where a region has several.
    kernels: RefCell<BTreeMap<(usize, KernelId), Rc<Device>>>,
    /// What kernels are called.
    pub names: RefCell<BTreeMap<KernelId, String>>,
    /// By device.
    pub(super) ways: Vec<Way>,
    /// What they were built from.
    pub platform: Platform,
    /// Who has the newest content of device memory.
    pub residences: RefCell<Residences>,
    /// Who writes such memory does so in turn.
    turns: RefCell<BTreeMap<BufferId, Rc<Server>>>,
    /// What did not fit the devices' memories.
    pub crowding: RefCell<Crowding>,
}

impl Components {
    /// Idle ones, and devices that hold nothing.
    pub fn new(platform: &Platform, recorder: Recorder) -> Self {
        let is_shared = |index| platform.links.iter().any(|link| link.through == Some(index));
        let link = |(index, link): (usize, &LinkSettings)| {
            Link::new(&recorder, link.clone(), is_shared(index))
        };
        let links = platform.links.iter().enumerate().map(link).collect();
        let port = |settings| ConfigurationPort::new(&recorder, settings);
        let ports = platform.configurations.iter().cloned().map(port).collect();
        Self {
            host: Station::new(&recorder, "host", 1),
            software: SoftwareLayer::new(&recorder, platform.software, platform.transfer.io),
            controller: platform.controller.map(|said| Controller::new(&recorder, said)),
            stops: stops(platform, &recorder),
            links,
            regions: Regions::new(&recorder, ports, &platform.devices),
            kernels: RefCell::new(kernels(platform, &recorder)),
            names: RefCell::default(),
            ways: ways(platform, &recorder),
            platform: platform.clone(),
            residences: RefCell::default(),
            turns: RefCell::default(),
            crowding: RefCell::default(),
            recorder,
        }
    }

    /// A batch of calls of one kernel: configure, call, each buffer in, compute, each buffer out,
    /// wait. Streams of a call alone come and go while the kernel computes, where the platform says
    /// so. The first call stands for all in what is done once.
    pub async fn serve(self: &Rc<Self>, jobs: &[Job]) -> Ended {
        let _in_flight = self.recorder.in_flight();
        match written_by(jobs) {
            written if written.is_empty() => self.serve_pieces(jobs).await,
            written => Box::pin(self.serve_in_turn(jobs, written)).await,
        }
    }

    /// Calls that write what stays in the devices' memory: each goes on from what the one before
    /// has left there.
    async fn serve_in_turn(self: &Rc<Self>, jobs: &[Job], written: BTreeSet<BufferId>) -> Ended {
        let new = || Rc::new(Server::new(self.recorder.clock(), 1));
        let server = |id| self.turns.borrow_mut().entry(id).or_insert_with(new).clone();
        let servers: Vec<_> = written.into_iter().map(server).collect();
        let mut turns = Vec::new();
        for server in &servers {
            turns.push(server.place().await);
        }
        self.serve_pieces(jobs).await
    }

    /// What does not fit a device's memory together is handed over piece by piece.
    async fn serve_pieces(self: &Rc<Self>, jobs: &[Job]) -> Ended {
        let [_, _, ..] = jobs else { return self.serve_now(jobs).await };
        let mut ended = Ended::default();
        for piece in self.pieces(jobs) {
            let cycles = ended.cycles;
            ended = Box::pin(self.serve_now(piece)).await;
            ended.cycles = ended.cycles.saturating_add(cycles);
            if ended.failure.is_some() {
                break;
            }
        }
        ended
    }

    async fn serve_now(self: &Rc<Self>, jobs: &[Job]) -> Ended {
        let [first, ..] = jobs else { return Ended::default() };
        let call = first.call;
        let cycles = jobs.iter().map(|job| job.run.cycles).sum();
        let mut ended = Ended { cycles, ..Ended::default() };
        let configuration = self.configuration_of(first.kernel);
        let demand = |device| self.demand(jobs, device);
        match self.regions.holding(call, configuration, demand).await {
            Err(failure) => ended.failure = Some(failure),
            Ok(region) => {
                ended.device = region.device;
                self.prefetch(call, configuration);
                let alive = {
                    // It is large: it stays where it is.
                    let body = pin!(self.on_device(&region, jobs, &mut ended));
                    self.regions.while_alive(region.device, body).await
                };
                ended.failure = alive.and_then(|done| done).err();
            }
        }
        self.software.wait(call).await;
        ended.time_ps = self.recorder.clock().now_ps();
        ended
    }

    /// What is loaded where a kernel is wanted.
    pub fn configuration_of(&self, kernel: KernelId) -> ConfigurationId {
        if self.platform.kernels_together { 0 } else { kernel }
    }

    /// What calls ask of a device: the time of its link, and of the kernel in it.
    fn demand(&self, jobs: &[Job], device: usize) -> Demand {
        let (settings, way) = (&self.platform.devices[device], &self.ways[device]);
        let link = &self.platform.links[settings.link];
        let time = |direction, moved: &Moved| match moved.bytes {
            0 => 0,
            bytes => link
                .transfer_ps(direction, bytes)
                .saturating_add(link.transfer_time_ps)
                .saturating_add(way.memory.transfer_ps(bytes)),
        };
        let sum = |times: &mut dyn Iterator<Item = u64>| times.fold(0, u64::saturating_add);
        let of = |direction, all: fn(&Job) -> &[Moved]| {
            sum(&mut jobs.iter().flat_map(all).map(|moved| time(direction, moved)))
        };
        Demand {
            in_ps: of(Direction::In, |job| &job.moved_in),
            out_ps: of(Direction::Out, |job| &job.moved_out),
            runs_ps: sum(&mut jobs.iter().map(|job| job.run.duration_ps(settings.launch_cycles)))
                / settings.units.clamp(1, jobs.len() as u64),
        }
    }

    /// What runs a kernel in a region.
    fn kernel(&self, region: &Held<'_>, kernel: KernelId) -> Rc<Device> {
        if !self.platform.kernels_together {
            return self.kernels.borrow()[&(region.index(), 0)].clone();
        }
        let new = || {
            let names = self.names.borrow();
            let own = names.get(&kernel).cloned().unwrap_or_else(|| kernel.to_string());
            let name = format!("{}.{own}", region_name(&self.platform, region.index()));
            let device = &self.platform.devices[region.device];
            Rc::new(Device::new(&self.recorder, &name, device))
        };
        let mut kernels = self.kernels.borrow_mut();
        kernels.entry((region.index(), kernel)).or_insert_with(new).clone()
    }

    /// Begins to load what came after this kernel the last time, beside the call.
    fn prefetch(self: &Rc<Self>, call: u64, id: ConfigurationId) {
        if let Some(next) = self.regions.wanted_next(id) {
            let components = Rc::clone(self);
            let load = async move { components.regions.prefetch(call, id, next).await };
            self.recorder.clock().spawn(load);
        }
    }

    async fn on_device(
        &self,
        region: &Held<'_>,
        jobs: &[Job],
        ended: &mut Ended,
    ) -> Result<(), Failure> {
        let [first, ..] = jobs else { return Ok(()) };
        let way = &self.ways[region.device];
        let (call, kernel) = (first.call, &*self.kernel(region, first.kernel));
        let _room = self.take_room(way, jobs).await;
        let calls = jobs.len() as u64;
        self.stop(call, Turn::BeforeCall { calls }).await;
        self.software.call(call).await;
        for buffer in jobs.iter().flat_map(|job| &job.buffers).filter(|buffer| buffer.is_needed) {
            // What is seldom is in a box: its state is not to be part of every call's.
            Box::pin(self.bring(region.device, call, buffer)).await?;
        }
        let link = &self.links[way.links[0]];
        if self.controller.is_none() {
            let bytes = jobs.iter().map(|job| job.parameter_bytes).sum();
            link.values(call, Direction::In, bytes).await;
        }
        match (&self.controller, jobs) {
            (Some(controller), _) => {
                Box::pin(self.sequence(controller, way, kernel, jobs, ended)).await;
            }
            (None, [job]) => self.run(way, kernel, job, ended).await,
            (None, _) => Box::pin(self.run_all(way, kernel, jobs, ended)).await,
        }
        if self.controller.is_none() {
            let bytes = jobs.iter().map(|job| job.result_bytes).sum();
            link.values(call, Direction::Out, bytes).await;
        }
        for buffer in jobs.iter().flat_map(|job| &job.buffers).filter(|buffer| buffer.is_written) {
            self.residences.borrow_mut().written_by(buffer.id, region.device);
        }
        self.stop(call, Turn::BehindCall { calls }).await;
        Ok(())
    }

    /// Calls together, driven by the host.
    async fn run_all(&self, way: &Way, kernel: &Device, jobs: &[Job], ended: &mut Ended) {
        self.move_in(way, jobs, 0).await;
        let most = if follow_each_other(jobs) { 1 } else { usize::MAX };
        if jobs.iter().any(|job| job.course.is_some()) {
            self.stream_all(way, kernel, jobs, most, ended).await;
        } else {
            kernel.compute_all(jobs, most, |job, cycles| ended.took(job, cycles)).await;
        }
        self.move_out(way, jobs).await;
    }

    /// One call, driven by the host.
    async fn run(&self, way: &Way, kernel: &Device, job: &Job, ended: &mut Ended) {
        let call = job.call;
        let lanes = self.lanes(job, ended.device);
        let is_whole = |moved: &&Moved| lane_of(&lanes, moved).is_none();
        for moved in job.moved_in.iter().filter(is_whole) {
            self.software.copy(call, moved.copied(moved.bytes)).await;
            self.transfer(way, call, Direction::In, moved.bytes).await;
        }
        match &job.course {
            Some(course) if !lanes.is_empty() => {
                ended.gates.are_wanted = job.wants_gates;
                Box::pin(self.stream(way, job, (kernel, course), &lanes, ended)).await;
            }
            _ => ended.took(job, kernel.compute(job).await),
        }
        for moved in job.moved_out.iter().filter(is_whole) {
            self.transfer(way, call, Direction::Out, moved.bytes).await;
            self.software.copy(call, moved.copied(moved.bytes)).await;
        }
    }

    /// Calls that the device's own processor drives, one after the other.
    async fn sequence(
        &self,
        controller: &Controller,
        way: &Way,
        kernel: &Device,
        jobs: &[Job],
        ended: &mut Ended,
    ) {
        let [first, ..] = jobs else { return };
        let settings = controller.settings;
        let parameters = jobs.iter().map(|job| job.parameter_bytes).sum();
        let stored = if settings.parameters.is_none() { parameters } else { 0 };
        controller.begin(first.call, first.parameter_bytes).await;
        if settings.passes {
            let bytes = jobs.iter().map(|job| copied_of(&job.moved_in)).sum();
            self.software.copy(first.call, bytes).await;
            self.transfer(way, first.call, Direction::In, stored).await;
        } else {
            self.move_in(way, jobs, stored).await;
        }
        for job in jobs {
            let bytes = bytes_of(&job.moved_in);
            controller.operate(job.call, job.parameter_bytes, bytes).await;
            if settings.passes {
                let out = bytes_of(&job.moved_out);
                let passing: [Pin<Box<dyn Future<Output = ()> + '_>>; 3] = [
                    Box::pin(self.transfer(way, job.call, Direction::In, bytes)),
                    Box::pin(self.transfer(way, job.call, Direction::Out, out)),
                    Box::pin(async { ended.took(job, kernel.compute(job).await) }),
                ];
                all(passing.into()).await;
            } else {
                ended.took(job, kernel.compute(job).await);
            }
        }
        if settings.passes {
            let bytes = jobs.iter().map(|job| copied_of(&job.moved_out)).sum();
            self.software.copy(first.call, bytes).await;
        } else {
            self.move_out(way, jobs).await;
        }
    }

    /// The buffers of all calls come, those of one argument together, behind `parameters`.
    async fn move_in(&self, way: &Way, jobs: &[Job], parameters: u64) {
        let call = jobs.first().map_or(0, |job| job.call);
        self.transfer(way, call, Direction::In, parameters).await;
        for (bytes, copied) in gathered(jobs, |job| &job.moved_in) {
            self.software.copy(call, copied).await;
            self.transfer(way, call, Direction::In, bytes).await;
        }
    }

    /// They go.
    async fn move_out(&self, way: &Way, jobs: &[Job]) {
        let call = jobs.first().map_or(0, |job| job.call);
        for (bytes, copied) in gathered(jobs, |job| &job.moved_out) {
            self.transfer(way, call, Direction::Out, bytes).await;
            self.software.copy(call, copied).await;
        }
    }
}

/// The regions of all devices: each one's device, and its place in that.
fn regions(platform: &Platform) -> impl Iterator<Item = (&DeviceSettings, u64)> {
    let of_device =
        |device: &'_ DeviceSettings| platform.configurations[device.configuration].regions;
    platform.devices.iter().flat_map(move |device| (0..of_device(device)).map(move |r| (device, r)))
}

/// A region's name in the trace.
fn region_name(platform: &Platform, index: usize) -> String {
    let Some((device, region)) = regions(platform).nth(index) else { return String::new() };
    match platform.configurations[device.configuration].regions {
        1 => device.name.clone(),
        _ => format!("{}.{region}", device.name),
    }
}

/// What runs the kernel of each region, where it has one at a time.
fn kernels(platform: &Platform, recorder: &Recorder) -> BTreeMap<(usize, KernelId), Rc<Device>> {
    if platform.kernels_together {
        return BTreeMap::new();
    }
    let device = |(index, (device, _)): (usize, (&DeviceSettings, u64))| {
        let name = region_name(platform, index);
        ((index, 0), Rc::new(Device::new(recorder, &name, device)))
    };
    regions(platform).enumerate().map(device).collect()
}
