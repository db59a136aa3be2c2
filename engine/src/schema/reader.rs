// SPDX-License-Identifier: Apache-2.0
//! A TOML file to what it says of each component: every finding is collected, none stops the
//! reading.

use std::collections::BTreeMap;

use toml::de::{DeTable, DeValue};

use super::findings::Findings;
use super::values::{Value, cure, enough, shown, text_of, written};
use super::{Absence, At, Changes, Form, Instance, Kind, Row, Said};

/// The version of the file format that this engine reads.
const FORMAT: &str = "1";

/// The texts at the top of a platform file, and an example of each.
const TEXTS: [(&str, &str); 2] = [("name", "my-board"), ("title", "My board, PCIe x4")];

/// What a file says.
#[derive(Default)]
pub struct Described {
    pub(super) kinds: &'static [&'static Kind],
    /// What is wrong with it.
    pub findings: Findings,
    /// Whether it is TOML, so that what belongs together can be looked at.
    pub is_toml: bool,
    /// The texts at its top.
    pub texts: BTreeMap<&'static str, String>,
    /// By kind.
    pub instances: BTreeMap<&'static str, Vec<Instance>>,
}

/// Whether a file has a table of this name; not if it is no TOML.
pub fn has_table(text: &str, name: &str) -> bool {
    DeTable::parse_recoverable(text).0.get_ref().contains_key(name)
}

