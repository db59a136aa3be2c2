// SPDX-License-Identifier: Apache-2.0
//! What is between the core's port and registers of a chip, a file a protocol. A bus has two ends: a
//! bridge, which makes transfers of the core's requests, and a front at each device, which makes
//! accesses of transfers. Both go from cycle to cycle, as their Verilog does
//! (python/tandem/rtl/protocols): what an end says in a cycle follows from what it has seen before it,
//! and at a bridge from the request.

mod axi4;
mod axi4_lite;
mod opb;
pub mod pins;
mod pipelined;

use serde::{Deserialize, Serialize};

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
}

/// By their numbers in a file.
pub const PROTOCOLS: [(&str, Protocol); 5] = [
    ("wishbone", Protocol::Wishbone),
    ("wishbone-pipelined", Protocol::WishbonePipelined),
    ("axi4-lite", Protocol::Axi4Lite),
    ("axi4", Protocol::Axi4),
    ("opb", Protocol::Opb),
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
    /// What it says to devices.
    type Down: Copy;
    /// What they say.
    type Up: Copy;

    /// What it says in this cycle.
    fn says(&self, request: Option<Request>) -> Self::Down;

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
    type Down: Copy;
    /// The same.
    type Up: Copy;

    /// What it says in this cycle.
    fn says(&self) -> Self::Up;

    /// The cycle ends.
    fn clock(&mut self, at: Cycle, down: Self::Down, device: &mut dyn Device);
}

/// A bridge and a front that has been asked.
#[derive(Debug, Default)]
struct Link<B, F> {
    bridge: B,
    front: F,
}

impl<B: Bridge, F: Front<Down = B::Down, Up = B::Up>> Link<B, F> {
    /// Between transfers nothing changes here, so that cycles without any may be left out.
    fn transfer(&mut self, at: Cycle, asked: Request, device: &mut dyn Device) -> (u32, Cycle) {
        let request = Some(asked);
        for cycle in at.. {
            let down = self.bridge.says(request);
            let up = B::arbitrated(down, self.front.says());
            let answer = self.bridge.acknowledges(request, up);
            self.bridge.clock(request, up);
            self.front.clock(cycle, down, device);
            if let Some(word) = answer {
                return (word, cycle);
            }
        }
        (0, Cycle::MAX)
    }
}

/// A bus, of any protocol. It has one master that asks for a word at a time, so that between two
/// requests its ends are as they were: it serves any of its devices.
pub struct Bus(Kind);

enum Kind {
    Wishbone,
    Pipelined(Link<pipelined::Bridge, pipelined::Front>),
    Axi4Lite(Link<axi4_lite::Bridge, axi4_lite::Front>),
    Axi4(Link<axi4::Bridge, axi4::Front>),
    Opb(Link<opb::Bridge, opb::Front>),
}

impl Bus {
    /// One that rests.
    pub fn new(protocol: Protocol) -> Self {
        Self(match protocol {
            Protocol::Wishbone => Kind::Wishbone,
            Protocol::WishbonePipelined => Kind::Pipelined(Link::default()),
            Protocol::Axi4Lite => Kind::Axi4Lite(Link::default()),
            Protocol::Axi4 => Kind::Axi4(Link::default()),
            Protocol::Opb => Kind::Opb(Link::default()),
        })
    }

    /// A request stands at the bridge from a cycle on; what was read, and the cycle of the
    /// acknowledgement.
    pub fn transfer(
        &mut self,
        at: Cycle,
        request: Request,
        device: &mut dyn Device,
    ) -> (u32, Cycle) {
        match &mut self.0 {
            // The core's port is the master, and a device acknowledges in the cycle behind.
            Kind::Wishbone => {
                let written = request.written.map(|(word, _)| word);
                (device.access(at, request.address, written), at + 1)
            }
            Kind::Pipelined(link) => link.transfer(at, request, device),
            Kind::Axi4Lite(link) => link.transfer(at, request, device),
            Kind::Axi4(link) => link.transfer(at, request, device),
            Kind::Opb(link) => link.transfer(at, request, device),
        }
    }
}
