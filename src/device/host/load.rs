//! What a device has to do, and how devices get EDTs that may run anywhere.
//!
//! An EDT that devices and workers may run lies in a pool until a worker or a device is free. A worker looks there when
//! it searches. A device is given EDTs ([`feed`]) by the thread that may have changed that it is idle and that there
//! are any. That is done without a lock:
//!
//! | thread | writes | then, behind [`has_changed`], reads |
//! |---|---|---|
//! | a thread that puts an EDT into the pool | the pool | the pool and the loads, and gives EDTs that it takes out to devices that have room |
//! | the manager, when a launch has ended | the load ([`Load::ends`]) | the same |
//! | a thread that has taken out EDTs for which no device had room | the pool, when it puts them back | the loads of the devices that may run those, and how many of their launches have ended, and does it again if one is idle |
//!
//! # Why no device stays idle beside the pool
//!
//! Take an EDT that is put into the pool, or back, and the end of a launch after which the device is idle. Between what
//! each of the two threads writes and what it reads there is a sequentially consistent fence, `has_changed`. If that of
//! the end came first, the other thread would read the load that the end has left, and find the device idle. If not,
//! the thread of the end reads the pool after the EDT was put there. It finds it, or another thread has taken it out,
//! which gives it to a device, runs it, or puts it back. So of an EDT and an idle device some thread knows of both. A
//! thread that has given the device an EDT counts on it even if it is no load yet, but not when a launch of the device
//! has ended since. That may have been this one, and its end have found the pool without the EDT that is put back
//! ([`GivenLoad::is_idle`]). It is done again only where a launch has ended meanwhile, so not indefinitely.
//!
//! A thread that looks takes [`LOOKS`] EDTs out at most that find no room, and puts them behind the others. They are of
//! devices that are not idle, so a launch will end and the next ones will be looked at: an EDT for an idle device
//! behind thousands for another one is found after some of these have ended. An EDT is not lost otherwise, since a
//! worker takes it in the end.
//!
//! A thread that asks takes off the load what was enqueued ahead (`Devices::load`). Whatever it finds of that: if it
//! finds no room, it has found a launch that has not ended, after whose end the manager looks.

use ocr_base::sync::{AtomicU64, Ordering, fence};
use ocr_place::place::{Place, PlaceSet};
use smallvec::SmallVec;

/// Comes between what a thread has written, in the pool or in a load, and what it then reads of both.
fn has_changed() {
    fence(Ordering::SeqCst);
}

/// A device of the first free place gets another EDT while it has fewer launches than one to run in each of its queues,
/// and this number to follow without a gap.
const FOLLOWING: u8 = 2;
/// How many EDTs for which no device has room are looked at in one go.
const LOOKS: usize = if cfg!(loom) { 1 } else { 16 };

/// A pool of EDTs, and devices that may run them.
pub trait Pool {
    /// What stands for an EDT in the pool.
    type Edt;

    /// Whether the pool has no EDT, as far as a look without a lock tells.
    fn is_empty(&self) -> bool;

    /// Takes an EDT out of the pool.
    fn take(&mut self) -> Option<Self::Edt>;

    /// Puts an EDT back that was taken out.
    fn put_back(&mut self, edt: Self::Edt);

    /// The devices that may run one.
    fn fitting(&self, edt: &Self::Edt) -> PlaceSet;

    /// How many devices there are.
    fn devices(&self) -> usize;

    /// How many queues for kernels a device has.
    fn queues(&self, device: Place) -> usize;

    /// How many launches a device has.
    fn load(&self, device: Place) -> usize;

    /// How many launches of a device have ended so far.
    fn ended(&self, device: Place) -> u64;

    /// Whether a device takes an EDT while it has another.
    fn takes_ahead(&self, device: Place) -> bool;

    /// Sends one to a device.
    fn give(&mut self, edt: Self::Edt, device: Place);
}

/// Gives devices that have room EDTs of the pool: after one was put there, and when a launch has ended.
pub fn feed(pool: &mut impl Pool) {
    has_changed();
    if pool.is_empty() {
        return;
    }
    let mut given = GivenLoad { least: [0; Place::MAX_DEVICES], ended: [0; Place::MAX_DEVICES] };
    while given.feed(pool) {}
}

