//! Bounds of a schedule: no schedule of a graph of tasks on a machine ends earlier than they say. A pure computation.
//!
//! The machine has classes of places: workers, and each device. A task takes a time of its own in each class, or cannot
//! run there. An edge says that a task begins no earlier than another has done a part of its work: all of it, mostly.
//!
//! * The **area bound** is the best that could be if work could be split at will over all places: the value of a linear
//!   program.
//! * The **critical path** is the longest chain of tasks, each at the place where it is fastest.
//! * The **mixed bound** is never below these two. Take any flow of value `F` from sources to sinks of the graph, of which
//!   `f(i)` passes task `i`, and any price `z(r) >= 0` of a place of class `r`, of which there are `m(r)`, such that
//!   `F + sum of m(r) z(r) = 1`. Then the sum over all tasks of the least of `p(i, r) (f(i) + z(r))` over `r` is a bound.
//!   For in a schedule that takes time `T` each path takes `T` at most, and so does each place: weighted by the flow and
//!   the prices, and added, these are at most `T`, and each task is counted in them with what it takes where it
//!   is, which is no less than the least.
//!
//! Prices and flow are found by *fictitious play* (`mixed.rs`): it needs a longest path and the loads of classes in each
//! round, and every round gives a bound that is valid. Rounding is within some `1e-12` of the result.

mod area;
mod mixed;

#[cfg(all(test, not(loom)))]
mod tests;

/// A graph of tasks, and what it is to run on.
#[derive(Clone, Debug, Default)]
pub struct Problem {
    /// How many places each class has; at least 1.
    pub places: Vec<u32>,
    /// What each task takes in each class, task by task; infinity: it cannot run there.
    pub times: Vec<f64>,
    /// What comes before what.
    pub edges: Vec<Precedence>,
}

/// A task begins when another has done a part of its work.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Precedence {
    /// The one that comes first.
    pub from: u32,
    /// The other.
    pub to: u32,
    /// Which part of its work, from 0 to 1: all of it.
    pub part: f32,
}

/// What no schedule ends before, in the unit of the times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The area bound.
    pub area: f64,
    /// The critical path.
    pub path: f64,
    /// The mixed bound.
    pub mixed: f64,
}

/// Why a graph has no bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoBounds {
    /// Tasks wait for each other.
    Circle,
    /// A task can run nowhere.
    Nowhere,
    /// Numbers that are no times, parts or tasks.
    Malformed,
}

impl std::fmt::Display for NoBounds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            NoBounds::Circle => "EDTs wait for each other",
            NoBounds::Nowhere => "an EDT can run in no place of the machine",
            NoBounds::Malformed => "some of its times are no times",
        })
    }
}

/// The edges by the task that they lead from, and the tasks in an order in which edges lead onwards alone.
struct Order {
    tasks: Vec<u32>,
    first: Vec<u32>,
    edges: Vec<(u32, f32)>,
}

impl Order {
    fn of(problem: &Problem) -> Result<Order, NoBounds> {
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
            return Err(NoBounds::Circle);
        }
        Ok(Order {
            tasks,
            first,
            edges,
        })
    }

    /// The longest path where each task takes so long: its length, and its tasks, each with the part of it that counts.
    /// `begins` and `by` are used as they are.
    fn longest(&self, takes: &[f64], begins: &mut [f64], by: &mut [(u32, f32)]) -> Path {
        begins.fill(0.0);
        by.fill((NOBODY, 0.0));
        let mut end = Path {
            length: 0.0,
            last: NOBODY,
        };
        for &task in &self.tasks {
            let (begin, takes) = (begins[task as usize], takes[task as usize]);
            if begin + takes > end.length {
                end = Path {
                    length: begin + takes,
                    last: task,
                };
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

/// No task.
const NOBODY: u32 = u32::MAX;

/// A longest path: how long, and where it ends.
struct Path {
    length: f64,
    last: u32,
}

fn range(first: &[u32], task: u32) -> std::ops::Range<usize> {
    first[task as usize] as usize..first[task as usize + 1] as usize
}

impl Problem {
    /// How many tasks there are.
    pub fn count(&self) -> usize {
        self.times.len() / self.places.len().max(1)
    }

    /// The classes in which a task can run, and what it takes there.
    fn choices(&self, task: usize) -> impl Iterator<Item = (usize, f64)> {
        let classes = self.places.len();
        let times = &self.times[task * classes..(task + 1) * classes];
        times
            .iter()
            .copied()
            .enumerate()
            .filter(|(_, time)| time.is_finite())
    }

    fn check(&self) -> Result<(), NoBounds> {
        let classes = self.places.len();
        let count = self.count();
        let is_time = |time: &f64| *time >= 0.0;
        let is_edge = |edge: &Precedence| {
            (edge.from as usize) < count
                && (edge.to as usize) < count
                && (0.0..=1.0).contains(&edge.part)
        };
        let whole = classes != 0 && self.times.len() == classes * count;
        if !whole
            || self.places.contains(&0)
            || !self.times.iter().all(is_time)
            || !self.edges.iter().all(is_edge)
        {
            return Err(NoBounds::Malformed);
        }
        if (0..count).all(|task| self.choices(task).next().is_some()) {
            Ok(())
        } else {
            Err(NoBounds::Nowhere)
        }
    }

    /// What each task takes where it is fastest.
    fn least_times(&self) -> Vec<f64> {
        let least = |task| {
            self.choices(task)
                .map(|(_, time)| time)
                .fold(f64::INFINITY, f64::min)
        };
        (0..self.count()).map(least).collect()
    }

    /// The bounds; `rounds` is how much is done for the mixed one, some twenty.
    ///
    /// # Errors
    /// See [`NoBounds`].
    pub fn bounds(&self, rounds: u32) -> Result<Bounds, NoBounds> {
        self.check()?;
        let order = Order::of(self)?;
        let (area, prices) = area::bound(self);
        let (path, mixed) = mixed::bound(self, &order, &prices, rounds);
        Ok(Bounds {
            area,
            path,
            mixed: mixed.max(area).max(path),
        })
    }
}
