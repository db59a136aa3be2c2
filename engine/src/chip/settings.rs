// SPDX-License-Identifier: Apache-2.0
//! A system on one chip as its file says it: a core, memories, a bus and what is on it.

use std::collections::BTreeMap;

use serde::Serialize;

use super::bus::{PROTOCOLS, Protocol};
use super::checks;
use super::energy::{self, EnergySettings};
use super::program::Machine;
use super::timer::TIMER_BYTES;
use crate::cores::{microblaze, strongarm};
use crate::error::{Error, Result, Status};
use crate::schema::reader::Described;
use crate::schema::{Absence, Changes, FREQUENCY, Form, Instance, Kind, Row, SIZE};

pub(super) const PS_PER_S: u64 = 1_000_000_000_000;

/// The cores, as files name them.
pub const CORES: &[&str] = &[PICORV32, "vexriscv", "vexriscv-lite", STRONGARM, MICROBLAZE];

/// The core that takes instructions of others.
pub(super) const PICORV32: &str = "picorv32";
/// The core that is no RISC-V.
pub(super) const STRONGARM: &str = "strongarm";
/// The core that only has RISC-V's instructions.
pub(super) const MICROBLAZE: &str = "microblaze";

/// How files name the protocols of a bus.
const PROTOCOL_NAMES: [&str; PROTOCOLS.len()] = {
    let mut names = [""; PROTOCOLS.len()];
    let mut place = 0;
    while place < names.len() {
        names[place] = PROTOCOLS[place].name;
        place += 1;
    }
    names
};

/// How files name the ways in which drivers learn of a kernel's end.
const ENDS: [&str; 2] = ["polling", INTERRUPT];
/// The one that takes a core with interrupts.
pub(super) const INTERRUPT: &str = "interrupt";
/// The cores with lines for interrupts; of PicoRV32 they are left out.
pub(super) const INTERRUPTED: [&str; 2] = ["vexriscv", "vexriscv-lite"];

/// Sizes of a StrongARM's data cache, in KiB.
const DATA_CACHES: [(&str, u32); 2] = [("8 KiB", 8), ("16 KiB", 16)];

/// Where programs find the host (library/chip/host.h).
pub const HOST_BASE: u32 = 0xf000_0000;
/// What of the address space the host has, and the least that anything has.
pub const HOST_BYTES: u64 = 16;
/// What the serial line has.
pub const UART_BYTES: u64 = 4;
/// A shell's registers: control, data in, data out.
pub const SHELL_BYTES: u64 = 16;

/// `[chip]` of a file: what makes it one of a chip.
const CHIP: Kind = Kind {
    name: "chip",
    meaning: "what all of a chip has in common",
    is_needed: true,
    may_be_several: false,
    rows: &[
        Row::needed("clock", FREQUENCY, 1, "\"50 MHz\"", "the one clock, of core, bus and kernels"),
        Row::choice(
            "target",
            Form::Text,
            Absence::Needed,
            0,
            "\"ecp5\"",
            "the family of `targets/` whose delays schedule the kernels",
        ),
    ],
};

/// `[core]`.
const CORE: Kind = Kind {
    name: "core",
    meaning: "the processor that runs the program",
    is_needed: true,
    may_be_several: false,
    rows: &[
        Row::choice(
            "model",
            Form::Choice(CORES),
            Absence::Needed,
            0,
            "\"picorv32\"",
            "which one; docs/chips.md has how each is configured",
        ),
        Row::choice(
            "data_cache",
            Form::Choice(&[DATA_CACHES[0].0, DATA_CACHES[1].0]),
            Absence::Nothing,
            0,
            "\"16 KiB\"",
            "of `strongarm`: how much the data cache holds",
        ),
        Row::choice(
            "miss_cycles",
            Form::Count,
            Absence::Nothing,
            0,
            "1",
            "of `strongarm`: cycles from the stage that misses a word to its request at the port",
        ),
        Row::choice(
            "jump_cycles",
            Form::Count,
            Absence::Nothing,
            0,
            "1",
            "of `strongarm`: cycles of an instruction that computes a new pc, beyond its own",
        ),
        Row::choice(
            "load_jump_cycles",
            Form::Count,
            Absence::Nothing,
            0,
            "3",
            "of `strongarm`: the same of one that loads it",
        ),
        Row::choice(
            "branch_cycles",
            Form::Count,
            Absence::Nothing,
            1,
            "3",
            "of `microblaze`: cycles of a taken branch or a jump",
        ),
        Row::choice(
            "shift_cycles",
            Form::Count,
            Absence::Nothing,
            1,
            "2",
            "of `microblaze`: cycles of a shift",
        ),
        Row::choice(
            "divide_cycles",
            Form::Count,
            Absence::Nothing,
            1,
            "34",
            "of `microblaze`: cycles of a quotient or a remainder",
        ),
    ],
};