/// What each device was given.
struct GivenLoad {
    /// How many EDTs the device has at least. An EDT that it was given may have to wait for its blocks before it is a
    /// load.
    least: [u8; Place::MAX_DEVICES],
    /// How many launches of the device had ended before it was given the first of these EDTs.
    ended: [u64; Place::MAX_DEVICES],
}

impl GivenLoad {
    /// Gives what there is room for. True if it must be done again, since a device has come to be idle meanwhile.
    fn feed<P: Pool>(&mut self, pool: &mut P) -> bool {
        let mut aside: SmallVec<[P::Edt; LOOKS]> = SmallVec::new();
        let mut missed = PlaceSet::EMPTY;
        while aside.len() < LOOKS && self.any_has_room(pool) {
            let Some(edt) = pool.take() else { break };
            let fitting = pool.fitting(&edt);
            let free = fitting.iter().filter(|&place| self.has_room(pool, place));
            match free.min_by_key(|&place| self.has(pool, place)) {
                Some(place) => {
                    let at = index(place);
                    if self.least[at] == 0 {
                        self.ended[at] = pool.ended(place);
                    }
                    // Others may have sent it any number meanwhile.
                    self.least[at] = self.has(pool, place).saturating_add(1);
                    pool.give(edt, place);
                }
                None => {
                    missed.add(fitting);
                    aside.push(edt);
                }
            }
        }
        if aside.is_empty() {
            return false;
        }
        for edt in aside {
            pool.put_back(edt);
        }
        has_changed();
        let mut again = false;
        for place in missed.iter() {
            again |= self.is_idle(pool, place);
        }
        again
    }

    /// Whether a device has nothing to do. What it was given may have ended, and the manager have looked at the pool
    /// while what is for the device was not there: if some launch has ended since, it is taken for idle. At worst it
    /// has another EDT then that waits for its blocks.
    fn is_idle(&mut self, pool: &impl Pool, place: Place) -> bool {
        let at = index(place);
        let idle = pool.load(place) == 0 && (self.least[at] == 0 || pool.ended(place) != self.ended[at]);
        if idle {
            self.least[at] = 0;
        }
        idle
    }

    /// How many EDTs a device has, as far as it matters.
    fn has(&self, pool: &impl Pool, place: Place) -> u8 {
        let load = u8::try_from(pool.load(place)).unwrap_or(u8::MAX);
        load.max(self.least[index(place)])
    }

    fn has_room(&self, pool: &impl Pool, place: Place) -> bool {
        let has = self.has(pool, place);
        let queues = u8::try_from(pool.queues(place).max(2)).unwrap_or(u8::MAX);
        has == 0 || has < queues.saturating_add(FOLLOWING) && pool.takes_ahead(place)
    }

    fn any_has_room(&self, pool: &impl Pool) -> bool {
        (0..pool.devices()).any(|index| self.has_room(pool, Place::device(index)))
    }
}

fn index(device: Place) -> usize {
    device.device_index().expect("a device")
}

/// What a device has to do.
pub(crate) struct Load {
    /// Launches that were sent and not answered yet.
    launches: AtomicU64,
    /// How many launches have been answered since the start.
    ended: AtomicU64,
    /// In what time a queue has done a kernel lately, nanoseconds; 0 before the first.
    pace_ns: AtomicU64,
    /// How many kernels the device has lately run at once; 0 where that is not of interest.
    at_once: AtomicU64,
}

impl Load {
    pub(crate) fn new() -> Load {
        Load {
            launches: AtomicU64::new(0),
            ended: AtomicU64::new(0),
            pace_ns: AtomicU64::new(0),
            at_once: AtomicU64::new(0),
        }
    }

    /// A launch is about to be sent: so it is counted before the manager can end it, and there are never less than
    /// none.
    pub(crate) fn begins(&self) {
        // The sender adds on its own account, and orders nothing by the count.
        self.launches.fetch_add(1, Ordering::Relaxed);
    }

    /// A launch has ended, or was not sent.
    pub(crate) fn ends(&self) {
        self.ended.fetch_add(1, Ordering::Relaxed);
        self.launches.fetch_sub(1, Ordering::Relaxed);
    }

    /// How many launches were sent and have not ended. A thread that has changed something asks behind [`has_changed`].
    pub(crate) fn launches(&self) -> usize {
        self.launches.load(Ordering::Relaxed) as usize
    }

