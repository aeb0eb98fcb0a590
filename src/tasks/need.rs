//! What an EDT can wait for, and how its closure gets that.
//!
//! An EDT has a pre-slot for each event and each block that it waits for. [`sources_of`] says what these are connected
//! to. When the EDT runs, [`Needs::given`] takes one slot after the other, in the same order.

use crate::capi::sys;
use std::ptr::NonNull;

/// What a pre-slot is connected to, and the mode.
pub(super) type SlotSource = (sys::ocrGuid_t, sys::ocrDbAccessMode_t);

/// What an EDT waits for: the value of another EDT, an event, a block in a mode; a tuple of up to eight, or a vector,
/// of such.
///
/// ```
/// use ocr::tasks::{Block, Event, run, spawn};
///
/// let sum = run(|| {
///     let event = Event::new();
///     let blocks: Vec<Block<u32>> = (0..10).map(|i| Block::new(&[i])).collect();
///     let ten = spawn((), |()| 10);
///     let all: Vec<_> = blocks.iter().map(Block::ro).collect();
///     let sum = spawn((ten, event.clone(), all), |(ten, (), blocks)| {
///         ten + blocks.iter().map(|block| block[0]).sum::<u32>()
///     });
///     event.satisfy();
///     sum
/// });
/// assert_eq!(sum.get(), Some(55));
/// ```
///
/// # Safety
/// `sources` adds events, and data blocks with their modes. `given` takes as many slots, and what it gives touches a
/// block only as the block's mode allows, and a block of which there is a handle in `self`.
pub unsafe trait Needs: Send + 'static {
    /// What the closure gets.
    type Given<'a>;

    /// Adds what the pre-slots are connected to.
    #[doc(hidden)]
    fn sources(&self, sources: &mut Vec<SlotSource>);

    /// What the closure gets of the next pre-slots.
    ///
    /// # Safety
    /// The next slots are those of these needs, in an EDT that has its blocks for as long as `'a`, each in the mode
    /// that was asked for. What the EDT waits for has passed [`sources_of`], and no slot is used for two answers.
    #[doc(hidden)]
    unsafe fn given<'a>(&'a self, slots: &mut Slots<'_>) -> Self::Given<'a>;
}

/// Needs that are all of blocks, and as many for each EDT: one, or a tuple of such.
///
/// # Safety
/// `of_slots` takes `COUNT` slots, as [`Needs::given`] does, and gives the same.
pub unsafe trait Blocks: Needs {
    /// How many pre-slots they take.
    #[doc(hidden)]
    const COUNT: usize;

    /// What a function gets of the next pre-slots.
    ///
    /// # Safety
    /// As for [`Needs::given`].
    #[doc(hidden)]
    unsafe fn of_slots<'a>(slots: &mut Slots<'_>) -> Self::Given<'a>;
}

/// A block in a mode.
///
/// # Safety
/// `guid` names a block of elements of this type, aligned as they need it, and each with a value. The slice does with
/// them what the mode allows: it reads where others read (CONST), has them alone (EW), or works by atomics where others
/// do (RW).
pub unsafe trait Access: Send + 'static {
    /// The elements of the block.
    type Element;
    /// How an EDT gets them.
    type Slice<'a>;
    /// The mode.
    const MODE: sys::ocrDbAccessMode_t;

    /// The block.
    fn guid(&self) -> sys::ocrGuid_t;

    /// The elements.
    ///
    /// # Safety
    /// `first` is the first of `len` elements of a block of this type, or `len` is 0. An EDT has it in this mode for as
    /// long as `'a`. In mode EW it gets no other slice of that block.
    unsafe fn slice<'a>(first: NonNull<Self::Element>, len: usize) -> Self::Slice<'a>;
}

/// The satisfied pre-slots of an EDT that runs, one after the other.
#[doc(hidden)]
pub struct Slots<'a>(std::slice::Iter<'a, sys::ocrEdtDep_t>);

impl Slots<'_> {
    /// # Safety
    /// `first` is the first of `count` slots of an EDT that runs for as long as the answer lives, or `count` is 0.
    pub(super) unsafe fn new<'a>(first: *const sys::ocrEdtDep_t, count: u32) -> Slots<'a> {
        Slots(match count {
            0 => [].iter(),
            // SAFETY: the caller promises `count` slots, which the runtime leaves alone while the EDT runs.
            count => unsafe { std::slice::from_raw_parts(first, count as usize) }.iter(),
        })
    }

    /// The next slot.
    pub(super) fn next(&mut self) -> sys::ocrEdtDep_t {
        *self.0.next().expect("an EDT has a pre-slot for each need")
    }

    /// The first element of the next slot's block, and how many there are.
    fn elements<T>(&mut self) -> (NonNull<T>, usize) {
        let slot = self.next();
        let mut bytes = 0;
        // SAFETY: `bytes` is a variable, so its address is valid for a write.
        let status = unsafe { sys::ocrDbGetSize(slot.guid, &mut bytes) };
        super::check("ocrDbGetSize", status);
        match bytes as usize / size_of::<T>() {
            0 => (NonNull::dangling(), 0),
            len => (NonNull::new(slot.ptr.cast()).expect("a block is somewhere"), len),
        }
    }
}

