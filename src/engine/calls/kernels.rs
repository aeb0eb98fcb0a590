//! Kernels are added to templates, and built for each device in use.

use crate::device::{BuildError, KernelSpec};
use crate::engine::devices::options::split_options;
use crate::engine::devices::unused::add_missing;
use crate::engine::nodes::outbox;
use crate::engine::state::context::Context;
use crate::engine::state::devices::OpenDevice;
use crate::engine::state::fork;
use crate::engine::state::loader;
use crate::engine::state::runtime::Runtime;
use crate::object::code::{Code, Kernel, KernelBlame, KernelError, NO_RESULT, NdRangeFunction};
use crate::object::guid::Guid;
use crate::object::template::{PARAM_UNK, TemplateView};
use crate::trace::events::{self, OpenClWait};
use ocr_base::text::Counted;
use ocr_place::place::Place;
use std::sync::atomic::Ordering;

/// A kernel to add to a template.
pub(crate) struct NewKernel<'a> {
    /// The source, in OpenCL C.
    pub source: &'a [u8],
    /// Build options, perhaps after `-ocr-device=cpu` or `-ocr-device=gpu`.
    pub options: &'a [u8],
    /// Its name in the source.
    pub name: &'a str,
    /// The program's function that makes the index space of each launch; none if each EDT has its own.
    pub range: Option<NdRangeFunction>,
    /// The slot whose block is passed on, or [`NO_RESULT`].
    pub result_slot: u32,
}

/// What became of a kernel that was added.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Added {
    /// It is a variant.
    Usable,
    /// It is one when the devices are open ([`Runtime::is_left`] is to be called).
    Left,
    /// It is none.
    Refused,
}

impl Context {
    /// The devices that kernels may run on, for a program that asks. Where EDTs with a C function have had none, as it
    /// is with a fallback, the kernels of the templates that there are get them now.
    pub(crate) fn ask_for_devices(&mut self) -> &'static [OpenDevice] {
        let runtime = self.runtime;
        let devices = &runtime.devices;
        if self.is_manager {
            // A manager's thread is the one that builds.
            return devices.in_use();
        }
        // What is found now may be other devices than those of an earlier run, by which kernels were added.
        let by_hint = devices.is_by_hint(runtime, true);
        let asked = devices.asked.swap(true, Ordering::SeqCst);
        let Some(open) = devices.open_for(runtime, false) else {
            return &[];
        };
        runtime.build_left();
        if !asked && by_hint {
            runtime.build_for_all_templates();
        }
        &open.used
    }

    /// Adds a kernel variant: what EDTs of this template that are created from now on do. On
    /// failure the message has been printed, and the work says why the kernel is missing.
    pub(crate) fn add_kernel(&self, view: TemplateView, new: &NewKernel<'_>) -> (&'static Code, Added) {
        let mut work = view.work.clone();
        let mut kernel = Kernel {
            source: new.source.into(),
            options: new.options.to_vec(),
            name: new.name.to_string(),
            range: new.range,
            result_slot: new.result_slot,
            built: Vec::new(),
        };
        let wrong_slot = new.result_slot != NO_RESULT && new.result_slot >= view.depc;
        let is_left = !wrong_slot && work.kernels.len() <= u8::MAX as usize && self.runtime.puts_off(&work, &kernel);
        let failures = if is_left {
            Vec::new()
        } else if wrong_slot {
            vec![KernelError::anywhere(format!(
                "resultSlot is {}, but the template has {}; slots count from 0",
                new.result_slot,
                Counted(u64::from(view.depc), "pre-slot")
            ))]
        } else if work.kernels.len() > u8::MAX as usize {
            vec![KernelError::anywhere("a template has at most 256 kernels".into())]
        } else {
            self.runtime.build_everywhere(&mut kernel, view, &mut work)
        };
        let devices = &self.runtime.devices;
        // What a device cannot build that nothing but a hint asks for does not keep the template from its function.
        let by_hint = !wrong_slot
            && devices.is_by_hint(self.runtime, work.function.is_some())
            && split_options(new.options).is_ok()
            && work.kernels.len() <= u8::MAX as usize;
        // A device that refuses calls has no kernel then, as where there is no device, and the function runs.
        let by_device = work.function.is_some() && failures.iter().all(|why| why.blame == KernelBlame::Device);
        let built = !kernel.built.is_empty() || failures.is_empty() || by_hint || by_device;
        self.runtime.warn_of_failures(&failures, &kernel, &mut work);
        let is_new = |&(place, _): &(Place, usize)| !view.work.devices.contains(&place);
        if !by_hint && kernel.built.iter().any(is_new) && self.has_edts_of(view.work) {
            devices.remark_late(self.runtime, &work.name.to_string(), &kernel.name);
        }
        // One that was refused everywhere is no variant; one for which there is no device may be.
        if built {
            work.kernels.push(kernel);
        }
        let added = match (is_left, built) {
            (true, _) => Added::Left,
            (false, true) => Added::Usable,
            (false, false) => Added::Refused,
        };
        (self.runtime.intern_with_kernels(work, is_left), added)
    }

    /// Whether an EDT with this work has been created and has not ended. Not all are looked at where there are very
    /// many.
    fn has_edts_of(&self, work: &'static Code) -> bool {
        const LOOKS: usize = 10_000;
        let edts = &self.runtime.objects.edts;
        let mut some = edts.live().take(LOOKS).filter_map(|(guid, _)| edts.lock(guid));
        some.any(|(edt, _locked)| std::ptr::eq(edt.work(), work))
    }

    /// Tells the devices that a template of this work is gone.
    pub(crate) fn release_kernels(&self, work: &Code) {
        for &(place, id) in work.kernels.iter().flat_map(|kernel| &kernel.built) {
            self.runtime.devices.manager(place).release(id);
        }
    }

    /// Tells the devices that nobody has the kernels which were built for this work, and which the template has not by
    /// now: another thread has changed it meanwhile, or has destroyed it.
    pub(crate) fn release_new(&self, view: TemplateView, work: &Code) {
        for (number, kernel) in work.kernels.iter().enumerate() {
            let before = view.work.kernels.get(number).map_or(&[][..], |before| &before.built);
            for &(place, id) in kernel.built.iter().filter(|built| !before.contains(built)) {
                self.runtime.devices.manager(place).release(id);
            }
        }
    }
}

