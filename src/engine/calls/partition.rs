//! Data blocks that are divided into parts (`ocrDbPartition`, extension of OCR-Vx).
//!
//! A part is a data block of its own, and what EDTs do with it is no concern of this file. Two things
//! are: from when to when no EDT gets the whole, and where the content is.
//!
//! | step | the whole | the parts |
//! |---|---|---|
//! | `ocrDbPartition` | is divided: an EDT that wants it waits. An EDT of the runtime's own acquires it in EW mode, behind those that hold it or have waited for it | exist, and are closed as the whole is: an EDT that wants one waits, in whatever mode |
//! | that EDT runs, on the host | its hold stays when it ends: the partition is *open* | get their memory and are given back |
//! | more parts, meanwhile | | get their memory at once, if the partition is open and they overlap none that was destroyed and is not gone yet |
//! | a part is destroyed, and not used any more | | its content goes back: if only a device has it, another such EDT brings it to the host |
//! | the last one is freed | is given back, as written on the host | |
//!
//! When all parts have been destroyed, but not all are gone, the next call begins again, with another
//! hold of the whole behind those that have waited for it.
//!
//! **Copies that share.** A block that has not been used yet can become a part as well, in place of being the
//! destination of a copy of the type `DB_COPY_PARTITION` (`Context::share_block`). The program promises not to use
//! the whole then, but no EDT waits for a promise that was broken (`share.rs`).
//!
//! **Several nodes.** The node that has the whole makes the parts, whichever node asks for them, and has them. Others
//! borrow a part as they borrow any block (`life/away.rs`).
//!
//! **Memory.** A part that begins where the memory of a block of its size could begin uses the memory of
//! the whole: nothing is copied. Others get memory of their own and are copied, there and back, since a
//! kernel may load vectors from a buffer's first byte on. A device cannot tell the difference. The
//! whole is not given back before each device has forgotten the part, so no device has a buffer over
//! memory that somebody else uses.
//!
//! **Waiting.** An EDT that wants the whole waits in its queue for the parts to be destroyed, and
//! may hold blocks with smaller GUIDs meanwhile. If the EDTs that are to destroy a part need one of
//! these, none of them goes on. The program has to prevent that, as the header says, and a hang is
//! reported.

use crate::abi::Api;
use crate::check::checksum::Checksum;
use crate::device::DeviceError;
use crate::engine::life::create_request::{CreateError, Output};
use crate::engine::life::internal_edt::InternalEdt;
use crate::engine::state::context::Context;
use crate::engine::state::fatal::fatal;
use crate::heap::may_fail;
use crate::memory;
use crate::memory::{Acquired, divided, private};
use crate::object::code::{EdtDep, WorkKind};
use crate::object::data_block::{BlockState, DataBlock, Mark, alignment};
use crate::object::edt::{Mode, NO_SLOT};
use crate::object::guid::Guid;
use crate::object::name::BlockName;
use crate::object::partition::{Entered, NewPart, PartsError};
use crate::trace;
use ocr_place::place::Place;

/// Why a block is not divided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PartitionError {
    /// The GUID names no block.
    NoSuchBlock,
    /// A part is not within the block.
    OutOfBounds,
    /// Parts overlap, or no more are allowed.
    Parts(PartsError),
    /// The block is one that is written only once.
    WrittenOnce,
    /// Or the GUIDs of several nodes have no room for the level of the parts.
    OutOfMemory,
}

impl From<PartsError> for PartitionError {
    fn from(why: PartsError) -> PartitionError {
        PartitionError::Parts(why)
    }
}

impl From<CreateError> for PartitionError {
    fn from(_: CreateError) -> PartitionError {
        // Nothing else can be the reason.
        PartitionError::OutOfMemory
    }
}

