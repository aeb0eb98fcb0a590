//! Counters that one thread adds to and anybody reads.

use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

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

/// What one thread has done.
#[derive(Default)]
#[repr(align(128))]
pub struct Tally {
    /// EDTs run as C functions.
    pub function_edts: Count,
    /// EDTs whose kernel was run.
    pub kernel_edts: Count,
}

/// The sum over all threads.
#[derive(Default, Clone, Copy)]
pub struct Totals {
    /// EDTs run as C functions.
    pub function_edts: u64,
    /// EDTs whose kernel was run.
    pub kernel_edts: u64,
}

/// The tallies of all threads, and the notes.
#[derive(Default)]
pub struct Registry {
    tallies: Mutex<Vec<Arc<Tally>>>,
    notes: Mutex<Notes>,
    remarks: Mutex<Vec<String>>,
}

#[derive(Default)]
struct Notes {
    kept: Vec<String>,
    dropped: u64,
}

/// More notes than this are counted and not kept.
const NOTES_KEPT: usize = 20;

impl Registry {
    /// A tally for a new thread.
    pub fn join(&self) -> Arc<Tally> {
        let tally = Arc::new(Tally::default());
        self.tallies.lock().push(tally.clone());
        tally
    }

    /// The sums now.
    pub fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        for tally in self.tallies.lock().iter() {
            totals.function_edts += tally.function_edts.get();
            totals.kernel_edts += tally.kernel_edts.get();
        }
        totals
    }

    /// Keeps a sentence for the report, if it is not there already.
    pub fn remark(&self, remark: String) {
        let mut remarks = self.remarks.lock();
        if !remarks.contains(&remark) {
            remarks.push(remark);
        }
    }

    /// The remarks.
    pub fn remarks(&self) -> Vec<String> {
        self.remarks.lock().clone()
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

    /// As [`Registry::note`], for what is the same each time.
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
