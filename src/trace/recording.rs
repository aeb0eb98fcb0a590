//! The file of a run that is recorded.
//!
//! It grows by a segment at a time, whose room on the disk is reserved before the segment is mapped. So a full disk is an
//! error here, with a message, and never a signal at a store into a mapping. From then on each thread fills its own
//! segment, and records that do not fit are counted as lost.
//!
//! The process that has begun a recording is the only one that writes it. A process that it forks has the mappings,
//! too, and would write where its parent does, so recording ends there (`leave_to_parent`).

use super::clock;
use super::format::{
    HEAD_BYTES, Head, LARGEST_SEGMENT, MAGIC, SEGMENT_MAGIC, SEGMENT_UNIT, SegmentHead, TEXT_AT,
    VERSION,
};
use crate::text::Readable;
use parking_lot::Mutex;
use rustc_hash::FxHashSet;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::ptr;
use std::ptr::NonNull;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering};
use std::time::SystemTime;

/// How often counters are looked at, and the clock is calibrated anew, in nanoseconds.
const SAMPLE_EACH_NS: u64 = 5_000_000;

/// The sizes of new segments in bytes, each with the length of the file from which on it holds, the largest first. A
/// shorter file gets segments of [`SEGMENT_UNIT`], so that a short run has a short file.
const LARGER_FROM: [(u64, u64); 2] = [
    (64 * SEGMENT_UNIT, LARGEST_SEGMENT),
    (8 * SEGMENT_UNIT, 4 * SEGMENT_UNIT),
];

/// The recording of the current run; null where no run is recorded. A recording is never freed, since a thread may have
/// read the pointer just before the run ended. The process has one for each run that it has recorded.
static CURRENT: AtomicPtr<Recording> = AtomicPtr::new(ptr::null_mut());

/// Whether a run is recorded.
#[inline(always)]
pub(crate) fn is_on() -> bool {
    // Relaxed: a caller that goes on to record reads the pointer once more, with acquire order.
    !CURRENT.load(Ordering::Relaxed).is_null()
}

/// A part of the file that is mapped and can be written.
pub(super) struct Mapped {
    pub(super) at: NonNull<u8>,
    pub(super) bytes: usize,
}

// SAFETY: a mapping belongs to the process, so any thread may use and unmap it.
unsafe impl Send for Mapped {}
// SAFETY: the only mapping that threads share is the head of the file. Of its fields, those that are still written are
// atomic.
unsafe impl Sync for Mapped {}

impl Mapped {
    /// Reserves room on the disk for `bytes` of the file from `offset` on, and maps them. The error is that of the
    /// system.
    fn new(file: &File, offset: u64, bytes: u64) -> io::Result<Mapped> {
        let mut limit = libc::rlimit {
            rlim_cur: 0,
            rlim_max: 0,
        };
        // SAFETY: `limit` is a variable, so its address is valid for a write.
        let is_known = unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, &raw mut limit) } == 0;
        // Beyond the limit of the size of files, a signal would end the program.
        if is_known && offset + bytes > limit.rlim_cur {
            return Err(io::Error::from_raw_os_error(libc::EFBIG));
        }
        // SAFETY: the function takes no pointers, and the descriptor is that of an open file.
        let error = unsafe {
            libc::posix_fallocate(
                file.as_raw_fd(),
                offset as libc::off_t,
                bytes as libc::off_t,
            )
        };
        if error != 0 {
            return Err(io::Error::from_raw_os_error(error));
        }
        // SAFETY: the system chooses the address, so the new mapping touches no memory that is in use. The descriptor
        // is that of an open file.
        let at = unsafe {
            libc::mmap(
                ptr::null_mut(),
                bytes as usize,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED | libc::MAP_POPULATE,
                file.as_raw_fd(),
                offset as libc::off_t,
            )
        };
        match NonNull::new(at.cast()).filter(|_| at != libc::MAP_FAILED) {
            Some(at) => Ok(Mapped {
                at,
                bytes: bytes as usize,
            }),
            None => Err(io::Error::last_os_error()),
        }
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        // SAFETY: the mapping was made with this address and length. References into it borrow the owner, which goes
        // now, so there are none.
        unsafe { libc::munmap(self.at.as_ptr().cast(), self.bytes) };
    }
}

