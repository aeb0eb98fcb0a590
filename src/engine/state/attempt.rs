//! An attempt: one run of an EDT, as its function or as a kernel, that may be undone. How far it has come, and what it
//! has done that others must not see before it ends. `engine/attempt` does what is decided here, and `engine/life` does
//! it where a kernel has failed.
//!
//! # Phases
//!
//! | phase | what comes | next phase | what is done |
//! |---|---|---|---|
//! | protected | a call that can be held | protected | it is noted |
//! | protected | a call that cannot be held | open, for that call | all that was noted is carried out; then the call |
//! | protected | the function returns | ended | all that was noted is carried out |
//! | protected | the function returns the first time, in verification mode | undone | the attempt is undone |
//! | protected | a crash by which the process can go on, and the EDT may run again | undone | the attempt is undone |
//! | protected | the function is beyond its time limit | undone, or protected | as with a crash |
//! | protected | another crash | protected | the process ends, and the crash is reported |
//! | open | a call | open | the call |
//! | open | the function returns | ended | nothing more |
//! | open | a crash | open | the process ends, and the crash is reported |
//! | protected | the kernel fails, and its blocks are as before; a [`FailedKernel`] says where the EDT can go | undone | the row of the next table |
//! | protected | the kernel fails, and its blocks are not as before | protected | the process ends, and the failure is reported |
//! | undone | the function is called again, or the kernel is launched | protected | the attempt has the next number |
//!
//! A kernel that runs is *protected* without a step: what it writes does not count before it has ended well
//! (`device/opencl/settle.rs`). When it has failed, the first of these rows counts that holds:
//!
//! | what is the case | what is done |
//! |---|---|
//! | the EDT has a function | that is called |
//! | a device on which it has not failed has a kernel for it | the kernel runs there |
//! | fewer attempts have failed than may run again, and the device is not lost | the kernel runs where it has failed |
//! | else | the process ends, and all failures are reported |
//!
//! The first two hold without the setting, too, and however many attempts have failed: the setting takes nothing away.
//! Failures of kernels and crashes of the function count together.
//!
//! In verification mode an attempt whose EDT cannot be repeated, since it has changed the program's global variables or
//! is written in Rust, is carried out like any other.

use crate::abi::{Api, sys};
use crate::config::Retry;
use crate::object::data_block::DataBlock;
use crate::object::edt::Mode;
use crate::object::guid::Guid;
use ocr_place::place::Place;
use std::collections::{HashMap, HashSet};

/// Why an attempt cannot be undone any more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WhyOpen {
    /// The EDT has called a function of the interface that cannot be held back.
    Called(Api),
    /// The EDT has made more calls than are held back.
    ManyCalls,
    /// Others hold a data block in RW mode that the EDT may write.
    Shares(Guid),
    /// There was no memory for a copy of what the EDT may write.
    NoMemory,
}

/// How far an attempt has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AttemptPhase {
    /// All that the function, or the kernel, has done can be undone.
    Protected,
    /// It cannot.
    Open(WhyOpen),
    /// What it has done is undone.
    Undone,
    /// The function has returned for good.
    Ended,
}

/// What is done when the function has returned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AfterReturn {
    /// What was noted is carried out.
    CarryOut,
    /// The attempt is undone, and the function is called again.
    Repeat,
    /// Nothing: that has been done.
    Nothing,
}

/// What is known of a kernel that has failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct FailedKernel {
    /// The blocks of the EDT are as they were before the kernel.
    pub(crate) is_intact: bool,
    /// The EDT has a function.
    pub(crate) has_function: bool,
    /// A device that has a kernel for the EDT which has not failed there.
    pub(crate) elsewhere: Option<Place>,
    /// The device is lost, so that nothing runs there any more.
    pub(crate) is_lost: bool,
}

/// What is done when a kernel has failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AfterFailure {
    /// The function of the EDT runs.
    Function,
    /// The kernel runs on another device.
    Elsewhere(Place),
    /// The kernel runs where it has failed.
    Again,
    /// The process ends.
    Report,
}

/// The attempts of an EDT: how far the last one has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct AttemptProgress {
    phase: AttemptPhase,
    retry: Retry,
    /// The number of this attempt, from 1.
    number: u32,
    /// How many of the attempts crashed, or were kernels that failed.
    failed: u32,
}

impl AttemptProgress {
    /// An EDT is about to run for the first time.
    pub(crate) fn begin(retry: Retry) -> AttemptProgress {
        AttemptProgress { phase: AttemptPhase::Protected, retry, number: 1, failed: 0 }
    }

    /// The function of a duplicate is about to run: a crash is left, and it does not run again.
    pub(crate) fn of_duplicate() -> AttemptProgress {
        AttemptProgress::begin(Retry::Times(1))
    }

