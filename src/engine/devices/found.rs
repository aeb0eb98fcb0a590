//! Which devices earlier runs have found: what of this a run may believe, and what it keeps (`state/found_devices.rs`).

use crate::engine::state::found_devices::{FILE, FoundDevices};
use crate::engine::state::runtime::Runtime;
use ocr_place::model::Store;

impl Runtime {
    /// The cores of this run, by which CPU devices have their units.
    fn cores_of_run(&self) -> String {
        let all = self.devices.sharing.all.as_ref();
        format!("{} of {}", self.settings.cores, all.map_or(String::new(), ToString::to_string))
    }

    /// What earlier runs have found, if it may be believed in this one, which has opened no device.
    pub(crate) fn found(&self) -> Option<&FoundDevices> {
        let read = || {
            let store = self.remembered.store.as_ref()?;
            // What a description of the machine says is checked with OpenCL.
            self.platform.is_none().then(|| FoundDevices::believed(store, &self.cores_of_run())).flatten()
        };
        self.devices.later.found.get_or_init(read).as_ref()
    }

    /// Keeps what this run has found, if it has asked OpenCL. The error is for people.
    pub(crate) fn keep_found(&self, store: &Store) -> Result<(), String> {
        let Some(inventory) = self.devices.plan.get().and_then(|plan| plan.inventory.as_ref()) else {
            return Ok(());
        };
        let mut found = FoundDevices::of(inventory, &self.cores_of_run());
        found.opened_ns = self.devices.start.opening_ns();
        self.objects.code_table.for_each(|work| {
            if work.function.is_none() {
                return;
            }
            for kernel in &work.kernels {
                let places = kernel.built.iter().map(|&(place, _)| &self.devices.used(place).info);
                found.built.extend(places.map(|info| self.remembered.hash_of_built(work, kernel, info)));
            }
        });
        found.built.sort_unstable();
        found.built.dedup();
        store.change_other(FILE, |before| {
            let kept = found.after(FoundDevices::read(before))?;
            serde_json::to_vec(&kept).ok()
        })
    }
}
