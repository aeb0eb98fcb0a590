//! Rules about places: which EDTs they were given, what it took to start these, and what was copied.

use super::causes::{Cause, CauseRule, Look, WORTH, bytes, percent, time};
use super::idle::{Idleness, PlaceTime, total};
use super::variants::Variant;
use crate::recorded::{NEVER, RecordedEdt};
use ocr_base::text::counted;

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
            Some(Rate {
                place,
                edts: variant.edts as f64,
                each,
                mean,
            })
        };
        its.filter_map(rate).filter(|its| its.each > 0.0).collect()
    }

    /// The rule *share*: a place had more EDTs of a template than its speed allows.
    pub(super) fn share(&self) -> Vec<Cause> {
        let mut templates: Vec<u32> = self.variants.iter().map(|its| its.template).collect();
        templates.dedup();
        let each = templates
            .into_iter()
            .filter_map(|template| self.share_of(template));
        each.collect()
    }

    fn share_of(&self, template: u32) -> Option<Cause> {
        let rates = self.rates(template);
        if rates.len() < 2 {
            return None;
        }
        let edts: f64 = rates.iter().map(|rate| rate.edts).sum();
        let speed: f64 = rates.iter().map(|rate| 1.0 / rate.each).sum();
        let even = edts / speed;
        let slow = rates
            .iter()
            .max_by(|one, other| one.took().total_cmp(&other.took()))?;
        let gain = slow.took() - even;
        // The other places must have been idle meanwhile; otherwise they had something else to do.
        let others = rates
            .iter()
            .filter(|rate| rate.place.place != slow.place.place);
        let idle = others.map(|rate| rate.place.each(total(rate.place.idle)));
        if gain < WORTH * self.ns || (idle.max()? as f64) < gain / 2.0 {
            return None;
        }
        let name = &self
            .variants
            .iter()
            .find(|its| its.template == template)?
            .name;
        let fast = rates
            .iter()
            .min_by(|one, other| one.each.total_cmp(&other.each))?;
        let place = self.name(slow.place, true);
        let verb = if slow.place.units > 1 && slow.place.place == 0 {
            "were"
        } else {
            "was"
        };
        let beside = if fast.place.place == slow.place.place {
            rates
                .iter()
                .find(|rate| rate.place.place != slow.place.place)?
        } else {
            fast
        };
        Some(Cause {
            rule: CauseRule::Share,
            place: Some(slow.place.place),
            costs: gain / 1e9,
            text: format!(
                "{place} {verb} too slow for the share: {} of {} EDTs of {name} ran there, {} each, and on {} {} each. \
                 {}With {} of them there all would end together.",
                slow.edts,
                edts,
                time(slow.mean),
                self.name(beside.place, false),
                time(beside.mean),
                self.at_once(slow, beside),
                percent(even / slow.each / edts),
            ),
            advice: self.share_advice(&rates, even),
        })
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

    /// The advice on how to divide a template's EDTs, so that all places end together after `even` nanoseconds.
    fn share_advice(&self, rates: &[Rate<'_>], even: f64) -> String {
        let policy = self.run.about.get("sched").map_or("", String::as_str);
        let host = rates.iter().find(|rate| rate.place.place == 0);
        let devices: f64 = rates
            .iter()
            .filter(|rate| rate.place.place != 0)
            .map(|rate| even / rate.each)
            .sum();
        let fixed = host.map(|host| {
            let (host, devices) = (even / host.each, devices);
            let least = host.min(devices).max(1e-9);
            let part = |edts: f64| ((edts / least).round() as u64).clamp(1, 1000);
            format!(
                " Fixed shares that fit are OCR_SCHED=static:{}:{}.",
                part(host),
                part(devices)
            )
        });
        let fixed = fixed.unwrap_or_default();
        match policy {
            "eft" => format!(
                "Run it again, so that eft knows the times from the beginning (OCR_MODELS).{fixed}"
            ),
            _ => format!("Try OCR_SCHED=eft, which places by measured times.{fixed}"),
        }
    }

    /// The rule *small*: a place needed a large part of its time to start EDTs.
    pub(super) fn small(&self, place: &PlaceTime) -> Option<Cause> {
        let starting = place.of(Idleness::Starting) as f64;
        let used = starting + place.busy as f64;
        let costs = starting / f64::from(place.units.max(1));
        if !Look::is_used(place) || starting < used / 4.0 || costs < WORTH * self.ns {
            return None;
        }
        let here = self.variants.iter().filter(|its| its.place == place.place);
        let (edts, ns) = here.fold((0, 0_u64), |(edts, ns), its| {
            (edts + its.edts, ns.saturating_add(its.ns))
        });
        let edts = edts.max(1);
        let what = if place.place == 0 {
            "larger EDTs, as tiles of more elements"
        } else {
            "larger kernels, as tiles of more elements, or leave such EDTs to the workers"
        };
        Some(Cause {
            rule: CauseRule::Small,
            place: Some(place.place),
            costs: costs / 1e9,
            text: format!(
                "The EDTs are too small for {}: one runs for {} on average, and to start it took {}. That was {} of the run.",
                self.name(place, false),
                time(ns as f64 / edts as f64),
                time(starting / edts as f64),
                percent(costs / self.ns),
            ),
            advice: format!("Make fewer and {what}."),
        })
    }

    /// The rule *copies*: a place waited long for data.
    pub(super) fn copies(&self, place: &PlaceTime) -> Option<Cause> {
        let costs = place.each(place.of(Idleness::Data)) as f64;
        if !Look::is_used(place) || costs < WORTH * self.ns {
            return None;
        }
        if place.place == 0 {
            return Some(Cause {
                rule: CauseRule::Copies,
                place: Some(0),
                costs: costs / 1e9,
                text: format!(
                    "{} waited for data for {} of the run: for blocks that came back from a device, or that other EDTs held.",
                    self.name(place, true),
                    percent(costs / self.ns)
                ),
                advice: "Keep EDTs that use the same blocks in one place, or give each of them blocks of its own.".into(),
            });
        }
        let device = self.run.devices.get(&place.place);
        let copying = device.map_or(0, |device| device.copying);
        let bytes = bytes(device.map_or(0, |device| device.bytes_in + device.bytes_out));
        Some(Cause {
            rule: CauseRule::Copies,
            place: Some(place.place),
            costs: costs / 1e9,
            text: format!(
                "Copies dominate on {}: it waited for data for {} of the run. Kernels took {}, and copies of {bytes} took {}.",
                place.name,
                percent(costs / self.ns),
                time(place.busy as f64),
                time(copying as f64),
            ),
            advice: "Do more with each block while it is there: several EDTs on the device in a row, or larger kernels over the same data.".into(),
        })
    }

    /// The rule *needless copies*: much more was copied than needed.
    pub(super) fn needless_copies(&self) -> Option<Cause> {
        let (moved, least) = (self.moved.bytes() as f64, self.moved.least as f64);
        let copying = self.run.devices.values().map(|device| device.copying);
        let needless = total(copying) as f64 * (1.0 - least / moved.max(1.0));
        if moved == 0.0 || moved < 1.5 * least || needless < WORTH * self.ns {
            return None;
        }
        Some(Cause {
            rule: CauseRule::NeedlessCopies,
            place: None,
            costs: needless.min(self.ns) / 1e9,
            text: format!(
                "{} were copied, and EDTs in the same places need {} at least: blocks left a device, and came back.",
                bytes(self.moved.bytes()),
                bytes(self.moved.least)
            ),
            advice: "Look at evictions with OCR_STATS=1: give the device more memory (OCR_DEVICE_MEMORY), or use fewer blocks at once."
                .into(),
        })
    }

    /// The rule *placement*: a place idled while EDTs that could run there waited elsewhere.
    pub(super) fn placement(&self, place: &PlaceTime) -> Option<Cause> {
        let costs = place.each(place.of(Idleness::Placement)) as f64;
        if !Look::is_used(place) || costs < WORTH * self.ns {
            return None;
        }
        let policy = self.run.about.get("sched").map_or("", String::as_str);
        let advice = match policy {
            "eft" => {
                "See what eft expected of each place; if that was wrong, run again, so that it knows the times from the beginning."
            }
            "eager" => "Try OCR_SCHED=eft.",
            _ => "Try OCR_SCHED=eft or OCR_SCHED=eager, which decide late.",
        };
        Some(Cause {
            rule: CauseRule::Placement,
            place: Some(place.place),
            costs: costs / 1e9,
            text: format!(
                "{} idled for {} of the run while EDTs that could run there waited elsewhere.",
                self.name(place, true),
                percent(costs / self.ns)
            ),
            advice: advice.into(),
        })
    }

    /// The rule *seen late*: a place idled while ends of kernels were not seen.
    pub(super) fn seen_late(&self, place: &PlaceTime) -> Option<Cause> {
        let costs = place.each(place.of(Idleness::SeenLate)) as f64;
        if !Look::is_used(place) || costs < WORTH * self.ns {
            return None;
        }
        let ends = self.run.kernels_before();
        let edts = self.run.edts.iter().zip(ends);
        let late: Vec<u64> = edts
            .filter(|(_, end)| *end != NEVER)
            .map(|(edt, end)| {
                let created = if edt.created == NEVER { 0 } else { edt.created };
                edt.runnable.saturating_sub(end.max(created))
            })
            .collect();
        let mean = total(late.iter().copied()) as f64 / late.len().max(1) as f64;
        Some(Cause {
            rule: CauseRule::SeenLate,
            place: Some(place.place),
            costs: costs / 1e9,
            text: format!(
                "{} idled for {} of the run because the ends of kernels were seen late. EDTs that waited for a kernel became \
                 runnable {} after its end on average.",
                self.name(place, true),
                percent(costs / self.ns),
                time(mean),
            ),
            advice: "Make fewer and larger kernels, so that fewer ends are waited for, or leave such EDTs to the workers."
                .into(),
        })
    }

    /// The rule *unused*: a place ran nothing, though EDTs could run there.
    pub(super) fn unused(&self, place: &PlaceTime) -> Option<Cause> {
        let could = |edt: &&RecordedEdt| {
            let template = self.run.templates.get(edt.template as usize);
            let places = template.map_or(0, |template| template.places);
            edt.time().is_some() && place.place < 64 && places >> place.place & 1 != 0
        };
        if Look::is_used(place) {
            return None;
        }
        let edts = self.run.edts.iter().filter(could).count() as u64;
        if edts == 0 {
            return None;
        }
        Some(Cause {
            rule: CauseRule::Unused,
            place: Some(place.place),
            costs: 0.0,
            text: format!(
                "{} ran nothing, though {} could run there.",
                self.name(place, true),
                counted(edts, "EDT")
            ),
            advice: "Try OCR_SCHED=eft, which finds out how fast each place is.".into(),
        })
    }
}
