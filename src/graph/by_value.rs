//! Passing on a block that goes with its last consumer: what is satisfied with it is counted.
//!
//! Whatever it leads to is worked off here, and not with the rest of the worklist, which counts
//! nothing. At the beginning of a call the worklist is empty, so all that is found there is of the
//! block.

use super::{Dependence, Graph, GraphError};
use crate::object::code::WorkKind;
use crate::object::edt::{Edt, EdtState, Mode};
use crate::object::event::EventKind;
use crate::object::guid::Guid;
use crate::object::link::Link;

/// The consumers that a block was passed to by value.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Passed {
    /// How many pre-slots of EDTs have it; their EDTs acquire it.
    pub slots: u32,
    /// Whether others may get it at any time: an event keeps what it was satisfied with, or the block
    /// was handed out of the graph.
    pub kept: bool,
}

/// Whether an EDT stands for a thread that waits in a call, and goes on to use the block. One that stands for a
/// pre-slot of another node's object has the content sent there.
fn is_for_thread(edt: &Edt) -> bool {
    edt.flags.get().is_waiter() && edt.work().kind == WorkKind::Waiter
}

impl Graph<'_> {
    /// Satisfies a pre-slot of an EDT or an event with a private block. EDTs that are runnable then are
    /// in the worklist.
    pub(crate) fn pass_block(
        &mut self,
        block: Guid,
        destination: Guid,
        slot: u32,
        mode: Mode,
    ) -> Result<Passed, GraphError> {
        let mut passed = Passed::default();
        match destination.kind() {
            Some(kind) if kind.is_edt() => {
                // A thread that waits does so until the block is passed.
                passed.kept = self.objects.edts.lock(destination).is_some_and(|(edt, _)| is_for_thread(edt));
                self.add_checked_to_edt(Dependence { source: block, post_slot: 0, destination, slot, mode })?;
                passed.slots = (mode != Mode::Null) as u32;
            }
            Some(kind) if kind.is_event() => {
                if slot > 1 {
                    return Err(GraphError::NoSuchSlot);
                }
                passed.kept = self.satisfy_and_look(destination, slot == 1, block, true)?;
                self.pass_on_counting(&mut passed);
            }
            Some(_) => return Err(GraphError::NotPermitted),
            None => return Err(GraphError::NoSuchObject),
        }
        Ok(passed)
    }

    fn pass_on_counting(&mut self, passed: &mut Passed) {
        loop {
            if let Some((event, increment, data)) = self.work.events.pop() {
                // What is refused further down a chain of events has no caller that gets the answer.
                match self.satisfy_and_look(event, increment, data, false) {
                    Ok(kept) => passed.kept |= kept,
                    Err(_) => self.work.not_taken(event),
                }
            } else if let Some((list, data)) = self.work.lists.pop() {
                self.pass_on_list_counting(list, data, passed);
            } else {
                break;
            }
        }
        self.work.say_for_openers();
    }

    /// Satisfies an event; whether it keeps the block for others. Where that cannot be known, it does.
    fn satisfy_and_look(
        &mut self,
        event: Guid,
        increment: bool,
        block: Guid,
        called: bool,
    ) -> Result<bool, GraphError> {
        let kind = self.objects.event_kind(event);
        let for_openers = self.work.for_openers.len();
        if called {
            self.satisfy_event(event, increment, block)?;
        } else {
            self.pass_to_event(event, increment, block)?;
        }
        Ok(match kind {
            // The thread that opens the event passes it on; nothing is counted here.
            _ if self.work.for_openers.len() != for_openers => true,
            Some(EventKind::Once | EventKind::Latch) => false,
            // The event may have been satisfied before, and ignored the block.
            Some(EventKind::Idempotent) => match self.objects.events.lock(event) {
                Some((event, _locked)) => event.data() == block,
                None => true,
            },
            _ => true,
        })
    }

    fn pass_on_list_counting(&mut self, mut list: Link, data: Guid, passed: &mut Passed) {
        loop {
            let rest = self.pass_on_one(list, data, |edt, locked, mode| {
                // One that was destroyed acquires nothing.
                if mode != Mode::Null && locked.word.state() == EdtState::Waiting {
                    passed.slots += 1;
                    passed.kept |= is_for_thread(edt);
                }
            });
            match rest {
                Some(rest) => list = rest,
                None => return,
            }
        }
    }
}
