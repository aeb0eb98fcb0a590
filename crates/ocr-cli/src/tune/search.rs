//! Finds the best setting with few runs. Settings are numbers here, and a run is the time that it took.
//!
//! | stage | which settings | runs of each |
//! |---|---|---|
//! | warm-up | the candidates: all, or a random sample where the budget is not enough for all | `warm_up`, not counted |
//! | halving | the candidates; after each round the faster half of them, until at most four are left | one more a round |
//! | climb | the best setting that is left, and those beside it that have not run; again around a better one, while there is one | one a round |
//! | last | the settings that are left, and those that differ from the best in one dimension | three to five |
//! | duel | the best and the next | five to seven |
//!
//! In each stage the settings take turns, and every second round goes backwards, so that a machine that becomes slower
//! or busier meanwhile hits all alike. For that reason, times of the last stage are not compared with those of earlier
//! stages. Where another setting turns out to be better, the last stage is run again around it, as long as the budget
//! lasts. A setting that fails is left out from there on.
//!
//! The duel tells how sure it is that the best setting is better than the next, since both were chosen before it.

use super::ranks::RankOrder;
use crate::compare::best::Times;
use std::collections::{BTreeSet, HashMap};

/// A value for each dimension: its index among the values of the dimension.
pub(crate) type Setting = Vec<usize>;

/// How many settings get from the halving to the last stage at most.
const LEFT: usize = 4;

/// How many steps of the climb have runs of their own in the budget, where these are not more than a sixth of it.
const STEPS: usize = 3;

/// How many runs each setting has in the last stage, at least and at most.
const LAST: (usize, usize) = (3, 5);

/// How many runs each of the two settings has in the duel, at least and at most. With five or more, chance seldom gives
/// a clear order, even where one run is out of order.
const DUEL: (usize, usize) = (5, 7);

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

/// A setting that was run, and its times.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Tried {
    /// The setting, with a value for each dimension.
    pub(crate) setting: Setting,
    /// The times of the halving and of the climb.
    pub(crate) early: Vec<f64>,
    /// The times of the last stage.
    pub(crate) last: Vec<f64>,
    /// The times of the duel.
    pub(crate) duel: Vec<f64>,
    /// Whether a run has failed.
    pub(crate) failed: bool,
}

impl Tried {
    /// The times that tell the most: those of the last stage, or else those of earlier stages. None if there are none,
    /// or a run has failed.
    pub(crate) fn times(&self) -> Option<Times> {
        let last = Times::new(self.last.clone());
        last.or_else(|| Times::new(self.early.clone()))
            .filter(|_| !self.failed)
    }

    /// The median time of the last stage; infinity without one.
    fn median(&self) -> f64 {
        let times = Times::new(self.last.clone());
        times.map_or(f64::INFINITY, |times| times.median())
    }
}

/// The index in [`Found::tried`] of the setting that comes behind the best, and the order of their runs in the duel.
/// The order is none if there was no duel.
pub(crate) type NextBest = Option<(usize, Option<RankOrder>)>;

/// The result of a search.
#[derive(Debug)]
pub(crate) struct Found {
    /// Each setting that was run, in the order of their first runs.
    pub(crate) tried: Vec<Tried>,
    /// The index in `tried` of the best setting. None where all have failed.
    pub(crate) best: Option<usize>,
    /// The setting that comes behind the best.
    pub(crate) next: NextBest,
    /// How many settings there are.
    pub(crate) total: u128,
    /// How many of the settings began.
    pub(crate) candidates: usize,
    /// How many runs were made, warm-ups included.
    pub(crate) runs: usize,
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
    fn beginners(&self) -> Vec<Setting> {
        let (total, wanted) = (self.total(), self.candidates() as u128);
        let mut random = Random(self.seed);
        let mut numbers = BTreeSet::new();
        // Floyd's algorithm draws a sample with one random number for each element.
        for upper in total - wanted..total {
            let number = if wanted < total {
                random.up_to(upper)
            } else {
                upper
            };
            if !numbers.insert(number) {
                numbers.insert(upper);
            }
        }
        numbers.into_iter().map(|at| self.setting(at)).collect()
    }

    /// The settings that differ from this one in one dimension, each with the distance of the two values. The nearest
    /// ones come first.
    fn neighbours(&self, setting: &Setting) -> Vec<(usize, Setting)> {
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
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
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

/// The stage that a run belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stage {
    /// The run warms caches and drivers, and its time does not count.
    WarmUp,
    /// The run is for leaving out the slower half.
    Halving,
    /// The run is for a way from the best of the candidates to a better setting beside it.
    Climb,
    /// The run is for finding the best setting, and what each dimension does.
    Last,
    /// The run is one of the best setting against the next.
    Duel,
}

/// A search that is going on.
struct Search<'a, R> {
    plan: &'a Plan,
    /// Makes one run of a setting, and returns its time; none if it failed.
    run: R,
    /// Each setting that was run, in the order of their first runs.
    tried: Vec<Tried>,
    /// The index in `tried` of each setting.
    places: HashMap<Setting, usize>,
    /// How many runs were made.
    runs: usize,
}

