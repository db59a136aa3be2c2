// SPDX-License-Identifier: Apache-2.0
//! What a call will need, known before it happens: how many bytes of each argument it uses, and
//! whether the device can serve it.

mod ahead;

use std::ffi::c_void;
use std::ops::Range;

use crate::call::declined::Declined;
use crate::call::joined::View;
use crate::call::look::{Closely, Look, meet};
use crate::error::{Error, Result, Status};
use crate::job::Moved;
use crate::model::{EXTENT_TOO_LARGE, EXTENT_UNKNOWN, Reach, Run};
use crate::package::{Extent, Kind, Manifest, Parameter};

pub use ahead::{Ahead, Cycles, Wanted};

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
        let extents = unsafe { ahead.model.extents(&ahead.view.data) };
        check_sizes(ahead.manifest, &extents)?;
        // SAFETY: the caller's promise.
        let mut look = unsafe { Look::new(ahead, &extents, closely)? };
        if closely.exactly || look.meets.is_some() {
            // SAFETY: the caller's promise.
            unsafe { look.trace(ahead, &extents)? };
        }
        let Look { observed, cycles, touched, meets, shares_bytes, runs, mut declined } = look;
        declined = declined.or(meets.map(Declined::from));
        declined = declined.or_else(|| cycles.as_ref().and_then(|cycles| cycles.declined.clone()));
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
        view: &View,
        loaded: &[*mut c_void],
    ) -> Option<Declined> {
        let data = &view.data;
        let reaches: Vec<_> = self.needs.iter().map(|need| need.touched).collect();
        let arguments = &manifest.arguments;
        let is_written = |i: usize| {
            let mut others = (0..arguments.len()).filter(|&j| j != i && arguments[j].is_written());
            let is_shared = view.shared.contains(&i);
            arguments[i].is_written() || is_shared || others.any(|j| meet(data, &reaches, (i, j)))
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
            None if !parameter.is_pointer() => vec![cut(0, i64::MAX)],
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

/// In place of a call's cycles: an array met what another one may use.
pub(crate) const STOPPED: u64 = 0;
/// What is told of that where nothing closer is known.
pub(crate) const MAY_OVERLAP: &str = "its buffers may overlap";

pub(crate) fn clamped(bytes: u64) -> i64 {
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
            _ if parameter.kind == Kind::Place => parameter.element_bytes,
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
            Kind::Scalar | Kind::Place => bytes,
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

/// A memory port counts from the pointer on; what begins at a place in another array does not.
fn before_pointer(manifest: &Manifest, touched: &[Reach]) -> Option<Declined> {
    let mut rows = manifest.arguments.iter().zip(touched);
    let found = rows.find(|(p, reach)| p.kind != Kind::Place && reach.low < 0);
    found.map(|(parameter, _)| {
        format!("it reaches bytes before the pointer `{}`", parameter.name).into()
    })
}
