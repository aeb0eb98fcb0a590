//! What an EDT can wait for, and how its closure gets that.

use crate::capi::sys;
use std::marker::PhantomData;
use std::ptr::NonNull;

/// Something that an EDT waits for, in one pre-slot.
///
/// # Safety
/// `source` names a data block, with the mode in which `given` uses it; or an event, and `given` touches no block.
pub unsafe trait Need: Send + 'static {
    /// What the closure gets.
    type Given<'a>;

    /// What the pre-slot is connected to, and the mode.
    #[doc(hidden)]
    fn source(&self) -> (sys::ocrGuid_t, sys::ocrDbAccessMode_t);

    /// What the closure gets of a pre-slot.
    ///
    /// # Safety
    /// The slot is one that was connected with such a need, of an EDT that has its blocks for as long as `'a`, each of them
    /// once, or in a mode in which it can be had twice.
    #[doc(hidden)]
    unsafe fn given<'a>(&'a self, slot: SatisfiedSlot<'a>) -> Self::Given<'a>;
}

/// A need of a block, whose slot says all.
///
/// # Safety
/// As for [`Need`].
pub unsafe trait BlockNeed: Need {
    /// What a function gets of a pre-slot.
    ///
    /// # Safety
    /// As for [`Need::given`].
    #[doc(hidden)]
    unsafe fn of_slot<'a>(slot: SatisfiedSlot<'a>) -> Self::Given<'a>;
}

/// What an EDT waits for: one need, a tuple of up to eight, or a vector; of needs, or again of such.
///
/// # Safety
/// As for [`Need`], for each pre-slot; `given` takes as many slots as `sources` has named, in that order.
pub unsafe trait Needs: Send + 'static {
    /// What the closure gets.
    type Given<'a>;

    /// Calls `connect` with each source and its mode, in the order of the pre-slots.
    #[doc(hidden)]
    fn sources(&self, connect: &mut dyn FnMut(sys::ocrGuid_t, sys::ocrDbAccessMode_t));

    /// What the closure gets of the next pre-slots.
    ///
    /// # Safety
    /// As for [`Need::given`].
    #[doc(hidden)]
    unsafe fn given<'a>(&'a self, slots: &mut Slots<'a>) -> Self::Given<'a>;
}

/// Needs that are all of blocks, and as many for each EDT: one, or a tuple of such.
///
/// # Safety
/// As for [`Needs`].
pub unsafe trait Blocks: Needs {
    /// How many pre-slots they take.
    #[doc(hidden)]
    const COUNT: usize;

    /// What a function gets of the next pre-slots.
    ///
    /// # Safety
    /// As for [`Need::given`].
    #[doc(hidden)]
    unsafe fn of_slots<'a>(slots: &mut Slots<'a>) -> Self::Given<'a>;
}

/// A satisfied pre-slot of an EDT that runs.
#[derive(Clone, Copy)]
#[doc(hidden)]
pub struct SatisfiedSlot<'a> {
    content: sys::ocrEdtDep_t,
    lives: PhantomData<&'a ()>,
}

/// The satisfied pre-slots of an EDT that runs, one after the other.
#[doc(hidden)]
pub struct Slots<'a>(std::slice::Iter<'a, sys::ocrEdtDep_t>);

impl<'a> Slots<'a> {
    /// # Safety
    /// These are the slots of an EDT that runs for as long as `'a`.
    pub(super) unsafe fn new(first: *const sys::ocrEdtDep_t, count: u32) -> Slots<'a> {
        if count == 0 {
            return Slots([].iter());
        }
        // SAFETY: the runtime gives a function as many slots as it says, and the caller promises that it runs.
        Slots(unsafe { std::slice::from_raw_parts(first, count as usize) }.iter())
    }

    fn next(&mut self) -> SatisfiedSlot<'a> {
        let content = *self.0.next().expect("an EDT has a pre-slot for each need");
        let lives = PhantomData;
        SatisfiedSlot { content, lives }
    }
}

impl SatisfiedSlot<'_> {
    /// Where the elements of its block are, and how many.
    pub(super) fn elements<T>(self) -> (*mut T, usize) {
        let mut bytes = 0;
        // SAFETY: the place is valid.
        let status = unsafe { sys::ocrDbGetSize(self.content.guid, &mut bytes) };
        super::check("ocrDbGetSize", status);
        let len = (bytes as usize).checked_div(size_of::<T>()).unwrap_or(0);
        match len {
            0 => (NonNull::dangling().as_ptr(), 0),
            len => (self.content.ptr.cast(), len),
        }
    }
}

// SAFETY: one slot, which is that of the need.
unsafe impl<N: Need> Needs for N {
    type Given<'a> = N::Given<'a>;

    fn sources(&self, connect: &mut dyn FnMut(sys::ocrGuid_t, sys::ocrDbAccessMode_t)) {
        let (source, mode) = self.source();
        connect(source, mode);
    }

    unsafe fn given<'a>(&'a self, slots: &mut Slots<'a>) -> Self::Given<'a> {
        // SAFETY: the caller promises it for the next slot.
        unsafe { Need::given(self, slots.next()) }
    }
}

// SAFETY: one slot, which is that of the need.
unsafe impl<N: BlockNeed> Blocks for N {
    const COUNT: usize = 1;

    unsafe fn of_slots<'a>(slots: &mut Slots<'a>) -> Self::Given<'a> {
        // SAFETY: the caller promises it for the next slot.
        unsafe { N::of_slot(slots.next()) }
    }
}

// SAFETY: slots follow each other as the elements do.
unsafe impl<N: Needs> Needs for Vec<N> {
    type Given<'a> = Vec<N::Given<'a>>;

    fn sources(&self, connect: &mut dyn FnMut(sys::ocrGuid_t, sys::ocrDbAccessMode_t)) {
        for needs in self {
            needs.sources(connect);
        }
    }

    unsafe fn given<'a>(&'a self, slots: &mut Slots<'a>) -> Self::Given<'a> {
        // SAFETY: the caller promises it for the next slots.
        self.iter()
            .map(|needs| unsafe { needs.given(slots) })
            .collect()
    }
}

macro_rules! tuple {
    ($($name:ident $number:tt),*) => {
        // SAFETY: slots follow each other as the members do.
        unsafe impl<$($name: Needs),*> Needs for ($($name,)*) {
            type Given<'a> = ($($name::Given<'a>,)*);

            #[allow(unused_variables, reason = "a tuple of nothing has no slots")]
            fn sources(&self, connect: &mut dyn FnMut(sys::ocrGuid_t, sys::ocrDbAccessMode_t)) {
                $(self.$number.sources(connect);)*
            }

            #[allow(unused_variables, clippy::unused_unit, reason = "a tuple of nothing has no slots")]
            unsafe fn given<'a>(&'a self, slots: &mut Slots<'a>) -> Self::Given<'a> {
                // SAFETY: the caller promises it for the next slots.
                ($(unsafe { self.$number.given(slots) },)*)
            }
        }

        // SAFETY: slots follow each other as the members do.
        unsafe impl<$($name: Blocks),*> Blocks for ($($name,)*) {
            const COUNT: usize = 0 $(+ $name::COUNT)*;

            #[allow(unused_variables, clippy::unused_unit, reason = "a tuple of nothing has no slots")]
            unsafe fn of_slots<'a>(slots: &mut Slots<'a>) -> Self::Given<'a> {
                // SAFETY: the caller promises it for the next slots.
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