    pub(crate) fn phase(&self) -> AttemptPhase {
        self.phase
    }

    pub(crate) fn is_protected(&self) -> bool {
        self.phase == AttemptPhase::Protected
    }

    /// The number of this attempt, from 1.
    pub(crate) fn number(&self) -> u32 {
        self.number
    }

    /// How many of the attempts crashed, or were kernels that failed, and were undone.
    pub(crate) fn failed(&self) -> u32 {
        self.failed
    }

    /// How many attempts there may be, or are by now, since a kernel runs in each place where it has not failed.
    pub(crate) fn most(&self) -> u32 {
        let most = match self.retry {
            Retry::Off => 1,
            Retry::Times(times) => times + 1,
            Retry::Verify => 2,
        };
        most.max(self.number)
    }

    /// Whether a crash may be undone, or a kernel run again where it has failed. In verification mode none is: the test
    /// is of EDTs that return.
    pub(crate) fn may_run_again(&self) -> bool {
        matches!(self.retry, Retry::Times(times) if self.failed < times) && self.is_protected()
    }

    /// Whether the run is in verification mode.
    pub(crate) fn is_verified(&self) -> bool {
        self.retry == Retry::Verify
    }

    /// Whether no attempt has failed, and a crash of this one would be undone.
    pub(crate) fn is_first_of_several(&self) -> bool {
        self.may_run_again() && self.failed == 0
    }

    /// The attempt cannot be undone from here on. Whether it could before, so that what was noted is to be carried out.
    pub(crate) fn open(&mut self, why: WhyOpen) -> bool {
        let was_protected = self.is_protected();
        if was_protected {
            self.phase = AttemptPhase::Open(why);
        }
        was_protected
    }

    /// Whether the return of this attempt will be one to be undone on purpose.
    pub(crate) fn is_trial(&self) -> bool {
        self.retry == Retry::Verify && self.number == 1 && self.is_protected()
    }

    /// The function has returned. `is_repeatable` is whether it has changed nothing that stays when it is undone.
    pub(crate) fn returns(&mut self, is_repeatable: bool) -> AfterReturn {
        match self.phase {
            AttemptPhase::Protected if self.is_trial() && is_repeatable => {
                self.phase = AttemptPhase::Undone;
                AfterReturn::Repeat
            }
            AttemptPhase::Protected => {
                self.phase = AttemptPhase::Ended;
                AfterReturn::CarryOut
            }
            AttemptPhase::Open(_) | AttemptPhase::Undone | AttemptPhase::Ended => {
                self.phase = AttemptPhase::Ended;
                AfterReturn::Nothing
            }
        }
    }

    /// The function has crashed, and the thread has left it.
    pub(crate) fn crashes(&mut self) {
        self.phase = AttemptPhase::Undone;
        self.failed += 1;
    }

    /// The kernel has failed.
    pub(crate) fn fails(&mut self, failure: FailedKernel) -> AfterFailure {
        let may_run_again = self.may_run_again() && !failure.is_lost;
        let after = match failure.elsewhere {
            _ if !failure.is_intact => return AfterFailure::Report,
            _ if failure.has_function => AfterFailure::Function,
            Some(place) => AfterFailure::Elsewhere(place),
            None if may_run_again => AfterFailure::Again,
            None => return AfterFailure::Report,
        };
        self.crashes();
        after
    }

    /// The function is called again, or the kernel is launched.
    pub(crate) fn again(&mut self) {
        self.phase = AttemptPhase::Protected;
        self.number += 1;
    }
}

/// The words of a call that is held: its arguments are GUIDs and numbers.
pub(crate) type HeldWords = [u64; 4];

/// What an attempt has asked for, in the order of the program. It is carried out at the end.
pub(crate) enum HeldStep {
    /// A call, and the function that makes it.
    Call {
        /// Makes the call.
        carry_out: fn(Api, &HeldWords),
        /// The function of the interface.
        api: Api,
        /// The arguments.
        words: HeldWords,
    },
    /// A new EDT gets a dependence that it was created with.
    Dependence {
        /// What the pre-slot is connected to.
        source: Guid,
        /// The new EDT.
        edt: Guid,
        /// The pre-slot.
        slot: u32,
        /// The mode in which the EDT gets a block.
        mode: Mode,
    },
    /// A new EDT may run when its pre-slots are satisfied.
    Start(Guid),
    /// A text is printed.
    Text(Box<[u8]>),
}

/// What an attempt has done with an object.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct TouchedObject {
    /// The attempt has created it.
    pub(crate) made: bool,
    /// A step that is held names it.
    pub(crate) named: bool,
    /// A step that is held destroys it.
    pub(crate) destroyed: bool,
    /// A step that is held satisfies it.
    pub(crate) satisfied: bool,
    /// What steps that are held add to the counter of a latch.
    pub(crate) counted: i64,
    /// A step that is held releases it.
    pub(crate) released: bool,
}

