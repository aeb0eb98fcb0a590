//! What a policy says of its choices, where a run is recorded: each place that it considered for an EDT, with what it expected
//! there. Policies that do not estimate say nothing.

use crate::object::place::Place;

/// What an EDT is expected to need in a place, in nanoseconds from now.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Expected {
    /// Until a unit of the place is free for it.
    pub queue_ns: u64,
    /// Until its blocks are there.
    pub copy_ns: u64,
    /// How long it runs then; none where nothing is known of it.
    pub run_ns: Option<u64>,
}

impl Expected {
    /// In what time it has ended, as policies compare places; none where its time is not known.
    pub fn end_ns(&self) -> Option<u64> {
        // A block that moves leaves the caches, and has to come back for others: a fifth in favour of staying.
        Some(self.queue_ns.max(self.copy_ns) + self.run_ns? + self.copy_ns / 5)
    }
}

/// Makes an enumeration whose numbers stand in recordings.
macro_rules! numbered {
    ($(#[$doc:meta])* $name:ident { $($(#[$of:meta])* $variant:ident = $number:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
        #[repr(u8)]
        pub enum $name {
            $($(#[$of])* $variant = $number,)*
        }

        impl $name {
            /// What has this number in a recording.
            pub fn of(number: u8) -> Option<$name> {
                match number {
                    $($number => Some($name::$variant),)*
                    _ => None,
                }
            }
        }
    };
}

numbered! {
    /// How well it is known how long an EDT takes in a place.
    Certainty {
        /// Nothing is known.
        Unknown = 0,
        /// By a hint of the program, or by a launch in which the kernel may have been compiled.
        Guessed = 1,
        /// By EDTs of its template whose blocks have other sizes.
        Derived = 2,
        /// By EDTs of its template whose blocks have as many bytes.
        Measured = 3,
    }
}

numbered! {
    /// What a policy has done with an EDT.
    Why {
        /// It runs at once on the host: it is shorter than it takes to place it, and no device is known to be faster. Queues and
        /// copies were not looked at.
        Short = 0,
        /// It waits for the place where it should end first.
        Planned = 1,
        /// It waits for the first place that may take it, since its time is not known everywhere, or does not follow from the sizes
        /// of its blocks.
        Open = 2,
        /// Its turn came, and it went to another place, where it should end sooner by then.
        Moved = 3,
        /// A place without work took it from the line of another, since it should end sooner so.
        Taken = 4,
        /// A place took it although its time is not known everywhere.
        Tried = 5,
    }
}

/// A place that was considered for an EDT.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Considered {
    /// The EDT, as in [`super::Kept`].
    pub edt: usize,
    /// The place.
    pub place: Place,
    /// What was expected of it there.
    pub expected: Expected,
    /// How well its time there was known.
    pub certainty: Certainty,
    /// What was done with the EDT.
    pub why: Why,
    /// Whether this place was chosen.
    pub is_chosen: bool,
    /// Whether it is the first place of a choice: the others of it follow.
    pub is_first: bool,
}
