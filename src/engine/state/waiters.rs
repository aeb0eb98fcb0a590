//! The threads that wait for an event in a call, and what each is answered.

use crate::object::code::WorkKind;
use crate::object::edt::Edt;
use crate::object::guid::Guid;
use ocr_base::lock::{Condvar, Mutex, MutexGuard, rank};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

/// What an event was satisfied with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WaitResult {
    /// The data block, or `NULL_GUID`.
    pub data: Guid,
    /// Where the memory of the data block begins; null if there is no block.
    pub address: *mut u8,
    /// The size of the data block in bytes.
    pub size: u64,
}

// SAFETY: the pointer only says where the block's memory is, and nothing here reads it. The program, which gets it from
// the call, has to know when it may use that memory.
unsafe impl Send for WaitResult {}

/// The answer to a wait that brings no data block.
pub(crate) const NOTHING: WaitResult = WaitResult { data: Guid::NULL, address: ptr::null_mut(), size: 0 };

/// Why there is no answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WaitError {
    /// The GUID names no event.
    NoSuchEvent,
    OutOfMemory,
    /// The run ends, and no answer will come.
    Ending,
    /// The caller has paused the runtime: no EDT could satisfy the event.
    Paused,
}

#[derive(Clone, Copy)]
pub(crate) enum WaitState {
    Waiting,
    Answered(WaitResult),
    Ending,
}

/// A thread that waits in a call, with the answer that it waits for.
pub(crate) struct Sleeper {
    state: Mutex<rank::Sleeper, WaitState>,
    changed: Condvar,
    /// Its EDT is in the queue of a block, or a device could not bring the block.
    pub(crate) stuck: AtomicBool,
}

/// All threads that wait in a call of the runtime.
#[derive(Default)]
pub(crate) struct Waiters {
    all: Mutex<rank::Waiters, Vec<Weak<Sleeper>>>,
    /// How often one was woken. The addition in [`Waiters::note_woken`] comes before the answer, and pairs with the two
    /// loads in [`Waiters::none_is_woken`].
    woken: AtomicU64,
}

impl Waiters {
    /// Whether no thread has an answer with which it does not go on yet, and none gets one before `and` has been asked,
    /// which is answered, too.
    pub(crate) fn none_is_woken(&self, and: impl FnOnce() -> bool) -> bool {
        let woken = self.woken.load(Ordering::SeqCst);
        let is_answered = |sleeper: Arc<Sleeper>| matches!(*sleeper.state.lock(), WaitState::Answered(_));
        let sleepers: Vec<_> = self.all.lock().iter().filter_map(Weak::upgrade).collect();
        !sleepers.into_iter().any(is_answered) && and() && self.woken.load(Ordering::SeqCst) == woken
    }

    pub(crate) fn add(&self, sleeper: &Arc<Sleeper>) {
        let mut all = self.all.lock();
        all.retain(|other| other.strong_count() != 0);
        all.push(Arc::downgrade(sleeper));
    }

    /// Notes that one is about to be woken.
    pub(in crate::engine) fn note_woken(&self) {
        self.woken.fetch_add(1, Ordering::SeqCst);
    }

    /// Calls `f` with each of them, under the lock of their list.
    pub(crate) fn each(&self, mut f: impl FnMut(&Sleeper)) {
        for sleeper in self.all.lock().iter().filter_map(Weak::upgrade) {
            f(&sleeper);
        }
    }
}

impl Sleeper {
    pub(crate) fn new() -> Arc<Sleeper> {
        Arc::new(Sleeper {
            state: Mutex::new(WaitState::Waiting),
            changed: Condvar::new(),
            stuck: AtomicBool::new(false),
        })
    }

    /// Ends the wait, unless it has ended already, and tells whether it went on until now. An answer takes precedence
    /// over the end of the program, for a thread that knows that the answer comes (`wait_for_last`).
    pub(in crate::engine) fn end_wait(&self, with: WaitState) -> bool {
        let mut state = self.state.lock();
        let waited = matches!(*state, WaitState::Waiting);
        if waited || matches!((*state, with), (WaitState::Ending, WaitState::Answered(_))) {
            *state = with;
            self.changed.notify_one();
        }
        waited
    }

    /// Waits after the run has ended, as long as an answer `comes`, or may come from what other threads do.
    pub(crate) fn wait_for_last(
        &self,
        mut comes: impl FnMut() -> Comes,
        mut others_act: impl FnMut() -> bool,
    ) -> WaitState {
        let mut state = self.state.lock();
        loop {
            // In this order: what a call leads to is there when it has ended.
            let (act, comes) = MutexGuard::unlocked(&mut state, || (others_act(), comes()));
            let answered = matches!(*state, WaitState::Answered(_));
            if answered || !(matches!(comes, Comes::Yes) || act && matches!(comes, Comes::Perhaps)) {
                return *state;
            }
            self.changed.wait_for(&mut state, Duration::from_millis(1));
        }
    }

    pub(crate) fn wait(&self) -> WaitState {
        let mut state = self.state.lock();
        loop {
            match *state {
                WaitState::Waiting => self.changed.wait(&mut state),
                other => return other,
            }
        }
    }
}

/// The EDT that stands for a thread waits for what may never come, as the turn at a block, or does not any more.
pub(crate) fn set_stuck(edt: &Edt, stuck: bool) {
    if edt.work().kind == WorkKind::Elsewhere {
        // It stands for something on another node.
        return;
    }
    sleeper_of(edt).stuck.store(stuck, Ordering::SeqCst);
}

/// The thread that an EDT stands for, which has not been woken.
fn sleeper_of(edt: &Edt) -> &Sleeper {
    let sleeper = edt.params()[0] as *const Sleeper;
    // SAFETY: made by `into_raw` for this EDT, to which it belongs until that is gone.
    unsafe { &*sleeper }
}

/// Whether an answer is on its way to a thread that waits.
pub(crate) enum Comes {
    Yes,
    /// Its EDT is in the queue of a block, or just being given that; or it waits for an event that may be about to be
    /// satisfied.
    Perhaps,
    No,
}
