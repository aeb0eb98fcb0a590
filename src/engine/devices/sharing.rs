//! How workers and CPU devices share the cores, in a run (`cores.rs` says how many each of them gets, and why).
//!
//! Under a policy that asks for it, devices have no share of their own, but cores of the workers' for as long as
//! kernels run: `lending.rs` says how. What follows is about fixed shares.
//!
//! The cores are shared out when the first kernel is added that has a C function beside it and may run on a CPU device.
//! Until then the workers have all of them, as in a run without such kernels: what a program computes with functions
//! alone, or with kernels alone, does not need to be compared with the other, and is to have the whole machine. Then
//!
//! * workers that are too many give up their seats (`state/seats.rs`), and the threads that run EDTs are bound to their
//!   cores;
//! * the device is divided, where it can be, so that it has a compute unit for each of its cores;
//! * the threads of the device are bound to its cores: those that the platform has had from the beginning, and those
//!   that it starts when its context is made, or for the first launch (`device/opencl/manager.rs`);
//! * so is the thread of the device's manager. Else the system has it run on a worker's core, and when it wakes a
//!   worker it waits there for up to three milliseconds, in which the device has nothing to do. What the manager does
//!   is work for the device, and is counted where the time of kernels is measured.
//!
//! Other threads may run on all cores. If kernels without a function have opened the device before, it stays whole, and
//! its threads are bound. At the end of the run they may run on all cores again, since they are there for the next one,
//! which may share the cores out otherwise.

use crate::config::Bind;
use crate::cores::{self, CoreSet, Shares};
use crate::device::{self, DeviceInfo, DeviceKind, DeviceShare};
use crate::engine::state::devices::{OpenDevice, Sharing, SharingResult};
use crate::engine::state::lending::Lending;
use crate::engine::state::runtime::Runtime;
use ocr_base::text::counted;

fn is_cpu(info: &DeviceInfo) -> bool {
    info.kind == DeviceKind::Cpu
}

/// How many compute units the CPU devices have together.
fn units(devices: &[DeviceInfo]) -> usize {
    let cpus = devices.iter().filter(|info| is_cpu(info));
    cpus.map(|info| info.compute_units as usize).sum()
}

/// The threads that CPU devices have had from the beginning. Of a platform that has GPUs besides it is not known whose
/// they are.
fn threads_of(devices: &[DeviceInfo]) -> Vec<i32> {
    let has_others = |platform: &str| {
        let mut others = devices.iter().filter(|info| !is_cpu(info));
        others.any(|info| info.platform == platform)
    };
    let cpus = devices.iter().filter(|info| is_cpu(info));
    let platforms: Vec<&str> = cpus.map(|info| info.platform.as_str()).collect();
    let platforms: Vec<&str> = platforms.into_iter().filter(|platform| !has_others(platform)).collect();
    device::threads_of_platforms(&platforms)
}

/// Whether a driver has bound its threads, since the user has asked for that: then they stay where they are.
fn is_driver_bound(devices: &[DeviceInfo], all: &CoreSet) -> bool {
    let is_bound = |&thread: &i32| CoreSet::of_thread(thread).is_ok_and(|now| now != *all);
    threads_of(devices).iter().any(is_bound)
}

/// What a device has of the machine; none for those that have no cores.
pub(crate) fn share_of(info: &DeviceInfo, devices: &[DeviceInfo], shares: &Shares) -> Option<DeviceShare> {
    is_cpu(info).then(|| DeviceShare {
        units: shares.units_of(info.compute_units as usize, units(devices)),
        cores: shares.of_devices.clone(),
    })
}

impl Sharing {
    /// Decides whether CPU devices have cores of the workers' for as long as kernels run, when the first device is
    /// opened.
    pub(crate) fn decide_lending(&self, runtime: &Runtime, devices: &[DeviceInfo]) -> Option<&Lending> {
        let decide = || {
            let all = self.cores_to_lend(runtime, units(devices))?;
            let (cores, workers) = (runtime.settings.cores, *runtime.settings.workers);
            let binds = cores >= 2 && !is_driver_bound(devices, all);
            let drivers = (binds.then(|| threads_of(devices)), devices.iter().all(is_cpu));
            Some(Lending::new(all, cores, workers, drivers))
        };
        self.lending.get_or_init(decide).as_ref()
    }

