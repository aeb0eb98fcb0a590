//! Rules about cores: threads that were ready and had none, EDTs that slept, and kernels that cost a worker its core.

use super::look::{LIMITS, Look, Seen, percent, time};
use crate::recorded::Usage;
use rustc_hash::FxHashMap;

/// The records of one thread, each with the one before it.
fn pairs(look: &Look<'_>) -> Vec<(Usage, Usage)> {
    let mut last: FxHashMap<u32, Usage> = FxHashMap::default();
    let mut pairs = Vec::new();
    for &usage in &look.run.usage {
        if let Some(before) = last.insert(usage.thread, usage) {
            pairs.push((before, usage));
        }
    }
    pairs
}

/// How many nanoseconds workers were ready and had no core, and how many they were on one.
fn without_and_on(look: &Look<'_>) -> (u64, u64) {
    let is_worker = |thread: u32| look.run.threads.get(&thread).is_some_and(|its| its.is_worker);
    let workers = pairs(look).into_iter().filter(|(_, after)| is_worker(after.thread));
    workers.fold((0, 0), |(without, on), (before, after)| {
        (
            without + after.without_core.saturating_sub(before.without_core),
            on + after.on_core.saturating_sub(before.on_core),
        )
    })
}

/// Whether workers lost their cores so often that the time of one EDT says little about its work.
pub(super) fn is_disturbed(look: &Look<'_>) -> bool {
    let (without, on) = without_and_on(look);
    without as f64 > LIMITS.cost * (without + on) as f64
}

/// The rule *busy machine*: workers were ready and had no core, though the process used less than its cores.
pub(super) fn busy_machine(look: &Look<'_>) -> Option<Seen> {
    let (without, on) = without_and_on(look);
    let (used, cores) = look.run.process_usage?;
    // Where the process itself has all its cores, its own threads are what its workers wait for.
    let has_all = used as f64 > 0.85 * cores as f64 * look.run.end.max(1) as f64;
    let units = look.ground.places.get(&0).copied().unwrap_or(1).max(1) as f64;
    let part = without as f64 / (without + on).max(1) as f64;
    if has_all || part < LIMITS.symptom || !look.counts(without as f64 / units) {
        return None;
    }
    // What the run loses is not in the program, so that any cause in the program comes first.
    let seen = Seen::default().at(0).word("part", percent(part)).word("without", time(without as f64));
    Some(seen)
}

/// The rule *OpenCL start*: the start took a good part of the run.
pub(super) fn opencl_start(look: &Look<'_>) -> Option<Seen> {
    let slept = look.start as f64;
    let first = look.ground.ran.iter().min_by_key(|&&edt| look.ground.edt(edt).begin)?;
    // A longer run has no longer a start. So any other cause comes first, unless the start is most of this run. Even
    // then one does that is most of the rest.
    let rest = look.ns - slept;
    let seen = if slept > rest { Seen::saves(slept).behind(rest / 2.0) } else { Seen::default() };
    let seen = seen
        .word("slept", time(slept))
        .word("part", percent(slept / look.ns))
        .word("main", look.run.template_name(look.ground.edt(*first)));
    (slept >= LIMITS.symptom * look.ns).then_some(seen)
}

