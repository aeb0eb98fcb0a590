//! The C interface, as the stress program calls it. A status that was not to be expected fails the
//! case.

use crate::collective::CollectiveSpec;
use crate::graph::{Kind, Mode};
use crate::run::fail;
use ocr::capi::sys;
use std::ffi::{CStr, CString, c_char, c_void};
use std::ops::Range;
use std::ptr;

pub(crate) use sys::{ocrEdtDep_t as Dep, ocrGuid_t as Guid, ocrNdRange_t as NdRange};

pub(crate) type Function = unsafe extern "C" fn(u32, *mut u64, u32, *mut Dep) -> Guid;

pub(crate) const NULL: Guid = Guid { guid: 0 };
pub(crate) const OPEN: Guid = Guid { guid: -2 };
pub(crate) const NO_RESULT: u32 = u32::MAX;
pub(crate) const UNKNOWN: u32 = u32::MAX;
pub(crate) const EPERM: u8 = sys::OCR_EPERM as u8;
pub(crate) const EINVAL: u8 = sys::OCR_EINVAL as u8;
pub(crate) const EACCES: u8 = sys::OCR_EACCES as u8;
pub(crate) const EGUIDEXISTS: u8 = sys::OCR_EGUIDEXISTS as u8;
pub(crate) const ECANCELED: u8 = sys::OCR_ECANCELED as u8;
pub(crate) const ENOENT: u8 = sys::OCR_ENOENT as u8;
pub(crate) const EBUSY: u8 = sys::OCR_EBUSY as u8;
pub(crate) const EPEND: u8 = sys::OCR_EPEND as u8;

/// `GUID_PROP_IS_LABELED`, `GUID_PROP_CHECK`, `GUID_PROP_BLOCK`.
pub(crate) const IS_LABELED: u16 = sys::GUID_PROP_IS_LABELED;
pub(crate) const CHECK: u16 = sys::GUID_PROP_CHECK;
pub(crate) const BLOCK: u16 = sys::GUID_PROP_BLOCK;
/// `EVT_PROP_MAPPED` and the like, on what a creator was given.
pub(crate) const MAPPED: u16 = sys::EVT_PROP_MAPPED;

/// Crashes, where that is undone.
pub(crate) fn inject_fault() {
    // SAFETY: the call takes nothing, and may be made in every EDT.
    unsafe { sys::ocrInjectFault() }
}

/// A property, if it is wanted.
fn bits(wanted: bool, property: u16) -> u16 {
    if wanted { property } else { 0 }
}

/// Where an object is created: in any place, or on a label with a `GUID_PROP_`.
pub(crate) type Label = Option<(Guid, u16)>;

fn place_of(label: Label) -> (Guid, u16) {
    label.unwrap_or((NULL, 0))
}

fn check(call: &str, status: u8) {
    check_one_of(call, status, &[0]);
}

/// Fails the case unless the status is one of those.
pub(crate) fn check_one_of(call: &str, status: u8, right: &[u8]) {
    if !right.contains(&status) {
        fail(format!("{call} returned {status}, not one of {right:?}"));
    }
}

pub(crate) fn mode_bits(mode: Mode) -> sys::ocrDbAccessMode_t {
    match mode {
        Mode::Null => sys::DB_MODE_NULL,
        Mode::Ro => sys::DB_MODE_RO,
        Mode::Const => sys::DB_MODE_CONST,
        Mode::Rw => sys::DB_MODE_RW,
        Mode::Ew => sys::DB_MODE_EW,
    }
}

/// A new event. A latch counts down from `counter`, which parameters or increments give it; a counted
/// event has this number of dependences, and a channel event as much room.
pub(crate) fn event(kind: Kind, counter: u64, by_parameter: bool) -> Guid {
    let (status, guid) = try_event(kind, counter, by_parameter, None);
    check("ocrEventCreate", status);
    if kind == Kind::Latch && !by_parameter {
        for _ in 0..counter {
            // SAFETY: takes no pointers.
            let status = unsafe { sys::ocrEventSatisfySlot(guid, NULL, 1) };
            check("ocrEventSatisfySlot", status);
        }
    }
    guid
}

