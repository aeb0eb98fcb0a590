//! Blocks that go from one node to another and back, and calls that other nodes confirm.
//!
//! A block belongs to the node that has created it, its *owner*. When an EDT of another node acquires it, that node,
//! the *borrower*, gets a copy under the block's own GUID: an ordinary block, in whose queue the EDTs of that node
//! wait. The copy stays where it is until another node needs the block in a way that does not go with it.
//!
//! - A copy *to write* is the only one. An EDT of the runtime's holds the block at the owner meanwhile, as one that
//!   divides it does ([`super::stand_in`], `memory/divided.rs`): no other EDT gets it, in whatever mode.
//! - Copies *to read* may be on several nodes, and EDTs of the owner read the block, too: for each copy, an EDT of the
//!   runtime's holds it there in CONST mode. EDTs of the borrower get its copy in the modes RO and CONST alone.
//!
//! ```text
//! borrower                                             owner
//! an EDT finds no block ------- Want ----------------> a stand-in waits in the block's queue
//! the copy is published, EDTs  <----- Content -------- it has the block, and sends the content
//!   acquire it in any number
//! a stand-in waits behind them <----- Recall --------- another EDT, or a stand-in, waits in the block's queue
//! it has the copy, which goes -- Content or Left ----> the content is written, the stand-in gives the block back
//! EDTs that came later ------- Want -----------------> ...
//! ```
//!
//! | of a block, at the borrower | an EDT acquires it | Content | Recall | the stand-in has it |
//! |---|---|---|---|---|
//! | away | Want; wanted | - | - | - |
//! | wanted | it waits with the others, of which there may be none yet | arriving, or here if it has the bytes | - | - |
//! | arriving | it waits with the others | here when the bytes are: all that wait acquire it | remembered | - |
//! | here, to write | as any block | - | leaving: a stand-in joins the queue | - |
//! | here, to read | as any block; one that writes: Want, wanted as well | - | leaving | - |
//! | leaving | as any block, behind the stand-in | - | - | away: Content or Left goes back, and EDTs in the queue acquire anew |
//!
//! | of a block, at the owner | Want | an EDT joins the queue | Content, Left |
//! |---|---|---|---|
//! | here | a stand-in joins the queue | - | - |
//! | lent, to one to write or several to read | a stand-in joins the queue, or reads with the others | recalled: Recall, once to each | - |
//! | recalled | a stand-in joins the queue | - | here, when it is the last |
//!
//! A node that has a copy to read and wants to write asks for the block like any other. Its own copy is recalled with
//! those of others before it gets the block.
//!
//! A copy to read may come unasked, with an EDT ([`super::along`]). Then a Want that was on its way finds that the node
//! has a copy, and is not answered: the EDTs that have waited there have acquired that copy. One that writes goes on
//! waiting for what it has asked for.
//!
//! An EDT that becomes runnable has its node ask for all its blocks that are not there, before it acquires the first.
//!
//! *No deadlock*: EDTs of all nodes acquire blocks in one order, that of levels and GUIDs (`memory/mod.rs`), and a
//! stand-in acquires one block. A borrower gives a copy back when the EDTs that stand before the stand-in have ended,
//! and those wait for blocks behind it alone. *No recall is lost*: the lender is noted before it looks whether an EDT
//! waits, and an EDT that has joined the queue looks whether there is a lender. Both look under the lock of the table.
//! *Nothing is overtaken*: messages of two nodes arrive in order, so a Want that follows a Content comes behind it. A
//! large content comes later than the message that announces it. A Recall is remembered until then, and a Want waits in
//! the block's queue as before.

