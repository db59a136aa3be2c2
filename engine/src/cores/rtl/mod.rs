// SPDX-License-Identifier: Apache-2.0
//! A core as its RTL, compiled by Verilator (`python/tandem/models/cores.py`), cycle by cycle. Its
//! port map names the signals of the core that are looked at; the protocol of all is the core's name.

mod picorv32;
mod vexriscv;

use std::ffi::c_void;

use self::picorv32::PicoPins;
use self::vexriscv::VexPins;
use super::{Core, Cycle, Observer, Ports, Refused, Stop, Trap};
use crate::error::{Error, Result, Status};
use crate::host::block::Block;
use crate::model::{Eval, RtlModel, RtlObject};

const RESET_CYCLES: u32 = 4;

/// The core.
pub struct RtlCore {
    shell: Shell,
    pins: Pins,
    cycle: Cycle,
    trap: Option<Trap>,
}

/// The core's own signals.
enum Pins {
    PicoRv32(PicoPins),
    VexRiscv(VexPins),
}

/// The model and its clock.
struct Shell {
    eval: Eval,
    state: *mut c_void,
    clk: Wire<u8>,
    _memory: Block,
    _model: RtlObject,
}

/// A signal of the model, which lives as long as the process.
struct Wire<T>(*mut T);

impl<T> Clone for Wire<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Wire<T> {}

impl<T: Copy> Wire<T> {
    fn get(self) -> T {
        // SAFETY: the model says that it is there, and `Wires::wire` that it is as wide.
        unsafe { self.0.read() }
    }

    fn set(self, value: T) {
        // SAFETY: as in `get`.
        unsafe { self.0.write(value) }
    }
}

impl Wire<u8> {
    fn is_high(self) -> bool {
        self.get() & 1 == 1
    }
}

impl Wire<[u32; 32]> {
    /// The registers, of which the model may keep anything for x0.
    fn registers(self) -> [u32; 32] {
        let mut registers = self.get();
        registers[0] = 0;
        registers
    }
}

/// The signals of a model.
struct Wires {
    rows: Vec<(String, u32, *mut u8)>,
}

impl Wires {
    /// The signal of a name; of an array of registers, its first word.
    fn wire<T>(&self, name: &str) -> Result<Wire<T>> {
        let bits = 8 * size_of::<T>() as u32;
        let is_it = |row: &&(String, u32, *mut u8)| row.0 == name && row.1.max(8) <= bits;
        let found = self.rows.iter().find(is_it).filter(|row| !row.2.is_null());
        found.map(|row| Wire(row.2.cast())).ok_or_else(|| {
            let message = format!("the core's model has no signal {name} of at most {bits} bits");
            Error::new(Status::BadPackage, message)
        })
    }
}

impl Pins {
    /// Those of the core that the model is of.
    fn new(wires: &Wires) -> Result<Self> {
        if wires.wire::<u8>("launch_next_insn").is_ok() {
            return Ok(Self::PicoRv32(PicoPins::new(wires)?));
        }
        Ok(Self::VexRiscv(VexPins::new(wires)?))
    }

    fn set_reset(&mut self, is_reset: bool) {
        match self {
            Self::PicoRv32(pins) => pins.set_reset(is_reset),
            Self::VexRiscv(pins) => pins.set_reset(is_reset),
        }
    }
}

impl Shell {
    /// Half a cycle.
    fn settle(&self, clk: u8) {
        self.clk.set(clk);
        // SAFETY: the state was begun and stays.
        unsafe { (self.eval)(self.state) };
    }
}

impl RtlCore {
    /// A core in reset, from the content of its model.
    ///
    /// # Errors
    /// [`Status::BadPackage`] if it is none of a core.
    pub fn load(content: &[u8]) -> Result<Self> {
        let model = RtlObject::load(content)?;
        let mut memory = Block::default();
        let state: *mut c_void = memory.reserve_zeroed(model.state_bytes())?.cast();
        // SAFETY: the state is zeroed, aligned to a page and as large as the model says.
        let places = unsafe { model.begin(state, &[]) };
        let signals = model.signals().iter().zip(places);
        let rows = signals.map(|(signal, place)| (signal.name.clone(), signal.bits, place));
        let wires = Wires { rows: rows.collect() };
        let pins = Pins::new(&wires)?;
        let (eval, clk) = (model.eval(), wires.wire("clk")?);
        let shell = Shell { eval, state, clk, _memory: memory, _model: model };
        let mut core = Self { shell, pins, cycle: 0, trap: None };
        core.reset();
        Ok(core)
    }

    /// Resets the core; registers keep what they hold. Cycle 0 comes next.
    pub fn reset(&mut self) {
        self.pins.set_reset(true);
        for _ in 0..RESET_CYCLES {
            self.shell.settle(0);
            self.shell.settle(1);
        }
        // With the rising edge before, cycle 0 has begun.
        self.pins.set_reset(false);
        (self.cycle, self.trap) = (0, None);
    }
}

impl Core for RtlCore {
    fn run<P: Ports + ?Sized, O: Observer>(
        &mut self,
        ports: &mut P,
        until: Cycle,
        observer: &mut O,
    ) -> Stop {
        while self.trap.is_none() && self.cycle < until {
            self.trap = match &mut self.pins {
                Pins::PicoRv32(pins) => pins.cycle(&self.shell, self.cycle, ports, observer),
                Pins::VexRiscv(pins) => pins.cycle(&self.shell, self.cycle, ports, observer),
            };
            self.cycle += u64::from(self.trap.is_none());
        }
        self.trap.map_or(Stop::Reached, Stop::Trapped)
    }

    fn cycle(&self) -> Cycle {
        self.cycle
    }

    fn registers(&self) -> [u32; 32] {
        match &self.pins {
            Pins::PicoRv32(pins) => pins.registers(),
            Pins::VexRiscv(pins) => pins.registers(),
        }
    }

    fn pc(&self) -> u32 {
        match &self.pins {
            Pins::PicoRv32(pins) => pins.pc(),
            Pins::VexRiscv(pins) => pins.pc(),
        }
    }
}

/// A request that the bus has refused, as the end of all.
fn refusal(cycle: Cycle, pc: u32, refused: Refused) -> Trap {
    Trap { cycle, pc, cause: super::Cause::Refused, address: refused.address }
}
