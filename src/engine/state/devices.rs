//! The OpenCL devices of a runtime: which are open, and which kernels they have. What is sent to them
//! for an EDT is in `life/launch.rs`.

use crate::cores::Shares;
use crate::device;
use crate::device::{
    DeviceInfo, DeviceKind, DeviceManager, DeviceSettings, InlineList, LoaderState, ManagerEvents,
};
use crate::engine::state::fatal::fatal;
use crate::engine::state::loader;
use crate::engine::state::runtime::Runtime;
use crate::engine::state::sharing::{self, Sharing};
use crate::engine::state::unused::{UnusedKernels, no_device};
use crate::model::Direction;
use crate::object::data_block::DataBlock;
use crate::object::edt::Edt;
use crate::object::guid::Guid;
use crate::object::place::{Place, PlaceSet};
use crate::text::Readable;
use ocr_base::lock::{Mutex, rank};
use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// The devices of a runtime.
pub(crate) struct Devices {
    /// Makes what the device managers tell the engine through.
    events: MakeEvents,
    plan: OnceLock<DevicePlan>,
    /// What stands for the plan where it cannot be made yet.
    no_plan: OnceLock<DevicePlan>,
    open: OnceLock<Open>,
    /// How workers and CPU devices share the cores.
    sharing: Sharing,
    /// The templates whose EDTs ran as functions though they have kernels.
    pub(super) unused: UnusedKernels,
    /// Whether the program has asked for the devices, and so may name one in a hint.
    pub(crate) asked: AtomicBool,
    /// The devices on which kernels of EDTs have failed that have not run yet, and whether there are any.
    failed: Mutex<rank::FailedKernels, HashMap<Guid, PlaceSet>>,
    any_failed: AtomicBool,
    /// When the policy's keeper is to be asked again, by the clock that policies see; `u64::MAX` if it is not. `Relaxed`: who
    /// sets it wakes the manager's thread under the lock of its inbox afterwards, and that reads it before it sleeps.
    asks_at: AtomicU64,
}

/// Which devices are to be used, found out when the first kernel is added, or the program asks for them.
#[derive(Default)]
pub(crate) struct DevicePlan {
    pub(super) selected: Vec<DeviceInfo>,
    /// Used only where nothing is selected, and only by kernels that can run nowhere else.
    fallback: Vec<DeviceInfo>,
    /// Why nothing is selected, in a sentence; none if something is.
    pub(crate) problem: Option<String>,
    /// Whether that is since this process was forked from one that has used OpenCL.
    pub(super) is_forked: bool,
}

/// The devices in use; a device's position is its number in [`Place::device`].
pub(crate) struct Open {
    pub(crate) used: Vec<Used>,
    /// Devices that were to be used and could not be opened.
    pub(crate) problems: Vec<String>,
}

/// A device that is open and gets launches.
pub(crate) struct Used {
    /// What the device is. Of one that is divided, `compute_units` is how many are used.
    pub info: DeviceInfo,
    /// How many compute units it has, used or not.
    pub(crate) whole_units: u32,
    pub(crate) manager: DeviceManager,
    /// Launches enqueued ahead. It orders nothing: policies that ask for the load take it as a guess.
    chained: AtomicUsize,
    /// Whether another place worked when a kernel was sent or the last one ended. It orders nothing, and is a guess, too.
    beside: AtomicBool,
}

