// SPDX-License-Identifier: Apache-2.0
//! Models of this process for the kernel to test with, and a call's data.

use std::ffi::c_void;

use tandem::call::Kernel;
use tandem::model::{Answers, CallModel, Data, Function, Part, Reach};
use tandem::package::{Package, PackageFile};

use crate::hardware::FakeRtl;
use crate::kernel::{LATENCY_CYCLES, manifest};

/// The kernel with models of this process; `rtl` may be faulty.
pub fn kernel(rtl: FakeRtl) -> Kernel {
    let text = manifest(&[]);
    let file = PackageFile { name: "manifest.json", data: text.as_bytes() };
    let package = Package::read(vec![file]).expect("a good manifest");
    Kernel {
        manifest: package.manifest,
        manifest_sha256: package.manifest_sha256,
        ahead: Some(Box::new(FakeModel::default())),
        rtl: Some(Box::new(rtl)),
        function: Some(Box::new(FakeFunction)),
    }
}

/// A call's data as the program has it.
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

    pub fn data(&mut self) -> Vec<*mut c_void> {
        vec![
            self.input.as_mut_ptr().cast(),
            self.output.as_mut_ptr().cast(),
            (&raw mut self.count).cast(),
            (&raw mut self.key).cast(),
        ]
    }

    /// The C function.
    pub fn run(&mut self) {
        unsafe { add_key(&self.data()) }
    }

    pub fn is_right(&self) -> bool {
        self.input.iter().zip(&self.output).all(|(input, output)| input + self.key == *output)
    }
}

struct FakeFunction;

impl Function for FakeFunction {
    unsafe fn run(&self, data: &Data, _answers: &Answers) {
        unsafe { add_key(data) }
    }
}

unsafe fn add_key(data: &Data) {
    unsafe {
        let (count, key) = (*data[2].cast::<u64>(), *data[3].cast::<u64>());
        for i in 0..count as usize {
            let value = *data[0].cast::<u64>().add(i) + key;
            *data[1].cast::<u64>().add(i) = value;
        }
    }
}

/// What the compiler knows of the kernel; `extent_bytes` is what it says of the first argument,
/// if anything but the truth.
#[derive(Default)]
pub struct FakeModel {
    pub extent_bytes: Option<u64>,
}

impl CallModel for FakeModel {
    unsafe fn extents(&self, data: &Data) -> Vec<u64> {
        let records = unsafe { *data[2].cast::<u64>() }.saturating_mul(8);
        vec![self.extent_bytes.unwrap_or(records), records, 8, 8]
    }

    unsafe fn cycles(
        &self,
        data: &Data,
        bytes: &[u64],
        intervals: &[u32],
        parts: &mut [Part],
        _apart: bool,
    ) -> u64 {
        assert_eq!(bytes[3], 8);
        let iterations = unsafe { *data[2].cast::<u64>() };
        let cycles = iterations * u64::from(intervals[0].max(intervals[1]));
        parts[0] = Part { iterations, cycles, entered: 1 };
        parts[1] = Part { iterations: 1, cycles: LATENCY_CYCLES, entered: cycles + 4 };
        cycles + LATENCY_CYCLES
    }

    unsafe fn touched(
        &self,
        data: &Data,
        bytes: &[u64],
        intervals: &[u32],
        parts: &mut [Part],
        apart: bool,
    ) -> (u64, Vec<Reach>) {
        let records = unsafe { *data[2].cast::<i64>() } * 8;
        let touched = [records, records, 8, 8].map(|high| Reach { low: 0, high }).to_vec();
        (unsafe { self.cycles(data, bytes, intervals, parts, apart) }, touched)
    }
}
