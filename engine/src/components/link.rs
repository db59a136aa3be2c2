// SPDX-License-Identifier: Apache-2.0
//! The link: moves bytes at one rate each way, a transfer after the other. A link may lie behind
//! another one that it shares with others: those take turns there, a page at a time, so that a wide
//! one carries several narrow ones at once.

use std::pin::Pin;

use serde::Serialize;

use super::{Component, Station};
use crate::breakdown::Category;
use crate::schema::reader::Described;
use crate::schema::{Absence, At, Form, Instance, Kind, RATE, Row, SIZE, TIME};
use crate::simulation::{Clock, all};
use crate::trace::{Recorder, Work};

/// The words of `duplex`.
const DUPLEX: &[&str] = &["half", "full"];

/// `[link]` of a platform file.
pub const KIND: Kind = Kind {
    name: "link",
    meaning: "the wires between host and device",
    is_needed: true,
    may_be_several: true,
    rows: &[
        Row::short(
            "bandwidth",
            &["bandwidth_to_device", "bandwidth_from_device"],
            RATE,
            1,
            "\"800 MB/s\"",
            "both of the two below",
        ),
        Row::needed("bandwidth_to_device", RATE, 1, "\"800 MB/s\"", "sustained, host to device"),
        Row::needed("bandwidth_from_device", RATE, 1, "\"800 MB/s\"", "sustained, device to host"),
        Row::fact(
            "peak_bandwidth",
            RATE,
            Absence::Nothing,
            1,
            "\"1 GB/s\"",
            "what the wires could do; the sustained rates may not exceed it",
        ),
        Row::needed("transfer_time", TIME, 0, "\"10 us\"", "fixed cost of each transfer"),
        Row::fact(
            "burst",
            SIZE,
            Absence::Nothing,
            1,
            "\"128 B\"",
            "what one transaction moves at most",
        ),
        Row::fact(
            "transaction_time",
            TIME,
            Absence::Is(0),
            0,
            "\"40 ns\"",
            "what each transaction costs beside its bytes, where `burst` is given",
        ),
        Row::fact(
            "register_time",
            TIME,
            Absence::Nothing,
            0,
            "\"160 ns\"",
            "each 4 bytes of the arguments and results that go by value, which the processor writes and reads \
             in registers; without it, they take what their bytes take at the rates above",
        ),
        Row::choice(
            "duplex",
            Form::Choice(DUPLEX),
            Absence::Is(0),
            0,
            "\"full\"",
            "`half`: one transfer at a time; `full`: one each way",
        ),
        Row::choice(
            "through",
            Form::Name("link"),
            Absence::Nothing,
            0,
            "\"hub\"",
            "the link, shared with others, that lies between this one and the host",
        ),
    ],
};

/// What is known of it here.
pub const COMPONENT: Component = Component { check, ..Component::new(&KIND, 40) };

/// A sustained rate above the peak is a slip in one of the two; links lie behind each other, not
/// round in a ring.
fn check(read: &mut Described) {
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

/// A link in the engine's units.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct LinkSettings {
    /// Its name in the trace.
    pub name: String,
    /// Sustained, host to device.
    pub bandwidth_to_device_bytes_per_s: u64,
    /// Sustained, device to host.
    pub bandwidth_from_device_bytes_per_s: u64,
    /// What the wires could do, if known.
    pub peak_bandwidth_bytes_per_s: Option<u64>,
    /// Fixed cost of each transfer.
    pub transfer_time_ps: u64,
    /// What one transaction moves at most, where that matters.
    pub burst_bytes: Option<u64>,
    /// What each transaction costs beside its bytes.
    pub transaction_time_ps: u64,
    /// Each [`REGISTER_BYTES`] of what goes by value, where they do not take their time as bytes.
    pub register_time_ps: Option<u64>,
    /// Whether the two ways do not disturb each other.
    pub is_full_duplex: bool,
    /// The link behind which it lies.
    pub through: Option<usize>,
}

impl LinkSettings {
    /// What a file says; nothing if it lacks what is needed.
    pub fn read(said: &Instance) -> Option<Self> {
        Some(Self {
            name: said.name.clone(),
            bandwidth_to_device_bytes_per_s: said.number("bandwidth_to_device")?,
            bandwidth_from_device_bytes_per_s: said.number("bandwidth_from_device")?,
            peak_bandwidth_bytes_per_s: said.number("peak_bandwidth"),
            transfer_time_ps: said.number("transfer_time")?,
            burst_bytes: said.number("burst"),
            transaction_time_ps: said.number("transaction_time")?,
            register_time_ps: said.number("register_time"),
            is_full_duplex: said.number("duplex")? == 1,
            through: said.number("through").map(|index| index as usize),
        })
    }

    /// How long values of so many bytes in all have the wires.
    fn values_ps(&self, direction: Direction, bytes: u64) -> u64 {
        match self.register_time_ps {
            Some(ps) => bytes.div_ceil(REGISTER_BYTES).saturating_mul(ps),
            None => self.transfer_ps(direction, bytes),
        }
    }

