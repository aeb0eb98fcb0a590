//! Bounds of a schedule: no schedule of a graph of tasks on a machine ends earlier than they say. A pure computation.
//!
//! The machine has classes of places: workers, and each device. Class `r` has `m(r)` places. Task `i` takes the time
//! `p(i, r)` in class `r`, or cannot run there. An edge says that a task begins no earlier than another has done a part
//! of its work; mostly all of it.
//!
//! A task may be one that its class does not run as a whole: all its places may work on it together (`gather.rs`). Its
//! time is then the time of all places that it needs, and its length how long it lasts at least. For all others both
//! are the same. Places are filled by times, and paths are as long as lengths.
//!
//! * The **area bound** is the least time if work could be split at will over all places: the value of a linear
//!   program (`area.rs`).
//! * The **critical path** is the longest chain of tasks, each at the place where it is fastest.
//! * The **mixed bound** is never below these two. Take any flow of value `F` from sources to sinks of the graph, of
//!   which `f(i)` passes task `i`. Take also any price `z(r) >= 0` for a place of each class, such that `F + sum of
//!   m(r) z(r) = 1`. Then the sum over all tasks of the least of `l(i, r) f(i) + p(i, r) z(r)` over `r` is a bound,
//!   where `l(i, r)` is the length.
//!
//! Why the mixed bound is one: in a schedule of time `T`, the tasks of each path last `T` at most, and the tasks of a
//! class take `m(r) T` at most. The sum of these, weighted by the flow and the prices, is at most `T`. In it each task
//! counts with what it takes where it is, which is no less than the least.
//!
//! Prices and flow are found by *fictitious play* (`mixed.rs`). Each round needs a longest path and the loads of
//! classes, and every round gives a bound that is valid. Rounding is within some `1e-12` of the result.

mod area;
mod gather;
mod mixed;

pub use gather::Gathering;

#[cfg(test)]
mod tests;

/// A graph of tasks, and what it is to run on.
#[derive(Clone, Debug, Default)]
pub struct Problem {
    /// How many places each class has; at least 1.
    pub places: Vec<u32>,
    /// The time of each task in each class, task by task: that of task `i` in class `r` stands at `i * places.len() +
    /// r`. Infinity where the task cannot run in the class.
    pub times: Vec<f64>,
    /// How long each task lasts at least in each class, in the order of `times`. Empty if that is the time of each.
    pub lengths: Vec<f64>,
    /// Which task waits for a part of which other.
    pub edges: Vec<Precedence>,
}

/// An edge of the graph: a task begins no earlier than another has done a part of its work.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Precedence {
    /// The number of the task that is waited for.
    pub from: u32,
    /// The number of the task that waits.
    pub to: u32,
    /// The part of its work that the first task has done by then, from 0 to 1, which is all of it.
    pub part: f32,
}

/// Times before which no schedule ends, in the unit of [`Problem::times`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The area bound: all work is divided without loss.
    pub area: f64,
    /// The critical path: the longest chain of dependent tasks.
    pub path: f64,
    /// The mixed bound, which takes chains and work into account at once.
    pub mixed: f64,
}

/// Why a graph has no bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoundsError {
    /// Some tasks wait for each other in a circle.
    Circle,
    /// A task can run in no class.
    Nowhere,
    /// Some number is no time, no part or no task, or a class has no place.
    Malformed,
}

impl std::fmt::Display for BoundsError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            BoundsError::Circle => "EDTs wait for each other",
            BoundsError::Nowhere => "an EDT can run in no place of the machine",
            BoundsError::Malformed => "some of its times are no times",
        })
    }
}

/// The tasks in an order in which each comes behind all that it waits for, and the edges by the task that they lead
/// from.
struct LengthOrder {
    /// The tasks in that order.
    tasks: Vec<u32>,
    /// For each task, the index of the first of its edges; at the end, the number of edges.
    first: Vec<u32>,
    /// For each edge, the task that it leads to, and the part of the work that counts.
    edges: Vec<(u32, f32)>,
}

