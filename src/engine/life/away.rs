//! Blocks that go from one node to another and back, and calls that other nodes confirm.
//!
//! When which message is sent is said, and decided, in [`crate::protocol`]: its head has an example, and the tables of
//! a block stand beside their code, that of its owner and that of a borrower. Here is what follows for blocks and EDTs.
//!
//! - A copy is an ordinary block under the block's own GUID, in whose queue the EDTs of the borrower wait. A stand-in
//!   for the owner ([`super::stand_in`]) joins that queue when the copy is asked back.
//! - For a copy *to write*, a stand-in holds the block at the owner as one that divides it does (`memory/divided.rs`):
//!   no other EDT gets it, in whatever mode.
//! - For each copy *to read*, a stand-in holds it there in CONST mode. EDTs of the borrower get such a copy in the
//!   modes RO and CONST alone.
//! - A small copy to read may come with an EDT ([`super::along`]).
//!
//! An EDT that becomes runnable has its node ask for all its blocks that are not there, before it acquires the first.
//! EDTs of all nodes acquire blocks in one order, that of levels and GUIDs (`memory/mod.rs`).
//!
//! All that the protocol knows changes under the lock of the table (`state/elsewhere.rs`). Messages are posted when
//! that is free again.

use crate::abi::Api;
use crate::check::calls::code_of_misuse;
use crate::engine::life::stand_in::{StandIn, content_of};
use crate::engine::nodes::outbox;
use crate::engine::nodes::outbox::{LARGEST_IN_MESSAGE, Refused};
use crate::engine::nodes::work::NodeWork;
use crate::engine::state::context::Context;
use crate::engine::state::elsewhere::{BorrowedBlock, LentBlock};
use crate::engine::state::fatal::fatal;
use crate::link::block::BlockBytes;
use crate::memory;
use crate::memory::divided;
use crate::object::data_block::{BlockState, DataBlock, Mark, Memory};
use crate::object::edt::{Edt, EdtRef, Mode, NO_SLOT};
use crate::object::guid::Guid;
use crate::object::name::{BlockName, EdtName};
use crate::protocol::borrower::{Came, Needed, Recalled, Want};
use crate::protocol::owner::{Lent, Loan, LoanHold};
use crate::status::Status;
use crate::trace;
use ocr_place::place::Place;
use std::ptr;

/// What comes of an EDT that needs a block which was not here.
pub(crate) enum Wanted {
    /// It waits, and is not the caller's any more.
    Waits,
    /// The block has come meanwhile.
    IsHere,
    /// No other node can have the block.
    Gone,
}

/// Sends the content of a block that stays as it is until another node gives it back. The block has host memory.
fn send_content_of(to: u32, block: &DataBlock, reads: bool) {
    let content = content_of(block);
    if content.len() <= LARGEST_IN_MESSAGE {
        return send_small(to, (block.guid(), reads), content);
    }
    // SAFETY: a stand-in holds the block in EW or CONST mode until the other node has given it back, which is when all
    // of it has been read: so nobody writes to it. A block that is held is not freed, and the end of the run waits.
    let bytes = unsafe { BlockBytes::of_block(content.as_ptr().cast_mut(), content.len()) };
    outbox::post_content(to, block.guid(), reads, bytes);
}

/// Sends the content of a small block, with the message that announces it.
pub(super) fn send_small(to: u32, (block, reads): (Guid, bool), content: &[u8]) {
    let (size, bytes) = (content.len() as u64, Some(content.to_vec()));
    outbox::post(to, NodeWork::Content { block, size, reads, bytes });
}

