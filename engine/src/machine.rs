// SPDX-License-Identifier: Apache-2.0
//! A platform wired up: its components, the clock that all of them share, and the calls in flight.

use std::cell::RefCell;
use std::collections::HashMap;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;

use crate::breakdown::Category;
use crate::components::Station;
use crate::components::configuration::{ConfigurationId, ConfigurationPort, Held, Loads, Regions};
use crate::components::controller::Controller;
use crate::components::device::{Computation, Device};
use crate::components::dma::DmaEngine;
use crate::components::lane::Lane;
use crate::components::link::{Direction, Leg, Link, transfer};
use crate::components::memory::Memory;
use crate::components::software::SoftwareLayer;
use crate::components::transfer::Mode;
use crate::course::{Course, Gates};
use crate::failure::Failure;
use crate::platform::{DeviceSettings, Platform};
use crate::residence::{BufferId, Residences, Source};
use crate::simulation::{ProcessId, Server, Simulation, all};
use crate::trace::{Happened, Recorder, Trace, Work};

/// What one call asks of the machine.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Job {
    /// Index of the call, from 0.
    pub call: u64,
    /// The kernel that must be on the device.
    pub configuration: ConfigurationId,
    /// Bytes of the arguments that go with the call.
    pub parameter_bytes: u64,
    /// The buffers that go to the device.
    pub moved_in: Vec<Moved>,
    /// Those that come back.
    pub moved_out: Vec<Moved>,
    /// Device memory of the program that it uses.
    pub buffers: Vec<BufferUse>,
    /// The run of the kernel, if nobody waits.
    pub run: Computation,
    /// How it runs if its records come and go meanwhile, where they can.
    pub course: Option<Arc<Course>>,
    /// Whether it is to be told what the kernel had to wait for.
    pub wants_gates: bool,
}

impl Job {
    /// What it moves, both ways.
    pub fn bytes(&self) -> u64 {
        bytes_of(&self.moved_in).saturating_add(bytes_of(&self.moved_out))
    }
}

/// A buffer that crosses the link.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Moved {
    /// The argument.
    pub argument: usize,
    /// Its bytes.
    pub bytes: u64,
    /// Those of a record.
    pub record_bytes: u64,
    /// Whether it lies where the link reaches it, so that the driver need not copy it.
    pub is_locked: bool,
}

impl Moved {
    /// Of so many of its bytes, those that the driver copies.
    fn copied(&self, bytes: u64) -> u64 {
        if self.is_locked { 0 } else { bytes }
    }
}

/// Device memory of the program, as a call uses it. It moves as a whole, and only where it must.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BufferUse {
    /// Which.
    pub id: BufferId,
    /// All of it.
    pub bytes: u64,
    /// Whether what it holds is needed: it is read, or not written from end to end.
    pub is_needed: bool,
    /// Whether it is written.
    pub is_written: bool,
}

/// Name of a queue: what is submitted to it happens in turn.
pub type QueueId = u32;

/// The components, as calls see them.
struct Components {
    recorder: Recorder,
    host: Station,
    software: SoftwareLayer,
    controller: Option<Controller>,
    links: Vec<Link>,
    regions: Regions,
    /// By region.
    kernels: Vec<Device>,
    /// By device.
    ways: Vec<Way>,
    platform: Platform,
    residences: RefCell<Residences>,
}

/// How the bytes of a device come and go.
struct Way {
    dma: DmaEngine,
    /// The device's own link, and those behind which it lies.
    links: Vec<usize>,
    memory: Memory,
}

/// A call that was submitted: its process, and its end once it has come.
pub struct Submitted {
    process: ProcessId,
    ended: Rc<RefCell<Option<Ended>>>,
}

impl Submitted {
    /// Its end, if that has come.
    pub fn ended(&self) -> Option<Ended> {
        self.ended.borrow().clone()
    }
}

