//! What the threads of this node hand to the thread of the link, and the answers that they wait for.
//!
//! Any thread puts messages here, in the order in which they are to arrive at a node. The thread of the link takes them
//! out, and sends those for one node together (`message.rs`). A call that another node must answer waits in [`ask`] for
//! that, on the caller's own thread. The answer never depends on that thread: the owner's thread of the link makes the
//! call, and waits for no other node.
//!
//! In which order others see what an EDT does, and when it waits or holds an EDT back for that, is in
//! [`crate::protocol::order`]. The EDT waits in [`confirm`]. What is not answered yet changes under the lock of
//! [`Unconfirmed`], and so does whether an EDT may be held back: when the last answer has come, nothing would let it
//! go.

use crate::abi::Api;
use crate::engine::nodes::ending;
use crate::engine::nodes::new_edt::NewEdt;
use crate::engine::nodes::work::{Call, CallAnswer, Caller, NodeWork, PassedTo};
use crate::link::bell;
use crate::link::block::{self, BlockBytes};
use crate::object::guid::Guid;
use crate::protocol::order::UnconfirmedCalls;
use crate::trace;
use ocr_base::lock::{Condvar, Mutex, MutexGuard, rank};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

/// The content of a block that has more bytes does not go with the message that announces it.
pub(crate) const LARGEST_IN_MESSAGE: usize = crate::link::LONGEST_MESSAGE / 2;

/// What has not been sent, each with its receiver.
static OUTGOING: Mutex<rank::Outbox, Outgoing> = Mutex::new(Outgoing {
    messages: BTreeMap::new(),
    open: BTreeMap::new(),
    blocks: Vec::new(),
    recorded: BTreeMap::new(),
    traffic: BTreeMap::new(),
});

/// Messages, and the contents of blocks that they announce.
#[derive(Default)]
pub(super) struct Outgoing {
    /// For each receiver, in their order.
    pub(super) messages: BTreeMap<u32, Vec<NodeWork>>,
    /// For each receiver, the creation that is behind those messages and is not sent yet ([`send_open`]), if any.
    open: BTreeMap<u32, NodeWork>,
    pub(super) blocks: Vec<(u32, BlockBytes)>,
    /// How many messages that lead to something there each node was sent, where the run is recorded.
    recorded: BTreeMap<u32, u64>,
    /// What each node was sent in this run.
    traffic: BTreeMap<u32, Traffic>,
}

impl Outgoing {
    /// Puts a message behind all others for this node. Confirmations alone may overtake a creation that is not sent:
    /// they say of calls of that node that they are made, to which the creation has nothing to add.
    fn put(&mut self, to: u32, work: NodeWork) {
        if !matches!(work, NodeWork::Confirmed(_)) {
            self.close(to);
        }
        self.messages.entry(to).or_default().push(work);
    }

    /// Puts the creation for this node that is not sent yet behind all other messages for it. False if there is none.
    fn close(&mut self, to: u32) -> bool {
        let Some(work) = self.open.remove(&to) else { return false };
        self.messages.entry(to).or_default().push(work);
        true
    }

    /// The creation for this node that is not sent yet, if it is that of this EDT.
    fn open_for(&mut self, to: u32, edt: Guid) -> Option<&mut NewEdt> {
        match self.open.get_mut(&to)? {
            NodeWork::Call { call: Call::CreateEdt(new), .. } if new.guid == edt => Some(new),
            _ => None,
        }
    }
}

/// What one node has sent another, for reports.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Traffic {
    /// Messages that are no confirmations.
    pub(crate) messages: u64,
    /// Messages that are ([`NodeWork::Confirmed`]).
    pub(crate) confirmations: u64,
    /// How often the link has sent messages together, and how often confirmations alone.
    pub(crate) batches: u64,
    pub(crate) lone: u64,
    /// Bytes of blocks.
    pub(crate) bytes: u64,
}

