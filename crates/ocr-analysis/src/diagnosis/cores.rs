//! Rules about cores: threads that were ready and had none, workers that are fewer or more than cores, OpenCL's start,
//! and kernels that cost a worker its core.

use super::look::{LIMITS, Look, Seen, percent, time};
use super::shape::GraphShape;
use ocr_base::text::counted;
use rustc_hash::FxHashMap;

/// What the thread that writes the recording takes for an EDT at most, in nanoseconds.
const RECORDED_NS: u64 = 250;

/// How many nanoseconds workers were ready and had no core, and how many they were on one.
fn without_and_on(look: &Look<'_>) -> (u64, u64) {
    let is_worker = |thread: u32| look.run.threads.get(&thread).is_some_and(|its| its.is_worker);
    let workers = look.usage_pairs().into_iter().filter(|(_, after)| is_worker(after.thread));
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

/// How many nanoseconds each worker was ready and without a core, on average, where that is a tenth of what they needed
/// and of the run; and what part of what they needed it was.
fn without_cores(look: &Look<'_>) -> Option<(f64, f64)> {
    let (without, on) = without_and_on(look);
    let units = look.ground.places.get(&0).copied().unwrap_or(1).max(1) as f64;
    let part = without as f64 / (without + on).max(1) as f64;
    (part >= LIMITS.symptom && look.counts(without as f64 / units)).then_some((without as f64 / units, part))
}

/// Whether workers lacked cores so much that idle time says nothing about the program.
pub(super) fn lacks_cores(look: &Look<'_>) -> bool {
    without_cores(look).is_some()
}

/// What part of the time that workers needed they were on cores. With a core for each worker, a run takes no less than
/// that part of this one.
pub(super) fn had_cores(look: &Look<'_>) -> f64 {
    let (without, on) = without_and_on(look);
    if on == 0 { 1.0 } else { on as f64 / (without + on) as f64 }
}

/// Whether the process used all the cores that it may use. Then its own threads are what its workers wait for.
fn uses_all_cores(look: &Look<'_>) -> bool {
    let (used, cores) = look.run.process_usage.unwrap_or((0, 1));
    used as f64 > 0.85 * cores as f64 * look.run.end.max(1) as f64
}

/// A number that the head of the recording has.
pub(super) fn about(look: &Look<'_>, name: &str) -> Option<u64> {
    look.run.about.get(name)?.parse().ok()
}

/// The rule *busy machine*: workers were ready and had no core, though the process used less than its cores.
pub(super) fn busy_machine(look: &Look<'_>) -> Option<Seen> {
    let (_, part) = without_cores(look)?;
    look.run.process_usage.filter(|_| !uses_all_cores(look))?;
    let (without, _) = without_and_on(look);
    // What the run loses is not in the program, so that any cause in the program comes first.
    let seen = Seen::default().of_machine().at(0).word("part", percent(part)).word("without", time(without as f64));
    Some(seen)
}

/// The rule *more workers than cores*: workers wait for each other's cores.
pub(super) fn too_many_workers(look: &Look<'_>) -> Option<Seen> {
    let (_, part) = without_cores(look)?;
    let (workers, cores) = (about(look, "workers")?, about(look, "cores")?);
    let (without, on) = without_and_on(look);
    // Workers that share cores get all the work done, if somewhat later.
    let seen = Seen::default()
        .of_machine()
        .at(0)
        .word("workers", counted(workers, "worker"))
        .word("cores", counted(cores, "core"))
        .word("number", cores.to_string())
        .word("part", percent(part));
    (workers > cores && (without + on) as f64 > cores as f64 * look.ns).then_some(seen)
}

/// The rule *other threads*: threads of the program's own take the cores that the workers want.
pub(super) fn other_threads(look: &Look<'_>) -> Option<Seen> {
    let (without, part) = without_cores(look)?;
    let (used, cores) = look.run.process_usage?;
    // OpenCL has threads of its own.
    if !look.run.devices.is_empty() || look.start != 0 {
        return None;
    }
    // A worker may have been on a core ever since it was looked at last.
    let mut last: FxHashMap<u32, (u64, u64)> = look.run.workers().map(|(thread, _)| (thread, (0, 0))).collect();
    last.extend(look.run.usage.iter().map(|usage| (usage.thread, (usage.at, usage.on_core))));
    let most = last.values().map(|(at, on_core)| on_core + look.run.end.saturating_sub(*at));
    // What the process did before the run is of no thread that takes cores from it.
    let used = used.saturating_sub(look.run.process_usage_before);
    // The thread that writes the recording is none of the program's.
    let recording = RECORDED_NS * look.run.edts.len() as u64;
    let others = used.saturating_sub(most.sum::<u64>() + recording) as f64;
    if others < LIMITS.symptom * used as f64 || !look.counts(others / cores.max(1) as f64 / had_cores(look)) {
        return None;
    }
    let seen = Seen::saves(without.min(others / cores.max(1) as f64))
        .of_machine()
        .at(0)
        .word("others", time(others))
        .word("share", percent(others / used.max(1) as f64))
        .word("part", percent(part));
    Some(seen)
}

/// The rule *few workers*: there are fewer workers than cores, all have work all the time, and there is more of it.
pub(super) fn few_workers(look: &Look<'_>) -> Option<Seen> {
    let (workers, cores) = (about(look, "workers")?, about(look, "cores")?);
    if workers >= cores || !look.run.devices.is_empty() || look.busy(0) < LIMITS.busy {
        return None;
    }
    let shape = GraphShape::of(look)?;
    let best = (shape.work / cores as f64).max(shape.path);
    let saves = look.ns - best;
    let seen = Seen::saves(saves)
        .at(0)
        .word("Workers", if workers == 1 { "One worker".to_string() } else { counted(workers, "worker") })
        .word("ran", if workers == 1 { "was" } else { "were" })
        .word("busy", percent(look.busy(0)))
        .word("cores", counted(cores, "core"))
        .word("number", cores.to_string())
        .word("best", time(best));
    look.counts(saves).then_some(seen)
}

/// The rule *OpenCL start*: the start took a good part of the run.
pub(super) fn opencl_start(look: &Look<'_>) -> Option<Seen> {
    let waited = look.start as f64;
    let most = look.run.edts.iter().max_by_key(|edt| edt.opencl)?;
    // A longer run has no longer a start. So any other cause comes first, unless the start is most of this run. Even
    // then one does that is a quarter of the rest, unless the rest is a tenth.
    let rest = (look.ns - waited).max(0.0);
    let seen = match waited {
        waited if waited > 9.0 * rest => Seen::saves(waited),
        waited if waited > rest => Seen::saves(waited).behind(rest / 4.0),
        _ => Seen::default(),
    };
    let seen = seen
        .word("waited", time(waited))
        .word("part", percent(waited / look.ns))
        .word("most", look.run.template_name(most));
    (waited >= LIMITS.symptom * look.ns).then_some(seen)
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
