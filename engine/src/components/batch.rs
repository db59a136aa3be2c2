// SPDX-License-Identifier: Apache-2.0
//! Batches: calls that the host hands over together, as one request to the device. What the driver
//! costs is then paid once for all of them; none is done before all are. When they are handed over,
//! and how many the program goes on beside, is a matter of throughput against latency.

use serde::Serialize;

use super::Component;
use crate::schema::reader::Described;
use crate::schema::{ANSWER, Absence, Form, Instance, Kind, Row, SIZE, TIME};

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
        Row::choice(
            "within",
            TIME,
            Absence::Nothing,
            0,
            "\"5 ms\"",
            "no call waits longer for its batch to be complete",
        ),
        Row::choice(
            "adaptive",
            ANSWER,
            Absence::Is(0),
            0,
            "\"yes\"",
            "whether a batch is handed over as soon as none is under way, complete or not; with `ahead`",
        ),
        Row::choice(
            "ahead",
            Form::Count,
            Absence::Is(0),
            0,
            "4",
            "batches under way that the program goes on beside; without it, it waits for each",
        ),
    ],
};

/// What is known of it here.
pub const COMPONENT: Component = Component { check, ..Component::new(&KIND, 20) };

/// Where the program waits for each batch, none is ever under way when a call comes: each would be
/// one by itself, and cost all that batches are there to save.
fn check(read: &mut Described) {
    for batch in &read.instances["batch"] {
        let said = |key, number| batch.values.get(key).filter(|said| said.number == number);
        if let (Some(adaptive), Some(ahead)) = (said("adaptive", 1), said("ahead", 0)) {
            let message = "[batch] adaptive hands over what came while a batch was under way, and \
                           the program waits for each; give `ahead`, 1 or more, as well";
            read.findings.add(adaptive.at.beside(ahead.at), message);
        }
    }
}

/// When a batch is complete, in the engine's units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct BatchSettings {
    /// Calls.
    pub calls: u64,
    /// Bytes in and out, if they matter.
    pub bytes: Option<u64>,
    /// How long a call waits for others at most.
    pub within_ps: Option<u64>,
    /// Whether a batch need not be complete where none is under way.
    pub is_adaptive: bool,
    /// How many may be under way while the program goes on.
    pub ahead: u64,
}

impl Default for BatchSettings {
    fn default() -> Self {
        Self { calls: 1, bytes: None, within_ps: None, is_adaptive: false, ahead: 0 }
    }
}

impl BatchSettings {
    /// What a file says; what holds without is in the rows.
    pub fn read(said: &Instance) -> Option<Self> {
        Some(Self {
            calls: said.number("calls")?,
            bytes: said.number("bytes"),
            within_ps: said.number("within"),
            is_adaptive: said.number("adaptive")? == 1,
            ahead: said.number("ahead")?,
        })
    }

    /// Whether the program waits for each call by itself.
    pub fn is_none(&self) -> bool {
        self.calls == 1 && self.ahead == 0
    }

    /// Whether so much is a batch.
    pub fn is_complete(&self, calls: u64, bytes: u64) -> bool {
        calls >= self.calls || self.bytes.is_some_and(|most| bytes >= most)
    }
}
