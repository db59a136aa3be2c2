// SPDX-License-Identifier: Apache-2.0
//! The errors that cross the C ABI: a status for programs, a text with cause and cure for people.

use std::fmt;

/// The negative values of `enum tandem_status`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
pub enum Status {
    /// A null pointer, an unknown name, an annotation that is too small.
    BadArgument = -1,
    /// A package made by another version, cut short, or changed since.
    BadPackage = -2,
    /// A platform file that is unreadable, or a number missing or with a wrong unit.
    BadPlatform = -3,
    /// The call's buffers do not fit the device's memory.
    TooLarge = -4,
    /// The hardware's result differs from the C function's.
    WrongResult = -5,
    /// The hardware's cycle count differs from the schedule's.
    WrongCycles = -6,
    /// The engine's own fault.
    Internal = -7,
    /// The kernel's processes wait for each other for ever.
    Deadlock = -8,
    /// A device died, or could not be loaded, as the platform has it.
    DeviceFailed = -9,
    /// A call has not ended in the time that its program would wait.
    TimedOut = -10,
}

/// A status and its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// What a program acts on.
    pub status: Status,
    /// What was found, what was expected, and the cure.
    pub message: String,
}

impl Error {
    /// An error with a text.
    pub fn new(status: Status, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { status, message }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

/// The engine's result.
pub type Result<T> = std::result::Result<T, Error>;
