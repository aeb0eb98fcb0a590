//! What a policy reports to a recorded run of its choices: each place that it considered for an EDT, with what it
//! expected there. Policies that do not estimate times report nothing.

use crate::place::Place;

/// How long an EDT is expected to wait and to run in a place, in nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Expected {
    /// Nanoseconds from now until a unit of the place is free for the EDT.
    pub queue_ns: u64,
    /// Nanoseconds from now until the EDT's blocks are in the place.
    pub copy_ns: u64,
    /// Nanoseconds that the EDT runs then; none where its time in the place is not known.
    pub run_ns: Option<u64>,
}

impl Expected {
    /// The number by which policies compare places: nanoseconds from now until the EDT has ended, and a fifth of the
    /// time of its copies. None where its time in the place is not known.
    pub fn end_ns(&self) -> Option<u64> {
        // A fifth in favour of the place where the blocks are: a block that moves leaves the caches, and has to come
        // back for other EDTs.
        Some(self.queue_ns.max(self.copy_ns) + self.run_ns? + self.copy_ns / 5)
    }
}

/// Defines an enumeration whose numbers stand in recordings, and its function `of` that finds a value by its number.
macro_rules! numbered {
    ($(#[$doc:meta])* $name:ident { $($(#[$of:meta])* $variant:ident = $number:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
        #[repr(u8)]
        pub enum $name {
            $($(#[$of])* $variant = $number,)*
        }

        impl $name {
            /// The value that has this number in a recording. None for an unknown number.
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
        /// Nothing is known of its time.
        Unknown = 0,
        /// The time is that of a hint of the program, of a launch in which the kernel may have been compiled, of EDTs
        /// with other parameters, or the middle of what the speeds of the places allow.
        Guessed = 1,
        /// The time follows from EDTs of the same template whose blocks have other sizes.
        Derived = 2,
        /// The time is that of EDTs of the same template whose blocks have as many bytes.
        Measured = 3,
    }
}

numbered! {
    /// What a policy has done with an EDT.
    Why {
        /// The EDT runs at once on the host, since it is shorter than placing it would take, and no device is known to
        /// be faster. Queues and copies were not looked at.
        Short = 0,
        /// The EDT waits for the place where it should end first.
        Planned = 1,
        /// The EDT waits for the first place that may take it, since its time is not known everywhere, or places differ
        /// by less than their times scatter.
        Open = 2,
        /// When the EDT's turn came, the EDT went to another place, where it should end sooner by then.
        Moved = 3,
        /// A place without work took the EDT from the line of another place, since the EDT should end sooner there.
        Taken = 4,
        /// A place took the EDT to find out its time there, or whether that is still so, since not to know it was
        /// expected to cost more.
        Tried = 5,
        /// The EDT went at once where its variant uses the cores better that workers and a CPU device share. Queues and
        /// copies were not looked at.
        Cores = 6,
    }
}

/// A place that a policy considered for an EDT.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Considered {
    /// The token of the EDT, by which a policy and the runtime name it to each other.
    pub edt: usize,
    /// The place that was considered.
    pub place: Place,
    /// How long the EDT was expected to wait and to run there.
    pub expected: Expected,
    /// How well the EDT's time there was known.
    pub certainty: Certainty,
    /// Where the time is the middle of what the policy takes for possible: by how many times it may be less or more. 1
    /// where the policy does not ask that.
    pub factor: f64,
    /// What was done with the EDT.
    pub why: Why,
    /// Whether this place was chosen.
    pub is_chosen: bool,
    /// Whether this is the first place of a choice. The other places of the choice follow it.
    pub is_first: bool,
}
