// SPDX-License-Identifier: Apache-2.0
//! What is around a kernel's hardware while it is simulated: resets it, starts it, and serves every
//! port by its protocol, cycle by cycle, out of the device's memory. Whoever owns time asks for each
//! cycle, or for many. docs/verilog.md describes the protocols, docs/package.md the model's side.

pub mod gate;
mod memories;
mod ports;
mod protocols;
mod streams;

use std::ffi::c_void;

use crate::error::Result;
use crate::harness::gate::Gate;
use crate::model::{Data, Eval, Progress, RtlModel};
use crate::recording::CallRecorder;

use memories::Memory;
use ports::{Buffer, Map, Port, copy, is_high};
use protocols::{Agent, attach};
use streams::Stream;

const RESET_CYCLES: u32 = 2;

/// A model of the hardware on its way through one call.
pub struct Harness<'a> {
    eval: Eval,
    end: Option<Eval>,
    state: *mut c_void,
    clk: *mut u8,
    start: *mut u8,
    done: *const u8,
    /// Those that the kernel reads.
    sources: Vec<Stream<'a>>,
    /// Those that it writes.
    sinks: Vec<Stream<'a>>,
    memories: Vec<Memory>,
    /// What serves other ports.
    others: Vec<Box<dyn Agent>>,
    result: Option<Value>,
    cycles: u64,
    recorder: Option<CallRecorder>,
    /// Where ports are that the model does not have.
    _nowhere: Vec<u8>,
}

/// How far to go with a stream that the kernel reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Steady {
    /// Whose it is.
    pub argument: usize,
    /// Its records.
    pub records: u64,
    /// Within how many cycles after one that has moved the next one does.
    pub gap: u64,
    /// The cycle that is run in any case.
    pub until: u64,
}

/// What the kernel returns.
struct Value {
    port: *const u8,
    to: *mut u8,
    bytes: usize,
}

impl<'a> Harness<'a> {
    /// Resets the hardware; it begins with the first [`Harness::run`].
    ///
    /// # Safety
    /// `state` is zeroed, 64-byte aligned and of [`RtlModel::state_bytes`]; `data[k]` points to
    /// `bytes[k]` bytes. All of it stays as long as what is returned.
    ///
    /// # Errors
    /// [`Status::BadPackage`] if the model's port map is none of a kernel with these arguments;
    /// [`Status::BadArgument`] if a value has fewer bytes than its port.
    pub unsafe fn new(
        rtl: &dyn RtlModel,
        state: *mut c_void,
        (data, bytes): (&Data, &[u64]),
        intervals: &[u32],
    ) -> Result<Self> {
        // SAFETY: the caller's promise.
        let map = Map::new(rtl.signals(), unsafe { rtl.begin(state, data) });
        map.check(data.len())?;
        let mut harness = Self {
            eval: rtl.eval(),
            end: rtl.end(),
            state,
            clk: map.of_call("clk")?,
            start: map.of_call("start")?,
            done: map.of_call("done")?,
            sources: Vec::new(),
            sinks: Vec::new(),
            memories: Vec::new(),
            others: Vec::new(),
            result: None,
            cycles: 0,
            recorder: None,
            _nowhere: Vec::new(),
        };
        for (argument, &data) in data.iter().enumerate() {
            let buffer = Buffer { data: data.cast(), bytes: bytes[argument] };
            for protocol in map.spoken(argument) {
                // SAFETY: the caller's promise.
                unsafe {
                    let port = Port { map: &map, argument, protocol };
                    attach(&mut harness, &port, buffer, intervals[argument])?;
                }
            }
        }
        // SAFETY: the ports are where the model says.
        unsafe { harness.reset(map.of_call("reset")?) };
        harness._nowhere = map.nowhere;
        Ok(harness)
    }

    /// The memory behind an argument's ports.
    fn memory(&mut self, argument: usize, buffer: Buffer, element_bytes: usize) -> &mut Memory {
        let known = self.memories.iter().position(|memory| memory.argument == argument);
        let place = known.unwrap_or(self.memories.len());
        if known.is_none() {
            self.memories.push(Memory { argument, buffer, element_bytes, read: None, write: None });
        }
        &mut self.memories[place]
    }

    /// # Safety
    /// As for [`Harness::new`].
    unsafe fn reset(&mut self, reset: *mut u8) {
        // SAFETY: the caller's promise.
        unsafe {
            reset.write(1);
            self.start.write(0);
            for _ in 0..RESET_CYCLES {
                self.half_cycle(0);
                self.half_cycle(1);
            }
            reset.write(0);
            self.start.write(1);
        }
    }

    /// Has what the hardware does recorded from now on.
    pub fn record(&mut self, recorder: Option<CallRecorder>) {
        self.recorder = recorder;
    }

    /// Has the records of an argument's stream pass a gate.
    pub fn gate(&mut self, argument: usize, gate: impl Gate + 'a) {
        if let Some(stream) = self.stream_mut(argument) {
            stream.pace.gate = Some(Box::new(gate));
            stream.pace.open_until = 0;
        }
    }

    /// Has the cycles noted in which records of an argument's stream move.
    pub fn note_moves(&mut self, argument: usize) {
        if let Some(stream) = self.stream_mut(argument) {
            stream.moves = Some(Vec::new());
        }
    }

    /// What was noted since this was asked.
    pub fn take_moves(&mut self, argument: usize) -> Vec<u64> {
        let stream = self.stream_mut(argument);
        stream.and_then(|stream| stream.moves.as_mut()).map(std::mem::take).unwrap_or_default()
    }

