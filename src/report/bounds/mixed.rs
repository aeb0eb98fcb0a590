//! The mixed bound, by fictitious play.
//!
//! Two players meet. One places each task; the other names a path of the graph or a class of places, and gets the length
//! of that path, or the load of a place of that class. In each round both answer the mean of what the other has done so
//! far. What the second has named, as a mean, is a flow and prices: a bound, by the head of `mod.rs`. The best one counts.

use super::{NOBODY, Order, Problem};

/// What paths and classes that were named come to, not divided by their weight.
struct Named {
    /// For each task.
    flow: Vec<f64>,
    /// For each class.
    prices: Vec<f64>,
    weight: f64,
}

/// The critical path and the mixed bound. `prices` are those of the area bound: the play begins with both.
pub(super) fn bound(problem: &Problem, order: &Order, prices: &[f64], rounds: u32) -> (f64, f64) {
    let (count, classes) = (problem.count(), problem.places.len());
    let mut begins = vec![0.0; count];
    let mut by = vec![(NOBODY, 0.0); count];
    let mut takes = problem.least_times();
    let critical = order.longest(&takes, &mut begins, &mut by);
    let mut named = Named {
        flow: vec![0.0; count],
        prices: prices.to_vec(),
        weight: 1.0,
    };
    named.path(critical.last, &by, 1.0);
    let mut loads = vec![0.0; classes];
    takes.fill(0.0);
    let mut most = 0.0_f64;
    for round in 1..=rounds {
        // Later rounds weigh more: they know more.
        let weight = f64::from(round);
        let bound = named.answer(problem, weight, &mut takes, &mut loads) / named.weight;
        most = most.max(bound);
        let path = order.longest(&takes, &mut begins, &mut by);
        let fill = |class: usize| loads[class] / f64::from(problem.places[class]);
        let fullest = (0..classes).max_by(|&a, &b| fill(a).total_cmp(&fill(b)));
        match fullest {
            Some(class) if fill(class) >= path.length => {
                named.prices[class] += weight / f64::from(problem.places[class]);
                named.weight += weight;
            }
            _ => named.path(path.last, &by, weight),
        }
    }
    let (mut unused, mut loads) = (vec![0.0; count], vec![0.0; classes]);
    let last = named.answer(problem, 1.0, &mut unused, &mut loads) / named.weight;
    (critical.length, most.max(last))
}

impl Named {
    /// Names a path, by its last task and who comes before each.
    fn path(&mut self, last: u32, by: &[(u32, f32)], weight: f64) {
        if last == NOBODY {
            // All tasks take no time.
            return;
        }
        self.weight += weight;
        self.flow[last as usize] += weight;
        let mut at = last;
        loop {
            let (before, part) = by[at as usize];
            if before == NOBODY {
                return;
            }
            self.flow[before as usize] += weight * f64::from(part);
            at = before;
        }
    }

    /// Each task is placed where it costs least, by what was named; the sum of these costs. What that comes to is added,
    /// with this weight, to what each task takes and to the loads.
    fn answer(&self, problem: &Problem, weight: f64, takes: &mut [f64], loads: &mut [f64]) -> f64 {
        let mut sum = 0.0;
        for (task, (flow, takes)) in self.flow.iter().zip(takes).enumerate() {
            let mut least = (f64::INFINITY, 0, 0.0);
            for (class, time) in problem.choices(task) {
                let cost = time * (flow + self.prices[class]);
                // Of equal costs, as where nothing has a price yet, the one that takes less.
                if cost < least.0 || cost == least.0 && time < least.2 {
                    least = (cost, class, time);
                }
            }
            let (cost, class, time) = least;
            sum += cost;
            *takes += weight * time;
            loads[class] += weight * time;
        }
        sum
    }
}
