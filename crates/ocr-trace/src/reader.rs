//! Reads a recording, as records in the order of time. The run may have ended, have been killed, or go on.

use super::clock::{Apart, Scale};
use super::format::{
    APART_AT, FREE_MAGIC, HEAD_BYTES, Head, LARGEST_SEGMENT, LONGEST_TEXT, MAGIC, MOST_APART, RECORD_BYTES, Record,
    RecordKind, SEGMENT_HEAD_BYTES, SEGMENT_MAGIC, SegmentHead, TEXT_AT, VERSION,
};
use super::identity::RunIdentity;
use ocr_base::text::{Counted, Readable};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::fs::File;
use std::io;
use std::mem::offset_of;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// A file that holds a recording.
pub struct RecordingFile {
    file: File,
    /// The name of the file as messages show it.
    pub name: String,
    /// What the head says of the run: values by name.
    pub about: BTreeMap<String, String>,
    /// The system's number of the process that was recorded.
    pub process: u32,
    /// Which run it is.
    pub run: RunIdentity,
    /// The exit status of the run. None if it goes on, or was killed.
    pub status: Option<i32>,
    /// When the run ended, in ticks. None if it goes on, or was killed.
    pub ended_ticks: Option<u64>,
    /// How many records there was no room for.
    pub lost: u64,
    /// What is cut off or damaged in the file, each in a sentence.
    pub faults: Vec<String>,
    /// Ticks and nanoseconds (`CLOCK_MONOTONIC`) of one moment when the run began.
    pub first: [u64; 2],
    /// Seconds from the first of January 1970 to the begin of the run.
    pub wall_seconds: u64,
    /// How ticks of the recording's clock become nanoseconds.
    pub scale: Scale,
    /// The times in which the two clocks have gone apart.
    pub apart: Vec<Apart>,
    threads: BTreeMap<u32, Vec<OwnSegment>>,
}

/// A segment of the file, by its head.
#[derive(Clone, Copy)]
struct OwnSegment {
    /// Where in the file the segment begins, in bytes.
    offset: u64,
    /// The number of the segment among those of its thread.
    sequence: u32,
    /// How many records of the segment are whole and in the file.
    records: u64,
    /// How many records the segment has room for.
    most: u64,
}

impl OwnSegment {
    /// Whether the segment has no room for the longest text, so that its thread may have taken another segment.
    fn is_full(&self) -> bool {
        const LONGEST: u64 = 1 + LONGEST_TEXT.div_ceil(RECORD_BYTES) as u64;
        self.most - self.records < LONGEST
    }
}

/// A record with the thread that wrote it and the text behind it.
pub struct TraceEvent {
    /// The number in the recording of the thread that wrote the record.
    pub owner: u32,
    /// When the record was written, in ticks. The record's own time may be earlier.
    pub written: u64,
    /// The record as it stands in the file.
    pub record: Record,
    /// The text behind the record; empty for a kind without a text.
    pub text: String,
}

/// The number in the eight bytes at an index; 0 where they are not there.
fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let word = bytes.get(at..at + 8).and_then(|word| word.try_into().ok());
    word.map_or(0, u64::from_le_bytes)
}

/// The number in the four bytes at an index; 0 where they are not there.
fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let word = bytes.get(at..at + 4).and_then(|word| word.try_into().ok());
    word.map_or(0, u32::from_le_bytes)
}

/// The record in these bytes, of which there are [`RECORD_BYTES`].
fn record_of(bytes: &[u8]) -> Record {
    Record {
        ticks: u64_at(bytes, 0),
        kind: bytes[8],
        a: bytes[9],
        b: u16::from_le_bytes([bytes[10], bytes[11]]),
        c: u32_at(bytes, 12),
        x: u64_at(bytes, 16),
        y: u64_at(bytes, 24),
    }
}

