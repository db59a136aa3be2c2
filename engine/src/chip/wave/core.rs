// SPDX-License-Identifier: Apache-2.0
//! What a core shows: instructions as they retire, the functions that they are of, and the calls that
//! are under way.

use super::level::Level;
use crate::chip::program::Program;
use crate::cores::{Cycle, Retired};
use crate::wave::{Signal, Signals, Track};

const BYTES: usize = 4;
const RETIRED: usize = 0;
const PC: usize = 1;
const INSTRUCTION: usize = 2;
const FUNCTION: usize = 3;
/// What stands for a function of which the program has no name, and for no call.
const NONE: &str = "-";

/// A core's signals.
pub struct CoreTrack {
    pub(super) track: Track,
    retired: Level,
    functions: Vec<String>,
    code: Vec<(u32, Vec<u8>)>,
}

impl CoreTrack {
    pub(super) fn new(signals: &mut Signals, program: &Program) -> Self {
        let own = [("retired", 1), ("pc", 32), ("instruction", 32), ("function", 0)];
        let fixed = program.segments.iter().filter(|segment| !segment.is_writable);
        let names = program.symbols.iter().map(|symbol| symbol.name.clone());
        Self {
            track: signals.track(own.map(|(name, bits)| Signal::new(&["core"], name, bits))),
            retired: Level::new(RETIRED),
            functions: names.chain([NONE.to_string()]).collect(),
            code: fixed.map(|segment| (segment.address, segment.content.clone())).collect(),
        }
    }

    /// An instruction has retired, of a function by its number.
    pub fn retired(&mut self, retired: Retired, function: usize) {
        let Retired { cycle, pc, .. } = retired;
        let word = self.word(pc);
        let Self { track, functions, .. } = self;
        self.retired.high(track, cycle..cycle + 1);
        track.number(cycle, PC, pc.into());
        track.number(cycle, INSTRUCTION, word.into());
        track.text(cycle, FUNCTION, (function, functions.get(function).map_or(NONE, |name| name)));
    }

    pub(super) fn settle(&mut self, before: Cycle) {
        self.retired.settle(&mut self.track, before);
    }

    /// What is at an address of the program's code; of a compressed instruction, what is behind it too.
    fn word(&self, pc: u32) -> u32 {
        let bytes = |(base, code): &(u32, Vec<u8>)| {
            let place = (pc & !1).wrapping_sub(*base) as usize;
            code.get(place..place.checked_add(BYTES)?)?.try_into().ok()
        };
        self.code.iter().find_map(bytes).map_or(0, u32::from_le_bytes)
    }
}

/// The call that is under way.
pub struct CallTrack {
    pub(super) track: Track,
    kernels: Vec<String>,
}

impl CallTrack {
    pub(super) fn new<'n>(signals: &mut Signals, kernels: impl Iterator<Item = &'n str>) -> Self {
        let track = signals.track([Signal::new(&["core"], "call", 0)]);
        Self { track, kernels: kernels.chain([NONE]).map(str::to_string).collect() }
    }

    /// A call of a kernel is under way from a cycle on, or none.
    pub fn call(&mut self, cycle: Cycle, kernel: Option<usize>) {
        let number = kernel.unwrap_or(self.kernels.len() - 1);
        self.track.text(cycle, 0, (number, self.kernels.get(number).map_or(NONE, |name| name)));
    }
}
