// SPDX-License-Identifier: Apache-2.0
//! What few can have at a time: the first to ask is the first to get it.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use super::{Clock, ProcessId};

/// So many places, and a queue in front of them.
pub struct Server {
    clock: Clock,
    free: Cell<u32>,
    waiting: RefCell<VecDeque<Rc<Waiting>>>,
}

struct Waiting {
    process: ProcessId,
    turn: Cell<Turn>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    Queued,
    Granted,
    /// Whoever waited has been cancelled.
    Gone,
}

impl Server {
    /// A server with `places` places.
    pub fn new(clock: &Clock, places: u32) -> Self {
        Self { clock: clock.clone(), free: Cell::new(places), waiting: RefCell::default() }
    }

    /// Waits for a place.
    pub fn place(&self) -> Asking<'_> {
        Asking { server: self, waiting: None }
    }

    fn release(&self) {
        while let Some(next) = self.waiting.borrow_mut().pop_front() {
            if next.turn.get() == Turn::Queued {
                next.turn.set(Turn::Granted);
                return self.clock.wake(next.process);
            }
        }
        self.free.set(self.free.get() + 1);
    }
}

/// A place in use, until dropped.
#[must_use]
pub struct Place<'a>(&'a Server);

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.release();
    }
}

/// Waits for a place.
pub struct Asking<'a> {
    server: &'a Server,
    waiting: Option<Rc<Waiting>>,
}

impl<'a> Future for Asking<'a> {
    type Output = Place<'a>;

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Place<'a>> {
        let server = self.server;
        if let Some(waiting) = &self.waiting {
            if waiting.turn.get() != Turn::Granted {
                return Poll::Pending;
            }
            self.waiting = None;
            return Poll::Ready(Place(server));
        }
        if server.free.get() > 0 {
            server.free.set(server.free.get() - 1);
            return Poll::Ready(Place(server));
        }
        let process = server.clock.current();
        let waiting = Rc::new(Waiting { process, turn: Cell::new(Turn::Queued) });
        server.waiting.borrow_mut().push_back(waiting.clone());
        self.waiting = Some(waiting);
        Poll::Pending
    }
}

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        match self.waiting.take() {
            Some(waiting) if waiting.turn.replace(Turn::Gone) == Turn::Granted => {
                self.server.release();
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulation::Simulation;
    use proptest::prelude::*;

    proptest! {
        /// With `places` places, jobs that come together leave as a list scheduler would have it,
        /// whichever of those that wait are cancelled.
        #[test]
        fn places_go_to_the_first_who_asks(
            jobs in proptest::collection::vec((0u64..20, 1u64..20, prop::bool::weighted(0.2)), 1..30),
            places in 1u32..4,
        ) {
            let mut simulation = Simulation::default();
            let clock = simulation.clock().clone();
            let server = Rc::new(Server::new(&clock, places));
            let log = Rc::new(RefCell::new(Vec::new()));
            let mut order: Vec<usize> = (0..jobs.len()).collect();
            order.sort_by_key(|&index| jobs[index].0);
            for index in order.clone() {
                let (clock, server, log) = (clock.clone(), server.clone(), log.clone());
                let (comes, takes, gives_up) = jobs[index];
                simulation.spawn(async move {
                    clock.sleep_until(comes).await;
                    if gives_up {
                        // Asks, and is gone at once unless there is a place.
                        let mut asking = std::pin::pin!(server.place());
                        let place = std::future::poll_fn(|context| {
                            Poll::Ready(match asking.as_mut().poll(context) {
                                Poll::Ready(place) => Some(place),
                                Poll::Pending => None,
                            })
                        });
                        drop(place.await);
                        return;
                    }
                    let _place = server.place().await;
                    clock.sleep(takes).await;
                    log.borrow_mut().push((clock.now_ps(), index));
                });
            }
            simulation.run();
            let mut free = vec![0; places as usize];
            let mut wanted = Vec::new();
            for index in order.into_iter().filter(|&index| !jobs[index].2) {
                let (comes, takes, _) = jobs[index];
                let next = free.iter_mut().min().expect("a place");
                *next = comes.max(*next) + takes;
                wanted.push((*next, index));
            }
            let mut log = log.borrow().clone();
            log.sort_unstable();
            wanted.sort_unstable();
            prop_assert_eq!(log, wanted);
            prop_assert_eq!(server.free.get(), places);
        }
    }
}
