//! Why a call was refused, found from its arguments, the objects as they are, and their history. What is found is
//! reported in the words of `check::rules`: here are the cases alone.
//!
//! | file | what it has |
//! |---|---|
//! | `arguments.rs` | an argument that is none, or the GUID of something else or of nothing |
//! | `edt.rs`, `dependence.rs`, `event.rs` | an EDT was not created, a dependence not added, an event not created or satisfied |
//! | `block.rs` | calls about data blocks |
//! | `label.rs`, `map.rs` | labeled GUIDs; files, maps and creators |
//! | `hint.rs` | hints, places, debug labels |
//! | `result.rs` | the blocks that an EDT gets, and what it returns |
//! | `runtime.rs` | calls that return no status, and what no call may do |

mod arguments;
mod block;
mod dependence;
mod edt;
mod event;
mod hint;
mod label;
mod map;
mod result;
mod runtime;

use super::calls::{LABELED, MISUSES, Role, code_of_misuse};
use super::rules;
use super::{CallRecord, Check, Misuse};
use crate::abi::Api;
use crate::object::Objects;
use crate::object::guid::Guid;
use crate::status::Status;

impl Check {
    /// What was wrong with a call that returned `status`; none where the status tells of the machine
    /// or answers a question.
    pub(crate) fn refused(&self, objects: &Objects, made: &CallRecord<'_>, status: Status) -> Option<Box<Misuse>> {
        use Api::*;
        match (made.call.api, status) {
            (ocrOpenclTaskCreate, Status::ENODEV) => return Some(self.refused_device(made)),
            (_, Status::EGUIDEXISTS) => return self.created_twice(objects, made),
            (ocrDbMalloc | ocrDbMallocOffset | ocrDbFree | ocrDbFreeOffset, _) => {
                return Some(self.by_call(made, &[made.guid(0)], rules::NoMemoryInBlock));
            }
            (ocrDbCopy, Status::ENOMEM) => {}
            _ if MISUSES.contains(&status) => {}
            _ => {
                let file = self.refused_file(objects, made, status);
                return file.or_else(|| self.refused_map(objects, made, status));
            }
        }
        for (at, (_, role)) in made.call.args.iter().enumerate() {
            if let Some(misuse) = self.wrong_argument(objects, made, at, *role) {
                return Some(misuse);
            }
        }
        if made.call.api == ocrDbCopy {
            return self.refused_copy(objects, made, status);
        }
        let specific = self.refused_for_its_own(objects, made, status);
        let specific = specific.or_else(|| self.refused_mapped(made));
        let specific = specific.or_else(|| self.wrong_label(objects, made));
        let specific = specific.or_else(|| self.null_guid(made, status));
        specific.or_else(|| made.call.is_strict().then(|| self.unexplained(made, status)))
    }

