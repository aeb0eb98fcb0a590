//! Placement: which variant of an EDT runs, and where.
//!
//! A policy is asked once for each EDT that more than one place could run, when the EDT has become
//! runnable. It decides from what it is told and never waits. To add one, write it here and add a
//! line to [`POLICIES`].

use crate::object::place::Place;
use std::sync::atomic::{AtomicU64, Ordering};

/// What a policy may ask of the machine.
pub trait Machine {
    /// Launches that a device in use has accepted and not finished.
    fn device_load(&self, device: Place) -> usize;
}

/// What can run an EDT.
pub struct Choices<'a> {
    /// Whether there is a C function.
    pub function: bool,
    /// The devices that have a kernel for it; never empty, and more than one if there is no
    /// function.
    pub devices: &'a [Place],
}

/// Where an EDT goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Choice {
    /// To this place.
    At(Place),
    /// To the first place that is free, later.
    FirstFree,
}

/// How EDTs are placed.
pub trait Policy: Send + Sync {
    /// Whether it sends EDTs that have a C function to devices.
    fn uses_devices(&self) -> bool {
        true
    }
    /// Whether it asks how long EDTs and copies take, so that the runtime is to measure them.
    fn learns(&self) -> bool {
        false
    }
    /// Places an EDT.
    fn choose(&self, choices: &Choices<'_>, machine: &dyn Machine) -> Choice;
}

/// A policy's name, what it does, and how it is made of the words after its name.
pub struct PolicyEntry {
    /// As in `OCR_SCHED`.
    pub name: &'static str,
    /// How it is written, with its arguments.
    pub usage: &'static str,
    /// For people.
    pub what: &'static str,
    make: fn(&[u64]) -> Option<Box<dyn Policy>>,
}

/// All policies.
pub const POLICIES: &[PolicyEntry] = &[
    PolicyEntry {
        name: "cpu",
        usage: "cpu",
        what: "C functions on the workers; a kernel only where there is no function",
        make: |args| args.is_empty().then(|| Box::new(Cpu) as _),
    },
    PolicyEntry {
        name: "device",
        usage: "device",
        what: "kernels on the device with the fewest launches",
        make: |args| args.is_empty().then(|| Box::new(Device) as _),
    },
    PolicyEntry {
        name: "static",
        usage: "static:C:D",
        what: "C EDTs to the workers, then D to the devices, and so on",
        make: Static::make,
    },
    PolicyEntry {
        name: "eager",
        usage: "eager",
        what: "the first free place",
        make: |args| args.is_empty().then(|| Box::new(Eager) as _),
    },
];

/// The policy that is used when none is asked for.
pub const DEFAULT: &str = "eager";

/// The policy that is written so; the error names those that there are.
pub fn parse(text: &str) -> Result<Box<dyn Policy>, String> {
    let mut words = text.split(':');
    let name = words.next().unwrap_or_default();
    let args: Option<Vec<u64>> = words.map(|word| word.parse().ok()).collect();
    let entry = POLICIES.iter().find(|entry| entry.name == name);
    entry
        .zip(args)
        .and_then(|(entry, args)| (entry.make)(&args))
        .ok_or_else(|| {
            let known: Vec<_> = POLICIES.iter().map(|entry| entry.usage).collect();
            format!(
                "there is no policy \"{text}\"; there are: {}",
                known.join(", ")
            )
        })
}

/// The device with the fewest launches.
pub fn least_loaded(devices: &[Place], machine: &dyn Machine) -> Place {
    if let [only] = devices {
        return *only;
    }
    let least = devices
        .iter()
        .min_by_key(|&&device| machine.device_load(device));
    least.copied().unwrap_or(Place::HOST)
}

struct Cpu;

impl Policy for Cpu {
    fn uses_devices(&self) -> bool {
        false
    }

    fn choose(&self, choices: &Choices<'_>, machine: &dyn Machine) -> Choice {
        if choices.function {
            Choice::At(Place::HOST)
        } else {
            Choice::At(least_loaded(choices.devices, machine))
        }
    }
}

struct Device;

impl Policy for Device {
    fn choose(&self, choices: &Choices<'_>, machine: &dyn Machine) -> Choice {
        Choice::At(least_loaded(choices.devices, machine))
    }
}

/// As in section 4.2 of the OCR-Vx paper: "1 block on the CPU, 2 blocks on the GPU".
struct Static {
    cpu: u64,
    device: u64,
    next: AtomicU64,
}

impl Static {
    fn make(args: &[u64]) -> Option<Box<dyn Policy>> {
        let &[cpu, device] = args else { return None };
        let sum = cpu.checked_add(device)?;
        (sum > 0).then(|| {
            Box::new(Static {
                cpu,
                device,
                next: AtomicU64::new(0),
            }) as _
        })
    }
}

impl Policy for Static {
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

struct Eager;

impl Policy for Eager {
    fn choose(&self, _: &Choices<'_>, _: &dyn Machine) -> Choice {
        Choice::FirstFree
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Loads([usize; 2]);

    impl Machine for Loads {
        fn device_load(&self, device: Place) -> usize {
            self.0[device.device_index().expect("a device")]
        }
    }

    const DEVICES: [Place; 2] = [Place::device(0), Place::device(1)];

    fn choose(policy: &str, function: bool, times: usize) -> Vec<Choice> {
        let policy = parse(policy).expect("a policy");
        let choices = Choices {
            function,
            devices: &DEVICES,
        };
        (0..times)
            .map(|_| policy.choose(&choices, &Loads([3, 1])))
            .collect()
    }

    #[test]
    fn static_takes_turns() {
        let (cpu, device) = (Choice::At(Place::HOST), Choice::At(DEVICES[1]));
        assert_eq!(
            choose("static:1:2", true, 6),
            [cpu, device, device, cpu, device, device]
        );
        assert_eq!(choose("static:1:2", false, 2), [device, device]);
        let uses_devices = |policy| parse(policy).expect("a policy").uses_devices();
        assert!(uses_devices("static:1:2") && uses_devices("eager"));
        assert!(!uses_devices("static:1:0") && !uses_devices("cpu"));
    }

    #[test]
    fn cpu_and_device_do_as_they_are_called() {
        assert_eq!(choose("cpu", true, 1), [Choice::At(Place::HOST)]);
        assert_eq!(choose("cpu", false, 1), [Choice::At(DEVICES[1])]);
        assert_eq!(choose("device", true, 1), [Choice::At(DEVICES[1])]);
        assert_eq!(choose("eager", true, 1), [Choice::FirstFree]);
    }

    #[test]
    fn wrong_names_are_refused_with_the_right_ones() {
        for wrong in [
            "",
            "Cpu",
            "static",
            "static:1",
            "static:0:0",
            "static:a:b",
            "cpu:1",
        ] {
            let message = parse(wrong).map(|_| ()).unwrap_err();
            assert!(message.contains("static:C:D"), "{message}");
        }
    }
}
