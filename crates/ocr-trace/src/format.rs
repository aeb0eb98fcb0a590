//! The form of a recording, which `docs/trace-format.md` describes for people. All numbers are in the byte order of the
//! machine, which is little-endian where the runtime runs.

use std::sync::atomic::{AtomicU32, AtomicU64};

/// The first bytes of a recording.
pub const MAGIC: [u8; 8] = *b"OCRTRACE";
/// The version of this form. A reader refuses recordings of another version.
pub const VERSION: u32 = 3;
/// How many bytes the head has. It is mapped as a segment is, and the first segment follows.
pub const HEAD_BYTES: u64 = SEGMENT_UNIT;
/// Where in the head the text begins, in bytes: lines `name=value`. Numbers stand before it.
pub const TEXT_AT: usize = 256;
/// How many times in which the clocks have gone apart the head has room for.
pub const MOST_APART: usize = 64;
/// Where in the head these times stand, in bytes: behind the text.
pub const APART_AT: usize = HEAD_BYTES as usize - MOST_APART * size_of::<ApartInHead>();
/// The first word of a segment.
pub const SEGMENT_MAGIC: u64 = u64::from_le_bytes(*b"ocr-segm");
/// The first word of a segment that no thread has.
pub const FREE_MAGIC: u64 = u64::from_le_bytes(*b"ocr-free");
/// The file grows by multiples of this many bytes, a multiple of the page size of every machine.
pub const SEGMENT_UNIT: u64 = 65536;
/// The most bytes of a segment. A reader has one segment of each thread in memory.
pub const LARGEST_SEGMENT: u64 = 16 * SEGMENT_UNIT;
/// The bytes of the first segment of a thread. The next ones have twice as many each.
pub const FIRST_SEGMENT: u64 = 4096;
/// The fewest bytes of a segment that a thread gets: there is room for what a thread begins with, and the longest text.
pub const LEAST_SEGMENT: u64 =
    (SEGMENT_HEAD_BYTES + 8 * RECORD_BYTES + LONGEST_TEXT.next_multiple_of(RECORD_BYTES)) as u64;
/// How many bytes a record has.
pub const RECORD_BYTES: usize = 32;
/// How many bytes the head of a segment has.
pub const SEGMENT_HEAD_BYTES: usize = 2 * RECORD_BYTES;
/// The most bytes of a text behind a record. A longer text is cut.
pub const LONGEST_TEXT: usize = 2048;

/// The numbers in the head of a recording.
#[repr(C)]
pub struct Head {
    /// [`MAGIC`].
    pub magic: [u8; 8],
    /// [`VERSION`] of the library that writes the file.
    pub version: u32,
    /// Where the first segment begins: [`HEAD_BYTES`].
    pub head_bytes: u32,
    /// The counter that dates records: a number of [`super::clock::ClockKind`].
    pub clock: u32,
    /// The system's number of the process that was recorded.
    pub process: u32,
    /// Seconds from the first of January 1970 to the begin of the run.
    pub wall_seconds: u64,
    /// The ticks of the counter when the run began.
    pub first_ticks: u64,
    /// `CLOCK_MONOTONIC` when the run began, in nanoseconds.
    pub first_ns: u64,
    /// How many pairs have been written to `later`: the last one stands at this number modulo 2. Stored after the pair,
    /// with release order. Here and in the other fields, a store with release order pairs with the read of the file by
    /// which a reader in another process sees the value.
    pub calibrated: AtomicU64,
    /// Later pairs of ticks and nanoseconds, written in turns. Relaxed: `calibrated` says which of them is whole.
    pub later: [[AtomicU64; 2]; 2],
    /// 0 while the run goes on, then 1 + its exit status. Stored last, with release order.
    pub ended: AtomicU64,
    /// The ticks of the counter when the run ended. Relaxed: `ended` says whether the number is there.
    pub ended_ticks: AtomicU64,
    /// How many records there was no room for on the disk. Relaxed: the number stands alone.
    pub lost: AtomicU64,
    /// How many bytes the text of the head has.
    pub text_bytes: u64,
    /// Where in the file the last segment ends, in bytes. A shorter file was cut off. Stored after the head of the
    /// segment, with release order.
    pub reached: AtomicU64,
    /// How often the clocks have gone apart. That number of times stands at [`APART_AT`], as far as there is room.
    /// Stored after the time, with release order.
    pub apart: AtomicU64,
    /// Which run this is ([`super::identity::RunIdentity`]), in its words.
    pub run: [u64; 5],
    /// The number of the node that writes the file. This and the following are zeros where the process was alone.
    pub node: u32,
    /// How many nodes the run has.
    pub nodes: u32,
    /// A number that the files of all nodes of one run share, and no others.
    pub launch: u64,
    /// What the machine's system calls the time since it was started (`boot_id`): nodes with one share its clocks.
    pub machine: [u64; 2],
}