    /// The cores that workers and CPU devices with so many compute units share, if the devices are to have cores of the
    /// workers' at times.
    pub(crate) fn cores_to_lend(&self, runtime: &Runtime, units: usize) -> Option<&CoreSet> {
        let all = self.all.as_ref()?;
        let settings = &runtime.settings;
        if *settings.bind != Bind::Auto || !runtime.policy.shares_cores() {
            return None;
        }
        let (cores, workers) = (settings.cores, *settings.workers);
        let shares = Shares::new(all, cores, workers, settings.are_workers_fixed(), units);
        // Where there is room for all who are asked for, each side keeps its own.
        (units != 0 && cores::are_lent(shares.as_ref(), workers)).then_some(all)
    }

    /// The cores that CPU devices have of the workers' at times, if that was decided.
    pub(crate) fn lending(&self) -> Option<&Lending> {
        self.lending.get()?.as_ref()
    }

    /// Shares the cores out, for devices that will be used beside functions.
    pub(crate) fn decide(&self, runtime: &Runtime, devices: &[DeviceInfo]) -> Option<&Shares> {
        let decide = || {
            let all = self.all.as_ref()?;
            let settings = &runtime.settings;
            if *settings.bind == Bind::Off || is_driver_bound(devices, all) {
                return None;
            }
            let (cores, workers) = (settings.cores, *settings.workers);
            let is_fixed = settings.are_workers_fixed();
            Shares::new(all, cores, workers, is_fixed, units(devices))
        };
        self.shares.get_or_init(decide).as_ref()
    }

    /// Workers and devices go to their cores, if they have not done so.
    pub(crate) fn begin(&self, runtime: &'static Runtime, devices: &[DeviceInfo], used: &[OpenDevice]) {
        self.begun.get_or_init(|| {
            if !used.iter().any(|used| is_cpu(&used.info)) {
                return SharingResult::Shared;
            }
            let Some(shares) = self.decide(runtime, devices) else {
                return SharingResult::Shared;
            };
            let threads = threads_of(devices);
            for &thread in &threads {
                // One that has ended meanwhile needs no core. What the system refuses is seen at the end.
                let _ = shares.of_devices.bind(thread);
            }
            for used in used.iter().filter(|used| is_cpu(&used.info)) {
                let manager = used.manager.thread_number();
                let _ = shares.of_devices.bind(manager);
                // On its one core, a manager that goes first lengthens each kernel by what it does beside it.
                if shares.of_devices.count() == 1 {
                    let _ = cores::let_others_finish(manager);
                }
            }
            runtime.seats.limit_to(runtime, shares.workers);
            if runtime.seats.bind(&shares.of_workers) { SharingResult::Bound } else { SharingResult::Refused }
        });
    }

    /// The threads of drivers are there after the run, and may run anywhere then.
    pub(crate) fn end(&self) {
        if let (Some(all), Some(Some(shares))) = (&self.all, self.shares.get()) {
            device::move_opencl_threads(&shares.of_devices, all);
        }
    }

    /// Says which cores workers and devices have, each its own or all together: figures must be judged by that.
    /// Called at the end of the run, when OpenCL has started all its threads, and before the managers of the devices
    /// end: devices that kernels without a function have opened may get cores of their own later.
    pub(crate) fn remark(&self, runtime: &Runtime, used: &[OpenDevice]) {
        if !runtime.settings.is_reported() {
            return;
        }
        if let Some(lending) = self.lending() {
            let what = (names(used), lending.cores());
            return runtime.registry.remark(describe_lent(what, lending.so_far()));
        }
        match (self.begun.get(), self.shares.get()) {
            (Some(begun @ (SharingResult::Bound | SharingResult::Refused)), Some(Some(shares))) => {
                remark_own(*begun, shares, runtime, used);
            }
            _ => remark_shared(runtime, used),
        }
    }
}

/// Says which cores workers and devices have for themselves.
fn remark_own(begun: SharingResult, shares: &Shares, runtime: &Runtime, used: &[OpenDevice]) {
    let cpus = || used.iter().filter(|used| is_cpu(&used.info));
    let units: u64 = cpus().map(|used| u64::from(used.info.compute_units)).sum();
    // A device that computes on its manager's thread has no other.
    let of_managers = |used: &OpenDevice| {
        let cores = CoreSet::of_thread(used.manager.thread_number());
        used.whole_units == 1 && cores.is_ok_and(|cores| cores.is_within(&shares.of_devices))
    };
    let (threads, beyond) = device::count_opencl_threads_beyond(&shares.of_devices);
    let doubt = Doubt {
        refused: begun == SharingResult::Refused,
        untold: threads == 0 && !cpus().all(of_managers),
        threads,
        beyond,
    };
    let text = describe_own(shares, units, &names(used), doubt);
    runtime.registry.remark(text);
}

