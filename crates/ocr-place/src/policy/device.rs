//! `device`: EDTs run as kernels wherever there is one, on the device with the fewest launches.

use super::interface::{Choice, Choices, Machine, Policy, PolicyEntry, least_loaded};

pub(super) const ENTRY: PolicyEntry = PolicyEntry {
    name: "device",
    usage: "device",
    what: "kernels on the device with the fewest launches",
    make: |args| args.is_empty().then(|| Box::new(DevicePolicy) as _),
};

struct DevicePolicy;

impl Policy for DevicePolicy {
    fn choose(&self, choices: &Choices<'_>, machine: &dyn Machine) -> Choice {
        Choice::At(least_loaded(choices.devices, machine))
    }
}
