//! For how long each kernel has kept its device, by the device's clock.
//!
//! That is the time by which an EDT delays what waits behind it: the run time of its kernel, and the gap before it, in
//! which the device had nothing to do but to begin it. What the kernel waited for before that, other kernels or the
//! copies of its blocks, is not charged to it. Where kernels of several queues run at the same time, each is charged
//! its share of that time.
//!
//! The manager sees in batches which kernels have ended: those of one queue in order, but one queue after the other. So
//! a batch of all queues is put on one line of time here. When a kernel that has not ended yet has begun is not known.
//! Of the kernels that ran beside this one, those that have not ended are unknown. Their number is taken to equal the
//! number of those that had ended before the batch, on average, and is at most the number of queues with pending
//! kernels. So where queues run kernels of the same length beside each other, each is charged its share, whichever ends
//! first. Where they begin together, the first is charged the whole time, and the later ones their shares of it: that
//! time is charged more than once.
//!
//! How many kernels ran beside each other is also reported to a policy ([`Occupancy::at_once`]): a device that runs
//! many at once stands idle in part if it is given few.

/// When a kernel could have begun, has begun and has ended, in nanoseconds of the device's clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Span {
    /// From then on nothing but the device kept it from running, as far as OpenCL tells; never later than `started`.
    pub(crate) ready: u64,
    pub(crate) started: u64,
    pub(crate) ended: u64,
}

impl Span {
    /// None where the clock makes no sense: a start at 0, or an end before the start.
    pub(crate) fn new(ready: u64, started: u64, ended: u64) -> Option<Span> {
        let span = Span { ready: ready.min(started), started, ended };
        (started != 0 && started <= ended).then_some(span)
    }
}

/// How many kernels for each queue are remembered from one batch to the next: those that ended last. They may have run
/// beside kernels of the next batch.
const REMEMBERED: usize = 2;
/// A new kernel counts for this part of what is said of how many run at once.
const NEWS: f64 = 1.0 / 8.0;

/// What a device did last.
pub(crate) struct Occupancy {
    /// How many queues for kernels the device has.
    queues: usize,
    /// The kernels that are remembered: the last ones to end.
    last: Vec<Span>,
    /// How many kernels ran at once, on average of the last ones.
    at_once: f64,
    /// The starts and ends of a batch: when, whether it is a start, and the number of the kernel. It is made anew for
    /// each batch, as `running` is, and kept for its memory alone.
    bounds: Vec<(u64, bool, usize)>,
    /// The numbers of the kernels that run at one time.
    running: Vec<usize>,
    /// What is known of each kernel of a batch.
    charges: Vec<Charge>,
}

/// For how long a kernel has kept its device, as it is worked out; nanoseconds.
#[derive(Clone, Copy, Default)]
struct Charge {
    /// Nanoseconds before its begin in which the device had nothing to do but to begin it.
    gap: u64,
    /// Its shares of the time in which it ran, among those of which it is known that they ran.
    share: u64,
    /// The sum over its run time of the number of kernels that are known to have run, itself among them: nanoseconds
    /// times kernels.
    known: u64,
    /// The part of `known` that is due to kernels which had ended before the batch; nanoseconds times kernels.
    before: u64,
}

impl Charge {
    /// What it is charged, where `unended` of `queues` queues have a kernel that has not ended.
    fn total(self, span: &Span, unended: usize, queues: usize) -> u64 {
        if unended == 0 || self.before == 0 {
            return self.gap + self.share;
        }
        let ns = (span.ended - span.started) as f64;
        let (known, before) = (self.known as f64 / ns, self.before as f64 / ns);
        // No more run at once than there are queues.
        let all = (known + before.min(unended as f64)).min(queues as f64);
        self.gap + (ns / all) as u64
    }
}

