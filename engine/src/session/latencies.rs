// SPDX-License-Identifier: Apache-2.0
//! How long calls took from being submitted until their results were there. However many they are,
//! the memory for them is bounded: times that differ by less than one part in 128 are counted
//! together.

use std::collections::BTreeMap;

use serde::Serialize;

/// Leading bits by which times are told apart.
const PRECISION_BITS: u32 = 7;

/// Times of calls.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Latencies {
    /// By the leading bits: how many calls, and the greatest time of them.
    buckets: BTreeMap<u64, (u64, u64)>,
    calls: u64,
}

/// What is told of them, each a time that some call took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Quantiles {
    /// Half of the calls took no longer.
    pub p50: u64,
    /// 99 of 100.
    pub p99: u64,
    /// All.
    pub most: u64,
}

impl Latencies {
    /// Counts calls that took as long.
    pub fn add(&mut self, ps: u64, calls: u64) {
        let dropped_bits = (u64::BITS - ps.leading_zeros()).saturating_sub(PRECISION_BITS);
        let bucket = self.buckets.entry(ps >> dropped_bits << dropped_bits).or_default();
        *bucket = (bucket.0 + calls, bucket.1.max(ps));
        self.calls += calls;
    }

    /// What is told of them; nothing of no calls.
    pub fn quantiles(&self) -> Option<Quantiles> {
        let of = |percent: u64| {
            let wanted = (self.calls * percent).div_ceil(100);
            let mut seen = 0;
            self.buckets.values().find_map(|&(calls, most_ps)| {
                seen += calls;
                (seen >= wanted).then_some(most_ps)
            })
        };
        Some(Quantiles { p50: of(50)?, p99: of(99)?, most: of(100)? })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn quantiles_are_as_of_the_sorted_times(
            mut times in proptest::collection::vec(0u64..1 << 40, 1..300)
        ) {
            let mut latencies = Latencies::default();
            times.iter().for_each(|&ps| latencies.add(ps, 1));
            times.sort_unstable();
            let at = |percent: usize| times[(times.len() * percent).div_ceil(100) - 1];
            let told = latencies.quantiles().expect("times");
            prop_assert_eq!(told.most, at(100));
            for (told, exact) in [(told.p50, at(50)), (told.p99, at(99))] {
                prop_assert!(exact <= told && told <= exact + exact / 64);
            }
        }
    }

    #[test]
    fn no_calls_have_none() {
        assert_eq!(Latencies::default().quantiles(), None);
    }
}
