//! Leases: how many EDTs use one block at the same time without all of them writing to it.
//!
//! A block that every EDT of a graph uses (its parameters, a table) would be a cache line that
//! every acquire and every release writes: on two cores that alone made EDTs seven times slower. So
//! a thread that gives a block back may keep the hold, as a *lease*, and use it for the next EDT.
//!
//! # Protocol
//!
//! `Holders` counts the EDTs that hold a block *and* the holds in leases; the lock of the block's
//! header guards it, as ever. A lease is a thread's own: a block, one mode of RO, CONST and RW, and a
//! number of holds, which may be 0.
//!
//! | step | counted in the block | in the lease |
//! |---|---|---|
//! | an EDT releases, many hold the block, the thread has no lease | - | 1, new |
//! | an EDT releases, with lease | - | +1; beyond 2 [`GRANT`], `GRANT` go back to the block |
//! | an EDT acquires, with holds in the lease | - | -1 |
//! | an EDT acquires, with an empty lease | +1 +`GRANT` | `GRANT` |
//! | the lease ends | -holds | gone |
//!
//! Between two EDTs the last hold of a lease may go to an EDT that another thread runs. Such an empty
//! lease promises nothing: taking more asks the block, under its lock, as any acquire does.
//!
//! A thread uses a lease only while the block is *plain* ([`DataBlock::is_plain`]): alive, no EDT
//! waits for it, no device has had it. Otherwise it ends the lease first. It reads that, and where the
//! content is, on a cache line that is seldom written.
//!
//! *An EDT that waits for the block does not wait for a lease.* A thread has a lease of a block only while it runs an
//! EDT that holds the block in that mode, or between two EDTs. The lease ends before the thread runs an EDT that does
//! not hold it so, and before it looks for work elsewhere. As long as the lease's EDT runs, the EDT that waits would
//! wait without the lease, too. No EDT passes one that waits, except where its thread has not seen the mark yet, which
//! the one that waits has put before it gave back the lock.
//!
//! *No EDT gets the block too early.* A hold in a lease is counted, so all that a mode excludes stays
//! out until the lease has ended; and ending it takes the lock, which orders what the EDTs of the
//! lease did before what the next holder does. EDTs that hold the block together are ordered by
//! events or not at all, with or without leases.
//!
//! *The thread that destroyed the block may not see the lease.* A block on a label has none. A thread that creates the
//! next block there comes behind all EDTs that had the first. It would find that still held, for as long as the thread
//! with the lease goes through what its last EDT led to.
//!
//! *Copies.* With the first hold that stays in an RW lease the host's copy is marked as written, and
//! as the only valid one. As long as the block is plain no other place gets a copy, so the mark
//! stays true whatever the EDTs of the lease write. An EDT that gives an RW hold to its lease has
//! written, then looks at the marks; a device marks the block, then copies. Each has a sequentially
//! consistent fence between the two ([`DataBlock::got_buffer`]), so either the EDT sees the mark, and
//! says in the usual way that it has written, or the device copies what it wrote (`loom_models/leases.rs`
//! explores this). The marks need no ordering for more: an EDT that is to see what a device did comes after it by an
//! event.

use super::access::leave_locked;
use super::holders::{admits, enter, sharing};
use super::queue::{Left, note_write};
use crate::object::data_block::DataBlock;
use crate::object::edt::{Edt, EdtRef, Mode};
use crate::object::guid::Guid;
use ocr_base::sync::preemption_point;
use ocr_base::sync::{Ordering, fence};
use ocr_place::place::Place;

/// The number of holders of one mode with which a thread that releases a block keeps its hold as a
/// lease. (`--cfg ocr_tiny` takes tests into the corners sooner.)
const MANY: u32 = if cfg!(ocr_tiny) { 2 } else { 16 };

/// How many holds an empty lease takes at once.
const GRANT: u32 = if cfg!(ocr_tiny) { 2 } else { 64 };

/// Leases of a thread at most: shared blocks of one EDT that are worth it.
const MOST: usize = 4;

struct Lease {
    guid: Guid,
    block: &'static DataBlock,
    mode: Mode,
    holds: u32,
}

/// The leases of a thread.
pub(crate) struct Leases {
    all: Vec<Lease>,
    /// The greatest number of leases.
    most: usize,
}

impl Default for Leases {
    fn default() -> Leases {
        Leases { all: Vec::new(), most: MOST }
    }
}

impl Leases {
    /// The leases of a thread that never has one: strict mode wants to know the holders of each block.
    pub(crate) fn never() -> Leases {
        Leases { all: Vec::new(), most: 0 }
    }

