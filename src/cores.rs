//! The cores that the process may use, and how workers and the compute units of CPU devices share them.
//!
//! A CPU device computes on the cores on which workers run EDTs, too. Where both work on one core, neither takes the
//! time that it would take alone, and a comparison of the two says nothing. So each side has cores of its own while
//! both work, if the process may use two cores at least. What each side has is a set: the system may move a thread from
//! one core of its set to another.
//!
//! | how they share | where |
//! |---|---|
//! | all cores are the workers', and a device has some for as long as kernels use them better (`engine/state/lending.rs`) | under a policy that asks for it (`Policy::shares_cores`), with `OCR_BIND=auto`, where there is not room for all |
//! | each side has a fixed share ([`divide`]) | where there is room for all, where `OCR_WORKERS` leaves cores, under other policies, and with `OCR_BIND=fixed` and `cores` |
//! | all share all | with `OCR_BIND=off`, where `OCR_WORKERS` leaves none under other policies, and on one core |

use ocr_base::text::read_file;
pub use ocr_place::cores::divide;
use ocr_place::cores::units_of;
use std::{fmt, io};

/// The words of cores that the system is asked for: 8192 cores, as many as Linux can be built for.
const WORDS: usize = 8192 / WORD_BITS;
const WORD_BITS: usize = libc::c_ulong::BITS as usize;
type Words = [libc::c_ulong; WORDS];

/// A set of cores, by the numbers that the system gives them, in order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CoreSet(Vec<usize>);

impl CoreSet {
    /// The cores on which a thread of this process may run; 0 is the thread that asks.
    ///
    /// # Errors
    /// The system does not tell.
    pub fn of_thread(thread: libc::pid_t) -> io::Result<CoreSet> {
        let mut words: Words = [0; WORDS];
        // SAFETY: the call writes at most as many bytes as are said to be there; every pattern of bits is a number.
        let result = unsafe { libc::sched_getaffinity(thread, size_of::<Words>(), words.as_mut_ptr().cast()) };
        if result != 0 {
            return Err(io::Error::last_os_error());
        }
        let is_in = |core: &usize| words[core / WORD_BITS] >> (core % WORD_BITS) & 1 != 0;
        Ok(CoreSet((0..WORDS * WORD_BITS).filter(is_in).collect()))
    }

