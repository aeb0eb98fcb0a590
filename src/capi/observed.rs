//! A call that is observed: recorded, looked at by strict mode, or made by another node.

use crate::capi::{CallOutcome, elsewhere, look, recorded, strict};
use crate::check;
use crate::check::calls::{CallSpec, MAX_ARGS};
use crate::engine::nodes::outbox;
use crate::object::guid::Guid;
use crate::status::Status;
use crate::trace;

/// Runs the body of a call where the run is recorded, in strict mode, or on one of several nodes.
#[cold]
#[inline(never)]
pub(super) fn observed<R: CallOutcome>(call: &'static CallSpec, words: &[u64], body: impl FnOnce() -> R) -> R {
    let is_recorded = trace::is_on();
    if is_recorded {
        recorded::before(call.api, words);
    }
    if outbox::has_others()
        && let Some(outcome) = elsewhere::made_elsewhere(call, words).and_then(R::of_status)
    {
        look(call, &outcome);
        return outcome;
    }
    let outcome = if check::is_on() {
        strict::checked(call, words, body)
    } else {
        let outcome = body();
        look(call, &outcome);
        outcome
    };
    if is_recorded {
        let mut args = [0; MAX_ARGS];
        args[..words.len()].copy_from_slice(words);
        let is_done = match outcome.status() {
            Some(status) => status == Status::OK,
            None => strict::word(&outcome) != Guid::ERROR.bits(),
        };
        recorded::after(call.api, &args, is_done);
    }
    outcome
}
