//! Policies that are written here as C would write them: what the policies of the runtime do, and what no policy may
//! do.

use super::layout::{PolicyEdt, PolicyExpected, PolicyMachine, UNKNOWN, VERSION};
use super::*;
use crate::model::RunTimes;
use crate::policy::told::Why;
use crate::simulate::{MachineModel, SimulatedBlock, SimulatedDevice, SimulatedTask, TaskGraph, Uses};
use crate::simulate::{Outcome, simulate, simulate_under};

const NONE: PolicyCalls = PolicyCalls {
    version: VERSION,
    properties: 0,
    begin: None,
    end: None,
    choose: None,
    keep: None,
    take: None,
    ended: None,
    tick: None,
};

/// What a policy of a test keeps.
#[derive(Default)]
struct Line(Vec<*const PolicyEdt>);

unsafe extern "C" fn begin_line(count: u32, _: *const u64) -> *mut c_void {
    match count {
        0 => Box::into_raw(Box::<Line>::default()).cast(),
        _ => ptr::null_mut(),
    }
}

unsafe extern "C" fn end_line(own: *mut c_void) {
    // SAFETY: it is what `begin_line` has made, and this is the last call.
    drop(unsafe { Box::from_raw(own.cast::<Line>()) });
}

/// # Safety
/// It is what `begin_line` has made, and no other reference to it is there.
unsafe fn line<'a>(own: *mut c_void) -> &'a mut Line {
    // SAFETY: by the contract.
    unsafe { &mut *own.cast::<Line>() }
}

/// # Safety
/// The pointers of the EDT are those of a description that is there.
unsafe fn options<'a>(edt: *const PolicyEdt) -> &'a [PolicyOption] {
    // SAFETY: by the contract.
    let edt = unsafe { &*edt };
    // SAFETY: the caller promises a description that is there, and its `options` are `optionCount` elements.
    unsafe { std::slice::from_raw_parts(edt.options, edt.optionCount as usize) }
}

unsafe extern "C" fn kept(_: *mut c_void, _: *const PolicyEdt, _: *const PolicyMachine) -> u32 {
    KEPT
}

unsafe extern "C" fn keep_line(own: *mut c_void, edt: *const PolicyEdt, _: *const PolicyMachine) {
    // SAFETY: the runtime hands on what `begin_line` has made.
    unsafe { line(own) }.0.push(edt);
}

unsafe extern "C" fn first_free(_: *mut c_void, _: *const PolicyEdt, _: *const PolicyMachine) -> u32 {
    FIRST_FREE
}

/// Where the most bytes are, as `locality` does it.
unsafe extern "C" fn most_bytes(_: *mut c_void, edt: *const PolicyEdt, machine: *const PolicyMachine) -> u32 {
    // SAFETY: the runtime describes the EDT.
    let options = unsafe { options(edt) };
    // SAFETY: the machine is that of this call.
    let machine = unsafe { &*machine };
    // SAFETY: there are `placeCount` places.
    let places = unsafe { std::slice::from_raw_parts(machine.places, machine.placeCount as usize) };
    let most = options.iter().map(|option| option.bytes).max();
    if options[0].place == 0 && options.iter().all(|option| Some(option.bytes) == most) {
        return FIRST_FREE;
    }
    let load = |place: u32| {
        if place == 0 { 0 } else { places[place as usize].load }
    };
    let best = options.iter().min_by_key(|option| (std::cmp::Reverse(option.bytes), load(option.place)));
    best.expect("there is a place").place
}

/// The first that may run there and came first, where the place has not two of them already.
unsafe extern "C" fn take_first(own: *mut c_void, place: u32, machine: *const PolicyMachine) -> *const PolicyEdt {
    // SAFETY: the machine is that of this call.
    let machine = unsafe { &*machine };
    // SAFETY: there are `placeCount` places.
    let places = unsafe { std::slice::from_raw_parts(machine.places, machine.placeCount as usize) };
    // SAFETY: the runtime hands on what `begin_line` has made.
    let line = unsafe { line(own) };
    if place != 0 && places[place as usize].load >= 2 {
        return ptr::null();
    }
    // SAFETY: EDTs that wait are described.
    let fits = |edt: &*const PolicyEdt| {
        // SAFETY: EDTs in the line wait, and so they are described.
        unsafe { options(*edt) }.iter().any(|one| one.place == place)
    };
    match line.0.iter().position(fits) {
        Some(at) => line.0.remove(at),
        None => ptr::null(),
    }
}

