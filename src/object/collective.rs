//! What a collective event knows of its generations (extension of OCR 1.2).
//!
//! Each contributor has a slot. Its contributions belong to the generations 0, 1, 2, ..., in the
//! order in which it makes them, and so do the dependences on its slot. A generation goes through
//! these states, and is forgotten at the end:
//!
//! | state | left by |
//! |---|---|
//! | `missing > 0` | the last contributor, which takes the contributions away and combines them |
//! | `missing == 0`, no `result` | the last contributor, which brings the block: those that wait are satisfied |
//! | `result`, `unconnected > 0` | the last contributor's dependence, which is served at once |
//!
//! A [`Collective`] is an allocation of its own, with the queues in it. It belongs to its event,
//! and to the threads that work on it just now; it is freed when `ocrEventDestroy`, or the end of
//! the run, has taken the event away and no thread is left. Its lock is held while a contribution is
//! copied, not while contributions are combined.

use super::guid::Guid;
use super::link::Link;
use super::reduction::Operator;
use super::saved::{Saved, malformed};
use crate::heap::may_fail;
#[cfg(loom)]
use loom::sync::{Mutex as CollectiveMutex, MutexGuard as CollectiveGuard};
use serde::{Deserialize, Serialize};
use std::alloc::{Layout, alloc_zeroed};
use std::collections::VecDeque;
use std::io;
use std::num::NonZeroUsize;
use std::ptr::NonNull;

#[cfg(not(loom))]
type CollectiveMutex<T> = ocr_base::lock::Mutex<ocr_base::lock::rank::Collective, T>;
#[cfg(not(loom))]
type CollectiveGuard<'a, T> = ocr_base::lock::MutexGuard<'a, ocr_base::lock::rank::Collective, T>;

/// The value of `maxGen` by which a collective event has generations without a limit.
pub(crate) const UNBOUNDED: u32 = u32::MAX;

/// The fields of `ocrEventCollectiveParams_t`. A call that creates an event which exists must give the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CollectiveParams {
    /// How many generations a contributor may be ahead of the others; not 0.
    pub bound: u32,
    /// How many contributors there are; not 0.
    pub contributors: u32,
    /// How many of them the program counts to this machine.
    pub contributors_here: u32,
    /// Elements in a contribution; not 0.
    pub elements: u16,
    /// The arity of the tree of contributors. There is no tree here, so it is only compared.
    pub arity: u8,
    /// The operation by which the elements of all contributions are combined.
    pub operator: Operator,
    /// Whether blocks may be used again.
    pub reuse: bool,
}

impl CollectiveParams {
    /// The size of a contribution, and of the result.
    pub fn bytes(&self) -> usize {
        self.elements as usize * self.operator.bytes()
    }
}

/// Why a contribution or a dependence is not taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ContributionError {
    /// The event has been destroyed.
    Closed,
    /// There is no such contributor.
    NoSuchSlot,
    /// The contributor is too far ahead of the others.
    Ahead,
    OutOfMemory,
}

/// What comes of a dependence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Connected {
    /// The dependence is in the list of those that wait.
    Waits,
    /// The generation has a result.
    Served(Guid),
}

/// A generation to which all have contributed.
pub struct Complete {
    number: u64,
    /// The contributions, one behind the other.
    contributions: Vec<u8>,
}

#[derive(Clone, Serialize, Deserialize)]
struct Generation {
    contributions: Vec<u8>,
    /// Contributors that have not contributed.
    missing: u32,
    /// Contributors on whose slot there is no dependence for it yet.
    unconnected: u32,
    /// The dependences that wait for the generation.
    waiting: Link,
    result: Option<Guid>,
}

#[derive(Clone, Default, Serialize, Deserialize)]
struct CollectiveState {
    closed: bool,
    /// By contributor: how often it has contributed.
    contributed: Vec<u64>,
    /// By contributor: how many dependences its slot has had.
    connected: Vec<u64>,
    /// The number of generations to which all have contributed.
    complete: u64,
    /// The number of the first generation in the queue.
    first: u64,
    generations: VecDeque<Generation>,
    /// The memory of contributions to an earlier generation.
    pub(crate) spare: Vec<u8>,
}

/// The inside of a collective event.
pub struct Collective {
    /// What it was created with.
    pub params: CollectiveParams,
    state: CollectiveMutex<CollectiveState>,
}

impl Collective {
    /// Makes the inside of an event without contributions. `None` where memory does not suffice for the number of
    /// contributors.
    pub fn new(params: CollectiveParams) -> Option<Collective> {
        let counts = || zeros(NonZeroUsize::new(params.contributors as usize)?);
        let state = CollectiveState { contributed: counts()?, connected: counts()?, ..CollectiveState::default() };
        Some(Collective { params, state: CollectiveMutex::new(state) })
    }

