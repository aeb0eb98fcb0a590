//! Duplicates: EDTs whose kernel runs on a device and of which a worker calls the function, too (`OCR_DUPLICATES`).
//! What is known of each is here, and who of both comes first is decided here. The steps are in `life/duplicated.rs`.
//!
//! # Who comes first
//!
//! A kernel counts when its manager has taken what it has written (`device/opencl/settle.rs`), and a function when the
//! same manager has dealt with the message that the kernel is outrun (`device/opencl/outrun.rs`). Both are done by the
//! one thread of the manager, so one of them is first. All other steps are made under one lock, which the answer to a
//! launch takes, too. So an EDT is in one of these phases:
//!
//! | phase | step | next phase | what is done |
//! |---|---|---|---|
//! | none | its kernel is launched | alone | |
//! | alone | the kernel is answered | none | as without duplicates |
//! | alone | a worker begins a duplicate | copied | the worker copies the blocks |
//! | alone | what the kernel has written is about to be in the blocks | none | as without duplicates |
//! | copied | the same | copied, stale | the copies are not used, since the worker may find what the kernel has written |
//! | copied | the kernel is answered | copied | the answer is kept, since the worker reads the blocks |
//! | copied | the copies are made, are not stale, and no answer was kept | both | the worker calls the function |
//! | copied, stale | the copies are made, and no answer was kept | none | the kernel goes on alone |
//! | copied | there is an answer | none | the worker does what the answer leads to |
//! | copied | there is no memory for copies, or another EDT shares a block | none | the kernel goes on alone |
//! | both | the kernel has ended well | none | the EDT ends; what the function does is in vain |
//! | both | the kernel has failed, and its blocks are as before | both | the answer is kept until the function ends |
//! | both | the kernel has failed, and its blocks are not | none | the process ends, and the failure is reported |
//! | both | the function returns, and no answer was kept | returned | the manager is told |
//! | both | the function returns, and the kernel has failed | returned | the EDT goes to the host |
//! | both | the function crashes, or cannot go on, and no answer was kept | none | the kernel goes on alone |
//! | both | the function crashes, or cannot go on, and the kernel has failed | none | what the failure leads to |
//! | returned | the kernel has ended well before the manager has dealt with that | none | the EDT ends; what the function did was in vain |
//! | returned | the kernel is outrun, or has failed | returned | the EDT goes to the host |
//! | returned | the EDT runs on the host | none | what the function has left becomes what the blocks contain |
//!
//! A function that is in vain finds its EDT gone, or with another number: another launch of the same slot. The message
//! to the manager is sent under the lock, while the EDT is there. So it comes before each launch of
//! another EDT that gets the slot, and names no such launch.

use crate::device::LaunchError;
use crate::engine::state::attempt::Attempt;
use crate::engine::state::chained::LaunchResult;
use crate::object::code::Code;
use crate::object::guid::Guid;
use ocr_base::lock::{Mutex, rank};
use ocr_place::model::Shape;
use ocr_place::place::Place;
use std::collections::{HashMap, HashSet};
use std::ptr;

/// What the function of a duplicate has left.
pub(crate) struct ReturnedFunction {
    /// What it has returned.
    pub(crate) result: Guid,
    /// What it has asked for, which is carried out if the duplicate counts.
    pub(crate) attempt: Box<Attempt>,
    /// What it has left in the blocks that its EDT may write.
    pub(crate) blocks: Vec<CopiedBlock>,
    /// How long it has taken, in nanoseconds.
    pub(crate) ns: u64,
}

/// As many bytes as the alignment of a block is at most.
#[derive(Clone, Copy)]
#[repr(C, align(128))]
pub(crate) struct Line(pub(crate) [u8; 128]);

/// A copy of a block, for the function of a duplicate alone.
pub(crate) struct CopiedBlock {
    /// The block.
    pub(crate) guid: Guid,
    /// Whether the EDT may write it.
    pub(crate) writes: bool,
    /// The content, aligned as that of a block. What is behind its end is anything.
    pub(crate) content: Vec<Line>,
    /// How many bytes it has.
    pub(crate) bytes: usize,
}

