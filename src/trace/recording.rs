//! The file of a run that is recorded.
//!
//! It grows by a *piece* at a time, whose room on the disk is reserved before the piece is mapped. So a full disk is an
//! error here, with a message, and never a signal at a store into a mapping. Threads get segments, which are parts of
//! pieces: the first one of a thread is small, and each further one twice as large. What a thread has not filled when
//! it ends is a free segment, of which the next thread gets its own. Where there is no room for another segment,
//! records that do not fit are counted as lost.
//!
//! **Descriptors.** The descriptor of the file is in the table of one thread, the keeper, and in no other
//! (`ocr_base::apart`). The keeper opens the file, reserves and maps pieces, and closes it; all others write into
//! memory that is mapped. So nothing that the program does with descriptors reaches the recording, and the runtime has
//! no number by which it could reach a file of the program.
//!
//! **Somebody else's hands.** A file can be cut, overwritten or removed meanwhile, and the run goes on:
//!
//! | what happens to the file | by what it is seen | what follows |
//! |---|---|---|
//! | it is made shorter | SIGBUS at a store into what is gone (`absorb`), or its length | other memory takes the place of the piece, and the recording ends |
//! | it is overwritten | its head, which is looked at each 5 ms while EDTs begin | the recording ends |
//! | it is removed | its number of names, when it grows | the recording ends |
//! | another file gets its name | the file of that name, at the end | a message |
//!
//! The message comes at once where a call of the runtime finds out, and at the end of the run where a handler has.
//!
//! The process that has begun a recording is the only one that writes it. A process that it forks has the mappings,
//! too, and would write where its parent does, so recording ends there (`leave_to_parent`).

use super::clock::{self, Calibration};
use super::format::{
    APART_AT, ApartInHead, FIRST_SEGMENT, FREE_MAGIC, HEAD_BYTES, Head, LARGEST_SEGMENT, LEAST_SEGMENT, MAGIC,
    MOST_APART, RECORD_BYTES, SEGMENT_HEAD_BYTES, SEGMENT_MAGIC, SEGMENT_UNIT, SegmentHead, TEXT_AT, VERSION,
};
use super::keeper::{FileKeeper, KeeperError, Mapped};
use ocr_base::lock::{Mutex, rank};
use ocr_base::text::Readable;
use ocr_trace::identity::RunIdentity;
use rustc_hash::FxHashSet;
use std::cell::Cell;
use std::io;
use std::mem::offset_of;
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU8, AtomicU32, AtomicU64, Ordering, compiler_fence};
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

/// How often counters are looked at, and the clock is calibrated anew, in nanoseconds.
const SAMPLE_EACH_NS: u64 = 5_000_000;

/// The sizes of new pieces in bytes, each with the length of the file from which on it holds, the largest first. A
/// shorter file gets pieces of [`SEGMENT_UNIT`], so that a short run has a short file.
const LARGER_FROM: [(u64, u64); 2] = [(64 * SEGMENT_UNIT, LARGEST_SEGMENT), (8 * SEGMENT_UNIT, 4 * SEGMENT_UNIT)];

/// The recording of the current run; null where no run is recorded. A recording is never freed, since a thread may have
/// read the pointer just before the run ended. The process has one for each run that it has recorded.
static CURRENT: AtomicPtr<Recording> = AtomicPtr::new(ptr::null_mut());

/// The last recording that this process has begun, which has the one before it. Release where it is stored: pairs with
/// the loads, which find the recording as it was made.
static NEWEST: AtomicPtr<Recording> = AtomicPtr::new(ptr::null_mut());

/// Whether a run is recorded.
#[inline(always)]
pub(crate) fn is_on() -> bool {
    // Relaxed: a caller that goes on to record reads the pointer once more, with acquire order.
    !CURRENT.load(Ordering::Relaxed).is_null()
}

/// A part of a piece that has the length and the place of a segment.
pub(super) struct Room {
    piece: Arc<Mapped>,
    /// Where in the piece it begins.
    begin: usize,
    pub(super) bytes: usize,
}

impl Room {
    pub(super) fn at(&self) -> *mut u8 {
        self.piece.at.as_ptr().wrapping_add(self.begin)
    }

    /// Where in the file it is.
    fn place(&self) -> std::ops::Range<u64> {
        let begin = self.piece.from + self.begin as u64;
        begin..begin + self.bytes as u64
    }

