// SPDX-License-Identifier: Apache-2.0
//! Configuration: the ports through which kernels are loaded, and how often that has to be.

use std::cell::Cell;
use std::collections::BTreeMap;

use serde::Serialize;

use super::{Component, Station};
use crate::breakdown::Category;
use crate::schema::{ANSWER, Absence, Form, Instance, Kind, RATE, Row, SIZE, TIME};
use crate::simulation::Clock;
use crate::trace::{Recorder, Work, transfer_ps};

/// `[configuration]` of a platform file.
pub const KIND: Kind = Kind {
    name: "configuration",
    meaning: "the port through which kernels are loaded into a device",
    is_needed: true,
    may_be_several: true,
    rows: &[
        Row::needed("time", TIME, 0, "\"100 ms\"", "loading one kernel, whatever its size"),
        Row::fact(
            "image",
            SIZE,
            Absence::Is(0),
            0,
            "\"3 MB\"",
            "what is loaded, of one region, beside `time`",
        ),
        Row::fact("rate", RATE, Absence::Nothing, 1, "\"50 MB/s\"", "at which `image` is loaded"),
        Row::fact(
            "regions",
            Form::Count,
            Absence::Is(1),
            1,
            "2",
            "parts of a device that hold a kernel each and are loaded while the others run",
        ),
        Row::choice(
            "preload",
            ANSWER,
            Absence::Is(0),
            0,
            "\"yes\"",
            "whether empty regions are filled before the program starts, with the kernels that it \
             calls first",
        ),
        Row::choice(
            "prefetch",
            ANSWER,
            Absence::Is(0),
            0,
            "\"yes\"",
            "whether the kernel that came next the last time is loaded while one runs, into a region \
             that is not in use",
        ),
        Row::choice(
            "failures",
            Form::Count,
            Absence::Is(0),
            0,
            "1",
            "what if loading failed: so many times, from the first one on",
        ),
    ],
};

/// What is known of it here.
pub const COMPONENT: Component = Component::new(&KIND, 50);

/// A configuration port in the engine's units.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ConfigurationSettings {
    /// Its name in the trace.
    pub name: String,
    /// Loading one kernel, whatever its size.
    pub time_ps: u64,
    /// What is loaded beside that.
    pub image_bytes: u64,
    /// At which it is.
    pub rate_bytes_per_s: Option<u64>,
    /// Regions of a device.
    pub regions: u64,
    /// Whether empty regions are filled before the program starts.
    pub preloads: bool,
    /// Whether the next kernel is loaded while one runs.
    pub prefetches: bool,
    /// How many loads fail.
    pub failures: u64,
}

impl ConfigurationSettings {
    /// What a file says; nothing if it lacks what is needed.
    pub fn read(said: &Instance) -> Option<Self> {
        Some(Self {
            name: said.name.clone(),
            time_ps: said.number("time")?,
            image_bytes: said.number("image")?,
            rate_bytes_per_s: said.number("rate"),
            regions: said.number("regions")?,
            preloads: said.number("preload")? == 1,
            prefetches: said.number("prefetch")? == 1,
            failures: said.number("failures")?,
        })
    }

    /// Loading one kernel.
    pub fn load_ps(&self) -> u64 {
        let image_ps = self.rate_bytes_per_s.map_or(0, |rate| transfer_ps(self.image_bytes, rate));
        self.time_ps.saturating_add(image_ps)
    }
}

/// Identity of a configuration (a kernel's package) within one run.
pub type ConfigurationId = usize;

/// How often kernels were loaded in a run, and how often they had to be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Loads {
    /// But for those that were there when the program began.
    pub loads: u64,
    /// With as many regions, by somebody who knew what comes, one call after the other, and began
    /// with nothing (Belady, A study of replacement algorithms, 1966); nothing after too many changes.
    pub least_loads: Option<u64>,
}

/// See [`Loads::least_loads`].
pub fn least_loads(wanted: &[ConfigurationId], regions: usize) -> u64 {
    let mut next_use = vec![usize::MAX; wanted.len()];
    let mut seen = BTreeMap::new();
    for (index, id) in wanted.iter().enumerate().rev() {
        next_use[index] = seen.insert(id, index).unwrap_or(usize::MAX);
    }
    let (mut held, mut loads) = (BTreeMap::new(), 0);
    for (id, next) in wanted.iter().zip(next_use) {
        if !held.contains_key(id) {
            loads += 1;
            let latest = held.iter().max_by_key(|&(_, next)| *next).map(|(&id, _)| id);
            if let Some(latest) = latest.filter(|_| held.len() >= regions) {
                held.remove(&latest);
            }
        }
        held.insert(id, next);
    }
    loads
}

/// Loads kernels, one at a time.
pub struct ConfigurationPort {
    /// What it is.
    pub settings: ConfigurationSettings,
    failures_left: Cell<u64>,
    /// When it will have loaded all that was asked of it.
    free_ps: Cell<u64>,
    clock: Clock,
    station: Station,
}

impl ConfigurationPort {
    /// An idle port.
    pub fn new(recorder: &Recorder, settings: ConfigurationSettings) -> Self {
        let station = Station::new(recorder, &settings.name, 1);
        let (failures_left, clock) = (Cell::new(settings.failures), recorder.clock().clone());
        Self { failures_left, settings, free_ps: Cell::new(0), clock, station }
    }

    /// When a kernel would be loaded that is asked for now.
    pub fn loaded_ps(&self) -> u64 {
        self.free_ps.get().max(self.clock.now_ps()).saturating_add(self.settings.load_ps())
    }

    /// Whether the kernel is loaded then.
    pub async fn load(&self, call: u64) -> bool {
        self.free_ps.set(self.loaded_ps());
        let work = Work::fixed(Category::Configure, self.settings.load_ps());
        self.station.serve(call, work).await;
        let left = self.failures_left.get();
        self.failures_left.set(left.saturating_sub(1));
        left == 0
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    /// Every choice of what to give up.
    fn least(wanted: &[usize], regions: usize, held: &BTreeSet<usize>) -> u64 {
        let Some((&id, rest)) = wanted.split_first() else { return 0 };
        if held.contains(&id) {
            return least(rest, regions, held);
        }
        let with = |gone: Option<usize>| {
            held.iter().copied().filter(|&h| Some(h) != gone).chain([id]).collect()
        };
        let all = match held.len() < regions {
            true => vec![with(None)],
            false => held.iter().map(|&gone| with(Some(gone))).collect(),
        };
        1 + all.iter().map(|held| least(rest, regions, held)).min().unwrap_or(0)
    }

    proptest! {
        #[test]
        fn no_choice_loads_less(
            wanted in proptest::collection::vec(0usize..5, 0..12), regions in 1usize..4,
        ) {
            prop_assert_eq!(least_loads(&wanted, regions), least(&wanted, regions, &BTreeSet::new()));
        }
    }
}
