// SPDX-License-Identifier: Apache-2.0
//! Where a model's signals are: raw pointers, which the agents behind ports read and write.

use crate::error::{Error, Result, Status};
use crate::model::Signal;

/// What to do about a model that is none of this kernel's.
pub(super) const AGAIN: &str = "compile the kernel again";

/// Bytes of the device's memory.
#[derive(Clone, Copy)]
pub(super) struct Buffer {
    pub(super) data: *mut u8,
    pub(super) bytes: u64,
}

/// Where a model's signals are.
pub(super) struct Map<'m> {
    signals: &'m [Signal],
    places: Vec<*mut u8>,
    /// Where those are that the model does not have.
    pub(super) nowhere: Vec<u8>,
}

impl<'m> Map<'m> {
    pub(super) fn new(signals: &'m [Signal], mut places: Vec<*mut u8>) -> Self {
        let mut nowhere = vec![0; signals.iter().map(Signal::room_bytes).sum()];
        let mut rest = nowhere.as_mut_slice();
        for (place, signal) in places.iter_mut().zip(signals) {
            let (own, others) = rest.split_at_mut(signal.room_bytes());
            rest = others;
            if place.is_null() {
                *place = own.as_mut_ptr();
            }
        }
        Self { signals, places, nowhere }
    }

    /// Whether each signal belongs to one of so many arguments.
    pub(super) fn check(&self, arguments: usize) -> Result<()> {
        let mut named = self.signals.iter().filter_map(|signal| signal.argument);
        match named.find(|&argument| argument >= arguments) {
            Some(argument) => Err(missing(&format!("argument {argument}"))),
            None => Ok(()),
        }
    }

    pub(super) fn of_call(&self, role: &str) -> Result<*mut u8> {
        let is_it = |signal: &Signal| signal.argument.is_none() && signal.role == role;
        let place = self.signals.iter().position(is_it).map(|index| self.places[index]);
        place.ok_or_else(|| missing(role))
    }

    /// The protocols that an argument speaks.
    pub(super) fn spoken(&self, argument: usize) -> Vec<&'m str> {
        let own = self.signals.iter().filter(|signal| signal.argument == Some(argument));
        let mut spoken: Vec<_> = own.map(|signal| signal.protocol.as_str()).collect();
        spoken.dedup();
        spoken
    }
}

/// An argument's signals of one protocol.
pub(super) struct Port<'m> {
    pub(super) map: &'m Map<'m>,
    pub(super) argument: usize,
    pub(super) protocol: &'m str,
}

impl Port<'_> {
    /// Where a signal is, and its bytes.
    pub(super) fn signal(&self, role: &str) -> Result<(*mut u8, usize)> {
        let is_it = |(_, signal): &(usize, &Signal)| {
            signal.argument == Some(self.argument)
                && signal.protocol == self.protocol
                && signal.role == role
        };
        let found = self.map.signals.iter().enumerate().find(is_it);
        let found = found.map(|(index, signal)| (self.map.places[index], signal.bytes().max(1)));
        found.ok_or_else(|| missing(&format!("{role} of argument {}", self.argument)))
    }

    /// That an argument by value has its bytes.
    pub(super) fn require(&self, buffer: &Buffer, bytes: usize) -> Result<()> {
        let (argument, given) = (self.argument, buffer.bytes);
        if !buffer.data.is_null() && given >= bytes as u64 {
            return Ok(());
        }
        let message = format!("argument {argument}: {given} bytes were given, it has {bytes}");
        Err(Error::new(Status::BadArgument, message))
    }
}

fn missing(what: &str) -> Error {
    Error::new(Status::BadPackage, format!("rtl.so has no port for {what}; {AGAIN}"))
}

/// Whether a port of one bit is 1.
///
/// # Safety
/// The port is one of the model's.
#[inline]
pub(super) unsafe fn is_high(port: *const u8) -> bool {
    // SAFETY: the caller's promise.
    unsafe { port.read() & 1 == 1 }
}

/// Copies bytes; those of a number at once.
///
/// # Safety
/// Both have so many.
#[inline]
pub(super) unsafe fn copy(from: *const u8, to: *mut u8, bytes: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        match bytes {
            1 => to.write(from.read()),
            2 => to.cast::<[u8; 2]>().write(from.cast::<[u8; 2]>().read()),
            4 => to.cast::<[u8; 4]>().write(from.cast::<[u8; 4]>().read()),
            8 => to.cast::<[u8; 8]>().write(from.cast::<[u8; 8]>().read()),
            _ => to.copy_from_nonoverlapping(from, bytes),
        }
    }
}
