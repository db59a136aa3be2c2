// SPDX-License-Identifier: Apache-2.0
//! Links from a processor to a kernel's shell and back, of words with a flag: Xilinx' Fast Simplex
//! Link and AMBA AXI4-Stream, which are one but for the names of their pins. A FIFO each way lies at
//! the shell. Words with the flag are for its CONTROL, the others for DATA_IN; what it shall send back
//! is asked for by two instructions that are the link's own. A word waits while the kernel runs.

use std::collections::VecDeque;

use super::pins::{Pins, ROOM, bit, padded};
use super::{Device, Request};
use crate::chip::shell::{CONTROL, DATA_IN, DATA_OUT, register};
use crate::cores::Cycle;

/// Words in a FIFO; the Fast Simplex Link's own if nobody says otherwise (Xilinx DS449).
const DEPTH: usize = 16;
/// The instruction that has so many words of the chosen argument sent as bits 8 to 31 say.
const SEND: u32 = 3;
/// The instruction that has CONTROL sent.
const STATUS: u32 = 4;

/// A word and its flag.
type Word = (u32, bool);

/// What the processor's end says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Down {
    /// A word stands there.
    puts: Option<Word>,
    /// The word that stands at the other link is taken, if one does.
    takes: bool,
}

/// What the shell's says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Up {
    has_room: bool,
    word: Option<Word>,
}

/// A store is done when the word is in the FIFO, a load when one has come. The status is asked for by
/// the first load of CONTROL; loads read 0 until it has come. `IS_GATED`: whether nothing is said where
/// it would have no effect.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Bridge<const IS_GATED: bool> {
    has_asked: bool,
}

impl<const IS_GATED: bool> Bridge<IS_GATED> {
    fn asks(&self, request: Request) -> bool {
        request.written.is_none() && is_control(request) && !self.has_asked
    }
}

fn is_control(request: Request) -> bool {
    register(request.address) == CONTROL
}

impl<const IS_GATED: bool> super::Bridge for Bridge<IS_GATED> {
    type Down = Down;
    type Up = Up;

    fn says(&self, request: Option<Request>, up: Up) -> Down {
        let Some(asked) = request else { return Down::default() };
        let puts = match asked.written {
            Some((word, _)) => Some((word, is_control(asked))),
            None => self.asks(asked).then_some((STATUS, true)),
        };
        let is_of_use = |has_effect: bool| has_effect || !IS_GATED;
        Down {
            puts: puts.filter(|_| is_of_use(up.has_room)),
            takes: puts.is_none() && is_of_use(up.word.is_some()),
        }
    }

    fn acknowledges(&self, request: Option<Request>, up: Up) -> Option<u32> {
        let asked = request?;
        let read = up.word.map(|(word, _)| word);
        match asked.written {
            Some(_) => up.has_room.then_some(0),
            None if self.asks(asked) => up.has_room.then_some(0),
            None if is_control(asked) => Some(read.unwrap_or(0)),
            None => read,
        }
    }

    fn clock(&mut self, request: Option<Request>, up: Up) {
        let Some(asked) = request.filter(|one| one.written.is_none() && is_control(*one)) else {
            return;
        };
        self.has_asked = if self.asks(asked) { up.has_room } else { up.word.is_none() };
    }
}

/// Takes a word of the FIFO when what the one before has asked for is sent.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Front {
    given: VecDeque<Word>,
    sent: VecDeque<Word>,
    /// Words that are still to be sent.
    owed: u32,
    /// What was read in the cycle before.
    fresh: Option<Word>,
}

impl super::Front for Front {
    type Down = Down;
    type Up = Up;

    fn says(&self) -> Up {
        Up { has_room: self.given.len() < DEPTH, word: self.sent.front().copied() }
    }

    fn rests(&self) -> bool {
        self.given.is_empty() && self.owed == 0 && self.fresh.is_none()
    }

    fn clock(&mut self, at: Cycle, down: Down, device: &mut dyn Device) {
        let before = super::Front::says(self);
        let fresh = self.fresh.take();
        let can_send = self.sent.len() + usize::from(fresh.is_some()) < DEPTH;
        if (self.owed > 0 || !self.given.is_empty()) && !device.is_busy(at) {
            self.act(at, can_send, device);
        }
        if down.takes {
            self.sent.pop_front();
        }
        self.sent.extend(fresh);
        self.given.extend(down.puts.filter(|_| before.has_room));
    }
}

impl Front {
    fn act(&mut self, at: Cycle, can_send: bool, device: &mut dyn Device) {
        if self.owed > 0 {
            if can_send {
                self.owed -= 1;
                let word = device.access(at, DATA_OUT, None);
                self.fresh = Some((word, self.owed == 0));
            }
            return;
        }
        let Some(&(word, is_control)) = self.given.front() else { return };
        match (is_control, word & 0xff) {
            (true, STATUS) if !can_send => return,
            (true, STATUS) => self.fresh = Some((device.access(at, CONTROL, None), true)),
            (true, SEND) => self.owed = word >> 8,
            (true, _) => _ = device.access(at, CONTROL, Some(word)),
            (false, _) => _ = device.access(at, DATA_IN, Some(word)),
        }
        self.given.pop_front();
    }
}

impl Pins for Down {
    fn from_pins(pins: &[u32; ROOM]) -> Self {
        let [flags, word, ..] = *pins;
        Self { puts: bit(flags, 0).then_some((word, bit(flags, 1))), takes: bit(flags, 2) }
    }

    fn to_pins(self) -> [u32; ROOM] {
        let (word, flag) = self.puts.unwrap_or_default();
        let flags =
            u32::from(self.puts.is_some()) | u32::from(flag) << 1 | u32::from(self.takes) << 2;
        padded([flags, word])
    }
}

impl Pins for Up {
    fn from_pins(pins: &[u32; ROOM]) -> Self {
        let [flags, word, ..] = *pins;
        let word = bit(flags, 1).then_some((word, bit(flags, 2)));
        Self { has_room: bit(flags, 0), word }
    }

    fn to_pins(self) -> [u32; ROOM] {
        let (word, flag) = self.word.unwrap_or_default();
        let flags =
            u32::from(self.has_room) | u32::from(self.word.is_some()) << 1 | u32::from(flag) << 2;
        padded([flags, word])
    }
}
