// SPDX-License-Identifier: Apache-2.0
//! What a call will need, known before it happens: how many bytes of each argument it uses, and
//! whether the device can serve it.

use std::ffi::c_void;
use std::ops::Range;

use crate::error::{Error, Result, Status};
use crate::job::Moved;
use crate::model::{
    CallModel, EXTENT_TOO_LARGE, EXTENT_UNKNOWN, Meeting, NEVER_ENDS, Part, Reach, Run, Traced,
    WAITS,
};
use crate::package::{Extent, Flow, Kind, Manifest, Parameter};

/// No buffer of a program is larger: addresses have 47 bits.
const LARGEST_BUFFER_BYTES: u64 = 1 << 47;

/// What one argument needs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Need {
    /// Bytes that a driver moves.
    pub bytes: u64,
    /// What the call really touches, where that was asked; else the extent.
    pub touched: Reach,
}

impl Need {
    /// Bytes from the pointer to the end of what is touched.
    pub fn touched_bytes(&self) -> u64 {
        u64::try_from(self.touched.high).unwrap_or(0)
    }
}

/// A call's needs.
#[derive(Debug)]
pub struct Plan {
    /// The compiler's answer for each argument, as its other answers want it.
    pub extents: Vec<u64>,
    /// What each argument needs.
    pub needs: Vec<Need>,
    /// Whether [`Need::touched`] is the call's own, and not its extent.
    pub observed: bool,
    /// What the C does with each byte, where that was asked: the runs of each argument.
    pub runs: Option<Vec<Vec<Run>>>,
    /// Whether arrays have bytes in common, though none reads or writes what another one has written.
    pub shares_bytes: bool,
    /// Why the device cannot serve the call, if so.
    pub declined: Option<Declined>,
    /// The schedule's cycles, where they were found on the way.
    pub cycles: Option<Cycles>,
}

/// Why the device cannot serve a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declined {
    /// The reason, the same for all calls that have it.
    pub reason: String,
    /// Where it was met in this one, or empty.
    pub example: String,
}

impl From<String> for Declined {
    fn from(reason: String) -> Self {
        Self { reason, example: String::new() }
    }
}

impl Declined {
    /// The program has the processor round as no hardware does.
    pub fn rounds_otherwise() -> Self {
        let reason = "the program has changed how floating-point numbers are rounded";
        reason.to_string().into()
    }

    /// The call waits for something that no hardware would see change.
    fn waits() -> Self {
        let reason = "it waits for a volatile variable, which only another part of the program can \
                      change";
        reason.to_string().into()
    }

    /// An array meets what another one has written.
    fn meets(manifest: &Manifest, meeting: &Meeting) -> Self {
        let name = |index: u32| {
            manifest.arguments.get(index as usize).map_or("?", |parameter| parameter.name.as_str())
        };
        let (own, other) = (name(meeting.argument), name(meeting.other));
        let does = if meeting.stores { "written" } else { "read" };
        let place = &meeting.place;
        let line = if place.is_empty() { String::new() } else { format!(" in {place}") };
        let reason = format!(
            "`{own}` and `{other}` overlap: `{own}` is {does}{line} where `{other}` was written before"
        );
        Self { reason, example: format!("byte {} of `{own}`", meeting.byte) }
    }
}

/// A call's cycles, in all and of each part of the kernel.
#[derive(Debug, Clone)]
pub struct Cycles {
    /// In all.
    pub total: u64,
    /// Those of each loop and, last, of what is in no loop.
    pub parts: Vec<Part>,
}

/// A call before it happens.
#[derive(Clone, Copy)]
pub struct Ahead<'a> {
    /// The kernel's interface.
    pub manifest: &'a Manifest,
    /// What the compiler knows.
    pub model: &'a dyn CallModel,
    /// The arguments.
    pub data: &'a [*mut c_void],
    /// The pace of each argument's stream.
    pub intervals: &'a [u32],
}

/// What a call would want of the FIFOs between processes.
#[derive(Debug)]
pub struct Wanted {
    /// The least depth of each with which none of them costs a cycle.
    pub depths: Vec<u32>,
    /// The cycles it would then take.
    pub cycles: u64,
}

