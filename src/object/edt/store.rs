//! Where EDTs are kept: an arena for each of three sizes, and one for those whose pre-slots and
//! parameters do not fit and stand in an allocation of their own.

use super::{Edt, EdtFlags, EdtState, LockedEdt, NO_SLOT};
use crate::heap;
use crate::object::arena::{Arena, Cache, CreateOnLabelError, LabelTakenError, Labels, Slot};
use crate::object::guid::{Guid, Kind};
use crate::object::header::{Header, Word};
use crate::object::hints::{EDT_PRIORITY, HintSet, Hints};
use crate::object::link::Link;
use crate::object::remains::{self, Remains};
use crate::object::saved::{Saved, malformed};
use crate::object::zone::{Zone, is_made_for_other};
use std::cell::Cell;
use std::io;
use std::sync::atomic::{Ordering, fence};

/// Words behind the fields, by kind.
const WORDS: [usize; 3] = [8, 24, 56];

/// An EDT and `N` words.
#[repr(C, align(64))]
pub(super) struct SizedEdt<const N: usize> {
    pub(super) edt: Edt,
    words: [Cell<u64>; N],
}

// SAFETY: an `Edt` may be shared; the words behind it belong to that EDT, and are read and written by its owner alone.
unsafe impl<const N: usize> Sync for SizedEdt<N> {}

// SAFETY: zero is a free EDT; 64 + 8 * N is 128, 256 or 512; the fields are fixed.
unsafe impl<const N: usize> Slot for SizedEdt<N> {
    // Each may stand in a queue, which doubles, and in another one meanwhile; and it may have hints.
    const KEPT: usize = 40;

    // Those of EDTs that have the output event in themselves.
    const HAS_REMAINS: bool = true;

    type State = EdtState;

    fn header(&self) -> &Header<EdtState> {
        &self.edt.header
    }
}

/// The words of an EDT that has too many for a slot.
#[repr(C)]
pub(super) struct Allocation {
    pub(super) words: *mut u64,
    pub(super) len: usize,
    /// The label of an EDT that has one, or 0.
    pub(super) label: u64,
}

impl Allocation {
    const NONE: Allocation = Allocation { words: std::ptr::null_mut(), len: 0, label: 0 };
}

fn allocate_words(words: usize) -> Option<Box<[u64]>> {
    let mut memory = Vec::new();
    heap::may_fail(|| memory.try_reserve_exact(words)).ok()?;
    memory.resize(words, 0);
    Some(memory.into_boxed_slice())
}

impl Edt {
    /// Makes a slot that this thread has taken an EDT that is still free; with the memory for its
    /// words if it is of the kind that has it apart.
    #[inline]
    fn begin(&self, kind: Kind, index: u32, depc: u32, memory: Option<Box<[u64]>>) {
        // What was left of the last output event there cannot be read from here on. A thread that reads another field
        // of what is made here, without the lock, sees that.
        self.set_output(Guid::NULL);
        fence(Ordering::Release);
        self.index.set(index);
        self.kind.set(kind as u8);
        self.depc.set(depc);
        // Strict mode may look at the blocks before they are in order.
        self.first.set(NO_SLOT);
        if let Some(memory) = memory {
            let words = Box::leak(memory);
            let allocation = Allocation { words: words.as_mut_ptr(), len: words.len(), label: 0 };
            // SAFETY: an EDT of this kind begins its words with this, and no other thread knows it.
            unsafe { self.allocation().write(allocation) };
        }
        for slot in self.slots() {
            slot.clear();
        }
    }
}

