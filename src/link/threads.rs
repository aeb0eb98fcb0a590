//! Which threads of the process are those of the link: the one that makes its calls, and those that MPI has started.
//! None of them ever calls the runtime, so they do not keep it from finding that a program hangs.
//!
//! The thread that makes the calls has two marks, which threads have from the thread that starts them: its name, and a
//! flag of the system that has no effect. A library that renames its threads leaves the flag. Where a container forbids
//! the flag, the threads that come while the link begins count as well. Then a thread that the program starts in that
//! very time is taken for one of the link.

use ocr_base::apart::block_signals;
use ocr_base::thread_mark::{ThreadMark, about, of_process};
use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// The name of the thread that makes the calls.
pub(crate) const NAME: &str = "ocr-link";

/// Whether the process has such threads. Relaxed: who asks reads the threads of the process behind that, and one that
/// is missed counts as the program's.
static ANY: AtomicBool = AtomicBool::new(false);

/// The threads that have come while the link began, where the system refuses the flag.
static CAME: OnceLock<BTreeSet<String>> = OnceLock::new();

/// Gives this thread the marks, but for the name, and has it take no signal that is sent to the process. What a handler
/// of the program finds is then what it would find without a link.
pub(crate) fn mark_this() {
    ThreadMark::LINK.set();
    MAKES_CALLS.set(true);
    ANY.store(true, Ordering::Relaxed);
    block_signals();
}

/// Asks the system to let this thread run soon after it is woken, and for short times: it has a little to do at a time,
/// for which others wait. Linux 6.12 and later do that; other releases do as before.
pub(crate) fn ask_for_short_shares() {
    const SHARE_NS: u64 = 100_000;
    const SLACK_NS: libc::c_ulong = 1000;
    // SAFETY: all members are numbers, for which 0 is a value.
    let mut wanted: libc::sched_attr = unsafe { std::mem::zeroed() };
    wanted.size = size_of::<libc::sched_attr>() as u32;
    // SAFETY: the structure is this function's, and as long as it says. 0 stands for this thread.
    let is_known = unsafe { libc::syscall(libc::SYS_sched_getattr, 0, &raw mut wanted, wanted.size, 0) } == 0;
    if is_known && wanted.sched_policy == libc::SCHED_OTHER as u32 {
        wanted.sched_runtime = SHARE_NS;
        // SAFETY: the structure is this function's, and as long as it says.
        unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const wanted, 0) };
    }
    // SAFETY: the call takes a number. It has the thread's short sleeps end when they should.
    unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, SLACK_NS) };
}

thread_local! {
    /// Whether this thread makes the calls of the link.
    static MAKES_CALLS: Cell<bool> = const { Cell::new(false) };
}

/// Whether this is the thread that makes the calls, and none that it has started.
pub(crate) fn makes_calls() -> bool {
    MAKES_CALLS.get()
}

/// Does what may have MPI start threads.
pub(crate) fn watch<T>(begin: impl FnOnce() -> T) -> T {
    let before: BTreeSet<String> = of_process().collect();
    let result = begin();
    if !ThreadMark::LINK.is_of(&this()) {
        let _ = CAME.set(of_process().filter(|id| !before.contains(id)).collect());
    }
    result
}

/// Threads that were the link's when somebody looked, by the system's numbers.
pub(crate) struct LinkThreads(Vec<String>);

impl LinkThreads {
    /// The threads of the link that the process has now.
    pub(crate) fn now() -> LinkThreads {
        let is_any = ANY.load(Ordering::Relaxed);
        LinkThreads(if is_any { of_process().filter(|id| is_marked(id)).collect() } else { Vec::new() })
    }

    /// How many of them are still there, and so have been there all the time since then.
    pub(crate) fn left(&self) -> usize {
        self.0.iter().filter(|id| is_marked(id)).count()
    }

    /// Whether a thread is one of them.
    pub(crate) fn contains(&self, number: libc::pid_t) -> bool {
        self.0.iter().any(|id| id.parse() == Ok(number))
    }
}

/// The number of the calling thread.
fn this() -> String {
    // SAFETY: `gettid` has no preconditions.
    unsafe { libc::gettid() }.to_string()
}

fn is_marked(id: &str) -> bool {
    about(id, "comm").trim_end() == NAME
        || ThreadMark::LINK.is_of(id)
        || CAME.get().is_some_and(|came| came.contains(id)) && !about(id, "comm").is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;
    use std::thread::Builder;

    #[test]
    #[cfg_attr(miri, ignore = "reads /proc")]
    fn a_thread_of_the_link_and_those_that_it_starts_are_known() {
        let (tell, told) = channel();
        let (end, ended) = channel::<()>();
        let work = move || {
            mark_this();
            // A library may give its threads names of their own.
            let child = Builder::new().name("async".to_string()).spawn(move || {
                let _ = tell.send(this());
                let _ = ended.recv();
            });
            let is_flagged = ThreadMark::LINK.is_of(&this());
            child.expect("a thread").join().expect("no panic");
            is_flagged
        };
        let link = Builder::new().name(NAME.to_string()).spawn(work).expect("a thread");
        let child: libc::pid_t = told.recv().expect("it says who it is").parse().expect("a number");
        let seen = LinkThreads::now();
        assert!(!seen.contains(this().parse().expect("a number")));
        let is_seen = seen.contains(child);
        let left = seen.left();
        drop(end);
        if link.join().expect("no panic") {
            assert!(is_seen && left == 2, "{left}");
        } else {
            say_line!("not tested: the system does not let a thread have the flag");
        }
    }
}
