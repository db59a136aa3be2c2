// SPDX-License-Identifier: Apache-2.0
//! The rows of a chip's file, kind by kind.

use super::bus::PROTOCOLS;
use super::energy;
use super::settings::CORES;
use crate::schema::{Absence, FREQUENCY, Form, Kind, Row, SIZE};

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
pub(super) const ENDS: [&str; 2] = ["polling", INTERRUPT];

/// The one that takes a core with interrupts.
pub(super) const INTERRUPT: &str = "interrupt";

/// Sizes of a StrongARM's data cache, in KiB.
pub(super) const DATA_CACHES: [(&str, u32); 2] = [("8 KiB", 8), ("16 KiB", 16)];

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
