//! EDTs of the runtime's that stand for something on another node. They acquire blocks or wait for events as any EDT
//! does, and do not run: the thread that brings one so far does what it stands for.
//!
//! | it stands for | waits for | then |
//! |---|---|---|
//! | pre-slots of another node's objects | an event; a block that was passed by value, in CONST mode | that node is sent what the event has been satisfied with, or the content |
//! | a node that needs a block to write it | the block, in EW mode | the content goes to that node; the EDT holds the block until it comes back |
//! | a node that needs a block to read it | the block, in CONST mode | the content goes to that node; the EDT holds the block until the node has it no more |
//! | a block's owner that wants it back | the copy here, in EW mode | the copy is gone, and the content goes to the owner if it was here to be written |
//!
//! A small block goes along with what an event has been satisfied with, where it is read alone (`along.rs`). One for a
//! pre-slot has others of its node wait with it for the same event (`state/fan.rs`).

use crate::engine::life::create_request::Output;
use crate::engine::life::internal_edt::InternalEdt;
use crate::engine::nodes::new_edt::only_reads;
use crate::engine::nodes::outbox;
use crate::engine::nodes::work::{Call, NodeWork, PassedTo};
use crate::engine::state::context::Context;
use crate::engine::state::fan::WaitingSlot;
use crate::engine::state::fatal::fatal;
use crate::graph::{Dependence, GraphError};
use crate::memory::{self, Acquired, divided};
use crate::object::code::{EdtDep, WorkKind};
use crate::object::data_block::DataBlock;
use crate::object::edt::{Edt, EdtFlags, Mode, NO_SLOT};
use crate::object::guid::Guid;
use crate::object::name::BlockName;
use crate::protocol::owner::LoanHold;
use crate::trace;

/// What such an EDT stands for. Its parameters say so.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum StandIn {
    PreSlot { of: u32, event: Guid, waiting: WaitingSlot },
    Borrower { node: u32, reads: bool },
    Owner(u32),
}

impl StandIn {
    fn params(self) -> [u64; 4] {
        match self {
            StandIn::PreSlot { of, event, waiting: (destination, slot, mode) } => {
                [u64::from(of) << 2, destination.bits(), u64::from(slot) << 32 | mode as u64, event.bits()]
            }
            StandIn::Borrower { node, reads } => [u64::from(node) << 2 | 1, reads.into(), 0, 0],
            StandIn::Owner(node) => [u64::from(node) << 2 | 2, 0, 0, 0],
        }
    }

    /// What an EDT of the kind [`WorkKind::Elsewhere`] stands for.
    pub(crate) fn of(edt: &Edt) -> StandIn {
        let &[role, second, third, event] = edt.params() else {
            unreachable!("such an EDT has four parameters");
        };
        let node = (role >> 2) as u32;
        match role & 3 {
            0 => {
                let (slot, mode) = ((third >> 32) as u32, Mode::from_bits(third as u32).unwrap_or(Mode::Null));
                StandIn::PreSlot {
                    of: node,
                    event: Guid::from_bits(event),
                    waiting: (Guid::from_bits(second), slot, mode),
                }
            }
            1 => StandIn::Borrower { node, reads: second != 0 },
            _ => StandIn::Owner(node),
        }
    }
}

/// How many pre-slots one message satisfies. Together with a content, it is no longer than messages may be.
const MOST_WAITING: usize = 1024;

/// Whether a block is shown there: a control dependence shows nothing to the EDT.
pub(crate) fn is_shown(&(destination, _, mode): &WaitingSlot) -> bool {
    mode != Mode::Null || !destination.is_edt()
}

/// Whether all that is known to wait for a block at another node reads it.
fn all_read(messages: &[PassedTo]) -> bool {
    let mut shown = messages.iter().flat_map(|to| &to.waiting).filter(|waiting| is_shown(waiting)).peekable();
    shown.peek().is_some() && shown.all(|&(destination, _, mode)| destination.is_edt() && only_reads(mode))
}

