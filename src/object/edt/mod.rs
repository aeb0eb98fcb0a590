//! An EDT: 64 bytes of header and fields, then its pre-slots and parameters.
//!
//! ```text
//!            creation            last pre-slot satisfied            has run
//!   free ---------------> waiting ---------------------> runnable ----------> free
//!                            |                               |
//!            ocrEdtDestroy   |                               | has run, and returned an event that its
//!                            v                               v own output event, in the slot, waits for
//!                         zombie                           ended
//!                            | no event's list               | the output event is triggered
//!                            v leads to it any more          v or destroyed
//!                          free                            free
//!
//!   The slot of a label:
//!            creation          the function begins           the EDT ends
//!   free ---------------> named ---------------> started ------------------> free
//!                           |                       |
//!        destroyed, or its  v end          creation | of the next EDT on the label
//!                         free                      v
//!                                                 named
//! ```
//!
//! | state | count is | touched by | left by |
//! |---|---|---|---|
//! | free | 0 | holder of the free slot | creation |
//! | waiting | pre-slots not satisfied | holder of the lock | the count reaching 0: the thread that brought it there owns the EDT; or `ocrEdtDestroy` |
//! | zombie | pre-slots still linked to events | holder of the lock | the count reaching 0: freed; never, where the generations of the slot are used up |
//! | runnable | outstanding fetches | the owner, but snapshots and strict mode read the place, the flags and the pre-slots; handed on through a block's queue, a fetch, a ready queue or a launch, each of which orders the old owner's writes before the new one's reads | having run: freed by the worker or the device manager's thread |
//! | ended | 0 | holder of the lock | its output event, which is in it, being triggered or destroyed: freed |
//! | named | 0 | holder of the lock | its EDT's function beginning: started; its EDT's end or destruction: freed |
//! | started | 0 | holder of the lock | its EDT's end: freed; or the creation of the next EDT on the label |
//!
//! # Labels
//!
//! The slot of a label has no EDT, but names one, which is in a slot of its own: it is "named" or "started", with
//! the GUID of that slot in the word of the output event. So a label is free for the next EDT where the lists of
//! events, which lead to slots, still lead to one that was destroyed. And while the function of an EDT runs
//! ("started"), the program may have the next EDT on its label: with `GUID_PROP_IS_LABELED` alone, by which it
//! says that it knows what it does. No program needs the GUID of an EDT that runs, and programs for OCR-Vx, where it
//! goes before, make chains of EDTs so.
//!
//! # The output event
//!
//! A new output event is a once event that goes with the EDT's end, so most EDTs have it in
//! themselves: a list of the pre-slots that wait, in the word that otherwise has the GUID of the
//! event. It has a GUID of its own, made of the EDT's ([`Guid::output_of`]), and is guarded by the
//! lock of the EDT's header in every state of the EDT, also where the rest is its owner's. An EDT
//! that has returned an event leaves its slot to the output event until that has come: state
//! "ended". A finish EDT's output event belongs to its scope, and one that is labeled or has an
//! allocation has a slot of its own, as has every event in strict mode, which tells more of it.
//!
//! A pre-slot is two words. Until the EDT is runnable they mean:
//!
//! | pre-slot | first word | second word |
//! |---|---|---|
//! | unconnected | `UNCONNECTED` | - |
//! | connected | sign bit and mode | the rest of the event's list, owned by the event's lock |
//! | satisfied | GUID of the data block, or 0 | mode |
//!
//! and from then on the second word also threads the distinct blocks in the order in which they
//! are locked (see [`SlotInfo`]).
//!
//! `store.rs` keeps EDTs, `slot.rs` has pre-slots and modes, `flags.rs` the bits beside the state, and `saved.rs` what
//! a checkpoint has of an EDT.

mod flags;
mod saved;
mod slot;
mod store;

pub(crate) use flags::{EdtFlags, FlagsCell};
pub(crate) use slot::{Mode, NO_SLOT, PreSlot, SlotInfo};
pub(crate) use store::{EdtCaches, Edts};

