//! Which threads are workers. There are as many *seats* as workers: a seat is an end of the queues
//! ([`Local`]), and the thread that has it runs EDTs.
//!
//! An EDT that waits in a call (`ocrLegacyBlockProgress`) must not take a worker away from the
//! others. Its thread cannot run other EDTs meanwhile on the same stack: what it waits for may come
//! sooner than the end of the EDT on top, which may itself wait for the one below. So it gives its
//! seat to another thread, a *helper*, which is started if none is free. No seat is ever without
//! a thread for longer than that takes, so whatever the EDT waits for is run if it can be.
//!
//! | a thread is | in words | left by |
//! |---|---|---|
//! | seated | it has a seat and runs EDTs, or looks for some | its EDT waits; or the run is oversubscribed, and its EDT ends |
//! | waiting | its EDT waits in a call | being woken: away |
//! | away | its EDT goes on, and it has no seat | the end of the EDT, or waiting again |
//! | spare | it has nothing | getting a seat |
//!
//! Where a CPU device gets cores of the workers' (`devices/sharing.rs`), the seats with the highest numbers are given
//! up: at once if no thread has them, and otherwise when the EDT ends that runs there. They come back when the device
//! needs the cores no more.
//!
//! A thread that is woken does not wait for a seat, since the thread that has one may run for long,
//! or wait for what this thread does next. So for a time there is one more that runs: the run is
//! *oversubscribed*. The next worker that ends an EDT leaves its seat empty for it and becomes a
//! spare. So there are at most as many empty seats as threads that are away. A thread whose EDT
//! ends takes an empty seat.
//!
//! A thread that is away counts as work in flight (`Runtime::in_flight`): it is none of the workers
//! whose sleep says that nothing can happen.
//!
//! # A thread that waits at the end by looking again and again
//!
//! The run ends when the EDTs that run have ended. One that looks again and again may look for what never comes. It is
//! given up, and its thread stays in the call until the process ends, when no other thread can do anything for it: the
//! run ends; all threads that run EDTs look so; nothing else is in flight; the process has no thread that may do
//! something unknown to the runtime, by the rule by which hangs are found (`process/quiescence.rs`); and since all that
//! was found, each has looked `FUTILE_POLLS` times and none has done anything else. So it has seen whatever others did
//! before they were gone. Threads that wait in a call are notified before that nothing is satisfied any more, and may
//! do something then. What cannot be known is what one EDT does for another between two of its own looks, or whether it
//! would stop by itself; that is what the number is for.

mod handover;

use crate::check::history::Who;
use crate::cores::CoreSet;
use crate::sched::queues::Local;
use crate::stack::SignalStack;
use ocr_base::lock::{Condvar, Mutex, MutexGuard, rank};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{JoinHandle, ThreadId};
use std::time::{Duration, Instant};

/// Threads of the process, of this run and of earlier ones, that stay in a call until the process ends. The addition in
/// [`Seats::lose`] pairs with the load in [`Seats::known`].
static GONE: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// Whether the runtime has started this thread.
    pub(crate) static OF_RUNTIME: Cell<bool> = const { Cell::new(false) };
}

/// Whether a thread runs an EDT without a seat.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Seating {
    /// The thread has a seat, or runs no EDT.
    #[default]
    Seated,
    /// Its EDT has waited and goes on; it is one of the threads that run.
    Resumed,
    /// Its EDT still waits, by looking again and again (`ocrInformLegacyCodeBlocking`).
    Polling,
}

/// The seats of a run, and the threads that have them, wait for one, or have left one.
#[derive(Default)]
pub(crate) struct Seats {
    state: Mutex<rank::Seats, SeatState>,
    /// Something has changed in `state` that a thread may wait for, but a spare.
    changed: Condvar,
    /// Signalled when there is a seat for a spare, once for each.
    free: Condvar,
    /// Seats from this number on are given up; 0: none is. Written with `state` locked, before the workers are called
    /// (`Interrupt::RETIRE`). A worker that sees the call may not see the number yet: then it looks again behind its
    /// next EDT, or before it sleeps, behind the lock of the list of sleepers, which [`Seats::limit_to`] takes after
    /// the call.
    limit: AtomicUsize,
    /// How many seats have been given up. Written with `state` locked. The addition in [`Seats::retire`] pairs with the
    /// load in [`Seats::retired`]: a thread that counts a seat as given up finds in the queues what its worker has
    /// handed over. So it does not take the program for one that hangs (`Runtime::has_halted`).
    retired: AtomicUsize,
    /// Threads of the runtime, the one that watches included, that have been started and have not ended. Written with
    /// `state` locked, and never more than there are. A thread that compares it with the threads of the process may
    /// take one of them for the program's for a moment. It does not miss one of the program's. The subtraction in
    /// [`Seats::lose`] pairs with the load in [`Seats::known`].
    own: AtomicUsize,
}

