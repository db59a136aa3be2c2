// SPDX-License-Identifier: Apache-2.0
//! What the engine asks of the system, past the C library: a program may have functions of its own
//! with the names of the library's (`read`, `write`, `mmap`), and these take the place of the
//! library's everywhere. The linker leads every use in the engine here (`build.rs`).

use std::arch::asm;
use std::ffi::{c_char, c_int, c_long, c_ulong, c_void};

use libc::{
    AT_FDCWD, AT_SYMLINK_NOFOLLOW, c_uint, mode_t, off64_t, pid_t, size_t, ssize_t, stat64,
};

/// The kernel's own answer: a result, or an error number below 0.
#[cfg(target_arch = "x86_64")]
unsafe fn ask(number: c_long, given: [usize; 6]) -> isize {
    let [a, b, c, d, e, f] = given;
    let answer: isize;
    // SAFETY: as the system's call of that number (System V ABI, A.2.1).
    unsafe {
        asm!("syscall", inlateout("rax") number as isize => answer, in("rdi") a, in("rsi") b,
             in("rdx") c, in("r10") d, in("r8") e, in("r9") f, lateout("rcx") _, lateout("r11") _,
             options(nostack));
    }
    answer
}

/// The kernel's own answer: a result, or an error number below 0.
#[cfg(target_arch = "aarch64")]
unsafe fn ask(number: c_long, given: [usize; 6]) -> isize {
    let [a, b, c, d, e, f] = given;
    let answer: isize;
    // SAFETY: as the system's call of that number (syscall(2)).
    unsafe {
        asm!("svc 0", inlateout("x0") a as isize => answer, in("x1") b, in("x2") c, in("x3") d,
             in("x4") e, in("x5") f, in("x8") number, options(nostack));
    }
    answer
}

/// As the C library tells it: -1, and the error's number in `errno`.
unsafe fn told(number: c_long, given: [usize; 6]) -> isize {
    // SAFETY: the caller's promise.
    let answer = unsafe { ask(number, given) };
    if !(-4095..0).contains(&answer) {
        return answer;
    }
    // SAFETY: the thread's own.
    unsafe { *libc::__errno_location() = -answer as c_int };
    -1
}

/// Functions of the C library's names and types, each one call of the system.
macro_rules! asked {
    ($($name:ident ($($given:ident : $kind:ty),*) -> $result:ty = $number:expr, [$($use:expr),*];)*) => {$(
        /// # Safety
        /// As the system's call.
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name($($given: $kind),*) -> $result {
            let mut given = [0; 6];
            let uses: &[usize] = &[$($use as usize),*];
            given[..uses.len()].copy_from_slice(uses);
            // SAFETY: the caller's promise.
            unsafe { told($number, given) as $result }
        }
    )*};
}

type Memory = *mut c_void;
type Text = *const c_char;

