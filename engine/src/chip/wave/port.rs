// SPDX-License-Identifier: Apache-2.0
//! What stands at a port of the core.

use super::level::Level;
use crate::chip::bus::Request;
use crate::cores::{Acks, Cycle};
use crate::wave::{Signal, Signals, Track};

const VALID: usize = 0;
const ACK: usize = 1;
const ADDRESS: usize = 2;
const DATA: usize = 3;
const WRITE: usize = 4;
const LANES: usize = 5;
const WORD_BYTES: u64 = 4;

/// The signals of a port.
pub struct PortTrack {
    pub(super) track: Track,
    valid: Level,
    acknowledged: Level,
}

impl PortTrack {
    pub(super) fn new(signals: &mut Signals, name: &str) -> Self {
        let own =
            [("valid", 1), ("ack", 1), ("address", 32), ("data", 32), ("write", 1), ("lanes", 4)];
        Self {
            track: signals.track(own.map(|(wire, bits)| Signal::new(&["bus", name], wire, bits))),
            valid: Level::new(VALID),
            acknowledged: Level::new(ACK),
        }
    }

    /// Words have been read.
    pub fn read(&mut self, at: Cycle, address: u32, words: &[u32], acks: Acks) {
        self.begin(at, Request::whole(address, None));
        let mut last = acks.first;
        for (number, &word) in (0..).zip(words) {
            last = acks.first + number * acks.interval;
            // First of all that the word before is no longer acknowledged: cycles come in order.
            self.acknowledged.high(&mut self.track, last..last + 1);
            // Of a burst, the address goes on with the words.
            self.track.number(last, ADDRESS, u64::from(address) + WORD_BYTES * number);
            self.track.number(last, DATA, word.into());
        }
        self.valid.stay(last + 1);
    }

    /// A word, or some of its bytes, has been written, which a cycle acknowledges.
    pub fn write(&mut self, at: Cycle, asked: Request, acknowledged: Cycle) {
        self.begin(at, asked);
        self.acknowledged.high(&mut self.track, acknowledged..acknowledged + 1);
        self.valid.stay(acknowledged + 1);
    }

    fn begin(&mut self, at: Cycle, Request { address, written }: Request) {
        self.settle(at);
        let track = &mut self.track;
        self.valid.high(track, at..at + 1);
        self.acknowledged.rest(track, at);
        track.number(at, ADDRESS, address.into());
        track.number(at, WRITE, written.is_some().into());
        track.number(at, LANES, written.map_or(0, |(_, lanes)| lanes.into()));
        if let Some((word, _)) = written {
            track.number(at, DATA, word.into());
        }
    }

    pub(super) fn settle(&mut self, before: Cycle) {
        self.acknowledged.settle(&mut self.track, before);
        self.valid.settle(&mut self.track, before);
    }
}
