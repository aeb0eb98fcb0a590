//! `eager`: EDTs go to the first place that is free, whatever they cost there. The pool in which EDTs wait is
//! `Queues::pool` of the runtime.

use super::interface::{Choice, Choices, Machine, Policy, PolicyEntry};

pub(super) const ENTRY: PolicyEntry = PolicyEntry {
    name: "eager",
    usage: "eager",
    what: "the first free place",
    make: |args| args.is_empty().then(|| Box::new(Eager) as _),
};

struct Eager;

impl Policy for Eager {
    fn choose(&self, _: &Choices<'_>, _: &dyn Machine) -> Choice {
        Choice::FirstFree
    }
}
