// SPDX-License-Identifier: Apache-2.0
//! What a run needs of `manifest.json`.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ffi::c_void;

use crate::error::{Error, Result, Status};

use super::CURE;

/// The part of `manifest.json` that a run needs.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Manifest {
    /// The kernel's name.
    pub kernel: String,
    /// The FPGA family it was scheduled for.
    pub target: String,
    /// Clock period.
    pub clock_ps: u64,
    /// Initiation interval, where the whole kernel is one pipeline.
    pub ii: Option<u64>,
    /// Latency of that pipeline.
    pub latency_cycles: Option<u64>,
    /// Whether it computes with floating-point numbers.
    pub has_floats: bool,
    /// Whether the C function prints, which hardware does not.
    pub prints: bool,
    /// Whether its processes ask what there is without waiting, so that values depend on time.
    pub polls: bool,
    /// The interface.
    pub arguments: Vec<Parameter>,
    /// Every loop.
    pub loops: Vec<LoopFacts>,
    /// The FIFOs between its processes.
    pub fifos: Vec<Fifo>,
    /// Pairs (argument that is read, argument that is written) that may be one buffer.
    pub in_place: Vec<(String, String)>,
    pub(super) files: BTreeMap<String, FileEntry>,
}

/// A FIFO between two processes.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct Fifo {
    /// The stream in the C.
    pub name: String,
    /// Bits of a record.
    pub record_bits: u64,
    /// Records that it holds.
    pub depth: u32,
}

/// What the schedule says of a loop.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct LoopFacts {
    /// The C file that it is in.
    pub file: String,
    /// Its line in the C.
    pub line: u64,
    /// 1 for a loop that is in no other.
    pub depth: u64,
    /// Initiation interval, where it is a pipeline.
    pub ii: Option<u64>,
    /// Cycles of one iteration, where it is a pipeline.
    pub length_cycles: Option<u64>,
    /// What stands in the way of a better one, or nothing.
    pub limit: String,
    /// The streams of which an iteration takes a record.
    #[serde(skip_serializing)]
    pub takes: Vec<String>,
    /// Those to which it gives one.
    #[serde(skip_serializing)]
    pub gives: Vec<Given>,
}

/// A stream to which each iteration of a loop gives a record.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Given {
    /// The argument.
    pub stream: String,
    /// In which cycle of the iteration.
    pub cycle: u64,
    /// Records that the FIFO behind holds.
    pub depth: u64,
}

/// One argument of the kernel.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Parameter {
    /// As in the C.
    pub name: String,
    /// How the hardware sees it.
    pub kind: Kind,
    /// Which way its data goes.
    pub direction: Flow,
    /// Size of a record; of a block or a scalar, its whole size.
    pub element_bytes: u64,
    /// Size of the floating-point numbers that it consists of; 0 for anything else.
    pub float_bytes: u64,
    /// Whether the kernel reads what the caller's buffer holds.
    pub reads: bool,
    /// Whether the C function has a parameter for it.
    pub is_parameter: bool,
    /// Whether a call's work makes more of it: its extent follows the amount of another argument, or
    /// is nothing that arguments tell.
    pub grows: bool,
    /// How well its extent is known.
    pub extent: Extent,
    /// The size of a variable of the program that nothing but the kernel uses, so that it stays in
    /// the device's memory between calls; 0 for anything else.
    pub stays_bytes: u64,
    /// Where its pointer is read before a call, if it is none of the C's parameters.
    #[serde(default)]
    pub field: Option<Field>,
    /// Where in another argument's array it is, if it is a member of a struct.
    #[serde(default)]
    pub part: Option<Part>,
    /// The arguments whose arrays are parts of this one, by their places.
    #[serde(default)]
    pub joins: Vec<usize>,
    /// Whether it is a block from the heap that the call makes, and returns.
    pub made: bool,
    /// Of a number, the least with which the device serves a call, where it has a greatest one.
    #[serde(default)]
    pub least: u64,
    /// Of a number, the greatest with which the device serves a call.
    #[serde(default)]
    pub most: Option<u64>,
}

/// A pointer in what another argument holds.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Field {
    /// The other argument.
    pub argument: usize,
    /// Where the pointer is in it.
    pub byte: i64,
    /// Whether the kernel may write there when it writes to the other argument.
    pub open: bool,
}

/// A member of a struct that another argument is.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Part {
    /// The other argument.
    pub argument: usize,
    /// Where it begins there.
    pub byte: usize,
    /// Its size.
    pub bytes: usize,
}

