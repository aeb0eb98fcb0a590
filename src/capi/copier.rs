//! What the EDT of a copy runs (`ocrDbCopy`), and copies that another node asks for.

use crate::capi::with;
use crate::engine::calls::copy::CopyRequest;
use crate::engine::nodes::work::NewCopy;
use crate::object::code::EdtDep;
use crate::object::guid::Guid;
use crate::status::Status;

/// Makes a copy for another node, which has the caller.
pub(super) fn copy_for(node: u32, new: NewCopy) -> Status {
    let copy = CopyRequest {
        destination: new.destination,
        destination_offset: new.destination_offset,
        source: new.source,
        source_offset: new.source_offset,
        size: new.size,
        destroys_source: new.destroys_source,
        divides: false,
        sizes_elsewhere: [None; 2],
    };
    let copied = with(Err(Status::EPERM), |context| {
        let copied = context.copy_block_for((node, new.scope), copy, run_copy, new.completion);
        copied.map_err(Status::from)
    });
    copied.err().unwrap_or(Status::OK)
}

/// The function that the EDT of a copy runs. It calls the interface, as a function of the program would, so that strict
/// mode sees what it does.
///
/// The parameters are those of `Context::copy_block`: the offset in the destination, the offset in the source, the size
/// (all in bytes), whether the source is destroyed, and the destination's GUID. With two pre-slots the first is the
/// source; with one, nothing is copied.
///
/// # Safety
/// `paramv` has these five parameters and `depv` has `depc` elements. With two pre-slots, both have a block that the
/// EDT holds, and the bytes are within the blocks.
pub(super) unsafe extern "C" fn run_copy(_: u32, paramv: *mut u64, depc: u32, depv: *mut EdtDep) -> Guid {
    // SAFETY: the caller passes five parameters, each a word.
    let [to, from, size, destroys, destination] = unsafe { paramv.cast::<[u64; 5]>().read() };
    if depc == 1 {
        // SAFETY: `depv` has `depc` elements, which is one here.
        let one = unsafe { depv.read() };
        if destroys != 0 {
            // SAFETY: `ocrDbDestroy` has no pointers, and accepts any GUID.
            unsafe { super::db::ocrDbDestroy(one.guid.into()) };
        }
        return Guid::from_bits(destination);
    }
    // SAFETY: an EDT of a copy has one pre-slot or two, and it does not have one, so `depv` has two elements.
    let [source, destination] = unsafe { depv.cast::<[EdtDep; 2]>().read() };
    let from = source.ptr.cast::<u8>().wrapping_add(from as usize);
    let to = destination.ptr.cast::<u8>().wrapping_add(to as usize);
    // SAFETY: the caller promises that the ranges are within the blocks, which the EDT holds: the source for reading,
    // the destination for writing. They are two blocks, so the ranges do not overlap.
    unsafe { to.copy_from_nonoverlapping(from, size as usize) };
    if destroys != 0 {
        // SAFETY: `ocrDbDestroy` has no pointers, and accepts any GUID.
        unsafe { super::db::ocrDbDestroy(source.guid.into()) };
    }
    destination.guid
}
