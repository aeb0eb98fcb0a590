//! The counter whose ticks date records, and how ticks become nanoseconds.

use std::sync::OnceLock;

/// A counter that can date records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum ClockKind {
    /// The system's `CLOCK_MONOTONIC`, in nanoseconds.
    Monotonic = 0,
    /// The time stamp counter of x86.
    TimeStampCounter = 1,
}

/// The best counter of this machine: the time stamp counter where it has one speed and does not stop, otherwise
/// `CLOCK_MONOTONIC`. The answer is found once in a process.
#[inline]
pub fn kind() -> ClockKind {
    static KIND: OnceLock<ClockKind> = OnceLock::new();
    *KIND.get_or_init(|| {
        let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        if cfg!(all(target_arch = "x86_64", not(miri))) && is_constant(&text) {
            ClockKind::TimeStampCounter
        } else {
            ClockKind::Monotonic
        }
    })
}

/// Whether the text of `/proc/cpuinfo` says of all processors that their time stamp counter has one speed and does not
/// stop.
fn is_constant(cpuinfo: &str) -> bool {
    let flags = cpuinfo.lines().filter(|line| line.starts_with("flags"));
    let has = |line: &str, name: &str| line.split_ascii_whitespace().any(|flag| flag == name);
    let good = |line: &str| has(line, "constant_tsc") && has(line, "nonstop_tsc");
    flags.clone().count() != 0 && flags.into_iter().all(good)
}

/// The ticks of a counter now.
#[inline(always)]
pub fn ticks(kind: ClockKind) -> u64 {
    match kind {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: every processor of x86-64 has this instruction, which only reads a counter.
        ClockKind::TimeStampCounter => unsafe { core::arch::x86_64::_rdtsc() },
        _ => monotonic_ns(),
    }
}

/// What the system's `CLOCK_MONOTONIC` says now, in nanoseconds.
#[inline]
pub fn monotonic_ns() -> u64 {
    spent_ns(libc::CLOCK_MONOTONIC)
}

/// What a clock of the system says now, in nanoseconds: one that Linux always has, such as that of the time a thread has
/// been on a core.
#[inline]
pub fn spent_ns(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is a variable, so its address is valid for a write. `clock_gettime` cannot fail, since Linux has
    // these clocks.
    unsafe { libc::clock_gettime(clock, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// The ticks of a counter and the nanoseconds of `CLOCK_MONOTONIC` at one moment. Of several tries the shortest one is
/// taken.
pub fn pair(kind: ClockKind) -> [u64; 2] {
    let attempt = |_| {
        let before = ticks(kind);
        let ns = monotonic_ns();
        let took = ticks(kind).saturating_sub(before);
        (took, [before + took / 2, ns])
    };
    let best = (0..5).map(attempt).min_by_key(|(took, _)| *took);
    best.map_or([0, 0], |(_, pair)| pair)
}

/// How the ticks of a recording become nanoseconds since the begin of its run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    first_ticks: u64,
    /// How many nanoseconds 2^32 ticks take.
    ns: u64,
}

impl Scale {
    /// The scale by two pairs of ticks and nanoseconds: one of the begin of the run, and a later one. Where the later
    /// pair is missing, or is not later, a tick is taken for a nanosecond.
    pub fn new(first: [u64; 2], later: [u64; 2]) -> Scale {
        let ticks = later[0].saturating_sub(first[0]);
        let ns = later[1].saturating_sub(first[1]);
        let scaled = (u128::from(ns) << 32).checked_div(u128::from(ticks));
        Scale {
            first_ticks: first[0],
            ns: scaled.filter(|&ns| ns != 0).map_or(1 << 32, |ns| ns as u64),
        }
    }

    /// The time at which the counter had these ticks, in nanoseconds since the begin of the run; 0 for a time before
    /// it.
    pub fn ns(&self, ticks: u64) -> u64 {
        self.length(ticks.saturating_sub(self.first_ticks))
    }

    /// How many nanoseconds this many ticks take.
    pub fn length(&self, ticks: u64) -> u64 {
        ((u128::from(ticks) * u128::from(self.ns)) >> 32) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counter_is_taken_where_it_is_constant_everywhere() {
        let good = "flags\t\t: fpu tsc constant_tsc nonstop_tsc avx\n";
        let bad = "flags\t\t: fpu tsc constant_tsc avx\n";
        assert!(is_constant(&good.repeat(2)));
        assert!(!is_constant(&(good.to_string() + bad)));
        assert!(!is_constant(bad) && !is_constant("") && !is_constant("Features : fp asimd\n"));
    }

    #[test]
    fn ticks_become_nanoseconds() {
        let scale = Scale::new([1000, 50], [4000, 1050]);
        assert_eq!([scale.ns(1000), scale.ns(10)], [0, 0]);
        assert!(scale.ns(2500).abs_diff(500) <= 1);
        // Hours at three ticks a nanosecond.
        let hour = 3600 * 1_000_000_000;
        let scale = Scale::new([0, 0], [3 * hour, hour]);
        assert!(scale.ns(30 * hour).abs_diff(10 * hour) < 100_000);
        // A run that was killed before it was calibrated again.
        assert_eq!(Scale::new([7, 7], [0, 0]).ns(107), 100);
    }

    #[test]
    fn a_pair_is_of_one_moment() {
        for kind in [ClockKind::Monotonic, kind()] {
            let first = pair(kind);
            let later = pair(kind);
            assert!(first[0] <= later[0] && first[1] <= later[1]);
        }
    }
}
