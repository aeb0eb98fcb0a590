//! Blocks that go from one node to another and back, and calls that other nodes confirm.
//!
//! A block belongs to the node that has created it, its *owner*. When an EDT of another node acquires it, that node,
//! the *borrower*, gets a copy under the block's own GUID: an ordinary block, in whose queue the EDTs of that node
//! wait. While the borrower has it, an EDT of the runtime's holds the block at the owner, as one that divides it does
//! ([`super::stand_in`], `memory/divided.rs`): no other EDT gets it, in whatever mode. So one node at a time uses a
//! block, and the copy stays where it is until another node needs it.
//!
//! ```text
//! borrower                                             owner
//! an EDT finds no block ------- Want ----------------> a stand-in waits in the block's queue
//! the copy is published, EDTs  <----- Content -------- it has the block, and sends the content
//!   acquire it in any number
//! a stand-in waits behind them <----- Recall --------- another EDT, or a stand-in, waits in the block's queue
//! it has the copy, which goes -------- Content ------> the content is written, the stand-in gives the block back
//! EDTs that came later ------- Want -----------------> ...
//! ```
//!
//! | of a block, at the borrower | an EDT acquires it | Content | Recall | the stand-in has it |
//! |---|---|---|---|---|
//! | away | Want; wanted | - | - | - |
//! | wanted | it waits with the others, of which there may be none yet | arriving, or here if it has the bytes | - | - |
//! | arriving | it waits with the others | here when the bytes are: all that wait acquire it | remembered | - |
//! | here | as any block | - | leaving: a stand-in joins the queue | - |
//! | leaving | as any block, behind the stand-in | - | - | away: Content goes back, and EDTs in the queue acquire anew |
//!
//! | of a block, at the owner | Want | an EDT joins the queue | Content |
//! |---|---|---|---|
//! | here | a stand-in joins the queue | - | - |
//! | lent | a stand-in joins the queue | recalled: Recall, once | - |
//! | recalled | a stand-in joins the queue | - | here |
//!
//! An EDT that becomes runnable has its node ask for all its blocks that are not there, before it acquires the first.
//!
//! *No deadlock*: EDTs of all nodes acquire blocks in the order of GUIDs, and a stand-in acquires one block. A borrower
//! gives a copy back when the EDTs that stand before the stand-in have ended, and those wait for greater GUIDs alone.
//! *No recall is lost*: the lender is noted before it looks whether an EDT waits, and an EDT that has joined the queue
//! looks whether there is a lender. Both look under the lock of the table. *Nothing is overtaken*: messages of two
//! nodes arrive in order, so a Want that follows a Content comes behind it. A large content comes later than the
//! message that announces it. A Recall is remembered until then, and a Want waits in the block's queue as before.

use crate::abi::Api;
use crate::check::calls::code_of_misuse;
use crate::engine::life::stand_in::StandIn;
use crate::engine::nodes::outbox;
use crate::engine::nodes::outbox::Refused;
use crate::engine::nodes::work::NodeWork;
use crate::engine::state::context::Context;
use crate::engine::state::elsewhere::{ArrivingBlock, LentBlock};
use crate::engine::state::fatal::fatal;
use crate::link::block::BlockBytes;
use crate::memory;
use crate::memory::divided;
use crate::object::data_block::{BlockState, DataBlock, Mark};
use crate::object::edt::{Edt, EdtRef, Mode, NO_SLOT};
use crate::object::guid::Guid;
use crate::object::name::{BlockName, EdtName};
use crate::status::Status;
use ocr_place::place::Place;
use std::collections::hash_map::Entry;

/// What comes of an EDT that needs a block which was not here.
pub(crate) enum Wanted {
    /// It waits, and is not the caller's any more.
    Waits,
    /// The block has come meanwhile.
    IsHere,
    /// No other node can have the block.
    Gone,
}

/// A block of more bytes does not go with the message that announces it.
const LARGEST_IN_MESSAGE: usize = crate::link::LONGEST_MESSAGE / 2;

