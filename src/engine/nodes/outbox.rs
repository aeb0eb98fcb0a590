//! What the threads of this node hand to the thread of the link, and the answers that they wait for.
//!
//! Any thread puts messages here, in the order in which they are to arrive at a node. The thread of the link takes them
//! out, and sends those for one node together (`message.rs`). A call that another node must answer waits in [`ask`] for
//! that, on the caller's own thread. The answer never depends on that thread: the owner's thread of the link makes the
//! call, and waits for no other node.
//!
//! # The order of an EDT's calls
//!
//! What an EDT has done before it satisfies, creates or releases has happened for all that runs because of that, on any
//! node. Three things give that:
//!
//! - Messages from one node to another arrive and are handled in the order in which they are put here.
//! - A call that need not answer is *sent*: the EDT goes on, and the call is unconfirmed until its answer is here. All
//!   unconfirmed calls of an EDT are for one node, at which they happen in their order.
//! - The caller waits until they are confirmed ([`confirm`]) before it makes a call for a third node, or one on its own
//!   node that others can see, and when its function has returned.
//!
//! A chain of calls for one node costs one wait. What follows from a call never overtakes an earlier call of the EDT.

use crate::engine::nodes::ending;
use crate::engine::nodes::work::{Call, CallAnswer, NodeWork};
use ocr_base::lock::{Condvar, Mutex, rank};
use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

/// Messages that have not been sent, each with its receiver.
static MESSAGES: Mutex<rank::Outbox, VecDeque<(u32, NodeWork)>> = Mutex::new(VecDeque::new());

/// Wakes the thread of the link where it sleeps.
static ADDED: Condvar = Condvar::new();

/// The calls that have no answer yet. None when no answer will come any more.
static ASKED: Mutex<rank::AnswersAwaited, Option<HashMap<u64, Sender<CallAnswer>>>> = Mutex::new(None);

/// Numbers the calls; 0 is that of a call that is not answered.
static LAST: AtomicU64 = AtomicU64::new(0);

/// How many messages about work this node has sent and handled, and the bytes of blocks among those that it has sent.
/// SeqCst: a message is counted before it can have an effect elsewhere, and when its effect here can be seen.
static SENT: AtomicU64 = AtomicU64::new(0);
static HANDLED: AtomicU64 = AtomicU64::new(0);
static BYTES: AtomicU64 = AtomicU64::new(0);

/// What a run does for other nodes. The thread of the link calls it.
#[derive(Clone, Copy)]
pub(crate) struct WorkHandler {
    /// Handles a message.
    pub(crate) work: fn(from: u32, work: NodeWork),
    /// Whether nothing happens on this node before a message comes.
    pub(crate) rests: fn() -> bool,
    /// On node 0: nothing happens on any node any more.
    pub(crate) all_rest: fn(),
    /// Something may happen again: a message is about to be sent or handled.
    pub(crate) goes_on: fn(),
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
    *ASKED.lock() = None;
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
    if work.is_counted() {
        if let Some(handler) = handler() {
            (handler.goes_on)();
        }
        SENT.fetch_add(1, Ordering::SeqCst);
    }
    if let NodeWork::Content { bytes, .. } = &work {
        BYTES.fetch_add(bytes.len() as u64, Ordering::Relaxed);
    }
    MESSAGES.lock().push_back((to, work));
    ADDED.notify_one();
}

/// Has the owner of an object make a call. None where the program ends. Else the answer comes, or the program ends.
fn call(to: u32, call: Call) -> Option<Receiver<CallAnswer>> {
    let (tell, told) = channel();
    let id = LAST.fetch_add(1, Ordering::Relaxed) + 1;
    ASKED.lock().as_mut()?.insert(id, tell);
    post(to, NodeWork::Call { id, call });
    Some(told)
}

/// Has the owner of an object make a call, and waits for its answer. None where the program ends before that comes.
pub(crate) fn ask(to: u32, asked: Call) -> Option<CallAnswer> {
    call(to, asked)?.recv().ok()
}

/// A call that was sent, and whose answer nobody has looked at.
struct Unconfirmed {
    owner: u32,
    /// The function that the program has called.
    called: &'static str,
    answer: Receiver<CallAnswer>,
}

thread_local! {
    /// The unconfirmed calls of the EDT that this thread runs, all for one node.
    static UNCONFIRMED: RefCell<Vec<Unconfirmed>> = const { RefCell::new(Vec::new()) };
}

/// A call that was sent and that its owner has refused.
pub(crate) struct Refused {
    pub(crate) owner: u32,
    /// The function that the program has called.
    pub(crate) called: &'static str,
    /// The status code.
    pub(crate) status: u32,
}

/// The node for which calls of this thread's EDT are unconfirmed. A thread that ends, and calls once more, has none.
pub(crate) fn unconfirmed() -> Option<u32> {
    UNCONFIRMED.try_with(|calls| calls.borrow().first().map(|call| call.owner)).ok().flatten()
}

/// Has the owner of an object make a call, and goes on. The thread runs an EDT, whose unconfirmed calls are for this
/// owner, if there are any. How many of them there are now.
pub(crate) fn send(to: u32, called: &'static str, sent: Call) -> usize {
    debug_assert!(unconfirmed().is_none_or(|owner| owner == to), "unconfirmed calls are for one node");
    let Some(answer) = call(to, sent) else { return 0 };
    UNCONFIRMED.with_borrow_mut(|calls| {
        calls.push(Unconfirmed { owner: to, called, answer });
        calls.len()
    })
}

/// Waits until this thread's calls are confirmed. Those that were refused, in their order. A call whose answer does not
/// come, since the program ends, has succeeded as far as anybody can tell.
pub(crate) fn confirm() -> Vec<Refused> {
    let calls = UNCONFIRMED.take();
    let refused = |call: Unconfirmed| {
        let status = call.answer.recv().ok()?.status;
        (status != 0).then_some(Refused { owner: call.owner, called: call.called, status })
    };
    calls.into_iter().filter_map(refused).collect()
}

/// An answer has come.
pub(super) fn answered(id: u64, answer: CallAnswer) {
    let asked = ASKED.lock().as_mut().and_then(|asked| asked.remove(&id));
    // Nobody waits for it where the program ends.
    if let Some(tell) = asked {
        let _ = tell.send(answer);
    }
}

/// Whether calls wait for answers.
pub(super) fn is_awaited() -> bool {
    ASKED.lock().as_ref().is_some_and(|asked| !asked.is_empty())
}

/// A message about work was handled.
pub(super) fn note_handled() {
    HANDLED.fetch_add(1, Ordering::SeqCst);
}

/// How many messages about work this node has sent and handled, and how many bytes of blocks it has sent.
pub(crate) fn counts() -> (u64, u64, u64) {
    // Handled first: what is handled meanwhile may have sent more, and is seen in the next round.
    let handled = HANDLED.load(Ordering::SeqCst);
    (SENT.load(Ordering::SeqCst), handled, BYTES.load(Ordering::Relaxed))
}

/// Takes the messages that wait to be sent.
pub(super) fn take() -> VecDeque<(u32, NodeWork)> {
    std::mem::take(&mut *MESSAGES.lock())
}

/// Sleeps for this time, or until there is a message to be sent.
pub(super) fn wait(time: Duration) {
    let mut messages = MESSAGES.lock();
    if messages.is_empty() {
        ADDED.wait_for(&mut messages, time);
    }
}
