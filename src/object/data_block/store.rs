//! Where data blocks are kept.

use super::memory::{OutOfMemoryError, Start, allocate_memory, bequeath, free_memory};
use super::{BlockState, DataBlock, LockedBlock, Mark};
use crate::object::arena::{Arena, Cache, CreateOnLabelError, LabelTakenError, Labels};
use crate::object::guid::{Guid, Kind};
use crate::object::header::Word;
use crate::object::hints::{HintSet, Hints};
use crate::object::partition::Partitions;
use crate::object::zone::{MOST_LEVELS, Zone};
use crate::trace;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, Ordering};

/// No block is larger: what a process on a 64-bit machine can address.
const ADDRESS_SPACE: u64 = 1 << 47;

/// All data blocks, and what is kept beside some of them.
#[derive(Default)]
pub struct DataBlocks {
    pub(super) blocks: Arena<DataBlock>,
    /// The hints of those that have some.
    pub hints: Hints,
    /// The blocks that are divided, and their parts.
    pub partitions: Partitions,
    /// Whether a block has ever had hints. `Relaxed`: whoever uses a block has learned of it after its hints were set.
    pub(super) any_hinted: AtomicBool,
    /// Whether host memory has guards.
    guarded: bool,
    zone: Zone,
}

impl DataBlocks {
    /// Makes a store without blocks, of a node. `guarded` says whether the host memory of blocks has guards.
    pub fn new(zone: Zone, guarded: bool) -> DataBlocks {
        DataBlocks {
            blocks: Arena::new(zone),
            hints: Hints::default(),
            partitions: Partitions::default(),
            any_hinted: AtomicBool::new(false),
            guarded,
            zone,
        }
    }

    /// Whether another node has the block with this GUID, if there is one.
    pub fn is_foreign(&self, guid: Guid) -> bool {
        guid.is_data_block() && !self.zone.owns(guid)
    }

    /// Makes a copy of another node's block, not yet published, with memory for its content. `None` without memory.
    pub fn adopt(&self, guid: Guid, size: u64, reads: bool) -> Option<&DataBlock> {
        debug_assert!(self.is_foreign(guid));
        let memory = self.memory(size, true).ok()?;
        let Some(block) = self.blocks.adopt(guid.index(), guid.generation()) else {
            free_memory(memory.map_or(std::ptr::null_mut(), |(base, _)| base), size);
            return None;
        };
        block.begin(guid.index(), size, memory, self.guarded);
        // So that `free` looks twice.
        block.second.hinted.set(true);
        block.begin_borrowed(reads);
        Some(block)
    }

    /// A new block of `size` bytes, with or without host memory, not yet published: the caller sets
    /// its holders and publishes the header.
    pub fn allocate(&self, cache: &mut Cache, size: u64, with_memory: bool) -> Result<&DataBlock, OutOfMemoryError> {
        let block = self.begin_new(cache, size, with_memory)?;
        if trace::is_on() {
            trace::events::block(block.guid().bits(), size);
        }
        Ok(block)
    }

    /// A new block of `size` bytes without memory that is to be a part of another one, which has one level less.
    /// Otherwise as [`DataBlocks::allocate`].
    pub fn allocate_part(&self, cache: &mut Cache, size: u64, level: u32) -> Result<&DataBlock, OutOfMemoryError> {
        let block = self.begin_new(cache, size, false)?;
        // The slot is this thread's. Its level is 0, as that of each free slot.
        let word = block.header.peek();
        block.header.publish(word.with_generation(word.generation() | level & self.zone.level_bits()));
        if trace::is_on() {
            trace::events::block(block.guid().bits(), size);
        }
        Ok(block)
    }

    /// The level of a block of any node, by its GUID ([`Zone::level_of`]).
    pub fn level_of(&self, block: Guid) -> u32 {
        self.zone.level_of(block)
    }

    /// The level of parts of this block. None where a GUID has no room for it.
    pub fn level_below(&self, whole: Guid) -> Option<u32> {
        let level = self.zone.level_of(whole) + 1;
        (level <= MOST_LEVELS).then_some(level)
    }

