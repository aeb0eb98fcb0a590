use super::*;
use crate::diagnosis::RuleId;
use crate::recorded::{
    Edge, Grant, NEVER, RecordedDevice, RecordedDuplicate, RecordedEdt, RecordedEstimate, RecordedTemplate,
    RecordedUse, Transfer,
};
use ocr_place::policy::{Certainty, Expected, Why};

/// An EDT that could begin at once, and ran for some microseconds.
fn edt(template: u32, place: u8, lane: u32, begin: u64, end: u64) -> RecordedEdt {
    RecordedEdt {
        guid: 0,
        template,
        created: 0,
        runnable: 0,
        begin: begin * 1000,
        end: end * 1000,
        place,
        lane,
        ..RecordedEdt::default()
    }
}

const HOST: u64 = 0b01;
const DEVICE: u64 = 0b10;

/// A run of templates that can run in these places, on `workers` workers, and on a device if there are kernels.
fn run(workers: usize, policy: &str, templates: &[(&str, u64)], edts: Vec<RecordedEdt>) -> RecordedRun {
    let workers = workers.to_string();
    let about = [("workers", workers.as_str()), ("sched", policy)];
    let has_kernels = templates.iter().any(|(_, places)| places & DEVICE != 0);
    let device = RecordedDevice { name: "the device".into(), ..RecordedDevice::default() };
    let mut run = RecordedRun {
        about: about.map(|(name, value)| (name.to_string(), value.to_string())).into(),
        status: Some(0),
        templates: templates.iter().map(|&(name, places)| RecordedTemplate { name: name.into(), places }).collect(),
        edts,
        devices: has_kernels.then_some((1, device)).into_iter().collect(),
        ..RecordedRun::default()
    };
    for (number, edt) in run.edts.iter_mut().enumerate() {
        edt.guid = 0x100 + number as u64;
    }
    run
}

fn whole(run: &RecordedRun) -> Whole {
    Explained::new(run).expect("it has EDTs").whole(10)
}

/// Microseconds that are saved at most, by each rule about decisions that says something.
fn rules(run: &RecordedRun) -> Vec<(RuleId, Option<u64>)> {
    let whole = whole(run);
    let advice = whole.findings.iter();
    advice
        .filter(|advice| advice.rule >= RuleId::MissingVariant)
        .map(|advice| (advice.rule, advice.saves_ns.map(|ns| ns / 1000)))
        .collect()
}

fn says(run: &RecordedRun, rule: RuleId, figures: &[&str]) {
    let whole = whole(run);
    let advice = whole.findings.iter().find(|advice| advice.rule == rule);
    let its = advice.expect("it is said");
    let text = format!("{} {}", its.text, its.advice);
    for figure in figures {
        assert!(text.contains(figure), "no `{figure}` in {text}");
    }
}

/// EDTs one after the other on a unit.
fn row(template: u32, place: u8, lane: u32, count: u64, us: u64) -> Vec<RecordedEdt> {
    (0..count).map(|at| edt(template, place, lane, at * us, (at + 1) * us)).collect()
}

fn by_end(from: u32, to: u32) -> Edge {
    Edge { from, to, at: NEVER }
}

#[test]
fn a_device_that_is_too_slow() {
    let mut edts = row(0, 0, 0, 5, 100);
    edts.extend(row(0, 1, 0, 5, 1000));
    let run = run(1, "static:1:1", &[("both", HOST | DEVICE)], edts);
    // A rule that names the cause stands for the advice of another policy.
    assert_eq!(rules(&run), []);
    // The device has a tenth of the speed: 5 ms in place of 10 / 11.
    let share = RuleId::Share;
    says(&run, share, &["the device was too slow", "5 of 10 EDTs", "OCR_SCHED=eft"]);
    let whole = whole(&run);
    let advice = whole.findings.iter().find(|advice| advice.rule == share);
    assert_eq!(advice.expect("it is said").saves_ns, Some(4_090_909));
    assert_eq!(whole.findings[0].rule, share, "what saves most comes first");
    let text = serde_json::to_string(&share).expect("JSON");
    assert_eq!(text, "\"share\"");
    // The fourth on the device ended at 4 ms; the worker was free at 0.5 ms.
    assert_eq!((whole.with_choice, whole.costly, whole.causes.len()), (10, 5, 1));
    let most = &whole.decisions[0];
    assert_eq!(
        (most.name.as_str(), most.place.as_str(), most.better.as_str()),
        ("EDT 0x109 (both)", "the device", "workers")
    );
    assert_eq!((most.better_end_ns, most.cost_ns), (600_000, 4_400_000));
    assert_eq!(most.cause, DecisionCause::NoEstimate);
}