    /// Has a thread of this process run on these cores alone; 0 is the thread that asks.
    ///
    /// # Errors
    /// The thread is gone, none of these cores is there, or the system refuses.
    pub fn bind(&self, thread: libc::pid_t) -> io::Result<()> {
        let mut words: Words = [0; WORDS];
        for core in &self.0 {
            words[core / WORD_BITS] |= 1 << (core % WORD_BITS);
        }
        // SAFETY: the call reads as many bytes as are there.
        let result = unsafe { libc::sched_setaffinity(thread, size_of::<Words>(), words.as_ptr().cast()) };
        match result {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// How many cores the set has.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Whether each of these cores is one of the others.
    pub fn is_within(&self, others: &CoreSet) -> bool {
        (self.0.iter()).all(|core| others.0.binary_search(core).is_ok())
    }

    /// Each core alone, in the order in which threads are to take them: first one hardware thread of each core of the
    /// processor, then their neighbours.
    pub fn spread(&self) -> Vec<CoreSet> {
        self.spread_by(neighbours)
    }

    fn spread_by(&self, place: impl Fn(usize) -> Neighbours) -> Vec<CoreSet> {
        let places: Vec<Neighbours> = self.0.iter().map(|&core| place(core)).collect();
        let turn = |at: usize| places[..at].iter().filter(|it| **it == places[at]).count();
        let mut order: Vec<usize> = (0..places.len()).collect();
        order.sort_by_cached_key(|&at| (turn(at), at));
        order.into_iter().map(|at| CoreSet(vec![self.0[at]])).collect()
    }

    /// The cores of the set from one place in its order up to another, as far as it has them.
    pub(crate) fn part(&self, from: usize, end: usize) -> CoreSet {
        CoreSet(self.0.iter().copied().take(end).skip(from).collect())
    }

    /// Divides the set: the second part has `last` cores, one at least, and the first one has the rest, but one at
    /// least.
    pub(crate) fn split(&self, last: usize) -> (CoreSet, CoreSet) {
        let most = self.count().saturating_sub(1).max(1);
        match self.count() {
            0 | 1 => (self.clone(), self.clone()),
            _ => self.split_off(last.clamp(1, most), neighbours),
        }
    }

    /// Divides the set: the second part has `last` cores, and the first one has the rest. Neighbours stay together as
    /// far as that can be, since two threads of one core do not have its whole speed each.
    fn split_off(&self, last: usize, place: impl Fn(usize) -> Neighbours) -> (CoreSet, CoreSet) {
        let mut cores = self.0.clone();
        cores.sort_by_cached_key(|&core| (place(core), core));
        let mut end = cores.split_off(cores.len() - last);
        cores.sort_unstable();
        end.sort_unstable();
        (CoreSet(cores), CoreSet(end))
    }
}

/// Has a thread, when it wakes up, wait until the thread that computes on its core has to wait or has used up its time,
/// instead of going first. The thread gets its share of the core as before. Does nothing where the system refuses, or
/// where the user has given the thread another policy than the usual one; true if it has done so.
pub(crate) fn let_others_finish(thread: libc::pid_t) -> bool {
    change_policy(thread, libc::SCHED_OTHER, libc::SCHED_BATCH)
}

/// Takes back what [`let_others_finish`] has done to a thread, or to the one that has started it.
pub(crate) fn go_first_again(thread: libc::pid_t) {
    change_policy(thread, libc::SCHED_BATCH, libc::SCHED_OTHER);
}

/// Gives a thread of one scheduling policy another; true if it has that now.
fn change_policy(thread: libc::pid_t, from: libc::c_int, to: libc::c_int) -> bool {
    // SAFETY: the call only asks.
    if unsafe { libc::sched_getscheduler(thread) } != from {
        return false;
    }
    let no_priority = libc::sched_param { sched_priority: 0 };
    // SAFETY: the call reads the parameter, which is there.
    unsafe { libc::sched_setscheduler(thread, to, &no_priority) == 0 }
}

impl fmt::Display for CoreSet {
    /// Writes the cores as the system writes lists: `0-3,8`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = &self.0[..];
        let mut comma = "";
        while let Some(&first) = rest.first() {
            let len = (rest.iter().enumerate()).take_while(|&(at, &core)| core == first + at).count();
            match len {
                1 => write!(f, "{comma}{first}")?,
                len => write!(f, "{comma}{first}-{}", first + len - 1)?,
            }
            comma = ",";
            rest = &rest[len..];
        }
        Ok(())
    }
}

/// What neighbours have in common: the package, and the core of it whose hardware threads they are. The system gives
/// each hardware thread a number, and that is what is called a core everywhere else here.
type Neighbours = (u32, u32);

/// What a core has in common with its neighbours. Where the system does not tell, it has none.
fn neighbours(core: usize) -> Neighbours {
    let about = |what: &str| {
        let file = format!("/sys/devices/system/cpu/cpu{core}/topology/{what}");
        read_file(file).ok()?.trim().parse().ok()
    };
    let place = || Some((about("physical_package_id")?, about("core_id")?));
    place().unwrap_or((0, core as u32))
}

/// Whether CPU devices have cores of the workers' for as long as kernels use them, where a policy asks for that, and
/// not a share of their own: where not all workers that are wanted find a core beside the devices.
pub fn are_lent(shares: Option<&Shares>, workers: usize) -> bool {
    shares.is_none_or(|shares| shares.workers != workers)
}

/// Which cores workers have, and which the CPU devices.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shares {
    /// How many workers run EDTs: at most as many as `of_workers` has cores.
    pub workers: usize,
    /// How many compute units work, of all CPU devices together: at most as many as `of_devices` has cores.
    pub units: usize,
    /// The cores of the workers.
    pub of_workers: CoreSet,
    /// The cores of the devices.
    pub of_devices: CoreSet,
}

impl Shares {
    /// Shares out the cores of a set, of which a quota may leave `usable` that are busy at a time. [`divide`] tells of
    /// the other arguments, and where the answer is none.
    ///
    /// Without a quota the devices get as many cores as compute units, and the workers all others, since functions may
    /// start threads of their own. With one, there are more cores than may be busy, and the devices get the same part
    /// of them.
    pub fn new(all: &CoreSet, usable: usize, workers: usize, is_fixed: bool, units: usize) -> Option<Shares> {
        Shares::with(all, usable, (workers, is_fixed), units, neighbours)
    }

    fn with(
        all: &CoreSet,
        usable: usize,
        (workers, is_fixed): (usize, bool),
        units: usize,
        place: impl Fn(usize) -> Neighbours,
    ) -> Option<Shares> {
        let cores = usable.min(all.count());
        let (workers, units) = divide(cores, workers, is_fixed, units)?;
        let (of_workers, of_devices) = all.split_off(all.count() * units / cores, place);
        Some(Shares { workers, units, of_workers, of_devices })
    }

