// SPDX-License-Identifier: Apache-2.0
//! What a platform file may say of a component: its kind, a row for each number or choice, and
//! what one component says by them. Each component's own file has its rows; [`reader`] reads a file
//! by them.

mod changes;
pub mod findings;
pub mod reader;
pub mod stated;
pub mod units;
mod values;

use std::collections::BTreeMap;

use crate::schema::units::Quantity;

/// What shall be otherwise than a platform file says: `component.key=value`, one a line.
#[derive(Debug, Clone, Copy, Default)]
pub struct Changes<'a>(pub &'a str);

/// A kind of component: a table of a platform file.
#[derive(Debug)]
pub struct Kind {
    /// The table's name.
    pub name: &'static str,
    /// One line for people.
    pub meaning: &'static str,
    /// Whether a platform without one makes no sense.
    pub is_needed: bool,
    /// Whether there may be several, as `[[name]]`.
    pub may_be_several: bool,
    /// What it may say.
    pub rows: &'static [Row],
}

/// How a value is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A text with a unit.
    Measure(Quantity),
    /// A whole number without a unit.
    Count,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// The name of another component, of this kind.
    Name(&'static str),
    /// Any text.
    Text,
}

/// What holds where nothing is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Absence {
    /// It must be said, where the component is there.
    Needed,
    /// Nothing.
    Nothing,
    /// This, in the engine's units.
    Is(u64),
}

/// One number or choice.
#[derive(Debug)]
pub struct Row {
    /// Its name.
    pub key: &'static str,
    /// How it is written.
    pub form: Form,
    /// What holds without it.
    pub absence: Absence,
    /// The least that makes sense, in the engine's units.
    pub least: u64,
    /// A value to copy.
    pub example: &'static str,
    /// One line for people.
    pub meaning: &'static str,
    /// Whether it claims something about the world and so names its source; choices do not.
    pub is_fact: bool,
    /// The rows that it stands for, if it is short for several.
    pub sets: &'static [&'static str],
}

/// A time, as rows have it.
pub const TIME: Form = Form::Measure(Quantity::Time);
/// A size.
pub const SIZE: Form = Form::Measure(Quantity::Size);
/// A rate.
pub const RATE: Form = Form::Measure(Quantity::Rate);
/// No or yes, which are 0 and 1.
pub const ANSWER: Form = Form::Choice(&["no", "yes"]);
/// A frequency.
pub const FREQUENCY: Form = Form::Measure(Quantity::Frequency);
/// A power.
pub const POWER: Form = Form::Measure(Quantity::Power);
/// An energy.
pub const ENERGY: Form = Form::Measure(Quantity::Energy);

impl Row {
    /// A fact that every platform has to say.
    pub const fn needed(
        key: &'static str,
        form: Form,
        least: u64,
        example: &'static str,
        meaning: &'static str,
    ) -> Self {
        let absence = Absence::Needed;
        Self { key, form, absence, least, example, meaning, is_fact: true, sets: &[] }
    }

    /// A fact that need not be said.
    pub const fn fact(
        key: &'static str,
        form: Form,
        absence: Absence,
        least: u64,
        example: &'static str,
        meaning: &'static str,
    ) -> Self {
        Self { key, form, absence, least, example, meaning, is_fact: true, sets: &[] }
    }

    /// What is not a fact but somebody's choice, or a name.
    pub const fn choice(
        key: &'static str,
        form: Form,
        absence: Absence,
        least: u64,
        example: &'static str,
        meaning: &'static str,
    ) -> Self {
        Self { key, form, absence, least, example, meaning, is_fact: false, sets: &[] }
    }

    /// One word for several facts of the same form.
    pub const fn short(
        key: &'static str,
        sets: &'static [&'static str],
        form: Form,
        least: u64,
        example: &'static str,
        meaning: &'static str,
    ) -> Self {
        let absence = Absence::Nothing;
        Self { key, form, absence, least, example, meaning, is_fact: true, sets }
    }

    /// A line to add to a file.
    pub fn example_line(&self) -> String {
        match self.is_fact {
            true => format!("{} = {{ value = {}, source = \"...\" }}", self.key, self.example),
            false => format!("{} = {}", self.key, self.example),
        }
    }
}

/// What one component says.
#[derive(Debug, Default)]
pub struct Instance {
    /// Its name.
    pub name: String,
    /// Where its table begins in the file.
    pub offset: usize,
    /// By key.
    pub values: BTreeMap<&'static str, Said>,
    /// What it says, well or badly.
    pub tried: Vec<&'static str>,
}

/// Where something was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum At {
    /// A byte offset of the text.
    Text(usize),
    /// A change, by its number.
    Change(usize),
}

impl At {
    /// Where it is to be told that two things do not go together: where the first one stands in the
    /// file, or who changed one of them last.
    pub fn beside(self, other: Self) -> Self {
        match other {
            Self::Text(_) => self,
            Self::Change(_) => self.max(other),
        }
    }
}

/// A value, where it stands and where it comes from.
#[derive(Debug, Clone)]
pub struct Said {
    /// In the engine's units; the index of a choice or of the component that is named.
    pub number: u64,
    /// As it was written, where that is a text.
    pub text: String,
    /// Its source, of a fact.
    pub source: Option<String>,
    /// Where that was.
    pub at: At,
}

impl Instance {
    /// A number, or nothing if it was not said.
    pub fn number(&self, key: &str) -> Option<u64> {
        self.values.get(key).map(|said| said.number)
    }

    /// Whether it claims anything about the world: without, there is no such component.
    pub fn has_facts(&self) -> bool {
        self.values.values().any(|said| said.source.is_some())
    }

    /// A text.
    pub fn text(&self, key: &str) -> Option<String> {
        self.values.get(key).map(|said| said.text.clone())
    }
}
