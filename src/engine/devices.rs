//! The OpenCL devices of a runtime: which are open, and which kernels they have. What is sent to them
//! for an EDT is in `launch.rs`.

use super::Runtime;
use super::context::Context;
use super::departure;
use super::end::fatal;
use super::launch::Answers;
use crate::config::DEFAULT_ORIGIN;
use crate::device::{
    self, BuildError, DeviceInfo, DeviceKind, DeviceManager, DeviceSettings, KernelSpec, List,
    LoaderState,
};
use crate::object::data_block::DataBlock;
use crate::object::edt::Edt;
use crate::object::guid::Guid;
use crate::object::place::{Place, PlaceSet};
use crate::object::template::{PARAM_UNK, TemplateView};
use crate::object::work::{Kernel, Missing, NdRangeFunction, Work};
use crate::report::counted;
use crate::text::Readable;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// The devices of a runtime.
#[derive(Default)]
pub struct Devices {
    plan: OnceLock<Plan>,
    open: OnceLock<Open>,
    /// Whether the program has asked for the devices, and so may name one in a hint.
    asked: AtomicBool,
    /// The devices on which kernels of EDTs have failed that have not run yet, and whether there are any.
    failed: Mutex<HashMap<Guid, PlaceSet>>,
    any_failed: AtomicBool,
}

/// Which devices are to be used, found out when the first kernel is added, or the program asks for them.
#[derive(Default)]
struct Plan {
    selected: Vec<DeviceInfo>,
    /// Used only where nothing is selected, and only by kernels that can run nowhere else.
    fallback: Vec<DeviceInfo>,
    /// Why nothing is selected.
    problem: Option<String>,
    /// Whether that is since this process was forked from one that has used OpenCL.
    is_forked: bool,
}

/// The devices in use; a device's position is its number in [`Place::device`].
struct Open {
    used: Vec<Used>,
    /// Devices that were to be used and could not be opened.
    problems: Vec<String>,
}

/// A device in use.
pub struct Used {
    /// What it is.
    pub info: DeviceInfo,
    manager: DeviceManager,
    /// Launches enqueued ahead. It orders nothing: policies that ask for the load take it as a guess.
    ahead: AtomicUsize,
}

/// A kernel to add to a template.
pub struct NewKernel<'a> {
    /// OpenCL C.
    pub source: &'a [u8],
    /// Build options, perhaps after `-ocr-device=cpu` or `-ocr-device=gpu`.
    pub options: &'a [u8],
    /// Its name in the source.
    pub name: &'a str,
    /// Makes the index space.
    pub range: Option<NdRangeFunction>,
    /// The slot whose block is passed on.
    pub result_slot: u32,
}

impl Devices {
    /// The devices in use, if a kernel has opened them, or the program has asked for them.
    pub fn in_use(&self) -> &[Used] {
        self.open.get().map_or(&[], |open| &open.used)
    }

    fn plan(&self, runtime: &Runtime) -> &Plan {
        (self.plan).get_or_init(|| runtime.signals.keep(|| Plan::new(runtime)))
    }

    /// The kernels of a template have got a C function beside them: where they can run nowhere since this process was forked,
    /// that is said.
    pub fn tell_forked(&self, runtime: &Runtime) {
        if let Some(plan) = self.plan.get().filter(|plan| plan.is_forked) {
            plan.remark_unused(runtime);
        }
    }

    /// The devices for a kernel, opened now if they are not yet. Where there is only a fallback, a kernel with a C
    /// function beside it has none, unless the program has asked for them ([`Devices::is_by_hint`]).
    fn open_for(&self, runtime: &'static Runtime, function: bool) -> Option<&Open> {
        let plan = self.plan(runtime);
        let wanted = match plan.selected.is_empty() {
            false => &plan.selected,
            true => &plan.fallback,
        };
        let unasked = self.is_by_hint(runtime, function) && !self.asked.load(Ordering::SeqCst);
        if wanted.is_empty() || unasked {
            return None;
        }
        Some(self.open.get_or_init(|| {
            let open = runtime.signals.keep(|| Open::new(runtime, wanted));
            open.remark_sharing(runtime);
            open
        }))
    }

