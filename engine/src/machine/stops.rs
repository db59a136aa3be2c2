// SPDX-License-Identifier: Apache-2.0
//! Where calls stop on their way through a machine: components that it does not know by name.

use super::components::Components;
use crate::components::parts::stop::{Stop, Turn};
use crate::components::{COMPONENTS, Component};
use crate::platform::Platform;
use crate::trace::Recorder;

impl Components {
    /// A call comes by where calls stop. Most machines have no such place: what is seldom is in a box.
    pub(super) async fn stop(&self, call: u64, turn: Turn) {
        if !self.stops.is_empty() {
            let stay = async || {
                for stay in self.stops.iter().filter_map(|stop| stop.stay(call, turn)) {
                    stay.await;
                }
            };
            Box::pin(stay()).await;
        }
    }
}

/// Where calls stop on their way.
pub(super) fn stops(platform: &Platform, recorder: &Recorder) -> Vec<Box<dyn Stop>> {
    let of_component = |component: &Component| -> Vec<Box<dyn Stop>> {
        let said = platform.stops.get(component.kind.name).into_iter().flatten();
        let stop = |said| component.stop.and_then(|new| new(recorder, said));
        said.filter_map(stop).collect()
    };
    COMPONENTS.iter().flat_map(of_component).collect()
}
