//! Finish scopes: how a scope knows that everything in it has ended, without every EDT writing to
//! the scope's counter.
//!
//! # Protocol
//!
//! `Scope::count` = EDTs in the scope that have not ended + nested scopes that are open + the
//! *credit* that threads hold for it. A thread holds credit for two scopes at most: the *inner*, the
//! scope of the EDT it runs, and the *outer*, which that one is nested in. An EDT that is created
//! takes one from the inner credit, an EDT that ends gives one to it; a nested scope that closes
//! gives one to the outer, since it closes mostly where the thread turns to the next one; none of
//! them touches the counter. A thread without inner credit takes [`GRANT`] from the counter in one
//! step; one with too much gives some back.
//!
//! | step | counter | credit |
//! |---|---|---|
//! | check in, with credit | - | -1, for the new EDT or nested scope |
//! | check in, without | +`GRANT` | `GRANT` - 1 |
//! | check out | - | +1, from the ended EDT or closed scope |
//! | check out, more than 2 `GRANT` | -`GRANT` | -`GRANT` |
//! | check out of a scope that is neither | -1 | - |
//! | give back | -credit | 0 |
//!
//! *Never too early*: an EDT is created by a thread that runs an EDT of the scope, so the counter
//! is at least 1 at each addition; while any EDT lives, any nested scope is open or any credit is
//! held, the counter is at least 1. So the one who brings it to 0 is the last to know the scope, and
//! closes it; the read-modify-write that does so (acquire-release) sees all that happened in EDTs
//! that checked out before. *Never too late*: before a thread runs an EDT it gives back what it holds
//! of scopes that are neither the EDT's nor the one around that, and before it looks for work
//! elsewhere or waits, all. The outer scope cannot close while an EDT of the inner one runs; so
//! credit keeps no scope open that could close without it, for longer than from the end of one EDT
//! to the next step of the thread.

use crate::object::scope::Scope;
use crate::sync::{Ordering, dawdle};
use std::ptr;

/// How much credit a thread takes at once.
pub const GRANT: i64 = match () {
    () if cfg!(loom) => 1,
    () if cfg!(ocr_tiny) => 2,
    () => 64,
};

/// A thread's credit.
#[derive(Default)]
pub struct Credit {
    inner: Held,
    outer: Held,
}

/// A thread's credit for one scope.
struct Held {
    scope: *const Scope,
    amount: i64,
}

impl Default for Held {
    fn default() -> Held {
        Held::of(ptr::null())
    }
}

impl Held {
    /// None, of this scope.
    fn of(scope: *const Scope) -> Held {
        Held { scope, amount: 0 }
    }

    /// Counts one out.
    fn check_out(&mut self, scope: &Scope) {
        self.amount += 1;
        if self.amount > 2 * GRANT {
            self.amount -= GRANT;
            // Release: what the ended EDTs did happens before the scope closes.
            scope.count.fetch_sub(GRANT, Ordering::Release);
        }
    }

    /// Gives all back. The scope, if that closed it.
    fn give_back(&mut self) -> Option<&'static Scope> {
        let Held { scope, amount } = std::mem::take(self);
        if amount == 0 {
            return None;
        }
        // SAFETY: while credit is held the scope is open, and its slot outlives the runtime's use.
        let scope = unsafe { &*scope };
        (scope.count.fetch_sub(amount, Ordering::AcqRel) == amount).then_some(scope)
    }
}

impl Credit {
    /// Whether `scope` is the inner one.
    #[inline]
    pub fn is_for(&self, scope: *const Scope) -> bool {
        self.inner.scope == scope
    }