use super::code::Code;
use super::guid::{Guid, Kind};
use super::header::{Header, Locked, states};
use super::link::Link;
use super::remains;
use super::scope::Scope;
use ocr_place::place::PlaceCell;
use std::cell::Cell;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};

states! {
    /// The states of an EDT.
    pub enum EdtState {
        /// Created, with pre-slots that are not satisfied.
        Waiting = 1,
        /// Destroyed by the program while pre-slots are linked to events.
        Zombie = 2,
        /// All pre-slots are satisfied, and one thread or queue owns the EDT.
        Runnable = 3,
        // In the states from here on, the GUID of the slot names no EDT that is in it.
        /// The EDT has run, and the output event that is in its slot waits for the event that it returned.
        Ended = 4,
        /// The slot is that of a label, and names an EDT.
        Named = 5,
        /// The slot is that of a label, and names an EDT that has begun to run; it may name the next one.
        Started = 6,
    }
}

impl EdtState {
    /// Whether the GUID of the slot names an EDT that is in it.
    #[inline(always)]
    fn is_in_slot(self) -> bool {
        (self as u8) < EdtState::Ended as u8
    }

    /// Whether it is the slot of a label, and names an EDT in another one.
    #[inline(always)]
    fn names(self) -> bool {
        matches!(self, EdtState::Named | EdtState::Started)
    }
}

/// The lock of an EDT.
pub(crate) type LockedEdt<'a> = Locked<'a, EdtState>;

/// A field that one thread at a time writes. Snapshots and strict mode read it without being in order with the writer.
/// They may read what was there before.
#[derive(Default)]
pub struct AtomicView<T>(T);

impl AtomicView<AtomicU32> {
    /// Reads the field; others than the writer may get an older value.
    #[inline(always)]
    pub fn get(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }

    /// Writes the field, which one thread at a time may do.
    #[inline(always)]
    pub fn set(&self, to: u32) {
        self.0.store(to, Ordering::Relaxed);
    }
}

impl AtomicView<AtomicPtr<Code>> {
    /// Reads the field; others than the writer may get an older value, and one that has looked at a slot without its
    /// lock a newer one.
    #[inline(always)]
    pub fn get(&self) -> *const Code {
        self.0.load(Ordering::Relaxed)
    }

    /// Writes the field, which one thread at a time may do.
    #[inline(always)]
    pub fn set(&self, to: *const Code) {
        self.0.store(to.cast_mut(), Ordering::Relaxed);
    }
}

/// What the word of the output event has beside the list where the event is in the EDT.
const INSIDE: u64 = 1 << 63;

/// The index space given to `ocrOpenclTaskCreate`, and the device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub struct ExplicitRange {
    /// How many dimensions are in use, 1 to 3.
    pub work_dim: u64,
    /// The first global id in each dimension.
    pub offset: [u64; 3],
    /// Number of work-items, per dimension.
    pub global: [u64; 3],
    /// Local sizes; all 0 where the runtime chooses.
    pub local: [u64; 3],
    /// The device in use that was asked for, or `u64::MAX`.
    pub device: u64,
}

/// How many words an [`ExplicitRange`] takes.
pub(crate) const RANGE_WORDS: usize = size_of::<ExplicitRange>() / 8;

