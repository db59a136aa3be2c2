// SPDX-License-Identifier: Apache-2.0
//! Batches beside a model of them: a driver, a device, and a program that calls every so often.

use std::collections::VecDeque;
use std::path::Path;

use super::call;
use super::fake::Buffers;
use super::hardware::FakeRtl;
use super::kernel::LATENCY_CYCLES;
use proptest::prelude::*;
use tandem::breakdown::Category;
use tandem::call::mode::Mode;
use tandem::platform::{Changes, Platform};
use tandem::session::Session;

const CALLS: u64 = 24;
const CALL_PS: u64 = 400_000_000;
/// Of a call that moves nothing: 30,000 cycles of launch and the kernel's latency.
const RUN_PS: u64 = (30_000 + LATENCY_CYCLES) * 10_000;

/// When batches are handed over, and how often the program calls.
#[derive(Debug, Clone, Copy)]
struct Policy {
    calls: u64,
    within_ps: Option<u64>,
    is_adaptive: bool,
    ahead: u64,
    program_ps: u64,
}

impl Policy {
    /// A session with it, whose kernel is there from the start.
    fn session(&self, more: &str) -> Session {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/one-device.toml");
        let mut changes = vec![
            "configuration.preload=yes".to_string(),
            format!("software.call_time={CALL_PS} ps"),
            "device.launch_cycles=30000".to_string(),
            "link.register_time=0s".to_string(),
            format!("batch.calls={}", self.calls),
            more.to_string(),
        ];
        let mut say = |key: &str, value: String| changes.push(format!("{key}={value}"));
        if let Some(ps) = self.within_ps {
            say("batch.within", format!("{ps} ps"));
        }
        if self.is_adaptive {
            say("batch.adaptive", "yes".into());
        }
        if self.ahead > 0 {
            say("batch.ahead", self.ahead.to_string());
        }
        if self.program_ps > 0 {
            say("software.program_time", format!("{} ps", self.program_ps));
        }
        let platform = Platform::load(&path, Changes(&changes.join("\n"))).expect("a platform");
        Session::new(Mode::Emulate, Some(platform))
    }

    /// The program's end, and the longest that a call took.
    fn simulated(&self) -> (u64, u64) {
        self.simulated_on("kernel.units=1")
    }

    /// The same on a platform that is otherwise in one more number.
    fn simulated_on(&self, more: &str) -> (u64, u64) {
        let mut session = self.session(more);
        for _ in 0..CALLS {
            call(&mut session, FakeRtl::Right, &mut Buffers::new(0)).expect("a right result");
        }
        session.write_report(true).expect("nobody wants it");
        let report = session.report(true);
        assert_eq!(report.total_ps, session.now_ps());
        assert_eq!(report.busy_ps.of(Category::Host), CALLS * self.program_ps);
        assert_eq!(report.batches.calls, u128::from(CALLS));
        (session.now_ps(), report.latency_ps.expect("calls").most)
    }
}

/// The model: the driver takes batches one by one, and so does the device behind it.
struct Model {
    policy: Policy,
    now_ps: u64,
    driver_free_ps: u64,
    free_ps: u64,
    waiting: Vec<u64>,
    ends_ps: VecDeque<u64>,
    most_ps: u64,
}

impl Model {
    fn close(&mut self) {
        self.driver_free_ps = self.now_ps.max(self.driver_free_ps) + CALL_PS;
        let runs_ps = self.waiting.len() as u64 * RUN_PS;
        self.free_ps = self.driver_free_ps.max(self.free_ps) + runs_ps;
        for arrival_ps in self.waiting.drain(..) {
            self.most_ps = self.most_ps.max(self.free_ps - arrival_ps);
        }
        self.ends_ps.push_back(self.free_ps);
        while self.ends_ps.len() as u64 > self.policy.ahead {
            self.now_ps = self.now_ps.max(self.ends_ps.pop_front().expect("one"));
        }
    }

    /// When what waits is handed over though it is not complete.
    fn due_ps(&self) -> Option<u64> {
        let late_ps = self.policy.within_ps.map(|ps| self.waiting.first().map(|first| first + ps));
        let idle_ps = self.policy.is_adaptive.then_some(self.free_ps);
        let due_ps = late_ps.flatten().into_iter().chain(idle_ps).min();
        due_ps.filter(|_| !self.waiting.is_empty())
    }

    /// Batches become due until the program has worked for `ps`.
    fn pass(&mut self, mut ps: u64) {
        loop {
            match self.due_ps() {
                Some(due_ps) if due_ps <= self.now_ps + ps => {
                    let step_ps = due_ps.saturating_sub(self.now_ps);
                    self.now_ps += step_ps;
                    ps -= step_ps;
                    self.close();
                }
                _ => break,
            }
        }
        self.now_ps += ps;
    }

    fn run(mut self) -> (u64, u64) {
        for _ in 0..CALLS {
            self.pass(self.policy.program_ps);
            self.waiting.push(self.now_ps);
            let is_due = self.due_ps().is_some_and(|due_ps| due_ps <= self.now_ps);
            if self.waiting.len() as u64 == self.policy.calls || is_due {
                self.close();
            }
            while self.ends_ps.front().is_some_and(|&end_ps| end_ps <= self.now_ps) {
                self.ends_ps.pop_front();
            }
        }
        if !self.waiting.is_empty() {
            self.close();
        }
        (self.now_ps.max(self.free_ps), self.most_ps)
    }
}

fn policies() -> impl Strategy<Value = Policy> {
    let within_ps = proptest::option::of(0u64..2_000_000_000);
    let parts = (2u64..9, within_ps, any::<bool>(), 0u64..4, 0u64..600_000_000);
    parts.prop_map(|(calls, within_ps, is_adaptive, ahead, program_ps)| Policy {
        calls,
        within_ps,
        is_adaptive: is_adaptive && ahead > 0,
        ahead,
        program_ps,
    })
}

proptest! {
    /// Whatever it makes of the calls, the program that need not wait is done no later than one that
    /// waits for each.
    #[test]
    fn adaptive_batches_are_no_slower_than_none(policy in policies()) {
        let adaptive = Policy { is_adaptive: true, ahead: policy.ahead.max(1), ..policy };
        let none = Policy { calls: 1, within_ps: None, is_adaptive: false, ahead: 0, ..policy };
        prop_assert!(adaptive.simulated().0 <= none.simulated().0);
    }

    #[test]
    fn batches_are_handed_over_as_the_platform_says(policy in policies()) {
        let model = Model {
            policy,
            now_ps: 0,
            driver_free_ps: 0,
            free_ps: 0,
            waiting: Vec::new(),
            ends_ps: VecDeque::new(),
            most_ps: 0,
        };
        prop_assert_eq!(policy.simulated(), model.run());
    }
}

#[test]
fn copies_of_the_kernel_share_a_batch() {
    let policy =
        Policy { calls: CALLS, within_ps: None, is_adaptive: false, ahead: 0, program_ps: 0 };
    let total_ps = |units: u64| policy.simulated_on(&format!("kernel.units={units}")).0;
    assert_eq!(total_ps(1), CALL_PS + CALLS * RUN_PS);
    assert_eq!(total_ps(5), CALL_PS + CALLS.div_ceil(5) * RUN_PS);
}
