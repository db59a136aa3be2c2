// SPDX-License-Identifier: Apache-2.0
//! What a call may die of on the simulated clock: what if a device died, or could not be loaded?

use crate::components::device::DeviceSettings;
use crate::error::{Error, Status};

/// Why a call came to no good end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// The device died while it had the call.
    Died {
        /// Which one.
        device: usize,
    },
    /// The kernel could not be loaded.
    NotLoaded {
        /// Into which one.
        device: usize,
    },
    /// The device had died that had the newest content of memory.
    Lost {
        /// Which one.
        device: usize,
    },
    /// All devices have died.
    NoneLeft,
}

impl Failure {
    /// What the program is told; the kernel is that of its calls, if they are some.
    pub fn error(self, devices: &[DeviceSettings], kernel: Option<&str>) -> Error {
        let kernel = kernel.unwrap_or("the program");
        let name = |device: usize| devices.get(device).map_or("", |d| d.name.as_str());
        let others_live = |device: usize| {
            let dies_ps = devices.get(device).and_then(|d| d.dies_ps);
            let mut others = devices.iter().enumerate().filter(|(i, _)| *i != device);
            others.any(|(_, other)| other.dies_ps.is_none_or(|ps| Some(ps) > dies_ps))
        };
        let others = |device: usize| match others_live(device) {
            true => "later calls go to the other devices",
            false => "no other device is left",
        };
        let message = match self {
            Self::Died { device } => format!(
                "{} died in the middle of a call of {kernel}; {}; call again, or run the C function",
                name(device),
                others(device)
            ),
            Self::NotLoaded { device } => format!(
                "{kernel} could not be loaded into {}, which holds nothing now; call again, or run \
                 the C function",
                name(device)
            ),
            Self::Lost { device } => format!(
                "{} has died, and with it the newest content of device memory that {kernel} needs; \
                 begin anew with what it is to start from",
                name(device)
            ),
            Self::NoneLeft => {
                format!("no device is left to run {kernel}; run the C function")
            }
        };
        Error::new(Status::DeviceFailed, message)
    }
}
