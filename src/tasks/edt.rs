//! EDTs whose work is a closure.
//!
//! An EDT has one parameter: where its [`EdtBody`] is, which the EDT's function takes back. The function is made once for each
//! type of closure, so that messages, statistics and models tell EDTs by what they do.

use super::event::Event;
use super::need::{Need, Needs, SatisfiedSlot, Slots};
use super::{Handle, NULL, OPEN, PANIC, check};
use crate::capi::{PARAM_UNK, call_rust, sys};
use std::any::{TypeId, type_name};
use std::collections::HashMap;
use std::ffi::CString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::{Arc, OnceLock};

use parking_lot::RwLock;

/// An EDT that was created, and its value when it has run. Its clones are handles of the same EDT. As a need of another
/// EDT it gives `&R`.
pub struct Task<R>(Arc<Promise<R>>);

pub(super) struct Promise<R> {
    value: Arc<OnceLock<R>>,
    done: Event,
}

impl<R> Clone for Task<R> {
    fn clone(&self) -> Task<R> {
        Task(self.0.clone())
    }
}

impl<R: Send + Sync + 'static> Task<R> {
    pub(super) fn new(value: Arc<OnceLock<R>>) -> Task<R> {
        let done = Event::new();
        Task(Arc::new(Promise { value, done }))
    }

    /// Lets those go on that wait for it.
    pub(super) fn satisfy(&self) {
        self.0.done.satisfy();
    }

    /// The value, if the EDT has run: after [`super::run`], or in an EDT that needs this one, it has.
    pub fn get(&self) -> Option<R>
    where
        R: Clone,
    {
        self.0.value.get().cloned()
    }
}

// SAFETY: the source is an event.
unsafe impl<R: Send + Sync + 'static> Need for Task<R> {
    type Given<'a> = &'a R;

    fn source(&self) -> (sys::ocrGuid_t, sys::ocrDbAccessMode_t) {
        self.0.done.source()
    }

    unsafe fn given<'a>(&'a self, _: SatisfiedSlot<'a>) -> &'a R {
        let value = self.0.value.get();
        value.expect("an EDT is told to have run, and has no value: this is a fault of ocr::tasks")
    }
}

/// What the runtime calls for an EDT (`ocrEdt_t`).
pub(super) type Function =
    unsafe extern "C" fn(u32, *mut u64, u32, *mut sys::ocrEdtDep_t) -> sys::ocrGuid_t;

/// What an EDT does.
struct EdtBody<N, F, R> {
    needs: N,
    function: F,
    value: Arc<OnceLock<R>>,
    /// Who waits for the end of the function; none of a finish EDT, whose end is later.
    task: Option<Task<R>>,
}

/// Creates an EDT that calls `function` with what its needs give, when all are satisfied. EDTs that need the answer run
/// after that, and see what it has written.
///
/// # Panics
/// Outside of [`super::run`].
pub fn spawn<N, F, R>(needs: N, function: F) -> Task<R>
where
    N: Needs,
    F: for<'a> FnOnce(N::Given<'a>) -> R + Send + 'static,
    R: Send + Sync + 'static,
{
    let value = Arc::new(OnceLock::new());
    let task = Task::new(value.clone());
    let work = EdtBody {
        needs,
        function,
        value,
        task: Some(task.clone()),
    };
    create(work, 0, None);
    task
}

/// Creates a finish EDT (`EDT_PROP_FINISH`; OCR 1.1.0, 1.4.2): as [`spawn`], but who needs the answer runs when all EDTs
/// have ended, too, that `function` has created, and those that they have created.
///
/// # Panics
/// Outside of [`super::run`].
pub fn finish<N, F, R>(needs: N, function: F) -> Task<R>
where
    N: Needs,
    F: for<'a> FnOnce(N::Given<'a>) -> R + Send + 'static,
    R: Send + Sync + 'static,
{
    let value = Arc::new(OnceLock::new());
    let task = Task::new(value.clone());
    let work = EdtBody {
        needs,
        function,
        value,
        task: None,
    };
    let scope = Event::new();
    // The scope's end satisfies an event of the runtime, and an EDT then the answer's: that way the answer's event can go
    // with its last handle, and the scope's lives until it is satisfied.
    let answer = task.clone();
    spawn(scope.clone(), move |()| answer.satisfy());
    create(work, sys::EDT_PROP_FINISH, Some(&scope));
    task
}