/// A call's end.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ended {
    /// When that was.
    pub time_ps: u64,
    /// The device that served it.
    pub device: usize,
    /// What the kernel took, waiting for records among it.
    pub cycles: u64,
    /// From when on which records could pass.
    pub gates: Gates,
    /// Why it came to no good, if so.
    pub failure: Option<Failure>,
}

/// The simulated machine. Its clock stands still while no call is in flight: the host's own work is
/// real, not simulated.
pub struct Machine {
    /// What it was built from.
    pub platform: Platform,
    simulation: Simulation,
    components: Rc<Components>,
    queues: HashMap<QueueId, Rc<Server>>,
}

// SAFETY: what is shared within a machine (the clock, the trace, the components, the ends of calls)
// is shared by the machine, its own processes and what was submitted to it only, and goes with it
// from thread to thread.
unsafe impl Send for Machine {}
// SAFETY: as above.
unsafe impl Send for Submitted {}

impl Machine {
    /// A machine at time 0 with nothing on its device.
    pub fn new(platform: Platform) -> Self {
        let simulation = Simulation::default();
        let components = Components::new(&platform, Recorder::new(simulation.clock()));
        Self { platform, simulation, components: Rc::new(components), queues: HashMap::new() }
    }

    /// The simulated time.
    pub fn now_ps(&self) -> u64 {
        self.simulation.clock().now_ps()
    }

    /// Looks at what has happened so far.
    pub fn with_trace<T>(&self, look: impl FnOnce(&mut Trace) -> T) -> T {
        self.components.recorder.with(look)
    }

    /// What has happened so far.
    pub fn happened(&self) -> Happened {
        self.with_trace(|trace| trace.happened(self.now_ps()))
    }

    /// How often kernels were loaded.
    pub fn loads(&self) -> Loads {
        self.components.regions.loads()
    }

    /// Begins anew to count, in a process that was forked.
    pub fn forget(&mut self) {
        self.simulation.cancel_all();
        self.with_trace(Trace::forget);
    }

    /// Has a call begin now. Nothing happens until somebody waits.
    pub fn submit(&mut self, job: Job) -> Submitted {
        self.submit_batch(vec![job])
    }

    /// The same for calls of one kernel that are handed over together.
    pub fn submit_batch(&mut self, jobs: Vec<Job>) -> Submitted {
        let components = self.components.clone();
        self.begin(move || async move { components.serve(&jobs).await })
    }

    /// The same, behind all that was submitted to this queue before.
    pub fn submit_to(&mut self, queue: QueueId, jobs: Vec<Job>) -> Submitted {
        let components = self.components.clone();
        let new = || Rc::new(Server::new(self.simulation.clock(), 1));
        let queue = self.queues.entry(queue).or_insert_with(new).clone();
        self.begin(move || async move {
            let _turn = queue.place().await;
            components.serve(&jobs).await
        })
    }

