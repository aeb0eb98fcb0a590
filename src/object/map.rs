//! Maps whose objects are made when they are first asked for (OCR-Vx), and their making.
//!
//! | state of an index | meaning | left by |
//! |---|---|---|
//! | empty | no thread has asked for it | the first thread that asks: a creation begins |
//! | being made | a thread runs the creator, which is given an identifier of its own for it | the object, or the end of a creator that has made none (empty again) |
//! | made | the table of the map has the GUID | a call that destroys the object: empty. An object that ends by itself, as an EDT that has run, stays in the table |
//!
//! [`Creations`] has the indices that are being made; its mutex guards every step but the look at the
//! table, which is one load. A thread that asks for an index that another thread makes waits until the object is there.
//! A thread that runs a creator may wait so, too, for another index. [`Creations::begin`] refuses it where that would
//! close a circle, since no thread in a circle could go on. The thread that closes it sees that, because each wait is
//! entered under the mutex before its thread sleeps.

use super::guid::{Guid, Kind};
use super::registry::{Numbers, Registry};
use super::saved::{Saved, malformed};
use super::waiting::Wake;
use super::zone::Zone;
use crate::heap::may_fail;
use crate::status::Status;
use ocr_base::lock::{Mutex, rank};
use std::alloc::{Layout, alloc_zeroed};
use std::cell::Cell;
use std::collections::HashMap;
use std::io;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};

/// What `ocrMapCreate` is given: makes the object of an index.
pub(crate) type Creator = unsafe extern "C" fn(Guid, u64, u32, *mut u64, u32, *mut Guid);

/// A map whose objects a function of the program creates when they are first asked for (`ocr-map-creator.h`).
pub struct CreatorMap {
    creator: Creator,
    params: Box<[Cell<u64>]>,
    guids: Box<[Cell<Guid>]>,
    /// The GUIDs' bits, by index; 0: none yet.
    objects: Box<[AtomicU64]>,
}

// SAFETY: the arrays of cells are touched by the program's function alone, which may run on several
// threads at a time by the rules of `ocrMapCreate`.
unsafe impl Sync for CreatorMap {}
// SAFETY: nothing in it belongs to a thread.
unsafe impl Send for CreatorMap {}

impl CreatorMap {
    /// A map of `size` objects, with what its creator is given. `None` without memory.
    pub fn new(creator: Creator, size: u64, params: Box<[Cell<u64>]>, guids: Box<[Cell<Guid>]>) -> Option<CreatorMap> {
        Some(CreatorMap { creator, params, guids, objects: zeros(usize::try_from(size).ok()?)? })
    }

    /// Passes a map to a checkpoint, or makes one that it has.
    fn pass(file: &mut Saved<'_>, own: Option<&CreatorMap>) -> io::Result<Option<CreatorMap>> {
        // SAFETY: `Creator` is the type of a pointer to a function.
        let creator = unsafe { file.pointer(own.map(|map| map.creator)) }?;
        let mut params: Vec<u64> = own.iter().flat_map(|map| map.params.iter().map(Cell::get)).collect();
        let mut guids: Vec<Guid> = own.iter().flat_map(|map| map.guids.iter().map(Cell::get)).collect();
        let objects = own.iter().flat_map(|map| map.objects.iter().map(|object| object.load(Ordering::Relaxed)));
        let mut made: Vec<(usize, u64)> = objects.enumerate().filter(|(_, object)| *object != 0).collect();
        file.table(&mut params)?;
        file.table(&mut guids)?;
        file.table(&mut made)?;
        let size = file.word(own.map_or(0, CreatorMap::size))?;
        let Some(creator) = creator.filter(|_| file.restores()) else { return Ok(None) };
        let params = params.into_iter().map(Cell::new).collect();
        let guids = guids.into_iter().map(Cell::new).collect();
        let map = CreatorMap::new(creator, size, params, guids).ok_or(io::ErrorKind::OutOfMemory)?;
        for (index, object) in made {
            map.objects.get(index).ok_or_else(malformed)?.store(object, Ordering::Relaxed);
        }
        Ok(Some(map))
    }

    /// How many objects it can have.
    pub fn size(&self) -> u64 {
        self.objects.len() as u64
    }

