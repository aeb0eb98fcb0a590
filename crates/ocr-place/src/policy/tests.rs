use super::*;
use crate::model::{RunTimes, Shape};
use crate::place::Place;
use std::cell::{Cell, RefCell};

/// A machine with workers that are free, and a device that has lately run a given number of kernels at once.
struct Wide {
    workers: usize,
    at_once: usize,
    /// Nanoseconds of a clock that a test sets.
    now: Cell<u64>,
}

impl Machine for Wide {
    fn device_load(&self, _: Place) -> usize {
        0
    }
    fn at_once(&self, _: Place) -> usize {
        self.at_once
    }
    fn devices(&self) -> usize {
        1
    }
    fn workers(&self) -> usize {
        self.workers
    }
    fn idle_workers(&self) -> usize {
        self.workers
    }
    fn pending(&self, most: usize) -> usize {
        most
    }
    fn now_ns(&self) -> u64 {
        self.now.get()
    }
    fn offer_to_workers(&self, _: bool) {}
}

/// An EDT that the host and a device may run.
fn kept(edt: usize, times: &'static RunTimes) -> KeptEdt {
    let candidate = |place| Candidate { place, copy_ns: 0, behind: None };
    KeptEdt {
        edt,
        priority: 0,
        times,
        shape: 64.into(),
        frees_worker: false,
        is_spread: false,
        candidates: [Place::HOST, DEVICES[0]].map(candidate).into_iter().collect(),
    }
}

/// A kernel keeps the device for 270 us, since sixteen run at once, and takes 4.3 ms; the function takes 440 us.
fn wide(count: usize) -> Vec<usize> {
    static TIMES: std::sync::LazyLock<RunTimes> = std::sync::LazyLock::new(|| {
        let times = RunTimes::default();
        times.sample(0, 64, 440_000, true);
        times.sample(1, 64, 270_000, true);
        times.sample_latency(1, 64, 4_300_000, true);
        times.sample_latency(1, 64, 1_200_000, false);
        times
    });
    let policy = parse("eft").expect("a policy");
    let keeper = policy.keeper().expect("it keeps EDTs");
    let machine = Wide { workers: 16, at_once: 16, now: Cell::new(0) };
    for edt in 0..count {
        keeper.keep(kept(edt, &TIMES), &machine);
    }
    std::iter::from_fn(|| keeper.take(DEVICES[0], &machine).edt).collect()
}

/// Where a worker is free, an EDT that others may wait for does not go to a device that ends it ten times as late,
/// however many that has done by then.
#[test]
fn a_device_that_runs_many_at_once_is_not_taken_for_a_fast_one() {
    assert!(wide(16).is_empty());
}

/// Where many wait, it is given as many as it runs at once, and some that follow.
#[test]
fn a_device_that_runs_many_at_once_is_given_as_many() {
    let given = wide(2000).len();
    assert!((16..=64).contains(&given), "{given}");
}

struct Loads([usize; 2]);

impl Machine for Loads {
    fn device_load(&self, device: Place) -> usize {
        self.0[device.device_index().expect("a device")]
    }
    fn devices(&self) -> usize {
        self.0.len()
    }
    fn workers(&self) -> usize {
        1
    }
    fn idle_workers(&self) -> usize {
        1
    }
    fn pending(&self, most: usize) -> usize {
        most
    }
    fn now_ns(&self) -> u64 {
        0
    }
    fn offer_to_workers(&self, _: bool) {}
}

/// Bytes of the host, and of two devices.
struct Bytes([u64; 3]);

impl BlockPlaces for Bytes {
    fn shape(&self) -> Shape {
        64.into()
    }
    fn bytes_at(&self, place: Place) -> u64 {
        self.0[place.number()]
    }
}

const DEVICES: [Place; 2] = [Place::device(0), Place::device(1)];

fn choose_with(policy: &str, function: bool, bytes: [u64; 3], times: usize) -> Vec<Choice> {
    let policy = parse(policy).expect("a policy");
    let choices = Choices {
        edt: 7,
        function,
        devices: &DEVICES,
        blocks: &Bytes(bytes),
        times: &RunTimes::default(),
        is_spread: false,
    };
    (0..times).map(|_| policy.choose(&choices, &Loads([3, 1]))).collect()
}