const _: () = assert!(size_of::<Head>() <= TEXT_AT);

/// A time in which the clocks have gone apart: the pairs of ticks and nanoseconds before and after it. Relaxed: the
/// count in the head says whether the numbers are there.
pub type ApartInHead = [[AtomicU64; 2]; 2];

/// The head of a segment. A reader in another process reads the file while it is written: each store with release order
/// pairs with that. Relaxed are those before the store of the first word, which says that they are there.
#[repr(C)]
pub struct SegmentHead {
    /// [`SEGMENT_MAGIC`] or [`FREE_MAGIC`], stored after the rest of the head with release order. It is 0 in a piece of
    /// the file that has no head yet.
    pub magic: AtomicU64,
    /// How many bytes the segment has, its head included. Stored with release order where it becomes fewer, after the
    /// head of the segment that takes the rest.
    pub bytes: AtomicU64,
    /// How many records of the segment are whole. Stored after each record with release order.
    pub count: AtomicU64,
    /// The system's number of the thread that fills the segment.
    pub thread: AtomicU32,
    /// The number of the segment among those of its thread, from 0.
    pub sequence: AtomicU32,
    /// The number of the thread in the recording, from 0. The system gives its own numbers again when a thread has
    /// ended.
    pub owner: AtomicU32,
    /// Zeros, up to the size of two records.
    pub unused: [u32; 5],
    /// A zero.
    pub spare: u64,
}

const _: () = assert!(size_of::<SegmentHead>() <= SEGMENT_HEAD_BYTES);

/// A record: something that happened, when, and numbers whose meaning depends on the [`RecordKind`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(C)]
pub struct Record {
    /// When it happened, in ticks of the counter.
    pub ticks: u64,
    /// What happened: a number of [`RecordKind`].
    pub kind: u8,
    /// A number that [`RecordKind`] gives a meaning, as the four below.
    pub a: u8,
    /// The second of them.
    pub b: u16,
    /// The third of them.
    pub c: u32,
    /// The fourth of them.
    pub x: u64,
    /// The fifth of them.
    pub y: u64,
}

const _: () = assert!(size_of::<Record>() == RECORD_BYTES);

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident = $number:literal,)*) => {
        /// What a record says, and the meaning of its numbers.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum RecordKind {
            $($(#[$doc])* $name = $number,)*
        }

        impl RecordKind {
            /// The kind with this number. None for a number that has no kind.
            pub fn of(number: u8) -> Option<RecordKind> {
                match number {
                    $($number => Some(RecordKind::$name),)*
                    _ => None,
                }
            }
        }
    };
}

