//! What is wrong with a call that returns no status: for the storage of an EDT, or about a pause. What no call may do:
//! behind `ocrShutdown`, in a range function, with properties that are none.

use crate::abi::{Api, sys};
use crate::check::calls::CallSpec;
use crate::check::history::Who;
use crate::check::rules;
use crate::check::{CallRecord, Check, Misuse};
use crate::object::guid::Guid;

impl Check {
    /// A function for the storage of the calling EDT, where there is none such.
    pub(in crate::check) fn wrong_storage(&self, call: &CallRecord<'_>) -> Option<Box<Misuse>> {
        if call.act.who.edt.is_null() {
            return Some(self.by_call(call, &[], rules::StorageOutside));
        }
        let (slot, slots) = (call.number(0), u64::from(sys::ELS_USER_SIZE));
        let has_slot = matches!(call.spec.api, Api::ocrElsUserGet | Api::ocrElsUserSet);
        (has_slot && slot >= slots).then(|| {
            let last = slots - 1;
            self.by_call(call, &[], rules::NoSuchStorage { slot, last })
        })
    }

    /// Explains `ocrQuery` or `ocrResume` by a thread that has not paused the runtime.
    pub(crate) fn not_paused(&self, call: &CallRecord<'_>) -> Option<Box<Misuse>> {
        match call.spec.api {
            Api::ocrQuery => Some(self.by_call(call, &[], rules::AskedUnpaused)),
            _ if call.number(0) != 0 => Some(self.by_call(call, &[], rules::ResumedUnpaused)),
            _ => None,
        }
    }

    /// An EDT, `who`, has paused the runtime, and ended.
    pub(crate) fn never_resumed(&self, who: Who) -> Box<Misuse> {
        self.by_edt(who, format!("seen at the end of {who}"), &[], rules::NeverResumed)
    }

    /// A call in the function that says how many work-items an EDT has.
    pub(crate) fn in_range_function(&self, call: &CallSpec, who: Who, edt: Guid) -> Box<Misuse> {
        let name = self.history.name(edt);
        let seen = format!("seen in {}, in the range function for {name}", call.shown());
        self.by_edt(who, seen, &[edt], rules::RangeFunctionCalls)
    }

    pub(in crate::check) fn after_shutdown(&self, call: &CallRecord<'_>) -> Box<Misuse> {
        self.by_call(call, &[], rules::AfterShutdown)
    }

    pub(in crate::check) fn unknown_property(&self, call: &CallRecord<'_>, at: usize, unknown: u32) -> Box<Misuse> {
        let (name, unknown) = (call.spec.args[at].0, format!("{unknown:x}"));
        self.by_call(call, &[], rules::UnknownProperty { name, unknown })
    }
}
