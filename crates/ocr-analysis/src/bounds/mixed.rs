//! The mixed bound, by fictitious play.
//!
//! Two players meet. The first places each task. The second names a path of the graph or a class of places, and gets
//! the length of that path, or the load of a place of that class. In each round both answer the mean of what the other
//! has done so far. The mean of what the second has named is a flow and prices, which give a bound as the head of
//! `mod.rs` says. The best bound of all rounds counts.

use super::{LengthOrder, NOBODY, Problem};

/// The sums of the paths and classes that the second player has named so far. Divided by `weight` they are a flow and
/// prices.
struct NamedSums {
    /// For each task, the weights of the paths through it.
    flow: Vec<f64>,
    /// For each class, the weights with which it was named, divided by its places.
    prices: Vec<f64>,
    /// The weight of all that was named.
    weight: f64,
}

/// The critical path and the mixed bound, by this many rounds. `prices` are those of the area bound: the play begins
/// with these and the critical path.
pub(super) fn bound(problem: &Problem, order: &LengthOrder, prices: &[f64], rounds: u32) -> (f64, f64) {
    let (count, classes) = (problem.count(), problem.places.len());
    let mut begins = vec![0.0; count];
    let mut by = vec![(NOBODY, 0.0); count];
    let mut takes = problem.least_lengths();
    let critical = order.longest(&takes, &mut begins, &mut by);
    let mut named = NamedSums { flow: vec![0.0; count], prices: prices.to_vec(), weight: 1.0 };
    named.path(critical.last, &by, 1.0);
    let mut loads = vec![0.0; classes];
    takes.fill(0.0);
    let mut most = 0.0_f64;
    for round in 1..=rounds {
        // Later rounds weigh more, since they answer more of what the other player does.
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

impl NamedSums {
    /// Names a path, which leads to the task `last`. `by` has for each task the one before it on the path, and the part
    /// of that one's work that counts.
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

    /// Places each task where it costs least by what was named, and returns the sum of these costs. Adds the length of
    /// each task there, times `weight`, to `takes` of the task, and its time to `loads` of the class.
    fn answer(&self, problem: &Problem, weight: f64, takes: &mut [f64], loads: &mut [f64]) -> f64 {
        let mut sum = 0.0;
        for (task, (flow, takes)) in self.flow.iter().zip(takes).enumerate() {
            let mut least = (f64::INFINITY, 0, 0.0, 0.0);
            for (class, time) in problem.choices(task) {
                let length = problem.length(task, class);
                let cost = length * flow + time * self.prices[class];
                // If costs are equal, as where no class has a price yet, the class counts in which the task takes less
                // time.
                if cost < least.0 || cost == least.0 && time < least.2 {
                    least = (cost, class, time, length);
                }
            }
            let (cost, class, time, length) = least;
            sum += cost;
            *takes += weight * length;
            loads[class] += weight * time;
        }
        sum
    }
}
