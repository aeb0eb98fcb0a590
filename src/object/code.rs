//! What EDTs do: a C function, OpenCL kernels, or both.
//!
//! A [`Code`] is made once for each distinct combination and lives as long as the runtime, so that
//! an EDT carries a plain pointer to it, a template can be destroyed while its EDTs wait, and
//! programs that create and destroy templates all the time do not grow.

use crate::{symbols, trace};
use ocr_base::lock::{Mutex, rank};
use ocr_place::model::RunTimes;
use ocr_place::place::Place;
use std::collections::HashMap;
use std::ffi::c_void;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

pub(crate) use ocr_trace::numbers::WorkKind;

/// `ocrEdtDep_t`: what the function of an EDT is given for a pre-slot.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct EdtDep {
    /// The data block, or `NULL_GUID`.
    pub guid: super::guid::Guid,
    /// Where the memory of the data block begins; null if there is no block.
    pub ptr: *mut c_void,
    /// The mode it was acquired in.
    pub mode: u32,
}

/// `ocrEdt_t`. C++ programs may throw through it, which ends them: hence the plain C ABI.
pub(crate) type EdtFunction = unsafe extern "C" fn(u32, *mut u64, u32, *mut EdtDep) -> super::guid::Guid;

/// `ocrNdRange_t`: the index space of a launch, which a function of the program fills in.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct NdRange {
    /// How many dimensions are in use, 1 to 3.
    pub work_dim: u32,
    /// The first global id in each dimension.
    pub global_offset: [usize; 3],
    /// Number of work-items, per dimension.
    pub global_size: [usize; 3],
    /// Local sizes; the first 0 where the runtime chooses.
    pub local_size: [usize; 3],
}

/// `ocrNdRangeFn_t`: a function of the program that makes the index space of a launch.
pub(crate) type NdRangeFunction = unsafe extern "C" fn(u32, *const u64, u32, *const u64, *mut NdRange);

/// `OCR_NO_RESULT`: the kernel's EDT returns no data block.
pub(crate) const NO_RESULT: u32 = u32::MAX;

/// A kernel variant.
///
/// Functions are compared by address. Where the linker has merged two of them they do the same.
#[allow(unpredictable_function_pointer_comparisons)]
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Kernel {
    /// OpenCL C. A comment or a text in it need not be UTF-8.
    pub source: Arc<[u8]>,
    /// Build options. A name of a directory in them need not be UTF-8.
    pub options: Vec<u8>,
    /// The kernel's name in `source`.
    pub name: String,
    /// Makes the index space of an EDT; none for templates of `ocrOpenclTemplateCreate`.
    pub range: Option<NdRangeFunction>,
    /// The slot whose block the EDT passes on, or [`NO_RESULT`].
    pub result_slot: u32,
    /// Where it was built: the device and the number that its manager gave it.
    pub built: Vec<(Place, usize)>,
}

/// What people know a work by.
pub struct CodeName {
    /// What the program, or the runtime, calls it.
    given: String,
    /// Where the function is that may have a better name.
    function: Option<usize>,
    /// The better name of the function, once it was looked for.
    found: Mutex<rank::CodeName, Option<&'static str>>,
}

impl CodeName {
    /// The name of a function of the program. `given` is what the program wrote, if it says anything.
    pub fn of_program(function: EdtFunction, given: &str) -> CodeName {
        let at = function as *const () as usize;
        let given = match given {
            "" => format!("{at:#x}"),
            given => given.to_string(),
        };
        CodeName { given, function: Some(at), found: Mutex::new(None) }
    }

    /// A name that no lookup replaces.
    pub fn fixed(name: &str) -> CodeName {
        CodeName { given: name.to_string(), function: None, found: Mutex::new(None) }
    }

    /// What it was given when it was made.
    pub fn given(&self) -> &str {
        &self.given
    }

    /// Whether it is the name of a function of the program.
    pub fn is_of_program(&self) -> bool {
        self.function.is_some()
    }

    /// The best one. It is looked for in files, the first time.
    pub fn best(&self) -> &str {
        match self.function {
            Some(function) => {
                let find = || symbols::name_of(function, &self.given);
                self.found.lock().get_or_insert_with(find)
            }
            None => &self.given,
        }
    }

    /// The best one that is known, for a signal handler. In strict mode it was looked for.
    pub fn known(&self) -> &str {
        let found = self.found.try_lock().and_then(|found| *found);
        found.unwrap_or(&self.given)
    }
}

impl Clone for CodeName {
    fn clone(&self) -> CodeName {
        CodeName { given: self.given.clone(), function: self.function, found: Mutex::new(*self.found.lock()) }
    }
}

impl fmt::Display for CodeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.best())
    }
}

impl PartialEq for CodeName {
    fn eq(&self, other: &CodeName) -> bool {
        (&self.given, self.function) == (&other.given, other.function)
    }
}

