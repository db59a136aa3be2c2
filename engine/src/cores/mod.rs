// SPDX-License-Identifier: Apache-2.0
//! Processor cores of a system on one chip. Each is there twice, with one interface: as its RTL
//! ([`rtl`]), and as a model that goes from instruction to instruction and takes the RTL's cycles
//! ([`picorv32`], [`vexriscv`]). [`lockstep`] shows that the two are one. Of [`strongarm`] and
//! [`microblaze`] there is no RTL.

pub mod armv4;
mod board;
pub mod lockstep;
pub mod microblaze;
pub mod picorv32;
mod programs;
pub mod rtl;
pub mod rv32;
pub mod strongarm;
pub mod vexriscv;

use serde::Serialize;

/// Clock cycles of the chip. Cycle 0 is the first one in which reset is low.
pub type Cycle = u64;

/// When the words of a request are acknowledged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Acks {
    /// The cycle of the first one; the request's own, if memory does not let the core wait.
    pub first: Cycle,
    /// Cycles from one word of a burst to the next one, at least 1.
    pub interval: u64,
}

/// Nothing is at an address, or it takes no such access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refused {
    /// The address, in bytes.
    pub address: u32,
}

/// What a bus answers, if it does.
pub type Answered<T> = Result<T, Refused>;

/// The bits of the bytes of a word whose bits of `lanes` are set.
pub(crate) fn bits_of(lanes: u8) -> u32 {
    (0..4).filter(|lane| lanes >> lane & 1 == 1).fold(0, |bits, lane| bits | 0xff << (8 * lane))
}

/// What is around a core. `at` is the first cycle in which the request stands at the core's port;
/// addresses are in bytes, multiples of 4. Requests of one port come in the order of time; those of
/// a core's two ports need not be in order between each other. A core also fetches what it will not
/// execute: who refuses that ends the run.
pub trait Ports {
    /// Reads instructions; of more than one word, a burst.
    ///
    /// # Errors
    /// There are none at the address.
    fn fetch(&mut self, at: Cycle, address: u32, words: &mut [u32]) -> Result<Acks, Refused>;

    /// Reads data; of more than one word, a burst.
    ///
    /// # Errors
    /// There is none at the address.
    fn read(&mut self, at: Cycle, address: u32, words: &mut [u32]) -> Result<Acks, Refused>;

    /// Writes the bytes of `word` whose bits of `lanes` are set; the cycle of the acknowledgement.
    ///
    /// # Errors
    /// Nothing there can be written.
    fn write(&mut self, at: Cycle, address: u32, word: u32, lanes: u8) -> Result<Cycle, Refused>;

    /// The interrupt lines as they are in a cycle. A model asks only while its program has enabled
    /// them, and not in the order of time with other requests.
    fn interrupts(&mut self, at: Cycle) -> u32;

    /// An instruction that is for a unit beside the core, with its two operands: what the unit gives,
    /// and the cycle in which it does; nothing if there is none that takes it. `function`: its
    /// funct7 and funct3.
    fn custom(&mut self, at: Cycle, function: u32, operands: [u32; 2]) -> Option<(u32, Cycle)> {
        _ = (at, function, operands);
        None
    }
}

/// An instruction that has had its effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retired {
    /// When; each core's page tells which of its signals says so.
    pub cycle: Cycle,
    /// Its address.
    pub pc: u32,
    /// The register that it wrote, 0 for none.
    pub register: u8,
    /// What it wrote there, else 0.
    pub value: u32,
}

/// Who looks at a core while it runs.
pub trait Observer {
    /// An instruction has retired. They come in the program's order.
    fn retired(&mut self, retired: Retired);

    /// Whether the core is to stop before it begins the instruction at an address.
    #[inline]
    fn stops_at(&mut self, _pc: u32) -> bool {
        false
    }
}

/// Nobody looks, which costs nothing.
impl Observer for () {
    #[inline]
    fn retired(&mut self, _retired: Retired) {}
}

