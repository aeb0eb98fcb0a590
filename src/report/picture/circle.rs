//! EDTs that wait for each other's output events, so that none of them can be the first to run.

use super::{Maker, Picture, WaitingEdt};
use crate::object::guid::Guid;
use std::collections::{HashMap, HashSet};

/// How many events are followed from one EDT.
const FOLLOWED: usize = 1000;
/// How many EDTs of a circle are told of.
const SHOWN: usize = 8;

impl Picture<'_> {
    /// One circle, in words; nothing if there is none.
    pub(super) fn circle(&self) -> String {
        let Some(circle) = self.find_circle() else {
            return String::new();
        };
        let names = circle.iter().take(SHOWN);
        let mut text = String::from("\n  These wait for each other's output events: ");
        for edt in names {
            text += &format!("{} for ", self.edt(&edt.name));
        }
        if circle.len() > SHOWN {
            text += &format!("{} others, and the last for ", circle.len() - SHOWN);
        }
        let what_to_do = "One of them has to run without the others: leave out a dependence.";
        text + &format!("{}. {what_to_do}", self.edt(&circle[0].name))
    }

    /// EDTs of which each waits for the next, and the last for the first.
    fn find_circle(&self) -> Option<Vec<&WaitingEdt>> {
        let number_of: HashMap<Guid, usize> = (self.waiting.iter().enumerate())
            .map(|(at, edt)| (edt.name.guid, at))
            .collect();
        let mut seen = vec![false; self.waiting.len()];
        for first in 0..self.waiting.len() {
            // The way to where the search is, with what is left to look at from each EDT on it.
            let mut way: Vec<(usize, Vec<usize>)> = Vec::new();
            let mut on_way: HashSet<usize> = HashSet::new();
            let mut next = Some(first);
            loop {
                if let Some(edt) = next.take() {
                    if on_way.contains(&edt) {
                        let start = way.iter().position(|&(at, _)| at == edt)?;
                        let circle = way[start..].iter().map(|&(at, _)| &self.waiting[at]);
                        return Some(circle.collect());
                    }
                    if !std::mem::replace(&mut seen[edt], true) {
                        on_way.insert(edt);
                        way.push((edt, self.awaited_by(&self.waiting[edt], &number_of)));
                    }
                }
                let Some((edt, left)) = way.last_mut() else {
                    break;
                };
                next = left.pop();
                if next.is_none() {
                    on_way.remove(edt);
                    way.pop();
                }
            }
        }
        None
    }

    /// The EDTs that wait themselves and whose output events an EDT waits for, through other events, too.
    fn awaited_by(&self, edt: &WaitingEdt, number_of: &HashMap<Guid, usize>) -> Vec<usize> {
        let mut events: Vec<Guid> = edt
            .slots
            .iter()
            .filter_map(|slot| self.event_at(slot))
            .collect();
        let mut followed: HashSet<Guid> = events.iter().copied().collect();
        let mut found = Vec::new();
        while let Some(event) = events.pop() {
            if let Some(Maker::Edt(maker, true)) = self.makers.get(&event) {
                found.extend(number_of.get(&maker.guid));
            }
            // Of several, others might do.
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
