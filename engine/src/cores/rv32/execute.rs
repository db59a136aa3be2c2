// SPDX-License-Identifier: Apache-2.0
//! What instructions compute.

use super::Operation;

/// What an operation makes of its two operands; 0 for one that computes nothing.
#[inline]
#[must_use]
pub fn compute(operation: Operation, first: u32, second: u32) -> u32 {
    let (signed_first, signed_second) = (first as i32, second as i32);
    match operation {
        Operation::Add | Operation::Auipc => first.wrapping_add(second),
        Operation::Sub => first.wrapping_sub(second),
        Operation::Sll => first << (second & 31),
        Operation::Slt => (signed_first < signed_second).into(),
        Operation::Sltu => (first < second).into(),
        Operation::Xor => first ^ second,
        Operation::Srl => first >> (second & 31),
        Operation::Sra => (signed_first >> (second & 31)) as u32,
        Operation::Or => first | second,
        Operation::And => first & second,
        Operation::Mul => first.wrapping_mul(second),
        Operation::Mulh => high(i64::from(signed_first) * i64::from(signed_second)),
        Operation::Mulhsu => high(i64::from(signed_first) * i64::from(second)),
        Operation::Mulhu => ((u64::from(first) * u64::from(second)) >> 32) as u32,
        _ => divide(operation, first, second),
    }
}

fn high(product: i64) -> u32 {
    (product >> 32) as u32
}

/// Division never traps: by zero the quotient is all ones and the remainder the dividend; the one
/// quotient that is too large wraps.
fn divide(operation: Operation, first: u32, second: u32) -> u32 {
    let (signed_first, signed_second) = (first as i32, second as i32);
    match operation {
        Operation::Div if second == 0 => u32::MAX,
        Operation::Div => signed_first.wrapping_div(signed_second) as u32,
        Operation::Divu => first.checked_div(second).unwrap_or(u32::MAX),
        Operation::Rem if second == 0 => first,
        Operation::Rem => signed_first.wrapping_rem(signed_second) as u32,
        Operation::Remu => first.checked_rem(second).unwrap_or(first),
        _ => 0,
    }
}

/// Whether a branch is taken.
#[inline]
#[must_use]
pub fn is_taken(operation: Operation, first: u32, second: u32) -> bool {
    match operation {
        Operation::Beq => first == second,
        Operation::Bne => first != second,
        Operation::Blt => (first as i32) < second as i32,
        Operation::Bge => first as i32 >= second as i32,
        Operation::Bltu => first < second,
        Operation::Bgeu => first >= second,
        _ => false,
    }
}

/// What a load gives of the word that its address is in.
#[inline]
#[must_use]
pub fn loaded(operation: Operation, address: u32, word: u32) -> u32 {
    let byte = word >> (address % 4 * 8);
    let half = word >> (address / 2 % 2 * 16);
    match operation {
        Operation::Lb => byte as i8 as u32,
        Operation::Lbu => byte & 0xff,
        Operation::Lh => half as i16 as u32,
        Operation::Lhu => half & 0xffff,
        _ => word,
    }
}

/// What a store puts on the bus: a word that has the value in each place that it may go to, and the
/// lanes in which it goes there.
#[inline]
#[must_use]
pub fn stored(operation: Operation, address: u32, value: u32) -> (u32, u8) {
    match operation {
        Operation::Sb => ((value & 0xff) * 0x0101_0101, 1 << (address % 4)),
        Operation::Sh => ((value & 0xffff) * 0x0001_0001, 3 << (address & 2)),
        _ => (value, 15),
    }
}

/// Whether an address is a multiple of what the access takes.
#[inline]
#[must_use]
pub fn is_aligned(operation: Operation, address: u32) -> bool {
    match operation {
        Operation::Lw | Operation::Sw => address.is_multiple_of(4),
        Operation::Lh | Operation::Lhu | Operation::Sh => address.is_multiple_of(2),
        _ => true,
    }
}
