//! Why a call was refused, found from its arguments, the objects as they are, and their history: which
//! file has the words for which call.

use super::calls::{LABELED, MISUSES, Role, code_of_misuse};
use super::{CallRecord, Check, Misuse};
use crate::object::Objects;
use crate::status::Status;

impl Check {
    /// What was wrong with a call that returned `status`; none where the status tells of the machine
    /// or answers a question.
    pub(crate) fn refused(
        &self,
        objects: &Objects,
        made: &CallRecord<'_>,
        status: Status,
    ) -> Option<Box<Misuse>> {
        let too_small = made.call.name == "ocrDbCopy" && status == Status::ENOMEM;
        match status {
            Status::ENODEV if made.call.name == "ocrOpenclTaskCreate" => {
                return Some(self.refused_device(made));
            }
            Status::EGUIDEXISTS => return self.created_twice(objects, made),
            _ if made.call.name.starts_with("ocrDbMalloc")
                || made.call.name.starts_with("ocrDbFree") =>
            {
                return Some(self.no_allocator(made));
            }
            _ => {}
        }
        if !(MISUSES.contains(&status) || too_small) {
            let file = self.refused_file(objects, made, status);
            return file.or_else(|| self.refused_map(objects, made, status));
        }
        for (at, (_, role)) in made.call.args.iter().enumerate() {
            if let Some(misuse) = self.wrong_argument(objects, made, at, *role) {
                return Some(misuse);
            }
        }
        let specific = match made.call.name {
            "ocrDbCreate" => self.refused_block(made),
            "ocrEventCreate" | "ocrEventCreateParams" => {
                let label = self.wrong_label(objects, made);
                label.or_else(|| self.refused_event(objects, made))
            }
            // A dependence in all but name. There is no argument 3: it reads as a mode that exists.
            "ocrEventSatisfy" | "ocrEventSatisfySlot" if made.guid(0).is_edt() => {
                self.refused_dependence(objects, made, status, [1, 0, 2, 3])
            }
            "ocrEventSatisfy" | "ocrEventSatisfySlot" => {
                self.refused_satisfaction(made, made.guid(0), made.number(2), 0)
            }
            "ocrAddDependence" => self.refused_dependence(objects, made, status, [0, 1, 2, 3]),
            "ocrAddDependenceSlot" => self.refused_dependence(objects, made, status, [0, 2, 3, 4]),
            "ocrEdtCreate" => self.refused_edt(objects, made),
            "ocrOpenclTemplateCreate" => Some(self.by_call(
                made,
                "the kernel cannot be used".into(),
                &[],
                "a kernel is built, and found by its name, when its template is created",
                "Mend what the warning before this message says of its source, name and arguments.",
            )),
            "ocrEdtTemplateAddKernel" => self.refused_kernel(objects, made),
            "ocrOpenclTaskCreate" => {
                let task = self.refused_task(objects, made);
                task.or_else(|| self.refused_edt(objects, made))
            }
            "ocrLegacySpawnOCR" => self.refused_spawn(objects, made),
            "ocrLegacyFinalize" => Some(self.by_call(
                made,
                "an EDT cannot end the run that it is a part of".into(),
                &[],
                "ocrLegacyFinalize waits until the EDTs that run have ended",
                "Call ocrShutdown in the EDT, and ocrLegacyFinalize in main, with runUntilShutdown true.",
            )),
            "ocrLegacyBlockProgress" | "ocrWait" if status == Status::EPERM => {
                Some(self.waits_paused(made))
            }
            "ocrLegacyBlockProgress" => self.refused_wait(objects, made),
            "ocrEdtLocalStorageGet" => self.wrong_storage(made),
            "ocrEdtDestroy" => Some(self.by_call(
                made,
                "the EDT is runnable or running".into(),
                &[made.guid(0)],
                "an EDT can be destroyed as long as one of its pre-slots is not satisfied",
                "Destroy only EDTs that wait, or let the EDT run; EDTs go by themselves when they \
                 have run.",
            )),
            "ocrDbRelease" => Some(self.refused_release(made)),
            "ocrFileRelease" | "ocrFileGetChunk" => self.refused_file(objects, made, status),
            "ocrMapGet" => self.refused_map(objects, made, status),
            "ocrMapCreate" => self.refused_map_creation(made),
            "ocrSetHint" | "ocrGetHint" => self.refused_hint(made),
            "ocrHintInit" | "ocrSetHintValue" | "ocrUnsetHintValue" | "ocrGetHintValue" => {
                Some(self.refused_hint_value(made))
            }
            "ocrAffinityCount"
            | "ocrAffinityGet"
            | "ocrAffinityGetAt"
            | "ocrAffinityQuery"
            | "pdlGetDevicePropertyInt" => Some(self.refused_place(made)),
            "ocrLegacyIsChannelReady" => Some(self.by_call(
                made,
                "the event is not a channel event".into(),
                &[made.guid(0)],
                "only a channel event holds satisfactions for dependences to come",
                "Ask of an event of the kind OCR_EVENT_CHANNEL_T. Whether another one has triggered, \
                 ocrLegacyBlockProgress says, with LEGACY_PROP_CHECK.",
            )),
            "ocrAttachDebugLabel" | "ocrPreAttachDebugLabel" => self.refused_debug_label(made),
            "ocrAddDependenceByValue" if status == Status::EACCES => Some(self.not_held(made)),
            "ocrAddDependenceByValue" => {
                self.refused_dependence(objects, made, status, [0, 1, 2, 3])
            }
            "ocrGroupBegin" | "ocrGroupEnd" => Some(self.refused_group(made)),
            "ocrDbPartition" => Some(self.refused_partition(objects, made, status)),
            "ocrDbCopy" => return self.refused_copy(objects, made, status),
            "ocrEventCollectiveSatisfySlot" => Some(self.refused_contribution(made, status)),
            "ocrGuidFromIndex" | "ocrGuidFromLabel" | "ocrGuidMapDestroy" => {
                self.refused_range(objects, made)
            }
            "ocrGuidRangeCreate" | "ocrGuidMapCreate" => self.refused_range_creation(made),
            "ocrEdtTemplateCreateLabeled" if made.properties() & LABELED == 0 => Some(self.by_call(
                made,
                "properties have none of GUID_PROP_".into(),
                &[],
                "a template is created on a label with GUID_PROP_IS_LABELED, GUID_PROP_CHECK or GUID_PROP_BLOCK",
                "Pass one of these; or call ocrEdtTemplateCreate for a template that has no label.",
            )),
            "ocrNoteCausality" => Some(self.by_call(
                made,
                "sourceTask or destinationTask is not the GUID of an EDT".into(),
                &[],
                "one EDT is a cause of another",
                "Pass the GUIDs that ocrEdtCreate has stored, not those of templates or events.",
            )),
            "ocrEdtTemplateCreate" | "ocrEdtTemplateCreate_internal" => Some(self.by_call(
                made,
                "EDT_PARAM_DEF is no number for a template".into(),
                &[],
                "a template has numbers, or EDT_PARAM_UNK where each EDT says its own",
                "Pass the number of parameters and of pre-slots, or EDT_PARAM_UNK.",
            )),
            _ => None,
        };
        let specific = specific.or_else(|| self.refused_mapped(made));
        let specific = specific.or_else(|| self.wrong_label(objects, made));
        let specific = specific.or_else(|| self.null_guid(made, status));
        specific.or_else(|| made.call.strict.then(|| self.unexplained(made, status)))
    }

