// SPDX-License-Identifier: Apache-2.0
//! PicoRV32 as a model that goes from instruction to instruction. Its parameters are in
//! `python/tandem/models/cores.py`: compressed instructions, barrel shifter, multiplier of DSP
//! blocks, divider, counters, no interrupts.
//!
//! The core is a state machine with one port. Its time is counted from the **launch** of an
//! instruction: the cycle with `launch_next_insn`, in the state `fetch` with `decoder_trigger`. From
//! there to the next launch, with memory that answers in the same cycle:
//!
//! | cycle | state |
//! | --- | --- |
//! | launch | `mem_do_prefetch` is set, for the instruction behind |
//! | + 1 | `ld_rs1` reads registers; `mem_la_read` is high |
//! | + 2 | `exec` computes; `mem_valid` is high, and `mem_done` with the acknowledgement |
//! | + 3 | `fetch` writes the register; the next launch |
//!
//! An instruction retires with the next one's launch. Nothing it fetches is forgotten but by a jump:
//! a store to the instruction behind comes too late for it, as in the RTL.

mod fetch;

use self::fetch::fetch_word;
use super::rv32::{
    Class, Decoder, Instruction, Operation, RISC_V, compute, is_aligned, is_taken, loaded, stored,
};
use super::{
    Cause, Convention, Core, Cycle, Going, Halt, HasTwin, Observer, Ports, Retired, Stop, Trap,
    ended,
};

/// From reset to the first request: `fetch` sets `mem_do_rinst`, `mem_la_read`, `mem_valid`.
const FIRST_REQUEST: Cycle = 2;
/// From the launch to the request of what is behind the instruction.
const REQUEST: Cycle = 2;
/// From the launch to the first cycle in which `mem_do_rinst` is high in `exec`, `ldmem` and `stmem`:
/// only then does a word that has come end the fetch.
const WANTED: Cycle = 2;
/// As [`WANTED`], of a counter: `ld_rs1` goes back to `fetch`, which asks for the instruction.
const WANTED_BY_COUNTER: Cycle = 3;
/// As [`WANTED`], of a product: `pcpi_valid` in + 2, factors, product, `pcpi_ready` in + 4.
const WANTED_BY_PRODUCT: Cycle = 5;
/// As [`WANTED`], of a quotient: two registers to `start` in + 4, 32 steps, `pcpi_ready` in + 38.
const WANTED_BY_QUOTIENT: Cycle = 39;
/// From the launch to `pcpi_valid`.
const ASKS_UNITS: Cycle = 2;
/// From the launch of `jalr` to its request: it fetches nothing before it knows the target.
const REQUEST_OF_JALR: Cycle = 5;
/// From the end of a fetch to the request of data, or of a taken branch's target: the state machine
/// sees `mem_done`, then `mem_la_read` or `mem_la_write`, then `mem_valid`.
const NEXT_REQUEST: Cycle = 2;
/// From the launch of `ecall` or `ebreak` to `trap`.
const TRAP: Cycle = 3;
/// The same of what no unit takes: `pcpi_timeout` comes 16 cycles behind `pcpi_valid`.
const TRAP_OF_ILLEGAL: Cycle = 20;

/// The core.
#[derive(Default)]
pub struct PicoRv32 {
    registers: [u32; 32],
    pc: u32,
    /// What is at `pc`; none before the first fetch.
    next: Option<Instruction>,
    /// Its launch.
    launch: Cycle,
    /// The upper half of the word that was fetched last (`mem_16bit_buffer`), which an instruction
    /// that follows and begins there is taken from.
    upper_half: u16,
    /// Instructions launched so far.
    launched: u64,
    trap: Option<Trap>,
    decoder: Decoder,
}

/// What an instruction has come to.
struct Outcome {
    /// When the fetch of the next one has ended, or that of data, which is later.
    done: Cycle,
    /// Where the next one is.
    pc: u32,
    value: u32,
}

