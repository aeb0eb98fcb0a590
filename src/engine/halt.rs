//! Whether the program has come to a halt: nothing runs, nothing can, and it has not shut down. And the
//! picture of what runs and what waits, of a program that hangs or of one that runs.

use super::{Runtime, end, signals};
use crate::device::OpenclThreads;
use crate::report::picture::{Picture, Thread, Told};
use crate::sched::sleep::State;
use crate::sync::dawdle;
use crate::text::{Readable, read_file};
use std::io::Error;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Threads of the program that cannot do anything before the runtime has done something: they wait
/// for an event, or for the end of the run.
#[derive(Default)]
pub struct Resting(AtomicU64);

/// How many rest (32 bits), and how often one has begun or ended to (32 bits, so that a value that
/// was left and reached again is another one).
#[derive(Clone, Copy, PartialEq, Eq)]
struct Rests(u64);

const CHANGE: u64 = 1 << 32;

impl Resting {
    /// This thread begins to rest.
    pub fn begin(&self) {
        self.0.fetch_add(CHANGE + 1, Ordering::SeqCst);
    }

    /// This thread can do things again. Until then it counted as work in flight.
    pub fn end(&self) {
        self.0.fetch_add(CHANGE - 1, Ordering::SeqCst);
    }

    fn now(&self) -> Rests {
        Rests(self.0.load(Ordering::SeqCst))
    }
}

impl Rests {
    fn count(self) -> usize {
        self.0 as u32 as usize
    }
}

impl Runtime {
    /// Whether the process has threads that may call the runtime at any time: of the program or of
    /// a library, and not waiting in the runtime. Such a program is not accused unless they sleep for good
    /// (`asleep.rs`).
    fn has_free_threads(&self, resting: Rests) -> bool {
        // Read before the threads of the process are: one started in between may be the program's.
        let known = resting.count() + self.seats.known();
        let opencl = OpenclThreads::now();
        // Those that are left were among the threads; if one is missed, the program has one more.
        threads_of_process().map_or(true, |threads| threads > known + opencl.left())
    }

    /// Whether nothing can happen any more but what so many threads do that are away. As in
    /// [`Runtime::check_halt`], nobody who rests is freed between the two looks at those.
    pub(super) fn is_left_to(&self, away: usize) -> bool {
        let resting = self.resting.now();
        !self.has_free_threads(resting)
            && self.in_flight.load(Ordering::SeqCst) == away as u64
            && self.resting.now() == resting
    }

    /// Ends the program with a message if nothing can happen any more (see `sched/sleep.md`).
    ///
    /// Besides the workers there are threads of the program. One that is free is seen in the number
    /// of threads; one that rests can be freed by a worker, by a device or by a free thread alone,
    /// which counts it as work in flight first. So if the number of resting threads has not changed
    /// between the two looks, and there was no free thread and no work in flight in between, none
    /// of them can do anything.
    pub fn check_halt(&self) {
        let state = self.queues.sleep.state();
        let halted = || self.has_halted(state);
        // To look at the threads takes time, and workers often sleep while a device works.
        if !halted() {
            return;
        }
        let resting = self.resting.now();
        dawdle(4);
        let free = self.has_free_threads(resting);
        // No worker has left its sleep between the two looks, so nothing has run meanwhile.
        if !halted() || self.resting.now() != resting || self.queues.sleep.state() != state {
            return;
        }
        if free {
            // Something may happen yet; the thread that watches looks again.
            super::watch::suspect();
        } else {
            self.tell_hang(Vec::new());
        }
    }

    /// Whether all workers sleep, in this state, and nothing is there for them nor in flight.
    fn has_halted(&self, state: State) -> bool {
        state.sleeping() == self.queues.workers()
            && state.searching() == 0
            && self.in_flight.load(Ordering::SeqCst) == 0
            && !self.queues.any_work()
            && !self.end.is_ending()
    }

    /// Says once where a program may hang and nobody can see that, since the system does not tell of its threads.
    pub(super) fn tell_blind(&self) {
        static TOLD: AtomicBool = AtomicBool::new(false);
        if let Err(error) = threads_of_process()
            && self.has_halted(self.queues.sleep.state())
            && !TOLD.swap(true, Ordering::Relaxed)
        {
            tell!(
                "ocr: note: no EDT runs, and whether the program hangs cannot be told: {STATUS} cannot be read \
                 ({error}). kill -USR1 {} has what waits printed.",
                std::process::id()
            );
        }
    }

    /// [`Runtime::check_halt`] if nothing can happen since all threads sleep, those of the program and those in EDTs, too.
    pub(super) fn check_asleep(&self) {
        if let Some(asleep) = self.all_asleep() {
            self.tell_hang(asleep);
        }
    }

    /// Ends the program, unless another thread does.
    fn tell_hang(&self, asleep: Vec<i32>) {
        if self.end.accuse() {
            let picture = self.picture_of(true, asleep);
            self.draw(&picture);
            end::fatal(&picture.of_hang());
        }
    }

    /// What runs and what waits, now.
    pub fn picture(&self) -> Picture<'_> {
        self.picture_of(false, Vec::new())
    }

    /// The same; `still` if nothing changes meanwhile, and threads that sleep for good.
    fn picture_of(&self, still: bool, asleep: Vec<i32>) -> Picture<'_> {
        let thread = |tally: &crate::report::tally::Tally| {
            let now = &tally.now;
            Thread {
                id: now.thread.load(Ordering::Relaxed),
                worker: now.worker.load(Ordering::Relaxed),
                running: now.running.load(Ordering::Relaxed),
                waits: now.waits.lock().clone(),
                holder: now.holder.load(Ordering::Relaxed),
            }
        };
        let threads = self.registry.threads();
        let totals = self.registry.totals();
        Picture::take(
            &self.objects,
            &self.registry.labels,
            Told {
                threads: threads.iter().map(|tally| thread(tally)).collect(),
                workers: self.queues.workers(),
                ready: self.queues.ready(),
                in_flight: self.in_flight.load(Ordering::Relaxed) as u32 as usize,
                devices: (self.devices.in_use().iter())
                    .map(|used| (used.info.index, used.info.name.as_str()))
                    .collect(),
                early: self.early_calls(),
                still,
                asleep,
                free_threads: !still && self.has_free_threads(self.resting.now()),
                handled: signals::handled_by_program().map(signals::name_of),
                history: self.check.as_ref().map(|check| &check.history),
                refused: self.registry.refusals.told(),
                nothing: self.registry.nothing.told(),
                seconds: self.started.elapsed().as_secs_f64(),
                ran: totals.function_edts + totals.kernel_edts,
            },
        )
    }

    /// Writes the picture for Graphviz, if the settings ask for that.
    pub(super) fn draw(&self, picture: &Picture<'_>) {
        if let Some(path) = &self.settings.halt_dot.value
            && let Err(error) = std::fs::write(path, picture.dot())
        {
            tell!(
                "ocr: warning: the graph {} cannot be written: {error}",
                Readable::path(path)
            );
        }
    }
}

const STATUS: &str = "/proc/self/status";

/// How many threads the process has. The first one is among them when it has ended, by pthread_exit.
fn threads_of_process() -> Result<usize, Error> {
    let status = read_file(STATUS)?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("Threads:"));
    let threads: Option<usize> = line.and_then(|line| line.trim().parse().ok());
    let threads = threads.ok_or_else(|| Error::other("no number of threads is in it"))?;
    Ok(threads - usize::from(status.contains("\nState:\tZ")))
}
