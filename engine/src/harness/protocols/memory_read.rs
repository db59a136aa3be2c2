// SPDX-License-Identifier: Apache-2.0
//! Memory outside of a kernel, as it reads it.

use super::{Protocol, ReadPort};

/// What is known of it.
pub(super) const PROTOCOL: Protocol = Protocol {
    name: "memory_read",
    place: 50,
    attach: |harness, port, buffer, _| {
        let (data, bytes) = port.signal("read_data")?;
        harness.memory(port.argument, buffer, bytes).read = Some(ReadPort {
            enable: port.signal("read_enable")?.0,
            index: port.signal("read_index")?.0,
            data,
            word: vec![0; bytes],
            answers: false,
        });
        Ok(())
    },
};
