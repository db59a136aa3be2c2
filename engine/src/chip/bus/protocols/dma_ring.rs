// SPDX-License-Identifier: Apache-2.0
//! A shell that fetches its words itself: a ring of descriptors in memory says what of it each argument
//! is, and a register how many of them there are more. The core asks for registers by classic cycles;
//! while descriptors are left they are the ring's.

use super::pins::{self, Pins, ROOM, bit};
use super::{Bus, Device, Protocol, Request};
use crate::chip::memory::{Memory, Pace};
use crate::chip::settings::{MICROBLAZE, PICORV32};
use crate::chip::shell::{CHOOSE, START};
use crate::chip::shell::{CONTROL, DATA_IN, DATA_OUT, RING, register};
use crate::cores::Cycle;

/// What is known of it.
pub const PROTOCOL: Protocol = Protocol {
    is_of_shells: true,
    // Those that have a port of memory to spare and keep no data.
    cores: Some(&[PICORV32, MICROBLAZE]),
    front: pins::front::<Front>,
    ..Protocol::without_ends("dma-ring", 90, || Box::new(Ring::default()))
};

/// Descriptors in a ring, of 16 bytes each.
const SLOTS: u32 = 16;
/// The kind of a descriptor: words go to an argument, the kernel starts, words come from one.
const GIVE: u32 = 1;
const BEGIN: u32 = 2;
const TAKE: u32 = 3;
/// Bits of the register that are not the ring's address.
const COUNT: u32 = 0xff;

/// What is said to a shell: by the core, and by memory, where it is ready with a word.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Down {
    asks: Option<Request>,
    memory: Option<u32>,
}

/// What it says: to the core, where it acknowledges, and what it asks memory for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Up {
    answers: Option<u32>,
    memory: Option<Asked>,
}

/// A word of memory that is read, or this one written. Where it is not the last one, the next one is
/// behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Asked {
    address: u32,
    written: Option<u32>,
    is_last: bool,
}

/// What the front does for a descriptor. The numbers are the Verilog's.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum State {
    /// Its words come: order, address, how many words.
    #[default]
    Order,
    Address,
    Words,
    /// It waits for the kernel, and chooses the argument or starts.
    Begin,
    /// A word comes from memory and goes on.
    Give,
    /// A word is read,
    Take,
    /// is there,
    Keep,
    /// and goes to memory.
    Store,
}

/// The shell's end.
#[derive(Debug, Default)]
pub struct Front {
    answers: Option<u32>,
    /// The ring's address, without its low bits.
    ring: u32,
    slot: u32,
    left: u8,
    state: State,
    order: u32,
    address: u32,
    words: u32,
    word: u32,
    /// Words that it has given and taken.
    moved: (u64, u64),
    /// Whether it has done something in the last cycle.
    has_moved: bool,
    /// Whether a descriptor was done in it.
    has_done: bool,
}