impl Traffic {
    /// The traffic of messages for one node which the link sends in so many batches.
    pub(super) fn of(messages: &[NodeWork], batches: u64) -> Traffic {
        let is_confirmation = |work: &&NodeWork| matches!(work, NodeWork::Confirmed(_));
        let counted = messages.iter().filter(|work| work.is_counted()).count() as u64;
        let confirmations = messages.iter().filter(is_confirmation).count() as u64;
        let bytes = messages.iter().filter_map(|work| match work {
            NodeWork::Content { size, .. } | NodeWork::Call { call: Call::PassValue { size, .. }, .. } => Some(*size),
            NodeWork::Call { call: Call::CreateEdt(new), .. } => {
                Some(new.along.contents.iter().map(|(_, bytes)| bytes.len() as u64).sum())
            }
            NodeWork::Call { call: Call::Pass { content, .. }, .. } => content.as_ref().map(|bytes| bytes.len() as u64),
            _ => None,
        });
        // Looks for the end of what happens are not the program's.
        let batches = if counted > 0 { batches } else { 0 };
        let lone = if counted == confirmations { batches } else { 0 };
        Traffic { messages: counted - confirmations, confirmations, batches, lone, bytes: bytes.sum() }
    }

    fn add(&mut self, more: Traffic) {
        self.messages += more.messages;
        self.confirmations += more.confirmations;
        self.batches += more.batches;
        self.lone += more.lone;
        self.bytes += more.bytes;
    }
}

/// The calls that have no answer yet. None when no answer will come any more.
static ASKED: Mutex<rank::AnswersAwaited, Option<HashMap<u64, Waits>>> = Mutex::new(None);

/// What waits for an answer.
enum Waits {
    /// What the thread of the link does with it: it tells the caller, for instance.
    Taker(Box<dyn FnOnce(CallAnswer) + Send>),
    /// That, where the answer may come much later.
    Later(Box<dyn FnOnce(CallAnswer) + Send>),
    /// The EDT that has sent the call.
    Sender(SentCall),
}

/// Numbers the calls; 0 is that of a call that is not answered.
static LAST: AtomicU64 = AtomicU64::new(0);

/// How many messages about work this node has sent and handled. SeqCst: a message is counted before it can have an
/// effect elsewhere, and when its effect here can be seen.
static SENT: AtomicU64 = AtomicU64::new(0);
static HANDLED: AtomicU64 = AtomicU64::new(0);

/// Whether some workers have nothing to run.
#[derive(Clone, Copy)]
pub(crate) struct IdleWorkers {
    /// One sleeps.
    pub(crate) sleep: bool,
    /// One searches, or was woken and is about to.
    pub(crate) search: bool,
}

/// What a run does for other nodes. The thread of the link calls it.
#[derive(Clone, Copy)]
pub(crate) struct WorkHandler {
    /// Handles a message. A content that does not have its bytes has been brought to its place.
    pub(crate) work: fn(from: u32, work: NodeWork),
    /// Where the content of a block of so many bytes is to be brought. None where the program ends with an error.
    pub(crate) place: fn(block: Guid, size: u64, reads: bool) -> Option<BlockBytes>,
    /// Whether nothing happens on this node before a message comes.
    pub(crate) rests: fn() -> bool,
    /// On node 0: nothing happens on any node any more.
    pub(crate) all_rest: fn(),
    /// Something may happen again: a message is about to be sent or handled.
    pub(crate) goes_on: fn(),
    /// In a run that ends: whether all EDTs that ran have ended.
    pub(crate) has_ended: fn() -> bool,
    /// Which workers have nothing to run.
    pub(crate) idle: fn() -> IdleWorkers,
    /// Lets EDTs go that were held back for calls, by the GUIDs of their slots.
    pub(crate) let_go: fn(Vec<Guid>),
}

static HANDLER: Mutex<rank::NodeHandler, Option<WorkHandler>> = Mutex::new(None);

/// Whether a run handles messages now.
static WORKS: AtomicBool = AtomicBool::new(false);

/// Whether a run has handled messages, and does so no more. SeqCst, as for `WORKS`: [`close`] sets this before it
/// clears that, so in between both are set, and [`has_others`] never finds neither.
static IS_OVER: AtomicBool = AtomicBool::new(false);

/// What the run of this process does for other nodes, while one runs.
pub(super) fn handler() -> Option<WorkHandler> {
    *HANDLER.lock()
}

