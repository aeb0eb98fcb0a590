//! Rules about the EDTs of a run: how many there were, and what they waited for.

use super::ends;
use super::idle::{Idleness, total};
use super::look::{LIMITS, Look, Seen, percent, time};
use crate::recorded::RecordedEdt;
use ocr_base::text::duration;
use std::collections::BTreeMap;

/// The rule *starved*: a few workers ran EDTs for much less time than the others.
pub(super) fn starved(look: &Look<'_>) -> Option<Seen> {
    let workers = look.run.workers();
    let mut busy: BTreeMap<u32, u64> = workers.map(|(owner, _)| (owner, 0)).collect();
    for edt in look.run.edts.iter().filter(|edt| edt.place == 0) {
        if let Some(ns) = edt.time() {
            let sum = busy.entry(edt.lane).or_default();
            *sum = sum.saturating_add(ns);
        }
    }
    let most = *busy.values().max()? as f64;
    let is_starved = |ns: u64| (ns as f64) < most - 0.4 * look.ns;
    let starved: Vec<u32> = (busy.iter()).filter(|(_, ns)| is_starved(**ns)).map(|(owner, _)| *owner).collect();
    if starved.is_empty() || 2 * starved.len() > busy.len() {
        return None;
    }
    let mean = |of: &dyn Fn(u64) -> bool| {
        let some: Vec<u64> = busy.values().copied().filter(|ns| of(*ns)).collect();
        total(some.iter().copied()) as f64 / some.len().max(1) as f64
    };
    let (less, others) = (mean(&is_starved), mean(&|ns| !is_starved(ns)));
    // The starved workers must have had something that they could have run.
    let host = look.times.places.iter().find(|place| place.place == 0)?;
    let could = [Idleness::Starting, Idleness::Data, Idleness::Placement];
    let could = total(could.map(|cause| host.of(cause)));
    if (could as f64) < (others - less) * starved.len() as f64 / 2.0 {
        return None;
    }
    let all = mean(&|_| true);
    let names: Vec<&str> =
        starved.iter().take(3).map(|owner| (look.run.threads.get(owner)).map_or("a worker", |its| &its.name)).collect();
    let more = match starved.len() - names.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let seen = Seen::saves(others - all)
        .at(0)
        .word("names", format!("{}{more}", names.join(", ")))
        .word("less", percent(less / look.ns))
        .word("others", percent(others / look.ns));
    Some(seen)
}

/// The rule *dependences*: units were idle for long by dependences.
pub(super) fn dependences(look: &Look<'_>) -> Option<Seen> {
    let costs = look.without_start(look.idle(Idleness::Dependences), look.used_units());
    // Where most of that is at the end, the rule about the end says so.
    let at_the_end = tail(look).and_then(|seen| seen.saves_ns).unwrap_or(0) as f64;
    if !look.counts(costs) || at_the_end >= 0.8 * costs {
        return None;
    }
    let busy = total(look.times.places.iter().map(|its| its.busy));
    let chain = look.score.as_ref().map(|score| {
        format!(" The longest chain of EDTs takes {} of {}.", duration(score.critical_path), time(look.ns))
    });
    let seen = Seen::saves(costs)
        .word("part", percent(costs / look.ns))
        .word("many", format!("{:.1}", busy as f64 / look.ns))
        .word("chain", chain.unwrap_or_default())
        .word("beside", ends::ran_beside(look).unwrap_or_default());
    Some(seen)
}

