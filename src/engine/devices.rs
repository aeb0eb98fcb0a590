//! The engine's side of the OpenCL devices: which are open, what is sent to them, and what follows
//! when they answer.

use super::context::Context;
use super::end::fatal;
use super::{Runtime, threads_of_process};
use crate::config::{DEFAULT_ORIGIN, Settings};
use crate::device::{
    self, BlockArg, DeviceError, DeviceInfo, DeviceKind, DeviceManager, DeviceSettings, Events,
    FetchReport, KernelSpec, Launch, LaunchError, LaunchReport,
};
use crate::object::data_block::DataBlock;
use crate::object::edt::{Edt, EdtRef};
use crate::object::guid::Guid;
use crate::object::place::{Place, PlaceSet};
use crate::object::template::TemplateView;
use crate::object::work::{Kernel, NdRange, NdRangeFunction, Work};
use std::sync::{Arc, OnceLock};

/// A device of the first free place gets another EDT while it has fewer launches than this: one to
/// run in each of its queues, and one to follow without a gap.
const ROOM: usize = 4;

/// `OCR_NO_RESULT`.
pub const NO_RESULT: u32 = u32::MAX;

/// The devices of a runtime.
#[derive(Default)]
pub struct Devices(OnceLock<Open>);

/// The devices in use; a device's position is its number in [`Place::device`].
pub struct Open {
    used: Vec<Used>,
    /// Devices that were to be used and could not be opened.
    problems: Vec<String>,
    /// Threads that opening them has started: the managers', and those of OpenCL.
    threads: usize,
}

/// A device in use.
pub struct Used {
    /// What it is.
    pub info: DeviceInfo,
    manager: DeviceManager,
    /// Used only by kernels that can run nowhere else.
    fallback: bool,
}

/// A kernel to add to a template.
pub struct NewKernel<'a> {
    /// OpenCL C.
    pub source: &'a str,
    /// Build options, perhaps after `-ocr-device=cpu` or `-ocr-device=gpu`.
    pub options: &'a str,
    /// Its name in the source.
    pub name: &'a str,
    /// Makes the index space.
    pub range: Option<NdRangeFunction>,
    /// The slot whose block is passed on.
    pub result_slot: u32,
}

impl Devices {
    /// The devices in use, if a kernel has opened them.
    pub fn in_use(&self) -> &[Used] {
        self.0.get().map_or(&[], |open| &open.used)
    }

    /// Threads that belong to the devices.
    pub fn threads(&self) -> usize {
        self.0.get().map_or(0, |open| open.threads)
    }

    fn open(&self, runtime: &'static Runtime) -> &Open {
        self.0.get_or_init(|| {
            let before = threads_of_process();
            let mut open = Open::new(runtime, &runtime.settings);
            let started = threads_of_process()
                .zip(before)
                .map(|(after, before)| after - before);
            open.threads = started.unwrap_or(0);
            open.remark_sharing(runtime);
            open
        })
    }

    /// The devices that have a kernel for an EDT and may run it.
    pub fn for_edt(&self, edt: &Edt) -> Vec<Place> {
        let devices = &edt.work().devices;
        match edt.explicit_range().map(|range| range.device) {
            Some(asked) if asked != u64::MAX => devices
                .iter()
                .copied()
                .filter(|place| place.device_index() == Some(asked as usize))
                .collect(),
            _ => devices.clone(),
        }
    }

    fn manager(&self, place: Place) -> &DeviceManager {
        match place
            .device_index()
            .and_then(|index| self.in_use().get(index))
        {
            Some(used) => &used.manager,
            None => unreachable!("{place} is not in use"),
        }
    }

    /// Launches that a device has accepted and not finished.
    pub fn load(&self, place: Place) -> usize {
        self.manager(place).load()
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

    /// Ends all device managers, after what is in flight.
    pub fn stop(&self) {
        for used in self.in_use() {
            used.manager.stop();
        }
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
            ([], _) => "its kernel was built for other devices than the one asked for.".into(),
            (missing, _) => format!("its kernels cannot be used:\n{}", missing.join("\n")),
        };
        text
    }
}

