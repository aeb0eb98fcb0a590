//! Which devices a run uses: those that the settings select, and the fallback for kernels that can run nowhere else.

use crate::config::{DEFAULT_ORIGIN, Set};
use crate::device::{self, DeviceInfo, Inventory, LoaderState, Selection};
use crate::engine::state::devices::{DevicePlan, Devices};
use crate::engine::state::fatal::fatal;
use crate::engine::state::loader;
use crate::engine::state::runtime::Runtime;
use crate::trace::events::{self, OpenClWait};
use ocr_base::text::counted;
use ocr_place::place::Place;
use std::path::Path;

impl Devices {
    pub(crate) fn plan(&self, runtime: &Runtime) -> &DevicePlan {
        if self.plan.get().is_none()
            && let Some(why) = loader::why_no_devices()
        {
            return self.no_plan.get_or_init(|| DevicePlan { problem: Some(why.to_string()), ..DevicePlan::default() });
        }
        if let Some(plan) = self.plan.get() {
            return plan;
        }
        // Of several threads one asks OpenCL, and the others wait for it.
        let plan = || self.plan.get_or_init(|| runtime.signals.keep(|| DevicePlan::new(runtime)));
        events::waiting_for_opencl(OpenClWait::Start, plan)
    }

    /// The plan, without asking OpenCL where earlier runs have found enough. None of its devices can be opened.
    pub(crate) fn expected(&self, runtime: &Runtime) -> &DevicePlan {
        if let Some(plan) = self.plan.get() {
            return plan;
        }
        let of_earlier = || {
            // The user who names other devices wants them looked for.
            let is_usual = matches!(runtime.settings.devices.value, Selection::Auto | Selection::All);
            let found = runtime.found().filter(|_| is_usual)?;
            Some(DevicePlan::of(runtime, found.inventory()))
        };
        self.later.plan.get_or_init(of_earlier).as_ref().unwrap_or_else(|| self.plan(runtime))
    }

    /// Whether EDTs that have a C function, or not, go to the devices only where a hint names one. Redundant runs
    /// use all devices.
    pub(crate) fn is_by_hint(&self, runtime: &Runtime, function: bool) -> bool {
        let is_unused = || !runtime.policy.uses_devices() || self.expected(runtime).selected.is_empty();
        function && runtime.redundant.is_none() && is_unused()
    }
}

impl DevicePlan {
    fn new(runtime: &Runtime) -> DevicePlan {
        let settings = &runtime.settings;
        let mut plan = DevicePlan::default();
        if settings.devices.value == device::Selection::None {
            plan.problem = Some(no_device(&settings.devices));
            return plan;
        }
        DevicePlan::of(runtime, runtime.devices.start.opening(device::discover))
    }

    fn of(runtime: &Runtime, inventory: Inventory) -> DevicePlan {
        let settings = &runtime.settings;
        let mut plan = DevicePlan::default();
        if matches!(inventory.loader, LoaderState::Forked { .. }) {
            plan.is_forked = true;
            plan.problem = Some(inventory.explain_absence());
            return plan;
        }
        if let Some(platform) = &runtime.platform
            && let Err(message) = platform.check_devices(&inventory.devices)
        {
            let (origin, path) = (&settings.platform.origin, settings.platform.value.as_deref());
            let path = path.unwrap_or(Path::new("")).display();
            fatal(&format!("{origin}: the platform description {path}: {message}"));
        }
        for warning in &inventory.warnings {
            warning!("{warning}.");
        }
        // The nodes of a machine take its devices in turns, unless the user has said which this one has.
        let (index, nodes) = settings.on_machine;
        let is_own = |turn: usize| settings.devices.origin != DEFAULT_ORIGIN || turn % nodes == index;
        let infos = |indices: Vec<usize>| {
            let own = indices.into_iter().enumerate().filter(|(turn, _)| is_own(*turn));
            own.take(Place::MAX_DEVICES).map(|(_, at)| inventory.devices[at].clone())
        };
        match inventory.select(&settings.devices) {
            Ok(selected) => {
                plan.selected = infos(selected).collect();
                plan.fallback = infos(inventory.fallback(&settings.devices)).collect();
                if plan.selected.is_empty() && plan.fallback.is_empty() && nodes > 1 && !inventory.devices.is_empty() {
                    plan.problem = Some(format!(
                        "all devices of this machine are those of other nodes: {nodes} nodes divide {} among them. Start fewer \
                         processes on it, or name this node's devices by OCR_DEVICES",
                        counted(inventory.devices.len() as u64, "device")
                    ));
                } else if plan.selected.is_empty() && plan.fallback.is_empty() {
                    plan.problem = Some(format!("{} {}", inventory.explain_absence(), device::ASK_INFO));
                }
            }
            Err(message) => {
                plan.problem = Some(format!("{}: {message}", settings.devices.origin));
            }
        }
        plan.inventory = Some(inventory);
        plan
    }

    /// The devices that kernels may run on.
    pub(super) fn devices(&self) -> &[DeviceInfo] {
        if self.selected.is_empty() { &self.fallback } else { &self.selected }
    }
}

/// What a run says of devices that are not used, since a setting says so.
pub(crate) fn no_device(devices: &Set<device::Selection>) -> String {
    let setting = match devices.origin.strip_prefix('$') {
        Some(variable) => format!("{variable} is none"),
        None => format!("the setting devices is none ({})", devices.origin),
    };
    format!("{setting}, so no device is used: leave it out")
}
