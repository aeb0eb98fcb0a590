//! Pairs of actors that use one object, where it matters which comes first, and nothing orders them.
//!
//! Not each pair is looked at. Uses of a block are gone through in a topological order, with those that a later one may
//! still conflict with. A write that comes behind them takes their place: what comes behind the write comes behind
//! them, too. So in a program without races each use is compared with the writes before it and the next one.

use super::RaceFindings;
use super::gather::Gathered;
use super::order::{NONE, Order};
use super::say::{Pair, RaceRule, Sayer};
use super::things::{Deed, Did, SeenEvent, Use, Written};
use ocr_base::text::counted;
use ocr_trace::numbers::{EventKind, Mode, is_label};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// How many writes of a block that nothing has come behind are kept.
const WRITES: usize = 256;

/// How many pairs of increments and decrements of a latch are looked at.
const LATCH_PAIRS: usize = 4_000_000;

/// How many pairs of one object are reported at most.
const PAIRS: usize = 1000;

/// Whether it matters which of two uses of a block comes first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Conflict {
    No,
    /// One reads or writes what the other writes.
    Race,
    /// Both are in mode EW.
    Order,
    /// It is not known what the one or the other has written.
    Unknown,
}

struct Finder<'a> {
    all: &'a Gathered,
    order: &'a mut Order,
    /// For each use of a block, whether what it seems to have changed may have been changed by others.
    mixed: Vec<bool>,
    said: Sayer<'a>,
    /// How many pairs in mode RW are not ordered, where it is not known what they have written.
    unknown: u64,
    /// How many latches have too many deeds.
    long_latches: u64,
}

/// Whether two spans of time have some of it in common.
fn overlap(one: &Range<u64>, other: &Range<u64>) -> bool {
    one.start < other.end && other.start < one.end
}

/// The ranges of a sorted list whose elements have one key.
fn groups<T>(list: &[T], key: impl Fn(&T) -> u32) -> Vec<Range<usize>> {
    let mut all = Vec::new();
    let mut start = 0;
    for at in 1..=list.len() {
        if at == list.len() || key(&list[at]) != key(&list[start]) {
            all.push(start..at);
            start = at;
        }
    }
    all
}

/// Looks for all pairs.
pub(super) fn find(name: String, all: &Gathered, order: &mut Order) -> RaceFindings {
    let mut finder =
        Finder { all, order, mixed: vec![false; all.uses.len()], said: Sayer::new(all), unknown: 0, long_latches: 0 };
    finder.blocks();
    finder.events();
    finder.edts();
    let mut notes = Vec::new();
    if finder.unknown != 0 {
        notes.push(format!(
            "nothing orders {} of EDTs that have a block in mode RW, and what they wrote is not known: they ran at once or on a device, or their \
             blocks are large. A run with OCR_WORKERS=1 OCR_SCHED=cpu shows more.",
            counted(finder.unknown, "pair"),
        ));
    }
    if finder.long_latches != 0 {
        notes.push(format!(
            "the order of increments and decrements was not looked at of {}, which has too many",
            counted(finder.long_latches, "latch event")
        ));
    }
    if finder.order.unanswered != 0 {
        notes.push(format!(
            "of {} it was not found out whether something orders them, since that takes too long",
            counted(finder.order.unanswered, "pair")
        ));
    }
    let mut gaps = all.gaps.clone();
    if finder.order.in_circles != 0 {
        gaps.push("records contradict each other about what came first".to_string());
    }
    RaceFindings {
        name,
        edts: all.edts,
        blocks: all.blocks.len() as u64,
        events: all.events.len() as u64,
        findings: finder.said.findings(),
        notes,
        gaps,
    }
}

