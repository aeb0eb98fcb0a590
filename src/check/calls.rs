//! The C functions that are checked: a line for each, with its clause and what its arguments are.
//!
//! The functions are those of the headers ([`Api`]): one that has no line here, or whose arguments have other names
//! there, does not compile.

use crate::abi::names::{self, Names};
use crate::abi::{Api, sys};
use crate::object::guid::Guid;
use crate::status::Status;

/// What an argument of a call is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// Where the answer is written; NULL is a misuse.
    Out,
    /// A function; NULL is a misuse.
    Function,
    /// A text; NULL is a misuse.
    Text,
    Event,
    /// An event that a thread waits for.
    Awaited,
    Edt,
    /// The GUID of a template.
    Template,
    /// A data block, or `NULL_GUID`.
    Block,
    /// What a dependence comes from: a block, an event or `NULL_GUID`.
    Source,
    /// What a dependence leads to: an EDT or an event.
    Destination,
    /// What an event is satisfied with: a block or `NULL_GUID`.
    Data,
    /// An object that can have hints.
    Hinted,
    /// An object that can have a debug label.
    Labelled,
    /// A map with a creator.
    Map,
    /// An object of any kind.
    Object,
    /// A GUID of which the function itself says what is wrong with it.
    Guid,
    /// Properties: those that have these names, and these bits, which are accepted besides.
    Properties(&'static Names, u32),
    /// A number that must be one of these, by the names of the headers.
    OneOf(&'static Names),
    /// How many parameters an EDT has.
    ParamCount,
    /// How many pre-slots an EDT has.
    DepCount,
    /// The parameters of an EDT; may be NULL.
    Paramv,
    /// The dependences of a new EDT; may be NULL.
    Depv,
    /// The dependences of a new EDT, the first of which is overwritten; NULL is a misuse.
    DepvOut,
    /// A variable with hints; may be NULL.
    Hint,
    /// A variable with hints; NULL is a misuse.
    HintOut,
    /// Where the output event of a new EDT is written, or stands; may be NULL.
    OutputEvent,
    /// The name that an object gets.
    DebugLabel,
    /// Which pre-slot of the destination.
    Slot,
    /// A number of which strict mode checks nothing.
    Number,
    /// The access mode of a dependence.
    Mode,
    /// A pointer that may be null, or something else of no interest to a message.
    Other,
}

impl Role {
    /// Whether an argument is a pointer, for messages.
    pub(crate) fn is_pointer(self) -> bool {
        use Role::*;
        matches!(self, Paramv | Depv | Hint | OutputEvent | DebugLabel | Other) || self.must_not_be_null()
    }

    /// Whether NULL is a misuse.
    pub(crate) fn must_not_be_null(self) -> bool {
        use Role::*;
        matches!(self, Out | Function | Text | DepvOut | HintOut)
    }

    /// Whether an argument is the GUID of an object, or `NULL_GUID`.
    pub(crate) fn is_guid(self) -> bool {
        use Role::*;
        matches!(
            self,
            Event | Awaited | Edt | Template | Block | Source | Destination | Data | Hinted | Labelled | Map | Object
        )
    }
}

/// What is special about a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Manner {
    Plain,
    /// A refusal that no rule explains is none of a misuse.
    Lenient,
    /// The function waits for the first object of a labeled GUID that it is given.
    Waits,
    /// The function destroys the object that it is given.
    Destroys,
}

/// The kind of object that a function creates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Creates {
    Block,
    Event,
    Template,
    Edt,
    /// A range or a map of labeled GUIDs.
    Labels,
    /// A map with a creator.
    Map,
    /// A file, and the block with its descriptor.
    File,
}

/// What strict mode knows of a function of the C interface.
#[derive(Debug)]
pub(crate) struct CallSpec {
    /// The function that it describes.
    pub api: Api,
    /// Where it is specified: a clause of OCR 1.1.0, or a header.
    place: &'static str,
    /// The names of its arguments, as in its header, and what they are.
    pub args: &'static [(&'static str, Role)],
    /// What it creates, if it is a create function.
    pub creates: Option<Creates>,
    manner: Manner,
}