/// A run begins to work for other nodes.
pub(crate) fn open(handler: WorkHandler) {
    *HANDLER.lock() = Some(handler);
    *ASKED.lock() = Some(HashMap::new());
    IS_OVER.store(false, Ordering::SeqCst);
    WORKS.store(true, Ordering::SeqCst);
}

/// No answer comes any more, and no message is handled: the program ends. Calls that wait go on without an answer.
pub(crate) fn close() {
    if WORKS.load(Ordering::SeqCst) {
        IS_OVER.store(true, Ordering::SeqCst);
    }
    WORKS.store(false, Ordering::SeqCst);
    *HANDLER.lock() = None;
    // What waits is told without this lock.
    let asked = ASKED.lock().take();
    drop(asked);
}

/// Waits until no memory of this run's blocks is on its way to another node or comes from one. The run is closed: each
/// node takes what comes, and so what is sent to it ends. A message that the thread of the link was handling when the
/// run was closed may begin one more: its context keeps the runtime, and so that memory, until the thread ends.
pub(crate) fn wait_for_blocks() {
    while block::is_any_in_use() && !ending::is_over() {
        std::thread::sleep(Duration::from_micros(100));
    }
}

/// Whether this process is a node whose run works for other nodes. For paths that are slow anyway.
pub(crate) fn is_open() -> bool {
    WORKS.load(Ordering::SeqCst)
}

/// Whether this process is a node whose run works for other nodes no more: the program ends, and what has to wait for
/// another node waits for good.
pub(crate) fn is_over() -> bool {
    IS_OVER.load(Ordering::SeqCst)
}

/// Whether there are other nodes, for which a run of this process works or has worked.
pub(crate) fn has_others() -> bool {
    is_open() || is_over()
}

/// The number of this node, and how many there are, where it works together with others.
pub(crate) fn place() -> Option<(u32, u32)> {
    is_open().then(ending::place).flatten()
}

/// Sends a message to another node.
pub(crate) fn post(to: u32, work: NodeWork) {
    post_for(to, work, Guid::NULL);
}

/// Sends a message to another node, since what an EDT of the runtime's stands for has come, or for none (`NULL_GUID`).
pub(crate) fn post_for(to: u32, work: NodeWork, stand_in: Guid) {
    post_with(to, work, None, stand_in);
}

/// [`post_for`], with the bytes that the message announces.
fn post_with(to: u32, work: NodeWork, bytes: Option<BlockBytes>, stand_in: Guid) {
    debug_assert_eq!(work.announced(), bytes.as_ref().map(|bytes| bytes.len() as u64));
    let mut outgoing = begin_post(to, &work, stand_in);
    outgoing.put(to, work);
    outgoing.blocks.extend(bytes.map(|bytes| (to, bytes)));
    drop(outgoing);
    bell::wake();
}

/// A message is about to be put there, which is counted and recorded.
fn begin_post(to: u32, work: &NodeWork, stand_in: Guid) -> MutexGuard<'static, rank::Outbox, Outgoing> {
    count_post(work);
    let mut outgoing = OUTGOING.lock();
    if trace::is_on() && work.leads_on() {
        let number = outgoing.recorded.entry(to).or_default();
        *number += 1;
        trace::events::sent(to, *number, stand_in.bits());
    }
    outgoing
}

/// A message is about to be sent.
fn count_post(work: &NodeWork) {
    if work.is_counted() {
        if let Some(handler) = handler() {
            (handler.goes_on)();
        }
        SENT.fetch_add(1, Ordering::SeqCst);
    }
}

/// Sends the content of a block, which the message announces.
pub(crate) fn post_content(to: u32, block: Guid, reads: bool, bytes: BlockBytes) {
    let size = bytes.len() as u64;
    post_with(to, NodeWork::Content { block, size, reads, bytes: None }, Some(bytes), Guid::NULL);
}

/// Has another node pass a content on to objects of its own, where no call waits for the answer: it has come to an EDT
/// that stands for them.
pub(crate) fn post_value(to: u32, passed: PassedTo, content: Vec<u8>, stand_in: Guid) {
    let (call, bytes) = value(passed, content);
    post_with(to, NodeWork::Call { id: 0, by: None, call }, bytes, stand_in);
}

