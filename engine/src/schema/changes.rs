// SPDX-License-Identifier: Apache-2.0
//! What a file says is changed, line by line.

use super::reader::{Described, say};
use super::values::{cure, enough, meant};
use super::{At, Instance, Said};

impl Described {
    /// Makes a change: `component.key=value`, where the component is one by its name, or all of a
    /// kind.
    pub(super) fn change(&mut self, number: usize, line: &str) {
        let at = At::Change(number);
        let split = line.split_once('=').and_then(|(place, value)| {
            let (component, key) = place.trim().rsplit_once('.')?;
            Some((component, key, value.trim()))
        });
        let Some((component, key, value)) = split else {
            let message = "expected a component, a number of it and its value, such as \
                           link.bandwidth=1.6GB/s";
            return self.findings.add(at, message);
        };
        let kinds = self.kinds;
        let found = kinds.iter().find(|kind| {
            let named = |instance: &Instance| instance.name == component;
            kind.name == component || self.instances[kind.name].iter().any(named)
        });
        let Some(kind) = found else {
            let all = self.instances.values().flatten();
            let names: Vec<String> = all.map(|instance| instance.name.clone()).collect();
            let known =
                || kinds.iter().map(|kind| kind.name).chain(names.iter().map(String::as_str));
            let message = format!("the platform has no {component:?}; {}", cure(component, &known));
            return self.findings.add(at, message);
        };
        let Some(row) = kind.rows.iter().find(|row| row.key == key) else {
            let known = || kind.rows.iter().map(|row| row.key);
            let message = format!("[{}] has no {key:?}; {}", kind.name, cure(key, &known));
            return self.findings.add(at, message);
        };
        match meant(row.form, value).and_then(|number| enough(row, number)) {
            Err(why) => self.findings.add(at, why),
            Ok(number) => {
                let source = row.is_fact.then(|| "changed on the command line".to_string());
                let said = Said { number, text: value.to_string(), source, at };
                let instances = self.instances.get_mut(kind.name).into_iter().flatten();
                let named = |i: &&mut Instance| kind.name == component || i.name == component;
                instances.filter(named).for_each(|instance| say(instance, row, said.clone()));
            }
        }
    }
}
