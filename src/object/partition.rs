//! Which data blocks are divided into parts (`ocrDbPartition`), and what their parts are.
//!
//! A table beside the blocks, since few have parts. What the parts mean for the users of the block
//! is in `engine/calls/partition.rs`.
//!
//! A part is a data block of its own. It is in the table from before anybody knows it until it has been
//! freed. A partition is in the table while it has parts; from when it is *open* until then it holds its
//! block, so the block is not freed before its parts. When all of its parts have been destroyed it
//! takes no others, and the next ones make another partition of the block.
//!
//! A part that has been destroyed and that somebody uses yet, or whose content is on its way, makes no
//! new part impossible that overlaps it, since a program cannot know of that: the new one waits.

use super::guid::Guid;
use crossbeam_utils::CachePadded;
use ocr_base::lock::{Mutex, rank};
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// A part that will be made.
#[derive(Clone, Copy, Debug)]
pub struct NewPart {
    /// The block that the part is.
    pub guid: Guid,
    /// Where it begins in the whole, in bytes.
    pub offset: u64,
    /// The size of the part in bytes.
    pub size: u64,
    /// Whether it goes its own way when an EDT wants the whole (`ocrDbCopy`).
    pub shares: bool,
}

/// Why a block is not divided so.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PartsError {
    /// Parts overlap, each other or those that there are.
    Overlap,
    /// The block has parts that were to be the only ones.
    Fixed,
    /// An EDT waits for the block, and is not to wait for parts that share its memory.
    Wanted,
}

/// What became of new parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Entered {
    /// The parts are the first of a partition: the caller has to open it.
    First,
    /// The parts wait for the partition to be open, or for others that they overlap.
    Waiting,
    /// The parts can be used.
    Open,
}

/// What follows when a part is gone.
#[derive(Debug)]
pub struct Gone {
    /// What it was a part of.
    pub whole: Guid,
    /// Parts that have waited for it.
    pub opens: Vec<Guid>,
    /// Whether it was the last of its partition.
    pub last: bool,
}

/// Parts that were made together and cannot be used yet.
struct Batch {
    parts: Vec<Guid>,
    /// Destroyed parts that overlap them.
    behind: Vec<Guid>,
}

struct Partition {
    /// Begin and end of the parts that are not empty and not destroyed.
    spans: BTreeMap<u64, u64>,
    /// Parts that are not destroyed.
    alive: usize,
    /// Parts that are destroyed and not gone, with begin and end.
    leaving: HashMap<Guid, (u64, u64)>,
    fixed: bool,
    open: bool,
    /// An EDT that is of no part waits for the whole.
    wanted: bool,
    waiting: Vec<Batch>,
}

#[derive(Clone, Copy)]
struct PartPlace {
    partition: u64,
    whole: Guid,
    offset: u64,
    size: u64,
    shares: bool,
    /// Whether a part that shares was asked to leave the whole, or is on its way back to it.
    settled: bool,
}

#[derive(Default)]
struct PartitionTable {
    partitions: HashMap<u64, Partition>,
    /// The partition of a block that takes more parts.
    current: HashMap<Guid, u64>,
    places: HashMap<Guid, PartPlace>,
}

/// The partitions of a runtime. The lock is not taken while a header is locked.
#[derive(Default)]
pub struct Partitions {
    /// Whether there are or were any. Read for each EDT, so in a line that is written once.
    any: CachePadded<AtomicBool>,
    table: Mutex<rank::Partitions, PartitionTable>,
    numbers: AtomicU64,
}

impl Partitions {
    /// A number for a partition that may be made.
    pub fn number(&self) -> u64 {
        if !self.exist() {
            self.any.store(true, Ordering::Relaxed);
        }
        self.numbers.fetch_add(1, Ordering::Relaxed)
    }

    /// Has [`Partitions::exist`] say so from now on: other nodes may want blocks, as EDTs want those that have parts.
    pub fn look_out(&self) {
        self.any.store(true, Ordering::Relaxed);
    }