impl Context {
    /// Makes parts of a block, which begin and end at these offsets (`spans` are offsets and sizes). With
    /// `fixed` there will be no others until all are gone. The GUIDs of the parts.
    pub(crate) fn divide_block(
        &mut self,
        whole: Guid,
        spans: &[(u64, u64)],
        fixed: bool,
    ) -> Result<Vec<Guid>, PartitionError> {
        let blocks = &self.runtime.objects.data_blocks;
        let bytes = {
            if !blocks.can_be_named(whole) {
                return Err(PartitionError::NoSuchBlock);
            }
            let (block, _locked) = blocks.lock(whole).ok_or(PartitionError::NoSuchBlock)?;
            if block.has(Mark::WrittenOnce) {
                return Err(PartitionError::WrittenOnce);
            }
            block.size()
        };
        let within = |&(offset, size): &(u64, u64)| {
            let end = offset.checked_add(size);
            end.is_some_and(|end| end <= bytes)
        };
        if !spans.iter().all(within) {
            return Err(PartitionError::OutOfBounds);
        }
        let mut parts = Vec::new();
        may_fail(|| parts.try_reserve_exact(spans.len())).map_err(|_| PartitionError::OutOfMemory)?;
        let entered = self.enter_parts(whole, spans, fixed, &mut parts);
        let guids: Vec<Guid> = parts.iter().map(|part| part.guid).collect();
        match entered {
            Ok(Entered::Open) => self.open_parts(blocks.pinned(whole), &guids),
            Ok(_) => {}
            Err(_) => {
                for part in parts {
                    let part = blocks.pinned(part.guid);
                    blocks.free(&mut self.caches.data_blocks, part);
                }
            }
        }
        self.work_off();
        entered.map(|_| guids)
    }

    fn enter_parts(
        &mut self,
        whole: Guid,
        spans: &[(u64, u64)],
        fixed: bool,
        parts: &mut Vec<NewPart>,
    ) -> Result<Entered, PartitionError> {
        let blocks = &self.runtime.objects.data_blocks;
        let level = blocks.level_below(whole).ok_or(PartitionError::OutOfMemory)?;
        for &(offset, size) in spans {
            let block = blocks.allocate_part(&mut self.caches.data_blocks, size, level);
            let block = block.map_err(|_| PartitionError::OutOfMemory)?;
            block.header.publish(block.header.peek().with_state(BlockState::Live));
            divided::close(block);
            block.mark(&block.header.lock_pinned(), Mark::Part);
            let guid = block.guid();
            let shares = false;
            parts.push(NewPart { guid, offset, size, shares });
            if let Some(check) = &self.runtime.check {
                let act = (Api::ocrDbPartition, self.who());
                check.made_block(&self.runtime.objects, guid, size, act);
            }
        }
        self.enter_partition(whole, parts, fixed)
    }

    /// Enters parts that are closed.
    pub(crate) fn enter_partition(
        &mut self,
        whole: Guid,
        parts: &[NewPart],
        fixed: bool,
    ) -> Result<Entered, PartitionError> {
        let blocks = &self.runtime.objects.data_blocks;
        let number = blocks.partitions.number();
        let opener = self.create_internal_edt(InternalEdt {
            function: open,
            kind: WorkKind::Partition,
            params: &[number],
            depc: 1,
            output: Output::None,
            // The thread that waits for the scope may hold the block.
            in_scope: false,
        })?;
        let added = self.graph().add_dependence(whole, opener, 0, Mode::Ew);
        // The opener is runnable now, and nothing else is in the worklist.
        let Some(opener_edt) = self.steps.worklist.runnable.pop().filter(|_| added.is_ok()) else {
            let _ = self.destroy_edt(opener);
            return Err(PartitionError::NoSuchBlock);
        };
        let opener = opener_edt.get();
        if trace::is_on() {
            self.record_runnable(opener, Place::HOST);
        }
        opener.order_blocks();
        opener.slots()[0].set_divides();
        let mut acquired = None;
        let entered =
            blocks.partitions.enter(whole, parts, fixed, number, || match divided::divide(blocks, whole, opener) {
                Acquired::Gone => Err(PartitionError::NoSuchBlock),
                answer => {
                    acquired = Some(answer);
                    Ok(())
                }
            });
        match acquired {
            Some(Acquired::Granted) => {
                opener.cursor.set(NO_SLOT);
                self.locked(opener);
            }
            // The opener belongs to the queue of the block, and may have run.
            Some(_) => self.recall(whole),
            // Another one has been, or will be.
            None => {
                self.runtime.objects.edts.free(&mut self.caches.edts, opener);
            }
        }
        entered
    }

