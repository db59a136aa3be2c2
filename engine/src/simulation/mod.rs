// SPDX-License-Identifier: Apache-2.0
//! Discrete-event simulation: a clock, and processes that sleep on it and wait for each other.
//!
//! A process is a future that no thread runs: [`Simulation`] polls it when what it waits for has
//! come. It may be polled without reason, so a future of this module looks at what it waits for and
//! not at who woke it. Events happen in the order of their time, those of one time in the order in
//! which their processes began, and those of one process in the order in which they were asked for: so
//! two runs of one program give the same trace, however early a process knows what it waits for.

mod bell;
mod combinators;
mod server;
mod settled;

pub use bell::Bell;
pub use combinators::{all, any, either};
pub use server::{Place, Server};
pub use settled::Settled;

use std::cell::{Cell, RefCell};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet, VecDeque};
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

/// A process's place; used again when it has ended.
pub type ProcessId = usize;

type Process = Pin<Box<dyn Future<Output = ()>>>;

/// An event's time, the rank of its process among those of that time, and its sequence number.
type When = (u64, u64, u64);

/// What the clock and all processes share.
#[derive(Default)]
struct Core {
    now_ps: Cell<u64>,
    sequence: Cell<u64>,
    current: Cell<ProcessId>,
    /// How many processes have begun, and which one it was that is polled.
    births: Cell<u64>,
    birth: Cell<u64>,
    /// The events to come, the earliest first.
    asleep: RefCell<BinaryHeap<Reverse<(When, ProcessId)>>>,
    /// The last event that has happened.
    last: Cell<When>,
    /// Sequence numbers of those who no longer wait: time does not pass for them.
    given_up: RefCell<HashSet<u64>>,
    awake: RefCell<VecDeque<ProcessId>>,
    /// Processes that others have begun.
    begun: RefCell<Vec<Process>>,
}

/// The simulated time. Clones are the same clock.
#[derive(Clone, Default)]
pub struct Clock(Rc<Core>);

impl Clock {
    /// The simulated time.
    pub fn now_ps(&self) -> u64 {
        self.0.now_ps.get()
    }

    /// Lets `ps` picoseconds pass.
    pub fn sleep(&self, ps: u64) -> Sleep<'_> {
        self.sleep_until(self.now_ps().saturating_add(ps))
    }

    /// Lets time pass until `time_ps`.
    pub fn sleep_until(&self, time_ps: u64) -> Sleep<'_> {
        Sleep { clock: self, until_ps: time_ps, booked: None }
    }

    /// Begins a process beside the one that asks for it.
    pub fn spawn(&self, process: impl Future<Output = ()> + 'static) {
        self.0.begun.borrow_mut().push(Box::pin(process));
    }

    /// The process that is polled.
    fn current(&self) -> ProcessId {
        self.0.current.get()
    }

    /// Looks whether a process has ended.
    fn poll<T>(
        &self,
        (id, birth): (ProcessId, u64),
        process: Pin<&mut (impl Future<Output = T> + ?Sized)>,
    ) -> Option<T> {
        self.0.current.set(id);
        self.0.birth.set(birth);
        match process.poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(end) => Some(end),
            Poll::Pending => None,
        }
    }

    /// Has a process polled, at this time still.
    fn wake(&self, process: ProcessId) {
        self.0.awake.borrow_mut().push_back(process);
    }

    /// Has the process that is polled now polled again at a time, behind those that began before; `order`
    /// comes before that. Returns when that is.
    fn wake_at(&self, time_ps: u64, order: u64) -> When {
        let sequence = self.0.sequence.get();
        self.0.sequence.set(sequence + 1);
        let when = (time_ps, self.0.birth.get() | order, sequence);
        self.0.asleep.borrow_mut().push(Reverse((when, self.current())));
        when
    }

    /// The number of the next process that begins.
    fn next_birth(&self) -> u64 {
        let birth = self.0.births.get();
        self.0.births.set(birth + 1);
        birth
    }

    fn next_awake(&self) -> Option<ProcessId> {
        self.0.awake.borrow_mut().pop_front()
    }

    /// Goes on to the next event; false if there is none.
    fn advance(&self) -> bool {
        loop {
            let Some(Reverse((when, process))) = self.0.asleep.borrow_mut().pop() else {
                return false;
            };
            let mut given_up = self.0.given_up.borrow_mut();
            // Nearly always there are none, and looking takes time.
            if given_up.is_empty() || !given_up.remove(&when.2) {
                self.0.now_ps.set(when.0);
                self.0.last.set(when);
                self.wake(process);
                return true;
            }
        }
    }
}