    /// Whether there are or were any, or blocks may be wanted elsewhere.
    #[inline]
    pub fn exist(&self) -> bool {
        // A thread that has the GUID of a part comes after the call that has made it.
        self.any.load(Ordering::Relaxed)
    }

    /// Whether a block has parts.
    pub fn any_left(&self) -> bool {
        !self.table.lock().partitions.is_empty()
    }

    /// Where a block stands in the order in which EDTs acquire blocks, which does not change. A part stands right
    /// behind its whole, since an EDT that waits for the part may wait for the holders of the whole.
    pub fn order_of(&self, block: Guid) -> Vec<Guid> {
        let table = self.table.lock();
        let mut order = vec![block];
        let mut inner = block;
        while let Some(place) = table.places.get(&inner) {
            inner = place.whole;
            order.push(inner);
        }
        order.reverse();
        order
    }

    /// Enters new parts of a block, all or none. If they are the first of a partition, it has this number;
    /// `and` is done before others see it, and may refuse them.
    pub fn enter<E: From<PartsError>>(
        &self,
        whole: Guid,
        parts: &[NewPart],
        fixed: bool,
        number: u64,
        and: impl FnOnce() -> Result<(), E>,
    ) -> Result<Entered, E> {
        let mut table = self.table.lock();
        let table = &mut *table;
        let current = table.current.get(&whole).copied();
        let partition = match current {
            Some(number) => table.partitions.get_mut(&number),
            None => None,
        };
        let number = current.unwrap_or(number);
        let entered = match partition {
            Some(partition) if partition.fixed => return Err(PartsError::Fixed.into()),
            Some(partition) if partition.wanted && parts.iter().any(|part| part.shares) => {
                return Err(PartsError::Wanted.into());
            }
            Some(partition) => {
                partition.take(parts)?;
                partition.fixed = fixed;
                partition.wait(parts)
            }
            None => {
                let mut partition = Partition::new(fixed);
                partition.take(parts)?;
                and()?;
                partition.wait(parts);
                table.partitions.insert(number, partition);
                table.current.insert(whole, number);
                Entered::First
            }
        };
        for part in parts {
            let place = PartPlace {
                partition: number,
                whole,
                offset: part.offset,
                size: part.size,
                shares: part.shares,
                settled: false,
            };
            table.places.insert(part.guid, place);
        }
        Ok(entered)
    }

    /// A partition is open: the parts that can be used from now on.
    pub fn open(&self, number: u64) -> Vec<Guid> {
        let mut table = self.table.lock();
        let partition = table.partitions.get_mut(&number);
        partition.map_or(Vec::new(), |partition| {
            partition.open = true;
            partition.ready()
        })
    }

    /// The whole that a part is of, and where it begins in it.
    pub fn place_of(&self, part: Guid) -> Option<(Guid, u64)> {
        let place = *self.table.lock().places.get(&part)?;
        Some((place.whole, place.offset))
    }

    /// An EDT was put into the queue of a block that is divided: the parts that share its memory and are to leave it,
    /// each given once. From now on there are no others in this partition.
    ///
    /// The thread may say so late: the EDT has got the block by then, and there may be another partition, for which no
    /// EDT waits. So `is_waited_for` looks whether one waits yet. No partition begins meanwhile: the table is locked,
    /// and then the header of the block, as [`Partitions::enter`] does. An EDT that waits yet has the parts of a
    /// partition leave that has begun behind it, too: the program wants the block and shares it at the same time.
    pub fn wanted(&self, whole: Guid, is_waited_for: impl FnOnce() -> bool) -> Vec<Guid> {
        let table = &mut *self.table.lock();
        if !is_waited_for() {
            return Vec::new();
        }
        let current = table.current.get(&whole);
        if let Some(partition) = current.and_then(|number| table.partitions.get_mut(number)) {
            partition.wanted = true;
        }
        let places = table.places.iter_mut();
        let leave =
            places.filter(|(_, place)| place.whole == whole && place.shares && !place.settled).map(|(&part, place)| {
                place.settled = true;
                part
            });
        leave.collect()
    }