impl Front {
    /// What the descriptor does, for people.
    fn deed(&self) -> &'static str {
        match self.order & 0xff {
            GIVE => "give",
            BEGIN => "start",
            TAKE => "take",
            _ => "nothing",
        }
    }

    fn memory(&self) -> Option<Asked> {
        let descriptor = self.ring | self.slot << 4;
        let read = |address: u32, is_last: bool| Some(Asked { address, written: None, is_last });
        if self.left == 0 {
            return None;
        }
        match self.state {
            State::Order => read(descriptor, false),
            State::Address => read(descriptor | 4, false),
            State::Words => read(descriptor | 8, true),
            State::Give => read(self.address, self.words == 1),
            State::Store => {
                Some(Asked { address: self.address, written: Some(self.word), is_last: true })
            }
            State::Begin | State::Take | State::Keep => None,
        }
    }

    /// An access of the core's; what it reads, and how many descriptors there are more.
    fn ask(&mut self, at: Cycle, asked: Request, device: &mut dyn Device) -> (u32, u8) {
        let written = asked.written.map(|(word, _)| word);
        match (register(asked.address), written) {
            (RING, None) => (self.left.into(), 0),
            (RING, Some(word)) => {
                if self.left == 0 && self.ring != word & !COUNT {
                    self.slot = 0;
                }
                self.ring = word & !COUNT;
                (0, (word & COUNT) as u8)
            }
            _ if self.left > 0 => (0, 0),
            (place, written) => (device.access(at, place, written), 0),
        }
    }

    /// A cycle of a descriptor; whether it is done.
    fn step(&mut self, at: Cycle, memory: Option<u32>, device: &mut dyn Device) -> bool {
        let (argument, state) = (self.order >> 8 & 0xff, self.state);
        self.has_moved = true;
        match (state, memory) {
            (State::Order, Some(word)) => (self.order, self.state) = (word, State::Address),
            (State::Address, Some(word)) => (self.address, self.state) = (word & !3, State::Words),
            (State::Words, Some(word)) => (self.words, self.state) = (word, State::Begin),
            (State::Begin, _) if device.is_busy(at) => self.has_moved = false,
            (State::Begin, _) => return self.begin(at, argument, device),
            (State::Give, Some(word)) => {
                device.access(at, DATA_IN, Some(word));
                self.moved.0 += 1;
                return self.go_on(State::Give);
            }
            (State::Take, _) => {
                self.word = device.access(at, DATA_OUT, None);
                self.moved.1 += 1;
                self.state = State::Keep;
            }
            (State::Keep, _) => self.state = State::Store,
            (State::Store, Some(_)) => return self.go_on(State::Take),
            _ => {}
        }
        false
    }

    fn begin(&mut self, at: Cycle, argument: u32, device: &mut dyn Device) -> bool {
        let state = match self.order & 0xff {
            GIVE => State::Give,
            TAKE => State::Take,
            BEGIN => {
                device.access(at, CONTROL, Some(START));
                return true;
            }
            _ => return true,
        };
        device.access(at, CONTROL, Some(CHOOSE | argument << 8));
        self.state = state;
        self.words == 0
    }

    /// Behind a word.
    fn go_on(&mut self, state: State) -> bool {
        self.address = self.address.wrapping_add(4);
        self.words = self.words.wrapping_sub(1);
        self.state = state;
        self.words == 0
    }
}

impl super::Front for Front {
    type Down = Down;
    type Up = Up;

    fn says(&self) -> Up {
        Up { answers: self.answers, memory: self.memory() }
    }

    fn rests(&self) -> bool {
        self.left == 0
    }

    fn clock(&mut self, at: Cycle, down: Down, device: &mut dyn Device) {
        let is_active = self.left > 0;
        let asked = down.asks.filter(|_| self.answers.is_none());
        let answered = asked.map(|asked| self.ask(at, asked, device));
        self.answers = answered.map(|(word, _)| word);
        (self.has_moved, self.has_done) = (false, false);
        let more = answered.map_or(0, |(_, more)| more);
        self.left = self.left.wrapping_add(more);
        if is_active && self.step(at, down.memory, device) {
            self.left = self.left.wrapping_sub(1);
            self.slot = (self.slot + 1) % SLOTS;
            self.state = State::Order;
            self.has_done = true;
        }
    }
}

/// A descriptor that is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Done {
    /// What it did.
    pub name: &'static str,
    /// Its first cycle.
    pub begin: Cycle,
    /// The first one behind it.
    pub end: Cycle,
}

/// Words that a ring has moved, and the cycles that it took.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Moved {
    /// To the shell, and from there.
    pub words: (u64, u64),
    /// Cycles of all descriptors, but for those in which they waited for the kernel.
    pub cycles: Cycle,
    /// The first cycle behind the last of them.
    pub until: Cycle,
    /// The descriptors.
    pub done: Vec<Done>,
    /// An address that it has asked for, where no memory is.
    pub lost: Option<u32>,
}

/// A shell's end at the memory of a chip.
#[derive(Debug, Default)]
pub struct Ring {
    front: Front,
    pace: Pace,
    /// The cycles before this one have happened.
    now: Cycle,
    moved: Moved,
    /// Where the last descriptor has ended.
    ended: Cycle,
}

impl Bus for Ring {
    fn is_moving(&self) -> bool {
        !super::Front::rests(&self.front)
    }

