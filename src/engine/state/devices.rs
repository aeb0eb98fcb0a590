//! The OpenCL devices of a run, as data: which are planned and open, how they share the cores, which kernels were not
//! used. What plans, opens and divides them is in the room `devices`.

use crate::config::Retry;
use crate::cores::{CoreSet, Shares};
use crate::device;
use crate::device::{DeviceInfo, DeviceKind, DeviceManager, InlineList, Inventory, LaunchError};
use crate::engine::state::attempt::{AfterFailure, AttemptProgress, FailedKernel};
use crate::engine::state::found_devices::FoundDevices;
use crate::engine::state::lending::Lending;
use crate::object::data_block::DataBlock;
use crate::object::edt::Edt;
use crate::object::guid::Guid;
use ocr_base::lock::{Mutex, rank};
use ocr_place::place::{Place, PlaceSet};
use std::collections::HashMap;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The devices of a runtime.
pub(crate) struct Devices {
    pub(in crate::engine) plan: OnceLock<DevicePlan>,
    /// What stands for the plan where it cannot be made yet.
    pub(in crate::engine) no_plan: OnceLock<DevicePlan>,
    pub(in crate::engine) open: OnceLock<OpenDevices>,
    /// What of it is put off.
    pub(crate) later: Later,
    /// How long that took.
    pub(in crate::engine) start: StartTimes,
    /// How workers and CPU devices share the cores.
    pub(in crate::engine) sharing: Sharing,
    /// The templates whose EDTs ran as functions though they have kernels.
    pub(in crate::engine) unused: UnusedKernels,
    /// Whether the program has asked for the devices, and so may name one in a hint.
    pub(crate) asked: AtomicBool,
    /// What has failed, and whether anything has.
    failed: Mutex<rank::FailedKernels, FailedOnDevices>,
    any_failed: AtomicBool,
    /// Whether there are such devices. Relaxed: a thread that sees it late has a launch refused.
    any_lost: AtomicBool,
    /// When the policy's keeper must be asked again, by the clock that policies see; `u64::MAX` if it is not.
    /// `Relaxed`: who sets it wakes the manager's thread under the lock of its inbox afterwards, and that reads it
    /// before it sleeps.
    asks_at: AtomicU64,
}

/// Kernels that have failed, and devices.
#[derive(Default)]
struct FailedOnDevices {
    /// The EDTs whose kernels have failed, and that have not run since.
    edts: HashMap<Guid, FailedEdt>,
    /// The devices that are lost, or take no launch any more.
    lost: PlaceSet,
}

/// An EDT whose kernel has failed.
struct FailedEdt {
    /// Where it has.
    places: PlaceSet,
    progress: AttemptProgress,
    /// What has failed, each time.
    causes: Vec<String>,
}

/// Which devices will be used, found out when the first kernel is added, or the program asks for them.
#[derive(Default)]
pub(crate) struct DevicePlan {
    pub(in crate::engine) selected: Vec<DeviceInfo>,
    /// Used only where nothing is selected, and only by kernels that can run nowhere else.
    pub(in crate::engine) fallback: Vec<DeviceInfo>,
    /// What OpenCL has said that there is; none where it was not asked.
    pub(in crate::engine) inventory: Option<Inventory>,
    /// Why nothing is selected, in a sentence; none if something is.
    pub(crate) problem: Option<String>,
    /// Whether that is since this process was forked from one that has used OpenCL.
    pub(in crate::engine) is_forked: bool,
}

/// The devices in use; a device's position is its number in [`Place::device`].
pub(crate) struct OpenDevices {
    pub(crate) used: Vec<OpenDevice>,
    /// Devices that were to be used and could not be opened.
    pub(crate) problems: Vec<String>,
}

/// A device that is open and gets launches.
pub(crate) struct OpenDevice {
    /// What the device is. Of one that is divided, `compute_units` is how many are used.
    pub info: DeviceInfo,
    /// How many compute units it has, used or not.
    pub(crate) whole_units: u32,
    pub(crate) manager: DeviceManager,
    /// Launches enqueued ahead. It orders nothing: policies that ask for the load take it as a guess.
    pub(in crate::engine) chained: AtomicUsize,
    /// Whether another place worked when a kernel was sent or the last one ended. It orders nothing, and is a guess,
    /// too.
    pub(in crate::engine) beside: AtomicBool,
}

