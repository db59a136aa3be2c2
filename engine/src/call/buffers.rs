// SPDX-License-Identifier: Apache-2.0
//! Memory of the simulated device: one block per argument, kept from call to call because fresh
//! pages cost more than the copy into them.

use std::ffi::c_void;
use std::ops::Range;

use crate::call::plan::Plan;
use crate::error::Result;
use crate::host::block::Block;
use crate::package::{Manifest, Parameter};

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
    /// [`crate::error::Status::TooLarge`] if the host has not enough memory.
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
        // SAFETY: the caller's promise.
        self.blocks.get(index).map_or(&[], |block| unsafe { block.content(bytes) })
    }
}
