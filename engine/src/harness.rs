// SPDX-License-Identifier: Apache-2.0
//! What is around a kernel's hardware while it is simulated: resets it, starts it, and serves every
//! port by its protocol, cycle by cycle, out of the device's memory. Whoever owns time asks for each
//! cycle, or for many. docs/verilog.md describes the protocols, docs/package.md the model's side.

use std::ffi::c_void;

use crate::error::{Error, Result, Status};
use crate::gate::{Answer, Gate};
use crate::model::{Data, Eval, Progress, RtlModel, Signal};
use crate::recording::CallRecorder;

const RESET_CYCLES: u32 = 2;
const AGAIN: &str = "compile the kernel again";

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
    result: Option<Value>,
    cycles: u64,
    recorder: Option<CallRecorder>,
    /// Where ports are that the model does not have.
    _nowhere: Vec<u8>,
}

/// Bytes of the device's memory.
#[derive(Clone, Copy)]
struct Buffer {
    data: *mut u8,
    bytes: u64,
}

/// When a stream's next record may pass.
struct Pace<'a> {
    interval_cycles: u32,
    wait_cycles: u32,
    /// What is behind the port, if it is not always open.
    gate: Option<Box<dyn Gate + 'a>>,
    /// The first record that the gate has to be asked for.
    open_until: u64,
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

/// What gives a stream's records to the kernel, or takes those that it gives.
struct Stream<'a> {
    argument: usize,
    valid: *mut u8,
    ready: *mut u8,
    port: *mut u8,
    /// Where the next record is, or goes.
    next: *mut u8,
    element_bytes: usize,
    records: u64,
    position: u64,
    /// The cycle in which the last one has moved.
    moved_in: u64,
    /// The cycles in which all have, if anybody wants to know.
    moves: Option<Vec<u64>>,
    pace: Pace<'a>,
    /// Whether a record moves in this cycle, if the kernel wants that too.
    may_move: bool,
}

/// A memory behind a port.
struct Memory {
    argument: usize,
    buffer: Buffer,
    element_bytes: usize,
    read: Option<ReadPort>,
    write: Option<WritePort>,
}

struct ReadPort {
    enable: *const u8,
    index: *const u8,
    data: *mut u8,
    /// What is answered in the next cycle, if anything is.
    word: Vec<u8>,
    answers: bool,
}

struct WritePort {
    enable: *const u8,
    index: *const u8,
    data: *const u8,
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
                    harness.attach(
                        &Port { map: &map, argument, protocol },
                        buffer,
                        intervals[argument],
                    )?
                };
            }
        }
        // SAFETY: the ports are where the model says.
        unsafe { harness.reset(map.of_call("reset")?) };
        harness._nowhere = map.nowhere;
        Ok(harness)
    }

    /// Has an agent serve a port.
    ///
    /// # Safety
    /// As for [`Harness::new`].
    unsafe fn attach(&mut self, port: &Port<'_>, buffer: Buffer, interval: u32) -> Result<()> {
        match port.protocol {
            "value" => {
                let (to, bytes) = port.signal("value")?;
                port.require(&buffer, bytes)?;
                // SAFETY: a value's argument has its bytes, and its port room for them.
                unsafe { copy(buffer.data, to, bytes) };
            }
            "result" => {
                let (from, bytes) = port.signal("value")?;
                let bytes = bytes.next_power_of_two();
                port.require(&buffer, bytes)?;
                self.result = Some(Value { port: from, to: buffer.data, bytes });
            }
            "stream_in" => self.sources.push(Stream::new(port, buffer, interval)?),
            "stream_out" => self.sinks.push(Stream::new(port, buffer, interval)?),
            "memory_read" => {
                let (data, bytes) = port.signal("read_data")?;
                self.memory(port.argument, buffer, bytes).read = Some(ReadPort {
                    enable: port.signal("read_enable")?.0,
                    index: port.signal("read_index")?.0,
                    data,
                    word: vec![0; bytes],
                    answers: false,
                });
            }
            "memory_write" => {
                let (data, bytes) = port.signal("write_data")?;
                self.memory(port.argument, buffer, bytes).write = Some(WritePort {
                    enable: port.signal("write_enable")?.0,
                    index: port.signal("write_index")?.0,
                    data,
                });
            }
            unknown => {
                let message = format!("rtl.so has a port of the unknown protocol {unknown:?}");
                return Err(Error::new(Status::BadPackage, format!("{message}; {AGAIN}")));
            }
        }
        Ok(())
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

impl Pace<'_> {
    fn every(interval: u32) -> Self {
        Self { interval_cycles: interval.max(1), wait_cycles: 0, gate: None, open_until: u64::MAX }
    }

    /// Whether a record may pass; nothing where that is not known yet.
    #[inline]
    fn passes(&mut self, record: u64, cycle: u64) -> Option<bool> {
        if self.wait_cycles > 0 {
            return Some(false);
        }
        if record < self.open_until { Some(true) } else { self.ask(record, cycle) }
    }

    #[cold]
    fn ask(&mut self, record: u64, cycle: u64) -> Option<bool> {
        let Some(gate) = &mut self.gate else { return Some(true) };
        match gate.ask(record, cycle) {
            Answer::Open { until } => {
                self.open_until = until;
                Some(true)
            }
            Answer::Closed => Some(false),
            Answer::Unknown => None,
        }
    }

    /// A record has moved in this cycle, of which so many have, or none.
    fn moved(&mut self, did: bool, records: u64, cycle: u64) {
        if !did {
            self.wait_cycles = self.wait_cycles.saturating_sub(1);
            return;
        }
        self.wait_cycles = self.interval_cycles - 1;
        if records == self.open_until
            && let Some(gate) = &mut self.gate
        {
            gate.passed(cycle);
        }
    }
}

