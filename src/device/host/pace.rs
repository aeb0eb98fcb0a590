//! In what time kernels end, and what follows: when the manager's thread looks for those that have ended, and whether
//! they are so short that they are held back.

use crate::device::{DeviceInfo, DeviceKind};
use std::time::Duration;

/// How late the end of a kernel may be reported while more are enqueued behind it: by at most so much, and at most the
/// part of what is enqueued that [`batch`] says. Each wake-up costs the device some microseconds on PoCL: its threads
/// make it, with a futex wake of a core that sleeps, in a virtual machine up to 10 us; and where they have all cores,
/// one of them goes on later, with less in its cache.
const REPORT_WITHIN_NS: u64 = 100_000;
const REPORT_LONG_WITHIN_NS: u64 = 1_000_000;
/// How late the end of a kernel may be reported at most where no thread waits for any of the kernels alone
/// ([`crate::device::Launch::awaited`]).
const REPORT_UNAWAITED_WITHIN_NS: u64 = 4_000_000;
/// A look that found nothing is followed by one so much later, at least.
const LOOK_AGAIN_NS: u64 = 50_000;
/// Kernels longer than this are worth a wake-up each.
const LOOK_UP_TO_NS: u64 = 4_000_000;
/// What a platform takes about to go from one command to the next.
const COMMAND_NS: u64 = 2_000;

/// On a device that is threads of the host, kernels of which a lane does one in less are held back (see `lane.rs`),
/// where at least `HOLD_FROM` are ready to be launched. In a graph that has fewer ready, one that waits makes others
/// wait.
const HOLD_UP_TO_NS: u64 = 15_000;
pub(crate) const HOLD_FROM: usize = 128;
/// Whether they are short is decided for this number together: one that has begun before the last look is counted from
/// that look, and a thread that wakes up takes as long as some of them.
const JUDGED: u64 = 8;
/// The time in which a lane executes the kernels that are held back at once; they are `HOLD_MOST` at most. With more,
/// the last ones would be in one lane, and the other idle.
const HOLD_FOR_NS: u64 = 500_000;
const HOLD_MOST: usize = 256;
/// Launches enqueued at once, at most. More hide longer waits, and each holds its blocks on the device.
pub(crate) const MAX_ENQUEUED: usize = 128;
/// How many of such kernels may be enqueued at once, since more must be enqueued while those that were held back run.
const MAX_SHORT_ENQUEUED: usize = 8 * MAX_ENQUEUED;
/// After this number of launches that are not held back the thread looks whether those before have ended, and were
/// short; after others when they are let go and twice as many run as may where they are not short.
pub(crate) const LOOK_EACH: usize = 16;

/// The pace of a device's kernels.
pub(crate) struct Pace {
    /// In what time, on average, a lane has done the kernels that were seen to have ended last; nanoseconds.
    last_ns: Option<u64>,
    /// The time that a lane takes for kernels that end about as fast as they are enqueued, on a device that falls
    /// asleep then; nanoseconds.
    short_ns: Option<u64>,
    /// Kernels of which it was not said yet whether they are short, and their nanoseconds.
    judged: (u64, u64),
    /// Whether the device is threads of the host, which fall asleep between kernels that end as fast as they
    /// are enqueued. One of a single unit may have no threads: PoCL's "basic" executes commands where a gate
    /// is opened, with locks held that they take again.
    falls_asleep: bool,
    /// Whether the manager's thread looks by itself at commands that a callback is to tell of. NVIDIA's driver was seen
    /// to tell of the end of a kernel 5 ms late on average. The threads of a CPU device tell at once.
    looks: bool,
}

impl Pace {
    pub(crate) fn of(device: &DeviceInfo) -> Self {
        Pace {
            last_ns: None,
            short_ns: None,
            judged: (0, 0),
            falls_asleep: device.kind == DeviceKind::Cpu && device.compute_units > 1,
            looks: device.kind != DeviceKind::Cpu,
        }
    }

    /// Notes that `kernels` kernels of a lane were seen to have ended, in `ns` nanoseconds together; gives the time of
    /// one.
    pub(crate) fn note(&mut self, kernels: u64, ns: u64) -> u64 {
        let last_ns = ns / kernels;
        self.last_ns = Some(last_ns);
        if self.falls_asleep {
            self.judged = (self.judged.0 + kernels, self.judged.1 + ns);
            if let Some(short) = judge(self.judged.0, self.judged.1) {
                self.short_ns = short;
                self.judged = (0, 0);
            }
        }
        last_ns
    }

    /// How many kernels are held back at once, at most, if they are short.
    pub(crate) fn holds(&self) -> Option<usize> {
        self.short_ns.map(held_at_once)
    }

    /// How many launches may be enqueued.
    pub(crate) fn max_enqueued(&self) -> usize {
        self.short_ns.map_or(MAX_ENQUEUED, |_| MAX_SHORT_ENQUEUED)
    }

