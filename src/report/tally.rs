//! Counters that one thread adds to and anybody reads.

use super::labels::Labels;
use crate::object::code::Code;
use crate::object::guid::Guid;
use crate::object::place::Place;
use crate::sched::calls::Calls;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, AtomicUsize, Ordering};

/// A counter with one writer.
#[derive(Default)]
pub struct Count(AtomicU64);

impl Count {
    /// Adds, in the thread that owns the counter: a load and a store, no locked operation.
    #[inline]
    pub fn add(&self, more: u64) {
        self.0
            .store(self.0.load(Ordering::Relaxed) + more, Ordering::Relaxed);
    }

    /// The value now.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// What a thread waits for in a call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wait {
    /// The call.
    pub call: &'static str,
    /// For what: an event.
    pub event: Guid,
    /// Or for an object with a label to be so.
    pub label: Option<Label>,
}

/// What a thread waits for where a label is concerned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Label {
    /// That the object with this label is gone (`GUID_PROP_BLOCK`).
    Gone(Guid),
    /// That there is an event with this label (`LEGACY_PROP_WAIT_FOR_CREATE`).
    Made(Guid),
    /// That the creator of this map, which another thread runs, has made the object of this index.
    Mapped(Guid, u64),
}

/// What one thread does right now. It alone writes this; what others read may be a moment old.
#[derive(Default)]
pub struct Now {
    /// The system's number of the thread.
    pub thread: AtomicI32,
    /// Whether it runs EDTs.
    pub worker: AtomicBool,
    /// The address of the EDT that it runs; 0: none.
    pub running: AtomicUsize,
    /// What it waits for in a call.
    pub waits: Mutex<Option<Wait>>,
    /// What it is called as the holder of blocks; 0 when it has ended.
    pub holder: AtomicUsize,
    /// Its calls, if it is no worker.
    pub calls: Calls,
}

/// EDTs that ran, and how long.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Ran {
    /// How many.
    pub edts: u64,
    /// Nanoseconds in all of them together.
    pub ns: u64,
}

impl Ran {
    /// And these.
    pub fn add(&mut self, more: Ran) {
        self.edts += more.edts;
        self.ns += more.ns;
    }
}

/// What was run where, and how long. A work is known by its address, which no other has while the run lives.
#[derive(Default)]
pub struct Times(Mutex<HashMap<(usize, Place), Ran>>);

impl Times {
    /// An EDT with this work has run at this place for so many nanoseconds.
    pub fn add(&self, work: &'static Code, place: Place, ns: u64) {
        let key = (std::ptr::from_ref(work).addr(), place);
        let mut times = self.0.lock();
        times.entry(key).or_default().add(Ran { edts: 1, ns });
    }
}

/// What one thread has done, and does.
#[derive(Default)]
#[repr(align(128))]
pub struct Tally {
    /// EDTs run as C functions.
    pub function_edts: Count,
    /// EDTs whose kernel was run.
    pub kernel_edts: Count,
    /// EDTs whose kernel was enqueued behind the one they waited for.
    pub kernels_ahead: Count,
    /// Nanoseconds in which it, a worker, had no EDT to run; counted where a report is asked for, as `times`.
    pub idle_ns: Count,
    /// What variants it has run, or, the thread of a device, has seen the end of.
    pub times: Times,
    /// What it does now.
    pub now: Now,
}

/// The sum over all threads.
#[derive(Default, Clone, Copy, PartialEq, Eq, Debug)]
pub struct Totals {
    /// EDTs run as C functions.
    pub function_edts: u64,
    /// EDTs whose kernel was run.
    pub kernel_edts: u64,
    /// Of these, EDTs whose kernel was enqueued behind the one they waited for.
    pub kernels_ahead: u64,
    /// Nanoseconds in which workers had no EDT to run.
    pub idle_ns: u64,
}

impl Totals {
    /// And what one thread has done.
    fn add(&mut self, tally: &Tally) {
        self.function_edts += tally.function_edts.get();
        self.kernel_edts += tally.kernel_edts.get();
        self.kernels_ahead += tally.kernels_ahead.get();
        self.idle_ns += tally.idle_ns.get();
    }
}

/// What was run where, and how long, by the address of the work.
type TimesOfAll = HashMap<(usize, Place), Ran>;

/// The tallies of the threads that are there, and the sums of those that have gone: a program may start a thread for
/// each of its calls, so nothing stays for each.
#[derive(Default)]
struct Tallies {
    there: Vec<Arc<Tally>>,
    gone: Totals,
    times_gone: TimesOfAll,
}

/// The tallies of all threads, and the notes.
#[derive(Default)]
pub struct TallyRegistry {
    tallies: Mutex<Tallies>,
    notes: Mutex<Notes>,
    remarks: Mutex<Vec<String>>,
    /// What the program calls its objects.
    pub labels: Labels,
    /// Units of progress that the program has reported.
    pub progress: AtomicU64,
    /// Calls that were refused.
    pub refusals: Noted,
    /// Calls with nothing but `NULL_GUID`, which did nothing.
    pub nothing: Noted,
}

/// Calls that were refused without strict mode, or did nothing, for who wonders why a program hangs: many do not look at
/// what calls return.
#[derive(Default)]
pub struct Noted {
    count: AtomicU64,
    first: Mutex<Option<String>>,
}

