// SPDX-License-Identifier: Apache-2.0
//! Which bytes of the program's memory are in use, and by whom: who comes asks for what it wants to
//! use, however much is in use already.

use std::collections::BTreeMap;

use crate::session::events::Touch;

/// Bytes in use by owners, of which each is at peace with itself. Where somebody writes, nobody else
/// is: whoever would be is refused before.
#[derive(Debug)]
pub struct InUse<Owner>(BTreeMap<usize, Piece<Owner>>);

/// Bytes that the same owners use, from where it stands to its end.
#[derive(Debug, Clone)]
struct Piece<Owner> {
    end: usize,
    /// How many uses each has of it.
    owners: BTreeMap<Owner, u64>,
    /// How many of all uses write.
    writes: u64,
}

impl<Owner> Default for InUse<Owner> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<Owner: Ord + Copy> InUse<Owner> {
    /// Whether what an owner wants to use meets what another one uses, and one of the two writes.
    pub fn clashes(&self, touch: &Touch, owner: Owner) -> bool {
        let has_others = |owners: &BTreeMap<Owner, u64>| {
            [owners.first_key_value(), owners.last_key_value()]
                .into_iter()
                .flatten()
                .any(|(&other, _)| other != owner)
        };
        let clashes = |piece: &Piece<Owner>| {
            (touch.is_written || piece.writes > 0) && has_others(&piece.owners)
        };
        self.within(touch.low, touch.high).any(clashes)
    }

    /// Whether anybody uses any of these bytes.
    pub fn has(&self, low: usize, high: usize) -> bool {
        self.within(low, high).next().is_some()
    }

    /// Somebody uses bytes from now on.
    pub fn add(&mut self, touch: &Touch, owner: Owner) {
        self.split(touch.low);
        self.split(touch.high);
        let mut low = touch.low;
        while low < touch.high {
            let next = self.0.range(low..touch.high).next().map_or(touch.high, |(&next, _)| next);
            if next > low {
                let piece = Piece { end: next, owners: BTreeMap::new(), writes: 0 };
                self.0.insert(low, piece);
            }
            let Some(piece) = self.0.get_mut(&low) else { break };
            *piece.owners.entry(owner).or_default() += 1;
            piece.writes += u64::from(touch.is_written);
            low = piece.end;
        }
    }

    /// A use that was added is over.
    pub fn remove(&mut self, touch: &Touch, owner: Owner) {
        let mut unused = Vec::new();
        for (&low, piece) in self.0.range_mut(touch.low..touch.high) {
            piece.writes -= u64::from(touch.is_written);
            if let Some(uses) = piece.owners.get_mut(&owner) {
                *uses -= 1;
            }
            piece.owners.retain(|other, uses| *other != owner || *uses > 0);
            if piece.owners.is_empty() {
                unused.push(low);
            }
        }
        for low in unused {
            self.0.remove(&low);
        }
    }

    /// The pieces that have any of these bytes.
    fn within(&self, low: usize, high: usize) -> impl Iterator<Item = &Piece<Owner>> {
        let before = self.0.range(..low).next_back().filter(|(_, piece)| piece.end > low);
        let inside = self.0.range(low..high.max(low));
        before.into_iter().chain(inside).map(|(_, piece)| piece)
    }

    /// No piece lies on both sides of an address any more.
    fn split(&mut self, at: usize) {
        let Some((_, piece)) = self.0.range_mut(..at).next_back() else { return };
        if piece.end > at {
            let behind = piece.clone();
            piece.end = at;
            self.0.insert(at, behind);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn touches() -> impl Strategy<Value = Vec<(Touch, u8, bool)>> {
        let touch = (0usize..40, 1usize..12, any::<bool>()).prop_map(|(low, bytes, is_written)| {
            Touch { argument: String::new(), low, high: low + bytes, is_written }
        });
        proptest::collection::vec((touch, 0u8..4, any::<bool>()), 0..60)
    }

    proptest! {
        /// Beside a list that is looked through from end to end.
        #[test]
        fn whoever_would_clash_is_found(steps in touches()) {
            let (mut in_use, mut all): (InUse<u8>, Vec<(Touch, u8)>) = Default::default();
            for (touch, owner, ends) in steps {
                let meets = |(other, by): &(Touch, u8)| *by != owner && touch.meets(other);
                let clashes = all.iter().any(meets);
                prop_assert_eq!(in_use.clashes(&touch, owner), clashes);
                let is_there = all.iter().any(|(other, _)| other.lies_in(touch.low, touch.high));
                prop_assert_eq!(in_use.has(touch.low, touch.high), is_there);
                if !clashes {
                    in_use.add(&touch, owner);
                    all.push((touch, owner));
                }
                if ends && !all.is_empty() {
                    let (touch, owner) = all.swap_remove(0);
                    in_use.remove(&touch, owner);
                }
            }
            for (touch, owner) in all {
                in_use.remove(&touch, owner);
            }
            prop_assert!(in_use.0.is_empty());
        }
    }
}
