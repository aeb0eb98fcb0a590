use super::*;
use crate::recorded::{
    Edge, NEVER, RecordedDevice, RecordedEdt, RecordedNode, RecordedTemplate, RecordedThread, RecordedUse,
};
use ocr_place::simulate::nodes::{NodePlacing, NodesMachine};
use rustc_hash::FxHashMap;

/// An EDT that ran from `begin` to `end`.
fn edt(template: u32, place: u8, begin: u64, end: u64) -> RecordedEdt {
    RecordedEdt {
        guid: begin.wrapping_add(0x100),
        template,
        created: 0,
        runnable: begin,
        begin,
        end,
        place,
        lane: u32::from(place),
        ..RecordedEdt::default()
    }
}

fn by_end(from: u32, to: u32) -> Edge {
    Edge { from, to, at: NEVER }
}

/// A worker and a device that is ten times as fast, and EDTs of a template that can run on both.
fn run(edts: Vec<RecordedEdt>) -> RecordedRun {
    RecordedRun {
        about: [("workers", "1"), ("sched", "eft")].map(|(name, value)| (name.into(), value.into())).into(),
        status: Some(0),
        templates: vec![RecordedTemplate { name: "both".into(), places: 0b11 }],
        edts,
        devices: [(1, RecordedDevice::default())].into(),
        ..RecordedRun::default()
    }
}

fn replay(run: &RecordedRun, workers: Option<usize>, devices: &[&str]) -> Result<Replay, String> {
    let devices = devices.iter().map(|text| text.parse().expect("a device")).collect();
    Replay::new(run, &Wish { workers, devices, ..Wish::default() })
}

fn seconds(run: &RecordedRun, workers: usize, policy: &str) -> f64 {
    let replay = replay(run, Some(workers), &[]).expect("it can run");
    replay.simulate(policy, false).expect("a policy").seconds * 1e9
}

#[test]
fn an_edt_takes_what_it_took_and_elsewhere_the_median_of_its_size() {
    let mut run = run(vec![edt(0, 0, 0, 1000), edt(0, 1, 0, 100), edt(0, 1, 100, 220), edt(0, 1, 300, 800)]);
    run.edts[3].bytes = 64;
    let ns = |run: &RecordedRun, devices: &[&str]| -> Vec<Vec<Option<u64>>> {
        let graph = replay(run, None, devices).expect("it can run").graph;
        graph.tasks.into_iter().map(|task| task.ns).collect()
    };
    // There is none of 64 bytes on the host: the median of the template.
    let want = [[1000, 120], [1000, 100], [1000, 120], [1000, 500]].map(|two| two.map(Some).to_vec());
    assert_eq!(ns(&run, &[]), want);
    let faster = ns(&run, &["speed=10x,count=2"]);
    assert_eq!(faster[3], [Some(1000), Some(50), Some(50)]);
    // Where none ran, none is allowed; and that is said.
    run.edts.truncate(1);
    let replay = replay(&run, None, &[]).expect("it can run");
    assert_eq!(replay.graph.tasks[0].ns, [Some(1000), None]);
    assert!(replay.notes[0].contains("of 1 of 1 EDTs it is not known"), "{:?}", replay.notes);
}

/// A device with two queues ran two kernels at once, each for 200: the device that runs one after the other takes as
/// long.
#[test]
fn kernels_that_ran_at_once_take_as_long_one_after_the_other() {
    let run = run(vec![edt(0, 1, 0, 200), edt(0, 1, 0, 200)]);
    assert_eq!(seconds(&run, 1, "device"), 200.0);
}

#[test]
fn what_is_satisfied_in_a_body_is_released_at_that_part_of_it() {
    // The first runs from 0 to 1000, and satisfies the second at 250.
    let mut run = run(vec![edt(0, 0, 0, 1000), edt(0, 0, 1000, 2000)]);
    run.edges = vec![Edge { from: 0, to: 1, at: 250 }];
    assert_eq!(seconds(&run, 2, "cpu"), 1250.0);
    assert_eq!(seconds(&run, 1, "cpu"), 2000.0);
    run.edges[0].at = NEVER;
    assert_eq!(seconds(&run, 2, "cpu"), 2000.0);
}

#[test]
fn edts_are_renumbered_each_before_its_successors() {
    // The third, which comes last in the recording's order, goes before the others; the fourth did not run.
    let mut run = run(vec![edt(0, 0, 20, 30), edt(0, 0, 10, 20), edt(0, 0, 0, 10), edt(0, 0, NEVER, NEVER)]);
    run.edges = vec![by_end(2, 1), by_end(1, 0), by_end(0, 3)];
    let made = replay(&run, None, &[]).expect("it can run");
    let successors = |number: usize| made.graph.tasks[number].successors.clone();
    assert_eq!((successors(0), successors(1), successors(2)), (vec![1], vec![2], vec![]));
    assert!(made.notes[0].starts_with("1 of 4 EDTs have not ended"), "{:?}", made.notes);
    run.edges.push(by_end(0, 2));
    let error = replay(&run, None, &[]).err().expect("a circle");
    assert!(error.contains("3 EDTs wait for each other"), "{error}");
}

