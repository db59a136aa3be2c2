// SPDX-License-Identifier: Apache-2.0
//! VCD, the text of IEEE 1364, with GTKWave's `string` for what is text.

use std::fs::File;
use std::io::{BufWriter, Result, Write};

use super::chain::changes;
use super::hierarchy::{Signal, Step, steps};
use super::{Section, Writer};

/// Characters that names of signals are made of, from `!` on.
const CODES: usize = 94;

/// A file under way.
pub struct Vcd {
    out: BufWriter<File>,
    codes: Vec<String>,
    /// The time at which the last section has ended.
    end_ps: u64,
}

impl Vcd {
    /// Begins a file.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn new(file: File, signals: &[Signal]) -> Result<Self> {
        let mut out = BufWriter::new(file);
        writeln!(out, "$version Tandem {} $end", env!("CARGO_PKG_VERSION"))?;
        writeln!(out, "$timescale 1 ps $end")?;
        let codes: Vec<_> = (0..signals.len()).map(code).collect();
        let mut names = codes.iter();
        for step in steps(signals) {
            match step {
                Step::Down(name) => writeln!(out, "$scope module {name} $end")?,
                Step::Up => writeln!(out, "$upscope $end")?,
                Step::Signal(signal) => {
                    let (kind, bits) =
                        if signal.bits == 0 { ("string", 1) } else { ("wire", signal.bits) };
                    let code = names.next().map_or("", String::as_str);
                    writeln!(out, "$var {kind} {bits} {code} {} $end", signal.name)?;
                }
            }
        }
        writeln!(out, "$enddefinitions $end")?;
        Ok(Self { out, codes, end_ps: 0 })
    }
}

impl Writer for Vcd {
    fn section(&mut self, section: &Section) -> Result<()> {
        let chains = section.parts.iter().flat_map(|part| &part.chains);
        let mut all = Vec::new();
        for (signal, (bits, data)) in chains.enumerate() {
            all.extend(changes(*bits, data).map(|one| (one.at, signal, *bits, one.value)));
        }
        all.sort_by_key(|&(at, signal, ..)| (at, signal));
        let mut now = None;
        for (at, signal, bits, value) in all {
            if now.replace(at) != Some(at) {
                writeln!(self.out, "#{}", section.times_ps[at as usize])?;
            }
            let kind: &[u8] = match bits {
                0 => b"s",
                1 => b"",
                _ => b"b",
            };
            let space: &[u8] = if bits == 1 { b"" } else { b" " };
            for text in [kind, &value, space, self.codes[signal].as_bytes(), b"\n"] {
                self.out.write_all(text)?;
            }
        }
        self.end_ps = section.end_ps;
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        writeln!(self.out, "#{}", self.end_ps)?;
        self.out.flush()
    }
}

/// The short name of a signal.
fn code(mut number: usize) -> String {
    let mut made = String::new();
    loop {
        made.push(char::from(b'!' + (number % CODES) as u8));
        number /= CODES;
        if number == 0 {
            return made;
        }
        number -= 1;
    }
}
