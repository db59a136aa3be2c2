// SPDX-License-Identifier: Apache-2.0
//! What happened on a chip when: functions of the program, accesses of devices, calls, kernels.

use serde::Serialize;

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
    pub fn add(&mut self, track: Track, name: impl Into<String>, begin: Cycle, end: Cycle) {
        self.push(|| Event { track, name: name.into(), begin, end, address: None, word: None });
    }

    /// The processor has made an access.
    pub fn access(&mut self, (address, word): (u32, u32), writes: bool, at: Cycle, end: Cycle) {
        let name = if writes { "write" } else { "read" }.to_string();
        let (address, word) = (Some(address), Some(word));
        self.push(|| Event { track: Track::Bus, name, begin: at, end, address, word });
    }

    /// All that others have seen too.
    pub fn join(&mut self, other: &Self) {
        self.events.extend_from_slice(&other.events);
        self.dropped += other.dropped;
    }

    fn push(&mut self, event: impl FnOnce() -> Event) {
        match self.events.len() < KEPT_EVENTS {
            true => self.events.push(event()),
            false => self.dropped += 1,
        }
    }
}
