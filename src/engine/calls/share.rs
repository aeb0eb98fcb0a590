//! Copies that share the memory of their source (`ocrDbCopy` of the type `DB_COPY_PARTITION`).
//!
//! The destination becomes a part of the source (`partition.rs`): it uses a range of the source's memory, and no EDT
//! gets the source until it is gone. The program has promised not to use the source until then. Where it does all
//! the same, the destination leaves: it gets memory of its own with what it contains, and is a block for itself.
//!
//! | step | by |
//! |---|---|
//! | an EDT is put into the queue of a divided block, and waits there yet: each part that shares its memory is asked, once, to leave. From then on no other part of this partition shares | the thread that acquires for an EDT (`Context::is_wanted`) |
//! | an EDT of the runtime's own acquires the part in EW mode, behind those that have it or wait for it; where the part was destroyed meanwhile, it goes by itself | the queue of the part |
//! | it runs, on the host: the content is copied to new memory, which is the part's from then on. Its hold stays | a worker |
//! | one after the other, the devices that know the part forget it: their buffers may be over the old memory | their managers |
//! | the part is none any more, and is given back; the last one gives back the whole | the thread that gets the last answer (`Context::leave_whole`) |
//!
//! An EDT that has the part in mode RO may read the old memory yet, as that mode excludes no writer.
//!
//! The models in `src/memory/loom_models/sharing.rs` take these steps beside users of the part, other EDTs that want
//! the whole, and a thread that destroys the part.

use crate::engine::life::create_request::Output;
use crate::engine::life::internal_edt::InternalEdt;
use crate::engine::state::context::Context;
use crate::engine::state::fatal::fatal;
use crate::memory;
use crate::memory::{Acquired, divided};
use crate::object::code::{EdtDep, WorkKind};
use crate::object::data_block::{DataBlock, Mark, alignment};
use crate::object::edt::{Mode, NO_SLOT};
use crate::object::guid::Guid;
use crate::object::name::BlockName;
use crate::object::partition::{Entered, NewPart};
use crate::trace;
use ocr_place::place::Place;

impl Context {
    /// Makes a block that has not been used yet a part of another one, from an offset on: what is copied so shares
    /// the memory. False if that cannot be, and nothing is done.
    ///
    /// The program knows the block. It is closed under its lock, and only if no EDT has it or waits for it. An EDT that
    /// comes later waits, as for a new part. A thread that destroys it finds a closed block, which goes when it is
    /// opened.
    pub(crate) fn share_block(&mut self, whole: Guid, offset: u64, guid: Guid) -> bool {
        let blocks = &self.runtime.objects.data_blocks;
        let once = |whole: &DataBlock| whole.has_any([Mark::WrittenOnce, Mark::Private]);
        let Some((part, mut locked)) = blocks.lock(guid) else {
            return false;
        };
        let size = part.size();
        // What would have memory of its own as a part is copied, and is a block for itself.
        let aligned = offset.is_multiple_of(alignment(size as usize) as u64);
        if once(blocks.pinned(whole)) || !aligned || size == 0 {
            return false;
        }
        if !divided::close_unused(part, &mut locked) {
            return false;
        }
        part.mark(&locked, Mark::Part);
        drop(locked);
        let shares = true;
        let parts = [NewPart { guid, offset, size, shares }];
        match self.enter_partition(whole, &parts, false) {
            Ok(Entered::Open) => self.open_parts(blocks.pinned(whole), &[guid]),
            Ok(_) => {}
            Err(_) => {
                part.unmark(&part.header.lock_pinned(), Mark::Part);
                let left = divided::open(part, &mut self.steps.granted);
                self.dispose_if(part, left);
                self.work_off();
                return false;
            }
        }
        self.work_off();
        true
    }

