//! `static:C:D`: the first C EDTs go to the workers, the next D to the devices, and so on in turns.

use super::interface::{Choice, Choices, Machine, Policy, PolicyEntry, least_loaded};
use crate::place::Place;
use std::sync::atomic::{AtomicU64, Ordering};

pub(super) const ENTRY: PolicyEntry = PolicyEntry {
    name: "static",
    usage: "static:C:D",
    what: "C EDTs to the workers, then D to the devices, and so on",
    make: Turns::make,
};

/// The policy of section 4.2 of the OCR-Vx paper: "1 block on the CPU, 2 blocks on the GPU".
struct Turns {
    cpu: u64,
    device: u64,
    next: AtomicU64,
}

impl Turns {
    fn make(args: &[u64]) -> Option<Box<dyn Policy>> {
        let &[cpu, device] = args else { return None };
        let sum = cpu.checked_add(device)?;
        (sum > 0).then(|| Box::new(Turns { cpu, device, next: AtomicU64::new(0) }) as _)
    }
}

impl Policy for Turns {
    fn uses_devices(&self) -> bool {
        self.device != 0
    }

    fn choose(&self, choices: &Choices<'_>, machine: &dyn Machine) -> Choice {
        let turn = self.next.fetch_add(1, Ordering::Relaxed) % (self.cpu + self.device);
        if choices.function && turn < self.cpu {
            Choice::At(Place::HOST)
        } else {
            Choice::At(least_loaded(choices.devices, machine))
        }
    }
}
