//! `heteroprio`: EDTs wait in the order of the ratio of their times on the host and on a device. Workers take EDTs from
//! the end where the host is best, devices from the end where devices are. An EDT that has not begun is bound to no
//! place, so none has to be taken back. After E. Agullo, B. Bramas, O. Coulaud and others, "Task-based FMM for
//! heterogeneous architectures" (2016).

use super::interface::{Choice, Choices, Keeper, KeptEdt, Machine, Policy, PolicyEntry, Taken};
use super::places::Places;
use crate::place::Place;
use ocr_base::lock::{Mutex, rank};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

pub(super) const ENTRY: PolicyEntry = PolicyEntry {
    name: "heteroprio",
    usage: "heteroprio",
    what: "workers and devices take what each of them is best at, from the two ends of one queue",
    make: |args| args.is_empty().then(|| Box::new(HeteroPrio::default()) as _),
};

/// Into how many steps a doubling of the ratio is divided. Ratios within one step count as equal.
const STEPS: f64 = 4.0;
/// How many EDTs are looked at, at most, for one that a place can run.
const LOOKS: usize = 16;

/// The order of EDTs: by the ratio of times, which is higher the better a device is; then the highest priority first;
/// then in the order in which they came.
type HeteroPrioKey = (i32, Reverse<u64>, u64);

#[derive(Default)]
struct HeteroPrio {
    state: Mutex<rank::HeteroPrio, Option<HeteroPrioState>>,
    /// How many EDTs are kept. `Relaxed`: the number stands alone and orders nothing.
    len: AtomicUsize,
}

struct HeteroPrioState {
    /// What each place was given and when it will have ended that.
    places: Places,
    /// The EDTs that are kept, those that the host is best at first.
    waiting: BTreeMap<HeteroPrioKey, KeptEdt>,
    /// How many EDTs have come so far.
    came: u64,
}

impl Policy for HeteroPrio {
    fn learns(&self) -> bool {
        true
    }

    fn choose(&self, _: &Choices<'_>, _: &dyn Machine) -> Choice {
        Choice::Kept
    }

    fn keeper(&self) -> Option<&dyn Keeper> {
        Some(self)
    }
}

/// How much better the best device is than the host: the binary logarithm of the ratio of their times, times [`STEPS`].
/// 0 where a time is not known, and the largest number where the host cannot run the EDT.
fn ratio(kept: &KeptEdt) -> i32 {
    let time = |place| kept.times.expected(place, &kept.shape);
    let has_host = kept.candidates.iter().any(|one| one.place == Place::HOST);
    if !has_host {
        return i32::MAX;
    }
    let devices = kept.candidates.iter().filter(|one| one.place != Place::HOST);
    let best = devices.filter_map(|one| time(one.place)).min();
    match (time(Place::HOST), best) {
        (Some(host), Some(device)) => {
            let ratio = (host.max(1) as f64 / device.max(1) as f64).log2();
            (ratio * STEPS).round() as i32
        }
        _ => 0,
    }
}

impl HeteroPrio {
    /// Calls `f` with the state under its lock, which knows all places of the machine then, and with the time.
    fn with<R>(&self, machine: &dyn Machine, f: impl FnOnce(&mut HeteroPrioState, u64) -> R) -> R {
        let now = machine.now_ns();
        let mut state = self.state.lock();
        let state =
            state.get_or_insert_with(|| HeteroPrioState { places: Places::new(), waiting: BTreeMap::new(), came: 0 });
        state.places.complete(machine, now);
        f(state, now)
    }
}

impl HeteroPrioState {
    /// The key of the EDT that a place is best at, of those that it can run. None if there is none among the first
    /// [`LOOKS`].
    fn best_for(&self, place: Place) -> Option<HeteroPrioKey> {
        let runs = |kept: &KeptEdt| kept.candidates.iter().any(|one| one.place == place);
        if place == Place::HOST {
            let mut from_low = self.waiting.iter().take(LOOKS);
            return from_low.find(|(_, kept)| runs(kept)).map(|(key, _)| *key);
        }
        // A device takes the highest ratio. Of equal ratios it takes the first in the order of the keys, which stands
        // before the others.
        let (&(highest, ..), _) = self.waiting.last_key_value()?;
        let first_of_highest = (highest, Reverse(u64::MAX), 0);
        let equal = self.waiting.range(first_of_highest..);
        let lower = self.waiting.range(..first_of_highest).rev();
        let mut from_high = equal.take(LOOKS).chain(lower.take(LOOKS));
        from_high.find(|(_, kept)| runs(kept)).map(|(key, _)| *key)
    }
}

impl Keeper for HeteroPrio {
    fn keep(&self, edt: KeptEdt, machine: &dyn Machine) {
        self.len.fetch_add(1, Ordering::Relaxed);
        self.with(machine, |state, _| {
            let key = (ratio(&edt), Reverse(edt.priority), state.came);
            state.came += 1;
            state.waiting.insert(key, edt);
            machine.offer_to_workers(true);
        });
    }

    fn take(&self, place: Place, machine: &dyn Machine) -> Taken {
        let edt = self.with(machine, |state, now| {
            let has_room = state.places.get(place).has_room(0, state.waiting.len(), now);
            let key = has_room.then(|| state.best_for(place)).flatten();
            let kept = key.and_then(|key| state.waiting.remove(&key));
            if let Some(kept) = &kept {
                state.places.give(kept, place, now);
            }
            if place == Place::HOST {
                machine.offer_to_workers(kept.is_some() && !state.waiting.is_empty());
            }
            kept.map(|kept| kept.edt)
        });
        if edt.is_some() {
            self.len.fetch_sub(1, Ordering::Relaxed);
        }
        Taken { edt, moved: false }
    }

    fn ended(&self, edt: usize, place: Place, _: bool, machine: &dyn Machine) {
        self.with(machine, |state, now| {
            let _ = state.places.ended(edt, place, now);
            if !state.waiting.is_empty() {
                machine.offer_to_workers(true);
            }
        });
    }

    fn count(&self) -> usize {
        self.len.load(Ordering::Relaxed)
    }

    fn look(&self, see: &mut dyn FnMut(usize)) {
        if let Some(state) = &*self.state.lock() {
            state.waiting.values().for_each(|kept| see(kept.edt));
        }
    }
}
