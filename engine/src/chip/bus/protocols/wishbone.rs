// SPDX-License-Identifier: Apache-2.0
//! Wishbone B4, classic cycles with registered feedback: nothing is between, as the core's own port
//! speaks it, and there is nothing to be let in its cycles.

use super::{Bus, Device, Protocol, Request};
use crate::chip::memory::Memory;
use crate::cores::Cycle;

/// What the core's port speaks itself.
pub const PROTOCOL: Protocol = Protocol::without_ends("wishbone", 10, || Box::new(Direct));

/// The core's port is the master, and a device acknowledges in the cycle behind.
struct Direct;

impl Bus for Direct {
    fn advance(&mut self, _at: Cycle, _device: &mut dyn Device, _memory: &mut Memory) {}

    fn transfer(
        &mut self,
        at: Cycle,
        asked: Request,
        device: &mut dyn Device,
        _memory: &mut Memory,
    ) -> Option<(u32, Cycle)> {
        let written = asked.written.map(|(word, _)| word);
        Some((device.access(at, asked.address, written), at + 1))
    }
}
