//! Threads with a table of descriptors of their own.
//!
//! A descriptor is a number in the table of the process, and all threads of a program share that table. A program may
//! close any number there (`closefrom(3)`), open a file that gets the number, or put another file in its place
//! (`dup2`). What the runtime does with a number that it has been given once may then reach a file of the program.
//!
//! The runtime opens files, while a program runs, in a thread that has left the table of the process:
//!
//! - The system gives such a thread a table of its own (`CLOSE_RANGE_UNSHARE`). No call of another thread can close,
//!   replace or see what is in it, whatever number it names.
//! - The thread's own numbers are in no other table. So nothing that the thread does by them reaches a file that the
//!   program has opened since.
//! - A process that the program forks gets the table of the thread that forks, and never this one.
//! - The thread closes the copies that it began with in the same step. So a pipe of the program still ends when the
//!   program closes it. Locks on files stay with the program, since they belong to its table.
//! - No handler of the program runs on such a thread, where the program's numbers would mean nothing: all signals are
//!   blocked there except those of the thread's own faults.
//!
//! Memory is that of the process. So a file that such a thread maps is mapped for all threads, and stays mapped.

use std::io;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{Builder, JoinHandle};

/// Which descriptors of the process a thread keeps copies of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kept {
    /// None.
    Nothing,
    /// All, since the name of the user's file is that of one of them. What is copied stays open as long as the thread.
    Everything,
}

/// How the names of such threads begin, by which they are distinguished from others.
pub const NAME: &str = "ocr-file-";

/// How many such threads have begun, and how many are about to end. For those who count the threads of the process: a
/// thread is in neither number before it is there, and in both of them before it is gone. Sequentially consistent,
/// since they are read before and after the system is asked.
static BEGUN: AtomicUsize = AtomicUsize::new(0);
static ENDED: AtomicUsize = AtomicUsize::new(0);

/// How many such threads have begun, and how many have ended. Where both numbers are what they were before, the
/// difference is how many there have been all the time.
pub fn threads() -> [usize; 2] {
    [&BEGUN, &ENDED].map(|count| count.load(Ordering::SeqCst))
}

/// Counts this thread as long as it lives.
struct CountedCall;

impl CountedCall {
    fn new() -> CountedCall {
        BEGUN.fetch_add(1, Ordering::SeqCst);
        CountedCall
    }
}

impl Drop for CountedCall {
    fn drop(&mut self) {
        ENDED.fetch_add(1, Ordering::SeqCst);
    }
}

/// Leaves the table of the process. The thread must be a new one, which has no descriptors yet.
fn leave_table(kept: Kept) -> io::Result<()> {
    const ALL: libc::c_uint = libc::c_uint::MAX;
    if kept == Kept::Nothing {
        // SAFETY: the call takes numbers alone. It closes copies in a table that is new, and that no other thread has.
        let left = unsafe { libc::syscall(libc::SYS_close_range, 0 as libc::c_uint, ALL, libc::CLOSE_RANGE_UNSHARE) };
        if left == 0 {
            return Ok(());
        }
        // Linux before 5.9 has no such call: the copies stay there.
    }
    // SAFETY: the call takes a number, and changes the table of this thread alone.
    match unsafe { libc::unshare(libc::CLONE_FILES) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Has this thread take no signal that is sent to the process, so that no handler of the program runs on it. Those of
/// the thread's own faults stay. Gives the mask that the thread had.
pub fn block_signals() -> libc::sigset_t {
    let own = [libc::SIGBUS, libc::SIGSEGV, libc::SIGILL, libc::SIGFPE, libc::SIGTRAP, libc::SIGABRT, libc::SIGSYS];
    let mut blocked = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: the call writes the whole set, for which there is room.
    unsafe { libc::sigfillset(blocked.as_mut_ptr()) };
    // SAFETY: `sigfillset`, which cannot fail, has written it.
    let mut blocked = unsafe { blocked.assume_init() };
    for signal in own {
        // SAFETY: the set is a variable that was initialised above.
        unsafe { libc::sigdelset(&raw mut blocked, signal) };
    }
    let mut before = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: `blocked` is a set, and `before` has room for one.
    unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &raw const blocked, before.as_mut_ptr()) };
    // SAFETY: with these arguments the call above cannot fail, so it has written the mask of this thread.
    unsafe { before.assume_init() }
}