impl Runtime {
    /// Builds kernels that had no device when they were added, for the templates that there are.
    pub(crate) fn build_for_all_templates(&'static self) {
        let templates = &self.objects.templates;
        let all: Vec<Guid> = templates.live().collect();
        for template in all {
            // One that is destroyed meanwhile needs none. What comes to nothing since the template has changed
            // meanwhile is kept: EDTs of the work before may run it.
            let _ = templates.change(template, |view| self.build_late(view).ok_or(()), |_, _| {});
        }
    }

    /// A work that a checkpoint has, with its kernels built for the devices of this run.
    pub(crate) fn restored_work(&'static self, mut work: Code) -> &'static Code {
        let kernels = std::mem::take(&mut work.kernels);
        let view = self.template(work.clone(), PARAM_UNK, PARAM_UNK);
        for mut kernel in kernels {
            let failures = self.build_everywhere(&mut kernel, view, &mut work);
            self.warn_of_failures(&failures, &kernel, &mut work);
            work.kernels.push(kernel);
        }
        self.intern_with_kernels(work, false)
    }

    /// Builds the kernels of all templates that a checkpoint has once more: a device counts for each template, and that
    /// lets them go when it is destroyed.
    pub(crate) fn count_restored_kernels(&'static self) {
        let templates = &self.objects.templates;
        for view in templates.live().filter_map(|template| templates.view(template)) {
            for kernel in &view.work.kernels {
                let _ = self.build_everywhere(
                    &mut Kernel { built: Vec::new(), ..kernel.clone() },
                    view,
                    &mut view.work.clone(),
                );
            }
        }
    }

    /// The work of a template whose kernels had no device when they were added, with these built.
    fn build_late(&'static self, view: TemplateView) -> Option<&'static Code> {
        let mut work = view.work.clone();
        let without = |kernel: &Kernel| kernel.built.is_empty();
        if work.function.is_none() || !work.kernels.iter().any(without) || loader::why_no_devices().is_some() {
            return None;
        }
        let mut kernels = std::mem::take(&mut work.kernels);
        for kernel in kernels.iter_mut().filter(|kernel| without(kernel)) {
            let failures = self.build_everywhere(kernel, view, &mut work);
            self.warn_of_failures(&failures, kernel, &mut work);
        }
        work.kernels = kernels;
        let built = self.intern_with_kernels(work, false);
        view.work.built_later.set(built);
        Some(built)
    }

    /// Builds a kernel of this work for the devices that it may have. What has failed.
    fn build_everywhere(&'static self, kernel: &mut Kernel, view: TemplateView, work: &mut Code) -> Vec<KernelError> {
        let (wanted, options) = match split_options(&kernel.options) {
            Ok(split) => split,
            Err(message) => return vec![KernelError::anywhere(message)],
        };
        let spec = KernelSpec { source: kernel.source.clone(), options: options.to_vec(), kernel: kernel.name.clone() };
        let function = work.function.is_some();
        let by_hint = self.devices.is_by_hint(self, function);
        // A manager may wait in OpenCL for a driver's thread that compiles, while this thread waits for the manager.
        self.begin_outside();
        let open = self.devices.open_for(self, function);
        self.end_outside();
        let Some(open) = open else {
            let problem = match loader::why_no_devices() {
                Some(why) => Some(why.to_string()),
                // The function runs, and OpenCL is not asked for the reason.
                None if by_hint => None,
                None => self.devices.plan(self).problem.clone(),
            };
            add_missing(&mut work.missing, problem.map(KernelError::here));
            return Vec::new();
        };
        let mut failures = Vec::new();
        for (number, used) in open.used.iter().enumerate() {
            if !used.suits(wanted) {
                continue;
            }
            self.begin_outside();
            let build = || self.devices.start.building(|| build(used, &spec, view));
            let built = events::waiting_for_opencl(OpenClWait::Kernel, build);
            self.end_outside();
            match built {
                Ok(id) => kernel.built.push((Place::device(number), id)),
                Err(failure) => failures.push(failure),
            }
        }
        let problems = open.problems.iter().cloned().map(KernelError::here);
        add_missing(&mut work.missing, problems);
        let places = kernel.built.iter().map(|&(place, _)| place);
        for place in places.filter(|_| !by_hint) {
            if !work.devices.contains(&place) {
                work.devices.push(place);
            }
        }
        failures
    }

    fn warn_of_failures(&self, failures: &[KernelError], kernel: &Kernel, work: &mut Code) {
        let node = outbox::place().map_or(String::new(), |(node, _)| format!(" on node {node}"));
        for KernelError { text, blame } in failures {
            let message =
                format!("the kernel \"{}\" of template \"{}\" cannot be used{node}: {text}", kernel.name, work.name);
            warning!("{message}");
            self.registry.remark(message.clone());
            work.missing.push(KernelError { text: message, blame: *blame });
        }
    }
}
fn build(used: &OpenDevice, spec: &KernelSpec, view: TemplateView) -> Result<usize, KernelError> {
    // Which kernels a source has, and what arguments, may depend on the device by `#if` alone.
    let conditional = |line: &[u8]| {
        line.trim_ascii_start().strip_prefix(b"#").is_some_and(|rest| rest.trim_ascii_start().starts_with(b"if"))
    };
    let everywhere = !spec.source.split(|&byte| byte == b'\n').any(conditional);
    fork::check_fork("adding a kernel");
    let on_all = if everywhere { KernelBlame::Program } else { KernelBlame::Either };
    let kernel = used.manager.build(spec).map_err(|error| KernelError {
        text: error.to_string(),
        blame: match &error {
            BuildError::NoSuchKernel { .. } => on_all,
            // OpenCL has refused a call that is not about the source.
            BuildError::Other(why) if why.code.is_some() => KernelBlame::Device,
            BuildError::Compile { .. } | BuildError::Other(_) => KernelBlame::Either,
        },
    })?;
    if view.paramc != PARAM_UNK && view.depc != PARAM_UNK {
        let (paramc, depc) = (view.paramc as usize, view.depc as usize);
        // The last pre-slots may be there to order alone, and need no arguments: each launch looks whether they are.
        let fits = kernel.signature.check_slots(paramc, 0, depc);
        fits.map_err(|text| {
            used.manager.release(kernel.id);
            KernelError { text, blame: on_all }
        })?;
    }
    Ok(kernel.id)
}