kinds! {
    /// The thread begins: `a` is its [`ThreadRole`]. Its name follows as a text.
    Thread = 1,
    /// A template runs work `x`, for which `y` has a bit for each place where it can run. Its name follows as a text.
    Template = 2,
    /// Place `a` is a device with `x` compute units, or 0 where that is not known. Its name follows as a text.
    Device = 3,
    /// Object `x` has a label, which follows as a text.
    Label = 4,
    /// EDT `x` of work `y` was created by what runs on the thread: `a` parameters and `b` pre-slots (255 and 65535:
    /// that many or more), `c` is 1 for a finish EDT.
    Created = 8,
    /// Pre-slot `c` of EDT `x` is connected to post-slot `b` of event `y`, mode `a`.
    Linked = 9,
    /// Pre-slot `c` of EDT `x` is satisfied, with block `y` or nothing, mode `a`, by what runs on the thread.
    Satisfied = 10,
    /// EDT `x` waits for the end of EDT `y`, behind which it is enqueued on a device.
    Follows = 11,
    /// EDT `x` is runnable; the policy has put it at place `a` (255: the first that is free).
    Runnable = 12,
    /// Place `a` has taken EDT `x`, which was not placed yet.
    Placed = 13,
    /// EDT `x` has got block `y`, for which it had to wait.
    Granted = 14,
    /// Block `y` must be brought to place `a` for EDT `x`.
    Fetch = 15,
    /// All blocks of EDT `x` have been brought.
    Fetched = 16,
    /// The function of EDT `x` begins on the thread.
    Begin = 17,
    /// The function of EDT `x` has returned on the thread.
    End = 18,
    /// EDT `x` is given to device `a`, which knows it as `y`.
    Launched = 19,
    /// The kernel of EDT `x` on device `a` has been seen to end. What the thread satisfies next, it satisfies by that
    /// end.
    KernelEnd = 20,
    /// The kernel of the EDT that device `a` knows as `x` ended in lane `b` at the record's time, and took `y` ticks.
    Kernel = 21,
    /// A copy of `y` bytes of block `x` ended at the record's time, and took 16 times `c` ticks. It went to device `a`
    /// where `b` is 0, and came from there where `b` is 1.
    Copy = 22,
    /// Block `x` of `y` bytes is created.
    Block = 23,
    /// Block `x` does not exist any more.
    BlockGone = 24,
    /// The thread, a worker, has no EDT to run.
    Idle = 25,
    /// The thread, a worker, has an EDT to run again, or ends.
    Busy = 26,
    /// Counter `a` ([`Counter`]) of place `b` has the value `y`.
    Counter = 27,
    /// Place `a` was considered for EDT `x`. What the policy expected there, in units of 16 ns: `c` in queues, the
    /// higher half of `y` for copies, the lower half for its run. `b` is a [`Basis`].
    Estimate = 28,
    /// What runs on the thread has sent message `x` to node `b`: its number among those that lead to something there.
    /// `y` is the EDT of the runtime's that has sent it since what it stands for has come, or 0.
    Sent = 29,
    /// Message `x` has come from node `b`, and the thread handles it: what it does next is by what has sent that. 0: by
    /// nothing that is known.
    Came = 30,
    /// The launch that device `a` knows as `x` has `y` work-groups of `c` work-items. `b` is a [`WorkGroupBasis`].
    WorkGroups = 31,
    /// What runs on the thread has called the runtime about object `x`: `a` is an [`Asked`], which says what `y` and
    /// `c` are. `b` is 1 where the call was refused.
    Called = 40,
    /// Whether what runs on the thread has changed block `x`: `a` is a sum of `CHANGED` and the like. Bit `i` of `y` is
    /// set where the `i`th 64th of what was looked at has changed, bit `i` of `c` where a word whose number modulo 32
    /// is `i` has.
    Changed = 41,
    /// The EDT that runs on the thread waits in a call.
    Waits = 42,
    /// The EDT that runs on the thread goes on.
    GoesOn = 43,
    /// What runs on the thread has waited for OpenCL up to now: for `y` ticks, until it had started where `a` is 1, or
    /// until a kernel was compiled where `a` is 2.
    WaitedForOpenCl = 44,
    /// What runs on the thread has waited for answers of other nodes up to now: for `y` ticks.
    WaitedForNodes = 45,
    /// The function of EDT `x` is a duplicate, while its kernel is on device `a`: `b` is a [`DuplicateStep`].
    Duplicate = 46,
    /// Since it began, the thread was on a core for `x` nanoseconds, and was ready and without a core for `y`. Where
    /// `a` is 1, all threads of the process together were on cores for `x` nanoseconds, and the process may use `y`
    /// cores.
    Usage = 50,
    /// Since it began, the thread was in the system for `x` of the nanoseconds on a core, has had `y` page faults, and
    /// has given up its core `c` times to wait for something. The thread's record of kind 50 follows.
    System = 51,
}

