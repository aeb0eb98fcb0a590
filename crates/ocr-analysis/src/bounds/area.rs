//! The area bound: the least time where work is split at will over all places.
//!
//! It is the least `T` such that some division of each task over the classes gives no class more than `T` for each of
//! its places. Let `p(i, r)` be what task `i` takes in class `r`, and `m(r)` the number of places of that class. Any
//! prices `z(r) >= 0` with `sum of m(r) z(r) = 1` give a bound: the sum over all tasks of the least of `p(i, r) z(r)`.
//! By duality, the best prices give the area bound itself.

use super::Problem;

/// How many rounds are played for more than two classes.
const ROUNDS: u32 = 120;

/// The area bound, and prices that give it, one for each class. For one class and for two the bound is exact, to
/// rounding. For more classes it is valid, and close to the best.
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
    let sum: f64 = pairs.map(|(price, places)| price * f64::from(*places)).sum();
    if sum > 0.0 {
        prices.iter_mut().for_each(|price| *price /= sum);
    }
}

/// The bound that prices give.
fn value(problem: &Problem, prices: &[f64]) -> f64 {
    let least = |task| {
        let choices = problem.choices(task);
        choices.map(|(class, time)| time * prices[class]).fold(f64::INFINITY, f64::min)
    };
    (0..problem.count()).map(least).sum()
}

/// The prices for two classes. Tasks are moved from the first class to the second, those first that save most by it,
/// until both are equally full. The task at which that happens costs the same in both classes, which gives the prices.
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
    // The tasks that gain most by the second class come first. A task whose times are both 0 is left out, since there
    // is no decision about it.
    either.retain(|(time, other)| *time != 0.0 || *other != 0.0);
    either.sort_unstable_by(|a, b| (a.1 * b.0).total_cmp(&(b.1 * a.0)));
    for (time, other) in either {
        let moved = [load[0] - time, load[1] + other];
        if moved[0] / first <= moved[1] / second {
            if load[0] / first <= load[1] / second {
                break;
            }
            // The task is divided here, so it costs the same in both classes: time * z(0) = other * z(1).
            return vec![other, time];
        }
        load = moved;
    }
    // No task is divided, so the fuller class alone has a price. Where both are equally full, it is the second one,
    // whose tasks cannot be moved.
    if load[0] / first > load[1] / second { vec![1.0, 0.0] } else { vec![0.0, 1.0] }
}

/// The prices for more than two classes, by fictitious play. One player sets prices, the other places tasks, and in
/// each round each answers the mean of what the other has done so far. The best prices of all rounds count.
fn by_play(problem: &Problem) -> Vec<f64> {
    let classes = problem.places.len();
    let mut prices: Vec<f64> = problem.places.iter().map(|places| 1.0 / f64::from(*places)).collect();
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
        let share: f64 = prices.iter().zip(&problem.places).map(|(z, m)| z * f64::from(*m)).sum();
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
