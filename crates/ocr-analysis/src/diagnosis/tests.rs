use super::*;
use crate::recorded::{
    Edge, Grant, NEVER, RecordedDevice, RecordedEdt, RecordedNode, RecordedRun, RecordedTemplate, RecordedThread,
    RecordedUse, Transfer, Usage, WorkGroups,
};
use ocr_trace::clock::SystemUse;
use ocr_trace::format::{Counter, MODE_EW, WorkGroupBasis};

/// An EDT of a template that is created, runnable, begins and ends at these times on this worker.
fn on_worker(worker: u32, template: u32, [created, runnable, begin, end]: [u64; 4]) -> RecordedEdt {
    RecordedEdt {
        guid: 0x100,
        template,
        created,
        runnable,
        begin,
        end,
        place: 0,
        lane: worker,
        ..RecordedEdt::default()
    }
}

/// An EDT on the device, which was given to it when it was runnable.
fn on_device(template: u32, times: [u64; 4]) -> RecordedEdt {
    RecordedEdt { place: 1, launched: times[1], ..on_worker(0, template, times) }
}

/// The templates 0, a function; 1, a kernel; and 2, both.
fn run(workers: u32, has_device: bool, edts: Vec<RecordedEdt>) -> RecordedRun {
    let template = |name: &str, places| RecordedTemplate { name: name.into(), places };
    let thread =
        |number: u32| RecordedThread { name: format!("worker-{number}"), is_worker: true, ..RecordedThread::default() };
    let device = RecordedDevice { name: "gpu".into(), ..RecordedDevice::default() };
    RecordedRun {
        about: [("workers".to_string(), workers.to_string()), ("sched".to_string(), "static:1:1".to_string())].into(),
        status: Some(0),
        templates: vec![template("host", 0b01), template("kernel", 0b10), template("both", 0b11)],
        threads: (1..=workers).map(|n| (n, thread(n))).collect(),
        devices: has_device.then_some((1, device)).into_iter().collect(),
        edts,
        ..RecordedRun::default()
    }
}

/// Busy, starting, data, placement, dependences, no work: of a place where no end of a kernel is seen late.
fn times(run: &RecordedRun, place: u8) -> [u64; 6] {
    let [busy, starting, data, placement, late, dependences, none] = all_times(run, place);
    assert_eq!(late, 0);
    [busy, starting, data, placement, dependences, none]
}

/// Busy, then each cause of idle time in the order of [`Idleness::ALL`]: of a place.
fn all_times(run: &RecordedRun, place: u8) -> [u64; 7] {
    let times = run.times().expect("EDTs have ended");
    let place = times.places.iter().find(|its| its.place == place);
    let place = place.expect("the place is there");
    let parts = |cause: usize| place.parts.iter().map(|part| part[cause]).sum::<u64>();
    assert_eq!(place.idle, std::array::from_fn(parts));
    assert_eq!(place.busy + place.idle.iter().sum::<u64>(), times.ns() * u64::from(place.units));
    let [starting, data, placement, late, dependences, none] = place.idle;
    [place.busy, starting, data, placement, late, dependences, none]
}

#[test]
fn an_idle_worker_waits_for_what_its_next_edt_waits_for() {
    let edts = vec![on_worker(1, 0, [0, 0, 10, 30]), on_worker(1, 0, [15, 40, 50, 60])];
    let mut run = run(1, false, edts);
    assert_eq!(run.times().expect("EDTs have ended").span, [10, 60]);
    assert_eq!(times(&run, 0), [30, 10, 0, 0, 10, 0]);
    // The EDT waits for a block.
    run.edts[1].granted = 45;
    assert_eq!(times(&run, 0), [30, 5, 5, 0, 10, 0]);
    // The EDT is kept for 1, then its blocks are brought.
    run.edts[1].fetch = [46, 48];
    assert_eq!(times(&run, 0), [30, 2, 7, 1, 10, 0]);
    // The EDT is kept until a place takes it.
    (run.edts[1].fetch, run.edts[1].placed) = ([NEVER; 2], 49);
    assert_eq!(times(&run, 0), [30, 1, 5, 4, 10, 0]);
    // The EDT did not exist before.
    run.edts[1].created = 35;
    assert_eq!(times(&run, 0), [30, 1, 5, 4, 5, 5]);
}

#[test]
fn an_edt_explains_one_idle_worker() {
    let edts = vec![on_worker(1, 0, [0, 0, 0, 30]), on_worker(1, 0, [0, 30, 30, 60])];
    assert_eq!(times(&run(2, false, edts.clone()), 0), [60, 0, 0, 0, 30, 30]);
    assert_eq!(times(&run(3, false, edts), 0), [60, 0, 0, 0, 30, 90]);
    // The EDT is in the queue of a worker that is busy, where another could have taken it.
    let edts = vec![on_worker(1, 0, [0, 0, 0, 30]), on_worker(1, 0, [0, 10, 30, 60])];
    assert_eq!(times(&run(2, false, edts), 0), [60, 0, 0, 20, 10, 30]);
}

#[test]
fn what_could_run_elsewhere_waits_by_placement() {
    let mut edts = vec![on_device(1, [0, 0, 0, 20]), on_device(2, [0, 0, 20, 60]), on_device(1, [0, 0, 60, 70])];
    let first = run(1, true, edts.clone());
    assert_eq!(times(&first, 1), [70, 0, 0, 0, 0, 0]);
    assert_eq!(times(&first, 0), [0, 0, 0, 20, 0, 50]);
    // An EDT that never begins waits to the end.
    edts[1].begin = NEVER;
    edts[1].end = NEVER;
    assert_eq!(times(&run(1, true, edts), 0), [0, 0, 0, 70, 0, 0]);
}

