//! An EDT: 64 bytes of header and fields, then its pre-slots and parameters.
//!
//! | state | count is | who may touch it | left by |
//! |---|---|---|---|
//! | free | 0 | holder of the free slot | creation |
//! | waiting | pre-slots not satisfied, +1 while it is being created | holder of the lock | the count reaching 0: the one who brought it there owns the EDT; or `ocrEdtDestroy` |
//! | zombie | pre-slots still linked to events | holder of the lock | the count reaching 0: freed |
//! | runnable | outstanding fetches | the owner; handed on through a block's queue, a fetch, a ready queue or a launch, each of which orders the old owner's writes before the new one's reads | having run: freed by the worker or the device manager's thread |
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

use super::arena::{Cache, Slot};
use super::guid::{Guid, Kind};
use super::header::{Header, Locked};
use super::link::Link;
use super::place::Place;
use super::scope::Scope;
use super::work::Work;
use std::cell::Cell;

/// State: created, with pre-slots that are not satisfied.
pub const WAITING: u8 = 1;
/// State: destroyed by the program while pre-slots are linked to events.
pub const ZOMBIE: u8 = 2;
/// State: all pre-slots satisfied.
pub const RUNNABLE: u8 = 3;

/// How an EDT uses a data block: `ocrDbAccessMode_t`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
#[repr(u8)]
pub enum Mode {
    /// A control dependence: the block is not acquired and the EDT does not see it.
    Null = 0,
    /// `DB_MODE_CONST`.
    Const = 1,
    /// `DB_MODE_RW`.
    Rw = 2,
    /// `DB_MODE_EW`.
    Ew = 4,
    /// `DB_MODE_RO`.
    Ro = 8,
}

impl Mode {
    /// The mode with the number of `ocrDbAccessMode_t`.
    pub fn from_bits(bits: u32) -> Option<Mode> {
        Some(match bits {
            0 => Mode::Null,
            1 => Mode::Const,
            2 => Mode::Rw,
            4 => Mode::Ew,
            8 => Mode::Ro,
            _ => return None,
        })
    }

    /// Whether the EDT may write.
    pub fn writes(self) -> bool {
        matches!(self, Mode::Rw | Mode::Ew)
    }

    /// One mode that allows what both allow and promises what both promise. The specification
    /// leaves different modes for one block on several slots undefined (2.8.1); this is kind.
    pub fn combined(self, other: Mode) -> Mode {
        use Mode::*;
        match (self, other) {
            (mode, Null) | (Null, mode) => mode,
            (a, b) if a == b => a,
            (Ew, _) | (_, Ew) | (Rw, Const) | (Const, Rw) => Ew,
            (Rw, _) | (_, Rw) => Rw,
            _ => Const,
        }
    }
}

/// The first word of a pre-slot that nothing is connected to: the bits of `UNINITIALIZED_GUID`.
pub const UNCONNECTED: u64 = -2i64 as u64;
const CONNECTED: u64 = 1 << 63;

/// No slot: the end of the order of blocks.
pub const NO_SLOT: u32 = u32::MAX;

/// The second word of a satisfied pre-slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SlotInfo {
    /// The mode asked for; on the slot that stands for a block in the order, the combined mode.
    pub mode: Mode,
    /// Another slot of this EDT stands for this block.
    pub duplicate: bool,
    /// The EDT gave the block back before its end.
    pub released: bool,
    /// The slot of the next block to lock, or [`NO_SLOT`].
    pub next: u32,
}

impl SlotInfo {
    fn from_bits(bits: u64) -> SlotInfo {
        SlotInfo {
            mode: Mode::from_bits(bits as u32 & 0xf).unwrap_or(Mode::Null),
            duplicate: bits & 0x10 != 0,
            released: bits & 0x20 != 0,
            next: (bits >> 32) as u32,
        }
    }

    fn bits(self) -> u64 {
        self.mode as u64
            | (self.duplicate as u64) << 4
            | (self.released as u64) << 5
            | (self.next as u64) << 32
    }
}

/// One pre-slot; see the module.
#[repr(C)]
pub struct PreSlot {
    first: Cell<u64>,
    second: Cell<u64>,
}

impl PreSlot {
    /// Makes it unconnected.
    pub fn clear(&self) {
        self.first.set(UNCONNECTED);
    }

    /// Whether nothing is connected to it.
    pub fn is_unconnected(&self) -> bool {
        self.first.get() == UNCONNECTED
    }

