//! The rules of [`super::advice`] about workers, devices and what is between them.

use super::advice::{Advice, Facts, LIMITS, Rule};
use super::decisions::Cause;
use super::ground::Unit;
use super::rules::{percent, time};
use crate::report::recorded::median;
use crate::report::replay::{Replay, Wish};
use crate::report::{counted, duration};
use crate::sched::policy::DEFAULT;

pub(super) fn more_units(facts: &Facts<'_>, found: &mut Vec<Advice>) {
    let Some(score) = &facts.score else { return };
    let path = score.critical_path / score.seconds.max(1e-12);
    if facts.all_busy() < LIMITS.busy || path > LIMITS.short_path {
        return;
    }
    let who = match facts.ground.units.len() {
        1 => "The one worker or device was".to_string(),
        units => format!("All {units} workers and devices were"),
    };
    found.push(Advice {
        rule: Rule::MoreUnits,
        text: format!(
            "{who} busy for {} of the run, and the critical path is {} of it. More workers on cores of their own, or \
             another device, would make it shorter; another placement hardly.",
            percent(facts.all_busy()),
            percent(path)
        ),
        at_most_ns: None,
    });
}

pub(super) fn copies(facts: &Facts<'_>, found: &mut Vec<Advice>) {
    let ground = facts.ground;
    for &place in ground.places.keys().filter(|place| **place != 0) {
        let units = ground.units.iter().filter(|unit| unit.place == place);
        let (mut waited, mut bytes, mut edts) = (0, 0, 0);
        for unit in units.clone() {
            let mut free = ground.begin;
            for &number in &unit.edts {
                let edt = ground.edt(number);
                if let Some(copies) = ground.copies_for(number) {
                    let could = free.max(edt.runnable).max(copies.begin);
                    waited += copies.end.min(edt.begin).saturating_sub(could);
                    bytes += copies.bytes;
                    edts += 1;
                }
                free = edt.end;
            }
        }
        let waited = waited / units.count().max(1) as u64;
        if (waited as f64) < LIMITS.copies * facts.span() {
            continue;
        }
        found.push(Advice {
            rule: Rule::Copies,
            text: format!(
                "{} waited {} ({} of the run) for copies, {bytes} bytes for {}, and was in kernels for {}. EDTs that use the same \
                 blocks should run in one place after another, or do more work for each byte; else the host is the better place.",
                ground.run.place_name(place),
                time(waited),
                percent(waited as f64 / facts.span()),
                counted(edts, "EDT"),
                percent(facts.busy(place))
            ),
            at_most_ns: Some(waited),
        });
    }
}

/// Nanoseconds in which a unit ran nothing, and of these, those in which an EDT had all that it needed and could have run there.
fn idle_of(facts: &Facts<'_>, unit: &Unit) -> (u64, u64) {
    let ground = facts.ground;
    let mut waits: Vec<(u64, u64)> = ground
        .ran
        .iter()
        .filter(|&&edt| {
            ground
                .places_of(ground.edt(edt))
                .any(|place| place == unit.place)
        })
        .map(|&edt| (ground.ready(edt), ground.edt(edt).begin))
        .filter(|(ready, begin)| ready < begin)
        .collect();
    waits.sort_unstable();
    // What is left of each is what no earlier one has.
    let mut covered = 0;
    for (from, to) in &mut waits {
        *from = (*from).max(covered).min(*to);
        covered = covered.max(*to);
    }
    let mut idle = Vec::new();
    let mut free = ground.begin;
    for &edt in &unit.edts {
        idle.push((free, ground.edt(edt).begin.max(free)));
        free = ground.edt(edt).end;
    }
    idle.push((free, ground.end.max(free)));
    let all = idle.iter().map(|(from, to)| to - from).sum();
    let (mut both, mut at) = (0, 0);
    for (from, to) in idle {
        while waits.get(at).is_some_and(|wait| wait.1 <= from) {
            at += 1;
        }
        let here = waits[at..].iter().take_while(|wait| wait.0 < to);
        both += here
            .map(|wait| wait.1.min(to).saturating_sub(wait.0.max(from)))
            .sum::<u64>();
    }
    (all, both)
}

pub(super) fn starved_worker(facts: &Facts<'_>, found: &mut Vec<Advice>) {
    let ground = facts.ground;
    // That worker has nothing to do for a reason that is told.
    if is_bound_by_path(facts) || found.iter().any(|advice| advice.rule == Rule::LargeEdts) {
        return;
    }
    let workers: Vec<&Unit> = ground.units.iter().filter(|unit| unit.place == 0).collect();
    for worker in &workers {
        let others = workers
            .iter()
            .filter(|other| !std::ptr::eq(**other, *worker));
        let mut busy: Vec<u64> = others.map(|other| other.busy).collect();
        if busy.is_empty() {
            return;
        }
        let usual = median(&mut busy);
        let less = usual.saturating_sub(worker.busy) as f64;
        if worker.busy as f64 > LIMITS.starved * usual as f64 || less < LIMITS.tail * facts.span() {
            continue;
        }
        let (idle, ready) = idle_of(facts, worker);
        let share = ready as f64 / idle.max(1) as f64;
        let advice = if share > 0.5 {
            "They waited for another place, or behind others: another policy may give them to it."
                .to_string()
        } else {
            format!(
                "There are too few of them at once: more and smaller EDTs, fewer dependences, or OCR_WORKERS={}.",
                (workers.len() - 1).max(1)
            )
        };
        found.push(Advice {
            rule: Rule::StarvedWorker,
            text: format!(
                "{} was in EDTs for {} of the run, the other workers for {} in the median. In {} of the time in which it ran \
                 nothing, an EDT was ready for a worker. {advice}",
                worker.name,
                percent(worker.busy as f64 / facts.span()),
                percent(usual as f64 / facts.span()),
                percent(share)
            ),
            at_most_ns: Some(less as u64 / workers.len() as u64),
        });
    }
}

