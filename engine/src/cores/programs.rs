// SPDX-License-Identifier: Apache-2.0
//! Random programs for a lockstep: every instruction that a core has, in an order that ends. Branches
//! go forward, but for those of counted loops; what lies between is data that nobody executes.

mod compressed;
mod jumps;
mod random;

use self::jumps::Open;
pub use self::random::Random;
use super::board::DEVICE;
use crate::cores::lockstep::Features;

/// Bytes of memory that a program needs.
const MEMORY_BYTES: usize = 1 << 16;
/// Where data is: two windows, at one place of a cache of 4 KiB.
const WINDOWS: [u32; 2] = [0xa800, 0xb800];
/// No instruction is behind it.
const CODE_BYTES: usize = 0xa000;

/// Registers with a meaning: addresses, a loop's counter, places in the program.
const LINK: u32 = 1;
const WINDOW: u32 = 2;
const PLACE: u32 = 3;
const DEVICES: u32 = 4;
const SECOND_WINDOW: u32 = 8;
const COUNTER: u32 = 15;
/// Only a handler of interrupts writes it.
const HANDLERS: u32 = 30;
const MSTATUS: u32 = 0x300;
const MIE: u32 = 0x304;
const MEPC: u32 = 0x341;
const MTVEC: u32 = 0x305;
const MASK: u32 = 0xbc0;
const KEPT: [u32; 7] = [LINK, WINDOW, PLACE, DEVICES, SECOND_WINDOW, COUNTER, HANDLERS];
/// Where that handler is: behind all of a program.
const HANDLER: usize = 0x9c00;

/// How a program ends.
const ENDS: [&[u32]; 10] = [
    &[0x0000_006f],
    &[0x0000_006f],
    &[0x0000_0073],
    &[0x0010_0073],
    &[0xffff_ffff],
    // lw x5, 1(x2)
    &[0x0011_2283],
    // sh x5, 3(x2)
    &[0x0051_11a3],
    // lw x5, 1(x4) and sh x5, 3(x4), which are not cached
    &[0x0012_2283],
    &[0x0052_11a3],
    // lw x6, 0(x2); sw x5, 0(x2); lw x5, 1(x2): what is stored meets the load
    &[0x0001_2303, 0x0051_2023, 0x0011_2283],
];

/// The same for cores whose instructions are all words: jumps into the middle of one.
const ENDS_OF_WORDS: [&[u32]; 3] = [
    // auipc x3, 0; jalr x5, 6(x3)
    &[0x0000_0197, 0x0061_82e7],
    // jal x5, 6
    &[0x0060_02ef],
    // beq x0, x0, 6
    &[0x0000_0363],
];

/// A program while it is written.
struct Writer {
    halves: Vec<u16>,
    open: Vec<Open>,
    random: Random,
    features: Features,
    /// Base and offset of the word that was stored last.
    stored: Option<(u32, u32)>,
}

/// The words of a random program of about so many instructions, in memory full of random data.
pub fn random_program(seed: u64, items: u32, features: Features) -> Vec<u32> {
    let random = Random::new(seed);
    let mut writer =
        Writer { halves: Vec::new(), open: Vec::new(), random, features, stored: None };
    writer.begin();
    for _ in 0..items {
        if 2 * writer.halves.len() > CODE_BYTES - 0x1800 {
            break;
        }
        writer.item(true);
    }
    writer.end();
    writer.memory()
}

impl Writer {
    fn here(&self) -> usize {
        2 * self.halves.len()
    }

    fn full(&mut self, word: u32) {
        self.halves.extend([word as u16, (word >> 16) as u16]);
    }

    fn half(&mut self, half: u32) {
        self.halves.push(half as u16);
    }

    /// Sets a register with two instructions.
    fn set(&mut self, register: u32, value: u32) {
        let low = value & 0xfff;
        let high = value.wrapping_add(0x800) & 0xffff_f000;
        self.full(high | register << 7 | 0x37);
        self.full(low << 20 | register << 15 | register << 7 | 0x13);
    }