/// The call that passes a content on, and the bytes that follow it, if they do not fit a message.
fn value(to: PassedTo, content: Vec<u8>) -> (Call, Option<BlockBytes>) {
    let size = content.len() as u64;
    let (bytes, follow) = match content {
        small if small.len() <= LARGEST_IN_MESSAGE => (Some(small), None),
        large => (None, Some(BlockBytes::from(large))),
    };
    (Call::PassValue { to, size, bytes }, follow)
}

thread_local! {
    /// In strict mode, who makes the call that this thread makes now.
    static CALLER: RefCell<Option<Box<Caller>>> = const { RefCell::new(None) };
}

/// Says who makes the calls that this thread makes from here on.
pub(crate) fn call_as(caller: Caller) {
    // A thread that ends, and calls once more, has none.
    let _ = CALLER.try_with(|of_thread| of_thread.replace(Some(Box::new(caller))));
}

fn caller() -> Option<Box<Caller>> {
    CALLER.try_with(|of_thread| of_thread.borrow().clone()).ok().flatten()
}

/// Has the owner of an object make a call, whose answer somebody waits for. False where the program ends.
fn call(to: u32, call: Call, waits: Waits) -> bool {
    call_with(to, call, None, waits)
}

/// As [`call`], and sends the bytes that the call announces.
fn call_with(to: u32, call: Call, bytes: Option<BlockBytes>, waits: Waits) -> bool {
    let Some(id) = await_answer(waits) else { return false };
    post_with(to, NodeWork::Call { id, by: caller(), call }, bytes, Guid::NULL);
    true
}

/// Numbers a call whose answer somebody waits for. None where the program ends.
fn await_answer(waits: Waits) -> Option<u64> {
    let id = LAST.fetch_add(1, Ordering::Relaxed) + 1;
    ASKED.lock().as_mut()?.insert(id, waits);
    Some(id)
}

/// Has the owner of an object make a call, and waits for its answer. None where the program ends before that comes.
pub(crate) fn ask(to: u32, asked: Call) -> Option<CallAnswer> {
    ask_with(to, asked, |_| ())
}

/// Has the owner of an object make a call, and the thread of the link do something with the answer, which may come much
/// later. Where the program ends before that, it does nothing.
pub(crate) fn ask_then(to: u32, asked: Call, then: impl FnOnce(CallAnswer) + Send + 'static) {
    call(to, asked, Waits::Later(Box::new(then)));
}

/// Has another node pass a content on to an object of its own, and waits for its answer, as [`ask`].
pub(crate) fn ask_value(to: u32, passed: PassedTo, content: Vec<u8>) -> Option<CallAnswer> {
    let (call, bytes) = value(passed, content);
    ask_all(to, call, bytes, |_| ())
}

/// As [`ask`], and the thread of the link does something with the answer first, before it handles the next message.
pub(crate) fn ask_with(to: u32, asked: Call, first: impl FnOnce(&CallAnswer) + Send + 'static) -> Option<CallAnswer> {
    ask_all(to, asked, None, first)
}

fn ask_all(
    to: u32,
    asked: Call,
    bytes: Option<BlockBytes>,
    first: impl FnOnce(&CallAnswer) + Send + 'static,
) -> Option<CallAnswer> {
    close_open();
    let (tell, told) = channel();
    let then = move |answer: CallAnswer| {
        first(&answer);
        // Nobody waits for it where the program ends.
        let _ = tell.send(answer);
    };
    if call_with(to, asked, bytes, Waits::Taker(Box::new(then))) { while_waiting(|| told.recv().ok()) } else { None }
}

/// How long other nodes have to answer [`ask_others`], together.
const PATIENCE: Duration = Duration::from_secs(5);

/// Has all other nodes make a call. Their answers; None of one that has not answered for some seconds, since it was
/// stopped for instance.
pub(crate) fn ask_others(asked: Call) -> Vec<(u32, Option<CallAnswer>)> {
    let Some((here, nodes)) = place() else { return Vec::new() };
    let others = (0..nodes).filter(|&node| node != here);
    let told: Vec<_> = others
        .map(|node| {
            let (tell, told) = channel();
            // Nobody waits for it when the time is over.
            ask_then(node, asked.clone(), move |answer| _ = tell.send(answer));
            (node, told)
        })
        .collect();
    let until = Instant::now() + PATIENCE;
    let left = || until.saturating_duration_since(Instant::now());
    told.into_iter().map(|(node, told)| (node, told.recv_timeout(left()).ok())).collect()
}

