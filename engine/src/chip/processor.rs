// SPDX-License-Identifier: Apache-2.0
//! The processor of a chip: a core of any kind, and the calls of functions that it has under way.
//! Which kind, is chosen once: from there on a run knows its core's type.

use super::Chip;
use super::calls::{Bounds, Calls, Stops, Tally};
use super::run::Watch;
use super::settings::ChipSettings;
use super::shell::Computed;
use super::tap::{Seen, Tap};
use super::timeline::Track;
use crate::cores::microblaze::MicroBlaze;
use crate::cores::picorv32::PicoRv32;
use crate::cores::strongarm::StrongArm;
use crate::cores::vexriscv::{LITE, STANDARD, VexRiscv};
use crate::cores::{Cycle, HasTwin, Stop};
use crate::error::{Error, Result, Status};

/// A core with its calls.
pub trait Processor {
    /// As [`crate::cores::Core::run`].
    fn run(&mut self, chip: &mut Chip, until: Cycle, watch: &mut Watch) -> Stop;

    /// The same with who looks at all that the core does.
    fn run_watched(&mut self, tap: &mut Tap<'_>, until: Cycle, seen: &mut Seen<'_>) -> Stop;

    /// The core has stopped where a call begins or ends.
    ///
    /// # Errors
    /// As [`Calls::stopped`].
    fn call(&mut self, chip: &mut Chip) -> Result<()>;

    /// As [`Calls::is_beside`].
    fn is_beside(&self) -> bool;

    /// The cycle in which the core is.
    fn cycle(&self) -> Cycle;

    /// The address of the instruction that it is at.
    fn pc(&self) -> u32;

    /// As [`crate::cores::Core::registers`].
    fn registers(&self) -> [u32; 32];

    /// As [`Calls::under_way`].
    fn under_way(&self) -> Option<usize>;

    /// What is where functions leave their results.
    fn result(&self) -> u32;

    /// Where it is to be stopped.
    fn stops(&self) -> Stops;

    /// What calls have taken, by kernel.
    fn tallies(&self) -> &[Tally];
}

/// What a run needs of the calls of a program, whatever the core.
pub type Places<'p> = (&'p [super::calls::Driven], &'p super::program::Program, Bounds);

/// The processor of a chip, for a program: its offloaded functions, and what it may not go beyond.
///
/// # Errors
/// As [`Calls::new`]; [`Status::BadPlatform`] for a core that runs no programs of a chip.
pub fn processor(settings: &ChipSettings, places: Places<'_>) -> Result<Box<dyn Processor>> {
    match settings.core.as_str() {
        "picorv32" => with(PicoRv32::default(), places),
        "vexriscv" => with(VexRiscv::new(STANDARD), places),
        "vexriscv-lite" => with(VexRiscv::new(LITE), places),
        "strongarm" => with(StrongArm::new(settings.strongarm.unwrap_or_default()), places),
        "microblaze" => with(MicroBlaze::new(settings.microblaze.unwrap_or_default()), places),
        other => {
            let message = format!("{}: programs do not run on {other} yet", settings.name);
            Err(Error::new(Status::BadPlatform, message))
        }
    }
}

fn with<C: HasTwin + 'static>(core: C, places: Places<'_>) -> Result<Box<dyn Processor>> {
    let (driven, program, bounds) = places;
    Ok(Box::new(With { core, calls: Calls::new(driven, program, bounds)? }))
}

struct With<C: HasTwin> {
    core: C,
    calls: Calls<C>,
}

impl<C: HasTwin> Processor for With<C> {
    fn run(&mut self, chip: &mut Chip, until: Cycle, watch: &mut Watch) -> Stop {
        self.core.run(chip, until, watch)
    }

    fn run_watched(&mut self, tap: &mut Tap<'_>, until: Cycle, seen: &mut Seen<'_>) -> Stop {
        self.core.run(tap, until, seen)
    }

    fn call(&mut self, chip: &mut Chip) -> Result<()> {
        chip.advance(self.core.cycle());
        let Chip { memory, shells, traffic, .. } = chip;
        let computed = |kernel: usize| shells[kernel].computed();
        let served = self.calls.stopped(&self.core, memory, traffic, computed)?;
        if let (Some(served), Some(timeline)) = (served, &mut chip.timeline) {
            let name = &self.calls.tallies[served.kernel].kernel;
            let Computed { started, ended } = served.computed;
            timeline.add(Track::Call, name, served.entered, served.left);
            timeline.add(Track::Kernel, name, started, ended);
        }
        Ok(())
    }

    fn is_beside(&self) -> bool {
        self.calls.is_beside()
    }

    fn cycle(&self) -> Cycle {
        self.core.cycle()
    }

    fn pc(&self) -> u32 {
        self.core.pc()
    }

    fn registers(&self) -> [u32; 32] {
        self.core.registers()
    }

    fn under_way(&self) -> Option<usize> {
        self.calls.under_way()
    }

    fn result(&self) -> u32 {
        self.core.registers()[C::CONVENTION.result]
    }

    fn stops(&self) -> Stops {
        self.calls.stops()
    }

    fn tallies(&self) -> &[Tally] {
        &self.calls.tallies
    }
}
