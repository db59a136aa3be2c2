// SPDX-License-Identifier: Apache-2.0
//! What is between the core's port and registers of a chip, a file of `protocols` a protocol. A bus has two ends: a
//! bridge, which makes transfers of the core's requests, and a front at each device, which makes
//! accesses of transfers. Both go from cycle to cycle, as their Verilog does
//! (python/tandem/rtl/buses): what an end says in a cycle follows from what it has seen before it,
//! and at a bridge from the request.

mod link;
pub mod pins;
pub mod protocols;

use serde::{Serialize, Serializer};

use self::pins::{Pins, TandemPins};
pub use self::protocols::PROTOCOLS;
pub use self::protocols::dma_ring::{Done, Moved};
use super::memory::Memory;
use crate::cores::Cycle;

/// A protocol, and its two ends.
#[derive(Debug, Clone, Copy)]
pub struct Protocol {
    /// Its name in a file.
    pub name: &'static str,
    /// Which of two is named first where all are: the one of the lower number.
    place: u32,
    /// Whether it leads to shells and nothing else.
    pub is_of_shells: bool,
    /// Whether instructions of their own ask, in place of loads and stores.
    pub is_of_instructions: bool,
    /// The cores that have it, if not all.
    pub cores: Option<&'static [&'static str]>,
    /// A bus that rests.
    at_rest: fn() -> Box<dyn Bus>,
    front: fn(&mut dyn Device, &mut [TandemPins]),
    bridge: fn(&mut [TandemPins]),
}

impl Protocol {
    /// One of any core, whose bus has a bridge and fronts.
    const fn of<B, F>(name: &'static str, place: u32) -> Self
    where
        B: Bridge<Down: Pins, Up: Pins> + 'static,
        F: Front<Down = B::Down, Up = B::Up> + 'static,
    {
        let at_rest = || -> Box<dyn Bus> { Box::new(Ends::<B, F>::default()) };
        let (front, bridge) = (pins::front::<F>, pins::bridge::<B>);
        Self { front, bridge, ..Self::without_ends(name, place, at_rest) }
    }

    /// One of any core, nothing of which stands beside its Verilog.
    const fn without_ends(name: &'static str, place: u32, at_rest: fn() -> Box<dyn Bus>) -> Self {
        Self {
            name,
            place,
            is_of_shells: false,
            is_of_instructions: false,
            cores: None,
            at_rest,
            front: |_, _| {},
            bridge: |_| {},
        }
    }

    /// A bus that rests.
    pub fn at_rest(&self) -> Box<dyn Bus> {
        (self.at_rest)()
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

impl PartialEq for Protocol {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Protocol {}

impl Serialize for Protocol {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name)
    }
}

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
