// SPDX-License-Identifier: Apache-2.0
//! The signals of a file, by their scopes.

use super::track::Track;
use crate::model::Shown;

/// A signal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signal {
    /// The scopes in which it is, the outermost first. Those of one scope follow each other.
    pub scopes: Vec<String>,
    /// Its name there.
    pub name: String,
    /// Its width; 0 of text.
    pub bits: u32,
    /// The module of a kernel's Verilog that has it under this name, if one has.
    pub module: Option<String>,
}

impl Signal {
    /// One in these scopes of the file.
    pub fn new(scopes: &[&str], name: &str, bits: u32) -> Self {
        let scopes = scopes.iter().map(|scope| plain(scope)).collect();
        Self { scopes, name: plain(name), bits, module: None }
    }

    /// The same, of a kernel's Verilog.
    pub fn of_kernel(kernel: &str, shown: &Shown) -> Self {
        let scopes: Vec<_> = std::iter::once(kernel).chain(shown.scope.split('.')).collect();
        let module = Some(plain(kernel));
        Self { module, ..Self::new(&scopes, &shown.name, shown.bits) }
    }
}

/// All signals of a file, in their order.
#[derive(Debug)]
pub struct Signals {
    /// The scope around all others.
    top: &'static str,
    /// Those that there are so far.
    pub rows: Vec<Signal>,
}

impl Signals {
    /// None yet, in a scope around all.
    pub fn of(top: &'static str) -> Self {
        Self { top, rows: Vec::new() }
    }

    /// A track of signals more.
    pub fn track(&mut self, own: impl IntoIterator<Item = Signal>) -> Track {
        let first = self.rows.len();
        self.rows.extend(own.into_iter().map(|mut signal| {
            signal.scopes.insert(0, self.top.to_string());
            signal
        }));
        Track::new(&self.rows[first..])
    }
}

/// A name without what separates names.
fn plain(name: &str) -> String {
    name.replace(|c: char| !c.is_ascii_alphanumeric() && !"_$[]:()".contains(c), "_")
}

/// On the way through all scopes.
pub enum Step<'s> {
    /// Into a scope.
    Down(&'s str),
    /// Out of it.
    Up,
    /// A signal, in the order in which they are numbered.
    Signal(&'s Signal),
}

/// The way through the scopes of signals.
pub fn steps(signals: &[Signal]) -> Vec<Step<'_>> {
    let (mut found, mut scopes) = (Vec::new(), &[] as &[String]);
    for signal in signals {
        let both = scopes.iter().zip(&signal.scopes);
        let common = both.take_while(|(one, other)| one == other).count();
        found.extend(scopes[common..].iter().map(|_| Step::Up));
        found.extend(signal.scopes[common..].iter().map(|scope| Step::Down(scope)));
        found.push(Step::Signal(signal));
        scopes = &signal.scopes;
    }
    found.extend(scopes.iter().map(|_| Step::Up));
    found
}
