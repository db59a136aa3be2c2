// SPDX-License-Identifier: Apache-2.0
//! What calls were seen to need of each argument: the sizes from which the annotation that a driver
//! needs is fitted.

use serde::Serialize;

use crate::call::plan::{Need, Plan, Wanted};
use crate::model::Uses;
use crate::package::{Extent, Fifo, Flow, Kind, Manifest, Parameter};

/// Calls with different numbers that are kept for the fit.
const KEPT_CALLS: usize = 64;

/// What a kernel's calls would want of its FIFOs.
#[derive(Debug, Default, Serialize)]
pub struct FifoTally {
    /// Each FIFO, in the manifest's order.
    pub rows: Vec<FifoRow>,
    /// Cycles of the calls that were looked at, and what they would be with that much room.
    pub cycles: u64,
    /// The latter.
    pub least_cycles: u64,
    /// Cycles of the longest call that was looked at, in mode simulate.
    pub longest_cycles: u64,
    /// How long the parts of it are in which the rows tell what became of them.
    pub part_cycles: u64,
}

/// One FIFO between two processes.
#[derive(Debug, Serialize)]
pub struct FifoRow {
    /// What the manifest says of it.
    #[serde(flatten)]
    pub fifo: Fifo,
    /// The least depth with which no call that was looked at takes longer than with any; null if
    /// none was.
    pub least_depth: Option<u32>,
    /// Records that it held at the end of each part of the longest call.
    pub held: Vec<u64>,
    /// Cycles of each part in which a process waited for a record of it.
    pub empty_cycles: Vec<u64>,
    /// The same for room in it.
    pub full_cycles: Vec<u64>,
}

impl FifoTally {
    /// Nothing seen yet.
    pub fn new(manifest: &Manifest) -> Self {
        let row = |fifo: &Fifo| FifoRow {
            fifo: fifo.clone(),
            least_depth: None,
            held: Vec::new(),
            empty_cycles: Vec::new(),
            full_cycles: Vec::new(),
        };
        Self { rows: manifest.fifos.iter().map(row).collect(), ..Self::default() }
    }

    /// Counts a call that took so many cycles.
    pub fn add(&mut self, wanted: &Wanted, cycles: u64) {
        if cycles > self.longest_cycles {
            self.longest_cycles = cycles;
            self.part_cycles = wanted.part_cycles;
            self.rows.iter_mut().zip(&wanted.uses).for_each(|(row, uses)| row.tell(uses));
        }
        if let Some((depths, least_cycles)) = &wanted.least {
            for (row, &depth) in self.rows.iter_mut().zip(depths) {
                row.least_depth = Some(row.least_depth.unwrap_or(0).max(depth));
            }
            self.cycles += cycles;
            self.least_cycles += least_cycles;
        }
    }
}

impl FifoRow {
    /// What became of it in each part of a call.
    fn tell(&mut self, uses: &[Uses]) {
        let mut held = 0;
        self.held = uses
            .iter()
            .map(|[given, taken, ..]| {
                held = (held + given).saturating_sub(*taken);
                held
            })
            .collect();
        self.empty_cycles = uses.iter().map(|&[_, _, cycles, _]| cycles).collect();
        self.full_cycles = uses.iter().map(|&[.., cycles]| cycles).collect();
    }
}

/// What a kernel's calls needed.
#[derive(Debug, Default, Serialize)]
pub struct ArgumentTally {
    /// Each argument, in the manifest's order.
    pub rows: Vec<ArgumentRow>,
    /// The first calls whose scalars differ.
    pub seen: Vec<Seen>,
}

/// One argument.
#[derive(Debug, Serialize)]
pub struct ArgumentRow {
    /// As in the C.
    pub name: String,
    /// Whether the C function has a parameter for it.
    pub is_parameter: bool,
    /// How the hardware sees it.
    pub kind: Kind,
    /// Which way its data goes.
    pub direction: Flow,
    /// Whether the kernel reads what the caller's buffer holds.
    pub reads: bool,
    /// Size of a record; of a block or a scalar, its whole size.
    pub element_bytes: u64,
    /// How well its extent is known.
    pub extent: &'static str,
    /// Bytes that a driver moves, one way, of all calls.
    pub bytes: u64,
    /// Bytes of a variable of the program that stays in the device's memory between calls.
    pub stays_bytes: u64,
    /// Those of the call that needed the most.
    pub largest_bytes: u64,
    /// Whether they grow with a call's work: its extent says so, or, where only calls tell it, they
    /// needed more and less.
    pub grows: bool,
    /// Bytes from the pointer to the end of what was touched, at most; null if nobody looked.
    pub touched_bytes: Option<u64>,
}

/// One call: its scalars, and how many bytes it touched of each argument.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Seen {
    /// Values, 0 for pointers.
    pub scalars: Vec<u64>,
    /// Bytes from the pointer on.
    pub touched_bytes: Vec<u64>,
}

impl ArgumentTally {
    /// Nothing seen yet.
    pub fn new(manifest: &Manifest) -> Self {
        let row = |parameter: &Parameter| ArgumentRow {
            name: parameter.name.clone(),
            is_parameter: parameter.is_parameter,
            kind: parameter.kind,
            direction: parameter.direction,
            reads: parameter.reads,
            element_bytes: parameter.element_bytes,
            extent: parameter.extent.name(),
            bytes: 0,
            stays_bytes: 0,
            largest_bytes: 0,
            grows: parameter.grows,
            touched_bytes: None,
        };
        let rows = manifest.arguments.iter().map(row).collect();
        Self { rows, seen: Vec::new() }
    }

    /// Counts a call; `scalars` has a value for each argument, `stays` are those that do not cross
    /// the link with each call.
    pub fn add(&mut self, manifest: &Manifest, plan: &Plan, stays: &[usize], scalars: &[u64]) {
        for (i, (row, need)) in self.rows.iter_mut().zip(&plan.needs).enumerate() {
            if stays.contains(&i) {
                row.stays_bytes = manifest.arguments[i].stays_bytes;
            } else {
                row.bytes += need.bytes;
            }
            let is_observed = manifest.arguments[i].extent == Extent::Observed;
            let is_first = row.largest_bytes == 0;
            row.grows |= is_observed && !is_first && need.bytes != row.largest_bytes;
            row.largest_bytes = row.largest_bytes.max(need.bytes);
            // Nobody declares an extent of what is made of others, or in the call.
            if plan.observed && !manifest.arguments[i].is_whole() && !manifest.arguments[i].made {
                row.touched_bytes = Some(row.touched_bytes.unwrap_or(0).max(need.touched_bytes()));
            }
        }
        self.remember(plan, scalars);
    }

    fn remember(&mut self, plan: &Plan, scalars: &[u64]) {
        if !plan.observed || self.seen.len() >= KEPT_CALLS {
            return;
        }
        let touched_bytes = plan.needs.iter().map(Need::touched_bytes).collect();
        let seen = Seen { scalars: scalars.to_vec(), touched_bytes };
        if !self.seen.contains(&seen) {
            self.seen.push(seen);
        }
    }
}
