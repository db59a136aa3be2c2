// SPDX-License-Identifier: Apache-2.0
//! The DMA engine: each transfer costs a fixed time to set up, then the link moves its bytes.

use super::{Address, Component, Context, Direction, Message, Server, Work};

/// Sets transfers up, one at a time.
#[derive(Debug)]
pub struct DmaEngine {
    transfer_time_ps: u64,
    server: Server,
}

impl DmaEngine {
    /// An engine that takes `transfer_time_ps` for each transfer.
    pub fn new(transfer_time_ps: u64) -> Self {
        Self { transfer_time_ps, server: Server::new("dma") }
    }
}

impl Component for DmaEngine {
    fn receive(&mut self, message: Message, context: &mut Context<'_>) {
        if let Message::Move(transfer) = message {
            let setup = Work::fixed(transfer.direction.category(), self.transfer_time_ps);
            let end_ps = self.server.serve(setup, context);
            let source = match transfer.direction {
                Direction::In => Address::Link,
                Direction::Out => Address::Memory,
            };
            context.send(end_ps, source, Message::Move(transfer));
        }
    }
}
