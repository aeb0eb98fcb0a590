//! What has ended, and how long it took.
//!
//! OpenCL tells that a command has ended, and not when, unless its queue is timed ([`crate::device::DeviceSettings::timed`]).
//! So there are two measures of a kernel. One is there always: the time since the one before in its queue was seen to have
//! ended, in equal parts for those that were seen together. The other, for who plans with it, is how long the kernel has kept
//! the device, by the device's clock (`occupancy.rs`), and where there is none, an equal part of what all queues took together.

use crate::device::host::occupancy::{Occupancy, Span};
use crate::device::opencl::buffers::Id;
use crate::device::opencl::job::{Job, Work};
use crate::device::opencl::lane::{COMPUTE, IN, OUT, Pending};
use crate::device::opencl::manager::Manager;
use crate::device::opencl::raw::{Answer, Context, Event, Queue};
use crate::device::{DeviceInfo, KernelTime};
use crate::model::Direction;
use std::collections::VecDeque;
use std::time::Instant;

/// So many copies in are remembered: as many as kernels may wait for at a time, or so.
const REMEMBERED: usize = 64;

/// A kernel that has ended.
struct Ended {
    pending: Pending<Work>,
    outcome: Answer<()>,
    ns: u64,
    occupied_ns: u64,
}

/// What the clocks say of a device's commands.
pub(crate) struct Times {
    /// Whether the device's clock is asked.
    is_timed: bool,
    occupancy: Occupancy,
    /// When the last copies in have ended, by their numbers in their lane.
    copies_in: VecDeque<(u64, u64)>,
    /// When the last copy in each direction has ended.
    last_copy: [u64; 2],
    /// When kernels were last seen to have ended, by the host's clock.
    last_seen: Instant,
    ended: Vec<Ended>,
    spans: Vec<Span>,
    charged: Vec<u64>,
}

impl Times {
    pub(crate) fn new(is_timed: bool) -> Times {
        Times {
            is_timed,
            occupancy: Occupancy::default(),
            copies_in: VecDeque::new(),
            last_copy: [0; 2],
            last_seen: Instant::now(),
            ended: Vec::new(),
            spans: Vec::new(),
            charged: Vec::new(),
        }
    }

    /// When a kernel was ready, has begun and has ended.
    fn span(&self, pending: &Pending<Work>) -> Option<Span> {
        let [submitted, started, ended] = pending.event.times()?;
        let needed = pending.needs_in(IN);
        let copies = self.copies_in.iter().rev();
        let mut copied = copies.filter(|(number, _)| *number <= needed);
        let copied = copied.next().map_or(0, |(_, ended)| *ended);
        Span::new(submitted.max(copied), started, ended)
    }

    /// Says for each kernel that has ended how long it has kept the device; `fallback` where its clock is of no use.
    fn charge(&mut self, ended: &mut [Ended], fallback: u64) {
        for kernel in ended.iter_mut() {
            kernel.occupied_ns = fallback;
        }
        if !self.is_timed {
            return;
        }
        let mut spans = std::mem::take(&mut self.spans);
        spans.clear();
        spans.extend((ended.iter()).map_while(|kernel| self.span(&kernel.pending)));
        // One without a span leaves a hole, beside which the others cannot be put right.
        if spans.len() == ended.len() {
            self.occupancy.charge(&spans, &mut self.charged);
            for (kernel, ns) in ended.iter_mut().zip(&self.charged) {
                kernel.occupied_ns = *ns;
            }
        }
        self.spans = spans;
    }

    /// How long a copy has taken, from when nothing kept it from beginning.
    fn copied(&mut self, direction: Direction, number: u64, event: &Event) -> Option<u64> {
        if !self.is_timed {
            return None;
        }
        let [submitted, started, ended] = event.times()?;
        let kernels = Some(self.occupancy.last_end()).filter(|end| *end <= started);
        let last = &mut self.last_copy[direction as usize];
        let ready = submitted.max(*last).max(kernels.unwrap_or(0));
        *last = ended;
        if direction == Direction::ToDevice {
            self.copies_in.push_back((number, ended));
            if self.copies_in.len() > REMEMBERED {
                self.copies_in.pop_front();
            }
        }
        Span::new(ready, started, ended).map(|span| span.ended - span.ready)
    }
}

/// A queue for a device, timed if it is to be and the device can.
pub(crate) fn queue(context: &Context, info: &DeviceInfo, timed: bool) -> Answer<Queue> {
    if timed && let Ok(queue) = Queue::timed(context, info.id) {
        return Ok(queue);
    }
    Queue::new(context, info.id)
}

impl Manager {
    /// Another queue of the kind of those that the device has.
    pub(crate) fn new_queue(&self) -> Answer<Queue> {
        queue(&self.context, &self.info, self.times.is_timed)
    }

