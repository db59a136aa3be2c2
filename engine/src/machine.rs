// SPDX-License-Identifier: Apache-2.0
//! A platform wired up: its components, and the clock that all of them share.

use crate::components::{
    Address, Component, ConfigurationPort, Context, Device, DmaEngine, Event, Job, Link,
    MemoryBanks, Message, SoftwareLayer,
};
use crate::platform::Platform;
use crate::simulation::EventQueue;
use crate::trace::Trace;

/// The simulated machine. Its clock stands still between calls: the host's own work is real, not
/// simulated.
pub struct Machine {
    /// What it was built from.
    pub platform: Platform,
    now_ps: u64,
    queue: EventQueue<Event>,
    software: SoftwareLayer,
    configuration_port: ConfigurationPort,
    dma: DmaEngine,
    link: Link,
    memory: MemoryBanks,
    device: Device,
}

impl Machine {
    /// A machine at time 0 with nothing on its device.
    pub fn new(platform: Platform) -> Self {
        Self {
            now_ps: 0,
            queue: EventQueue::new(),
            software: SoftwareLayer::new(platform.software),
            configuration_port: ConfigurationPort::new(platform.configuration),
            dma: DmaEngine::new(platform.link.transfer_time_ps),
            link: Link::new(platform.link),
            memory: MemoryBanks,
            device: Device::new(platform.device.launch_cycles),
            platform,
        }
    }

    /// The simulated time.
    pub fn now_ps(&self) -> u64 {
        self.now_ps
    }

    /// Lets one call happen, books it in `trace` and returns what it took, in picoseconds.
    pub fn call(&mut self, job: Job, trace: &mut Trace) -> u64 {
        let start_ps = self.now_ps;
        let call = job.call;
        self.queue.schedule(start_ps, Event { to: Address::Software, message: Message::Call(job) });
        while let Some((now_ps, event)) = self.queue.pop() {
            self.now_ps = now_ps;
            self.deliver(event, call, trace);
        }
        self.now_ps - start_ps
    }

    fn deliver(&mut self, event: Event, call: u64, trace: &mut Trace) {
        let component: &mut dyn Component = match event.to {
            Address::Software => &mut self.software,
            Address::ConfigurationPort => &mut self.configuration_port,
            Address::Dma => &mut self.dma,
            Address::Link => &mut self.link,
            Address::Memory => &mut self.memory,
            Address::Device => &mut self.device,
        };
        let mut context = Context { now_ps: self.now_ps, call, queue: &mut self.queue, trace };
        component.receive(event.message, &mut context);
    }
}
