//! The calls of an EDT about objects of other nodes: in which order others see what it does.
//!
//! What an EDT has done before it satisfies, creates or releases has happened for all that runs because of that, on any
//! node. Four things give that:
//!
//! - Messages from one node to another arrive and are handled in the order in which they are put into the outbox.
//! - A call that need not answer is *sent*: the EDT goes on, and the call is unconfirmed until its answer is here.
//! - The caller waits until its calls for other nodes are confirmed before it makes a call that can have others go on,
//!   and until all are when its function has returned. What other nodes do because of a call never overtakes an earlier
//!   one.
//! - Two calls do not wait. To create an EDT that has an open pre-slot has nobody go on. A dependence of an EDT does so
//!   when the EDT runs, so the EDT is *held back* where it is, as by one more pre-slot, until all earlier calls are
//!   confirmed. Then it is let go by the thread of the link, while its creator goes on.
//!
//! A dependence that this node keeps for an event of another one is one that is made here. A dependence that a third
//! node makes, which has the source, waits: the EDT would have to be held back before that node's message comes to it.
//!
//! | calls have no answer | a call is sent | an answer comes | an EDT is to be held back | the caller needs all confirmed |
//! |---|---|---|---|---|
//! | none | some | - | it goes on: nothing would let it go | it goes on |
//! | some | some | the last: none, the caller goes on, and those that were held back are let go | it is held back | it waits |

/// The calls that an EDT has sent, while it has not looked whether they are confirmed. `E` is an EDT that is held back,
/// and `R` a call that its owner has refused.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct UnconfirmedCalls<E, R> {
    /// How many calls for each node have no answer; none that is 0.
    open: Vec<(u32, usize)>,
    refused: Vec<R>,
    /// EDTs of any node that are held back as long as any call has no answer.
    held: Vec<E>,
}

impl<E, R> Default for UnconfirmedCalls<E, R> {
    fn default() -> UnconfirmedCalls<E, R> {
        UnconfirmedCalls { open: Vec::new(), refused: Vec::new(), held: Vec::new() }
    }
}

impl<E, R> UnconfirmedCalls<E, R> {
    /// A call is sent to a node. How many have no answer now.
    pub(crate) fn send(&mut self, to: u32) -> usize {
        match self.open.iter_mut().find(|(node, _)| *node == to) {
            Some((_, open)) => *open += 1,
            None => self.open.push((to, 1)),
        }
        self.count()
    }

    /// How many calls have no answer.
    pub(crate) fn count(&self) -> usize {
        self.open.iter().map(|&(_, open)| open).sum()
    }

    /// Whether a call has no answer, but for those that were sent to a node.
    pub(crate) fn is_open(&self, but_for: Option<u32>) -> bool {
        self.open.iter().any(|&(node, _)| Some(node) != but_for)
    }

    /// A node has answered a call, or never will. It may have refused the call, and may hold an EDT back for it. If it
    /// was the last, the EDTs that are to be let go, and whoever waits goes on.
    pub(crate) fn answer(&mut self, by: u32, refused: Option<R>, held: Option<E>) -> Option<Vec<E>> {
        self.refused.extend(refused);
        self.held.extend(held);
        let at = self.open.iter().position(|&(node, _)| node == by)?;
        self.open[at].1 -= 1;
        if self.open[at].1 == 0 {
            self.open.swap_remove(at);
        }
        self.open.is_empty().then(|| std::mem::take(&mut self.held))
    }

    /// Keeps an EDT, which is held back, until all calls are confirmed. False if they are: then it goes on.
    pub(crate) fn keep(&mut self, edt: E) -> bool {
        let is_open = self.is_open(None);
        if is_open {
            self.held.push(edt);
        }
        is_open
    }

    /// How many EDTs are held back.
    pub(crate) fn held(&self) -> usize {
        self.held.len()
    }

    /// The calls that were refused, in the order of their answers.
    pub(crate) fn take_refused(&mut self) -> Vec<R> {
        std::mem::take(&mut self.refused)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the calls of an EDT are to do, in other words.
    #[derive(Clone, Default)]
    struct Expected {
        /// The node of each call that has no answer.
        open: Vec<u32>,
        held: Vec<u8>,
        refused: Vec<u32>,
        next: u8,
    }

    /// Makes all sequences of so many steps: a call to one of two nodes, its answer, which may refuse it or hold an EDT
    /// back, and an EDT that this node holds back.
    fn go_on(calls: &UnconfirmedCalls<u8, u32>, expected: &Expected, steps: u32) {
        assert_eq!(calls.count(), expected.open.len());
        assert_eq!(calls.is_open(None), !expected.open.is_empty());
        for node in [1, 2] {
            assert_eq!(calls.is_open(Some(node)), expected.open.iter().any(|open| *open != node));
        }
        assert_eq!(calls.held(), expected.held.len());
        assert_eq!(calls.clone().take_refused(), expected.refused);
        if steps == 0 {
            return;
        }
        for node in [1, 2] {
            let (mut calls, mut expected) = (calls.clone(), expected.clone());
            expected.open.push(node);
            assert_eq!(calls.send(node), expected.open.len());
            go_on(&calls, &expected, steps - 1);
        }
        for (node, is_refused, holds) in [(1, false, false), (1, true, false), (2, false, false), (2, false, true)] {
            let (mut calls, mut expected) = (calls.clone(), expected.clone());
            let Some(at) = expected.open.iter().position(|open| *open == node) else { continue };
            expected.open.remove(at);
            expected.refused.extend(is_refused.then_some(node));
            expected.next += 1;
            expected.held.extend(holds.then_some(expected.next));
            let let_go = calls.answer(node, is_refused.then_some(node), holds.then_some(expected.next));
            assert_eq!(let_go.is_some(), expected.open.is_empty());
            assert_eq!(let_go, expected.open.is_empty().then(|| std::mem::take(&mut expected.held)));
            go_on(&calls, &expected, steps - 1);
        }
        let (mut calls, mut expected) = (calls.clone(), expected.clone());
        expected.next += 1;
        let is_kept = calls.keep(expected.next);
        assert_eq!(is_kept, !expected.open.is_empty(), "nothing would let it go");
        expected.held.extend(is_kept.then_some(expected.next));
        go_on(&calls, &expected, steps - 1);
    }

    #[test]
    fn what_is_held_back_is_let_go_by_the_last_answer() {
        go_on(&UnconfirmedCalls::default(), &Expected::default(), if cfg!(miri) { 3 } else { 6 });
    }
}
