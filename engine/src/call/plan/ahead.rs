// SPDX-License-Identifier: Apache-2.0
//! What the models tell of a call before it happens.

use crate::call::declined::Declined;
use crate::call::joined::View;
use crate::error::{Error, Result, Status};
use crate::model::loop_times::{LoopTimes, TOLD};
use crate::model::{CallModel, EXCEEDS, NEVER_ENDS, Part, Reach, Traced, Uses, WAITS};
use crate::package::{LoopFacts, Manifest};

use super::{MAY_OVERLAP, STOPPED};

/// A call's cycles, in all and of each part of the kernel.
#[derive(Debug, Clone)]
pub struct Cycles {
    /// In all.
    pub total: u64,
    /// Those of each loop and, last, of what is in no loop.
    pub parts: Vec<Part>,
    /// Why there are none.
    pub declined: Option<Declined>,
}

/// A call before it happens.
#[derive(Clone, Copy)]
pub struct Ahead<'a> {
    /// The kernel's interface.
    pub manifest: &'a Manifest,
    /// What the compiler knows.
    pub model: &'a dyn CallModel,
    /// The arguments.
    pub view: &'a View,
    /// The pace of each argument's stream.
    pub intervals: &'a [u32],
}

/// What a call would want of the FIFOs between processes.
#[derive(Debug)]
pub struct Wanted {
    /// The least depth of each with which none of them costs a cycle, and the cycles that the call
    /// would then take; nothing of a kernel that polls.
    pub least: Option<(Vec<u32>, u64)>,
    /// How long the parts are in which their use is told.
    pub part_cycles: u64,
    /// Of each FIFO what becomes of it in each part.
    pub uses: Vec<Vec<Uses>>,
}

/// Parts of a call in which the use of FIFOs is told: as many as a chart shows.
pub(super) const PARTS: u32 = 128;

impl Ahead<'_> {
    pub(super) fn parts(&self) -> Vec<Part> {
        vec![Part::default(); self.manifest.loops.len() + 1]
    }

    /// The schedule's cycles; `apart` as for [`CallModel::cycles`].
    ///
    /// # Safety
    /// As for [`CallModel::cycles`].
    ///
    /// # Errors
    /// [`Status::Deadlock`] where the kernel's processes wait for each other.
    pub unsafe fn cycles(&self, extents: &[u64], apart: bool) -> Result<Cycles> {
        let (data, mut parts) = (&self.view.data, self.parts());
        // SAFETY: the caller's promise.
        let total = unsafe { self.model.cycles(data, extents, self.intervals, &mut parts, apart) };
        self.ending(total, parts)
    }

    /// What the call, of so many cycles, would want of the FIFOs between processes; nothing for a
    /// kernel with none.
    ///
    /// # Safety
    /// As for [`CallModel::cycles`].
    pub unsafe fn wanted_of_fifos(&self, extents: &[u64], call_cycles: u64) -> Option<Wanted> {
        let count = self.manifest.fifos.len();
        if count == 0 {
            return None;
        }
        let (data, mut depths) = (&self.view.data, vec![0; count]);
        let part_cycles = call_cycles.div_ceil(PARTS.into()).max(1);
        let mut rows = vec![Uses::default(); count * PARTS as usize];
        // SAFETY: the caller's promise.
        let cycles = unsafe {
            let of_parts = (PARTS, &mut rows[..]);
            self.model.fifo_use(data, extents, self.intervals, part_cycles, of_parts);
            self.model.least_depths(data, extents, self.intervals, &mut depths)
        };
        let least = (cycles != NEVER_ENDS).then_some((depths, cycles));
        let parts = call_cycles.div_ceil(part_cycles) as usize;
        let uses = rows.chunks(PARTS as usize).map(|row| row[..parts].to_vec()).collect();
        Some(Wanted { least, part_cycles, uses })
    }

    /// When its loops are entered and left, if the package tells; `apart` as for
    /// [`CallModel::cycles`].
    ///
    /// # Safety
    /// As for [`CallModel::cycles`].
    pub unsafe fn loops(&self, extents: &[u64], apart: bool) -> Option<LoopTimes> {
        let (data, intervals) = (&self.view.data, self.intervals);
        // SAFETY: the caller's promise.
        let (rows, count) = unsafe { self.model.loops(data, extents, intervals, TOLD, apart)? };
        let kernel = &self.manifest.kernel;
        let name = |row: &LoopFacts| format!("{kernel}, loop at {}:{}", row.file, row.line);
        let names = self.manifest.loops.iter().map(name).collect();
        Some(LoopTimes { more: count - rows.len() as u64, rows, names })
    }

    /// What the C does with each byte.
    ///
    /// # Safety
    /// As for [`CallModel::traced`].
    pub unsafe fn traced(&self) -> Traced {
        match &self.view.runs {
            Some(runs) => Traced::Apart(runs.clone()),
            // SAFETY: the caller's promise.
            None => unsafe { self.model.traced(&self.view.data) },
        }
    }

    pub(super) fn ending(&self, total: u64, parts: Vec<Part>) -> Result<Cycles> {
        let declined = match total {
            STOPPED => Some(MAY_OVERLAP.to_string().into()),
            WAITS => Some(Declined::waits()),
            EXCEEDS => Some(self.model.reason().into()),
            _ => None,
        };
        if total != NEVER_ENDS {
            return Ok(Cycles { total, parts, declined });
        }
        let message = format!(
            "kernel {}: its processes wait for each other: {}; give the streams more room, or take \
             and give records in another order",
            self.manifest.kernel,
            self.model.reason()
        );
        Err(Error::new(Status::Deadlock, message))
    }

    /// The schedule's cycles, and what the call touches of each argument.
    ///
    /// # Safety
    /// As for [`CallModel::cycles`].
    ///
    /// # Errors
    /// As [`Ahead::cycles`].
    pub unsafe fn touched(&self, extents: &[u64], apart: bool) -> Result<(Cycles, Vec<Reach>)> {
        let (data, mut parts) = (&self.view.data, self.parts());
        // SAFETY: the caller's promise.
        let (total, touched) =
            unsafe { self.model.touched(data, extents, self.intervals, &mut parts, apart) };
        Ok((self.ending(total, parts)?, touched))
    }
}
