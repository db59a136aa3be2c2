// SPDX-License-Identifier: Apache-2.0
//! Who looks at the core of a run.

use super::calls::Stops;
use super::profile::Profile;
use crate::cores::{Observer, Retired};

/// Who looks at the core: counts, and stops it where calls begin and end.
pub struct Watch {
    pub(super) stops: Stops,
    /// The place at which it has just been stopped: it goes on from there.
    passed: Option<u32>,
    pub(super) instructions: u64,
    pub(super) profile: Option<Profile>,
    pub(super) stack: StackWatch,
}

/// Whether the stack pointer leaves the stack.
pub(super) struct StackWatch {
    register: u8,
    limit: u32,
    pointer: u32,
    /// The instruction by which it has.
    pub(super) left: Option<u32>,
}

impl StackWatch {
    #[inline]
    fn retired(&mut self, retired: Retired) {
        if retired.register != self.register {
            return;
        }
        if retired.value < self.limit && self.pointer >= self.limit {
            self.left.get_or_insert(retired.pc);
        }
        self.pointer = retired.value;
    }
}

impl Watch {
    /// One that has seen nothing yet, of a stack by its register and its end.
    pub(super) fn new((register, limit): (u8, u32), profile: Option<Profile>) -> Self {
        let stack = StackWatch { register, limit, pointer: 0, left: None };
        Self { stops: Stops::default(), passed: None, instructions: 0, profile, stack }
    }

    /// The function of an instruction, by its number in the profile.
    #[inline]
    pub fn function(&self, pc: u32) -> usize {
        self.profile.as_ref().map_or(0, |profile| profile.row(pc))
    }
}

impl Observer for Watch {
    #[inline]
    fn retired(&mut self, retired: Retired) {
        self.instructions += 1;
        self.stack.retired(retired);
        if let Some(profile) = &mut self.profile {
            profile.count(retired);
        }
    }

    #[inline]
    fn stops_at(&mut self, pc: u32) -> bool {
        let stops = self.stops.stops_at(pc) && self.passed.take() != Some(pc);
        if stops {
            self.passed = Some(pc);
        }
        stops
    }
}
