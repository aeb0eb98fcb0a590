//! Why an EDT was not created.

use super::arguments::article;
use super::calls::{OEVT_VALID, Role};
use super::history::What;
use super::misuse::count;
use super::{CallRecord, Check, Misuse, is_alive};
use crate::object::Objects;
use crate::object::code::NO_RESULT;
use crate::object::event::EventKind;
use crate::object::guid::Guid;
use crate::object::link::MAX_SLOTS;
use crate::object::template::{PARAM_DEF, PARAM_UNK};

impl Check {
    /// The template exists; what else is wrong, in the order in which the engine looks.
    pub(super) fn refused_edt(
        &self,
        objects: &Objects,
        made: &CallRecord<'_>,
    ) -> Option<Box<Misuse>> {
        let template = made.guid(made.at("templateGuid"));
        let view = objects.templates.view(template)?;
        let word = |name: &str| made.number(made.at(name));
        let numbers = [
            ("paramc", "parameters", view.paramc),
            ("depc", "pre-slots", view.depc),
        ];
        for (name, things, of_template) in numbers {
            let given = word(name) as u32;
            if let Some(misuse) = self.wrong_count(made, template, name, things, given, of_template)
            {
                return Some(misuse);
            }
        }
        let paramc = resolved(word("paramc"), view.paramc);
        let depc = resolved(word("depc"), view.depc);
        if let Some(misuse) = self.wrong_paramv(made, template, paramc) {
            return Some(misuse);
        }
        if depc >= MAX_SLOTS {
            return Some(self.by_call(
                made,
                format!("depc is {depc}: too many pre-slots"),
                &[template],
                &format!("an EDT has fewer than {MAX_SLOTS} pre-slots"),
                "Look at where this number comes from: it may be negative, or not set. To wait for so \
                 many, let a latch event count them (OCR_EVENT_LATCH_T).",
            ));
        }
        let anonymous = word("guid") == 0;
        let open = made.depv.contains(&Guid::UNINITIALIZED) || depc != 0 && word("depv") == 0;
        if anonymous && open {
            return Some(self.by_call(
                made,
                "guid is NULL, but not all pre-slots are given in depv".into(),
                &[template],
                "an EDT without a GUID must be given all its dependences when it is created, since \
                 nobody can add one later",
                "Pass the address of a GUID as guid, or a depv that has a block, an event or \
                 NULL_GUID for each pre-slot.",
            ));
        }
        let source = self.wrong_source(objects, made);
        let source = source.or_else(|| self.wrong_output(objects, made));
        source.or_else(|| self.used_up_source(made))
    }

    /// An event in `depv` that takes no further dependence; all that may be it.
    fn used_up_source(&self, made: &CallRecord<'_>) -> Option<Box<Misuse>> {
        let bounded = |source: &&Guid| {
            let what = self.history.what(**source);
            what.is_some_and(|what| {
                matches!(what, What::COUNTED | What::CHANNEL | What::COLLECTIVE)
            })
        };
        let mut sources: Vec<Guid> = made.depv.iter().filter(bounded).copied().collect();
        sources.sort_unstable_by_key(|source| source.bits());
        sources.dedup();
        match sources[..] {
            [] => None,
            [source] => self.used_up(made, source),
            _ => Some(self.by_call(
                made,
                "one of these events in depv takes no further dependence".into(),
                &sources,
                "a counted event serves nbDeps dependences, a channel event holds maxGen that wait, and each \
                 contributor of a collective event has one in a generation (see B.4, B.5)",
                "Count what depends on each of them, EDTs and events, those in depv of ocrEdtCreate among them, and \
                 create the event with a larger nbDeps or maxGen.",
            )),
        }
    }

    fn wrong_paramv(
        &self,
        made: &CallRecord<'_>,
        template: Guid,
        paramc: u32,
    ) -> Option<Box<Misuse>> {
        let (what, advice) = match (paramc, made.number(made.at("paramv"))) {
            (0, 0) => return None,
            (0, _) => (
                "paramv is given, but the EDT has no parameters".to_string(),
                "Pass NULL for paramv; or, if the EDT is to have parameters, say how many in paramc, and \
                 in ocrEdtTemplateCreate.",
            ),
            (_, 0) => (
                match paramc {
                    1 => "paramv is NULL, but the EDT has a parameter".to_string(),
                    more => format!("paramv is NULL, but the EDT has {more} parameters"),
                },
                "Pass an array of that many u64, or 0 parameters to ocrEdtTemplateCreate.",
            ),
            _ => return None,
        };
        let rule = "paramv is NULL exactly if there are no parameters";
        Some(self.by_call(made, what, &[template], rule, advice))
    }

