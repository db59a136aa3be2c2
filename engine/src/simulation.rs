// SPDX-License-Identifier: Apache-2.0
//! The event heap. Events leave it in the order of their time, and those of one time in the order
//! in which they were scheduled, so that two runs of one program give the same trace.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Events waiting for their time.
#[derive(Debug)]
pub struct EventQueue<E> {
    heap: BinaryHeap<Reverse<Scheduled<E>>>,
    sequence: u64,
}

#[derive(Debug)]
struct Scheduled<E> {
    time_ps: u64,
    sequence: u64,
    event: E,
}

impl<E> EventQueue<E> {
    /// An empty queue.
    pub fn new() -> Self {
        Self { heap: BinaryHeap::new(), sequence: 0 }
    }

    /// Lets `event` happen at `time_ps`.
    pub fn schedule(&mut self, time_ps: u64, event: E) {
        let sequence = self.sequence;
        self.sequence += 1;
        self.heap.push(Reverse(Scheduled { time_ps, sequence, event }));
    }

    /// The next event and its time.
    pub fn pop(&mut self) -> Option<(u64, E)> {
        self.heap.pop().map(|Reverse(next)| (next.time_ps, next.event))
    }
}

impl<E> Default for EventQueue<E> {
    fn default() -> Self {
        Self::new()
    }
}

impl<E> Scheduled<E> {
    fn key(&self) -> (u64, u64) {
        (self.time_ps, self.sequence)
    }
}

impl<E> PartialEq for Scheduled<E> {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl<E> Eq for Scheduled<E> {}

impl<E> PartialOrd for Scheduled<E> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<E> Ord for Scheduled<E> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn events_leave_in_order_of_time_then_of_scheduling(
            times in proptest::collection::vec(0u64..8, 0..64),
        ) {
            let mut queue = EventQueue::new();
            for (index, &time_ps) in times.iter().enumerate() {
                queue.schedule(time_ps, index);
            }
            let left: Vec<_> = std::iter::from_fn(|| queue.pop()).collect();
            let mut sorted = left.clone();
            sorted.sort();
            prop_assert_eq!(left.len(), times.len());
            prop_assert_eq!(left, sorted);
        }
    }
}
