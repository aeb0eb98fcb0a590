//! Finds the best setting with few runs. Settings are numbers here, and a run is the time that it took.
//!
//! | stage | which settings | runs of each |
//! |---|---|---|
//! | warm-up | the candidates: all, or a random sample where the budget is not enough for all | `warm_up`, not counted |
//! | halving | the candidates; after each round the faster half of them, until at most four are left | one more a round |
//! | climb | the best setting that is left, and those some steps beside it that have not run; again around a better one, or in shorter steps where there is none | one a round |
//! | last | the settings that are left, and those that differ from the best in one dimension | three to five |
//! | duel | the best and the next; again with another one that may be as fast, while the best is shown to be faster | five to seven |
//!
//! In each stage the settings take turns, and every second round goes backwards, so that a machine that becomes slower
//! or busier meanwhile hits all alike. For that reason, times of the last stage are not compared with those of earlier
//! stages. Where another setting turns out to be better, the last stage is run again around it, as long as the budget
//! lasts. A setting that fails is left out from there on.
//!
//! A duel shows whether the best setting is faster than the other, since both were chosen before it.

use super::plan::{DUEL, LAST, LEFT, Plan, Setting};
use crate::ranks::{ERROR, RankOrder};
use crate::times::Times;
use std::collections::HashMap;

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
        last.or_else(|| Times::new(self.early.clone())).filter(|_| !self.failed)
    }

    /// The median time of the last stage; infinity without one.
    fn median(&self) -> f64 {
        let times = Times::new(self.last.clone());
        times.map_or(f64::INFINITY, |times| times.median())
    }
}

/// The runs of the best setting against another one.
#[derive(Debug)]
pub(crate) struct Duel {
    /// The index in [`Found::tried`] of the other setting.
    pub(crate) other: usize,
    /// The order of the runs of the best setting and of the other one.
    pub(crate) order: RankOrder,
    /// Whether the best setting is shown to be faster.
    pub(crate) is_told: bool,
}

/// The result of a search.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Each setting that was run, in the order of their first runs.
    pub(crate) tried: Vec<Tried>,
    /// The index in `tried` of the best setting. None where all have failed.
    pub(crate) best: Option<usize>,
    /// The index in `tried` of the setting that comes behind the best. None where there is none.
    pub(crate) next: Option<usize>,
    /// The duels of the best setting, the one against the next first. Empty where the other one has failed meanwhile.
    pub(crate) duels: Vec<Duel>,
    /// How many settings there are.
    pub(crate) total: u128,
    /// How many of the settings began.
    pub(crate) candidates: usize,
    /// How many runs were made, warm-ups included.
    pub(crate) runs: usize,
    /// The settings one step beside the best that the budget was not enough for.
    pub(crate) not_run: Vec<Setting>,
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
/// `run` ends the search, and is returned with what was found until then.
pub(crate) fn search<E>(plan: &Plan, run: impl FnMut(&Setting, Stage) -> Result<Option<f64>, E>) -> (Found, Option<E>) {
    let mut search = Search { plan, run, tried: Vec::new(), places: HashMap::new(), runs: 0 };
    let beginners = plan.beginners();
    let candidates = beginners.len();
    let left: Vec<usize> = beginners.into_iter().map(|one| search.place(one)).collect();
    let mut found = Found::default();
    let error = search.whole(left, &mut found).err();
    if error.is_some() && found.best.is_none() {
        found.best = search.fastest(None).or_else(|| search.fastest_early());
    }
    if let (Some(best), None) = (found.best, &error) {
        found.not_run = search.not_run(best);
    }
    found.tried = search.tried;
    found.total = plan.total();
    found.candidates = candidates;
    found.runs = search.runs;
    (found, error)
}