/// The status, and the event. Without parameters, a latch stands at 0.
pub(crate) fn try_event(kind: Kind, counter: u64, by_parameter: bool, label: Label) -> (u8, Guid) {
    let (mut guid, property) = place_of(label);
    let number = match kind {
        Kind::Once => sys::OCR_EVENT_ONCE_T,
        Kind::Idempotent => sys::OCR_EVENT_IDEM_T,
        Kind::Sticky => sys::OCR_EVENT_STICKY_T,
        Kind::Latch => sys::OCR_EVENT_LATCH_T,
        Kind::Counted => sys::OCR_EVENT_COUNTED_T,
        Kind::Channel => sys::OCR_EVENT_CHANNEL_T,
    };
    if matches!(kind, Kind::Counted | Kind::Channel) || kind == Kind::Latch && by_parameter {
        let mut params = sys::ocrEventParams_t::default();
        let of_kind = &mut params.__bindgen_anon_1;
        match kind {
            Kind::Counted => {
                of_kind.EVENT_COUNTED = sys::ocrEventCounterParams_t { nbDeps: counter };
            }
            Kind::Channel => {
                of_kind.EVENT_CHANNEL = sys::ocrEventChannelParams_t { maxGen: counter as u32, nbSat: 1, nbDeps: 1 };
            }
            _ => of_kind.EVENT_LATCH = sys::ocrEventLatchParams_t { counter },
        }
        // SAFETY: both pointers are valid.
        let status = unsafe { sys::ocrEventCreateParams(&mut guid, number, 1 | property, &mut params) };
        return (status, guid);
    }
    // SAFETY: the pointer is valid.
    let status = unsafe { sys::ocrEventCreate(&mut guid, number, 1 | property) };
    (status, guid)
}

/// Tries to create an event of a kind that there is not, for a creator.
pub(crate) fn no_event(mut local: Guid) -> u8 {
    // SAFETY: the pointer is valid.
    unsafe { sys::ocrEventCreate(&mut local, u32::MAX, MAPPED) }
}

type Creator = unsafe extern "C" fn(Guid, u64, u32, *mut u64, u32, *mut Guid);

pub(crate) fn map(size: u64, creator: Creator, params: &mut [u64], guids: &mut [Guid]) -> Guid {
    let mut map = NULL;
    let (paramc, guidc) = (params.len() as u32, guids.len() as u32);
    let (params, guids) = (params.as_mut_ptr(), guids.as_mut_ptr());
    // SAFETY: the arrays are as long as said.
    let status = unsafe { sys::ocrMapCreate(&mut map, size, Some(creator), paramc, params, guidc, guids) };
    check("ocrMapCreate", status);
    map
}

pub(crate) fn map_get(map: Guid, index: u64) -> (u8, Guid) {
    let mut guid = NULL;
    // SAFETY: the pointer is valid.
    let status = unsafe { sys::ocrMapGet(&mut guid, map, index) };
    (status, guid)
}

pub(crate) fn destroy_map(map: Guid) {
    // SAFETY: takes no pointers.
    check("ocrMapDestroy", unsafe { sys::ocrMapDestroy(map) });
}

/// The status, and what an identifier names.
pub(crate) fn guid_of(id: Guid) -> (u8, Guid) {
    let mut guid = NULL;
    // SAFETY: the pointer is valid.
    let status = unsafe { sys::ocrGetGuid(&mut guid, id) };
    (status, guid)
}

/// A collective event whose contributions have `words` words.
pub(crate) fn try_collective(spec: &CollectiveSpec, words: u32, label: Label) -> (u8, Guid) {
    let (mut guid, property) = place_of(label);
    let slots = spec.slots() as u32;
    let mut params = sys::ocrEventParams_t::default();
    params.__bindgen_anon_1.EVENT_COLLECTIVE = sys::ocrEventCollectiveParams_t {
        maxGen: spec.bound.unwrap_or(u32::MAX),
        nbContribs: slots,
        nbContribsPd: slots,
        nbDatum: (4 * words as usize / spec.reduction.bytes) as u16,
        arity: 2,
        op: spec.reduction.bits(),
        type_: sys::COL_ALLREDUCE,
        reuseDbPerGen: false,
    };
    let kind = sys::OCR_EVENT_COLLECTIVE_T;
    // SAFETY: both pointers are valid.
    let status = unsafe { sys::ocrEventCreateParams(&mut guid, kind, property, &mut params) };
    (status, guid)
}

