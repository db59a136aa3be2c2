// SPDX-License-Identifier: Apache-2.0
//! Where the time of a run went.
//!
//! Several things may happen at once. Each instant is given to one category, the first of
//! [`Category::ALL`]'s order of usefulness in which anything happens: a transfer that hides behind
//! a computation costs nothing, and what the computation could not hide is the transfer's. So the
//! exposed times sum to the time that passed. Beside them stand the busy times, in which a category
//! has every instant in which anything of it happened.

use serde::{Serialize, Serializer};

/// What a span of simulated time was spent on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// Loading the kernel into the device.
    Configure,
    /// The program's own work, where the run counts it.
    Host,
    /// The software layer's cost of a call and of a launch.
    Call,
    /// Copies between the caller's buffers and those the link can reach.
    Copy,
    /// Host to device.
    TransferIn,
    /// The kernel running.
    Compute,
    /// Device to host.
    TransferOut,
    /// Learning that the device is done, and waiting for what nothing happens in.
    Wait,
}

const COUNT: usize = Category::ALL.len();

impl Category {
    /// Every category, in the order in which a call meets them.
    pub const ALL: [Self; 8] = [
        Self::Configure,
        Self::Host,
        Self::Call,
        Self::Copy,
        Self::TransferIn,
        Self::Compute,
        Self::TransferOut,
        Self::Wait,
    ];

    /// As reports have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Configure => "configure",
            Self::Host => "host",
            Self::Call => "call",
            Self::Copy => "copy",
            Self::TransferIn => "transfer_in",
            Self::Compute => "compute",
            Self::TransferOut => "transfer_out",
            Self::Wait => "wait",
        }
    }

    /// Whose an instant is in which several happen: the first of these.
    pub const BY_USE: [Self; 8] = [
        Self::Compute,
        Self::TransferIn,
        Self::TransferOut,
        Self::Copy,
        Self::Configure,
        Self::Call,
        Self::Host,
        Self::Wait,
    ];
}

/// Picoseconds by category.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Times([u64; COUNT]);

impl Times {
    /// Adds `ps` picoseconds to a category.
    pub fn add(&mut self, category: Category, ps: u64) {
        let time = &mut self.0[category as usize];
        *time = time.saturating_add(ps);
    }

    /// The time of one category.
    pub fn of(&self, category: Category) -> u64 {
        self.0[category as usize]
    }

    /// The sum over all categories.
    pub fn sum_ps(&self) -> u64 {
        self.0.iter().fold(0, |sum, &ps| sum.saturating_add(ps))
    }
}

impl Serialize for Times {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(Category::ALL.iter().zip(&self.0))
    }
}

/// Where the time of a run went.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Breakdown {
    /// Each instant in one category: sums to the time that passed while calls were in flight.
    pub exposed: Times,
    /// Of the exposed time, what does not grow with the bytes of a call.
    pub fixed: Times,
    /// Every instant in each category of which anything happened.
    pub busy: Times,
}

/// What happens now, and what has been given to whom so far.
#[derive(Debug, Clone, Default)]
pub struct Attribution {
    now_ps: u64,
    calls: u32,
    /// How many things of each category happen.
    active: [u32; COUNT],
    /// How many of them are a matter of bytes.
    moving: [u32; COUNT],
    so_far: Breakdown,
}

impl Attribution {
    /// Something begins at `now_ps`, which is no earlier than whatever was told before.
    pub fn begin(&mut self, now_ps: u64, category: Category, is_fixed: bool) {
        self.pass(now_ps);
        self.active[category as usize] += 1;
        self.moving[category as usize] += u32::from(!is_fixed);
    }

    /// Something that was fixed becomes a matter of bytes.
    pub fn moves(&mut self, now_ps: u64, category: Category) {
        self.pass(now_ps);
        self.moving[category as usize] += 1;
    }

    /// Something ends, which was fixed until then or not.
    pub fn end(&mut self, now_ps: u64, category: Category, was_fixed: bool) {
        self.pass(now_ps);
        self.active[category as usize] -= 1;
        self.moving[category as usize] -= u32::from(!was_fixed);
    }

    /// A call begins: what is nobody's time from now on is waiting.
    pub fn begin_call(&mut self, now_ps: u64) {
        self.pass(now_ps);
        self.calls += 1;
    }

    /// A call ends.
    pub fn end_call(&mut self, now_ps: u64) {
        self.pass(now_ps);
        self.calls -= 1;
    }

    /// The fold at `now_ps`, what is under way among it.
    pub fn at(&self, now_ps: u64) -> Breakdown {
        let mut then = self.clone();
        then.pass(now_ps);
        then.so_far
    }

    fn pass(&mut self, now_ps: u64) {
        let ps = now_ps.saturating_sub(self.now_ps);
        self.now_ps = now_ps;
        if ps == 0 {
            return;
        }
        let happens = |&category: &Category| self.active[category as usize] > 0;
        for category in Category::ALL.into_iter().filter(happens) {
            self.so_far.busy.add(category, ps);
        }
        match Category::BY_USE.into_iter().find(happens) {
            Some(category) => {
                self.so_far.exposed.add(category, ps);
                if self.moving[category as usize] == 0 {
                    self.so_far.fixed.add(category, ps);
                }
            }
            None if self.calls > 0 => {
                self.so_far.exposed.add(Category::Wait, ps);
                self.so_far.fixed.add(Category::Wait, ps);
                self.so_far.busy.add(Category::Wait, ps);
            }
            None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_in_which_nothing_happens_is_waiting_while_a_call_is_in_flight() {
        let mut attribution = Attribution::default();
        attribution.begin_call(100);
        attribution.begin(130, Category::Compute, true);
        attribution.end(170, Category::Compute, true);
        attribution.end_call(175);
        let at_end = attribution.at(1_000);
        assert_eq!(at_end, attribution.at(175));
        for times in [at_end.exposed, at_end.fixed, at_end.busy] {
            let (wait_ps, compute_ps) = (times.of(Category::Wait), times.of(Category::Compute));
            assert_eq!((wait_ps, compute_ps, times.sum_ps()), (35, 40, 75));
        }
    }
}
