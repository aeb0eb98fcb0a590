//! The area bound: work is split at will over all places.
//!
//! It is the least `T` such that some division of each task over the classes gives no class more than `T` for each of its
//! places. Its dual says the same by prices: the most, over prices `z(r) >= 0` with `sum of m(r) z(r) = 1`, of the sum
//! over all tasks of the least of `p(i, r) z(r)`. Any such prices give a bound.

use super::Problem;

/// Rounds for more than two classes.
const ROUNDS: u32 = 120;

/// The bound, and prices that give it. For one class and for two it is exact, to rounding; for more it is a valid bound
/// close to the best.
pub(super) fn bound(problem: &Problem) -> (f64, Vec<f64>) {
    let mut prices = match problem.places.len() {
        1 => vec![1.0],
        2 => by_ratio(problem),
        _ => by_play(problem),
    };
    normalize(problem, &mut prices);
    (value(problem, &prices), prices)
}

/// Scales prices such that the sum over all places is 1.
fn normalize(problem: &Problem, prices: &mut [f64]) {
    let pairs = prices.iter().zip(&problem.places);
    let sum: f64 = pairs
        .map(|(price, places)| price * f64::from(*places))
        .sum();
    if sum > 0.0 {
        prices.iter_mut().for_each(|price| *price /= sum);
    }
}

/// The bound that prices give.
fn value(problem: &Problem, prices: &[f64]) -> f64 {
    let least = |task| {
        let choices = problem.choices(task);
        choices
            .map(|(class, time)| time * prices[class])
            .fold(f64::INFINITY, f64::min)
    };
    (0..problem.count()).map(least).sum()
}

/// Two classes. Tasks are given to the second class in the order of what that saves there against the first, until both
/// are equally full: the task at which that happens, whose cost is the same in both classes, says the prices.
fn by_ratio(problem: &Problem) -> Vec<f64> {
    let [first, second] = [0, 1].map(|class| f64::from(problem.places[class]));
    let pair = |task: usize| [problem.times[2 * task], problem.times[2 * task + 1]];
    let mut load = [0.0, 0.0];
    let mut either = Vec::new();
    for task in 0..problem.count() {
        match pair(task) {
            [time, other] if other.is_infinite() => load[0] += time,
            [time, other] if time.is_infinite() => load[1] += other,
            [time, other] => {
                load[0] += time;
                either.push((time, other));
            }
        }
    }
    // Those first that gain most by the second class. Both times may be 0, where nothing is to be decided.
    either.retain(|(time, other)| *time != 0.0 || *other != 0.0);
    either.sort_unstable_by(|a, b| (a.1 * b.0).total_cmp(&(b.1 * a.0)));
    for (time, other) in either {
        let moved = [load[0] - time, load[1] + other];
        if moved[0] / first <= moved[1] / second {
            if load[0] / first <= load[1] / second {
                break;
            }
            // It is divided, so it costs the same in both: time * z(0) = other * z(1).
            return vec![other, time];
        }
        load = moved;
    }
    // Nothing need be divided: the fuller class says it all. Where both are equally full, what fills the second one cannot be
    // moved, while what fills the first one could.
    if load[0] / first > load[1] / second {
        vec![1.0, 0.0]
    } else {
        vec![0.0, 1.0]
    }
}

/// More classes: who sets prices and who places tasks answer the mean of what the other has done so far.
fn by_play(problem: &Problem) -> Vec<f64> {
    let classes = problem.places.len();
    let mut prices: Vec<f64> = problem
        .places
        .iter()
        .map(|places| 1.0 / f64::from(*places))
        .collect();
    let mut loads = vec![0.0; classes];
    let (mut best, mut most) = (prices.clone(), f64::NEG_INFINITY);
    for round in 1..=ROUNDS {
        let mut sum = 0.0;
        let weight = f64::from(round);
        let mut now = vec![0.0; classes];
        for task in 0..problem.count() {
            let choices = problem.choices(task);
            let least = choices.min_by(|a, b| (a.1 * prices[a.0]).total_cmp(&(b.1 * prices[b.0])));
            if let Some((class, time)) = least {
                now[class] += time;
                sum += time * prices[class];
            }
        }
        let mut scaled = prices.clone();
        normalize(problem, &mut scaled);
        let share: f64 = prices
            .iter()
            .zip(&problem.places)
            .map(|(z, m)| z * f64::from(*m))
            .sum();
        if sum / share > most {
            (best, most) = (scaled, sum / share);
        }
        for class in 0..classes {
            loads[class] += weight * now[class];
        }
        let full = |class: &usize| loads[*class] / f64::from(problem.places[*class]);
        let fullest = (0..classes).max_by(|a, b| full(a).total_cmp(&full(b)));
        if let Some(class) = fullest {
            prices[class] += weight / f64::from(problem.places[class]);
        }
    }
    best
}