/// An EDT; its pre-slots and parameters follow it in memory, or are in an allocation whose address
/// follows it ([`Kind::EdtHuge`]).
#[repr(C, align(64))]
pub struct Edt {
    pub header: Header<EdtState>,
    /// What the EDT runs, interned.
    pub work: AtomicView<AtomicPtr<Code>>,
    /// The innermost finish scope it is in, or null.
    pub scope: Cell<*const Scope>,
    /// Its output event: a GUID; or [`INSIDE`] and the list of what waits for it; or the mark that it leaves when it
    /// has triggered and the EDT is gone ([`super::remains`]).
    output: AtomicU64,
    /// The next EDT in the queue it is in.
    pub link: Cell<*const Edt>,
    /// Its slot in the arena.
    index: Cell<u32>,
    pub depc: Cell<u32>,
    pub paramc: Cell<u32>,
    /// The slot of the first block in lock order.
    pub first: AtomicView<AtomicU32>,
    /// The slot of the block it holds or waits for last.
    pub cursor: Cell<u32>,
    kind: Cell<u8>,
    /// What is special about it.
    pub flags: FlagsCell,
    /// Where it runs, once placed.
    pub place: PlaceCell,
    /// Which kernel variant it runs, where `place` is a device.
    pub variant: Cell<u8>,
}

// SAFETY: the cells are touched by the rules of the table above.
unsafe impl Sync for Edt {}

impl Edt {
    fn kind(&self) -> Kind {
        Kind::of_number(self.kind.get()).unwrap_or(Kind::EdtHuge)
    }

    /// The GUID by which the program knows the EDT: its label, if it has one.
    #[inline]
    pub fn guid(&self) -> Guid {
        if !self.is_huge() { self.own_guid() } else { self.label().unwrap_or_else(|| self.own_guid()) }
    }

    /// The GUID of the slot it is in: its own, but for one on a label.
    #[inline]
    pub fn own_guid(&self) -> Guid {
        Guid::new(self.kind(), self.header.peek().generation(), self.index.get())
    }

    /// Whether it may be on a label: it is of the kind that may have any size.
    #[inline]
    pub fn is_huge(&self) -> bool {
        self.kind.get() == Kind::EdtHuge as u8
    }

    /// Its label, if it has one.
    #[cold]
    pub fn label(&self) -> Option<Guid> {
        if !self.is_huge() {
            return None;
        }
        // SAFETY: the words of an EDT of the kind `EdtHuge` begin with an `Allocation`, which is written before the EDT
        // is known.
        let label = Guid::from_bits(unsafe { (*self.allocation()).label });
        (!label.is_null()).then_some(label)
    }

    /// Whether others may wait for its end, beside those that wait for one of its blocks, or for the scope that it is
    /// in. The caller owns the EDT.
    pub fn is_awaited(&self) -> bool {
        self.flags.get().are_of_an_awaited_edt() || !self.output().is_null()
    }

    /// Sets the output event, which has a slot of its own, of an EDT that is not published,
    /// or that the caller has locked.
    pub fn set_output(&self, output: Guid) {
        self.output.store(output.bits(), Ordering::Relaxed);
    }

    /// Makes an EDT that is not published have its output event in itself, if its kind can; the
    /// GUID of the event.
    #[inline]
    pub fn begin_output(&self) -> Option<Guid> {
        if self.kind() == Kind::EdtHuge {
            return None;
        }
        self.flags.add(EdtFlags::OUTPUT_INSIDE);
        self.output.store(INSIDE | Link::END.bits(), Ordering::Relaxed);
        Some(Guid::output_of(self.guid()))
    }

    /// Whether its output event is, or was, in it.
    #[inline]
    pub fn has_output_inside(&self) -> bool {
        self.flags.get().has_output_inside()
    }

    /// The GUID of its output event, or `NULL_GUID`. The caller has the lock, or owns the EDT and
    /// the event is not in it.
    #[inline]
    pub fn output(&self) -> Guid {
        match self.waiting() {
            Some(_) => Guid::output_of(self.guid()),
            None => Guid::from_bits(self.output.load(Ordering::Relaxed)),
        }
    }

    /// What waits for the output event in this EDT, whose lock the caller has; `None` if none is
    /// there (any more). No link in this list has bit 63.
    #[inline]
    pub fn waiting(&self) -> Option<Link> {
        // The lock, or the owner, orders it.
        let output = self.output.load(Ordering::Relaxed);
        (output & INSIDE != 0).then(|| Link::from_bits(output & !INSIDE))
    }

