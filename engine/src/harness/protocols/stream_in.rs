// SPDX-License-Identifier: Apache-2.0
//! Records that a kernel takes in turn.

use super::{Protocol, Stream};

/// What is known of it.
pub(super) const PROTOCOL: Protocol = Protocol {
    name: "stream_in",
    place: 30,
    attach: |harness, port, buffer, interval| {
        harness.sources.push(Stream::new(port, buffer, interval)?);
        Ok(())
    },
};
