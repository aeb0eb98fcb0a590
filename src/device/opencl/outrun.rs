//! Kernels that are *outrun*: the function of their EDT has ended first, and counts.
//!
//! Kernels are outrun only on devices where they can be undone ([`DeviceSettings::attempts`]). What a kernel has
//! written there counts when it is settled (`settle.rs`), and until then it is in buffers of the device alone. So it is
//! enough to leave it there.
//!
//! | the kernel | what is done |
//! |---|---|
//! | waits to be enqueued | it never is |
//! | is enqueued, and was not seen to end | its blocks lose the buffers that it writes ([`BufferEntry::is_lost`]) |
//! | is enqueued, and a copy of a block that it writes has not ended | the same, when that has ended: the copy uses memory of the host, which is written from then on |
//! | has ended, and waits for its copies, or was answered | nothing: it was first |
//!
//! What its block has lost is used by the kernel, and by those that were enqueued behind it and read the block. It goes
//! when all have ended, and nothing reads it later. The next launch with the block makes another buffer, of what the
//! host has: that is what the function has left. A kernel that was enqueued before, and reads the block in mode RO, may
//! find what the other has written, as it may find anything that a writer beside it writes.
//!
//! The launch is answered at once, as one that has left its blocks as they were. The device counts as busy until the
//! kernel has ended. At the end of a run no thread waits for that: the queues are left to OpenCL, with what is in
//! them, as those of a device that is lost. The end of the process may take away the code of such a kernel
//! while a thread of OpenCL is in it: that thread is then stopped (`engine/process/crash/mod.rs`).
//!
//! While the device runs dry behind a failure, a kernel is not outrun before that is over: it may have failed, too.
//!
//! [`BufferEntry::is_lost`]: crate::device::opencl::buffers::BufferEntry
//! [`DeviceSettings::attempts`]: crate::device::DeviceSettings::attempts

use crate::device::KernelTime;
use crate::device::opencl::buffers::Id;
use crate::device::opencl::job::{Job, Outrun, Work};
use crate::device::opencl::lane::{COMPUTE, IN, OUT};
use crate::device::opencl::manager::Manager;
use crate::device::opencl::raw::Answer;
use smallvec::SmallVec;
use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether kernels run on that nobody waits for. Relaxed: it is looked at when the process ends, long after.
static LEFT: AtomicBool = AtomicBool::new(false);

/// Whether kernels may run on in this process that were in vain, behind the end of a run. For handlers of signals, too.
pub(crate) fn are_kernels_left() -> bool {
    LEFT.load(Ordering::Relaxed)
}

/// The job of a kernel.
fn job_of(work: &Work) -> Option<&Job> {
    match work {
        Work::Kernel(job) => Some(job),
        _ => None,
    }
}

impl Manager {
    /// The function of the EDT with this token has ended first. Its launch has this number.
    pub(crate) fn outrun(&mut self, token: usize, number: u64) {
        let is_it = |job: &Job| job.launch.token == token && job.outrun == Outrun::Not;
        if let Some(at) = self.books.waiting.iter().position(|job| is_it(job)) {
            if let Some(job) = self.books.waiting.remove(at) {
                self.outside.events.outrun(token);
                self.end_in_vain(number, None);
                self.books.end_job(job);
            }
            return;
        }
        // Otherwise the kernel was first.
        if let Some(Work::Kernel(job)) = self.lanes.find(COMPUTE, |work| job_of(work).is_some_and(is_it)) {
            job.outrun = Outrun::Soon(number);
            self.round.outruns += 1;
            self.outrun_soon();
        }
    }