/// Creates an EDT; `output` is its output event.
fn create<N, F, R>(work: EdtBody<N, F, R>, properties: u16, output: Option<&Event>)
where
    N: Needs,
    F: for<'a> FnOnce(N::Given<'a>) -> R + Send + 'static,
    R: Send + Sync + 'static,
{
    let mut sources = Vec::new();
    work.needs
        .sources(&mut |source, mode| sources.push((source, mode)));
    let template = template_of::<N, F, R>();
    let work = Box::into_raw(Box::new(work));
    create_of(
        template,
        &mut [work as usize as u64],
        &sources,
        properties,
        output,
    );
}

/// Creates an EDT of a template, with its parameters and what it waits for.
pub(super) fn create_of(
    template: sys::ocrGuid_t,
    parameters: &mut [u64],
    sources: &[(sys::ocrGuid_t, sys::ocrDbAccessMode_t)],
    properties: u16,
    output: Option<&Event>,
) {
    check_distinct(sources);
    let mut edt = NULL;
    let mut event = output.map_or(NULL, Event::guid);
    let valid = if output.is_some() {
        sys::EDT_PROP_OEVT_VALID
    } else {
        0
    };
    let paramv = if parameters.is_empty() {
        ptr::null_mut()
    } else {
        parameters.as_mut_ptr()
    };
    let mut open = vec![OPEN; sources.len()];
    // An EDT without pre-slots may be gone before the call returns.
    let place = if sources.is_empty() {
        ptr::null_mut()
    } else {
        &raw mut edt
    };
    let output = if output.is_some() {
        &raw mut event
    } else {
        ptr::null_mut()
    };
    // SAFETY: the arrays have as many elements as is said, and all places are valid or null.
    let status = unsafe {
        sys::ocrEdtCreate(
            place,
            template,
            parameters.len() as u32,
            paramv,
            sources.len() as u32,
            open.as_mut_ptr(),
            properties | valid,
            ptr::null_mut(),
            output,
        )
    };
    check("ocrEdtCreate", status);
    for (slot, (source, mode)) in sources.iter().enumerate() {
        // SAFETY: takes no pointers.
        let status = unsafe { sys::ocrAddDependence(*source, edt, slot as u32, *mode) };
        check("ocrAddDependence", status);
    }
}

/// Panics where an EDT would have one block twice, unless both slots read it or both share it by atomics: it would have a
/// slice that it can write beside another one of the same block.
fn check_distinct(sources: &[(sys::ocrGuid_t, sys::ocrDbAccessMode_t)]) {
    let mut blocks: Vec<_> = sources
        .iter()
        .filter(|(_, mode)| *mode != sys::DB_MODE_NULL)
        .map(|(source, mode)| (source.guid, *mode))
        .collect();
    blocks.sort_unstable();
    for pair in blocks.windows(2) {
        let (one, other) = (pair[0], pair[1]);
        assert!(
            one.0 != other.0 || (one.1 == other.1 && one.1 != sys::DB_MODE_EW),
            "an EDT needs one data block twice, and could write it beside a slice of it: let it need the block once"
        );
    }
}

/// Has the first EDT of a run call `f`, and waits until the run has nothing more to do. The answer has no value if the
/// run has ended before.
pub(super) fn run_first<R: Send + Sync + 'static>(
    f: impl FnOnce() -> R + Send + 'static,
) -> Arc<OnceLock<R>> {
    let value = Arc::new(OnceLock::new());
    let function = move |()| f();
    let work = EdtBody {
        needs: (),
        function,
        value: value.clone(),
        task: None,
    };
    spawn_first(work);
    value
}

fn spawn_first<F, R>(work: EdtBody<(), F, R>)
where
    F: FnOnce(()) -> R + Send + 'static,
    R: Send + Sync + 'static,
{
    let template = template_of::<(), F, R>();
    let mut word = Box::into_raw(Box::new(work)) as usize as u64;
    let (mut handle, mut first) = (NULL, OPEN);
    // SAFETY: all places are valid, and both arrays have one element.
    let status =
        unsafe { sys::ocrLegacySpawnOCR(&mut handle, template, 1, &mut word, 1, &mut first, NULL) };
    check("ocrLegacySpawnOCR", status);
    let none = ptr::null_mut();
    // A run that a panic has ended refuses it (OCR_ECANCELED), which `run` tells by the payload.
    // SAFETY: all places are null.
    unsafe { sys::ocrLegacyBlockProgress(handle, none, ptr::null_mut(), ptr::null_mut(), 0) };
    // SAFETY: takes no pointers.
    unsafe { sys::ocrEventDestroy(handle) };
}

