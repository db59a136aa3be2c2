// SPDX-License-Identifier: Apache-2.0
//! The components of a platform, one file each: what a platform file may say of it, what it does in
//! time, as functions that a call's process waits for, and who may do it at once. They know nothing
//! of each other. `build.rs` finds them: each file beside this one is a component.

pub mod parts;

use self::parts::stop::Stop;
use crate::schema::Kind;
use crate::schema::reader::Described;
use crate::schema::stated::Stated;
use crate::simulation::{Clock, Place, Server};
use crate::trace::{Activity, ComponentId, Recorder, Work};

// The files as modules, and `FOUND`: what is known of each, in the order of their places.
include!(concat!(env!("OUT_DIR"), "/components.rs"));

/// What is known of a component beside what it does.
#[derive(Debug, Clone, Copy)]
pub struct Component {
    /// What a platform file may say of it.
    pub kind: &'static Kind,
    /// Which of two comes first in a platform file: the one of the lower number.
    pub place: u32,
    /// Tells what does not go together in what a file says of it; nothing by default.
    pub check: fn(&mut Described),
    /// Makes of what is said of one where calls stop; nothing, where it takes no time. Those without
    /// the machine knows by name.
    pub stop: Option<NewStop>,
}

/// See [`Component::stop`].
pub type NewStop = fn(&Recorder, &Stated) -> Option<Box<dyn Stop>>;

impl Component {
    /// One that the machine knows by name.
    const fn new(kind: &'static Kind, place: u32) -> Self {
        Self { kind, place, check: |_| {}, stop: None }
    }
}

/// Every component, in the order in which a platform file has them.
pub const COMPONENTS: &[Component] = &FOUND;

/// What a platform file may say of each, in that order.
pub const KINDS: &[&Kind] = &{
    let mut kinds = [FOUND[0].kind; FOUND.len()];
    let mut place = 1;
    while place < kinds.len() {
        kinds[place] = FOUND[place].kind;
        place += 1;
    }
    kinds
};

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