    /// Whether EDTs that have a C function, or not, go to the devices only where a hint names one.
    fn is_by_hint(&self, runtime: &Runtime, function: bool) -> bool {
        function && (self.plan(runtime).selected.is_empty() || !runtime.policy.uses_devices())
    }

    /// The devices that have a kernel for an EDT and may run it.
    pub fn for_edt(&self, edt: &Edt) -> List<Place> {
        let devices = &edt.work().devices;
        let fits = |place: &&Place| match edt.explicit_range().map(|range| range.device) {
            None => edt.work().fits_without_range(**place),
            Some(u64::MAX) => true,
            Some(asked) => place.device_index() == Some(asked as usize),
        };
        devices.iter().filter(fits).copied().collect()
    }

    /// The kernel of an EDT has failed where it is placed: another device that has one, and on which it has not failed.
    pub(super) fn not_failed_on(&self, edt: &Edt) -> Option<Place> {
        let mut all = self.failed.lock();
        // Relaxed: the EDT goes to the other device behind this, and a wrong guess for another costs a look.
        self.any_failed.store(true, Ordering::Relaxed);
        let failed = all.entry(edt.guid()).or_default();
        failed.insert(edt.place.get());
        let fits = |place: &Place| !failed.contains(*place);
        self.for_edt(edt).into_iter().find(fits)
    }

    /// The kernel of an EDT has run, perhaps after it had failed elsewhere.
    pub(super) fn has_run(&self, edt: Guid) {
        if self.any_failed.load(Ordering::Relaxed) {
            self.failed.lock().remove(&edt);
        }
    }

    pub(super) fn used(&self, place: Place) -> &Used {
        match place
            .device_index()
            .and_then(|index| self.in_use().get(index))
        {
            Some(used) => used,
            None => unreachable!("{place} is not in use"),
        }
    }

    pub(super) fn manager(&self, place: Place) -> &DeviceManager {
        &self.used(place).manager
    }

    /// Launches that a device has accepted and not finished, but for those that were enqueued ahead: a
    /// chain is the same load with and without.
    pub fn load(&self, place: Place) -> usize {
        let used = self.used(place);
        let ahead = used.ahead.load(Ordering::Relaxed);
        used.manager.load().saturating_sub(ahead)
    }

    /// Has the devices forget a block that nobody uses any more; the last one frees it.
    pub fn forget(&self, block: &'static DataBlock, resident: PlaceSet) {
        {
            let mut locked = block.header.lock_pinned();
            locked.word = locked.word.with_count(resident.iter().count() as u32);
        }
        for place in resident.iter() {
            self.manager(place).forget(block);
        }
    }

    /// Waits for the launches that were sent. Devices take no others.
    pub fn end_launches(&self) {
        for used in self.in_use() {
            used.manager.end_launches();
        }
    }

    /// Ends all device managers, after what is in flight.
    pub fn stop(&self) {
        for used in self.in_use() {
            used.manager.stop();
        }
    }