    /// `call` makes what happens where it is to stay: it is large, and moving it takes time.
    fn begin<F: Future<Output = Ended> + 'static>(
        &mut self,
        call: impl FnOnce() -> F + 'static,
    ) -> Submitted {
        let ended = Rc::new(RefCell::new(None));
        let end = ended.clone();
        let process = self.simulation.spawn(async move {
            let ended = call().await;
            *end.borrow_mut() = Some(ended);
        });
        Submitted { process, ended }
    }

    /// Lets time pass until a call has ended; nothing if it never will.
    pub fn wait(&mut self, call: &Submitted) -> Option<Ended> {
        self.simulation.run_until(|| call.ended.borrow().is_some());
        call.ended()
    }

    /// The same, for so long at most.
    pub fn wait_at_most(&mut self, call: &Submitted, ps: u64) -> Option<Ended> {
        let clock = self.simulation.clock().clone();
        let until_ps = clock.now_ps().saturating_add(ps);
        let sleeper = clock.clone();
        let patience = self.simulation.spawn(async move { sleeper.sleep_until(until_ps).await });
        let is_over = || call.ended.borrow().is_some() || clock.now_ps() >= until_ps;
        self.simulation.run_until(is_over);
        self.simulation.cancel(patience);
        call.ended()
    }

    /// Gives a call up: it ends where it stands, and what it has begun to move or to compute stops.
    pub fn cancel(&mut self, call: &Submitted) {
        if call.ended.borrow().is_none() {
            self.simulation.cancel(call.process);
        }
    }

    /// Lets a batch happen.
    pub fn call_batch(&mut self, jobs: Vec<Job>) -> Option<Ended> {
        let batch = self.submit_batch(jobs);
        self.wait(&batch)
    }

    /// Lets one call happen.
    pub fn call(&mut self, job: Job) -> Option<Ended> {
        let call = self.submit(job);
        self.wait(&call)
    }

    /// Loads a kernel now. Tells why that came to nothing, if so.
    pub fn configure(&mut self, id: ConfigurationId) -> Option<Failure> {
        let components = self.components.clone();
        let loaded = self.begin(move || async move {
            let _in_flight = components.recorder.in_flight();
            let failure = components.regions.holding(0, id).await.err();
            Ended { failure, ..Ended::default() }
        });
        self.wait(&loaded).and_then(|ended| ended.failure)
    }

    /// Device memory comes to the host, if it has not its newest content. With `writes`, it then is
    /// the only one that has. Tells why that came to nothing, if so.
    pub fn sync(&mut self, id: BufferId, bytes: u64, writes: bool) -> Option<Failure> {
        let components = self.components.clone();
        let synced = self.begin(move || async move {
            let _in_flight = components.recorder.in_flight();
            let source = components.residences.borrow_mut().for_host(id);
            let failure = match source {
                Source::Device(device) => components.fetch(device, 0, id, bytes).await.err(),
                Source::Here | Source::Host => None,
            };
            if writes && failure.is_none() {
                components.residences.borrow_mut().written_by_host(id);
            }
            Ended { failure, ..Ended::default() }
        });
        self.wait(&synced).and_then(|ended| ended.failure)
    }

    /// Nobody has this device memory any more.
    pub fn forget_buffer(&mut self, id: BufferId) {
        self.components.residences.borrow_mut().written_by_host(id);
    }

    /// Lets the program work for so long, beside whatever is in flight; no longer than until a call
    /// has ended, if one is named.
    pub fn work(&mut self, ps: u64, until: Option<&Submitted>) {
        let components = self.components.clone();
        let work = self.begin(move || async move {
            components.host.pass(0, Work::fixed(Category::Host, ps)).await;
            Ended::default()
        });
        let has_ended = |call: &Submitted| call.ended.borrow().is_some();
        self.simulation.run_until(|| has_ended(&work) || until.is_some_and(has_ended));
        self.cancel(&work);
    }

    /// Lets everything happen that has begun.
    pub fn finish(&mut self) {
        self.simulation.run();
    }
}

impl Components {
    fn new(platform: &Platform, recorder: Recorder) -> Self {
        let links = platform.links.iter().map(|link| Link::new(&recorder, link.clone())).collect();
        let port = |settings| ConfigurationPort::new(&recorder, settings);
        let ports = platform.configurations.iter().cloned().map(port).collect();
        Self {
            host: Station::new(&recorder, "host", 1),
            software: SoftwareLayer::new(&recorder, platform.software, platform.transfer.io),
            controller: platform.controller.map(|said| Controller::new(&recorder, said)),
            links,
            regions: Regions::new(&recorder, ports, &platform.devices),
            kernels: kernels(platform, &recorder),
            ways: ways(platform, &recorder),
            platform: platform.clone(),
            residences: RefCell::default(),
            recorder,
        }
    }

