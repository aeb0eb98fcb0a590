//! Which points of a run come before which: a graph, and whether a path leads from one of its points to another.
//!
//! Points are numbered in a topological order, so an edge leads from a lower number to a higher one. A question is
//! answered by the first of these that can tell:
//!
//! - the numbers, and the levels: a point has a higher one than all that come before it;
//! - two labels of random orders of a search by depth, as in GRAIL: a point's interval has those of all behind it;
//! - two spanning trees, each with an interval for a point's subtree: what is in it comes after the point;
//! - a tree of first successors with jumps: from a point straight to its last successor before the other point;
//! - a search from both ends, which the former keep short.
//!
//! None of them recurses, and all of them together take less than 100 bytes for a point.

/// A point that does not exist.
pub(super) const NONE: u32 = u32::MAX;

/// How many points a search looks at before it gives up.
const MOST: usize = 50_000;

/// Points and edges, while they are gathered.
#[derive(Default)]
pub(super) struct Edges {
    points: u32,
    edges: Vec<(u32, u32)>,
}

impl Edges {
    /// A new point.
    pub(super) fn point(&mut self) -> u32 {
        self.points += 1;
        self.points - 1
    }

    /// Notes that `from` comes before `to`.
    pub(super) fn before(&mut self, from: u32, to: u32) {
        if from != to && from != NONE && to != NONE && self.edges.last() != Some(&(from, to)) {
            self.edges.push((from, to));
        }
    }
}

/// Neighbours of points: those of `v` are `list[first[v]..first[v + 1]]`.
struct PointNeighbours {
    first: Vec<u32>,
    list: Vec<u32>,
}

impl PointNeighbours {
    fn of(points: usize, edges: &[(u32, u32)], flip: bool) -> PointNeighbours {
        let ends = |&(from, to): &(u32, u32)| if flip { (to, from) } else { (from, to) };
        let mut first = vec![0u32; points + 1];
        for edge in edges {
            first[ends(edge).0 as usize + 1] += 1;
        }
        for at in 0..points {
            first[at + 1] += first[at];
        }
        let mut next = first.clone();
        let mut list = vec![0u32; edges.len()];
        for edge in edges {
            let (of, other) = ends(edge);
            list[next[of as usize] as usize] = other;
            next[of as usize] += 1;
        }
        PointNeighbours { first, list }
    }

    fn at(&self, point: u32) -> &[u32] {
        let at = point as usize;
        &self.list[self.first[at] as usize..self.first[at + 1] as usize]
    }
}

/// A spanning tree: where each point's subtree stands in the order of a walk through the tree.
struct Tree {
    span: Vec<[u32; 2]>,
}

impl Tree {
    /// The tree in which each point's parent is that one of its predecessors that `choose` picks.
    fn new(before: &PointNeighbours, choose: impl Fn(&[u32]) -> Option<u32>) -> Tree {
        let points = before.first.len() - 1;
        let parents: Vec<u32> = (0..points as u32).map(|point| choose(before.at(point)).unwrap_or(NONE)).collect();
        let mut sizes = vec![1u32; points];
        for point in (0..points).rev() {
            if parents[point] != NONE {
                sizes[parents[point] as usize] += sizes[point];
            }
        }
        let mut span = vec![[0u32; 2]; points];
        let mut next = vec![0u32; points];
        let mut roots = 0;
        for point in 0..points {
            let start = match parents[point] {
                NONE => &mut roots,
                parent => &mut next[parent as usize],
            };
            let at = *start;
            *start += sizes[point];
            span[point] = [at, at + sizes[point]];
            next[point] = at + 1;
        }
        Tree { span }
    }

    /// Whether `to` is in the subtree of `from`, and so comes after it.
    fn has(&self, from: u32, to: u32) -> bool {
        let [start, end] = self.span[from as usize];
        (start..end).contains(&self.span[to as usize][0])
    }
}

/// Which points come before which.
pub(super) struct Order {
    /// The number of each point in the topological order, by the number that it was gathered with. [`NONE`] for points
    /// in a circle.
    place: Vec<u32>,
    after: PointNeighbours,
    before: PointNeighbours,
    levels: Vec<u32>,
    /// For each order of a search by depth, the interval of each point.
    ranks: [Vec<[u32; 2]>; 2],
    trees: [Tree; 2],
    /// The first successor of each point, and a successor of that which is further away.
    steps: Vec<[u32; 2]>,
    /// Which search has seen a point from either end.
    seen: Vec<[u32; 2]>,
    searches: u32,
    /// How many searches gave up.
    pub(super) unanswered: u64,
    /// How many points are in circles, which a whole recording does not have.
    pub(super) in_circles: u64,
}

