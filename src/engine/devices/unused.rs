//! Why kernels are not used, for people: in the message about an EDT that nothing can run, and in the notes of a run in
//! which EDTs ran as C functions though their template has kernels.

use crate::config::DEFAULT_ORIGIN;
use crate::device::{DeviceInfo, DeviceKind, Selection};
use crate::engine::devices::options::split_options;
use crate::engine::nodes::outbox;
use crate::engine::state::devices::{Devices, NoteLevel, Unused, suits};
use crate::engine::state::loader;
use crate::engine::state::runtime::Runtime;
use crate::object::code::{Kernel, KernelError};
use crate::object::edt::Edt;
use crate::object::name::EdtName;
use ocr_place::policy;

fn describe(device: &DeviceInfo) -> String {
    format!("{} ({})", device.name, device.kind)
}

/// The kinds of devices that these kernels are for, in words.
fn kinds_of(kernels: &[Kernel]) -> String {
    let only = |kernel: &Kernel| {
        let kind = match split_options(&kernel.options) {
            Ok((Some(DeviceKind::Cpu), _)) => "CPU devices only (-ocr-device=cpu)",
            Ok((Some(_), _)) => "GPUs and accelerators only (-ocr-device=gpu)",
            _ => "other devices",
        };
        format!("its kernel \"{}\" is for {kind}", kernel.name)
    };
    kernels.iter().map(only).collect::<Vec<_>>().join(", ")
}

impl Devices {
    /// The devices that an EDT's index space asks for.
    fn asked_by(&self, edt: &Edt) -> Option<&DeviceInfo> {
        let number = edt.explicit_range()?.device;
        let used = self.in_use().get(usize::try_from(number).ok()?)?;
        Some(&used.info)
    }

    /// Which devices there are for kernels.
    fn those_there(&self, runtime: &Runtime) -> String {
        let used: Vec<String> = (self.in_use().iter()).map(|used| describe(&used.info)).collect();
        let planned = self.expected(runtime).devices().iter().map(describe).collect();
        let (devices, whose) = if used.is_empty() { (planned, "that may be used") } else { (used, "in use") };
        match &devices[..] {
            [] => "no device is in use".to_string(),
            [one] => format!("the only device {whose} is {one}"),
            more => format!("the devices {whose} are {}", more.join(", ")),
        }
    }

    /// Why none of these kernels, with which nothing is wrong, can run.
    fn built_for_others(&self, runtime: &Runtime, edt: &Edt, kernels: &[Kernel]) -> String {
        if let Some(asked) = self.asked_by(edt) {
            return format!("no kernel of it was built for the device that was asked for, {}.", describe(asked));
        }
        format!(
            "{}; {}. Leave -ocr-device away, or give the template a C function or a kernel for that device; `ocr info` \
             lists the devices, and OCR_DEVICES chooses among them.",
            kinds_of(kernels),
            self.those_there(runtime)
        )
    }

    /// The message for an EDT that nothing can run.
    pub(crate) fn nothing_runs(&self, runtime: &Runtime, edt: &Edt) -> String {
        let work = edt.work();
        let place = outbox::place();
        let here = place.map_or("here".to_string(), |(node, _)| format!("on node {node}"));
        let mut text = format!("{} has no variant that can run {here}: it has no C function, and ", EdtName::of(edt));
        text += &match (&work.missing[..], &work.kernels[..]) {
            ([], []) => "no kernel.".to_string(),
            ([], kernels) => self.built_for_others(runtime, edt, kernels),
            (missing, _) => {
                let lines: Vec<&str> = missing.iter().map(|why| &*why.text).collect();
                format!("its kernels cannot be used:\n{}", lines.join("\n"))
            }
        };
        if place.is_some() {
            text += "\nName a node that has a device for it by the hint of affinity, or name none; give this node a device by \
                     OCR_DEVICES; or add a C function by ocrEdtTemplateAddFunction.";
        }
        text
    }

    /// An EDT runs as its C function since no device has one of its kernels for it. That is noted once for a template.
    pub(crate) fn runs_as_function(&self, runtime: &'static Runtime, edt: &Edt) {
        if self.later.is_any_left() {
            return runtime.look_at_put_off();
        }
        if edt.work().told_unused.is_first() {
            self.note_function(runtime, edt);
        }
    }

    #[cold]
    fn note_function(&self, runtime: &Runtime, edt: &Edt) {
        let (why, told) = self.why_function(runtime, edt);
        let name = format!("\"{}\"", edt.work().name);
        let mut all = self.unused.0.lock();
        let known = all.iter_mut().find(|known| known.why == why && known.told == told);
        match known {
            Some(known) if known.templates.contains(&name) => {}
            Some(known) => known.templates.push(name),
            None => all.push(Unused { why, told, templates: vec![name] }),
        }
    }

