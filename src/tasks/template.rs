//! Work that is a function and OpenCL kernels: one template, several variants.

use super::edt::{Task, create_of, create_template, guarded, spawn};
use super::event::Event;
use super::need::{Needs, Slots};
use super::{NULL, Owned, check};
use crate::capi::sys;
use std::any::type_name;
use std::ffi::CString;
use std::marker::PhantomData;
use std::ptr::NonNull;
use std::sync::{Arc, OnceLock};

pub use super::need::Blocks;

/// `OCR_NO_RESULT`: a macro with a cast, which is no constant in `sys`.
const NO_RESULT: u32 = u32::MAX;

/// How many work-items a launch has (`clEnqueueNDRangeKernel`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NdRange {
    dimensions: u32,
    global: [usize; 3],
    local: [usize; 3],
}

impl NdRange {
    /// So many work-items in each of one to three dimensions; the runtime chooses the size of work-groups.
    ///
    /// # Panics
    /// Where there are other numbers of dimensions.
    pub fn new(global: &[usize]) -> NdRange {
        assert!(
            (1..=3).contains(&global.len()),
            "an index space has one to three dimensions"
        );
        let mut sizes = [1; 3];
        sizes[..global.len()].copy_from_slice(global);
        NdRange {
            dimensions: global.len() as u32,
            global: sizes,
            local: [0; 3],
        }
    }

    /// With work-groups of this size.
    ///
    /// # Panics
    /// Where `local` has another number of dimensions.
    pub fn with_groups(mut self, local: &[usize]) -> NdRange {
        assert_eq!(
            local.len(),
            self.dimensions as usize,
            "work-groups have the dimensions of their index space"
        );
        self.local[..local.len()].copy_from_slice(local);
        self
    }
}

/// Work with `P` parameters and the blocks `B`, as a function and, if kernels are added, as kernels on OpenCL devices; the
/// placement policy picks one for each EDT (`docs/guide/src/placement.md`).
///
/// ```
/// use ocr::tasks::{Block, Ew, NdRange, Template, run, spawn};
///
/// const SOURCE: &str = "kernel void scale(ulong factor, global uint *x) { x[get_global_id(0)] *= (uint)factor; }";
///
/// let sum = run(|| {
///     let numbers = Block::new(&[1u32, 2, 3]);
///     let scale = Template::<1, Ew<u32>>::new(|[factor], x| {
///         for x in x {
///             *x *= factor as u32;
///         }
///     });
///     // SAFETY: a work-item for each element writes that element alone.
///     let scale = unsafe { scale.kernel(SOURCE, "", "scale", |_, bytes| NdRange::new(&[bytes[0] / 4])) };
///     let scaled = scale.spawn([10], numbers.ew());
///     spawn((numbers.ro(), scaled), |(numbers, ())| numbers.iter().sum::<u32>())
/// });
/// assert_eq!(sum.get(), Some(60));
/// ```
pub struct Template<const P: usize, B> {
    of: Arc<Owned>,
    blocks: PhantomData<fn(B)>,
}

impl<const P: usize, B: Blocks> Template<P, B> {
    /// Work that is this function, which captures nothing.
    pub fn new<F>(function: F) -> Template<P, B>
    where
        F: for<'a> Fn([u64; P], B::Given<'a>) + Copy + Send + Sync + 'static,
    {
        const {
            assert!(
                size_of::<F>() == 0,
                "the function of a template captures nothing: give values as parameters"
            )
        };
        let (paramc, depc) = (P as u32, B::COUNT as u32);
        let _ = function;
        let guid = create_template(function_edt::<P, B, F>, paramc, depc, type_name::<F>());
        Template {
            of: Owned::new(guid, sys::ocrEdtTemplateDestroy),
            blocks: PhantomData,
        }
    }

    /// Adds an OpenCL kernel, whose arguments are the parameters and then the blocks. `range` says how many work-items a
    /// launch has, from the parameters and the bytes of each block; it captures nothing. Where there is no device,
    /// the kernel is never chosen.
    ///
    /// # Safety
    /// The kernel stays within its blocks, writes only those that are in modes EW and RW, leaves a value of its type in
    /// each element, and has no data races, for each index space that `range` answers with.
    ///
    /// # Panics
    /// Where the kernel does not build, or its arguments are others; a message has the compiler's log.
    pub unsafe fn kernel<G>(
        self,
        source: &str,
        options: &str,
        name: &str,
        range: G,
    ) -> Template<P, B>
    where
        G: Fn(&[u64; P], &[usize]) -> NdRange + Copy + Send + Sync + 'static,
    {
        const {
            assert!(
                size_of::<G>() == 0,
                "the range of a kernel captures nothing: give values as parameters"
            )
        };
        let _ = range;
        let text = |text: &str| CString::new(text).expect("a kernel's text has no null character");
        let (source, options, name) = (text(source), text(options), text(name));
        // SAFETY: all texts are C strings.
        let status = unsafe {
            sys::ocrEdtTemplateAddKernel(
                self.of.guid(),
                source.as_ptr(),
                options.as_ptr(),
                name.as_ptr(),
                Some(range_of::<P, G>),
                NO_RESULT,
            )
        };
        check("ocrEdtTemplateAddKernel", status);
        self
    }

    /// Creates an EDT.
    ///
    /// # Panics
    /// Outside of [`super::run`].
    pub fn spawn(&self, parameters: [u64; P], blocks: B) -> Task<()> {
        let task = Task::new(Arc::new(OnceLock::from(())));
        start(self.of.guid(), parameters, blocks, task.clone());
        task
    }

    /// Creates an EDT that runs after what `after` names: blocks are no more than seen to be free then.
    ///
    /// # Panics
    /// Outside of [`super::run`].
    pub fn spawn_after<N: Needs>(&self, after: N, parameters: [u64; P], blocks: B) -> Task<()> {
        let task = Task::new(Arc::new(OnceLock::from(())));
        let (template, answer) = (self.of.clone(), task.clone());
        spawn(after, move |_| {
            start(template.guid(), parameters, blocks, answer)
        });
        task
    }
}

