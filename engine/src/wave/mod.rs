// SPDX-License-Identifier: Apache-2.0
//! Files that viewers of waves read: signals over time. Who knows of changes keeps them in a [`Track`], by
//! ticks; from there they go into a file in the order of time, section by section, so that little is in
//! memory. What a tick is, its owner says: on a chip a cycle of the one clock, elsewhere any time at which
//! something changes.

mod chain;
mod column;
mod fst;
mod hierarchy;
mod saif;
mod sampler;
mod track;
mod varint;
mod vcd;

use std::fs::File;

use serde::Deserialize;

pub use self::chain::{Chain, Change, changes};
use self::fst::Fst;
pub use self::hierarchy::{Signal, Signals};
use self::saif::Saif;
pub use self::sampler::Sampler;
pub(crate) use self::track::SECTION_TICKS;
pub use self::track::Tick;
pub use self::track::{Part, Track};
use self::vcd::Vcd;

/// What viewers of waves read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// GTKWave's, which is small.
    Fst,
    /// That of IEEE 1364, which everybody reads.
    Vcd,
    /// That of IEEE 1801, which tells how long and how often, and not when.
    Saif,
}

/// What all signals did in some ticks.
#[derive(Debug, Default)]
pub struct Section {
    /// The time of each tick.
    pub times_ps: Vec<u64>,
    /// The time behind the last one: it has its width.
    pub end_ps: u64,
    /// By track, in the order of the signals.
    pub parts: Vec<Part>,
}

impl Section {
    /// One of a clock: so many cycles from one on.
    pub fn of_clock(first: Tick, cycles: u64, clock_ps: u64, parts: Vec<Part>) -> Self {
        let times_ps = (first..first + cycles).map(|cycle| cycle * clock_ps).collect();
        Self { times_ps, end_ps: (first + cycles) * clock_ps, parts }
    }
}

/// A file of a format.
pub trait Writer: Send {
    /// The section behind the one before.
    ///
    /// # Errors
    /// The file cannot be written.
    fn section(&mut self, section: &Section) -> std::io::Result<()>;

    /// There are no more: the file is whole.
    ///
    /// # Errors
    /// The file cannot be written.
    fn end(&mut self) -> std::io::Result<()>;
}

/// Begins a file of these signals.
///
/// # Errors
/// It cannot be written.
pub fn writer(format: Format, out: File, signals: &Signals) -> std::io::Result<Box<dyn Writer>> {
    let signals = &signals.rows;
    Ok(match format {
        Format::Fst => Box::new(Fst::new(out, signals)?),
        Format::Vcd => Box::new(Vcd::new(out, signals)?),
        Format::Saif => Box::new(Saif::new(out, signals)),
    })
}
