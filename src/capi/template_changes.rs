//! Other nodes that have copies of a template of this one are told when that changes.

use crate::capi::with;
use crate::engine::nodes::outbox;
use crate::engine::nodes::work::{Call, NodeWork};
use crate::engine::state::context::Context;
use crate::object::guid::Guid;

/// Tells other nodes that have a copy of a template that it has changed, and waits until they know.
pub(super) fn tell_of_change(template: Guid) {
    for node in told_of(template) {
        outbox::ask(node, Call::TemplateChanged(template));
    }
}

/// Tells other nodes that have a copy of a template that this one destroys it.
pub(super) fn tell_of_end(template: Guid) {
    for node in told_of(template) {
        outbox::post(node, NodeWork::Call { id: 0, by: None, call: Call::TemplateChanged(template) });
    }
}

/// The nodes that may have copies of a template, which are told that these are none any more.
fn told_of(template: Guid) -> Vec<u32> {
    if !outbox::is_open() {
        return Vec::new();
    }
    let described = |context: &mut Context| context.runtime.elsewhere.lock().kernels.described.remove(&template);
    with(None, described).into_iter().flatten().collect()
}
