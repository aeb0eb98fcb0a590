//! Why an EDT was not created.

use super::arguments::article;
use super::template_of;
use crate::check::calls::{OEVT_VALID, Role};
use crate::check::history::What;
use crate::check::misuse::count;
use crate::check::rules;
use crate::check::{CallRecord, Check, Misuse, is_alive};
use crate::object::Objects;
use crate::object::code::{KernelBlame, NO_RESULT};
use crate::object::event::EventKind;
use crate::object::guid::Guid;
use crate::object::link::MAX_SLOTS;
use crate::object::template::{PARAM_DEF, PARAM_UNK};
use ocr_base::text::Counted;

impl Check {
    /// The template exists; what else is wrong, in the order in which the engine looks.
    pub(super) fn refused_edt(&self, objects: &Objects, call: &CallRecord<'_>) -> Option<Box<Misuse>> {
        let template = template_of(call);
        let view = objects.templates.view(template)?;
        let numbers = [(Role::ParamCount, view.paramc), (Role::DepCount, view.depc)];
        for (role, of_template) in numbers {
            let wrong = self.wrong_count(call, template, role, of_template);
            if wrong.is_some() {
                return wrong;
            }
        }
        let paramc = resolved(call.given(Role::ParamCount), view.paramc);
        let depc = resolved(call.given(Role::DepCount), view.depc);
        if let Some(misuse) = self.wrong_paramv(call, template, paramc) {
            return Some(misuse);
        }
        if depc >= MAX_SLOTS {
            let broken = rules::TooManySlots { depc, most: MAX_SLOTS };
            return Some(self.by_call(call, &[template], broken));
        }
        let anonymous = call.number(0) == 0;
        let without_depv = depc != 0 && call.given(Role::Depv) == 0;
        if anonymous && (without_depv || call.depv.contains(&Guid::UNINITIALIZED)) {
            return Some(self.by_call(call, &[template], rules::AnonymousOpen));
        }
        let source = self.wrong_source(objects, call);
        let source = source.or_else(|| self.wrong_output(objects, call));
        source.or_else(|| self.used_up_source(call))
    }

    /// An event in `depv` that takes no further dependence; all that may be it.
    fn used_up_source(&self, call: &CallRecord<'_>) -> Option<Box<Misuse>> {
        let bounded = |source: &&Guid| {
            let what = self.history.what(**source);
            what.is_some_and(|what| matches!(what, What::COUNTED | What::CHANNEL | What::COLLECTIVE))
        };
        let mut sources: Vec<Guid> = call.depv.iter().filter(bounded).copied().collect();
        sources.sort_unstable_by_key(|source| source.bits());
        sources.dedup();
        match sources[..] {
            [] => None,
            [source] => self.used_up(call, source),
            _ => Some(self.by_call(call, &sources, rules::SourcesUsedUp)),
        }
    }

    fn wrong_paramv(&self, call: &CallRecord<'_>, template: Guid, paramc: u32) -> Option<Box<Misuse>> {
        let parameters = match paramc {
            1 => "a parameter".to_string(),
            more => format!("{more} parameters"),
        };
        match (paramc, call.given(Role::Paramv)) {
            (0, 0) => None,
            (0, _) => Some(self.by_call(call, &[template], rules::ParamvGiven)),
            (_, 0) => Some(self.by_call(call, &[template], rules::ParamvNull { parameters })),
            _ => None,
        }
    }

    /// An element of `depv` that cannot be a source.
    fn wrong_source(&self, objects: &Objects, call: &CallRecord<'_>) -> Option<Box<Misuse>> {
        let sources = call.depv.iter().enumerate();
        let mut sources = sources.filter(|(_, source)| **source != Guid::UNINITIALIZED);
        sources.find_map(|(slot, &source)| {
            let name = format!("depv[{slot}]");
            self.wrong_guid(objects, call, source, &name, Role::Source)
        })
    }

    /// A kernel that is to pass on the block of a pre-slot that its EDTs do not have; the template exists.
    pub(super) fn refused_kernel(&self, objects: &Objects, call: &CallRecord<'_>) -> Option<Box<Misuse>> {
        let template = template_of(call);
        let slot = call.number(5) as u32;
        let view = objects.templates.view(template)?;
        let depc = view.depc;
        if slot != NO_RESULT && slot >= depc {
            let depc = Counted(u64::from(depc), "pre-slot");
            let broken = rules::NoSuchResultSlot { slot, depc };
            return Some(self.by_call(call, &[template], broken));
        }
        // What does not compile for a device may for another, and EDTs of the template may have a function.
        let wrong = view.work.missing.last().filter(|why| why.blame == KernelBlame::Program)?;
        let what = &wrong.text;
        Some(self.by_call(call, &[template], rules::KernelOfOtherForm { what }))
    }

