//! Where the life of an EDT meets strict mode (`check`): nothing here is called without it.

pub(crate) mod arguments;

use crate::abi::Api;
use crate::check::checksum::{Checksum, ContentBefore, When};
use crate::check::held::Reading;
use crate::check::history::{Act, ActCause, What, Who};
use crate::check::{Check, Misuse};
use crate::config::Checks;
use crate::engine::nodes::outbox;
use crate::engine::state::context::Context;
use crate::engine::state::fatal::{fatal, flush_output};
use crate::engine::state::handlers;
use crate::engine::state::runtime::Runtime;
use crate::memory;
use crate::object::code::WorkKind;
use crate::object::data_block::{BlockState, DataBlock, Mark};
use crate::object::edt::{Edt, EdtState, Mode, PreSlot};
use crate::object::event::EventKind;
use crate::object::guid::Guid;
use crate::sched::calls;
use ocr_place::place::Place;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Ends the program at a misuse.
fn abort_on_misuse(result: Result<(), Box<Misuse>>) {
    if let Err(misuse) = result {
        fatal(&misuse.to_string());
    }
}

impl Context {
    /// The EDT or thread that calls the runtime now, on whatever node.
    pub(crate) fn who(&self) -> Who {
        match self.current.or(self.on_behalf_of) {
            Some(edt) => Who::of(edt),
            None => self.on_behalf_of_node.unwrap_or_else(|| {
                let thread = self.tally.now.thread.load(Ordering::Relaxed);
                Who::outside(thread)
            }),
        }
    }

    /// What an object has been through, as an appendix to a message; nothing without strict mode.
    pub(crate) fn history_text(&self, guid: Guid) -> String {
        let check = self.runtime.check.as_ref();
        check.map_or(String::new(), |check| format!("\n  {}", check.history.text(guid, 0)))
    }

    /// An EDT is being created with this `depv`, or without, and no other thread knows it yet.
    pub(crate) fn check_created(&self, check: &Check, edt: &Edt, depv: &[Guid]) {
        let objects = &self.runtime.objects;
        check.edt_created(objects, edt.guid(), edt.work(), depv, self.creation(edt));
    }

    /// The EDT that is being created has got an output event: the history takes note of it.
    #[cold]
    pub(crate) fn check_output(&self, check: &Check, edt: &Edt, output: Guid) {
        let objects = &self.runtime.objects;
        check.output_created(objects, output, edt.guid(), edt.work(), self.creation(edt));
    }

    /// What creates an EDT: the call, and the EDT or thread that makes the call.
    fn creation(&self, edt: &Edt) -> (ActCause, Who) {
        let call = match (edt.work().kind, edt.explicit_range()) {
            (WorkKind::Main, _) => return (ActCause::Start, self.who()),
            (WorkKind::Copy, _) => Api::ocrDbCopy,
            (WorkKind::Partition, _) => Api::ocrDbPartition,
            (_, Some(_)) => Api::ocrOpenclTaskCreate,
            (_, None) => Api::ocrEdtCreate,
        };
        (call.into(), self.who())
    }

    /// All pre-slots of an EDT are satisfied.
    #[cold]
    pub(crate) fn check_runnable(&self, check: &Check, edt: &Edt) {
        let modes = edt.slots().iter();
        let modes = modes.map(|slot| (slot.data(), slot.info().mode));
        abort_on_misuse(check.mixed_modes(Who::of(edt), modes));
        for (at, slot) in edt.slots().iter().enumerate() {
            if slot.info().mode != Mode::Null && !slot.data().is_null() {
                check.gives(edt.guid(), at as u32, slot.data());
            }
        }
        let gets = |block| edt.slots().iter().any(|slot| slot.data() == block);
        let data = edt.slots().iter().map(crate::object::edt::PreSlot::data);
        for part in data.filter(|data| !data.is_null()) {
            let objects = &self.runtime.objects;
            abort_on_misuse(check.part_and_whole(objects, Who::of(edt), gets, part));
        }
    }