impl Ahead<'_> {
    fn parts(&self) -> Vec<Part> {
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
        let (data, mut parts) = (self.data, self.parts());
        // SAFETY: the caller's promise.
        let total = unsafe { self.model.cycles(data, extents, self.intervals, &mut parts, apart) };
        self.ending(Cycles { total, parts })
    }

    /// What the call would want of the FIFOs between processes; nothing for a kernel with none.
    ///
    /// # Safety
    /// As for [`CallModel::cycles`].
    pub unsafe fn wanted_of_fifos(&self, extents: &[u64]) -> Option<Wanted> {
        let mut depths = vec![0; self.manifest.fifos.len()];
        if depths.is_empty() {
            return None;
        }
        // SAFETY: the caller's promise.
        let cycles =
            unsafe { self.model.least_depths(self.data, extents, self.intervals, &mut depths) };
        (cycles != NEVER_ENDS).then_some(Wanted { depths, cycles })
    }

    fn ending(&self, cycles: Cycles) -> Result<Cycles> {
        if cycles.total != NEVER_ENDS {
            return Ok(cycles);
        }
        let message = format!(
            "kernel {}: its processes wait for each other: {}; give the streams more room, or take \
             and give records in another order",
            self.manifest.kernel,
            self.model.waiting()
        );
        Err(Error::new(Status::Deadlock, message))
    }

    /// # Safety
    /// As for [`CallModel::cycles`].
    unsafe fn touched(&self, extents: &[u64], apart: bool) -> Result<(Cycles, Vec<Reach>)> {
        let (data, mut parts) = (self.data, self.parts());
        // SAFETY: the caller's promise.
        let (total, touched) =
            unsafe { self.model.touched(data, extents, self.intervals, &mut parts, apart) };
        Ok((self.ending(Cycles { total, parts })?, touched))
    }
}

impl Plan {
    /// Looks ahead.
    ///
    /// # Safety
    /// The arguments are those of a call that the C function may be given.
    ///
    /// # Errors
    /// [`Status::BadArgument`] for an extent that exceeds any memory, and for an annotation that
    /// is smaller than what the call touches; [`Status::Deadlock`] where processes wait for each
    /// other.
    pub unsafe fn new(ahead: Ahead<'_>, closely: Closely) -> Result<Self> {
        // SAFETY: the caller's promise.
        let extents = unsafe { ahead.model.extents(ahead.data) };
        check_sizes(ahead.manifest, &extents)?;
        // SAFETY: the caller's promise.
        let mut look = unsafe { Look::new(ahead, &extents, closely)? };
        if closely.exactly || look.meets.is_some() {
            // SAFETY: the caller's promise.
            unsafe { look.trace(ahead, &extents)? };
        }
        let Look { observed, cycles, touched, meets, shares_bytes, runs, mut declined } = look;
        declined = declined.or(meets.map(Declined::from));
        declined = declined.or_else(|| cycles.as_ref().and_then(Cycles::stopped));
        let needs = match declined {
            Some(_) => Vec::new(),
            None => needs(ahead.manifest, &extents, &touched, closely.past_bounds)?,
        };
        declined = declined.or_else(|| before_pointer(ahead.manifest, &touched));
        Ok(Self { extents, needs, observed, runs, shares_bytes, declined, cycles })
    }

    /// Bytes of what goes with the call: numbers, and small arrays by value.
    pub fn parameter_bytes(&self, manifest: &Manifest) -> u64 {
        let go = |p: &&Parameter| !p.in_device_memory() && p.is_read();
        manifest.arguments.iter().filter(go).map(|p| p.element_bytes).sum()
    }

    /// The bytes of an argument whose content before the call counts, in order: all that is known
    /// to be touched, where nobody has looked closer, or where it goes by value.
    pub fn read(&self, index: usize, parameter: &Parameter) -> Vec<Range<usize>> {
        if !parameter.is_read() {
            return Vec::new();
        }
        self.ranges(index, parameter, |run| run.reads)
    }

    /// The bytes of an argument that the C writes, or may write where nobody has looked closer.
    pub fn written(&self, index: usize, parameter: &Parameter) -> Vec<Range<usize>> {
        self.ranges(index, parameter, |run| run.writes)
    }

