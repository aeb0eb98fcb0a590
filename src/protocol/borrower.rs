//! A block of another node, at a node that has a copy of it or needs one, the *borrower*.
//!
//! | of a copy | an EDT needs it | Content | its bytes are here | Recall | the stand-in has it |
//! |---|---|---|---|---|---|
//! | away | it waits: wanted | arriving | - | - | - |
//! | arriving | it waits: wanted | - | here: all that wait acquire it; or recalled, if that was remembered | remembered | - |
//! | here, to write | it has the copy as any block | - | - | recalled: a stand-in joins the queue | - |
//! | here, to read | the same, to read it; to write it: wanted | - | - | recalled: a stand-in joins the queue | - |
//! | recalled, to write or to read | as before, behind the stand-in | - | - | - | away, and leaving: EDTs in the queue acquire anew |
//!
//! | as well | an EDT needs it that waits | Content | its bytes are here | NoBlock | the owner is told |
//! |---|---|---|---|---|---|
//! | not wanted | Want; wanted | - | - | - | - |
//! | wanted: EDTs wait, or will need it soon | - | - | not wanted any more, unless it is to read and the owner was asked for one to write | not wanted: those that wait have no block | - |
//! | leaving: no EDT gets the copy, and it goes when the last has ended that reads it | wanted, and Want is kept back | of the next copy, which has come with an EDT | as above | as above | Want, if wanted |
//!
//! A copy that is leaving goes first: until the owner knows that this node has it no more, it would have two. *The
//! owner is told* by Content or Left, which is posted before [`Borrowed::told`]. Meanwhile another copy may come with
//! an EDT and be asked back, so several may be leaving.
//!
//! A copy to read may come unasked, with an EDT (`engine/life/along.rs`). Then a Want that was on its way finds that
//! the node has a copy, and is not answered: the EDTs that have waited there have acquired that copy. One that writes
//! goes on waiting for what it has asked for.

/// The owner is to be asked for the block: the message Want.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[must_use]
pub(crate) struct Want {
    /// Whether the copy is to be read alone.
    pub(crate) reads: bool,
}

/// What comes of an EDT that has found no block, or none that it may write.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[must_use]
pub(crate) enum Needed {
    /// The block has come meanwhile: the EDT acquires it again.
    IsHere,
    /// The EDT waits, and the owner may have to be asked.
    Waits(Option<Want>),
}

/// What follows when the owner asks for the copy.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[must_use]
pub(crate) enum Recalled {
    /// A stand-in for the owner joins the queue of the copy.
    Joins,
    /// It does so when the content is here, behind the EDTs that wait for that ([`Came::is_recalled`]).
    Later,
}

/// The content of a copy has come: it is published, and `waiting` acquire it.
#[derive(PartialEq, Eq, Debug)]
#[must_use]
pub(crate) struct Came<E, C> {
    pub(crate) copy: C,
    /// Whether it may be read alone.
    pub(crate) reads: bool,
    pub(crate) waiting: Vec<E>,
    /// Whether a stand-in for the owner joins the queue behind those.
    pub(crate) is_recalled: bool,
}

/// What the owner is sent when a copy is gone.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[must_use]
pub(crate) enum GivenBack {
    Content,
    Left,
}

impl GivenBack {
    /// What is sent for a copy, which was here to be read or to be written.
    pub(crate) fn of(reads: bool) -> GivenBack {
        if reads { GivenBack::Left } else { GivenBack::Content }
    }
}

/// A copy, as far as EDTs of this node can have it.
#[derive(Clone, Default, PartialEq, Eq, Hash, Debug)]
pub(super) enum LocalCopy<C> {
    #[default]
    Away,
    /// It was announced, and its bytes are not all here.
    Arriving {
        copy: C,
        reads: bool,
        is_recalled: bool,
    },
    Here {
        reads: bool,
    },
    /// A stand-in for the owner is in the queue, or about to join it.
    Recalled {
        reads: bool,
    },
}

/// What EDTs of this node need.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct WantedBlock<E> {
    /// The EDTs that wait for the block; none where one will need it soon.
    edts: Vec<E>,
    /// Whether one of them writes it.
    writes: bool,
    /// What the owner was asked for.
    pub(super) asked: Option<Want>,
}

/// A block of another node. `E` is an EDT that waits, and `C` a copy that is not published.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Borrowed<E, C> {
    pub(super) copy: LocalCopy<C>,
    pub(super) wanted: Option<WantedBlock<E>>,
    /// How many copies are leaving.
    pub(super) leaving: u32,
}

impl<E, C> Default for Borrowed<E, C> {
    fn default() -> Borrowed<E, C> {
        Borrowed { copy: LocalCopy::Away, wanted: None, leaving: 0 }
    }
}

