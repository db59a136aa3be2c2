// SPDX-License-Identifier: Apache-2.0
//! Random programs for a lockstep: every instruction that a core has, in an order that ends. Branches
//! go forward, but for those of counted loops; what lies between is data that nobody executes.

mod compressed;

use super::board::{DEVICE, mixed};
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

/// What has effects when it is decoded, or goes elsewhere: `ecall`, `ebreak`, `mret`, `fence.i`, the
/// data cache's, reading of `mepc`, `jal` forward and back, a branch back, `jalr`, no instruction.
const IN_VAIN: [u32; 11] = [
    0x0000_0073,
    0x0010_0073,
    0x3020_0073,
    0x0000_100f,
    0x0000_500f,
    0x3410_2373,
    0x0400_006f,
    0xfc1f_f06f,
    0xfc00_00e3,
    0x0000_0067,
    0x0000_0000,
];

/// What draws.
pub struct Random(u64);

impl Random {
    /// From a seed.
    pub fn new(seed: u64) -> Self {
        Self(mixed(seed))
    }

    fn bits(&mut self) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        (mixed(self.0) >> 16) as u32
    }

    /// A number less than `count`.
    pub fn below(&mut self, count: u32) -> u32 {
        self.bits() % count
    }

    fn one_of<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len() as u32) as usize]
    }

    /// Numbers at which something changes, and others.
    fn number(&mut self) -> u32 {
        let drawn = self.bits();
        match self.below(8) {
            0 => 0,
            1 => u32::MAX,
            2 => 0x8000_0000,
            3 => drawn & 0xff,
            4 => 1 << (drawn & 31),
            _ => drawn,
        }
    }
}

/// A jump whose distance is not known yet.
struct Open {
    place: usize,
    /// From where its distance counts.
    from: usize,
    kind: Kind,
    /// After so many items its target comes.
    items: u32,
}