#[test]
fn a_device_waits_for_copies() {
    let mut edts = vec![on_worker(1, 0, [0, 0, 0, 60]), on_device(1, [0, 0, 35, 50]), on_device(1, [0, 0, 45, 55])];
    (edts[1].launched, edts[2].launched) = (5, 40);
    (edts[1].lane, edts[2].lane) = (1, 2);
    let mut run = run(1, true, edts);
    (run.block_bytes, run.block_guids) = (vec![64], vec![0x77]);
    run.uses = vec![RecordedUse { edt: 1, block: 0, writes: true }];
    let copy = |begin, end| Transfer { place: 1, to_device: true, block: 0x77, bytes: 64, begin, end };
    // The second kernel is kept meanwhile, and runs at the same time in another queue.
    assert_eq!(times(&run, 1), [20, 30, 0, 5, 0, 5]);
    run.copies = vec![copy(10, 30)];
    assert_eq!(run.brought()[1], [10, 30]);
    assert_eq!(times(&run, 1), [20, 5, 25, 5, 0, 5]);
    // What had been brought before is not waited for.
    run.edts[1].runnable = 31;
    run.edts[1].launched = 32;
    assert_eq!(run.brought()[1], [NEVER; 2]);
}

/// A chain of kernels of 1 ms each, whose ends are seen `ms` milliseconds later.
fn seen_late(ms: u64) -> RecordedRun {
    let step = (1 + ms) * MS;
    let each = |n: u64| on_device(2, [0, n * step, n * step, n * step + MS]);
    let mut run = run(1, true, (0..4).map(each).collect());
    run.edges = (0..3).map(|n| Edge { from: n, to: n + 1, at: NEVER }).collect();
    run
}

#[test]
fn ends_of_kernels_are_seen_late() {
    let run = seen_late(3);
    let [all, late] = [13 * MS, 9 * MS];
    assert_eq!(all_times(&run, 1), [4 * MS, 0, 0, 0, late, 0, 0]);
    // The worker could run the EDTs, too. While a kernel runs, the next EDT depends on it.
    assert_eq!(all_times(&run, 0), [0, 0, 0, 0, late, 3 * MS, all - late - 3 * MS]);
    let findings = found(&run);
    assert_eq!((findings[0].rule, findings[0].place), (RuleId::SeenLate, Some(1)));
    assert_eq!(
        findings[0].text,
        "gpu idled for 69 % of the run because the ends of kernels were seen late. EDTs that waited for a kernel became runnable \
         3.00 ms after its end on average."
    );
    assert!(!rules(&run).contains(&RuleId::Dependences), "{findings:?}");
    assert!(!rules(&seen_late(0)).contains(&RuleId::SeenLate));
    // What a function has done is seen at once, so that what is between is something else.
    let mut run = seen_late(3);
    for edt in &mut run.edts {
        (edt.place, edt.lane) = (0, 1);
    }
    assert!(!rules(&run).contains(&RuleId::SeenLate));
    // What a kernel's EDT waited for last is seen at once, too, if that is no kernel.
    let mut run = seen_late(3);
    run.edts.push(on_worker(1, 0, [0, 0, 0, 4 * MS]));
    run.edges.push(Edge { from: 4, to: 1, at: 3 * MS });
    assert_eq!(all_times(&run, 1)[4], 6 * MS);
}

/// A run of a worker and a device that use one block in turns.
fn moving(uses: &[(u8, bool)]) -> RecordedRun {
    let each = uses.iter().enumerate().map(|(number, (place, _))| {
        let begin = 10 * number as u64;
        let times = [0, begin, begin, begin + 10];
        match place {
            0 => on_worker(1, 2, times),
            _ => on_device(2, times),
        }
    });
    let mut run = run(1, true, each.collect());
    (run.block_bytes, run.block_guids) = (vec![100], vec![0x77]);
    let uses =
        uses.iter().enumerate().map(|(edt, (_, writes))| RecordedUse { edt: edt as u32, block: 0, writes: *writes });
    run.uses = uses.collect();
    run
}

#[test]
fn the_least_that_is_copied_follows_from_places_and_writes() {
    let copy = |to_device| Transfer { place: 1, to_device, block: 0x77, bytes: 100, begin: 0, end: 1 };
    let mut run = moving(&[(0, true), (1, false), (0, false), (1, true), (0, false)]);
    // Nothing is copied: the device uses the host's memory.
    assert_eq!(run.moved(), Moved::default());
    run.copies = vec![copy(true), copy(true), copy(false)];
    let moved = run.moved();
    assert_eq!((moved.to_devices, moved.from_devices, moved.least), (200, 100, 200));
    // What is used on the device first, and not copied there, has not been written before.
    let mut run = moving(&[(1, true), (0, false)]);
    run.copies = vec![copy(false), copy(false)];
    assert_eq!(run.moved().least, 100);
    // The least is never more than what was copied.
    let mut run = moving(&[(0, true), (1, true), (0, true), (1, true)]);
    run.copies = vec![copy(true)];
    assert_eq!(run.moved().least, 100);
}

/// The findings of a run, that which costs most first.
fn found(run: &RecordedRun) -> Vec<Finding> {
    Facts::of(run).expect("EDTs have ended").findings
}

