//! Rules about EDTs that run beside idle workers: long ones that begin late, and those that run alone, at the end or
//! while others wait for them.

use super::cores;
use super::look::{LIMITS, Look, Seen, percent, time};
use crate::recorded::{NEVER, RecordedEdt, median};
use ocr_base::text::counted;
use rustc_hash::FxHashMap;

/// How many of the longest EDTs are looked at.
const MOST: usize = 4096;

/// An EDT, and how long the units beside its own were idle while it ran.
struct Beside {
    number: u32,
    /// The mean of the idle times of the other units while it ran, in nanoseconds.
    idle: f64,
}

/// How long the others were idle beside an EDT.
fn beside(look: &Look<'_>, number: u32) -> Beside {
    let edt = look.ground.edt(number);
    let others = look.ground.units.iter();
    let others = others.filter(|unit| (unit.place, unit.lane) != (edt.place, edt.lane));
    let (mut idle, mut count) = (0, 0_u64);
    for unit in others {
        let first = unit.edts.partition_point(|&other| look.ground.edt(other).end <= edt.begin);
        let there = unit.edts[first..].iter().map(|&other| look.ground.edt(other));
        let there = there.take_while(|other| other.begin < edt.end);
        let busy: u64 = there.map(|other| other.end.min(edt.end).saturating_sub(other.begin.max(edt.begin))).sum();
        idle += edt.time().unwrap_or(0).saturating_sub(busy);
        count += 1;
    }
    Beside { number, idle: if count == 0 { 0.0 } else { idle as f64 / count as f64 } }
}

/// The longest EDTs of the run, and the median time of all.
fn longest(look: &Look<'_>) -> (Vec<u32>, u64) {
    let mut times: Vec<u64> = look.ground.ran.iter().filter_map(|&edt| look.ground.edt(edt).time()).collect();
    let middle = median(&mut times);
    // Where workers lost their cores, any EDT may have taken long. Then those count whose template takes long.
    let is_disturbed = cores::is_disturbed(look);
    let usual = |edt: &RecordedEdt| {
        if is_disturbed { look.ground.medians.at(edt.template, edt.place, u64::MAX) } else { edt.time() }
    };
    let is_long = |edt: &RecordedEdt| edt.place == 0 && usual(edt).unwrap_or(0) as f64 >= LIMITS.long * middle as f64;
    let mut long: Vec<u32> = look.ground.ran.clone();
    long.retain(|&edt| is_long(look.ground.edt(edt)));
    long.sort_unstable_by_key(|&edt| std::cmp::Reverse(look.ground.edt(edt).time()));
    long.truncate(MOST);
    (long, middle)
}

/// The rule *long last*: long EDTs were ready, waited behind short ones, and then ran beside idle workers.
pub(super) fn long_last(look: &Look<'_>) -> Option<Seen> {
    let (long, middle) = longest(look);
    let (mut saves, mut many, mut waits, mut example) = (0.0, 0_u64, 0_u64, None);
    for number in long {
        let edt = look.ground.edt(number);
        if edt.runnable == NEVER {
            continue;
        }
        // An EDT that began at once could not have begun earlier.
        let waited = edt.begin - look.ground.ready(number);
        let idle = beside(look, number).idle.min(waited as f64);
        if 5.0 * idle < edt.time().unwrap_or(0) as f64 {
            continue;
        }
        saves += idle;
        waits += waited;
        many += 1;
        example = example.or(Some(edt));
    }
    let edt = example.filter(|_| look.counts(saves))?;
    let seen = Seen::saves(saves)
        .of(edt.template)
        .word("template", look.template(edt.template))
        .word("took", time(edt.time().unwrap_or(0) as f64))
        .word("middle", time(middle as f64))
        .word("waited", time(waits as f64 / many as f64))
        .word("times", if many == 1 { "once".to_string() } else { format!("{many} times") });
    Some(seen)
}

/// The rule *alone*: one EDT runs alone late in the run.
pub(super) fn alone(look: &Look<'_>) -> Option<Seen> {
    let (long, _) = longest(look);
    let half = look.ground.begin + look.ground.span() / 2;
    // EDTs that began before it have ended; if few have, it is no end that waits for all, but a begin.
    let ran = look.ground.ran.len();
    let is_late = |&number: &u32| {
        let edt = look.ground.edt(number);
        let before = look.ground.ran.iter().filter(|&&other| look.ground.edt(other).end <= edt.begin);
        edt.end > half && ran > 2 && 4 * before.count() >= 3 * ran - 6
    };
    // Of the whole run: where OpenCL's start is most of it, what ends the rest is no large part.
    let counts = |ns: f64| ns >= LIMITS.symptom * look.ns;
    let large = long.into_iter().take(16).filter(|&edt| counts(look.ground.edt(edt).computed() as f64));
    let most = large.filter(is_late).map(|edt| beside(look, edt));
    let its = most.max_by(|one, other| one.idle.total_cmp(&other.idle))?;
    let edt = look.ground.edt(its.number);
    let took = edt.time().unwrap_or(0) as f64;
    // What it waited for, not its turn, was why it began late.
    let waited = edt.begin - look.ground.ready(its.number);
    if its.idle < 0.8 * took || !counts(its.idle) || waited as f64 > took / 5.0 {
        return None;
    }
    let seen = Seen::saves(its.idle)
        .of(edt.template)
        .word("template", look.template(edt.template))
        .word("took", time(took))
        .word("part", percent(took / look.ns));
    Some(seen)
}

