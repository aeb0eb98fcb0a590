//! A block at its owner: which nodes have copies of it.
//!
//! | of the copy of a node | that node's Want | an EDT joins the queue, or a stand-in | the block is held for that node | the Content was posted | Content | Left |
//! |---|---|---|---|---|---|---|
//! | none | a stand-in joins the queue | - | lending: Content is posted | - | - | - |
//! | lending | a stand-in joins the queue | nothing yet | nothing: it has one | lent; who says so looks whether anybody waits | - | - |
//! | lent, to write | a stand-in joins the queue | recalled: Recall | - | - | - | - |
//! | lent, to read | a stand-in joins the queue | recalled: Recall | nothing: it has one | - | - | - |
//! | recalled, to write | a stand-in joins the queue | - | - | - | none: the block is given back | - |
//! | recalled, to read | a stand-in joins the queue | - | nothing: it has one | - | - | none: the block is given back |
//!
//! For each copy the block is held as [`LoanHold`] says, until the copy is back: so a copy to write is the only one.
//! The block is held for a node when a stand-in has it, for a copy that goes along with an EDT, and for one that its
//! creator on another node has from the beginning. An EDT that will need the block soon recalls, too, but one that
//! reads does not recall copies to read. Where the block does not exist, NoBlock answers a Want.
//!
//! A node that has a copy to read and wants to write asks for the block like any other. Its own copy is recalled with
//! those of others before it gets the block.

/// How the block is held for a node that has a copy of it, or that gives one back.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[must_use]
pub(crate) enum LoanHold {
    /// EDTs read the block meanwhile.
    ToRead,
    /// No EDT gets the block, in whatever mode. Those that had it before to read it in mode RO may have it yet.
    Alone,
}

impl LoanHold {
    /// How it is held for a copy to read, or to write.
    pub(crate) fn of(reads: bool) -> LoanHold {
        if reads { LoanHold::ToRead } else { LoanHold::Alone }
    }
}

/// What comes of a loan that is about to be.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[must_use]
pub(crate) enum Lent {
    /// The node is sent the content, and then [`Loans::sent`] follows.
    Content,
    /// The node has a copy, or one is on its way, which answers it: the block is given back.
    HasOne,
}

/// A copy of the block on another node.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Loan<S> {
    pub(crate) to: u32,
    /// Whether that node reads it only: others may have it, too.
    pub(crate) reads: bool,
    /// What holds the block for it, if that is a stand-in.
    pub(crate) stand_in: Option<S>,
    pub(super) step: LoanStep,
}

/// How far a loan is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum LoanStep {
    /// Its content is not where messages wait to be sent: a Recall would come before it.
    Lending,
    Lent,
    Recalled,
}

/// The copies of a block on other nodes. `S` is a stand-in.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Loans<S> {
    pub(super) loans: Vec<Loan<S>>,
}

impl<S> Default for Loans<S> {
    fn default() -> Loans<S> {
        Loans { loans: Vec::new() }
    }
}

impl<S> Loans<S> {
    /// Whether no other node has a copy.
    pub(crate) fn is_here(&self) -> bool {
        self.loans.is_empty()
    }

    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = &Loan<S>> {
        self.loans.iter()
    }

    /// The block is held for a copy that a node is to have.
    pub(crate) fn lend(&mut self, to: u32, reads: bool, stand_in: Option<S>) -> Lent {
        if self.loans.iter().any(|loan| loan.to == to) {
            return Lent::HasOne;
        }
        self.loans.push(Loan { to, reads, stand_in, step: LoanStep::Lending });
        Lent::Content
    }

    /// The content for a node is where messages wait to be sent. Whoever says so looks then whether an EDT waits.
    pub(crate) fn sent(&mut self, to: u32) {
        let lending = |loan: &&mut Loan<S>| loan.to == to && loan.step == LoanStep::Lending;
        self.loans.iter_mut().filter(lending).for_each(|loan| loan.step = LoanStep::Lent);
    }

    /// The copies are asked back that were not: all of them, or those to write, if who needs the block `reads` it soon.
    /// The nodes that are sent Recall.
    pub(crate) fn recall(&mut self, reads: bool) -> Vec<u32> {
        let chosen = |loan: &&mut Loan<S>| loan.step == LoanStep::Lent && !(reads && loan.reads);
        let recalled = |loan: &mut Loan<S>| {
            loan.step = LoanStep::Recalled;
            loan.to
        };
        self.loans.iter_mut().filter(chosen).map(recalled).collect()
    }

    /// The content of the copy to write is back, and the loan ends.
    pub(crate) fn comes_back(&mut self) -> Option<Loan<S>> {
        self.end(|loan| !loan.reads)
    }

    /// A node has its copy to read no more, and the loan ends.
    pub(crate) fn left(&mut self, node: u32) -> Option<Loan<S>> {
        self.end(|loan| loan.reads && loan.to == node)
    }

    fn end(&mut self, is_it: impl Fn(&Loan<S>) -> bool) -> Option<Loan<S>> {
        let at = self.loans.iter().position(is_it)?;
        Some(self.loans.swap_remove(at))
    }
}
