// SPDX-License-Identifier: Apache-2.0
//! Calls that a program submits now and waits for later.
//!
//! A call has its values when it is submitted: the C function runs then, and so does the RTL in
//! simulate mode, unless it is stepped with the clock. On the simulated clock it happens when its
//! queue comes to it. What a real device would let go wrong meanwhile (two calls in flight that touch
//! the same bytes, of which one writes) is refused, so that values and time belong together.

use std::ffi::c_void;

use crate::call::mode::Mode;
use crate::call::{Call, Ready, Way};
use crate::error::{Error, Result, Status};
use crate::machine::{QueueId, Submitted};
use crate::model::{EXTENT_TOO_LARGE, EXTENT_UNKNOWN};
use crate::package::{Extent, Parameter};

/// Number of a submitted call, or of calls submitted together.
pub type Event = u64;

/// A call that has its values.
pub struct Called {
    /// The call; its arguments may be gone.
    pub call: Call,
    /// What its scalar arguments were.
    pub scalars: Vec<u64>,
    /// Wall time of the C function.
    pub software_ps: u64,
}

/// What was submitted and not waited for.
pub struct Pending {
    /// On the simulated clock; nothing where the host serves all of it.
    pub submitted: Option<Submitted>,
    /// When that was.
    pub start_ps: u64,
    /// Its calls.
    pub calls: Vec<Called>,
    /// Where.
    pub queue: QueueId,
    /// What they touch of the program's memory.
    pub touches: Vec<Touch>,
}

// SAFETY: the calls' pointers are for the thread that submits; later on they are not followed.
unsafe impl Send for Pending {}

/// Bytes of the program's memory that a call in flight uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Touch {
    /// The parameter's name.
    pub argument: String,
    /// Its first byte.
    pub low: usize,
    /// The first behind it.
    pub high: usize,
    /// Whether the call writes there.
    pub is_written: bool,
}

impl Touch {
    /// Those of a call.
    pub fn of(call: &Call) -> Vec<Self> {
        let rows = call.ready.kernel.manifest.arguments.iter().zip(&call.data).enumerate();
        rows.filter_map(|(index, (parameter, &address))| {
            let bytes = bytes_used(call, index, parameter);
            // Numbers and small arrays went with the call.
            let is_kept = parameter.in_device_memory() || parameter.is_written();
            (is_kept && bytes > 0).then(|| Self {
                argument: parameter.name.clone(),
                low: address as usize,
                high: (address as usize).saturating_add(bytes as usize),
                is_written: parameter.is_written(),
            })
        })
        .collect()
    }

    /// Whether any of it lies there.
    pub fn lies_in(&self, low: usize, high: usize) -> bool {
        self.low < high && low < self.high
    }

    /// Whether two calls may not be in flight at once because of these.
    pub fn meets(&self, other: &Self) -> bool {
        self.lies_in(other.low, other.high) && (self.is_written || other.is_written)
    }
}

/// What is told of a call to be submitted that meets what another event of another queue uses.
pub fn overlaps_event(own: &Touch, event: Event, pending: &Pending) -> Option<Error> {
    let other = pending.touches.iter().find(|other| own.meets(other))?;
    let message = format!(
        "argument {}: it overlaps {}, argument {} of event {event} in queue {}, which nobody has \
         waited for; wait for it first, or submit to its queue",
        own.argument,
        if other.is_written { "what is written" } else { "what is read" },
        other.argument,
        pending.queue
    );
    Some(Error::new(Status::BadArgument, message))
}

/// The same of one that meets another one that is submitted together with it.
pub fn overlaps_call(own: &Touch, call: usize, others: &[Vec<Touch>]) -> Option<Error> {
    let other = others.iter().flatten().find(|other| own.meets(other))?;
    let message = format!(
        "argument {} of call {call} overlaps argument {} of a call submitted together with it, and \
         one is written; submit them one after the other",
        own.argument, other.argument
    );
    Some(Error::new(Status::BadArgument, message))
}

/// That arguments are as large as the call needs them; `bytes` are what the program has of each.
///
/// # Errors
/// [`Status::BadArgument`] with the argument, what was given and what it takes.
pub fn check_sizes(call: &Call, bytes: &[usize]) -> Result<()> {
    let rows = call.ready.kernel.manifest.arguments.iter().zip(bytes).enumerate();
    for (index, (parameter, &given)) in rows {
        let needed = bytes_used(call, index, parameter);
        if needed > given as u64 {
            return Err(too_small(parameter, given, needed));
        }
    }
    Ok(())
}

/// That there is a number where a number is to be, before anybody reads it.
///
/// # Errors
/// [`Status::BadArgument`].
pub fn check_numbers(
    parameters: &[Parameter],
    data: &[*mut c_void],
    bytes: &[usize],
) -> Result<()> {
    for ((parameter, &address), &given) in parameters.iter().zip(data).zip(bytes) {
        if !parameter.is_pointer()
            && (address.is_null() || (given as u64) < parameter.element_bytes)
        {
            return Err(too_small(parameter, given, parameter.element_bytes));
        }
        if address.is_null() && given > 0 {
            let message = format!("argument {}: null pointer", parameter.name);
            return Err(Error::new(Status::BadArgument, message));
        }
    }
    Ok(())
}

/// That arrays are as large as the numbers of the call tell, before anybody follows the call through
/// them: what is proven to be touched, and in native mode whatever is told, as nobody looks ahead.
///
/// # Safety
/// The arguments are those of a call; its numbers are there.
///
/// # Errors
/// As [`check_sizes`].
pub unsafe fn check_extents(ready: &Ready, data: &[*mut c_void], bytes: &[usize]) -> Result<()> {
    let Some(model) = ready.kernel.ahead.as_deref() else { return Ok(()) };
    // SAFETY: the caller's promise.
    let extents = unsafe { model.extents(data) };
    for ((parameter, &given), extent) in
        ready.kernel.manifest.arguments.iter().zip(bytes).zip(extents)
    {
        // What no buffer has is told when the call is looked at.
        let is_proven = parameter.extent == Extent::Exact && extent != EXTENT_TOO_LARGE;
        let is_told = is_proven || ready.mode == Mode::Native;
        if is_told && extent != EXTENT_UNKNOWN && extent > given as u64 {
            return Err(too_small(parameter, given, extent));
        }
    }
    Ok(())
}

fn bytes_used(call: &Call, index: usize, parameter: &Parameter) -> u64 {
    if !parameter.is_pointer() {
        return parameter.element_bytes;
    }
    match &call.way {
        Way::Device(device) => {
            let need = &device.plan.needs[index];
            need.bytes.max(need.touched_bytes())
        }
        // Nobody has looked ahead.
        Way::Native | Way::Host(_) => 0,
    }
}

fn too_small(parameter: &Parameter, given: usize, needed: u64) -> Error {
    let message =
        format!("argument {}: {given} bytes were given, the call uses {needed}", parameter.name);
    Error::new(Status::BadArgument, message)
}
