// SPDX-License-Identifier: Apache-2.0
//! The signals of a file, by their scopes.

use super::track::Track;

/// The scope around all others.
const TOP: &str = "chip";

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
    /// One in these scopes of the chip.
    pub fn new(scopes: &[&str], name: &str, bits: u32) -> Self {
        let scopes = [TOP].iter().chain(scopes).map(|scope| plain(scope)).collect();
        Self { scopes, name: plain(name), bits, module: None }
    }

    /// The same, of a kernel's Verilog.
    pub fn of_module(scopes: &[&str], name: &str, bits: u32) -> Self {
        let module = scopes.first().map(|module| plain(module));
        Self { module, ..Self::new(scopes, name, bits) }
    }
}

/// All signals of a file, in their order.
#[derive(Debug, Default)]
pub struct Signals(pub Vec<Signal>);

impl Signals {
    /// A track of signals more.
    pub fn track(&mut self, own: impl IntoIterator<Item = Signal>) -> Track {
        let first = self.0.len();
        self.0.extend(own);
        Track::new(&self.0[first..])
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
