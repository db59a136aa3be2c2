// SPDX-License-Identifier: Apache-2.0
//! What is in an argument, in a few numbers: whether a call is given what an earlier one has computed,
//! though the program has carried it to another place.

use std::ffi::c_void;

use crate::call::plan::{Need, Plan};
use crate::package::{Extent, Parameter};

/// Words that are looked at of a long argument, so far from each other as they can be.
const WORDS: usize = 8;
const WORD_BYTES: usize = size_of::<u64>();
/// Numbers below this, and a little below none, are in many programs by chance.
const COMMON: i64 = 1 << 16;
/// How many contents are remembered at most.
const PLACES: usize = 4096;

/// The same for the same contents; another one for others, but for what is not looked at.
pub type Print = u64;

/// What the arguments hold that `is_meant`, by their index, of those that a call is sure to touch all
/// of; nothing of one that others may be like by chance.
///
/// # Safety
/// The call's arguments are there.
pub unsafe fn prints(
    parameters: &[Parameter],
    plan: &Plan,
    data: &[*mut c_void],
    is_meant: impl Fn(&Parameter) -> bool,
) -> Vec<(usize, Print)> {
    let rows = parameters.iter().zip(plan.needs.iter().zip(data)).enumerate();
    rows.filter(|(_, (parameter, _))| is_meant(parameter))
        .filter_map(|(index, (parameter, (need, &place)))| {
            // SAFETY: the caller's promise.
            let bytes = unsafe { bytes_of(parameter, need, place)? };
            Some((index, print_of(bytes)?))
        })
        .collect()
}

/// # Safety
/// The argument is there.
unsafe fn bytes_of<'a>(parameter: &Parameter, need: &Need, place: *mut c_void) -> Option<&'a [u8]> {
    let (low, high) = match parameter.is_pointer() {
        false => (0, parameter.element_bytes as usize),
        true if parameter.extent == Extent::Exact && need.touched.low >= 0 => {
            (need.touched.low as usize, need.touched_bytes() as usize)
        }
        true => return None,
    };
    if place.is_null() || low >= high {
        return None;
    }
    // SAFETY: the caller's promise; the call touches all of this.
    Some(unsafe { std::slice::from_raw_parts(place.cast::<u8>().add(low), high - low) })
}

fn print_of(bytes: &[u8]) -> Option<Print> {
    let start = mixed(0, bytes.len() as u64);
    if bytes.len() <= WORD_BYTES {
        let number = number(bytes);
        return (!(-COMMON..COMMON).contains(&number)).then(|| mixed(start, number as u64));
    }
    let most = bytes.len() - WORD_BYTES;
    let mut words = [0; WORDS];
    for (i, word) in words.iter_mut().enumerate() {
        *word = number(&bytes[most * i / (WORDS - 1)..][..WORD_BYTES]);
    }
    let other = words.iter().find(|&&word| word != words[0])?;
    let differ = words.iter().any(|word| word != &words[0] && word != other);
    differ.then(|| words.iter().fold(start, |print, &word| mixed(print, word as u64)))
}

/// Two numbers as one, in which every bit counts.
fn mixed(print: Print, word: u64) -> Print {
    let product = (print ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (product ^ product >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93)
}

/// With its sign.
fn number(bytes: &[u8]) -> i64 {
    let negative = bytes.last().is_some_and(|last| last >> 7 == 1);
    let mut whole = [if negative { 0xff } else { 0 }; WORD_BYTES];
    whole[..bytes.len()].copy_from_slice(bytes);
    i64::from_le_bytes(whole)
}

/// What the last calls have computed; what has the same place among it takes that of the earlier one.
#[derive(Debug, Default)]
pub struct Computed(Vec<Option<(Print, u64)>>);

impl Computed {
    /// The last call that has left any of these, as far as that is remembered.
    pub fn last_of(&self, given: impl Iterator<Item = Print>) -> Option<u64> {
        let found = |print| self.0.get(place_of(print)).copied().flatten().filter(|f| f.0 == print);
        given.filter_map(|print| found(print).map(|(_, call)| call)).max()
    }

    /// Keeps what a call has left.
    pub fn add(&mut self, left: impl Iterator<Item = Print>, call: u64) {
        for print in left {
            self.0.resize(PLACES, None);
            self.0[place_of(print)] = Some((print, call));
        }
    }
}

fn place_of(print: Print) -> usize {
    (print >> 40) as usize % PLACES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_by_chance_has_no_print() {
        assert_eq!(print_of(&[200, 1]), None);
        assert_eq!(print_of(&[0xff; 4]), None);
        assert_eq!(print_of(&[0; 100]), None);
        assert!(print_of(&[1, 2, 3, 4]).is_some());
        let array: Vec<u8> = (0..100).collect();
        assert_eq!(print_of(&array), print_of(&array.clone()));
        assert_ne!(print_of(&array), print_of(&array[1..]));
        let mut words = [[0; WORD_BYTES]; WORDS];
        words[WORDS / 2..].fill([7; WORD_BYTES]);
        assert_eq!(print_of(words.as_flattened()), None, "two numbers alone");
        words[1] = [9; WORD_BYTES];
        assert!(print_of(words.as_flattened()).is_some());
    }

    #[test]
    fn the_last_that_has_left_it_is_found() {
        let mut computed = Computed::default();
        let print = |call: u64| mixed(1, call);
        for call in 0..50 {
            computed.add([mixed(2, call % 7), print(call)].into_iter(), call);
        }
        assert_eq!(computed.last_of([print(40)].into_iter()), Some(40));
        assert_eq!(computed.last_of([3, print(40), print(30)].into_iter()), Some(40));
        assert_eq!(computed.last_of([mixed(2, 0)].into_iter()), Some(49));
        assert_eq!(computed.last_of([3, 4].into_iter()), None);
    }
}