    /// In what time the thread looks by itself where the command that has run for longest has taken `taken`: a
    /// sixteenth of that, but at least 100 us and at most 1 ms. So no end is seen later than by 1 ms, and that of short
    /// kernels no later than by 100 us. None where callbacks come in time.
    pub(crate) fn own_look(&self, taken: Duration) -> Option<Duration> {
        let (least, most) = (REPORT_WITHIN_NS, REPORT_LONG_WITHIN_NS);
        let [least, most] = [least, most].map(Duration::from_nanos);
        self.looks.then(|| (taken / 16).clamp(least, most))
    }

    /// What the thread waits for when a lane has `pending` commands pending. `awaited`: a thread waits for one of them.
    pub(crate) fn rest(&self, pending: usize, awaited: bool) -> Rest {
        // The first kernels may be long.
        let pace_ns = self.last_ns.unwrap_or(LOOK_UP_TO_NS) + COMMAND_NS;
        rest(pace_ns, pending, awaited)
    }
}

/// What the thread waits for when a lane has commands pending: the end of the `callback`-th, or
/// the time at which it looks by itself, if more is enqueued than may be reported late. Then the callback is on a later
/// command, before which the lane must be filled, in case that the kernels are shorter than the last ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Rest {
    pub(crate) callback: usize,
    pub(crate) look_ns: Option<u64>,
}

fn rest(pace_ns: u64, pending: usize, awaited: bool) -> Rest {
    let batch = batch(pace_ns, pending, awaited);
    let callback = match pace_ns {
        ..LOOK_UP_TO_NS => batch.max(pending / 4 * 3),
        _ => 1,
    };
    let ns = (pace_ns * batch as u64).max(REPORT_WITHIN_NS);
    Rest { callback, look_ns: (callback > 1).then_some(ns) }
}

/// In what time to look, where the kernels that are waited for should take `ns` and have taken `taken`:
/// somewhat before they should have ended, so that the thread does not come later each time, and then after
/// as long as they have been late, for they may be much longer than the last ones. Never later than the end of
/// a kernel may be reported.
pub(crate) fn next_look(ns: u64, taken: Duration, awaited: bool) -> Duration {
    let most = if awaited { REPORT_LONG_WITHIN_NS } else { REPORT_UNAWAITED_WITHIN_NS };
    let part = ns / 16;
    let taken = u64::try_from(taken.as_nanos()).unwrap_or(u64::MAX);
    let next = match (ns - part).checked_sub(taken) {
        Some(left @ 1..) => left,
        _ => (taken - (ns - part)).max(part).max(LOOK_AGAIN_NS),
    };
    Duration::from_nanos(next.min(most))
}

/// How many commands of a lane, of `pending` that are enqueued, may finish before the thread looks. They are as many as
/// run in the time by which an end may be reported late. Never past the middle: the lane must be filled again before it
/// runs dry.
fn batch(pace_ns: u64, pending: usize, awaited: bool) -> usize {
    let within = |ns: u64, part: usize| {
        let commands = usize::try_from(ns / pace_ns).unwrap_or(usize::MAX);
        commands.min(pending / part)
    };
    let short = within(REPORT_WITHIN_NS, 2);
    let long = if awaited {
        within(REPORT_LONG_WITHIN_NS, 16)
    } else {
        let half = within(REPORT_LONG_WITHIN_NS, 2);
        half.max(within(REPORT_UNAWAITED_WITHIN_NS, 8))
    };
    short.max(long).max(1)
}

/// The pace of `kernels` kernels that have taken `ns` nanoseconds together, if they are short; none where that
/// is not known yet.
fn judge(kernels: u64, ns: u64) -> Option<Option<u64>> {
    let together = kernels.max(JUDGED);
    if ns >= HOLD_UP_TO_NS * together {
        return Some(None);
    }
    (kernels >= JUDGED).then_some(Some(ns / together))
}

