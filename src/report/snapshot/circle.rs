//! Finds circles of EDTs that wait for each other, so that none of them can go on. EDTs wait for output events of
//! others, for finish scopes, and for data blocks that others hold.

use super::{Holder, Maker, Name, Snapshot};
use crate::object::guid::Guid;
use crate::object::name::BlockName;
use std::collections::{HashMap, HashSet};

/// How many events are followed from one EDT at most.
const FOLLOWED: usize = 1000;
/// How many EDTs of a scope are followed at most. Many EDTs may wait for one scope, and there is a list for each of
/// them.
const INSIDE: usize = 32;
/// How many EDTs of a circle are named at most.
const SHOWN: usize = 8;
/// How many circles are described at most.
const FEW: usize = 3;

/// The thing for which an EDT waits for another EDT.
#[derive(Clone, Copy)]
enum For {
    /// The output event of the other EDT.
    Output,
    /// The finish scope of the EDT of this name, which the other EDT keeps open.
    Scope(Name),
    /// A data block that the other EDT holds.
    Block(Guid),
}

/// An EDT of a circle, and the thing for which it waits for the next EDT.
type Step = (Name, For);

impl Snapshot<'_> {
    /// A line for each circle. Empty if there is none.
    pub(super) fn circle(&self) -> String {
        let circles = self.find_circles();
        circles.iter().map(|circle| self.circle_in_words(circle)).collect()
    }

    /// The line for a circle.
    fn circle_in_words(&self, circle: &[Step]) -> String {
        let waits = |at: usize| {
            let (edt, what) = &circle[at];
            let (next, _) = &circle[(at + 1) % circle.len()];
            let (edt, next) = (self.edt(edt), self.edt(next));
            match what {
                For::Output => format!("{edt} for the output event of {next}"),
                For::Scope(finish) if finish.guid == circle[(at + 1) % circle.len()].0.guid => {
                    format!("{edt} for the finish scope of {next}")
                }
                For::Scope(finish) => {
                    format!("{edt} for the finish scope of {}, which {next} keeps open", self.edt(finish))
                }
                For::Block(block) => {
                    format!("{edt} for {}{}, which {next} has", BlockName(*block), self.labels.of(*block))
                }
            }
        };
        let alone = circle.len() == 1;
        let mut text = String::from(if alone {
            "\n  This waits for itself, so that it cannot go on: "
        } else {
            "\n  These wait for each other, so that none can go on: "
        });
        let all: Vec<String> = (0..circle.len().min(SHOWN)).map(waits).collect();
        text += &all.join(", ");
        if circle.len() > SHOWN {
            text += &format!(", and so on, {} in all", circle.len());
        }
        let has_block = circle.iter().any(|(_, what)| matches!(what, For::Block(_)));
        text + match (has_block, alone) {
            (true, _) => {
                ". Release a block (ocrDbRelease) before waiting, or ask for all that an EDT needs as its pre-slots."
            }
            (false, true) => ". Leave out that dependence, or wait elsewhere.",
            (false, false) => ". One of them has to go on without the others: leave out a dependence.",
        }
    }

    /// Circles that have no EDT in common, at most [`FEW`], by a depth-first search.
    fn find_circles(&self) -> Vec<Vec<Step>> {
        let needs = self.needs();
        let mut seen: HashSet<Guid> = HashSet::new();
        let mut circles = Vec::new();
        let mut firsts: Vec<&Name> = needs.values().map(|(name, _)| name).collect();
        firsts.sort_by_key(|name| name.guid);
        for first in firsts {
            // The EDTs on the way to where the search is, each with how many of its needs have been looked at.
            let mut way: Vec<(Guid, usize)> = Vec::new();
            let mut place: HashMap<Guid, usize> = HashMap::new();
            let mut next = Some(first.guid);
            while circles.len() < FEW {
                if let Some(edt) = next.take() {
                    if let Some(start) = place.get(&edt).copied() {
                        let steps = way[start..].iter().map(|(at, looked)| {
                            let (name, needs) = &needs[at];
                            (*name, needs[looked - 1].1)
                        });
                        circles.push(steps.collect());
                        // The EDTs on the way are in no other circle that is described.
                        break;
                    }
                    if needs.contains_key(&edt) && seen.insert(edt) {
                        place.insert(edt, way.len());
                        way.push((edt, 0));
                    }
                }
                let Some((edt, looked)) = way.last_mut() else {
                    break;
                };
                next = needs[edt].1.get(*looked).map(|(other, _)| *other);
                *looked += 1;
                if next.is_none()
                    && let Some((edt, _)) = way.pop()
                {
                    place.remove(&edt);
                }
            }
        }
        circles
    }

    /// For each EDT that waits, its name, and which other EDTs it waits for, and for what.
    fn needs(&self) -> HashMap<Guid, (Name, Vec<(Guid, For)>)> {
        let mut all = HashMap::new();
        for edt in &self.waiting {
            let events = edt.slots.iter().filter_map(|slot| self.event_at(slot));
            let needs = self.makers_of(events.collect());
            all.insert(edt.name.guid, (edt.name, needs));
        }
        for thread in &self.inputs.threads {
            let (Some(wait), Some(edt)) = (&thread.waits, self.running.get(&thread.running)) else {
                continue;
            };
            if !wait.event.is_null() {
                all.insert(edt.guid, (*edt, self.makers_of(vec![wait.event])));
            }
        }
        for wait in &self.block_waits {
            let holders = self.blocks.get(&wait.block).map(|block| &block.holders[..]);
            let needs = holders.unwrap_or_default().iter().filter_map(|holder| match holder {
                Holder::Running(edt, _) | Holder::Waiting(edt, _) => Some((edt.guid, For::Block(wait.block))),
                _ => None,
            });
            all.insert(wait.edt.guid, (wait.edt, needs.collect()));
        }
        all
    }

    /// The EDTs that have to end before an event is satisfied.
    pub(super) fn makers_of_event(&self, event: Guid) -> Vec<Guid> {
        let makers = self.makers_of(vec![event]);
        makers.into_iter().map(|(edt, _)| edt).collect()
    }

    /// The EDTs that have to end before all of these events are satisfied, each with what is waited for.
    fn makers_of(&self, mut events: Vec<Guid>) -> Vec<(Guid, For)> {
        let mut followed: HashSet<Guid> = events.iter().copied().collect();
        let mut found = Vec::new();
        while let Some(event) = events.pop() {
            match self.makers.get(&event) {
                Some(Maker::Edt(maker, _)) => found.push((maker.guid, For::Output)),
                Some(Maker::Scope(at)) => {
                    if let Some(scope) = self.scopes.get(at) {
                        let inside = scope.edts.iter().take(INSIDE);
                        found.extend(inside.map(|edt| (edt.guid, For::Scope(scope.edt))));
                    }
                }
                None => {}
            }
            // An event with several sources is not followed: another source might satisfy it.
            if let Some(&[source]) = self.sources.get(&event).map(Vec::as_slice)
                && followed.len() < FOLLOWED
                && followed.insert(source)
            {
                events.push(source);
            }
        }
        found
    }
}