/// How long it took to open OpenCL, and to build kernels. Relaxed: they are sums, and order nothing.
#[derive(Default)]
pub(crate) struct StartTimes {
    opening_ns: AtomicU64,
    building_ns: AtomicU64,
}

impl StartTimes {
    /// Opens something of OpenCL, and counts how long that takes.
    pub(crate) fn opening<T>(&self, open: impl FnOnce() -> T) -> T {
        counted(&self.opening_ns, open)
    }

    /// Builds a kernel, and counts how long that takes.
    pub(crate) fn building<T>(&self, build: impl FnOnce() -> T) -> T {
        counted(&self.building_ns, build)
    }

    /// Nanoseconds in which platforms and devices were opened.
    pub(crate) fn opening_ns(&self) -> u64 {
        self.opening_ns.load(Ordering::Relaxed)
    }

    /// Nanoseconds in which kernels were built.
    pub(crate) fn building_ns(&self) -> u64 {
        self.building_ns.load(Ordering::Relaxed)
    }
}

fn counted<T>(sum: &AtomicU64, work: impl FnOnce() -> T) -> T {
    let begun = Instant::now();
    let result = work();
    sum.fetch_add(begun.elapsed().as_nanos() as u64, Ordering::Relaxed);
    result
}

/// Devices that need not be opened for the kernels that there are (`devices/later.rs`).
pub(crate) struct Later {
    /// What earlier runs have found, as this one has read it.
    pub(in crate::engine) found: OnceLock<Option<FoundDevices>>,
    /// The plan by that, for messages.
    pub(in crate::engine) plan: OnceLock<Option<DevicePlan>>,
    /// Whether kernels were left unbuilt. SeqCst: a thread that leaves one sets this, and then looks whether devices
    /// are open; one that has opened devices looks at this afterwards. So one of the two builds the kernel.
    pub(in crate::engine) left: AtomicBool,
    /// When devices are opened nevertheless, in nanoseconds since the run began; `u64::MAX` if they are not. Relaxed: a
    /// thread that sees it late opens them late.
    pub(in crate::engine) open_at: AtomicU64,
    /// A function that takes longer than this has them opened, too. Relaxed, for the same reason.
    pub(in crate::engine) longest: AtomicU64,
    pub(in crate::engine) opener: Mutex<rank::DeviceOpener, Opener>,
}

/// The thread that opens devices beside the run.
pub(crate) enum Opener {
    /// None was started.
    NotStarted,
    /// It was started.
    Started(JoinHandle<()>),
    /// It has ended, or cannot be started any more.
    Over,
}

impl Later {
    fn new() -> Later {
        Later {
            found: OnceLock::new(),
            plan: OnceLock::new(),
            left: AtomicBool::new(false),
            open_at: AtomicU64::new(u64::MAX),
            longest: AtomicU64::new(0),
            opener: Mutex::new(Opener::NotStarted),
        }
    }

    /// Whether kernels were left unbuilt, and still are.
    pub(crate) fn is_any_left(&self) -> bool {
        self.left.load(Ordering::SeqCst)
    }
}

/// How workers and CPU devices share the cores.
pub(crate) struct Sharing {
    /// The cores on which the threads of the run may be, as it begins. None where the system does not tell.
    pub(in crate::engine) all: Option<CoreSet>,
    /// The cores that CPU devices have of the workers' at times, if that was decided.
    pub(in crate::engine) lending: OnceLock<Option<Lending>>,
    /// What was decided, if it was. None: they share all.
    pub(in crate::engine) shares: OnceLock<Option<Shares>>,
    /// Whether workers and devices have gone to their cores, and how that went for the workers.
    pub(in crate::engine) begun: OnceLock<SharingResult>,
}

/// What came of sharing the cores out.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum SharingResult {
    /// Workers and devices share all cores.
    Shared,
    /// The threads that run EDTs are bound to their cores.
    Bound,
    /// The system has refused to bind one of them.
    Refused,
}

/// Templates whose EDTs ran as functions though they have kernels, each with the reason.
#[derive(Default)]
pub(crate) struct UnusedKernels(pub(in crate::engine) Mutex<rank::UnusedKernels, Vec<Unused>>);