    /// Turns to the scope of the EDT that runs next, if it has one. A scope that closed by what was
    /// given back; then this is to be called again when that has been seen to.
    #[must_use]
    pub fn turn_to(&mut self, scope: Option<&Scope>) -> Option<&'static Scope> {
        let parent = scope.map_or(ptr::null(), |scope| scope.parent.get());
        let scope = scope.map_or(ptr::null(), ptr::from_ref);
        if self.outer.scope != parent && self.outer.scope != scope {
            let closed = self.outer.give_back();
            self.outer = match self.inner.scope == parent {
                true => std::mem::take(&mut self.inner),
                false => Held::of(parent),
            };
            if closed.is_some() {
                return closed;
            }
        }
        if self.inner.scope == scope {
            return None;
        }
        let closed = self.inner.give_back();
        self.inner = match self.outer.scope == parent {
            true => Held::of(scope),
            false => std::mem::replace(&mut self.outer, Held::of(parent)),
        };
        closed
    }

    /// Counts a new EDT or a nested scope in.
    #[inline]
    pub fn check_in(&mut self, scope: &Scope) {
        if !self.is_for(scope) {
            scope.count.fetch_add(1, Ordering::Relaxed);
            return;
        }
        if self.inner.amount == 0 {
            // Relaxed: the caller runs in the scope, so nobody can bring the count to 0 now.
            scope.count.fetch_add(GRANT, Ordering::Relaxed);
            self.inner.amount = GRANT;
        }
        self.inner.amount -= 1;
    }

    /// Counts an EDT that ended, or a nested scope that closed, out. True if that closed the
    /// scope: the caller is the last to know it.
    #[must_use]
    #[inline]
    pub fn check_out(&mut self, scope: &Scope) -> bool {
        dawdle(64);
        if self.is_for(scope) {
            self.inner.check_out(scope);
        } else if ptr::eq(self.outer.scope, scope) {
            self.outer.check_out(scope);
        } else {
            return scope.count.fetch_sub(1, Ordering::AcqRel) == 1;
        }
        false
    }

    /// Gives all credit back, first the inner. A scope, if that closed it; then this is to be called again
    /// when that has been seen to.
    #[must_use]
    pub fn give_back(&mut self) -> Option<&'static Scope> {
        let inner = self.inner.give_back();
        inner.or_else(|| self.outer.give_back())
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
        nested_in(ptr::null())
    }

    /// A scope with the finish EDT in it.
    fn nested_in(parent: *const Scope) -> &'static Scope {
        Box::leak(Box::new(Scope {
            header: Header::new(),
            count: AtomicI64::new(1),
            parent: Cell::new(parent),
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
            assert!(credit.turn_to(Some(scope)).is_none());
            credit.check_in(scope);
            let other = {
                let (ended, closed) = (ended.clone(), closed.clone());
                loom::thread::spawn(move || {
                    let mut credit = Credit::default();
                    assert!(credit.turn_to(Some(scope)).is_none());
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

    /// Five finish EDTs with one in each, and the one that creates them.
    const ALL: usize = 11;

    /// EDTs that ended, and scopes without a parent that closed.
    type Counts = (AtomicUsize, AtomicUsize);

    /// What the engine does with a scope that closed.
    fn close(credit: &mut Credit, mut scope: &'static Scope, (ended, closed): &Counts) {
        loop {
            // SAFETY: the nested scope kept its parent open.
            let Some(parent) = (unsafe { scope.parent.get().as_ref() }) else {
                assert_eq!(ended.load(Ordering::Relaxed), ALL);
                closed.fetch_add(1, Ordering::Relaxed);
                return;
            };
            if !credit.check_out(parent) {
                return;
            }
            scope = parent;
        }
    }

    fn turn(credit: &mut Credit, scope: Option<&Scope>, counts: &Counts) {
        while let Some(scope) = credit.turn_to(scope) {
            close(credit, scope, counts);
        }
    }

    fn settle(credit: &mut Credit, counts: &Counts) {
        while let Some(scope) = credit.give_back() {
            close(credit, scope, counts);
        }
    }

    /// A finish EDT creates five, which two threads run, one after the other, each with an EDT in its scope.
    /// The scope around them closes once, when all have ended.
    #[test]
    fn nested_scopes_close_before_the_one_around_them() {
        loom::model(|| {
            let outer = scope();
            let counts: Arc<Counts> = Arc::default();
            let mut credit = Credit::default();
            turn(&mut credit, Some(outer), &counts);
            let all: Vec<&'static Scope> = (0..5)
                .map(|_| {
                    credit.check_in(outer);
                    nested_in(outer)
                })
                .collect();
            let (mine, others) = (all[..2].to_vec(), all[2..].to_vec());
            let run = |credit: &mut Credit, scopes: Vec<&'static Scope>, counts: &Counts| {
                for scope in scopes {
                    turn(credit, Some(scope), counts);
                    credit.check_in(scope);
                    for _ in 0..2 {
                        counts.0.fetch_add(1, Ordering::Relaxed);
                        assert!(!credit.check_out(scope));
                    }
                }
            };
            let other = {
                let counts = counts.clone();
                loom::thread::spawn(move || {
                    let mut credit = Credit::default();
                    run(&mut credit, others, &counts);
                    settle(&mut credit, &counts);
                })
            };
            run(&mut credit, mine, &counts);
            // The EDT that has created them ends last.
            turn(&mut credit, Some(outer), &counts);
            counts.0.fetch_add(1, Ordering::Relaxed);
            assert!(!credit.check_out(outer));
            turn(&mut credit, None, &counts);
            settle(&mut credit, &counts);
            other.join().expect("no panic");
            assert_eq!(counts.1.load(Ordering::Relaxed), 1);
        });
    }

    /// A kernel ends on a thread without credit while the EDT that has created it ends.
    #[test]
    fn who_has_no_credit_may_be_the_last() {
        loom::model(|| {
            let scope = scope();
            let ended = Arc::new(AtomicUsize::new(0));
            let mut credit = Credit::default();
            assert!(credit.turn_to(Some(scope)).is_none());
            credit.check_in(scope);
            let device = {
                let ended = ended.clone();
                loom::thread::spawn(move || {
                    ended.fetch_add(1, Ordering::Relaxed);
                    let closed = Credit::default().check_out(scope);
                    assert!(!closed || ended.load(Ordering::Relaxed) == 2);
                    closed
                })
            };
            ended.fetch_add(1, Ordering::Relaxed);
            assert!(!credit.check_out(scope));
            let closed = credit.give_back().is_some();
            assert!(!closed || ended.load(Ordering::Relaxed) == 2);
            let by_device = device.join().expect("no panic");
            assert!(closed != by_device);
        });
    }
}
