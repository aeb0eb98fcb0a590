//! A model of some nodes and one block of node 0. The two tables are those of the code. The rest stands for the engine
//! and for the room `memory`: queues of EDTs, holders, links, and the steps that threads make one after the other.
//!
//! Each [`Step`] is one that no other thread sees half done. All steps that are possible in a state are made, each from
//! there, so each order of them is seen. An EDT has no function here: it acquires the block, and ends at any time.
//!
//! Links keep the order of messages. The bytes of each content arrive at any time after its message, but those of a
//! copy that comes with an EDT: such ones are small.

use super::broken::Broken;
use crate::protocol::borrower::{Borrowed, GivenBack, LocalCopy, Needed, Recalled, Want};
use crate::protocol::owner::{Lent, LoanHold, LoanStep, Loans};
use std::collections::BTreeSet;

/// What an EDT does with the block.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Mode {
    Ro,
    Const,
    Ew,
}

impl Mode {
    fn writes(self) -> bool {
        self == Mode::Ew
    }
}

/// The state of a block or of a copy, as `memory` knows it. Of a divided one: how often it is, or will be, closed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Header {
    Absent,
    Live,
    ReadCopy,
    Divided(u8),
    Destroyed,
    DividedDestroyed(u8),
}

/// Who waits in the queue of a block or of a copy.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Waiter {
    Edt(Mode),
    /// A stand-in for a node that needs the block.
    Borrower {
        to: u8,
        reads: bool,
    },
    /// A stand-in for the owner.
    Owner,
}

/// The version of a copy whose bytes are not here.
const NO_BYTES: u8 = u8::MAX;

/// One node, and what it has of the block.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Node {
    header: Header,
    closed: bool,
    queue: Vec<Waiter>,
    /// EDTs that have it, by mode, and stand-ins that hold it.
    ro: u8,
    constant: u8,
    writer: bool,
    held_to_read: u8,
    held_alone: bool,
    version: u8,
    /// Whether the copy is here to be read alone.
    is_to_read: bool,
    /// How many EDTs are still to come.
    budget: u8,
    /// EDTs that are about to acquire it, and those that have found none.
    acquiring: Vec<Mode>,
    missing: Vec<Mode>,
    /// Whether an EDT has got lost, where a rule is left out.
    has_lost: bool,
    /// The version of a content whose bytes are on their way here.
    bytes: Option<u8>,
    borrowed: Borrowed<Mode, ()>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Message {
    Want(Want),
    Content {
        reads: bool,
        version: u8,
    },
    /// A content that goes along with an EDT.
    Along {
        version: u8,
    },
    NoBlock,
    Recall,
    Left,
    /// The answer to the creation of a block, which the caller has.
    Created,
}

/// What a thread is about to do.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Next {
    /// At the owner, since an EDT has joined the queue: the copies are asked back.
    Recall,
    /// A stand-in has the block.
    Lend { to: u8, reads: bool },
    /// The loan is noted, and the content is posted.
    Post { to: u8, reads: bool, along: bool },
    /// That was done.
    Sent(u8),
    /// That was noted: is the block waited for?
    Look,
    /// At a borrower: the owner is to be asked, which was noted.
    Ask { node: u8, reads: bool },
    /// The stand-in has the copy.
    SendBack(u8),
    /// Nobody has the copy any more.
    Gone { node: u8, reads: bool, version: u8 },
    /// What it is gone for was posted.
    Told(u8),
    /// The creator has the block.
    Hold(u8),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Step {
    /// An EDT can run.
    Arrive(u8, Mode),
    /// It has other blocks to acquire first.
    ArriveLate(u8, Mode),
    Acquire(u8, Mode),
    Need(u8, Mode),
    End(u8, Mode),
    Do(u8),
    Deliver {
        from: u8,
        to: u8,
    },
    Bytes(u8),
    Along(u8),
    Destroy,
}

