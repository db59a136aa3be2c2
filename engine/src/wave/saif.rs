// SPDX-License-Identifier: Apache-2.0
//! SAIF 2.0 (IEEE 1801, annex I): of each bit of the kernels' signals, how long it was 0, 1 and unknown,
//! and how often it has changed. An instance a kernel, with the names of its Verilog.

use std::fs::File;
use std::io::{BufWriter, Result, Write};

use super::{Change, Section, Signal, Writer, changes};

/// A file that is written at the end.
pub struct Saif {
    out: BufWriter<File>,
    /// The first time, if one has come.
    first_ps: Option<u64>,
    end_ps: u64,
    nets: Vec<Net>,
}

/// A signal.
struct Net {
    /// Its module and its name there, if it has one in a kernel's Verilog.
    name: Option<(String, String)>,
    /// What it is, the highest bit first, since a time.
    now: Vec<u8>,
    since_ps: u64,
    bits: Vec<Activity>,
}

/// What a bit has done, in ps.
#[derive(Debug, Clone, Copy, Default)]
struct Activity {
    high_ps: u64,
    unknown_ps: u64,
    toggles: u64,
}

impl Saif {
    /// Begins a file.
    pub fn new(file: File, signals: &[Signal]) -> Self {
        let net = |signal: &Signal| Net {
            name: signal.module.clone().map(|module| (module, signal.name.clone())),
            now: vec![b'x'; signal.bits as usize],
            since_ps: 0,
            bits: vec![Activity::default(); signal.bits as usize],
        };
        let nets = signals.iter().map(net).collect();
        Self { out: BufWriter::new(file), first_ps: None, end_ps: 0, nets }
    }

    /// From the first time to the end.
    fn whole_ps(&self) -> u64 {
        self.end_ps - self.first_ps.unwrap_or(self.end_ps)
    }

    /// A kernel's nets.
    fn instance(&mut self, module: &str) -> Result<()> {
        let whole_ps = self.whole_ps();
        let Self { out, nets, .. } = self;
        writeln!(out, "(INSTANCE {module}\n(NET")?;
        for net in nets {
            let Some((_, name)) = net.name.as_ref().filter(|(own, _)| own == module) else {
                continue;
            };
            let last = net.bits.len() - 1;
            for (place, bit) in net.bits.iter().enumerate() {
                let name = match last {
                    0 => name.clone(),
                    _ => format!("{name}\\[{}\\]", last - place),
                };
                let Activity { high_ps, unknown_ps, toggles } = *bit;
                let low_ps = whole_ps - high_ps - unknown_ps;
                writeln!(
                    out,
                    "({name} (T0 {low_ps}) (T1 {high_ps}) (TX {unknown_ps}) (TC {toggles}) (IG 0))"
                )?;
            }
        }
        writeln!(out, ")\n)")
    }
}

impl Writer for Saif {
    fn section(&mut self, section: &Section) -> Result<()> {
        let Some(&begin_ps) = section.times_ps.first() else { return Ok(()) };
        let first_ps = *self.first_ps.get_or_insert(begin_ps);
        self.end_ps = section.end_ps;
        let chains = section.parts.iter().flat_map(|part| &part.chains);
        for (net, (bits, data)) in self.nets.iter_mut().zip(chains) {
            if net.name.is_some() {
                net.since_ps = net.since_ps.max(first_ps);
                let times_ps = &section.times_ps;
                changes(*bits, data).for_each(|one| net.becomes(times_ps[one.at as usize], one));
            }
        }
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        let whole_ps = self.whole_ps();
        writeln!(
            self.out,
            "(SAIFILE\n(SAIFVERSION \"2.0\")\n(DIRECTION \"backward\")\n(VENDOR \"Tandem\")\n\
             (PROGRAM_NAME \"tandem\")\n(VERSION \"{}\")\n(DIVIDER / )\n(TIMESCALE 1 ps)\n(DURATION {})",
            env!("CARGO_PKG_VERSION"),
            whole_ps,
        )?;
        let end_ps = self.end_ps;
        self.nets.iter_mut().for_each(|net| net.stays(end_ps));
        let mut modules: Vec<_> =
            self.nets.iter().filter_map(|net| Some(net.name.as_ref()?.0.clone())).collect();
        modules.dedup();
        for module in modules {
            self.instance(&module)?;
        }
        writeln!(self.out, ")")?;
        self.out.flush()
    }
}

impl Net {
    /// It has been as it is until a time.
    fn stays(&mut self, until_ps: u64) {
        let ps = until_ps.saturating_sub(std::mem::replace(&mut self.since_ps, until_ps));
        for (bit, now) in self.bits.iter_mut().zip(&self.now) {
            match now {
                b'1' => bit.high_ps += ps,
                b'x' => bit.unknown_ps += ps,
                _ => {}
            }
        }
    }

    fn becomes(&mut self, time_ps: u64, Change { value, .. }: Change) {
        self.stays(time_ps);
        for ((bit, now), next) in self.bits.iter_mut().zip(&self.now).zip(&value) {
            bit.toggles += u64::from(now != next && *now != b'x' && *next != b'x');
        }
        self.now = value;
    }
}
