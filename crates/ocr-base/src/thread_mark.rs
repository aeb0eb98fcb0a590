//! By what the threads that a library starts are distinguished from those of the program.
//!
//! A thread has its name, and its personality, from the thread that starts it. So a thread that calls a library is
//! given a flag of personality(2) that has no effect, and the threads that the library starts have that flag, whatever
//! names the library gives them. Where a container forbids personality(2), no thread has a flag.

use crate::text::read_file;
use std::fs;

/// The argument by which personality(2) returns the personality and changes nothing.
const ASK: libc::c_ulong = 0xffff_ffff;

/// A flag of personality(2) of which the system says that it has no effect. Each library has its own.
#[derive(Clone, Copy)]
pub struct ThreadMark(libc::c_ulong);

impl ThreadMark {
    /// `WHOLE_SECONDS`: threads that call OpenCL.
    pub const OPENCL: ThreadMark = ThreadMark(0x0200_0000);
    /// `SHORT_INODE`: the thread that calls MPI.
    pub const LINK: ThreadMark = ThreadMark(0x0100_0000);

    /// Gives this thread the flag, if the system lets it.
    pub fn set(self) {
        // SAFETY: with `ASK`, `personality` only reads a word of the thread's.
        let now = unsafe { libc::personality(ASK) };
        if now != -1 {
            // SAFETY: the thread keeps all flags that it has, and gets one that has no effect. So no behaviour changes
            // that other code relies on.
            unsafe { libc::personality(now as libc::c_ulong | self.0) };
        }
    }

    /// Whether this thread has the flag. A handler of a signal may ask.
    pub fn is_here(self) -> bool {
        // SAFETY: with `ASK`, `personality` only reads a word of the thread's; it is a system call, and may be made in
        // a handler.
        let flags = unsafe { libc::personality(ASK) };
        flags != -1 && flags as libc::c_ulong & self.0 != 0
    }

    /// Whether a thread of this process has the flag. No thread that is gone has it.
    pub fn is_of(self, id: &str) -> bool {
        let flags = libc::c_ulong::from_str_radix(about(id, "personality").trim(), 16);
        flags.is_ok_and(|flags| flags & self.0 != 0)
    }
}

/// What the system says of a thread of this process (`/proc/self/task`); nothing if there is none.
pub fn about(id: &str, what: &str) -> String {
    read_file(format!("/proc/self/task/{id}/{what}")).unwrap_or_default()
}

/// The numbers of the threads that the process has, as the system writes them.
pub fn of_process() -> impl Iterator<Item = String> {
    let tasks = fs::read_dir("/proc/self/task").into_iter().flatten();
    tasks.filter_map(|task| task.ok()?.file_name().into_string().ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    #[cfg_attr(miri, ignore = "it asks the system")]
    fn a_flag_is_inherited_and_is_not_the_other_one() {
        let own = || {
            // SAFETY: `gettid` has no preconditions.
            unsafe { libc::gettid() }.to_string()
        };
        let flags = move || {
            let here = [ThreadMark::OPENCL, ThreadMark::LINK].map(ThreadMark::is_here);
            assert_eq!([ThreadMark::OPENCL, ThreadMark::LINK].map(|mark| mark.is_of(&own())), here);
            assert!(of_process().any(|id| id == own()));
            here
        };
        let marked = move || {
            ThreadMark::LINK.set();
            (flags(), thread::spawn(flags).join().expect("no panic"))
        };
        let (here, child) = thread::spawn(marked).join().expect("no panic");
        assert_eq!(flags(), [false, false]);
        assert!(!here[0]);
        assert_eq!(here, child, "both have it, or the system lets none have it");
    }
}