/// A finish EDT, two EDTs in its scope, and one that waits for the scope: what is recorded is that the longer one,
/// which ended last, came before it. On a machine where the other ends last it waits for that.
#[test]
fn what_waits_for_a_finish_scope_waits_for_all_of_it() {
    let mut run = run(vec![edt(0, 0, 0, 10), edt(0, 0, 10, 510), edt(0, 1, 10, 1010), edt(0, 0, 1010, 1020)]);
    run.edts[0].finish = true;
    (run.edts[1].parent, run.edts[2].parent) = (0, 0);
    run.edges = vec![by_end(0, 1), by_end(0, 2), by_end(2, 3)];
    let replay = replay(&run, Some(1), &["speed=1000x"]).expect("it can run");
    assert_eq!((replay.edts, replay.graph.tasks.len()), (4, 5));
    let outcome =
        simulate(&replay.graph, &replay.machine, "random:1", &replay.models(&replay.graph, false)).expect("it ends");
    let last = replay.graph.tasks.len() - 1;
    let in_scope = outcome.ran[1].ended.max(outcome.ran[2].ended);
    assert!(outcome.ran[last].begun >= in_scope, "{:?}", outcome.ran);
    assert_eq!(replay.simulate("cpu", false).expect("a policy").edts.iter().sum::<u64>(), 4);
}

/// Two workers and a device, and a chain of three finish EDTs of two grains, and a last EDT of 10 us. The first ran as
/// a function of 10 us, which has created four EDTs of 100 us in the middle of that. The others ran as kernels of 250
/// us.
fn of_two_grains() -> RecordedRun {
    let us = |template, place, lane, begin: u64, end: u64| RecordedEdt {
        lane,
        ..edt(template, place, begin * 1_000, end * 1_000)
    };
    let mut edts = vec![
        us(0, 0, 0, 0, 10),
        us(1, 0, 1, 5, 105),
        us(1, 0, 0, 10, 110),
        us(1, 0, 1, 105, 205),
        us(1, 0, 0, 110, 210),
        us(0, 1, 0, 210, 460),
        us(0, 1, 0, 460, 710),
        us(2, 0, 0, 710, 720),
    ];
    [0, 5, 6].into_iter().for_each(|head| edts[head].finish = true);
    edts[1..5].iter_mut().for_each(|inner| (inner.parent, inner.runnable) = (0, 5_000));
    let mut run = run(edts);
    run.about.insert("workers".into(), "2".into());
    let template = |name: &str, places| RecordedTemplate { name: name.into(), places };
    run.templates = vec![template("block", 0b11), template("tile", 1), template("last", 1)];
    let created = (1..5).map(|to| Edge { from: 0, to, at: 5_000 });
    run.edges = created.chain([by_end(4, 5), by_end(5, 6), by_end(6, 7)]).collect();
    run
}

#[test]
fn a_kernel_and_a_function_with_its_scope_are_variants_of_one_edt() {
    let run = of_two_grains();
    let replay = replay(&run, None, &[]).expect("it can run");
    assert_eq!(replay.edts(), 8);
    assert!(replay.notes()[0].contains("(8 EDTs in all)"), "{:?}", replay.notes());
    let row = |policy: &str| {
        let row = replay.simulate(policy, false).expect("a policy");
        ((row.seconds * 1e6).round() as u64, row.edts)
    };
    // Each scope takes 210 us of both workers, and each kernel stands for one of them.
    assert_eq!(row("cpu"), (3 * 210 + 10, vec![16, 0]));
    assert_eq!(row("device"), (3 * 250 + 10, vec![1, 3]));
    // The policy knows the time of the scope and not that of the function alone.
    assert_eq!(row("eft"), (3 * 210 + 10, vec![16, 0]));
    // All of a scope is 410 us of one worker.
    let [area, path, mixed] = replay.bounds().map(|seconds| seconds * 1e6);
    assert!((path - (3.0 * 205.0 + 10.0)).abs() < 1e-6, "{path}");
    // Of the three, y as kernels: 250 y = (410 (3 - y) + 10) / 2.
    assert!((area - 250.0 * 1240.0 / 910.0).abs() < 1e-6, "{area}");
    assert!(mixed >= path && mixed <= 640.0, "{mixed}");
    // On four workers each has one of the four, of which one begins with the end of the function.
    let wider = super::tests::replay(&run, Some(4), &[]).expect("it can run");
    for policy in ["cpu", "eft"] {
        let seconds = wider.simulate(policy, false).expect("a policy").seconds;
        assert_eq!((seconds * 1e6).round(), 3.0 * 110.0 + 10.0, "{policy}");
    }
    let known = |replay: &Replay| replay.models(&replay.graph, false)[0].expected(0, 0).map(|time| time.ns);
    assert_eq!((known(&replay), known(&wider)), (Some(210_000), Some(105_000)));
}