use crate::abi::Api;
use crate::check::calls::code_of_misuse;
use crate::engine::life::stand_in::{StandIn, content_of};
use crate::engine::nodes::outbox;
use crate::engine::nodes::outbox::{LARGEST_IN_MESSAGE, Refused};
use crate::engine::nodes::work::NodeWork;
use crate::engine::state::context::Context;
use crate::engine::state::elsewhere::{ArrivingBlock, BlocksElsewhere, LentBlock};
use crate::engine::state::fatal::fatal;
use crate::link::block::BlockBytes;
use crate::memory;
use crate::memory::divided;
use crate::object::data_block::{BlockState, DataBlock, Mark, Memory};
use crate::object::edt::{Edt, EdtRef, Mode, NO_SLOT};
use crate::object::guid::Guid;
use crate::object::name::{BlockName, EdtName};
use crate::status::Status;
use crate::trace;
use ocr_base::lock::{MutexGuard, rank};
use ocr_place::place::Place;
use std::collections::hash_map::Entry;
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
        if !elsewhere.wanted.contains_key(&block) && blocks.is_here(block, !writes) {
            return Wanted::IsHere;
        }
        let wanted = elsewhere.wanted.entry(block).or_default();
        wanted.edts.push(EdtRef::new(edt));
        wanted.writes |= writes;
        if trace::is_on() {
            trace::events::fetch(edt.own_guid().bits(), 0, block.bits());
        }
        self.ask_for(elsewhere, block);
        Wanted::Waits
    }

    /// At the borrower: asks the owner of a block for it, if it is wanted here and that was not done. A copy that is
    /// leaving goes first: until the owner knows that this node has it no more, it would have two.
    fn ask_for(&self, mut elsewhere: MutexGuard<'_, rank::BlocksElsewhere, BlocksElsewhere>, block: Guid) {
        let is_leaving = elsewhere.leaving.contains_key(&block);
        let Some(wanted) = elsewhere.wanted.get_mut(&block).filter(|wanted| !wanted.is_asked && !is_leaving) else {
            return;
        };
        wanted.is_asked = true;
        wanted.is_asked_to_write = wanted.writes;
        let reads = !wanted.writes;
        drop(elsewhere);
        outbox::post(self.runtime.objects.zone.owner_of(block), NodeWork::Want { block, reads });
    }

    /// Asks for a block that an EDT of this node will acquire when it has others, if another node has it: so several
    /// come at a time. Where it goes back before the EDT comes to it, the EDT asks again.
    pub(super) fn ask_ahead(&mut self, block: Guid, reads: bool) {
        let blocks = &self.runtime.objects.data_blocks;
        if !blocks.is_foreign(block) {
            return self.recall_from(block, |lent| !(reads && lent.reads));
        }
        let mut elsewhere = self.runtime.elsewhere.lock();
        // What has come is published under this lock.
        if !elsewhere.wanted.contains_key(&block) && !blocks.is_here(block, reads) {
            elsewhere.wanted.entry(block).or_default().writes = !reads;
            self.ask_for(elsewhere, block);
        }
    }

    /// At the owner: another node needs a block, to read it or to write it.
    pub(crate) fn block_is_wanted(&mut self, by: u32, block: Guid, reads: bool) {
        if !reads {
            self.refuse_to_lend(by, block);
        }
        let mode = if reads { Mode::Const } else { Mode::Ew };
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
        if !self.begin_loan(guid, Some(EdtRef::new(edt)), to, reads) {
            // The content has gone along with an EDT, and comes to those that wait for it there.
            self.runtime.objects.edts.free(&mut self.caches.edts, edt);
            return self.end_hold_to_read(block);
        }
        self.open_pages(guid);
        send_content_of(to, block, reads);
        self.is_lent(block, to);
    }

    /// At the owner: notes that another node is to have a block, which is not asked back before [`Context::is_lent`]:
    /// a Recall must not come before the content. False if the node has a copy to read, or one is on its way.
    pub(crate) fn begin_loan(&self, block: Guid, edt: Option<EdtRef>, to: u32, reads: bool) -> bool {
        let mut elsewhere = self.runtime.elsewhere.lock();
        let lent = elsewhere.lent.entry(block).or_default();
        let is_new = !lent.iter().any(|other| other.to == to);
        if is_new {
            lent.push(LentBlock { edt, to, reads, is_recalled: true });
        }
        is_new
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
            lent.iter_mut().filter(|lent| lent.to == to).for_each(|lent| lent.is_recalled = false);
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
        self.recall_from(block, |_| true);
    }

    /// Does so for the loans that are chosen.
    fn recall_from(&self, block: Guid, is_chosen: impl Fn(&LentBlock) -> bool) {
        if !outbox::is_open() {
            return;
        }
        let mut recalled = Vec::new();
        if let Some(lent) = self.runtime.elsewhere.lock().lent.get_mut(&block) {
            for lent in lent.iter_mut().filter(|lent| !lent.is_recalled && is_chosen(lent)) {
                lent.is_recalled = true;
                recalled.push(lent.to);
            }
        }
        recalled.into_iter().for_each(|to| outbox::post(to, NodeWork::Recall(block)));
    }

    /// At the borrower: the owner wants a block back.
    pub(crate) fn block_is_recalled(&mut self, by: u32, block: Guid) {
        if let Some(arriving) = self.runtime.elsewhere.lock().arriving.get_mut(&block) {
            // Those that wait for it get it first.
            arriving.is_recalled = true;
            return;
        }
        // A block of another node is not looked for before the stand-in acquires it.
        let _ = self.stand_in(StandIn::Owner(by), (block, 0), Mode::Ew);
        self.work_off();
    }

    /// At the borrower: a stand-in has the copy, which goes back.
    pub(super) fn send_back(&mut self, edt: &'static Edt) {
        let guid = edt.slots()[0].data();
        if edt.first.get() == NO_SLOT {
            fatal(&format!("{} was asked back by its node, and is not here.", BlockName(guid)));
        }
        let block = self.runtime.objects.data_blocks.pinned(guid);
        *self.runtime.elsewhere.lock().leaving.entry(guid).or_default() += 1;
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
        let mut elsewhere = self.runtime.elsewhere.lock();
        if let Entry::Occupied(mut copies) = elsewhere.leaving.entry(block) {
            *copies.get_mut() -= 1;
            if *copies.get() == 0 {
                copies.remove();
            }
        }
        self.ask_for(elsewhere, block);
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
        let (block, is_recalled) = {
            let mut elsewhere = self.runtime.elsewhere.lock();
            let Some(ArrivingBlock { block, is_recalled, .. }) = elsewhere.arriving.remove(&guid) else {
                return ptr::null_mut();
            };
            self.hold_new(block);
            (block, is_recalled)
        };
        if is_recalled {
            self.block_is_recalled(self.runtime.objects.zone.owner_of(guid), guid);
        }
        block.host_ptr()
    }

    /// The memory of a block whose content comes, and has so many bytes: that of a copy that no EDT knows yet, or of a
    /// block that a stand-in holds in EW mode.
    fn place_of(&mut self, guid: Guid, size: u64, reads: bool) -> *mut u8 {
        let blocks = &self.runtime.objects.data_blocks;
        let block = if blocks.is_foreign(guid) {
            let Some(block) = blocks.adopt(guid, size, reads) else {
                fatal(&format!("{} is needed here, and there is no memory for its {size} bytes.", BlockName(guid)));
            };
            let arriving = ArrivingBlock { block, reads, is_recalled: false };
            self.runtime.elsewhere.lock().arriving.insert(guid, arriving);
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
            let Some(ArrivingBlock { block, reads, is_recalled }) = elsewhere.arriving.remove(&guid) else { return };
            let state = if reads { BlockState::ReadCopy } else { BlockState::Live };
            block.header.publish(block.header.peek().with_state(state));
            // A copy to read that nobody has asked for does not answer who has asked to write.
            let is_answer = !reads || elsewhere.wanted.get(&guid).is_some_and(|wanted| !wanted.is_asked_to_write);
            let wanted = if is_answer { elsewhere.wanted.remove(&guid) } else { None };
            (wanted.unwrap_or_default().edts, is_recalled)
        };
        for edt in waiting {
            if trace::is_on() {
                trace::events::fetched(edt.get().own_guid().bits());
            }
            self.acquire_rest(edt.get());
        }
        if is_recalled {
            self.block_is_recalled(self.runtime.objects.zone.owner_of(guid), guid);
        }
    }

    /// At the borrower: the owner has no such block.
    pub(crate) fn no_block_comes(&mut self, guid: Guid) {
        let waiting = self.runtime.elsewhere.lock().wanted.remove(&guid).unwrap_or_default().edts;
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
        let _ = self.end_loan(guid, |lent| !lent.reads, divided::unite);
    }

    /// At the owner: another node had a block to read it, and has it no more.
    pub(crate) fn reader_has_left(&mut self, node: u32, guid: Guid) {
        let is_its = |lent: &LentBlock| lent.reads && lent.to == node;
        let has_left =
            self.end_loan(guid, is_its, |block, granted| memory::release_unused(block, Mode::Const, granted));
        if !has_left {
            fatal(&format!(
                "node {node} gives {} back, which it was not lent. That is an error of the runtime: please report it.",
                BlockName(guid)
            ));
        }
        self.work_off();
    }

    /// Ends a loan of a block: `give_back` gives it back for the stand-in, which goes. False if there is none.
    fn end_loan(
        &mut self,
        guid: Guid,
        is_it: impl Fn(&LentBlock) -> bool,
        give_back: impl FnOnce(&DataBlock, &mut Vec<EdtRef>) -> memory::Left,
    ) -> bool {
        let block = self.runtime.objects.data_blocks.pinned(guid);
        let ended = {
            let mut elsewhere = self.runtime.elsewhere.lock();
            let Entry::Occupied(mut lent) = elsewhere.lent.entry(guid) else { return false };
            let Some(at) = lent.get().iter().position(is_it) else { return false };
            let ended = lent.get_mut().swap_remove(at);
            if lent.get().is_empty() {
                lent.remove();
            }
            ended
        };
        if ended.edt.is_none() && !ended.reads {
            // Its creator has written it.
            let locked = block.header.lock_pinned();
            if block.has(Mark::WrittenOnce) {
                block.mark(&locked, Mark::Written);
            }
        }
        let left = give_back(block, &mut self.steps.granted);
        self.dispose_if(block, left);
        if let Some(edt) = ended.edt {
            self.runtime.objects.edts.free(&mut self.caches.edts, edt.get());
        }
        true
    }
}
