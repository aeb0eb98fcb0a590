use super::*;
use proptest::prelude::*;
use std::ops::RangeInclusive;

const NOT: f64 = f64::INFINITY;

fn problem(places: &[u32], times: &[&[f64]], edges: &[(u32, u32)]) -> Problem {
    Problem {
        places: places.to_vec(),
        times: times.concat(),
        lengths: Vec::new(),
        edges: edges.iter().map(|&(from, to)| Precedence { from, to, part: 1.0 }).collect(),
    }
}

/// The end of the best schedule: every order of tasks, each placed in every class, as early as it can begin. The best
/// schedule is among them: ordered by their begins its tasks do not begin later so.
fn best(problem: &Problem) -> f64 {
    struct Search<'a> {
        problem: &'a Problem,
        ends: Vec<Option<(f64, f64)>>,
        free: Vec<Vec<f64>>,
        best: f64,
    }
    impl Search<'_> {
        fn go(&mut self, end: f64) {
            if end >= self.best {
                return;
            }
            let open: Vec<usize> = (0..self.problem.count()).filter(|&t| self.ends[t].is_none()).collect();
            if open.is_empty() {
                self.best = end;
                return;
            }
            for task in open {
                let mut ready = Some(0.0_f64);
                for edge in self.problem.edges.iter().filter(|e| e.to as usize == task) {
                    let after = self.ends[edge.from as usize];
                    let at = after.map(|(begin, end)| begin + f64::from(edge.part) * (end - begin));
                    ready = ready.zip(at).map(|(ready, at)| ready.max(at));
                }
                let Some(ready) = ready else { continue };
                let choices: Vec<(usize, f64)> = self.problem.choices(task).collect();
                for (class, time) in choices {
                    for place in 0..self.free[class].len() {
                        let before = self.free[class][place];
                        // Places of one class are alike.
                        if self.free[class][..place].contains(&before) {
                            continue;
                        }
                        let begin = ready.max(before);
                        self.free[class][place] = begin + time;
                        self.ends[task] = Some((begin, begin + time));
                        self.go(end.max(begin + time));
                        self.ends[task] = None;
                        self.free[class][place] = before;
                    }
                }
            }
        }
    }
    let free = problem.places.iter().map(|&m| vec![0.0; m as usize]).collect();
    let mut search = Search { problem, ends: vec![None; problem.count()], free, best: f64::INFINITY };
    search.go(0.0);
    search.best
}

/// The area bound by prices of a fine grid, for two classes: never above the exact one.
fn area_by_grid(problem: &Problem) -> f64 {
    let [m, n] = [0, 1].map(|class| f64::from(problem.places[class]));
    let at = |step: u32| {
        let share = f64::from(step) / 2000.0;
        let prices = [share / m, (1.0 - share) / n];
        let least = |task| problem.choices(task).map(|(c, p)| p * prices[c]).fold(f64::INFINITY, f64::min);
        (0..problem.count()).map(least).sum::<f64>()
    };
    (0..=2000).map(at).fold(0.0, f64::max)
}

#[test]
fn known_graphs_have_known_bounds() {
    // One class, no edges.
    let bounds = problem(&[2], &[&[3.0], &[1.0], &[2.0]], &[]).bounds(20);
    assert_eq!(bounds, Ok(Bounds { area: 3.0, path: 3.0, mixed: 3.0 }));
    // A chain.
    let chain = problem(&[4], &[&[1.0], &[2.0], &[3.0]], &[(0, 1), (1, 2)]);
    let bounds = chain.bounds(20).expect("bounds");
    assert_eq!((bounds.area, bounds.path, bounds.mixed), (1.5, 6.0, 6.0));
    // 30 tasks, four times as fast in the second class: a place of each does 6 and 24 of them in time 24.
    let two = problem(&[1, 1], &[&[4.0, 1.0][..]; 30], &[]);
    let bounds = two.bounds(20).expect("bounds");
    assert!((bounds.area - 24.0).abs() < 1e-9, "{bounds:?}");
    // What can run in one class alone counts there.
    let only = problem(&[1, 1], &[&[5.0, NOT], &[NOT, 7.0], &[NOT, 7.0], &[1.0, 1.0]], &[]);
    assert!((only.bounds(20).expect("bounds").area - 14.0).abs() < 1e-9);
    // Both classes are equally full, and one of them is full of tasks that could go to the other.
    let full = problem(&[2, 1], &[&[7.75, 0.0], &[6.75, 0.0], &[6.5, 0.0], &[NOT, 6.5], &[NOT, 4.0]], &[]);
    assert!((full.bounds(0).expect("bounds").area - 10.5).abs() < 1e-9);
    // What could run in either is free in the first class, and the second is full without it.
    let second = problem(&[2, 2], &[&[8.0, 0.0], &[NOT, 8.0]], &[]);
    assert_eq!(second.bounds(20).expect("bounds").area, 4.0);
    // Three classes, one price each.
    let three = problem(&[1, 2, 1], &[&[6.0, 6.0, 6.0][..]; 20], &[]);
    let area = three.bounds(20).expect("bounds").area;
    assert!((29.9..=30.0 + 1e-9).contains(&area), "{area}");
    let none = problem(&[1], &[], &[]).bounds(20);
    assert_eq!(none, Ok(Bounds { area: 0.0, path: 0.0, mixed: 0.0 }));
}

