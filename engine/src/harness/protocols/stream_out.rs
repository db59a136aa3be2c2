// SPDX-License-Identifier: Apache-2.0
//! Records that a kernel gives in turn.

use super::{Protocol, Stream};

/// What is known of it.
pub(super) const PROTOCOL: Protocol = Protocol {
    name: "stream_out",
    place: 40,
    attach: |harness, port, buffer, interval| {
        harness.sinks.push(Stream::new(port, buffer, interval)?);
        Ok(())
    },
};
