// SPDX-License-Identifier: Apache-2.0
//! AMBA AXI4-Stream, one each way.

use super::{Protocol, link};

/// What is known of it.
pub const PROTOCOL: Protocol = Protocol {
    is_of_shells: true,
    ..Protocol::of::<link::Bridge<false>, link::Front>("axi4-stream", 70)
};
