//! The C functions that are checked: their clauses, and what each argument is.

use super::names::{self, Names};
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
    /// An EDT template.
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
    /// Properties; these bits exist, and have these names.
    Properties(u32, &'static Names),
    /// One of these numbers.
    OneOf(&'static Names),
    /// A number of parameters or pre-slots.
    Count,
    /// A number of which strict mode checks nothing.
    Number,
    /// An access mode.
    Mode,
    /// A pointer that may be null, or something else of no interest to a message.
    Other,
}

/// A C function.
#[derive(Debug)]
pub(crate) struct CallSpec {
    /// The name of the C function.
    pub name: &'static str,
    /// Where it is specified, for people.
    pub clause: &'static str,
    /// The names of its arguments, as in its header, and what they are.
    pub args: &'static [(&'static str, Role)],
    /// Whether a refusal that no rule explains is a misuse, too.
    pub strict: bool,
}

impl CallSpec {
    /// The name that programs use.
    pub(crate) fn shown(&self) -> &'static str {
        self.name.strip_suffix("_internal").unwrap_or(self.name)
    }

    /// Whether it waits for the first object of a labeled GUID that it is given.
    pub(crate) fn can_wait(&self) -> bool {
        matches!(
            self.name,
            "ocrAddDependence"
                | "ocrAddDependenceSlot"
                | "ocrEventSatisfy"
                | "ocrEventSatisfySlot"
                | "ocrEdtCreate"
                | "ocrOpenclTaskCreate"
        )
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

// This room does not know the headers; `capi/strict.rs` compares the numbers from here on with theirs.

/// `GUID_PROP_IS_LABELED`, which is in the other properties of labels.
pub(crate) const LABELED: u32 = 0x100;
/// All bits of the properties `GUID_PROP_…`.
pub(crate) const LABEL_PROPERTIES: u32 = 0x700;
/// `GUID_PROP_`, `_PROP_MAPPED` and `_PROP_LID`.
const GUID_PROPERTIES: u32 = LABEL_PROPERTIES | MAPPED | LOCAL;
/// `EDT_PROP_OEVT_VALID`.
pub(crate) const OEVT_VALID: u32 = 8;
/// `EVT_PROP_TAKES_ARG`.
pub(crate) const TAKES_ARG: u32 = 1;
/// `ELS_USER_SIZE`.
pub(crate) const LOCAL_SLOTS: u64 = 4;

/// What `EDT_PROP_MAPPED` and the like have that no other property has.
pub(crate) const MAPPED: u32 = 0x800;
/// `EDT_PROP_LID` and the like: an identifier that is good in one EDT would do.
pub(crate) const LOCAL: u32 = 0x80;
const EDT_PROPERTIES: Role = Role::Properties(GUID_PROPERTIES | 0xf, names::EDT_PROPERTIES);
const EVENT_PROPERTIES: Role = Role::Properties(GUID_PROPERTIES | 0x1, names::EVENT_PROPERTIES);
/// Programs pass `true` for the flags of a block, too.
const BLOCK_PROPERTIES: Role = Role::Properties(GUID_PROPERTIES | 0x71, names::BLOCK_PROPERTIES);

const fn call(
    name: &'static str,
    clause: &'static str,
    args: &'static [(&'static str, Role)],
) -> CallSpec {
    CallSpec {
        name,
        clause,
        args,
        strict: true,
    }
}

const fn lenient(call: CallSpec) -> CallSpec {
    CallSpec {
        strict: false,
        ..call
    }
}

