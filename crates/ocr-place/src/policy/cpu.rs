//! `cpu`: EDTs run as C functions on the workers. A kernel runs only where there is no function.

use super::interface::{Choice, Choices, Machine, Policy, PolicyEntry, least_loaded};
use crate::place::Place;

pub(super) const ENTRY: PolicyEntry = PolicyEntry {
    name: "cpu",
    usage: "cpu",
    what: "C functions on the workers; a kernel only where there is no function",
    make: |args| args.is_empty().then(|| Box::new(Cpu) as _),
};

struct Cpu;

impl Policy for Cpu {
    fn uses_devices(&self) -> bool {
        false
    }

    fn choose(&self, choices: &Choices<'_>, machine: &dyn Machine) -> Choice {
        if choices.function { Choice::At(Place::HOST) } else { Choice::At(least_loaded(choices.devices, machine)) }
    }
}
