//! Rules about what the policy decided, what it expected, and the variants between which it had to choose.

use super::decisions::DecisionCause;
use super::look::{LIMITS, Look, Seen, percent, time};
use super::predictions::predictions;
use crate::recorded::median;
use crate::replay::{Replay, Wish};
use ocr_base::text::{counted, duration};
use ocr_place::policy::{DEFAULT, is_file};
use rustc_hash::FxHashMap;

/// How many units a place has.
fn units_of(look: &Look<'_>, place: u8) -> u64 {
    look.ground.places.get(&place).copied().unwrap_or(1) as u64
}

pub(super) fn missing_variant(look: &Look<'_>) -> Vec<Seen> {
    let mut found = Vec::new();
    let ground = look.ground;
    let idle = |place: u8| look.busy(place) <= LIMITS.idle;
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
        let others = ground.places.keys().copied().filter(|&other| other != place);
        let Some(other) = others.filter(|&other| idle(other)).min_by(|&a, &b| look.busy(a).total_cmp(&look.busy(b)))
        else {
            continue;
        };
        let of_place = ns as f64 / units_of(look, place) as f64 / look.ns;
        let of_chain = look.chain.by_template.get(&number).copied().unwrap_or(0);
        let of_chain = of_chain as f64 / look.ns;
        let is_full = look.busy(place) >= LIMITS.busy && of_place >= LIMITS.much_of_place;
        let share = if is_full { of_place } else { of_chain };
        if count < LIMITS.seen || !is_full && of_chain < LIMITS.much_of_place {
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
        let saved = share.min(1.0 - look.busy(other)) * look.ns;
        let seen = Seen::saves(saved)
            .at(place)
            .of(number)
            .word("template", template.name.as_str())
            .word("place", ground.run.place_name(place))
            .word("share", percent(share))
            .word("what", what)
            .word("other", ground.run.place_name(other))
            .word("busy", percent(look.busy(other)))
            .word("missing", missing);
        found.push(seen);
    }
    found
}

/// How much the times of some EDTs vary: the width of their middle half, where each time is divided by the median of
/// the EDTs that have as many bytes.
fn spread(look: &Look<'_>, edts: &[u32]) -> f64 {
    let part = |&number: &u32| {
        let edt = look.ground.edt(number);
        let median = (look.ground.medians).at(edt.template, edt.place, edt.bytes)?;
        Some(look.ground.took(number)? as f64 / median.max(1) as f64)
    };
    let mut parts: Vec<f64> = edts.iter().filter_map(part).collect();
    parts.sort_unstable_by(f64::total_cmp);
    let at = |quarter: usize| parts.get(parts.len().saturating_sub(1) * quarter / 4);
    at(3).zip(at(1)).map_or(0.0, |(high, low)| high - low)
}

pub(super) fn wrong_model(look: &Look<'_>) -> Vec<Seen> {
    let mut found = Vec::new();
    let ground = look.ground;
    let mut groups: FxHashMap<(u32, u8), Vec<u32>> = FxHashMap::default();
    for &edt in &ground.ran {
        let its = ground.edt(edt);
        groups.entry((its.template, its.place)).or_default().push(edt);
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort_unstable();
    for ((template, place), edts) in groups {
        let Some(predicted) = predictions(ground, &edts) else {
            continue;
        };
        let cost =
            look.cost_of_run(|one| one.cause == DecisionCause::Model && ground.edt(one.edt).template == template);
        if predicted.count - predicted.guesses < LIMITS.seen
            || predicted.median_error < LIMITS.error
            || (cost as f64) < LIMITS.cost * look.ns
        {
            continue;
        }
        let mut times: Vec<u64> = edts.iter().filter_map(|&edt| ground.took(edt)).collect();
        let varies = spread(look, &edts) >= LIMITS.error;
        let advice = if varies {
            "EDTs whose blocks have as many bytes take different times: those that do different work are better \
                     of different templates, or have the hint OCR_HINT_EDT_TIME."
        } else {
            "EDTs whose blocks have as many bytes take the same time: what was learned before was of another load or clock, and `ocr \
                      models remove` forgets it."
        };
        let seen = Seen::saves(cost as f64)
            .at(place)
            .of(template)
            .word("template", look.template(template))
            .word("place", ground.run.place_name(place))
            .word("predicted", time(predicted.predicted_ns as f64))
            .word("measured", time(median(&mut times) as f64))
            .word("edts", counted(predicted.count, "EDT"))
            .word("error", percent(predicted.median_error))
            .word("advice", advice);
        found.push(seen);
    }
    found
}

pub(super) fn unknown_times(look: &Look<'_>) -> Vec<Seen> {
    let cost = look.cost_by(DecisionCause::Unknown) as f64;
    if cost < LIMITS.cost * look.ns {
        return Vec::new();
    }
    let is_so = |cause| cause == DecisionCause::Unknown;
    let count = look.decisions.iter().filter(|one| is_so(one.cause)).count();
    let models = look.run.about.get("models");
    let advice = if models.is_some_and(|models| models == "off") {
        "OCR_MODELS=off has each run learn them anew; without it, they are known from the second run on."
    } else {
        "The next run knows them, so compare that."
    };
    let late = look.cost(|one| is_so(one.cause));
    vec![
        Seen::saves(cost)
            .word("edts", counted(count as u64, "EDT"))
            .word("late", time(late as f64))
            .word("advice", advice),
    ]
}

pub(super) fn blocks_held(look: &Look<'_>) -> Vec<Seen> {
    let waited = look.chain.blocks as f64;
    let costs = waited.min(look.beyond_the_bound());
    if !look.counts(costs) {
        return Vec::new();
    }
    vec![
        Seen::saves(costs)
            .word("edts", counted(look.chain.edts, "EDT"))
            .word("waited", time(waited))
            .word("part", percent(waited / look.ns)),
    ]
}

pub(super) fn other_policy(look: &Look<'_>) -> Vec<Seen> {
    let policy = look.policy();
    let cost = look.cost_by(DecisionCause::NoEstimate) as f64;
    // A file that a recording names is not loaded: it runs code of its own.
    if policy == DEFAULT || is_file(policy) || cost < LIMITS.cost * look.ns {
        return Vec::new();
    }
    let Ok(replay) = Replay::new(look.run, &Wish::default()) else {
        return Vec::new();
    };
    let [Ok(same), Ok(other)] = [policy, DEFAULT].map(|policy| replay.simulate(policy, false)) else {
        return Vec::new();
    };
    let saved = same.seconds - other.seconds;
    if saved < LIMITS.cost * same.seconds {
        return Vec::new();
    }
    vec![
        Seen::saves((saved * 1e9).round())
            .word("other", duration(other.seconds))
            .word("best", DEFAULT)
            .word("same", duration(same.seconds))
            .word("policy", policy),
    ]
}
