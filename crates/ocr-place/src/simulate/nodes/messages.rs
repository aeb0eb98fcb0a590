//! The threads of the link, and the messages that they send and handle.

use super::agenda::{Agenda, LONGEST_NS, Moment};
use super::{NodesMachine, NodesOutcome};
use std::collections::{BTreeMap, VecDeque};

/// The bytes of a message besides its elements and the contents of blocks, and those of an element.
const MESSAGE_BYTES: u64 = 64;
const ELEMENT_BYTES: u64 = 8;

/// The content of a block that has more bytes is no part of a message. It is sent from where it is, and received where
/// it is to be (`LARGEST_IN_MESSAGE` of `src/engine/nodes/outbox.rs`).
const LARGEST_IN_MESSAGE: u64 = 32 << 10;

/// A message of one node to another. Tasks and blocks are numbers of the graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum SimulatedMessage {
    /// An EDT is created. So many satisfied dependences go along, those on these tasks of the receiver, and these
    /// blocks to be read.
    Create { edt: u32, edges: u32, on: Vec<u32>, along: Vec<u32> },
    /// An EDT waits for a task of the receiver.
    Depend { on: u32, edt: u32 },
    /// An EDT of the receiver is satisfied by a call.
    Satisfy { edt: u32 },
    /// These EDTs of the receiver are satisfied by the end of a task, and get these blocks to be read.
    Release { edts: Vec<u32>, along: Vec<u32> },
    /// These EDTs are held back no more.
    LetGo { edts: Vec<u32> },
    /// Calls of these EDTs were made.
    Confirm { callers: Vec<u32> },
    /// `many` of the tasks that `join` waits for are over; the join is the receiver's.
    ScopeDone { join: u32, many: u32 },
    /// The sender needs a block of the receiver.
    Want { block: u32, writes: bool },
    /// The content of a block, from its owner or back to it.
    Content { block: u32, reads: bool },
    /// The owner wants a block back.
    Recall { block: u32 },
    /// The sender has its copy to read no more.
    Left { block: u32 },
}

impl SimulatedMessage {
    /// Whether something on the receiver can go on by it that has waited for another node.
    pub(super) fn is_awaited(&self) -> bool {
        use SimulatedMessage::{Create, LetGo, Release, Satisfy, ScopeDone};
        matches!(self, Create { .. } | Satisfy { .. } | Release { .. } | LetGo { .. } | ScopeDone { .. })
    }

    /// How many EDTs, tasks and blocks it names in lists.
    fn elements(&self) -> u64 {
        let elements = match self {
            SimulatedMessage::Create { on, along, .. } => on.len() + along.len(),
            SimulatedMessage::Release { edts, along } => edts.len() + along.len(),
            SimulatedMessage::LetGo { edts } => edts.len(),
            SimulatedMessage::Confirm { callers } => callers.len(),
            _ => 0,
        };
        elements as u64
    }
}

/// A message on its way.
#[derive(Debug)]
pub(super) struct Sent {
    pub(super) from: u32,
    pub(super) message: SimulatedMessage,
    /// The EDT that waits until the message is confirmed, or [`super::NONE`].
    pub(super) caller: u32,
    /// Bytes of blocks.
    bytes: u64,
    /// Whether it is a part of the message before it.
    is_joined: bool,
}

impl Sent {
    /// The bytes of the message with those of blocks.
    fn size(&self) -> u64 {
        MESSAGE_BYTES + ELEMENT_BYTES * self.message.elements() + self.bytes
    }

    /// The bytes that it takes on a node.
    fn in_memory(&self) -> u64 {
        let is_apart = matches!(self.message, SimulatedMessage::Content { .. }) && self.bytes > LARGEST_IN_MESSAGE;
        self.size() - if is_apart { self.bytes } else { 0 }
    }
}

/// The thread of the link of one node.
#[derive(Default)]
struct LinkThread {
    /// When it has done what it has begun.
    free_at: u64,
    /// When the bytes have left that it has sent.
    wire_free_at: u64,
    outgoing: BTreeMap<u32, Vec<Sent>>,
    incoming: VecDeque<Sent>,
    is_to_send: bool,
    /// Bytes of the messages in both queues.
    bytes: u64,
}

/// The threads of the link of all nodes.
pub(super) struct Links {
    machine: NodesMachine,
    threads: Vec<LinkThread>,
    on_the_way: Vec<(u32, Vec<Sent>)>,
    /// Places in that which are free.
    arrived: Vec<u32>,
}

impl Links {
    pub(super) fn new(machine: &NodesMachine) -> Links {
        let threads = (0..machine.nodes).map(|_| LinkThread::default()).collect();
        Links { machine: *machine, threads, on_the_way: Vec::new(), arrived: Vec::new() }
    }

