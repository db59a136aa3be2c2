// SPDX-License-Identifier: Apache-2.0
//! Which iterations have started, as the ports of a kernel that is stepped tell: of a loop that takes
//! records, when it took them; of any other one, when there was room for what it gives. So it is known
//! until when the kernel computes, and how many cycles the schedule gives it with what has come and gone.

use std::collections::VecDeque;

use super::outlet::LEAVING_TO_CREDIT_CYCLES;
use super::{Course, Loop};
use crate::harness::{Harness, Steady};

/// How far a kernel has come in its course.
pub struct Starts<'a> {
    course: &'a Course,
    /// The loop that is under way.
    at: usize,
    /// By how much the loops behind it come later.
    late: u64,
    /// Iterations of that loop that have started, where its records do not tell.
    count: u64,
    /// When the last of these did.
    last: u64,
    /// By stream that the loop gives to, when records have left: those that iterations still wait for.
    left: Vec<VecDeque<u64>>,
    /// The cycle in which all that has started is done.
    pub busy_until: u64,
}

/// What tells that an iteration has started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// A record of that stream has moved; how far it is worth while to go on without a look.
    Takes(Steady),
    /// One of that stream has left: then there is room for what it gives.
    HasRoom(usize),
    /// The cycle: it starts in that one.
    In(u64),
    /// There are no more.
    Never,
}

impl<'a> Starts<'a> {
    /// Nothing has started yet.
    pub fn new(course: &'a Course, harness: &mut Harness<'_>) -> Self {
        let silent = course.loops.iter().filter(|each| each.takes.is_empty());
        silent.flat_map(|each| &each.gives).for_each(|give| harness.note_moves(give.argument));
        let busy_until = course.loops.first().map_or(0, |first| first.entered);
        Self { course, at: 0, late: 0, count: 0, last: 0, left: Vec::new(), busy_until }
    }

    /// What tells that the next iteration has started.
    pub fn next(&self) -> Next {
        let Some(each) = self.course.loops.get(self.at) else { return Next::Never };
        if let Some(&argument) = each.takes.first() {
            let (records, gap) = (each.iterations, each.length.max(each.interval));
            return Next::Takes(Steady { argument, records, gap, until: self.busy_until });
        }
        self.start(each).map_or_else(Next::HasRoom, Next::In)
    }

    /// Finds out what has started in the cycles that the harness has run.
    pub fn look(&mut self, harness: &mut Harness<'_>) {
        while let Some(each) = self.course.loops.get(self.at) {
            let (count, last) = match each.takes.first() {
                Some(&argument) => harness.moved(argument),
                None => self.found(each, harness),
            };
            if count > 0 {
                self.busy_until = self.busy_until.max(each.done(count, last));
            }
            if count < each.iterations {
                return;
            }
            self.late = (last + each.length).saturating_sub(each.entered + each.spent);
            self.busy_until = self.busy_until.max(self.course.left(self.at) + self.late);
            self.at += 1;
            (self.count, self.last) = (0, 0);
            self.left.clear();
        }
    }

    /// The iterations of a loop that only gives which have started, and when the last one did.
    fn found(&mut self, each: &Loop, harness: &mut Harness<'_>) -> (u64, u64) {
        self.left.resize_with(each.gives.len(), VecDeque::new);
        for (give, left) in each.gives.iter().zip(&mut self.left) {
            left.extend(harness.take_moves(give.argument));
        }
        while self.count < each.iterations {
            let Ok(start) = self.start(each) else { break };
            // What is sure to start while the kernel computes anyway has as good as started.
            if start >= harness.cycles() && start > self.busy_until {
                break;
            }
            for (give, left) in each.gives.iter().zip(&mut self.left) {
                if self.count >= give.depth {
                    left.pop_front();
                }
            }
            (self.count, self.last) = (self.count + 1, start);
            self.busy_until = self.busy_until.max(each.done(self.count, start));
        }
        (self.count, self.last)
    }

    /// When the next iteration of a loop that only gives starts; the stream of which a record has to leave
    /// before that is known.
    fn start(&self, each: &Loop) -> Result<u64, usize> {
        let mut start = match self.count {
            0 => each.entered + self.late,
            _ => self.last + each.interval,
        };
        for (place, give) in each.gives.iter().enumerate().filter(|(_, g)| self.count >= g.depth) {
            let leaving = self.left.get(place).and_then(VecDeque::front).ok_or(give.argument)?;
            start = start.max(leaving + LEAVING_TO_CREDIT_CYCLES);
        }
        Ok(start)
    }

    /// The cycles that the schedule gives a call whose records came and went as they did.
    pub fn scheduled_cycles(&self, harness: &Harness<'_>) -> u64 {
        let gives = self.course.loops.iter().flat_map(|each| &each.gives);
        let emptied = gives.map(|give| harness.moved(give.argument).1 + 1).fold(0, u64::max);
        (self.course.end + self.late).max(emptied) + 1
    }
}
