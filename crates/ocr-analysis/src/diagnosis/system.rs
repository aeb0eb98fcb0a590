//! Rules about what the system does for EDTs: those that sleep there, and those that keep it busy.

use super::cores::{had_cores, is_disturbed};
use super::creation::created_by;
use super::look::{Look, Seen, percent, time};
use rustc_hash::FxHashMap;

/// What a page fault takes at most, in nanoseconds: the system fills a page with zeros, which may be a huge one.
const FAULT_NS: u64 = 250_000;

/// What a thread sleeps at most in a page fault, on average, in nanoseconds: for a lock of the process's memory, or
/// until the system has found a page on a machine that is busy.
const FAULT_SLEEP_NS: u64 = 10_000;

/// What the system takes at most where a thread gives up its core for a lock and gets it back, in nanoseconds.
const LOCK_NS: u64 = 20_000;

/// How many bytes the runtime needs for an EDT that is created, and for what is recorded of it. What the system does
/// for these pages is part of what creating costs, and no use of memory by the program.
const CREATED_BYTES: u64 = 256;

/// How many bytes a page has that one page fault brings.
const PAGE_BYTES: u64 = 4096;

/// What the long EDTs of a template took, in nanoseconds: those behind whose ends the system was asked.
#[derive(Default)]
struct Long {
    edts: u64,
    took: u64,
    on_core: u64,
    without_core: u64,
    /// How long they were off their cores though they could not have gone on.
    slept: u64,
    in_system: u64,
    faults: u64,
    /// How often they gave up their cores.
    waits: u64,
    /// When the first began, and the last ended.
    span: Option<[u64; 2]>,
}

/// What the long EDTs of each template took on workers.
fn long(look: &Look<'_>) -> FxHashMap<u32, Long> {
    let is_disturbed = is_disturbed(look);
    let mut idle: Vec<(u32, u64)> = look.run.idle.iter().map(|idle| (idle.thread, idle.end)).collect();
    idle.sort_unstable();
    let created_by = created_by(look);
    let mut long: FxHashMap<u32, Long> = FxHashMap::default();
    for (before, after) in look.usage_pairs() {
        let Some(edt) = look.run.edts.get(after.edt as usize) else {
            continue;
        };
        // Only what was written behind the end of a long EDT, on the worker that ran it, is about that EDT.
        let Some(took) = edt.time().filter(|_| edt.place == 0 && edt.end <= after.at) else {
            continue;
        };
        // What waits for OpenCL or another node is no sleep in a call of the system that the EDT has made.
        let took = took.saturating_sub(edt.opencl).saturating_sub(edt.answers);
        let on_core = after.on_core.saturating_sub(before.on_core);
        let without_core = after.without_core.saturating_sub(before.without_core);
        let its = long.entry(edt.template).or_default();
        its.edts += 1;
        its.took += took;
        its.on_core += on_core;
        its.without_core += without_core;
        // Where a hypervisor takes cores from the system, that is in none of its figures, and looks like sleep. But a
        // thread that sleeps has given up its core. A worker that had no EDT before has done so as well.
        let first = idle.partition_point(|&(thread, end)| (thread, end) <= (after.thread, before.at));
        let was_idle = idle.get(first).is_some_and(|&(thread, end)| thread == after.thread && end <= after.at);
        let is_known = !was_idle && after.system.waits != 0;
        let sleeps = if is_known { after.system.waits > before.system.waits } else { !is_disturbed };
        if sleeps {
            its.slept += took.saturating_sub(on_core + without_core);
        }
        let in_system = after.system.ns.saturating_sub(before.system.ns).min(on_core);
        let faults = after.system.faults.saturating_sub(before.system.faults);
        let created = created_by.get(&after.edt).copied().unwrap_or_default();
        let of_runtime = (created * CREATED_BYTES / PAGE_BYTES).min(faults);
        let of_program = 1.0 - of_runtime as f64 / faults.max(1) as f64;
        its.in_system += (in_system as f64 * of_program) as u64;
        its.faults += faults - of_runtime;
        its.waits += u64::from(after.system.waits.saturating_sub(before.system.waits));
        let [first, last] = its.span.unwrap_or([edt.begin, edt.end]);
        its.span = Some([first.min(edt.begin), last.max(edt.end)]);
    }
    long
}