/// Waits until calls that this thread's EDT has sent are confirmed. The program got no error from one that its owner
/// has refused: it gets a warning, and the message about a hang names the call. An EDT for which a node has no memory
/// ends the program, since others may count on it.
#[cold]
pub(crate) fn confirm_calls() {
    for Refused { owner, called, status } in outbox::confirm() {
        let Some(context) = Context::get() else { continue };
        // SAFETY: `get` has answered with the context of this thread, which is valid. No other reference to it is in
        // use: the thread is before the body of a call, or behind the function of its EDT.
        let context = unsafe { &*context };
        let status = Status::from_number(status as u8);
        let creates = [Api::ocrEdtCreate, Api::ocrAddDependenceByValue].map(Api::shown).contains(&called);
        if creates && status == Status::ENOMEM {
            let here = context.runtime.objects.zone.node();
            fatal(&format!(
                "node {owner} has no memory for what {called} of node {here} makes there, in {}. Let fewer objects be alive \
                 at a time, or start more nodes.",
                context.who()
            ));
        }
        let code = code_of_misuse(status).map_or_else(|| format!("status {}", status.number()), str::to_owned);
        let describe =
            || format!("{called} about an object of node {owner} failed there with {code}, in {}", context.who());
        warning!("{}. The call had returned 0: calls for other nodes are sent, and the program goes on.", describe());
        context.runtime.registry.refusals.add(describe);
    }
}

impl Context {
    /// An EDT needs a block that is not here: if another node has it, the EDT waits until that node has sent it. Where
    /// the program ends, and no block comes any more, the EDT is left.
    #[cold]
    pub(crate) fn want_block(&mut self, edt: &'static Edt, block: Guid) -> Wanted {
        let blocks = &self.runtime.objects.data_blocks;
        if !blocks.is_foreign(block) {
            return Wanted::Gone;
        }
        if !outbox::is_open() {
            return if outbox::is_over() { Wanted::Waits } else { Wanted::Gone };
        }
        let writes = edt.slots()[edt.cursor.get() as usize].info().mode.writes();
        let mut elsewhere = self.runtime.elsewhere.lock();
        // What has come is published under this lock.
        let waits = |borrowed: &mut BorrowedBlock| borrowed.need(EdtRef::new(edt), writes);
        let Needed::Waits(want) = elsewhere.change_borrowed(block, waits) else { return Wanted::IsHere };
        if trace::is_on() {
            trace::events::fetch(edt.own_guid().bits(), 0, block.bits());
        }
        // From here on, another thread may have the EDT.
        drop(elsewhere);
        self.ask_for(block, want);
        Wanted::Waits
    }

    /// At the borrower: asks the owner of a block for it, if it is to be asked.
    fn ask_for(&self, block: Guid, want: Option<Want>) {
        if let Some(Want { reads }) = want {
            outbox::post(self.runtime.objects.zone.owner_of(block), NodeWork::Want { block, reads });
        }
    }

    /// Asks for a block that an EDT of this node will acquire when it has others, if another node has it: so several
    /// come at a time. Where it goes back before the EDT comes to it, the EDT asks again.
    pub(super) fn ask_ahead(&mut self, block: Guid, reads: bool) {
        let blocks = &self.runtime.objects.data_blocks;
        if !blocks.is_foreign(block) {
            return self.recall_for(block, reads);
        }
        let want = self.runtime.elsewhere.lock().change_borrowed(block, |borrowed| borrowed.need_soon(!reads));
        self.ask_for(block, want);
    }

    /// At the owner: another node needs a block, to read it or to write it.
    pub(crate) fn block_is_wanted(&mut self, by: u32, block: Guid, reads: bool) {
        if !reads {
            self.refuse_to_lend(by, block);
        }
        let mode = match LoanHold::of(reads) {
            LoanHold::ToRead => Mode::Const,
            LoanHold::Alone => Mode::Ew,
        };
        let lent = self.stand_in(StandIn::Borrower { node: by, reads }, (block, 0), mode);
        if lent.is_err() {
            outbox::post(by, NodeWork::NoBlock(block));
        }
        self.work_off();
    }

    /// At the owner: ends the program where another node is to write a chunk of a file. What the file gets at the end
    /// of the program is the content here.
    fn refuse_to_lend(&self, by: u32, guid: Guid) {
        let blocks = &self.runtime.objects.data_blocks;
        let Some((block, locked)) = blocks.lock(guid) else { return };
        if !block.has(Mark::Chunk) {
            return;
        }
        drop(locked);
        fatal(&format!(
            "an EDT on node {by} needs {} to write it, which is a chunk of a file. On several nodes that is for EDTs of the \
             node that has it. If it only reads, let ocrAddDependence say so (DB_MODE_RO or DB_MODE_CONST; depv of \
             ocrEdtCreate means DB_MODE_RW). Or name that node by a hint of affinity (OCR_HINT_EDT_AFFINITY), give the EDT \
             a block with a copy of the content, or run the program on one node.",
            BlockName(guid)
        ));
    }

