//! Tasks that are done as one by a kernel, or as many by a function and what it creates.
//!
//! A *head* is a finish EDT that has a kernel beside a function which creates EDTs: its scope. In the first class, that
//! of the host, the head is its function and all of the scope. In other classes it is the kernel, and the EDTs of the
//! scope are not there. So head and scope are gathered to one task:
//!
//! * In other classes it takes what the head takes.
//! * In the first class it takes the sum of the head's time and of those in its scope. It lasts at least as long as the
//!   longest chain in the scope, and at least that sum over the number of places: its share of the workers.
//!
//! What may be less in another schedule counts as little as it may be. A task of the scope that can run in another
//! class adds nothing to the sum, and counts in chains with its least time. One in the scope of a head within the scope
//! counts nowhere, since it may not be there. What waits for something that is done within the scope waits for the
//! begin of the gathered task alone, and the gathered task waits for what its head waits for.

use super::{BoundsError, LengthOrder, NOBODY, Precedence, Problem, range};

/// Which tasks are gathered.
#[derive(Clone, Debug, Default)]
pub struct Gathering {
    /// For each task the outermost head in whose scope it is, or which it is itself; `u32::MAX` for none.
    group: Vec<u32>,
    /// For each task the nearest head in whose scope it is; `u32::MAX` for none.
    within: Vec<u32>,
}

impl Gathering {
    /// `within` has for each task the nearest head in whose scope it is, and `u32::MAX` for none. A head has a lower
    /// number than the tasks in its scope; one that has not is none.
    pub fn new(mut within: Vec<u32>) -> Gathering {
        let mut group = vec![NOBODY; within.len()];
        for task in 0..within.len() {
            let head = within[task] as usize;
            if head < task {
                group[head] = if group[head] == NOBODY { head as u32 } else { group[head] };
                group[task] = group[head];
            } else {
                within[task] = NOBODY;
            }
        }
        Gathering { group, within }
    }

    /// Whether there is no head.
    pub fn is_empty(&self) -> bool {
        self.group.iter().all(|&head| head == NOBODY)
    }

    /// The outermost head in whose scope a task is, or which it is itself; `u32::MAX` for none.
    pub fn head(&self, task: u32) -> u32 {
        self.group[task as usize]
    }

    /// The edge of the gathered problem where one task waits for another: none where both are in one group. `part` is
    /// the part of the first one's time that counts, and `ends` says that the end of the first one's scope is waited
    /// for.
    pub fn edge(&self, from: u32, to: u32, part: f32, ends: bool) -> Option<Precedence> {
        let [head, other] = [from, to].map(|task| self.group[task as usize]);
        match (head, other) {
            (NOBODY, NOBODY) => Some(Precedence { from, to, part }),
            (head, other) if head == other => None,
            // Other tasks of the scope may begin earlier.
            (_, other) if other != NOBODY && other != to => None,
            (NOBODY, _) => Some(Precedence { from, to, part }),
            (head, _) => Some(Precedence { from: head, to, part: if ends { 1.0 } else { 0.0 } }),
        }
    }
}

impl Problem {
    /// The problem in which each head is gathered with its scope. The edges of this problem are those among tasks as
    /// they are, and `outer` those of [`Gathering::edge`]. The first class is that of the host.
    ///
    /// # Errors
    /// [`BoundsError`] where a number makes no sense, or tasks wait for each other.
    pub fn gather(self, gathering: &Gathering, outer: &[Precedence]) -> Result<Problem, BoundsError> {
        if gathering.is_empty() {
            return Ok(self);
        }
        self.check()?;
        let order = LengthOrder::of(&self)?;
        let Gathering { group, within } = gathering;
        let (count, classes) = (self.count(), self.places.len());
        let is_inner = |task: usize| group[task] != NOBODY && group[task] as usize != task;
        let counts = |task: usize| !is_inner(task) || within[task] == group[task];
        // By head: the sum of the times, and the longest chain.
        let mut sums = vec![0.0; count];
        let mut chains = vec![0.0_f64; count];
        let mut begins = vec![0.0; count];
        for &number in &order.tasks {
            let task = number as usize;
            if group[task] == NOBODY {
                continue;
            }
            let head = group[task] as usize;
            let own = self.times[task * classes];
            let mut least = 0.0;
            if head == task {
                (least, sums[head]) = (own, sums[head] + own);
            } else if counts(task) {
                least = self.choices(task).map(|(_, time)| time).fold(f64::INFINITY, f64::min);
                let is_host_alone = self.choices(task).all(|(class, _)| class == 0);
                sums[head] += if is_host_alone { own } else { 0.0 };
            }
            chains[head] = chains[head].max(begins[task] + least);
            for &(to, part) in &order.edges[range(&order.first, number)] {
                if group[to as usize] == group[task] {
                    begins[to as usize] = f64::max(begins[to as usize], begins[task] + f64::from(part) * least);
                }
            }
        }
        let mut numbers = vec![NOBODY; count];
        let mut gathered = Problem { places: self.places.clone(), ..Problem::default() };
        for task in (0..count).filter(|&task| !is_inner(task)) {
            numbers[task] = gathered.count() as u32;
            let at = gathered.times.len();
            gathered.times.extend(&self.times[task * classes..(task + 1) * classes]);
            gathered.lengths.extend(&self.times[task * classes..(task + 1) * classes]);
            if group[task] != NOBODY {
                gathered.times[at] = sums[task];
                gathered.lengths[at] = chains[task].max(sums[task] / f64::from(self.places[0]));
            }
        }
        let renumbered = outer.iter().map(|edge| {
            let [from, to] = [edge.from, edge.to].map(|task| numbers[task as usize]);
            Precedence { from, to, part: edge.part }
        });
        gathered.edges = renumbered.collect();
        Ok(gathered)
    }
}
