//! How sure it is that one group of times is shorter than another, by their ranks alone.
//!
//! Times of runs are not normally distributed: a run is seldom much faster than the others, and now and then much
//! slower. A test by ranks does not ask for any distribution. This is the test of Mann and Whitney, and it is exact: it
//! knows how many of all ways to deal the times out to two groups give an order as clear as what was seen, or clearer.
//!
//! | what | for |
//! |---|---|
//! | [`RankOrder`] | the chance of an order of two groups, in either direction |
//! | [`Lead`] | by how much one group is faster, at least and at most; the two ends are those that the same test does not refuse |

use serde::Serialize;

/// The part of comparisons of equals in which one is called faster, at most. What is said of times is said at the
/// confidence of the rest.
pub(crate) const ERROR: f64 = 0.05;

/// The confidence in words.
pub(crate) const CONFIDENCE: &str = "a confidence of 95 %";

/// The most runs of a group for which ways can be counted.
pub(crate) const MOST_RUNS: usize = 500;

/// How two groups of times stand to each other.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub(crate) struct RankOrder {
    /// How many runs each group has, or the smaller one of them.
    pub(crate) runs: usize,
    /// How many pairs of a run of the one group and a run of the other there are.
    pub(crate) pairs: usize,
    /// In how many of these pairs the run of the first group is the faster. A tie counts one half.
    pub(crate) faster: f64,
    /// The part of all ways to deal the times out to two groups that give an order as clear as this one, or clearer.
    /// Where there are ties, it is at most that.
    pub(crate) chance: f64,
}

impl RankOrder {
    /// Compares two groups of times by their ranks.
    pub(crate) fn of(one: &[f64], other: &[f64]) -> RankOrder {
        let pairs = one.len() * other.len();
        let count = |is: fn(&f64, &f64) -> bool| -> usize {
            let with = |time| other.iter().filter(move |than| is(time, than)).count();
            one.iter().map(with).sum()
        };
        let (faster, slower) = (count(|one, than| one < than), count(|one, than| one > than));
        // A tie counts for the side that has fewer pairs, so that it never makes an order clearer.
        let clearer = faster.max(slower);
        let ways = Ways::new(one.len(), other.len());
        RankOrder {
            runs: one.len().min(other.len()),
            pairs,
            faster: faster as f64 + (pairs - faster - slower) as f64 / 2.0,
            chance: (2.0 * ways.up_to(pairs - clearer)).min(1.0),
        }
    }

    /// Whether the first group is the faster, and chance alone gives such an order in at most this part of all cases.
    pub(crate) fn is_told(&self, error: f64) -> bool {
        self.chance <= error && 2.0 * self.faster > self.pairs as f64
    }
}

/// How many times as fast one group is as another: the ratio in the middle of all pairs, and the ratios between which
/// the true one lies at a confidence.
#[derive(Serialize, Clone, Copy, Debug, PartialEq)]
pub(crate) struct Lead {
    /// The least ratio; 0 where there are too few runs to tell.
    pub(crate) least: f64,
    /// The ratio in the middle.
    pub(crate) middle: f64,
    /// The greatest ratio; infinite where there are too few runs to tell.
    pub(crate) most: f64,
}

impl Lead {
    /// Compares two groups of times, of one run each at least. The true ratio is below the least one in at most the
    /// part `error` of all cases, and above the greatest one in as many.
    pub(crate) fn of(one: &[f64], other: &[f64], error: f64) -> Lead {
        let pairs = one.iter().flat_map(|one| other.iter().map(move |than| than / one));
        // Two times of 0 are alike.
        let mut ratios: Vec<f64> = pairs.map(|ratio| if ratio.is_nan() { 1.0 } else { ratio }).collect();
        ratios.sort_by(f64::total_cmp);
        let last = ratios.len() - 1;
        let middle = (ratios[last / 2] + ratios[last.div_ceil(2)]) / 2.0;
        match Ways::new(one.len(), other.len()).most(error) {
            Some(at) => Lead { least: ratios[at], middle, most: ratios[last - at] },
            None => Lead { least: 0.0, middle, most: f64::INFINITY },
        }
    }

    /// Whether the first group is shown to be the faster one.
    pub(crate) fn is_told(&self) -> bool {
        self.least > 1.0
    }
}

/// The least number of runs of each of two groups with which an order can be shown, if all of one are before all of the
/// other. `error` is the part of cases in which that happens by chance, at most.
pub(crate) fn least_runs(error: f64) -> usize {
    let can = |runs: &usize| Ways::new(*runs, *runs).most(error).is_some();
    (1..MOST_RUNS).find(can).unwrap_or(MOST_RUNS)
}

/// For each number of pairs, in which part of all ways to deal times out to two groups this number or fewer have the
/// run of the first group behind.
struct Ways(Vec<f64>);

impl Ways {
    /// Counts the ways for two groups of these sizes.
    fn new(one: usize, other: usize) -> Ways {
        let (one, other) = (one.min(MOST_RUNS), other.min(MOST_RUNS));
        let pairs = one * other;
        // The ways with each number of pairs are the coefficients of a Gaussian binomial: the product of
        // (1 - q^(other + i)) / (1 - q^i) for i from 1 to `one`. They are symmetric, so half of them is enough.
        let mut ways = vec![0.0; pairs / 2 + 1];
        ways[0] = 1.0;
        for i in 1..=one {
            for at in (other + i..ways.len()).rev() {
                ways[at] -= ways[at - other - i];
            }
            for at in i..ways.len() {
                ways[at] += ways[at - i];
            }
        }
        let lower: f64 = ways.iter().sum();
        // The one in the middle is counted once.
        let middle = if pairs % 2 == 0 { ways[pairs / 2] } else { 0.0 };
        let all = 2.0 * lower - middle;
        let mut sum = 0.0;
        let parts = ways.iter().map(|ways| {
            sum += ways;
            sum / all
        });
        Ways(parts.collect())
    }

