// SPDX-License-Identifier: Apache-2.0
//! Every span of a run in a file, a line of JSON each, as it happens.

use std::path::Path;

use serde::Serialize;

use crate::error::Result;
use crate::host::growing_file::GrowingFile;
use crate::host::replaceable;

/// A file of spans.
#[derive(Debug)]
pub struct SpanFile(GrowingFile);

impl SpanFile {
    /// The file of one process: `prefix` with its number. One that is there goes on: the process
    /// may have become another program.
    ///
    /// # Errors
    /// [`crate::error::Status::BadArgument`] where it cannot be written, or is something else.
    pub fn new(prefix: &Path, process: u32) -> Result<Self> {
        GrowingFile::new(("TANDEM_SPANS", prefix, process), replaceable::SPANS, None).map(Self)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Adds a span.
    pub fn add(&mut self, span: &impl Serialize) {
        self.0.add(|lines| {
            // Writing numbers and names into memory does not fail.
            let _ = serde_json::to_writer(&mut *lines, span);
            lines.push(b'\n');
        });
    }

    /// Writes what is not yet in the file.
    pub fn flush(&mut self) {
        self.0.flush();
    }
}
