// SPDX-License-Identifier: Apache-2.0
//! PicoRV32's co-processor interface: an instruction that the core does not know stands there with its
//! operands until somebody is ready. Ours are of custom-0: funct3 has the register in its low two bits
//! and whether it is written in the third, rs1 is what is written, rs2 says whose register, rd gets
//! what was read, or 0. What no shell has, nobody takes: the core traps.

use super::pins::{Pins, ROOM, bit, padded};
use super::{Device, Protocol, Request, access};
use crate::chip::settings::PICORV32;
use crate::cores::Cycle;
use crate::cores::rv32::{Operation, decode};

/// What is known of it.
pub const PROTOCOL: Protocol = Protocol {
    is_of_shells: true,
    is_of_instructions: true,
    cores: Some(&[PICORV32]),
    ..Protocol::of::<Bridge, Front>("pcpi", 80)
};

/// The major opcode of custom-0.
const CUSTOM_0: u32 = 0x0b;
const FUNCT3: u32 = 12;
/// Of funct3, whether a register is written.
const WRITES: u32 = 4;

/// What an instruction asks of a shell, if it is one for a shell: `immediate` is funct7 and funct3.
pub fn asked(immediate: u32, word: u32) -> Option<Request> {
    let written = (immediate & WRITES != 0).then_some(word);
    (immediate >> 3 == 0).then(|| Request::whole(4 * (immediate & 3), written))
}

/// What the core says: an instruction and its first operand, where `pcpi_valid` is high.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Down {
    asks: Option<(u32, u32)>,
}

/// What a unit says: `pcpi_rd`, where `pcpi_ready` and `pcpi_wr` are high.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Up {
    ready: Option<u32>,
}

impl Down {
    fn request(self) -> Option<Request> {
        let (word, operand) = self.asks?;
        let instruction = decode(word);
        let is_ours = instruction.operation == Operation::Custom;
        asked(instruction.immediate, operand).filter(|_| is_ours)
    }
}

/// The core itself, whose instruction stands until somebody is ready.
#[derive(Debug, Default)]
pub struct Bridge;

impl super::Bridge for Bridge {
    type Down = Down;
    type Up = Up;

    fn says(&self, request: Option<Request>, _up: Up) -> Down {
        let asks = request.map(|Request { address, written }| {
            let (writes, word) = written.map_or((0, 0), |(word, _)| (WRITES, word));
            (CUSTOM_0 | ((address / 4 % 4) | writes) << FUNCT3, word)
        });
        Down { asks }
    }

    fn acknowledges(&self, request: Option<Request>, up: Up) -> Option<u32> {
        request.and(up.ready)
    }

    fn clock(&mut self, _request: Option<Request>, _up: Up) {}
}

/// Accesses in the first cycle of an instruction, and is ready in the next.
#[derive(Debug, Default)]
pub struct Front {
    ready: Option<u32>,
}

impl super::Front for Front {
    type Down = Down;
    type Up = Up;

    fn says(&self) -> Up {
        Up { ready: self.ready }
    }

    fn clock(&mut self, at: Cycle, down: Down, device: &mut dyn Device) {
        let is_new = self.ready.take().is_none();
        if let Some(request) = down.request().filter(|_| is_new) {
            self.ready = access(at, request, device);
        }
    }
}

impl Pins for Down {
    fn from_pins(pins: &[u32; ROOM]) -> Self {
        let [flags, instruction, operand, ..] = *pins;
        Self { asks: bit(flags, 0).then_some((instruction, operand)) }
    }

    fn to_pins(self) -> [u32; ROOM] {
        let (instruction, operand) = self.asks.unwrap_or_default();
        padded([u32::from(self.asks.is_some()), instruction, operand])
    }
}

impl Pins for Up {
    fn from_pins(pins: &[u32; ROOM]) -> Self {
        let [flags, word, ..] = *pins;
        Self { ready: bit(flags, 0).then_some(word) }
    }

    fn to_pins(self) -> [u32; ROOM] {
        padded([u32::from(self.ready.is_some()), self.ready.unwrap_or_default()])
    }
}
