// SPDX-License-Identifier: Apache-2.0
//! A platform wired up: its components, the clock that all of them share, and the calls in flight.

use std::cell::Cell;
use std::rc::Rc;

use crate::components::configuration::{ConfigurationId, ConfigurationPort, Regions};
use crate::components::device::{Computation, Device};
use crate::components::dma::DmaEngine;
use crate::components::link::{Direction, Link, transfer};
use crate::components::software::SoftwareLayer;
use crate::platform::{DeviceSettings, Platform};
use crate::simulation::{ProcessId, Simulation};
use crate::trace::{Happened, Recorder, Trace};

/// What one call asks of the machine.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Job {
    /// Index of the call, from 0.
    pub call: u64,
    /// The kernel that must be on the device.
    pub configuration: ConfigurationId,
    /// Bytes of each buffer that goes to the device.
    pub bytes_in: Vec<u64>,
    /// Bytes of each buffer that comes back.
    pub bytes_out: Vec<u64>,
    /// The run of the kernel.
    pub run: Computation,
}

/// The components, as calls see them.
struct Components {
    recorder: Recorder,
    software: SoftwareLayer,
    links: Vec<Link>,
    regions: Regions,
    /// By region.
    kernels: Vec<Device>,
    /// By device.
    ways: Vec<Way>,
}

/// How the bytes of a device come and go.
struct Way {
    dma: DmaEngine,
    /// The device's own link, and those behind which it lies.
    links: Vec<usize>,
}

/// A call that was submitted: its process, and its end once it has come.
pub struct Submitted {
    process: ProcessId,
    ended: Rc<Cell<Option<Ended>>>,
}

/// A call's end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended {
    /// When that was.
    pub time_ps: u64,
    /// The device that served it.
    pub device: usize,
}

/// The simulated machine. Its clock stands still while no call is in flight: the host's own work is
/// real, not simulated.
pub struct Machine {
    /// What it was built from.
    pub platform: Platform,
    simulation: Simulation,
    components: Rc<Components>,
}

// SAFETY: what is shared within a machine (the clock, the trace, the components) is shared by the
// machine and its own processes only, and goes with it from thread to thread.
unsafe impl Send for Machine {}

impl Machine {
    /// A machine at time 0 with nothing on its device.
    pub fn new(platform: Platform) -> Self {
        let simulation = Simulation::default();
        let components = Components::new(&platform, Recorder::new(simulation.clock()));
        Self { platform, simulation, components: Rc::new(components) }
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

    /// Begins anew to count, in a process that was forked.
    pub fn forget(&mut self) {
        self.simulation.cancel_all();
        self.with_trace(Trace::forget);
    }

    /// Has a call begin now. Nothing happens until somebody waits.
    pub fn submit(&mut self, job: Job) -> Submitted {
        let (ended, components) = (Rc::new(Cell::new(None)), self.components.clone());
        let end = ended.clone();
        let process = self.simulation.spawn(async move {
            let device = components.serve(&job).await;
            let time_ps = components.recorder.clock().now_ps();
            end.set(Some(Ended { time_ps, device }));
        });
        Submitted { process, ended }
    }

    /// Lets time pass until a call has ended; nothing if it never will.
    pub fn wait(&mut self, call: &Submitted) -> Option<Ended> {
        self.simulation.run_until(|| call.ended.get().is_some());
        call.ended.get()
    }

    /// Gives a call up: it ends where it stands, and what it has begun to move or to compute stops.
    pub fn cancel(&mut self, call: &Submitted) {
        if call.ended.get().is_none() {
            self.simulation.cancel(call.process);
        }
    }

    /// Lets one call happen.
    pub fn call(&mut self, job: Job) -> Option<Ended> {
        let call = self.submit(job);
        self.wait(&call)
    }

    /// Lets time pass, whatever happens in it.
    pub fn pass(&mut self, ps: u64) {
        let until_ps = self.now_ps().saturating_add(ps);
        let clock = self.simulation.clock().clone();
        let sleeper = clock.clone();
        self.simulation.spawn(async move { sleeper.sleep_until(until_ps).await });
        self.simulation.run_until(|| clock.now_ps() >= until_ps);
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
        let ports_of_devices = platform.devices.iter().map(|device| device.configuration);
        Self {
            software: SoftwareLayer::new(&recorder, platform.software),
            links,
            regions: Regions::new(&recorder, ports, ports_of_devices),
            kernels: kernels(platform, &recorder),
            ways: ways(platform, &recorder),
            recorder,
        }
    }

    /// A call: configure, call, each buffer in, compute, each buffer out, wait. Returns the device
    /// that served it.
    async fn serve(&self, job: &Job) -> usize {
        let call = job.call;
        let _in_flight = self.recorder.in_flight();
        let region = self.regions.holding(call, job.configuration).await;
        let device = region.device;
        let way = &self.ways[device];
        self.software.call(call).await;
        for &bytes in &job.bytes_in {
            self.software.copy(call, bytes).await;
            self.transfer(way, call, Direction::In, bytes).await;
        }
        self.kernels[region.index()].compute(call, job.run).await;
        for &bytes in &job.bytes_out {
            self.transfer(way, call, Direction::Out, bytes).await;
            self.software.copy(call, bytes).await;
        }
        drop(region);
        self.software.wait(call).await;
        device
    }

    async fn transfer(&self, way: &Way, call: u64, direction: Direction, bytes: u64) {
        if bytes > 0 {
            way.dma.set_up(call, direction).await;
            match way.links[..] {
                [link] => transfer(&[&self.links[link]], call, direction, bytes).await,
                _ => {
                    let links: Vec<_> = way.links.iter().map(|&link| &self.links[link]).collect();
                    transfer(&links, call, direction, bytes).await;
                }
            }
        }
    }
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
        }
    };
    platform.devices.iter().map(way).collect()
}