impl Stream<'_> {
    fn new(port: &Port<'_>, Buffer { data, bytes }: Buffer, interval: u32) -> Result<Self> {
        let (place, element_bytes) = port.signal("data")?;
        Ok(Self {
            argument: port.argument,
            valid: port.signal("valid")?.0,
            ready: port.signal("ready")?.0,
            port: place,
            next: data,
            element_bytes,
            records: bytes / element_bytes as u64,
            position: 0,
            moved_in: 0,
            moves: None,
            pace: Pace::every(interval),
            may_move: false,
        })
    }

    /// Whether it is known if there is a record.
    ///
    /// # Safety
    /// As for [`Harness::run`]; the kernel reads the stream.
    unsafe fn offer(&mut self, cycle: u64) -> bool {
        let is_left = self.position < self.records;
        let passes = if is_left { self.pace.passes(self.position, cycle) } else { Some(false) };
        self.may_move = passes == Some(true);
        // SAFETY: the record lies in the buffer.
        unsafe {
            self.valid.write(u8::from(self.may_move));
            if self.may_move {
                copy(self.next, self.port, self.element_bytes);
            }
        }
        passes.is_some()
    }

    /// # Safety
    /// As for [`Stream::offer`].
    unsafe fn go_on(&mut self, cycle: u64) {
        // SAFETY: the caller's promise.
        let moves = self.may_move && unsafe { is_high(self.ready) };
        self.moved(moves, cycle);
    }

    /// Whether it is known if there is room. What is given behind the last record is taken too: it is
    /// told then.
    ///
    /// # Safety
    /// As for [`Harness::run`]; the kernel writes the stream.
    unsafe fn accept(&mut self, cycle: u64) -> bool {
        let is_left = self.position < self.records;
        let passes = if is_left { self.pace.passes(self.position, cycle) } else { Some(true) };
        self.may_move = passes == Some(true);
        // SAFETY: the caller's promise.
        unsafe { self.ready.write(u8::from(self.may_move)) };
        passes.is_some()
    }

    /// Whether there was room for what came, if anything did.
    ///
    /// # Safety
    /// As for [`Stream::accept`].
    unsafe fn take(&mut self, cycle: u64) -> bool {
        // SAFETY: the caller's promise; the record lies in the buffer.
        unsafe {
            let moves = self.may_move && is_high(self.valid);
            if moves && self.position == self.records {
                return false;
            }
            if moves {
                copy(self.port, self.next, self.element_bytes);
            }
            self.moved(moves, cycle);
        }
        true
    }

    /// A record has moved in this cycle, or not.
    fn moved(&mut self, did: bool, cycle: u64) {
        if did {
            self.position += 1;
            self.next = self.next.wrapping_add(self.element_bytes);
            self.moved_in = cycle;
            if let Some(moves) = &mut self.moves {
                moves.push(cycle);
            }
        }
        self.pace.moved(did, self.position, cycle);
    }
}

impl Memory {
    /// Reads see what was there before this cycle's write. A kernel reads before it knows whether it
    /// wants to: outside of the buffer nothing answers. Whether what was written lies inside.
    ///
    /// # Safety
    /// As for [`Harness::run`].
    unsafe fn access(&mut self) -> bool {
        // SAFETY: the caller's promise.
        unsafe {
            self.look();
            self.keep()
        }
    }

    /// # Safety
    /// As for [`Harness::run`].
    unsafe fn look(&mut self) {
        let Some(read) = &self.read else { return };
        // SAFETY: the caller's promise; places are inside of the buffer.
        let from = unsafe { is_high(read.enable).then(|| self.place(read.index)).flatten() };
        let Some(read) = &mut self.read else { return };
        read.answers = from.is_some();
        if let Some(from) = from {
            // SAFETY: as above.
            unsafe { copy(from, read.word.as_mut_ptr(), self.element_bytes) };
        }
    }

    /// # Safety
    /// As for [`Harness::run`].
    unsafe fn keep(&self) -> bool {
        match &self.write {
            // SAFETY: the caller's promise; places are inside of the buffer.
            Some(write) if unsafe { is_high(write.enable) } => unsafe {
                let to = self.place(write.index);
                to.inspect(|&to| copy(write.data, to, self.element_bytes)).is_some()
            },
            _ => true,
        }
    }

