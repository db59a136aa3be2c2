// SPDX-License-Identifier: Apache-2.0
//! Memory outside of a kernel, as it writes it.

use super::{Protocol, WritePort};

/// What is known of it.
pub(super) const PROTOCOL: Protocol = Protocol {
    name: "memory_write",
    place: 60,
    attach: |harness, port, buffer, _| {
        let (data, bytes) = port.signal("write_data")?;
        harness.memory(port.argument, buffer, bytes).write = Some(WritePort {
            enable: port.signal("write_enable")?.0,
            index: port.signal("write_index")?.0,
            data,
        });
        Ok(())
    },
};