    /// The mode asked for, if it is connected and not satisfied.
    pub fn connected_mode(&self) -> Option<Mode> {
        let first = self.first.get();
        (first & CONNECTED != 0 && first != UNCONNECTED)
            .then(|| Mode::from_bits(first as u32 & 0xf).unwrap_or(Mode::Null))
    }

    /// Records that an event will satisfy it.
    pub fn connect(&self, mode: Mode) {
        self.first.set(CONNECTED | mode as u64);
    }

    /// The rest of the list that this slot is a node of.
    pub fn rest(&self) -> Link {
        Link::from_bits(self.second.get())
    }

    /// Sets the rest of the list.
    pub fn set_rest(&self, rest: Link) {
        self.second.set(rest.bits());
    }

    /// Satisfies it with a data block or with `NULL_GUID`.
    pub fn satisfy(&self, data: Guid, mode: Mode) {
        // A control dependence shows neither GUID nor pointer to the EDT.
        let data = if mode == Mode::Null { Guid::NULL } else { data };
        self.first.set(data.bits());
        self.set_info(SlotInfo {
            mode,
            duplicate: false,
            released: false,
            next: NO_SLOT,
        });
    }

    /// The data block of a satisfied slot, or `NULL_GUID`.
    pub fn data(&self) -> Guid {
        Guid::from_bits(self.first.get())
    }

    /// What a satisfied slot knows.
    pub fn info(&self) -> SlotInfo {
        SlotInfo::from_bits(self.second.get())
    }

    /// Sets what a satisfied slot knows.
    pub fn set_info(&self, info: SlotInfo) {
        self.second.set(info.bits());
    }
}

/// The EDT is the root of a finish scope.
pub const FINISH: u8 = 1;
/// Behind the parameters stand a [`ExplicitRange`]'s words.
pub const HAS_RANGE: u8 = 2;
/// A block that it was granted has no host copy that is ready to be used.
pub const FETCH: u8 = 4;

/// The index space given to `ocrOpenclTaskCreate`, and the device.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ExplicitRange {
    /// 1 to 3.
    pub work_dim: u64,
    /// Global offsets.
    pub offset: [u64; 3],
    /// Global sizes.
    pub global: [u64; 3],
    /// Local sizes; all 0 where the runtime chooses.
    pub local: [u64; 3],
    /// The device in use that was asked for, or `u64::MAX`.
    pub device: u64,
}

/// How many words an [`ExplicitRange`] takes.
pub const RANGE_WORDS: usize = size_of::<ExplicitRange>() / 8;

/// An EDT; its pre-slots and parameters follow it in memory, or are in an allocation whose address
/// follows it ([`Kind::EdtHuge`]).
#[repr(C, align(64))]
pub struct Edt {
    /// Generation, count and state.
    pub header: Header,
    /// What it does.
    pub work: Cell<*const Work>,
    /// The innermost finish scope it is in, or null.
    pub scope: Cell<*const Scope>,
    /// Its output event, or `NULL_GUID`.
    pub output: Cell<Guid>,
    /// The next EDT in the queue it is in.
    pub link: Cell<*const Edt>,
    /// Its slot in the arena; while free, the next free slot.
    index: Cell<u32>,
    /// Number of pre-slots.
    pub depc: Cell<u32>,
    /// Number of parameters.
    pub paramc: Cell<u32>,
    /// The slot of the first block in lock order.
    pub first: Cell<u32>,
    /// The slot of the block it holds or waits for last.
    pub cursor: Cell<u32>,
    kind: Cell<u8>,
    /// [`FINISH`], [`HAS_RANGE`], [`FETCH`].
    pub flags: Cell<u8>,
    /// Where it runs, once placed.
    pub place: Cell<Place>,
    /// Which kernel variant it runs, where `place` is a device.
    pub variant: Cell<u8>,
}

// SAFETY: the cells are touched by the rules of the table above.
unsafe impl Sync for Edt {}

/// Words behind the fields, by kind.
const WORDS: [usize; 3] = [8, 24, 56];

/// An EDT and `N` words.
#[repr(C, align(64))]
pub struct Sized<const N: usize> {
    edt: Edt,
    words: [Cell<u64>; N],
}

// SAFETY: as for `Edt`; the words belong to the EDT.
unsafe impl<const N: usize> Sync for Sized<N> {}