#[test]
fn a_simulated_run_has_a_kernel_or_a_scope() {
    let run = of_two_grains();
    let replay = replay(&run, None, &[]).expect("it can run");
    let of = |policy| replay.simulated(&run, policy, false).expect("a policy");
    let kernels = of("device");
    let chain: Vec<(u32, u32)> = kernels.edges.iter().map(|edge| (edge.from, edge.to)).collect();
    assert_eq!((kernels.edts.len(), chain), (4, vec![(0, 1), (1, 2), (2, 3)]));
    assert!(kernels.edts.iter().all(|edt| edt.time().is_some()));
    let functions = of("cpu");
    assert_eq!(functions.edts.len(), 16);
    let parents: Vec<u32> = functions.edts[8..].iter().map(|edt| edt.parent).collect();
    assert_eq!(parents, [5, 5, 5, 5, 6, 6, 6, 6]);
    // What waits for a scope waits for its last EDT.
    let before: Vec<u32> = functions.edges.iter().filter(|edge| edge.to == 6).map(|edge| edge.from).collect();
    assert_eq!(before.len(), 1);
    assert!((8..12).contains(&before[0]), "{before:?}");
    assert_eq!(functions.edts[6].begin, functions.edts[before[0] as usize].end);
    // No bound of what was simulated is above it.
    for run in [kernels, functions] {
        let score = run.score().expect("a score");
        assert!(score.mixed <= score.seconds + 1e-9 && score.ratio() < 1.1, "{score:?}");
    }
}

#[test]
fn blocks_keep_their_identities_and_are_copied_once() {
    let mut run = run(vec![edt(0, 1, 0, 100), edt(0, 1, 100, 200)]);
    run.block_bytes = vec![1 << 20];
    run.uses = [0, 1].map(|edt| RecordedUse { edt, block: 0, writes: true }).to_vec();
    run.edges = vec![by_end(0, 1)];
    let replay = replay(&run, None, &["bandwidth=1GB/s,latency=10us"]).expect("it can run");
    let row = replay.simulate("device", false).expect("a policy");
    assert_eq!(row.bytes_moved, 1 << 20);
    assert_eq!((row.seconds * 1e9) as u64, 10_000 + (1 << 20) + 200);
}

/// Sums of times stay within 64 bits: what would take longer is refused, and what takes no time is not.
#[test]
fn machines_that_are_absurd_are_refused() {
    let mut run = run(vec![edt(0, 1, 0, 1000), edt(0, 1, 1000, 2000)]);
    run.block_bytes = vec![1 << 20];
    run.uses = vec![RecordedUse { edt: 1, block: 0, writes: true }];
    for device in ["speed=1e-300", "speed=1e-15", "latency=1e290s", "latency=1e9s", "bandwidth=1e-300B/s"] {
        let error = replay(&run, None, &[device]).err().expect(device);
        assert!(error.contains("more than three years"), "{device}: {error}");
    }
    for device in ["speed=1e300", "latency=0ns", "bandwidth=1e290GB/s"] {
        let replay = replay(&run, None, &[device]).expect(device);
        for policy in ["device", "eft", "eager"] {
            assert!(replay.simulate(policy, false).expect(device).seconds < 1.0);
        }
    }
    let error = "latency=1e308s".parse::<DeviceWish>().expect_err("infinite");
    assert!(error.contains("a latency is written as"), "{error}");
}

/// All go to the device, where each takes 100. The third is released at a quarter of the first.
#[test]
fn a_simulated_run_has_the_form_of_a_recorded_one() {
    let mut recorded = run(vec![edt(0, 0, 0, 1000), edt(0, 1, 0, 100), edt(0, 0, 1000, 2000), edt(0, 0, NEVER, NEVER)]);
    recorded.edges = vec![Edge { from: 0, to: 2, at: 250 }];
    recorded.block_bytes = vec![1 << 20];
    recorded.block_guids = vec![0x9000];
    recorded.uses = vec![RecordedUse { edt: 1, block: 0, writes: false }];
    let replay = replay(&recorded, None, &["bandwidth=1GB/s,latency=0us"]).expect("it can run");
    let simulated = (replay.simulated(&recorded, "device", false)).expect("a policy");
    let ran = |number: usize| {
        let edt = &simulated.edts[number];
        (edt.place, edt.runnable, edt.begin, edt.end)
    };
    let there = 1 << 20;
    assert_eq!(ran(0), (1, 0, 0, 100));
    assert_eq!(ran(1), (1, 0, there, there + 100));
    assert_eq!(ran(2), (1, 25, there + 100, there + 200));
    assert_eq!(simulated.edts[3].time(), None);
    assert_eq!(simulated.edges[0].at, 25);
    assert_eq!(simulated.templates[0].places, 0b11);
    assert_eq!(simulated.about["sched"], "device");
    let copy = simulated.copies[0];
    assert_eq!((copy.block, copy.bytes, copy.begin, copy.end), (0x9000, there, 0, there));
    assert!(simulated.estimates.is_empty());
    let simulated = (replay.simulated(&recorded, "eft", false)).expect("a policy");
    for number in 0..3 {
        let told = simulated.estimates_of(number);
        assert!(told.len() >= 2 && told[0].is_first && told[0].edt == number, "{told:?}");
    }
}

