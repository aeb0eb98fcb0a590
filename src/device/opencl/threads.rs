//! Which threads of the process are OpenCL's: those that call it, and those that it starts, when a device
//! is opened or at any time later. They never call the runtime. The threads that call OpenCL are started
//! here, with two marks that a thread has from the thread that starts it: a name, and a flag that has no
//! effect. A driver that renames its threads leaves the flag, and where a container forbids the flag, the
//! name may be left. A thread that has neither counts as the program's: a hang may not be reported then, but
//! no program is accused of one for a thread of OpenCL.
//!
//! A program that uses OpenCL itself, beside the runtime, has its callbacks called on the same threads, and may
//! call the runtime there. So where the program was linked with OpenCL all threads count as its own.
//!
//! Index spaces are made on these threads, too. The program's functions for that start no threads.

use crate::cores::CoreSet;
use crate::device::opencl::surroundings;
use crate::stack::SignalStack;
use ocr_base::apart;
use ocr_base::lock::{Mutex, rank};
use ocr_base::thread_mark::{self, ThreadMark, about};
use std::cell::Cell;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Builder, JoinHandle};

/// What the names begin with.
pub const NAME: &str = "ocr-device-";

/// Whether there ever was such a thread.
static ANY: AtomicBool = AtomicBool::new(false);

/// What [`program_has_opencl`] has answered before the last of them was started.
static PROGRAM_HAS_OPENCL: AtomicBool = AtomicBool::new(false);

/// The threads that are started here and have not ended, by number.
static OWN: Mutex<rank::OpenclThreads, Vec<libc::pid_t>> = Mutex::new(Vec::new());

/// The threads that platforms have started when they were asked for their devices, by the platforms' names.
static OF_PLATFORMS: Mutex<rank::OpenclPlatforms, Vec<(String, libc::pid_t)>> = Mutex::new(Vec::new());

thread_local! {
    /// Whether this is one of the threads that are started here.
    static IS_ONE: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread is one of those that are started here, which call OpenCL.
pub fn is_one() -> bool {
    IS_ONE.get()
}

/// Whether this thread has a mark, and so is one that calls OpenCL, or that OpenCL has started. For the handler of a
/// signal.
pub fn is_marked_here() -> bool {
    let mut name = [0u8; 16];
    // SAFETY: it may be called in a handler, and writes 16 bytes at most.
    unsafe { libc::prctl(libc::PR_GET_NAME, name.as_mut_ptr()) };
    is_one() || name.starts_with(NAME.as_bytes()) || ThreadMark::OPENCL.is_here()
}

/// Starts a thread that may call OpenCL.
pub(crate) fn spawn<T: Send + 'static>(
    name: impl std::fmt::Display,
    work: impl FnOnce() -> T + Send + 'static,
) -> io::Result<JoinHandle<T>> {
    // Set before the thread is there, for threads that look: without it, the new thread counts as the program's.
    PROGRAM_HAS_OPENCL.store(program_has_opencl(), Ordering::SeqCst);
    ANY.store(true, Ordering::SeqCst);
    Builder::new().name(format!("{NAME}{name}")).spawn(move || {
        IS_ONE.set(true);
        ThreadMark::OPENCL.set();
        let _handlers = SignalStack::of_runtime();
        let _own = Own::begin();
        work()
    })
}

/// The number of the calling thread, which is in [`OWN`] while it works.
struct Own(libc::pid_t);

impl Own {
    fn begin() -> Own {
        // SAFETY: `gettid` has no preconditions.
        let own = Own(unsafe { libc::gettid() });
        OWN.lock().push(own.0);
        own
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        OWN.lock().retain(|&other| other != self.0);
    }
}

/// The threads that OpenCL has started and that are there now, as far as they can be distinguished from others
/// ([`OpenclThreads::now`]).
pub(crate) fn of_drivers() -> Vec<libc::pid_t> {
    let own = OWN.lock().clone();
    let numbers = OpenclThreads::now().0.into_iter().filter_map(|id| id.parse().ok());
    numbers.filter(|id| !own.contains(id)).collect()
}

/// The threads of the process that are there now, by number.
pub(crate) fn of_process() -> impl Iterator<Item = libc::pid_t> {
    thread_mark::of_process().filter_map(|id| id.parse().ok())
}

/// Whether OpenCL has started a thread of the process, as far as that can be told.
pub(crate) fn is_of_driver(thread: libc::pid_t) -> bool {
    can_tell() && !OWN.lock().contains(&thread) && is_marked(&thread.to_string())
}

/// Has a platform start what it starts when it is asked for its devices.
pub(crate) fn watch_platform<T>(platform: &str, ask: impl FnOnce() -> T) -> T {
    let before = of_drivers();
    surroundings::note_asked(Some(platform));
    let answer = ask();
    surroundings::note_asked(None);
    let new = of_drivers().into_iter().filter(|id| !before.contains(id));
    let new = new.map(|id| (platform.to_string(), id));
    OF_PLATFORMS.lock().extend(new);
    answer
}

