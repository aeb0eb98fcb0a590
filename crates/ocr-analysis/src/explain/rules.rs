//! The rules of [`super::advice`]: when each says something, and in which words.

use super::advice::{Advice, AdviceFacts, AdviceRule, LIMITS};
use super::decisions::DecisionCause;
use super::template::predictions;
use crate::recorded::median;
use crate::replay::{Replay, Wish};
use crate::why;
use ocr_base::text::{counted, duration};
use ocr_place::policy::DEFAULT;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;

/// A rule: a function that adds its advice, if it has any.
type Apply = fn(&AdviceFacts<'_>, &mut Vec<Advice>);

/// All rules of this file.
const ALL: &[Apply] = &[
    missing_variant,
    wrong_model,
    unknown_times,
    blocks_held,
    other_policy,
];

fn time(ns: u64) -> String {
    duration(ns as f64 / 1e9)
}

fn percent(part: f64) -> String {
    format!("{:.0} %", 100.0 * part)
}

/// How many units a place has.
fn units_of(facts: &AdviceFacts<'_>, place: u8) -> u64 {
    facts.ground.places.get(&place).copied().unwrap_or(1) as u64
}

fn missing_variant(facts: &AdviceFacts<'_>, found: &mut Vec<Advice>) {
    let ground = facts.ground;
    let idle = |place: u8| facts.busy(place) <= LIMITS.idle;
    let mut sums: FxHashMap<u32, (u64, u64)> = FxHashMap::default();
    for edt in ground.ran.iter().map(|&edt| ground.edt(edt)) {
        let (count, ns) = sums.entry(edt.template).or_default();
        *count += 1;
        *ns += edt.time().unwrap_or(0);
    }
    let mut sums: Vec<_> = sums.into_iter().collect();
    sums.sort_unstable();
    for (number, (count, ns)) in sums {
        let Some(template) = ground.run.templates.get(number as usize) else {
            continue;
        };
        let has = |place: u8| place < 64 && template.places >> place & 1 != 0;
        let own: Vec<u8> = ground.places.keys().copied().filter(|&p| has(p)).collect();
        let [place] = own[..] else { continue };
        let others = ground
            .places
            .keys()
            .copied()
            .filter(|&other| other != place);
        let Some(other) = others
            .filter(|&other| idle(other))
            .min_by(|&a, &b| facts.busy(a).total_cmp(&facts.busy(b)))
        else {
            continue;
        };
        let of_place = ns as f64 / units_of(facts, place) as f64 / facts.span();
        let of_chain = facts.chain.by_template.get(&number).copied().unwrap_or(0);
        let of_chain = of_chain as f64 / facts.span();
        let is_full = facts.busy(place) >= LIMITS.busy && of_place >= LIMITS.much_of_place;
        let share = if is_full { of_place } else { of_chain };
        if count < LIMITS.seen as u64 || !is_full && of_chain < LIMITS.much_of_place {
            continue;
        }
        let missing = match other {
            0 => "a C function".to_string(),
            _ => format!("a kernel for {}", ground.run.place_name(other)),
        };
        let what = if is_full {
            "of the time of a place that was busy all the time"
        } else {
            "of the run in the chain of EDTs that led to its end"
        };
        let saved = share.min(1.0 - facts.busy(other)) * facts.span();
        found.push(Advice {
            rule: AdviceRule::MissingVariant,
            text: format!(
                "Template {} runs on {} only, and takes {} {what}; {} was busy for {} of the run. With {missing} it could run \
                 there, too.",
                template.name,
                ground.run.place_name(place),
                percent(share),
                ground.run.place_name(other),
                percent(facts.busy(other))
            ),
            at_most_ns: Some(saved as u64),
        });
    }
}

/// How much the times of some EDTs vary: the width of their middle half, where each time is divided by the median of
/// the EDTs that have as many bytes.
fn spread(facts: &AdviceFacts<'_>, edts: &[u32]) -> f64 {
    let part = |&edt: &u32| {
        let edt = facts.ground.edt(edt);
        let median = (facts.ground.medians).at(edt.template, edt.place, edt.bytes)?;
        Some(edt.time()? as f64 / median.max(1) as f64)
    };
    let mut parts: Vec<f64> = edts.iter().filter_map(part).collect();
    parts.sort_unstable_by(f64::total_cmp);
    let at = |quarter: usize| parts.get(parts.len().saturating_sub(1) * quarter / 4);
    at(3).zip(at(1)).map_or(0.0, |(high, low)| high - low)
}

fn wrong_model(facts: &AdviceFacts<'_>, found: &mut Vec<Advice>) {
    let ground = facts.ground;
    let mut groups: FxHashMap<(u32, u8), Vec<u32>> = FxHashMap::default();
    for &edt in &ground.ran {
        let its = ground.edt(edt);
        groups
            .entry((its.template, its.place))
            .or_default()
            .push(edt);
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort_unstable();
    for ((template, place), edts) in groups {
        let Some(predicted) = predictions(ground, &edts) else {
            continue;
        };
        let cost = facts.cost_of_run(|one| {
            one.cause == DecisionCause::Model && ground.edt(one.edt).template == template
        });
        if predicted.count - predicted.guesses < LIMITS.seen as u64
            || predicted.median_error < LIMITS.error
            || (cost as f64) < LIMITS.cost * facts.span()
        {
            continue;
        }
        let mut times: Vec<u64> = edts
            .iter()
            .filter_map(|&edt| ground.edt(edt).time())
            .collect();
        let varies = spread(facts, &edts) >= LIMITS.error;
        let advice = if varies {
            "EDTs whose blocks have as many bytes take different times: those that do different work are better \
                     of different templates, or have the hint OCR_HINT_EDT_TIME."
        } else {
            "EDTs whose blocks have as many bytes take the same time: what was learned before was of another load or clock, and `ocr \
                      models remove` forgets it."
        };
        let name = ground.run.templates.get(template as usize);
        found.push(Advice {
            rule: AdviceRule::WrongModel,
            text: format!(
                "The model of template {} on {} was wrong: predicted {}, measured {} in the median of {}, an error of {}. {advice}",
                name.map_or("", |template| &template.name),
                ground.run.place_name(place),
                time(predicted.predicted_ns),
                time(median(&mut times)),
                counted(predicted.count, "EDT"),
                percent(predicted.median_error)
            ),
            at_most_ns: Some(cost),
        });
    }
}

fn unknown_times(facts: &AdviceFacts<'_>, found: &mut Vec<Advice>) {
    let cost = facts.cost_by(DecisionCause::Unknown);
    if (cost as f64) < LIMITS.cost * facts.span() {
        return;
    }
    let count = facts
        .decisions
        .iter()
        .filter(|one| one.cause == DecisionCause::Unknown)
        .count();
    let off = facts
        .ground
        .run
        .about
        .get("models")
        .is_some_and(|models| models == "off");
    let advice = if off {
        "OCR_MODELS=off has each run learn them anew; without it, they are known from the second run on."
    } else {
        "The next run knows them, so compare that."
    };
    found.push(Advice {
        rule: AdviceRule::UnknownTimes,
        text: format!(
            "When {} were placed, it was not known how long they take somewhere, and they ended {} later than they could have, \
             together. {advice}",
            counted(count as u64, "EDT"),
            time(facts.cost(|one| one.cause == DecisionCause::Unknown))
        ),
        at_most_ns: Some(cost),
    });
}

fn blocks_held(facts: &AdviceFacts<'_>, found: &mut Vec<Advice>) {
    let waited = facts.chain.blocks;
    if (waited as f64) < LIMITS.blocks * facts.span() {
        return;
    }
    found.push(Advice {
        rule: AdviceRule::BlocksHeld,
        text: format!(
            "In the chain of {} that led to the end, EDTs waited {} ({} of the run) for blocks that others had. What only reads a block \
             should have it in mode RO or CONST; what writes different parts of it can have a block for each.",
            counted(facts.chain.edts, "EDT"),
            time(waited),
            percent(waited as f64 / facts.span())
        ),
        at_most_ns: Some(waited),
    });
}

fn other_policy(facts: &AdviceFacts<'_>, found: &mut Vec<Advice>) {
    let run = facts.ground.run;
    let policy = run.about.get("sched").map_or("", String::as_str);
    let cost = facts.cost_by(DecisionCause::NoEstimate);
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
        rule: AdviceRule::OtherPolicy,
        text: format!(
            "OCR_SCHED={policy} does not look at how long EDTs take. The same EDTs take {} under OCR_SCHED={DEFAULT} in \
             simulation, and {} under {policy}.",
            duration(other.seconds),
            duration(same.seconds)
        ),
        at_most_ns: Some((saved * 1e9).round() as u64),
    });
}

/// A cause of [`crate::why`] as an advice.
fn of_cause(cause: why::Cause) -> Advice {
    Advice {
        rule: AdviceRule::Why(cause.rule),
        text: format!("{} {}", cause.text, cause.advice),
        at_most_ns: (cause.costs > 0.0).then(|| (cause.costs * 1e9).round() as u64),
    }
}

/// The advice of all rules for a run; the advice that could save most comes first.
pub(super) fn all(facts: &AdviceFacts<'_>) -> Vec<Advice> {
    let causes = why::Facts::of(facts.ground.run).map_or_else(Vec::new, |why| why.causes);
    let mut found: Vec<Advice> = causes.into_iter().map(of_cause).collect();
    for rule in ALL {
        rule(facts, &mut found);
    }
    let is_worth = |ns: u64| ns as f64 >= LIMITS.worth * facts.span();
    found.retain(|advice| advice.at_most_ns.is_none_or(is_worth));
    found.sort_by_key(|advice: &Advice| Reverse(advice.at_most_ns));
    found
}
