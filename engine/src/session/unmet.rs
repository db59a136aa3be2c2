// SPDX-License-Identifier: Apache-2.0
//! What the platform file, or who changed it, has asked for and could not have.

use super::Session;
use crate::components::memory::Crowding;
use crate::units::size_text;

impl Session {
    /// A sentence each.
    pub(super) fn unmet(&self) -> Vec<String> {
        let Some(machine) = &self.machine else { return Vec::new() };
        of_memory(&machine.crowding())
    }
}

fn of_memory(crowding: &Crowding) -> Vec<String> {
    let size = size_text(crowding.capacity_bytes);
    let cut = (crowding.cut_batches > 0).then(|| {
        format!(
            "{} batches were cut into {}: together their calls need up to {} of the device's memory, \
             which has {size}",
            crowding.cut_batches,
            crowding.pieces,
            size_text(crowding.largest_bytes),
        )
    });
    let waited = (crowding.waits > 0).then(|| {
        format!(
            "calls waited {} times, {:.3} us in all, for room in the device's memory, which has {size}",
            crowding.waits,
            crowding.waits_ps as f64 / 1e6,
        )
    });
    cut.into_iter().chain(waited).collect()
}