enum Kind {
    Branch,
    Jump,
    /// The immediate of an instruction by one register.
    Immediate,
    CompressedBranch,
    CompressedJump,
}

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

    /// Ends the jumps whose targets come now, or all.
    fn close(&mut self, all: bool) {
        let here = self.here();
        let open = std::mem::take(&mut self.open);
        for mut jump in open {
            if all || jump.items == 0 {
                self.fix(&jump, (here - jump.from) as u32);
            } else {
                jump.items -= 1;
                self.open.push(jump);
            }
        }
    }

    fn fix(&mut self, jump: &Open, distance: u32) {
        let place = jump.place / 2;
        let bit = |from: u32, to: u32| (distance >> from & 1) << to;
        let field = |from: u32, count: u32, to: u32| (distance >> from & ((1 << count) - 1)) << to;
        let bits = match jump.kind {
            Kind::Branch => field(1, 4, 8) | field(5, 6, 25) | bit(11, 7) | bit(12, 31),
            Kind::Jump => field(1, 10, 21) | bit(11, 20) | field(12, 8, 12) | bit(20, 31),
            Kind::Immediate => distance << 20,
            Kind::CompressedBranch => {
                field(1, 2, 3) | field(3, 2, 10) | bit(5, 2) | field(6, 2, 5) | bit(8, 12)
            }
            Kind::CompressedJump => {
                let low = field(1, 3, 3) | bit(4, 11) | bit(5, 2) | bit(6, 7) | bit(7, 6);
                low | field(8, 2, 9) | bit(10, 8) | bit(11, 12)
            }
        };
        self.halves[place] |= bits as u16;
        if !matches!(jump.kind, Kind::CompressedBranch | Kind::CompressedJump) {
            self.halves[place + 1] |= (bits >> 16) as u16;
        }
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

    fn open(&mut self, kind: Kind, from: usize) {
        let items = self.random.one_of(&[0, 1, 1, 2, 3, 6]);
        self.open.push(Open { place: self.here(), from, kind, items });
    }

    fn branch(&mut self) {
        let funct3 = self.random.one_of(&[0, 1, 4, 5, 6, 7]);
        let (rs1, rs2) = (self.source(), self.source());
        self.open(Kind::Branch, self.here());
        self.full(rs2 << 20 | rs1 << 15 | funct3 << 12 | 0x63);
    }

    fn jump(&mut self) {
        let rd = self.target();
        self.open(Kind::Jump, self.here());
        self.full(rd << 7 | 0x6f);
        self.gap();
    }

    /// What nobody executes, behind a jump: now and then as much as changes the line of a cache.
    fn gap(&mut self) {
        let reach = self.random.one_of(&[1, 1, 8, 40]);
        let halves = self.random.below(reach);
        match (self.random.below(2), self.features.compressed) {
            (0, true) => (0..halves).for_each(|_| {
                let half = self.random.bits();
                self.half(half);
            }),
            (0, false) => (0..halves / 2).for_each(|_| {
                let word = self.random.bits();
                self.full(word);
            }),
            _ => (0..halves / 2).for_each(|_| self.in_vain()),
        }
    }

    /// An instruction that nobody executes, but that may come to decode.
    fn in_vain(&mut self) {
        match self.random.below(6) {
            0 => self.arithmetic(),
            1 => self.multiply(),
            2 => self.access(),
            _ => {
                let word = self.random.one_of(&IN_VAIN);
                self.full(word);
            }
        }
    }

    /// A branch that is always taken, which nobody foresees, over what is decoded in vain.
    fn skip(&mut self) {
        let place = self.here();
        self.full(0x63);
        for _ in 0..1 + self.random.below(4) {
            self.in_vain();
        }
        let distance = (self.here() - place) as u32;
        self.fix(&Open { place, from: place, kind: Kind::Branch, items: 0 }, distance);
    }

    fn register_jump(&mut self) {
        let rd = self.target();
        let place = self.here();
        self.full(PLACE << 7 | 0x17);
        if self.random.below(2) == 0 {
            self.arithmetic();
        }
        self.open(Kind::Immediate, place);
        self.full(PLACE << 15 | rd << 7 | 0x67);
        self.gap();
    }

    /// A function that is called, and returns.
    fn call(&mut self) {
        let place = self.here();
        self.full(LINK << 7 | 0x6f);
        let over = self.here();
        self.full(0x6f);
        self.gap();
        let function = (self.here() - place) as u32;
        self.fix(&Open { place, from: place, kind: Kind::Jump, items: 0 }, function);
        for _ in 0..self.random.below(4) {
            self.arithmetic();
        }
        self.full(LINK << 15 | 0x67);
        let behind = (self.here() - over) as u32;
        self.fix(&Open { place: over, from: over, kind: Kind::Jump, items: 0 }, behind);
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

    /// `mret` as a jump.
    fn return_from_trap(&mut self) {
        let place = self.here();
        self.full(PLACE << 7 | 0x17);
        let from = self.here();
        self.full(PLACE << 15 | PLACE << 7 | 0x13);
        self.full(0x341 << 20 | PLACE << 15 | 1 << 12 | 0x73);
        self.full(0x3020_0073);
        self.gap();
        let distance = (self.here() - place) as u32;
        self.fix(&Open { place: from, from: place, kind: Kind::Immediate, items: 0 }, distance);
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

    fn counted_loop(&mut self) {
        // A jump into a loop would find another counter.
        self.close(true);
        let rounds = 1 + self.random.below(6);
        self.full(rounds << 20 | COUNTER << 7 | 0x13);
        let start = self.here();
        for _ in 0..1 + self.random.below(12) {
            self.item(false);
        }
        self.full(0xfff << 20 | COUNTER << 15 | COUNTER << 7 | 0x13);
        let distance = (start as u32).wrapping_sub(self.here() as u32);
        let place = self.here();
        self.full(COUNTER << 15 | 1 << 12 | 0x63);
        self.fix(&Open { place, from: place, kind: Kind::Branch, items: 0 }, distance);
    }
}
