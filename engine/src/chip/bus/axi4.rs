// SPDX-License-Identifier: Apache-2.0
//! AMBA AXI4 (ARM IHI 0022, part A), 32 bits, with bursts: as AXI4-Lite five channels, but an address
//! stands for up to 256 words.

use super::pins::{Pins, ROOM, bit, padded};
use super::{Device, Request, access, axi4_lite};
use crate::cores::Cycle;

/// AxID, AxLEN, AxSIZE and AxBURST.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Burst {
    id: u32,
    /// Words behind the first one.
    more: u32,
    /// The logarithm of its words' bytes.
    size: u32,
    kind: u32,
}

/// AxBURST: every word goes to the same address.
const FIXED: u32 = 0;
/// AxBURST: each goes behind the one before.
const INCREMENTING: u32 = 1;
/// AxSIZE of 4 bytes.
const WORD_SIZE: u32 = 2;
/// Bytes of a word.
const WORD: u32 = 4;
/// What a shell's addresses have as their last ones: behind them a burst leaves it.
const LAST_WORD: u32 = 3;

impl Burst {
    /// A word alone.
    const SINGLE: Self = Self { id: 0, more: 0, size: WORD_SIZE, kind: INCREMENTING };

    fn is_of_words(self) -> bool {
        self.size == WORD_SIZE && (self.kind == FIXED || self.kind == INCREMENTING)
    }
}

/// What a master says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Down {
    /// AWADDR and what it stands for, where AWVALID is high.
    write_address: Option<(u32, Burst)>,
    /// WDATA, WSTRB and WLAST, where WVALID is.
    write_data: Option<(u32, u8, bool)>,
    /// ARADDR and what it stands for, where ARVALID is.
    read_address: Option<(u32, Burst)>,
    /// BREADY.
    takes_response: bool,
    /// RREADY.
    takes_data: bool,
}

/// RID, RDATA, RRESP and RLAST.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Read {
    id: u32,
    word: u32,
    is_error: bool,
    is_last: bool,
}

/// What a slave says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Up {
    /// AWREADY.
    takes_write_address: bool,
    /// WREADY.
    takes_write_data: bool,
    /// ARREADY.
    takes_read_address: bool,
    /// BID and BRESP, where BVALID is high.
    response: Option<(u32, bool)>,
    /// What is read, where RVALID is.
    data: Option<Read>,
}

/// A bridge of AXI4-Lite, as the core asks for a word at a time: each is a burst of one.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Bridge(axi4_lite::Bridge);

impl super::Bridge for Bridge {
    type Down = Down;
    type Up = Up;

    fn says(&self, request: Option<Request>, up: Up) -> Down {
        let said = super::Bridge::says(&self.0, request, up.of_words());
        let alone = |address: u32| (address, Burst::SINGLE);
        Down {
            write_address: said.write_address.map(alone),
            write_data: said.write_data.map(|(word, lanes)| (word, lanes, true)),
            read_address: said.read_address.map(alone),
            takes_response: said.takes_response,
            takes_data: said.takes_data,
        }
    }

    fn acknowledges(&self, request: Option<Request>, up: Up) -> Option<u32> {
        self.0.acknowledges(request, up.of_words())
    }

    fn clock(&mut self, request: Option<Request>, up: Up) {
        self.0.clock(request, up.of_words());
    }
}

impl Up {
    /// The same, where every burst has one word.
    fn of_words(self) -> axi4_lite::Up {
        axi4_lite::Up {
            takes_write_address: self.takes_write_address,
            takes_write_data: self.takes_write_data,
            takes_read_address: self.takes_read_address,
            response: self.response.map(|(_, is_error)| is_error),
            data: self.data.map(|read| (read.word, read.is_error)),
        }
    }
}

/// A burst that is under way, and its next word's address. Words behind the shell's last one are not
/// there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct UnderWay {
    burst: Burst,
    address: u32,
    has_left: bool,
    /// Whether a word of it was not there.
    is_error: bool,
}

impl UnderWay {
    fn new((address, burst): (u32, Burst)) -> Self {
        Self { burst, address, has_left: false, is_error: false }
    }

    /// The next word is read, or written; nothing where that is an error.
    fn access(
        &mut self,
        at: Cycle,
        written: Option<(u32, u8)>,
        device: &mut dyn Device,
    ) -> Option<u32> {
        let asked = Request { address: self.address, written };
        let can = self.burst.is_of_words() && !self.has_left;
        let done = if can { access(at, asked, device) } else { None };
        self.is_error |= done.is_none();
        if self.burst.kind == INCREMENTING {
            self.has_left |= self.address / WORD % (LAST_WORD + 1) == LAST_WORD;
            self.address = self.address.wrapping_add(WORD);
        }
        done
    }
}

/// Takes one burst of each kind at a time, and of its words one in each cycle. Reads and writes that
/// could both be made take turns. What it takes never follows from what the master takes.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Front {
    write: Option<UnderWay>,
    write_data: Option<(u32, u8, bool)>,
    read: Option<UnderWay>,
    response: Option<(u32, bool)>,
    data: Option<Read>,
    has_written_last: bool,
}

impl Front {
    /// Whether a word is written in this cycle.
    fn writes(&self) -> bool {
        let has_room = |(_, _, is_last): (u32, u8, bool)| !is_last || self.response.is_none();
        let reads_first = self.has_written_last && self.read.is_some() && self.data.is_none();
        self.write.is_some() && self.write_data.is_some_and(has_room) && !reads_first
    }
}