    fn head(&self) -> &SegmentHead {
        // SAFETY: a room lies in a piece, which lives as long as the room, and has the bytes of a head or more. Rooms
        // begin at multiples of the size of a record. Any bytes are a head, whose fields are atomic or never written.
        unsafe { &*self.at().cast::<SegmentHead>() }
    }

    /// Writes the head of a segment that no thread has. Whatever stands in the file there is no head yet.
    fn set_free(&self) {
        let head = self.head();
        head.bytes.store(self.bytes as u64, Ordering::Relaxed);
        head.magic.store(FREE_MAGIC, Ordering::Release);
    }

    /// Gives all but the first `bytes` away, as a free segment.
    fn split(&mut self, bytes: usize) -> Room {
        let rest = Room { piece: self.piece.clone(), begin: self.begin + bytes, bytes: self.bytes - bytes };
        rest.set_free();
        self.bytes = bytes;
        // Before that, a reader finds no head of the rest, and does not look for one.
        self.head().bytes.store(bytes as u64, Ordering::Release);
        rest
    }
}

/// A segment that a thread fills. What it has not filled is given back when this goes.
pub(super) struct Segment {
    recording: &'static Recording,
    room: Option<Room>,
}

impl Segment {
    pub(super) fn room(&self) -> Option<&Room> {
        self.room.as_ref()
    }

    /// Says how many records are whole.
    #[inline]
    pub(super) fn set_count(&self, count: u64) {
        if let Some(room) = &self.room {
            // Release: pairs with the read of the file by a reader. One that finds the number finds as many records.
            room.head().count.store(count, Ordering::Release);
        }
    }
}

impl Drop for Segment {
    fn drop(&mut self) {
        if let Some(room) = self.room.take() {
            self.recording.take_back(room);
        }
        TOUCHED.set(NOTHING);
    }
}

/// The recording, and the address and length of the piece, into which a thread may be writing.
type Touched = (*const Recording, usize, usize);

const NOTHING: Touched = (ptr::null(), 0, 0);

thread_local! {
    /// What this thread may be writing. It has no destructor, so a handler of a signal may look at it.
    static TOUCHED: Cell<Touched> = const { Cell::new(NOTHING) };
}

/// Why a recording has ended before its run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
enum FileDamage {
    Cut = 1,
    Overwritten = 2,
    Removed = 3,
}

impl FileDamage {
    fn of(number: u8) -> Option<FileDamage> {
        match number {
            1 => Some(FileDamage::Cut),
            2 => Some(FileDamage::Overwritten),
            3 => Some(FileDamage::Removed),
            _ => None,
        }
    }

    fn words(self) -> &'static str {
        match self {
            FileDamage::Cut => "was made shorter by somebody else while it was written",
            FileDamage::Overwritten => "was overwritten by somebody else while it was written",
            FileDamage::Removed => "was removed while it was written",
        }
    }
}

/// The recording of one run of this process.
pub(crate) struct Recording {
    path: PathBuf,
    pub(super) clock: clock::ClockKind,
    head: Mapped,
    /// The process, and ticks and nanoseconds of the begin, as they stand in the head while nothing overwrites it.
    process: u32,
    first: [u64; 2],
    file: Mutex<rank::RecordingFile, Growing>,
    /// Whether there is no room for another segment. Relaxed: the flag orders nothing, and a thread that sees it late
    /// tries in vain.
    pub(super) full: AtomicBool,
    /// A number of [`FileDamage`]; 0 while the file is as the runtime has written it. Relaxed: it orders nothing.
    broken: AtomicU8,
    /// Whether somebody ends it. Relaxed: the swap alone decides who does.
    is_ended: AtomicBool,
    /// How many threads have written. Relaxed: the addition alone gives each thread a number of its own.
    pub(super) owners: AtomicU32,
    /// The works whose names have been recorded.
    pub(super) named: Mutex<rank::RecordedNames, FxHashSet<u64>>,
    /// Held by the thread that writes a pair of ticks and nanoseconds.
    calibrating: Mutex<rank::Calibrating, Calibration>,
    /// How many ticks 2^30 ns take; 0 while that is not known. Relaxed: the number stands alone.
    speed: AtomicU64,
    /// When counters must be looked at next, in ticks. Relaxed: the exchange alone decides which of several threads
    /// looks.
    due: AtomicU64,
    /// The recording that this process has begun before.
    earlier: *const Recording,
}

// SAFETY: `earlier` is null or that of a recording, which is never freed and shared by all threads.
unsafe impl Sync for Recording {}
// SAFETY: as for `Sync`: no field belongs to a thread.
unsafe impl Send for Recording {}

