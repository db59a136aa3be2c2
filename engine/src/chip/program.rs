// SPDX-License-Identifier: Apache-2.0
//! A program for a chip: an ELF file, and where in it functions are.

use std::ops::Range;
use std::path::Path;

use object::elf::{EM_ARM, EM_RISCV, FileHeader32};
use object::read::elf::{FileHeader, ProgramHeader, Sym};
use object::{Endianness, elf};

use crate::cores::HasTwin;
use crate::cores::rv32::{Operation, RISC_V, decode, is_compressed};
use crate::cores::strongarm::StrongArm;
use crate::error::{Error, Result, Status};

/// What a program is made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Machine {
    /// 32-bit RISC-V.
    RiscV,
    /// 32-bit ARM.
    Arm,
}

impl Machine {
    /// Its number in ELF files (System V ABI, `e_machine`), and its name for people.
    fn told(self) -> (u16, &'static str) {
        match self {
            Self::RiscV => (EM_RISCV, "a 32-bit RISC-V"),
            Self::Arm => (EM_ARM, "a 32-bit ARM"),
        }
    }

    /// What of the 4 bytes at an address is the instruction there.
    pub fn instruction(self, word: u32) -> u32 {
        match self {
            Self::RiscV if is_compressed(word) => word & 0xffff,
            _ => word,
        }
    }

    /// The number of the stack pointer.
    pub fn stack_register(self) -> u8 {
        let convention = match self {
            Self::RiscV => RISC_V,
            Self::Arm => StrongArm::CONVENTION,
        };
        convention.stack as u8
    }

    /// Whether an instruction computes the stack pointer from itself.
    pub fn moves_stack_pointer(self, word: u32) -> bool {
        match self {
            Self::RiscV => {
                let it = decode(word);
                let is_sum = matches!(it.operation, Operation::Add | Operation::Sub);
                is_sum && it.rd == self.stack_register() && it.rs1 == it.rd
            }
            // sub sp, sp, of anything (ARM Architecture Reference Manual, A3.4).
            Self::Arm => word & 0x0def_f000 == 0x004d_d000,
        }
    }
}

/// A part of the memory as the program begins with it.
#[derive(Debug, Clone)]
pub struct Segment {
    /// The first address.
    pub address: u32,
    /// What is there.
    pub content: Vec<u8>,
    /// How much there is of it: behind the content are zeros.
    pub bytes: u32,
    /// Whether the program may write there.
    pub is_writable: bool,
}

/// A name of the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// As the linker has it.
    pub name: String,
    /// Its address.
    pub address: u32,
    /// How many bytes it has.
    pub bytes: u32,
    /// Whether it is a function.
    pub is_function: bool,
}

/// A program.
#[derive(Debug, Clone, Default)]
pub struct Program {
    /// Its memory, in no order.
    pub segments: Vec<Segment>,
    /// Its names, by address.
    pub symbols: Vec<Symbol>,
    /// Where it begins.
    pub entry: u32,
}

impl Program {
    /// Reads a file.
    ///
    /// # Errors
    /// [`Status::BadArgument`] if it is none for the machine.
    pub fn load(path: &Path, machine: Machine) -> Result<Self> {
        let shown = path.display();
        let bad = |why: &str| Error::new(Status::BadArgument, format!("{shown}: {why}"));
        let data = std::fs::read(path).map_err(|error| bad(&error.to_string()))?;
        Self::parse(&data, machine).map_err(|why| bad(&why))
    }

    fn parse(data: &[u8], machine: Machine) -> std::result::Result<Self, String> {
        let (number, name) = machine.told();
        let not_ours = |found: String| format!("{found}; expected a program for {name}");
        let header = FileHeader32::<Endianness>::parse(data)
            .map_err(|_| not_ours("not a 32-bit ELF file".to_string()))?;
        let cut_short = |error: object::read::Error| format!("a damaged ELF file: {error}");
        let endian = header.endian().map_err(cut_short)?;
        let found = header.e_machine(endian);
        if found != number || endian != Endianness::Little {
            return Err(not_ours(format!("an ELF file for machine {found}")));
        }
        if header.e_type(endian) != elf::ET_EXEC {
            return Err(not_ours("an ELF file that was not linked".to_string()));
        }
        let mut program = Self { entry: header.e_entry(endian), ..Self::default() };
        for segment in header.program_headers(endian, data).map_err(cut_short)? {
            if segment.p_type(endian) == elf::PT_LOAD {
                let content = segment.data(endian, data);
                program.segments.push(Segment {
                    address: segment.p_paddr(endian),
                    content: content.map_err(|()| "a damaged ELF file".to_string())?.to_vec(),
                    bytes: segment.p_memsz(endian),
                    is_writable: segment.p_flags(endian) & elf::PF_W != 0,
                });
            }
        }
        program.symbols = symbols(header, endian, data).map_err(cut_short)?;
        Ok(program)
    }

