//! How other threads, and OpenCL's callbacks, reach the manager's thread.
//!
//! A vector behind a lock, taken whole: the manager drains it in batches and the two vectors change
//! places, so that nothing is allocated once they have grown. A sender wakes the manager only if it
//! sleeps. The lock is never held while anything else is done, so that a callback which OpenCL runs
//! inline (for an event that is complete already) can take it.
//!
//! # Why no thread waits indefinitely
//!
//! Everything is read and written with the lock held. A message or a completion therefore comes either before the
//! manager looks in `sleep`, which then returns at once, or after it has begun to wait on `wake`: that lets go of the
//! lock only when a wake-up can reach it, and the sender wakes it after its own hold of the lock. Of several senders
//! the first wakes; what the others leave is there when the manager looks. Where the
//! manager does not wait, the wake-up is a look at one word.
//!
//! A completion is a flag and not a message: `take` clears it *before* the manager looks at the
//! commands, so one that finishes after that look sets it again. And a message is either refused, given
//! to the manager by `take`, or given back by `close`: `closed` is set in the same hold of the lock in
//! which `close` takes the rest. `loom_models` below explores this.

#[cfg(loom)]
use models::ModelCondvar as Condvar;
#[cfg(loom)]
use models::ModelMutex as Mutex;
#[cfg(not(loom))]
use ocr_base::lock::Condvar;
use ocr_base::sync::preemption_point;
#[cfg(not(loom))]
type Mutex<T> = ocr_base::lock::Mutex<ocr_base::lock::rank::Inbox, T>;
use std::time::Duration;

pub(crate) struct Inbox<M> {
    state: Mutex<InboxState<M>>,
    wake: Condvar,
}

struct InboxState<M> {
    messages: Vec<M>,
    /// A callback has run since the manager last looked.
    completion: bool,
    /// Nothing is taken any more.
    closed: bool,
}

impl<M> Inbox<M> {
    pub(crate) fn new() -> Self {
        Inbox {
            state: Mutex::new(InboxState { messages: Vec::new(), completion: false, closed: false }),
            wake: Condvar::new(),
        }
    }

    /// Leaves a message; gives it back if the inbox is closed.
    pub(crate) fn push(&self, message: M) -> Result<(), M> {
        preemption_point(32);
        let mut state = self.state.lock();
        if state.closed {
            return Err(message);
        }
        state.messages.push(message);
        drop(state);
        self.wake.notify_one();
        Ok(())
    }

    /// Says that some command has completed.
    pub(crate) fn completed(&self) {
        preemption_point(32);
        self.state.lock().completion = true;
        self.wake.notify_one();
    }

    /// Takes all messages, into an empty vector.
    pub(crate) fn take(&self, into: &mut Vec<M>) {
        debug_assert!(into.is_empty());
        preemption_point(32);
        let mut state = self.state.lock();
        state.completion = false;
        std::mem::swap(&mut state.messages, into);
    }

    /// Sleeps until there is a message or a completion, or for `at_most`.
    pub(crate) fn sleep(&self, at_most: Option<Duration>) {
        let mut state = self.state.lock();
        if !state.messages.is_empty() || state.completion {
            return;
        }
        match at_most {
            Some(time) => {
                let _ = self.wake.wait_for(&mut state, time);
            }
            // A spurious return does no harm: the manager looks, and sleeps again.
            None => self.wake.wait(&mut state),
        }
    }

    /// Takes nothing more, and returns what is there.
    pub(crate) fn close(&self) -> Vec<M> {
        let mut state = self.state.lock();
        state.closed = true;
        std::mem::take(&mut state.messages)
    }
}

#[cfg(loom)]
mod models {
    //! What `parking_lot` has, made of what the model checker knows.
    use std::ops::{Deref, DerefMut};
    use std::time::Duration;

    pub(crate) struct ModelMutex<T>(loom::sync::Mutex<T>);
    pub(crate) struct ModelCondvar(loom::sync::Condvar);