    /// At the owner: a stand-in has the block that a node needs, or no block if that is gone.
    pub(super) fn lend(&mut self, edt: &'static Edt, to: u32, reads: bool) {
        let guid = edt.slots()[0].data();
        if edt.first.get() == NO_SLOT {
            outbox::post(to, NodeWork::NoBlock(guid));
            self.runtime.objects.edts.free(&mut self.caches.edts, edt);
            return;
        }
        let block = self.runtime.objects.data_blocks.pinned(guid);
        if self.begin_loan(guid, Some(EdtRef::new(edt)), to, reads) == Lent::HasOne {
            // The content has gone along with an EDT, and comes to those that wait for it there.
            self.runtime.objects.edts.free(&mut self.caches.edts, edt);
            return self.end_hold_to_read(block);
        }
        self.open_pages(guid);
        send_content_of(to, block, reads);
        self.is_lent(block, to);
    }

    /// At the owner: notes that another node is to have a block, which is held for it. It is not asked back before
    /// [`Context::is_lent`].
    pub(crate) fn begin_loan(&self, block: Guid, edt: Option<EdtRef>, to: u32, reads: bool) -> Lent {
        self.runtime.elsewhere.lock().lent.entry(block).or_default().lend(to, reads, edt)
    }

    /// At the owner: gives a block back that a copy to read was to be made of.
    pub(super) fn end_hold_to_read(&mut self, block: &'static DataBlock) {
        let left = memory::release_unused(block, Mode::Const, &mut self.steps.granted);
        self.dispose_if(block, left);
    }

    /// At the owner: another node gets a block, or has it from its creation on. It is asked back at once if somebody
    /// waits for it already.
    pub(crate) fn is_lent(&mut self, block: &DataBlock, to: u32) {
        let guid = block.guid();
        if let Some(lent) = self.runtime.elsewhere.lock().lent.get_mut(&guid) {
            lent.sent(to);
        }
        let is_waited_for = {
            let locked = block.header.lock_pinned();
            block.has(Mark::WaitedFor) || block.is_destroyed(&locked)
        };
        if is_waited_for {
            self.recall(guid);
        }
    }

    /// In strict mode no EDT can touch a block that was released: its pages are closed, and MPI could not read them,
    /// nor write to them. A stand-in holds the block, so they stay open.
    fn open_pages(&self, block: Guid) {
        if let Some(check) = &self.runtime.check {
            check.contents.closed.open(block);
        }
    }

    /// At the owner: asks for a block back, if other nodes have it and were not asked.
    #[cold]
    pub(crate) fn recall(&mut self, block: Guid) {
        self.recall_for(block, false);
    }

    /// Does so, but leaves copies to read to who reads it, too.
    fn recall_for(&self, block: Guid, reads: bool) {
        if !outbox::is_open() {
            return;
        }
        let recalled = self.runtime.elsewhere.lock().lent.get_mut(&block).map(|lent| lent.recall(reads));
        recalled.into_iter().flatten().for_each(|to| outbox::post(to, NodeWork::Recall(block)));
    }

    /// At the borrower: the owner wants a block back.
    pub(crate) fn block_is_recalled(&mut self, by: u32, block: Guid) {
        match self.runtime.elsewhere.lock().change_borrowed(block, |borrowed| borrowed.recall()) {
            Recalled::Joins => {}
            Recalled::Later => return,
        }
        self.stand_in_for_owner(by, block);
    }

    /// At the borrower: a stand-in for the owner joins the queue of a copy.
    fn stand_in_for_owner(&mut self, owner: u32, block: Guid) {
        // A block of another node is not looked for before the stand-in acquires it.
        let _ = self.stand_in(StandIn::Owner(owner), (block, 0), Mode::Ew);
        self.work_off();
    }