/// The recording of one run of this process.
pub(crate) struct Recording {
    path: PathBuf,
    pub(super) clock: clock::ClockKind,
    head: Mapped,
    file: Mutex<Growing>,
    /// Whether there is no room for another segment. Relaxed: the flag orders nothing, and a thread that sees it late
    /// tries in vain.
    pub(super) full: AtomicBool,
    /// How many threads have written. Relaxed: the addition alone gives each thread a number of its own.
    pub(super) owners: AtomicU32,
    /// The works whose names have been recorded.
    pub(super) named: Mutex<FxHashSet<u64>>,
    /// Held by the thread that writes a pair of ticks and nanoseconds.
    calibrating: Mutex<()>,
    /// When counters are to be looked at next, in ticks. Relaxed: the exchange alone decides which of several threads
    /// looks.
    due: AtomicU64,
}

/// The file, which grows by a segment at a time.
struct Growing {
    file: File,
    /// Where the next segment begins, in bytes.
    end: u64,
}

/// Begins to record a run into a new file. `text` says what runs where, in lines `name=value`. A file that is there
/// under the name is replaced; a process that still records into it keeps its own file. The error is a text for the
/// user.
pub(crate) fn begin(path: &Path, text: &str) -> Result<(), String> {
    static IN_CHILDREN: OnceLock<libc::c_int> = OnceLock::new();
    let error = *IN_CHILDREN.get_or_init(|| {
        // SAFETY: the function may run in a child that any thread forks, since all that it does is to store into an
        // atomic.
        unsafe { libc::pthread_atfork(None, None, Some(leave_to_parent)) }
    });
    if error != 0 {
        return Err(format!(
            "the recording {} cannot be written, since processes that the program forks could not be kept from it: {}",
            Readable::path(path),
            io::Error::from_raw_os_error(error)
        ));
    }
    let recording = create(path, text)?;
    // Release: pairs with the load in `current`, which finds the recording as it was made here.
    CURRENT.store(recording, Ordering::Release);
    Ok(())
}

/// Ends the recording in a forked process. The recording is that of its parent.
unsafe extern "C" fn leave_to_parent() {
    // Relaxed: the child has one thread.
    CURRENT.store(ptr::null_mut(), Ordering::Relaxed);
}

/// Makes a new file with a head, and then gives it its name. The error is a text for the user.
pub(super) fn create(path: &Path, text: &str) -> Result<&'static mut Recording, String> {
    let name = Readable::path(path);
    let fail = |error: io::Error| format!("the recording {name} cannot be written: {error}");
    if path.metadata().is_ok_and(|about| !about.is_file()) {
        return Err(format!(
            "the recording {name} cannot be written: it is no regular file, and a recording is mapped into memory"
        ));
    }
    let mut new = path.as_os_str().to_owned();
    new.push(format!(".{}.new", std::process::id()));
    let new = PathBuf::from(new);
    let mut options = OpenOptions::new();
    let file = options.read(true).write(true).create(true).truncate(true);
    let file = file.open(&new).map_err(fail)?;
    let begun = head_of(&file, text).and_then(|head| {
        std::fs::rename(&new, path)?;
        Ok(head)
    });
    let head = begun.map_err(|error| {
        let _ = std::fs::remove_file(&new);
        fail(error)
    })?;
    Ok(Box::leak(Box::new(Recording {
        path: path.to_owned(),
        clock: clock::kind(),
        head,
        file: Mutex::new(Growing {
            file,
            end: HEAD_BYTES,
        }),
        full: AtomicBool::new(false),
        owners: AtomicU32::new(0),
        named: Mutex::default(),
        calibrating: Mutex::default(),
        due: AtomicU64::new(0),
    })))
}