    /// What was read is there in the next cycle.
    ///
    /// # Safety
    /// As for [`Harness::run`].
    unsafe fn answer(&mut self) {
        if let Some(read) = self.read.as_ref().filter(|read| read.answers) {
            // SAFETY: the caller's promise.
            unsafe { copy(read.word.as_ptr(), read.data, self.element_bytes) };
        }
    }

    /// Where an element lies, if it is in the buffer.
    ///
    /// # Safety
    /// The port has an index.
    unsafe fn place(&self, index: *const u8) -> Option<*mut u8> {
        // SAFETY: the caller's promise; ports are aligned as their type is, ours may not be.
        let index = unsafe { index.cast::<u32>().read_unaligned() };
        let offset = u64::from(index) * self.element_bytes as u64;
        let is_inside = offset + self.element_bytes as u64 <= self.buffer.bytes;
        // SAFETY: it lies in the buffer.
        is_inside.then(|| unsafe { self.buffer.data.add(offset as usize) })
    }
}

/// Where a model's signals are.
struct Map<'m> {
    signals: &'m [Signal],
    places: Vec<*mut u8>,
    /// Where those are that the model does not have.
    nowhere: Vec<u8>,
}

impl<'m> Map<'m> {
    fn new(signals: &'m [Signal], mut places: Vec<*mut u8>) -> Self {
        let mut nowhere = vec![0; signals.iter().map(Signal::room_bytes).sum()];
        let mut rest = nowhere.as_mut_slice();
        for (place, signal) in places.iter_mut().zip(signals) {
            let (own, others) = rest.split_at_mut(signal.room_bytes());
            rest = others;
            if place.is_null() {
                *place = own.as_mut_ptr();
            }
        }
        Self { signals, places, nowhere }
    }

    /// Whether each signal belongs to one of so many arguments.
    fn check(&self, arguments: usize) -> Result<()> {
        let mut named = self.signals.iter().filter_map(|signal| signal.argument);
        match named.find(|&argument| argument >= arguments) {
            Some(argument) => Err(missing(&format!("argument {argument}"))),
            None => Ok(()),
        }
    }

    fn of_call(&self, role: &str) -> Result<*mut u8> {
        let is_it = |signal: &Signal| signal.argument.is_none() && signal.role == role;
        let place = self.signals.iter().position(is_it).map(|index| self.places[index]);
        place.ok_or_else(|| missing(role))
    }

    /// The protocols that an argument speaks.
    fn spoken(&self, argument: usize) -> Vec<&'m str> {
        let own = self.signals.iter().filter(|signal| signal.argument == Some(argument));
        let mut spoken: Vec<_> = own.map(|signal| signal.protocol.as_str()).collect();
        spoken.dedup();
        spoken
    }
}

/// An argument's signals of one protocol.
struct Port<'m> {
    map: &'m Map<'m>,
    argument: usize,
    protocol: &'m str,
}

impl Port<'_> {
    /// Where a signal is, and its bytes.
    fn signal(&self, role: &str) -> Result<(*mut u8, usize)> {
        let is_it = |(_, signal): &(usize, &Signal)| {
            signal.argument == Some(self.argument)
                && signal.protocol == self.protocol
                && signal.role == role
        };
        let found = self.map.signals.iter().enumerate().find(is_it);
        let found = found.map(|(index, signal)| (self.map.places[index], signal.bytes().max(1)));
        found.ok_or_else(|| missing(&format!("{role} of argument {}", self.argument)))
    }

    /// That an argument by value has its bytes.
    fn require(&self, buffer: &Buffer, bytes: usize) -> Result<()> {
        let (argument, given) = (self.argument, buffer.bytes);
        if !buffer.data.is_null() && given >= bytes as u64 {
            return Ok(());
        }
        let message = format!("argument {argument}: {given} bytes were given, it has {bytes}");
        Err(Error::new(Status::BadArgument, message))
    }
}

fn missing(what: &str) -> Error {
    Error::new(Status::BadPackage, format!("rtl.so has no port for {what}; {AGAIN}"))
}

/// # Safety
/// The port is one of the model's.
unsafe fn is_high(port: *const u8) -> bool {
    // SAFETY: the caller's promise.
    unsafe { port.read() & 1 == 1 }
}

/// Copies bytes; those of a number at once.
///
/// # Safety
/// Both have so many.
#[inline]
unsafe fn copy(from: *const u8, to: *mut u8, bytes: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        match bytes {
            1 => to.write(from.read()),
            2 => to.cast::<[u8; 2]>().write(from.cast::<[u8; 2]>().read()),
            4 => to.cast::<[u8; 4]>().write(from.cast::<[u8; 4]>().read()),
            8 => to.cast::<[u8; 8]>().write(from.cast::<[u8; 8]>().read()),
            _ => to.copy_from_nonoverlapping(from, bytes),
        }
    }
}
