//! The segment of a recording that each thread fills.
//!
//! What a thread needs to write a record is its own, so writing one takes no lock. A lock is taken where a segment is
//! full, and the file grows by a new one (`recording.rs`).

use super::clock;
use super::format::{LONGEST_TEXT, RECORD_BYTES, Record, RecordKind, SEGMENT_HEAD_BYTES, ThreadRole};
use super::recording::{Recording, Segment, current};
use rustc_hash::{FxBuildHasher, FxHashSet};
use std::cell::UnsafeCell;
use std::ffi::CStr;
use std::ptr;
use std::sync::atomic::Ordering;

/// What a thread needs of its own to write records.
struct RecordWriter {
    /// The recording to which the other fields belong; null before the thread's first record.
    recording: *const Recording,
    clock: clock::ClockKind,
    role: ThreadRole,
    /// The number of the thread in the recording.
    owner: u32,
    /// The number of the thread's next segment.
    sequence: u32,
    segment: Option<Segment>,
    /// From when to when a thread that has written nothing yet had no EDT to run, in ticks. A 0 in place of the end: it
    /// has none now. A 0 in place of the begin: it always had one.
    idle: [u64; 2],
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
    static WRITER: UnsafeCell<RecordWriter> = const { UnsafeCell::new(RecordWriter::NEW) };
}

impl RecordWriter {
    const NEW: RecordWriter = RecordWriter {
        recording: ptr::null(),
        clock: clock::ClockKind::Monotonic,
        role: ThreadRole::Program,
        owner: 0,
        sequence: 0,
        segment: None,
        idle: [0; 2],
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
            segment.set_count(self.count);
        }
    }

    /// Takes a new segment, in which there is room for `room` records. False if there is none; as many records are then
    /// counted as lost.
    #[cold]
    #[inline(never)]
    fn turn_over(&mut self, recording: &'static Recording, room: u64) -> bool {
        let first = !ptr::eq(self.recording, recording);
        let idle = std::mem::take(&mut self.idle);
        if first {
            *self = RecordWriter {
                recording,
                clock: recording.clock,
                role: self.role,
                owner: recording.owners.fetch_add(1, Ordering::Relaxed),
                ..RecordWriter::NEW
            };
        }
        self.segment = None;
        (self.count, self.most) = (0, 0);
        let Some(segment) = recording.segment(self.owner, self.sequence) else {
            recording.head().lost.fetch_add(room, Ordering::Relaxed);
            return false;
        };
        self.sequence += 1;
        if let Some(room) = segment.room() {
            let start = room.at().wrapping_add(SEGMENT_HEAD_BYTES);
            self.next = start.cast();
            self.most = ((room.bytes - SEGMENT_HEAD_BYTES) / RECORD_BYTES) as u64;
        }
        self.segment = Some(segment);
        if first {
            let name = name_of_thread();
            let record = Record { kind: RecordKind::Thread as u8, a: self.role as u8, ..Record::default() };
            self.append_text(recording, record, &name);
            let [since, until] = idle;
            if since >= recording.first_ticks() && since != 0 {
                self.append(recording, idle_record(RecordKind::Idle, since));
                if until != 0 {
                    self.append(recording, idle_record(RecordKind::Busy, until.max(since)));
                }
            }
        }
        true
    }

    /// Writes a record and a text behind it, in one segment. False where there is no room.
    fn append_text(&mut self, recording: &'static Recording, mut record: Record, text: &str) -> bool {
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
fn with(f: impl FnOnce(&mut RecordWriter, &'static Recording)) {
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

/// Writes that this thread has no EDT to run, or that it has one again. A thread that has written nothing yet keeps
/// that to itself until it writes something else: one that never does takes no room. Returns the time in ticks.
pub(super) fn append_idle(kind: RecordKind) -> u64 {
    let mut ticks = 0;
    with(|writer, recording| {
        if ptr::eq(writer.recording, recording) {
            ticks = writer.append(recording, idle_record(kind, 0));
            return;
        }
        ticks = clock::ticks(recording.clock);
        let [since, until] = &mut writer.idle;
        if *since < recording.first_ticks() {
            // It was so in an earlier run.
            *since = ticks;
        }
        *until = if kind == RecordKind::Idle { 0 } else { ticks };
    });
    ticks
}

/// A record of a thread that has no EDT to run, or has one again, at this time.
fn idle_record(kind: RecordKind, ticks: u64) -> Record {
    Record { ticks, kind: kind as u8, ..Record::default() }
}

/// The name of this thread.
fn name_of_thread() -> String {
    let mut name = [0_u8; 16];
    // SAFETY: with PR_GET_NAME the call writes 16 bytes at most, for which there is room.
    unsafe { libc::prctl(libc::PR_GET_NAME, name.as_mut_ptr()) };
    let name = CStr::from_bytes_until_nul(&name).unwrap_or_default();
    name.to_string_lossy().into_owned()
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