/// Writes the head of a new file, and returns the mapping that has it. A text that has no room in the head is cut.
fn head_of(file: &File, text: &str) -> io::Result<Mapped> {
    let mapped = Mapped::new(file, 0, HEAD_BYTES)?;
    let kind = clock::kind();
    let [first_ticks, first_ns] = clock::pair(kind);
    let mut length = text.len().min(HEAD_BYTES as usize - TEXT_AT);
    while !text.is_char_boundary(length) {
        length -= 1;
    }
    let wall = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let head = Head {
        magic: MAGIC,
        version: VERSION,
        head_bytes: HEAD_BYTES as u32,
        clock: kind as u32,
        process: std::process::id(),
        wall_seconds: wall.map_or(0, |wall| wall.as_secs()),
        first_ticks,
        first_ns,
        calibrated: AtomicU64::new(0),
        later: Default::default(),
        ended: AtomicU64::new(0),
        ended_ticks: AtomicU64::new(0),
        lost: AtomicU64::new(0),
        text_bytes: length as u64,
        reached: AtomicU64::new(HEAD_BYTES),
    };
    let place = mapped.at.as_ptr().wrapping_add(TEXT_AT);
    // SAFETY: the mapping has `HEAD_BYTES`, of which `length` are left behind `TEXT_AT`; and `text` has `length` bytes.
    // The mapping is new and nobody else knows it, so the two do not overlap.
    unsafe { place.copy_from_nonoverlapping(text.as_ptr(), length) };
    // SAFETY: a mapping begins at a page, so it is aligned. It has more bytes than a head, and nobody else knows it.
    unsafe { mapped.at.cast::<Head>().write(head) };
    Ok(mapped)
}

/// Ends the recording of a run with its exit status. Only what a thread is writing right now may still be recorded.
/// False if no run is recorded in this process.
pub(crate) fn end(status: i32) -> bool {
    let Some(recording) = current() else {
        return false;
    };
    // Relaxed: a thread that sees the null pointer late writes into its segment, which stays mapped, and a reader takes
    // what it finds.
    CURRENT.store(ptr::null_mut(), Ordering::Relaxed);
    recording.calibrate();
    let head = recording.head();
    let ticks = clock::ticks(recording.clock);
    head.ended_ticks.store(ticks, Ordering::Relaxed);
    // Release: pairs with the read of the file by a reader. One that finds the status finds the time, too.
    head.ended
        .store(1 + u64::from(status as u32), Ordering::Release);
    let lost = head.lost.load(Ordering::Relaxed);
    if lost != 0 {
        warning!(
            "the recording {} lacks {lost} records or more, for which there was no room",
            Readable::path(&recording.path)
        );
    }
    true
}

/// The recording of the current run. None where no run is recorded.
pub(super) fn current() -> Option<&'static Recording> {
    // Acquire: pairs with the store in `begin`, before which the recording was made.
    // SAFETY: the pointer is null, or that of a recording, which is never freed and only shared from then on.
    unsafe { CURRENT.load(Ordering::Acquire).as_ref() }
}

impl Recording {
    pub(super) fn head(&self) -> &Head {
        // SAFETY: `head_of` has written a head to the begin of the mapping, which lives as long as the recording. Of
        // the head's fields only the atomic ones are written after that.
        unsafe { self.head.at.cast().as_ref() }
    }

    /// Writes a later pair of ticks and nanoseconds into the head. A reader needs one also where the process is killed.
    fn calibrate(&self) {
        let head = self.head();
        // One thread at a time. A thread that finds another one writing has nothing to add.
        let Some(_writes) = self.calibrating.try_lock() else {
            return;
        };
        let next = head.calibrated.load(Ordering::Relaxed) + 1;
        let [ticks, ns] = clock::pair(self.clock);
        let place = &head.later[next as usize % 2];
        place[0].store(ticks, Ordering::Relaxed);
        place[1].store(ns, Ordering::Relaxed);
        // Release: pairs with the read of the file by a reader. One that finds the number finds the pair.
        head.calibrated.store(next, Ordering::Release);
    }

