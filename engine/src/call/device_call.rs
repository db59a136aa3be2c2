// SPDX-License-Identifier: Apache-2.0
//! The part of a call that the device has.

use std::ffi::c_void;
use std::ops::Range;
use std::sync::Arc;

use crate::call::contents::Print;
use crate::call::execute::{Expected, HardwareCall, Memories, Recorded, Simulated};
use crate::call::joined::View;
use crate::call::plan::{Plan, Wanted};
use crate::course::{Course, Gates};
use crate::error::Result;
use crate::job::ended::Ended;
use crate::job::stepping::{Given, Stepped, Stepping};
use crate::model::loop_times::LoopTimes;
use crate::model::{Part, Reach};
use crate::recording::Record;

use super::{Ready, no_model};

/// A call on the simulated device.
pub struct DeviceCall {
    /// What it needs.
    pub plan: Arc<Plan>,
    /// The schedule's cycles.
    pub cycles: u64,
    /// Those of each loop and, last, of what is in no loop.
    pub parts: Vec<Part>,
    /// The arguments as the device has them.
    pub view: View,
    /// Where the arguments are on the device, in simulate mode.
    pub(super) loaded: Option<Vec<*mut c_void>>,
    /// The arguments that stay in the device's memory between calls.
    pub stays: Vec<usize>,
    /// What it is given, of some arguments.
    pub given: Vec<(usize, Print)>,
    /// What it has computed, once it has.
    pub left: Vec<(usize, Print)>,
    /// How it went on the simulated clock.
    pub ended: Option<Ended>,
    /// The RTL, where it is stepped with the clock.
    pub(super) stepping: Option<Stepping>,
    /// What the RTL did, in simulate mode.
    pub simulated: Option<Simulated>,
    /// What it would want of the FIFOs between processes, in simulate mode.
    pub wanted: Option<Wanted>,
    /// When its loops are entered and left, if somebody wants to know.
    pub loops: Option<Arc<LoopTimes>>,
    /// Its number in the recording, if there is one.
    pub(super) record: Option<Record>,
    pub(super) memories: Memories,
}

impl DeviceCall {
    /// The kernel's cycles, waiting for records among them.
    pub fn cycles_taken(&self) -> u64 {
        self.ended.as_ref().map_or(self.cycles, |ended| ended.cycles)
    }

    /// What the RTL does in this call: it has been on the clock, or goes through it now.
    ///
    /// # Safety
    /// As for [`Call::after`].
    pub(super) unsafe fn simulate(&mut self, ready: &Ready) -> Result<Stepped> {
        if let Some(stepping) = self.stepping.take() {
            let (memories, stepped) = stepping.end()?;
            self.memories = memories;
            return stepped;
        }
        let recording = self.recorded(ready);
        let kernel = &*ready.kernel;
        let rtl = kernel.rtl.as_deref().ok_or_else(no_model)?;
        let (open, scheduled_cycles) = (Gates::default(), self.cycles_taken());
        let call = HardwareCall {
            manifest: &kernel.manifest,
            data: self.loaded.as_deref().unwrap_or_default(),
            bytes: &self.bytes(),
            intervals: &ready.intervals,
            predicted_cycles: scheduled_cycles,
            show_progress: ready.show_progress,
            recording,
        };
        let gates = self.ended.as_ref().map_or(&open, |ended| &ended.gates);
        // SAFETY: the caller's promise.
        let simulated = unsafe { call.simulate(rtl, &mut self.memories, gates)? };
        Ok(Stepped { simulated, scheduled_cycles })
    }

    /// Makes the hardware ready to be stepped with the clock.
    ///
    /// # Safety
    /// As for [`Call::after`].
    ///
    /// # Errors
    /// [`Status::TooLarge`] if the host has not enough memory.
    pub(super) unsafe fn set_out(&mut self, ready: &Ready) -> Result<()> {
        let Some(data) = self.loaded.clone() else { return Ok(()) };
        let manifest = &ready.kernel.manifest;
        // SAFETY: the caller's promise.
        let keep = || unsafe { Expected::new(manifest, &self.view.data, &self.plan) };
        let expected = ready.goes_on.then(keep).transpose()?;
        let given = Given {
            kernel: Arc::clone(&ready.kernel),
            data,
            bytes: self.bytes(),
            intervals: Arc::clone(&ready.intervals),
            predicted_cycles: self.cycles,
            show_progress: ready.show_progress,
            recording: self.recorded(ready),
            memories: std::mem::take(&mut self.memories),
            expected,
        };
        self.stepping = Some(Stepping::new(given));
        Ok(())
    }

    /// As what it is recorded, if it is.
    pub fn recorded(&mut self, ready: &Ready) -> Option<Recorded> {
        let recording = Arc::clone(ready.recording.as_ref()?);
        let record = *self.record.get_or_insert_with(|| recording.number());
        Some(Recorded { recording, record, kernel: ready.index })
    }

    /// The hardware, if it is to be stepped with the clock.
    pub fn to_step(&self) -> Option<Stepping> {
        self.stepping.clone()
    }

    /// Those of each argument in the device's memory.
    pub(super) fn bytes(&self) -> Vec<u64> {
        self.plan.needs.iter().map(|need| need.bytes).collect()
    }

    /// The run of the kernel in time, where records may come and go meanwhile.
    pub fn course(&self, ready: &Ready) -> Option<Course> {
        Course::new(&ready.kernel.manifest, &self.parts, &ready.intervals)
    }

    /// Where in the program's memory a call touches an array; one that is made of others in pieces.
    pub fn ranges(&self, argument: usize, data: &[*mut c_void]) -> Vec<Range<usize>> {
        self.view.pieces(argument).unwrap_or_else(|| {
            let Reach { low, high } = self.plan.needs[argument].touched;
            let place = |at: i64| (data[argument] as usize).wrapping_add_signed(at as isize);
            let own = place(low)..place(high);
            vec![own]
        })
    }

    /// Gives the device's memory back.
    pub fn into_memories(self) -> Memories {
        self.memories
    }
}
