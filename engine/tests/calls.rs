// SPDX-License-Identifier: Apache-2.0
//! Calls through a session, with models of this process.

mod batches;
mod course;
mod fake;
mod hardware;
mod kernel;
mod runtime;

use std::path::Path;

use fake::{Buffers, FakeModel, kernel};
use hardware::FakeRtl;
use kernel::LATENCY_CYCLES;
use tandem::breakdown::Category;
use tandem::call::mode::{HardwareClock, Mode};
use tandem::call::{Call, Kernel, Ready};
use tandem::error::{Error, Status};
use tandem::package::Extent;
use tandem::platform::{Changes, Platform};
use tandem::session::Session;
use tandem::session::chains::Chained;

const RECORDS: u64 = 1000;

fn session(mode: Mode) -> Session {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../platforms/src-6e.toml");
    Session::new(mode, Some(Platform::load(&path, Changes::default()).expect("a good platform")))
}

fn call_of(session: &mut Session, kernel: Kernel, buffers: &mut Buffers) -> Result<(), Error> {
    let index = session.insert(kernel);
    let ready = Ready { goes_on: session.has_batches(), ..session.ready(index)? };
    let memories = session.begin();
    let result = unsafe {
        Call::before(ready, &buffers.data(), memories).and_then(|mut call| {
            buffers.run();
            call.look_back()?;
            session.elapse(&mut call)?;
            call.after().map(|()| call)
        })
    };
    match result {
        Ok(call) => unsafe { session.finish(call, 1_000) },
        Err(error) => {
            session.fail(&error);
            return Err(error);
        }
    }
    Ok(())
}

fn call(session: &mut Session, rtl: FakeRtl, buffers: &mut Buffers) -> Result<(), Error> {
    call_of(session, kernel(rtl), buffers)
}

#[test]
fn emulate_and_simulate_agree() {
    let mut cycles = Vec::new();
    let clocks = [HardwareClock::Scheduled, HardwareClock::Scheduled, HardwareClock::Stepped];
    for (mode, clock) in [Mode::Emulate, Mode::Simulate, Mode::Simulate].into_iter().zip(clocks) {
        let mut session = session(mode);
        session.clock = clock;
        for records in [RECORDS, 0, 3] {
            let mut buffers = Buffers::new(records);
            call(&mut session, FakeRtl::Right, &mut buffers).expect("a right result");
            assert!(buffers.is_right());
        }
        cycles.push(session.tally().cycles);
        let tally = session.tally();
        assert_eq!((tally.calls, tally.transfers, tally.mismatches), (3, 4, 0));
        assert_eq!(tally.bytes_in, (RECORDS + 3) * 8);
        assert_eq!(tally.device_cycles, tally.cycles + 3 * 47);
        assert_eq!(tally.checked_calls, if mode == Mode::Simulate { 3 } else { 0 });
        assert_eq!(tally.stepped_calls, if clock == HardwareClock::Stepped { 3 } else { 0 });
        cycles.push(session.now_ps());
    }
    assert_eq!(cycles[..2], cycles[2..4]);
    assert_eq!(cycles[..2], cycles[4..]);
    assert_eq!(cycles[0], RECORDS + 3 + 3 * LATENCY_CYCLES);
}

/// Simulates a faulty kernel, whatever the clock: the call fails.
fn fault(rtl: FakeRtl) -> (Error, u64) {
    let stepped = fault_on(HardwareClock::Stepped, rtl);
    let scheduled = fault_on(HardwareClock::Scheduled, rtl);
    assert_eq!((&stepped.0.message, stepped.1), (&scheduled.0.message, scheduled.1));
    scheduled
}

fn fault_on(clock: HardwareClock, rtl: FakeRtl) -> (Error, u64) {
    let mut session = session(Mode::Simulate);
    session.clock = clock;
    let error = call(&mut session, rtl, &mut Buffers::new(RECORDS)).expect_err("a fault");
    assert_eq!((session.tally().calls, session.tally().unfinished_calls), (0, 0));
    (error, session.tally().mismatches)
}

