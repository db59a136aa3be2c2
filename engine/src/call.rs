// SPDX-License-Identifier: Apache-2.0
//! One call on its way. The C function itself runs in the program, on the program's own buffers, in
//! every mode; before it the engine looks ahead and lets the hardware run on copies, after it the
//! engine compares and books. No lock is held while any of that happens.

pub mod buffers;
pub(crate) mod contents;
pub mod declined;
mod device_call;
pub mod execute;
pub mod joined;
pub mod look;
pub(crate) mod made;
pub mod mode;
pub mod plan;
mod ready;
pub(crate) mod sampling;
pub mod software;
pub(crate) mod under_way;

use std::ffi::c_void;
use std::ops::Range;
use std::sync::Arc;

use crate::call::contents::prints;
use crate::call::declined::Declined;
use crate::call::execute::{Memories, check, check_cycles};
use crate::call::joined::View;
use crate::call::look::Closely;
use crate::call::mode::Mode;
use crate::call::plan::{Ahead, Cycles, Plan};
use crate::call::sampling::Written;
use crate::call::software::LONG_CYCLES;
use crate::course::Course;
use crate::error::Result;
use crate::host::rounding;
use crate::job::stepping::Stepped;
use crate::model::{Answers, Part};
use crate::package::{Parameter, spread};

pub use device_call::DeviceCall;
pub use ready::{Kernel, KernelIndex, Ready, no_model};

/// A call under way.
pub struct Call {
    /// What it runs on.
    pub ready: Ready,
    /// Addresses of its arguments.
    pub data: Vec<*mut c_void>,
    /// Who serves it.
    pub way: Way,
    /// What its polls answer in hardware.
    pub answers: Answers,
}

/// Who serves a call.
pub enum Way {
    /// The C function alone, which is what native mode asks for.
    Native,
    /// The C function alone, because the device cannot.
    Host(Declined),
    /// The simulated device.
    Device(Box<DeviceCall>),
}

impl Call {
    /// Everything that happens before the C function runs. The program's memory is only looked at.
    ///
    /// # Safety
    /// `data` are the addresses of the arguments of a call that the C function may be given.
    ///
    /// # Errors
    /// Those of [`Plan::new`]; [`crate::error::Status::TooLarge`] if the buffers do not fit the device's
    /// memory.
    pub unsafe fn before(ready: Ready, data: &[*mut c_void], memories: Memories) -> Result<Self> {
        ready.kernel.manifest.check_count(data.len())?;
        // SAFETY: the caller's promise.
        let (way, answers) = match ready.mode {
            Mode::Native => (Way::Native, unsafe { answers(&ready, data)? }),
            _ => unsafe { way(&ready, data, memories)? },
        };
        Ok(Self { ready, data: data.to_vec(), way, answers })
    }

    /// After the C function has run: whether another part of the program, or of the system, has
    /// changed meanwhile what the hardware is given as it was before. The call is then the C's alone.
    /// Hardware that is to be stepped with the clock is ready for it then.
    ///
    /// # Safety
    /// The C function has run on the arguments given to [`Call::before`].
    ///
    /// # Errors
    /// [`crate::error::Status::TooLarge`] if the host has not enough memory.
    pub unsafe fn look_back(&mut self) -> Result<()> {
        let Way::Device(device) = &mut self.way else { return Ok(()) };
        // SAFETY: the caller's promise.
        unsafe {
            device.view.returned();
            device.view.gather(|_| true)?;
        }
        let Some(loaded) = &device.loaded else { return Ok(()) };
        let manifest = &self.ready.kernel.manifest;
        // SAFETY: the caller's promise; what was loaded is as long as the plan says.
        let changed = unsafe { device.plan.changed(manifest, &device.view, loaded) };
        if let Some(declined) = changed {
            self.way = Way::Host(declined);
            return Ok(());
        }
        if self.ready.is_stepped {
            // SAFETY: the caller's promise.
            unsafe { device.set_out(&self.ready)? };
        }
        Ok(())
    }

