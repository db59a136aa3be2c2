// SPDX-License-Identifier: Apache-2.0
//! Memory of the simulated device: one block per argument, kept from call to call because fresh
//! pages cost more than the copy into them.

use std::alloc::Layout;
use std::ffi::c_void;
use std::ops::Range;

use crate::error::{Error, Result, Status};
use crate::package::{Manifest, Parameter};
use crate::plan::Plan;

/// A page, so that no two arguments share one and any record is aligned.
const ALIGNMENT_BYTES: usize = 4096;

/// What the device's memory holds where the program's bytes were not copied: a byte that the
/// hardware should have written, or should not have read, is then seen.
pub const UNWRITTEN: u8 = 0xa5;

/// The blocks of the device's memory.
#[derive(Debug, Default)]
pub struct Buffers {
    blocks: Vec<Block>,
}

impl Buffers {
    /// Copies what the call reads of each argument that goes to the device, and returns the address
    /// of each argument's block.
    ///
    /// # Safety
    /// The program's memory is valid where the plan says that the call reads it, and nothing before
    /// an argument's pointer is touched.
    ///
    /// # Errors
    /// [`Status::TooLarge`] if the host has not enough memory.
    pub unsafe fn load(
        &mut self,
        manifest: &Manifest,
        data: &[*mut c_void],
        plan: &Plan,
    ) -> Result<Vec<*mut c_void>> {
        let copied = |index, parameter: &Parameter| plan.read(index, parameter);
        // SAFETY: the caller's promise.
        unsafe { self.fill(manifest, data, plan, copied) }
    }

    /// Copies what the call has read and written of each argument that it writes, and returns the address of
    /// each argument's block, null where the program has none.
    ///
    /// # Safety
    /// As for [`Buffers::load`], and where the plan says that the call writes.
    ///
    /// # Errors
    /// As for [`Buffers::load`].
    pub unsafe fn keep(
        &mut self,
        manifest: &Manifest,
        data: &[*mut c_void],
        plan: &Plan,
    ) -> Result<Vec<*mut c_void>> {
        let copied = |index: usize, parameter: &Parameter| {
            let is_there = parameter.is_written() && !data[index].is_null();
            let both = || [plan.read(index, parameter), plan.written(index, parameter)].concat();
            if is_there { both() } else { Vec::new() }
        };
        // SAFETY: the caller's promise.
        let kept = unsafe { self.fill(manifest, data, plan, copied)? };
        let of =
            |(kept, from): (*mut c_void, &*mut c_void)| if from.is_null() { *from } else { kept };
        Ok(kept.into_iter().zip(data).map(of).collect())
    }

    /// # Safety
    /// The program's memory is valid where it is copied.
    unsafe fn fill(
        &mut self,
        manifest: &Manifest,
        data: &[*mut c_void],
        plan: &Plan,
        copied: impl Fn(usize, &Parameter) -> Vec<Range<usize>>,
    ) -> Result<Vec<*mut c_void>> {
        self.blocks.resize_with(data.len().max(self.blocks.len()), Block::default);
        let rows = manifest.arguments.iter().zip(data).zip(&plan.needs).zip(&mut self.blocks);
        let rows = rows.enumerate();
        rows.map(|(index, (((parameter, &from), need), block))| {
            let address = block.reserve(need.bytes)?;
            // SAFETY: the block has that many bytes.
            unsafe { address.write_bytes(UNWRITTEN, need.bytes as usize) };
            for range in copied(index, parameter) {
                // SAFETY: the caller's promise; what is copied lies within the block.
                unsafe {
                    let from = from.cast::<u8>().add(range.start);
                    address.add(range.start).copy_from(from, range.len());
                }
            }
            Ok(address.cast())
        })
        .collect()
    }

    /// The first `bytes` bytes of an argument's block.
    ///
    /// # Safety
    /// [`Buffers::load`] loaded that many bytes.
    pub unsafe fn content(&self, index: usize, bytes: u64) -> &[u8] {
        match self.blocks.get(index) {
            // SAFETY: the caller's promise.
            Some(block) if bytes > 0 => unsafe {
                std::slice::from_raw_parts(block.address, bytes as usize)
            },
            _ => &[],
        }
    }
}

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
