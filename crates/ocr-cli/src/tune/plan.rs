//! What a search may try and spend: how many settings there are, which of them begin, and how many runs a stage has.

use std::collections::BTreeSet;

/// A value for each dimension: its index among the values of the dimension.
pub(crate) type Setting = Vec<usize>;

/// How many settings get from the halving to the last stage at most.
pub(super) const LEFT: usize = 4;

/// How many steps of the climb have runs of their own in the budget, where these are not more than a sixth of it.
const STEPS: usize = 3;

/// How many runs each setting has in the last stage, at least and at most.
pub(super) const LAST: (usize, usize) = (3, 5);

/// How many runs each of the two settings has in the duel, at least and at most. With five or more, chance seldom gives
/// a clear order, even where one run is out of order.
pub(super) const DUEL: (usize, usize) = (5, 7);

/// How many settings there are, and how many runs may be made.
pub(crate) struct Plan {
    /// How many values each dimension has.
    pub(crate) sizes: Vec<usize>,
    /// How many runs may be made, warm-ups included.
    pub(crate) budget: usize,
    /// How many warm-ups each setting has.
    pub(crate) warm_up: usize,
    /// The seed of the random numbers by which a sample is drawn.
    pub(crate) seed: u64,
}

impl Plan {
    /// How many settings there are.
    pub(crate) fn total(&self) -> u128 {
        let sizes = self.sizes.iter().map(|&size| size as u128);
        sizes.fold(1, u128::saturating_mul)
    }

    /// How many settings get from the halving to the last stage.
    fn left(&self) -> usize {
        usize::try_from(self.total()).map_or(LEFT, |total| total.min(LEFT))
    }

    /// The least budget with which a search can tell anything.
    pub(crate) fn least(&self) -> usize {
        self.left() * (self.warm_up + LAST.0) + 2 * DUEL.0
    }

    /// How many settings begin: all, if the budget is enough for them, or as many as it is enough for. At most a third
    /// of the budget is kept for the neighbours of the best setting. If a sample begins, at most a sixth is kept for
    /// the climb.
    pub(crate) fn candidates(&self) -> usize {
        let neighbours: usize = self.sizes.iter().map(|size| size - 1).sum();
        let kept = (neighbours * (self.warm_up + LAST.0)).min(self.budget / 3);
        let later = self.left() * LAST.0 + 2 * DUEL.0 + kept;
        let room = self.budget.saturating_sub(later);
        let total = usize::try_from(self.total()).ok();
        if let Some(total) = total.filter(|&total| total <= room)
            && self.cost_of_halving(total) <= room
        {
            return total;
        }
        let steps = STEPS * (2 * self.sizes.len() * (self.warm_up + 1) + 1);
        let room = room.saturating_sub(steps.min(self.budget / 6));
        // The cost grows with the number, by at least one run each.
        let (mut enough, mut too_many) = (self.left(), room + 2);
        while too_many > enough + 1 {
            let middle = enough + (too_many - enough) / 2;
            if self.cost_of_halving(middle) <= room {
                enough = middle;
            } else {
                too_many = middle;
            }
        }
        total.map_or(enough, |total| total.min(enough))
    }

    /// How many runs the search makes at most, if no better setting turns up in the last stage.
    pub(crate) fn likely(&self) -> usize {
        let neighbours: usize = self.sizes.iter().map(|size| size - 1).sum();
        let last = (self.left() + neighbours) * LAST.1;
        let candidates = self.candidates();
        if (candidates as u128) < self.total() {
            return self.budget;
        }
        (self.cost_of_halving(candidates) + last + 2 * DUEL.1).min(self.budget)
    }

    /// How many runs the warm-up and the halving take for a number of candidates.
    fn cost_of_halving(&self, candidates: usize) -> usize {
        let mut cost = candidates * self.warm_up;
        let mut left = candidates;
        while left > LEFT {
            cost += left;
            left = left.div_ceil(2);
        }
        cost
    }

    /// The setting with a number, in the order of the grid.
    fn setting(&self, mut number: u128) -> Setting {
        let mut setting = vec![0; self.sizes.len()];
        for (value, &size) in setting.iter_mut().zip(&self.sizes).rev() {
            *value = (number % size as u128) as usize;
            number /= size as u128;
        }
        setting
    }

    /// The settings that begin, in the order of the grid. If not all begin, each set of as many settings is equally
    /// likely.
    pub(super) fn beginners(&self) -> Vec<Setting> {
        let (total, wanted) = (self.total(), self.candidates() as u128);
        let mut random = Random(self.seed);
        let mut numbers = BTreeSet::new();
        // Floyd's algorithm draws a sample with one random number for each element.
        for upper in total - wanted..total {
            let number = if wanted < total { random.up_to(upper) } else { upper };
            if !numbers.insert(number) {
                numbers.insert(upper);
            }
        }
        numbers.into_iter().map(|at| self.setting(at)).collect()
    }

    /// The settings that differ from this one in one dimension, each with the distance of the two values. The nearest
    /// ones come first.
    pub(super) fn neighbours(&self, setting: &Setting) -> Vec<(usize, Setting)> {
        let mut all: Vec<(usize, Setting)> = Vec::new();
        for (dimension, &size) in self.sizes.iter().enumerate() {
            for value in (0..size).filter(|&value| value != setting[dimension]) {
                let mut other = setting.clone();
                other[dimension] = value;
                all.push((value.abs_diff(setting[dimension]), other));
            }
        }
        all.sort_by_key(|(distance, _)| *distance);
        all
    }
}

/// Random numbers by the generator splitmix64.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    /// A number from 0 to `most`. The remainder makes some numbers more likely, by less than could be noticed.
    fn up_to(&mut self, most: u128) -> u128 {
        let word = u128::from(self.next()) << 64 | u128::from(self.next());
        most.checked_add(1).map_or(word, |bound| word % bound)
    }
}