/// Waits for a time.
pub struct Sleep<'a> {
    clock: &'a Clock,
    until_ps: u64,
    /// The sequence number of its end.
    booked: Option<u64>,
}

impl Future for Sleep<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if self.clock.now_ps() >= self.until_ps {
            return Poll::Ready(());
        }
        if self.booked.is_none() {
            self.booked = Some(self.clock.wake_at(self.until_ps, 0).2);
        }
        Poll::Pending
    }
}

impl Drop for Sleep<'_> {
    fn drop(&mut self) {
        if let Some(sequence) = self.booked.filter(|_| self.clock.now_ps() < self.until_ps) {
            self.clock.0.given_up.borrow_mut().insert(sequence);
        }
    }
}

/// The processes.
#[derive(Default)]
pub struct Simulation {
    clock: Clock,
    processes: Vec<Option<(u64, Process)>>,
    free: Vec<ProcessId>,
}

impl Simulation {
    /// Its clock, which starts at 0.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Adds a process, which begins at the time that is.
    pub fn spawn(&mut self, process: impl Future<Output = ()> + 'static) -> ProcessId {
        self.begin(Box::pin(process))
    }

    fn begin(&mut self, process: Process) -> ProcessId {
        let id = self.place();
        self.processes[id] = Some((self.clock.next_birth(), process));
        self.clock.wake(id);
        id
    }

    fn place(&mut self) -> ProcessId {
        self.free.pop().unwrap_or_else(|| {
            self.processes.push(None);
            self.processes.len() - 1
        })
    }

    /// Ends a process where it stands: it gives back what it holds.
    pub fn cancel(&mut self, id: ProcessId) {
        if self.processes.get_mut(id).and_then(Option::take).is_some() {
            self.free.push(id);
        }
    }

    /// Ends all processes where they stand.
    pub fn cancel_all(&mut self) {
        (0..self.processes.len()).for_each(|id| self.cancel(id));
    }

    /// Lets everything happen until `is_enough` or until nothing more will happen. Returns whether
    /// it was enough.
    pub fn run_until(&mut self, is_enough: impl Fn() -> bool) -> bool {
        while !is_enough() {
            match self.clock.next_awake() {
                Some(id) => self.poll(id),
                None if self.clock.advance() => {}
                None => return false,
            }
        }
        true
    }

    /// Lets everything happen.
    pub fn run(&mut self) {
        self.run_until(|| false);
    }

    /// Lets a process happen beside all others, and returns what comes of it; nothing if that never
    /// happens, or where it `is_enough` before: then it is given up.
    pub fn run_beside<T>(
        &mut self,
        process: impl Future<Output = T>,
        is_enough: impl Fn() -> bool,
    ) -> Option<T> {
        let mut process = std::pin::pin!(process);
        let (own, birth) = (self.place(), self.clock.next_birth());
        self.clock.wake(own);
        let mut end = None;
        while end.is_none() && !is_enough() {
            match self.clock.next_awake() {
                Some(id) if id == own => {
                    end = self.clock.poll((own, birth), process.as_mut());
                    self.begin_begun();
                }
                Some(id) => self.poll(id),
                None if self.clock.advance() => {}
                None => break,
            }
        }
        self.free.push(own);
        end
    }

