//! One launch, from its message to its place in a compute queue.
//!
//! A launch is put together in steps, any of which may find that it cannot be ([`StartError::Fault`])
//! or cannot be now, because memory is held by launches that have not finished
//! ([`StartError::Later`]). Launches start in the order they came: one that must wait for memory lets
//! none pass, so that a large one is not starved by small ones.
//!
//! | step | leaves behind if a later step fails |
//! |---|---|
//! | arguments counted | nothing |
//! | entries found, pinned | nothing: unpinned, and removed where no buffer was made |
//! | room made, buffers made | buffers in the cache |
//! | copies in enqueued | blocks valid on the device |
//! | arguments set, kernel enqueued | |
//!
//! # A launch that is refused for memory
//!
//! A launch is tried again only behind progress, so that it ends: it starts, or it is answered with an error, after
//! which its EDT runs elsewhere or the program ends with a message. Copies that its own attempts enqueued are no
//! progress: when they have ended, the device has no more room than before.
//!
//! | what refuses it | when it is tried again | how often that is |
//! |---|---|---|
//! | the runtime's own bound ([`StartError::Later`]) | when a command has ended: such an attempt has enqueued nothing | once for each pending command |
//! | OpenCL, with a status that says memory | at once, where a buffer was evicted or a spare one released | once for each buffer |
//! | the same, and there is none of these | when all that is enqueued has ended ([`Job::waits_for_idle`]) | once |
//! | the same, where nothing is enqueued | never | |
//!
//! Nothing is launched while the launch at the front waits, so what is enqueued meanwhile are fetches. A block is
//! fetched once, since the host's copy is valid then until the next kernel writes. So the device comes to be idle.

use crate::device::host::ahead::FetchAhead;
use crate::device::host::pace::MAX_ENQUEUED;
use crate::device::opencl::arguments::describe_arguments;
use crate::device::opencl::buffers::Id;
use crate::device::opencl::fault::{Fault, StartError};
use crate::device::opencl::job::{BlockUse, Job, Work};
use crate::device::opencl::lane::{IN, LaneNeeds, Ticket};
use crate::device::opencl::limits::{buffer_fault, check_constants};
use crate::device::opencl::manager::Manager;
use crate::device::opencl::raw::{CommandEvent, WaitList};
use crate::device::{DeviceKind, LaunchRange};
use crate::device::{InlineList, Launch, LaunchError};
use crate::object::data_block::{Mark, Source};
use crate::trace;
use ocr_base::text::Counted;
use ocr_place::place::PlaceSet;
use opencl3::memory::CL_MAP_WRITE_INVALIDATE_REGION;
use smallvec::SmallVec;
use std::ptr;

/// A kernel that was enqueued.
struct Started {
    lane: usize,
    event: CommandEvent,
    needs: LaneNeeds,
    /// Whether the kernel has not been launched in this shape before.
    is_first: bool,
}

impl Manager {
    /// Starts a launch, or lets it wait behind those that wait.
    pub(crate) fn launch(&mut self, launch: Launch) {
        let job = self.books.begin_job(launch);
        if !self.books.waiting.is_empty() || !self.has_room() {
            return self.books.waiting.push_back(job);
        }
        if let Some(job) = self.try_launch(job) {
            self.books.waiting.push_back(job);
        }
    }

    /// Starts what waits, as far as it may.
    pub(crate) fn launch_waiting(&mut self) {
        while self.has_room() {
            let Some(job) = self.books.waiting.pop_front() else {
                return;
            };
            if job.waits_for_idle && !self.lanes.all_idle() {
                self.books.waiting.push_front(job);
                return;
            }
            if let Some(job) = self.try_launch(job) {
                self.books.waiting.push_front(job);
                return;
            }
        }
    }

