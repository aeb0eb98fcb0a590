//! Rules about the EDT that creates most of the others, and about EDTs that create each other.

use super::cores::had_cores;
use super::idle::total;
use super::look::{LIMITS, Look, Seen, percent, time};
use crate::recorded::{NEVER, RecordedEdt, median};
use rustc_hash::FxHashMap;

/// The EDT that has created at least half of the EDTs, and how it did.
struct BusyCreator<'a> {
    edt: &'a RecordedEdt,
    /// How many EDTs it has created.
    created: u64,
    /// The template of most of these.
    template: u32,
    /// The median time between two creations, in nanoseconds.
    gap: u64,
    /// The time from the first creation to the last without what OpenCL's start took of it, in nanoseconds.
    creating: u64,
    /// The median time of the EDTs that it has created, in nanoseconds.
    runs: u64,
}

/// How many EDTs each EDT has created.
pub(super) fn created_by(look: &Look<'_>) -> FxHashMap<u32, u64> {
    let mut created = FxHashMap::default();
    for edt in &look.run.edts {
        *created.entry(edt.parent).or_default() += 1;
    }
    created
}

/// The EDT that has created most of the others. None if none has created at least half of them.
fn creator<'a>(look: &Look<'a>) -> Option<BusyCreator<'a>> {
    let edts = &look.run.edts;
    let by_parent = created_by(look);
    let most = |(&parent, &created): (&u32, &u64)| (created, u32::MAX - parent);
    let known = |(parent, _): &(&u32, &u64)| (**parent as usize) < edts.len();
    let (&parent, &created) = by_parent.iter().filter(known).max_by_key(|one| most(*one))?;
    if created < LIMITS.seen || 2 * created < edts.len() as u64 {
        return None;
    }
    let children = || edts.iter().filter(|edt| edt.parent == parent && edt.created != NEVER);
    let mut templates: FxHashMap<u32, u64> = FxHashMap::default();
    for edt in children() {
        *templates.entry(edt.template).or_default() += 1;
    }
    let template = *templates.iter().max_by_key(|(number, many)| (**many, **number))?.0;
    let mut at: Vec<u64> = children().map(|edt| edt.created).collect();
    at.sort_unstable();
    let creating = at.last()? - at.first()?;
    let mut gaps: Vec<u64> = at.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let mut runs: Vec<u64> = children().filter_map(RecordedEdt::time).collect();
    Some(BusyCreator {
        edt: &edts[parent as usize],
        created,
        template,
        gap: median(&mut gaps),
        creating: creating.saturating_sub(edts[parent as usize].opencl),
        runs: median(&mut runs),
    })
}

/// The words that both rules have.
fn words(look: &Look<'_>, creator: &BusyCreator<'_>, saves: f64) -> Seen {
    Seen::saves(saves)
        .of(creator.template)
        .word("creator", look.run.template_name(creator.edt))
        .word("created", creator.created.to_string())
        .word("template", look.template(creator.template))
        .word("gap", time(creator.gap as f64))
        .word("runs", time(creator.runs as f64))
        .word("creating", time(creator.creating as f64))
        .word("part", percent(creator.creating as f64 / look.ns))
}

/// The rule *slow creator*: one EDT creates the others more slowly than the workers run them.
pub(super) fn slow_creator(look: &Look<'_>) -> Option<Seen> {
    let its = creator(look)?;
    // A worker that wakes for each EDT is idle by several causes: all of them count.
    let host = look.times.places.iter().find(|place| place.place == 0)?;
    let workers = look.ground.places.get(&0).copied().unwrap_or(1) as u64;
    let idle = look.without_start(host.each(total(host.idle)) as f64, workers as f64);
    let run = look.ns - look.start as f64;
    // Where the workers have more than they can run in the meantime, the creator is fast enough.
    let is_slow = its.gap > LIMITS.small_ns / 5 && its.runs < its.gap * workers && 2.0 * its.creating as f64 > run;
    (is_slow && look.counts(idle)).then(|| words(look, &its, idle))
}

