// SPDX-License-Identifier: Apache-2.0
//! A system on one chip: a processor, memories, and kernels on its bus. The program runs on the
//! processor's model, and what it does at the bus happens there in the same cycle.

pub mod alongside;
pub mod breaks;
pub mod bus;
pub mod calls;
mod checks;
pub mod energy;
pub mod fault;
pub mod host;
pub mod lines;
pub mod memory;
pub mod processor;
mod profile;
pub mod program;
pub mod report;
pub mod request;
mod rows;
pub mod run;
pub mod settings;
pub mod shell;
pub mod tally;
pub mod tap;
pub mod timeline;
pub mod timer;
pub mod uart;
pub mod watch;
pub mod wave;

use std::ops::Range;

use self::bus::protocols::pcpi;
use self::bus::{Bus, Device, Moved, Request, WHOLE};
use self::fault::Fault;
use self::host::Host;
use self::memory::Memory;
use self::settings::{ChipSettings, DeviceSettings, HOST_BASE, HOST_BYTES, SHELL_BYTES};
use self::shell::Shell;
use self::timeline::Timeline;
use self::timer::Timer;
use self::uart::{Printed, Uart};
use crate::cores::{Acks, Cycle, Ports, Refused};

const PS_PER_US: u64 = 1_000_000;

/// What the processor has around it.
pub struct Chip {
    /// Its memories.
    pub memory: Memory,
    /// The kernels, in the order of their addresses.
    pub shells: Vec<Shell>,
    /// The host.
    pub host: Host,
    /// The serial line.
    pub uart: Uart,
    uart_place: Place,
    timer: Timer,
    timer_place: Place,
    /// What was said at the bus.
    pub traffic: Traffic,
    /// What is said there, word by word, and what calls do, if anybody wants it.
    pub timeline: Option<Timeline>,
    /// The bytes below the stack: who writes there has too many on it.
    pub stack_guard: Range<u32>,
    /// The program's code and constants, to which it does not write.
    pub read_only: Range<u32>,
    /// What the program must not have done.
    pub fault: Option<Fault>,
    /// Whether words of memory move by themselves: then what the processor does there has its turn.
    is_moving: bool,
    shell_base: u32,
    /// Whether shells are asked by instructions, and by no loads and stores.
    is_of_instructions: bool,
    shell_request_cycles: u64,
    /// Of each shell.
    shell_buses: Vec<Box<dyn Bus>>,
    clock_ps: u64,
    parameters: u32,
    answer: u32,
}

/// Where a device is, and the bus that leads there.
struct Place {
    base: u32,
    bytes: u32,
    request_cycles: u64,
    bus: Box<dyn Bus>,
}

impl Place {
    fn new(said: &DeviceSettings) -> Self {
        let DeviceSettings { base, bytes, request_cycles, protocol, .. } = *said;
        Self { base, bytes, request_cycles, bus: protocol.at_rest() }
    }

    fn has(&self, address: u32) -> bool {
        address.wrapping_sub(self.base) < self.bytes
    }
}

/// Accesses of shells, and the cycles in which they stood at the processor's port.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Words that were written.
    pub written: u64,
    /// Words that were read.
    pub read: u64,
    /// From a request to its acknowledgement, both included; not of those that ask whether a kernel
    /// is done.
    pub cycles: u64,
    /// The first access since a call began.
    pub first: Option<Cycle>,
    /// When the processor has seen since then that the kernel was done.
    pub seen: Option<Cycle>,
    /// The first cycle behind the last one in which words moved by themselves.
    pub moved_until: Cycle,
}

impl Traffic {
    fn moved(&mut self, moved: &Moved) {
        self.written += moved.words.0;
        self.read += moved.words.1;
        self.cycles += moved.cycles;
        self.moved_until = self.moved_until.max(moved.until);
    }
}

impl Chip {
    /// A chip with nothing in its memory.
    pub fn new(settings: &ChipSettings, shells: Vec<Shell>, host: Host) -> Self {
        Self {
            memory: Memory::new(&settings.rams),
            shell_buses: shells.iter().map(|_| settings.shell.protocol.at_rest()).collect(),
            shells,
            host,
            uart: Uart::new(settings.uart.bit_cycles),
            uart_place: Place::new(&settings.uart.device),
            timer: Timer::default(),
            timer_place: Place::new(&settings.timer),
            traffic: Traffic::default(),
            timeline: None,
            stack_guard: 0..0,
            read_only: 0..0,
            fault: None,
            is_moving: false,
            shell_base: settings.shell.base,
            is_of_instructions: settings.shell.protocol.is_of_instructions,
            shell_request_cycles: settings.shell.request_cycles,
            clock_ps: settings.clock_ps,
            parameters: 0,
            answer: 0,
        }
    }

