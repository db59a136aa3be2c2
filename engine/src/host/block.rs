// SPDX-License-Identifier: Apache-2.0
//! Pieces of memory that are used again.

use std::alloc::Layout;

use crate::error::{Error, Result, Status};

/// A page, so that no two arguments share one and any record is aligned.
const ALIGNMENT_BYTES: usize = 4096;

/// A growing piece of memory whose content does not survive its growth.
#[derive(Debug)]
pub struct Block {
    address: *mut u8,
    capacity_bytes: usize,
}

// SAFETY: a block owns its memory.
unsafe impl Send for Block {}

impl Block {
    /// The address of at least `bytes` bytes, aligned to a page.
    ///
    /// # Errors
    /// [`Status::TooLarge`] if the host has not enough memory.
    pub fn reserve(&mut self, bytes: u64) -> Result<*mut u8> {
        let wanted = usize::try_from(bytes).unwrap_or(usize::MAX).max(1);
        if wanted > self.capacity_bytes {
            self.release();
            let no_room = || {
                let message = format!("the host has no {bytes} bytes for the device's memory");
                Error::new(Status::TooLarge, message)
            };
            let layout = Layout::from_size_align(wanted, ALIGNMENT_BYTES).map_err(|_| no_room())?;
            // SAFETY: the size is not 0.
            let address = unsafe { std::alloc::alloc(layout) };
            if address.is_null() {
                return Err(no_room());
            }
            *self = Self { address, capacity_bytes: wanted };
        }
        Ok(self.address)
    }

    /// As [`Block::reserve`], and all of the pages that the bytes are on.
    ///
    /// # Errors
    /// As [`Block::reserve`].
    pub fn reserve_pages(&mut self, bytes: u64) -> Result<*mut u8> {
        self.reserve(bytes.max(1).next_multiple_of(ALIGNMENT_BYTES as u64))
    }

    /// As [`Block::reserve`], with zeros in the first `bytes` bytes.
    ///
    /// # Errors
    /// As [`Block::reserve`].
    pub fn reserve_zeroed(&mut self, bytes: u64) -> Result<*mut u8> {
        let address = self.reserve(bytes)?;
        // SAFETY: the block has that many bytes.
        unsafe { address.write_bytes(0, bytes as usize) };
        Ok(address)
    }

    /// The first `bytes` bytes.
    ///
    /// # Safety
    /// [`Block::reserve`] was asked for that many, and they were written.
    pub unsafe fn content(&self, bytes: u64) -> &[u8] {
        if bytes == 0 {
            return &[];
        }
        // SAFETY: the caller's promise.
        unsafe { std::slice::from_raw_parts(self.address, bytes as usize) }
    }

    fn release(&mut self) {
        if let Ok(layout) = Layout::from_size_align(self.capacity_bytes, ALIGNMENT_BYTES)
            && self.capacity_bytes > 0
        {
            // SAFETY: allocated in `reserve` with this layout.
            unsafe { std::alloc::dealloc(self.address, layout) };
        }
        (self.address, self.capacity_bytes) = (std::ptr::null_mut(), 0);
    }
}

impl Default for Block {
    fn default() -> Self {
        Self { address: std::ptr::null_mut(), capacity_bytes: 0 }
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        self.release();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pages of this process, used or not.
    fn pages() -> usize {
        let told = std::fs::read_to_string("/proc/self/statm").expect("Linux tells");
        told.split(' ').next().and_then(|word| word.parse().ok()).expect("a number")
    }

    #[test]
    fn a_block_goes_with_all_its_memory() {
        const MIB: u64 = 1 << 20;
        let before = pages();
        for _ in 0..64 {
            let mut block = Block::default();
            block.reserve(512 * MIB).expect("room, of which nothing is used");
            block.reserve(1024 * MIB).expect("room");
            assert_eq!(block.reserve(8).ok(), Some(block.address), "it is large enough");
        }
        assert!(pages() < before + (16 << 30) / ALIGNMENT_BYTES, "64 GiB were asked for");
    }
}
