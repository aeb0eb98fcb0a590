//! Whether a device keeps all others waiting: for long, nothing has changed but that a device has something to do.
//!
//! That may be right, since a kernel may take long, so the program goes on. But a kernel that never ends, and a driver
//! that has lost a command, look the same, and without a message the user would not know where to look. So a note says
//! it: after a time, and each time when twice that has passed.
//!
//! The thread that watches looks when it looks for hangs (`watchdog.rs`). So runs are disturbed by nothing else, and
//! the time that is reported may be too short by one such interval.

use crate::device::DeviceCounters;
use crate::engine::state::fatal::fatal;
use crate::engine::state::loader;
use crate::engine::state::runtime::Runtime;
use crate::sched::sleep::SleepState;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Looks again and again at something, and tells when it has been the same for long.
pub(crate) struct Patience<T> {
    /// The time without a change after which it is reported first.
    first: Duration,
    still: Option<Still<T>>,
}

/// What has been the same since a time.
struct Still<T> {
    seen: T,
    since: Instant,
    /// The time without a change after which it is reported next.
    next: Duration,
}

impl<T: PartialEq> Patience<T> {
    /// `first` is more than 0.
    pub(crate) fn new(first: Duration) -> Patience<T> {
        Patience { first, still: None }
    }

    /// Takes in what is seen `now`; none if there is nothing to be patient with. Returns for how long it has been the
    /// same, if that must be reported now.
    pub(crate) fn look(&mut self, now: Instant, seen: Option<T>) -> Option<Duration> {
        match (&mut self.still, seen) {
            (still, None) => *still = None,
            (Some(still), Some(seen)) if still.seen == seen => {
                let long = now.saturating_duration_since(still.since);
                let is_due = long >= still.next;
                while still.next <= long {
                    still.next = still.next.saturating_mul(2);
                }
                return is_due.then_some(long);
            }
            (still, Some(seen)) => {
                *still = Some(Still { seen, since: now, next: self.first });
            }
        }
        None
    }
}

/// What changes when anything happens in a run in which all workers sleep.
#[derive(PartialEq, Eq)]
pub(crate) struct Progress {
    workers: SleepState,
    in_flight: u64,
    devices: Vec<DeviceCounters>,
}

impl Runtime {
    /// What to be patient with: all workers sleep, no EDT is ready or waits outside of its seat, and a device has
    /// something to do. None otherwise.
    fn waits_for_devices(&self) -> Option<Progress> {
        let workers = self.queues.sleep.state();
        let rests = workers.sleeping() == self.workers_left()
            && workers.searching() == 0
            && !self.queues.any_work()
            && !self.end.is_ending();
        let used = self.devices.in_use();
        if !rests || used.is_empty() || self.seats.any_away() {
            return None;
        }
        // What is in flight for long is of a device: a launch, or a block that it brings.
        let in_flight = self.in_flight.load(Ordering::SeqCst);
        (in_flight != 0).then(|| Progress {
            workers,
            in_flight,
            devices: used.iter().map(|used| used.counters()).collect(),
        })
    }

    /// Ends the program if a thread holds the lock of the dynamic loader and waits in a call, another waits for that
    /// lock, and nothing has changed for long.
    pub(crate) fn end_under_lock(&self, patience: &mut Patience<Progress>) {
        let holder = loader::wanted_from();
        let Some(long) = patience.look(Instant::now(), holder.map(|_| self.progress())) else {
            return;
        };
        let waits = holder.and_then(|holder| std::fs::read_to_string(format!("/proc/self/task/{holder}/comm")).ok());
        let name = waits.unwrap_or_default();
        fatal(&format!(
            "the program hangs: thread \"{}\" waits for the runtime in the constructor or destructor of a library, and so \
             it keeps the dynamic loader's lock. For {} s another thread has waited for that lock: one that opens a \
             library, as OpenCL's drivers do for kernels. Wait for EDTs, and end runs, when dlopen() or dlclose() has \
             returned.",
            name.trim_end(),
            long.as_secs()
        ));
    }

    fn progress(&self) -> Progress {
        Progress {
            workers: self.queues.sleep.state(),
            in_flight: self.in_flight.load(Ordering::SeqCst),
            devices: (self.devices.in_use().iter()).map(|used| used.counters()).collect(),
        }
    }

    /// Says if devices have kept all others waiting for long.
    pub(crate) fn note_patience(&self, patience: &mut Patience<Progress>) {
        if let Some(long) = patience.look(Instant::now(), self.waits_for_devices()) {
            say_text!(self.beside_checkpoints(|| self.snapshot().of_patience(long)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Looks every five seconds. Returns, for each look that tells, for how many seconds it has been so.
    fn told(patience: &mut Patience<u32>, begun: Instant, looks: &[Option<u32>]) -> Vec<u64> {
        let looks = looks.iter().enumerate();
        let told = looks.filter_map(|(at, &seen)| patience.look(begun + Duration::from_secs(5 * at as u64), seen));
        told.map(|long| long.as_secs()).collect()
    }

    #[test]
    fn what_stays_the_same_is_told_at_doubling_times() {
        let mut patience = Patience::new(Duration::from_secs(60));
        let looks = vec![Some(7); 100];
        assert_eq!(told(&mut patience, Instant::now(), &looks), [60, 120, 240, 480]);
        // If looks come late, each of them tells once, however much time has passed.
        let begun = Instant::now();
        let mut late = Patience::new(Duration::from_secs(1));
        for (second, expected) in [(0, None), (100, Some(100)), (127, None), (128, Some(128))] {
            let long = late.look(begun + Duration::from_secs(second), Some(()));
            assert_eq!(long.map(|long| long.as_secs()), expected);
        }
    }

    #[test]
    fn what_changes_or_goes_begins_anew() {
        for between in [Some(8), None] {
            let mut patience = Patience::new(Duration::from_secs(60));
            let mut looks = vec![Some(7); 12];
            looks.push(between);
            looks.extend([Some(7); 12]);
            assert_eq!(told(&mut patience, Instant::now(), &looks), [0; 0], "{between:?}");
            looks.push(Some(7));
            let mut patience = Patience::new(Duration::from_secs(60));
            assert_eq!(told(&mut patience, Instant::now(), &looks), [60], "{between:?}");
        }
    }
}
