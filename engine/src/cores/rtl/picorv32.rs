// SPDX-License-Identifier: Apache-2.0
//! The signals of PicoRV32.

use super::{Shell, Wire, Wires, refusal};
use crate::cores::rv32::{Operation, decode};
use crate::cores::{Answered, Cause, Cycle, Observer, Ports, Retired, Trap};
use crate::error::Result;

/// States of `cpu_state`.
const TRAP: u8 = 0x80;
const LD_RS1: u8 = 0x20;

pub(super) struct PicoPins {
    resetn: Wire<u8>,
    trap: Wire<u8>,
    mem_valid: Wire<u8>,
    mem_instr: Wire<u8>,
    mem_ready: Wire<u8>,
    mem_addr: Wire<u32>,
    mem_wdata: Wire<u32>,
    mem_wstrb: Wire<u8>,
    mem_rdata: Wire<u32>,
    launch_next_insn: Wire<u8>,
    cpuregs_write: Wire<u8>,
    cpuregs_wrdata: Wire<u32>,
    latched_rd: Wire<u8>,
    cpuregs: Wire<[u32; 32]>,
    reg_pc: Wire<u32>,
    cpu_state: Wire<u8>,
    instr_ecall_ebreak: Wire<u8>,
    pcpi_insn: Wire<u32>,
    pcpi_valid: Wire<u8>,
    pcpi_rs1: Wire<u32>,
    pcpi_rs2: Wire<u32>,
    pcpi_wr: Wire<u8>,
    pcpi_rd: Wire<u32>,
    pcpi_ready: Wire<u8>,
    /// What a unit beside the core has answered, or that there is none, while an instruction for one
    /// stands there.
    unit: Option<Option<(u32, Cycle)>>,
    /// When what is asked for is acknowledged, and with what.
    answer: Option<(Cycle, u32)>,
    /// Whether an instruction is under way, its address, and what it has written.
    is_launched: bool,
    launched_pc: u32,
    written: (u8, u32),
    /// `cpu_state` of the cycle before.
    state_before: u8,
    cause: Cause,
}

impl PicoPins {
    pub(super) fn new(wires: &Wires) -> Result<Self> {
        Ok(Self {
            resetn: wires.wire("resetn")?,
            trap: wires.wire("trap")?,
            mem_valid: wires.wire("mem_valid")?,
            mem_instr: wires.wire("mem_instr")?,
            mem_ready: wires.wire("mem_ready")?,
            mem_addr: wires.wire("mem_addr")?,
            mem_wdata: wires.wire("mem_wdata")?,
            mem_wstrb: wires.wire("mem_wstrb")?,
            mem_rdata: wires.wire("mem_rdata")?,
            launch_next_insn: wires.wire("launch_next_insn")?,
            cpuregs_write: wires.wire("cpuregs_write")?,
            cpuregs_wrdata: wires.wire("cpuregs_wrdata")?,
            latched_rd: wires.wire("latched_rd")?,
            cpuregs: wires.wire("cpuregs")?,
            reg_pc: wires.wire("reg_pc")?,
            cpu_state: wires.wire("cpu_state")?,
            instr_ecall_ebreak: wires.wire("instr_ecall_ebreak")?,
            pcpi_insn: wires.wire("pcpi_insn")?,
            pcpi_valid: wires.wire("pcpi_valid")?,
            pcpi_rs1: wires.wire("pcpi_rs1")?,
            pcpi_rs2: wires.wire("pcpi_rs2")?,
            pcpi_wr: wires.wire("pcpi_wr")?,
            pcpi_rd: wires.wire("pcpi_rd")?,
            pcpi_ready: wires.wire("pcpi_ready")?,
            unit: None,
            answer: None,
            is_launched: false,
            launched_pc: 0,
            written: (0, 0),
            state_before: 0,
            cause: Cause::IllegalInstruction,
        })
    }

    pub(super) fn set_reset(&mut self, is_reset: bool) {
        self.resetn.set((!is_reset).into());
        self.mem_ready.set(0);
        self.pcpi_ready.set(0);
        (self.answer, self.is_launched, self.written) = (None, false, (0, 0));
        (self.launched_pc, self.unit) = (0, None);
    }

    pub(super) fn registers(&self) -> [u32; 32] {
        self.cpuregs.registers()
    }

    pub(super) fn pc(&self) -> u32 {
        self.launched_pc
    }

