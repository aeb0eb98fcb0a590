//! EDTs whose work is a closure.
//!
//! An EDT has one parameter: where its work is, a closure that takes the EDT's slots. The function of the EDT takes it
//! back. That function is made once for each type of closure, so that messages, statistics and models tell EDTs by what
//! they do.

use super::event::Event;
use super::need::{Needs, SlotSource, Slots, sources_of};
use super::{IN_EDT, NULL, OPEN, Owned, PANIC, check};
use crate::capi::{PARAM_UNK, call_rust, sys};
use std::any::{TypeId, type_name};
use std::collections::HashMap;
use std::ffi::CString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::{Arc, OnceLock};

use ocr_base::lock::{RwLock, rank};

/// An EDT that was created, and its value when it has run. Its clones are handles of the same EDT. As a need of another
/// EDT it gives `&R`.
pub struct Task<R>(Arc<Promise<R>>);

struct Promise<R> {
    value: OnceLock<R>,
    done: Event,
}

impl<R> Clone for Task<R> {
    fn clone(&self) -> Task<R> {
        Task(self.0.clone())
    }
}

impl<R> Task<R> {
    /// Of an EDT that is about to be created.
    pub(super) fn new() -> Task<R> {
        let (value, done) = (OnceLock::new(), Event::new());
        Task(Arc::new(Promise { value, done }))
    }

    /// Keeps the value. An EDT runs once, so there is none yet.
    pub(super) fn set(&self, value: R) {
        let _ = self.0.value.set(value);
    }

    /// Lets those go on that wait for it; it has a value.
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

// SAFETY: the source is an event, and one slot is taken.
unsafe impl<R: Send + Sync + 'static> Needs for Task<R> {
    type Given<'a> = &'a R;

    fn sources(&self, sources: &mut Vec<SlotSource>) {
        self.0.done.sources(sources);
    }

    unsafe fn given<'a>(&'a self, slots: &mut Slots<'_>) -> &'a R {
        slots.next();
        let value = self.0.value.get();
        value.expect("an EDT is reported to have run, but has no value: this is a fault of ocr::tasks")
    }
}

/// Creates an EDT that calls `function` with what its needs give, when all are satisfied. EDTs that need the answer run
/// after that, and see what it has written.
///
/// ```
/// use ocr::tasks::{run, spawn};
///
/// let length = run(|| {
///     let one = spawn((), |()| String::from("one"));
///     let two = spawn((), |()| String::from("two"));
///     spawn((one, two), |(one, two)| one.len() + two.len())
/// });
/// assert_eq!(length.get(), Some(6));
/// ```
///
/// # Panics
/// Outside of an EDT, and where two of its needs are one block that it could write.
pub fn spawn<N, F, R>(needs: N, function: F) -> Task<R>
where
    N: Needs,
    F: for<'a> FnOnce(N::Given<'a>) -> R + Send + 'static,
    R: Send + Sync + 'static,
{
    let sources = sources_of(&needs);
    let task = Task::new();
    let answer = answering(needs, function, task.clone());
    let work = move |slots: &mut Slots<'_>| answer(slots).satisfy();
    create(type_name::<F>(), work, &sources, None);
    task
}

/// Creates a finish EDT (`EDT_PROP_FINISH`; OCR 1.1.0, 1.4.2), as [`spawn`] creates an EDT. But an EDT that needs the
/// answer runs when all EDTs have ended, too, that `function` has created, and those that they have created.
///
/// ```
/// use ocr::tasks::{finish, run, spawn};
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
///
/// fn tree(depth: u32, leaves: &Arc<AtomicU32>) {
///     if depth == 0 {
///         leaves.fetch_add(1, Relaxed);
///     } else {
///         for _ in 0..2 {
///             let leaves = leaves.clone();
///             spawn((), move |()| tree(depth - 1, &leaves));
///         }
///     }
/// }
///
/// let seen = run(|| {
///     let leaves = Arc::new(AtomicU32::new(0));
///     let growing = leaves.clone();
///     let whole = finish((), move |()| tree(4, &growing));
///     spawn(whole, move |()| leaves.load(Relaxed))
/// });
/// assert_eq!(seen.get(), Some(16));
/// ```
///
/// # Panics
/// As [`spawn`].
pub fn finish<N, F, R>(needs: N, function: F) -> Task<R>
where
    N: Needs,
    F: for<'a> FnOnce(N::Given<'a>) -> R + Send + 'static,
    R: Send + Sync + 'static,
{
    let sources = sources_of(&needs);
    let (task, scope) = (Task::new(), Event::new());
    let (done, answer) = (task.clone(), answering(needs, function, task.clone()));
    let work = move |slots: &mut Slots<'_>| drop(answer(slots));
    // The scope's end satisfies an event of the runtime, and an EDT then the answer's: that way the answer's event can
    // go with its last handle, and the scope's lives until it is satisfied.
    spawn(scope.clone(), move |()| done.satisfy());
    let output = Some((&scope, sys::EDT_PROP_FINISH));
    create(type_name::<F>(), work, &sources, output);
    task
}