/// Four workers, of which two had something to do, and a finish EDT that ran as a function of 10 us: it has created
/// four EDTs of 100 us. EDTs of its template followed one after the other as kernels of 3 ms.
#[test]
fn a_function_with_its_scope_is_compared_with_a_kernel() {
    let mut edts = vec![edt(0, 0, 0, 0, 10)];
    edts.extend((0..4).map(|at| edt(1, 0, at % 2, 10 + at as u64 / 2 * 100, 110 + at as u64 / 2 * 100)));
    edts.extend((0..20).map(|at| edt(0, 1, 0, 210 + at * 3_000, 3_210 + at * 3_000)));
    for edt in &mut edts {
        edt.finish = edt.template == 0;
        edt.parent = if edt.template == 1 { 0 } else { u32::MAX };
        edt.runnable = edt.begin;
    }
    let mut run = run(4, "eft", &[("block", HOST | DEVICE), ("tile", HOST)], edts);
    let expected = Expected { queue_ns: 0, copy_ns: 0, run_ns: Some(210_000) };
    let (certainty, why) = (Certainty::Measured, Why::Planned);
    run.estimates = vec![RecordedEstimate {
        edt: 0,
        at: 0,
        place: 0,
        expected,
        certainty,
        factor: 1.0,
        why,
        is_chosen: true,
        is_first: true,
    }];
    let whole = whole(&run);
    // Each kernel would have been 210 us of the workers, until the scope had closed.
    assert_eq!((whole.costly, whole.decisions[0].cost_ns), (20, 2_790_000));
    let explained = Explained::new(&run).expect("it has EDTs");
    let ground = &explained.0;
    assert_eq!((ground.took(0), ground.ended(0), ground.time_at(5, 0)), (Some(210_000), 210_000, Some(210_000)));
    let predicted = crate::diagnosis::predictions(ground, &[0]).expect("it was expected");
    assert_eq!((predicted.count, predicted.median_error), (1, 0.0));
    // As functions they would need all four workers for 210 us each, so the device is worth its share.
    let said: Vec<RuleId> = whole.findings.iter().map(|finding| finding.rule).collect();
    assert!(!said.contains(&RuleId::SlowKernel), "{said:?}");
}

/// Two workers, and a chain of EDTs on each.
#[test]
fn a_run_in_which_nothing_is_to_be_improved() {
    let edts = (0..2).flat_map(|lane| row(0, 0, lane, 10, 100)).collect();
    let mut run = run(2, "eft", &[("tile", HOST)], edts);
    run.edges = (0..20).filter(|edt| edt % 10 != 9).map(|edt| by_end(edt, edt + 1)).collect();
    assert_eq!(rules(&run), []);
    says(&run, RuleId::NearTheBound, &["saves more than 0 %"]);
    assert_eq!((whole(&run).with_choice, whole(&run).costly), (0, 0));
}

#[test]
fn a_variant_that_is_missing() {
    let mut edts = row(0, 0, 0, 10, 100);
    edts.extend(row(1, 1, 0, 2, 100));
    let run = run(1, "eft", &[("host", HOST), ("kernel", DEVICE)], edts);
    assert_eq!(rules(&run), [(RuleId::MissingVariant, Some(800))]);
    says(
        &run,
        RuleId::MissingVariant,
        &["Template host runs on workers only", "takes 100 %", "busy for 20 %", "a kernel for the device"],
    );
}

#[test]
fn blocks_that_others_have() {
    let mut edts = row(0, 0, 0, 5, 100);
    edts.push(edt(0, 0, 1, 500, 600));
    edts[5].granted = 500_000;
    let mut run = run(2, "eft", &[("tile", HOST)], edts);
    run.grants.push(Grant { edt: 5, block: 0x9000, at: 500_000 });
    assert!(rules(&run).contains(&(RuleId::BlocksHeld, Some(300))), "{:?}", rules(&run));
    says(&run, RuleId::BlocksHeld, &["chain of 1 EDT", "500 us (83 % of the run)"]);
    let view = Explained::new(&run).expect("EDTs").edt(5);
    assert_eq!(view.waited_for[0].waited_ns, 500_000);
    assert_eq!(view.waited_for[0].block, "0x9000");
}

