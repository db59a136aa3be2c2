// SPDX-License-Identifier: Apache-2.0
//! The link: moves bytes at one rate each way, one transfer at a time.

use super::{Address, Component, Context, Direction, Message, Server, Work};
use crate::platform;

/// The wires between host and device.
#[derive(Debug)]
pub struct Link {
    settings: platform::Link,
    server: Server,
}

impl Link {
    /// An idle link.
    pub fn new(settings: platform::Link) -> Self {
        Self { settings, server: Server::new("link") }
    }
}

impl Component for Link {
    fn receive(&mut self, message: Message, context: &mut Context<'_>) {
        if let Message::Move(transfer) = message {
            let (bytes_per_s, to, arrival) = match transfer.direction {
                Direction::In => (
                    self.settings.bandwidth_to_device_bytes_per_s,
                    Address::Memory,
                    Message::Move(transfer),
                ),
                Direction::Out => (
                    self.settings.bandwidth_from_device_bytes_per_s,
                    Address::Software,
                    Message::Done,
                ),
            };
            let work = Work::moving(transfer.direction.category(), transfer.bytes, bytes_per_s);
            let end_ps = self.server.serve(work, context);
            context.send(end_ps, to, arrival);
        }
    }
}
