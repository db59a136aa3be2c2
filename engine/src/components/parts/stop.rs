// SPDX-License-Identifier: Apache-2.0
//! Stops on a call's way: what components do of which the machine knows no more than when calls come
//! by there.

use std::pin::Pin;

use crate::components::link::Direction;

/// When a call comes by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// Before the driver is called.
    BeforeCall {
        /// Those that are handed over together; the first one stands for all.
        calls: u64,
    },
    /// Before bytes cross the links of a device.
    BeforeTransfer {
        /// Which way.
        direction: Direction,
        /// How many: of a buffer, or of a chunk of one that passes.
        bytes: u64,
    },
    /// When all results have come, before the program learns of it.
    BehindCall {
        /// As before it.
        calls: u64,
    },
}

/// What a call waits for.
pub type Stay<'a> = Pin<Box<dyn Future<Output = ()> + 'a>>;

/// A component where calls stop on their way.
pub trait Stop {
    /// What a call waits for there; nothing, where it goes on at once.
    fn stay(&self, call: u64, turn: Turn) -> Option<Stay<'_>>;
}