    /// The part of all ways in which this number of pairs or fewer are behind. From the middle on it is one half or
    /// more, and 1 is returned.
    fn up_to(&self, pairs: usize) -> f64 {
        self.0.get(pairs).copied().unwrap_or(1.0)
    }

    /// The greatest number of pairs behind that chance alone gives in at most this part of all ways. None where there
    /// is none.
    fn most(&self, error: f64) -> Option<usize> {
        // Rounding must not refuse a part that is just allowed.
        let allowed = self.0.iter().take_while(|&&part| part <= error * (1.0 + 1e-9));
        allowed.count().checked_sub(1)
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
        assert!(!order.is_told(ERROR));
        // There are 252 ways to deal out ten times. Two are as clear as this, and four with one run out of order.
        let fast = [1.0, 2.0, 3.0, 4.0, 5.0];
        let order = RankOrder::of(&fast, &[6.0, 7.0, 8.0, 9.0, 10.0]);
        assert_eq!((order.faster, order.chance), (25.0, 2.0 / 252.0));
        assert!(order.is_told(ERROR));
        let order = RankOrder::of(&fast, &[4.5, 7.0, 8.0, 9.0, 10.0]);
        assert_eq!((order.faster, order.chance), (24.0, 4.0 / 252.0));
        // This is as clear the other way round, which does not say that the first is the faster.
        let order = RankOrder::of(&[6.0, 7.0, 8.0, 9.0, 10.0], &fast);
        assert_eq!((order.faster, order.chance), (0.0, 2.0 / 252.0));
        assert!(!order.is_told(ERROR));
        assert_eq!([0.5, 0.025, 0.0125, 0.001].map(least_runs), [1, 4, 5, 7]);
    }

    /// All ways are counted one by one, for sizes for which that can be done.
    #[test]
    fn the_ways_are_all_there_are() {
        for (one, other) in [(1, 1), (2, 3), (4, 4), (5, 3), (6, 6)] {
            let all = one + other;
            let mut counts = vec![0u32; one * other + 1];
            for way in (0u32..1 << all).filter(|way| way.count_ones() as usize == one) {
                let members = (0..all).filter(|at| way >> at & 1 == 1);
                // Each member is behind those before it that are of the other group.
                let behind = members.map(|at| (0..at).filter(|before| way >> before & 1 == 0).count());
                counts[behind.sum::<usize>()] += 1;
            }
            let sum: u32 = counts.iter().sum();
            let ways = Ways::new(one, other);
            for pairs in 0..=one * other / 2 {
                let part = f64::from(counts[..=pairs].iter().sum::<u32>()) / f64::from(sum);
                assert!((ways.up_to(pairs) - part).abs() < 1e-12, "{one} {other} {pairs}");
            }
        }
        let many = Ways::new(MOST_RUNS, MOST_RUNS);
        let half = MOST_RUNS * MOST_RUNS / 2;
        assert!((many.up_to(half) - 0.5).abs() < 0.01);
        assert!(many.0.windows(2).all(|two| two[0] <= two[1] && two[0] > 0.0));
    }

    #[test]
    fn ties_tell_nothing() {
        let order = RankOrder::of(&[1.0; 7], &[1.0; 7]);
        assert_eq!((order.faster, order.chance), (24.5, 1.0));
        assert!(!order.is_told(ERROR));
        let order = RankOrder::of(&[1.0, 1.0], &[1.0, 2.0]);
        assert_eq!((order.faster, order.chance), (3.0, 1.0));
        let lead = Lead::of(&[1.0; 9], &[1.0; 9], 0.025);
        assert_eq!((lead.least, lead.middle, lead.most), (1.0, 1.0, 1.0));
        assert!(!lead.is_told());
        assert!(!Lead::of(&[0.0; 9], &[0.0; 9], 0.025).is_told());
    }

    #[test]
    fn a_lead_lies_between_what_the_test_does_not_refuse() {
        let one: Vec<f64> = (10..20).map(f64::from).collect();
        let other: Vec<f64> = one.iter().map(|time| 3.0 * time).collect();
        let lead = Lead::of(&one, &other, 0.025);
        assert!(lead.is_told() && lead.least < 3.0 && 3.0 < lead.most, "{lead:?}");
        assert!(!Lead::of(&other, &one, 0.025).is_told());
        // The ends are where the test changes its answer.
        let over = |ratio: f64| -> Vec<f64> { other.iter().map(|time| time / ratio).collect() };
        assert!(Lead::of(&one, &over(lead.least * 0.999), 0.025).is_told());
        assert!(!Lead::of(&one, &over(lead.least * 1.001), 0.025).is_told());
        let few = Lead::of(&[1.0, 1.0, 1.0], &[9.0, 9.0, 9.0], 0.025);
        assert_eq!((few.least, few.middle, few.is_told()), (0.0, 9.0, false));
    }
}
