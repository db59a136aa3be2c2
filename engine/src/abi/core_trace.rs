// SPDX-License-Identifier: Apache-2.0
//! The part of the C ABI for a core's model alone: what a program does instruction by instruction,
//! and when.

use std::ffi::c_char;

use serde::{Deserialize, Serialize};

use super::{answer, text, write_text};
use crate::chip::calls::Alone;
use crate::chip::memory::Memory;
use crate::chip::settings::RamSettings;
use crate::cores::microblaze::{self, MicroBlaze};
use crate::cores::picorv32::PicoRv32;
use crate::cores::strongarm::{self, StrongArm};
use crate::cores::{Core, Cycle, HasTwin, Observer, Retired, Stop};
use crate::error::{Error, Result, Status};

const WORD: usize = 4;

/// A program with all that is around it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    /// The core.
    core: String,
    /// How a StrongARM is made.
    #[serde(default)]
    strongarm: strongarm::Settings,
    /// How a MicroBlaze is made.
    #[serde(default)]
    microblaze: microblaze::Settings,
    /// Where it begins, and with what registers.
    pc: u32,
    registers: [u32; 32],
    memories: Vec<Contents>,
    /// After how many instructions it is stopped.
    instructions: u64,
    /// How many cycles it is told to go on for at a time, which makes no difference; 0: all at once.
    #[serde(default)]
    step_cycles: Cycle,
}

/// A memory: from a base on its words, and its time in cycles, as platform files have it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Contents {
    base: u32,
    words: Vec<u32>,
    wait_cycles: u64,
    burst_cycles: u64,
}

/// What it has done: of each instruction its address and when it retired, and what is left at the
/// end.
#[derive(Default, Serialize)]
struct Report {
    instructions: Vec<(u32, Cycle)>,
    cycle: Cycle,
    registers: [u32; 32],
    memories: Vec<Vec<u32>>,
    /// Why it has stopped before, if it has.
    trap: Option<String>,
}

/// Keeps what retires, up to a number.
struct Recorder {
    left: u64,
    instructions: Vec<(u32, Cycle)>,
}

impl Observer for Recorder {
    fn retired(&mut self, retired: Retired) {
        self.left = self.left.saturating_sub(1);
        self.instructions.push((retired.pc, retired.cycle));
    }

    fn stops_at(&mut self, _pc: u32) -> bool {
        self.left == 0
    }
}

/// See `tandem.h`.
///
/// # Safety
/// The pointers are null or valid, as `tandem.h` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tandem_trace_core(
    request: *const c_char,
    report: *mut c_char,
    bytes: usize,
) -> i64 {
    answer(|| {
        // SAFETY: the caller's promise.
        let request = unsafe { text(request, "request")? };
        let request: Request = serde_json::from_slice(request.to_bytes()).map_err(bad)?;
        let json = serde_json::to_string(&trace(&request)?).map_err(bad)?;
        // SAFETY: the caller's promise.
        Ok(unsafe { write_text(&json, report, bytes) })
    })
}

fn bad(cause: impl std::fmt::Display) -> Error {
    Error::new(Status::BadArgument, format!("request of a trace: {cause}"))
}

fn trace(request: &Request) -> Result<Report> {
    let (pc, registers) = (request.pc, request.registers);
    match request.core.as_str() {
        "picorv32" => run(request, PicoRv32::default().twin(pc, registers)),
        "strongarm" => run(request, StrongArm::new(request.strongarm).twin(pc, registers)),
        "microblaze" => run(request, MicroBlaze::new(request.microblaze).twin(pc, registers)),
        other => Err(bad(format!("no core {other}"))),
    }
}

fn run(request: &Request, mut core: impl Core) -> Result<Report> {
    let mut memory = memory(request)?;
    let mut recorder = Recorder { left: request.instructions, instructions: Vec::new() };
    let step = if request.step_cycles == 0 { Cycle::MAX } else { request.step_cycles };
    let trap = loop {
        let until = core.cycle().saturating_add(step);
        match core.run(&mut Alone(&mut memory), until, &mut recorder) {
            Stop::Reached if until < Cycle::MAX => {}
            Stop::Reached | Stop::Stopped => break None,
            Stop::Trapped(trap) => break Some(format!("{trap:?}")),
        }
    };
    let words = |one: &Contents| {
        let bytes = memory.bytes(one.base, WORD * one.words.len()).unwrap_or_default();
        bytes.chunks_exact(WORD).map(|word| word.try_into().map_or(0, u32::from_le_bytes)).collect()
    };
    Ok(Report {
        instructions: recorder.instructions,
        cycle: core.cycle(),
        registers: core.registers(),
        memories: request.memories.iter().map(words).collect(),
        trap,
    })
}

fn memory(request: &Request) -> Result<Memory> {
    let settings = |one: &Contents| RamSettings {
        name: String::new(),
        base: one.base,
        bytes: (WORD * one.words.len()) as u64,
        request_cycles: 0,
        wait_cycles: one.wait_cycles,
        burst_cycles: one.burst_cycles,
    };
    let mut memory = Memory::new(&request.memories.iter().map(settings).collect::<Vec<_>>());
    for one in &request.memories {
        let place = memory.bytes_mut(one.base, WORD * one.words.len());
        let place = place.ok_or_else(|| bad(format!("no memory at {:#x}", one.base)))?;
        for (bytes, word) in place.chunks_exact_mut(WORD).zip(&one.words) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
    }
    Ok(memory)
}