    /// An element of `depv` that cannot be a source.
    fn wrong_source(&self, objects: &Objects, made: &CallRecord<'_>) -> Option<Box<Misuse>> {
        let sources = made.depv.iter().enumerate();
        let mut sources = sources.filter(|(_, source)| **source != Guid::UNINITIALIZED);
        sources.find_map(|(slot, &source)| {
            let name = format!("depv[{slot}]");
            self.wrong_guid(objects, made, source, &name, Role::Source)
        })
    }

    /// A kernel that is to pass on the block of a pre-slot that its EDTs do not have; the template exists.
    pub(super) fn refused_kernel(
        &self,
        objects: &Objects,
        made: &CallRecord<'_>,
    ) -> Option<Box<Misuse>> {
        let template = made.guid(made.at("templateGuid"));
        let slot = made.number(made.at("resultSlot")) as u32;
        let view = objects.templates.view(template)?;
        let depc = view.depc;
        if slot != NO_RESULT && slot >= depc {
            return Some(self.by_call(
                made,
                format!("resultSlot is {slot}, but the template has {depc} pre-slots"),
                &[template],
                "resultSlot is a pre-slot of the EDT, whose block it passes on, or OCR_NO_RESULT",
                "Slots count from 0. Where the EDT passes nothing on, pass OCR_NO_RESULT.",
            ));
        }
        // What does not compile for a device may for another, and EDTs of the template may have a function.
        let wrong = view.work.missing.last().filter(|why| why.anywhere)?;
        Some(self.by_call(
            made,
            wrong.text.clone(),
            &[template],
            "a kernel has the name that is given, and takes the parameters of the EDT, then the blocks of its pre-slots",
            "Change the kernel, the name, or paramc and depc of the template.",
        ))
    }

    /// What `ocrOpenclTaskCreate` asks beyond `ocrEdtCreate`; the template exists.
    pub(super) fn refused_task(
        &self,
        objects: &Objects,
        made: &CallRecord<'_>,
    ) -> Option<Box<Misuse>> {
        let word = |name: &str| made.number(made.at(name));
        let template = made.guid(made.at("templateGuid"));
        let dimensions = word("work_dim") as u32;
        let (what, rule, advice) = if !(1..=3).contains(&dimensions) {
            (
                format!("work_dim is {dimensions}"),
                "an index space has 1, 2 or 3 dimensions",
                "Pass the number of elements of global_work_size.",
            )
        } else if word("global_work_size") == 0 {
            (
                "global_work_size is NULL".into(),
                "global_work_size has the number of work-items in each dimension",
                "Pass an array of work_dim numbers. Offsets and local sizes may be NULL.",
            )
        } else if objects.templates.view(template)?.work.kernels.is_empty() {
            (
                "the template has no kernel".into(),
                "the template has a kernel: ocrOpenclTemplateCreate or ocrEdtTemplateAddKernel has \
                 returned 0 for it",
                "Look at what that call returned, and at its warning: a kernel that does not compile is \
                 none. EDTs that are functions are created by ocrEdtCreate.",
            )
        } else {
            return None;
        };
        Some(self.by_call(made, what, &[template], rule, advice))
    }

    /// The affinity of `ocrOpenclTaskCreate` is no device.
    pub(super) fn refused_device(&self, made: &CallRecord<'_>) -> Box<Misuse> {
        let affinity = made.guid(made.at("affinity"));
        self.by_call(
            made,
            format!("affinity ({affinity}) is not an OpenCL device in use"),
            &[],
            "a kernel runs on a device: affinity is one of AFFINITY_OCL, or NULL_GUID for any",
            "Ask ocrAffinityGet or ocrAffinityGetAt with AFFINITY_OCL. OCR_DEVICES says which may be used, \
             and ocr info lists them.",
        )
    }