impl Core for PicoRv32 {
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
        self.trap.map_or(self.launch, |trap| trap.cycle)
    }

    fn registers(&self) -> [u32; 32] {
        self.registers
    }

    fn pc(&self) -> u32 {
        self.pc
    }
}

impl HasTwin for PicoRv32 {
    type Twin = Self;

    const CONVENTION: Convention = RISC_V;

    fn twin(&self, pc: u32, registers: [u32; 32]) -> Self {
        Self { pc, registers, ..Self::default() }
    }
}

impl PicoRv32 {
    fn go_on<P: Ports + ?Sized, O: Observer>(
        &mut self,
        ports: &mut P,
        until: Cycle,
        observer: &mut O,
    ) -> Going<Stop> {
        while self.launch < until {
            let Some(instruction) = self.next else {
                self.launch = self.fetch_anew(ports, FIRST_REQUEST, self.pc)? + 1;
                continue;
            };
            if observer.stops_at(self.pc) {
                return Ok(Stop::Stopped);
            }
            self.launched += 1;
            let outcome = self.execute(ports, instruction)?;
            self.registers[usize::from(instruction.rd & 31)] = outcome.value;
            self.registers[0] = 0;
            self.launch = outcome.done + 1;
            let pc = std::mem::replace(&mut self.pc, outcome.pc);
            let register = instruction.rd;
            let value = if register == 0 { 0 } else { outcome.value };
            observer.retired(Retired { cycle: self.launch, pc, register, value });
        }
        Ok(Stop::Reached)
    }

    #[inline]
    fn execute<P: Ports + ?Sized>(&mut self, ports: &mut P, this: Instruction) -> Going<Outcome> {
        let (first, second) = (this.first(&self.registers), this.second(&self.registers));
        match this.class {
            Class::Compute | Class::Shift | Class::Fence => {
                let first = if this.operation == Operation::Auipc { self.pc } else { first };
                self.computed(ports, this, WANTED, compute(this.operation, first, second))
            }
            Class::Multiply => {
                let value = compute(this.operation, first, second);
                self.computed(ports, this, WANTED_BY_PRODUCT, value)
            }
            Class::Divide => {
                let value = compute(this.operation, first, second);
                self.computed(ports, this, WANTED_BY_QUOTIENT, value)
            }
            Class::Load => self.load(ports, this, first),
            Class::Store => self.store(ports, this, first, self.register(this.rs2)),
            Class::Branch if is_taken(this.operation, first, second) => self.branch(ports, this),
            Class::Branch => self.computed(ports, this, WANTED, 0),
            Class::Jump => {
                // The state stays `fetch`, which asks for the target at once.
                let target = self.pc.wrapping_add(this.immediate);
                self.jump(ports, this, self.launch + REQUEST, target)
            }
            Class::JumpRegister => {
                let target = first.wrapping_add(this.immediate) & !1;
                self.jump(ports, this, self.launch + REQUEST_OF_JALR, target)
            }
            Class::System => self.system(ports, this),
        }
    }

    fn register(&self, number: u8) -> u32 {
        self.registers[usize::from(number & 31)]
    }

    fn behind(&self, this: Instruction) -> u32 {
        self.pc.wrapping_add(this.bytes.into())
    }

    /// What gives a value, and goes on behind it.
    #[inline]
    fn computed<P: Ports + ?Sized>(
        &mut self,
        ports: &mut P,
        this: Instruction,
        wanted: Cycle,
        value: u32,
    ) -> Going<Outcome> {
        let pc = self.behind(this);
        let done = self.fetch_behind(ports, pc, self.launch + wanted)?;
        Ok(Outcome { done, pc, value })
    }

    fn load<P: Ports + ?Sized>(
        &mut self,
        ports: &mut P,
        this: Instruction,
        base: u32,
    ) -> Going<Outcome> {
        let pc = self.behind(this);
        let at = self.fetch_behind(ports, pc, self.launch + WANTED)? + NEXT_REQUEST;
        let address = base.wrapping_add(this.immediate);
        let mut words = [0];
        let acks = ports
            .read(at, address & !3, &mut words)
            .map_err(|refused| Halt::refused(at, refused))?;
        require_aligned(this, at, address)?;
        let value = loaded(this.operation, address, words[0]);
        Ok(Outcome { done: acks.first, pc, value })
    }