    /// What `ocrOpenclTaskCreate` asks beyond `ocrEdtCreate`; the template exists.
    pub(super) fn refused_task(&self, objects: &Objects, call: &CallRecord<'_>) -> Option<Box<Misuse>> {
        let template = template_of(call);
        let dimensions = call.number(2) as u32;
        if !(1..=3).contains(&dimensions) {
            let broken = rules::NoSuchDimensions { dimensions };
            return Some(self.by_call(call, &[template], broken));
        }
        if call.number(4) == 0 {
            return Some(self.by_call(call, &[template], rules::SizesNull));
        }
        let is_without = objects.templates.view(template)?.work.kernels.is_empty();
        is_without.then(|| self.by_call(call, &[template], rules::TemplateWithoutKernel))
    }

    /// The affinity of `ocrOpenclTaskCreate` is no device.
    pub(super) fn refused_device(&self, call: &CallRecord<'_>) -> Box<Misuse> {
        let affinity = call.guid(11);
        self.by_call(call, &[], rules::NotAnOpenclDevice { affinity })
    }

    /// `ocrLegacySpawnOCR`, whose pointers are all right; the template exists.
    pub(super) fn refused_spawn(&self, objects: &Objects, call: &CallRecord<'_>) -> Option<Box<Misuse>> {
        let template = template_of(call);
        let view = objects.templates.view(template)?;
        let depc = call.given(Role::DepCount);
        if depc == 0 || depc as u32 == PARAM_DEF && view.depc == 0 {
            return Some(self.by_call(call, &[template], rules::SpawnedWithoutSlots));
        }
        let numbers = [(Role::ParamCount, view.paramc), (Role::DepCount, view.depc)];
        for (role, of_template) in numbers {
            let (name, number) = (call.name_of(role), call.given(role));
            // The numbers of an EDT have 32 bits, as those of its template.
            if u32::try_from(number).is_err() {
                let things = things(role);
                let broken = rules::SpawnedTooMany { name, number, things };
                return Some(self.by_call(call, &[template], broken));
            }
            let wrong = self.wrong_count(call, template, role, of_template);
            if wrong.is_some() {
                return wrong;
            }
        }
        let given = call.given(Role::ParamCount);
        let paramc = resolved(given, view.paramc);
        if given != 0
            && let Some(misuse) = self.wrong_paramv(call, template, paramc)
        {
            return Some(misuse);
        }
        let source = self.wrong_source(objects, call);
        source.or_else(|| self.used_up_source(call))
    }

    /// `ocrLegacyBlockProgress`. A call whose properties make it wait only if the event is there or satisfied, or until
    /// it is there, asks.
    pub(super) fn refused_wait(&self, objects: &Objects, call: &CallRecord<'_>) -> Option<Box<Misuse>> {
        let guid = call.guid(0);
        if call.properties() != 0 {
            return None;
        }
        let Some(kind) = objects.event_kind(guid) else {
            return self.wrong_guid(objects, call, guid, "handle", Role::Awaited);
        };
        let lasts = matches!(kind, EventKind::Idempotent | EventKind::Sticky);
        let event = article(kind.name());
        (!lasts).then(|| self.by_call(call, &[guid], rules::AwaitedPasses { event }))
    }

    /// A number of parameters or pre-slots that is not the template's.
    fn wrong_count(&self, call: &CallRecord<'_>, template: Guid, role: Role, of_template: u32) -> Option<Box<Misuse>> {
        let (name, things, given) = (call.name_of(role), things(role), call.given(role) as u32);
        let told = [template];
        match (given, of_template) {
            (PARAM_UNK, _) => Some(self.by_call(call, &told, rules::CountUnknown { name, things })),
            (PARAM_DEF, PARAM_UNK) => Some(self.by_call(call, &told, rules::CountDefault { name, things })),
            (PARAM_DEF, _) | (_, PARAM_UNK) => None,
            (given, fixed) if given == fixed => None,
            (given, fixed) => {
                let fixed = count(fixed);
                let broken = rules::CountDiffers { name, given, fixed, things };
                Some(self.by_call(call, &told, broken))
            }
        }
    }

    /// With `EDT_PROP_OEVT_VALID`, the output event must exist.
    fn wrong_output(&self, objects: &Objects, call: &CallRecord<'_>) -> Option<Box<Misuse>> {
        let given = call.properties() & OEVT_VALID != 0;
        let output = call.output.filter(|_| given)?;
        if objects.event_kind(output) == Some(EventKind::Collective) {
            return Some(self.by_call(call, &[output], rules::OutputCollective));
        }
        if output.is_event() && is_alive(objects, output) {
            return None;
        }
        if objects.is_awaited(output) {
            return Some(self.without_object(objects, call, output, "*outputEvent"));
        }
        self.wrong_guid(objects, call, output, "*outputEvent", Role::Event)
    }
}

/// What a message calls the things that an argument counts.
fn things(role: Role) -> &'static str {
    match role {
        Role::ParamCount => "parameters",
        _ => "pre-slots",
    }
}

/// How many parameters or pre-slots an EDT is to have.
fn resolved(given: u64, of_template: u32) -> u32 {
    match given as u32 {
        PARAM_DEF => of_template,
        given => given,
    }
}
