// SPDX-License-Identifier: Apache-2.0
//! What a platform says of kernels, whichever they are.

use super::Component;
use crate::schema::{ANSWER, Absence, Form, Instance, Kind, Row};

/// `[kernel]` of a platform file.
pub const KIND: Kind = Kind {
    name: "kernel",
    meaning: "kernels, as devices hold them",
    is_needed: false,
    may_be_several: false,
    rows: &[
        Row::choice(
            "units",
            Form::Count,
            Absence::Is(1),
            1,
            "2",
            "copies of a kernel side by side in its region, each for a call of its own",
        ),
        Row::choice(
            "together",
            ANSWER,
            Absence::Is(0),
            0,
            "\"yes\"",
            "whether one configuration has all kernels that the program calls, beside each other; \
             else each is one by itself",
        ),
    ],
};

/// What is known of it here.
pub const COMPONENT: Component = Component::new(&KIND, 90);

/// How many copies a region has.
pub fn units(said: &Instance) -> Option<u64> {
    said.number("units")
}

/// Whether one configuration has all kernels.
pub fn are_together(said: &Instance) -> Option<bool> {
    Some(said.number("together")? == 1)
}
