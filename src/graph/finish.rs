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
//! | check in to a scope that is not the inner one: by an EDT that has waited in a call, since all was given back then | +1 | - |
//! | check out | - | +1, from the ended EDT or closed scope |
//! | check out, more than 2 `GRANT` | -`GRANT` | -`GRANT` |
//! | check out of a scope that is neither | -1 | - |
//! | give back | -credit | 0 |
//!
//! *Never too early*: an EDT is created by a thread that runs an EDT of the scope, so the counter is at least 1 at each
//! addition. While any EDT lives, any nested scope is open or any credit is held, the counter is at least 1. So the
//! thread that brings it to 0 is the last to know the scope, and closes it. An EDT that another node creates is counted
//! in by [`Scope::enter`], which leaves a scope alone whose count is 0. The read-modify-write that brings it to 0
//! (acquire-release) sees all that happened in EDTs that checked out before. *Never too late*: before a thread runs an
//! EDT it gives back what it holds of scopes that are neither the EDT's nor the one around that. Before it looks for
//! work elsewhere or waits, it gives back all. The outer scope cannot close while an EDT of the inner one runs. So
//! credit keeps no scope open that could close without it, for longer than from the end of one EDT to the next step of
//! the thread.

use crate::object::scope::Scope;
use ocr_base::sync::{Ordering, preemption_point};
use std::ptr;

/// How much credit a thread takes at once.
pub(crate) const GRANT: i64 = match () {
    () if cfg!(loom) => 1,
    () if cfg!(ocr_tiny) => 2,
    () => 64,
};

/// A thread's credit for the scope of the EDT that it runs, and for the one around that.
#[derive(Default)]
pub(crate) struct Credit {
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
    /// A hold of a scope, with no credit yet.
    fn of(scope: *const Scope) -> Held {
        Held { scope, amount: 0 }
    }

    /// Counts an EDT, or a scope in it, out of the scope.
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
    pub(crate) fn is_for(&self, scope: *const Scope) -> bool {
        self.inner.scope == scope
    }

    /// Turns to the scope of the EDT that runs next, if it has one. A scope that closed by what was
    /// given back; then this must be called again when that has been seen to.
    #[must_use]
    pub(crate) fn turn_to(&mut self, scope: Option<&Scope>) -> Option<&'static Scope> {
        let parent = scope.map_or(ptr::null(), |scope| scope.parent.get());
        let scope = scope.map_or(ptr::null(), ptr::from_ref);
        if self.outer.scope != parent && self.outer.scope != scope {
            let closed = self.outer.give_back();
            self.outer = if self.inner.scope == parent { std::mem::take(&mut self.inner) } else { Held::of(parent) };
            if closed.is_some() {
                return closed;
            }
        }
        if self.inner.scope == scope {
            return None;
        }
        let closed = self.inner.give_back();
        self.inner = if self.outer.scope == parent {
            Held::of(scope)
        } else {
            std::mem::replace(&mut self.outer, Held::of(parent))
        };
        closed
    }

    /// Counts a new EDT or a nested scope in.
    #[inline]
    pub(crate) fn check_in(&mut self, scope: &Scope) {
        if !self.is_for(scope) {
            scope.count.fetch_add(1, Ordering::Relaxed);
            return;
        }
        if self.inner.amount == 0 {
            // Relaxed: the caller runs in the scope, so no thread can bring the count to 0 now.
            scope.count.fetch_add(GRANT, Ordering::Relaxed);
            self.inner.amount = GRANT;
        }
        self.inner.amount -= 1;
    }

    /// Counts an EDT that ended, or a nested scope that closed, out. True if that closed the
    /// scope: the caller is the last to know it.
    #[must_use]
    #[inline]
    pub(crate) fn check_out(&mut self, scope: &Scope) -> bool {
        preemption_point(64);
        if self.is_for(scope) {
            self.inner.check_out(scope);
        } else if ptr::eq(self.outer.scope, scope) {
            self.outer.check_out(scope);
        } else {
            return scope.count.fetch_sub(1, Ordering::AcqRel) == 1;
        }
        false
    }

    /// Gives all credit back, first the inner. A scope, if that closed it; then this must be called again
    /// when that has been seen to.
    #[must_use]
    pub(crate) fn give_back(&mut self) -> Option<&'static Scope> {
        let inner = self.inner.give_back();
        inner.or_else(|| self.outer.give_back())
    }
}

/// A thread that holds credit because it runs or ends EDTs, and that sees to the scopes which close by it.
pub(crate) trait Closes {
    /// The credit of this thread.
    fn credit(&mut self) -> &mut Credit;

    /// Ends a scope whose count has come to 0, so that no other thread knows it any more. Gives the one around it, null
    /// if there is none.
    fn close_one(&mut self, scope: &Scope) -> *const Scope;

    /// Counts an EDT out of its scope.
    #[inline]
    fn check_out(&mut self, scope: Option<&Scope>) {
        if let Some(scope) = scope
            && self.credit().check_out(scope)
        {
            self.close(scope);
        }
    }

    /// Turns to the scope of the EDT that runs next: gives back what is held of the last.
    #[inline]
    fn turn_to(&mut self, scope: Option<&Scope>) {
        if self.credit().is_for(scope.map_or(ptr::null(), ptr::from_ref)) {
            return;
        }
        while let Some(closed) = self.credit().turn_to(scope) {
            self.close(closed);
        }
    }

    /// Gives back all that is held.
    fn give_credit_back(&mut self) {
        while let Some(closed) = self.credit().give_back() {
            self.close(closed);
        }
    }