impl CallSpec {
    /// The name that programs use.
    pub(crate) fn shown(&self) -> &'static str {
        self.api.shown()
    }

    /// Where it is specified, for people.
    pub(crate) fn clause(&self) -> String {
        in_full(self.place)
    }

    /// Whether a refusal that no rule explains is a misuse, too.
    pub(crate) fn is_strict(&self) -> bool {
        self.manner != Manner::Lenient
    }

    /// Whether it waits for the first object of a labeled GUID that it is given.
    pub(crate) fn can_wait(&self) -> bool {
        self.manner == Manner::Waits
    }

    /// Whether it destroys the object that it is given.
    pub(crate) fn destroys(&self) -> bool {
        self.manner == Manner::Destroys
    }

    /// Which argument has this role, the first if there are several.
    pub(crate) fn at(&self, role: Role) -> Option<usize> {
        self.position(|other| other == role)
    }

    /// Which argument has such a role, the first if there are several.
    pub(crate) fn position(&self, fits: impl Fn(Role) -> bool) -> Option<usize> {
        self.args.iter().position(|(_, role)| fits(*role))
    }
}

/// A clause of OCR 1.1.0, or another place, as people name it.
pub(crate) fn in_full(place: &str) -> String {
    let is_clause = place.starts_with(|c: char| c.is_ascii_digit()) || place.starts_with("B.");
    if is_clause { format!("OCR 1.1.0, {place}") } else { place.to_string() }
}

/// What a call asks to connect: a dependence, or a satisfaction, which is one from data.
#[derive(Clone, Copy)]
pub(crate) struct Connection {
    pub source: Guid,
    pub destination: Guid,
    /// The pre-slot of the destination.
    pub slot: u64,
    /// The mode; of a satisfaction that in which an EDT gets data.
    pub mode: u32,
    /// Which argument is the destination.
    pub destination_at: usize,
}

impl Connection {
    /// What these arguments of a function ask to connect, if it is one that connects.
    pub(crate) fn of(call: &CallSpec, args: &[u64]) -> Option<Connection> {
        let word = |at: usize| args.get(at).copied().unwrap_or(0);
        let destination_at = call.at(Role::Destination)?;
        let source = call.position(|role| matches!(role, Role::Source | Role::Data | Role::Block));
        Some(Connection {
            source: Guid::from_bits(word(source?)),
            destination: Guid::from_bits(word(destination_at)),
            slot: call.at(Role::Slot).map_or(0, word),
            mode: (call.at(Role::Mode)).map_or(sys::DB_MODE_RW, |at| word(at) as u32),
            destination_at,
        })
    }
}

/// The most arguments that a function has.
pub(crate) const MAX_ARGS: usize = 13;

/// The status codes of a misuse. The others tell of the machine, or answer a question.
pub(crate) const MISUSES: [Status; 3] = [Status::EPERM, Status::EACCES, Status::EINVAL];

/// The name of the status code of a misuse.
pub(crate) fn code_of_misuse(status: Status) -> Option<&'static str> {
    match status {
        Status::EPERM => Some("OCR_EPERM"),
        Status::EACCES => Some("OCR_EACCES"),
        Status::EINVAL => Some("OCR_EINVAL"),
        _ => None,
    }
}

/// `GUID_PROP_IS_LABELED`, which is in the other properties of labels.
pub(crate) const LABELED: u32 = sys::GUID_PROP_IS_LABELED as u32;
/// All bits of the properties `GUID_PROP_…`.
pub(crate) const LABEL_PROPERTIES: u32 = bits_of(names::LABEL_PROPERTIES);
/// `EDT_PROP_OEVT_VALID`: the output event of a new EDT is given.
pub(crate) const OEVT_VALID: u32 = sys::EDT_PROP_OEVT_VALID as u32;
/// `EVT_PROP_TAKES_ARG`: the event passes a data block on.
pub(crate) const TAKES_ARG: u32 = sys::EVT_PROP_TAKES_ARG as u32;
/// What `EDT_PROP_MAPPED` and the like have that no other property has.
pub(crate) const MAPPED: u32 = sys::EDT_PROP_MAPPED as u32 & !LABELED;