/// `data` is as long as the event says.
pub(crate) fn contribute(event: Guid, data: &mut [u8], slot: usize) {
    let data = data.as_mut_ptr().cast();
    // SAFETY: the data are as long as the event says.
    let status = unsafe { sys::ocrEventCollectiveSatisfySlot(event, data, slot as u32) };
    check("ocrEventCollectiveSatisfySlot", status);
}

/// What labels are for.
#[derive(Clone, Copy)]
pub(crate) enum Labeled {
    Event,
    Collective,
    Block,
    Edt,
    Template,
}

/// A range of labels, and those.
pub(crate) fn labels(kind: Labeled, count: usize) -> (Guid, Vec<Guid>) {
    let kind = match kind {
        Labeled::Event => sys::GUID_USER_EVENT_STICKY,
        Labeled::Collective => sys::GUID_USER_EVENT_COLLECTIVE,
        Labeled::Block => sys::GUID_USER_DB,
        Labeled::Edt => sys::GUID_USER_EDT,
        Labeled::Template => sys::GUID_USER_EDT_TEMPLATE,
    };
    let mut range = NULL;
    // SAFETY: the pointer is valid.
    let status = unsafe { sys::ocrGuidRangeCreate(&mut range, count as u64, kind) };
    check("ocrGuidRangeCreate", status);
    let label = |at: usize| {
        let mut label = NULL;
        // SAFETY: the pointer is valid.
        let status = unsafe { sys::ocrGuidFromIndex(&mut label, range, at as u64) };
        check("ocrGuidFromIndex", status);
        label
    };
    (range, (0..count).map(label).collect())
}

pub(crate) fn destroy_labels(range: Guid) {
    // SAFETY: takes no pointers.
    check("ocrGuidMapDestroy", unsafe { sys::ocrGuidMapDestroy(range) });
}

pub(crate) fn satisfy(event: Guid, data: Guid) {
    check("ocrEventSatisfy", try_satisfy(event, data));
}

pub(crate) fn try_satisfy(event: Guid, data: Guid) -> u8 {
    // SAFETY: takes no pointers.
    unsafe { sys::ocrEventSatisfy(event, data) }
}

pub(crate) fn destroy_event(event: Guid) {
    check("ocrEventDestroy", try_destroy_event(event));
}

pub(crate) fn try_destroy_event(event: Guid) -> u8 {
    // SAFETY: takes no pointers.
    unsafe { sys::ocrEventDestroy(event) }
}

pub(crate) fn connect(source: Guid, destination: Guid, slot: usize, mode: Mode) {
    let status = try_connect(source, destination, slot, mode);
    check("ocrAddDependence", status);
}

pub(crate) fn try_connect(source: Guid, destination: Guid, slot: usize, mode: Mode) -> u8 {
    // SAFETY: takes no pointers.
    unsafe { sys::ocrAddDependence(source, destination, slot as u32, mode_bits(mode)) }
}

/// Connects one with several post-slots.
pub(crate) fn connect_slot(source: Guid, from: usize, destination: Guid, slot: usize, mode: Mode) {
    let (from, slot) = (from as u32, slot as u32);
    // SAFETY: takes no pointers.
    let status = unsafe { sys::ocrAddDependenceSlot(source, from, destination, slot, mode_bits(mode)) };
    check("ocrAddDependenceSlot", status);
}

/// Passes the content of a block by value.
pub(crate) fn pass(block: Guid, destination: Guid, slot: usize, mode: Mode) {
    let status = try_pass(block, destination, slot, mode);
    check("ocrAddDependenceByValue", status);
}

pub(crate) fn try_pass(block: Guid, destination: Guid, slot: usize, mode: Mode) -> u8 {
    let mode = mode_bits(mode);
    // SAFETY: takes no pointers.
    unsafe { sys::ocrAddDependenceByValue(block, destination, slot as u32, mode) }
}

pub(crate) fn begin_group() {
    // SAFETY: takes no pointers.
    check("ocrGroupBegin", unsafe { sys::ocrGroupBegin() });
}

pub(crate) fn end_group() {
    // SAFETY: takes no pointers.
    check("ocrGroupEnd", unsafe { sys::ocrGroupEnd() });
}

/// A new block of 32-bit words, and where it is; null if it is not acquired.
pub(crate) fn block(words: u32, acquire: bool) -> (Guid, *mut u32) {
    let (status, guid, address) = try_block(words, acquire, None);
    check("ocrDbCreate", status);
    if acquire == address.is_null() {
        fail(format!("ocrDbCreate, acquire {acquire}: address {address:?}"));
    }
    (guid, address)
}

