// SPDX-License-Identifier: Apache-2.0
//! Where in the C an instruction comes from, as the program's debug information tells.

use gimli::{Dwarf, EndianSlice, LittleEndian, SectionId};
use object::elf::FileHeader32;
use object::read::elf::ElfFile;
use object::{Endianness, Object, ObjectSection};

type Text<'d> = EndianSlice<'d, LittleEndian>;

/// The file's name and the line of the instruction at an address of an ELF; nothing where that is not
/// told.
pub fn line_at(elf: &[u8], address: u32) -> Option<String> {
    let file = ElfFile::<FileHeader32<Endianness>>::parse(elf).ok()?;
    let section = |id: SectionId| -> Result<Text<'_>, gimli::Error> {
        let found = file.section_by_name(id.name()).and_then(|section| section.data().ok());
        Ok(EndianSlice::new(found.unwrap_or_default(), LittleEndian))
    };
    let dwarf = Dwarf::load(section).ok()?;
    let mut units = dwarf.units();
    while let Ok(Some(header)) = units.next() {
        let found = dwarf.unit(header).ok().and_then(|unit| in_unit(&dwarf, &unit, address));
        if found.is_some() {
            return found;
        }
    }
    None
}

fn in_unit<'d>(
    dwarf: &Dwarf<Text<'d>>,
    unit: &gimli::Unit<Text<'d>>,
    address: u32,
) -> Option<String> {
    let mut rows = unit.line_program.clone()?.rows();
    let mut before: Option<(u64, u64, u64)> = None;
    while let Ok(Some((header, row))) = rows.next_row() {
        // A row is of all instructions up to the next one of its sequence.
        let covers = |(from, ..): (u64, u64, u64)| (from..row.address()).contains(&address.into());
        if let Some((_, file, line)) = before.filter(|&row| covers(row)) {
            let name = dwarf.attr_string(unit, header.file(file)?.path_name()).ok()?;
            let name = name.to_string_lossy();
            let name = name.rsplit('/').next().unwrap_or_default();
            return Some(format!("{name}:{line}"));
        }
        let line = row.line().map_or(0, std::num::NonZero::get);
        before = (!row.end_sequence()).then_some((row.address(), row.file_index(), line));
    }
    None
}
