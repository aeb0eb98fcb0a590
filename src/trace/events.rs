//! What happens, as records. Each function is apart from its callers, whose way is short where nothing is recorded.
//!
//! Objects are told by the 64 bits of their GUIDs. An EDT on a label is told by the GUID of its slot, which no other EDT
//! of the run has.

use super::clock::monotonic_ns;
use super::format::{Basis, Counter, Kind, Record, ThreadRole};
use super::writer::{
    append, append_text, is_sample_due, is_unnamed, now_and_length, set_named, set_role,
};

fn of(kind: Kind, x: u64, y: u64) -> Record {
    Record {
        kind: kind as u8,
        x,
        y,
        ..Record::default()
    }
}

/// This thread is a worker.
#[cold]
#[inline(never)]
pub(crate) fn worker() {
    set_role(ThreadRole::Worker);
}

/// This thread manages a device at this place.
#[cold]
#[inline(never)]
pub(crate) fn manager(place: u8, name: &str) {
    set_role(ThreadRole::Manager);
    let record = Record {
        a: place,
        ..of(Kind::Device, 0, 0)
    };
    append_text(record, name);
}

/// The program has called an object so.
#[cold]
#[inline(never)]
pub(crate) fn label(object: u64, text: &str) {
    append_text(of(Kind::Label, object, 0), text);
}

/// Whether a work has no record yet, and there is room for one.
#[inline]
pub(crate) fn is_new(work: u64) -> bool {
    is_unnamed(work)
}

/// A work is described: its name, and a bit for each place where it can run.
#[cold]
#[inline(never)]
pub(crate) fn name(work: u64, places: u64, name: &str) {
    if append_text(of(Kind::Template, work, places), name) {
        set_named(work);
    }
}

/// An EDT is created.
#[cold]
#[inline(never)]
pub(crate) fn created(edt: u64, work: u64, paramc: u32, depc: u32, finish: bool) {
    append(Record {
        a: paramc.min(u32::from(u8::MAX)) as u8,
        b: depc.min(u32::from(u16::MAX)) as u16,
        c: u32::from(finish),
        ..of(Kind::Created, edt, work)
    });
}

/// A pre-slot is connected to an event.
#[cold]
#[inline(never)]
pub(crate) fn linked(edt: u64, slot: u32, source: u64, mode: u8) {
    append(Record {
        a: mode,
        c: slot,
        ..of(Kind::Linked, edt, source)
    });
}

/// A pre-slot is satisfied.
#[cold]
#[inline(never)]
pub(crate) fn satisfied(edt: u64, slot: u32, data: u64, mode: u8) {
    append(Record {
        a: mode,
        c: slot,
        ..of(Kind::Satisfied, edt, data)
    });
}

/// An EDT is enqueued behind another.
#[cold]
#[inline(never)]
pub(crate) fn follows(edt: u64, first: u64) {
    append(of(Kind::Follows, edt, first));
}

/// An EDT is runnable, and where the policy has put it.
#[cold]
#[inline(never)]
pub(crate) fn runnable(edt: u64, place: u8) {
    append(Record {
        a: place,
        ..of(Kind::Runnable, edt, 0)
    });
}

/// A place has taken an EDT that had none.
#[cold]
#[inline(never)]
pub(crate) fn placed(edt: u64, place: u8) {
    append(Record {
        a: place,
        ..of(Kind::Placed, edt, 0)
    });
}

/// A place was considered for an EDT: what the policy expects there in queues, for copies and for the run, in nanoseconds.
#[cold]
#[inline(never)]
pub(crate) fn estimate(edt: u64, place: u8, basis: Basis, [queue, copies, run]: [u64; 3]) {
    let units = |ns: u64| (ns / 16).min(u64::from(u32::MAX));
    append(Record {
        a: place,
        b: basis.bits(),
        c: units(queue) as u32,
        ..of(Kind::Estimate, edt, units(copies) << 32 | units(run))
    });
}

/// An EDT has got a block that it waited for.
#[cold]
#[inline(never)]
pub(crate) fn granted(edt: u64, block: u64) {
    append(of(Kind::Granted, edt, block));
}

/// A block is to be brought to where an EDT runs.
#[cold]
#[inline(never)]
pub(crate) fn fetch(edt: u64, place: u8, block: u64) {
    append(Record {
        a: place,
        ..of(Kind::Fetch, edt, block)
    });
}

/// All have been brought.
#[cold]
#[inline(never)]
pub(crate) fn fetched(edt: u64) {
    append(of(Kind::Fetched, edt, 0));
}

/// A function begins on this thread. Whether it is time for the caller to look at the counters.
#[inline]
pub(crate) fn begin(edt: u64) -> bool {
    is_sample_due(append(of(Kind::Begin, edt, 0)))
}