/// What the pre-slots of an EDT are connected to.
///
/// # Panics
/// Where the EDT would have one block twice, unless both slots read it or both share it by atomics: it would have a
/// slice that it can write beside another one of the same block.
pub(super) fn sources_of(needs: &impl Needs) -> Vec<SlotSource> {
    let mut sources = Vec::new();
    needs.sources(&mut sources);
    let is_block = |source: &&SlotSource| source.1 != sys::DB_MODE_NULL;
    let blocks = sources.iter().filter(is_block);
    let mut blocks: Vec<_> = blocks.map(|(guid, mode)| (guid.guid, *mode)).collect();
    blocks.sort_unstable();
    for pair in blocks.windows(2) {
        let (one, other) = (pair[0], pair[1]);
        assert!(
            one.0 != other.0 || (one.1 == other.1 && one.1 != sys::DB_MODE_EW),
            "an EDT needs one data block twice, and could write it beside a slice of it: let it need the block once"
        );
    }
    sources
}

// SAFETY: the one source is the block with its mode, as `Access` promises, and the one slot is for what it gives.
unsafe impl<A: Access> Needs for A {
    type Given<'a> = A::Slice<'a>;

    fn sources(&self, sources: &mut Vec<SlotSource>) {
        sources.push((self.guid(), A::MODE));
    }

    unsafe fn given<'a>(&'a self, slots: &mut Slots<'_>) -> A::Slice<'a> {
        // SAFETY: both functions ask for the same.
        unsafe { A::of_slots(slots) }
    }
}

// SAFETY: one slot is taken, and `Needs::given` is this function.
unsafe impl<A: Access> Blocks for A {
    const COUNT: usize = 1;

    unsafe fn of_slots<'a>(slots: &mut Slots<'_>) -> A::Slice<'a> {
        let (first, len) = slots.elements();
        // SAFETY: the slot is that of an `A`, as the caller promises: so it has a block of this type, in this mode, for
        // as long as 'a. A block in mode EW is in no other slot of the EDT, since `sources_of` would have panicked.
        unsafe { A::slice(first, len) }
    }
}

// SAFETY: the elements name sources and take slots one after the other.
unsafe impl<N: Needs> Needs for Vec<N> {
    type Given<'a> = Vec<N::Given<'a>>;

    fn sources(&self, sources: &mut Vec<SlotSource>) {
        self.iter().for_each(|needs| needs.sources(sources));
    }

    unsafe fn given<'a>(&'a self, slots: &mut Slots<'_>) -> Self::Given<'a> {
        // SAFETY: the elements before have taken their slots, so the next are those of this one.
        let given = |needs: &'a N| unsafe { needs.given(slots) };
        self.iter().map(given).collect()
    }
}

macro_rules! tuple {
    ($($name:ident $number:tt),*) => {
        // SAFETY: the members name sources and take slots one after the other.
        #[allow(unused_variables, clippy::unused_unit, reason = "a tuple of nothing has no slots")]
        unsafe impl<$($name: Needs),*> Needs for ($($name,)*) {
            type Given<'a> = ($($name::Given<'a>,)*);

            fn sources(&self, sources: &mut Vec<SlotSource>) {
                $(self.$number.sources(sources);)*
            }

            unsafe fn given<'a>(&'a self, slots: &mut Slots<'_>) -> Self::Given<'a> {
                // SAFETY: the members before have taken their slots, so the next are those of this one.
                ($(unsafe { self.$number.given(slots) },)*)
            }
        }

        // SAFETY: the members take as many slots as they count, one after the other, as above.
        #[allow(unused_variables, clippy::unused_unit, reason = "a tuple of nothing has no slots")]
        unsafe impl<$($name: Blocks),*> Blocks for ($($name,)*) {
            const COUNT: usize = 0 $(+ $name::COUNT)*;

            unsafe fn of_slots<'a>(slots: &mut Slots<'_>) -> Self::Given<'a> {
                // SAFETY: the members before have taken their slots, so the next are those of this one.
                ($(unsafe { $name::of_slots(slots) },)*)
            }
        }
    };
}

tuple!();
tuple!(A 0);
tuple!(A 0, B 1);
tuple!(A 0, B 1, C 2);
tuple!(A 0, B 1, C 2, D 3);
tuple!(A 0, B 1, C 2, D 3, E 4);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
