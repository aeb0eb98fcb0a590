//! The rules of [`super::advice`], about EDTs, templates and models; those about the machine are in `rules_of_units.rs`.

use super::advice::{Advice, Facts, LIMITS, Rule};
use super::decisions::Cause;
use super::ground::Unit;
use super::rules_of_units as units;
use super::template::predictions;
use crate::report::recorded::median;
use crate::report::{counted, duration};
use rustc_hash::FxHashMap;

/// A rule adds what it has to say.
pub(super) type Apply = fn(&Facts<'_>, &mut Vec<Advice>);

/// All of them.
pub(super) const ALL: &[Apply] = &[
    short_edts,
    large_edts,
    missing_variant,
    wrong_model,
    unknown_times,
    blocks_held,
    units::more_units,
    units::copies,
    units::starved_worker,
    units::dependences,
    units::slow_device,
    units::other_policy,
];

pub(super) fn time(ns: u64) -> String {
    duration(ns as f64 / 1e9)
}

pub(super) fn percent(part: f64) -> String {
    format!("{:.0} %", 100.0 * part)
}

/// So many units of a place, and what it is called.
fn units_of(facts: &Facts<'_>, place: u8) -> u64 {
    facts.ground.places.get(&place).copied().unwrap_or(1) as u64
}

/// What passes between two EDTs of a unit, where the second could have begun when the first ended.
struct Turnaround {
    gaps: Vec<u64>,
    runs: Vec<u64>,
    by_template: FxHashMap<u32, u64>,
}

impl Turnaround {
    fn of<'a>(facts: &Facts<'_>, units: impl Iterator<Item = &'a Unit>) -> Turnaround {
        let ground = facts.ground;
        let mut found = Turnaround {
            gaps: Vec::new(),
            runs: Vec::new(),
            by_template: FxHashMap::default(),
        };
        for pair in units.flat_map(|unit| unit.edts.windows(2)) {
            let (first, second) = (ground.edt(pair[0]), ground.edt(pair[1]));
            if ground.ready(pair[1]) <= first.end {
                found.gaps.push(second.begin.saturating_sub(first.end));
                found.runs.push(second.time().unwrap_or(0));
                *found.by_template.entry(second.template).or_default() += 1;
            }
        }
        found
    }
}

fn short_edts(facts: &Facts<'_>, found: &mut Vec<Advice>) {
    let ground = facts.ground;
    for &place in ground.places.keys() {
        let units = ground.units.iter().filter(|unit| unit.place == place);
        let mut passed = Turnaround::of(facts, units);
        let count = passed.gaps.len();
        let (gap, run) = (median(&mut passed.gaps), median(&mut passed.runs));
        let share = gap as f64 / (gap + run).max(1) as f64;
        let lost = gap * count as u64 / units_of(facts, place);
        let has_work = facts.busy(place) + lost as f64 / facts.span();
        if count < LIMITS.seen || share < LIMITS.turnaround || has_work < LIMITS.has_work {
            continue;
        }
        let most = passed.by_template.iter().max_by_key(|(_, count)| **count);
        let name = most.and_then(|(&template, _)| ground.run.templates.get(template as usize));
        let name = name.map_or("", |template| &template.name);
        let aim = LIMITS.turnaround_aim;
        let times = (gap as f64 * (1.0 - aim) / (aim * run.max(1) as f64)).ceil();
        found.push(Advice {
            rule: Rule::ShortEdts,
            text: format!(
                "EDTs are too short on {}: they run for {} in the median, mostly of template {name}, and {} pass \
                 between two of them ({} of the time). With {times} times the work in each EDT that would be {}.",
                ground.run.place_name(place),
                time(run),
                time(gap),
                percent(share),
                percent(aim)
            ),
            at_most_ns: Some(lost),
        });
    }
}

fn large_edts(facts: &Facts<'_>, found: &mut Vec<Advice>) {
    let ground = facts.ground;
    let Some(&last) = ground.ran.iter().max_by_key(|&&edt| ground.edt(edt).end) else {
        return;
    };
    let edt = ground.edt(last);
    let ended = |unit: &Unit| {
        unit.edts
            .last()
            .map_or(ground.begin, |&edt| ground.edt(edt).end)
    };
    let left = |unit: &Unit| ground.end - ended(unit);
    let could: Vec<u8> = ground.places_of(edt).collect();
    // A unit that would have taken longer than the whole end was right to leave it.
    let longest = ground.units.iter().map(left).max().unwrap_or(0);
    let of_use = |unit: &&Unit| {
        let takes = ground.time_at(edt, unit.place);
        could.contains(&unit.place) && takes.is_some_and(|ns| ns <= longest)
            || unit.place == edt.place
    };
    let units: Vec<&Unit> = ground.units.iter().filter(of_use).collect();
    let tail = units.iter().map(|unit| left(unit)).max().unwrap_or(0);
    let idle = units.iter().map(|unit| left(unit)).sum::<u64>() / units.len().max(1) as u64;
    let took = edt.time().unwrap_or(0);
    if units.len() < 2
        || (idle as f64) < LIMITS.tail * facts.span()
        || (took as f64) < LIMITS.tail_edt * tail as f64
    {
        return;
    }
    let alike = |&&other: &&u32| ground.edt(other).template == edt.template;
    let count = ground.ran.iter().filter(alike).count() as u64;
    found.push(Advice {
        rule: Rule::LargeEdts,
        text: format!(
            "EDTs are too large, or too few: at the end, the {} workers and devices that could have run them had nothing to do for {} on average \
             ({} of the run), while {} ran for {}. Of its template there {}: divide the work into more and smaller ones.",
            units.len(),
            time(idle),
            percent(idle as f64 / facts.span()),
            ground.run.name_of(edt),
            time(took),
            match count {
                1 => "is one EDT".to_string(),
                count => format!("are {count} EDTs"),
            }
        ),
        at_most_ns: Some(idle),
    });
}

fn missing_variant(facts: &Facts<'_>, found: &mut Vec<Advice>) {
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
            rule: Rule::MissingVariant,
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

/// How far the middle half of some times is apart, as a part of the median of those that have as many bytes.
fn spread(facts: &Facts<'_>, edts: &[u32]) -> f64 {
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

fn wrong_model(facts: &Facts<'_>, found: &mut Vec<Advice>) {
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
            one.cause == Cause::Model && ground.edt(one.edt).template == template
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
            rule: Rule::WrongModel,
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

fn unknown_times(facts: &Facts<'_>, found: &mut Vec<Advice>) {
    let cost = facts.cost_by(Cause::Unknown);
    if (cost as f64) < LIMITS.cost * facts.span() {
        return;
    }
    let count = facts
        .decisions
        .iter()
        .filter(|one| one.cause == Cause::Unknown)
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
        rule: Rule::UnknownTimes,
        text: format!(
            "When {} were placed, it was not known how long they take somewhere, and they ended {} later than they could have, \
             together. {advice}",
            counted(count as u64, "EDT"),
            time(facts.cost(|one| one.cause == Cause::Unknown))
        ),
        at_most_ns: Some(cost),
    });
}

fn blocks_held(facts: &Facts<'_>, found: &mut Vec<Advice>) {
    let waited = facts.chain.blocks;
    if (waited as f64) < LIMITS.blocks * facts.span() {
        return;
    }
    found.push(Advice {
        rule: Rule::BlocksHeld,
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