impl<E, R: FnMut(&Setting, Stage) -> Result<Option<f64>, E>> Search<'_, R> {
    /// All stages of the search, from the settings that begin.
    fn whole(&mut self, mut left: Vec<usize>, found: &mut Found) -> Result<(), E> {
        self.warm_up(&left)?;
        left = self.halve(left)?;
        left = self.climb(left)?;
        found.best = self.last(left)?;
        self.duels(found)
    }

    /// The index of a setting among those that were tried, to which it is added if need be.
    fn place(&mut self, setting: Setting) -> usize {
        *self.places.entry(setting).or_insert_with_key(|setting| {
            self.tried.push(Tried { setting: setting.clone(), ..Tried::default() });
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

    /// Runs a setting once, keeps its time and returns it. None if it failed.
    fn once(&mut self, place: usize, stage: Stage) -> Result<Option<f64>, E> {
        let time = (self.run)(&self.tried[place].setting, stage)?;
        self.runs += 1;
        let tried = &mut self.tried[place];
        tried.failed |= time.is_none();
        // It is kept at once: the next run may be interrupted.
        match stage {
            Stage::WarmUp => {}
            Stage::Halving | Stage::Climb => tried.early.extend(time),
            Stage::Last => tried.last.extend(time),
            Stage::Duel => tried.duel.extend(time),
        }
        Ok(time)
    }

    /// Runs each of some settings once, those left out that have failed, in this order or backwards. Returns the
    /// settings and their times.
    fn round(&mut self, places: &[usize], stage: Stage, backwards: bool) -> Result<Vec<(usize, f64)>, E> {
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
            self.round(&left, Stage::Halving, round % 2 == 1)?;
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

    /// Goes from the first of the settings that are left to the best one some steps beside it that has not run. The
    /// steps are long at first; where none of them leads to a better setting, they are halved. It goes on while the
    /// budget has more than the last stage needs. Returns the settings that are left then, the best first.
    fn climb(&mut self, mut left: Vec<usize>) -> Result<Vec<usize>, E> {
        let widest = self.plan.sizes.iter().max().copied().unwrap_or(1);
        // A sample leaves gaps. An eighth of the values is about as far as the best one of a sample is away from the
        // best.
        let mut reach = (widest / 8).next_power_of_two();
        while let Some(&center) = left.first() {
            let beside = self.beside(&self.tried[center].setting, reach);
            let cost = beside.len() * (self.plan.warm_up + 1) + 1;
            let later = LEFT * LAST.0 + 2 * DUEL.0 + self.plan.budget / 6;
            if beside.is_empty() && reach > 1 {
                reach /= 2;
                continue;
            }
            if beside.is_empty() || cost + later > self.budget() {
                break;
            }
            let mut together: Vec<usize> = beside.into_iter().map(|one| self.place(one)).collect();
            self.warm_up(&together)?;
            together.push(center);
            let times = self.round(&together, Stage::Climb, false)?;
            left.retain(|&place| self.goes(place));
            let fastest = times.iter().min_by(|one, other| one.1.total_cmp(&other.1));
            match fastest {
                Some(&(place, _)) if place != center => left.insert(0, place),
                _ if reach == 1 => break,
                _ => reach /= 2,
            }
            left.truncate(LEFT);
        }
        Ok(left)
    }

    /// The settings that have not run, and that are `reach` steps beside another one in one dimension, or at its end
    /// where that is nearer.
    fn beside(&self, center: &Setting, reach: usize) -> Vec<Setting> {
        let mut all: Vec<Setting> = Vec::new();
        for (dimension, &size) in self.plan.sizes.iter().enumerate() {
            let value = center[dimension];
            for other in [value.saturating_sub(reach), (value + reach).min(size - 1)] {
                let mut setting = center.clone();
                setting[dimension] = other;
                if other != value && !self.places.contains_key(&setting) && !all.contains(&setting) {
                    all.push(setting);
                }
            }
        }
        all
    }

    /// The settings one step beside the best that have not run.
    fn not_run(&self, best: usize) -> Vec<Setting> {
        let mut beside = self.plan.neighbours(&self.tried[best].setting);
        beside.retain(|(distance, setting)| {
            let tried = self.places.get(setting).map(|&place| &self.tried[place]);
            let has_run = tried.is_some_and(|tried| tried.failed || !(tried.early.is_empty() && tried.last.is_empty()));
            *distance == 1 && !has_run
        });
        beside.into_iter().map(|(_, setting)| setting).collect()
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
            if together.iter().any(|&place| self.tried[place].last.is_empty()) {
                let spare = self.budget().saturating_sub(2 * DUEL.0);
                let rounds = (spare / together.len()).min(LAST.1);
                for round in 0..rounds {
                    self.round(&together, Stage::Last, round % 2 == 1)?;
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
        let places = (0..self.tried.len())
            .filter(|&place| Some(place) != but && self.goes(place) && !self.tried[place].last.is_empty());
        places.min_by(|&one, &other| {
            let [one, other] = [&self.tried[one], &self.tried[other]];
            let by_time = one.median().total_cmp(&other.median());
            by_time.then_with(|| one.setting.cmp(&other.setting))
        })
    }

    /// The setting with the least median of earlier stages. None where none has run.
    fn fastest_early(&self) -> Option<usize> {
        let median = |place: usize| Some(self.tried[place].times()?.median());
        let places = (0..self.tried.len()).filter_map(|place| Some((place, median(place)?)));
        let fastest = places.min_by(|one, other| one.1.total_cmp(&other.1));
        fastest.map(|(place, _)| place)
    }

    /// Runs the best setting against the next, and, while it is shown to be faster, against others whose runs overlap
    /// with its own.
    fn duels(&mut self, found: &mut Found) -> Result<(), E> {
        let Some(first) = found.best else {
            return Ok(());
        };
        let times = |search: &Self, place: usize| search.tried[place].times();
        let best_times = times(self, first);
        let mut rivals: Vec<usize> = (0..self.tried.len())
            .filter(|&place| place != first && !self.tried[place].last.is_empty())
            .filter(|&place| {
                let both = best_times.as_ref().zip(times(self, place));
                both.is_some_and(|(best, other)| other.is_like(best))
            })
            .collect();
        // All tests together must be wrong no more often than one would be.
        let error = ERROR / rivals.len().max(1) as f64;
        while let Some(best) = found.best {
            let is_first = found.duels.is_empty();
            let rival = if is_first {
                self.fastest(Some(best))
            } else {
                let median = |place: &usize| self.tried[*place].median();
                let left = rivals.iter().copied().filter(|&place| place != best && self.goes(place));
                left.min_by(|one, other| median(one).total_cmp(&median(other)))
            };
            let Some(rival) = rival else { break };
            if !is_first && self.budget() < 2 * DUEL.0 {
                break;
            }
            rivals.retain(|&place| place != rival);
            found.next = found.next.or(Some(rival));
            let (now, duel) = self.duel(best, rival, error)?;
            if now != found.best {
                // What was shown of the former best setting is not shown of this one.
                found.duels.clear();
                found.next = duel.as_ref().map(|duel| duel.other);
            }
            found.best = now;
            let Some(duel) = duel else {
                if is_first {
                    found.next = None;
                }
                break;
            };
            let is_told = duel.is_told;
            found.duels.push(duel);
            if !is_told {
                break;
            }
        }
        Ok(())
    }

    /// Runs the best setting and another one against each other. The better one by all runs of the last stage and of
    /// the duel is the best then. Returns it, and the order of the two.
    fn duel(&mut self, best: usize, rival: usize, error: f64) -> Result<(Option<usize>, Option<Duel>), E> {
        let pair = [best, rival];
        let before = pair.map(|place| self.tried[place].duel.len());
        for round in 0..(self.budget() / 2).min(DUEL.1) {
            let turn = self.round(&pair, Stage::Duel, round % 2 == 1)?;
            if turn.len() < pair.len() {
                break;
            }
        }
        match pair.map(|place| self.goes(place)) {
            [true, true] => {}
            [true, false] => return Ok((Some(best), None)),
            [false, _] => return Ok((self.fastest(None), None)),
        }
        let [one, other] = [0, 1].map(|at| &self.tried[pair[at]].duel[before[at]..]);
        if one.is_empty() {
            return Ok((Some(best), None));
        }
        let median = |place: usize, duel: &[f64]| {
            let times = Times::new([&self.tried[place].last[..], duel].concat());
            times.map_or(f64::INFINITY, |times| times.median())
        };
        let is_swapped = median(rival, other) < median(best, one);
        let (winner, loser, order) = if is_swapped {
            (rival, best, RankOrder::of(other, one))
        } else {
            (best, rival, RankOrder::of(one, other))
        };
        let duel = Duel { other: loser, is_told: order.is_told(error), order };
        Ok((Some(winner), Some(duel)))
    }
}

#[cfg(test)]
#[path = "search_tests.rs"]
mod tests;