    /// Lets the kernels get to a cycle.
    pub fn advance(&mut self, at: Cycle) {
        self.is_moving = false;
        for (shell, bus) in self.shells.iter_mut().zip(&mut self.shell_buses) {
            bus.advance(at, shell, &mut self.memory);
            shell.advance(at);
            let moved = bus.moved();
            self.traffic.moved(&moved);
            if let Some(timeline) = &mut self.timeline {
                moved.done.iter().for_each(|done| timeline.descriptor(done));
            }
            self.fault = self.fault.or(moved.lost.map(Fault::Lost));
            self.is_moving |= bus.is_moving();
        }
    }

    /// The number of the shell that loads and stores at an address reach, if they reach one.
    fn shell_at(&self, address: u32) -> Option<usize> {
        let number = u64::from(address.wrapping_sub(self.shell_base)) / SHELL_BYTES;
        let is_there = number < self.shells.len() as u64 && !self.is_of_instructions;
        is_there.then_some(number as usize)
    }

    /// Asks a shell for a word, or gives it one.
    fn ask_shell(
        &mut self,
        number: usize,
        at: Cycle,
        asked: Request,
    ) -> Result<(u32, Cycle), Refused> {
        let Request { address, written } = asked;
        let refused = Refused { address };
        let shell = self.shells.get_mut(number).ok_or(refused)?;
        let bus = self.shell_buses.get_mut(number).ok_or(refused)?;
        if !bus.has(address, written.is_some(), shell) {
            return Err(refused);
        }
        let begin = at + self.shell_request_cycles;
        let answered = bus.transfer(begin, asked, shell, &mut self.memory);
        self.is_moving |= bus.is_moving();
        let Some(answered) = answered else {
            self.fault = Some(Fault::Starved(address));
            return Err(refused);
        };
        Ok(self.noted(at, asked, answered))
    }

    /// The same of the serial line or the timer; nothing if the address is of neither.
    fn ask_other(&mut self, at: Cycle, asked: Request) -> Option<(u32, Cycle)> {
        let mut line = Printed(&mut self.uart, &mut self.host);
        let (place, device): (&mut Place, &mut dyn Device) = match asked.address {
            address if self.uart_place.has(address) => (&mut self.uart_place, &mut line),
            address if self.timer_place.has(address) => (&mut self.timer_place, &mut self.timer),
            _ => return None,
        };
        if !device.has(asked.address, asked.written.is_some()) {
            return None;
        }
        let begin = at + place.request_cycles;
        let answered = place.bus.transfer(begin, asked, device, &mut self.memory)?;
        Some(self.noted(at, asked, answered))
    }

    /// Whether an address is a shell's, the serial line's or the timer's.
    pub fn is_device(&self, address: u32) -> bool {
        let is_other = self.uart_place.has(address) || self.timer_place.has(address);
        self.shell_at(address).is_some() || is_other
    }

    /// What was answered to an access that stood at the processor's port.
    fn noted(&mut self, at: Cycle, asked: Request, answered: (u32, Cycle)) -> (u32, Cycle) {
        if let Some(timeline) = &mut self.timeline {
            timeline.access(at, asked, answered);
        }
        answered
    }

    /// What an instruction asks of a shell, if it is one for a shell, at the address where that would
    /// be, for who looks.
    fn asked_by_instruction(&self, function: u32, [word, number]: [u32; 2]) -> Option<Request> {
        let Request { address, written } = pcpi::asked(function, word)?;
        let first = self.shell_base.wrapping_add(number.wrapping_mul(SHELL_BYTES as u32));
        self.is_of_instructions.then_some(Request { address: first + address, written })
    }

    fn book(&mut self, at: Cycle, acknowledged: Cycle) {
        self.traffic.cycles += acknowledged - at + 1;
        self.traffic.first.get_or_insert(at);
    }

