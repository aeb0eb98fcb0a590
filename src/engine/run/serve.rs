//! A run on one of several nodes: what it does for the others.
//!
//! Each node counts one work in flight for the others, so that it does not come to a halt by itself. Node 0 takes that
//! back when all nodes rest ([`WorkHandler`]); then a hang is found as on one node. It counts
//! it again before it sends or handles the next message.

use crate::check;
use crate::check::history::{OtherCaller, Who};
use crate::engine::nodes::outbox::{self, IdleWorkers, WorkHandler};
use crate::engine::nodes::work::{Call, CallAnswer, Caller, NodeWork};
use crate::engine::nodes::{drain, ending, join};
use crate::engine::process::exit;
use crate::engine::state::context::Context;
use crate::engine::state::fatal::handle_on_link;
use crate::engine::state::runtime::Runtime;
use crate::link::block::BlockBytes;
use crate::object::guid::Guid;
use std::cell::RefCell;
use std::collections::HashSet;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// Makes a call for another node: the C boundary does.
static MAKE_CALL: OnceLock<MakeCall> = OnceLock::new();

/// Makes a call for another node. None where its answer, by this number, has been given or comes later.
type MakeCall = fn(from: u32, id: u64, call: Call) -> Option<CallAnswer>;

/// Whether this node counts a work in flight for the others. Swaps pair with each other: of the threads that change it,
/// one counts.
static IS_HELD: AtomicBool = AtomicBool::new(false);

/// Has calls of other nodes made so. Before a run begins.
pub(crate) fn make_calls_by(make: MakeCall) {
    let _ = MAKE_CALL.set(make);
}

/// The run works for other nodes from here on, if there are any.
pub(super) fn open(runtime: &'static Runtime) {
    if ending::place().is_none() {
        return;
    }
    runtime.objects.data_blocks.partitions.look_out();
    // Each call has to be looked at: it may be about an object of another node.
    check::set_on(runtime.check.is_some(), true);
    check::set_on_several_nodes();
    join::before_exit(exit::end_in_run);
    IS_HELD.store(true, Ordering::SeqCst);
    runtime.begin_outside();
    let work = |from, work| handle_on_link(|| handle(from, work));
    let let_go = |held| on_link(|context| context.let_go(held));
    outbox::open(WorkHandler { work, place, rests, all_rest, goes_on, has_ended, idle, let_go });
}

fn with_runtime<R>(none: R, act: impl FnOnce(&Runtime) -> R) -> R {
    Runtime::current().map_or(none, |runtime| act(&runtime))
}

fn rests() -> bool {
    let held = u64::from(IS_HELD.load(Ordering::SeqCst));
    with_runtime(false, |runtime| {
        if runtime.end.is_ending() {
            return runtime.rests_at_end();
        }
        // A thread of the program may call the runtime at any time.
        runtime.rests_but_for(held) && runtime.is_left_to(held as usize)
    })
}

fn has_ended() -> bool {
    with_runtime(false, |runtime| runtime.seats.have_ended())
}

/// The run ends, and nothing will come from other nodes that an EDT may wait for.
fn hear_nothing(runtime: &Runtime) {
    if !runtime.end.hear_nothing() {
        return;
    }
    drain::others().for_each(|node| outbox::post(node, NodeWork::NothingComes));
    if IS_HELD.swap(false, Ordering::SeqCst) {
        runtime.end_outside();
    }
    runtime.cancel_if_over();
}

fn idle() -> IdleWorkers {
    with_runtime(IdleWorkers { sleep: true, search: false }, |runtime| {
        let state = runtime.queues.sleep.state();
        IdleWorkers { sleep: state.sleeping() > 0, search: state.searching() > 0 }
    })
}

fn goes_on() {
    with_runtime((), |runtime| {
        if !runtime.end.hears_nothing() && !IS_HELD.swap(true, Ordering::SeqCst) {
            runtime.begin_outside();
        }
    });
}

/// On a thread of its own, unless the run ends: what follows may end the program, for which the thread of the link is
/// needed.
fn all_rest() {
    let ends = with_runtime(false, |runtime| {
        let ends = runtime.end.is_ending();
        if ends {
            hear_nothing(runtime);
        }
        ends
    });
    if ends {
        return;
    }
    let let_go = || {
        with_runtime((), |runtime| {
            if IS_HELD.swap(false, Ordering::SeqCst) {
                runtime.end_outside();
            }
        });
    };
    // Without one more thread, it is tried after the next look.
    let _ = std::thread::Builder::new().name("ocr-nodes-rest".into()).spawn(let_go);
}

/// The caller of a call that comes from another node. Names of functions are kept as long as the process lives: there
/// are as many as the program has functions.
fn caller_of(node: u32, by: &Caller) -> Who {
    thread_local! {
        static NAMES: RefCell<HashSet<&'static str>> = RefCell::default();
    }
    let name = NAMES.with_borrow_mut(|names| {
        if let Some(name) = names.get(by.name.as_str()) {
            return *name;
        }
        let name: &'static str = by.name.clone().leak();
        names.insert(name);
        name
    });
    Who { edt: by.edt, elsewhere: Some(OtherCaller { node, name }), ..Who::NOBODY }
}

/// Handles a message of another node, on the thread of the link.
fn handle(from: u32, work: NodeWork) {
    let work = match work {
        NodeWork::Call { id, by, call } => {
            if let Some(by) = by {
                with_context(|context| context.on_behalf_of_node = Some(caller_of(from, &by)));
            }
            if let Some(answer) = MAKE_CALL.get().and_then(|make| make(from, id, call)) {
                outbox::answer(from, id, answer);
            }
            if check::is_on() {
                with_context(|context| context.on_behalf_of_node = None);
            }
            return;
        }
        work => work,
    };
    with_context(|context| match work {
        NodeWork::Want { block, reads } => context.block_is_wanted(from, block, reads),
        NodeWork::Content { block, reads, bytes, .. } => context.content_comes(block, reads, bytes.as_deref()),
        NodeWork::NoBlock(block) => context.no_block_comes(block),
        NodeWork::Recall(block) => context.block_is_recalled(from, block),
        NodeWork::Left(block) => context.reader_has_left(from, block),
        NodeWork::ScopeDone { scope, edts } => context.leave_scope_from_elsewhere(scope, edts),
        NodeWork::LetGo(edts) => context.let_go(edts),
        NodeWork::Gone(edts) => context.take_back_lent(&edts),
        NodeWork::Ending => context.runtime.shutdown(),
        NodeWork::NothingComes => hear_nothing(context.runtime),
        NodeWork::Call { .. }
        | NodeWork::Answer { .. }
        | NodeWork::Confirmed(_)
        | NodeWork::Ended
        | NodeWork::Look(_)
        | NodeWork::Seen { .. } => {}
    });
}

/// Where the content of a block is to be brought.
fn place(block: Guid, size: u64, reads: bool) -> Option<BlockBytes> {
    let mut place = None;
    on_link(|context| place = Some(context.place_for(block, size, reads)));
    place
}

/// Does something with an answer, on the thread of the link.
pub(crate) fn on_link(act: impl FnOnce(&mut Context)) {
    handle_on_link(|| with_context(act));
}

/// Acts as a call does, on the thread of the link.
fn with_context(act: impl FnOnce(&mut Context)) {
    let Some(context) = Context::enter_call() else { return };
    // SAFETY: `enter_call` has answered with the context of this thread, which is valid until it leaves the call.
    // Nothing else refers to it: this thread makes no call of the program's.
    act(unsafe { &mut *context });
    Context::leave_call();
}