    /// Empty only while it waits.
    pub(crate) struct ModelGuard<'a, T>(Option<loom::sync::MutexGuard<'a, T>>);

    impl<T> ModelMutex<T> {
        pub(crate) fn new(value: T) -> Self {
            ModelMutex(loom::sync::Mutex::new(value))
        }
        pub(crate) fn lock(&self) -> ModelGuard<'_, T> {
            ModelGuard(Some(self.0.lock().expect("no panic")))
        }
    }

    impl<T> Deref for ModelGuard<'_, T> {
        type Target = T;
        fn deref(&self) -> &T {
            self.0.as_deref().expect("not waiting")
        }
    }

    impl<T> DerefMut for ModelGuard<'_, T> {
        fn deref_mut(&mut self) -> &mut T {
            self.0.as_deref_mut().expect("not waiting")
        }
    }

    impl ModelCondvar {
        pub(crate) fn new() -> Self {
            ModelCondvar(loom::sync::Condvar::new())
        }
        pub(crate) fn notify_one(&self) {
            self.0.notify_one();
        }
        pub(crate) fn wait<T>(&self, guard: &mut ModelGuard<'_, T>) {
            let held = guard.0.take().expect("not waiting");
            guard.0 = Some(self.0.wait(held).expect("no panic"));
        }
        /// The time never comes: what needs it to come would wait indefinitely.
        pub(crate) fn wait_for<T>(&self, guard: &mut ModelGuard<'_, T>, _: Duration) {
            self.wait(guard);
        }
    }
}

#[cfg(all(test, loom))]
mod loom_models {
    use super::*;
    use loom::sync::Arc;
    use loom::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    fn check(model: impl Fn() + Sync + Send + 'static) {
        let mut builder = loom::model::Builder::new();
        builder.preemption_bound = Some(3);
        builder.check(model);
    }

    /// The manager's loop as in `Manager::run`, until it has `expected` messages and the command, if
    /// there is one, has finished. Loom reports a deadlock where it sleeps indefinitely.
    fn manage(inbox: &Inbox<usize>, expected: usize, command: Option<&AtomicBool>) {
        let (mut messages, mut taken, mut pending) = (Vec::new(), 0, command);
        loop {
            inbox.take(&mut messages);
            let mut busy = !messages.is_empty();
            taken += messages.drain(..).count();
            if pending.is_some_and(|done| done.load(Ordering::Relaxed)) {
                pending = None;
                busy = true;
            }
            if taken == expected && pending.is_none() {
                return;
            }
            if !busy {
                inbox.sleep(None);
            }
        }
    }

    #[test]
    fn every_message_reaches_the_manager() {
        check(|| {
            let inbox = Arc::new(Inbox::new());
            let senders: Vec<_> = (0..2)
                .map(|message| {
                    let inbox = inbox.clone();
                    loom::thread::spawn(move || assert!(inbox.push(message).is_ok()))
                })
                .collect();
            manage(&inbox, 2, None);
            for sender in senders {
                sender.join().expect("no panic");
            }
        });
    }

    #[test]
    fn a_completion_is_seen_beside_a_message() {
        check(|| {
            let shared = Arc::new((Inbox::new(), AtomicBool::new(false)));
            let callback = shared.clone();
            let device = loom::thread::spawn(move || {
                callback.1.store(true, Ordering::Relaxed);
                callback.0.completed();
            });
            let other = shared.clone();
            let sender = loom::thread::spawn(move || assert!(other.0.push(1).is_ok()));
            manage(&shared.0, 1, Some(&shared.1));
            device.join().expect("no panic");
            sender.join().expect("no panic");
        });
    }

    #[test]
    fn what_is_accepted_is_taken_or_given_back() {
        check(|| {
            let shared = Arc::new((Inbox::new(), AtomicUsize::new(0)));
            let senders: Vec<_> = (0..2)
                .map(|message| {
                    let shared = shared.clone();
                    loom::thread::spawn(move || {
                        if shared.0.push(message).is_ok() {
                            shared.1.fetch_add(1, Ordering::Relaxed);
                        }
                    })
                })
                .collect();
            let mut messages = Vec::new();
            shared.0.take(&mut messages);
            let answered = messages.len() + shared.0.close().len();
            for sender in senders {
                sender.join().expect("no panic");
            }
            assert_eq!(answered, shared.1.load(Ordering::Relaxed));
            assert!(shared.0.close().is_empty());
        });
    }
}
