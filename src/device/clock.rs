//! From the device's clock to the host's.
//!
//! OpenCL stamps a command with the device's time when the host enqueues it, within the enqueuing
//! call. The host's time just after that call, less that stamp, is the distance of the two clocks plus
//! a little; the smallest such difference is the best estimate. The two may drift apart (one is
//! disciplined by network time, the other not), so the estimate is let rise by a thousandth of the
//! time that passes, which is more than clocks drift.

use std::time::{Duration, Instant};

use super::Span;

pub(super) struct Clock {
    /// Host nanoseconds are counted from here.
    origin: Instant,
    /// Host nanoseconds less device nanoseconds, and the host nanoseconds when that was set.
    offset: Option<(i128, i128)>,
}

impl Clock {
    pub(super) fn new() -> Self {
        Clock {
            origin: Instant::now(),
            offset: None,
        }
    }

    fn host_ns(&self, at: Instant) -> i128 {
        at.saturating_duration_since(self.origin).as_nanos() as i128
    }

    /// Learns that the device's time was `device_ns` no later than `host`.
    pub(super) fn learn(&mut self, host: Instant, device_ns: u64) {
        let now = self.host_ns(host);
        let seen = now - i128::from(device_ns);
        self.offset = Some(match self.offset {
            Some((best, at)) => {
                let risen = best + (now - at).max(0) / 1000;
                (seen.min(risen), now)
            }
            None => (seen, now),
        });
    }

    /// The stretch from `start` to `end` on the device's clock, on the host's. `not_after` is when
    /// the end was seen.
    pub(super) fn span(&self, start: u64, end: u64, not_after: Instant) -> Option<Span> {
        let (offset, _) = self.offset?;
        let latest = self.host_ns(not_after);
        let end_ns = (i128::from(end) + offset).clamp(0, latest);
        let length = i128::from(end.saturating_sub(start));
        let start_ns = (end_ns - length).max(0);
        let at = |ns: i128| {
            u64::try_from(ns)
                .ok()
                .and_then(|ns| self.origin.checked_add(Duration::from_nanos(ns)))
        };
        Some(Span {
            start: at(start_ns)?,
            end: at(end_ns)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_keep_their_length_and_do_not_lie_ahead() {
        let mut clock = Clock::new();
        let now = clock.origin + Duration::from_millis(10);
        assert!(clock.span(1, 2, now).is_none());
        clock.learn(now, 5_000_000_000);
        let later = now + Duration::from_millis(1);
        let span = clock.span(5_000_100_000, 5_000_300_000, later).unwrap();
        assert_eq!(span.duration(), Duration::from_micros(200));
        assert_eq!(span.start, now + Duration::from_micros(100));
        let span = clock.span(5_000_100_000, 9_000_000_000, later).unwrap();
        assert_eq!(span.end, later);
    }
}