    /// Asks a shell for a word, and books what of a call that is.
    fn read_shell(
        &mut self,
        number: usize,
        at: Cycle,
        address: u32,
    ) -> Result<(u32, Cycle), Refused> {
        let (word, acknowledged) = self.ask_shell(number, at, Request::whole(address, None))?;
        self.traffic.read += 1;
        match shell::register(address) {
            shell::CONTROL if word == 0 => {}
            shell::CONTROL => _ = self.traffic.seen.get_or_insert(acknowledged),
            _ => self.book(at, acknowledged),
        }
        Ok((word, acknowledged))
    }

    /// The same of one that is given.
    fn write_shell(
        &mut self,
        number: usize,
        at: Cycle,
        (address, word): (u32, u32),
    ) -> Result<Cycle, Refused> {
        let asked = Request::whole(address, Some(word));
        let (_, acknowledged) = self.ask_shell(number, at, asked)?;
        self.traffic.written += 1;
        self.book(at, acknowledged);
        Ok(acknowledged)
    }

    #[cold]
    fn read_device(&mut self, at: Cycle, address: u32) -> Result<(u32, Cycle), Refused> {
        if let Some(number) = self.shell_at(address) {
            return self.read_shell(number, at, address);
        }
        if let Some(read) = self.ask_other(at, Request::whole(address, None)) {
            return Ok(read);
        }
        match address.wrapping_sub(HOST_BASE) {
            8 => Ok((self.answer, at)),
            _ => Err(Refused { address }),
        }
    }

    #[cold]
    fn write_device(&mut self, at: Cycle, address: u32, word: u32) -> Result<Cycle, Refused> {
        if let Some(number) = self.shell_at(address) {
            return self.write_shell(number, at, (address, word));
        }
        if let Some((_, acknowledged)) = self.ask_other(at, Request::whole(address, Some(word))) {
            return Ok(acknowledged);
        }
        match address.wrapping_sub(HOST_BASE) {
            0 => {
                let micros = at.saturating_mul(self.clock_ps) / PS_PER_US;
                self.answer = self.host.serve(word, self.parameters, &mut self.memory, micros);
            }
            4 => self.parameters = word,
            _ => return Err(Refused { address }),
        }
        // A program that has ended goes no further.
        if self.host.exit.is_some() { Err(Refused { address }) } else { Ok(at) }
    }
}

impl Ports for Chip {
    #[inline]
    fn fetch(&mut self, at: Cycle, address: u32, words: &mut [u32]) -> Result<Acks, Refused> {
        self.memory.read(at, address, words).ok_or(Refused { address })
    }

    #[inline]
    fn read(&mut self, at: Cycle, address: u32, words: &mut [u32]) -> Result<Acks, Refused> {
        if self.is_moving {
            self.advance(at);
        }
        if let Some(acks) = self.memory.read(at, address, words) {
            return Ok(acks);
        }
        let [word] = words else { return Err(Refused { address }) };
        let (read, first) = self.read_device(at, address)?;
        *word = read;
        Ok(Acks { first, interval: 1 })
    }

    #[inline]
    fn write(&mut self, at: Cycle, address: u32, word: u32, lanes: u8) -> Result<Cycle, Refused> {
        if self.is_moving {
            self.advance(at);
        }
        if self.read_only.contains(&address) {
            self.fault = Some(Fault::Spoiled(address));
            return Err(Refused { address });
        }
        if let Some(acknowledged) = self.memory.write(at, address, word, lanes) {
            if self.stack_guard.contains(&address) {
                self.fault = Some(Fault::Overflowed);
                return Err(Refused { address });
            }
            return Ok(acknowledged);
        }
        if lanes != WHOLE {
            return Err(Refused { address });
        }
        self.write_device(at, address, word)
    }

    fn interrupts(&mut self, at: Cycle) -> u32 {
        self.advance(at);
        let lines = self.shells.iter().enumerate();
        lines.fold(0, |all, (number, shell)| all | u32::from(shell.interrupts(at)) << (number % 32))
    }

    fn custom(&mut self, at: Cycle, function: u32, operands: [u32; 2]) -> Option<(u32, Cycle)> {
        let [word, number] = operands;
        let Request { address, written } = self.asked_by_instruction(function, operands)?;
        let number = number as usize;
        let answered = match written {
            Some(_) => self.write_shell(number, at, (address, word)).map(|cycle| (0, cycle)),
            None => self.read_shell(number, at, address),
        };
        answered.ok()
    }
}

/// Whether an address is the host's.
pub fn is_host(address: u32) -> bool {
    u64::from(address.wrapping_sub(HOST_BASE)) < HOST_BYTES
}
