// SPDX-License-Identifier: Apache-2.0
//! The part of the C ABI for processor cores: their models against their RTL.

use std::ffi::c_char;
use std::ops::Range;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::{answer, text, write_text};
use crate::cores::lockstep::{Board, Compared, Features, Waits, compare, random_program};
use crate::cores::microblaze::{self, MicroBlaze};
use crate::cores::picorv32::PicoRv32;
use crate::cores::rtl::RtlCore;
use crate::cores::vexriscv::{self, VexRiscv};
use crate::cores::{Core, Cycle, Stop, Trap};
use crate::error::{Error, Result, Status};

/// What PicoRV32 counts: cycles, time, instructions, each with its upper half.
const PICORV32: Features = Features {
    compressed: true,
    counters: &[0xc00, 0xc80, 0xc01, 0xc81, 0xc02, 0xc82],
    control: &[],
    flushes_instructions: false,
    flushes_data: false,
    interrupts: false,
};

/// VexRiscv's control registers, and one that there is not.
const VEXRISCV: Features = Features {
    compressed: false,
    counters: &[],
    control: &[0x300, 0x304, 0x305, 0x341, 0xbc0, 0xcc0, 0x340],
    flushes_instructions: true,
    flushes_data: true,
    interrupts: false,
};

const VEXRISCV_LITE: Features = Features { flushes_data: false, ..VEXRISCV };

/// Programs to be run on a core's model and its RTL.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    /// The core.
    core: String,
    /// The path of its RTL's model; empty: its fast model runs alone.
    rtl: String,
    /// The first random program's seed.
    seed: u64,
    /// How many random programs.
    programs: u64,
    /// Instructions of one, about.
    instructions: u32,
    /// The most cycles of a program.
    limit_cycles: Cycle,
    /// The most wait cycles of any program: to the first word, and between two.
    most_first_cycles: u64,
    most_interval_cycles: u64,
    /// In each program interrupts come up to this cycle, if the core has them; a handler of theirs is
    /// in random ones.
    #[serde(default)]
    interrupts_until_cycle: Cycle,
    /// A program of its own, from address 0, in place of random ones.
    #[serde(default)]
    words: Vec<u32>,
    /// Behind the comparison, each alone makes at least so many cycles of the last program, over and
    /// over, with memory that does not let it wait.
    #[serde(default)]
    speed_cycles: Cycle,
}

/// What they have come to.
#[derive(Default, Serialize)]
struct Report {
    programs: u64,
    ended: u64,
    instructions: u64,
    cycles: Cycle,
    /// Of the program that differs.
    seed: u64,
    difference: String,
    seconds: f64,
    /// Simulated cycles a second of each alone, if asked for.
    model_hertz: f64,
    rtl_hertz: f64,
    /// What the model has come to in the last program.
    registers: Vec<u32>,
    trap: Option<Trap>,
}

/// See `tandem.h`.
///
/// # Safety
/// The pointers are null or valid, as `tandem.h` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tandem_lockstep(
    request: *const c_char,
    report: *mut c_char,
    bytes: usize,
) -> i64 {
    answer(|| {
        // SAFETY: the caller's promise.
        let request = unsafe { text(request, "request")? };
        let request: Request = serde_json::from_slice(request.to_bytes()).map_err(bad)?;
        let json = serde_json::to_string(&lockstep(&request)?).map_err(bad)?;
        // SAFETY: the caller's promise.
        Ok(unsafe { write_text(&json, report, bytes) })
    })
}

fn bad(cause: impl std::fmt::Display) -> Error {
    Error::new(Status::BadArgument, format!("request of a lockstep: {cause}"))
}

fn lockstep(request: &Request) -> Result<Report> {
    match request.core.as_str() {
        "picorv32" => Programs { request, features: PICORV32 }.run(PicoRv32::default),
        "vexriscv" => {
            let model = || VexRiscv::new(vexriscv::STANDARD);
            Programs { request, features: VEXRISCV }.run(model)
        }
        "vexriscv-lite" => {
            let model = || VexRiscv::new(vexriscv::LITE);
            Programs { request, features: VEXRISCV_LITE }.run(model)
        }
        "microblaze" => {
            let model = || MicroBlaze::new(microblaze::Settings::default());
            Programs { request, features: Features::default() }.run(model)
        }
        other => Err(bad(format!("no core {other}"))),
    }
}

/// The programs of a request, for one core.
struct Programs<'a> {
    request: &'a Request,
    features: Features,
}

