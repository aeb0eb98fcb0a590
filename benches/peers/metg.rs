//! The minimum effective task granularity, METG(50 %), of Slaughter et al. (SC20): how short tasks
//! may be, on average, until half of the machine's speed is lost.

use super::support::Figures;

/// A point of a sweep.
#[derive(Clone, Copy)]
pub(crate) struct Point {
    /// Time of a task on its worker, with all that the runtime adds: time in all by tasks per
    /// worker, in nanoseconds.
    granularity: f64,
    /// Iterations per nanosecond, all workers together.
    speed: f64,
}

/// The points of a sweep, from long to short tasks; of each, the fastest of the runs that the program
/// printed.
pub(crate) fn points(figures: &Figures, workers: usize) -> Vec<Point> {
    let columns = ["iterations", "tasks", "ns"].map(|key| figures.all(key));
    let mut points: Vec<Point> = Vec::new();
    for at in 0..columns[2].len() {
        let [iterations, tasks, ns] = columns.map(|column| column[at]);
        let point = Point { granularity: ns * workers as f64 / tasks, speed: iterations * tasks / ns };
        match points.last_mut() {
            Some(last) if at > 0 && columns[0][at - 1] == iterations => {
                *last = faster(*last, &point);
            }
            _ => points.push(point),
        }
    }
    points
}

fn faster(a: Point, b: &Point) -> Point {
    if b.speed > a.speed { *b } else { a }
}

/// The sweep whose points are the fastest of several: of the same program with the same arguments.
pub(crate) fn fastest(sweeps: &[Vec<Point>]) -> Vec<Point> {
    (0..sweeps[0].len())
        .map(|at| {
            let points = sweeps.iter().map(|points| &points[at]);
            points.fold(sweeps[0][at], faster)
        })
        .collect()
}

/// The best speed of a sweep.
pub(crate) fn best(points: &[Point]) -> f64 {
    points.iter().map(|point| point.speed).fold(0.0, f64::max)
}

/// The least granularity at which half of `peak` is reached, in nanoseconds: between the last point
/// that reaches it and the next, on a straight line in logarithms. Infinite if no point does. If the
/// last one does, METG is less than that point's granularity, which is what this gives then.
pub(crate) fn metg(points: &[Point], peak: f64) -> f64 {
    let enough = |point: &Point| point.speed >= peak / 2.0;
    let Some(last) = points.iter().rposition(enough) else {
        return f64::INFINITY;
    };
    let above = points[last];
    let Some(below) = points.get(last + 1) else {
        return above.granularity;
    };
    let share = (above.speed / (peak / 2.0)).ln() / (above.speed / below.speed).ln();
    above.granularity * (below.granularity / above.granularity).powf(share)
}

/// Checks the above with a runtime that adds 100 ns to every task: half of the speed is left when a
/// task computes for 100 ns, which makes it 200; the straight line between two points is a little off.
pub(crate) fn check() {
    let points: Vec<Point> = (0..12)
        .map(|halved| 16384.0 / f64::from(1 << halved))
        .map(|work| Point { granularity: work + 100.0, speed: work / (work + 100.0) })
        .collect();
    let found = metg(&points, 1.0);
    assert!((found - 200.0).abs() < 10.0, "METG is {found}, not 200");
    assert!(metg(&points, 3.0).is_infinite());
}