    fn begin(&mut self) {
        for register in 1..32 {
            let value = self.random.number();
            self.set(register, value);
        }
        if !self.features.control.is_empty() {
            // Reset leaves it as it is.
            self.write_control(MEPC, PLACE);
        }
        if self.features.interrupts {
            self.enable_interrupts();
        }
        self.set(WINDOW, WINDOWS[0]);
        self.set(SECOND_WINDOW, WINDOWS[1]);
        self.set(DEVICES, DEVICE + 0x800);
    }

    fn enable_interrupts(&mut self) {
        self.set(PLACE, HANDLER as u32);
        self.write_control(MTVEC, PLACE);
        let mask = self.random.one_of(&[u32::MAX, 0x0f0f_0f0f]);
        self.set(PLACE, mask);
        self.write_control(MASK, PLACE);
        self.set(PLACE, 0x888);
        self.write_control(MIE, PLACE);
        self.write_control(MSTATUS, PLACE);
    }

    fn write_control(&mut self, number: u32, rs1: u32) {
        self.full(number << 20 | rs1 << 15 | 1 << 12 | 0x73);
    }

    /// Reads what there is to know of an interrupt, and stores it.
    fn handler(&mut self) {
        for number in [0xfc0, 0x342, 0x341, 0x344, 0x300] {
            self.full(number << 20 | 2 << 12 | HANDLERS << 7 | 0x73);
        }
        self.full(HANDLERS << 20 | WINDOW << 15 | 2 << 12 | 0x23);
        self.full(0x3020_0073);
    }

    fn end(&mut self) {
        self.close(true);
        // A jump to itself is found whatever lies behind it.
        let mut end = self.random.one_of(&ENDS);
        if !self.features.compressed && self.random.below(4) == 0 {
            end = self.random.one_of(&ENDS_OF_WORDS);
        }
        for &word in end {
            self.full(word);
        }
        self.full(0x0000_006f);
        if self.features.interrupts {
            self.halves.resize(HANDLER / 2, 0);
            self.handler();
        }
    }

    fn memory(mut self) -> Vec<u32> {
        let mut memory: Vec<u32> = Vec::with_capacity(MEMORY_BYTES / 4);
        for pair in self.halves.chunks(2) {
            let high = pair.get(1).copied().unwrap_or_default();
            memory.push(u32::from(pair[0]) | u32::from(high) << 16);
        }
        memory.resize_with(MEMORY_BYTES / 4, || self.random.bits());
        memory
    }

    /// A register to read.
    fn source(&mut self) -> u32 {
        // Few registers, so that instructions wait for each other.
        if self.random.below(2) == 0 { 5 + self.random.below(3) } else { self.random.below(32) }
    }

    /// A register to write.
    fn target(&mut self) -> u32 {
        let register = self.source();
        if KEPT.contains(&register) { 5 + self.random.below(3) } else { register }
    }

    /// One of x8 to x15 that may be written.
    fn low_target(&mut self) -> u32 {
        9 + self.random.below(6)
    }

    /// One instruction, or some that belong together.
    fn item(&mut self, may_loop: bool) {
        self.close(false);
        match self.random.below(100) {
            0..=27 => self.arithmetic(),
            28..=31 => self.upper(),
            32..=37 => self.multiply(),
            38..=56 => self.access(),
            57..=66 => self.branch(),
            67..=69 => self.jump(),
            70..=71 => self.register_jump(),
            72 => self.call(),
            73..=75 => self.counter(),
            76 => self.full(0x0ff0_000f),
            80..=84 if !self.features.control.is_empty() => self.control(),
            85..=86 if self.features.flushes_instructions => self.flush(),
            87 if self.features.flushes_instructions => self.return_from_trap(),
            88 if self.features.flushes_data => self.full(0x0000_500f),
            77 => self.patch(),
            78..=79 if may_loop => self.counted_loop(),
            89..=91 => self.skip(),
            80..=99 if self.features.compressed => self.compressed(),
            _ => self.arithmetic(),
        }
    }

    fn arithmetic(&mut self) {
        let (rd, rs1, rs2) = (self.target(), self.source(), self.source());
        let funct3 = self.random.below(8);
        let other = matches!(funct3, 0 | 5) && self.random.below(2) == 1;
        let registers = rs1 << 15 | funct3 << 12 | rd << 7;
        if self.random.below(2) == 0 {
            self.full(u32::from(other) << 30 | rs2 << 20 | registers | 0x33);
            return;
        }
        let immediate = match funct3 {
            1 => self.random.below(32),
            5 => u32::from(other) << 10 | self.random.below(32),
            _ => self.random.number() & 0xfff,
        };
        self.full(immediate << 20 | registers | 0x13);
    }

