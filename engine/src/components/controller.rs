// SPDX-License-Identifier: Apache-2.0
//! The processor in the device that drives the kernel call by call, where there is one: it reads the
//! parameters of a call, writes the kernel's registers through a bus, and moves the data by itself
//! or lets it pass.

use serde::Serialize;

use super::{Component, Station};
use crate::breakdown::Category;
use crate::schema::{Absence, Form, Instance, Kind, Row, TIME};
use crate::trace::{Recorder, Work};

/// The words of `switch` and `reset`.
const HOW_OFTEN: &[&str] = &["call", "batch"];
/// The words of `keys`.
const KEYS: &[&str] = &["ready", "enciphered"];
/// The words of `parameters`.
const PARAMETERS: &[&str] = &["stored", "port", "mapped"];
/// The words of `registers`.
const REGISTERS: &[&str] = &["port", "mapped", "safe"];
/// The words of `data`.
const DATA: &[&str] = &["stored", "passed"];

/// `[controller]` of a platform file.
pub const KIND: Kind = Kind {
    name: "controller",
    meaning: "the processor in the device",
    is_needed: false,
    may_be_several: false,
    rows: &[
        Row::fact(
            "switch_time",
            TIME,
            Absence::Is(0),
            0,
            "\"960 us\"",
            "from the application in the device to its driver and back",
        ),
        Row::fact("key_time", TIME, Absence::Is(0), 0, "\"1 ms\"", "deciphering the key of a call"),
        Row::fact(
            "byte_time",
            TIME,
            Absence::Is(0),
            0,
            "\"2.7 us\"",
            "for each byte that it moves to the kernel and back by itself",
        ),
        Row::fact(
            "port_time",
            TIME,
            Absence::Is(0),
            0,
            "\"500 ns\"",
            "an access of a byte in a register through the port",
        ),
        Row::fact(
            "mapped_time",
            TIME,
            Absence::Is(0),
            0,
            "\"120 ns\"",
            "the same where the register is memory-mapped",
        ),
        Row::fact(
            "reset_accesses",
            Form::Count,
            Absence::Is(0),
            0,
            "11",
            "accesses that reset the kernel and start it, beside its parameters",
        ),
        Row::fact(
            "unsafe_bytes",
            Form::Count,
            Absence::Is(0),
            0,
            "12",
            "of the parameters, bytes that the kernel takes wrongly where they are memory-mapped",
        ),
        Row::choice(
            "switch",
            Form::Choice(HOW_OFTEN),
            Absence::Is(0),
            0,
            "\"batch\"",
            "how often it goes to the driver: for each `call`, or for a `batch`",
        ),
        Row::choice(
            "reset",
            Form::Choice(HOW_OFTEN),
            Absence::Is(0),
            0,
            "\"batch\"",
            "how often it resets the kernel and writes its parameters",
        ),
        Row::choice(
            "keys",
            Form::Choice(KEYS),
            Absence::Is(0),
            0,
            "\"enciphered\"",
            "`enciphered`: with each call; `ready`: in the device",
        ),
        Row::choice(
            "parameters",
            Form::Choice(PARAMETERS),
            Absence::Is(0),
            0,
            "\"port\"",
            "`stored`: they come with the data; else it reads them by `port` or `mapped`, byte by byte",
        ),
        Row::choice(
            "registers",
            Form::Choice(REGISTERS),
            Absence::Is(0),
            0,
            "\"mapped\"",
            "how it writes the kernel's; `safe`: mapped but for the unsafe bytes",
        ),
        Row::choice(
            "data",
            Form::Choice(DATA),
            Absence::Is(0),
            0,
            "\"passed\"",
            "`stored`: all comes before and goes behind, and it moves every byte; `passed`: straight \
             from the link through the kernel and back",
        ),
    ],
};

/// What is known of it here.
pub const COMPONENT: Component = Component::new(&KIND, 60);

/// A controller in the engine's units.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct ControllerSettings {
    /// To the driver and back.
    pub switch_time_ps: u64,
    /// Deciphering a key.
    pub key_time_ps: u64,
    /// For each byte that it moves.
    pub byte_time_ps: u64,
    /// An access through the port.
    pub port_time_ps: u64,
    /// A memory-mapped access.
    pub mapped_time_ps: u64,
    /// Accesses of a reset.
    pub reset_accesses: u64,
    /// Bytes of parameters that must not be memory-mapped.
    pub unsafe_bytes: u64,
    /// Whether it goes to the driver once a batch, else for each call.
    pub switches_once: bool,
    /// Whether it resets once a batch.
    pub resets_once: bool,
    /// Whether keys come enciphered.
    pub deciphers: bool,
    /// How parameters are read; nothing if they come with the data.
    pub parameters: Option<Access>,
    /// How registers are written.
    pub registers: Registers,
    /// Whether data goes straight through.
    pub passes: bool,
}

