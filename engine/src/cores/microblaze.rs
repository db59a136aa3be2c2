// SPDX-License-Identifier: Apache-2.0
//! MicroBlaze, made for area: RISC-V's instructions with the cycles of MicroBlaze's three stages.
//!
//! No compiler here makes MicroBlaze's own instructions. RV32IM is near to them: 32 registers, three
//! operands, loads and stores by a register and a number. Its maker has a RISC-V processor of the same
//! pipeline, whose guide (\[V\]) gives the cycles of most instructions; they are those of MicroBlaze's.
//! What differs is in docs/chips.md.
//!
//! An instruction is fetched, decoded and **executed**, the last for as many cycles as it takes; none
//! waits for another's result. It retires when the next one could execute. There is no RTL of it to be
//! had: what is here is what documents say, or follows from the stages (\[S\]), or is assumed (\[A\]).
//!
//! - \[B\] Xilinx, MicroBlaze Processor Reference Guide, UG081 (v6.0), EDK 8.2i, pages 32 and 79.
//! - \[D\] The same, UG081 (v14.7), pages 51 and 203.
//! - \[G\] The same, UG984 (2026.1), `mul`, `bs`, "Three Stage Pipeline".
//! - \[V\] AMD, MicroBlaze V Processor Reference Guide, UG1629 (2024.1), "Instructions", "3-Stage
//!   Pipeline", "Memory Architecture".

use serde::{Deserialize, Serialize};

use super::rv32::{
    Class, Decoder, Instruction, Operation, RISC_V, compute, is_aligned, is_taken, loaded, stored,
};
use super::{
    Cause, Convention, Core, Cycle, Going, Halt, HasTwin, Observer, Ports, Retired, Stop, Trap,
    ended,
};

/// \[V\] What most instructions take.
const ORDINARY: Cycle = 1;
/// \[V\] What a load or store takes at least: the address, then the word. \[S\] So memory that answers
/// in the cycle of the request gains nothing.
const ACCESS: Cycle = 2;
/// \[G\] A product. \[A\] One whose high word is asked for too.
const PRODUCT: Cycle = 3;
/// \[D\] A quotient by zero.
const BY_ZERO: Cycle = 1;
/// \[S\] From a word's request until it has been fetched, at least.
const FETCH: Cycle = 1;
/// \[V\] The prefetch buffer, in words: the guide wants 16 bytes behind the last instruction.
const BUFFER: usize = 4;

/// What differs from one MicroBlaze to another, or is not known for sure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// \[B\], \[V\] What a taken branch or a jump takes; in MicroBlaze, one without a delay slot.
    pub branch_cycles: Cycle,
    /// \[G\], \[V\] A shift by the barrel shifter.
    pub shift_cycles: Cycle,
    /// \[D\] A quotient; 35 in \[G\]. \[A\] A remainder.
    pub divide_cycles: Cycle,
}

impl Default for Settings {
    fn default() -> Self {
        Self { branch_cycles: 3, shift_cycles: 2, divide_cycles: 34 }
    }
}

/// The core.
pub struct MicroBlaze {
    settings: Settings,
    registers: [u32; 32],
    pc: u32,
    /// What is at `pc`; none before the first fetch.
    next: Option<Instruction>,
    /// The first cycle in which it executes.
    begin: Cycle,
    front: Front,
    decoder: Decoder,
    trap: Option<Trap>,
}

/// What fetches one word behind the other.
#[derive(Default)]
struct Front {
    /// The first cycle in which a word can be asked for: that in which the one before has come.
    free: Cycle,
    /// When the last instructions began to execute, and so left the buffer; the oldest one first.
    left: [Cycle; BUFFER],
}

/// What an instruction has come to.
struct Outcome {
    /// The first cycle in which another one can execute.
    end: Cycle,
    /// Where the next one is.
    pc: u32,
    /// Whether the stages before are filled anew.
    jumps: bool,
    value: u32,
}

impl Core for MicroBlaze {
    fn run<P: Ports + ?Sized, O: Observer>(
        &mut self,
        ports: &mut P,
        until: Cycle,
        observer: &mut O,
    ) -> Stop {
        if let Some(trap) = self.trap {
            return Stop::Trapped(trap);
        }
        let gone = self.go_on(ports, until, observer);
        ended(gone, self.pc, &mut self.trap)
    }

    fn cycle(&self) -> Cycle {
        self.trap.map_or(self.begin, |trap| trap.cycle)
    }

    fn registers(&self) -> [u32; 32] {
        self.registers
    }

    fn pc(&self) -> u32 {
        self.pc
    }
}

impl HasTwin for MicroBlaze {
    type Twin = Self;

    const CONVENTION: Convention = RISC_V;

    fn twin(&self, pc: u32, registers: [u32; 32]) -> Self {
        Self { pc, registers, ..Self::new(self.settings) }
    }
}

impl Front {
    /// Forgets what it has, and begins elsewhere.
    fn begin_anew(&mut self, at: Cycle) {
        *self = Self { free: at, left: [0; BUFFER] };
    }

    /// The word at an address, and the cycle in which it has come. \[A\] One that was asked for in
    /// vain, behind a branch, lets nobody wait.
    fn fetch<P: Ports + ?Sized>(&mut self, ports: &mut P, address: u32) -> Going<(u32, Cycle)> {
        let at = self.free.max(self.left[0]);
        if !address.is_multiple_of(4) {
            return Err(Halt { cycle: at, cause: Cause::Misaligned, address: 0 });
        }
        let mut words = [0];
        let acks =
            ports.fetch(at, address, &mut words).map_err(|refused| Halt::refused(at, refused))?;
        self.free = acks.first.max(at + FETCH);
        Ok((words[0], self.free))
    }

