// SPDX-License-Identifier: Apache-2.0
//! What the platform file, or who changed it, has asked for and could not have.

use super::Session;
use crate::components::memory::Crowding;
use crate::components::transfer::Mode;
use crate::platform::Platform;
use crate::schema::units::size_text;

impl Session {
    /// A sentence each.
    pub(super) fn unmet(&self) -> Vec<String> {
        let Some(machine) = &self.machine else { return Vec::new() };
        let streams = self.of_streams(&machine.platform);
        of_memory(&machine.crowding()).into_iter().chain(streams).collect()
    }

    fn of_streams(&self, platform: &Platform) -> Option<String> {
        let mode = match platform.transfer.mode {
            Mode::Buffered => return None,
            Mode::MultiBuffered => "multi-buffered",
            Mode::Streaming => "streaming",
        };
        let why = match (&platform.controller, self.tally.calls, self.tally.streamed_calls) {
            (_, 0, _) | (None, _, 1..) => return None,
            (Some(_), _, _) => "the controller moves the data of each call by itself",
            (None, _, 0) => "no array of a kernel is a stream whose loop is a pipeline",
        };
        Some(format!("transfer.mode = {mode:?} has no effect: {why}"))
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
