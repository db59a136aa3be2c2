// SPDX-License-Identifier: Apache-2.0
//! Whether calls need what earlier ones have left in memory, or what the program has carried from there
//! to the next call as it was. Such calls cannot run beside each other; nor can they be handed over
//! together, unless what they need stays in the device.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::call::contents::{Computed, Print};
use crate::call::{Call, DeviceCall, KernelIndex, Way};

/// What was written more calls before is forgotten at some time: nobody hands over more together.
const REMEMBERED_CALLS: u64 = 1000;

/// How a kernel's calls hang on earlier ones.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Chained {
    /// Calls that read what one of the last thousand, of any kernel, has written, where that was or
    /// where the program has copied it to.
    pub calls: u64,
    /// To the nearest of these, at least, where what was written comes and goes with calls: 1 is the
    /// call right before.
    pub distance: Option<u64>,
    /// Of the calls, those that read so what stays in the device's memory.
    pub staying: u64,
}

impl Chained {
    /// Counts a call by its link through what comes and goes, and through what stays.
    fn add(&mut self, distance: Option<u64>, stays: bool) {
        self.calls += u64::from(distance.is_some() || stays);
        self.staying += u64::from(stays);
        self.distance = self.distance.into_iter().chain(distance).min();
    }
}

/// What the last calls have written.
#[derive(Debug, Default)]
pub struct Writers {
    calls: u64,
    /// By each argument of each kernel: what one writes mostly lies together, apart from what others
    /// read.
    trails: Vec<((KernelIndex, usize), Trail)>,
    /// What the program may have carried from there to another place.
    computed: Computed,
}

impl Writers {
    /// Takes in a call that was on the device, and counts it.
    pub fn add(&mut self, call: &Call, chained: &mut Chained) {
        let Way::Device(device) = &call.way else { return };
        let arguments = &call.ready.kernel.manifest.arguments;
        let pointers = arguments.iter().enumerate().filter(|(_, parameter)| parameter.is_pointer());
        let rows = pointers.flat_map(|(index, parameter)| {
            let ranges = device.ranges(index, &call.data).into_iter();
            ranges.map(move |range| (index, parameter, (range.start, range.end)))
        });
        let read = rows.clone().filter(|(_, parameter, _)| parameter.is_read());
        let (nearest, stays) = self.nearest(device, read.map(|(index, _, bytes)| (index, bytes)));
        self.computed.add(without(&device.left, &device.stays), self.calls);
        chained.add(nearest.map(|before| self.calls - before), stays);
        for (index, _, bytes) in rows.filter(|(_, parameter, _)| parameter.is_written()) {
            self.write((call.ready.index, index), bytes);
        }
        self.count();
    }

    /// The last call that has left what one reads, where it was written or, where nobody has written,
    /// by what is there; and whether the call reads so what stays in the device's memory.
    fn nearest(
        &mut self,
        device: &DeviceCall,
        read: impl Iterator<Item = (usize, Bytes)>,
    ) -> (Option<u64>, bool) {
        let (mut nearest, mut stays) = (None, false);
        let mut known = device.stays.clone();
        for (index, bytes) in read {
            let found = self.last_of(bytes);
            known.extend(found.map(|_| index));
            match device.stays.contains(&index) {
                true => stays |= found.is_some(),
                false => nearest = nearest.max(found),
            }
        }
        (nearest.max(self.computed.last_of(without(&device.given, &known))), stays)
    }

    /// The last call that has written any of these bytes, as far as that is remembered.
    fn last_of(&mut self, bytes: Bytes) -> Option<u64> {
        self.trails.iter_mut().filter_map(|(_, trail)| trail.last_of(bytes)).max()
    }

    fn write(&mut self, argument: (KernelIndex, usize), bytes: Bytes) {
        let known = self.trails.iter().position(|(key, _)| *key == argument);
        let place = known.unwrap_or_else(|| {
            self.trails.push((argument, Trail::default()));
            self.trails.len() - 1
        });
        self.trails[place].1.young.write(bytes, self.calls);
    }

    fn count(&mut self) {
        self.calls += 1;
        if self.calls.is_multiple_of(REMEMBERED_CALLS) {
            for (_, trail) in &mut self.trails {
                trail.old = std::mem::take(&mut trail.young);
            }
        }
    }
}

/// Without what is in some arguments.
fn without(prints: &[(usize, Print)], arguments: &[usize]) -> impl Iterator<Item = Print> {
    let others = prints.iter().filter(|(index, _)| !arguments.contains(index));
    others.map(|&(_, print)| print)
}

/// From the first byte to behind the last.
type Bytes = (usize, usize);

