//! What follows when a command fails after it was enqueued.
//!
//! Its failure tells little: OpenCL leaves open what becomes of the commands behind it (`lane.rs`). So the manager
//! enqueues nothing more and lets the device run dry, while it works out from its own books, and not from what OpenCL
//! says, which commands have failed with the first:
//!
//! | command | fails with another if |
//! |---|---|
//! | any | one before it in its lane has failed |
//! | a kernel | a command that makes the content of one of its blocks has failed, or one that uses a block that it writes |
//! | a copy in | any command that uses the block has failed |
//! | a copy out | a command that makes the content has failed |
//!
//! A command is looked at when all that it needs was ([`Lanes::pop_done`]), so it is enough to mark the entry of each
//! block that a failed command uses: [`BufferEntry::failed`]. The marks stay until the device is dry. Whatever waits
//! for a failed command in OpenCL has a block in common with it, of which one of the two changes the content, or is
//! behind it in its lane. OpenCL may call complete what has failed by these books: the lane believes nothing behind it
//! either ([`Lanes::fail`]).
//!
//! When nothing is pending, the manager goes on with new queues, in which nothing has failed. It releases the buffers
//! of blocks that are marked, and has the kernels that failed answered for. What a kernel was given is *intact* if the
//! content of each block that it writes, as it was before the kernel, still is in another place, or there was none, or
//! another failed kernel has made it that is run anew, too. Such blocks are made valid there again. The answers come
//! last kernel first, so that the engine knows all that followed one when that is reported to it; but one that is not
//! intact comes before all, since it ends the program.
//!
//! # Commands that never end
//!
//! If no command ends for [`GRACE`], and none that may be believed runs, those that are left are given up as failed,
//! with their queues. They may run at some time even so. Then kernels and copies in write to buffers of the device that
//! OpenCL keeps for them and nothing else uses; what copies in read stays until the process ends
//! ([`DataBlock::keep_memory`]). What would write to the host's memory ends the program: a copy out that somebody asked
//! for, and a kernel where buffers are the host's memory.
//!
//! A device on which [`TOO_MANY`] failures come in a row, without a kernel that has run in between, gets no launches
//! any more: they are refused at once. Its buffers still are copied to the host.
//!
//!
//! # A device that is lost
//!
//! OpenCL may refuse what a device cannot be used without ([`Lanes::gives_up`]), or new queues. Then the device is
//! lost, and the run goes on with what is left ([`Manager::lose`]). All that is pending is given up as above, and there
//! are no lanes any more. Launches are refused at once, with their data intact, so that their EDTs run elsewhere.
//! Blocks are forgotten without a call of OpenCL. A fetch of a block that is nowhere else fails, and so ends the
//! program: its content is lost. Where kernels can be undone, each block is on the host (`settle.rs`), and no program
//! ends for that.
//!
//! OpenCL may refuse each launch of such a device, and be asked for nothing else. Or nothing may end any more, and so
//! nothing be asked. So all queues are flushed once more behind a launch that was refused for good, and each second in
//! which nothing ends in some lane ([`Lanes::suspect`]).
//!
//! [`Lanes::suspect`]: crate::device::opencl::lane::Lanes::suspect
//! [`Lanes::gives_up`]: crate::device::opencl::lane::Lanes::gives_up
//! [`Lanes::fail`]: crate::device::opencl::lane::Lanes::fail
//! [`Lanes::pop_done`]: crate::device::opencl::lane::Lanes::pop_done
//! [`BufferEntry::failed`]: crate::device::opencl::buffers::BufferEntry
//! [`DataBlock::keep_memory`]: crate::object::data_block::DataBlock::keep_memory

