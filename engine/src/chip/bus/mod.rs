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

use self::pins::{Pins, TandemPins};
use self::ring::Ring;
pub use self::ring::{Done, Moved};
use super::memory::Memory;
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

/// A protocol, as files name it, and its two ends.
#[derive(Debug)]
pub struct Row {
    /// Its name in a file.
    pub name: &'static str,
    /// Which it is.
    pub protocol: Protocol,
    /// A bus that rests.
    at_rest: fn() -> Box<dyn Bus>,
    front: fn(&mut dyn Device, &mut [TandemPins]),
    bridge: fn(&mut [TandemPins]),
}

impl Row {
    /// One whose bus has a bridge and fronts.
    const fn of<B, F>(name: &'static str, protocol: Protocol) -> Self
    where
        B: Bridge<Down: Pins, Up: Pins> + 'static,
        F: Front<Down = B::Down, Up = B::Up> + 'static,
    {
        let at_rest = || -> Box<dyn Bus> { Box::new(Ends::<B, F>::default()) };
        Self { name, protocol, at_rest, front: pins::front::<F>, bridge: pins::bridge::<B> }
    }

    /// Lets a front say what it says to these cycles, if there is one.
    pub fn replay_front(&self, device: &mut dyn Device, cycles: &mut [TandemPins]) {
        (self.front)(device, cycles);
    }

    /// The same of a bridge.
    pub fn replay_bridge(&self, cycles: &mut [TandemPins]) {
        (self.bridge)(cycles);
    }
}

/// By their numbers in a file.
pub const PROTOCOLS: &[Row] = &[
    Row {
        name: "wishbone",
        protocol: Protocol::Wishbone,
        at_rest: || Box::new(Direct),
        // Classic cycles have nothing to be let, and the core's port is the master.
        front: |_, _| {},
        bridge: |_| {},
    },
    Row::of::<pipelined::Bridge, pipelined::Front>(
        "wishbone-pipelined",
        Protocol::WishbonePipelined,
    ),
    Row::of::<axi4_lite::Bridge, axi4_lite::Front>("axi4-lite", Protocol::Axi4Lite),
    Row::of::<axi4::Bridge, axi4::Front>("axi4", Protocol::Axi4),
    Row::of::<opb::Bridge, opb::Front>("opb", Protocol::Opb),
    Row::of::<link::Bridge<true>, link::Front>("fsl", Protocol::Fsl),
    Row::of::<link::Bridge<false>, link::Front>("axi4-stream", Protocol::Axi4Stream),
    Row::of::<pcpi::Bridge, pcpi::Front>("pcpi", Protocol::Pcpi),
    Row {
        name: "dma-ring",
        protocol: Protocol::DmaRing,
        at_rest: || Box::new(Ring::default()),
        front: pins::front::<ring::Front>,
        bridge: |_| {},
    },
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

impl<B: Bridge, F: Front<Down = B::Down, Up = B::Up>> Bus for Ends<B, F> {
    fn advance(&mut self, at: Cycle, device: &mut dyn Device, _memory: &mut Memory) {
        self.advance(at, device);
    }

    fn transfer(
        &mut self,
        at: Cycle,
        asked: Request,
        device: &mut dyn Device,
        _memory: &mut Memory,
    ) -> Option<(u32, Cycle)> {
        self.transfer(at, asked, device)
    }
}

/// The core's port is the master, and a device acknowledges in the cycle behind.
struct Direct;

impl Bus for Direct {
    fn advance(&mut self, _at: Cycle, _device: &mut dyn Device, _memory: &mut Memory) {}

    fn transfer(
        &mut self,
        at: Cycle,
        asked: Request,
        device: &mut dyn Device,
        _memory: &mut Memory,
    ) -> Option<(u32, Cycle)> {
        let written = asked.written.map(|(word, _)| word);
        Some((device.access(at, asked.address, written), at + 1))
    }
}

/// A bus of any protocol, as far as one of its devices sees it: it has one master, which asks for a
/// word at a time.
pub trait Bus {
    /// Lets all happen that does before a cycle.
    fn advance(&mut self, at: Cycle, device: &mut dyn Device, memory: &mut Memory);

    /// A request stands at the bridge from a cycle on; what was read, and the cycle of the
    /// acknowledgement, or nothing if none will ever come.
    fn transfer(
        &mut self,
        at: Cycle,
        request: Request,
        device: &mut dyn Device,
        memory: &mut Memory,
    ) -> Option<(u32, Cycle)>;

    /// Whether it moves words by itself.
    fn is_moving(&self) -> bool {
        false
    }

    /// What it has moved so since this was asked.
    fn moved(&mut self) -> Moved {
        Moved::default()
    }

    /// As [`Device::has`], of a device with what is its end's own.
    fn has(&self, address: u32, is_write: bool, device: &dyn Device) -> bool {
        device.has(address, is_write)
    }
}

/// A bus of a protocol that rests.
pub fn at_rest(protocol: Protocol) -> Box<dyn Bus> {
    let row = PROTOCOLS.iter().find(|row| row.protocol == protocol);
    (row.unwrap_or_else(|| unreachable!("every protocol has its row")).at_rest)()
}
