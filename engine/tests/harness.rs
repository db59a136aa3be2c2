// SPDX-License-Identifier: Apache-2.0
//! The harness around hardware: what goes in comes out whatever the pace, and the hardware's ports
//! are those that its map names.

mod hardware;
#[expect(dead_code, reason = "its manifest is for packages")]
mod kernel;

use std::cell::{Cell, RefCell};
use std::ffi::c_void;
use std::rc::Rc;

use hardware::FakeRtl;
use proptest::prelude::*;
use tandem::error::{Error, Status};
use tandem::harness::Harness;
use tandem::harness::gate::{Answer, Foreseen, Gate};
use tandem::model::{Data, Eval, Progress, RtlModel, Signal};

/// A call's data.
struct Buffers {
    input: Vec<u64>,
    output: Vec<u64>,
    count: u64,
    key: u64,
}

impl Buffers {
    fn new(count: u64) -> Self {
        Self {
            input: (0..count).map(|i| i * i).collect(),
            output: vec![0; count as usize],
            count,
            key: 7,
        }
    }

    fn data(&mut self) -> Vec<*mut c_void> {
        vec![
            self.input.as_mut_ptr().cast(),
            self.output.as_mut_ptr().cast(),
            (&raw mut self.count).cast(),
            (&raw mut self.key).cast(),
        ]
    }

    fn is_right(&self) -> bool {
        self.input.iter().zip(&self.output).all(|(input, output)| input + self.key == *output)
    }
}

/// A state as models want it.
#[repr(C, align(64))]
struct State([u8; 1024]);

/// How a call ended, and in how many cycles.
fn run(
    rtl: &dyn RtlModel,
    buffers: &mut Buffers,
    intervals: [u32; 2],
    gates: &[(usize, Vec<u64>, u64)],
) -> Result<(Progress, u64), Error> {
    let mut state = State([0; 1024]);
    assert!(rtl.state_bytes() <= 1024);
    let (data, records) = (buffers.data(), buffers.count * 8);
    let paces = [intervals[0], intervals[1], 1, 1];
    let place = (&raw mut state).cast::<c_void>();
    let bytes = [records, records, 8, 8];
    unsafe {
        let mut harness = Harness::new(rtl, place, (&data, &bytes), &paces)?;
        for (argument, cycles, records) in gates {
            harness.gate(*argument, Foreseen::new(cycles, *records));
        }
        Ok((harness.run(100_000), harness.cycles()))
    }
}

proptest! {
    #[test]
    fn what_goes_in_comes_out_at_whatever_pace(
        count in 0u64..40, intervals in [1u32..6, 1u32..6], chunk in 1u64..5,
        steps in proptest::collection::vec(0u64..30, 40), gated in 0usize..2,
    ) {
        let mut buffers = Buffers::new(count);
        let open: Vec<u64> = steps.iter().scan(0, |at, step| { *at += step; Some(*at) }).collect();
        let free = run(&FakeRtl::Right, &mut buffers, intervals, &[]).expect("a good map");
        prop_assert!(buffers.is_right());
        let slower = u64::from(intervals[0].max(intervals[1]));
        let least = count.saturating_sub(1) * slower;
        prop_assert!(free.0 == Progress::Done && free.1 > least);
        let mut again = Buffers::new(count);
        let gates = [(gated, open.clone(), chunk)];
        let late = run(&FakeRtl::Right, &mut again, intervals, &gates).expect("a good map");
        prop_assert!(again.is_right() && late.0 == Progress::Done);
        // This hardware waits for as long as its last two records were apart, which what came late
        // and together may be less.
        prop_assert!(late.1 + slower > free.1);
        if count > 0 {
            prop_assert!(late.1 > open[((count - 1) / chunk) as usize]);
        }
    }
}

/// A gate that knows of each chunk only once somebody has been there.
struct Late {
    known: Rc<Cell<u64>>,
    passed: Rc<RefCell<Vec<u64>>>,
}

impl Gate for Late {
    fn ask(&mut self, record: u64, cycle: u64) -> Answer {
        match cycle <= self.known.get() {
            true => Answer::Open { until: (record / 2 + 1) * 2 },
            false => Answer::Unknown,
        }
    }

    fn passed(&mut self, cycle: u64) {
        self.passed.borrow_mut().push(cycle);
    }
}