    /// An argument that only goes to the device, and is not now as it was when it was `loaded`.
    ///
    /// # Safety
    /// The arguments are still there, and so is what was loaded.
    pub unsafe fn changed(
        &self,
        manifest: &Manifest,
        data: &[*mut c_void],
        loaded: &[*mut c_void],
    ) -> Option<Declined> {
        let reaches: Vec<_> = self.needs.iter().map(|need| need.touched).collect();
        let arguments = &manifest.arguments;
        let is_written = |i: usize| {
            let mut others = (0..arguments.len()).filter(|&j| j != i && arguments[j].is_written());
            arguments[i].is_written() || others.any(|j| meet(data, &reaches, (i, j)))
        };
        let mut inputs =
            (0..arguments.len()).filter(|&i| arguments[i].is_pointer() && !is_written(i));
        let differs = |i: &usize| {
            self.read(*i, &arguments[*i]).into_iter().any(|range| {
                // SAFETY: the caller's promise.
                let bytes = |base: *mut c_void| unsafe {
                    std::slice::from_raw_parts(base.cast::<u8>().add(range.start), range.len())
                };
                bytes(data[*i]) != bytes(loaded[*i])
            })
        };
        inputs.find(differs).map(|i| {
            let name = &arguments[i].name;
            format!(
                "`{name}` changed while the function ran, which does not write it: a signal handler, \
                 another thread or a second mapping of its memory does"
            )
            .into()
        })
    }

    fn ranges(
        &self,
        index: usize,
        parameter: &Parameter,
        is_meant: impl Fn(&Run) -> bool,
    ) -> Vec<Range<usize>> {
        let need = self.needs.get(index).copied().unwrap_or_default();
        let cut = |low: i64, high: i64| {
            let end = need.bytes as usize;
            let place = |at: i64| usize::try_from(at).unwrap_or(0).min(end);
            place(low)..place(high)
        };
        let runs = self.runs.as_ref().filter(|_| parameter.is_pointer()).map(|runs| &runs[index]);
        let found: Vec<_> = match runs {
            Some(runs) => {
                runs.iter().filter(|run| is_meant(run)).map(|r| cut(r.low, r.high)).collect()
            }
            None => vec![cut(need.touched.low, need.touched.high)],
        };
        found.into_iter().filter(|range| !range.is_empty()).collect()
    }

    /// The arrays that lie in the device's memory meanwhile.
    pub fn moved(&self, manifest: &Manifest) -> impl Iterator<Item = Moved> {
        let pairs = manifest.arguments.iter().zip(&self.needs).enumerate();
        let crossing = pairs.filter(|(_, (parameter, _))| parameter.in_device_memory());
        crossing.map(|(argument, (parameter, need))| Moved {
            argument,
            bytes: need.bytes,
            record_bytes: parameter.element_bytes,
            is_locked: false,
        })
    }
}

/// How closely to look at a call.
#[derive(Debug, Clone, Copy, Default)]
pub struct Closely {
    /// To find out what it does with each byte, so that nothing else of the program's memory needs
    /// to be read.
    pub exactly: bool,
    /// To go by what it touches where only a bound of that is known.
    pub past_bounds: bool,
}

/// What looking ahead has shown so far.
struct Look {
    observed: bool,
    cycles: Option<Cycles>,
    touched: Vec<Reach>,
    /// The arrays whose bytes meet, so that it is open what the device may do.
    meets: Option<String>,
    shares_bytes: bool,
    runs: Option<Vec<Vec<Run>>>,
    declined: Option<Declined>,
}

impl Look {
    /// What extents tell and, where they are not known, or not exact and that is asked for, the
    /// kernel's own way through memory.
    ///
    /// # Safety
    /// As for [`Plan::new`].
    unsafe fn new(ahead: Ahead<'_>, extents: &[u64], closely: Closely) -> Result<Self> {
        let known = |p: &Parameter, bytes| {
            matches!(p.extent, Extent::Exact | Extent::Bound) && bytes != EXTENT_UNKNOWN
        };
        let mut pairs = ahead.manifest.arguments.iter().zip(extents);
        let inexact = ahead.manifest.arguments.iter().any(|p| p.extent != Extent::Exact);
        let observed = !pairs.all(|(p, &bytes)| known(p, bytes))
            || (closely.exactly || closely.past_bounds) && inexact;
        let claimed = |&bytes: &u64| Reach { low: 0, high: clamped(bytes) };
        let touched: Vec<_> = extents.iter().map(claimed).collect();
        let mut look = Self {
            observed: false,
            cycles: None,
            meets: overlap(ahead, &touched),
            touched,
            shares_bytes: false,
            runs: None,
            declined: None,
        };
        if observed || inexact && look.meets.is_some() {
            // SAFETY: the caller's promise.
            unsafe { look.observe(ahead, extents, false)? };
        }
        Ok(look)
    }