impl Noted {
    /// One more; `describe` says which, in whom.
    pub fn add(&self, describe: impl FnOnce() -> String) {
        if self.count.fetch_add(1, Ordering::Relaxed) == 0 {
            *self.first.lock() = Some(describe());
        }
    }

    /// How many, and the first; none if there was none.
    pub fn told(&self) -> Option<(u64, String)> {
        let first = self.first.lock().clone()?;
        Some((self.count.load(Ordering::Relaxed), first))
    }
}

#[derive(Default)]
struct Notes {
    kept: Vec<String>,
    dropped: u64,
}

/// More notes than this are counted and not kept.
const NOTES_KEPT: usize = 20;

impl TallyRegistry {
    /// A tally for a new thread.
    pub fn join(&self) -> Arc<Tally> {
        let tally = Arc::new(Tally::default());
        // SAFETY: `gettid` has no preconditions, and touches no memory of the caller.
        let thread = unsafe { libc::gettid() };
        tally.now.thread.store(thread, Ordering::Relaxed);
        self.tallies.lock().there.push(tally.clone());
        tally
    }

    /// The thread of this tally ends: what it has done is counted with that of the others that have. It is in no call
    /// any more, and adds nothing.
    pub fn leave(&self, tally: &Tally) {
        let mut tallies = self.tallies.lock();
        let mut there = tallies.there.iter();
        let Some(at) = there.position(|other| std::ptr::eq(&**other, tally)) else {
            return;
        };
        tallies.there.swap_remove(at);
        tallies.gone.add(tally);
        for (key, ran) in tally.times.0.lock().iter() {
            tallies.times_gone.entry(*key).or_default().add(*ran);
        }
    }

    /// The threads that have not ended.
    pub fn threads(&self) -> Vec<Arc<Tally>> {
        let alive = |tally: &&Arc<Tally>| tally.now.holder.load(Ordering::Relaxed) != 0;
        let tallies = self.tallies.lock();
        tallies.there.iter().filter(alive).cloned().collect()
    }

    /// Whether a thread that is no worker, besides this one, is in a call in which it does not only wait.
    pub fn others_call(&self, this: &Tally) -> bool {
        let tallies = self.tallies.lock();
        let mut others = tallies
            .there
            .iter()
            .filter(|other| !std::ptr::eq(&***other, this));
        others.any(|other| other.now.calls.acts())
    }

    /// Whether `is_so` of the calls of a thread.
    pub fn any_calls(&self, is_so: impl Fn(&Calls) -> bool) -> bool {
        let tallies = self.tallies.lock();
        tallies.there.iter().any(|tally| is_so(&tally.now.calls))
    }

    /// The sums now.
    pub fn totals(&self) -> Totals {
        let tallies = self.tallies.lock();
        let mut totals = tallies.gone;
        for tally in &tallies.there {
            totals.add(tally);
        }
        totals
    }

    /// What was run where, and how long, by the address of the work.
    pub fn times(&self) -> HashMap<(usize, Place), Ran> {
        let tallies = self.tallies.lock();
        let mut times = tallies.times_gone.clone();
        for tally in &tallies.there {
            for (key, ran) in tally.times.0.lock().iter() {
                times.entry(*key).or_default().add(*ran);
            }
        }
        times
    }

    /// Keeps a sentence for the report, if it is not there already.
    pub fn remark(&self, remark: String) {
        let mut remarks = self.remarks.lock();
        if !remarks.contains(&remark) {
            remarks.push(remark);
        }
    }

    /// The remarks, and the progress if the program has reported any.
    pub fn remarks(&self) -> Vec<String> {
        let mut remarks = self.remarks.lock().clone();
        let progress = self.progress.load(Ordering::Relaxed);
        if progress != 0 {
            remarks.push(format!("the program reported a progress of {progress}"));
        }
        remarks
    }

    /// Keeps a sentence that is printed at the end even if no report is asked for: something was
    /// not done as the program asked.
    pub fn note(&self, note: String) {
        let mut notes = self.notes.lock();
        if notes.kept.len() < NOTES_KEPT {
            notes.kept.push(note);
        } else {
            notes.dropped += 1;
        }
    }

    /// As [`TallyRegistry::note`], for what is the same each time.
    pub fn note_once(&self, note: String) {
        if !self.notes.lock().kept.contains(&note) {
            self.note(note);
        }
    }

    /// The notes.
    pub fn notes(&self) -> Vec<String> {
        let notes = self.notes.lock();
        let mut all = notes.kept.clone();
        if notes.dropped != 0 {
            all.push(format!("and {} more of the kind", notes.dropped));
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_thread_has_done_counts_when_it_is_gone() {
        let registry = TallyRegistry::default();
        let (first, second) = (registry.join(), registry.join());
        let key = (64, Place::HOST);
        let ran = Ran { edts: 1, ns: 5 };
        for tally in [&first, &second] {
            tally.function_edts.add(2);
            tally.kernel_edts.add(3);
            tally.kernels_ahead.add(1);
            tally.idle_ns.add(7);
            tally.times.0.lock().entry(key).or_default().add(ran);
        }
        let all = |registry: &TallyRegistry| (registry.totals(), registry.times());
        let before = all(&registry);
        assert_eq!(before.0.function_edts, 4);
        assert_eq!(before.1[&key], Ran { edts: 2, ns: 10 });
        for tally in [&first, &second] {
            registry.leave(tally);
            registry.leave(tally);
            assert_eq!(all(&registry), before);
        }
        assert!(registry.tallies.lock().there.is_empty());
    }
}