/// How many workers the run had.
fn workers(look: &Look<'_>) -> f64 {
    look.ground.places.get(&0).copied().unwrap_or(1).max(1) as f64
}

/// The rule *sleeps*: EDTs keep their workers and use no core.
pub(super) fn sleeps(look: &Look<'_>) -> Option<Seen> {
    let long = long(look);
    let all: u64 = long.values().map(|its| its.slept).sum();
    let (template, its) = long.into_iter().max_by_key(|(template, its)| (its.slept, *template))?;
    let costs = all as f64 / workers(look);
    if its.slept < its.faults.saturating_mul(FAULT_SLEEP_NS) {
        // It slept as it used new memory, which is another rule's.
        return None;
    }
    let wanted = its.took.saturating_sub(its.without_core);
    if !look.counts(costs) || 3 * its.slept < wanted || 10 * its.slept < its.took {
        return None;
    }
    // Where several workers run such EDTs, and all of these together need one core, one of them has what the others
    // wait for.
    let window = its.span.map_or(0, |[first, last]| last - first) as f64;
    let together = (its.on_core + its.without_core) as f64 / window.max(1.0);
    let at_once = its.took as f64 / window.max(1.0);
    // A lock takes little of the system, other than what waits for a disk. Where workers lack cores, what has a lock
    // and has no core looks like several that want cores.
    let may_lock = 2 * its.in_system < its.on_core && at_once > 1.5;
    let (lock, advice) = if may_lock && (0.8..1.1).contains(&together) {
        (
            format!(
                " {at_once:.1} of them ran at once, and together they used {together:.1} cores: they may wait for a lock."
            ),
            "Keep locks short, or let a data block in mode EW guard what the lock does: then workers run others meanwhile.",
        )
    } else if may_lock && together >= 1.1 && is_disturbed(look) {
        (
            " They wait for a lock or in another call: on a busy machine these look alike.".to_string(),
            "If they wait for a lock, keep it short, or let a data block in mode EW guard what it does. If they wait in another \
             call, start more workers than cores (OCR_WORKERS), so that others run meanwhile.",
        )
    } else {
        (
            String::new(),
            "Start more workers than cores (OCR_WORKERS), so that others run meanwhile, or read ahead and let EDTs wait \
             for an event in place of a system call.",
        )
    };
    let each = |ns: u64| time(ns as f64 / its.edts.max(1) as f64);
    let seen = Seen::saves(costs)
        .at(0)
        .of(template)
        .word("template", look.template(template))
        .word("slept", each(its.slept))
        .word("took", each(its.took))
        .word("part", percent(costs / look.ns))
        .word("lock", lock)
        .word("advice", advice);
    Some(seen)
}

/// The rule *in the system*: EDTs keep their cores busy in the system.
pub(super) fn in_system(look: &Look<'_>) -> Option<Seen> {
    let long = long(look);
    let (template, its) = long.into_iter().max_by_key(|(template, its)| (its.in_system, *template))?;
    let costs = its.in_system as f64 / workers(look);
    if !look.counts(costs / had_cores(look)) || 4 * its.in_system < its.on_core {
        return None;
    }
    let is_memory = its.faults.saturating_mul(FAULT_NS) > its.in_system;
    let (what, advice) = if is_memory {
        (
            format!(
                "it had {} page faults on average, since it used memory for the first time, which the system fills with zeros",
                its.faults / its.edts.max(1)
            ),
            "Use blocks again in place of new ones: each page of a new large block costs that once. Smaller working sets \
             and huge pages cost less.",
        )
    } else if its.waits.saturating_mul(LOCK_NS) > its.in_system {
        (
            format!(
                "it gave up its core {} times on average, as threads do that want the same lock",
                its.waits / its.edts.max(1)
            ),
            "Take locks less often, also those of the C library (stdio), and let each EDT collect what it has to write.",
        )
    } else {
        (
            "that is what reading, writing and other calls of the system take".to_string(),
            "Read and write more with each call, or map files, and leave what is not needed in a loop outside of it.",
        )
    };
    let each = |ns: u64| time(ns as f64 / its.edts.max(1) as f64);
    let seen = Seen::saves(costs)
        .at(0)
        .of(template)
        .word("template", look.template(template))
        .word("in_system", each(its.in_system))
        .word("on_core", each(its.on_core))
        .word("what", what)
        .word("advice", advice);
    Some(seen)
}
