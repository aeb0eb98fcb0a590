//! Templates of EDTs: work that is a function and OpenCL kernels: one template, several variants.

use super::edt::{Task, call_edt, create_of, create_template, end_run, guarded, spawn};
use super::event::Event;
use super::need::{Needs, Slots, sources_of};
use super::{Owned, PANIC, assert_in_edt, check};
use crate::capi::{leave_in_rust, sys};
use std::any::type_name;
use std::ffi::CString;
use std::marker::PhantomData;
use std::ptr::NonNull;
use std::sync::Arc;

pub use super::need::Blocks;

/// `OCR_NO_RESULT`: a macro with a cast, which is no constant in `sys`.
const NO_RESULT: u32 = u32::MAX;

/// How many work-items a launch has (`clEnqueueNDRangeKernel`).
#[derive(Clone, Copy, Debug)]
pub struct NdRange(sys::ocrNdRange_t);

impl NdRange {
    /// An index space with `global` work-items in its one to three dimensions; the runtime chooses the size of
    /// work-groups.
    ///
    /// # Panics
    /// Where there are other numbers of dimensions.
    pub fn new(global: &[usize]) -> NdRange {
        assert!((1..=3).contains(&global.len()), "an index space has one to three dimensions");
        let mut range = sys::ocrNdRange_t { workDim: global.len() as u32, ..Default::default() };
        range.globalSize[..global.len()].copy_from_slice(global);
        NdRange(range)
    }

    /// Divides the work-items of this index space into work-groups of the size `local`.
    ///
    /// # Panics
    /// Where `local` has another number of dimensions.
    pub fn with_groups(mut self, local: &[usize]) -> NdRange {
        assert_eq!(local.len(), self.0.workDim as usize, "work-groups have the dimensions of their index space");
        self.0.localSize[..local.len()].copy_from_slice(local);
        self
    }
}

/// A template of EDTs with `P` parameters and the blocks `B`, as a function and, if kernels are added, as kernels on
/// OpenCL devices. The placement policy picks one for each EDT (`docs/guide/src/placement.md`).
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
    /// Makes a template of EDTs that call this function, which captures nothing.
    ///
    /// # Panics
    /// Outside of an EDT.
    pub fn new<F>(function: F) -> Template<P, B>
    where
        F: for<'a> Fn([u64; P], B::Given<'a>) + Copy + Send + Sync + 'static,
    {
        const { assert!(size_of::<F>() == 0, "the function of a template captures nothing: give values as parameters") };
        assert_in_edt();
        let (paramc, depc) = (P as u32, B::COUNT as u32);
        let _ = function;
        Template { of: create_template(function_edt::<P, B, F>, paramc, depc, type_name::<F>()), blocks: PhantomData }
    }

    /// Adds an OpenCL kernel, whose arguments are the parameters and then the blocks. `range` says how many work-items
    /// a launch has, from the parameters and the bytes of each block. It captures nothing, and is no EDT: it creates
    /// and satisfies nothing. Where there is no device, the kernel is never chosen.
    ///
    /// # Safety
    /// The kernel stays within its blocks, writes only those that are in modes EW and RW, and has no data races, for
    /// each index space that `range` answers with. What others do at the same time with a block in mode RW counts as
    /// well.
    ///
    /// # Panics
    /// Outside of an EDT, and where the kernel does not build, or its arguments are others; a message has the
    /// compiler's log.
    pub unsafe fn kernel<G>(self, source: &str, options: &str, name: &str, range: G) -> Template<P, B>
    where
        G: Fn(&[u64; P], &[usize]) -> NdRange + Copy + Send + Sync + 'static,
    {
        const { assert!(size_of::<G>() == 0, "the range of a kernel captures nothing: give values as parameters") };
        let _ = range;
        let text = |text: &str| CString::new(text).expect("a kernel's text has no null character");
        let (source, options, name) = (text(source), text(options), text(name));
        // SAFETY: each pointer is that of a `CString`, which ends with a zero and lives until the call has returned.
        // `range_of` is of the type that the header declares.
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
    /// As [`spawn`].
    pub fn spawn(&self, parameters: [u64; P], blocks: B) -> Task<()> {
        let task = Task::new();
        start(self.of.guid(), parameters, blocks, task.clone());
        task
    }

    /// Creates an EDT that runs after what `after` names. It is created only then.
    ///
    /// # Panics
    /// As [`spawn`]. That two of `blocks` are one is seen when the EDT is created, and ends the run then.
    pub fn spawn_after<N: Needs>(&self, after: N, parameters: [u64; P], blocks: B) -> Task<()> {
        let task = Task::new();
        let (template, answer) = (self.of.clone(), task.clone());
        spawn(after, move |_| start(template.guid(), parameters, blocks, answer));
        task
    }
}

