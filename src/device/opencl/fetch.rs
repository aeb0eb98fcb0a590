//! What leaves the device: fetches, evictions, forgotten blocks.
//!
//! What a fetch brings is the content after every kernel that was enqueued before it, and before
//! every kernel enqueued after it. The host's copy is therefore current when the fetch is done if no
//! kernel that may write the block was enqueued meanwhile ([`BufferEntry::writes`] is unchanged) and
//! no other place wrote it (this place is still among the valid ones).
//!
//! [`BufferEntry::writes`]: crate::device::opencl::buffers::BufferEntry

use crate::device::host::ahead::FetchAhead;
use crate::device::opencl::buffers::{BufferEntry, Id};
use crate::device::opencl::fault::Fault;
use crate::device::opencl::job::{BlockUse, Fetching, Work};
use crate::device::opencl::lane::{LaneNeeds, OUT};
use crate::device::opencl::manager::Manager;
use crate::device::opencl::raw::{Answer, CommandEvent, CommandQueue, WaitList};
use crate::device::{DeviceError, InlineList};
use crate::object::data_block::DataBlock;
use ocr_base::text::Counted;
use ocr_place::place::Place;
use opencl3::memory::{CL_MAP_READ, CL_MAP_WRITE};
use std::{mem, ptr};

/// Enqueues the end of the buffer's mapping, if it is mapped.
fn end_mapping(entry: &mut BufferEntry, queue: &CommandQueue) -> Option<CommandEvent> {
    let mapped = std::mem::replace(&mut entry.mapped, ptr::null_mut());
    if mapped.is_null() {
        return None;
    }
    let waits: WaitList<1> = WaitList::none();
    // SAFETY: `mapped` is the address of a mapping of this buffer that was noted when it was
    // made and is struck out here.
    unsafe { queue.unmap(entry.mem.as_ref()?, mapped, &waits) }.ok()
}

impl Manager {
    /// Brings a block to the host, and answers when it is there.
    pub(crate) fn fetch(&mut self, block: &'static DataBlock, token: usize) {
        let valid = block.copies().valid;
        // Not here either: another place has written it since the fetch was sent. Blocks go from
        // place to place by the host's memory, so what it holds is a content that the block had
        // after the fetch was sent.
        if valid.contains(Place::HOST) || !valid.contains(self.device.place) {
            // What was brought just before it was asked for.
            if let Some(id) = self.buffers.find(block) {
                self.judge_ahead(id, FetchAhead::wanted);
            }
            return self.outside.events.fetched(token, Ok(()));
        }
        if block.size() == 0 {
            block.copies().joined(Place::HOST);
            return self.outside.events.fetched(token, Ok(()));
        }
        if let Err(error) = self.start_fetch(block, token) {
            self.outside.events.fetched(token, Err(error));
        }
    }

    fn start_fetch(&mut self, block: &'static DataBlock, token: usize) -> Result<(), DeviceError> {
        let Some(id) = self.buffers.find(block) else {
            return Err(self.trouble(format!("block {} is said to be here and is not", block.guid()), None));
        };
        let entry = self.buffers.get(id);
        if let Some((ticket, writes)) = entry.fetch
            && writes == entry.writes
            && let Some(pending) = self.lanes.pending(ticket)
            && let Work::CopyOut(fetching) = &mut pending.work
        {
            fetching.tokens.push(token);
            self.wanted(id);
            return Ok(());
        }
        if !entry.mapped.is_null() {
            // The host has had it mapped since the last write here: it sees what is there.
            block.copies().joined(Place::HOST);
            self.outside.events.fetched(token, Ok(()));
            return Ok(());
        }
        if let Some(fault) = self.failing.failures.too_many().filter(|_| self.lanes.are_lost()) {
            let what = format!("block {} is nowhere else, and {}", block.guid(), fault.cause);
            return Err(self.trouble(what, fault.code));
        }
        self.wanted(id);
        self.begin_fetch(id, vec![token])
    }

    /// Notes that somebody has asked for a block that is not on the host.
    fn wanted(&mut self, id: Id) {
        self.buffers.get(id).ahead = false;
        self.ahead.wanted();
    }

    /// Enqueues a fetch of what a kernel that was just enqueued writes. Where that fails nothing is lost: the fetch
    /// that somebody asks for will tell.
    pub(crate) fn fetch_ahead(&mut self, id: Id) {
        if self.buffers.get(id).mapped.is_null() && self.begin_fetch(id, Vec::new()).is_ok() {
            self.buffers.get(id).ahead = true;
            self.ahead.bring();
        }
    }

