//! How sure an order of two groups of times is, by their ranks alone.
//!
//! Times of runs are not normally distributed: a run is seldom much faster than the others, and now and then much
//! slower. A test by ranks does not ask for any distribution. The test here is exact. It looks at all ways to deal the
//! times out to two groups, and counts those whose order is as clear as what was seen, or clearer, in either direction.

use serde::Serialize;

/// How two groups of times, of the same number of runs each, stand to each other.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub(crate) struct RankOrder {
    /// How many runs each group has.
    pub(crate) runs: usize,
    /// How many pairs of a run of the one group and a run of the other there are.
    pub(crate) pairs: usize,
    /// In how many of these pairs the run of the first group is the faster. A tie counts one half.
    pub(crate) faster: f64,
    /// The part of all ways to deal the times out to two groups that give an order as clear as this one, or clearer.
    pub(crate) chance: f64,
}

/// The most runs of each group for which all ways are counted.
pub(crate) const MOST_RUNS: usize = 8;

/// The largest [`RankOrder::chance`] of an order that is called sure: chance alone gives such an order once in twenty
/// times.
pub(crate) const SURE: f64 = 0.05;

impl RankOrder {
    /// Compares two groups of times by their ranks. Both groups have the same number of runs, at most [`MOST_RUNS`].
    pub(crate) fn of(one: &[f64], other: &[f64]) -> RankOrder {
        let runs = one.len();
        assert!(runs == other.len() && (1..=MOST_RUNS).contains(&runs));
        let all = [one, other].concat();
        // Twice the number of pairs in which each time is the faster; a sum of integers has no rounding.
        let wins: Vec<u32> = all
            .iter()
            .map(|time| {
                let points = all.iter().map(|than| match time.total_cmp(than) {
                    std::cmp::Ordering::Less => 2,
                    std::cmp::Ordering::Equal => 1,
                    std::cmp::Ordering::Greater => 0,
                });
                points.sum()
            })
            .collect();
        // In each way, pairs inside the group add the square of its runs.
        let inside = (runs * runs) as u32;
        let of_way = |way: u32| -> u32 {
            let members = (0..all.len()).filter(|at| way >> at & 1 == 1);
            members.map(|at| wins[at]).sum::<u32>() - inside
        };
        let even = inside;
        let seen = of_way((1 << runs) - 1);
        let (mut ways, mut as_clear) = (0u32, 0u32);
        for way in 0u32..1 << all.len() {
            if way.count_ones() as usize == runs {
                ways += 1;
                as_clear += u32::from(of_way(way).abs_diff(even) >= seen.abs_diff(even));
            }
        }
        RankOrder {
            runs,
            pairs: runs * runs,
            faster: f64::from(seen) / 2.0,
            chance: f64::from(as_clear) / f64::from(ways),
        }
    }

    /// Whether the first group is the faster, and chance alone seldom gives such an order.
    pub(crate) fn is_sure(&self) -> bool {
        self.chance <= SURE && 2.0 * self.faster > self.pairs as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chances_are_those_of_the_tables() {
        // There are 20 ways to deal out six times, and two of them are as clear as this.
        let order = RankOrder::of(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0]);
        assert_eq!((order.pairs, order.faster, order.chance), (9, 9.0, 0.1));
        assert!(!order.is_sure());
        // There are 252 ways to deal out ten times. Two are as clear as this, and four with one run out of order.
        let fast = [1.0, 2.0, 3.0, 4.0, 5.0];
        let order = RankOrder::of(&fast, &[6.0, 7.0, 8.0, 9.0, 10.0]);
        assert_eq!((order.faster, order.chance), (25.0, 2.0 / 252.0));
        assert!(order.is_sure());
        let order = RankOrder::of(&fast, &[4.5, 7.0, 8.0, 9.0, 10.0]);
        assert_eq!((order.faster, order.chance), (24.0, 4.0 / 252.0));
        // This is as clear the other way round, which does not say that the first is the faster.
        let order = RankOrder::of(&[6.0, 7.0, 8.0, 9.0, 10.0], &fast);
        assert_eq!((order.faster, order.chance), (0.0, 2.0 / 252.0));
        assert!(!order.is_sure());
    }

    #[test]
    fn ties_tell_nothing() {
        let order = RankOrder::of(&[1.0; 7], &[1.0; 7]);
        assert_eq!((order.faster, order.chance), (24.5, 1.0));
        assert!(!order.is_sure());
        let order = RankOrder::of(&[1.0, 1.0], &[1.0, 2.0]);
        assert_eq!((order.faster, order.chance), (3.0, 1.0));
    }
}
