//! The ranks of all locks of the runtime, each with what may be taken under it.
//!
//! A rank with empty brackets is a leaf: a thread that holds such a lock takes no other one. Four leaves are not here,
//! since models replace them by loom's mutex as it is: the list of sleepers (`src/sched/sleep.rs`) and the samples,
//! errors and copies of `crates/ocr-place/src/model`.
//!
//! The lock bit of an object's header is below all of them but the table of hints (`src/object/header.rs`).

use super::Rank;

ranks! {
    /// The thread that calibrates the clock of a recording (`src/trace/recording.rs`).
    Calibrating [];

    /// What keeps the collector of memory alive (`src/sched/reclaim.rs`).
    ReclaimKeeper [];

    /// The templates of closures (`src/tasks/edt.rs`).
    TaskTemplates [];

    /// The one run of `ocr::tasks` at a time (`src/tasks/mod.rs`).
    TasksRun [];

    /// The panic of a task (`src/tasks/mod.rs`).
    TasksPanic [];

    /// A part of the table of hints (`src/object/hints.rs`).
    Hints [];

    /// Which bytes of a file are a chunk (`src/object/file.rs`).
    FileChunksTaken [];

    /// The chunks of files that are not written yet (`src/object/file.rs`).
    FileChunks [];

    /// Which blocks have parts (`src/object/partition.rs`).
    Partitions [];

    /// The labels that the program has given objects (`src/report/labels.rs`).
    DebugLabels [Registry, RecordingFile];

    /// Objects of which a program has few (`src/object/registry.rs`).
    Registry [];

    /// Which creators of maps run (`src/object/map.rs`).
    Maps [];

    /// Memory of the last run's blocks (`src/object/data_block/memory.rs`).
    FormerMemory [];

    /// The generations of a collective event (`src/object/collective.rs`).
    Collective [];

    /// On which devices kernels of EDTs have failed (`src/engine/state/devices.rs`).
    FailedKernels [];

    /// The EDTs whose kernels run, and of which a worker may call the function, too
    /// (`src/engine/state/duplicates.rs`).
    Duplicates [Inbox];

    /// The EDTs that run as kernels and as their function (`src/engine/state/redundant.rs`).
    Redundant [];

    /// The scopes of finish EDTs that are timed (`src/engine/state/finish_times.rs`).
    FinishTimes [];

    /// The answer of a fetch at the end of a run (`src/engine/state/fetch_at_end.rs`).
    FetchAtEnd [];

    /// The key by which the end of a thread is seen (`src/engine/workers/threads.rs`).
    ThreadKey [];

    /// The run of a program with its own `main` (`src/engine/run/legacy.rs`).
    LegacyRun [
        LabelRuns, DeviceOpener, Handlers, Codes, RememberedPlaces, RememberedProgram, CodeName, UnusedKernels,
        Shutdown, CurrentRun, Lending, Seats, Waiters, Sleeper, GivenArguments, Tallies, TallyTimes, Notes, Remarks,
        SymbolNames, AskingOpencl, HandlersOfOpencl, HandlersOfRuntime, RecordingFile, Depot, Inbox
    ];

    /// The thread that opens devices beside the run (`src/engine/state/devices.rs`).
    DeviceOpener [OpenclThreads, Depot];

    /// Which runs of labels are reserved (`src/object/arena/label.rs`).
    LabelRuns [LabelWaiters, Depot];

    /// What waits for labels (`src/object/waiting.rs`).
    LabelWaiters [];

    /// The handlers of signals of a run (`src/engine/state/handlers.rs`).
    Handlers [
        Codes, CodeName, UnusedKernels, Tallies, TallyTimes, Notes, Remarks, SymbolNames, AskingOpencl,
        HandlersOfOpencl, HandlersOfRuntime, OpenclThreads, OpenclPlatforms, TellDiscovery
    ];

    /// What EDTs do, interned (`src/object/code.rs`).
    Codes [RememberedPlaces, RememberedProgram, RecordedNames, CodeName, Remarks, SymbolNames, RecordingFile];

    /// What was read of each place (`src/engine/state/learned.rs`).
    RememberedPlaces [RememberedProgram];

    /// The name of the program in models (`src/engine/state/learned.rs`).
    RememberedProgram [];

    /// Which codes have their names in the recording (`src/trace/recording.rs`).
    RecordedNames [SymbolNames, RecordingFile];

    /// The name of a function (`src/object/code.rs`).
    CodeName [SymbolNames];

    /// Templates whose kernels were not used (`src/engine/state/devices.rs`).
    UnusedKernels [Notes, Remarks];

    /// Whether `ocrShutdown` was called (`src/engine/state/end.rs`).
    Shutdown [Seats];

    /// The run of the process (`src/engine/state/runtime.rs`).
    CurrentRun [Seats, Tallies];

    /// How many cores CPU devices have of the workers' (`src/engine/state/lending.rs`).
    Lending [Seats, Waiters, Sleeper, Tallies, TallyTimes, OpenclThreads];

    /// Which threads have seats (`src/engine/state/seats.rs`).
    Seats [Waiters];

    /// The threads that wait in calls (`src/engine/state/waiters.rs`).
    Waiters [Sleeper];

    /// What a thread that waits in a call is notified of (`src/engine/state/waiters.rs`).
    Sleeper [Tallies, TallyTimes];

    /// Arguments of a program with its own `main` (`src/engine/run/legacy.rs`).
    GivenArguments [];

    /// What a thread waits for (`src/report/tally.rs`).
    TallyWait [];

    /// The tallies of all threads (`src/report/tally.rs`).
    Tallies [TallyTimes];

    /// How long the EDTs of a thread took (`src/report/tally.rs`).
    TallyTimes [];

    /// The notes for the report (`src/report/tally.rs`).
    Notes [];

    /// The remarks for the report (`src/report/tally.rs`).
    Remarks [];

    /// The first of the calls that were refused (`src/report/tally.rs`).
    FirstRefusal [];

    /// Names of functions that were found (`src/symbols.rs`).
    SymbolNames [];

    /// Texts that the program keeps (`src/capi/pdl.rs`).
    PdlTexts [];

    /// The thread that asks OpenCL for its devices (`src/device/opencl/discovery.rs`).
    AskingOpencl [HandlersOfOpencl, HandlersOfRuntime, OpenclThreads, OpenclPlatforms, TellDiscovery];

    /// The handlers of signals that OpenCL has installed (`src/engine/state/handlers.rs`).
    HandlersOfOpencl [HandlersOfRuntime];

    /// The handlers of signals that the runtime has installed (`src/engine/state/handlers.rs`).
    HandlersOfRuntime [];

    /// The threads of OpenCL (`src/device/opencl/threads.rs`).
    OpenclThreads [];

    /// The threads of each platform (`src/device/opencl/threads.rs`).
    OpenclPlatforms [];

    /// The thread of a device's manager (`src/device/opencl/handle.rs`).
    ManagerThread [];

    /// Fingerprints of blocks (`src/check/checksum.rs`).
    Seals [];

    /// Fingerprints of blocks that were passed on (`src/check/checksum.rs`).
    PassedBlocks [];

    /// When EDTs have begun, for strict mode (`src/check/checksum.rs`).
    BegunEdts [];

    /// A part of the history of objects (`src/check/history.rs`).
    History [];

    /// Blocks whose pages are closed (`src/check/closed.rs`).
    ClosedBlocks [];

    /// Arguments of EDTs that have ended (`src/check/quarantine_arguments.rs`).
    QuarantinedArguments [];

    /// Memory of destroyed blocks (`src/check/quarantine.rs`).
    QuarantinedBlocks [];

    /// Blocks that running EDTs have released (`src/check/mod.rs`).
    ReleasedBlocks [];

    /// Blocks that threads have released (`src/check/mod.rs`).
    ReleasedOutside [];

    /// Ranges of labels that are gone (`src/check/mod.rs`).
    FormerRanges [];

    /// Which EDTs ran at the same time (`src/check/overlap.rs`).
    Overlap [];

    /// The plan of `eft` (`crates/ocr-place/src/policy/eft.rs`). EDTs that have not ended are counted under it.
    EftPlan [EftTries, RecordingFile, Depot, Inbox];

    /// What `eft` has tried on cores that are shared (`crates/ocr-place/src/policy/variant.rs`).
    EftTries [Depot];

    /// What a policy of a user keeps (`crates/ocr-place/src/policy/user/mod.rs`).
    UserPlan [RecordingFile, Depot, Inbox];

    /// Blocks that other nodes have, and those that this node has of them (`src/engine/state/elsewhere.rs`).
    BlocksElsewhere [RecordingFile];

    /// Messages to other nodes that have not been sent (`src/engine/nodes/outbox.rs`).
    Outbox [RecordingFile];

    /// The file of a recording, which grows (`src/trace/recording.rs`).
    RecordingFile [];

    /// The lines of `heteroprio` (`crates/ocr-place/src/policy/heteroprio.rs`).
    HeteroPrio [];

    /// EDTs with a priority (`src/sched/urgent.rs`).
    Urgent [];

    /// Free slots of an arena that no thread has (`src/object/arena.rs`).
    Depot [];

    /// Messages to a device's manager (`src/device/host/inbox.rs`).
    Inbox [];

    /// What is notified of the steps of a discovery (`src/device/opencl/discovery.rs`).
    TellDiscovery [];

    /// The callbacks that OpenCL has not called yet (`src/device/opencl/raw.rs`).
    KnownCallbacks [];

    /// What a run does for other nodes (`src/engine/nodes/outbox.rs`).
    NodeHandler [];

    /// Calls about objects of other nodes that have no answer yet (`src/engine/nodes/outbox.rs`).
    AnswersAwaited [];

    /// The calls that an EDT has sent to other nodes (`src/engine/nodes/outbox.rs`).
    UnconfirmedCalls [];

    /// The builds of files with functions that other nodes have named (`src/engine/nodes/functions.rs`).
    FunctionHomes [];

    /// A lock of the tests.
    TestOuter [TestInner];

    /// A lock of the tests.
    TestInner [];
}
