//! The last samples of one thing, their median and their deviation from it.

/// How many samples are kept. Six new ones turn the median.
pub(crate) const KEPT: usize = 11;

/// The last eleven samples, in the order in which they came and in that of their values.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Samples {
    ring: [u64; KEPT],
    sorted: [u64; KEPT],
    len: usize,
    /// The index in `ring` of the next sample; where there are eleven, of the oldest, which it replaces.
    next: usize,
}

impl Samples {
    /// Adds a sample. Of eleven, the oldest goes.
    pub(crate) fn add(&mut self, value: u64) {
        // The index in `sorted` that is free: behind all samples, or where the oldest stands, which goes. Everything in
        // `ring` is also in `sorted`.
        let mut free = self.len;
        if self.len == KEPT {
            let oldest = self.ring[self.next];
            free = self.sorted.iter().filter(|&&other| other < oldest).count();
        } else {
            self.len += 1;
        }
        // The free index moves to where the value belongs. The steps are few, so this is faster than one move of many
        // values.
        while free + 1 < self.len && self.sorted[free + 1] < value {
            self.sorted[free] = self.sorted[free + 1];
            free += 1;
        }
        while free > 0 && self.sorted[free - 1] > value {
            self.sorted[free] = self.sorted[free - 1];
            free -= 1;
        }
        self.sorted[free] = value;
        self.ring[self.next] = value;
        self.next = if self.next + 1 == KEPT { 0 } else { self.next + 1 };
    }

    /// How many samples there are, at most eleven.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The median. Of an even number of samples it is the lower one of the two in the middle, since what disturbs a
    /// measurement makes it longer. 0 if there are no samples.
    pub(crate) fn median(&self) -> u64 {
        self.sorted[self.middle()]
    }

    /// The median of the samples' distances from their median. 0 if there are no samples.
    pub(crate) fn deviation(&self) -> u64 {
        if self.len == 0 {
            return 0;
        }
        let middle = self.middle();
        let median = self.sorted[middle];
        // The distances grow to both sides of the middle, so the nearest ones are taken in turn, from either side.
        let (mut below, mut above) = (middle, middle + 1);
        let mut distance = 0;
        for _ in 1..=middle {
            let down = below.checked_sub(1).map(|at| median - self.sorted[at]);
            let up = (above < self.len).then(|| self.sorted[above] - median);
            match (down, up) {
                (Some(down), Some(up)) if up < down => (distance, above) = (up, above + 1),
                (Some(down), _) => (distance, below) = (down, below - 1),
                (None, Some(up)) => (distance, above) = (up, above + 1),
                (None, None) => break,
            }
        }
        distance
    }

    /// The samples, the oldest first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u64> {
        let first = (self.next + KEPT - self.len) % KEPT;
        (0..self.len).map(move |at| self.ring[(first + at) % KEPT])
    }

    fn middle(&self) -> usize {
        self.len.saturating_sub(1) / 2
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(values: &[u64]) -> Samples {
        let mut samples = Samples::default();
        values.iter().for_each(|&value| samples.add(value));
        samples
    }

    /// What the methods say, computed the long way.
    fn by_sorting(values: &[u64]) -> (u64, u64) {
        let last = &values[values.len().saturating_sub(KEPT)..];
        let middle = |mut values: Vec<u64>| {
            values.sort_unstable();
            values.get((values.len().max(1) - 1) / 2).copied()
        };
        let median = middle(last.to_vec()).unwrap_or(0);
        let distances = last.iter().map(|value| value.abs_diff(median)).collect();
        (median, middle(distances).unwrap_or(0))
    }

    #[test]
    fn a_speed_that_changes_turns_the_median_after_six() {
        for (old, new) in [(100, 1000), (1000, 100)] {
            let mut samples = of(&[old; 30]);
            let turned = (1..).find(|_| {
                samples.add(new);
                samples.median() == new
            });
            assert_eq!(turned, Some(6), "from {old} to {new}");
        }
    }

    #[test]
    fn outliers_do_not_move_it() {
        let mut samples = of(&[100, 101, 99, 100, 102, 98, 100]);
        for _ in 0..3 {
            samples.add(1_000_000);
        }
        assert_eq!(samples.median(), 100);
        assert!(samples.deviation() <= 2, "{samples:?}");
    }

    #[test]
    fn few_samples_have_a_median_too() {
        assert_eq!((of(&[]).median(), of(&[]).deviation()), (0, 0));
        assert_eq!((of(&[7]).median(), of(&[7]).deviation()), (7, 0));
        assert_eq!(of(&[900, 7]).median(), 7);
        assert_eq!(of(&[1, 2, 3]).iter().collect::<Vec<_>>(), [1, 2, 3]);
    }

    proptest! {
        #[test]
        fn they_are_what_sorting_gives(values in prop::collection::vec(0u64..50, 0..40)) {
            let samples = of(&values);
            prop_assert_eq!((samples.median(), samples.deviation()), by_sorting(&values));
            let last = &values[values.len().saturating_sub(KEPT)..];
            prop_assert_eq!(samples.iter().collect::<Vec<_>>(), last);
            prop_assert_eq!(samples.len(), last.len());
        }
    }
}