use crate::device::opencl::buffers::{BufferEntry, Id};
use crate::device::opencl::fault::Fault;
use crate::device::opencl::fault::{Blame, FailureMark};
use crate::device::opencl::job::{BlockUse, Job, Work};
use crate::device::opencl::job::{Casualty, Failure, Failures};
use crate::device::opencl::job::{Fetching, Message};
use crate::device::opencl::lane::{BEHIND, Pending};
use crate::device::opencl::manager::Manager;
use crate::device::opencl::raw::{Answer, CommandState};
use crate::device::opencl::times::queue;
use ocr_base::text::Counted;
use ocr_place::place::{Place, PlaceSet};
use rustc_hash::FxHashSet;
use std::rc::Rc;
use std::time::{Duration, Instant};
use std::{mem, ptr};

/// How long nothing ends before the rest is given up. Nothing is lost by waiting but time, and by giving up a copy or a
/// kernel too early only the work.
const GRACE: Duration = Duration::from_secs(1);
/// How long nothing ends before the rest is given up, on a device that has not ended commands before.
const GRACE_AGAIN: Duration = Duration::from_millis(100);
/// The number of failures in a row after which no launch is taken any more.
const TOO_MANY: u32 = 4;
/// How often a block is copied to the host again if that has failed.
const FETCHES: u32 = 3;

impl Failures {
    /// Notes that a kernel has run, which ends a row of failures.
    pub(crate) fn end_row(&mut self) {
        self.count = 0;
    }

    /// Why no launch will be taken any more.
    pub(crate) fn too_many(&self) -> Option<Fault> {
        let last = (self.last.as_ref()).filter(|_| self.is_lost || self.count >= TOO_MANY)?;
        let count = self.count;
        if self.is_lost {
            return Some(Fault { cause: format!("the device is lost: {}", last.cause), code: last.code, hint: None });
        }
        Some(Fault {
            cause: format!("{count} commands in a row have failed on the device: {}", last.cause),
            code: last.code,
            hint: None,
        })
    }
}

impl Failure {
    fn new() -> Failure {
        Failure {
            kernels: Vec::new(),
            fetches: Vec::new(),
            marked: FxHashSet::default(),
            messages: Vec::new(),
            progress: Instant::now(),
            first: None,
        }
    }
}

impl BufferEntry {
    fn content_failed(&self) -> Option<&Rc<Blame>> {
        let mark = self.failed.as_ref().filter(|mark| mark.content)?;
        Some(&mark.why)
    }
}

impl Manager {
    /// Keeps a message for later that is not to be worked on while the device runs dry.
    pub(crate) fn keep(&mut self, message: Message) -> Option<Message> {
        let Some(failure) = &mut self.failing.failure else {
            return Some(message);
        };
        match message {
            Message::Fetch(..) | Message::Forget(_) => {
                failure.messages.push(message);
                None
            }
            _ => Some(message),
        }
    }

    fn failure(&mut self) -> &mut Failure {
        self.failing.failure.get_or_insert_with(|| Box::new(Failure::new()))
    }

    /// The reason for a command that has this status itself.
    pub(crate) fn blame(&mut self, cause: String, code: i32) -> Rc<Blame> {
        let failure = self.failure();
        match &failure.first {
            Some(first) if code == BEHIND => Rc::clone(first),
            first => {
                let code = Some(code);
                let why = Rc::new(Blame { cause, code });
                if first.is_none() {
                    failure.first = Some(Rc::clone(&why));
                }
                why
            }
        }
    }

    pub(crate) fn mark(&mut self, id: Id, why: &Rc<Blame>, content: bool) {
        let entry = self.buffers.get(id);
        if !entry.failed.as_ref().is_some_and(|mark| mark.content) && (content || entry.failed.is_none()) {
            let why = Rc::clone(why);
            entry.failed = Some(FailureMark { why, content });
        }
        self.failure().marked.insert(id);
    }