    /// Notes what has come of the last fetch of a block, if no thread had asked for it.
    pub(crate) fn judge_ahead(&mut self, id: Id, note: fn(&mut FetchAhead)) {
        if mem::take(&mut self.buffers.get(id).ahead) {
            note(&mut self.ahead);
        }
    }

    fn begin_fetch(&mut self, id: Id, tokens: Vec<usize>) -> Result<(), DeviceError> {
        let mut needs = LaneNeeds::default();
        if let Some(ticket) = self.buffers.get(id).last_write {
            needs.add(ticket);
        }
        let (event, bytes) = self.enqueue_fetch(id, &needs)?;
        let ticket = self.lanes.next(OUT);
        let entry = self.buffers.get(id);
        entry.pins += 1;
        entry.uses.add(ticket);
        entry.fetch = Some((ticket, entry.writes));
        entry.fetches = entry.fetches.wrapping_add(1);
        let work = Work::CopyOut(Fetching { id, tokens, writes: entry.writes, bytes });
        self.lanes.push(OUT, event, needs, work);
        self.buffers.touch(id);
        Ok(())
    }

    fn enqueue_fetch(&mut self, id: Id, needs: &LaneNeeds) -> Result<(CommandEvent, u64), DeviceError> {
        let entry = self.buffers.get(id);
        let (block, bytes) = (entry.block, entry.bytes);
        let result: Answer<(CommandEvent, u64)> = self.lanes.waits(OUT, needs).and_then(|waits| {
            let queue = self.lanes.queue(OUT);
            let Some(mem) = &entry.mem else {
                return Err(opencl3::error_codes::CL_INVALID_MEM_OBJECT);
            };
            if self.device.unified {
                // For writing too: the host may write it when it is notified that it is there.
                let flags = CL_MAP_READ | CL_MAP_WRITE;
                let (event, address) = queue.map(mem, bytes as usize, flags, false, &waits)?;
                entry.mapped = address;
                return Ok((event, 0));
            }
            let host = block.host_memory().map_err(|_| opencl3::error_codes::CL_OUT_OF_HOST_MEMORY)?;
            // SAFETY: the block's memory holds `bytes` bytes and is not freed before the device has
            // forgotten the block, which waits for the pin that the fetch holds; the host's copy is
            // not valid, so that only EDTs in mode RO may read it, and copies for kernels in that mode.
            let event = unsafe { queue.read(mem, host, bytes as usize, false, &waits) }?;
            Ok((event, bytes))
        });
        result.map_err(|code| {
            self.trouble(
                format!("bringing block {} ({}) to the host", block.guid(), Counted(bytes, "byte")),
                Some(code),
            )
        })
    }

    /// A fetch has finished, or failed.
    ///
    /// The kernel that it waited for was entered first, or it would take the host's copy for an old one. False: it has
    /// failed.
    pub(crate) fn finish_fetch(&mut self, fetching: Fetching, outcome: Answer<()>) -> bool {
        if let Some(why) = self.blame_fetch(fetching.id, outcome) {
            self.fetch_failed(fetching, why, false);
            return false;
        }
        let place = self.device.place;
        let entry = self.buffers.get(fetching.id);
        entry.failed_fetches = 0;
        let block = entry.block;
        let current = entry.writes == fetching.writes;
        block.copies().fetched(place, current);
        self.outside.counters.fetches.add(u64::from(!fetching.tokens.is_empty()));
        self.outside.counters.bytes_from_device.add(fetching.bytes);
        self.release_pin(fetching.id);
        for token in fetching.tokens {
            self.outside.events.fetched(token, Ok(()));
        }
        true
    }

    /// Makes room for the buffers that these uses lack. Takes spare buffers first, then evicts the least recently used
    /// ones. False: the caller tries again when a command has ended.
    pub(crate) fn make_room(&mut self, uses: &InlineList<BlockUse>) -> Result<bool, Fault> {
        loop {
            let missing = self.take_spares(uses);
            let Some(limit) = self.device.limit else {
                return Ok(true);
            };
            let fits = |manager: &Manager| manager.buffers.bytes + manager.buffers.spare_bytes + missing <= limit;
            if missing == 0 || fits(self) || (self.release_idle_spares(0) && fits(self)) {
                return Ok(true);
            }
            let fits_then = self.buffers.bytes + missing <= limit;
            match self.buffers.victim() {
                Some(id) if !fits_then => self.evict(id)?,
                _ => return Ok(false),
            }
        }
    }

