// SPDX-License-Identifier: Apache-2.0
//! What a platform says of a component by its rows alone, where no type of its own has them.

use std::collections::BTreeMap;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::{Form, Instance, Kind, Row, Said};

/// What is said of one, in the engine's units.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stated {
    /// Its name in the trace.
    pub name: String,
    values: BTreeMap<&'static str, Value>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Value {
    form: Form,
    number: u64,
    text: String,
}

impl Stated {
    /// What a file says of a component of this kind, or nothing.
    pub fn read(kind: &Kind, said: &Instance) -> Option<Self> {
        let value = |form, Said { number, text, .. }: &Said| Value {
            form,
            number: *number,
            text: text.clone(),
        };
        let of_row = |row: &Row| Some((row.key, value(row.form, said.values.get(row.key)?)));
        let values: BTreeMap<_, _> = kind.rows.iter().filter_map(of_row).collect();
        (!values.is_empty()).then(|| Self { name: said.name.clone(), values })
    }

    /// A number by its row's key, or nothing if there is none.
    pub fn number(&self, key: &str) -> Option<u64> {
        self.values.get(key).map(|value| value.number)
    }
}

impl Serialize for Stated {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(1 + self.values.len()))?;
        map.serialize_entry("name", &self.name)?;
        for (key, Value { form, number, text }) in &self.values {
            match form {
                Form::Choice(words) => map.serialize_entry(key, &words.get(*number as usize))?,
                Form::Text => map.serialize_entry(key, text)?,
                Form::Measure(quantity) => {
                    map.serialize_entry(&format!("{key}_{}", quantity.suffix()), number)?;
                }
                Form::Count | Form::Name(_) => map.serialize_entry(key, number)?,
            }
        }
        map.end()
    }
}
