//! Step 4 of an EDT's life: its blocks are acquired, one at a time, in the order of their GUIDs.

use crate::engine::life::away::Wanted;
use crate::engine::nodes::outbox;
use crate::engine::state::context::Context;
use crate::engine::state::fatal::fatal;
use crate::engine::state::waiters::set_stuck;
use crate::memory;
use crate::memory::Acquired;
use crate::object::code::WorkKind;
use crate::object::data_block::Mark;
use crate::object::edt::{Edt, EdtFlags, NO_SLOT, PreSlot};
use crate::object::guid::Guid;
use crate::object::name::{BlockName, EdtName};
use crate::trace;
use ocr_place::place::Place;
use std::cmp::Reverse;

impl Context {
    /// Puts the blocks of a runnable EDT in the order in which it acquires them: that of their GUIDs, but for
    /// parts of blocks.
    #[inline(always)]
    pub(crate) fn order_blocks(&mut self, edt: &Edt) {
        if self.runtime.objects.data_blocks.partitions.exist() {
            self.order_all_blocks(edt);
        } else {
            edt.order_blocks();
        }
    }

    /// Does so where blocks have parts, or are on several nodes: the EDT's own node asks for all that it will need.
    /// What another node's part is a part of is known there alone, so levels decide ([`crate::memory`]).
    #[cold]
    fn order_all_blocks(&mut self, edt: &Edt) {
        let blocks = &self.runtime.objects.data_blocks;
        let is_any = |is_part: &dyn Fn(Guid) -> bool| edt.slots().iter().any(|slot| is_part(slot.data()));
        if outbox::has_others() && is_any(&|block| blocks.level_of(block) != 0) {
            edt.order_blocks_by(|block| (Reverse(blocks.level_of(block)), block));
        } else if !outbox::has_others() && is_any(&|block| blocks.is_part(block)) {
            edt.order_blocks_by(|block| blocks.partitions.order_of(block));
        } else {
            edt.order_blocks();
        }
        if outbox::is_open() && !edt.flags.get().is_waiter() {
            edt.blocks().for_each(|(_, slot)| self.ask_ahead(slot.data(), !slot.info().mode.writes()));
        }
    }

    /// Step 4: acquires the blocks from the cursor on. Where one is taken, the EDT is left in that
    /// block's queue, and the thread that releases the block goes on from there.
    #[inline(always)]
    pub(crate) fn acquire_rest(&mut self, edt: &'static Edt) {
        if edt.cursor.get() == NO_SLOT || self.acquire_blocks(edt) {
            self.locked(edt);
        }
    }

    /// Whether the EDT has them all.
    fn acquire_blocks(&mut self, edt: &'static Edt) -> bool {
        if edt.flags.get().is_waiter() {
            if edt.work().kind == WorkKind::Elsewhere {
                return self.acquire_for_node(edt);
            }
            // Said before: in a block's queue, the EDT is not this thread's any more.
            set_stuck(edt, true);
        }
        loop {
            let at = edt.cursor.get();
            if at == NO_SLOT {
                return true;
            }
            let slot = &edt.slots()[at as usize];
            let info = slot.info();
            if !self.leases.is_empty() && edt.place.get() == Place::HOST && self.leases.acquire(slot.data(), info.mode)
            {
                self.has_got(edt, slot);
                continue;
            }
            // After "queued" the EDT is not this thread's any more.
            let data = slot.data();
            match memory::acquire(&self.runtime.objects.data_blocks, data, edt, info.mode) {
                Acquired::Granted => self.has_got(edt, slot),
                Acquired::Queued => {
                    if self.runtime.objects.data_blocks.partitions.exist() {
                        self.is_wanted(data);
                        self.recall(data);
                    }
                    // Another EDT may have the block by now, and give it on: then this says so too late, and the
                    // thread does not wait for a run that ends.
                    return false;
                }
                Acquired::Gone => match self.want_block(edt, data) {
                    Wanted::Waits => return false,
                    Wanted::IsHere => {}
                    Wanted::Gone if edt.flags.get().is_waiter() => {
                        edt.first.set(NO_SLOT);
                        self.wake(edt);
                        return false;
                    }
                    Wanted::Gone => fatal(&format!(
                        "{} cannot acquire {} on its pre-slot {at}: the block \
                         was destroyed before the EDT could run. Destroy a block when the EDTs that \
                         use it have ended, for instance in the last of them (OCR 1.1.0, 2.5.2).{}",
                        EdtName::of(edt),
                        BlockName(slot.data()),
                        self.history_text(slot.data()),
                    )),
                },
            }
        }
    }

