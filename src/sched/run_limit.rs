//! The word by which the thread that watches stops a function that runs beyond its time limit (`OCR_TIME_LIMIT`). Each
//! thread that runs EDTs has one: the number of its run, and a state. A run is one call of an EDT's function, or what
//! comes of it when a call of the runtime has waited.
//!
//! | state | who changes it | when | next state |
//! |---|---|---|---|
//! | idle | the thread | it is about to call a function, or has waited in a call of the runtime | runs, with the next number |
//! | runs, not now | the thread that watches | it has seen this number for as long as the limit, or has asked in vain often enough | asked, or asked at last; then it sends the signal |
//! | asked, asked at last | the thread, in the handler of the signal | it begins to answer | taken |
//! | taken | the thread, in the handler | the function cannot be left here, and was not asked at last; or it has not begun, or has returned | not now |
//! | taken | the thread, in the handler | the function is left, or the run of the program ends with a report | taken |
//! | any but idle | the thread | the function has returned or was left, or a call of the runtime begins to wait | idle |
//!
//! *A signal that comes late is harmless.* The handler acts on a word that is asked alone, and it runs on the thread
//! whose word that is. When the function has returned, the word is idle, and when the next one runs, it has another
//! number. The thread that watches asks by an exchange with the number that it has seen for so long. So whatever signal
//! finds a word that is asked finds a run that is beyond its limit. Between the return of a function and the word that
//! says so, the handler looks at where the thread is (`Point::is_in_function`).
//!
//! *A limit is that of its run, or nothing comes of it.* The thread writes the limit of a run before the word has its
//! number. The thread that watches reads it behind the number. If it is that of a later run, the number has changed,
//! and the exchange by which it would ask fails.
//!
//! All accesses are sequentially consistent: nothing else is ordered by them, and they are rare.

use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::time::Duration;

const IDLE: u64 = 0;
const RUNS: u64 = 1;
const NOT_NOW: u64 = 2;
const ASKED: u64 = 3;
const ASKED_AT_LAST: u64 = 4;
const TAKEN: u64 = 5;
/// The bits of the state.
const STATE: u64 = 7;
/// What is added for the next number.
const ONE: u64 = STATE + 1;

/// The word of a thread.
#[derive(Default)]
pub struct RunLimit {
    word: AtomicU64,
    /// How long the run may take, in nanoseconds. The thread writes it before it begins.
    limit_ns: AtomicU64,
}

impl RunLimit {
    /// The thread is about to call a function that may run for so long.
    pub fn begin_with(&self, limit: Duration) {
        self.limit_ns.store(u64::try_from(limit.as_nanos()).unwrap_or(u64::MAX), SeqCst);
        self.begin();
    }

    /// How long the run may take that was seen last.
    pub fn limit(&self) -> Duration {
        Duration::from_nanos(self.limit_ns.load(SeqCst))
    }

    /// The thread goes on with its function.
    pub fn begin(&self) {
        let number = self.word.load(SeqCst) & !STATE;
        self.word.store(number.wrapping_add(ONE) | RUNS, SeqCst);
    }

    /// The function has returned, or its call waits. Whether it ran.
    pub fn end(&self) -> bool {
        let before = self.word.load(SeqCst);
        // Not only a bit is cleared: what is asked meanwhile is over, too.
        self.word.store(before & !STATE | IDLE, SeqCst);
        before & STATE != IDLE
    }

    /// The number of the run, if the thread is in one. For the thread that watches.
    pub fn number(&self) -> Option<u64> {
        let word = self.word.load(SeqCst);
        (word & STATE != IDLE).then_some(word & !STATE)
    }

    /// Asks the thread to leave this run, `at_last` whatever it does. False if there is nothing to be asked: it is
    /// over, or was asked and has not answered. For the thread that watches.
    pub fn ask(&self, number: u64, at_last: bool) -> bool {
        let asked = number | if at_last { ASKED_AT_LAST } else { ASKED };
        let from = |state| self.word.compare_exchange(number | state, asked, SeqCst, SeqCst).is_ok();
        from(RUNS) || from(NOT_NOW)
    }

    /// Takes what was asked; whether it was asked at last. In the handler on the thread.
    pub fn take(&self) -> Option<bool> {
        let word = self.word.load(SeqCst);
        let at_last = match word & STATE {
            ASKED => false,
            ASKED_AT_LAST => true,
            _ => return None,
        };
        self.word.store(word & !STATE | TAKEN, SeqCst);
        Some(at_last)
    }

    /// Answers what was taken: ask again. In the handler on the thread.
    pub fn not_now(&self) {
        let number = self.word.load(SeqCst) & !STATE;
        self.word.store(number | NOT_NOW, SeqCst);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_asked_once_at_a_time() {
        let word = RunLimit::default();
        assert_eq!((word.number(), word.take(), word.end()), (None, None, false));
        word.begin();
        let run = word.number().expect("it runs");
        assert!(word.ask(run, false) && !word.ask(run, false), "it has not answered");
        assert_eq!((word.take(), word.take()), (Some(false), None));
        assert!(!word.ask(run, true), "it answers");
        word.not_now();
        assert_eq!(word.number(), Some(run), "it is the same run");
        assert!(word.ask(run, true));
        assert_eq!(word.take(), Some(true));
        assert!(word.end());
    }

    #[test]
    fn a_signal_that_comes_late_finds_nothing() {
        let word = RunLimit::default();
        word.begin();
        let run = word.number().expect("it runs");
        assert!(word.ask(run, false) && word.end());
        assert_eq!(word.take(), None, "the function has returned");
        word.begin();
        assert_eq!(word.take(), None, "another runs");
        assert_ne!(word.number(), Some(run));
        assert!(!word.ask(run, false), "that is over");
    }

    #[test]
    fn a_run_is_another_when_its_call_has_waited() {
        let word = RunLimit::default();
        word.begin();
        let run = word.number();
        assert!(word.end());
        assert_eq!(word.number(), None);
        word.begin();
        assert!(word.number() > run);
    }
}
