// SPDX-License-Identifier: Apache-2.0
//! Models of this process for the kernel to test with, and a call's data.

use std::ffi::c_void;

use tandem::buffers::Argument;
use tandem::model::{Data, NativeModel, Progress, RtlModel};
use tandem::package::{Package, PackageFile};
use tandem::session::Kernel;

use crate::kernel::{LATENCY_CYCLES, manifest};

/// The kernel with models of this process; `rtl` may be faulty.
pub fn kernel(rtl: FakeRtl) -> Kernel {
    let text = manifest(&[]);
    let file = PackageFile { name: "manifest.json", data: text.as_bytes() };
    let package = Package::read(vec![file]).expect("a good manifest");
    Kernel {
        manifest: package.manifest,
        manifest_sha256: package.manifest_sha256,
        native: Some(Box::new(FakeNative)),
        rtl: Some(Box::new(rtl)),
    }
}

/// A call's data as the caller has it.
pub struct Buffers {
    pub input: Vec<u64>,
    pub output: Vec<u64>,
    pub count: u64,
    pub key: u64,
}

impl Buffers {
    pub fn new(count: u64) -> Self {
        let input = (0..count).map(|i| i * i).collect();
        Self { input, output: vec![u64::MAX; count as usize], count, key: 7 }
    }

    pub fn arguments(&mut self) -> Vec<Argument> {
        let argument = |data: *mut u64, records: u64| Argument {
            data: data.cast::<c_void>(),
            bytes: records * 8,
        };
        vec![
            argument(self.input.as_mut_ptr(), self.count),
            argument(self.output.as_mut_ptr(), self.count),
            argument(&raw mut self.count, 1),
            argument(&raw mut self.key, 1),
        ]
    }

    pub fn is_right(&self) -> bool {
        self.input.iter().zip(&self.output).all(|(input, output)| input + self.key == *output)
    }

    pub fn is_untouched(&self) -> bool {
        self.output.iter().all(|&output| output == u64::MAX)
    }
}

struct FakeNative;

impl NativeModel for FakeNative {
    unsafe fn run(&self, data: &Data) {
        unsafe {
            let (count, key) = (*data[2].cast::<u64>(), *data[3].cast::<u64>());
            for i in 0..count as usize {
                let value = *data[0].cast::<u64>().add(i) + key;
                *data[1].cast::<u64>().add(i) = value;
            }
        }
    }

    unsafe fn cycles(&self, data: &Data, intervals: &[u32]) -> u64 {
        unsafe {
            *data[2].cast::<u64>() * u64::from(intervals[0].max(intervals[1])) + LATENCY_CYCLES
        }
    }
}

/// What is wrong with the hardware.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FakeRtl {
    Right,
    WrongByte,
    SkipsLastRecord,
    WrongCycles,
    Endless,
    OutOfBounds,
}

#[repr(C, align(64))]
struct State {
    data: [*mut c_void; 4],
    cycles: u64,
    left: u64,
}

impl RtlModel for FakeRtl {
    fn state_bytes(&self) -> u64 {
        size_of::<State>() as u64
    }

    unsafe fn start(&self, state: *mut c_void, data: &Data, bytes: &[u64], intervals: &[u32]) {
        let data = [data[0], data[1], data[2], data[3]];
        assert!(state.cast::<State>().is_aligned());
        assert_eq!(bytes[2], 8);
        let cycles = unsafe { FakeNative.cycles(&data, intervals) };
        unsafe { state.cast::<State>().write(State { data, cycles, left: cycles }) };
    }

    unsafe fn run(&self, state: *mut c_void, cycles: u64) -> Progress {
        let state = unsafe { &mut *state.cast::<State>() };
        state.left = state.left.saturating_sub(cycles);
        match self {
            Self::Endless => return Progress::Running,
            Self::OutOfBounds => return Progress::OutOfBounds,
            _ if state.left > 0 => return Progress::Running,
            _ => {}
        }
        unsafe {
            if *self == Self::SkipsLastRecord {
                *state.data[2].cast::<u64>() -= 1;
            }
            FakeNative.run(&state.data);
            if *self == Self::WrongByte {
                *state.data[1].cast::<u8>().add(9) ^= 0xff;
            }
        }
        Progress::Done
    }

    unsafe fn cycles(&self, state: *const c_void) -> u64 {
        let cycles = unsafe { (*state.cast::<State>()).cycles };
        if *self == Self::WrongCycles { cycles + 1 } else { cycles }
    }
}
