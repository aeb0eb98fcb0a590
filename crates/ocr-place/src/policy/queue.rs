//! What is before a place: the EDTs that wait for it, and those that it was given. Times are nanoseconds.

use super::interface::{KeptEdt, Machine};
use super::told::{Certainty, Expected};
use crate::place::Place;
use smallvec::SmallVec;
use std::cmp::Reverse;
use std::collections::{HashMap, VecDeque};
use std::ptr;

/// A device is given EDTs as long as what it has takes less than this: the driver needs some to have no gaps between
/// kernels.
const COMMITTED_NS: u64 = 100_000;
/// The time of what a device was given may also be one in this many of the time that waits for it, up to
/// `COMMITTED_MOST_NS`.
const WAITING_PART: u64 = 16;
pub(super) const COMMITTED_MOST_NS: u64 = 1_000_000;
/// A device is given a second EDT if the first takes less than this. Beside a longer one, a gap is nothing, and an EDT
/// that was not given can still go elsewhere.
const SECOND_NS: u64 = 1_000_000;
/// A device is also given a second EDT if this number of EDTs waits behind it, so that the second will not be missed
/// elsewhere.
const MANY_BEHIND: usize = 4;
/// How many EDTs each worker may have at once whose blocks are on their way.
const COMING: usize = 8;
/// This number of kinds of EDTs is remembered.
const KINDS: usize = 256;
/// A device is never given more at once than this.
const MOST: usize = 64;
/// A worker that has ended an EDT looks for another in this time. If it does not, it has found one of which the policy
/// does not know.
const LOOKS_IN_NS: u64 = 100_000;

/// In which order EDTs go: by priority, and then as they became ready.
pub(super) type QueueKey = (Reverse<u64>, u64);

/// An EDT that no place has taken yet.
pub(super) struct QueuedEdt {
    pub(super) kept: KeptEdt,
    pub(super) key: QueueKey,
    /// How often it was moved from one place to another.
    pub(super) moves: u8,
    /// When it came.
    pub(super) since: u64,
    /// Whether the place for which it waits is to take it, though another may end it sooner: the place is looked at
    /// again.
    pub(super) stays: bool,
}

/// EDTs whose times are expected to be alike, and how many of them wait.
struct AlikeEdts {
    like: KeptEdt,
    count: u64,
}

/// An EDT that a place was given and that has not ended.
struct Given {
    edt: usize,
    /// What it was expected to take; none where nothing was known.
    expected: Option<u64>,
    /// Whether that was known, or such an EDT was never tried here before.
    is_known: bool,
    since: u64,
    /// When its blocks should be there.
    there: u64,
    /// Whether all units of the place work on it together.
    is_spread: bool,
    /// Whether its function has returned, so that it has no unit: what it has created goes on.
    has_returned: bool,
    /// Whether another place was to run it, too.
    is_duplicated: bool,
    like: KeptEdt,
}

/// EDTs that wait, in the order of their keys.
#[derive(Default)]
pub(super) struct WaitingLine {
    waiting: VecDeque<QueuedEdt>,
}

