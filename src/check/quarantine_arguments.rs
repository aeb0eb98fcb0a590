//! `paramv` and `depv` of EDTs that have ended, kept for a while to find uses of a pointer that has outlived its EDT.
//!
//! The arrays are filled with a pattern: an EDT that reads them gets no number that it takes for its own. A write is
//! found later, when they leave here for others, or at the end of the program.

use super::history::Who;
use super::{Check, Misuse, rules};
use parking_lot::Mutex;
use std::collections::VecDeque;

/// What they are filled with.
pub(crate) const OUTLIVED: u8 = 0xb7;
const PATTERN: u64 = u64::from_ne_bytes([OUTLIVED; 8]);
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
            // SAFETY: a word of a vector that lives.
            unsafe { std::ptr::read_volatile(word) }
        };
        self.words.iter().any(|word| read(word) != PATTERN)
    }
}

/// The arrays that are kept, and how many words they have.
#[derive(Default)]
pub(super) struct Outlived(Mutex<(VecDeque<Array>, usize)>);

impl Check {
    /// The memory of what the function of an EDT, which has returned, got as `name`.
    pub(crate) fn outlived(
        &self,
        who: Who,
        name: &'static str,
        mut words: Vec<u64>,
    ) -> Result<(), Box<Misuse>> {
        words.fill(PATTERN);
        let mut kept = self.outlived.0.lock();
        let (arrays, sum) = &mut *kept;
        *sum += words.len();
        arrays.push_back(Array { who, name, words });
        while *sum > WORDS_KEPT
            && let Some(oldest) = arrays.pop_front()
        {
            *sum -= oldest.words.len();
            if oldest.disturbed() {
                return Err(self.wrote_outlived(&oldest));
            }
        }
        Ok(())
    }

    /// The program ends.
    pub(crate) fn visit_outlived(&self) -> Result<(), Box<Misuse>> {
        let kept = self.outlived.0.lock();
        match kept.0.iter().find(|array| array.disturbed()) {
            Some(array) => Err(self.wrote_outlived(array)),
            None => Ok(()),
        }
    }

    fn wrote_outlived(&self, array: &Array) -> Box<Misuse> {
        let &Array { who, name, .. } = array;
        let seen = "seen later".to_string();
        self.by_edt(who, seen, &[], rules::OutlivedArgument { name, who })
    }
}