impl Finder<'_> {
    // ---- Blocks
    // ------------------------------------------------------------------------------------------------------

    fn blocks(&mut self) {
        let all = self.all;
        let mut uses: Vec<u32> =
            (0..all.uses.len() as u32).filter(|&at| all.uses[at as usize].mode != Mode::Null).collect();
        let of = |at: &u32| &all.uses[*at as usize];
        let order = &*self.order;
        uses.sort_unstable_by_key(|at| (of(at).block, order.place(of(at).start), *at));
        let mut destroyed: Vec<Deed> = all.on_blocks.clone();
        destroyed.sort_unstable_by_key(|deed| deed.object);
        for range in groups(&uses, |at| of(at).block) {
            let block = of(&uses[range.start]).block;
            let its = &all.blocks[block as usize];
            if its.is_programs && !its.is_divided {
                self.block(block, &uses[range]);
            }
        }
        // Both lists are in the order of the blocks.
        for range in groups(&destroyed, |deed| deed.object) {
            let block = destroyed[range.start].object;
            let its = &all.blocks[block as usize];
            if !its.is_programs || its.is_divided {
                continue;
            }
            let first = uses.partition_point(|at| of(at).block < block);
            let last = uses.partition_point(|at| of(at).block <= block);
            let mut pairs = 0;
            for deed in &destroyed[range] {
                for at in &uses[first..last] {
                    let its = of(at);
                    if its.actor != deed.actor && pairs < PAIRS && !self.order.is_before(its.start, deed.point) {
                        pairs += 1;
                        self.said.say(Pair {
                            rule: RaceRule::DestroyedBlock,
                            object: block,
                            first: (its.actor, Some(its.mode)),
                            second: (deed.actor, None),
                            is_late: false,
                        });
                    }
                }
            }
        }
    }

    /// Looks at the uses of one block, which are in a topological order of their begins.
    fn block(&mut self, block: u32, uses: &[u32]) {
        let all = self.all;
        let of = |at: u32| &all.uses[at as usize];
        self.mix(uses);
        let (mut reads, mut writes): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
        let mut pairs = 0;
        let made = &all.blocks[block as usize];
        let is_label = is_label(made.guid);
        for &at in uses {
            let its = of(at);
            if pairs >= PAIRS {
                return;
            }
            if !is_label && its.actor != made.creator && !self.order.is_before(made.created, its.start) {
                pairs += 1;
                self.said.say(Pair {
                    rule: RaceRule::UsedUncreated,
                    object: block,
                    first: (made.creator, None),
                    second: (its.actor, Some(its.mode)),
                    is_late: false,
                });
            }
            let is_write = its.written != Written::No;
            let mut look = |former: u32, finder: &mut Self| {
                let before = of(former);
                let is_mixed = |at: u32| finder.mixed[at as usize];
                let conflict = conflict(all, before, its, is_mixed(former) || is_mixed(at));
                if conflict == Conflict::No {
                    return true;
                }
                let (end, is_late) = finder.end(uses, before);
                if finder.order.is_before(end, its.start) {
                    // The write stands for what comes before it.
                    return !is_write;
                }
                match conflict {
                    Conflict::Unknown if finder.said.is_looked_at([before.actor, its.actor]) => finder.unknown += 1,
                    Conflict::Unknown => {}
                    _ => {
                        pairs += 1;
                        finder.said.say(Pair {
                            rule: match (conflict, before.written, its.written) {
                                (Conflict::Order, ..) => RaceRule::Exclusive,
                                (_, Written::No, _) | (_, _, Written::No) => RaceRule::ReadWrite,
                                _ => RaceRule::WriteWrite,
                            },
                            object: block,
                            first: (before.actor, Some(before.mode)),
                            second: (its.actor, Some(its.mode)),
                            is_late,
                        });
                    }
                }
                // One is enough.
                !is_write
            };
            writes.retain(|&former| look(former, self));
            if is_write {
                reads.retain(|&former| look(former, self));
                if writes.len() >= WRITES {
                    writes.remove(0);
                }
                writes.push(at);
            } else {
                reads.push(at);
            }
        }
    }

    /// Finds the uses of a block that may have seen the changes of others as their own: others wrote it at the same
    /// time, or it came back from a device meanwhile, which shares it in mode RW.
    fn mix(&mut self, uses: &[u32]) {
        let all = self.all;
        let of = |at: u32| &all.uses[at as usize];
        let by = |at: u32| &all.actors[of(at).actor as usize];
        let writes = |at: &u32| !matches!(of(*at).written, Written::No | Written::All);
        let mut writers: Vec<u32> = uses.iter().copied().filter(writes).collect();
        let is_shared = (writers.iter()).any(|&at| !by(at).on_host && of(at).mode == Mode::Rw);
        writers.sort_unstable_by_key(|&at| by(at).looked_at.start);
        // Of those that were looked at from earlier on, the one that was looked at longest.
        let mut longest: Option<u32> = None;
        let mut threads: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        for at in writers {
            let its = &by(at).looked_at;
            self.mixed[at as usize] |= is_shared && of(at).mode == Mode::Rw;
            if let Some(former) = longest.filter(|&former| overlap(&by(former).looked_at, its)) {
                self.mixed[at as usize] = true;
                self.mixed[former as usize] = true;
            }
            if longest.is_none_or(|former| by(former).looked_at.end < its.end) {
                longest = Some(at);
            }
            // The clocks of two threads may differ.
            let own = by(at).thread;
            for (_, others) in threads.iter().filter(|(thread, _)| **thread != own) {
                let may_overlap = |former: &&u32| its.start.saturating_sub(by(**former).looked_at.end) < all.tolerance;
                for &former in others.iter().rev().take_while(may_overlap) {
                    self.mixed[at as usize] = true;
                    self.mixed[former as usize] = true;
                }
            }
            threads.entry(own).or_default().push(at);
        }
    }

    /// Up to where a block is used. One that has changed behind that while the actor ran is used to its end, unless
    /// another may have changed it. Whether that is so stands beside it.
    fn end(&self, uses: &[u32], its: &Use) -> (u32, bool) {
        let actors = &self.all.actors;
        let own = &actors[its.actor as usize];
        let is_other = |other: &Use| {
            let by = &actors[other.actor as usize];
            other.actor != its.actor
                && other.written != Written::No
                && by.began != 0
                && overlap(&by.looked_at, &own.looked_at)
        };
        let others = || uses.iter().any(|&at| is_other(&self.all.uses[at as usize]));
        if !(its.is_late || its.midst != NONE) || others() {
            (its.end, false)
        } else if its.is_late {
            (own.now, true)
        } else {
            (its.midst, true)
        }
    }

    // ---- Events
    // ------------------------------------------------------------------------------------------------------

    fn events(&mut self) {
        let mut deeds = self.all.on_events.clone();
        // The sort is stable, so the deeds of an event stay in the order of their records.
        deeds.sort_by_key(|deed| deed.object);
        for range in groups(&deeds, |deed| deed.object) {
            let number = deeds[range.start].object;
            self.event(number, &self.all.events[number as usize], &deeds[range]);
        }
    }

    fn tell(&mut self, rule: RaceRule, object: u32, first: u32, second: u32) {
        self.said.say(Pair { rule, object, first: (first, None), second: (second, None), is_late: false });
    }

    fn event(&mut self, number: u32, event: &SeenEvent, deeds: &[Deed]) {
        let is_label = is_label(event.guid);
        let goes = matches!(event.kind, Some(EventKind::Once | EventKind::Latch));
        for deed in deeds {
            if event.creator != NONE
                && deed.actor != event.creator
                && !is_label
                && !matches!(deed.did, Did::SatisfyInVain)
                && !self.order.is_before(event.created, deed.point)
            {
                self.tell(RaceRule::UsedUncreatedEvent, number, event.creator, deed.actor);
            }
            if deed.did == Did::Connect && goes && !self.order.is_before(deed.point, event.point) {
                let satisfies = deeds.iter().rev().find(|one| one.did == Did::Satisfy);
                let by = satisfies.map_or(deed.actor, |one| one.actor);
                self.tell(RaceRule::ConnectedLate, number, deed.actor, by);
            }
        }
        let of = |did: Did| deeds.iter().filter(move |deed| deed.did == did);
        for destroyed in of(Did::Destroy) {
            for deed in deeds {
                if matches!(deed.did, Did::Satisfy | Did::Increment | Did::Connect)
                    && deed.actor != destroyed.actor
                    && !self.order.is_before(deed.point, destroyed.point)
                {
                    let rule = match deed.did {
                        Did::Connect => RaceRule::DestroyedConnected,
                        _ => RaceRule::DestroyedSatisfied,
                    };
                    self.tell(rule, number, deed.actor, destroyed.actor);
                }
            }
        }
        for vain in of(Did::SatisfyInVain) {
            for destroyed in of(Did::Destroy) {
                if vain.actor != destroyed.actor
                    && !self.order.is_before(destroyed.point, vain.point)
                    && !self.order.is_before(vain.point, destroyed.point)
                {
                    self.tell(RaceRule::DestroyedSatisfied, number, vain.actor, destroyed.actor);
                }
            }
            for deed in of(Did::Satisfy) {
                if deed.actor != vain.actor && !self.order.is_before(deed.point, vain.point) {
                    self.tell(RaceRule::SatisfiedTwice, number, deed.actor, vain.actor);
                }
            }
        }
        match event.kind {
            Some(EventKind::Latch) => self.latch(number, event, deeds),
            Some(EventKind::Channel) => {
                for did in [Did::Satisfy, Did::Connect] {
                    let turns: Vec<&Deed> = of(did).collect();
                    self.turns(RaceRule::Channel, number, &turns);
                }
            }
            Some(EventKind::Idempotent) => {
                let all: Vec<&Deed> = of(Did::Satisfy).collect();
                self.turns(RaceRule::Idempotent, number, &all);
            }
            _ => {}
        }
    }

    /// Deeds that have an effect by their order, which the run has put one after the other.
    fn turns(&mut self, rule: RaceRule, number: u32, deeds: &[&Deed]) {
        for pair in deeds.windows(2) {
            let (first, second) = (pair[0], pair[1]);
            if first.actor != second.actor && !self.order.is_before(first.point, second.point) {
                self.tell(rule, number, first.actor, second.actor);
            }
        }
    }

    /// A latch must not come to zero before an increment: without it, and what comes behind it, the counter has to stay
    /// above zero.
    fn latch(&mut self, number: u32, event: &SeenEvent, deeds: &[Deed]) {
        let mut increments: Vec<&Deed> = deeds.iter().filter(|deed| deed.did == Did::Increment).collect();
        let decrements: Vec<&Deed> = deeds.iter().filter(|deed| deed.did == Did::Satisfy).collect();
        let counts = increments.len();
        increments.dedup_by_key(|deed| deed.point);
        if increments.len() * (decrements.len() + counts) > LATCH_PAIRS {
            self.long_latches += 1;
            return;
        }
        let every: Vec<&Deed> = deeds.iter().filter(|deed| deed.did == Did::Increment).collect();
        for one in increments {
            let mut counter = event.counter;
            for other in &every {
                if !self.order.is_before(one.point, other.point) {
                    counter += 1;
                }
            }
            let mut unordered = None;
            for other in &decrements {
                if !self.order.is_before(one.point, other.point) {
                    counter -= 1;
                    if !self.order.is_before(other.point, one.point) {
                        unordered = Some(*other);
                    }
                }
            }
            if counter <= 0
                && let Some(other) = unordered
            {
                self.tell(RaceRule::Latch, number, one.actor, other.actor);
                return;
            }
        }
    }

    // ---- EDTs
    // --------------------------------------------------------------------------------------------------------

    /// Whether an EDT is there before others connect something to it is not looked at: maps and labels see to that.
    fn edts(&mut self) {
        let all = self.all;
        let mut deeds = all.on_edts.clone();
        deeds.sort_by_key(|deed| deed.object);
        for range in groups(&deeds, |deed| deed.object) {
            let deeds = &deeds[range];
            let edt = deeds[0].object;
            for destroyed in deeds.iter().filter(|deed| deed.did == Did::Destroy) {
                for deed in deeds.iter().filter(|deed| deed.did == Did::Connect) {
                    if deed.actor != destroyed.actor && !self.order.is_before(deed.point, destroyed.point) {
                        self.tell(RaceRule::DestroyedEdt, edt, deed.actor, destroyed.actor);
                    }
                }
            }
        }
    }
}