#[cfg(all(test, loom))]
impl Edt {
    /// A runnable EDT of the host for a model, in no arena, that uses these blocks, of which there are few.
    pub(crate) fn for_model(blocks: &[(Guid, super::Mode)]) -> &'static Edt {
        let sized: &SizedEdt<{ WORDS[0] }> = Box::leak(Box::new(SizedEdt {
            edt: Edt {
                header: Header::new(),
                work: super::AtomicView(Default::default()),
                scope: Cell::new(std::ptr::null()),
                output: Guid::NULL.bits().into(),
                link: Cell::new(std::ptr::null()),
                index: Cell::default(),
                depc: Cell::default(),
                paramc: Cell::default(),
                first: super::AtomicView::default(),
                cursor: Cell::default(),
                kind: Cell::default(),
                flags: super::FlagsCell::new(EdtFlags::NONE),
                place: ocr_place::place::PlaceCell::new(ocr_place::place::Place::HOST),
                variant: Cell::default(),
            },
            words: Default::default(),
        }));
        let depc = blocks.len() as u32;
        sized.edt.begin(Kind::EdtSmall, 1, depc, None);
        for (slot, &(block, mode)) in sized.edt.slots().iter().zip(blocks) {
            slot.satisfy(block, mode);
        }
        sized.edt.header.publish(crate::object::header::Word::new(0, 0, EdtState::Runnable));
        sized.edt.order_blocks();
        &sized.edt
    }
}

/// Takes the memory of an EDT that has its words apart away from it. None in a slot whose generations are
/// used up.
fn take_words(edt: &Edt) -> Option<Box<[u64]>> {
    // SAFETY: the EDT is of the kind that begins its words with this.
    let Allocation { words, len, .. } = unsafe { edt.allocation().replace(Allocation::NONE) };
    let words = (!words.is_null()).then(|| std::ptr::slice_from_raw_parts_mut(words, len))?;
    // SAFETY: `allocate` leaked this box, and the EDT does not have it any more.
    Some(unsafe { Box::from_raw(words) })
}

impl Edt {
    /// Has the EDT have room for its words, of which a checkpoint has so many. False where it has none, since it is
    /// gone and its slot is retired.
    pub(super) fn pass_words(&self, file: &mut Saved<'_>, words: usize) -> io::Result<bool> {
        if !self.is_huge() {
            let most = WORDS[self.kind.get() as usize - Kind::EdtSmall as usize];
            return if words <= most { Ok(true) } else { Err(malformed()) };
        }
        // SAFETY: the EDT is of the kind that begins its words with this, and no other thread changes it.
        let allocation = unsafe { &mut *self.allocation() };
        let is_there = file.word(!allocation.words.is_null())?;
        let label = file.word(allocation.label)?;
        if file.restores() && is_there {
            let words = Box::leak(allocate_words(words).ok_or(io::ErrorKind::OutOfMemory)?);
            *allocation = Allocation { words: words.as_mut_ptr(), len: words.len(), label };
        }
        Ok(is_there)
    }
}

/// Ends the life of a locked EDT, and gives its slot back.
#[inline(always)]
fn end(mut locked: LockedEdt<'_>, give_back: impl FnOnce(Word<EdtState>)) {
    // Where the generations of the slot are used up, it stays "zombie" permanently.
    let freed = locked.word.freed();
    locked.word = freed.unwrap_or(locked.word.with_state(EdtState::Zombie));
    drop(locked);
    if let Some(word) = freed {
        give_back(word);
    }
}

/// How many words an EDT has behind its fields.
#[inline]
fn words_of(depc: u32, param_words: usize) -> usize {
    2 * depc as usize + param_words
}

/// The kind of an EDT with so many words.
#[inline]
fn kind_with(words: usize) -> Kind {
    match words {
        _ if words <= WORDS[0] => Kind::EdtSmall,
        _ if words <= WORDS[1] => Kind::EdtMedium,
        _ if words <= WORDS[2] => Kind::EdtLarge,
        _ => Kind::EdtHuge,
    }
}

/// The EDTs of all sizes.
#[derive(Default)]
pub struct Edts {
    pub(super) small: Arena<SizedEdt<{ WORDS[0] }>>,
    pub(super) medium: Arena<SizedEdt<{ WORDS[1] }>>,
    pub(super) large: Arena<SizedEdt<{ WORDS[2] }>>,
    pub(super) huge: Arena<SizedEdt<{ WORDS[0] }>>,
    /// The hints of those that have some.
    pub(super) hints: Hints,
    zone: Zone,
}

