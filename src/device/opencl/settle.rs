//! Kernels that can be undone: what they write is *settled* before they are answered ([`DeviceSettings::attempts`]).
//!
//! What kernels write on such a device is in buffers of the device alone, even where it shares the host's memory. When
//! a kernel has ended, the manager enqueues copies of what it has written, into memory of its own. When all of these
//! have ended well, what they have brought goes to the memory of the blocks, and the kernel is answered. So
//!
//! - the memory of a block on the host has at each time what the last kernel has left that was answered, and no command
//!   of the device ever writes there;
//! - a kernel that fails, late or early, has changed nothing that counts, and nor has one whose device is lost, even if
//!   the device executes it later: its EDT can run anew, anywhere;
//! - a device that is lost takes nothing with it.
//!
//! | step | where the content of a written block is valid |
//! |---|---|
//! | the kernel is enqueued | where it was, without this device; [`BufferEntry::is_unsettled`] says that the buffer has more |
//! | the kernel has ended, and the copies are enqueued | there still |
//! | the last copy has ended | on the host and on this device |
//! | the kernel or a copy has failed | where it was, without this device |
//!
//! A kernel that reads a block, in RO mode, behind one that is not settled gets what that has written, in its buffer.
//! It comes later in the order of the device, and so fails with it. One that writes the block, too, in RW mode, is
//! enqueued when the first is settled ([`Manager::must_settle`]): the copies are to have what the first has left. The
//! copies of a kernel are not enqueued with it, since the lane for them keeps order: those of a short kernel would wait
//! for the end of a long one.
//!
//! # Why each result is copied at once
//!
//! Content that is on a device alone could be had again by its history, too: the blocks as they were on the host last,
//! and all kernels since. But each of those has read other blocks, which have other contents by now. All versions of
//! all blocks would have to be kept that some kernel of a history has read, as long as any of what it has written is on
//! a device alone. That has no bound, in memory or in the time to run it all again. A copy of what a kernel has
//! written has one: its bytes, once over the link and once in the host's memory. It goes on beside other kernels. What
//! it costs in latency is one command more for each kernel of a chain.
//!
//! A device that shares the host's memory would need no copy back, but one before each kernel, and a kernel that was
//! given up could write to the host's memory later. With its own buffers it cannot.
//!
//! [`BufferEntry::is_unsettled`]: crate::device::opencl::buffers::BufferEntry
//! [`DeviceSettings::attempts`]: crate::device::DeviceSettings::attempts

use crate::device::opencl::buffers::Id;
use crate::device::opencl::fault::Blame;
use crate::device::opencl::job::{BlockUse, Bringing, Job, Unsettled, Work};
use crate::device::opencl::lane::{LaneNeeds, OUT};
use crate::device::opencl::manager::Manager;
use crate::device::opencl::raw::Answer;
use crate::device::{InlineList, KernelTime};
use ocr_place::place::Place;
use opencl3::error_codes::{CL_INVALID_MEM_OBJECT, CL_OUT_OF_HOST_MEMORY};
use std::ptr::NonNull;
use std::rc::Rc;

impl Manager {
    /// Notes that a kernel which writes a block is enqueued: the content stays valid where it is, but here.
    pub(crate) fn note_unsettled(&mut self, id: Id) {
        let place = self.device.place;
        let entry = self.buffers.get(id);
        entry.is_unsettled = true;
        let mut copies = entry.block.copies();
        if copies.valid.contains(Place::HOST) {
            copies.valid.remove(place);
        }
    }

    /// Whether a launch has to wait since a kernel is not settled that writes what it writes.
    pub(crate) fn must_settle(&mut self, uses: &InlineList<BlockUse>) -> bool {
        self.device.attempts && uses.iter().any(|used| used.written && self.buffers.get(used.id).is_unsettled)
    }

    /// A kernel has ended well that is to be settled: enqueues the copies. False: one was refused, so that it has
    /// failed.
    pub(crate) fn begin_settling(&mut self, kernel: u64, job: Box<Job>, time: KernelTime) -> bool {
        let mut left = 0;
        for used in job.uses.iter().filter(|used| used.written) {
            if let Err(code) = self.begin_bringing(used.id, kernel) {
                let why = self.blame("copying what it has written to the host failed".to_string(), code);
                self.unsettled_failed(kernel, job, why, false);
                return false;
            }
            left += 1;
        }
        self.settling.insert(kernel, Unsettled { job, time, brought: Vec::new(), left });
        true
    }

