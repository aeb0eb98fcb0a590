//! What the address of a crash looks like. Only reads, without locks, as the module says.

use crate::check::{ARGUMENT_QUARANTINE_BYTE, At, BLOCK_QUARANTINE_BYTE, REDZONE_BYTE};
use crate::engine::nodes::ending;
use crate::engine::state::runtime::Runtime;
use crate::message::Text;
use crate::object::data_block::{REACH, UNWRITTEN};
use crate::object::edt::{Edt, Mode, PreSlot};
use crate::object::guid::Guid;
use crate::stack;
use ocr_base::text::Counted;
use std::fmt;
use std::fmt::Write;

/// Addresses below are those of members and elements of an object at a null pointer: the system maps
/// nothing there.
const NULL_PAGES: usize = 64 << 10;
/// An access at most this many bytes behind a block of the EDT may have been meant for that block.
const NEAR: usize = 1 << 20;
/// No more pre-slots than this: what was overwritten may go round in a circle.
const MOST_SLOTS: usize = 1000;

/// Whether an address is that of a member of an object at a null pointer.
pub(crate) fn is_null_page(address: usize) -> bool {
    address < NULL_PAGES
}

/// Says what is known of an address.
pub(crate) fn describe(
    text: &mut Text,
    (runtime, edt): (&'static Runtime, Option<&Edt>),
    address: usize,
    code: libc::c_int,
    context: *const libc::c_void,
) -> fmt::Result {
    /// Linux says so where the processor does not tell the address.
    const SI_KERNEL: libc::c_int = 0x80;
    if code == SI_KERNEL {
        text.write_str(" at no address that there could be, or by a vector instruction at one that is not aligned")?;
        if runtime.check.is_some() {
            filled(text, context)?;
        }
        return counts(text, edt);
    }
    write!(text, " at address {address:#x}")?;
    if is_null_page(address) && stack::instruction(context) == Some(address) {
        return text.write_str(match address {
            0 => ": it called a function by a pointer that is null",
            _ => ": it called a function by a pointer that is none",
        });
    }
    if stack::instruction(context) == Some(address) && ending::is_here() {
        return text.write_str(
            ": it called a function by a pointer that is none here. On several nodes each process has functions and \
             variables at addresses of its own, so a pointer that came from another node is of no use. Give it to \
             ocrEdtTemplateCreate, which finds the function, or link the program with -no-pie",
        );
    }
    if is_null_page(address) {
        text.write_str(", close to a null pointer")?;
        return edt.map_or(Ok(()), |edt| null_pointers(text, edt));
    }
    if let Some(At { block, byte, len, .. }) = released(runtime, address) {
        return write!(
            text,
            ", byte {byte} of the data block {block}, which has {} and was released: an EDT that has released a data \
             block, or never held it, does not read it (OCR 1.1.0, 2.5.3). Move ocrDbRelease behind the last use of the \
             pointer, or remove it: the end of the EDT releases the block. An EDT that keeps a pointer to a block of \
             another EDT needs the block in one of its pre-slots",
            Counted(len as u64, "byte")
        );
    }
    if let Some((block, at, size)) = destroyed(runtime, address) {
        return write!(
            text,
            ", byte {at} of the data block {block}, which had {} and was destroyed: whoever has destroyed a \
             data block, or released it, does not use it any more (OCR 1.1.0, 2.5.2 and 2.5.3). Move ocrDbDestroy \
             behind the last use of the pointer, in this EDT and in others",
            Counted(size as u64, "byte")
        );
    }
    if let Some(place) = beside_any(runtime, edt, address) {
        return write!(
            text,
            ", {place}: an EDT uses a data block within its size, which counts bytes, not elements (OCR 1.1.0, 2.5.1)"
        );
    }
    if let Some(place) = edt.and_then(|edt| behind_slot(runtime, edt, address)) {
        return write!(text, ", {place}");
    }
    if runtime.check.is_some() {
        filled(text, context)?;
    }
    counts(text, edt)
}

/// The data block that was missed or is gone, if the address tells, in strict mode.
pub(crate) fn block(runtime: &Runtime, edt: Option<&Edt>, address: usize) -> Option<Guid> {
    let gone = destroyed(runtime, address).map(|(guid, ..)| guid);
    let gone = gone.or_else(|| released(runtime, address).map(|at| at.block));
    gone.or_else(|| beside_any(runtime, edt, address).map(|beside| beside.guid))
}

/// The destroyed block at the address, in strict mode, the byte of it, and its size.
fn destroyed(runtime: &Runtime, address: usize) -> Option<(Guid, usize, usize)> {
    runtime.check.as_ref()?.quarantined_at(address)
}

/// The block at the address that no EDT holds, in strict mode.
pub(crate) fn released(runtime: &Runtime, address: usize) -> Option<At> {
    let at = runtime.check.as_ref()?.closed_at(address)?;
    (at.closed && (0..at.len as isize).contains(&at.byte)).then_some(at)
}

/// Whether the access that a signal is about was a write, as far as the processor tells. Where it does not, it counts
/// as a read.
#[allow(unused_variables)]
pub(crate) fn is_write(context: *const libc::c_void) -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        /// The bit of the processor's error code.
        const WRITE: i64 = 2;
        let context = context.cast::<libc::ucontext_t>();
        // SAFETY: the system passes to a handler with SA_SIGINFO a pointer to the thread's context, which is there
        // until the handler returns. The handlers of crashes have that flag and pass the pointer on.
        let code = unsafe { (*context).uc_mcontext.gregs[libc::REG_ERR as usize] };
        code & WRITE != 0
    }
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// How many pre-slots and parameters the EDT has.
fn counts(text: &mut Text, edt: Option<&Edt>) -> fmt::Result {
    let Some(edt) = edt else { return Ok(()) };
    let (slots, params) = (edt.slots().len(), edt.paramc.get());
    write!(text, ". The EDT has depc {slots} (pre-slots, depv) and paramc {params} (parameters, paramv)")
}

