// SPDX-License-Identifier: Apache-2.0
//! What is between the core's port and registers of a chip.

use serde::{Deserialize, Serialize};

use crate::cores::Cycle;

/// The protocols, as files name them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// Wishbone B4, classic cycles with registered feedback.
    #[default]
    Wishbone,
}

/// What the core asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request {
    /// In bytes.
    pub address: u32,
    /// The bytes of the word that are written; none, if it is read.
    pub lanes: u8,
    /// What is written.
    pub word: u32,
}

impl Request {
    fn is_write(&self) -> bool {
        self.lanes != 0
    }
}

/// What is behind a front.
pub trait Device {
    /// Whether there is something to be read or written at an address; only its place within the
    /// device counts.
    fn has(&self, address: u32, is_write: bool) -> bool;

    /// A word is read, or this one written, of those that it has; what is read is there in the next
    /// cycle.
    fn access(&mut self, at: Cycle, address: u32, written: Option<u32>) -> u32;
}

/// A bus, of any protocol. It has one master that asks for a word at a time, so that between two
/// requests its ends are as they were: it serves any of its devices.
pub struct Bus(Kind);

enum Kind {
    Wishbone,
}

impl Bus {
    /// One that rests.
    pub fn new(protocol: Protocol) -> Self {
        Self(match protocol {
            Protocol::Wishbone => Kind::Wishbone,
        })
    }

    /// A request stands at the bridge from a cycle on; what was read, and the cycle of the
    /// acknowledgement.
    pub fn transfer(
        &mut self,
        at: Cycle,
        request: Request,
        device: &mut dyn Device,
    ) -> (u32, Cycle) {
        match &mut self.0 {
            // The core's port is the master, and a device acknowledges in the cycle behind.
            Kind::Wishbone => {
                let written = request.is_write().then_some(request.word);
                (device.access(at, request.address, written), at + 1)
            }
        }
    }
}