#[test]
fn the_mixed_bound_sees_what_the_two_others_do_not() {
    // A chain that is fast on the one device, which many other tasks need as well.
    let mut times = vec![[NOT, 10.0]; 10];
    times.extend([[40.0, 1.0]; 10]);
    let times: Vec<&[f64]> = times.iter().map(|pair| &pair[..]).collect();
    let edges: Vec<(u32, u32)> = (10..19).map(|task| (task, task + 1)).collect();
    let bounds = problem(&[1, 1], &times, &edges).bounds(200).expect("bounds");
    assert!(bounds.mixed >= bounds.area.max(bounds.path));
    let fork = |width: u32| {
        // A first task, many, a last one: on 4 workers no other is run beside the first and the last.
        let count = width + 2;
        let times = vec![&[2.0][..]; count as usize];
        let into = (1..=width).map(|task| (0, task));
        let edges: Vec<(u32, u32)> = into.chain((1..=width).map(|task| (task, width + 1))).collect();
        problem(&[4], &times, &edges)
    };
    let bounds = fork(16).bounds(60).expect("bounds");
    assert_eq!((bounds.area, bounds.path), (9.0, 6.0));
    assert!(bounds.mixed <= 12.0 + 1e-9 && bounds.mixed >= 9.0);
}

#[test]
fn a_part_of_the_work_counts_as_a_part() {
    let mut chain = problem(&[9], &[&[8.0], &[1.0]], &[(0, 1)]);
    chain.edges[0].part = 0.25;
    assert_eq!(chain.bounds(20).expect("bounds").path, 8.0);
    chain.times[1] = 100.0;
    let bounds = chain.bounds(20).expect("bounds");
    assert_eq!((bounds.path, best(&chain)), (102.0, 102.0));
    assert!(bounds.mixed <= 102.0 + 1e-9);
}

#[test]
fn what_has_no_bounds_is_told() {
    let circle = problem(&[1], &[&[1.0], &[1.0]], &[(0, 1), (1, 0)]);
    assert_eq!(circle.bounds(20), Err(BoundsError::Circle));
    assert_eq!(problem(&[1], &[&[NOT]], &[]).bounds(20), Err(BoundsError::Nowhere));
    let malformed = [
        problem(&[1], &[&[f64::NAN]], &[]),
        problem(&[1], &[&[-1.0]], &[]),
        problem(&[0], &[&[1.0]], &[]),
        problem(&[], &[&[1.0]], &[]),
        problem(&[1], &[&[1.0]], &[(0, 1)]),
        problem(&[1, 1], &[&[1.0, 1.0], &[1.0]], &[]),
    ];
    for problem in malformed {
        assert_eq!(problem.bounds(20), Err(BoundsError::Malformed), "{problem:?}");
    }
}

fn time() -> impl Strategy<Value = f64> {
    prop_oneof![4 => (0..40_u32).prop_map(|n| f64::from(n) / 4.0), 1 => Just(NOT)]
}

