// SPDX-License-Identifier: Apache-2.0
//! The host of a simulated program: its files, console, arguments and end, by the operations of
//! Arm's semihosting (Semihosting for AArch32 and AArch64, 2.0). Each takes no time on the chip.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::fd::FromRawFd;
use std::path::PathBuf;

use super::memory::Memory;

/// What `SYS_EXIT` says of a program that has come to its own end (ADP_Stopped_ApplicationExit).
const APPLICATION_EXIT: u32 = 0x20026;
/// The name under which programs open the console (`SYS_OPEN`).
const CONSOLE: &str = ":tt";
const FAILED: u32 = u32::MAX;
/// A program that ends otherwise has been aborted.
const ABORTED: i32 = 134;
/// The errno that C libraries know for "no such file", where the system tells none.
const NO_SUCH_FILE: i32 = 2;

/// What a program has open, and how it has ended.
pub struct Host {
    arguments: Vec<String>,
    files: BTreeMap<u32, File>,
    next: u32,
    errno: i32,
    /// The descriptor of the console's output.
    output: i32,
    /// Its exit status, when it has ended.
    pub exit: Option<i32>,
}

impl Host {
    /// A host that has started a program with these arguments, its name first; `output` is the
    /// descriptor that its standard output goes to.
    pub fn new(arguments: Vec<String>, output: i32) -> Self {
        Self { arguments, files: BTreeMap::new(), next: 1, errno: 0, output, exit: None }
    }

    /// Does what a program asks for; `micros` is the chip's time.
    pub fn serve(&mut self, operation: u32, place: u32, memory: &mut Memory, micros: u64) -> u32 {
        let word = |index: u32| parameter(memory, place, index);
        match operation {
            0x01 => self.open(memory, word(0), word(1), word(2)),
            0x02 => self.files.remove(&word(0)).map_or(FAILED, |_| 0),
            0x03 => self.print(memory.bytes(place, 1).map(<[u8]>::to_vec)),
            0x04 => self.print(text(memory, place)),
            0x05 => self.write(memory, word(0), word(1), word(2)),
            0x06 => self.read(memory, word(0), word(1), word(2)),
            0x07 => self.read_byte(),
            0x08 => u32::from(word(0).cast_signed() < 0),
            0x09 => u32::from(self.is_console(word(0))),
            0x0a => self.seek(word(0), SeekFrom::Start(u64::from(word(1)))),
            0x0c => self.length(word(0)),
            0x0e => {
                let name = name_of(memory, word(0), word(1));
                self.told(std::fs::remove_file(name))
            }
            0x0f => {
                let names = (name_of(memory, word(0), word(1)), name_of(memory, word(2), word(3)));
                self.told(std::fs::rename(names.0, names.1))
            }
            0x10 => (micros / 10_000) as u32,
            0x11 => (micros / 1_000_000) as u32,
            0x13 => self.errno.cast_unsigned(),
            0x15 => self.command_line(memory, place),
            0x18 => self.end(if place == APPLICATION_EXIT { 0 } else { ABORTED }),
            0x20 if word(0) == APPLICATION_EXIT => self.end(word(1).cast_signed() & 0xff),
            0x20 => self.end(ABORTED),
            0x30 => elapsed(memory, place, micros),
            0x31 => 1_000_000,
            _ => FAILED,
        }
    }

    fn end(&mut self, status: i32) -> u32 {
        self.exit = Some(status);
        0
    }

    fn told(&mut self, done: std::io::Result<()>) -> u32 {
        match done {
            Ok(()) => 0,
            Err(error) => {
                self.errno = error.raw_os_error().unwrap_or(NO_SUCH_FILE);
                FAILED
            }
        }
    }

    fn open(&mut self, memory: &Memory, name: u32, mode: u32, length: u32) -> u32 {
        let path = name_of(memory, name, length);
        let opened = match path.to_str() {
            Some(CONSOLE) => console(mode, self.output),
            _ => options(mode).open(path),
        };
        match opened {
            Ok(file) => {
                let handle = self.next;
                self.next += 1;
                self.files.insert(handle, file);
                handle
            }
            Err(error) => self.told(Err(error)),
        }
    }

    fn is_console(&self, handle: u32) -> bool {
        let fd = self.files.get(&handle).map(std::os::fd::AsRawFd::as_raw_fd);
        // SAFETY: asks about a descriptor and changes nothing.
        fd.is_some_and(|fd| unsafe { libc::isatty(fd) } == 1)
    }

    fn print(&mut self, bytes: Option<Vec<u8>>) -> u32 {
        let written =
            console(4, self.output).and_then(|mut file| file.write_all(&bytes.unwrap_or_default()));
        self.told(written)
    }

