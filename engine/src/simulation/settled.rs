// SPDX-License-Identifier: Apache-2.0
//! Waits for a time until all else that happens then has happened: what is sampled at a clock's edge is
//! what is there then.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use super::{Clock, When};

/// In the rank of an event: it comes behind all others of its time.
const BEHIND_OTHERS: u64 = 1 << 63;

impl Clock {
    /// Lets time pass until everything has happened at `time_ps` but what waits for that itself.
    pub fn settled(&self, time_ps: u64) -> Settled<'_> {
        Settled { clock: self, time_ps, booked: None }
    }

    /// Before which time nothing happens, if nobody who is polled now asks for anything; nothing if
    /// nothing is to come.
    pub fn next_ps(&self) -> Option<u64> {
        self.0.asleep.borrow().peek().map(|event| event.0.0.0)
    }
}

/// Waits until a time is settled.
pub struct Settled<'a> {
    clock: &'a Clock,
    time_ps: u64,
    /// Its end.
    booked: Option<When>,
}

impl Future for Settled<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        let (clock, time_ps) = (self.clock, self.time_ps);
        let is_over = match self.booked {
            None => clock.now_ps() > time_ps,
            Some(when) => clock.0.last.get() >= when,
        };
        if is_over {
            self.booked = None;
            return Poll::Ready(());
        }
        if self.booked.is_none() {
            self.booked = Some(clock.wake_at(time_ps, BEHIND_OTHERS));
        }
        Poll::Pending
    }
}

impl Drop for Settled<'_> {
    fn drop(&mut self) {
        let has_come = |when| self.clock.0.last.get() >= when;
        if let Some(when) = self.booked.filter(|&when| !has_come(when)) {
            self.clock.0.given_up.borrow_mut().insert(when.2);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::rc::Rc;

    use crate::simulation::{Bell, Simulation, all, either};

    #[test]
    fn what_waits_until_a_time_is_settled_sees_all_that_happens_then() {
        let mut simulation = Simulation::default();
        let clock = simulation.clock().clone();
        let log = Rc::new(RefCell::new(Vec::new()));
        let (bell, own, kept) = (Rc::new(Bell::new(&clock)), clock.clone(), log.clone());
        let rung = bell.clone();
        simulation.spawn(async move {
            let waits = async || {
                own.settled(5).await;
                kept.borrow_mut().push(("settled", own.now_ps(), own.next_ps()));
                own.settled(5).await;
                kept.borrow_mut().push(("again", own.now_ps(), own.next_ps()));
            };
            // Woken at the same time, it is not taken in.
            all(vec![Box::pin(waits()), Box::pin(own.sleep(5)), Box::pin(rung.rings())]).await;
        });
        let (own, kept) = (clock.clone(), log.clone());
        simulation.spawn(async move {
            own.sleep(5).await;
            bell.ring();
            own.sleep(0).await;
            kept.borrow_mut().push(("slept", own.now_ps(), own.next_ps()));
            own.sleep(4).await;
        });
        simulation.spawn(async move {
            let given_up = clock.settled(7);
            either(given_up, clock.sleep(1)).await;
        });
        simulation.run();
        let wanted = [("slept", 5, Some(5)), ("settled", 5, Some(7)), ("again", 5, Some(7))];
        assert_eq!(*log.borrow(), wanted);
    }
}