#[test]
fn functions_that_ran_beside_kernels() {
    use ocr_trace::format::DuplicateStep::{Ends, EndsInVain, IsLeft};
    let mut run = run(1, "eft", &[("tile", HOST | DEVICE)], row(0, 0, 0, 4, 100));
    let cases = [(Some(Ends), 90_000), (Some(EndsInVain), NEVER), (Some(IsLeft), NEVER), (None, NEVER)];
    for (edt, (how, outrun)) in (0..).zip(cases) {
        let end = if how.is_some() { 90_000 } else { NEVER };
        let (place, thread, kernel_end) = (1, 0, NEVER);
        run.duplicates.push(RecordedDuplicate { edt, place, thread, begin: 50_000, end, how, outrun, kernel_end });
    }
    let explained = Explained::new(&run).expect("EDTs");
    let of = |edt| explained.edt(edt).duplicates;
    for (edt, what) in
        (0..).zip(["counts: the kernel went on in vain", "in vain, since", "only the kernel", "did not end"])
    {
        let [duplicate] = &of(edt)[..] else { panic!("one each") };
        assert!(duplicate.what.contains(what), "{duplicate:?}");
        assert_eq!((duplicate.begin_ns, duplicate.kernel_end_ns), (50_000, None));
        assert_eq!(duplicate.end_ns, (edt != 3).then_some(90_000));
    }
}

/// What the policy expects at `at`, in microseconds: in queues, for copies, and for the run, on the host and the
/// device.
fn expects(run: &mut RecordedRun, edt: u32, at: u64, chosen: u8, parts: [[u64; 3]; 2]) {
    for (place, [queue, copies, ns]) in (0..).zip(parts) {
        run.estimates.push(RecordedEstimate {
            edt,
            at: at * 1000,
            place,
            expected: Expected { queue_ns: queue * 1000, copy_ns: copies * 1000, run_ns: Some(ns * 1000) },
            certainty: Certainty::Measured,
            factor: 1.0,
            why: Why::Planned,
            is_chosen: place == chosen,
            is_first: place == 0,
        });
    }
}

/// Ten EDTs on the worker, of 1 ms in place of 0.1 ms, and ten on the device of 150 us, as predicted.
fn badly_predicted() -> RecordedRun {
    let mut edts = row(0, 0, 0, 10, 1000);
    edts.extend(row(0, 1, 0, 10, 150));
    let mut run = run(1, "eft", &[("both", HOST | DEVICE)], edts);
    for number in 0..20 {
        let edt = &run.edts[number as usize];
        let (at, chosen) = (edt.begin / 1000, edt.place);
        expects(&mut run, number, at, chosen, [[0, 0, 100], [0, 0, 150]]);
    }
    run
}

#[test]
fn a_model_that_was_wrong() {
    let mut run = badly_predicted();
    let whole = whole(&run);
    assert_eq!(whole.causes.len(), 1, "{:?}", whole.causes);
    assert_eq!(whole.causes[0].cause, DecisionCause::Model);
    // The first could have had the device after one of 150 us, where the later ones were decided after it.
    assert_eq!(whole.causes[0].count, 10);
    let found = rules(&run);
    assert_eq!(found.len(), 1, "{found:?}");
    says(
        &run,
        RuleId::WrongModel,
        &["template both on workers", "predicted 100 us, measured 1.00 ms", "10 EDTs", "90 %", "models remove"],
    );
    // Guesses are no model: what the policy did not know is reported.
    for estimate in &mut run.estimates {
        estimate.certainty = Certainty::Guessed;
    }
    run.about.insert("models".into(), "off".into());
    assert_eq!(rules(&run)[0].0, RuleId::UnknownTimes);
    says(&run, RuleId::UnknownTimes, &["10 EDTs", "OCR_MODELS=off"]);
}

#[test]
fn a_template_is_told_by_place() {
    let run = badly_predicted();
    let view = Explained::new(&run).expect("EDTs").template(0);
    let [host, device] = &view.places[..] else {
        panic!("two places");
    };
    assert_eq!((view.created, host.edts, device.edts), (20, 10, 10));
    assert_eq!(host.measured_ns, Some([1_000_000; 3]));
    let predicted = host.predictions.as_ref().expect("predictions");
    assert_eq!((predicted.count, predicted.predicted_ns, predicted.errors), (10, 100_000, [0, 0, 0, 10]));
    assert_eq!(predicted.median_error, 0.9);
    let good = device.predictions.as_ref().expect("predictions");
    assert_eq!((good.median_error, good.errors), (0.0, [10, 0, 0, 0]));
    assert_eq!(host.ns_per_byte, None);
}

