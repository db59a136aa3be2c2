// SPDX-License-Identifier: Apache-2.0
//! A platform wired up, the clock that all of it shares, and the calls in flight.

mod components;
mod room;
mod stops;
mod streams;
mod ways;

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use self::components::Components;
use crate::breakdown::Category;
use crate::components::configuration::Loads;
use crate::components::memory::Crowding;
use crate::components::parts::regions::Demand;
use crate::job::ended::Ended;
use crate::job::failure::Failure;
use crate::job::residence::{BufferId, Source};
use crate::job::{Job, KernelId};
use crate::platform::Platform;
use crate::simulation::{ProcessId, Server, Simulation};
use crate::trace::{Happened, Recorder, Trace, Work};

/// Name of a queue: what is submitted to it happens in turn.
pub type QueueId = u32;

/// A call that was submitted: its process, and its end once it has come.
pub struct Submitted {
    process: ProcessId,
    ended: Rc<RefCell<Option<Ended>>>,
}

impl Submitted {
    /// Its end, if that has come.
    pub fn ended(&self) -> Option<Ended> {
        self.ended.borrow().clone()
    }

    /// Whether it has come.
    pub fn has_ended(&self) -> bool {
        self.ended.borrow().is_some()
    }
}

/// The simulated machine. Its clock stands still while no call is in flight: the host's own work is
/// real, not simulated.
pub struct Machine {
    /// What it was built from.
    pub platform: Platform,
    simulation: Simulation,
    components: Rc<Components>,
    queues: HashMap<QueueId, Rc<Server>>,
}

// SAFETY: what is shared within a machine (the clock, the trace, the components, the ends of calls)
// is shared by the machine, its own processes and what was submitted to it only, and goes with it
// from thread to thread.
unsafe impl Send for Machine {}
// SAFETY: as above.
unsafe impl Send for Submitted {}

impl Machine {
    /// A machine at time 0 with nothing on its device.
    pub fn new(platform: Platform) -> Self {
        let simulation = Simulation::default();
        let components = Components::new(&platform, Recorder::new(simulation.clock()));
        Self { platform, simulation, components: Rc::new(components), queues: HashMap::new() }
    }

    /// The simulated time.
    pub fn now_ps(&self) -> u64 {
        self.simulation.clock().now_ps()
    }

    /// Looks at what has happened so far.
    pub fn with_trace<T>(&self, look: impl FnOnce(&mut Trace) -> T) -> T {
        self.components.recorder.with(look)
    }

    /// What has happened so far.
    pub fn happened(&self) -> Happened {
        self.with_trace(|trace| trace.happened(self.now_ps()))
    }

    /// How often kernels were loaded.
    pub fn loads(&self) -> Loads {
        self.components.regions.loads()
    }

    /// What did not fit the devices' memories.
    pub fn crowding(&self) -> Crowding {
        let capacity_bytes = self.platform.least_memory().capacity_bytes();
        Crowding { capacity_bytes, ..*self.components.crowding.borrow() }
    }

    /// Begins anew to count, in a process that was forked.
    pub fn forget(&mut self) {
        self.simulation.cancel_all();
        self.with_trace(Trace::forget);
    }

    /// Has a call begin now. Nothing happens until somebody waits.
    pub fn submit(&mut self, job: Job) -> Submitted {
        self.submit_batch(vec![job])
    }

    /// The same for calls of one kernel that are handed over together.
    pub fn submit_batch(&mut self, jobs: Vec<Job>) -> Submitted {
        let components = self.components.clone();
        self.begin(move || async move { components.serve(&jobs).await })
    }

    /// The same, behind all that was submitted to this queue before.
    pub fn submit_to(&mut self, queue: QueueId, jobs: Vec<Job>) -> Submitted {
        let components = self.components.clone();
        let new = || Rc::new(Server::new(self.simulation.clock(), 1));
        let queue = self.queues.entry(queue).or_insert_with(new).clone();
        self.begin(move || async move {
            let _turn = queue.place().await;
            components.serve(&jobs).await
        })
    }