/// A kernel that is outrun, and runs on.
pub(crate) struct VainKernel {
    /// What its EDT did.
    pub(crate) work: &'static Code,
    /// By what its time is predicted.
    pub(crate) shape: Shape,
    /// The device.
    pub(crate) place: Place,
    /// The EDT, which has ended.
    pub(crate) edt: Guid,
}

/// What is done with the answer to a launch.
#[derive(Debug)]
pub(crate) enum AfterAnswer {
    /// What is done without duplicates. The flag: a duplicate is in vain.
    Goes(LaunchResult, bool),
    /// Nothing yet: a worker will see to it.
    Kept,
    /// The EDT goes to the host, where what its function has left counts, since its kernel has failed.
    Replaced(Box<LaunchError>),
}

/// What is done when the copies of a duplicate are made, or could not be.
#[derive(Debug)]
pub(crate) enum AfterCopy {
    /// The function is called.
    Runs,
    /// The kernel goes on alone.
    Alone,
    /// The kernel was answered meanwhile.
    Answered(LaunchResult),
}

/// What is done when the function of a duplicate has ended.
#[derive(Debug)]
pub(crate) enum AfterFunction {
    /// Nothing: the kernel was first.
    InVain,
    /// Nothing yet: the manager was told that the kernel is outrun.
    Told,
    /// Nothing: the kernel goes on alone.
    Alone,
    /// The EDT goes to the host, since its kernel has failed.
    Replaced(Box<LaunchError>),
    /// What follows when a kernel has failed.
    Failed(Box<LaunchError>),
}

/// How far an EDT with a kernel has come.
enum Phase {
    Alone,
    /// With the answer that was kept, and whether the copies are stale.
    Copied(Option<LaunchResult>, bool),
    Both(Option<Box<LaunchError>>),
    Returned(Box<ReturnedFunction>),
}

/// An EDT whose kernel was launched.
struct Launched {
    /// No other launch has it.
    number: u64,
    phase: Phase,
}

/// The EDTs whose kernels run, by tokens.
#[derive(Default)]
pub(crate) struct Duplicates {
    books: Mutex<rank::Duplicates, DuplicateBooks>,
}

#[derive(Default)]
struct DuplicateBooks {
    edts: HashMap<usize, Launched>,
    /// How many launches there were.
    launches: u64,
    /// The works of which no duplicates are made any more, by their addresses.
    refused: HashSet<usize>,
    /// The kernels that are outrun, and run on, by the numbers of their launches.
    vain: HashMap<u64, VainKernel>,
}

impl Duplicates {
    /// The kernel of an EDT that may run twice is about to be launched.
    pub(crate) fn launches(&self, token: usize, work: &Code) {
        let mut books = self.books.lock();
        if !books.refused.contains(&address(work)) {
            books.launches += 1;
            let number = books.launches;
            books.edts.insert(token, Launched { number, phase: Phase::Alone });
        }
    }

    /// A worker begins a duplicate: the number of the launch. The EDT stays until [`Duplicates::copied`]. None if the
    /// EDT is gone, or one that no duplicate is made of.
    pub(crate) fn begins(&self, token: usize) -> Option<u64> {
        let mut books = self.books.lock();
        let launched = books.edts.get_mut(&token).filter(|launched| matches!(launched.phase, Phase::Alone))?;
        launched.phase = Phase::Copied(None, false);
        Some(launched.number)
    }

    /// The blocks of an EDT were copied, or could not be.
    pub(crate) fn copied(&self, token: usize, are_copied: bool) -> AfterCopy {
        let mut books = self.books.lock();
        let Some(launched) = books.edts.get_mut(&token) else { return AfterCopy::Alone };
        let (answer, is_stale) = match &mut launched.phase {
            Phase::Copied(answer, is_stale) => (answer.take(), *is_stale),
            _ => (None, false),
        };
        if answer.is_none() && are_copied && !is_stale {
            launched.phase = Phase::Both(None);
            return AfterCopy::Runs;
        }
        books.edts.remove(&token);
        answer.map_or(AfterCopy::Alone, AfterCopy::Answered)
    }

