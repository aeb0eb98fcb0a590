//! The index space of a kernel: given at the creation of its EDT, or made by the template's range function.

use crate::device;
use crate::device::{BlockArg, InlineList};
use crate::engine::state::fatal::fatal;
use crate::engine::state::user_call;
use crate::object::code::NdRange;
use crate::object::edt::Edt;
use crate::object::name::EdtName;
use std::cell::Cell;
use std::ptr;

thread_local! {
    /// The EDT for which this thread runs a range function, or null.
    static RANGE_OF: Cell<*const Edt> = const { Cell::new(ptr::null()) };
}

/// The EDT for which this thread runs a range function. For the handler of a signal, too.
pub(crate) fn asks_range_of() -> Option<&'static Edt> {
    // SAFETY: the EDT is about to be launched, and slots live as long as the runtime.
    unsafe { RANGE_OF.get().as_ref() }
}

/// Says once that a kernel does nothing since it has work-items in some dimensions and none in another.
#[cold]
fn note_of_none(edt: &Edt, dimensions: u32, none: usize) {
    strict_note_once!(
        "the kernel of {} does nothing: its index space has {dimensions} dimensions, \
         but 0 work-items in dimension {none}. Set globalSize[{none}], or fewer dimensions.",
        EdtName::of(edt)
    );
}

/// Says that a kernel does nothing since the template's range function has set no size.
#[cold]
fn warn_of_none(edt: &Edt) {
    warning_once!(
        "the kernel of {} does nothing: globalSize[0] is 0. The template's range function sets it to the number of \
         work-items.",
        EdtName::of(edt)
    );
}

/// The most work-items of a launch. With more a device would be busy for days or years. PoCL ends the process then, and
/// with fewer, too, where they are 2^32 work-groups or more.
const MOST_WORK_ITEMS: usize = 1 << 56;

/// The index space of an EDT: given at creation, or made by the template's function.
pub(crate) fn range_of(edt: &Edt, variant: usize, blocks: &[Option<BlockArg>], strict: bool) -> device::LaunchRange {
    let mut range = NdRange::default();
    if let Some(given) = edt.explicit_range() {
        range.work_dim = given.work_dim as u32;
        range.global_offset = given.offset.map(|n| n as usize);
        range.global_size = given.global.map(|n| n as usize);
        range.local_size = given.local.map(|n| n as usize);
    } else if let Some(function) = edt.work().kernels[variant].range {
        let sizes: InlineList<u64> = blocks.iter().map(|arg| arg.as_ref().map_or(0, |arg| arg.block.size())).collect();
        let (paramc, depc) = (edt.paramc.get(), edt.depc.get());
        // The parameters are passed as an EDT's function gets them: null where there are none.
        let params = match paramc {
            0 => ptr::null(),
            _ => edt.params().as_ptr(),
        };
        let sizes = match depc {
            0 => ptr::null(),
            _ => sizes.as_ptr(),
        };
        RANGE_OF.set(edt);
        user_call::call(|| {
            // SAFETY: the program's function gets what `ocrNdRangeFn_t` promises: `paramc` parameters and `depc` sizes,
            // or null for none, which live during the call, and a range that it may write.
            unsafe { function(paramc, params, depc, sizes, &mut range) }
        });
        RANGE_OF.set(ptr::null());
    } else {
        fatal(&format!(
            "{}: the number of its work-items is not known. Its kernel is that of \
             ocrOpenclTemplateCreate: create the EDT by ocrOpenclTaskCreate, or add the kernel by \
             ocrEdtTemplateAddKernel, with a function that says it.",
            EdtName::of(edt)
        ));
    }
    if !(1..=3).contains(&range.work_dim) {
        fatal(&format!(
            "{}: its index space has {} dimensions; it must have 1 to 3. \
             Set workDim in the template's range function, or pass work_dim to \
             ocrOpenclTaskCreate.",
            EdtName::of(edt),
            range.work_dim
        ));
    }
    let sizes = &range.global_size[..range.work_dim as usize];
    let all = (sizes.iter()).try_fold(1usize, |all, size| all.checked_mul(*size));
    if all.is_none_or(|all| all > MOST_WORK_ITEMS) && !sizes.contains(&0) {
        fatal(&format!(
            "{}: its index space has {sizes:?} work-items in its dimensions, with which no device \
             comes to an end. A size may be negative, or was never set: globalSize in the template's range function, \
             or global_work_size of ocrOpenclTaskCreate.",
            EdtName::of(edt)
        ));
    }
    if sizes.iter().all(|size| *size == 0) {
        // With 0 in ocrOpenclTaskCreate the program says so itself (extensions/ocr-opencl.h).
        if edt.explicit_range().is_none() {
            warn_of_none(edt);
        }
    } else if strict && let Some(none) = sizes.iter().position(|size| *size == 0) {
        note_of_none(edt, range.work_dim, none);
    }
    device::LaunchRange {
        work_dim: range.work_dim,
        offset: range.global_offset,
        global: range.global_size,
        local: (range.local_size[0] != 0).then_some(range.local_size),
    }
}