#[test]
fn nothing_happens_in_a_cycle_as_long_as_a_gate_does_not_know() {
    let mut buffers = Buffers::new(6);
    let mut state = State([0; 1024]);
    let (known, passed) = (Rc::new(Cell::new(0)), Rc::new(RefCell::new(Vec::new())));
    let (data, place) = (buffers.data(), (&raw mut state).cast::<c_void>());
    let mut harness = unsafe {
        Harness::new(&FakeRtl::Right, place, (&data, &[48, 48, 8, 8]), &[1; 4]).expect("a good map")
    };
    harness.gate(0, Late { known: known.clone(), passed: passed.clone() });
    harness.note_moves(1);
    let mut ended = Vec::new();
    for cycle in [0, 0, 2, 3, 20] {
        known.set(cycle);
        ended.push((unsafe { harness.run(100) }, harness.cycles()));
    }
    let (waiting, done) = (Progress::Waiting, Progress::Done);
    assert_eq!(ended, [(waiting, 2), (waiting, 2), (waiting, 4), (waiting, 4), (done, 11)]);
    assert_eq!(*passed.borrow(), [1, 3, 5]);
    assert_eq!((harness.moved(0), harness.moved(1)), ((6, 5), (6, 6)));
    assert_eq!(harness.take_moves(1), [1, 2, 3, 4, 5, 6]);
    drop(harness);
    assert!(buffers.is_right());
}

#[test]
fn a_record_too_many_is_out_of_bounds() {
    let ended = run(&FakeRtl::OutOfBounds, &mut Buffers::new(4), [1, 1], &[]).expect("a good map");
    assert_eq!(ended.0, Progress::OutOfBounds);
}

#[test]
fn a_value_has_its_bytes() {
    let (mut state, mut buffers) = (State([0; 1024]), Buffers::new(4));
    let (data, place) = (buffers.data(), (&raw mut state).cast::<c_void>());
    let new = |key| unsafe {
        Harness::new(&FakeRtl::Right, place, (&data, &[32, 32, 8, key]), &[1; 4]).map(|_| ())
    };
    let error = new(7).expect_err("a byte too few");
    assert!(error.message.contains("7 bytes were given, it has 8"), "{error}");
    new(8).expect("enough");
}

/// Hardware with another map.
struct Mapped(Vec<Signal>);

impl RtlModel for Mapped {
    fn signals(&self) -> &[Signal] {
        &self.0
    }

    fn state_bytes(&self) -> u64 {
        FakeRtl::Right.state_bytes()
    }

    unsafe fn begin(&self, state: *mut c_void, data: &Data) -> Vec<*mut u8> {
        let mut ports = unsafe { FakeRtl::Right.begin(state, data) };
        ports.resize(self.0.len(), std::ptr::null_mut());
        ports
    }

    fn eval(&self) -> Eval {
        FakeRtl::Right.eval()
    }
}

#[test]
fn a_map_that_is_no_kernels_is_refused() {
    let refusal = |change: &dyn Fn(&mut Vec<Signal>)| {
        let mut signals = FakeRtl::Right.signals().to_vec();
        change(&mut signals);
        let error = run(&Mapped(signals), &mut Buffers::new(1), [1, 1], &[]).expect_err("refused");
        assert_eq!(error.status, Status::BadPackage);
        error.message
    };
    let without = |name: &'static str| refusal(&|s| s.retain(|signal| signal.name != name));
    assert!(without("done").contains("no port for done"));
    assert!(without("in_ready").contains("no port for ready of argument 0"));
    let unknown = refusal(&|s| s[11].protocol = "wishbone".to_string());
    assert!(unknown.contains("unknown protocol \"wishbone\""), "{unknown}");
    let nobody = refusal(&|s| s[11].argument = Some(9));
    assert!(nobody.contains("no port for argument 9"), "{nobody}");
}

#[test]
fn a_place_for_a_signal_fits_it_and_every_smaller_one() {
    let room = |bits| {
        let text = String::new;
        let signal = Signal { name: text(), protocol: text(), role: text(), argument: None, bits };
        (signal.bytes(), signal.room_bytes())
    };
    let wanted =
        [(1, (1, 16)), (65, (9, 16)), (128, (16, 16)), (129, (17, 32)), (1000, (125, 128))];
    for (bits, bytes) in wanted {
        assert_eq!(room(bits), bytes, "{bits} bits");
    }
}
