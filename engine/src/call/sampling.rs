// SPDX-License-Identifier: Apache-2.0
//! Timing the C function of a call as a program has it that makes many, without a trace in the
//! program: before the call a child process with a copy of the program's memory runs it again and
//! again, tells the time of one run and ends. What the function writes is before each run as it was
//! before the call.

use std::ffi::c_void;
use std::fs::File;
use std::io::Read;
use std::os::fd::FromRawFd;
use std::ptr::null_mut;
use std::time::Duration;

use libc::{c_int, c_long, pid_t};

use crate::call::under_way::{SAMPLING, State};
use crate::host::processor;
use crate::host::wall::duration_ps;

/// How long runs are timed together: many times what looking at the clock takes.
const WINDOW: Duration = Duration::from_micros(100);
/// A first run that takes longer is enough: such calls are timed as they are.
const LONGEST_RUN: Duration = Duration::from_millis(2);
/// More runs are not timed together.
const MOST_RUNS: u64 = 1 << 16;
/// A child that takes longer waits for what another thread held when it was made.
const PATIENCE_MS: c_int = 2000;
/// More bytes are not kept for later runs.
const MOST_KEPT_BYTES: usize = 64 << 20;

/// Which process goes on.
pub enum Fork {
    /// The copy; its state leads it through its runs.
    Child(State),
    /// The program, with the least and the greatest time of a run in picoseconds, if the copy could
    /// tell.
    Parent(Option<(u64, u64)>),
}

/// Memory that the function writes.
#[derive(Debug, Clone, Copy)]
pub struct Written {
    /// Where it is.
    pub address: *mut c_void,
    /// How much of it.
    pub bytes: usize,
}

/// The child's runs.
struct Runs {
    pipe: c_int,
    windows: u32,
    /// Runs of a window, and those that have been.
    wanted: u64,
    done: u64,
    start: Duration,
    overhead: Duration,
    least: Duration,
    greatest: Duration,
    written: Vec<Written>,
    kept: *mut u8,
}

/// Makes the copy and, in the program, waits for its times: of so many windows. Whatever cannot be had
/// leaves the program without a sample.
pub fn fork(written: Vec<Written>, windows: u32) -> Fork {
    let bytes: usize = written.iter().map(|row| row.bytes).sum();
    let mut ends: [c_int; 2] = [-1; 2];
    // SAFETY: the array is ours.
    if bytes > MOST_KEPT_BYTES || unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) } != 0 {
        return Fork::Parent(None);
    }
    let mut runs = Box::new(Runs {
        pipe: ends[1],
        windows,
        wanted: 0,
        done: 0,
        start: Duration::ZERO,
        overhead: Duration::ZERO,
        least: Duration::MAX,
        greatest: Duration::ZERO,
        written,
        kept: null_mut(),
    });
    // No signal at its end (the lowest byte): the program never learns of this child.
    // SAFETY: as fork(2); the child runs C that allocates nothing, and ends with exit_group.
    match unsafe { libc::syscall(libc::SYS_clone, 0 as c_long, 0, 0, 0, 0) } {
        0 => {
            // SAFETY: this process has one thread, and its memory is a copy.
            unsafe { runs.begin(bytes) };
            Fork::Child([SAMPLING, Box::into_raw(runs) as u64, 0, 0, 0, 0, 0, 0])
        }
        // SAFETY: the descriptors are ours.
        child => Fork::Parent(unsafe { collect(child as pid_t, ends) }),
    }
}

/// # Safety
/// The descriptors are open and nobody else's.
unsafe fn collect(child: pid_t, [read_end, write_end]: [c_int; 2]) -> Option<(u64, u64)> {
    // SAFETY: the caller's promise.
    let mut pipe = unsafe {
        libc::close(write_end);
        File::from_raw_fd(read_end)
    };
    let mut told = Vec::new();
    if child > 0 {
        let mut row = libc::pollfd { fd: read_end, events: libc::POLLIN, revents: 0 };
        // SAFETY: the row is ours, and so is the child; `__WALL` because it ends without a signal.
        unsafe {
            if libc::poll(&raw mut row, 1, PATIENCE_MS) <= 0 {
                libc::syscall(libc::SYS_kill, child, libc::SIGKILL);
            }
            // A child that died told nothing.
            let _ = pipe.read_to_end(&mut told);
            libc::waitpid(child, null_mut(), libc::__WALL);
        }
    }
    let mut times = told.chunks_exact(8).flat_map(<[u8; 8]>::try_from).map(u64::from_le_bytes);
    Some((times.next()?, times.next()?))
}