    /// An EDT is about to run on the host.
    pub(crate) fn check_begin(&self, check: &Check, edt: &'static Edt) {
        begins(check, edt);
        self.check_reads(check, edt);
        for (_, slot) in edt.blocks() {
            let objects = &self.runtime.objects;
            let block = objects.data_blocks.pinned(slot.data());
            abort_on_misuse(check.within(objects, block, Who::of(edt), When::Begin));
            if let Some(print) = Checksum::take(&check.contents, block, slot.info().mode.writes() as u32) {
                abort_on_misuse(check.compare(slot.data(), print, Who::of(edt), When::Begin));
            }
        }
    }

    /// Checks an EDT that is about to run, here or on a device. What it only reads must have been written. A kernel
    /// must read nothing that the EDT which has passed it on may still write.
    pub(crate) fn check_reads(&self, check: &Check, edt: &'static Edt) {
        let on_device = edt.place.get() != Place::HOST;
        for (slot, pre_slot) in edt.blocks() {
            let (block, mode) = (pre_slot.data(), pre_slot.info().mode);
            if mode.writes() {
                continue;
            }
            let reading = Reading { who: Who::of(edt), block, mode, slot };
            let data_block = self.runtime.objects.data_blocks.pinned(block);
            let (unwritten, beside_writer) = {
                let copies = data_block.copies();
                let by_host = copies.is_written_on_host();
                (copies.valid.is_empty() && !by_host, by_host)
            };
            if unwritten && data_block.size() != 0 {
                check.note_read_unwritten(reading);
            }
            if beside_writer && on_device {
                let act = check.giver(edt.guid(), slot, block);
                match act.filter(|act| self.holds_to_write(check, act.who, data_block)) {
                    Some(act) => abort_on_misuse(Err(check.reads_unreleased(reading, act))),
                    None => {
                        let held = data_block.creator.load(Ordering::Relaxed) != 0;
                        let creator = check.creator(block).filter(|_| held);
                        check.note_read_beside_writer(reading, creator);
                    }
                }
            }
        }
    }

    /// Whether an EDT or a thread, which may end meanwhile, holds a block for writing.
    fn holds_to_write(&self, check: &Check, who: Who, block: &DataBlock) -> bool {
        let is_creator = |creator: Who| {
            if who.edt.is_null() {
                creator.edt.is_null() && creator.thread == who.thread
            } else {
                creator.edt == who.edt
            }
        };
        if block.creator.load(Ordering::Relaxed) != 0 && check.creator(block.guid()).is_some_and(is_creator) {
            return true;
        }
        let Some((edt, locked)) = self.runtime.objects.edts.lock(who.edt) else {
            return false;
        };
        let holds = |(_, slot): (u32, &PreSlot)| {
            let info = slot.info();
            slot.data() == block.guid() && info.mode.writes() && !info.released
        };
        locked.word.state() == EdtState::Runnable && edt.blocks().any(holds)
    }

    /// An EDT has run, and holds its blocks still.
    #[cold]
    pub(crate) fn check_end(&mut self, check: &Check, edt: &'static Edt, result: Guid) {
        let who = Who::of(edt);
        // The EDT writes nothing any more. This comes before its blocks are sealed: it has not run since.
        check.contents.meanwhile.ends(who);
        if self.belongings.is_in_group() {
            abort_on_misuse(Err(check.open_group(who)));
        }
        let scope = edt.finish_scope().filter(|_| edt.flags.get().is_finish());
        let output = scope.map_or(edt.output(), |scope| scope.output.get());
        let objects = &self.runtime.objects;
        // What another node has is not looked for.
        let is_elsewhere = outbox::has_others() && objects.owner_elsewhere(result).is_some();
        if !(is_elsewhere && (result.is_event() || result.is_data_block())) {
            let used = !output.is_null();
            abort_on_misuse(match check.wrong_result(objects, who, result, used, self.held_at(edt, result)) {
                Some(misuse) => Err(misuse),
                None => Ok(()),
            });
        }
        if scope.is_none() {
            check.ends_with(output, who);
        }
        let on_host = edt.place.get() == Place::HOST;
        for (at, slot) in edt.blocks().filter(|(_, slot)| !slot.info().released) {
            let block = objects.data_blocks.pinned(slot.data());
            let (mode, slot) = (slot.info().mode, Some(at));
            if on_host {
                self.give_back(check, block, who, mode, slot, false);
            } else {
                let when = When::Held(mode, slot);
                abort_on_misuse(check.within(objects, block, who, when));
                // A device that shares the host's memory may have written what it only reads.
                if !mode.writes()
                    && let Some(print) = Checksum::take(&check.contents, block, 0)
                {
                    abort_on_misuse(check.compare(block.guid(), print, who, when));
                }
            }
        }
        if on_host {
            let mut held = self.held.first();
            // SAFETY: blocks in the list are held, so they are alive.
            while let Some(block) = unsafe { held.as_ref() } {
                self.give_back(check, block, who, Mode::Rw, None, false);
                held = block.held_neighbours()[1].get();
            }
        }
        for block in check.edt_ran(edt.guid()) {
            self.check_released(check, block, who);
        }
        abort_on_misuse(check.verify_quarantine(who));
    }