/// What is gone through.
#[derive(Clone, Debug)]
pub(super) struct Setting {
    /// How many EDTs each node has; the first owns the block.
    pub(super) edts: &'static [u8],
    pub(super) modes: &'static [Mode],
    /// How many copies may go along with EDTs.
    pub(super) along: u8,
    /// How many EDTs stop before they acquire the block, and when they have found none.
    pub(super) late: u8,
    /// Whether other threads come in between what one does for the protocol, between any two things.
    pub(super) has_threads: bool,
    /// Whether node 1 creates the block, and has it from the beginning.
    pub(super) is_created: bool,
    /// When the block is destroyed.
    pub(super) destroyed: Destroyed,
    /// The rule that is left out.
    pub(super) broken: Option<Broken>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Destroyed {
    Never,
    AtEnd,
    /// As programs that go wrong do it. EDTs that find no block do without.
    AnyTime,
}

/// A cell of a table: the state, and what happens.
pub(super) type Cell = (&'static str, &'static str);

/// The cells that were reached.
#[derive(Default)]
pub(super) struct Reached {
    pub(super) borrower: BTreeSet<Cell>,
    pub(super) wanted: BTreeSet<Cell>,
    pub(super) owner: BTreeSet<Cell>,
}

/// What is wrong, in words.
pub(super) type Fault = String;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct State {
    nodes: Vec<Node>,
    loans: Loans<()>,
    /// From node 0 to the others, and from these to it; that of node 0 is empty.
    down: Vec<Vec<Message>>,
    up: Vec<Vec<Message>>,
    /// What threads are about to do.
    next: Vec<Next>,
    /// How many EDTs have written the block.
    written: u8,
    along: u8,
    late: u8,
    is_destroyed: bool,
}

impl Node {
    fn new(budget: u8, header: Header) -> Node {
        Node {
            header,
            closed: false,
            queue: Vec::new(),
            ro: 0,
            constant: 0,
            writer: false,
            held_to_read: 0,
            held_alone: false,
            version: if header == Header::Absent { NO_BYTES } else { 0 },
            is_to_read: false,
            budget,
            acquiring: Vec::new(),
            missing: Vec::new(),
            has_lost: false,
            bytes: None,
            borrowed: Borrowed::default(),
        }
    }

    fn admits(&self, mode: Mode) -> bool {
        let is_written = self.writer || self.held_alone;
        match mode {
            Mode::Ro => true,
            Mode::Const => !is_written,
            Mode::Ew => !is_written && self.constant == 0 && self.held_to_read == 0,
        }
    }

    fn is_held(&self) -> bool {
        self.ro + self.constant + self.held_to_read != 0 || self.writer || self.held_alone
    }
}

fn take<T: PartialEq>(from: &mut Vec<T>, what: &T) {
    let at = from.iter().position(|it| it == what).expect("it is there");
    from.remove(at);
}

impl State {
    pub(super) fn begin(of: &Setting) -> State {
        let node = |(at, &budget)| Node::new(budget, if at == 0 { Header::Live } else { Header::Absent });
        let nodes: Vec<Node> = of.edts.iter().enumerate().map(node).collect();
        let none = vec![Vec::new(); nodes.len()];
        let mut state = State {
            nodes,
            loans: Loans::default(),
            down: none.clone(),
            up: none,
            next: Vec::new(),
            written: 0,
            along: of.along,
            late: of.late,
            is_destroyed: false,
        };
        if of.is_created {
            let owner = &mut state.nodes[0];
            owner.header = Header::Divided(1);
            (owner.closed, owner.held_alone) = (true, true);
            state.down[1].push(Message::Created);
            let _ = state.loans.lend(1, false, None);
            state.next.push(Next::Sent(1));
        }
        state
    }

    /// Whether all EDTs have ended, and nothing follows any more.
    pub(super) fn is_final(&self, of: &Setting) -> bool {
        let rests = |node: &Node| {
            node.budget == 0
                && node.queue.is_empty()
                && node.acquiring.is_empty()
                && node.missing.is_empty()
                && !node.has_lost
                && node.bytes.is_none()
                && node.borrowed.wanted.is_none()
                && node.borrowed.leaving == 0
                && node.ro + node.constant == 0
                && !node.writer
        };
        let is_sent = self.down.iter().chain(&self.up).all(Vec::is_empty);
        let is_ended = of.destroyed == Destroyed::Never
            || self.is_destroyed && self.loans.is_here() && self.nodes[0].header == Header::Absent;
        is_sent && is_ended && self.next.is_empty() && self.nodes.iter().all(rests)
    }