pub(crate) fn try_block(words: u32, acquire: bool, label: Label) -> (u8, Guid, *mut u32) {
    let (mut guid, property) = place_of(label);
    let mut address = ptr::null_mut::<c_void>();
    let flags = property | bits(!acquire, sys::DB_PROP_NO_ACQUIRE);
    // SAFETY: the pointers are valid, or null where that is allowed.
    let status = unsafe {
        sys::ocrDbCreate(&mut guid, &mut address, 4 * u64::from(words), flags, ptr::null_mut(), sys::NO_ALLOC)
    };
    (status, guid, address.cast())
}

pub(crate) fn release(block: Guid) {
    check("ocrDbRelease", try_release(block));
}

pub(crate) fn try_release(block: Guid) -> u8 {
    // SAFETY: takes no pointers.
    unsafe { sys::ocrDbRelease(block) }
}

pub(crate) fn destroy_block(block: Guid) {
    check("ocrDbDestroy", try_destroy_block(block));
}

pub(crate) fn try_destroy_block(block: Guid) -> u8 {
    // SAFETY: takes no pointers.
    unsafe { sys::ocrDbDestroy(block) }
}

/// Makes parts of a block with these words.
pub(crate) fn divide(block: Guid, places: &[Range<u32>], fixed: bool) -> Vec<Guid> {
    let part = |place: &Range<u32>| sys::ocrDbPart_t {
        offset: 4 * u64::from(place.start),
        size: 4 * u64::from(place.end - place.start),
        guid: NULL,
    };
    let mut parts: Vec<_> = places.iter().map(part).collect();
    if parts.is_empty() {
        return Vec::new();
    }
    let properties = if fixed { sys::OCR_DB_PARTITION_STATIC.into() } else { 0 };
    let count = parts.len() as u32;
    // SAFETY: the array is as long as said.
    let status = unsafe { sys::ocrDbPartition(block, count, parts.as_mut_ptr(), properties) };
    check("ocrDbPartition", status);
    parts.into_iter().map(|part| part.guid).collect()
}

/// Opens a file; with its descriptor.
pub(crate) fn open_file(path: &CStr, mode: &CStr) -> (Guid, Guid) {
    let (mut file, mut descriptor) = (NULL, NULL);
    // SAFETY: the texts are C strings, and the other pointers are valid.
    let status = unsafe { sys::ocrFileOpen(&mut file, path.as_ptr(), mode.as_ptr(), &mut descriptor, 0) };
    check("ocrFileOpen", status);
    (file, descriptor)
}

/// The GUID and the size of a file, from the content of its descriptor.
pub(crate) fn described(descriptor: *mut c_void) -> (Guid, u64) {
    // SAFETY: the caller has the content of a descriptor.
    let guid = unsafe { sys::ocrFileGetGuid(descriptor) };
    // SAFETY: as above.
    (guid, unsafe { sys::ocrFileGetSize(descriptor) })
}

pub(crate) fn try_chunk(file: Guid, offset: usize, size: usize) -> (u8, Guid) {
    let mut chunk = NULL;
    // SAFETY: the pointer is valid.
    let status = unsafe { sys::ocrFileGetChunk(&mut chunk, file, offset as u64, size as u64) };
    (status, chunk)
}

pub(crate) fn release_file(file: Guid) {
    // SAFETY: takes no pointers.
    check("ocrFileRelease", unsafe { sys::ocrFileRelease(file) });
}

pub(crate) enum CopyType {
    Plain,
    Partition,
    PartitionBack,
}

/// Copies bytes, each block with an offset. The answer is the completion event if it is wanted.
pub(crate) fn copy(
    (destination, to): (Guid, u32),
    (source, from): (Guid, u32),
    size: u32,
    kind: CopyType,
    wanted: bool,
) -> Guid {
    let kind = match kind {
        CopyType::Plain => 0,
        CopyType::Partition => sys::DB_COPY_PARTITION.into(),
        CopyType::PartitionBack => sys::DB_COPY_PARTITION_BACK.into(),
    };
    let mut event = NULL;
    let place: *mut Guid = if wanted { &mut event } else { ptr::null_mut() };
    let (to, from, size) = (to.into(), from.into(), size.into());
    // SAFETY: the pointer is valid, or null where that is allowed.
    let status = unsafe { sys::ocrDbCopy(destination, to, source, from, size, kind, place) };
    check("ocrDbCopy", status);
    event
}

