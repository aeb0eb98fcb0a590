//! `paramv` and `depv` of EDTs that have ended, kept for a while to find uses of a pointer that has outlived its EDT.
//!
//! The arrays are filled with a pattern: an EDT that reads them gets no number that it takes for its own. A write is
//! found later, when they leave here for others, or at the end of the program.

use super::history::Who;
use super::{Check, Misuse, rules};
use ocr_base::lock::{Mutex, rank};
use std::collections::VecDeque;

/// What they are filled with.
pub(crate) const ARGUMENT_QUARANTINE_BYTE: u8 = 0xb7;
const PATTERN: u64 = u64::from_ne_bytes([ARGUMENT_QUARANTINE_BYTE; 8]);
/// How much memory is kept, in words.
const WORDS_KEPT: usize = if cfg!(miri) { 1 << 10 } else { 1 << 19 };

struct Array {
    who: Who,
    name: &'static str,
    words: Vec<u64>,
}

impl Array {
    fn disturbed(&self) -> bool {
        // Volatile, since a program that misuses it may write there now.
        let read = |word| {
            // SAFETY: `word` is a reference to an element of `self.words`, so it is aligned and valid for a read.
            unsafe { std::ptr::read_volatile(word) }
        };
        self.words.iter().any(|word| read(word) != PATTERN)
    }
}

/// The arrays that are kept, and how many words they have.
#[derive(Default)]
pub(super) struct ArgumentQuarantine(Mutex<rank::QuarantinedArguments, (VecDeque<Array>, usize)>);

impl Check {
    /// The memory of what the function of an EDT, which has returned, got as `name`.
    pub(crate) fn quarantine_argument(
        &self,
        who: Who,
        name: &'static str,
        mut words: Vec<u64>,
    ) -> Result<(), Box<Misuse>> {
        words.fill(PATTERN);
        let mut kept = self.argument_quarantine.0.lock();
        let (arrays, sum) = &mut *kept;
        *sum += words.len();
        arrays.push_back(Array { who, name, words });
        while *sum > WORDS_KEPT
            && let Some(oldest) = arrays.pop_front()
        {
            *sum -= oldest.words.len();
            if oldest.disturbed() {
                return Err(self.wrote_arguments_after_end(&oldest));
            }
        }
        Ok(())
    }

    /// Looks at all that is kept, at the end of the program.
    pub(crate) fn verify_arguments_at_end(&self) -> Result<(), Box<Misuse>> {
        let kept = self.argument_quarantine.0.lock();
        match kept.0.iter().find(|array| array.disturbed()) {
            Some(array) => Err(self.wrote_arguments_after_end(array)),
            None => Ok(()),
        }
    }

    fn wrote_arguments_after_end(&self, array: &Array) -> Box<Misuse> {
        let &Array { who, name, .. } = array;
        let seen = "seen later".to_string();
        self.by_edt(who, seen, &[], rules::WrittenEndedArgument { name, who })
    }
}
