use super::*;
use crate::model::RunTimes;
use crate::object::place::Place;
use crate::sched::policy::POLICIES;

/// Models of so many templates, of which nothing is known. They live as long as the process.
fn models(templates: u32) -> Vec<&'static RunTimes> {
    (0..templates)
        .map(|_| &*Box::leak(Box::new(RunTimes::default())))
        .collect()
}

/// A worker and devices that share its memory.
fn machine(workers: usize, devices: usize) -> MachineModel {
    let device = Device {
        latency_ns: 0.0,
        bandwidth: f64::INFINITY,
        shares_memory: true,
    };
    MachineModel {
        workers,
        devices: vec![device; devices],
    }
}

fn task(host: u64, device: u64) -> Task {
    Task {
        ns: vec![Some(host), Some(device)],
        ..Task::default()
    }
}

fn independent(many: usize, host: u64, device: u64) -> Graph {
    Graph {
        tasks: vec![task(host, device); many],
        templates: 1,
        ..Graph::default()
    }
}

fn wavefront(side: usize, host: u64, device: u64) -> Graph {
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

fn run(graph: &Graph, machine: &MachineModel, policy: &str, known: &[&'static RunTimes]) -> u64 {
    simulate(graph, machine, policy, known).expect("it ends").ns
}

/// What a graph takes with models that an earlier run has filled.
fn warm(graph: &Graph, machine: &MachineModel, policy: &str) -> u64 {
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
            (
                "independent 1000",
                independent(1000, host * 100_000, device * 100_000),
            ),
            (
                "wavefront 32",
                wavefront(32, host * 100_000, device * 100_000),
            ),
            (
                "independent 7",
                independent(7, host * 5_000_000, device * 5_000_000),
            ),
            (
                "independent 4",
                independent(4, host * 5_000_000, device * 5_000_000),
            ),
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