/// The bits that have names, together.
pub(crate) const fn bits_of(names: &Names) -> u32 {
    let (mut bits, mut at) = (0, 0);
    while at < names.len() {
        bits |= names[at].0;
        at += 1;
    }
    bits
}

const EDT_PROPS: Role = Role::Properties(names::EDT_PROPERTIES, 0);
const EVENT_PROPS: Role = Role::Properties(names::EVENT_PROPERTIES, 0);
/// Programs pass `true` for the flags of a block, too.
const BLOCK_PROPS: Role = Role::Properties(names::BLOCK_PROPERTIES, 1);
const TEMPLATE_PROPS: Role = Role::Properties(names::TEMPLATE_PROPERTIES, 0);
const PARTITION_PROPS: Role = Role::Properties(names::PARTITION_PROPERTIES, 0);
/// The function itself says what is wrong with them.
const WAIT_PROPS: Role = Role::Properties(names::LEGACY_PROPERTIES, u16::MAX as u32);
const NO_PROPS: Role = Role::Properties(&[], 0);
const EVENT_TYPE: Role = Role::OneOf(names::EVENT_TYPES);
const HINT_TYPE: Role = Role::OneOf(names::HINT_TYPES);
const HINT_PROP: Role = Role::OneOf(names::HINT_PROPERTIES);
const PLACE_KIND: Role = Role::OneOf(names::AFFINITY_KINDS);
const OBJECT_KIND: Role = Role::OneOf(names::OBJECT_KINDS);
const QUERY: Role = Role::OneOf(names::QUERIES);

/// The table of functions, a line for each:
/// `NAME MANNER "CLAUSE" (ARGUMENT: ROLE, ...) -> CREATES;`, without manner and what it creates where there is none.
/// Behind them stand those that strict mode does not check.
macro_rules! calls {
    (checked {$(
        $name:ident $($manner:ident)? $clause:literal ($($arg:ident: $role:expr),*) $(-> $creates:ident)?;
    )*}
    unchecked { $($other:ident)* }) => {
        impl Api {
            /// What strict mode knows of the function; nothing if it does not check it.
            pub(crate) const fn spec(self) -> Option<&'static CallSpec> {
                #[allow(unused_imports)]
                use Role::*;
                match self {
                    $(Api::$name => Some(&CallSpec {
                        api: Api::$name,
                        place: $clause,
                        args: &[$((stringify!($arg), $role)),*],
                        creates: calls!(@creates $($creates)?),
                        manner: calls!(@manner $($manner)?),
                    }),)*
                    $(Api::$other)|* => None,
                }
            }
        }

        $(const _: () = assert!(
            names_agree(Api::$name.spec(), Api::$name.arguments()),
            concat!("the arguments of ", stringify!($name), " have other names in its header"),
        );)*
    };
    (@creates) => { None };
    (@creates $what:ident) => { Some(Creates::$what) };
    (@manner) => { Manner::Plain };
    (@manner lenient) => { Manner::Lenient };
    (@manner waits) => { Manner::Waits };
    (@manner destroys) => { Manner::Destroys };
}