    /// At the borrower: a stand-in has the copy, which goes back.
    pub(super) fn send_back(&mut self, edt: &'static Edt) {
        let guid = edt.slots()[0].data();
        if edt.first.get() == NO_SLOT {
            fatal(&format!("{} was asked back by its node, and is not here.", BlockName(guid)));
        }
        let block = self.runtime.objects.data_blocks.pinned(guid);
        self.runtime.elsewhere.lock().change_borrowed(guid, |borrowed| borrowed.leaves());
        let waiting = {
            let mut locked = block.header.lock_pinned();
            locked.word = locked.word.with_state(BlockState::Destroyed).with_count(0);
            memory::take_queue(block, &locked)
        };
        let left = memory::release(block, Mode::Ew, Place::HOST, &mut self.steps.granted);
        self.runtime.objects.edts.free(&mut self.caches.edts, edt);
        // EDTs in mode RO may hold it yet; then the last of them has it disposed of.
        self.dispose_if(block, left);
        for edt in waiting {
            self.acquire_rest(edt.get());
        }
    }

    /// A copy of another node's block is gone from this node: its content goes back, if it was here to be written.
    #[cold]
    pub(super) fn copy_is_gone(&mut self, block: Guid, content: Option<Memory>) {
        let owner = self.runtime.objects.zone.owner_of(block);
        match content {
            None => outbox::post(owner, NodeWork::Left(block)),
            Some(content) if content.len > LARGEST_IN_MESSAGE => {
                let bytes = BlockBytes::of_owner(content.start, content.len, Box::new(content));
                outbox::post_content(owner, block, false, bytes);
            }
            Some(content) => {
                // SAFETY: the memory has so many bytes, and nobody else has it.
                let bytes = unsafe { std::slice::from_raw_parts(content.start, content.len) };
                send_small(owner, (block, false), bytes);
            }
        }
        let want = self.runtime.elsewhere.lock().change_borrowed(block, |borrowed| borrowed.told());
        self.ask_for(block, want);
    }