    fn moved(&mut self) -> Moved {
        self.moved.words = std::mem::take(&mut self.front.moved);
        std::mem::take(&mut self.moved)
    }

    fn has(&self, address: u32, is_write: bool, device: &dyn Device) -> bool {
        register(address) == RING || device.has(address, is_write)
    }

    fn advance(&mut self, at: Cycle, device: &mut dyn Device, memory: &mut Memory) {
        while self.now < at && self.is_moving() {
            self.cycle(None, device, memory);
        }
        if self.now < at {
            (self.now, self.ended) = (at, at);
        }
    }

    fn transfer(
        &mut self,
        at: Cycle,
        request: Request,
        device: &mut dyn Device,
        memory: &mut Memory,
    ) -> Option<(u32, Cycle)> {
        self.advance(at, device, memory);
        self.cycle(Some(request), device, memory);
        let acknowledged = self.now;
        let answer = self.cycle(Some(request), device, memory);
        Some((answer.unwrap_or_default(), acknowledged))
    }
}

impl Ring {
    fn cycle(
        &mut self,
        request: Option<Request>,
        device: &mut dyn Device,
        memory: &mut Memory,
    ) -> Option<u32> {
        let said = super::Front::says(&self.front);
        let answered = said.memory.and_then(|asked| self.served(asked, memory));
        let down = Down { asks: request, memory: answered };
        super::Front::clock(&mut self.front, self.now, down, device);
        self.now += 1;
        if said.memory.is_none() && super::Front::rests(&self.front) {
            self.ended = self.now;
        }
        if self.front.has_moved {
            self.moved.cycles += 1;
            self.moved.until = self.now;
        }
        if self.front.has_done {
            let (name, begin) = (self.front.deed(), std::mem::replace(&mut self.ended, self.now));
            self.moved.done.push(Done { name, begin, end: self.now });
        }
        said.answers
    }

    /// The word that memory is ready with, if it is.
    fn served(&mut self, asked: Asked, memory: &mut Memory) -> Option<u32> {
        let Asked { address, written, is_last } = asked;
        let Some((wait, each)) = memory.pace(address) else {
            self.moved.lost = Some(address);
            return None;
        };
        if !self.pace.is_ready(wait, each, is_last) {
            return None;
        }
        match written {
            Some(word) => memory.write(self.now, address, word, super::WHOLE).map(|_| 0),
            None => {
                let mut words = [0];
                memory.read(self.now, address, &mut words).map(|_| words[0])
            }
        }
    }
}

impl Pins for Down {
    fn from_pins(pins: &[u32; ROOM]) -> Self {
        let [flags, address, word, read, ..] = *pins;
        let written = bit(flags, 1).then_some(word);
        Self {
            asks: bit(flags, 0).then(|| Request::whole(address, written)),
            memory: bit(flags, 2).then_some(read),
        }
    }

    fn to_pins(self) -> [u32; ROOM] {
        let Request { address, written } = self.asks.unwrap_or(Request::whole(0, None));
        let flags = u32::from(self.asks.is_some())
            | u32::from(written.is_some()) << 1
            | u32::from(self.memory.is_some()) << 2;
        let (word, read) = (written.map_or(0, |(word, _)| word), self.memory.unwrap_or_default());
        [flags, address, word, read, 0, 0]
    }
}

impl Pins for Up {
    fn from_pins(pins: &[u32; ROOM]) -> Self {
        let [flags, word, address, written, ..] = *pins;
        let asked =
            Asked { address, written: bit(flags, 3).then_some(written), is_last: bit(flags, 2) };
        Self { answers: bit(flags, 0).then_some(word), memory: bit(flags, 1).then_some(asked) }
    }

    fn to_pins(self) -> [u32; ROOM] {
        let none = Asked { address: 0, written: None, is_last: false };
        let Asked { address, written, is_last } = self.memory.unwrap_or(none);
        let flags = u32::from(self.answers.is_some())
            | u32::from(self.memory.is_some()) << 1
            | u32::from(is_last) << 2
            | u32::from(written.is_some()) << 3;
        let (word, written) = (self.answers.unwrap_or_default(), written.unwrap_or_default());
        [flags, word, address, written, 0, 0]
    }
}