#[test]
fn devices_are_written_so() {
    let device: DeviceWish = "speed=10x,bandwidth=12GB/s,latency=10us,count=4".parse().expect("a device");
    let want = DeviceWish { speed: 10.0, bandwidth: Some(12e9), latency_ns: Some(10_000.0), count: 4 };
    assert_eq!(device, want);
    for (text, why) in [
        ("speed=0x", "a speed is written as"),
        ("speed=fast", "a speed is written as"),
        ("bandwidth=12", "a bandwidth is written as"),
        ("latency=-1us", "a latency is written as"),
        ("latency=NaNus", "a latency is written as"),
        ("count=0", "a count is a number from 1"),
        ("count=99", "a count is a number from 1"),
        ("cores=3", "\"cores=3\": no property of a device; write speed=10x,"),
        ("", "no property of a device"),
    ] {
        let error = text.parse::<DeviceWish>().expect_err(text);
        assert!(error.contains(why), "{text}: {error}");
    }
}

#[test]
fn what_cannot_be_simulated_is_told() {
    let mut none = run(vec![edt(0, 0, 0, NEVER)]);
    none.name = "x.trace".into();
    assert!(replay(&none, None, &[]).err().is_some_and(|error| error.contains("x.trace no EDT has ended")));
    let mut one = run(vec![edt(0, 0, 0, 10)]);
    one.devices.clear();
    let error = replay(&one, None, &["speed=2x"]).err().expect("no device");
    assert!(error.contains("the recording has no device"), "{error}");
    one.status = None;
    one.lost = 3;
    let notes = replay(&one, None, &[]).expect("it can run").notes;
    assert!(notes[0].contains("the run has no end"), "{notes:?}");
    assert!(notes[1].contains("no room for 3 records"), "{notes:?}");
}

fn worker(done: Option<u64>) -> RecordedThread {
    RecordedThread { is_worker: true, done, ..RecordedThread::default() }
}

/// A first EDT of 900 on a worker that is stopped then, and ten of 10 behind it on the other worker.
fn one_long_and_ten_short() -> RecordedRun {
    let edts = (0..11).map(|number| match number {
        0 => edt(0, 0, 0, 900),
        _ => edt(0, 0, 890 + 10 * number, 900 + 10 * number),
    });
    let mut run = run(edts.collect());
    run.about.insert("workers".into(), "2".into());
    run.threads = [(0, worker(Some(902))), (1, worker(Some(1010)))].into();
    run
}

/// A worker ends `mainEdt`, which has added a kernel, and is stopped for the device's core. That is late in the time of
/// the run, and all but one of the EDTs have yet to begin.
#[test]
fn a_worker_that_was_stopped_before_the_work_is_not_counted() {
    let mut run = one_long_and_ten_short();
    run.edges = (1..11).map(|to| by_end(0, to)).collect();
    for edt in &mut run.edts[1..] {
        (edt.lane, edt.runnable) = (1, 900);
    }
    let here = replay(&run, None, &[]).expect("it can run");
    let predicted = here.simulate("eager", false).expect("a policy").seconds * 1e9;
    assert_eq!((here.workers(), predicted.round()), (1, 1000.0));
    assert!(here.is_recorded_machine());
    // Were it stopped when most had begun, it would count.
    run.threads = [(0, worker(Some(980))), (1, worker(None))].into();
    assert_eq!(replay(&run, None, &[]).expect("it can run").workers(), 2);
}

