// SPDX-License-Identifier: Apache-2.0
//! TOML to [`Platform`]: every finding is collected, none stops the reading.

use std::collections::BTreeMap;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::findings::{Findings, nearest};
use super::schema::{FIELDS, Field, Form, SECTIONS, TEXTS, fields_of};
use super::{Configuration, DeviceSettings, Link, Memory, Platform, Software};
use crate::units;

/// The version of the file format that this engine reads.
const FORMAT: &str = "1";
const PS_PER_S: u64 = 1_000_000_000_000;

type Value<'t> = Spanned<DeValue<'t>>;

/// A number and where it stands.
struct Number {
    value: u64,
    source: String,
    offset: usize,
}

#[derive(Default)]
struct Reader {
    findings: Findings,
    numbers: BTreeMap<(&'static str, &'static str), Number>,
    texts: BTreeMap<&'static str, String>,
}

/// Reads a platform's text.
pub fn read(text: &str) -> Result<Platform, Findings> {
    let mut reader = Reader::default();
    let (document, errors) = DeTable::parse_recoverable(text);
    for error in errors {
        let offset = error.span().map_or(0, |span| span.start);
        reader.findings.add(offset, format!("not TOML: {}", error.message()));
    }
    if reader.findings.is_empty() {
        reader.read_top(document.get_ref());
        reader.check_peak();
        reader.check_clock();
    }
    let platform = reader.findings.is_empty().then(|| reader.platform()).flatten();
    platform.ok_or(reader.findings)
}

impl Reader {
    fn read_top(&mut self, top: &DeTable<'_>) {
        self.read_format(top);
        for (key, example) in TEXTS {
            self.read_text(top, 0, (key, key), example);
        }
        for section in SECTIONS {
            self.read_section(section, top.get(section));
        }
        let known = || ["format"].into_iter().chain(TEXTS.map(|(key, _)| key)).chain(SECTIONS);
        self.refuse_unknown(top, "", known);
    }

    fn read_format(&mut self, top: &DeTable<'_>) {
        let Some(value) = top.get("format") else {
            return self.findings.add(0, "format is missing; add: format = 1");
        };
        let found = value.get_ref().as_integer().map(ToString::to_string);
        if found.as_deref() != Some(FORMAT) {
            let message = format!("format = {}: this version reads format = 1", shown(value));
            self.findings.add(value.span().start, message);
        }
    }

