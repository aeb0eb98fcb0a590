//! Copies from one data block to another (`ocrDbCopy`). Each is an EDT of the runtime's own, which
//! acquires the two blocks as any EDT does: so a copy waits for those that hold them, and no EDT
//! waits for a copy longer than for an EDT. Where another node has both blocks, that node makes the copy: it alone
//! knows whether one is a part of the other.
//!
//! | what is copied | what happens |
//! |---|---|
//! | by `DB_COPY_PARTITION`, to the whole of a block that has not been used yet | the destination becomes a part of the source (`partition.rs`), where that needs no memory of its own and there is one node: nothing is moved. The EDT acquires the destination alone, which it gets when the partition is open |
//! | from such a part, or another, to where it is a part of its whole, or the other way | it is there already. The EDT acquires the part alone, and destroys it if that is asked for: then the whole can be had |
//! | anything else | the EDT acquires both, and copies |

use crate::abi::Api;
use crate::check::history::What;
use crate::device::InlineList;
use crate::engine::life::create_request::{CreateError, Output};
use crate::engine::life::internal_edt::InternalEdt;
use crate::engine::life::stand_in::StandIn;
use crate::engine::nodes::outbox;
use crate::engine::state::context::Context;
use crate::engine::state::elsewhere::ScopeElsewhere;
use crate::object::code::{EdtFunction, WorkKind};
use crate::object::edt::Mode;
use crate::object::event::EventKind;
use crate::object::guid::Guid;

/// A range of bytes that is copied from one data block to another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CopyRequest {
    /// The block that is written.
    pub destination: Guid,
    /// Where in it, in bytes.
    pub destination_offset: u64,
    /// The block that is read.
    pub source: Guid,
    /// Where in it, in bytes.
    pub source_offset: u64,
    /// How many bytes are copied.
    pub size: u64,
    /// Whether the source is destroyed then.
    pub destroys_source: bool,
    /// Whether the program promises not to use the source before the destination is destroyed.
    pub divides: bool,
    /// The sizes of source and destination, where these are of other nodes.
    pub sizes_elsewhere: [Option<u64>; 2],
}

/// Why `ocrDbCopy` refuses, before anything is copied.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CopyError {
    /// The GUID names no block.
    NoSuchBlock,
    /// Source and destination are one block.
    OneBlock,
    /// One block is a part of the other, and the bytes are not the same: no EDT can have both.
    PartOfOther,
    /// A block is too small.
    TooSmall,
    /// The destination was to be written once, and was.
    WrittenOnce,
    OutOfMemory,
}

impl Context {
    /// Creates the EDT for a copy: `function` gets the source and the destination, or only one of them where nothing is
    /// moved, and the parameters destination offset, source offset, size, whether to destroy the source, the
    /// destination; it returns the destination. With `completes`, answers with an event that is satisfied with the
    /// destination then.
    pub(crate) fn copy_block(
        &mut self,
        copy: CopyRequest,
        function: EdtFunction,
        completes: bool,
    ) -> Result<Guid, CopyError> {
        let size_of =
            |guid, elsewhere: Option<_>| elsewhere.or_else(|| self.block_size(guid)).ok_or(CopyError::NoSuchBlock);
        let [from, to] = copy.sizes_elsewhere;
        let (from, to) = (size_of(copy.source, from)?, size_of(copy.destination, to)?);
        if copy.source == copy.destination {
            return Err(CopyError::OneBlock);
        }
        let fits = |offset: u64, size| offset.checked_add(copy.size).is_some_and(|end| end <= size);
        if !fits(copy.source_offset, from) || !fits(copy.destination_offset, to) {
            return Err(CopyError::TooSmall);
        }
        if self.is_written_once(copy.destination) {
            return Err(CopyError::WrittenOnce);
        }
        let slots = self.slots_for(&copy)?;
        let event = if completes { self.new_completion().ok_or(CopyError::OutOfMemory)? } else { Guid::NULL };
        let params = [
            copy.destination_offset,
            copy.source_offset,
            copy.size,
            copy.destroys_source as u64,
            copy.destination.bits(),
        ];
        let created = self.create_internal_edt(InternalEdt {
            function,
            kind: WorkKind::Copy,
            params: &params,
            depc: slots.len() as u32,
            output: if completes { Output::Given(event) } else { Output::None },
            in_scope: true,
        });
        let result = match created {
            Ok(edt) => self.connect_copy(edt, &slots),
            // The event and the numbers are right, so nothing else can be the reason.
            Err(CreateError::OutOfMemory | _) => Err(CopyError::OutOfMemory),
        };
        if result.is_err() {
            self.forget_completion(event);
        }
        result.map(|()| event)
    }