/// Of the 900 of its first EDT the run waited 800 for OpenCL, and then one of two workers was stopped for the device's
/// core.
#[test]
fn without_a_device_opencl_does_not_start_and_no_worker_is_stopped() {
    let mut run = one_long_and_ten_short();
    run.edts[0].opencl = 800;
    // The others are created behind the start, at the end of the first.
    run.edges = (1..11).map(|to| Edge { from: 0, to, at: 890 }).collect();
    for edt in &mut run.edts[1..] {
        (edt.lane, edt.runnable) = (1, 900);
    }
    let here = replay(&run, None, &[]).expect("it can run");
    let predicted = |policy: &str| here.simulate(policy, false).expect("a policy").seconds * 1e9;
    assert_eq!((here.workers(), predicted("eager").round()), (1, 1000.0));
    // No chain has that start in it, since some policies do without.
    assert!(here.bounds()[1] * 1e9 <= predicted("cpu"), "{:?}", here.bounds());
    // The second worker begins at 90, and the first at 100. Parts of times are rounded.
    assert!((149.0..=150.0).contains(&predicted("cpu").round()));
    let simulated = here.simulated(&run, "cpu", false).expect("a policy");
    assert!(simulated.end <= 150 && simulated.threads.len() == 2);
    // Where such a policy was recorded, there was no such start.
    run.about.insert("sched".into(), "cpu".into());
    let here = replay(&run, None, &[]).expect("it can run");
    let row = here.simulate("cpu", false).expect("a policy");
    assert_eq!((row.seconds * 1e9).round(), 1000.0);
}

/// A launch takes 50 on an idle device, and 7 behind another kernel; an end is known 20 later.
#[test]
fn launches_and_the_news_of_ends_take_as_long_as_in_the_recording() {
    let device = |runnable, begin, end| RecordedEdt { runnable, launched: runnable, ..edt(0, 1, begin, end) };
    let mut run = run(vec![device(0, 50, 150), device(0, 157, 257), device(277, 327, 427)]);
    run.edges = vec![by_end(0, 2), by_end(1, 2)];
    assert_eq!(seconds(&run, 1, "device").round(), 377.0);
    // The same kernels as a chain: each waits for the news of the one before, and for a launch.
    run.edges = vec![by_end(0, 1), by_end(1, 2)];
    run.edts[1] = device(170, 220, 320);
    run.edts[2] = device(340, 390, 490);
    assert_eq!(seconds(&run, 1, "device").round(), 440.0);
}

/// The number between 0 and 1 that belongs to `number`.
fn scatter(number: usize) -> f64 {
    let mut hash = number as u64 + 1;
    for factor in [0x9e37_79b9_7f4a_7c15, 0xbf58_476d_1ce4_e5b9] {
        hash = (hash ^ (hash >> 29)).wrapping_mul(factor);
    }
    (hash >> 11) as f64 / (1_u64 << 53) as f64
}

/// The graphs of the examples: for each EDT its template, and those that it waits for.
fn graphs() -> Vec<Vec<(u32, Vec<u32>)>> {
    // The edit distance: tiles that wait for those above and to the left.
    let side = 14;
    let wavefront = (0..side * side).map(|at| {
        let above = (at >= side).then(|| at - side);
        let left = (at % side != 0).then(|| at - 1);
        (0, above.into_iter().chain(left).collect())
    });
    // The wave: two phases of bands, each of which waits for two bands of the phase before.
    let bands = 6_u32;
    let wave = (0..40 * bands).map(|at| {
        let (phase, band) = (at / bands, at % bands);
        let other = match phase % 2 {
            0 => (band + 1 < bands).then_some(at + 1),
            _ => (band > 0).then(|| at - 1),
        };
        let before = [Some(at), other].into_iter().flatten();
        let before = before.filter_map(|at| at.checked_sub(bands));
        (phase % 2, before.collect())
    });
    // The factorisation: each tile waits for the last EDT that wrote it, and for the tiles that it reads.
    let (tiles, mut wrote, mut cholesky) = (9, FxHashMap::default(), Vec::new());
    let mut add = |template: u32, written: (u32, u32), read: &[(u32, u32)]| {
        let waits = read.iter().chain([&written]);
        let waits: Vec<u32> = waits.filter_map(|tile| wrote.get(tile).copied()).collect();
        wrote.insert(written, cholesky.len() as u32);
        cholesky.push((template, waits));
    };
    for step in 0..tiles {
        add(0, (step, step), &[]);
        for row in step + 1..tiles {
            add(1, (row, step), &[(step, step)]);
        }
        for row in step + 1..tiles {
            for column in step + 1..=row {
                add(2, (row, column), &[(row, step), (column, step)]);
            }
        }
    }
    vec![wavefront.collect(), wave.collect(), cholesky]
}