calls! {
checked {
    ocrShutdown "2.3.1" ();

    ocrDbCreate "2.5.1" (db: Out, addr: Other, len: Number, flags: BLOCK_PROPS, hint: Hint, allocator: Number) -> Block;
    ocrDbDestroy destroys "2.5.2" (db: Block);
    ocrDbRelease "2.5.3" (db: Block);
    ocrDbCopy "ocr-db.h" (destination: Block, destinationOffset: Number, source: Block, sourceOffset: Number, size: Number, copyType: Number, completionEvt: Other);
    ocrDbMalloc "ocr-db.h" (guid: Block, size: Number, addr: Other);
    ocrDbMallocOffset "ocr-db.h" (guid: Block, size: Number, offset: Other);
    ocrDbFree "ocr-db.h" (guid: Block, addr: Other);
    ocrDbFreeOffset "ocr-db.h" (guid: Block, offset: Number);
    ocrDbGetSize "extensions/ocr-db-info.h" (db: Block, size: Out);
    ocrDbPartition "extensions/ocr-db-partitioning.h" (dbGuid: Block, partCount: Number, partitions: Out, properties: PARTITION_PROPS);

    ocrEventCreate "2.6.1" (guid: Out, eventType: EVENT_TYPE, properties: EVENT_PROPS) -> Event;
    ocrEventCreateParams "B.3.3" (guid: Out, eventType: EVENT_TYPE, properties: EVENT_PROPS, params: Other) -> Event;
    ocrEventDestroy destroys "2.6.2" (guid: Event);
    ocrEventSatisfy waits "2.6.3" (eventGuid: Destination, dataGuid: Data);
    ocrEventSatisfySlot waits "2.6.4" (eventGuid: Destination, dataGuid: Data, slot: Slot);
    ocrEventCollectiveSatisfySlot "extensions/ocr-reduction-event.h" (eventGuid: Event, dataPtr: Other, islot: Number);

    ocrEdtTemplateCreate "2.7.1" (guid: Out, funcPtr: Function, paramc: ParamCount, depc: DepCount) -> Template;
    ocrEdtTemplateCreate_internal "2.7.1" (guid: Out, funcPtr: Function, paramc: ParamCount, depc: DepCount, funcName: Other) -> Template;
    ocrEdtTemplateCreateLabeled "extensions/ocr-labeling.h" (guid: Out, funcPtr: Function, paramc: ParamCount, depc: DepCount, properties: TEMPLATE_PROPS, funcName: Other) -> Template;
    ocrEdtTemplateDestroy destroys "2.7.2" (guid: Template);
    ocrEdtCreate waits "2.7.3" (guid: Other, templateGuid: Template, paramc: ParamCount, paramv: Paramv, depc: DepCount, depv: Depv, properties: EDT_PROPS, hint: Hint, outputEvent: OutputEvent) -> Edt;
    ocrEdtDestroy destroys "2.7.4" (guid: Edt);

    ocrAddDependence waits "2.8.1" (source: Source, destination: Destination, slot: Slot, mode: Mode);
    ocrAddDependenceSlot waits "OCR 1.2; without sslot: OCR 1.1.0, 2.8.1" (source: Source, sslot: Number, destination: Destination, dslot: Slot, mode: Mode);
    ocrAddDependenceByValue "extensions/ocr-db-by-value.h" (sourceDb: Block, destination: Destination, slot: Slot, mode: Mode);
    ocrGroupBegin "extensions/ocr-db-by-value.h" ();
    ocrGroupEnd "extensions/ocr-db-by-value.h" ();

    ocrHintInit "B.1.2" (hint: Out, hintType: HINT_TYPE);
    ocrSetHintValue "B.1.3" (hint: Hint, hintProp: HINT_PROP, value: Number);
    ocrUnsetHintValue "B.1.4" (hint: HintOut, hintProp: HINT_PROP);
    ocrGetHintValue "B.1.5" (hint: HintOut, hintProp: HINT_PROP, value: Out);
    // An EDT may end meanwhile.
    ocrSetHint lenient "B.1.6" (guid: Hinted, hint: Hint);
    ocrGetHint lenient "B.1.7" (guid: Hinted, hint: Hint);

    ocrGuidMapCreate "B.2.2.1" (mapGuid: Out, numParams: Number, mapFunc: Function, params: Other, numberGuid: Number, kind: OBJECT_KIND) -> Labels;
    ocrGuidRangeCreate "B.2.2.2" (rangeGuid: Out, numberGuid: Number, kind: OBJECT_KIND) -> Labels;
    ocrGuidMapDestroy destroys "B.2.2.3" (mapGuid: Object);
    ocrGuidFromLabel "B.2.2.4" (outGuid: Out, mapGuid: Object, tuple: Other);
    ocrGuidFromIndex "B.2.2.5" (outGuid: Out, rangeGuid: Object, idx: Number);
    ocrGetGuidKind "B.2.2.6" (outKind: Out, guid: Guid);

    ocrAffinityCount "extensions/ocr-affinity.h" (kind: PLACE_KIND, count: Out);
    ocrAffinityGet "extensions/ocr-affinity.h" (kind: PLACE_KIND, count: Out, affinities: Out);
    ocrAffinityGetAt "extensions/ocr-affinity.h" (kind: PLACE_KIND, idx: Number, affinity: Out);
    ocrAffinityGetCurrent "extensions/ocr-affinity.h" (affinity: Out);
    ocrAffinityQuery "extensions/ocr-affinity.h" (guid: Object, count: Other, affinities: Out);

    ocrAttachDebugLabel "extensions/ocr-debug.h" (object: Labelled, label: DebugLabel, paramc: Number, paramv: Other);
    ocrPreAttachDebugLabel "extensions/ocr-debug.h" (label: DebugLabel, paramc: Number, paramv: Other);
    ocrNoteCausality "extensions/ocr-debug.h" (sourceTask: Guid, destinationTask: Guid);

    // What is wrong with a file is said where it is opened.
    ocrFileOpen lenient "extensions/ocr-file.h" (fileGuid: Out, path: Text, mode: Text, descriptorDb: Other, properties: NO_PROPS) -> File;
    ocrFileRelease "extensions/ocr-file.h" (fileGuid: Object);
    ocrFileGetChunk "extensions/ocr-file.h" (chunkDbGuid: Out, fileGuid: Object, offset: Number, size: Number) -> Block;

    ocrRegisterEdtFuntion "extensions/ocr-heterogeneous.h" (funcPtr: Function);

    ocrLegacySpawnOCR "extensions/ocr-legacy.h" (handle: Out, finishEdtTemplate: Template, paramc: ParamCount, paramv: Paramv, depc: DepCount, depv: DepvOut, legacyContext: Other);
    // Refused where an EDT calls it.
    ocrLegacyFinalize "extensions/ocr-legacy.h" (legacyContext: Guid, runUntilShutdown: Number);
    // With properties a refusal may be an answer.
    ocrLegacyBlockProgress lenient "extensions/ocr-legacy.h" (handle: Guid, guid: Other, result: Other, size: Other, properties: WAIT_PROPS);
    // The program may end meanwhile.
    ocrWait lenient "extensions/ocr-legacy.h" (outputEvent: Awaited);
    ocrLegacyIsChannelReady "extensions/ocr-legacy.h" (channelGuid: Event);

    ocrMapCreate "extensions/ocr-map-creator.h" (mapGuid: Out, size: Number, creatorFunc: Function, paramc: Number, paramv: Other, guidc: Number, guidv: Other) -> Map;
    ocrMapGet "extensions/ocr-map-creator.h" (lid: Out, mapGuid: Map, index: Number);
    ocrMapDestroy destroys "extensions/ocr-map-creator.h" (mapGuid: Map);
    ocrGetGuid "extensions/ocr-map-creator.h" (guid: Out, sourceId: Object);

    ocrOpenclTemplateCreate "extensions/ocr-opencl.h" (guid: Out, source: Text, options: Other, kernelFnc: Text, paramc: ParamCount, depc: DepCount, name: Other) -> Template;
    ocrOpenclTaskCreate waits "extensions/ocr-opencl.h" (guid: Other, templateGuid: Template, work_dim: Number, global_work_offset: Other, global_work_size: Other, local_work_size: Other, paramc: ParamCount, paramv: Paramv, depc: DepCount, depv: Depv, properties: EDT_PROPS, affinity: Object, outputEvent: OutputEvent) -> Edt;
    // What does not build is said where it is built, and EDTs of the template may have a function.
    ocrEdtTemplateAddKernel lenient "extensions/ocr-variants.h" (templateGuid: Template, source: Text, options: Other, kernelName: Text, range: Function, resultSlot: Number);
    ocrEdtTemplateAddFunction "extensions/ocr-variants.h" (templateGuid: Template, function: Function, name: Other);

    ocrQuery "extensions/ocr-pause.h" (query: QUERY, guid: Object, result: Other, size: Other, flags: Number);
    ocrResume "extensions/ocr-pause.h" (flag: Number);
    pdlGetDevicePropertyInt "extensions/ocr-pdl.h" (device: Object, propertyName: Text, value: Out);

    ocrElsUserGet "extensions/ocr-runtime-itf.h" (offset: Number);
    ocrElsUserSet "extensions/ocr-runtime-itf.h" (offset: Number, data: Guid);
    ocrEdtLocalStorageGet "extensions/ocr-runtime-itf.h" (ptr: Out, elsSize: Out);
    // The caller may be no EDT.
    ocrCurrentEdtGet lenient "extensions/ocr-runtime-itf.h" (curEdt: Out);
    ocrCurrentEdtOutputGet lenient "extensions/ocr-runtime-itf.h" (outputEvent: Out);
    ocrStatsGet "extensions/ocr-stats.h" (stats: Out);
}

unchecked {
    addValueToGuid ocrPrintf PRINTF SNPRINTF _ocrAssert ocrAbort getArgc getArgv ocrGetArgc ocrGetArgv ocrParseArgs
    ocrVersionExtractMajor ocrVersionExtractMinor ocrVersionExtractPatch ocrVersionExtensionBitmap
    ocrProgressReport ocrApplicationGroup ocrSystemLoadGet ocrAffinityToHintValue ocrFileGetGuid ocrFileGetSize
    registerEdtFunctions ocrRegisterFunctionPointer ocrEncodeFunctionPointer ocrDecodeFunctionPointer
    ocrLegacyInit ocrGuidMapSetDefaultMap ocrGetIdType ocrPause ocrCheckpoint ocrInjectFault pdlGetDevicePropertyString
    currentEdtUserGet ocrNbWorkers ocrCurrentWorkerGuid ocrInformLegacyCodeBlocking ocrPolicyName
}
}