    /// What can happen next.
    pub(super) fn steps(&self, of: &Setting) -> Vec<Step> {
        let mut steps = Vec::new();
        for (at, node) in self.nodes.iter().enumerate() {
            let n = at as u8;
            if node.budget > 0 {
                steps.extend(of.modes.iter().map(|&mode| Step::Arrive(n, mode)));
                if self.late > 0 {
                    steps.extend(of.modes.iter().map(|&mode| Step::ArriveLate(n, mode)));
                }
            }
            for mode in [Mode::Ro, Mode::Const, Mode::Ew] {
                if node.acquiring.contains(&mode) {
                    steps.push(Step::Acquire(n, mode));
                }
                if node.missing.contains(&mode) {
                    steps.push(Step::Need(n, mode));
                }
            }
            let holders = [(Mode::Ro, node.ro != 0), (Mode::Const, node.constant != 0), (Mode::Ew, node.writer)];
            steps.extend(holders.into_iter().filter(|(_, holds)| *holds).map(|(mode, _)| Step::End(n, mode)));
            if node.bytes.is_some() {
                steps.push(Step::Bytes(n));
            }
            if !self.down[at].is_empty() {
                steps.push(Step::Deliver { from: 0, to: n });
            }
            if !self.up[at].is_empty() {
                steps.push(Step::Deliver { from: n, to: 0 });
            }
        }
        steps.extend((0..self.next.len()).map(|at| Step::Do(at as u8)));
        let owner = &self.nodes[0];
        let is_free = owner.header == Header::Live && owner.queue.is_empty() && owner.admits(Mode::Const);
        if self.along > 0 && is_free {
            steps.extend((1..self.nodes.len()).map(|to| Step::Along(to as u8)));
        }
        let is_over = |node: &Node| {
            node.budget == 0
                && node.acquiring.is_empty()
                && node.missing.is_empty()
                && node.borrowed.waiting().is_empty()
                && node.ro + node.constant == 0
                && !node.writer
                && !node.queue.iter().any(|waiter| matches!(waiter, Waiter::Edt(_)))
        };
        let may_destroy = match of.destroyed {
            Destroyed::Never => false,
            Destroyed::AtEnd => self.nodes.iter().all(is_over),
            Destroyed::AnyTime => true,
        };
        if may_destroy && !self.is_destroyed {
            steps.push(Step::Destroy);
        }
        steps
    }

    /// What is wrong in this state, if anything is.
    pub(super) fn fault(&self) -> Option<Fault> {
        let writers = self.nodes.iter().filter(|node| node.writer).count();
        if writers > 1 {
            return Some("two nodes write".into());
        }
        let at = self.nodes.iter().position(|node| node.writer)?;
        let reads = |(other, node): (usize, &Node)| {
            // Mode RO allows that another EDT writes. Copies are kept from that all the same.
            node.constant != 0 || other != at && other != 0 && node.ro != 0
        };
        self.nodes.iter().enumerate().any(reads).then(|| "an EDT reads while another one writes".into())
    }
}

/// A state, and what is being done with it.
pub(super) struct Doing<'a> {
    pub(super) state: State,
    pub(super) of: &'a Setting,
    pub(super) reached: &'a mut Reached,
}

