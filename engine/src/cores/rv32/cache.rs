// SPDX-License-Identifier: Apache-2.0
//! Instructions that were decoded before.

use super::{Instruction, decode, is_compressed};

/// Rows; a program whose loops are longer is decoded again.
const ROWS: usize = 1 << 12;

/// What words mean. It knows them by what they are, so that a program may change itself; where a word
/// lies only tells where to look first.
pub struct Decoder {
    rows: Box<[(u32, Instruction)]>,
}

impl Default for Decoder {
    fn default() -> Self {
        Self { rows: vec![(0, decode(0)); ROWS].into_boxed_slice() }
    }
}

impl Decoder {
    /// The instruction of a word at an address; of a compressed one only the low half counts.
    #[inline]
    pub fn decode(&mut self, address: u32, word: u32) -> Instruction {
        let word = if is_compressed(word) { word & 0xffff } else { word };
        let row = &mut self.rows[(address / 2) as usize % ROWS];
        if row.0 != word {
            *row = (word, decode(word));
        }
        row.1
    }
}
