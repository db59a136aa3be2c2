// SPDX-License-Identifier: Apache-2.0
//! A system on one chip as its file says it: a core, memories, a bus and what is on it.

use std::collections::BTreeMap;

use serde::Serialize;

use super::bus::{PROTOCOLS, Protocol};
use super::energy::{self, EnergySettings};
use super::program::Machine;
use crate::cores::{microblaze, strongarm};
use crate::error::{Error, Result, Status};
use crate::schema::reader::Described;
use crate::schema::{Absence, At, Changes, FREQUENCY, Form, Instance, Kind, Row, SIZE};

const PS_PER_S: u64 = 1_000_000_000_000;

/// The cores, as files name them.
pub const CORES: &[&str] = &[PICORV32, "vexriscv", "vexriscv-lite", STRONGARM, MICROBLAZE];

/// The core that takes instructions of others.
const PICORV32: &str = "picorv32";
/// The core that is no RISC-V.
const STRONGARM: &str = "strongarm";
/// The core that only has RISC-V's instructions.
const MICROBLAZE: &str = "microblaze";

/// Rows of `[core]` that one core has alone.
const OWN_ROWS: [(&str, &[&str]); 2] = [
    (STRONGARM, &["data_cache", "miss_cycles", "jump_cycles", "load_jump_cycles"]),
    (MICROBLAZE, &["branch_cycles", "shift_cycles", "divide_cycles"]),
];

/// How files name the protocols of a bus.
const PROTOCOL_NAMES: [&str; PROTOCOLS.len()] = {
    let mut names = [""; PROTOCOLS.len()];
    let mut place = 0;
    while place < names.len() {
        names[place] = PROTOCOLS[place].0;
        place += 1;
    }
    names
};

/// Sizes of a StrongARM's data cache, in KiB.
const DATA_CACHES: [(&str, u32); 2] = [("8 KiB", 8), ("16 KiB", 16)];

/// Where programs find the host (library/chip/host.h).
pub const HOST_BASE: u32 = 0xf000_0000;
/// The most of an array that a shell holds.
const MOST_WINDOW: u64 = 256 << 20;
/// The most cycles of one access that anybody has meant.
const MOST_CYCLES: u64 = 1_000_000;
/// What no core caches begins here.
const FIRST_UNCACHED: u64 = 0x8000_0000;
/// The largest line of a core's cache.
const LINE_BYTES: u64 = 32;
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
        Row::choice(
            "bus",
            Form::Name("bus"),
            Absence::Is(0),
            0,
            "\"bus\"",
            "the bus that it is on; the first",
        ),
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
        Row::choice(
            "bus",
            Form::Name("bus"),
            Absence::Is(0),
            0,
            "\"bus\"",
            "the bus that it is on; the first",
        ),
    ],
};

/// Every kind of component of a chip.
pub const KINDS: [&Kind; 7] = [&CHIP, &CORE, &BUS, &RAM, &SHELL, &UART, &energy::KIND];

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
    /// From a request at the core's port to the same at a shell.
    pub request_cycles: u64,
    /// The bus that leads there.
    pub bus: String,
    /// Its protocol.
    pub protocol: Protocol,
}