pub(crate) fn template(function: Function, paramc: u32, depc: u32, name: &CStr) -> Guid {
    let mut guid = NULL;
    // SAFETY: the pointers are valid.
    let status = unsafe { sys::ocrEdtTemplateCreate_internal(&mut guid, Some(function), paramc, depc, name.as_ptr()) };
    check("ocrEdtTemplateCreate", status);
    guid
}

/// The status, and a template that has to have a label.
pub(crate) fn try_template(function: Function, paramc: u32, depc: u32, label: Label) -> (u8, Guid) {
    let (mut guid, property) = place_of(label);
    let name: *const c_char = c"labeled".as_ptr();
    // SAFETY: the pointers are valid.
    let status = unsafe { sys::ocrEdtTemplateCreateLabeled(&mut guid, Some(function), paramc, depc, property, name) };
    (status, guid)
}

/// Gives an EDT or a template a hint.
pub(crate) fn set_priority(object: Guid, priority: u64) {
    // SAFETY: the pointer is valid.
    let status = unsafe { sys::ocrSetHint(object, &mut hint(priority)) };
    check("ocrSetHint", status);
}

fn hint(priority: u64) -> sys::ocrHint_t {
    let mut hint = sys::ocrHint_t::default();
    // SAFETY: the pointer is valid.
    let status = unsafe { sys::ocrHintInit(&mut hint, sys::OCR_HINT_EDT_T) };
    check("ocrHintInit", status);
    // SAFETY: as above.
    let status = unsafe { sys::ocrSetHintValue(&mut hint, sys::OCR_HINT_EDT_PRIORITY, priority) };
    check("ocrSetHintValue", status);
    hint
}

pub(crate) fn destroy_template(template: Guid) {
    // SAFETY: takes no pointers.
    let status = unsafe { sys::ocrEdtTemplateDestroy(template) };
    check("ocrEdtTemplateDestroy", status);
}

type RangeFunction = unsafe extern "C" fn(u32, *const u64, u32, *const u64, *mut NdRange);

pub(crate) fn add_kernel(template: Guid, source: &str, kernel: &CStr, range: RangeFunction, result_slot: u32) {
    let source = CString::new(source).unwrap_or_default();
    // SAFETY: the texts are C strings, or null where that is allowed.
    let status = unsafe {
        sys::ocrEdtTemplateAddKernel(template, source.as_ptr(), ptr::null(), kernel.as_ptr(), Some(range), result_slot)
    };
    check("ocrEdtTemplateAddKernel", status);
}

pub(crate) fn kernel_template(source: &str, kernel: &CStr, paramc: u32, depc: u32) -> Guid {
    let mut guid = NULL;
    let source = CString::new(source).unwrap_or_default();
    // SAFETY: the texts are C strings, or null where that is allowed.
    let status = unsafe {
        sys::ocrOpenclTemplateCreate(
            &mut guid,
            source.as_ptr(),
            ptr::null(),
            kernel.as_ptr(),
            paramc,
            depc,
            ptr::null(),
        )
    };
    check("ocrOpenclTemplateCreate", status);
    guid
}

/// What an EDT is created with.
#[derive(Default)]
pub(crate) struct NewEdt<'a> {
    pub(crate) template: Guid,
    pub(crate) params: &'a mut [u64],
    pub(crate) depc: usize,
    /// As long as `depc`, or empty.
    pub(crate) depv: &'a mut [Guid],
    pub(crate) finish: bool,
    /// Whether its GUID is asked for.
    pub(crate) named: bool,
    /// Whether its output event is asked for.
    pub(crate) output: bool,
    /// Whether its template is of `ocrOpenclTemplateCreate`.
    pub(crate) kernel: bool,
    pub(crate) label: Label,
    /// The event that is its output event.
    pub(crate) given: Option<Guid>,
    /// Its priority, if its hint says so.
    pub(crate) priority: Option<u64>,
    /// Where its kernel is to run.
    pub(crate) device: Option<Guid>,
}

