//! How workers and CPU devices share the cores, in a run (see `cores.rs` for who gets how many, and why).
//!
//! The cores are shared out when the first kernel is added that has a C function beside it and may run on a CPU device. Until
//! then the workers have all of them, as in a run without such kernels: what a program computes with functions alone, or
//! with kernels alone, does not need to be compared with the other, and is to have the whole machine. Then
//!
//! * workers that are too many give up their seats (`seats.rs`), and the threads that run EDTs are bound to their cores;
//! * the device is divided, where it can be, so that it has a compute unit for each of its cores;
//! * the threads of the device are bound to its cores: those that the platform has had from the beginning, and those that
//!   it starts when its context is made, or for the first launch (`device/opencl/manager.rs`).
//!
//! Other threads, those of device managers too, may run on all cores. If kernels without a function have opened the device
//! before, it stays whole, and its threads are bound. At the end of the run they may run on all cores again, since they are
//! there for the next one, which may share the cores out otherwise.

use crate::config::Bind;
use crate::cores::{CoreSet, Shares};
use crate::device::{self, DeviceInfo, DeviceKind, DeviceShare};
use crate::engine::state::devices::Used;
use crate::engine::state::runtime::Runtime;
use crate::report::counted;
use std::sync::OnceLock;

/// How workers and CPU devices share the cores.
pub(crate) struct Sharing {
    /// The cores on which the threads of the run may be, as it begins. None where the system does not tell.
    all: Option<CoreSet>,
    /// What was decided, if it was. None: they share all.
    shares: OnceLock<Option<Shares>>,
    begun: OnceLock<()>,
}

fn is_cpu(info: &DeviceInfo) -> bool {
    info.kind == DeviceKind::Cpu
}

/// How many compute units the CPU devices have together.
fn units(devices: &[DeviceInfo]) -> usize {
    let cpus = devices.iter().filter(|info| is_cpu(info));
    cpus.map(|info| info.compute_units as usize).sum()
}

/// The threads that CPU devices have had from the beginning. Of a platform that has GPUs besides nobody knows whose they
/// are.
fn threads_of(devices: &[DeviceInfo]) -> Vec<i32> {
    let has_others = |platform: &str| {
        let mut others = devices.iter().filter(|info| !is_cpu(info));
        others.any(|info| info.platform == platform)
    };
    let cpus = devices.iter().filter(|info| is_cpu(info));
    let platforms: Vec<&str> = cpus.map(|info| info.platform.as_str()).collect();
    let platforms: Vec<&str> = platforms
        .into_iter()
        .filter(|platform| !has_others(platform))
        .collect();
    device::threads_of_platforms(&platforms)
}

/// What a device has of the machine; none for those that have no cores.
pub(crate) fn share_of(
    info: &DeviceInfo,
    devices: &[DeviceInfo],
    shares: &Shares,
) -> Option<DeviceShare> {
    is_cpu(info).then(|| DeviceShare {
        units: shares.units_of(info.compute_units as usize, units(devices)),
        cores: shares.of_devices.clone(),
    })
}

impl Sharing {
    /// For a run that begins on this thread, from which its threads inherit their cores.
    pub(crate) fn new() -> Sharing {
        Sharing {
            all: CoreSet::of_thread(0).ok(),
            shares: OnceLock::new(),
            begun: OnceLock::new(),
        }
    }

    /// Shares the cores out, for devices that are to be used beside functions.
    pub(crate) fn decide(&self, runtime: &Runtime, devices: &[DeviceInfo]) -> Option<&Shares> {
        let decide = || {
            let all = self.all.as_ref()?;
            let settings = &runtime.settings;
            // A driver that has bound its threads, since the user has told it to, keeps them where they are.
            let is_bound = |&thread: &i32| CoreSet::of_thread(thread).is_ok_and(|now| now != *all);
            if *settings.bind == Bind::Off || threads_of(devices).iter().any(is_bound) {
                return None;
            }
            let (cores, workers) = (settings.cores, *settings.workers);
            let is_fixed = settings.are_workers_fixed();
            Shares::new(all, cores, workers, is_fixed, units(devices))
        };
        self.shares.get_or_init(decide).as_ref()
    }

