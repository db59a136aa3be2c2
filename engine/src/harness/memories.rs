// SPDX-License-Identifier: Apache-2.0
//! Agents behind the ports of memories.

use super::ports::{Buffer, copy, is_high};

/// A memory behind a port.
pub(super) struct Memory {
    pub(super) argument: usize,
    pub(super) buffer: Buffer,
    pub(super) element_bytes: usize,
    pub(super) read: Option<ReadPort>,
    pub(super) write: Option<WritePort>,
}

pub(super) struct ReadPort {
    pub(super) enable: *const u8,
    pub(super) index: *const u8,
    pub(super) data: *mut u8,
    /// What is answered in the next cycle, if anything is.
    pub(super) word: Vec<u8>,
    pub(super) answers: bool,
}

pub(super) struct WritePort {
    pub(super) enable: *const u8,
    pub(super) index: *const u8,
    pub(super) data: *const u8,
}

impl Memory {
    /// Reads see what was there before this cycle's write. A kernel reads before it knows whether it
    /// wants to: outside of the buffer nothing answers. Whether what was written lies inside.
    ///
    /// # Safety
    /// As for [`Harness::run`].
    #[inline]
    pub(super) unsafe fn access(&mut self) -> bool {
        // SAFETY: the caller's promise.
        unsafe {
            self.look();
            self.keep()
        }
    }

    /// # Safety
    /// As for [`Harness::run`].
    unsafe fn look(&mut self) {
        let Some(read) = &self.read else { return };
        // SAFETY: the caller's promise; places are inside of the buffer.
        let from = unsafe { is_high(read.enable).then(|| self.place(read.index)).flatten() };
        let Some(read) = &mut self.read else { return };
        read.answers = from.is_some();
        if let Some(from) = from {
            // SAFETY: as above.
            unsafe { copy(from, read.word.as_mut_ptr(), self.element_bytes) };
        }
    }

    /// # Safety
    /// As for [`Harness::run`].
    unsafe fn keep(&self) -> bool {
        match &self.write {
            // SAFETY: the caller's promise; places are inside of the buffer.
            Some(write) if unsafe { is_high(write.enable) } => unsafe {
                let to = self.place(write.index);
                to.inspect(|&to| copy(write.data, to, self.element_bytes)).is_some()
            },
            _ => true,
        }
    }

    /// What was read is there in the next cycle.
    ///
    /// # Safety
    /// As for [`Harness::run`].
    #[inline]
    pub(super) unsafe fn answer(&mut self) {
        if let Some(read) = self.read.as_ref().filter(|read| read.answers) {
            // SAFETY: the caller's promise.
            unsafe { copy(read.word.as_ptr(), read.data, self.element_bytes) };
        }
    }

    /// Where an element lies, if it is in the buffer.
    ///
    /// # Safety
    /// The port has an index.
    unsafe fn place(&self, index: *const u8) -> Option<*mut u8> {
        // SAFETY: the caller's promise; ports are aligned as their type is, ours may not be.
        let index = unsafe { index.cast::<u32>().read_unaligned() };
        let offset = u64::from(index) * self.element_bytes as u64;
        let is_inside = offset + self.element_bytes as u64 <= self.buffer.bytes;
        // SAFETY: it lies in the buffer.
        is_inside.then(|| unsafe { self.buffer.data.add(offset as usize) })
    }
}