    /// A batch of calls of one kernel: configure, call, each buffer in, compute, each buffer out,
    /// wait. Streams of a call alone come and go while the kernel computes, where the platform says
    /// so. The first call stands for all in what is done once.
    async fn serve(self: &Rc<Self>, jobs: &[Job]) -> Ended {
        let [first, ..] = jobs else { return Ended::default() };
        let call = first.call;
        let _in_flight = self.recorder.in_flight();
        let cycles = jobs.iter().map(|job| job.run.cycles).sum();
        let mut ended = Ended { cycles, ..Ended::default() };
        match self.regions.holding(call, first.configuration).await {
            Err(failure) => ended.failure = Some(failure),
            Ok(region) => {
                ended.device = region.device;
                self.prefetch(call, first.configuration);
                let body = self.on_device(&region, jobs, &mut ended);
                let alive = self.regions.while_alive(region.device, body).await;
                ended.failure = alive.and_then(|done| done).err();
            }
        }
        self.software.wait(call).await;
        ended.time_ps = self.recorder.clock().now_ps();
        ended
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
        let way = &self.ways[region.device];
        let kernel = &self.kernels[region.index()];
        let call = jobs.first().map_or(0, |job| job.call);
        self.software.call(call).await;
        for buffer in jobs.iter().flat_map(|job| &job.buffers).filter(|buffer| buffer.is_needed) {
            // What is seldom is in a box: its state is not to be part of every call's.
            Box::pin(self.bring(region.device, call, buffer)).await?;
        }
        match (&self.controller, jobs) {
            (Some(controller), _) => Box::pin(self.sequence(controller, way, kernel, jobs)).await,
            (None, [job]) => self.run(way, kernel, job, ended).await,
            (None, _) => Box::pin(self.run_all(way, kernel, jobs)).await,
        }
        for buffer in jobs.iter().flat_map(|job| &job.buffers).filter(|buffer| buffer.is_written) {
            self.residences.borrow_mut().written_by(buffer.id, region.device);
        }
        Ok(())
    }

    /// Device memory comes to a device, from whoever has its newest content.
    async fn bring(&self, device: usize, call: u64, buffer: &BufferUse) -> Result<(), Failure> {
        let BufferUse { id, bytes, .. } = *buffer;
        let source = self.residences.borrow_mut().for_device(id, device);
        match source {
            Source::Here => return Ok(()),
            Source::Host => {}
            Source::Device(other) if self.platform.transfer.is_peer_to_peer => {
                self.regions.while_alive(other, self.across(other, device, call, bytes)).await?;
                self.residences.borrow_mut().came_to(id, device);
                return Ok(());
            }
            Source::Device(other) => self.fetch(other, call, id, bytes).await?,
        }
        self.transfer(&self.ways[device], call, Direction::In, bytes).await;
        self.residences.borrow_mut().came_to(id, device);
        Ok(())
    }

    /// Device memory comes to the host.
    async fn fetch(
        &self,
        device: usize,
        call: u64,
        id: BufferId,
        bytes: u64,
    ) -> Result<(), Failure> {
        let moved = self.transfer(&self.ways[device], call, Direction::Out, bytes);
        self.regions.while_alive(device, moved).await?;
        self.residences.borrow_mut().came_back(id);
        Ok(())
    }

    /// Bytes go from one device to another, over the links that lie between them.
    async fn across(&self, from: usize, to: usize, call: u64, bytes: u64) {
        let ways = [&self.ways[from], &self.ways[to]];
        let leg = |link: usize, direction| -> Leg<'_> { (&self.links[link], direction) };
        let not_of = |other: &Way, link: &usize| !other.links.contains(link);
        let out = ways[0].links.iter().filter(|link| not_of(ways[1], link));
        let into = ways[1].links.iter().filter(|link| not_of(ways[0], link));
        let mut out: Vec<_> = out.map(|&link| leg(link, Direction::Out)).collect();
        let mut into: Vec<_> = into.map(|&link| leg(link, Direction::In)).collect();
        if from > to {
            std::mem::swap(&mut out, &mut into);
        }
        let mut legs = [out, into].concat();
        if legs.is_empty() {
            legs.extend(ways[1].links.first().map(|&link| leg(link, Direction::In)));
        }
        let held_ps = ways.map(|way| way.memory.transfer_ps(bytes)).into_iter().sum();
        ways[0].dma.set_up(call, Direction::Out).await;
        transfer(&legs, call, bytes, held_ps).await;
    }