    /// A part is about to be destroyed, and what it contains must be in the whole then. False if it shares memory
    /// with that and was asked to leave, so that it may be a block for itself before.
    pub fn goes_back(&self, part: Guid) -> bool {
        let mut table = self.table.lock();
        let Some(place) = table.places.get_mut(&part) else {
            return false;
        };
        !place.shares || !std::mem::replace(&mut place.settled, true)
    }

    /// Whether a part shares memory with its whole and leaves that when an EDT wants it.
    pub fn shares(&self, part: Guid) -> bool {
        self.table.lock().places.get(&part).is_some_and(|place| place.shares)
    }

    /// Whether one of two blocks is the other, or a part of it, or a part of a part.
    pub fn are_one(&self, one: Guid, other: Guid) -> bool {
        self.exist() && (self.order_of(one).contains(&other) || self.order_of(other).contains(&one))
    }

    /// A part has been destroyed, which those that use it need not notice. Nothing if it is gone.
    pub fn destroyed(&self, part: Guid) {
        let mut table = self.table.lock();
        if let Some(&place) = table.places.get(&part) {
            table.leave(part, place);
        }
    }

    /// Takes a part out that is gone, and says what follows for its whole.
    pub fn gone(&self, part: Guid) -> Option<Gone> {
        let mut table = self.table.lock();
        let place = table.places.remove(&part)?;
        table.leave(part, place);
        let partition = table.partitions.get_mut(&place.partition)?;
        partition.leaving.remove(&part);
        for batch in &mut partition.waiting {
            batch.behind.retain(|other| *other != part);
        }
        let opens = partition.ready();
        let last = partition.alive == 0 && partition.leaving.is_empty();
        if last {
            table.partitions.remove(&place.partition);
        }
        let whole = place.whole;
        Some(Gone { whole, opens, last })
    }

    /// The parts of a block that are not gone, in order.
    pub fn parts_of(&self, whole: Guid) -> Vec<Guid> {
        let table = self.table.lock();
        let places = table.places.iter();
        let mut parts: Vec<(u64, Guid)> =
            places.filter(|(_, place)| place.whole == whole).map(|(&part, place)| (place.offset, part)).collect();
        parts.sort();
        parts.into_iter().map(|(_, part)| part).collect()
    }

    /// The whole of a part that cannot be used yet.
    pub fn awaited(&self, part: Guid) -> Option<Guid> {
        let table = self.table.lock();
        let place = table.places.get(&part)?;
        let partition = table.partitions.get(&place.partition)?;
        let mut waiting = partition.waiting.iter();
        let waits = waiting.any(|batch| batch.parts.contains(&part));
        waits.then_some(place.whole)
    }
}

impl PartitionTable {
    /// A part does not count as one of those that there are any more.
    fn leave(&mut self, part: Guid, place: PartPlace) {
        let Some(partition) = self.partitions.get_mut(&place.partition) else {
            return;
        };
        let span = (place.offset, place.offset + place.size);
        if partition.leaving.insert(part, span).is_some() {
            return;
        }
        if place.size != 0 {
            partition.spans.remove(&place.offset);
        }
        partition.alive -= 1;
        if partition.alive == 0 {
            self.current.remove(&place.whole);
        }
    }
}

impl Partition {
    fn new(fixed: bool) -> Partition {
        Partition {
            spans: BTreeMap::new(),
            alive: 0,
            leaving: HashMap::new(),
            fixed,
            open: false,
            wanted: false,
            waiting: Vec::new(),
        }
    }