    /// Why an EDT that has kernels runs as its C function, though no policy has decided that.
    fn why_function(&self, runtime: &Runtime, edt: &Edt) -> (String, NoteLevel) {
        let (devices, sched) = (&runtime.settings.devices, &runtime.settings.sched);
        let told = if is_asked_for(runtime) { NoteLevel::Always } else { NoteLevel::InReport };
        if !runtime.policy.uses_devices() {
            let why = format!(
                "the policy {} ({}) sends EDTs that have a C function to a device only where a hint names it; under \
                 OCR_SCHED={} others go there, too",
                sched.value,
                sched.origin,
                policy::DEFAULT
            );
            return (why, NoteLevel::InStatistics);
        }
        let plan = self.expected(runtime);
        if let Some(problem) = plan.problem.clone() {
            if plan.is_forked {
                return (problem, NoteLevel::Always);
            }
            // A user who asks for no device expects no kernel to run.
            let told = if devices.value == Selection::None { NoteLevel::InReport } else { told };
            return (problem, told);
        }
        (self.why_not_built(runtime, edt), told)
    }

    /// Why no device has a kernel for an EDT, where there are devices.
    fn why_not_built(&self, runtime: &Runtime, edt: &Edt) -> String {
        let plan = self.expected(runtime);
        let kernels = &edt.work().kernels;
        if edt.work().missing.iter().any(|why| why.text == loader::HELD) {
            return loader::HELD.to_string();
        }
        let is_for_one = |kernel: &Kernel| {
            let wanted = split_options(&kernel.options).map_or(None, |(wanted, _)| wanted);
            plan.devices().iter().any(|info| suits(info.kind, wanted))
        };
        if !kernels.iter().any(is_for_one) {
            return format!(
                "{}; {}. Leave -ocr-device away, or add a kernel for that device",
                kinds_of(kernels),
                self.those_there(runtime)
            );
        }
        if plan.selected.is_empty() {
            return "a CPU device is used only for kernels without a C function, and where a hint names it; set \
                    OCR_DEVICES=all to use it for others"
                .to_string();
        }
        if self.in_use().is_empty() {
            let missing = edt.work().missing.iter().map(|why| &*why.text);
            return missing.collect::<Vec<_>>().join("; ");
        }
        if let Some(asked) = self.asked_by(edt) {
            return format!(
                "they were created for the device {}, which has no kernel of the template",
                describe(asked)
            );
        }
        let is_without_range = |kernel: &&Kernel| kernel.range.is_none() && !kernel.built.is_empty();
        match kernels.iter().find(is_without_range) {
            Some(kernel) => format!(
                "nobody says how many work-items its kernel \"{}\" has; create the EDTs by ocrOpenclTaskCreate, or add the \
                 kernel by ocrEdtTemplateAddKernel, with a function that says it",
                kernel.name
            ),
            None if self.any_lost() => {
                "each device that has one of its kernels was lost, or takes no launch any more".to_string()
            }
            None => "no device in use has one of its kernels".to_string(),
        }
    }

    /// EDTs were made of a template before it got a kernel, which was built for a device that none of its kernels had.
    pub(crate) fn remark_late(&self, runtime: &Runtime, template: &str, kernel: &str) {
        let text = format!(
            "EDTs of template \"{template}\" that were created before its kernel \"{kernel}\" was added do not use it; add \
             kernels before the first EDT is created"
        );
        if is_asked_for(runtime) {
            runtime.registry.note_once(text);
        } else {
            runtime.registry.remark(text);
        }
    }

    /// Says of which templates EDTs ran as functions though they have kernels, and why.
    pub(super) fn remark_unused(&self, runtime: &Runtime) {
        for unused in std::mem::take(&mut *self.unused.0.lock()) {
            let text = match &unused.templates[..] {
                [one] => format!("EDTs of template {one} ran as its C function: {}", unused.why),
                more => format!("EDTs of the templates {} ran as their C functions: {}", more.join(", "), unused.why),
            };
            match unused.told {
                NoteLevel::Always => runtime.registry.note_once(text),
                NoteLevel::InStatistics if !*runtime.settings.stats => {}
                NoteLevel::InReport | NoteLevel::InStatistics => runtime.registry.remark(text),
            }
        }
    }
}

/// Whether the user has said which devices are used, or how EDTs are placed, and so may expect kernels to run.
fn is_asked_for(runtime: &Runtime) -> bool {
    let settings = &runtime.settings;
    settings.devices.origin != DEFAULT_ORIGIN || settings.sched.origin != DEFAULT_ORIGIN
}

/// Adds reasons to those that a work has, each once.
pub(crate) fn add_missing(missing: &mut Vec<KernelError>, more: impl IntoIterator<Item = KernelError>) {
    for reason in more {
        if !missing.contains(&reason) {
            missing.push(reason);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Set;
    use crate::engine::devices::plan::no_device;

    #[test]
    fn a_reason_that_several_kernels_have_is_kept_once() {
        let of = |origin: &str| Set { value: Selection::None, origin: origin.to_string() };
        let none = no_device(&of("$OCR_DEVICES"));
        assert_eq!(none, "OCR_DEVICES is none, so no device is used: leave it out");
        assert!(no_device(&of("x.toml")).starts_with("the setting devices is none (x.toml), so"));
        let mut missing = Vec::new();
        for _ in 0..2 {
            add_missing(&mut missing, Some(KernelError::here(none.clone())));
        }
        add_missing(&mut missing, [KernelError::here("another".to_string())]);
        let texts: Vec<&str> = missing.iter().map(|why| &*why.text).collect();
        assert_eq!(texts, [&none, "another"]);
    }
}