    fn upper(&mut self) {
        let opcode = self.random.one_of(&[0x37, 0x17]);
        let word = self.random.number() & 0xffff_f000 | self.target() << 7 | opcode;
        self.full(word);
    }

    fn multiply(&mut self) {
        let (rd, rs1, rs2) = (self.target(), self.source(), self.source());
        let funct3 = self.random.below(8);
        self.full(1 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | 0x33);
    }

    fn access(&mut self) {
        let base = self.random.one_of(&[WINDOW, WINDOW, SECOND_WINDOW, SECOND_WINDOW, DEVICES]);
        let is_store = self.random.below(2) == 0;
        let funct3 = match is_store {
            true => self.random.below(3),
            false => self.random.one_of(&[0, 1, 2, 2, 4, 5]),
        };
        // A small part of the window half of the time, so that loads find what was stored.
        let reach = self.random.one_of(&[0x20, 0x800]);
        let offset = self.random.below(reach) & !((1 << (funct3 & 3)) - 1);
        let offset = offset.wrapping_sub(reach / 2) & 0xfff;
        let again = !is_store && self.random.below(3) == 0;
        // Often the word that was stored last, which a cache may have to read again.
        let (base, offset) = match self.stored {
            Some((base, word)) if again => (base, word | offset & 3),
            _ => (base, offset),
        };
        if is_store {
            self.stored = Some((base, offset & !3));
            let rs2 = self.source();
            let places = (offset >> 5) << 25 | rs2 << 20 | base << 15 | (offset & 31) << 7;
            self.full(places | funct3 << 12 | 0x23);
        } else {
            let rd = self.target();
            self.full(offset << 20 | base << 15 | funct3 << 12 | rd << 7 | 0x03);
        }
    }

    fn counter(&mut self) {
        if self.features.counters.is_empty() {
            return self.arithmetic();
        }
        let number = self.random.one_of(self.features.counters);
        let rd = self.target();
        self.full(number << 20 | 2 << 12 | rd << 7 | 0x73);
    }

    fn control(&mut self) {
        let (rd, rs1) = (self.target(), self.source());
        let number = self.random.one_of(self.features.control);
        if self.features.interrupts && matches!(number, MTVEC | MEPC) {
            return;
        }
        let funct3 = self.random.one_of(&[1, 2, 3, 5, 6, 7]);
        self.full(number << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | 0x73);
    }

    /// Empties the instruction cache, and now and then has another instruction do so soon.
    fn flush(&mut self) {
        for _ in 0..1 + self.random.below(3) {
            self.full(0x0000_100f);
            for _ in 0..self.random.below(3) {
                self.access();
            }
        }
    }

    /// Writes an instruction that is executed soon, or was fetched already.
    fn patch(&mut self) {
        if !self.here().is_multiple_of(4) {
            return;
        }
        let between = self.random.below(3);
        let emptied = if self.features.flushes_instructions { self.emptied() } else { Vec::new() };
        let place = 4 * (3 + emptied.len() as u32 + between);
        // auipc, then a load of what comes last and a store of it.
        self.full(PLACE << 7 | 0x17);
        self.full((place + 4) << 20 | PLACE << 15 | 2 << 12 | 7 << 7 | 0x03);
        let split = (place >> 5) << 25 | (place & 31) << 7;
        self.full(split | 7 << 20 | PLACE << 15 | 2 << 12 | 0x23);
        for word in emptied {
            self.full(word);
        }
        for _ in 0..between + 2 {
            self.arithmetic();
        }
    }

    /// What a cache needs between writing an instruction and executing it: a load that is behind the
    /// store on the bus, and `fence.i`, with what the fetcher has already behind it.
    fn emptied(&mut self) -> Vec<u32> {
        let load = DEVICES << 15 | 2 << 12 | 6 << 7 | 0x03;
        let mut words = vec![load, 0x0000_100f];
        words.resize(2 + 3, 0x0000_0013);
        words
    }
}
