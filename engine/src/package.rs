// SPDX-License-Identifier: Apache-2.0
//! A package as the executable holds it (docs/package.md): read, and refused unless it is exactly
//! what the compiler of this version wrote.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::ffi::c_void;

use crate::error::{Error, Result, Status};

/// The engine's version, which is also that of the packages it runs.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
const FORMAT: &str = "tandem-package";
const FORMAT_VERSION: u64 = 12;
const MANIFEST: &str = "manifest.json";
const CURE: &str = "compile the kernel again and rebuild the program";

/// One file of a package, in memory.
#[derive(Debug, Clone, Copy)]
pub struct PackageFile<'a> {
    /// Its name in the package.
    pub name: &'a str,
    /// Its content.
    pub data: &'a [u8],
}

/// A package whose files are what its manifest says.
#[derive(Debug)]
pub struct Package<'a> {
    /// What the manifest says.
    pub manifest: Manifest,
    /// Identity of the package: the manifest names the hash of every other file.
    pub manifest_sha256: String,
    files: Vec<PackageFile<'a>>,
}

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
    files: BTreeMap<String, FileEntry>,
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
struct FileEntry {
    bytes: u64,
    sha256: String,
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

/// What so many bytes of an array take, where an element takes what `room` says.
pub fn spread(bytes: u64, element_bytes: u64, room: impl Fn(u64) -> u64) -> u64 {
    let taken = room(element_bytes);
    if taken == element_bytes {
        return bytes;
    }
    bytes.div_ceil(element_bytes.max(1)).saturating_mul(taken)
}

impl<'a> Package<'a> {
    /// Reads a package and checks it.
    ///
    /// # Errors
    /// [`Status::BadPackage`] with the cause and the cure.
    pub fn read(files: Vec<PackageFile<'a>>) -> Result<Self> {
        let text = content(&files, MANIFEST).ok_or_else(|| refuse("manifest.json is missing"))?;
        let manifest = read_manifest(text)?;
        for file in files.iter().filter(|file| file.name != MANIFEST) {
            check_file(file, &manifest)?;
        }
        Ok(Self { manifest, manifest_sha256: sha256_hex(text), files })
    }

    /// Content of a file.
    ///
    /// # Errors
    /// [`Status::BadPackage`] if the executable does not hold it.
    pub fn file(&self, name: &str) -> Result<&'a [u8]> {
        content(&self.files, name).ok_or_else(|| {
            refuse(&format!("kernel {}: {name} is not in the program", self.manifest.kernel))
        })
    }
}

fn content<'a>(files: &[PackageFile<'a>], name: &str) -> Option<&'a [u8]> {
    files.iter().find(|file| file.name == name).map(|file| file.data)
}

/// The versions are checked before the rest: another version's manifest may look quite different.
fn read_manifest(text: &[u8]) -> Result<Manifest> {
    let value: Value = serde_json::from_slice(text).map_err(|error| {
        let what = if error.is_eof() { "is cut short" } else { "is not JSON" };
        refuse(&format!("manifest.json {what}: {error}"))
    })?;
    check_version(&value)?;
    let manifest: Manifest = serde_json::from_value(value)
        .map_err(|error| refuse(&format!("manifest.json was changed: {error}")))?;
    check_manifest(&manifest)?;
    Ok(manifest)
}

fn check_version(manifest: &Value) -> Result<()> {
    let expected =
        [("format", Value::from(FORMAT)), ("format_version", Value::from(FORMAT_VERSION))];
    for (key, value) in expected {
        let found = &manifest[key];
        if *found != value {
            let message = format!("manifest.json has {key} {found}, this engine needs {value}");
            return Err(refuse(&message));
        }
    }
    Ok(())
}

fn check_manifest(manifest: &Manifest) -> Result<()> {
    if manifest.clock_ps == 0 {
        return Err(refuse("manifest.json was changed: clock_ps is 0"));
    }
    let count = manifest.arguments.len();
    if manifest.arguments.iter().flat_map(|parameter| &parameter.joins).any(|&part| part >= count) {
        return Err(refuse("manifest.json was changed: an argument joins one that is not there"));
    }
    let mut parts =
        manifest.arguments.iter().enumerate().filter_map(|(i, p)| Some((i, p.part.as_ref()?)));
    if parts.any(|(i, part)| part.argument >= i) {
        return Err(refuse("manifest.json was changed: an argument is part of one behind it"));
    }
    match manifest.arguments.iter().find(|parameter| parameter.element_bytes == 0) {
        Some(parameter) => {
            let name = &parameter.name;
            Err(refuse(&format!(
                "manifest.json was changed: argument {name} has records of 0 bytes"
            )))
        }
        None => Ok(()),
    }
}

fn check_file(file: &PackageFile<'_>, manifest: &Manifest) -> Result<()> {
    let PackageFile { name, data } = *file;
    let kernel = &manifest.kernel;
    let Some(entry) = manifest.files.get(name) else {
        return Err(refuse(&format!("kernel {kernel}: {name} is not in its manifest")));
    };
    let bytes = data.len() as u64;
    if bytes != entry.bytes {
        let what = if bytes < entry.bytes { "is cut short" } else { "was changed" };
        let sizes = format!("{bytes} bytes, its manifest says {}", entry.bytes);
        return Err(refuse(&format!("kernel {kernel}: {name} {what}: {sizes}")));
    }
    if !sha256_hex(data).eq_ignore_ascii_case(&entry.sha256) {
        let message =
            format!("kernel {kernel}: {name} was changed since it was made (sha256 differs)");
        return Err(refuse(&message));
    }
    Ok(())
}

/// A content's SHA-256 as lower-case hexadecimal digits.
pub fn sha256_hex(data: &[u8]) -> String {
    Sha256::digest(data).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn refuse(cause: &str) -> Error {
    Error::new(Status::BadPackage, format!("{cause}; {CURE}"))
}

#[cfg(test)]
mod tests {
    use super::spread;

    #[test]
    fn an_array_takes_the_room_of_its_elements() {
        let padded = |bytes: u64| bytes.next_multiple_of(8);
        assert_eq!(spread(9, 3, padded), 24, "three of 8 bytes");
        assert_eq!(spread(10, 3, padded), 32, "what is begun takes the room of a whole one");
        assert_eq!(spread(0, 3, padded), 0);
        assert_eq!(spread(20, 16, padded), 20, "nothing is between elements of 16 bytes");
        assert_eq!(spread(10, 3, |bytes| bytes), 10);
    }
}
