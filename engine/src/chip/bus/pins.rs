// SPDX-License-Identifier: Apache-2.0
//! Both ends of a bus beside their Verilog: what stands at the pins of an end in each cycle, and what
//! the end here says to that.

use super::{Bridge, Device, Front, Request};

/// What the pins of one direction of a bus have room in. The first word has the flags, each protocol's
/// file in which order; where a flag says that a value is not valid, the value is 0.
pub(super) const ROOM: usize = 6;

/// A cycle of an end, as C has it.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct TandemPins {
    /// What others say. Of a front: the master's pins. Of a bridge: the request (bit 0: it stands
    /// there; bits 1 to 4: its lanes), its address and word; then the slave's pins, two words.
    pub given: [u32; 6],
    /// What it says. Of a front: the slave's pins. Of a bridge: the master's, then whether the request
    /// is acknowledged, and what is read.
    pub said: [u32; 8],
}

/// What is said in a cycle, as words.
pub(super) trait Pins {
    /// Out of words.
    fn from_pins(pins: &[u32; ROOM]) -> Self;

    /// The words.
    fn to_pins(self) -> [u32; ROOM];
}

/// What stands in the first words; the others are 0.
pub(super) fn padded<const COUNT: usize>(words: [u32; COUNT]) -> [u32; ROOM] {
    let mut all = [0; ROOM];
    all[..COUNT].copy_from_slice(&words);
    all
}

/// A bit of a word.
pub(super) fn bit(word: u32, place: u32) -> bool {
    word >> place & 1 == 1
}

/// Lets a front say what it says to these cycles.
pub(super) fn front<F: Front<Down: Pins, Up: Pins>>(
    device: &mut dyn Device,
    cycles: &mut [TandemPins],
) {
    let mut front = F::default();
    for (at, cycle) in (0..).zip(cycles) {
        let down = F::Down::from_pins(&cycle.given);
        let [a, b, c, d, e, f] = front.says().to_pins();
        cycle.said = [a, b, c, d, e, f, 0, 0];
        front.clock(at, down, device);
    }
}

/// The same of a bridge.
pub(super) fn bridge<B: Bridge<Down: Pins, Up: Pins>>(cycles: &mut [TandemPins]) {
    let mut bridge = B::default();
    for cycle in cycles {
        let [asked, address, word, flags, data, _] = cycle.given;
        let lanes = (asked >> 1 & 0xf) as u8;
        let written = (lanes != 0).then_some((word, lanes));
        let request = bit(asked, 0).then_some(Request { address, written });
        let up = B::Up::from_pins(&padded([flags, data]));
        let [a, b, c, d, e, f] = bridge.says(request, up).to_pins();
        let answer = bridge.acknowledges(request, up);
        let read = answer.filter(|_| written.is_none()).unwrap_or_default();
        cycle.said = [a, b, c, d, e, f, u32::from(answer.is_some()), read];
        bridge.clock(request, up);
    }
}