    /// After the C function has run, and the call has been on the simulated clock: lets the RTL run in
    /// simulate mode, and compares what it did with what the C did.
    ///
    /// # Safety
    /// [`Call::look_back`] has looked since.
    ///
    /// # Errors
    /// Those of [`execute::HardwareCall::simulate`]; [`crate::error::Status::WrongResult`] and
    /// [`crate::error::Status::WrongCycles`].
    pub unsafe fn after(&mut self) -> Result<()> {
        let Way::Device(device) = &mut self.way else { return Ok(()) };
        let arguments = &self.ready.kernel.manifest.arguments;
        // SAFETY: the caller's promise.
        let data = &device.view.data;
        // SAFETY: the caller's promise.
        device.left = unsafe { prints(arguments, &device.plan, data, Parameter::is_written) };
        // What is stepped while the program goes on is compared when it has come to its end.
        if device.loaded.is_none() || device.stepping.is_some() && self.ready.goes_on {
            return Ok(());
        }
        // SAFETY: the caller's promise; the arguments were loaded before it.
        let Stepped { simulated, scheduled_cycles } = unsafe { device.simulate(&self.ready)? };
        let manifest = &self.ready.kernel.manifest;
        // SAFETY: as above.
        unsafe { check(manifest, &device.view.data, &device.plan, &device.memories)? };
        device.simulated = Some(simulated);
        check_cycles(manifest, scheduled_cycles, simulated.cycles)
    }

    /// Makes the results wrong, where the device would: whoever checks them shall find out.
    ///
    /// # Safety
    /// The arguments are still there.
    pub unsafe fn spoil(&self) {
        let Way::Device(device) = &self.way else { return };
        let rows = self.ready.kernel.manifest.arguments.iter().zip(&device.plan.needs);
        for (index, (parameter, need)) in rows.enumerate() {
            let address = device.view.start(index, &self.data);
            let is_there = need.bytes > 0 && !address.is_null();
            if parameter.in_device_memory() && parameter.is_written() && is_there {
                // SAFETY: the call has written there.
                unsafe { *address.cast::<u8>() ^= 1 };
            }
        }
    }

    /// What its C function writes, as far as is known before; None where running it again is not the
    /// same, or takes too long for that.
    pub fn rewritten(&self) -> Option<Vec<Written>> {
        let manifest = &self.ready.kernel.manifest;
        let rows = manifest.arguments.iter().zip(&self.data);
        let written = rows.enumerate().filter(|(_, (p, _))| p.is_pointer() && p.is_written());
        match &self.way {
            _ if manifest.prints || manifest.has_made() || manifest.kernel == "main" => None,
            Way::Host(_) => None,
            Way::Native => {
                let mut written = written;
                (!written.any(|(_, (parameter, _))| parameter.reads)).then(Vec::new)
            }
            Way::Device(device) if device.cycles > LONG_CYCLES => None,
            Way::Device(device) => {
                let row = |range: Range<usize>| Written {
                    address: range.start as *mut c_void,
                    bytes: range.len(),
                };
                let ranges = written.flat_map(|(index, _)| device.ranges(index, &self.data));
                Some(ranges.map(row).collect())
            }
        }
    }

    /// The kernel's cycles, as far as they are known before it runs; 0 where they are not.
    pub fn cycles(&self) -> u64 {
        match &self.way {
            Way::Device(device) => device.cycles,
            Way::Native | Way::Host(_) => 0,
        }
    }

    /// The kernel's name.
    pub fn kernel_name(&self) -> &str {
        &self.ready.kernel.manifest.kernel
    }

    /// The values of the scalar arguments, in the manifest's order; 0 for the others.
    ///
    /// # Safety
    /// The arguments are still there.
    pub unsafe fn scalars(&self) -> Vec<u64> {
        let rows = self.ready.kernel.manifest.arguments.iter().zip(&self.data);
        // SAFETY: the caller's promise.
        rows.map(|(parameter, &address)| unsafe { parameter.scalar(address) }).collect()
    }
}

/// What polls answer where no hardware is asked for: the program shall see the same.
///
/// # Safety
/// As for [`Call::before`].
unsafe fn answers(ready: &Ready, data: &[*mut c_void]) -> Result<Answers> {
    if !ready.kernel.manifest.polls {
        return Ok(Answers::default());
    }
    // SAFETY: the caller's promise.
    unsafe { way(ready, data, Memories::default()).map(|(_, answers)| answers) }
}

/// Who serves a call, and what its polls answer.
///
/// # Safety
/// As for [`Call::before`].
unsafe fn way(ready: &Ready, data: &[*mut c_void], memories: Memories) -> Result<(Way, Answers)> {
    // SAFETY: the caller's promise.
    let way = unsafe { served(ready, data, memories)? };
    let answers = match (&way, &ready.kernel.ahead) {
        (Way::Device(_), Some(model)) if ready.kernel.manifest.polls => model.answers(),
        _ => Answers::default(),
    };
    Ok((way, answers))
}