/// The templates of this run, by the types of what their EDTs do.
static TEMPLATES: RwLock<Option<HashMap<TypeId, Handle>>> = RwLock::new(None);

/// The template of EDTs that do such work, which is created for the first of them.
fn template_of<N, F, R>() -> sys::ocrGuid_t
where
    N: Needs,
    F: for<'a> FnOnce(N::Given<'a>) -> R + Send + 'static,
    R: Send + Sync + 'static,
{
    let key = TypeId::of::<(N, F, R)>();
    let known = TEMPLATES
        .read()
        .as_ref()
        .and_then(|known| known.get(&key).copied());
    if let Some(known) = known.filter(|known| known.is_of_this_run()) {
        return known.guid;
    }
    let guid = create_template(edt::<N, F, R>, 1, PARAM_UNK, type_name::<F>());
    // Another thread may have been faster: its template is used no more, and goes with the run.
    let mut templates = TEMPLATES.write();
    templates
        .get_or_insert_default()
        .insert(key, Handle::new(guid));
    guid
}

/// Destroys the templates of this run.
pub(super) fn destroy_templates() {
    let templates = TEMPLATES.write().take().unwrap_or_default();
    for template in templates
        .into_values()
        .filter(|template| template.is_of_this_run())
    {
        // SAFETY: takes no pointers.
        unsafe { sys::ocrEdtTemplateDestroy(template.guid) };
    }
}

/// Creates a template whose EDTs messages call so.
pub(super) fn create_template(
    function: Function,
    paramc: u32,
    depc: u32,
    name: &str,
) -> sys::ocrGuid_t {
    let mut guid = NULL;
    // SAFETY: the place is valid, and the name may be null.
    let status = unsafe {
        sys::ocrEdtTemplateCreate_internal(&mut guid, Some(function), paramc, depc, ptr::null())
    };
    check("ocrEdtTemplateCreate", status);
    let name = CString::new(name).unwrap_or_default();
    // The name of a type of closures says more than that of the function, which the runtime would look up.
    // SAFETY: the name is a C string.
    let status = unsafe { sys::ocrEdtTemplateAddFunction(guid, Some(function), name.as_ptr()) };
    check("ocrEdtTemplateAddFunction", status);
    guid
}

/// What the runtime calls.
///
/// # Safety
/// The one parameter is where a `EdtBody` of these types is, which nobody else takes; the slots are those of its needs.
unsafe extern "C" fn edt<N, F, R>(
    _: u32,
    paramv: *mut u64,
    depc: u32,
    depv: *mut sys::ocrEdtDep_t,
) -> sys::ocrGuid_t
where
    N: Needs,
    F: for<'a> FnOnce(N::Given<'a>) -> R + Send + 'static,
    R: Send + Sync + 'static,
{
    // SAFETY: the caller promises one parameter.
    let word = unsafe { *paramv };
    // SAFETY: the caller promises that it is where a `EdtBody` is that nobody else takes.
    let work = unsafe { Box::from_raw(word as usize as *mut EdtBody<N, F, R>) };
    guarded(move || {
        let EdtBody {
            needs,
            function,
            value,
            task,
        } = *work;
        // SAFETY: the EDT runs until this closure has returned.
        let mut slots = unsafe { Slots::new(depv, depc) };
        // SAFETY: the slots are those of these needs, as the caller promises, whose blocks `check_distinct` has seen.
        let answer = function(unsafe { needs.given(&mut slots) });
        // Nobody else has set it: an EDT runs once.
        let _ = value.set(answer);
        if let Some(task) = task {
            task.satisfy();
        }
    });
    NULL
}

/// Calls `f`; a panic in it ends the run.
pub(super) fn guarded(f: impl FnOnce()) {
    if let Err(payload) = call_rust(|| catch_unwind(AssertUnwindSafe(f))) {
        PANIC.lock().get_or_insert(payload);
        // SAFETY: takes no arguments.
        unsafe { sys::ocrShutdown() };
    }
}
