//! `extensions/ocr-reduction-event.h`: contributions to collective events.

use super::{sys, with};
use crate::status::Status;
use std::ffi::c_void;
use sys::ocrGuid_t;

export! {
    /// Adds a contribution to a collective event, for the contributor `slot`. OCR 1.2, collective events.
    fn ocrEventCollectiveSatisfySlot(
        event: ocrGuid_t,
        data: *mut c_void,
        slot: u32,
    ) -> u8, or Status::EFAULT; {
        if data.is_null() {
            return Status::EINVAL;
        }
        with(Status::EPERM, |context| {
            // SAFETY: `data` is not null, and the header asks for as many elements there as the event combines.
            Status::from(unsafe { context.contribute(event.into(), data.cast(), slot) })
        })
    }
}
