// SPDX-License-Identifier: Apache-2.0
//! What a value means, as a file or a change writes it, and what is said of one that means nothing.

use std::collections::BTreeSet;

use toml::Spanned;
use toml::de::DeValue;

use super::findings::nearest;
use super::{Form, Row};
use crate::schema::units;

pub(super) type Value<'t> = Spanned<DeValue<'t>>;

pub(super) fn enough(row: &Row, number: u64) -> Result<u64, String> {
    let low = || format!("expected more than {}", row.least.saturating_sub(1));
    if number < row.least { Err(low()) } else { Ok(number) }
}

/// A value as the file writes it.
pub(super) fn written(form: Form, value: &Value<'_>) -> Result<u64, String> {
    match (form, value.get_ref()) {
        (Form::Count, DeValue::Integer(number)) => {
            u64::from_str_radix(number.as_str(), number.radix())
                .map_err(|_| "expected a whole number of 0 or more".to_string())
        }
        (Form::Count, _) => Err("expected a whole number without a unit".to_string()),
        (_, DeValue::String(text)) => meant(form, text),
        (Form::Measure(_), DeValue::Integer(number)) => meant(form, number.as_str()),
        (Form::Measure(quantity), _) => units::parse("", quantity),
        _ => Err("expected a text".to_string()),
    }
}

/// A value as words have it; a name's number is found later.
pub(super) fn meant(form: Form, text: &str) -> Result<u64, String> {
    match form {
        Form::Measure(quantity) => units::parse(text, quantity),
        Form::Count => {
            let parsed = match text.strip_prefix("0x") {
                Some(digits) => u64::from_str_radix(digits, 16),
                None => text.parse(),
            };
            parsed.map_err(|_| "expected a whole number of 0 or more".to_string())
        }
        Form::Choice(words) => {
            let index = words.iter().position(|&word| word == text);
            index.map(|index| index as u64).ok_or_else(|| {
                format!("{text:?} is unknown; {}", cure(text, &|| words.iter().copied()))
            })
        }
        Form::Name(_) | Form::Text if text.trim().is_empty() => Err("expected a text".to_string()),
        Form::Name(_) | Form::Text => Ok(0),
    }
}

pub(super) fn cure<'k, I: Iterator<Item = &'k str>>(name: &str, known: &impl Fn() -> I) -> String {
    match nearest(name, known()) {
        Some(near) => format!("did you mean {near}?"),
        None => {
            let mut seen = BTreeSet::new();
            let known: Vec<_> = known().filter(|name| seen.insert(*name)).collect();
            format!("known are {}", known.join(", "))
        }
    }
}

pub(super) fn text_of(value: &Value<'_>) -> Option<String> {
    let text = value.get_ref().as_str()?.trim();
    (!text.is_empty()).then(|| text.to_string())
}

/// A value as the file has it, short.
pub(super) fn shown(value: &Value<'_>) -> String {
    match value.get_ref() {
        DeValue::String(text) => format!("{text:?}"),
        DeValue::Integer(number) => number.as_str().to_string(),
        DeValue::Float(number) => number.as_str().to_string(),
        DeValue::Boolean(truth) => truth.to_string(),
        other => format!("({})", other.type_str()),
    }
}