/// What such an EDT runs, which is never called.
unsafe extern "C" fn nothing(_: u32, _: *mut u64, _: u32, _: *mut EdtDep) -> Guid {
    Guid::NULL
}

impl Context {
    /// Creates an EDT that stands for something elsewhere, and connects it to a block or an event of this node. What
    /// that leads to has not been worked off. As for a call of the program, an event that is gone may still be known,
    /// and a label without object is waited for. The error is that of the source. Where one for that node waits for the
    /// event already, that stands for this pre-slot, too.
    pub(crate) fn stand_in(
        &mut self,
        role: StandIn,
        (source, post_slot): (Guid, u32),
        mode: Mode,
    ) -> Result<(), GraphError> {
        if self.waits_with_other(role, mode) {
            return Ok(());
        }
        let created = self.create_internal_edt(InternalEdt {
            function: nothing,
            kind: WorkKind::Elsewhere,
            params: &role.params(),
            depc: 2,
            output: Output::None,
            in_scope: false,
        });
        let Ok(edt) = created else {
            fatal("no memory for an EDT that stands for an object of another node.");
        };
        if let Some((edt, _locked)) = self.runtime.objects.edts.lock(edt) {
            edt.flags.add(EdtFlags::WAITER);
        }
        // The second pre-slot has kept it from going on.
        let connected = self.ask_graph(|graph| graph.add_dependence_slot(source, post_slot, edt, 0, mode));
        if connected.is_err() {
            let _ = self.destroy_edt(edt);
            return connected;
        }
        if let StandIn::PreSlot { of, event, .. } = role
            && !event.is_label()
            && self.runtime.objects.is_armed(event)
        {
            self.runtime.elsewhere.lock().fans.begin(event, of, edt);
        }
        self.with_graph(|graph| graph.add_dependence(Guid::NULL, edt, 1, Mode::Null))
    }

    /// Has a pre-slot wait with another one of its node for an event that has not triggered. False if none waits.
    fn waits_with_other(&mut self, role: StandIn, mode: Mode) -> bool {
        let StandIn::PreSlot { of, event, waiting } = role else { return false };
        let mut elsewhere = self.runtime.elsewhere.lock();
        let Some(fan) = elsewhere.fans.find(event, of).filter(|_| self.runtime.objects.is_armed(event)) else {
            return false;
        };
        fan.more.push(waiting);
        if trace::is_on() {
            trace::events::linked(fan.stand_in.bits(), 0, (event.bits(), 0), mode as u8);
        }
        true
    }

    /// Whether another node is told when an event triggers, so that it can have EDTs wait there. That is so if one of
    /// its EDTs waits here already.
    pub(crate) fn promise(&mut self, to: u32, event: Guid) -> bool {
        let mut elsewhere = self.runtime.elsewhere.lock();
        let fan = elsewhere.fans.find(event, to).filter(|_| self.runtime.objects.is_armed(event));
        fan.map(|fan| fan.is_promised = true).is_some()
    }

    /// Nodes that are to be told when an event triggers are told that it was destroyed.
    pub(crate) fn break_promises(&mut self, event: Guid) {
        let told = self.runtime.elsewhere.lock().fans.promised(event);
        told.into_iter()
            .for_each(|node| outbox::post(node, NodeWork::Call { id: 0, by: None, call: Call::Broken(event) }));
    }

    /// A stand-in has what it waited for.
    #[cold]
    pub(crate) fn has_come(&mut self, edt: &'static Edt) {
        match StandIn::of(edt) {
            StandIn::PreSlot { .. } => self.send_value(edt),
            StandIn::Borrower { node, reads } => self.lend(edt, node, reads),
            StandIn::Owner(_) => self.send_back(edt),
        }
    }