    /// Why none of these kernels, with which nothing is wrong, can run.
    fn built_for_others(&self, edt: &Edt, kernels: &[Kernel]) -> String {
        let describe = |used: &Used| format!("{} ({})", used.info.name, used.info.kind);
        let asked = (edt.explicit_range())
            .and_then(|range| self.in_use().get(usize::try_from(range.device).ok()?));
        if let Some(asked) = asked {
            return format!(
                "no kernel of it was built for the device that was asked for, {}.",
                describe(asked)
            );
        }
        let only = |kernel: &Kernel| {
            let kind = match split_options(&kernel.options) {
                Ok((Some(DeviceKind::Cpu), _)) => "CPU devices only (-ocr-device=cpu)",
                Ok((Some(_), _)) => "GPUs and accelerators only (-ocr-device=gpu)",
                _ => "other devices",
            };
            format!("its kernel \"{}\" is for {kind}", kernel.name)
        };
        let only: Vec<String> = kernels.iter().map(only).collect();
        let used: Vec<String> = self.in_use().iter().map(describe).collect();
        let there = match &used[..] {
            [] => "no device is in use".to_string(),
            [one] => format!("the only device in use is {one}"),
            more => format!("the devices in use are {}", more.join(", ")),
        };
        format!(
            "{}; {there}. Leave -ocr-device away, or give the template a C function or a kernel for that device; `ocr \
             info` lists the devices, and OCR_DEVICES chooses among them.",
            only.join(", ")
        )
    }

    /// The message for an EDT that nothing can run.
    pub fn nothing_runs(&self, edt: &Edt) -> String {
        let work = edt.work();
        let mut text = format!(
            "EDT {} of template \"{}\" has no variant that can run here: it has no C function, and ",
            edt.guid(),
            work.name
        );
        text += &match (&work.missing[..], &work.kernels[..]) {
            ([], []) => "no kernel.".to_string(),
            ([], kernels) => self.built_for_others(edt, kernels),
            (missing, _) => {
                let lines: Vec<&str> = missing.iter().map(|why| &*why.text).collect();
                format!("its kernels cannot be used:\n{}", lines.join("\n"))
            }
        };
        text
    }
}