#[test]
fn wrong_hardware_is_found() {
    let (error, mismatches) = fault(FakeRtl::WrongByte);
    assert_eq!((error.status, mismatches), (Status::WrongResult, 1));
    let text = "hardware's out differs from the C function's in 1 of 8000 bytes, first at byte 9: \
                expected 0x00, got 0xff";
    assert!(error.message.contains(text), "{error}");

    let (error, _) = fault(FakeRtl::SkipsLastRecord);
    assert_eq!(error.status, Status::WrongResult);
    assert!(error.message.contains("first at byte 7992"), "{error}");
    assert!(error.message.contains("never written"), "{error}");

    let (error, mismatches) = fault(FakeRtl::WrongCycles);
    assert_eq!((error.status, mismatches), (Status::WrongCycles, 1));
    assert!(error.message.contains("took 1006 cycles, the schedule says 1005"), "{error}");

    let (error, _) = fault(FakeRtl::Endless);
    assert_eq!(error.status, Status::WrongCycles);
    assert!(error.message.contains("still running after 12010"), "{error}");

    let (error, _) = fault(FakeRtl::OutOfBounds);
    assert_eq!(error.status, Status::WrongResult);
    assert!(error.message.contains("memory that the C function does not touch"), "{error}");
}

#[test]
fn a_fault_is_not_the_end_of_the_session() {
    let mut session = session(Mode::Simulate);
    let mut buffers = Buffers::new(RECORDS);
    call(&mut session, FakeRtl::WrongByte, &mut buffers).expect_err("a fault");
    let mut buffers = Buffers::new(RECORDS);
    let right = Kernel { manifest_sha256: "another".into(), ..kernel(FakeRtl::Right) };
    call_of(&mut session, right, &mut buffers).expect("a right call");
    assert!(buffers.is_right());
}

fn with_extent(extent: Extent, extent_bytes: u64) -> Kernel {
    let mut kernel = kernel(FakeRtl::Right);
    kernel.manifest.arguments[0].extent = extent;
    kernel.ahead = Some(Box::new(FakeModel { extent_bytes: Some(extent_bytes) }));
    kernel
}

#[test]
fn an_annotation_that_is_too_small_is_refused_with_one_that_would_do() {
    for mode in [Mode::Emulate, Mode::Simulate] {
        let kernel = with_extent(Extent::Declared, 64);
        let error = call_of(&mut session(mode), kernel, &mut Buffers::new(9)).expect_err("refused");
        assert_eq!(error.status, Status::BadArgument);
        assert!(
            error.message.contains("declares 64 bytes, this call touches bytes 0 to 71"),
            "{error}"
        );
        assert!(error.message.contains("`#pragma tandem extent(in, 72)`"), "{error}");
    }
}

#[test]
fn a_larger_annotation_moves_more_and_reads_no_more() {
    // Far more than the buffer has: copying it all would read what is not the program's.
    let kernel = with_extent(Extent::Declared, 10_000_000);
    let mut session = session(Mode::Simulate);
    let mut buffers = Buffers::new(9);
    call_of(&mut session, kernel, &mut buffers).expect("a right call");
    assert!(buffers.is_right());
    assert_eq!(session.tally().bytes_in, 10_000_000);
}

#[test]
fn what_the_type_says_gives_way_to_what_the_call_touches() {
    let mut session = session(Mode::Emulate);
    let kernel = with_extent(Extent::Typed, 16);
    call_of(&mut session, kernel, &mut Buffers::new(9)).expect("a right call");
    assert_eq!(session.tally().bytes_in, 72);
    let report = serde_json::to_value(session.report(true)).unwrap();
    let arguments = &report["kernels"][0]["arguments"];
    assert_eq!(arguments["rows"][0]["touched_bytes"], 72);
    let seen = serde_json::json!({"scalars": [0, 0, 9, 7], "touched_bytes": [72, 72, 8, 8]});
    assert_eq!(arguments["seen"], serde_json::json!([seen]));
}

