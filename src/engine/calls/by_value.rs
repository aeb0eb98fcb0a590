//! Contents of data blocks passed by value (extension of OCR-Vx): what is satisfied gets a copy of the
//! block as it is, which is a private block (`memory::private`). And groups of such calls, which mean
//! nothing here but that they must be ended.

use crate::abi::Api;
use crate::check::history::What;
use crate::engine::state::context::Context;
use crate::graph::GraphError;
use crate::memory;
use crate::memory::private;
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
        let objects = &self.runtime.objects;
        if !source.is_null() {
            let Some((block, locked)) = objects.data_blocks.lock(source) else {
                return Err(ByValueError::NoSuchBlock);
            };
            let created = block.creator.load(Ordering::Relaxed) == self.holder();
            drop(locked);
            if !created && self.slot_of(source).is_none() {
                return Err(ByValueError::NotAcquired);
            }
        }
        // A control dependence shows nothing to the EDT.
        if source.is_null() || mode == Mode::Null && destination.is_edt() {
            return self
                .with_graph(|graph| graph.add_dependence(Guid::NULL, destination, slot, mode))
                .map_err(ByValueError::Graph);
        }
        let original = objects.data_blocks.pinned(source);
        let size = original.size();
        let copy = objects
            .data_blocks
            .allocate(&mut self.caches.data_blocks, size, true)
            .map_err(|_| ByValueError::OutOfMemory)?;
        // SAFETY: both have `size` bytes of host memory: the caller holds the one, and no other thread knows
        // the other.
        unsafe {
            (copy.host_ptr()).copy_from_nonoverlapping(original.host_ptr(), size as usize);
        };
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
