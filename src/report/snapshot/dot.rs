//! The snapshot as a graph for Graphviz. Arrows lead from an object that is waited for to the one that waits.

use super::events::counts;
use super::text::mode_name;
use super::{DeferredCallView, Holder, Maker, Name, Snapshot, WaitingEdt};
use crate::object::Objects;
use crate::object::guid::Guid;
use crate::report::labels::ObjectLabels;
use crate::report::tally::Label;
use ocr_base::text::Counted;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The nodes and arrows of a graph that is being drawn.
struct DotGraph<'a> {
    objects: &'a Objects,
    labels: &'a ObjectLabels,
    /// For each node, by its name in the file, its shape and its text.
    nodes: BTreeMap<String, (&'static str, String)>,
    /// For each arrow, the node that it leads from, the node that it leads to, and its text.
    arrows: Vec<(String, String, String)>,
}

impl DotGraph<'_> {
    /// Draws an EDT, and returns the name of its node.
    fn edt(&mut self, edt: &Name) -> String {
        let id = edt.guid.to_string();
        let label = format!("{}\n{}", edt.work.name, self.object(edt.guid));
        self.node(id, "box", label)
    }

    /// Draws an EDT that waits for dependences, with their number, and returns the name of its node.
    fn waiting_edt(&mut self, edt: &WaitingEdt) -> String {
        let name = &edt.name;
        let missing = format!("{} of {} pre-slots missing", edt.slots.len(), edt.depc);
        let label = format!("{}\n{}\n{missing}", name.work.name, self.object(name.guid));
        self.node(name.guid.to_string(), "box", label)
    }

    /// The text for an object: its GUID, the index of the GUID in a range, and its label.
    fn object(&self, guid: Guid) -> String {
        let index = self.objects.index_of_label(guid);
        format!("{guid}{index}{}", self.labels.of(guid))
    }

    /// Draws a node, unless there is one with this name, and returns the name.
    fn node(&mut self, id: String, shape: &'static str, label: String) -> String {
        self.nodes.entry(id.clone()).or_insert_with(|| (shape, label));
        id
    }

    fn arrow(&mut self, from: String, to: String, label: String) {
        self.arrows.push((from, to, label));
    }

    /// The graph in Graphviz's language, with a comment at its begin.
    fn text(&self, comment: &str) -> String {
        let mut text = format!("digraph waiting {{ // {comment}\n  rankdir=LR;\n");
        for (id, (shape, label)) in &self.nodes {
            let _ = writeln!(text, "  {id:?} [shape={shape}, label={label:?}];");
        }
        for (from, to, label) in &self.arrows {
            let _ = writeln!(text, "  {from:?} -> {to:?} [label={label:?}];");
        }
        text + "}\n"
    }
}

/// The text for a label on which no object has been created.
fn without_object(call: &DeferredCallView) -> String {
    format!("{}\nhas no object", call.name)
}

