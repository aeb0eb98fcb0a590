//! The chain of EDTs that led to the end of a run.
//!
//! It begins with the EDT that ended last, and goes back: an EDT came after the one that it waited for last, or, where its unit was
//! busy when it had all that it needed, after the one that ran there before it.

use super::ground::Ground;
use crate::report::recorded::NEVER;
use rustc_hash::FxHashMap;

/// What the chain consists of, in nanoseconds.
#[derive(Default)]
pub(super) struct Chain {
    /// How many EDTs.
    pub(super) edts: u64,
    /// In EDTs, by template.
    pub(super) by_template: FxHashMap<u32, u64>,
    /// Before EDTs that waited for a block that another had.
    pub(super) blocks: u64,
}

impl Chain {
    pub(super) fn of(ground: &Ground<'_>) -> Chain {
        let mut before: FxHashMap<u32, u32> = FxHashMap::default();
        for unit in &ground.units {
            before.extend(unit.edts.windows(2).map(|pair| (pair[1], pair[0])));
        }
        let mut chain = Chain::default();
        let mut next = ground
            .ran
            .iter()
            .copied()
            .max_by_key(|&edt| ground.edt(edt).end);
        let mut latest = u64::MAX;
        while let Some(number) = next {
            let edt = ground.edt(number);
            // What came before has ended before; a recording that says otherwise does not keep us here.
            if edt.begin >= latest {
                break;
            }
            chain.edts += 1;
            // Of one that let the next begin by what it did in its body, only the time up to then counts.
            let ns = edt.end.min(latest) - edt.begin;
            latest = edt.begin;
            *chain.by_template.entry(edt.template).or_default() += ns;
            let on_unit = before.get(&number).copied();
            let on_unit = on_unit.filter(|&other| ground.edt(other).end > ground.ready(number));
            if on_unit.is_none() && edt.granted != NEVER {
                chain.blocks += edt.granted.saturating_sub(edt.runnable);
            }
            let awaited = || ground.last_before(number).map(|edge| edge.from);
            let ended = |other: &u32| ground.edt(*other).time().is_some();
            next = on_unit.or_else(awaited).filter(ended);
        }
        chain
    }
}