    /// Starts a launch or answers that it failed; gives it back if it must wait.
    fn try_launch(&mut self, mut job: Box<Job>) -> Option<Box<Job>> {
        // Not each time: to look at commands while they end keeps the device's threads from the next ones.
        if self.lanes.let_go_enough() && self.books.running >= 2 * MAX_ENQUEUED {
            self.look_if_short();
            if self.failing.failure.is_some() {
                return Some(job);
            }
        }
        if let Some(fault) = self.failing.failures.too_many() {
            self.refuse(&job.launch, fault);
            self.books.end_job(job);
            return None;
        }
        if let Some(first) = job.launch.follows
            && self.books.failed.contains(&first)
        {
            self.refuse(&job.launch, Fault::new("the kernel that it follows has failed"));
            self.books.end_job(job);
            return None;
        }
        if let Some(most) = self.round.holds {
            self.lanes.hold(&self.device.context, most);
        }
        loop {
            let Job { launch, uses, .. } = &mut *job;
            let error = match self.put_together(launch, uses) {
                Ok(started) => {
                    self.commit(job, started);
                    return None;
                }
                Err(error) => error,
            };
            // Some drivers find out that memory is short only when a command is enqueued.
            let short = matches!(&error, StartError::Fault(fault) if fault.is_memory());
            let retry = short && (self.evict_all() || self.release_idle_spares(0));
            for used in &job.uses {
                // The host may write before the next launch.
                self.buffers.get(used.id).fresh = false;
            }
            self.unpin(&mut job.uses);
            if retry {
                continue;
            }
            let fault = match error {
                StartError::Later if !self.lanes.all_idle() => return Some(job),
                // What is pending may hold the memory. Once: its own copies are pending each time.
                StartError::Fault(_) if short && !job.waits_for_idle && !self.lanes.all_idle() => {
                    job.waits_for_idle = true;
                    return Some(job);
                }
                StartError::Fault(fault) => fault,
                // Nothing is in flight, so nothing will ever make room.
                StartError::Later => Fault::new("there is no room for its blocks"),
            };
            if fault.code.is_some() {
                self.lanes.suspect();
            }
            self.refuse(&job.launch, fault);
            self.books.end_job(job);
            return None;
        }
    }

    fn put_together(&mut self, launch: &Launch, uses: &mut InlineList<BlockUse>) -> Result<Started, StartError> {
        if launch.kernel >= self.programs.kernels.len() {
            return Err(Fault::new("the launch names no kernel that was built here").into());
        }
        // The EDT's template may be gone, and its program with it.
        (self.programs.ready(&self.device.context, &self.device.info, launch.kernel))
            .map_err(|error| Fault::new(error.to_string()))?;
        let kernel = &self.programs.kernels[launch.kernel];
        // If the template leaves its counts open, they have not been checked before. The last pre-slots may only order.
        let (params, slots) = (launch.params.len(), launch.blocks.len());
        let last = launch.blocks.iter().rposition(Option::is_some);
        let blocks = last.map_or(0, |last| last + 1);
        if let Some(text) = (kernel.signature).without_argument(params, &launch.blocks) {
            return Err(Fault::new(text).into());
        }
        (kernel.signature.check_slots(params, blocks, slots)).map_err(Fault::new)?;
        let range = self.fit(launch)?;
        self.pin(launch, uses)?;
        if self.must_settle(uses) || !self.make_room(uses)? {
            return Err(StartError::Later);
        }
        for used in uses.iter() {
            self.provide(used.id)?;
        }
        let mut needs = LaneNeeds::default();
        for used in uses.iter() {
            self.make_valid(*used)?;
            let entry = self.buffers.get(used.id);
            if let Some(ticket) = entry.last_write {
                needs.add(ticket);
            }
            if used.written {
                needs.add_all(&entry.uses);
            }
        }
        self.set_arguments(launch, uses)?;
        let lane = self.lanes.choose(&needs);
        let waits = self.lanes.waits(lane, &needs).map_err(|code| Fault::opencl("flushing a queue failed", code))?;
        let kernel = &mut self.programs.kernels[launch.kernel];
        // SAFETY: `set_arguments` has set every argument; the buffers among them are pinned by
        // `uses` until the kernel's completion is seen, and the host memory some of them wrap lives
        // until the block is forgotten, which waits for the pins.
        let run = unsafe { self.lanes.queue(lane).run(kernel.opencl(), &range, &waits) };
        let is_first = run.is_ok() && kernel.shapes.is_new(&range);
        if trace::is_on()
            && run.is_ok()
            && let Some((groups, basis)) = kernel.groups.told(&launch.range, &range)
        {
            trace::events::work_groups(self.device.place.number() as u8, launch.token, groups, basis);
        }
        let event = run.map_err(|code| self.enqueue_fault(launch, code))?;
        Ok(Started { lane, event, needs, is_first })
    }

