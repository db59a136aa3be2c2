// SPDX-License-Identifier: Apache-2.0
//! Why the host runs a call.

use crate::model::Meeting;
use crate::package::Manifest;

/// Why the device cannot serve a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declined {
    /// The reason, the same for all calls that have it.
    pub reason: String,
    /// Where it was met in this one, or empty.
    pub example: String,
}

impl From<String> for Declined {
    fn from(reason: String) -> Self {
        Self { reason, example: String::new() }
    }
}

impl Declined {
    /// The program has the processor round as no hardware does.
    pub fn rounds_otherwise() -> Self {
        let reason = "the program has changed how floating-point numbers are rounded";
        reason.to_string().into()
    }

    /// The call waits for something that no hardware would see change.
    pub fn waits() -> Self {
        let reason = "it waits for a volatile variable, which only another part of the program can \
                      change";
        reason.to_string().into()
    }

    /// Two arrays that are joined begin at a distance that their elements do not divide.
    pub fn skewed(manifest: &Manifest, one: usize, other: usize) -> Self {
        let name = |index: usize| &manifest.arguments[index].name;
        let (one, other) = (name(one), name(other));
        let reason = format!(
            "`{one}` and `{other}` overlap, and do not begin a whole number of elements apart"
        );
        reason.into()
    }

    /// An array meets what another one has written.
    pub fn meets(manifest: &Manifest, meeting: &Meeting) -> Self {
        let name = |index: u32| {
            manifest.arguments.get(index as usize).map_or("?", |parameter| parameter.name.as_str())
        };
        let (own, other) = (name(meeting.argument), name(meeting.other));
        let does = if meeting.stores { "written" } else { "read" };
        let place = &meeting.place;
        let line = if place.is_empty() { String::new() } else { format!(" in {place}") };
        let reason = format!(
            "`{own}` and `{other}` overlap: `{own}` is {does}{line} where `{other}` was written before"
        );
        Self { reason, example: format!("byte {} of `{own}`", meeting.byte) }
    }
}