/// Sends the content of a block that stays as it is until another node sends it back. The block has host memory.
fn send_content_of(to: u32, block: &DataBlock) {
    let content = content_of(block);
    if content.len() <= LARGEST_IN_MESSAGE {
        return send_content(to, block.guid(), content.to_vec());
    }
    // SAFETY: a stand-in holds the block in EW mode until its content has come back, which is when all of it has been
    // read: so nobody writes to it. A block that is held is not freed, and the end of the run waits.
    let bytes = unsafe { BlockBytes::of_block(content.as_ptr().cast_mut(), content.len()) };
    outbox::post_content(to, block.guid(), bytes);
}

/// Sends the content of a block.
fn send_content(to: u32, block: Guid, content: Vec<u8>) {
    if content.len() > LARGEST_IN_MESSAGE {
        return outbox::post_content(to, block, content.into());
    }
    outbox::post(to, NodeWork::Content { block, size: content.len() as u64, bytes: Some(content) });
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
        if called == Api::ocrEdtCreate.shown() && status == Status::ENOMEM {
            let here = context.runtime.objects.zone.node();
            fatal(&format!(
                "node {owner} has no memory for an EDT that node {here} has created there, in {}. Let fewer objects be alive \
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
        let is_first = match self.runtime.elsewhere.lock().wanted.entry(block) {
            // What has come is published under this lock.
            Entry::Vacant(_) if blocks.exists(block) => return Wanted::IsHere,
            Entry::Vacant(none) => {
                none.insert(vec![EdtRef::new(edt)]);
                true
            }
            Entry::Occupied(mut waiting) => {
                waiting.get_mut().push(EdtRef::new(edt));
                false
            }
        };
        if is_first {
            outbox::post(self.runtime.objects.zone.owner_of(block), NodeWork::Want(block));
        }
        Wanted::Waits
    }

    /// Asks for a block that an EDT of this node will acquire when it has others, if another node has it: so several
    /// come at a time. Where it goes back before the EDT comes to it, the EDT asks again.
    pub(super) fn ask_ahead(&mut self, block: Guid) {
        let blocks = &self.runtime.objects.data_blocks;
        if !blocks.is_foreign(block) {
            return self.recall(block);
        }
        let is_first = {
            let mut elsewhere = self.runtime.elsewhere.lock();
            // What has come is published under this lock.
            let is_away = !elsewhere.wanted.contains_key(&block) && !blocks.exists(block);
            is_away && elsewhere.wanted.insert(block, Vec::new()).is_none()
        };
        if is_first {
            outbox::post(self.runtime.objects.zone.owner_of(block), NodeWork::Want(block));
        }
    }

    /// At the owner: another node needs a block.
    pub(crate) fn block_is_wanted(&mut self, by: u32, block: Guid) {
        self.refuse_to_lend(by, block);
        let lent = self.stand_in(StandIn::Borrower(by), (block, 0), Mode::Ew);
        if lent.is_err() {
            outbox::post(by, NodeWork::NoBlock(block));
        }
        self.work_off();
    }

    /// At the owner: ends the program where a block is wanted that stays on its node. What a file gets from a chunk is
    /// its content here. Parts are acquired in another order than that of their GUIDs, which other nodes do not know.
    fn refuse_to_lend(&self, by: u32, guid: Guid) {
        let blocks = &self.runtime.objects.data_blocks;
        let Some((block, locked)) = blocks.lock(guid) else { return };
        let what = match () {
            () if block.has(Mark::Chunk) => "a chunk of a file",
            () if block.has(Mark::Part) => "a part of a block",
            () => return,
        };
        drop(locked);
        fatal(&format!(
            "an EDT on node {by} needs {}, which is {what}. On several nodes that is for EDTs of the node that has it: name \
             that node by a hint of affinity (OCR_HINT_EDT_AFFINITY), give the EDT a block with a copy of the content, or \
             run the program on one node.",
            BlockName(guid)
        ));
    }

    /// At the owner: a stand-in has the block that a node needs, or no block if that is gone.
    pub(super) fn lend(&mut self, edt: &'static Edt, to: u32) {
        let guid = edt.slots()[0].data();
        if edt.first.get() == NO_SLOT {
            outbox::post(to, NodeWork::NoBlock(guid));
            self.runtime.objects.edts.free(&mut self.caches.edts, edt);
            return;
        }
        let block = self.runtime.objects.data_blocks.pinned(guid);
        self.open_pages(guid);
        let lent = LentBlock { edt: EdtRef::new(edt), to, is_recalled: false };
        // Before others can find that it is lent: a Recall must not come before it.
        send_content_of(to, block);
        self.runtime.elsewhere.lock().lent.insert(guid, lent);
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

    /// At the owner: asks for a block back, if another node has it and was not asked.
    #[cold]
    pub(crate) fn recall(&mut self, block: Guid) {
        if !outbox::is_open() {
            return;
        }
        let to = {
            let mut elsewhere = self.runtime.elsewhere.lock();
            let Some(lent) = elsewhere.lent.get_mut(&block) else { return };
            if std::mem::replace(&mut lent.is_recalled, true) {
                return;
            }
            lent.to
        };
        outbox::post(to, NodeWork::Recall(block));
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
        self.runtime.elsewhere.lock().returning.insert(guid, content_of(block).to_vec());
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

    /// A copy of another node's block is gone from this node: its content goes back.
    #[cold]
    pub(super) fn copy_is_gone(&mut self, block: Guid) {
        let content = self.runtime.elsewhere.lock().returning.remove(&block);
        let content = content.unwrap_or_default();
        send_content(self.runtime.objects.zone.owner_of(block), block, content);
    }

    /// The content of a block has come, from its owner or back from the borrower. Without bytes it is in its place.
    pub(crate) fn content_comes(&mut self, guid: Guid, bytes: Option<&[u8]>) {
        if let Some(bytes) = bytes {
            let place = self.place_of(guid, bytes.len() as u64);
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
    pub(crate) fn place_for(&mut self, guid: Guid, size: u64) -> BlockBytes {
        let place = self.place_of(guid, size);
        // SAFETY: the place has as many bytes. No other thread writes to it before the content is there, nor reads it
        // but EDTs in mode RO, which may see the content change. A copy that is arriving and a block that is lent stay,
        // and the end of the run waits.
        unsafe { BlockBytes::of_block(place, size as usize) }
    }

    /// The memory of a block whose content comes, and has so many bytes: that of a copy that no EDT knows yet, or of a
    /// block that a stand-in holds in EW mode.
    fn place_of(&mut self, guid: Guid, size: u64) -> *mut u8 {
        let blocks = &self.runtime.objects.data_blocks;
        let block = if blocks.is_foreign(guid) {
            let Some(block) = blocks.adopt(guid, size) else {
                fatal(&format!("{} is needed here, and there is no memory for its {size} bytes.", BlockName(guid)));
            };
            let arriving = ArrivingBlock { block, is_recalled: false };
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
            let Some(ArrivingBlock { block, is_recalled }) = elsewhere.arriving.remove(&guid) else { return };
            block.header.publish(block.header.peek().with_state(BlockState::Live));
            (elsewhere.wanted.remove(&guid).unwrap_or_default(), is_recalled)
        };
        for edt in waiting {
            self.acquire_rest(edt.get());
        }
        if is_recalled {
            self.block_is_recalled(self.runtime.objects.zone.owner_of(guid), guid);
        }
    }

    /// At the borrower: the owner has no such block.
    pub(crate) fn no_block_comes(&mut self, guid: Guid) {
        let waiting = self.runtime.elsewhere.lock().wanted.remove(&guid).unwrap_or_default();
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

    /// At the owner: a block that another node had is here again.
    fn block_is_back(&mut self, guid: Guid) {
        let block = self.runtime.objects.data_blocks.pinned(guid);
        let Some(lent) = self.runtime.elsewhere.lock().lent.remove(&guid) else { return };
        let left = divided::unite(block, &mut self.steps.granted);
        self.dispose_if(block, left);
        self.runtime.objects.edts.free(&mut self.caches.edts, lent.edt.get());
    }
}

/// The content of a block that the caller's stand-in holds in EW mode on the host.
fn content_of(block: &DataBlock) -> &[u8] {
    let size = block.size() as usize;
    let start = block.host_memory().unwrap_or_else(|_| {
        fatal(&format!("there is no memory for {} on the host.", BlockName(block.guid())));
    });
    // SAFETY: the memory has as many bytes as the block. No EDT but the stand-in holds the block for writing, and none
    // gets it before the stand-in gives it back, which is after the caller has copied them.
    unsafe { std::slice::from_raw_parts(start.as_ptr(), size) }
}