    /// An EDT was put into the queue of a block: if it is divided, the parts that share its memory are to leave.
    #[cold]
    pub(crate) fn is_wanted(&mut self, whole: Guid) {
        let blocks = &self.runtime.objects.data_blocks;
        // The GUID may name another block by now. Then there is nothing to do.
        if !blocks.pinned(whole).has(Mark::Divided) {
            return;
        }
        let mut wholes = vec![whole];
        while let Some(whole) = wholes.pop() {
            let blocks = &self.runtime.objects.data_blocks;
            let is_waited_for =
                || blocks.lock(whole).is_some_and(|(block, locked)| memory::is_waited_for(block, &locked));
            let leave = blocks.partitions.wanted(whole, is_waited_for);
            // One that has parts itself is wanted, too.
            wholes.extend(leave.into_iter().filter(|&part| self.ask_to_leave(part)));
        }
    }

    /// True if an EDT has the part, so that it leaves later.
    fn ask_to_leave(&mut self, part: Guid) -> bool {
        let created = self.create_internal_edt(InternalEdt {
            function: leave,
            kind: WorkKind::Copy,
            params: &[],
            depc: 1,
            output: Output::None,
            // The thread that waits for the scope may hold the block.
            in_scope: false,
        });
        let Ok(edt) = created else {
            fatal(&format!(
                "no memory for the EDT that gives {}, which shares that of another one, memory of its own",
                BlockName(part)
            ));
        };
        let added = self.graph().add_dependence(part, edt, 0, Mode::Ew);
        // The EDT is runnable now, and the last in the worklist.
        let Some(edt) = self.steps.worklist.runnable.pop().filter(|_| added.is_ok()) else {
            // Destroyed: it goes by itself.
            let _ = self.destroy_edt(edt);
            return false;
        };
        let edt = edt.get();
        if trace::is_on() {
            self.record_runnable(edt, Place::HOST);
        }
        edt.order_blocks();
        let objects = &self.runtime.objects;
        let acquired = memory::acquire(&objects.data_blocks, part, edt, Mode::Ew);
        match acquired {
            Acquired::Granted => {
                edt.cursor.set(NO_SLOT);
                self.locked(edt);
            }
            Acquired::Queued => {}
            Acquired::Gone => {
                objects.edts.free(&mut self.caches.edts, edt);
            }
        }
        acquired == Acquired::Queued
    }

    /// What the EDT runs that has acquired a part which is to leave its whole.
    fn give_own_memory(&mut self, guid: Guid) {
        let Some(edt) = self.current else { return };
        let block = self.runtime.objects.data_blocks.pinned(guid);
        {
            let locked = block.header.lock_pinned();
            if block.is_destroyed(&locked) || !block.has(Mark::Part) {
                return;
            }
            block.mark(&locked, Mark::Leaving);
        }
        if let Err(error) = block.copy_out() {
            fatal(&format!(
                "{} shares the memory of the source of its copy (DB_COPY_PARTITION), which \
                 somebody wants to use, and there is {error}: use the source when the copy was destroyed.",
                BlockName(guid)
            ));
        }
        let slot = &edt.slots()[0];
        let mut info = slot.info();
        // The hold is kept until no device knows the old memory.
        info.released = true;
        slot.set_info(info);
        self.leave_whole(block);
    }

    /// Has the next device forget a part that leaves its whole. If there is none, it has left.
    pub(crate) fn leave_whole(&mut self, block: &'static DataBlock) {
        let resident = block.copies().resident;
        if let Some(place) = resident.iter().next() {
            self.runtime.begin_outside();
            self.runtime.devices.manager(place).forget(block);
            return;
        }
        {
            let locked = block.header.lock_pinned();
            block.unmark(&locked, Mark::Leaving);
            block.unmark(&locked, Mark::Part);
        }
        self.part_gone(block.guid());
        let left = memory::release_unused(block, Mode::Ew, &mut self.steps.granted);
        self.dispose_if(block, left);
        self.work_off();
    }
}

/// # Safety
/// `depv` has one element.
unsafe extern "C" fn leave(_: u32, _: *mut u64, _: u32, depv: *mut EdtDep) -> Guid {
    // SAFETY: the caller promises that `depv` has one element, since an EDT of this function has one pre-slot.
    let part = unsafe { (*depv).guid };
    if let Some(context) = Context::get() {
        // SAFETY: this thread's, and nothing refers to it while an EDT's function runs.
        unsafe { &mut *context }.give_own_memory(part);
    }
    Guid::NULL
}