/// How well the compiler knows what a call touches of an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Extent {
    /// A call touches just the extent: proven.
    Exact,
    /// A call touches at most the extent: proven; the buffer may be shorter.
    Bound,
    /// An annotation says so; checked in each call.
    Declared,
    /// The type of the parameter says so (`int a[64]`); a call may touch more.
    Typed,
    /// Only the call itself tells.
    Observed,
}

impl Extent {
    /// As in the manifest.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Bound => "bound",
            Self::Declared => "declared",
            Self::Typed => "typed",
            Self::Observed => "observed",
        }
    }
}

/// How the hardware sees an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// An array read or written once, in order.
    Stream,
    /// An array accessed in any order.
    Memory,
    /// A small array passed by value.
    Block,
    /// A number passed by value.
    Scalar,
    /// An array that is a part of another argument's: the element at which it begins there, by value.
    Place,
}

/// Which way an argument's data goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Flow {
    /// Read by the kernel.
    In,
    /// Fully written by the kernel.
    Out,
    /// Read, or only partly written, as well as written.
    Inout,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct FileEntry {
    pub(super) bytes: u64,
    pub(super) sha256: String,
}

impl Parameter {
    /// The value of a number, without a sign; 0 for anything else.
    ///
    /// # Safety
    /// A scalar has its element's bytes at the address, which may be null.
    pub unsafe fn scalar(&self, address: *mut c_void) -> u64 {
        let bytes = (self.element_bytes as usize).min(8);
        let mut value = [0; 8];
        if self.kind == Kind::Scalar && !address.is_null() {
            // SAFETY: the caller's promise.
            let source = unsafe { std::slice::from_raw_parts(address.cast::<u8>(), bytes) };
            value[..bytes].copy_from_slice(source);
        }
        u64::from_le_bytes(value)
    }

    /// Whether it is an array in the device too.
    pub fn is_pointer(&self) -> bool {
        !matches!(self.kind, Kind::Scalar | Kind::Place)
    }

    /// Whether arrays of the program are parts of it.
    pub fn is_whole(&self) -> bool {
        !self.joins.is_empty()
    }

    /// Whether its data lies in device memory and crosses the link.
    pub fn in_device_memory(&self) -> bool {
        matches!(self.kind, Kind::Stream | Kind::Memory)
    }

    /// Whether its data goes to the device: it is read, or parts of it stay as they were.
    pub fn is_read(&self) -> bool {
        self.direction != Flow::Out
    }

    /// Whether the caller's buffer changes.
    pub fn is_written(&self) -> bool {
        self.direction != Flow::In
    }
}

impl Manifest {
    /// Whether of some argument only a bound is known, which may be far from what a call touches.
    pub fn has_bounds(&self) -> bool {
        self.arguments.iter().any(|parameter| parameter.extent == Extent::Bound)
    }

    /// Whether some arrays of the program are one in the device.
    pub fn has_joined(&self) -> bool {
        self.arguments.iter().any(Parameter::is_whole)
    }

    /// Whether a call makes the array that it returns.
    pub fn has_made(&self) -> bool {
        self.arguments.iter().any(|parameter| parameter.made)
    }

    /// A number that is not between those that the device serves calls with, the greatest one of
    /// these, and what it is in this call.
    ///
    /// # Safety
    /// The arguments are those of a call.
    pub unsafe fn beyond(&self, data: &[*mut c_void]) -> Option<(&Parameter, u64, u64)> {
        let mut rows = self.arguments.iter().zip(data);
        rows.find_map(|(parameter, &address)| {
            // SAFETY: the caller's promise.
            let value = unsafe { parameter.scalar(address) };
            let is_beyond = |&most: &u64| !(parameter.least..=most).contains(&value);
            parameter.most.filter(is_beyond).map(|most| (parameter, most, value))
        })
    }

    /// Checks how many arguments a call has.
    ///
    /// # Errors
    /// [`Status::BadArgument`] with what it has and what it needs.
    pub fn check_count(&self, count: usize) -> Result<()> {
        if count == self.arguments.len() {
            return Ok(());
        }
        let needed = self.arguments.len();
        let message = format!(
            "kernel {}: called with {count} arguments, its interface has {needed}",
            self.kernel
        );
        Err(Error::new(Status::BadArgument, format!("{message}; {CURE}")))
    }

    /// Whether two arguments, by their places, may be one buffer.
    pub fn may_share(&self, first: usize, second: usize) -> bool {
        let (first, second) = (&self.arguments[first].name, &self.arguments[second].name);
        self.in_place.iter().any(|(read, written)| {
            (read, written) == (first, second) || (read, written) == (second, first)
        })
    }
}
