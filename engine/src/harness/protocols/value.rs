// SPDX-License-Identifier: Apache-2.0
//! A number that a call is given.

use super::{Protocol, copy};

/// What is known of it.
pub(super) const PROTOCOL: Protocol = Protocol {
    name: "value",
    place: 10,
    attach: |_, port, buffer, _| {
        let (to, bytes) = port.signal("value")?;
        port.require(&buffer, bytes)?;
        // SAFETY: a value's argument has its bytes, and its port room for them.
        unsafe { copy(buffer.data, to, bytes) };
        Ok(())
    },
};