    /// Whether a link can stand in the word of an output event: that to the increment slot of a latch
    /// cannot, and needs a connector.
    pub fn can_begin_with(link: Link) -> bool {
        link.bits() & INSIDE == 0
    }

    /// Sets the list of what waits for the output event that is in this EDT, whose lock the caller
    /// has.
    #[inline]
    pub fn set_waiting(&self, list: Link) {
        debug_assert!(self.waiting().is_some() && Edt::can_begin_with(list));
        self.output.store(INSIDE | list.bits(), Ordering::Relaxed);
    }

    /// Takes the output event out of the EDT, whose lock the caller has: what waited for it.
    #[inline]
    pub fn take_waiting(&self) -> Option<Link> {
        let waiting = self.waiting()?;
        self.set_output(Guid::NULL);
        Some(waiting)
    }

    /// Leaves the mark of an output event that has triggered with a data block or `NULL_GUID` in an EDT that is freed
    /// under this lock.
    #[inline]
    fn leave_mark(&self, data: Guid) {
        // Pairs with what reads it in `remains_of_output`.
        self.output.store(remains::mark(data), Ordering::Release);
    }

    /// A link to one of its pre-slots.
    pub fn link_to(&self, slot: u32) -> Link {
        Link::to_edt(self.kind(), self.index.get(), slot)
    }

    /// The words that follow the fields: EDTs exist in `store::SizedEdt` alone.
    fn following(&self) -> *const Cell<u64> {
        std::ptr::from_ref(self).wrapping_add(1).cast()
    }

    /// Where an EDT of kind [`Kind::EdtHuge`] has its words.
    fn allocation(&self) -> *mut store::Allocation {
        self.following().cast_mut().cast()
    }

    fn words(&self) -> *const Cell<u64> {
        if self.kind.get() == Kind::EdtHuge as u8 {
            // SAFETY: the words of an EDT of the kind `EdtHuge` begin with an `Allocation`, which is written before the
            // EDT is known.
            unsafe { (*self.allocation()).words }.cast()
        } else {
            self.following()
        }
    }

    #[inline]
    pub fn slots(&self) -> &[PreSlot] {
        // SAFETY: the words of an EDT begin with `depc` pre-slots of two words each, which live as long as the EDT
        // does.
        unsafe { std::slice::from_raw_parts(self.words().cast(), self.depc.get() as usize) }
    }

    /// Where the parameters are, `paramc` of them.
    #[inline]
    pub fn params_ptr(&self) -> *mut u64 {
        self.words().wrapping_add(2 * self.depc.get() as usize).cast_mut().cast()
    }

    #[inline]
    pub fn params(&self) -> &[u64] {
        // SAFETY: `paramc` words stand behind the pre-slots; they are written at creation, before
        // anybody else knows the EDT, and by its own function while it runs.
        unsafe { std::slice::from_raw_parts(self.params_ptr(), self.paramc.get() as usize) }
    }

    /// The index space given at creation, if there was one.
    pub fn explicit_range(&self) -> Option<ExplicitRange> {
        (self.flags.get().has_range()).then(|| {
            let at = self.params_ptr().wrapping_add(self.paramc.get() as usize);
            // SAFETY: with this flag, the words of a range stand behind the parameters.
            unsafe { at.cast::<ExplicitRange>().read() }
        })
    }

