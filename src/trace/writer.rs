//! The file of a run that is recorded, and the segment that each thread fills.
//!
//! What a thread needs to write a record is its own, so writing one takes no lock. A lock is taken where a segment is
//! full: the file grows by a new one, whose room on the disk is reserved before it is mapped. So a full disk is an
//! error here, with a message, and never a signal at a store into a mapping. From then on each thread fills its own
//! segment, and records that do not fit are counted as lost.
//!
//! The process that has begun a recording is the only one that writes it. A process that it forks has the mappings,
//! too, and would write where its parent does, so recording ends there (`leave_to_parent`).

use super::clock;
use super::format::{
    HEAD_BYTES, Head, Kind, LARGEST_SEGMENT, LONGEST_TEXT, MAGIC, RECORD_BYTES, Record,
    SEGMENT_HEAD_BYTES, SEGMENT_MAGIC, SEGMENT_UNIT, SegmentHead, TEXT_AT, ThreadRole, VERSION,
};
use crate::text::Readable;
use parking_lot::Mutex;
use rustc_hash::{FxBuildHasher, FxHashSet};
use std::cell::UnsafeCell;
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
struct Mapped {
    at: NonNull<u8>,
    bytes: usize,
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
    clock: clock::Kind,
    head: Mapped,
    file: Mutex<Growing>,
    /// Whether there is no room for another segment. Relaxed: the flag orders nothing, and a thread that sees it late
    /// tries in vain.
    full: AtomicBool,
    /// How many threads have written. Relaxed: the addition alone gives each thread a number of its own.
    owners: AtomicU32,
    /// The works whose names have been recorded.
    named: Mutex<FxHashSet<u64>>,
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
fn create(path: &Path, text: &str) -> Result<&'static mut Recording, String> {
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
    fn head(&self) -> &Head {
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
    fn segment(&self, owner: u32, sequence: u32) -> Option<Mapped> {
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

/// What a thread needs of its own to write records.
struct Writer {
    /// The recording to which the other fields belong; null before the thread's first record.
    recording: *const Recording,
    clock: clock::Kind,
    role: ThreadRole,
    /// The number of the thread in the recording.
    owner: u32,
    /// The number of the thread's next segment.
    sequence: u32,
    segment: Option<Mapped>,
    /// Where in the segment the next record goes.
    next: *mut Record,
    /// How many records are in the segment.
    count: u64,
    /// How many records the segment has room for.
    most: u64,
    /// The works that this thread knows to have been named.
    named: FxHashSet<u64>,
}

thread_local! {
    static WRITER: UnsafeCell<Writer> = const { UnsafeCell::new(Writer::NEW) };
}

impl Writer {
    const NEW: Writer = Writer {
        recording: ptr::null(),
        clock: clock::Kind::Monotonic,
        role: ThreadRole::Program,
        owner: 0,
        sequence: 0,
        segment: None,
        next: ptr::null_mut(),
        count: 0,
        most: 0,
        named: FxHashSet::with_hasher(FxBuildHasher),
    };

    /// Whether a work has no name in the recording yet, and there is room for one. Of two threads that ask at once,
    /// both may name the work.
    fn is_unnamed(&mut self, recording: &'static Recording, work: u64) -> bool {
        if !ptr::eq(self.recording, recording) {
            self.named.clear();
        }
        if self.named.contains(&work) || recording.full.load(Ordering::Relaxed) {
            return false;
        }
        let is_named = recording.named.lock().contains(&work);
        if is_named {
            self.named.insert(work);
        }
        !is_named
    }

    /// Writes a record, dated now unless it has a time. Returns its time in ticks, or 0 where there is no room.
    #[inline]
    fn append(&mut self, recording: &'static Recording, mut record: Record) -> u64 {
        let known = ptr::eq(self.recording, recording);
        if (!known || self.count == self.most) && !self.turn_over(recording, 1) {
            return 0;
        }
        if record.ticks == 0 {
            record.ticks = clock::ticks(self.clock);
        }
        self.put(record);
        record.ticks
    }

    /// Writes a record where `next` points, and counts it. There must be room for it in the segment.
    fn put(&mut self, record: Record) {
        // SAFETY: each caller makes sure that the segment has room for one more record, by `turn_over` if need be.
        // `next` points there: behind the records that are counted, in this thread's segment, aligned since a record's
        // size divides a page.
        unsafe { self.next.write(record) };
        self.next = self.next.wrapping_add(1);
        self.count += 1;
        if let Some(segment) = &self.segment {
            // SAFETY: `Recording::segment` has written a head to the begin of the mapping, which lives as long as
            // `segment` is borrowed. Of its fields only the atomic ones are written after that.
            let head = unsafe { segment.at.cast::<SegmentHead>().as_ref() };
            // Release: pairs with the read of the file by a reader. One that finds the number finds as many records.
            head.count.store(self.count, Ordering::Release);
        }
    }

    /// Takes a new segment, in which there is room for `room` records. False if there is none; as many records are then
    /// counted as lost.
    #[cold]
    #[inline(never)]
    fn turn_over(&mut self, recording: &'static Recording, room: u64) -> bool {
        let first = !ptr::eq(self.recording, recording);
        if first {
            *self = Writer {
                recording,
                clock: recording.clock,
                role: self.role,
                owner: recording.owners.fetch_add(1, Ordering::Relaxed),
                ..Writer::NEW
            };
        }
        self.segment = None;
        (self.count, self.most) = (0, 0);
        let Some(segment) = recording.segment(self.owner, self.sequence) else {
            recording.head().lost.fetch_add(room, Ordering::Relaxed);
            return false;
        };
        self.sequence += 1;
        let start = segment.at.as_ptr().wrapping_add(SEGMENT_HEAD_BYTES);
        self.next = start.cast();
        self.most = ((segment.bytes - SEGMENT_HEAD_BYTES) / RECORD_BYTES) as u64;
        self.segment = Some(segment);
        if first {
            let name = std::fs::read_to_string("/proc/thread-self/comm").unwrap_or_default();
            let record = Record {
                kind: Kind::Thread as u8,
                a: self.role as u8,
                ..Record::default()
            };
            self.append_text(recording, record, name.trim_end());
        }
        true
    }

    /// Writes a record and a text behind it, in one segment. False where there is no room.
    fn append_text(
        &mut self,
        recording: &'static Recording,
        mut record: Record,
        text: &str,
    ) -> bool {
        let mut length = text.len().min(LONGEST_TEXT);
        while !text.is_char_boundary(length) {
            length -= 1;
        }
        record.c = length as u32;
        let room = 1 + length.div_ceil(RECORD_BYTES) as u64;
        let known = ptr::eq(self.recording, recording);
        if (!known || self.most - self.count < room) && !self.turn_over(recording, room) {
            return false;
        }
        record.ticks = clock::ticks(self.clock);
        let (mut at, first) = (self.next.wrapping_add(1).cast::<u8>(), self.next);
        for byte in text.as_bytes()[..length].iter() {
            // SAFETY: the segment has room for `room` records from `next` on. Behind the first of them there is room
            // for `length` bytes, and this is one of those.
            unsafe { at.write(*byte) };
            at = at.wrapping_add(1);
        }
        // The text and its record are counted in one step, or a reader could take a part of the text for records.
        self.count += room - 1;
        self.put(record);
        self.next = first.wrapping_add(room as usize);
        true
    }
}

/// Calls `f` with this thread's writer, if a run is recorded. Does nothing in a thread that ends and whose writer has
/// gone.
#[inline]
fn with(f: impl FnOnce(&mut Writer, &'static Recording)) {
    let Some(recording) = current() else { return };
    let _ = WRITER.try_with(|writer| {
        // SAFETY: the cell is this thread's, so no other thread refers to the writer. Neither does this thread: no
        // signal handler records, and no `f` calls a function that records.
        f(unsafe { &mut *writer.get() }, recording);
    });
}

/// Writes a record, dated now unless it has a time. Returns its time in ticks, or 0 where it is not written.
#[inline]
pub(super) fn append(record: Record) -> u64 {
    let mut ticks = 0;
    with(|writer, recording| ticks = writer.append(recording, record));
    ticks
}

/// Writes a record and a text behind it. False where it is not written.
pub(super) fn append_text(record: Record, text: &str) -> bool {
    let mut is_written = false;
    with(|writer, recording| is_written = writer.append_text(recording, record, text));
    is_written
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

/// Sets the role of this thread, before it writes its first record.
pub(super) fn set_role(role: ThreadRole) {
    with(|writer, _| writer.role = role);
}

/// Whether a work has no name in the recording yet, and there is room for one. A thread looks into the set that all
/// threads share until it has found the work there.
#[inline]
pub(super) fn is_unnamed(work: u64) -> bool {
    let mut unnamed = false;
    with(|writer, recording| unnamed = writer.is_unnamed(recording, work));
    unnamed
}

/// Notes that the name of a work is written.
pub(super) fn set_named(work: u64) {
    with(|writer, recording| {
        writer.named.insert(work);
        recording.named.lock().insert(work);
    });
}

#[cfg(all(test, not(loom)))]
#[path = "tests.rs"]
mod tests;
