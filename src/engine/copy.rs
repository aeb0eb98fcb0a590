//! Copies from one data block to another (`ocrDbCopy`). Each is an EDT of the runtime's own, which
//! acquires the two blocks as any EDT does: so a copy waits for those that hold them, and nobody
//! waits for a copy longer than for an EDT.

use super::context::Context;
use super::create::{NotCreated, Output};
use super::own::Own;
use crate::check::history::What;
use crate::object::edt::Mode;
use crate::object::event::EventKind;
use crate::object::guid::Guid;
use crate::object::work::EdtFunction;

/// What messages call such an EDT, and the call that creates it.
pub const COPY_NAME: &str = "ocrDbCopy";

/// What is copied.
#[derive(Clone, Copy, Debug)]
pub struct Copy {
    /// The block that is written.
    pub destination: Guid,
    /// Where in it, in bytes.
    pub destination_offset: u64,
    /// The block that is read.
    pub source: Guid,
    /// Where in it, in bytes.
    pub source_offset: u64,
    /// How many bytes.
    pub size: u64,
    /// Whether the source is destroyed then.
    pub destroys_source: bool,
}

/// Why nothing is copied.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NotCopied {
    /// The GUID names no block.
    NoSuchBlock,
    /// Source and destination are one block.
    OneBlock,
    /// A block is too small.
    TooSmall,
    /// The destination was to be written once, and was.
    WrittenOnce,
    /// No memory.
    OutOfMemory,
}

impl Context {
    /// Creates the EDT for a copy: `function` gets the source, the destination and the parameters
    /// destination offset, source offset, size, whether to destroy the source; it returns the
    /// destination. With `completes`, answers with an event that is satisfied with the destination then.
    pub fn copy_block(
        &mut self,
        copy: Copy,
        function: EdtFunction,
        completes: bool,
    ) -> Result<Guid, NotCopied> {
        let size_of = |guid| self.block_size(guid).ok_or(NotCopied::NoSuchBlock);
        let (from, to) = (size_of(copy.source)?, size_of(copy.destination)?);
        if copy.source == copy.destination {
            return Err(NotCopied::OneBlock);
        }
        let fits = |offset: u64, size| offset.checked_add(copy.size).is_some_and(|end| end <= size);
        if !fits(copy.source_offset, from) || !fits(copy.destination_offset, to) {
            return Err(NotCopied::TooSmall);
        }
        if self.is_written_once(copy.destination) {
            return Err(NotCopied::WrittenOnce);
        }
        let event = match completes {
            true => self.new_completion().ok_or(NotCopied::OutOfMemory)?,
            false => Guid::NULL,
        };
        let params = [
            copy.destination_offset,
            copy.source_offset,
            copy.size,
            copy.destroys_source as u64,
        ];
        let created = self.create_own(Own {
            function,
            name: COPY_NAME,
            params: &params,
            depc: 2,
            output: match completes {
                true => Output::Given(event),
                false => Output::None,
            },
            in_scope: true,
        });
        let result = match created {
            Ok(edt) => self.connect_copy(edt, copy),
            // The event and the numbers are right, so nothing else can be the reason.
            Err(NotCreated::OutOfMemory | _) => Err(NotCopied::OutOfMemory),
        };
        if result.is_err() {
            self.completions.retain(|other| *other != event);
            let _ = self.graph().destroy_event(event);
        }
        result.map(|()| event)
    }

    fn connect_copy(&mut self, edt: Guid, copy: Copy) -> Result<(), NotCopied> {
        let slots = [(copy.source, Mode::Const), (copy.destination, Mode::Ew)];
        for (slot, (block, mode)) in (0..).zip(slots) {
            let added = self.with_graph(|graph| graph.add_dependence(block, edt, slot, mode));
            if added.is_err() {
                // It was destroyed meanwhile. The second pre-slot keeps the EDT from running.
                let _ = self.destroy_edt(edt);
                return Err(NotCopied::NoSuchBlock);
            }
        }
        Ok(())
    }

    /// A completion event. What the caller makes depend on it before its own end is never too late, so
    /// it is a sticky event until then; afterwards it goes when it triggers. Outside of EDTs it stays.
    fn new_completion(&mut self) -> Option<Guid> {
        let events = &self.runtime.objects.events;
        let event = events.create_plain(&mut self.caches.events, EventKind::Sticky, 0)?;
        let what = match self.current {
            Some(_) => {
                self.completions.push(event);
                self.has_belongings = true;
                What::ONCE
            }
            None => What::STICKY,
        };
        if let Some(check) = &self.runtime.check {
            let act = (COPY_NAME, self.who());
            check.made(&self.runtime.objects, event, what, act);
        }
        Some(event)
    }
}
