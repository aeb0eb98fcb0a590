//! Opens the devices of a run when the first kernel is added, or the program asks for them, and ends them.

use crate::cores::Shares;
use crate::device::{DeviceInfo, DeviceKind, DeviceManager, DeviceSettings};
use crate::engine::devices::sharing;
use crate::engine::state::devices::{Devices, OpenDevice, OpenDevices};
use crate::engine::state::loader;
use crate::engine::state::runtime::Runtime;
use crate::trace;
use crate::trace::events::{self, OpenClWait};
use crate::trace::format::Counter;
use ocr_place::model::Direction;
use ocr_place::place::Place;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

impl Devices {
    /// The devices for a kernel, opened now if they are not yet. Where there is only a fallback, a kernel with a C
    /// function beside it has none, unless the program has asked for them ([`Devices::is_by_hint`]). None, too, while
    /// drivers can load nothing (`state/loader.rs`).
    pub(crate) fn open_for(&self, runtime: &'static Runtime, function: bool) -> Option<&OpenDevices> {
        let unasked = self.is_by_hint(runtime, function) && !self.asked.load(Ordering::SeqCst);
        if unasked || loader::why_no_devices().is_some() {
            return None;
        }
        let wanted = self.plan(runtime).devices();
        if wanted.is_empty() {
            return None;
        }
        let new = || {
            let lending = self.sharing.decide_lending(runtime, wanted);
            let shares = (function && lending.is_none()).then(|| self.sharing.decide(runtime, wanted));
            let open = || OpenDevices::new(runtime, wanted, shares.flatten());
            runtime.signals.keep(|| self.start.opening(open))
        };
        // Of several threads one opens them, and the others wait for it.
        let wait = || self.open.get_or_init(new);
        let open = self.open.get();
        let open = open.unwrap_or_else(|| events::waiting_for_opencl(OpenClWait::Start, wait));
        if function && !self.lends() {
            // Devices that kernels without a function have opened get their cores now, too.
            self.sharing.begin(runtime, wanted, &open.used);
        }
        Some(open)
    }

    /// Says how workers and CPU devices have shared the cores, and which kernels were not used.
    pub(crate) fn remark(&self, runtime: &Runtime) {
        self.remark_unused(runtime);
        runtime.remark_put_off();
        self.sharing.remark(runtime, self.in_use());
    }

    /// Ends all device managers, after what is in flight.
    pub(crate) fn stop(&self) {
        for used in self.in_use() {
            used.manager.stop();
        }
        self.sharing.end();
    }
}

impl OpenDevices {
    fn new(runtime: &'static Runtime, wanted: &[DeviceInfo], shares: Option<&Shares>) -> OpenDevices {
        let mut open = OpenDevices { used: Vec::new(), problems: Vec::new() };
        let answers = (runtime.manager_events)(runtime);
        let attempts = runtime.undoes_kernels();
        for info in wanted {
            let place = Place::device(open.used.len());
            let settings = DeviceSettings {
                memory_limit: *runtime.settings.device_memory,
                compute_queues: *runtime.settings.device_queues,
                force_copies: *runtime.settings.device_copies || attempts,
                attempts,
                timed: runtime.learns,
                share: shares.and_then(|shares| sharing::share_of(info, wanted, shares)),
            };
            match DeviceManager::start(info, place, settings.clone(), answers.clone()) {
                Ok(manager) => {
                    runtime.begin_transfers(place, info, &settings);
                    if trace::is_on() && info.kind == DeviceKind::Cpu {
                        // First those of the whole device, then those of its share.
                        for units in [info.compute_units, manager.units()] {
                            events::counter(Counter::Cores, place.number() as u8, u64::from(units));
                        }
                    }
                    open.used.push(OpenDevice {
                        info: DeviceInfo { compute_units: manager.units(), ..info.clone() },
                        whole_units: info.compute_units,
                        manager,
                        chained: AtomicUsize::new(0),
                        beside: AtomicBool::new(false),
                    })
                }
                Err(error) => open.problems.push(error.to_string()),
            }
        }
        if !open.used.is_empty() {
            // Where there is no other, the error about the kernel says it.
            for problem in &open.problems {
                warning!("{problem}. The device is not used; the others are.");
            }
        }
        open
    }
}

impl Runtime {
    /// Says what is known of copies to a device and back before there are any.
    fn begin_transfers(&self, place: Place, info: &DeviceInfo, settings: &DeviceSettings) {
        let Some(device) = place.device_index() else {
            return;
        };
        if info.host_unified && !settings.force_copies {
            return self.transfers.shares_memory(device);
        }
        for direction in Direction::ALL {
            let link = self.platform.as_ref();
            if let Some(link) = link.and_then(|platform| platform.link(info.index, direction)) {
                self.transfers.begin(device, direction, link.latency_ns, link.bandwidth);
            }
        }
    }
}
