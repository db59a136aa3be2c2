// SPDX-License-Identifier: Apache-2.0
//! What a chip takes of energy, as its file says it. docs/energy.md has how it adds up.

use serde::Serialize;

use crate::schema::{Absence, ENERGY, Form, Instance, Kind, POWER, Row};

/// `[energy]` of a file.
pub const KIND: Kind = Kind {
    name: "energy",
    meaning: "what the chip takes of energy",
    is_needed: false,
    may_be_several: false,
    rows: &[
        Row::needed("static", POWER, 0, "\"31.25 mW\"", "what it takes whatever it does"),
        Row::needed(
            "cycle",
            ENERGY,
            0,
            "\"370 pJ\"",
            "of a cycle of core, memories and bus, beyond that",
        ),
        Row::fact(
            "instruction",
            ENERGY,
            Absence::Is(0),
            0,
            "\"20 pJ\"",
            "of an instruction, beyond its cycles",
        ),
        Row::fact(
            "word",
            ENERGY,
            Absence::Is(0),
            0,
            "\"5 pJ\"",
            "of a word that goes to a shell or comes from there, beyond its cycles",
        ),
        Row::needed(
            "toggle",
            ENERGY,
            0,
            "\"0.65 pJ\"",
            "of a net of a kernel's netlist that changes",
        ),
        Row::choice(
            "netlist",
            Form::Text,
            Absence::Needed,
            0,
            "\"ecp5\"",
            "the family whose netlist that is: one of `targets/` or of docs/slices.md",
        ),
    ],
};

/// The same as numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EnergySettings {
    /// Whatever the chip does, in nanowatts.
    pub static_nw: u64,
    /// A cycle, in femtojoules.
    pub cycle_fj: u64,
    /// An instruction.
    pub instruction_fj: u64,
    /// A word at a shell.
    pub word_fj: u64,
    /// A change of a net.
    pub toggle_fj: u64,
    /// The family of the netlist.
    pub netlist: String,
}

impl EnergySettings {
    /// Those of a file, if it says all that it takes.
    pub fn of(said: &Instance) -> Option<Self> {
        Some(Self {
            static_nw: said.number("static")?,
            cycle_fj: said.number("cycle")?,
            instruction_fj: said.number("instruction")?,
            word_fj: said.number("word")?,
            toggle_fj: said.number("toggle")?,
            netlist: said.text("netlist")?,
        })
    }
}
