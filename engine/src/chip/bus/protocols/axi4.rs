// SPDX-License-Identifier: Apache-2.0
//! AMBA AXI4 (ARM IHI 0022, part A), 32 bits, with bursts: as AXI4-Lite five channels, but an address
//! stands for up to 256 words.

use super::pins::{Pins, ROOM, bit, padded};
use super::{Device, Protocol, Request, access, axi4_lite};
use crate::cores::Cycle;

/// What is known of it.
pub const PROTOCOL: Protocol = Protocol::of::<Bridge, Front>("axi4", 40);

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

/// What a master says: as of AXI4-Lite, and what it says besides.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Down {
    words: axi4_lite::Down,
    /// What AWADDR stands for.
    write_burst: Burst,
    /// What ARADDR does.
    read_burst: Burst,
    /// WLAST.
    is_last: bool,
}

/// What a slave says: as of AXI4-Lite, and what it says besides.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Up {
    words: axi4_lite::Up,
    /// BID.
    response_id: u32,
    /// RID.
    data_id: u32,
    /// RLAST.
    is_last: bool,
}

/// A bridge of AXI4-Lite, as the core asks for a word at a time: each is a burst of one.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Bridge(axi4_lite::Bridge);

impl super::Bridge for Bridge {
    type Down = Down;
    type Up = Up;

    fn says(&self, request: Option<Request>, up: Up) -> Down {
        let words = super::Bridge::says(&self.0, request, up.words);
        let alone = |address: Option<u32>| address.map_or(Burst::default(), |_| Burst::SINGLE);
        Down {
            words,
            write_burst: alone(words.write_address),
            read_burst: alone(words.read_address),
            is_last: words.write_data.is_some(),
        }
    }

    fn acknowledges(&self, request: Option<Request>, up: Up) -> Option<u32> {
        self.0.acknowledges(request, up.words)
    }

    fn clock(&mut self, request: Option<Request>, up: Up) {
        self.0.clock(request, up.words);
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
    fn new(address: u32, burst: Burst) -> Self {
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
    /// What it says.
    said: Up,
    has_written_last: bool,
}

impl Front {
    /// Whether a word is written in this cycle.
    fn writes(&self) -> bool {
        let answers = self.said.words;
        let has_room = |(_, _, is_last): (u32, u8, bool)| !is_last || answers.response.is_none();
        let reads_first = self.has_written_last && self.read.is_some() && answers.data.is_none();
        self.write.is_some() && self.write_data.is_some_and(has_room) && !reads_first
    }
}

impl super::Front for Front {
    type Down = Down;
    type Up = Up;

    fn says(&self) -> Up {
        let words = axi4_lite::Up {
            takes_write_address: self.write.is_none(),
            takes_write_data: self.write_data.is_none() || self.writes(),
            takes_read_address: self.read.is_none(),
            ..self.said.words
        };
        Up { words, ..self.said }
    }

    fn clock(&mut self, at: Cycle, down: Down, device: &mut dyn Device) {
        let (before, heard) = (super::Front::says(self).words, down.words);
        let writes = self.writes();
        if heard.takes_response {
            (self.said.words.response, self.said.response_id) = (None, 0);
        }
        if heard.takes_data {
            (self.said.words.data, self.said.data_id, self.said.is_last) = (None, 0, false);
        }
        if writes {
            self.write_word(at, device);
        } else if self.said.words.data.is_none() {
            self.read_word(at, device);
        }
        let under_way = |address: Option<u32>, burst: Burst| {
            address.map(|address| UnderWay::new(address, burst))
        };
        if before.takes_write_address {
            self.write = under_way(heard.write_address, down.write_burst);
        }
        if before.takes_write_data {
            self.write_data = heard.write_data.map(|(word, lanes)| (word, lanes, down.is_last));
        }
        if before.takes_read_address {
            self.read = under_way(heard.read_address, down.read_burst);
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
            self.said.words.response = Some(under_way.is_error);
            self.said.response_id = under_way.burst.id;
            self.write = None;
        }
    }

    fn read_word(&mut self, at: Cycle, device: &mut dyn Device) {
        let Some(under_way) = &mut self.read else { return };
        let read = under_way.access(at, None, device);
        let is_last = under_way.burst.more == 0;
        self.said.words.data = Some((read.unwrap_or_default(), read.is_none()));
        (self.said.data_id, self.said.is_last) = (under_way.burst.id, is_last);
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

/// Places of what AXI4-Lite does not have within its flags.
const WRITE_LAST: u32 = 9;
const READ_LAST: u32 = 9;
const RESPONSE_ID: u32 = 10;
const DATA_ID: u32 = 14;

impl Pins for Down {
    fn from_pins(pins: &[u32; ROOM]) -> Self {
        let [flags, .., write_burst, read_burst] = *pins;
        Self {
            words: axi4_lite::Down::from_pins(pins),
            write_burst: Burst::from_word(write_burst),
            read_burst: Burst::from_word(read_burst),
            is_last: bit(flags, WRITE_LAST),
        }
    }

    fn to_pins(self) -> [u32; ROOM] {
        let [flags, write_address, word, read_address, ..] = self.words.to_pins();
        let flags = flags | u32::from(self.is_last) << WRITE_LAST;
        let bursts = (self.write_burst.to_word(), self.read_burst.to_word());
        [flags, write_address, word, read_address, bursts.0, bursts.1]
    }
}

impl Pins for Up {
    fn from_pins(pins: &[u32; ROOM]) -> Self {
        let id = |place: u32| pins[0] >> place & 0xf;
        Self {
            words: axi4_lite::Up::from_pins(pins),
            response_id: id(RESPONSE_ID),
            data_id: id(DATA_ID),
            is_last: bit(pins[0], READ_LAST),
        }
    }

    fn to_pins(self) -> [u32; ROOM] {
        let [flags, word, ..] = self.words.to_pins();
        let besides = u32::from(self.is_last) << READ_LAST
            | self.response_id << RESPONSE_ID
            | self.data_id << DATA_ID;
        padded([flags | besides, word])
    }
}