impl Order {
    /// The order that these edges make.
    pub(super) fn new(gathered: Edges) -> Order {
        let Edges { points, mut edges } = gathered;
        let (place, sorted) = sort(points as usize, &edges);
        edges.retain_mut(|edge| {
            *edge = (place[edge.0 as usize], place[edge.1 as usize]);
            edge.0 != NONE && edge.1 != NONE
        });
        let after = PointNeighbours::of(sorted, &edges, false);
        let before = PointNeighbours::of(sorted, &edges, true);
        drop(edges);
        let mut levels = vec![0u32; sorted];
        for point in 0..sorted as u32 {
            let below = before.at(point).iter().map(|&one| levels[one as usize] + 1);
            levels[point as usize] = below.max().unwrap_or(0);
        }
        let ranks = [false, true].map(|flip| ranks(&after, flip));
        let trees =
            [Tree::new(&before, |all| all.iter().copied().max()), Tree::new(&before, |all| all.iter().copied().min())];
        let steps = steps(&after);
        Order {
            in_circles: (points as usize - sorted) as u64,
            place,
            after,
            before,
            levels,
            ranks,
            trees,
            steps,
            seen: vec![[0; 2]; sorted],
            searches: 0,
            unanswered: 0,
        }
    }

    /// The number of a point in the topological order.
    pub(super) fn place(&self, point: u32) -> u32 {
        self.place.get(point as usize).copied().unwrap_or(NONE)
    }

    /// Whether `from` comes before `to`, or is the same point. Also true where that is not known.
    pub(super) fn is_before(&mut self, from: u32, to: u32) -> bool {
        let (from, to) = (self.place(from), self.place(to));
        if from == to || from == NONE || to == NONE {
            return true;
        }
        if !self.may_lead(from, to) {
            return false;
        }
        self.leads(from, to) || self.search(from, to)
    }

    /// Whether a path from one point to another is possible.
    fn may_lead(&self, from: u32, to: u32) -> bool {
        let [first, second] = [from as usize, to as usize];
        from < to
            && self.levels[first] < self.levels[second]
            && self.ranks.iter().all(|ranks| {
                let ([low, high], [inner, outer]) = (ranks[first], ranks[second]);
                low <= inner && outer <= high
            })
    }

    /// Whether a tree shows a path from one point to another.
    fn leads(&self, from: u32, to: u32) -> bool {
        from == to || self.trees.iter().any(|tree| tree.has(from, to))
    }

    /// The last point up to `limit` on the way of first successors.
    fn jump(&self, from: u32, limit: u32) -> u32 {
        let mut at = from;
        loop {
            let [near, far] = self.steps[at as usize];
            at = if far <= limit && far != NONE {
                far
            } else if near <= limit && near != NONE {
                near
            } else {
                return at;
            };
        }
    }

    /// Looks for a path from both ends.
    fn search(&mut self, from: u32, to: u32) -> bool {
        self.searches += 1;
        let search = self.searches;
        let mut ahead = vec![from];
        let mut behind = vec![to];
        self.seen[from as usize][0] = search;
        self.seen[to as usize][1] = search;
        let reached = self.jump(from, to);
        if self.leads(reached, to) {
            return true;
        }
        if self.seen[reached as usize][0] != search && self.may_lead(reached, to) {
            self.seen[reached as usize][0] = search;
            ahead.push(reached);
        }
        for _ in 0..MOST {
            // Each end goes on by one point. If one has no further, there is no path.
            let Some(at) = ahead.pop() else { return false };
            for index in 0..self.after.at(at).len() {
                let next = self.after.at(at)[index];
                if self.seen[next as usize][1] == search || next <= to && self.leads(next, to) {
                    return true;
                }
                if self.seen[next as usize][0] != search && self.may_lead(next, to) {
                    self.seen[next as usize][0] = search;
                    ahead.push(next);
                }
            }
            let Some(at) = behind.pop() else { return false };
            for index in 0..self.before.at(at).len() {
                let next = self.before.at(at)[index];
                if self.seen[next as usize][0] == search || next >= from && self.leads(from, next) {
                    return true;
                }
                if self.seen[next as usize][1] != search && self.may_lead(from, next) {
                    self.seen[next as usize][1] = search;
                    behind.push(next);
                }
            }
        }
        self.unanswered += 1;
        true
    }
}

/// The number of each point in a topological order, and how many have one.
fn sort(points: usize, edges: &[(u32, u32)]) -> (Vec<u32>, usize) {
    let after = PointNeighbours::of(points, edges, false);
    let mut open = vec![0u32; points];
    for &(_, to) in edges {
        open[to as usize] += 1;
    }
    let mut queue: Vec<u32> = (0..points as u32).filter(|&point| open[point as usize] == 0).collect();
    let mut place = vec![NONE; points];
    let mut at = 0;
    while let Some(&point) = queue.get(at) {
        place[point as usize] = at as u32;
        at += 1;
        for &next in after.at(point) {
            open[next as usize] -= 1;
            if open[next as usize] == 0 {
                queue.push(next);
            }
        }
    }
    (place, at)
}