    /// How many records of an argument's stream have moved, and the cycle in which the last one has.
    pub fn moved(&self, argument: usize) -> (u64, u64) {
        let mut streams = self.sources.iter().chain(&self.sinks);
        let stream = streams.find(|stream| stream.argument == argument);
        stream.map_or((0, 0), |stream| (stream.position, stream.moved_in))
    }

    fn stream_mut(&mut self, argument: usize) -> Option<&mut Stream<'a>> {
        let mut streams = self.sources.iter_mut().chain(&mut self.sinks);
        streams.find(|stream| stream.argument == argument)
    }

    /// The cycles since the one with `start`, that one included.
    pub fn cycles(&self) -> u64 {
        self.cycles
    }

    /// Simulates at most so many cycles more.
    ///
    /// # Safety
    /// What [`Harness::new`] was given is still there.
    pub unsafe fn run(&mut self, cycles: u64) -> Progress {
        // SAFETY: the caller's promise.
        unsafe { self.run_watched(cycles, |_, _| ()) }
    }

    /// The same; `watch` sees each cycle, by its number, with the state as it is before the clock rises.
    ///
    /// # Safety
    /// As for [`Harness::run`].
    #[inline]
    pub unsafe fn run_watched(
        &mut self,
        cycles: u64,
        mut watch: impl FnMut(u64, *const c_void),
    ) -> Progress {
        for _ in 0..cycles {
            // SAFETY: the caller's promise.
            let progress = unsafe { self.cycle(&mut watch) };
            if progress != Progress::Running {
                return progress;
            }
        }
        Progress::Running
    }

    /// The same, until a record of an argument's stream has moved.
    ///
    /// # Safety
    /// As for [`Harness::run`].
    pub unsafe fn run_until_moves(&mut self, argument: usize, cycles: u64) -> Progress {
        let (before, _) = self.moved(argument);
        for _ in 0..cycles {
            // SAFETY: the caller's promise.
            let progress = unsafe { self.cycle(&mut |_, _| ()) };
            if progress != Progress::Running || self.moved(argument).0 != before {
                return progress;
            }
        }
        Progress::Running
    }

    /// The same, as long as a stream that the kernel reads moves steadily: until so many of its records have
    /// moved, or none has in the last `gap` cycles, but not before a cycle is over.
    ///
    /// # Safety
    /// As for [`Harness::run`].
    pub unsafe fn run_steadily(&mut self, flow: Steady, cycles: u64) -> Progress {
        let is_it = |source: &Stream<'_>| source.argument == flow.argument;
        let index = self.sources.iter().position(is_it);
        let mut until = flow.until;
        for _ in 0..cycles {
            if self.cycles > until {
                break;
            }
            // SAFETY: the caller's promise.
            let progress = unsafe { self.cycle(&mut |_, _| ()) };
            if progress != Progress::Running {
                return progress;
            }
            let Some(source) = index.and_then(|index| self.sources.get(index)) else { continue };
            if source.may_move && source.moved_in + 1 == self.cycles {
                until = until.max(source.moved_in + flow.gap);
                if source.position == flow.records {
                    break;
                }
            }
        }
        Progress::Running
    }

    /// Simulates one cycle, or none where a gate does not know yet.
    ///
    /// # Safety
    /// As for [`Harness::run`].
    #[inline(always)]
    unsafe fn cycle(&mut self, watch: &mut impl FnMut(u64, *const c_void)) -> Progress {
        // SAFETY: the caller's promise.
        unsafe {
            let now = self.cycles;
            for source in &mut self.sources {
                if !source.offer(now) {
                    return Progress::Waiting;
                }
            }
            for sink in &mut self.sinks {
                if !sink.accept(now) {
                    return Progress::Waiting;
                }
            }
            self.others.iter_mut().for_each(|other| other.before(now));
            self.half_cycle(0);
            watch(now, self.state);
            if let Some(recorder) = &mut self.recorder {
                recorder.see(now, self.state);
            }
            self.cycles += 1;
            let is_done = is_high(self.done);
            self.sources.iter_mut().for_each(|source| source.go_on(now));
            let mut fits = true;
            for sink in &mut self.sinks {
                fits &= sink.take(now);
            }
            for memory in &mut self.memories {
                fits &= memory.access();
            }
            for other in &mut self.others {
                fits &= other.after(now);
            }
            if !fits {
                return Progress::OutOfBounds;
            }
            if is_done {
                if let Some(Value { port, to, bytes }) = self.result {
                    copy(port, to, bytes);
                }
                if let Some(recorder) = &mut self.recorder {
                    recorder.done(self.cycles);
                }
                return Progress::Done;
            }
            self.half_cycle(1);
            self.memories.iter_mut().for_each(|memory| memory.answer());
            self.others.iter_mut().for_each(|other| other.late());
            self.start.write(0);
        }
        Progress::Running
    }

    /// # Safety
    /// As for [`Harness::run`].
    unsafe fn half_cycle(&mut self, clk: u8) {
        // SAFETY: the caller's promise.
        unsafe {
            self.clk.write(clk);
            (self.eval)(self.state);
        }
    }
}

impl Drop for Harness<'_> {
    fn drop(&mut self) {
        if let Some(end) = self.end {
            // SAFETY: the state is still there, as [`Harness::new`] was promised.
            unsafe { end(self.state) };
        }
    }
}