/// From when on no two EDTs ran at once, but for a hundredth of the run.
fn serial_from(look: &Look<'_>) -> u64 {
    let ran = look.ground.ran.iter().map(|&edt| look.ground.edt(edt));
    let mut changes: Vec<(u64, i64)> = ran.flat_map(|edt| [(edt.begin, 1), (edt.end, -1)]).collect();
    changes.sort_unstable();
    let (mut running, mut at_once, mut next) = (0, 0.0, look.ground.end);
    for (at, by) in changes.into_iter().rev() {
        if running > 1 {
            at_once += (next - at) as f64;
            if at_once > LIMITS.worth * look.ns {
                return next;
            }
        }
        running -= by;
        next = at;
    }
    look.ground.begin
}

/// The rule *serial end*: the last EDTs run one at a time, each of which may be short.
pub(super) fn serial_end(look: &Look<'_>) -> Option<Seen> {
    if look.has_kernels() || look.ground.units.len() < 2 {
        return None;
    }
    let from = serial_from(look);
    let took = look.ground.end.saturating_sub(from);
    // Where no two ran at once before that either, it is no matter of the end.
    if (from.saturating_sub(look.ground.begin).min(took) as f64) < LIMITS.symptom * look.ns {
        return None;
    }
    let mut by_template: FxHashMap<u32, (u64, u64)> = FxHashMap::default();
    let (mut all, mut longest) = (0, 0);
    for edt in look.ground.ran.iter().map(|&edt| look.ground.edt(edt)).filter(|edt| edt.end > from) {
        let part = edt.end.saturating_sub(edt.begin.max(from));
        let (ns, edts) = by_template.entry(edt.template).or_default();
        (*ns, *edts) = (*ns + part, *edts + 1);
        all += part;
        longest = longest.max(part);
    }
    let (template, (ns, edts)) = by_template.into_iter().max_by_key(|(template, (ns, _))| (*ns, *template))?;
    // Where one EDT is most of it, that is another rule's, and where workers stand idle, it is not the EDTs.
    if 10 * all < 8 * took || 10 * longest >= 8 * took || 2 * ns < all {
        return None;
    }
    let others = look.ground.units.len() as f64 - 1.0;
    let seen = Seen::saves(took as f64 * others / (others + 1.0))
        .of(template)
        .word("template", look.template(template))
        .word("took", time(took as f64))
        .word("part", percent(took as f64 / look.ns))
        .word("edts", counted(edts, "EDT"));
    Some(seen)
}

/// The rule *gate*: one EDT runs alone while many others wait for what it does.
pub(super) fn gate(look: &Look<'_>) -> Option<Seen> {
    if look.has_kernels() {
        return None;
    }
    let counts = |ns: f64| ns >= LIMITS.symptom * look.ns;
    let mut waiting: FxHashMap<u32, u64> = FxHashMap::default();
    for &number in &look.ground.ran {
        let edt = look.ground.edt(number);
        let last = look.ground.last_before(number);
        // One that it has created has waited for its creation alone, which is another rule's.
        if let Some(edge) = last.filter(|edge| edge.from != edt.parent) {
            *waiting.entry(edge.from).or_default() += 1;
        }
    }
    let ran = look.ground.ran.len() as u64;
    let gates = waiting.into_iter().filter(|&(number, many)| {
        let edt = look.ground.edt(number);
        many >= LIMITS.seen && 4 * many >= ran && edt.place == 0 && counts(edt.computed() as f64)
    });
    let most = gates.map(|(number, many)| (beside(look, number), many));
    let (its, many) = most.max_by(|(one, _), (other, _)| one.idle.total_cmp(&other.idle))?;
    let edt = look.ground.edt(its.number);
    let took = edt.computed() as f64;
    if its.idle < 0.8 * took || !counts(its.idle) {
        return None;
    }
    let seen = Seen::saves(its.idle)
        .of(edt.template)
        .word("template", look.template(edt.template))
        .word("took", time(took))
        .word("part", percent(took / look.ns))
        .word("many", counted(many, "EDT"));
    Some(seen)
}

/// A sentence on the EDTs that ran beside idle units for most of the time in which units were idle. None where no
/// template has most of it.
pub(super) fn ran_beside(look: &Look<'_>) -> Option<String> {
    let mut longest = look.ground.ran.clone();
    longest.sort_unstable_by_key(|&edt| std::cmp::Reverse(look.ground.edt(edt).time()));
    longest.truncate(MOST);
    let mut idle: FxHashMap<u32, (f64, Vec<u64>)> = FxHashMap::default();
    for its in longest.into_iter().map(|edt| beside(look, edt)) {
        let edt = look.ground.edt(its.number);
        let took = edt.time().unwrap_or(0);
        // An EDT beside which others ran, too, keeps none of them waiting.
        if 2.0 * its.idle >= took as f64 {
            let (sum, times) = idle.entry(edt.template).or_default();
            *sum += its.idle;
            times.push(took);
        }
    }
    let all: f64 = idle.values().map(|(sum, _)| sum).sum();
    let most = idle.into_iter().max_by(|(_, (one, _)), (_, (other, _))| one.total_cmp(other));
    let (template, (sum, mut times)) = most?;
    let many = counted(times.len() as u64, "EDT");
    let median = time(median(&mut times) as f64);
    (2.0 * sum > all).then(|| {
        let template = look.template(template);
        format!(" Meanwhile {many} of {template} ran beside idle workers, in the median for {median}.")
    })
}
