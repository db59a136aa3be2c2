// SPDX-License-Identifier: Apache-2.0
//! Why the host runs a call.

use std::ffi::c_void;

use crate::model::Meeting;
use crate::package::{Manifest, Parameter};

/// Why the device cannot serve a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declined {
    /// The reason, the same for all calls that have it.
    pub reason: String,
    /// Where it was met in this one, or empty.
    pub example: String,
    /// What has the device serve such calls, as `--directive` has it, or empty.
    pub directive: String,
}

impl From<String> for Declined {
    fn from(reason: String) -> Self {
        Self { reason, example: String::new(), directive: String::new() }
    }
}

impl Declined {
    /// The program has the processor round as no hardware does.
    pub fn rounds_otherwise() -> Self {
        let reason = "the program has changed how floating-point numbers are rounded";
        reason.to_string().into()
    }

    /// A number is greater than rows of the arrays have columns, or too small for a loop over them.
    pub fn beyond(parameter: &Parameter, most: u64, value: u64) -> Self {
        let Parameter { name, least, .. } = parameter;
        let reason = format!(
            "`{name}` is not from {least} to {most}: with more, columns would be beyond their row, with \
             less there is no loop over them"
        );
        let bits = 64 - 8 * parameter.element_bytes.clamp(1, 8) as u32;
        let signed = (value << bits) as i64 >> bits;
        Self { reason, example: format!("`{name}` is {signed}"), directive: String::new() }
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
    pub fn meets(manifest: &Manifest, meeting: &Meeting, data: &[*mut c_void]) -> Self {
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
        let directive = match is_joinable(manifest, meeting, data) {
            true => format!("{}: overlap({own}, {other})", manifest.kernel),
            false => String::new(),
        };
        Self { reason, example: format!("byte {} of `{own}`", meeting.byte), directive }
    }
}

/// Whether the two arrays that meet can be one array in the device: they begin a whole number of
/// elements apart, and no pointer is written over that was read before the call.
fn is_joinable(manifest: &Manifest, meeting: &Meeting, data: &[*mut c_void]) -> bool {
    let (own, other) = (meeting.argument as usize, meeting.other as usize);
    let bytes = |index: usize| manifest.arguments.get(index).map(|p| p.element_bytes as usize);
    let pair = bytes(own).zip(bytes(other)).map(|(one, other)| one.min(other).max(1));
    let distance = (data[own] as usize).abs_diff(data[other] as usize);
    !meeting.by_field && pair.is_some_and(|unit| distance.is_multiple_of(unit))
}