/// Whether a call runs in such a child.
pub fn is_child(state: &State) -> bool {
    state[0] == SAMPLING
}

/// After a run in the child: asks for another one, or tells the times and ends the process. Returns 1.
pub fn again(state: &State) -> c_int {
    all_done();
    // SAFETY: made by `fork`, in this process.
    unsafe {
        let runs = &mut *(state[1] as *mut Runs);
        runs.restore();
        runs.next();
    }
    1
}

impl Runs {
    /// Keeps what the function will write. Fresh pages, for the C library or another thread may have
    /// been at work in its memory when the copy was made.
    unsafe fn begin(&mut self, bytes: usize) {
        let (access, flags) =
            (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a new mapping touches nothing that is there.
        let kept = unsafe { libc::mmap(null_mut(), bytes.max(1), access, flags, -1, 0) };
        if kept == libc::MAP_FAILED {
            end();
        }
        self.kept = kept.cast();
        let mut at = self.kept;
        for row in &self.written {
            // SAFETY: the call writes there; if it does not, this process ends.
            unsafe {
                at.copy_from(row.address.cast(), row.bytes);
                at = at.add(row.bytes);
            }
        }
        self.start = processor::used();
    }

    /// # Safety
    /// [`Runs::begin`] has kept it.
    unsafe fn restore(&self) {
        let mut at = self.kept;
        for row in &self.written {
            // SAFETY: the caller's promise.
            unsafe {
                row.address.cast::<u8>().copy_from(at, row.bytes);
                at = at.add(row.bytes);
            }
        }
    }

    /// # Safety
    /// As for [`Runs::restore`].
    unsafe fn next(&mut self) {
        self.done += 1;
        if self.done < self.wanted {
            return;
        }
        let taken = processor::used().saturating_sub(self.start);
        if self.wanted == 0 && taken > LONGEST_RUN {
            end();
        }
        let is_long_enough = taken >= WINDOW || self.wanted >= MOST_RUNS;
        if self.greatest > Duration::ZERO || self.wanted > 0 && is_long_enough {
            // SAFETY: the caller's promise.
            unsafe { self.window(taken) };
        } else {
            // The first run has paid for copies of the pages that it writes.
            self.wanted = if self.wanted == 0 { 1 } else { 4 * self.wanted };
        }
        (self.done, self.start) = (0, processor::used());
    }

    /// # Safety
    /// As for [`Runs::restore`].
    unsafe fn window(&mut self, taken: Duration) {
        if self.greatest == Duration::ZERO {
            // SAFETY: the caller's promise.
            self.overhead = unsafe { self.overhead() };
        }
        // What took no longer than what is around it was measured on a processor that was elsewhere:
        // the program is told nothing rather than a time of nothing.
        let Some(run) = taken.checked_sub(self.overhead).filter(|run| !run.is_zero()) else {
            end()
        };
        self.least = self.least.min(run);
        self.greatest = self.greatest.max(run);
        self.windows -= 1;
        if self.windows == 0 {
            self.tell();
        }
    }

    /// What of a window is restoring, and the engine.
    unsafe fn overhead(&mut self) -> Duration {
        let (start, state) = (processor::used(), [SAMPLING, 0, 0, 0, 0, 0, 0, 0]);
        for _ in 0..self.wanted {
            std::hint::black_box(is_child(std::hint::black_box(&state)));
            all_done();
            // SAFETY: the caller's promise.
            unsafe { std::hint::black_box(&*self).restore() };
        }
        processor::used().saturating_sub(start)
    }

    /// Tells the times of a run, and ends the process.
    fn tell(&self) -> ! {
        for time in [self.least, self.greatest] {
            let ps = duration_ps(time) / self.wanted.max(1);
            let bytes = ps.to_le_bytes();
            // SAFETY: the buffer is ours; a reader that has gone is nobody's loss.
            unsafe { libc::write(self.pipe, bytes.as_ptr().cast(), bytes.len()) };
        }
        end()
    }
}

/// Waits for what a run has begun: the next call of a program mostly needs what the last one made, and
/// runs that the processor overlaps take less.
fn all_done() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every processor of the kind has it.
    unsafe {
        std::arch::x86_64::_mm_lfence();
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: changes nothing.
    unsafe {
        std::arch::asm!("dsb sy", "isb", options(nostack, nomem));
    }
}

/// Ends this process at once, without the program's own ends.
fn end() -> ! {
    loop {
        // SAFETY: as exit_group(2).
        unsafe { libc::syscall(libc::SYS_exit_group, 0) };
    }
}