#[derive(Default)]
pub(crate) struct SeatState {
    pub(crate) empty: Vec<Local>,
    /// Threads that are away and [`Seating::Resumed`].
    pub(crate) back: usize,
    /// Threads that are away and [`Seating::Polling`].
    pub(crate) looking: usize,
    /// Spares, and threads that are being started to be some.
    pub(crate) spare: usize,
    /// The seats that have been given up, until they come back, each with when it was.
    retired: Vec<(Local, Instant)>,
    /// For how long seats had been given up that have come back, all together.
    stood: Duration,
    /// The threads that run EDTs, or wait for a seat, by the numbers that the system gives them, each with the seat
    /// that it had last.
    numbers: Vec<(libc::pid_t, Option<usize>)>,
    /// On which cores they run, if not on all.
    cores: Option<CoreSet>,
    /// The core for each seat, in turns; empty unless a thread with a seat is to stay on one core (`OCR_BIND=cores`).
    pins: Vec<CoreSet>,
    threads: Vec<JoinHandle<()>>,
    /// How many of them have begun: what the system keeps of a thread is there.
    begun: usize,
    /// How many of them have not ended, and will.
    running: usize,
    /// The threads that will never end.
    lost: Vec<ThreadId>,
    /// How many of those have a seat.
    lost_seats: usize,
    pub(crate) vain: FutilePolls,
    /// What `workers/pause.rs` has of this.
    pub(crate) pause: Pause,
}

/// How often those that look again and again have done so, at the end of the run.
#[derive(Default)]
pub(crate) struct FutilePolls {
    /// Rounds since anybody else did something; in a round each of them looks at least once.
    pub(crate) rounds: u32,
    /// Whether it was found, before those rounds, that there is no other thread left.
    pub(crate) alone: bool,
    /// The number of the round.
    pub(crate) round: u64,
    /// How many have looked in it.
    pub(crate) looked: usize,
}

impl FutilePolls {
    /// Begins anew, since something has been done.
    pub(crate) fn begin(&mut self) {
        self.next();
        (self.rounds, self.alone) = (0, false);
    }

    pub(crate) fn next(&mut self) {
        self.round += 1;
        self.looked = 0;
        self.rounds = self.rounds.saturating_add(1);
    }
}

impl SeatState {
    /// Empty seats that no thread which is away will take.
    pub(crate) fn for_spares(&self) -> usize {
        self.empty.len().saturating_sub(self.back)
    }

    /// The core of a seat; none where threads move.
    fn pin(&self, seat: usize) -> Option<&CoreSet> {
        let turn = seat.checked_rem(self.pins.len())?;
        self.pins.get(turn)
    }

    /// Takes an empty seat for the calling thread, which goes to the core of that seat if it has one.
    pub(crate) fn sit_down(&mut self) -> Option<Local> {
        let local = self.empty.pop()?;
        if let Some(pin) = self.pin(local.index()) {
            // SAFETY: `gettid` has no preconditions.
            let number = unsafe { libc::gettid() };
            // A thread that the system refuses to bind stays where it is.
            let _ = pin.bind(number);
            let this = self.numbers.iter_mut().find(|(other, _)| *other == number);
            if let Some((_, seat)) = this {
                *seat = Some(local.index());
            }
        }
        Some(local)
    }
}

impl Seats {
    /// The number of the first seat that is given up, if any is.
    pub(crate) fn limit(&self) -> usize {
        match self.limit.load(Ordering::SeqCst) {
            0 => usize::MAX,
            limit => limit,
        }
    }

    /// How many seats have been given up.
    pub(crate) fn retired(&self) -> usize {
        self.retired.load(Ordering::SeqCst)
    }

    /// For how long seats have been given up so far, all together.
    pub(crate) fn stood(&self) -> Duration {
        let state = self.state.lock();
        state.stood + state.retired.iter().map(|(_, since)| since.elapsed()).sum::<Duration>()
    }

    /// Has the threads that run EDTs run on these cores, those that are started later, too. False if the system
    /// refuses: then threads stay where they are.
    pub(crate) fn bind(&self, cores: &CoreSet) -> bool {
        let mut state = self.state.lock();
        state.cores = Some(cores.clone());
        if !state.pins.is_empty() {
            state.pins = cores.spread();
        }
        // Each is there: it takes its number away, with the lock, before it ends.
        let refused = |&&(thread, seat): &&(libc::pid_t, Option<usize>)| {
            let pin = seat.and_then(|seat| state.pin(seat));
            pin.unwrap_or(cores).bind(thread).is_err()
        };
        state.numbers.iter().filter(refused).count() == 0
    }

    /// Enters the calling thread among those that may run EDTs from now on, and binds it to the cores of these.
    fn arrive(&self) {
        // SAFETY: `gettid` has no preconditions.
        let number = unsafe { libc::gettid() };
        let mut state = self.state.lock();
        state.numbers.push((number, None));
        if let Some(cores) = &state.cores {
            let _ = cores.bind(number);
        }
    }

