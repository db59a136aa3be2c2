// SPDX-License-Identifier: Apache-2.0
//! How the bytes of a device come and go: the links that lie before it, its memory, and what moves them.

use super::components::Components;
use crate::components::link::{Direction, Leg, transfer};
use crate::components::memory::{Memory, Room};
use crate::components::parts::dma::DmaEngine;
use crate::components::parts::stop::Turn;
use crate::job::BufferUse;
use crate::job::failure::Failure;
use crate::job::residence::{BufferId, Source};
use crate::platform::{DeviceSettings, Platform};
use crate::trace::Recorder;

/// How the bytes of a device come and go.
pub struct Way {
    /// What moves them.
    pub dma: DmaEngine,
    /// The device's own link, and those behind which it lies.
    pub(super) links: Vec<usize>,
    /// What they go to and come from.
    pub memory: Memory,
    /// The room that is left there.
    pub room: Room,
}

impl Components {
    /// Device memory comes to a device, from whoever has its newest content.
    pub(super) async fn bring(
        &self,
        device: usize,
        call: u64,
        buffer: &BufferUse,
    ) -> Result<(), Failure> {
        let BufferUse { id, bytes, .. } = *buffer;
        let source = self.residences.borrow_mut().for_device(id, device);
        match source {
            Source::Here => return Ok(()),
            Source::Host => {}
            Source::Device(other) if self.platform.transfer.is_peer_to_peer => {
                self.while_it_lasts(other, self.across(other, device, call, bytes)).await?;
                self.residences.borrow_mut().came_to(id, device);
                return Ok(());
            }
            Source::Device(other) => self.fetch(other, call, id, bytes).await?,
        }
        self.transfer(&self.ways[device], call, Direction::In, bytes).await;
        self.residences.borrow_mut().came_to(id, device);
        Ok(())
    }

    /// Device memory comes to the host.
    pub async fn fetch(
        &self,
        device: usize,
        call: u64,
        id: BufferId,
        bytes: u64,
    ) -> Result<(), Failure> {
        let moved = self.transfer(&self.ways[device], call, Direction::Out, bytes);
        self.while_it_lasts(device, moved).await?;
        self.residences.borrow_mut().came_back(id);
        Ok(())
    }

    /// Takes the newest content of memory from a device.
    async fn while_it_lasts(
        &self,
        device: usize,
        work: impl Future<Output = ()>,
    ) -> Result<(), Failure> {
        self.regions.while_alive(device, work).await.map_err(|_| Failure::Lost { device })
    }

    /// Bytes go from one device to another, over the links that lie between them.
    async fn across(&self, from: usize, to: usize, call: u64, bytes: u64) {
        let ways = [&self.ways[from], &self.ways[to]];
        let leg = |link: usize, direction| -> Leg<'_> { (&self.links[link], direction) };
        let not_of = |other: &Way, link: &usize| !other.links.contains(link);
        let out = ways[0].links.iter().filter(|link| not_of(ways[1], link));
        let into = ways[1].links.iter().filter(|link| not_of(ways[0], link));
        let mut out: Vec<_> = out.map(|&link| leg(link, Direction::Out)).collect();
        let mut into: Vec<_> = into.map(|&link| leg(link, Direction::In)).collect();
        if from > to {
            std::mem::swap(&mut out, &mut into);
        }
        let mut legs = [out, into].concat();
        if legs.is_empty() {
            legs.extend(ways[1].links.first().map(|&link| leg(link, Direction::In)));
        }
        let held_ps = ways.map(|way| way.memory.transfer_ps(bytes)).into_iter().sum();
        ways[0].dma.set_up(call, Direction::Out).await;
        self.stop(call, Turn::BeforeTransfer { direction: Direction::Out, bytes }).await;
        transfer(&legs, call, bytes, held_ps).await;
    }

    pub(super) async fn transfer(&self, way: &Way, call: u64, direction: Direction, bytes: u64) {
        if bytes > 0 {
            way.dma.set_up(call, direction).await;
            self.over_links(way, call, direction, (bytes, way.memory.transfer_ps(bytes))).await;
        }
    }

    /// Bytes cross all links of a device's way; `held_ps`: how long those stand still meanwhile.
    pub async fn over_links(
        &self,
        way: &Way,
        call: u64,
        direction: Direction,
        (bytes, held_ps): (u64, u64),
    ) {
        self.stop(call, Turn::BeforeTransfer { direction, bytes }).await;
        match way.links[..] {
            [link] => transfer(&[(&self.links[link], direction)], call, bytes, held_ps).await,
            _ => {
                let leg = |&link: &usize| (&self.links[link], direction);
                let legs: Vec<_> = way.links.iter().map(leg).collect();
                transfer(&legs, call, bytes, held_ps).await;
            }
        }
    }
}

pub(super) fn ways(platform: &Platform, recorder: &Recorder) -> Vec<Way> {
    let way = |device: &DeviceSettings| {
        let through = |&link: &usize| platform.links[link].through;
        let name = match platform.devices.len() {
            1 => "dma".to_string(),
            _ => format!("{}.dma", device.name),
        };
        Way {
            dma: DmaEngine::new(recorder, &name, platform.links[device.link].transfer_time_ps),
            links: std::iter::successors(Some(device.link), through).collect(),
            memory: platform.memories[device.memory],
            room: Room::new(recorder.clock(), platform.memories[device.memory].capacity_bytes()),
        }
    };
    platform.devices.iter().map(way).collect()
}