    /// Puts a message, with so many bytes of blocks, behind all others of a node for another one. With `joined` it is a
    /// part of the one before it.
    pub(super) fn put(
        &mut self,
        agenda: &mut Agenda,
        (from, to): (u32, u32),
        message: SimulatedMessage,
        (caller, bytes, is_joined): (u32, u64, bool),
    ) {
        let thread = &mut self.threads[from as usize];
        let queue = thread.outgoing.entry(to).or_default();
        let is_joined = is_joined && !queue.is_empty();
        let sent = Sent { from, message, caller, bytes, is_joined };
        thread.bytes += sent.in_memory();
        queue.push(sent);
        if !std::mem::replace(&mut thread.is_to_send, true) {
            agenda.enter(thread.free_at.max(agenda.now), Moment::Sends(from));
        }
    }

    /// Confirms a call of an EDT, together with others if that message waits to be sent.
    pub(super) fn confirm(&mut self, agenda: &mut Agenda, (from, to): (u32, u32), caller: u32) {
        let thread = &mut self.threads[from as usize];
        let last = thread.outgoing.get_mut(&to).and_then(|queue| queue.last_mut()).map(|sent| &mut sent.message);
        if let Some(SimulatedMessage::Confirm { callers }) = last {
            thread.bytes += ELEMENT_BYTES;
            return callers.push(caller);
        }
        let message = SimulatedMessage::Confirm { callers: vec![caller] };
        self.put(agenda, (from, to), message, (super::NONE, 0, false));
    }

    /// A thread sends what waits, a batch for each receiver.
    pub(super) fn send(&mut self, agenda: &mut Agenda, node: u32, outcome: &mut NodesOutcome) {
        let thread = &mut self.threads[node as usize];
        if thread.free_at > agenda.now {
            return agenda.enter(thread.free_at, Moment::Sends(node));
        }
        thread.is_to_send = false;
        let mut at = agenda.now;
        for (to, batch) in std::mem::take(&mut thread.outgoing) {
            let many = batch.iter().filter(|sent| !sent.is_joined).count() as u64;
            let is_confirmation = |sent: &&Sent| matches!(sent.message, SimulatedMessage::Confirm { .. });
            let confirmations = batch.iter().filter(is_confirmation).count() as u64;
            outcome.batches += 1;
            outcome.confirmations += confirmations;
            outcome.messages += many - confirmations;
            outcome.bytes += batch.iter().map(|sent| sent.bytes).sum::<u64>();
            let size: u64 = batch.iter().map(Sent::size).sum();
            thread.bytes -= batch.iter().map(Sent::in_memory).sum::<u64>();
            at += many * self.machine.overhead_ns;
            let takes = (size as f64 * 1e9 / self.machine.bandwidth) as u64;
            thread.wire_free_at = thread.wire_free_at.max(at).saturating_add(takes).min(LONGEST_NS);
            let slot = self.arrived.pop().unwrap_or_else(|| {
                self.on_the_way.push((0, Vec::new()));
                self.on_the_way.len() as u32 - 1
            });
            self.on_the_way[slot as usize] = (to, batch);
            agenda.enter(thread.wire_free_at + self.machine.latency_ns, Moment::Arrives(slot));
        }
        outcome.link_ns[node as usize] += at - agenda.now;
        thread.free_at = at;
    }

    /// A batch is at its node, which is returned.
    pub(super) fn arrive(&mut self, agenda: &mut Agenda, slot: u32, outcome: &mut NodesOutcome) -> u32 {
        let (node, batch) = std::mem::take(&mut self.on_the_way[slot as usize]);
        self.arrived.push(slot);
        let thread = &mut self.threads[node as usize];
        let was_idle = thread.incoming.is_empty();
        thread.bytes += batch.iter().map(Sent::in_memory).sum::<u64>();
        thread.incoming.extend(batch);
        if was_idle {
            self.begin(agenda, node, outcome);
        }
        node
    }

    /// A thread begins to handle the first message that has come.
    fn begin(&mut self, agenda: &mut Agenda, node: u32, outcome: &mut NodesOutcome) {
        let thread = &mut self.threads[node as usize];
        let Some(first) = thread.incoming.front() else { return };
        let takes = if first.is_joined { 0 } else { self.machine.overhead_ns };
        thread.free_at = thread.free_at.max(agenda.now) + takes;
        outcome.link_ns[node as usize] += takes;
        agenda.enter(thread.free_at, Moment::Handled(node));
    }

    /// The message that a thread has handled now; it begins with the next one.
    pub(super) fn handled(&mut self, agenda: &mut Agenda, node: u32, outcome: &mut NodesOutcome) -> Option<Sent> {
        let thread = &mut self.threads[node as usize];
        let sent = thread.incoming.pop_front()?;
        thread.bytes -= sent.in_memory();
        self.begin(agenda, node, outcome);
        Some(sent)
    }

    /// The bytes of the messages that a node has.
    pub(super) fn bytes(&self, node: u32) -> u64 {
        self.threads[node as usize].bytes
    }
}
