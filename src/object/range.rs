//! Ranges of labels, and maps, which are ranges with a function from tuples to labels (OCR 1.1.0,
//! B.2).
//!
//! States: free, live. As with templates, the bounds are read between two looks at the header. The
//! map is touched under the lock, and shared out: its function runs without the lock, and may still
//! run when the map has been destroyed.

use super::arena::{Arena, Cache, Slot};
use super::guid::{Guid, Kind};
use super::header::{Header, Word, states};
use super::saved::Saved;
use super::zone::Zone;
use std::cell::{Cell, UnsafeCell};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering, fence};

states! {
    /// The states of a range.
    pub(crate) enum RangeState {
        /// The range's labels are the program's.
        Live = 1,
        /// The generations of the slot are used up: no call accepts this state, and the slot is never given again.
        Retired = 2,
    }
}

/// What `ocrGuidMapCreate` is given: from the first label, the distance of two, the map's own
/// numbers and a tuple to a label.
pub(crate) type MapFunction = unsafe extern "C" fn(Guid, u64, *mut i64, *mut i64) -> Guid;

/// The function of a map, with its numbers.
pub struct Map {
    /// The program's function that makes an index of a tuple.
    pub function: MapFunction,
    /// The numbers; a function that writes to them must see to it that no other thread does.
    pub params: Box<[Cell<i64>]>,
}

// SAFETY: the numbers are touched by the program's function alone, which may run on several threads
// at a time by the rules of `ocrGuidMapCreate`.
unsafe impl Sync for Map {}
// SAFETY: nothing in it belongs to a thread.
unsafe impl Send for Map {}

/// A range of labels, or a map of them (OCR 1.1.0, B.2).
#[repr(C, align(64))]
pub(crate) struct LabelRange {
    header: Header<RangeState>,
    len: AtomicU32,
    first: AtomicU64,
    mapped: AtomicBool,
    map: UnsafeCell<Option<Arc<Map>>>,
}

// SAFETY: `map` is touched under the lock, the rest is atomic.
unsafe impl Sync for LabelRange {}

// SAFETY: zero is a free range, whose map is `None`; the size is 64; the fields are fixed.
unsafe impl Slot for LabelRange {
    type State = RangeState;

    fn header(&self) -> &Header<RangeState> {
        &self.header
    }
}

/// The labels of a range: contiguous GUIDs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LabelBounds {
    /// The first GUID of the range.
    pub first: Guid,
    /// How many GUIDs the range has.
    pub len: u32,
    /// Whether they have a map.
    pub mapped: bool,
}

impl LabelBounds {
    /// The label at this place.
    pub fn at(self, place: u64) -> Option<Guid> {
        (place < self.len as u64).then(|| Guid::from_bits(self.first.bits() + place))
    }

    /// The place of one of the labels.
    pub fn place(self, label: Guid) -> u64 {
        label.bits().wrapping_sub(self.first.bits())
    }

    /// Whether this is one of the labels.
    pub fn contains(self, guid: Guid) -> bool {
        self.place(guid) < self.len as u64
    }
}

/// All ranges of labels and maps of a runtime.
#[derive(Default)]
pub struct Ranges(Arena<LabelRange>);

impl Ranges {
    /// Makes a store without ranges, of a node.
    pub fn new(zone: Zone) -> Ranges {
        Ranges(Arena::new(zone))
    }

    /// Creates a range or, with a map, a map. `None` when memory is used up.
    pub fn create(&self, cache: &mut Cache, bounds: LabelBounds, map: Option<Map>) -> Option<Guid> {
        let (index, range) = self.0.allocate(cache)?;
        // A reader that sees what follows sees also that the slot's last range is gone.
        fence(Ordering::Release);
        range.first.store(bounds.first.bits(), Ordering::Relaxed);
        range.len.store(bounds.len, Ordering::Relaxed);
        range.mapped.store(bounds.mapped, Ordering::Relaxed);
        // SAFETY: the slot is free and belongs to this thread.
        unsafe { *range.map.get() = map.map(Arc::new) };
        let word = range.header.peek().with_state(RangeState::Live);
        range.header.publish(word);
        Some(Guid::new(Kind::Range, word.generation(), index))
    }

    fn get(&self, guid: Guid) -> Option<&LabelRange> {
        (guid.kind() == Some(Kind::Range)).then(|| self.0.get(guid.index()))?
    }