    /// The content of a block has come, from its owner or back from the borrower. Without bytes it is in its place.
    pub(crate) fn content_comes(&mut self, guid: Guid, reads: bool, bytes: Option<&[u8]>) {
        if let Some(bytes) = bytes {
            let place = self.place_of(guid, bytes.len() as u64, reads);
            // SAFETY: the place has as many bytes. No other thread writes to it, and EDTs in mode RO alone may read it:
            // these may see it change.
            unsafe { place.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        }
        if self.runtime.objects.data_blocks.is_foreign(guid) {
            self.copy_is_here(guid);
        } else {
            self.block_is_back(guid);
        }
        self.work_off();
    }

    /// Where the link is to bring the content of a block, of so many bytes.
    pub(crate) fn place_for(&mut self, guid: Guid, size: u64, reads: bool) -> BlockBytes {
        let place = self.place_of(guid, size, reads);
        // SAFETY: the place has as many bytes. No other thread writes to it before the content is there, nor reads it
        // but EDTs in mode RO, which may see the content change. A copy that is arriving and a block that is lent stay,
        // and the end of the run waits.
        unsafe { BlockBytes::of_block(place, size as usize) }
    }

    /// At the borrower: a block was created for a call of this node, which gets it ([`Context::hold_created`]).
    pub(crate) fn begin_created(&mut self, guid: Guid, size: u64) {
        let _ = self.place_of(guid, size, false);
    }

    /// At the borrower: the caller, for which a block was created on another node, has it as the creator of a block of
    /// this node does. Its address; null where there is no memory for it, and the program ends.
    pub(crate) fn hold_created(&mut self, guid: Guid) -> *mut u8 {
        let mut elsewhere = self.runtime.elsewhere.lock();
        let Some(came) = elsewhere.change_borrowed(guid, |borrowed| borrowed.comes_to_creator()) else {
            return ptr::null_mut();
        };
        self.hold_new(came.copy);
        drop(elsewhere);
        if came.is_recalled {
            self.stand_in_for_owner(self.runtime.objects.zone.owner_of(guid), guid);
        }
        came.copy.host_ptr()
    }

    /// The memory of a block whose content comes, and has so many bytes: that of a copy that no EDT knows yet, or of a
    /// block that a stand-in holds in EW mode.
    fn place_of(&mut self, guid: Guid, size: u64, reads: bool) -> *mut u8 {
        let blocks = &self.runtime.objects.data_blocks;
        let block = if blocks.is_foreign(guid) {
            let Some(block) = blocks.adopt(guid, size, reads) else {
                fatal(&format!("{} is needed here, and there is no memory for its {size} bytes.", BlockName(guid)));
            };
            self.runtime.elsewhere.lock().change_borrowed(guid, |borrowed| borrowed.arrives(block, reads));
            block
        } else {
            blocks.pinned(guid)
        };
        if block.size() != size {
            fatal(&format!("{} comes back with {size} bytes, and has {}.", BlockName(guid), block.size()));
        }
        // A copy was made with memory, and a block that was lent has it since then.
        block.host_ptr()
    }

    /// At the borrower: the EDTs that have waited for a block acquire it.
    fn copy_is_here(&mut self, guid: Guid) {
        let (waiting, is_recalled) = {
            let mut elsewhere = self.runtime.elsewhere.lock();
            let came = elsewhere.change_borrowed(guid, |borrowed| borrowed.comes());
            let Some(Came { copy, reads, waiting, is_recalled }) = came else { return };
            let state = if reads { BlockState::ReadCopy } else { BlockState::Live };
            copy.header.publish(copy.header.peek().with_state(state));
            (waiting, is_recalled)
        };
        for edt in waiting {
            if trace::is_on() {
                trace::events::fetched(edt.get().own_guid().bits());
            }
            self.acquire_rest(edt.get());
        }
        if is_recalled {
            self.stand_in_for_owner(self.runtime.objects.zone.owner_of(guid), guid);
        }
    }

    /// At the borrower: the owner has no such block.
    pub(crate) fn no_block_comes(&mut self, guid: Guid) {
        let waiting = self.runtime.elsewhere.lock().change_borrowed(guid, |borrowed| borrowed.does_not_exist());
        for edt in waiting {
            let edt = edt.get();
            if edt.flags.get().is_waiter() {
                edt.first.set(NO_SLOT);
                self.wake(edt);
                continue;
            }
            fatal(&format!(
                "{} cannot acquire {} of another node: the block was destroyed before the EDT could run. Destroy a block \
                 when the EDTs that use it have ended (OCR 1.1.0, 2.5.2).",
                EdtName::of(edt),
                BlockName(guid)
            ));
        }
        self.work_off();
    }

    /// At the owner: a block that another node had to write it is here again.
    fn block_is_back(&mut self, guid: Guid) {
        let _ = self.end_loan(guid, |lent| lent.comes_back());
    }

    /// At the owner: another node had a block to read it, and has it no more.
    pub(crate) fn reader_has_left(&mut self, node: u32, guid: Guid) {
        if !self.end_loan(guid, |lent| lent.left(node)) {
            fatal(&format!(
                "node {node} gives {} back, which it was not lent. That is an error of the runtime: please report it.",
                BlockName(guid)
            ));
        }
        self.work_off();
    }

    /// Ends a loan of a block, gives it back, and frees the stand-in that has held it. False if there is no such loan.
    fn end_loan(&mut self, guid: Guid, end: impl FnOnce(&mut LentBlock) -> Option<Loan<EdtRef>>) -> bool {
        let block = self.runtime.objects.data_blocks.pinned(guid);
        let Some(Loan { reads, stand_in, .. }) = self.runtime.elsewhere.lock().end_loan(guid, end) else {
            return false;
        };
        if stand_in.is_none() && !reads {
            // Its creator has written it.
            let locked = block.header.lock_pinned();
            if block.has(Mark::WrittenOnce) {
                block.mark(&locked, Mark::Written);
            }
        }
        let granted = &mut self.steps.granted;
        let left = match LoanHold::of(reads) {
            LoanHold::ToRead => memory::release_unused(block, Mode::Const, granted),
            LoanHold::Alone => divided::unite(block, granted),
        };
        self.dispose_if(block, left);
        if let Some(edt) = stand_in {
            self.runtime.objects.edts.free(&mut self.caches.edts, edt.get());
        }
        true
    }
}
