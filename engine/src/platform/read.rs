// SPDX-License-Identifier: Apache-2.0
//! A file of a platform to [`Platform`].

use super::{BatchSettings, ControllerSettings, Platform, Software, TransferSettings};
use super::{Changes, ConfigurationSettings, DeviceSettings, LinkSettings, Memory};
use crate::components::{KINDS, kernel};
use crate::schema::findings::Findings;
use crate::schema::reader::Described;
use crate::schema::{At, Instance};

const PS_PER_S: u64 = 1_000_000_000_000;

/// Reads a platform's text, and changes what it says.
pub fn read(text: &str, changes: Changes<'_>) -> Result<Platform, Findings> {
    let mut read = Described::read(text, changes, KINDS);
    if read.is_toml {
        check_links(&mut read);
        check_batches(&mut read);
        check_devices(&mut read);
    }
    let found = read.findings.is_empty().then(|| platform(&read)).flatten();
    found.ok_or(read.findings)
}

/// A sustained rate above the peak is a slip in one of the two; links lie behind each other, not
/// round in a ring.
fn check_links(read: &mut Described) {
    let links = &read.instances["link"];
    for link in links {
        for key in ["bandwidth_to_device", "bandwidth_from_device"] {
            let (Some(said), Some(peak)) =
                (link.values.get(key), link.values.get("peak_bandwidth"))
            else {
                continue;
            };
            if said.number > peak.number {
                let message =
                    format!("[link] {key} is more than peak_bandwidth; correct one of the two");
                read.findings.add(said.at.beside(peak.at), message);
            }
        }
        let next = |link: &&Instance| links.get(link.number("through")? as usize);
        let way = std::iter::successors(Some(link), next).take(links.len() + 1);
        if way.count() > links.len() {
            let message = format!("[link] {:?} lies behind itself; correct `through`", link.name);
            read.findings.add(At::Text(link.offset), message);
        }
    }
}

/// Where the program waits for each batch, none is ever under way when a call comes: each would be
/// one by itself, and cost all that batches are there to save.
fn check_batches(read: &mut Described) {
    for batch in &read.instances["batch"] {
        let said = |key, number| batch.values.get(key).filter(|said| said.number == number);
        if let (Some(adaptive), Some(ahead)) = (said("adaptive", 1), said("ahead", 0)) {
            let message = "[batch] adaptive hands over what came while a batch was under way, and \
                           the program waits for each; give `ahead`, 1 or more, as well";
            read.findings.add(adaptive.at.beside(ahead.at), message);
        }
    }
}

/// The engine counts whole picoseconds, and looks ahead before it knows which device serves a
/// call.
fn check_devices(read: &mut Described) {
    let devices = &read.instances["device"];
    let width = |device: &Instance| {
        let memory = device.number("memory")? as usize;
        read.instances["memory"].get(memory)?.number("width")
    };
    for device in devices {
        let clock = device.values.get("clock");
        if let Some(said) = clock.filter(|said| said.number > PS_PER_S) {
            let message = "[device] clock is faster than a cycle of 1 ps; correct its unit";
            read.findings.add(said.at, message);
        }
        if width(device) != devices.first().and_then(width) {
            let message = format!(
                "[device] {:?} has a memory of another width than {:?}; give them one width",
                device.name, devices[0].name
            );
            read.findings.add(At::Text(device.offset), message);
        }
    }
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
    })
}