/// Machines on which launches and news cost what they cost on a GPU, and times scatter: a run is recorded, and what is
/// predicted of other policies from the recording is compared with what they take there.
#[test]
fn predictions_come_true_in_virtual_time() {
    // Nanoseconds of each template on a worker and on the device.
    let times = [[40e3, 60e3], [75e3, 30e3], [150e3, 45e3]];
    let costs = [(6_000, 1_000, 1_500), (35_000, 4_000, 100_000)].map(|(launch_ns, gap_ns, told_ns)| Costs {
        launch_ns,
        gap_ns,
        told_ns,
    });
    let (mut ratios, mut without_costs) = (Vec::new(), Vec::new());
    for (graph, workers) in graphs().iter().flat_map(|graph| [(graph, 1), (graph, 2)]) {
        let mut skeleton =
            run((0..graph.len() as u64).map(|at| edt(graph[at as usize].0, 0, 10 * at, 10 * at + 10)).collect());
        skeleton.templates = vec![skeleton.templates[0].clone(); times.len()];
        let edges = graph
            .iter()
            .enumerate()
            .flat_map(|(to, (_, before))| (before.iter()).map(move |&from| by_end(from, to as u32)));
        skeleton.edges = edges.collect();
        let mut real = replay(&skeleton, Some(workers), &[]).expect("it can run");
        for (number, task) in real.graph.tasks.iter_mut().enumerate() {
            let varies = |ns: f64, seed: usize| (ns * (0.8 + 0.4 * scatter(2 * number + seed))) as u64;
            let of = times[task.template as usize];
            task.ns = vec![Some(varies(of[0], 0)), Some(varies(of[1], 1))];
            task.costs = costs.to_vec();
        }
        let recorded = (real.simulated(&skeleton, "static:1:1", false)).expect("a policy");
        let replayed = Replay::new(&recorded, &Wish::default()).expect("it can run");
        let mut free = Replay::new(&recorded, &Wish::default()).expect("it can run");
        for task in &mut free.graph.tasks {
            task.costs.clear();
        }
        for policy in ["cpu", "device", "static:1:1", "eager", "eft"] {
            let of = |replay: &Replay| replay.simulate(policy, false).expect("a policy").seconds;
            let ratio = of(&replayed) / of(&real);
            ratios.push((ratio.ln().abs(), policy, workers, graph.len()));
            let ratio = of(&free) / of(&real);
            without_costs.push(ratio.ln().abs());
        }
    }
    ratios.sort_by(|one, other| one.0.total_cmp(&other.0));
    let median = ratios[ratios.len() / 2].0;
    assert!(median <= 1.10_f64.ln(), "{ratios:?}");
    assert!(ratios[ratios.len() - 1].0 <= 1.25_f64.ln(), "{ratios:?}");
    // Without what launches and news cost, they would not come true on this machine.
    without_costs.sort_by(f64::total_cmp);
    let median = without_costs[without_costs.len() / 2];
    assert!(median > 1.10_f64.ln(), "{without_costs:?}");
}

/// A machine of two cores with a CPU device on both. Under `static:1:1` each side had one: eight functions took 1000 us
/// each on the one worker, and eight kernels 400 us each on one core.
fn on_two_cores() -> RecordedRun {
    let times = (0..8).flat_map(|at| [(0, at * 1_000_000, 1_000_000), (1, at * 400_000, 400_000)]);
    let mut run = run(times.map(|(place, begin, ns)| edt(0, place, begin, begin + ns)).collect());
    run.edts.iter_mut().for_each(|edt| edt.runnable = 0);
    let about =
        [("cores", "2"), ("workers", "2"), ("workers-fixed", "false"), ("bind", "auto"), ("sched", "static:1:1")];
    run.about.extend(about.map(|(name, value)| (name.to_string(), value.to_string())));
    run.counters.insert((4, 1), vec![(0, 2), (0, 1)]);
    run.threads = [(0, worker(Some(8_000_000))), (1, worker(Some(10)))].into();
    run
}

#[test]
fn each_policy_has_the_cores_that_it_would_have() {
    let run = on_two_cores();
    let replay = replay(&run, None, &[]).expect("it can run");
    let us = |policy: &str| (replay.simulate(policy, false).expect("a policy").seconds * 1e6).round();
    assert_eq!(replay.workers(), 1);
    // All on one core; all on two workers; all kernels, which borrow both cores.
    assert_eq!((us("device"), us("cpu"), us("eft")), (16.0 * 400.0, 8000.0, 16.0 * 200.0));
    let eft = replay.simulated(&run, "eft", false).expect("a policy");
    assert_eq!(eft.threads.len(), 2);
    // Where one worker is asked for, the device has the other core for itself under each policy.
    let one = Replay::new(&run, &Wish { workers: Some(1), ..Wish::default() }).expect("it can run");
    let us = |policy: &str| (one.simulate(policy, false).expect("a policy").seconds * 1e6).round();
    assert_eq!((us("device"), us("cpu")), (16.0 * 400.0, 16000.0));
    assert!(us("eft") > 16.0 * 200.0);
}

