// SPDX-License-Identifier: Apache-2.0
//! Arrays of the program that may overlap are one array in the device (python/tandem/host/README.md).
//! What lies apart in the program's memory lies side by side in the device's: nothing that is
//! between two arrays is moved, or looked at, however far they are from each other.

use std::ffi::c_void;
use std::ops::Range;

use crate::call::buffers::UNWRITTEN;
use crate::call::declined::Declined;
use crate::call::made::Made;
use crate::call::plan::MAY_OVERLAP;
use crate::error::{Error, Result, Status};
use crate::host::block::Block;
use crate::model::{CallModel, Reach, Run, Traced};
use crate::package::{Kind, Manifest, Parameter};

/// A call's arguments as the device has them.
#[derive(Debug, Default)]
pub struct View {
    /// In the manifest's order. Of an array that others are parts of, a copy of what the call uses of
    /// these; of a part, the number that says where it begins; of a block that the call makes, where
    /// it lies.
    pub data: Vec<*mut c_void>,
    /// What the C does with each byte, where arrays are joined: the runs of each argument.
    pub runs: Option<Vec<Vec<Run>>>,
    /// The other arguments that have bytes in common with joined arrays.
    pub shared: Vec<usize>,
    wholes: Vec<Whole>,
    made: Option<Made>,
    /// Where each part begins.
    places: Box<[u32]>,
}

/// An array of the device that arrays of the program are parts of.
#[derive(Debug)]
struct Whole {
    argument: usize,
    pieces: Vec<Piece>,
    image: Block,
}

/// Bytes that lie side by side in both memories: from `at` on in the device's.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Piece {
    address: usize,
    at: usize,
    bytes: usize,
}

/// What a call uses of a part, by the program's addresses, with where its pointer leads.
struct Part {
    argument: usize,
    pointer: usize,
    used: Range<usize>,
}

impl View {
    /// Looks at what the C does with arrays that are joined, and lays these out.
    ///
    /// # Safety
    /// `data` are the arguments of a call that the C function may be given.
    ///
    /// # Errors
    /// [`Status::TooLarge`] for arrays that no memory of the device has room for.
    pub unsafe fn new(
        manifest: &Manifest,
        model: &dyn CallModel,
        data: &[*mut c_void],
    ) -> Result<std::result::Result<Self, Declined>> {
        let made = Made::of(manifest);
        let mut view = Self { data: data.to_vec(), made, ..Self::default() };
        if let Some(made) = &view.made {
            made.begin(&mut view.data)?;
        }
        if !manifest.has_joined() {
            return Ok(Ok(view));
        }
        let data = &view.data.clone();
        // SAFETY: the caller's promise.
        let mut runs = match unsafe { traced(manifest, model, data) } {
            Ok(runs) => runs,
            Err(declined) => return Ok(Err(declined)),
        };
        view.shared = shared(manifest, data, &runs);
        view.places = vec![0; data.len()].into();
        for (argument, whole) in manifest.arguments.iter().enumerate().filter(|(_, p)| p.is_whole())
        {
            match view.join((argument, whole), data, &mut runs)? {
                Ok(()) => {}
                Err((one, other)) => return Ok(Err(Declined::skewed(manifest, one, other))),
            }
        }
        view.runs = Some(runs);
        Ok(Ok(view))
    }

    /// Lays the parts of an array out; the two that no layout fits, if there are.
    fn join(
        &mut self,
        (argument, whole): (usize, &Parameter),
        data: &[*mut c_void],
        runs: &mut [Vec<Run>],
    ) -> Result<std::result::Result<(), (usize, usize)>> {
        let unit = whole.element_bytes as usize;
        let mut parts: Vec<_> =
            whole.joins.iter().filter_map(|&part| used(part, data[part], &runs[part])).collect();
        parts.sort_by_key(|part| part.used.start);
        let pieces = laid_out(&parts, unit);
        for part in &parts {
            let Some(piece) = pieces.iter().find(|piece| piece.has(&part.used)) else { continue };
            let offset = part.pointer - piece.address;
            if !offset.is_multiple_of(unit) {
                let first = parts.iter().find(|first| first.used.start == piece.address);
                return Ok(Err((first.map_or(0, |first| first.argument), part.argument)));
            }
            let start = piece.at + offset;
            self.places[part.argument] = u32::try_from(start / unit).map_err(|_| too_far(whole))?;
            let moved: Vec<_> = runs[part.argument].iter().map(|run| run.moved(start)).collect();
            runs[argument].extend(moved);
        }
        for &part in &whole.joins {
            self.data[part] = (&raw mut self.places[part]).cast();
        }
        self.wholes.push(Whole { argument, pieces, image: Block::default() });
        Ok(Ok(()))
    }