    /// # Safety
    /// As for [`Plan::new`].
    unsafe fn observe(&mut self, ahead: Ahead<'_>, extents: &[u64], apart: bool) -> Result<()> {
        // SAFETY: the caller's promise.
        let (cycles, touched) = unsafe { ahead.touched(extents, apart)? };
        self.meets = overlap(ahead, &touched)
            .or_else(|| (cycles.total == STOPPED).then(|| "its buffers may overlap".to_string()));
        (self.observed, self.cycles, self.touched) = (true, Some(cycles), touched);
        Ok(())
    }

    /// What the C does with memory decides whether arrays that meet may be apart in the device.
    ///
    /// # Safety
    /// As for [`Plan::new`].
    unsafe fn trace(&mut self, ahead: Ahead<'_>, extents: &[u64]) -> Result<()> {
        // SAFETY: the caller's promise.
        match unsafe { ahead.model.traced(ahead.data) } {
            Traced::Apart(runs) => {
                self.runs = Some(runs);
                self.shares_bytes = self.meets.is_some();
                if self.shares_bytes {
                    // SAFETY: the caller's promise.
                    unsafe { self.observe(ahead, extents, true)? };
                }
                self.meets = None;
            }
            Traced::Meets(meeting) => {
                self.declined = Some(Declined::meets(ahead.manifest, &meeting));
            }
            Traced::Waits => self.declined = Some(Declined::waits()),
            Traced::Unknown => {}
        }
        Ok(())
    }
}

const POINTER_BYTES: i128 = 8;

/// In place of a call's cycles: an array met what another one may use.
const STOPPED: u64 = 0;

impl Cycles {
    /// Why there are none.
    pub fn stopped(&self) -> Option<Declined> {
        match self.total {
            STOPPED => Some("its buffers may overlap".to_string().into()),
            WAITS => Some(Declined::waits()),
            _ => None,
        }
    }
}

fn clamped(bytes: u64) -> i64 {
    if bytes == EXTENT_UNKNOWN { 0 } else { i64::try_from(bytes).unwrap_or(i64::MAX) }
}

fn check_sizes(manifest: &Manifest, extents: &[u64]) -> Result<()> {
    let mut pairs = manifest.arguments.iter().zip(extents);
    let too_large = |bytes: u64| bytes > LARGEST_BUFFER_BYTES && bytes != EXTENT_UNKNOWN;
    match pairs.find(|&(_, &bytes)| too_large(bytes)) {
        Some((parameter, &bytes)) => {
            let size = match bytes {
                EXTENT_TOO_LARGE => "2^64 bytes or more".to_string(),
                _ => format!("{bytes} bytes"),
            };
            Err(bad_argument(
                manifest,
                parameter,
                &format!(
                    "this call asks for {size}, more than any buffer has; check the numbers that the function is given"
                ),
            ))
        }
        None => Ok(()),
    }
}

/// What a driver moves: the extent where one is proven or declared, else what is touched.
fn needs(
    manifest: &Manifest,
    extents: &[u64],
    touched: &[Reach],
    past_bounds: bool,
) -> Result<Vec<Need>> {
    let rows = manifest.arguments.iter().zip(extents).zip(touched);
    rows.map(|((parameter, &extent), &touched)| {
        let reached = Need { bytes: 0, touched }.touched_bytes();
        let extent = if extent == EXTENT_UNKNOWN { 0 } else { extent };
        let bytes = match parameter.extent {
            Extent::Bound if past_bounds => reached,
            Extent::Exact | Extent::Bound => extent.max(reached),
            Extent::Declared if reached > extent || touched.low < 0 => {
                return Err(too_small(manifest, parameter, extent, touched));
            }
            Extent::Declared => extent,
            Extent::Typed | Extent::Observed => extent.max(reached),
        };
        let bytes = match parameter.kind {
            Kind::Memory | Kind::Stream => bytes.next_multiple_of(parameter.element_bytes),
            // Whole, whatever of it this call reads.
            Kind::Block => parameter.element_bytes,
            Kind::Scalar => bytes,
        };
        Ok(Need { bytes, touched })
    })
    .collect()
}

