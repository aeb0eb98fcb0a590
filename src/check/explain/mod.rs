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
    pub(crate) fn refused(&self, objects: &Objects, call: &CallRecord<'_>, status: Status) -> Option<Box<Misuse>> {
        use Api::*;
        match (call.spec.api, status) {
            (ocrOpenclTaskCreate, Status::ENODEV) => return Some(self.refused_device(call)),
            (_, Status::EGUIDEXISTS) => return self.created_twice(objects, call),
            (ocrDbMalloc | ocrDbMallocOffset | ocrDbFree | ocrDbFreeOffset, _) => {
                return Some(self.by_call(call, &[call.guid(0)], rules::NoMemoryInBlock));
            }
            (ocrDbCopy, Status::ENOMEM) => {}
            _ if MISUSES.contains(&status) => {}
            _ => {
                let file = self.refused_file(objects, call, status);
                return file.or_else(|| self.refused_map(objects, call, status));
            }
        }
        for (at, (_, role)) in call.spec.args.iter().enumerate() {
            if let Some(misuse) = self.wrong_argument(objects, call, at, *role) {
                return Some(misuse);
            }
        }
        if call.spec.api == ocrDbCopy {
            return self.refused_copy(objects, call, status);
        }
        let specific = self.refused_for_its_own(objects, call, status);
        let specific = specific.or_else(|| self.refused_mapped(call));
        let specific = specific.or_else(|| self.wrong_label(objects, call));
        let specific = specific.or_else(|| self.null_guid(call, status));
        specific.or_else(|| call.spec.is_strict().then(|| self.unexplained(call, status)))
    }

    /// What a function asks besides that its arguments are what they are called.
    fn refused_for_its_own(&self, objects: &Objects, call: &CallRecord<'_>, status: Status) -> Option<Box<Misuse>> {
        use Api::*;
        let first = [call.guid(0)];
        match call.spec.api {
            ocrDbCreate => self.refused_block(call),
            ocrDbRelease => Some(self.refused_release(call)),
            ocrDbPartition => Some(self.refused_partition(objects, call, status)),
            ocrEventCreate | ocrEventCreateParams => {
                let label = self.wrong_label(objects, call);
                label.or_else(|| self.refused_event(objects, call))
            }
            ocrEventSatisfy | ocrEventSatisfySlot if !call.guid(0).is_edt() => {
                self.refused_satisfaction(call, call.guid(0), call.number(2), 0)
            }
            // A dependence in all but name, if its destination is an EDT.
            ocrEventSatisfy | ocrEventSatisfySlot | ocrAddDependence | ocrAddDependenceSlot => {
                self.refused_dependence(objects, call, status)
            }
            ocrAddDependenceByValue if status == Status::EACCES => Some(self.not_held(call)),
            ocrAddDependenceByValue => self.refused_dependence(objects, call, status),
            ocrGroupBegin | ocrGroupEnd => Some(self.refused_group(call)),
            ocrEventCollectiveSatisfySlot => Some(self.refused_contribution(call, status)),
            ocrEdtTemplateCreate | ocrEdtTemplateCreate_internal => {
                Some(self.by_call(call, &[], rules::TemplateOfDefault))
            }
            ocrEdtTemplateCreateLabeled => {
                (call.properties() & LABELED == 0).then(|| self.by_call(call, &[], rules::TemplateWithoutLabel))
            }
            ocrEdtCreate => self.refused_edt(objects, call),
            ocrEdtDestroy => Some(self.by_call(call, &first, rules::EdtRuns)),
            ocrOpenclTemplateCreate => Some(self.by_call(call, &[], rules::NoKernel)),
            ocrOpenclTaskCreate => {
                let task = self.refused_task(objects, call);
                task.or_else(|| self.refused_edt(objects, call))
            }
            ocrEdtTemplateAddKernel => self.refused_kernel(objects, call),
            ocrLegacySpawnOCR => self.refused_spawn(objects, call),
            ocrLegacyFinalize => Some(self.by_call(call, &[], rules::FinalizedInEdt)),
            ocrLegacyBlockProgress | ocrWait if status == Status::EPERM => {
                Some(self.by_call(call, &first, rules::WaitsPaused))
            }
            ocrLegacyBlockProgress => self.refused_wait(objects, call),
            ocrLegacyIsChannelReady => Some(self.by_call(call, &first, rules::NotAChannel)),
            ocrEdtLocalStorageGet => self.wrong_storage(call),
            ocrFileRelease | ocrFileGetChunk => self.refused_file(objects, call, status),
            ocrMapGet => self.refused_map(objects, call, status),
            ocrMapCreate => self.refused_map_creation(call),
            ocrSetHint | ocrGetHint => self.refused_hint(call),
            ocrHintInit | ocrSetHintValue | ocrUnsetHintValue | ocrGetHintValue => Some(self.refused_hint_value(call)),
            ocrAffinityCount | ocrAffinityGet | ocrAffinityGetAt | ocrAffinityQuery | pdlGetDevicePropertyInt => {
                Some(self.refused_place(call))
            }
            ocrAttachDebugLabel | ocrPreAttachDebugLabel => self.refused_debug_label(call),
            ocrNoteCausality => Some(self.by_call(call, &[], rules::NotACause)),
            ocrGuidFromIndex | ocrGuidFromLabel | ocrGuidMapDestroy => self.refused_range(objects, call),
            ocrGuidRangeCreate | ocrGuidMapCreate => Some(self.refused_range_creation(call)),
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
    fn null_guid(&self, call: &CallRecord<'_>, status: Status) -> Option<Box<Misuse>> {
        let mut args = call.spec.args.iter().enumerate();
        let is_null = |&(at, (_, role)): &(usize, &(_, Role))| {
            matches!(role, Role::Block | Role::Object) && call.guid(at).is_null()
        };
        let (_, (name, role)) = args.find(is_null).filter(|_| status == Status::EINVAL)?;
        Some(self.is_null_guid(call, name, *role))
    }

    fn unexplained(&self, call: &CallRecord<'_>, status: Status) -> Box<Misuse> {
        let code = code_of_misuse(status).unwrap_or("an error");
        self.by_call(call, &[], rules::Unexplained { code })
    }

    /// A number, the argument `at`, that is not 0, and an array, the next one, that is NULL: the name of the number,
    /// that of the array, and the number.
    fn missing_array(&self, call: &CallRecord<'_>, at: usize) -> Option<(&'static str, &'static str, u32)> {
        let [number, array] = [at, at + 1].map(|at| call.spec.args[at].0);
        let count = call.number(at) as u32;
        (count != 0 && call.number(at + 1) == 0).then_some((number, array, count))
    }
}

/// The template that a call was given.
fn template_of(call: &CallRecord<'_>) -> Guid {
    Guid::from_bits(call.given(Role::Template))
}