/// Whether the arguments of a function have the names that its header gives them.
const fn names_agree(call: Option<&CallSpec>, names: &[&str]) -> bool {
    let Some(call) = call else { return true };
    let mut same = call.args.len() == names.len() && names.len() <= MAX_ARGS;
    let mut at = 0;
    while same && at < names.len() {
        same = is_same(call.args[at].0.as_bytes(), names[at].as_bytes());
        at += 1;
    }
    same
}

const fn is_same(a: &[u8], b: &[u8]) -> bool {
    let mut same = a.len() == b.len();
    let mut at = 0;
    while same && at < a.len() {
        same = a[at] == b[at];
        at += 1;
    }
    same
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clauses_are_written_in_full() {
        let clause = |api: Api| api.spec().map(CallSpec::clause);
        let of_a_header = Some("extensions/ocr-file.h".to_string());
        assert_eq!(clause(Api::ocrEventSatisfy), Some("OCR 1.1.0, 2.6.3".into()));
        assert_eq!(clause(Api::ocrFileOpen), of_a_header);
        assert_eq!(clause(Api::ocrPrintf), None);
    }

    #[test]
    fn what_is_connected_is_known_by_roles() {
        let link = |api: Api, args: &[u64]| {
            let link = Connection::of(api.spec()?, args)?;
            Some((link.source.bits(), link.destination.bits(), link.slot, link.mode))
        };
        assert_eq!(link(Api::ocrAddDependence, &[1, 2, 3, sys::DB_MODE_EW as u64]), Some((1, 2, 3, sys::DB_MODE_EW)));
        assert_eq!(link(Api::ocrAddDependenceSlot, &[1, 9, 2, 3, 0]), Some((1, 2, 3, sys::DB_MODE_NULL)));
        assert_eq!(link(Api::ocrEventSatisfy, &[2, 1]), Some((1, 2, 0, sys::DB_MODE_RW)));
        assert_eq!(link(Api::ocrEdtCreate, &[1, 2]), None);
    }
}
