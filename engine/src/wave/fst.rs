// SPDX-License-Identifier: Apache-2.0
//! FST, the format of GTKWave that Surfer and others read too: all changes of a signal lie together,
//! in sections of the time, which are compressed and written one after the other.

use std::fs::File;
use std::io::{BufWriter, Result, Seek, SeekFrom, Write};

use super::hierarchy::{Signal, Step, steps};
use super::varint::varint;
use super::{Section, Writer};

/// Less than that is not worth compressing.
const LEAST_COMPRESSED: usize = 32;
/// How hard zlib tries.
const ZLIB_LEVEL: u8 = 3;

const HEADER: u8 = 0;
const GEOMETRY: u8 = 3;
const HIERARCHY_LZ4: u8 = 6;
const CHANGES: u8 = 8;
const HEADER_BYTES: u64 = 329;
const VERSION_BYTES: usize = 128;
const DATE_BYTES: usize = 119;
const PICOSECONDS: i8 = -12;
/// Where in the file the header has its numbers of what follows.
const NUMBERS_AT: u64 = 1 + 2 * 8;
const MODULE: [u8; 2] = [254, 0];
const UP: u8 = 255;
const WIRE: u8 = 16;
const TEXT: u8 = 21;
/// The width of text in the table of signals.
const TEXT_WIDTH: u64 = u32::MAX as u64;
const LZ4: u8 = b'4';

/// A file under way.
pub struct Fst {
    out: BufWriter<File>,
    signals: u64,
    scopes: u64,
    sections: u64,
    /// The last time of the section before, and the one behind it.
    last_ps: u64,
    end_ps: u64,
}

impl Fst {
    /// Begins a file.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn new(file: File, signals: &[Signal]) -> Result<Self> {
        let mut made = Self {
            out: BufWriter::new(file),
            signals: signals.len() as u64,
            scopes: 0,
            sections: 0,
            last_ps: 0,
            end_ps: 0,
        };
        made.header()?;
        made.hierarchy(signals)?;
        made.geometry(signals)?;
        Ok(made)
    }

    fn header(&mut self) -> Result<()> {
        self.out.write_all(&[HEADER])?;
        self.out.write_all(&HEADER_BYTES.to_be_bytes())?;
        // Begin and end.
        self.out.write_all(&[0; 16])?;
        // By which a reader knows the order of bytes.
        self.out.write_all(&std::f64::consts::E.to_le_bytes())?;
        // The writer's memory; then scopes, variables, signals, sections.
        self.out.write_all(&[0; 5 * 8])?;
        self.out.write_all(&PICOSECONDS.to_be_bytes())?;
        let version = concat!("Tandem ", env!("CARGO_PKG_VERSION"));
        let mut told = version.as_bytes().to_vec();
        told.resize(VERSION_BYTES + DATE_BYTES, 0);
        self.out.write_all(&told)?;
        // A file of Verilog's kind; nothing is added to times.
        self.out.write_all(&[0; 9])
    }

    fn hierarchy(&mut self, signals: &[Signal]) -> Result<()> {
        let mut text = Vec::new();
        for step in steps(signals) {
            match step {
                Step::Down(name) => {
                    self.scopes += 1;
                    text.extend(MODULE);
                    text.extend(name.as_bytes());
                    // Its end, and that of the component's name, of which there is none.
                    text.extend([0, 0]);
                }
                Step::Up => text.push(UP),
                Step::Signal(signal) => {
                    text.extend([if signal.bits == 0 { TEXT } else { WIRE }, 0]);
                    text.extend(signal.name.as_bytes());
                    text.push(0);
                    varint(&mut text, signal.bits.into());
                    // It is no other name of one before.
                    varint(&mut text, 0);
                }
            }
        }
        let packed = lz4_flex::compress(&text);
        self.out.write_all(&[HIERARCHY_LZ4])?;
        self.out.write_all(&(packed.len() as u64 + 16).to_be_bytes())?;
        self.out.write_all(&(text.len() as u64).to_be_bytes())?;
        self.out.write_all(&packed)
    }

    fn geometry(&mut self, signals: &[Signal]) -> Result<()> {
        let mut widths = Vec::new();
        for signal in signals {
            varint(&mut widths, if signal.bits == 0 { TEXT_WIDTH } else { signal.bits.into() });
        }
        self.out.write_all(&[GEOMETRY])?;
        for number in [widths.len() as u64 + 3 * 8, widths.len() as u64, self.signals] {
            self.out.write_all(&number.to_be_bytes())?;
        }
        self.out.write_all(&widths)
    }

    /// The times of a section, one a tick.
    fn times(body: &mut Vec<u8>, section: &Section) {
        let (mut table, mut before_ps) = (Vec::new(), 0);
        for &time_ps in &section.times_ps {
            varint(&mut table, time_ps - before_ps);
            before_ps = time_ps;
        }
        let packed = miniz_oxide::deflate::compress_to_vec_zlib(&table, ZLIB_LEVEL);
        let kept = if packed.len() < table.len() { &packed } else { &table };
        body.extend(kept);
        for number in [table.len(), kept.len(), section.times_ps.len()].map(|count| count as u64) {
            body.extend(number.to_be_bytes());
        }
    }
}