/// Kernels that take 1200 us on both cores, where the functions take 1000 us on one: a policy that knows that leaves
/// the device closed, and the first EDT waits for no start.
#[test]
fn no_device_is_opened_where_no_kernel_can_win() {
    let mut run = on_two_cores();
    for edt in run.edts.iter_mut().filter(|edt| edt.place == 1) {
        (edt.begin, edt.end) = (edt.begin * 6, edt.end * 6);
    }
    run.edts[0].opencl = 500_000;
    let replay = replay(&run, None, &[]).expect("it can run");
    let row = |policy: &str, cold: bool| replay.simulate(policy, cold).expect("a policy");
    let us = |policy: &str, cold: bool| (row(policy, cold).seconds * 1e6).round();
    assert_eq!((us("cpu", false), us("eft", false)), (8000.0, 8000.0));
    assert_eq!(row("eft", false).edts, [16, 0]);
    // One that knows nothing opens it.
    assert!(us("eft", true) > 8000.0);
}

#[test]
fn a_kernel_on_borrowed_cores_counts_as_with_all_of_them() {
    let mut run = on_two_cores();
    run.about.insert("sched".into(), "eft".into());
    // All are the device's at first, then it has one for a time, then all.
    run.counters.insert((4, 1), vec![(0, 2), (0, 2), (1000, 1), (3_300_000, 2)]);
    let here = replay(&run, None, &[]).expect("it can run");
    assert_eq!(here.workers(), 2);
    let of = |edt: usize| here.graph.tasks[here.numbers[edt] as usize].ns[1];
    // Kernels 0 to 7 began every 400 us; the last one had both cores from its middle on.
    assert_eq!((of(1), of(13), of(15)), (Some(200_000), Some(200_000), Some(200_000)));
    run.counters.insert((4, 1), vec![(0, 2), (0, 2), (1000, 1), (2_900_000, 2)]);
    let here = replay(&run, None, &[]).expect("it can run");
    let last = here.graph.tasks[here.numbers[15] as usize].ns[1];
    assert_eq!(last, Some(400_000));
}

/// Two workers waited for OpenCL at the same time: one of them in two EDTs, which is longer.
#[test]
fn the_run_waited_for_opencl_as_long_as_one_worker() {
    let mut run = one_long_and_ten_short();
    for (edt, waited) in [(0, 750), (1, 4), (2, 3)] {
        run.edts[edt].opencl = waited;
    }
    assert_eq!(run.opencl_start(), 757);
    run.edts[0].lane = 7;
    assert_eq!(run.opencl_start(), 750);
}

/// Two kernels, and a function that uses a block of the first. A CPU device brings blocks behind the kernels that it
/// has, so the function begins when both have ended.
#[test]
fn workers_wait_for_blocks_behind_the_kernels_of_a_cpu_device() {
    let mut run = run(vec![edt(0, 1, 0, 100), edt(0, 1, 100, 1100), edt(1, 0, 1100, 1150)]);
    run.templates[0].places = 0b10;
    run.templates.push(RecordedTemplate { name: "function".into(), places: 0b1 });
    run.edts[1].runnable = 0;
    run.edts[2].runnable = 100;
    run.edts[2].fetch = [100, 1100];
    run.block_bytes = vec![64];
    run.uses = [0, 2].map(|edt| RecordedUse { edt, block: 0, writes: true }).to_vec();
    run.edges = vec![by_end(0, 2)];
    let took = |run: &RecordedRun| seconds(run, 1, "device").round();
    // A GPU brings it beside its kernels.
    assert_eq!(took(&run), 1100.0);
    run.counters.insert((4, 1), vec![(0, 1), (0, 1)]);
    assert_eq!(took(&run), 1150.0);
}

/// A run of functions on so many nodes, which have run EDTs by turns.
fn of_functions(edts: Vec<RecordedEdt>, nodes: u32) -> RecordedRun {
    let mut run = run(edts);
    run.devices.clear();
    run.templates[0].places = 1;
    for node in 0..nodes {
        run.nodes.push(RecordedNode { number: node, ..RecordedNode::default() });
        run.threads.insert(node, RecordedThread { node, is_worker: true, ..RecordedThread::default() });
    }
    for (number, edt) in (0..).zip(&mut run.edts) {
        edt.lane = number % nodes;
    }
    run
}

fn on_nodes(run: &RecordedRun) -> NodesReplay {
    replay(run, None, &[]).expect("it can run").for_nodes(run).expect("all are functions")
}

/// A chain of EDTs by turns on two nodes, each of which creates the next one.
#[test]
fn communication_limits_on_many_nodes_as_on_two() {
    let us = 1000;
    let mut run = of_functions((0..20).map(|at| edt(0, 0, at * us, (at + 1) * us)).collect(), 2);
    for to in 1..20 {
        run.edts[to as usize].parent = to - 1;
        run.edges.push(Edge { from: to - 1, to, at: u64::from(to) * us - us / 2 });
    }
    let machine = NodesMachine { nodes: 1, workers: 1, latency_ns: 1000 * us, bandwidth: 1e12, overhead_ns: 0 };
    let graph = on_nodes(&run);
    let rows = graph.rows(&[2, 1024, 2], &machine, NodePlacing::Home).expect("it ends");
    for row in &rows {
        assert!(row.limit.starts_with("communication: ") && row.limit.ends_with("100 % less"), "{row:?}");
        assert!(row.speed_up < 0.01 && row.messages == 19, "{row:?}");
    }
    assert_eq!(rows[0], rows[2]);
    assert!(graph.is_of_functions());
    let notes = |many: &[NodesRow], placing| graph.notes(many, placing).len();
    assert_eq!((notes(&rows, NodePlacing::Home), notes(&rows[..1], NodePlacing::Home)), (1, 0));
    assert_eq!(notes(&rows, NodePlacing::Bytes), 0);
    // What ran on devices is not simulated, even if each template has functions.
    run.devices.insert(1, RecordedDevice::default());
    let graph = on_nodes(&run);
    assert!(!graph.is_of_functions() && graph.notes(&[], NodePlacing::Home)[0].contains("used devices"));
}