    /// A stand-in has a block in its pre-slot. One that passes on the GUID does so, unless the block is private: then
    /// it acquires the block to pass on the content. One for a node that reads the block acquires it as an EDT does,
    /// too. Another one acquires it as an EDT that divides it: from now on no EDT passes it in the queue, in whatever
    /// mode, and when it has the block, none is served. Whether it has got the block.
    #[cold]
    pub(super) fn acquire_for_node(&mut self, edt: &'static Edt) -> bool {
        let role = StandIn::of(edt);
        let slot = &edt.slots()[0];
        let block = slot.data();
        let blocks = &self.runtime.objects.data_blocks;
        let is_pre_slot = matches!(role, StandIn::PreSlot { .. });
        if is_pre_slot && !blocks.stays_private(block) {
            self.send_on(edt, block);
            return false;
        }
        let hold = match role {
            StandIn::PreSlot { .. } => LoanHold::ToRead,
            StandIn::Borrower { reads, .. } => LoanHold::of(reads),
            StandIn::Owner(_) => LoanHold::Alone,
        };
        let acquired = match hold {
            LoanHold::ToRead => memory::acquire(blocks, block, edt, Mode::Const),
            LoanHold::Alone => {
                slot.set_divides();
                divided::divide(blocks, block, edt)
            }
        };
        match acquired {
            Acquired::Granted => {
                self.has_got(edt, slot);
                true
            }
            Acquired::Queued => {
                self.recall(block);
                false
            }
            Acquired::Gone => {
                edt.first.set(NO_SLOT);
                self.has_come(edt);
                false
            }
        }
    }

    /// Sends to another node what an event has been satisfied with, where that is nothing, a block that is gone, or a
    /// private one, which the stand-in has. Of such a one the content is sent, and the block is given back. So EDTs of
    /// another node have a copy of their own.
    #[cold]
    fn send_value(&mut self, edt: &'static Edt) {
        let data = edt.slots()[0].data();
        if data.is_null() || edt.first.get() == NO_SLOT {
            return self.send_on(edt, data);
        }
        let block = self.runtime.objects.data_blocks.pinned(data);
        let (of, messages) = self.end_stand_in(edt);
        for PassedTo { waiting, event } in messages {
            let (shown, others) = waiting.into_iter().partition::<Vec<_>, _>(is_shown);
            if !shown.is_empty() || !event.is_null() {
                let passed = PassedTo { waiting: shown, event };
                outbox::post_value(of, passed, content_of(block).to_vec(), edt.own_guid());
            }
            if !others.is_empty() {
                let to = PassedTo { waiting: others, event: Guid::NULL };
                let call = Call::Pass { data: Guid::NULL, to, content: None };
                outbox::post_for(of, NodeWork::Call { id: 0, by: None, call }, edt.own_guid());
            }
        }
        self.runtime.objects.edts.free(&mut self.caches.edts, edt);
        let left = memory::release_unused(block, Mode::Const, &mut self.steps.granted);
        self.dispose_if(block, left);
    }

    /// Sends the GUID of a block, or `NULL_GUID`, to another node: an event has been satisfied with it.
    #[cold]
    fn send_on(&mut self, edt: &'static Edt, data: Guid) {
        let (of, messages) = self.end_stand_in(edt);
        let guid = edt.own_guid();
        self.runtime.objects.edts.free(&mut self.caches.edts, edt);
        let is_read = all_read(&messages);
        let mut messages = messages.into_iter();
        let pass = |to: Option<PassedTo>, content| {
            if let Some(to) = to {
                outbox::post_for(of, NodeWork::Call { id: 0, by: None, call: Call::Pass { data, to, content } }, guid);
            }
        };
        if is_read {
            self.lend_along(of, data, usize::MAX, |content| {
                pass(messages.next(), Some(content.to_vec()));
                true
            });
        }
        messages.for_each(|to| pass(Some(to), None));
    }

