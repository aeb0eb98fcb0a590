//! The rule about EDTs that wait in calls of the runtime, as in `ocrWait`.

use super::cores;
use super::idle::total;
use super::look::{Look, Seen, percent, time};
use rustc_hash::FxHashMap;

/// How many nanoseconds EDTs waited in calls, all together.
pub(super) fn waited(look: &Look<'_>) -> u64 {
    total(look.ground.ran.iter().map(|&edt| look.ground.edt(edt).waited))
}

/// The rule *waits in calls*: EDTs wait in calls, and workers find nothing else to run meanwhile.
pub(super) fn waits_in_calls(look: &Look<'_>) -> Option<Seen> {
    let mut by_template: FxHashMap<u32, (u64, u64)> = FxHashMap::default();
    for edt in look.ground.ran.iter().map(|&edt| look.ground.edt(edt)).filter(|edt| edt.waited != 0) {
        let (ns, many) = by_template.entry(edt.template).or_default();
        (*ns, *many) = (ns.saturating_add(edt.waited), *many + 1);
    }
    let (template, (ns, many)) = by_template.into_iter().max_by_key(|(template, (ns, _))| (*ns, *template))?;
    let host = look.times.places.iter().find(|place| place.place == 0)?;
    // The only worker has one that takes its place meanwhile, and loses nothing.
    if cores::about(look, "workers") == Some(1) {
        return None;
    }
    let idle = look.without_start(host.each(total(host.idle)) as f64, f64::from(host.units));
    let costs = idle.min(ns as f64);
    // While they wait for a third of the run, what workers lack is what these would create or satisfy.
    if 3.0 * (ns as f64) < look.ns || !look.counts(costs) {
        return None;
    }
    let seen = Seen::saves(costs)
        .at(0)
        .of(template)
        .word("template", look.template(template))
        .word("waited", time(ns as f64 / many as f64))
        .word("times", many.to_string())
        .word("part", percent(idle / look.ns));
    Some(seen)
}