/// Finds the best setting. `run` makes one run of a setting, and returns its time, or none if it failed. An error of
/// `run` ends the search.
pub(crate) fn search<E>(
    plan: &Plan,
    run: impl FnMut(&Setting, Stage) -> Result<Option<f64>, E>,
) -> Result<Found, E> {
    let mut search = Search {
        plan,
        run,
        tried: Vec::new(),
        places: HashMap::new(),
        runs: 0,
    };
    let beginners = plan.beginners();
    let candidates = beginners.len();
    let mut left: Vec<usize> = beginners.into_iter().map(|one| search.place(one)).collect();
    search.warm_up(&left)?;
    left = search.halve(left)?;
    left = search.climb(left)?;
    let best = search.last(left)?;
    let next = match best {
        Some(best) => search.next(best),
        None => None,
    };
    let (best, next) = match (best, next) {
        (Some(best), Some(next)) => search.duel(best, next)?,
        _ => (best, None),
    };
    Ok(Found {
        tried: search.tried,
        best,
        next,
        total: plan.total(),
        candidates,
        runs: search.runs,
    })
}

impl<E, R: FnMut(&Setting, Stage) -> Result<Option<f64>, E>> Search<'_, R> {
    /// The index of a setting among those that were tried, to which it is added if need be.
    fn place(&mut self, setting: Setting) -> usize {
        *self.places.entry(setting).or_insert_with_key(|setting| {
            self.tried.push(Tried {
                setting: setting.clone(),
                ..Tried::default()
            });
            self.tried.len() - 1
        })
    }

    /// How many runs the budget still has.
    fn budget(&self) -> usize {
        self.plan.budget.saturating_sub(self.runs)
    }

    /// Whether no run of a setting has failed.
    fn goes(&self, place: usize) -> bool {
        !self.tried[place].failed
    }

    /// Runs a setting once, and returns its time. None if it failed.
    fn once(&mut self, place: usize, stage: Stage) -> Result<Option<f64>, E> {
        self.runs += 1;
        let time = (self.run)(&self.tried[place].setting, stage)?;
        self.tried[place].failed |= time.is_none();
        Ok(time)
    }

    /// Runs each of some settings once, those left out that have failed, in this order or backwards. Returns the
    /// settings and their times.
    fn round(
        &mut self,
        places: &[usize],
        stage: Stage,
        backwards: bool,
    ) -> Result<Vec<(usize, f64)>, E> {
        let mut order = places.to_vec();
        if backwards {
            order.reverse();
        }
        let mut times = Vec::new();
        for place in order {
            if self.goes(place)
                && let Some(time) = self.once(place, stage)?
            {
                times.push((place, time));
            }
        }
        Ok(times)
    }

    /// Runs some settings to warm up.
    fn warm_up(&mut self, places: &[usize]) -> Result<(), E> {
        for _ in 0..self.plan.warm_up {
            self.round(places, Stage::WarmUp, false)?;
        }
        Ok(())
    }

    /// Runs the settings in rounds, and leaves out the slower half after each, until few are left. Returns these, the
    /// fastest first.
    fn halve(&mut self, mut left: Vec<usize>) -> Result<Vec<usize>, E> {
        left.retain(|&place| self.goes(place));
        for round in 0.. {
            if left.len() <= LEFT {
                break;
            }
            for (place, time) in self.round(&left, Stage::Halving, round % 2 == 1)? {
                self.tried[place].early.push(time);
            }
            let half = left.len().div_ceil(2);
            left.retain(|&place| self.goes(place));
            let median = |place: &usize| {
                let times = Times::new(self.tried[*place].early.clone());
                times.map_or(f64::INFINITY, |times| times.median())
            };
            left.sort_by(|one, other| median(one).total_cmp(&median(other)));
            left.truncate(half.max(LEFT));
        }
        Ok(left)
    }

    /// Goes from the first of the settings that are left to the best one beside it that has not run. It goes on while
    /// there is a better one, and the budget has more than the last stage needs. Returns the settings that are left
    /// then, the best first.
    fn climb(&mut self, mut left: Vec<usize>) -> Result<Vec<usize>, E> {
        while let Some(&center) = left.first() {
            let beside: Vec<Setting> = (self
                .plan
                .neighbours(&self.tried[center].setting)
                .into_iter())
            .filter(|(distance, setting)| *distance == 1 && !self.places.contains_key(setting))
            .map(|(_, setting)| setting)
            .collect();
            let cost = beside.len() * (self.plan.warm_up + 1) + 1;
            let later = LEFT * LAST.0 + 2 * DUEL.0 + self.plan.budget / 6;
            if beside.is_empty() || cost + later > self.budget() {
                break;
            }
            let mut together: Vec<usize> = beside.into_iter().map(|one| self.place(one)).collect();
            self.warm_up(&together)?;
            together.push(center);
            let times = self.round(&together, Stage::Climb, false)?;
            for &(place, time) in &times {
                self.tried[place].early.push(time);
            }
            left.retain(|&place| self.goes(place));
            let fastest = times.iter().min_by(|one, other| one.1.total_cmp(&other.1));
            match fastest {
                Some(&(place, _)) if place != center => left.insert(0, place),
                _ => break,
            }
            left.truncate(LEFT);
        }
        Ok(left)
    }

    /// Runs the settings that are left, with the neighbours of the best of them, and goes to a better neighbour while
    /// there is one. Returns the best setting. None where all have failed.
    fn last(&mut self, left: Vec<usize>) -> Result<Option<usize>, E> {
        let Some(&first) = left.first() else {
            return Ok(None);
        };
        let mut center = first;
        let mut others = left;
        loop {
            let mut together = others.clone();
            self.add_neighbours(center, &mut together)?;
            together.retain(|&place| self.goes(place));
            // If all these settings have been in the last stage, there is nothing to learn.
            if together
                .iter()
                .any(|&place| self.tried[place].last.is_empty())
            {
                let spare = self.budget().saturating_sub(2 * DUEL.0);
                let rounds = (spare / together.len()).min(LAST.1);
                for round in 0..rounds {
                    for (place, time) in self.round(&together, Stage::Last, round % 2 == 1)? {
                        self.tried[place].last.push(time);
                    }
                }
            }
            match self.fastest(None) {
                Some(best) if best != center => {
                    let is_affordable = self.budget() >= 2 * DUEL.0 + 2 * LAST.0;
                    if !is_affordable {
                        return Ok(Some(best));
                    }
                    center = best;
                    others = vec![best];
                }
                best => return Ok(best),
            }
        }
    }

    /// Adds the settings around `center` that have not been in the last stage, as many as the budget is enough for, and
    /// warms them up.
    fn add_neighbours(&mut self, center: usize, together: &mut Vec<usize>) -> Result<(), E> {
        let mut spare = (self.budget()).saturating_sub(2 * DUEL.0 + LAST.0 * together.len());
        let mut new = Vec::new();
        for (_, setting) in self.plan.neighbours(&self.tried[center].setting) {
            let known = self.places.get(&setting).copied();
            let is_done = |place: usize| {
                let tried = &self.tried[place];
                tried.failed || !tried.last.is_empty() || together.contains(&place)
            };
            if known.is_some_and(is_done) {
                continue;
            }
            let cost = LAST.0 + known.map_or(self.plan.warm_up, |_| 0);
            if cost > spare {
                break;
            }
            spare -= cost;
            let place = self.place(setting);
            if known.is_none() {
                new.push(place);
            }
            together.push(place);
        }
        self.warm_up(&new)
    }

    /// The setting with the least median of the last stage, where the setting `but` is left out. Of equals, it is the
    /// first in the grid.
    fn fastest(&self, but: Option<usize>) -> Option<usize> {
        let places = (0..self.tried.len()).filter(|&place| {
            Some(place) != but && self.goes(place) && !self.tried[place].last.is_empty()
        });
        places.min_by(|&one, &other| {
            let [one, other] = [&self.tried[one], &self.tried[other]];
            let by_time = one.median().total_cmp(&other.median());
            by_time.then_with(|| one.setting.cmp(&other.setting))
        })
    }

    /// The setting that comes behind the best.
    fn next(&self, best: usize) -> Option<usize> {
        self.fastest(Some(best))
    }

    /// Runs the best setting and the next against each other. The better one by all runs of the last stage and of the
    /// duel is the best then. Returns the best and the next.
    fn duel(&mut self, best: usize, next: usize) -> Result<(Option<usize>, NextBest), E> {
        let pair = [best, next];
        for round in 0..(self.budget() / 2).min(DUEL.1) {
            let turn = self.round(&pair, Stage::Duel, round % 2 == 1)?;
            if turn.len() < pair.len() {
                break;
            }
            for (place, time) in turn {
                self.tried[place].duel.push(time);
            }
        }
        match pair.map(|place| self.goes(place)) {
            [true, true] => {}
            [true, false] => return Ok((Some(best), None)),
            [false, _] => return Ok((self.fastest(None), None)),
        }
        let median = |place: usize| {
            let tried = &self.tried[place];
            let times = Times::new([&tried.last[..], &tried.duel].concat());
            times.map_or(f64::INFINITY, |times| times.median())
        };
        let (best, next) = if median(next) < median(best) {
            (next, best)
        } else {
            (best, next)
        };
        let [one, other] = [best, next].map(|place| &self.tried[place].duel[..]);
        let order = (!one.is_empty()).then(|| RankOrder::of(one, other));
        Ok((Some(best), Some((next, order))))
    }
}

#[cfg(test)]
#[path = "search_tests.rs"]
mod tests;
