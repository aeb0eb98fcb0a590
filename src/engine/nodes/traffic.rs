//! What the nodes of a program have sent each other, for the report of node 0.

use crate::engine::nodes::outbox;
use crate::engine::nodes::work::Call;
use crate::report::nodes::{NodeReport, SentReport};

/// What this node has sent until now.
pub(crate) fn of_this_node() -> NodeReport {
    let sent = outbox::traffic().into_iter().map(|(to, traffic)| SentReport {
        to,
        messages: traffic.messages,
        confirmations: traffic.confirmations,
        batches: traffic.batches,
        lone_confirmations: traffic.lone,
        bytes: traffic.bytes,
    });
    let (waits, waited) = outbox::waits();
    let node = outbox::place().map_or(0, |(node, _)| node);
    NodeReport { node, waits, wait_seconds: waited.as_secs_f64(), sent: sent.collect() }
}

/// What each node has sent until now. One that does not answer for some seconds is left out. Empty where there are no
/// other nodes.
pub(crate) fn of_all() -> Vec<NodeReport> {
    let Some((_, 2..)) = outbox::place() else { return Vec::new() };
    // Before its question counts.
    let mut all = vec![of_this_node()];
    let answers = outbox::ask_others(Call::Traffic).into_iter();
    all.extend(answers.filter_map(|(_, answer)| serde_json::from_str(&answer?.text).ok()));
    all
}
