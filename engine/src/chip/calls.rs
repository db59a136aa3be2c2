// SPDX-License-Identifier: Apache-2.0
//! Calls of offloaded functions on a chip. A call begins where the program comes to the driver that
//! has the function's place. Beside it the C function runs, on a copy of the memory and a core of its
//! own: what it leaves is what the driver has to leave, and how long it takes is what the call would
//! take in software.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::Traffic;
use super::memory::Memory;
use super::program::Program;
use super::shell::Computed;
use super::tally::{Parts, Tally};
use crate::cores::{Acks, Answered, Core, Cycle, HasTwin, Observer, Ports, Refused, Retired, Stop};
use crate::error::{Error, Result, Status};

/// Where the C function returns to beside a call: nothing is there.
const NOWHERE: u32 = 0xffff_fff0;

/// An offloaded function in the program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Driven {
    /// The function's name, for people.
    pub kernel: String,
    /// The name of what has its place.
    pub driver: String,
    /// The name of the C function itself.
    pub original: String,
    /// Bits of what it returns; 0 for nothing.
    pub result_bits: u32,
}

/// The same, by address.
#[derive(Debug, Clone)]
struct Place {
    driver: u32,
    original: u32,
    result_bits: u32,
    /// What the driver keeps in memory from call to call.
    own: Range<u32>,
}

/// A call under way.
struct UnderWay<C: HasTwin> {
    kernel: usize,
    entered: Cycle,
    returns_to: u32,
    stack: u32,
    traffic: Traffic,
    computed: Computed,
    expected: Expected<C::Twin>,
}

/// A C function that runs beside a call that has not begun.
struct Beside<C> {
    kernel: usize,
    core: C,
    memory: Memory,
    begun: Cycle,
}

/// Cycles of it at once: whoever wants to stop the run can do so in between.
const SLICE_CYCLES: Cycle = 1 << 24;

/// What the C function has left.
struct Expected<C> {
    memory: Memory,
    core: C,
    cycles: u64,
}

/// What a program may not go beyond.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// The lowest address of its stack.
    pub stack_limit: u32,
    /// Cycles after which it counts as endless, and so does a C function beside a call.
    pub limit_cycles: Cycle,
}

/// The calls of a program.
pub struct Calls<C: HasTwin> {
    places: Vec<Place>,
    /// By kernel.
    pub tallies: Vec<Tally>,
    stack_limit: u32,
    limit_cycles: Cycle,
    under_way: Option<UnderWay<C>>,
    beside: Option<Beside<C::Twin>>,
    /// By kernel, the core that has run the C function last.
    before: Vec<Option<C::Twin>>,
}

/// What a core has around it beside a call: memory, and nothing else.
pub struct Alone<'m>(pub &'m mut Memory);

impl Ports for Alone<'_> {
    #[inline]
    fn fetch(&mut self, at: Cycle, address: u32, words: &mut [u32]) -> Answered<Acks> {
        self.0.read(at, address, words).ok_or(Refused { address })
    }

    #[inline]
    fn read(&mut self, at: Cycle, address: u32, words: &mut [u32]) -> Answered<Acks> {
        if let Some(acks) = self.0.read(at, address, words) {
            return Ok(acks);
        }
        // What it asks the host the driver does not: it has said it, or never will.
        words.fill(0);
        if super::is_host(address) {
            Ok(Acks { first: at, interval: 1 })
        } else {
            Err(Refused { address })
        }
    }

    #[inline]
    fn write(&mut self, at: Cycle, address: u32, word: u32, lanes: u8) -> Answered<Cycle> {
        let written = self.0.write(at, address, word, lanes);
        written.or(super::is_host(address).then_some(at)).ok_or(Refused { address })
    }

    fn interrupts(&mut self, _at: Cycle) -> u32 {
        0
    }
}

impl<C: HasTwin> Calls<C> {
    /// The calls of these functions of a program.
    ///
    /// # Errors
    /// [`Status::BadArgument`] where the program lacks a name.
    pub fn new(driven: &[Driven], program: &Program, bounds: Bounds) -> Result<Self> {
        let place = |one: &Driven| {
            Ok(Place {
                driver: program.address(&one.driver)?,
                original: program.address(&one.original)?,
                result_bits: one.result_bits,
                own: program.range(&format!("{}_ring", one.driver)),
            })
        };
        let tally = |one: &Driven| Tally { kernel: one.kernel.clone(), ..Tally::default() };
        Ok(Self {
            places: driven.iter().map(place).collect::<Result<_>>()?,
            tallies: driven.iter().map(tally).collect(),
            stack_limit: bounds.stack_limit,
            limit_cycles: bounds.limit_cycles,
            under_way: None,
            beside: None,
            before: driven.iter().map(|_| None).collect(),
        })
    }