    /// Closes a scope, and those around it for which it was the last.
    fn close(&mut self, mut scope: &Scope) {
        loop {
            let parent = self.close_one(scope);
            // SAFETY: the nested scope that was just closed kept its parent open.
            let Some(outer) = (unsafe { parent.as_ref() }) else {
                return;
            };
            if !self.credit().check_out(outer) {
                return;
            }
            scope = outer;
        }
    }
}

#[cfg(all(test, loom))]
mod loom_models {
    use super::*;
    use crate::object::guid::Guid;
    use crate::object::header::Header;
    use loom::sync::Arc;
    use loom::sync::atomic::AtomicUsize;
    use ocr_base::sync::AtomicI64;
    use std::cell::Cell;

    /// A scope with the finish EDT in it.
    fn nested_in(parent: *const Scope) -> &'static Scope {
        Box::leak(Box::new(Scope {
            header: Header::new(),
            count: AtomicI64::new(1),
            parent: Cell::new(parent),
            output: Cell::new(Guid::NULL),
            result: Cell::new(Guid::NULL),
            result_goes: Cell::new(false),
            is_timed: Cell::new(false),
            is_guest: Cell::new(false),
            index: Cell::new(0),
            edt: Cell::new(Guid::NULL),
            work: Cell::new(ptr::null()),
        }))
    }

    /// EDTs that ended, and scopes without a parent that closed.
    type Counts = (AtomicUsize, AtomicUsize);

    /// A thread that runs EDTs, of which there are `all`.
    struct Thread {
        credit: Credit,
        counts: Arc<Counts>,
        all: usize,
    }

    impl Closes for Thread {
        fn credit(&mut self) -> &mut Credit {
            &mut self.credit
        }

        fn close_one(&mut self, scope: &Scope) -> *const Scope {
            let parent = scope.parent.get();
            if parent.is_null() {
                assert_eq!(self.counts.0.load(Ordering::Relaxed), self.all);
                self.counts.1.fetch_add(1, Ordering::Relaxed);
            }
            parent
        }
    }

    impl Thread {
        fn new(all: usize) -> Thread {
            Thread { credit: Credit::default(), counts: Arc::default(), all }
        }

        fn creates(&mut self, scope: &Scope) {
            self.credit.check_in(scope);
        }

        fn ends(&mut self, scope: &Scope) {
            self.counts.0.fetch_add(1, Ordering::Relaxed);
            self.check_out(Some(scope));
        }
    }

    /// Has two threads run EDTs. The scope without a parent closes once.
    fn both(mut me: Thread, theirs: impl FnOnce(&mut Thread) + 'static, mine: impl FnOnce(&mut Thread)) {
        let mut other = Thread { counts: me.counts.clone(), ..Thread::new(me.all) };
        let thread = loom::thread::spawn(move || {
            theirs(&mut other);
            other.give_credit_back();
        });
        mine(&mut me);
        me.give_credit_back();
        thread.join().expect("no panic");
        assert_eq!(me.counts.1.load(Ordering::Relaxed), 1);
    }

    /// The finish EDT creates an EDT that another thread runs, which creates one more.
    #[test]
    fn the_last_one_closes_the_scope() {
        loom::model(|| {
            let scope = nested_in(ptr::null());
            let mut me = Thread::new(3);
            me.turn_to(Some(scope));
            me.creates(scope);
            let theirs = |other: &mut Thread| {
                other.turn_to(Some(scope));
                other.creates(scope);
                other.ends(scope);
                other.ends(scope);
            };
            both(me, theirs, |me| me.ends(scope));
        });
    }

    /// A finish EDT creates five, which two threads run, one after the other, each with an EDT in its scope.
    #[test]
    fn nested_scopes_close_before_the_one_around_them() {
        loom::model(|| {
            let outer = nested_in(ptr::null());
            let mut me = Thread::new(11);
            me.turn_to(Some(outer));
            let all = [(); 5].map(|()| {
                me.creates(outer);
                nested_in(outer)
            });
            let run = |thread: &mut Thread, scopes: &[&'static Scope]| {
                for scope in scopes {
                    thread.turn_to(Some(scope));
                    thread.creates(scope);
                    thread.ends(scope);
                    thread.ends(scope);
                }
            };
            let theirs = move |other: &mut Thread| run(other, &all[2..]);
            both(me, theirs, |me| {
                run(me, &all[..2]);
                // The EDT that has created them ends last.
                me.turn_to(Some(outer));
                me.ends(outer);
                me.turn_to(None);
            });
        });
    }

    /// An EDT of another node comes while the last one here ends: it is in the scope, or finds that closed.
    #[test]
    fn who_comes_from_elsewhere_is_in_time_or_late() {
        loom::model(|| {
            let scope = nested_in(ptr::null());
            let mut me = Thread::new(1);
            me.turn_to(Some(scope));
            let counts = me.counts.clone();
            let comes = move |link: &mut Thread| {
                if scope.enter() {
                    assert_eq!(counts.1.load(Ordering::Relaxed), 0);
                    link.check_out(Some(scope));
                }
            };
            both(me, comes, |me| me.ends(scope));
        });
    }

    /// A kernel ends on a thread without credit while the EDT that has created it ends.
    #[test]
    fn who_has_no_credit_may_be_the_last() {
        loom::model(|| {
            let scope = nested_in(ptr::null());
            let mut me = Thread::new(2);
            me.turn_to(Some(scope));
            me.creates(scope);
            both(me, |device| device.ends(scope), |me| me.ends(scope));
        });
    }
}
