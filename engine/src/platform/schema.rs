// SPDX-License-Identifier: Apache-2.0
//! Every number a platform file may give: one row each.

use crate::units::Quantity;

/// How a number is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A text with a unit.
    Measure(Quantity),
    /// A whole number without a unit.
    Count,
}

/// One number of a platform file.
#[derive(Debug)]
pub struct Field {
    /// Its table.
    pub section: &'static str,
    /// Its name there.
    pub key: &'static str,
    /// How it is written.
    pub form: Form,
    /// Whether a platform without it makes no sense.
    pub required: bool,
    /// The least that makes sense, in the engine's units.
    pub least: u64,
    /// A value to copy.
    pub example: &'static str,
}

const TIME: Form = Form::Measure(Quantity::Time);
const SIZE: Form = Form::Measure(Quantity::Size);
const RATE: Form = Form::Measure(Quantity::Rate);
const FREQUENCY: Form = Form::Measure(Quantity::Frequency);

const fn needed(
    section: &'static str,
    key: &'static str,
    form: Form,
    (least, example): (u64, &'static str),
) -> Field {
    Field { section, key, form, required: true, least, example }
}

const fn optional(
    section: &'static str,
    key: &'static str,
    form: Form,
    (least, example): (u64, &'static str),
) -> Field {
    Field { section, key, form, required: false, least, example }
}

/// The schema.
pub const FIELDS: [Field; 14] = [
    needed("software", "call_time", TIME, (0, "\"410 us\"")),
    optional("software", "launch_time", TIME, (0, "\"70 us\"")),
    optional("software", "copy_bandwidth", RATE, (1, "\"10 GB/s\"")),
    optional("software", "wait_time", TIME, (0, "\"5 us\"")),
    needed("link", "bandwidth_to_device", RATE, (1, "\"800 MB/s\"")),
    needed("link", "bandwidth_from_device", RATE, (1, "\"800 MB/s\"")),
    optional("link", "peak_bandwidth", RATE, (1, "\"1 GB/s\"")),
    needed("link", "transfer_time", TIME, (0, "\"10 us\"")),
    needed("configuration", "time", TIME, (0, "\"100 ms\"")),
    needed("memory", "banks", Form::Count, (1, "6")),
    needed("memory", "bank_size", SIZE, (1, "\"4 MiB\"")),
    needed("memory", "width", SIZE, (1, "\"8 B\"")),
    needed("device", "clock", FREQUENCY, (1, "\"100 MHz\"")),
    needed("device", "launch_cycles", Form::Count, (0, "47")),
];

/// The tables of a platform file.
pub const SECTIONS: [&str; 5] = ["software", "link", "configuration", "memory", "device"];

/// The texts at the top of a platform file, and an example of each.
pub const TEXTS: [(&str, &str); 2] = [("name", "my-board"), ("title", "My board, PCIe x4")];

/// The rows of one table.
pub fn fields_of(section: &str) -> impl Iterator<Item = &'static Field> {
    FIELDS.iter().filter(move |field| field.section == section)
}

impl Field {
    /// A line to add to a file.
    pub fn example_line(&self) -> String {
        format!("{} = {{ value = {}, source = \"...\" }}", self.key, self.example)
    }
}