/// Every function whose calls strict mode looks at.
pub(crate) const CALLS: &[CallSpec] = &[
    call("ocrShutdown", "OCR 1.1.0, 2.3.1", &[]),
    call(
        "ocrDbCreate",
        "OCR 1.1.0, 2.5.1",
        &[
            ("db", Role::Out),
            ("addr", Role::Other),
            ("len", Role::Number),
            ("flags", BLOCK_PROPERTIES),
            ("hint", Role::Other),
            ("allocator", Role::Number),
        ],
    ),
    call("ocrDbDestroy", "OCR 1.1.0, 2.5.2", &[("db", Role::Block)]),
    call("ocrDbRelease", "OCR 1.1.0, 2.5.3", &[("db", Role::Block)]),
    call(
        "ocrDbPartition",
        "extensions/ocr-db-partitioning.h",
        &[
            ("dbGuid", Role::Block),
            ("partCount", Role::Number),
            ("partitions", Role::Out),
            ("properties", Role::Properties(0x1, &[])),
        ],
    ),
    call(
        "ocrDbCopy",
        "ocr-db.h",
        &[
            ("destination", Role::Block),
            ("destinationOffset", Role::Number),
            ("source", Role::Block),
            ("sourceOffset", Role::Number),
            ("size", Role::Number),
            ("copyType", Role::Number),
            ("completionEvt", Role::Other),
        ],
    ),
    call(
        "ocrDbGetSize",
        "extensions/ocr-db-info.h",
        &[("db", Role::Block), ("size", Role::Out)],
    ),
    call(
        "ocrDbMalloc",
        "ocr-db.h",
        &[
            ("guid", Role::Block),
            ("size", Role::Number),
            ("addr", Role::Other),
        ],
    ),
    call(
        "ocrDbMallocOffset",
        "ocr-db.h",
        &[
            ("guid", Role::Block),
            ("size", Role::Number),
            ("offset", Role::Other),
        ],
    ),
    call(
        "ocrDbFree",
        "ocr-db.h",
        &[("guid", Role::Block), ("addr", Role::Other)],
    ),
    call(
        "ocrDbFreeOffset",
        "ocr-db.h",
        &[("guid", Role::Block), ("offset", Role::Number)],
    ),
    call(
        "ocrEventCreate",
        "OCR 1.1.0, 2.6.1",
        &[
            ("guid", Role::Out),
            ("eventType", Role::OneOf(names::EVENT_TYPES)),
            ("properties", EVENT_PROPERTIES),
        ],
    ),
    call(
        "ocrEventCreateParams",
        "OCR 1.1.0, B.3.3",
        &[
            ("guid", Role::Out),
            ("eventType", Role::OneOf(names::EVENT_TYPES)),
            ("properties", EVENT_PROPERTIES),
            ("params", Role::Other),
        ],
    ),
    call(
        "ocrEventDestroy",
        "OCR 1.1.0, 2.6.2",
        &[("guid", Role::Event)],
    ),
    call(
        "ocrEventSatisfy",
        "OCR 1.1.0, 2.6.3",
        &[("eventGuid", Role::Destination), ("dataGuid", Role::Data)],
    ),
    call(
        "ocrEventSatisfySlot",
        "OCR 1.1.0, 2.6.4",
        &[
            ("eventGuid", Role::Destination),
            ("dataGuid", Role::Data),
            ("slot", Role::Number),
        ],
    ),
    call(
        "ocrEventCollectiveSatisfySlot",
        "extensions/ocr-reduction-event.h",
        &[
            ("eventGuid", Role::Event),
            ("data", Role::Other),
            ("slot", Role::Number),
        ],
    ),
    call(
        "ocrEdtTemplateCreate",
        "OCR 1.1.0, 2.7.1",
        &[
            ("guid", Role::Out),
            ("funcPtr", Role::Function),
            ("paramc", Role::Count),
            ("depc", Role::Count),
        ],
    ),
    call(
        "ocrEdtTemplateCreate_internal",
        "OCR 1.1.0, 2.7.1",
        &[
            ("guid", Role::Out),
            ("funcPtr", Role::Function),
            ("paramc", Role::Count),
            ("depc", Role::Count),
            ("funcName", Role::Other),
        ],
    ),
    call(
        "ocrEdtTemplateDestroy",
        "OCR 1.1.0, 2.7.2",
        &[("guid", Role::Template)],
    ),
    call(
        "ocrEdtCreate",
        "OCR 1.1.0, 2.7.3",
        &[
            ("guid", Role::Other),
            ("templateGuid", Role::Template),
            ("paramc", Role::Count),
            ("paramv", Role::Other),
            ("depc", Role::Count),
            ("depv", Role::Other),
            ("properties", EDT_PROPERTIES),
            ("hint", Role::Other),
            ("outputEvent", Role::Other),
        ],
    ),
    call("ocrEdtDestroy", "OCR 1.1.0, 2.7.4", &[("guid", Role::Edt)]),
    call(
        "ocrAddDependence",
        "OCR 1.1.0, 2.8.1",
        &[
            ("source", Role::Source),
            ("destination", Role::Destination),
            ("slot", Role::Number),
            ("mode", Role::Mode),
        ],
    ),
    call(
        "ocrAddDependenceSlot",
        "OCR 1.2; without sslot: OCR 1.1.0, 2.8.1",
        &[
            ("source", Role::Source),
            ("sslot", Role::Number),
            ("destination", Role::Destination),
            ("dslot", Role::Number),
            ("mode", Role::Mode),
        ],
    ),
    call(
        "ocrAddDependenceByValue",
        "extensions/ocr-db-by-value.h",
        &[
            ("sourceDb", Role::Block),
            ("destination", Role::Destination),
            ("slot", Role::Number),
            ("mode", Role::Mode),
        ],
    ),
    call("ocrGroupBegin", "extensions/ocr-db-by-value.h", &[]),
    call("ocrGroupEnd", "extensions/ocr-db-by-value.h", &[]),
    call(
        "ocrOpenclTemplateCreate",
        "extensions/ocr-opencl.h",
        &[
            ("guid", Role::Out),
            ("source", Role::Text),
            ("options", Role::Other),
            ("kernelFnc", Role::Text),
            ("paramc", Role::Count),
            ("depc", Role::Count),
            ("name", Role::Other),
        ],
    ),
    call(
        "ocrOpenclTaskCreate",
        "extensions/ocr-opencl.h",
        &[
            ("guid", Role::Other),
            ("templateGuid", Role::Template),
            ("work_dim", Role::Number),
            ("global_work_offset", Role::Other),
            ("global_work_size", Role::Other),
            ("local_work_size", Role::Other),
            ("paramc", Role::Count),
            ("paramv", Role::Other),
            ("depc", Role::Count),
            ("depv", Role::Other),
            ("properties", EDT_PROPERTIES),
            ("affinity", Role::Object),
            ("outputEvent", Role::Other),
        ],
    ),
    // What does not build is said where it is built, and EDTs of the template may have a function.
    lenient(call(
        "ocrEdtTemplateAddKernel",
        "extensions/ocr-variants.h",
        &[
            ("templateGuid", Role::Template),
            ("source", Role::Text),
            ("options", Role::Other),
            ("kernelName", Role::Text),
            ("range", Role::Function),
            ("resultSlot", Role::Number),
        ],
    )),
    call(
        "ocrEdtTemplateAddFunction",
        "extensions/ocr-variants.h",
        &[
            ("templateGuid", Role::Template),
            ("function", Role::Function),
        ],
    ),
    call(
        "ocrHintInit",
        "OCR 1.1.0, B.1.2",
        &[
            ("hint", Role::Out),
            ("hintType", Role::OneOf(names::HINT_TYPES)),
        ],
    ),
    call(
        "ocrSetHintValue",
        "OCR 1.1.0, B.1.3",
        &[
            ("hint", Role::Other),
            ("hintProp", Role::OneOf(names::HINT_PROPERTIES)),
            ("value", Role::Number),
        ],
    ),
    call(
        "ocrUnsetHintValue",
        "OCR 1.1.0, B.1.4",
        &[
            ("hint", Role::Out),
            ("hintProp", Role::OneOf(names::HINT_PROPERTIES)),
        ],
    ),
    call(
        "ocrGetHintValue",
        "OCR 1.1.0, B.1.5",
        &[
            ("hint", Role::Out),
            ("hintProp", Role::OneOf(names::HINT_PROPERTIES)),
            ("value", Role::Out),
        ],
    ),
    // An EDT may end meanwhile.
    lenient(call(
        "ocrSetHint",
        "OCR 1.1.0, B.1.6",
        &[("guid", Role::Hinted), ("hint", Role::Other)],
    )),
    lenient(call(
        "ocrGetHint",
        "OCR 1.1.0, B.1.7",
        &[("guid", Role::Hinted), ("hint", Role::Other)],
    )),
    call(
        "ocrAffinityCount",
        AFFINITY,
        &[
            ("kind", Role::OneOf(names::AFFINITY_KINDS)),
            ("count", Role::Out),
        ],
    ),
    call(
        "ocrAffinityGet",
        AFFINITY,
        &[
            ("kind", Role::OneOf(names::AFFINITY_KINDS)),
            ("count", Role::Out),
            ("affinities", Role::Out),
        ],
    ),
    call(
        "ocrAffinityGetAt",
        AFFINITY,
        &[
            ("kind", Role::OneOf(names::AFFINITY_KINDS)),
            ("idx", Role::Number),
            ("affinity", Role::Out),
        ],
    ),
    call(
        "ocrAffinityGetCurrent",
        AFFINITY,
        &[("affinity", Role::Out)],
    ),
    call(
        "ocrAffinityQuery",
        AFFINITY,
        &[
            ("guid", Role::Object),
            ("count", Role::Other),
            ("affinities", Role::Out),
        ],
    ),
    call(
        "ocrGuidRangeCreate",
        "OCR 1.1.0, B.2.2.2",
        &[
            ("rangeGuid", Role::Out),
            ("numberGuid", Role::Number),
            ("kind", Role::OneOf(names::OBJECT_KINDS)),
        ],
    ),
    call(
        "ocrGuidMapCreate",
        "OCR 1.1.0, B.2.2.1",
        &[
            ("mapGuid", Role::Out),
            ("numParams", Role::Number),
            ("mapFunc", Role::Function),
            ("params", Role::Other),
            ("numberGuid", Role::Number),
            ("kind", Role::OneOf(names::OBJECT_KINDS)),
        ],
    ),
    call(
        "ocrGuidFromIndex",
        "OCR 1.1.0, B.2.2.5",
        &[
            ("outGuid", Role::Out),
            ("rangeGuid", Role::Object),
            ("idx", Role::Number),
        ],
    ),
    call(
        "ocrGuidFromLabel",
        "OCR 1.1.0, B.2.2.4",
        &[
            ("outGuid", Role::Out),
            ("mapGuid", Role::Object),
            ("tuple", Role::Other),
        ],
    ),
    call(
        "ocrGuidMapDestroy",
        "OCR 1.1.0, B.2.2.3",
        &[("mapGuid", Role::Object)],
    ),
    call(
        "ocrAttachDebugLabel",
        "extensions/ocr-debug.h",
        &[
            ("object", Role::Labelled),
            ("label", Role::Other),
            ("paramc", Role::Number),
            ("paramv", Role::Other),
        ],
    ),
    call(
        "ocrPreAttachDebugLabel",
        "extensions/ocr-debug.h",
        &[
            ("label", Role::Other),
            ("paramc", Role::Number),
            ("paramv", Role::Other),
        ],
    ),
    call(
        "ocrLegacySpawnOCR",
        LEGACY,
        &[
            ("handle", Role::Out),
            ("finishEdtTemplate", Role::Template),
            ("paramc", Role::Count),
            ("paramv", Role::Other),
            ("depc", Role::Count),
            ("depv", Role::Out),
            ("legacyContext", Role::Other),
        ],
    ),
    // Of an EDT.
    call(
        "ocrLegacyFinalize",
        LEGACY,
        &[
            ("legacyContext", Role::Guid),
            ("runUntilShutdown", Role::Number),
        ],
    ),
    // With properties a refusal may be an answer.
    lenient(call(
        "ocrLegacyBlockProgress",
        LEGACY,
        &[
            ("handle", Role::Guid),
            ("guid", Role::Other),
            ("result", Role::Other),
            ("size", Role::Other),
            (
                "properties",
                Role::Properties(u16::MAX as u32, names::LEGACY_PROPERTIES),
            ),
        ],
    )),
    // The program may end meanwhile.
    lenient(call("ocrWait", LEGACY, &[("outputEvent", Role::Awaited)])),
    call(
        "ocrLegacyIsChannelReady",
        LEGACY,
        &[("channelGuid", Role::Event)],
    ),
    call(
        "pdlGetDevicePropertyInt",
        "extensions/ocr-pdl.h",
        &[
            ("device", Role::Object),
            ("propertyName", Role::Text),
            ("value", Role::Out),
        ],
    ),
    call("ocrElsUserGet", RUNTIME, &[("offset", Role::Number)]),
    call(
        "ocrElsUserSet",
        RUNTIME,
        &[("offset", Role::Number), ("data", Role::Guid)],
    ),
    call(
        "ocrEdtLocalStorageGet",
        RUNTIME,
        &[("ptr", Role::Out), ("elsSize", Role::Out)],
    ),
    // Who asks may be no EDT.
    lenient(call("ocrCurrentEdtGet", RUNTIME, &[("curEdt", Role::Out)])),
    lenient(call(
        "ocrCurrentEdtOutputGet",
        RUNTIME,
        &[("outputEvent", Role::Out)],
    )),
    call(
        "ocrQuery",
        PAUSE,
        &[
            ("query", Role::OneOf(names::QUERIES)),
            ("guid", Role::Object),
            ("result", Role::Other),
            ("size", Role::Other),
            ("flags", Role::Number),
        ],
    ),
    call("ocrResume", PAUSE, &[("flag", Role::Number)]),
    call(
        "ocrMapCreate",
        MAP_CREATOR,
        &[
            ("mapGuid", Role::Out),
            ("size", Role::Number),
            ("creatorFunc", Role::Function),
            ("paramc", Role::Number),
            ("paramv", Role::Other),
            ("guidc", Role::Number),
            ("guidv", Role::Other),
        ],
    ),
    call(
        "ocrMapGet",
        MAP_CREATOR,
        &[
            ("lid", Role::Out),
            ("mapGuid", Role::Map),
            ("index", Role::Number),
        ],
    ),
    call("ocrMapDestroy", MAP_CREATOR, &[("mapGuid", Role::Map)]),
    call(
        "ocrGetGuid",
        MAP_CREATOR,
        &[("guid", Role::Out), ("sourceId", Role::Object)],
    ),
    call(
        "ocrEdtTemplateCreateLabeled",
        LABELING,
        &[
            ("guid", Role::Out),
            ("funcPtr", Role::Function),
            ("paramc", Role::Count),
            ("depc", Role::Count),
            (
                "properties",
                Role::Properties(LABEL_PROPERTIES, names::LABEL_PROPERTIES),
            ),
            ("funcName", Role::Other),
        ],
    ),
    call(
        "ocrGetGuidKind",
        "OCR 1.1.0, B.2.2.6",
        &[("outKind", Role::Out), ("guid", Role::Guid)],
    ),
    call(
        "ocrNoteCausality",
        "extensions/ocr-debug.h",
        &[("sourceTask", Role::Guid), ("destinationTask", Role::Guid)],
    ),
    call(
        "ocrStatsGet",
        "extensions/ocr-stats.h",
        &[("stats", Role::Out)],
    ),
    call(
        "ocrRegisterEdtFuntion",
        "extensions/ocr-heterogeneous.h",
        &[("funcPtr", Role::Function)],
    ),
    // What is wrong with a file is said where it is opened.
    lenient(call(
        "ocrFileOpen",
        FILE,
        &[
            ("fileGuid", Role::Out),
            ("path", Role::Text),
            ("mode", Role::Text),
            ("descriptorDb", Role::Other),
            ("properties", Role::Properties(0, &[])),
        ],
    )),
    call("ocrFileRelease", FILE, &[("fileGuid", Role::Object)]),
    call(
        "ocrFileGetChunk",
        FILE,
        &[
            ("chunkDbGuid", Role::Out),
            ("fileGuid", Role::Object),
            ("offset", Role::Number),
            ("size", Role::Number),
        ],
    ),
];

