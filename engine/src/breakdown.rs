// SPDX-License-Identifier: Apache-2.0
//! A trace folded into where the time went.

use serde::{Serialize, Serializer};

use crate::trace::Span;

/// What a span of simulated time was spent on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// Loading the kernel into the device.
    Configure,
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
    /// Learning that the device is done.
    Wait,
}

impl Category {
    /// Every category, in the order in which a call meets them.
    pub const ALL: [Self; 7] = [
        Self::Configure,
        Self::Call,
        Self::Copy,
        Self::TransferIn,
        Self::Compute,
        Self::TransferOut,
        Self::Wait,
    ];
}

/// Picoseconds by category.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Times([u64; Category::ALL.len()]);

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

/// Where the time of a run went, and how much of it does not grow with the bytes of a call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Breakdown {
    /// All time.
    pub total: Times,
    /// The part that does not grow with bytes.
    pub fixed: Times,
}

impl Breakdown {
    /// Folds one more span in.
    pub fn add(&mut self, span: &Span) {
        self.total.add(span.category, span.end_ps - span.start_ps);
        self.fixed.add(span.category, span.fixed_ps);
    }
}
