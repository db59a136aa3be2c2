// SPDX-License-Identifier: Apache-2.0
//! The DMA engine: each transfer costs a fixed time to set up, then the link moves its bytes.

use crate::components::Station;
use crate::components::link::Direction;
use crate::trace::{Recorder, Work};

/// Sets transfers up, one at a time.
pub struct DmaEngine {
    transfer_time_ps: u64,
    station: Station,
}

impl DmaEngine {
    /// An engine that takes `transfer_time_ps` for each transfer.
    pub fn new(recorder: &Recorder, name: &str, transfer_time_ps: u64) -> Self {
        Self { transfer_time_ps, station: Station::new(recorder, name, 1) }
    }

    /// Sets a transfer up.
    pub async fn set_up(&self, call: u64, direction: Direction) {
        let work = Work::fixed(direction.category(), self.transfer_time_ps);
        self.station.serve(call, work).await;
    }
}