    /// Passes it to a checkpoint.
    pub(super) fn pass(&self, file: &mut Saved<'_>) -> io::Result<()> {
        let state = self.state().clone();
        file.table(&mut (self.params, state))
    }

    /// One that a checkpoint has.
    pub(super) fn restore(file: &mut Saved<'_>) -> io::Result<Collective> {
        let mut all: Option<(CollectiveParams, CollectiveState)> = None;
        file.table(&mut all)?;
        let (params, state) = all.ok_or_else(malformed)?;
        Ok(Collective { params, state: CollectiveMutex::new(state) })
    }

    fn state(&self) -> CollectiveGuard<'_, CollectiveState> {
        #[cfg(not(loom))]
        return self.state.lock();
        #[cfg(loom)]
        self.state.lock().expect("nothing panics with the lock held")
    }

    /// The generation whose turn it is for one slot, and its place; `number` is what the slot has had.
    fn turn(&self, state: &mut CollectiveState, number: Option<u64>) -> Result<(u64, usize), ContributionError> {
        let number = number.ok_or(ContributionError::NoSuchSlot)?;
        if state.closed {
            return Err(ContributionError::Closed);
        }
        let bound = u64::from(self.params.bound);
        if self.params.bound != UNBOUNDED && number >= state.complete + bound {
            return Err(ContributionError::Ahead);
        }
        Ok((number, state.place_of(number, self.params)?))
    }

    /// Copies the next contribution of the contributor in `slot`. If it is the last one to its
    /// generation, the caller combines them and calls [`Collective::deliver`].
    pub fn contribute(&self, slot: u32, data: &[u8]) -> Result<Option<Complete>, ContributionError> {
        let mut state = self.state();
        let number = state.contributed.get(slot as usize).copied();
        let (number, place) = self.turn(&mut state, number)?;
        if state.generations[place].contributions.is_empty() {
            let memory = std::mem::take(&mut state.spare);
            let memory = sized(memory, self.params).ok_or(ContributionError::OutOfMemory)?;
            state.generations[place].contributions = memory;
        }
        state.contributed[slot as usize] += 1;
        let generation = &mut state.generations[place];
        generation.contributions[slot as usize * data.len()..][..data.len()].copy_from_slice(data);
        generation.missing -= 1;
        if generation.missing != 0 {
            return Ok(None);
        }
        let contributions = std::mem::take(&mut generation.contributions);
        // All contributors have contributed to all generations before.
        state.complete = number + 1;
        Ok(Some(Complete { number, contributions }))
    }

    /// Combines the contributions to a generation.
    pub fn combine(&self, complete: &Complete, result: &mut [u8]) {
        self.params.operator.combine(&complete.contributions, result);
    }

    /// Gives a generation its result. The list of those that wait for it.
    pub fn deliver(&self, complete: Complete, result: Guid) -> Link {
        let mut state = self.state();
        if state.closed {
            return Link::END;
        }
        state.spare = complete.contributions;
        let place = (complete.number - state.first) as usize;
        let generation = &mut state.generations[place];
        generation.result = Some(result);
        let waiting = std::mem::replace(&mut generation.waiting, Link::END);
        state.forget();
        waiting
    }

    /// Takes the next dependence on `slot`. If it has to wait, `set_rest` makes it a node of a list
    /// before what it is given.
    pub fn connect(&self, slot: u32, node: Link, set_rest: impl FnOnce(Link)) -> Result<Connected, ContributionError> {
        let mut state = self.state();
        let number = state.connected.get(slot as usize).copied();
        let (_, place) = self.turn(&mut state, number)?;
        state.connected[slot as usize] += 1;
        let generation = &mut state.generations[place];
        generation.unconnected -= 1;
        let Some(result) = generation.result else {
            set_rest(generation.waiting);
            generation.waiting = node;
            return Ok(Connected::Waits);
        };
        state.forget();
        Ok(Connected::Served(result))
    }

    /// Ends it: nothing is taken any more. The lists of those that wait.
    pub fn close(&self) -> Vec<Link> {
        self.state().closed = true;
        self.waiting()
    }

    /// The lists of those that wait.
    pub fn waiting(&self) -> Vec<Link> {
        let state = self.state();
        state.generations.iter().map(|one| one.waiting).collect()
    }

    /// The first generation to which not all have contributed, and the slots of those that have not, but no more than
    /// `most` of them.
    pub fn missing(&self, most: usize) -> (u64, Vec<usize>) {
        let state = self.state();
        let slots = state.contributed.iter().enumerate();
        let missing = slots.filter(|&(_, &count)| count <= state.complete);
        (state.complete, missing.map(|(slot, _)| slot).take(most).collect())
    }
}

