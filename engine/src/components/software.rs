// SPDX-License-Identifier: Apache-2.0
//! The host's software layer: drives a call step by step, and pays for it.

use std::collections::VecDeque;

use super::{
    Address, Component, Computation, Context, Direction, Job, Message, Server, Transfer, Work,
};
use crate::breakdown::Category;
use crate::platform::Software;

/// One step of a call.
#[derive(Debug)]
enum Step {
    /// The host itself is busy.
    Host(Work),
    /// Another component is asked, and answers with [`Message::Done`].
    Request(Address, Message),
}

/// Takes a call through its steps, one after the other.
#[derive(Debug)]
pub struct SoftwareLayer {
    settings: Software,
    server: Server,
    steps: VecDeque<Step>,
}

impl SoftwareLayer {
    /// An idle layer.
    pub fn new(settings: Software) -> Self {
        Self { settings, server: Server::new("software"), steps: VecDeque::new() }
    }

    /// The order of a call: configure, call, each buffer in, compute, each buffer out, wait.
    fn plan(&mut self, job: &Job) {
        let call_ps = self.settings.call_time_ps.saturating_add(self.settings.launch_time_ps);
        let run = Computation {
            cycles: job.cycles,
            latency_cycles: job.latency_cycles,
            clock_ps: job.clock_ps,
        };
        self.request(Address::ConfigurationPort, Message::Configure(job.configuration));
        self.steps.push_back(Step::Host(Work::fixed(Category::Call, call_ps)));
        for &bytes in &job.bytes_in {
            self.copy(bytes);
            self.transfer(Direction::In, bytes);
        }
        self.request(Address::Device, Message::Compute(run));
        for &bytes in &job.bytes_out {
            self.transfer(Direction::Out, bytes);
            self.copy(bytes);
        }
        self.steps.push_back(Step::Host(Work::fixed(Category::Wait, self.settings.wait_time_ps)));
    }

    fn request(&mut self, to: Address, message: Message) {
        self.steps.push_back(Step::Request(to, message));
    }

    /// A copy on the host, on platforms whose link cannot reach the caller's buffers.
    fn copy(&mut self, bytes: u64) {
        if let Some(bytes_per_s) = self.settings.copy_bandwidth_bytes_per_s {
            let work = Work::moving(Category::Copy, bytes, bytes_per_s);
            self.steps.push_back(Step::Host(work));
        }
    }

    fn transfer(&mut self, direction: Direction, bytes: u64) {
        if bytes > 0 {
            self.request(Address::Dma, Message::Move(Transfer { direction, bytes }));
        }
    }

    fn advance(&mut self, context: &mut Context<'_>) {
        match self.steps.pop_front() {
            Some(Step::Host(work)) => {
                let end_ps = self.server.serve(work, context);
                context.send(end_ps, Address::Software, Message::Done);
            }
            Some(Step::Request(to, message)) => context.send(context.now_ps, to, message),
            None => {}
        }
    }
}

impl Component for SoftwareLayer {
    fn receive(&mut self, message: Message, context: &mut Context<'_>) {
        match message {
            Message::Call(job) => {
                self.plan(&job);
                self.advance(context);
            }
            Message::Done => self.advance(context),
            _ => {}
        }
    }
}