/// What an EDT with these needs does: it calls `function`, keeps the answer, and says of what it is.
fn answering<N, F, R>(needs: N, function: F, task: Task<R>) -> impl FnOnce(&mut Slots<'_>) -> Task<R> + Send + 'static
where
    N: Needs,
    F: for<'a> FnOnce(N::Given<'a>) -> R + Send + 'static,
    R: Send + Sync + 'static,
{
    move |slots| {
        // SAFETY: the slots are those of an EDT that was created with the sources of these needs, and `sources_of` has
        // looked at them. None of them has been taken, and the EDT runs until this closure has returned. So it has its
        // blocks for as long as `needs` is borrowed.
        task.set(function(unsafe { needs.given(slots) }));
        task
    }
}

/// What an EDT does with its slots.
trait EdtBody: FnOnce(&mut Slots<'_>) + Send + 'static {}

impl<W: FnOnce(&mut Slots<'_>) + Send + 'static> EdtBody for W {}

/// An output event of an EDT, and the properties by which it comes to be satisfied.
pub(super) type EdtOutput<'a> = Option<(&'a Event, u16)>;

/// Creates an EDT of that name.
fn create(name: &str, work: impl EdtBody, sources: &[SlotSource], output: EdtOutput<'_>) {
    let template = template_of(name, &work);
    let word = Box::into_raw(Box::new(work)) as usize as u64;
    create_of(template, &mut [word], sources, output);
}

/// Creates an EDT of a template, with its parameters and what it waits for.
pub(super) fn create_of(
    template: sys::ocrGuid_t,
    parameters: &mut [u64],
    sources: &[SlotSource],
    output: EdtOutput<'_>,
) {
    let (mut edt, mut event, mut open) = (NULL, NULL, vec![OPEN; sources.len()]);
    let (paramc, depc) = (parameters.len() as u32, sources.len() as u32);
    let paramv = match parameters {
        [] => ptr::null_mut(),
        words => words.as_mut_ptr(),
    };
    let mut properties = 0;
    let output = output.map_or(ptr::null_mut(), |(output, how)| {
        event = output.guid();
        properties = how | sys::EDT_PROP_OEVT_VALID;
        &raw mut event
    });
    let (depv, no_hint) = (open.as_mut_ptr(), ptr::null_mut());
    // SAFETY: the arrays have as many elements as is said, and all places are valid or null.
    let status =
        unsafe { sys::ocrEdtCreate(&mut edt, template, paramc, paramv, depc, depv, properties, no_hint, output) };
    check("ocrEdtCreate", status);
    for (slot, (source, mode)) in sources.iter().enumerate() {
        // SAFETY: `ocrAddDependence` gets no pointer, and answers any GUID with a status.
        let status = unsafe { sys::ocrAddDependence(*source, edt, slot as u32, *mode) };
        check("ocrAddDependence", status);
    }
}

/// Has the first EDT of a run call `f`, and waits until the run has nothing more to do, or has ended.
pub(super) fn run_first<F: FnOnce() + Send + 'static>(name: &str, f: F) {
    let work = move |_: &mut Slots<'_>| f();
    let template = template_of(name, &work);
    let mut word = Box::into_raw(Box::new(work)) as usize as u64;
    let (mut handle, mut first) = (NULL, OPEN);
    // SAFETY: the addresses are those of variables, so they are valid during the call; both arrays have one element.
    let status = unsafe { sys::ocrLegacySpawnOCR(&mut handle, template, 1, &mut word, 1, &mut first, NULL) };
    check("ocrLegacySpawnOCR", status);
    let (guid, address, size) = (ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
    // A run that a panic has ended refuses it (OCR_ECANCELED), which `run` tells by the payload.
    // SAFETY: each pointer is null, which `ocrLegacyBlockProgress` allows: it writes nothing then.
    unsafe { sys::ocrLegacyBlockProgress(handle, guid, address, size, 0) };
    // SAFETY: `ocrEventDestroy` gets no pointer, and answers any GUID with a status.
    unsafe { sys::ocrEventDestroy(handle) };
}

/// The templates of this run, by the types of what their EDTs do.
static TEMPLATES: RwLock<rank::TaskTemplates, Option<HashMap<TypeId, Arc<Owned>>>> = RwLock::new(None);

/// The template of EDTs that do such work, which is created for the first of them.
fn template_of<W: EdtBody>(name: &str, _: &W) -> sys::ocrGuid_t {
    let key = TypeId::of::<W>();
    if let Some(known) = TEMPLATES.read().as_ref().and_then(|known| known.get(&key))
        && known.is_of_this_run()
    {
        return known.guid;
    }
    // Each EDT says how many pre-slots it has.
    let template = create_template(edt::<W>, 1, PARAM_UNK, name);
    let guid = template.guid;
    // Another thread may have been faster: its template goes with the run, since EDTs are about to be created with it.
    let mut templates = TEMPLATES.write();
    std::mem::forget(templates.get_or_insert_default().insert(key, template));
    guid
}

/// Destroys the templates of this run.
pub(super) fn destroy_templates() {
    let templates = TEMPLATES.write().take().unwrap_or_default();
    for template in templates.values().filter(|it| it.is_of_this_run()) {
        // SAFETY: `ocrEdtTemplateDestroy` gets no pointer, and answers any GUID with a status.
        unsafe { (template.destroy)(template.guid) };
    }
}

/// What the runtime calls for an EDT (`ocrEdt_t`).
type Function = unsafe extern "C" fn(u32, *mut u64, u32, *mut sys::ocrEdtDep_t) -> sys::ocrGuid_t;

/// Creates a template whose EDTs messages call so.
pub(super) fn create_template(function: Function, paramc: u32, depc: u32, name: &str) -> Arc<Owned> {
    let (mut guid, function, unnamed) = (NULL, Some(function), ptr::null());
    // SAFETY: `guid` is a variable, so its address is valid for a write, and the name is null, which stands for none.
    let status = unsafe { sys::ocrEdtTemplateCreate_internal(&mut guid, function, paramc, depc, unnamed) };
    check("ocrEdtTemplateCreate", status);
    let name = CString::new(name).unwrap_or_default();
    // The name of a type of closures says more than that of the function, which the runtime would look up.
    // SAFETY: `name` is a `CString`, which ends with a zero and lives until the call has returned.
    let status = unsafe { sys::ocrEdtTemplateAddFunction(guid, function, name.as_ptr()) };
    check("ocrEdtTemplateAddFunction", status);
    Owned::new(guid, sys::ocrEdtTemplateDestroy)
}

/// What the runtime calls.
///
/// # Safety
/// The one parameter is where a `W` is, which no other code takes; the slots are those that `W` is for.
unsafe extern "C" fn edt<W: EdtBody>(
    _: u32,
    paramv: *mut u64,
    depc: u32,
    depv: *mut sys::ocrEdtDep_t,
) -> sys::ocrGuid_t {
    // SAFETY: the caller promises that `paramv` leads to one parameter.
    let word = unsafe { *paramv };
    // SAFETY: the caller promises that it is where a `W` is that no other code takes.
    let work = unsafe { Box::from_raw(word as usize as *mut W) };
    call_edt(move || {
        // SAFETY: these are the slots of the EDT that runs, until this closure has returned.
        let mut slots = unsafe { Slots::new(depv, depc) };
        work(&mut slots);
    })
}

/// Calls what an EDT does; a panic in it ends the run. The EDT has no output block.
pub(super) fn call_edt(work: impl FnOnce()) -> sys::ocrGuid_t {
    if !guarded(true, work) {
        end_run();
    }
    NULL
}

/// Ends the run: EDTs that have not begun do not run.
pub(super) fn end_run() {
    // SAFETY: takes no arguments.
    unsafe { sys::ocrShutdown() };
}

/// Calls a closure of the program. Whether it has returned; if it has panicked, `run` will, by the first payload.
pub(super) fn guarded(in_edt: bool, f: impl FnOnce()) -> bool {
    let outer = IN_EDT.replace(in_edt);
    let outcome = call_rust(|| catch_unwind(AssertUnwindSafe(f)));
    IN_EDT.set(outer);
    let Err(payload) = outcome else { return true };
    match &mut *PANIC.lock() {
        first @ None => *first = Some(payload),
        // Its destructor might panic, too, where no code may.
        Some(_) => std::mem::forget(payload),
    }
    false
}
