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

/// What a clock of the system says now, in nanoseconds: one that Linux always has, such as that of the time a thread
/// has been on a core.
#[inline]
pub fn spent_ns(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a variable, so its address is valid for a write. `clock_gettime` cannot fail, since Linux has
    // these clocks.
    unsafe { libc::clock_gettime(clock, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// What the system has done for a thread since that began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SystemUse {
    /// How many nanoseconds on a core the thread was in the system.
    pub ns: u64,
    /// How many pages the system has brought when the thread touched them, from disks or not.
    pub faults: u64,
    /// How often the thread has given up its core to wait for something.
    pub waits: u32,
}

/// What the system has done for this thread. All zeros where it does not say.
pub fn system_use() -> SystemUse {
    let mut its = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: `its` is a variable of the type that the call fills, so its address is valid for that.
    unsafe { libc::getrusage(libc::RUSAGE_THREAD, its.as_mut_ptr()) };
    // SAFETY: it has numbers alone, all of which are zeros where the call has not written them.
    let its = unsafe { its.assume_init() };
    let faults = its.ru_minflt.max(0) as u64 + its.ru_majflt.max(0) as u64;
    SystemUse {
        ns: its.ru_stime.tv_sec.max(0) as u64 * 1_000_000_000 + its.ru_stime.tv_usec.max(0) as u64 * 1000,
        faults,
        waits: its.ru_nvcsw.clamp(0, i64::from(u32::MAX)) as u32,
    }
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

/// Pairs that follow each other sooner than this, in nanoseconds, say too little of the speed of the counter.
const SHORTEST_NS: u64 = 500_000;
/// No counter of a machine has more ticks in a nanosecond.
const MOST_TICKS: u64 = 10;
/// By how many nanoseconds a pair may be beside the line of those before it: as much as a thread waits between its two
/// looks, and a thousandth of the time, twice as much as the system corrects its clock by.
const MAY_DIFFER_NS: u64 = 100_000;
const MAY_DIFFER_PART: u64 = 1000;

/// Follows the two clocks of a run. They have the same speed all the time, unless the machine is suspended, or a
/// virtual machine is stopped or moved: then one of them goes on, and the other does not.
#[derive(Clone, Copy, Debug)]
pub struct Calibration {
    /// The pair from which on the two clocks have gone alike.
    start: [u64; 2],
    /// The last pair.
    last: [u64; 2],
}

impl Calibration {
    /// Begins with the first pair of ticks and nanoseconds.
    pub fn new(first: [u64; 2]) -> Calibration {
        Calibration { start: first, last: first }
    }

    /// Follows the clocks to a later pair. Returns the pair before it, if the clocks have gone apart since then.
    pub fn follow(&mut self, pair: [u64; 2]) -> Option<[u64; 2]> {
        let [ticks, ns] = [0, 1].map(|at| pair[at].saturating_sub(self.last[at]));
        if ns < SHORTEST_NS && ticks < SHORTEST_NS * MOST_TICKS && pair[0] >= self.last[0] {
            return None;
        }
        let before = std::mem::replace(&mut self.last, pair);
        let [base_ticks, base_ns] = [0, 1].map(|at| before[at].saturating_sub(self.start[at]));
        let expected = (u128::from(ticks) * u128::from(base_ns)).checked_div(u128::from(base_ticks))?;
        let most = MAY_DIFFER_NS + ns.max(expected as u64) / MAY_DIFFER_PART;
        let is_apart = expected.abs_diff(u128::from(ns)) > u128::from(most);
        if is_apart {
            self.start = pair;
        }
        is_apart.then_some(before)
    }

    /// How many ticks 2^30 ns take, by the pairs since the clocks go alike. None before there are two.
    pub fn speed(&self) -> Option<u64> {
        let [ticks, ns] = [0, 1].map(|at| self.last[at].saturating_sub(self.start[at]));
        let speed = (u128::from(ticks) << 30).checked_div(u128::from(ns))?;
        u64::try_from(speed).ok().filter(|speed| *speed != 0)
    }
}

/// A time in which the two clocks have gone apart, in nanoseconds since the begin of the run, by the system's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Apart {
    /// When it began.
    pub begin: u64,
    /// When it ended.
    pub end: u64,
    /// How long it was by the counter, at its speed in the rest of the run.
    pub counted: u64,
}

/// How the ticks of a recording become nanoseconds since the begin of its run: on lines between moments at which both
/// clocks are known.
#[derive(Clone, Debug, PartialEq)]
pub struct Scale {
    /// The moments: ticks, and nanoseconds since the begin of the run. There is at least one.
    moments: Vec<[u64; 2]>,
    /// How many nanoseconds 2^32 ticks take, where the clocks go alike.
    ns: u64,
}

impl Scale {
    /// The scale by pairs of ticks and nanoseconds: one of the begin of the run, those before and after each time in
    /// which the clocks have gone apart, and a later one. A pair that is missing, or is not later than the one before
    /// it, is left out. Where there is no later pair at all, a tick is taken for a nanosecond.
    pub fn new(first: [u64; 2], apart: &[[[u64; 2]; 2]], later: [u64; 2]) -> Scale {
        let mut moments = vec![[first[0], 0]];
        // The longest line on which the clocks go alike gives their speed best.
        let mut longest = [0, 0];
        let mut see = |pair: [u64; 2], goes_alike: bool| {
            let ns = pair[1].saturating_sub(first[1]);
            let last = moments[moments.len() - 1];
            if pair[0] <= last[0] || ns < last[1] {
                return;
            }
            let line = [pair[0] - last[0], ns - last[1]];
            if goes_alike && line[1] > longest[1] {
                longest = line;
            }
            moments.push([pair[0], ns]);
        };
        for [before, after] in apart {
            see(*before, true);
            see(*after, false);
        }
        see(later, true);
        let scaled = (u128::from(longest[1]) << 32).checked_div(u128::from(longest[0]));
        let scaled = scaled.and_then(|ns| u64::try_from(ns).ok());
        Scale { moments, ns: scaled.filter(|ns| *ns != 0).unwrap_or(1 << 32) }
    }

    /// The time at which the counter had these ticks, in nanoseconds since the begin of the run; 0 for a time before
    /// it.
    pub fn ns(&self, ticks: u64) -> u64 {
        let after = self.moments.partition_point(|moment| moment[0] <= ticks);
        let Some(before) = after.checked_sub(1).map(|at| self.moments[at]) else {
            return 0;
        };
        let since = ticks - before[0];
        match self.moments.get(after) {
            // No more than the two moments are apart, so it fits.
            Some(next) => {
                let part = u128::from(since) * u128::from(next[1] - before[1]);
                before[1] + (part / u128::from(next[0] - before[0])) as u64
            }
            None => before[1].saturating_add(self.length(since)),
        }
    }

    /// How many nanoseconds this many ticks take where the clocks go alike.
    fn length(&self, ticks: u64) -> u64 {
        let ns = (u128::from(ticks) * u128::from(self.ns)) >> 32;
        u64::try_from(ns).unwrap_or(u64::MAX)
    }

    /// How many ticks `ns` nanoseconds take where the clocks go alike.
    pub fn ticks(&self, ns: u64) -> u64 {
        let ticks = (u128::from(ns) << 32) / u128::from(self.ns);
        u64::try_from(ticks).unwrap_or(u64::MAX)
    }

    /// How many nanoseconds something took that ended when the counter had `end`, and took this many ticks.
    pub fn took(&self, end: u64, ticks: u64) -> u64 {
        match end.checked_sub(ticks) {
            Some(begin) if begin >= self.moments[0][0] => self.ns(end) - self.ns(begin),
            _ => self.length(ticks),
        }
    }

    /// A time in which the clocks have gone apart, by the pairs before and after it.
    pub fn apart(&self, [before, after]: [[u64; 2]; 2]) -> Apart {
        let [begin, end] = [before, after].map(|pair| self.ns(pair[0]));
        Apart { begin, end, counted: self.length(after[0].saturating_sub(before[0])) }
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
        let scale = Scale::new([1000, 50], &[], [4000, 1050]);
        assert_eq!([scale.ns(1000), scale.ns(10)], [0, 0]);
        assert!(scale.ns(2500).abs_diff(500) <= 1);
        assert!(scale.ns(7000).abs_diff(2000) <= 1);
        // Hours at three ticks a nanosecond.
        let hour = 3600 * 1_000_000_000;
        let scale = Scale::new([0, 0], &[], [3 * hour, hour]);
        assert!(scale.ns(30 * hour).abs_diff(10 * hour) < 100_000);
        assert!(scale.took(3 * hour, 3000).abs_diff(1000) <= 1);
        // A run that was killed before it was calibrated again.
        assert_eq!(Scale::new([7, 7], &[], [0, 0]).ns(107), 100);
        // Numbers of a file that is damaged.
        let most = u64::MAX;
        let scale = Scale::new([0, most], &[[[most, 0], [1, most]]], [most, 1]);
        assert_eq!((scale.ns(0), scale.took(most, most)), (0, 0));
        Scale::new([0, 0], &[], [1, most]).ns(most);
    }

    /// Pairs each 5 ms at three ticks a nanosecond. The machine is suspended for a second between two of them: the
    /// system's clock stands still, and the counter goes on.
    #[test]
    fn a_machine_that_was_suspended_is_seen() {
        const MS: u64 = 1_000_000;
        const AWAY: u64 = 3000 * MS;
        let pairs = (1..=20).map(|n| [15 * MS * n + if n > 10 { AWAY } else { 0 }, 5 * MS * n]);
        let mut known = Calibration::new([0, 0]);
        let apart: Vec<_> = pairs.filter_map(|pair| Some([known.follow(pair)?, pair])).collect();
        let [before, after] = [[150 * MS, 50 * MS], [165 * MS + AWAY, 55 * MS]];
        assert_eq!(apart, [[before, after]]);
        assert_eq!(known.speed(), Some(3 << 30));
        let scale = Scale::new([0, 0], &apart, [300 * MS + AWAY, 100 * MS]);
        // 20 ms before it, and 20 ms after it.
        assert_eq!(scale.ns(90 * MS) - scale.ns(30 * MS), 20 * MS);
        let late = 200 * MS + AWAY;
        assert!((scale.ns(late + 60 * MS) - scale.ns(late)).abs_diff(20 * MS) <= 1);
        assert!(scale.took(late + 60 * MS, 60 * MS).abs_diff(20 * MS) <= 1);
        let told = scale.apart(apart[0]);
        assert_eq!((told.begin, told.end), (50 * MS, 55 * MS));
        assert!(told.counted.abs_diff(1005 * MS) < 100);
        // One line between the ends, as it would be without the pairs between them, has them all wrong.
        let ends = Scale::new([0, 0], &[], [300 * MS + AWAY, 100 * MS]);
        assert!(ends.ns(90 * MS) - ends.ns(30 * MS) < 2 * MS);
    }

    #[test]
    fn clocks_that_go_alike_are_not_accused() {
        // Pairs at odd times, each some microseconds wrong, and of a clock whose speed is corrected meanwhile.
        let mut known = Calibration::new([0, 0]);
        let (mut ticks, mut ns) = (0, 0);
        for n in 1..5000_u64 {
            let more = 1000 + n % 7 * 3_000_000 + n % 900 * 40_000;
            ticks += more;
            ns += more / 3;
            if n > 2500 {
                ns += more / 3 / 4000;
            }
            let wrong = n * 7919 % 40_000;
            assert_eq!(known.follow([ticks, ns + wrong]), None, "{n}");
        }
        // A counter that went back is one that was set anew.
        assert!(known.follow([5, ns + 6_000_000]).is_some());
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