    /// Calls together, driven by the host.
    async fn run_all(&self, way: &Way, kernel: &Device, jobs: &[Job]) {
        self.move_in(way, jobs, 0).await;
        kernel.compute_all(jobs.iter().map(|job| (job.call, job.run))).await;
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
            _ => kernel.compute(call, job.run).await,
        }
        for moved in job.moved_out.iter().filter(is_whole) {
            self.transfer(way, call, Direction::Out, moved.bytes).await;
            self.software.copy(call, moved.copied(moved.bytes)).await;
        }
    }

    /// Calls that the device's own processor drives, one after the other.
    async fn sequence(&self, controller: &Controller, way: &Way, kernel: &Device, jobs: &[Job]) {
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
                    Box::pin(kernel.compute(job.call, job.run)),
                ];
                all(passing.into()).await;
            } else {
                kernel.compute(job.call, job.run).await;
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

    /// The buffers of the streams that come and go while the kernel runs.
    fn lanes(&self, job: &Job, device: usize) -> Vec<Lane> {
        let transfer = &self.platform.transfer;
        let Some(course) = job.course.as_ref().filter(|_| transfer.mode != Mode::Buffered) else {
            return Vec::new();
        };
        let link = &self.platform.links[self.platform.devices[device].link];
        let chunk_bytes = transfer.chunk_bytes(link.burst_bytes);
        let lane = |(argument, records): (usize, u64)| {
            let mut moved = job.moved_in.iter().chain(&job.moved_out);
            let moved = moved.find(|moved| moved.argument == argument && moved.bytes > 0)?;
            let chunk_records = chunk_bytes / moved.record_bytes.max(1);
            let clock = self.recorder.clock();
            Some(Lane::new(clock, argument, records, chunk_records, transfer.buffers))
        };
        course.records().filter_map(lane).collect()
    }

    /// Runs a kernel with everything that moves meanwhile.
    async fn stream(
        &self,
        way: &Way,
        job: &Job,
        (kernel, course): (&Device, &Course),
        lanes: &[Lane],
        ended: &mut Ended,
    ) {
        let Ended { cycles, gates, .. } = ended;
        let mut processes: Vec<Pin<Box<dyn Future<Output = ()> + '_>>> = Vec::new();
        for moved in &job.moved_in {
            if let Some(lane) = lane_of(lanes, moved) {
                processes.push(Box::pin(self.come(way, job.call, moved, lane)));
            }
        }
        for moved in &job.moved_out {
            if let Some(lane) = lane_of(lanes, moved) {
                processes.push(Box::pin(self.go(way, job.call, moved, lane)));
            }
        }
        processes.push(Box::pin(async move {
            *cycles = kernel.stream(job.call, job.run, course, lanes, gates).await;
        }));
        all(processes).await;
    }

    /// A stream comes, chunk by chunk.
    async fn come(&self, way: &Way, call: u64, moved: &Moved, lane: &Lane) {
        let clock = self.recorder.clock();
        for chunk in 0..lane.chunks {
            lane.room(chunk, clock).await;
            let bytes = chunk_bytes(moved, lane, chunk);
            self.software.copy(call, moved.copied(bytes)).await;
            self.move_chunk(way, call, Direction::In, (chunk, bytes)).await;
            lane.give(clock.now_ps());
        }
    }

    /// A stream goes, chunk by chunk.
    async fn go(&self, way: &Way, call: u64, moved: &Moved, lane: &Lane) {
        let clock = self.recorder.clock();
        for chunk in 0..lane.chunks {
            lane.chunk(chunk, clock).await;
            let bytes = chunk_bytes(moved, lane, chunk);
            self.move_chunk(way, call, Direction::Out, (chunk, bytes)).await;
            lane.take(clock.now_ps());
            self.software.copy(call, moved.copied(bytes)).await;
        }
    }

    async fn move_chunk(
        &self,
        way: &Way,
        call: u64,
        direction: Direction,
        (chunk, bytes): (u64, u64),
    ) {
        let is_stored = self.platform.transfer.mode != Mode::Streaming;
        if chunk == 0 || is_stored {
            way.dma.set_up(call, direction).await;
        }
        let held_ps = if is_stored { way.memory.transfer_ps(bytes) } else { 0 };
        self.over_links(way, call, direction, (bytes, held_ps)).await;
    }

    async fn transfer(&self, way: &Way, call: u64, direction: Direction, bytes: u64) {
        if bytes > 0 {
            way.dma.set_up(call, direction).await;
            self.over_links(way, call, direction, (bytes, way.memory.transfer_ps(bytes))).await;
        }
    }

    async fn over_links(
        &self,
        way: &Way,
        call: u64,
        direction: Direction,
        (bytes, held_ps): (u64, u64),
    ) {
        match way.links[..] {
            [link] => transfer(&[(&self.links[link], direction)], call, bytes, held_ps).await,
            _ => {
                let leg = |&link: &usize| (&self.links[link], direction);
                let legs: Vec<_> = way.links.iter().map(leg).collect();
                transfer(&legs, call, bytes, held_ps).await;
            }
        }
    }
}

