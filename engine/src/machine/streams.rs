// SPDX-License-Identifier: Apache-2.0
//! Streams that come and go, chunk by chunk, while the kernel runs.

use std::cell::{Cell, RefCell};
use std::pin::Pin;

use super::components::Components;
use super::ways::Way;
use crate::components::device::Device;
use crate::components::link::Direction;
use crate::components::parts::lane::Lane;
use crate::components::transfer::Mode;
use crate::course::Course;
use crate::job::ended::Ended;
use crate::job::{Job, Moved};
use crate::simulation::{all, either};

impl Components {
    /// The buffers of the streams that come and go while the kernel runs.
    pub fn lanes(&self, job: &Job, device: usize) -> Vec<Lane> {
        let transfer = &self.platform.transfer;
        let Some(course) = job.course.as_ref().filter(|_| transfer.mode != Mode::Buffered) else {
            return Vec::new();
        };
        let link = &self.platform.links[self.platform.devices[device].link];
        let chunk_bytes = transfer.chunk_bytes(link.burst_bytes);
        let lane = |(argument, records): (usize, u64)| {
            let mut moved = job.moved_in.iter().chain(&job.moved_out);
            let moved = moved.find(|moved| moved.argument == argument && moved.bytes > 0)?;
            let chunk_records = chunk_bytes / moved.record_bytes.max(1);
            let clock = self.recorder.clock();
            Some(Lane::new(clock, argument, records, chunk_records, transfer.buffers))
        };
        course.records().filter_map(lane).collect()
    }

    /// Runs a kernel with everything that moves meanwhile.
    pub async fn stream(
        &self,
        way: &Way,
        job: &Job,
        (kernel, course): (&Device, &Course),
        lanes: &[Lane],
        ended: &mut Ended,
    ) {
        let Ended { cycles, gates, .. } = ended;
        let mut processes: Vec<Pin<Box<dyn Future<Output = ()> + '_>>> = Vec::new();
        for moved in &job.moved_in {
            if let Some(lane) = lane_of(lanes, moved) {
                processes.push(Box::pin(self.come(way, job.call, moved, lane)));
            }
        }
        for moved in &job.moved_out {
            if let Some(lane) = lane_of(lanes, moved) {
                processes.push(Box::pin(self.go(way, job.call, moved, lane)));
            }
        }
        processes.push(Box::pin(async move {
            *cycles = kernel.stream(job, course, lanes, gates).await;
        }));
        match &job.hardware {
            None => all(processes).await,
            Some(hardware) => either(all(processes), Box::pin(hardware.fails())).await,
        }
    }

    /// Runs a kernel for calls that are there together, whose streams come and go one call after the
    /// other: each copy of it takes the next one, up to `most` at a time. Streams that go straight
    /// through are set up once for all of them.
    pub async fn stream_all(
        &self,
        way: &Way,
        kernel: &Device,
        jobs: &[Job],
        most: usize,
        ended: &mut Ended,
    ) {
        let (device, rest, waited) =
            (ended.device, RefCell::new(jobs.iter().enumerate()), Cell::new(0));
        let next = || rest.borrow_mut().next();
        let copy = async || {
            while let Some((index, job)) = next() {
                let mut own = Ended { device, cycles: job.run.cycles, ..Ended::default() };
                match &job.course {
                    Some(course) => {
                        let mut lanes = self.lanes(job, device);
                        lanes.iter_mut().for_each(|lane| lane.goes_on = index > 0);
                        self.stream(way, job, (kernel, course), &lanes, &mut own).await;
                    }
                    None => own.took(job, kernel.compute(job).await),
                }
                waited.set(waited.get() + (own.cycles - job.run.cycles));
            }
        };
        let mut copies: Vec<Pin<Box<dyn Future<Output = ()> + '_>>> = Vec::new();
        for _ in 0..kernel.units.min(jobs.len()).min(most) {
            copies.push(Box::pin(copy()));
        }
        all(copies).await;
        ended.cycles = ended.cycles.saturating_add(waited.get());
    }

    /// A stream comes, chunk by chunk.
    async fn come(&self, way: &Way, call: u64, moved: &Moved, lane: &Lane) {
        let clock = self.recorder.clock();
        for chunk in 0..lane.chunks {
            lane.room(chunk, clock).await;
            let bytes = chunk_bytes(moved, lane, chunk);
            self.software.copy(call, moved.copied(bytes)).await;
            self.move_chunk(way, call, Direction::In, (lane, chunk, bytes)).await;
            lane.give(clock.now_ps());
        }
    }

    /// A stream goes, chunk by chunk.
    async fn go(&self, way: &Way, call: u64, moved: &Moved, lane: &Lane) {
        let clock = self.recorder.clock();
        for chunk in 0..lane.chunks {
            lane.chunk(chunk, clock).await;
            let bytes = chunk_bytes(moved, lane, chunk);
            self.move_chunk(way, call, Direction::Out, (lane, chunk, bytes)).await;
            lane.take(clock.now_ps());
            self.software.copy(call, moved.copied(bytes)).await;
        }
    }

    async fn move_chunk(
        &self,
        way: &Way,
        call: u64,
        direction: Direction,
        (lane, chunk, bytes): (&Lane, u64, u64),
    ) {
        let is_stored = self.platform.transfer.mode != Mode::Streaming;
        if is_stored || chunk == 0 && !lane.goes_on {
            way.dma.set_up(call, direction).await;
        }
        let held_ps = if is_stored { way.memory.transfer_ps(bytes) } else { 0 };
        self.over_links(way, call, direction, (bytes, held_ps)).await;
    }
}

/// What goes with a buffer, if it is a stream's.
pub fn lane_of<'a>(lanes: &'a [Lane], moved: &Moved) -> Option<&'a Lane> {
    lanes.iter().find(|lane| lane.argument == moved.argument)
}

/// Bytes of one chunk; the last one has what is left, also what the call never touches.
fn chunk_bytes(moved: &Moved, lane: &Lane, chunk: u64) -> u64 {
    let whole = lane.chunk_records * moved.record_bytes;
    let before = chunk * whole;
    if chunk + 1 == lane.chunks { moved.bytes.saturating_sub(before) } else { whole }
}