    /// Why a copy to the device has failed, if it has.
    pub(crate) fn blame_copy_in(&mut self, id: Id, outcome: Answer<()>) -> Option<Rc<Blame>> {
        if self.failing.failure.is_none() && outcome.is_ok() {
            return None;
        }
        let entry = self.buffers.get(id);
        if let Some(mark) = &entry.failed {
            return Some(Rc::clone(&mark.why));
        }
        let code = outcome.err()?;
        let cause =
            format!("copying block {} ({}) to the device failed", entry.block.guid(), Counted(entry.bytes, "byte"));
        Some(self.blame(cause, code))
    }

    /// A copy to the device has failed: the buffer holds anything.
    pub(crate) fn copy_in_failed(&mut self, id: Id, why: &Rc<Blame>) {
        let place = self.device.place;
        let entry = self.buffers.get(id);
        entry.zeroed = false;
        let mut copies = entry.block.copies();
        // If the only copy is here, a kernel that was enqueued since writes it: see `restore`.
        if copies.valid != PlaceSet::only(place) {
            copies.valid.remove(place);
        }
        drop(copies);
        self.mark(id, why, true);
    }

    /// Why a kernel has failed, if it has.
    pub(crate) fn blame_kernel(&mut self, job: &Job, outcome: Answer<()>) -> Option<Rc<Blame>> {
        if self.failing.failure.is_none() && outcome.is_ok() {
            return None;
        }
        for used in &job.uses {
            let mark = self.buffers.get(used.id).failed.as_ref();
            if let Some(mark) = mark.filter(|mark| mark.content || used.written) {
                return Some(Rc::clone(&mark.why));
            }
        }
        let code = outcome.err()?;
        Some(self.blame("it failed while it ran".to_string(), code))
    }

    /// A kernel has failed, or may run still though it was given up. It is answered when the device has run dry.
    pub(crate) fn kernel_failed(&mut self, serial: u64, job: Box<Job>, why: Rc<Blame>, given_up: bool) {
        for used in &job.uses {
            self.mark(used.id, &why, used.written);
        }
        self.failure().kernels.push(Casualty { serial, job, why, given_up });
    }

    /// The end of a mapping has failed, before a block is forgotten: nothing is lost, but what is behind it in its lane
    /// may never end.
    pub(crate) fn unmap_failed(&mut self, id: Id, code: i32) {
        let block = self.buffers.get(id).block;
        let cause = format!("ending the mapping of block {} failed", block.guid());
        self.blame(cause, code);
    }

    /// Why a copy to the host has failed, if it has.
    pub(crate) fn blame_fetch(&mut self, id: Id, outcome: Answer<()>) -> Option<Rc<Blame>> {
        if self.failing.failure.is_none() && outcome.is_ok() {
            return None;
        }
        let entry = self.buffers.get(id);
        if let Some(why) = entry.content_failed() {
            return Some(Rc::clone(why));
        }
        let code = outcome.err()?;
        let cause = format!("bringing block {} to the host", entry.block.guid());
        Some(self.blame(cause, code))
    }

    /// A copy to the host has failed, or may run still though it was given up.
    pub(crate) fn fetch_failed(&mut self, fetching: Fetching, why: Rc<Blame>, given_up: bool) {
        if self.device.unified {
            self.buffers.get(fetching.id).mapped = ptr::null_mut();
        }
        self.mark(fetching.id, &why, false);
        self.failure().fetches.push((fetching, why, given_up));
    }

    /// Goes on with a failure; `any`: a command has ended since. True if it is over.
    pub(crate) fn run_dry(&mut self, any: bool) -> bool {
        let Some(progress) = self.failing.failure.as_ref().map(|failure| failure.progress) else {
            return false;
        };
        if !self.lanes.all_idle() {
            if any || self.may_end_something() {
                self.failure().progress = Instant::now();
                return false;
            }
            let grace = if self.failing.failures.never_ends { GRACE_AGAIN } else { GRACE };
            if progress.elapsed() < grace {
                return false;
            }
        }
        self.end_failure();
        true
    }

