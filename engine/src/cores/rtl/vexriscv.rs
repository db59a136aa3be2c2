// SPDX-License-Identifier: Apache-2.0
//! The signals of VexRiscv: two Wishbone ports, and what leaves write-back.

use super::{Shell, Wire, Wires, refusal};
use crate::cores::{Acks, Answered, Cause, Cycle, Observer, Ports, Retired, Trap};
use crate::error::Result;

/// Words of a burst.
const BURST: usize = 8;
/// CTI of a classic cycle; of a burst's words, and of its last one, it is another.
const CLASSIC: u8 = 0;
/// Codes of exceptions.
const ILLEGAL: u8 = 2;
const ENVIRONMENT_CALL: u8 = 11;
const EBREAK: u32 = 0x0010_0073;

/// One of its ports.
struct Bus {
    cyc: Wire<u8>,
    stb: Wire<u8>,
    ack: Wire<u8>,
    we: Wire<u8>,
    adr: Wire<u32>,
    sel: Wire<u8>,
    cti: Wire<u8>,
    miso: Wire<u32>,
    mosi: Wire<u32>,
    /// What is asked for, and not all acknowledged.
    answer: Option<Answer>,
}

#[derive(Clone, Copy)]
struct Answer {
    acks: Acks,
    words: [u32; BURST],
    count: usize,
    given: usize,
}

pub(super) struct VexPins {
    reset: Wire<u8>,
    vector: Wire<u32>,
    interrupts: Wire<u32>,
    instructions: Bus,
    data: Bus,
    is_firing: Wire<u8>,
    pc: Wire<u32>,
    writes: Wire<u8>,
    register: Wire<u8>,
    value: Wire<u32>,
    registers: Wire<[u32; 32]>,
    had_exception: Wire<u8>,
    code: Wire<u8>,
    bad_address: Wire<u32>,
}

impl Bus {
    fn new(wires: &Wires, name: &str) -> Result<Self> {
        let wire = |signal: &str| format!("{name}Wishbone_{signal}");
        Ok(Self {
            cyc: wires.wire(&wire("CYC"))?,
            stb: wires.wire(&wire("STB"))?,
            ack: wires.wire(&wire("ACK"))?,
            we: wires.wire(&wire("WE"))?,
            adr: wires.wire(&wire("ADR"))?,
            sel: wires.wire(&wire("SEL"))?,
            cti: wires.wire(&wire("CTI"))?,
            miso: wires.wire(&wire("DAT_MISO"))?,
            mosi: wires.wire(&wire("DAT_MOSI"))?,
            answer: None,
        })
    }

    /// Acknowledges what is to be in this cycle. `ask`: what is asked for anew.
    fn serve(&mut self, cycle: Cycle, ask: impl FnOnce(&Self) -> Answered<Answer>) -> Answered<()> {
        self.ack.set(0);
        if !(self.cyc.is_high() && self.stb.is_high()) {
            return Ok(());
        }
        let mut answer = match self.answer {
            Some(answer) => answer,
            None => ask(self)?,
        };
        if cycle == answer.acks.first + answer.given as u64 * answer.acks.interval {
            self.ack.set(1);
            self.miso.set(answer.words[answer.given]);
            answer.given += 1;
        }
        self.answer = (answer.given < answer.count).then_some(answer);
        Ok(())
    }

    fn address(&self) -> u32 {
        self.adr.get() << 2
    }

    fn count(&self) -> usize {
        if self.cti.get() == CLASSIC { 1 } else { BURST }
    }
}

impl VexPins {
    pub(super) fn new(wires: &Wires) -> Result<Self> {
        Ok(Self {
            reset: wires.wire("reset")?,
            vector: wires.wire("externalResetVector")?,
            interrupts: wires.wire("externalInterruptArray")?,
            instructions: Bus::new(wires, "iBus")?,
            data: Bus::new(wires, "dBus")?,
            is_firing: wires.wire("lastStageIsFiring")?,
            pc: wires.wire("lastStagePc")?,
            writes: wires.wire("lastStageRegFileWrite_valid")?,
            register: wires.wire("lastStageRegFileWrite_payload_address")?,
            value: wires.wire("lastStageRegFileWrite_payload_data")?,
            registers: wires.wire("RegFilePlugin_regFile")?,
            had_exception: wires.wire("CsrPlugin_hadException")?,
            code: wires.wire("CsrPlugin_exceptionPortCtrl_exceptionContext_code")?,
            bad_address: wires.wire("CsrPlugin_exceptionPortCtrl_exceptionContext_badAddr")?,
        })
    }

    pub(super) fn set_reset(&mut self, is_reset: bool) {
        self.reset.set(is_reset.into());
        self.vector.set(0);
        self.interrupts.set(0);
        for bus in [&mut self.instructions, &mut self.data] {
            bus.ack.set(0);
            bus.answer = None;
        }
    }

    pub(super) fn registers(&self) -> [u32; 32] {
        self.registers.registers()
    }

    pub(super) fn pc(&self) -> u32 {
        self.pc.get()
    }

    /// One cycle, whose rising edge was; ends with that of the next one.
    pub(super) fn cycle<P: Ports + ?Sized, O: Observer>(
        &mut self,
        shell: &Shell,
        cycle: Cycle,
        ports: &mut P,
        observer: &mut O,
    ) -> Option<Trap> {
        if self.had_exception.is_high() {
            return Some(Trap { cycle, pc: self.pc.get(), cause: self.cause(), address: 0 });
        }
        if let Err(refused) = self.serve(cycle, ports) {
            return Some(refusal(cycle, self.pc.get(), refused));
        }
        self.interrupts.set(ports.interrupts(cycle));
        shell.settle(0);
        if self.is_firing.is_high() {
            observer.retired(self.retired(cycle));
        }
        shell.settle(1);
        None
    }

    fn serve<P: Ports + ?Sized>(&mut self, cycle: Cycle, ports: &mut P) -> Answered<()> {
        self.data.serve(cycle, |bus| {
            let (mut words, count, address) = ([0; BURST], bus.count(), bus.address());
            let acks = if bus.we.is_high() {
                let first = ports.write(cycle, address, bus.mosi.get(), bus.sel.get())?;
                Acks { first, interval: 1 }
            } else {
                ports.read(cycle, address, &mut words[..count])?
            };
            Ok(Answer { acks, words, count, given: 0 })
        })?;
        self.instructions.serve(cycle, |bus| {
            let mut words = [0; BURST];
            let acks = ports.fetch(cycle, bus.address(), &mut words)?;
            Ok(Answer { acks, words, count: BURST, given: 0 })
        })
    }

    fn retired(&self, cycle: Cycle) -> Retired {
        let writes = self.writes.is_high() && self.register.get() != 0;
        let (register, value) =
            if writes { (self.register.get(), self.value.get()) } else { (0, 0) };
        Retired { cycle, pc: self.pc.get(), register, value }
    }

    fn cause(&self) -> Cause {
        match self.code.get() {
            ILLEGAL if self.bad_address.get() == EBREAK => Cause::Breakpoint,
            ILLEGAL => Cause::IllegalInstruction,
            ENVIRONMENT_CALL => Cause::EnvironmentCall,
            _ => Cause::Misaligned,
        }
    }
}