const LINE: PolicyCalls = PolicyCalls {
    begin: Some(begin_line),
    end: Some(end_line),
    choose: Some(kept),
    keep: Some(keep_line),
    take: Some(take_first),
    ..NONE
};

fn policy(calls: PolicyCalls) -> Box<dyn Policy> {
    let calls = Box::leak(Box::new(calls));
    assert_eq!(open::check(calls), Ok(()));
    Box::new(UserPolicy::begin("mine.so".into(), calls, &[]).expect("it begins"))
}

/// A wavefront of EDTs with blocks, some of which one place alone can run.
fn graph(side: usize, devices: usize, host: u64, device: u64) -> TaskGraph {
    let mut graph =
        TaskGraph { blocks: vec![SimulatedBlock { bytes: 1 << 20 }; side], templates: 2, ..TaskGraph::default() };
    for number in 0..side * side {
        let (row, column) = (number / side, number % side);
        let mut task = SimulatedTask {
            template: (number % 3 == 0) as u32,
            ns: vec![Some(device); 1 + devices],
            blocks: vec![Uses { block: row as u32, writes: true }],
            ..SimulatedTask::default()
        };
        task.ns[0] = (number % 5 != 0).then_some(host);
        if number % 7 == 0 {
            task.ns = vec![Some(host)];
        }
        if column + 1 < side {
            task.successors.push(number as u32 + 1);
        }
        if row + 1 < side {
            task.successors.push((number + side) as u32);
        }
        graph.tasks.push(task);
    }
    graph
}

fn machine(workers: usize, devices: usize) -> MachineModel {
    let device =
        SimulatedDevice { latency_ns: 10_000.0, bandwidth: 1e10, shares_memory: false, ..SimulatedDevice::default() };
    MachineModel { workers, devices: vec![device; devices], ..MachineModel::default() }
}

fn models() -> Vec<RunTimes> {
    vec![RunTimes::default(), RunTimes::default()]
}

/// Graphs and machines of several kinds.
fn cases() -> impl Iterator<Item = (TaskGraph, MachineModel)> {
    let sizes = [(1, 1), (1, 2), (3, 1), (4, 2)];
    sizes.into_iter().flat_map(|(workers, devices)| {
        let speeds = [(100_000, 100_000), (400_000, 100_000), (30_000, 900_000)];
        speeds.map(|(host, device)| (graph(9, devices, host, device), machine(workers, devices)))
    })
}

fn under(calls: PolicyCalls, graph: &TaskGraph, machine: &MachineModel) -> Result<Outcome, String> {
    simulate_under(graph, machine, policy(calls), &models(), true)
}

/// What a policy of the runtime decides, one with the interface of C decides with the same result.
#[test]
fn policies_in_c_do_what_those_of_the_runtime_do() {
    for (name, choose) in [("eager", first_free as unsafe extern "C" fn(_, _, _) -> _), ("locality", most_bytes)] {
        for (graph, machine) in cases() {
            let own = simulate(&graph, &machine, name, &models()).expect("it ends");
            let calls = PolicyCalls { choose: Some(choose), ..NONE };
            let user = under(calls, &graph, &machine).expect("it ends");
            assert_eq!((own.ns, own.ran), (user.ns, user.ran), "{name}");
        }
    }
}

