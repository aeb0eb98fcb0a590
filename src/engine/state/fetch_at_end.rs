//! The fetch of a block's content from a device at the end of a run, for which the end waits.

use crate::device::DeviceError;
use ocr_base::lock::{Condvar, Mutex, rank};

/// The token of a fetch that no EDT asks for; no EDT has it.
pub(crate) const FETCH_AT_END: usize = 0;

/// The fetch that the end of a run waits for.
#[derive(Default)]
pub(crate) struct FetchAtEnd {
    answer: Mutex<rank::FetchAtEnd, Option<Result<(), DeviceError>>>,
    changed: Condvar,
}

impl FetchAtEnd {
    pub(crate) fn wait(&self, ask: impl FnOnce()) -> Result<(), DeviceError> {
        ask();
        let mut answer = self.answer.lock();
        loop {
            match answer.take() {
                Some(answer) => return answer,
                None => self.changed.wait(&mut answer),
            }
        }
    }

    /// Stores the answer to the fetch.
    pub(crate) fn answered(&self, answer: Result<(), DeviceError>) {
        *self.answer.lock() = Some(answer);
        self.changed.notify_one();
    }
}
