//! A finish scope: the count of what keeps a finish EDT's output event from triggering.

use super::arena::{Arena, Slot};
use super::code::Code;
use super::guid::Guid;
use super::header::{Header, states};
use super::saved::{Saved, malformed};
use ocr_base::sync::{AtomicI64, Ordering};
use std::cell::Cell;
use std::io;
use std::ptr;

states! {
    /// The states of a scope.
    pub enum ScopeState {
        /// The scope keeps its output event from triggering.
        Open = 1,
    }
}

/// A finish scope. It has no GUID: EDTs in it and nested scopes hold it by its count.
#[repr(C, align(64))]
pub struct Scope {
    pub header: Header<ScopeState>,
    /// EDTs in it that have not ended, nested scopes that are open, and the credit that threads
    /// hold (see `graph/finish.rs`). The thread that brings it to 0 closes the scope.
    pub count: AtomicI64,
    /// The scope that this one is nested in, or null.
    pub parent: Cell<*const Scope>,
    /// What is satisfied when it closes, or `NULL_GUID`.
    pub output: Cell<Guid>,
    /// What the finish EDT itself returned.
    pub result: Cell<Guid>,
    /// Whether that is a completion event (`ocrDbCopy`), which goes when it has been passed on.
    pub result_goes: Cell<bool>,
    /// Whether it is timed until it closes: the finish EDT has variants, and has run as its function.
    pub is_timed: Cell<bool>,
    /// Whether it is for what EDTs of a scope on another node lead to here (`engine/calls/elsewhere.rs`).
    pub is_guest: Cell<bool>,
    /// Its slot in the arena.
    pub(crate) index: Cell<u32>,
    /// The finish EDT, which may have ended, for messages.
    pub edt: Cell<Guid>,
    /// What it does or did.
    pub work: Cell<*const Code>,
}

// SAFETY: `parent`, `output`, `edt`, `work` and `is_guest` are set before the scope is known to others. `result`,
// `result_goes` and `is_timed` are written by the finish EDT before it checks out, and read by the thread that brings
// the count to 0 after that.
unsafe impl Sync for Scope {}

impl Scope {
    /// Counts an EDT in that no EDT of the scope creates, unless its count has come to 0 and a thread closes it. The
    /// caller keeps that thread from freeing it meanwhile. True if it was counted in.
    pub(crate) fn enter(&self) -> bool {
        let entered = |count: i64| (count > 0).then_some(count + 1);
        // Relaxed: while it is counted in, the scope is open. The thread that closes it pairs with those that leave.
        self.count.fetch_update(Ordering::Relaxed, Ordering::Relaxed, entered).is_ok()
    }

    /// Passes the scope in a slot of the arena through a checkpoint.
    pub(super) fn pass(&self, file: &mut Saved<'_>, index: u32, scopes: &Arena<Scope>) -> io::Result<()> {
        if self.header.pass(file)?.state() == ScopeState::Free {
            return Ok(());
        }
        self.index.set(index);
        self.count.store(file.word(self.count.load(Ordering::Relaxed))?, Ordering::Relaxed);
        // SAFETY: the parent of an open scope is open.
        let parent = file.word(unsafe { self.parent.get().as_ref() }.map_or(0, |parent| parent.index.get()))?;
        for guid in [&self.output, &self.result, &self.edt] {
            file.cell(guid)?;
        }
        file.cell(&self.result_goes)?;
        self.work.set(file.code(self.work.get())?);
        if file.restores() {
            let parent = (parent != 0).then(|| scopes.get(parent).ok_or_else(malformed)).transpose()?;
            self.parent.set(parent.map_or(ptr::null(), ptr::from_ref));
        }
        Ok(())
    }
}

// SAFETY: zero is a free scope; the size is 64; the fields are fixed.
unsafe impl Slot for Scope {
    type State = ScopeState;

    fn header(&self) -> &Header<ScopeState> {
        &self.header
    }
}