    /// How many have ended. As [`Load::launches`].
    pub(crate) fn ended(&self) -> u64 {
        self.ended.load(Ordering::Relaxed)
    }

    /// In what time a queue has done a kernel lately.
    pub(crate) fn set_pace_ns(&self, ns: u64) {
        self.pace_ns.store(ns.max(1), Ordering::Relaxed);
    }

    /// How many kernels the device has lately run at once.
    pub(crate) fn set_at_once(&self, kernels: usize) {
        self.at_once.store(kernels as u64, Ordering::Relaxed);
    }

    /// How many kernels the device has lately run at once; none where that is not of interest. It orders nothing.
    pub(crate) fn at_once(&self) -> Option<usize> {
        Some(self.at_once.load(Ordering::Relaxed) as usize).filter(|&kernels| kernels != 0)
    }

    /// In what time a queue has done a kernel lately; none before the first.
    pub(crate) fn pace_ns(&self) -> Option<u64> {
        Some(self.pace_ns.load(Ordering::Relaxed)).filter(|&ns| ns != 0)
    }
}

#[cfg(all(test, loom))]
mod loom_models {
    use super::*;
    use loom::sync::{Arc, Mutex};
    use std::collections::VecDeque;

    /// EDTs, by the devices that may run them, and the loads of two devices. How many there are is looked at without an
    /// order, as in a queue.
    struct Shared {
        entries: Mutex<VecDeque<PlaceSet>>,
        len: AtomicU64,
        loads: [Load; 2],
    }

    impl Shared {
        fn new() -> Arc<Shared> {
            Arc::new(Shared { entries: Mutex::default(), len: AtomicU64::new(0), loads: [Load::new(), Load::new()] })
        }
    }

    /// A thread's view of it, and what it has given to devices.
    struct Feeder {
        shared: Arc<Shared>,
        given: Vec<Place>,
    }

    impl Feeder {
        fn new(shared: &Arc<Shared>) -> Feeder {
            Feeder { shared: shared.clone(), given: Vec::new() }
        }

        fn with<R>(&self, change: impl FnOnce(&mut VecDeque<PlaceSet>) -> R) -> R {
            let mut entries = self.shared.entries.lock().expect("no panic");
            let result = change(&mut entries);
            self.shared.len.store(entries.len() as u64, Ordering::Relaxed);
            result
        }
    }

    impl Pool for Feeder {
        type Edt = PlaceSet;

        fn is_empty(&self) -> bool {
            self.shared.len.load(Ordering::Relaxed) == 0
        }

        fn take(&mut self) -> Option<PlaceSet> {
            if self.is_empty() { None } else { self.with(VecDeque::pop_front) }
        }

        fn put_back(&mut self, edt: PlaceSet) {
            self.with(|entries| entries.push_back(edt));
        }

        fn fitting(&self, edt: &PlaceSet) -> PlaceSet {
            *edt
        }

        fn devices(&self) -> usize {
            self.shared.loads.len()
        }

        fn queues(&self, _: Place) -> usize {
            2
        }

        fn load(&self, device: Place) -> usize {
            self.shared.loads[index(device)].launches()
        }

        fn ended(&self, device: Place) -> u64 {
            self.shared.loads[index(device)].ended()
        }

        fn takes_ahead(&self, _: Place) -> bool {
            false
        }

        fn give(&mut self, _: PlaceSet, device: Place) {
            self.shared.loads[index(device)].begins();
            self.given.push(device);
        }
    }