    /// What the EDT runs that has acquired a whole.
    fn open_partition(&mut self, whole: Guid, number: u64) {
        let Some(edt) = self.current else { return };
        let slot = &edt.slots()[0];
        let mut info = slot.info();
        // The hold is the partition's from now on.
        info.released = true;
        slot.set_info(info);
        let blocks = &self.runtime.objects.data_blocks;
        let block = blocks.pinned(whole);
        {
            let mut copies = block.copies();
            if !copies.valid.is_empty() {
                // What devices have of it will be old.
                copies.wrote(Place::HOST);
            }
        }
        let parts = blocks.partitions.open(number);
        self.open_parts(block, &parts);
        self.work_off();
    }

    /// Gives parts of a block that the partition holds their memory, and then to those that wait.
    pub(crate) fn open_parts(&mut self, whole: &'static DataBlock, parts: &[Guid]) {
        let blocks = &self.runtime.objects.data_blocks;
        let start = whole.host_ptr();
        let written = !whole.copies().valid.is_empty();
        for &guid in parts {
            let part = blocks.pinned(guid);
            let Some((_, offset)) = blocks.partitions.place_of(guid) else {
                continue;
            };
            let from = start.wrapping_add(offset as usize);
            let size = part.size() as usize;
            if from.align_offset(alignment(size)) == 0 {
                part.lend(from);
            } else {
                let to = match part.host_memory() {
                    Ok(memory) => memory.as_ptr(),
                    Err(error) => fatal(&format!(
                        "{}, a part of {}, begins at an offset of \
                         {offset} bytes, which is no multiple of {}, so it needs memory of its own, \
                         but there is {error}.",
                        BlockName(guid),
                        BlockName(whole.guid()),
                        alignment(size),
                    )),
                };
                // SAFETY: the part is within the whole, whose memory is there and which the partition
                // holds; no other EDT has the part.
                unsafe { to.copy_from_nonoverlapping(from, size) };
            }
            if written {
                part.copies().wrote(Place::HOST);
            }
            if let Some(check) = &self.runtime.check {
                self.check_opened(check, part);
            }
            let left = divided::open(part, &mut self.steps.granted);
            // From here on it may be gone.
            self.dispose_if(part, left);
        }
    }

    /// Brings the content of a part that is not used any more back to the whole. False if that takes
    /// until another EDT has run, after which the part is unused again.
    #[cold]
    pub(crate) fn bring_back(&mut self, part: &'static DataBlock) -> bool {
        let guid = part.guid();
        let blocks = &self.runtime.objects.data_blocks;
        let (ready, written) = {
            let copies = part.copies();
            (copies.host_ready(), !copies.valid.is_empty())
        };
        if !ready {
            let created = self.create_internal_edt(InternalEdt {
                function: nothing,
                kind: WorkKind::Partition,
                params: &[],
                depc: 1,
                output: Output::None,
                in_scope: false,
            });
            private::revive(part);
            let passed = created.is_ok_and(|edt| {
                let passed = self.graph().pass_block(guid, edt, 0, Mode::Ew);
                passed.is_ok()
            });
            if !passed {
                fatal(&format!("no memory for the EDT that brings {}, a part, from its device", BlockName(guid)));
            }
            return false;
        }
        let Some((whole, offset)) = blocks.partitions.place_of(guid) else {
            return true;
        };
        if !written {
            return true;
        }
        give_content(part, blocks.pinned(whole), offset);
        true
    }

