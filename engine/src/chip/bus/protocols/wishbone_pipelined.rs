// SPDX-License-Identifier: Apache-2.0
//! Wishbone B4, pipelined cycles, 32 bits: a request is taken where STALL_I is low, and acknowledged
//! later, while the next ones may stand there already.

use super::pins::{Pins, ROOM, bit, padded};
use super::{Device, Protocol, Request, WHOLE, access};
use crate::cores::Cycle;

/// What is known of it.
pub const PROTOCOL: Protocol = Protocol::of::<Bridge, Front>("wishbone-pipelined", 20);

/// What a master says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Down {
    /// CYC_O.
    is_cycle: bool,
    /// ADR_O, WE_O, SEL_O and DAT_O, where STB_O is high.
    strobes: Option<Request>,
}

/// What a slave says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Up {
    /// STALL_O.
    stalls: bool,
    /// DAT_O where ACK_O is high, or nothing where ERR_O is.
    answers: Option<Option<u32>>,
}

/// Strobes until the request is taken, then waits: a core asks for a word at a time.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Bridge {
    is_taken: bool,
}

impl super::Bridge for Bridge {
    type Down = Down;
    type Up = Up;

    fn says(&self, request: Option<Request>, _up: Up) -> Down {
        Down { is_cycle: request.is_some(), strobes: request.filter(|_| !self.is_taken) }
    }

    fn acknowledges(&self, request: Option<Request>, up: Up) -> Option<u32> {
        request.and(up.answers).map(Option::unwrap_or_default)
    }

    fn clock(&mut self, request: Option<Request>, up: Up) {
        let goes_on = request.is_some() && up.answers.is_none();
        self.is_taken = goes_on && (self.is_taken || !up.stalls);
    }
}

/// Takes a request in each cycle, and answers in the next.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Front {
    answers: Option<Option<u32>>,
}

impl super::Front for Front {
    type Down = Down;
    type Up = Up;

    fn says(&self) -> Up {
        Up { stalls: false, answers: self.answers }
    }

    fn clock(&mut self, at: Cycle, down: Down, device: &mut dyn Device) {
        let taken = down.strobes.filter(|_| down.is_cycle);
        self.answers = taken.map(|asked| access(at, asked, device));
    }
}

impl Pins for Down {
    fn from_pins(pins: &[u32; ROOM]) -> Self {
        let [flags, address, word, ..] = *pins;
        let written = bit(flags, 2).then_some((word, (flags >> 3 & 0xf) as u8));
        let strobes = bit(flags, 1).then_some(Request { address, written });
        Self { is_cycle: bit(flags, 0), strobes }
    }

    fn to_pins(self) -> [u32; ROOM] {
        let cycle = u32::from(self.is_cycle);
        let Some(Request { address, written }) = self.strobes else { return padded([cycle]) };
        let (word, lanes) = written.unwrap_or((0, WHOLE));
        let is_write = u32::from(written.is_some());
        padded([cycle | 2 | is_write << 2 | u32::from(lanes) << 3, address, word])
    }
}

impl Pins for Up {
    fn from_pins(pins: &[u32; ROOM]) -> Self {
        let [flags, word, ..] = *pins;
        let answers = match (bit(flags, 1), bit(flags, 2)) {
            (true, _) => Some(Some(word)),
            (false, true) => Some(None),
            _ => None,
        };
        Self { stalls: bit(flags, 0), answers }
    }

    fn to_pins(self) -> [u32; ROOM] {
        let flags = u32::from(self.stalls)
            | u32::from(matches!(self.answers, Some(Some(_)))) << 1
            | u32::from(matches!(self.answers, Some(None))) << 2;
        padded([flags, self.answers.flatten().unwrap_or_default()])
    }
}