/// `len` zeros, of which memory is touched when they are used. `None` if memory cannot be had.
fn zeros(len: NonZeroUsize) -> Option<Vec<u64>> {
    let len = len.get();
    let layout = Layout::array::<u64>(len).ok()?;
    // SAFETY: the layout has `len` elements of 8 bytes, and `len` is not 0, so the size is not 0.
    let memory = NonNull::new(may_fail(|| unsafe { alloc_zeroed(layout) }))?;
    // SAFETY: allocated as a vector of this capacity is; all its elements are zeros, which are numbers.
    Some(unsafe { Vec::from_raw_parts(memory.as_ptr().cast(), len, len) })
}

/// Memory for the contributions to a generation.
fn sized(mut memory: Vec<u8>, params: CollectiveParams) -> Option<Vec<u8>> {
    let bytes = params.bytes().checked_mul(params.contributors as usize)?;
    may_fail(|| memory.try_reserve_exact(bytes - memory.len())).ok()?;
    memory.resize(bytes, 0);
    Some(memory)
}

impl CollectiveState {
    /// Where generation `number`, which is not forgotten, stands in the queue.
    fn place_of(&mut self, number: u64, params: CollectiveParams) -> Result<usize, ContributionError> {
        let place = (number - self.first) as usize;
        while self.generations.len() <= place {
            if may_fail(|| self.generations.try_reserve(1)).is_err() {
                return Err(ContributionError::OutOfMemory);
            }
            self.generations.push_back(Generation {
                contributions: Vec::new(),
                missing: params.contributors,
                unconnected: params.contributors,
                waiting: Link::END,
                result: None,
            });
        }
        Ok(place)
    }

