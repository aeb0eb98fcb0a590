//! The rule about how much of a device the work-groups of kernels use.

use super::idle::total;
use super::look::{Look, Seen, percent, time};
use crate::recorded::{RecordedEdt, WorkGroups, median};
use ocr_base::text::counted;
use std::collections::BTreeMap;

/// The share of a device that kernels use at most where they leave most of it idle.
const MOST_IDLE: f64 = 0.5;
/// The share of what a CPU device can do within a group that kernels use at most where small groups cost much. It is
/// lower than that of other devices, since compilers vectorize loops in a kernel as well.
const MOST_IDLE_IN_GROUP_ON_CPU: f64 = 0.25;

/// The kernels of a template on a device, and what of the device they use.
#[derive(Default)]
struct UsedShare {
    /// How many nanoseconds they kept the device.
    ns: f64,
    /// How many of these it would take to do the same with all of the device.
    needed: f64,
    /// How many nanoseconds it would take if the groups were full, and their number stayed.
    by_full_groups: f64,
    /// How many nanoseconds it would take if all compute units had groups, and the size of these stayed.
    by_more_groups: f64,
    /// Their groups, those of the longest kernel first.
    launches: Vec<(u64, WorkGroups)>,
}

/// The part of what runs a group that its work-items use, from 0 to 1.
fn within(look: &Look<'_>, place: u8, its: &WorkGroups) -> f64 {
    let (items, multiple) = (u64::from(its.items.max(1)), u64::from(its.basis.multiple));
    let part = items as f64 / (items.div_ceil(multiple) * multiple) as f64;
    let is_cpu = look.run.cores_of_device(place).is_some();
    if is_cpu && part > MOST_IDLE_IN_GROUP_ON_CPU { 1.0 } else { part }
}

/// How many compute units of its device a kernel could have.
fn units(look: &Look<'_>, edt: &RecordedEdt) -> Option<u64> {
    let units = look.run.devices.get(&edt.place)?.units;
    // Some of a CPU device's cores may be the workers'.
    let cores = look.run.cores_of_device(edt.place).map_or(units, |cores| cores.at(edt.begin));
    Some(units.min(cores)).filter(|&units| units != 0)
}

/// How many kernels of a device ran at once, on average over the time in which any did.
fn at_once(look: &Look<'_>, place: u8) -> f64 {
    let all = look.variants.iter().filter(|its| its.place == place).map(|its| its.ns);
    let busy = look.times.places.iter().find(|its| its.place == place).map_or(0, |its| its.busy);
    (total(all) as f64 / busy.max(1) as f64).max(1.0)
}

/// The rule *work-groups*: kernels use less than half of their device, by the number and the size of their groups.
pub(super) fn work_groups(look: &Look<'_>) -> Vec<Seen> {
    let mut shares: BTreeMap<(u8, u32), UsedShare> = BTreeMap::new();
    for (&number, its) in &look.run.work_groups {
        let edt = &look.run.edts[number as usize];
        let (Some(took), Some(units)) = (edt.time(), units(look, edt)) else {
            continue;
        };
        let at_once = at_once(look, edt.place);
        let ns = took as f64 / at_once;
        let within = within(look, edt.place, its);
        let across = (its.groups as f64 * at_once / units as f64).min(1.0);
        let share = shares.entry((edt.place, edt.template)).or_default();
        share.ns += ns;
        share.needed += ns * within * across;
        share.by_full_groups += ns * within;
        share.by_more_groups += ns * across;
        share.launches.push((took, *its));
    }
    let see = |((place, template), share): ((u8, u32), UsedShare)| {
        let wasted = share.ns - share.needed;
        if share.needed > MOST_IDLE * share.ns || !look.counts(wasted) {
            return None;
        }
        Some(said(look, (place, template), share).word("part", percent(wasted / look.ns)))
    };
    shares.into_iter().filter_map(see).collect()
}

/// What is said of the kernels of a template on a device.
fn said(look: &Look<'_>, (place, template): (u8, u32), mut share: UsedShare) -> Seen {
    let wasted = (share.ns - share.needed).min(look.ns);
    let mut times: Vec<u64> = share.launches.iter().map(|(took, _)| *took).collect();
    share.launches.sort_by_key(|(took, its)| (std::cmp::Reverse(*took), its.groups, its.items));
    let its = share.launches[0].1;
    let (items, multiple) = (u64::from(its.items), u64::from(its.basis.multiple));
    let units = look.run.devices.get(&place).map_or(1, |device| device.units.max(1));
    let (all, lanes) = (its.groups.saturating_mul(items), units.saturating_mul(multiple));
    let (why, advice) = if all < lanes / 2 || all < multiple {
        (
            format!("a kernel has {}, and the device runs {} at once", counted(all, "work-item"), lanes),
            "Give each kernel more work-items, so that one does what several do now, or leave such EDTs to the workers \
             (OCR_SCHED=cpu)."
                .to_string(),
        )
    } else if share.by_full_groups <= share.by_more_groups {
        let advice = if its.basis.is_given {
            format!(
                "Leave localSize at 0, so that the runtime chooses the size of groups, or make it a multiple of {multiple}."
            )
        } else {
            format!(
                "No larger size divides the {all} work-items: round that number up to a multiple of {multiple}, and let \
                 those behind the end do nothing."
            )
        };
        (
            format!(
                "a work-group has {}, and a compute unit runs {multiple} of a group at once",
                counted(items, "work-item")
            ),
            advice,
        )
    } else {
        let advice = if its.basis.is_given {
            "Leave localSize at 0, so that the runtime chooses the size of groups, or make it smaller: there should be a group \
             for each compute unit."
        } else {
            "Give each kernel a number of work-items that can be divided among the compute units."
        };
        (
            format!("a kernel has {}, and the device {units} compute units", counted(its.groups, "work-group")),
            advice.to_string(),
        )
    };
    Seen::saves(wasted)
        .at(place)
        .of(template)
        .word("template", look.template(template))
        .word("device", look.run.place_name(place))
        .word("each", time(median(&mut times) as f64))
        .word("why", why)
        .word("advice", advice)
}
