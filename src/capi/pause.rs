//! `extensions/ocr-pause.h`: stop the workers, look at the EDTs and events, go on.

use crate::abi::Api;
use crate::capi::{put, sys, with};
use crate::engine::state::context::Context;
use crate::object::edt::EdtRef;
use crate::object::guid::Guid;
use crate::report::snapshot::Snapshot;
use std::ffi::c_void;
use sys::{ocrGuid_t, ocrQueryType_t};

export! {
    /// Stops the workers. Returns 1 if the caller has paused the runtime, otherwise 0. OCR 1.2, pause.
    fn ocrPause(is_blocking: bool) -> u32, or 0; {
        with(0, |context| context.pause(is_blocking) as u32)
    }

    /// Creates a data block with the GUIDs that a query of the pausing thread finds. OCR 1.2, pause.
    fn ocrQuery(
        query: ocrQueryType_t,
        guid: ocrGuid_t,
        result: *mut *mut c_void,
        size: *mut u32,
        _flags: u8,
    ) -> ocrGuid_t, or Guid::NULL; {
        let answer = with(None, |context| {
            let found = query_of(context, query, guid.into())?;
            let bytes = size_of_val(&found[..]);
            let (block, address) = context.create_block(bytes as u64, true).ok()?;
            // SAFETY: the block has as many bytes as `found`, and begins at `address`, which is aligned for a word.
            // No other thread knows the block yet, and it does not overlap with `found`.
            unsafe { address.cast::<Guid>().copy_from_nonoverlapping(found.as_ptr(), found.len()) };
            if let Some(check) = &context.runtime.check {
                let act = (Api::ocrQuery, context.who());
                check.made_block(&context.runtime.objects, block, bytes as u64, act);
            }
            Some((block, address, bytes))
        });
        let (block, address, bytes) = answer.unwrap_or((Guid::NULL, std::ptr::null_mut(), 0));
        // SAFETY: the header asks for null or a valid place.
        unsafe { put(result, address.cast()) };
        // SAFETY: the header asks for null or a valid place for the size.
        unsafe { put(size, bytes as u32) };
        block
    }

    /// Lets the workers go on, if `flag`, the result of `ocrPause`, is not 0. OCR 1.2, pause.
    fn ocrResume(flag: u32) -> (), or (); {
        if flag != 0 {
            with((), super::super::engine::state::context::Context::resume);
        }
    }

    /// Makes an EDT crash once, if that can be undone (`capi/attempts.rs`). OCR 1.2, pause.
    fn ocrInjectFault() -> (), or (); {}
}

/// The GUIDs that answer a query. None if this thread has not paused the runtime, or if the query is not supported.
fn query_of(context: &mut Context, query: ocrQueryType_t, guid: Guid) -> Option<Vec<Guid>> {
    if !context.has_paused() {
        return None;
    }
    let runtime = context.runtime;
    match query {
        sys::OCR_QUERY_READY_EDTS => {
            let guid = |edt: EdtRef| edt.get().guid();
            let mut ready = runtime.queues.look_through(guid);
            if let Some(keeper) = runtime.policy.keeper() {
                // SAFETY: each token is of an EDT that the keeper was given. The keeper holds its lock meanwhile, so no
                // place takes an EDT from it, and none has run or gone.
                keeper.look(&mut |edt| ready.push(guid(unsafe { EdtRef::from_token(edt) })));
            }
            // A device that has become idle while the queues were looked through may have found nothing there: ask
            // again.
            context.feed_devices();
            context.work_off();
            Some(ready)
        }
        sys::OCR_QUERY_ALL_EDTS => Some(Snapshot::all_edts(&runtime.objects)),
        sys::OCR_QUERY_EVENTS => Some(runtime.snapshot().events_of(guid)),
        // OCR_QUERY_LAST_SATISFIED_DB: the order in which pre-slots were satisfied is not recorded.
        _ => None,
    }
}