/// Every EDT that is kept is taken once, whatever the machine.
#[test]
fn what_is_kept_is_taken() {
    for (graph, machine) in cases() {
        let outcome = under(LINE, &graph, &machine).expect("it ends");
        assert!(outcome.ran.iter().all(|ran| ran.ended > ran.begun));
        let on_devices = outcome.ran.iter().filter(|ran| ran.place != Place::HOST);
        assert!(on_devices.count() > graph.tasks.len() / 10);
    }
}

unsafe extern "C" fn place_seven(_: *mut c_void, _: *const PolicyEdt, _: *const PolicyMachine) -> u32 {
    7
}

unsafe extern "C" fn take_none(_: *mut c_void, _: u32, _: *const PolicyMachine) -> *const PolicyEdt {
    ptr::null()
}

unsafe extern "C" fn take_anything(_: *mut c_void, _: u32, machine: *const PolicyMachine) -> *const PolicyEdt {
    machine.cast()
}

/// The first that came, whether it may run there, and again and again.
unsafe extern "C" fn take_again(own: *mut c_void, _: u32, _: *const PolicyMachine) -> *const PolicyEdt {
    // SAFETY: the runtime hands on what `begin_line` has made.
    unsafe { line(own) }.0.first().copied().unwrap_or(ptr::null())
}

unsafe extern "C" fn take_and_ask_again(_: *mut c_void, _: u32, machine: *const PolicyMachine) -> *const PolicyEdt {
    // SAFETY: the machine is that of this call.
    let ask = unsafe { (*machine).askAgain };
    // SAFETY: as before.
    unsafe { ask(machine, 0) };
    ptr::null()
}

unsafe extern "C" fn tell_of_nothing(_: *mut c_void, edt: *const PolicyEdt, machine: *const PolicyMachine) -> u32 {
    // SAFETY: the machine is that of this call.
    let tell = unsafe { (*machine).considered };
    let expected = PolicyExpected { place: 0, unused: 0, queueNs: 0, copyNs: 0, runNs: UNKNOWN };
    // SAFETY: as before, with one place.
    unsafe { tell(machine, edt, 77, &expected, 1) };
    FIRST_FREE
}

unsafe extern "C" fn time_of_another(_: *mut c_void, edt: *const PolicyEdt, machine: *const PolicyMachine) -> u32 {
    // SAFETY: the machine is that of this call.
    let time = unsafe { (*machine).time };
    // SAFETY: the function looks whether it knows the address.
    let known = unsafe { time(machine, edt.wrapping_add(1), 0) };
    assert_eq!(known.certainty, 0);
    FIRST_FREE
}

#[test]
fn answers_that_cannot_be_followed_are_refused() {
    let tasks = graph(5, 1, 100_000, 100_000);
    let keeps = |take| PolicyCalls { take: Some(take), ..LINE };
    let chooses = |choose| PolicyCalls { choose: Some(choose), ..NONE };
    for (calls, wrong) in [
        (
            chooses(place_seven),
            "the policy mine.so chose place 7 (device 6) for the EDT of number 2 of the simulation, which cannot run there: it \
             may run in place 0 (the host) and place 1 (device 0)",
        ),
        (
            chooses(kept),
            "answered OCR_POLICY_KEPT for the EDT of number 2 of the simulation, and has no functions `keep` and `take`",
        ),
        (
            PolicyCalls { choose: Some(first_free), ..LINE },
            "answered OCR_POLICY_FIRST_FREE for the EDT of number 2 of the simulation, which",
        ),
        (chooses(tell_of_nothing), "gave the reason 77"),
        (chooses(time_of_another), "asked for the time of an EDT that it does not have"),
        (keeps(take_anything), "gave place 1 (device 0) an EDT that it does not keep"),
        (keeps(take_again), "an EDT that it has given to a place before"),
        (keeps(take_none), "keeps 1 EDTs and gives them to no place"),
        (keeps(take_and_ask_again), "EDTs that nobody takes"),
    ] {
        let said = under(calls, &tasks, &machine(2, 1)).expect_err(wrong);
        assert!(said.contains(wrong), "{said}\n  lacks\n{wrong}");
    }
    // An EDT that the host cannot run.
    let mut devices_only = graph(5, 2, 100_000, 100_000);
    devices_only.tasks.iter_mut().for_each(|task| {
        task.ns = vec![None, Some(1), Some(1)];
    });
    let takes_for_host = PolicyCalls { choose: Some(place_host), ..NONE };
    let said = under(takes_for_host, &devices_only, &machine(1, 2)).expect_err("no function");
    assert!(said.contains("chose place 0 (the host) for the EDT of number 1"), "{said}");
    assert!(said.contains("place 1 (device 0) and place 2 (device 1)"), "{said}");
}