impl Doing<'_> {
    fn is_broken(&self, rule: Broken) -> bool {
        self.of.broken == Some(rule)
    }

    fn node(&mut self, n: u8) -> &mut Node {
        &mut self.state.nodes[n as usize]
    }

    fn then(&mut self, next: Next) {
        // Who looks later sees at least as much.
        let is_idempotent = matches!(next, Next::Recall | Next::Look);
        if !(is_idempotent && self.state.next.contains(&next)) {
            self.state.next.push(next);
            self.state.next.sort_unstable();
        }
    }

    fn post(&mut self, from: u8, to: u8, message: Message) {
        if from == 0 {
            self.state.down[to as usize].push(message);
        } else {
            self.state.up[from as usize].push(message);
        }
    }

    /// Notes the cell of the borrower's table, and of the one beside it.
    fn at_borrower(&mut self, n: u8, input: &'static str) {
        let borrowed = &self.state.nodes[n as usize].borrowed;
        let row = match borrowed.copy {
            LocalCopy::Away => "away",
            LocalCopy::Arriving { .. } => "arriving",
            LocalCopy::Here { reads: true } => "to read",
            LocalCopy::Here { reads: false } => "to write",
            LocalCopy::Recalled { reads: true } => "recalled, to read",
            LocalCopy::Recalled { reads: false } => "recalled, to write",
        };
        self.reached.borrower.insert((row, input));
        let asked = borrowed.wanted.as_ref().map(|wanted| wanted.asked);
        let row = match (asked, borrowed.leaving) {
            (None, 0) => "not wanted",
            (Some(Some(Want { reads: true })), 0) => "wanted to read",
            (Some(Some(Want { reads: false })), 0) => "wanted to write",
            (Some(None), 0) => "wanted, not asked",
            (None, _) => "leaving",
            (Some(Some(Want { reads: true })), _) => "leaving, wanted to read",
            (Some(Some(Want { reads: false })), _) => "leaving, wanted to write",
            (Some(None), _) => "leaving, not asked",
        };
        self.reached.wanted.insert((row, input));
    }

    /// Notes the cell of the owner's table: of the loan to a node, or of all loans.
    fn at_owner(&mut self, to: Option<u8>, input: &'static str) {
        let loans = &self.state.loans.loans;
        let of_node = |to: u8| loans.iter().find(|loan| loan.to == u32::from(to));
        let row = match to {
            Some(to) => of_node(to).map_or("here", |loan| match (loan.step, loan.reads) {
                (LoanStep::Lending, _) => "lending",
                (LoanStep::Lent, true) => "lent to read",
                (LoanStep::Lent, false) => "lent to write",
                (LoanStep::Recalled, true) => "recalled, to read",
                (LoanStep::Recalled, false) => "recalled, to write",
            }),
            None if loans.is_empty() => "here",
            None if loans.iter().any(|loan| loan.step == LoanStep::Lending) => "lending",
            None if loans.iter().any(|loan| loan.step == LoanStep::Lent && !loan.reads) => "lent to write",
            None if loans.iter().any(|loan| loan.step == LoanStep::Lent) => "lent to read",
            None if loans.iter().any(|loan| loan.reads) => "recalled, to read",
            None => "recalled, to write",
        };
        self.reached.owner.insert((row, input));
    }

    /// Makes a step, and what follows at once if no thread comes in between.
    pub(super) fn make(&mut self, step: Step) -> Result<(), Fault> {
        self.make_first(step)?;
        while !self.of.has_threads && !self.state.next.is_empty() {
            let next = self.state.next.remove(0);
            self.go_on(next)?;
        }
        Ok(())
    }

    fn make_first(&mut self, step: Step) -> Result<(), Fault> {
        match step {
            Step::Arrive(n, mode) => {
                self.arrive(n, mode);
                return self.acquire(n, mode, false);
            }
            Step::ArriveLate(n, mode) => {
                self.state.late -= 1;
                self.arrive(n, mode);
                let acquiring = &mut self.node(n).acquiring;
                acquiring.push(mode);
                acquiring.sort_unstable();
            }
            Step::Acquire(n, mode) => {
                take(&mut self.node(n).acquiring, &mode);
                return self.acquire(n, mode, true);
            }
            Step::Need(n, mode) => {
                take(&mut self.node(n).missing, &mode);
                return self.need(n, mode);
            }
            Step::End(n, mode) => return self.end(n, mode),
            Step::Do(at) => {
                let next = self.state.next.remove(at as usize);
                return self.go_on(next);
            }
            Step::Deliver { from, to } => {
                let link =
                    if from == 0 { &mut self.state.down[to as usize] } else { &mut self.state.up[from as usize] };
                let at = if self.of.broken == Some(Broken::MessagesInOrder) { link.len() - 1 } else { 0 };
                let message = link.remove(at);
                return if from == 0 { self.handle_at_node(to, message) } else { self.handle_at_owner(from, message) };
            }
            Step::Bytes(n) => return self.bytes_are_here(n),
            Step::Along(to) => {
                self.state.along -= 1;
                self.node(0).held_to_read += 1;
                return self.lend(to, true, true);
            }
            Step::Destroy => {
                self.state.is_destroyed = true;
                let owner = self.node(0);
                owner.header = match owner.header {
                    Header::Live => Header::Destroyed,
                    Header::Divided(times) => Header::DividedDestroyed(times),
                    other => other,
                };
                if !owner.is_held() {
                    owner.header = Header::Absent;
                }
                if !self.is_broken(Broken::DestroyedIsRecalled) {
                    self.then(Next::Recall);
                }
            }
        }
        Ok(())
    }

    /// An EDT can run, and its node asks for its block.
    fn arrive(&mut self, n: u8, mode: Mode) {
        self.node(n).budget -= 1;
        if n == 0 {
            return self.recall(!mode.writes(), "an EDT will need it");
        }
        self.at_borrower(n, "an EDT will need it");
        let want = self.node(n).borrowed.need_soon(mode.writes());
        self.ask(n, want);
    }

    fn ask(&mut self, n: u8, want: Option<Want>) {
        if let Some(Want { reads }) = want {
            self.then(Next::Ask { node: n, reads });
        }
    }

    fn recall(&mut self, reads: bool, input: &'static str) {
        self.at_owner(None, input);
        if self.is_broken(Broken::OneRecall) {
            let again: Vec<u8> = self.state.loans.iter().map(|loan| loan.to as u8).collect();
            return again.into_iter().for_each(|to| self.post(0, to, Message::Recall));
        }
        if self.is_broken(Broken::ContentBeforeRecall) {
            let lending = self.state.loans.loans.iter_mut().filter(|loan| loan.step == LoanStep::Lending);
            lending.for_each(|loan| loan.step = LoanStep::Lent);
        }
        let recalled = self.state.loans.recall(reads);
        recalled.into_iter().for_each(|to| self.post(0, to as u8, Message::Recall));
    }

    /// As `Context::acquire_blocks` and `memory::acquire` do.
    fn acquire(&mut self, n: u8, mode: Mode, is_late: bool) -> Result<(), Fault> {
        let reads_alone = self.is_broken(Broken::CopyToReadIsReadAlone);
        let node = self.node(n);
        let is_gone = match node.header {
            Header::Absent | Header::Destroyed | Header::DividedDestroyed(_) => true,
            Header::ReadCopy => mode.writes() && !reads_alone,
            Header::Live | Header::Divided(_) => false,
        };
        if is_gone {
            if n == 0 {
                let may_be = self.of.destroyed == Destroyed::AnyTime;
                return if may_be { Ok(()) } else { Err("an EDT finds its block destroyed".into()) };
            }
            if !is_late {
                return self.need(n, mode);
            }
            node.missing.push(mode);
            node.missing.sort_unstable();
            return Ok(());
        }
        let is_divided = matches!(node.header, Header::Divided(_));
        if !is_divided && node.admits(mode) && (node.queue.is_empty() || mode == Mode::Ro) {
            return self.grant(n, mode);
        }
        node.queue.push(Waiter::Edt(mode));
        if n == 0 && !self.is_broken(Broken::WhoWaitsRecalls) {
            self.then(Next::Recall);
        }
        Ok(())
    }

    fn grant(&mut self, n: u8, mode: Mode) -> Result<(), Fault> {
        let written = self.state.written;
        let node = self.node(n);
        match mode {
            Mode::Ro => node.ro += 1,
            Mode::Const => node.constant += 1,
            Mode::Ew => node.writer = true,
        }
        if node.version == written { Ok(()) } else { Err(format!("an EDT on node {n} has an old content")) }
    }

    /// As `Context::want_block` does.
    fn need(&mut self, n: u8, mode: Mode) -> Result<(), Fault> {
        self.at_borrower(n, "an EDT needs it");
        let (looks, overtakes) = (!self.is_broken(Broken::LooksAgain), self.is_broken(Broken::LeavingGoesFirst));
        let node = self.node(n);
        let copy = node.borrowed.copy.clone();
        let leaving = node.borrowed.leaving;
        if !looks {
            node.borrowed.copy = LocalCopy::Away;
        }
        if overtakes {
            node.borrowed.leaving = 0;
        }
        let needed = node.borrowed.need(mode, mode.writes());
        (node.borrowed.copy, node.borrowed.leaving) = (copy, leaving);
        match needed {
            Needed::IsHere => return self.acquire(n, mode, false),
            Needed::Waits(want) => self.ask(n, want),
        }
        Ok(())
    }

    fn end(&mut self, n: u8, mode: Mode) -> Result<(), Fault> {
        let written = self.state.written;
        let node = self.node(n);
        match mode {
            Mode::Ro => node.ro -= 1,
            Mode::Const => node.constant -= 1,
            Mode::Ew => {
                node.writer = false;
                node.version = written + 1;
                self.state.written = written + 1;
            }
        }
        self.given_up(n)
    }

    /// A hold has ended: others are served, and a block or copy that nobody has any more goes.
    fn given_up(&mut self, n: u8) -> Result<(), Fault> {
        self.serve(n)?;
        let node = self.node(n);
        if node.header == Header::Destroyed && !node.is_held() {
            node.header = Header::Absent;
            if n != 0 {
                let (version, reads) = (node.version, node.is_to_read);
                (node.version, node.is_to_read) = (NO_BYTES, false);
                self.then(Next::Gone { node: n, reads, version });
            }
        }
        Ok(())
    }

    /// As `memory::queue::serve` does.
    fn serve(&mut self, n: u8) -> Result<(), Fault> {
        while let Some(first) = self.node(n).queue.first().copied().filter(|_| !self.state.nodes[n as usize].closed) {
            let mode = match first {
                Waiter::Edt(mode) => mode,
                Waiter::Borrower { reads, .. } if self.hold(reads) == LoanHold::ToRead => Mode::Const,
                Waiter::Borrower { .. } | Waiter::Owner => Mode::Ew,
            };
            if !self.node(n).admits(mode) {
                break;
            }
            self.node(n).queue.remove(0);
            match first {
                Waiter::Edt(mode) => self.grant(n, mode)?,
                stand_in => self.has_come(n, stand_in),
            }
        }
        Ok(())
    }

    fn hold(&self, reads: bool) -> LoanHold {
        if self.is_broken(Broken::CopyToWriteIsAlone) { LoanHold::ToRead } else { LoanHold::of(reads) }
    }

    /// A stand-in has the block.
    fn has_come(&mut self, n: u8, stand_in: Waiter) {
        let hold = match stand_in {
            Waiter::Borrower { reads, .. } => self.hold(reads),
            _ => LoanHold::Alone,
        };
        let node = self.node(n);
        match hold {
            LoanHold::ToRead => node.held_to_read += 1,
            LoanHold::Alone => (node.held_alone, node.closed) = (true, true),
        }
        self.then(match stand_in {
            Waiter::Borrower { to, reads } => Next::Lend { to, reads },
            _ => Next::SendBack(n),
        });
    }

    /// A stand-in joins the queue, or has the block at once. False if there is no block.
    fn stand_in(&mut self, n: u8, stand_in: Waiter) -> bool {
        let hold = match stand_in {
            Waiter::Borrower { reads, .. } => self.hold(reads),
            _ => LoanHold::Alone,
        };
        let node = self.node(n);
        let (has_it, is_divided) = match (hold, node.header) {
            (_, Header::Absent | Header::Destroyed | Header::DividedDestroyed(_)) => return false,
            (LoanHold::ToRead, header) => {
                let is_divided = matches!(header, Header::Divided(_));
                (!is_divided && node.admits(Mode::Const) && node.queue.is_empty(), is_divided)
            }
            (LoanHold::Alone, Header::Divided(times)) => {
                node.header = Header::Divided(times + 1);
                (false, true)
            }
            (LoanHold::Alone, _) => {
                node.header = Header::Divided(1);
                (node.admits(Mode::Ew) && node.queue.is_empty(), false)
            }
        };
        if has_it && !is_divided {
            self.has_come(n, stand_in);
        } else {
            node.queue.push(stand_in);
            if n == 0 && !self.is_broken(Broken::WhoWaitsRecalls) {
                self.then(Next::Recall);
            }
        }
        true
    }

    /// The end of a hold that was alone, as `memory::divided::unite` does it.
    fn unite(&mut self, n: u8) -> Result<(), Fault> {
        let node = self.node(n);
        node.closed = false;
        node.held_alone = false;
        node.header = match node.header {
            Header::Divided(1) => Header::Live,
            Header::DividedDestroyed(1) => Header::Destroyed,
            Header::Divided(times) => Header::Divided(times - 1),
            Header::DividedDestroyed(times) => Header::DividedDestroyed(times - 1),
            other => return Err(format!("a block that is {other:?} is given back")),
        };
        self.given_up(n)
    }

    fn end_hold(&mut self, hold: LoanHold) -> Result<(), Fault> {
        match hold {
            LoanHold::ToRead => {
                let owner = self.node(0);
                owner.held_to_read = owner.held_to_read.saturating_sub(1);
                self.given_up(0)
            }
            LoanHold::Alone => self.unite(0),
        }
    }

    /// As `Context::lend` and `Context::lend_along` do.
    fn lend(&mut self, to: u8, reads: bool, along: bool) -> Result<(), Fault> {
        self.at_owner(Some(to), if along { "a copy goes along" } else { "the stand-in has it" });
        let hold = self.hold(reads);
        if self.is_broken(Broken::WantIsAnswered) && !along {
            return self.end_hold(hold);
        }
        if self.state.loans.lend(to.into(), reads, None) == Lent::HasOne && !self.is_broken(Broken::OneCopyForANode) {
            if !reads {
                return Err("a node that has a copy gets one to write".into());
            }
            return self.end_hold(hold);
        }
        if self.is_broken(Broken::BlockIsHeld) && reads {
            self.node(0).held_to_read -= 1;
        }
        self.then(Next::Post { to, reads, along });
        Ok(())
    }

    fn go_on(&mut self, next: Next) -> Result<(), Fault> {
        match next {
            Next::Recall => self.recall(false, "an EDT joins the queue"),
            Next::Lend { to, reads } => return self.lend(to, reads, false),
            Next::Post { to, reads, along } => {
                let version = self.state.nodes[0].version;
                self.post(0, to, if along { Message::Along { version } } else { Message::Content { reads, version } });
                self.then(Next::Sent(to));
            }
            Next::Sent(to) => {
                self.at_owner(Some(to), "the content was posted");
                self.state.loans.sent(to.into());
                if !self.is_broken(Broken::LenderLooks) {
                    self.then(Next::Look);
                }
            }
            Next::Look => {
                if !self.state.nodes[0].queue.is_empty() || self.state.is_destroyed {
                    self.recall(false, "an EDT joins the queue");
                }
            }
            Next::Ask { node, reads } => self.post(node, 0, Message::Want(Want { reads })),
            Next::SendBack(n) => return self.send_back(n),
            Next::Gone { node, reads, version } => {
                match GivenBack::of(reads) {
                    GivenBack::Left if self.is_broken(Broken::LeftIsSent) => {}
                    GivenBack::Left => self.post(node, 0, Message::Left),
                    GivenBack::Content => self.post(node, 0, Message::Content { reads: false, version }),
                }
                self.then(Next::Told(node));
            }
            Next::Told(n) => {
                self.at_borrower(n, "the owner is told");
                let want = self.node(n).borrowed.told();
                if self.is_broken(Broken::WantFollowsTheCopy) {
                    return Ok(());
                }
                self.ask(n, want);
            }
            Next::Hold(n) => {
                self.at_borrower(n, "its creator has it");
                let Some(came) = self.node(n).borrowed.comes_to_creator() else {
                    return Err("the creator of a block does not get it".into());
                };
                let node = self.node(n);
                (node.header, node.version) = (Header::Live, 0);
                self.grant(n, Mode::Ew)?;
                self.recall_remembered(n, came.is_recalled)?;
            }
        }
        Ok(())
    }

    /// As `Context::send_back` does.
    fn send_back(&mut self, n: u8) -> Result<(), Fault> {
        self.at_borrower(n, "the stand-in has it");
        if !matches!(self.node(n).borrowed.copy, LocalCopy::Recalled { .. }) {
            return Err("a copy goes that was not asked back".into());
        }
        let again = !self.is_broken(Broken::QueueAcquiresAnew);
        let node = self.node(n);
        node.borrowed.leaves();
        node.header = Header::Destroyed;
        (node.held_alone, node.closed) = (false, false);
        let waiting = std::mem::take(&mut node.queue);
        self.given_up(n)?;
        for waiter in waiting {
            match waiter {
                Waiter::Edt(mode) if again => self.acquire(n, mode, false)?,
                Waiter::Edt(_) => self.node(n).has_lost = true,
                _ => return Err("a copy is asked back twice".into()),
            }
        }
        Ok(())
    }

    /// A message has come to a borrower.
    fn handle_at_node(&mut self, n: u8, message: Message) -> Result<(), Fault> {
        match message {
            Message::Content { reads, version } => {
                self.arrives(n, reads, false)?;
                self.node(n).bytes = Some(version);
                if self.is_broken(Broken::BytesAreWaitedFor) {
                    return self.comes(n);
                }
                Ok(())
            }
            Message::Along { version } => {
                self.arrives(n, true, false)?;
                self.node(n).version = version;
                self.comes(n)
            }
            Message::Created => {
                self.arrives(n, false, true)?;
                self.then(Next::Hold(n));
                Ok(())
            }
            Message::NoBlock => {
                self.at_borrower(n, "NoBlock");
                let waiting = self.node(n).borrowed.does_not_exist();
                if !waiting.is_empty() && self.of.destroyed != Destroyed::AnyTime {
                    return Err("an EDT waits for a block that is gone".into());
                }
                Ok(())
            }
            Message::Recall => {
                self.at_borrower(n, "Recall");
                match self.node(n).borrowed.recall() {
                    Recalled::Later if !self.is_broken(Broken::RecallWaitsForContent) => Ok(()),
                    _ => self.goes_back(n),
                }
            }
            Message::Want(_) | Message::Left => Err(format!("{message:?} comes to node {n}")),
        }
    }

    /// A content was announced.
    fn arrives(&mut self, n: u8, reads: bool, is_created: bool) -> Result<(), Fault> {
        self.at_borrower(n, "Content");
        let node = self.node(n);
        if node.header != Header::Absent || node.bytes.is_some() || node.borrowed.copy != LocalCopy::Away {
            return Err(format!("node {n} gets a second copy"));
        }
        let asked = node.borrowed.wanted.as_ref().and_then(|wanted| wanted.asked);
        if !reads && !is_created && asked.is_none_or(|asked| asked.reads) {
            return Err(format!("node {n} gets a copy to write that it has not asked for"));
        }
        node.is_to_read = reads;
        node.borrowed.arrives((), reads);
        Ok(())
    }

    fn bytes_are_here(&mut self, n: u8) -> Result<(), Fault> {
        let node = self.node(n);
        node.version = node.bytes.take().expect("they are on their way");
        if n != 0 {
            return if self.is_broken(Broken::BytesAreWaitedFor) { Ok(()) } else { self.comes(n) };
        }
        self.is_back()
    }

    /// At the owner: the content is back.
    fn is_back(&mut self) -> Result<(), Fault> {
        self.at_owner(None, "Content");
        match self.state.loans.comes_back() {
            Some(loan) => self.end_hold(self.hold(loan.reads)),
            None => Err("a content comes back that was not lent".into()),
        }
    }

    /// As `Context::copy_is_here` does.
    fn comes(&mut self, n: u8) -> Result<(), Fault> {
        self.at_borrower(n, "its bytes are here");
        if self.is_broken(Broken::WriterWaitsOn)
            && let Some(wanted) = &mut self.node(n).borrowed.wanted
        {
            wanted.asked = None;
        }
        let Some(came) = self.node(n).borrowed.comes() else {
            return Err("a content comes that was not announced".into());
        };
        self.node(n).header = if came.reads { Header::ReadCopy } else { Header::Live };
        for mode in came.waiting {
            self.acquire(n, mode, false)?;
        }
        self.recall_remembered(n, came.is_recalled)
    }

    fn recall_remembered(&mut self, n: u8, is_recalled: bool) -> Result<(), Fault> {
        if is_recalled && !self.is_broken(Broken::RecallIsRemembered) { self.goes_back(n) } else { Ok(()) }
    }

    /// A copy is asked back, which is here.
    fn goes_back(&mut self, n: u8) -> Result<(), Fault> {
        let goes_at_once = self.is_broken(Broken::CopyGoesUnused);
        let node = self.node(n);
        if goes_at_once && node.header != Header::Absent {
            node.borrowed.leaves();
            node.header = Header::Absent;
            let gone = Next::Gone { node: n, reads: node.is_to_read, version: node.version };
            self.then(gone);
            return Ok(());
        }
        if self.stand_in(n, Waiter::Owner) { Ok(()) } else { Err(format!("node {n} has no copy to give back")) }
    }

    /// A message of a borrower has come to the owner.
    fn handle_at_owner(&mut self, from: u8, message: Message) -> Result<(), Fault> {
        match message {
            Message::Want(Want { reads }) => {
                self.at_owner(Some(from), "Want");
                if !self.stand_in(0, Waiter::Borrower { to: from, reads }) && !self.is_broken(Broken::NoBlockIsAnswered)
                {
                    self.post(0, from, Message::NoBlock);
                }
                Ok(())
            }
            Message::Content { version, .. } => {
                let version =
                    if self.is_broken(Broken::ContentIsWritten) { self.state.nodes[0].version } else { version };
                if self.is_broken(Broken::BytesAreWaitedForBack) {
                    self.is_back()?;
                    self.node(0).version = version;
                    return Ok(());
                }
                self.node(0).bytes = Some(version);
                Ok(())
            }
            Message::Left => {
                self.at_owner(Some(from), "Left");
                match self.state.loans.left(from.into()) {
                    Some(_) => self.end_hold(LoanHold::ToRead),
                    None => Err("a copy is given back that was not lent".into()),
                }
            }
            _ => Err(format!("{message:?} comes to the owner")),
        }
    }
}