    /// A byte of the program's input, or that there is none any more.
    fn read_byte(&mut self) -> u32 {
        let mut byte = [0];
        match console(0, self.output).and_then(|mut file| file.read(&mut byte)) {
            Ok(1) => byte[0].into(),
            _ => FAILED,
        }
    }

    /// Prints what has come over a line.
    pub fn print_byte(&mut self, byte: u8) {
        self.print(Some(vec![byte]));
    }

    /// How many bytes were not written.
    fn write(&mut self, memory: &Memory, handle: u32, from: u32, count: u32) -> u32 {
        let (Some(file), Some(bytes)) =
            (self.files.get_mut(&handle), memory.bytes(from, count as usize))
        else {
            return count;
        };
        match file.write_all(bytes) {
            Ok(()) => 0,
            Err(error) => {
                self.told(Err(error));
                count
            }
        }
    }

    /// How many bytes were not read.
    fn read(&mut self, memory: &mut Memory, handle: u32, to: u32, count: u32) -> u32 {
        let (Some(file), Some(bytes)) =
            (self.files.get_mut(&handle), memory.bytes_mut(to, count as usize))
        else {
            return count;
        };
        match file.read(bytes) {
            Ok(read) => count - read as u32,
            Err(error) => {
                self.told(Err(error));
                count
            }
        }
    }

    fn seek(&mut self, handle: u32, to: SeekFrom) -> u32 {
        let Some(file) = self.files.get_mut(&handle) else { return FAILED };
        let sought = file.seek(to).map(|_| ());
        self.told(sought)
    }

    fn length(&mut self, handle: u32) -> u32 {
        let Some(file) = self.files.get(&handle) else { return FAILED };
        match file.metadata() {
            // One that has no length of 32 bits has none that can be told.
            Ok(found) => u32::try_from(found.len()).unwrap_or(FAILED),
            Err(error) => self.told(Err(error)),
        }
    }

    /// The arguments, a zero byte behind each; in place of the room's size, how much that is.
    fn command_line(&mut self, memory: &mut Memory, place: u32) -> u32 {
        let line: Vec<u8> =
            self.arguments.iter().flat_map(|word| word.bytes().chain([0])).collect();
        let (to, room) = (parameter(memory, place, 0), parameter(memory, place, 1));
        let Some(bytes) = memory.bytes_mut(to, line.len()).filter(|_| line.len() <= room as usize)
        else {
            return FAILED;
        };
        bytes.copy_from_slice(&line);
        memory.write(0, place + 4, line.len() as u32, 0xf);
        0
    }
}

/// A parameter of a request; 0 where there is no memory.
fn parameter(memory: &Memory, place: u32, index: u32) -> u32 {
    let bytes = memory.bytes(place.wrapping_add(4 * index), 4);
    bytes.and_then(|bytes| bytes.try_into().ok()).map_or(0, u32::from_le_bytes)
}

fn name_of(memory: &Memory, place: u32, length: u32) -> PathBuf {
    let bytes = memory.bytes(place, length as usize).unwrap_or_default();
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}

/// A text up to its zero byte.
fn text(memory: &Memory, place: u32) -> Option<Vec<u8>> {
    let byte = |offset: u32| Some(*memory.bytes(place.wrapping_add(offset), 1)?.first()?);
    Some((0..).map_while(byte).take_while(|&byte| byte != 0).collect())
}

fn elapsed(memory: &mut Memory, place: u32, micros: u64) -> u32 {
    for (index, half) in [micros as u32, (micros >> 32) as u32].into_iter().enumerate() {
        if memory.write(0, place + 4 * index as u32, half, 0xf).is_none() {
            return FAILED;
        }
    }
    0
}

/// The program's input, output or errors: by how it opens the console (`SYS_OPEN`).
fn console(mode: u32, output: i32) -> std::io::Result<File> {
    let fd = match mode {
        0..4 => 0,
        4..8 => output,
        _ => 2,
    };
    // SAFETY: a copy of the descriptor, which the file then owns.
    let own = unsafe { libc::dup(fd) };
    if own < 0 {
        return Err(std::io::Error::last_os_error());
    }
    // SAFETY: it is open, and nobody else's.
    Ok(unsafe { File::from_raw_fd(own) })
}

/// As fopen's modes r, rb, r+, r+b, w, wb, w+, w+b, a, ab, a+, a+b.
fn options(mode: u32) -> OpenOptions {
    let mut options = OpenOptions::new();
    let is_both = mode & 2 != 0;
    match mode {
        0..4 => options.read(true).write(is_both),
        4..8 => options.write(true).create(true).truncate(true).read(is_both),
        _ => options.append(true).create(true).read(is_both),
    };
    options
}
