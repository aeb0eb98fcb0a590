//! What happens in a run, as records: one function for each thing that happens. The functions are not inlined, so that
//! the way of their callers is short where nothing is recorded.
//!
//! Objects are named by the 64 bits of their GUIDs. An EDT on a label is named by the GUID of its slot, which no other
//! EDT of the run has. Places are numbers (`ocr_place::place::Place::number`): 0 is the host, and 255 the first that is
//! free. A *work* is what the EDTs of a template run, named by a number.

use super::clock;
use super::format::{Asked, Basis, Counter, DuplicateStep, Record, RecordKind, ThreadRole, WorkGroupBasis};
use super::recording::{is_on, is_sample_due, now_and_length};
use super::writer::{append, append_idle, append_text, is_unnamed, set_named, set_role};
use std::cell::Cell;
use std::sync::OnceLock;
use std::thread;

/// How many ticks an EDT must run for the time of its thread on a core to be recorded behind it: about a millisecond.
/// That takes some microseconds.
const LONG_TICKS: u64 = 1 << 21;

thread_local! {
    /// When the EDT began that runs on this thread, in ticks; before the first, 0.
    static BEGAN: Cell<u64> = const { Cell::new(0) };
}

/// A record of a kind with two numbers, not dated yet.
fn of(kind: RecordKind, x: u64, y: u64) -> Record {
    Record { kind: kind as u8, x, y, ..Record::default() }
}

/// Records how far the duplicate of an EDT has come whose kernel is on the device at this place.
#[cold]
#[inline(never)]
pub(crate) fn duplicate(edt: u64, step: DuplicateStep, place: u8) {
    append(Record { a: place, b: step as u16, ..of(RecordKind::Duplicate, edt, 0) });
}

/// Records that this thread is a worker.
#[cold]
#[inline(never)]
pub(crate) fn worker() {
    set_role(ThreadRole::Worker);
}

/// Records that this thread manages the device at a place, with the device's name and how many compute units it has.
#[cold]
#[inline(never)]
pub(crate) fn manager(place: u8, units: u32, name: &str) {
    set_role(ThreadRole::Manager);
    let record = Record { a: place, ..of(RecordKind::Device, units.into(), 0) };
    append_text(record, name);
}

/// Records the label that the program has given an object.
#[cold]
#[inline(never)]
pub(crate) fn label(object: u64, text: &str) {
    append_text(of(RecordKind::Label, object, 0), text);
}

/// Whether a work has no record yet, and there is room for one.
#[inline]
pub(crate) fn is_new(work: u64) -> bool {
    is_unnamed(work)
}

/// Records a work with its name, and with a bit of `places` for each place where it can run.
#[cold]
#[inline(never)]
pub(crate) fn name(work: u64, places: u64, name: &str) {
    if append_text(of(RecordKind::Template, work, places), name) {
        set_named(work);
    }
}

/// Records that an EDT is created, with its numbers of parameters and pre-slots, and whether it is a finish EDT.
#[cold]
#[inline(never)]
pub(crate) fn created(edt: u64, work: u64, paramc: u32, depc: u32, finish: bool) {
    append(Record {
        a: paramc.min(u32::from(u8::MAX)) as u8,
        b: depc.min(u32::from(u16::MAX)) as u16,
        c: u32::from(finish),
        ..of(RecordKind::Created, edt, work)
    });
}

/// Records that a pre-slot of an EDT is connected to a post-slot of the event `source`.
#[cold]
#[inline(never)]
pub(crate) fn linked(edt: u64, slot: u32, (source, post_slot): (u64, u32), mode: u8) {
    append(Record {
        a: mode,
        b: post_slot.min(u32::from(u16::MAX)) as u16,
        c: slot,
        ..of(RecordKind::Linked, edt, source)
    });
}

/// Records that a pre-slot of an EDT is satisfied with the block `data`, or without one.
#[cold]
#[inline(never)]
pub(crate) fn satisfied(edt: u64, slot: u32, data: u64, mode: u8) {
    append(Record { a: mode, c: slot, ..of(RecordKind::Satisfied, edt, data) });
}