/// A thread's free EDT slots of all sizes.
#[derive(Default)]
pub struct EdtCaches([Cache; 4]);

impl EdtCaches {
    /// Caches that use late the slots of the `edts` EDTs of each size that went last ([`Cache::keeping`]).
    pub fn keeping(edts: usize) -> EdtCaches {
        let sized = || Cache::keeping(edts);
        // An EDT in the largest kind has no output event in itself.
        EdtCaches([sized(), sized(), sized(), Cache::default()])
    }
}

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
    /// Makes a store without EDTs, of a node.
    pub fn new(zone: Zone) -> Edts {
        Edts {
            small: Arena::new(zone),
            medium: Arena::new(zone),
            large: Arena::new(zone),
            huge: Arena::new(zone),
            hints: Hints::default(),
            zone,
        }
    }

    /// Takes a slot for an EDT with `depc` pre-slots and `param_words` words of parameters. The EDT is free;
    /// pre-slots are unconnected, `index`, `kind`, `depc` are set. `None` when memory is used up.
    #[inline]
    pub fn allocate(&self, caches: &mut EdtCaches, depc: u32, param_words: usize) -> Option<&Edt> {
        let words = words_of(depc, param_words);
        let kind = kind_with(words);
        let cache = &mut caches.0[kind as usize - Kind::EdtSmall as usize];
        let memory = match kind {
            Kind::EdtHuge => Some(allocate_words(words)?),
            _ => None,
        };
        let (index, edt) = by_kind!(self, kind, arena => {
            let (index, slot) = arena.allocate(cache)?;
            (index, &slot.edt)
        });
        edt.begin(kind, index, depc, memory);
        Some(edt)
    }

    /// The GUID of an EDT that this node makes for another one, `owner`, which is to have it in a slot of its own. None
    /// for one whose words are apart, without memory, and where no slot is left that was used seldom enough.
    pub fn lend(&self, caches: &mut EdtCaches, owner: u32, depc: u32, param_words: usize) -> Option<Guid> {
        let kind = kind_with(words_of(depc, param_words));
        if kind == Kind::EdtHuge {
            return None;
        }
        let cache = &mut caches.0[kind as usize - Kind::EdtSmall as usize];
        by_kind!(self, kind, arena => {
            let (index, used) = arena.lend(cache)?;
            let Some(generation) = self.zone.made_for(owner, used) else {
                arena.take_back(cache, index, used);
                return None;
            };
            Some(Guid::new(kind, generation, index))
        })
    }

    /// Takes back the slot of an EDT that this node has made for another one, and that is gone there.
    pub fn take_back(&self, caches: &mut EdtCaches, made: Guid) {
        let Some(kind) = made.kind().filter(|kind| kind.is_edt()) else { return };
        let cache = &mut caches.0[kind as usize - Kind::EdtSmall as usize];
        let used = self.zone.used_before(made.generation());
        by_kind!(self, kind, arena => arena.take_back(cache, made.index(), used));
    }

    /// The EDTs that other nodes have made for this one, and that are gone, where there are many by now.
    pub fn take_gone(&self) -> Vec<Guid> {
        fn of<const N: usize>(kind: Kind, arena: &Arena<SizedEdt<N>>) -> impl Iterator<Item = Guid> {
            arena.take_gone().into_iter().map(move |(index, generation)| Guid::new(kind, generation, index))
        }
        of(Kind::EdtSmall, &self.small)
            .chain(of(Kind::EdtMedium, &self.medium))
            .chain(of(Kind::EdtLarge, &self.large))
            .collect()
    }

    /// Makes an EDT whose GUID another node has given, as [`Edts::allocate`] does otherwise; its slot is claimed until
    /// it is published.
    pub fn adopt(&self, made: Guid, depc: u32, param_words: usize) -> Result<&Edt, CreateOnLabelError> {
        let kind = kind_with(words_of(depc, param_words));
        if made.kind() != Some(kind) || kind == Kind::EdtHuge || !is_made_for_other(made.generation()) {
            return Err(LabelTakenError::NoLabel.into());
        }
        let slot = by_kind!(self, kind, arena => arena.adopt(made.index(), made.generation()).map(|slot| &slot.edt));
        let edt = slot.ok_or(CreateOnLabelError::OutOfMemory)?;
        edt.begin(kind, made.index(), depc, None);
        Ok(edt)
    }

    /// Makes an EDT on a label, as [`Edts::allocate`] does otherwise; the label is claimed until the EDT is published.
    /// Such an EDT is of the kind that may have any size, since the label is known before the size. A caller that
    /// creates `alone` gets the label of an EDT that has begun to run, too.
    pub fn allocate_on(
        &self,
        caches: &mut EdtCaches,
        label: Guid,
        alone: bool,
        depc: u32,
        param_words: usize,
    ) -> Result<&Edt, CreateOnLabelError> {
        if label.kind() != Some(Kind::EdtHuge) {
            return Err(LabelTakenError::NoLabel.into());
        }
        // Other threads that want to create it wait while the label is claimed, so the memory comes before.
        let memory = allocate_words(words_of(depc, param_words)).ok_or(CreateOnLabelError::OutOfMemory)?;
        let cache = &mut caches.0[3];
        let (index, slot) = self.huge.allocate(cache).ok_or(CreateOnLabelError::OutOfMemory)?;
        let edt = &slot.edt;
        if let Err(why) = self.claim(label, alone) {
            self.huge.free(cache, edt.header.peek(), index);
            return Err(why.into());
        }
        edt.begin(Kind::EdtHuge, index, depc, Some(memory));
        // SAFETY: an EDT of this kind begins its words with this, and no other thread knows it.
        unsafe { (*edt.allocation()).label = label.bits() };
        Ok(edt)
    }

    fn claim(&self, label: Guid, alone: bool) -> Result<(), LabelTakenError> {
        loop {
            match self.huge.claim(label) {
                Err(LabelTakenError::Exists) if alone => {}
                claimed => return claimed.map(|_| ()),
            }
            if self.huge.claim_from(label, EdtState::Started).is_some() {
                return Ok(());
            }
            if !self.huge.is_label(label) {
                // The range of the label was destroyed.
                return Err(LabelTakenError::NoLabel);
            }
            // The EDT may have ended since.
            let state = |slot: &SizedEdt<{ WORDS[0] }>| slot.edt.header.peek().state();
            match self.huge.get(label.index()).map(state) {
                Some(EdtState::Free | EdtState::Started) => {}
                _ => return Err(LabelTakenError::Exists),
            }
        }
    }

    /// Makes an EDT that was allocated on a label one that can be found.
    #[cold]
    pub fn publish_on(&self, edt: &Edt, word: Word<EdtState>) {
        let (label, own) = (edt.label(), edt.own_guid());
        edt.header.publish(word);
        // A thread that knows the label alone has not found it yet.
        if let Some(label) = label {
            let name = &self.huge.slot(label.index()).edt;
            name.set_output(own);
            name.header.publish(name.header.peek().with_state(EdtState::Named));
        }
    }

    /// Leaves the label of an EDT, which the caller owns, to the next one, as its function begins.
    #[cold]
    pub fn leave_label(&self, edt: &Edt) {
        if let Some(label) = edt.label()
            && let Some((name, mut locked)) = self.lock_slot(label)
            && locked.word.state() == EdtState::Named
            && name.output() == edt.own_guid()
        {
            locked.word = locked.word.with_state(EdtState::Started);
        }
    }

    /// Ends that a label names the EDT of this other GUID, unless it names another one by now.
    #[cold]
    pub fn end_label(&self, caches: &mut EdtCaches, label: Guid, own: Guid) {
        if let Some((name, locked)) = self.lock_slot(label)
            && locked.word.state().names()
            && name.output() == own
        {
            end(locked, |word| {
                self.huge.free(&mut caches.0[3], word, label.index());
            });
        }
    }

    /// The labels that EDTs can be created on.
    pub fn labels(&self) -> &dyn Labels {
        &self.huge
    }

    /// Takes back an EDT that was allocated and never published.
    pub fn give_back(&self, caches: &mut EdtCaches, edt: &Edt) {
        // A moment of life, since what is freed must have lived.
        self.publish_on(edt, edt.header.peek().with_state(EdtState::Runnable));
        self.free(caches, edt);
    }

    /// Takes back an EDT that the caller owns, and the output event that is in it: what waited for
    /// that, if there was one.
    #[inline]
    pub fn free(&self, caches: &mut EdtCaches, edt: &Edt) -> Link {
        self.free_taking(caches, edt, Edt::take_waiting)
    }

    /// Does so where the output event, which is or was in the EDT, is triggered with a data block or `NULL_GUID`: that
    /// can be read until the slot is used anew, if the program has not destroyed the event.
    #[inline]
    pub fn free_triggered(&self, caches: &mut EdtCaches, edt: &Edt, data: Guid) -> Link {
        self.free_taking(caches, edt, |edt| {
            let waiting = edt.waiting()?;
            edt.leave_mark(data);
            Some(waiting)
        })
    }

    /// Does so for an EDT that has ended, whose output event was taken out of it and triggers.
    pub fn free_ended(&self, caches: &mut EdtCaches, edt: &Edt, data: Guid) {
        self.free_taking(caches, edt, |edt| {
            edt.leave_mark(data);
            None
        });
    }

    #[inline(always)]
    fn free_taking(&self, caches: &mut EdtCaches, edt: &Edt, take: impl FnOnce(&Edt) -> Option<Link>) -> Link {
        let index = edt.index.get();
        if edt.flags.get().has_hints() {
            self.hints.drop_of(edt.own_guid());
        }
        let locked = edt.header.lock_pinned();
        let waiting = take(edt).unwrap_or(Link::END);
        let [small, medium, large, huge] = &mut caches.0;
        match edt.kind() {
            Kind::EdtSmall => end(locked, |word| self.small.free(small, word, index)),
            Kind::EdtMedium => end(locked, |word| self.medium.free(medium, word, index)),
            Kind::EdtLarge => end(locked, |word| self.large.free(large, word, index)),
            _ => {
                let (label, own) = (edt.label(), edt.own_guid());
                // Under the lock, since a snapshot may be looking at the pre-slots; it is freed without.
                let words = take_words(edt);
                end(locked, |word| self.huge.free(huge, word, index));
                drop(words);
                if let Some(label) = label {
                    self.end_label(caches, label, own);
                }
            }
        }
        waiting
    }

    /// The EDT in slot `index` of the arena of `kind`, live or free.
    #[inline]
    pub fn get(&self, kind: Kind, index: u32) -> Option<&Edt> {
        by_kind!(self, kind, arena => Some(&arena.get(index)?.edt))
    }

    /// The slots of EDTs that can have been handed out, for a signal handler: it takes no lock.
    pub fn look(&self) -> impl Iterator<Item = &Edt> {
        let small = self.small.look().chain(self.huge.look()).map(|(_, slot)| &slot.edt);
        let medium = self.medium.look().map(|(_, slot)| &slot.edt);
        let large = self.large.look().map(|(_, slot)| &slot.edt);
        small.chain(medium).chain(large)
    }

    /// Locks the EDT of this GUID, if it is alive.
    #[inline(always)]
    pub fn lock(&self, guid: Guid) -> Option<(&Edt, LockedEdt<'_>)> {
        let (edt, locked) = self.lock_slot(guid)?;
        if locked.word.state().is_in_slot() { Some((edt, locked)) } else { self.lock_named(edt, locked) }
    }

    /// Locks the EDT that this slot of a label names, if that is what the state says.
    #[cold]
    fn lock_named<'a>(&'a self, name: &Edt, locked: LockedEdt<'_>) -> Option<(&'a Edt, LockedEdt<'a>)> {
        let named = locked.word.state().names().then(|| name.output());
        drop(locked);
        self.lock_slot(named?)
    }

    /// Locks the EDT that has the output event of this GUID in itself, and the event still.
    #[inline]
    pub fn lock_output(&self, output: Guid) -> Option<(&Edt, LockedEdt<'_>, Link)> {
        let (edt, locked) = self.lock_slot(output.edt_of_output()?)?;
        let waiting = edt.waiting()?;
        Some((edt, locked, waiting))
    }

    /// What is still known of the output event that an EDT had in itself, where it has triggered and the EDT is gone.
    pub fn remains_of_output(&self, output: Guid) -> Option<Remains> {
        let guid = output.edt_of_output()?;
        let edt = self.get(guid.kind()?, guid.index())?;
        // Pairs with the stores in `leave_mark` and `begin`.
        let data = || remains::data_in(edt.output.load(Ordering::Acquire));
        let work = || edt.work.get();
        let (data, work) = (edt.header).read_remains(guid.generation(), data, work)?;
        // SAFETY: an EDT that has left a mark has had a `Code`, or null in tests, and these are kept as long as the
        // runtime lives.
        let by = unsafe { work.as_ref() };
        Some(Remains { data, by })
    }

    #[inline(always)]
    fn lock_slot(&self, guid: Guid) -> Option<(&Edt, LockedEdt<'_>)> {
        let kind = guid.kind().filter(|kind| kind.is_edt())?;
        let edt = self.get(kind, guid.index())?;
        Some((edt, edt.header.lock(guid.generation())?))
    }

    /// Adds hints to an EDT that the caller has locked and that waits, or has not published.
    pub fn add_hints(&self, edt: &Edt, hints: &HintSet) {
        if hints.is_empty() {
            return;
        }
        let all = self.hints.add(edt.own_guid(), hints);
        let flags = edt.flags.get().without(EdtFlags::URGENT) | EdtFlags::HINTED;
        let urgent = match all.get(EDT_PRIORITY) {
            Some(0) | None => EdtFlags::NONE,
            Some(_) => EdtFlags::URGENT,
        };
        edt.flags.set(flags | urgent);
    }

    /// A hint of an EDT that the caller owns.
    pub fn hint(&self, edt: &Edt, property: usize) -> Option<u64> {
        if edt.flags.get().has_hints() { self.hints_of(edt).get(property) } else { None }
    }

    /// The hints of an EDT that the caller owns or has locked.
    pub fn hints_of(&self, edt: &Edt) -> HintSet {
        self.hints.get(edt.own_guid())
    }

    /// All EDTs that are alive, with the GUIDs of their slots: others may end them meanwhile, so they are not
    /// to be asked.
    pub fn live(&self) -> impl Iterator<Item = (Guid, &Edt)> {
        fn of<const N: usize>(kind: Kind, arena: &Arena<SizedEdt<N>>) -> impl Iterator<Item = (Guid, &Edt)> {
            let guid = move |index, word: Word<EdtState>| Guid::new(kind, word.generation(), index);
            // Those that other nodes have made are copies here.
            (arena.live().chain(arena.copies()))
                .filter(|(_, word, _)| !word.state().names())
                .map(move |(index, word, slot)| (guid(index, word), &slot.edt))
        }
        of(Kind::EdtSmall, &self.small)
            .chain(of(Kind::EdtMedium, &self.medium))
            .chain(of(Kind::EdtLarge, &self.large))
            .chain(of(Kind::EdtHuge, &self.huge))
    }

    /// Whether an EDT that another node makes for this one has come into its slot.
    pub fn has_adopted(&self, made: Guid) -> bool {
        let edt = made.kind().and_then(|kind| self.get(kind, made.index()));
        edt.is_some_and(|edt| edt.header.peek().generation() == made.generation())
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
            drop(take_words(&slot.edt));
        }
    }
}
