// SPDX-License-Identifier: Apache-2.0
//! What a platform says of kernels, whichever they are.

use crate::schema::{Absence, Form, Instance, Kind, Row};

/// `[kernel]` of a platform file.
pub const KIND: Kind = Kind {
    name: "kernel",
    meaning: "kernels, as devices hold them",
    is_needed: false,
    may_be_several: false,
    rows: &[Row::choice(
        "units",
        Form::Count,
        Absence::Is(1),
        1,
        "2",
        "copies of a kernel side by side in its region, each for a call of its own",
    )],
};

/// How many copies a region has.
pub fn units(said: &Instance) -> Option<u64> {
    said.number("units")
}