impl Programs<'_> {
    fn run<C: Core>(&self, model: impl Fn() -> C) -> Result<Report> {
        let (start, mut report) = (Instant::now(), Report::default());
        if self.request.rtl.is_empty() {
            self.run_alone(&model, &mut report);
            report.seconds = start.elapsed().as_secs_f64();
            return Ok(report);
        }
        let content = std::fs::read(&self.request.rtl).map_err(|cause| bad(cause.to_string()))?;
        let mut rtl = RtlCore::load(&content)?;
        self.compare(&model, &mut rtl, &mut report);
        report.seconds = start.elapsed().as_secs_f64();
        if self.request.speed_cycles > 0 && report.difference.is_empty() {
            self.measure(&model, &mut rtl, &mut report);
        }
        Ok(report)
    }

    fn seeds(&self) -> Range<u64> {
        self.request.seed..self.request.seed + self.request.programs
    }

    fn run_alone<C: Core>(&self, model: impl Fn() -> C, report: &mut Report) {
        for seed in self.seeds() {
            let (mut core, waits) = (model(), waits(self.request, seed));
            let mut board = Board::new(self.program(seed), waits, false);
            let stop = core.run(&mut board, self.request.limit_cycles, &mut ());
            report.programs += 1;
            report.cycles += core.cycle();
            report.end_with(&core, stop);
        }
    }

    fn compare<C: Core>(&self, model: impl Fn() -> C, rtl: &mut RtlCore, report: &mut Report) {
        for seed in self.seeds() {
            let (mut core, waits) = (model(), waits(self.request, seed));
            rtl.reset();
            let limit = self.request.limit_cycles;
            let compared = compare((&mut core, &mut *rtl), &self.program(seed), waits, limit);
            report.add(&compared);
            report.end_with(&core, compared.stop);
            if !compared.difference.is_empty() {
                (report.seed, report.difference) = (seed, compared.difference);
                break;
            }
        }
    }

    fn measure<C: Core>(&self, model: impl Fn() -> C, rtl: &mut RtlCore, report: &mut Report) {
        let wanted = self.request.speed_cycles;
        let memory = self.program(self.seeds().end.saturating_sub(1));
        report.model_hertz = hertz(wanted, &memory, |board, until| {
            let mut core = model();
            core.run(board, until, &mut ());
            core.cycle()
        });
        report.rtl_hertz = hertz(wanted, &memory, |board, until| {
            rtl.reset();
            rtl.run(board, until, &mut ());
            rtl.cycle()
        });
    }

    fn features(&self) -> Features {
        let interrupts =
            self.features.flushes_instructions && self.request.interrupts_until_cycle > 0;
        Features { interrupts, ..self.features }
    }

    fn program(&self, seed: u64) -> Vec<u32> {
        match self.request.words.is_empty() {
            true => random_program(seed, self.request.instructions, self.features()),
            false => self.request.words.clone(),
        }
    }
}

/// Simulated cycles a second. `run`: from reset, at most to a cycle; the one it has come to.
fn hertz(wanted: Cycle, memory: &[u32], mut run: impl FnMut(&mut Board, Cycle) -> Cycle) -> f64 {
    let (start, mut made) = (Instant::now(), 0);
    while made < wanted {
        let mut board = Board::new(memory.to_vec(), Waits::default(), false);
        made += run(&mut board, wanted - made).max(1);
    }
    made as f64 / start.elapsed().as_secs_f64()
}

/// Each program has its own; of four, one has none and one none but for the first word.
fn waits(request: &Request, seed: u64) -> Waits {
    let first = [0, request.most_first_cycles, request.most_first_cycles, 1][seed as usize % 4];
    let interval = [0, request.most_interval_cycles, 0, 0][seed as usize % 4];
    Waits {
        seed,
        most_first_cycles: first.min(request.most_first_cycles),
        most_interval_cycles: interval,
        interrupts_until: request.interrupts_until_cycle,
    }
}

impl Report {
    fn add(&mut self, compared: &Compared) {
        self.programs += 1;
        self.ended += u64::from(compared.ended);
        self.instructions += compared.instructions;
        self.cycles += compared.cycles;
    }

    fn end_with(&mut self, core: &impl Core, stop: Stop) {
        self.registers = core.registers().to_vec();
        self.trap = match stop {
            Stop::Trapped(trap) => Some(trap),
            Stop::Reached | Stop::Stopped => None,
        };
    }
}