/// Reads the bytes of a file from `offset` on, up to the length of `place`. Returns how many there were.
fn read_at(file: &File, place: &mut [u8], offset: u64) -> io::Result<usize> {
    let mut done = 0;
    while done < place.len() {
        match file.read_at(&mut place[done..], offset + done as u64) {
            Ok(0) => break,
            Ok(count) => done += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(done)
}

impl RecordingFile {
    /// Opens a recording and finds its segments. The error is a text that says why the file cannot be read: there is
    /// none, it is no recording, or one of another version.
    pub fn open(path: &Path) -> Result<RecordingFile, String> {
        let name = Readable::path(path).to_string();
        let fail = |error: io::Error| format!("{name} cannot be read: {error}");
        let about_file = path.metadata().map_err(fail)?;
        if about_file.is_dir() {
            return Err(format!("{name} is a folder, and no recording of a run"));
        }
        if !about_file.is_file() {
            return Err(format!(
                "{name} is no regular file, and a recording is read from several places at once: copy it to a file first"
            ));
        }
        let file = File::open(path).map_err(fail)?;
        let mut head = vec![0; HEAD_BYTES as usize];
        let length = read_at(&file, &mut head, 0).map_err(fail)?;
        if length < MAGIC.len() || head[..MAGIC.len()] != MAGIC {
            return Err(format!(
                "{name} is no recording of a run: a program writes one with OCR_TRACE=FILE or -ocr:trace FILE, unless FILE ends \
                 in .pftrace, .json, .html, .dot or .graphml"
            ));
        }
        let version = u32_at(&head, offset_of!(Head, version));
        if version != VERSION {
            return Err(format!(
                "{name} is a recording of version {version}, and this command reads version {VERSION}: use the command \
                 `ocr` of the runtime that has recorded it, or record the run anew"
            ));
        }
        if (length as u64) < HEAD_BYTES {
            return Err(format!(
                "{name} is cut off within its head, after {}: nothing of the run is left in it",
                Counted(length as u64, "byte")
            ));
        }
        let head_bytes = u32_at(&head, offset_of!(Head, head_bytes));
        if u64::from(head_bytes) != HEAD_BYTES {
            return Err(format!(
                "{name} is damaged: its head says that it has {head_bytes} bytes, and it has {HEAD_BYTES}"
            ));
        }
        let first = [u64_at(&head, offset_of!(Head, first_ticks)), u64_at(&head, offset_of!(Head, first_ns))];
        let calibrated = u64_at(&head, offset_of!(Head, calibrated));
        let pair = offset_of!(Head, later) + 16 * (calibrated % 2) as usize;
        let later = [u64_at(&head, pair), u64_at(&head, pair + 8)];
        let ended = u64_at(&head, offset_of!(Head, ended));
        let apart = apart_in(&head);
        let scale = Scale::new(first, &apart, later);
        let mut recording = RecordingFile {
            about: about(&head),
            process: u32_at(&head, offset_of!(Head, process)),
            run: RunIdentity::in_head(&head).unwrap_or_default(),
            status: (ended != 0).then(|| (ended - 1) as i32),
            ended_ticks: (ended != 0).then(|| u64_at(&head, offset_of!(Head, ended_ticks))),
            lost: u64_at(&head, offset_of!(Head, lost)),
            faults: Vec::new(),
            apart: apart.iter().map(|pairs| scale.apart(*pairs)).collect(),
            first,
            wall_seconds: u64_at(&head, offset_of!(Head, wall_seconds)),
            scale,
            threads: BTreeMap::new(),
            file,
            name,
        };
        recording
            .find_segments(u64_at(&head, offset_of!(Head, reached)))
            .map_err(|error| format!("{} cannot be read: {error}", recording.name))?;
        Ok(recording)
    }

    /// Finds the segments of a file whose head says that the last one ends at `reached`.
    fn find_segments(&mut self, reached: u64) -> io::Result<()> {
        // The file of a run that goes on may grow meanwhile.
        let length = self.file.metadata()?.len();
        let is_cut = length < reached;
        if is_cut {
            self.faults.push(format!("the file is cut off: it has {length} bytes, and segments took {reached}"));
        }
        let mut offset = HEAD_BYTES;
        while offset < length {
            let mut head = [0; SEGMENT_HEAD_BYTES];
            let read = read_at(&self.file, &mut head, offset)?;
            let magic = u64_at(&head, offset_of!(SegmentHead, magic));
            let bytes = u64_at(&head, offset_of!(SegmentHead, bytes));
            if magic == 0 && offset >= reached || is_cut && read < head.len() {
                // The rest is room that was reserved and that no thread had begun to use; or it is cut off, which was
                // reported above.
                break;
            }
            let is_length = bytes.is_multiple_of(RECORD_BYTES as u64)
                && (SEGMENT_HEAD_BYTES as u64..=LARGEST_SEGMENT).contains(&bytes);
            if read < head.len() || ![SEGMENT_MAGIC, FREE_MAGIC].contains(&magic) || !is_length {
                self.faults.push(format!(
                    "the file is damaged at byte {offset}, where a segment should begin: what follows is not read"
                ));
                break;
            }
            if magic == SEGMENT_MAGIC {
                self.add_segment(&head, offset, (length - offset).min(bytes));
            }
            offset += bytes;
        }
        self.sort_segments();
        Ok(())
    }

    /// Adds the segment that begins at `offset` with this head. `there` is how many bytes of it are in the file.
    fn add_segment(&mut self, head: &[u8], offset: u64, there: u64) {
        let room = |bytes: u64| bytes.saturating_sub(SEGMENT_HEAD_BYTES as u64) / RECORD_BYTES as u64;
        let most = room(u64_at(head, offset_of!(SegmentHead, bytes)));
        let count = u64_at(head, offset_of!(SegmentHead, count));
        let records = count.min(room(there));
        if count > records {
            self.faults.push(format!(
                "the segment at byte {offset} says that it has {count} records, and {records} of them are there"
            ));
        }
        let owner = u32_at(head, offset_of!(SegmentHead, owner));
        self.threads.entry(owner).or_default().push(OwnSegment {
            offset,
            sequence: u32_at(head, offset_of!(SegmentHead, sequence)),
            records,
            most,
        });
    }

    /// Sorts the segments of each thread in the order in which they were filled, and notes where one is missing.
    fn sort_segments(&mut self) {
        for (owner, segments) in &mut self.threads {
            segments.sort_by_key(|segment| segment.sequence);
            let mut numbers = segments.iter().map(|segment| segment.sequence).zip(0..);
            if let Some((found, missing)) = numbers.find(|(found, at)| found != at) {
                self.faults.push(format!(
                    "of thread {owner}, segment {missing} is missing: segment {found} is there in its place"
                ));
            }
            let before = segments.split_last().map_or(&[][..], |(_, before)| before);
            if let Some(early) = before.iter().find(|segment| !segment.is_full()) {
                self.faults.push(format!(
                    "the segment at byte {} says that it has {} records, and its thread has filled another one after it",
                    early.offset, early.records
                ));
            }
        }
    }

    /// How many records the file has. A text counts as the records whose room it takes.
    pub fn records(&self) -> u64 {
        let all = self.threads.values().flatten();
        all.map(|segment| segment.records).sum()
    }

    /// Calls `see` with each record, in the order in which they were written, as far as one can tell. Returns a
    /// sentence for each thing that is wrong with the records. The error is a text that says why the file cannot be
    /// read.
    pub fn for_each(&self, mut see: impl FnMut(TraceEvent)) -> Result<Vec<String>, String> {
        merge(&[self], |_, ticks| ticks, |_, event| see(event))
    }

    /// More than the number of any thread in the recording.
    pub(crate) fn threads(&self) -> u32 {
        self.threads.last_key_value().map_or(0, |(last, _)| last.saturating_add(1))
    }
}

/// Calls `see` with each record of several files and the index of its file, in the order in which they were written.
/// `common` brings the ticks of a file to a clock that all have. Otherwise as [`RecordingFile::for_each`].
pub(crate) fn merge(
    files: &[&RecordingFile],
    common: impl Fn(usize, u64) -> u64,
    mut see: impl FnMut(usize, TraceEvent),
) -> Result<Vec<String>, String> {
    let fail = |of: usize, error: io::Error| format!("{} cannot be read: {error}", files[of].name);
    let mut faults = Vec::new();
    let mut threads = Vec::new();
    let mut heap = BinaryHeap::new();
    for (of, file) in files.iter().enumerate() {
        for (&owner, segments) in &file.threads {
            let mut thread = Cursor::new(owner, segments);
            if let Some(next) = thread.next(&file.file).map_err(|error| fail(of, error))? {
                heap.push(Reverse((common(of, next.written), threads.len())));
                threads.push((of, thread, next));
            }
        }
    }
    while let Some(Reverse((_, at))) = heap.pop() {
        let (of, thread, waiting) = &mut threads[at];
        let next = thread.next(&files[*of].file).map_err(|error| fail(*of, error))?;
        let event = match next {
            Some(next) => {
                heap.push(Reverse((common(*of, next.written), at)));
                std::mem::replace(waiting, next)
            }
            None => {
                let empty =
                    TraceEvent { owner: thread.owner, written: 0, record: Record::default(), text: String::new() };
                std::mem::replace(waiting, empty)
            }
        };
        see(*of, event);
    }
    for (of, thread, _) in &threads {
        if thread.cut_texts != 0 {
            let name = if files.len() > 1 { format!("{}: ", files[*of].name) } else { String::new() };
            faults
                .push(format!("{name}of thread {}, texts are cut off or damaged: {}", thread.owner, thread.cut_texts));
        }
    }
    Ok(faults)
}

/// The pairs of ticks and nanoseconds before and after each time in which the clocks have gone apart.
fn apart_in(head: &[u8]) -> Vec<[[u64; 2]; 2]> {
    let count = u64_at(head, offset_of!(Head, apart)).min(MOST_APART as u64);
    let word = |at: usize| u64_at(head, APART_AT + 8 * at);
    let pair = |at: usize| [word(at), word(at + 1)];
    let times = (0..count as usize).map(|number| [pair(4 * number), pair(4 * number + 2)]);
    times.collect()
}

/// The lines `name=value` of a head: values by name.
fn about(head: &[u8]) -> BTreeMap<String, String> {
    let length = u64_at(head, offset_of!(Head, text_bytes)) as usize;
    let end = TEXT_AT.saturating_add(length).min(APART_AT);
    let text = String::from_utf8_lossy(&head[TEXT_AT..end]);
    let pairs = text.lines().filter_map(|line| line.split_once('='));
    pairs.map(|(name, value)| (name.to_string(), value.to_string())).collect()
}

/// How far the records of a thread have been read.
struct Cursor<'a> {
    owner: u32,
    /// The segments that have not been read yet.
    segments: &'a [OwnSegment],
    /// The records of the segment that is being read.
    bytes: Vec<u8>,
    /// Where in `bytes` the next record begins.
    at: usize,
    /// The latest time of the records so far, in ticks.
    latest: u64,
    /// How many texts are shorter than their records say.
    cut_texts: u64,
}

impl<'a> Cursor<'a> {
    fn new(owner: u32, segments: &'a [OwnSegment]) -> Cursor<'a> {
        Cursor { owner, segments, bytes: Vec::new(), at: 0, latest: 0, cut_texts: 0 }
    }

    /// The next record of the thread, with its text. None behind the last one.
    fn next(&mut self, file: &File) -> io::Result<Option<TraceEvent>> {
        while self.at + RECORD_BYTES > self.bytes.len() {
            let Some((segment, rest)) = self.segments.split_first() else {
                return Ok(None);
            };
            self.segments = rest;
            self.bytes.resize(segment.records as usize * RECORD_BYTES, 0);
            let start = segment.offset + SEGMENT_HEAD_BYTES as u64;
            let read = read_at(file, &mut self.bytes, start)?;
            self.bytes.truncate(read);
            self.at = 0;
        }
        let record = record_of(&self.bytes[self.at..self.at + RECORD_BYTES]);
        self.at += RECORD_BYTES;
        let mut text = String::new();
        if RecordKind::of(record.kind).is_some_and(RecordKind::has_text) {
            let length = (record.c as usize).min(LONGEST_TEXT);
            let end = self.at + length;
            let bytes = &self.bytes[self.at..end.min(self.bytes.len())];
            self.cut_texts += u64::from(bytes.len() < record.c as usize);
            text = String::from_utf8_lossy(bytes).into_owned();
            self.at += length.div_ceil(RECORD_BYTES) * RECORD_BYTES;
        }
        // The record of a kernel is dated back to the kernel's end. A record that was written later still comes later.
        self.latest = self.latest.max(record.ticks);
        Ok(Some(TraceEvent { owner: self.owner, written: self.latest, record, text }))
    }
}