impl NewEdt<'_> {
    /// The EDT and its output event, as far as they are asked for.
    pub(crate) fn create(self) -> (Guid, Guid) {
        let (status, guid, output) = self.try_create();
        check("ocrEdtCreate", status);
        (guid, output)
    }

    pub(crate) fn try_create(self) -> (u8, Guid, Guid) {
        let (mut guid, property) = place_of(self.label);
        let mut output = self.given.unwrap_or(NULL);
        let mut hint = self.priority.map(hint);
        let hint = hint.as_mut().map_or(ptr::null_mut(), ptr::from_mut);
        let paramc = self.params.len() as u32;
        let params = match self.params {
            [] => ptr::null_mut(),
            params => params.as_mut_ptr(),
        };
        let depv = match self.depv {
            [] => ptr::null_mut(),
            depv => depv.as_mut_ptr(),
        };
        let guid_place: *mut Guid = if self.named { &mut guid } else { ptr::null_mut() };
        let output_place: *mut Guid = if self.output { &mut output } else { ptr::null_mut() };
        let depc = self.depc as u32;
        let finish = bits(self.finish, sys::EDT_PROP_FINISH);
        let given = bits(self.given.is_some(), sys::EDT_PROP_OEVT_VALID);
        let properties = property | finish | given;
        let status = if self.kernel {
            // SAFETY: the arrays are as long as said, and the others are valid or null.
            unsafe {
                sys::ocrOpenclTaskCreate(
                    guid_place,
                    self.template,
                    1,
                    ptr::null(),
                    &1,
                    ptr::null(),
                    paramc,
                    params,
                    depc,
                    depv,
                    properties,
                    self.device.unwrap_or(NULL),
                    output_place,
                )
            }
        } else {
            // SAFETY: the arrays are as long as said, and the others are valid or null.
            unsafe {
                sys::ocrEdtCreate(guid_place, self.template, paramc, params, depc, depv, properties, hint, output_place)
            }
        };
        (status, guid, output)
    }
}

pub(crate) fn destroy_edt(edt: Guid) {
    // SAFETY: takes no pointers.
    let status = unsafe { sys::ocrEdtDestroy(edt) };
    check("ocrEdtDestroy", status);
}

/// What an event was satisfied with: the status, the block, where it is, and its size.
pub(crate) fn wait_for(event: Guid, may_be_missing: bool) -> (u8, Guid, *mut u32, u64) {
    let (mut guid, mut address, mut size) = (NULL, ptr::null_mut::<c_void>(), 0);
    let properties = bits(may_be_missing, sys::LEGACY_PROP_WAIT_FOR_CREATE);
    // SAFETY: the pointers are valid.
    let status = unsafe { sys::ocrLegacyBlockProgress(event, &mut guid, &mut address, &mut size, properties) };
    (status, guid, address.cast(), size)
}

/// The same for events of all kinds.
pub(crate) fn wait_for_any(event: Guid) -> Guid {
    // SAFETY: takes no pointers.
    unsafe { sys::ocrWait(event) }
}

/// Runs what this thread does, and then EDTs until the runtime is shut down. The answer is the status.
pub(crate) fn run_legacy(args: &[CString], program: impl FnOnce()) -> i32 {
    let mut argv: Vec<*const c_char> = args.iter().map(|arg| arg.as_ptr()).collect();
    argv.push(ptr::null());
    let mut config = sys::ocrConfig_t::default();
    // SAFETY: the arguments are C strings, and a null pointer ends them.
    unsafe { sys::ocrParseArgs(args.len() as i32, argv.as_mut_ptr(), &mut config) };
    let mut context = NULL;
    // SAFETY: the pointers are valid.
    unsafe { sys::ocrLegacyInit(&mut context, &mut config) };
    program();
    // SAFETY: takes no pointers.
    unsafe { sys::ocrLegacyFinalize(context, true) }.into()
}

pub(crate) fn shutdown() {
    // SAFETY: takes no pointers.
    unsafe { sys::ocrShutdown() };
}

/// The affinities of the devices in use.
pub(crate) fn devices() -> Vec<Guid> {
    let mut count = 0;
    // SAFETY: the pointer is valid.
    let status = unsafe { sys::ocrAffinityCount(sys::AFFINITY_OCL, &mut count) };
    check("ocrAffinityCount", status);
    let mut devices = vec![NULL; count as usize];
    // SAFETY: there is room for `count` of them.
    let status = unsafe { sys::ocrAffinityGet(sys::AFFINITY_OCL, &mut count, devices.as_mut_ptr()) };
    check("ocrAffinityGet", status);
    devices
}
