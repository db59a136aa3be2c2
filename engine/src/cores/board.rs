// SPDX-License-Identifier: Apache-2.0
//! What is around the cores in a lockstep: memory that answers when a seed says so, equally for both
//! cores whatever the order of their ports' requests, and a list of what they asked for.

use std::collections::VecDeque;

use super::{Acks, Cycle, Ports, Refused, bits_of};

/// Where what is never cached begins.
pub(super) const DEVICE: u32 = 0x8000_0000;
/// Words there.
const DEVICE_WORDS: usize = 1 << 10;

/// How long memory lets a core wait.
#[derive(Debug, Clone, Copy, Default)]
pub struct Waits {
    /// What the cycles are drawn with.
    pub seed: u64,
    /// The most cycles to the first word's acknowledgement.
    pub most_first_cycles: u64,
    /// The most cycles between two words of a burst, beyond one.
    pub most_interval_cycles: u64,
    /// Before this cycle lines of interrupts are high now and then.
    pub interrupts_until: Cycle,
}

impl Waits {
    fn draw(self, port: u64, at: Cycle, address: u32) -> Acks {
        let key = self.seed ^ at.rotate_left(20) ^ u64::from(address) ^ port << 40;
        let drawn = mixed(key);
        let first = (drawn & 0xffff_ffff) % (self.most_first_cycles + 1);
        let interval = (drawn >> 32) % (self.most_interval_cycles + 1);
        Acks { first: at + first, interval: 1 + interval }
    }
}

/// Spreads what differs in one bit over all of them (the finaliser of SplitMix64).
pub fn mixed(key: u64) -> u64 {
    let first = (key ^ key >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let second = (first ^ first >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    second ^ second >> 31
}

/// What a core has asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Request {
    /// To read so many words.
    Read {
        /// The address.
        address: u32,
        /// The words.
        words: usize,
    },
    /// To write.
    Write {
        /// The address.
        address: u32,
        /// The word; 0 in the bytes that are not written.
        word: u32,
        /// Which bytes.
        lanes: u8,
    },
}

/// Requests and their cycles.
pub type Requests = VecDeque<(Cycle, Request)>;

/// Memory from address 0, words that are not cached from [`DEVICE`], and nothing else.
pub struct Board {
    memory: Vec<u32>,
    device: Vec<u32>,
    waits: Waits,
    is_recorded: bool,
    /// Whether nothing was forgotten.
    pub is_settled: bool,
    /// Those of the instruction port.
    pub fetches: Requests,
    /// Those of the data port.
    pub accesses: Requests,
}

impl Board {
    /// With a program in memory; `is_recorded`: whether requests are listed.
    pub fn new(memory: Vec<u32>, waits: Waits, is_recorded: bool) -> Self {
        let device = vec![0; DEVICE_WORDS];
        let (fetches, accesses) = (Requests::new(), Requests::new());
        Self { memory, device, waits, is_recorded, is_settled: true, fetches, accesses }
    }

    /// From this cycle on no line is high.
    pub fn interrupts_until(&self) -> Cycle {
        self.waits.interrupts_until
    }

    /// Forgets the requests from a cycle on.
    pub fn forget_behind(&mut self, cycle: Cycle) {
        let count = self.accesses.len();
        self.accesses.retain(|request| request.0 < cycle);
        self.fetches.retain(|request| request.0 < cycle);
        self.is_settled &= self.accesses.len() == count;
    }

    /// All that was written, and what was never.
    pub fn contents(&self) -> (&[u32], &[u32]) {
        (&self.memory, &self.device)
    }

    #[inline]
    fn place(&mut self, address: u32) -> Result<&mut u32, Refused> {
        let (words, offset) = match address < DEVICE {
            true => (&mut self.memory, address),
            false => (&mut self.device, address - DEVICE),
        };
        words.get_mut((offset / 4) as usize).ok_or(Refused { address })
    }

    #[inline]
    fn copy(&mut self, address: u32, words: &mut [u32]) -> Result<(), Refused> {
        for (number, word) in words.iter_mut().enumerate() {
            *word = *self.place(address.wrapping_add(4 * number as u32))?;
        }
        Ok(())
    }

    #[inline]
    fn acks(&self, port: u64, at: Cycle, address: u32) -> Acks {
        if self.waits.most_first_cycles + self.waits.most_interval_cycles == 0 {
            return Acks { first: at, interval: 1 };
        }
        self.waits.draw(port, at, address)
    }
}

impl Ports for Board {
    #[inline]
    fn fetch(&mut self, at: Cycle, address: u32, words: &mut [u32]) -> Result<Acks, Refused> {
        if self.is_recorded {
            let request = Request::Read { address, words: words.len() };
            self.fetches.push_back((at, request));
        }
        // There is something everywhere: what a core fetches in vain may come from anywhere.
        for (number, word) in words.iter_mut().enumerate() {
            let address = address.wrapping_add(4 * number as u32);
            *word = match self.place(address) {
                Ok(word) => *word,
                Err(_) => mixed(address.into()) as u32,
            };
        }
        Ok(self.acks(0, at, address))
    }

    #[inline]
    fn read(&mut self, at: Cycle, address: u32, words: &mut [u32]) -> Result<Acks, Refused> {
        if self.is_recorded {
            let request = Request::Read { address, words: words.len() };
            self.accesses.push_back((at, request));
        }
        self.copy(address, words)?;
        Ok(self.acks(1, at, address))
    }

    #[inline]
    fn write(&mut self, at: Cycle, address: u32, word: u32, lanes: u8) -> Result<Cycle, Refused> {
        let mask = bits_of(lanes);
        if self.is_recorded {
            let request = Request::Write { address, word: word & mask, lanes };
            self.accesses.push_back((at, request));
        }
        let place = self.place(address)?;
        *place = *place & !mask | word & mask;
        Ok(self.acks(1, at, address).first)
    }

    #[inline]
    fn interrupts(&mut self, at: Cycle) -> u32 {
        if at >= self.waits.interrupts_until {
            return 0;
        }
        // For one cycle, for some, and for more than a handler takes.
        let drawn = |cycles: u64| mixed(self.waits.seed ^ (at / cycles) << 8 ^ cycles);
        let is_high = |cycles, odds| drawn(cycles) % odds == 0;
        if is_high(1, 60) || is_high(7, 20) || is_high(160, 8) { 1 << (drawn(64) % 32) } else { 0 }
    }
}
