//! Where objects live: chunks of slots that are never unmapped while the runtime lives.
//!
//! A lookup is two loads (the chunk table, then the slot's header) for any 32-bit index, valid or
//! not. Each thread takes slots from, and returns them to, a [`Cache`] of its own. Full batches go
//! to a shared depot and come back from it, so that an object freed by another thread than its
//! creator's finds its way back with one lock operation per [`BATCH`] objects.
//!
//! Slot states: *free* (in a cache, in the depot, or never used) and *live*. A slot becomes live by
//! [`Header::publish`](super::header::Header::publish) and free by [`Arena::free`], which
//! takes it with its header already in the free state. A slot whose generations are used up is
//! retired: it is never handed out again, so no GUID is ever given twice.
//!
//! Runs of slots can be set apart for labels (`label.rs`); those never come into a cache.

mod label;
mod waiting;

use super::header::{FREE, Header, Word};
use crossbeam_utils::CachePadded;
pub use label::{Labels, Taken};
use parking_lot::Mutex;
use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::cell::Cell;
use std::marker::PhantomData;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicPtr, Ordering};
pub use waiting::Wake;

/// How many slots move between a cache and the depot at once.
pub const BATCH: u32 = if cfg!(ocr_tiny) { 4 } else { 128 };

const CHUNK_BYTES: usize = 2 << 20;
const CHUNKS: usize = 1 << 16;

/// What can live in an arena.
///
/// # Safety
/// All-zero bytes are a valid free slot; the size is a power of two of at most a chunk; `header`
/// and `next_free` return the same fields of the slot each time.
pub unsafe trait Slot: Sync {
    /// The header.
    fn header(&self) -> &Header;
    /// The link of the free lists; it belongs to whoever holds the free slot.
    fn next_free(&self) -> &Cell<u32>;
}

/// The slots of one kind of object.
pub struct Arena<T> {
    chunks: NonNull<AtomicPtr<T>>,
    /// On lines of its own: the chunk table is read at every lookup, by every thread.
    depot: CachePadded<Mutex<Depot>>,
    labels: CachePadded<label::Runs>,
    slots: PhantomData<T>,
}

// SAFETY: slots are shared by the rules of their headers (`Slot: Sync`), the rest is atomic or
// behind the mutex.
unsafe impl<T: Slot> Sync for Arena<T> {}
// SAFETY: as above; nothing in it belongs to a thread.
unsafe impl<T: Slot> Send for Arena<T> {}

#[derive(Default)]
struct Depot {
    /// Heads of lists of `BATCH` free slots.
    batches: Vec<u32>,
    /// Free slots that did not make a batch when their thread ended.
    loose: Vec<u32>,
    /// Slots below this have been handed out at least once. Slot 0 is never used.
    fresh: u32,
}

/// A thread's free slots: two lists, of which one is between empty and a batch, the other empty
/// or a batch.
#[derive(Default)]
pub struct Cache {
    head: u32,
    len: u32,
    spare: u32,
    fresh: u32,
    fresh_end: u32,
}

impl<T: Slot> Default for Arena<T> {
    fn default() -> Self {
        Arena::new()
    }
}

impl<T: Slot> Arena<T> {
    const PER_CHUNK: usize = CHUNK_BYTES / size_of::<T>();
    const TABLE: Layout = match Layout::array::<AtomicPtr<T>>(CHUNKS) {
        Ok(layout) => layout,
        Err(_) => panic!("the chunk table fits an address space"),
    };
    /// An arena without chunks.
    pub fn new() -> Arena<T> {
        const { assert!(size_of::<T>().is_power_of_two() && size_of::<T>() <= CHUNK_BYTES) };
        // SAFETY: the layout has a non-zero size.
        let table = unsafe { alloc_zeroed(Self::TABLE) }.cast::<AtomicPtr<T>>();
        let chunks = NonNull::new(table).unwrap_or_else(|| handle_alloc_error(Self::TABLE));
        Arena {
            chunks,
            depot: CachePadded::new(Mutex::new(Depot {
                fresh: 1,
                ..Depot::default()
            })),
            labels: CachePadded::default(),
            slots: PhantomData,
        }
    }

    fn chunk(&self, number: usize) -> &AtomicPtr<T> {
        debug_assert!(number < CHUNKS);
        // SAFETY: `number` is below the length of the table.
        let entry = unsafe { self.chunks.add(number) };
        // SAFETY: zeroed memory is a valid `AtomicPtr`, and the table lives as long as `self`.
        unsafe { entry.as_ref() }
    }

