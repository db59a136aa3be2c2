// SPDX-License-Identifier: Apache-2.0
//! The timer of a chip: how many cycles there have been since reset, for programs that measure. The
//! Verilog is in python/tandem/chip/soc.py.

use super::bus::Device;
use crate::cores::Cycle;

/// Of its addresses, where the low word is, and the high one as it was when the low one was read.
const LOW: u32 = 0;
const HIGH: u32 = 4;
/// What it has.
pub const TIMER_BYTES: u64 = 8;

/// The timer.
#[derive(Debug, Clone, Copy, Default)]
pub struct Timer {
    high: u32,
}

impl Device for Timer {
    fn has(&self, address: u32, is_write: bool) -> bool {
        !is_write && matches!(register(address), LOW | HIGH)
    }

    fn access(&mut self, at: Cycle, address: u32, written: Option<u32>) -> u32 {
        match (written, register(address)) {
            (None, LOW) => {
                self.high = (at >> 32) as u32;
                at as u32
            }
            (None, HIGH) => self.high,
            _ => 0,
        }
    }

    fn is_busy(&mut self, _at: Cycle) -> bool {
        false
    }
}

fn register(address: u32) -> u32 {
    address & (TIMER_BYTES as u32 - 1) & !3
}