    /// Finds the entries of the launch's distinct blocks and pins them.
    fn pin(&mut self, launch: &Launch, uses: &mut InlineList<BlockUse>) -> Result<(), Fault> {
        self.books.serial += 1;
        let mut total = 0;
        for arg in launch.blocks.iter().flatten() {
            // A block of no bytes is a null buffer: there is nothing to hold or move.
            if arg.block.size() == 0 {
                continue;
            }
            let id = self.buffers.find_or_add(arg.block);
            let entry = self.buffers.get(id);
            if entry.met == self.books.serial {
                entry.written |= arg.writes;
                continue;
            }
            entry.met = self.books.serial;
            entry.written = arg.writes;
            entry.pins += 1;
            total += entry.bytes;
            self.buffers.touch(id);
            uses.push(BlockUse { id, written: false, lazy: arg.lazy, before: PlaceSet::EMPTY, fetches: 0 });
        }
        for used in uses.iter_mut() {
            used.written = self.buffers.get(used.id).written;
        }
        match self.device.limit {
            Some(limit) if total > limit => Err(Fault {
                cause: format!(
                    "its blocks take {}, and at most {} of the device's memory are used",
                    Counted(total, "byte"),
                    Counted(limit, "byte")
                ),
                code: None,
                hint: Some("set OCR_DEVICE_MEMORY to let it use more, or work on smaller blocks".to_string()),
            }),
            _ => Ok(()),
        }
    }

    /// Lets go of what [`Manager::pin`] has pinned, so that it may be evicted.
    pub(crate) fn unpin(&mut self, uses: &mut InlineList<BlockUse>) {
        for used in uses.drain(..) {
            self.release_pin(used.id);
        }
    }

    /// Gives the entry a buffer if it has none.
    fn provide(&mut self, id: Id) -> Result<(), StartError> {
        let entry = self.buffers.get(id);
        if entry.mem.is_some() {
            return Ok(());
        }
        let (block, bytes) = (entry.block, entry.bytes);
        let size = usize::try_from(bytes).unwrap_or(usize::MAX);
        let mem = loop {
            if let Some(mem) = self.buffers.take_spare(bytes) {
                break mem;
            }
            let made = if self.device.unified {
                let host = block.host_memory().map_err(|_| {
                    Fault::new(format!("there is no host memory for a block of {}", Counted(bytes, "byte")))
                })?;
                // SAFETY: the block's memory is `size` bytes long and stays until the block is
                // recycled, which the engine does only after this device has answered that it has
                // forgotten it, and that answer waits until the buffer is released.
                unsafe { self.device.context.wrap(host, size) }
            } else {
                self.device.context.buffer(size)
            };
            let fault = match made {
                Ok(mem) => break mem,
                Err(code) => buffer_fault(&self.device.info, bytes, code),
            };
            // What is released, if not now, may be enough.
            if fault.is_memory() && self.buffers.spare_bytes != 0 {
                if self.release_idle_spares(0) {
                    continue;
                }
                return Err(StartError::Later);
            }
            // One at a time: the rest of the cache is worth keeping.
            match self.buffers.victim() {
                Some(victim) if fault.is_memory() => self.evict(victim)?,
                _ => return Err(fault.into()),
            }
        };
        self.buffers.provide(id, mem);
        self.outside.counters.resident_bytes.set(self.buffers.bytes);
        block.got_buffer(self.device.place);
        Ok(())
    }