/// An EDT is decided at 100 us: the worker should be free in 50 us and take 100, the device be free at once, copy 30
/// and take 200. In truth the worker, where it goes, is free in 400 us.
fn queued() -> RecordedRun {
    let edts = vec![edt(1, 0, 0, 0, 500), edt(0, 0, 0, 500, 600), edt(0, 1, 0, 600, 800)];
    let templates = [("both", HOST | DEVICE), ("host", HOST)];
    let mut run = run(1, "eft", &templates, edts);
    run.edts[2].runnable = 600_000;
    expects(&mut run, 1, 100, 0, [[50, 0, 100], [0, 30, 200]]);
    expects(&mut run, 2, 600, 1, [[300, 0, 100], [0, 0, 200]]);
    run
}

#[test]
fn an_edt_is_told_with_what_was_expected_and_what_came_true() {
    let mut run = queued();
    run.labels.insert(0x101, "here".into());
    run.edges = vec![Edge { from: 0, to: 1, at: 90_000 }];
    run.edts[1].runnable = 95_000;
    let view = Explained::new(&run).expect("EDTs").edt(1);
    assert_eq!(view.name, "EDT 0x101 (both) labelled \"here\"");
    let after = view.after.as_ref().expect("a predecessor");
    assert_eq!((after.by_its_end, after.at_ns), (false, 90_000));
    let choice = &view.choices[0];
    assert_eq!((choice.at_ns, choice.chosen.as_deref()), (100_000, Some("workers")));
    let ends: Vec<_> = choice.considered.iter().map(|place| place.end_ns).collect();
    // Copies delay the end, and a fifth of them counts against moving.
    assert_eq!(ends, [Some(150_000), Some(236_000)]);
    let truth = view.truth.as_ref().expect("it ran");
    assert_eq!((truth.queue_ns, truth.wait_ns), (Some(400_000), 400_000));
    assert_eq!((truth.copies_ns, truth.run_ns), (None, 100_000));
    let places: Vec<_> = (view.places.iter()).map(|place| (place.free_ns, place.run_ns, place.end_ns)).collect();
    let us = |at: u64| Some(at * 1000);
    assert_eq!(places, [(us(500), us(100), us(600)), (us(100), us(200), us(330))]);
    let better = view.better.as_ref().expect("another place was better");
    assert_eq!((better.place.as_str(), better.cost_ns), ("the device", 270_000));
    assert_eq!(better.cause, DecisionCause::Queue);
    // The other one ended in the better place: the worker would have been free, but it is not known that it was so.
    let other = Explained::new(&run).expect("EDTs").edt(2);
    assert_eq!(other.truth.expect("it ran").queue_ns, Some(0));
    assert_eq!(other.better.expect("the worker was free").cause, DecisionCause::Queue);
}

#[test]
fn the_bounds_of_a_guess_are_told() {
    let mut run = queued();
    run.estimates.retain(|estimate| estimate.edt == 1);
    run.estimates[1].certainty = Certainty::Guessed;
    run.estimates[1].expected.run_ns = Some(2_000);
    run.estimates[1].factor = 20.0;
    let view = Explained::new(&run).expect("EDTs").edt(1);
    let bounds: Vec<_> = view.choices[0].considered.iter().map(|place| place.bounds_ns).collect();
    assert_eq!(bounds, [None, Some([100, 40_000])]);
}

/// What is said of a decision depends on whether the EDT's time was known in each place.
#[test]
fn what_scatters_is_not_said_to_be_unknown() {
    let said = |why: Why, certainty: Certainty| {
        let mut run = queued();
        run.estimates.retain(|estimate| estimate.edt == 1);
        run.estimates.iter_mut().for_each(|estimate| estimate.why = why);
        run.estimates[1].certainty = certainty;
        let view = Explained::new(&run).expect("EDTs").edt(1);
        view.choices[0].why
    };
    for (why, known, unknown) in [
        (Why::Open, "its times scatter", "its time was not known everywhere"),
        (Why::Tried, "as good as the best", "to find out its time"),
    ] {
        for (certainty, is_known) in [
            (Certainty::Measured, true),
            (Certainty::Derived, true),
            (Certainty::Guessed, false),
            (Certainty::Unknown, false),
        ] {
            let said = said(why, certainty);
            assert_eq!([said.contains(known), said.contains(unknown)], [is_known, !is_known], "{certainty:?}: {said}");
        }
    }
}

