//! What a thread that calls the runtime has of its own.

use super::{OUTSIDERS, Runtime};
use crate::graph::finish::Credit;
use crate::graph::{Graph, Refused, Worklist};
use crate::object::Caches;
use crate::object::data_block::DataBlock;
use crate::object::edt::{Edt, EdtRef};
use crate::object::guid::Guid;
use crate::report::tally::Tally;
use crate::sched::queues::Local;
use std::cell::Cell;
use std::collections::HashMap;
use std::ptr;
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
    /// The blocks that the current EDT (or the thread) created and has not released.
    pub held: *const DataBlock,
    /// The slots of an EDT with many, by block, once it has released one of them.
    pub slots_by_block: HashMap<Guid, u32>,
    /// The local storage of the EDT that runs.
    pub edt_local: [Guid; LOCAL_SLOTS],
    /// Whether it must be cleared for the next EDT.
    pub edt_local_used: bool,
    /// Whether it is counted in `OUTSIDERS`.
    outsider: bool,
    /// What was done.
    pub tally: Arc<Tally>,
}

/// `ELS_USER_SIZE`.
pub const LOCAL_SLOTS: usize = 4;

thread_local! {
    static CONTEXT: Cell<*mut Context> = const { Cell::new(ptr::null_mut()) };
    static OUTSIDER: Outsider = const { Outsider };
}

/// Ends the context of a thread that is not a worker, when the thread ends.
struct Outsider;

impl Drop for Outsider {
    fn drop(&mut self) {
        Context::leave();
    }
}

impl Context {
    /// Makes a context for this thread and enters it.
    pub fn enter(runtime: &'static Runtime, local: Option<Local>) -> *mut Context {
        let context = Box::into_raw(Box::new(Context {
            runtime,
            local,
            caches: Caches::default(),
            worklist: Worklist::default(),
            granted: Vec::new(),
            credit: Credit::default(),
            next: None,
            keep_next: false,
            queued: false,
            current: None,
            held: ptr::null(),
            slots_by_block: HashMap::new(),
            edt_local: [Guid::NULL; LOCAL_SLOTS],
            edt_local_used: false,
            outsider: false,
            tally: runtime.registry.join(),
        }));
        CONTEXT.set(context);
        context
    }

    /// Ends this thread's context, if it has one.
    pub fn leave() {
        // The thread may be past the life of its thread-local storage.
        let Ok(context) = CONTEXT.try_with(|context| context.replace(ptr::null_mut())) else {
            return;
        };
        if context.is_null() {
            return;
        }
        // SAFETY: `enter` made this box, and the cell that named it is cleared.
        let mut context = unsafe { Box::from_raw(context) };
        let runtime = context.runtime;
        context.release_held();
        context.work_off();
        runtime.objects.drain(&mut context.caches);
        let outsider = context.outsider;
        drop(context);
        if outsider {
            OUTSIDERS.fetch_sub(1, Ordering::SeqCst);
        }
    }

    /// The context of this thread; made now if it has none. `None` where no runtime runs.
    #[inline]
    pub fn get() -> Option<*mut Context> {
        let context = CONTEXT.get();
        match context.is_null() {
            false => Some(context),
            true => Context::enter_outsider(),
        }
    }

    #[cold]
    fn enter_outsider() -> Option<*mut Context> {
        // Counted before looking, so that what is found is not freed.
        OUTSIDERS.fetch_add(1, Ordering::SeqCst);
        let Some(runtime) = Runtime::current() else {
            OUTSIDERS.fetch_sub(1, Ordering::SeqCst);
            return None;
        };
        OUTSIDER.with(|_| {});
        let context = Context::enter(runtime, None);
        // SAFETY: just made, and this thread's.
        unsafe { (*context).outsider = true };
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
        loop {
            let mut some = self.graph().pass_on();
            while let Some(edt) = self.worklist.runnable.pop() {
                self.advance(edt.get());
                some = true;
            }
            while let Some(edt) = self.granted.pop() {
                self.was_granted(edt.get());
                some = true;
            }
            if !some {
                break;
            }
        }
        if std::mem::take(&mut self.queued) {
            self.runtime.queues.sleep.notify();
        }
    }

    /// Who holds what the running code creates.
    pub fn holder(&self) -> usize {
        match self.current {
            Some(edt) => EdtRef::new(edt).token(),
            None => ptr::from_ref(self) as usize,
        }
    }

    /// Satisfies an event with what an EDT returned: a block, nothing, or another event, which is
    /// then what the event waits for (OCR 1.1.0, 2.7).
    pub fn pass_result(&mut self, output: Guid, result: Guid) {
        let mut graph = self.graph();
        let answer = match result.is_event() {
            true => graph.add_dependence(result, output, 0, crate::object::edt::Mode::Rw),
            false if graph.check_source(result).is_ok() => {
                graph.satisfy_event(output, false, result)
            }
            false => Err(Refused::NoSuchObject),
        };
        if answer == Err(Refused::NoSuchObject) && !result.is_null() {
            // What was returned is no block or event (any more); the EDT has ended all the same.
            let _ = self.graph().satisfy_event(output, false, Guid::NULL);
        }
    }
}
