//! Contents of data blocks passed by value (extension of OCR-Vx): what is satisfied gets a copy of the
//! block as it is, which is a private block (`memory::private`). Where another node has it, the content goes there, and
//! the block is made there. And groups of such calls, which mean nothing here but that they must be ended.

use crate::abi::Api;
use crate::check::history::What;
use crate::engine::state::context::Context;
use crate::graph::GraphError;
use crate::heap::may_fail;
use crate::memory;
use crate::memory::private;
use crate::object::data_block::DataBlock;
use crate::object::edt::Mode;
use crate::object::guid::Guid;
use ocr_place::place::Place;
use std::sync::atomic::Ordering;

/// Why a content is not passed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ByValueError {
    /// The GUID names no block.
    NoSuchBlock,
    /// The caller has not acquired the block, or has released it.
    NotAcquired,
    /// The object that the block is for refuses a satisfaction, for this reason.
    Graph(GraphError),
    OutOfMemory,
}

impl Context {
    /// Satisfies a pre-slot of an EDT or an event with what a block holds now.
    pub(crate) fn pass_by_value(
        &mut self,
        source: Guid,
        destination: Guid,
        slot: u32,
        mode: Mode,
    ) -> Result<(), ByValueError> {
        let Some(original) = self.block_to_pass(source, destination, mode)? else {
            return self
                .with_graph(|graph| graph.add_dependence(Guid::NULL, destination, slot, mode))
                .map_err(ByValueError::Graph);
        };
        let size = original.size();
        let copy = self.new_value(size)?;
        // SAFETY: both have `size` bytes of host memory: the caller holds the one, and no other thread knows
        // the other.
        unsafe {
            (copy.host_ptr()).copy_from_nonoverlapping(original.host_ptr(), size as usize);
        };
        self.pass_value(copy, (destination, slot), mode)
    }

    /// What a block holds now that is passed on to another node; none where the EDT there is shown nothing.
    pub(crate) fn content_to_pass(
        &mut self,
        source: Guid,
        destination: Guid,
        mode: Mode,
    ) -> Result<Option<Vec<u8>>, ByValueError> {
        let Some(block) = self.block_to_pass(source, destination, mode)? else { return Ok(None) };
        let size = block.size() as usize;
        let mut content = Vec::new();
        may_fail(|| content.try_reserve_exact(size)).map_err(|_| ByValueError::OutOfMemory)?;
        // SAFETY: the block has `size` bytes of host memory, and the caller holds it.
        content.extend_from_slice(unsafe { std::slice::from_raw_parts(block.host_ptr(), size) });
        Ok(Some(content))
    }

    /// Another node passes a content on to an object of this node.
    pub(crate) fn take_value(
        &mut self,
        content: &[u8],
        destination: (Guid, u32),
        mode: Mode,
    ) -> Result<(), ByValueError> {
        let copy = self.new_value(content.len() as u64)?;
        // SAFETY: the new block has as many bytes, and no other thread knows it.
        unsafe { copy.host_ptr().copy_from_nonoverlapping(content.as_ptr(), content.len()) };
        self.pass_value(copy, destination, mode)
    }

    /// The block whose content the caller passes on; none where the destination is shown nothing.
    fn block_to_pass(
        &mut self,
        source: Guid,
        destination: Guid,
        mode: Mode,
    ) -> Result<Option<&'static DataBlock>, ByValueError> {
        let runtime = self.runtime;
        let blocks = &runtime.objects.data_blocks;
        if !source.is_null() {
            let Some((block, locked)) = blocks.lock(source) else {
                // The caller has a block of another node here, or does not have it.
                let is_foreign = blocks.is_foreign(source);
                return Err(if is_foreign { ByValueError::NotAcquired } else { ByValueError::NoSuchBlock });
            };
            let created = block.creator.load(Ordering::Relaxed) == self.holder();
            drop(locked);
            if !created && self.slot_of(source).is_none() {
                return Err(ByValueError::NotAcquired);
            }
        }
        // A control dependence shows nothing to the EDT.
        let is_shown = !source.is_null() && (mode != Mode::Null || !destination.is_edt());
        Ok(is_shown.then(|| blocks.pinned(source)))
    }

    /// A new block for a content, which no other thread knows.
    fn new_value(&mut self, size: u64) -> Result<&'static DataBlock, ByValueError> {
        let blocks = &self.runtime.objects.data_blocks;
        blocks.allocate(&mut self.caches.data_blocks, size, true).map_err(|_| ByValueError::OutOfMemory)
    }

    /// Satisfies a pre-slot with such a block, which has its content, and is a private one from then on.
    fn pass_value(
        &mut self,
        copy: &'static DataBlock,
        (destination, slot): (Guid, u32),
        mode: Mode,
    ) -> Result<(), ByValueError> {
        let objects = &self.runtime.objects;
        private::begin(copy);
        copy.copies().wrote(Place::HOST);
        let guid = copy.guid();
        if let Some(check) = &self.runtime.check {
            let act = (Api::ocrAddDependenceByValue, self.who());
            check.created(objects, guid, What::Block, act);
        }
        let passed = self.graph().pass_block(guid, destination, slot, mode);
        let so_far = passed.unwrap_or_default();
        let left = private::passed(&objects.data_blocks, guid, so_far.slots, so_far.kept);
        self.dispose_if(copy, left);
        self.work_off();
        passed.map(|_| ()).map_err(ByValueError::Graph)
    }

    /// An EDT was destroyed whose pre-slots had got these private blocks.
    pub(crate) fn give_up(&mut self, blocks: Vec<Guid>) {
        for guid in blocks {
            if let Some((block, locked)) = self.runtime.objects.data_blocks.lock(guid) {
                let left = memory::private::forgo(block, locked);
                self.dispose_if(block, left);
            }
        }
    }

    /// Begins a group of the running EDT. False if one is open, or no EDT runs.
    pub(crate) fn begin_group(&mut self) -> bool {
        self.current.is_some() && self.belongings.begin_group()
    }
}
