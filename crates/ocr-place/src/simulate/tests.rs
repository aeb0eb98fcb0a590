mod drawn;
mod duplicates;
mod scopes;

use super::*;
use crate::model::RunTimes;
use crate::place::Place;
use crate::policy::{POLICIES, Why};

/// Models of `templates` templates, of which nothing is known.
fn models(templates: u32) -> Vec<RunTimes> {
    (0..templates).map(|_| RunTimes::default()).collect()
}

/// A worker and devices that share its memory.
fn machine(workers: usize, devices: usize) -> MachineModel {
    let device = SimulatedDevice {
        latency_ns: 0.0,
        bandwidth: f64::INFINITY,
        shares_memory: true,
        ..SimulatedDevice::default()
    };
    MachineModel { workers, devices: vec![device; devices], ..MachineModel::default() }
}

fn task(host: u64, device: u64) -> SimulatedTask {
    SimulatedTask { ns: vec![Some(host), Some(device)], ..SimulatedTask::default() }
}

fn independent(many: usize, host: u64, device: u64) -> TaskGraph {
    TaskGraph { tasks: vec![task(host, device); many], templates: 1, ..TaskGraph::default() }
}

fn wavefront(side: usize, host: u64, device: u64) -> TaskGraph {
    let mut graph = independent(side * side, host, device);
    for number in 0..side * side {
        let (row, column) = (number / side, number % side);
        let successors = &mut graph.tasks[number].successors;
        if column + 1 < side {
            successors.push(number as u32 + 1);
        }
        if row + 1 < side {
            successors.push((number + side) as u32);
        }
    }
    graph
}

fn run(graph: &TaskGraph, machine: &MachineModel, policy: &str, known: &[RunTimes]) -> u64 {
    simulate(graph, machine, policy, known).expect("it ends").ns
}

/// What a graph takes with models that an earlier run has filled.
fn warm(graph: &TaskGraph, machine: &MachineModel, policy: &str) -> u64 {
    let known = models(graph.templates);
    run(graph, machine, "random:1", &known);
    run(graph, machine, policy, &known);
    run(graph, machine, policy, &known)
}

fn all_usages() -> Vec<String> {
    let written = |usage: &str| usage.replace("C:D", "1:2").replace("SEED", "7");
    POLICIES.iter().map(|entry| written(entry.usage)).collect()
}

const SPEEDS: [(u64, u64); 5] = [(1, 1), (1, 4), (4, 1), (1, 20), (20, 1)];

#[test]
#[ignore = "prints what policies take; for people"]
fn table() {
    for (host, device) in SPEEDS {
        for (name, graph) in [
            ("independent 1000", independent(1000, host * 100_000, device * 100_000)),
            ("wavefront 32", wavefront(32, host * 100_000, device * 100_000)),
            ("independent 7", independent(7, host * 5_000_000, device * 5_000_000)),
            ("independent 4", independent(4, host * 5_000_000, device * 5_000_000)),
        ] {
            let machine = machine(1, 1);
            let many = graph.tasks.len() as f64;
            let (all_host, all_device) = (many * host as f64, many * device as f64);
            let unit = graph.tasks[0].ns[0].expect("a time") as f64 / host as f64;
            let area = 1.0 / (1.0 / all_host + 1.0 / all_device) * unit;
            let best = all_host.min(all_device) * unit;
            print!("{name:17} {host:2}:{device:<2}");
            for policy in ["eager", "eft", "heteroprio"] {
                let known = models(1);
                let cold = run(&graph, &machine, policy, &known) as f64;
                let warm = warm(&graph, &machine, policy) as f64;
                print!(
                    " | {policy} cold {:.2}/{:.2} warm {:.2}/{:.2}",
                    cold / area,
                    cold / best,
                    warm / area,
                    warm / best
                );
            }
            println!();
        }
    }
}

#[test]
fn every_policy_runs_every_edt_once() {
    let graph = wavefront(12, 3_000, 1_000);
    for policy in all_usages() {
        for (workers, devices) in [(1, 1), (4, 1), (2, 0)] {
            let machine = machine(workers, devices);
            let outcome = simulate(&graph, &machine, &policy, &models(1)).expect("it ends");
            assert!(outcome.ran.iter().all(|ran| ran.place != Place::UNDECIDED));
            for (number, task) in graph.tasks.iter().enumerate() {
                for &successor in &task.successors {
                    assert!(outcome.ran[successor as usize].begun >= outcome.ran[number].ended);
                }
            }
        }
    }
}