fn rules(run: &RecordedRun) -> Vec<RuleId> {
    found(run).iter().map(|its| its.rule).collect()
}

const MS: u64 = 1_000_000;

#[test]
fn a_device_that_is_too_slow_for_its_share_is_named() {
    let mut edts = Vec::new();
    for n in 0..10 {
        edts.push(on_worker(1, 2, [0, 0, n * MS, (n + 1) * MS]));
        edts.push(on_device(2, [0, 0, 10 * n * MS, 10 * (n + 1) * MS]));
    }
    let findings = found(&run(1, true, edts.clone()));
    assert_eq!((findings[0].rule, findings[0].place), (RuleId::Share, Some(1)));
    assert_eq!(
        findings[0].text,
        "gpu was too slow for the share: 10 of 20 EDTs of both ran there, 10.0 ms each, and on the worker 1.00 ms each. \
         With 9 % of them there all would end together."
    );
    assert_eq!(
        findings[0].advice,
        "Try OCR_SCHED=eft, which places by measured times. Fixed shares that fit are OCR_SCHED=static:10:1."
    );
    assert_eq!(findings[0].saves_ns, Some(81_818_181));
    // Two workers have done one in half of that time.
    let mut more = edts.clone();
    for n in 0..10 {
        more.push(on_worker(2, 2, [0, 0, n * MS, (n + 1) * MS]));
    }
    let findings = found(&run(2, true, more));
    assert!(
        findings[0].text.ends_with(
            "on the workers 1.00 ms each. As several ran at once, one was done there every 10.0 ms, and on the workers every 500 us. \
             With 5 % of them there all would end together."
        ),
        "{findings:?}"
    );
    // Workers and device change their parts.
    for edt in &mut edts {
        (edt.place, edt.lane) = (1 - edt.place, 1 - edt.place.min(1) as u32);
        edt.lane = u32::from(edt.place == 0);
    }
    let findings = found(&run(1, true, edts));
    assert_eq!((findings[0].rule, findings[0].place), (RuleId::Share, Some(0)));
    assert!(findings[0].advice.ends_with("OCR_SCHED=static:1:10."), "{findings:?}");
}

#[test]
fn an_even_share_is_no_cause() {
    let mut edts = Vec::new();
    for n in 0..10 {
        edts.push(on_worker(1, 2, [0, 0, n * MS, (n + 1) * MS]));
        edts.push(on_device(2, [0, 0, n * MS, (n + 1) * MS]));
    }
    assert_eq!(rules(&run(1, true, edts)), [RuleId::NearTheBound]);
}

#[test]
fn kernels_that_are_too_small_are_told() {
    let each = |n: u64| on_device(1, [0, 40 * n, 40 * n + 30, 40 * n + 40]);
    let mut findings = found(&run(1, true, (0..100).map(each).collect()));
    let small = findings.remove(0);
    assert_eq!((small.rule, small.place), (RuleId::Small, Some(1)));
    assert_eq!(
        small.text,
        "The EDTs are too small for gpu: in the median one runs for 0.01 us, and to start it took 0.03 us. That was 75 % of the run."
    );
    // Large ones are not.
    let each = |n: u64| on_device(1, [0, 400 * n, 400 * n + 30, 400 * n + 400]);
    let findings = rules(&run(1, true, (0..100).map(each).collect()));
    assert!(!findings.contains(&RuleId::Small), "{findings:?}");
}

/// Ten kernels of 1 ms, each behind a copy of `ms` milliseconds.
fn copying(ms: u64) -> RecordedRun {
    let step = (1 + ms) * MS;
    let each = |n: u64| on_device(1, [0, n * step, n * step + ms * MS, (n + 1) * step]);
    let mut run = run(1, true, (0..10).map(each).collect());
    for n in 0..10 {
        run.block_guids.push(n);
        run.block_bytes.push(1 << 20);
        run.uses.push(RecordedUse { edt: n as u32, block: n as u32, writes: true });
        run.copies.push(Transfer {
            place: 1,
            to_device: true,
            block: n,
            bytes: 1 << 20,
            begin: n * step,
            end: n * step + ms * MS,
        });
    }
    let device = run.devices.get_mut(&1).expect("the device");
    (device.copying, device.bytes_in) = (10 * ms * MS, 10 << 20);
    run
}

#[test]
fn copies_that_dominate_are_told() {
    let findings = found(&copying(9));
    assert_eq!((findings[0].rule, findings[0].place), (RuleId::Copies, Some(1)));
    assert!(
        findings[0].text.ends_with(
            "it waited for data for 89 % of the run. Kernels took 10.0 ms, and copies of 10.0 MiB took 90.0 ms."
        ),
        "{findings:?}"
    );
    assert!(!rules(&copying(9)).contains(&RuleId::NeedlessCopies));
    // Each block is copied three times, and used once.
    let mut run = copying(9);
    let again: Vec<Transfer> = (run.copies.iter()).flat_map(|copy| [*copy, *copy, *copy]).collect();
    run.copies = again;
    assert!(rules(&run).contains(&RuleId::NeedlessCopies));
    // Where kernels take longer it is none.
    let mut run = copying(0);
    run.copies.clear();
    assert!(!rules(&run).contains(&RuleId::Copies));
}

