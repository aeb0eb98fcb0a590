//! A run on one of several nodes: what it does for the others.
//!
//! Each node counts one work in flight for the others, so that it does not come to a halt by itself. Node 0 takes that
//! back when all nodes rest ([`crate::engine::nodes::outbox::Handler`]); then a hang is found as on one node. It counts
//! it again before it sends or handles the next message.

use crate::check;
use crate::config::Settings;
use crate::engine::nodes::join::{Told, wait_for_end};
use crate::engine::nodes::outbox::{self, Handler};
use crate::engine::nodes::work::{Answer, Call, Work};
use crate::engine::process::watchdog;
use crate::engine::run::start::{Run, USAGE_STATUS};
use crate::engine::state::context::Context;
use crate::engine::state::fatal::exit_now;
use crate::engine::state::runtime::Runtime;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Receiver;

/// Makes a call for another node: the C boundary does.
static MAKE_CALL: OnceLock<fn(from: u32, call: Call) -> Answer> = OnceLock::new();

/// Whether this node counts a work in flight for the others. Swaps pair with each other: of the threads that change it,
/// one counts.
static IS_HELD: AtomicBool = AtomicBool::new(false);

/// Has calls of other nodes made so. Before a run begins.
pub(crate) fn make_calls_by(make: fn(from: u32, call: Call) -> Answer) {
    let _ = MAKE_CALL.set(make);
}

/// The run works for other nodes from here on, if there are any.
pub(super) fn open(runtime: &'static Runtime) {
    if crate::engine::nodes::ending::place().is_none() {
        return;
    }
    runtime.objects.data_blocks.partitions.look_out();
    // Each call has to be looked at: it may be about an object of another node.
    check::set_on(runtime.check.is_some(), true);
    IS_HELD.store(true, Ordering::SeqCst);
    runtime.begin_outside();
    outbox::open(Handler { work, rests, all_rest, goes_on });
}

/// Runs on another node than 0 until the program ends. Returns the status.
pub(super) fn serve(settings: Settings, told: &Receiver<Told>) -> i32 {
    let run = Run::begin(settings, false);
    let runtime = run.runtime();
    open(runtime);
    let watching = runtime.seats.start_other("ocr-watch", || watchdog::watch(runtime));
    let Ok(watching) = watching else {
        error!("the thread that looks for crashes cannot be started: a limit (ulimit -u, ulimit -v) leaves no thread");
        exit_now(USAGE_STATUS);
    };
    runtime.idle_threads.begin();
    runtime.end_outside();
    wait_for_end(told, || {
        runtime.shutdown();
        // A panic there has been printed; there is nothing to be done about it.
        let _ = watching.join();
        run.end();
    })
}

fn with_runtime<R>(none: R, act: impl FnOnce(&Runtime) -> R) -> R {
    Runtime::current().map_or(none, |runtime| act(&runtime))
}

fn rests() -> bool {
    with_runtime(false, |runtime| runtime.rests_but_for(IS_HELD.load(Ordering::SeqCst).into()))
}

fn goes_on() {
    with_runtime((), |runtime| {
        if !IS_HELD.swap(true, Ordering::SeqCst) {
            runtime.begin_outside();
        }
    });
}

/// On a thread of its own: what follows may end the program, for which the thread of the link is needed.
fn all_rest() {
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

/// Handles a message of another node, on the thread of the link.
fn work(from: u32, work: Work) {
    let work = match work {
        Work::Call { id, call } => {
            let answer = MAKE_CALL.get().map_or_else(Answer::default, |make| make(from, call));
            if id != 0 {
                outbox::post(from, Work::Answer { id, answer });
            }
            return;
        }
        work => work,
    };
    let Some(context) = Context::enter_call() else { return };
    {
        // SAFETY: `enter_call` has answered with the context of this thread, which is valid until it leaves the call.
        // Nothing else refers to it: this thread makes no call of the program's.
        let context = unsafe { &mut *context };
        match work {
            Work::Want(block) => context.block_is_wanted(from, block),
            Work::Content { block, size, offset, bytes } => context.content_comes(block, size, offset, &bytes),
            Work::NoBlock(block) => context.no_block_comes(block),
            Work::Recall(block) => context.block_is_recalled(from, block),
            Work::ScopeDone(scope) => context.leave_scope_from_elsewhere(scope),
            Work::Call { .. } | Work::Answer { .. } | Work::Look(_) | Work::Seen { .. } => {}
        }
    }
    Context::leave_call();
}