/// What both places together could do at best, if the EDTs could be divided at will.
fn area(many: usize, host: u64, device: u64) -> f64 {
    many as f64 / (1.0 / host as f64 + 1.0 / device as f64)
}

/// What `eft` has to reach on a worker and a device, with models that have samples. It takes no more than 1.05 times
/// the area bound where all EDTs are ready at once, and no more than 1.10 times in a wavefront. It finds the best
/// division of a few EDTs, and is never more than 3 % slower than the best single place.
#[test]
fn eft_comes_near_the_bounds() {
    let machine = machine(1, 1);
    for (host, device) in SPEEDS.map(|(host, device)| (host * 100_000, device * 100_000)) {
        let case = format!("{host} : {device}");
        let single = |many: usize| many as f64 * host.min(device) as f64;
        let many = warm(&independent(1000, host, device), &machine, "eft") as f64;
        assert!(many <= 1.05 * area(1000, host, device), "{case}: {many}");
        assert!(many <= 1.03 * single(1000), "{case}: {many}");
        let front = warm(&wavefront(32, host, device), &machine, "eft") as f64;
        assert!(front <= 1.10 * area(1024, host, device), "{case}: {front}");
        assert!(front <= 1.03 * single(1024), "{case}: {front}");
        for few in [4, 7] {
            let split = |on_host: u64| (on_host * host).max((few - on_host) * device);
            let best = (0..=few).map(split).min().expect("some") as f64;
            let took = warm(&independent(few as usize, host, device), &machine, "eft") as f64;
            assert!(took <= 1.03 * best, "{case}, {few}: {took}, best {best}");
        }
    }
}

/// Without models `eft` comes as near to the bounds where there are many EDTs, whichever place is slow.
#[test]
fn eft_learns_while_it_runs() {
    let machine = machine(1, 1);
    for (host, device) in SPEEDS.map(|(host, device)| (host * 100_000, device * 100_000)) {
        for (graph, bar) in [(independent(1000, host, device), 1.05), (wavefront(32, host, device), 1.10)] {
            let took = run(&graph, &machine, "eft", &models(1)) as f64;
            let bound = area(graph.tasks.len(), host, device);
            assert!(took <= bar * bound, "{host} : {device}: {took}, bound {bound}");
        }
    }
}

/// A device that becomes ten times slower in the middle of a run is left to itself within some EDTs.
#[test]
fn eft_notices_a_place_that_becomes_slow() {
    let mut graph = independent(1000, 100_000, 100_000);
    for task in &mut graph.tasks[500..] {
        task.ns[1] = Some(1_000_000);
    }
    let took = run(&graph, &machine(1, 1), "eft", &models(1)) as f64;
    let bound = area(500, 100_000, 100_000) + area(500, 100_000, 1_000_000);
    assert!(took <= 1.10 * bound, "{took}, bound {bound}");
}

/// The device is expected to take 1 ms, and takes 200 ms; the worker takes 5 ms and has nothing to do. Nothing ends
/// before the device does, and the EDTs that wait for it go to the worker all the same, as soon as the first one is
/// overdue.
#[test]
fn eft_sees_that_an_edt_is_overdue_before_it_ends() {
    let mut graph = independent(4, 5_000_000, 1_000_000);
    graph.tasks[0].ns[1] = Some(200_000_000);
    let known = models(1);
    for _ in 0..11 {
        known[0].sample(0, 0, 5_000_000, false);
        known[0].sample(1, 0, 1_000_000, false);
    }
    let outcome = simulate(&graph, &machine(1, 1), "eft", &known).expect("it ends");
    for ran in &outcome.ran[1..] {
        assert!(ran.place == Place::HOST && ran.ended < 25_000_000, "{ran:?}");
    }
}

/// A device whose speed changes again and again is used while it is fast, and left while it is slow.
#[test]
fn eft_follows_a_place_that_changes_its_speed() {
    const MANY: usize = 4000;
    let mut graph = independent(MANY, 1_000_000, 1_000_000);
    for number in 0..MANY {
        let is_slow = number / 500 % 2 == 1;
        graph.tasks[number].ns[1] = Some(if is_slow { 10_000_000 } else { 100_000 });
        if number + 1 < MANY {
            graph.tasks[number].successors.push(number as u32 + 1);
        }
    }
    let took = run(&graph, &machine(1, 1), "eft", &models(1)) as f64;
    let best: u64 = (graph.tasks.iter()).filter_map(|task| task.ns.iter().flatten().min()).sum();
    assert!(took <= 1.25 * best as f64, "{took}, best {best}");
}

