// SPDX-License-Identifier: Apache-2.0
//! The processor of a chip: a core of any kind, and the calls of functions that it has under way.
//! Which kind, is chosen once: from there on a run knows its core's type.

use super::Chip;
use super::alongside::{Alongside, Followed};
use super::calls::{Bounds, Calls, Stops};
use super::settings::ChipSettings;
use super::shell::Computed;
use super::tally::Tally;
use super::tap::{Seen, Tap};
use super::timeline::Track;
use super::watch::Watch;
use crate::cores::microblaze::MicroBlaze;
use crate::cores::picorv32::PicoRv32;
use crate::cores::rtl::RtlCore;
use crate::cores::strongarm::StrongArm;
use crate::cores::vexriscv::{LITE, STANDARD, VexRiscv};
use crate::cores::{Cycle, HasTwin, Observer, Ports, Stop};
use crate::error::{Error, Result, Status};

/// A core with its calls.
pub trait Processor {
    /// As [`crate::cores::Core::run`].
    ///
    /// # Errors
    /// [`Status::WrongCycles`] where the core's RTL, if it runs alongside, does something else.
    fn run(&mut self, chip: &mut Chip, until: Cycle, watch: &mut Watch) -> Result<Stop>;

    /// The same with who looks at all that the core does.
    ///
    /// # Errors
    /// The same.
    fn run_watched(&mut self, tap: &mut Tap<'_>, until: Cycle, seen: &mut Seen<'_>)
    -> Result<Stop>;

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

    /// What the core's RTL has done, if it runs alongside.
    fn followed(&self) -> Option<Followed>;

    /// Lets the core's RTL come as far as the core, which goes no further.
    ///
    /// # Errors
    /// As [`Self::run`].
    fn catch_up(&mut self, chip: &mut Chip) -> Result<()>;
}

/// What a run needs of the calls of a program, whatever the core.
pub type Places<'p> = (&'p [super::calls::Driven], &'p super::program::Program, Bounds);

/// The processor of a chip, for a program: its offloaded functions, and what it may not go beyond.
/// `rtl`: its core, to run alongside.
///
/// # Errors
/// As [`Calls::new`]; [`Status::BadPlatform`] for a core that runs no programs of a chip.
pub fn processor(
    settings: &ChipSettings,
    places: Places<'_>,
    rtl: Option<RtlCore>,
) -> Result<Box<dyn Processor>> {
    let (strongarm, microblaze) = (settings.strongarm, settings.microblaze);
    match settings.core.as_str() {
        "picorv32" => with(PicoRv32::default(), places, rtl),
        "vexriscv" => with(VexRiscv::new(STANDARD), places, rtl),
        "vexriscv-lite" => with(VexRiscv::new(LITE), places, rtl),
        "strongarm" => with(StrongArm::new(strongarm.unwrap_or_default()), places, rtl),
        "microblaze" => with(MicroBlaze::new(microblaze.unwrap_or_default()), places, rtl),
        other => {
            let message = format!("{}: programs do not run on {other} yet", settings.name);
            Err(Error::new(Status::BadPlatform, message))
        }
    }
}

fn with<C: HasTwin + 'static>(
    core: C,
    (driven, program, bounds): Places<'_>,
    rtl: Option<RtlCore>,
) -> Result<Box<dyn Processor>> {
    let calls = Calls::new(driven, program, bounds)?;
    Ok(Box::new(With { core, calls, alongside: rtl.map(Alongside::new) }))
}

struct With<C: HasTwin> {
    core: C,
    calls: Calls<C>,
    alongside: Option<Alongside>,
}

/// Cycles after which the RTL comes after the model, so that little is kept for it.
const TURN_CYCLES: Cycle = 1 << 14;

impl<C: HasTwin> With<C> {
    /// Lets the core go on, and its RTL come after it.
    fn go_on<P: Ports, O: Observer>(
        &mut self,
        ports: &mut P,
        until: Cycle,
        observer: &mut O,
    ) -> Result<Stop> {
        let Self { core, alongside, .. } = self;
        let Some(rtl) = alongside else { return Ok(core.run(ports, until, observer)) };
        loop {
            let turn = until.min(core.cycle().saturating_add(TURN_CYCLES));
            let (mut recorder, mut both) = rtl.watching(ports, observer);
            let stop = core.run(&mut recorder, turn, &mut both);
            let end = if let Stop::Trapped(trap) = stop { Some(trap) } else { None };
            rtl.follow(ports, end)?;
            if stop != Stop::Reached || turn == until {
                return Ok(stop);
            }
        }
    }
}

impl<C: HasTwin> Processor for With<C> {
    fn run(&mut self, chip: &mut Chip, until: Cycle, watch: &mut Watch) -> Result<Stop> {
        self.go_on(chip, until, watch)
    }

    fn run_watched(
        &mut self,
        tap: &mut Tap<'_>,
        until: Cycle,
        seen: &mut Seen<'_>,
    ) -> Result<Stop> {
        self.go_on(tap, until, seen)
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

    fn followed(&self) -> Option<Followed> {
        self.alongside.as_ref().map(Alongside::followed)
    }

    fn catch_up(&mut self, chip: &mut Chip) -> Result<()> {
        self.alongside.as_mut().map_or(Ok(()), |rtl| rtl.catch_up(chip))
    }
}
