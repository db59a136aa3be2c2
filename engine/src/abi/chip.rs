// SPDX-License-Identifier: Apache-2.0
//! The part of the C ABI for systems on one chip.

use std::ffi::{c_char, c_int};
use std::path::Path;

use super::{answer, null, text, write_text};
use crate::chip::bus::pins::TandemPins;
use crate::chip::bus::protocols::wishbone;
use crate::chip::bus::{Device, PROTOCOLS, Protocol, Request as Access};
use crate::chip::memory::Memory;
use crate::chip::request::{KernelRequest, Request};
use crate::chip::run::{Run, State};
use crate::chip::settings::ChipSettings;
use crate::chip::shell::Shell;
use crate::error::{Error, Result, Status};
use crate::schema::Changes;
use crate::schema::reader::has_table;

/// A run, as C sees it.
pub struct TandemChip(Run);

/// See `tandem.h`.
///
/// # Safety
/// `path` is null or a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tandem_platform_is_chip(path: *const c_char) -> c_int {
    answer(|| {
        // SAFETY: the caller's promise.
        let path = unsafe { text(path, "path")? }.to_string_lossy();
        let content = std::fs::read_to_string(&*path);
        Ok(i64::from(content.is_ok_and(|content| has_table(&content, "chip"))))
    }) as c_int
}

/// See `tandem.h`.
///
/// # Safety
/// `path` and `changes` are null or C strings, `json` null or valid for `bytes` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tandem_chip_json(
    path: *const c_char,
    changes: *const c_char,
    json: *mut c_char,
    bytes: usize,
) -> i64 {
    answer(|| {
        // SAFETY: the caller's promise.
        unsafe {
            let path = text(path, "path")?.to_string_lossy();
            let changes = text(changes, "changes")?.to_string_lossy();
            let content = std::fs::read_to_string(Path::new(&*path)).map_err(|error| {
                Error::new(Status::BadPlatform, format!("{path}: error: {error}"))
            })?;
            let settings = ChipSettings::parse(&path, &content, Changes(&changes))?;
            Ok(write_text(&settings.to_json()?, json, bytes))
        }
    })
}

/// See `tandem.h`.
///
/// # Safety
/// `request` is null or a C string, `chip` null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tandem_chip_open(
    request: *const c_char,
    chip: *mut *mut TandemChip,
) -> c_int {
    answer(|| {
        // SAFETY: the caller's promise.
        let (request, chip) =
            unsafe { (text(request, "request")?, chip.as_mut().ok_or_else(|| null("chip"))?) };
        let request: Request = serde_json::from_slice(request.to_bytes())
            .map_err(|error| Error::new(Status::BadArgument, format!("request: {error}")))?;
        *chip = Box::into_raw(Box::new(TandemChip(Run::new(request)?)));
        Ok(0)
    }) as c_int
}

/// # Safety
/// `chip` is null or from [`tandem_chip_open`].
unsafe fn run_of<'a>(chip: *mut TandemChip) -> Result<&'a mut Run> {
    // SAFETY: the caller's promise.
    unsafe { chip.as_mut() }.map(|chip| &mut chip.0).ok_or_else(|| null("chip"))
}

/// See `tandem.h`.
///
/// # Safety
/// `chip` is null or from [`tandem_chip_open`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tandem_chip_run(chip: *mut TandemChip, cycles: u64) -> c_int {
    answer(|| {
        // SAFETY: the caller's promise.
        let state = unsafe { run_of(chip) }?.go_on(cycles)?;
        Ok(match state {
            State::Ended => 0,
            State::Running => 1,
            State::Stopped => 2,
        })
    }) as c_int
}

/// See `tandem.h`.
///
/// # Safety
/// `chip` is null or from [`tandem_chip_open`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tandem_chip_end_wave(chip: *mut TandemChip) -> c_int {
    answer(|| {
        // SAFETY: the caller's promise.
        unsafe { run_of(chip) }?.end_wave()?;
        Ok(0)
    }) as c_int
}

/// See `tandem.h`.
///
/// # Safety
/// `chip` is null or from [`tandem_chip_open`], `json` null or valid for `bytes` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tandem_chip_report(
    chip: *mut TandemChip,
    json: *mut c_char,
    bytes: usize,
) -> i64 {
    answer(|| {
        // SAFETY: the caller's promise.
        let report = unsafe { run_of(chip) }?.report();
        let written = serde_json::to_string_pretty(&report)
            .map_err(|error| Error::new(Status::Internal, error.to_string()))?;
        // SAFETY: the caller's promise.
        Ok(unsafe { write_text(&written, json, bytes) })
    })
}

/// See `tandem.h`.
///
/// # Safety
/// `chip` is null or from [`tandem_chip_open`], `place` null or valid for `bytes` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tandem_chip_place(
    chip: *mut TandemChip,
    place: *mut c_char,
    bytes: usize,
) -> i64 {
    answer(|| {
        // SAFETY: the caller's promise.
        let shown = unsafe { run_of(chip) }?.place();
        // SAFETY: the caller's promise.
        Ok(unsafe { write_text(&shown, place, bytes) })
    })
}

