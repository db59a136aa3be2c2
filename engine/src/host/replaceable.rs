// SPDX-License-Identifier: Apache-2.0
//! Results go only over former results: a file that is there is one by how it begins. A name given
//! by mistake, a source's or a document's, costs nobody a file.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

/// How a report begins.
pub const REPORT: &str = "{\n  \"format\": \"tandem-run\"";
/// How a file of spans begins.
pub const SPANS: &str = "{\"component\":";
/// How a recording begins.
pub const RECORDING: &str = "tandem-recording\n";

/// Whether a result that begins with `head` may be written to `path`: nothing is there, or nothing
/// is in it, or a former one, or it is no file that could be replaced (a device, a pipe).
///
/// # Errors
/// [`io::ErrorKind::AlreadyExists`], or the file system's.
pub fn require(path: &Path, head: &str) -> io::Result<()> {
    // Through links: they are written through.
    if !fs::metadata(path).is_ok_and(|found| found.is_file() && found.len() > 0) {
        return Ok(());
    }
    let mut begin = Vec::new();
    fs::File::open(path)?.take(head.len() as u64).read_to_end(&mut begin)?;
    if begin == head.as_bytes() {
        return Ok(());
    }
    let text = "a file of another kind is there; move it away, or choose another name";
    Err(io::Error::new(io::ErrorKind::AlreadyExists, text))
}
