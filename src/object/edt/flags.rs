//! What is said of an EDT in one byte, beside its state.

use crate::object::saved::Saved;
use std::io;
use std::ops::BitOr;
use std::sync::atomic::{AtomicU8, Ordering};

/// Yes or no, eight times. Each question is a function: code outside of this file knows no bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EdtFlags(u8);

impl EdtFlags {
    /// An EDT of which nothing special is known.
    pub const NONE: EdtFlags = EdtFlags(0);
    /// The EDT is the root of a finish scope.
    pub const FINISH: EdtFlags = EdtFlags(1);
    /// The words of an [`ExplicitRange`](super::ExplicitRange) stand behind the parameters.
    pub const HAS_RANGE: EdtFlags = EdtFlags(2);
    /// A block that the EDT was granted has no host copy that is ready to be used.
    pub const FETCH: EdtFlags = EdtFlags(4);
    /// The EDT wants to write a block that is written once, and was (`DB_PROP_SINGLE_ASSIGNMENT`).
    pub const DENIED: EdtFlags = EdtFlags(8);
    /// The EDT stands for a thread that waits for an event, and runs nothing.
    pub const WAITER: EdtFlags = EdtFlags(16);
    /// The table of hints has hints of the EDT.
    pub const HINTED: EdtFlags = EdtFlags(32);
    /// One of the EDT's hints is a priority that is not 0.
    pub const URGENT: EdtFlags = EdtFlags(64);
    /// The output event of the EDT is, or was, in the EDT's own slot.
    pub const OUTPUT_INSIDE: EdtFlags = EdtFlags(128);

    #[inline(always)]
    fn has_any(self, asked: EdtFlags) -> bool {
        self.0 & asked.0 != 0
    }

    /// Whether the EDT is the root of a finish scope.
    #[inline(always)]
    pub fn is_finish(self) -> bool {
        self.has_any(EdtFlags::FINISH)
    }

    /// Whether an index space was given at creation.
    #[inline(always)]
    pub fn has_range(self) -> bool {
        self.has_any(EdtFlags::HAS_RANGE)
    }

    /// Whether the EDT wants to write a block that may not be written any more.
    #[inline(always)]
    pub fn is_denied(self) -> bool {
        self.has_any(EdtFlags::DENIED)
    }

    /// Whether the EDT stands for a thread that waits for an event.
    #[inline(always)]
    pub fn is_waiter(self) -> bool {
        self.has_any(EdtFlags::WAITER)
    }

    /// Whether the EDT has hints.
    #[inline(always)]
    pub fn has_hints(self) -> bool {
        self.has_any(EdtFlags::HINTED)
    }

    /// Whether the EDT has a priority that is not 0.
    #[inline(always)]
    pub fn is_urgent(self) -> bool {
        self.has_any(EdtFlags::URGENT)
    }

    /// Whether the output event is, or was, in the EDT's own slot.
    #[inline(always)]
    pub fn has_output_inside(self) -> bool {
        self.has_any(EdtFlags::OUTPUT_INSIDE)
    }

    /// Whether an EDT of the host that has all its blocks can run as it is: it has nothing to fetch, is denied nothing,
    /// and stands for no thread.
    #[inline(always)]
    pub fn is_ready_when_locked(self) -> bool {
        !self.has_any(EdtFlags::FETCH | EdtFlags::DENIED | EdtFlags::WAITER)
    }

    /// Whether these flags alone say that others may wait for the EDT's end: for an output event in its slot, or for
    /// its finish scope.
    #[inline(always)]
    pub fn are_of_an_awaited_edt(self) -> bool {
        self.has_any(EdtFlags::OUTPUT_INSIDE | EdtFlags::FINISH)
    }

    /// The flags of this set that are not in the other one.
    #[inline(always)]
    pub fn without(self, those: EdtFlags) -> EdtFlags {
        EdtFlags(self.0 & !those.0)
    }
}

impl BitOr for EdtFlags {
    type Output = EdtFlags;

    #[inline(always)]
    fn bitor(self, other: EdtFlags) -> EdtFlags {
        EdtFlags(self.0 | other.0)
    }
}

/// The flags in an EDT. The EDT's owner alone writes them; snapshots and strict mode read them beside it, and may get
/// what was there before. So a plain load and a plain store are enough, and nothing is ordered by them.
pub struct FlagsCell(AtomicU8);

impl FlagsCell {
    /// A place with these flags.
    #[cfg(loom)]
    pub fn new(flags: EdtFlags) -> FlagsCell {
        FlagsCell(AtomicU8::new(flags.0))
    }

    /// Reads the flags; others than the owner may get older ones.
    #[inline(always)]
    pub fn get(&self) -> EdtFlags {
        EdtFlags(self.0.load(Ordering::Relaxed))
    }

    /// Passes the flags through a checkpoint.
    pub(super) fn pass(&self, file: &mut Saved<'_>) -> io::Result<()> {
        self.set(EdtFlags(file.word(self.get().0)?));
        Ok(())
    }

    /// Exactly these flags from now on. The caller owns the EDT.
    #[inline(always)]
    pub fn set(&self, to: EdtFlags) {
        self.0.store(to.0, Ordering::Relaxed);
    }

    /// Adds flags to those that are set. The caller owns the EDT.
    #[inline(always)]
    pub fn add(&self, more: EdtFlags) {
        self.set(self.get() | more);
    }

    /// Takes flags away from those that are set. The caller owns the EDT.
    #[inline(always)]
    pub fn remove(&self, those: EdtFlags) {
        self.set(self.get().without(those));
    }
}
