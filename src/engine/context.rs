//! What a thread that calls the runtime has of its own.

use super::Runtime;
use super::ahead::Ahead;
use super::blocks::Answered;
use super::departure;
use super::early::{Early, RESULT};
use super::seats::Away;
use super::stack::SignalStack;
use crate::check::history::Who;
use crate::graph::finish::Credit;
use crate::graph::{Call, Dependence, Graph, Refused, Worklist};
use crate::memory::Leases;
use crate::object::Caches;
use crate::object::data_block::DataBlock;
use crate::object::edt::{Edt, EdtRef, Mode};
use crate::object::guid::Guid;
use crate::report::tally::Tally;
use crate::sched::queues::Local;
use crate::sched::reclaim::begin_worker;
use std::cell::Cell;
use std::collections::HashMap;
use std::ptr::{self, NonNull};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// A thread's part of the runtime.
pub struct Context {
    /// The runtime.
    pub runtime: &'static Runtime,
    /// A worker's end of the queues; none for other threads.
    pub local: Option<Local>,
    /// The thread's free slots.
    pub caches: Caches,
    /// What the last step leads to.
    pub worklist: Worklist,
    /// EDTs that were granted a block they waited for.
    pub granted: Vec<EdtRef>,
    /// What the thread holds of blocks that many EDTs use.
    pub leases: Leases,
    /// What the thread holds of finish scopes.
    pub credit: Credit,
    /// The EDT to run next.
    pub next: Option<EdtRef>,
    /// Whether an EDT that becomes ready now may become `next`: between two EDTs.
    pub keep_next: bool,
    /// Whether an EDT was queued that nobody has been told of.
    pub queued: bool,
    /// The EDT that runs.
    pub current: Option<&'static Edt>,
    /// The EDT in whose call the runtime creates one of its own, which is not to be in that one's finish scope.
    pub on_behalf_of: Option<&'static Edt>,
    /// The blocks that the current EDT (or the thread) created and has not released.
    pub held: *const DataBlock,
    /// The blocks that it got by waiting for an event.
    pub answered: Answered,
    /// The slots of an EDT with many, by block, once it has released one of them.
    pub slots_by_block: HashMap<Guid, u32>,
    /// Parts of blocks that nobody uses any more, while others of them are disposed of.
    pub(super) unused_parts: Vec<&'static DataBlock>,
    /// Whether that happens now.
    pub(super) disposing: bool,
    /// The local storage of the EDT that runs.
    pub edt_local: [Guid; LOCAL_SLOTS],
    /// Completion events that the EDT that runs was given.
    pub(super) completions: Vec<Guid>,
    /// Whether it has a group open (`by_value.rs`).
    pub in_group: bool,
    /// Whether its end has to see to one of these (`end_belongings`).
    pub has_belongings: bool,
    /// Whether the thread has left its seat to another while its EDT waited.
    pub away: Away,
    /// The last round in which it has looked in vain at the end (`seats.rs`).
    pub looked_in: u64,
    /// Whether the thread is a device's manager.
    pub is_manager: bool,
    /// On a device manager's thread, the kernels that were enqueued ahead.
    pub(super) ahead: Ahead,
    /// For a thread that is not a worker, whose stack may be found full, too.
    signals: Option<SignalStack>,
    /// Keeps the runtime, for a thread that is not a worker.
    keeper: Option<Arc<Runtime>>,
    /// What was done.
    pub tally: Arc<Tally>,
}

/// `ELS_USER_SIZE`.
pub const LOCAL_SLOTS: usize = crate::check::calls::LOCAL_SLOTS as usize;

thread_local! {
    /// The context of a worker.
    static CONTEXT: Cell<*mut Context> = const { Cell::new(ptr::null_mut()) };
    /// The context of another thread. It may be of a runtime that has ended since. When the thread ends,
    /// `departure` has it ended, as late as can be: destructors of the program's may still call the runtime.
    static OUTSIDER: Cell<*mut Context> = const { Cell::new(ptr::null_mut()) };
}