    /// The addresses of code and constants before all that may be written.
    pub fn read_only(&self) -> Range<u32> {
        let fixed = self.segments.iter().filter(|segment| !segment.is_writable);
        let ends = fixed.clone().map(|segment| segment.address.saturating_add(segment.bytes));
        let first = fixed.map(|segment| segment.address).min().unwrap_or_default();
        let written = self.segments.iter().filter(|segment| segment.is_writable);
        let begin = written.map(|segment| segment.address).min().unwrap_or(u32::MAX);
        first..ends.filter(|&end| end <= begin).max().unwrap_or(first)
    }

    /// The address of a name.
    ///
    /// # Errors
    /// [`Status::BadArgument`] without it.
    pub fn address(&self, name: &str) -> Result<u32> {
        let found = self.symbols.iter().find(|symbol| symbol.name == name);
        let missing = || Error::new(Status::BadArgument, format!("the program has no {name:?}"));
        found.map(|symbol| symbol.address).ok_or_else(missing)
    }

    /// The bytes of a name; none if there is no such name.
    pub fn range(&self, name: &str) -> Range<u32> {
        let found = self.symbols.iter().find(|symbol| symbol.name == name);
        found.map_or(0..0, |symbol| symbol.address..symbol.address.saturating_add(symbol.bytes))
    }

    /// Where a function's instructions begin, if nothing else is between them.
    pub fn instructions(&self, machine: Machine, function: &Symbol) -> impl Iterator<Item = u32> {
        let end = function.address.saturating_add(function.bytes.max(1));
        let next = move |&at: &u32| {
            let bytes = if machine.instruction(self.word(at)) >> 16 == 0 { 2 } else { 4 };
            let bytes = if machine == Machine::Arm { 4 } else { bytes };
            Some(at.saturating_add(bytes)).filter(|&next| next < end)
        };
        std::iter::successors(Some(function.address), next)
    }

    /// The 4 bytes at an address, as the program begins; zeros behind its end.
    fn word(&self, address: u32) -> u32 {
        let of = |segment: &Segment| {
            let place = address.checked_sub(segment.address)? as usize;
            let rest = segment.content.get(place..).filter(|rest| !rest.is_empty())?;
            Some((0..4).fold(0, |word, byte| {
                word | u32::from(rest.get(byte).copied().unwrap_or(0)) << (8 * byte)
            }))
        };
        self.segments.iter().find_map(of).unwrap_or_default()
    }

    /// Where an address is, for people: the name before it and how far behind that.
    pub fn place(&self, address: u32) -> String {
        let is_in = |one: &Segment| address.wrapping_sub(one.address) < one.bytes;
        if !self.segments.iter().any(is_in) {
            return format!("{address:#010x}");
        }
        let end = self.symbols.partition_point(|symbol| symbol.address <= address);
        match self.symbols.get(..end).and_then(|before| before.last()) {
            Some(symbol) if symbol.address == address => symbol.name.clone(),
            Some(symbol) => format!("{}+{}", symbol.name, address - symbol.address),
            None => format!("{address:#010x}"),
        }
    }
}

fn symbols(
    header: &FileHeader32<Endianness>,
    endian: Endianness,
    data: &[u8],
) -> object::read::Result<Vec<Symbol>> {
    let sections = header.sections(endian, data)?;
    let table = sections.symbols(endian, data, elf::SHT_SYMTAB)?;
    let mut found = Vec::new();
    for symbol in table.iter() {
        let name = String::from_utf8_lossy(symbol.name(endian, table.strings())?).into_owned();
        let is_named =
            matches!(symbol.st_type(), elf::STT_FUNC | elf::STT_OBJECT | elf::STT_NOTYPE);
        // Names that begin so are the assembler's own.
        if is_named && !name.is_empty() && !name.starts_with(['$', '.']) {
            found.push(Symbol {
                name,
                address: symbol.st_value(endian),
                bytes: symbol.st_size(endian),
                is_function: symbol.st_type() == elf::STT_FUNC,
            });
        }
    }
    found.sort_by_key(|symbol| symbol.address);
    Ok(found)
}