    /// Sees to it that the block's content is in its buffer when the kernel starts, if it has any.
    fn make_valid(&mut self, used: BlockUse) -> Result<(), Fault> {
        let place = self.device.place;
        let entry = self.buffers.get(used.id);
        let block = entry.block;
        // Behind a kernel that is not settled, the buffer has what that writes.
        let source = if entry.is_unsettled { Source::Here } else { block.copies().source(place) };
        let (fresh, mapped) = (entry.fresh, !entry.mapped.is_null());
        self.judge_ahead(
            used.id,
            match source {
                // No use of it by the host was seen.
                Source::Here => |_| {},
                _ => FetchAhead::wanted,
            },
        );
        let copies = match source {
            Source::Here => {
                self.outside.counters.cache_hits.add(1);
                false
            }
            // The buffer begins with zeros, as host memory does unless strict mode fills it with a pattern.
            Source::Nothing if used.written && !self.device.unified && !block.has(Mark::Guarded) => {
                return self.zero(used.id);
            }
            Source::Nothing => !used.written || block.has(Mark::Guarded),
            Source::Older(other) if used.written => {
                return Err(Fault::new(format!(
                    "its block {} is valid neither here nor on the host, but on {other}: this is a fault of the runtime",
                    block.guid(),
                )));
            }
            Source::Host(_) | Source::Written | Source::Older(_) => true,
        };
        if !copies {
            // While the host has it mapped a kernel may read it, and must not write it.
            if mapped && used.written {
                self.hand_over(used.id)?;
            }
            return Ok(());
        }
        if !self.device.unified {
            self.copy_in(used.id)?;
        } else if !fresh {
            self.hand_over(used.id)?;
        }
        if let Source::Host(what) = source {
            block.copies().copied(place, what);
        }
        self.outside.counters.uploads.add(1);
        Ok(())
    }

    /// Fills the buffer of a block that has not been written with zeros, which the block has on the host, too. That
    /// needs no memory of the host, as a copy of its zeros does, which is made where the platform cannot fill.
    fn zero(&mut self, id: Id) -> Result<(), Fault> {
        let entry = self.buffers.get(id);
        // A launch that is tried again finds the zeros of the last time: each command more would keep the device busy,
        // for whose end it waits.
        if entry.zeroed {
            return Ok(());
        }
        let (bytes, needs) = (entry.bytes as usize, entry.uses);
        let fault = |code| Fault::opencl("filling a block with zeros failed", code);
        let waits = self.lanes.waits(IN, &needs).map_err(fault)?;
        let Some(mem) = &entry.mem else {
            return Err(Fault::new("a block has no buffer to be filled"));
        };
        match self.lanes.queue(IN).zero(mem, bytes, &waits) {
            Ok(event) => self.note_copy(id, event, needs, 0),
            Err(_) => self.copy_in(id)?,
        }
        self.buffers.get(id).zeroed = true;
        Ok(())
    }

    /// Enqueues the copy of a block from the host.
    fn copy_in(&mut self, id: Id) -> Result<(), Fault> {
        let entry = self.buffers.get(id);
        let bytes = entry.bytes;
        let host = entry
            .block
            .host_memory()
            .map_err(|_| Fault::new(format!("there is no host memory for a block of {}", Counted(bytes, "byte"))))?;
        let fault = |code| Fault::opencl("copying a block to the device failed", code);
        let needs = entry.uses;
        let waits = self.lanes.waits(IN, &needs).map_err(fault)?;
        let Some(mem) = &entry.mem else {
            return Err(Fault::new("a block has no buffer to be copied to"));
        };
        // SAFETY: the block's memory holds `bytes` bytes and is not freed before the device has
        // forgotten the block, which waits for the pin that the copy holds.
        let event = unsafe { self.lanes.queue(IN).write(mem, host, bytes as usize, &waits) }.map_err(fault)?;
        self.note_copy(id, event, needs, bytes);
        Ok(())
    }

    /// Hands a buffer that shares the host's memory over to the device, with what the host wrote.
    fn hand_over(&mut self, id: Id) -> Result<(), Fault> {
        let entry = self.buffers.get(id);
        let fault = |code| Fault::opencl("handing a block over to the device failed", code);
        let needs = entry.uses;
        let mut waits = self.lanes.waits(IN, &needs).map_err(fault)?;
        let Some(mem) = &entry.mem else {
            return Err(Fault::new("a block has no buffer to be handed over"));
        };
        let queue = self.lanes.queue(IN);
        if entry.mapped.is_null() {
            // The host wrote while the buffer was not mapped; a map and an unmap tell the device.
            // The content is in the memory that the buffer wraps, so nothing needs to be read first.
            let bytes = entry.bytes as usize;
            let flags = CL_MAP_WRITE_INVALIDATE_REGION;
            let (event, address) = queue.map(mem, bytes, flags, false, &waits).map_err(fault)?;
            entry.mapped = address;
            self.note_copy(id, event, needs, 0);
            // The unmap comes after the map in the same queue.
            waits = WaitList::none();
        }
        let (entry, queue) = (self.buffers.get(id), self.lanes.queue(IN));
        let Some(mem) = &entry.mem else {
            return Err(Fault::new("a block has no buffer to be handed over"));
        };
        // SAFETY: `mapped` is the address of a mapping of this buffer that was noted when it was made, and is
        // struck out when it has been ended.
        let event = unsafe { queue.unmap(mem, entry.mapped, &waits) }.map_err(fault)?;
        entry.mapped = ptr::null_mut();
        self.note_copy(id, event, needs, 0);
        Ok(())
    }