/// The rule *sleeps*: EDTs keep their workers and use no core.
pub(super) fn sleeps(look: &Look<'_>) -> Option<Seen> {
    let mut slept: FxHashMap<u32, (u64, u64, u64)> = FxHashMap::default();
    for (before, after) in pairs(look) {
        let Some(edt) = look.run.edts.get(after.edt as usize) else {
            continue;
        };
        // What the first EDT waits for is the start of OpenCL.
        if look.start != 0 && edt.begin == look.ground.begin {
            continue;
        }
        // Only what was written behind the end of a long EDT, on the worker that ran it, is about that EDT.
        let Some(took) = edt.time().filter(|_| edt.place == 0 && edt.end <= after.at) else {
            continue;
        };
        let used =
            after.on_core.saturating_sub(before.on_core) + after.without_core.saturating_sub(before.without_core);
        let known = slept.entry(edt.template).or_default();
        known.0 += took.saturating_sub(used);
        known.1 += took;
        known.2 += 1;
    }
    let all: u64 = slept.values().map(|(slept, ..)| slept).sum();
    let most = slept.into_iter().max_by_key(|(template, (slept, ..))| (*slept, *template));
    let (template, (slept, took, edts)) = most?;
    let units = look.ground.places.get(&0).copied().unwrap_or(1).max(1) as f64;
    let costs = all as f64 / units;
    // Where the system takes cores from the process, not all of that time is in its figures.
    let part = if is_disturbed(look) { 2.0 / 3.0 } else { 1.0 / 3.0 };
    if !look.counts(costs) || (slept as f64) < part * took as f64 {
        return None;
    }
    let seen = Seen::saves(costs)
        .at(0)
        .of(template)
        .word("template", look.template(template))
        .word("edts", edts.to_string())
        .word("slept", time(slept as f64 / edts.max(1) as f64))
        .word("took", time(took as f64 / edts.max(1) as f64))
        .word("part", percent(costs / look.ns));
    Some(seen)
}

/// The rule *slow kernel*: the workers with all cores would be faster than the run with its kernels.
pub(super) fn slow_kernel(look: &Look<'_>) -> Option<Seen> {
    let begun_with = look.run.about.get("workers").and_then(|many| many.parse::<f64>().ok());
    let cores = begun_with.unwrap_or(1.0).max(1.0);
    // What each template's EDTs took in the median as functions and as kernels.
    let mut worst: Option<(f64, u32, u8, u64, u64, bool)> = None;
    let (mut now, mut as_functions) = (0.0, 0.0);
    for its in look.variants.iter().filter(|its| its.place != 0) {
        let kernel = look.ground.medians.at(its.template, its.place, u64::MAX)?;
        let measured = look.ground.medians.at(its.template, 0, u64::MAX);
        // Where no function ran, what the policy knew of it.
        let known = measured.or_else(|| look.expected(its.template, 0));
        // A kernel without a function that is known cannot be on the workers.
        // The workers do it together where the function is spread over them.
        let workers = if look.ground.spreads(its.template) { cores as u64 } else { 1 };
        let function = known?.saturating_mul(workers);
        now += its.ns as f64;
        as_functions += its.edts as f64 * function as f64;
        let lost = its.edts as f64 * (kernel as f64 - function as f64);
        if worst.is_none_or(|(most, ..)| lost > most) {
            worst = Some((lost, its.template, its.place, kernel, function, measured.is_some()));
        }
    }
    let (_, template, place, kernel, function, measured) = worst?;
    let on_workers: f64 = look.variants.iter().filter(|its| its.place == 0).map(|its| its.ns as f64).sum();
    let all = ((on_workers + as_functions) / cores).max(look.ground.longest_on_host() as f64);
    let saves = look.ns - all;
    if kernel < 2 * function || as_functions > now || !look.counts(saves) {
        return None;
    }
    // Where the device helps and takes no core, it should have its share: another rule says which.
    let host = look.times.places.iter().find(|its| its.place == 0);
    let takes_core = host.is_some_and(|its| f64::from(its.units) < cores);
    let adds = function as f64 / (cores * kernel as f64);
    if measured && !takes_core && adds > LIMITS.cost / 2.0 {
        return None;
    }
    let seen = Seen::saves(saves)
        .at(place)
        .of(template)
        .word("template", look.template(template))
        .word("device", look.run.place_name(place))
        .word("times", format!("{:.1}", kernel as f64 / function.max(1) as f64))
        .word("kernel", time(kernel as f64))
        .word("function", time(function as f64))
        .word("known", if measured { "" } else { " by what was learned" })
        .word("cores", cores.to_string())
        .word("all", time(all));
    Some(seen)
}