    fn poll(&mut self, id: ProcessId) {
        let Some((birth, process)) = self.processes.get_mut(id).and_then(Option::as_mut) else {
            return;
        };
        if self.clock.poll((id, *birth), process.as_mut()).is_some() {
            self.processes[id] = None;
            self.free.push(id);
        }
        self.begin_begun();
    }

    fn begin_begun(&mut self) {
        loop {
            let Some(begun) = self.clock.0.begun.borrow_mut().pop() else { break };
            self.begin(begun);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What happened: (time, who).
    type Log = Rc<RefCell<Vec<(u64, usize)>>>;

    proptest! {
        #[test]
        fn sleepers_wake_in_order_of_time_then_of_asking(
            times in proptest::collection::vec(0u64..8, 0..64),
        ) {
            let (mut simulation, log) = (Simulation::default(), Log::default());
            for (index, &time_ps) in times.iter().enumerate() {
                let (clock, log) = (simulation.clock().clone(), log.clone());
                simulation.spawn(async move {
                    clock.sleep(time_ps).await;
                    log.borrow_mut().push((clock.now_ps(), index));
                });
            }
            simulation.run();
            let log = log.borrow();
            let mut sorted = log.clone();
            sorted.sort_unstable();
            prop_assert_eq!(log.len(), times.len());
            prop_assert_eq!(&*log, &sorted);
        }
    }

    /// However early one knows until when it sleeps.
    #[test]
    fn of_those_who_wake_at_one_time_the_first_is_who_began_first() {
        let (mut simulation, log) = (Simulation::default(), Log::default());
        for (who, steps) in [[2, 2, 2], [6, 0, 0], [1, 5, 0]].into_iter().enumerate() {
            let (clock, log) = (simulation.clock().clone(), log.clone());
            simulation.spawn(async move {
                for ps in steps {
                    clock.sleep(ps).await;
                }
                log.borrow_mut().push((clock.now_ps(), who));
            });
        }
        simulation.run();
        assert_eq!(*log.borrow(), [(6, 0), (6, 1), (6, 2)]);
    }

    #[test]
    fn a_process_of_several_goes_on_when_all_have_ended() {
        let (mut simulation, log) = (Simulation::default(), Log::default());
        let (clock, kept) = (simulation.clock().clone(), log.clone());
        simulation.spawn(async move {
            let sleep = async |ps| {
                clock.sleep(ps).await;
                kept.borrow_mut().push((clock.now_ps(), 0));
            };
            either(sleep(2), sleep(7)).await;
            all(vec![Box::pin(sleep(5)), Box::pin(either(sleep(3), sleep(9)))]).await;
            kept.borrow_mut().push((clock.now_ps(), 1));
        });
        simulation.run();
        assert_eq!(*log.borrow(), [(2, 0), (5, 0), (7, 0), (7, 1)]);
    }

    #[test]
    fn a_cancelled_process_does_nothing_more() {
        let (mut simulation, log) = (Simulation::default(), Log::default());
        let mut sleeper = |ps, who| {
            let (clock, log) = (simulation.clock().clone(), log.clone());
            simulation.spawn(async move {
                clock.sleep(ps).await;
                log.borrow_mut().push((clock.now_ps(), who));
            })
        };
        let (cancelled, _) = (sleeper(5, 0), sleeper(3, 1));
        let clock = simulation.clock().clone();
        assert!(simulation.run_until(|| clock.now_ps() >= 3));
        simulation.cancel(cancelled);
        // It has the place of the one that is gone, whose event is still to come.
        let late = clock.clone();
        let kept = log.clone();
        assert_eq!(
            simulation.spawn(async move {
                late.sleep(7).await;
                kept.borrow_mut().push((late.now_ps(), 2));
            }),
            cancelled
        );
        simulation.run();
        assert_eq!(*log.borrow(), [(3, 1), (10, 2)]);
    }
}