    /// The slot of this index, live or free, if its chunk exists.
    #[inline]
    pub fn get(&self, index: u32) -> Option<&T> {
        let number = index as usize / Self::PER_CHUNK;
        if number >= CHUNKS {
            return None;
        }
        // Pairs with the store in `chunk_for`: a chunk is seen whole.
        let chunk = NonNull::new(self.chunk(number).load(Ordering::Acquire))?;
        // SAFETY: the offset is within the chunk.
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
        if cache.head == 0 {
            self.refill(cache)?;
        }
        let index = cache.head;
        let slot = self.slot(index);
        if cache.fresh != cache.fresh_end {
            // A run of slots that were never used: there is no list through them yet.
            cache.fresh += 1;
            cache.head = if cache.fresh == cache.fresh_end {
                0
            } else {
                cache.fresh
            };
        } else {
            cache.head = slot.next_free().get();
        }
        cache.len -= 1;
        Some((index, slot))
    }

    /// Takes back a slot whose header has become this free word. That of a label stays where it is:
    /// it may have another object by now.
    #[inline]
    pub fn free(&self, cache: &mut Cache, freed: Word, index: u32) {
        if freed.is_label() {
            self.label_freed(index);
            return;
        }
        debug_assert_eq!(self.slot(index).header().peek().state(), FREE);
        if cache.fresh != cache.fresh_end || cache.len == BATCH {
            self.make_room(cache);
        }
        self.slot(index).next_free().set(cache.head);
        cache.head = index;
        cache.len += 1;
    }

    #[cold]
    fn refill(&self, cache: &mut Cache) -> Option<()> {
        debug_assert_eq!(cache.len, 0);
        if cache.spare != 0 {
            cache.head = std::mem::take(&mut cache.spare);
            cache.len = BATCH;
            return Some(());
        }
        let mut depot = self.depot.lock();
        if let Some(head) = depot.batches.pop() {
            (cache.head, cache.len) = (head, BATCH);
        } else if let Some(index) = depot.loose.pop() {
            self.slot(index).next_free().set(0);
            (cache.head, cache.len) = (index, 1);
        } else {
            let first = depot.fresh;
            let end = first.checked_add(BATCH)?;
            for index in [first, end - 1] {
                self.chunk_for(index, index as usize >= Self::PER_CHUNK)?;
            }
            depot.fresh = end;
            (cache.head, cache.len) = (first, BATCH);
            (cache.fresh, cache.fresh_end) = (first, end);
        }
        Some(())
    }

    /// Called with the depot locked, so that a chunk is made once.
    fn chunk_for(&self, index: u32, huge: bool) -> Option<()> {
        let number = index as usize / Self::PER_CHUNK;
        if number >= CHUNKS {
            return None;
        }
        let entry = self.chunk(number);
        if entry.load(Ordering::Relaxed).is_null() {
            // Pairs with the load in `get`.
            entry.store(map_chunk(huge)?.as_ptr().cast(), Ordering::Release);
        }
        Some(())
    }

    /// Makes the cache's first list one that can take a slot.
    #[cold]
    fn make_room(&self, cache: &mut Cache) {
        if cache.fresh != cache.fresh_end {
            // Link the rest of the run into a list.
            for index in cache.fresh..cache.fresh_end {
                let next = if index + 1 == cache.fresh_end {
                    0
                } else {
                    index + 1
                };
                self.slot(index).next_free().set(next);
            }
            cache.fresh = cache.fresh_end;
        }
        if cache.len == BATCH {
            if cache.spare != 0 {
                self.depot.lock().batches.push(cache.spare);
            }
            cache.spare = cache.head;
            (cache.head, cache.len) = (0, 0);
        }
    }

    /// Gives everything in the cache of an ending thread to the others.
    pub fn drain(&self, cache: &mut Cache) {
        let mut loose = Vec::new();
        let mut index = cache.head;
        for _ in 0..cache.len {
            loose.push(index);
            index = if cache.fresh != cache.fresh_end {
                index + 1
            } else {
                self.slot(index).next_free().get()
            };
        }
        let mut depot = self.depot.lock();
        depot.loose.append(&mut loose);
        if cache.spare != 0 {
            depot.batches.push(cache.spare);
        }
        *cache = Cache::default();
    }

    /// The indices of live slots, for reports and for tearing down.
    pub fn live(&self) -> impl Iterator<Item = (u32, Word, &T)> {
        let end = self.depot.lock().fresh;
        (1..end).filter_map(|index| {
            let slot = self.get(index)?;
            let word = slot.header().peek();
            (word.state() != FREE).then_some((index, word, slot))
        })
    }
}

impl<T> Drop for Arena<T> {
    fn drop(&mut self) {
        for number in 0..CHUNKS {
            // SAFETY: `number` is below the length of the table.
            let entry = unsafe { self.chunks.add(number) };
            // SAFETY: zeroed memory is a valid `AtomicPtr`.
            let chunk = unsafe { entry.as_ref() }.load(Ordering::Relaxed);
            if chunk.is_null() {
                // Indices are handed out in order, so later chunks do not exist either.
                break;
            }
            // SAFETY: `map_chunk` made this mapping, and no reference outlives `self`.
            unsafe { libc::munmap(chunk.cast(), CHUNK_BYTES) };
        }
        let layout = Layout::array::<AtomicPtr<T>>(CHUNKS).expect("as in `TABLE`");
        // SAFETY: the table was allocated with this layout.
        unsafe { dealloc(self.chunks.as_ptr().cast(), layout) };
    }
}