/// See `tandem.h`.
///
/// # Safety
/// `chip` is null or from [`tandem_chip_open`], and not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tandem_chip_close(chip: *mut TandemChip) {
    if !chip.is_null() {
        // SAFETY: the caller's promise.
        drop(unsafe { Box::from_raw(chip) });
    }
}

/// `struct tandem_access`: an access of a shell, and what has come of it.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct TandemAccess {
    /// Cycles from the acknowledgement of the one before to this request; at least 1.
    pub(super) idle_cycles: u32,
    /// The register: 0, 4 or 8.
    pub(super) offset: u32,
    /// Whether it is written.
    pub(super) is_write: u32,
    /// What is written, or was read.
    pub(super) word: u32,
    /// The cycle of the acknowledgement.
    pub(super) acknowledged: u64,
}

/// See `tandem.h`.
///
/// # Safety
/// `kernel` is null or a C string, `accesses` null or valid for `count`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tandem_shell_replay(
    kernel: *const c_char,
    accesses: *mut TandemAccess,
    count: usize,
) -> c_int {
    answer(|| {
        if accesses.is_null() {
            return Err(null("accesses"));
        }
        // SAFETY: the caller's promise.
        let (kernel, accesses) =
            unsafe { (text(kernel, "kernel")?, std::slice::from_raw_parts_mut(accesses, count)) };
        let kernel: KernelRequest = serde_json::from_slice(kernel.to_bytes())
            .map_err(|error| Error::new(Status::BadArgument, format!("kernel: {error}")))?;
        replay(kernel.shell()?, accesses)?;
        Ok(0)
    }) as c_int
}

fn replay(mut shell: Shell, accesses: &mut [TandemAccess]) -> Result<()> {
    let (mut at, mut bus) = (0, wishbone::PROTOCOL.at_rest());
    let mut memory = Memory::new(&[]);
    for access in accesses {
        at += u64::from(access.idle_cycles);
        let is_write = access.is_write != 0;
        if !shell.has(access.offset, is_write) {
            return Err(Error::new(Status::BadArgument, "a shell has no such register"));
        }
        let asked = Access::whole(access.offset, is_write.then_some(access.word));
        let (word, acknowledged) = bus
            .transfer(at, asked, &mut shell, &mut memory)
            .ok_or_else(|| Error::new(Status::Internal, "a shell does not answer"))?;
        if !is_write {
            access.word = word;
        }
        (access.acknowledged, at) = (acknowledged, acknowledged);
        refuse_fault(&shell)?;
    }
    Ok(())
}

fn refuse_fault(shell: &Shell) -> Result<()> {
    let fault = shell.fault.clone();
    fault.map_or(Ok(()), |fault| Err(Error::new(Status::WrongResult, fault)))
}

/// See `tandem.h`.
///
/// # Safety
/// `kernel` and `protocol` are null or C strings, `cycles` null or valid for `count`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tandem_front_replay(
    kernel: *const c_char,
    protocol: *const c_char,
    cycles: *mut TandemPins,
    count: usize,
) -> c_int {
    answer(|| {
        // SAFETY: the caller's promise.
        let (kernel, protocol, cycles) =
            unsafe { (text(kernel, "kernel")?, protocol_of(protocol)?, cycles_of(cycles, count)?) };
        let kernel: KernelRequest = serde_json::from_slice(kernel.to_bytes())
            .map_err(|error| Error::new(Status::BadArgument, format!("kernel: {error}")))?;
        let mut shell = kernel.shell()?;
        protocol.replay_front(&mut shell, cycles);
        refuse_fault(&shell)?;
        Ok(0)
    }) as c_int
}

/// See `tandem.h`.
///
/// # Safety
/// `protocol` is null or a C string, `cycles` null or valid for `count`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tandem_bridge_replay(
    protocol: *const c_char,
    cycles: *mut TandemPins,
    count: usize,
) -> c_int {
    answer(|| {
        // SAFETY: the caller's promise.
        let (protocol, cycles) = unsafe { (protocol_of(protocol)?, cycles_of(cycles, count)?) };
        protocol.replay_bridge(cycles);
        Ok(0)
    }) as c_int
}

/// # Safety
/// `name` is null or a C string.
unsafe fn protocol_of(name: *const c_char) -> Result<&'static Protocol> {
    // SAFETY: the caller's promise.
    let name = unsafe { text(name, "protocol")? }.to_string_lossy();
    let found = PROTOCOLS.iter().find(|protocol| protocol.name == name);
    let unknown = || Error::new(Status::BadArgument, format!("{name}: no protocol of a bus"));
    found.ok_or_else(unknown)
}

/// # Safety
/// `cycles` is null or valid for `count`, for as long as the result is used.
unsafe fn cycles_of<'a>(cycles: *mut TandemPins, count: usize) -> Result<&'a mut [TandemPins]> {
    if cycles.is_null() {
        return Err(null("cycles"));
    }
    // SAFETY: the caller's promise.
    Ok(unsafe { std::slice::from_raw_parts_mut(cycles, count) })
}
