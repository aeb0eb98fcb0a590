//! The blocks of a simulated run: where valid copies are, and how long they take to be somewhere else.

use super::{Happening, SimulatedRun};
use crate::model::{Direction, Shape};
use crate::place::{Place, PlaceSet};
use crate::policy::BlockPlaces;
use crate::simulate::graph::{SimulatedTask, TaskGraph};
use crate::simulate::outcome::Copied;
use std::cmp::Reverse;

/// The blocks of one EDT, as a policy sees them.
pub(super) struct SimulatedBlocks<'a> {
    pub(super) run: &'a SimulatedRun<'a>,
    pub(super) task: &'a SimulatedTask,
}

impl BlockPlaces for SimulatedBlocks<'_> {
    fn shape(&self) -> Shape {
        shape_of(self.run.graph, self.task)
    }

    fn bytes_at(&self, place: Place) -> u64 {
        let at = |block: u32| self.run.valid[block as usize].contains(place);
        let there = self.task.blocks.iter().filter(|uses| at(uses.block));
        there.map(|uses| self.run.graph.blocks[uses.block as usize].bytes).sum()
    }

    fn copy_ns(&self, place: Place) -> Option<u64> {
        Some(self.run.copy_ns(self.task, place))
    }
}

/// The bytes of an EDT's blocks in all, and its parameters.
pub(super) fn shape_of(graph: &TaskGraph, task: &SimulatedTask) -> Shape {
    let bytes = |block: u32| graph.blocks[block as usize].bytes;
    Shape { bytes: task.blocks.iter().map(|uses| bytes(uses.block)).sum(), params: task.params }
}

impl SimulatedRun<'_> {
    /// Nanoseconds until the blocks of an EDT are in a place, if nothing else is copied.
    pub(super) fn copy_ns(&self, task: &SimulatedTask, place: Place) -> u64 {
        let copies = task.blocks.iter().map(|uses| {
            let bytes = self.graph.blocks[uses.block as usize].bytes;
            let ways = self.ways(uses.block, place);
            let ns = |(device, direction): (Place, Direction)| {
                let index = device.device_index();
                index.map_or(0, |index| self.transfers.expected(index, direction, bytes))
            };
            ways.into_iter().flatten().map(ns).sum::<u64>()
        });
        copies.sum()
    }

    /// The copies that bring a block to a place, in their order: from a device to the host, and from the host to a
    /// device. None of both where the place has a valid copy.
    fn ways(&self, block: u32, place: Place) -> [Option<(Place, Direction)>; 2] {
        let valid = self.valid[block as usize];
        if valid.contains(place) {
            return [None; 2];
        }
        let from = if valid.contains(Place::HOST) {
            None
        } else {
            valid.iter().next().map(|from| (from, Direction::FromDevice))
        };
        let to = (place != Place::HOST).then_some((place, Direction::ToDevice));
        [from, to]
    }

    /// Begins to copy the blocks of an EDT to a place. Returns when all are there, in nanoseconds from the beginning.
    pub(super) fn bring(&mut self, number: u32, place: Place) -> u64 {
        let now = self.shared.now.get();
        let mut there = now;
        for uses in &self.graph.tasks[number as usize].blocks {
            let bytes = self.graph.blocks[uses.block as usize].bytes;
            let mut at = now;
            for (device, direction) in self.ways(uses.block, place).into_iter().flatten() {
                let Some(index) = device.device_index() else {
                    continue;
                };
                let ns = self.transfers.expected(index, direction, bytes);
                if ns != 0 {
                    self.bytes_moved = self.bytes_moved.saturating_add(bytes);
                }
                let line = &mut self.devices[index];
                let begun = at.max(line.link_free_at);
                at = begun + ns;
                line.link_free_at = at;
                if ns != 0 && self.shared.considered.is_some() {
                    self.copies.push(Copied {
                        block: uses.block,
                        device,
                        to_device: direction == Direction::ToDevice,
                        begun,
                        ended: at,
                    });
                }
            }
            there = there.max(at);
            let valid = &mut self.valid[uses.block as usize];
            valid.insert(place);
            if uses.writes {
                *valid = PlaceSet::only(place);
            }
        }
        there
    }

    /// The CPU device that has to bring a block to the workers, with the threads that run its kernels.
    pub(super) fn behind(&self, task: &SimulatedTask, place: Place) -> Option<Place> {
        let brings = |place: &Place| {
            let index = place.device_index();
            index.is_some_and(|index| self.brings_behind_kernels[index])
        };
        let mut from = task.blocks.iter().filter_map(|uses| {
            let valid = self.valid[uses.block as usize];
            let at = (!valid.contains(Place::HOST)).then(|| valid.iter().next())?;
            at.filter(brings)
        });
        (place == Place::HOST).then(|| from.next()).flatten()
    }

    /// Whether a worker that gets an EDT has to wait until a device has brought blocks, and so runs others meanwhile.
    pub(super) fn waits(&mut self, number: u32) -> bool {
        let device = self.behind(&self.graph.tasks[number as usize], Place::HOST);
        let index = device.and_then(Place::device_index);
        let Some(free_at) = index.map(|index| self.devices[index].free_at) else {
            return false;
        };
        let there = self.bring(number, Place::HOST).max(free_at);
        if there <= self.shared.now.get() {
            return false;
        }
        self.ends.push(Reverse((there, number, Happening::Brought)));
        true
    }
}