fn too_small(manifest: &Manifest, parameter: &Parameter, extent: u64, touched: Reach) -> Error {
    let name = &parameter.name;
    let Reach { low, high } = touched;
    let cure = match low {
        ..0 => "let the parameter point to the first byte that is used".to_string(),
        _ => format!(
            "declare at least that much, such as `#pragma tandem extent({name}, {high})`, or an \
             expression over the parameters that gives it"
        ),
    };
    let why = format!(
        "its annotation declares {extent} bytes, this call touches bytes {low} to {}; {cure}",
        high - 1
    );
    bad_argument(manifest, parameter, &why)
}

fn bad_argument(manifest: &Manifest, parameter: &Parameter, why: &str) -> Error {
    let (kernel, name) = (&manifest.kernel, &parameter.name);
    Error::new(Status::BadArgument, format!("kernel {kernel}: argument {name}: {why}"))
}

/// The device has a copy of each buffer, so buffers that overlap cannot be served, unless they are
/// one buffer and the kernel is known to read each part of it before it writes there.
fn overlap(ahead: Ahead<'_>, touched: &[Reach]) -> Option<String> {
    let arguments = &ahead.manifest.arguments;
    let pointers = |from: usize| (from..arguments.len()).filter(|&i| arguments[i].is_pointer());
    for i in pointers(0) {
        for j in pointers(i + 1) {
            let both_in = arguments[i].direction == Flow::In && arguments[j].direction == Flow::In;
            let same = ahead.data[i] == ahead.data[j] && ahead.manifest.may_share(i, j);
            if !both_in && !same && meet(ahead.data, touched, (i, j)) {
                return Some(format!(
                    "`{}` and `{}` overlap",
                    arguments[i].name, arguments[j].name
                ));
            }
        }
    }
    changed_field(ahead, touched)
}

/// A pointer that was read before the call lies where another array is written, as well as may be.
fn changed_field(ahead: Ahead<'_>, touched: &[Reach]) -> Option<String> {
    let arguments = &ahead.manifest.arguments;
    let mut fields =
        arguments.iter().filter_map(|own| own.field.as_ref().map(|field| (own, field)));
    fields.find_map(|(own, field)| {
        let parent = ahead.data.get(field.argument).filter(|parent| !parent.is_null())?;
        let start = *parent as i128 + i128::from(field.byte);
        let is_hit = |i: &usize| {
            let (low, high) = range(ahead.data, touched, *i);
            low < high && low < start + POINTER_BYTES && start < high
        };
        let mut written = (0..arguments.len()).filter(|&i| {
            (field.open || i != field.argument)
                && arguments[i].is_pointer()
                && arguments[i].is_written()
        });
        let other = written.find(is_hit)?;
        Some(format!("`{}` is written where `{}` is read from", arguments[other].name, own.name))
    })
}

/// The addresses that a call touches of an array.
fn range(data: &[*mut c_void], touched: &[Reach], k: usize) -> (i128, i128) {
    let base = data[k] as i128;
    (base + i128::from(touched[k].low), base + i128::from(touched[k].high))
}

fn meet(data: &[*mut c_void], touched: &[Reach], (i, j): (usize, usize)) -> bool {
    let ((a, a_end), (b, b_end)) = (range(data, touched, i), range(data, touched, j));
    a < a_end && b < b_end && a < b_end && b < a_end
}

/// A memory port counts from the pointer on.
fn before_pointer(manifest: &Manifest, touched: &[Reach]) -> Option<Declined> {
    let mut rows = manifest.arguments.iter().zip(touched);
    let found = rows.find(|(_, reach)| reach.low < 0);
    found.map(|(parameter, _)| {
        format!("it reaches bytes before the pointer `{}`", parameter.name).into()
    })
}
