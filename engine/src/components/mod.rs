// SPDX-License-Identifier: Apache-2.0
//! The components of a platform, one file each. A component receives messages, is busy for a
//! while, and sends messages on; it knows the others by their [`Address`] only.

mod configuration_port;
mod device;
mod dma;
mod link;
mod memory;
mod software;

pub use configuration_port::ConfigurationPort;
pub use device::Device;
pub use dma::DmaEngine;
pub use link::Link;
pub use memory::MemoryBanks;
pub use software::SoftwareLayer;

use crate::breakdown::Category;
use crate::simulation::EventQueue;
use crate::trace::{Span, Trace};

/// Where a component is found in a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Address {
    /// The host's software layer, which drives a call.
    Software,
    /// The port through which the device is configured.
    ConfigurationPort,
    /// The engine that starts transfers.
    Dma,
    /// The wires between host and device.
    Link,
    /// The device's memory.
    Memory,
    /// The kernel's clock.
    Device,
}

/// Identity of a configuration (a kernel's package) within one run.
pub type ConfigurationId = usize;

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
    /// Cycles of the kernel.
    pub cycles: u64,
    /// Those of them that do not grow with the data: the latency of its pipeline.
    pub latency_cycles: u64,
    /// Clock period of the kernel.
    pub clock_ps: u64,
}

/// The way of a transfer, as the host sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Host to device.
    In,
    /// Device to host.
    Out,
}

impl Direction {
    /// What the time of such a transfer is booked on.
    pub fn category(self) -> Category {
        match self {
            Self::In => Category::TransferIn,
            Self::Out => Category::TransferOut,
        }
    }
}

/// One buffer on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transfer {
    /// Its way.
    pub direction: Direction,
    /// Its size.
    pub bytes: u64,
}

/// One run of the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Computation {
    /// Cycles of the kernel.
    pub cycles: u64,
    /// Those of them that do not grow with the data.
    pub latency_cycles: u64,
    /// Clock period of the kernel.
    pub clock_ps: u64,
}

/// What components tell each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Message {
    /// To the software layer: a program calls.
    Call(Job),
    /// To the configuration port: this kernel must be on the device.
    Configure(ConfigurationId),
    /// To the DMA engine, the link and the memory: move this.
    Move(Transfer),
    /// To the device: run the kernel.
    Compute(Computation),
    /// To the software layer: what it waited for is done.
    Done,
}

/// A message and where it goes.
#[derive(Debug)]
pub struct Event {
    /// The component that receives it.
    pub to: Address,
    /// The message.
    pub message: Message,
}

/// A part of a platform.
pub trait Component {
    /// Takes a message in, at the context's time.
    fn receive(&mut self, message: Message, context: &mut Context<'_>);
}

/// What a component may use while it receives a message.
pub struct Context<'a> {
    /// The simulated time.
    pub now_ps: u64,
    /// Index of the call that is served.
    pub call: u64,
    /// Where messages wait for their time.
    pub queue: &'a mut EventQueue<Event>,
    /// Where time is booked.
    pub trace: &'a mut Trace,
}

impl Context<'_> {
    /// Sends a message that arrives at `time_ps`.
    pub fn send(&mut self, time_ps: u64, to: Address, message: Message) {
        self.queue.schedule(time_ps, Event { to, message });
    }
}

/// A piece of a component's time, before it is known when.
#[derive(Debug, Clone, Copy)]
pub struct Work {
    /// What the time is booked on.
    pub category: Category,
    /// How long it takes.
    pub duration_ps: u64,
    /// The part of the duration that does not grow with bytes.
    pub fixed_ps: u64,
    /// Bytes that the work moves.
    pub bytes: u64,
}

impl Work {
    /// Work whose duration does not depend on data.
    pub fn fixed(category: Category, duration_ps: u64) -> Self {
        Self { category, duration_ps, fixed_ps: duration_ps, bytes: 0 }
    }

    /// Work at a rate.
    pub fn moving(category: Category, bytes: u64, bytes_per_s: u64) -> Self {
        Self { category, duration_ps: transfer_ps(bytes, bytes_per_s), fixed_ps: 0, bytes }
    }
}

/// One at a time: work that arrives while earlier work is under way begins when that ends.
#[derive(Debug)]
pub struct Server {
    name: &'static str,
    free_ps: u64,
}

impl Server {
    /// A free server; `name` is the component's in the trace.
    pub fn new(name: &'static str) -> Self {
        Self { name, free_ps: 0 }
    }

    /// Books `work` as soon as the server is free and returns when it ends.
    pub fn serve(&mut self, work: Work, context: &mut Context<'_>) -> u64 {
        let start_ps = context.now_ps.max(self.free_ps);
        let end_ps = start_ps.saturating_add(work.duration_ps);
        self.free_ps = end_ps;
        context.trace.record(Span {
            component: self.name,
            category: work.category,
            start_ps,
            end_ps,
            bytes: work.bytes,
            fixed_ps: work.fixed_ps,
            call: context.call,
        });
        end_ps
    }
}

/// How long `bytes` take at a rate, rounded up to a picosecond.
pub fn transfer_ps(bytes: u64, bytes_per_s: u64) -> u64 {
    const PS_PER_S: u128 = 1_000_000_000_000;
    let ps = (u128::from(bytes) * PS_PER_S).div_ceil(u128::from(bytes_per_s.max(1)));
    u64::try_from(ps).unwrap_or(u64::MAX)
}
