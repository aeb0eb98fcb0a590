//! Where objects live: chunks of slots that are never unmapped while the runtime lives.
//!
//! A lookup is two loads (the chunk table, then the slot's header) for any 32-bit index, valid or
//! not. The table has an entry for each chunk that there can be. Most of its pages are never touched, since an arena
//! hands out the indices of its [`Zone`] one after the other.
//!
//! Each thread takes slots from, and returns them to, a [`Cache`] of its own. What is too much
//! there goes to a shared depot, `BATCH` slots with one lock operation, and comes back from it, so
//! that an object freed by another thread than its creator's finds its way back.
//!
//! The depot keeps free slots as bits, by blocks of `BLOCK` neighbours, and hands out what is free of a
//! block at once. A cache takes from a block in the order of addresses. So neighbours come together
//! again however the objects in them were freed: with lists of free slots those of a million
//! objects are in no order after some rounds, and a thread that goes through the objects pays a cache miss
//! for each (`docs/performance.md`).
//!
//! Slot states: *free* (in a cache, in the depot, or never used) and *live*. A slot becomes live by
//! [`Header::publish`](super::header::Header::publish) and free by [`Arena::free`], which
//! takes it with its header already in the free state. A cache hands out what it got back last, which is in the
//! processor's cache; but where something is read of objects that are gone ([`Slot::HAS_REMAINS`]), what it got back
//! first, and it keeps back as many as it is asked to ([`Cache::keeping`]). A slot whose generations are used up is
//! retired: it is never handed out again, so no GUID is ever given twice.
//!
//! Runs of slots can be set apart for labels (`label.rs`); those never come into a cache. `chunk.rs` maps memory,
//! `lock.rs` locks a slot by its GUID, and `saved.rs` has what a checkpoint has of an arena.

mod chunk;
mod label;
#[cfg(loom)]
#[cfg_attr(not(test), allow(dead_code))]
mod lock;
#[cfg(all(test, loom))]
mod loom_models;
mod saved;

use super::header::{Header, Locked, State, Word};
use super::zone::{MOST_NODES, Zone};
use crate::heap;
use crossbeam_utils::CachePadded;
pub(crate) use label::{CreateOnLabelError, LabelTakenError, Labels};
#[cfg(loom)]
use lock::DepotMutex;
#[cfg(not(loom))]
type DepotMutex<T> = ocr_base::lock::Mutex<ocr_base::lock::rank::Depot, T>;
use std::alloc::{Layout, handle_alloc_error};
use std::collections::VecDeque;
use std::marker::PhantomData;
use std::ops::Range;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};

/// How many neighbouring slots the depot keeps, and hands out, together: as a word has bits.
const BLOCK: u32 = if cfg!(any(ocr_tiny, loom)) { 2 } else { 64 };

/// How many slots a cache gives to the depot at once, and has room for twice.
const BATCH: usize = 2 * BLOCK as usize;

/// How many objects that another node has made are gone before it is told: they go together.
const MANY_GONE: u32 = 32;

/// How many freed slots a cache has room for: a power of two.
const ROOM: u32 = 2 * BATCH as u32;

/// How many blocks the depot goes back, at most, to hand out the first of a row.
const ROW: u32 = 64;

/// A model makes an arena for each interleaving.
const CHUNK_BYTES: usize = if cfg!(loom) { 16 << 10 } else { 2 << 20 };

/// What can live in an arena.
///
/// # Safety
/// All-zero bytes are a valid free slot; the size is a power of two of at most a block's part of a
/// chunk; `header` returns the same field of the slot each time.
pub unsafe trait Slot: Sync {
    /// How many bytes are kept for queues and tables that may grow with such an object, since that cannot be refused.
    const KEPT: usize = 0;

    /// Whether something is read of such objects that are gone, so that their slots must be reused late.
    const HAS_REMAINS: bool = false;

    /// The states of the object.
    type State: State;

    fn header(&self) -> &Header<Self::State>;
}

