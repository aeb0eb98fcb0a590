//! What to say of a program that has come to a halt: nothing runs, nothing can, and it has not shut
//! down.

use crate::object::Objects;
use crate::object::edt::{Edt, WAITING};
use crate::object::guid::Guid;
use crate::object::link::{Link, Target};
use std::collections::HashMap;

/// EDTs that are described one by one; the others are counted.
const SHOWN: usize = 20;

/// The message: each EDT that waits, and for what.
pub fn describe(objects: &Objects) -> String {
    let sources = sources(objects);
    let mut text = String::from(
        "the program hangs: no EDT is ready or running, no device works, and ocrShutdown was not \
         called.",
    );
    let waiting: Vec<&Edt> = objects
        .edts
        .live()
        .filter(|edt| edt.header.peek().state() == WAITING)
        .collect();
    if waiting.is_empty() {
        text += " No EDT waits for anything: the program has ended without ocrShutdown.";
    }
    for edt in waiting.iter().take(SHOWN) {
        text += &format!("\n  EDT {} ({}) waits on", edt.guid(), edt.work().name);
        let mut separator = "";
        for (at, slot) in edt.slots().iter().enumerate() {
            let why = match slot.connected_mode() {
                Some(_) => match sources.get(&edt.link_to(at as u32).bits()) {
                    Some((guid, kind)) => format!("the {kind} event {guid}"),
                    None => "an event".to_string(),
                },
                None if slot.is_unconnected() => "a dependence that was never added".to_string(),
                None => continue,
            };
            text += &format!("{separator} pre-slot {at}: {why}");
            separator = ",";
        }
    }
    if waiting.len() > SHOWN {
        text += &format!("\n  and {} more EDTs", waiting.len() - SHOWN);
    }
    text
}

/// Which event each linked pre-slot waits for.
fn sources(objects: &Objects) -> HashMap<u64, (Guid, &'static str)> {
    let mut sources = HashMap::new();
    for (guid, event) in objects.events.live() {
        let mut link = event.waiting.get();
        loop {
            link = match link.target() {
                Target::Edt { kind, index, slot } => {
                    sources.insert(link.bits(), (guid, event.kind().name()));
                    match objects.edts.get(kind, index) {
                        Some(edt) => edt.slots()[slot as usize].rest(),
                        None => Link::END,
                    }
                }
                Target::Connector(index) => objects.events.rest(index),
                Target::Event { .. } | Target::End => break,
            };
        }
    }
    sources
}
