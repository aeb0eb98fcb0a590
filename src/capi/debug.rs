//! `extensions/ocr-debug.h`: the program's names for its objects, which messages show.

use crate::capi::sys::ocrGuid_t;
use crate::capi::{text, with};
use crate::engine::state::context::Context;
use crate::object::guid::Guid;
use crate::status::Status;
use crate::{check, heap};
use std::cell::RefCell;
use std::ffi::c_char;

thread_local! {
    /// The label for the next object that this thread creates, with the EDT that gave it; `NULL_GUID` for a thread
    /// outside of EDTs.
    static PENDING: RefCell<Option<(Guid, String)>> = const { RefCell::new(None) };
}

export! {
    /// Gives an object a label for messages. OCR-Vx.
    fn ocrAttachDebugLabel(
        object: ocrGuid_t,
        label: *const c_char,
        paramc: u32,
        paramv: *mut u64,
    ) -> u8, or Status::EFAULT; {
        // SAFETY: the header asks for a C string or null, and for `paramc` numbers or null.
        let Some(label) = (unsafe { labeled(label, paramc, paramv) }) else { return Status::EINVAL };
        if heap::is_low() {
            return Status::ENOMEM;
        }
        with(Status::EPERM, |context| {
            let runtime = context.runtime;
            if !runtime.registry.labels.attach(&runtime.objects, object.into(), &label) {
                return Status::EINVAL;
            }
            if let Some(check) = &runtime.check {
                check.history.label(object.into(), label);
            }
            Status::OK
        })
    }

    /// Gives a label to the next object that the caller creates; without strict mode the label is dropped. OCR-Vx.
    fn ocrPreAttachDebugLabel(label: *const c_char, paramc: u32, paramv: *mut u64) -> u8, or Status::EFAULT; {
        // SAFETY: the header asks for a C string or null, and for `paramc` numbers or null.
        let Some(label) = (unsafe { labeled(label, paramc, paramv) }) else { return Status::EINVAL };
        with(Status::EPERM, |context| {
            if check::is_on() {
                let next = Some((current(context), label));
                let _ = PENDING.try_with(|pending| pending.replace(next));
            }
            Status::OK
        })
    }

    /// Says that one EDT is a cause of another. Checks the GUIDs and does nothing: no tool here shows causes. OCR-Vx.
    fn ocrNoteCausality(source: ocrGuid_t, destination: ocrGuid_t) -> u8, or Status::EFAULT; {
        let are_edts = Guid::from(source).is_edt() && Guid::from(destination).is_edt();
        if are_edts { Status::OK } else { Status::EINVAL }
    }
}

/// The GUID of the calling EDT; `NULL_GUID` outside of EDTs.
fn current(context: &Context) -> Guid {
    context.current.map_or(Guid::NULL, super::super::object::edt::Edt::guid)
}

/// Takes the label for an object that this EDT has created now. `edt` is `NULL_GUID` for a thread outside of EDTs. None
/// without a label, or if another EDT gave it.
pub(super) fn pending(edt: Guid) -> Option<String> {
    // In a thread that ends, `PENDING` may be gone already.
    let (by, label) = PENDING.try_with(RefCell::take).ok()??;
    (by == edt).then_some(label)
}

/// The text of a label with its numbers behind it. None for a null label, or for numbers without `paramv`.
///
/// # Safety
/// `label` is null or a C string; `paramv` is null or has `paramc` elements.
unsafe fn labeled(label: *const c_char, paramc: u32, paramv: *const u64) -> Option<String> {
    if label.is_null() || (paramc != 0 && paramv.is_null()) {
        return None;
    }
    // SAFETY: the label is not null, so it is a C string.
    let mut label = unsafe { text(label) };
    for at in 0..paramc as usize {
        // SAFETY: `at` is below `paramc`, so `paramv` is not null, and has an element there.
        let number = unsafe { paramv.wrapping_add(at).read() };
        label += &format!(" {number}");
    }
    Some(label)
}