// SAFETY: zero is a free EDT; 64 + 8 * N is 128, 256 or 512; the fields are fixed.
unsafe impl<const N: usize> Slot for Sized<N> {
    fn header(&self) -> &Header {
        &self.edt.header
    }
    fn next_free(&self) -> &Cell<u32> {
        &self.edt.index
    }
}

/// The EDTs of all sizes.
#[derive(Default)]
pub struct Edts {
    small: super::arena::Arena<Sized<{ WORDS[0] }>>,
    medium: super::arena::Arena<Sized<{ WORDS[1] }>>,
    large: super::arena::Arena<Sized<{ WORDS[2] }>>,
    huge: super::arena::Arena<Sized<{ WORDS[0] }>>,
}

/// A thread's free EDT slots of all sizes.
#[derive(Default)]
pub struct EdtCaches([Cache; 4]);

macro_rules! by_kind {
    ($self:ident, $kind:expr, $arena:ident => $body:expr) => {
        match $kind {
            Kind::EdtSmall => {
                let $arena = &$self.small;
                $body
            }
            Kind::EdtMedium => {
                let $arena = &$self.medium;
                $body
            }
            Kind::EdtLarge => {
                let $arena = &$self.large;
                $body
            }
            _ => {
                let $arena = &$self.huge;
                $body
            }
        }
    };
}

impl Edts {
    /// Takes a slot for an EDT with so many pre-slots and words of parameters. The EDT is free;
    /// pre-slots are unconnected, `index`, `kind`, `depc` are set. `None` when memory is used up.
    #[inline]
    pub fn allocate(&self, caches: &mut EdtCaches, depc: u32, param_words: usize) -> Option<&Edt> {
        let words = 2 * depc as usize + param_words;
        let kind = match words {
            _ if words <= WORDS[0] => Kind::EdtSmall,
            _ if words <= WORDS[1] => Kind::EdtMedium,
            _ if words <= WORDS[2] => Kind::EdtLarge,
            _ => Kind::EdtHuge,
        };
        let cache = &mut caches.0[kind as usize - Kind::EdtSmall as usize];
        let (index, edt) = by_kind!(self, kind, arena => {
            let (index, slot) = arena.allocate(cache)?;
            (index, &slot.edt)
        });
        edt.index.set(index);
        edt.kind.set(kind as u8);
        edt.depc.set(depc);
        if kind == Kind::EdtHuge {
            let mut memory = Vec::<u64>::new();
            if memory.try_reserve_exact(words).is_err() {
                by_kind!(self, kind, arena => arena.free(cache, index));
                return None;
            }
            memory.resize(words, 0);
            let memory = Box::leak(memory.into_boxed_slice());
            // SAFETY: an EDT of any kind is followed by at least eight words.
            let follows = unsafe { edt.following_words() };
            follows.set(memory.as_mut_ptr() as u64);
            // SAFETY: the second of the eight words.
            let length = unsafe { &*std::ptr::from_ref(follows).add(1) };
            length.set(words as u64);
        }
        for slot in edt.slots() {
            slot.clear();
        }
        Some(edt)
    }

    /// Takes back an EDT that was allocated and never published.
    pub fn give_back(&self, caches: &mut EdtCaches, edt: &Edt) {
        // A moment of life, since what is freed must have lived.
        edt.header.publish(edt.header.peek().with_state(RUNNABLE));
        self.free(caches, edt);
    }

    /// Takes back an EDT that the caller owns.
    #[inline]
    pub fn free(&self, caches: &mut EdtCaches, edt: &Edt) {
        let kind = edt.kind();
        let index = edt.index.get();
        if kind == Kind::EdtHuge {
            edt.free_words();
        }
        let word = edt.header.peek().freed();
        // The generations of the slot are used up: leave it zombie, and never hand it out again.
        let Some(word) = word else { return };
        edt.header.change(word);
        let cache = &mut caches.0[kind as usize - Kind::EdtSmall as usize];
        by_kind!(self, kind, arena => arena.free(cache, index));
    }

    /// The EDT in slot `index` of the arena of `kind`, live or free.
    #[inline]
    pub fn get(&self, kind: Kind, index: u32) -> Option<&Edt> {
        by_kind!(self, kind, arena => Some(&arena.get(index)?.edt))
    }

