//! Dependences of new EDTs of other nodes that go with the creation, and the contents of blocks that go with both.
//!
//! A program creates an EDT without dependences, and adds them in the next calls: `ocrEdtCreate` names no modes. The
//! creation waits in `engine/nodes/outbox.rs` for those that the node of the EDT makes: of blocks, of `NULL_GUID`, and
//! of that node's events. Any other call of the caller that others can see, and the end of its EDT, has the creation
//! sent.

use super::{answer_of, depend, held_back, is_seen, owner, sent_at_once, strict_calls};
use crate::abi::Api;
use crate::capi::{recorded, with};
use crate::check::calls::CallSpec;
use crate::engine::calls::elsewhere::scope_done;
use crate::engine::nodes::new_edt::{GivenSource, NewEdt};
use crate::engine::nodes::outbox;
use crate::engine::nodes::work::{Call, CallAnswer};
use crate::object::guid::Guid;
use crate::status::Status;

/// Whether the node of an EDT makes a dependence from this source: whatever node has a block, it has the event.
fn can_go(source: Guid, edt: Guid) -> bool {
    source.is_null() || source.is_data_block() || source.is_event() && owner(source) == owner(edt)
}

/// Has the creation sent that waits for dependences, unless this call may add one, or is seen by nobody.
pub(super) fn close_before(call: &CallSpec, words: &[u64]) {
    let Some(edt) = outbox::open_edt() else { return };
    let guid = |at: usize| Guid::from_bits(words[at]);
    let adds = || call.api == Api::ocrAddDependence && guid(1) == edt && can_go(guid(0), edt);
    if !adds() && is_seen(call, words) {
        outbox::close_open();
    }
}

/// Has another node create an EDT with an open pre-slot. The EDT that runs goes on, and may add dependences to it;
/// other threads, whose function nobody knows the end of, wait.
pub(super) fn sent_open(target: u32, new: Box<NewEdt>) -> Status {
    // Nobody adds dependences to an EDT without a GUID.
    if new.guid.is_null() || !with(false, |context| context.current.is_some()) {
        return sent_at_once(target, Api::ocrEdtCreate, Call::CreateEdt(new));
    }
    outbox::wait_for_room(outbox::send_open(target, Api::ocrEdtCreate.shown(), new));
    Status::OK
}

/// Has a dependence go with the creation of its destination, an EDT of node `of`, if that waits for it. `hold` is
/// whether the EDT is to be held back.
pub(super) fn goes_along(of: u32, destination: Guid, given: GivenSource, hold: bool) -> bool {
    if outbox::open_edt() != Some(destination) {
        return false;
    }
    let goes = can_go(given.0, destination) && outbox::change_open(|new| new.connect(given, hold)) == Some(true);
    let is_open = outbox::change_open(|new| new.has_open_slot()) == Some(true);
    if goes && is_open {
        return true;
    }
    if goes {
        contents_go_along(of);
    }
    outbox::close_open();
    goes
}

/// Has the contents of blocks go with the creation that waits, if they can.
fn contents_go_along(of: u32) {
    for block in outbox::change_open(|new| new.reads_at_once()).unwrap_or_default() {
        let Some(room) = outbox::change_open(|new| new.room()) else { return };
        let put =
            |content: &[u8]| outbox::change_open(|new| new.along.contents.push((block, content.to_vec()))).is_some();
        with((), |context| {
            context.lend_along(of, block, room, put);
            context.work_off();
        });
    }
}

/// Creates an EDT for another node, with the dependences and contents that have come with its creation.
pub(super) fn create_for(from: u32, new: &NewEdt) -> CallAnswer {
    for (block, content) in &new.along.contents {
        with((), |context| context.content_comes(*block, true, Some(content)));
    }
    let guids = match with(None, |context| Some(context.create_edt_for(from, new))) {
        None => {
            scope_done(from, new.scope, 1);
            return answer_of(Status::ECANCELED);
        }
        Some(Err(why)) => return answer_of(why.into()),
        Some(Ok(guids)) => guids,
    };
    recorded::output(guids[1]);
    let held = if new.along.hold { held_back(guids[0]) } else { Guid::NULL };
    let connect = |&(source, slot, mode): &GivenSource| {
        let made = strict_calls::dependence(source, guids[0], slot, mode as u64);
        strict_calls::judged(Some(made), || depend((source, 0), guids[0], slot, mode), |status| *status)
    };
    let all: Vec<Status> = new.along.given.iter().map(connect).collect();
    let failed = all.into_iter().find(|status| !status.is_ok());
    CallAnswer {
        status: failed.map_or(0, |status| status.number().into()),
        guids: if new.asked { guids } else { [Guid::NULL; 2] },
        held,
        of_along: failed.is_some(),
        ..CallAnswer::default()
    }
}