/// Records that an EDT is enqueued on a device behind the EDT `first`, for whose end it waits.
#[cold]
#[inline(never)]
pub(crate) fn follows(edt: u64, first: u64) {
    append(of(RecordKind::Follows, edt, first));
}

/// Records that an EDT is runnable, and the place where the policy has put it.
#[cold]
#[inline(never)]
pub(crate) fn runnable(edt: u64, place: u8) {
    append(Record { a: place, ..of(RecordKind::Runnable, edt, 0) });
}

/// Records that a place has taken an EDT that was not placed yet.
#[cold]
#[inline(never)]
pub(crate) fn placed(edt: u64, place: u8) {
    append(Record { a: place, ..of(RecordKind::Placed, edt, 0) });
}

/// Records that a policy has considered a place for an EDT, with the nanoseconds that it expects there in queues, for
/// copies and for the run.
#[cold]
#[inline(never)]
pub(crate) fn estimate(edt: u64, place: u8, basis: Basis, [queue, copies, run]: [u64; 3]) {
    let units = |ns: u64| (ns / 16).min(u64::from(u32::MAX));
    append(Record {
        a: place,
        b: basis.bits(),
        c: units(queue) as u32,
        ..of(RecordKind::Estimate, edt, units(copies) << 32 | units(run))
    });
}

/// Records that an EDT has got a block for which it had to wait.
#[cold]
#[inline(never)]
pub(crate) fn granted(edt: u64, block: u64) {
    append(of(RecordKind::Granted, edt, block));
}

/// Records that a block must be brought to the place where an EDT runs.
#[cold]
#[inline(never)]
pub(crate) fn fetch(edt: u64, place: u8, block: u64) {
    append(Record { a: place, ..of(RecordKind::Fetch, edt, block) });
}

/// Records that all blocks of an EDT have been brought to the place where it runs.
#[cold]
#[inline(never)]
pub(crate) fn fetched(edt: u64) {
    append(of(RecordKind::Fetched, edt, 0));
}

/// Records what this thread had of the system before its first EDT, if that is about to begin: else nobody could tell
/// how much of what it has behind that EDT is the EDT's.
#[inline]
pub(crate) fn before_begin() {
    if BEGAN.get() == 0 {
        usage();
    }
}

/// Records that the function of an EDT begins on this thread. True if it is time for the caller to look at the
/// counters.
#[inline]
pub(crate) fn begin(edt: u64) -> bool {
    let now = append(of(RecordKind::Begin, edt, 0));
    BEGAN.set(now);
    is_sample_due(now)
}

/// Records that the function of an EDT has returned on this thread.
#[inline]
pub(crate) fn end(edt: u64) {
    let now = append(of(RecordKind::End, edt, 0));
    if now.saturating_sub(BEGAN.get()) > LONG_TICKS {
        usage();
    }
}

/// Records how long this thread has been on a core, how long it was ready and had none, and what the system has done
/// for it.
#[cold]
#[inline(never)]
pub(crate) fn usage() {
    let waited = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let waited = waited.split_ascii_whitespace().nth(1).and_then(|ns| ns.parse().ok());
    let its = clock::system_use();
    append(Record { c: its.waits, ..of(RecordKind::System, its.ns, its.faults) });
    let spent = clock::spent_ns(libc::CLOCK_THREAD_CPUTIME_ID);
    append(of(RecordKind::Usage, spent, waited.unwrap_or(0)));
}

/// Records how long all threads of the process have been on cores.
#[cold]
#[inline(never)]
pub(crate) fn process_usage() {
    static CORES: OnceLock<u64> = OnceLock::new();
    let cores = CORES.get_or_init(|| thread::available_parallelism().map_or(1, |n| n.get() as u64));
    append(Record { a: 1, ..of(RecordKind::Usage, clock::spent_ns(libc::CLOCK_PROCESS_CPUTIME_ID), *cores) });
}