/// The file, which grows by a piece at a time.
struct Growing {
    /// None when the recording has ended.
    keeper: Option<FileKeeper>,
    /// Where the next piece begins, in bytes.
    end: u64,
    /// The segments that no thread has. Each has [`LEAST_SEGMENT`] bytes or more.
    free: Vec<Room>,
}

impl Growing {
    /// Takes a free segment that has `bytes` bytes or more, or else any.
    fn take(&mut self, bytes: usize) -> Option<Room> {
        let large = self.free.iter().rposition(|room| room.bytes >= bytes);
        let at = large.or(self.free.len().checked_sub(1))?;
        Some(self.free.swap_remove(at))
    }
}

/// How a recording has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ended {
    /// No run is recorded in this process, or another thread ends its recording.
    NotRecorded,
    /// The file is under its name, as the runtime has written it.
    Whole,
    /// It is not, which has been said.
    Broken,
}

/// Begins to record a run into a new file. `text` says what runs where, in lines `name=value`. A file that is there
/// under the name is replaced; a process that still records into it keeps its own file. The error is a text for the
/// user.
pub(crate) fn begin(path: &Path, run: RunIdentity, text: &str) -> Result<(), String> {
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
    let recording = create(path, run, text)?;
    recording.earlier = NEWEST.load(Ordering::Acquire);
    NEWEST.store(recording, Ordering::Release);
    // Release: pairs with the load in `current`, which finds the recording as it was made here.
    CURRENT.store(recording, Ordering::Release);
    Ok(())
}

/// Ends the recording in a forked process. The recording is that of its parent.
unsafe extern "C" fn leave_to_parent() {
    // Relaxed: the child has one thread.
    CURRENT.store(ptr::null_mut(), Ordering::Relaxed);
    NEWEST.store(ptr::null_mut(), Ordering::Relaxed);
}

/// Makes a new file with a head, and then gives it its name. The error is a text for the user.
pub(super) fn create(path: &Path, run: RunIdentity, text: &str) -> Result<&'static mut Recording, String> {
    let kind = clock::kind();
    let first = clock::pair(kind);
    let about = text.to_string();
    let (keeper, head) = FileKeeper::begin(path, move |head| write_head(head, run, first, &about))
        .map_err(|error| format!("the recording {} cannot be written: {error}", Readable::path(path)))?;
    Ok(Box::leak(Box::new(Recording {
        path: path.to_owned(),
        clock: kind,
        head,
        process: std::process::id(),
        first,
        file: Mutex::new(Growing { keeper: Some(keeper), end: HEAD_BYTES, free: Vec::new() }),
        full: AtomicBool::new(false),
        broken: AtomicU8::new(0),
        is_ended: AtomicBool::new(false),
        owners: AtomicU32::new(0),
        named: Mutex::default(),
        calibrating: Mutex::new(Calibration::new(first)),
        speed: AtomicU64::new(0),
        due: AtomicU64::new(0),
        earlier: ptr::null(),
    })))
}

/// Writes the head of a new file into its mapping. A text that has no room in the head is cut.
fn write_head(mapped: &Mapped, run: RunIdentity, first: [u64; 2], text: &str) {
    let mut length = text.len().min(APART_AT - TEXT_AT);
    while !text.is_char_boundary(length) {
        length -= 1;
    }
    let wall = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let head = Head {
        magic: MAGIC,
        version: VERSION,
        head_bytes: HEAD_BYTES as u32,
        clock: clock::kind() as u32,
        process: std::process::id(),
        wall_seconds: wall.map_or(0, |wall| wall.as_secs()),
        first_ticks: first[0],
        first_ns: first[1],
        calibrated: AtomicU64::new(0),
        later: Default::default(),
        ended: AtomicU64::new(0),
        ended_ticks: AtomicU64::new(0),
        lost: AtomicU64::new(0),
        text_bytes: length as u64,
        reached: AtomicU64::new(HEAD_BYTES),
        apart: AtomicU64::new(0),
        run: run.words(),
        node: run.node.node,
        nodes: run.node.nodes,
        launch: run.node.launch,
        machine: run.node.machine,
    };
    let place = mapped.at.as_ptr().wrapping_add(TEXT_AT);
    // SAFETY: the mapping has `HEAD_BYTES`, of which `length` are left behind `TEXT_AT`; and `text` has `length` bytes.
    // The mapping is new and no other thread knows it, so the two do not overlap.
    unsafe { place.copy_from_nonoverlapping(text.as_ptr(), length) };
    // SAFETY: a mapping begins at a page, so it is aligned. It has more bytes than a head, and no other thread knows
    // it.
    unsafe { mapped.at.cast::<Head>().write(head) };
}