    /// Gives blocks of these uses that have no buffer those that are spare. Returns the bytes of the others.
    fn take_spares(&mut self, uses: &InlineList<BlockUse>) -> u64 {
        let mut missing = 0;
        for used in uses.iter() {
            let entry = self.buffers.get(used.id);
            let (block, bytes) = (entry.block, entry.bytes);
            if entry.mem.is_some() {
                continue;
            }
            match self.buffers.take_spare(bytes) {
                Some(mem) => {
                    self.buffers.provide(used.id, mem);
                    self.outside.counters.resident_bytes.set(self.buffers.bytes);
                    block.got_buffer(self.device.place);
                }
                None => missing += bytes,
            }
        }
        missing
    }

    /// Releases the buffers that no block has, if they have more than `most` bytes and nothing is enqueued. False if
    /// there was none, or something is.
    pub(crate) fn release_idle_spares(&mut self, most: u64) -> bool {
        let any = self.buffers.spare_bytes > most && self.lanes.all_idle();
        if any && self.failing.failures.never_ends {
            self.buffers.forget_spares();
        } else if any {
            self.buffers.release_spares();
        }
        any
    }

    /// Takes an entry out of the table of which no command uses the buffer.
    fn retire(&mut self, id: Id) {
        let Some(entry) = self.buffers.remove(id) else {
            return;
        };
        // A command that was given up may write the buffer still, and to release one of a device that is lost may wait.
        if self.lanes.are_lost() || self.failing.failures.never_ends && entry.failed.is_some() {
            mem::forget(entry.mem);
        } else if let Some(mem) = entry.mem.filter(|_| !self.device.unified) {
            self.buffers.spare(entry.bytes, mem);
        }
    }

    /// Takes every buffer that nothing uses from its block. False if there was none.
    pub(crate) fn evict_all(&mut self) -> bool {
        let mut any = false;
        while let Some(id) = self.buffers.victim() {
            if self.evict(id).is_err() {
                break;
            }
            any = true;
        }
        any
    }

    /// Takes a buffer that nothing uses from its block; a block that is valid nowhere else goes to the host
    /// first.
    pub(crate) fn evict(&mut self, id: Id) -> Result<(), Fault> {
        // What is waited for below may be behind something in its lane.
        self.lanes.flush();
        let place = self.device.place;
        let block = self.buffers.get(id).block;
        let only_here = block.copies().only_at(place);
        if only_here || !self.buffers.get(id).mapped.is_null() {
            self.have_aside().map_err(|code| Fault::opencl("making a queue for an evicted block failed", code))?;
        }
        if only_here {
            self.write_back(id)?;
        }
        self.unmap_now(id);
        self.retire(id);
        block.copies().left(place, only_here);
        self.outside.counters.evictions.add(1);
        self.outside.counters.resident_bytes.set(self.buffers.bytes);
        Ok(())
    }

    /// Copies a block to the host and waits for it.
    fn write_back(&mut self, id: Id) -> Result<(), Fault> {
        let done = self.read_back(id);
        self.note_aside(done.as_ref().map_err(|fault| fault.code));
        done?;
        self.outside.counters.write_backs.add(1);
        Ok(())
    }

    fn read_back(&mut self, id: Id) -> Result<(), Fault> {
        let fault = |code| Fault::opencl("writing an evicted block back to the host failed", code);
        let queue = (self.failing.aside.as_ref()).unwrap_or_else(|| self.lanes.queue(OUT));
        let entry = self.buffers.get(id);
        let (block, bytes) = (entry.block, entry.bytes);
        let Some(mem) = &entry.mem else {
            return Ok(());
        };
        let waits: WaitList<1> = WaitList::none();
        if self.device.unified {
            if entry.mapped.is_null() {
                let flags = CL_MAP_READ;
                let (event, address) = queue.map(mem, bytes as usize, flags, true, &waits).map_err(fault)?;
                event.wait().map_err(fault)?;
                entry.mapped = address;
            }
        } else {
            let host = block.host_memory().map_err(|_| {
                Fault::new(format!("there is no host memory for an evicted block of {}", Counted(bytes, "byte")))
            })?;
            // SAFETY: the block's memory holds `bytes` bytes and the call waits until they are
            // written; the host's copy is not valid, so that only EDTs in mode RO may read it, and
            // copies for kernels in that mode.
            let read = unsafe { queue.read(mem, host, bytes as usize, true, &waits) };
            // Some platforms return no error where the command has failed.
            read.and_then(|event| event.wait()).map_err(fault)?;
            self.outside.counters.bytes_from_device.add(bytes);
        }
        Ok(())
    }