impl Eq for CodeName {}

impl std::hash::Hash for CodeName {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (&self.given, self.function).hash(state);
    }
}

/// Why a kernel cannot run.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct KernelError {
    /// Why the kernel is missing, in a sentence for people.
    pub text: String,
    /// What is to blame.
    pub blame: KernelBlame,
}

/// What is to blame where a kernel cannot run.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum KernelBlame {
    /// The program: no device could run the kernel.
    Program,
    /// The program or the device: another device might have the kernel.
    Either,
    /// A device that refuses calls, perhaps since it is lost: the program may be right.
    Device,
}

impl KernelError {
    /// The kernel is missing for this reason, and no other device could run it either.
    pub fn anywhere(text: String) -> KernelError {
        KernelError { text, blame: KernelBlame::Program }
    }

    /// The kernel is missing here, for this reason; another device might have it.
    pub fn here(text: String) -> KernelError {
        KernelError { text, blame: KernelBlame::Either }
    }
}

/// Whether something was reported of a work, which is reported once. No part of what the work is: all are equal, and a
/// copy is new.
#[derive(Default)]
pub struct ToldFlag(AtomicBool);

impl ToldFlag {
    /// Whether this is the first call.
    pub fn is_first(&self) -> bool {
        // Relaxed: it orders nothing. The load keeps the cache line shared once it was reported.
        !self.0.load(Ordering::Relaxed) && !self.0.swap(true, Ordering::Relaxed)
    }
}

impl Clone for ToldFlag {
    fn clone(&self) -> ToldFlag {
        ToldFlag::default()
    }
}

impl PartialEq for ToldFlag {
    fn eq(&self, _: &ToldFlag) -> bool {
        true
    }
}

impl Eq for ToldFlag {}

impl std::hash::Hash for ToldFlag {
    fn hash<H: std::hash::Hasher>(&self, _: &mut H) {}
}

/// A newer work that replaces one for EDTs that are not placed yet. No part of what the work is: all are equal, and a
/// copy is new.
#[derive(Default)]
pub struct NewerCode(OnceLock<&'static Code>);

impl NewerCode {
    /// The newer work, if there is one.
    pub fn get(&self) -> Option<&'static Code> {
        self.0.get().copied()
    }

    /// Sets it, unless another thread has.
    pub fn set(&self, newer: &'static Code) {
        let _ = self.0.set(newer);
    }
}

impl Clone for NewerCode {
    fn clone(&self) -> NewerCode {
        NewerCode::default()
    }
}

impl PartialEq for NewerCode {
    fn eq(&self, _: &NewerCode) -> bool {
        true
    }
}

impl Eq for NewerCode {}

impl std::hash::Hash for NewerCode {
    fn hash<H: std::hash::Hasher>(&self, _: &mut H) {}
}

/// What the EDTs of a template do.
#[allow(unpredictable_function_pointer_comparisons)]
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Code {
    /// The name of the template, as messages tell it.
    pub name: CodeName,
    /// Whether EDTs run for the program, or for a call of the runtime.
    pub kind: WorkKind,
    /// The C function, if there is one.
    pub function: Option<EdtFunction>,
    /// The C variant, where a worker calls it and does nothing else: not in strict mode, nor where it is
    /// timed, the run is recorded, or EDTs run as attempts.
    pub fast_entry: Option<EdtFunction>,
    /// The kernels, in the order in which they were added.
    pub kernels: Vec<Kernel>,
    /// The devices that have a kernel for it.
    pub devices: Vec<Place>,
    /// Why a kernel that was asked for is not among those that can run, for the message if nothing
    /// else can run either.
    pub missing: Vec<KernelError>,
    /// How long its EDTs take. No part of what it is: all are equal, and a copy is empty.
    pub times: RunTimes,
    /// Whether it was reported that its EDTs run as functions though it has kernels.
    pub told_unused: ToldFlag,
    /// Whether it was reported that one of its EDTs was undone and runs again.
    pub told_undone: ToldFlag,
    /// The work with the kernels of this one built that were left unbuilt when they were added.
    pub built_later: NewerCode,
}

impl Code {
    /// The work of a function of the program's, which it has written so.
    pub fn of_program(function: EdtFunction, given: &str) -> Code {
        Code { name: CodeName::of_program(function, given), ..Code::of_function(function, "") }
    }

    /// The work of a C function alone that has this name.
    pub fn of_function(function: EdtFunction, name: &str) -> Code {
        Code { function: Some(function), ..Code::of_kernels(name) }
    }

    /// The work of the main EDT, a function of the program's that the runtime calls.
    pub fn of_main(function: EdtFunction) -> Code {
        Code { kind: WorkKind::Main, ..Code::of_function(function, "mainEdt") }
    }

