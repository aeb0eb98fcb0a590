//! How long finish EDTs with variants take as functions: until their scopes close.
//!
//! The function of such an EDT creates the EDTs that do the work, and returns soon. The workers do that work together,
//! and that of other scopes beside it. So the time of a scope is its share of the time that passes ([`ScopeShares`]).

use crate::object::code::Code;
use crate::object::scope::Scope;
use ocr_base::lock::{Mutex, rank};
use ocr_place::model::{ScopeShares, Shape};
use std::collections::HashMap;
use std::ptr;
use std::time::{Duration, Instant};

/// The scopes that are timed, each from the return of its EDT's function until it closes.
#[derive(Default)]
pub(crate) struct FinishTimes(Mutex<rank::FinishTimes, OpenScopes>);

#[derive(Default)]
struct OpenScopes {
    /// What has returned, by the addresses of the scopes.
    returned: HashMap<usize, Returned>,
    shares: ScopeShares,
    /// Since when time is counted: when the first function returned.
    since: Option<Instant>,
}

/// The function of a finish EDT that has returned.
pub(crate) struct FinishCall {
    pub(crate) work: &'static Code,
    pub(crate) shape: Shape,
    /// How long the function took.
    pub(crate) function: Duration,
    /// Whether a device worked meanwhile.
    pub(crate) beside: bool,
    /// Whether its time is learned.
    pub(crate) learns: bool,
    /// Whether the policy's keeper waits for the end of the scope.
    pub(crate) is_kept: bool,
}

struct Returned {
    call: FinishCall,
    at: Instant,
    /// Of the shares of scopes.
    share: u64,
}

/// A timed scope that has closed.
pub(crate) struct ClosedScope {
    pub(crate) call: FinishCall,
    /// From the call of the function to the end of the scope.
    pub(crate) whole: Duration,
    /// Of that, what the workers needed for it: all that the function took, and its share of the rest.
    pub(crate) share: Duration,
}

/// By what a timed scope is known here, and to policies: no EDT has this address.
pub(crate) fn token_of(scope: &Scope) -> usize {
    ptr::from_ref(scope).addr()
}

impl FinishTimes {
    /// A scope whose function has returned, and which is open as long as its EDT has not checked out.
    pub(crate) fn begin(&self, scope: &Scope, call: FinishCall) {
        self.0.lock().begin(token_of(scope), call, Instant::now());
        scope.is_timed.set(true);
    }

    /// A timed scope closes.
    pub(crate) fn end(&self, scope: &Scope) -> Option<ClosedScope> {
        self.0.lock().end(token_of(scope), Instant::now())
    }
}

impl OpenScopes {
    /// Nanoseconds since the first function returned.
    fn ns(&mut self, now: Instant) -> u64 {
        let since = *self.since.get_or_insert(now);
        now.saturating_duration_since(since).as_nanos() as u64
    }

    fn begin(&mut self, scope: usize, call: FinishCall, now: Instant) {
        let now_ns = self.ns(now);
        let share = self.shares.begin(now_ns);
        self.returned.insert(scope, Returned { call, at: now, share });
    }

    fn end(&mut self, scope: usize, now: Instant) -> Option<ClosedScope> {
        let Returned { call, at, share } = self.returned.remove(&scope)?;
        let now_ns = self.ns(now);
        Some(ClosedScope {
            whole: call.function + now.saturating_duration_since(at),
            share: call.function + Duration::from_nanos(self.shares.end(share, now_ns)),
            call,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call() -> FinishCall {
        let work = Box::leak(Box::new(Code::of_kernels("block")));
        let shape = Shape::default();
        FinishCall { work, shape, function: Duration::ZERO, beside: false, learns: true, is_kept: false }
    }

    #[test]
    fn a_scope_has_all_of_its_time_and_a_share() {
        let begun = Instant::now();
        let at = |ms| begun + Duration::from_millis(ms);
        let mut open = OpenScopes::default();
        let end = |open: &mut OpenScopes, scope, ms| {
            let closed = open.end(scope, at(ms)).expect("it is open");
            (closed.whole.as_millis(), closed.share.as_millis())
        };
        open.begin(1, call(), at(0));
        open.begin(2, call(), at(10));
        // 10 alone, and half of 20.
        assert_eq!(end(&mut open, 1, 30), (30, 20));
        assert!(open.end(1, at(40)).is_none());
        // Half of 20, and 10 alone.
        assert_eq!(end(&mut open, 2, 40), (30, 20));
    }
}