    /// Locks the EDT of this GUID, if it is alive.
    #[inline]
    pub fn lock(&self, guid: Guid) -> Option<(&Edt, Locked<'_>)> {
        let kind = guid.kind().filter(|kind| kind.is_edt())?;
        let edt = self.get(kind, guid.index())?;
        Some((edt, edt.header.lock(guid.generation())?))
    }

    /// All EDTs that are alive.
    pub fn live(&self) -> impl Iterator<Item = &Edt> {
        let small = self.small.live().map(|(_, _, slot)| &slot.edt);
        let medium = self.medium.live().map(|(_, _, slot)| &slot.edt);
        let large = self.large.live().map(|(_, _, slot)| &slot.edt);
        let huge = self.huge.live().map(|(_, _, slot)| &slot.edt);
        small.chain(medium).chain(large).chain(huge)
    }

    /// Gives an ending thread's free slots to the others.
    pub fn drain(&self, caches: &mut EdtCaches) {
        self.small.drain(&mut caches.0[0]);
        self.medium.drain(&mut caches.0[1]);
        self.large.drain(&mut caches.0[2]);
        self.huge.drain(&mut caches.0[3]);
    }
}

impl Drop for Edts {
    fn drop(&mut self) {
        for (_, _, slot) in self.huge.live() {
            slot.edt.free_words();
        }
    }
}

impl Edt {
    fn kind(&self) -> Kind {
        match self.kind.get() {
            4 => Kind::EdtSmall,
            5 => Kind::EdtMedium,
            6 => Kind::EdtLarge,
            _ => Kind::EdtHuge,
        }
    }

    /// Its GUID.
    pub fn guid(&self) -> Guid {
        Guid::new(
            self.kind(),
            self.header.peek().generation(),
            self.index.get(),
        )
    }

    /// A link to one of its pre-slots.
    pub fn link_to(&self, slot: u32) -> Link {
        Link::to_edt(self.kind(), self.index.get(), slot)
    }

    /// # Safety
    /// `self` is the first field of a `Sized`.
    unsafe fn following_words(&self) -> &Cell<u64> {
        let end = std::ptr::from_ref(self).wrapping_add(1).cast::<Cell<u64>>();
        // SAFETY: by the contract, words follow.
        unsafe { &*end }
    }

    fn words(&self) -> *const Cell<u64> {
        // SAFETY: EDTs exist in `Sized` alone.
        let follows = unsafe { self.following_words() };
        match self.kind() {
            Kind::EdtHuge => follows.get() as *const Cell<u64>,
            _ => follows,
        }
    }

    /// Its pre-slots.
    #[inline]
    pub fn slots(&self) -> &[PreSlot] {
        // SAFETY: `depc` pre-slots of two words each stand first.
        unsafe { std::slice::from_raw_parts(self.words().cast(), self.depc.get() as usize) }
    }

    /// Where its parameters are.
    #[inline]
    pub fn params_ptr(&self) -> *mut u64 {
        self.words()
            .wrapping_add(2 * self.depc.get() as usize)
            .cast_mut()
            .cast()
    }

    /// Its parameters.
    #[inline]
    pub fn params(&self) -> &[u64] {
        // SAFETY: `paramc` words stand behind the pre-slots; they are written at creation, before
        // anybody else knows the EDT, and by its own function while it runs.
        unsafe { std::slice::from_raw_parts(self.params_ptr(), self.paramc.get() as usize) }
    }

    /// The index space given at creation, if there was one.
    pub fn explicit_range(&self) -> Option<ExplicitRange> {
        (self.flags.get() & HAS_RANGE != 0).then(|| {
            let at = self.params_ptr().wrapping_add(self.paramc.get() as usize);
            // SAFETY: with this flag, the words of a range stand behind the parameters.
            unsafe { at.cast::<ExplicitRange>().read() }
        })
    }

