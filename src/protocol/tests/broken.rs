//! The rules of the protocol, each of which can be left out.

/// A rule that a run of the model does not keep.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Broken {
    /// Messages of two nodes arrive in order.
    MessagesInOrder,
    /// A Want is answered by the content.
    WantIsAnswered,
    /// A Want for a block that is gone is answered.
    NoBlockIsAnswered,
    /// A node that has a copy gets no second one.
    OneCopyForANode,
    /// For each copy to read, the block is held at the owner.
    BlockIsHeld,
    /// For a copy to write, it is held alone.
    CopyToWriteIsAlone,
    /// A copy to read is not written.
    CopyToReadIsReadAlone,
    /// A Recall is posted behind the content that it asks for.
    ContentBeforeRecall,
    /// Each copy is asked back once.
    OneRecall,
    /// An EDT or a stand-in that joins the queue of the owner has copies asked back.
    WhoWaitsRecalls,
    /// The owner looks whether an EDT waits when it has noted the loan.
    LenderLooks,
    /// The copies of a block that is destroyed are asked back.
    DestroyedIsRecalled,
    /// A Recall that comes before the bytes waits for these.
    RecallWaitsForContent,
    /// It is remembered until then.
    RecallIsRemembered,
    /// A copy goes when no EDT has it.
    CopyGoesUnused,
    /// EDTs behind the stand-in in the queue acquire the block anew.
    QueueAcquiresAnew,
    /// EDTs have a copy when its bytes are here.
    BytesAreWaitedFor,
    /// The owner has the block again when the bytes are there.
    BytesAreWaitedForBack,
    /// What the borrower has written is written at the owner.
    ContentIsWritten,
    /// The owner is told that a copy to read is gone.
    LeftIsSent,
    /// An EDT that has found no block looks again under the lock of the table.
    LooksAgain,
    /// The owner is asked when it was told that the last copy has left.
    LeavingGoesFirst,
    /// It is asked then.
    WantFollowsTheCopy,
    /// A copy to read does not answer who has asked to write.
    WriterWaitsOn,
}

impl Broken {
    pub(super) const ALL: &[Broken] = &[
        Broken::MessagesInOrder,
        Broken::WantIsAnswered,
        Broken::NoBlockIsAnswered,
        Broken::OneCopyForANode,
        Broken::BlockIsHeld,
        Broken::CopyToWriteIsAlone,
        Broken::CopyToReadIsReadAlone,
        Broken::ContentBeforeRecall,
        Broken::OneRecall,
        Broken::WhoWaitsRecalls,
        Broken::LenderLooks,
        Broken::DestroyedIsRecalled,
        Broken::RecallWaitsForContent,
        Broken::RecallIsRemembered,
        Broken::CopyGoesUnused,
        Broken::QueueAcquiresAnew,
        Broken::BytesAreWaitedFor,
        Broken::BytesAreWaitedForBack,
        Broken::ContentIsWritten,
        Broken::LeftIsSent,
        Broken::LooksAgain,
        Broken::LeavingGoesFirst,
        Broken::WantFollowsTheCopy,
        Broken::WriterWaitsOn,
    ];
}