/// Bytes of each argument, those of all calls together, and how many of them are copied.
fn gathered(jobs: &[Job], of: impl Fn(&Job) -> &[Moved]) -> Vec<(u64, u64)> {
    let mut sums: Vec<(usize, (u64, u64))> = Vec::new();
    for moved in jobs.iter().flat_map(of) {
        let copied = moved.copied(moved.bytes);
        match sums.iter_mut().find(|(argument, _)| *argument == moved.argument) {
            Some((_, sum)) => *sum = (sum.0 + moved.bytes, sum.1 + copied),
            None => sums.push((moved.argument, (moved.bytes, copied))),
        }
    }
    sums.into_iter().map(|(_, sum)| sum).collect()
}

fn bytes_of(moved: &[Moved]) -> u64 {
    moved.iter().map(|moved| moved.bytes).sum()
}

fn copied_of(moved: &[Moved]) -> u64 {
    moved.iter().map(|moved| moved.copied(moved.bytes)).sum()
}

fn lane_of<'a>(lanes: &'a [Lane], moved: &Moved) -> Option<&'a Lane> {
    lanes.iter().find(|lane| lane.argument == moved.argument)
}

/// Bytes of one chunk; the last one has what is left, also what the call never touches.
fn chunk_bytes(moved: &Moved, lane: &Lane, chunk: u64) -> u64 {
    let whole = lane.chunk_records * moved.record_bytes;
    let before = chunk * whole;
    if chunk + 1 == lane.chunks { moved.bytes.saturating_sub(before) } else { whole }
}

/// What runs kernels in each region of each device.
fn kernels(platform: &Platform, recorder: &Recorder) -> Vec<Device> {
    let mut kernels = Vec::new();
    for device in &platform.devices {
        let regions = platform.configurations[device.configuration].regions;
        for region in 0..regions {
            let name = match regions {
                1 => device.name.clone(),
                _ => format!("{}.{region}", device.name),
            };
            kernels.push(Device::new(recorder, &name, device));
        }
    }
    kernels
}

fn ways(platform: &Platform, recorder: &Recorder) -> Vec<Way> {
    let way = |device: &DeviceSettings| {
        let through = |&link: &usize| platform.links[link].through;
        let name = match platform.devices.len() {
            1 => "dma".to_string(),
            _ => format!("{}.dma", device.name),
        };
        Way {
            dma: DmaEngine::new(recorder, &name, platform.links[device.link].transfer_time_ps),
            links: std::iter::successors(Some(device.link), through).collect(),
            memory: platform.memories[device.memory],
        }
    };
    platform.devices.iter().map(way).collect()
}
