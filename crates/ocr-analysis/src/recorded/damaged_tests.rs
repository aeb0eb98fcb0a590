//! Recordings that are damaged: whatever a byte is, what can be reported of the file is reported, and nothing loops or
//! panics.
//!
//! The file is laid out here by `docs/trace-format.md`, and not by what writes recordings.

use super::*;
use crate::export::{ViewerForm, export};
use crate::replay::{Replay, Wish};
use ocr_trace::format::{APART_AT, HEAD_BYTES, Record, RecordKind, SEGMENT_HEAD_BYTES, SEGMENT_UNIT, WorkGroupBasis};
use proptest::prelude::*;
use std::fs;
use std::io::sink;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

/// A file of its own, which goes with the test.
struct TemporaryFile(PathBuf);

impl TemporaryFile {
    fn new() -> TemporaryFile {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let next = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("ocr-damaged-{}-{next}", std::process::id());
        TemporaryFile(std::env::temp_dir().join(name))
    }

    fn read(&self, bytes: &[u8]) -> Result<RecordedRun, ReadError> {
        fs::write(&self.0, bytes).expect("it can be written");
        read(&self.0)
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

fn put(bytes: &mut [u8], at: usize, number: impl Into<u64>, length: usize) {
    let number = number.into().to_le_bytes();
    bytes[at..at + length].copy_from_slice(&number[..length]);
}

fn event(ticks: u64, kind: RecordKind, x: u64, y: u64) -> Record {
    Record { ticks, kind: kind as u8, x, y, ..Record::default() }
}

/// The records of a worker and of a device manager. A short text is one more record.
fn threads() -> [Vec<(Record, &'static str)>; 2] {
    use RecordKind::{
        Begin, Block, Busy, Copy, Counter, Created, Device, End, Fetch, Fetched, Granted, Idle, Kernel, KernelEnd,
        Label, Launched, Linked, Placed, Runnable, Satisfied, System, Template, Thread, Usage, WaitedForNodes,
        WaitedForOpenCl, WorkGroups,
    };
    let text = |record, text| (record, text);
    let at_place = |record: Record| Record { a: 1, ..record };
    let created = |ticks, edt, work| Record { b: 1, ..event(ticks, Created, edt, work) };
    let both = 0b11;
    let worker = vec![
        text(at_place(event(1, Thread, 0, 0)), "worker-0"),
        text(event(2, Template, 77, both), "work"),
        (event(3, Block, 500, 64), ""),
        (created(4, 100, 77), ""),
        (event(5, Linked, 100, 900), ""),
        (Record { a: 2, ..event(6, Satisfied, 100, 500) }, ""),
        text(event(6, Label, 100, 0), "first"),
        (event(7, Runnable, 100, 0), ""),
        (event(8, Granted, 100, 500), ""),
        (event(10, Begin, 100, 0), ""),
        (created(20, 101, 77), ""),
        (event(30, Satisfied, 101, 500), ""),
        (Record { a: 255, ..event(31, Runnable, 101, 0) }, ""),
        (event(38, WaitedForNodes, 0, 4), ""),
        (at_place(event(39, WaitedForOpenCl, 0, 6)), ""),
        (event(40, End, 100, 0), ""),
        (Record { c: 2, ..event(40, System, 5, 3) }, ""),
        (event(40, Usage, 21, 1), ""),
        (event(41, Idle, 0, 0), ""),
        (event(90, Busy, 0, 0), ""),
        (event(91, Counter, 0, 3), ""),
    ];
    let manager = vec![
        text(Record { a: 2, ..event(1, Thread, 0, 0) }, "device 0"),
        text(at_place(event(2, Device, 132, 0)), "gpu"),
        (at_place(event(32, Placed, 101, 0)), ""),
        (at_place(event(33, Fetch, 101, 500)), ""),
        (at_place(Record { c: 1, ..event(50, Copy, 500, 64) }), ""),
        (event(51, Fetched, 101, 0), ""),
        (at_place(event(52, Launched, 101, 9)), ""),
        (at_place(Record { b: 8, c: 64, ..event(53, WorkGroups, 9, 7) }), ""),
        (at_place(event(80, Kernel, 9, 20)), ""),
        (at_place(event(85, KernelEnd, 101, 0)), ""),
    ];
    [worker, manager]
}

/// The file, and the places of its bytes that say something.
fn file() -> (Vec<u8>, Vec<usize>) {
    let unit = SEGMENT_UNIT as usize;
    let mut bytes = vec![0; 3 * unit];
    let about = b"workers=1\nsched=eft\nprogram=p\n";
    bytes[..8].copy_from_slice(b"OCRTRACE");
    put(&mut bytes, 8, 3_u32, 4);
    put(&mut bytes, 12, HEAD_BYTES, 4);
    // Ended with status 0 at tick 100; a tick is a nanosecond.
    put(&mut bytes, 88, 1_u64, 8);
    put(&mut bytes, 96, 100_u64, 8);
    put(&mut bytes, 112, about.len() as u64, 8);
    put(&mut bytes, 120, 3 * SEGMENT_UNIT, 8);
    bytes[256..256 + about.len()].copy_from_slice(about);
    let mut meaning: Vec<usize> = (0..256 + about.len()).collect();
    meaning.extend(APART_AT..APART_AT + 64);
    for (owner, records) in threads().into_iter().enumerate() {
        let start = (owner + 1) * unit;
        let mut at = start + SEGMENT_HEAD_BYTES;
        for (record, text) in records {
            let length = if text.is_empty() { record.c as usize } else { text.len() };
            put(&mut bytes, at, record.ticks, 8);
            bytes[at + 8] = record.kind;
            bytes[at + 9] = record.a;
            put(&mut bytes, at + 10, record.b, 2);
            put(&mut bytes, at + 12, length as u64, 4);
            put(&mut bytes, at + 16, record.x, 8);
            put(&mut bytes, at + 24, record.y, 8);
            at += 32;
            bytes[at..at + text.len()].copy_from_slice(text.as_bytes());
            at += 32 * usize::from(!text.is_empty());
        }
        bytes[start..start + 8].copy_from_slice(b"ocr-segm");
        put(&mut bytes, start + 8, SEGMENT_UNIT, 8);
        put(&mut bytes, start + 16, ((at - start - SEGMENT_HEAD_BYTES) / 32) as u64, 8);
        put(&mut bytes, start + 32, owner as u64, 4);
        meaning.extend(start..at);
    }
    (bytes, meaning)
}

/// Does all that can be done with a recording.
fn use_all(run: &RecordedRun) {
    run.check();
    run.summary();
    for form in ViewerForm::ALL {
        let exported = export(run, form, 3, &mut sink());
        // A page shows EDTs that have ended, of which there may be none.
        assert!(exported.is_ok() || form == ViewerForm::Html);
    }
    for devices in [vec![], vec!["speed=2x,latency=1us".parse().expect("a device")]] {
        let wish = Wish { workers: Some(2), devices, ..Wish::default() };
        if let Ok(replay) = Replay::new(run, &wish) {
            for policy in ["eft", "static:1:1"] {
                let _ = replay.simulate(policy, false);
            }
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "it reads files")]
fn the_file_is_one_that_is_whole() {
    let run = TemporaryFile::new().read(&file().0).expect("a recording");
    let found = run.check();
    assert_eq!(found, Findings::default());
    assert_eq!((run.edts.len(), run.edges.len(), run.threads.len()), (2, 2, 2));
    let [host, device] = [0, 1].map(|edt: usize| run.edts[edt].time());
    assert_eq!((host, device), (Some(30), Some(20)));
    assert_eq!((run.edts[0].opencl, run.edts[1].opencl), (6, 0));
    assert_eq!((run.edts[0].answers, run.edts[0].computed()), (4, 20));
    let basis = WorkGroupBasis { multiple: 8, is_given: false };
    assert_eq!(run.work_groups.get(&1), Some(&WorkGroups { groups: 7, items: 64, basis }));
    assert_eq!(run.devices[&1].units, 132);
    let system = SystemUse { ns: 5, faults: 3, waits: 2 };
    assert_eq!(run.usage, [Usage { thread: 0, edt: 0, at: 40, on_core: 21, without_core: 1, system }]);
    // The worker had done its last thing before the end.
    let done = run.threads.values().map(|thread| thread.done);
    assert_eq!(done.collect::<Vec<_>>(), [Some(90), None]);
    assert!(run.name_of(&run.edts[0]).contains("(work) labelled \"first\""));
    use_all(&run);
}

/// The machine was suspended between ticks 50 and 80, of which the system's clock has seen 5 ns.
#[test]
#[cfg_attr(miri, ignore = "it reads files")]
fn times_of_a_machine_that_was_suspended_are_told() {
    let (mut bytes, _) = file();
    put(&mut bytes, 128, 1_u64, 8);
    for (at, number) in [50_u64, 50, 80, 55].into_iter().enumerate() {
        put(&mut bytes, APART_AT + 8 * at, number, 8);
    }
    let run = TemporaryFile::new().read(&bytes).expect("a recording");
    // The EDT on the host ran before that, the kernel during it, and the run went on for 20 ns.
    assert_eq!((run.edts[0].time(), run.edts[1].end, run.end), (Some(30), 55, 75));
    let found = run.check();
    assert!(found.wrong.is_empty() && found.cut.is_empty(), "{found:?}");
    assert!(found.apart.len() == 1 && found.apart[0].contains("the machine was suspended"), "{found:?}");
    assert!(run.summary().contains("clocks    from"), "{}", run.summary());
    use_all(&run);
}

/// What stands there instead: a byte, or a word at the place before it that is a multiple of 8.
fn damage() -> impl Strategy<Value = (prop::sample::Index, Result<u8, u64>)> {
    let words = [0, 1, 64, u64::MAX, 1 << 63, SEGMENT_UNIT.wrapping_neg(), 2 * SEGMENT_UNIT];
    let instead = prop_oneof![any::<u8>().prop_map(Ok), prop::sample::select(words.to_vec()).prop_map(Err),];
    (any::<prop::sample::Index>(), instead)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 4 } else { 4000 }))]
    #[test]
    #[cfg_attr(miri, ignore = "it reads files")]
    fn damaged_recordings_are_told_of(
        changes in proptest::collection::vec(damage(), 1..6),
        cut in any::<prop::sample::Index>(),
        is_cut in proptest::bool::weighted(0.2),
    ) {
        let (mut bytes, meaning) = file();
        for (place, instead) in &changes {
            let at = meaning[place.index(meaning.len())];
            match *instead {
                Ok(byte) => bytes[at] = byte,
                Err(word) => put(&mut bytes, at / 8 * 8, word, 8),
            }
        }
        if is_cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        match TemporaryFile::new().read(&bytes) {
            Ok(run) => use_all(&run),
            Err(why) => prop_assert!(!why.is_empty()),
        }
    }
}