fn choose(policy: &str, function: bool, times: usize) -> Vec<Choice> {
    choose_with(policy, function, [64, 0, 0], times)
}

#[test]
fn static_takes_turns() {
    let (cpu, device) = (Choice::At(Place::HOST), Choice::At(DEVICES[1]));
    assert_eq!(choose("static:1:2", true, 6), [cpu, device, device, cpu, device, device]);
    assert_eq!(choose("static:1:2", false, 2), [device, device]);
    let uses_devices = |policy| parse(policy).expect("a policy").uses_devices();
    assert!(uses_devices("static:1:2") && uses_devices("eager"));
    assert!(!uses_devices("static:1:0") && !uses_devices("cpu"));
}

#[test]
fn cpu_and_device_do_as_they_are_called() {
    assert_eq!(choose("cpu", true, 1), [Choice::At(Place::HOST)]);
    assert_eq!(choose("cpu", false, 1), [Choice::At(DEVICES[1])]);
    assert_eq!(choose("device", true, 1), [Choice::At(DEVICES[1])]);
    assert_eq!(choose("eager", true, 1), [Choice::FirstFree]);
}

/// Where placing an EDT would take longer than running it, it runs at once.
#[test]
fn eft_does_not_keep_what_is_shorter_than_placing_it() {
    let policy = parse("eft").expect("a policy");
    let times = RunTimes::default();
    let choose = || {
        let choices = Choices {
            edt: 7,
            function: true,
            devices: &DEVICES[..1],
            blocks: &Bytes([64, 0, 0]),
            times: &times,
            is_spread: false,
        };
        policy.choose(&choices, &Loads([0, 0]))
    };
    assert_eq!(choose(), Choice::Kept, "nothing is known");
    times.sample(0, 64, 300, false);
    assert_eq!(choose(), Choice::Kept, "the device is not known");
    times.sample(1, 64, 5_000, false);
    assert_eq!(choose(), Choice::At(Place::HOST));
    for _ in 0..11 {
        times.sample(0, 64, 50_000, false);
    }
    assert_eq!(choose(), Choice::Kept);
}

#[test]
fn locality_goes_where_the_bytes_are() {
    let at = |bytes| choose_with("locality", true, bytes, 1)[0];
    assert_eq!(at([64, 0, 0]), Choice::At(Place::HOST));
    assert_eq!(at([0, 64, 0]), Choice::At(DEVICES[0]));
    assert_eq!(at([0, 64, 64]), Choice::At(DEVICES[1]), "the one with less to do");
    assert_eq!(at([64, 64, 64]), Choice::FirstFree, "all the same");
    assert_eq!(choose_with("locality", false, [64, 0, 0], 1), [Choice::At(DEVICES[1])]);
}

#[test]
fn random_is_a_sequence_that_its_seed_repeats() {
    let first = choose("random:1", true, 300);
    assert_eq!(first, choose("random:1", true, 300));
    assert_ne!(first, choose("random:2", true, 300));
    for place in [Place::HOST, DEVICES[0], DEVICES[1]] {
        let times = first.iter().filter(|&&choice| choice == Choice::At(place)).count();
        assert!((60..=140).contains(&times), "{place}: {times} of 300");
    }
    assert!(!choose("random:1", false, 100).contains(&Choice::At(Place::HOST)));
}

#[test]
fn wrong_names_and_numbers_are_refused_with_the_right_ones() {
    let refused = |wrong: &str| parse(wrong).map(|_| ()).unwrap_err();
    for wrong in ["", "Cpu", "fast:1"] {
        let message = refused(wrong);
        for entry in POLICIES {
            assert!(message.contains(entry.usage), "{message}");
        }
    }
    for (wrong, says) in [
        ("static", "static needs two numbers, as static:1:1"),
        ("static:1", "static needs two numbers, as static:1:1"),
        ("static:a:b", "static needs two numbers, as static:1:1"),
        ("static:0:0", "static needs other numbers, as static:1:1; static:C:D means: C EDTs to the"),
        ("random", "random needs a number, as random:1"),
        ("random:x", "random needs a number, as random:1"),
        ("cpu:1", "cpu takes no numbers"),
        ("eft:1", "eft takes no numbers"),
    ] {
        let message = refused(wrong);
        assert!(message.starts_with(&format!("\"{wrong}\" is no policy: {says}")), "{message}");
    }
}