/// What one argument has written.
#[derive(Debug, Default)]
struct Trail {
    /// By the last calls, up to a thousand.
    young: Written,
    /// By the thousand before.
    old: Written,
}

impl Trail {
    fn last_of(&mut self, bytes: Bytes) -> Option<u64> {
        self.young.last_of(bytes).or_else(|| self.old.last_of(bytes))
    }
}

/// What was written, and by which call last. Nothing is sorted before somebody asks for a place among
/// it: most calls write what no other one reads.
#[derive(Debug, Default)]
struct Written {
    around: Bytes,
    last: Vec<(Bytes, u64)>,
    sorted: Pieces,
}

impl Written {
    fn write(&mut self, bytes: Bytes, call: u64) {
        let (low, high) = bytes;
        if low >= high {
            return;
        }
        self.around = match self.around {
            (0, 0) => bytes,
            (first, end) => (first.min(low), end.max(high)),
        };
        // Mostly the same buffer again.
        match self.last.last_mut() {
            Some(last) if last.0 == bytes => last.1 = call,
            _ => self.last.push((bytes, call)),
        }
    }

    fn last_of(&mut self, (low, high): Bytes) -> Option<u64> {
        if low >= high || low >= self.around.1 || high <= self.around.0 {
            return None;
        }
        for (bytes, call) in self.last.drain(..) {
            self.sorted.write(bytes, call);
        }
        self.sorted.last_of((low, high))
    }
}

/// Bytes and the call that wrote each last: from where a piece stands to its end.
#[derive(Debug, Default)]
struct Pieces(BTreeMap<usize, (usize, u64)>);

impl Pieces {
    fn last_of(&self, (low, high): Bytes) -> Option<u64> {
        let mut last = None;
        for (_, &(end, call)) in self.0.range(..high).rev() {
            if end <= low {
                break;
            }
            last = last.max(Some(call));
        }
        last
    }

    fn write(&mut self, (low, high): Bytes, call: u64) {
        if let Some(piece) = self.0.get_mut(&low)
            && piece.0 == high
        {
            piece.1 = call;
            return;
        }
        self.split(low);
        self.split(high);
        while let Some((&inside, _)) = self.0.range(low..high).next() {
            self.0.remove(&inside);
        }
        self.0.insert(low, (high, call));
    }

    /// No piece lies on both sides of an address any more.
    fn split(&mut self, at: usize) {
        let Some((_, piece)) = self.0.range_mut(..at).next_back() else { return };
        let (end, call) = *piece;
        if end > at {
            piece.0 = at;
            self.0.insert(at, (end, call));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Beside a number for each byte.
        #[test]
        fn the_last_writer_is_found(
            steps in proptest::collection::vec((0usize..40, 0usize..12, any::<bool>()), 0..60)
        ) {
            let (mut written, mut bytes) = (Written::default(), [None; 60]);
            for (call, (low, count, writes)) in (0u64..).zip(steps) {
                let range = low..low + count;
                let last = bytes[range.clone()].iter().copied().max().flatten();
                prop_assert_eq!(written.last_of((low, low + count)), last);
                if writes {
                    written.write((low, low + count), call);
                    bytes[range].fill(Some(call));
                }
            }
        }
    }

    #[test]
    fn each_argument_has_a_trail_and_what_is_long_ago_is_forgotten() {
        let mut writers = Writers::default();
        for _ in 0..10 {
            writers.write((0, 1), (0, 8));
            writers.write((0, 2), (8, 16));
            writers.count();
        }
        assert_eq!(writers.trails.len(), 2);
        assert_eq!(writers.last_of((4, 12)), Some(9));
        (0..REMEMBERED_CALLS).for_each(|_| writers.count());
        assert_eq!(writers.last_of((4, 12)), Some(9));
        (0..REMEMBERED_CALLS).for_each(|_| writers.count());
        assert_eq!(writers.last_of((4, 12)), None);
    }

    #[test]
    fn calls_that_write_the_same_again_take_no_more_memory() {
        let mut written = Written::default();
        (0..1000).for_each(|call| written.write((8, 16), call));
        assert_eq!(written.last, [((8, 16), 999)]);
        (1000..2000).for_each(|call| written.write((8 + call as usize % 2, 16), call));
        assert_eq!(written.last_of((8, 9)), Some(1998));
        assert_eq!((written.last.len(), written.sorted.0.len()), (0, 2));
    }

    #[test]
    fn what_a_call_is_chained_by_is_counted() {
        let mut chained = Chained::default();
        for (distance, stays) in [(None, false), (Some(3), false), (Some(2), true), (None, true)] {
            chained.add(distance, stays);
        }
        assert_eq!(chained, Chained { calls: 3, distance: Some(2), staying: 2 });
    }
}