#[test]
fn an_edt_that_goes_before_earlier_ones_has_waited_no_longer_than_until_it_began() {
    let mut run = queued();
    // The worker has another EDT, which was decided before, and which lets it go first.
    run.edts[0].end = 150_000;
    run.edts[1].begin = 150_000;
    run.edts[1].end = 250_000;
    run.edts.push(edt(1, 0, 0, 250, 900));
    run.edts[3].runnable = 50_000;
    let view = Explained::new(&run).expect("EDTs").edt(1);
    let truth = view.truth.expect("it ran");
    assert_eq!((truth.queue_ns, truth.wait_ns), (Some(50_000), 50_000));
    assert_eq!(view.places[0].free_ns, Some(150_000));
}

#[test]
fn each_cause_is_told() {
    // Copies: the device was to have the block in 10 us, and had it in 300.
    let edts = vec![edt(0, 1, 0, 300, 400), edt(0, 0, 0, 0, 150)];
    let mut run = run(1, "eft", &[("both", HOST | DEVICE)], edts);
    expects(&mut run, 0, 0, 1, [[150, 0, 150], [0, 10, 100]]);
    run.uses.push(RecordedUse { edt: 0, block: 0, writes: false });
    run.block_guids.push(0x9000);
    run.block_bytes.push(64);
    let copy = Transfer { place: 1, to_device: true, block: 0x9000, bytes: 64, begin: 0, end: 300_000 };
    run.copies.push(copy);
    let cause = |run: &RecordedRun| Explained::new(run).expect("EDTs").edt(0).better.map(|it| it.cause);
    assert_eq!(cause(&run), Some(DecisionCause::Copies));
    // Nothing was copied: it was held up.
    run.copies.clear();
    assert_eq!(cause(&run), Some(DecisionCause::Other));
    // A device had it since the beginning.
    run.edts[0].launched = 10_000;
    assert_eq!(cause(&run), Some(DecisionCause::Launch));
    // One that was decided later began before it.
    run.edts.push(edt(0, 1, 0, 250, 260));
    run.edts[2].runnable = 240_000;
    assert_eq!(cause(&run), Some(DecisionCause::Passed));
    run.edts[2].begin = 300_000;
    run.edts[2].end = 310_000;
    assert_eq!(cause(&run), Some(DecisionCause::Launch));
    run.edts.pop();
    // The EDT got its last block shortly before it began.
    run.edts[0].granted = 290_000;
    assert_eq!(cause(&run), Some(DecisionCause::Blocks));
    run.estimates[0].certainty = Certainty::Unknown;
    run.estimates[0].expected.run_ns = None;
    assert_eq!(cause(&run), Some(DecisionCause::Unknown));
    run.estimates.clear();
    assert_eq!(cause(&run), Some(DecisionCause::NoEstimate));
    // What is within the error of the clocks is no cost.
    run.edts[0].begin = 200_000;
    run.edts[0].end = 300_000;
    assert_eq!(cause(&run), None);
}

#[test]
fn what_is_meant_is_found_and_near_names_are_told() {
    let mut run = badly_predicted();
    run.labels.insert(0x103, "corner".into());
    let edt = |number| Ok(Subject::Edt(number));
    assert_eq!(find(&run, "0x103"), edt(3));
    assert_eq!(find(&run, "corner"), edt(3));
    assert_eq!(find(&run, "both"), Ok(Subject::Templates(vec![0])));
    assert_eq!(find(&run, "both#1"), edt(0));
    assert_eq!(find(&run, "both#20"), edt(19));
    run.blocks.insert(0x9000, 64);
    for (word, why) in [
        ("both#0", "both has 20 EDTs, from both#1 to both#20"),
        ("both#21", "there is no both#21"),
        ("bohts", "there is \"both\""),
        ("Corne", "there is \"corner\""),
        ("zzzzzz", "`ocr trace show` lists the templates"),
        ("0xfff", "no EDT 0xfff; its first EDT is 0x100 (both)"),
        ("0x9000", "0x9000 is a data block"),
        ("0xg", "0xg is no GUID"),
    ] {
        let error = find(&run, word).expect_err(word);
        assert!(error.contains(why), "{word}: {error}");
    }
}

/// What is damaged or unfinished is reported without a panic.
#[test]
fn an_edt_that_has_not_ended_is_told() {
    let mut run = queued();
    run.edts.push(edt(0, 255, u32::MAX, 0, 0));
    run.edts[3].guid = 0x103;
    (run.edts[3].begin, run.edts[3].end) = (NEVER, NEVER);
    run.edts[3].runnable = NEVER;
    let view = Explained::new(&run).expect("EDTs").edt(3);
    assert_eq!((view.truth, view.better, view.runnable_ns), (None, None, None));
    assert_eq!(view.places[0].end_ns, None);
    run.edts.drain(..3);
    run.estimates.clear();
    assert!(Explained::new(&run).is_none());
}
