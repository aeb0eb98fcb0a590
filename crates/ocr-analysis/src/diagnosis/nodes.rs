//! Rules about programs on several nodes: EDTs that wait for answers, and blocks that go from node to node.

use super::blocks::block_name;
use super::idle::Idleness;
use super::look::{LIMITS, Look, Seen, percent, time};
use crate::recorded::{NEVER, RecordedEdt};
use rustc_hash::FxHashMap;

/// What the EDTs of a template ran, and waited for answers meanwhile. Times are in nanoseconds.
#[derive(Default)]
struct Asking {
    edts: u64,
    took: u64,
    waited: u64,
}

/// The rule *answers*: EDTs wait for answers of other nodes, and their workers run nothing else.
pub(super) fn answers(look: &Look<'_>) -> Option<Seen> {
    let mut by_template: FxHashMap<u32, Asking> = FxHashMap::default();
    for edt in look.run.edts.iter().filter(|edt| edt.answers != 0) {
        let its = by_template.entry(edt.template).or_default();
        its.edts += 1;
        its.took = its.took.saturating_add(edt.time().unwrap_or(0));
        its.waited = its.waited.saturating_add(edt.answers);
    }
    let all: f64 = by_template.values().map(|its| its.waited as f64).sum();
    let (template, its) = by_template.into_iter().max_by_key(|(template, its)| (its.waited, *template))?;
    let workers = look.ground.places.get(&0).copied().unwrap_or(1).max(1) as f64;
    let costs = all / workers;
    // One that waits for a short time of many, and computes otherwise, has a reason to ask. While one waits on a node,
    // the workers of others may stand still as well.
    if 3 * its.waited < its.took || !(look.counts(costs) || look.counts(its.waited as f64)) {
        return None;
    }
    let each = |ns: u64| time(ns as f64 / its.edts.max(1) as f64);
    let seen = Seen::saves((its.waited as f64).min(look.ns))
        .at(0)
        .of(template)
        .word("template", look.template(template))
        .word("took", each(its.took))
        .word("waited", each(its.waited))
        .word("part", percent(costs / look.ns));
    Some(seen)
}

/// The number of the node that ran an EDT.
fn node_of(look: &Look<'_>, edt: &RecordedEdt) -> Option<u32> {
    look.run.threads.get(&edt.lane).filter(|_| edt.place == 0).map(|thread| thread.node)
}

/// How often a block went to another node: an EDT used it there next, and one of the two writes it.
fn moves(look: &Look<'_>, guid: u64) -> (u64, FxHashMap<u32, u64>) {
    let uses = look.run.uses.iter();
    let mut uses: Vec<(u64, u32, bool)> = uses
        .filter(|its| look.run.block_guids.get(its.block as usize) == Some(&guid))
        .map(|its| (look.run.edts[its.edt as usize].begin, its.edt, its.writes))
        .filter(|(begin, ..)| *begin != NEVER)
        .collect();
    uses.sort_unstable();
    let (mut moves, mut users) = (0, FxHashMap::default());
    let mut last: Option<(Option<u32>, bool)> = None;
    for (_, number, writes) in uses {
        let edt = &look.run.edts[number as usize];
        let node = node_of(look, edt);
        *users.entry(edt.template).or_default() += 1;
        if last.is_some_and(|(before, wrote)| before != node && (wrote || writes)) {
            moves += 1;
        }
        last = Some((node, writes));
    }
    (moves, users)
}

/// The rule *between nodes*: a block goes from node to node, and EDTs wait for it.
pub(super) fn between_nodes(look: &Look<'_>) -> Option<Seen> {
    if look.run.nodes.len() < 2 {
        return None;
    }
    let mut waits: FxHashMap<u64, (u64, u64)> = FxHashMap::default();
    for grant in &look.run.grants {
        let edt = &look.run.edts[grant.edt as usize];
        if edt.runnable != NEVER {
            let (many, ns) = waits.entry(grant.block).or_default();
            *many += 1;
            *ns += grant.at.saturating_sub(edt.runnable);
        }
    }
    let all: u64 = waits.values().map(|(_, ns)| ns).sum();
    let (guid, (many, ns)) = waits.into_iter().max_by_key(|(guid, (_, ns))| (*ns, *guid))?;
    let waited = look.idle(Idleness::Data).max(look.chain.blocks as f64);
    if 2 * ns < all || !look.counts(waited) {
        return None;
    }
    let (moves, users) = moves(look, guid);
    if moves < LIMITS.seen / 2 || 4 * moves < many {
        return None;
    }
    let (template, _) = users.into_iter().max_by_key(|(template, many)| (*many, *template))?;
    let seen = Seen::saves(waited)
        .of(template)
        .word("block", block_name(look, guid))
        .word("template", look.template(template))
        .word("times", moves.to_string())
        .word("waited", time(ns as f64 / many.max(1) as f64))
        .word("part", percent(waited / look.ns));
    Some(seen)
}
