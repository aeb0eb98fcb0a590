//! Which devices earlier runs have found, as they are kept beside what runs learn of times.
//!
//! To ask OpenCL for its devices takes some 50 ms of a core where PoCL starts, which most runs of some milliseconds do
//! not need. What is kept says only what is there; nobody opens a device by it. It is believed on the day on which it
//! was written, by runs with the same [surroundings](crate::device::surroundings), and where all devices are CPU
//! devices: of a machine with a GPU it is asked in each run, as it is where nothing is kept. Where a device is another
//! one when it is opened, what OpenCL says then counts alone.

use crate::device::{self, DeviceInfo, DeviceKind, Inventory, LoaderState};
use ocr_place::model::{Store, hash, today};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The name of the file.
pub(in crate::engine) const FILE: &str = "devices.json";
/// How many kernels the file has at most; those that were built longest ago are left out.
const KERNELS: usize = 1000;

/// What earlier runs have found.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct FoundDevices {
    day: u64,
    surroundings: u64,
    library: Option<PathBuf>,
    /// How long it took to open the devices.
    pub(crate) opened_ns: u64,
    devices: Vec<FoundDevice>,
    /// Which variants of which programs' templates were built for them, by hashes; the last one was built last.
    pub(in crate::engine) built: Vec<u64>,
}

#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
struct FoundDevice {
    is_cpu: bool,
    name: String,
    platform: String,
    driver: String,
    units: u32,
}

/// What says which devices there are, of a run with so many cores, and with these variables before it asked for
/// devices.
fn surroundings(variables: &[u8], cores: &str, library: Option<&PathBuf>) -> u64 {
    let mut all = device::surroundings(variables, library.map(PathBuf::as_path));
    all.extend(format!("{} {cores}", env!("CARGO_PKG_VERSION")).into_bytes());
    hash(&all)
}

impl FoundDevices {
    pub(in crate::engine) fn of(inventory: &Inventory, cores: &str) -> FoundDevices {
        let library = match &inventory.loader {
            LoaderState::Loaded { path } => path.clone(),
            _ => None,
        };
        let device = |info: &DeviceInfo| FoundDevice {
            is_cpu: info.kind == DeviceKind::Cpu,
            name: info.name.clone(),
            platform: info.platform.clone(),
            driver: info.driver_version.clone(),
            units: info.compute_units,
        };
        FoundDevices {
            day: today(),
            surroundings: surroundings(&inventory.variables, cores, library.as_ref()),
            library,
            devices: inventory.devices.iter().map(device).collect(),
            ..FoundDevices::default()
        }
    }

    pub(in crate::engine) fn read(content: Option<Vec<u8>>) -> Option<FoundDevices> {
        serde_json::from_slice(&content?).ok()
    }

    /// What is kept, if this run may believe it.
    pub(in crate::engine) fn believed(store: &Store, cores: &str) -> Option<FoundDevices> {
        let found = FoundDevices::read(store.read_other(FILE))?;
        let now = surroundings(&device::variables(), cores, found.library.as_ref());
        found.holds(today(), now).then_some(found)
    }

    fn holds(&self, day: u64, surroundings: u64) -> bool {
        let are_cpus = !self.devices.is_empty() && self.devices.iter().all(|device| device.is_cpu);
        are_cpus && (self.day, self.surroundings) == (day, surroundings)
    }

    /// The devices, none of which can be opened.
    pub(crate) fn inventory(&self) -> Inventory {
        let info = |(index, of): (usize, &FoundDevice)| {
            DeviceInfo::of_earlier_run(index, of.name.clone(), of.platform.clone(), of.driver.clone(), of.units)
        };
        Inventory::of_earlier_run(self.devices.iter().enumerate().map(info).collect())
    }

    /// Whether an earlier run has built what has this hash.
    pub(crate) fn has_built(&self, hash: u64) -> bool {
        self.built.contains(&hash)
    }

    /// What is to be kept, where this run has found this, and that was kept before; none if nothing is new.
    pub(in crate::engine) fn after(mut self, before: Option<FoundDevices>) -> Option<FoundDevices> {
        if let Some(before) = &before
            && (before.surroundings, &before.devices) == (self.surroundings, &self.devices)
        {
            let mut built = before.built.clone();
            built.retain(|known| !self.built.contains(known));
            built.append(&mut self.built);
            if built.len() == before.built.len() {
                // Nothing was built that was not built before.
                built.clone_from(&before.built);
            }
            self.built = built.split_off(built.len().saturating_sub(KERNELS));
            // A run that has only asked for the devices has not opened them.
            if before.opened_ns >= self.opened_ns / 2 {
                self.opened_ns = before.opened_ns;
            }
        }
        (before.as_ref() != Some(&self)).then_some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(built: &[u64]) -> FoundDevices {
        let name = || "a".to_string();
        let device = FoundDevice { is_cpu: true, name: name(), platform: name(), driver: name(), units: 2 };
        FoundDevices { day: 1, opened_ns: 100, devices: vec![device], built: built.to_vec(), ..FoundDevices::default() }
    }

    #[test]
    fn what_was_built_stays_known_while_the_devices_are_the_same() {
        assert_eq!(found(&[2, 1]).after(Some(found(&[1, 2]))), None, "nothing is new");
        let more = found(&[3]).after(Some(found(&[1, 2]))).expect("it is new");
        assert_eq!(more.built, [1, 2, 3]);
        let many: Vec<u64> = (0..KERNELS as u64).collect();
        let last = found(&[u64::MAX]).after(Some(found(&many))).expect("it is new");
        assert_eq!((last.built.len(), last.built[0], last.built[KERNELS - 1]), (KERNELS, 1, u64::MAX));
        let mut other = found(&[3]);
        other.devices[0].units = 3;
        assert_eq!(other.after(Some(found(&[1]))).expect("it is new").built, [3]);
        assert!(FoundDevices { day: 2, ..found(&[1]) }.after(Some(found(&[1]))).is_some(), "it is of another day");
    }

    #[test]
    fn only_cpu_devices_of_this_day_and_these_surroundings_are_believed() {
        let of = |is_cpu: &[bool]| {
            let one = &found(&[]).devices[0];
            let devices = is_cpu.iter().map(|&is_cpu| FoundDevice { is_cpu, ..one.clone() }).collect();
            FoundDevices { devices, surroundings: 7, ..found(&[]) }
        };
        assert!(of(&[true, true]).holds(1, 7));
        assert!(!of(&[true]).holds(2, 7) && !of(&[true]).holds(1, 8));
        assert!(!of(&[true, false]).holds(1, 7), "a GPU is opened early");
        assert!(!of(&[]).holds(1, 7), "a device may have come");
    }

    #[test]
    fn what_is_damaged_is_nothing() {
        let text = serde_json::to_vec(&found(&[1])).expect("it can be written");
        assert_eq!(FoundDevices::read(Some(text.clone())), Some(found(&[1])));
        assert_eq!(FoundDevices::read(Some(text[..text.len() - 1].to_vec())), None);
        assert_eq!(FoundDevices::read(None), None);
    }
}