impl Plan {
    fn new(runtime: &Runtime) -> Plan {
        let settings = &runtime.settings;
        let mut plan = Plan::default();
        if settings.devices.value == device::Selection::None {
            plan.problem = Some(format!("no device is used ({})", settings.devices.origin));
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
            tell!("ocr: warning: {warning}.");
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

    /// Says why a kernel with a C function beside it has no device, where the user's settings let
    /// expect one.
    fn remark_unused(&self, runtime: &Runtime) {
        let (devices, sched) = (&runtime.settings.devices, &runtime.settings.sched);
        if devices.value == device::Selection::None
            || !runtime.policy.uses_devices() && !self.is_forked
        {
            return;
        }
        let why = self.problem.as_deref().unwrap_or(
            "a CPU device is used only for kernels without a C function, and where a hint names it; set \
             OCR_DEVICES=all to use it for others",
        );
        let asked = devices.origin != DEFAULT_ORIGIN || sched.origin != DEFAULT_ORIGIN;
        let text = format!("kernels that have a C function beside them run as functions: {why}");
        match asked || self.is_forked {
            true => runtime.registry.note_once(text),
            false => runtime.registry.remark(text),
        }
    }
}

impl Open {
    fn new(runtime: &'static Runtime, wanted: &[DeviceInfo]) -> Open {
        let mut open = Open {
            used: Vec::new(),
            problems: Vec::new(),
        };
        let answers = Arc::new(Answers(runtime));
        for info in wanted {
            let place = Place::device(open.used.len());
            let settings = DeviceSettings {
                memory_limit: *runtime.settings.device_memory,
                force_copies: *runtime.settings.device_copies,
                ..DeviceSettings::default()
            };
            match DeviceManager::start(info, place, settings, answers.clone()) {
                Ok(manager) => open.used.push(Used {
                    info: info.clone(),
                    manager,
                    ahead: AtomicUsize::new(0),
                }),
                Err(error) => open.problems.push(error.to_string()),
            }
        }
        open
    }

    /// Says where devices and workers share cores, which no figure of either is without.
    fn remark_sharing(&self, runtime: &Runtime) {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let workers = runtime.queues.workers();
        let cpus = self.used.iter().map(|used| &used.info);
        let cpus: Vec<_> = (cpus.filter(|info| info.kind == DeviceKind::Cpu)).collect();
        let units: usize = cpus.iter().map(|info| info.compute_units as usize).sum();
        if units == 0 || workers + units <= cores {
            return;
        }
        let names: Vec<_> = cpus.iter().map(|info| info.name.as_str()).collect();
        runtime.registry.remark(format!(
            "{} and {} of the device {} share {}; for honest figures give each its own, for instance with OCR_WORKERS \
             and, for PoCL, POCL_MAX_PTHREAD_COUNT",
            counted(workers as u64, "worker"),
            counted(units as u64, "compute unit"),
            names.join(" and "),
            counted(cores as u64, "core"),
        ));
    }
}

impl Used {
    /// What it has done.
    pub fn counters(&self) -> device::Counters {
        self.manager.counters()
    }

    /// One more is enqueued ahead.
    pub(super) fn begin_ahead(&self) {
        self.ahead.fetch_add(1, Ordering::Relaxed);
    }

    /// The one that it was enqueued behind has ended.
    pub(super) fn end_ahead(&self) {
        self.ahead.fetch_sub(1, Ordering::Relaxed);
    }

    fn suits(&self, wanted: Option<DeviceKind>) -> bool {
        match wanted {
            None => true,
            Some(DeviceKind::Cpu) => self.info.kind == DeviceKind::Cpu,
            Some(_) => self.info.kind != DeviceKind::Cpu,
        }
    }
}

/// Takes `-ocr-device=` from the front of build options.
fn split_options(options: &[u8]) -> Result<(Option<DeviceKind>, &[u8]), String> {
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

impl Context {
    /// The devices that kernels may run on, for a program that asks. Where EDTs with a C function have had none, as it is
    /// with a fallback, the kernels of the templates that there are get them now.
    pub fn ask_for_devices(&mut self) -> &'static [Used] {
        let runtime = self.runtime;
        let devices = &runtime.devices;
        if self.is_manager {
            // Its thread is the one that builds.
            return devices.in_use();
        }
        let asked = devices.asked.swap(true, Ordering::SeqCst);
        let Some(open) = devices.open_for(runtime, false) else {
            return &[];
        };
        if !asked && devices.is_by_hint(runtime, true) {
            let templates = &runtime.objects.templates;
            let all: Vec<Guid> = templates.live().collect();
            for template in all {
                // One that is destroyed meanwhile needs none.
                let _ = templates.change(template, |view| self.build_late(view).ok_or(()));
            }
        }
        &open.used
    }

    /// The work of a template whose kernels had no device when they were added, with these built.
    fn build_late(&self, view: TemplateView) -> Option<&'static Work> {
        let mut work = view.work.clone();
        let without = |kernel: &Kernel| kernel.built.is_empty();
        if work.function.is_none() || !work.kernels.iter().any(without) {
            return None;
        }
        let mut kernels = std::mem::take(&mut work.kernels);
        for kernel in kernels.iter_mut().filter(|kernel| without(kernel)) {
            let failures = self.build_everywhere(kernel, view, &mut work);
            self.tell_failures(&failures, kernel, &mut work);
        }
        work.kernels = kernels;
        Some(self.runtime.objects.works.intern(work))
    }

    /// Adds a kernel variant: what EDTs of this template that are created from now on do. On
    /// failure the message has been printed, and the work says why the kernel is missing.
    pub fn add_kernel(&mut self, view: TemplateView, new: &NewKernel<'_>) -> (&'static Work, bool) {
        let mut work = view.work.clone();
        let mut kernel = Kernel {
            source: new.source.into(),
            options: new.options.to_vec(),
            name: new.name.to_string(),
            range: new.range,
            result_slot: new.result_slot,
            built: Vec::new(),
        };
        let mut failures = self.build_everywhere(&mut kernel, view, &mut work);
        if work.kernels.len() > u8::MAX as usize {
            failures.push(Missing::anywhere(
                "a template has at most 256 kernels".into(),
            ));
            kernel.built.clear();
        }
        let devices = &self.runtime.devices;
        // What a device cannot build that nothing but a hint asks for does not keep the template from its function.
        let by_hint = devices.is_by_hint(self.runtime, work.function.is_some())
            && split_options(new.options).is_ok()
            && work.kernels.len() <= u8::MAX as usize;
        let built = !kernel.built.is_empty() || failures.is_empty() || by_hint;
        self.tell_failures(&failures, &kernel, &mut work);
        // One that was refused everywhere is no variant; one for which there is no device may be.
        if built {
            work.kernels.push(kernel);
        }
        (self.runtime.objects.works.intern(work), built)
    }

    /// Builds a kernel of this work for the devices that it may have. What has failed.
    fn build_everywhere(
        &self,
        kernel: &mut Kernel,
        view: TemplateView,
        work: &mut Work,
    ) -> Vec<Missing> {
        let runtime = self.runtime;
        let (wanted, options) = match split_options(&kernel.options) {
            Ok(split) => split,
            Err(message) => return vec![Missing::anywhere(message)],
        };
        let spec = KernelSpec {
            source: kernel.source.clone(),
            options: options.to_vec(),
            kernel: kernel.name.clone(),
        };
        let function = work.function.is_some();
        let by_hint = runtime.devices.is_by_hint(runtime, function);
        if by_hint {
            runtime.devices.plan(runtime).remark_unused(runtime);
        }
        let Some(open) = runtime.devices.open_for(runtime, function) else {
            let plan = runtime.devices.plan(runtime);
            (work.missing).extend(plan.problem.clone().map(Missing::here));
            return Vec::new();
        };
        let mut failures = Vec::new();
        for (number, used) in open.used.iter().enumerate() {
            if !used.suits(wanted) {
                continue;
            }
            match build(used, &spec, view) {
                Ok(id) => kernel.built.push((Place::device(number), id)),
                Err(failure) => failures.push(failure),
            }
        }
        (work.missing).extend(open.problems.iter().cloned().map(Missing::here));
        let places = kernel.built.iter().map(|&(place, _)| place);
        for place in places.filter(|_| !by_hint) {
            if !work.devices.contains(&place) {
                work.devices.push(place);
            }
        }
        failures
    }

    fn tell_failures(&self, failures: &[Missing], kernel: &Kernel, work: &mut Work) {
        for Missing { text, anywhere } in failures {
            let message = format!(
                "the kernel \"{}\" of template \"{}\" cannot be used: {text}",
                kernel.name, work.name
            );
            tell!("ocr: warning: {message}");
            self.runtime.registry.remark(message.clone());
            work.missing.push(Missing {
                text: message,
                anywhere: *anywhere,
            });
        }
    }
}

fn build(used: &Used, spec: &KernelSpec, view: TemplateView) -> Result<usize, Missing> {
    // Which kernels a source has, and what arguments, may depend on the device by `#if` alone.
    let conditional = |line: &[u8]| {
        line.trim_ascii_start()
            .strip_prefix(b"#")
            .is_some_and(|rest| rest.trim_ascii_start().starts_with(b"if"))
    };
    let everywhere = !spec.source.split(|&byte| byte == b'\n').any(conditional);
    departure::check_fork("adding a kernel");
    let kernel = used.manager.build(spec).map_err(|error| Missing {
        text: error.to_string(),
        anywhere: everywhere && matches!(error, BuildError::NoSuchKernel { .. }),
    })?;
    if view.paramc != PARAM_UNK && view.depc != PARAM_UNK {
        let (paramc, depc) = (view.paramc as usize, view.depc as usize);
        // The last pre-slots may be there to order alone, and need no arguments: each launch looks whether they are.
        let fits = kernel.signature.check_slots(paramc, 0, depc);
        fits.map_err(|text| Missing {
            text,
            anywhere: everywhere,
        })?;
    }
    Ok(kernel.id)
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