/// `[[bus]]`.
const BUS: Kind = Kind {
    name: "bus",
    meaning: "what leads from the core to memories and shells",
    is_needed: false,
    may_be_several: true,
    rows: &[
        Row::choice(
            "request_cycles",
            Form::Count,
            Absence::Is(0),
            0,
            "2",
            "cycles from a request at the core's port to the same at what is asked: arbitration and decoding",
        ),
        Row::choice(
            "protocol",
            Form::Choice(&PROTOCOL_NAMES),
            Absence::Is(0),
            0,
            "\"axi4-lite\"",
            "how shells and the serial line are asked",
        ),
    ],
};

/// Of what is on a bus, which one that is.
const ON_BUS: Row = Row::choice(
    "bus",
    Form::Name("bus"),
    Absence::Is(0),
    0,
    "\"bus\"",
    "the bus that it is on; the first",
);

/// `[[ram]]`.
const RAM: Kind = Kind {
    name: "ram",
    meaning: "memory; the first one holds the program",
    is_needed: true,
    may_be_several: true,
    rows: &[
        Row::choice("base", Form::Count, Absence::Is(0), 0, "0x0", "its first address"),
        Row::choice("size", SIZE, Absence::Needed, 16, "\"128 KiB\"", "how much it is"),
        Row::choice(
            "wait_cycles",
            Form::Count,
            Absence::Is(1),
            0,
            "1",
            "cycles from a request to its acknowledgement; 0: in the same cycle",
        ),
        Row::choice(
            "burst_cycles",
            Form::Count,
            Absence::Is(1),
            1,
            "1",
            "cycles from one word of a burst to the next",
        ),
        ON_BUS,
    ],
};

/// `[shell]`.
const SHELL: Kind = Kind {
    name: "shell",
    meaning: "what is around each kernel on the bus",
    is_needed: false,
    may_be_several: false,
    rows: &[
        Row::choice(
            "base",
            Form::Count,
            Absence::Is(0x8000_0000),
            0,
            "0x80000000",
            "the first address of the first kernel's; the others follow",
        ),
        Row::choice(
            "window",
            SIZE,
            Absence::Is(4096),
            16,
            "\"4 KiB\"",
            "how much of an array a shell holds at most: a call that needs more is the processor's",
        ),
        Row::choice(
            "end",
            Form::Choice(&ENDS),
            Absence::Is(0),
            0,
            "\"polling\"",
            "how drivers learn that a kernel is done: they ask, or its line interrupts them",
        ),
        Row::choice(
            "bus",
            Form::Name("bus"),
            Absence::Is(0),
            0,
            "\"bus\"",
            "the bus that they are on; the first",
        ),
    ],
};

/// `[uart]`.
const UART: Kind = Kind {
    name: "uart",
    meaning: "the serial line",
    is_needed: false,
    may_be_several: false,
    rows: &[
        Row::choice(
            "base",
            Form::Count,
            Absence::Is(0xe000_0000),
            0,
            "0xe0000000",
            "the address of its one register",
        ),
        Row::choice("baud", FREQUENCY, Absence::Is(115_200), 1, "\"115200 Hz\"", "bits a second"),
        ON_BUS,
    ],
};