/// For what what runs on a thread waits.
#[derive(Clone, Copy)]
pub(crate) enum OpenClWait {
    /// For the platforms and devices.
    Start = 1,
    /// For a kernel that is compiled.
    Kernel = 2,
}

/// Does something, and records how long what runs on this thread has waited for it.
fn waiting<T>(kind: RecordKind, what: u8, wait: impl FnOnce() -> T) -> T {
    if !is_on() {
        return wait();
    }
    let (begun, _) = now_and_length(0);
    let result = wait();
    let (now, _) = now_and_length(0);
    append(Record { a: what, ..of(kind, 0, now.saturating_sub(begun)) });
    result
}

/// Does something of OpenCL, and records that what runs on this thread has waited for it.
pub(crate) fn waiting_for_opencl<T>(what: OpenClWait, wait: impl FnOnce() -> T) -> T {
    waiting(RecordKind::WaitedForOpenCl, what as u8, wait)
}

/// Waits for answers of other nodes, and records that what runs on this thread has done so.
pub(crate) fn waiting_for_nodes<T>(wait: impl FnOnce() -> T) -> T {
    waiting(RecordKind::WaitedForNodes, 0, wait)
}

/// Records that an EDT is given to the device at a place, which knows it by `token`.
#[cold]
#[inline(never)]
pub(crate) fn launched(edt: u64, place: u8, token: usize) {
    append(Record { a: place, ..of(RecordKind::Launched, edt, token as u64) });
}

/// Records the work-groups of a launch at a place, which is known there by `token`: how many, of how many work-items.
#[cold]
#[inline(never)]
pub(crate) fn work_groups(place: u8, token: usize, (groups, items): (u64, u32), basis: WorkGroupBasis) {
    append(Record { a: place, b: basis.bits(), c: items, ..of(RecordKind::WorkGroups, token as u64, groups) });
}

/// Records that the kernel of an EDT has been seen to end. True if it is time for the caller to look at the counters.
#[cold]
#[inline(never)]
pub(crate) fn kernel_end(edt: u64, place: u8) -> bool {
    is_sample_due(append(Record { a: place, ..of(RecordKind::KernelEnd, edt, 0) }))
}

/// How many lanes of a device can be distinguished.
pub(crate) const LANES: usize = 34;

/// When the commands of a device have run, by the clock of the recording.
///
/// A device's clock has another zero than the host's. The host sees that a command has ended only some time later. So
/// the command that was seen soonest after its end says best how far the two clocks are apart. Where the device tells
/// no times, commands that were seen to have ended together share the time that they took evenly.
pub(crate) struct DeviceTimes {
    /// When the last command of each lane ended, in ticks. The next command of the lane is not dated before that.
    ends: [u64; LANES],
}

impl Default for DeviceTimes {
    fn default() -> Self {
        DeviceTimes { ends: [0; LANES] }
    }
}

/// A command of a device that has ended.
pub(crate) struct EndedCommand {
    /// The number of the device's place.
    pub(crate) place: usize,
    /// The lane in which the command was.
    pub(crate) lane: usize,
    /// How long ago it ended, and how long it took, in nanoseconds. None where the device does not tell.
    pub(crate) told: Option<(u64, u64)>,
    /// How long ago it was enqueued at most, in nanoseconds: it is not dated before that.
    pub(crate) enqueued_ns: u64,
    /// How long the command took, in nanoseconds, where the device does not tell.
    pub(crate) share_ns: u64,
    /// How many commands of its lane come behind this one and were seen to end together with it.
    pub(crate) behind: u64,
}

