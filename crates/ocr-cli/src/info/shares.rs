//! Which devices a selection means, and how workers and CPU devices would share the cores.

use ocr::config::{Bind, Settings};
use ocr::cores::{CoreSet, Shares, are_lent};
use ocr::device::{DeviceKind, Inventory, Selection};
use ocr_place::policy;

/// How many compute units the CPU devices have that a program could use beside C functions.
pub(crate) fn cpu_units(inventory: &Inventory, settings: &Settings) -> usize {
    if settings.devices.value == Selection::None {
        return 0;
    }
    let used = inventory.select(&settings.devices).unwrap_or_default();
    let devices = inventory.devices.iter();
    let cpus = devices.filter(|device| device.kind == DeviceKind::Cpu);
    cpus.filter(|device| used.is_empty() || used.contains(&device.index))
        .map(|device| device.compute_units as usize)
        .sum()
}

/// Which cores of their own workers have, and which the `units` compute units of CPU devices. None where they share all
/// cores.
pub(crate) fn shares(units: usize, settings: &Settings) -> Option<Shares> {
    if settings.bind.value == Bind::Off || lends(units, settings) {
        return None;
    }
    fixed_shares(units, settings)
}

fn fixed_shares(units: usize, settings: &Settings) -> Option<Shares> {
    if units == 0 {
        return None;
    }
    let all = CoreSet::of_thread(0).ok()?;
    let is_fixed = settings.are_workers_fixed();
    Shares::new(&all, settings.cores, *settings.workers, is_fixed, units)
}

/// Whether CPU devices would have cores of the workers' for as long as kernels use them better.
pub(crate) fn lends(units: usize, settings: &Settings) -> bool {
    let policy = policy::parse(&settings.sched.value);
    units != 0
        && settings.bind.value == Bind::Auto
        && policy.is_ok_and(|policy| policy.shares_cores())
        && are_lent(fixed_shares(units, settings).as_ref(), *settings.workers)
}

/// The numbers of the devices that a selection means. If it means none, also the numbers of the devices that serve EDTs
/// without a C function. The third value says what is wrong with the selection, if anything is.
pub(crate) fn chosen(inventory: &Inventory, selection: &Selection) -> (Vec<usize>, Vec<usize>, Option<String>) {
    let (used, problem) = match inventory.select(selection) {
        Ok(used) => (used, None),
        Err(message) => (Vec::new(), Some(message)),
    };
    let fallback = if used.is_empty() { inventory.fallback(selection) } else { Vec::new() };
    (used, fallback, problem)
}
