//! `extensions/ocr-db-by-value.h`: contents of data blocks passed by value, as in OCR-Vx.

use super::edt::mode_for;
use super::{EACCES, EFAULT, EINVAL, ENOMEM, EPERM, sys, with};
use crate::engine::by_value::NotPassed;
use crate::object::guid::Guid;
use sys::ocrGuid_t;

export! {
    /// A dependence on what a block holds now.
    fn ocrAddDependenceByValue(
        source: ocrGuid_t,
        destination: ocrGuid_t,
        slot: u32,
        mode: sys::ocrDbAccessMode_t,
    ) -> u8, or EFAULT; {
        let (source, destination) = (Guid::from(source), Guid::from(destination));
        let Some(mode) = mode_for(destination, mode) else {
            return EINVAL;
        };
        with(EPERM, |context| {
            match context.pass_by_value(source, destination, slot, mode) {
                Ok(()) => 0,
                Err(NotPassed::NoSuchBlock) => EINVAL,
                Err(NotPassed::NotAcquired) => EACCES,
                Err(NotPassed::Refused(why)) => super::status(Err(why)),
                Err(NotPassed::OutOfMemory) => ENOMEM,
            }
        })
    }

    /// Calls that belong together begin.
    fn ocrGroupBegin() -> u8, or EFAULT; {
        with(EPERM, |context| if context.begin_group() { 0 } else { EPERM })
    }

    /// They end.
    fn ocrGroupEnd() -> u8, or EFAULT; {
        with(EPERM, |context| if context.end_group() { 0 } else { EPERM })
    }
}