impl Occupancy {
    /// Makes the books of a device that has `queues` queues for kernels.
    pub(crate) fn new(queues: usize) -> Occupancy {
        Occupancy {
            queues,
            last: Vec::new(),
            at_once: 1.0,
            bounds: Vec::new(),
            running: Vec::new(),
            charges: Vec::new(),
        }
    }

    /// How many kernels the device has lately run at once; at least 1.
    pub(crate) fn at_once(&self) -> usize {
        (self.at_once.round() as usize).min(self.queues)
    }

    /// When the device has last ended a kernel, as far as is known.
    pub(crate) fn last_end(&self) -> u64 {
        let ends = self.last.iter().map(|span| span.ended);
        ends.max().unwrap_or(0)
    }

    /// Puts into `times`, for each kernel of a batch, for how many nanoseconds it has kept the device; at least 1. So
    /// many queues have a kernel that has not ended.
    pub(crate) fn charge(&mut self, batch: &[Span], unended: usize, times: &mut Vec<u64>) {
        times.clear();
        self.charges.clear();
        self.charges.resize(batch.len(), Charge::default());
        let Some(first) = batch.iter().map(|span| span.started).min() else {
            return;
        };
        let mut idle_from = 0;
        self.bounds.clear();
        // Behind the numbers of the batch are those of the kernels that are remembered. One that had ended before is
        // not charged any more, and says only since when the device was idle.
        for (number, span) in batch.iter().chain(&self.last).enumerate() {
            if number >= batch.len() && (span.ended <= first || span.started == span.ended) {
                idle_from = idle_from.max(span.ended);
                continue;
            }
            self.bounds.push((span.started, true, number));
            self.bounds.push((span.ended, false, number));
        }
        // Where one ends when another begins, the end comes first. A kernel of the batch that took no time begins
        // before it ends.
        let of = |number: usize| batch.get(number);
        self.bounds.sort_unstable_by_key(|&(at, begins, number)| {
            let is_empty = of(number).is_some_and(|span| span.started == span.ended);
            (at, begins || is_empty, !begins, number)
        });
        self.running.clear();
        let mut now = 0;
        for &(at, begins, number) in &self.bounds {
            let (passed, all) = (at - now, self.running.len() as u64);
            let of_batch = self.running.iter().filter(|&&number| number < batch.len());
            let before = all - of_batch.count() as u64;
            for &number in &self.running {
                if let Some(charge) = self.charges.get_mut(number) {
                    charge.share += passed / all;
                    charge.known = charge.known.saturating_add(passed.saturating_mul(all));
                    charge.before = charge.before.saturating_add(passed.saturating_mul(before));
                }
            }
            now = at;
            if begins {
                if self.running.is_empty()
                    && let Some(span) = of(number)
                {
                    self.charges[number].gap = at - span.ready.max(idle_from).min(at);
                }
                self.running.push(number);
            } else {
                self.running.retain(|&running| running != number);
                idle_from = at;
            }
        }
        let charges = batch.iter().zip(&self.charges);
        times.extend(charges.map(|(span, charge)| charge.total(span, unended, self.queues).max(1)));
        for (span, time) in batch.iter().zip(&*times) {
            // The gap before a kernel is charged to it, and so it may seem to run beside less than itself.
            let beside = ((span.ended - span.started) as f64 / *time as f64).max(1.0);
            self.at_once += (beside - self.at_once) * NEWS;
        }
        self.last.extend_from_slice(batch);
        self.last.sort_unstable_by_key(|span| std::cmp::Reverse(span.ended));
        self.last.truncate(REMEMBERED * self.queues);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn span(ready: u64, started: u64, ended: u64) -> Span {
        Span::new(ready, started, ended).expect("a clock that makes sense")
    }

    fn charge(batches: &[&[Span]]) -> Vec<u64> {
        let (mut occupancy, mut times, mut all) = (Occupancy::new(2), Vec::new(), Vec::new());
        for batch in batches {
            occupancy.charge(batch, 0, &mut times);
            all.extend_from_slice(&times);
        }
        all
    }

    #[test]
    fn kernels_that_alternate_in_two_queues_are_charged_their_own_time() {
        // Four of 100, one after the other, with gaps of 5; each was sent long before.
        let line: Vec<Span> = (0..4).map(|n| 1000 + n * 105).map(|at| span(10, at, at + 100)).collect();
        let [a, b, c, d] = line[..] else { unreachable!() };
        // The first has waited for nothing but the device since it was sent.
        assert_eq!(charge(&[&[a, c, b, d]]), [1090, 105, 105, 105]);
        assert_eq!(charge(&[&[a], &[b], &[c], &[d]])[1..], [105, 105, 105]);
        assert_eq!(charge(&[&[a, c], &[d]]), [1090, 210, 105]);
    }

    #[test]
    fn what_a_kernel_waited_for_is_not_its_own() {
        assert_eq!(charge(&[&[span(1000, 1000, 1100)], &[span(5000, 5020, 5120)]]), [100, 120]);
    }

    #[test]
    fn kernels_that_run_beside_each_other_share_the_time() {
        let (a, b) = (span(100, 100, 300), span(100, 100, 300));
        assert_eq!(charge(&[&[a, b]]), [100, 100]);
        let long = span(100, 100, 1100);
        let short = span(100, 300, 500);
        assert_eq!(charge(&[&[long, short]]), [900, 100]);
        // The short one was seen before; the long one is charged what is left.
        assert_eq!(charge(&[&[short], &[long]]), [400, 900]);
    }

    /// Eight queues with kernels of 800 that end 100 after each other, each seen by itself.
    #[test]
    fn kernels_that_end_in_turns_are_charged_their_shares() {
        let (mut occupancy, mut times, mut all) = (Occupancy::new(8), Vec::new(), Vec::new());
        for number in 0..64 {
            let begin = 1000 + 100 * number;
            occupancy.charge(&[span(begin, begin, begin + 800)], 7, &mut times);
            all.extend_from_slice(&times);
        }
        // The first ones cannot know of those before them.
        assert!(all[8..].iter().all(|ns| (90..130).contains(ns)), "{all:?}");
        assert_eq!(occupancy.at_once(), 8);
        // The kernels are as before, but each comes when the one before has ended, though seven queues have others.
        for number in 0..64 {
            let begin = 100_000 + 800 * number;
            occupancy.charge(&[span(begin, begin, begin + 800)], 7, &mut times);
            assert_eq!(times, [800], "kernel {number}");
        }
        assert_eq!(occupancy.at_once(), 1);
    }

    #[test]
    fn clocks_that_make_no_sense_are_refused() {
        assert_eq!(Span::new(0, 0, 0), None);
        assert_eq!(Span::new(5, 20, 10), None);
        assert_eq!(Span::new(50, 20, 30), Some(span(20, 20, 30)));
    }

    proptest! {
        #[test]
        fn no_time_is_charged_twice(
            kernels in prop::collection::vec((0u64..50, 0u64..100, 0u64..100), 1..60),
            queues in 1usize..4,
        ) {
            // Each queue in order; the batch is one queue behind the other, as it is seen.
            let mut ends = vec![1u64; queues];
            let mut batch: Vec<Vec<Span>> = vec![Vec::new(); queues];
            for (number, &(wait, gap, length)) in kernels.iter().enumerate() {
                let queue = number % queues;
                let ready = ends[queue] + wait;
                ends[queue] = ready + gap + length;
                batch[queue].push(span(ready, ready + gap, ready + gap + length));
            }
            let batch: Vec<Span> = batch.concat();
            let times = charge(&[&batch]);
            let last = ends.iter().max().expect("a queue");
            prop_assert!(times.iter().sum::<u64>() <= last + batch.len() as u64);
            for (span, time) in batch.iter().zip(&times) {
                prop_assert!(*time <= (span.ended - span.ready).max(1));
            }
        }
    }
}
