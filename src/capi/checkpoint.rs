//! `extensions/ocr-checkpoint.h`: ask for a checkpoint of the run.

use crate::capi::with;
use crate::status::Status;

export! {
    /// Asks for a checkpoint of the run. This runtime's own.
    fn ocrCheckpoint() -> u8, or Status::EFAULT; {
        with(Status::EPERM, |context| {
            let runtime = context.runtime;
            // Not where none is written: the reason was told when the run began.
            if runtime.checkpoints.thread.get().is_none() {
                return Status::ENOTSUP;
            }
            runtime.ask_for_checkpoint();
            Status::OK
        })
    }
}
