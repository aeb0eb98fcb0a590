//! What stands in a recording. `docs/trace-format.md` says the same for people; all numbers are in the byte order of the
//! machine, which is little-endian where the runtime runs.

use std::sync::atomic::AtomicU64;

/// How a recording begins.
pub(crate) const MAGIC: [u8; 8] = *b"OCRTRACE";
/// The version of what follows. A reader takes no other.
pub(crate) const VERSION: u32 = 2;
/// Bytes of the head, which is mapped as a segment is; the first segment follows.
pub(crate) const HEAD_BYTES: u64 = SEGMENT_UNIT;
/// Bytes of the head that are numbers; text follows: lines `name=value`.
pub(crate) const TEXT_AT: usize = 256;
/// How a segment begins.
pub(crate) const SEGMENT_MAGIC: u64 = u64::from_le_bytes(*b"ocr-segm");
/// Segments begin and end at multiples of this, which is a page of every machine.
pub(crate) const SEGMENT_UNIT: u64 = 65536;
/// The most bytes of a segment. A reader holds one of each thread.
pub(crate) const LARGEST_SEGMENT: u64 = 16 * SEGMENT_UNIT;
/// Bytes of a record, and of a segment's head that is one.
pub(crate) const RECORD_BYTES: usize = 32;
/// Bytes of a segment's head.
pub(crate) const SEGMENT_HEAD_BYTES: usize = 2 * RECORD_BYTES;
/// A text is cut after so many bytes.
pub(crate) const LONGEST_TEXT: usize = 2048;

/// The head's numbers.
#[repr(C)]
pub(crate) struct Head {
    pub(crate) magic: [u8; 8],
    pub(crate) version: u32,
    pub(crate) head_bytes: u32,
    /// See [`super::clock::Kind`].
    pub(crate) clock: u32,
    pub(crate) process: u32,
    /// Seconds since 1970 when the run began.
    pub(crate) wall_seconds: u64,
    /// Ticks and nanoseconds when the run began.
    pub(crate) first_ticks: u64,
    pub(crate) first_ns: u64,
    /// Which of the two pairs that follow is whole: it is written before this counts on, with release order. Here and
    /// below, a store with release order pairs with the read of the file by which a reader in another process sees it.
    pub(crate) calibrated: AtomicU64,
    /// Later pairs of ticks and nanoseconds, in turns. Relaxed: `calibrated` says which of them is whole.
    pub(crate) later: [[AtomicU64; 2]; 2],
    /// 0 while the run goes on, then 1 + its exit status: stored last, with release order.
    pub(crate) ended: AtomicU64,
    /// Ticks when it ended. Relaxed: `ended` says that it is there.
    pub(crate) ended_ticks: AtomicU64,
    /// Records for which there was no room on the disk. Relaxed: the number stands alone.
    pub(crate) lost: AtomicU64,
    /// Bytes of the text.
    pub(crate) text_bytes: u64,
    /// Where the last segment that has begun ends: a shorter file was cut off. Stored behind the segment's head, with
    /// release order.
    pub(crate) reached: AtomicU64,
}

const _: () = assert!(size_of::<Head>() <= TEXT_AT);

/// The head of a segment.
#[repr(C)]
pub(crate) struct SegmentHead {
    /// [`SEGMENT_MAGIC`], stored behind the rest of the head with release order; 0 before. It pairs with the read of the
    /// file by a reader in another process.
    pub(crate) magic: AtomicU64,
    /// Bytes of the segment, with this.
    pub(crate) bytes: u64,
    /// Records that are whole: stored behind each record with release order, for such a reader as well.
    pub(crate) count: AtomicU64,
    /// The system's number of the thread.
    pub(crate) thread: u32,
    /// Which segment of its thread it is.
    pub(crate) sequence: u32,
    /// Which thread of the recording: the system's numbers are given again.
    pub(crate) owner: u32,
    pub(crate) unused: [u32; 5],
    pub(crate) spare: u64,
}

const _: () = assert!(size_of::<SegmentHead>() <= SEGMENT_HEAD_BYTES);

/// A record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(C)]
pub(crate) struct Record {
    /// When, in ticks.
    pub(crate) ticks: u64,
    /// What: a [`Kind`].
    pub(crate) kind: u8,
    pub(crate) a: u8,
    pub(crate) b: u16,
    pub(crate) c: u32,
    pub(crate) x: u64,
    pub(crate) y: u64,
}