/// It has returned.
#[inline]
pub(crate) fn end(edt: u64) {
    append(of(Kind::End, edt, 0));
}

/// An EDT is given to a device.
#[cold]
#[inline(never)]
pub(crate) fn launched(edt: u64, place: u8, token: usize) {
    append(Record {
        a: place,
        ..of(Kind::Launched, edt, token as u64)
    });
}

/// The kernel of an EDT has been seen to end. Whether it is time for the caller to look at the counters.
#[cold]
#[inline(never)]
pub(crate) fn kernel_end(edt: u64, place: u8) -> bool {
    is_sample_due(append(Record {
        a: place,
        ..of(Kind::KernelEnd, edt, 0)
    }))
}

/// How many lanes of a device can be told apart.
const LANES: usize = 16;

/// When the commands of a device have run, by the clock of the recording.
///
/// A device's clock has another zero than the host's. A command is seen to have ended after it has, so of all that were
/// seen the one that was seen soonest says how far the two are apart. Where the device tells no times, commands that
/// were seen to have ended together share the time that they took evenly.
#[derive(Default)]
pub(crate) struct DeviceTimes {
    /// The host's clock less the device's, in nanoseconds.
    apart: Option<i64>,
    /// When the last command of each lane ended, in ticks: the next does not begin before.
    ends: [u64; LANES],
}

/// A command that has ended.
pub(crate) struct Ended {
    /// The device's place.
    pub(crate) place: usize,
    /// The lane that it was in.
    pub(crate) lane: usize,
    /// When it was submitted, began and ended, by the device's clock, if that says so.
    pub(crate) times: Option<[u64; 3]>,
    /// How long it took otherwise, in nanoseconds.
    pub(crate) share_ns: u64,
    /// So many of its lane were seen to end with it, and come behind it.
    pub(crate) behind: u64,
}

impl DeviceTimes {
    /// When it ended, and how long it took, in ticks.
    fn span(&mut self, ended: &Ended) -> (u64, u64) {
        let (now, now_ns) = (now_and_length(0).0, monotonic_ns());
        let (before_ns, took_ns) = match ended.times {
            Some([_, start, end]) if start <= end && end != 0 => {
                let apart = now_ns.wrapping_sub(end) as i64;
                let apart = self.apart.map_or(apart, |known| known.min(apart));
                self.apart = Some(apart);
                let end_ns = end.wrapping_add(apart as u64);
                (now_ns.saturating_sub(end_ns), end - start)
            }
            _ => (ended.behind * ended.share_ns, ended.share_ns),
        };
        let [before, took] = [before_ns, took_ns].map(|ns| now_and_length(ns).1);
        let last = &mut self.ends[ended.lane % LANES];
        let end = now.saturating_sub(before).max(*last);
        let begin = end.saturating_sub(took).max(*last);
        *last = end;
        (end, end - begin)
    }

    /// A kernel has ended, of the launch with this token.
    #[cold]
    #[inline(never)]
    pub(crate) fn kernel(&mut self, ended: &Ended, token: usize) {
        let (ticks, took) = self.span(ended);
        append(Record {
            ticks,
            a: ended.place as u8,
            b: ended.lane as u16,
            ..of(Kind::Kernel, token as u64, took)
        });
    }

    /// A copy has ended.
    #[cold]
    #[inline(never)]
    pub(crate) fn copy(&mut self, ended: &Ended, block: u64, bytes: u64, to_device: bool) {
        let (ticks, took) = self.span(ended);
        append(Record {
            ticks,
            a: ended.place as u8,
            b: u16::from(!to_device),
            c: (took / 16).min(u64::from(u32::MAX)) as u32,
            ..of(Kind::Copy, block, bytes)
        });
    }
}

/// A block is created.
#[cold]
#[inline(never)]
pub(crate) fn block(block: u64, size: u64) {
    append(of(Kind::Block, block, size));
}

/// A block is gone.
#[cold]
#[inline(never)]
pub(crate) fn block_gone(block: u64) {
    append(of(Kind::BlockGone, block, 0));
}

/// This worker has no EDT to run. Whether it is time for the caller to look at the counters.
#[cold]
#[inline(never)]
pub(crate) fn idle() -> bool {
    is_sample_due(append(of(Kind::Idle, 0, 0)))
}

/// It has one again, or ends.
#[cold]
#[inline(never)]
pub(crate) fn busy() {
    append(of(Kind::Busy, 0, 0));
}

/// A counter is this now.
#[cold]
#[inline(never)]
pub(crate) fn counter(counter: Counter, place: u8, value: u64) {
    append(Record {
        a: counter as u8,
        b: u16::from(place),
        ..of(Kind::Counter, 0, value)
    });
}