    /// How long a transfer has the wires.
    pub fn transfer_ps(&self, direction: Direction, bytes: u64) -> u64 {
        let bytes_per_s = match direction {
            Direction::In => self.bandwidth_to_device_bytes_per_s,
            Direction::Out => self.bandwidth_from_device_bytes_per_s,
        };
        let transactions = self.burst_bytes.map_or(0, |burst| bytes.div_ceil(burst));
        crate::trace::transfer_ps(bytes, bytes_per_s)
            .saturating_add(transactions.saturating_mul(self.transaction_time_ps))
    }
}

/// What a register holds.
const REGISTER_BYTES: u64 = 4;

/// The way of a transfer, as the host sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Host to device.
    In,
    /// Device to host.
    Out,
}

impl Direction {
    /// What the time of such a transfer is booked on.
    pub fn category(self) -> Category {
        match self {
            Self::In => Category::TransferIn,
            Self::Out => Category::TransferOut,
        }
    }
}

/// What is moved at a time over a link that others lie behind: a page.
const TURN_BYTES: u64 = 4096;

/// The wires.
pub struct Link {
    settings: LinkSettings,
    /// Whether other links lie behind it.
    is_shared: bool,
    /// One for both ways, or one each way.
    wires: Vec<Station>,
}

impl Link {
    /// An idle link; others may lie behind it.
    pub fn new(recorder: &Recorder, settings: LinkSettings, is_shared: bool) -> Self {
        let name = &settings.name;
        let wires = match settings.is_full_duplex {
            false => vec![Station::new(recorder, name, 1)],
            true => {
                ["in", "out"].map(|way| Station::new(recorder, &format!("{name}.{way}"), 1)).into()
            }
        };
        Self { settings, is_shared, wires }
    }

    /// Moves what goes by value, of calls that are handed over together.
    pub async fn values(&self, call: u64, direction: Direction, bytes: u64) {
        let duration_ps = self.settings.values_ps(direction, bytes);
        let work = Work { bytes, ..Work::fixed(Category::Call, duration_ps) };
        self.wires(direction).serve(call, work).await;
    }

    fn wires(&self, direction: Direction) -> &Station {
        match direction {
            Direction::Out => self.wires.last(),
            Direction::In => self.wires.first(),
        }
        .unwrap_or_else(|| unreachable!("a link has wires"))
    }
}

/// A link, and which way it is used.
pub type Leg<'a> = (&'a Link, Direction);

/// Moves bytes over links that lie behind each other, a device's own first; of two devices, those of
/// one before those of the other, always in the same order: so nobody waits for who waits for him.
/// Links that are shared are there for others too meanwhile. `held_ps`: how long the others stand
/// still. The time is booked on the first one's direction.
pub async fn transfer(legs: &[Leg<'_>], call: u64, bytes: u64, held_ps: u64) {
    let Some((_, direction)) = legs.first() else { return };
    let of_all = legs.iter().map(|(link, way)| link.settings.transfer_ps(*way, bytes)).max();
    let duration_ps = of_all.unwrap_or(0).saturating_add(held_ps);
    let work = Work { category: direction.category(), duration_ps, fixed_ps: 0, bytes };
    match legs {
        [(link, way)] if !link.is_shared => link.wires(*way).serve(call, work).await,
        _ => share(legs, call, work, held_ps).await,
    }
}

/// The same page by page: each page has crossed when it has crossed every link, and a link that is
/// shared is somebody else's as soon as it has.
async fn share(legs: &[Leg<'_>], call: u64, work: Work, held_ps: u64) {
    let [(first, _), ..] = legs else { return };
    let clock = first.wires[0].clock();
    let (shared, own): (Vec<Leg<'_>>, Vec<_>) = legs.iter().partition(|(link, _)| link.is_shared);
    let mut places = Vec::with_capacity(own.len());
    for (link, way) in &own {
        places.push(link.wires(*way).place().await);
    }
    let _busy: Vec<_> = legs.iter().map(|(link, way)| link.wires(*way).begin(call, work)).collect();
    let turn_bytes = if shared.is_empty() { work.bytes } else { TURN_BYTES };
    let mut moved = 0;
    while moved < work.bytes {
        let page = (moved, work.bytes.min(moved.saturating_add(turn_bytes)));
        let own_ps = own.iter().map(|leg| page_ps(*leg, page)).max().unwrap_or(0);
        let crossed_ps = clock.now_ps().saturating_add(own_ps);
        if let [leg] = shared[..] {
            cross(clock, leg, page).await;
        } else {
            let mut crossing: Vec<Pin<Box<dyn Future<Output = ()> + '_>>> = Vec::new();
            for &leg in &shared {
                crossing.push(Box::pin(cross(clock, leg, page)));
            }
            all(crossing).await;
        }
        clock.sleep_until(crossed_ps).await;
        moved = page.1;
    }
    clock.sleep(held_ps).await;
}

/// A page crosses a link that is shared.
async fn cross(clock: &Clock, leg: Leg<'_>, page: (u64, u64)) {
    let _turn = leg.0.wires(leg.1).place().await;
    clock.sleep(page_ps(leg, page)).await;
}

/// How long the bytes between two places of a transfer take on a link: all of them together as long
/// as the transfer.
fn page_ps((link, way): Leg<'_>, (from, to): (u64, u64)) -> u64 {
    let until_ps = |bytes| link.settings.transfer_ps(way, bytes);
    until_ps(to) - until_ps(from)
}