/// What `docs/guide/src/placement.md` shows: a policy in a few lines. It is given an entry here, since it is of no use.
#[test]
fn a_policy_is_added_by_an_entry() {
    struct Last;
    impl Policy for Last {
        fn choose(&self, choices: &Choices<'_>, _: &dyn Machine) -> Choice {
            Choice::At(choices.places().last().unwrap_or(Place::HOST))
        }
    }
    let entry = PolicyEntry {
        name: "last",
        usage: "last",
        what: "the last place",
        make: |args| args.is_empty().then(|| Box::new(Last) as _),
    };
    let policy = (entry.make)(&[]).expect("no arguments");
    let choices = Choices {
        edt: 7,
        function: true,
        devices: &DEVICES,
        blocks: &Bytes([0; 3]),
        times: &RunTimes::default(),
        is_spread: false,
    };
    assert_eq!(policy.choose(&choices, &Loads([0, 0])), Choice::At(DEVICES[1]));
    assert!((entry.make)(&[1]).is_none());
}

/// A machine on which one worker is in an EDT, and that notes what workers are offered last.
struct Offered(Cell<bool>);

impl Machine for Offered {
    fn device_load(&self, _: Place) -> usize {
        0
    }
    fn devices(&self) -> usize {
        1
    }
    fn workers(&self) -> usize {
        1
    }
    fn idle_workers(&self) -> usize {
        0
    }
    fn pending(&self, most: usize) -> usize {
        most
    }
    fn now_ns(&self) -> u64 {
        0
    }
    fn offer_to_workers(&self, offers: bool) {
        self.0.set(offers);
    }
}

/// A worker asks as long as it is offered something: where a device has taken the last EDT, the offer to the worker
/// that comes too late must be withdrawn, or it would ask indefinitely.
#[test]
fn a_worker_that_gets_nothing_is_offered_nothing() {
    static TIMES: std::sync::LazyLock<RunTimes> = std::sync::LazyLock::new(RunTimes::default);
    for name in ["eft", "heteroprio"] {
        let policy = parse(name).expect("a policy");
        let keeper = policy.keeper().expect("it keeps EDTs");
        let machine = Offered(Cell::new(false));
        for edt in [7, 8] {
            keeper.keep(kept(edt, &TIMES), &machine);
        }
        assert!(machine.0.get(), "{name}");
        assert_eq!(keeper.take(DEVICES[0], &machine).edt, Some(7), "{name}");
        assert_eq!(keeper.take(Place::HOST, &machine).edt, Some(8), "{name}");
        assert_eq!(keeper.take(Place::HOST, &machine).edt, None, "{name}");
        assert!(!machine.0.get(), "{name}: the worker would ask indefinitely");
    }
}

/// A kernel takes 20 ms and the function 1 ms, alone; beside the kernel the function takes twice as long. So a kernel
/// costs the worker ten functions, and the device gets none, though thirty wait.
#[test]
fn a_device_that_slows_the_workers_down_more_than_it_helps_gets_nothing() {
    for (beside, gets) in [(1_000_000, true), (2_000_000, false)] {
        let times: &'static RunTimes = Box::leak(Box::default());
        for _ in 0..11 {
            times.sample(0, 64, beside, true);
        }
        for _ in 0..11 {
            times.sample(0, 64, 1_000_000, false);
            times.sample(1, 64, 20_000_000, true);
        }
        let policy = parse("eft").expect("a policy");
        let keeper = policy.keeper().expect("it keeps EDTs");
        let machine = Wide { workers: 1, at_once: 1, now: Cell::new(0) };
        for edt in 0..30 {
            keeper.keep(kept(edt, times), &machine);
        }
        assert!(keeper.take(Place::HOST, &machine).edt.is_some());
        assert_eq!(keeper.take(DEVICES[0], &machine).edt.is_some(), gets);
    }
}

