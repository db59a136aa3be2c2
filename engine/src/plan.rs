// SPDX-License-Identifier: Apache-2.0
//! What a call will need, known before it happens: how many bytes of each argument it uses, and
//! whether the device can serve it.

use std::ffi::c_void;

use crate::error::{Error, Result, Status};
use crate::job::Moved;
use crate::model::{CallModel, EXTENT_TOO_LARGE, EXTENT_UNKNOWN, NEVER_ENDS, Part, Reach};
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
    /// Why the device cannot serve the call, if so.
    pub host_reason: Option<String>,
    /// The schedule's cycles, where they were found on the way.
    pub cycles: Option<Cycles>,
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

    /// The schedule's cycles.
    ///
    /// # Safety
    /// As for [`CallModel::cycles`].
    ///
    /// # Errors
    /// [`Status::Deadlock`] where the kernel's processes wait for each other.
    pub unsafe fn cycles(&self, extents: &[u64]) -> Result<Cycles> {
        let mut parts = self.parts();
        // SAFETY: the caller's promise.
        let total = unsafe { self.model.cycles(self.data, extents, self.intervals, &mut parts) };
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
    unsafe fn touched(&self, extents: &[u64]) -> Result<(Cycles, Vec<Reach>)> {
        let mut parts = self.parts();
        // SAFETY: the caller's promise.
        let (total, touched) =
            unsafe { self.model.touched(self.data, extents, self.intervals, &mut parts) };
        Ok((self.ending(Cycles { total, parts })?, touched))
    }
}

impl Plan {
    /// Looks ahead. With `exactly` the bytes that are touched are found out wherever the extent is
    /// only a bound, so that nothing else of the program's memory needs to be read.
    ///
    /// # Safety
    /// The arguments are those of a call that the C function may be given.
    ///
    /// # Errors
    /// [`Status::BadArgument`] for an extent that exceeds any memory, and for an annotation that
    /// is smaller than what the call touches; [`Status::Deadlock`] where processes wait for each
    /// other.
    pub unsafe fn new(ahead: Ahead<'_>, exactly: bool) -> Result<Self> {
        // SAFETY: the caller's promise.
        let extents = unsafe { ahead.model.extents(ahead.data) };
        check_sizes(ahead.manifest, &extents)?;
        let known = |p: &Parameter, bytes| {
            matches!(p.extent, Extent::Exact | Extent::Bound) && bytes != EXTENT_UNKNOWN
        };
        let mut pairs = ahead.manifest.arguments.iter().zip(&extents);
        let inexact = ahead.manifest.arguments.iter().any(|p| p.extent != Extent::Exact);
        let mut observed = !pairs.all(|(p, &bytes)| known(p, bytes)) || exactly && inexact;
        let claimed = extents.iter().map(|&bytes| Reach { low: 0, high: clamped(bytes) }).collect();
        // SAFETY: the caller's promise.
        let look = || unsafe { ahead.touched(&extents) };
        let mut cycles = None;
        let mut touched: Vec<Reach> = claimed;
        if observed {
            (cycles, touched) = told(look()?);
        }
        let mut host_reason = overlap(ahead, &touched);
        if host_reason.is_some() && !observed && inexact {
            // The bounds overlap; perhaps what is touched does not.
            observed = true;
            (cycles, touched) = told(look()?);
            host_reason = overlap(ahead, &touched);
        }
        let needs = needs(ahead.manifest, &extents, &touched)?;
        let host_reason = host_reason
            .or_else(|| before_pointer(ahead.manifest, &touched))
            .or_else(|| cycles.as_ref().and_then(Cycles::stopped));
        Ok(Self { extents, needs, observed, host_reason, cycles })
    }

    /// Bytes of what goes with the call: numbers, and small arrays by value.
    pub fn parameter_bytes(&self, manifest: &Manifest) -> u64 {
        let go = |p: &&Parameter| !p.in_device_memory() && p.is_read();
        manifest.arguments.iter().filter(go).map(|p| p.element_bytes).sum()
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

impl Cycles {
    /// Why there are none: the walk ended where an array met what another one may use.
    pub fn stopped(&self) -> Option<String> {
        (self.total == 0).then(|| "its buffers may overlap".to_string())
    }
}

fn told((cycles, touched): (Cycles, Vec<Reach>)) -> (Option<Cycles>, Vec<Reach>) {
    (Some(cycles), touched)
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
fn needs(manifest: &Manifest, extents: &[u64], touched: &[Reach]) -> Result<Vec<Need>> {
    let rows = manifest.arguments.iter().zip(extents).zip(touched);
    rows.map(|((parameter, &extent), &touched)| {
        let reached = Need { bytes: 0, touched }.touched_bytes();
        let extent = if extent == EXTENT_UNKNOWN { 0 } else { extent };
        let bytes = match parameter.extent {
            Extent::Exact | Extent::Bound => extent.max(reached),
            Extent::Declared if reached > extent || touched.low < 0 => {
                return Err(too_small(manifest, parameter, extent, touched));
            }
            Extent::Declared => extent,
            Extent::Typed | Extent::Observed => extent.max(reached),
        };
        let bytes = match parameter.kind {
            Kind::Memory | Kind::Stream => bytes.next_multiple_of(parameter.element_bytes),
            Kind::Block | Kind::Scalar => bytes,
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
    None
}

fn meet(data: &[*mut c_void], touched: &[Reach], (i, j): (usize, usize)) -> bool {
    let range = |k: usize| {
        let base = data[k] as i128;
        (base + i128::from(touched[k].low), base + i128::from(touched[k].high))
    };
    let ((a, a_end), (b, b_end)) = (range(i), range(j));
    a < a_end && b < b_end && a < b_end && b < a_end
}

/// A memory port counts from the pointer on.
fn before_pointer(manifest: &Manifest, touched: &[Reach]) -> Option<String> {
    let mut rows = manifest.arguments.iter().zip(touched);
    rows.find(|(_, reach)| reach.low < 0)
        .map(|(parameter, _)| format!("it reaches bytes before the pointer `{}`", parameter.name))
}
