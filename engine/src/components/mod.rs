// SPDX-License-Identifier: Apache-2.0
//! The components of a platform, one file each: what a platform file may say of it, what it does in
//! time, as functions that a call's process waits for, and who may do it at once. They know nothing
//! of each other.

pub mod batch;
pub mod configuration;
pub mod controller;
pub mod device;
pub mod dma;
pub mod kernel;
pub mod lane;
pub mod link;
pub mod memory;
pub mod regions;
pub mod software;
pub mod transfer;

use crate::schema::Kind;
use crate::simulation::{Clock, Place, Server};
use crate::trace::{Activity, ComponentId, Recorder, Work};

/// Every kind of component, in the order in which a platform file has them.
pub const KINDS: &[&Kind] = &[
    &software::KIND,
    &batch::KIND,
    &transfer::KIND,
    &link::KIND,
    &configuration::KIND,
    &controller::KIND,
    &memory::KIND,
    &device::KIND,
    &kernel::KIND,
];

/// What is busy with as many things at a time as it has places, first come, first served.
pub struct Station {
    recorder: Recorder,
    id: ComponentId,
    server: Server,
}

impl Station {
    /// A free station; `name` is the component's in the trace.
    pub fn new(recorder: &Recorder, name: &str, places: u32) -> Self {
        let (recorder, id) = (recorder.clone(), recorder.component(name));
        let server = Server::new(recorder.clock(), places);
        Self { recorder, id, server }
    }

    /// Waits for a place and spends the time of `work` there.
    pub async fn serve(&self, call: u64, work: Work) {
        let _place = self.place().await;
        self.pass(call, work).await;
    }

    /// Waits for a place.
    pub async fn place(&self) -> Place<'_> {
        self.server.place().await
    }

    /// Spends time, whoever has a place.
    pub async fn pass(&self, call: u64, work: Work) {
        self.recorder.spend(self.id, call, work).await;
    }

    /// The clock.
    pub fn clock(&self) -> &Clock {
        self.recorder.clock()
    }

    /// Where its time is booked, and on whose name.
    pub fn books(&self) -> (&Recorder, ComponentId) {
        (&self.recorder, self.id)
    }

    /// Is busy until what is returned is dropped.
    #[must_use]
    pub fn begin(&self, call: u64, work: Work) -> Activity<'_> {
        self.recorder.begin(self.id, call, work)
    }
}
