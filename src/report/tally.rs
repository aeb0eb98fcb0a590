//! What each thread counts and tells of itself: counters to which one thread adds and that any thread reads.

use super::labels::ObjectLabels;
use crate::object::code::Code;
use crate::object::guid::Guid;
use crate::sched::calls::Calls;
use crate::sched::run_limit::RunLimit;
use ocr_base::lock::{Mutex, rank};
use ocr_place::place::Place;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, AtomicUsize, Ordering};

/// A counter with one writer.
#[derive(Default)]
pub struct Count(AtomicU64);

impl Count {
    /// Adds to the counter. Only the thread that owns the counter may call this: it is a load and a store, and no
    /// locked operation. Relaxed: the number stands alone.
    #[inline]
    pub fn add(&self, more: u64) {
        self.0.store(self.0.load(Ordering::Relaxed) + more, Ordering::Relaxed);
    }

    /// The value now; others than the writer may get an older one.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// What a thread waits for in a call of the interface.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wait {
    /// The name of the called function.
    pub call: &'static str,
    /// The event that is waited for, unless `label` is there.
    pub event: Guid,
    /// What is waited for where a label is concerned.
    pub label: Option<Label>,
}

/// What a thread waits for where a label is concerned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Label {
    /// The object with this label is to go (`GUID_PROP_BLOCK`).
    Gone(Guid),
    /// An event with this label must be created (`LEGACY_PROP_WAIT_FOR_CREATE`).
    Made(Guid),
    /// The creator of this map, which another thread runs, is to create the object of this index.
    Mapped(Guid, u64),
}

/// What one thread does right now. That thread alone writes this; what other threads read may be a moment old.
#[derive(Default)]
pub struct Now {
    /// The system's number of the thread.
    pub thread: AtomicI32,
    /// Whether the thread is a worker, which runs EDTs.
    pub worker: AtomicBool,
    /// The address of the EDT that the thread runs; 0 for none.
    pub running: AtomicUsize,
    /// What the thread waits for in a call. None if it does not wait.
    pub waits: Mutex<rank::TallyWait, Option<Wait>>,
    /// The number by which blocks name the thread as their holder; 0 when the thread has ended.
    pub holder: AtomicUsize,
    /// The calls of the interface in which the thread is, unless it is a worker.
    pub calls: Calls,
    /// Whether the function that the thread runs is beyond its time limit.
    pub limit: RunLimit,
}

/// How many EDTs ran, and how long.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct RanEdts {
    /// The number of EDTs that ran.
    pub edts: u64,
    /// How many nanoseconds they took in all.
    pub ns: u64,
}

impl RanEdts {
    /// Adds the EDTs of another count.
    pub fn add(&mut self, more: RanEdts) {
        self.edts += more.edts;
        self.ns += more.ns;
    }
}

/// How many EDTs of each work ran in each place, and how long. A work is named by its address, which no other one has
/// while the run lives.
#[derive(Default)]
pub struct CodeTimes(Mutex<rank::TallyTimes, HashMap<(usize, Place), RanEdts>>);

impl CodeTimes {
    /// Adds an EDT of a work that ran in a place for `ns` nanoseconds.
    pub fn add(&self, work: &'static Code, place: Place, ns: u64) {
        let key = (std::ptr::from_ref(work).addr(), place);
        let mut times = self.0.lock();
        times.entry(key).or_default().add(RanEdts { edts: 1, ns });
    }
}

