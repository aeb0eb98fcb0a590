//! What a thread that calls the runtime has of its own.

use crate::check::history::Who;
use crate::engine::state::attempt::Attempt;
use crate::engine::state::belongings::{Belongings, HeldBlocks};
use crate::engine::state::chained::ChainedLaunches;
use crate::engine::state::contents::Contents;
use crate::engine::state::runtime::Runtime;
use crate::engine::state::seats::Seating;
use crate::graph::finish::Credit;
use crate::graph::{Graph, Worklist};
use crate::memory::Leases;
use crate::object::Caches;
use crate::object::code::Code;
use crate::object::data_block::DataBlock;
use crate::object::edt::{Edt, EdtRef};
use crate::object::scope::Scope;
use crate::report::tally::Tally;
use crate::sched::queues::Local;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// A thread's part of the runtime.
pub(crate) struct Context {
    /// The run that the thread calls, which lives at least as long as this.
    pub runtime: &'static Runtime,
    /// A worker's end of the queues; none for other threads.
    pub local: Option<Local>,
    /// Free slots of each kind of object, for this thread alone.
    pub caches: Caches,
    /// What the last step leads to.
    pub steps: Steps,
    /// What the thread holds of blocks that many EDTs use.
    pub leases: Leases,
    /// What the blocks of the EDT that runs contained, where the run is recorded.
    pub(crate) contents: Contents,
    /// What the thread holds of finish scopes.
    pub credit: Credit,
    /// The EDT whose function the thread runs, or that waits in a call on it.
    pub current: Option<&'static Edt>,
    /// The finish scope of an EDT that is created for another node, while it is; null otherwise.
    pub(crate) scope_elsewhere: *const Scope,
    /// The EDT in whose call the runtime creates one of its own, which is not to be in that one's finish scope.
    pub on_behalf_of: Option<&'static Edt>,
    /// In strict mode, who has made the call that the thread makes for another node.
    pub(crate) on_behalf_of_node: Option<Who>,
    /// The blocks that the current EDT (or the thread) created and has not released.
    pub held: HeldBlocks,
    /// What the EDT that runs has for itself until it ends.
    pub belongings: Belongings,
    /// What the attempt of the EDT that runs has done, where EDTs run as attempts.
    pub(crate) attempt: Option<Box<Attempt>>,
    /// The EDT that this worker is to run, too, while a device runs it.
    pub(crate) duplicate: Option<usize>,
    /// Parts of blocks that must be disposed of.
    pub(crate) unused_parts: UnusedParts,
    /// How the thread waits in calls, and its seat.
    pub seat: OwnSeat,
    /// Whether the thread is a device's manager.
    pub is_manager: bool,
    /// On a device manager's thread, the kernels that were enqueued ahead.
    pub(crate) chained: ChainedLaunches,
    /// Keeps the runtime, for a thread that is not a worker.
    pub(crate) keeper: Option<Arc<Runtime>>,
    /// What the thread has done and does, for reports and snapshots.
    pub tally: Arc<Tally>,
}

/// What a step leads to, which the thread works off before its call returns (`life/drive.rs`).
pub(crate) struct Steps {
    /// What triggers and becomes runnable.
    pub worklist: Worklist,
    /// EDTs that were granted a block they waited for.
    pub granted: Vec<EdtRef>,
    /// The EDT to run next.
    pub next: Option<EdtRef>,
    /// Whether an EDT that becomes ready now may become `next`: between two EDTs.
    pub keep_next: bool,
    /// Whether an EDT was queued of which no other thread knows yet.
    pub queued: bool,
}

impl Steps {
    /// No steps. In strict mode, the worklist says more of what it did.
    fn new(is_strict: bool) -> Steps {
        Steps { worklist: Worklist::new(is_strict), granted: Vec::new(), next: None, keep_next: false, queued: false }
    }

    /// Whether there is something to be worked off.
    #[inline]
    pub(crate) fn are_pending(&self) -> bool {
        !self.worklist.is_empty() || !self.granted.is_empty() || self.queued
    }
}

/// Parts of blocks that no EDT uses any more, while others of them are disposed of (`life/dispose.rs`).
#[derive(Default)]
pub(crate) struct UnusedParts {
    pub(crate) parts: Vec<&'static DataBlock>,
    /// Whether the thread disposes of parts now, so that `parts` takes what comes of that.
    pub(crate) disposing: bool,
}

/// How a thread waits in calls (`workers/wait.rs`), and whether it has a seat then (`workers/seats.rs`).
#[derive(Default)]
pub(crate) struct OwnSeat {
    /// Whether the thread has left its seat to another while its EDT waited.
    pub seating: Seating,
    /// The last round in which it has looked in vain at the end.
    pub looked_in: u64,
    /// How often the thread has waited in a call: for an event, for others to stand still, or by looking again and
    /// again.
    pub waits: u64,
}

impl Context {
    pub(crate) fn new(runtime: &'static Runtime, local: Option<Local>) -> *mut Context {
        let context = Box::into_raw(Box::new(Context {
            runtime,
            local,
            caches: Caches::keeping(*runtime.settings.gone_events),
            steps: Steps::new(runtime.check.is_some()),
            leases: match runtime.check {
                None => Leases::default(),
                Some(_) => Leases::never(),
            },
            contents: Contents::default(),
            credit: Credit::default(),
            current: None,
            scope_elsewhere: ptr::null(),
            on_behalf_of: None,
            on_behalf_of_node: None,
            held: HeldBlocks::default(),
            belongings: Belongings::default(),
            attempt: None,
            duplicate: None,
            unused_parts: UnusedParts::default(),
            seat: OwnSeat::default(),
            is_manager: false,
            chained: ChainedLaunches::default(),
            keeper: None,
            tally: runtime.registry.join(),
        }));
        // SAFETY: the box was made just now and is known by this pointer alone, so it is alive and no thread writes it.
        let this = unsafe { &*context };
        let now = &this.tally.now;
        now.worker.store(this.local.is_some(), Ordering::Relaxed);
        now.holder.store(context as usize, Ordering::Relaxed);
        context
    }

    /// The graph, as this thread works on it.
    #[inline]
    pub(crate) fn graph(&mut self) -> Graph<'_> {
        Graph { objects: &self.runtime.objects, caches: &mut self.caches, work: &mut self.steps.worklist }
    }

    /// What the EDT runs that runs on this thread, or null.
    #[inline]
    pub(crate) fn current_work(&self) -> *const Code {
        self.current.map_or(ptr::null(), |edt| edt.work.get())
    }

    /// The holder of what the running code creates.
    pub(crate) fn holder(&self) -> usize {
        match self.current {
            Some(edt) => EdtRef::new(edt).token(),
            None => ptr::from_ref(self) as usize,
        }
    }
}
