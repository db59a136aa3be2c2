// SPDX-License-Identifier: Apache-2.0
//! What is between the core's port and registers of a chip, a file a protocol. A bus has two ends: a
//! bridge, which makes transfers of the core's requests, and a front at each device, which makes
//! accesses of transfers. Both go from cycle to cycle, as their Verilog does
//! (python/tandem/rtl/protocols): what an end says in a cycle follows from what it has seen before it,
//! and at a bridge from the request.

mod axi4;
mod axi4_lite;
mod link;
mod opb;
pub mod pcpi;
pub mod pins;
mod pipelined;
mod ring;

use serde::{Deserialize, Serialize};

use self::ring::Ring;
pub use self::ring::{Done, Moved};
use super::memory::Memory;
use super::shell::{RING, register};
use crate::cores::Cycle;

/// The protocols, as files name them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// Wishbone B4, classic cycles with registered feedback.
    #[default]
    Wishbone,
    /// The same, pipelined cycles.
    WishbonePipelined,
    /// AMBA AXI4-Lite.
    #[serde(rename = "axi4-lite")]
    Axi4Lite,
    /// AMBA AXI4, with bursts.
    #[serde(rename = "axi4")]
    Axi4,
    /// CoreConnect's On-chip Peripheral Bus.
    Opb,
    /// Xilinx' Fast Simplex Link, one each way.
    Fsl,
    /// AMBA AXI4-Stream, one each way.
    #[serde(rename = "axi4-stream")]
    Axi4Stream,
    /// PicoRV32's co-processor interface: instructions.
    Pcpi,
    /// A ring of descriptors in memory, which shells read themselves.
    DmaRing,
}

impl Protocol {
    /// Whether it leads to shells and nothing else.
    pub fn is_of_shells(self) -> bool {
        matches!(self, Self::Fsl | Self::Axi4Stream | Self::Pcpi | Self::DmaRing)
    }

    /// Whether instructions of their own ask, in place of loads and stores.
    pub fn is_of_instructions(self) -> bool {
        self == Self::Pcpi
    }
}

/// By their numbers in a file.
pub const PROTOCOLS: [(&str, Protocol); 9] = [
    ("wishbone", Protocol::Wishbone),
    ("wishbone-pipelined", Protocol::WishbonePipelined),
    ("axi4-lite", Protocol::Axi4Lite),
    ("axi4", Protocol::Axi4),
    ("opb", Protocol::Opb),
    ("fsl", Protocol::Fsl),
    ("axi4-stream", Protocol::Axi4Stream),
    ("pcpi", Protocol::Pcpi),
    ("dma-ring", Protocol::DmaRing),
];

/// What the core asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request {
    /// In bytes.
    pub address: u32,
    /// A word that is written, and a bit for each of its bytes that is; nothing, if it is read.
    pub written: Option<(u32, u8)>,
}

impl Request {
    /// A word is read, or this one written.
    pub fn whole(address: u32, written: Option<u32>) -> Self {
        Self { address, written: written.map(|word| (word, WHOLE)) }
    }
}

/// All bytes of a word.
pub(crate) const WHOLE: u8 = 0xf;

/// What is behind a front.
pub trait Device {
    /// Whether there is something to be read or written at an address; only its place within the
    /// device counts.
    fn has(&self, address: u32, is_write: bool) -> bool;

    /// A word is read, or this one written, of those that it has; what is read is there in the next
    /// cycle.
    fn access(&mut self, at: Cycle, address: u32, written: Option<u32>) -> u32;

    /// Whether it would ignore what is written in a cycle.
    fn is_busy(&mut self, at: Cycle) -> bool;
}

/// A front's access: what is read, or nothing where that is an error. Parts of words are not written.
fn access(at: Cycle, asked: Request, device: &mut dyn Device) -> Option<u32> {
    let Request { address, written } = asked;
    let is_whole = written.is_none_or(|(_, lanes)| lanes == WHOLE);
    let is_there = is_whole && device.has(address, written.is_some());
    is_there.then(|| device.access(at, address, written.map(|(word, _)| word)))
}

/// The core's end. In a cycle it first says something, then the clock rises.
trait Bridge: Default {
    /// What it says to devices; by default nothing.
    type Down: Copy + Default;
    /// What they say.
    type Up: Copy;

    /// What it says in this cycle, in which it hears this but for an arbiter.
    fn says(&self, request: Option<Request>, up: Self::Up) -> Self::Down;

    /// What it hears in this cycle, with what an arbiter says to it.
    fn arbitrated(_down: Self::Down, up: Self::Up) -> Self::Up {
        up
    }

    /// Whether the request is acknowledged in it, and what was read.
    fn acknowledges(&self, request: Option<Request>, up: Self::Up) -> Option<u32>;

    /// The cycle ends.
    fn clock(&mut self, request: Option<Request>, up: Self::Up);
}

/// The end of a device.
trait Front: Default {
    /// As a bridge's.
    type Down: Copy + Default;
    /// The same.
    type Up: Copy;

    /// What it says in this cycle.
    fn says(&self) -> Self::Up;

    /// Whether it stays as it is while nothing is said to it.
    fn rests(&self) -> bool {
        true
    }