impl RecordKind {
    /// Whether a text follows, of `c` bytes, in records of its own.
    pub fn has_text(self) -> bool {
        matches!(self, RecordKind::Thread | RecordKind::Template | RecordKind::Device | RecordKind::Label)
    }
}

/// How far the duplicate of an EDT has come: the number `b` of its record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub enum DuplicateStep {
    /// Its function begins on the thread, beside the kernel.
    Begins = 1,
    /// Its function has returned on the thread, before the kernel was seen to end.
    Ends = 2,
    /// Its function has returned on the thread, after the kernel.
    EndsInVain = 3,
    /// The thread has left its function, which goes on as the kernel alone.
    IsLeft = 4,
    /// The kernel does not count, and runs on.
    KernelIsOutrun = 5,
    /// The kernel of a duplicate that came second has been seen to end.
    KernelEndsInVain = 6,
}

impl DuplicateStep {
    const ALL: [DuplicateStep; 6] = [
        DuplicateStep::Begins,
        DuplicateStep::Ends,
        DuplicateStep::EndsInVain,
        DuplicateStep::IsLeft,
        DuplicateStep::KernelIsOutrun,
        DuplicateStep::KernelEndsInVain,
    ];

    /// What has this number. None for a number that has no meaning.
    pub fn of(number: u16) -> Option<DuplicateStep> {
        DuplicateStep::ALL.get(usize::from(number).checked_sub(1)?).copied()
    }
}

/// Stands for the copy of a block by which an event was satisfied.
pub const A_COPY: u64 = u64::MAX;

/// What a program has asked of the runtime in a call: the number `a` of its record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Asked {
    /// Event `x` was created, of kind `y` as the headers number them; `c` is the counter of a latch.
    EventCreated = 1,
    /// Event `x` was destroyed.
    EventDestroyed = 2,
    /// Pre-slot `c` of event `x` was satisfied, with block `y` or nothing, or with [`A_COPY`].
    EventSatisfied = 3,
    /// Pre-slot `c` of event `x` was connected to event `y`.
    EventLinked = 4,
    /// Event `x` is satisfied by the end of the EDT that the thread has created last, or of its finish scope. `c` is 1
    /// where the event was there before, 2 where it is a sticky one, and 0 otherwise.
    Output = 5,
    /// Event `x` is satisfied by the end of the EDT that runs on the thread, or of its finish scope.
    OwnOutput = 6,
    /// What runs on the thread has waited for event `x`, by the EDT that the thread has created last.
    Waited = 7,
    /// EDT `x` was destroyed.
    EdtDestroyed = 8,
    /// Block `x` was created. What runs on the thread holds it where `c` is 0.
    BlockCreated = 9,
    /// Block `x` was released.
    BlockReleased = 10,
    /// Block `x` was destroyed.
    BlockDestroyed = 11,
    /// Block `x` is a part of block `y`.
    BlockPart = 12,
    /// Event `x` is satisfied by event `y`: the EDT whose output event is `x` has returned `y`.
    Returned = 13,
}

impl Asked {
    const ALL: [Asked; 13] = [
        Asked::EventCreated,
        Asked::EventDestroyed,
        Asked::EventSatisfied,
        Asked::EventLinked,
        Asked::Output,
        Asked::OwnOutput,
        Asked::Waited,
        Asked::EdtDestroyed,
        Asked::BlockCreated,
        Asked::BlockReleased,
        Asked::BlockDestroyed,
        Asked::BlockPart,
        Asked::Returned,
    ];

    /// What has this number. None for a number that has no meaning.
    pub fn of(number: u8) -> Option<Asked> {
        Asked::ALL.get(usize::from(number).checked_sub(1)?).copied()
    }
}

/// A block has changed since its EDT began.
pub const CHANGED: u8 = 1;
/// A block has changed since what runs gave it to others for the first time.
pub const CHANGED_SINCE_GIVEN: u8 = 2;
/// It was not looked at whether a block has changed.
pub const NOT_LOOKED_AT: u8 = 4;
/// The most bytes of a block that are looked at. Of a larger one, lines of 64 bytes at equal distances are.
pub const LOOKED_AT: usize = 4096;