/// Ends the recording of a run with its exit status, and says what is wrong with it. Only what a thread is writing
/// right now may still be recorded.
pub(crate) fn end(status: i32) -> Ended {
    // Acquire: pairs with the store in `begin`.
    // SAFETY: the pointer is null, or that of a recording, which is never freed and only shared from then on.
    let newest = unsafe { NEWEST.load(Ordering::Acquire).as_ref() };
    match newest {
        Some(recording) if !recording.is_ended.swap(true, Ordering::Relaxed) => {
            // Relaxed: a thread that sees the null pointer late writes into its segment, which stays mapped, and a
            // reader takes what it finds.
            CURRENT.store(ptr::null_mut(), Ordering::Relaxed);
            recording.finish(status)
        }
        _ => Ended::NotRecorded,
    }
}

/// Has other memory take the place of a piece of a recording that is not in its file any more, since somebody has made
/// that shorter. False if the address is in no piece that this thread may be writing. For the handler of SIGBUS: it
/// takes no lock and no memory.
pub(crate) fn absorb(address: usize) -> bool {
    let (recording, at, bytes) = TOUCHED.get();
    let mut found = (address.wrapping_sub(at) < bytes).then_some((recording, at, bytes));
    // Any thread writes into heads.
    let mut next = NEWEST.load(Ordering::Acquire).cast_const();
    // SAFETY: the pointers are null, or those of recordings, which are never freed and only shared.
    while let Some(earlier) = unsafe { next.as_ref() } {
        if earlier.head.has(address) {
            found = Some((next, earlier.head.at.as_ptr().addr(), earlier.head.bytes));
        }
        next = earlier.earlier;
    }
    let Some((recording, at, bytes)) = found else {
        return false;
    };
    // SAFETY: the range is that of a mapping of the recording, which this thread keeps mapped while it may touch it.
    // What was there is gone, so nothing is lost, and what refers to it finds memory there as before.
    let mapped = unsafe {
        libc::mmap(
            ptr::without_provenance_mut(at),
            bytes,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED,
            -1,
            0,
        )
    };
    // SAFETY: the pointer is that of a recording, as above.
    if let Some(recording) = unsafe { recording.as_ref() } {
        recording.stop(FileDamage::Cut);
    }
    mapped != libc::MAP_FAILED
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

    /// Ends the recording before its run. For handlers of signals, too.
    fn stop(&self, why: FileDamage) {
        let _ = self.broken.compare_exchange(0, why as u8, Ordering::Relaxed, Ordering::Relaxed);
        let this = ptr::from_ref(self).cast_mut();
        // Relaxed: as in `end`.
        let _ = CURRENT.compare_exchange(this, ptr::null_mut(), Ordering::Relaxed, Ordering::Relaxed);
    }

    fn broken(&self) -> Option<FileDamage> {
        FileDamage::of(self.broken.load(Ordering::Relaxed))
    }

    /// The ticks of the begin of the run.
    pub(super) fn first_ticks(&self) -> u64 {
        self.first[0]
    }

    /// Says that this thread is about to write into a piece.
    fn touch(&self, piece: &Mapped) {
        TOUCHED.set((self, piece.at.as_ptr().addr(), piece.bytes));
        // The handler of a signal that comes by writing finds it.
        compiler_fence(Ordering::SeqCst);
    }

    /// Whether the head is that of this recording still.
    fn is_intact(&self) -> bool {
        let head = self.head.at.as_ptr();
        let magic = head.wrapping_add(offset_of!(Head, magic)).cast::<[u8; 8]>();
        let process = head.wrapping_add(offset_of!(Head, process)).cast::<u32>();
        let ticks = head.wrapping_add(offset_of!(Head, first_ticks)).cast::<u64>();
        // SAFETY: the mapping has a head, and lives as long as `self`. The field is read as bytes that another process
        // may change.
        let magic = unsafe { magic.read_volatile() };
        // SAFETY: the field is in the mapped head, which another process may change.
        let process = unsafe { process.read_volatile() };
        // SAFETY: the field is in the mapped head, which another process may change.
        let ticks = unsafe { ticks.read_volatile() };
        (magic, process, ticks) == (MAGIC, self.process, self.first[0])
    }

    /// Writes a later pair of ticks and nanoseconds into the head. A reader needs one also where the process is killed.
    fn calibrate(&self) {
        // One thread at a time. A thread that finds another one writing has nothing to add.
        let Some(mut known) = self.calibrating.try_lock() else {
            return;
        };
        if !self.is_intact() {
            self.stop(FileDamage::Overwritten);
            return;
        }
        let head = self.head();
        let pair = clock::pair(self.clock);
        if let Some(before) = known.follow(pair) {
            self.went_apart(before, pair);
        }
        if let Some(speed) = known.speed() {
            self.speed.store(speed, Ordering::Relaxed);
        }
        let next = head.calibrated.load(Ordering::Relaxed).wrapping_add(1);
        let place = &head.later[next as usize % 2];
        place[0].store(pair[0], Ordering::Relaxed);
        place[1].store(pair[1], Ordering::Relaxed);
        // Release: pairs with the read of the file by a reader. One that finds the number finds the pair.
        head.calibrated.store(next, Ordering::Release);
    }

    /// Writes into the head that the two clocks have gone apart between two pairs. The caller is the one that
    /// calibrates.
    fn went_apart(&self, before: [u64; 2], after: [u64; 2]) {
        let count = self.head().apart.load(Ordering::Relaxed);
        if count < MOST_APART as u64 {
            let times = self.head.at.as_ptr().wrapping_add(APART_AT);
            let place = times.cast::<ApartInHead>().wrapping_add(count as usize);
            // SAFETY: the head has room for `MOST_APART` times from `APART_AT` on, which is aligned as the page is, and
            // this is one of them. It lives as long as `self`, and its fields are atomic.
            let place = unsafe { &*place };
            for (place, pair) in place.iter().zip([before, after]) {
                place[0].store(pair[0], Ordering::Relaxed);
                place[1].store(pair[1], Ordering::Relaxed);
            }
        }
        // Release: pairs with the read of the file by a reader. One that finds the number finds the times.
        self.head().apart.store(count.wrapping_add(1), Ordering::Release);
    }

    /// Gets a segment for the thread `owner`: a free one, or one of a new piece at the end of the file. None where
    /// there is no room, which is warned of once.
    #[cold]
    pub(super) fn segment(&'static self, owner: u32, sequence: u32) -> Option<Segment> {
        if self.full.load(Ordering::Relaxed) || self.broken().is_some() {
            return None;
        }
        let bytes = LARGEST_SEGMENT.min(FIRST_SEGMENT << sequence.min(32));
        let mut growing = self.file.lock();
        let mut room = match growing.take(bytes as usize) {
            Some(room) => room,
            None => self.grow(&mut growing)?,
        };
        // What another thread has left is written by this one now.
        self.touch(&room.piece);
        if room.bytes as u64 >= bytes + LEAST_SEGMENT {
            let rest = room.split(bytes as usize);
            growing.free.push(rest);
        }
        drop(growing);
        let head = room.head();
        head.count.store(0, Ordering::Relaxed);
        // SAFETY: `gettid` has no preconditions, and touches no memory of the caller.
        let thread = unsafe { libc::gettid() } as u32;
        head.thread.store(thread, Ordering::Relaxed);
        head.sequence.store(sequence, Ordering::Relaxed);
        head.owner.store(owner, Ordering::Relaxed);
        head.magic.store(SEGMENT_MAGIC, Ordering::Release);
        Some(Segment { recording: self, room: Some(room) })
    }

    /// Enlarges the file by a piece, and returns it as one free segment. None where there is no room, or the file is
    /// not what it was, which is said once.
    fn grow(&self, growing: &mut Growing) -> Option<Room> {
        let keeper = growing.keeper.as_ref()?;
        let end = growing.end;
        let mut larger = LARGER_FROM.iter();
        let bytes = larger.find(|(from, _)| end >= *from);
        let bytes = bytes.map_or(SEGMENT_UNIT, |(_, bytes)| *bytes);
        let why = match keeper.grow(end, &[bytes, SEGMENT_UNIT]) {
            Ok(piece) => {
                growing.end += piece.bytes as u64;
                let room = Room { begin: 0, bytes: piece.bytes, piece: Arc::new(piece) };
                self.touch(&room.piece);
                room.set_free();
                // Release: pairs with the read of the file by a reader. By it a reader knows that the file was no
                // shorter.
                self.head().reached.store(growing.end, Ordering::Release);
                self.calibrate();
                return Some(room);
            }
            Err(KeeperError::Removed) => FileDamage::Removed,
            Err(KeeperError::Cut) => FileDamage::Cut,
            Err(KeeperError::Full(error)) => {
                if !self.full.swap(true, Ordering::Relaxed) {
                    warning!(
                        "the recording {} has {end} bytes and gets no more: {error}. The program goes on; each thread \
                         records what it has room for, and the rest is lost",
                        Readable::path(&self.path),
                    );
                }
                return None;
            }
        };
        self.stop(why);
        None
    }

    /// Takes a segment back from a thread. What it has not filled becomes a free segment.
    fn take_back(&self, mut room: Room) {
        // What a thread of a forked process does at its end is not to reach the parent's recording.
        if self.process != std::process::id() || self.broken().is_some() {
            return;
        }
        self.touch(&room.piece);
        let count = room.head().count.load(Ordering::Relaxed);
        let used = count.saturating_mul(RECORD_BYTES as u64).saturating_add(SEGMENT_HEAD_BYTES as u64);
        if used.saturating_add(LEAST_SEGMENT) > room.bytes as u64 {
            return;
        }
        let mut growing = self.file.lock();
        if growing.keeper.is_some() {
            let rest = room.split(used as usize);
            growing.free.push(rest);
        }
    }

    /// Ends the recording, with the exit status of its run.
    fn finish(&self, status: i32) -> Ended {
        let name = Readable::path(&self.path);
        self.calibrate();
        let mut growing = self.file.lock();
        self.full.store(true, Ordering::Relaxed);
        let mut free = std::mem::take(&mut growing.free);
        let keeper = growing.keeper.take();
        let whole = growing.end;
        drop(growing);
        // What is free at the end of the file is cut off.
        free.sort_by_key(|room| room.place().start);
        let mut end = whole;
        while let Some(last) = free.pop_if(|room| room.place().end == end) {
            end = last.place().start;
        }
        let head = self.head();
        if self.broken().is_none() {
            head.reached.store(end, Ordering::Release);
            let ticks = clock::ticks(self.clock);
            head.ended_ticks.store(ticks, Ordering::Relaxed);
            // Release: pairs with the read of the file by a reader. One that finds the status finds the time, too.
            head.ended.store(1 + u64::from(status as u32), Ordering::Release);
        }
        let lost = head.lost.load(Ordering::Relaxed);
        let unused = free.iter().map(Room::place).collect();
        let kept = match (self.broken(), keeper) {
            (None, Some(keeper)) => keeper.end(whole, end, unused),
            _ => Ok(true),
        };
        // A handler may have found out meanwhile.
        match (self.broken(), kept) {
            (Some(why), _) => {
                warning!("the recording {name} {}. It has ended there, and cannot be used", why.words());
                return Ended::Broken;
            }
            (None, Ok(true)) => {}
            (None, Ok(false)) => {
                warning!(
                    "the recording of this run is not under its name {name} any more: it was renamed, or another file \
                     has got the name"
                );
                return Ended::Broken;
            }
            (None, Err(why)) => {
                match why {
                    KeeperError::Removed => {
                        warning!("the recording {name} {}", FileDamage::Removed.words())
                    }
                    KeeperError::Cut => {
                        warning!("the recording {name} {}, and cannot be used", FileDamage::Cut.words())
                    }
                    KeeperError::Full(error) => {
                        warning!("the recording {name} cannot be written: {error}");
                    }
                }
                return Ended::Broken;
            }
        }
        if lost != 0 {
            warning!("the recording {name} lacks {lost} records or more, for which there was no room");
        }
        Ended::Whole
    }
}

/// The ticks of the counter now, and how many ticks `ns` nanoseconds take, by the speed of the counter. Both are 0
/// where no run is recorded.
pub(super) fn now_and_length(ns: u64) -> (u64, u64) {
    let Some(recording) = current() else {
        return (0, 0);
    };
    let now = clock::ticks(recording.clock);
    let length = match recording.speed.load(Ordering::Relaxed) {
        0 => {
            let [first_ticks, first_ns] = recording.first;
            let since_ns = clock::monotonic_ns().saturating_sub(first_ns).max(1);
            let since = now.saturating_sub(first_ticks);
            u128::from(ns) * u128::from(since) / u128::from(since_ns)
        }
        speed => (u128::from(ns) * u128::from(speed)) >> 30,
    };
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
    let taken = recording.due.compare_exchange(due, next, Ordering::Relaxed, Ordering::Relaxed);
    if taken.is_ok() {
        recording.calibrate();
    }
    taken.is_ok()
}