impl Context {
    fn new(runtime: &'static Runtime, local: Option<Local>) -> *mut Context {
        let context = Box::into_raw(Box::new(Context {
            runtime,
            local,
            caches: Caches::default(),
            worklist: Worklist::new(runtime.check.is_some()),
            granted: Vec::new(),
            leases: match runtime.check {
                None => Leases::default(),
                Some(_) => Leases::never(),
            },
            credit: Credit::default(),
            next: None,
            keep_next: false,
            queued: false,
            current: None,
            on_behalf_of: None,
            held: ptr::null(),
            answered: Answered::default(),
            slots_by_block: HashMap::new(),
            unused_parts: Vec::new(),
            disposing: false,
            edt_local: [Guid::NULL; LOCAL_SLOTS],
            completions: Vec::new(),
            in_group: false,
            has_belongings: false,
            away: Away::No,
            looked_in: 0,
            is_manager: false,
            ahead: Ahead::default(),
            signals: None,
            keeper: None,
            tally: runtime.registry.join(),
        }));
        // SAFETY: just made, and this thread's.
        let this = unsafe { &*context };
        let now = &this.tally.now;
        now.worker.store(this.local.is_some(), Ordering::Relaxed);
        now.holder.store(context as usize, Ordering::Relaxed);
        context
    }

    /// Makes a context for this worker and enters it.
    pub fn enter(runtime: &'static Runtime, local: Local) -> *mut Context {
        begin_worker();
        let context = Context::new(runtime, Some(local));
        CONTEXT.set(context);
        context
    }

    /// Ends this thread's context, if it has one.
    pub fn leave() {
        Context::end(CONTEXT.replace(ptr::null_mut()), true);
        let outsider = OUTSIDER.get();
        // SAFETY: the context is this thread's.
        if let Some(this) = unsafe { outsider.as_ref() } {
            // A call of its own, which is over when the context has ended.
            let goes_on = this.tally.now.calls.enter(|| this.runtime.is_current());
            OUTSIDER.set(ptr::null_mut());
            Context::end(outsider, goes_on);
        }
    }

    /// Ends a context that this thread had and has forgotten; nothing if it is null. Where its run does not go on,
    /// objects are left as they are.
    fn end(context: *mut Context, goes_on: bool) {
        if context.is_null() {
            return;
        }
        // SAFETY: `new` made this box, and the cell that named it is cleared.
        let mut context = unsafe { Box::from_raw(context) };
        let runtime = context.runtime;
        if context.has_paused() {
            if !runtime.end.is_ending() {
                tell!(
                    "ocr: warning: a thread has ended without ocrResume after its ocrPause; the \
                     runtime goes on"
                );
            }
            context.resume();
        }
        if goes_on {
            context.release_held();
            context.work_off();
        }
        runtime.objects.drain(&mut context.caches);
        let now = &context.tally.now;
        now.holder.store(0, Ordering::Relaxed);
        now.calls.leave_all();
        runtime.registry.leave(&context.tally);
        // The runtime may go with the keeper: after everything that refers to it.
        let keeper = context.keeper.take();
        drop(context);
        drop(keeper);
    }

    /// The context of this thread; made now if it has none. `None` where no runtime runs.
    #[inline]
    pub fn get() -> Option<*mut Context> {
        let context = CONTEXT.get();
        match context.is_null() {
            false => Some(context),
            true => Context::of_outsider(),
        }
    }

    /// The context of this thread for a call, until [`Context::leave_call`]. `None` where no runtime runs.
    ///
    /// Other threads than workers say that they are in one (`sched/calls.rs`).
    #[inline(always)]
    pub fn enter_call() -> Option<*mut Context> {
        let context = CONTEXT.get();
        match context.is_null() {
            false => Some(context),
            true => Context::enter_call_outside(),
        }
    }