    /// The block of those that an ending EDT holds that begins at this address, which it has returned as a
    /// GUID.
    fn held_at(&self, edt: &Edt, address: Guid) -> Option<Guid> {
        let blocks = &self.runtime.objects.data_blocks;
        let starts = |block: &DataBlock| block.host_ptr() as u64 == address.bits();
        let mut slots = edt.blocks().filter(|(_, slot)| !slot.info().released);
        if let Some((_, slot)) = slots.find(|(_, slot)| starts(blocks.pinned(slot.data()))) {
            return Some(slot.data());
        }
        let mut held = self.held.first();
        // SAFETY: blocks in the list are held, so they are alive.
        while let Some(block) = unsafe { held.as_ref() } {
            if starts(block) {
                return Some(block.guid());
            }
            held = block.held_neighbours()[1].get();
        }
        None
    }

    /// Looks at a block that an EDT has released. It is held meanwhile, in a mode that excludes
    /// no other holder, so that it does not go.
    pub(crate) fn check_released(&mut self, check: &Check, guid: Guid, who: Who) {
        let Some((block, locked)) = self.runtime.objects.data_blocks.lock(guid) else {
            return;
        };
        if locked.word.state() != BlockState::Live {
            // The thread that destroyed it may be about to free it.
            return;
        }
        // An EDT that holds the block has it looked at as that EDT ends. Here it would be seen as a write of this EDT.
        if !memory::watch(block, &locked) {
            return;
        }
        drop(locked);
        if let Some(print) = Checksum::take(&check.contents, block, 0) {
            abort_on_misuse(check.compare(guid, print, who, When::Released));
        }
        let left = memory::end_watch(block, &mut self.steps.granted);
        self.dispose_if(block, left);
        self.check_may_close(check, guid);
    }

    /// The running code has released a block, or has looked at one that it has released. Of what a thread outside of
    /// EDTs does with it there could be no report.
    pub(crate) fn check_may_close(&self, check: &Check, guid: Guid) {
        if self.current.is_some()
            && handlers::is_ours(libc::SIGSEGV)
            && let Some((block, locked)) = self.runtime.objects.data_blocks.lock(guid)
        {
            check.contents.closed.close(block, &locked);
        }
    }

    /// The first EDT of the program's that is runnable and waits for a block until others have released it.
    pub(crate) fn first_waiting(&self, guid: Guid) -> Option<Guid> {
        let (block, _locked) = self.runtime.objects.data_blocks.lock(guid)?;
        // SAFETY: an EDT in the queue belongs to the queue, which the lock guards.
        let first = unsafe { block.queue.get().0.as_ref() }?;
        // The copying EDT says so itself, and a block may be destroyed that is about to be divided.
        let is_runtimes = first.work().kind.is_of_a_block_call();
        (!is_runtimes).then(|| first.guid())
    }

    /// A part, which the partition holds, is about to be given to those that wait for it: from here on, it is not
    /// written through another.
    pub(crate) fn check_opened(&self, check: &Check, part: &DataBlock) {
        if let Some(print) = Checksum::take(&check.contents, part, 1) {
            // Nothing is known of its content yet.
            let _ = check.compare(part.guid(), print, self.who(), When::Begin);
        }
    }

