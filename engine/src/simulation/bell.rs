// SPDX-License-Identifier: Apache-2.0
//! Tells processes that something has changed.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use super::{Clock, ProcessId};

/// Wakes all who wait. Who looks, and then waits without doing anything between, misses nothing.
pub struct Bell {
    clock: Clock,
    rung: Cell<u64>,
    waiting: RefCell<Vec<ProcessId>>,
}

impl Bell {
    /// A bell.
    pub fn new(clock: &Clock) -> Self {
        Self { clock: clock.clone(), rung: Cell::new(0), waiting: RefCell::default() }
    }

    /// Wakes all who wait.
    pub fn ring(&self) {
        self.rung.set(self.rung.get() + 1);
        for process in self.waiting.borrow_mut().drain(..) {
            self.clock.wake(process);
        }
    }

    /// Waits until it rings.
    pub fn rings(&self) -> Rings<'_> {
        Rings { bell: self, since: self.rung.get(), is_waiting: false }
    }

    /// Waits until `is_so`, which may have changed whenever it rings.
    pub async fn until(&self, is_so: impl Fn() -> bool) {
        while !is_so() {
            self.rings().await;
        }
    }
}

/// Waits until a bell rings.
pub struct Rings<'a> {
    bell: &'a Bell,
    since: u64,
    is_waiting: bool,
}

impl Future for Rings<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if self.bell.rung.get() != self.since {
            return Poll::Ready(());
        }
        if !self.is_waiting {
            self.is_waiting = true;
            self.bell.waiting.borrow_mut().push(self.bell.clock.current());
        }
        Poll::Pending
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use crate::simulation::Simulation;

    #[test]
    fn all_who_wait_go_on_when_it_is_so() {
        let mut simulation = Simulation::default();
        let clock = simulation.clock().clone();
        let (bell, count) = (Rc::new(Bell::new(&clock)), Rc::new(Cell::new(0u64)));
        let ended = Rc::new(RefCell::new(Vec::new()));
        for wanted in [3, 1, 2] {
            let (bell, count, clock) = (bell.clone(), count.clone(), clock.clone());
            let ended = ended.clone();
            simulation.spawn(async move {
                bell.until(|| count.get() >= wanted).await;
                ended.borrow_mut().push((clock.now_ps(), wanted));
            });
        }
        simulation.spawn(async move {
            for _ in 0..3 {
                clock.sleep(10).await;
                count.set(count.get() + 1);
                bell.ring();
            }
        });
        simulation.run();
        assert_eq!(*ended.borrow(), [(10, 1), (20, 2), (30, 3)]);
    }
}