fn is_bound_by_path(facts: &Facts<'_>) -> bool {
    let path = facts
        .score
        .as_ref()
        .map_or(0.0, |score| score.critical_path / score.seconds.max(1e-12));
    path >= LIMITS.path && facts.all_busy() <= LIMITS.idle
}

pub(super) fn dependences(facts: &Facts<'_>, found: &mut Vec<Advice>) {
    let Some(score) = facts.score.as_ref().filter(|_| is_bound_by_path(facts)) else {
        return;
    };
    let most = facts.chain.by_template.iter().max_by_key(|(_, ns)| **ns);
    let templates = &facts.ground.run.templates;
    let most = most.and_then(|(&template, &ns)| Some((templates.get(template as usize)?, ns)));
    let which = most.map_or_else(String::new, |(template, ns)| {
        format!(
            " In the chain of {} that led to the end, those of template {} take {}.",
            counted(facts.chain.edts, "EDT"),
            template.name,
            time(ns)
        )
    });
    found.push(Advice {
        rule: Rule::Dependences,
        text: format!(
            "The critical path is {} of the run, and units were busy for {} of it: EDTs wait for each other, and no placement is \
             faster.{which} What helps is to make these shorter, or to have fewer wait for each other.",
            percent(score.critical_path / score.seconds.max(1e-12)),
            percent(facts.all_busy())
        ),
        at_most_ns: most.map(|(_, ns)| ns),
    });
}

pub(super) fn slow_device(facts: &Facts<'_>, found: &mut Vec<Advice>) {
    let ground = facts.ground;
    let workers = ground.places.get(&0).copied().unwrap_or(0) as f64;
    for (&place, &lanes) in ground.places.iter().filter(|(place, _)| **place != 0) {
        let (mut host, mut device, mut ran, mut last) = (0.0, 0.0, 0, 0);
        for &number in &ground.ran {
            let edt = ground.edt(number);
            if edt.place == place && ground.places_of(edt).any(|other| other == 0) {
                ran += 1;
                last = last.max(edt.end);
            }
            let times = [0, place].map(|place| ground.medians.at(edt.template, place, edt.bytes));
            if let [Some(here), Some(there)] = times {
                host += here as f64;
                device += there as f64;
            }
        }
        if ran == 0 || host == 0.0 || device == 0.0 || workers == 0.0 {
            continue;
        }
        let speeds = [workers / host, lanes as f64 / device];
        let share = speeds[1] / (speeds[0] + speeds[1]);
        let others = ground.ran.iter().map(|&edt| ground.edt(edt));
        let others = others.filter(|edt| edt.place != place).map(|edt| edt.end);
        let alone = last.saturating_sub(others.max().unwrap_or(ground.begin));
        let cost = facts.cost_of_run(|one| ground.edt(one.edt).place == place);
        let cost = facts.by_placing(cost.max(alone));
        if share > LIMITS.slow || (cost as f64) < LIMITS.cost * facts.span() {
            continue;
        }
        let name = ground.run.place_name(place);
        found.push(Advice {
            rule: Rule::SlowDevice,
            text: format!(
                "{name} is too slow for these EDTs: there they take {:.1} times as long as on a worker, so it adds {} of the speed of \
                 all. It ran {}, and the run took {} longer for that, at most. OCR_DEVICES=none leaves it out, and so does \
                 OCR_SCHED=cpu.",
                device / host,
                percent(share),
                counted(ran, "EDT"),
                time(cost)
            ),
            at_most_ns: Some(cost),
        });
    }
}

pub(super) fn other_policy(facts: &Facts<'_>, found: &mut Vec<Advice>) {
    let run = facts.ground.run;
    let policy = run.about.get("sched").map_or("", String::as_str);
    let cost = facts.cost_by(Cause::NoEstimate);
    if policy == DEFAULT || (cost as f64) < LIMITS.cost * facts.span() {
        return;
    }
    let Ok(replay) = Replay::new(run, &Wish::default()) else {
        return;
    };
    let [Ok(same), Ok(other)] = [policy, DEFAULT].map(|policy| replay.simulate(policy, false))
    else {
        return;
    };
    let saved = same.seconds - other.seconds;
    if saved < LIMITS.policy * same.seconds {
        return;
    }
    found.push(Advice {
        rule: Rule::OtherPolicy,
        text: format!(
            "OCR_SCHED={policy} does not look at how long EDTs take. The same EDTs take {} under OCR_SCHED={DEFAULT} in \
             simulation, and {} under {policy}.",
            duration(other.seconds),
            duration(same.seconds)
        ),
        at_most_ns: Some((saved * 1e9).round() as u64),
    });
}