impl Writer for Fst {
    fn section(&mut self, section: &Section) -> Result<()> {
        let (Some(&first_ps), Some(&last_ps)) = (section.times_ps.first(), section.times_ps.last())
        else {
            return Ok(());
        };
        let frames = section.parts.iter().map(|part| part.frame.len() as u64).sum();
        let mut body = Vec::new();
        for number in [frames, frames, self.signals] {
            varint(&mut body, number);
        }
        section.parts.iter().for_each(|part| body.extend(&part.frame));
        varint(&mut body, self.signals);
        let needed = chains(&mut body, section);
        Self::times(&mut body, section);
        self.out.write_all(&[CHANGES])?;
        // Sections follow each other without a gap.
        let begin_ps = if self.sections == 0 { first_ps } else { self.last_ps };
        for number in [body.len() as u64 + 4 * 8, begin_ps, last_ps, needed] {
            self.out.write_all(&number.to_be_bytes())?;
        }
        (self.last_ps, self.end_ps) = (last_ps, section.end_ps);
        self.sections += 1;
        self.out.write_all(&body)
    }

    fn end(&mut self) -> Result<()> {
        self.out.seek(SeekFrom::Start(NUMBERS_AT))?;
        // The last tick has its width, which is behind the last change.
        self.out.write_all(&self.end_ps.to_be_bytes())?;
        self.out.seek(SeekFrom::Current(2 * 8))?;
        for number in [self.scopes, self.signals, self.signals, self.sections] {
            self.out.write_all(&number.to_be_bytes())?;
        }
        self.out.flush()
    }
}

/// The changes of each signal, and where they are; how much room they need, uncompressed.
fn chains(body: &mut Vec<u8>, section: &Section) -> u64 {
    let (begin, mut before) = (body.len(), 0);
    body.push(LZ4);
    let (mut places, mut unchanged, mut needed) = (Vec::new(), 0, 0);
    for (_, changes) in section.parts.iter().flat_map(|part| &part.chains) {
        if changes.is_empty() {
            unchanged += 1;
            continue;
        }
        if unchanged > 0 {
            varint(&mut places, std::mem::take(&mut unchanged) << 1);
        }
        let place = body.len() - begin;
        signed_varint(&mut places, (place - before) as i64 * 2 + 1);
        before = place;
        needed += changes.len() as u64;
        compressed(body, changes);
    }
    if unchanged > 0 {
        varint(&mut places, unchanged << 1);
    }
    body.extend(&places);
    body.extend((places.len() as u64).to_be_bytes());
    needed
}

/// Data with its length before it, which is 0 if it is not compressed.
fn compressed(body: &mut Vec<u8>, data: &[u8]) {
    let packed = (data.len() >= LEAST_COMPRESSED).then(|| lz4_flex::compress(data));
    match packed.filter(|packed| packed.len() < data.len()) {
        Some(packed) => {
            varint(body, data.len() as u64);
            body.extend(packed);
        }
        None => {
            varint(body, 0);
            body.extend(data);
        }
    }
}

/// As [`varint`], of a number with a sign.
fn signed_varint(out: &mut Vec<u8>, mut value: i64) {
    while !(-0x40..0x40).contains(&value) {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8 & 0x7f);
}
