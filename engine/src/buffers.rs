// SPDX-License-Identifier: Apache-2.0
//! Memory of the simulated device: one block per argument, kept from call to call because fresh
//! pages cost more than the copy into them.

use std::alloc::Layout;
use std::ffi::c_void;

use crate::error::{Error, Result, Status};
use crate::package::{Manifest, Parameter};

/// A page, so that no two arguments share one and any record is aligned.
const ALIGNMENT_BYTES: usize = 4096;

/// A buffer of the caller.
#[derive(Debug, Clone, Copy)]
pub struct Argument {
    /// Its address.
    pub data: *mut c_void,
    /// Its extent.
    pub bytes: u64,
}

/// What a buffer that is only written holds before the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fill {
    /// Whatever was there: every byte will be written.
    Nothing,
    /// This byte, so that one that is never written is seen.
    Byte(u8),
}

/// The blocks of one memory.
#[derive(Debug, Default)]
pub struct Buffers {
    blocks: Vec<Block>,
}

impl Buffers {
    /// Copies what the kernel reads and returns the address of each argument's block.
    ///
    /// # Safety
    /// Each argument's data is valid for its bytes.
    ///
    /// # Errors
    /// [`Status::TooLarge`] if the host has not enough memory.
    pub unsafe fn load(
        &mut self,
        manifest: &Manifest,
        arguments: &[Argument],
        fill: Fill,
    ) -> Result<Vec<*mut c_void>> {
        let blocks = arguments.len().max(self.blocks.len());
        self.blocks.resize_with(blocks, Block::default);
        let loaded = manifest.arguments.iter().zip(arguments).zip(&mut self.blocks);
        loaded
            .map(|((parameter, argument), block)| {
                let address = block.reserve(argument.bytes)?;
                // SAFETY: the block has that many bytes, and so, by promise, has the argument.
                unsafe { prepare(parameter, argument, address, fill) };
                Ok(address.cast())
            })
            .collect()
    }

    /// Copies what the kernel wrote to the caller's buffers.
    ///
    /// # Safety
    /// The same arguments as in [`Buffers::load`], still valid.
    pub unsafe fn store(&self, manifest: &Manifest, arguments: &[Argument]) {
        let stored = manifest.arguments.iter().zip(arguments).zip(&self.blocks);
        for ((_, argument), block) in stored.filter(|((parameter, _), _)| parameter.is_written()) {
            let bytes = argument.bytes as usize;
            if bytes > 0 {
                // SAFETY: both have that many bytes, and the block is nobody else's.
                unsafe { block.address.copy_to_nonoverlapping(argument.data.cast(), bytes) };
            }
        }
    }

    /// The first `bytes` bytes of an argument's block.
    ///
    /// # Safety
    /// [`Buffers::load`] loaded that many bytes, and wrote or filled all of them.
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

/// # Safety
/// Both addresses are valid for the argument's bytes.
unsafe fn prepare(parameter: &Parameter, argument: &Argument, address: *mut u8, fill: Fill) {
    let bytes = argument.bytes as usize;
    if bytes == 0 {
        return;
    }
    // SAFETY: the caller's promise.
    unsafe {
        if parameter.is_read() {
            address.copy_from_nonoverlapping(argument.data.cast(), bytes);
        } else if let Fill::Byte(byte) = fill {
            address.write_bytes(byte, bytes);
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