/// Numbers an answer that another node gives without being asked by a call, and what the thread of the link does with
/// it. None where the program ends.
pub(crate) fn expect(then: impl FnOnce(CallAnswer) + Send + 'static) -> Option<u64> {
    await_answer(Waits::Later(Box::new(then)))
}

/// Answers a call of another node, unless it wants no answer. Those that say no more than that the call is made go
/// together, as long as nothing else is put between them.
pub(crate) fn answer(to: u32, id: u64, answer: CallAnswer) {
    if id == 0 {
        return;
    }
    if answer != CallAnswer::default() {
        post(to, NodeWork::Answer { id, answer });
    } else if !is_appended(to, id) {
        post(to, NodeWork::Confirmed(vec![id]));
    }
}

/// The most calls that one message confirms, so that it stays short.
const MOST_CONFIRMED: usize = 1024;

/// Whether a message that waits to be sent confirms this call, too. It was counted when it was put there.
fn is_appended(to: u32, id: u64) -> bool {
    let mut outgoing = OUTGOING.lock();
    match outgoing.messages.get_mut(&to).and_then(|messages| messages.last_mut()) {
        Some(NodeWork::Confirmed(calls)) if calls.len() < MOST_CONFIRMED => {
            calls.push(id);
            true
        }
        _ => false,
    }
}

/// How many threads wait for answers now. Relaxed: the thread of the link looks again.
static WAITING: AtomicUsize = AtomicUsize::new(0);

/// How often threads have waited for answers, and how long in all, in nanoseconds. Relaxed: for reports.
static WAITS: AtomicU64 = AtomicU64::new(0);
static WAITED_NS: AtomicU64 = AtomicU64::new(0);

/// Waits for an answer.
fn while_waiting<T>(wait: impl FnOnce() -> T) -> T {
    WAITING.fetch_add(1, Ordering::Relaxed);
    let begin = Instant::now();
    let answer = trace::events::waiting_for_nodes(wait);
    WAITED_NS.fetch_add(begin.elapsed().as_nanos() as u64, Ordering::Relaxed);
    WAITS.fetch_add(1, Ordering::Relaxed);
    WAITING.fetch_sub(1, Ordering::Relaxed);
    answer
}

/// How often threads of this node have waited for answers in this process, and how long in all.
pub(crate) fn waits() -> (u64, Duration) {
    (WAITS.load(Ordering::Relaxed), Duration::from_nanos(WAITED_NS.load(Ordering::Relaxed)))
}

/// Whether threads wait for answers, and so leave their cores.
pub(super) fn is_waited_for() -> bool {
    WAITING.load(Ordering::Relaxed) != 0
}

/// A call that was sent and that its owner has refused.
pub(crate) struct Refused {
    pub(crate) owner: u32,
    /// The function that the program has called.
    pub(crate) called: &'static str,
    /// The status code.
    pub(crate) status: u32,
}

/// The calls that an EDT has sent, while it has not looked whether they are confirmed.
#[derive(Default)]
struct Unconfirmed {
    calls: Mutex<rank::UnconfirmedCalls, UnconfirmedCalls<Guid, Refused>>,
    /// All have an answer, or [`ROOM_AT`] have none.
    confirmed: Condvar,
}

/// A call that was sent and has no answer. Dropped without one where the program ends: then the call has succeeded as
/// far as anybody can tell.
struct SentCall {
    all: Arc<Unconfirmed>,
    owner: u32,
    /// The function that the program has called.
    called: &'static str,
    is_answered: bool,
}

impl Drop for SentCall {
    fn drop(&mut self) {
        if !self.is_answered {
            self.ends(None, None);
        }
    }
}

thread_local! {
    /// The calls of the EDT that this thread runs.
    static UNCONFIRMED: RefCell<Option<Arc<Unconfirmed>>> = const { RefCell::new(None) };
}