    /// What the kernel of an EDT has written is about to become what its blocks contain: nobody is to copy them now.
    pub(crate) fn settles(&self, token: usize) {
        let mut books = self.books.lock();
        match books.edts.get_mut(&token).map(|launched| &mut launched.phase) {
            Some(Phase::Alone) => drop(books.edts.remove(&token)),
            Some(Phase::Copied(_, is_stale)) => *is_stale = true,
            _ => {}
        }
    }

    /// The launch of an EDT is answered.
    pub(crate) fn answered(&self, token: usize, answer: LaunchResult) -> AfterAnswer {
        let mut books = self.books.lock();
        let Some(launched) = books.edts.get_mut(&token) else { return AfterAnswer::Goes(answer, false) };
        match (&mut launched.phase, answer) {
            (Phase::Copied(kept, _), answer) => {
                *kept = Some(answer);
                AfterAnswer::Kept
            }
            (Phase::Both(kept), Err(error)) if error.inputs_intact => {
                *kept = Some(error);
                AfterAnswer::Kept
            }
            (Phase::Returned(_), Err(error)) if error.inputs_intact => AfterAnswer::Replaced(error),
            (phase, answer) => {
                let is_in_vain = !matches!(phase, Phase::Alone);
                books.edts.remove(&token);
                AfterAnswer::Goes(answer, is_in_vain)
            }
        }
    }

    /// The function of a duplicate has returned, or was left. `tell` tells the manager.
    pub(crate) fn ended(
        &self,
        (token, number): (usize, u64),
        returned: Option<Box<ReturnedFunction>>,
        tell: impl FnOnce(),
    ) -> AfterFunction {
        let mut books = self.books.lock();
        let Some(launched) = books.edts.get_mut(&token).filter(|launched| launched.number == number) else {
            return AfterFunction::InVain;
        };
        let failed = match &mut launched.phase {
            Phase::Both(failed) => failed.take(),
            _ => None,
        };
        match (returned, failed) {
            (Some(returned), failed) => {
                launched.phase = Phase::Returned(returned);
                if let Some(error) = failed {
                    return AfterFunction::Replaced(error);
                }
                tell();
                AfterFunction::Told
            }
            (None, failed) => {
                books.edts.remove(&token);
                failed.map_or(AfterFunction::Alone, AfterFunction::Failed)
            }
        }
    }

    /// Takes what the function of an EDT has left that goes on on the host.
    pub(crate) fn take(&self, token: usize) -> Option<Box<ReturnedFunction>> {
        let mut books = self.books.lock();
        if !matches!(books.edts.get(&token)?.phase, Phase::Returned(_)) {
            return None;
        }
        match books.edts.remove(&token)?.phase {
            Phase::Returned(returned) => Some(returned),
            _ => None,
        }
    }

    /// Has no duplicates be made of EDTs with this work any more. True the first time.
    pub(crate) fn refuse(&self, work: &Code) -> bool {
        self.books.lock().refused.insert(address(work))
    }

    /// The kernel of an EDT is outrun, and may run on: the number of its launch. None if the EDT is gone, which is a
    /// fault of the manager.
    pub(crate) fn outrun(&self, token: usize, kernel: VainKernel) -> Option<u64> {
        let mut books = self.books.lock();
        let number = books.edts.get(&token)?.number;
        books.vain.insert(number, kernel);
        Some(number)
    }

    /// Such a kernel has ended, or was not begun.
    pub(crate) fn take_vain(&self, number: u64) -> Option<VainKernel> {
        self.books.lock().vain.remove(&number)
    }
}