    /// Notes a command of the lane IN that makes the buffer's content.
    fn note_copy(&mut self, id: Id, event: CommandEvent, needs: LaneNeeds, bytes: u64) {
        let work = Work::CopyIn { id, bytes };
        let ticket = self.lanes.push(IN, event, needs, work);
        let entry = self.buffers.get(id);
        entry.pins += 1;
        entry.last_write = Some(ticket);
        entry.uses.add(ticket);
    }

    /// Enters an enqueued kernel into all the books.
    fn commit(&mut self, mut job: Box<Job>, started: Started) {
        let ticket: Ticket = self.lanes.next(started.lane);
        for used in &mut job.uses {
            let entry = self.buffers.get(used.id);
            entry.fresh = false;
            entry.zeroed &= !used.written;
            entry.uses.add(ticket);
            if used.written {
                entry.last_write = Some(ticket);
                entry.writes += 1;
                used.fetches = entry.fetches;
                let mut copies = entry.block.copies();
                used.before = copies.valid;
                if self.device.attempts {
                    drop(copies);
                    self.note_unsettled(used.id);
                } else {
                    copies.wrote(self.device.place);
                }
            }
        }
        job.is_first = started.is_first;
        let mut ahead = SmallVec::<[Id; 4]>::new();
        if self.brings_ahead() {
            ahead.extend(job.uses.iter().filter(|used| used.written && !used.lazy).map(|used| used.id));
        }
        let Launch { token, awaited, .. } = job.launch;
        self.books.count_in(awaited);
        let work = Work::Kernel(job);
        self.lanes.push(started.lane, started.event, started.needs, work);
        // Before the next kernel is enqueued.
        ahead.into_iter().for_each(|id| self.fetch_ahead(id));
        if awaited {
            self.outside.events.enqueued(token);
        }
    }

    /// Whether what the kernel that was just enqueued writes should be fetched before a thread asks for it.
    fn brings_ahead(&self) -> bool {
        let launches = self.books.running + 1;
        self.device.unified
            && self.device.info.kind == DeviceKind::Cpu
            && self.round.holds.is_none()
            && self.ahead.is_worth_it(launches)
    }

    /// Answers that a launch never started.
    pub(crate) fn refuse(&mut self, launch: &Launch, fault: Fault) {
        let error = self.error(launch, fault, true);
        self.answer_failed(launch.token, error);
    }

    /// The error of a launch, with everything a reader needs.
    pub(crate) fn error(&self, launch: &Launch, fault: Fault, inputs_intact: bool) -> LaunchError {
        let kernel = self.programs.kernels.get(launch.kernel);
        LaunchError {
            device: self.device.info.name.clone(),
            kernel: kernel.map_or(String::new(), |k| k.name().to_string()),
            range: launch.range,
            arguments: describe_arguments(kernel, launch),
            cause: fault.cause,
            code: fault.code,
            hint: fault.hint,
            inputs_intact,
            takes_no_more: self.failing.failures.too_many().is_some(),
        }
    }
}

impl Manager {
    /// Whether a launch's blocks fit pointers to constant memory, and with what local size it runs.
    pub(crate) fn fit(&mut self, launch: &Launch) -> Result<LaunchRange, Fault> {
        let kernel = &mut self.programs.kernels[launch.kernel];
        let sizes = launch.blocks.iter().map(|arg| arg.map_or(0, |arg| arg.block.size()));
        check_constants(&self.device.info, &kernel.signature, launch.params.len(), sizes)?;
        kernel.groups.fit(&launch.range)
    }
}