    /// One cycle, whose rising edge was; ends with that of the next one.
    pub(super) fn cycle<P: Ports + ?Sized, O: Observer>(
        &mut self,
        shell: &Shell,
        cycle: Cycle,
        ports: &mut P,
        observer: &mut O,
    ) -> Option<Trap> {
        if self.trap.is_high() {
            return Some(Trap { cycle, pc: self.launched_pc, cause: self.cause, address: 0 });
        }
        if let Err(refused) = self.serve(cycle, ports) {
            return Some(refusal(cycle, self.launched_pc, refused));
        }
        self.serve_units(cycle, ports);
        shell.settle(0);
        let launches = self.look(cycle, observer);
        shell.settle(1);
        if launches {
            self.launched_pc = self.reg_pc.get();
        }
        None
    }

    fn serve<P: Ports + ?Sized>(&mut self, cycle: Cycle, ports: &mut P) -> Answered<()> {
        self.mem_ready.set(0);
        if !self.mem_valid.is_high() {
            return Ok(());
        }
        let (acknowledged, word) = match self.answer {
            Some(answer) => answer,
            None => self.ask(cycle, ports)?,
        };
        self.answer = (cycle < acknowledged).then_some((acknowledged, word));
        if self.answer.is_none() {
            self.mem_ready.set(1);
            self.mem_rdata.set(word);
        }
        Ok(())
    }

    /// Answers an instruction of custom-0 as what is beside the core does.
    fn serve_units<P: Ports + ?Sized>(&mut self, cycle: Cycle, ports: &mut P) {
        self.pcpi_ready.set(0);
        let asked = self.pcpi_valid.is_high().then(|| decode(self.pcpi_insn.get()));
        let Some(asked) = asked.filter(|asked| asked.operation == Operation::Custom) else {
            self.unit = None;
            return;
        };
        let operands = [self.pcpi_rs1.get(), self.pcpi_rs2.get()];
        let ask = || ports.custom(cycle, asked.immediate, operands);
        if let Some((word, ready)) = *self.unit.get_or_insert_with(ask) {
            let is_ready = u8::from(cycle == ready);
            self.pcpi_ready.set(is_ready);
            self.pcpi_wr.set(is_ready);
            self.pcpi_rd.set(word);
        }
    }

    fn ask<P: Ports + ?Sized>(&self, cycle: Cycle, ports: &mut P) -> Answered<(Cycle, u32)> {
        let (address, lanes) = (self.mem_addr.get(), self.mem_wstrb.get());
        if lanes != 0 {
            return Ok((ports.write(cycle, address, self.mem_wdata.get(), lanes)?, 0));
        }
        let mut words = [0];
        let acks = match self.mem_instr.is_high() {
            true => ports.fetch(cycle, address, &mut words)?,
            false => ports.read(cycle, address, &mut words)?,
        };
        Ok((acks.first, words[0]))
    }

    /// What the cycle shows; whether an instruction is launched, of which `reg_pc` tells in the next.
    fn look<O: Observer>(&mut self, cycle: Cycle, observer: &mut O) -> bool {
        if self.cpuregs_write.is_high() && self.latched_rd.get() != 0 {
            self.written = (self.latched_rd.get(), self.cpuregs_wrdata.get());
        }
        let launches = self.launch_next_insn.is_high();
        if launches {
            if self.is_launched {
                let (register, value) = self.written;
                observer.retired(Retired { cycle, pc: self.launched_pc, register, value });
            }
            (self.is_launched, self.written) = (true, (0, 0));
        }
        let state = self.cpu_state.get();
        if state == TRAP && self.state_before != TRAP {
            self.cause = self.cause_of_trap();
        }
        self.state_before = state;
        launches
    }

    /// Why `cpu_state` is the trap's, from what it was. An instruction that no unit takes leaves
    /// `ld_rs1`; then the decoder still holds it.
    fn cause_of_trap(&self) -> Cause {
        match (self.state_before, self.instr_ecall_ebreak.is_high(), self.pcpi_insn.get()) {
            (LD_RS1, false, _) => Cause::IllegalInstruction,
            (LD_RS1, true, 0x0000_0073) => Cause::EnvironmentCall,
            (LD_RS1, true, _) => Cause::Breakpoint,
            _ => Cause::Misaligned,
        }
    }
}