impl SentCall {
    /// The answer has come. The EDTs that are to be let go.
    fn answered(mut self, answer: &CallAnswer) -> Vec<Guid> {
        self.is_answered = true;
        let refused = (answer.status != 0).then(|| {
            let called = if answer.of_along { Api::ocrAddDependence.shown() } else { self.called };
            Refused { owner: self.owner, called, status: answer.status }
        });
        self.ends(refused, Some(answer.held).filter(|held| !held.is_null()))
    }

    /// One call less has no answer. What was held back, if it was the last.
    fn ends(&self, refused: Option<Refused>, held: Option<Guid>) -> Vec<Guid> {
        let mut calls = self.all.calls.lock();
        let let_go = calls.answer(self.owner, refused, held);
        if let_go.is_some() || calls.count() == ROOM_AT {
            self.all.confirmed.notify_one();
        }
        let_go.unwrap_or_default()
    }
}

/// Whether the EDT that this thread runs has sent calls, and has not looked at their answers.
pub(crate) fn has_sent() -> bool {
    // A thread that ends, and calls once more, has none.
    UNCONFIRMED.try_with(|calls| calls.borrow().is_some()).unwrap_or(false)
}

fn of_this_edt() -> Option<Arc<Unconfirmed>> {
    UNCONFIRMED.try_with(|calls| calls.borrow().clone()).ok().flatten()
}

/// Whether calls of this thread's EDT are unconfirmed, but for those for a node.
pub(crate) fn is_unconfirmed(but_for: Option<u32>) -> bool {
    of_this_edt().is_some_and(|all| all.calls.lock().is_open(but_for))
}

/// Has the owner of an object make a call, and goes on. The thread runs an EDT. How many calls of it are unconfirmed.
pub(crate) fn send(to: u32, called: &'static str, sent: Call) -> usize {
    let (waits, count) = sent_call(to, called);
    call(to, sent, waits);
    count
}

/// Counts a call that this thread's EDT sends. How many of them are unconfirmed.
fn sent_call(to: u32, called: &'static str) -> (Waits, usize) {
    let all = UNCONFIRMED.with_borrow_mut(|calls| calls.get_or_insert_default().clone());
    let count = all.calls.lock().send(to);
    (Waits::Sender(SentCall { all, owner: to, called, is_answered: false }), count)
}

thread_local! {
    /// The EDT whose creation this thread's EDT has sent by [`send_open`], and its node.
    static OPEN: Cell<Option<(u32, Guid)>> = const { Cell::new(None) };
}

/// Has another node create an EDT that has an open pre-slot, as [`send`]. The message waits here for dependences that
/// go with it ([`change_open`]), until the next message to that node or [`close_open`]. Nobody waits for the EDT so
/// long: it cannot run before it has another dependence, and whoever adds that comes behind this message, or is told of
/// the EDT by a call of this thread's EDT, which closes first.
pub(crate) fn send_open(to: u32, called: &'static str, new: Box<NewEdt>) -> usize {
    close_open();
    let edt = new.guid;
    let (waits, count) = sent_call(to, called);
    let Some(id) = await_answer(waits) else { return count };
    let work = NodeWork::Call { id, by: caller(), call: Call::CreateEdt(new) };
    let mut outgoing = begin_post(to, &work, Guid::NULL);
    let is_other_closed = outgoing.close(to);
    outgoing.open.insert(to, work);
    drop(outgoing);
    OPEN.set(Some((to, edt)));
    if is_other_closed {
        bell::wake();
    }
    count
}

/// The EDT of another node whose creation may wait for dependences that this thread's EDT adds.
pub(crate) fn open_edt() -> Option<Guid> {
    OPEN.get().map(|(_, edt)| edt)
}

/// Changes the creation of that EDT. None if it was sent.
pub(crate) fn change_open<R>(change: impl FnOnce(&mut NewEdt) -> R) -> Option<R> {
    let (to, edt) = OPEN.get()?;
    OUTGOING.lock().open_for(to, edt).map(change)
}

/// Sends the creation of that EDT.
pub(crate) fn close_open() {
    let Some((to, edt)) = OPEN.take() else { return };
    let mut outgoing = OUTGOING.lock();
    let is_closed = outgoing.open_for(to, edt).is_some() && outgoing.close(to);
    drop(outgoing);
    if is_closed {
        bell::wake();
    }
}

