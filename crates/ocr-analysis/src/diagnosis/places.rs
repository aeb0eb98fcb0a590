//! Rules about places: which EDTs they were given, what it took to start these, and how long they waited.

use super::cores;
use super::idle::{Idleness, PlaceTime, total};
use super::look::{LIMITS, Look, Seen, bytes, percent, time};
use super::variants::Variant;
use crate::recorded::{NEVER, RecordedEdt, median};
use ocr_base::text::counted;
use ocr_place::policy::DEFAULT;

/// How fast a place runs the EDTs of a template.
struct Rate<'a> {
    place: &'a PlaceTime,
    /// How many EDTs of the template the place ran.
    edts: f64,
    /// Nanoseconds of the place that each EDT takes, where all units of the place share the work.
    each: f64,
    /// Nanoseconds that one EDT takes by itself.
    mean: f64,
}

impl Rate<'_> {
    /// Nanoseconds in which the place runs the EDTs that it was given.
    fn took(&self) -> f64 {
        self.edts * self.each
    }
}

impl Look<'_> {
    /// How fast each place ran the EDTs of a template, for the places that ran any.
    fn rates(&self, template: u32) -> Vec<Rate<'_>> {
        let its = self.variants.iter().filter(|its| its.template == template);
        let rate = |variant: &Variant| {
            let mut places = self.times.places.iter();
            let place = places.find(|place| place.place == variant.place)?;
            let mean = variant.mean();
            let each = if place.place == 0 {
                mean / f64::from(place.units.max(1))
            } else {
                // Queues of a device that run at once share its time.
                let here = self.variants.iter().filter(|its| its.place == place.place);
                let sum = total(here.map(|its| its.ns));
                mean * place.busy as f64 / sum.max(1) as f64
            };
            Some(Rate { place, edts: variant.edts as f64, each, mean })
        };
        its.filter_map(rate).filter(|its| its.each > 0.0).collect()
    }

    /// A sentence on how fast two places got on where they run several EDTs at once. Empty where neither does.
    fn at_once(&self, slow: &Rate<'_>, beside: &Rate<'_>) -> String {
        let runs_several = |rate: &Rate<'_>| rate.each < 0.9 * rate.mean;
        if !runs_several(slow) && !runs_several(beside) {
            return String::new();
        }
        format!(
            "As several ran at once, one was done there every {}, and on {} every {}. ",
            time(slow.each),
            self.name(beside.place, false),
            time(beside.each)
        )
    }

    /// Advice to try the policy that places by measured times. `otherwise` where that is what has run.
    fn try_eft(&self, otherwise: &str) -> String {
        match self.policy() {
            DEFAULT => otherwise.to_string(),
            _ => format!("Try OCR_SCHED={DEFAULT}, which places by measured times."),
        }
    }
}

/// The rule *share*: a place had more EDTs of a template than its speed allows.
pub(super) fn share(look: &Look<'_>) -> Vec<Seen> {
    let mut templates: Vec<u32> = look.variants.iter().map(|its| its.template).collect();
    templates.dedup();
    let each = templates.into_iter();
    each.filter_map(|template| share_of(look, template)).collect()
}

fn share_of(look: &Look<'_>, template: u32) -> Option<Seen> {
    let rates = look.rates(template);
    if rates.len() < 2 {
        return None;
    }
    let edts: f64 = rates.iter().map(|rate| rate.edts).sum();
    let speed: f64 = rates.iter().map(|rate| 1.0 / rate.each).sum();
    let even = edts / speed;
    let slow = (rates.iter()).max_by(|one, other| one.took().total_cmp(&other.took()))?;
    let gain = slow.took() - even;
    // The other places must have been idle meanwhile; otherwise they had something else to do.
    let others = rates.iter().filter(|rate| rate.place.place != slow.place.place);
    let idle = others.clone().map(|rate| rate.place.each(total(rate.place.idle)));
    if !look.counts(gain) || (idle.max()? as f64) < gain / 2.0 {
        return None;
    }
    let beside = others.min_by(|one, other| one.each.total_cmp(&other.each))?;
    let is_many = slow.place.units > 1 && slow.place.place == 0;
    let again = "Run it again, so that eft knows the times from the beginning (OCR_MODELS).";
    let seen = Seen::saves(gain)
        .at(slow.place.place)
        .of(template)
        .word("Place", look.name(slow.place, true))
        .word("was", if is_many { "were" } else { "was" })
        .word("edts", slow.edts.to_string())
        .word("all", edts.to_string())
        .word("template", look.template(template))
        .word("each", time(slow.mean))
        .word("other", look.name(beside.place, false))
        .word("other_each", time(beside.mean))
        .word("at_once", look.at_once(slow, beside))
        .word("part", percent(even / slow.each / edts))
        .word("try", look.try_eft(again))
        .word("fixed", fixed_shares(&rates, even));
    Some(seen)
}

