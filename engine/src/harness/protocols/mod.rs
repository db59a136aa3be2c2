// SPDX-License-Identifier: Apache-2.0
//! The protocols of a kernel's ports, one file each: who serves them. `build.rs` finds them.

use super::memories::{ReadPort, WritePort};
use super::ports::{AGAIN, Buffer, Port, copy};
use super::streams::Stream;
use super::{Harness, Value};
use crate::error::{Error, Result, Status};

// The files as modules, and `FOUND`: what each says, in the order of their places.
include!(concat!(env!("OUT_DIR"), "/port_protocols.rs"));

/// How a port of an argument is served.
#[derive(Clone, Copy)]
pub(super) struct Protocol {
    /// Its name in a port map.
    pub(super) name: &'static str,
    /// Which of two is listed first: the one of the lower number.
    place: u32,
    /// Has an agent serve a port out of the argument's buffer, a stream's with so many cycles between
    /// two records.
    ///
    /// # Safety
    /// As for [`Harness::new`].
    attach: unsafe fn(&mut Harness<'_>, &Port<'_>, Buffer, u32) -> Result<()>,
}

/// What serves a port cycle by cycle, where that is neither a stream's nor a memory's.
pub(super) trait Agent {
    /// The kernel's inputs are set, before the clock falls.
    ///
    /// # Safety
    /// As for [`Harness::run`].
    unsafe fn before(&mut self, _cycle: u64) {}

    /// The kernel's outputs stand, and the clock is to rise. Whether the kernel stays in its buffers.
    ///
    /// # Safety
    /// As for [`Harness::run`].
    unsafe fn after(&mut self, _cycle: u64) -> bool {
        true
    }

    /// The clock has risen.
    ///
    /// # Safety
    /// As for [`Harness::run`].
    unsafe fn late(&mut self) {}
}

/// Has an agent serve a port.
///
/// # Safety
/// As for [`Harness::new`].
pub(super) unsafe fn attach(
    harness: &mut Harness<'_>,
    port: &Port<'_>,
    buffer: Buffer,
    interval: u32,
) -> Result<()> {
    let Some(protocol) = FOUND.iter().find(|protocol| protocol.name == port.protocol) else {
        let unknown = port.protocol;
        let message = format!("rtl.so has a port of the unknown protocol {unknown:?}");
        return Err(Error::new(Status::BadPackage, format!("{message}; {AGAIN}")));
    };
    // SAFETY: the caller's promise.
    unsafe { (protocol.attach)(harness, port, buffer, interval) }
}
