// SPDX-License-Identifier: Apache-2.0
//! Memory for a program's buffers, of the pages that a driver would have: locked ones stay where
//! they are, so that the link reaches them; huge ones need fewer descriptors and translations.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use libc::{MAP_ANONYMOUS, MAP_FAILED, MAP_HUGETLB, MAP_PRIVATE, PROT_READ, PROT_WRITE};

use crate::error::{Error, Result, Status};

/// What x86 and most of the others call huge.
const HUGE_PAGE_BYTES: usize = 2 << 20;

/// How a program's memory is mapped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Pages {
    /// As the system likes.
    Ordinary = 0,
    /// Locked (`mlock`): the link reaches them, and nothing is copied.
    Locked = 1,
    /// Huge ones (`MAP_HUGETLB`, else `MADV_HUGEPAGE`), locked too.
    Huge = 2,
    /// The device's memory, in which content stays until somebody else needs it; here are its values.
    Device = 3,
}

impl Pages {
    /// As numbered in `tandem.h`.
    pub fn from_number(number: u32) -> Option<Self> {
        [Self::Ordinary, Self::Locked, Self::Huge, Self::Device]
            .into_iter()
            .find(|&p| p as u32 == number)
    }
}

/// A mapping, and how much of it was asked for.
#[derive(Debug, Clone, Copy)]
struct Mapping {
    bytes: usize,
    asked_bytes: usize,
    pages: Pages,
}

/// By address.
static MAPPINGS: Mutex<BTreeMap<usize, Mapping>> = Mutex::new(BTreeMap::new());

fn mappings() -> MutexGuard<'static, BTreeMap<usize, Mapping>> {
    MAPPINGS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Maps memory, which is zero.
///
/// # Errors
/// [`Status::TooLarge`] with what the system said: too much, or more locked than it allows.
pub fn allocate(bytes: usize, pages: Pages) -> Result<*mut c_void> {
    let asked_bytes = bytes;
    let unit = if pages == Pages::Huge { HUGE_PAGE_BYTES } else { 1 };
    let bytes = bytes.max(1).checked_next_multiple_of(unit).unwrap_or(usize::MAX);
    let address = match pages {
        Pages::Huge => map(bytes, MAP_HUGETLB).or_else(|_| advised(bytes)),
        Pages::Ordinary | Pages::Locked | Pages::Device => map(bytes, 0),
    };
    let address = address.map_err(|cause| refused(bytes, &cause))?;
    let is_locked = matches!(pages, Pages::Locked | Pages::Huge);
    // SAFETY: the mapping is ours.
    if is_locked && unsafe { libc::mlock(address, bytes) } != 0 {
        let cause = io::Error::last_os_error();
        // SAFETY: nobody else knows it.
        unsafe { libc::munmap(address, bytes) };
        return Err(refused(bytes, &cause));
    }
    IS_ANY.store(true, Ordering::Relaxed);
    mappings().insert(address as usize, Mapping { bytes, asked_bytes, pages });
    Ok(address)
}

/// Unmaps what [`allocate`] gave.
///
/// # Safety
/// Nobody uses it any more.
///
/// # Errors
/// [`Status::BadArgument`] for anything else.
pub unsafe fn free(address: *mut c_void) -> Result<()> {
    let Some(mapping) = mappings().remove(&(address as usize)) else {
        let message = "memory: it is not from tandem_allocate, or was given back before";
        return Err(Error::new(Status::BadArgument, message));
    };
    // SAFETY: it was mapped by `allocate`, and is known no more.
    unsafe { libc::munmap(address, mapping.bytes) };
    Ok(())
}

/// Memory of [`allocate`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allocated {
    /// Where it begins.
    pub address: usize,
    /// How much was asked for.
    pub bytes: u64,
    /// How it is mapped.
    pub pages: Pages,
}

/// Whether there was ever any: calls ask for each of their arguments.
static IS_ANY: AtomicBool = AtomicBool::new(false);

/// Whether a program has ever asked for memory.
pub fn is_any() -> bool {
    IS_ANY.load(Ordering::Relaxed)
}

/// The memory that so many bytes from an address on lie in, if they do.
pub fn around(address: *const c_void, bytes: u64) -> Option<Allocated> {
    if !is_any() {
        return None;
    }
    let start = address as usize;
    let mappings = mappings();
    let (&first, mapping) = mappings.range(..=start).next_back()?;
    let end = ((start - first) as u64).saturating_add(bytes);
    let found =
        Allocated { address: first, bytes: mapping.asked_bytes as u64, pages: mapping.pages };
    (end <= found.bytes).then_some(found)
}

fn map(bytes: usize, flags: libc::c_int) -> io::Result<*mut c_void> {
    let (access, flags) = (PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags);
    // SAFETY: a new mapping touches nothing that is there.
    let address = unsafe { libc::mmap(std::ptr::null_mut(), bytes, access, flags, -1, 0) };
    if address == MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(address) }
}

/// Where no huge pages are reserved: ordinary ones of which the system may make huge ones.
fn advised(bytes: usize) -> io::Result<*mut c_void> {
    let address = map(bytes, 0)?;
    // SAFETY: the mapping is ours. A system without such pages refuses, and may.
    unsafe { libc::madvise(address, bytes, libc::MADV_HUGEPAGE) };
    Ok(address)
}

fn refused(bytes: usize, cause: &io::Error) -> Error {
    let message = format!(
        "{bytes} bytes of memory: {cause}; ask for less, or let the system lock more (ulimit -l)"
    );
    Error::new(Status::TooLarge, message)
}