/// The slots of one kind of object.
pub struct Arena<T> {
    /// The chunk table. Behind it is a bit for each chunk: whether a slot of it was ever handed out. There may be many
    /// chunks of labels on which no object was created; they are passed over, and no memory is there for them.
    chunks: NonNull<AtomicPtr<T>>,
    zone: Zone,
    /// On lines of its own: the chunk table is read at every lookup, by every thread.
    depot: CachePadded<DepotMutex<Depot>>,
    labels: CachePadded<label::Runs>,
    /// How many bytes are kept for each chunk.
    kept: usize,
    /// How many objects were made by other nodes for this one, and are gone without having been told.
    gone: AtomicU32,
    slots: PhantomData<T>,
}

// SAFETY: slots are shared by the rules of their headers (`Slot: Sync`), the rest is atomic or
// behind the mutex.
unsafe impl<T: Slot> Sync for Arena<T> {}
// SAFETY: nothing in an arena belongs to a thread: slots are shared by the rules of their headers, the rest is atomic
// or behind the mutex.
unsafe impl<T: Slot> Send for Arena<T> {}

struct Depot {
    /// Blocks of slots by the thousand, from the first of the zone on. Most may be far from any that has free slots,
    /// and are not there then.
    blocks: Vec<Box<[DepotBlock]>>,
    /// The number of the first block of the zone.
    first_block: u32,
    /// The blocks that are listed.
    list: Vec<u32>,
    /// Slots of the zone below this have been handed out at least once.
    fresh: u64,
    /// The chunks with slots of what other nodes have made.
    adopted: Vec<usize>,
    /// The slots of these, with their generations, whose objects were made for this node and are gone.
    gone: Vec<(u32, u32)>,
}

/// What the depot has of a block.
#[derive(Clone, Copy, Default)]
struct DepotBlock {
    /// The free slots, as bits.
    free: u64,
    /// The block is in the depot's list, as all blocks with free slots are, and some that had free slots.
    listed: bool,
}

impl Depot {
    /// How many blocks are there together.
    const GROUP: usize = 1024;

    fn new(zone: Zone) -> Depot {
        let fresh = zone.indices().start;
        let first_block = fresh as u32 / BLOCK;
        Depot { blocks: Vec::new(), first_block, list: Vec::new(), fresh, adopted: Vec::new(), gone: Vec::new() }
    }

    /// Where a block is in `blocks`. One before the first of the zone is nowhere.
    fn place_of(&self, number: u32) -> (usize, usize) {
        let number = number.wrapping_sub(self.first_block) as usize;
        (number / Self::GROUP, number % Self::GROUP)
    }

    /// The free slots of a block, as bits. It may be of another zone.
    fn free_of(&self, number: u32) -> u64 {
        let (group, at) = self.place_of(number);
        let block = self.blocks.get(group).and_then(|group| group.get(at));
        block.map_or(0, |block| block.free)
    }

    /// A block of the zone.
    fn block(&mut self, number: u32) -> &mut DepotBlock {
        let (group, at) = self.place_of(number);
        if self.blocks.len() <= group {
            self.blocks.resize_with(group + 1, Box::default);
        }
        let blocks = &mut self.blocks[group];
        if blocks.is_empty() {
            *blocks = vec![DepotBlock::default(); Self::GROUP].into();
        }
        &mut blocks[at]
    }

    fn put(&mut self, slots: Bits) {
        let block = self.block(slots.block);
        debug_assert_eq!(block.free & slots.bits, 0, "a slot came back twice");
        block.free |= slots.bits;
        if !std::mem::replace(&mut block.listed, true) {
            self.list.push(slots.block);
        }
    }

    /// What is free of a block: of this one, or else of the first of some that follow one another, since
    /// the next to be wanted is the one behind, and the processor fetches ahead.
    fn take(&mut self, wanted: u32) -> Option<Bits> {
        // All that have free slots are listed.
        let last = self.last()?;
        let mut block = wanted;
        if self.free_of(block) == 0 {
            block = last;
            let start = block.saturating_sub(ROW);
            while block > start && self.free_of(block - 1) != 0 {
                block -= 1;
            }
        }
        let bits = std::mem::take(&mut self.block(block).free);
        Some(Bits { block, bits })
    }