asked! {
    __wrap_read(fd: c_int, to: Memory, bytes: size_t) -> ssize_t = libc::SYS_read, [fd, to, bytes];
    __wrap_write(fd: c_int, from: Memory, bytes: size_t) -> ssize_t = libc::SYS_write,
        [fd, from, bytes];
    __wrap_writev(fd: c_int, parts: Memory, count: c_int) -> ssize_t = libc::SYS_writev,
        [fd, parts, count];
    __wrap_close(fd: c_int) -> c_int = libc::SYS_close, [fd];
    __wrap_lseek64(fd: c_int, to: off64_t, from: c_int) -> off64_t = libc::SYS_lseek, [fd, to, from];
    __wrap_open64(path: Text, flags: c_int, mode: mode_t) -> c_int = libc::SYS_openat,
        [AT_FDCWD, path, flags, mode];
    __wrap_fstat64(fd: c_int, to: *mut stat64) -> c_int = libc::SYS_fstat, [fd, to];
    __wrap_stat64(path: Text, to: *mut stat64) -> c_int = libc::SYS_newfstatat,
        [AT_FDCWD, path, to, 0];
    __wrap_lstat64(path: Text, to: *mut stat64) -> c_int = libc::SYS_newfstatat,
        [AT_FDCWD, path, to, AT_SYMLINK_NOFOLLOW];
    __wrap_statx(fd: c_int, path: Text, flags: c_int, mask: c_uint, to: Memory) -> c_int =
        libc::SYS_statx, [fd, path, flags, mask, to];
    __wrap_readlink(path: Text, to: Memory, bytes: size_t) -> ssize_t = libc::SYS_readlinkat,
        [AT_FDCWD, path, to, bytes];
    __wrap_rename(old: Text, new: Text) -> c_int = libc::SYS_renameat2,
        [AT_FDCWD, old, AT_FDCWD, new, 0];
    __wrap_unlink(path: Text) -> c_int = libc::SYS_unlinkat, [AT_FDCWD, path, 0];
    __wrap_pipe2(ends: Memory, flags: c_int) -> c_int = libc::SYS_pipe2, [ends, flags];
    __wrap_memfd_create(name: Text, flags: c_uint) -> c_int = libc::SYS_memfd_create, [name, flags];
    __wrap_mmap(at: Memory, bytes: size_t, access: c_int, flags: c_int, fd: c_int, from: off64_t)
        -> Memory = libc::SYS_mmap, [at, bytes, access, flags, fd, from];
    __wrap_mmap64(at: Memory, bytes: size_t, access: c_int, flags: c_int, fd: c_int, from: off64_t)
        -> Memory = libc::SYS_mmap, [at, bytes, access, flags, fd, from];
    __wrap_munmap(at: Memory, bytes: size_t) -> c_int = libc::SYS_munmap, [at, bytes];
    __wrap_mprotect(at: Memory, bytes: size_t, access: c_int) -> c_int = libc::SYS_mprotect,
        [at, bytes, access];
    __wrap_mremap(at: Memory, old: size_t, new: size_t, flags: c_int, to: Memory) -> Memory =
        libc::SYS_mremap, [at, old, new, flags, to];
    __wrap_madvise(at: Memory, bytes: size_t, advice: c_int) -> c_int = libc::SYS_madvise,
        [at, bytes, advice];
    __wrap_mlock(at: Memory, bytes: size_t) -> c_int = libc::SYS_mlock, [at, bytes];
    __wrap_getpid() -> pid_t = libc::SYS_getpid, [];
    __wrap_gettid() -> pid_t = libc::SYS_gettid, [];
    __wrap_getrandom(to: Memory, bytes: size_t, flags: c_uint) -> ssize_t = libc::SYS_getrandom,
        [to, bytes, flags];
    __wrap_waitpid(child: pid_t, status: Memory, options: c_int) -> pid_t = libc::SYS_wait4,
        [child, status, options, 0];
    __wrap_syscall(number: c_long, a: usize, b: usize, c: usize, d: usize, e: usize, f: usize)
        -> c_long = number, [a, b, c, d, e, f];
}

/// Whether there is memory for 8 bytes at a place, which may be anything.
pub fn is_readable(place: *const u8) -> bool {
    const NO_SUCH_WAY: usize = usize::MAX;
    // SAFETY: the system reads a set of signals there, and then refuses what it is to do with it.
    let answer =
        unsafe { ask(libc::SYS_rt_sigprocmask, [NO_SUCH_WAY, place as usize, 0, 8, 0, 0]) };
    answer != -(libc::EFAULT as isize)
}

/// # Safety
/// As getcwd(3), which gives the place for success.
#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap_getcwd(to: *mut c_char, bytes: size_t) -> *mut c_char {
    // SAFETY: the caller's promise.
    let answer = unsafe { told(libc::SYS_getcwd, [to as usize, bytes, 0, 0, 0, 0]) };
    if answer < 0 { std::ptr::null_mut() } else { to }
}

/// # Safety
/// As poll(2).
#[unsafe(no_mangle)]
unsafe extern "C" fn __wrap_poll(rows: Memory, count: c_ulong, ms: c_int) -> c_int {
    let ns = c_long::from(ms % 1000) * 1_000_000;
    let limit = libc::timespec { tv_sec: (ms / 1000).into(), tv_nsec: ns };
    let limit = if ms < 0 { 0 } else { &raw const limit as usize };
    // SAFETY: the caller's promise.
    unsafe { told(libc::SYS_ppoll, [rows as usize, count as usize, limit, 0, 0, 0]) as c_int }
}