/// For each point the lowest rank of those that can be reached from it, and its own, where a search by depth ranks
/// points as it leaves them.
fn ranks(after: &PointNeighbours, flip: bool) -> Vec<[u32; 2]> {
    let points = after.first.len() - 1;
    let mut ranks = vec![[NONE; 2]; points];
    let mut seen = vec![false; points];
    let mut next_rank = 0;
    let mut stack: Vec<(u32, u32)> = Vec::new();
    let neighbour = |point: u32, index: u32| {
        let all = after.at(point);
        let index = index as usize;
        let index = if flip { all.len().checked_sub(index + 1)? } else { index };
        all.get(index).copied()
    };
    for root in 0..points as u32 {
        // An order of roots that differs between the searches shows more.
        let root = if flip { points as u32 - 1 - root } else { root };
        if seen[root as usize] {
            continue;
        }
        seen[root as usize] = true;
        stack.push((root, 0));
        while let Some((point, index)) = stack.last_mut() {
            let point = *point;
            match neighbour(point, *index) {
                Some(next) => {
                    *index += 1;
                    if !std::mem::replace(&mut seen[next as usize], true) {
                        stack.push((next, 0));
                    }
                }
                None => {
                    stack.pop();
                    let lowest = after.at(point).iter().map(|&one| ranks[one as usize][0]);
                    let lowest = lowest.min().unwrap_or(NONE).min(next_rank);
                    ranks[point as usize] = [lowest, next_rank];
                    next_rank += 1;
                }
            }
        }
    }
    ranks
}

/// For each point its first successor and one further on, so that a long way takes few steps.
fn steps(after: &PointNeighbours) -> Vec<[u32; 2]> {
    let points = after.first.len() - 1;
    let (mut steps, mut depths) = (vec![[NONE; 2]; points], vec![0u32; points]);
    for point in (0..points).rev() {
        let Some(&near) = after.at(point as u32).iter().min() else {
            continue;
        };
        depths[point] = depths[near as usize] + 1;
        // A jump is as long as two equal ones before it and one step, or is one step.
        let far = steps[near as usize][1];
        let further = if far == NONE { NONE } else { steps[far as usize][1] };
        let length = |from: u32, to: u32| match to {
            NONE => None,
            to => Some(depths[from as usize] - depths[to as usize]),
        };
        let doubles = length(near, far).is_some() && length(near, far) == length(far, further);
        steps[point] = [near, if doubles { further } else { near }];
    }
    steps
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// Numbers that look random, the same in each run.
    fn random(seed: &mut u64) -> u64 {
        *seed ^= *seed << 13;
        *seed ^= *seed >> 7;
        *seed ^= *seed << 17;
        *seed
    }

    #[test]
    fn answers_are_those_of_a_closure() {
        for (round, density) in (1u64..60).map(|round| (round, 1 + round % 4)) {
            let mut seed = round.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let points = 40 + (round % 7) as u32 * 10;
            let mut edges = Edges::default();
            let names: Vec<u32> = (0..points).map(|_| edges.point()).collect();
            // Numbers of points are no topological order.
            let mut shuffled = names.clone();
            for at in (1..shuffled.len()).rev() {
                shuffled.swap(at, random(&mut seed) as usize % (at + 1));
            }
            let mut reach = vec![vec![false; points as usize]; points as usize];
            for _ in 0..u64::from(points) * density / 2 {
                let pair = [0; 2].map(|_: u32| random(&mut seed) as usize % points as usize);
                let (low, high) = (pair[0].min(pair[1]), pair[0].max(pair[1]));
                if low != high {
                    edges.before(shuffled[low], shuffled[high]);
                    reach[low][high] = true;
                }
            }
            for middle in 0..points as usize {
                for from in 0..points as usize {
                    for to in 0..points as usize {
                        reach[from][to] |= reach[from][middle] && reach[middle][to];
                    }
                }
            }
            let mut order = Order::new(edges);
            for from in 0..points as usize {
                for to in 0..points as usize {
                    let want = from == to || reach[from][to];
                    let got = order.is_before(shuffled[from], shuffled[to]);
                    assert_eq!(got, want, "round {round}, {from} to {to}");
                }
            }
            assert_eq!(order.unanswered, 0);
        }
    }

    #[test]
    fn far_points_are_found_without_a_long_search() {
        // A chain with a side point at each step, which is long over at the end.
        let mut edges = Edges::default();
        let steps = 100_000;
        let chain: Vec<u32> = (0..steps).map(|_| edges.point()).collect();
        let sides: Vec<u32> = (0..steps).map(|_| edges.point()).collect();
        for at in 0..steps - 1 {
            edges.before(chain[at], chain[at + 1]);
            edges.before(chain[at], sides[at]);
            edges.before(sides[at], chain[at + 1]);
        }
        let mut order = Order::new(edges);
        for &side in sides.iter().take(steps - 2) {
            assert!(order.is_before(side, chain[steps - 1]));
        }
        assert!(!order.is_before(chain[5], chain[4]));
        assert!(!order.is_before(sides[4], chain[4]));
        assert_eq!(order.unanswered, 0);
    }

    #[test]
    fn a_circle_is_left_out() {
        let mut edges = Edges::default();
        let [a, b, c] = [0; 3].map(|_| edges.point());
        edges.before(a, b);
        edges.before(b, c);
        edges.before(c, b);
        let order = Order::new(edges);
        assert_eq!(order.in_circles, 2);
    }
}
