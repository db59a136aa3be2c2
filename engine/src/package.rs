// SPDX-License-Identifier: Apache-2.0
//! A package as the executable holds it (docs/package.md): read, and refused unless it is exactly
//! what the compiler of this version wrote.

mod manifest;

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::error::{Error, Result, Status};

pub use manifest::{Extent, Field, Fifo, Flow, Given, Kind, LoopFacts, Manifest, Parameter, Part};

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
