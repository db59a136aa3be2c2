// SPDX-License-Identifier: Apache-2.0
//! A file of a platform to [`Platform`].

use std::collections::BTreeMap;

use super::{BatchSettings, ControllerSettings, Platform, Software, TransferSettings};
use super::{Changes, ConfigurationSettings, DeviceSettings, LinkSettings, Memory};
use crate::components::{COMPONENTS, KINDS, kernel};
use crate::schema::Kind;
use crate::schema::findings::Findings;
use crate::schema::reader::Described;
use crate::schema::stated::Stated;

/// Reads a platform's text, and changes what it says.
pub fn read(text: &str, changes: Changes<'_>) -> Result<Platform, Findings> {
    let mut read = Described::read(text, changes, KINDS);
    if read.is_toml {
        COMPONENTS.iter().for_each(|component| (component.check)(&mut read));
    }
    let found = read.findings.is_empty().then(|| platform(&read)).flatten();
    found.ok_or(read.findings)
}

/// The platform, or nothing if a required part was not read (then there is a finding).
fn platform(read: &Described) -> Option<Platform> {
    let all = |kind: &str| read.instances[kind].iter();
    let of_kernels = all("kernel").next()?;
    let units = kernel::units(of_kernels)?;
    let device = |said| DeviceSettings::read(said, units);
    Some(Platform {
        name: read.texts.get("name")?.clone(),
        title: read.texts.get("title")?.clone(),
        software: Software::read(all("software").next()?)?,
        batch: BatchSettings::read(all("batch").next()?)?,
        transfer: TransferSettings::read(all("transfer").next()?)?,
        links: all("link").map(LinkSettings::read).collect::<Option<_>>()?,
        configurations: all("configuration")
            .map(ConfigurationSettings::read)
            .collect::<Option<_>>()?,
        controller: all("controller")
            .find(|said| said.has_facts())
            .map(ControllerSettings::read)
            .map_or(Some(None), |read| read.map(Some))?,
        memories: all("memory").map(Memory::read).collect::<Option<_>>()?,
        devices: all("device").map(device).collect::<Option<_>>()?,
        kernels_together: kernel::are_together(of_kernels)?,
        sources: read.sources(),
        stops: stops(read),
    })
}

/// What is said of components that the machine does not know by name.
fn stops(read: &Described) -> BTreeMap<&'static str, Vec<Stated>> {
    let with_stops = COMPONENTS.iter().filter(|component| component.stop.is_some());
    let kinds = with_stops.map(|component| component.kind);
    let all = |kind: &'static Kind| {
        let said = read.instances[kind.name].iter();
        (kind.name, said.filter_map(|said| Stated::read(kind, said)).collect::<Vec<_>>())
    };
    kinds.map(all).filter(|(_, stated)| !stated.is_empty()).collect()
}
