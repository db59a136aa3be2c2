// SPDX-License-Identifier: Apache-2.0
//! Streams that come and go, chunk by chunk, while the kernel runs.

use std::pin::Pin;

use super::Ended;
use super::components::{Components, Way};
use crate::components::device::Device;
use crate::components::lane::Lane;
use crate::components::link::Direction;
use crate::components::transfer::Mode;
use crate::course::Course;
use crate::job::{Job, Moved};
use crate::simulation::all;

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
            *cycles = kernel.stream(job.call, job.run, course, lanes, gates).await;
        }));
        all(processes).await;
    }

    /// A stream comes, chunk by chunk.
    async fn come(&self, way: &Way, call: u64, moved: &Moved, lane: &Lane) {
        let clock = self.recorder.clock();
        for chunk in 0..lane.chunks {
            lane.room(chunk, clock).await;
            let bytes = chunk_bytes(moved, lane, chunk);
            self.software.copy(call, moved.copied(bytes)).await;
            self.move_chunk(way, call, Direction::In, (chunk, bytes)).await;
            lane.give(clock.now_ps());
        }
    }

    /// A stream goes, chunk by chunk.
    async fn go(&self, way: &Way, call: u64, moved: &Moved, lane: &Lane) {
        let clock = self.recorder.clock();
        for chunk in 0..lane.chunks {
            lane.chunk(chunk, clock).await;
            let bytes = chunk_bytes(moved, lane, chunk);
            self.move_chunk(way, call, Direction::Out, (chunk, bytes)).await;
            lane.take(clock.now_ps());
            self.software.copy(call, moved.copied(bytes)).await;
        }
    }

    async fn move_chunk(
        &self,
        way: &Way,
        call: u64,
        direction: Direction,
        (chunk, bytes): (u64, u64),
    ) {
        let is_stored = self.platform.transfer.mode != Mode::Streaming;
        if chunk == 0 || is_stored {
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
