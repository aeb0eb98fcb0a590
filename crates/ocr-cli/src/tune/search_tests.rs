//! The search on made-up times: nothing here depends on a clock.

use super::*;
use crate::tune::plan::Random;
use std::collections::BTreeSet;
use std::convert::Infallible;

/// Noise of a few percent, by a seed.
struct Noise(Random);

impl Noise {
    fn new(seed: u64) -> Noise {
        Noise(Random(seed))
    }

    /// A factor from 1 to 1 and this part, as runs are slowed down; one run in ten takes four times that part.
    fn factor(&mut self, part: f64) -> f64 {
        let even = (self.0.next() >> 11) as f64 / (1u64 << 53) as f64;
        let is_odd = self.0.next().is_multiple_of(10);
        1.0 + even * part * if is_odd { 4.0 } else { 1.0 }
    }
}

fn plan(sizes: &[usize], budget: usize) -> Plan {
    Plan { sizes: sizes.to_vec(), budget, warm_up: 1, seed: 1 }
}

/// What a search finds where runs take these times; and the runs, one after the other.
fn found(plan: &Plan, mut time: impl FnMut(&Setting, usize) -> Option<f64>) -> (Found, Vec<(Setting, Stage)>) {
    let mut log: Vec<(Setting, Stage)> = Vec::new();
    let (found, _) = search(plan, |setting, stage| {
        log.push((setting.clone(), stage));
        Ok::<_, Infallible>(time(setting, log.len()))
    });
    assert_eq!(found.runs, log.len());
    assert!(log.len() <= plan.budget, "{} runs", log.len());
    (found, log)
}

fn best(found: &Found) -> &Setting {
    &found.tried[found.best.expect("one has run")].setting
}

/// Eight numbers of workers, three policies and six sizes of tiles. Five workers, the second policy and the fourth size
/// are best, and each step away from them costs a tenth or more.
fn bowl(setting: &Setting) -> f64 {
    let workers = 1.0 + 0.1 * setting[0].abs_diff(4) as f64;
    let policy = [1.3, 1.0, 1.15][setting[1]];
    let tile = 1.0 + 0.2 * setting[2].abs_diff(3) as f64;
    workers * policy * tile
}

#[test]
fn the_best_of_many_is_found_with_few_runs() {
    let (mut sure, mut wrong) = (0, 0);
    for seed in 0..200 {
        let mut noise = Noise::new(seed);
        let plan = Plan { seed, ..plan(&[8, 3, 6], 200) };
        let (found, _) = found(&plan, |setting, _| Some(bowl(setting) * noise.factor(0.03)));
        wrong += usize::from(best(&found) != &[4, 1, 3]);
        assert_eq!(found.total, 144);
        assert!(found.candidates < 144, "200 runs are not enough for all");
        sure += u32::from(found.duels[0].is_told);
    }
    // A run in ten is slowed down by as much as the best is better than the next.
    assert_eq!(wrong, 0, "of 200");
    assert!(sure >= 190, "{sure} of 200 are sure");
}

#[test]
fn all_settings_are_tried_where_the_budget_is_enough() {
    for seed in 0..50 {
        let mut noise = Noise::new(seed);
        let (found, log) = found(&plan(&[4, 3], 100), |setting, _| {
            let time = 1.0 + 0.1 * (setting[0].abs_diff(1) + setting[1].abs_diff(2)) as f64;
            Some(time * noise.factor(0.02))
        });
        assert_eq!((found.candidates, found.total), (12, 12));
        assert_eq!(best(&found), &[1, 2], "seed {seed}");
        assert!(log.len() <= 90, "{} runs are not few", log.len());
        // Each setting on the lines through the best was in the last stage, three times or more.
        let on_line = |tried: &&Tried| tried.setting[0] == 1 || tried.setting[1] == 2;
        let on_line: Vec<_> = found.tried.iter().filter(on_line).collect();
        assert_eq!(on_line.len(), 6);
        assert!(on_line.iter().all(|tried| tried.last.len() >= 3));
    }
}

#[test]
fn settings_that_take_the_same_time_are_told_as_flat() {
    let (found, _) = found(&plan(&[3, 3], 100), |_, _| Some(1.0));
    assert_eq!(best(&found), &[0, 0], "of equals, the first");
    let times = found.tried[found.best.expect("one")].times().expect("runs");
    assert!(found.tried.iter().all(|tried| tried.times().is_some_and(|other| times.is_like(&other))));
    assert_eq!(found.duels.len(), 1);
    assert_eq!(found.duels[0].order.chance, 1.0);
    assert!(!found.duels[0].is_told);
}