/// A chunk of zeros. It is mapped and not allocated because its pages are to be touched only when
/// their slots are used, and aligned allocators that give zeros write them.
///
/// From the second chunk on an arena asks for huge pages: a fault for each 4 KiB costs more than
/// what is done with the EDTs in them. A program with few objects stays small.
fn map_chunk(huge: bool) -> Option<NonNull<u8>> {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // Twice the size has an aligned chunk in it.
    // SAFETY: a new mapping at an address of the system's choice touches nothing else.
    let start = unsafe { libc::mmap(ptr::null_mut(), 2 * CHUNK_BYTES, protection, flags, -1, 0) };
    if start == libc::MAP_FAILED {
        return None;
    }
    let before = start.cast::<u8>().align_offset(CHUNK_BYTES);
    let chunk = start.wrapping_byte_add(before);
    let end = chunk.wrapping_byte_add(CHUNK_BYTES);
    if before != 0 {
        // SAFETY: the part of the new mapping before the chunk.
        unsafe { libc::munmap(start, before) };
    }
    // SAFETY: the part of the new mapping behind the chunk.
    unsafe { libc::munmap(end, CHUNK_BYTES - before) };
    if huge {
        // SAFETY: advice on the chunk; whether it is taken makes no difference but in speed.
        unsafe { libc::madvise(chunk, CHUNK_BYTES, libc::MADV_HUGEPAGE) };
    }
    NonNull::new(chunk.cast())
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[repr(C, align(64))]
    pub(super) struct Thing {
        header: Header,
        next_free: Cell<u32>,
    }

    // SAFETY: the cell is touched by the holder of the free slot alone.
    unsafe impl Sync for Thing {}
    // SAFETY: zero is free; 64 bytes; the fields are fixed.
    unsafe impl Slot for Thing {
        fn header(&self) -> &Header {
            &self.header
        }
        fn next_free(&self) -> &Cell<u32> {
            &self.next_free
        }
    }

    fn create(arena: &Arena<Thing>, cache: &mut Cache) -> u32 {
        let (index, slot) = arena.allocate(cache).expect("memory");
        let word = slot.header.peek();
        assert_eq!(word.state(), FREE, "slot {index} handed out twice");
        slot.header.publish(word.with_state(1));
        index
    }

    fn destroy(arena: &Arena<Thing>, cache: &mut Cache, index: u32) {
        let mut locked = arena.slot(index).header.lock_pinned();
        let freed = locked.word.freed().expect("generations left");
        locked.word = freed;
        drop(locked);
        arena.free(cache, freed, index);
    }

    #[test]
    fn slots_are_handed_out_once_and_come_back() {
        let arena = Arena::<Thing>::new();
        let (mut a, mut b) = (Cache::default(), Cache::default());
        let count = 10 * BATCH;
        let mut live: Vec<u32> = (0..count).map(|_| create(&arena, &mut a)).collect();
        assert_eq!(live.iter().collect::<HashSet<_>>().len(), count as usize);
        assert_eq!(arena.live().count(), count as usize);
        // Freed by another thread's cache, created again from the first: nothing new is needed.
        for index in live.drain(..) {
            destroy(&arena, &mut b, index);
        }
        arena.drain(&mut b);
        let before = arena.depot.lock().fresh;
        let again: Vec<u32> = (0..count).map(|_| create(&arena, &mut a)).collect();
        assert_eq!(again.iter().collect::<HashSet<_>>().len(), count as usize);
        assert_eq!(arena.depot.lock().fresh, before);
    }

    #[test]
    fn any_order_of_taking_and_returning_keeps_slots_apart() {
        let arena = Arena::<Thing>::new();
        let mut caches = [Cache::default(), Cache::default(), Cache::default()];
        let mut live = Vec::new();
        let mut random = 12345u32;
        for _ in 0..100_000 {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let cache = &mut caches[(random >> 8) as usize % 3];
            if live.is_empty() || random >> 30 != 0 && live.len() < 3000 {
                live.push(create(&arena, cache));
            } else {
                let victim = live.swap_remove((random >> 12) as usize % live.len());
                destroy(&arena, cache, victim);
            }
        }
        assert_eq!(arena.live().count(), live.len());
        assert_eq!(live.iter().collect::<HashSet<_>>().len(), live.len());
    }

    #[test]
    fn unknown_indices_are_none() {
        let arena = Arena::<Thing>::new();
        assert!(arena.get(0).is_none());
        assert!(arena.get(u32::MAX).is_none());
    }
}