/// Why a core can not go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// The core has no such instruction.
    IllegalInstruction,
    /// A load or store of an address that is no multiple of its size.
    Misaligned,
    /// `ecall`, `swi`.
    EnvironmentCall,
    /// `ebreak`.
    Breakpoint,
    /// The bus has refused a request.
    Refused,
}

/// Where and when a core has stopped for good.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Trap {
    /// The first cycle in which it is to be seen at the core, or that of the refused request.
    pub cycle: Cycle,
    /// The instruction that was under way.
    pub pc: u32,
    /// Why.
    pub cause: Cause,
    /// The address of the access that was refused, else 0.
    pub address: u32,
}

impl Trap {
    /// Why, for people.
    pub fn told(&self) -> String {
        match self.cause {
            Cause::Refused => {
                format!("access to {:#010x}, where the chip has nothing", self.address)
            }
            Cause::Misaligned => {
                "an access of an address that is no multiple of its size".to_string()
            }
            Cause::IllegalInstruction => "an instruction that the core does not have".to_string(),
            Cause::EnvironmentCall => "a call of a system, which nobody answers".to_string(),
            Cause::Breakpoint => "a breakpoint".to_string(),
        }
    }
}

/// Why a core's model can not go on.
struct Halt {
    cycle: Cycle,
    cause: Cause,
    address: u32,
}

type Going<T> = Result<T, Halt>;

impl Halt {
    fn refused(cycle: Cycle, refused: Refused) -> Self {
        Self { cycle, cause: Cause::Refused, address: refused.address }
    }
}

/// What a run of a core at `pc` has ended with, that may have halted: the core keeps its trap.
fn ended(gone: Going<Stop>, pc: u32, kept: &mut Option<Trap>) -> Stop {
    gone.unwrap_or_else(|Halt { cycle, cause, address }| {
        Stop::Trapped(*kept.insert(Trap { cycle, pc, cause, address }))
    })
}

/// What a run has ended with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The cycle that was asked for has come.
    Reached,
    /// The observer has stopped it before an instruction.
    Stopped,
    /// The core does nothing any more.
    Trapped(Trap),
}

/// A core on its way through a program, out of reset.
pub trait Core {
    /// Goes on until `until` has come. A model that goes from instruction to instruction begins none
    /// at or behind it, and may be in a later cycle then. Whatever the steps, a run is the same.
    fn run<P: Ports + ?Sized, O: Observer>(
        &mut self,
        ports: &mut P,
        until: Cycle,
        observer: &mut O,
    ) -> Stop;

    /// The cycle in which it is.
    fn cycle(&self) -> Cycle;

    /// The registers x0 to x31, or r0 to r15 and the status.
    fn registers(&self) -> [u32; 32];

    /// The address of the instruction that it is at.
    fn pc(&self) -> u32;
}

/// Which of [`Core::registers`] do what in calls of functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Convention {
    /// Where a function returns to.
    pub return_address: usize,
    /// The stack's lowest address in use.
    pub stack: usize,
    /// What a function returns; of more than one word the lowest, with the others behind it.
    pub result: usize,
}

/// A core that another one can run beside.
pub trait HasTwin: Core {
    /// A model of a core of the same kind.
    type Twin: Core;

    /// Its calling convention.
    const CONVENTION: Convention;

    /// One with the same in its caches, out of reset at another place.
    #[must_use]
    fn twin(&self, pc: u32, registers: [u32; 32]) -> Self::Twin;

    /// The same, behind another one that ran the same function: with what that has left in its
    /// caches, as the function would find them if it ran on the core itself. A core whose caches
    /// have contents can not know that these are still right, and takes its own.
    #[must_use]
    fn twin_behind(&self, _before: &Self::Twin, pc: u32, registers: [u32; 32]) -> Self::Twin {
        self.twin(pc, registers)
    }
}