    #[inline(always)]
    fn begin_new(&self, cache: &mut Cache, size: u64, with_memory: bool) -> Result<&DataBlock, OutOfMemoryError> {
        let failed = OutOfMemoryError { bytes: size };
        if size > ADDRESS_SPACE {
            return Err(failed);
        }
        let memory = self.memory(size, with_memory)?;
        let Some((index, block)) = self.blocks.allocate(cache) else {
            free_memory(memory.map_or(std::ptr::null_mut(), |(base, _)| base), size);
            return Err(failed);
        };
        block.begin(index, size, memory, self.guarded);
        Ok(block)
    }

    fn memory(&self, size: u64, wanted: bool) -> Result<Option<(*mut u8, NonNull<u8>)>, OutOfMemoryError> {
        wanted.then(|| allocate_memory(size, self.guarded, Start::Anything)).transpose()
    }

    /// Makes a new block on a label, which it claims, and otherwise as [`DataBlocks::allocate`] does.
    pub fn allocate_on(&self, label: Guid, size: u64, with_memory: bool) -> Result<&DataBlock, CreateOnLabelError> {
        if size > ADDRESS_SPACE {
            return Err(CreateOnLabelError::OutOfMemory);
        }
        if !label.is_data_block() {
            return Err(LabelTakenError::NoLabel.into());
        }
        // Other threads that want to create it wait while the label is claimed, so the memory comes before.
        let memory = self.memory(size, with_memory);
        let memory = memory.map_err(|_| CreateOnLabelError::OutOfMemory)?;
        let block = self.blocks.claim(label).inspect_err(|_| {
            free_memory(memory.map_or(std::ptr::null_mut(), |(base, _)| base), size);
        })?;
        block.begin(label.index(), size, memory, self.guarded);
        if trace::is_on() {
            trace::events::block(label.bits(), size);
        }
        Ok(block)
    }

    /// The labels of data blocks.
    pub fn labels(&self) -> &dyn Labels {
        &self.blocks
    }

    /// Gives back the memory and the slot of a block that is not used and that no device knows.
    pub fn free(&self, cache: &mut Cache, block: &DataBlock) {
        let (index, size) = (block.index.get(), block.size());
        if trace::is_on() && !self.is_foreign(block.guid()) {
            trace::events::block_gone(block.guid().bits());
        }
        if block.second.hinted.get() {
            self.hints.drop_of(block.guid());
            if self.is_foreign(block.guid()) {
                return self.forsake(block);
            }
        }
        let mut locked = block.header.lock_pinned();
        let base = block.second.base.replace(std::ptr::null_mut());
        let Some(freed) = locked.word.freed_beyond(self.zone.level_bits()) else {
            // The generations of the slot are used up: it stays "destroyed" permanently, and has no memory.
            block.begin(index, 0, None, self.guarded);
            locked.word = locked.word.with_state(BlockState::Destroyed);
            drop(locked);
            free_memory(base, size);
            return;
        };
        locked.word = freed;
        drop(locked);
        free_memory(base, size);
        self.blocks.free(cache, freed, index);
    }

    /// Gives back the memory and the slot of a copy of another node's block.
    #[cold]
    fn forsake(&self, block: &DataBlock) {
        let size = block.size();
        let locked = block.header.lock_pinned();
        let base = block.second.base.replace(std::ptr::null_mut());
        self.blocks.forsake(locked);
        free_memory(base, size);
    }

    /// The block of a GUID and its lock, if the slot is still in that generation: the block is
    /// live, or destroyed and still in use (`locked.word.state()` tells).
    #[inline]
    pub fn lock(&self, guid: Guid) -> Option<(&DataBlock, LockedBlock<'_>)> {
        if !guid.is_data_block() {
            return None;
        }
        let block = self.blocks.get(guid.index())?;
        Some((block, block.header.lock(guid.generation())?))
    }

    /// Adds hints to a block. False if there is none.
    pub fn add_hints(&self, guid: Guid, hints: &HintSet) -> bool {
        let locked = self.can_be_named(guid).then(|| self.lock(guid)).flatten();
        let Some((block, _locked)) = locked.filter(|(_, locked)| locked.word.state().is_usable()) else {
            return false;
        };
        self.hints.add(guid, hints);
        block.second.hinted.set(true);
        self.any_hinted.store(true, Ordering::Relaxed);
        true
    }

    /// Whether a block has ever had hints.
    pub fn any_hinted(&self) -> bool {
        self.any_hinted.load(Ordering::Relaxed)
    }