    /// Where the program is to be stopped next.
    pub fn stops(&self) -> Stops {
        match &self.under_way {
            Some(call) => Stops { places: vec![call.returns_to] },
            None => Stops { places: self.places.iter().map(|place| place.driver).collect() },
        }
    }

    /// The program has come to one of these places: a call begins there, or has ended, which is
    /// told if the hardware has served it.
    ///
    /// # Errors
    /// [`Status::WrongResult`] where the driver has left something else than the C function.
    pub fn stopped(
        &mut self,
        core: &C,
        memory: &Memory,
        traffic: &mut Traffic,
        computed: impl Fn(usize) -> Computed,
    ) -> Result<Option<Served>> {
        match self.under_way.take() {
            None => self.begin(core, memory, traffic, computed).map(|()| None),
            // A function that calls itself comes by with other frames on the stack.
            Some(call) if core.registers()[C::CONVENTION.stack] != call.stack => {
                self.under_way = Some(call);
                Ok(None)
            }
            Some(call) => self.end(call, core, memory, traffic, computed),
        }
    }

    /// The kernel of which a call is under way, if one is.
    pub fn under_way(&self) -> Option<usize> {
        self.under_way.as_ref().map(|call| call.kernel)
    }

    /// Whether a C function runs beside a call that has not begun, and [`Self::stopped`] is to be asked
    /// once more.
    pub fn is_beside(&self) -> bool {
        self.beside.is_some()
    }

    fn begin(
        &mut self,
        core: &C,
        memory: &Memory,
        traffic: &mut Traffic,
        computed: impl Fn(usize) -> Computed,
    ) -> Result<()> {
        let found = self.places.iter().position(|place| place.driver == core.pc());
        let Some(kernel) = found else { return Ok(()) };
        let beside = self.beside.take();
        let mut beside = beside.unwrap_or_else(|| self.set_out(kernel, core, memory));
        if !self.has_returned(&mut beside)? {
            self.beside = Some(beside);
            return Ok(());
        }
        let cycles = beside.core.cycle().saturating_sub(beside.begun);
        let expected = Expected { memory: beside.memory, core: beside.core, cycles };
        let registers = core.registers();
        (traffic.first, traffic.seen) = (None, None);
        self.under_way = Some(UnderWay {
            kernel,
            entered: core.cycle(),
            returns_to: registers[C::CONVENTION.return_address],
            stack: registers[C::CONVENTION.stack],
            traffic: *traffic,
            computed: computed(kernel),
            expected,
        });
        Ok(())
    }

    /// Lets the C function begin beside the call.
    fn set_out(&self, kernel: usize, core: &C, memory: &Memory) -> Beside<C::Twin> {
        let mut registers = core.registers();
        registers[C::CONVENTION.return_address] = NOWHERE;
        let original = self.places[kernel].original;
        let mut own = match &self.before[kernel] {
            Some(before) => core.twin_behind(before, original, registers),
            None => core.twin(original, registers),
        };
        let mut memory = memory.clone();
        // A twin comes out of reset: its time counts from its first instruction on.
        let mut first = Stops { places: vec![original] };
        own.run(&mut Alone(&mut memory), self.limit_cycles, &mut first);
        let begun = own.cycle();
        Beside { kernel, core: own, memory, begun }
    }

