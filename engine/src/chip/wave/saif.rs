// SPDX-License-Identifier: Apache-2.0
//! SAIF 2.0 (IEEE 1801, annex I): of each bit of the kernels' signals, how long it was 0, 1 and unknown,
//! and how often it has changed. An instance a kernel, with the names of its Verilog.

use std::fs::File;
use std::io::{BufWriter, Result, Write};

use super::hierarchy::Signal;
use super::track::{Change, changes};
use super::{Section, Writer};
use crate::cores::Cycle;

/// A file that is written at the end.
pub struct Saif {
    out: BufWriter<File>,
    clock_ps: u64,
    /// The first cycle, if one has come.
    first: Option<Cycle>,
    end: Cycle,
    nets: Vec<Net>,
}

/// A signal.
struct Net {
    /// Its module and its name there, if it has one in a kernel's Verilog.
    name: Option<(String, String)>,
    /// What it is, the highest bit first, since a cycle.
    now: Vec<u8>,
    since: Cycle,
    bits: Vec<Activity>,
}

/// What a bit has done, in cycles.
#[derive(Debug, Clone, Copy, Default)]
struct Activity {
    high: u64,
    unknown: u64,
    toggles: u64,
}

impl Saif {
    /// Begins a file. `clock_ps`: the period of the clock.
    pub fn new(file: File, signals: &[Signal], clock_ps: u64) -> Self {
        let net = |signal: &Signal| Net {
            name: signal.module.clone().map(|module| (module, signal.name.clone())),
            now: vec![b'x'; signal.bits as usize],
            since: 0,
            bits: vec![Activity::default(); signal.bits as usize],
        };
        let nets = signals.iter().map(net).collect();
        Self { out: BufWriter::new(file), clock_ps, first: None, end: 0, nets }
    }

    /// A kernel's nets.
    fn instance(&mut self, module: &str) -> Result<()> {
        let Self { out, clock_ps, first, end, nets } = self;
        let cycles = *end - first.unwrap_or(*end);
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
                let Activity { high, unknown, toggles } = *bit;
                let low = cycles - high - unknown;
                let [low, high, unknown] = [low, high, unknown].map(|cycles| cycles * *clock_ps);
                writeln!(
                    out,
                    "({name} (T0 {low}) (T1 {high}) (TX {unknown}) (TC {toggles}) (IG 0))"
                )?;
            }
        }
        writeln!(out, ")\n)")
    }
}

impl Writer for Saif {
    fn section(&mut self, section: &Section) -> Result<()> {
        let first = *self.first.get_or_insert(section.first);
        self.end = section.first + section.cycles;
        let chains = section.parts.iter().flat_map(|part| &part.chains);
        for (net, (bits, data)) in self.nets.iter_mut().zip(chains) {
            if net.name.is_some() {
                net.since = net.since.max(first);
                changes(*bits, data).for_each(|change| net.becomes(section.first, change));
            }
        }
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        let cycles = self.end - self.first.unwrap_or(self.end);
        writeln!(
            self.out,
            "(SAIFILE\n(SAIFVERSION \"2.0\")\n(DIRECTION \"backward\")\n(VENDOR \"Tandem\")\n\
             (PROGRAM_NAME \"tandem\")\n(VERSION \"{}\")\n(DIVIDER / )\n(TIMESCALE 1 ps)\n(DURATION {})",
            env!("CARGO_PKG_VERSION"),
            cycles * self.clock_ps,
        )?;
        let end = self.end;
        self.nets.iter_mut().for_each(|net| net.stays(end));
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
    /// It has been as it is until a cycle.
    fn stays(&mut self, until: Cycle) {
        let cycles = until.saturating_sub(std::mem::replace(&mut self.since, until));
        for (bit, now) in self.bits.iter_mut().zip(&self.now) {
            match now {
                b'1' => bit.high += cycles,
                b'x' => bit.unknown += cycles,
                _ => {}
            }
        }
    }

    fn becomes(&mut self, first: Cycle, Change { at, value }: Change) {
        self.stays(first + at);
        for ((bit, now), next) in self.bits.iter_mut().zip(&self.now).zip(&value) {
            bit.toggles += u64::from(now != next && *now != b'x' && *next != b'x');
        }
        self.now = value;
    }
}