impl WaitingLine {
    pub(super) fn len(&self) -> usize {
        self.waiting.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    pub(super) fn get(&self, at: usize) -> Option<&QueuedEdt> {
        self.waiting.get(at)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &QueuedEdt> {
        self.waiting.iter()
    }

    /// How many go before an EDT of this key.
    pub(super) fn before(&self, key: QueueKey) -> usize {
        match self.waiting.back() {
            Some(last) if last.key > key => self.waiting.partition_point(|one| one.key < key),
            _ => self.waiting.len(),
        }
    }

    pub(super) fn insert(&mut self, one: QueuedEdt) {
        let at = self.before(one.key);
        self.waiting.insert(at, one);
    }

    pub(super) fn remove(&mut self, at: usize) -> Option<QueuedEdt> {
        self.waiting.remove(at)
    }
}

/// What is before a place.
pub(super) struct Queue {
    place: Place,
    /// How many EDTs run there at once. A device counts as one unit: the time of a kernel is its share of the device,
    /// which kernels that run beside each other divide.
    units: usize,
    /// How many kernels a device has lately run at once.
    at_once: usize,
    /// How many EDTs the place has now that it was not given here: no policy is asked about those that have one place
    /// to go.
    others: usize,
    /// Until when a worker that counts as busy is taken to be about to look for an EDT.
    looks_until: u64,
    line: WaitingLine,
    /// The waiting EDTs by what they have in common, so that what they take is asked anew each time.
    classes: SmallVec<[AlikeEdts; 2]>,
    given: Vec<Given>,
    /// When the last EDT of each kind has ended here: the address of its times, and the bytes of its blocks.
    last_ends: HashMap<(usize, u64), u64>,
    /// When the copies to the device have ended that the EDTs need which it was given: they go one after the other.
    link_free_at: u64,
}

impl Queue {
    /// A queue of a place that was not looked at yet ([`Queue::look_at`]).
    pub(super) fn new(place: Place) -> Queue {
        Queue {
            place,
            units: 1,
            at_once: 1,
            others: 0,
            looks_until: 0,
            line: WaitingLine::default(),
            classes: SmallVec::new(),
            given: Vec::new(),
            last_ends: HashMap::new(),
            link_free_at: 0,
        }
    }

    /// Looks what the place has to do now, and how many units it has: workers become fewer where a device gets cores of
    /// theirs.
    pub(super) fn look_at(&mut self, machine: &dyn Machine, now: u64) {
        let all = if self.place == Place::HOST {
            self.units = machine.workers();
            self.units.saturating_sub(machine.idle_workers())
        } else {
            self.at_once = machine.at_once(self.place);
            machine.device_load(self.place)
        };
        self.others = all.saturating_sub(self.single() + usize::from(self.looks_until > now));
    }

    /// In what time the copies have ended that come before those of another EDT.
    pub(super) fn link_free_in(&self, now: u64) -> u64 {
        self.link_free_at.saturating_sub(now)
    }

    pub(super) fn line(&self) -> &WaitingLine {
        &self.line
    }

    /// Has an EDT wait here.
    pub(super) fn insert(&mut self, one: QueuedEdt) {
        let kept = &one.kept;
        match (self.classes.iter_mut()).find(|class| is_like(&class.like, kept)) {
            Some(class) => class.count += 1,
            None => self.classes.push(AlikeEdts { like: kept.clone(), count: 1 }),
        }
        self.line.insert(one);
    }

    /// Takes a waiting EDT out.
    pub(super) fn remove(&mut self, at: usize) -> Option<QueuedEdt> {
        let one = self.line.remove(at)?;
        let class = (self.classes.iter()).position(|class| is_like(&class.like, &one.kept));
        if let Some(class) = class {
            self.classes[class].count -= 1;
            if self.classes[class].count == 0 {
                self.classes.swap_remove(class);
            }
        }
        Some(one)
    }

    /// The place is given an EDT whose blocks are there in `copies` nanoseconds.
    pub(super) fn give(&mut self, kept: &KeptEdt, copies: u64, now: u64) {
        if copies != 0 {
            self.link_free_at = now.saturating_add(copies);
        }
        self.given.push(Given {
            edt: kept.edt,
            expected: kept.times.expected(self.place, &kept.shape),
            is_known: is_known(kept, self.place),
            since: now,
            there: now.saturating_add(copies),
            is_spread: self.spreads(kept),
            has_returned: false,
            is_duplicated: false,
            like: kept.clone(),
        });
    }

    /// Another place has ended an EDT first that this one works on: it is known by `vain` from now on.
    pub(super) fn outrun(&mut self, edt: usize, vain: usize) {
        if let Some(given) = self.given.iter_mut().find(|given| given.edt == edt) {
            (given.edt, given.is_duplicated) = (vain, true);
        }
    }

    /// An EDT that a unit works on, and that `other` could run: it is overdue, or its time was not known here. It is
    /// not named again.
    pub(super) fn duplicate(&mut self, other: Place, now: u64) -> Option<usize> {
        let at = self.due(other).position(|due| due.is_some_and(|due| due <= now))?;
        let given = &mut self.given[at];
        given.is_duplicated = true;
        Some(given.edt)
    }

    /// When the next EDT comes to be one that [`Queue::duplicate`] names. In the past, if there is one.
    pub(super) fn next_duplicate(&self, other: Place) -> Option<u64> {
        self.due(other).flatten().min()
    }

    /// For each EDT that was given, in turn: from when on `other` may run it, too. None if it is not to. A function
    /// that runs on the host cannot be given up, so only kernels have duplicates.
    fn due(&self, other: Place) -> impl Iterator<Item = Option<u64>> {
        let is_here = self.place == Place::HOST || self.place == other;
        self.given.iter().enumerate().map(move |(at, given)| {
            let runs = at < self.units.max(self.at_once) && !given.is_spread;
            let fits = given.like.candidates.iter().any(|candidate| candidate.place == other);
            if is_here || !runs || !fits || given.is_duplicated {
                return None;
            }
            let begun = given.since.max(given.there);
            let known = given.expected.filter(|_| given.is_known);
            Some(known.map_or(begun, |expected| begun.saturating_add(self.overdue_ns(given, expected))))
        })
    }

    /// The function of an EDT has returned that all units work on: it is known by its scope from now on. False if it
    /// was not given to this place.
    pub(super) fn goes_on(&mut self, edt: usize, scope: usize) -> bool {
        let Some(given) = self.given.iter_mut().find(|given| given.edt == edt) else {
            return false;
        };
        (given.edt, given.has_returned) = (scope, true);
        true
    }

    /// An EDT has ended: which. None if it was not given to this place.
    pub(super) fn ended(&mut self, edt: usize, now: u64) -> Option<KeptEdt> {
        let at = self.given.iter().position(|given| given.edt == edt)?;
        let ended = self.given.remove(at);
        let kind = kind_of(&ended.like);
        if self.last_ends.len() < KINDS || self.last_ends.contains_key(&kind) {
            self.last_ends.insert(kind, now);
        }
        if self.place != Place::HOST {
            // The blocks of the EDT were there, maybe earlier than expected, and then those of the others are, too.
            let early = ended.there.saturating_sub(now);
            self.link_free_at = self.link_free_at.saturating_sub(early);
            for given in &mut self.given {
                given.there = given.there.saturating_sub(early);
            }
            if at == 0
                && let Some(next) = self.given.first_mut()
            {
                next.since = now;
            }
        }
        Some(ended.like)
    }

    /// How many units the place has.
    pub(super) fn units(&self) -> usize {
        self.units
    }

    /// Whether all units of the place work together on such an EDT. Its time is that of all of them.
    pub(super) fn spreads(&self, kept: &KeptEdt) -> bool {
        kept.is_spread && self.place == Place::HOST
    }

    /// How many units work on such an EDT.
    pub(super) fn units_for(&self, kept: &KeptEdt) -> usize {
        if self.spreads(kept) { self.units.max(1) } else { 1 }
    }

    /// How many EDTs it was given that all units work on. What these have created is not counted here: the workers that
    /// run it count as busy with something else.
    fn spread(&self) -> usize {
        self.given.iter().filter(|given| given.is_spread).count()
    }

    /// How many EDTs it was given that have a unit for themselves.
    pub(super) fn single(&self) -> usize {
        self.running().filter(|given| !given.is_spread).count()
    }

    /// What an EDT has taken so far of the time that is expected of it.
    fn taken_ns(&self, given: &Given, now: u64) -> u64 {
        let taken = now.saturating_sub(given.since.max(given.there));
        // Those that all units work on share these.
        if given.is_spread { taken / self.spread() as u64 } else { taken }
    }

    /// The EDTs that the place was given and that need a unit of it. A finish EDT whose function has returned needs
    /// none, however many such scopes are open: the EDTs that a scope waits for must find room.
    fn running(&self) -> impl Iterator<Item = &Given> {
        self.given.iter().filter(|given| !given.has_returned)
    }

    /// How many EDTs the place was given of which none has ended or returned.
    pub(super) fn given(&self) -> usize {
        self.running().count()
    }

    /// How many EDTs the place was given and has not ended, with those that have returned.
    pub(super) fn unfinished(&self) -> usize {
        self.given.len()
    }

    /// When the last EDT of this kind has ended here.
    pub(super) fn last_end(&self, kept: &KeptEdt) -> Option<u64> {
        self.last_ends.get(&kind_of(kept)).copied()
    }

    /// How many EDTs of this kind are tried here, of which it is not known how long they take, and since when.
    pub(super) fn tries(&self, kept: &KeptEdt) -> (usize, u64) {
        let is_try = |given: &&Given| !given.is_known && is_of_kind(&given.like, kept);
        let tries = self.given.iter().filter(is_try);
        let since = tries.clone().map(|given| given.since.max(given.there));
        (tries.count(), since.min().unwrap_or(0))
    }

    /// How many times as long as expected an EDT takes that runs here, where that is more than twice: the place has
    /// become slow, or has never been as fast. Of a place with several units, this says something of EDTs of its kind
    /// alone.
    fn doubt(&self, kept: &KeptEdt, now: u64) -> f64 {
        let one = |(at, given): (usize, &Given)| {
            let runs = at < self.units.max(self.at_once);
            let says = self.units == 1 || is_of_kind(&given.like, kept);
            let expected = given.expected.filter(|_| runs && says && given.is_known)?;
            let taken = self.taken_ns(given, now);
            (taken >= self.overdue_ns(given, expected)).then(|| taken as f64 / expected.max(1) as f64)
        };
        let all = self.given.iter().enumerate().filter_map(one);
        all.fold(1.0, f64::max)
    }

    /// After what time an EDT is overdue. Where times scatter, it is later.
    fn overdue_ns(&self, given: &Given, expected: u64) -> u64 {
        let error = given.like.times.error(self.place);
        let among_others = (self.at_once > 1).then(|| (given.like.times).latency(self.place, &given.like.shape, true));
        let expected = among_others.flatten().unwrap_or(0).max(expected);
        (expected as f64 * (2.0 + error)) as u64
    }

    /// When something must be looked at again though nothing has ended: an EDT is overdue then.
    pub(super) fn next_look(&self, now: u64) -> Option<u64> {
        let one = |given: &Given| {
            let begun = given.since.max(given.there);
            let together = if given.is_spread { self.spread() as u64 } else { 1 };
            let due = begun + self.overdue_ns(given, given.expected?).saturating_mul(together);
            // One that is overdue is looked at again when it has taken twice as long.
            Some(if due > now { due } else { now + (now - begun) })
        };
        let looks = (self.looks_until > now && !self.line.is_empty()).then_some(self.looks_until);
        self.given.iter().take(self.units.max(1)).filter_map(one).chain(looks).min()
    }

    /// Whether a unit has nothing to do and no EDT waits for it, as far as is known.
    pub(super) fn is_free(&self) -> bool {
        self.free_units() > 0 && self.line.is_empty()
    }

    /// Whether what it has to do may end at any time: it is of others than the policy.
    pub(super) fn is_busy_otherwise(&self) -> bool {
        self.others > 0
    }

    /// A worker that counts as busy is about to look for an EDT. Devices are asked before it has, and must not take
    /// what it would end sooner.
    pub(super) fn frees_one(&mut self, now: u64) {
        if self.looks_until <= now {
            self.others = self.others.saturating_sub(1);
        }
        self.looks_until = now + LOOKS_IN_NS;
    }

    /// A worker looks for an EDT.
    pub(super) fn looks(&mut self) {
        self.looks_until = 0;
    }

    /// How many units have nothing to do. A worker that is in an EDT of which the policy does not know may be in it for
    /// long.
    pub(super) fn free_units(&self) -> usize {
        self.units.saturating_sub(self.single() + self.others)
    }

    /// Whether a unit has been given nothing, and nothing waits for it. A worker whose EDT ends counts: it looks for
    /// another.
    pub(super) fn is_idle(&self) -> bool {
        self.line.is_empty() && self.given() < self.units
    }

    /// Whether the place should be given another EDT. A device is given more as long as it has ended all of it in
    /// `safe_ns`, since no other place would take the EDT from it. `waiting` EDTs wait for it.
    pub(super) fn has_room(&self, safe_ns: u64, waiting: usize, now: u64) -> bool {
        if self.place == Place::HOST {
            // One for each worker, and more while the blocks of some are on their way. A worker asks when it finds
            // nothing that an EDT has created which all work on.
            let there = self.running().filter(|given| given.there <= now);
            return there.count() < self.units && self.given() < COMING * self.units;
        }
        let Some(first) = self.given.first() else {
            return true;
        };
        // Never several in a row whose time is not known.
        if self.given.iter().any(|given| !given.is_known) {
            return false;
        }
        let is_short = first.expected.is_some_and(|ns| ns < SECOND_NS);
        let plenty = waiting >= MANY_BEHIND;
        // Some more than it has run at once, where they are not missed elsewhere: maybe it can.
        let tried = match self.at_once {
            2.. if plenty => (self.at_once / 4).max(1),
            _ => 0,
        };
        match self.given.len() {
            1 if is_short || plenty => true,
            // The EDT begins at once, beside the others.
            many if many + self.others < self.at_once + tried => true,
            many => many < MOST && is_short && self.given_ns(now) < self.committed_ns(safe_ns),
        }
    }

    /// What a device is given at once: more where so much waits behind it that it will not be missed elsewhere. A
    /// manager that has to be woken every 100 us comes too late on cores that have something else to do.
    fn committed_ns(&self, safe_ns: u64) -> u64 {
        let missed_by_nobody = (self.waiting_ns() / WAITING_PART).max(safe_ns);
        missed_by_nobody.clamp(COMMITTED_NS, COMMITTED_MOST_NS)
    }

    /// What is left of an EDT that runs. One that has taken more than twice what was expected may take as long again.
    fn left(&self, given: &Given, now: u64) -> u64 {
        let taken = self.taken_ns(given, now);
        let (times, shape) = (given.like.times, &given.like.shape);
        let ask = || times.expected(self.place, shape);
        let among_others = (self.at_once > 1).then(|| times.latency(self.place, shape, true));
        match among_others.flatten().or(given.expected).or_else(ask) {
            Some(expected) if taken <= expected => expected - taken,
            Some(expected) if taken <= 2 * expected => expected / 8,
            _ => taken,
        }
    }

    /// In what time the device has ended all that it was given: each begins when the one before it has ended, and its
    /// blocks have come.
    fn given_end_ns(&self, now: u64) -> u64 {
        self.given.iter().enumerate().fold(0, |end, (at, given)| {
            let there = given.there.saturating_sub(now);
            end.max(there).saturating_add(self.given_one_ns(at, given, now))
        })
    }

    /// What is left of all that the place was given, without what it waits for: the time of its units.
    pub(super) fn given_ns(&self, now: u64) -> u64 {
        let one = |(at, given)| self.given_one_ns(at, given, now);
        self.given.iter().enumerate().map(one).sum()
    }

    fn given_one_ns(&self, at: usize, given: &Given, now: u64) -> u64 {
        match given.expected {
            // The kernels of a device begin one after the other.
            Some(expected) if at > 0 && self.place != Place::HOST => expected,
            _ => self.left(given, now).saturating_mul(self.units_for(&given.like) as u64),
        }
    }

    /// What those take that wait: the time of the place's units.
    pub(super) fn waiting_ns(&self) -> u64 {
        let one = |class: &AlikeEdts| {
            let ns = (class.like.times).expected(self.place, &class.like.shape);
            (class.count * self.units_for(&class.like) as u64).saturating_mul(ns.unwrap_or(0))
        };
        self.classes.iter().map(one).sum()
    }

    /// In what time a unit is free for an EDT that takes `ns` and before which `ahead` waits. EDTs of which nothing is
    /// known are taken to need as long.
    fn free_in(&self, kept: &KeptEdt, ns: u64, ahead: u64, now: u64) -> u64 {
        let others = self.others;
        if self.place != Place::HOST {
            let (given, at_once) = (self.given.len(), self.at_once);
            let before = (given + 1).saturating_sub(at_once) as u64;
            let end = match at_once {
                0 | 1 => self.given_end_ns(now),
                // One of those that run at once has ended after this part of the sum of their shares.
                _ => self.given_end_ns(now).saturating_mul(before) / given.max(1) as u64,
            };
            return end + ahead + others as u64 * ns;
        }
        let given = self.given_ns(now);
        if self.spreads(kept) {
            // It begins at once, and has all units when what comes before it has ended.
            return (given + ahead) / self.units.max(1) as u64;
        }
        if ahead == 0 && self.single() <= self.units {
            // What an EDT has created that all units work on is short.
            if self.single() + others < self.units || self.single() < self.units && self.spread() > 0 {
                return 0;
            }
            let single = self.running().filter(|given| !given.is_spread);
            let left = single.map(|given| self.left(given, now));
            let other = (others > 0).then_some(ns);
            return left.chain(other).min().unwrap_or(0);
        }
        (given + ahead + others as u64 * ns) / self.units as u64
    }

    /// What is expected here of an EDT that has so much before it.
    pub(super) fn expected(&self, kept: &KeptEdt, copy_ns: u64, ahead: u64, now: u64) -> Expected {
        let busy_ns = kept.times.expected(self.place, &kept.shape);
        let doubt = self.doubt(kept, now);
        let busy_ns = busy_ns.map(|ns| if doubt > 1.0 { (ns as f64 * doubt) as u64 } else { ns });
        let beside = self.given.len() + self.others > 0;
        let latency = (kept.times).latency(self.place, &kept.shape, beside);
        let run_ns = busy_ns.map(|busy_ns| latency.unwrap_or(0).max(busy_ns));
        Expected { queue_ns: self.free_in(kept, busy_ns.unwrap_or(0), ahead, now), copy_ns, run_ns }
    }

    /// What the first `some` of all take, as if they were alike.
    pub(super) fn part(&self, some: usize, all: usize) -> u64 {
        if all == 0 {
            return 0;
        }
        (u128::from(self.waiting_ns()) * some as u128 / all as u128) as u64
    }
}

/// Whether two EDTs take the same time.
fn is_like(one: &KeptEdt, other: &KeptEdt) -> bool {
    ptr::addr_eq(one.times, other.times)
        && (one.shape == other.shape || one.times.alike(&one.shape) == other.times.alike(&other.shape))
}

/// The address of the times of an EDT, and the bytes of its blocks.
fn kind_of(kept: &KeptEdt) -> (usize, u64) {
    (ptr::from_ref(kept.times).addr(), kept.shape.bytes)
}

/// Whether what one of them takes says something of the other.
pub(super) fn is_of_kind(one: &KeptEdt, other: &KeptEdt) -> bool {
    ptr::addr_eq(one.times, other.times) && one.shape.bytes == other.shape.bytes
}

/// Whether it is known how long an EDT takes in a place.
pub(super) fn is_known(kept: &KeptEdt, place: Place) -> bool {
    kept.times.certainty(place, &kept.shape) >= Certainty::Derived
}