    /// How many threads of the process are the runtime's, or will never do anything.
    pub(crate) fn known(&self) -> usize {
        // In this order: `lose` takes a thread from `own` before it counts it in `GONE`. So a thread that is seen in
        // `GONE` is not seen in `own` any more, and none counts twice.
        let gone = GONE.load(Ordering::SeqCst);
        gone + self.own.load(Ordering::SeqCst)
    }

    /// Starts and counts a thread that gets no seat.
    pub(crate) fn start_other(
        &'static self,
        name: &str,
        work: impl FnOnce() + Send + 'static,
    ) -> std::io::Result<JoinHandle<()>> {
        let _state = self.state.lock();
        let work = move || {
            OF_RUNTIME.set(true);
            let _handlers = SignalStack::of_runtime();
            work();
            let _state = self.state.lock();
            self.own.fetch_sub(1, Ordering::SeqCst);
        };
        let thread = std::thread::Builder::new().name(name.into()).spawn(work)?;
        self.own.fetch_add(1, Ordering::SeqCst);
        Ok(thread)
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, rank::Seats, SeatState> {
        self.state.lock()
    }

    pub(crate) fn wait(&self, state: &mut MutexGuard<'_, rank::Seats, SeatState>) {
        self.changed.wait(state);
    }

    /// Waits for a change, until a time. False if that has come.
    pub(crate) fn wait_until(&self, state: &mut MutexGuard<'_, rank::Seats, SeatState>, until: Instant) -> bool {
        let is_over = self.changed.wait_for(state, until.saturating_duration_since(Instant::now()));
        !is_over
    }

    /// Whether all threads have ended, apart from those that never will.
    pub(crate) fn have_ended(&self) -> bool {
        self.state.lock().running == 0
    }

    /// Whether the EDT of a thread goes on without a seat, or waits by looking again and again.
    pub(crate) fn any_away(&self) -> bool {
        let state = self.state.lock();
        state.back + state.looking != 0
    }

    /// Has every waiting thread look again. The caller has the lock.
    pub(crate) fn notify(&self, _state: &mut SeatState) {
        self.changed.notify_all();
    }

    /// Has every waiting thread look again, spares included.
    pub(crate) fn call_all(&self) {
        // A thread that waits has looked under the lock: so it has either seen the change or is woken below.
        drop(self.state.lock());
        self.changed.notify_all();
        self.free.notify_all();
    }

    /// Does not wait for this thread at the end: it never comes back from the EDT that it runs. If it
    /// is away, it has still to be counted out of the work in flight.
    pub(crate) fn lose(&self, thread: ThreadId, seating: Seating) {
        let mut state = self.state.lock();
        match seating {
            Seating::Seated => state.lost_seats += 1,
            Seating::Resumed => state.back -= 1,
            Seating::Polling => state.looking -= 1,
        }
        state.running -= 1;
        state.lost.push(thread);
        self.own.fetch_sub(1, Ordering::SeqCst);
        GONE.fetch_add(1, Ordering::SeqCst);
        self.changed.notify_all();
        self.notify_spares(&state);
    }

    /// Waits until all threads have ended, apart from those that never will.
    pub(crate) fn join(&self) {
        let mut state = self.state.lock();
        while state.running != 0 {
            self.changed.wait(&mut state);
        }
        let threads = std::mem::take(&mut state.threads);
        let lost = std::mem::take(&mut state.lost);
        drop(state);
        for thread in threads {
            if !lost.contains(&thread.thread().id()) {
                // A worker that panics ends the process instead.
                let _ = thread.join();
            }
        }
    }

    /// Notifies a spare for each seat that is for one. Called whenever there may be one more, so each of the spares
    /// that could have it has been notified, or will look before it sleeps. Only as many: there may be
    /// thousands, of EDTs that have waited for each other.
    pub(crate) fn notify_spares(&self, state: &SeatState) {
        for _ in 0..state.for_spares() {
            self.free.notify_one();
        }
    }

    /// A thread has all that it asks the system for before it runs EDTs.
    pub(crate) fn begins(&self) {
        self.state.lock().begun += 1;
        self.changed.notify_all();
    }
}

/// How often each EDT that waits by looking again and again has to do that before all are given up. More
/// than once, since an EDT may do something for another before it looks again; not often, since each may
/// take its time between two looks.
pub(crate) const FUTILE_POLLS: u32 = 16;

/// The pause, part of what the seats' lock guards.
#[derive(Default)]
pub(crate) struct Pause {
    /// The thread that has paused the runtime, by the address of its context; 0: none.
    pub(crate) owner: usize,
    /// The thread that has paused the runtime, and the EDT that it ran then.
    pub(crate) by: Option<Who>,
    /// Threads that stand still, of those that run EDTs.
    pub(crate) still: usize,
}

impl Pause {
    /// Whether the runtime is paused, or about to be.
    pub(crate) fn is_on(&self) -> bool {
        self.owner != 0
    }
}
