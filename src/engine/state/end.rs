//! Whether a run ends, and to what else the workers are interrupted between two EDTs.

use ocr_base::lock::{Condvar, Mutex, rank};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU8, AtomicU64, Ordering};

/// Exit status of a program that the runtime ended with a message.
pub(crate) const FATAL_STATUS: i32 = 1;

/// A reason why workers are to look up between two EDTs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Interrupt(u8);

impl Interrupt {
    /// Workers are to stop, since the program ends.
    pub(crate) const END: Interrupt = Interrupt(1);
    /// Workers are to stand still, since a thread has paused the runtime.
    pub(crate) const PAUSE: Interrupt = Interrupt(2);
    /// More threads run EDTs than there are workers.
    pub(crate) const OVERSUBSCRIBED: Interrupt = Interrupt(4);
    /// There are more workers than there should be, since a device has cores of theirs.
    pub(crate) const RETIRE: Interrupt = Interrupt(8);
    /// Nothing begins that changes an object, since a checkpoint is made: threads of the program wait before their
    /// calls, and kernels are not sent to devices. Workers are called to [`Interrupt::PAUSE`] beside.
    pub(crate) const CHECKPOINT: Interrupt = Interrupt(16);
}

/// Whether the program ends, and what else workers are called to.
///
/// A look at `calls` is `Relaxed` and orders nothing. What a call is about is written before it and read behind a lock
/// that the caller takes after it: that of the seats, or that of the list of sleepers. So a worker that misses a call
/// between two EDTs finds it behind the lock, before it sleeps or waits for a seat.
#[derive(Default)]
pub(crate) struct End {
    /// The reasons, one bit each.
    calls: AtomicU8,
    /// The code of `ocrAbort`, where the program gets it from `ocrLegacyFinalize`. The store in `abort` pairs with the
    /// load in [`End::code`] by the lock of `shutdown`. `abort` takes that lock after the store, and a thread that
    /// waits for the end takes it before the load.
    pub(crate) code: AtomicI32,
    /// Whether that was called, which may be with 0. Stored and read as `code` is.
    pub(crate) aborted: AtomicBool,
    /// See [`End::edt_missing`]. Read when the threads that count have been joined.
    missing_edts: AtomicU64,
    /// Whether a thread is ending the process. It is written by one swap, which decides the thread that does, and pairs
    /// with the load in [`End::leave_it_to_who_exits`].
    pub(crate) exiting: AtomicBool,
    /// Whether a thread has found that the program hangs. The swap in [`End::accuse`] pairs with itself: one thread
    /// finds false.
    accused: AtomicBool,
    /// See [`End::hears_nothing`].
    deaf: AtomicBool,
    pub(crate) shutdown: Mutex<rank::Shutdown, bool>,
    pub(crate) changed: Condvar,
}

impl End {
    /// Whether the workers are called to anything.
    #[inline]
    pub(crate) fn is_called(&self) -> bool {
        self.calls.load(Ordering::Relaxed) != 0
    }

    /// Whether they are called to this.
    #[inline]
    pub(crate) fn is_called_to(&self, call: Interrupt) -> bool {
        self.calls.load(Ordering::Relaxed) & call.0 != 0
    }

    /// Whether a worker is called to something; `retires` says whether it is one of those that are too many. Others
    /// go on meanwhile as if there were no call.
    pub(crate) fn is_worker_called(&self, retires: impl FnOnce() -> bool) -> bool {
        let calls = self.calls.load(Ordering::Relaxed);
        calls & !Interrupt::RETIRE.0 != 0 || calls != 0 && retires()
    }

    /// Calls the workers to something.
    pub(crate) fn call(&self, call: Interrupt) {
        self.calls.fetch_or(call.0, Ordering::SeqCst);
    }

    /// Takes an interrupt back, so that workers do not look for its reason any more.
    pub(crate) fn uncall(&self, call: Interrupt) {
        self.calls.fetch_and(!call.0, Ordering::SeqCst);
    }

    /// Whether the workers are to stop.
    #[inline]
    pub(crate) fn is_ending(&self) -> bool {
        self.is_called_to(Interrupt::END)
    }

    /// Whether nothing will come from other nodes any more that an EDT may wait for. The swap in [`End::hear_nothing`]
    /// pairs with this load. Who misses it comes before the look at all that waits, which follows the swap.
    pub(crate) fn hears_nothing(&self) -> bool {
        self.deaf.load(Ordering::SeqCst)
    }

    /// Nothing will come from other nodes any more. Whether that is new.
    pub(crate) fn hear_nothing(&self) -> bool {
        !self.deaf.swap(true, Ordering::SeqCst)
    }

    /// Does not return if another thread is about to end the process, with a status of its own.
    pub(crate) fn leave_it_to_who_exits(&self) {
        while self.exiting.load(Ordering::SeqCst) {
            std::thread::park();
        }
    }

    /// Waits for the end of the run.
    pub(crate) fn wait(&self) {
        let mut shutdown = self.shutdown.lock();
        while !*shutdown {
            self.changed.wait(&mut shutdown);
        }
    }

    /// True for the first thread that finds that the program hangs.
    pub(crate) fn accuse(&self) -> bool {
        !self.accused.swap(true, Ordering::SeqCst)
    }

    /// Notes that an EDT was not created for a reason that OCR 1.2 asserts on and the specification has
    /// no code for: programs do not look at the one they get, so the status of the run tells it, too.
    pub(crate) fn edt_missing(&self) {
        self.missing_edts.fetch_add(1, Ordering::Relaxed);
    }

    /// The status of a run that was shut down, as far as EDTs are missing of it.
    pub(crate) fn check_missing(&self) -> i32 {
        let missing = self.missing_edts.load(Ordering::Relaxed);
        if missing == 0 {
            return 0;
        }
        error!(
            "the program ends with status {FATAL_STATUS}: {missing} of its EDTs were not created, \
             since paramv and paramc contradict each other (see the warnings)"
        );
        FATAL_STATUS
    }

    /// Whether `ocrAbort` has ended the run, or was called while it ended.
    pub(crate) fn was_aborted(&self) -> bool {
        self.aborted.load(Ordering::SeqCst)
    }

    /// What `ocrAbort` was given; 0 without.
    pub(crate) fn code(&self) -> i32 {
        self.code.load(Ordering::SeqCst)
    }
}