    fn store<P: Ports + ?Sized>(
        &mut self,
        ports: &mut P,
        this: Instruction,
        base: u32,
        value: u32,
    ) -> Going<Outcome> {
        let pc = self.behind(this);
        let at = self.fetch_behind(ports, pc, self.launch + WANTED)? + NEXT_REQUEST;
        let address = base.wrapping_add(this.immediate);
        let (word, lanes) = stored(this.operation, address, value);
        let written = ports.write(at, address & !3, word, lanes);
        let done = written.map_err(|refused| Halt::refused(at, refused))?;
        require_aligned(this, at, address)?;
        Ok(Outcome { done, pc, value: 0 })
    }

    fn jump<P: Ports + ?Sized>(
        &mut self,
        ports: &mut P,
        this: Instruction,
        at: Cycle,
        target: u32,
    ) -> Going<Outcome> {
        let value = self.behind(this);
        let done = self.fetch_anew(ports, at, target)?;
        Ok(Outcome { done, pc: target, value })
    }

    /// A taken branch: the state machine leaves `exec` when what is behind the branch has come.
    fn branch<P: Ports + ?Sized>(&mut self, ports: &mut P, this: Instruction) -> Going<Outcome> {
        let target = self.pc.wrapping_add(this.immediate);
        let left = self.fetch_in_vain(ports, self.behind(this), target)?;
        let done = self.fetch_anew(ports, left + NEXT_REQUEST, target)?;
        Ok(Outcome { done, pc: target, value: 0 })
    }

    fn system<P: Ports + ?Sized>(&mut self, ports: &mut P, this: Instruction) -> Going<Outcome> {
        if let Some(value) = self.counter(this) {
            return self.computed(ports, this, WANTED_BY_COUNTER, value);
        }
        if this.operation == Operation::Custom {
            let operands = [this.first(&self.registers), this.second(&self.registers)];
            let given = ports.custom(self.launch + ASKS_UNITS, this.immediate, operands);
            if let Some((value, ready)) = given {
                return self.computed(ports, this, ready + 1 - self.launch, value);
            }
        }
        let (cause, trap) = match this.operation {
            Operation::Ecall => (Cause::EnvironmentCall, TRAP),
            Operation::Ebreak => (Cause::Breakpoint, TRAP),
            _ => (Cause::IllegalInstruction, TRAP_OF_ILLEGAL),
        };
        let behind = self.behind(this);
        // A half that is there already needs no word, and nobody wants the instruction it begins.
        if behind.is_multiple_of(4) {
            fetch_word(ports, self.launch + REQUEST, behind)?;
        }
        Err(Halt { cycle: self.launch + trap, cause, address: 0 })
    }

    /// What reading a counter gives, if the instruction does no more than that: the core has no
    /// other control registers. `ld_rs1` takes it, one cycle behind the launch.
    fn counter(&self, this: Instruction) -> Option<u32> {
        if this.operation != Operation::Csrrs || this.by_immediate || this.rs1 != 0 {
            return None;
        }
        let cycles = self.launch + 1;
        match this.immediate {
            0xc00 | 0xc01 => Some(cycles as u32),
            0xc80 | 0xc81 => Some((cycles >> 32) as u32),
            0xc02 => Some(self.launched as u32),
            0xc82 => Some((self.launched >> 32) as u32),
            _ => None,
        }
    }
}

/// The check comes with `mem_la_read` or `mem_la_write`, so that the request, of the whole word, goes
/// out all the same; `trap` is high in the cycle behind it.
fn require_aligned(this: Instruction, at: Cycle, address: u32) -> Going<()> {
    if is_aligned(this.operation, address) {
        return Ok(());
    }
    Err(Halt { cycle: at + 1, cause: Cause::Misaligned, address: 0 })
}