    /// Adds a segment at the end of the file, for the thread `owner`. None where there is no room, which is warned of
    /// once.
    #[cold]
    pub(super) fn segment(&self, owner: u32, sequence: u32) -> Option<Mapped> {
        if self.full.load(Ordering::Relaxed) {
            return None;
        }
        let mut growing = self.file.lock();
        let (file, offset) = (&growing.file, growing.end);
        let mut larger = LARGER_FROM.iter();
        let bytes = larger.find(|(from, _)| offset >= *from);
        let bytes = bytes.map_or(SEGMENT_UNIT, |(_, bytes)| *bytes);
        let mapped =
            Mapped::new(file, offset, bytes).or_else(|_| Mapped::new(file, offset, SEGMENT_UNIT));
        let mapped = match mapped {
            Ok(mapped) => mapped,
            Err(error) => {
                if !self.full.swap(true, Ordering::Relaxed) {
                    warning!(
                        "the recording {} has {} bytes and gets no more: {error}. The program goes on; each thread \
                         records what it has room for, and the rest is lost",
                        Readable::path(&self.path),
                        growing.end
                    );
                }
                return None;
            }
        };
        growing.end += mapped.bytes as u64;
        self.calibrate();
        let head = SegmentHead {
            magic: AtomicU64::new(0),
            bytes: mapped.bytes as u64,
            count: AtomicU64::new(0),
            // SAFETY: `gettid` has no preconditions, and touches no memory of the caller.
            thread: unsafe { libc::gettid() } as u32,
            sequence,
            owner,
            unused: [0; 5],
            spare: 0,
        };
        let place = mapped.at.cast::<SegmentHead>();
        // SAFETY: a mapping begins at a page, so it is aligned. It has more bytes than a head, and nobody else knows
        // it.
        unsafe { place.write(head) };
        // SAFETY: the head was written above, and lives as long as `mapped`, which is not dropped here. Only its atomic
        // fields are written from now on.
        let head = unsafe { place.as_ref() };
        // Release: pairs with the read of the file by a reader. One that finds the magic number finds the rest of the
        // head. The store to `reached` pairs likewise: by it a reader knows that the file was no shorter.
        head.magic.store(SEGMENT_MAGIC, Ordering::Release);
        self.head().reached.store(growing.end, Ordering::Release);
        Some(mapped)
    }
}

/// The ticks of the counter now, and how many ticks `ns` nanoseconds take, by the speed of the counter since the run
/// began. Both are 0 where no run is recorded.
pub(super) fn now_and_length(ns: u64) -> (u64, u64) {
    let Some(recording) = current() else {
        return (0, 0);
    };
    let head = recording.head();
    let now = clock::ticks(recording.clock);
    let since_ns = clock::monotonic_ns().saturating_sub(head.first_ns).max(1);
    let since = now.saturating_sub(head.first_ticks);
    let length = u128::from(ns) * u128::from(since) / u128::from(since_ns);
    (now, length as u64)
}

/// Whether it is time to look at the counters, by the ticks now. True for one of the threads that ask, once each 5 ms.
pub(super) fn is_sample_due(now: u64) -> bool {
    let Some(recording) = current() else {
        return false;
    };
    let due = recording.due.load(Ordering::Relaxed);
    if now < due {
        return false;
    }
    let (_, each) = now_and_length(SAMPLE_EACH_NS);
    let next = now + each;
    let taken = recording
        .due
        .compare_exchange(due, next, Ordering::Relaxed, Ordering::Relaxed);
    if taken.is_ok() {
        recording.calibrate();
    }
    taken.is_ok()
}
