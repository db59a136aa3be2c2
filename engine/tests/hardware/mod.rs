// SPDX-License-Identifier: Apache-2.0
//! Hardware of this process for the kernel to test with.

use std::ffi::c_void;
use std::mem::offset_of;
use std::sync::LazyLock;

use tandem::model::{Data, Eval, RtlModel, Signal};

use crate::kernel::LATENCY_CYCLES;

/// What is wrong with the hardware.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FakeRtl {
    #[default]
    Right,
    WrongByte,
    SkipsLastRecord,
    WrongCycles,
    Endless,
    OutOfBounds,
}

/// `out = in + key`, a record a cycle: it gives each in the cycle behind the one that took it, and is
/// done four cycles after the next one could have come.
#[derive(Default)]
#[repr(C, align(64))]
struct State {
    clk: u8,
    reset: u8,
    start: u8,
    done: u8,
    in_valid: u8,
    in_ready: u8,
    out_valid: u8,
    out_ready: u8,
    in_data: u64,
    out_data: u64,
    count: u64,
    key: u64,
    registers: Registers,
    fault: FakeRtl,
}

#[derive(Clone, Copy, Default)]
struct Registers {
    is_running: bool,
    /// Cycles since the one with `start`.
    cycles: u64,
    taken: u64,
    given: u64,
    last_taken: u64,
    interval: u64,
    held: Option<u64>,
}

/// Name, protocol, role, argument, bits and place.
type Port = (&'static str, &'static str, &'static str, Option<usize>, u32, usize);

const PORTS: [Port; 12] = [
    ("clk", "call", "clk", None, 1, offset_of!(State, clk)),
    ("reset", "call", "reset", None, 1, offset_of!(State, reset)),
    ("start", "call", "start", None, 1, offset_of!(State, start)),
    ("done", "call", "done", None, 1, offset_of!(State, done)),
    ("in_valid", "stream_in", "valid", Some(0), 1, offset_of!(State, in_valid)),
    ("in_data", "stream_in", "data", Some(0), 64, offset_of!(State, in_data)),
    ("in_ready", "stream_in", "ready", Some(0), 1, offset_of!(State, in_ready)),
    ("out_ready", "stream_out", "ready", Some(1), 1, offset_of!(State, out_ready)),
    ("out_valid", "stream_out", "valid", Some(1), 1, offset_of!(State, out_valid)),
    ("out_data", "stream_out", "data", Some(1), 64, offset_of!(State, out_data)),
    ("count", "value", "value", Some(2), 64, offset_of!(State, count)),
    ("key", "value", "value", Some(3), 64, offset_of!(State, key)),
];

static SIGNALS: LazyLock<Vec<Signal>> = LazyLock::new(|| {
    let signal =
        |&(name, protocol, role, argument, bits, _): &(&str, &str, &str, _, _, _)| Signal {
            name: name.to_string(),
            protocol: protocol.to_string(),
            role: role.to_string(),
            argument,
            bits,
        };
    PORTS.iter().map(signal).collect()
});

impl RtlModel for FakeRtl {
    fn signals(&self) -> &[Signal] {
        &SIGNALS
    }

    fn state_bytes(&self) -> u64 {
        size_of::<State>() as u64
    }

    unsafe fn begin(&self, state: *mut c_void, _: &Data) -> Vec<*mut u8> {
        assert!(state.cast::<State>().is_aligned());
        unsafe { state.cast::<State>().write(State { fault: *self, ..State::default() }) };
        PORTS.iter().map(|port| unsafe { state.cast::<u8>().add(port.5) }).collect()
    }

    fn eval(&self) -> Eval {
        eval
    }
}

unsafe extern "C" fn eval(state: *mut c_void) {
    let state = unsafe { &mut *state.cast::<State>() };
    let fault = state.fault;
    if state.clk == 0 { fault.settle(state) } else { fault.edge(state) }
}

impl FakeRtl {
    /// The outputs.
    fn settle(self, state: &mut State) {
        let Registers { is_running, cycles, taken, given, last_taken, interval, held } =
            state.registers;
        let is_active = is_running || state.start == 1;
        let is_full = held.is_some() && state.out_ready == 0;
        let gives_too_much = self == Self::OutOfBounds && given == state.count;
        state.in_ready = u8::from(is_active && !is_full && taken < state.count);
        state.out_valid = u8::from(is_active && (held.is_some() || gives_too_much));
        state.out_data = held.unwrap_or_default();
        if self == Self::WrongByte && given == 1 {
            state.out_data ^= 0xff00;
        }
        let wait = if state.count == 0 { 0 } else { last_taken + interval.max(1) - 1 };
        let end = wait + LATENCY_CYCLES - 1 + u64::from(self == Self::WrongCycles);
        let is_over = is_active && taken == state.count && held.is_none() && cycles >= end;
        state.done = u8::from(is_over && self != Self::Endless);
    }

    /// The registers.
    fn edge(self, state: &mut State) {
        if state.reset == 1 {
            state.registers = Registers::default();
            return;
        }
        let takes = state.in_valid == 1 && state.in_ready == 1;
        let gives = state.out_valid == 1 && state.out_ready == 1;
        let record = state.in_data.wrapping_add(state.key);
        let registers = &mut state.registers;
        registers.is_running |= state.start == 1;
        registers.cycles += u64::from(registers.is_running);
        if gives {
            registers.given += 1;
            registers.held = None;
        }
        if takes {
            registers.taken += 1;
            registers.interval = registers.cycles - registers.last_taken;
            registers.last_taken = registers.cycles;
            let is_skipped = self == Self::SkipsLastRecord && registers.taken == state.count;
            registers.held = (!is_skipped).then_some(record);
        }
    }
}