fn address(work: &Code) -> usize {
    ptr::from_ref(work).addr()
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::device::{KernelTime, LaunchRange};

    const TOKEN: usize = 64;

    fn well() -> LaunchResult {
        Ok(KernelTime { ns: 1, occupied_ns: 1, ran_ns: 1, is_first: false })
    }

    fn failed(inputs_intact: bool) -> LaunchResult {
        Err(Box::new(LaunchError {
            device: String::new(),
            kernel: String::new(),
            range: LaunchRange { work_dim: 1, offset: [0; 3], global: [1; 3], local: None },
            arguments: Vec::new(),
            cause: String::new(),
            code: None,
            hint: None,
            inputs_intact,
            takes_no_more: false,
        }))
    }

    fn returned() -> Option<Box<ReturnedFunction>> {
        Some(Box::new(ReturnedFunction { result: Guid::NULL, attempt: Box::default(), blocks: Vec::new(), ns: 1 }))
    }

    /// An EDT whose function runs beside its kernel, and the number of its launch.
    fn both() -> (Duplicates, u64) {
        let (duplicates, number) = copied();
        assert!(matches!(duplicates.copied(TOKEN, true), AfterCopy::Runs));
        (duplicates, number)
    }

    fn copied() -> (Duplicates, u64) {
        let duplicates = Duplicates::default();
        duplicates.launches(TOKEN, &Code::of_kernels(""));
        let number = duplicates.begins(TOKEN).expect("it is launched");
        assert!(duplicates.begins(TOKEN).is_none(), "it has one duplicate");
        (duplicates, number)
    }

    fn never() {
        panic!("the manager was told");
    }

    #[test]
    fn copies_of_what_a_kernel_has_written_are_not_used() {
        let (duplicates, _) = copied();
        duplicates.settles(TOKEN);
        assert!(matches!(duplicates.copied(TOKEN, true), AfterCopy::Alone));
        assert!(matches!(duplicates.answered(TOKEN, well()), AfterAnswer::Goes(Ok(_), false)));
        let (duplicates, _) = copied();
        duplicates.settles(TOKEN);
        assert!(matches!(duplicates.answered(TOKEN, well()), AfterAnswer::Kept));
        assert!(matches!(duplicates.copied(TOKEN, true), AfterCopy::Answered(Ok(_))));
        let duplicates = Duplicates::default();
        duplicates.launches(TOKEN, &Code::of_kernels(""));
        duplicates.settles(TOKEN);
        assert!(duplicates.begins(TOKEN).is_none(), "the blocks are about to change");
        let (duplicates, number) = both();
        duplicates.settles(TOKEN);
        assert!(matches!(duplicates.answered(TOKEN, well()), AfterAnswer::Goes(Ok(_), true)));
        assert!(matches!(duplicates.ended((TOKEN, number), returned(), never), AfterFunction::InVain));
    }

    #[test]
    fn without_a_duplicate_an_answer_goes_as_it_is() {
        let duplicates = Duplicates::default();
        assert!(matches!(duplicates.answered(TOKEN, well()), AfterAnswer::Goes(Ok(_), false)));
        let work = Code::of_kernels("");
        duplicates.launches(TOKEN, &work);
        assert!(matches!(duplicates.answered(TOKEN, failed(true)), AfterAnswer::Goes(Err(_), false)));
        assert!(duplicates.begins(TOKEN).is_none(), "it is gone");
        assert!(duplicates.refuse(&work) && !duplicates.refuse(&work));
        duplicates.launches(TOKEN, &work);
        assert!(duplicates.begins(TOKEN).is_none(), "its work is refused");
    }

    #[test]
    fn the_function_is_first() {
        let (duplicates, number) = both();
        let mut told = false;
        assert!(matches!(duplicates.ended((TOKEN, number), returned(), || told = true), AfterFunction::Told));
        assert!(told);
        let code: &'static Code = Box::leak(Box::new(Code::of_kernels("")));
        let (shape, place) = (Shape::default(), Place::device(0));
        let kernel = || VainKernel { work: code, shape, place, edt: Guid::NULL };
        assert_eq!(duplicates.outrun(TOKEN, kernel()), Some(number));
        assert!(duplicates.take(TOKEN).is_some());
        assert!(duplicates.take(TOKEN).is_none() && duplicates.outrun(TOKEN, kernel()).is_none());
        assert!(duplicates.take_vain(number).is_some() && duplicates.take_vain(number).is_none());
    }

    #[test]
    fn the_kernel_fails_before_it_is_outrun() {
        let (duplicates, number) = both();
        assert!(matches!(duplicates.ended((TOKEN, number), returned(), || {}), AfterFunction::Told));
        assert!(matches!(duplicates.answered(TOKEN, failed(true)), AfterAnswer::Replaced(_)));
        assert!(duplicates.take(TOKEN).is_some());
    }

    #[test]
    fn the_kernel_is_first() {
        let (duplicates, number) = both();
        assert!(matches!(duplicates.answered(TOKEN, well()), AfterAnswer::Goes(Ok(_), true)));
        assert!(matches!(duplicates.ended((TOKEN, number), returned(), never), AfterFunction::InVain));
        assert!(duplicates.take(TOKEN).is_none());
    }

    #[test]
    fn the_kernel_is_first_though_the_manager_was_told() {
        let (duplicates, number) = both();
        assert!(matches!(duplicates.ended((TOKEN, number), returned(), || {}), AfterFunction::Told));
        assert!(matches!(duplicates.answered(TOKEN, well()), AfterAnswer::Goes(Ok(_), true)));
        assert!(duplicates.take(TOKEN).is_none());
    }

    #[test]
    fn another_launch_of_the_slot_is_not_the_one_of_the_function() {
        let (duplicates, number) = both();
        assert!(matches!(duplicates.answered(TOKEN, well()), AfterAnswer::Goes(Ok(_), true)));
        duplicates.launches(TOKEN, &Code::of_kernels(""));
        assert!(matches!(duplicates.ended((TOKEN, number), returned(), never), AfterFunction::InVain));
        assert!(duplicates.begins(TOKEN).is_some_and(|other| other != number), "the other one is as it was");
    }

    #[test]
    fn an_answer_waits_for_the_copies() {
        for answer in [well(), failed(true), failed(false)] {
            for are_copied in [false, true] {
                let (duplicates, _) = copied();
                let is_well = answer.is_ok();
                let answer = if is_well { well() } else { failed(true) };
                assert!(matches!(duplicates.answered(TOKEN, answer), AfterAnswer::Kept));
                let after = duplicates.copied(TOKEN, are_copied);
                assert!(matches!(after, AfterCopy::Answered(answer) if answer.is_ok() == is_well));
            }
        }
    }

    #[test]
    fn without_copies_the_kernel_goes_on_alone() {
        let (duplicates, _) = copied();
        assert!(matches!(duplicates.copied(TOKEN, false), AfterCopy::Alone));
        assert!(matches!(duplicates.answered(TOKEN, well()), AfterAnswer::Goes(Ok(_), false)));
    }

    #[test]
    fn a_kernel_that_fails_waits_for_the_function() {
        let (duplicates, number) = both();
        assert!(matches!(duplicates.answered(TOKEN, failed(true)), AfterAnswer::Kept));
        assert!(matches!(duplicates.ended((TOKEN, number), returned(), never), AfterFunction::Replaced(_)));
        assert!(duplicates.take(TOKEN).is_some());
        let (duplicates, number) = both();
        assert!(matches!(duplicates.answered(TOKEN, failed(true)), AfterAnswer::Kept));
        assert!(matches!(duplicates.ended((TOKEN, number), None, never), AfterFunction::Failed(_)));
        assert!(duplicates.take(TOKEN).is_none());
    }

    #[test]
    fn a_kernel_that_leaves_something_half_written_is_reported() {
        let (duplicates, number) = both();
        assert!(matches!(duplicates.answered(TOKEN, failed(false)), AfterAnswer::Goes(Err(_), true)));
        assert!(matches!(duplicates.ended((TOKEN, number), returned(), never), AfterFunction::InVain));
    }

    #[test]
    fn a_function_that_crashes_leaves_the_kernel_alone() {
        let (duplicates, number) = both();
        assert!(matches!(duplicates.ended((TOKEN, number), None, never), AfterFunction::Alone));
        assert!(matches!(duplicates.answered(TOKEN, well()), AfterAnswer::Goes(Ok(_), false)));
    }
}
