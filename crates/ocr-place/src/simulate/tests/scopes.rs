//! Finish EDTs of two grains: a kernel, or a function that creates the EDTs which workers do together.

use super::*;

const US: u64 = 1_000;

/// Finish EDTs, in a chain or independent: the kernel takes `kernel` us. The function takes 1 us, and creates `parts`
/// EDTs of `part` us after a half of that. The first template is theirs, the second that of the parts.
fn of_two_grains(many: u32, is_chain: bool, parts: u32, part: u64, kernel: u64) -> TaskGraph {
    let mut graph = TaskGraph { templates: 2, ..TaskGraph::default() };
    for _ in 0..many {
        let head = graph.tasks.len() as u32;
        let join = head + parts + 1;
        let created = head + 1..join;
        let during = created.clone().map(|successor| During { successor, part: 0.5 }).collect();
        graph.tasks.push(SimulatedTask { during, successors: vec![join], ..task(US, kernel * US) });
        graph.tasks.extend(created.map(|_| SimulatedTask {
            template: 1,
            ns: vec![Some(part * US), None],
            successors: vec![join],
            within: Some(head),
            ..SimulatedTask::default()
        }));
        let next = if is_chain { vec![join + 1] } else { Vec::new() };
        graph.tasks.push(SimulatedTask { successors: next, ..SimulatedTask::default() });
    }
    if is_chain && let Some(last) = graph.tasks.last_mut() {
        last.successors.clear();
    }
    graph
}

/// How many finish EDTs ran as kernels, and how many EDTs of scopes ran.
fn ran(graph: &TaskGraph, outcome: &Outcome) -> (usize, usize) {
    let all = || graph.tasks.iter().zip(&outcome.ran);
    let kernels = all().filter(|(task, ran)| task.within.is_none() && ran.place == Place::device(0)).count();
    (kernels, all().filter(|(task, ran)| task.within.is_some() && ran.place == Place::HOST).count())
}

#[test]
fn a_kernel_runs_or_the_scope_of_its_function() {
    let graph = of_two_grains(3, true, 4, 100, 250);
    let machine = machine(2, 1);
    let run = |policy| {
        let outcome = simulate(&graph, &machine, policy, &models(2)).expect("it ends");
        (outcome.ns, ran(&graph, &outcome))
    };
    // Two workers: one begins a part after a half of the function, and the other after all of it. Each runs two.
    assert_eq!(run("cpu"), (3 * 201 * US, (0, 12)));
    // No part of what kernels stand for begins, and what waits for a scope waits for its kernel.
    assert_eq!(run("device"), (3 * 250 * US, (3, 0)));
}

#[test]
fn what_is_learned_of_a_function_is_the_time_of_its_scope() {
    let expected = |graph: &TaskGraph, workers: usize| {
        let known = models(2);
        simulate(graph, &machine(workers, 1), "cpu", &known).expect("it ends");
        known[0].expected(0, 0).map(|estimate| estimate.ns)
    };
    // Four workers take 1 us and 100 us, of which a half is beside the function.
    assert_eq!(expected(&of_two_grains(20, true, 4, 100, 250), 4), Some(101 * US));
    // Of two that are open at once, one closes after 101 us and the other after 201. Each has a half of the first 100.
    let shared = expected(&of_two_grains(2, false, 4, 100, 250), 4).expect("both ran");
    assert!([51 * US, 151 * US].contains(&shared), "{shared}");
    // A function that does most itself counts as any other.
    let mut alone = of_two_grains(20, true, 1, 100, 250);
    alone.tasks.iter_mut().filter(|task| task.ns.len() == 2 && task.within.is_none()).for_each(|task| {
        task.ns[0] = Some(900 * US);
    });
    let known = models(2);
    simulate(&alone, &machine(1, 1), "cpu", &known).expect("it ends");
    assert!(known[0].works_alone());
}

/// Models that know what a scope and a kernel take, alone and beside others, in us.
fn learned(scope: u64, kernel: u64) -> Vec<RunTimes> {
    let known = models(2);
    for beside in [false, true].repeat(11) {
        known[0].sample(0, 0, scope * US, beside);
        known[0].sample(1, 0, kernel * US, beside);
    }
    known
}

#[test]
fn eft_balances_scopes_that_have_all_workers_with_kernels() {
    // Four workers take 1 ms for a scope, and the device 2.5 ms for a kernel: the best is seven of ten as functions. If
    // each worker took one for itself, it would be nine.
    let graph = of_two_grains(10, false, 4, 1_000, 2_500);
    let known = learned(1_000, 2_500);
    let outcome = simulate(&graph, &machine(4, 1), "eft", &known).expect("it ends");
    assert_eq!(ran(&graph, &outcome), (3, 28));
    assert!((7_500 * US..7_600 * US).contains(&outcome.ns), "{}", outcome.ns);
    // A chain of them has the variant that is shorter, and the other one is tried once at most.
    for (kernel, is_better) in [(700, true), (1_500, false)] {
        let graph = of_two_grains(20, true, 4, 1_000, kernel);
        let known = learned(1_000, kernel);
        let outcome = simulate(&graph, &machine(4, 1), "eft", &known).expect("it ends");
        let (kernels, parts) = ran(&graph, &outcome);
        assert!(parts == 4 * (20 - kernels) && if is_better { kernels >= 19 } else { kernels <= 1 }, "{kernels}");
    }
}

#[test]
fn every_policy_ends_scopes_within_scopes() {
    // Each part of a scope is a finish EDT itself, which has a kernel and creates two EDTs.
    let mut graph = of_two_grains(6, true, 3, 100, 250);
    for head in 0..6 * 5 {
        if graph.tasks[head].within.is_none() {
            continue;
        }
        graph.tasks[head].ns[1] = Some(30 * US);
    }
    let inner: Vec<u32> =
        (0..graph.tasks.len() as u32).filter(|&at| graph.tasks[at as usize].within.is_some()).collect();
    for head in inner {
        for _ in 0..2 {
            let successor = graph.tasks.len() as u32;
            graph.tasks[head as usize].during.push(During { successor, part: 1.0 });
            let ns = vec![Some(40 * US), None];
            graph.tasks.push(SimulatedTask { template: 1, ns, within: Some(head), ..SimulatedTask::default() });
        }
    }
    for policy in all_usages() {
        for (workers, devices) in [(1, 1), (4, 1), (3, 0)] {
            let outcome = simulate(&graph, &machine(workers, devices), &policy, &models(2)).expect("it ends");
            for (number, (task, ran)) in graph.tasks.iter().zip(&outcome.ran).enumerate() {
                let mut around = std::iter::successors(task.within, |head| graph.tasks[*head as usize].within);
                let stands_for = around.any(|head| outcome.ran[head as usize].place.device_index().is_some());
                let has_run = ran.place != Place::UNDECIDED;
                assert_eq!(has_run, !task.is_join() && !stands_for, "{policy}: {number} {ran:?}");
            }
        }
    }
    // An EDT that comes before the one that is to have created it is refused.
    graph.tasks[0].within = Some(1);
    assert!(simulate(&graph, &machine(1, 1), "cpu", &models(2)).is_err());
}
