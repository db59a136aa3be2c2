// SPDX-License-Identifier: Apache-2.0
//! AMBA AXI4-Lite (ARM IHI 0022, part B), 32 bits: five channels, each of which hands over where its
//! VALID and READY meet.

use super::pins::{Pins, ROOM, bit, padded};
use super::{Device, Protocol, Request, access};
use crate::cores::Cycle;

/// What is known of it.
pub const PROTOCOL: Protocol = Protocol::of::<Bridge, Front>("axi4-lite", 30);

/// What a master says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Down {
    /// AWADDR, where AWVALID is high.
    pub(super) write_address: Option<u32>,
    /// WDATA and WSTRB, where WVALID is.
    pub(super) write_data: Option<(u32, u8)>,
    /// ARADDR, where ARVALID is.
    pub(super) read_address: Option<u32>,
    /// BREADY.
    pub(super) takes_response: bool,
    /// RREADY.
    pub(super) takes_data: bool,
}

/// What a slave says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Up {
    /// AWREADY.
    pub(super) takes_write_address: bool,
    /// WREADY.
    pub(super) takes_write_data: bool,
    /// ARREADY.
    pub(super) takes_read_address: bool,
    /// BRESP, where BVALID is high.
    pub(super) response: Option<bool>,
    /// RDATA and RRESP, where RVALID is.
    pub(super) data: Option<(u32, bool)>,
}

/// Gives address and data of a word at once, each until it is taken, and takes an answer at once.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Bridge {
    has_given_address: bool,
    has_given_data: bool,
}

impl super::Bridge for Bridge {
    type Down = Down;
    type Up = Up;

    fn says(&self, request: Option<Request>, _up: Up) -> Down {
        let address = |asked: Request| (!self.has_given_address).then_some(asked.address);
        let written = request.filter(|asked| asked.written.is_some());
        let read = request.filter(|asked| asked.written.is_none());
        let data = request.and_then(|asked| asked.written);
        Down {
            write_address: written.and_then(address),
            write_data: data.filter(|_| !self.has_given_data),
            read_address: read.and_then(address),
            takes_response: written.is_some(),
            takes_data: read.is_some(),
        }
    }

    fn acknowledges(&self, request: Option<Request>, up: Up) -> Option<u32> {
        match request?.written {
            Some(_) => up.response.map(|_| 0),
            None => up.data.map(|(word, _)| word),
        }
    }

    fn clock(&mut self, request: Option<Request>, up: Up) {
        let down = super::Bridge::says(self, request, up);
        let (goes_on, acknowledged) = (request.is_some(), self.acknowledges(request, up).is_some());
        let taken = down.write_address.is_some() && up.takes_write_address
            || down.read_address.is_some() && up.takes_read_address;
        let data_taken = down.write_data.is_some() && up.takes_write_data;
        let stays = goes_on && !acknowledged;
        self.has_given_address = stays && (self.has_given_address || taken);
        self.has_given_data = stays && (self.has_given_data || data_taken);
    }
}

/// Takes of each channel what it has room for, one, and makes an access when all of it is there and
/// the answer before is gone. Reads and writes that could both be made take turns.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Front {
    write_address: Option<u32>,
    write_data: Option<(u32, u8)>,
    read_address: Option<u32>,
    response: Option<bool>,
    data: Option<(u32, bool)>,
    has_written_last: bool,
}

impl super::Front for Front {
    type Down = Down;
    type Up = Up;

    fn says(&self) -> Up {
        Up {
            takes_write_address: self.write_address.is_none(),
            takes_write_data: self.write_data.is_none(),
            takes_read_address: self.read_address.is_none(),
            response: self.response,
            data: self.data,
        }
    }

    fn clock(&mut self, at: Cycle, down: Down, device: &mut dyn Device) {
        let before = super::Front::says(self);
        self.response = self.response.filter(|_| !down.takes_response);
        self.data = self.data.filter(|_| !down.takes_data);
        let written = self.write_address.zip(self.write_data).filter(|_| self.response.is_none());
        let read = self.read_address.filter(|_| self.data.is_none());
        match (written, read) {
            (Some((address, data)), other) if other.is_none() || !self.has_written_last => {
                self.write(at, address, data, device);
            }
            (_, Some(address)) => self.read(at, address, device),
            _ => {}
        }
        if before.takes_write_address {
            self.write_address = down.write_address;
        }
        if before.takes_write_data {
            self.write_data = down.write_data;
        }
        if before.takes_read_address {
            self.read_address = down.read_address;
        }
    }
}

impl Front {
    fn write(&mut self, at: Cycle, address: u32, data: (u32, u8), device: &mut dyn Device) {
        let is_done = access(at, Request { address, written: Some(data) }, device).is_some();
        (self.write_address, self.write_data) = (None, None);
        self.response = Some(!is_done);
        self.has_written_last = true;
    }

    fn read(&mut self, at: Cycle, address: u32, device: &mut dyn Device) {
        let read = access(at, Request { address, written: None }, device);
        self.read_address = None;
        self.data = Some((read.unwrap_or_default(), read.is_none()));
        self.has_written_last = false;
    }
}

/// SLVERR; OKAY is 0.
const ERROR: u32 = 2;

impl Pins for Down {
    fn from_pins(pins: &[u32; ROOM]) -> Self {
        let [flags, write_address, data, read_address, ..] = *pins;
        Self {
            write_address: bit(flags, 0).then_some(write_address),
            write_data: bit(flags, 1).then_some((data, (flags >> 5 & 0xf) as u8)),
            read_address: bit(flags, 2).then_some(read_address),
            takes_response: bit(flags, 3),
            takes_data: bit(flags, 4),
        }
    }

    fn to_pins(self) -> [u32; ROOM] {
        let (data, lanes) = self.write_data.unwrap_or_default();
        let flags = u32::from(self.write_address.is_some())
            | u32::from(self.write_data.is_some()) << 1
            | u32::from(self.read_address.is_some()) << 2
            | u32::from(self.takes_response) << 3
            | u32::from(self.takes_data) << 4
            | u32::from(lanes) << 5;
        let address = |said: Option<u32>| said.unwrap_or_default();
        padded([flags, address(self.write_address), data, address(self.read_address)])
    }
}

impl Pins for Up {
    fn from_pins(pins: &[u32; ROOM]) -> Self {
        let [flags, word, ..] = *pins;
        Self {
            takes_write_address: bit(flags, 0),
            takes_write_data: bit(flags, 1),
            takes_read_address: bit(flags, 2),
            response: bit(flags, 3).then_some(flags >> 5 & 3 != 0),
            data: bit(flags, 4).then_some((word, flags >> 7 & 3 != 0)),
        }
    }

    fn to_pins(self) -> [u32; ROOM] {
        let code = |is_error: bool| if is_error { ERROR } else { 0 };
        let (word, data_error) = self.data.unwrap_or_default();
        let flags = u32::from(self.takes_write_address)
            | u32::from(self.takes_write_data) << 1
            | u32::from(self.takes_read_address) << 2
            | u32::from(self.response.is_some()) << 3
            | u32::from(self.data.is_some()) << 4
            | code(self.response.unwrap_or_default()) << 5
            | code(data_error) << 7;
        padded([flags, word])
    }
}