/// Creates an EDT of a template, whose end satisfies the task.
fn start<const P: usize, B: Blocks>(template: sys::ocrGuid_t, mut parameters: [u64; P], blocks: B, task: Task<()>) {
    let sources = sources_of(&blocks);
    let end = Event::new();
    // A kernel holds no handles of its blocks: this EDT does, until the kernel has ended.
    spawn(end.clone(), move |()| {
        drop(blocks);
        // The range of a kernel may have panicked, where no call may be made that ends the run.
        if PANIC.lock().is_some() {
            end_run();
        } else {
            task.set(());
            task.satisfy();
        }
    });
    create_of(template, &mut parameters, &sources, Some((&end, 0)));
}

/// A value of a type whose values have no bytes.
///
/// # Safety
/// There has been one.
unsafe fn only_value<F: Copy>() -> F {
    const { assert!(size_of::<F>() == 0) };
    // SAFETY: there are no bytes to be read, and the place is aligned. The value is a copy of the one that there has
    // been.
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
    // SAFETY: nothing has been made here yet, nor where the runtime calls this.
    unsafe { leave_in_rust() };
    call_edt(|| {
        // SAFETY: the caller promises that `paramv` has `P` parameters.
        let parameters = unsafe { parameters::<P>(paramv) };
        // SAFETY: these are the slots of the EDT that runs, until this closure has returned.
        let mut slots = unsafe { Slots::new(depv, depc) };
        // SAFETY: the slots are those of `B`, as the caller promises, and none is taken yet. `start` has had
        // `sources_of` look at what they are connected to. The EDT has its blocks until this closure has returned.
        let blocks = unsafe { B::of_slots(&mut slots) };
        // SAFETY: the caller promises that there has been one.
        let function = unsafe { only_value::<F>() };
        function(parameters, blocks);
    })
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
    let mut answer = sys::ocrNdRange_t { workDim: 1, ..Default::default() };
    // The runtime calls this within a call of its own, or on a thread of a device: nothing here may call it. After a
    // panic the kernel has no work-items, and the EDT behind it ends the run.
    guarded(false, || {
        // SAFETY: the caller promises that `paramv` has `P` parameters.
        let parameters = unsafe { parameters::<P>(paramv) };
        let sizes: &[u64] = match depc {
            0 => &[],
            // SAFETY: the caller promises that `sizes` has `depc` elements.
            _ => unsafe { std::slice::from_raw_parts(sizes, depc as usize) },
        };
        let sizes: Vec<usize> = sizes.iter().map(|size| *size as usize).collect();
        // SAFETY: the caller promises that there has been one.
        let range = unsafe { only_value::<G>() };
        answer = range(&parameters, &sizes).0;
    });
    // SAFETY: the caller promises a valid place.
    unsafe { range.write(answer) };
}

/// # Safety
/// There are `P` words at `paramv`, which may be null where there are none.
unsafe fn parameters<const P: usize>(paramv: *const u64) -> [u64; P] {
    if P == 0 {
        return [0; P];
    }
    // SAFETY: the caller promises `P` words, and an array is as they are.
    unsafe { *paramv.cast::<[u64; P]>() }
}

// Miri runs these: they need no runtime.
#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks::IN_EDT;

    #[test]
    fn a_kernel_gets_the_range_that_the_closure_gives() {
        fn asked<const P: usize, G>(_: G, parameters: [u64; P], sizes: &[u64]) -> NdRange
        where
            G: Fn(&[u64; P], &[usize]) -> NdRange + Copy + Send + Sync + 'static,
        {
            let mut range = sys::ocrNdRange_t::default();
            let (paramv, depc) = (parameters.as_ptr(), sizes.len() as u32);
            // SAFETY: there are `P` parameters and `depc` sizes, the place is valid, and there has been a value of `G`.
            unsafe { range_of::<P, G>(P as u32, paramv, depc, sizes.as_ptr(), &mut range) };
            NdRange(range)
        }
        let range = asked(|[factor], bytes| NdRange::new(&[*factor as usize * bytes[0], 2]), [3], &[20]);
        assert_eq!((range.0.workDim, range.0.globalSize), (2, [60, 2, 0]));
        let groups = asked(|[], _| NdRange::new(&[8, 8]).with_groups(&[4, 2]), [], &[]);
        assert_eq!(groups.0.localSize, [4, 2, 0]);
        // Within a call of the runtime that an EDT has made, too, the closure is in none.
        IN_EDT.set(true);
        let panicked = asked(|[], _| panic!("in EDT: {}", IN_EDT.get()), [], &[]);
        assert!(IN_EDT.replace(false));
        assert_eq!((panicked.0.workDim, panicked.0.globalSize), (1, [0; 3]));
        let payload = PANIC.lock().take().expect("it is kept for `run`");
        assert_eq!(payload.downcast_ref::<String>().unwrap(), "in EDT: false");
    }
}