    /// The object of an index in range, if it was made.
    pub fn object(&self, index: u64) -> Option<Guid> {
        // Pairs with the store in `Creations::made`.
        let bits = self.objects[index as usize].load(Ordering::Acquire);
        (bits != 0).then(|| Guid::from_bits(bits))
    }

    /// Runs the creator.
    ///
    /// # Safety
    /// The program's function is run: no reference to the thread's context may be alive.
    pub unsafe fn create(&self, local: Guid, index: u64) {
        let params = array(&self.params).cast::<u64>();
        let guids = array(&self.guids).cast::<Guid>();
        let (paramc, guidc) = (self.params.len() as u32, self.guids.len() as u32);
        // SAFETY: the caller promises that no reference to the context is alive; the function gets what `ocrMapCreate`
        // promises. It may write to the arrays, which are cells.
        unsafe { (self.creator)(local, index, paramc, params, guidc, guids) };
    }
}

/// Where an array is; null for one without elements.
fn array<T>(cells: &[Cell<T>]) -> *mut Cell<T> {
    if cells.is_empty() { ptr::null_mut() } else { cells.as_ptr().cast_mut() }
}

/// `len` zeros. They are not written: memory is taken where a map gets objects.
fn zeros(len: usize) -> Option<Box<[AtomicU64]>> {
    let layout = Layout::array::<AtomicU64>(len).ok()?;
    if layout.size() == 0 {
        return Some(Box::default());
    }
    // SAFETY: a layout of size 0 was answered above, so the size is not 0.
    let start = NonNull::new(may_fail(|| unsafe { alloc_zeroed(layout) }))?;
    let all = ptr::slice_from_raw_parts_mut(start.as_ptr().cast::<AtomicU64>(), len);
    // SAFETY: allocated above with the layout of this slice; zero is a valid `AtomicU64`.
    Some(unsafe { Box::from_raw(all) })
}

/// What a thread that asks for an object is to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CreationStep {
    /// Nothing: this is the object.
    Made(Guid),
    /// The thread is to run the creator, with this identifier.
    Create(Guid),
    /// The thread is to wait for the creation with this identifier, which another thread runs.
    Wait(Guid),
    /// Nothing can be done: the creation of the object waits for this thread.
    Circle,
}

/// A creation, by the identifier that the creator was given.
struct Creation {
    /// Kept, so that threads that wait find the object also when the map is destroyed meanwhile.
    map: Arc<CreatorMap>,
    guid: Guid,
    index: u64,
    thread: usize,
    object: Option<Guid>,
    /// What the last attempt to make the object was answered.
    status: Option<Status>,
    waiting: Vec<Wake>,
}

#[derive(Default)]
struct MapState {
    creations: HashMap<Guid, Creation>,
    by_index: HashMap<(Guid, u64), Guid>,
    /// The creations that threads wait for.
    waits: HashMap<usize, Guid>,
    /// Where the objects that were made stand in the tables of their maps.
    made: HashMap<Guid, (Weak<CreatorMap>, u64)>,
    /// From this number of made objects on, those whose maps are gone are looked for and dropped.
    crowded: usize,
}

/// Fewer objects than this are kept whatever became of their maps.
const FEW: usize = 64;

/// The creations that go on, of all maps.
#[derive(Default)]
pub struct Creations {
    /// The numbers of identifiers that are given to creators.
    numbers: Numbers,
    /// Whether a map has or had an object. Until then, a thread that destroys an object has nothing to look for.
    any: AtomicBool,
    state: Mutex<rank::Maps, MapState>,
}

impl MapState {
    /// Whether a creation cannot end before this thread goes on.
    fn waits_for(&self, mut local: Guid, thread: usize) -> bool {
        while let Some(creation) = self.creations.get(&local)
            && creation.object.is_none()
        {
            if creation.thread == thread {
                return true;
            }
            match self.waits.get(&creation.thread) {
                Some(&other) => local = other,
                None => return false,
            }
        }
        false
    }
}

impl Creations {
    /// Makes those of a node; none goes on yet.
    pub fn new(zone: Zone) -> Creations {
        Creations { numbers: Numbers::new(zone), ..Creations::default() }
    }