    /// The last of the list that has free slots.
    fn last(&mut self) -> Option<u32> {
        loop {
            let &last = self.list.last()?;
            let block = self.block(last);
            if block.free != 0 {
                return Some(last);
            }
            block.listed = false;
            self.list.pop();
        }
    }
}

/// Slots of one block of neighbours, a bit for each.
#[derive(Clone, Copy, Default)]
struct Bits {
    block: u32,
    bits: u64,
}

impl Bits {
    fn one(index: u32) -> Bits {
        Bits { block: index / BLOCK, bits: 1 << (index % BLOCK) }
    }

    /// Takes the slot with the lowest index out. There is one.
    #[inline]
    fn pop(&mut self) -> u32 {
        let first = self.bits.trailing_zeros();
        self.bits &= self.bits - 1;
        self.block * BLOCK + first
    }
}

/// Free slots of one arena that a thread keeps for itself.
pub struct Cache {
    /// Slots that the thread has freed, in a ring. Slots of blocks of which few were free are here as well.
    freed: [u32; ROOM as usize],
    /// The place of the slot that was freed first, counted on beyond the room.
    first: u32,
    /// The place behind the slot that was freed last.
    end: u32,
    /// How many of those that were freed last are not handed out, as long as there are others. At most as many as there
    /// is room for.
    keep: u32,
    /// Slots that were freed before, where more must be kept.
    more: VecDeque<u32>,
    /// How many more must be kept.
    keep_more: usize,
    /// The bits of the other slots.
    rest: Bits,
}

impl Default for Cache {
    fn default() -> Cache {
        Cache {
            freed: [0; ROOM as usize],
            first: 0,
            end: 0,
            keep: 0,
            more: VecDeque::new(),
            keep_more: 0,
            rest: Bits::default(),
        }
    }
}

impl Cache {
    /// A cache of slots with remains that hands out a slot when at least `slots` others were freed after it, as long as
    /// there are others.
    pub fn keeping(slots: usize) -> Cache {
        // Where a batch goes to the depot, another one stays.
        let more = slots.saturating_sub(BATCH);
        Cache { keep: if more == 0 { slots as u32 } else { ROOM }, keep_more: more, ..Cache::default() }
    }

    #[inline(always)]
    fn len(&self) -> u32 {
        self.end.wrapping_sub(self.first)
    }

    #[inline(always)]
    fn at(&mut self, place: u32) -> &mut u32 {
        &mut self.freed[(place % ROOM) as usize]
    }

    /// Takes the slot that was freed first. There is one.
    #[inline(always)]
    fn take_first(&mut self) -> u32 {
        let slot = *self.at(self.first);
        self.first = self.first.wrapping_add(1);
        slot
    }

    /// Takes the slot that was freed first, if there is one.
    fn pop_first(&mut self) -> Option<u32> {
        (self.len() != 0).then(|| self.take_first())
    }

    /// Takes the slot that was freed last. There is one.
    #[inline(always)]
    fn take_last(&mut self) -> u32 {
        self.end = self.end.wrapping_sub(1);
        *self.at(self.end)
    }

    /// Puts the rest before those that were freed, for which there is room.
    fn set_aside(&mut self) {
        while self.rest.bits != 0 {
            self.first = self.first.wrapping_sub(1);
            *self.at(self.first) = self.rest.pop();
        }
    }
}

impl<T: Slot> Default for Arena<T> {
    fn default() -> Self {
        Arena::new(Zone::default())
    }
}

impl<T> Arena<T> {
    const PER_CHUNK: usize = CHUNK_BYTES / size_of::<T>();

    /// Those of all indices. A model has few.
    const CHUNKS: usize = if cfg!(loom) { 4 } else { (1 << u32::BITS) / Self::PER_CHUNK };