unsafe extern "C" fn place_host(_: *mut c_void, _: *const PolicyEdt, _: *const PolicyMachine) -> u32 {
    0
}

/// A place that is asked first waits for more EDTs, and says until when: that is no EDT that is forgotten.
#[test]
fn a_policy_may_wait_for_a_time() {
    unsafe extern "C" fn take_later(own: *mut c_void, place: u32, machine: *const PolicyMachine) -> *const PolicyEdt {
        // SAFETY: the machine is that of this call.
        let now = unsafe { (*machine).nowNs };
        // SAFETY: the machine is that of this call.
        let ask = unsafe { (*machine).askAgain };
        if now < 1_000_000 {
            // SAFETY: the machine is that of this call, which has not returned.
            unsafe { ask(machine, 1_000_000) };
            return ptr::null();
        }
        // SAFETY: the arguments are those of this call.
        unsafe { take_first(own, place, machine) }
    }
    let calls = PolicyCalls { take: Some(take_later), ..LINE };
    let graph = graph(4, 1, 100_000, 100_000);
    let outcome = under(calls, &graph, &machine(1, 1)).expect("it ends");
    let begun = outcome.ran[1].begun;
    assert!((1_000_000..1_200_000).contains(&begun), "{begun}");
}

/// It knows how long EDTs take, and reports what it expects.
#[test]
fn times_are_known_and_told() {
    unsafe extern "C" fn by_time(_: *mut c_void, edt: *const PolicyEdt, machine: *const PolicyMachine) -> u32 {
        // SAFETY: the machine is that of this call.
        let seen = unsafe { &*machine };
        // SAFETY: the runtime describes the EDT.
        let options = unsafe { options(edt) };
        let mut expected: Vec<PolicyExpected> = options
            .iter()
            .map(|option| PolicyExpected {
                place: option.place,
                unused: 0,
                queueNs: 0,
                copyNs: option.copyNs,
                // SAFETY: the machine and the EDT are those of this call.
                runNs: unsafe { (seen.time)(machine, edt, option.place) }.runNs,
            })
            .collect();
        expected.sort_by_key(|one| one.runNs);
        let count = expected.len() as u32;
        // SAFETY: there are `count` of them.
        unsafe { (seen.considered)(machine, edt, Why::Planned as u32, expected.as_ptr(), count) };
        expected[0].place
    }
    let calls = PolicyCalls { properties: LEARNS, choose: Some(by_time), ..NONE };
    assert!(policy(calls).learns());
    let graph = graph(6, 1, 300_000, 100_000);
    let known = models();
    for times in &known {
        times.sample(0, 1 << 20, 300_000, false);
        times.sample(1, 1 << 20, 100_000, false);
    }
    let machine = machine(1, 1);
    let outcome = simulate_under(&graph, &machine, policy(calls), &known, true).expect("it ends");
    let choices = graph.tasks.iter().zip(&outcome.ran);
    let choices = choices.filter(|(task, _)| task.ns.iter().flatten().count() == 2);
    assert!(choices.clone().all(|(_, ran)| ran.place == Place::device(0)));
    assert_eq!(outcome.considered.len(), 2 * choices.count());
    for (_, one) in &outcome.considered {
        assert_eq!(one.is_chosen, one.place == Place::device(0), "{one:?}");
        assert!(one.expected.run_ns.is_some(), "{one:?}");
        assert_eq!(one.certainty, crate::policy::Certainty::Measured, "{one:?}");
    }
}