impl super::Front for Front {
    type Down = Down;
    type Up = Up;

    fn says(&self) -> Up {
        Up {
            takes_write_address: self.write.is_none(),
            takes_write_data: self.write_data.is_none() || self.writes(),
            takes_read_address: self.read.is_none(),
            response: self.response,
            data: self.data,
        }
    }

    fn clock(&mut self, at: Cycle, down: Down, device: &mut dyn Device) {
        let before = super::Front::says(self);
        let writes = self.writes();
        self.response = self.response.filter(|_| !down.takes_response);
        self.data = self.data.filter(|_| !down.takes_data);
        if writes {
            self.write_word(at, device);
        } else if self.data.is_none() {
            self.read_word(at, device);
        }
        if before.takes_write_address {
            self.write = down.write_address.map(UnderWay::new);
        }
        if before.takes_write_data {
            self.write_data = down.write_data;
        }
        if before.takes_read_address {
            self.read = down.read_address.map(UnderWay::new);
        }
    }
}

impl Front {
    fn write_word(&mut self, at: Cycle, device: &mut dyn Device) {
        let (Some(under_way), Some((word, lanes, is_last))) =
            (&mut self.write, self.write_data.take())
        else {
            return;
        };
        under_way.access(at, Some((word, lanes)), device);
        self.has_written_last = true;
        if is_last {
            self.response = Some((under_way.burst.id, under_way.is_error));
            self.write = None;
        }
    }

    fn read_word(&mut self, at: Cycle, device: &mut dyn Device) {
        let Some(under_way) = &mut self.read else { return };
        let read = under_way.access(at, None, device);
        let is_last = under_way.burst.more == 0;
        self.data = Some(Read {
            id: under_way.burst.id,
            word: read.unwrap_or_default(),
            is_error: read.is_none(),
            is_last,
        });
        self.has_written_last = false;
        if is_last {
            self.read = None;
        } else {
            under_way.burst.more -= 1;
        }
    }
}

/// Places of what stands for an address within a word of the pins.
const LENGTH: u32 = 4;
const SIZE: u32 = 12;
const KIND: u32 = 15;

impl Burst {
    fn from_word(word: u32) -> Self {
        let part = |place: u32, bits: u32| word >> place & ((1 << bits) - 1);
        Self { id: part(0, 4), more: part(LENGTH, 8), size: part(SIZE, 3), kind: part(KIND, 2) }
    }

    fn to_word(self) -> u32 {
        self.id | self.more << LENGTH | self.size << SIZE | self.kind << KIND
    }
}

impl Pins for Down {
    fn from_pins(pins: &[u32; ROOM]) -> Self {
        let [flags, write_address, word, read_address, write_burst, read_burst] = *pins;
        let data = (word, (flags >> 5 & 0xf) as u8, bit(flags, 9));
        Self {
            write_address: bit(flags, 0).then(|| (write_address, Burst::from_word(write_burst))),
            write_data: bit(flags, 1).then_some(data),
            read_address: bit(flags, 2).then(|| (read_address, Burst::from_word(read_burst))),
            takes_response: bit(flags, 3),
            takes_data: bit(flags, 4),
        }
    }

    fn to_pins(self) -> [u32; ROOM] {
        let (word, lanes, is_last) = self.write_data.unwrap_or_default();
        let flags = u32::from(self.write_address.is_some())
            | u32::from(self.write_data.is_some()) << 1
            | u32::from(self.read_address.is_some()) << 2
            | u32::from(self.takes_response) << 3
            | u32::from(self.takes_data) << 4
            | u32::from(lanes) << 5
            | u32::from(is_last) << 9;
        let said = |one: Option<(u32, Burst)>| {
            one.map_or((0, 0), |(address, burst)| (address, burst.to_word()))
        };
        let (write, read) = (said(self.write_address), said(self.read_address));
        [flags, write.0, word, read.0, write.1, read.1]
    }
}

/// SLVERR; OKAY is 0.
fn response(is_error: bool) -> u32 {
    u32::from(is_error) << 1
}

impl Pins for Up {
    fn from_pins(pins: &[u32; ROOM]) -> Self {
        let [flags, word, ..] = *pins;
        let read = Read {
            id: flags >> 14 & 0xf,
            word,
            is_error: flags >> 7 & 3 != 0,
            is_last: bit(flags, 9),
        };
        Self {
            takes_write_address: bit(flags, 0),
            takes_write_data: bit(flags, 1),
            takes_read_address: bit(flags, 2),
            response: bit(flags, 3).then_some((flags >> 10 & 0xf, flags >> 5 & 3 != 0)),
            data: bit(flags, 4).then_some(read),
        }
    }

    fn to_pins(self) -> [u32; ROOM] {
        let (id, is_error) = self.response.unwrap_or_default();
        let mut flags = u32::from(self.takes_write_address)
            | u32::from(self.takes_write_data) << 1
            | u32::from(self.takes_read_address) << 2
            | u32::from(self.response.is_some()) << 3
            | u32::from(self.data.is_some()) << 4
            | response(is_error) << 5
            | id << 10;
        let mut word = 0;
        if let Some(read) = self.data {
            flags |= response(read.is_error) << 7 | u32::from(read.is_last) << 9 | read.id << 14;
            word = read.word;
        }
        padded([flags, word])
    }
}
