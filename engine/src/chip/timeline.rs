// SPDX-License-Identifier: Apache-2.0
//! What happened on a chip when: functions of the program, accesses of devices, calls, kernels.

use serde::Serialize;

use super::bus::{Done, Request};
use crate::cores::Cycle;

/// How many events are kept; later ones are counted.
pub const KEPT_EVENTS: usize = 200_000;

/// Who did something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Track {
    /// The processor, by function of the program.
    Processor,
    /// A call of an offloaded function, from the driver's first instruction to its return.
    Call,
    /// The bus, from a request of the processor to its acknowledgement.
    Bus,
    /// A kernel's hardware, from `start` to `done`.
    Kernel,
    /// A shell's ring, by descriptor.
    Ring,
}

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Event {
    /// Who.
    pub track: Track,
    /// A function, a kernel, or what the access was.
    pub name: String,
    /// The first cycle.
    pub begin: Cycle,
    /// The first one behind it.
    pub end: Cycle,
    /// Of an access: the address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<u32>,
    /// The word that was read or written there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub word: Option<u32>,
}

impl Event {
    /// One that is no access.
    pub fn plain(track: Track, name: &str, begin: Cycle, end: Cycle) -> Self {
        Self { track, name: name.to_string(), begin, end, address: None, word: None }
    }
}

/// The events of a run.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Timeline {
    /// The first [`KEPT_EVENTS`] of each who watches.
    pub events: Vec<Event>,
    /// How many more there were.
    pub dropped: u64,
}

impl Timeline {
    /// Something has happened.
    pub fn add(&mut self, track: Track, name: &str, begin: Cycle, end: Cycle) {
        self.push(|| Event::plain(track, name, begin, end));
    }

    /// The processor has made an access, and was told a word, if it has read one, and the cycle of the
    /// acknowledgement.
    pub fn access(&mut self, at: Cycle, asked: Request, (read, acknowledged): (u32, Cycle)) {
        let name = if asked.written.is_some() { "write" } else { "read" };
        self.push(|| Event {
            track: Track::Bus,
            name: name.to_string(),
            begin: at,
            end: acknowledged + 1,
            address: Some(asked.address),
            word: Some(asked.written.map_or(read, |(word, _)| word)),
        });
    }

    /// A shell has done a descriptor.
    pub fn descriptor(&mut self, done: &Done) {
        self.push(|| Event::plain(Track::Ring, done.name, done.begin, done.end));
    }

    fn push(&mut self, event: impl FnOnce() -> Event) {
        match self.events.len() < KEPT_EVENTS {
            true => self.events.push(event()),
            false => self.dropped += 1,
        }
    }
}