/// Small problems in which every task can run somewhere, and edges lead onwards.
fn small(classes: RangeInclusive<usize>) -> impl Strategy<Value = Problem> {
    (classes, 1..=5_usize).prop_flat_map(|(classes, tasks)| {
        let places = prop::collection::vec(1..=2_u32, classes);
        let times = prop::collection::vec(time(), classes * tasks);
        let edges = prop::collection::vec((0..tasks as u32, 0..tasks as u32, 0..=4_u32), 0..=2 * tasks);
        (places, times, edges).prop_map(move |(places, mut times, edges)| {
            for (task, own) in times.chunks_mut(classes).enumerate() {
                if own.iter().all(|time| time.is_infinite()) {
                    own[task % classes] = 1.5;
                }
            }
            let onwards = edges.into_iter().filter(|(from, to, _)| from < to);
            let edges = onwards.map(|(from, to, part)| Precedence { from, to, part: part as f32 / 4.0 });
            Problem { places, times, lengths: Vec::new(), edges: edges.collect() }
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if cfg!(miri) { 4 } else { 300 }, ..ProptestConfig::default() })]

    #[test]
    fn no_schedule_ends_before_a_bound(problem in small(1..=3), rounds in 0..40_u32) {
        let bounds = problem.bounds(rounds).expect("a graph without circles");
        let best = best(&problem);
        prop_assert!(bounds.area <= best + 1e-9, "{bounds:?} of {best}");
        prop_assert!(bounds.path <= best + 1e-9, "{bounds:?} of {best}");
        prop_assert!(bounds.mixed <= best + 1e-9, "{bounds:?} of {best}");
        prop_assert!(bounds.mixed >= bounds.area.max(bounds.path));
    }

    #[test]
    fn the_area_bound_of_two_classes_is_the_best(problem in small(2..=2)) {
        let area = problem.bounds(0).expect("bounds").area;
        let grid = area_by_grid(&problem);
        prop_assert!(area >= grid - 1e-9, "{area} and {grid}");
    }
}

#[test]
fn a_wavefront_of_many_tasks_is_close_to_its_bound() {
    // The wavefront has as many rows as columns, and takes half as long in the second class. A simulation of it takes
    // not much longer than the bound.
    let side = if cfg!(miri) { 6_u32 } else { 60 };
    let times = vec![&[2.0, 1.0][..]; (side * side) as usize];
    let mut edges = Vec::new();
    for row in 0..side {
        for column in 0..side {
            let task = row * side + column;
            if column + 1 < side {
                edges.push((task, task + 1));
            }
            if row + 1 < side {
                edges.push((task, task + side));
            }
        }
    }
    let bounds = problem(&[4, 2], &times, &edges).bounds(24).expect("bounds");
    assert_eq!(bounds.path, f64::from(2 * side - 1));
    assert!((bounds.area - f64::from(side * side) / 4.0).abs() < 1e-6, "{bounds:?}");
    assert!(bounds.mixed >= bounds.area);
}

/// Heads that the first class does as their scopes. `ends` are edges of which the scope's end is waited for.
fn gathered(problem: &Problem, within: &[Option<u32>], ends: &[(u32, u32)]) -> Problem {
    let gathering = Gathering::new(within.iter().map(|head| head.unwrap_or(NOBODY)).collect());
    let inner = problem.edges.iter().map(|edge| (edge.from, edge.to, edge.part, false));
    let ends = ends.iter().map(|&(from, to)| (from, to, 1.0, true));
    let outer: Vec<Precedence> =
        inner.chain(ends).filter_map(|(from, to, part, ends)| gathering.edge(from, to, part, ends)).collect();
    problem.clone().gather(&gathering, &outer).expect("a graph without circles")
}

#[test]
fn a_head_is_its_kernel_or_its_scope_on_all_workers() {
    // Two workers and a device. A function of 1 creates three tasks of 3, of which the third waits for the first. The
    // kernel takes 6. Two of these in a chain.
    let one: [&[f64]; 4] = [&[1.0, 6.0], &[3.0, NOT], &[3.0, NOT], &[3.0, NOT]];
    let times = [one, one].concat();
    let edges = [(0, 1), (0, 2), (0, 3), (1, 3), (4, 5), (4, 6), (4, 7), (5, 7)];
    let detailed = problem(&[2, 1], &times, &edges);
    let within = [None, Some(0), Some(0), Some(0), None, Some(4), Some(4), Some(4)];
    let two = gathered(&detailed, &within, &[(0, 4)]);
    assert_eq!((two.times.clone(), two.lengths.clone()), (vec![10.0, 6.0, 10.0, 6.0], vec![7.0, 6.0, 7.0, 6.0]));
    assert_eq!(two.edges, [Precedence { from: 0, to: 1, part: 1.0 }]);
    let bounds = two.bounds(40).expect("bounds");
    // Both as kernels take 12 of the device; one as its scope takes 5 of both workers.
    assert_eq!(bounds.path, 12.0);
    assert!((bounds.area - 60.0 / 11.0).abs() < 1e-9, "{bounds:?}");
    assert!(bounds.mixed >= 12.0 && bounds.mixed <= 12.0 + 1e-9, "{bounds:?}");
    // With one worker its share is all of the sum. A kernel of 50 is never better.
    let slow: [&[f64]; 4] = [&[1.0, 50.0], &[3.0, NOT], &[3.0, NOT], &[3.0, NOT]];
    let alone = gathered(&problem(&[1, 1], &slow, &edges[..4]), &within[..4], &[]);
    assert_eq!(alone.bounds(20).expect("bounds").path, 10.0);
    // What waits for something in the scope may begin with it, and so do others of the scope that wait for it.
    let into = problem(&[2, 1], &times, &[(1, 4), (4, 2)]);
    let within = [None, Some(0), Some(0), Some(0), None, None, None, None];
    assert_eq!(gathered(&into, &within, &[]).edges, [Precedence { from: 0, to: 1, part: 0.0 }]);
    // A scope in the scope may not be there, and a task of it may run elsewhere: both count as little as they may.
    let nested: [&[f64]; 4] = [&[1.0, 50.0], &[2.0, 9.0], &[3.0, NOT], &[4.0, 3.0]];
    let nested = problem(&[2, 1], &nested, &[(0, 1), (1, 2), (0, 3)]);
    let nested = gathered(&nested, &[None, Some(0), Some(1), Some(0)], &[]);
    assert_eq!((nested.times, nested.lengths), (vec![1.0, 50.0], vec![4.0, 50.0]));
}

/// The best schedule in which the first task is the head of the tasks of `within`: as its scope or as its kernel.
fn best_of_both(problem: &Problem, within: &[Option<u32>], ends: &[u32]) -> f64 {
    let is_of = |task: usize| task == 0 || within[task].is_some();
    let mut function = problem.clone();
    let edge = |from: usize, to: u32| Precedence { from: from as u32, to, part: 1.0 };
    for &to in ends {
        function.edges.extend((0..problem.count()).filter(|&task| is_of(task)).map(|task| edge(task, to)));
    }
    let mut kernel = function.clone();
    function.times[1] = NOT;
    let function = best(&function);
    if kernel.times[1] == NOT {
        return function;
    }
    kernel.times[0] = NOT;
    for task in (1..problem.count()).filter(|&task| is_of(task)) {
        (kernel.times[2 * task], kernel.times[2 * task + 1]) = (0.0, 0.0);
    }
    function.min(best(&kernel))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if cfg!(miri) { 4 } else { 300 }, ..ProptestConfig::default() })]

    #[test]
    fn neither_variant_of_a_head_ends_before_a_bound(problem in small(2..=2), scope in 0..16_u32, ends in 0..16_u32) {
        let mut problem = problem;
        if problem.times[0].is_infinite() {
            problem.times[0] = 2.0;
        }
        let count = problem.count() as u32;
        let within: Vec<Option<u32>> =
            (0..count).map(|task| (task > 0 && scope >> (task - 1) & 1 != 0).then_some(0)).collect();
        // What waits for the scope comes after all of it.
        let last = (0..count).rfind(|&task| within[task as usize].is_some()).unwrap_or(0);
        let ends: Vec<u32> = (last + 1..count).filter(|task| ends >> (task - 1) & 1 != 0).collect();
        let best = best_of_both(&problem, &within, &ends);
        let ends: Vec<(u32, u32)> = ends.into_iter().map(|to| (0, to)).collect();
        let bounds = gathered(&problem, &within, &ends).bounds(20).expect("bounds");
        prop_assert!(bounds.area <= best + 1e-9, "{bounds:?} of {best}");
        prop_assert!(bounds.path <= best + 1e-9, "{bounds:?} of {best}");
        prop_assert!(bounds.mixed <= best + 1e-9, "{bounds:?} of {best}");
    }
}