    /// The running code has connected an output event. The EDT of it, if that may have ended before: it can run,
    /// and has no block to wait for that the running code holds.
    #[cold]
    pub(crate) fn may_be_late(&self, check: &Check, output: Guid) -> Option<Guid> {
        let Some(What::Output(guid)) = check.history.what(output) else {
            return None;
        };
        let (edt, locked) = self.runtime.objects.edts.lock(guid)?;
        let itself = self.current.is_some_and(|current| current.guid() == guid);
        // A finish EDT's output event waits for its scope.
        if itself || locked.word.state() != EdtState::Runnable || edt.flags.get().is_finish() {
            return None;
        }
        drop(locked);
        (!self.keeps_waiting(guid, None)).then_some(guid)
    }

    /// Whether an EDT waits for a pre-slot, or for what the running code has to end first: a data block that it
    /// holds, other than `except`, or a pause.
    pub(crate) fn keeps_waiting(&self, edt: Guid, except: Option<Guid>) -> bool {
        let Some((edt, locked)) = self.runtime.objects.edts.lock(edt) else {
            return false;
        };
        if locked.word.state() != EdtState::Runnable || self.has_paused() {
            return true;
        }
        let blocks: Vec<Guid> = edt.blocks().map(|(_, slot)| slot.data()).collect();
        drop(locked);
        let mut others = blocks.into_iter().filter(|block| Some(*block) != except);
        others.any(|block| self.held_block(block).is_some())
    }

    /// A block that the running code holds, the mode, and the pre-slot unless it has created the block.
    fn held_block(&self, guid: Guid) -> Option<(&'static DataBlock, Mode, Option<u32>)> {
        let (block, locked) = self.runtime.objects.data_blocks.lock(guid)?;
        let created = block.creator.load(Ordering::Relaxed) == self.holder();
        drop(locked);
        if created {
            return Some((block, Mode::Rw, None));
        }
        let mut blocks = self.current?.blocks();
        let (at, slot) = blocks.find(|(_, slot)| slot.data() == guid)?;
        let info = slot.info();
        (!info.released).then_some((block, info.mode, Some(at)))
    }

    /// The running code is about to release a block, or to destroy it.
    #[cold]
    pub(crate) fn check_release(&self, check: &Check, guid: Guid) {
        if let Some((block, mode, slot)) = self.held_block(guid) {
            self.give_back(check, block, self.who(), mode, slot, true);
        }
    }

    /// A host EDT is about to give back a block that it holds in this mode, through this pre-slot unless
    /// it has created the block; by a call, or as it ends.
    fn give_back(&self, check: &Check, block: &DataBlock, who: Who, mode: Mode, slot: Option<u32>, called: bool) {
        let when = When::Held(mode, slot);
        abort_on_misuse(check.within(&self.runtime.objects, block, who, when));
        let print = Checksum::take(&check.contents, block, mode.writes() as u32);
        if mode.writes() {
            let look = || print.or_else(|| Checksum::take_among(&check.contents, block));
            abort_on_misuse(check.written_after_passing(who, block.guid(), look));
        }
        let Some(print) = print else { return };
        if mode.writes() {
            check.contents.seal_at_release(block.guid(), print, who, called);
        } else {
            abort_on_misuse(check.compare(block.guid(), print, who, when));
        }
    }

    /// The running code is about to satisfy an event with a block. Threads outside of EDTs are not
    /// distinguished.
    #[cold]
    pub(crate) fn check_satisfy(&self, check: &Check, event: Guid, guid: Guid, act: Act) {
        // A latch event ignores the block. What is known of it may come later, where another thread creates it.
        if self.runtime.objects.event_kind(event) == Some(EventKind::Latch) {
            return;
        }
        let unwritten = || match self.held_block(guid) {
            Some((block, _, None)) => block.is_unwritten(),
            // What it was when the EDT began is not known.
            _ => true,
        };
        let before = || self.check_passing(check, guid);
        abort_on_misuse(check.passes(event, guid, act, before, unwritten));
    }

    /// What is in a block that the running EDT holds for writing, and is about to pass on.
    #[cold]
    pub(crate) fn check_passing(&self, check: &Check, guid: Guid) -> Option<ContentBefore> {
        self.current?;
        let (block, mode, _) = self.held_block(guid)?;
        mode.writes().then(|| ContentBefore::take(&check.contents, block))?
    }