    /// The header's word of the slot with this index, whatever is in it.
    pub(crate) fn word(&self, index: u32) -> Option<Word<RangeState>> {
        self.0.get(index).map(|range| range.header.peek())
    }

    /// The labels of a range or map.
    pub fn bounds(&self, guid: Guid) -> Option<LabelBounds> {
        let range = self.get(guid)?;
        let before = range.header.peek();
        let first = Guid::from_bits(range.first.load(Ordering::Relaxed));
        let len = range.len.load(Ordering::Relaxed);
        let mapped = range.mapped.load(Ordering::Relaxed);
        // The loads above come before the second look.
        fence(Ordering::Acquire);
        let ours = before.generation() == guid.generation() && before.state() == RangeState::Live;
        (ours && range.header.peek() == before).then_some(LabelBounds { first, len, mapped })
    }

    /// The range or map of a label, and its index there.
    pub fn place_of(&self, label: Guid) -> Option<(Guid, u64)> {
        self.0.live().find_map(|(index, word, _)| {
            let range = Guid::new(Kind::Range, word.generation(), index);
            let bounds = self.bounds(range).filter(|bounds| bounds.contains(label))?;
            Some((range, bounds.place(label)))
        })
    }

    /// The labels of a map, and its function; `None` for a range without one.
    pub fn map(&self, guid: Guid) -> Option<(LabelBounds, Arc<Map>)> {
        let range = self.get(guid)?;
        let bounds = self.bounds(guid)?;
        let _locked = range.header.lock(guid.generation())?;
        // SAFETY: the header's lock, which guards `map`, is held while the reference is used, so no other thread
        // changes it.
        let map = unsafe { &*range.map.get() };
        Some((bounds, map.clone()?))
    }

    /// Destroys a range or map; its labels must be given back.
    pub fn destroy(&self, cache: &mut Cache, guid: Guid) -> Option<LabelBounds> {
        let range = self.get(guid)?;
        let bounds = self.bounds(guid)?;
        let mut locked = range.header.lock(guid.generation())?;
        // SAFETY: the header's lock, which guards `map`, is held, so no other thread reads or changes it.
        let map = unsafe { (*range.map.get()).take() };
        match locked.word.freed() {
            Some(freed) => {
                locked.word = freed;
                drop(locked);
                self.0.free(cache, freed, guid.index());
            }
            // The generations of the slot are used up: a state that no call accepts.
            None => {
                locked.word = locked.word.with_state(RangeState::Retired);
                drop(locked);
            }
        }
        drop(map);
        Some(bounds)
    }

    /// Passes all ranges and maps through a checkpoint.
    pub(super) fn pass(&self, file: &mut Saved<'_>) -> io::Result<()> {
        self.0.pass(file, |file, _, range| {
            let word = range.header.pass(file)?;
            if word.state() != RangeState::Live {
                return Ok(());
            }
            range.first.store(file.word(range.first.load(Ordering::Relaxed))?, Ordering::Relaxed);
            range.len.store(file.word(range.len.load(Ordering::Relaxed))?, Ordering::Relaxed);
            range.mapped.store(file.word(range.mapped.load(Ordering::Relaxed))?, Ordering::Relaxed);
            // SAFETY: no other thread changes a range while a checkpoint is written or read.
            let map = unsafe { &mut *range.map.get() };
            // SAFETY: `MapFunction` is the type of a pointer to a function.
            let function = unsafe { file.pointer(map.as_ref().map(|map| map.function)) }?;
            let mut params: Vec<i64> = map.iter().flat_map(|map| map.params.iter().map(Cell::get)).collect();
            file.table(&mut params)?;
            if let Some(function) = function.filter(|_| file.restores()) {
                let params = params.into_iter().map(Cell::new).collect();
                *map = Some(Arc::new(Map { function, params }));
            }
            Ok(())
        })
    }

    /// Gives an ending thread's free slots to the others.
    pub fn drain(&self, cache: &mut Cache) {
        self.0.drain(cache);
    }
}

impl Drop for Ranges {
    fn drop(&mut self) {
        for (_, _, range) in self.0.live() {
            // SAFETY: `self` is borrowed exclusively here, so no other thread uses a range.
            drop(unsafe { (*range.map.get()).take() });
        }
    }
}