    /// Whether there is none, as is usual.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    fn find(&mut self, guid: Guid, mode: Mode) -> Option<usize> {
        self.all.iter().position(|lease| lease.guid == guid && lease.mode == mode)
    }

    /// Acquires a block for an EDT of the host, if there is a lease for it. False: it must be
    /// acquired in the usual way.
    pub(crate) fn acquire(&mut self, guid: Guid, mode: Mode) -> bool {
        let Some(at) = self.find(guid, mode) else {
            return false;
        };
        let lease = &mut self.all[at];
        if !lease.block.is_plain() {
            return false;
        }
        preemption_point(32);
        if lease.holds == 0 {
            return self.acquire_more(at);
        }
        lease.holds -= 1;
        true
    }

    /// Takes a hold of a lease that has none left, by acquiring more of them.
    #[cold]
    fn acquire_more(&mut self, at: usize) -> bool {
        let lease = &mut self.all[at];
        let more = acquire_more(lease.block, lease.guid, lease.mode, GRANT);
        if more {
            lease.holds = GRANT - 1;
        } else {
            // An EDT that has acquired the block in the usual way makes a new one.
            self.all.swap_remove(at);
        }
        more
    }

    /// Gives back a block that an EDT of the host held. EDTs that were waiting and have it now are
    /// added to `granted`.
    #[inline]
    pub(crate) fn release(
        &mut self,
        guid: Guid,
        block: &'static DataBlock,
        mode: Mode,
        granted: &mut Vec<EdtRef>,
    ) -> Left {
        if !self.all.is_empty()
            && let Some(at) = self.find(guid, mode)
        {
            return self.release_leased(at, granted);
        }
        let may_keep = self.all.len() < self.most;
        match release_or_keep(guid, block, mode, may_keep, granted) {
            LeaseKept::No(left) => left,
            LeaseKept::Yes => {
                self.all.push(Lease { guid, block, mode, holds: 1 });
                Left::Alive
            }
        }
    }

    fn release_leased(&mut self, at: usize, granted: &mut Vec<EdtRef>) -> Left {
        let lease = &mut self.all[at];
        lease.holds += 1;
        if lease.mode.writes() {
            // Pairs with the fence in `DataBlock::got_buffer`.
            fence(Ordering::SeqCst);
        }
        if !lease.block.is_plain() {
            let lease = self.all.swap_remove(at);
            return release_many(lease.block, lease.mode, lease.holds, granted);
        }
        if lease.holds > 2 * GRANT {
            lease.holds -= GRANT;
            return release_many(lease.block, lease.mode, GRANT, granted);
        }
        Left::Alive
    }

    /// Ends a lease that the EDT which runs next does not use, or any where there is no next. Returns
    /// the block and what is left of it; call it until there is none.
    pub(crate) fn end_unused(
        &mut self,
        next: Option<&Edt>,
        granted: &mut Vec<EdtRef>,
    ) -> Option<(&'static DataBlock, Left)> {
        let unused = |lease: &Lease| !next.is_some_and(|edt| holds(edt, lease));
        let at = self.all.iter().position(unused)?;
        Some(self.end(at, granted))
    }

    /// Ends the lease of a block that the EDT which runs is about to release, and so still holds.
    pub(crate) fn end_of(&mut self, guid: Guid, granted: &mut Vec<EdtRef>) {
        if let Some(at) = self.all.iter().position(|lease| lease.guid == guid) {
            let (_, left) = self.end(at, granted);
            debug_assert_eq!(left, Left::Alive);
        }
    }

    fn end(&mut self, at: usize, granted: &mut Vec<EdtRef>) -> (&'static DataBlock, Left) {
        let lease = self.all.swap_remove(at);
        let left = match lease.holds {
            0 => Left::Alive,
            holds => release_many(lease.block, lease.mode, holds, granted),
        };
        (lease.block, left)
    }
}

/// Whether an EDT that is about to run holds the lease's block in its mode.
fn holds(edt: &Edt, lease: &Lease) -> bool {
    edt.place.get() == Place::HOST
        && edt.blocks().any(|(_, slot)| slot.data() == lease.guid && slot.info().mode == lease.mode)
}

/// What [`release_or_keep`] has done with a hold on a block.
enum LeaseKept {
    /// The hold was given back.
    No(Left),
    /// The hold is the caller's, for a lease.
    Yes,
}

/// Releases a block for an EDT of the host, as [`release`](super::release) does, unless the hold is worth keeping.
#[inline]
fn release_or_keep(guid: Guid, block: &DataBlock, mode: Mode, may_keep: bool, granted: &mut Vec<EdtRef>) -> LeaseKept {
    let mut locked = block.header.lock_pinned();
    note_write(block, &mut locked, mode, Place::HOST);
    let is_worth_it = sharing(&block.holders.get(), mode) >= MANY;
    if is_worth_it && may_keep && block.is_plain() && !guid.is_label() {
        return LeaseKept::Yes;
    }
    LeaseKept::No(leave_locked(block, locked, mode, 1, granted))
}

/// Gives back `holds` holds of a lease.
fn release_many(block: &DataBlock, mode: Mode, holds: u32, granted: &mut Vec<EdtRef>) -> Left {
    let mut locked = block.header.lock_pinned();
    note_write(block, &mut locked, mode, Place::HOST);
    leave_locked(block, locked, mode, holds, granted)
}

/// Takes `holds` more holds for a lease that has none left. False if the block cannot be had so, or is
/// not plain any more. The EDT of the lease may have ended meanwhile, and the block be gone.
fn acquire_more(block: &DataBlock, guid: Guid, mode: Mode, holds: u32) -> bool {
    let Some(_locked) = block.header.lock(guid.generation()) else {
        return false;
    };
    let mut holders = block.holders.get();
    let plain = block.is_plain() && admits(&holders, mode, Place::HOST);
    if plain {
        enter(&mut holders, mode, Place::HOST, holds);
        block.holders.set(holders);
    }
    plain
}
