// SPDX-License-Identifier: Apache-2.0
//! What batches took, by their calls and their bytes: the sums from which a straight line is fitted
//! (a time for each batch, each call and each byte), exact however many there are.

use serde::{Serialize, Serializer};

/// Sums over batches, and of products.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Costs {
    /// How many.
    pub batches: u64,
    /// Of calls.
    #[serde(serialize_with = "exactly")]
    pub calls: u128,
    /// Of bytes, both ways.
    #[serde(serialize_with = "exactly")]
    pub bytes: u128,
    /// Of times.
    #[serde(serialize_with = "exactly")]
    pub ps: u128,
    /// Of squares and products.
    #[serde(serialize_with = "exactly")]
    pub calls_calls: u128,
    /// The same.
    #[serde(serialize_with = "exactly")]
    pub calls_bytes: u128,
    /// The same.
    #[serde(serialize_with = "exactly")]
    pub bytes_bytes: u128,
    /// The same.
    #[serde(serialize_with = "exactly")]
    pub calls_ps: u128,
    /// The same.
    #[serde(serialize_with = "exactly")]
    pub bytes_ps: u128,
    /// The same.
    #[serde(serialize_with = "exactly")]
    pub ps_ps: u128,
}

impl Costs {
    /// Counts a batch.
    pub fn add(&mut self, calls: u64, bytes: u64, ps: u64) {
        let (calls, bytes, ps) = (u128::from(calls), u128::from(bytes), u128::from(ps));
        self.batches += 1;
        // Products of 64 bits each fit.
        for (sum, value) in [
            (&mut self.calls, calls),
            (&mut self.bytes, bytes),
            (&mut self.ps, ps),
            (&mut self.calls_calls, calls * calls),
            (&mut self.calls_bytes, calls * bytes),
            (&mut self.bytes_bytes, bytes * bytes),
            (&mut self.calls_ps, calls * ps),
            (&mut self.bytes_ps, bytes * ps),
            (&mut self.ps_ps, ps * ps),
        ] {
            *sum = sum.saturating_add(value);
        }
    }
}

/// As a text: readers of JSON take large numbers for floating-point ones.
fn exactly<S: Serializer>(sum: &u128, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(sum)
}