#[test]
fn one_dimension_without_effect_is_no_hindrance() {
    let mut noise = Noise::new(7);
    let (found, _) =
        found(&plan(&[5, 4], 120), |setting, _| Some((1.0 + 0.3 * setting[0].abs_diff(3) as f64) * noise.factor(0.02)));
    assert_eq!(best(&found)[0], 3);
    let next = found.next.expect("there are others");
    assert_eq!(found.tried[next].setting[0], 3);
    let times = |place: usize| found.tried[place].times().expect("it has run");
    assert!(times(found.best.expect("one")).is_like(&times(next)));
    assert!(!found.duels[0].is_told);
}

#[test]
fn a_machine_that_becomes_slower_hits_all_alike() {
    for seed in 0..20 {
        let plan = Plan { seed, ..plan(&[8, 3, 6], 300) };
        let (found, log) = found(&plan, |setting, runs| Some(bowl(setting) * (1.0 + 0.01 * runs as f64)));
        assert!(log.len() > 50);
        assert_eq!(best(&found), &[4, 1, 3], "seed {seed}");
    }
}

#[test]
fn the_first_run_of_a_setting_may_take_long() {
    let mut seen = BTreeSet::new();
    let (found, _) = found(&plan(&[6, 4], 150), |setting, _| {
        let is_first = seen.insert(setting.clone());
        let time = 1.0 + 0.1 * setting[0] as f64 + 0.1 * setting[1].abs_diff(2) as f64;
        Some(if is_first { 50.0 } else { time })
    });
    assert_eq!(best(&found), &[0, 2]);
}

#[test]
fn settings_take_turns() {
    let (found, log) = found(&plan(&[4, 3], 100), |setting, _| Some(bowl_of_two(setting)));
    let all: Vec<Setting> = (0..12).map(|at| vec![at / 3, at % 3]).collect();
    let of = |stage: Stage| -> Vec<Setting> {
        let runs = log.iter().filter(|(_, other)| *other == stage);
        runs.map(|(setting, _)| setting.clone()).collect()
    };
    assert_eq!(of(Stage::WarmUp), all);
    // Twelve, the faster six of them backwards, and four are left.
    let halving = of(Stage::Halving);
    assert_eq!(halving.len(), 18);
    assert_eq!(halving[..12], all);
    assert_eq!(halving[17], best(&found).clone(), "backwards");
    let last = of(Stage::Last);
    let in_turn = last.iter().collect::<BTreeSet<_>>().len();
    assert!(last.len().is_multiple_of(in_turn), "whole rounds");
    for round in last.chunks(in_turn) {
        assert_eq!(round.iter().collect::<BTreeSet<_>>().len(), in_turn);
    }
    let duel = of(Stage::Duel);
    assert_eq!(duel.len(), 14);
    assert!(duel.chunks(2).all(|pair| pair[0] != pair[1]));
    assert_eq!((&duel[1], &duel[3]), (&duel[2], &duel[0]), "and backwards");
}

/// The first values are best.
fn bowl_of_two(setting: &Setting) -> f64 {
    1.0 + 0.1 * (setting[0] + setting[1]) as f64
}

#[test]
fn a_setting_that_fails_is_left_out() {
    // The best values, of which one always fails, and one only in the last stage.
    let (found, log) = found(&plan(&[4, 3], 100), |setting, _| (setting[0] != 0).then(|| bowl_of_two(setting)));
    assert_eq!(best(&found), &[1, 0]);
    let failed = |setting: &Setting| setting[0] == 0;
    assert_eq!(log.iter().filter(|(setting, _)| failed(setting)).count(), 3);
    for tried in &found.tried {
        assert_eq!(tried.failed, failed(&tried.setting));
        assert_eq!(tried.times().is_none(), tried.failed);
    }
    let mut stage = Stage::WarmUp;
    let (late, _) = search(&plan(&[4, 3], 100), |setting, now| {
        stage = now;
        let fails = stage == Stage::Duel && setting == &[0, 0];
        Ok::<_, Infallible>((!fails).then(|| bowl_of_two(setting)))
    });
    assert!([[0, 1], [1, 0]].contains(&[best(&late)[0], best(&late)[1]]));
    let (nothing, _) = self::found(&plan(&[4, 3], 100), |_, _| None);
    assert_eq!((nothing.best, nothing.runs), (None, 12));
    // What is wrong with all of them ends the search.
    let (_, ended) = search(&plan(&[4, 3], 100), |_, _| Err("ended"));
    assert_eq!(ended, Some("ended"));
}