/// Two large blocks and two devices: each block stays where it is, though both devices are as fast.
#[test]
fn eft_leaves_blocks_where_they_are() {
    let mut graph =
        TaskGraph { blocks: vec![SimulatedBlock { bytes: 8 << 20 }; 2], templates: 1, ..TaskGraph::default() };
    for number in 0..40u32 {
        graph.tasks.push(SimulatedTask {
            ns: vec![None, Some(100_000), Some(100_000)],
            blocks: vec![Uses { block: number % 2, writes: true }],
            successors: Vec::from_iter((number + 2 < 40).then_some(number + 2)),
            ..SimulatedTask::default()
        });
    }
    let device =
        SimulatedDevice { latency_ns: 10_000.0, bandwidth: 10e9, shares_memory: false, ..SimulatedDevice::default() };
    let machine = MachineModel { workers: 1, devices: vec![device; 2], ..MachineModel::default() };
    let outcome = simulate(&graph, &machine, "eft", &models(1)).expect("it ends");
    assert_eq!(outcome.bytes_moved, 2 * (8 << 20));
}

/// A choice: when, for which EDT, why, which place was chosen, and for each place the queue and the end in
/// microseconds.
type Chosen = (u64, usize, Why, u8, Vec<(u64, u64)>);

/// What a simulated policy has considered.
fn considered(graph: &TaskGraph, known: &[RunTimes]) -> Vec<Chosen> {
    let outcome = simulate_recorded(graph, &machine(1, 1), "eft", known).expect("it ends");
    let mut choices = Vec::new();
    for (at, place) in outcome.considered {
        if place.is_first {
            choices.push((at / 1000, place.edt, place.why, u8::MAX, Vec::new()));
        }
        let (.., chosen, places) = choices.last_mut().expect("a first one");
        if place.is_chosen {
            *chosen = place.place.number() as u8;
        }
        let end = place.expected.end_ns().unwrap_or(0);
        places.push((place.expected.queue_ns / 1000, end / 1000));
    }
    choices
}

/// An EDT takes 100 us on the worker and 250 us on the device: the first two EDTs wait for the worker, the third for
/// the device.
#[test]
fn eft_tells_what_it_has_considered() {
    let graph = independent(3, 100_000, 250_000);
    let known = models(1);
    known[0].sample(0, 0, 100_000, false);
    known[0].sample(1, 0, 250_000, false);
    let want = [
        (0, 0, Why::Planned, 0, vec![(0, 100), (0, 250)]),
        (0, 1, Why::Planned, 0, vec![(100, 200), (0, 250)]),
        (0, 2, Why::Planned, 1, vec![(200, 300), (0, 250)]),
    ];
    assert_eq!(considered(&graph, &known), want);
    let told = simulate(&graph, &machine(1, 1), "eft", &known).expect("it ends");
    assert!(told.considered.is_empty(), "it was not asked for");
}

/// The device is expected to take 2 ms and takes 20 ms. The third EDT waits for the device, where the first one is past
/// its time. The worker takes the third EDT when it has ended the second.
#[test]
fn eft_tells_that_a_place_took_what_waited_for_another() {
    let graph = independent(3, 2_100_000, 20_000_000);
    let known = models(1);
    known[0].sample(0, 0, 2_100_000, false);
    known[0].sample(1, 0, 2_000_000, false);
    let choices = considered(&graph, &known);
    assert_eq!(choices.len(), 4);
    assert_eq!(choices[3], (2100, 2, Why::Taken, 0, vec![(0, 2100), (250, 2250)]));
}

/// Without models each EDT is tried where a place is free, or waits until its time is known.
#[test]
fn eft_tells_what_it_tries() {
    let choices = considered(&independent(2, 100_000, 100_000), &models(1));
    let whys: Vec<_> = choices.iter().map(|(_, edt, why, ..)| (*edt, *why)).collect();
    assert_eq!(whys, [(0, Why::Open), (1, Why::Open), (0, Why::Tried), (1, Why::Tried)]);
}

