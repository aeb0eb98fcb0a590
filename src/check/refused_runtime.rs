//! What is wrong with a call that returns no status: for the storage of an EDT, or about a pause. And with
//! one that waits while the runtime is paused.

use super::calls::LOCAL_SLOTS;
use super::history::Who;
use super::{CallRecord, Check, Misuse};

impl Check {
    /// A function for the storage of the calling EDT, where there is none such.
    pub(super) fn wrong_storage(&self, made: &CallRecord<'_>) -> Option<Box<Misuse>> {
        if made.act.who.edt.is_null() {
            return Some(self.by_call(
                made,
                "no EDT runs here".into(),
                &[],
                "the storage is that of the calling EDT",
                "Call it in an EDT's function. Threads of the program have no such storage: use a variable \
                 that is thread-local.",
            ));
        }
        let (name, _) = made.call.args[0];
        (name == "offset" && made.number(0) >= LOCAL_SLOTS).then(|| {
            self.by_call(
                made,
                format!("there is no slot {}", made.number(0)),
                &[],
                "offset is less than ELS_USER_SIZE",
                &format!("An EDT has the slots 0 to {}.", LOCAL_SLOTS - 1),
            )
        })
    }

    /// `ocrQuery` or `ocrResume`, by who has not paused the runtime.
    pub(crate) fn not_paused(&self, made: &CallRecord<'_>) -> Option<Box<Misuse>> {
        let asks = made.call.name == "ocrQuery";
        (asks || made.number(0) != 0).then(|| {
            self.by_call(
                made,
                "the caller has not paused the runtime, or has resumed it".into(),
                &[],
                if asks { "who asks has paused the runtime" } else { "who has paused the runtime resumes it, once" },
                "ocrPause returns 1 to the EDT or thread that has paused the runtime, and 0 if somebody \
                 else has: ask only after a 1, and pass on to ocrResume what it returned.",
            )
        })
    }

    /// This EDT has paused the runtime, and ended.
    pub(crate) fn never_resumed(&self, who: Who) -> Box<Misuse> {
        self.by_edt(
            who,
            format!("seen at the end of {who}"),
            "an EDT has ended without ocrResume after its ocrPause".to_string(),
            &[],
            "who has paused the runtime resumes it, in the same EDT (see extensions/ocr-pause.h)",
            "Call ocrResume, with what ocrPause returned, before the EDT returns.",
        )
    }

    /// A thread that has paused the runtime was to wait.
    pub(super) fn waits_paused(&self, made: &CallRecord<'_>) -> Box<Misuse> {
        self.by_call(
            made,
            "the caller has paused the runtime".into(),
            &[made.guid(0)],
            "who has paused the runtime waits for nothing: no EDT runs that could satisfy the event (see \
             extensions/ocr-pause.h)",
            "Call ocrResume before.",
        )
    }
}
