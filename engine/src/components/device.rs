// SPDX-License-Identifier: Apache-2.0
//! The device: the kernel's cycles, and those that the device adds to start it and to see its end.

use super::{Address, Component, Computation, Context, Message, Server, Work};
use crate::breakdown::Category;

/// Runs kernels, one at a time.
#[derive(Debug)]
pub struct Device {
    launch_cycles: u64,
    server: Server,
}

impl Device {
    /// A device that adds `launch_cycles` cycles to each run of a kernel.
    pub fn new(launch_cycles: u64) -> Self {
        Self { launch_cycles, server: Server::new("device") }
    }

    fn work(&self, run: Computation) -> Work {
        let time_ps =
            |cycles: u64| self.launch_cycles.saturating_add(cycles).saturating_mul(run.clock_ps);
        Work {
            category: Category::Compute,
            duration_ps: time_ps(run.cycles),
            fixed_ps: time_ps(run.latency_cycles.min(run.cycles)),
            bytes: 0,
        }
    }
}

impl Component for Device {
    fn receive(&mut self, message: Message, context: &mut Context<'_>) {
        if let Message::Compute(run) = message {
            let end_ps = self.server.serve(self.work(run), context);
            context.send(end_ps, Address::Software, Message::Done);
        }
    }
}