#[test]
fn a_device_without_copies_waits_for_blocks_that_others_hold() {
    let mut run = copying(9);
    run.copies.clear();
    let device = run.devices.get_mut(&1).expect("the device");
    (device.copying, device.bytes_in) = (0, 0);
    for edt in &mut run.edts {
        edt.granted = edt.begin;
    }
    let findings = found(&run);
    assert_eq!((findings[0].rule, findings[0].place), (RuleId::WaitForData, Some(1)));
    assert!(findings[0].text.contains("for blocks that EDTs elsewhere held"), "{findings:?}");
    assert!(!rules(&run).contains(&RuleId::Copies));
}

#[test]
fn a_worker_that_is_starved_is_named() {
    let mut edts = Vec::new();
    for n in 0..10 {
        edts.push(on_worker(1, 0, [0, 0, n * MS, (n + 1) * MS]));
        edts.push(on_worker(2, 0, [0, 0, n * MS, (n + 1) * MS]));
    }
    edts.push(on_worker(3, 0, [0, 0, 0, MS]));
    let findings = found(&run(3, false, edts.clone()));
    let starved = findings.iter().find(|its| its.rule == RuleId::Starved);
    assert_eq!(
        starved.expect("it is found").text,
        "worker-3 ran EDTs for 10 % of the run, and the other workers for 100 %."
    );
    edts.extend((1..9).map(|n| on_worker(3, 0, [0, 0, n * MS, (n + 1) * MS])));
    assert!(!rules(&run(3, false, edts)).contains(&RuleId::Starved));
}

/// Two workers. One runs a chain of ten EDTs of 1 ms, and the other one so many EDTs of 1 ms beside its end.
fn chain_beside(others: u64) -> RecordedRun {
    let each = |worker| move |n: u64| on_worker(worker, 0, [0, n * MS, n * MS, (n + 1) * MS]);
    let mut run = run(2, false, (0..10).map(each(1)).chain((10 - others..10).map(each(2))).collect());
    run.edges = (0..9).map(|n| Edge { from: n, to: n + 1, at: NEVER }).collect();
    run
}

#[test]
fn a_chain_that_is_the_run_is_told() {
    let findings = found(&chain_beside(1));
    assert_eq!(findings[0].rule, RuleId::OneChain);
    assert_eq!(
        findings[0].text,
        "The run is one chain: 10 EDTs that wait for each other take 10.0 ms of 10.0 ms, though all EDTs together need 5.50 ms \
         where workers share them. 10 of the chain are of host, 100 % of its time."
    );
    assert!(!rules(&chain_beside(1)).contains(&RuleId::Dependences));
}

#[test]
fn waiting_for_others_is_told_as_dependences() {
    let findings = found(&chain_beside(7));
    assert_eq!(findings[0].rule, RuleId::Dependences);
    assert_eq!(
        findings[0].text,
        "For 15 % of the run, workers or devices were idle because all EDTs that could run there waited for others; 1.7 EDTs ran \
         at once on average. The longest chain of EDTs takes 10.0 ms of 10.0 ms. Meanwhile 3 EDTs of host ran beside idle \
         workers, in the median for 1.00 ms."
    );
    assert!(rules(&chain_beside(7)).contains(&RuleId::NearTheBound));
}

#[test]
fn edts_that_are_too_few_for_the_workers_are_told() {
    let mut edts: Vec<RecordedEdt> = (1..=4).map(|worker| on_worker(worker, 0, [0, 0, 0, 5 * MS])).collect();
    edts.push(on_worker(2, 0, [0, 0, 5 * MS, 10 * MS]));
    let findings = found(&run(4, false, edts));
    assert_eq!(findings[0].rule, RuleId::FewLarge);
    assert_eq!(
        findings[0].text,
        "The EDTs are too few and too large: 5 EDTs of host take 5.00 ms each in the median, which 4 workers cannot share \
         evenly. In the best order they take 10.0 ms, and divided into small ones 6.25 ms."
    );
}

#[test]
fn an_edt_that_is_longer_than_a_share_is_told() {
    let mut edts: Vec<RecordedEdt> = (0..5).map(|n| on_worker(1, 0, [0, 0, n * MS, (n + 1) * MS])).collect();
    edts.push(on_worker(2, 2, [0, 0, 0, 20 * MS]));
    let findings = found(&run(2, false, edts.clone()));
    assert_eq!((findings[0].rule, findings[0].template.as_deref()), (RuleId::OneEdt, Some("both")));
    assert_eq!(findings[0].saves_ns, Some(7_500_000));
    // Where the others take as long, it is no longer than its share.
    edts[0].end = 20 * MS;
    assert!(!rules(&run(2, false, edts[..1].iter().chain(&edts[5..]).cloned().collect())).contains(&RuleId::OneEdt));
}

/// Four workers, each with five EDTs of 1 ms, and what comes behind them.
fn short_ones_and(last: impl IntoIterator<Item = RecordedEdt>) -> RecordedRun {
    let each = |n: u64| on_worker(1 + (n % 4) as u32, 0, [0, 0, n / 4 * MS, (n / 4 + 1) * MS]);
    run(4, false, (0..20).map(each).chain(last).collect())
}

#[test]
fn long_last_edts_are_told_as_the_tail() {
    let last = |worker| on_worker(worker, 0, [0, 5 * MS, 5 * MS, 10 * MS]);
    let findings = found(&short_ones_and([last(2), last(3)]));
    let tail = findings.iter().find(|its| its.rule == RuleId::Tail);
    assert_eq!(
        tail.expect("it is found").text,
        "Too few EDTs were left at the end: units were done one after the other in the last 5.00 ms (50 % of the run). The \
         longest EDT then, of host, took 5.00 ms on workers."
    );
}

