//! Duplicates under `eft`, in virtual time.

use super::*;

const NS: u64 = 1_000_000;

fn with_duplicates(workers: usize) -> MachineModel {
    MachineModel { duplicates: true, ..machine(workers, 1) }
}

/// What a graph takes of which nothing is known, in times of an EDT on the host.
fn cold(graph: &TaskGraph, machine: &MachineModel) -> f64 {
    run(graph, machine, "eft", &models(graph.templates)) as f64 / NS as f64
}

#[test]
fn a_few_edts_do_not_wait_for_a_device_that_is_slow() {
    let graph = independent(7, NS, 20 * NS);
    let (without, with) = (cold(&graph, &machine(1, 1)), cold(&graph, &with_duplicates(1)));
    assert!(without > 2.5 * 7.0, "{without}");
    assert!(with < 1.2 * 7.0, "{with}");
}

#[test]
fn what_is_not_known_costs_no_more_than_it_takes_on_the_host() {
    for many in 1..=30 {
        for slower in [1, 2, 3, 7, 20, 100] {
            for workers in [1, 3] {
                let graph = independent(many, NS, slower * NS);
                let took = cold(&graph, &with_duplicates(workers));
                let host = many.div_ceil(workers) as f64;
                assert!(
                    took <= host + 2.01,
                    "{many} EDTs, {slower} times as slow, {workers} workers: {took} of {host}"
                );
            }
        }
    }
}

#[test]
fn an_edt_that_is_overdue_is_run_by_an_idle_worker() {
    // One of them takes a hundred times as long on the device as is expected.
    let known = models(1);
    run(&independent(40, 4 * NS, 2 * NS), &machine(1, 1), "random:1", &known);
    let mut graph = independent(6, 4 * NS, 2 * NS);
    for task in &mut graph.tasks {
        task.ns[1] = Some(200 * NS);
    }
    let outcome = simulate(&graph, &with_duplicates(1), "eft", &known).expect("it ends");
    assert!(outcome.ns < 40 * NS, "{}", outcome.ns);
    assert!(outcome.ran.iter().all(|ran| ran.place == Place::HOST));
}

#[test]
fn a_duplicate_may_be_in_vain() {
    // The device is the better place, of which nothing is known.
    let graph = independent(4, 10 * NS, NS);
    let outcome = simulate(&graph, &with_duplicates(2), "eft", &models(1)).expect("it ends");
    assert!(outcome.ran.iter().any(|ran| ran.place != Place::HOST));
    assert!(outcome.ns <= 11 * NS, "{}", outcome.ns);
}
