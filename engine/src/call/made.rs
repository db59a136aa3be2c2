// SPDX-License-Identifier: Apache-2.0
//! A block from the heap that a call makes and hands to its caller: where it lies is known only when
//! the C function has run. Until then it lies where nothing is.

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::OnceLock;

use libc::{MAP_ANONYMOUS, MAP_FAILED, MAP_NORESERVE, MAP_PRIVATE, PROT_READ};

use crate::error::{Error, Result, Status};
use crate::package::Manifest;

/// Addresses that a block may take, and the fewest to go on with; no memory is behind them.
const LARGEST_BYTES: usize = 1 << 40;
const LEAST_BYTES: usize = 1 << 30;

/// The block of a call.
#[derive(Debug)]
pub struct Made {
    /// Which argument it is.
    pub argument: usize,
    /// The result, which is its address or null.
    pub result: usize,
    /// What hardware returns: 1 with a block, 0 without one.
    told: Box<u64>,
}

impl Made {
    /// That of a kernel, if it has one.
    pub fn of(manifest: &Manifest) -> Option<Self> {
        let argument = manifest.arguments.iter().position(|parameter| parameter.made)?;
        let result = manifest.arguments.iter().position(|p| !p.is_pointer() && p.is_written())?;
        Some(Self { argument, result, told: Box::new(0) })
    }

    /// The arguments before the C function has run.
    ///
    /// # Errors
    /// [`Status::TooLarge`] if the system has no addresses left.
    pub fn begin(&self, data: &mut [*mut c_void]) -> Result<()> {
        data[self.argument] = nowhere()?;
        Ok(())
    }

    /// The arguments when it has: the block lies where the result says, and the result is what the
    /// hardware returns.
    ///
    /// # Safety
    /// The result is that of the C function.
    pub unsafe fn end(&mut self, data: &mut [*mut c_void]) {
        // SAFETY: the caller's promise; the result is a pointer.
        let block = unsafe { data[self.result].cast::<*mut c_void>().read_unaligned() };
        *self.told = u64::from(!block.is_null());
        data[self.argument] = block;
        data[self.result] = (&raw mut *self.told).cast();
    }
}

/// Where nothing is: all that is read there is 0.
fn nowhere() -> Result<*mut c_void> {
    static START: OnceLock<usize> = OnceLock::new();
    let start = *START.get_or_init(|| {
        let mut bytes = LARGEST_BYTES;
        loop {
            let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
            // SAFETY: a new mapping touches nothing that is there.
            let found = unsafe { libc::mmap(null_mut(), bytes, PROT_READ, flags, -1, 0) };
            if found != MAP_FAILED || bytes == LEAST_BYTES {
                break if found == MAP_FAILED { 0 } else { found as usize };
            }
            bytes /= 2;
        }
    });
    match start {
        0 => Err(Error::new(Status::TooLarge, "the system has no addresses for a block")),
        start => Ok(start as *mut c_void),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_lies_where_the_c_has_it() {
        let mut made = Made { argument: 0, result: 1, told: Box::new(0) };
        let block = [1u8; 4];
        let (mut result, null) = (block.as_ptr() as usize, 0usize);
        let mut data = [null_mut(), (&raw mut result).cast()];
        made.begin(&mut data).expect("addresses");
        assert_eq!(unsafe { *data[0].cast::<u64>().add(LEAST_BYTES / 16) }, 0);
        unsafe { made.end(&mut data) };
        assert_eq!(data[0].cast_const(), block.as_ptr().cast());
        assert_eq!(unsafe { *data[1].cast::<u64>() }, 1);
        let mut data = [null_mut(), (&raw const null).cast_mut().cast()];
        unsafe { made.end(&mut data) };
        assert!(data[0].is_null());
        assert_eq!(unsafe { *data[1].cast::<u64>() }, 0);
    }
}