    /// The C function has run: a block that it has made is there.
    ///
    /// # Safety
    /// The result is that of the C function.
    pub unsafe fn returned(&mut self) {
        if let Some(made) = &mut self.made {
            // SAFETY: the caller's promise.
            unsafe { made.end(&mut self.data) };
        }
    }

    /// Copies what is `meant` of what the call uses out of the program's memory, as it now is.
    ///
    /// # Safety
    /// The program's memory is valid there.
    ///
    /// # Errors
    /// [`Status::TooLarge`] if the host has not enough memory.
    pub unsafe fn gather(&mut self, meant: impl Fn(&Run) -> bool) -> Result<()> {
        let Some(runs) = &self.runs else { return Ok(()) };
        for whole in &mut self.wholes {
            let bytes = whole.pieces.last().map_or(0, |piece| piece.at + piece.bytes);
            let image = whole.image.reserve_pages(bytes as u64)?;
            // SAFETY: the image has that many bytes.
            unsafe { image.write_bytes(UNWRITTEN, bytes) };
            self.data[whole.argument] = image.cast();
            for run in runs[whole.argument].iter().filter(|run| meant(run)) {
                let (Ok(low), Ok(high)) = (usize::try_from(run.low), usize::try_from(run.high))
                else {
                    continue;
                };
                let Some(piece) = whole.pieces.iter().find(|piece| piece.holds(low)) else {
                    continue;
                };
                let from = (piece.address + (low - piece.at)) as *const u8;
                // SAFETY: the caller's promise; the run lies in the image.
                unsafe { image.add(low).copy_from(from, high - low) };
            }
        }
        Ok(())
    }

    /// What a call touches of each argument: of joined arrays what the C does.
    pub fn touched(&self, manifest: &Manifest, touched: &mut [Reach]) {
        let Some(runs) = &self.runs else { return };
        for (index, parameter) in manifest.arguments.iter().enumerate() {
            if parameter.kind == Kind::Place {
                touched[index] = reach(&runs[index]).unwrap_or_default();
            }
        }
    }

    /// Where in the program's memory an array lies that is made of others, piece by piece. None for
    /// any other argument.
    pub fn pieces(&self, argument: usize) -> Option<Vec<Range<usize>>> {
        let whole = self.wholes.iter().find(|whole| whole.argument == argument)?;
        let ranges = whole.pieces.iter().map(|piece| piece.address..piece.address + piece.bytes);
        Some(ranges.collect())
    }

    /// Where an array begins in the program's memory; nowhere for one that is made of pieces which
    /// lie apart.
    pub fn start(&self, argument: usize, data: &[*mut c_void]) -> *mut c_void {
        match self.pieces(argument).as_deref() {
            None => data[argument],
            Some([piece]) => piece.start as *mut c_void,
            Some(_) => std::ptr::null_mut(),
        }
    }
}

impl Piece {
    /// Whether addresses of the program lie in it.
    fn has(&self, used: &Range<usize>) -> bool {
        self.address <= used.start && used.end <= self.address + self.bytes
    }

    /// Whether a byte of the device does.
    fn holds(&self, at: usize) -> bool {
        (self.at..self.at + self.bytes).contains(&at)
    }
}

/// The runs of each argument, or why arrays that are joined cannot be served.
///
/// # Safety
/// As for [`View::new`].
unsafe fn traced(
    manifest: &Manifest,
    model: &dyn CallModel,
    data: &[*mut c_void],
) -> std::result::Result<Vec<Vec<Run>>, Declined> {
    // SAFETY: the caller's promise.
    match unsafe { model.traced(data) } {
        Traced::Apart(runs) => Ok(runs),
        Traced::Meets(meeting) => Err(Declined::meets(manifest, &meeting, data)),
        Traced::Waits => Err(Declined::waits()),
        Traced::Exceeds => Err(model.reason().into()),
        Traced::Unknown => Err(MAY_OVERLAP.to_string().into()),
    }
}