/// Whether it matters which of two uses of a block comes first.
///
/// `is_mixed` says that what one of them seems to have changed may have been changed by others.
fn conflict(all: &Gathered, first: &Use, second: &Use, is_mixed: bool) -> Conflict {
    use Written::{All, No, Parts, Perhaps};
    if first.actor == second.actor || (first.written, second.written) == (No, No) {
        return Conflict::No;
    }
    let declared = |its: &Use| its.mode.writes();
    let on_host = |its: &Use| all.actors[its.actor as usize].on_host;
    if (first.mode, second.mode) == (Mode::Ew, Mode::Ew) {
        return Conflict::Order;
    }
    match (first.written, second.written) {
        (Parts(parts, words), Parts(others, other_words)) => {
            if parts & others == 0 || words & other_words == 0 {
                Conflict::No
            } else if is_mixed {
                Conflict::Unknown
            } else {
                Conflict::Race
            }
        }
        (Parts(..), No) | (No, Parts(..)) if is_mixed => Conflict::Unknown,
        // Of a large block that a worker has seen, most writes show.
        (Perhaps, No) if !declared(second) && !on_host(first) => Conflict::Race,
        (No, Perhaps) if !declared(first) && !on_host(second) => Conflict::Race,
        (Perhaps, All) | (All, Perhaps) => Conflict::Race,
        (Perhaps, _) | (_, Perhaps) => Conflict::Unknown,
        _ => Conflict::Race,
    }
}