    /// `ocrLegacySpawnOCR`, whose pointers are all right; the template exists.
    pub(super) fn refused_spawn(
        &self,
        objects: &Objects,
        made: &CallRecord<'_>,
    ) -> Option<Box<Misuse>> {
        let word = |name: &str| made.number(made.at(name));
        let template = made.guid(made.at("finishEdtTemplate"));
        let view = objects.templates.view(template)?;
        if word("depc") == 0 || word("depc") as u32 == PARAM_DEF && view.depc == 0 {
            return Some(self.by_call(
                made,
                "the EDT has no pre-slots".into(),
                &[template],
                "the first pre-slot is the runtime's, which satisfies it",
                "Create the template with one pre-slot more than the EDT needs, and pass a depv that \
                 begins with it.",
            ));
        }
        let numbers = [
            ("paramc", "parameters", view.paramc),
            ("depc", "pre-slots", view.depc),
        ];
        for (name, things, of_template) in numbers {
            // The numbers of an EDT have 32 bits, as those of its template.
            let Ok(given) = u32::try_from(word(name)) else {
                return Some(self.by_call(
                    made,
                    format!("{name} is {}", word(name)),
                    &[template],
                    &format!("an EDT has less than 2^32 {things}"),
                    "Compare the number with the template's. A negative one becomes a large one here: \
                     EDT_PARAM_DEF is a u32.",
                ));
            };
            let wrong = self.wrong_count(made, template, name, things, given, of_template);
            if wrong.is_some() {
                return wrong;
            }
        }
        let paramc = resolved(word("paramc"), view.paramc);
        if word("paramc") != 0
            && let Some(misuse) = self.wrong_paramv(made, template, paramc)
        {
            return Some(misuse);
        }
        let source = self.wrong_source(objects, made);
        source.or_else(|| self.used_up_source(made))
    }

    /// `ocrLegacyBlockProgress`. One that is told to wait only if the event is there or satisfied, or until
    /// it is there, asks.
    pub(super) fn refused_wait(
        &self,
        objects: &Objects,
        made: &CallRecord<'_>,
    ) -> Option<Box<Misuse>> {
        let event = made.guid(0);
        if made.number(made.at("properties")) != 0 {
            return None;
        }
        let Some(kind) = objects.event_kind(event) else {
            return self.wrong_guid(objects, made, event, "handle", Role::Awaited);
        };
        (!matches!(kind, EventKind::Idempotent | EventKind::Sticky)).then(|| {
            self.by_call(
                made,
                format!("{} cannot be waited for", article(kind.name())),
                &[event],
                "a thread waits for an event that lasts: a sticky or an idempotent one",
                "Create a sticky event and have this one satisfy it (ocrAddDependence), or, for the end \
                 of an EDT, give it as its output event (EDT_PROP_OEVT_VALID).",
            )
        })
    }

    fn wrong_count(
        &self,
        made: &CallRecord<'_>,
        template: Guid,
        name: &str,
        things: &str,
        given: u32,
        of_template: u32,
    ) -> Option<Box<Misuse>> {
        let (what, advice) = match (given, of_template) {
            (PARAM_UNK, _) => (
                format!("{name} is EDT_PARAM_UNK"),
                format!(
                    "EDT_PARAM_UNK is for templates. Pass the number of {things}, or EDT_PARAM_DEF \
                     for the template's number."
                ),
            ),
            (PARAM_DEF, PARAM_UNK) => (
                format!("{name} is EDT_PARAM_DEF, but the template says EDT_PARAM_UNK"),
                format!(
                    "Pass the number of {things} of this EDT, or give the template a number where \
                     it is created."
                ),
            ),
            (given, fixed) if fixed != PARAM_UNK && given != PARAM_DEF && given != fixed => (
                format!("{name} is {given}, but the template says {}", count(fixed)),
                format!(
                    "Pass EDT_PARAM_DEF or {fixed}; or create the template with {given}, or with \
                     EDT_PARAM_UNK if its EDTs differ."
                ),
            ),
            _ => return None,
        };
        let rule = format!(
            "the number of {things} is the template's, or EDT_PARAM_DEF; where the template says \
             EDT_PARAM_UNK, each EDT says its own"
        );
        Some(self.by_call(made, what, &[template], &rule, &advice))
    }

    /// With `EDT_PROP_OEVT_VALID`, the output event must exist.
    fn wrong_output(&self, objects: &Objects, made: &CallRecord<'_>) -> Option<Box<Misuse>> {
        let given = made.properties() & OEVT_VALID != 0;
        let output = made.output.filter(|_| given)?;
        if objects.event_kind(output) == Some(EventKind::Collective) {
            return Some(self.by_call(
                made,
                "*outputEvent is a collective event".into(),
                &[output],
                "an output event is satisfied when its EDT ends, with the block that this returns, and a collective \
                 event takes numbers of its contributors (extensions/ocr-reduction-event.h)",
                "Have the EDT call ocrEventCollectiveSatisfySlot, and give it no output event, or one of another kind.",
            ));
        }
        if output.is_event() && is_alive(objects, output) {
            return None;
        }
        if objects.is_awaited(output) {
            return Some(self.without_object(objects, made, output, "*outputEvent"));
        }
        self.wrong_guid(objects, made, output, "*outputEvent", Role::Event)
    }
}

/// How many parameters or pre-slots an EDT is to have.
fn resolved(given: u64, of_template: u32) -> u32 {
    match given as u32 {
        PARAM_DEF => of_template,
        given => given,
    }
}