/// What a call uses of a part, its pointer's own byte on; nothing of one that it does not touch.
fn used(argument: usize, pointer: *mut c_void, runs: &[Run]) -> Option<Part> {
    let Reach { low, high } = reach(runs)?;
    let place = |offset: i64| (pointer as usize).wrapping_add_signed(offset as isize);
    let pointer = pointer as usize;
    Some(Part { argument, pointer, used: pointer.min(place(low))..pointer.max(place(high)) })
}

/// From the first byte that runs tell of to behind the last.
fn reach(runs: &[Run]) -> Option<Reach> {
    let low = runs.iter().map(|run| run.low).min()?;
    let high = runs.iter().map(|run| run.high).max()?;
    Some(Reach { low, high })
}

/// The pieces that parts make, in the order of the program's addresses: what overlaps is one, and
/// each begins with a whole element.
fn laid_out(parts: &[Part], unit: usize) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    for Part { used, .. } in parts {
        match pieces.last_mut() {
            Some(last) if used.start < last.address + last.bytes => {
                last.bytes = last.bytes.max(used.end - last.address);
            }
            last => {
                let at = last.map_or(0, |last| (last.at + last.bytes).next_multiple_of(unit));
                pieces.push(Piece { address: used.start, at, bytes: used.len() });
            }
        }
    }
    pieces
}

/// The arguments that are not joined, and have bytes in common with one that is.
fn shared(manifest: &Manifest, data: &[*mut c_void], runs: &[Vec<Run>]) -> Vec<usize> {
    let range = |i: usize| {
        let Reach { low, high } = reach(&runs[i]).unwrap_or_default();
        (data[i] as i128 + i128::from(low), data[i] as i128 + i128::from(high))
    };
    let arguments = || manifest.arguments.iter().enumerate();
    let parts: Vec<_> =
        arguments().filter(|(_, p)| p.kind == Kind::Place).map(|(i, _)| range(i)).collect();
    let meets = |i: usize| {
        let (low, high) = range(i);
        parts.iter().any(|&(a, b)| low.max(a) < high.min(b))
    };
    arguments().filter(|&(i, p)| p.is_pointer() && meets(i)).map(|(i, _)| i).collect()
}

fn too_far(whole: &Parameter) -> Error {
    let message = format!("argument {}: its parts have 2^32 elements or more", whole.name);
    Error::new(Status::TooLarge, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn part(pointer: usize, bytes: usize) -> Part {
        Part { argument: 0, pointer, used: pointer..pointer + bytes }
    }

    /// Where a byte of the program lies in the device.
    fn place(pieces: &[Piece], address: usize) -> Option<usize> {
        let has = |piece: &&Piece| piece.has(&(address..address + 1));
        pieces.iter().find(has).map(|piece| piece.at + (address - piece.address))
    }

    proptest! {
        /// Every byte that is used has a place of its own, in the order of the program; bytes of one
        /// part keep their distances; between parts is less than an element.
        #[test]
        fn what_is_used_has_one_place(
            rows in proptest::collection::vec((0usize..4000, 1usize..60), 0..6), shift in 0usize..4
        ) {
            let unit = 1 << shift;
            let mut parts: Vec<_> = rows.into_iter().map(|(at, bytes)| part(at, bytes)).collect();
            parts.sort_by_key(|part| part.used.start);
            let pieces = laid_out(&parts, unit);
            let mut last = None;
            for address in 0..4100 {
                let is_used = parts.iter().any(|part| part.used.contains(&address));
                let found = place(&pieces, address);
                prop_assert_eq!(found.is_some(), is_used);
                if let Some((place, before)) = found.zip(last) {
                    prop_assert!(place > before && place - before <= unit);
                }
                last = found.or(last);
            }
            for part in &parts {
                let piece = pieces.iter().find(|piece| piece.has(&part.used));
                prop_assert!(piece.is_some_and(|piece| piece.at.is_multiple_of(unit)));
            }
        }
    }

    #[test]
    fn a_part_begins_where_its_pointer_leads() {
        let run = |low, high| Run { low, high, reads: true, writes: false };
        let base = 1000 as *mut c_void;
        let used = |runs: &[Run]| used(0, base, runs).map(|part| part.used);
        assert_eq!(used(&[]), None);
        assert_eq!(used(&[run(8, 12), run(20, 24)]), Some(1000..1024));
        assert_eq!(used(&[run(-8, -4)]), Some(992..1000));
    }
}
