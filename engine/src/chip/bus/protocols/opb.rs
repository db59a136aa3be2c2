// SPDX-License-Identifier: Apache-2.0
//! The On-chip Peripheral Bus of CoreConnect (IBM, On-Chip Peripheral Bus Architecture Specifications
//! 2.1, SA-14-2528-02), 32 bits: a master asks for the bus, owns it from the cycle behind the grant on,
//! and gives it back with the acknowledgement. All drive zeros when they are not meant, so that the
//! bus is an OR. Grants come in the cycle of the request; arbiters that keep them in a register (Xilinx
//! DS402, C_REG_GRANTS) take one more, which is one of a bus's `request_cycles`.

use super::pins::{Pins, ROOM, bit, padded};
use super::{Device, Protocol, Request, WHOLE, access};
use crate::cores::Cycle;

/// What is known of it.
pub const PROTOCOL: Protocol = Protocol::of::<Bridge, Front>("opb", 50);

/// What a master says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Down {
    /// Mn_request.
    requests: bool,
    /// Mn_ABus, Mn_RNW, Mn_BE and Mn_DBus, where Mn_select is high.
    selects: Option<Request>,
}

/// What slaves and the arbiter say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Up {
    /// OPB_MnGrant.
    grants: bool,
    /// OPB_xferAck and OPB_errAck, with OPB_DBus.
    acknowledges: Option<(u32, bool)>,
    /// OPB_retry.
    retries: bool,
    /// OPB_timeout.
    is_late: bool,
}

/// Asks for the bus for each word; asks again where a slave says retry.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Bridge {
    owns: bool,
}

impl super::Bridge for Bridge {
    type Down = Down;
    type Up = Up;

    fn says(&self, request: Option<Request>, _up: Up) -> Down {
        let selects = request.filter(|_| self.owns);
        Down { requests: request.is_some() && !self.owns, selects }
    }

    /// There is no other master to be asked.
    fn arbitrated(down: Down, up: Up) -> Up {
        Up { grants: down.requests, ..up }
    }

    fn acknowledges(&self, request: Option<Request>, up: Up) -> Option<u32> {
        let ends = up.acknowledges.or(up.is_late.then_some((0, true)));
        request.filter(|_| self.owns).and(ends).map(|(word, _)| word)
    }

    fn clock(&mut self, request: Option<Request>, up: Up) {
        let ends = up.acknowledges.is_some() || up.is_late || up.retries;
        self.owns = request.is_some() && if self.owns { !ends } else { up.grants };
    }
}

/// Makes the access in the cycle in which it is selected, and acknowledges in the next.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Front {
    acknowledges: Option<(u32, bool)>,
}

impl super::Front for Front {
    type Down = Down;
    type Up = Up;

    fn says(&self) -> Up {
        Up { acknowledges: self.acknowledges, ..Up::default() }
    }

    fn clock(&mut self, at: Cycle, down: Down, device: &mut dyn Device) {
        let begun = down.selects.filter(|_| self.acknowledges.is_none());
        let answer = |asked| access(at, asked, device);
        self.acknowledges =
            begun.map(answer).map(|word| (word.unwrap_or_default(), word.is_none()));
    }
}

impl Pins for Down {
    fn from_pins(pins: &[u32; ROOM]) -> Self {
        let [flags, address, word, ..] = *pins;
        let written = (!bit(flags, 1)).then_some((word, (flags >> 3 & 0xf) as u8));
        let selects = bit(flags, 0).then_some(Request { address, written });
        Self { requests: bit(flags, 2), selects }
    }

    fn to_pins(self) -> [u32; ROOM] {
        let requests = u32::from(self.requests) << 2;
        let Some(Request { address, written }) = self.selects else { return padded([requests]) };
        let (word, lanes) = written.unwrap_or((0, WHOLE));
        let is_read = u32::from(written.is_none());
        padded([1 | is_read << 1 | requests | u32::from(lanes) << 3, address, word])
    }
}

impl Pins for Up {
    fn from_pins(pins: &[u32; ROOM]) -> Self {
        let [flags, word, ..] = *pins;
        Self {
            grants: bit(flags, 4),
            acknowledges: bit(flags, 0).then_some((word, bit(flags, 1))),
            retries: bit(flags, 2),
            is_late: bit(flags, 3),
        }
    }

    fn to_pins(self) -> [u32; ROOM] {
        let (word, is_error) = self.acknowledges.unwrap_or_default();
        let flags = u32::from(self.acknowledges.is_some())
            | u32::from(is_error) << 1
            | u32::from(self.retries) << 2
            | u32::from(self.is_late) << 3
            | u32::from(self.grants) << 4;
        padded([flags, word])
    }
}
