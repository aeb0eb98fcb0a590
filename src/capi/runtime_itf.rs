//! `extensions/ocr-runtime-itf.h`: what a running EDT can ask of the runtime.

use crate::capi::{put, sys, with};
use crate::engine::state::belongings::LOCAL_SLOTS;
use crate::engine::state::context::Context;
use crate::object::guid::{Guid, Kind};
use crate::status::Status;
use std::ffi::c_void;
use sys::ocrGuid_t;

/// The GUID of the calling EDT; `NULL_GUID` outside of EDTs.
fn current(context: &Context) -> Guid {
    context.current.map_or(Guid::NULL, super::super::object::edt::Edt::guid)
}

export! {
    /// Reads a slot of the calling EDT's local storage; `ERROR_GUID` outside of EDTs or for another offset. OCR 1.2.
    fn ocrElsUserGet(offset: u8) -> ocrGuid_t, or Guid::ERROR; {
        with(Guid::ERROR, |context| match context.current {
            Some(_) => context.belongings.edt_local.get(offset as usize).copied().unwrap_or(Guid::ERROR),
            None => Guid::ERROR,
        })
    }

    /// Writes a slot of the calling EDT's local storage. Outside of EDTs or for another offset nothing happens. OCR
    /// 1.2.
    fn ocrElsUserSet(offset: u8, data: ocrGuid_t) -> (), or (); {
        with((), |context| {
            if context.current.is_some()
                && let Some(slot) = context.belongings.edt_local.get_mut(offset as usize)
            {
                *slot = data.into();
                context.belongings.any = true;
            }
        });
    }

    /// Writes where the local storage of the calling EDT begins, and its size in bytes. OCR 1.2.
    fn ocrEdtLocalStorageGet(ptr: *mut *mut c_void, size: *mut u64) -> u8, or Status::EFAULT; {
        if ptr.is_null() || size.is_null() {
            return Status::EINVAL;
        }
        with(Status::EPERM, |context| {
            if context.current.is_none() {
                return Status::EPERM;
            }
            context.belongings.any = true;
            // SAFETY: the header asks for a valid place.
            unsafe { put(ptr, context.belongings.edt_local.as_mut_ptr().cast()) };
            // SAFETY: the header asks for a valid place for the size.
            unsafe { put(size, (LOCAL_SLOTS * size_of::<Guid>()) as u64) };
            Status::OK
        })
    }

    /// Writes the GUID of the calling EDT. OCR 1.2.
    fn ocrCurrentEdtGet(guid: *mut ocrGuid_t) -> u8, or Status::EFAULT; {
        if guid.is_null() {
            return Status::EINVAL;
        }
        let edt = with(Guid::NULL, |context| current(context));
        // SAFETY: the header asks for a valid place.
        unsafe { put(guid, edt.into()) };
        if edt.is_null() { Status::EPERM } else { Status::OK }
    }

    /// The GUID of the calling EDT; `NULL_GUID` outside of EDTs. An older name of `ocrCurrentEdtGet`.
    fn currentEdtUserGet() -> ocrGuid_t, or Guid::NULL; {
        with(Guid::NULL, |context| current(context))
    }

    /// Writes the GUID of the calling EDT's output event; `NULL_GUID` if it has none. OCR 1.2.
    fn ocrCurrentEdtOutputGet(event: *mut ocrGuid_t) -> u8, or Status::EFAULT; {
        if event.is_null() {
            return Status::EINVAL;
        }
        with(Status::EPERM, |context| {
            let Some(edt) = context.current else { return Status::EPERM };
            let output = match edt.finish_scope() {
                Some(scope) if edt.flags.get().is_finish() => scope.output.get(),
                _ if edt.has_output_inside() => Guid::output_of(edt.guid()),
                _ => edt.output(),
            };
            // SAFETY: the header asks for a valid place.
            unsafe { put(event, output.into()) };
            Status::OK
        })
    }

    /// How many workers there are, without those that have been given up or are about to be; 0 where no runtime runs.
    fn ocrNbWorkers() -> u64, or 0; {
        with(0, |context| context.runtime.workers() as u64)
    }

    /// Writes a GUID for the worker that runs the caller: of an affinity that names no place. `NULL_GUID` outside of
    /// workers.
    fn ocrCurrentWorkerGuid(guid: *mut ocrGuid_t) -> (), or (); {
        let worker = with(None, |context| context.local.as_ref().map(super::super::sched::queues::Local::index));
        let worker = worker.map_or(Guid::NULL, |index| {
            Guid::new(Kind::Affinity, WORKER_GENERATION, index as u32)
        });
        // SAFETY: the header asks for null or a valid place.
        unsafe { put(guid, worker.into()) };
    }

    /// Says that the calling EDT waits for other EDTs. From the first call to the end of the EDT, another thread has
    /// the place of its worker.
    fn ocrInformLegacyCodeBlocking() -> u8, or Status::EFAULT; {
        with(Status::EPERM, |context| {
            match context.current {
                // A thread outside of EDTs keeps no worker from running EDTs.
                None => std::thread::yield_now(),
                Some(edt) => context.look_again(edt),
            }
            Status::OK
        })
    }
}

/// The generation of a worker's GUID, which tells it from the GUID of a place.
const WORKER_GENERATION: u32 = 1;