    /// What a function asks besides that its arguments are what they are called.
    fn refused_for_its_own(&self, objects: &Objects, made: &CallRecord<'_>, status: Status) -> Option<Box<Misuse>> {
        use Api::*;
        let first = [made.guid(0)];
        match made.call.api {
            ocrDbCreate => self.refused_block(made),
            ocrDbRelease => Some(self.refused_release(made)),
            ocrDbPartition => Some(self.refused_partition(objects, made, status)),
            ocrEventCreate | ocrEventCreateParams => {
                let label = self.wrong_label(objects, made);
                label.or_else(|| self.refused_event(objects, made))
            }
            ocrEventSatisfy | ocrEventSatisfySlot if !made.guid(0).is_edt() => {
                self.refused_satisfaction(made, made.guid(0), made.number(2), 0)
            }
            // A dependence in all but name, if its destination is an EDT.
            ocrEventSatisfy | ocrEventSatisfySlot | ocrAddDependence | ocrAddDependenceSlot => {
                self.refused_dependence(objects, made, status)
            }
            ocrAddDependenceByValue if status == Status::EACCES => Some(self.not_held(made)),
            ocrAddDependenceByValue => self.refused_dependence(objects, made, status),
            ocrGroupBegin | ocrGroupEnd => Some(self.refused_group(made)),
            ocrEventCollectiveSatisfySlot => Some(self.refused_contribution(made, status)),
            ocrEdtTemplateCreate | ocrEdtTemplateCreate_internal => {
                Some(self.by_call(made, &[], rules::TemplateOfDefault))
            }
            ocrEdtTemplateCreateLabeled => {
                (made.properties() & LABELED == 0).then(|| self.by_call(made, &[], rules::TemplateWithoutLabel))
            }
            ocrEdtCreate => self.refused_edt(objects, made),
            ocrEdtDestroy => Some(self.by_call(made, &first, rules::EdtRuns)),
            ocrOpenclTemplateCreate => Some(self.by_call(made, &[], rules::NoKernel)),
            ocrOpenclTaskCreate => {
                let task = self.refused_task(objects, made);
                task.or_else(|| self.refused_edt(objects, made))
            }
            ocrEdtTemplateAddKernel => self.refused_kernel(objects, made),
            ocrLegacySpawnOCR => self.refused_spawn(objects, made),
            ocrLegacyFinalize => Some(self.by_call(made, &[], rules::FinalizedInEdt)),
            ocrLegacyBlockProgress | ocrWait if status == Status::EPERM => {
                Some(self.by_call(made, &first, rules::WaitsPaused))
            }
            ocrLegacyBlockProgress => self.refused_wait(objects, made),
            ocrLegacyIsChannelReady => Some(self.by_call(made, &first, rules::NotAChannel)),
            ocrEdtLocalStorageGet => self.wrong_storage(made),
            ocrFileRelease | ocrFileGetChunk => self.refused_file(objects, made, status),
            ocrMapGet => self.refused_map(objects, made, status),
            ocrMapCreate => self.refused_map_creation(made),
            ocrSetHint | ocrGetHint => self.refused_hint(made),
            ocrHintInit | ocrSetHintValue | ocrUnsetHintValue | ocrGetHintValue => Some(self.refused_hint_value(made)),
            ocrAffinityCount | ocrAffinityGet | ocrAffinityGetAt | ocrAffinityQuery | pdlGetDevicePropertyInt => {
                Some(self.refused_place(made))
            }
            ocrAttachDebugLabel | ocrPreAttachDebugLabel => self.refused_debug_label(made),
            ocrNoteCausality => Some(self.by_call(made, &[], rules::NotACause)),
            ocrGuidFromIndex | ocrGuidFromLabel | ocrGuidMapDestroy => self.refused_range(objects, made),
            ocrGuidRangeCreate | ocrGuidMapCreate => Some(self.refused_range_creation(made)),
            // The functions from here on are refused for their arguments alone, which are judged before.
            ocrShutdown
            | ocrDbDestroy
            | ocrDbGetSize
            | ocrEventDestroy
            | ocrEdtTemplateDestroy
            | ocrEdtTemplateAddFunction
            | ocrRegisterEdtFuntion
            | ocrGetGuidKind
            | ocrAffinityGetCurrent
            | ocrFileOpen
            | ocrMapDestroy
            | ocrGetGuid
            | ocrQuery
            | ocrResume
            | ocrElsUserGet
            | ocrElsUserSet
            | ocrCurrentEdtGet
            | ocrCurrentEdtOutputGet
            | ocrStatsGet
            | ocrWait => None,
            // A call of these ends in another way before it comes here.
            ocrDbCopy | ocrDbMalloc | ocrDbMallocOffset | ocrDbFree | ocrDbFreeOffset => None,
            // The functions from here on are not checked.
            addValueToGuid
            | ocrPrintf
            | PRINTF
            | SNPRINTF
            | _ocrAssert
            | ocrAbort
            | getArgc
            | getArgv
            | ocrGetArgc
            | ocrGetArgv
            | ocrParseArgs
            | ocrVersionExtractMajor
            | ocrVersionExtractMinor
            | ocrVersionExtractPatch
            | ocrVersionExtensionBitmap
            | ocrProgressReport
            | ocrApplicationGroup
            | ocrSystemLoadGet
            | ocrAffinityToHintValue
            | ocrFileGetGuid
            | ocrFileGetSize
            | registerEdtFunctions
            | ocrRegisterFunctionPointer
            | ocrEncodeFunctionPointer
            | ocrDecodeFunctionPointer
            | ocrLegacyInit
            | ocrGuidMapSetDefaultMap
            | ocrGetIdType
            | ocrPause
            | ocrInjectFault
            | ocrCheckpoint
            | pdlGetDevicePropertyString
            | currentEdtUserGet
            | ocrNbWorkers
            | ocrCurrentWorkerGuid
            | ocrInformLegacyCodeBlocking
            | ocrPolicyName => None,
        }
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
        self.by_call(made, &[], rules::Unexplained { code })
    }

    /// A number, the argument `at`, that is not 0, and an array, the next one, that is NULL: the name of the number,
    /// that of the array, and the number.
    fn missing_array(&self, made: &CallRecord<'_>, at: usize) -> Option<(&'static str, &'static str, u32)> {
        let [number, array] = [at, at + 1].map(|at| made.call.args[at].0);
        let count = made.number(at) as u32;
        (count != 0 && made.number(at + 1) == 0).then_some((number, array, count))
    }
}

/// The template that a call was given.
fn template_of(made: &CallRecord<'_>) -> Guid {
    Guid::from_bits(made.given(Role::Template))
}