/// How the size of a launch's work-groups came about: the number `b` of its record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorkGroupBasis {
    /// The device runs so many work-items of a group at once: full groups have a multiple of that many. At least 1.
    pub multiple: u16,
    /// Whether the program, or the kernel's source, has said the size; otherwise the runtime has chosen it.
    pub is_given: bool,
}

impl WorkGroupBasis {
    const GIVEN: u16 = 1 << 15;

    /// The number `b` of the record.
    #[inline]
    pub fn bits(self) -> u16 {
        self.multiple.min(Self::GIVEN - 1) | if self.is_given { Self::GIVEN } else { 0 }
    }

    /// What the number `b` of a record says.
    pub fn of(bits: u16) -> WorkGroupBasis {
        WorkGroupBasis { multiple: (bits & !Self::GIVEN).max(1), is_given: bits & Self::GIVEN != 0 }
    }
}

/// What an estimate of a policy rests on, and what came of it: the number `b` of its record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Basis {
    /// How well the time of the run was known: a number of `ocr_place::policy::Certainty`.
    pub certainty: u8,
    /// What was done with the EDT: a number of `ocr_place::policy::Why`.
    pub why: u8,
    /// Whether this place was chosen.
    pub is_chosen: bool,
    /// Whether this is the first place of a choice. The other places of the choice follow.
    pub is_first: bool,
    /// By how many eighths of a doubling the time of the run may be less or more, as the policy takes it: 0 to 511.
    pub eighths: u16,
}

impl Basis {
    /// How many eighths of a doubling a factor is: 0 for 1.
    pub fn eighths_of(factor: f64) -> u16 {
        // What is less than 0 becomes 0.
        (factor.log2() * 8.0).round().min(511.0) as u16
    }

    /// The factor by which the time may be less or more.
    pub fn factor(self) -> f64 {
        (f64::from(self.eighths) / 8.0).exp2()
    }

    /// The number `b` of the record.
    #[inline]
    pub fn bits(self) -> u16 {
        u16::from(self.certainty & 3)
            | u16::from(self.why & 7) << 2
            | u16::from(self.is_chosen) << 5
            | u16::from(self.is_first) << 6
            | self.eighths << 7
    }

    /// What the number `b` of a record says.
    pub fn of(bits: u16) -> Basis {
        Basis {
            certainty: (bits & 3) as u8,
            why: (bits >> 2 & 7) as u8,
            is_chosen: bits >> 5 & 1 != 0,
            is_first: bits >> 6 & 1 != 0,
            eighths: bits >> 7,
        }
    }
}

/// The role of a thread that writes records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum ThreadRole {
    /// A worker, which runs EDTs.
    Worker = 1,
    /// A thread of the runtime that manages a device.
    Manager = 2,
    /// A thread of the program.
    Program = 3,
}

/// A counter that is recorded from time to time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Counter {
    /// EDTs that are ready and have no worker yet.
    Ready = 1,
    /// Launches that a device has not ended.
    Launches = 2,
    /// Bytes of buffers on a device.
    DeviceBytes = 3,
    /// Cores on which a CPU device may compute from then on. The first value is that of the whole device.
    Cores = 4,
}

/// The number of the place of an EDT that goes to the first place that is free.
pub const UNDECIDED: u8 = u8::MAX;

/// How an EDT uses a block, a number of `ocrDbAccessMode_t`: it does not see the block.
pub const MODE_NULL: u8 = 0;
/// The same: it reads and writes, and so may others.
pub const MODE_RW: u8 = 2;
/// The same: it writes, and no other EDT does meanwhile.
pub const MODE_EW: u8 = 4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_basis_is_what_its_bits_say() {
        for (factor, eighths) in [(1.0, 0), (2.0, 8), (20.0, 35), (0.5, 0), (f64::NAN, 511), (f64::INFINITY, 511)] {
            assert_eq!(Basis::eighths_of(factor), eighths, "{factor}");
            let basis = Basis { certainty: 1, why: 5, is_chosen: true, is_first: false, eighths };
            assert_eq!(Basis::of(basis.bits()), basis);
        }
        let basis = Basis { certainty: 1, why: 5, is_chosen: true, is_first: true, eighths: 35 };
        assert!((basis.factor() - 20.0).abs() < 1.0, "{}", basis.factor());
    }
}
