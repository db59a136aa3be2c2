// SPDX-License-Identifier: Apache-2.0
//! The device's memory: banks that bound what a call may hold and how fast a stream runs. A
//! transfer's own time is the link's, the slower of the two on every platform known.

use serde::Serialize;

use crate::error::{Error, Result, Status};
use crate::schema::{Form, Instance, Kind, Row, SIZE};

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
    ],
};

/// A device's memory in the engine's units.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Memory {
    /// How many banks.
    pub banks: u64,
    /// Size of each.
    pub bank_size_bytes: u64,
    /// What one bank delivers or takes in a cycle of the device's clock.
    pub width_bytes: u64,
}

impl Memory {
    /// What a file says; nothing if it lacks what is needed.
    pub fn read(said: &Instance) -> Option<Self> {
        Some(Self {
            banks: said.number("banks")?,
            bank_size_bytes: said.number("bank_size")?,
            width_bytes: said.number("width")?,
        })
    }

    /// Bytes of all banks.
    pub fn capacity_bytes(&self) -> u64 {
        self.banks.saturating_mul(self.bank_size_bytes)
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