/// The threads of the devices of these platforms that are there now: those that they had from the beginning.
pub(crate) fn of_platforms(platforms: &[&str]) -> Vec<libc::pid_t> {
    let here = of_drivers();
    let mut known = OF_PLATFORMS.lock();
    // A number may be given to another thread later.
    known.retain(|(_, id)| here.contains(id));
    let of_these = known.iter().filter(|(platform, _)| platforms.contains(&&**platform));
    of_these.map(|&(_, id)| id).collect()
}

/// How many threads OpenCL has, as far as they can be distinguished from others, and how many of them may run on other
/// cores, too.
pub(crate) fn count_beyond(cores: &CoreSet) -> (usize, usize) {
    let all = of_drivers().into_iter().map(CoreSet::of_thread);
    // One that has ended meanwhile is none.
    let all: Vec<CoreSet> = all.flatten().collect();
    let beyond = all.iter().filter(|own| !own.is_within(cores));
    (all.len(), beyond.count())
}

/// Has OpenCL's threads that run on just the cores of one set run on those of another.
pub(crate) fn move_from(from: &CoreSet, to: &CoreSet) {
    for id in of_drivers() {
        if CoreSet::of_thread(id).is_ok_and(|now| now == *from) {
            // One that has ended meanwhile needs no core.
            let _ = to.bind(id);
        }
    }
}

/// Whether there are threads of OpenCL's, and they can be told from others.
fn can_tell() -> bool {
    let process = || is_marked(&std::process::id().to_string());
    // As it was known before: to ask takes the lock of the dynamic loader, which a thread may keep that waits for the
    // one that watches.
    let has_opencl = || PROGRAM_HAS_OPENCL.load(Ordering::SeqCst);
    ANY.load(Ordering::SeqCst) && !process() && !has_opencl()
}

/// Threads that were OpenCL's when somebody looked.
pub struct OpenclThreads(Vec<String>);

impl OpenclThreads {
    /// OpenCL's threads that are there now. Of threads that come and go meanwhile some may be missing. Nothing is said
    /// of a process that has a mark itself, and so all its threads.
    pub fn now() -> OpenclThreads {
        if !can_tell() {
            return OpenclThreads(Vec::new());
        }
        OpenclThreads(thread_mark::of_process().filter(|id| is_marked(id)).collect())
    }

    /// How many of them are still there, and so have been there all the time since then.
    pub fn left(&self) -> usize {
        self.0.iter().filter(|id| is_marked(id)).count()
    }
}

/// Whether the program was linked with OpenCL. The runtime loads it for itself alone.
pub fn program_has_opencl() -> bool {
    // SAFETY: `dlsym` takes any handle of its own and a text that ends with a zero, as this one does.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"clCreateContext".as_ptr()) };
    !found.is_null()
}

/// Whether a thread of this process, that may not exist, has a mark.
fn is_marked(id: &str) -> bool {
    let name = about(id, "comm");
    // A thread with descriptors of its own inherits the flag where one of OpenCL's has started it, and is counted by
    // itself.
    name.starts_with(NAME) || !name.starts_with(apart::NAME) && ThreadMark::OPENCL.is_of(id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    fn own_id() -> String {
        // SAFETY: `gettid` has no preconditions.
        unsafe { libc::gettid() }.to_string()
    }

    /// Whether a thread counts as OpenCL's that is started by one that may call OpenCL, or by another.
    fn is_seen(by_opencl: bool, name: Option<&'static str>) -> bool {
        let (tell, told) = channel();
        let (end, ended) = channel::<()>();
        let child = move || {
            let _ = tell.send(own_id());
            let _ = ended.recv();
        };
        let start = move || {
            let child = match name {
                Some(name) => Builder::new().name(name.into()).spawn(child),
                None => Builder::new().spawn(child),
            };
            child.expect("a thread").join().expect("no panic");
        };
        let starter = if by_opencl { spawn("test", start).expect("a thread") } else { std::thread::spawn(start) };
        let id = told.recv().expect("it says who it is");
        let mut seen = OpenclThreads::now();
        seen.0.retain(|other| *other == id);
        let is_seen = !seen.0.is_empty();
        assert_eq!(seen.left(), usize::from(is_seen));
        drop(end);
        starter.join().expect("no panic");
        assert_eq!(seen.left(), 0, "it has ended");
        is_seen
    }

    #[test]
    #[cfg_attr(miri, ignore = "reads /proc")]
    fn what_threads_of_opencl_start_is_opencls() {
        assert!(is_seen(true, None));
        assert!(!is_seen(false, None));
    }

    #[test]
    #[cfg_attr(miri, ignore = "reads /proc")]
    fn a_driver_may_rename_its_threads() {
        let flagged = spawn("test", || ThreadMark::OPENCL.is_of(&own_id())).expect("a thread");
        if !flagged.join().expect("no panic") {
            say_line!("not tested: the system does not let a thread have the flag");
            return;
        }
        assert!(is_seen(true, Some("driver")));
        assert!(!is_seen(false, Some("driver")));
    }
}