const AFFINITY: &str = "extensions/ocr-affinity.h";
const FILE: &str = "extensions/ocr-file.h";
const LABELING: &str = "extensions/ocr-labeling.h";
const LEGACY: &str = "extensions/ocr-legacy.h";
const PAUSE: &str = "extensions/ocr-pause.h";
const RUNTIME: &str = "extensions/ocr-runtime-itf.h";
const MAP_CREATOR: &str = "extensions/ocr-map-creator.h";

/// The function of this name, if it is checked.
pub(crate) const fn find(name: &str) -> Option<&'static CallSpec> {
    let mut at = 0;
    while at < CALLS.len() {
        if same(CALLS[at].name.as_bytes(), name.as_bytes()) {
            return Some(&CALLS[at]);
        }
        at += 1;
    }
    None
}

const fn same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut at = 0;
    while at < a.len() {
        if a[at] != b[at] {
            return false;
        }
        at += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calls are told apart by their names, of which the compiler sees no misspelt one.
    #[test]
    fn names_in_the_sources_are_of_calls() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        let folder = root.join("src/check").read_dir().expect("the sources");
        let mut files: Vec<_> = folder.map(|file| file.expect("a file").path()).collect();
        files.push(root.join("src/capi/strict.rs"));
        let mut seen = 0;
        for file in files {
            let text = std::fs::read_to_string(&file).expect("text");
            let text = text.split("\nmod tests {").next().unwrap_or_default();
            let literals = text
                .lines()
                .flat_map(|line| line.split('"').skip(1).step_by(2));
            let is_name = |word: &&str| {
                let rest = word.strip_prefix("ocr").unwrap_or_default();
                rest.starts_with(|c: char| c.is_ascii_uppercase())
                    && rest.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            };
            for name in literals.filter(is_name) {
                assert!(find(name).is_some(), "{}: \"{name}\"", file.display());
                seen += 1;
            }
        }
        assert!(seen > CALLS.len());
    }

    #[test]
    fn names_are_found_and_arguments_fit() {
        for call in CALLS {
            assert_eq!(find(call.name).map(|found| found.name), Some(call.name));
            assert!(call.args.len() <= MAX_ARGS);
        }
        assert!(find("ocrEventSatisf").is_none());
        assert!(find("ocrPrintf").is_none());
    }
}