#[test]
fn a_worker_that_has_written_nothing_was_idle() {
    let mut run = run(2, false, vec![on_worker(1, 0, [0, 0, 0, 10 * MS])]);
    run.threads.retain(|&owner, _| owner == 1);
    let facts = Facts::of(&run).expect("an EDT has ended");
    assert_eq!(facts.times.places[0].units, 2);
}

#[test]
fn the_tail_is_that_of_the_edt_that_took_the_time_though_a_short_one_came_last() {
    let last = |worker| on_worker(worker, 2, [0, 5 * MS, 5 * MS, 9 * MS]);
    let findings = found(&short_ones_and([last(2), last(3), on_worker(2, 0, [0, 9 * MS, 9 * MS, 10 * MS])]));
    let tail = findings.iter().find(|its| its.rule == RuleId::Tail);
    let text = &tail.expect("it is found").text;
    assert!(text.ends_with("The longest EDT then, of both, took 4.00 ms on workers."), "{text}");
}

#[test]
fn edts_that_wait_elsewhere_and_unused_places_are_told() {
    let each = |n: u64| on_device(2, [0, 0, n * MS, (n + 1) * MS]);
    let edts: Vec<RecordedEdt> = (0..10).map(each).collect();
    let findings = found(&run(1, true, edts.clone()));
    let unused = findings.iter().find(|its| its.rule == RuleId::Unused);
    assert_eq!(unused.expect("it is found").text, "The worker ran nothing, though 10 EDTs could run there.");
    let mut edts = edts;
    edts.push(on_worker(1, 2, [0, 0, 0, MS]));
    let findings = found(&run(1, true, edts));
    let placement = findings.iter().find(|its| its.rule == RuleId::Placement);
    assert_eq!(
        placement.expect("it is found").text,
        "The worker idled for 80 % of the run while EDTs that could run there waited elsewhere."
    );
}

#[test]
fn a_program_that_creates_too_little_is_told() {
    let edts = vec![on_worker(1, 0, [0, 0, 0, 5 * MS]), on_worker(1, 0, [5 * MS, 5 * MS, 5 * MS, 10 * MS])];
    let findings = rules(&run(2, false, edts));
    assert!(findings.contains(&RuleId::NoWork), "{findings:?}");
    assert!(!findings.contains(&RuleId::Dependences), "{findings:?}");
    // Where one EDT creates the others, it is named.
    let mut edts = vec![on_worker(1, 1, [0, 0, 0, 5 * MS])];
    for (worker, half) in [(1, 10), (1, 15), (2, 10), (2, 15)] {
        edts.push(on_worker(worker, 0, [5 * MS, 5 * MS, half * MS / 2, (half + 5) * MS / 2]));
    }
    let no_work = |edts: Vec<RecordedEdt>| {
        let findings = found(&run(2, false, edts));
        let its = findings.into_iter().find(|its| its.rule == RuleId::NoWork);
        its.expect("it is found").text
    };
    let alone = "For 25 % of the run, workers or devices had nothing to do: the program had created no other EDT that could run \
                 there.";
    assert_eq!(no_work(edts.clone()), alone);
    for edt in &mut edts[1..] {
        edt.parent = 0;
    }
    assert_eq!(no_work(edts), format!("{alone} The EDT kernel created 4 of 5 EDTs, and ran for 5.00 ms."));
}

#[test]
fn facts_are_told_as_text_and_json() {
    let facts = Facts::of(&copying(9)).expect("EDTs have ended");
    let text = facts.text();
    assert!(text.contains("time      gpu: 11.0 % in EDTs, 89.0 % waiting for data (81.0 ms)\n"), "{text}");
    assert!(text.contains("copied    10485760 bytes to devices, 0 from them"), "{text}");
    let json = serde_json::to_value(&facts).expect("JSON");
    assert_eq!(json["times"][1]["idle"]["data"], 0.081);
    assert_eq!(json["findings"][0]["rule"], "copies");
    assert_eq!(json["variants"][0]["template"], "kernel");
    assert!(Facts::of(&run(1, false, Vec::new())).is_none());
}

#[test]
fn the_page_on_json_names_each_cause_of_idle_time() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guide/src/json.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let names = Idleness::ALL.map(|cause| format!("`{}`", cause.name()));
    assert!(page.contains(&names.join(", ")), "{names:?}");
    for cause in Idleness::ALL {
        let json = serde_json::to_value(cause).expect("JSON");
        assert_eq!(json, cause.name());
    }
}

#[test]
fn a_policy_that_is_better_in_simulation_is_named() {
    let mut edts: Vec<RecordedEdt> = (0..10).map(|n| on_device(2, [0, 0, 10 * n * MS, 10 * (n + 1) * MS])).collect();
    edts.extend((0..10).map(|n| on_worker(1, 2, [0, 0, n * MS, (n + 1) * MS])));
    let said = |policy: &str| {
        let mut run = run(1, true, edts.clone());
        run.about.insert("sched".into(), policy.into());
        let ground = Ground::of(&run).expect("EDTs have ended");
        let seen = decided::other_policy(&Look::at(&ground));
        seen.first().map(|seen| seen.words.clone())
    };
    let words = said("static:1:1").expect("it is said");
    assert!(words.contains(&("best", "eft".into())) && words.contains(&("same", "100 ms".into())));
    assert!(said("eft").is_none(), "what is used is not advised");
}