/// It knows of which EDTs the workers do the work of the function together.
#[test]
fn what_is_spread_over_the_workers_is_told() {
    unsafe extern "C" fn by_spread(_: *mut c_void, edt: *const PolicyEdt, machine: *const PolicyMachine) -> u32 {
        // SAFETY: the machine is that of this call.
        let time = unsafe { &*machine }.time;
        // SAFETY: the machine and the EDT are those of this call.
        let [host, device] = [0, 1].map(|place| unsafe { time(machine, edt, place) }.isSpread);
        assert_eq!(device, 0);
        1 - host
    }
    let calls = PolicyCalls { choose: Some(by_spread), ..NONE };
    // The first creates an EDT, the second does not.
    let task = |ns| SimulatedTask { ns, ..SimulatedTask::default() };
    let mut head = task(vec![Some(1_000), Some(9_000)]);
    head.successors = vec![1];
    let inner = SimulatedTask { within: Some(0), ..task(vec![Some(5_000), None]) };
    let tasks = vec![head, inner, task(vec![Some(1_000), Some(9_000)])];
    let graph = TaskGraph { tasks, templates: 1, ..TaskGraph::default() };
    let outcome = under(calls, &graph, &machine(2, 1)).expect("it ends");
    let places: Vec<Place> = outcome.ran.iter().map(|ran| ran.place).collect();
    assert_eq!(places, [Place::HOST, Place::HOST, Place::device(0)]);
}

#[test]
fn what_a_policy_lacks_is_said() {
    for (calls, lack) in [
        (NONE, "has no function `choose`: it is NULL"),
        (PolicyCalls { take: None, ..LINE }, "has no function `take`: it is NULL"),
        (PolicyCalls { keep: None, ..LINE }, "has no function `keep`: it is NULL"),
        (
            PolicyCalls { choose: Some(first_free), tick: Some(end_tick), ..NONE },
            "has a function `tick` that is never called: `keep` and `take` are NULL",
        ),
    ] {
        assert_eq!(open::check(&calls).expect_err(lack), lack);
    }
    let refused = |calls: PolicyCalls, why| {
        let calls = Box::leak(Box::new(calls));
        let said = UserPolicy::begin("mine.so".into(), calls, &[1, 2]).err();
        assert_eq!(said.expect("it is refused"), why);
    };
    refused(LINE, "the policy mine.so refuses the numbers 1:2: its function `begin` has returned NULL");
    refused(NONE, "the policy mine.so takes no numbers, and got 1:2: it has no function `begin`");
}

unsafe extern "C" fn end_tick(_: *mut c_void, _: *const PolicyMachine) {}

#[test]
fn names_with_a_slash_are_files() {
    assert!(is_file("./mine.so") && is_file("/a/b:1/mine.so:2") && !is_file("static:1:1"));
    assert_eq!(split("/a:1/mine.so:2:3"), Ok(("/a:1/mine.so", vec![2, 3])));
    assert_eq!(split("./mine.so"), Ok(("./mine.so", vec![])));
    let said = split("./mine.so:fast").expect_err("no number");
    assert!(said.contains("as ./mine.so:1:2"), "{said}");
}

/// What is no file, and what is no library.
#[test]
#[cfg_attr(miri, ignore = "it opens libraries")]
fn files_that_are_no_policy_are_refused() {
    let here = env!("CARGO_MANIFEST_DIR");
    for (name, why) in [
        (format!("{here}/nowhere.so"), "there is no file"),
        (format!("{here}/src"), "is no file"),
        (format!("{here}/Cargo.toml"), "cannot be loaded: "),
        (format!("{here}/Cargo.toml:x"), "numbers alone may follow the file"),
    ] {
        let said = crate::policy::parse(&name).err().expect("no policy");
        assert!(said.contains(why) && said.contains(here), "{said}");
    }
    let said = crate::policy::parse("mine.so").err().expect("no policy");
    assert!(said.ends_with("has a slash in its name, as ./mine.so"), "{said}");
}
