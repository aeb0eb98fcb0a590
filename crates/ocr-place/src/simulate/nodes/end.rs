//! How long the end of a program takes (`src/engine/nodes/drain.rs`).

use super::NodesMachine;

/// Nanoseconds from `ocrShutdown` on node 0 until all nodes may leave; 0 without other nodes. Node 0 has all others end
/// their runs, hears of each, has them stop, hears of each, and tells that all have. It sends and handles one message
/// after the other.
pub fn end_ns(machine: &NodesMachine) -> u64 {
    let (others, each) = (u64::from(machine.nodes).saturating_sub(1), machine.overhead_ns);
    if others == 0 {
        return 0;
    }
    let there_and_back = 2 * machine.latency_ns + 2 * each;
    let round = |begun: u64| {
        let mut free_at = begun + others * each;
        for sent in 1..=others {
            free_at = free_at.max(begun + sent * each + there_and_back) + each;
        }
        free_at
    };
    round(round(0)) + others * each + machine.latency_ns + each
}