/// How many kernels of this pace are held back at once, at most.
fn held_at_once(pace_ns: u64) -> usize {
    let most = usize::try_from(HOLD_FOR_NS / pace_ns.max(1)).unwrap_or(usize::MAX);
    most.min(HOLD_MOST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_commands_are_waited_for() {
        for (pace_ns, pending) in [(2_000, 1), (60_000, 3), (60_000, 1), (2_000_000, 2)] {
            let rest = rest(pace_ns, pending, true);
            assert_eq!(rest.look_ns, None, "{pace_ns} ns, {pending} pending");
            assert_eq!(rest.callback, 1, "{pace_ns} ns, {pending} pending");
        }
    }

    #[test]
    fn long_kernels_are_waited_for_and_the_first_ones() {
        for (pace_ns, pending) in [(LOOK_UP_TO_NS, 20), (20_000_000, 1000)] {
            let rest = rest(pace_ns, pending, true);
            assert_eq!(rest.look_ns, None, "{pace_ns} ns, {pending} pending");
            assert_eq!(rest.callback, 1, "{pace_ns} ns, {pending} pending");
        }
    }

    #[test]
    fn a_look_comes_in_time_for_what_takes_longer() {
        let nanoseconds = Duration::from_nanos;
        for ns in [REPORT_WITHIN_NS, 1_000_000, LOOK_UP_TO_NS] {
            let (early, mut at) = (nanoseconds(ns - ns / 16), Duration::ZERO);
            for _ in 0..30 {
                let next = next_look(ns, at, true);
                assert!(next <= nanoseconds(REPORT_LONG_WITHIN_NS));
                assert!(at >= early || at + next <= early, "not before it should end");
                // What ends right after a look is seen late by as much as it took longer than was
                // thought, or by little.
                let little = nanoseconds(LOOK_AGAIN_NS.max(ns / 16));
                assert!(at < early || next <= little.max(at - early), "{ns} ns at {at:?}");
                at += next;
            }
        }
    }

    #[test]
    fn kernels_are_short_if_enough_of_them_are() {
        assert_eq!(judge(1, 2_000), None);
        assert_eq!(judge(JUDGED - 1, 60_000), None, "one was interrupted");
        assert_eq!(judge(JUDGED, 60_000), Some(Some(60_000 / JUDGED)));
        assert_eq!(judge(64, 64 * 2_000), Some(Some(2_000)));
        assert_eq!(judge(1, 1_000_000), Some(None), "long, without doubt");
        assert_eq!(judge(20, 20 * HOLD_UP_TO_NS), Some(None));
    }

    #[test]
    fn ends_are_looked_for_where_callbacks_may_come_late() {
        let pace = |looks| Pace { last_ns: None, short_ns: None, judged: (0, 0), falls_asleep: false, looks };
        let look = |looks, us| pace(looks).own_look(Duration::from_micros(us));
        assert_eq!(look(false, 500), None);
        for (taken, us) in [(0, 100), (1_600, 100), (8_000, 500), (60_000, 1_000)] {
            assert_eq!(look(true, taken), Some(Duration::from_micros(us)));
        }
    }

    #[test]
    fn short_kernels_are_held_back_until_longer_ones_end_on_a_device_that_falls_asleep() {
        let pace =
            |falls_asleep| Pace { last_ns: None, short_ns: None, judged: (0, 0), falls_asleep, looks: !falls_asleep };
        let (mut host, mut other) = (pace(true), pace(false));
        for pace in [&mut host, &mut other] {
            assert_eq!((pace.holds(), pace.max_enqueued()), (None, 128));
            assert_eq!(pace.note(5, 10_000), 2_000);
            assert_eq!(pace.holds(), None, "too few to say");
            pace.note(5, 10_000);
        }
        assert_eq!((host.holds(), host.max_enqueued()), (Some(250), 1024));
        assert_eq!((other.holds(), other.max_enqueued()), (None, 128));
        assert_eq!(host.note(8, 160_000), 20_000);
        assert_eq!((host.holds(), host.max_enqueued()), (None, 128));
    }

    #[test]
    fn kernels_for_which_nobody_waits_are_reported_later_but_in_time() {
        for pace_ns in [2_000, 20_000, 200_000, 1_000_000, 3_000_000] {
            for pending in [1, 2, 3, 16, 64, 500] {
                let late = |awaited| batch(pace_ns, pending, awaited);
                let case = format!("{pace_ns} ns, {pending} pending");
                assert!(late(false) >= late(true), "{case}");
                assert!(late(false) <= pending.div_ceil(2), "{case}");
                let most = REPORT_UNAWAITED_WITHIN_NS.max(pace_ns);
                assert!(late(false) as u64 * pace_ns <= most, "{case}");
                let rest = rest(pace_ns, pending, false);
                assert!(rest.callback <= pending, "{case}: {rest:?}");
            }
        }
        // Where both are the same there would be no gain.
        assert_eq!((batch(20_000, 64, true), batch(20_000, 64, false)), (5, 32));
    }

    #[test]
    fn a_full_lane_is_looked_at_in_time_and_wakes_the_thread_before_it_runs_dry() {
        let lanes = [(2_000, 1024), (2_000, 20), (60_000, 12), (130_000, 6), (400_000, 20), (2_000_000, 20)];
        for (pace_ns, pending) in lanes {
            let rest = rest(pace_ns, pending, true);
            let lane = format!("{pace_ns} ns, {pending} pending");
            assert_eq!(rest.callback, pending / 4 * 3, "{lane}");
            let look = rest.look_ns.expect("it looks by itself");
            let most = REPORT_LONG_WITHIN_NS.max(pace_ns);
            assert!((REPORT_WITHIN_NS..=most).contains(&look), "{look} ns");
        }
    }
}