    /// An instruction begins to execute.
    fn leaves(&mut self, at: Cycle) {
        self.left.rotate_left(1);
        self.left[BUFFER - 1] = at;
    }
}

impl MicroBlaze {
    /// A core out of reset.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        Self {
            settings,
            registers: [0; 32],
            pc: 0,
            next: None,
            begin: 0,
            front: Front::default(),
            decoder: Decoder::default(),
            trap: None,
        }
    }

    fn go_on<P: Ports + ?Sized, O: Observer>(
        &mut self,
        ports: &mut P,
        until: Cycle,
        observer: &mut O,
    ) -> Going<Stop> {
        while self.begin < until {
            let Some(this) = self.next else {
                self.fetch(ports)?;
                continue;
            };
            if observer.stops_at(self.pc) {
                return Ok(Stop::Stopped);
            }
            self.front.leaves(self.begin);
            let outcome = self.execute(ports, this)?;
            self.registers[usize::from(this.rd & 31)] = outcome.value;
            self.registers[0] = 0;
            let pc = std::mem::replace(&mut self.pc, outcome.pc);
            let value = if this.rd == 0 { 0 } else { outcome.value };
            observer.retired(Retired { cycle: outcome.end, pc, register: this.rd, value });
            if outcome.jumps {
                // The target is asked for when the branch executes.
                self.front.begin_anew(self.begin);
            }
            self.begin = outcome.end;
            self.fetch(ports)?;
        }
        Ok(Stop::Reached)
    }

    /// Fetches what is at the pc, which executes no sooner than `begin`.
    fn fetch<P: Ports + ?Sized>(&mut self, ports: &mut P) -> Going<()> {
        let (word, fetched) = self.front.fetch(ports, self.pc)?;
        self.next = Some(self.decoder.decode(self.pc, word));
        self.begin = self.begin.max(fetched + self.settings.branch_cycles - FETCH);
        Ok(())
    }

    #[inline]
    fn execute<P: Ports + ?Sized>(&self, ports: &mut P, this: Instruction) -> Going<Outcome> {
        let (first, second) = (this.first(&self.registers), this.second(&self.registers));
        let settings = self.settings;
        let computed = |cycles| Ok(self.behind(cycles, compute(this.operation, first, second)));
        let target = |base: u32| base.wrapping_add(this.immediate);
        if this.bytes != 4 {
            return Err(self.halt(Cause::IllegalInstruction));
        }
        match this.class {
            Class::Compute if this.operation == Operation::Auipc => {
                Ok(self.behind(ORDINARY, target(self.pc)))
            }
            Class::Compute | Class::Fence => computed(ORDINARY),
            Class::Shift => computed(settings.shift_cycles),
            Class::Multiply => computed(PRODUCT),
            Class::Divide if second == 0 => computed(BY_ZERO),
            Class::Divide => computed(settings.divide_cycles),
            Class::Load => self.load(ports, this, target(first)),
            Class::Store => self.store(ports, this, target(first)),
            Class::Branch if is_taken(this.operation, first, second) => {
                Ok(self.jump(target(self.pc)))
            }
            Class::Branch => Ok(self.behind(ORDINARY, 0)),
            Class::Jump => Ok(self.jump(target(self.pc))),
            Class::JumpRegister => Ok(self.jump(target(first) & !1)),
            Class::System => Err(self.halt(match this.operation {
                Operation::Ecall => Cause::EnvironmentCall,
                Operation::Ebreak => Cause::Breakpoint,
                _ => Cause::IllegalInstruction,
            })),
        }
    }

    /// What gives a value, and goes on behind it.
    fn behind(&self, cycles: Cycle, value: u32) -> Outcome {
        let pc = self.pc.wrapping_add(4);
        Outcome { end: self.begin + cycles, pc, jumps: false, value }
    }

    /// What goes on elsewhere; the value is where it came from.
    fn jump(&self, pc: u32) -> Outcome {
        let end = self.begin + self.settings.branch_cycles;
        Outcome { end, pc, jumps: true, value: self.pc.wrapping_add(4) }
    }

    fn load<P: Ports + ?Sized>(
        &self,
        ports: &mut P,
        this: Instruction,
        address: u32,
    ) -> Going<Outcome> {
        self.require_aligned(this, address)?;
        let mut words = [0];
        let acks = ports.read(self.begin, address & !3, &mut words);
        let came = acks.map_err(|refused| Halt::refused(self.begin, refused))?.first;
        Ok(self.behind(self.access(came), loaded(this.operation, address, words[0])))
    }

    fn store<P: Ports + ?Sized>(
        &self,
        ports: &mut P,
        this: Instruction,
        address: u32,
    ) -> Going<Outcome> {
        self.require_aligned(this, address)?;
        let value = self.registers[usize::from(this.rs2 & 31)];
        let (word, lanes) = stored(this.operation, address, value);
        let written = ports.write(self.begin, address & !3, word, lanes);
        let came = written.map_err(|refused| Halt::refused(self.begin, refused))?;
        Ok(self.behind(self.access(came), 0))
    }

    /// What an access takes that is acknowledged in a cycle.
    fn access(&self, came: Cycle) -> Cycle {
        ACCESS.max(came + 1 - self.begin)
    }

    fn require_aligned(&self, this: Instruction, address: u32) -> Going<()> {
        let good = is_aligned(this.operation, address);
        if good { Ok(()) } else { Err(self.halt(Cause::Misaligned)) }
    }

    fn halt(&self, cause: Cause) -> Halt {
        Halt { cycle: self.begin, cause, address: 0 }
    }
}
