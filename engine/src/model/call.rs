// SPDX-License-Identifier: Apache-2.0
//! What the compiler knows of a call before it happens.

use super::{Data, Part, Reach};

/// An extent that exceeds every memory (docs/package.md).
pub(crate) const EXTENT_TOO_LARGE: u64 = u64::MAX;

/// An extent that this call's numbers do not tell (docs/package.md).
pub(crate) const EXTENT_UNKNOWN: u64 = u64::MAX - 1;

/// In place of a call's cycles: its processes wait for each other (docs/package.md).
pub(crate) const NEVER_ENDS: u64 = u64::MAX;

/// In place of a call's cycles: it waits for what another part of the program would have to write
/// (docs/package.md).
pub(crate) const WAITS: u64 = u64::MAX - 2;

/// In place of a call's cycles: it needs more than hardware was given for it (docs/package.md).
pub(crate) const EXCEEDS: u64 = u64::MAX - 3;

/// Bytes of an argument, counted from its pointer, with which the C does the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// The first byte.
    pub low: i64,
    /// One past the last.
    pub high: i64,
    /// Whether the C reads what they held before the call.
    pub reads: bool,
    /// Whether it writes them.
    pub writes: bool,
}

impl Run {
    /// The same bytes, counted from that many before.
    pub fn moved(&self, start: usize) -> Self {
        let start = start as i64;
        Self { low: self.low + start, high: self.high + start, ..*self }
    }
}

/// What a call does with memory, in the order of the C.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Traced {
    /// No array reads or writes what another one has written before: the runs of each argument, in
    /// order.
    Apart(Vec<Vec<Run>>),
    /// One does.
    Meets(Meeting),
    /// That cannot be told.
    Unknown,
    /// As [`WAITS`].
    Waits,
    /// As [`EXCEEDS`].
    Exceeds,
}

/// An access of an array to what another one has written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Meeting {
    /// The argument.
    pub argument: u32,
    /// The one that has written there.
    pub other: u32,
    /// Whether it writes.
    pub stores: bool,
    /// Whether it is a pointer in a struct that one of the two accesses.
    pub by_field: bool,
    /// The line in the C, such as "line 3", or empty.
    pub place: String,
    /// The byte, counted from the argument's pointer.
    pub byte: i64,
}

/// What the compiler knows of a call before it happens. All of it looks at the program's memory as
/// it is before the call and changes nothing there.
pub trait CallModel: Send + Sync {
    /// The extent of each argument in bytes; may be [`EXTENT_TOO_LARGE`] or [`EXTENT_UNKNOWN`].
    ///
    /// # Safety
    /// `data` are the arguments of a call that the C function may be given.
    unsafe fn extents(&self, data: &Data) -> Vec<u64>;

    /// The cycles that the schedule gives the call; `parts` get those of each loop and, last, of
    /// what is in no loop. With `apart` it is known that no array reads what another one writes.
    ///
    /// # Safety
    /// As for [`CallModel::extents`], and `bytes` are its answer; `parts` are one more than loops.
    unsafe fn cycles(
        &self,
        data: &Data,
        bytes: &[u64],
        intervals: &[u32],
        parts: &mut [Part],
        apart: bool,
    ) -> u64;

    /// As [`CallModel::cycles`], and what the call reads and writes of each argument.
    ///
    /// # Safety
    /// As for [`CallModel::cycles`].
    unsafe fn touched(
        &self,
        data: &Data,
        bytes: &[u64],
        intervals: &[u32],
        parts: &mut [Part],
        apart: bool,
    ) -> (u64, Vec<Reach>);

    /// What the C does with each byte.
    ///
    /// # Safety
    /// As for [`CallModel::extents`].
    unsafe fn traced(&self, _data: &Data) -> Traced {
        Traced::Unknown
    }

    /// The least depth of each FIFO between processes with which the call takes no cycle more than
    /// with as much room as could be; and that many cycles, or [`NEVER_ENDS`].
    ///
    /// # Safety
    /// As for [`CallModel::cycles`]; `depths` are as many as FIFOs.
    unsafe fn least_depths(
        &self,
        _data: &Data,
        _bytes: &[u64],
        _intervals: &[u32],
        _depths: &mut [u32],
    ) -> u64 {
        NEVER_ENDS
    }

    /// What becomes of each FIFO between processes in each part of the call: counts of
    /// [`Uses`], FIFO by FIFO and part by part.
    ///
    /// # Safety
    /// As for [`CallModel::cycles`]; `rows` are as many as FIFOs times parts.
    unsafe fn fifo_use(
        &self,
        _data: &Data,
        _bytes: &[u64],
        _intervals: &[u32],
        _part_cycles: u64,
        _rows: (u32, &mut [Uses]),
    ) {
    }

    /// When each loop of the call is entered and left, with its number, as many times as there is
    /// `room` for; and how many there are. Nothing of a package that does not tell.
    ///
    /// # Safety
    /// As for [`CallModel::cycles`].
    unsafe fn loops(
        &self,
        _data: &Data,
        _bytes: &[u64],
        _intervals: &[u32],
        _room: usize,
        _apart: bool,
    ) -> Option<(Vec<[u64; 3]>, u64)> {
        None
    }

    /// What the polls of the call answer at which this thread has looked last.
    fn answers(&self) -> Answers {
        Answers::default()
    }

    /// Why the last look ahead of this thread came to [`NEVER_ENDS`] or [`EXCEEDS`], or to
    /// [`Traced::Exceeds`]: which process waits for what, or what is more than hardware was given.
    fn reason(&self) -> String {
        String::new()
    }
}

/// What becomes of a FIFO in a part of a call, as C counts it: records given and taken, and cycles
/// that a process waits for a record and for room.
pub type Uses = [u64; 4];

/// What the polls of a call's processes answer in hardware: of each process, in the order in which
/// they start, in the order in which it asks.
#[derive(Debug, Default)]
pub struct Answers {
    rows: Vec<AnswersRow>,
    /// What the rows point to.
    _answers: Vec<Box<[u8]>>,
}

impl Answers {
    pub(super) fn new(answers: Vec<Box<[u8]>>) -> Self {
        let rows = answers
            .iter()
            .map(|of| AnswersRow { answers: of.as_ptr(), count: of.len() as u64 })
            .collect();
        Self { rows, _answers: answers }
    }

    /// As C is given them: a row a process.
    pub fn rows(&self) -> &[AnswersRow] {
        &self.rows
    }
}

/// `tandem_polls` (include/tandem.h).
#[repr(C)]
#[derive(Debug)]
pub struct AnswersRow {
    /// 1 where there was a record, or room.
    pub answers: *const u8,
    /// How many.
    pub count: u64,
}