/// The rule *tail*: the last EDTs ran for long beside idle units.
pub(super) fn tail(look: &Look<'_>) -> Option<Seen> {
    // For each unit that was there to the end, when its last EDT ended, and the number of that EDT.
    let mut ends: BTreeMap<(u8, u32), (u64, usize)> = BTreeMap::new();
    let last = look.times.span[1];
    for (number, edt) in look.run.edts.iter().enumerate() {
        let lane = if edt.place == 0 { edt.lane } else { 0 };
        let thread = look.run.threads.get(&lane).filter(|_| edt.place == 0);
        let done = thread.and_then(|thread| thread.done);
        let is_gone = done.is_some_and(|done| look.counts(last.saturating_sub(done) as f64));
        if edt.time().is_some() && !is_gone {
            let latest = ends.entry((edt.place, lane)).or_insert((0, number));
            *latest = (*latest).max((edt.end, number));
        }
    }
    let number = ends.values().max()?.1;
    let edt = &look.run.edts[number];
    let idle = total(ends.values().map(|(end, _)| last - end));
    let costs = idle as f64 / ends.len() as f64;
    let first = ends.values().map(|(end, _)| *end).min()?;
    // If the unit that ended last was idle itself for most of the tail, something else is the cause.
    let overlap = |other: &RecordedEdt| other.end.saturating_sub(other.begin.max(first));
    let is_there = |other: &&RecordedEdt| {
        other.time().is_some() && other.place == edt.place && (other.place != 0 || other.lane == edt.lane)
    };
    let there = || look.run.edts.iter().filter(is_there);
    let busy = total(there().map(overlap));
    if ends.len() < 2 || !look.counts(costs) || busy < (last - first) / 2 {
        return None;
    }
    // The EDT that took the time, which need not be the one that ended last.
    let longest = there().max_by_key(|other| overlap(other))?;
    let seen = Seen::saves(costs)
        .at(longest.place)
        .of(longest.template)
        .word("tail", time((last - first) as f64))
        .word("part", percent((last - first) as f64 / look.ns))
        .word("template", look.template(longest.template))
        .word("took", time(longest.time().unwrap_or(0) as f64))
        .word("place", look.run.place_name(longest.place));
    Some(seen)
}

/// The rule *no work*: units had no EDT at all for long.
pub(super) fn no_work(look: &Look<'_>) -> Option<Seen> {
    let costs = look.without_start(look.idle(Idleness::NoWork), look.used_units());
    // A run that was ended from outside has EDTs that ran then, of which little is known.
    let is_cut = look.run.status.is_none() && 2 * look.ground.ran.len() < look.run.edts.len();
    if is_cut || !look.counts(costs) {
        return None;
    }
    let creator = creator(look, costs).unwrap_or_default();
    let seen = Seen::saves(costs).word("part", percent(costs / look.ns)).word("creator", creator);
    Some(seen)
}

/// A sentence on the EDT that has created most of the others. None if it has created fewer than half of them, or ran
/// for less than half of `costs` nanoseconds.
fn creator(look: &Look<'_>, costs: f64) -> Option<String> {
    let edts = &look.run.edts;
    let mut created: BTreeMap<u32, usize> = BTreeMap::new();
    for edt in edts {
        *created.entry(edt.parent).or_default() += 1;
    }
    let (&parent, &most) = created.iter().max_by_key(|(_, many)| **many)?;
    let creator = edts.get(parent as usize)?;
    let took = creator.time()? as f64;
    (most >= 2 && 2 * most >= edts.len() && 2.0 * took >= costs).then(|| {
        format!(
            " The EDT {} created {most} of {} EDTs, and ran for {}.",
            look.run.template_name(creator),
            edts.len(),
            time(took)
        )
    })
}

/// The rule *near the bound*: no schedule of the same EDTs saves much.
pub(super) fn near_the_bound(look: &Look<'_>) -> Option<Seen> {
    let score = look.score.as_ref()?;
    let saves = 1.0 - score.mixed / score.seconds;
    if saves > LIMITS.symptom || score.edts < 2 {
        return None;
    }
    let is_chain = score.critical_path > 0.9 * score.mixed;
    let (what, advice) = if is_chain {
        (
            "the longest chain of EDTs",
            "Shorten the longest chain of EDTs: with faster variants of them, or smaller ones.",
        )
    } else {
        (
            "the work on these places",
            "Let EDTs do less, or do it faster: better variants, more cores or devices (ocr simulate shows what they bring).",
        )
    };
    let seen = Seen::default()
        .word("part", percent(saves.max(0.0)))
        .word("what", what)
        .word("bound", duration(score.mixed))
        .word("advice", advice);
    Some(seen)
}
