// SPDX-License-Identifier: Apache-2.0
//! Every span of a run in a file, a line of JSON each, as it happens. The file is opened for each
//! part that is written: a program may close descriptors that it does not know, and use their
//! numbers again.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result, Status};
use crate::replaceable;
use crate::trace::Span;

/// Bytes that are written at once.
const PART_BYTES: usize = 1 << 16;

/// A file of spans.
#[derive(Debug)]
pub struct SpanFile {
    path: PathBuf,
    part: Vec<u8>,
    is_broken: bool,
}

impl SpanFile {
    /// The file of one process: `prefix` with its number.
    ///
    /// # Errors
    /// [`Status::BadArgument`] where it cannot be written, or is something else.
    pub fn new(prefix: &Path, process: u32) -> Result<Self> {
        let mut path = prefix.to_path_buf();
        path.as_mut_os_string().push(format!(".{process}"));
        let usable = replaceable::require(&path, replaceable::SPANS).and_then(|()| opened(&path));
        if let Err(error) = usable {
            let message = format!("TANDEM_SPANS: cannot write {}: {error}", path.display());
            return Err(Error::new(Status::BadArgument, message));
        }
        Ok(Self { path, part: Vec::new(), is_broken: false })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds a span.
    pub fn add(&mut self, span: &Span) {
        // Writing numbers and names into memory does not fail.
        let _ = serde_json::to_writer(&mut self.part, span);
        self.part.push(b'\n');
        if self.part.len() >= PART_BYTES {
            self.flush();
        }
    }

    /// Writes what is not yet in the file. After a failure nothing more is written: who reads the
    /// file finds fewer lines than the report counts.
    pub fn flush(&mut self) {
        if !self.part.is_empty() && !self.is_broken {
            let written = opened(&self.path).and_then(|mut file| file.write_all(&self.part));
            self.is_broken = written.is_err();
        }
        self.part.clear();
    }
}

fn opened(path: &Path) -> io::Result<File> {
    OpenOptions::new().append(true).create(true).open(path)
}