/// An address beside a block.
struct NearBlock {
    distance: usize,
    side: &'static str,
    guid: Guid,
    slot: Option<u32>,
    size: u64,
}

impl fmt::Display for NearBlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NearBlock { distance, side, guid, size, .. } = self;
        write!(f, "{} {side} of the data block {guid}", Counted(*distance as u64, "byte"))?;
        if let Some(at) = self.slot {
            write!(f, " on its pre-slot {at}")?;
        }
        write!(f, ", which has {}", Counted(*size, "byte"))
    }
}

/// The blocks on the EDT's pre-slots that it has not released.
fn held(edt: &Edt) -> impl Iterator<Item = (u32, Guid)> {
    let blocks = edt.blocks().take(MOST_SLOTS);
    let blocks = blocks.filter(|(_, slot)| !slot.info().released);
    blocks.map(|(at, slot)| (at, slot.data()))
}

/// In strict mode, the block that the address is nearest to, of those that it is so close to that what guards it may
/// have stopped the access. Without strict mode blocks have no guards, and what lies beside one has nothing to do with
/// it.
fn beside_any(runtime: &Runtime, edt: Option<&Edt>, address: usize) -> Option<NearBlock> {
    runtime.check.as_ref()?;
    let blocks = runtime.objects.data_blocks.look();
    let beside = blocks.filter_map(|(guid, block)| {
        let (start, size) = (block.host_ptr() as usize, block.size());
        let (distance, side) = match address.checked_sub(start.checked_add(size as usize)?) {
            Some(distance) => (distance, "behind the end"),
            None => (start.saturating_sub(address), "before the start"),
        };
        // Within the block it is something else.
        let beside = side == "behind the end" || distance != 0;
        (start != 0 && beside && distance < REACH).then_some(NearBlock { distance, side, guid, slot: None, size })
    });
    let mut nearest = beside.min_by_key(|beside| beside.distance)?;
    let mut slots = edt.into_iter().flat_map(held);
    let slot = slots.find(|&(_, guid)| guid == nearest.guid);
    nearest.slot = slot.map(|(at, _)| at);
    Some(nearest)
}