    /// Makes the queue for commands that the thread waits for. Where OpenCL has no more of them, that for copies out
    /// serves, if nothing is pending there. If something is, the error is one of memory, so that the launch for which
    /// this is done waits until the device is idle.
    fn have_aside(&mut self) -> Answer<()> {
        if self.failing.aside.is_none() {
            match CommandQueue::new(&self.device.context, self.device.info.id) {
                Ok(queue) => self.failing.aside = Some(queue),
                Err(_) if self.lanes.is_sound(OUT) => {}
                Err(_) => return Err(opencl3::error_codes::CL_OUT_OF_RESOURCES),
            }
        }
        Ok(())
    }

    /// What has come of a command on the queue aside: behind one that has failed the next might never end.
    fn note_aside(&mut self, outcome: Result<&(), Option<i32>>) {
        let Err(code) = outcome else {
            return;
        };
        if self.failing.aside.take().is_none() {
            // It was that of a lane, which gets another one when the device has run dry.
            let code = code.unwrap_or(opencl3::error_codes::CL_OUT_OF_RESOURCES);
            self.lanes.fail(OUT);
            self.blame("writing an evicted block back to the host failed".to_string(), code);
        }
    }

    /// Ends the mapping of a buffer that nothing uses, and waits for it.
    pub(crate) fn unmap_now(&mut self, id: Id) {
        if self.buffers.get(id).mapped.is_null() || self.lanes.are_lost() {
            return;
        }
        // Where this fails nothing is lost: what the buffer holds is in the host's memory, and it is about to go.
        if self.have_aside().is_err() {
            return;
        }
        let queue = (self.failing.aside.as_ref()).unwrap_or_else(|| self.lanes.queue(OUT));
        let event = end_mapping(self.buffers.get(id), queue);
        let done = event.map_or(Err(None), |event| event.wait().map_err(Some));
        self.note_aside(done.as_ref().map_err(|code| *code));
    }

    /// Releases what the device has of a block, and answers when that is done.
    pub(crate) fn forget(&mut self, block: &'static DataBlock) {
        let Some(id) = self.buffers.find(block) else {
            self.strike_out(block);
            return self.outside.events.forgotten(block);
        };
        self.buffers.get(id).forgotten = true;
        self.judge_ahead(id, FetchAhead::destroyed);
        // Answers when the last pin goes.
        self.buffers.get(id).pins += 1;
        self.release_pin(id);
    }

    /// Takes a pin off. The caller that takes the last one off a forgotten block sees it out.
    pub(crate) fn release_pin(&mut self, id: Id) {
        let entry = self.buffers.get(id);
        entry.pins -= 1;
        if entry.pins > 0 {
            return;
        }
        if entry.mem.is_none() {
            // A launch that was not put together; nothing else knew the entry.
            let block = entry.block;
            let forgotten = entry.forgotten;
            self.buffers.remove(id);
            if forgotten {
                self.outside.events.forgotten(block);
            }
            return;
        }
        if entry.is_lost {
            // Marks of a failure stay until that is over.
            return match &mut self.failing.failure {
                Some(failure) => drop(failure.marked.insert(id)),
                None => self.release_lost(id),
            };
        }
        if !entry.forgotten {
            return;
        }
        let block = entry.block;
        // The memory under a mapping must stay until the mapping has ended.
        if !entry.mapped.is_null() && !self.lanes.are_lost() {
            self.lanes.note_begin(OUT);
        }
        let entry = self.buffers.get(id);
        if !self.lanes.are_lost()
            && let Some(event) = end_mapping(entry, self.lanes.queue(OUT))
        {
            entry.pins += 1;
            let work = Work::Unmap { id };
            self.lanes.push(OUT, event, LaneNeeds::default(), work);
            return;
        }
        self.retire(id);
        self.outside.counters.resident_bytes.set(self.buffers.bytes);
        self.strike_out(block);
        self.outside.events.forgotten(block);
    }

    fn strike_out(&self, block: &'static DataBlock) {
        block.copies().left(self.device.place, false);
    }

    /// Releases all buffers, when nothing is pending.
    pub(crate) fn release_all(&mut self) {
        while let Some(id) = self.buffers.any() {
            self.unmap_now(id);
            if let Some(entry) = self.buffers.remove(id) {
                if !entry.is_lost {
                    entry.block.copies().resident.remove(self.device.place);
                }
                if self.lanes.are_lost() {
                    mem::forget(entry.mem);
                }
            }
        }
        if self.failing.failures.never_ends {
            self.buffers.forget_spares();
        } else {
            self.buffers.release_spares();
        }
        self.outside.counters.resident_bytes.set(self.buffers.bytes);
    }

    pub(crate) fn trouble(&self, what: String, code: Option<i32>) -> DeviceError {
        DeviceError { device: self.device.info.name.clone(), what, code }
    }
}