/// Makes the table of what each thread counts: a thread's counters, and their sums over all threads, which the report
/// has.
///
/// To count something else, add an entry: its name, which is the member of the JSON, and what it counts. Code adds to
/// `tally.counts.NAME`; the sum is in `OCR_REPORT`, in the statistics where it is not 0, and in the guide's table.
macro_rules! counters {
    ($($name:ident, $what:literal;)*) => {
        /// What one thread has counted.
        #[derive(Default)]
        pub struct Counters {
            $(#[doc = $what] pub $name: Count,)*
        }

        /// The sums of the counters of all threads.
        #[derive(Serialize, Deserialize, Default, Clone, Copy, PartialEq, Eq, Debug)]
        pub struct Totals {
            $(#[doc = $what] #[serde(default)] pub $name: u64,)*
        }

        /// Each counter: its name, and what it counts.
        pub const COUNTERS: &[(&str, &str)] = &[$((stringify!($name), $what)),*];

        impl Totals {
            /// Adds what one thread has counted.
            fn add(&mut self, counts: &Counters) {
                $(self.$name += counts.$name.get();)*
            }

            /// Adds what another program has counted.
            pub fn add_totals(&mut self, other: &Totals) {
                $(self.$name += other.$name;)*
            }

            /// Each counter's name, what it counts, and its value.
            pub fn rows(&self) -> impl Iterator<Item = (&'static str, &'static str, u64)> {
                let values = [$(self.$name),*];
                COUNTERS.iter().zip(values).map(|((name, what), value)| (*name, *what, value))
            }
        }
    };
}

counters! {
    function_edts, "EDTs that ran as C functions";
    kernel_edts, "EDTs that ran as kernels";
    kernels_ahead, "kernels that were enqueued behind the kernel that their EDT waited for";
    attempts_undone, "runs of EDTs that crashed and were undone (OCR_RETRY)";
    attempts_late, "runs of EDTs that were beyond their time limit and were undone (OCR_TIME_LIMIT)";
    kernels_undone, "kernels that failed, after which their EDTs ran again (OCR_RETRY)";
    edts_recovered, "EDTs that ended well after such a run or kernel";
    attempts_repeated, "EDTs whose first run was undone on purpose (OCR_RETRY=verify)";
    attempts_opened, "runs of EDTs that could not be undone from some call on (OCR_RETRY)";
    duplicates, "EDTs whose functions workers have called while their kernels ran (OCR_DUPLICATES)";
    duplicates_first, "of these, EDTs whose functions ended before their kernels";
    duplicates_in_vain, "of these, EDTs whose kernels ended before their functions";
    idle_ns, "nanoseconds in which workers had no EDT to run, where a report is asked for";
}

/// What one thread has done in this run, and what it does now.
#[derive(Default)]
#[repr(align(128))]
pub struct Tally {
    /// What the thread has counted.
    pub counts: Counters,
    /// How long the EDTs took that the thread has run, or whose kernels it has seen to end. Counted only where a report
    /// is asked for.
    pub times: CodeTimes,
    /// What the thread does now.
    pub now: Now,
}

/// How many EDTs of each work ran in each place, and how long, by the address of the work.
type TimesOfAll = HashMap<(usize, Place), RanEdts>;

/// The tallies of the threads that are there, and the sums of those that have gone. A program may start a thread for
/// each of its calls, so nothing is kept for each thread that has gone.
#[derive(Default)]
struct Tallies {
    /// The tallies of the threads that are there.
    there: Vec<Arc<Tally>>,
    /// What the threads that have gone had done.
    gone: Totals,
    /// How long the EDTs took that the threads which have gone had run.
    times_gone: TimesOfAll,
}

/// The tallies of all threads of a run, and the notes and remarks for its report.
#[derive(Default)]
pub struct TallyRegistry {
    tallies: Mutex<rank::Tallies, Tallies>,
    notes: Mutex<rank::Notes, Notes>,
    remarks: Mutex<rank::Remarks, Vec<String>>,
    /// The labels that the program has given its objects.
    pub labels: ObjectLabels,
    /// The progress that the program has reported, in units of its own (`ocrProgressReport`).
    pub progress: AtomicU64,
    /// How many calls were refused, and the first of them.
    pub refusals: Noted,
    /// Dependences that were refused since their event was gone.
    pub late: Noted,
    /// Calls that were given `NULL_GUID` alone, and did nothing.
    pub nothing: Noted,
}

/// Calls that were refused without strict mode, or did nothing: how many, and the first. The message about a hang names
/// them, since many programs do not look at what calls return.
#[derive(Default)]
pub struct Noted {
    count: AtomicU64,
    first: Mutex<rank::FirstRefusal, Option<String>>,
}

impl Noted {
    /// Counts a call. `describe` names the function and its caller, and is asked for the first call only.
    pub fn add(&self, describe: impl FnOnce() -> String) {
        if self.count.fetch_add(1, Ordering::Relaxed) == 0 {
            *self.first.lock() = Some(describe());
        }
    }

    /// How many calls were counted, and a description of the first. None if there was none.
    pub fn told(&self) -> Option<(u64, String)> {
        let first = self.first.lock().clone()?;
        Some((self.count.load(Ordering::Relaxed), first))
    }
}

/// Notes for the report, and how many there was no room for.
#[derive(Default)]
struct Notes {
    kept: Vec<String>,
    dropped: u64,
}

/// How many notes are kept at most. Further ones are only counted.
const NOTES_KEPT: usize = 20;

impl TallyRegistry {
    /// Adds a tally for the calling thread.
    pub fn join(&self) -> Arc<Tally> {
        let tally = Arc::new(Tally::default());
        // SAFETY: `gettid` has no preconditions, and touches no memory of the caller.
        let thread = unsafe { libc::gettid() };
        tally.now.thread.store(thread, Ordering::Relaxed);
        self.tallies.lock().there.push(tally.clone());
        tally
    }

    /// Removes the tally of a thread that ends, and adds what the thread has done to the sums of those that have gone.
    /// The thread must be in no call any more, and add nothing later.
    pub fn leave(&self, tally: &Tally) {
        let mut tallies = self.tallies.lock();
        let mut there = tallies.there.iter();
        let Some(at) = there.position(|other| std::ptr::eq(&**other, tally)) else {
            return;
        };
        tallies.there.swap_remove(at);
        tallies.gone.add(&tally.counts);
        for (key, ran) in tally.times.0.lock().iter() {
            tallies.times_gone.entry(*key).or_default().add(*ran);
        }
    }

    /// The tallies of the threads that have not ended.
    pub fn threads(&self) -> Vec<Arc<Tally>> {
        let alive = |tally: &&Arc<Tally>| tally.now.holder.load(Ordering::Relaxed) != 0;
        let tallies = self.tallies.lock();
        tallies.there.iter().filter(alive).cloned().collect()
    }

    /// Whether a thread other than this one, and that is no worker, acts in a call rather than only waits in it.
    pub fn others_call(&self, this: &Tally) -> bool {
        let tallies = self.tallies.lock();
        let mut others = tallies.there.iter().filter(|other| !std::ptr::eq(&***other, this));
        others.any(|other| other.now.calls.acts())
    }

    /// Whether `is_so` is true of the calls of at least one thread.
    pub fn any_calls(&self, is_so: impl Fn(&Calls) -> bool) -> bool {
        let tallies = self.tallies.lock();
        tallies.there.iter().any(|tally| is_so(&tally.now.calls))
    }

    /// The sums over all threads, those that have gone included.
    pub fn totals(&self) -> Totals {
        let tallies = self.tallies.lock();
        let mut totals = tallies.gone;
        for tally in &tallies.there {
            totals.add(&tally.counts);
        }
        totals
    }

    /// How many EDTs of each work ran in each place, and how long, by the address of the work.
    pub fn times(&self) -> HashMap<(usize, Place), RanEdts> {
        let tallies = self.tallies.lock();
        let mut times = tallies.times_gone.clone();
        for tally in &tallies.there {
            for (key, ran) in tally.times.0.lock().iter() {
                times.entry(*key).or_default().add(*ran);
            }
        }
        times
    }

    /// Keeps a sentence for the report about what is worth knowing, unless it is there already.
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

    /// Keeps a sentence about something that was not done as the program asked. It is printed at the end of the run
    /// even if no report is asked for.
    pub fn note(&self, note: String) {
        let mut notes = self.notes.lock();
        if notes.kept.len() < NOTES_KEPT {
            notes.kept.push(note);
        } else {
            notes.dropped += 1;
        }
    }

    /// Keeps a sentence as [`TallyRegistry::note`] does, unless it is there already.
    pub fn note_once(&self, note: String) {
        if !self.notes.lock().kept.contains(&note) {
            self.note(note);
        }
    }

    /// The notes that are kept, and a sentence with the number of those that are not.
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

    /// A table with another counter.
    #[allow(unreachable_pub)]
    mod with_another {
        use super::super::*;

        counters! {
            wool, "bales of wool";
            stray_sheep, "sheep that strayed";
        }

        pub(super) fn counted() -> Totals {
            let counts = Counters::default();
            counts.stray_sheep.add(3);
            let mut totals = Totals::default();
            totals.add(&counts);
            totals.add_totals(&totals.clone());
            totals
        }
    }

    #[test]
    fn one_entry_adds_a_counter() {
        let totals = with_another::counted();
        let rows: Vec<_> = totals.rows().collect();
        let added = ("stray_sheep", "sheep that strayed", 6);
        assert_eq!(rows, [("wool", "bales of wool", 0), added]);
        assert_eq!(with_another::COUNTERS[1], (added.0, added.1));
        let json = serde_json::to_value(totals).expect("it can be written");
        assert_eq!(json["stray_sheep"], 6);
        // Reports of older programs lack it.
        let old: with_another::Totals = serde_json::from_str("{}").expect("it can be read");
        assert_eq!(old.stray_sheep, 0);
    }

    #[test]
    fn each_counter_is_in_the_report_and_in_the_statistics() {
        let mut json = serde_json::to_value(crate::report::Report::default()).expect("it can be written");
        for (at, (name, _)) in COUNTERS.iter().enumerate() {
            json[name] = (1000 + at).into();
        }
        let report: crate::report::Report = serde_json::from_value(json).expect("it can be read");
        let values = report.counts.rows().map(|(name, _, value)| (name, value));
        let set = COUNTERS.iter().enumerate();
        assert!(values.eq(set.map(|(at, (name, _))| (*name, 1000 + at as u64))));
    }

    #[test]
    fn what_a_thread_has_done_counts_when_it_is_gone() {
        let registry = TallyRegistry::default();
        let (first, second) = (registry.join(), registry.join());
        let key = (64, Place::HOST);
        let ran = RanEdts { edts: 1, ns: 5 };
        for tally in [&first, &second] {
            tally.counts.function_edts.add(2);
            tally.counts.kernel_edts.add(3);
            tally.counts.kernels_ahead.add(1);
            tally.counts.idle_ns.add(7);
            tally.times.0.lock().entry(key).or_default().add(ran);
        }
        let all = |registry: &TallyRegistry| (registry.totals(), registry.times());
        let before = all(&registry);
        assert_eq!(before.0.function_edts, 4);
        assert_eq!(before.1[&key], RanEdts { edts: 2, ns: 10 });
        for tally in [&first, &second] {
            registry.leave(tally);
            registry.leave(tally);
            assert_eq!(all(&registry), before);
        }
        assert!(registry.tallies.lock().there.is_empty());
    }
}