    /// A stand-in for a pre-slot has what its event was satisfied with: its node, and what is satisfied there, by
    /// messages.
    fn end_stand_in(&mut self, edt: &Edt) -> (u32, Vec<PassedTo>) {
        let StandIn::PreSlot { of, event, waiting } = StandIn::of(edt) else { unreachable!("it lends nothing") };
        let fan = self.runtime.elsewhere.lock().fans.end(event, edt.own_guid());
        let (is_promised, more) = fan.map_or((false, Vec::new()), |fan| (fan.is_promised, fan.more));
        let all: Vec<WaitingSlot> = [waiting].into_iter().chain(more).collect();
        let some = |some: &[WaitingSlot]| PassedTo { waiting: some.to_vec(), event: Guid::NULL };
        let mut messages: Vec<PassedTo> = all.chunks(MOST_WAITING).map(some).collect();
        if is_promised {
            messages[0].event = event;
        }
        (of, messages)
    }

    /// Has an EDT wait here for an event of another node. False where that is not told of any more.
    pub(crate) fn waits_for_other_node(&mut self, event: Guid, waiting: WaitingSlot) -> bool {
        let (edt, slot, mode) = waiting;
        let edt =
            if trace::is_on() { self.runtime.objects.edts.lock(edt).map(|(edt, _)| edt.own_guid()) } else { None };
        let is_waiting = self.runtime.elsewhere.lock().awaited.wait(event, waiting);
        if let Some(edt) = edt.filter(|_| is_waiting) {
            trace::events::linked(edt.bits(), slot, (event.bits(), 0), mode as u8);
        }
        is_waiting
    }

    /// What an event of another node has been satisfied with comes: all that waits for that here.
    pub(crate) fn all_waiting(&mut self, passed: PassedTo) -> Vec<WaitingSlot> {
        let PassedTo { mut waiting, event } = passed;
        if !event.is_null() {
            waiting.extend(self.runtime.elsewhere.lock().awaited.came(event));
        }
        waiting
    }

    /// An event of another node passes on what it was satisfied with, to an object of this one.
    pub(crate) fn take_passed(
        &mut self,
        data: Guid,
        (destination, slot): (Guid, u32),
        mode: Mode,
    ) -> Result<(), GraphError> {
        if !destination.is_edt() {
            return self.ask_graph(|graph| graph.pass_to_event(destination, slot == 1, data));
        }
        let has_been = self.runtime.objects.data_blocks.has_been(data);
        let asked = Dependence { source: data, post_slot: 0, destination, slot, mode };
        self.ask_graph(|graph| {
            if has_been { graph.add_former_block(asked) } else { graph.add_dependence(data, destination, slot, mode) }
        })
    }
}

/// The content of a block that the caller's stand-in holds on the host, in EW or CONST mode.
pub(super) fn content_of(block: &DataBlock) -> &[u8] {
    let size = block.size() as usize;
    let start = block.host_memory().unwrap_or_else(|_| {
        fatal(&format!("there is no memory for {} on the host.", BlockName(block.guid())));
    });
    // SAFETY: the memory has as many bytes as the block. No EDT holds the block for writing, and none gets it so before
    // the stand-in gives it back, which is after the bytes were copied or sent.
    unsafe { std::slice::from_raw_parts(start.as_ptr(), size) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_say_what_it_stands_for() {
        let objects = crate::object::Objects::default();
        let mut caches = crate::object::edt::EdtCaches::default();
        let all = [
            StandIn::PreSlot {
                of: 4095,
                event: Guid::from_bits(5),
                waiting: (Guid::from_bits(77 << 40), u32::MAX, Mode::Ew),
            },
            StandIn::Borrower { node: 3, reads: false },
            StandIn::Borrower { node: 4, reads: true },
            StandIn::Owner(0),
        ];
        for role in all {
            let edt = objects.edts.allocate(&mut caches, 2, 4).expect("memory");
            let params = role.params();
            edt.paramc.set(4);
            // SAFETY: room for four parameters was asked for, and only this test knows the EDT.
            unsafe { edt.params_ptr().copy_from_nonoverlapping(params.as_ptr(), 4) };
            assert_eq!(StandIn::of(edt), role);
        }
    }
}
