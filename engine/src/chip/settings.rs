// SPDX-License-Identifier: Apache-2.0
//! A system on one chip as its file says it: a core, memories, a bus and what is on it.

use std::collections::BTreeMap;

use serde::Serialize;

use super::bus::{PROTOCOLS, Protocol};
use super::checks;
use super::energy::EnergySettings;
use super::program::Machine;
use super::rows::{DATA_CACHES, ENDS, KINDS};
use super::timer::TIMER_BYTES;
use crate::cores::{microblaze, strongarm};
use crate::error::{Error, Result, Status};
use crate::schema::reader::Described;
use crate::schema::{Changes, Instance};

pub(super) const PS_PER_S: u64 = 1_000_000_000_000;

/// The cores, as files name them.
pub const CORES: &[&str] = &[PICORV32, "vexriscv", "vexriscv-lite", STRONGARM, MICROBLAZE];

/// The core that takes instructions of others.
pub(super) const PICORV32: &str = "picorv32";
/// The core that is no RISC-V.
pub(super) const STRONGARM: &str = "strongarm";
/// The core that only has RISC-V's instructions.
pub(super) const MICROBLAZE: &str = "microblaze";

/// The cores with lines for interrupts; of PicoRV32 they are left out.
pub(super) const INTERRUPTED: [&str; 2] = ["vexriscv", "vexriscv-lite"];

/// Where programs find the host (library/chip/host.h).
pub const HOST_BASE: u32 = 0xf000_0000;
/// What of the address space the host has, and the least that anything has.
pub const HOST_BYTES: u64 = 16;
/// What the serial line has.
pub const UART_BYTES: u64 = 4;
/// A shell's registers: control, data in, data out.
pub const SHELL_BYTES: u64 = 16;

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
    pub protocol: &'static Protocol,
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
    pub protocol: &'static Protocol,
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
pub(super) fn protocol_of(bus: &Instance) -> Option<&'static Protocol> {
    PROTOCOLS.get(bus.number("protocol")? as usize)
}

/// The shells as a file has them.
fn shell_of(read: &Described, said: &Instance) -> Option<ShellSettings> {
    let bus = bus_of(read, said)?;
    Some(ShellSettings {
        base: address(said)?,
        window_bytes: said.number("window")?,
        end: ENDS.get(said.number("end")? as usize)?,
        request_cycles: bus.number("request_cycles")?,
        bus: bus.name.clone(),
        protocol: protocol_of(bus)?,
    })
}

/// Where something begins; what does not lie within 32 bits was refused.
fn address(said: &Instance) -> Option<u32> {
    u32::try_from(said.number("base")?).ok()
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
            base: address(said)?,
            bytes: said.number("size")?,
            request_cycles: request(said)?,
            wait_cycles: request(said)? + said.number("wait_cycles")?,
            burst_cycles: said.number("burst_cycles")?,
        })
    };
    let (uart, timer) = (all("uart").next()?, all("timer").next()?);
    let device = |said: &Instance, bytes: u64| {
        Some(DeviceSettings {
            base: address(said)?,
            bytes: u32::try_from(bytes).ok()?,
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
        shell: shell_of(read, all("shell").next()?)?,
        uart: UartSettings {
            device: device(uart, UART_BYTES)?,
            bit_cycles: (hz / uart.number("baud")?.max(1)).max(1),
        },
        timer: device(timer, TIMER_BYTES)?,
        energy: all("energy").next().and_then(EnergySettings::of),
        sources: read.sources(),
    })
}
