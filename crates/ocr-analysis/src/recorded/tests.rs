use super::*;

fn edt(template: u32, place: u8, begin: u64, end: u64) -> RecordedEdt {
    RecordedEdt {
        guid: 0x100 + begin,
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

fn template(name: &str, places: u64) -> RecordedTemplate {
    RecordedTemplate { name: name.into(), places }
}

/// Two workers and a device. Of the first template, one EDT ran in each place; of the second, all on workers, though
/// they could run on the device.
fn run() -> RecordedRun {
    RecordedRun {
        about: [("workers".to_string(), "2".to_string())].into(),
        status: Some(0),
        templates: vec![template("both", 0b11), template("one", 0b11)],
        edts: vec![edt(0, 0, 0, 4_000_000_000), edt(0, 1, 0, 1_000_000_000), edt(1, 0, 4_000_000_000, 7_000_000_000)],
        ..RecordedRun::default()
    }
}

#[test]
fn a_score_takes_what_is_known_of_other_places() {
    let score = run().score().expect("a score");
    assert_eq!((score.edts, score.unknown, score.seconds), (3, 1, 7.0));
    // The two of the first template on the device, the other on a worker: 3 s there are 1.5 s of two workers.
    assert!((score.critical_path - 3.0).abs() < 1e-9, "{score:?}");
    assert!((score.area - 11.0 / 6.0).abs() < 1e-9, "{score:?}");
    assert!(score.mixed >= 3.0 - 1e-9 && score.mixed <= 7.0);
    assert!(score.text().contains("of 1 EDT it is not known"), "{}", score.text());
}

#[test]
fn a_score_counts_the_workers_and_kernels_that_there_were_at_once() {
    let area = |run: &RecordedRun| run.score().expect("a score").area;
    let mut run = run();
    let two = area(&run);
    // The device has two queues and runs one kernel after the other.
    run.edts.push(RecordedEdt { lane: 1, ..edt(0, 1, 1_000_000_000, 2_000_000_000) });
    run.edts[1].lane = 0;
    // Three take 1 s on the device or 4 s on a worker, and one 3 s on a worker: half of one of the three goes to a
    // worker.
    assert!((area(&run) - 2.5).abs() < 1e-9, "{}", area(&run));
    run.edts[3].begin -= 500_000_000;
    assert!(area(&run) < 2.0, "two ran at once: {}", area(&run));
    // Clocks that are not exact.
    run.edts[3].begin += 490_000_000;
    assert!(area(&run) > 2.4, "{}", area(&run));
    // The second worker went early.
    run.edts.pop();
    let done = |at| RecordedThread { is_worker: true, done: Some(at), ..RecordedThread::default() };
    run.threads = [(1, done(1_000_000))].into();
    assert_eq!(run.worker_count(), Some(1));
    assert!(area(&run) > two, "{} and {two}", area(&run));
    run.threads = [(1, done(6_999_000_000))].into();
    assert_eq!(run.worker_count(), Some(2));
}

#[test]
fn an_edt_that_waits_in_a_call_and_the_helper_meanwhile_make_no_bound_above_the_run() {
    // One worker: an EDT waits from 1 s to 6 s for another, which a helper runs.
    let (mut waits, runs) = (edt(0, 0, 0, 7_000_000_000), edt(0, 0, 1_000_000_000, 6_000_000_000));
    waits.waited = 5_000_000_000;
    assert_eq!(waits.time(), Some(2_000_000_000));
    let thread = |at| RecordedThread { is_worker: true, done: Some(at), ..RecordedThread::default() };
    let run = RecordedRun {
        about: [("workers".to_string(), "1".to_string())].into(),
        edts: vec![waits, runs],
        threads: [(1, thread(7_000_000_000)), (2, thread(2_000_000_000))].into(),
        ..run()
    };
    assert_eq!(run.worker_count(), Some(1));
    let score = run.score().expect("a score");
    assert!((score.area - 7.0).abs() < 1e-9, "{score:?}");
    assert!(score.mixed <= score.seconds + 1e-9, "{score:?}");
}

/// Two workers and a device. A finish EDT of two grains ran as a function of 1 s, which has created three EDTs of 3 s:
/// the third waits for the first. Another, which waits for the scope, ran as a kernel of `kernel` seconds, and a last
/// one of 1 s waits for that.
fn of_two_grains(kernel: u64) -> RecordedRun {
    let second =
        |template, place, begin: u64, end: u64| edt(template, place, begin * 1_000_000_000, end * 1_000_000_000);
    let mut edts = vec![
        second(0, 0, 0, 1),
        second(1, 0, 1, 4),
        second(1, 0, 1, 4),
        second(1, 0, 4, 7),
        second(0, 1, 7, 7 + kernel),
        second(2, 0, 7 + kernel, 8 + kernel),
    ];
    (edts[0].finish, edts[4].finish) = (true, true);
    edts[1..4].iter_mut().for_each(|inner| inner.parent = 0);
    let created = (1..4).map(|to| Edge { from: 0, to, at: 500_000_000 });
    let by_end = [(1, 3), (3, 4), (4, 5)].map(|(from, to)| Edge { from, to, at: NEVER });
    RecordedRun {
        templates: vec![template("block", 0b11), template("tile", 1), template("last", 1)],
        edges: created.chain(by_end).collect(),
        edts,
        ..run()
    }
}

#[test]
fn a_score_knows_that_a_kernel_stands_for_a_function_and_its_scope() {
    let score = |kernel| of_two_grains(kernel).score().expect("a score");
    // The scope takes 10 s of two workers, and lasts 0.5 + 3 + 3 s at least, as its chain does. As kernels both take
    // 2 s each.
    let quick = score(2);
    assert!((quick.critical_path - 5.0).abs() < 1e-6, "{quick:?}");
    assert_eq!((quick.edts, quick.unknown), (6, 0));
    // One and a half of both as kernels take 3 s, and two workers as long for the other half and the last one.
    assert!((quick.area - 3.0).abs() < 1e-6, "{quick:?}");
    assert!(quick.mixed >= 5.0 - 1e-6 && quick.mixed <= quick.seconds, "{quick:?}");
    // A slow kernel is taken to be a scope like the other one, which has a chain of 6.5 s.
    let slow = score(20);
    assert!((slow.critical_path - 14.0).abs() < 1e-6, "{slow:?}");
    // Where no kernel of the template ran, each EDT of the scope counts: 6.5 s, and 1 s for each of the others.
    let mut run = of_two_grains(2);
    run.edts[4].template = 2;
    run.templates[2].places = 0b11;
    let path = run.score().expect("a score").critical_path;
    assert!((path - 8.5).abs() < 1e-6, "{path}");
}

#[test]
fn what_a_function_would_have_created_is_like_what_another_has() {
    let mut run = of_two_grains(2);
    run.block_bytes = vec![8, 16, 8, 4];
    let uses = [(0, 0), (0, 1), (2, 1), (2, 3), (4, 2), (4, 0)];
    run.uses = uses.map(|(edt, block)| RecordedUse { edt, block, writes: edt == 2 }).into();
    let supposed = run.supposed().expect("a kernel ran");
    assert_eq!(supposed.like, [1, 2, 3]);
    let parents: Vec<u32> = supposed.run.edts[6..].iter().map(|edt| edt.parent).collect();
    assert_eq!(parents, [4, 4, 4]);
    // The function had created them after a half of its time; so it does with the kernel's. Blocks are its own.
    let edge = |from, to, at| Edge { from, to, at };
    let created = (6..9).map(|to| edge(4, to, 8_000_000_000));
    let mut edges: Vec<Edge> = created.chain([edge(6, 8, NEVER)]).collect();
    let mut made = supposed.run.edges[run.edges.len()..].to_vec();
    let key = |edge: &Edge| (edge.to, edge.from);
    edges.sort_by_key(key);
    made.sort_by_key(key);
    assert_eq!(made, edges);
    assert_eq!(
        supposed.run.uses[6..],
        [(7, 0, true), (7, 3, true)].map(|(edt, block, writes)| RecordedUse { edt, block, writes })
    );
    // What has not ended is no example.
    run.edts[2].end = NEVER;
    assert!(run.supposed().is_none());
}

#[test]
fn what_an_edt_has_done_in_its_body_counts_in_part() {
    let mut run = run();
    run.edges = vec![Edge { from: 0, to: 2, at: NEVER }];
    // The first takes 1 s on the device.
    let path = |run: &RecordedRun| run.score().expect("a score").critical_path;
    assert!((path(&run) - 4.0).abs() < 1e-6);
    // The dependence was satisfied after a quarter of the first EDT's time.
    run.edges[0].at = 1_000_000_000;
    assert!((path(&run) - 3.25).abs() < 1e-6);
    // One that goes on has no time, and says nothing.
    run.edts[0].end = NEVER;
    assert!((path(&run) - 3.0).abs() < 1e-6);
}

#[test]
fn a_check_finds_what_cannot_be() {
    let good = run();
    let found = good.check();
    assert!(found.wrong.is_empty() && found.cut.is_empty(), "{found:?}");
    let wrong = |change: &dyn Fn(&mut RecordedRun)| {
        let mut run = run();
        change(&mut run);
        run.check().wrong.join("; ")
    };
    for (change, what) in [
        (
            &(|run: &mut RecordedRun| run.edts[2].runnable = 5_000_000_000) as &dyn Fn(&mut RecordedRun),
            "begins before it is runnable",
        ),
        (&|run| run.edts[2].end = 3, "ends before it begins"),
        (&|run| run.edts[0].created = 9_000_000, "runnable before it is created"),
        (&|run| run.edts[0].created = NEVER, "never created"),
        (&|run| run.edts[0].satisfied = 1, "more pre-slots satisfied"),
        (&|run| run.edts[0].depc = 1, "pre-slots that are not satisfied"),
        (&|run| run.edts[0].runnable = NEVER, "was never runnable"),
    ] {
        let said = wrong(change);
        assert!(said.contains(what), "no `{what}` in {said}");
    }
    // If a recording is cut off, less can be said of it.
    let said = wrong(&|run| {
        run.lost = 1;
        run.edts[0].created = NEVER;
        run.edts[0].depc = 1;
    });
    assert_eq!(said, "");
}

#[test]
fn what_is_made_of_a_part_of_a_run_says_so() {
    let whole = run();
    assert!(!whole.summary().contains("part"), "{}", whole.summary());
    assert!(!whole.score().expect("a score").partial);
    for change in [
        &(|run: &mut RecordedRun| run.lost = 1) as &dyn Fn(&mut RecordedRun),
        &|run| run.cut = vec!["the file is cut off".into()],
        &|run| run.wrong = vec!["a record is damaged".into()],
    ] {
        let mut run = run();
        change(&mut run);
        // The last EDT may have begun, and no thread has recorded it.
        run.edts[2].begin = NEVER;
        run.edts[2].end = NEVER;
        let found = run.check();
        assert!(found.left.is_empty(), "{found:?}");
        let told = found.cut.iter().any(|cut| cut.contains("cannot be told"));
        assert!(told, "{found:?}");
        let score = run.score().expect("a score");
        assert!(score.text().starts_with("of the part of the run"));
        assert!(run.summary().contains(&format!("partial   {}\n", run.gaps()[0])));
    }
}

#[test]
fn what_is_left_of_a_run_that_has_ended_is_no_fault() {
    let mut run = run();
    run.edts[2].begin = NEVER;
    run.edts[2].end = NEVER;
    let found = run.check();
    assert!(found.cut.is_empty() && found.left[0].contains("runnable and not begun"), "{found:?}");
    run.status = None;
    run.process = u32::MAX;
    let found = run.check();
    assert!(found.left.is_empty(), "{found:?}");
    assert!(found.cut[0].contains("the process was killed, crashed, or ended by _exit"), "{found:?}");
    assert!(found.cut[1].contains("(one)"), "{found:?}");
}