/// The serial line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UartSettings {
    /// The address of its register.
    pub base: u32,
    /// Cycles of a bit.
    pub bit_cycles: u64,
    /// From a request at the core's port to the same at the line.
    pub request_cycles: u64,
    /// The bus that leads there.
    pub bus: String,
    /// Its protocol.
    pub protocol: Protocol,
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
        let mut read = Described::read(text, changes, &KINDS);
        if read.is_toml {
            check_addresses(&mut read);
            check_core(&mut read);
            check_protocols(&mut read);
            check_cores_of_protocols(&mut read);
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

/// What has addresses: its name, where they begin and end, and where that is said.
struct Mapped {
    name: String,
    first: u64,
    end: u64,
    at: At,
}

/// No two things are at one address.
fn check_addresses(read: &mut Described) {
    let mut mapped: Vec<_> = read.instances["ram"].iter().filter_map(ram_mapped).collect();
    for (kind, bytes) in [("shell", SHELL_BYTES), ("uart", UART_BYTES)] {
        let found = read.instances[kind].iter().filter_map(|said| registers_mapped(said, bytes));
        mapped.extend(found);
    }
    let end = u64::from(HOST_BASE) + HOST_BYTES;
    let host =
        Mapped { name: "the host".to_string(), first: u64::from(HOST_BASE), end, at: At::Text(0) };
    mapped.push(host);
    check_places(read);
    for (index, one) in mapped.iter().enumerate() {
        if one.end > 1 << 32 {
            let message = format!("[{}] ends behind the last address, 0xffffffff", one.name);
            read.findings.add(one.at, message);
        }
        let meets = |other: &&Mapped| one.first < other.end && other.first < one.end;
        if let Some(other) = mapped.iter().skip(index + 1).find(meets) {
            let message = format!(
                "{} ({:#x} to {:#x}) and {} ({:#x} to {:#x}) share addresses; move one of the two",
                one.name, one.first, one.end, other.name, other.first, other.end
            );
            read.findings.add(one.at, message);
        }
    }
}

/// Rows of one core are said of no other.
fn check_core(read: &mut Described) {
    let of_core = |said: &Instance| {
        let model = *CORES.get(said.number("model")? as usize)?;
        let others = OWN_ROWS.iter().filter(|(owner, _)| *owner != model);
        let rows = others.flat_map(|&(owner, keys)| keys.iter().map(move |&key| (owner, key)));
        let wrong = rows.filter_map(|(owner, key)| Some((owner, key, said.values.get(key)?.at)));
        Some((model, wrong.collect::<Vec<_>>()))
    };
    let Some((model, wrong)) = read.instances["core"].first().and_then(of_core) else { return };
    for (owner, key, at) in wrong {
        let message = format!("[core] {key} is of {owner}, and this is {model}; take it out");
        read.findings.add(at, message);
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

/// Where things may be: cores begin at 0, fill whole lines of caches, and ask for registers in words
/// that no cache keeps.
fn check_places(read: &mut Described) {
    let mut found = Vec::new();
    for (index, ram) in read.instances["ram"].iter().enumerate() {
        let (base, size) = (ram.values.get("base"), ram.values.get("size"));
        if let Some(said) = base.filter(|said| index == 0 && said.number != 0) {
            let message = "the first RAM holds the program, and cores begin at 0; base = 0x0";
            found.push((said.at, format!("[{}] {message}", ram.name)));
        }
        for said in [base, size].into_iter().flatten() {
            if said.number % LINE_BYTES != 0 {
                let message =
                    format!("base and size are multiples of {LINE_BYTES}, a cache's line");
                found.push((said.at, format!("[{}] {message}", ram.name)));
            }
        }
    }
    for (kind, bytes) in [("shell", SHELL_BYTES), ("uart", UART_BYTES)] {
        for said in read.instances[kind].iter().filter_map(|one| one.values.get("base")) {
            if said.number < FIRST_UNCACHED || said.number % bytes != 0 {
                let message = format!(
                    "[{kind}] base = {:#x}: expected a multiple of {bytes} from {FIRST_UNCACHED:#x} on, \
                     where caches keep nothing",
                    said.number
                );
                found.push((said.at, message));
            }
        }
    }
    for said in read.instances["shell"].iter().filter_map(|shell| shell.values.get("window")) {
        if said.number > MOST_WINDOW {
            let message = "[shell] window is more than 256 MiB; a call that needs more of an array \
                           is the processor's";
            found.push((said.at, message.to_string()));
        }
    }
    for (kind, key) in [("bus", "request_cycles"), ("ram", "wait_cycles"), ("ram", "burst_cycles")]
    {
        for said in read.instances[kind].iter().filter_map(|one| one.values.get(key)) {
            if said.number > MOST_CYCLES {
                let message = format!("[{kind}] {key} is more than {MOST_CYCLES} cycles");
                found.push((said.at, message));
            }
        }
    }
    for said in read.instances["chip"].iter().filter_map(|chip| chip.values.get("clock")) {
        if said.number > PS_PER_S / 2 {
            let message = "[chip] clock is faster than a cycle of 2 ps; correct its unit";
            found.push((said.at, message.to_string()));
        }
    }
    found.into_iter().for_each(|(at, message)| read.findings.add(at, message));
}

fn ram_mapped(said: &Instance) -> Option<Mapped> {
    let first = said.number("base")?;
    let end = first.saturating_add(said.number("size")?);
    Some(Mapped { name: said.name.clone(), first, end, at: At::Text(said.offset) })
}

fn registers_mapped(said: &Instance, bytes: u64) -> Option<Mapped> {
    let first = said.number("base")?;
    let end = first.saturating_add(bytes);
    Some(Mapped { name: said.name.clone(), first, end, at: At::Text(said.offset) })
}

/// The bus that something is on.
fn bus_of<'r>(read: &'r Described, said: &Instance) -> Option<&'r Instance> {
    read.instances["bus"].get(said.number("bus")? as usize)
}

fn protocol_of(bus: &Instance) -> Option<Protocol> {
    PROTOCOLS.get(bus.number("protocol")? as usize).map(|&(_, protocol)| protocol)
}

/// Memories answer the core's own port, with bursts.
fn check_protocols(read: &mut Described) {
    let mut found = Vec::new();
    for ram in &read.instances["ram"] {
        let Some(bus) = bus_of(read, ram) else { continue };
        let (Some(said), Some(protocol)) = (bus.values.get("protocol"), protocol_of(bus)) else {
            continue;
        };
        if protocol != Protocol::Wishbone {
            let (memory, bus, name) = (&ram.name, &bus.name, PROTOCOL_NAMES[said.number as usize]);
            let plain = |one: &&Instance| protocol_of(one) == Some(Protocol::Wishbone);
            let cure = match read.instances["bus"].iter().find(plain) {
                Some(other) => format!("say bus = {:?} in [{memory}]", other.name),
                None => format!(
                    "put a [[bus]] without protocol before it, for memory, and say bus = {bus:?} in \
                     [shell] and [uart]"
                ),
            };
            let message = format!(
                "[bus] {bus:?} speaks {name}, and memory ({memory:?}), which is on it, answers \
                 wishbone only; {cure}"
            );
            found.push((said.at, message));
        }
    }
    for uart in &read.instances["uart"] {
        let Some(bus) = bus_of(read, uart) else { continue };
        let (Some(said), Some(protocol)) = (bus.values.get("protocol"), protocol_of(bus)) else {
            continue;
        };
        if protocol.is_of_shells() {
            let (bus, name) = (&bus.name, PROTOCOL_NAMES[said.number as usize]);
            let message = format!(
                "[bus] {bus:?} speaks {name}, which leads to shells only, and [uart] is on it; give \
                 [uart] another bus"
            );
            found.push((said.at, message));
        }
    }
    found.into_iter().for_each(|(at, message)| read.findings.add(at, message));
}

/// Some protocols are of some cores; and instructions have no bus between.
fn check_cores_of_protocols(read: &mut Described) {
    let mut found = Vec::new();
    let core = read.instances["core"].first();
    let core = core.and_then(|said| CORES.get(said.number("model")? as usize)).copied();
    for bus in &read.instances["bus"] {
        let (Some(protocol), Some(core)) = (protocol_of(bus), core) else { continue };
        let Some(said) = bus.values.get("protocol") else { continue };
        let name = PROTOCOL_NAMES[said.number as usize];
        if let Some(cores) = cores_of(protocol).filter(|cores| !cores.contains(&core)) {
            let (bus, cores) = (&bus.name, cores.join(" and "));
            let message = format!(
                "[bus] {bus:?} speaks {name}, which is of {cores}, and [core] is {core}; choose \
                 another of the two"
            );
            found.push((said.at, message));
        }
        let between = bus.values.get("request_cycles").filter(|said| said.number != 0);
        if let Some(said) = between.filter(|_| protocol.is_of_instructions()) {
            let message =
                format!("[bus] {name} has no request_cycles: the core asks shells itself");
            found.push((said.at, message));
        }
    }
    found.into_iter().for_each(|(at, message)| read.findings.add(at, message));
}

/// The cores that a protocol is of, if not of all: those with such instructions, and those that have a
/// port of memory to spare and keep no data.
fn cores_of(protocol: Protocol) -> Option<&'static [&'static str]> {
    match protocol {
        Protocol::Pcpi => Some(&[PICORV32]),
        Protocol::DmaRing => Some(&[PICORV32, MICROBLAZE]),
        _ => None,
    }
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
    let (shell, uart) = (all("shell").next()?, all("uart").next()?);
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
            request_cycles: request(shell)?,
            bus: bus_of(read, shell)?.name.clone(),
            protocol: protocol_of(bus_of(read, shell)?)?,
        },
        uart: UartSettings {
            base: uart.number("base")? as u32,
            bit_cycles: (hz / uart.number("baud")?.max(1)).max(1),
            request_cycles: request(uart)?,
            bus: bus_of(read, uart)?.name.clone(),
            protocol: protocol_of(bus_of(read, uart)?)?,
        },
        energy: all("energy").next().and_then(EnergySettings::of),
        sources: read.sources(),
    })
}