    /// The call is over.
    #[inline(always)]
    pub fn leave_call() {
        if CONTEXT.get().is_null() {
            Context::leave_call_outside();
        }
    }

    fn enter_call_outside() -> Option<*mut Context> {
        let context = Context::of_outsider()?;
        // SAFETY: the context is this thread's.
        let this = unsafe { &*context };
        let enters = this.tally.now.calls.enter(|| this.runtime.is_current());
        enters.then_some(context)
    }

    fn leave_call_outside() {
        // SAFETY: the context is this thread's; `Context::leave` may have ended it.
        if let Some(this) = unsafe { OUTSIDER.get().as_ref() } {
            this.tally.now.calls.leave();
        }
    }

    /// A call has panicked, and with it, perhaps, those around it.
    #[cold]
    pub fn leave_calls() {
        // SAFETY: as above.
        if let Some(this) = unsafe { OUTSIDER.get().as_ref() } {
            this.tally.now.calls.leave_all();
        }
    }

    /// Whether this thread is a worker.
    pub(super) fn is_worker_here() -> bool {
        !CONTEXT.get().is_null()
    }

    /// The EDT that this thread runs, for a signal handler.
    pub(super) fn running_here() -> Option<&'static Edt> {
        let context = NonNull::new(CONTEXT.get())?;
        // SAFETY: the context is this thread's and alive; nothing is read.
        let current = unsafe { &raw const (*context.as_ptr()).current };
        // SAFETY: a field of the context, of this thread alone.
        unsafe { current.read_volatile() }
    }

    /// The runtime, on a thread that runs EDTs, for a signal handler.
    pub(super) fn runtime_here() -> Option<&'static Runtime> {
        let context = NonNull::new(CONTEXT.get())?;
        // SAFETY: as in `running_here`.
        let runtime = unsafe { &raw const (*context.as_ptr()).runtime };
        // SAFETY: as in `running_here`.
        Some(unsafe { runtime.read_volatile() })
    }

    /// The context of a thread that is not a worker.
    fn of_outsider() -> Option<*mut Context> {
        let context = OUTSIDER.get();
        // SAFETY: the context is this thread's, and nothing refers to it here.
        if let Some(this) = unsafe { context.as_ref() } {
            if this.runtime.is_current() {
                return Some(context);
            }
            // A program with its own `main` has ended that runtime.
            Context::leave();
        }
        Context::enter_outsider()
    }

    #[cold]
    fn enter_outsider() -> Option<*mut Context> {
        let runtime = Runtime::current()?;
        // SAFETY: the context, which alone gets this reference, keeps the runtime.
        let this: &'static Runtime = unsafe { &*Arc::as_ptr(&runtime) };
        let context = Context::new(this, None);
        // SAFETY: just made, and this thread's.
        let new = unsafe { &mut *context };
        new.keeper = Some(runtime);
        // Where the library has the `main`, its thread does none of the program's; to ask for its stack takes long.
        // SAFETY: a plain call.
        let is_main = unsafe { libc::gettid() } as u32 == std::process::id();
        new.signals = match is_main && !this.legacy {
            true => None,
            false => SignalStack::begin(),
        };
        OUTSIDER.set(context);
        departure::watch_thread();
        Some(context)
    }

    /// The graph, as this thread works on it.
    #[inline]
    pub fn graph(&mut self) -> Graph<'_> {
        Graph {
            objects: &self.runtime.objects,
            caches: &mut self.caches,
            work: &mut self.worklist,
        }
    }

    /// Works on the graph, then works off what that leads to.
    #[inline]
    pub fn with_graph<R>(&mut self, f: impl FnOnce(&mut Graph<'_>) -> R) -> R {
        let result = f(&mut self.graph());
        self.work_off();
        result
    }

    /// Works off everything that the last step has led to, and tells a sleeping worker if there is
    /// something for it. Every call of the runtime ends with this.
    #[inline]
    pub fn work_off(&mut self) {
        if !self.worklist.is_empty() || !self.granted.is_empty() || self.queued {
            self.work_off_some();
        }
    }

    /// Apart from `work_off`, which is then small enough to be part of its callers.
    #[inline(never)]
    fn work_off_some(&mut self) {
        loop {
            self.graph().pass_on();
            if self
                .worklist
                .untaken
                .as_ref()
                .is_some_and(|events| !events.is_empty())
            {
                self.tell_untaken();
            }
            while let Some(edt) = self.worklist.runnable.pop() {
                self.advance(edt.get());
            }
            while let Some(edt) = self.granted.pop() {
                self.was_granted(edt.get());
            }
            if !self.worklist.for_openers.is_empty() {
                self.leave_to_openers();
            }
            // For each batch: what is behind a wide event takes its time.
            if std::mem::take(&mut self.queued) {
                self.runtime.queues.sleep.notify();
            }
            if self.worklist.is_empty() && self.granted.is_empty() {
                break;
            }
        }
    }

    /// Who holds what the running code creates.
    pub fn holder(&self) -> usize {
        match self.current {
            Some(edt) => EdtRef::new(edt).token(),
            None => ptr::from_ref(self) as usize,
        }
    }

    /// Satisfies an event with what `edt` returned, or the EDT of a scope: a block, nothing, or another
    /// event, which is then what the event waits for (OCR 1.1.0, 2.7).
    #[inline]
    pub fn pass_result(&mut self, who: Option<Who>, output: Guid, result: Guid) {
        if output.is_null() {
            return;
        }
        let who = who.unwrap_or(Who::NOBODY);
        if result.is_event() {
            self.pass_event(who, output, result);
        } else if result.is_null() || self.graph().check_source(result).is_ok() {
            if self.graph().pass_to_event(output, false, result).is_err() {
                self.result_untaken(who, output);
            }
        } else {
            self.pass_other(who, output, result);
        }
    }

    /// Ends an EDT that has its output event in itself, and satisfies that as `pass_result` does.
    #[inline]
    pub fn end_with_output(&mut self, edt: &Edt, result: Guid) {
        let mut graph = self.graph();
        if !result.is_event() && (result.is_null() || graph.check_source(result).is_ok()) {
            graph.end_with_output(edt, result);
            return;
        }
        // The slot is the output event's from here on.
        let who = Who::of(edt);
        if let Some(output) = graph.leave_to_output(edt) {
            match result.is_event() {
                true => self.pass_event(who, output, result),
                false => self.pass_other(who, output, result),
            }
        }
    }

    /// Has the output event depend on an event that an EDT has returned.
    fn pass_event(&mut self, who: Who, output: Guid, result: Guid) {
        let mut graph = self.graph();
        if let Err(why) = graph.add_dependence(result, output, 0, Mode::Rw) {
            let call = Call::Dependence(Dependence {
                source: result,
                post_slot: 0,
                destination: output,
                slot: 0,
                mode: Mode::Rw,
            });
            self.pass_early(who, why, call);
        }
    }

    /// An EDT has returned something that is no event and no block that is there.
    #[cold]
    fn pass_other(&mut self, who: Who, output: Guid, result: Guid) {
        if !result.is_data_block() {
            let _ = self.graph().pass_to_event(output, false, Guid::NULL);
            return;
        }
        let call = Call::Satisfaction {
            event: output,
            increment: false,
            data: result,
            called: false,
        };
        self.pass_early(who, Refused::NoSuchObject, call);
    }

    /// An output event cannot have what an EDT returned: that may be a label without object, which is
    /// waited for. Otherwise the EDT has ended all the same.
    #[cold]
    fn pass_early(&mut self, who: Who, why: Refused, call: Call) {
        let early = Early::from(RESULT, call, who);
        if let Err(why) = self.make_early(why, early) {
            self.no_result(who, call, why);
        }
    }
}
