//! Data blocks of a type, and the access modes in which an EDT can ask for one.

use super::need::{BlockNeed, Need, SatisfiedSlot};
use super::{NULL, Owned, check};
use crate::capi::sys;
use bytemuck::Pod;
use std::marker::PhantomData;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic;

/// A data block of `len` elements (OCR 1.1.0, 2.5). Its clones are handles of the same block, which is destroyed with
/// the last of them.
pub struct Block<T> {
    of: Arc<Owned>,
    len: usize,
    element: PhantomData<fn() -> T>,
}

impl<T> Clone for Block<T> {
    fn clone(&self) -> Block<T> {
        Block {
            of: self.of.clone(),
            len: self.len,
            element: PhantomData,
        }
    }
}

impl<T: Pod> Block<T> {
    /// A block with these elements.
    pub fn new(elements: &[T]) -> Block<T> {
        // SAFETY: the place has room for as many elements, and is no part of what the caller has.
        Block::create(elements.len(), |place| unsafe {
            ptr::copy_nonoverlapping(elements.as_ptr(), place, elements.len());
        })
    }

    /// A block of so many elements, all of whose bytes are zero.
    pub fn zeroed(len: usize) -> Block<T> {
        // SAFETY: the place has room for as many elements.
        Block::create(len, |place| unsafe { ptr::write_bytes(place, 0, len) })
    }

    /// Creates a block that `fill` gives its content, before anybody else can have it.
    fn create(len: usize, fill: impl FnOnce(*mut T)) -> Block<T> {
        const {
            assert!(align_of::<T>() <= 8, "data blocks are aligned to 8 bytes");
        }
        let bytes = len.checked_mul(size_of::<T>());
        let bytes = bytes.expect("a block of more bytes than there are addresses") as u64;
        let (mut guid, mut place) = (NULL, ptr::null_mut());
        let (no_flags, no_hint) = (0, ptr::null_mut());
        // SAFETY: both places are valid, and there is no hint.
        let status = unsafe {
            sys::ocrDbCreate(
                &mut guid,
                &mut place,
                bytes,
                no_flags,
                no_hint,
                sys::NO_ALLOC,
            )
        };
        check("ocrDbCreate", status);
        fill(place.cast());
        // SAFETY: takes no pointers; the content is not touched from here on.
        check("ocrDbRelease", unsafe { sys::ocrDbRelease(guid) });
        Block {
            of: Owned::new(guid, sys::ocrDbDestroy),
            len,
            element: PhantomData,
        }
    }

    /// How many elements it has.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// To read it, beside other readers; in mode CONST.
    pub fn ro(&self) -> Ro<T> {
        Ro(self.clone())
    }

    /// To write it, alone; in mode EW.
    pub fn ew(&self) -> Ew<T> {
        Ew(self.clone())
    }

    /// To read and write it beside others that do, by atomics; in mode RW.
    pub fn rw(&self) -> Rw<T>
    where
        T: Shared,
    {
        Rw(self.clone())
    }

    fn guid(&self) -> sys::ocrGuid_t {
        self.of.guid()
    }
}

/// A block to be read: `&[T]`.
pub struct Ro<T>(Block<T>);

/// A block to be written by one EDT: `&mut [T]`.
pub struct Ew<T>(Block<T>);

/// A block that several EDTs may write at the same time: a slice of atomics.
pub struct Rw<T>(Block<T>);

/// Numbers that have an atomic form.
///
/// # Safety
/// The atomic form has the size of the number, needs no more alignment than [`Block`] gives, and each of its bit
/// patterns is a value.
pub unsafe trait Shared: Pod {
    /// The atomic form.
    type Atomic: Sync;
}

macro_rules! shared {
    ($($number:ty: $atomic:ident),*) => {$(
        // SAFETY: the standard library gives the atomic form the size and the bit patterns of the number, and its size as
        // alignment, which is at most the 8 bytes to which blocks are aligned.
        unsafe impl Shared for $number {
            type Atomic = atomic::$atomic;
        }
    )*};
}

shared!(u8: AtomicU8, i8: AtomicI8, u16: AtomicU16, i16: AtomicI16, u32: AtomicU32, i32: AtomicI32, u64: AtomicU64, i64: AtomicI64);

// SAFETY: the mode is CONST, and what is given is a shared slice.
unsafe impl<T: Pod + Sync> Need for Ro<T> {
    type Given<'a> = &'a [T];

    fn source(&self) -> (sys::ocrGuid_t, sys::ocrDbAccessMode_t) {
        (self.0.guid(), sys::DB_MODE_CONST)
    }

    unsafe fn given<'a>(&'a self, slot: SatisfiedSlot<'a>) -> &'a [T] {
        // SAFETY: the caller promises what is asked for.
        unsafe { Self::of_slot(slot) }
    }
}

// SAFETY: the slot has the block and the mode.
unsafe impl<T: Pod + Sync> BlockNeed for Ro<T> {
    unsafe fn of_slot<'a>(slot: SatisfiedSlot<'a>) -> &'a [T] {
        let (place, len) = slot.elements::<T>();
        // SAFETY: the caller promises that the slot has a block of this type in this mode for as long as 'a, with which
        // nothing that writes overlaps; a block has a value in each element.
        unsafe { std::slice::from_raw_parts(place, len) }
    }
}

// SAFETY: the mode is EW, and what is given is an exclusive slice.
unsafe impl<T: Pod + Send> Need for Ew<T> {
    type Given<'a> = &'a mut [T];

    fn source(&self) -> (sys::ocrGuid_t, sys::ocrDbAccessMode_t) {
        (self.0.guid(), sys::DB_MODE_EW)
    }

    unsafe fn given<'a>(&'a self, slot: SatisfiedSlot<'a>) -> &'a mut [T] {
        // SAFETY: the caller promises what is asked for.
        unsafe { Self::of_slot(slot) }
    }
}

// SAFETY: the slot has the block and the mode.
unsafe impl<T: Pod + Send> BlockNeed for Ew<T> {
    unsafe fn of_slot<'a>(slot: SatisfiedSlot<'a>) -> &'a mut [T] {
        let (place, len) = slot.elements::<T>();
        // SAFETY: the caller promises that the slot has a block of this type in this mode for as long as 'a, with which
        // nothing overlaps; a block has a value in each element.
        unsafe { std::slice::from_raw_parts_mut(place, len) }
    }
}

// SAFETY: the mode is RW, and what is given is a slice of atomics.
unsafe impl<T: Shared> Need for Rw<T> {
    type Given<'a> = &'a [T::Atomic];

    fn source(&self) -> (sys::ocrGuid_t, sys::ocrDbAccessMode_t) {
        (self.0.guid(), sys::DB_MODE_RW)
    }

    unsafe fn given<'a>(&'a self, slot: SatisfiedSlot<'a>) -> &'a [T::Atomic] {
        // SAFETY: the caller promises what is asked for.
        unsafe { Self::of_slot(slot) }
    }
}

// SAFETY: the slot has the block and the mode.
unsafe impl<T: Shared> BlockNeed for Rw<T> {
    unsafe fn of_slot<'a>(slot: SatisfiedSlot<'a>) -> &'a [T::Atomic] {
        let (place, len) = slot.elements::<T>();
        // SAFETY: the caller promises that the slot has a block of this type in this mode for as long as 'a, and that all
        // who overlap with it have atomics, too; `Shared` promises that these have the form of a number.
        unsafe { std::slice::from_raw_parts(place.cast(), len) }
    }
}