/// In how many microseconds ten EDTs have ended that take `device` as kernels, and as functions `host` with all
/// workers, of which the workers begin one after the other.
fn spread_over_workers(is_spread: bool, host: u64, device: u64) -> u64 {
    const SCOPE: usize = 1_000;
    let times: &RunTimes = Box::leak(Box::default());
    for (place, us) in [(0, host), (1, device)] {
        times.sample(place, 64, us * 1_000, true);
    }
    let policy = parse("eft").expect("a policy");
    let keeper = policy.keeper().expect("a keeper");
    let machine = Wide { workers: 4, at_once: 1, now: Cell::new(0) };
    (0..10).for_each(|edt| keeper.keep(KeptEdt { is_spread, ..kept(edt, times) }, &machine));
    let (mut ends, mut left): ([Option<(usize, u64)>; 2], _) = ([None; 2], 10);
    while left > 0 {
        let now = machine.now.get();
        for (at, place, us) in [(0, Place::HOST, host), (1, DEVICES[0], device)] {
            if ends[at].is_none()
                && let Some(edt) = keeper.take(place, &machine).edt
            {
                let goes_on = place == Place::HOST && is_spread;
                assert!(!goes_on || keeper.goes_on(edt, SCOPE + edt, true, &machine));
                ends[at] = Some((if goes_on { SCOPE + edt } else { edt }, now + us * 1_000));
            }
        }
        let next = (0..2).filter_map(|at| Some((ends[at]?.1, at))).min().expect("a place has an EDT");
        let (token, place) = (ends[next.1].take().expect("it has").0, [Place::HOST, DEVICES[0]][next.1]);
        machine.now.set(next.0);
        keeper.ended(token, place, false, &machine);
        left -= 1;
    }
    machine.now.get() / 1_000
}

#[test]
fn what_all_workers_do_together_is_one_unit() {
    // Six and four of ten, two and eight.
    assert_eq!(spread_over_workers(true, 1_000, 1_500), 6_000);
    assert_eq!(spread_over_workers(true, 4_000, 1_000), 8_000);
    // The device would be too slow even for the last one.
    assert_eq!(spread_over_workers(true, 1_000, 11_000), 10_000);
    // Taken for the work of one of four workers, the host looks faster than it is, and has too many in the end.
    assert_eq!(spread_over_workers(false, 1_000, 1_500), 7_000);
}

/// What scopes wait for finds room, however many of them are open.
#[test]
fn scopes_that_are_open_keep_no_worker_from_others() {
    for is_spread in [true, false] {
        let times: &RunTimes = Box::leak(Box::default());
        times.sample(0, 64, 1_000_000, true);
        times.sample(1, 64, 10_000_000_000, true);
        let policy = parse("eft").expect("a policy");
        let keeper = policy.keeper().expect("a keeper");
        let machine = Wide { workers: 4, at_once: 1, now: Cell::new(0) };
        (0..100).for_each(|edt| keeper.keep(KeptEdt { is_spread, ..kept(edt, times) }, &machine));
        for number in 0..100 {
            let edt = keeper.take(Place::HOST, &machine).edt;
            let edt = edt.unwrap_or_else(|| panic!("{number} scopes are open, and the next EDT is refused"));
            assert!(keeper.goes_on(edt, 1_000 + edt, true, &machine));
        }
        (0..100).for_each(|edt| keeper.ended(1_000 + edt, Place::HOST, false, &machine));
        assert_eq!(keeper.count(), 0);
    }
}

/// Workers, all of which count as busy, and an idle device.
struct Busy {
    workers: usize,
    now: Cell<u64>,
    /// When the keeper wants to be asked again.
    again: Cell<Option<u64>>,
    /// The EDTs, each with the place that was chosen for it.
    chosen: RefCell<Vec<(usize, Place)>>,
}

impl Busy {
    fn new(workers: usize) -> Busy {
        Busy { workers, now: Cell::default(), again: Cell::default(), chosen: RefCell::default() }
    }
}

