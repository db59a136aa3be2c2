// SPDX-License-Identifier: Apache-2.0
//! How calls are served, and what tells the time to hardware.

use crate::error::{Error, Result, Status};

/// How kernels run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// The C function, on the host.
    Native,
    /// The C function for values, the schedule for cycles, on the simulated platform.
    Emulate,
    /// The RTL, checked against the C function and the schedule, on the simulated platform.
    Simulate,
}

impl Mode {
    const ALL: [Self; 3] = [Self::Native, Self::Emulate, Self::Simulate];

    /// As in `TANDEM_MODE`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Emulate => "emulate",
            Self::Simulate => "simulate",
        }
    }

    /// By its name.
    ///
    /// # Errors
    /// [`Status::BadArgument`] that lists the known ones.
    pub fn parse(text: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|mode| mode.name() == text).ok_or_else(|| {
            let message = format!("the mode is \"{text}\"; expected native, emulate or simulate");
            Error::new(Status::BadArgument, message)
        })
    }
}

/// What tells the time to hardware that is simulated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum HardwareClock {
    /// The schedule's cycles; the hardware then runs alone, and has to take as many.
    #[default]
    Scheduled,
    /// The edges of its own clock, beside all that is around it.
    Stepped,
}

impl HardwareClock {
    const ALL: [Self; 2] = [Self::Scheduled, Self::Stepped];

    /// As in `TANDEM_CLOCK`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Scheduled => "scheduled",
            Self::Stepped => "stepped",
        }
    }

    /// By its name.
    ///
    /// # Errors
    /// [`Status::BadArgument`] that lists the known ones.
    pub fn parse(text: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|clock| clock.name() == text).ok_or_else(|| {
            let message = format!("the clock is \"{text}\"; expected scheduled or stepped");
            Error::new(Status::BadArgument, message)
        })
    }
}