    /// Takes new parts in, all or none.
    fn take(&mut self, parts: &[NewPart]) -> Result<(), PartsError> {
        for (at, part) in parts.iter().enumerate() {
            if part.size == 0 {
                continue;
            }
            let end = part.offset + part.size;
            let before = self.spans.range(..end).next_back();
            if before.is_some_and(|(_, &end_before)| end_before > part.offset) {
                for part in parts[..at].iter().filter(|part| part.size != 0) {
                    self.spans.remove(&part.offset);
                }
                return Err(PartsError::Overlap);
            }
            self.spans.insert(part.offset, end);
        }
        self.alive += parts.len();
        Ok(())
    }

    /// Lets parts that were taken in wait, if they have to.
    fn wait(&mut self, parts: &[NewPart]) -> Entered {
        let overlaps = |begin: u64, end: u64| {
            let mut parts = parts.iter();
            parts.any(|part| part.offset < end && begin < part.offset + part.size)
        };
        let leaving = self.leaving.iter();
        let behind = leaving.filter(|(_, (begin, end))| overlaps(*begin, *end));
        let behind: Vec<Guid> = behind.map(|(&part, _)| part).collect();
        if self.open && behind.is_empty() {
            return Entered::Open;
        }
        let parts = parts.iter().map(|part| part.guid).collect();
        self.waiting.push(Batch { parts, behind });
        Entered::Waiting
    }