    /// What it does.
    pub fn work(&self) -> &'static Work {
        // SAFETY: works live as long as the runtime.
        unsafe { &*self.work.get() }
    }

    fn free_words(&self) {
        // SAFETY: EDTs exist in `Sized` alone.
        let follows = unsafe { self.following_words() };
        // SAFETY: the second of at least eight words.
        let length = unsafe { &*std::ptr::from_ref(follows).add(1) }.get() as usize;
        let words = std::ptr::slice_from_raw_parts_mut(follows.get() as *mut u64, length);
        // SAFETY: `allocate` leaked this box, and the EDT is not used any more.
        drop(unsafe { Box::from_raw(words) });
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
    pub fn order_blocks(&self) {
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
        order.sort_unstable_by_key(|&at| (slots[at as usize].data(), at));
        self.first.set(NO_SLOT);
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

/// A runnable EDT on its way: whoever has this owns the EDT.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub struct EdtRef(*const Edt);

// SAFETY: an EDT is owned by one thread at a time; the queues it goes through order accesses.
unsafe impl Send for EdtRef {}

impl EdtRef {
    /// A reference to hand on.
    pub fn new(edt: &Edt) -> EdtRef {
        EdtRef(edt)
    }

    /// The EDT.
    pub fn get(self) -> &'static Edt {
        // SAFETY: arenas live as long as the runtime, and the EDT as long as it is owned.
        unsafe { &*self.0 }
    }

    /// A number to hand through the device manager.
    pub fn token(self) -> usize {
        self.0 as usize
    }

    /// The reference with this number.
    ///
    /// # Safety
    /// It was made by `token`, and is turned back once.
    pub unsafe fn from_token(token: usize) -> EdtRef {
        EdtRef(token as *const Edt)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::object::header::Word;

    fn satisfied(edts: &Edts, caches: &mut EdtCaches, slots: &[(u32, Mode)]) -> &'static Edt {
        let edt = edts
            .allocate(caches, slots.len() as u32, 0)
            .expect("memory");
        for (slot, &(block, mode)) in edt.slots().iter().zip(slots) {
            let guid = if block == 0 {
                Guid::NULL
            } else {
                Guid::new(Kind::DataBlock, 0, block)
            };
            slot.satisfy(guid, mode);
        }
        edt.header.publish(Word::new(0, 0, RUNNABLE));
        // The arena outlives the test's use of it.
        EdtRef::new(edt).get()
    }

    #[test]
    fn sizes_are_as_planned() {
        assert_eq!(size_of::<Edt>(), 64);
        assert_eq!(size_of::<Sized<8>>(), 128);
        assert_eq!(size_of::<PreSlot>(), 16);
    }

    #[test]
    fn blocks_are_ordered_and_duplicates_combined() {
        let edts = Edts::default();
        let mut caches = EdtCaches::default();
        let edt = satisfied(
            &edts,
            &mut caches,
            &[
                (9, Mode::Ro),
                (3, Mode::Rw),
                (0, Mode::Rw),
                (9, Mode::Ew),
                (3, Mode::Rw),
            ],
        );
        edt.order_blocks();
        let order: Vec<_> = edt
            .blocks()
            .map(|(at, slot)| (at, slot.info().mode))
            .collect();
        assert_eq!(order, [(1, Mode::Rw), (0, Mode::Ew)]);
        assert!(edt.slots()[3].info().duplicate && edt.slots()[4].info().duplicate);
        edts.free(&mut caches, edt);
    }

    #[test]
    fn an_edt_of_any_size_keeps_slots_and_parameters_apart() {
        let edts = Edts::default();
        let mut caches = EdtCaches::default();
        for depc in [0u32, 1, 4, 5, 12, 28, 29, 1000] {
            let edt = edts.allocate(&mut caches, depc, 3).expect("memory");
            edt.paramc.set(3);
            for at in 0..3 {
                // SAFETY: three words were asked for.
                unsafe { edt.params_ptr().add(at).write(u64::MAX - at as u64) };
            }
            assert!(edt.slots().iter().all(PreSlot::is_unconnected));
            for (at, slot) in edt.slots().iter().enumerate() {
                slot.satisfy(
                    Guid::new(Kind::DataBlock, 1, 2 * depc - at as u32),
                    Mode::Const,
                );
            }
            assert_eq!(edt.params(), [u64::MAX, u64::MAX - 1, u64::MAX - 2]);
            edt.order_blocks();
            assert_eq!(edt.blocks().count(), depc as usize);
            edt.header
                .publish(Word::new(edt.guid().generation(), 0, RUNNABLE));
            edts.free(&mut caches, edt);
        }
    }

    #[test]
    fn modes_combine_to_what_serves_both() {
        assert_eq!(Mode::Const.combined(Mode::Rw), Mode::Ew);
        assert_eq!(Mode::Ro.combined(Mode::Rw), Mode::Rw);
        assert_eq!(Mode::Ro.combined(Mode::Const), Mode::Const);
        assert_eq!(Mode::Null.combined(Mode::Ro), Mode::Ro);
    }
}
