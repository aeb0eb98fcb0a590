use super::*;
use crate::trace::format::{FIRST_SEGMENT, HEAD_BYTES, LARGEST_SEGMENT, SEGMENT_UNIT, VERSION};
use crate::trace::recording::create;
use ocr_trace::identity::{NodeOfRun, RunIdentity, of_node};
use ocr_trace::nodes::RunFiles;
use ocr_trace::reader::{self, TraceEvent};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize};

/// A file of its own, which goes with the test.
struct TemporaryFile(PathBuf);

impl TemporaryFile {
    fn new() -> TemporaryFile {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let next = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("ocr-trace-{}-{next}", std::process::id());
        TemporaryFile(std::env::temp_dir().join(name))
    }

    fn recording(&self) -> &'static Recording {
        create(&self.0, RunIdentity::of_this(), "program=x y\nhost=z\n").expect("the file can be written")
    }

    /// The recording of a node, beside this file where that is node 0's.
    fn of_node(&self, node: NodeOfRun) -> (TemporaryFile, &'static Recording) {
        let mut run = RunIdentity::of_this();
        run.node = node;
        let name = of_node(&self.0, node.node);
        let recording = create(&name, run, "workers=2\n").expect("the file can be written");
        (TemporaryFile(name), recording)
    }

    fn read(&self) -> (reader::RecordingFile, Vec<TraceEvent>, Vec<String>) {
        let recording = reader::RecordingFile::open(&self.0).expect("a recording");
        let mut events = Vec::new();
        let faults = recording.for_each(|event| events.push(event)).expect("read");
        (recording, events, faults)
    }

    fn refused(&self) -> String {
        match reader::RecordingFile::open(&self.0) {
            Ok(_) => panic!("it is read"),
            Err(why) => why,
        }
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

fn record(x: u64) -> Record {
    Record { kind: RecordKind::Block as u8, x, y: 2 * x, ..Record::default() }
}

/// Where the segments of a file are that threads have filled.
fn segments(file: &[u8]) -> Vec<std::ops::Range<usize>> {
    let word = |at: usize| u64::from_le_bytes(file[at..at + 8].try_into().expect("8 bytes"));
    let mut at = HEAD_BYTES as usize;
    let mut found = Vec::new();
    while at < file.len() {
        let end = at + word(at + 8) as usize;
        if file[at..].starts_with(b"ocr-segm") {
            found.push(at..end);
        }
        at = end;
    }
    found
}

fn numbers(events: &[TraceEvent]) -> Vec<u64> {
    let blocks = events.iter().filter(|event| event.record.kind == RecordKind::Block as u8);
    blocks.map(|event| event.record.x).collect()
}

#[test]
#[cfg_attr(miri, ignore = "it maps files")]
fn what_is_written_is_read_in_the_order_of_time() {
    let place = TemporaryFile::new();
    let recording = place.recording();
    let turn = AtomicU64::new(0);
    const EACH: u64 = 20_000;
    // Three threads in turns of 100 records: many segments, and an order that is known.
    std::thread::scope(|scope| {
        for thread in 0..3 {
            let turn = &turn;
            scope.spawn(move || {
                let mut writer = RecordWriter::NEW;
                for round in 0..EACH / 100 {
                    while turn.load(Ordering::Acquire) != 3 * round + thread {
                        std::thread::yield_now();
                    }
                    for at in 0..100 {
                        writer.append(recording, record(100 * (3 * round + thread) + at));
                    }
                    turn.fetch_add(1, Ordering::Release);
                }
            });
        }
    });
    let (file, events, faults) = place.read();
    assert!(faults.is_empty() && file.faults.is_empty(), "{faults:?}, {:?}", file.faults);
    assert_eq!(file.about["program"], "x y");
    let found = numbers(&events);
    assert_eq!(found.len() as u64, 3 * EACH);
    // Within a turn the order is that of one thread. Two turns of two threads may overlap by what a processor's counter
    // lacks to another's, but not by a turn.
    assert!(found.iter().enumerate().all(|(at, &x)| x.abs_diff(at as u64) < 200));
    for owner in 0..3 {
        let own: Vec<u64> = numbers(
            &events
                .iter()
                .filter(|e| e.owner == owner)
                .map(|e| TraceEvent { text: String::new(), ..*e })
                .collect::<Vec<_>>(),
        );
        assert!(own.is_sorted(), "thread {owner}");
    }
}

#[test]
#[cfg_attr(miri, ignore = "it maps files")]
fn texts_stand_whole_beside_records() {
    let place = TemporaryFile::new();
    let recording = place.recording();
    let mut writer = RecordWriter::NEW;
    let texts: Vec<String> = (0..3000).map(|n| "é".repeat(n % 40) + "x").collect();
    for (n, text) in texts.iter().enumerate() {
        let labelled = Record { kind: RecordKind::Label as u8, x: n as u64, ..Record::default() };
        writer.append_text(recording, labelled, text);
        writer.append(recording, record(n as u64));
    }
    let long = Record { kind: RecordKind::Label as u8, ..Record::default() };
    writer.append_text(recording, long, &"é".repeat(5000));
    let (_, events, faults) = place.read();
    assert!(faults.is_empty(), "{faults:?}");
    let labels = events.iter().filter(|event| event.record.kind == RecordKind::Label as u8);
    let found: Vec<&String> = labels.map(|event| &event.text).collect();
    assert!(found[..3000].iter().copied().eq(&texts));
    assert_eq!(*found[3000], "é".repeat(LONGEST_TEXT / 2));
    assert_eq!(numbers(&events).len(), 3000);
}

#[test]
#[cfg_attr(miri, ignore = "it maps files")]
fn a_file_that_is_cut_off_is_read_as_far_as_it_goes() {
    let place = TemporaryFile::new();
    let recording = place.recording();
    let mut writer = RecordWriter::NEW;
    for x in 0..5000 {
        writer.append(recording, record(x));
    }
    let whole = fs::read(&place.0).expect("it is there");
    let segments = segments(&whole);
    assert!(segments.len() >= 3);
    let mut before = 0;
    let between = segments.iter().map(|segment| segment.start);
    let lengths = (0..whole.len()).step_by(3217).chain([whole.len() - 1]);
    let mut lengths: Vec<usize> = lengths.chain(between).collect();
    lengths.sort_unstable();
    for length in lengths {
        fs::write(&place.0, &whole[..length]).expect("it can be written");
        if length < 8 {
            assert!(place.refused().contains("is no recording of a run"));
        } else if (length as u64) < HEAD_BYTES {
            let why = place.refused();
            assert!(why.contains("cut off within its head"), "{why}");
        } else {
            let (file, events, _) = place.read();
            let found = numbers(&events);
            assert!(found.iter().copied().eq(0..found.len() as u64));
            assert!(found.len() >= before);
            before = found.len();
            // The message is the same where only unused room is cut off, or the file ends between two segments.
            let told = "the file is cut off: it has";
            assert!(file.faults[0].starts_with(told), "{length}: {:?}", file.faults);
        }
    }
    // Room that was reserved and that no thread has begun to use is no fault.
    let mut more = whole.clone();
    more.resize(whole.len() + SEGMENT_UNIT as usize, 0);
    fs::write(&place.0, &more).expect("it can be written");
    assert!(place.read().0.faults.is_empty());
    // A head of a segment that is not whole yet is no fault either: its first word comes last.
    more[whole.len() + 8] = 1;
    fs::write(&place.0, &more).expect("it can be written");
    assert!(place.read().0.faults.is_empty());
    // Bytes that are no numbers of a segment.
    let mut damaged = whole.clone();
    damaged[segments[1].start] ^= 1;
    fs::write(&place.0, &damaged).expect("it can be written");
    let (file, events, _) = place.read();
    assert!(file.faults[0].contains("damaged"), "{:?}", file.faults);
    assert!(!events.is_empty() && events.len() < 5000);
}

/// The length or count of a segment is another number.
#[test]
#[cfg_attr(miri, ignore = "it maps files")]
fn lengths_and_counts_that_cannot_be_are_told() {
    let place = TemporaryFile::new();
    let recording = place.recording();
    let mut writer = RecordWriter::NEW;
    for x in 0..5000 {
        writer.append(recording, record(x));
    }
    let whole = fs::read(&place.0).expect("it is there");
    let segments = segments(&whole);
    let first = FIRST_SEGMENT;
    let [length, count] = [8, 16];
    for (segment, field, number, why) in [
        // The next segment would be the one before it.
        (1, length, 0_u64.wrapping_sub(first), "damaged at byte 69632"),
        (0, length, 0, "damaged at byte 65536"),
        (0, length, first + 8, "damaged at byte 65536"),
        (0, length, LARGEST_SEGMENT + 32, "damaged at byte 65536"),
        (0, length, 3 * first, "segment 1 is missing"),
        (0, count, u64::MAX, "records, and 126 of them are there"),
        (0, count, 50, "its thread has filled another one after it"),
    ] {
        let mut damaged = whole.clone();
        let at = segments[segment].start + field;
        damaged[at..at + 8].copy_from_slice(&number.to_le_bytes());
        fs::write(&place.0, &damaged).expect("it can be written");
        let (file, _, _) = place.read();
        let told = file.faults.join("; ");
        assert!(told.contains(why), "no `{why}` in {told}");
    }
}

/// Threads that do little, one after another and at once, take little room, and all that they write is read.
#[test]
#[cfg_attr(miri, ignore = "it maps files")]
fn what_a_thread_has_not_filled_is_given_back() {
    let place = TemporaryFile::new();
    let recording = place.recording();
    for x in 0..200 {
        let mut writer = RecordWriter::NEW;
        writer.append(recording, record(x));
    }
    let length = fs::metadata(&place.0).expect("it is there").len();
    // A first segment for each of them would take thirteen times as much.
    assert!(length <= HEAD_BYTES + 2 * SEGMENT_UNIT, "{length}");
    // Some end while others write.
    let mut writers: Vec<RecordWriter> = (0..20).map(|_| RecordWriter::NEW).collect();
    for x in 200..20_000 {
        let at = x as usize * 7 % writers.len();
        writers[at].append(recording, record(x));
        if x % 50 == 0 {
            writers[at] = RecordWriter::NEW;
        }
    }
    drop(writers);
    let (file, events, faults) = place.read();
    assert!(faults.is_empty() && file.faults.is_empty(), "{faults:?}, {:?}", file.faults);
    let mut found = numbers(&events);
    found.sort_unstable();
    assert!(found.into_iter().eq(0..20_000));
    let whole = fs::read(&place.0).expect("it is there");
    let used: usize = segments(&whole).iter().map(std::ops::Range::len).sum();
    assert!(used < 2 * events.len() * 64, "{used} for {}", events.len());
}

#[test]
#[cfg_attr(miri, ignore = "it maps files")]
fn a_work_is_named_when_its_name_is_written() {
    let place = TemporaryFile::new();
    let (recording, mut writer) = (place.recording(), RecordWriter::NEW);
    let named = Record { kind: RecordKind::Template as u8, ..Record::default() };
    assert!(writer.is_unnamed(recording, 7) && writer.is_unnamed(recording, 7));
    assert!(writer.append_text(recording, named, "seven"));
    recording.named.lock().insert(7);
    assert!(!writer.is_unnamed(recording, 7) && writer.is_unnamed(recording, 8));
    // Another thread does not name it again. Without room no thread is asked to.
    let mut other = RecordWriter::NEW;
    assert!(!other.is_unnamed(recording, 7));
    recording.full.store(true, Ordering::Relaxed);
    assert!(!other.is_unnamed(recording, 8) && !other.append_text(recording, named, "eight"));
}

#[test]
#[cfg_attr(miri, ignore = "it maps files")]
fn what_is_no_recording_of_this_version_is_told() {
    let place = TemporaryFile::new();
    assert!(place.refused().contains("cannot be read"));
    fs::write(&place.0, "{\"traceEvents\": []}").expect("it can be written");
    assert!(place.refused().contains("OCR_TRACE="));
    place.recording();
    let mut other = fs::read(&place.0).expect("it is there");
    other[12] = 1;
    fs::write(&place.0, &other).expect("it can be written");
    assert!(place.refused().contains("is damaged: its head says"));
    other[8] = VERSION as u8 + 1;
    fs::write(&place.0, &other).expect("it can be written");
    let why = place.refused();
    assert!(why.contains("of version 4, and this command reads version 3"), "{why}");
}

#[test]
#[cfg_attr(miri, ignore = "it maps files")]
fn a_recording_replaces_another_that_goes_on() {
    let place = TemporaryFile::new();
    let (first, mut writer) = (place.recording(), RecordWriter::NEW);
    writer.append(first, record(1));
    let (second, mut other) = (place.recording(), RecordWriter::NEW);
    other.append(second, record(2));
    // The first is still mapped, in a file without a name.
    for x in 3..10_000 {
        writer.append(first, record(x));
    }
    assert_eq!(numbers(&place.read().1), [2]);
    let folder = create(&std::env::temp_dir(), RunIdentity::default(), "").map(|_| ());
    assert!(folder.is_err_and(|why| why.contains("it is a folder")));
    let nowhere = create(Path::new("/nowhere/trace"), RunIdentity::default(), "").map(|_| ());
    assert!(nowhere.is_err_and(|why| why.contains("/nowhere/trace")));
}

/// Recordings of three nodes of one machine. Each node writes a record in its turn.
fn three_nodes() -> (TemporaryFile, Vec<TemporaryFile>, Vec<&'static Recording>) {
    let place = TemporaryFile::new();
    let node = |node| place.of_node(NodeOfRun { node, nodes: 3, launch: 77, machine: [1, 2] });
    let (files, recordings): (Vec<_>, Vec<_>) = (0..3).map(node).unzip();
    let mut writers = [const { RecordWriter::NEW }; 3];
    for x in 1..=9 {
        let at = x as usize % 3;
        writers[at].append(recordings[at], record(x));
    }
    (place, files, recordings)
}

/// The numbers of the blocks that the recordings of a run tell of, each with its node and thread.
fn of_all(run: &RunFiles) -> Vec<(u64, u32, u32)> {
    let mut found = Vec::new();
    let faults = run.for_each(|node, event| {
        if event.record.kind == RecordKind::Block as u8 {
            found.push((event.record.x, node, event.owner));
        }
    });
    assert_eq!(faults, Ok(Vec::new()));
    found
}

#[test]
#[cfg_attr(miri, ignore = "it maps files")]
fn the_files_of_all_nodes_are_one_run() {
    let (_place, files, _) = three_nodes();
    let wanted: Vec<(u64, u32, u32)> = (1..=9).map(|x| (x, x as u32 % 3, x as u32 % 3)).collect();
    // Whichever of them is named.
    for file in &files {
        let run = RunFiles::open(&file.0).expect("a recording");
        assert_eq!((run.faults.len(), of_all(&run)), (0, wanted.clone()), "{:?}", run.faults);
        assert_eq!(run.first().run.node.node, 0);
    }
}

#[test]
#[cfg_attr(miri, ignore = "it maps files")]
fn a_node_whose_file_is_missing_or_of_another_run_is_told() {
    let (place, files, _) = three_nodes();
    fs::remove_file(&files[2].0).expect("it is there");
    let run = RunFiles::open(&place.0).expect("a recording");
    let told = run.faults.join("; ");
    assert!(told.contains("the run had 3 nodes, and") && told.contains("not in the folder: 2. A node"), "{told}");
    assert_eq!(of_all(&run).len(), 6);
    // An earlier run has left its file.
    let (stays, stale) = place.of_node(NodeOfRun { node: 2, nodes: 3, launch: 78, machine: [1, 2] });
    let mut writer = RecordWriter::NEW;
    writer.append(stale, record(99));
    let run = RunFiles::open(&place.0).expect("a recording");
    assert_eq!(of_all(&run).len(), 6);
    let told = run.faults.join("; ");
    assert!(told.contains("2. ") && told.contains("is of another run"), "{told}");
    assert!(RunFiles::open(&stays.0).expect("a recording").faults[0].contains("not in the folder: 0, 1."));
}

#[test]
#[cfg_attr(miri, ignore = "it maps files")]
fn a_nodes_file_that_is_cut_off_is_read_as_far_as_it_goes() {
    let (place, files, recordings) = three_nodes();
    let mut writer = RecordWriter::NEW;
    for x in 100..5000 {
        writer.append(recordings[1], record(x));
    }
    // It would write to what is gone.
    drop(writer);
    let whole = fs::read(&files[1].0).expect("it is there");
    fs::write(&files[1].0, &whole[..whole.len() / 2]).expect("it can be written");
    let run = RunFiles::open(&place.0).expect("a recording");
    let told = run.faults.join("; ");
    assert!(told.contains(".node1: the file is cut off"), "{told}");
    let found = of_all(&run);
    assert!((6..4909).contains(&found.len()), "{}", found.len());
}

/// The clock of another machine is found by what went to and fro between the two.
#[test]
#[cfg_attr(miri, ignore = "it maps files")]
fn the_clock_of_another_machine_is_brought_to_that_of_the_first() {
    let place = TemporaryFile::new();
    let node = |node: u32| place.of_node(NodeOfRun { node, nodes: 2, launch: 5, machine: [node.into(), 0] });
    let [(_first, here), (_second, there)] = [0, 1].map(node);
    const AHEAD: u64 = 10_000_000;
    let [mut of_here, mut of_there] = [RecordWriter::NEW, RecordWriter::NEW];
    let message = |kind, ticks, other| Record { ticks, kind: kind as u8, b: other, x: 1, ..Record::default() };
    of_here.append(here, message(RecordKind::Sent, here.first_ticks() + 1000, 1));
    of_here.append(here, message(RecordKind::Came, here.first_ticks() + 5000, 1));
    of_there.append(there, message(RecordKind::Came, there.first_ticks() + AHEAD + 2000, 0));
    of_there.append(there, message(RecordKind::Sent, there.first_ticks() + AHEAD + 3000, 0));
    let run = RunFiles::open(&place.0).expect("a recording");
    assert!(run.clocks[0].contains("node 1 ran on another machine"), "{:?}", run.clocks);
    let mut found = Vec::new();
    let read = run.for_each(|node, event| {
        if [RecordKind::Sent, RecordKind::Came].map(|kind| kind as u8).contains(&event.record.kind) {
            found.push((node, run.scale().ns(event.record.ticks)));
        }
    });
    assert_eq!(read, Ok(Vec::new()));
    // Each thread has a record of its begin before them, which is later.
    found.sort_by_key(|(_, time)| *time);
    let (nodes, times): (Vec<u32>, Vec<u64>) = found.into_iter().unzip();
    assert_eq!(nodes, [0, 1, 1, 0]);
    // Both messages have taken equally long.
    let [there, back] = [times[1] - times[0], times[3] - times[2]];
    assert!(there != 0 && there.abs_diff(back) <= 20, "{times:?}");
}