    /// Entries, and then words of bits, which have the same size.
    const TABLE: Layout = match Layout::array::<AtomicPtr<T>>(Self::CHUNKS + Self::CHUNKS.div_ceil(64)) {
        Ok(layout) => layout,
        Err(_) => panic!("the chunk table fits an address space"),
    };

    fn chunk(&self, number: usize) -> &AtomicPtr<T> {
        debug_assert!(number < Self::CHUNKS);
        // SAFETY: `number` is below `CHUNKS`, the length of the table, so the entry is within its mapping.
        let entry = unsafe { self.chunks.add(number) };
        // SAFETY: zeroed memory is a valid `AtomicPtr`, and the table lives as long as `self`.
        unsafe { entry.as_ref() }
    }

    /// The word of bits, and the bit, that say whether a slot of this chunk was ever handed out.
    fn used(&self, chunk: usize) -> (&AtomicU64, u64) {
        const { assert!(size_of::<AtomicU64>() == size_of::<AtomicPtr<T>>()) };
        debug_assert!(chunk < Self::CHUNKS);
        // SAFETY: behind the entries there is a word for each 64 chunks, so this one is within the table's mapping.
        let word = unsafe { self.chunks.add(Self::CHUNKS + chunk / 64) }.cast::<AtomicU64>();
        // SAFETY: zeroed memory is a valid `AtomicU64`, and the table lives as long as `self`.
        (unsafe { word.as_ref() }, 1 << (chunk % 64))
    }
}

impl<T: Slot> Arena<T> {
    /// Makes an arena without chunks, which hands out the indices of a zone; the first allocation maps a chunk.
    pub fn new(zone: Zone) -> Arena<T> {
        const {
            assert!(size_of::<T>().is_power_of_two() && Self::PER_CHUNK >= BLOCK as usize);
            // So a chunk is of one zone.
            assert!(Self::PER_CHUNK as u64 <= (1 << u32::BITS) / MOST_NODES as u64);
        }
        let table = chunk::map_table(Self::TABLE).unwrap_or_else(|| handle_alloc_error(Self::TABLE));
        Arena {
            chunks: table.cast(),
            zone,
            depot: CachePadded::new(DepotMutex::new(Depot::new(zone))),
            labels: CachePadded::default(),
            kept: (T::KEPT + heap::kept_for_each()) * Self::PER_CHUNK,
            gone: AtomicU32::new(0),
            slots: PhantomData,
        }
    }

    /// The slot of this index, live or free, if its chunk exists.
    #[inline]
    pub fn get(&self, index: u32) -> Option<&T> {
        let number = index as usize / Self::PER_CHUNK;
        // Not so but in a model.
        if number >= Self::CHUNKS {
            return None;
        }
        // Pairs with the store in `chunk_for`: a chunk is seen whole.
        let chunk = NonNull::new(self.chunk(number).load(Ordering::Acquire))?;
        // SAFETY: the index within the chunk is below `PER_CHUNK`, so the slot is within the chunk's mapping.
        let slot = unsafe { chunk.add(index as usize % Self::PER_CHUNK) };
        // SAFETY: chunks are zeroed, which is a valid slot, and live as long as `self`.
        Some(unsafe { slot.as_ref() })
    }

    /// The slot of an index that was handed out by this arena.
    #[inline]
    pub fn slot(&self, index: u32) -> &T {
        match self.get(index) {
            Some(slot) => slot,
            None => unreachable!("slot {index} was never handed out"),
        }
    }

    /// Takes a free slot. Its header is free, in the generation that the next object gets. `None`
    /// when memory or indices are used up.
    #[inline]
    pub fn allocate(&self, cache: &mut Cache) -> Option<(u32, &T)> {
        let index = if T::HAS_REMAINS && cache.len() > cache.keep {
            cache.take_first()
        } else if !T::HAS_REMAINS && cache.len() != 0 {
            cache.take_last()
        } else {
            self.take_rest(cache)?
        };
        Some((index, self.slot(index)))
    }

