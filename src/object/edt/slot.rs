//! Pre-slots, and the modes in which EDTs use data blocks. What the words of a pre-slot mean is said
//! in [`super`].

use crate::object::guid::Guid;
use crate::object::link::Link;
use crate::object::saved::Saved;
pub(crate) use ocr_trace::numbers::Mode;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

/// The first word of a pre-slot that nothing is connected to: the bits of `UNINITIALIZED_GUID`.
pub(super) const UNCONNECTED: u64 = -2i64 as u64;
const CONNECTED: u64 = 1 << 63;
const LATER: u64 = 1 << 8;
/// In the second word, beside what [`SlotInfo`] says.
const DIVIDES: u64 = 1 << 7;

/// No slot: the end of the order of blocks.
pub(crate) const NO_SLOT: u32 = u32::MAX;

/// The second word of a satisfied pre-slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SlotInfo {
    /// The mode asked for; on the slot that stands for a block in the order, the combined mode.
    pub mode: Mode,
    /// Another slot of this EDT stands for this block.
    pub duplicate: bool,
    /// The EDT gave the block back before its end.
    pub released: bool,
    /// The EDT was handed the block by the EDT before it, and holds it in EW mode whatever it asked for.
    pub handed: bool,
    /// The EDT gave the block back before it ran and is to acquire it again. Until then it holds the block in RO mode,
    /// so that the block stays.
    pub kept: bool,
    /// The slot of the next block to lock, or [`NO_SLOT`].
    pub next: u32,
}

impl SlotInfo {
    fn from_bits(bits: u64) -> SlotInfo {
        SlotInfo {
            mode: Mode::from_bits(bits as u32 & 0xf).unwrap_or(Mode::Null),
            duplicate: bits & 0x10 != 0,
            released: bits & 0x20 != 0,
            handed: bits & 0x40 != 0,
            kept: bits & 0x100 != 0,
            next: (bits >> 32) as u32,
        }
    }

    fn bits(self) -> u64 {
        self.mode as u64
            | (self.duplicate as u64) << 4
            | (self.released as u64) << 5
            | (self.handed as u64) << 6
            | (self.kept as u64) << 8
            | (self.next as u64) << 32
    }

    /// The mode in which the block is held.
    pub fn held_mode(self) -> Mode {
        if self.handed { Mode::Ew } else { self.mode }
    }
}

/// The mode in the first word of a pre-slot, if that says that it is connected and not satisfied.
fn connected_mode(first: u64) -> Option<Mode> {
    (first & CONNECTED != 0 && first != UNCONNECTED).then(|| Mode::from_bits(first as u32 & 0xf).unwrap_or(Mode::Null))
}

/// One pre-slot; see the module.
#[repr(C)]
pub struct PreSlot {
    /// Atomic, since an EDT's creator looks at it while others connect the slot.
    first: AtomicU64,
    /// Atomic, since threads that take a snapshot look at it.
    second: AtomicU64,
}

impl PreSlot {
    /// Makes the pre-slot unconnected, as it is in a new EDT.
    pub fn clear(&self) {
        self.first.store(UNCONNECTED, Ordering::Relaxed);
    }

    /// Whether nothing is connected to it.
    pub fn is_unconnected(&self) -> bool {
        self.first.load(Ordering::Relaxed) == UNCONNECTED
    }

    /// The mode asked for, if it is connected and not satisfied.
    pub fn connected_mode(&self) -> Option<Mode> {
        connected_mode(self.first.load(Ordering::Relaxed))
    }

    /// The mode asked for, of a pre-slot that is in the list of an event, and so is connected.
    #[inline]
    pub fn waiting_mode(&self) -> Mode {
        let mode = Mode::from_bits(self.first.load(Ordering::Relaxed) as u32 & 0xf);
        mode.unwrap_or(Mode::Null)
    }

    /// Records that an event will satisfy it.
    pub fn connect(&self, mode: Mode) {
        self.first.store(CONNECTED | mode as u64, Ordering::Relaxed);
    }

    /// Records that an event will satisfy it, as [`PreSlot::connect`] does, when the EDT is created and the slot is
    /// linked later.
    pub fn connect_later(&self, mode: Mode, event: Guid) {
        self.first.store(CONNECTED | LATER | mode as u64, Ordering::Relaxed);
        self.second.store(event.bits(), Ordering::Relaxed);
    }

    /// The mode and the event given to `connect_later`. Of meaning to the EDT's creator alone, and
    /// until it has linked the slot.
    pub fn to_be_linked(&self) -> Option<(Mode, Guid)> {
        // Once: others may connect the slot, satisfy it, and leave it meanwhile, and bits of a GUID may look like
        // `LATER`.
        let first = self.first.load(Ordering::Relaxed);
        let mode = connected_mode(first)?;
        (first & LATER != 0).then(|| (mode, Guid::from_bits(self.second.load(Ordering::Relaxed))))
    }

    /// The rest of the list that this slot is a node of.
    pub fn rest(&self) -> Link {
        Link::from_bits(self.second.load(Ordering::Relaxed))
    }

    /// Sets the rest of the list.
    pub fn set_rest(&self, rest: Link) {
        self.second.store(rest.bits(), Ordering::Relaxed);
    }

    /// Satisfies it with a data block or with `NULL_GUID`.
    pub fn satisfy(&self, data: Guid, mode: Mode) {
        // A control dependence shows neither GUID nor pointer to the EDT.
        let data = if mode == Mode::Null { Guid::NULL } else { data };
        self.first.store(data.bits(), Ordering::Relaxed);
        self.set_info(SlotInfo { mode, duplicate: false, released: false, handed: false, kept: false, next: NO_SLOT });
    }

    /// Passes the pre-slot through a checkpoint.
    pub(super) fn pass(&self, file: &mut Saved<'_>) -> io::Result<()> {
        self.first.store(file.word(self.first.load(Ordering::Relaxed))?, Ordering::Relaxed);
        self.second.store(file.word(self.second.load(Ordering::Relaxed))?, Ordering::Relaxed);
        Ok(())
    }

    /// The data block that satisfies it, if it is satisfied with one.
    pub fn satisfied_with(&self) -> Option<Guid> {
        Some(self.data()).filter(|data| data.is_data_block())
    }

    /// The data block of a satisfied slot, or `NULL_GUID`.
    pub fn data(&self) -> Guid {
        Guid::from_bits(self.first.load(Ordering::Relaxed))
    }

    /// What a satisfied slot knows.
    pub fn info(&self) -> SlotInfo {
        SlotInfo::from_bits(self.second.load(Ordering::Relaxed))
    }

    /// Says that the EDT wants the block to divide it. [`PreSlot::set_info`] takes it back.
    pub fn set_divides(&self) {
        self.second.store(self.second.load(Ordering::Relaxed) | DIVIDES, Ordering::Relaxed);
    }

    /// Whether the EDT wants the block to divide it.
    pub fn divides(&self) -> bool {
        self.second.load(Ordering::Relaxed) & DIVIDES != 0
    }

    /// Sets what a satisfied slot knows.
    pub fn set_info(&self, info: SlotInfo) {
        self.second.store(info.bits(), Ordering::Relaxed);
    }
}