impl Open {
    fn new(runtime: &'static Runtime, settings: &Settings) -> Open {
        use device::Selection;
        let mut open = Open {
            used: Vec::new(),
            problems: Vec::new(),
            threads: 0,
        };
        if *settings.devices == Selection::None {
            open.problems
                .push(format!("no device is used ({})", settings.devices.origin));
            return open;
        }
        let inventory = device::discover();
        let (selected, fallback) = match inventory.select(&settings.devices) {
            Ok(selected) if selected.is_empty() => {
                (Vec::new(), inventory.fallback(&settings.devices))
            }
            Ok(selected) => (selected, Vec::new()),
            Err(message) => {
                open.problems
                    .push(format!("{}: {message}", settings.devices.origin));
                return open;
            }
        };
        if selected.is_empty() && fallback.is_empty() {
            open.problems.push(inventory.explain_absence());
        }
        let answers = Arc::new(Answers(runtime));
        for (index, fallback) in selected
            .iter()
            .map(|&i| (i, false))
            .chain(fallback.iter().map(|&i| (i, true)))
        {
            if open.used.len() == Place::MAX_DEVICES {
                break;
            }
            let info = inventory.devices[index].clone();
            let place = Place::device(open.used.len());
            let device_settings = DeviceSettings {
                memory_limit: *settings.device_memory,
                force_copies: *settings.device_copies,
                ..DeviceSettings::default()
            };
            match DeviceManager::start(&info, place, device_settings, answers.clone()) {
                Ok(manager) => open.used.push(Used {
                    info,
                    manager,
                    fallback,
                }),
                Err(error) => open.problems.push(error.to_string()),
            }
        }
        open
    }
}

impl Open {
    /// Says why a kernel with a C function beside it has no device, where the user's settings let
    /// expect one.
    fn remark_unused(&self, runtime: &Runtime) {
        let (devices, sched) = (&runtime.settings.devices, &runtime.settings.sched);
        if devices.value == device::Selection::None || sched.as_str() == "cpu" {
            return;
        }
        let fallback = self.used.iter().any(|used| used.fallback);
        if !fallback && !self.used.is_empty() {
            // There are devices; this kernel is for another kind.
            return;
        }
        let why = match fallback {
            true => "a CPU device is used only for kernels without a C function; set \
                     OCR_DEVICES=all to use it for others"
                .to_string(),
            false => self.problems.join("; "),
        };
        let asked = devices.origin != DEFAULT_ORIGIN || sched.origin != DEFAULT_ORIGIN;
        let text = format!("kernels that have a C function beside them run as functions: {why}");
        match asked {
            true => runtime.registry.note_once(text),
            false => runtime.registry.remark(text),
        }
    }

    /// Says where devices and workers share cores, which no figure of either is without.
    fn remark_sharing(&self, runtime: &Runtime) {
        let workers = runtime.queues.workers();
        for used in self
            .used
            .iter()
            .filter(|used| used.info.kind == DeviceKind::Cpu)
        {
            runtime.registry.remark(format!(
                "the device {} ({} compute units) runs on the cores of the {workers} workers; for \
                 honest figures give each its own, for instance with OCR_WORKERS and, for PoCL, \
                 POCL_MAX_PTHREAD_COUNT",
                used.info.name, used.info.compute_units
            ));
        }
    }
}