    /// Takes a completion event back: nothing was copied.
    pub(crate) fn forget_completion(&mut self, event: Guid) {
        self.belongings.completions.retain(|other| *other != event);
        let _ = self.graph().destroy_event(event);
    }

    /// Makes a copy between blocks of this node for another one, `node`: in its caller's finish scope, as that node
    /// knows it, and with its event, or `NULL_GUID`, which is satisfied with the destination.
    pub(crate) fn copy_block_for(
        &mut self,
        (node, scope): ScopeElsewhere,
        copy: CopyRequest,
        function: EdtFunction,
        completion: Guid,
    ) -> Result<(), CopyError> {
        let completes = !completion.is_null();
        let copied = self.in_scope_of((node, scope), |context| context.copy_block(copy, function, completes));
        let event = copied.unwrap_or(Err(CopyError::OutOfMemory))?;
        if completes {
            let role = StandIn::PreSlot { of: node, event, waiting: (completion, 0, Mode::Null) };
            let waits = self.stand_in(role, (event, 0), Mode::Const);
            debug_assert_eq!(waits, Ok(()), "the event is sticky");
            self.graph().let_go(event);
            self.work_off();
        }
        Ok(())
    }

    /// What the EDT for a copy acquires, in the order of its pre-slots: both blocks; or one, where the bytes of
    /// the other are the same, from here on or already.
    fn slots_for(&mut self, copy: &CopyRequest) -> Result<InlineList<(Guid, Mode)>, CopyError> {
        let partitions = &self.runtime.objects.data_blocks.partitions;
        let (from, to) = (copy.source, copy.destination);
        let is_whole = |guid, offset| offset == 0 && self.block_size(guid) == Some(copy.size);
        let is_at = |part, whole, offset| is_whole(part, 0) && partitions.place_of(part) == Some((whole, offset));
        let back = copy.source_offset == 0 && is_at(from, to, copy.destination_offset);
        // A block that shares memory with another one leaves it where the bytes of both are wanted.
        let back = back && if copy.destroys_source { partitions.goes_back(from) } else { !partitions.shares(from) };
        let again = copy.destination_offset == 0 && is_at(to, from, copy.source_offset);
        if back {
            return Ok(InlineList::from_slice(&[(from, Mode::Const)]));
        }
        if again && !copy.destroys_source {
            return Ok(InlineList::from_slice(&[(to, Mode::Ro)]));
        }
        let leaves = partitions.shares(from) || partitions.shares(to);
        if partitions.are_one(from, to) && !leaves {
            return Err(CopyError::PartOfOther);
        }
        let all = is_whole(to, copy.destination_offset);
        // On several nodes the GUID of a block that was none before would not say that it is a part.
        if copy.divides && all && !outbox::has_others() && self.share_block(from, copy.source_offset, to) {
            // No EDT stands before this EDT in the queue of the new part.
            return Ok(InlineList::from_slice(&[(to, Mode::Ro)]));
        }
        Ok(InlineList::from_slice(&[(from, Mode::Const), (to, Mode::Ew)]))
    }

    fn connect_copy(&mut self, edt: Guid, slots: &[(Guid, Mode)]) -> Result<(), CopyError> {
        for (slot, &(block, mode)) in (0..).zip(slots) {
            let added = self.with_graph(|graph| graph.add_dependence(block, edt, slot, mode));
            if added.is_err() {
                // The block was destroyed meanwhile. The second pre-slot keeps the EDT from running.
                let _ = self.destroy_edt(edt);
                return Err(CopyError::NoSuchBlock);
            }
        }
        Ok(())
    }

    /// A completion event. What the caller makes depend on it before its own end is never too late, so
    /// it is a sticky event until then; afterwards it goes when it triggers. Outside of EDTs it stays.
    pub(crate) fn new_completion(&mut self) -> Option<Guid> {
        let events = &self.runtime.objects.events;
        let event = events.create_plain(&mut self.caches.events, EventKind::Sticky, 0)?;
        let what = match self.current {
            Some(_) => {
                self.belongings.completions.push(event);
                self.belongings.any = true;
                What::ONCE
            }
            None => What::STICKY,
        };
        if let Some(check) = &self.runtime.check {
            let act = (Api::ocrDbCopy, self.who());
            check.created(&self.runtime.objects, event, what, act);
        }
        Some(event)
    }
}