/// A worker and a device with memory of its own, to which a block of 10 MB takes 10 ms; and EDTs that use one or none.
fn with_copies(edts: &[(u64, u64, bool)]) -> (TaskGraph, MachineModel, Vec<RunTimes>) {
    let known = models(edts.len() as u32);
    let mut graph = TaskGraph { templates: edts.len() as u32, ..TaskGraph::default() };
    for (number, &(host, device, has_block)) in edts.iter().enumerate() {
        let (host, device) = (host * 1_000_000, device * 1_000_000);
        let mut new = task(host, device);
        new.template = number as u32;
        if has_block {
            new.blocks.push(Uses { block: graph.blocks.len() as u32, writes: true });
            graph.blocks.push(SimulatedBlock { bytes: 10_000_000 });
        }
        let bytes = if has_block { 10_000_000 } else { 0 };
        known[number].sample(0, bytes, host, false);
        known[number].sample(1, bytes, device, false);
        graph.tasks.push(new);
    }
    let device =
        SimulatedDevice { latency_ns: 0.0, bandwidth: 1e9, shares_memory: false, ..SimulatedDevice::default() };
    let machine = MachineModel { workers: 1, devices: vec![device], ..MachineModel::default() };
    (graph, machine, known)
}

/// A device that waits for a block until 10 ms is not free. An EDT that is ready at 1 ms takes 1 ms there and 5 ms on
/// the worker, and runs on the worker.
#[test]
fn eft_knows_that_a_device_waits_for_a_block() {
    let (mut graph, machine, known) = with_copies(&[(1, 1, false), (50, 1, true), (5, 1, false)]);
    graph.tasks[0].ns[1] = None;
    graph.tasks[0].successors.push(2);
    assert_eq!(run(&graph, &machine, "eft", &known), 11_000_000);
}

/// Copies go one after the other: the second EDT would have its block on the device in 20 ms, and takes 15 on the
/// worker.
#[test]
fn eft_knows_that_copies_wait_for_each_other() {
    let (graph, machine, known) = with_copies(&[(50, 1, true), (15, 1, true)]);
    assert_eq!(run(&graph, &machine, "eft", &known), 15_000_000);
}

/// EDTs with a high priority go first, in every place.
#[test]
fn eft_takes_the_urgent_ones_first() {
    let mut graph = independent(100, 100_000, 100_000);
    for task in &mut graph.tasks[90..] {
        task.priority = 1;
    }
    let outcome = simulate(&graph, &machine(1, 1), "eft", &models(1)).expect("it ends");
    let last_urgent = outcome.ran[90..].iter().map(|ran| ran.begun).max();
    assert!(last_urgent < Some(900_000), "{last_urgent:?}");
}

proptest::proptest! {
    /// Every policy runs all EDTs of any graph. `eft`, which knows the times, is never twice as slow as `eager`, which
    /// does not.
    #[test]
    fn random_graphs_end(
        seeds in proptest::collection::vec((1u64..40, 1u64..40, 0usize..4, 0usize..4, 0u64..3), 1..60),
        workers in 1usize..4,
    ) {
        let mut graph = TaskGraph { templates: 1, ..TaskGraph::default() };
        for (number, &(host, device, first, second, priority)) in seeds.iter().enumerate() {
            let ns = match host % 7 {
                0 => vec![None, Some(device * 10_000)],
                1 => vec![Some(host * 10_000)],
                _ => vec![Some(host * 10_000), Some(device * 10_000)],
            };
            graph.tasks.push(SimulatedTask { priority, ns, template: number as u32, ..SimulatedTask::default() });
            for back in [first, second] {
                if let Some(before) = number.checked_sub(back + 1)
                    && !graph.tasks[before].successors.contains(&(number as u32))
                {
                    graph.tasks[before].successors.push(number as u32);
                }
            }
        }
        graph.templates = graph.tasks.len() as u32;
        let machine = machine(workers, 1);
        for policy in all_usages() {
            let known = models(graph.templates);
            let outcome = simulate(&graph, &machine, &policy, &known).expect("it ends");
            for (task, ran) in graph.tasks.iter().zip(&outcome.ran) {
                let place = ran.place.number();
                proptest::prop_assert_eq!(task.ns[place], Some(ran.ended - ran.begun));
            }
        }
        let known = models(graph.templates);
        for (times, task) in known.iter().zip(&graph.tasks) {
            for (place, ns) in task.ns.iter().enumerate() {
                if let Some(ns) = ns {
                    times.sample(place, 0, *ns, false);
                }
            }
        }
        let eft = run(&graph, &machine, "eft", &known) as f64;
        let eager = run(&graph, &machine, "eager", &known) as f64;
        proptest::prop_assert!(eft <= 2.0 * eager, "eft {} eager {}", eft, eager);
    }
}
