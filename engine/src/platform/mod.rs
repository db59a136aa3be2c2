// SPDX-License-Identifier: Apache-2.0
//! A platform: what its components say, read from a TOML file in which each number names its source
//! (docs/platforms.md).

mod read;

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

pub use crate::components::batch::BatchSettings;
pub use crate::components::configuration::ConfigurationSettings;
pub use crate::components::controller::ControllerSettings;
pub use crate::components::device::DeviceSettings;
pub use crate::components::link::LinkSettings;
pub use crate::components::memory::Memory;
pub use crate::components::software::Software;
use crate::components::transfer::Mode;
pub use crate::components::transfer::TransferSettings;
use crate::error::{Error, Result, Status};
pub use crate::schema::Changes;
use crate::schema::stated::Stated;

/// A platform, in the engine's units.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Platform {
    /// Slug, as on the command line.
    pub name: String,
    /// One line for people.
    pub title: String,
    /// The host's software layer.
    pub software: Software,
    /// Which calls are handed over together.
    pub batch: BatchSettings,
    /// How bytes come and go.
    pub transfer: TransferSettings,
    /// The wires.
    pub links: Vec<LinkSettings>,
    /// The ports through which kernels are loaded.
    pub configurations: Vec<ConfigurationSettings>,
    /// The processor in the device, if there is one.
    pub controller: Option<ControllerSettings>,
    /// The devices' memories.
    pub memories: Vec<Memory>,
    /// The devices.
    pub devices: Vec<DeviceSettings>,
    /// Whether one configuration has all kernels that a program calls.
    pub kernels_together: bool,
    /// Source of each number, by "component.key".
    pub sources: BTreeMap<String, String>,
    /// What it says of components that the machine knows by their stops alone, by kind.
    #[serde(flatten)]
    pub stops: BTreeMap<&'static str, Vec<Stated>>,
}

impl Platform {
    /// Reads a platform file.
    ///
    /// # Errors
    /// [`Status::BadPlatform`] with every finding, one `FILE:LINE: error: ...` a line; a change that
    /// cannot be made is `--set CHANGE: error: ...`.
    pub fn load(path: &Path, changes: Changes<'_>) -> Result<Self> {
        let shown = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(|error| {
            let message = format!(
                "{shown}: error: cannot read the platform file: {error}; give the path of a file \
                 such as platforms/src-6e.toml"
            );
            Error::new(Status::BadPlatform, message)
        })?;
        Self::parse(&shown, &text, changes)
    }

    /// Reads a platform from its text; `path` is shown in findings.
    ///
    /// # Errors
    /// As [`Platform::load`].
    pub fn parse(path: &str, text: &str, changes: Changes<'_>) -> Result<Self> {
        read::read(text, changes)
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

    /// Whether the streams of calls come and go while kernels run, where the host drives these.
    pub fn streams(&self) -> bool {
        self.controller.is_none() && self.transfer.mode != Mode::Buffered
    }

    /// The memory that a call has: whichever device serves it.
    pub fn least_memory(&self) -> Memory {
        let of_devices = self.devices.iter().filter_map(|device| self.memories.get(device.memory));
        of_devices.copied().min_by_key(Memory::capacity_bytes).unwrap_or_default()
    }
}
