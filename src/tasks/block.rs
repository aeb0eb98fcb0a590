//! Data blocks of a type, and the access modes in which an EDT can ask for one.

use super::need::Access;
use super::{NULL, Owned, assert_in_edt, check};
use crate::capi::sys;
use bytemuck::Pod;
use std::marker::PhantomData;
use std::ptr::{self, NonNull};
use std::slice;
use std::sync::Arc;
use std::sync::atomic;

/// A data block of `len` elements (OCR 1.1.0, 2.5). Its clones are handles of the same block, which is destroyed with
/// the last of them, if an EDT drops that, and otherwise with the run.
///
/// ```
/// use ocr::tasks::{Block, run, spawn};
///
/// let last = run(|| {
///     let points = Block::new(&[[1.0f32, 2.0], [3.0, 4.0]]);
///     assert_eq!((points.len(), points.is_empty()), (2, false));
///     spawn(points.ro(), |points| points[1])
/// });
/// assert_eq!(last.get(), Some([3.0, 4.0]));
/// ```
///
/// An element has at least one byte, and needs no more alignment than 8 bytes. The compiler refuses others:
///
/// ```compile_fail
/// ocr::tasks::run(|| ocr::tasks::Block::new(&[1u128]));
/// ```
pub struct Block<T> {
    of: Arc<Owned>,
    len: usize,
    element: PhantomData<fn() -> T>,
}

impl<T> Clone for Block<T> {
    fn clone(&self) -> Block<T> {
        Block { of: self.of.clone(), ..*self }
    }
}

impl<T: Pod> Block<T> {
    /// A block with these elements.
    ///
    /// # Panics
    /// Outside of an EDT, and where there is no memory.
    pub fn new(elements: &[T]) -> Block<T> {
        // SAFETY: the place has room for as many elements, and is no part of what the caller has.
        Block::create(elements.len(), |place| unsafe {
            ptr::copy_nonoverlapping(elements.as_ptr(), place, elements.len());
        })
    }

    /// A block of `len` elements, all of whose bytes are zero.
    ///
    /// # Panics
    /// Outside of an EDT, and where there is no memory.
    pub fn zeroed(len: usize) -> Block<T> {
        // SAFETY: the place has room for `len` elements of `T`, is aligned for them, and is no part of what others
        // know.
        Block::create(len, |place| unsafe { ptr::write_bytes(place, 0, len) })
    }

    /// Creates a block that `fill` gives its content, before anybody else can have it.
    fn create(len: usize, fill: impl FnOnce(*mut T)) -> Block<T> {
        const {
            assert!(align_of::<T>() <= 8, "data blocks are aligned to 8 bytes");
            assert!(size_of::<T>() > 0, "elements have at least one byte");
        }
        assert_in_edt();
        let bytes = len.checked_mul(size_of::<T>());
        let bytes = bytes.expect("a block of more bytes than there are addresses") as u64;
        let (mut guid, mut place) = (NULL, ptr::null_mut());
        let (no_flags, no_hint, no_alloc) = (0, ptr::null_mut(), sys::NO_ALLOC);
        // SAFETY: `guid` and `place` are variables, so their addresses are valid for a write, and the hint is null,
        // which is none.
        let status = unsafe { sys::ocrDbCreate(&mut guid, &mut place, bytes, no_flags, no_hint, no_alloc) };
        check("ocrDbCreate", status);
        fill(place.cast());
        // SAFETY: takes no pointers; the content is not touched from here on.
        check("ocrDbRelease", unsafe { sys::ocrDbRelease(guid) });
        Block { of: Owned::new(guid, sys::ocrDbDestroy), len, element: PhantomData }
    }

    /// How many elements it has.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the block has no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The need to read the block, beside other readers; in mode CONST.
    pub fn ro(&self) -> Ro<T> {
        Ro(self.clone())
    }

    /// The need to write the block, alone; in mode EW.
    pub fn ew(&self) -> Ew<T> {
        Ew(self.clone())
    }

    /// The need to read and write the block beside others that do, by atomics; in mode RW.
    pub fn rw(&self) -> Rw<T>
    where
        T: Shared,
    {
        Rw(self.clone())
    }
}

/// A block to be read: `&[T]`.
///
/// ```
/// use ocr::tasks::{Block, run, spawn};
///
/// let sums = run(|| {
///     let numbers = Block::new(&[1, 2, 3]);
///     // These may run at the same time.
///     [1, 10].map(|factor| spawn(numbers.ro(), move |numbers| factor * numbers.iter().sum::<i32>()))
/// });
/// assert_eq!(sums.map(|sum| sum.get()), [Some(6), Some(60)]);
/// ```
pub struct Ro<T>(Block<T>);

/// A block to be written by one EDT: `&mut [T]`.
///
/// ```
/// use ocr::tasks::{Block, Task, run, spawn};
///
/// let count = run(|| {
///     let count = Block::new(&[0u64]);
///     // One after the other, in any order.
///     let counting: Vec<Task<()>> = (0..100).map(|_| spawn(count.ew(), |count| count[0] += 1)).collect();
///     spawn((count.ro(), counting), |(count, _)| count[0])
/// });
/// assert_eq!(count.get(), Some(100));
/// ```
pub struct Ew<T>(Block<T>);