    fn begin_bringing(&mut self, id: Id, kernel: u64) -> Answer<()> {
        let entry = self.buffers.get(id);
        let bytes = entry.bytes as usize;
        let mut memory = Vec::new();
        memory.try_reserve_exact(bytes).map_err(|_| CL_OUT_OF_HOST_MEMORY)?;
        let start = NonNull::new(memory.as_mut_ptr()).ok_or(CL_OUT_OF_HOST_MEMORY)?;
        // What makes the content has ended, and nothing else changes it before this has.
        let needs = LaneNeeds::default();
        let waits = self.lanes.waits(OUT, &needs)?;
        let Some(mem) = &entry.mem else {
            return Err(CL_INVALID_MEM_OBJECT);
        };
        // SAFETY: the vector has room for so many bytes. It is in the books of the lane until the command has ended, or
        // is leaked when the command is given up. Nothing looks into it before.
        let event = unsafe { self.lanes.queue(OUT).read(mem, start, bytes, false, &waits) }?;
        let ticket = self.lanes.push(OUT, event, needs, Work::Bring(Bringing { id, kernel, memory }));
        self.buffers.get(id).uses.add(ticket);
        Ok(())
    }

    /// A copy of what a kernel has written has ended. False: it has failed.
    pub(crate) fn brought(&mut self, bringing: Bringing, outcome: Answer<()>) -> bool {
        let Bringing { id, kernel, mut memory } = bringing;
        if let Some(why) = self.blame_fetch(id, outcome) {
            self.bringing_failed(kernel, &why, false);
            return false;
        }
        // There is none where another copy of the kernel has failed, or was refused.
        let Some(unsettled) = self.settling.get_mut(&kernel) else {
            return true;
        };
        let bytes = self.buffers.get(id).bytes;
        // SAFETY: the vector was made with room for as many bytes, all of which the command has written that has ended.
        unsafe { memory.set_len(bytes as usize) };
        unsettled.brought.push((id, memory));
        unsettled.left -= 1;
        let is_last = unsettled.left == 0;
        self.outside.counters.bytes_from_device.add(bytes);
        if is_last && let Some(unsettled) = self.settling.remove(&kernel) {
            self.settle(kernel, unsettled);
        }
        true
    }

    /// A copy of what a kernel has written is given up: the device may still write to the memory.
    pub(crate) fn bringing_given_up(&mut self, bringing: Bringing, why: &Rc<Blame>) {
        let Bringing { id, kernel, memory } = bringing;
        std::mem::forget(memory);
        let why = self.blame_fetch(id, Ok(())).unwrap_or_else(|| Rc::clone(why));
        self.bringing_failed(kernel, &why, true);
    }

    /// What a kernel has written cannot be had: it fails, unless it has before.
    fn bringing_failed(&mut self, kernel: u64, why: &Rc<Blame>, given_up: bool) {
        if let Some(Unsettled { job, .. }) = self.settling.remove(&kernel) {
            self.unsettled_failed(kernel, job, Rc::clone(why), given_up);
        }
    }

    fn unsettled_failed(&mut self, kernel: u64, job: Box<Job>, why: Rc<Blame>, given_up: bool) {
        self.books.count_out(&job);
        self.kernel_failed(kernel, job, why, given_up);
    }

    /// All that a kernel has written was brought: it becomes what the blocks contain, and the kernel is answered.
    fn settle(&mut self, kernel: u64, unsettled: Unsettled) {
        let Unsettled { job, time, brought, .. } = unsettled;
        // Before any block changes.
        let lacking = brought.iter().find(|(id, _)| self.buffers.get(*id).block.host_memory().is_err());
        if let Some(&(id, _)) = lacking {
            let cause = format!("there is no host memory for block {}", self.buffers.get(id).block.guid());
            let why = self.blame(cause, CL_OUT_OF_HOST_MEMORY);
            return self.unsettled_failed(kernel, job, why, false);
        }
        self.outside.events.settles(job.launch.token);
        let place = self.device.place;
        for (id, memory) in brought {
            let block = self.buffers.get(id).block;
            // Until the host has all of it, a copy for a kernel elsewhere does not count.
            block.copies().wrote(place);
            // SAFETY: the block has host memory of its size, which is as long as what was brought. The EDT of the
            // kernel holds the block for writing, so that no EDT writes there. One in mode RO may read meanwhile, as
            // beside any writer, and so may a copy for one.
            unsafe { block.host_ptr().copy_from_nonoverlapping(memory.as_ptr(), memory.len()) };
            block.copies().fetched(place, true);
        }
        self.unsettle(&job.uses);
        self.books.count_out(&job);
        self.answer_ended(job, time);
    }

    /// A kernel is settled, or has failed: other kernels may write these blocks.
    pub(crate) fn unsettle(&mut self, uses: &InlineList<BlockUse>) {
        for used in uses.iter().filter(|used| used.written) {
            self.buffers.get(used.id).is_unsettled = false;
        }
    }
}
