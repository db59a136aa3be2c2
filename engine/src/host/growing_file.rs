// SPDX-License-Identifier: Apache-2.0
//! A file that grows as the program runs. It is opened for each part that is written: a program may
//! close descriptors that it does not know, and use their numbers again.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result, Status};
use crate::host::replaceable;

/// Bytes that are written at once.
const PART_BYTES: usize = 1 << 18;

/// A file of one process, and what waits to be written to it.
#[derive(Debug)]
pub struct GrowingFile {
    path: PathBuf,
    waiting: Vec<u8>,
    is_broken: bool,
}

impl GrowingFile {
    /// `prefix` with the process's number, the value of the environment's `variable`. A file that is
    /// there has to begin with `head`; `begin` takes its place, or nothing and it goes on.
    ///
    /// # Errors
    /// [`Status::BadArgument`] where it cannot be written, or is something else.
    pub fn new(
        (variable, prefix, process): (&str, &Path, u32),
        head: &str,
        begin: Option<&str>,
    ) -> Result<Self> {
        let mut path = prefix.to_path_buf();
        path.as_mut_os_string().push(format!(".{process}"));
        let begun = replaceable::require(&path, head).and_then(|()| match begin {
            Some(text) => std::fs::write(&path, text),
            None => opened(&path).map(|_| ()),
        });
        if let Err(error) = begun {
            let message = format!("{variable}: cannot write {}: {error}", path.display());
            return Err(Error::new(Status::BadArgument, message));
        }
        Ok(Self { path, waiting: Vec::new(), is_broken: false })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds what `fill` appends.
    pub fn add(&mut self, fill: impl FnOnce(&mut Vec<u8>)) {
        fill(&mut self.waiting);
        if self.waiting.len() >= PART_BYTES {
            self.flush();
        }
    }

    /// Writes what is not yet in the file. After a failure nothing more is written: who reads the
    /// file finds less in it than was told.
    pub fn flush(&mut self) {
        if !self.waiting.is_empty() && !self.is_broken {
            let written = opened(&self.path).and_then(|mut file| file.write_all(&self.waiting));
            self.is_broken = written.is_err();
        }
        self.waiting.clear();
    }
}

fn opened(path: &Path) -> io::Result<File> {
    OpenOptions::new().append(true).create(true).open(path)
}