/// A reason.
pub(crate) struct Unused {
    pub(in crate::engine) why: String,
    pub(in crate::engine) told: NoteLevel,
    /// The names of the templates for which this reason holds.
    pub(in crate::engine) templates: Vec<String>,
}

/// Where a reason is reported.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoteLevel {
    /// In a note, which is printed whatever the settings are.
    Always,
    /// In the report at the end of the run, and in no note.
    InReport,
    /// In the statistics alone: `ocr compare` and `ocr tune` read reports, and know which policies use no device.
    InStatistics,
}

impl Devices {
    /// The devices of a run, none of which is open yet.
    pub(crate) fn new() -> Devices {
        Devices {
            plan: OnceLock::new(),
            no_plan: OnceLock::new(),
            open: OnceLock::new(),
            later: Later::new(),
            start: StartTimes::default(),
            sharing: Sharing::new(),
            unused: UnusedKernels::default(),
            asked: AtomicBool::new(false),
            failed: Mutex::default(),
            any_failed: AtomicBool::new(false),
            any_lost: AtomicBool::new(false),
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

    /// How many cores workers and a device share, if the device computes on those of the workers.
    pub(crate) fn shared_cores(&self, device: Place) -> Option<usize> {
        Some(self.lending_for(device)?.cores())
    }

    pub(super) fn lending_for(&self, device: Place) -> Option<&Lending> {
        let lending = self.sharing.lending()?;
        self.used(device).is_cpu().then_some(lending)
    }

    /// Whether CPU devices have cores of the workers' at times.
    pub(crate) fn lends(&self) -> bool {
        self.sharing.lending().is_some()
    }

    /// The part of the cores of a CPU device that a kernel had which has just ended and has run for so many
    /// nanoseconds: 1 unless workers had others of them. None where its time says nothing.
    pub(crate) fn part_of_cores(&self, device: Place, ran_ns: u64) -> Option<f64> {
        let lending = self.lending_for(device);
        lending.map_or(Some(1.0), |lending| lending.part_of_kernel(ran_ns))
    }

    /// Whether the keeper must be asked at some time.
    pub(crate) fn asks(&self) -> bool {
        self.asks_at.load(Ordering::Relaxed) != u64::MAX
    }

    /// In what time the keeper must be asked; 0: now.
    pub(crate) fn asks_in(&self, now_ns: u64) -> Option<Duration> {
        let at = self.asks_at.load(Ordering::Relaxed);
        (at != u64::MAX).then(|| Duration::from_nanos(at.saturating_sub(now_ns)))
    }

    /// The keeper is about to be asked, and then not again. A later time, which was set meanwhile, stays.
    pub(crate) fn are_asked(&self, now_ns: u64) {
        let at = self.asks_at.load(Ordering::Relaxed);
        if at <= now_ns {
            let (set, unset) = (at, u64::MAX);
            let _ = (self.asks_at).compare_exchange(set, unset, Ordering::Relaxed, Ordering::Relaxed);
        }
    }

    /// Whether the devices of this run were opened, or that was tried.
    pub(crate) fn is_open(&self) -> bool {
        self.open.get().is_some()
    }

    /// The devices in use, if a kernel has opened them, or the program has asked for them.
    pub(crate) fn in_use(&self) -> &[OpenDevice] {
        self.open.get().map_or(&[], |open| &open.used)
    }

    /// The devices that have a kernel for an EDT and may run it. One that is lost is among them only where nothing else
    /// can run the EDT, so that the launch is refused with the reason.
    pub(crate) fn for_edt(&self, edt: &Edt) -> InlineList<Place> {
        let devices = &edt.work().devices;
        let fits = |place: &&Place| match edt.explicit_range().map(|range| range.device) {
            None => edt.work().fits_without_range(**place),
            Some(u64::MAX) => true,
            Some(asked) => place.device_index() == Some(asked as usize),
        };
        let all = devices.iter().filter(fits).copied().collect();
        if self.any_lost.load(Ordering::Relaxed) { self.without_lost(edt, all) } else { all }
    }

    /// Whether a device is lost.
    pub(crate) fn any_lost(&self) -> bool {
        self.any_lost.load(Ordering::Relaxed)
    }

    #[cold]
    fn without_lost(&self, edt: &Edt, all: InlineList<Place>) -> InlineList<Place> {
        let lost = self.failed.lock().lost;
        let left: InlineList<Place> = all.iter().copied().filter(|place| !lost.contains(*place)).collect();
        if left.is_empty() && edt.work().function.is_none() { all } else { left }
    }

    /// A device is lost: EDTs are not placed there any more.
    pub(crate) fn lose(&self, device: Place) {
        self.failed.lock().lost.insert(device);
        self.any_lost.store(true, Ordering::Relaxed);
    }

    /// The kernel of an EDT has failed where it is placed: what is done now.
    pub(crate) fn after_failure(&self, edt: &Edt, error: &LaunchError, retry: Retry) -> AfterFailure {
        let (place, devices) = (edt.place.get(), self.for_edt(edt));
        let mut all = self.failed.lock();
        // Relaxed: the EDT goes on behind this, and a wrong guess for another costs a look.
        self.any_failed.store(true, Ordering::Relaxed);
        if error.takes_no_more && !all.lost.contains(place) {
            all.lost.insert(place);
            self.any_lost.store(true, Ordering::Relaxed);
        }
        let is_lost = all.lost.contains(place);
        let (places, causes, progress) = (PlaceSet::EMPTY, Vec::new(), AttemptProgress::begin(retry));
        let failed = all.edts.entry(edt.guid()).or_insert(FailedEdt { places, progress, causes });
        failed.places.insert(place);
        failed.causes.push(error.what_failed());
        let after = failed.progress.fails(FailedKernel {
            is_intact: error.inputs_intact,
            has_function: edt.work().function.is_some(),
            elsewhere: devices.into_iter().find(|place| !failed.places.contains(*place)),
            is_lost,
        });
        match after {
            // Without the setting nothing is counted, and nobody asks.
            AfterFailure::Function if !retry.is_on() => drop(all.edts.remove(&edt.guid())),
            AfterFailure::Report => {}
            _ => failed.progress.again(),
        }
        after
    }

    /// What has failed of an EDT, one time after the other, but for the last.
    pub(crate) fn failures_before(&self, edt: Guid) -> Vec<String> {
        let all = self.failed.lock();
        let causes = all.edts.get(&edt).map_or(&[][..], |failed| &failed.causes);
        causes.split_last().map_or(Vec::new(), |(_, before)| before.to_vec())
    }

    /// An EDT has run as a kernel, or is about to run as its function: how far its attempts have come if kernels of it
    /// have failed before.
    pub(crate) fn take_failed(&self, edt: Guid) -> Option<AttemptProgress> {
        if !self.any_failed.load(Ordering::Relaxed) {
            return None;
        }
        Some(self.failed.lock().edts.remove(&edt)?.progress)
    }

    pub(crate) fn used(&self, place: Place) -> &OpenDevice {
        match place.device_index().and_then(|index| self.in_use().get(index)) {
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

    /// Has the devices forget a block that is not used any more; the last one frees it.
    pub(crate) fn forget(&self, block: &'static DataBlock, resident: PlaceSet) {
        {
            let mut locked = block.header.lock_pinned();
            locked.word = locked.word.with_count(resident.iter().count() as u32);
        }
        for place in resident.iter() {
            self.manager(place).forget(block);
        }
    }
}

impl OpenDevice {
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

    /// Whether it computes on cores of this machine.
    pub(crate) fn is_cpu(&self) -> bool {
        self.info.kind == DeviceKind::Cpu
    }

    pub(crate) fn suits(&self, wanted: Option<DeviceKind>) -> bool {
        suits(self.info.kind, wanted)
    }
}

impl Sharing {
    /// Made on the thread that begins the run, from which the other threads inherit their cores.
    pub(crate) fn new() -> Sharing {
        Sharing {
            all: CoreSet::of_thread(0).ok(),
            lending: OnceLock::new(),
            shares: OnceLock::new(),
            begun: OnceLock::new(),
        }
    }
}

/// Whether a kernel may run on a device of this kind, if it is for a kind.
pub(crate) fn suits(kind: DeviceKind, wanted: Option<DeviceKind>) -> bool {
    match wanted {
        None => true,
        Some(DeviceKind::Cpu) => kind == DeviceKind::Cpu,
        Some(_) => kind != DeviceKind::Cpu,
    }
}