/// The rule *one creator*: EDTs are so small that creating them takes most of the run.
pub(super) fn one_creator(look: &Look<'_>) -> Option<Seen> {
    let its = creator(look)?;
    let creating = its.creating as f64;
    let is_small = its.runs < LIMITS.small_ns / 5 && its.gap <= LIMITS.small_ns / 5;
    let is_all = its.created >= 100 && 2.0 * creating > look.ns;
    (is_small && is_all).then(|| words(look, &its, creating))
}

/// The rule *polling*: short EDTs create the next one of their template, beside EDTs that do the work.
pub(super) fn polling(look: &Look<'_>) -> Option<Seen> {
    let edts = &look.run.edts;
    // How many EDTs of its own template each EDT has created.
    let mut created: FxHashMap<u32, u64> = FxHashMap::default();
    for edt in edts {
        if edts.get(edt.parent as usize).is_some_and(|parent| parent.template == edt.template) {
            *created.entry(edt.parent).or_default() += 1;
        }
    }
    let mut times: FxHashMap<u32, Vec<u64>> = FxHashMap::default();
    for (parent, _) in created.into_iter().filter(|(_, many)| *many == 1) {
        let edt = &edts[parent as usize];
        if let Some(took) = edt.time().filter(|_| edt.place == 0) {
            times.entry(edt.template).or_default().push(took);
        }
    }
    let most = times.into_iter().max_by_key(|(template, times)| (times.len(), *template));
    let (template, mut times) = most.filter(|(_, times)| times.len() >= 100)?;
    let many = times.len() as u64;
    let workers = look.ground.places.get(&0).copied().unwrap_or(1).max(1) as f64;
    // Where workers lost their cores, some took long for that reason, and most did not.
    let each = median(&mut times);
    let took = each * many;
    // Where nothing else runs, they are the work.
    let others = look.variants.iter().filter(|its| its.template != template);
    let other = others.max_by_key(|its| its.ns)?;
    if each > LIMITS.small_ns || !look.counts(took as f64 / workers / had_cores(look)) || other.ns < took / 4 {
        return None;
    }
    let seen = Seen::saves(took as f64 / workers)
        .at(0)
        .of(template)
        .word("template", look.template(template))
        .word("many", many.to_string())
        .word("each", time(each as f64))
        .word("other", look.template(other.template))
        .word("took", time(took as f64));
    Some(seen)
}

/// The rule *tiny*: creating EDTs takes about as long as they run.
pub(super) fn tiny(look: &Look<'_>) -> Option<Seen> {
    let mut created: Vec<(u32, u64)> = look.run.edts.iter().map(|edt| (edt.parent, edt.created)).collect();
    created.retain(|&(parent, at)| (parent as usize) < look.run.edts.len() && at != NEVER);
    if created.len() < 1000 {
        return None;
    }
    created.sort_unstable();
    let pairs = created.windows(2).filter(|pair| pair[0].0 == pair[1].0);
    let mut gaps: Vec<u64> = pairs.map(|pair| pair[1].1 - pair[0].1).collect();
    let gap = median(&mut gaps);
    let mut times: Vec<u64> = look.ground.ran.iter().filter_map(|&edt| look.ground.edt(edt).time()).collect();
    let creating = gap * created.len() as u64;
    let each = median(&mut times);
    let workers = look.ground.places.get(&0).copied().unwrap_or(1).max(1) as f64;
    // What most of them run for is less than what it takes to make them.
    let is_tiny = each < LIMITS.small_ns / 20 && gap < LIMITS.small_ns / 20 && 4 * gap > each;
    if look.has_kernels() || !is_tiny || !look.counts(creating as f64 / workers / had_cores(look)) {
        return None;
    }
    let seen = Seen::saves(creating as f64 / workers)
        .at(0)
        .word("many", created.len().to_string())
        .word("each", time(each as f64))
        .word("gap", time(gap as f64));
    Some(seen)
}
