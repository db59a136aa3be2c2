// SPDX-License-Identifier: Apache-2.0
//! Where a run is to be stopped, and what is told of the chip there.

use serde::{Deserialize, Serialize};

use super::program::{Machine, Program, Symbol};
use super::shell::Shell;
use super::tap::Access;
use crate::cores::Cycle;
use crate::error::{Error, Result, Status};

/// Names by the number of the register, as the ABI has them.
const OF_RISC_V: [&str; 32] = [
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4",
    "a5", "a6", "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4",
    "t5", "t6",
];
const OF_ARM: [&str; 17] = [
    "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "ip", "sp", "lr",
    "pc", "cpsr",
];
const WORD: u32 = 4;

/// What a run is to be stopped at: what comes first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct BreakRequest {
    /// A cycle: before the first instruction that begins there or later.
    pub at: Option<Cycle>,
    /// An instruction, before it begins: an address, a name of the program, or a name and how many bytes
    /// behind it.
    pub on: Option<String>,
    /// A word of memory, written so too: behind the first store there.
    pub on_store: Option<String>,
}

/// The same by addresses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Breaks {
    /// A cycle.
    pub at: Option<Cycle>,
    /// An instruction.
    pub on: Option<u32>,
    /// A word.
    pub on_store: Option<u32>,
}

/// Why a run has stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The cycle has come.
    Cycle,
    /// So has the instruction.
    Instruction,
    /// The word has been stored to.
    Store,
}

/// A register of the core.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Register {
    /// Its name in the ABI.
    pub name: &'static str,
    /// What is in it.
    pub value: u32,
}

/// A kernel where the run has stopped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct KernelState {
    /// Its name.
    pub kernel: String,
    /// Whether a call of it is under way.
    pub is_called: bool,
    /// Whether it computes.
    pub is_running: bool,
    /// The cycle with its last `start`; nothing if it has not been started.
    pub started: Option<Cycle>,
    /// The first cycle behind its last `done`.
    pub ended: Option<Cycle>,
}

/// A chip where a run has stopped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Break {
    /// Why.
    pub reason: Reason,
    /// The cycle in which the core is.
    pub cycle: Cycle,
    /// The address of the instruction that it would begin.
    pub pc: u32,
    /// The name before it, and how far behind that it is.
    pub place: String,
    /// The line of the C that it comes from, such as "file.c:12", if that is told.
    pub line: Option<String>,
    /// What stands there: 4 bytes, or 2 of a compressed one.
    pub instruction: u32,
    /// All registers.
    pub registers: Vec<Register>,
    /// The last accesses of data at the core's port, the oldest first.
    pub accesses: Vec<Access>,
    /// What kernels do.
    pub kernels: Vec<KernelState>,
}

impl BreakRequest {
    /// Finds the addresses. `drivers`: names of functions and of what has their place.
    ///
    /// # Errors
    /// [`Status::BadArgument`] for a name that the program does not have, and where no instruction is.
    pub fn find(
        &self,
        program: &Program,
        machine: Machine,
        drivers: &[(&str, &str)],
    ) -> Result<Breaks> {
        let find = |said: &Option<String>| {
            said.as_deref().map(|said| address(said, program, drivers)).transpose()
        };
        let on = find(&self.on)?;
        if let (Some(address), Some(said)) = (on, &self.on) {
            require_code(program, machine, address, said)?;
        }
        let on_store = find(&self.on_store)?.map(|address| address & !(WORD - 1));
        Ok(Breaks { at: self.at, on, on_store })
    }
}

fn bad(message: String) -> Error {
    Error::new(Status::BadArgument, message)
}

/// A number, or a name with what is behind it.
fn address(said: &str, program: &Program, drivers: &[(&str, &str)]) -> Result<u32> {
    if let Some(number) = number(said) {
        return Ok(number);
    }
    let (name, behind) = said.split_once('+').unwrap_or((said, "0"));
    let no_number = || bad(format!("break: {said}: {behind} is no number of bytes"));
    let behind = number(behind).ok_or_else(no_number)?;
    let driver = drivers.iter().find(|(function, _)| *function == name);
    let name = driver.map_or(name, |&(_, driver)| driver);
    let found = program.address(name).map_err(|_| {
        bad(format!("break: the program has no {name}; what the compiler has put into its callers has no address"))
    })?;
    Ok(found.wrapping_add(behind))
}

fn number(said: &str) -> Option<u32> {
    match said.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => said.parse().ok(),
    }
}

fn require_code(program: &Program, machine: Machine, address: u32, said: &str) -> Result<()> {
    let mut functions = program.symbols.iter().filter(|symbol| symbol.is_function);
    let begins =
        |symbol: &Symbol| program.instructions(machine, symbol).any(|begin| begin == address);
    if functions.any(begins) {
        return Ok(());
    }
    let place = program.place(address);
    Err(bad(format!(
        "break: {said}: no instruction of the program begins at {address:#010x} ({place})"
    )))
}

/// Registers with their names.
pub fn named(machine: Machine, registers: [u32; 32]) -> Vec<Register> {
    let names: &[&'static str] = match machine {
        Machine::RiscV => &OF_RISC_V,
        Machine::Arm => &OF_ARM,
    };
    names.iter().zip(registers).map(|(&name, value)| Register { name, value }).collect()
}

/// What a kernel does in a cycle.
pub fn state_of(kernel: &str, shell: &Shell, is_called: bool) -> KernelState {
    let computed = shell.computed();
    let is_running = shell.is_running();
    let has_started = computed.started > 0;
    KernelState {
        kernel: kernel.to_string(),
        is_called,
        is_running,
        started: has_started.then_some(computed.started),
        ended: (has_started && !is_running).then_some(computed.ended),
    }
}