    /// Takes a slot that is not one of those that were freed; one of these where there is no other.
    #[inline(always)]
    fn take_rest(&self, cache: &mut Cache) -> Option<u32> {
        if cache.rest.bits == 0 && self.refill(cache).is_none() {
            return cache.pop_first();
        }
        Some(cache.rest.pop())
    }

    /// Takes back a slot whose header has become this free word. That of a label stays where it is:
    /// it may have another object by now.
    #[inline]
    pub fn free(&self, cache: &mut Cache, freed: Word<T::State>, index: u32) {
        if freed.is_label() {
            self.label_freed(index, freed.generation());
            return;
        }
        debug_assert_eq!(self.slot(index).header().peek().state(), T::State::FREE);
        if cache.len() == ROOM {
            self.make_room(cache);
        }
        *cache.at(cache.end) = index;
        cache.end = cache.end.wrapping_add(1);
    }

    /// Slots from the depot, of the next block if there are; or else some that were never used.
    #[cold]
    fn refill(&self, cache: &mut Cache) -> Option<()> {
        let mut depot = self.depot.lock();
        if let Some(slots) = depot.take(cache.rest.block + 1) {
            cache.rest = slots;
            let mut had = slots.bits.count_ones();
            // Where few of a block are free, those of other blocks, too: or each slot takes the lock.
            // Those that are set aside are handed out first, so nothing is where all that are freed are kept back.
            while had < BLOCK / 2
                && cache.keep < ROOM
                && let Some(slots) = depot.take(cache.rest.block + 1)
            {
                cache.set_aside();
                cache.rest = slots;
                had += slots.bits.count_ones();
            }
            return Some(());
        }
        // New objects lead to more than their slots.
        if heap::is_low() {
            return None;
        }
        // The rest of a block; zones end where blocks do.
        let Range { start, end } = self.zone.indices();
        if depot.fresh == end {
            return None;
        }
        let first = depot.fresh as u32;
        let block = first / BLOCK;
        self.chunk_for(first, first as usize / Self::PER_CHUNK > start as usize / Self::PER_CHUNK)?;
        depot.fresh = u64::from(block + 1) * u64::from(BLOCK);
        self.note_use(first);
        #[cfg(loom)]
        (first..depot.fresh as u32).for_each(|index| self.begin_header(index));
        let all = u64::MAX >> (u64::BITS - BLOCK);
        let bits = all & u64::MAX << (first % BLOCK);
        cache.rest = Bits { block, bits };
        Some(())
    }

    /// The checker's atomics cannot be zeros. Slots that have some beside the header are in no arena of a model.
    #[cfg(loom)]
    fn begin_header(&self, index: u32) {
        let header = std::ptr::from_ref(self.slot(index).header()).cast_mut();
        // SAFETY: the depot is locked and hands these slots out for the first time, so no other thread knows the
        // header.
        unsafe { header.write(Header::new()) };
    }

    /// Sets a slot apart for an object that this node makes for another one, which keeps it in the slot of that index.
    /// The index, and how often the slot was used. It comes back by [`Arena::take_back`].
    pub fn lend(&self, cache: &mut Cache) -> Option<(u32, u32)> {
        let (index, slot) = self.allocate(cache)?;
        Some((index, slot.header().peek().generation()))
    }

    /// Takes a slot back that was set apart for another node when it was used so often: the object there is gone.
    pub fn take_back(&self, cache: &mut Cache, index: u32, used: u32) {
        let header = self.slot(index).header();
        let word = header.peek();
        // Where the generations are used up, the slot is not used any more.
        if word.generation() == used
            && let Some(next) = word.freed()
        {
            header.publish(next);
            self.free(cache, next, index);
        }
    }

    /// The slots of other nodes whose objects are gone, each with its generation, where there are many by now.
    pub fn take_gone(&self) -> Vec<(u32, u32)> {
        // Relaxed: what is missed now is found later.
        if self.gone.load(Ordering::Relaxed) < MANY_GONE {
            return Vec::new();
        }
        self.gone.store(0, Ordering::Relaxed);
        std::mem::take(&mut self.depot.lock().gone)
    }