/// Has signals blocked while `begin` starts a thread, which inherits that.
fn without_handlers<T>(begin: impl FnOnce() -> T) -> T {
    let before = block_signals();
    let begun = begin();
    // SAFETY: the mask is one that this thread has had.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, ptr::null_mut()) };
    begun
}

/// Starts a thread with a table of its own; its name is [`NAME`] and `name`. `work` gets the error where the system
/// gives the thread none; it must not use descriptors then.
pub fn spawn<T: Send + 'static>(
    name: &str,
    kept: Kept,
    work: impl FnOnce(io::Result<()>) -> T + Send + 'static,
) -> io::Result<JoinHandle<T>> {
    let thread = Builder::new().name(format!("{NAME}{name}"));
    let counted = move || {
        let _counted = CountedCall::new();
        work(leave_table(kept))
    };
    without_handlers(|| thread.spawn(counted))
}

/// Does some work in a thread with a table of its own, and waits for its end.
pub fn run<T: Send>(name: &str, kept: Kept, work: impl FnOnce() -> T + Send) -> io::Result<T> {
    let left = move || {
        let _counted = CountedCall::new();
        leave_table(kept).map(|()| work())
    };
    std::thread::scope(|scope| {
        let thread = Builder::new().name(format!("{NAME}{name}"));
        let thread = without_handlers(|| thread.spawn_scoped(scope, left))?;
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::os::fd::AsRawFd;

    /// Whether a number is that of an open descriptor in the table of this thread.
    fn is_open(number: i32) -> bool {
        // SAFETY: with `F_GETFD`, `fcntl` gets numbers and no pointer.
        unsafe { libc::fcntl(number, libc::F_GETFD) != -1 }
    }

    #[test]
    #[cfg_attr(miri, ignore = "it has a table of descriptors of its own")]
    fn what_is_opened_there_is_nowhere_else() {
        let ours = File::open("/dev/null").expect("it is there");
        let number = ours.as_raw_fd();
        let work = move |left: io::Result<()>| {
            left.expect("a table of its own");
            assert!(!is_open(number) && !is_open(0));
            let theirs = File::open("/dev/zero").expect("it is there");
            assert_eq!(theirs.as_raw_fd(), 0);
        };
        let thread = spawn("work", Kept::Nothing, work).expect("a thread");
        thread.join().expect("it has ended well");
        assert!(is_open(number));
    }

    #[test]
    #[cfg_attr(miri, ignore = "it has a table of descriptors of its own")]
    fn what_is_closed_here_stays_open_there() {
        let ours = File::open("/dev/null").expect("it is there");
        let number = ours.as_raw_fd();
        let (closed, wait) = std::sync::mpsc::channel::<()>();
        let (left, has_left) = std::sync::mpsc::channel::<()>();
        let work = move |own: io::Result<()>| {
            own.expect("a table of its own");
            left.send(()).expect("somebody waits");
            let _ = wait.recv();
            is_open(number)
        };
        let thread = spawn("work", Kept::Everything, work).expect("a thread");
        has_left.recv().expect("it has left");
        drop(ours);
        closed.send(()).expect("it waits");
        assert!(thread.join().expect("it has ended well"));
    }

    #[test]
    #[cfg_attr(miri, ignore = "it asks the system")]
    fn no_handler_of_the_program_runs_there() {
        let is_blocked = |signal| {
            let mut now = MaybeUninit::<libc::sigset_t>::uninit();
            // SAFETY: without a new mask the call changes nothing, and `now` has room for the present one.
            unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, ptr::null(), now.as_mut_ptr()) };
            // SAFETY: the call above has written it.
            (unsafe { libc::sigismember(now.as_ptr(), signal) }) == 1
        };
        let before = is_blocked(libc::SIGTERM);
        let work = move |_| [libc::SIGTERM, libc::SIGUSR1, libc::SIGBUS].map(is_blocked);
        let thread = spawn("work", Kept::Nothing, work).expect("a thread");
        assert_eq!(thread.join().expect("it has ended"), [true, true, false]);
        assert_eq!(is_blocked(libc::SIGTERM), before);
    }
}