    /// How many of its own units a device keeps, of `all` that the devices have together: its part of the share, and
    /// one at least. Therefore many small devices may keep more units than the share has.
    pub fn units_of(&self, own: usize, all: usize) -> usize {
        units_of(own, all, self.units)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(cores: impl IntoIterator<Item = usize>) -> CoreSet {
        CoreSet(cores.into_iter().collect())
    }

    #[test]
    fn both_sides_find_room_or_get_half() {
        // What finds room stays.
        assert_eq!(divide(8, 2, false, 4), Some((2, 4)));
        assert_eq!(divide(8, 4, true, 4), Some((4, 4)));
        // Half each, and the odd core is a worker's.
        assert_eq!(divide(2, 2, false, 2), Some((1, 1)));
        assert_eq!(divide(3, 3, false, 3), Some((2, 1)));
        assert_eq!(divide(64, 64, false, 64), Some((32, 32)));
        // A small device, and more units than there are cores, as a quota makes it.
        assert_eq!(divide(8, 8, false, 2), Some((6, 2)));
        assert_eq!(divide(2, 2, false, 64), Some((1, 1)));
    }

    #[test]
    fn who_asks_for_workers_gets_them() {
        assert_eq!(divide(2, 1, true, 2), Some((1, 1)));
        assert_eq!(divide(8, 6, true, 8), Some((6, 2)));
        assert_eq!(divide(8, 8, true, 8), None);
        assert_eq!(divide(2, 9, true, 1), None);
    }

    #[test]
    fn one_core_cannot_be_shared_out() {
        assert_eq!(divide(1, 1, false, 1), None);
        assert_eq!(divide(0, 1, false, 1), None);
        assert_eq!(divide(4, 2, false, 0), None);
    }

    #[test]
    fn no_side_is_empty_nor_more_than_there_is() {
        for cores in 0..20 {
            for workers in 1..25 {
                for units in 0..25 {
                    for fixed in [false, true] {
                        let Some((w, u)) = divide(cores, workers, fixed, units) else {
                            continue;
                        };
                        let what = (cores, workers, units, fixed);
                        assert!(w >= 1 && u >= 1 && w + u <= cores, "{what:?}");
                        assert!(w <= workers && u <= units, "{what:?}");
                        assert!(!fixed || w == workers, "{what:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn sets_are_disjoint_and_keep_threads_of_a_core_together() {
        // Four cores of two threads each, numbered as Intel's are.
        let all = set(0..8);
        let place = |core: usize| (0, core as u32 % 4);
        let shares = Shares::with(&all, 8, (8, false), 8, place).expect("there is room");
        assert_eq!((shares.workers, shares.units), (4, 4));
        assert_eq!(shares.of_workers, set([0, 1, 4, 5]));
        assert_eq!(shares.of_devices, set([2, 3, 6, 7]));
        // Workers have what the devices do not need, of the cores that the process has.
        let shares = Shares::with(&set([1, 3, 5, 7]), 4, (1, true), 1, |_| (0, 0)).expect("room");
        assert_eq!(shares.of_workers, set([1, 3, 5]));
        assert_eq!(shares.of_devices, set([7]));
    }

    #[test]
    fn threads_spread_over_cores_before_they_share_one() {
        let place = |core: usize| (0, core as u32 / 2);
        let order = set(0..4).spread_by(place);
        assert_eq!(order, [set([0]), set([2]), set([1]), set([3])]);
        assert_eq!(set([5]).spread_by(place), [set([5])]);
        assert_eq!(set([]).spread_by(place), []);
    }

    #[test]
    fn a_quota_leaves_more_cores_than_threads() {
        let shares = Shares::with(&set(0..8), 2, (2, false), 8, |_| (0, 0)).expect("room");
        assert_eq!((shares.workers, shares.units), (1, 1));
        assert_eq!(shares.of_workers, set(0..4));
        assert_eq!(shares.of_devices, set(4..8));
        assert_eq!(Shares::with(&set(0..8), 1, (1, false), 8, |_| (0, 0)), None);
    }

    #[test]
    fn devices_divide_their_share() {
        let shares = Shares::with(&set(0..8), 8, (8, false), 12, |_| (0, 0)).expect("room");
        assert_eq!(shares.units, 4);
        assert_eq!(shares.units_of(9, 12), 3);
        assert_eq!(shares.units_of(3, 12), 1);
        assert_eq!(shares.units_of(1, 12), 1);
    }

    #[test]
    fn sets_are_written_as_the_system_writes_them() {
        assert_eq!(set([0, 1, 2, 3, 8]).to_string(), "0-3,8");
        assert_eq!(set([5]).to_string(), "5");
        assert_eq!(set([1, 3]).to_string(), "1,3");
        assert_eq!(set([]).to_string(), "");
    }

    #[test]
    #[cfg_attr(miri, ignore = "asks the system")]
    fn a_thread_is_bound_to_what_it_is_given() {
        let bound = std::thread::spawn(|| {
            let all = CoreSet::of_thread(0).expect("the system tells");
            assert!(all.count() > 0);
            let last = set(all.0.last().copied());
            last.bind(0).expect("a core that the thread has");
            assert_eq!(CoreSet::of_thread(0).expect("the system tells"), last);
            assert!(last.is_within(&all) && (all == last || !all.is_within(&last)));
            assert!(set([]).bind(0).is_err());
            assert_eq!(CoreSet::of_thread(0).expect("the system tells"), last);
        });
        bound.join().expect("no panic");
    }

    #[test]
    #[cfg_attr(miri, ignore = "asks the system")]
    fn a_thread_lets_others_finish_for_a_time() {
        // SAFETY: the call only asks.
        let policy = || unsafe { libc::sched_getscheduler(0) };
        let changed = std::thread::spawn(move || {
            if policy() != libc::SCHED_OTHER {
                return;
            }
            go_first_again(0);
            assert_eq!(policy(), libc::SCHED_OTHER);
            if let_others_finish(0) {
                assert_eq!(policy(), libc::SCHED_BATCH);
                assert!(!let_others_finish(0), "it does already");
                go_first_again(0);
            }
            assert_eq!(policy(), libc::SCHED_OTHER);
        });
        changed.join().expect("no panic");
    }
}
