// SPDX-License-Identifier: Apache-2.0
//! The device's memory: banks that bound what a call may hold and how fast a stream runs. A
//! transfer's own time is the link's, the slower of the two on every platform known.

use super::{Address, Component, Context, Direction, Message};
use crate::error::{Error, Result, Status};
use crate::platform::Memory;

/// The end points of transfers on the device.
#[derive(Debug, Default)]
pub struct MemoryBanks;

impl Component for MemoryBanks {
    fn receive(&mut self, message: Message, context: &mut Context<'_>) {
        if let Message::Move(transfer) = message {
            let (to, next) = match transfer.direction {
                Direction::In => (Address::Software, Message::Done),
                Direction::Out => (Address::Link, Message::Move(transfer)),
            };
            context.send(context.now_ps, to, next);
        }
    }
}

impl Memory {
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
