// SPDX-License-Identifier: Apache-2.0
//! A serial line of a chip, as its program writes to it: 8 bits, no parity, one stop bit. What is
//! sent is printed; each byte keeps the line busy as long as it does in the Verilog
//! (python/tandem/chip/soc.py).

use super::bus::Device;
use super::host::Host;
use crate::cores::Cycle;

/// A start bit, eight bits, a stop bit.
const BITS: u64 = 10;
/// Bytes whose times are kept.
const MOST_SENT: usize = 1 << 16;

/// The line.
#[derive(Debug, Clone)]
pub struct Uart {
    bit_cycles: u64,
    /// The first cycle in which it is free again.
    free_from: Cycle,
    /// The cycles in which the first bytes stood there.
    pub sent: Vec<Cycle>,
}

impl Uart {
    /// One whose bits take so many cycles each.
    pub fn new(bit_cycles: u64) -> Self {
        Self { bit_cycles, free_from: 0, sent: Vec::new() }
    }

    /// Whether it sends.
    pub fn is_busy(&self, at: Cycle) -> bool {
        at < self.free_from
    }

    /// A byte stands there; whether the line takes it, which a busy one does not.
    pub fn send(&mut self, at: Cycle) -> bool {
        let takes = !self.is_busy(at);
        if takes {
            if self.sent.len() < MOST_SENT {
                self.sent.push(at);
            }
            self.free_from = at + 1 + BITS * self.bit_cycles;
        }
        takes
    }
}

/// The line, with who prints what it sends.
pub struct Printed<'c>(pub &'c mut Uart, pub &'c mut Host);

impl Device for Printed<'_> {
    fn has(&self, _address: u32, _is_write: bool) -> bool {
        true
    }

    fn access(&mut self, at: Cycle, _address: u32, written: Option<u32>) -> u32 {
        let Some(word) = written else { return u32::from(self.0.is_busy(at)) };
        if self.0.send(at) {
            self.1.print_byte(word as u8);
        }
        0
    }

    fn is_busy(&mut self, at: Cycle) -> bool {
        self.0.is_busy(at)
    }
}
