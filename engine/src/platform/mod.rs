// SPDX-License-Identifier: Apache-2.0
//! A platform: the numbers of its components, read from a TOML file in which each number names
//! its source (docs/platforms.md).

mod findings;
mod read;
mod schema;

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use crate::error::{Error, Result, Status};

/// A platform, in the engine's units.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Platform {
    /// Slug, as on the command line.
    pub name: String,
    /// One line for people.
    pub title: String,
    /// The host's software layer.
    pub software: Software,
    /// The wires between host and device.
    pub link: Link,
    /// The device's configuration port.
    pub configuration: Configuration,
    /// The device's memory.
    pub memory: Memory,
    /// The device.
    pub device: DeviceSettings,
    /// Source of each number, by "section.key" as in the file.
    pub sources: BTreeMap<String, String>,
}

/// The host's software layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Software {
    /// Each call.
    pub call_time_ps: u64,
    /// Each launch of the kernel.
    pub launch_time_ps: u64,
    /// Copies between the caller's buffers and the link's; none where the link reaches them.
    pub copy_bandwidth_bytes_per_s: Option<u64>,
    /// From the device's end until the program goes on.
    pub wait_time_ps: u64,
}

/// The wires between host and device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Link {
    /// Sustained, host to device.
    pub bandwidth_to_device_bytes_per_s: u64,
    /// Sustained, device to host.
    pub bandwidth_from_device_bytes_per_s: u64,
    /// What the wires could do, if known.
    pub peak_bandwidth_bytes_per_s: Option<u64>,
    /// Fixed cost of each transfer.
    pub transfer_time_ps: u64,
}

/// The device's configuration port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Configuration {
    /// Loading one kernel.
    pub time_ps: u64,
}

/// The device's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Memory {
    /// How many banks.
    pub banks: u64,
    /// Size of each.
    pub bank_size_bytes: u64,
    /// What one bank delivers or takes in a cycle of the device's clock.
    pub width_bytes: u64,
}

/// The device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DeviceSettings {
    /// The clock kernels are built for.
    pub clock_hz: u64,
    /// Its period, rounded to a picosecond.
    pub clock_ps: u64,
    /// Added to each run of a kernel.
    pub launch_cycles: u64,
    /// The family of targets/ whose delays schedule kernels for this platform.
    pub target: String,
}

impl Platform {
    /// Reads a platform file.
    ///
    /// # Errors
    /// [`Status::BadPlatform`] with every finding, one `FILE:LINE: error: ...` a line.
    pub fn load(path: &Path) -> Result<Self> {
        let shown = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(|error| {
            let message = format!(
                "{shown}: error: cannot read the platform file: {error}; give the path of a file \
                 such as platforms/src-6e.toml"
            );
            Error::new(Status::BadPlatform, message)
        })?;
        Self::parse(&shown, &text)
    }

    /// Reads a platform from its text; `path` is shown in findings.
    ///
    /// # Errors
    /// As [`Platform::load`].
    pub fn parse(path: &str, text: &str) -> Result<Self> {
        read::read(text)
            .map_err(|findings| Error::new(Status::BadPlatform, findings.render(path, text)))
    }

    /// The platform as JSON, times in ps, sizes in bytes, rates in bytes a second.
    ///
    /// # Errors
    /// [`Status::Internal`] if it cannot be written down.
    pub fn to_json(&self) -> Result<String> {
        serde_json::to_string_pretty(self)
            .map_err(|error| Error::new(Status::Internal, error.to_string()))
    }
}