/// `[timer]`.
const TIMER: Kind = Kind {
    name: "timer",
    meaning: "what counts the clock's cycles since reset",
    is_needed: false,
    may_be_several: false,
    rows: &[
        Row::choice(
            "base",
            Form::Count,
            Absence::Is(0xe000_0010),
            0,
            "0xe0000010",
            "the address of the low word of its count; the high one follows",
        ),
        ON_BUS,
    ],
};

/// Every kind of component of a chip.
pub const KINDS: &[&Kind] = &[&CHIP, &CORE, &BUS, &RAM, &SHELL, &UART, &TIMER, &energy::KIND];

/// A memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RamSettings {
    /// Its name.
    pub name: String,
    /// Its first address.
    pub base: u32,
    /// How much it is.
    pub bytes: u64,
    /// From a request at the core's port to the same at the memory.
    pub request_cycles: u64,
    /// From a request at the core's port to the acknowledgement there.
    pub wait_cycles: u64,
    /// From one word of a burst to the next.
    pub burst_cycles: u64,
}

/// The shells.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ShellSettings {
    /// The first address of the first one.
    pub base: u32,
    /// What of an array one holds at most.
    pub window_bytes: u64,
    /// How drivers learn that a kernel is done.
    pub end: &'static str,
    /// From a request at the core's port to the same at a shell.
    pub request_cycles: u64,
    /// The bus that leads there.
    pub bus: String,
    /// Its protocol.
    pub protocol: Protocol,
}

/// What has registers, beside the shells.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DeviceSettings {
    /// The address of the first one.
    pub base: u32,
    /// What of the address space they have.
    pub bytes: u32,
    /// From a request at the core's port to the same at the device.
    pub request_cycles: u64,
    /// The bus that leads there.
    pub bus: String,
    /// Its protocol.
    pub protocol: Protocol,
}

/// The serial line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UartSettings {
    /// Where it is.
    #[serde(flatten)]
    pub device: DeviceSettings,
    /// Cycles of a bit.
    pub bit_cycles: u64,
}

/// A chip.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChipSettings {
    /// Slug, as on the command line.
    pub name: String,
    /// One line for people.
    pub title: String,
    /// The clock.
    pub clock_hz: u64,
    /// Its period, rounded to a picosecond.
    pub clock_ps: u64,
    /// The family that kernels are scheduled for.
    pub target: String,
    /// One of [`CORES`].
    pub core: String,
    /// How a StrongARM is made, if it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strongarm: Option<strongarm::Settings>,
    /// How a MicroBlaze is made, if it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub microblaze: Option<microblaze::Settings>,
    /// The memories; the first one holds the program.
    pub rams: Vec<RamSettings>,
    /// What is around kernels.
    pub shell: ShellSettings,
    /// The serial line.
    pub uart: UartSettings,
    /// The timer.
    pub timer: DeviceSettings,
    /// What it takes of energy, if that is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub energy: Option<EnergySettings>,
    /// Source of each number, by "component.key".
    pub sources: BTreeMap<String, String>,
}

impl ChipSettings {
    /// Reads a chip from its text; `path` is shown in findings.
    ///
    /// # Errors
    /// [`Status::BadPlatform`] with every finding, one `FILE:LINE: error: ...` a line.
    pub fn parse(path: &str, text: &str, changes: Changes<'_>) -> Result<Self> {
        let mut read = Described::read(text, changes, KINDS);
        if read.is_toml {
            checks::check(&mut read);
        }
        let found = read.findings.is_empty().then(|| chip(&read)).flatten();
        found.ok_or_else(|| Error::new(Status::BadPlatform, read.findings.render(path, text)))
    }

    /// What programs of the chip are made for.
    pub fn machine(&self) -> Machine {
        if self.core == STRONGARM { Machine::Arm } else { Machine::RiscV }
    }

    /// Sizes in bytes, times in ps and cycles.
    ///
    /// # Errors
    /// [`Status::Internal`] if it cannot be written down.
    pub fn to_json(&self) -> Result<String> {
        serde_json::to_string_pretty(self)
            .map_err(|error| Error::new(Status::Internal, error.to_string()))
    }
}