    /// Events did not take what others passed on to them.
    #[cold]
    pub(crate) fn report_rejected(&mut self) {
        let rejected = self.steps.worklist.rejected.as_mut().map(std::mem::take);
        let Some(check) = &self.runtime.check else {
            return;
        };
        for event in rejected.unwrap_or_default() {
            let by = "by an event that it depends on";
            abort_on_misuse(check.satisfied_twice(event, self.who(), by.into()));
        }
    }

    /// The output event of an EDT that has ended, a program's own, did not take its result.
    #[cold]
    pub(crate) fn report_rejected_result(&self, who: Who, output: Guid) {
        if let Some(check) = &self.runtime.check {
            let by = match who.work {
                Some(_) => format!("by the end of {who}, whose output event it is"),
                None => "by the end of a finish EDT's scope, whose output event it is".to_string(),
            };
            abort_on_misuse(check.satisfied_twice(output, who, by));
        }
    }

    /// A destroyed block is not used any more.
    #[cold]
    pub(crate) fn check_gone(&self, check: &Check, block: &DataBlock) {
        let guid = block.guid();
        let objects = &self.runtime.objects;
        abort_on_misuse(check.within(objects, block, self.who(), When::Freed));
        check.contents.forget(guid);
        // The memory of another node's block goes back with the content.
        if !block.has(Mark::Borrowed)
            && block.copies().resident.is_empty()
            && let Some(memory) = block.take_memory()
        {
            abort_on_misuse(check.quarantine(guid, memory, self.who()));
        }
    }
}

/// Whether an EDT is one that the runtime has made for a call, and its function the runtime's.
pub(crate) fn is_runtimes(edt: &Edt) -> bool {
    edt.work().kind.is_of_a_block_call()
}

/// An EDT is about to run, here or on a device.
pub(crate) fn begins(check: &Check, edt: &Edt) {
    check.contents.meanwhile.begins(Who::of(edt));
    for (_, slot) in edt.blocks() {
        check.contents.closed.open(slot.data());
        if slot.info().mode.writes() {
            check.contents.begins_to_write(slot.data());
        }
    }
}

/// How many calls that were never made are shown.
const SHOWN: usize = 10;

impl Runtime {
    /// What strict mode says at `ocrShutdown`, when all workers have ended, and threads of the program are refused. The
    /// exit status.
    pub(crate) fn check_left(&self) -> i32 {
        let Some(check) = &self.check else { return 0 };
        // Threads that were in a call go on until its end, or until they see that the run has ended.
        calls::wait_for_all(|is_so| self.registry.any_calls(is_so), || std::thread::sleep(Duration::from_micros(100)));
        let abort_on_misuse = |result: Result<(), Box<Misuse>>| {
            if let Err(misuse) = result {
                self.fatal(&misuse.to_string());
            }
        };
        for (_, block) in self.objects.data_blocks.live() {
            abort_on_misuse(check.within(&self.objects, block, Who::NOBODY, When::Shutdown));
        }
        for guid in check.contents.sealed() {
            let blocks = &self.objects.data_blocks;
            if blocks.exists(guid)
                && let Some(print) = Checksum::take(&check.contents, blocks.pinned(guid), 0)
            {
                abort_on_misuse(check.compare(guid, print, Who::NOBODY, When::Shutdown));
            }
        }
        abort_on_misuse(check.verify_quarantine_at_end());
        abort_on_misuse(check.verify_arguments_at_end());
        flush_output();
        let deferred = self.deferred_calls();
        match deferred.len() {
            0 => {}
            1 => strict_note!("1 call was never made:"),
            more => strict_note!("{more} calls were never made:"),
        }
        for call in deferred.iter().take(SHOWN) {
            say_line!("  {call}");
        }
        let Some(left) = check.left(&self.objects) else {
            return 0;
        };
        match *self.settings.check {
            Checks::Leaks => {
                error!("{left}");
                crate::engine::state::end::FATAL_STATUS
            }
            _ => {
                note!("{left}");
                0
            }
        }
    }
}
