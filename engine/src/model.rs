// SPDX-License-Identifier: Apache-2.0
//! A kernel's two executable models (docs/package.md): what the compiler knows of a call (extents,
//! touched bytes, the schedule's cycle count), and the RTL cycle by cycle.

mod ahead;
mod call;
mod function;
pub(crate) mod loop_times;
mod rtl;
mod rtl_object;
mod shared_object;

use std::ffi::c_void;
use std::ops::AddAssign;

use serde::Serialize;

pub use ahead::CallObject;
pub use call::{Answers, AnswersRow, CallModel, Meeting, Run, Traced, Uses};
pub(crate) use call::{EXCEEDS, EXTENT_TOO_LARGE, EXTENT_UNKNOWN, NEVER_ENDS, WAITS};
pub use function::{Function, FunctionObject};
pub use rtl::{Activity, Eval, Progress, RtlModel, Shown, Signal, Toggles};
pub use rtl_object::RtlObject;

/// Pointers to the data of a call's arguments, in the manifest's order.
pub type Data = [*mut c_void];

/// Bytes of a buffer, counted from the pointer that the program passed: `low` may lie before it.
/// Nothing where `low == high`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Reach {
    /// The first byte.
    pub low: i64,
    /// One past the last.
    pub high: i64,
}

/// A part of a call's cycles: of one loop, those of inner loops apart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[repr(C)]
pub struct Part {
    /// How often the loop's body began.
    pub iterations: u64,
    /// How long it took.
    pub cycles: u64,
    /// Of a loop that takes or gives records, the cycle in which it was entered; of what is in no
    /// loop, the cycle behind the last block; else 0.
    #[serde(skip)]
    pub entered: u64,
}

impl AddAssign for Part {
    fn add_assign(&mut self, other: Self) {
        self.iterations += other.iterations;
        self.cycles += other.cycles;
        self.entered = other.entered;
    }
}