    /// A hint of a block that the caller has locked.
    pub fn hint(&self, block: &DataBlock, _locked: &LockedBlock<'_>, property: usize) -> Option<u64> {
        let hinted = block.second.hinted.get();
        hinted.then(|| self.hints.get(block.guid()))?.get(property)
    }

    /// Whether this is the GUID of a block that is not destroyed. Writes nothing: many EDTs may
    /// name one block.
    #[inline]
    pub fn exists(&self, guid: Guid) -> bool {
        guid.is_data_block()
            && self.blocks.get(guid.index()).is_some_and(|block| {
                let word = block.header.peek();
                word.generation() == guid.generation() && word.state().is_usable()
            })
    }

    /// Whether this is the GUID of a private block.
    pub fn is_private(&self, guid: Guid) -> bool {
        self.slot_of(guid).is_some_and(|block| block.private_word(guid.generation()).is_some())
    }

    /// Whether this is the GUID of a private block that is not about to be another. Waits while it is passed
    /// on ([`DataBlock::stays_private`]).
    #[cold]
    pub fn stays_private(&self, guid: Guid) -> bool {
        self.slot_of(guid).is_some_and(|block| block.stays_private(guid.generation()))
    }

    /// Whether a program can name this block in a call. Waits while it is passed on.
    #[inline]
    pub fn can_be_named(&self, guid: Guid) -> bool {
        self.exists(guid) || !self.stays_private(guid) && self.exists(guid)
    }

    /// Whether this is the GUID of a part of a block. It may have been one, if it is gone.
    pub fn is_part(&self, guid: Guid) -> bool {
        guid.is_data_block() && (self.blocks.get(guid.index())).is_some_and(|block| block.has(Mark::Part))
    }

    /// The block of a GUID that somebody holds.
    #[inline]
    pub fn pinned(&self, guid: Guid) -> &DataBlock {
        self.blocks.slot(guid.index())
    }

    /// The slot that a GUID names, whatever is in it. It is for callers that have not locked it and ask for no more
    /// than a guess.
    pub fn slot_of(&self, guid: Guid) -> Option<&DataBlock> {
        let index = guid.is_data_block().then(|| guid.index());
        self.blocks.get(index?)
    }

    /// The header's word of the slot with this index, whatever is in it.
    pub fn word(&self, index: u32) -> Option<Word<BlockState>> {
        self.blocks.get(index).map(|block| block.header.peek())
    }

    /// Whether there is or was a block with this GUID, which a program was given.
    pub fn has_been(&self, guid: Guid) -> bool {
        guid.is_data_block()
            && self.blocks.get(guid.index()).is_some_and(|block| {
                // A slot takes on the generation of a label with its first block.
                guid.generation() <= block.header.peek().generation()
            })
    }

    /// Whether this was the GUID of a block that has been freed since.
    pub fn was_freed(&self, guid: Guid) -> bool {
        guid.is_data_block()
            && self.blocks.get(guid.index()).is_some_and(|block| {
                let now = block.header.peek().generation();
                guid.generation() < now || guid.is_label() && guid.generation() == now
            })
    }

    /// All blocks that are not free, with their GUIDs: others may free them meanwhile, so they are
    /// not to be asked.
    pub fn live(&self) -> impl Iterator<Item = (Guid, &DataBlock)> {
        let guid = |index, word: Word<BlockState>| Guid::new(Kind::DataBlock, word.generation(), index);
        self.blocks.live().map(move |(index, word, block)| (guid(index, word), block))
    }

    /// The blocks that there are now, for a signal handler: it takes no lock.
    pub fn look(&self) -> impl Iterator<Item = (Guid, &DataBlock)> {
        self.blocks.look().filter_map(|(index, block)| {
            let word = block.header.peek();
            let guid = Guid::new(Kind::DataBlock, word.generation(), index);
            (word.state() == BlockState::Live).then_some((guid, block))
        })
    }

    /// Gives an ending thread's free slots to the others.
    pub fn drain(&self, cache: &mut Cache) {
        self.blocks.drain(cache);
    }
}