#[test]
fn an_extent_beyond_any_memory_is_refused_before_anything_is_allocated() {
    let kernel = with_extent(Extent::Exact, u64::MAX);
    let mut session = session(Mode::Emulate);
    let error = call_of(&mut session, kernel, &mut Buffers::new(4)).expect_err("refused");
    assert_eq!(error.status, Status::BadArgument);
    assert!(
        error.message.contains("argument in: this call asks for 2^64 bytes or more"),
        "{error}"
    );
}

#[test]
fn a_wrong_number_of_arguments_is_named() {
    let mut session = session(Mode::Emulate);
    let index = session.insert(kernel(FakeRtl::Right));
    let (ready, memories) = (session.ready(index).unwrap(), session.begin());
    let mut buffers = Buffers::new(4);
    let error = unsafe { Call::before(ready, &buffers.data()[..3], memories) }.err().unwrap();
    assert_eq!(error.status, Status::BadArgument);
    assert!(error.message.contains("called with 3 arguments, its interface has 4"), "{error}");
}

#[test]
fn buffers_that_do_not_fit_are_refused() {
    // Refused before any of it is touched, so that it need not exist.
    let kernel = with_extent(Extent::Declared, 24_000_000);
    let mut session = session(Mode::Emulate);
    let error = call_of(&mut session, kernel, &mut Buffers::new(1)).expect_err("too large");
    assert_eq!(error.status, Status::TooLarge);
    assert!(error.message.contains("need 24000008 bytes"), "{error}");
    assert!(error.message.contains("has 24000000 (6 banks of 4000000); split"), "{error}");
}

#[test]
fn a_bound_that_does_not_fit_gives_way_to_what_the_call_touches() {
    for mode in [Mode::Emulate, Mode::Simulate] {
        let mut session = session(mode);
        let kernel = with_extent(Extent::Bound, 24_000_000);
        call_of(&mut session, kernel, &mut Buffers::new(9)).expect("a right call");
        assert_eq!(session.tally().bytes_in, 72);
    }
}

#[test]
fn a_narrow_bank_paces_the_stream() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../platforms/src-6e.toml");
    let platform = Platform::load(&path, Changes("memory.width=3B")).expect("a good platform");
    let mut session = Session::new(Mode::Emulate, Some(platform));
    call(&mut session, FakeRtl::Right, &mut Buffers::new(RECORDS)).expect("a right call");
    assert_eq!(session.tally().cycles, 3 * RECORDS + LATENCY_CYCLES);
    let kernel = &session.report(true).kernels[0];
    let part = kernel.loops[0].part;
    assert_eq!((part.iterations, part.cycles), (RECORDS, 3 * RECORDS));
    assert_eq!(kernel.outside_cycles, LATENCY_CYCLES);
}

#[test]
fn calls_that_read_what_earlier_ones_wrote_are_counted() {
    let mut session = session(Mode::Emulate);
    let (mut first, mut other) = (Buffers::new(RECORDS), Buffers::new(RECORDS));
    for buffers in [&mut first, &mut other, &mut Buffers::new(0)] {
        for _ in 0..2 {
            call(&mut session, FakeRtl::Right, buffers).expect("a right call");
        }
    }
    let chained = |session: &Session| session.report(true).kernels[0].chained_calls;
    assert_eq!(chained(&session), Chained::default());
    std::mem::swap(&mut first.input, &mut first.output);
    call(&mut session, FakeRtl::Right, &mut first).expect("a right call");
    let once = Chained { calls: 1, distance: Some(5), staying: 0 };
    assert_eq!(chained(&session), once);
    std::mem::swap(&mut first.input, &mut first.output);
    call(&mut session, FakeRtl::Right, &mut first).expect("a right call");
    assert_eq!(chained(&session), Chained { calls: 2, distance: Some(1), ..once });
}

#[test]
fn what_the_program_copies_from_call_to_call_chains_them() {
    let mut session = session(Mode::Emulate);
    let (mut first, mut other) = (Buffers::new(RECORDS), Buffers::new(RECORDS));
    call(&mut session, FakeRtl::Right, &mut first).expect("a right call");
    call(&mut session, FakeRtl::Right, &mut Buffers::new(3)).expect("a right call");
    other.input.copy_from_slice(&first.output);
    call(&mut session, FakeRtl::Right, &mut other).expect("a right call");
    let chained = session.report(true).kernels[0].chained_calls;
    assert_eq!(chained, Chained { calls: 1, distance: Some(2), staying: 0 });
}

