// SPDX-License-Identifier: Apache-2.0
//! Where the newest content of a program's device memory is: such memory moves when somebody needs
//! it who has not got it, and at no other time.

use std::collections::{BTreeSet, HashMap};

/// Device memory of the program, by its address.
pub type BufferId = usize;

/// What is where.
#[derive(Debug, Default)]
pub struct Residences(HashMap<BufferId, Residence>);

/// Who has the newest content.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Residence {
    host: bool,
    devices: BTreeSet<usize>,
}

/// From where it comes to who needs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// It is there.
    Here,
    /// From the host.
    Host,
    /// From another device.
    Device(usize),
}

impl Residences {
    fn of(&mut self, buffer: BufferId) -> &mut Residence {
        let on_host = || Residence { host: true, devices: BTreeSet::new() };
        self.0.entry(buffer).or_insert_with(on_host)
    }

    /// From where a device gets it; the host is asked first.
    pub fn for_device(&mut self, buffer: BufferId, device: usize) -> Source {
        let residence = self.of(buffer);
        match residence.devices.first() {
            _ if residence.devices.contains(&device) => Source::Here,
            Some(&other) if !residence.host => Source::Device(other),
            _ => Source::Host,
        }
    }

    /// From where the host gets it.
    pub fn for_host(&mut self, buffer: BufferId) -> Source {
        let residence = self.of(buffer);
        match residence.devices.first() {
            Some(&device) if !residence.host => Source::Device(device),
            _ => Source::Here,
        }
    }

    /// A device has it too.
    pub fn came_to(&mut self, buffer: BufferId, device: usize) {
        self.of(buffer).devices.insert(device);
    }

    /// The host has it too.
    pub fn came_back(&mut self, buffer: BufferId) {
        self.of(buffer).host = true;
    }

    /// A device has written it: what others have is old.
    pub fn written_by(&mut self, buffer: BufferId, device: usize) {
        *self.of(buffer) = Residence { host: false, devices: BTreeSet::from([device]) };
    }

    /// The host has.
    pub fn written_by_host(&mut self, buffer: BufferId) {
        self.0.remove(&buffer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Beside a model: a version each, of which the newest is what everybody wants, nobody
        /// gets who has it, and the host gives if it can.
        #[test]
        fn the_newest_is_found(steps in proptest::collection::vec((0usize..4, any::<bool>()), 1..50)) {
            let (mut residences, mut host, mut devices, mut newest) =
                (Residences::default(), 0, [None; 3], 0);
            for (who, writes) in steps {
                let source = match who {
                    3 => residences.for_host(7),
                    device => residences.for_device(7, device),
                };
                let version = match source {
                    Source::Here if who == 3 => Some(host),
                    Source::Here => devices[who],
                    Source::Host => Some(host),
                    Source::Device(other) => devices[other],
                };
                prop_assert_eq!(version, Some(newest));
                let has = if who == 3 { Some(host) } else { devices[who] };
                prop_assert_eq!(source == Source::Here, has == Some(newest));
                prop_assert!(has == Some(newest) || host != newest || source == Source::Host);
                if who == 3 {
                    residences.came_back(7);
                    host = newest;
                } else {
                    residences.came_to(7, who);
                    devices[who] = Some(newest);
                }
                if writes {
                    newest += 1;
                    if who == 3 {
                        residences.written_by_host(7);
                        host = newest;
                    } else {
                        residences.written_by(7, who);
                        devices[who] = Some(newest);
                    }
                }
            }
        }
    }
}