    /// Workers and devices go to their cores, if they have not done so.
    pub(crate) fn begin(&self, runtime: &'static Runtime, devices: &[DeviceInfo], used: &[Used]) {
        self.begun.get_or_init(|| {
            if !used.iter().any(|used| is_cpu(&used.info)) {
                return;
            }
            let Some(shares) = self.decide(runtime, devices) else {
                return self.remark_shared(runtime, used);
            };
            let threads = threads_of(devices);
            for &thread in &threads {
                // One that has ended meanwhile needs no core.
                let _ = shares.of_devices.bind(thread);
            }
            // A device of one unit may have no thread, and compute on its manager's.
            if threads.len() < units(devices) {
                let one = |used: &&Used| is_cpu(&used.info) && used.whole_units == 1;
                for used in used.iter().filter(one) {
                    let _ = shares.of_devices.bind(used.manager.thread_number());
                }
            }
            runtime.seats.limit_to(runtime, shares.workers);
            runtime.seats.bind(&shares.of_workers);
            self.remark_own(runtime, shares, used);
        });
    }

    /// The threads of drivers are there after the run, and may run anywhere then.
    pub(crate) fn end(&self) {
        if let (Some(all), Some(Some(shares))) = (&self.all, self.shares.get()) {
            device::move_opencl_threads(&shares.of_devices, all);
        }
    }

    /// Says who has which cores, which figures are to be judged by.
    fn remark_own(&self, runtime: &Runtime, shares: &Shares, used: &[Used]) {
        let cpus = used.iter().filter(|used| is_cpu(&used.info));
        let units: u64 = cpus.map(|used| u64::from(used.info.compute_units)).sum();
        runtime.registry.remark(format!(
            "{} ({}) and {} of the device {} ({}) have cores of their own; OCR_BIND=off has them share all",
            counted(shares.workers as u64, "worker"),
            list(&shares.of_workers),
            counted(units, "compute unit"),
            names(used),
            list(&shares.of_devices),
        ));
    }

    /// Says where devices and workers share cores, which no figure of either is without.
    pub(crate) fn remark_shared(&self, runtime: &Runtime, used: &[Used]) {
        let cores = runtime.settings.cores;
        let workers = runtime.workers();
        let cpus = used.iter().filter(|used| is_cpu(&used.info));
        let units: usize = cpus.map(|used| used.info.compute_units as usize).sum();
        if units == 0 || workers + units <= cores {
            return;
        }
        let advice = match *runtime.settings.bind {
            _ if cores < 2 => "which says little of either",
            Bind::Off => {
                "for honest figures give each its own, which OCR_BIND=auto does where there is a choice"
            }
            Bind::Auto => {
                "for honest figures give each its own, for instance with OCR_WORKERS and, for PoCL, \
                 POCL_MAX_PTHREAD_COUNT"
            }
        };
        runtime.registry.remark(format!(
            "{} and {} of the device {} share {}; {advice}",
            counted(workers as u64, "worker"),
            counted(units as u64, "compute unit"),
            names(used),
            counted(cores as u64, "core"),
        ));
    }
}

/// The names of the CPU devices.
fn names(used: &[Used]) -> String {
    let cpus = used.iter().filter(|used| is_cpu(&used.info));
    let names: Vec<&str> = cpus.map(|used| used.info.name.as_str()).collect();
    names.join(" and ")
}

fn list(cores: &CoreSet) -> String {
    let what = if cores.len() == 1 { "core" } else { "cores" };
    format!("{what} {cores}")
}

impl Runtime {
    /// How many workers run EDTs, when those that are too many have ended theirs.
    pub(crate) fn workers(&self) -> usize {
        self.queues.workers().min(self.seats.limit())
    }

    /// How many workers have not given up their seats for good.
    pub(crate) fn workers_left(&self) -> usize {
        self.queues.workers() - self.seats.retired()
    }
}