    /// Reads a plain text; `name` is its key and how the file names it.
    fn read_text(
        &mut self,
        table: &DeTable<'_>,
        offset: usize,
        (key, name): (&'static str, &str),
        example: &str,
    ) {
        let (offset, cause) = match table.get(key) {
            None => (offset, format!("{name} is missing")),
            Some(value) => match value.get_ref().as_str() {
                Some(text) if !text.trim().is_empty() => {
                    self.texts.insert(key, text.to_string());
                    return;
                }
                _ => (value.span().start, format!("{name} = {}: expected a text", shown(value))),
            },
        };
        self.findings.add(offset, format!("{cause}; write: {key} = \"{example}\""));
    }

    fn read_section(&mut self, section: &'static str, found: Option<&Value<'_>>) {
        let Some(value) = found else {
            let lines: Vec<_> =
                fields_of(section).filter(|f| f.required).map(Field::example_line).collect();
            let message =
                format!("section [{section}] is missing; add it, with {}", lines.join("; "));
            return self.findings.add(0, message);
        };
        let offset = value.span().start;
        let Some(table) = value.get_ref().as_table() else {
            let message = format!("{section} = {}: expected the table [{section}]", shown(value));
            return self.findings.add(offset, message);
        };
        for field in fields_of(section) {
            self.read_number(field, offset, table.get(field.key));
        }
        if section == "device" {
            self.read_text(table, offset, ("target", "[device] target"), "ecp5");
        }
        let target = (section == "device").then_some("target");
        let known = || fields_of(section).map(|field| field.key).chain(target);
        self.refuse_unknown(table, &format!("[{section}] "), known);
    }

    fn read_number(
        &mut self,
        field: &'static Field,
        section_offset: usize,
        found: Option<&Value<'_>>,
    ) {
        let name = format!("[{}] {}", field.section, field.key);
        let Some(entry) = found else {
            if field.required {
                let message = format!("{name} is missing; add: {}", field.example_line());
                self.findings.add(section_offset, message);
            }
            return;
        };
        let offset = entry.span().start;
        let Some(table) = entry.get_ref().as_table() else {
            let message = format!(
                "{name} = {}: a number names its source; write: {}",
                shown(entry),
                field.example_line()
            );
            return self.findings.add(offset, message);
        };
        let source = self.read_source(&name, offset, table.get("source"));
        let value = self.read_value(field, &name, (offset, table.get("value")));
        self.refuse_unknown(table, &format!("{name}: "), || ["value", "source"].into_iter());
        if let (Some(source), Some(value)) = (source, value) {
            self.numbers.insert((field.section, field.key), Number { value, source, offset });
        }
    }

    fn read_source(
        &mut self,
        name: &str,
        offset: usize,
        found: Option<&Value<'_>>,
    ) -> Option<String> {
        let text = found.and_then(|value| value.get_ref().as_str()).unwrap_or("").trim();
        if text.is_empty() {
            let message = format!(
                "{name} names no source; add source = \"...\": a publication, a measurement, or \
                 what it was calibrated on"
            );
            self.findings.add(found.map_or(offset, |value| value.span().start), message);
            return None;
        }
        Some(text.to_string())
    }

    fn read_value(
        &mut self,
        field: &Field,
        name: &str,
        (offset, found): (usize, Option<&Value<'_>>),
    ) -> Option<u64> {
        let Some(value) = found else {
            self.findings
                .add(offset, format!("{name} has no value; write: {}", field.example_line()));
            return None;
        };
        let parsed = parse(field.form, value.get_ref()).and_then(|number| {
            let low = format!("expected more than {}", field.least.saturating_sub(1));
            if number < field.least { Err(low) } else { Ok(number) }
        });
        parsed
            .map_err(|why| {
                self.findings.add(value.span().start, format!("{name} = {}: {why}", shown(value)))
            })
            .ok()
    }

    fn refuse_unknown<'k, I: Iterator<Item = &'k str>>(
        &mut self,
        table: &DeTable<'_>,
        place: &str,
        known: impl Fn() -> I,
    ) {
        for (key, _) in table {
            let name: &str = key.get_ref();
            if known().any(|candidate| candidate == name) {
                continue;
            }
            let cure = match nearest(name, known()) {
                Some(near) => format!("did you mean {near}?"),
                None => format!("known are {}", known().collect::<Vec<_>>().join(", ")),
            };
            self.findings.add(
                key.span().start,
                format!("{place}{} is unknown; {cure}", name.escape_debug()),
            );
        }
    }

    /// A sustained rate above the peak is a slip in one of the two.
    fn check_peak(&mut self) {
        let Some(peak) = self.number("link", "peak_bandwidth") else { return };
        for key in ["bandwidth_to_device", "bandwidth_from_device"] {
            if let Some(number) =
                self.numbers.get(&("link", key)).filter(|number| number.value > peak)
            {
                self.findings.add(
                    number.offset,
                    format!("[link] {key} is more than peak_bandwidth; correct one of the two"),
                );
            }
        }
    }

    /// The engine counts whole picoseconds.
    fn check_clock(&mut self) {
        let clock = self.numbers.get(&("device", "clock"));
        if let Some(number) = clock.filter(|number| number.value > PS_PER_S) {
            let message = "[device] clock is faster than a cycle of 1 ps; correct its unit";
            self.findings.add(number.offset, message);
        }
    }

    fn number(&self, section: &'static str, key: &'static str) -> Option<u64> {
        self.numbers.get(&(section, key)).map(|number| number.value)
    }

    /// The platform, or nothing if a required part was not read (then there is a finding).
    fn platform(&self) -> Option<Platform> {
        let clock_hz = self.number("device", "clock")?;
        Some(Platform {
            name: self.texts.get("name")?.clone(),
            title: self.texts.get("title")?.clone(),
            software: Software {
                call_time_ps: self.number("software", "call_time")?,
                launch_time_ps: self.number("software", "launch_time").unwrap_or(0),
                copy_bandwidth_bytes_per_s: self.number("software", "copy_bandwidth"),
                wait_time_ps: self.number("software", "wait_time").unwrap_or(0),
            },
            link: Link {
                bandwidth_to_device_bytes_per_s: self.number("link", "bandwidth_to_device")?,
                bandwidth_from_device_bytes_per_s: self.number("link", "bandwidth_from_device")?,
                peak_bandwidth_bytes_per_s: self.number("link", "peak_bandwidth"),
                transfer_time_ps: self.number("link", "transfer_time")?,
            },
            configuration: Configuration { time_ps: self.number("configuration", "time")? },
            memory: Memory {
                banks: self.number("memory", "banks")?,
                bank_size_bytes: self.number("memory", "bank_size")?,
                width_bytes: self.number("memory", "width")?,
            },
            device: DeviceSettings {
                clock_hz,
                clock_ps: (PS_PER_S + clock_hz / 2) / clock_hz,
                launch_cycles: self.number("device", "launch_cycles")?,
                target: self.texts.get("target")?.clone(),
            },
            sources: self.sources(),
        })
    }

    fn sources(&self) -> BTreeMap<String, String> {
        let named = |field: &Field| {
            let number = self.numbers.get(&(field.section, field.key))?;
            Some((format!("{}.{}", field.section, field.key), number.source.clone()))
        };
        FIELDS.iter().filter_map(named).collect()
    }
}

fn parse(form: Form, value: &DeValue<'_>) -> Result<u64, String> {
    match (form, value) {
        (Form::Measure(quantity), DeValue::String(text)) => units::parse(text, quantity),
        (Form::Measure(quantity), DeValue::Integer(number)) => {
            units::parse(number.as_str(), quantity)
        }
        (Form::Measure(quantity), _) => units::parse("", quantity),
        (Form::Count, DeValue::Integer(number)) => {
            u64::from_str_radix(number.as_str(), number.radix())
                .map_err(|_| "expected a whole number of 0 or more".to_string())
        }
        (Form::Count, _) => Err("expected a whole number without a unit".to_string()),
    }
}

/// A value as the file has it, short.
fn shown(value: &Value<'_>) -> String {
    match value.get_ref() {
        DeValue::String(text) => format!("{text:?}"),
        DeValue::Integer(number) => number.as_str().to_string(),
        DeValue::Float(number) => number.as_str().to_string(),
        DeValue::Boolean(truth) => truth.to_string(),
        other => format!("({})", other.type_str()),
    }
}
