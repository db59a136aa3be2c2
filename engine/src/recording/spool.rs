// SPDX-License-Identifier: Apache-2.0
//! The file of a recording: blocks, each with its length and its kind, as they come.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use serde::Serialize;

use super::Record;
use super::system::Shows;
use crate::error::Result;
use crate::host::growing_file::GrowingFile;
use crate::host::replaceable;
use crate::wave::Part;

const HEAD_BYTES: usize = 5;

/// What a block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Block {
    /// A kernel, as JSON.
    Kernel,
    /// When a call's cycles began.
    Begins,
    /// What signals did in some of its cycles.
    Part,
    /// How many it had.
    Ends,
    /// A component's name.
    Component,
    /// What it does from a time on.
    System,
}

impl Block {
    const ALL: [Self; 6] =
        [Self::Kernel, Self::Begins, Self::Part, Self::Ends, Self::Component, Self::System];

    fn of(number: u8) -> io::Result<Self> {
        let unknown = || io::Error::other(format!("a block of the unknown kind {number}"));
        Self::ALL.get(usize::from(number)).copied().ok_or_else(unknown)
    }
}

/// The file as it is written.
#[derive(Debug)]
pub(super) struct Spool(GrowingFile);

impl Spool {
    pub(super) fn new(prefix: &Path, process: u32) -> Result<Self> {
        let head = replaceable::RECORDING;
        GrowingFile::new(("TANDEM_WAVE", prefix, process), head, Some(head)).map(Self)
    }

    pub(super) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(super) fn json(&mut self, kind: Block, row: &impl Serialize) {
        // Writing numbers and names into memory does not fail.
        let text = serde_json::to_vec(row).unwrap_or_default();
        self.block(kind, |body| body.extend(text));
    }

    pub(super) fn begins(&mut self, record: Record, time_ps: u64, clock_ps: u64) {
        self.block(Block::Begins, |body| put(body, &[record, time_ps, clock_ps]));
    }

    /// `first`: the first of so many cycles.
    pub(super) fn part(
        &mut self,
        (record, kernel): (Record, usize),
        (first, cycles): (u64, u64),
        part: &Part,
    ) {
        self.block(Block::Part, |body| {
            put(body, &[record, kernel as u64, first, cycles]);
            for (_, changes) in &part.chains {
                body.extend(length(changes.len()));
                body.extend(changes);
            }
        });
    }

    pub(super) fn ends(&mut self, (record, kernel): (Record, usize), cycles: u64) {
        self.block(Block::Ends, |body| put(body, &[record, kernel as u64, cycles]));
    }

    pub(super) fn component(&mut self, name: &str) {
        self.block(Block::Component, |body| body.extend(name.as_bytes()));
    }

    pub(super) fn shows(&mut self, shows: &Shows) {
        self.block(Block::System, |body| put(body, &shows.numbers()));
    }

    fn block(&mut self, kind: Block, fill: impl FnOnce(&mut Vec<u8>)) {
        self.0.add(|blocks| {
            let begin = blocks.len();
            blocks.extend([0, 0, 0, 0, kind as u8]);
            fill(blocks);
            let bytes = length(blocks.len() - begin - HEAD_BYTES);
            blocks[begin..begin + 4].copy_from_slice(&bytes);
        });
    }

    /// Writes what is not yet in the file.
    pub(super) fn flush(&mut self) {
        self.0.flush();
    }
}

/// How long what follows is, as blocks have it.
fn length(bytes: usize) -> [u8; 4] {
    debug_assert!(u32::try_from(bytes).is_ok(), "a block of {bytes} bytes");
    (bytes as u32).to_le_bytes()
}

fn put(body: &mut Vec<u8>, numbers: &[u64]) {
    numbers.iter().for_each(|number| body.extend(number.to_le_bytes()));
}

/// The numbers that a block begins with.
fn numbers<const N: usize>(body: &[u8]) -> io::Result<[u64; N]> {
    let bytes = body.as_chunks::<8>().0;
    let found: Vec<_> = bytes.iter().take(N).map(|bytes| u64::from_le_bytes(*bytes)).collect();
    found.try_into().map_err(|_| io::Error::other("a block is too short"))
}

/// The file as it is read, block by block.
pub(super) struct Blocks {
    file: BufReader<File>,
    /// Where the block under way begins.
    place: u64,
}

impl Blocks {
    pub(super) fn new(path: &Path) -> io::Result<Self> {
        let (mut file, head) = (BufReader::new(File::open(path)?), replaceable::RECORDING);
        let mut begin = vec![0; head.len()];
        file.read_exact(&mut begin)?;
        match begin == head.as_bytes() {
            true => Ok(Self { file, place: head.len() as u64 }),
            false => Err(io::Error::other(format!("{} is no recording", path.display()))),
        }
    }

    /// The next block: its kind, and where its body is; nothing at the end, or where it was cut off.
    pub(super) fn next(&mut self) -> io::Result<Option<(Block, u64, usize)>> {
        let mut head = [0; HEAD_BYTES];
        if let Err(error) = self.file.read_exact(&mut head) {
            return if error.kind() == io::ErrorKind::UnexpectedEof {
                Ok(None)
            } else {
                Err(error)
            };
        }
        let [a, b, c, d, kind] = head;
        let bytes = u32::from_le_bytes([a, b, c, d]) as usize;
        let body = self.place + HEAD_BYTES as u64;
        self.place = body + bytes as u64;
        Ok(Some((Block::of(kind)?, body, bytes)))
    }

    /// The body of the block that came last.
    pub(super) fn body(&mut self, bytes: usize) -> io::Result<Vec<u8>> {
        let mut body = vec![0; bytes];
        self.file.read_exact(&mut body)?;
        Ok(body)
    }

    /// The numbers that the body begins with; the rest is left out.
    pub(super) fn head<const N: usize>(&mut self, bytes: usize) -> io::Result<[u64; N]> {
        let body = self.body(bytes.min(N * 8))?;
        self.file.seek_relative((bytes - body.len()) as i64)?;
        numbers(&body)
    }

    /// A body elsewhere.
    pub(super) fn body_at(&mut self, place: u64, bytes: usize) -> io::Result<Vec<u8>> {
        self.file.seek(SeekFrom::Start(place))?;
        self.body(bytes)
    }
}