/// The most EDTs that one EDT holds back at a time. An EDT that is held back waits until all calls of the EDT that
/// holds it have answers, and an EDT that goes on sending may always have one without.
const MOST_HELD: usize = 256;

/// Whether so many EDTs are held back for calls of this thread's EDT that no more should be.
pub(crate) fn are_many_held() -> bool {
    of_this_edt().is_some_and(|all| all.calls.lock().held() >= MOST_HELD)
}

/// Keeps an EDT, which is held back, until the calls of this thread's EDT are confirmed. False if they are.
pub(crate) fn keep_held(edt: Guid) -> bool {
    of_this_edt().is_some_and(|all| all.calls.lock().keep(edt))
}

/// The most calls of one EDT that are unconfirmed at a time: each takes memory here and on the other node.
const MOST_UNCONFIRMED: usize = 1024;

/// An EDT that has reached [`MOST_UNCONFIRMED`] goes on sending when this number of its calls is unconfirmed. The other
/// node has those to handle until the next ones come. Each answer takes one off under the lock of [`Unconfirmed`], so
/// the number is met, and the EDT is told then.
const ROOM_AT: usize = MOST_UNCONFIRMED / 2;

/// Waits if so many calls of this thread's EDT are unconfirmed that no more should be sent before some are.
pub(crate) fn wait_for_room(unconfirmed: usize) {
    if unconfirmed < MOST_UNCONFIRMED {
        return;
    }
    let Some(all) = of_this_edt() else { return };
    let mut calls = all.calls.lock();
    while_waiting(|| {
        while calls.count() > ROOM_AT {
            all.confirmed.wait(&mut calls);
        }
    });
}

/// Waits until this thread's calls are confirmed. Those that were refused, in the order of their answers.
pub(crate) fn confirm() -> Vec<Refused> {
    close_open();
    let Some(all) = UNCONFIRMED.try_with(RefCell::take).ok().flatten() else { return Vec::new() };
    let mut calls = all.calls.lock();
    if calls.is_open(None) {
        while_waiting(|| {
            while calls.is_open(None) {
                all.confirmed.wait(&mut calls);
            }
        });
    }
    calls.take_refused()
}

/// An answer has come. The EDTs that are to be let go because of it.
pub(crate) fn answered(id: u64, answer: CallAnswer) -> Vec<Guid> {
    let asked = ASKED.lock().as_mut().and_then(|asked| asked.remove(&id));
    match asked {
        Some(Waits::Taker(then) | Waits::Later(then)) => {
            then(answer);
            Vec::new()
        }
        Some(Waits::Sender(call)) => call.answered(&answer),
        None => Vec::new(),
    }
}

/// Whether calls wait for answers that come soon.
pub(super) fn is_awaited() -> bool {
    let is_soon = |waits: &Waits| !matches!(waits, Waits::Later(_));
    ASKED.lock().as_ref().is_some_and(|asked| asked.values().any(is_soon))
}

/// A message about work was handled.
pub(super) fn note_handled() {
    HANDLED.fetch_add(1, Ordering::SeqCst);
}

/// How many messages about work this node has sent and handled.
pub(super) fn counts() -> (u64, u64) {
    // Handled first: what is handled meanwhile may have sent more, and is seen in the next round.
    let handled = HANDLED.load(Ordering::SeqCst);
    (SENT.load(Ordering::SeqCst), handled)
}

/// The link has sent this to a node.
pub(super) fn note_sent(to: u32, sent: Traffic) {
    OUTGOING.lock().traffic.entry(to).or_default().add(sent);
}

/// What this node has sent to each other one.
pub(crate) fn traffic() -> Vec<(u32, Traffic)> {
    OUTGOING.lock().traffic.iter().map(|(&to, &sent)| (to, sent)).collect()
}

/// Takes what waits to be sent.
pub(super) fn take() -> Outgoing {
    let mut outgoing = OUTGOING.lock();
    let (messages, blocks) = (std::mem::take(&mut outgoing.messages), std::mem::take(&mut outgoing.blocks));
    Outgoing { messages, blocks, ..Outgoing::default() }
}

/// Sleeps for this time, or until there is a message to be sent, or another node rings.
pub(super) fn wait(time: Duration) {
    bell::sleep(time, || !OUTGOING.lock().messages.is_empty());
}