/// Ten kernels of 1 ms one after the other, with these work-groups, on a device of 132 compute units.
fn with_groups(groups: u64, items: u32, is_given: bool) -> RecordedRun {
    let each = |n: u64| on_device(1, [0, 0, n * MS, (n + 1) * MS]);
    let mut run = run(1, true, (0..10).map(each).collect());
    run.devices.get_mut(&1).expect("the device").units = 132;
    let basis = WorkGroupBasis { multiple: 32, is_given };
    run.work_groups = (0..10).map(|edt| (edt, WorkGroups { groups, items, basis })).collect();
    run
}

#[test]
fn kernels_that_leave_a_device_idle_are_told() {
    let said = |run: &RecordedRun| {
        let its = found(run).into_iter().find(|its| its.rule == RuleId::WorkGroups);
        its.map(|its| (its.saves_ns.expect("it is known"), format!("{} {}", its.text, its.advice)))
    };
    // A group of one item uses a lane of 32.
    let (saves, text) = said(&with_groups(100_000, 1, true)).expect("it is said");
    assert_eq!(saves, 9_687_500);
    assert_eq!(
        text,
        "Kernels of kernel leave most of gpu idle: a work-group has 1 work-item, and a compute unit runs 32 of a group at \
         once. They take 1.00 ms each in the median, and with all of the device the run may be up to 97 % shorter. Leave \
         localSize at 0, so that the runtime chooses the size of groups, or make it a multiple of 32."
    );
    // The runtime had no other choice.
    let (_, text) = said(&with_groups(100_000, 1, false)).expect("it is said");
    assert!(
        text.ends_with("round that number up to a multiple of 32, and let those behind the end do nothing."),
        "{text}"
    );
    let (saves, text) = said(&with_groups(33, 256, true)).expect("it is said");
    assert_eq!(saves, 7_500_000);
    assert!(text.contains("a kernel has 33 work-groups, and the device 132 compute units. They"), "{text}");
    assert!(text.contains("make it smaller: there should be a group for each compute unit"), "{text}");
    let (_, text) = said(&with_groups(1, 64, false)).expect("it is said");
    assert!(text.contains("a kernel has 64 work-items, and the device runs 4224 at once"), "{text}");
    // Half of a device, or a little less, may be what the problem has.
    for (groups, items) in [(132, 32), (1000, 256), (80, 256), (1000, 24)] {
        assert_eq!(said(&with_groups(groups, items, true)), None, "{groups} of {items}");
    }
    // Four at once use four times as much.
    let mut run = with_groups(33, 256, true);
    for (lane, edt) in run.edts.iter_mut().enumerate() {
        (edt.begin, edt.end, edt.lane) = (0, MS, lane as u32);
    }
    assert_eq!(said(&run), None);
    // Of a device whose compute units are not known nothing is said.
    let mut run = with_groups(1, 1, true);
    run.devices.get_mut(&1).expect("the device").units = 0;
    assert_eq!(said(&run), None);
}

#[test]
fn small_groups_cost_a_cpu_device_less() {
    let on_cpu = |items: u32| {
        let mut run = with_groups(100_000, items, true);
        for work_groups in run.work_groups.values_mut() {
            work_groups.basis.multiple = 8;
        }
        run.counters.insert((Counter::Cores as u8, 1), vec![(0, 4), (0, 4)]);
        rules(&run).contains(&RuleId::WorkGroups)
    };
    assert!(on_cpu(1) && on_cpu(2));
    assert!(!on_cpu(4) && !on_cpu(8));
}

/// Two workers on two nodes, with one EDT of 10 ms on each.
fn on_two_nodes() -> RecordedRun {
    let mut run = run(2, false, vec![on_worker(1, 0, [0, 0, 0, 10 * MS]), on_worker(2, 2, [0, 0, 0, 10 * MS])]);
    run.nodes = (0..2).map(|number| RecordedNode { number, ..RecordedNode::default() }).collect();
    run.threads.get_mut(&2).expect("a worker").node = 1;
    run
}

#[test]
fn edts_that_wait_for_answers_are_told() {
    let mut run = on_two_nodes();
    run.edts[1].answers = 6 * MS;
    let findings = found(&run);
    assert_eq!((findings[0].rule, findings[0].template.as_deref()), (RuleId::Answers, Some("both")));
    assert_eq!(
        findings[0].text,
        "EDTs of both wait for other nodes: of 10.0 ms that one runs on average, it waits 6.00 ms for their answers, and its \
         worker runs nothing else. That was 30 % of the run's time on workers."
    );
    // That is no part of what they have to compute.
    assert!(!rules(&run).contains(&RuleId::OneEdt));
    run.edts[1].answers = 2 * MS;
    assert!(!rules(&run).contains(&RuleId::Answers));
}