/// A function that makes what the device managers tell the engine through.
pub(crate) type MakeEvents = fn(&'static Runtime) -> Arc<dyn ManagerEvents>;

impl Devices {
    /// The devices of a run, none of which is open yet.
    pub(crate) fn new(events: MakeEvents) -> Devices {
        Devices {
            events,
            plan: OnceLock::new(),
            no_plan: OnceLock::new(),
            open: OnceLock::new(),
            sharing: Sharing::new(),
            unused: UnusedKernels::default(),
            asked: AtomicBool::new(false),
            failed: Mutex::default(),
            any_failed: AtomicBool::new(false),
            asks_at: AtomicU64::new(u64::MAX),
        }
    }

    /// Has the first device's manager ask the policy's keeper again at this time, or earlier.
    pub(crate) fn ask_again(&self, at_ns: u64) {
        if self.asks_at.load(Ordering::Relaxed) > at_ns
            && self.asks_at.fetch_min(at_ns, Ordering::Relaxed) > at_ns
            && let Some(first) = self.in_use().first()
        {
            first.manager.wake();
        }
    }

    /// Whether the keeper is to be asked at some time.
    pub(crate) fn asks(&self) -> bool {
        self.asks_at.load(Ordering::Relaxed) != u64::MAX
    }

    /// In what time the keeper is to be asked; 0: now.
    pub(crate) fn asks_in(&self, now_ns: u64) -> Option<Duration> {
        let at = self.asks_at.load(Ordering::Relaxed);
        (at != u64::MAX).then(|| Duration::from_nanos(at.saturating_sub(now_ns)))
    }

    /// The keeper is about to be asked, and then not again. A later time, which was set meanwhile, stays.
    pub(crate) fn are_asked(&self, now_ns: u64) {
        let at = self.asks_at.load(Ordering::Relaxed);
        if at <= now_ns {
            let (set, unset) = (at, u64::MAX);
            let _ =
                (self.asks_at).compare_exchange(set, unset, Ordering::Relaxed, Ordering::Relaxed);
        }
    }

    /// The devices in use, if a kernel has opened them, or the program has asked for them.
    pub(crate) fn in_use(&self) -> &[Used] {
        self.open.get().map_or(&[], |open| &open.used)
    }

    pub(crate) fn plan(&self, runtime: &Runtime) -> &DevicePlan {
        if self.plan.get().is_none()
            && let Some(why) = loader::why_no_devices()
        {
            return self.no_plan.get_or_init(|| DevicePlan {
                problem: Some(why.to_string()),
                ..DevicePlan::default()
            });
        }
        (self.plan).get_or_init(|| runtime.signals.keep(|| DevicePlan::new(runtime)))
    }

    /// The devices for a kernel, opened now if they are not yet. Where there is only a fallback, a kernel with a C
    /// function beside it has none, unless the program has asked for them ([`Devices::is_by_hint`]). None, too, while
    /// drivers can load nothing (`loader.rs`).
    pub(crate) fn open_for(&self, runtime: &'static Runtime, function: bool) -> Option<&Open> {
        let wanted = self.plan(runtime).devices();
        let unasked = self.is_by_hint(runtime, function) && !self.asked.load(Ordering::SeqCst);
        if wanted.is_empty() || unasked || loader::why_no_devices().is_some() {
            return None;
        }
        let open = self.open.get_or_init(|| {
            let shares = function.then(|| self.sharing.decide(runtime, wanted));
            (runtime.signals).keep(|| Open::new(runtime, wanted, shares.flatten()))
        });
        if function {
            // Devices that kernels without a function have opened get their cores now, too.
            self.sharing.begin(runtime, wanted, &open.used);
        }
        Some(open)
    }

    /// Whether EDTs that have a C function, or not, go to the devices only where a hint names one.
    pub(crate) fn is_by_hint(&self, runtime: &Runtime, function: bool) -> bool {
        function && (self.plan(runtime).selected.is_empty() || !runtime.policy.uses_devices())
    }

    /// The devices that have a kernel for an EDT and may run it.
    pub(crate) fn for_edt(&self, edt: &Edt) -> InlineList<Place> {
        let devices = &edt.work().devices;
        let fits = |place: &&Place| match edt.explicit_range().map(|range| range.device) {
            None => edt.work().fits_without_range(**place),
            Some(u64::MAX) => true,
            Some(asked) => place.device_index() == Some(asked as usize),
        };
        devices.iter().filter(fits).copied().collect()
    }

    /// The kernel of an EDT has failed where it is placed: another device that has one, and on which it has not failed.
    pub(crate) fn not_failed_on(&self, edt: &Edt) -> Option<Place> {
        let mut all = self.failed.lock();
        // Relaxed: the EDT goes to the other device behind this, and a wrong guess for another costs a look.
        self.any_failed.store(true, Ordering::Relaxed);
        let failed = all.entry(edt.guid()).or_default();
        failed.insert(edt.place.get());
        let fits = |place: &Place| !failed.contains(*place);
        self.for_edt(edt).into_iter().find(fits)
    }

    /// The kernel of an EDT has run, perhaps after it had failed elsewhere.
    pub(crate) fn has_run(&self, edt: Guid) {
        if self.any_failed.load(Ordering::Relaxed) {
            self.failed.lock().remove(&edt);
        }
    }

    pub(crate) fn used(&self, place: Place) -> &Used {
        match place
            .device_index()
            .and_then(|index| self.in_use().get(index))
        {
            Some(used) => used,
            None => unreachable!("{place} is not in use"),
        }
    }

    pub(crate) fn manager(&self, place: Place) -> &DeviceManager {
        &self.used(place).manager
    }

    /// Launches that a device has accepted and not finished, but for those that were enqueued ahead: a
    /// chain is the same load with and without.
    pub(crate) fn load(&self, place: Place) -> usize {
        let used = self.used(place);
        let chained = used.chained.load(Ordering::Relaxed);
        used.manager.load().saturating_sub(chained)
    }

    /// Has the devices forget a block that nobody uses any more; the last one frees it.
    pub(crate) fn forget(&self, block: &'static DataBlock, resident: PlaceSet) {
        {
            let mut locked = block.header.lock_pinned();
            locked.word = locked.word.with_count(resident.iter().count() as u32);
        }
        for place in resident.iter() {
            self.manager(place).forget(block);
        }
    }

    /// Waits for the launches that were sent. Devices take no others.
    pub(crate) fn end_launches(&self) {
        for used in self.in_use() {
            used.manager.end_launches();
        }
    }

    /// Says how workers and CPU devices have shared the cores, and which kernels were not used.
    pub(crate) fn remark(&self, runtime: &Runtime) {
        self.remark_unused(runtime);
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

impl DevicePlan {
    fn new(runtime: &Runtime) -> DevicePlan {
        let settings = &runtime.settings;
        let mut plan = DevicePlan::default();
        if settings.devices.value == device::Selection::None {
            plan.problem = Some(no_device(&settings.devices));
            return plan;
        }
        let inventory = device::discover();
        if matches!(inventory.loader, LoaderState::Forked { .. }) {
            plan.is_forked = true;
            plan.problem = Some(inventory.explain_absence());
            return plan;
        }
        if let Some(platform) = &runtime.platform
            && let Err(message) = platform.check_devices(&inventory.devices)
        {
            let (origin, path) = (
                &settings.platform.origin,
                settings.platform.value.as_deref(),
            );
            let path = path.unwrap_or(Path::new("")).display();
            fatal(&format!(
                "{origin}: the platform description {path}: {message}"
            ));
        }
        for warning in &inventory.warnings {
            warning!("{warning}.");
        }
        let infos = |indices: Vec<usize>| {
            indices
                .into_iter()
                .take(Place::MAX_DEVICES)
                .map(|at| inventory.devices[at].clone())
        };
        match inventory.select(&settings.devices) {
            Ok(selected) => {
                plan.selected = infos(selected).collect();
                plan.fallback = infos(inventory.fallback(&settings.devices)).collect();
                if plan.selected.is_empty() && plan.fallback.is_empty() {
                    plan.problem = Some(inventory.explain_absence());
                }
            }
            Err(message) => {
                plan.problem = Some(format!("{}: {message}", settings.devices.origin));
            }
        }
        plan
    }

    /// The devices that kernels may run on.
    pub(super) fn devices(&self) -> &[DeviceInfo] {
        if self.selected.is_empty() {
            &self.fallback
        } else {
            &self.selected
        }
    }
}

impl Open {
    fn new(runtime: &'static Runtime, wanted: &[DeviceInfo], shares: Option<&Shares>) -> Open {
        let mut open = Open {
            used: Vec::new(),
            problems: Vec::new(),
        };
        let answers = (runtime.devices.events)(runtime);
        for info in wanted {
            let place = Place::device(open.used.len());
            let settings = DeviceSettings {
                memory_limit: *runtime.settings.device_memory,
                compute_queues: *runtime.settings.device_queues,
                force_copies: *runtime.settings.device_copies,
                timed: runtime.learns,
                share: shares.and_then(|shares| sharing::share_of(info, wanted, shares)),
                ..DeviceSettings::default()
            };
            match DeviceManager::start(info, place, settings.clone(), answers.clone()) {
                Ok(manager) => {
                    runtime.begin_transfers(place, info, &settings);
                    open.used.push(Used {
                        info: DeviceInfo {
                            compute_units: manager.units(),
                            ..info.clone()
                        },
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
                self.transfers
                    .begin(device, direction, link.latency_ns, link.bandwidth);
            }
        }
    }
}

impl Used {
    pub(crate) fn counters(&self) -> device::DeviceCounters {
        self.manager.counters()
    }

    /// Notes that another place works while the device has something to do.
    pub(crate) fn note_beside(&self) {
        self.beside.store(true, Ordering::Relaxed);
    }

    /// Whether another place has worked since the kernel before the one that has ended now, given whether one does now.
    pub(crate) fn was_beside(&self, now: bool) -> bool {
        self.beside.swap(now, Ordering::Relaxed) || now
    }

    /// Counts one more launch that is enqueued ahead.
    pub(crate) fn begin_chained(&self) {
        self.chained.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts one launch less, since the one that it was enqueued behind has ended.
    pub(crate) fn end_chained(&self) {
        self.chained.fetch_sub(1, Ordering::Relaxed);
    }

    pub(crate) fn suits(&self, wanted: Option<DeviceKind>) -> bool {
        suits(self.info.kind, wanted)
    }
}

/// Whether a kernel may run on a device of this kind, if it is for a kind.
pub(super) fn suits(kind: DeviceKind, wanted: Option<DeviceKind>) -> bool {
    match wanted {
        None => true,
        Some(DeviceKind::Cpu) => kind == DeviceKind::Cpu,
        Some(_) => kind != DeviceKind::Cpu,
    }
}

/// Takes `-ocr-device=` from the front of build options.
pub(crate) fn split_options(options: &[u8]) -> Result<(Option<DeviceKind>, &[u8]), String> {
    const OPTION: &str = "-ocr-device";
    let options = options.trim_ascii();
    let end = options.iter().position(u8::is_ascii_whitespace);
    let (first, rest) = options.split_at(end.unwrap_or(options.len()));
    let rest = rest.trim_ascii();
    let named = Readable(first);
    let (kind, rest) = match first.strip_prefix(OPTION.as_bytes()) {
        None => (None, options),
        Some(b"=cpu") => (Some(DeviceKind::Cpu), rest),
        Some(b"=gpu") => (Some(DeviceKind::Gpu), rest),
        Some(b"" | b"=") => {
            return Err(format!(
                "the option {named} is followed by a blank: write {OPTION}=cpu or {OPTION}=gpu, in one word, before all \
                 other options"
            ));
        }
        Some(_) => {
            return Err(format!(
                "the option {named} is none: write {OPTION}=cpu or {OPTION}=gpu, before all other options"
            ));
        }
    };
    let mut words = rest.split(u8::is_ascii_whitespace);
    match words.find(|word| word.starts_with(OPTION.as_bytes())) {
        None => Ok((kind, rest)),
        Some(word) if kind.is_some() => Err(format!(
            "the option {} comes after {named}: a kernel has one such option; add the kernel again for other devices",
            Readable(word)
        )),
        Some(word) => Err(format!(
            "the option {} stands behind others: it must come first, as {OPTION}=cpu or {OPTION}=gpu",
            Readable(word)
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_say_for_which_devices_a_kernel_is() {
        let gpu = Some(DeviceKind::Gpu);
        assert_eq!(split_options(b""), Ok((None, &b""[..])));
        assert_eq!(split_options(b"-DX=1 -O"), Ok((None, &b"-DX=1 -O"[..])));
        assert_eq!(
            split_options(b" -ocr-device=gpu\t-DX=1 "),
            Ok((gpu, &b"-DX=1"[..]))
        );
        let fault = |options: &str| split_options(options.as_bytes()).expect_err(options);
        for options in [
            "-ocr-device cpu",
            "-ocr-device = cpu",
            "-ocr-device= cpu",
            "-ocr-device",
        ] {
            assert!(fault(options).contains("blank"), "{options}");
        }
        for options in ["-ocr-device=tpu", "-ocr-device=GPU", "-ocr-devices=gpu"] {
            assert!(fault(options).contains(options), "{options}");
        }
        assert!(fault("-DX=1 -ocr-device=cpu").contains("must come first"));
        assert!(fault("-ocr-device=cpu -DX -ocr-device=gpu").contains("comes after"));
    }
}
