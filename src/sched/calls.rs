//! The calls of threads that are no workers: each is one of the program's own, or a device's manager that works on the
//! graph.
//!
//! Workers need none of this: a run ends behind them. Other threads may be anywhere in a call when it ends, so:
//!
//! | thread | does |
//! |---|---|
//! | a thread that calls | counts itself in, then asks whether the run goes on; if not, it counts itself out and is refused |
//! | the thread that ends the run, where strict mode is to look at what is left | says that the run does not go on, then waits until no thread is counted in |
//! | a thread that waits for an event when no EDT runs any more | asks whether others act, then whether its answer has come, or comes for sure; if neither, it gives up |
//!
//! *The thread that ends the run is alone.* Between counting and asking, and between saying and looking, stand
//! sequentially consistent fences: of a thread that calls and one that ends the run, at least one sees the other. So a
//! thread that got the answer that the run goes on is waited for; the store by which it counts itself out has what it
//! has done behind it.
//!
//! *No answer is lost.* What leads to the answer was begun before the run ended, by a worker, which has worked it off
//! when no EDT runs any more, or in a call of another thread. If that is not seen to act it has counted itself out
//! before, with the answer behind it, and the waiting thread finds that, since it asks for it afterwards. No fence
//! stands on this way. A call that the end of the run follows from is seen to act, or to be over, since all that it did
//! before is: through the graph, and the end of the run, which the waiting thread has seen. With any other, nothing
//! says which was first, that call or giving up.
//!
//! A thread that only waits in its call for an event leads to nothing meanwhile: it is *idle*.
//! Calls are one inside the other where a creator of a map, a function of the program, calls the runtime.

use ocr_base::sync::{AtomicBool, AtomicU32, Ordering, fence};

/// In how many calls a thread is, one inside the other. It alone writes this.
#[derive(Default)]
pub struct Calls {
    count: AtomicU32,
    /// In its innermost call the thread only waits.
    idle: AtomicBool,
}

impl Calls {
    /// A call begins, if the run `goes_on`. Whether it does.
    pub fn enter(&self, goes_on: impl FnOnce() -> bool) -> bool {
        let count = self.count.load(Ordering::Relaxed);
        self.count.store(count + 1, Ordering::Relaxed);
        self.idle.store(false, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        let enters = goes_on();
        if !enters {
            self.leave();
        }
        enters
    }

    /// Notes that the innermost call has ended.
    pub fn leave(&self) {
        let count = self.count.load(Ordering::Relaxed);
        self.count.store(count.saturating_sub(1), Ordering::Release);
    }

    /// Ends all calls of the thread: one has panicked, or the thread leaves.
    pub fn leave_all(&self) {
        self.count.store(0, Ordering::Release);
    }

    /// Whether it only waits from now on.
    pub fn set_idle(&self, idle: bool) {
        self.idle.store(idle, Ordering::Release);
    }

    /// Whether the thread is in a call in which it does not only wait.
    pub fn acts(&self) -> bool {
        self.any() && !self.idle.load(Ordering::Acquire)
    }

    /// Whether the thread is in a call.
    pub fn any(&self) -> bool {
        self.count.load(Ordering::Acquire) != 0
    }
}

/// Waits until threads are in no call any more. The caller has said that the run does not go on. `look` shows the calls
/// of all threads to the test that it is given, which says whether a thread is in a call.
pub(crate) fn wait_for_all(look: impl Fn(fn(&Calls) -> bool) -> bool, wait: impl Fn()) {
    fence(Ordering::SeqCst);
    while look(Calls::any) {
        wait();
    }
}

#[cfg(all(test, loom))]
mod loom_models {
    use super::*;
    use loom::cell::UnsafeCell;
    use loom::sync::Arc;
    use loom::thread;

    #[derive(Default)]
    struct World {
        callers: [Calls; 2],
        ended: AtomicBool,
        objects: OwnObjects,
        answered: AtomicBool,
    }

    #[derive(Default)]
    struct OwnObjects([UnsafeCell<u32>; 2]);

    // SAFETY: a cell is touched only by a thread that is alone with it, which the models check.
    unsafe impl Sync for OwnObjects {}

    impl World {
        fn goes_on(&self) -> bool {
            !self.ended.load(Ordering::Relaxed)
        }

        /// A call that changes something.
        fn call(&self, caller: usize) {
            if self.callers[caller].enter(|| self.goes_on()) {
                // SAFETY: one thread at a time has this object: this caller within its call, and then the thread that
                // ends the run.
                self.objects.0[caller].with_mut(|object| unsafe { *object += 1 });
                self.callers[caller].leave();
            }
        }
    }

    #[test]
    fn who_ends_the_run_is_alone_with_the_objects() {
        loom::model(|| {
            let world = Arc::new(World::default());
            let callers = [0, 1].map(|caller| {
                let world = world.clone();
                thread::spawn(move || world.call(caller))
            });
            world.ended.store(true, Ordering::Relaxed);
            wait_for_all(|any| world.callers.iter().any(any), thread::yield_now);
            for object in &world.objects.0 {
                // SAFETY: no thread is in a call, and one that begins a call is refused, so this thread has the object
                // alone.
                object.with_mut(|object| unsafe { *object += 1 });
            }
            for caller in callers {
                caller.join().expect("no panic");
            }
        });
    }

    #[test]
    fn an_answer_is_not_lost_that_a_call_leads_to() {
        loom::model(|| {
            let world = Arc::new(World::default());
            // Begun before the run has ended.
            assert!(world.callers[0].enter(|| true));
            world.ended.store(true, Ordering::SeqCst);
            let caller = {
                let world = world.clone();
                thread::spawn(move || {
                    world.answered.store(true, Ordering::Relaxed);
                    world.callers[0].leave();
                })
            };
            while world.callers[0].acts() {
                thread::yield_now();
            }
            assert!(world.answered.load(Ordering::Relaxed));
            caller.join().expect("no panic");
        });
    }
}
