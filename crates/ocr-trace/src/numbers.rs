//! What numbers in records mean that the runtime and readers share: modes of blocks, kinds of events, generations of
//! GUIDs, and the names that works of the runtime have.

/// How many bits of a GUID hold the generation of the slot.
pub const GENERATION_BITS: u32 = 27;
/// Generations from here on, which have the highest bit, are those of labels: slots that are set apart for GUIDs that
/// the program knows before there is an object (see `src/object/guid.rs`). Others never come so far.
pub const FIRST_LABEL_GENERATION: u32 = 1 << (GENERATION_BITS - 1);
/// The bits of a generation.
pub const GENERATION_MASK: u64 = (1 << GENERATION_BITS) - 1;
/// The bit of these that labels have, and that objects have not which a node makes for another one.
pub const OF_LABEL: u32 = FIRST_LABEL_GENERATION >> 1;

/// Whether the object of this generation was made by a node for another one.
#[inline]
pub fn is_made_for_other(generation: u32) -> bool {
    generation >= FIRST_LABEL_GENERATION && generation & OF_LABEL == 0
}

/// Whether the GUID of an object, by its bits, is a label: what it names may not be there yet, or be there again.
#[inline]
pub fn is_label(guid: u64) -> bool {
    (guid >> 32 & GENERATION_MASK) as u32 >= FIRST_LABEL_GENERATION | OF_LABEL
}

/// How an EDT uses a data block: `ocrDbAccessMode_t`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
#[repr(u8)]
pub enum Mode {
    /// A control dependence: the block is not acquired and the EDT does not see it.
    Null = 0,
    /// `DB_MODE_CONST`: it reads, and no other EDT writes meanwhile.
    Const = 1,
    /// `DB_MODE_RW`: it reads and writes, and so may others.
    Rw = 2,
    /// `DB_MODE_EW`: it writes, and no other EDT does meanwhile.
    Ew = 4,
    /// `DB_MODE_RO`: it reads, and others may write.
    Ro = 8,
}

/// The modes by their numbers; of 16, so that four bits need no comparison.
static MODES: [Option<Mode>; 16] = {
    let mut modes = [None; 16];
    modes[Mode::Null as usize] = Some(Mode::Null);
    modes[Mode::Const as usize] = Some(Mode::Const);
    modes[Mode::Rw as usize] = Some(Mode::Rw);
    modes[Mode::Ew as usize] = Some(Mode::Ew);
    modes[Mode::Ro as usize] = Some(Mode::Ro);
    modes
};

impl Mode {
    /// The mode with the number of `ocrDbAccessMode_t`.
    #[inline]
    pub fn from_bits(bits: u32) -> Option<Mode> {
        MODES.get(bits as usize).copied().flatten()
    }

    /// The name of the mode in the C headers.
    #[inline]
    pub fn name(self) -> &'static str {
        match self {
            Mode::Null => "DB_MODE_NULL",
            Mode::Const => "DB_MODE_CONST",
            Mode::Rw => "DB_MODE_RW",
            Mode::Ew => "DB_MODE_EW",
            Mode::Ro => "DB_MODE_RO",
        }
    }

    /// Whether the EDT may write.
    #[inline]
    pub fn writes(self) -> bool {
        matches!(self, Mode::Rw | Mode::Ew)
    }

    /// Whether an EDT that is to get a block in another mode has to wait while one has it in this mode.
    #[inline]
    pub fn excludes(self, other: Mode) -> bool {
        use Mode::*;
        matches!((self, other), (Ew, Ew | Rw | Const) | (Rw, Ew | Const) | (Const, Ew | Rw))
    }

    /// One mode that allows what both allow and promises what both promise. The specification
    /// leaves different modes for one block on several slots undefined (2.8.1); this is kind.
    #[inline]
    pub fn combined(self, other: Mode) -> Mode {
        use Mode::*;
        match (self, other) {
            (mode, Null) | (Null, mode) => mode,
            (a, b) if a == b => a,
            (Ew, _) | (_, Ew) | (Rw, Const) | (Const, Rw) => Ew,
            (Rw, _) | (_, Rw) => Rw,
            _ => Const,
        }
    }
}

/// The kinds of events: the values of `ocrEventTypes_t`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum EventKind {
    /// `OCR_EVENT_ONCE_T`: triggers on its satisfaction, and is gone then.
    Once = 1,
    /// `OCR_EVENT_IDEM_T`: triggers on its first satisfaction, and ignores later ones.
    Idempotent = 2,
    /// `OCR_EVENT_STICKY_T`: triggers once, and serves late dependences until it is destroyed.
    Sticky = 3,
    /// `OCR_EVENT_LATCH_T`: triggers when its counter comes to zero, and is gone then.
    Latch = 4,
    /// `OCR_EVENT_COUNTED_T`: is gone when it has served a number of dependences.
    Counted = 5,
    /// `OCR_EVENT_CHANNEL_T`: pairs the k-th satisfaction with the k-th dependence.
    Channel = 6,
    /// `OCR_EVENT_COLLECTIVE_T`: combines contributions, generation by generation.
    Collective = 7,
}

impl EventKind {
    /// The kind with the number of `ocrEventTypes_t`.
    #[inline]
    pub fn from_bits(bits: u32) -> Option<EventKind> {
        Some(match bits {
            1 => EventKind::Once,
            2 => EventKind::Idempotent,
            3 => EventKind::Sticky,
            4 => EventKind::Latch,
            5 => EventKind::Counted,
            6 => EventKind::Channel,
            7 => EventKind::Collective,
            _ => return None,
        })
    }

    /// What messages call an event of this kind.
    #[inline]
    pub fn name(self) -> &'static str {
        match self {
            EventKind::Once => "once event",
            EventKind::Idempotent => "idempotent event",
            EventKind::Sticky => "sticky event",
            EventKind::Latch => "latch event",
            EventKind::Counted => "counted event",
            EventKind::Channel => "channel event",
            EventKind::Collective => "collective event",
        }
    }
}

/// What the EDTs of a work run for: for the program, or for a call that the runtime brings to its end by an EDT.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum WorkKind {
    /// The program has created the EDTs.
    Program,
    /// `mainEdt`, which the runtime creates.
    Main,
    /// The EDTs copy blocks for `ocrDbCopy`.
    Copy,
    /// The EDTs divide a block, or bring its parts back, for `ocrDbPartition`.
    Partition,
    /// An EDT that stands for a thread which waits in `ocrLegacyBlockProgress`, and does not run.
    Waiter,
    /// The writing of a destroyed chunk to its file.
    Writer,
    /// An EDT that stands for something on another node, and does not run.
    Elsewhere,
}

impl WorkKind {
    /// The call that such an EDT serves, for messages; empty for the program's own.
    #[inline]
    pub fn call(self) -> &'static str {
        match self {
            WorkKind::Program | WorkKind::Main => "",
            WorkKind::Copy => "ocrDbCopy",
            WorkKind::Partition => "ocrDbPartition",
            WorkKind::Waiter => "ocrLegacyBlockProgress",
            WorkKind::Writer => "ocrDbDestroy of a chunk of a file",
            WorkKind::Elsewhere => "another node",
        }
    }

    /// Whether it does what the program has asked a block to do: the history shows such EDTs as calls.
    #[inline]
    pub fn is_of_a_block_call(self) -> bool {
        matches!(self, WorkKind::Copy | WorkKind::Partition)
    }
}