    /// NULL_GUID, which some functions with the same kind of argument accept.
    fn null_guid(&self, made: &CallRecord<'_>, status: Status) -> Option<Box<Misuse>> {
        let mut args = made.call.args.iter().enumerate();
        let is_null = |&(at, (_, role)): &(usize, &(_, Role))| {
            matches!(role, Role::Block | Role::Object) && made.guid(at).is_null()
        };
        let (_, (name, role)) = args.find(is_null).filter(|_| status == Status::EINVAL)?;
        Some(self.is_null_guid(made, name, *role))
    }

    fn unexplained(&self, made: &CallRecord<'_>, status: Status) -> Box<Misuse> {
        let code = code_of_misuse(status).unwrap_or("an error");
        self.by_call(
            made,
            format!("the call was refused with {code}"),
            &[],
            "arguments must be as the header says",
            "Compare the arguments above with the description of the function in its header, under \
             \"Errors\".",
        )
    }

    pub(super) fn after_shutdown(&self, made: &CallRecord<'_>) -> Box<Misuse> {
        self.by_call(
            made,
            "this EDT has called ocrShutdown before".into(),
            &[],
            "what a program does behind ocrShutdown may or may not happen (see 2.3.1)",
            "Make ocrShutdown the last call of the last EDT, and do before it what has to be done.",
        )
    }

    pub(super) fn unknown_property(
        &self,
        made: &CallRecord<'_>,
        at: usize,
        known: u32,
    ) -> Box<Misuse> {
        let name = made.call.args[at].0;
        let unknown = made.number(at) as u32 & !known;
        self.by_call(
            made,
            format!("{name} has bits that no property has: 0x{unknown:x}"),
            &[],
            "properties are a combination of the values in ocr-types.h",
            "Pass the properties of this function's objects (EDT_PROP_, EVT_PROP_ or DB_PROP_, and \
             GUID_PROP_), combined with |. A mode or the properties of another kind of object may \
             have got here, or the arguments are in the wrong order.",
        )
    }
}
