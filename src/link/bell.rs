//! By what other threads, and other nodes of the machine, wake the thread of the link, which sleeps while nothing
//! comes.
//!
//! A bell is a word of memory that the nodes of a machine share. It is reached by a descriptor of the process that has
//! it while the nodes meet, and by its mapping alone afterwards: a program may close all descriptors.
//!
//! | state | the thread of the link | `sleep` | `ring` |
//! |---|---|---|---|
//! | awake | looks for messages, or is about to | asleep, if nothing waits to be sent | rung |
//! | asleep | sleeps, or is about to | - | rung, and the thread is woken |
//! | rung | looks for messages, or is about to | awake, and returns at once | rung |
//!
//! *No message is missed*: it is sent before the bell is rung. A thread that finds the bell rung, or is woken, makes it
//! awake and looks for messages after that. One that goes to sleep between finds it rung by the exchange, or the system
//! finds that the word is not "asleep" any more.

use std::ffi::CString;
use std::fs::{File, read_link};
use std::os::fd::{AsRawFd, FromRawFd, IntoRawFd, RawFd};
use std::os::unix::fs::MetadataExt;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

const AWAKE: u32 = 0;
const ASLEEP: u32 = 1;
const RUNG: u32 = 2;

const BYTES: usize = 4096;

/// The name that the system shows for the memory.
const NAME: &str = "ocr-bell";

/// The bell of the thread of the link of this process.
static OWN: OnceLock<Bell> = OnceLock::new();

/// Has the thread of the link of this process look around, if there is one. For handlers of signals, too.
pub(crate) fn wake() {
    if let Some(bell) = OWN.get() {
        bell.ring();
    }
}

/// How many other processes can wake the thread of the link of this one.
pub(crate) fn ringers() -> usize {
    OWN.get().map_or(0, |bell| bell.0.ringers.load(Ordering::Relaxed) as usize)
}

/// Sleeps, on the thread of the link, for this time, or until its bell is rung, unless there is something to do.
pub(crate) fn sleep(time: Duration, has_work: impl FnOnce() -> bool) {
    match OWN.get() {
        Some(bell) => bell.sleep(time, has_work),
        None => std::thread::sleep(time),
    }
}

/// Makes the bell of the thread of the link, and returns where other processes find it; nowhere without memory.
pub(crate) fn begin() -> BellPlace {
    let made = Bell::new();
    made.map_or(BellPlace::default(), |(bell, place)| {
        let _ = OWN.set(bell);
        place
    })
}

/// Where other processes of the machine find a bell: a descriptor of its process, and what tells that it is still this.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct BellPlace {
    pub(crate) descriptor: u32,
    /// The number of the file; 0 where there is none that others could find.
    pub(crate) inode: u64,
}

/// What a bell has in the memory that is shared.
#[repr(C)]
struct BellWords {
    state: AtomicU32,
    /// How many other processes can ring it. Relaxed: one that is missed is seen later.
    ringers: AtomicU32,
}