    /// Passes the maps through a checkpoint, and which objects they have made. No creator runs.
    pub(super) fn pass(&self, file: &mut Saved<'_>, maps: &Registry<CreatorMap>) -> io::Result<()> {
        self.numbers.pass(file)?;
        maps.pass(file, |file, own| {
            let Some(map) = CreatorMap::pass(file, own)?.map(Arc::new) else { return Ok(None) };
            let mut state = self.state.lock();
            for (index, object) in map.objects.iter().enumerate() {
                let object = object.load(Ordering::Relaxed);
                if object != 0 {
                    state.made.insert(Guid::from_bits(object), (Arc::downgrade(&map), index as u64));
                    self.any.store(true, Ordering::Relaxed);
                }
            }
            Ok(Some(map))
        })
    }

    /// Whether a creator was given this identifier.
    pub fn gave(&self, local: Guid) -> bool {
        self.numbers.gave(local)
    }

    /// A thread asks for the object of an index in range. `None` when identifiers are used up. After
    /// [`CreationStep::Wait`] it is entered as one that waits, until [`Creations::goes_on`].
    pub fn begin(&self, (guid, map): (Guid, &Arc<CreatorMap>), index: u64, thread: usize) -> Option<CreationStep> {
        let mut state = self.state.lock();
        if let Some(object) = map.object(index) {
            return Some(CreationStep::Made(object));
        }
        if let Some(&local) = state.by_index.get(&(guid, index)) {
            if state.waits_for(local, thread) {
                return Some(CreationStep::Circle);
            }
            state.waits.insert(thread, local);
            return Some(CreationStep::Wait(local));
        }
        let local = self.numbers.next(Kind::Local)?;
        state.by_index.insert((guid, index), local);
        let creation =
            Creation { map: map.clone(), guid, index, thread, object: None, status: None, waiting: Vec::new() };
        state.creations.insert(local, creation);
        Some(CreationStep::Create(local))
    }

    /// Has `wake` called when a creation has led to an object, or to none; perhaps at once.
    pub fn watch(&self, local: Guid, wake: Wake) {
        let mut state = self.state.lock();
        match state.creations.get_mut(&local) {
            Some(creation) if creation.object.is_none() => creation.waiting.push(wake),
            _ => {
                drop(state);
                wake();
            }
        }
    }

    /// A thread does not wait any more.
    pub fn goes_on(&self, thread: usize) {
        self.state.lock().waits.remove(&thread);
    }

    /// Whether this thread runs the creator that was given this identifier, which has no object yet.
    pub fn is_open(&self, local: Guid, thread: usize) -> bool {
        let state = self.state.lock();
        let creation = state.creations.get(&local);
        creation.is_some_and(|creation| creation.thread == thread && creation.object.is_none())
    }

    /// The object of a creation whose creator runs; the inner `None`: there is none yet.
    pub fn object(&self, local: Guid) -> Option<Option<Guid>> {
        let state = self.state.lock();
        Some(state.creations.get(&local)?.object)
    }

    /// The object of an open creation was made.
    pub fn made(&self, local: Guid, object: Guid) {
        let waiting = {
            let state = &mut *self.state.lock();
            let Some(creation) = state.creations.get_mut(&local) else {
                return;
            };
            creation.object = Some(object);
            // Pairs with the load in `CreatorMap::object`.
            creation.map.objects[creation.index as usize].store(object.bits(), Ordering::Release);
            state.by_index.remove(&(creation.guid, creation.index));
            let place = (Arc::downgrade(&creation.map), creation.index);
            let waiting = std::mem::take(&mut creation.waiting);
            state.made.insert(object, place);
            if state.made.len() >= state.crowded.max(FEW) {
                state.made.retain(|_, (map, _)| map.strong_count() != 0);
                state.crowded = 2 * state.made.len();
            }
            // Relaxed: a thread that has the object's GUID comes after this call.
            self.any.store(true, Ordering::Relaxed);
            waiting
        };
        for wake in waiting {
            wake();
        }
    }

    /// An object was destroyed by a call of the program: if a map has made it, its index is empty again.
    pub fn destroyed(&self, object: Guid) {
        if !self.any.load(Ordering::Relaxed) {
            return;
        }
        let mut state = self.state.lock();
        if let Some((map, index)) = state.made.remove(&object)
            && let Some(map) = map.upgrade()
        {
            // Another object cannot stand there: an index gets one only when it is empty. Relaxed: a thread that sees
            // the zero takes the mutex before it does anything.
            map.objects[index as usize].store(0, Ordering::Relaxed);
        }
    }

