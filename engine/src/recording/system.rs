// SPDX-License-Identifier: Apache-2.0
//! What components do, as a state each: that which has begun last of what goes on.

use super::Doing;
use super::spool::Spool;
use crate::breakdown::Category;

/// The component's number of how many calls are in flight.
pub(super) const IN_FLIGHT: u64 = u64::MAX;

/// All components, in the order in which they were first busy.
#[derive(Debug, Default)]
pub(super) struct System {
    /// The component's own number, and what it does.
    components: Vec<(usize, Vec<Doing>)>,
    in_flight: u32,
}

/// What one shows from a time on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shows {
    pub(super) time_ps: u64,
    /// Its place among those that are shown, or [`IN_FLIGHT`].
    pub(super) component: u64,
    /// How many things it does, or how many calls are in flight.
    pub(super) active: u64,
    /// The category's number, if it does anything.
    pub(super) category: u64,
    pub(super) call: u64,
    pub(super) bytes: u64,
}

impl Shows {
    pub(super) fn numbers(&self) -> [u64; 6] {
        let Self { time_ps, component, active, category, call, bytes } = *self;
        [time_ps, component, active, category, call, bytes]
    }

    pub(super) fn of([time_ps, component, active, category, call, bytes]: [u64; 6]) -> Self {
        Self { time_ps, component, active, category, call, bytes }
    }

    /// The category's name, if it does anything.
    pub(super) fn category(&self) -> Option<&'static str> {
        let category = Category::ALL.get(self.category as usize)?;
        (self.active > 0).then(|| category.name())
    }
}

impl System {
    pub(super) fn begins(
        &mut self,
        spool: &mut Spool,
        time_ps: u64,
        component: (usize, &str),
        what: Doing,
    ) {
        let place = self.place(spool, component);
        self.components[place].1.push(what);
        self.tell(spool, time_ps, place);
    }

    pub(super) fn ends(
        &mut self,
        spool: &mut Spool,
        time_ps: u64,
        component: (usize, &str),
        what: Doing,
    ) {
        let place = self.place(spool, component);
        let doing = &mut self.components[place].1;
        if let Some(ended) = doing.iter().rposition(|one| *one == what) {
            doing.remove(ended);
        }
        self.tell(spool, time_ps, place);
    }

    pub(super) fn in_flight(&mut self, spool: &mut Spool, time_ps: u64, change: i32) {
        self.in_flight = self.in_flight.saturating_add_signed(change);
        let active = self.in_flight.into();
        spool.shows(&Shows::of([time_ps, IN_FLIGHT, active, 0, 0, 0]));
    }

    fn place(&mut self, spool: &mut Spool, (own, name): (usize, &str)) -> usize {
        self.components.iter().position(|&(number, _)| number == own).unwrap_or_else(|| {
            spool.component(name);
            self.components.push((own, Vec::new()));
            self.components.len() - 1
        })
    }

    fn tell(&self, spool: &mut Spool, time_ps: u64, place: usize) {
        let doing = &self.components[place].1;
        let (component, active) = (place as u64, doing.len() as u64);
        let last = doing.last().map_or([0; 3], |one| [one.category as u64, one.call, one.bytes]);
        let [category, call, bytes] = last;
        spool.shows(&Shows { time_ps, component, active, category, call, bytes });
    }
}