impl Machine for Busy {
    fn device_load(&self, _: Place) -> usize {
        0
    }
    fn devices(&self) -> usize {
        1
    }
    fn workers(&self) -> usize {
        self.workers
    }
    fn idle_workers(&self) -> usize {
        0
    }
    fn pending(&self, most: usize) -> usize {
        most
    }
    fn now_ns(&self) -> u64 {
        self.now.get()
    }
    fn offer_to_workers(&self, _: bool) {}
    fn ask_again(&self, at: u64) {
        self.again.set(Some(at));
    }
    fn is_recorded(&self) -> bool {
        true
    }
    fn considered(&self, place: &Considered) {
        if place.is_chosen {
            self.chosen.borrow_mut().push((place.edt, place.place));
        }
    }
}

/// Times of EDTs on the host and on the device, in milliseconds.
fn known_ms(ms: [u64; 2]) -> &'static RunTimes {
    let times: &RunTimes = Box::leak(Box::default());
    (0..2).for_each(|place| times.sample(place, 64, ms[place] * 1_000_000, true));
    times
}

/// In a chain, the worker that has ended an EDT takes the next one, though it has not looked for it yet when the device
/// is asked. An EDT that a worker creates and goes on finds it busy.
#[test]
fn a_successor_does_not_see_its_worker_as_busy() {
    for frees_worker in [true, false] {
        let policy = parse("eft").expect("a policy");
        let keeper = policy.keeper().expect("a keeper");
        let machine = Busy::new(1);
        keeper.keep(KeptEdt { frees_worker, ..kept(1, known_ms([10, 12])) }, &machine);
        // The device would end it later, but for a worker that may be busy for long.
        assert_eq!(keeper.take(DEVICES[0], &machine).edt, (!frees_worker).then_some(1));
        assert_eq!(keeper.take(Place::HOST, &machine).edt, frees_worker.then_some(1));
    }
}

/// One of two workers has ended an EDT, and has found another of which the policy does not know: the device is asked
/// again, and takes what waits.
#[test]
fn a_worker_that_does_not_look_for_an_edt_counts_as_busy_again() {
    let policy = parse("eft").expect("a policy");
    let keeper = policy.keeper().expect("a keeper");
    let machine = Busy::new(2);
    keeper.keep(KeptEdt { frees_worker: true, ..kept(0, known_ms([1_000, 100_000])) }, &machine);
    assert_eq!(keeper.take(Place::HOST, &machine).edt, Some(0));
    keeper.keep(KeptEdt { frees_worker: true, ..kept(1, known_ms([10, 12])) }, &machine);
    machine.again.set(None);
    assert_eq!(keeper.take(DEVICES[0], &machine).edt, None);
    let at = machine.again.get().expect("the keeper is asked again");
    assert!(at <= 1_000_000, "{at}");
    machine.now.set(at);
    keeper.tick(&machine);
    assert_eq!(keeper.take(DEVICES[0], &machine).edt, Some(1));
}

/// Two EDTs that one of two workers makes runnable when it ends find that one free, and not the other, too. They take
/// 10 ms there, and 16 ms on the device: as long as two take that a worker runs one after the other is too long.
#[test]
fn a_worker_is_free_for_one_of_two_successors() {
    let policy = parse("eft").expect("a policy");
    let keeper = policy.keeper().expect("a keeper");
    let machine = Busy::new(2);
    let times = known_ms([10, 16]);
    (1..3).for_each(|edt| keeper.keep(KeptEdt { frees_worker: true, ..kept(edt, times) }, &machine));
    assert_eq!(*machine.chosen.borrow(), [(1, Place::HOST), (2, DEVICES[0])]);
    // When it has taken the first, both are busy.
    assert_eq!(keeper.take(Place::HOST, &machine).edt, Some(1));
    let before = machine.chosen.borrow().len();
    assert_eq!(keeper.take(DEVICES[0], &machine).edt, Some(2));
    keeper.ended(2, DEVICES[0], false, &machine);
    keeper.keep(kept(3, times), &machine);
    assert_eq!(machine.chosen.borrow()[before..], [(3, DEVICES[0])]);
}