    /// The innermost finish scope it is in.
    pub fn finish_scope(&self) -> Option<&'static Scope> {
        // SAFETY: a scope is open as long as an EDT in it has not checked out, and its slot lives
        // as long as the runtime.
        unsafe { self.scope.get().as_ref() }
    }

    pub fn work(&self) -> &'static Code {
        // SAFETY: the field was set when the EDT was made, to a `Code` of the table, which lives as long as the
        // runtime.
        unsafe { &*self.work.get() }
    }

    /// The slots of the distinct blocks, in lock order.
    pub fn blocks(&self) -> impl Iterator<Item = (u32, &PreSlot)> {
        let slots = self.slots();
        let mut at = self.first.get();
        std::iter::from_fn(move || {
            let slot = slots.get(at as usize)?;
            let here = at;
            at = slot.info().next;
            Some((here, slot))
        })
    }

    /// Threads the distinct blocks in GUID order through the slots, combining the modes of slots
    /// with the same block. The caller owns the EDT, whose slots are all satisfied.
    #[inline]
    pub fn order_blocks(&self) {
        if self.begin_order() {
            self.order_several(|block| block);
        }
    }

    /// Threads the distinct blocks through the slots in the order of `key`, in which the blocks of all EDTs have one.
    pub fn order_blocks_by<K: Ord>(&self, key: impl Fn(Guid) -> K) {
        if self.begin_order() {
            self.order_several(key);
        }
    }

    /// Notes the first slot with a block. Whether there are more.
    #[inline]
    fn begin_order(&self) -> bool {
        let slots = self.slots();
        let mut carriers = (0u32..).zip(slots).filter(|(_, slot)| !slot.data().is_null());
        let first = carriers.next().map_or(NO_SLOT, |(at, _)| at);
        // A satisfied slot begins as the last.
        self.first.set(first);
        self.cursor.set(first);
        carriers.next().is_some()
    }

    /// Goes back to before the first block in lock order was acquired.
    pub fn begin_locking(&self) {
        self.flags.remove(EdtFlags::FETCH | EdtFlags::DENIED);
        self.cursor.set(self.first.get());
    }

    fn order_several<K: Ord>(&self, key: impl Fn(Guid) -> K) {
        let slots = self.slots();
        let carries = |&at: &u32| !slots[at as usize].data().is_null();
        let mut few = [0u32; 8];
        let mut many;
        let order: &mut [u32] = if slots.len() <= few.len() {
            let mut len = 0;
            for at in (0..slots.len() as u32).filter(carries) {
                few[len] = at;
                len += 1;
            }
            &mut few[..len]
        } else {
            many = (0..slots.len() as u32).filter(carries).collect::<Vec<_>>();
            &mut many
        };
        order.sort_unstable_by_key(|&at| (key(slots[at as usize].data()), at));
        let mut last: Option<u32> = None;
        for &at in order.iter() {
            let slot = &slots[at as usize];
            let mut info = slot.info();
            match last {
                Some(before) if slots[before as usize].data() == slot.data() => {
                    info.duplicate = true;
                    slot.set_info(info);
                    let first = &slots[before as usize];
                    let mut stands = first.info();
                    stands.mode = stands.mode.combined(info.mode);
                    first.set_info(stands);
                    continue;
                }
                Some(before) => {
                    let mut info = slots[before as usize].info();
                    info.next = at;
                    slots[before as usize].set_info(info);
                }
                None => self.first.set(at),
            }
            last = Some(at);
        }
        self.cursor.set(self.first.get());
    }
}

/// A runnable EDT on its way: the thread or queue that has this owns the EDT.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub(crate) struct EdtRef(*const Edt);

// SAFETY: an EDT is owned by one thread at a time; the queues it goes through order accesses.
unsafe impl Send for EdtRef {}

impl EdtRef {
    /// A reference to hand on.
    pub(crate) fn new(edt: &Edt) -> EdtRef {
        EdtRef(edt)
    }

    /// The EDT, which lives as long as somebody may run it.
    pub(crate) fn get(self) -> &'static Edt {
        // SAFETY: arenas live as long as the runtime, and the EDT as long as it is owned.
        unsafe { &*self.0 }
    }

    /// A number to hand through the device manager.
    pub(crate) fn token(self) -> usize {
        self.0 as usize
    }

    /// The reference with this number.
    ///
    /// # Safety
    /// It was made by `token`, and is turned back once.
    pub(crate) unsafe fn from_token(token: usize) -> EdtRef {
        EdtRef(token as *const Edt)
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