    /// The work of a C function of the runtime's, for a call of the interface.
    pub fn of_runtime(function: EdtFunction, kind: WorkKind) -> Code {
        Code { kind, ..Code::of_function(function, kind.call()) }
    }

    /// A work to which kernels will be added.
    pub fn of_kernels(name: &str) -> Code {
        Code {
            name: CodeName::fixed(name),
            kind: WorkKind::Program,
            function: None,
            fast_entry: None,
            kernels: Vec::new(),
            devices: Vec::new(),
            missing: Vec::new(),
            times: RunTimes::default(),
            told_unused: ToldFlag::default(),
            told_undone: ToldFlag::default(),
            built_later: NewerCode::default(),
        }
    }

    /// Whether a policy may choose between two places for its EDTs.
    pub fn has_choice(&self) -> bool {
        self.devices.len() + usize::from(self.function.is_some()) > 1
    }

    /// Whether its EDTs have more than one variant, of which a run may use one alone: it is measured how long each
    /// takes.
    pub fn has_variants(&self) -> bool {
        self.has_choice() || self.function.is_some() && !self.kernels.is_empty()
    }

    /// Whether its EDTs run kernels alone, of which none passes on a block.
    pub fn passes_nothing(&self) -> bool {
        let passes = |kernel: &Kernel| kernel.result_slot != NO_RESULT;
        self.function.is_none() && !self.kernels.iter().any(passes)
    }

    /// The kernel for a device: which variant, and its number there. One that says its work-items comes before one that
    /// leaves them to the creator of the EDT.
    pub fn kernel_on(&self, place: Place) -> Option<(usize, usize)> {
        let kernels = self.kernels.iter().enumerate();
        let built = kernels.filter_map(|(variant, kernel)| {
            let &(_, number) = kernel.built.iter().find(|(at, _)| *at == place)?;
            Some((variant, number))
        });
        built.min_by_key(|&(variant, _)| self.kernels[variant].range.is_none())
    }

    /// Whether an EDT whose work-items were not given can run on a device. Where nothing else can run, one
    /// that cannot goes there, too, and that is reported.
    pub fn fits_without_range(&self, place: Place) -> bool {
        self.kernel_on(place)
            .is_some_and(|(variant, _)| self.function.is_none() || self.kernels[variant].range.is_some())
    }
}

/// The EDTs whose run times are measured.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub enum Timed {
    /// No EDT is measured.
    #[default]
    Nothing,
    /// EDTs that have more than one variant: runs learn which of them is faster, or compare what they leave.
    Choices,
    /// EDTs that have kernels, for a report.
    Kernels,
}

/// All that EDTs run, each once, so that templates which do the same share it.
#[derive(Default)]
pub struct CodeTable {
    all: Mutex<rank::Codes, HashMap<Code, &'static Code>>,
    strict: bool,
    timed: Timed,
    /// Whether no function is called directly, since the run is recorded, or EDTs run as attempts.
    indirect: bool,
}

impl CodeTable {
    /// Makes an empty table, for a run in strict mode or not, in which the EDTs are timed that `timed` says.
    pub fn new(strict: bool, timed: Timed) -> CodeTable {
        CodeTable { all: Mutex::default(), strict, timed, indirect: trace::is_on() }
    }

    /// Has workers call no function directly. Before anything is made in the table.
    pub fn call_indirectly(&mut self) {
        self.indirect = true;
    }

    /// Whether a worker calls the function of such a work, and does nothing else. Only that of a template with kernels
    /// is timed: where it takes as long as looking at the clock, it is compared with no other variant.
    fn is_direct(&self, work: &Code) -> bool {
        let is_timed = match self.timed {
            Timed::Nothing => false,
            Timed::Choices => work.has_variants(),
            Timed::Kernels => !work.kernels.is_empty(),
        };
        !self.strict && !self.indirect && !is_timed
    }

    /// Shows all codes that there are to `see`, in no order.
    pub fn for_each(&self, mut see: impl FnMut(&Code)) {
        self.all.lock().values().for_each(|work| see(work));
    }

    /// All codes that there are, in no order.
    pub fn all(&self) -> Vec<&'static Code> {
        self.all.lock().values().copied().collect()
    }

    /// The one work that does the same.
    pub fn intern(&self, mut work: Code) -> &'static Code {
        work.fast_entry = work.function.filter(|_| self.is_direct(&work));
        let mut all = self.all.lock();
        if let Some(known) = all.get(&work) {
            return known;
        }
        if self.strict {
            work.name.best();
        }
        let known: &'static Code = Box::leak(Box::new(work.clone()));
        all.insert(work, known);
        known
    }
}

impl Drop for CodeTable {
    fn drop(&mut self) {
        for (_, work) in self.all.get_mut().drain() {
            // SAFETY: `intern` leaked this box, and no EDT or template is left.
            drop(unsafe { Box::from_raw(std::ptr::from_ref(work).cast_mut()) });
        }
    }
}
