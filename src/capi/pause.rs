//! `extensions/ocr-pause.h`: stop the workers, look, go on.

use crate::abi::Api;
use crate::capi::{put, sys, with};
use crate::engine::state::context::Context;
use crate::object::edt::EdtRef;
use crate::object::guid::Guid;
use crate::report::snapshot::Snapshot;
use std::ffi::c_void;
use sys::{ocrGuid_t, ocrQueryType_t};

export! {
    /// OCR 1.2, pause.
    fn ocrPause(is_blocking: bool) -> u32, or 0; {
        with(0, |context| context.pause(is_blocking) as u32)
    }

    /// OCR 1.2, pause.
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
            // SAFETY: the block is this large, and this thread's.
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

    /// OCR 1.2, pause.
    fn ocrResume(flag: u32) -> (), or (); {
        if flag != 0 {
            with((), super::super::engine::state::context::Context::resume);
        }
    }

    /// OCR 1.2, pause: there is no recovery to be tested.
    fn ocrInjectFault() -> (), or (); {}
}

/// What this thread, if it has paused the runtime, asks for.
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
                // SAFETY: the keeper was given tokens of EDTs alone, and has them with its lock held: no place takes one
                // meanwhile, so none has run.
                keeper.look(&mut |edt| ready.push(guid(unsafe { EdtRef::from_token(edt) })));
            }
            // A device that has come to be idle meanwhile may have found nothing.
            context.feed_devices();
            context.work_off();
            Some(ready)
        }
        sys::OCR_QUERY_ALL_EDTS => Some(Snapshot::all_edts(&runtime.objects)),
        sys::OCR_QUERY_EVENTS => Some(runtime.snapshot().events_of(guid)),
        // In which order pre-slots were satisfied is not recorded.
        _ => None,
    }
}