/// # Safety
/// As for [`Call::before`].
unsafe fn served(ready: &Ready, data: &[*mut c_void], mut memories: Memories) -> Result<Way> {
    let kernel = &*ready.kernel;
    if kernel.manifest.has_floats && !rounding::is_default() {
        return Ok(Way::Host(Declined::rounds_otherwise()));
    }
    // SAFETY: the caller's promise.
    if let Some((parameter, most, value)) = unsafe { kernel.manifest.beyond(data) } {
        return Ok(Way::Host(Declined::beyond(parameter, most, value)));
    }
    let model = kernel.ahead.as_deref().ok_or_else(no_model)?;
    // SAFETY: the caller's promise.
    let mut view = match unsafe { View::new(&kernel.manifest, model, data)? } {
        Ok(view) => view,
        Err(declined) => return Ok(Way::Host(declined)),
    };
    // SAFETY: the caller's promise.
    unsafe { view.gather(|run| run.reads)? };
    let ahead =
        Ahead { manifest: &kernel.manifest, model, view: &view, intervals: &ready.intervals };
    // SAFETY: the caller's promise.
    let (plan, cycles) = match unsafe { fitting(ready, ahead)? } {
        Ok(found) => found,
        Err(declined) => return Ok(Way::Host(declined)),
    };
    check_fit(ready, &plan, &cycles.parts)?;
    let Cycles { total: cycles, parts, .. } = cycles;
    let (mut loaded, mut wanted) = (None, None);
    // SAFETY: the caller's promise.
    let loops = unsafe { ahead.loops(&plan.extents, plan.shares_bytes) }.map(Arc::new);
    if ready.mode == Mode::Simulate {
        // SAFETY: the caller's promise.
        unsafe {
            wanted = ahead.wanted_of_fifos(&plan.extents, cycles);
            loaded = Some(memories.load(&kernel.manifest, &view.data, &plan)?);
        }
    }
    // SAFETY: the caller's promise.
    let given =
        unsafe { prints(&kernel.manifest.arguments, &plan, &view.data, Parameter::is_read) };
    Ok(Way::Device(Box::new(DeviceCall {
        plan: Arc::new(plan),
        cycles,
        parts,
        view,
        loaded,
        stays: Vec::new(),
        given,
        left: Vec::new(),
        ended: None,
        stepping: None,
        simulated: None,
        wanted,
        loops,
        record: None,
        memories,
    })))
}

/// What a call needs and takes, or why the device cannot serve it: by what it touches where only a bound of
/// that is known, and more than the device's memory.
///
/// # Safety
/// As for [`Plan::new`].
unsafe fn fitting(ready: &Ready, ahead: Ahead<'_>) -> Result<Counted> {
    let exactly = ready.mode == Mode::Simulate;
    // SAFETY: the caller's promise.
    let found = unsafe { counted(ahead, Closely { exactly, past_bounds: false })? };
    let fits = |(plan, cycles): &(Plan, Cycles)| check_fit(ready, plan, &cycles.parts).is_ok();
    if found.as_ref().is_ok_and(|found| !fits(found)) && ahead.manifest.has_bounds() {
        // SAFETY: the caller's promise.
        return unsafe { counted(ahead, Closely { exactly, past_bounds: true }) };
    }
    Ok(found)
}

type Counted = std::result::Result<(Plan, Cycles), Declined>;

/// What a call needs and takes, or why the device cannot serve it.
///
/// # Safety
/// As for [`Plan::new`].
unsafe fn counted(ahead: Ahead<'_>, closely: Closely) -> Result<Counted> {
    // SAFETY: the caller's promise.
    let mut plan = unsafe { Plan::new(ahead, closely)? };
    if let Some(declined) = plan.declined {
        return Ok(Err(declined));
    }
    let cycles = match plan.cycles.take() {
        Some(cycles) => cycles,
        // SAFETY: the caller's promise.
        None => unsafe { ahead.cycles(&plan.extents, plan.shares_bytes)? },
    };
    Ok(match cycles.declined.clone() {
        Some(declined) => Err(declined),
        None => Ok((plan, cycles)),
    })
}

/// That the device's memory has room for what a call needs there.
///
/// # Errors
/// [`crate::error::Status::TooLarge`].
fn check_fit(ready: &Ready, plan: &Plan, parts: &[Part]) -> Result<()> {
    let Some(memory) = &ready.memory else { return Ok(()) };
    let manifest = &ready.kernel.manifest;
    let course =
        ready.is_streamed.then(|| Course::new(manifest, parts, &ready.intervals)).flatten();
    let passes = |argument: usize| {
        course.iter().flat_map(Course::records).any(|(stream, _)| stream == argument)
    };
    let room = |bytes| ready.transfer.element_bytes(bytes, memory.width_bytes);
    let taken = plan.moved(manifest).map(|moved| {
        let bytes = spread(moved.bytes, moved.record_bytes, room);
        if passes(moved.argument) { bytes.min(ready.transfer.stream_bytes()) } else { bytes }
    });
    memory.check_fit(taken.fold(0, u64::saturating_add))
}