/// A bell of this process or of another one. It stays as long as the process.
#[derive(Clone, Copy)]
pub(crate) struct Bell(&'static BellWords);

impl Bell {
    /// Makes a bell of this process. None without memory.
    fn new() -> Option<(Bell, BellPlace)> {
        let name = CString::new(NAME).ok()?;
        // SAFETY: the name is a C string. The call returns a new descriptor, or -1.
        let descriptor = unsafe { libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC) };
        // SAFETY: the descriptor is new, so nothing else owns it.
        let file = (descriptor >= 0).then(|| unsafe { File::from_raw_fd(descriptor) });
        let shared = file.and_then(|file| {
            file.set_len(BYTES as u64).ok()?;
            let inode = file.metadata().ok()?.ino();
            let bell = map(Some(file.as_raw_fd()))?;
            // It stays open: the others find the bell by it.
            Some((bell, BellPlace { descriptor: file.into_raw_fd() as u32, inode }))
        });
        // Other threads of this process ring it in any case.
        shared.or_else(|| Some((map(None)?, BellPlace::default())))
    }

    /// The bell of another process of this machine. None where it cannot be reached, or is no bell any more.
    pub(crate) fn of(process: u32, BellPlace { descriptor, inode }: BellPlace) -> Option<Bell> {
        let path = format!("/proc/{process}/fd/{descriptor}");
        // What a program has opened under the number is not touched.
        if inode == 0 || !read_link(&path).ok()?.to_str()?.starts_with(&format!("/memfd:{NAME}")) {
            return None;
        }
        let file = File::options().read(true).write(true).open(path).ok()?;
        let about = file.metadata().ok()?;
        let is_bell = about.ino() == inode && about.len() == BYTES as u64;
        let bell = is_bell.then(|| map(Some(file.as_raw_fd()))).flatten()?;
        bell.0.ringers.fetch_add(1, Ordering::Relaxed);
        Some(bell)
    }

    /// Has the thread look for messages, which are there.
    pub(crate) fn ring(self) {
        // SeqCst: what the caller has written comes before, and is seen by a thread that finds the bell rung.
        if self.0.state.swap(RUNG, Ordering::SeqCst) == ASLEEP {
            // SAFETY: the word is mapped, and stays so. The call wakes a thread, or none.
            unsafe { libc::syscall(libc::SYS_futex, self.0.state.as_ptr(), libc::FUTEX_WAKE, 1) };
        }
    }

    /// Sleeps for this time, or until the bell is rung, unless there is something to do.
    fn sleep(self, time: Duration, has_work: impl FnOnce() -> bool) {
        let is_rung = self.0.state.compare_exchange(AWAKE, ASLEEP, Ordering::SeqCst, Ordering::SeqCst).is_err();
        if !is_rung && !has_work() {
            let limit = libc::timespec { tv_sec: time.as_secs() as _, tv_nsec: time.subsec_nanos() as _ };
            // SAFETY: the word is mapped, and stays so. The limit is this function's.
            unsafe {
                libc::syscall(libc::SYS_futex, self.0.state.as_ptr(), libc::FUTEX_WAIT, ASLEEP, &raw const limit);
            };
        }
        self.0.state.swap(AWAKE, Ordering::SeqCst);
    }
}

/// Maps a bell: that of a file, or one for this process alone.
fn map(file: Option<RawFd>) -> Option<Bell> {
    let kind = libc::MAP_SHARED | if file.is_none() { libc::MAP_ANONYMOUS } else { 0 };
    // SAFETY: the mapping is a new one, wherever the system has room. A file has as many bytes.
    let at =
        unsafe { libc::mmap(ptr::null_mut(), BYTES, libc::PROT_READ | libc::PROT_WRITE, kind, file.unwrap_or(-1), 0) };
    if at == libc::MAP_FAILED {
        return None;
    }
    // SAFETY: the mapping begins with two aligned words, is never taken back, and all that use it do so by atomic
    // operations.
    Some(Bell(unsafe { &*at.cast::<BellWords>() }))
}

#[cfg(all(test, not(miri)))]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU64;
    use std::thread;

    #[test]
    fn a_thread_that_sleeps_is_woken_whoever_rings() {
        let (bell, place) = Bell::new().expect("memory");
        let other = Bell::of(std::process::id(), place).expect("it is this process's");
        assert!(!ptr::eq(bell.0, other.0), "it is mapped twice");
        assert_eq!(bell.0.ringers.load(Ordering::Relaxed), 1);
        let (sent, seen) = (AtomicU64::new(0), AtomicU64::new(0));
        const MESSAGES: u64 = 20_000;
        thread::scope(|scope| {
            scope.spawn(|| {
                while seen.load(Ordering::Relaxed) < MESSAGES {
                    // A ring that is missed has the test hang.
                    let before = seen.load(Ordering::Relaxed);
                    bell.sleep(Duration::from_secs(3600), || sent.load(Ordering::Relaxed) != before);
                    seen.store(sent.load(Ordering::Relaxed), Ordering::Relaxed);
                }
            });
            for number in 1..=MESSAGES {
                sent.store(number, Ordering::Relaxed);
                if number % 2 == 0 {
                    other.ring()
                } else {
                    bell.ring()
                }
                // Half of them wait until the thread has seen the last, so that it often goes to sleep just now.
                while number % 4 == 0 && seen.load(Ordering::Relaxed) < number {
                    thread::yield_now();
                }
            }
        });
    }

    #[test]
    fn what_is_no_bell_is_not_touched() {
        let (_, place) = Bell::new().expect("memory");
        let process = std::process::id();
        assert!(Bell::of(process, BellPlace { inode: place.inode + 1, ..place }).is_none());
        assert!(Bell::of(process, BellPlace { inode: 0, ..place }).is_none());
        let file = File::open("/dev/zero").expect("it is there");
        let inode = file.metadata().expect("it is open").ino();
        assert!(Bell::of(process, BellPlace { descriptor: file.as_raw_fd() as u32, inode }).is_none());
        assert!(Bell::of(process, BellPlace { descriptor: 9999, ..place }).is_none());
    }
}
