//! What has ended, and what follows for the commands and threads that wait for it.

use crate::device::host::clock::CommandDates;
use crate::device::opencl::buffers::Id;
use crate::device::opencl::job::{Job, Outrun, Work};
use crate::device::opencl::lane::{BEHIND, COMPUTE, IN, MAX_LANES, OUT, Pending};
use crate::device::opencl::manager::Manager;
use crate::device::opencl::raw::Answer;
use crate::device::opencl::times::{EndedKernel, EventOf};
use crate::device::{DeviceKind, KernelTime};
use crate::trace;
use ocr_place::model::Direction;
use std::time::Instant;

impl Manager {
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
        let mut ended = std::mem::take(&mut self.round.ended);
        let first = self.lanes.first(lane);
        ended.extend(std::iter::from_fn(|| self.lanes.pop_done(lane)));
        if ended.is_empty() {
            self.round.ended = ended;
            return false;
        }
        let (now, mut behind) = (Instant::now(), ended.len() as u64);
        let ns = self.lanes.ended(lane, now).as_nanos() as u64 / behind;
        let mut is_sound = true;
        for (number, (pending, outcome)) in (first..).zip(ended.drain(..)) {
            let dates = self.dates(&pending, now);
            let outcome = if is_sound { outcome } else { outcome.and(Err(BEHIND)) };
            behind -= 1;
            if trace::is_on() {
                let copy = EventOf { dates, enqueued: pending.enqueued, lane, ns, behind };
                self.record_copy(&copy, &pending.work);
            }
            match pending.work {
                Work::CopyIn { id, bytes } => {
                    if outcome.is_ok() {
                        self.tell_copy(Direction::ToDevice, number, bytes, dates);
                    }
                    is_sound &= self.finish_copy_in(id, bytes, outcome);
                }
                Work::CopyOut(fetching) => {
                    if outcome.is_ok() {
                        self.tell_copy(Direction::FromDevice, number, fetching.bytes, dates);
                    }
                    is_sound &= self.finish_fetch(fetching, outcome);
                }
                Work::Bring(bringing) => is_sound &= self.brought(bringing, outcome),
                // Where it has failed, the buffer goes all the same, and its content is in the host's memory.
                Work::Unmap { id } => {
                    if let Err(code) = outcome {
                        self.unmap_failed(id, code);
                    }
                    self.release_pin(id);
                }
                Work::Kernel(_) => unreachable!("kernels are in other lanes"),
            }
        }
        self.round.ended = ended;
        if !is_sound {
            self.lanes.fail(lane);
        }
        true
    }

    /// Records a copy that has ended.
    #[cold]
    fn record_copy(&mut self, copy: &EventOf, work: &Work) {
        let (id, bytes) = match work {
            Work::CopyIn { id, bytes } => (*id, *bytes),
            // No thread waits for what was not asked for.
            Work::CopyOut(fetching) if fetching.tokens.is_empty() => return,
            Work::CopyOut(fetching) => (fetching.id, fetching.bytes),
            // Nor for what a kernel waits for itself.
            Work::Kernel(_) | Work::Bring(_) | Work::Unmap { .. } => return,
        };
        let block = self.buffers.get(id).block.guid().bits();
        self.times.record_copy(self.device.place, copy, block, bytes);
    }

    /// Sees what kernels have finished, in all lanes. True if any has.
    fn reap_kernels(&mut self) -> bool {
        let mut ended = self.times.take_ended();
        let now = Instant::now();
        let mut longest_ns = 0;
        for lane in COMPUTE..self.lanes.count() {
            let before = ended.len();
            while let Some((pending, outcome)) = self.lanes.pop_done(lane) {
                let dates = self.dates(&pending, now);
                ended.push(EndedKernel { pending, dates, outcome, ns: 0, occupied_ns: 0, ran_ns: 0, lane, behind: 0 });
            }
            let kernels = (ended.len() - before) as u64;
            if kernels == 0 {
                continue;
            }
            // All of them have ended by now. When each did is not known, so the time since the one before goes to all
            // alike.
            let taken_ns = self.lanes.ended(lane, now).as_nanos() as u64;
            let each_ns = self.pace.note(kernels, taken_ns);
            self.outside.load.set_pace_ns(each_ns);
            for (kernel, behind) in ended[before..].iter_mut().zip((0..kernels).rev()) {
                kernel.ns = each_ns;
                kernel.behind = behind;
            }
            longest_ns = longest_ns.max(taken_ns);
        }
        let any = !ended.is_empty();
        if any {
            let unended = self.lanes.computing();
            self.times.charge(&mut ended, unended, longest_ns, now);
            if self.times.is_timed() && self.device.info.kind != DeviceKind::Cpu {
                self.outside.load.set_at_once(self.times.at_once());
            }
        }
        let mut failed = [false; MAX_LANES];
        for kernel in ended.drain(..) {
            let Work::Kernel(job) = kernel.pending.work else { unreachable!("copies are in other lanes") };
            // Who reads the recording knows the EDT of a launch by its token, which another one may have by now.
            if trace::is_on() && !matches!(job.outrun, Outrun::Now(_)) {
                let ended = EventOf {
                    dates: kernel.dates,
                    enqueued: kernel.pending.enqueued,
                    lane: kernel.lane,
                    ns: kernel.ns,
                    behind: kernel.behind,
                };
                self.times.record_kernel(self.device.place, &ended, job.launch.token);
            }
            let time = KernelTime {
                ns: kernel.ns,
                occupied_ns: kernel.occupied_ns,
                ran_ns: kernel.ran_ns,
                is_first: job.is_first,
            };
            let (lane, outcome) = (kernel.lane, kernel.outcome);
            let outcome = if failed[lane] { outcome.and(Err(BEHIND)) } else { outcome };
            if !self.finish_kernel(kernel.pending.serial, job, outcome, time) {
                failed[lane] = true;
                self.lanes.fail(lane);
            }
        }
        self.times.keep(ended);
        any
    }

    fn dates(&mut self, pending: &Pending<Work>, now: Instant) -> Option<CommandDates> {
        (self.times).dates(&self.device.info.name, &pending.event, pending.enqueued, now)
    }

    /// Tells how long a copy has taken.
    fn tell_copy(&mut self, direction: Direction, number: u64, bytes: u64, dates: Option<CommandDates>) {
        if let Some(ns) = dates.and_then(|dates| self.times.copied(direction, number, &dates))
            && bytes != 0
        {
            self.outside.events.copied(self.device.place, direction, bytes, ns);
        }
    }

    /// A copy in has finished. False: it has failed.
    fn finish_copy_in(&mut self, id: Id, bytes: u64, outcome: Answer<()>) -> bool {
        let failed = self.blame_copy_in(id, outcome);
        match &failed {
            None => self.outside.counters.bytes_to_device.add(bytes),
            Some(why) => self.copy_in_failed(id, why),
        }
        self.release_pin(id);
        failed.is_none()
    }

    /// A kernel has finished, but perhaps the copies of what it has written have not. False: it has failed.
    fn finish_kernel(&mut self, serial: u64, mut job: Box<Job>, outcome: Answer<()>, time: KernelTime) -> bool {
        if !self.counts(&mut job) {
            return self.finish_outrun(job, Some((outcome, time)));
        }
        if let Some(why) = self.blame_kernel(&job, outcome) {
            self.books.count_out(&job);
            self.kernel_failed(serial, job, why, false);
            return false;
        }
        if self.device.attempts && job.uses.iter().any(|used| used.written) {
            return self.begin_settling(serial, job, time);
        }
        self.books.count_out(&job);
        for used in &job.uses {
            if used.written {
                self.buffers.get(used.id).block.copies().wrote(self.device.place);
            }
        }
        self.answer_ended(job, time);
        true
    }

    /// Answers for a kernel that has ended well.
    pub(crate) fn answer_ended(&mut self, mut job: Box<Job>, time: KernelTime) {
        self.failing.failures.end_row();
        self.outside.counters.kernels.add(1);
        self.outside.counters.kernel_ns.add(time.ns);
        self.outside.load.ends();
        self.outside.events.launched(job.launch.token, Ok(time));
        self.unpin(&mut job.uses);
        self.books.end_job(job);
    }
}
