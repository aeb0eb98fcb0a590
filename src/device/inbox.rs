//! How other threads, and OpenCL's callbacks, reach the manager's thread.
//!
//! A vector behind a lock, taken whole: the manager drains it in batches and the two vectors change
//! places, so that nothing is allocated once they have grown. A sender wakes the manager only if it
//! sleeps. The lock is never held while anything else is done, so that a callback which OpenCL runs
//! inline (for an event that is complete already) can take it.

use std::time::Duration;

use parking_lot::{Condvar, Mutex};

pub(super) struct Inbox<M> {
    state: Mutex<State<M>>,
    wake: Condvar,
}

struct State<M> {
    messages: Vec<M>,
    /// A callback has run since the manager last looked.
    completion: bool,
    /// The manager waits on `wake`.
    asleep: bool,
    /// Nothing is taken any more.
    closed: bool,
}

impl<M> Inbox<M> {
    pub(super) fn new() -> Self {
        Inbox {
            state: Mutex::new(State {
                messages: Vec::new(),
                completion: false,
                asleep: false,
                closed: false,
            }),
            wake: Condvar::new(),
        }
    }

    /// Leaves a message; gives it back if the inbox is closed.
    pub(super) fn push(&self, message: M) -> Result<(), M> {
        let mut state = self.state.lock();
        if state.closed {
            return Err(message);
        }
        state.messages.push(message);
        // Cleared here, so that of many senders one wakes the manager.
        let asleep = std::mem::take(&mut state.asleep);
        drop(state);
        if asleep {
            self.wake.notify_one();
        }
        Ok(())
    }

    /// Says that some command has completed.
    pub(super) fn completed(&self) {
        let mut state = self.state.lock();
        state.completion = true;
        let asleep = std::mem::take(&mut state.asleep);
        drop(state);
        if asleep {
            self.wake.notify_one();
        }
    }

    /// Takes all messages, into an empty vector.
    pub(super) fn take(&self, into: &mut Vec<M>) {
        debug_assert!(into.is_empty());
        let mut state = self.state.lock();
        state.completion = false;
        std::mem::swap(&mut state.messages, into);
    }

    /// Sleeps until there is a message or a completion, or for `at_most`.
    pub(super) fn sleep(&self, at_most: Option<Duration>) {
        let mut state = self.state.lock();
        if !state.messages.is_empty() || state.completion {
            return;
        }
        state.asleep = true;
        match at_most {
            Some(time) => {
                let _ = self.wake.wait_for(&mut state, time);
            }
            // A spurious return does no harm: the manager looks, and sleeps again.
            None => self.wake.wait(&mut state),
        }
        state.asleep = false;
    }

    /// Takes nothing more, and returns what is there.
    pub(super) fn close(&self) -> Vec<M> {
        let mut state = self.state.lock();
        state.closed = true;
        std::mem::take(&mut state.messages)
    }
}