/// How a register is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Access {
    /// Through the port.
    Port,
    /// As memory.
    Mapped,
}

/// How the kernel's registers are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Registers {
    /// Through the port.
    #[default]
    Port,
    /// As memory, whatever comes of it.
    Mapped,
    /// As memory where that is right.
    Safe,
}

impl ControllerSettings {
    /// What a file says; what holds without is in the rows.
    pub fn read(said: &Instance) -> Option<Self> {
        Some(Self {
            switch_time_ps: said.number("switch_time")?,
            key_time_ps: said.number("key_time")?,
            byte_time_ps: said.number("byte_time")?,
            port_time_ps: said.number("port_time")?,
            mapped_time_ps: said.number("mapped_time")?,
            reset_accesses: said.number("reset_accesses")?,
            unsafe_bytes: said.number("unsafe_bytes")?,
            switches_once: said.number("switch")? == 1,
            resets_once: said.number("reset")? == 1,
            deciphers: said.number("keys")? == 1,
            parameters: match said.number("parameters")? {
                0 => None,
                1 => Some(Access::Port),
                _ => Some(Access::Mapped),
            },
            registers: match said.number("registers")? {
                0 => Registers::Port,
                1 => Registers::Mapped,
                _ => Registers::Safe,
            },
            passes: said.number("data")? == 1,
        })
    }

    /// Why results are wrong, if they are.
    pub fn wrong(&self) -> Option<String> {
        let is_wrong = self.registers == Registers::Mapped && self.unsafe_bytes > 0;
        is_wrong.then(|| {
            format!(
                "the controller writes {} bytes of the parameters memory-mapped, which the kernel \
                 takes wrongly; `controller.registers = \"safe\"` writes them through the port",
                self.unsafe_bytes
            )
        })
    }

    fn access_ps(&self, access: Access) -> u64 {
        match access {
            Access::Port => self.port_time_ps,
            Access::Mapped => self.mapped_time_ps,
        }
    }

    /// Resetting the kernel and writing its parameters.
    fn reset_ps(&self, parameter_bytes: u64) -> u64 {
        let accesses = self.reset_accesses.saturating_add(parameter_bytes);
        let by_port = match self.registers {
            Registers::Port => accesses,
            Registers::Mapped => 0,
            Registers::Safe => self.unsafe_bytes.min(parameter_bytes),
        };
        let mapped = accesses - by_port;
        by_port
            .saturating_mul(self.port_time_ps)
            .saturating_add(mapped.saturating_mul(self.mapped_time_ps))
    }

    /// What it does once, before the calls of a batch.
    fn batch_ps(&self, parameter_bytes: u64) -> u64 {
        let switch_ps = if self.switches_once { self.switch_time_ps } else { 0 };
        let reset_ps = if self.resets_once { self.reset_ps(parameter_bytes) } else { 0 };
        switch_ps.saturating_add(reset_ps)
    }

    /// What it does for each call, its data apart.
    fn call_ps(&self, parameter_bytes: u64) -> u64 {
        let switch_ps = if self.switches_once { 0 } else { self.switch_time_ps };
        let key_ps = if self.deciphers { self.key_time_ps } else { 0 };
        let read_ps = self.parameters.map_or(0, |access| self.access_ps(access));
        let reset_ps = if self.resets_once { 0 } else { self.reset_ps(parameter_bytes) };
        switch_ps
            .saturating_add(key_ps)
            .saturating_add(read_ps.saturating_mul(parameter_bytes))
            .saturating_add(reset_ps)
    }
}

/// The processor.
pub struct Controller {
    /// What it is told.
    pub settings: ControllerSettings,
    processor: Station,
}

impl Controller {
    /// An idle one.
    pub fn new(recorder: &Recorder, settings: ControllerSettings) -> Self {
        Self { settings, processor: Station::new(recorder, KIND.name, 1) }
    }

    /// Gets ready for a batch of calls, the first of which has so many bytes of parameters.
    pub async fn begin(&self, call: u64, parameter_bytes: u64) {
        let work = Work::fixed(Category::Call, self.settings.batch_ps(parameter_bytes));
        self.processor.serve(call, work).await;
    }

    /// Gets the kernel ready for a call, and gives it the data if that has been stored.
    pub async fn operate(&self, call: u64, parameter_bytes: u64, data_bytes: u64) {
        let work = Work::fixed(Category::Call, self.settings.call_ps(parameter_bytes));
        self.processor.serve(call, work).await;
        if !self.settings.passes {
            let duration_ps = self.settings.byte_time_ps.saturating_mul(data_bytes);
            let work =
                Work { category: Category::Copy, duration_ps, fixed_ps: 0, bytes: data_bytes };
            self.processor.serve(call, work).await;
        }
    }
}