impl Snapshot<'_> {
    /// The graph of what waits for what, in Graphviz's language, with a comment at its begin.
    pub fn dot(&self, comment: &str) -> String {
        let mut graph =
            DotGraph { objects: self.objects, labels: self.labels, nodes: BTreeMap::new(), arrows: Vec::new() };
        let mut events = Vec::new();
        for edt in &self.waiting {
            let to = graph.waiting_edt(edt);
            for slot in &edt.slots {
                let label = format!("slot {}", slot.at);
                let from = match self.event_at(slot) {
                    Some(event) => {
                        events.push(event);
                        event.to_string()
                    }
                    None if slot.link.is_none() => match self.early_call(edt.name.guid, slot.at) {
                        Some(call) => {
                            let text = without_object(call);
                            graph.node(call.label.to_string(), "plaintext", text)
                        }
                        None => {
                            let id = format!("{to} slot {}", slot.at);
                            let lost = self.lacks(edt, slot);
                            let label = lost.unwrap_or_else(|| "never connected".into());
                            graph.node(id, "plaintext", label)
                        }
                    },
                    None => continue,
                };
                graph.arrow(from, to.clone(), label);
            }
        }
        for thread in &self.inputs.threads {
            let Some(wait) = &thread.waits else { continue };
            let to = graph.node(thread.name(), "house", thread.name());
            if let Some(edt) = self.running.get(&thread.running) {
                let edt = graph.edt(edt);
                graph.arrow(to.clone(), edt, "runs".into());
            }
            if !wait.event.is_null() {
                events.push(wait.event);
                graph.arrow(wait.event.to_string(), to, wait.call.into());
            } else if let Some(label) = wait.label {
                let from = match label {
                    Label::Gone(label) | Label::Made(label) => {
                        let text = self.objects.name_of_label(label);
                        graph.node(label.to_string(), "plaintext", text)
                    }
                    Label::Mapped(map, index) => {
                        let text = format!("index {index} of the map {}", graph.object(map));
                        graph.node(text.clone(), "plaintext", text)
                    }
                };
                graph.arrow(from, to, wait.call.into());
            }
        }
        for scope in self.scopes.values() {
            let to =
                graph.node(format!("scope {}", scope.edt.guid), "folder", format!("finish scope of\n{}", scope.edt));
            for edt in &scope.edts {
                let from = graph.edt(edt);
                graph.arrow(from, to.clone(), String::new());
            }
            for edt in &scope.scopes {
                graph.arrow(format!("scope {}", edt.guid), to.clone(), String::new());
            }
        }
        for call in &self.inputs.deferred {
            if call.slot.is_some_and(|(edt, _)| self.is_waiting(edt)) {
                continue;
            }
            let from = graph.node(call.label.to_string(), "plaintext", without_object(call));
            let target = call.target;
            let to = match target == call.label {
                true => graph.node(format!("{from} {}", call.text), "note", call.text.clone()),
                false if self.objects.event_kind(target).is_some() => {
                    events.push(target);
                    target.to_string()
                }
                false => graph.node(target.to_string(), "plaintext", graph.object(target)),
            };
            graph.arrow(from, to, format!("{}\n{}", call.by, call.who));
        }
        self.draw_events(&mut graph, events);
        for wait in &self.block_waits {
            let from = self.draw_block(&mut graph, wait.block);
            let to = graph.edt(&wait.edt);
            graph.arrow(from, to, format!("slot {}, {}", wait.slot, mode_name(wait.mode)));
        }
        graph.text(comment)
    }

    /// Draws these events, and all events and EDTs that they depend on.
    fn draw_events(&self, graph: &mut DotGraph<'_>, mut events: Vec<Guid>) {
        while let Some(event) = events.pop() {
            let id = event.to_string();
            if graph.nodes.contains_key(&id) {
                continue;
            }
            let kind = self.objects.event_kind(event).map_or("", |kind| kind.name().trim_end_matches(" event"));
            let mut label = format!("{kind}\n{}", graph.object(event));
            if let Some(counts) = counts(self.objects, event) {
                label += &format!("\n{counts}");
            }
            graph.node(id.clone(), "ellipse", label);
            match self.makers.get(&event) {
                Some(Maker::Edt(edt, _)) => {
                    let from = graph.edt(edt);
                    graph.arrow(from, id.clone(), "output".into());
                }
                Some(Maker::Scope(at)) => {
                    if let Some(scope) = self.scopes.get(at) {
                        graph.arrow(format!("scope {}", scope.edt.guid), id.clone(), String::new());
                    }
                }
                None => {}
            }
            let sources = self.sources.get(&event).into_iter().flatten();
            for source in sources.map(|&source| self.through(source)) {
                graph.arrow(source.to_string(), id.clone(), String::new());
                events.push(source);
            }
            let lost = self.inputs.history.map(|history| history.lost(event, 0));
            for (at, lost) in lost.into_iter().flatten().enumerate() {
                let from = graph.node(format!("{id} lost {at}"), "plaintext", lost);
                graph.arrow(from, id.clone(), String::new());
            }
        }
    }

    /// Draws a block that an EDT waits for, and its holders. Returns the name of its node.
    fn draw_block(&self, graph: &mut DotGraph<'_>, block: Guid) -> String {
        let id = block.to_string();
        let Some(held) = self.blocks.get(&block).filter(|_| !graph.nodes.contains_key(&id)) else {
            return id;
        };
        let label = format!("{}\n{}", Counted(held.size, "byte"), graph.object(block));
        graph.node(id.clone(), "cylinder", label);
        for holder in &held.holders {
            let from = match holder {
                Holder::Thread(at) => {
                    let name = self.inputs.threads[*at].name();
                    graph.node(name.clone(), "house", name)
                }
                Holder::Running(edt, _) | Holder::Ready(edt) | Holder::OnDevice(edt, _) | Holder::Waiting(edt, _) => {
                    graph.edt(edt)
                }
                Holder::Part(part, size) => {
                    let id = part.to_string();
                    let text = format!("{}\n{}", Counted(*size, "byte"), graph.object(*part));
                    graph.node(id, "cylinder", text)
                }
                Holder::Node(node) => {
                    let name = format!("node {node}");
                    graph.node(name.clone(), "house", name)
                }
                Holder::Whole(whole) => self.draw_block(graph, *whole),
            };
            graph.arrow(from, id.clone(), held.modes.join(", "));
        }
        id
    }
}