    /// The object that another node has made in this slot, for this one, is gone.
    fn note_gone(&self, index: u32, generation: u32) {
        let mut depot = self.depot.lock();
        depot.gone.push((index, generation));
        self.gone.store(depot.gone.len() as u32, Ordering::Relaxed);
    }

    /// Takes the slot of an object that another node has made, for a copy of it, or since it was made for this node:
    /// others may find it when it is published. The slot of a copy goes back by [`Arena::forsake`]. `None` without
    /// memory, and where there is one already.
    pub fn adopt(&self, index: u32, generation: u32) -> Option<&T> {
        {
            let mut depot = self.depot.lock();
            let number = index as usize / Self::PER_CHUNK;
            if number < Self::CHUNKS && self.chunk(number).load(Ordering::Relaxed).is_null() {
                self.chunk_for(index, false)?;
                depot.adopted.push(number);
            }
        }
        let slot = self.slot(index);
        let vacant = slot.header().vacant()?;
        slot.header().claim(vacant, generation).then_some(slot)
    }

    /// Frees the slot of a copy, under its lock. No cache gets it, since another node hands it out.
    pub fn forsake(&self, mut locked: Locked<'_, T::State>) {
        locked.word = Word::new(locked.word.generation(), 0, T::State::FREE);
    }

    /// Called with the depot locked, so that a chunk is made once.
    fn chunk_for(&self, index: u32, huge: bool) -> Option<()> {
        let number = index as usize / Self::PER_CHUNK;
        // Not so but in a model.
        if number >= Self::CHUNKS {
            return None;
        }
        let entry = self.chunk(number);
        if entry.load(Ordering::Relaxed).is_null() {
            // Pairs with the load in `get`.
            entry.store(self.new_chunk(huge)?.as_ptr().cast(), Ordering::Release);
        }
        Some(())
    }

    /// Maps a chunk. None where no memory can be had for it, or for what is kept with it; then creations are refused.
    fn new_chunk(&self, huge: bool) -> Option<NonNull<u8>> {
        if heap::is_low() || !heap::hold(self.kept) {
            return None;
        }
        let chunk = chunk::map(huge);
        if chunk.is_none() {
            heap::let_go(self.kept);
        }
        chunk
    }

    /// A slot is handed out.
    fn note_use(&self, index: u32) {
        let (word, bit) = self.used(index as usize / Self::PER_CHUNK);
        // Most often it is not the first, and the line stays shared.
        if word.load(Ordering::Relaxed) & bit == 0 {
            word.fetch_or(bit, Ordering::Relaxed);
        }
    }

    /// The slots of this range that have been handed out, and some more.
    fn used_of(&self, slots: Range<u64>) -> impl Iterator<Item = u32> {
        let in_chunks = |index: u64| index as usize / Self::PER_CHUNK;
        let chunks = in_chunks(slots.start)..in_chunks(slots.end - 1) + 1;
        let is_used = |chunk: usize| {
            let (word, bit) = self.used(chunk);
            word.load(Ordering::Relaxed) & bit != 0
        };
        chunks.filter(move |&chunk| is_used(chunk)).flat_map(move |chunk| {
            let first = (chunk * Self::PER_CHUNK).max(slots.start as usize);
            let end = ((chunk + 1) * Self::PER_CHUNK).min(slots.end as usize);
            (first..end).map(|index| index as u32)
        })
    }

    /// Gives the slots that were freed first to the depot, or keeps them and gives those that were freed before.
    #[cold]
    fn make_room(&self, cache: &mut Cache) {
        let mut batch = [(); BATCH].map(|()| cache.take_first());
        if cache.keep_more != 0 {
            // Where there is no memory, fewer are kept.
            let more = &mut cache.more;
            if heap::may_fail(|| more.try_reserve(BATCH)).is_ok() {
                more.extend(batch);
                if more.len() < cache.keep_more + BATCH {
                    return;
                }
                for (slot, first) in batch.iter_mut().zip(more.drain(..BATCH)) {
                    *slot = first;
                }
            }
        }
        self.put(&batch);
    }