/// A StrongARM as a file has it.
fn strongarm_of(said: &Instance) -> strongarm::Settings {
    let other = strongarm::Settings::default();
    let cache = said.number("data_cache").and_then(|index| DATA_CACHES.get(index as usize));
    strongarm::Settings {
        data_cache_bytes: cache.map_or(other.data_cache_bytes, |&(_, kib)| kib << 10),
        miss_cycles: said.number("miss_cycles").unwrap_or(other.miss_cycles),
        jump_cycles: said.number("jump_cycles").unwrap_or(other.jump_cycles),
        load_jump_cycles: said.number("load_jump_cycles").unwrap_or(other.load_jump_cycles),
    }
}

/// A MicroBlaze as a file has it.
fn microblaze_of(said: &Instance) -> microblaze::Settings {
    let other = microblaze::Settings::default();
    microblaze::Settings {
        branch_cycles: said.number("branch_cycles").unwrap_or(other.branch_cycles),
        shift_cycles: said.number("shift_cycles").unwrap_or(other.shift_cycles),
        divide_cycles: said.number("divide_cycles").unwrap_or(other.divide_cycles),
    }
}

/// The bus that something is on.
pub(super) fn bus_of<'r>(read: &'r Described, said: &Instance) -> Option<&'r Instance> {
    read.instances["bus"].get(said.number("bus")? as usize)
}

/// What a bus speaks.
pub(super) fn protocol_of(bus: &Instance) -> Option<Protocol> {
    PROTOCOLS.get(bus.number("protocol")? as usize).map(|row| row.protocol)
}

/// A clock's period, rounded to a picosecond.
fn period_ps(hz: u64) -> u64 {
    (PS_PER_S + hz / 2) / hz.max(1)
}

/// The chip, or nothing if a required part was not read (then there is a finding).
fn chip(read: &Described) -> Option<ChipSettings> {
    let all = |kind: &str| read.instances[kind].iter();
    let of_chip = all("chip").next()?;
    let request = |said: &Instance| bus_of(read, said)?.number("request_cycles");
    let ram = |said: &Instance| {
        Some(RamSettings {
            name: said.name.clone(),
            base: said.number("base")? as u32,
            bytes: said.number("size")?,
            request_cycles: request(said)?,
            wait_cycles: request(said)? + said.number("wait_cycles")?,
            burst_cycles: said.number("burst_cycles")?,
        })
    };
    let (shell, uart, timer) = (all("shell").next()?, all("uart").next()?, all("timer").next()?);
    let device = |said: &Instance, bytes: u64| {
        Some(DeviceSettings {
            base: said.number("base")? as u32,
            bytes: bytes as u32,
            request_cycles: request(said)?,
            bus: bus_of(read, said)?.name.clone(),
            protocol: protocol_of(bus_of(read, said)?)?,
        })
    };
    let hz = of_chip.number("clock")?;
    let said_core = all("core").next()?;
    let core = *CORES.get(said_core.number("model")? as usize)?;
    Some(ChipSettings {
        name: read.texts.get("name")?.clone(),
        title: read.texts.get("title")?.clone(),
        clock_hz: hz,
        clock_ps: period_ps(hz),
        target: of_chip.text("target")?,
        core: core.to_string(),
        strongarm: (core == STRONGARM).then(|| strongarm_of(said_core)),
        microblaze: (core == MICROBLAZE).then(|| microblaze_of(said_core)),
        rams: all("ram").map(ram).collect::<Option<_>>()?,
        shell: ShellSettings {
            base: shell.number("base")? as u32,
            window_bytes: shell.number("window")?,
            end: ENDS.get(shell.number("end")? as usize)?,
            request_cycles: request(shell)?,
            bus: bus_of(read, shell)?.name.clone(),
            protocol: protocol_of(bus_of(read, shell)?)?,
        },
        uart: UartSettings {
            device: device(uart, UART_BYTES)?,
            bit_cycles: (hz / uart.number("baud")?.max(1)).max(1),
        },
        timer: device(timer, TIMER_BYTES)?,
        energy: all("energy").next().and_then(EnergySettings::of),
        sources: read.sources(),
    })
}