impl Used {
    /// What it has done.
    pub fn counters(&self) -> device::Counters {
        self.manager.counters()
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
fn split_options(options: &str) -> Result<(Option<DeviceKind>, &str), String> {
    let options = options.trim();
    let Some(rest) = options.strip_prefix("-ocr-device=") else {
        return Ok((None, options));
    };
    let (kind, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    match kind {
        "cpu" => Ok((Some(DeviceKind::Cpu), rest.trim())),
        "gpu" => Ok((Some(DeviceKind::Gpu), rest.trim())),
        _ => Err(format!("-ocr-device={kind}: it must be cpu or gpu")),
    }
}

impl Context {
    /// Adds a kernel variant: what EDTs of this template that are created from now on do. On
    /// failure the message has been printed, and the work says why the kernel is missing.
    pub fn add_kernel(&mut self, view: TemplateView, new: &NewKernel<'_>) -> (&'static Work, bool) {
        let runtime = self.runtime;
        let mut work = view.work.clone();
        let mut kernel = Kernel {
            source: new.source.into(),
            options: new.options.to_string(),
            name: new.name.to_string(),
            range: new.range,
            result_slot: new.result_slot,
            built: Vec::new(),
        };
        let mut failures = Vec::new();
        match split_options(new.options) {
            Err(message) => failures.push(message),
            Ok((wanted, options)) => {
                let open = runtime.devices.open(runtime);
                let spec = KernelSpec {
                    source: kernel.source.clone(),
                    options: options.to_string(),
                    kernel: kernel.name.clone(),
                };
                for (number, used) in open.used.iter().enumerate() {
                    if !used.suits(wanted) || used.fallback && work.function.is_some() {
                        continue;
                    }
                    match build(used, &spec, view) {
                        Ok(id) => kernel.built.push((Place::device(number), id)),
                        Err(message) => failures.push(message),
                    }
                }
                if kernel.built.is_empty() && failures.is_empty() {
                    work.missing.extend(open.problems.iter().cloned());
                    open.remark_unused(runtime);
                }
            }
        }
        let built = !kernel.built.is_empty() || failures.is_empty();
        for failure in &failures {
            let message = format!(
                "the kernel \"{}\" of template \"{}\" cannot be used: {failure}",
                kernel.name, work.name
            );
            eprintln!("ocr: warning: {message}");
            work.missing.push(message);
        }
        for &(place, _) in &kernel.built {
            if !work.devices.contains(&place) {
                work.devices.push(place);
            }
        }
        // One that was refused everywhere is no variant; one for which there is no device may be.
        if built {
            work.kernels.push(kernel);
        }
        (runtime.objects.works.intern(work), built)
    }

    /// Brings the blocks of an EDT to where it runs, as far as they are not there. The last answer
    /// makes the EDT ready.
    pub fn bring_blocks(&mut self, edt: &'static Edt) {
        let place = edt.place.get();
        let mut needed = Vec::new();
        for (_, slot) in edt.blocks() {
            let block = self.runtime.objects.data_blocks.pinned(slot.data());
            let (valid, host_ready) = {
                let copies = block.copies();
                (copies.valid, copies.host_ready())
            };
            let fetch = match place {
                Place::HOST if host_ready => false,
                Place::HOST => {
                    if let Err(error) = block.host_memory() {
                        fatal(&format!(
                            "EDT {} ({}) needs the data block {}, but there is {error}.",
                            edt.guid(),
                            edt.work().name,
                            block.guid(),
                        ));
                    }
                    !valid.is_empty() && !valid.contains(Place::HOST)
                }
                device => {
                    !valid.is_empty() && !valid.contains(device) && !valid.contains(Place::HOST)
                }
            };
            if fetch && let Some(from) = valid.iter().next() {
                needed.push((block, from));
            }
        }
        if needed.is_empty() {
            self.ready(edt);
            return;
        }
        {
            let mut locked = edt.header.lock_pinned();
            locked.word = locked.word.with_count(needed.len() as u32);
        }
        let token = EdtRef::new(edt).token();
        for (block, from) in needed {
            self.runtime.begin_outside();
            self.runtime.devices.manager(from).fetch(block, token);
        }
    }

    /// Step 6, on a device: hands the EDT's kernel to the device's manager.
    pub fn launch(&mut self, edt: &'static Edt) {
        if self.runtime.end.is_ending() {
            return;
        }
        let place = edt.place.get();
        let Some((variant, kernel)) = edt.work().kernel_on(place) else {
            fatal(&self.runtime.devices.nothing_runs(edt));
        };
        edt.variant.set(variant as u8);
        let blocks: Vec<Option<BlockArg>> = edt
            .slots()
            .iter()
            .map(|slot| {
                let data = slot.data();
                (!data.is_null()).then(|| BlockArg {
                    block: self.runtime.objects.data_blocks.pinned(data),
                    writes: slot.info().mode.writes(),
                })
            })
            .collect();
        let range = range_of(edt, variant, &blocks);
        self.runtime.begin_outside();
        self.runtime.devices.manager(place).launch(Launch {
            token: EdtRef::new(edt).token(),
            kernel,
            range,
            params: edt.params().to_vec(),
            blocks,
        });
    }

    /// Gives devices that have room EDTs of the pool.
    pub fn feed_devices(&mut self) {
        for number in 0..self.runtime.devices.in_use().len() {
            let place = Place::device(number);
            while self.runtime.devices.load(place) < ROOM {
                let Some(edt) = self.runtime.queues.take_from_pool() else {
                    return;
                };
                if self.runtime.devices.for_edt(edt.get()).contains(&place) {
                    self.place_at(edt.get(), place);
                } else {
                    // For another device, or a worker.
                    self.runtime.queues.pool.push(edt);
                    self.queued = true;
                    break;
                }
            }
        }
    }

    fn launched(&mut self, edt: &'static Edt, result: Result<LaunchReport, Box<LaunchError>>) {
        if self.runtime.end.is_ending() {
            return;
        }
        match result {
            Ok(_) => {
                self.tally.kernel_edts.add(1);
                let kernel = &edt.work().kernels[edt.variant.get() as usize];
                let slot = edt.slots().get(kernel.result_slot as usize);
                self.finish(edt, slot.map_or(Guid::NULL, |slot| slot.data()));
            }
            Err(error) if error.inputs_intact && edt.work().function.is_some() => {
                self.runtime.registry.note(format!(
                    "EDT {} of template \"{}\" ran its C function, since {error}",
                    edt.guid(),
                    edt.work().name
                ));
                self.fall_back(edt);
            }
            Err(error) => {
                let intact = match (error.inputs_intact, edt.work().function.is_some()) {
                    (true, _) => "the template has no C function to run instead",
                    (false, true) => "its data may be half written, so its C function cannot run",
                    (false, false) => "its data may be half written",
                };
                fatal(&format!(
                    "EDT {} of template \"{}\": {error}; {intact}.",
                    edt.guid(),
                    edt.work().name
                ));
            }
        }
        self.feed_devices();
        self.work_off();
    }

    fn fetched(&mut self, edt: &'static Edt) {
        let left = edt.header.lock_pinned().count_down();
        if left != 0 || self.runtime.end.is_ending() {
            return;
        }
        match edt.place.get() {
            Place::HOST => self.ready(edt),
            // A writer may have made the host's copy old meanwhile: look again.
            _ => self.bring_blocks(edt),
        }
        self.work_off();
    }
}

fn build(used: &Used, spec: &KernelSpec, view: TemplateView) -> Result<usize, String> {
    let kernel = used
        .manager
        .build(spec)
        .map_err(|error| error.to_string())?;
    let unknown = super::create::PARAM_UNK;
    if view.paramc != unknown && view.depc != unknown {
        kernel
            .signature
            .check(view.paramc as usize, view.depc as usize)?;
    }
    Ok(kernel.id)
}

/// The index space of an EDT: given at creation, or made by the template's function.
fn range_of(edt: &Edt, variant: usize, blocks: &[Option<BlockArg>]) -> device::NdRange {
    let mut range = NdRange::default();
    if let Some(given) = edt.explicit_range() {
        range.work_dim = given.work_dim as u32;
        range.global_offset = given.offset.map(|n| n as usize);
        range.global_size = given.global.map(|n| n as usize);
        range.local_size = given.local.map(|n| n as usize);
    } else if let Some(function) = edt.work().kernels[variant].range {
        let sizes: Vec<u64> = blocks
            .iter()
            .map(|arg| arg.as_ref().map_or(0, |arg| arg.block.size()))
            .collect();
        let (paramc, depc) = (edt.paramc.get(), edt.depc.get());
        // SAFETY: the program's function gets what `ocrNdRangeFn_t` promises.
        unsafe {
            function(
                paramc,
                edt.params().as_ptr(),
                depc,
                sizes.as_ptr(),
                &mut range,
            )
        };
    }
    if !(1..=3).contains(&range.work_dim) {
        fatal(&format!(
            "EDT {} of template \"{}\": its index space has {} dimensions; it must have 1 to 3. \
             Set workDim in the template's range function, or pass work_dim to \
             ocrOpenclTaskCreate.",
            edt.guid(),
            edt.work().name,
            range.work_dim
        ));
    }
    device::NdRange {
        work_dim: range.work_dim,
        offset: range.global_offset,
        global: range.global_size,
        local: (range.local_size[0] != 0).then_some(range.local_size),
    }
}

/// What a device manager tells the engine, on the manager's thread.
struct Answers(&'static Runtime);

impl Answers {
    /// Works on this thread's context, and counts the work that was answered out afterwards.
    fn with_context(&self, counted: bool, f: impl FnOnce(&mut Context)) {
        if let Some(context) = Context::get() {
            // SAFETY: the context is this thread's, and answers do not nest.
            f(unsafe { &mut *context });
        }
        if counted {
            self.0.end_outside();
        }
    }
}

fn edt_of(token: usize) -> &'static Edt {
    // SAFETY: the manager answers each token once, and it was made by `token`.
    unsafe { EdtRef::from_token(token) }.get()
}

impl Events for Answers {
    fn launched(&self, token: usize, result: Result<LaunchReport, Box<LaunchError>>) {
        self.with_context(true, |context| context.launched(edt_of(token), result));
    }

    fn fetched(&self, token: usize, result: Result<FetchReport, DeviceError>) {
        let edt = edt_of(token);
        if let Err(error) = result
            && !self.0.end.is_ending()
        {
            fatal(&format!(
                "EDT {} of template \"{}\" cannot get its data: {error}",
                edt.guid(),
                edt.work().name
            ));
        }
        self.with_context(true, |context| context.fetched(edt));
    }

    fn forgotten(&self, block: &'static DataBlock) {
        let left = block.header.lock_pinned().count_down();
        if left == 0 {
            self.with_context(false, |context| {
                let runtime = context.runtime;
                runtime
                    .objects
                    .data_blocks
                    .free(&mut context.caches.data_blocks, block);
            });
        }
    }
}