/// Says where devices and workers share cores, which no figure of either is without.
fn remark_shared(runtime: &Runtime, used: &[OpenDevice]) {
    let cores = runtime.settings.cores;
    let workers = runtime.workers();
    let cpus = used.iter().filter(|used| is_cpu(&used.info));
    let units: usize = cpus.map(|used| used.info.compute_units as usize).sum();
    if units == 0 || workers + units <= cores {
        return;
    }
    let advice = match *runtime.settings.bind {
        _ if cores < 2 => "which says little of either",
        Bind::Off => "for honest figures give each its own, which OCR_BIND=fixed does where there is a choice",
        Bind::Auto | Bind::Fixed | Bind::Cores => {
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

/// Says how much a device had of the cores of the workers: for how many seconds of a core, and how often workers stood
/// still.
fn describe_lent((devices, cores): (String, usize), (seconds, stood): (f64, u64)) -> String {
    let shared = counted(cores as u64, "core");
    let begin = format!("the device {devices} and the workers share {shared}, which are the workers'");
    if seconds == 0.0 {
        return format!("{begin}; the device had none, since no kernel ran");
    }
    let stood = match stood {
        0 => "no worker stood still for it".to_string(),
        stood => format!("workers stood still for it {}", counted(stood, "time")),
    };
    format!(
        "{begin}; the device had {seconds:.3} s of a core, and {stood}; OCR_BIND=fixed gives each side cores of its own"
    )
}

/// Why threads may run on cores that are not theirs.
#[derive(Clone, Copy, Default)]
struct Doubt {
    /// The system has refused to bind a worker.
    refused: bool,
    /// Which threads are the devices' is not known.
    untold: bool,
    /// How many threads OpenCL has.
    threads: usize,
    /// How many of those may run on other cores than those of the devices.
    beyond: usize,
}

/// Says which cores workers and the compute units of CPU devices have, and whether they have them for themselves.
fn describe_own(shares: &Shares, units: u64, devices: &str, doubt: Doubt) -> String {
    let who = format!(
        "{} ({}) and {} of the device {devices} ({})",
        counted(shares.workers as u64, "worker"),
        list(&shares.of_workers),
        counted(units, "compute unit"),
        list(&shares.of_devices),
    );
    let why = if doubt.refused {
        "the system refuses to bind threads".to_string()
    } else if doubt.untold {
        "which threads are the device's cannot be told".to_string()
    } else if doubt.beyond != 0 {
        format!(
            "of the {} of OpenCL {} may run on other cores, too",
            counted(doubt.threads as u64, "thread"),
            doubt.beyond
        )
    } else {
        let undivided = if units > shares.units as u64 {
            ", though the device is not divided, so that its compute units share theirs"
        } else {
            ""
        };
        return format!("{who} have cores of their own{undivided}; OCR_BIND=off has them share all");
    };
    format!(
        "{who} were to have cores of their own, but {why}: judge figures as those of a worker and a device that share \
         cores"
    )
}

/// The names of the CPU devices.
fn names(used: &[OpenDevice]) -> String {
    let cpus = used.iter().filter(|used| is_cpu(&used.info));
    let names: Vec<&str> = cpus.map(|used| used.info.name.as_str()).collect();
    names.join(" and ")
}

fn list(cores: &CoreSet) -> String {
    let what = if cores.count() == 1 { "core" } else { "cores" };
    format!("{what} {cores}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "asks the system")]
    fn cores_of_their_own_are_claimed_where_all_threads_are_bound() {
        let all = CoreSet::of_thread(0).expect("the system tells");
        let shares = Shares { workers: 1, units: 1, of_workers: all.clone(), of_devices: all };
        let none = Doubt { threads: 2, ..Doubt::default() };
        let text = describe_own(&shares, 1, "x", none);
        assert!(text.contains("have cores of their own; OCR_BIND=off"), "{text}");
        let undivided = describe_own(&shares, 2, "x", none);
        assert!(undivided.contains("2 compute units") && undivided.contains("not divided"), "{undivided}");
        let doubts = [
            (Doubt { refused: true, ..none }, "the system refuses"),
            (Doubt { untold: true, ..Doubt::default() }, "cannot be told"),
            (Doubt { beyond: 1, ..none }, "of the 2 threads of OpenCL 1 may"),
        ];
        for (doubt, why) in doubts {
            let text = describe_own(&shares, 1, "x", doubt);
            assert!(text.contains(why) && !text.contains("have cores of their own;"), "{text}");
        }
    }
}