#[test]
fn a_block_that_goes_from_node_to_node_is_told() {
    // EDTs of 1 ms take turns, and each waits 1 ms for the block.
    let turns = |is_apart: bool| {
        let mut run = on_two_nodes();
        let each = |n: u64| RecordedEdt {
            granted: (2 * n + 1) * MS,
            ..on_worker(
                if is_apart { 1 + (n % 2) as u32 } else { 1 },
                0,
                [0, 2 * n * MS, (2 * n + 1) * MS, (2 * n + 2) * MS],
            )
        };
        run.edts = (0..20).map(each).collect();
        (run.block_guids, run.block_bytes) = (vec![0x77], vec![64]);
        run.uses = (0..20).map(|edt| RecordedUse { edt, block: 0, writes: true }).collect();
        run.modes = vec![MODE_EW; 20];
        run.grants = (0..20).map(|edt| Grant { edt, block: 0x77, at: run.edts[edt as usize].granted }).collect();
        run
    };
    let findings = found(&turns(true));
    assert_eq!(findings[0].rule, RuleId::BetweenNodes);
    assert!(
        findings[0]
            .text
            .contains("goes from node to node: 19 times, mostly for EDTs of host, which waited 1.00 ms for it"),
        "{findings:?}"
    );
    assert!(!rules(&turns(true)).contains(&RuleId::Exclusive));
    assert!(!rules(&turns(false)).contains(&RuleId::BetweenNodes));
    // Where each reads it, copies to read are on both.
    let mut run = turns(true);
    run.uses.iter_mut().for_each(|its| its.writes = false);
    assert!(!rules(&run).contains(&RuleId::BetweenNodes));
}

#[test]
fn what_runs_alone_is_measured_by_all_of_the_run() {
    // The last EDT takes 5 of 105 ms, of which OpenCL's start was 80.
    let mut edts = vec![on_worker(1, 2, [0, 0, 0, 80 * MS])];
    edts[0].opencl = 80 * MS;
    edts.extend(
        (0..20).map(|n| on_worker(1 + n % 2, 0, [0, 80 * MS, u64::from(80 + n / 2) * MS, u64::from(81 + n / 2) * MS])),
    );
    let last = |ms: u64| on_worker(1, 2, [0, 90 * MS, 90 * MS, (90 + ms) * MS]);
    let with = |ms: u64| rules(&run(2, false, [&edts[..], &[last(ms)]].concat())).contains(&RuleId::Alone);
    assert!(!with(5));
    assert!(with(15));
}

#[test]
fn a_run_that_ends_serially_is_told() {
    // Two workers with ten EDTs of 2 ms each, and then so many of 5 ms, one after the other, on either.
    let with = |last: u64| {
        let mut edts: Vec<RecordedEdt> = (0..20)
            .map(|n: u64| on_worker(1 + (n % 2) as u32, 0, [0, 0, n / 2 * 2 * MS, (n / 2 + 1) * 2 * MS]))
            .collect();
        let step = |n: u64| {
            let begin = (20 + 5 * n) * MS;
            on_worker(1 + (n % 2) as u32, 2, [0, begin, begin, begin + 5 * MS])
        };
        edts.extend((0..last).map(step));
        found(&run(2, false, edts))
    };
    let findings = with(3);
    assert_eq!((findings[0].rule, findings[0].template.as_deref()), (RuleId::SerialEnd, Some("both")), "{findings:?}");
    assert_eq!(findings[0].saves_ns, Some(7_500_000));
    assert!(findings[0].text.contains("for the last 15.0 ms (43 % of it) EDTs run one at a time, 3 EDTs of both"));
    // One EDT is another rule's.
    assert!(with(1).iter().all(|its| its.rule != RuleId::SerialEnd));
    assert!(with(0).iter().all(|its| its.rule != RuleId::SerialEnd));
}

#[test]
fn an_edt_for_which_many_wait_is_told() {
    // An EDT of 10 ms, and twenty of 1 ms that wait for it, or for nothing.
    let with = |waits: bool| {
        let begin = if waits { 10 * MS } else { 0 };
        let each = |n: u64| on_worker(2, 0, [0, begin, begin + n * MS, begin + (n + 1) * MS]);
        let mut edts = vec![on_worker(1, 2, [0, 0, 0, 10 * MS])];
        edts.extend((0..20).map(each));
        let mut run = run(2, false, edts);
        if waits {
            run.edges = (1..=20).map(|to| Edge { from: 0, to, at: NEVER }).collect();
        }
        found(&run)
    };
    let gate = with(true).into_iter().find(|its| its.rule == RuleId::Gate).expect("it is said");
    assert_eq!(gate.template.as_deref(), Some("both"));
    assert!(
        gate.text.starts_with("The EDT both runs alone for 10.0 ms (33 % of the run): 20 EDTs wait for what it does")
    );
    assert!(with(false).iter().all(|its| its.rule != RuleId::Gate));
}

#[test]
fn a_block_costs_no_more_than_the_time_that_its_edts_could_have_had_beside_each_other() {
    let with = |workers: u32| {
        let edts = (0..10).map(|n: u64| {
            let begin = n * MS;
            let its = on_worker(1 + n as u32 % workers, 0, [0, 0, begin, begin + MS]);
            RecordedEdt { granted: begin, ..its }
        });
        let mut run = run(workers, false, edts.collect());
        (run.block_bytes, run.block_guids) = (vec![64], vec![0x77]);
        run.grants = (0..10).map(|edt| Grant { edt, block: 0x77, at: u64::from(edt) * MS }).collect();
        run.uses = (0..10).map(|edt| RecordedUse { edt, block: 0, writes: true }).collect();
        run.modes = vec![MODE_EW; 10];
        found(&run)
    };
    let findings = with(2);
    assert_eq!((findings[0].rule, findings[0].saves_ns), (RuleId::Exclusive, Some(5_000_000)), "{findings:?}");
    // One worker has nothing to lose.
    let is_of_blocks = |its: &Finding| [RuleId::Exclusive, RuleId::BlocksHeld].contains(&its.rule);
    assert!(!with(1).iter().any(is_of_blocks), "{:?}", with(1));
}