const _: () = assert!(size_of::<Record>() == RECORD_BYTES);

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident = $number:literal,)*) => {
        /// What a record says.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub(crate) enum Kind {
            $($(#[$doc])* $name = $number,)*
        }

        impl Kind {
            /// The kind with this number.
            pub(crate) fn of(number: u8) -> Option<Kind> {
                match number {
                    $($number => Some(Kind::$name),)*
                    _ => None,
                }
            }
        }
    };
}

kinds! {
    /// The thread begins: `a` is its [`ThreadRole`]; a text follows, its name.
    Thread = 1,
    /// A template's work `x`: `y` has a bit for each place where it can run; a text follows, its name.
    Template = 2,
    /// Place `a` is this device: a text follows, its name.
    Device = 3,
    /// Object `x` is called so: a text follows.
    Label = 4,
    /// EDT `x` of work `y` was created by what runs on the thread: `a` parameters and `b` pre-slots (255 and 65535:
    /// that many or more), `c` is 1 for a finish EDT.
    Created = 8,
    /// Pre-slot `c` of EDT `x` is connected to event `y`, mode `a`.
    Linked = 9,
    /// Pre-slot `c` of EDT `x` is satisfied, with block `y` or nothing, mode `a`, by what runs on the thread.
    Satisfied = 10,
    /// EDT `x` waits for the end of EDT `y`, behind which it is enqueued on a device.
    Follows = 11,
    /// EDT `x` is runnable; the policy has put it at place `a` (255: the first that is free).
    Runnable = 12,
    /// EDT `x` that had no place has got `a`.
    Placed = 13,
    /// EDT `x` has got block `y`, for which it had to wait.
    Granted = 14,
    /// Block `y` is to be brought to place `a` for EDT `x`.
    Fetch = 15,
    /// All blocks of EDT `x` have been brought.
    Fetched = 16,
    /// The function of EDT `x` begins on the thread.
    Begin = 17,
    /// It has returned.
    End = 18,
    /// EDT `x` is given to device `a`, which knows it as `y`.
    Launched = 19,
    /// The kernel of EDT `x` on device `a` has been seen to end; what is satisfied next is so by its end.
    KernelEnd = 20,
    /// On device `a`, lane `b`: the kernel of the EDT known as `x` took the `y` ticks before.
    Kernel = 21,
    /// On device `a`: `y` bytes of block `x` were copied in the `c` sixteens of ticks before; `b` is 0: to the device,
    /// 1: from it.
    Copy = 22,
    /// Block `x` of `y` bytes is created.
    Block = 23,
    /// Block `x` is gone.
    BlockGone = 24,
    /// The thread, a worker, has no EDT to run.
    Idle = 25,
    /// It has one again.
    Busy = 26,
    /// Counter `a` ([`Counter`]), of place `b`, is `y`.
    Counter = 27,
    /// Place `a` was considered for EDT `x`. What the policy expected there, in units of 16 ns: `c` in queues, the higher half
    /// of `y` for copies, the lower half for its run. `b` is a [`Basis`].
    Estimate = 28,
}

impl Kind {
    /// Whether a text follows, of `c` bytes, in records of its own.
    pub(crate) fn has_text(self) -> bool {
        matches!(
            self,
            Kind::Thread | Kind::Template | Kind::Device | Kind::Label
        )
    }
}

/// On what an estimate rests, and what came of it: `b` of its record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Basis {
    /// How well the time of the run was known: a number of `sched::policy::Certainty`.
    pub(crate) certainty: u8,
    /// What was done with the EDT: a number of `sched::policy::Why`.
    pub(crate) why: u8,
    /// Whether this place was chosen.
    pub(crate) is_chosen: bool,
    /// Whether it is the first place of a choice.
    pub(crate) is_first: bool,
}

impl Basis {
    pub(crate) fn bits(self) -> u16 {
        u16::from(self.certainty & 3)
            | u16::from(self.why & 7) << 2
            | u16::from(self.is_chosen) << 5
            | u16::from(self.is_first) << 6
    }

    pub(crate) fn of(bits: u16) -> Basis {
        Basis {
            certainty: (bits & 3) as u8,
            why: (bits >> 2 & 7) as u8,
            is_chosen: bits >> 5 & 1 != 0,
            is_first: bits >> 6 & 1 != 0,
        }
    }
}

/// What a thread is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum ThreadRole {
    /// It runs EDTs.
    Worker = 1,
    /// It manages a device.
    Manager = 2,
    /// A thread of the program's.
    Program = 3,
}

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum Counter {
    /// EDTs that are ready and have no worker yet.
    Ready = 1,
    /// Launches that a device has not ended.
    Launches = 2,
    /// Bytes of buffers on a device.
    DeviceBytes = 3,
}

/// The place of an EDT that goes to the first that is free.
pub(crate) const UNDECIDED: u8 = u8::MAX;
