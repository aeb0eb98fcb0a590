//! Which cores of a machine each of its nodes has.
//!
//! Nodes that may all run on the same cores share them: of L such nodes on C cores, node I of them has the cores from
//! I·C/L on, up to those of the next, and one at least. Where the launcher has bound each node to cores of its own, no
//! node has the cores of another, and each keeps its own. The number of workers follows, unless the user has given it.

use crate::config::{Bind, Settings};
use crate::cores::CoreSet;
use std::sync::OnceLock;

/// The cores of this process, where they are a part of those that it might use, and how many of them may be busy.
static PART: OnceLock<(CoreSet, usize)> = OnceLock::new();

/// Which of `count` things belong to part `index` of `parts`: from, and up to but not including. One at least.
fn part(count: usize, index: usize, parts: usize) -> (usize, usize) {
    let begin = |index: usize| index * count / parts;
    let from = begin(index).min(count.saturating_sub(1));
    (from, begin(index + 1).max(from + 1))
}

/// Gives this process its part of the cores that it shares with other nodes, and sets the number of workers by that.
/// `share`: which of them it is, and how many they are. Later runs of the process get the same part.
pub(super) fn take(settings: &mut Settings, share: (u32, u32)) {
    let (index, parts) = (share.0 as usize, share.1 as usize);
    if parts < 2 || settings.are_workers_fixed() {
        return;
    }
    if *settings.bind == Bind::Off {
        let (from, end) = part(settings.cores, index, parts);
        settings.workers.value = end - from;
        settings.cores = end - from;
        return;
    }
    let first = || {
        // A limit on time may leave fewer to be busy than the process may run on.
        let (from, end) = part(settings.cores, index, parts);
        let all = CoreSet::of_thread(0).unwrap_or_default();
        let (first, last) = part(all.count(), index, parts);
        (all.part(first, last), end - from)
    };
    let (cores, busy) = PART.get_or_init(first);
    settings.workers.value = *busy;
    settings.cores = *busy;
    // Where the system refuses that, the workers run on all of them: slower, and right.
    let _ = cores.bind(0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_cores_are_shared_out_and_none_twice() {
        for count in 1..40 {
            for parts in 1..=count {
                let mut next = 0;
                for index in 0..parts {
                    let (from, end) = part(count, index, parts);
                    assert_eq!(from, next, "{count} {parts} {index}");
                    assert!(end > from);
                    next = end;
                }
                assert_eq!(next, count);
            }
        }
    }

    #[test]
    fn more_nodes_than_cores_have_one_each() {
        let parts = |count, nodes| (0..nodes).map(|index| part(count, index, nodes)).collect::<Vec<_>>();
        assert_eq!(parts(2, 4), [(0, 1), (0, 1), (1, 2), (1, 2)]);
        assert_eq!(parts(1, 3), [(0, 1), (0, 1), (0, 1)]);
    }
}