    /// The creator has tried to make the object, in vain.
    pub fn failed(&self, local: Guid, status: Status) {
        if let Some(creation) = self.state.lock().creations.get_mut(&local) {
            creation.status = Some(status);
        }
    }

    /// The creator has returned: its object, or what its last attempt was answered, if it made one.
    pub fn end(&self, local: Guid) -> Result<Guid, Option<Status>> {
        let creation = {
            let state = &mut *self.state.lock();
            let Some(creation) = state.creations.remove(&local) else {
                return Err(None);
            };
            if creation.object.is_none() {
                state.by_index.remove(&(creation.guid, creation.index));
            }
            creation
        };
        for wake in creation.waiting {
            wake();
        }
        creation.object.ok_or(creation.status)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    unsafe extern "C" fn nothing(_: Guid, _: u64, _: u32, _: *mut u64, _: u32, _: *mut Guid) {}

    fn map(size: u64) -> Arc<CreatorMap> {
        Arc::new(CreatorMap::new(nothing, size, Box::default(), Box::default()).expect("memory"))
    }

    const MAP: Guid = Guid::from_bits(77);
    const OBJECT: Guid = Guid::from_bits(55);

    fn create(creations: &Creations, map: &Arc<CreatorMap>, index: u64, thread: usize) -> Guid {
        match creations.begin((MAP, map), index, thread) {
            Some(CreationStep::Create(local)) => local,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn an_object_is_made_once_and_those_that_wait_are_called() {
        let (creations, map) = (Creations::default(), map(3));
        let local = create(&creations, &map, 2, 1);
        assert_eq!(creations.begin((MAP, &map), 2, 2), Some(CreationStep::Wait(local)));
        let called = Arc::new(AtomicUsize::new(0));
        let wake = || {
            let called = called.clone();
            Box::new(move || {
                called.fetch_add(1, Ordering::Relaxed);
            })
        };
        creations.watch(local, wake());
        assert!(creations.is_open(local, 1) && !creations.is_open(local, 2));
        assert_eq!(called.load(Ordering::Relaxed), 0);
        creations.made(local, OBJECT);
        assert_eq!(called.load(Ordering::Relaxed), 1);
        creations.watch(local, wake());
        assert_eq!(called.load(Ordering::Relaxed), 2);
        assert!(!creations.is_open(local, 1));
        creations.goes_on(2);
        let again = creations.begin((MAP, &map), 2, 2);
        assert_eq!(again, Some(CreationStep::Made(OBJECT)));
        assert_eq!(creations.end(local), Ok(OBJECT));
        assert_eq!(creations.object(local), None);
    }

    #[test]
    fn a_creator_that_makes_nothing_leaves_the_index_empty() {
        let (creations, map) = (Creations::default(), map(1));
        let first = create(&creations, &map, 0, 1);
        creations.failed(first, Status::ENOMEM);
        assert_eq!(creations.end(first), Err(Some(Status::ENOMEM)));
        let second = create(&creations, &map, 0, 1);
        assert_ne!(first, second);
        assert_eq!(creations.end(second), Err(None));
    }

    #[test]
    fn a_circle_is_refused_to_who_closes_it() {
        let (creations, map) = (Creations::default(), map(4));
        let zero = create(&creations, &map, 0, 1);
        // In its own creator.
        let own = creations.begin((MAP, &map), 0, 1);
        assert_eq!(own, Some(CreationStep::Circle));
        // Three threads wait in a circle: the one that would close it is refused.
        let one = create(&creations, &map, 1, 2);
        let two = create(&creations, &map, 2, 3);
        assert_eq!(creations.begin((MAP, &map), 1, 1), Some(CreationStep::Wait(one)));
        assert_eq!(creations.begin((MAP, &map), 2, 2), Some(CreationStep::Wait(two)));
        let closing = creations.begin((MAP, &map), 0, 3);
        assert_eq!(closing, Some(CreationStep::Circle));
        // Not once the object is there, though its creator has not returned.
        creations.made(zero, OBJECT);
        let made = creations.begin((MAP, &map), 0, 3);
        assert_eq!(made, Some(CreationStep::Made(OBJECT)));
    }

    #[test]
    fn a_map_larger_than_memory_is_refused() {
        let size = 1 << 60;
        assert!(CreatorMap::new(nothing, size, Box::default(), Box::default()).is_none());
    }
}