    /// `call` makes what happens where it is to stay: it is large, and moving it takes time.
    fn begin<F: Future<Output = Ended> + 'static>(
        &mut self,
        call: impl FnOnce() -> F + 'static,
    ) -> Submitted {
        let ended = Rc::new(RefCell::new(None));
        let end = ended.clone();
        let process = self.simulation.spawn(async move {
            let ended = call().await;
            *end.borrow_mut() = Some(ended);
        });
        Submitted { process, ended }
    }

    /// Lets time pass until a call has ended; nothing if it never will.
    pub fn wait(&mut self, call: &Submitted) -> Option<Ended> {
        self.simulation.run_until(|| call.has_ended());
        call.ended()
    }

    /// The same, for so long at most.
    pub fn wait_at_most(&mut self, call: &Submitted, ps: u64) -> Option<Ended> {
        let clock = self.simulation.clock().clone();
        self.simulation.run_beside(clock.sleep(ps), || call.has_ended());
        call.ended()
    }

    /// Gives a call up: it ends where it stands, and what it has begun to move or to compute stops.
    pub fn cancel(&mut self, call: &Submitted) {
        if !call.has_ended() {
            self.simulation.cancel(call.process);
        }
    }

    /// Lets one call happen; nothing if it never ends.
    pub fn call(&mut self, job: &Job) -> Option<Ended> {
        self.call_batch(std::slice::from_ref(job))
    }

    /// Lets calls of one kernel happen together.
    pub fn call_batch(&mut self, jobs: &[Job]) -> Option<Ended> {
        self.simulation.run_beside(self.components.serve(jobs), || false)
    }

    /// Tells what a kernel is called in the trace.
    pub fn name_kernel(&mut self, kernel: KernelId, name: &str) {
        self.components.names.borrow_mut().insert(kernel, name.to_string());
    }

    /// Loads a kernel now.
    ///
    /// # Errors
    /// [`Failure`], where that came to nothing.
    pub fn configure(&mut self, kernel: KernelId) -> Result<(), Failure> {
        let components = &self.components;
        let load = async {
            let _in_flight = components.recorder.in_flight();
            let id = components.configuration_of(kernel);
            components.regions.holding(0, id, |_| Demand::default()).await.map(|_| ())
        };
        self.simulation.run_beside(load, || false).unwrap_or(Ok(()))
    }

    /// Device memory comes to the host, if it has not its newest content. With `writes`, it then is
    /// the only one that has.
    ///
    /// # Errors
    /// [`Failure`], where that came to nothing.
    pub fn sync(&mut self, id: BufferId, bytes: u64, writes: bool) -> Result<(), Failure> {
        let components = &self.components;
        let sync = async {
            let _in_flight = components.recorder.in_flight();
            let source = components.residences.borrow_mut().for_host(id);
            if let Source::Device(device) = source {
                components.fetch(device, 0, id, bytes).await?;
            }
            if writes {
                components.residences.borrow_mut().written_by_host(id);
            }
            Ok(())
        };
        self.simulation.run_beside(sync, || false).unwrap_or(Ok(()))
    }

    /// Nobody has this device memory any more.
    pub fn forget_buffer(&mut self, id: BufferId) {
        self.components.residences.borrow_mut().written_by_host(id);
    }

    /// Lets the program work for so long, beside whatever is in flight; no longer than until a call
    /// has ended, if one is named.
    pub fn work(&mut self, ps: u64, until: Option<&Submitted>) {
        let work = self.components.host.pass(0, Work::fixed(Category::Host, ps));
        self.simulation.run_beside(work, || until.is_some_and(Submitted::has_ended));
    }

    /// Lets everything happen that has begun.
    pub fn finish(&mut self) {
        self.simulation.run();
    }
}