/// A block on a pre-slot of the EDT that the address is not far behind.
fn behind_slot(runtime: &Runtime, edt: &Edt, address: usize) -> Option<NearBlock> {
    held(edt).find_map(|(at, guid)| {
        let block = runtime.objects.data_blocks.slot_of(guid)?;
        let end = (block.host_ptr() as usize).checked_add(block.size() as usize)?;
        let distance = address.checked_sub(end).filter(|&distance| distance < NEAR)?;
        Some(NearBlock { distance, side: "behind the end", guid, slot: Some(at), size: block.size() })
    })
}

/// Whether `depv[i].ptr` is NULL for this pre-slot of an EDT that runs.
pub(crate) fn is_null(slot: &PreSlot) -> bool {
    slot.data().is_null() || slot.info().mode == Mode::Null
}

/// The pre-slots for which it is.
pub(crate) fn without_block(edt: &Edt) -> impl Iterator<Item = usize> {
    let slots = edt.slots().iter().take(MOST_SLOTS).enumerate();
    let null = slots.filter(|(_, slot)| is_null(slot));
    null.map(|(at, _)| at)
}

/// Where the EDT has null pointers.
fn null_pointers(text: &mut Text, edt: &Edt) -> fmt::Result {
    /// The most pre-slots that the message names.
    const FEW: usize = 8;
    let mut found = without_block(edt);
    match found.next() {
        None => text.write_str(
            ". Of its pre-slots none was satisfied with NULL_GUID or has DB_MODE_NULL. Null is also what \
             ocrDbCreate stores with DB_PROP_NO_ACQUIRE, what ocrGetArgv answers beyond the last argument, \
             and what a variable may be left with where a call has failed: look at what calls return",
        ),
        Some(first) => {
            write!(
                text,
                ". depv[i].ptr is NULL where the pre-slot was satisfied with NULL_GUID or its mode is \
                          DB_MODE_NULL, and depv[i].guid is NULL_GUID then: here for i = {first}"
            )?;
            found.take(FEW).try_for_each(|at| write!(text, ", {at}"))?;
            text.write_str(". If it was none of these, look at what calls return")
        }
    }
}

/// Whether a register has what strict mode fills memory with.
fn filled(text: &mut Text, context: *const libc::c_void) -> fmt::Result {
    for (byte, what) in [
        (BLOCK_QUARANTINE_BYTE, "the memory of destroyed data blocks"),
        (UNWRITTEN, "the memory of new data blocks"),
        (REDZONE_BYTE, "what lies beyond paramv and depv"),
        (ARGUMENT_QUARANTINE_BYTE, "paramv and depv of EDTs that have ended"),
    ] {
        let word = u32::from_ne_bytes([byte; 4]);
        let has = |register: &i64| *register as u32 == word || (*register >> 32) as u32 == word;
        if registers(context).iter().any(has) {
            return write!(
                text,
                ". Strict mode fills {what} with bytes {byte:#x}, as the processor has in a \
                 register now: what is read there, a pointer or an index, is none"
            );
        }
    }
    Ok(())
}

/// The registers of the code that a signal has interrupted.
#[allow(unused_variables)]
fn registers(context: *const libc::c_void) -> [i64; 16] {
    #[cfg(target_arch = "x86_64")]
    {
        let context = context.cast::<libc::ucontext_t>();
        // SAFETY: the system passes to a handler with SA_SIGINFO a pointer to the thread's context, which is there
        // until the handler returns. The handlers of crashes have that flag and pass the pointer on.
        let all = unsafe { (*context).uc_mcontext.gregs };
        std::array::from_fn(|at| all[at])
    }
    #[cfg(not(target_arch = "x86_64"))]
    [0; 16]
}