    /// Has kernels not count any more that are to be outrun, as far as that can be by now.
    pub(crate) fn outrun_soon(&mut self) {
        if self.round.outruns == 0 || self.failing.failure.is_some() {
            return;
        }
        let mut copied: SmallVec<[Id; 8]> = SmallVec::new();
        for lane in [IN, OUT] {
            copied.extend(self.lanes.works(lane).filter_map(|work| match work {
                Work::CopyIn { id, .. } => Some(*id),
                Work::CopyOut(fetching) => Some(fetching.id),
                Work::Bring(bringing) => Some(bringing.id),
                Work::Kernel(_) | Work::Unmap { .. } => None,
            }));
        }
        let can_be = |job: &Job| {
            let is_copied = job.uses.iter().any(|used| used.written && copied.contains(&used.id));
            matches!(job.outrun, Outrun::Soon(_)) && !is_copied
        };
        while let Some(Work::Kernel(job)) = self.lanes.find(COMPUTE, |work| job_of(work).is_some_and(can_be)) {
            let Outrun::Soon(number) = job.outrun else { return };
            job.outrun = Outrun::Now(number);
            let written = job.uses.iter().filter(|used| used.written);
            let written: SmallVec<[Id; 4]> = written.map(|used| used.id).collect();
            let (token, awaited) = (job.launch.token, job.launch.awaited);
            self.round.outruns -= 1;
            for id in written {
                self.lose_buffer(id);
            }
            self.books.count_out_one(awaited);
            self.outside.events.outrun(token);
        }
    }

    /// The block of a buffer has another content from now on than the buffer will have.
    fn lose_buffer(&mut self, id: Id) {
        let place = self.device.place;
        let mut copies = self.buffers.lose(id).copies();
        copies.valid.remove(place);
        copies.resident.remove(place);
    }

    /// Such a kernel has ended, in a time that is known where it has ended well.
    fn end_in_vain(&mut self, number: u64, time: Option<KernelTime>) {
        self.outside.load.ends();
        self.outside.events.ended_in_vain(number, time);
    }

    /// A kernel is seen to end, or is left behind: whether it counts. What was to be outrun and has ended was first.
    pub(crate) fn counts(&mut self, job: &mut Job) -> bool {
        match job.outrun {
            Outrun::Not => {}
            Outrun::Soon(_) => {
                job.outrun = Outrun::Not;
                self.round.outruns -= 1;
            }
            Outrun::Now(_) => return false,
        }
        true
    }

    /// A kernel that does not count has ended, or is left behind without a time. False: it has failed.
    pub(crate) fn finish_outrun(&mut self, mut job: Box<Job>, ended: Option<(Answer<()>, KernelTime)>) -> bool {
        let failed = ended.and_then(|(outcome, _)| self.blame_kernel(&job, outcome));
        if let Some(why) = &failed {
            for used in &job.uses {
                self.mark(used.id, why, used.written);
            }
        }
        let time = ended.map(|(_, time)| time).filter(|_| failed.is_none());
        if let Some(time) = time {
            self.outside.counters.kernels.add(1);
            self.outside.counters.kernel_ns.add(time.ns);
        }
        self.unpin(&mut job.uses);
        if let Outrun::Now(number) = job.outrun {
            self.end_in_vain(number, time);
        }
        self.books.end_job(job);
        failed.is_none()
    }

    /// Releases a buffer that its block has lost and nothing uses.
    pub(crate) fn release_lost(&mut self, id: Id) {
        let Some(entry) = self.buffers.remove(id) else { return };
        if self.lanes.are_lost() || self.failing.failures.never_ends {
            // A command that was given up may write it still.
            mem::forget(entry.mem);
        } else if let Some(mem) = entry.mem {
            self.buffers.spare(entry.bytes, mem);
        }
        self.outside.counters.resident_bytes.set(self.buffers.bytes);
    }

    /// At the end of a run, leaves kernels to OpenCL that do not count, with their queues. False if something else is
    /// pending.
    pub(crate) fn leave_outrun(&mut self) -> bool {
        if self.lanes.all_idle() {
            return true;
        }
        let is_outrun = |work: &Work| job_of(work).is_some_and(|job| matches!(job.outrun, Outrun::Now(_)));
        if !(0..self.lanes.count()).all(|lane| self.lanes.works(lane).all(is_outrun)) {
            return false;
        }
        self.failing.failures.never_ends = true;
        LEFT.store(true, Ordering::Relaxed);
        mem::forget(self.failing.aside.take());
        for pending in self.lanes.abandon() {
            if let Work::Kernel(job) = pending.work {
                self.finish_outrun(job, None);
            }
        }
        true
    }
}