/// A sentence on how to divide a template's EDTs, so that all places end together after `even` nanoseconds. Empty where
/// no function takes part.
fn fixed_shares(rates: &[Rate<'_>], even: f64) -> String {
    let host = rates.iter().find(|rate| rate.place.place == 0);
    let devices = rates.iter().filter(|rate| rate.place.place != 0);
    let devices: f64 = devices.map(|rate| even / rate.each).sum();
    let fixed = host.map(|host| {
        let host = even / host.each;
        let least = host.min(devices).max(1e-9);
        let part = |edts: f64| ((edts / least).round() as u64).clamp(1, 1000);
        format!(" Fixed shares that fit are OCR_SCHED=static:{}:{}.", part(host), part(devices))
    });
    fixed.unwrap_or_default()
}

/// What a rule sees of each place where EDTs ran.
fn each_used<'a>(look: &Look<'a>, see: impl Fn(&PlaceTime) -> Option<Seen>) -> Vec<Seen> {
    let used = look.times.places.iter().filter(|place| Look::is_used(place));
    used.filter_map(see).collect()
}

/// What starting the EDTs of a place takes if each start takes the median, in nanoseconds.
fn usual_starts(look: &Look<'_>, place: u8) -> f64 {
    let mut starts: Vec<u64> = Vec::new();
    for unit in look.ground.units.iter().filter(|unit| unit.place == place) {
        for pair in unit.edts.windows(2) {
            let [before, edt] = [pair[0], pair[1]].map(|edt| look.ground.edt(edt));
            starts.push(edt.begin.saturating_sub(look.ground.ready(pair[1]).max(before.end)));
        }
    }
    starts.len() as f64 * median(&mut starts) as f64
}

/// The rule *small*: a place needed a large part of its time to start EDTs.
pub(super) fn small(look: &Look<'_>) -> Vec<Seen> {
    each_used(look, |place| {
        let starting = place.of(Idleness::Starting) as f64;
        // Where workers lost their cores, some starts took long for that reason, and most did not.
        let starting = if cores::is_disturbed(look) { starting.min(usual_starts(look, place.place)) } else { starting };
        let costs = starting / f64::from(place.units.max(1));
        let here = look.ground.ran.iter().map(|&edt| look.ground.edt(edt));
        let here = here.filter(|edt| edt.place == place.place);
        let mut times: Vec<u64> = here.filter_map(RecordedEdt::time).collect();
        let edts = times.len().max(1) as f64;
        let middle = median(&mut times);
        if starting < (starting + place.busy as f64) / 4.0 || !look.counts(costs) || middle > LIMITS.small_ns {
            return None;
        }
        let larger = match place.place {
            0 => "larger EDTs, as tiles of more elements",
            _ => "larger kernels, as tiles of more elements, or leave such EDTs to the workers",
        };
        let seen = Seen::saves(costs)
            .at(place.place)
            .word("place", look.name(place, false))
            .word("median", time(middle as f64))
            .word("start", time(starting / edts))
            .word("part", percent(costs / look.ns))
            .word("larger", larger);
        Some(seen)
    })
}

/// How long each unit of a place waited for data, in nanoseconds. None where that is little.
fn waited(look: &Look<'_>, place: &PlaceTime) -> Option<f64> {
    let costs = place.each(place.of(Idleness::Data)) as f64;
    look.counts(costs).then_some(costs)
}

/// For how many nanoseconds copies to and from a device ran.
fn copying(look: &Look<'_>, place: u8) -> u64 {
    look.run.devices.get(&place).map_or(0, |device| device.copying)
}

/// Whether copies can be what a place waited for so long. A device that uses the host's memory waits for blocks that
/// EDTs elsewhere hold, and nothing is copied.
fn are_copies(look: &Look<'_>, place: u8, waited: f64) -> bool {
    place != 0 && copying(look, place) as f64 * 2.0 >= waited
}

/// The rule *copies*: a device waited long for data.
pub(super) fn copies(look: &Look<'_>) -> Vec<Seen> {
    each_used(look, |place| {
        let costs = waited(look, place).filter(|&costs| are_copies(look, place.place, costs))?;
        let copying = copying(look, place.place);
        let device = look.run.devices.get(&place.place);
        let moved = device.map_or(0, |device| device.bytes_in + device.bytes_out);
        let seen = Seen::saves(costs)
            .at(place.place)
            .word("place", place.name.as_str())
            .word("part", percent(costs / look.ns))
            .word("kernels", time(place.busy as f64))
            .word("bytes", bytes(moved))
            .word("copying", time(copying as f64));
        Some(seen)
    })
}