    /// Forgets generations whose result all dependences have got.
    fn forget(&mut self) {
        let done = |one: &Generation| one.result.is_some() && one.unconnected == 0;
        while self.generations.front().is_some_and(done) {
            self.generations.pop_front();
            self.first += 1;
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::object::guid::Kind;

    fn collective(bound: u32, contributors: u32) -> Collective {
        Collective::new(CollectiveParams {
            bound,
            contributors,
            contributors_here: contributors,
            elements: 1,
            arity: 2,
            operator: Operator::from_bits(0).expect("bytes are added"),
            reuse: true,
        })
        .expect("memory")
    }

    fn block(number: u32) -> Guid {
        Guid::new(Kind::DataBlock, 0, number)
    }

    #[test]
    fn generations_complete_in_order_and_are_forgotten() {
        let event = collective(3, 2);
        for number in 0..3 {
            assert!(matches!(event.contribute(1, &[number]), Ok(None)));
        }
        assert_eq!(event.contribute(1, &[9]).err(), Some(ContributionError::Ahead));
        assert_eq!(event.contribute(2, &[9]).err(), Some(ContributionError::NoSuchSlot));
        for number in 0..3u8 {
            let complete = event.contribute(0, &[10 * number]);
            let complete = complete.expect("taken").expect("the last one");
            let mut result = [0];
            event.combine(&complete, &mut result);
            assert_eq!(result, [11 * number]);
            assert_eq!(event.deliver(complete, block(number as u32)), Link::END);
        }
        for slot in [1, 0] {
            for number in 0..3 {
                let served = event.connect(slot, Link::END, |_| panic!("nothing waits"));
                assert_eq!(served, Ok(Connected::Served(block(number))));
            }
        }
        assert!(event.state().generations.is_empty());
    }

    #[test]
    fn dependences_wait_in_a_list_by_generation() {
        let event = collective(2, 2);
        let links = [1, 2, 3, 4].map(|index| Link::to_edt(Kind::EdtSmall, index, 0));
        for (slot, link, rest) in [(0, links[0], Link::END), (1, links[1], links[0]), (0, links[2], Link::END)] {
            let waits = event.connect(slot, link, |given| assert_eq!(given, rest));
            assert_eq!(waits, Ok(Connected::Waits));
        }
        let ahead = event.connect(0, links[3], |_| panic!("it is not taken"));
        assert_eq!(ahead, Err(ContributionError::Ahead));
        assert!(matches!(event.contribute(0, &[1]), Ok(None)));
        let complete = event.contribute(1, &[1]).expect("taken").expect("the last");
        assert_eq!(event.deliver(complete, block(1)), links[1]);
        assert_eq!(event.close(), [links[2]]);
        assert_eq!(event.contribute(0, &[1]).err(), Some(ContributionError::Closed));
        let closed = event.connect(1, links[3], |_| panic!("it is not taken"));
        assert_eq!(closed, Err(ContributionError::Closed));
    }
}

#[cfg(all(test, loom))]
mod loom_models {
    use super::*;
    use crate::object::guid::Kind;
    use loom::cell::UnsafeCell;
    use loom::sync::Arc;

    /// An event of two contributors, and for each the pre-slot of an EDT.
    struct World {
        event: Collective,
        rests: [UnsafeCell<Link>; 2],
        served: [UnsafeCell<Option<u8>>; 2],
    }

    // SAFETY: the cells of a pre-slot are touched by the thread that puts it into a list, and then by the thread that
    // has it out. The models check just that.
    unsafe impl Sync for World {}
    // SAFETY: nothing in it belongs to a thread.
    unsafe impl Send for World {}

    fn node(slot: usize) -> Link {
        Link::to_edt(Kind::EdtSmall, 1 + slot as u32, 0)
    }

    impl World {
        fn new() -> Arc<World> {
            let params = CollectiveParams {
                bound: 1,
                contributors: 2,
                contributors_here: 2,
                elements: 1,
                arity: 2,
                operator: Operator::from_bits(0).expect("bytes are added"),
                reuse: true,
            };
            Arc::new(World {
                event: Collective::new(params).expect("memory"),
                rests: [0, 1].map(|_| UnsafeCell::new(Link::END)),
                served: [0, 1].map(|_| UnsafeCell::new(None)),
            })
        }

        fn serve(&self, slot: usize, result: u8) {
            self.served[slot].with_mut(|served| {
                // SAFETY: the thread that serves a pre-slot owns it, so no other touches the cell now.
                let before = unsafe { (*served).replace(result) };
                assert_eq!(before, None, "served twice");
            });
        }

        /// The slots of a list.
        fn slots(&self, mut list: Link) -> Vec<usize> {
            let mut slots = Vec::new();
            while let Some(slot) = (0..2).find(|&slot| list == node(slot)) {
                slots.push(slot);
                // SAFETY: the thread that has taken the list owns its pre-slots, so no other touches the cell now.
                list = self.rests[slot].with(|rest| unsafe { *rest });
            }
            slots
        }

        /// The step of `Graph::contribute`. False if the event has been destroyed.
        fn contribute(&self, slot: usize) -> bool {
            match self.event.contribute(slot as u32, &[1 + slot as u8]) {
                Ok(None) => true,
                Ok(Some(complete)) => {
                    let mut result = [0];
                    self.event.combine(&complete, &mut result);
                    let block = Guid::new(Kind::DataBlock, 0, result[0].into());
                    for slot in self.slots(self.event.deliver(complete, block)) {
                        self.serve(slot, result[0]);
                    }
                    true
                }
                Err(why) => {
                    assert_eq!(why, ContributionError::Closed);
                    false
                }
            }
        }

        /// The step of `Graph::connect_to_multi_shot`. False if the event has been destroyed.
        fn connect(&self, slot: usize) -> bool {
            let set_rest = |list| {
                // SAFETY: the pre-slot is in no list yet, so it belongs to this thread, and no other touches the cell
                // now.
                self.rests[slot].with_mut(|rest| unsafe { *rest = list });
            };
            match self.event.connect(slot as u32, node(slot), set_rest) {
                Ok(Connected::Waits) => true,
                Ok(Connected::Served(block)) => {
                    self.serve(slot, block.index() as u8);
                    true
                }
                Err(why) => {
                    assert_eq!(why, ContributionError::Closed);
                    false
                }
            }
        }

        fn served(&self) -> [Option<u8>; 2] {
            // SAFETY: the threads of the model have been joined, so no thread writes the cells now.
            [0, 1].map(|slot| self.served[slot].with(|served| unsafe { *served }))
        }
    }

    /// Two threads contribute and add a dependence each, in different orders: both dependences are served
    /// once, with the sum, and nothing of the generation is left.
    #[test]
    fn a_collective_event_serves_every_dependence_once() {
        loom::model(|| {
            let world = World::new();
            let other = world.clone();
            let thread = loom::thread::spawn(move || {
                assert!(other.connect(0));
                assert!(other.contribute(0));
            });
            assert!(world.contribute(1));
            assert!(world.connect(1));
            thread.join().expect("no panic");
            assert_eq!(world.served(), [Some(3), Some(3)]);
            assert!(world.event.state().generations.is_empty());
        });
    }

    /// One thread adds a dependence and makes the last contribution while another destroys the event. A dependence that
    /// was taken is served, or is left to the thread that destroys the event.
    #[test]
    fn destruction_of_a_collective_event_against_its_last_contribution() {
        loom::model(|| {
            let world = World::new();
            assert!(world.contribute(1));
            let other = world.clone();
            let thread = loom::thread::spawn(move || {
                let connected = other.connect(0);
                other.contribute(0);
                connected
            });
            let lists = world.event.close();
            let left: Vec<usize> = lists.iter().flat_map(|&list| world.slots(list)).collect();
            let connected = thread.join().expect("no panic");
            let served = world.served()[0] == Some(3);
            assert_eq!(usize::from(connected), usize::from(served) + left.len());
        });
    }
}