/// Creates an EDT of a template, whose end satisfies the task.
fn start<const P: usize, B: Blocks>(
    template: sys::ocrGuid_t,
    mut parameters: [u64; P],
    blocks: B,
    task: Task<()>,
) {
    let mut sources = Vec::with_capacity(B::COUNT);
    blocks.sources(&mut |source, mode| sources.push((source, mode)));
    let end = Event::new();
    // A kernel holds no handles of its blocks: this EDT does, until the kernel has ended.
    spawn(end.clone(), move |()| {
        drop(blocks);
        task.satisfy();
    });
    create_of(template, &mut parameters, &sources, 0, Some(&end));
}

/// A value of a type that has only one.
fn only_value<F: Copy>() -> F {
    const { assert!(size_of::<F>() == 0) };
    // SAFETY: it has no bytes to be read, and whoever names this type here has had a value of it, which could be copied.
    unsafe { NonNull::<F>::dangling().read() }
}

/// What the runtime calls where a function runs.
///
/// # Safety
/// There are `P` parameters, and the slots of the blocks `B`; there has been a value of `F`.
unsafe extern "C" fn function_edt<const P: usize, B, F>(
    _: u32,
    paramv: *mut u64,
    depc: u32,
    depv: *mut sys::ocrEdtDep_t,
) -> sys::ocrGuid_t
where
    B: Blocks,
    F: for<'a> Fn([u64; P], B::Given<'a>) + Copy + Send + Sync + 'static,
{
    guarded(|| {
        // SAFETY: the caller promises so many parameters.
        let parameters = unsafe { parameters::<P>(paramv) };
        // SAFETY: the EDT runs until this closure has returned.
        let mut slots = unsafe { Slots::new(depv, depc) };
        // SAFETY: the slots are those of these blocks, as the caller promises, which were seen to be distinct.
        let blocks = unsafe { B::of_slots(&mut slots) };
        only_value::<F>()(parameters, blocks);
    });
    NULL
}

/// What the runtime calls to learn how many work-items a launch has.
///
/// # Safety
/// There are `P` parameters and `depc` sizes, and `range` is a valid place; there has been a value of `G`.
unsafe extern "C" fn range_of<const P: usize, G>(
    _: u32,
    paramv: *const u64,
    depc: u32,
    sizes: *const u64,
    range: *mut sys::ocrNdRange_t,
) where
    G: Fn(&[u64; P], &[usize]) -> NdRange + Copy + Send + Sync + 'static,
{
    guarded(|| {
        // SAFETY: the caller promises so many parameters.
        let parameters = unsafe { parameters::<P>(paramv) };
        let sizes: &[u64] = match depc {
            0 => &[],
            // SAFETY: the caller promises so many sizes.
            _ => unsafe { std::slice::from_raw_parts(sizes, depc as usize) },
        };
        let sizes: Vec<usize> = sizes.iter().map(|size| *size as usize).collect();
        let answer = only_value::<G>()(&parameters, &sizes);
        let answer = sys::ocrNdRange_t {
            workDim: answer.dimensions,
            globalOffset: [0; 3],
            globalSize: answer.global,
            localSize: answer.local,
        };
        // SAFETY: the caller promises a valid place.
        unsafe { range.write(answer) };
    });
}

/// # Safety
/// There are `P` words at `paramv`, which may be null where there are none.
unsafe fn parameters<const P: usize>(paramv: *const u64) -> [u64; P] {
    if P == 0 {
        return [0; P];
    }
    // SAFETY: the caller promises so many words, and an array is as they are.
    unsafe { *paramv.cast::<[u64; P]>() }
}
