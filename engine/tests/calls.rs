// SPDX-License-Identifier: Apache-2.0
//! Calls through a session, with models of this process.

mod fake;
mod kernel;

use std::path::Path;

use fake::{Buffers, FakeRtl, kernel};
use kernel::LATENCY_CYCLES;
use tandem::error::{Error, Status};
use tandem::platform::Platform;
use tandem::session::Session;
use tandem::settings::Mode;

const RECORDS: u64 = 1000;

fn session(mode: Mode) -> Session {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../platforms/src-6e.toml");
    Session::new(mode, Some(Platform::load(&path).expect("a good platform")))
}

fn call(session: &mut Session, rtl: FakeRtl, buffers: &mut Buffers) -> Result<(), Error> {
    let index = session.insert(kernel(rtl));
    unsafe { session.call(index, &buffers.arguments()) }
}

#[test]
fn emulate_and_simulate_agree() {
    let mut cycles = Vec::new();
    for mode in [Mode::Emulate, Mode::Simulate] {
        let mut session = session(mode);
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
    }
    assert_eq!(cycles, vec![RECORDS + 3 + 3 * LATENCY_CYCLES; 2]);
}

/// Simulates a faulty kernel: the call fails and the caller's buffer is as it was.
fn fault(rtl: FakeRtl) -> (Error, u64) {
    let mut session = session(Mode::Simulate);
    let mut buffers = Buffers::new(RECORDS);
    let error = call(&mut session, rtl, &mut buffers).expect_err("a fault");
    assert!(buffers.is_untouched());
    assert_eq!(session.tally().calls, 0);
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
    assert!(error.message.contains("outside its buffers"), "{error}");
}

#[test]
fn a_fault_is_not_the_end_of_the_session() {
    let mut session = session(Mode::Emulate);
    let mut buffers = Buffers::new(RECORDS);
    let index = session.insert(kernel(FakeRtl::Right));
    let mut arguments = buffers.arguments();
    arguments[0].bytes += 1;
    let error = unsafe { session.call(index, &arguments) }.expect_err("a wrong extent");
    assert_eq!(error.status, Status::BadArgument);
    assert!(error.message.contains("argument in: 8001 bytes, expected a multiple"), "{error}");
    call(&mut session, FakeRtl::Right, &mut buffers).expect("a right call");
    assert!(buffers.is_right());
}

#[test]
fn bad_arguments_are_named() {
    let mut session = session(Mode::Emulate);
    let index = session.insert(kernel(FakeRtl::Right));
    let mut buffers = Buffers::new(4);
    let mut message = |change: fn(&mut Vec<tandem::buffers::Argument>)| {
        let mut arguments = buffers.arguments();
        change(&mut arguments);
        let error = unsafe { session.call(index, &arguments) }.expect_err("a refusal");
        assert_eq!(error.status, Status::BadArgument);
        error.message
    };
    assert!(message(|a| a.truncate(3)).contains("called with 3 arguments, its interface has 4"));
    assert!(message(|a| a[3].bytes = 4).contains("argument key: 4 bytes, expected 8"));
    assert!(message(|a| a[1].data = std::ptr::null_mut()).contains("argument out: null pointer"));
}

#[test]
fn buffers_that_do_not_fit_are_refused() {
    let mut session = session(Mode::Emulate);
    let index = session.insert(kernel(FakeRtl::Right));
    let mut buffers = Buffers::new(1);
    let mut arguments = buffers.arguments();
    // Refused before any of it is touched, so that it need not exist.
    arguments[0].bytes = 24_000_000;
    let error = unsafe { session.call(index, &arguments) }.expect_err("too large");
    assert_eq!(error.status, Status::TooLarge);
    assert!(error.message.contains("need 24000008 bytes"), "{error}");
    assert!(error.message.contains("has 24000000 (6 banks of 4000000); split"), "{error}");
}

#[test]
fn a_narrow_bank_paces_the_stream() {
    let mut platform =
        Platform::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../platforms/src-6e.toml"))
            .expect("a good platform");
    platform.memory.width_bytes = 3;
    let mut session = Session::new(Mode::Emulate, Some(platform));
    call(&mut session, FakeRtl::Right, &mut Buffers::new(RECORDS)).expect("a right call");
    assert_eq!(session.tally().cycles, 3 * RECORDS + LATENCY_CYCLES);
}

#[test]
fn the_report_adds_up() {
    let mut session = session(Mode::Emulate);
    for _ in 0..2 {
        call(&mut session, FakeRtl::Right, &mut Buffers::new(RECORDS)).expect("a right call");
    }
    let report: serde_json::Value = serde_json::to_value(session.report()).unwrap();
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
    assert_eq!(report["spans"][0]["component"], "configuration-port");
}
