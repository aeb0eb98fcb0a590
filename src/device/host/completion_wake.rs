//! Which end of a command wakes the manager's thread: for each lane, the last one that it has asked for.
//!
//! OpenCL takes no callback back. The thread asks for one on a command that it wants to be woken for, and when it is up
//! before that, since it has looked by its own clock or a message has come, it may want to be woken for a later one
//! instead. What it has asked for before would then wake it for nothing, in the middle of what is to run undisturbed.
//!
//! | thread | does |
//! |---|---|
//! | the thread | writes the command's number into `heard`, and then asks for a callback on that command |
//! | the callback on a command | reads `heard`, and wakes the thread if its own number is not lower |
//!
//! # Why the thread does not sleep on
//!
//! Let `n` be what it wrote last before it sleeps. The callback on `n` was asked for after that, and comes when the
//! command has ended, or at once: behind the write, since OpenCL hands it from thread to thread. It finds `n`, for
//! no other thread writes, and the thread sleeps. So it wakes the thread, for which the inbox answers
//! ([`crate::device::host::inbox`]). Nothing else is needed of the number: an earlier callback that finds an older one
//! wakes the thread once more, and if `n` is lower than what was written before, those callbacks are heard, too. Where
//! OpenCL refuses the callback, the thread does not rely on it ([`CompletionWake::unset`]). The model below has
//! callbacks that come at once and later.

use ocr_base::sync::{AtomicU64, Ordering};
use std::ops::RangeInclusive;
use std::sync::Arc;

/// What an event's callback calls: short, without OpenCL, on any thread.
pub(crate) trait Notify: Send + Sync + 'static {
    fn notify(&self);
}

/// The filter as the manager's thread has it.
pub(crate) struct CompletionWake {
    heard: Arc<AtomicU64>,
    /// The manager's copy of the number in `heard`; 0 where it is not to be relied on.
    set: u64,
}

impl CompletionWake {
    pub(crate) fn new() -> CompletionWake {
        CompletionWake { heard: Arc::new(AtomicU64::new(0)), set: 0 }
    }

    /// Whether it is set to one of these commands.
    pub(crate) fn is_set_to(&self, numbers: RangeInclusive<u64>) -> bool {
        numbers.contains(&self.set)
    }

    /// Sets it to a command, counted from 1. What is returned is for the callback on that command, which must be asked
    /// for next.
    pub(crate) fn set<T: Notify>(&mut self, number: u64, notify: &Arc<T>) -> CompletionCallback<T> {
        self.set = number;
        self.heard.store(number, Ordering::Relaxed);
        CompletionCallback { number, heard: Arc::clone(&self.heard), notify: Arc::clone(notify) }
    }

    /// The callback was refused: it must be asked for again.
    pub(crate) fn unset(&mut self) {
        self.set = 0;
    }
}

/// The filter as a callback of OpenCL has it.
pub(crate) struct CompletionCallback<T> {
    number: u64,
    heard: Arc<AtomicU64>,
    notify: Arc<T>,
}

impl<T: Notify> Notify for CompletionCallback<T> {
    fn notify(&self) {
        if self.number >= self.heard.load(Ordering::Relaxed) {
            self.notify.notify();
        }
    }
}

#[cfg(all(test, loom))]
mod loom_models {
    use super::super::inbox::Inbox;
    use super::*;
    use loom::sync::Mutex;

    impl Notify for Inbox<()> {
        fn notify(&self) {
            self.completed();
        }
    }

    /// A lane of two commands, as OpenCL has it.
    #[derive(Default)]
    struct Queue {
        done: u64,
        callbacks: Vec<CompletionCallback<Inbox<()>>>,
    }

    fn ask(queue: &Mutex<Queue>, ring: CompletionCallback<Inbox<()>>) {
        let mut locked = queue.lock().expect("no panic");
        if locked.done < ring.number {
            locked.callbacks.push(ring);
            return;
        }
        drop(locked);
        ring.notify();
    }

    fn end_next(queue: &Mutex<Queue>) {
        let mut locked = queue.lock().expect("no panic");
        locked.done += 1;
        let done = locked.done;
        let (ended, left) = std::mem::take(&mut locked.callbacks).into_iter().partition(|ring| ring.number <= done);
        locked.callbacks = left;
        drop(locked);
        let ended: Vec<CompletionCallback<_>> = ended;
        ended.iter().for_each(Notify::notify);
    }

    /// The thread asks for the first, and when it is up, or at once, for the second. Loom reports a deadlock where it
    /// sleeps indefinitely.
    fn check(both_at_once: bool) {
        loom::model(move || {
            let queue = loom::sync::Arc::new(Mutex::new(Queue::default()));
            let inbox = Arc::new(Inbox::new());
            let device = queue.clone();
            let opencl = loom::thread::spawn(move || (0..2).for_each(|_| end_next(&device)));
            let (mut completion_wake, mut messages) = (CompletionWake::new(), Vec::new());
            let mut next = 1;
            loop {
                inbox.take(&mut messages);
                if queue.lock().expect("no panic").done == 2 {
                    break;
                }
                let asked = if both_at_once { 2 } else { next };
                while next <= asked.min(2) {
                    ask(&queue, completion_wake.set(next, &inbox));
                    next += 1;
                }
                inbox.sleep(None);
            }
            opencl.join().expect("no panic");
        });
    }

    #[test]
    fn the_thread_is_woken_for_the_command_that_it_has_asked_for_last() {
        check(true);
    }

    #[test]
    fn the_thread_is_woken_for_one_command_after_the_other() {
        check(false);
    }
}
