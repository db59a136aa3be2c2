// SPDX-License-Identifier: Apache-2.0
//! The host's software layer: what a call costs in the driver, copies between the caller's buffers
//! and those that the link reaches, and learning that the device is done.

use serde::Serialize;

use super::transfer::Io;
use super::{Component, Station};
use crate::breakdown::Category;
use crate::schema::{Absence, Form, Instance, Kind, RATE, Row, TIME};
use crate::trace::{Recorder, Work};

/// `[software]` of a platform file.
pub const KIND: Kind = Kind {
    name: "software",
    meaning: "the host's software layer",
    is_needed: true,
    may_be_several: false,
    rows: &[
        Row::needed("call_time", TIME, 0, "\"410 us\"", "each call, whatever its size"),
        Row::fact("launch_time", TIME, Absence::Is(0), 0, "\"70 us\"", "each launch of the kernel"),
        Row::fact(
            "copy_bandwidth",
            RATE,
            Absence::Nothing,
            1,
            "\"10 GB/s\"",
            "copies between the caller's buffers and those the link can reach; without it, or with `io = \"direct\"`, \
             there are none",
        ),
        Row::fact(
            "wait_time",
            TIME,
            Absence::Is(0),
            0,
            "\"5 us\"",
            "from the device's end until the program goes on: interrupt or polling",
        ),
        Row::choice(
            "program_time",
            TIME,
            Absence::Is(0),
            0,
            "\"20 us\"",
            "the program's own work before each call, where it is known",
        ),
        Row::choice(
            "program_percent",
            Form::Count,
            Absence::Is(0),
            0,
            "150",
            "the program's own work between its calls counts so many percent of the time that it takes here; \
             without it, none does",
        ),
    ],
};

/// What is known of it here.
pub const COMPONENT: Component = Component::new(&KIND, 10);

/// The software layer in the engine's units.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Software {
    /// Each call.
    pub call_time_ps: u64,
    /// Each launch of the kernel.
    pub launch_time_ps: u64,
    /// Copies between the caller's buffers and the link's; none where the link reaches them.
    pub copy_bandwidth_bytes_per_s: Option<u64>,
    /// From the device's end until the program goes on.
    pub wait_time_ps: u64,
    /// The program's own work before each call.
    pub program_time_ps: u64,
    /// Of the time that the program's own work takes here, what counts.
    pub program_percent: u64,
}

impl Software {
    /// What a file says; nothing if it lacks what is needed.
    pub fn read(said: &Instance) -> Option<Self> {
        Some(Self {
            call_time_ps: said.number("call_time")?,
            launch_time_ps: said.number("launch_time")?,
            copy_bandwidth_bytes_per_s: said.number("copy_bandwidth"),
            wait_time_ps: said.number("wait_time")?,
            program_time_ps: said.number("program_time")?,
            program_percent: said.number("program_percent")?,
        })
    }
}

/// One processor that serves calls in turn.
pub struct SoftwareLayer {
    settings: Software,
    io: Io,
    processor: Station,
}

impl SoftwareLayer {
    /// An idle layer.
    pub fn new(recorder: &Recorder, settings: Software, io: Io) -> Self {
        Self { settings, io, processor: Station::new(recorder, KIND.name, 1) }
    }

    /// What each call costs, the launch of the kernel among it.
    pub async fn call(&self, call: u64) {
        let call_ps = self.settings.call_time_ps.saturating_add(self.settings.launch_time_ps);
        self.processor.serve(call, Work::fixed(Category::Call, call_ps)).await;
    }

    /// A copy of a buffer, where the link does not reach the caller's.
    pub async fn copy(&self, call: u64, bytes: u64) {
        let bytes_per_s = self.settings.copy_bandwidth_bytes_per_s;
        let is_needed = self.io == Io::Buffered && bytes > 0;
        if let Some(bytes_per_s) = bytes_per_s.filter(|_| is_needed) {
            self.processor.serve(call, Work::moving(Category::Copy, bytes, bytes_per_s)).await;
        }
    }

    /// From the device's end until the program goes on. The processor may serve others meanwhile.
    pub async fn wait(&self, call: u64) {
        let work = Work::fixed(Category::Wait, self.settings.wait_time_ps);
        self.processor.pass(call, work).await;
    }
}