    /// The cycle ends.
    fn clock(&mut self, at: Cycle, down: Self::Down, device: &mut dyn Device);
}

/// A bridge and a front.
#[derive(Debug, Default)]
struct Ends<B, F> {
    bridge: B,
    front: F,
    /// The cycles before this one have happened.
    now: Cycle,
}

/// Cycles after which nothing comes any more: if nothing moves, and if something does.
const PATIENCE: (u32, Cycle) = (64, 1 << 28);

impl<B: Bridge, F: Front<Down = B::Down, Up = B::Up>> Ends<B, F> {
    /// Lets all happen that does before a cycle. Where the front rests, cycles may be left out.
    fn advance(&mut self, at: Cycle, device: &mut dyn Device) {
        while self.now < at && !self.front.rests() {
            self.front.clock(self.now, B::Down::default(), device);
            self.now += 1;
        }
        self.now = self.now.max(at);
    }

    fn transfer(
        &mut self,
        at: Cycle,
        asked: Request,
        device: &mut dyn Device,
    ) -> Option<(u32, Cycle)> {
        self.advance(at, device);
        let (request, mut quiet) = (Some(asked), 0);
        for cycle in self.now.. {
            let said = self.front.says();
            let down = self.bridge.says(request, said);
            let up = B::arbitrated(down, said);
            let answer = self.bridge.acknowledges(request, up);
            self.bridge.clock(request, up);
            self.front.clock(cycle, down, device);
            self.now = cycle + 1;
            if let Some(word) = answer {
                return Some((word, cycle));
            }
            quiet = if self.front.rests() { quiet + 1 } else { 0 };
            if quiet == PATIENCE.0 || cycle - at == PATIENCE.1 {
                break;
            }
        }
        None
    }
}

/// A bus of any protocol, as far as one of its devices sees it: it has one master, which asks for a
/// word at a time.
pub struct Bus(Kind);

enum Kind {
    Wishbone,
    Pipelined(Ends<pipelined::Bridge, pipelined::Front>),
    Axi4Lite(Ends<axi4_lite::Bridge, axi4_lite::Front>),
    Axi4(Ends<axi4::Bridge, axi4::Front>),
    Opb(Ends<opb::Bridge, opb::Front>),
    Link(Ends<link::Bridge<false>, link::Front>),
    Pcpi(Ends<pcpi::Bridge, pcpi::Front>),
    Ring(Box<Ring>),
}

impl Bus {
    /// One that rests.
    pub fn new(protocol: Protocol) -> Self {
        Self(match protocol {
            Protocol::Wishbone => Kind::Wishbone,
            Protocol::WishbonePipelined => Kind::Pipelined(Ends::default()),
            Protocol::Axi4Lite => Kind::Axi4Lite(Ends::default()),
            Protocol::Axi4 => Kind::Axi4(Ends::default()),
            Protocol::Opb => Kind::Opb(Ends::default()),
            Protocol::Fsl | Protocol::Axi4Stream => Kind::Link(Ends::default()),
            Protocol::Pcpi => Kind::Pcpi(Ends::default()),
            Protocol::DmaRing => Kind::Ring(Box::default()),
        })
    }

    /// Lets all happen that does before a cycle.
    pub fn advance(&mut self, at: Cycle, device: &mut dyn Device, memory: &mut Memory) {
        match &mut self.0 {
            Kind::Link(ends) => ends.advance(at, device),
            Kind::Ring(ring) => ring.advance(at, device, memory),
            _ => {}
        }
    }

    /// Whether it moves words by itself.
    pub fn is_moving(&self) -> bool {
        matches!(&self.0, Kind::Ring(ring) if ring.is_moving())
    }

    /// What it has moved so since this was asked.
    pub fn moved(&mut self) -> Moved {
        match &mut self.0 {
            Kind::Ring(ring) => ring.moved(),
            _ => Moved::default(),
        }
    }

    /// As [`Device::has`], of a device with what is its end's own.
    pub fn has(&self, address: u32, is_write: bool, device: &dyn Device) -> bool {
        let is_own = matches!(self.0, Kind::Ring(_)) && register(address) == RING;
        is_own || device.has(address, is_write)
    }

    /// A request stands at the bridge from a cycle on; what was read, and the cycle of the
    /// acknowledgement, or nothing if none will ever come.
    pub fn transfer(
        &mut self,
        at: Cycle,
        request: Request,
        device: &mut dyn Device,
        memory: &mut Memory,
    ) -> Option<(u32, Cycle)> {
        match &mut self.0 {
            // The core's port is the master, and a device acknowledges in the cycle behind.
            Kind::Wishbone => {
                let written = request.written.map(|(word, _)| word);
                Some((device.access(at, request.address, written), at + 1))
            }
            Kind::Pipelined(ends) => ends.transfer(at, request, device),
            Kind::Axi4Lite(ends) => ends.transfer(at, request, device),
            Kind::Axi4(ends) => ends.transfer(at, request, device),
            Kind::Opb(ends) => ends.transfer(at, request, device),
            Kind::Link(ends) => ends.transfer(at, request, device),
            Kind::Pcpi(ends) => ends.transfer(at, request, device),
            Kind::Ring(ring) => Some(ring.transfer(at, request, device, memory)),
        }
    }
}