impl Described {
    /// Reads a file about components of these kinds, and changes what it says.
    pub fn read(text: &str, changes: Changes<'_>, kinds: &'static [&'static Kind]) -> Self {
        let lines: Vec<&str> = changes.0.lines().filter(|line| !line.trim().is_empty()).collect();
        let mut read = Self { kinds, findings: Findings::new(&lines), ..Self::default() };
        let (document, errors) = DeTable::parse_recoverable(text);
        for error in errors {
            let offset = error.span().map_or(0, |span| span.start);
            read.findings.add(At::Text(offset), format!("not TOML: {}", error.message()));
        }
        read.is_toml = read.findings.is_empty();
        if read.is_toml {
            read.read_top(document.get_ref());
            for (number, line) in lines.iter().enumerate() {
                read.change(number, line);
            }
            read.complete();
            read.find_names();
        }
        read
    }

    fn read_top(&mut self, top: &DeTable<'_>) {
        self.read_format(top);
        for (key, example) in TEXTS {
            self.read_title(top, key, example);
        }
        for kind in self.kinds {
            let instances = self.read_kind(kind, top.get(kind.name));
            self.instances.insert(kind.name, instances);
        }
        let kinds = self.kinds;
        let names = || kinds.iter().map(|kind| kind.name);
        let known = || ["format"].into_iter().chain(TEXTS.map(|(key, _)| key)).chain(names());
        self.refuse_unknown(top, "", &known);
    }

    fn read_format(&mut self, top: &DeTable<'_>) {
        let Some(value) = top.get("format") else {
            return self.findings.add(At::Text(0), "format is missing; add: format = 1");
        };
        let found = value.get_ref().as_integer().map(ToString::to_string);
        if found.as_deref() != Some(FORMAT) {
            let message = format!("format = {}: this version reads format = 1", shown(value));
            self.findings.add(At::Text(value.span().start), message);
        }
    }

    fn read_title(&mut self, top: &DeTable<'_>, key: &'static str, example: &str) {
        let (offset, cause) = match top.get(key) {
            None => (0, format!("{key} is missing")),
            Some(value) => match text_of(value) {
                Some(text) => {
                    self.texts.insert(key, text);
                    return;
                }
                None => (value.span().start, format!("{key} = {}: expected a text", shown(value))),
            },
        };
        self.findings.add(At::Text(offset), format!("{cause}; write: {key} = \"{example}\""));
    }

    /// The tables of a kind: `[kind]`, or `[[kind]]` with a name each.
    fn read_kind(&mut self, kind: &'static Kind, found: Option<&Value<'_>>) -> Vec<Instance> {
        let Some(value) = found else {
            if !kind.is_needed {
                return vec![Instance { name: kind.name.to_string(), ..Instance::default() }];
            }
            let needed = kind.rows.iter().filter(|row| row.absence == Absence::Needed);
            let lines: Vec<_> = needed.map(Row::example_line).collect();
            let name = kind.name;
            let message = format!("section [{name}] is missing; add it, with {}", lines.join("; "));
            self.findings.add(At::Text(0), message);
            return Vec::new();
        };
        let at = At::Text(value.span().start);
        match value.get_ref() {
            DeValue::Table(table) => vec![self.read_instance(kind, value.span().start, table)],
            DeValue::Array(_) if !kind.may_be_several => {
                let name = kind.name;
                self.findings.add(at, format!("[[{name}]]: there is one [{name}] in a platform"));
                Vec::new()
            }
            DeValue::Array(array) => {
                let mut instances = Vec::new();
                for entry in array.iter() {
                    instances.extend(self.read_entry(kind, entry, &instances));
                }
                instances
            }
            _ => {
                self.not_a_table(kind, value);
                Vec::new()
            }
        }
    }

    fn not_a_table(&mut self, kind: &'static Kind, value: &Value<'_>) {
        let name = kind.name;
        let message = format!("{name} = {}: expected the table [{name}]", shown(value));
        self.findings.add(At::Text(value.span().start), message);
    }

    /// One of several tables of a kind.
    fn read_entry(
        &mut self,
        kind: &'static Kind,
        entry: &Value<'_>,
        before: &[Instance],
    ) -> Option<Instance> {
        let Some(table) = entry.get_ref().as_table() else {
            self.not_a_table(kind, entry);
            return None;
        };
        let at = At::Text(entry.span().start);
        let instance = self.read_instance(kind, entry.span().start, table);
        let (kind, name) = (kind.name, &instance.name);
        if table.get("name").and_then(text_of).is_none() {
            let message = format!("[[{kind}]] has no name; write: name = \"{kind}-1\"");
            self.findings.add(at, message);
        } else if before.iter().any(|other| other.name == *name) {
            let message = format!("[[{kind}]] name = {name:?}: there is another one");
            self.findings.add(at, message);
        }
        Some(instance)
    }

    fn read_instance(
        &mut self,
        kind: &'static Kind,
        offset: usize,
        table: &DeTable<'_>,
    ) -> Instance {
        let name = table.get("name").and_then(text_of).unwrap_or_else(|| kind.name.to_string());
        let mut instance = Instance { name, offset, ..Instance::default() };
        for row in kind.rows {
            if let Some(entry) = table.get(row.key) {
                instance.tried.extend([row.key].iter().chain(row.sets));
                let place = format!("[{}] {}", kind.name, row.key);
                // A choice may name its source too.
                let said = match row.is_fact || entry.get_ref().as_table().is_some() {
                    true => self.read_fact(row, &place, entry),
                    false => self.read_value(row, &place, entry.span().start, Some(entry)),
                };
                said.into_iter().for_each(|said| say(&mut instance, row, said));
            }
        }
        let name = kind.may_be_several.then_some("name");
        let known = || kind.rows.iter().map(|row| row.key).chain(name);
        self.refuse_unknown(table, &format!("[{}] ", kind.name), &known);
        instance
    }

    /// A number and its source.
    fn read_fact(&mut self, row: &'static Row, place: &str, entry: &Value<'_>) -> Option<Said> {
        let offset = entry.span().start;
        let Some(table) = entry.get_ref().as_table() else {
            let message = format!(
                "{place} = {}: a number names its source; write: {}",
                shown(entry),
                row.example_line()
            );
            self.findings.add(At::Text(offset), message);
            return None;
        };
        let source = self.read_source(place, offset, table.get("source"));
        let said = self.read_value(row, place, offset, table.get("value"));
        self.refuse_unknown(table, &format!("{place}: "), &|| ["value", "source"].into_iter());
        Some(Said { source: Some(source?), at: At::Text(offset), ..said? })
    }

    fn read_source(
        &mut self,
        place: &str,
        offset: usize,
        found: Option<&Value<'_>>,
    ) -> Option<String> {
        let source = found.and_then(text_of);
        if source.is_none() {
            let message = format!(
                "{place} names no source; add source = \"...\": a publication, a measurement, or \
                 what it was calibrated on"
            );
            self.findings.add(At::Text(found.map_or(offset, |value| value.span().start)), message);
        }
        source
    }

    fn read_value(
        &mut self,
        row: &'static Row,
        place: &str,
        offset: usize,
        found: Option<&Value<'_>>,
    ) -> Option<Said> {
        let Some(value) = found else {
            let message = format!("{place} has no value; write: {}", row.example_line());
            self.findings.add(At::Text(offset), message);
            return None;
        };
        let offset = value.span().start;
        let text = text_of(value).unwrap_or_default();
        match written(row.form, value).and_then(|number| enough(row, number)) {
            Ok(number) => Some(Said { number, text, source: None, at: At::Text(offset) }),
            Err(why) => {
                let line = match row.form {
                    Form::Text | Form::Name(_) => format!("; write: {}", row.example_line()),
                    _ => String::new(),
                };
                let message = format!("{place} = {}: {why}{line}", shown(value));
                self.findings.add(At::Text(offset), message);
                None
            }
        }
    }

    fn refuse_unknown<'k, I: Iterator<Item = &'k str>>(
        &mut self,
        table: &DeTable<'_>,
        place: &str,
        known: &impl Fn() -> I,
    ) {
        for (key, _) in table {
            let name: &str = key.get_ref();
            if !known().any(|candidate| candidate == name) {
                let message =
                    format!("{place}{} is unknown; {}", name.escape_debug(), cure(name, known));
                self.findings.add(At::Text(key.span().start), message);
            }
        }
    }

    /// Gives every component what it does not say, or tells that it has to, unless there need be none
    /// and nothing is claimed of it.
    fn complete(&mut self) {
        for kind in self.kinds {
            for instance in self.instances.get_mut(kind.name).into_iter().flatten() {
                let is_there = kind.is_needed || instance.has_facts();
                let said = |row: &Row| instance.values.contains_key(row.key);
                let missing = |row: &&Row| !said(row) && !instance.tried.contains(&row.key);
                let rows: Vec<_> = kind.rows.iter().filter(missing).collect();
                for row in rows {
                    match row.absence {
                        Absence::Nothing => {}
                        Absence::Is(number) => {
                            let at = At::Text(instance.offset);
                            let said = Said { number, text: String::new(), source: None, at };
                            instance.values.insert(row.key, said);
                        }
                        Absence::Needed if !is_there => {}
                        Absence::Needed => {
                            let line = row.example_line();
                            let message =
                                format!("[{}] {} is missing; add: {line}", kind.name, row.key);
                            self.findings.add(At::Text(instance.offset), message);
                        }
                    }
                }
            }
        }
    }

    /// Finds the components that others name.
    fn find_names(&mut self) {
        let names: BTreeMap<&str, Vec<String>> = self
            .instances
            .iter()
            .map(|(&kind, instances)| (kind, instances.iter().map(|i| i.name.clone()).collect()))
            .collect();
        for kind in self.kinds {
            for row in kind.rows {
                let Form::Name(wanted) = row.form else { continue };
                for instance in self.instances.get_mut(kind.name).into_iter().flatten() {
                    let Some(said) = instance.values.get_mut(row.key) else { continue };
                    if said.text.is_empty() {
                        continue; // the first
                    }
                    let known = || names[wanted].iter().map(String::as_str);
                    match known().position(|name| name == said.text) {
                        Some(index) => said.number = index as u64,
                        None => {
                            let message = format!(
                                "[{}] {} = {:?}: there is no such {wanted}; {}",
                                kind.name,
                                row.key,
                                said.text,
                                cure(&said.text, &known)
                            );
                            self.findings.add(said.at, message);
                        }
                    }
                }
            }
        }
    }

    /// The source of each number, by "component.key".
    pub fn sources(&self) -> BTreeMap<String, String> {
        let of_instance = |instance: &Instance| {
            let named = |(key, said): (&&str, &Said)| {
                Some((format!("{}.{key}", instance.name), said.source.clone()?))
            };
            instance.values.iter().filter_map(named).collect::<Vec<_>>()
        };
        self.instances.values().flatten().flat_map(of_instance).collect()
    }
}

/// Keeps what is said; a row that is short for others never overrules them.
pub(super) fn say(instance: &mut Instance, row: &'static Row, said: Said) {
    if row.sets.is_empty() {
        instance.values.insert(row.key, said);
        return;
    }
    for &key in row.sets {
        instance.values.insert(key, said.clone());
    }
}