/// The link is slower than the kernel, which waits for its records; in a batch, that is known when the
/// batch has ended.
#[test]
fn what_kernels_wait_for_records_is_counted_alone_and_in_batches() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/one-device.toml");
    for calls in [1, 3] {
        let changes = format!("transfer.mode=streaming\ntransfer.chunk=256B\nbatch.calls={calls}");
        let platform = Platform::load(&path, Changes(&changes)).expect("a good platform");
        let mut session = Session::new(Mode::Emulate, Some(platform));
        for _ in 0..3 {
            call(&mut session, FakeRtl::Right, &mut Buffers::new(RECORDS)).expect("a right call");
        }
        session.write_report(true).expect("nobody wants it");
        let (tally, kernel) = (session.tally(), &session.report(true).kernels[0]);
        assert_eq!((tally.calls, tally.streamed_calls), (3, 3));
        assert!(kernel.waiting_cycles > 3 * RECORDS, "8 bytes take 4 cycles");
        assert_eq!(kernel.cycles - kernel.waiting_cycles, 3 * (RECORDS + LATENCY_CYCLES));
        assert_eq!(tally.cycles, kernel.cycles);
        assert_eq!(tally.device_cycles, tally.cycles + 3 * 47);
        let set_ups = 3 / calls;
        for way in [Category::TransferIn, Category::TransferOut] {
            let fixed_us = session.report(true).fixed_ps.of(way) / 1_000_000;
            assert!((90 * set_ups..=100 * set_ups).contains(&fixed_us), "{fixed_us} us");
        }
        let computing_ps = session.report(true).busy_ps.of(Category::Compute);
        let most_ps = 10_000 * (kernel.cycles + 3 * 47);
        assert!((10_000 * 3 * RECORDS..most_ps).contains(&computing_ps), "{computing_ps} ps");
    }
}

/// Of calls in a batch it is known when that has ended what stepped hardware has done: then no call is
/// made any more.
#[test]
fn wrong_hardware_in_a_batch_is_told_to_the_next_call() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/one-device.toml");
    let platform = Platform::load(&path, Changes("batch.calls=2")).expect("a good platform");
    let mut session = Session::new(Mode::Simulate, Some(platform));
    session.clock = HardwareClock::Stepped;
    for (records, mismatches) in [(1, 0), (100, 1)] {
        let mut buffers = Buffers::new(records);
        call(&mut session, FakeRtl::WrongByte, &mut buffers).expect("nothing is known yet");
        assert_eq!(session.tally().mismatches, mismatches);
    }
    assert_eq!((session.tally().checked_calls, session.tally().stepped_calls), (2, 2));
    let error = session.open(Vec::new(), Vec::new()).map(|_| ()).expect_err("no call any more");
    assert_eq!(error.status, Status::WrongResult);
    assert!(session.opened([].into_iter()).is_none());
}

#[test]
fn the_report_adds_up() {
    let mut session = session(Mode::Emulate);
    for _ in 0..2 {
        call(&mut session, FakeRtl::Right, &mut Buffers::new(RECORDS)).expect("a right call");
    }
    let report: serde_json::Value = serde_json::to_value(session.report(true)).unwrap();
    let sum = |key: &str| -> u64 {
        report[key].as_object().unwrap().values().map(|ps| ps.as_u64().unwrap()).sum()
    };
    assert_eq!(report["total_ps"], sum("breakdown_ps"));
    assert!(sum("fixed_ps") < sum("breakdown_ps"));
    assert_eq!(report["breakdown_ps"]["configure"], 100_000_000_000u64);
    assert_eq!(report["device_ps"], report["breakdown_ps"]["compute"]);
    assert_eq!(report["device_ps"], 2 * (RECORDS + LATENCY_CYCLES + 47) * 10_000);
    assert_eq!(report["kernels"][0]["name"], "add_key");
    assert_eq!(report["platform"]["name"], "src-6e");
    assert_eq!(report["spans"][0]["component"], "configuration");
}
