// SPDX-License-Identifier: Apache-2.0
//! How the program has the processor round: hardware rounds to nearest, and keeps numbers that are
//! less than normal.

/// Whether floating-point numbers are computed as the hardware does it.
#[cfg(target_arch = "x86_64")]
pub fn is_default() -> bool {
    /// Of MXCSR: flush to zero, the rounding mode, denormals are zeros (Intel SDM, volume 1, 10.2.3).
    const CHANGED: u32 = 1 << 15 | 3 << 13 | 1 << 6;
    let mut control = 0u32;
    // SAFETY: stores 32 bits where they have room.
    unsafe { std::arch::asm!("stmxcsr [{}]", in(reg) &raw mut control, options(nostack)) };
    control & CHANGED == 0
}

/// Whether floating-point numbers are computed as the hardware does it.
#[cfg(target_arch = "aarch64")]
pub fn is_default() -> bool {
    /// Of FPCR: the rounding mode, flush to zero (Arm ARM, C5.2.8).
    const CHANGED: u64 = 3 << 22 | 1 << 24;
    let control: u64;
    // SAFETY: reads a register.
    unsafe { std::arch::asm!("mrs {}, fpcr", out(reg) control, options(nomem, nostack)) };
    control & CHANGED == 0
}

/// Whether floating-point numbers are computed as the hardware does it: it is taken to be so.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub fn is_default() -> bool {
    true
}