impl LengthOrder {
    /// The order of a problem that has been checked. The error is [`BoundsError::Circle`].
    fn of(problem: &Problem) -> Result<LengthOrder, BoundsError> {
        let count = problem.count();
        let mut first = vec![0; count + 1];
        let mut before = vec![0_u32; count];
        for edge in &problem.edges {
            first[edge.from as usize + 1] += 1;
            before[edge.to as usize] += 1;
        }
        for task in 0..count {
            first[task + 1] += first[task];
        }
        let mut next = first.clone();
        let mut edges = vec![(0, 0.0); problem.edges.len()];
        for edge in &problem.edges {
            let at = &mut next[edge.from as usize];
            edges[*at as usize] = (edge.to, edge.part);
            *at += 1;
        }
        let is_source = |task: &u32| before[*task as usize] == 0;
        let mut tasks: Vec<u32> = (0..count as u32).filter(is_source).collect();
        let mut at = 0;
        while let Some(&task) = tasks.get(at) {
            at += 1;
            for (to, _) in &edges[range(&first, task)] {
                before[*to as usize] -= 1;
                if before[*to as usize] == 0 {
                    tasks.push(*to);
                }
            }
        }
        if tasks.len() < count {
            return Err(BoundsError::Circle);
        }
        Ok(LengthOrder { tasks, first, edges })
    }

    /// The longest path where each task takes what `takes` says: its length and its last task. Fills `by` with the task
    /// before each on its longest path, and the part of that one's work that counts. `begins` is room for the
    /// computation.
    fn longest(&self, takes: &[f64], begins: &mut [f64], by: &mut [(u32, f32)]) -> LongestPath {
        begins.fill(0.0);
        by.fill((NOBODY, 0.0));
        let mut end = LongestPath { length: 0.0, last: NOBODY };
        for &task in &self.tasks {
            let (begin, takes) = (begins[task as usize], takes[task as usize]);
            if begin + takes > end.length {
                end = LongestPath { length: begin + takes, last: task };
            }
            for &(to, part) in &self.edges[range(&self.first, task)] {
                let at = begin + f64::from(part) * takes;
                if at > begins[to as usize] {
                    begins[to as usize] = at;
                    by[to as usize] = (task, part);
                }
            }
        }
        end
    }
}

/// The number that stands for no task.
const NOBODY: u32 = u32::MAX;

/// A longest path: its length, and its last task, which is [`NOBODY`] if the length is 0.
struct LongestPath {
    length: f64,
    last: u32,
}

/// The indices of a task's edges.
fn range(first: &[u32], task: u32) -> std::ops::Range<usize> {
    first[task as usize] as usize..first[task as usize + 1] as usize
}

impl Problem {
    /// How many tasks there are.
    pub fn count(&self) -> usize {
        self.times.len() / self.places.len().max(1)
    }

    /// The classes in which a task can run, each with the time that it takes there.
    fn choices(&self, task: usize) -> impl Iterator<Item = (usize, f64)> {
        let classes = self.places.len();
        let times = &self.times[task * classes..(task + 1) * classes];
        times.iter().copied().enumerate().filter(|(_, time)| time.is_finite())
    }

    /// How long a task lasts at least in a class in which it can run.
    fn length(&self, task: usize, class: usize) -> f64 {
        let at = task * self.places.len() + class;
        if self.lengths.is_empty() { self.times[at] } else { self.lengths[at] }
    }

    /// Checks the numbers of the problem. The error is [`BoundsError::Malformed`] or [`BoundsError::Nowhere`].
    fn check(&self) -> Result<(), BoundsError> {
        let classes = self.places.len();
        let count = self.count();
        let is_time = |time: &f64| *time >= 0.0;
        let is_edge = |edge: &Precedence| {
            (edge.from as usize) < count && (edge.to as usize) < count && (0.0..=1.0).contains(&edge.part)
        };
        let whole = classes != 0 && self.times.len() == classes * count;
        let whole = whole && (self.lengths.is_empty() || self.lengths.len() == self.times.len());
        let are_times = self.times.iter().chain(&self.lengths).all(is_time);
        if !whole || self.places.contains(&0) || !are_times || !self.edges.iter().all(is_edge) {
            return Err(BoundsError::Malformed);
        }
        if (0..count).all(|task| self.choices(task).next().is_some()) { Ok(()) } else { Err(BoundsError::Nowhere) }
    }

    /// The length of each task in the class where it is shortest.
    fn least_lengths(&self) -> Vec<f64> {
        let least = |task| self.choices(task).map(|(class, _)| self.length(task, class)).fold(f64::INFINITY, f64::min);
        (0..self.count()).map(least).collect()
    }

    /// The bounds of the graph. `rounds` is how many rounds are played for the mixed one; some twenty are enough.
    ///
    /// # Errors
    /// [`BoundsError`] where a number makes no sense, a task can run nowhere, or tasks wait for each other.
    pub fn bounds(&self, rounds: u32) -> Result<Bounds, BoundsError> {
        self.check()?;
        let order = LengthOrder::of(self)?;
        let (area, prices) = area::bound(self);
        let (path, mixed) = mixed::bound(self, &order, &prices, rounds);
        Ok(Bounds { area, path, mixed: mixed.max(area).max(path) })
    }
}