    /// At the end of a run, when no EDT brings anything any more: has a block, which the caller holds,
    /// contain what its parts do that are not gone.
    pub(crate) fn gather_parts(&mut self, whole: &'static DataBlock) -> Result<(), DeviceError> {
        let partitions = &self.runtime.objects.data_blocks.partitions;
        let mut parts = Vec::new();
        let mut wholes = vec![whole];
        while let Some(whole) = wholes.pop() {
            if !whole.has(Mark::Divided) {
                continue;
            }
            for guid in partitions.parts_of(whole.guid()) {
                if let Some((part, offset)) = self.hold_part(guid) {
                    parts.push((part, whole, offset));
                    wholes.push(part);
                }
            }
        }
        let mut brought = Ok(());
        for &(part, ..) in &parts {
            brought = brought.and(self.bring_at_end(part));
        }
        // Parts of a part before the part.
        for (part, whole, offset) in parts.into_iter().rev() {
            // One that cannot be used yet has neither content nor memory.
            if brought.is_ok() && !part.copies().valid.is_empty() {
                give_content(part, whole, offset);
            }
            let left = memory::release_unused(part, Mode::Ro, &mut self.steps.granted);
            self.dispose_if(part, left);
        }
        brought
    }

    /// Holds a part in RO mode, and says where it begins in its whole; nothing if it is gone. Waits for the thread that
    /// is about to free it, or to hold it.
    fn hold_part(&self, guid: Guid) -> Option<(&'static DataBlock, u64)> {
        let blocks = &self.runtime.objects.data_blocks;
        loop {
            let (_, offset) = blocks.partitions.place_of(guid)?;
            let (part, locked) = blocks.lock(guid)?;
            if memory::hold_still(part, &locked) {
                return Some((part, offset));
            }
            drop(locked);
            std::thread::yield_now();
        }
    }

    /// A part was freed: what waited for it goes on, and after the last the whole is given back.
    #[cold]
    pub(crate) fn part_gone(&mut self, part: Guid) {
        let blocks = &self.runtime.objects.data_blocks;
        let Some(gone) = blocks.partitions.gone(part) else {
            return;
        };
        // Only what waits, or having been the last, keeps the whole: others may have been the last meanwhile.
        let whole = blocks.pinned(gone.whole);
        if !gone.opens.is_empty() {
            self.open_parts(whole, &gone.opens);
        }
        if gone.last {
            if let Some(check) = &self.runtime.check
                && let Some(print) = Checksum::take(&check.contents, whole, 1)
            {
                let by = self.who();
                (check.contents).seal_at_release(whole.guid(), print, by, false);
            }
            let left = divided::unite(whole, &mut self.steps.granted);
            self.dispose_if(whole, left);
        }
    }
}

/// Gives a whole, which the partition holds, the content of a part of it, which is on the host.
fn give_content(part: &DataBlock, whole: &DataBlock, offset: u64) {
    whole.copies().wrote(Place::HOST);
    if part.owns_memory() {
        let to = whole.host_ptr().wrapping_add(offset as usize);
        // SAFETY: the part is within the whole, whose memory is there and which the partition holds;
        // no other EDT has this part but to read it, and no other part overlaps it.
        unsafe { to.copy_from_nonoverlapping(part.host_ptr(), part.size() as usize) };
    }
}

/// # Safety
/// `paramv` and `depv` have one element.
unsafe extern "C" fn open(_: u32, paramv: *mut u64, _: u32, depv: *mut EdtDep) -> Guid {
    // SAFETY: the caller promises that `paramv` has one element, so it can be read.
    let number = unsafe { *paramv };
    // SAFETY: the caller promises that `depv` has one element, so it can be read.
    let whole = unsafe { (*depv).guid };
    if let Some(context) = Context::get() {
        // SAFETY: this thread's, and nothing refers to it while an EDT's function runs.
        unsafe { &mut *context }.open_partition(whole, number);
    }
    Guid::NULL
}

/// What the EDT runs that has brought a part.
unsafe extern "C" fn nothing(_: u32, _: *mut u64, _: u32, _: *mut EdtDep) -> Guid {
    Guid::NULL
}
