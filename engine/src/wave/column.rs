// SPDX-License-Identifier: Apache-2.0
//! Numbers in rows of memory, as a model leaves them.

/// A number in each of some rows that follow each other.
pub struct Column<'r> {
    data: &'r [u64],
    row_bytes: usize,
    pub(super) rows: usize,
    place: usize,
    mask: u64,
}

impl<'r> Column<'r> {
    /// That at a byte of each of so many rows, of which it is these bits; eight bytes from there on are in
    /// the row.
    pub fn new(data: &'r [u64], rows: usize, place: usize, mask: u64) -> Self {
        let row_bytes = size_of_val(data) / rows.max(1);
        assert!(rows > 0 && place + size_of::<u64>() <= row_bytes, "a column beside its rows");
        Self { data, row_bytes, rows, place, mask }
    }

    #[inline(always)]
    pub(super) fn number(&self, row: usize) -> u64 {
        debug_assert!(row < self.rows, "a row behind the last");
        let start = self.data.as_ptr().cast::<u8>();
        let place = start.wrapping_add(row * self.row_bytes + self.place);
        // SAFETY: the row is there, and in it eight bytes from the column's place on.
        unsafe { place.cast::<u64>().read_unaligned() & self.mask }
    }

    /// Whether any of the first row's bits is there.
    pub fn has_any(&self) -> bool {
        self.number(0) != 0
    }
}