    /// Sees what has finished. True if anything has.
    pub(crate) fn reap_all(&mut self) -> bool {
        // Copies in before kernels and kernels before copies out, as they depend on each other.
        let mut any = self.reap_copies(IN);
        any |= self.reap_kernels();
        any |= self.reap_copies(OUT);
        any
    }

    /// Sees what copies have finished in one lane. True if any has.
    fn reap_copies(&mut self, lane: usize) -> bool {
        let mut ended = std::mem::take(&mut self.ended);
        let mut number = self.lanes.first(lane);
        ended.extend(std::iter::from_fn(|| self.lanes.pop_done(lane)));
        let any = !ended.is_empty();
        if any {
            self.lanes.ended(lane, Instant::now());
        }
        for (pending, outcome) in ended.drain(..) {
            let event = &pending.event;
            match pending.work {
                Work::CopyIn { id, bytes } => {
                    if outcome.is_ok() {
                        self.tell_copy(Direction::ToDevice, number, bytes, event);
                    }
                    self.finish_copy_in(id, bytes, outcome);
                }
                Work::CopyOut(fetching) => {
                    if outcome.is_ok() {
                        self.tell_copy(Direction::FromDevice, number, fetching.bytes, event);
                    }
                    self.finish_fetch(fetching, outcome);
                }
                // Where it has failed, the buffer goes all the same, and its content is in the host's memory.
                Work::Unmap { id } => {
                    if let Err(code) = outcome {
                        self.unmap_failed(id, code);
                    }
                    self.release_pin(id);
                }
                Work::Kernel(_) => unreachable!("kernels are in other lanes"),
            }
            number += 1;
        }
        self.ended = ended;
        any
    }

    /// Sees what kernels have finished, in all lanes. True if any has.
    fn reap_kernels(&mut self) -> bool {
        let mut ended = std::mem::take(&mut self.times.ended);
        let now = Instant::now();
        let mut longest_ns = 0;
        for lane in COMPUTE..self.lanes.count() {
            let before = ended.len();
            while let Some((pending, outcome)) = self.lanes.pop_done(lane) {
                ended.push(Ended {
                    pending,
                    outcome,
                    ns: 0,
                    occupied_ns: 0,
                });
            }
            let kernels = (ended.len() - before) as u64;
            if kernels == 0 {
                continue;
            }
            // All of them have ended by now. When each did is not known, so the time since the one before goes to all alike.
            let taken_ns = self.lanes.ended(lane, now).as_nanos() as u64;
            let each_ns = self.pace.note(kernels, taken_ns);
            self.load.set_pace_ns(each_ns);
            for kernel in &mut ended[before..] {
                kernel.ns = each_ns;
            }
            longest_ns = longest_ns.max(taken_ns);
        }
        let any = !ended.is_empty();
        if any {
            let since = now.saturating_duration_since(self.times.last_seen);
            let taken_ns = longest_ns.min(since.as_nanos() as u64);
            self.times.last_seen = now;
            let fallback = taken_ns / ended.len() as u64;
            self.times.charge(&mut ended, fallback);
        }
        for kernel in ended.drain(..) {
            let Work::Kernel(job) = kernel.pending.work else {
                unreachable!("copies are in other lanes")
            };
            let time = KernelTime {
                ns: kernel.ns,
                occupied_ns: kernel.occupied_ns,
                is_first: job.is_first,
            };
            self.finish_kernel(kernel.pending.serial, job, kernel.outcome, time);
        }
        self.times.ended = ended;
        any
    }

    /// Tells how long a copy has taken.
    fn tell_copy(&mut self, direction: Direction, number: u64, bytes: u64, event: &Event) {
        if let Some(ns) = self.times.copied(direction, number, event)
            && bytes != 0
        {
            self.events.copied(self.place, direction, bytes, ns);
        }
    }

    fn finish_copy_in(&mut self, id: Id, bytes: u64, outcome: Answer<()>) {
        match self.blame_copy_in(id, outcome) {
            None => self.counters.bytes_to_device.add(bytes),
            Some(why) => self.copy_in_failed(id, &why),
        }
        self.release_pin(id);
    }

    /// A launch is not enqueued any more.
    pub(crate) fn count_out(&mut self, job: &Job) {
        self.running -= 1;
        self.awaited -= usize::from(job.launch.awaited);
    }

    fn finish_kernel(
        &mut self,
        serial: u64,
        mut job: Box<Job>,
        outcome: Answer<()>,
        time: KernelTime,
    ) {
        self.count_out(&job);
        if let Some(why) = self.blame_kernel(&job, outcome) {
            return self.kernel_failed(serial, job, why, false);
        }
        for used in &job.uses {
            if used.written {
                self.buffers.get(used.id).block.copies().wrote(self.place);
            }
        }
        self.failures.end_row();
        self.counters.kernels.add(1);
        self.counters.kernel_ns.add(time.ns);
        self.load.ends();
        self.events.launched(job.launch.token, Ok(time));
        self.unpin(&mut job.uses);
        self.end_job(job);
    }
}
