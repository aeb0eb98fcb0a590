//! Settings whose values are words. A word has one entry, by which it is read and shown.

use super::values::word;
use std::fmt;

/// Makes an enum of words. An entry has the value and its word, by which it is shown, and other words by which it is
/// read, too. In front of them stand the function that reads it, and what its error says of a text.
macro_rules! words {
    ($(
        $(#[$about:meta])*
        $name:ident, $parse:ident, $wrong:literal {
            $($(#[$meaning:meta])* $value:ident = $word:literal $(| $other:literal)*,)*
        }
    )*) => {$(
        $(#[$about])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum $name {
            $($(#[$meaning])* $value,)*
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self {
                    $($name::$value => $word,)*
                })
            }
        }

        pub(super) fn $parse(text: &str) -> Result<$name, String> {
            match &*word(text) {
                $($word $(| $other)* => Ok($name::$value),)*
                _ => Err(format!("\"{text}\" {}", $wrong)),
            }
        }
    )*};
}

words! {
    /// How much of what the program does is checked.
    Checks, parse_checks, "is none of strict, leaks, off" {
        /// Checks only what costs nothing.
        Off = "off" | "0",
        /// Strict mode, in which a misuse ends the program.
        Strict = "strict" | "1",
        /// Strict mode, in which it is an error to leave objects behind.
        Leaks = "leaks",
    }

    /// Whether workers and CPU devices get cores of their own.
    Bind, parse_bind, "is none of auto, fixed, cores, off" {
        /// As the policy has it: all cores are the workers', and CPU devices get some for as long as kernels use them;
        /// or as `Fixed`.
        Auto = "auto",
        /// Workers and CPU devices get cores of their own where both run EDTs.
        Fixed = "fixed",
        /// As `Fixed`, and each worker stays on one core of the workers'.
        Cores = "cores",
        /// All threads may run on all cores.
        Off = "off" | "0",
    }

    /// On which node an EDT is created that has no hint of that.
    Placing, parse_place, "is neither home nor round" {
        /// On that of its creator.
        Home = "home",
        /// On one node after the other.
        Round = "round",
    }

    /// Whether the process joins others as a node of one program.
    Nodes, parse_nodes, "is none of auto, 1, mpi: how many nodes there are is said to the launcher, as in mpirun -n 4" {
        /// Where a launcher has started several processes, and the library has the `main`.
        Auto = "auto",
        /// It does not.
        One = "1",
        /// Where a launcher has started several processes, whose `main` it may be, and where MPI knows of several.
        Mpi = "mpi",
    }
}

impl Checks {
    /// Whether strict mode is on.
    pub fn is_on(self) -> bool {
        self != Checks::Off
    }
}