    /// Takes the parts that have nothing more to wait for.
    fn ready(&mut self) -> Vec<Guid> {
        if !self.open {
            return Vec::new();
        }
        let ready = self.waiting.extract_if(.., |batch| batch.behind.is_empty());
        ready.flat_map(|batch| batch.parts).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::guid::Kind;

    fn block(number: u32) -> Guid {
        Guid::new(Kind::DataBlock, 0, number)
    }

    fn parts(first: u32, spans: &[(u64, u64)]) -> Vec<NewPart> {
        let parts = (first..).zip(spans);
        parts.map(|(number, &(offset, size))| NewPart { guid: block(number), offset, size, shares: false }).collect()
    }

    fn enter(all: &Partitions, first: u32, spans: &[(u64, u64)], fixed: bool) -> Result<Entered, PartsError> {
        let number = all.number();
        all.enter(block(1), &parts(first, spans), fixed, number, || Ok(()))
    }

    #[test]
    fn parts_do_not_overlap() {
        let all = Partitions::default();
        for wrong in [&[(0, 2), (1, 1)][..], &[(4, 4), (0, 5)], &[(0, 1), (3, 3), (2, 9)], &[(7, 1), (7, 1)]] {
            assert_eq!(enter(&all, 10, wrong, false), Err(PartsError::Overlap));
        }
        let number = all.numbers.load(Ordering::Relaxed);
        let first = enter(&all, 10, &[(4, 4), (0, 3), (4, 0)], false);
        assert_eq!(first, Ok(Entered::First));
        for wrong in [(3, 2), (7, 1), (0, 1), (0, 9), (2, 3)] {
            assert_eq!(enter(&all, 20, &[wrong], false), Err(PartsError::Overlap));
        }
        let second = enter(&all, 20, &[(3, 1), (8, 0)], false);
        assert_eq!(second, Ok(Entered::Waiting));
        assert_eq!(all.parts_of(block(1)).len(), 5);
        assert_eq!(all.awaited(block(10)), Some(block(1)));
        assert_eq!(all.open(number).len(), 5);
        assert_eq!(all.awaited(block(10)), None);
        assert_eq!(all.place_of(block(10)), Some((block(1), 4)));
        assert!(all.exist());
        assert_eq!(all.order_of(block(10)), [block(1), block(10)]);
        assert_eq!(all.order_of(block(2)), [block(2)]);
        assert_eq!(enter(&all, 30, &[(8, 1)], false), Ok(Entered::Open));
    }

    #[test]
    fn parts_wait_for_those_that_are_destroyed_and_not_gone() {
        let all = Partitions::default();
        assert_eq!(enter(&all, 10, &[(0, 4), (4, 4)], false), Ok(Entered::First));
        assert_eq!(all.open(0).len(), 2);
        all.destroyed(block(10));
        all.destroyed(block(10));
        assert_eq!(enter(&all, 20, &[(2, 2)], false), Ok(Entered::Waiting));
        all.destroyed(block(20));
        assert_eq!(enter(&all, 30, &[(3, 1), (8, 1)], false), Ok(Entered::Waiting));
        assert_eq!(enter(&all, 40, &[(9, 1)], false), Ok(Entered::Open));
        let gone = all.gone(block(10)).expect("known");
        assert_eq!((gone.opens, gone.last), (vec![block(20)], false));
        let gone = all.gone(block(20)).expect("known");
        assert_eq!(gone.opens, [block(30), block(31)]);
        assert!(all.gone(block(20)).is_none());
    }

    #[test]
    fn when_all_are_destroyed_the_next_make_a_partition_of_their_own() {
        let all = Partitions::default();
        assert_eq!(enter(&all, 10, &[(0, 1), (8, 0)], true), Ok(Entered::First));
        assert_eq!(enter(&all, 20, &[(4, 1)], false), Err(PartsError::Fixed));
        all.destroyed(block(10));
        assert_eq!(enter(&all, 20, &[(4, 1)], false), Err(PartsError::Fixed));
        all.destroyed(block(11));
        assert_eq!(enter(&all, 20, &[(0, 1)], false), Ok(Entered::First));
        let number = all.numbers.load(Ordering::Relaxed) - 1;
        assert!(!all.gone(block(11)).expect("known").last);
        let gone = all.gone(block(10)).expect("known");
        assert!(gone.last && gone.opens.is_empty());
        assert_eq!(all.open(number), [block(20)]);
        assert!(all.gone(block(20)).expect("known").last);
        assert!(all.table.lock().partitions.is_empty());
        assert!(all.table.lock().current.is_empty());
    }

    #[test]
    fn parts_that_share_leave_a_whole_that_is_wanted() {
        let all = Partitions::default();
        let share = |first, span| {
            let mut parts = parts(first, &[span]);
            parts[0].shares = true;
            all.enter(block(1), &parts, false, all.number(), || Ok(()))
        };
        assert_eq!(share(10, (0, 4)), Ok::<_, PartsError>(Entered::First));
        assert_eq!(enter(&all, 20, &[(4, 4)], false), Ok(Entered::Waiting));
        assert!(all.shares(block(10)) && !all.shares(block(20)));
        assert_eq!(all.wanted(block(2), || true), []);
        assert_eq!(all.wanted(block(1), || false), [], "the EDT has got the block meanwhile");
        assert_eq!(all.wanted(block(1), || true), [block(10)]);
        assert_eq!(all.wanted(block(1), || true), []);
        assert!(!all.goes_back(block(10)) && all.goes_back(block(20)));
        assert_eq!(share(30, (8, 4)), Err(PartsError::Wanted));
        assert_eq!(enter(&all, 30, &[(8, 4)], false), Ok(Entered::Waiting));
        for part in [10, 20, 30] {
            let _ = all.gone(block(part));
        }
        assert_eq!(share(40, (8, 4)), Ok(Entered::First));
        assert!(all.goes_back(block(40)) && !all.goes_back(block(50)));
        assert_eq!(all.wanted(block(1), || true), []);
    }

    #[test]
    fn parts_that_are_refused_leave_nothing() {
        let all = Partitions::default();
        let refused = all.enter(block(1), &parts(10, &[(0, 1)]), true, 7, || Err(PartsError::Overlap));
        assert_eq!(refused, Err(PartsError::Overlap));
        assert!(all.parts_of(block(1)).is_empty());
        assert_eq!(enter(&all, 10, &[(0, 1)], false), Ok(Entered::First));
    }
}