    /// Goes on with an EDT that was in a block's queue and has got the block.
    pub(crate) fn was_granted(&mut self, edt: &'static Edt) {
        let slot = &edt.slots()[edt.cursor.get() as usize];
        if trace::is_on() {
            trace::events::granted(edt.own_guid().bits(), slot.data().bits());
        }
        self.has_got(edt, slot);
        self.acquire_rest(edt);
    }

    /// An EDT has got the block at its cursor.
    #[inline]
    pub(super) fn has_got(&mut self, edt: &Edt, slot: &PreSlot) {
        let info = slot.info();
        edt.cursor.set(info.next);
        if info.kept {
            self.reacquired(slot);
        }
    }

    /// An EDT that has stepped back from a block has it again.
    #[cold]
    fn reacquired(&mut self, slot: &PreSlot) {
        let block = self.runtime.objects.data_blocks.pinned(slot.data());
        let left = memory::reacquired(block, slot, &mut self.steps.granted);
        self.dispose_if(block, left);
    }

    /// Step 5: an EDT has its blocks; those whose content is elsewhere are brought.
    #[inline]
    pub(crate) fn locked(&mut self, edt: &'static Edt) {
        let flags = edt.flags.get();
        if edt.place.get() == Place::HOST && flags.is_ready_when_locked() {
            self.ready(edt);
        } else {
            self.locked_elsewhere(edt);
        }
    }

    /// Step 5 for an EDT that is not simply run by a worker: it stands for a thread, is denied a write, has to fetch,
    /// or runs on a device.
    fn locked_elsewhere(&mut self, edt: &'static Edt) {
        if edt.flags.get().is_waiter() {
            set_stuck(edt, false);
        }
        match edt.place.get() {
            _ if edt.flags.get().is_denied() => {
                self.write_again(edt);
                edt.flags.remove(EdtFlags::DENIED);
                self.locked(edt);
            }
            Place::UNDECIDED => self.put_into_pool(edt),
            _ => self.bring_blocks(edt),
        }
    }

    /// An EDT wants to write a block that is written once, and was: strict mode ends the program, which
    /// else goes on after a warning. Programs ask for `DB_MODE_RW`, the default, where they only read.
    #[cold]
    fn write_again(&self, edt: &Edt) {
        let blocks = &self.runtime.objects.data_blocks;
        let written = |slot: &PreSlot| slot.info().mode.writes() && blocks.pinned(slot.data()).has(Mark::Written);
        let block = edt.blocks().find(|(_, slot)| written(slot));
        let (slot, block) = block.map_or((0, Guid::NULL), |(at, slot)| (at, slot.data()));
        let message = format!(
            "{} wants to write {} on its pre-slot {slot}, but the block \
             was created with DB_PROP_SINGLE_ASSIGNMENT and its first writer has released it. Ask \
             for DB_MODE_RO or DB_MODE_CONST in ocrAddDependence (depv of ocrEdtCreate means \
             DB_MODE_RW), or create the block without this property.{}",
            EdtName::of(edt),
            BlockName(block),
            self.history_text(block),
        );
        if self.runtime.check.is_some() {
            fatal(&message);
        }
        warning_once!("{message} It gets the block.");
    }
}