impl DeviceTimes {
    /// When a command ended, and how long it took, both in ticks of the recording's counter.
    fn span(&mut self, ended: &EndedCommand) -> (u64, u64) {
        let now = now_and_length(0).0;
        let share = (ended.behind * ended.share_ns, ended.share_ns);
        let (before_ns, took_ns) = ended.told.unwrap_or(share);
        let [before, took, enqueued] = [before_ns, took_ns, ended.enqueued_ns].map(|ns| now_and_length(ns).1);
        let last = &mut self.ends[ended.lane % LANES];
        let earliest = now.saturating_sub(enqueued).max(*last);
        let end = now.saturating_sub(before).max(earliest);
        let begin = end.saturating_sub(took).max(earliest);
        *last = end;
        (end, end - begin)
    }

    /// Records that a kernel has ended, and how long it took. `token` is that of its launch.
    #[cold]
    #[inline(never)]
    pub(crate) fn kernel(&mut self, ended: &EndedCommand, token: usize) {
        let (ticks, took) = self.span(ended);
        append(Record {
            ticks,
            a: ended.place as u8,
            b: ended.lane as u16,
            ..of(RecordKind::Kernel, token as u64, took)
        });
    }

    /// Records that a copy of a block has ended, and how long it took.
    #[cold]
    #[inline(never)]
    pub(crate) fn copy(&mut self, ended: &EndedCommand, block: u64, bytes: u64, to_device: bool) {
        let (ticks, took) = self.span(ended);
        append(Record {
            ticks,
            a: ended.place as u8,
            b: u16::from(!to_device),
            c: (took / 16).min(u64::from(u32::MAX)) as u32,
            ..of(RecordKind::Copy, block, bytes)
        });
    }
}

/// Records that a block is created, with its size in bytes.
#[cold]
#[inline(never)]
pub(crate) fn block(block: u64, size: u64) {
    append(of(RecordKind::Block, block, size));
}

/// Records that a block is gone.
#[cold]
#[inline(never)]
pub(crate) fn block_gone(block: u64) {
    append(of(RecordKind::BlockGone, block, 0));
}

/// Records that what runs on this thread sends a message to another node, with its number among those for that node.
#[cold]
#[inline(never)]
pub(crate) fn sent(to: u32, number: u64, stand_in: u64) {
    append(Record { b: to as u16, ..of(RecordKind::Sent, number, stand_in) });
}

/// Records that this thread handles a message of another node, with its number there; 0 for one that has none.
#[cold]
#[inline(never)]
pub(crate) fn came(from: u32, number: u64) {
    append(Record { b: from as u16, ..of(RecordKind::Came, number, 0) });
}

/// Records what was asked of the runtime about an object, and whether it was refused. [`Asked`] says what the numbers
/// are.
#[cold]
#[inline(never)]
pub(crate) fn called(asked: Asked, object: u64, (slot, other): (u32, u64), refused: bool) {
    append(Record { a: asked as u8, b: u16::from(refused), c: slot, ..of(RecordKind::Called, object, other) });
}

/// Records whether what runs on this thread has changed a block, and which parts and words of it.
#[cold]
#[inline(never)]
pub(crate) fn changed(block: u64, how: u8, parts: u64, words: u32) {
    append(Record { a: how, c: words, ..of(RecordKind::Changed, block, parts) });
}

/// Records that the EDT which runs on this thread begins to wait in a call, or goes on.
#[cold]
#[inline(never)]
pub(crate) fn waits(begins: bool) {
    let kind = if begins { RecordKind::Waits } else { RecordKind::GoesOn };
    append(of(kind, 0, 0));
}

/// Records that this worker has no EDT to run. True if it is time for the caller to look at the counters.
#[cold]
#[inline(never)]
pub(crate) fn idle() -> bool {
    is_sample_due(append_idle(RecordKind::Idle))
}

/// Records that this worker has an EDT to run again, or ends.
#[cold]
#[inline(never)]
pub(crate) fn busy() {
    append_idle(RecordKind::Busy);
}

/// Records the value of a counter of a place.
#[cold]
#[inline(never)]
pub(crate) fn counter(counter: Counter, place: u8, value: u64) {
    append(Record { a: counter as u8, b: u16::from(place), ..of(RecordKind::Counter, 0, value) });
}
