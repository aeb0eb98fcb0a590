//! The chain of EDTs that led to the end of a run.
//!
//! The chain begins with the EDT that ended last, and goes back. If an EDT's unit was busy when the EDT had all that it
//! needed, the EDT before it in the chain is the one that ran there before. Otherwise it is the EDT that was waited for
//! last.

use super::ground::Ground;
use crate::recorded::NEVER;
use rustc_hash::FxHashMap;

/// What the chain consists of.
#[derive(Default)]
pub(crate) struct Chain {
    /// How many EDTs are in the chain.
    pub(crate) edts: u64,
    /// How many nanoseconds of the chain passed in EDTs of each template, by the number of the template.
    pub(crate) by_template: FxHashMap<u32, u64>,
    /// How many nanoseconds EDTs of the chain waited for blocks that others had.
    pub(crate) blocks: u64,
}

impl Chain {
    /// The chain of a run.
    pub(crate) fn of(ground: &Ground<'_>) -> Chain {
        let mut before: FxHashMap<u32, u32> = FxHashMap::default();
        for unit in &ground.units {
            before.extend(unit.edts.windows(2).map(|pair| (pair[1], pair[0])));
        }
        let mut chain = Chain::default();
        let mut next = ground.ran.iter().copied().max_by_key(|&edt| ground.edt(edt).end);
        let mut latest = u64::MAX;
        while let Some(number) = next {
            let edt = ground.edt(number);
            // An EDT of the chain has begun before the one that follows it. A recording that says otherwise ends the
            // loop.
            if edt.begin >= latest {
                break;
            }
            chain.edts += 1;
            // If an EDT let the next one begin by something in its body, only its time up to then counts.
            let ns = edt.end.min(latest).saturating_sub(edt.begin);
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
