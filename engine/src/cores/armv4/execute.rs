// SPDX-License-Identifier: Apache-2.0
//! What instructions compute.

use super::{Operation, Shift, flag};

/// By condition, a bit for each state of the flags with which it holds.
const HOLDS: [u16; 16] = holds();

const fn holds() -> [u16; 16] {
    let mut table = [0; 16];
    let mut flags = 0;
    while flags < 16 {
        let (n, z) = (flags & flag::N != 0, flags & flag::Z != 0);
        let (c, v) = (flags & flag::C != 0, flags & flag::V != 0);
        // In pairs: a condition, and its opposite behind it.
        let even = [z, c, n, v, c && !z, n == v, !z && n == v, true];
        let mut pair = 0;
        while pair < 8 {
            table[2 * pair] |= (even[pair] as u16) << flags;
            table[2 * pair + 1] |= (!even[pair] as u16) << flags;
            pair += 1;
        }
        flags += 1;
    }
    table
}

/// Whether a condition holds.
#[inline]
#[must_use]
pub fn passes(condition: u8, flags: u8) -> bool {
    HOLDS[usize::from(condition & 15)] >> (flags & 15) & 1 == 1
}

/// What the shifter gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shifted {
    /// The value.
    pub value: u32,
    /// The bit that was shifted out last; as before, if none was.
    pub carry: bool,
}

/// A value, shifted; of [`Shift::Rrx`] the amount does not count.
#[inline]
#[must_use]
pub fn shifted(shift: Shift, value: u32, amount: u32, carry: bool) -> Shifted {
    if amount == 0 {
        return Shifted { value, carry };
    }
    let last = |place: u32| value >> (place & 31) & 1 == 1;
    let is_word = amount < 32;
    match shift {
        Shift::Lsl if is_word => Shifted { value: value << amount, carry: last(32 - amount) },
        Shift::Lsl => Shifted { value: 0, carry: amount == 32 && last(0) },
        Shift::Lsr if is_word => Shifted { value: value >> amount, carry: last(amount - 1) },
        Shift::Lsr => Shifted { value: 0, carry: amount == 32 && last(31) },
        Shift::Asr => {
            let signed = value as i32 >> amount.min(31);
            Shifted { value: signed as u32, carry: last(amount.min(32) - 1) }
        }
        Shift::Ror => {
            let value = value.rotate_right(amount & 31);
            Shifted { value, carry: value >> 31 == 1 }
        }
        Shift::Rrx => Shifted { value: value >> 1 | u32::from(carry) << 31, carry: last(0) },
    }
}

/// What a data-processing instruction gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arithmetic {
    /// The value.
    pub value: u32,
    /// The flags behind it.
    pub flags: u8,
}

/// What an operation makes of its operands and the flags before it.
#[inline]
#[must_use]
pub fn arithmetic(operation: Operation, first: u32, second: Shifted, flags: u8) -> Arithmetic {
    let carry = flags & flag::C != 0;
    let value = second.value;
    match operation {
        Operation::Sub | Operation::Cmp => sum(first, !value, true),
        Operation::Rsb => sum(value, !first, true),
        Operation::Add | Operation::Cmn => sum(first, value, false),
        Operation::Adc => sum(first, value, carry),
        Operation::Sbc => sum(first, !value, carry),
        Operation::Rsc => sum(value, !first, carry),
        Operation::And | Operation::Tst => logic(first & value, second.carry, flags),
        Operation::Eor | Operation::Teq => logic(first ^ value, second.carry, flags),
        Operation::Orr => logic(first | value, second.carry, flags),
        Operation::Bic => logic(first & !value, second.carry, flags),
        Operation::Mvn => logic(!value, second.carry, flags),
        _ => logic(value, second.carry, flags),
    }
}

#[inline]
fn sign_and_zero(value: u32) -> u8 {
    ((value >> 31) as u8 * flag::N) | (u8::from(value == 0) * flag::Z)
}

#[inline]
fn logic(value: u32, carry: bool, flags: u8) -> Arithmetic {
    let flags = sign_and_zero(value) | (u8::from(carry) * flag::C) | (flags & flag::V);
    Arithmetic { value, flags }
}

#[inline]
fn sum(first: u32, second: u32, carry: bool) -> Arithmetic {
    let whole = u64::from(first) + u64::from(second) + u64::from(carry);
    let value = whole as u32;
    let overflows = (first ^ value) & (second ^ value);
    let carry = u8::from(whole >> 32 != 0) * flag::C;
    let flags = sign_and_zero(value) | carry | ((overflows >> 31) as u8 * flag::V);
    Arithmetic { value, flags }
}

/// The product of two registers with what is added to it, and the flags behind it; of products of
/// one register the lower word counts, also for the flags. C and V stay: what they become the
/// architecture leaves open.
#[inline]
#[must_use]
pub fn product(operation: Operation, factors: (u32, u32), added: u64, flags: u8) -> (u64, u8) {
    let unsigned = u64::from(factors.0) * u64::from(factors.1);
    let signed = i64::from(factors.0 as i32) * i64::from(factors.1 as i32);
    let (whole, sign) = match operation {
        Operation::Mul | Operation::Mla => {
            let word = (unsigned as u32).wrapping_add(added as u32);
            (u64::from(word), word >> 31)
        }
        Operation::Umull | Operation::Umlal => long(unsigned, added),
        _ => long(signed as u64, added),
    };
    let zero = u8::from(whole == 0) * flag::Z;
    (whole, (sign as u8 * flag::N) | zero | (flags & (flag::C | flag::V)))
}

fn long(product: u64, added: u64) -> (u64, u32) {
    let whole = product.wrapping_add(added);
    (whole, (whole >> 63) as u32)
}

/// What a load gives of the word that its address is in.
#[inline]
#[must_use]
pub fn loaded(operation: Operation, address: u32, word: u32) -> u32 {
    let byte = word >> (address % 4 * 8);
    let half = word >> (address / 2 % 2 * 16);
    match operation {
        Operation::Ldrb | Operation::Swpb => byte & 0xff,
        Operation::Ldrsb => byte as i8 as u32,
        Operation::Ldrh => half & 0xffff,
        Operation::Ldrsh => half as i16 as u32,
        _ => word,
    }
}

/// What a store puts on the bus: a word that has the value in each place that it may go to, and the
/// lanes in which it goes there.
#[inline]
#[must_use]
pub fn stored(operation: Operation, address: u32, value: u32) -> (u32, u8) {
    match operation {
        Operation::Strb | Operation::Swpb => ((value & 0xff) * 0x0101_0101, 1 << (address % 4)),
        Operation::Strh => ((value & 0xffff) * 0x0001_0001, 3 << (address & 2)),
        _ => (value, 15),
    }
}
