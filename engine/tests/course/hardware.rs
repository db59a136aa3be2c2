// SPDX-License-Identifier: Apache-2.0
//! Hardware with the loop of a case: its ports, cycle by cycle. What it takes of its first stream it gives
//! to the third, and of the second to the fourth.

use std::collections::VecDeque;
use std::ffi::c_void;

use tandem::model::{Data, Eval, RtlModel, Signal};

use super::{ENTERED, GIVEN_TO_LEAVING, LEAVING_TO_CREDIT, LENGTH, STREAMS, TAKES, Way};

/// The hardware of a case.
pub struct LoopRtl {
    pub iterations: u64,
    pub interval: u64,
    pub ways: Vec<Way>,
    /// Cycles of the loop if nothing makes it wait.
    pub spent: u64,
    pub signals: Vec<Signal>,
}

#[derive(Clone, Copy, Default)]
#[repr(C)]
struct Port {
    valid: u8,
    ready: u8,
    data: u64,
}

/// Behind an output: records and the cycles from which on they may leave.
#[derive(Default)]
struct Fifo {
    inside: VecDeque<(u64, u64)>,
    left: Vec<u64>,
}

#[repr(C)]
struct State {
    clk: u8,
    reset: u8,
    start: u8,
    done: u8,
    ports: [Port; STREAMS],
    is_running: bool,
    now: u64,
    starts: Vec<u64>,
    fifos: [Fifo; STREAMS - TAKES],
    rtl: *const LoopRtl,
}

/// The map of its ports.
pub fn signals() -> Vec<Signal> {
    let signal = |role: &str, protocol: &str, argument, bits| Signal {
        name: format!("{role}{argument:?}"),
        protocol: protocol.to_string(),
        role: role.to_string(),
        argument,
        bits,
    };
    let call = ["clk", "reset", "start", "done"].map(|role| signal(role, "call", None, 1));
    let streams = (0..STREAMS).flat_map(|stream| {
        let protocol = if stream < TAKES { "stream_in" } else { "stream_out" };
        [("valid", 1), ("ready", 1), ("data", 64)]
            .map(|(role, bits)| signal(role, protocol, Some(stream), bits))
    });
    call.into_iter().chain(streams).collect()
}

impl RtlModel for LoopRtl {
    fn signals(&self) -> &[Signal] {
        &self.signals
    }

    fn state_bytes(&self) -> u64 {
        size_of::<State>() as u64
    }

    /// What its queues hold is never given back.
    unsafe fn begin(&self, state: *mut c_void, _: &Data) -> Vec<*mut u8> {
        let state = state.cast::<State>();
        unsafe {
            state.write(State {
                clk: 0,
                reset: 0,
                start: 0,
                done: 0,
                ports: Default::default(),
                is_running: false,
                now: 0,
                starts: Vec::new(),
                fifos: Default::default(),
                rtl: self,
            });
            let call = [
                &raw mut (*state).clk,
                &raw mut (*state).reset,
                &raw mut (*state).start,
                &raw mut (*state).done,
            ];
            let of_stream = |port: *mut Port| {
                [&raw mut (*port).valid, &raw mut (*port).ready, (&raw mut (*port).data).cast()]
            };
            let ports = (0..STREAMS).flat_map(|k| of_stream(&raw mut (*state).ports[k]));
            call.into_iter().chain(ports).collect()
        }
    }

    fn eval(&self) -> Eval {
        eval
    }
}

unsafe extern "C" fn eval(state: *mut c_void) {
    let state = unsafe { &mut *state.cast::<State>() };
    let rtl = unsafe { &*state.rtl };
    if state.clk == 0 { rtl.settle(state) } else { rtl.edge(state) }
}

impl LoopRtl {
    /// Whether an iteration starts if its records are there.
    fn may_start(&self, state: &State) -> bool {
        let count = state.starts.len();
        let next = state.starts.last().map_or(ENTERED, |last| last + self.interval);
        let has_credit = |(way, fifo): (&Way, &Fifo)| match count.checked_sub(way.depth() as usize)
        {
            Some(before) => {
                fifo.left.get(before).is_some_and(|left| left + LEAVING_TO_CREDIT <= state.now)
            }
            None => true,
        };
        let mut gives = self.ways[TAKES..].iter().zip(&state.fifos);
        (count as u64) < self.iterations && state.now >= next && gives.all(has_credit)
    }

    fn settle(&self, state: &mut State) {
        let is_active = state.is_running || state.start == 1;
        let are_there = state.ports[..TAKES].iter().all(|port| port.valid == 1);
        let starts = is_active && are_there && self.may_start(state);
        state.ports[..TAKES].iter_mut().for_each(|port| port.ready = u8::from(starts));
        for (port, fifo) in state.ports[TAKES..].iter_mut().zip(&state.fifos) {
            let front = fifo.inside.front().filter(|(from, _)| *from <= state.now);
            port.valid = u8::from(is_active && front.is_some());
            port.data = front.map_or(0, |(_, record)| *record);
        }
        let emptied = state.fifos.iter().filter_map(|fifo| fifo.left.last()).max();
        let end = state.starts.last().map_or(0, |last| last + LENGTH);
        let end = end.max(ENTERED + self.spent).max(emptied.map_or(0, |left| left + 1));
        let is_over = state.starts.len() as u64 == self.iterations
            && state.fifos.iter().all(|fifo| fifo.inside.is_empty());
        state.done = u8::from(is_over && state.now >= end);
    }

    fn edge(&self, state: &mut State) {
        if state.reset == 1 {
            return;
        }
        let now = state.now;
        for (port, fifo) in state.ports[TAKES..].iter().zip(&mut state.fifos) {
            if port.valid == 1 && port.ready == 1 {
                fifo.inside.pop_front();
                fifo.left.push(now);
            }
        }
        if state.ports[0].ready == 1 {
            state.starts.push(now);
            let taken = state.ports.map(|port| port.data);
            for ((way, fifo), record) in self.ways[TAKES..].iter().zip(&mut state.fifos).zip(taken)
            {
                fifo.inside.push_back((now + way.cycle + GIVEN_TO_LEAVING, record));
            }
        }
        state.is_running |= state.start == 1;
        state.now += 1;
    }
}