    /// There are two devices, each with EDTs of its own. Those in this set have a launch that ends, each on a thread of
    /// its own, while an EDT for each comes into the pool. A thread that finds room gives it the EDT, and one of all
    /// does.
    fn each_gets_its_own(busy: &'static [usize]) {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        model.check(move || {
            let shared = Shared::new();
            for &device in busy {
                shared.loads[device].begins();
            }
            let managers: Vec<_> = (busy.iter())
                .map(|&device| {
                    let mut feeder = Feeder::new(&shared);
                    loom::thread::spawn(move || {
                        feeder.shared.loads[device].ends();
                        feed(&mut feeder);
                        feeder.given
                    })
                })
                .collect();
            let mut worker = Feeder::new(&shared);
            for device in [0, 1] {
                worker.put_back(PlaceSet::only(Place::device(device)));
                feed(&mut worker);
            }
            let mut given = worker.given;
            for manager in managers {
                given.append(&mut manager.join().expect("no panic"));
            }
            given.sort();
            assert_eq!(given, [0, 1].map(Place::device), "a device is idle, or has two");
        });
    }

    #[test]
    fn no_device_stays_idle_beside_the_pool() {
        each_gets_its_own(&[0]);
    }

    /// A device is given the first of two EDTs, which ends while the second is set aside.
    #[test]
    fn a_device_that_has_done_what_it_was_given_is_idle() {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        model.check(|| {
            let shared = Shared::new();
            let mut worker = Feeder::new(&shared);
            for _ in 0..2 {
                worker.put_back(PlaceSet::only(Place::device(1)));
            }
            let mut feeder = Feeder::new(&shared);
            let manager = loom::thread::spawn(move || {
                while feeder.shared.loads[1].launches() == 0 {
                    loom::thread::yield_now();
                }
                feeder.shared.loads[1].ends();
                feed(&mut feeder);
            });
            feed(&mut worker);
            manager.join().expect("no panic");
            assert_eq!(shared.loads[1].launches(), 1, "the device is idle beside the pool, or has two");
        });
    }

    #[test]
    fn two_devices_do_not_take_each_other_s_edts_for_all() {
        each_gets_its_own(&[0, 1]);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    /// EDTs, by the devices that may run them, and what the devices have.
    #[derive(Default)]
    struct World {
        pool: VecDeque<PlaceSet>,
        loads: [usize; 2],
        given: [usize; 2],
        ahead: bool,
    }

    impl Pool for World {
        type Edt = PlaceSet;

        fn is_empty(&self) -> bool {
            self.pool.is_empty()
        }
        fn take(&mut self) -> Option<PlaceSet> {
            self.pool.pop_front()
        }
        fn put_back(&mut self, edt: PlaceSet) {
            self.pool.push_back(edt);
        }
        fn fitting(&self, edt: &PlaceSet) -> PlaceSet {
            *edt
        }
        fn devices(&self) -> usize {
            2
        }
        fn queues(&self, device: Place) -> usize {
            2 + 2 * index(device)
        }
        fn load(&self, device: Place) -> usize {
            self.loads[index(device)]
        }
        fn ended(&self, _: Place) -> u64 {
            0
        }
        fn takes_ahead(&self, _: Place) -> bool {
            self.ahead
        }
        fn give(&mut self, edt: PlaceSet, device: Place) {
            assert!(edt.contains(device));
            self.given[index(device)] += 1;
        }
    }

    fn only(device: usize) -> PlaceSet {
        PlaceSet::only(Place::device(device))
    }

    fn both() -> PlaceSet {
        let mut set = only(0);
        set.insert(Place::device(1));
        set
    }

    #[test]
    fn each_device_gets_one_before_any_gets_another() {
        let mut world = World { pool: [both(); 3].into(), ..World::default() };
        feed(&mut world);
        assert_eq!((world.given, world.pool.len()), ([1, 1], 1));
    }

    #[test]
    fn what_takes_ahead_has_room_for_so_many() {
        let mut world = World { pool: [both(); 10].into(), loads: [3, 0], ahead: true, ..World::default() };
        feed(&mut world);
        assert_eq!((world.given, world.pool.len()), ([1, 6], 3));
    }

    /// Two EDTs, each for the other of two idle devices than the one that is asked first.
    #[test]
    fn an_edt_for_another_device_does_not_hide_the_next_one() {
        for pool in [[only(0), only(1)], [only(1), only(0)]] {
            let mut world = World { pool: pool.into(), ..World::default() };
            feed(&mut world);
            assert_eq!(world.given, [1, 1]);
        }
    }

    /// An EDT for an idle device behind many for a busy one is found when some of those have ended.
    #[test]
    fn an_edt_behind_many_others_is_found() {
        let many = 3 * LOOKS;
        let mut world = World {
            pool: std::iter::repeat_n(only(0), many).chain([only(1)]).collect(),
            loads: [1, 0],
            ..World::default()
        };
        let feeds = (1..).find(|_| {
            feed(&mut world);
            world.given[1] == 1
        });
        assert_eq!(feeds, Some(many / LOOKS + 1));
        assert_eq!((world.given[0], world.pool.len()), (0, many), "none is lost");
    }
}
