// SPDX-License-Identifier: Apache-2.0
//! Numbers of any size, seven bits a byte, as FST has them.

/// As [`varint`], to a place; returns the one behind.
///
/// # Safety
/// There is room for it.
#[inline(always)]
pub(super) unsafe fn write_varint(place: *mut u8, value: u64) -> *mut u8 {
    // SAFETY: the caller's promise.
    unsafe {
        if value > 0x7f {
            return write_long_varint(place, value);
        }
        place.write(value as u8);
        place.add(1)
    }
}

/// # Safety
/// As for [`write_varint`].
#[cold]
unsafe fn write_long_varint(mut place: *mut u8, mut value: u64) -> *mut u8 {
    // SAFETY: the caller's promise.
    unsafe {
        while value > 0x7f {
            place.write(value as u8 | 0x80);
            place = place.add(1);
            value >>= 7;
        }
        place.write(value as u8);
        place.add(1)
    }
}

/// Seven bits a byte, the lowest first.
#[inline]
pub fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value > 0x7f {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

#[inline]
pub(super) fn read_varint(data: &[u8], place: &mut usize) -> u64 {
    let mut value = 0;
    for shift in (0..).step_by(7) {
        let byte = data[*place];
        *place += 1;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            break;
        }
    }
    value
}