/// All were ready at the beginning, and the worker has begun one each 10 us.
#[test]
fn starting_edts_limits_where_that_takes_the_time() {
    let us = 1000;
    let mut run = of_functions((0..100).map(|at| edt(0, 0, 10 * at * us, (10 * at + 1) * us)).collect(), 1);
    run.edts.iter_mut().for_each(|edt| edt.runnable = 0);
    let machine = NodesMachine { nodes: 1, workers: 1, latency_ns: 0, bandwidth: 1e12, overhead_ns: 0 };
    let rows = on_nodes(&run).rows(&[1], &machine, NodePlacing::Home).expect("it ends");
    assert!(rows[0].limit.starts_with("starting EDTs: ") && rows[0].limit.contains("runs for 1.00 us"), "{rows:?}");
}

/// The first has run for a quarter of its time when it creates the other; then it has waited for another node.
#[test]
fn answers_are_not_simulated_before_what_they_came_behind() {
    let long = 1_000_000;
    let mut run = of_functions(vec![edt(0, 0, 0, 2 * long), edt(0, 0, 2 * long, 3 * long)], 2);
    run.edts[0].answers = long;
    run.edts[1].parent = 0;
    run.edges.push(Edge { from: 0, to: 1, at: long / 2 });
    let machine = NodesMachine { nodes: 1, workers: 2, latency_ns: 0, bandwidth: 1e12, overhead_ns: 0 };
    let rows = on_nodes(&run).rows(&[1], &machine, NodePlacing::Home).expect("it ends");
    assert!((rows[0].seconds * 1e9 / long as f64 - 1.5).abs() < 0.01, "{rows:?}");
    assert!(rows[0].seconds >= rows[0].bound, "{rows:?}");
}

/// An EDT of node 0 has created one for each of three other nodes. With fewer nodes, neighbouring ones are one.
#[test]
fn edts_of_several_nodes_stay_there() {
    let long = 1_000_000;
    let mut run = of_functions([1000, long, long, long].map(|ns| edt(0, 0, 0, ns)).to_vec(), 4);
    for to in 1..4 {
        run.edts[to as usize].parent = 0;
        run.edges.push(Edge { from: 0, to, at: 100 * u64::from(to) });
    }
    // What it waited for other nodes is simulated anew.
    (run.edts[3].end, run.edts[3].answers) = (2 * long, long);
    let graph = on_nodes(&run);
    assert_eq!(graph.recorded_nodes(), 4);
    let machine = NodesMachine { nodes: 1, workers: 1, latency_ns: 1000, bandwidth: 1e12, overhead_ns: 0 };
    let rows = graph.rows(&[1, 2, 4, 8], &machine, NodePlacing::Home).expect("it ends");
    let long = long as f64 / 1e9;
    for (row, (times, messages)) in rows.iter().zip([(3.0, 0), (2.0, 2), (1.0, 3), (1.0, 3)]) {
        assert!((row.seconds / long - times).abs() < 0.02, "{row:?}");
        assert!((row.speed_up - 3.0 / times).abs() < 0.1 && row.seconds >= row.bound, "{row:?}");
        assert_eq!(row.messages, messages, "{row:?}");
    }
    let why: Vec<&str> = rows.iter().map(|row| row.limit.split(':').next().unwrap_or("")).collect();
    assert_eq!(why, ["the work", "one node", "too few EDTs at a time", "too few EDTs at a time"]);
    // By turns, one of them is on node 0, and the first of them on the creator's.
    let round = graph.rows(&[2], &machine, NodePlacing::Round).expect("it ends");
    assert_eq!(round[0].messages, 1);
    // Of an EDT that ran on a device alone it is not known what its function takes.
    let kernels = RecordedRun { devices: [(1, RecordedDevice::default())].into(), ..self::run(vec![edt(0, 1, 0, 9)]) };
    let error = replay(&kernels, None, &[]).expect("it can run").for_nodes(&kernels).err().expect("kernels");
    assert!(error.contains("1 EDT ran as kernels"), "{error}");
}