impl<E, C> Borrowed<E, C> {
    /// Whether nothing is known of the block: it is away, and not wanted.
    pub(crate) fn is_at_rest(&self) -> bool {
        matches!(self.copy, LocalCopy::Away) && self.wanted.is_none() && self.leaving == 0
    }

    /// The EDTs that wait for the owner.
    pub(crate) fn waiting(&self) -> &[E] {
        self.wanted.as_ref().map_or(&[], |wanted| &wanted.edts)
    }

    /// Whether an EDT can acquire the copy.
    fn is_here(&self, writes: bool) -> bool {
        match self.copy {
            LocalCopy::Here { reads } | LocalCopy::Recalled { reads } => !(reads && writes),
            LocalCopy::Away | LocalCopy::Arriving { .. } => false,
        }
    }

    /// An EDT has found no block, or none that it may write.
    pub(crate) fn need(&mut self, edt: E, writes: bool) -> Needed {
        if self.wanted.is_none() && self.is_here(writes) {
            return Needed::IsHere;
        }
        let wanted = self.wanted.get_or_insert(WantedBlock { edts: Vec::new(), writes: false, asked: None });
        wanted.edts.push(edt);
        wanted.writes |= writes;
        Needed::Waits(self.ask())
    }

    /// An EDT will acquire the block when it has others. Where the copy goes back before that, the EDT asks again.
    pub(crate) fn need_soon(&mut self, writes: bool) -> Option<Want> {
        if self.wanted.is_some() || self.is_here(writes) {
            return None;
        }
        self.wanted = Some(WantedBlock { edts: Vec::new(), writes, asked: None });
        self.ask()
    }

    /// Asks the owner if the block is wanted and that was not done, and no copy is leaving.
    fn ask(&mut self) -> Option<Want> {
        let wanted = self.wanted.as_mut().filter(|wanted| wanted.asked.is_none() && self.leaving == 0)?;
        wanted.asked = Some(Want { reads: !wanted.writes });
        wanted.asked
    }

    /// A content is announced, for which there is a copy that no EDT knows yet.
    pub(crate) fn arrives(&mut self, copy: C, reads: bool) {
        self.copy = LocalCopy::Arriving { copy, reads, is_recalled: false };
    }

    /// The bytes of a content are all here. None if none was announced.
    pub(crate) fn comes(&mut self) -> Option<Came<E, C>> {
        let mut came = self.comes_to_creator()?;
        // A copy to read that nobody has asked for does not answer who has asked to write.
        let is_answer = |wanted: &mut WantedBlock<E>| !came.reads || wanted.asked.is_none_or(|asked: Want| asked.reads);
        came.waiting = self.wanted.take_if(is_answer).map_or_else(Vec::new, |wanted| wanted.edts);
        Some(came)
    }

    /// The caller that has created the block has its first copy. It was not wanted: who wants it meanwhile is answered
    /// by its owner.
    pub(crate) fn comes_to_creator(&mut self) -> Option<Came<E, C>> {
        match std::mem::take(&mut self.copy) {
            LocalCopy::Arriving { copy, reads, is_recalled } => {
                self.copy = if is_recalled { LocalCopy::Recalled { reads } } else { LocalCopy::Here { reads } };
                Some(Came { copy, reads, waiting: Vec::new(), is_recalled })
            }
            other => {
                self.copy = other;
                None
            }
        }
    }

    /// The owner asks for the copy. Those that wait for its content get it first.
    pub(crate) fn recall(&mut self) -> Recalled {
        match &mut self.copy {
            LocalCopy::Arriving { is_recalled, .. } => {
                *is_recalled = true;
                return Recalled::Later;
            }
            LocalCopy::Here { reads } => self.copy = LocalCopy::Recalled { reads: *reads },
            // The stand-in finds no copy, or is behind another one: a fault, which the engine tells.
            LocalCopy::Away | LocalCopy::Recalled { .. } => {}
        }
        Recalled::Joins
    }

    /// The stand-in has the copy: no EDT gets it any more, and it goes when the last that reads it has ended.
    pub(crate) fn leaves(&mut self) {
        self.copy = LocalCopy::Away;
        self.leaving += 1;
    }

    /// What a copy is gone for was posted ([`GivenBack`]): the owner may be asked again.
    pub(crate) fn told(&mut self) -> Option<Want> {
        self.leaving = self.leaving.saturating_sub(1);
        self.ask()
    }

    /// The owner has no such block. The EDTs that have waited for it.
    pub(crate) fn does_not_exist(&mut self) -> Vec<E> {
        self.wanted.take().map_or_else(Vec::new, |wanted| wanted.edts)
    }
}