#[test]
fn the_budget_is_kept_and_the_answer_is_always_the_same() {
    for sizes in [&[2][..], &[3], &[4], &[5], &[9, 1], &[2, 2, 2], &[40, 30]] {
        for warm_up in [0, 1, 3] {
            let least = Plan { warm_up, ..plan(sizes, 0) }.least();
            for budget in (0..40).map(|more| least + more * more) {
                let plan = Plan { warm_up, ..plan(sizes, budget) };
                let time = |setting: &Setting, _: usize| Some(1.0 + setting.iter().sum::<usize>() as f64);
                let (one, log) = found(&plan, time);
                let (other, again) = found(&plan, time);
                assert_eq!((&one.tried, log), (&other.tried, again));
                let order = &one.duels[0].order;
                assert!(order.runs >= 5, "{sizes:?}, budget {budget}");
                let last = &other.tried[other.best.expect("one")].last;
                assert!(last.len() >= 3, "{sizes:?}, budget {budget}");
            }
        }
    }
}

#[test]
fn a_search_that_ends_on_the_slope_says_so() {
    // The best of many settings is in a corner, and each step towards it is better.
    let slope = |setting: &Setting, _: usize| Some(1.0 + 0.1 * (setting[0] + setting[1]) as f64);
    let (found, _) = found(&plan(&[2000, 2000], 40), slope);
    let best = best(&found);
    assert_ne!(best, &[0, 0]);
    assert!(!found.not_run.is_empty());
    for setting in &found.not_run {
        let distance = setting[0].abs_diff(best[0]) + setting[1].abs_diff(best[1]);
        assert_eq!(distance, 1, "{setting:?} is not beside {best:?}");
    }
    // Long steps first: enough runs lead to the corner, which is two hundred steps away.
    let (found, _) = self::found(&plan(&[200, 200], 300), slope);
    assert_eq!(self::best(&found), &[0, 0]);
    assert_eq!(found.not_run, Vec::<Setting>::new());
}

#[test]
fn the_best_runs_against_each_that_may_be_as_fast() {
    // Three settings whose runs overlap at first; then the first is faster.
    let mut runs = 0;
    let (found, _) = found(&plan(&[3], 100), |setting, now| {
        runs = now;
        let of_last = 3 * (1 + LAST.1);
        let slower = if runs > of_last { 0.1 * setting[0] as f64 } else { 0.001 * setting[0] as f64 };
        Some(1.0 + slower + 0.01 * (now % 7) as f64)
    });
    assert_eq!(best(&found), &[0]);
    let others: Vec<usize> = found.duels.iter().map(|duel| found.tried[duel.other].setting[0]).collect();
    assert_eq!(others, [1, 2]);
    assert!(found.duels.iter().all(|duel| duel.is_told), "{:?}", found.duels);
}

#[test]
fn what_was_measured_is_kept_where_a_search_is_interrupted() {
    for last in [0, 13, 40, 60] {
        let mut runs = 0;
        let (found, error) = search(&plan(&[4, 3], 100), |setting, _| {
            runs += 1;
            if runs > last { Err("stop") } else { Ok(Some(bowl_of_two(setting))) }
        });
        assert_eq!((error, found.runs), (Some("stop"), last));
        // The first setting has run once the warm-up is over.
        assert_eq!(found.best.map(|best| found.tried[best].setting.clone()), (last > 12).then(|| vec![0, 0]));
    }
}

#[test]
fn a_sample_has_each_setting_once() {
    let plan = plan(&[1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000], 300);
    assert_eq!(plan.total(), 10u128.pow(27));
    let (one, same) = (plan.beginners(), plan.beginners());
    assert_eq!(one, same);
    assert_eq!(one.len(), plan.candidates());
    assert!(one.len() > 40, "{}", one.len());
    assert_eq!(one.iter().collect::<BTreeSet<_>>().len(), one.len());
    let other = Plan { seed: 2, ..plan }.beginners();
    assert_ne!(one, other);
    // Each value is as likely as the others: none is missing in a thousand samples.
    let mut seen = BTreeSet::new();
    for seed in 0..1000 {
        let plan = Plan { seed, ..self::plan(&[40, 30], 100) };
        seen.extend(plan.beginners());
    }
    assert_eq!(seen.len(), 1200);
}
