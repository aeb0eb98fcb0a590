//! Rules about the shape of the graph. Their evidence is what EDTs take, and what they wait for, alone. How the run
//! went is no part of it, so that a busy machine does not hide what they find.

use super::look::{LIMITS, Look, Seen, percent, time};
use crate::recorded::{NEVER, median};
use ocr_base::text::counted;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// How many times as long as its share of the work a chain must be to be the reason why workers are idle.
const LONGER: f64 = 1.2;
/// The share of the run from which on a chain, or what workers do in the best order, is the run.
const MOST: f64 = 0.6;

/// The shape of a graph whose EDTs ran on workers. Times are in nanoseconds.
pub(super) struct GraphShape {
    /// How many workers there are.
    workers: usize,
    /// The sum of all times.
    pub(super) work: f64,
    /// How long the longest chain of EDTs takes.
    pub(super) path: f64,
    /// The EDTs of that chain, the last one first, each with what it adds to the chain.
    chain: Vec<(u32, u64)>,
}

impl GraphShape {
    /// The shape of the graph of a run. None where kernels ran.
    pub(super) fn of(look: &Look<'_>) -> Option<GraphShape> {
        if look.has_kernels() {
            return None;
        }
        let ground = look.ground;
        let mut order = ground.ran.clone();
        order.sort_by_key(|&edt| (ground.edt(edt).begin, edt));
        // An EDT begins after all that it waits for. So in the order of begins each is behind what it waits for.
        let mut begins = vec![0_u64; look.run.edts.len()];
        let mut by: Vec<Option<(u32, u64)>> = vec![None; look.run.edts.len()];
        let mut end = (0, None);
        for &number in &order {
            for edge in ground.edges_to(number) {
                let from = ground.edt(edge.from);
                if from.time().is_none() || (from.begin, edge.from) >= (ground.edt(number).begin, number) {
                    continue;
                }
                let adds = match edge.at {
                    NEVER => from.computed(),
                    at => {
                        let waited = from.opencl.saturating_add(from.answers);
                        at.saturating_sub(from.begin).saturating_sub(waited).min(from.computed())
                    }
                };
                let at = begins[edge.from as usize].saturating_add(adds);
                if at > begins[number as usize] || by[number as usize].is_none() {
                    begins[number as usize] = at;
                    by[number as usize] = Some((edge.from, adds));
                }
            }
            let at = begins[number as usize].saturating_add(ground.edt(number).computed());
            if at >= end.0 {
                end = (at, Some(number));
            }
        }
        let mut chain = Vec::new();
        let mut next = end.1.map(|last| (last, ground.edt(last).computed()));
        while let Some((number, adds)) = next {
            chain.push((number, adds));
            next = by[number as usize];
        }
        let work = order.iter().map(|&edt| ground.edt(edt).computed() as f64).sum();
        let workers = ground.places.get(&0).copied().unwrap_or(1).max(1);
        Some(GraphShape { workers, work, path: end.0 as f64, chain })
    }

    /// What the work takes if it is divided without loss.
    fn area(&self) -> f64 {
        self.work / self.workers as f64
    }

    /// Whether the longest chain keeps the run from ending sooner, and is most of it.
    fn is_chain_long(&self, look: &Look<'_>) -> bool {
        let run = look.ns - look.start as f64;
        self.path >= MOST * run && self.path >= LONGER * self.area() && look.counts(self.path - self.area())
    }
}

/// The EDT that takes the most, where that is most of the chain and of the run.
fn largest(look: &Look<'_>, shape: &GraphShape) -> Option<u32> {
    let number = shape.chain.iter().max_by_key(|(_, adds)| *adds)?.0;
    let takes = look.ground.edt(number).computed() as f64;
    (takes >= MOST * shape.path && takes >= LONGER * shape.area()).then_some(number)
}

/// The rule *one EDT*: one EDT takes longer than all of them divided among the workers.
pub(super) fn one_edt(look: &Look<'_>) -> Option<Seen> {
    let shape = GraphShape::of(look).filter(|shape| shape.is_chain_long(look))?;
    let number = largest(look, &shape).filter(|_| look.ground.ran.len() > 1)?;
    let edt = look.ground.edt(number);
    let seen = Seen::saves(shape.path - shape.area())
        .of(edt.template)
        .word("template", look.run.template_name(edt))
        .word("took", time(edt.computed() as f64))
        .word("part", percent(edt.computed() as f64 / look.ns))
        .word("area", time(shape.area()));
    Some(seen)
}

/// The rule *one chain*: EDTs that wait for each other are most of the run.
pub(super) fn one_chain(look: &Look<'_>) -> Option<Seen> {
    let shape = GraphShape::of(look).filter(|shape| shape.is_chain_long(look))?;
    if largest(look, &shape).is_some() {
        return None;
    }
    let mut by_template: FxHashMap<u32, (u64, u64)> = FxHashMap::default();
    for &(number, adds) in &shape.chain {
        let (ns, many) = by_template.entry(look.ground.edt(number).template).or_default();
        *ns += adds;
        *many += 1;
    }
    let (template, (ns, many)) = by_template.into_iter().max_by_key(|(template, (ns, _))| (*ns, *template))?;
    let seen = Seen::saves(shape.path - shape.area())
        .of(template)
        .word("chain", counted(shape.chain.len() as u64, "EDT"))
        .word("took", time(shape.path))
        .word("run", time(look.ns))
        .word("many", many.to_string())
        .word("template", look.template(template))
        .word("share", percent(ns as f64 / shape.path.max(1.0)))
        .word("area", time(shape.area()));
    Some(seen)
}

/// What the workers need for these EDTs at least about, if the longest begins first and none waits for another.
fn packed(times: &[u64], workers: usize) -> u64 {
    let mut free: BinaryHeap<Reverse<u64>> = (0..workers).map(|_| Reverse(0)).collect();
    let mut last = 0;
    for &ns in times {
        let Some(Reverse(at)) = free.pop() else { break };
        let end = at.saturating_add(ns);
        last = last.max(end);
        free.push(Reverse(end));
    }
    last
}

/// The rule *few large*: EDTs are so few and so large that no order keeps all workers busy.
pub(super) fn few_large(look: &Look<'_>) -> Option<Seen> {
    let shape = GraphShape::of(look)?;
    let area = shape.area();
    let mut times: Vec<u64> = look.ground.ran.iter().map(|&edt| look.ground.edt(edt).computed()).collect();
    times.sort_unstable_by_key(|&ns| Reverse(ns));
    // With smaller ones, all workers end at nearly the same time.
    let longest = *times.first()? as f64;
    if longest < LIMITS.symptom * area || shape.is_chain_long(look) {
        return None;
    }
    let best = packed(&times, shape.workers) as f64;
    let saves = best - area.max(shape.path);
    if !look.counts(saves) || best < MOST * (look.ns - look.start as f64) {
        return None;
    }
    let mut large: FxHashMap<u32, Vec<u64>> = FxHashMap::default();
    for edt in look.ground.ran.iter().map(|&edt| look.ground.edt(edt)) {
        if 4.0 * edt.computed() as f64 >= longest {
            large.entry(edt.template).or_default().push(edt.computed());
        }
    }
    let (template, mut its) = large.into_iter().max_by_key(|(template, its)| (its.iter().sum::<u64>(), *template))?;
    let seen = Seen::saves(saves)
        .of(template)
        .word("many", counted(its.len() as u64, "EDT"))
        .word("template", look.template(template))
        .word("each", time(median(&mut its) as f64))
        .word("workers", counted(shape.workers as u64, "worker"))
        .word("best", time(best))
        .word("area", time(area));
    Some(seen)
}
