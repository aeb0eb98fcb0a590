//! Strict mode, where a call is about an object of another node. The owner knows what the object has been through. So
//! it says what is wrong with a call, and by whom: in strict mode each call says that (`Caller`). What can be seen
//! without the object, the caller's node sees itself.

use crate::abi::Api;
use crate::capi::with;
use crate::check;
use crate::check::calls::{CallSpec, Role};
use crate::check::history::Who;
use crate::engine::nodes::outbox;
use crate::engine::nodes::work::{Call, Caller};
use crate::engine::state::fatal::fatal;
use crate::engine::state::runtime::Runtime;
use crate::object::guid::Guid;
use crate::status::Status;
use std::sync::Arc;

/// The run, and who calls it; None without strict mode.
fn strict_run() -> Option<(Arc<Runtime>, Who)> {
    if !check::is_on() {
        return None;
    }
    let who = with(None, |context| Some(context.who()))?;
    Some((Runtime::current()?, who))
}

/// A call begins that may be about an object of another node. A misuse that can be seen before it is made ends the
/// program.
pub(super) fn begins(call: &'static CallSpec, words: &[u64]) {
    let Some((runtime, who)) = strict_run() else { return };
    // A call that this node makes for another one begins at that one.
    if who.elsewhere.is_some() {
        return;
    }
    outbox::call_as(Caller { edt: who.edt, name: who.name().to_string() });
    let Some(check) = runtime.check.as_deref() else { return };
    let is_elsewhere = call.args.iter().zip(words).any(|((_, role), &word)| {
        let is_given = role.is_guid() || *role == Role::Guid;
        is_given && runtime.objects.owner_elsewhere(Guid::from_bits(word)).is_some()
    });
    if is_elsewhere && let Err(misuse) = check.arguments_before(call, words, who) {
        fatal(&misuse.to_string());
    }
}

/// A call about an object of another node was refused. A misuse that its owner has not found ends the program.
pub(super) fn refused(call: &'static CallSpec, words: &[u64], status: Status) {
    // What is wrong with an EDT was found when its template was looked at, and other creations answer questions.
    if call.creates.is_some() {
        return;
    }
    if let Some((runtime, who)) = strict_run().filter(|(_, who)| who.elsewhere.is_none()) {
        judge(&runtime, who, (call.api, words), status);
    }
}

/// The call that another node asks for, as a program makes it. None for one that no program makes so.
pub(super) fn as_made(call: &Call) -> Option<(Api, Vec<u64>)> {
    Some(match *call {
        Call::Satisfy { event, increment: false, data } => (Api::ocrEventSatisfy, vec![event.bits(), data.bits()]),
        Call::Satisfy { event, data, .. } => (Api::ocrEventSatisfySlot, vec![event.bits(), data.bits(), 1]),
        Call::Depend { source, post_slot: 0, destination, slot, mode, .. } => {
            dependence(source, destination, slot, mode as u64)
        }
        _ => return None,
    })
}

/// A dependence, as a program adds it.
pub(super) fn dependence(source: Guid, destination: Guid, slot: u32, mode: u64) -> (Api, Vec<u64>) {
    (Api::ocrAddDependence, vec![source.bits(), destination.bits(), slot.into(), mode])
}

/// Makes a call for another node. A misuse ends the program.
pub(super) fn judged<R>(
    made: Option<(Api, Vec<u64>)>,
    make: impl FnOnce() -> R,
    status: impl FnOnce(&R) -> Status,
) -> R {
    let strict = made.and_then(|made| {
        let (runtime, who) = strict_run().filter(|(_, who)| who.elsewhere.is_some())?;
        Some((runtime, who, made))
    });
    let Some((runtime, who, (api, args))) = strict else { return make() };
    let Some(check) = runtime.check.as_deref() else { return make() };
    check.begins_deferred(&runtime.objects, api, &args, who);
    if let Some(misuse) = check.silent_later(&runtime.objects, api, &args, who) {
        fatal(&misuse.to_string());
    }
    let result = make();
    judge(&runtime, who, (api, &args), status(&result));
    result
}

/// Has destroyed an object for another node, by a call that strict mode has seen.
pub(super) fn destroyed(api: Api, guid: Guid, status: Status) {
    if let Some((runtime, who)) = strict_run().filter(|(_, who)| who.elsewhere.is_some()) {
        judge(&runtime, who, (api, &[guid.bits()]), status);
    }
}

/// Ends the program where a call was refused for a misuse. Where the program ends already, no answer may have come.
fn judge(runtime: &Runtime, who: Who, (api, args): (Api, &[u64]), status: Status) {
    let ends = runtime.end.is_ending() || outbox::is_over();
    if !status.is_ok()
        && !ends
        && let Some(check) = runtime.check.as_deref()
        && let Some(misuse) = check.refused_later(&runtime.objects, (api, args), who, status)
    {
        fatal(&misuse.to_string());
    }
}