#[test]
fn workers_that_are_idle_while_opencl_starts_have_no_slow_creator() {
    // An EDT creates ten others of 20 us, one each 100 us, after OpenCL's start or an equal time of its own.
    let with = |opencl: u64| {
        let at = |n: u64| 100 * MS + n * MS / 10;
        let mut edts = vec![RecordedEdt { opencl, ..on_worker(1, 0, [0, 0, 0, 101 * MS]) }];
        edts.extend((1..=10).map(|n| RecordedEdt {
            parent: 0,
            ..on_worker(2, 2, [if n == 1 { MS } else { at(n) }, at(n), at(n), at(n) + MS / 50])
        }));
        found(&run(2, false, edts))
    };
    let findings = with(99 * MS);
    assert_eq!(findings[0].rule, RuleId::OpenClStart, "{findings:?}");
    let of_idle = [RuleId::Dependences, RuleId::NoWork];
    assert!(findings.iter().all(|its| !of_idle.contains(&its.rule) && its.saves_ns != Some(50 * MS)), "{findings:?}");
    assert_eq!(with(0)[0].rule, RuleId::SlowCreator);
}

#[test]
fn edts_that_wait_in_calls_are_told() {
    // Each of five EDTs of one worker waits for an EDT of the other one.
    let mut edts = Vec::new();
    for n in 0..5 {
        let begin = n * 10 * MS;
        edts.push(RecordedEdt { waited: 8 * MS, ..on_worker(1, 0, [0, begin, begin, begin + 10 * MS]) });
        edts.push(on_worker(2, 2, [begin + MS, begin + MS, begin + MS, begin + 9 * MS]));
    }
    let findings = found(&run(2, false, edts.clone()));
    assert_eq!(
        (findings[0].rule, findings[0].template.as_deref()),
        (RuleId::WaitsInCalls, Some("host")),
        "{findings:?}"
    );
    assert!(
        findings[0].text.starts_with("EDTs of host wait in calls such as ocrWait: 5 of them for 8.00 ms on average.")
    );
    edts.iter_mut().for_each(|edt| edt.waited = 0);
    assert!(!rules(&run(2, false, edts)).contains(&RuleId::WaitsInCalls));
}

#[test]
fn a_run_that_was_cut_says_nothing_of_work_that_is_missing() {
    let mut edts = vec![on_worker(1, 0, [0, 0, 0, MS])];
    edts.extend((0..10).map(|_| RecordedEdt { parent: 0, ..on_worker(2, 2, [MS / 2, MS / 2, NEVER, NEVER]) }));
    let mut run = run(2, false, edts);
    assert!(rules(&run).contains(&RuleId::NoWork));
    run.status = None;
    assert!(!rules(&run).contains(&RuleId::NoWork));
}

#[test]
fn what_keeps_the_system_busy_is_told() {
    // EDTs of 10 ms on a core, of which 5 ms are in the system, with so many waits and page faults each.
    let with = |waits: u32, faults: u64| {
        let edts = (0..10).map(|n: u64| on_worker(1, 0, [0, 0, n * 10 * MS, (n + 1) * 10 * MS]));
        let mut run = run(1, false, edts.collect());
        let usage = |n: u64| Usage {
            thread: 1,
            edt: (n as u32).wrapping_sub(1),
            at: n * 10 * MS,
            on_core: n * 10 * MS,
            without_core: 0,
            system: SystemUse { ns: n * 5 * MS, faults: n * faults, waits: n as u32 * waits },
        };
        run.usage = (0..=10).map(usage).collect();
        let findings = found(&run);
        assert_eq!(findings[0].rule, RuleId::InSystem, "{findings:?}");
        format!("{} {}", findings[0].text, findings[0].advice)
    };
    assert!(with(1, 0).contains("Read and write more with each call"));
    assert!(with(400, 0).contains("gave up its core 400 times on average") && with(400, 0).contains("Take locks less"));
    assert!(with(400, 1000).contains("it had 1000 page faults"));
}

/// Two workers run EDTs of 10 ms, which sleep for 5 ms of it, and are on their cores and in the system for so long.
#[test]
fn what_sleeps_for_a_lock_is_told_from_what_sleeps_in_other_calls() {
    let with = |in_system: u64| {
        let each = |n: u64| on_worker(1 + n as u32 % 2, 0, [0, 0, n / 2 * 10 * MS, (n / 2 + 1) * 10 * MS]);
        let mut run = run(2, false, (0..20).map(each).collect());
        let usage = |n: u64, worker: u64| Usage {
            thread: worker as u32,
            edt: if n == 0 { u32::MAX } else { (2 * (n - 1) + worker - 1) as u32 },
            at: n * 10 * MS,
            on_core: n * 5 * MS,
            without_core: 0,
            system: SystemUse { ns: n * in_system, faults: 0, waits: 3 * n as u32 },
        };
        run.usage = (0..=10).flat_map(|n| [usage(n, 1), usage(n, 2)]).collect();
        let sleeps = found(&run).into_iter().find(|its| its.rule == RuleId::Sleeps).expect("they sleep");
        format!("{} {}", sleeps.text, sleeps.advice)
    };
    assert!(with(MS / 10).contains("they may wait for a lock. Keep locks short"));
    let disk = with(4 * MS);
    assert!(!disk.contains("lock") && disk.contains("Start more workers than cores"), "{disk}");
}