/// The content of a block before an attempt.
pub(crate) struct SavedBlock {
    pub(crate) block: &'static DataBlock,
    pub(crate) content: Vec<u8>,
}

/// The most steps that are held, and objects that are noted as created. A program that makes more in one EDT is not to
/// need as much memory again for that.
const MOST_HELD: usize = 1 << 18;

/// What the attempt of an EDT has to have at its end.
#[derive(Default)]
pub(crate) struct Attempt {
    /// What is carried out at the end.
    pub(crate) held: Vec<HeldStep>,
    /// The objects that the attempt has created, in that order.
    pub(crate) made: Vec<Guid>,
    /// What the attempt has done with objects.
    pub(crate) touched: HashMap<Guid, TouchedObject>,
    /// The pre-slots that steps which are held connect.
    pub(crate) connected: HashSet<(Guid, u32)>,
    /// The blocks that the EDT may write.
    pub(crate) saved: Vec<SavedBlock>,
    /// The blocks that the EDT holds in RW mode and has for itself until the attempt is over.
    pub(crate) alone: Vec<&'static DataBlock>,
    /// Whether the EDT that is being created is one that must not run before the end of the attempt.
    pub(crate) holds_new_edt: bool,
    /// In a duplicate, the blocks that it can release: those of its EDT that it has not released.
    pub(crate) releasable: Vec<Guid>,
}

impl Attempt {
    /// What the attempt has done with an object.
    pub(crate) fn touched(&self, guid: Guid) -> TouchedObject {
        self.touched.get(&guid).copied().unwrap_or_default()
    }

    /// Whether the attempt may hold one more step.
    pub(crate) fn has_room(&self) -> bool {
        self.held.len() + self.made.len() < MOST_HELD
    }

    /// Notes what the attempt does with an object.
    pub(crate) fn touch(&mut self, guid: Guid, note: impl FnOnce(&mut TouchedObject)) {
        note(self.touched.entry(guid).or_default());
    }

    /// Notes that the attempt has created an object.
    pub(crate) fn make(&mut self, guid: Guid) {
        self.made.push(guid);
        self.touch(guid, |touched| *touched = TouchedObject { made: true, ..TouchedObject::default() });
    }

    /// Notes that a step which is held satisfies an event, or a pre-slot of an EDT.
    pub(crate) fn satisfy(&mut self, object: Guid, slot: u32) {
        if object.is_edt() {
            self.connected.insert((object, slot));
        } else {
            let step = if slot == sys::OCR_EVENT_LATCH_INCR_SLOT { 1 } else { -1 };
            self.touch(object, |touched| {
                touched.satisfied = true;
                touched.counted += step;
            });
        }
    }

