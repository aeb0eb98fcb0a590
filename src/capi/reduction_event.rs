//! `extensions/ocr-reduction-event.h`: contributions to collective events.

use super::{EFAULT, EINVAL, EPERM, status, sys, with};
use std::ffi::c_void;
use sys::ocrGuid_t;

export! {
    /// OCR 1.2, collective events.
    fn ocrEventCollectiveSatisfySlot(
        event: ocrGuid_t,
        data: *mut c_void,
        slot: u32,
    ) -> u8, or EFAULT; {
        if data.is_null() {
            return EINVAL;
        }
        with(EPERM, |context| {
            // SAFETY: the header asks for a contribution of the event's size.
            status(unsafe { context.contribute(event.into(), data.cast(), slot) })
        })
    }
}