    /// Whether a command runs that nothing speaks against.
    fn may_end_something(&mut self) -> bool {
        (0..self.lanes.count()).any(|lane| {
            let Some((work, CommandState::Runs, true)) = self.lanes.front(lane) else {
                return false;
            };
            let buffers = &mut self.buffers;
            let mut is_sound = |id: Id| buffers.get(id).failed.is_none();
            match work {
                Work::Kernel(job) => job.uses.iter().all(|used| is_sound(used.id)),
                Work::CopyIn { id, .. } | Work::Unmap { id } => is_sound(*id),
                Work::CopyOut(fetching) => is_sound(fetching.id),
                Work::Bring(bringing) => is_sound(bringing.id),
            }
        })
    }

    /// What is pending will not end: it fails, too.
    fn end_failure(&mut self) {
        self.failing.aside = None;
        let (context, info, timed) = (&self.device.context, &self.device.info, self.times.is_timed());
        let (given_up, made) = self.lanes.renew(|| queue(context, info, timed));
        self.give_up(given_up);
        if let Err(code) = made {
            self.is_lost("creating a command queue, after a command has failed,", code);
        }
        self.answer_failure();
    }

    /// The device is lost, since OpenCL refuses what it cannot be used without.
    pub(crate) fn lose(&mut self, what: &'static str, code: i32) {
        self.blame(what.to_string(), code);
        let given_up = self.lanes.abandon();
        self.give_up(given_up);
        self.is_lost(what, code);
        self.answer_failure();
    }

    fn is_lost(&mut self, what: &'static str, code: i32) {
        mem::forget(self.failing.aside.take());
        let cause = what.to_string();
        let code = Some(code);
        self.failing.failures.last = Some(Rc::new(Blame { cause, code }));
        (self.failing.failures.is_lost, self.failing.failures.never_ends) = (true, true);
        self.outside.events.lost(self.device.place, self.trouble(what.to_string(), code));
    }

    /// These commands fail, since the device does not end them, and their queues are gone.
    fn give_up(&mut self, given_up: Vec<Pending<Work>>) {
        self.failing.failures.never_ends |= !given_up.is_empty();
        let first = self.failure().first.clone();
        let why = first.unwrap_or_else(|| {
            let cause = "the device does not end it".to_string();
            Rc::new(Blame { cause, code: None })
        });
        self.failing.failures.count += 1;
        self.failing.failures.last = Some(Rc::clone(&why));
        for pending in given_up {
            match pending.work {
                Work::CopyIn { id, .. } => {
                    self.buffers.get(id).block.keep_memory();
                    let why = self.blame_copy_in(id, Ok(())).unwrap_or_else(|| why.clone());
                    self.copy_in_failed(id, &why);
                    self.release_pin(id);
                }
                Work::Kernel(mut job) => {
                    if !self.counts(&mut job) {
                        self.finish_outrun(job, None);
                        continue;
                    }
                    let why = self.blame_kernel(&job, Ok(())).unwrap_or_else(|| why.clone());
                    self.books.count_out(&job);
                    self.kernel_failed(pending.serial, job, why, true);
                }
                Work::CopyOut(fetching) => {
                    let id = fetching.id;
                    let why = self.blame_fetch(id, Ok(())).unwrap_or_else(|| why.clone());
                    self.fetch_failed(fetching, why, true);
                }
                Work::Bring(bringing) => self.bringing_given_up(bringing, &why),
                Work::Unmap { id } => self.release_pin(id),
            }
        }
    }