/// A block that several EDTs may write at the same time: a slice of atomics.
///
/// ```
/// use ocr::tasks::{Block, Task, run, spawn};
/// use std::sync::atomic::Ordering::Relaxed;
///
/// let letters = run(|| {
///     let counts = Block::<u32>::zeroed(26);
///     let counting: Vec<Task<()>> = ["event", "driven", "task"]
///         .map(|word| {
///             spawn(counts.rw(), move |counts| {
///                 for letter in word.bytes() {
///                     counts[usize::from(letter - b'a')].fetch_add(1, Relaxed);
///                 }
///             })
///         })
///         .to_vec();
///     spawn((counts.ro(), counting), |(counts, _)| counts.to_vec())
/// });
/// assert_eq!(letters.get().map(|counts| counts[4]), Some(3));
/// ```
pub struct Rw<T>(Block<T>);

/// Numbers that have an atomic form.
///
/// # Safety
/// The atomic form has the size of the number, needs no more alignment than [`Block`] gives, and each of its bit
/// patterns is a value.
pub unsafe trait Shared: Pod {
    /// The type of the standard library by which several EDTs share such a number.
    type Atomic: Sync;
}

macro_rules! shared {
    ($($number:ty: $atomic:ident),*) => {$(
        // SAFETY: the standard library gives the atomic form the size and the bit patterns of the number, and its size
        // as alignment, which is at most the 8 bytes to which blocks are aligned.
        unsafe impl Shared for $number {
            type Atomic = atomic::$atomic;
        }
    )*};
}

shared!(
    u8: AtomicU8, i8: AtomicI8, u16: AtomicU16, i16: AtomicI16,
    u32: AtomicU32, i32: AtomicI32, u64: AtomicU64, i64: AtomicI64
);

// SAFETY: `Block::create` has made the block of such elements, aligned to 8 bytes, which is enough, and has given each
// a value. No EDT writes a block in mode CONST, and the slice reads it.
unsafe impl<T: Pod + Sync> Access for Ro<T> {
    type Element = T;
    type Slice<'a> = &'a [T];
    const MODE: sys::ocrDbAccessMode_t = sys::DB_MODE_CONST;

    fn guid(&self) -> sys::ocrGuid_t {
        self.0.of.guid()
    }

    unsafe fn slice<'a>(first: NonNull<T>, len: usize) -> &'a [T] {
        // SAFETY: the caller promises `len` elements, which are aligned and have values; and that the EDT has them in
        // mode CONST for as long as 'a, in which the runtime lets no EDT write them.
        unsafe { slice::from_raw_parts(first.as_ptr(), len) }
    }
}

// SAFETY: the block is as `Ro` says. No other EDT has a block in mode EW, but in mode RO, which `Access` has not.
unsafe impl<T: Pod + Send> Access for Ew<T> {
    type Element = T;
    type Slice<'a> = &'a mut [T];
    const MODE: sys::ocrDbAccessMode_t = sys::DB_MODE_EW;

    fn guid(&self) -> sys::ocrGuid_t {
        self.0.of.guid()
    }

    unsafe fn slice<'a>(first: NonNull<T>, len: usize) -> &'a mut [T] {
        // SAFETY: the caller promises `len` elements, which are aligned and have values. The EDT has them in mode EW
        // for as long as 'a, in which the runtime gives them to no other EDT; and this EDT gets no other slice of them.
        unsafe { slice::from_raw_parts_mut(first.as_ptr(), len) }
    }
}

// SAFETY: the block is as `Ro` says. All EDTs that have it in mode RW get atomics, and no EDT has it in CONST or EW
// then.
unsafe impl<T: Shared> Access for Rw<T> {
    type Element = T;
    type Slice<'a> = &'a [T::Atomic];
    const MODE: sys::ocrDbAccessMode_t = sys::DB_MODE_RW;

    fn guid(&self) -> sys::ocrGuid_t {
        self.0.of.guid()
    }

    unsafe fn slice<'a>(first: NonNull<T>, len: usize) -> &'a [T::Atomic] {
        // SAFETY: the caller promises `len` elements, which have values. `Shared` promises that an atomic has their
        // size, is aligned where they are, and has a value where they have. The EDT has them in mode RW for as long as
        // 'a: so whoever else touches them in that time has atomics, too.
        unsafe { slice::from_raw_parts(first.as_ptr().cast(), len) }
    }
}

// Miri runs these: they need no runtime.
#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::Ordering::Relaxed;

    /// Eight bytes, aligned as a block is.
    #[repr(align(8))]
    struct Memory([u16; 4]);

    #[test]
    fn slices_are_of_the_elements_and_as_the_mode_allows() {
        let mut memory = Memory([1, 2, 3, 4]);
        let first = NonNull::from(&mut memory.0).cast::<u16>();
        // SAFETY: there are four elements, and no other code touches them while the slice is in use.
        let alone = unsafe { Ew::<u16>::slice(first, 4) };
        alone[1] = 20;
        // SAFETY: there are four elements, and no code writes them while the slices are in use.
        let read = [(); 2].map(|()| unsafe { Ro::<u16>::slice(first, 4) });
        assert_eq!(read, [&[1, 20, 3, 4], &[1, 20, 3, 4]]);
        // SAFETY: there are four elements, and who touches them while the slices are in use has atomics.
        let shared = [(); 2].map(|()| unsafe { Rw::<u16>::slice(first, 4) });
        std::thread::scope(|scope| {
            for atomics in shared {
                scope.spawn(|| atomics.iter().for_each(|atomic| _ = atomic.fetch_add(1, Relaxed)));
            }
        });
        assert_eq!(memory.0, [3, 22, 5, 6]);
        // SAFETY: there are no elements.
        assert!(unsafe { Ew::<u64>::slice(NonNull::dangling(), 0) }.is_empty());
    }
}
