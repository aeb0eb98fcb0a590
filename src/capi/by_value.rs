//! `extensions/ocr-db-by-value.h`: contents of data blocks passed by value, as in OCR-Vx.

use super::{EACCES, EFAULT, EINVAL, ENOMEM, EPERM, sys, with};
use crate::engine::by_value::NotPassed;
use crate::object::edt::Mode;
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
        // An event does not use it.
        let unused = destination.is_event().then_some(Mode::Rw);
        let Some(mode) = Mode::from_bits(mode).or(unused) else {
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