impl Drop for DataBlocks {
    fn drop(&mut self) {
        for (index, word, block) in self.blocks.live().chain(self.blocks.copies()) {
            let guid = Guid::new(Kind::DataBlock, word.generation(), index);
            if let Some(memory) = block.take_memory() {
                bequeath(memory, guid);
            }
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn block(blocks: &DataBlocks, cache: &mut Cache, size: u64) -> Guid {
        let block = blocks.allocate(cache, size, false).expect("memory");
        let word = block.header.peek();
        block.header.publish(word.with_state(BlockState::Live));
        block.guid()
    }

    /// A slot may have a part, then a block, then a part of another level: no two have one GUID, and none takes up the
    /// level of the one before.
    #[test]
    fn levels_are_those_of_parts_alone() {
        let of_several = Zone::of(1, 2).expect("there is such a node");
        for (zone, levels) in [(Zone::default(), [0, 0, 0, 0]), (of_several, [3, 0, 7, 1])] {
            let (blocks, mut cache) = (DataBlocks::new(zone, false), Cache::default());
            let mut last = None;
            for level in [3, 0, 7, 1] {
                let made = match level {
                    0 => blocks.allocate(&mut cache, 8, false),
                    level => blocks.allocate_part(&mut cache, 8, level),
                };
                let block = made.expect("memory");
                block.header.publish(block.header.peek().with_state(BlockState::Live));
                let guid = block.guid();
                let at = [3, 0, 7, 1].iter().position(|&one| one == level).expect("it is one of them");
                assert_eq!(blocks.level_of(guid), levels[at], "{zone:?}");
                assert!(last < Some(guid.generation()), "{zone:?}");
                last = Some(guid.generation());
                assert_eq!(blocks.level_below(guid), (level != 7 || levels[at] == 0).then_some(levels[at] + 1));
                blocks.free(&mut cache, block);
                assert!(blocks.was_freed(guid) && !blocks.exists(guid));
            }
        }
    }

    #[test]
    fn memory_is_aligned_for_the_vectors_that_fit() {
        for guarded in [false, true] {
            let blocks = DataBlocks::new(Zone::default(), guarded);
            let mut cache = Cache::default();
            for (size, align) in [(0, 16), (1, 16), (17, 32), (64, 64), (65, 128), (1 << 20, 128)] {
                let guid = block(&blocks, &mut cache, size);
                let host = blocks.pinned(guid).host_memory().expect("memory");
                assert_eq!(host.as_ptr() as usize % align, 0, "{size}");
                assert_eq!(blocks.pinned(guid).host_memory(), Ok(host));
                assert_eq!(blocks.pinned(guid).host_ptr(), host.as_ptr());
            }
        }
    }

    #[test]
    fn guards_tell_of_each_byte_beside_a_block() {
        let blocks = DataBlocks::new(Zone::default(), true);
        let mut cache = Cache::default();
        for size in [0isize, 1, 100, 128] {
            let guid = block(&blocks, &mut cache, size as u64);
            let block = blocks.pinned(guid);
            assert_eq!(block.written_beyond(), None, "there is no memory yet");
            let host = block.host_memory().expect("memory").as_ptr();
            // SAFETY: `host` is the start of the block's `size` bytes, and only this test knows the block.
            unsafe { host.write_bytes(1, size as usize) };
            assert_eq!(block.written_beyond(), None);
            for at in [-128, -1, size, size + 127] {
                let byte = host.wrapping_offset(at);
                // SAFETY: `byte` is within a guard of the block, whose memory is there, and only this test knows it.
                let before = unsafe { byte.replace(0) };
                assert_eq!(block.written_beyond(), Some(at));
                // SAFETY: `byte` is within a guard of the block, whose memory is there.
                unsafe { byte.write(before) };
            }
        }
    }

    #[test]
    fn absurd_sizes_are_refused() {
        let blocks = DataBlocks::default();
        let mut cache = Cache::default();
        for bytes in [1 << 60, u64::MAX] {
            for with_memory in [false, true] {
                let answer = blocks.allocate(&mut cache, bytes, with_memory);
                assert_eq!(answer.map(|_| ()).unwrap_err(), OutOfMemoryError { bytes });
            }
        }
    }

    #[test]
    fn a_freed_block_is_remembered_as_such() {
        let blocks = DataBlocks::default();
        let mut cache = Cache::default();
        let guid = block(&blocks, &mut cache, 8);
        assert!(!blocks.was_freed(guid));
        blocks.free(&mut cache, blocks.pinned(guid));
        assert!(blocks.lock(guid).is_none());
        assert!(blocks.was_freed(guid));
        assert!(!blocks.was_freed(Guid::from_bits(0x0aaa_aaaa_aaaa_aaaa)));
    }
}
