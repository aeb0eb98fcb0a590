//! How the runtime speaks to people: errors, warnings and notes, once or each time.
//!
//! Every message goes to the standard error in one piece, since other processes may write there, too. Where it cannot
//! be written, as on a full disk, the program goes on without: `eprint!` would end it, and so would a signal.
//!
//! | macro | the line that it writes |
//! |---|---|
//! | `error!` | `ocr: error: …` |
//! | `warning!`, `warning_once!` | `ocr: warning: …` |
//! | `note!`, `note_once!` | `ocr: note: …` |
//! | `strict_note!`, `strict_note_once!` | `ocr: note: strict mode: …` |
//! | `say_line!` | a line that goes on with a message, or has its prefix already |
//! | `say_text!` | a text of several lines, as a report is |
//!
//! A macro whose name ends in `once` speaks once in a process for each place in the source, and adds that more of the
//! kind is not reported. It is given whole sentences, and evaluates them only when it speaks. What ends the program is
//! said by `engine::state::fatal`. Signal handlers make their messages by `message`, without memory.

use crate::message::has_standard_error;
use ocr_base::output_file::without_signals;
use std::fmt;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

/// Writes a text to the standard error, in one piece.
pub(crate) fn tell_text(text: &str) {
    if !has_standard_error() {
        return;
    }
    let _ = without_signals(|| std::io::stderr().write_all(text.as_bytes()));
}

/// Writes a line to the standard error, in one piece.
pub(crate) fn tell(line: fmt::Arguments) {
    tell_text(&format!("{line}\n"));
}

/// What is said once in a process.
pub(crate) struct SaidOnce(AtomicBool);

impl SaidOnce {
    pub(crate) const fn new() -> SaidOnce {
        SaidOnce(AtomicBool::new(false))
    }

    /// Whether this is the first call.
    pub(crate) fn is_first(&self) -> bool {
        !self.0.swap(true, Ordering::Relaxed)
    }
}

macro_rules! say_text {
    ($text:expr) => {
        crate::diag::tell_text(AsRef::<str>::as_ref(&$text))
    };
}

macro_rules! say_line {
    ($($line:tt)*) => {
        crate::diag::tell(format_args!($($line)*))
    };
}

macro_rules! error {
    ($($message:tt)*) => {
        say_line!("ocr: error: {}", format_args!($($message)*))
    };
}

macro_rules! warning {
    ($($message:tt)*) => {
        say_line!("ocr: warning: {}", format_args!($($message)*))
    };
}

macro_rules! note {
    ($($message:tt)*) => {
        say_line!("ocr: note: {}", format_args!($($message)*))
    };
}

macro_rules! strict_note {
    ($($message:tt)*) => {
        note!("strict mode: {}", format_args!($($message)*))
    };
}

macro_rules! once {
    ($speak:ident!($($message:tt)*)) => {{
        static FIRST: crate::diag::SaidOnce = crate::diag::SaidOnce::new();
        if FIRST.is_first() {
            $speak!("{} More of this kind is not told.", format_args!($($message)*));
        }
    }};
}

macro_rules! warning_once {
    ($($message:tt)*) => {
        once!(warning!($($message)*))
    };
}

macro_rules! note_once {
    ($($message:tt)*) => {
        once!(note!($($message)*))
    };
}

macro_rules! strict_note_once {
    ($($message:tt)*) => {
        once!(strict_note!($($message)*))
    };
}

#[cfg(test)]
mod tests {
    use super::SaidOnce;

    #[test]
    fn a_place_in_the_source_speaks_once() {
        let mut spoken = 0;
        for _ in 0..3 {
            warning_once!("{} times.", {
                spoken += 1;
                spoken
            });
        }
        assert_eq!(spoken, 1);
        let once = SaidOnce::new();
        assert!(once.is_first());
        assert!(!once.is_first());
    }
}