    /// Gives at most a batch of slots to the depot.
    fn put(&self, freed: &[u32]) {
        let mut freed = freed.iter().copied().map(Bits::one).peekable();
        while freed.peek().is_some() {
            // Neighbours are put together without the lock. There are a few runs of them, most often.
            let mut runs = [Bits::default(); 16];
            for run in &mut runs {
                let Some(first) = freed.next() else { break };
                *run = first;
                while let Some(slot) = freed.next_if(|slot| slot.block == run.block) {
                    run.bits |= slot.bits;
                }
            }
            let mut depot = self.depot.lock();
            let runs = runs.iter().filter(|run| run.bits != 0);
            runs.for_each(|&run| depot.put(run));
        }
    }

    /// Gives everything in the cache of an ending thread to the others.
    pub fn drain(&self, cache: &mut Cache) {
        loop {
            let (mut batch, mut len) = ([0; BATCH], 0);
            while len < BATCH
                && let Some(slot) = cache.more.pop_front().or_else(|| cache.pop_first())
            {
                batch[len] = slot;
                len += 1;
            }
            if len == 0 {
                break;
            }
            self.put(&batch[..len]);
        }
        cache.more = VecDeque::new();
        let rest = std::mem::take(&mut cache.rest);
        if rest.bits != 0 {
            self.depot.lock().put(rest);
        }
    }

    /// The indices of live slots, for reports and for tearing down.
    pub fn live(&self) -> impl Iterator<Item = (u32, Word<T::State>, &T)> {
        let end = self.depot.lock().fresh;
        self.used_of(self.zone.indices().start..end).filter_map(|index| {
            let slot = self.get(index)?;
            let word = slot.header().peek();
            (word.state() != T::State::FREE).then_some((index, word, slot))
        })
    }

    /// The copies of what other nodes have made, with the headers as they are now: others may free them meanwhile.
    pub fn copies(&self) -> impl Iterator<Item = (u32, Word<T::State>, &T)> {
        let chunks = self.depot.lock().adopted.clone();
        let indices = chunks.into_iter().flat_map(|number| number * Self::PER_CHUNK..(number + 1) * Self::PER_CHUNK);
        indices.filter_map(|index| {
            let slot = self.get(index as u32)?;
            let word = slot.header().peek();
            (word.state() != T::State::FREE).then_some((index as u32, word, slot))
        })
    }

    /// The slots that can have been handed out, for a signal handler: it takes no lock.
    pub fn look(&self) -> impl Iterator<Item = (u32, &T)> {
        self.zone.indices().map_while(|index| Some((index as u32, self.get(index as u32)?)))
    }
}

impl<T> Drop for Arena<T> {
    fn drop(&mut self) {
        let unmap = |chunk: *mut T| {
            // SAFETY: `chunk::map` made it, and no reference outlives `self`.
            unsafe { chunk::unmap(chunk.cast()) };
            heap::let_go(self.kept);
        };
        let first = self.zone.indices().start as usize / Self::PER_CHUNK;
        for number in first..Self::CHUNKS {
            let chunk = self.chunk(number).swap(ptr::null_mut(), Ordering::Relaxed);
            if chunk.is_null() {
                // Indices are handed out in order, so later chunks do not exist either.
                break;
            }
            unmap(chunk);
        }
        // Those of copies are anywhere, and few.
        for number in std::mem::take(&mut self.depot.lock().adopted) {
            let chunk = self.chunk(number).swap(ptr::null_mut(), Ordering::Relaxed);
            if !chunk.is_null() {
                unmap(chunk);
            }
        }
        // SAFETY: `chunk::map_table` made it, with this layout, and no reference outlives `self`.
        unsafe { chunk::unmap_table(self.chunks.cast(), Self::TABLE) };
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