/// The rule *wait for data*: workers, or a device without copies, waited long for data.
pub(super) fn wait_for_data(look: &Look<'_>) -> Vec<Seen> {
    each_used(look, |place| {
        let costs = waited(look, place).filter(|&costs| !are_copies(look, place.place, costs))?;
        let (held, advice) = if look.run.nodes.len() > 1 {
            (
                "other nodes or EDTs held",
                "Run EDTs on the node that has their blocks (OCR_HINT_EDT_AFFINITY), or give each of them blocks of its own.",
            )
        } else if place.place != 0 {
            (
                "EDTs elsewhere held",
                "Keep EDTs that use the same blocks in one place, or give each of them blocks of its own.",
            )
        } else if look.has_kernels() {
            (
                "came back from a device, or that other EDTs held",
                "Keep EDTs that use the same blocks in one place, or give each of them blocks of its own.",
            )
        } else {
            ("other EDTs held", "Give each EDT blocks of its own, or let those that only read have mode RO or CONST.")
        };
        let seen = Seen::saves(costs)
            .at(place.place)
            .word("Place", look.name(place, true))
            .word("part", percent(costs / look.ns))
            .word("held", held)
            .word("advice", advice);
        Some(seen)
    })
}

/// The rule *needless copies*: much more was copied than needed.
pub(super) fn needless_copies(look: &Look<'_>) -> Vec<Seen> {
    let (moved, least) = (look.moved.bytes() as f64, look.moved.least as f64);
    let copying = look.run.devices.values().map(|device| device.copying);
    let needless = total(copying) as f64 * (1.0 - least / moved.max(1.0));
    if moved == 0.0 || moved < 1.5 * least || !look.counts(needless) {
        return Vec::new();
    }
    vec![
        Seen::saves(needless.min(look.ns))
            .word("bytes", bytes(look.moved.bytes()))
            .word("least", bytes(look.moved.least)),
    ]
}

/// The rule *placement*: a place idled while EDTs that could run there waited elsewhere. Without kernels nothing was
/// placed.
pub(super) fn placement(look: &Look<'_>) -> Vec<Seen> {
    if !look.has_kernels() {
        return Vec::new();
    }
    each_used(look, |place| {
        let costs = place.each(place.of(Idleness::Placement)) as f64;
        let advice = match look.policy() {
            "eft" => {
                "See what eft expected of each place; if that was wrong, run again, so that it knows the times from the beginning."
            }
            "eager" => "Try OCR_SCHED=eft.",
            _ => "Try OCR_SCHED=eft or OCR_SCHED=eager, which decide late.",
        };
        let seen = Seen::saves(costs)
            .at(place.place)
            .word("Place", look.name(place, true))
            .word("part", percent(costs / look.ns))
            .word("try", advice);
        look.counts(costs).then_some(seen)
    })
}

/// The rule *seen late*: a place idled while ends of kernels were not seen.
pub(super) fn seen_late(look: &Look<'_>) -> Vec<Seen> {
    each_used(look, |place| {
        let costs = place.each(place.of(Idleness::SeenLate)) as f64;
        if !look.counts(costs) {
            return None;
        }
        let edts = look.run.edts.iter().zip(look.run.kernels_before());
        let late: Vec<u64> = edts
            .filter(|(_, end)| *end != NEVER)
            .map(|(edt, end)| {
                let created = if edt.created == NEVER { 0 } else { edt.created };
                edt.runnable.saturating_sub(end.max(created))
            })
            .collect();
        let mean = total(late.iter().copied()) as f64 / late.len().max(1) as f64;
        let seen = Seen::saves(costs)
            .at(place.place)
            .word("Place", look.name(place, true))
            .word("part", percent(costs / look.ns))
            .word("late", time(mean));
        Some(seen)
    })
}

/// The rule *unused*: a place ran nothing, though EDTs could run there.
pub(super) fn unused(look: &Look<'_>) -> Vec<Seen> {
    let unused = look.times.places.iter().filter(|place| !Look::is_used(place));
    let see = |place: &PlaceTime| {
        let ran = look.variants.iter();
        let could = ran.filter(|its| look.can_run(its.template, place.place));
        let edts: u64 = could.map(|its| its.edts).sum();
        let expected =
            "By what eft expected, the other places were faster; `ocr explain RUN TEMPLATE` shows the times.";
        let seen = Seen::default()
            .at(place.place)
            .word("Place", look.name(place, true))
            .word("edts", counted(edts, "EDT"))
            .word("try", look.try_eft(expected));
        (edts != 0).then_some(seen)
    };
    unused.filter_map(see).collect()
}