    /// Answers for all that has failed, when nothing is pending.
    fn answer_failure(&mut self) {
        let Some(failure) = self.failing.failure.take() else {
            return;
        };
        let Failure { mut kernels, fetches, marked, messages, .. } = *failure;
        kernels.sort_unstable_by_key(|casualty| casualty.serial);
        let mut restored = FxHashSet::default();
        let mut answers = Vec::new();
        for casualty in kernels {
            // One that may run still may write to the host's memory.
            let mut intact = !(self.device.unified && casualty.given_up);
            for used in casualty.job.uses.iter().filter(|used| used.written) {
                intact &= self.restore(*used, &mut restored);
            }
            answers.push((casualty.job, casualty.why, intact));
        }
        let mut tokens = Vec::new();
        for (fetching, why, given_up) in fetches {
            let block = self.buffers.get(fetching.id).block;
            let entry = self.buffers.get(fetching.id);
            entry.fetch = None;
            entry.failed_fetches += u32::from(!fetching.tokens.is_empty());
            let again = entry.failed_fetches < FETCHES && !given_up;
            tokens.push((block, fetching.tokens, why, again));
            self.release_pin(fetching.id);
        }
        for (job, ..) in &mut answers {
            self.unsettle(&job.uses);
            self.unpin(&mut job.uses);
        }
        for id in marked {
            self.discard(id);
        }
        // Answers that end the program come first, if there are any; of the others the last comes first.
        answers.reverse();
        answers.sort_by_key(|(.., intact)| *intact);
        for (job, why, intact) in answers {
            let fault = Fault { cause: why.cause.clone(), code: why.code, hint: None };
            let error = self.error(&job.launch, fault, intact);
            self.answer_failed(job.launch.token, error);
            self.books.end_job(job);
        }
        for (block, tokens, why, again) in tokens {
            for token in tokens {
                if again {
                    self.fetch(block, token);
                } else {
                    let error = self.trouble(why.cause.clone(), why.code);
                    self.outside.events.fetched(token, Err(error));
                }
            }
        }
        for message in messages {
            self.handle(message);
        }
    }

    /// Makes the content valid again that a block had before a failed kernel that may have written it. False if there
    /// is none any more. The kernels come in the order in which they were enqueued.
    fn restore(&mut self, used: BlockUse, restored: &mut FxHashSet<Id>) -> bool {
        let place = self.device.place;
        let entry = self.buffers.get(used.id);
        let mut before = used.before;
        before.remove(place);
        if used.fetches != entry.fetches {
            // What was copied to the host's memory since may be what the kernel has left.
            before.remove(Place::HOST);
        }
        // Another device may have given up its buffer meanwhile, whose content did not count while the kernel ran.
        let resident = entry.block.copies().resident;
        for other in used.before.iter().filter(|&other| other != Place::HOST && !resident.contains(other)) {
            before.remove(other);
        }
        let had_none = used.before.is_empty();
        // Where the buffer is the host's memory, the kernel has written there.
        let elsewhere = !before.is_empty() && !self.device.unified;
        if restored.contains(&used.id) {
            return true;
        }
        if !had_none && !elsewhere {
            return false;
        }
        let mut copies = entry.block.copies();
        if copies.valid.contains(place) {
            copies.valid = before;
            copies.version = copies.version.wrapping_add(1);
        }
        restored.insert(used.id);
        true
    }

    /// Releases a buffer of which nothing is known any more, and that nothing uses.
    fn discard(&mut self, id: Id) {
        let place = self.device.place;
        let Some(entry) = self.buffers.try_get(id) else {
            return;
        };
        if entry.is_lost {
            entry.failed = None;
            if entry.pins == 0 {
                self.release_lost(id);
            }
            return;
        }
        let Some(mark) = entry.failed.take() else {
            return;
        };
        let block = entry.block;
        if entry.mem.is_none() || entry.pins != 0 {
            return;
        }
        let mut copies = block.copies();
        let only_here = copies.valid == PlaceSet::only(place);
        if only_here && !mark.content {
            // A kernel has read it and failed, and so the buffer is what it was.
            return;
        }
        copies.valid.remove(place);
        copies.resident.remove(place);
        drop(copies);
        self.unmap_now(id);
        let entry = self.buffers.remove(id);
        if self.failing.failures.never_ends {
            // To release it may wait for what was given up.
            mem::forget(entry.and_then(|entry| entry.mem));
        }
        self.outside.counters.resident_bytes.set(self.buffers.bytes);
    }
}
