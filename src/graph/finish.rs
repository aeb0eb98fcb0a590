//! Finish scopes: how a scope knows that everything in it has ended, without every EDT writing to
//! the scope's counter.
//!
//! # Protocol
//!
//! `Scope::count` = EDTs in the scope that have not ended + nested scopes that are open + the
//! *credit* that threads hold for it. A thread holds credit for one scope at a time, the scope of
//! the EDT it runs. An EDT that is created takes one from the credit, an EDT that ends gives one
//! to it; neither touches the counter. A thread without credit takes [`GRANT`] from the counter in
//! one step; one with too much gives some back.
//!
//! | step | counter | credit |
//! |---|---|---|
//! | check in, with credit | - | -1, for the new EDT |
//! | check in, without | +`GRANT` | `GRANT` - 1 |
//! | check out | - | +1, from the ended EDT |
//! | give back | -credit | 0 |
//!
//! *Never too early*: an EDT is created by a thread that runs an EDT of the scope, so the counter
//! is at least 1 at each addition; while any EDT lives or any credit is held, the counter is at
//! least 1. So the one who brings it to 0 is the last to know the scope, and closes it; the
//! read-modify-write that does so (acquire-release) sees all that happened in EDTs that checked
//! out before. *Never too late*: a thread gives back before it runs an EDT of another scope, and
//! before it looks for work elsewhere, so credit is held only by threads that run an EDT of the
//! scope, or are about to do one of the two.

use crate::object::scope::Scope;
use crate::sync::{Ordering, dawdle};
use std::ptr;

/// How much credit a thread takes at once.
pub const GRANT: i64 = if cfg!(ocr_tiny) { 2 } else { 64 };

/// A thread's credit.
pub struct Credit {
    scope: *const Scope,
    amount: i64,
}

impl Default for Credit {
    fn default() -> Self {
        Credit {
            scope: ptr::null(),
            amount: 0,
        }
    }
}

impl Credit {
    /// Whether credit for `scope`, and for no other, may be held.
    pub fn is_for(&self, scope: *const Scope) -> bool {
        self.scope == scope
    }

    /// Turns to another scope; the credit for the last one must have been given back.
    pub fn turn_to(&mut self, scope: *const Scope) {
        debug_assert_eq!(self.amount, 0);
        self.scope = scope;
    }

    /// Counts a new EDT or a nested scope in.
    pub fn check_in(&mut self, scope: &Scope) {
        if !self.is_for(scope) {
            scope.count.fetch_add(1, Ordering::Relaxed);
            return;
        }
        if self.amount == 0 {
            // Relaxed: the caller runs in the scope, so nobody can bring the count to 0 now.
            scope.count.fetch_add(GRANT, Ordering::Relaxed);
            self.amount = GRANT;
        }
        self.amount -= 1;
    }

    /// Counts an EDT that ended, or a nested scope that closed, out. True if that closed the
    /// scope: the caller is the last to know it.
    #[must_use]
    pub fn check_out(&mut self, scope: &Scope) -> bool {
        dawdle(64);
        if !self.is_for(scope) {
            return scope.count.fetch_sub(1, Ordering::AcqRel) == 1;
        }
        self.amount += 1;
        if self.amount > 2 * GRANT {
            self.amount -= GRANT;
            // Release: what the ended EDTs did happens before the scope closes.
            scope.count.fetch_sub(GRANT, Ordering::Release);
        }
        false
    }

    /// Gives all credit back. The scope, if that closed it.
    #[must_use]
    pub fn give_back(&mut self) -> Option<&'static Scope> {
        let amount = std::mem::take(&mut self.amount);
        let scope = std::mem::replace(&mut self.scope, ptr::null());
        if amount == 0 {
            return None;
        }
        // SAFETY: while credit is held the scope is open, and its slot outlives the runtime's use.
        let scope = unsafe { &*scope };
        (scope.count.fetch_sub(amount, Ordering::AcqRel) == amount).then_some(scope)
    }
}

#[cfg(all(test, loom))]
mod loom_models {
    use super::*;
    use crate::object::guid::Guid;
    use crate::object::header::Header;
    use crate::sync::AtomicI64;
    use loom::sync::Arc;
    use loom::sync::atomic::AtomicUsize;
    use std::cell::Cell;

    fn scope() -> &'static Scope {
        Box::leak(Box::new(Scope {
            header: Header::new(),
            count: AtomicI64::new(1),
            parent: Cell::new(ptr::null()),
            output: Cell::new(Guid::NULL),
            result: Cell::new(Guid::NULL),
            result_goes: Cell::new(false),
            index: Cell::new(0),
            edt: Cell::new(Guid::NULL),
            work: Cell::new(ptr::null()),
        }))
    }

    /// The finish EDT creates an EDT that another thread runs, which creates one more. Exactly one
    /// of the two threads closes the scope, after all three have ended.
    #[test]
    fn the_last_one_closes_the_scope() {
        loom::model(|| {
            let scope = scope();
            let ended = Arc::new(AtomicUsize::new(0));
            let closed = Arc::new(AtomicUsize::new(0));
            let mut credit = Credit::default();
            credit.turn_to(scope);
            credit.check_in(scope);
            let other = {
                let (ended, closed) = (ended.clone(), closed.clone());
                loom::thread::spawn(move || {
                    let mut credit = Credit::default();
                    credit.turn_to(scope);
                    credit.check_in(scope);
                    for _ in 0..2 {
                        ended.fetch_add(1, Ordering::Relaxed);
                        assert!(!credit.check_out(scope));
                    }
                    if credit.give_back().is_some() {
                        assert_eq!(ended.load(Ordering::Relaxed), 3);
                        closed.fetch_add(1, Ordering::Relaxed);
                    }
                })
            };
            ended.fetch_add(1, Ordering::Relaxed);
            assert!(!credit.check_out(scope));
            if credit.give_back().is_some() {
                assert_eq!(ended.load(Ordering::Relaxed), 3);
                closed.fetch_add(1, Ordering::Relaxed);
            }
            other.join().expect("no panic");
            assert_eq!(closed.load(Ordering::Relaxed), 1);
        });
    }
}
