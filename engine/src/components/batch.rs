// SPDX-License-Identifier: Apache-2.0
//! Batches: calls that the host hands over together, as one request to the device. What the driver
//! costs is then paid once for all of them; none is done before all are.

use serde::Serialize;

use crate::schema::{Absence, Form, Instance, Kind, Row, SIZE};

/// `[batch]` of a platform file.
pub const KIND: Kind = Kind {
    name: "batch",
    meaning: "calls that are handed over together",
    is_needed: false,
    may_be_several: false,
    rows: &[
        Row::choice(
            "calls",
            Form::Count,
            Absence::Is(1),
            1,
            "1000",
            "how many calls make a batch; the program is taken not to wait for any of them before",
        ),
        Row::choice(
            "bytes",
            SIZE,
            Absence::Nothing,
            1,
            "\"64 KiB\"",
            "a batch is complete with so many bytes to move, too",
        ),
    ],
};

/// When a batch is complete, in the engine's units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct BatchSettings {
    /// Calls.
    pub calls: u64,
    /// Bytes in and out, if they matter.
    pub bytes: Option<u64>,
}

impl Default for BatchSettings {
    fn default() -> Self {
        Self { calls: 1, bytes: None }
    }
}

impl BatchSettings {
    /// What a file says; what holds without is in the rows.
    pub fn read(said: &Instance) -> Option<Self> {
        Some(Self { calls: said.number("calls")?, bytes: said.number("bytes") })
    }

    /// Whether so much is a batch.
    pub fn is_complete(&self, calls: u64, bytes: u64) -> bool {
        calls >= self.calls || self.bytes.is_some_and(|most| bytes >= most)
    }
}
