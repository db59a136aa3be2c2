// SPDX-License-Identifier: Apache-2.0
//! What a call returns.

use super::{Protocol, Value};

/// What is known of it.
pub(super) const PROTOCOL: Protocol = Protocol {
    name: "result",
    place: 20,
    attach: |harness, port, buffer, _| {
        let (from, bytes) = port.signal("value")?;
        let bytes = bytes.next_power_of_two();
        port.require(&buffer, bytes)?;
        harness.result = Some(Value { port: from, to: buffer.data, bytes });
        Ok(())
    },
};