    /// The texts that are held.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &[u8]> {
        self.held.iter().filter_map(|step| match step {
            HeldStep::Text(text) => Some(&**text),
            _ => None,
        })
    }

    /// Forgets all that was noted of calls.
    pub(crate) fn forget_calls(&mut self) {
        self.held.clear();
        self.made.clear();
        self.touched.clear();
        self.connected.clear();
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    const CALL: WhyOpen = WhyOpen::Called(Api::ocrWait);

    #[test]
    fn an_attempt_that_returns_is_carried_out_once() {
        let mut progress = AttemptProgress::begin(Retry::Times(2));
        assert!(progress.is_protected());
        assert_eq!(progress.returns(true), AfterReturn::CarryOut);
        assert_eq!(progress.phase(), AttemptPhase::Ended);
        assert_eq!(progress.returns(true), AfterReturn::Nothing);
    }

    #[test]
    fn a_call_that_cannot_be_held_opens_it_once() {
        let mut progress = AttemptProgress::begin(Retry::Times(2));
        assert!(progress.open(CALL));
        assert!(!progress.open(WhyOpen::ManyCalls), "what was held is carried out once");
        assert_eq!(progress.phase(), AttemptPhase::Open(CALL));
        assert!(!progress.may_run_again());
        assert_eq!(progress.returns(true), AfterReturn::Nothing);
    }

    #[test]
    fn a_crash_is_undone_as_often_as_the_setting_says() {
        let mut progress = AttemptProgress::begin(Retry::Times(2));
        for number in 1..=2 {
            assert_eq!(progress.number(), number);
            assert!(progress.may_run_again());
            assert_eq!(progress.is_first_of_several(), number == 1);
            progress.crashes();
            assert_eq!((progress.phase(), progress.may_run_again()), (AttemptPhase::Undone, false));
            progress.again();
        }
        assert_eq!((progress.number(), progress.most(), progress.failed()), (3, 3, 2));
        assert!(progress.is_protected());
        assert!(!progress.may_run_again(), "the third is the last");
        assert_eq!(progress.returns(true), AfterReturn::CarryOut);
    }

    #[test]
    fn an_attempt_after_a_crash_may_open_and_is_not_undone_then() {
        let mut progress = AttemptProgress::begin(Retry::Times(5));
        progress.crashes();
        progress.again();
        assert!(progress.open(CALL));
        assert!(!progress.may_run_again());
    }

    #[test]
    fn verification_undoes_the_first_return_alone() {
        let mut progress = AttemptProgress::begin(Retry::Verify);
        assert!(progress.is_trial());
        assert!(!progress.may_run_again(), "a crash is reported");
        assert_eq!(progress.returns(true), AfterReturn::Repeat);
        progress.again();
        assert!(!progress.is_trial());
        assert_eq!(progress.returns(true), AfterReturn::CarryOut);
    }

    #[test]
    fn verification_leaves_what_cannot_be_repeated() {
        let mut progress = AttemptProgress::begin(Retry::Verify);
        assert_eq!(progress.returns(false), AfterReturn::CarryOut);
        let mut progress = AttemptProgress::begin(Retry::Verify);
        progress.open(CALL);
        assert!(!progress.is_trial());
        assert_eq!(progress.returns(true), AfterReturn::Nothing);
    }

    #[test]
    fn without_the_setting_nothing_runs_again() {
        let progress = AttemptProgress::begin(Retry::Off);
        assert!(!progress.may_run_again() && !progress.is_trial());
        assert_eq!(progress.most(), 1);
    }

    const FAILURE: FailedKernel =
        FailedKernel { is_intact: true, has_function: false, elsewhere: None, is_lost: false };

    #[test]
    fn a_kernel_runs_again_where_it_has_failed_as_often_as_the_setting_says() {
        for times in [0, 1, 3] {
            let retry = if times == 0 { Retry::Off } else { Retry::Times(times) };
            let mut progress = AttemptProgress::begin(retry);
            for number in 1..=times {
                assert_eq!(progress.fails(FAILURE), AfterFailure::Again);
                assert_eq!(progress.phase(), AttemptPhase::Undone);
                progress.again();
                assert_eq!((progress.number(), progress.failed()), (number + 1, number));
            }
            assert_eq!(progress.fails(FAILURE), AfterFailure::Report);
        }
        assert_eq!(AttemptProgress::begin(Retry::Verify).fails(FAILURE), AfterFailure::Report);
    }

    #[test]
    fn a_kernel_goes_where_it_has_not_failed_whatever_the_setting_is() {
        let other = Place::device(1);
        for retry in [Retry::Off, Retry::Times(1), Retry::Verify] {
            let mut progress = AttemptProgress::begin(retry);
            for _ in 0..3 {
                let elsewhere = Some(other);
                assert_eq!(progress.fails(FailedKernel { elsewhere, ..FAILURE }), AfterFailure::Elsewhere(other));
                progress.again();
                let both = FailedKernel { elsewhere, has_function: true, ..FAILURE };
                assert_eq!(progress.fails(both), AfterFailure::Function);
                progress.again();
            }
            assert!(progress.most() >= progress.number());
        }
    }

    #[test]
    fn nothing_runs_on_a_device_that_is_lost_and_nothing_half_written_is_used() {
        let mut progress = AttemptProgress::begin(Retry::Times(3));
        assert_eq!(progress.fails(FailedKernel { is_lost: true, ..FAILURE }), AfterFailure::Report);
        let half = FailedKernel { is_intact: false, has_function: true, ..FAILURE };
        assert_eq!(progress.fails(half), AfterFailure::Report);
        assert_eq!((progress.failed(), progress.phase()), (0, AttemptPhase::Protected));
    }

    #[test]
    fn crashes_count_with_the_failures_of_kernels() {
        let mut progress = AttemptProgress::begin(Retry::Times(2));
        assert_eq!(progress.fails(FailedKernel { has_function: true, ..FAILURE }), AfterFailure::Function);
        progress.again();
        assert!(progress.may_run_again() && !progress.is_first_of_several());
        progress.crashes();
        progress.again();
        assert!(!progress.may_run_again());
        assert_eq!((progress.number(), progress.most()), (3, 3));
    }

    #[test]
    fn a_new_object_is_not_what_had_its_guid_before() {
        let mut attempt = Attempt::default();
        let guid = Guid::from_bits(7);
        attempt.touch(guid, |touched| touched.destroyed = true);
        attempt.make(guid);
        assert_eq!(attempt.touched(guid), TouchedObject { made: true, ..TouchedObject::default() });
        attempt.forget_calls();
        assert_eq!(attempt.touched(guid), TouchedObject::default());
        assert!(attempt.made.is_empty());
    }
}
