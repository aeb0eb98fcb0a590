//! How long the runs of a policy, or of a setting, took: their median and spread.

/// How long runs took, in seconds.
pub(crate) struct Times {
    /// The times from the fastest run to the slowest; never empty.
    sorted: Vec<f64>,
}

impl Times {
    /// The times of runs, which may be in any order. None where there is no run.
    pub(crate) fn new(mut seconds: Vec<f64>) -> Option<Times> {
        seconds.sort_by(f64::total_cmp);
        (!seconds.is_empty()).then_some(Times { sorted: seconds })
    }

    /// The times, from the fastest to the slowest.
    pub(crate) fn sorted(&self) -> &[f64] {
        &self.sorted
    }

    /// The time in the middle, or the mean of the two times there.
    pub(crate) fn median(&self) -> f64 {
        let count = self.sorted.len();
        (self.sorted[(count - 1) / 2] + self.sorted[count / 2]) / 2.0
    }

    /// The time in the middle, or the faster of the two times there: one that a run took.
    pub(crate) fn middle(&self) -> f64 {
        self.sorted[(self.sorted.len() - 1) / 2]
    }

    /// The fastest and the slowest time. Of ten runs and more, a tenth on either side is left out, since these may be
    /// accidents.
    pub(crate) fn spread(&self) -> (f64, f64) {
        let left_out = self.sorted.len() / 10;
        let last = self.sorted.len() - 1;
        (self.sorted[left_out], self.sorted[last - left_out])
    }

    /// Whether the spreads of two groups of runs overlap.
    pub(crate) fn is_like(&self, other: &Times) -> bool {
        let ((fast, slow), (other_fast, other_slow)) = (self.spread(), other.spread());
        fast <= other_slow && other_fast <= slow
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn median_and_spread_are_those_of_the_runs() {
        let times = |seconds: &[f64]| Times::new(seconds.to_vec()).expect("there are runs");
        assert_eq!(times(&[3.0, 1.0, 9.0]).median(), 3.0);
        assert_eq!(times(&[3.0, 1.0, 9.0]).spread(), (1.0, 9.0));
        let even = times(&[4.0, 1.0, 3.0, 2.0]);
        assert_eq!((even.median(), even.middle()), (2.5, 2.0));
        assert_eq!(times(&[5.0]).spread(), (5.0, 5.0));
        // One of ten may be an accident, one of nine counts.
        let mut seconds = [1.0, 2.0, 2.1, 2.2, 2.3, 2.4, 2.5, 2.6, 90.0, 91.0];
        assert_eq!(times(&seconds).spread(), (2.0, 90.0));
        assert_eq!(times(&seconds[..9]).spread(), (1.0, 90.0));
        seconds.reverse();
        assert_eq!(times(&seconds).spread(), (2.0, 90.0));
        assert!(Times::new(Vec::new()).is_none());
    }
}
