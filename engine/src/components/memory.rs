// SPDX-License-Identifier: Apache-2.0
//! The device's memory: banks that bound what a call may hold and how fast a stream runs. A
//! transfer's time is the link's, and where the device stores what comes before it hands it on, the
//! memory's beside it.

use std::cell::Cell;

use serde::Serialize;

use super::Component;
use crate::error::{Error, Result, Status};
use crate::schema::{Absence, Form, Instance, Kind, RATE, Row, SIZE};
use crate::simulation::{Bell, Clock, Server};
use crate::trace::transfer_ps;

/// `[memory]` of a platform file.
pub const KIND: Kind = Kind {
    name: "memory",
    meaning: "the device's memory",
    is_needed: true,
    may_be_several: true,
    rows: &[
        Row::needed("banks", Form::Count, 1, "6", "banks that the kernel sees"),
        Row::needed("bank_size", SIZE, 1, "\"4 MiB\"", "of each bank"),
        Row::needed(
            "width",
            SIZE,
            1,
            "\"8 B\"",
            "what one bank delivers or takes in a cycle of the device's clock",
        ),
        Row::fact(
            "transfer_bandwidth",
            RATE,
            Absence::Nothing,
            1,
            "\"9.6 GB/s\"",
            "of what goes on between the link and the memory, where the link stands still meanwhile; \
             `streaming` goes past it",
        ),
    ],
};

/// What is known of it here.
pub const COMPONENT: Component = Component::new(&KIND, 70);

/// A device's memory in the engine's units.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Memory {
    /// How many banks.
    pub banks: u64,
    /// Size of each.
    pub bank_size_bytes: u64,
    /// What one bank delivers or takes in a cycle of the device's clock.
    pub width_bytes: u64,
    /// Of what goes on between the link and the memory, where the link stands still meanwhile.
    pub transfer_bandwidth_bytes_per_s: Option<u64>,
}

impl Memory {
    /// What a file says; nothing if it lacks what is needed.
    pub fn read(said: &Instance) -> Option<Self> {
        Some(Self {
            banks: said.number("banks")?,
            bank_size_bytes: said.number("bank_size")?,
            width_bytes: said.number("width")?,
            transfer_bandwidth_bytes_per_s: said.number("transfer_bandwidth"),
        })
    }

    /// Bytes of all banks.
    pub fn capacity_bytes(&self) -> u64 {
        self.banks.saturating_mul(self.bank_size_bytes)
    }

    /// How long bytes hold the link up on their way between it and the memory.
    pub fn transfer_ps(&self, bytes: u64) -> u64 {
        self.transfer_bandwidth_bytes_per_s.map_or(0, |rate| transfer_ps(bytes, rate))
    }

    /// The least number of cycles between two records of a stream, at least 1: each stream has a
    /// bank group of its own, which delivers or takes `width_bytes` a cycle.
    pub fn stream_interval_cycles(&self, record_bytes: u64) -> u32 {
        let cycles = record_bytes.div_ceil(self.width_bytes.max(1)).max(1);
        u32::try_from(cycles).unwrap_or(u32::MAX)
    }

    /// Checks that a call's buffers fit.
    ///
    /// # Errors
    /// [`Status::TooLarge`] with what is needed and what there is.
    pub fn check_fit(&self, needed_bytes: u64) -> Result<()> {
        let available_bytes = self.capacity_bytes();
        if needed_bytes <= available_bytes {
            return Ok(());
        }
        Err(Error::new(
            Status::TooLarge,
            format!(
                "the call's buffers need {needed_bytes} bytes of device memory, the platform has \
                 {available_bytes} ({} banks of {}); split the call into smaller ones",
                self.banks, self.bank_size_bytes
            ),
        ))
    }
}

/// What was too much for the devices' memories in a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Crowding {
    /// Of the smallest one.
    pub capacity_bytes: u64,
    /// Calls handed over together that did not fit together.
    pub cut_batches: u64,
    /// How many batches were made of them.
    pub pieces: u64,
    /// The most that one of them would have taken.
    pub largest_bytes: u64,
    /// How often calls waited until others had left.
    pub waits: u64,
    /// How long they did, each by itself.
    pub waits_ps: u64,
}

/// The room in a device's memory, first come, first served.
pub struct Room {
    clock: Clock,
    free_bytes: Cell<u64>,
    turn: Server,
    left: Bell,
}

impl Room {
    /// So many bytes of it.
    pub fn new(clock: &Clock, bytes: u64) -> Self {
        let (turn, left) = (Server::new(clock, 1), Bell::new(clock));
        Self { clock: clock.clone(), free_bytes: Cell::new(bytes), turn, left }
    }

    /// Waits for room, which is no more than there is at all; also gives how long that took.
    pub async fn take(&self, bytes: u64) -> (Taken<'_>, u64) {
        let came_ps = self.clock.now_ps();
        let _turn = self.turn.place().await;
        self.left.until(|| self.free_bytes.get() >= bytes).await;
        self.free_bytes.set(self.free_bytes.get() - bytes);
        (Taken { room: self, bytes }, self.clock.now_ps() - came_ps)
    }
}

/// Room that is taken until this is dropped.
#[must_use]
pub struct Taken<'a> {
    room: &'a Room,
    bytes: u64,
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        self.room.free_bytes.set(self.room.free_bytes.get() + self.bytes);
        self.room.left.ring();
    }
}
