//! Whether a device's clock counts what OpenCL says: nanoseconds, in the direction of the host's.
//!
//! Drivers have been seen whose times are zero, run backwards, or count another unit, as ticks of a timer. The first
//! two are seen at each command. A wrong unit is seen by the host's clock, since a command has begun behind the call
//! that enqueued it, and has ended before it was seen to have ended. Let `apart` be the least difference between the
//! host's time at which a command was seen to have ended and the device's of its end. For a clock that counts
//! nanoseconds, `apart` added to a time of the device is no earlier than that time by the host's clock. So if a command
//! then seems to have begun before it was enqueued, the clock is wrong:
//!
//! - where it counts too fast, since the command seems to have lasted from before that;
//! - where it counts too slowly, since it falls behind the host's from one command to the next.
//!
//! Two right clocks drift apart by less than [`DRIFT`], and are read with an error below [`SLACK`]. A clock that is
//! wrong is not asked any more: the host's tells what it can, as for devices without one.

use std::time::Instant;

/// The part of the time by which a right clock may be slower than the host's.
const DRIFT: i128 = 1000;
/// The error with which the two clocks are compared at most; nanoseconds.
const SLACK: i128 = 5_000_000;

/// When a command was ready, has begun and has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct CommandDates {
    /// When it was given to the device, in nanoseconds of the device's clock, as are the next two.
    pub(crate) submitted: u64,
    pub(crate) started: u64,
    pub(crate) ended: u64,
    /// How long ago that end was, by the host's clock, as far as is known; nanoseconds.
    pub(crate) ago_ns: u64,
}

/// What is known of a device's clock.
pub(crate) struct DeviceClock {
    /// From where the host's times are counted.
    origin: Instant,
    /// The host's clock less the device's, and when that was worked out; nanoseconds.
    apart: Option<(i128, i128)>,
    is_wrong: bool,
}

impl DeviceClock {
    pub(crate) fn new() -> DeviceClock {
        DeviceClock { origin: Instant::now(), apart: None, is_wrong: false }
    }

    /// Whether the clock counts another unit than nanoseconds, or does not go on.
    pub(crate) fn is_wrong(&self) -> bool {
        self.is_wrong
    }

    /// The times of a command that was enqueued at a time or later, and is seen to have ended now. None where they make
    /// no sense.
    pub(crate) fn dates(
        &mut self,
        [submitted, started, ended]: [u64; 3],
        enqueued: Instant,
        now: Instant,
    ) -> Option<CommandDates> {
        if self.is_wrong || started == 0 || ended < started {
            return None;
        }
        let since = |time: Instant| time.saturating_duration_since(self.origin).as_nanos() as i128;
        let (enqueued, now) = (since(enqueued), since(now));
        let seen = now - i128::from(ended);
        let apart = self.apart.map_or(seen, |(apart, at)| seen.min(apart + (now - at).max(0) / DRIFT));
        self.apart = Some((apart, now));
        if i128::from(started) + apart + SLACK < enqueued {
            self.is_wrong = true;
            return None;
        }
        let ago_ns = (now - i128::from(ended) - apart).clamp(0, now - enqueued.min(now)) as u64;
        Some(CommandDates { submitted, started, ended, ago_ns })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    const SECOND: u64 = 1_000_000_000;

    /// Runs commands one after the other, of 20 ms each every 100 ms, which are seen 3 ms after their ends; the device
    /// says `told` of each time of the host's. Returns how many of 20 were dated.
    fn dated(told: impl Fn(u64) -> u64) -> usize {
        let mut clock = DeviceClock::new();
        let at = |ms: u64| clock.origin + Duration::from_millis(ms);
        let times: Vec<_> = (0..20).map(|i| (at(1000 + 100 * i), at(1023 + 100 * i), 1000 + 100 * i)).collect();
        let mut count = 0;
        for (enqueued, now, ms) in times {
            let ns = [ms, ms, ms + 20].map(|ms| told(ms * 1_000_000));
            count += usize::from(clock.dates(ns, enqueued, now).is_some());
        }
        assert_eq!(clock.is_wrong(), count < 20 && told(SECOND) != 0 && told(2) >= told(1));
        count
    }

    #[test]
    fn a_right_clock_is_believed() {
        assert_eq!(dated(|ns| ns), 20);
        // It has an origin of its own, and drifts.
        assert_eq!(dated(|ns| ns + 77 * SECOND), 20);
        assert_eq!(dated(|ns| 5 * SECOND + ns - ns / 20_000), 20);
        assert_eq!(dated(|ns| 5 * SECOND + ns + ns / 20_000), 20);
        // It is coarse.
        assert_eq!(dated(|ns| ns / 1_000_000 * 1_000_000), 20);
    }

    #[test]
    fn another_unit_is_found_out() {
        // Microseconds, milliseconds, ticks of 19.2 MHz and of 24 MHz, half of the time.
        for unit in [1000, 1_000_000, 52, 41, 2] {
            assert!(dated(|ns| 7 * SECOND + ns / unit) <= 1, "{unit}");
        }
        // Picoseconds, ticks of 2.5 GHz.
        assert_eq!(dated(|ns| ns * 1000), 0);
        assert!(dated(|ns| ns * 5 / 2) <= 1);
        // It stands still.
        assert!(dated(|_| SECOND) <= 1);
    }

    #[test]
    fn zeros_and_ends_before_starts_are_passed_over() {
        assert_eq!(dated(|_| 0), 0);
        assert_eq!(dated(|ns| 100 * SECOND - ns), 0);
    }

    #[test]
    fn a_command_ended_no_longer_ago_than_it_was_enqueued() {
        let mut clock = DeviceClock::new();
        let at = |ms: u64| clock.origin + Duration::from_millis(ms);
        let (first, second) = ((at(10), at(30)), (at(40), at(42)));
        let dates = clock.dates([10, 10, 30].map(|ms| ms * 1_000_000), first.0, first.1);
        assert_eq!(dates.map(|dates| dates.ago_ns), Some(0));
        // By the device's clock the end is 7 ms ago, within the error, and the command was enqueued 2 ms ago.
        let dates = clock.dates([35, 36, 35 + 1].map(|ms| ms * 1_000_000), second.0, second.1);
        assert_eq!(dates.map(|dates| dates.ago_ns), Some(2_000_000));
    }
}