    /// Whether it has, after a slice of it more.
    fn has_returned(&self, beside: &mut Beside<C::Twin>) -> Result<bool> {
        let Beside { kernel, core, memory, begun } = beside;
        let name = &self.tallies[*kernel].kernel;
        let end = begun.saturating_add(self.limit_cycles);
        let slice = core.cycle().saturating_add(SLICE_CYCLES).min(end);
        let mut stops = Stops { places: vec![NOWHERE] };
        match core.run(&mut Alone(memory), slice, &mut stops) {
            Stop::Stopped => {}
            Stop::Trapped(trap) if trap.address & !3 == NOWHERE => {}
            Stop::Trapped(trap) => {
                let (what, pc) = (trap.told(), trap.pc);
                let message = format!("the C function {name} stops: {what}, at pc {pc:#010x}");
                return Err(Error::new(Status::BadArgument, message));
            }
            Stop::Reached if slice < end => return Ok(false),
            Stop::Reached => {
                let most = self.limit_cycles;
                let message = format!("{name}: the C function has not ended after {most} cycles");
                return Err(Error::new(Status::TimedOut, message));
            }
        }
        Ok(true)
    }

    fn end(
        &mut self,
        call: UnderWay<C>,
        core: &C,
        memory: &Memory,
        traffic: &Traffic,
        computed: impl Fn(usize) -> Computed,
    ) -> Result<Option<Served>> {
        self.check(&call, core, memory)?;
        self.before[call.kernel] = Some(call.expected.core);
        let Some(tally) = self.tallies.get_mut(call.kernel) else { return Ok(None) };
        let ran = computed(call.kernel);
        let Some(first) = traffic.first.filter(|_| ran != call.computed) else {
            tally.software_calls += 1;
            return Ok(None);
        };
        let cycles = core.cycle() - call.entered;
        tally.calls += 1;
        tally.cycles += cycles;
        tally.software_cycles += call.expected.cycles;
        tally.words.0 += traffic.written - call.traffic.written;
        tally.words.1 += traffic.read - call.traffic.read;
        let done = ran.ended.max(traffic.moved_until);
        let wait = traffic.seen.map_or(0, |seen| (seen + 1).saturating_sub(done));
        let parts = Parts {
            call: first - call.entered,
            transfer: traffic.cycles - call.traffic.cycles,
            copy: 0,
            compute: ran.ended - ran.started,
            wait,
        };
        let others = parts.call + parts.transfer + parts.compute + parts.wait;
        tally.parts.add(Parts { copy: cycles.saturating_sub(others), ..parts });
        let (kernel, entered, left) = (call.kernel, call.entered, core.cycle());
        Ok(Some(Served { kernel, entered, left, computed: ran }))
    }

    /// Whether the driver has left what the C function has.
    fn check(&self, call: &UnderWay<C>, core: &C, memory: &Memory) -> Result<()> {
        let name = &self.tallies[call.kernel].kernel;
        let wrong = |what: String| {
            Err(Error::new(Status::WrongResult, format!("{name}: the hardware's {what}")))
        };
        // Below the stack lies what calls have left behind, and what drivers keep is theirs.
        let own = self.places[call.kernel].own.clone();
        if let Some(address) =
            memory.differs(&call.expected.memory, &[self.stack_limit..call.stack, own])
        {
            let byte = |memory: &Memory| memory.bytes(address, 1).map_or(0, |bytes| bytes[0]);
            let (got, expected) = (byte(memory), byte(&call.expected.memory));
            return wrong(format!(
                "byte at {address:#010x} is {got:#04x}, and the C function's {expected:#04x}"
            ));
        }
        let bits = self.places[call.kernel].result_bits;
        let first = C::CONVENTION.result;
        let returned = |registers: [u32; 32]| {
            let whole = u64::from(registers[first]) | u64::from(registers[first + 1]) << 32;
            if bits < 64 { whole & ((1 << bits) - 1) } else { whole }
        };
        let (got, expected) =
            (returned(core.registers()), returned(call.expected.core.registers()));
        match got == expected {
            true => Ok(()),
            false => wrong(format!("result is {got:#x}, and the C function's {expected:#x}")),
        }
    }
}

/// A call that the hardware has served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Served {
    /// Whose.
    pub kernel: usize,
    /// The driver's first instruction.
    pub entered: Cycle,
    /// When it was back at the caller.
    pub left: Cycle,
    /// When the kernel ran.
    pub computed: Computed,
}

/// Stops a core before it begins an instruction at one of these places.
#[derive(Debug, Clone, Default)]
pub struct Stops {
    /// Their addresses.
    pub places: Vec<u32>,
}

impl Observer for Stops {
    #[inline]
    fn retired(&mut self, _retired: Retired) {}

    #[inline]
    fn stops_at(&mut self, pc: u32) -> bool {
        self.places.contains(&pc)
    }
}
