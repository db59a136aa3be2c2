// SPDX-License-Identifier: Apache-2.0
//! What a chip's file must not say, though each row of it is good.

use super::bus::protocols::wishbone;
use super::bus::{PROTOCOLS, Protocol};
use super::rows::INTERRUPT;
use super::settings::{
    CORES, HOST_BASE, HOST_BYTES, INTERRUPTED, MICROBLAZE, PS_PER_S, SHELL_BYTES, STRONGARM,
    UART_BYTES, bus_of, protocol_of,
};
use super::timer::TIMER_BYTES;
use crate::schema::reader::Described;
use crate::schema::{At, Instance};

/// Rows of `[core]` that one core has alone.
const OWN_ROWS: [(&str, &[&str]); 2] = [
    (STRONGARM, &["data_cache", "miss_cycles", "jump_cycles", "load_jump_cycles"]),
    (MICROBLAZE, &["branch_cycles", "shift_cycles", "divide_cycles"]),
];
/// What has registers, and what of the address space it takes at least.
const DEVICES: [(&str, u64); 3] =
    [("shell", SHELL_BYTES), ("uart", UART_BYTES), ("timer", TIMER_BYTES)];
/// What no core caches begins here.
const FIRST_UNCACHED: u64 = 0x8000_0000;
/// The largest line of a core's cache.
const LINE_BYTES: u64 = 32;
/// The most of an array that a shell holds.
const MOST_WINDOW: u64 = 256 << 20;
/// The most cycles of one access that anybody has meant.
const MOST_CYCLES: u64 = 1_000_000;

/// Adds a finding for each of it.
pub fn check(read: &mut Described) {
    check_addresses(read);
    check_core(read);
    check_protocols(read);
    check_cores_of_protocols(read);
    check_interrupts(read);
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
    for (kind, bytes) in DEVICES {
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

/// The core that a file says.
fn core_of(read: &Described) -> Option<&'static str> {
    let model = read.instances["core"].first()?.number("model")?;
    CORES.get(model as usize).copied()
}

/// Rows of one core are said of no other.
fn check_core(read: &mut Described) {
    let of_core = |said: &Instance| {
        let model = core_of(read)?;
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

/// Where things may be: cores begin at 0, fill whole lines of caches, and ask for registers in words
/// that no cache keeps.
fn check_places(read: &mut Described) {
    let mut found = ram_places(read);
    for (kind, bytes) in DEVICES {
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

/// What is wrong with the places of memories.
fn ram_places(read: &Described) -> Vec<(At, String)> {
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
    found
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

/// What a bus speaks, and where a file says so.
struct Spoken<'r> {
    bus: &'r str,
    protocol: &'static Protocol,
    at: At,
}

impl<'r> Spoken<'r> {
    fn of(bus: &'r Instance) -> Option<Self> {
        let said = bus.values.get("protocol")?;
        let protocol = PROTOCOLS.get(said.number as usize)?;
        Some(Self { bus: &bus.name, protocol, at: said.at })
    }
}

/// Memories answer the core's own port, with bursts.
fn check_protocols(read: &mut Described) {
    let mut found = Vec::new();
    for ram in &read.instances["ram"] {
        let Some(Spoken { bus, protocol, at }) = bus_of(read, ram).and_then(Spoken::of) else {
            continue;
        };
        let name = protocol.name;
        if *protocol != wishbone::PROTOCOL {
            let memory = &ram.name;
            let plain = |one: &&Instance| protocol_of(one) == Some(&wishbone::PROTOCOL);
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
            found.push((at, message));
        }
    }
    let others = ["uart", "timer"].into_iter();
    let others = others.flat_map(|kind| read.instances[kind].iter().map(move |said| (kind, said)));
    for (kind, said) in others {
        let Some(Spoken { bus, protocol, at }) = bus_of(read, said).and_then(Spoken::of) else {
            continue;
        };
        let name = protocol.name;
        if protocol.is_of_shells {
            let message = format!(
                "[bus] {bus:?} speaks {name}, which leads to shells only, and [{kind}] is on it; give \
                 [{kind}] another bus"
            );
            found.push((at, message));
        }
    }
    found.into_iter().for_each(|(at, message)| read.findings.add(at, message));
}

/// Some protocols are of some cores; and instructions have no bus between.
fn check_cores_of_protocols(read: &mut Described) {
    let mut found = Vec::new();
    let core = core_of(read);
    for said in &read.instances["bus"] {
        let Some((spoken, core)) = Spoken::of(said).zip(core) else { continue };
        let Spoken { bus, protocol, at } = spoken;
        let name = protocol.name;
        if let Some(cores) = protocol.cores.filter(|cores| !cores.contains(&core)) {
            let cores = cores.join(" and ");
            let message = format!(
                "[bus] {bus:?} speaks {name}, which is of {cores}, and [core] is {core}; choose \
                 another of the two"
            );
            found.push((at, message));
        }
        let between = said.values.get("request_cycles").filter(|said| said.number != 0);
        if let Some(said) = between.filter(|_| protocol.is_of_instructions) {
            let message =
                format!("[bus] {name} has no request_cycles: the core asks shells itself");
            found.push((said.at, message));
        }
    }
    found.into_iter().for_each(|(at, message)| read.findings.add(at, message));
}

/// Only some cores can be interrupted.
fn check_interrupts(read: &mut Described) {
    let end = read.instances["shell"].first().and_then(|said| said.values.get("end"));
    let (Some(core), Some(end)) = (core_of(read), end) else { return };
    if end.number == 0 || INTERRUPTED.contains(&core) {
        return;
    }
    let message = format!(
        "[shell] end = {INTERRUPT:?} is of {}, and [core] is {core}, which has no interrupts here; \
         let drivers ask (end = \"polling\")",
        INTERRUPTED.join(" and ")
    );
    read.findings.add(end.at, message);
}
