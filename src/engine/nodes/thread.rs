//! The thread that makes all calls of the link, from the first, which loads MPI, to the last, which ends it. It never
//! waits inside MPI but while that begins and ends.
//!
//! | what it expects | how it waits |
//! |---|---|
//! | something is on its way, as a block, or a message has come or was to be sent less than 200 us ago; and a worker sleeps | it gives its core away and looks again |
//! | the same, and it has just handled a message, so a worker may begin to run on that core | it sleeps for 30 us |
//! | something is on its way, or was sent just now, and workers run | it sleeps for 30 us |
//! | otherwise, where all other nodes are on this machine | it sleeps for 10 ms: whoever sends a message rings its bell |
//! | less than 5 ms ago, or calls have no answer | it looks again after 50 us |
//! | less than 100 ms ago | it looks again after 1 ms |
//! | otherwise | it looks again after 2 ms, which takes about one percent of a core |
//!
//! A thread that gives its core away runs again when the others have used up their share of time, which may be
//! milliseconds. One that is woken is let in much sooner, the more so as this one asks for short shares
//! (`link/threads.rs`).
//!
//! Other threads of the process wake it in any case. Where all workers run EDTs, a thread that gives its core away all
//! the time would take a part of one of their cores. Whenever it has slept it looks whether other processes of this
//! machine have ended.

use crate::engine::nodes::drain;
use crate::engine::nodes::ending::{
    ASKED, CRASHES, FOR_CRASH, IS_ENDING_MPI, LOST_AT_END, MOST_NODES, NO_STATUS, NODE, NODES, OVER, PHASE,
    REFUSED_STATUS, STOPPING, THREAD, ask,
};
use crate::engine::nodes::hello::{Hello, welcomes};
use crate::engine::nodes::mates::Mates;
use crate::engine::nodes::message::{NodeMessage, batches};
use crate::engine::nodes::outbox::{self, IdleWorkers, Traffic, WorkHandler};
use crate::engine::nodes::wave::Wave;
use crate::engine::nodes::wire::{Process, Welcome};
use crate::engine::nodes::work::{Call, CallAnswer, NodeProgress, NodeWork};
use crate::engine::state::end::FATAL_STATUS;
use crate::engine::state::fatal::{end_process, fatal};
use crate::engine::state::handlers;
use crate::heap;
use crate::link::bell::{self, Bell};
use crate::link::block::BlockBytes;
use crate::link::plugin::Plugin;
use crate::link::{LinkEvent, NodePlace, threads};
use crate::object::guid::Guid;
use crate::trace;
use ocr_base::text::read_file;
use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

/// How long the others are waited for at the end where the status is not 0: then the launcher ends them.
const FOR_STOPPED: Duration = Duration::from_secs(2);

/// After how long a note says that a node does not answer at the end.
const NOTE_AFTER: Duration = Duration::from_secs(10);

/// How long a node whose process gets SIGTERM goes on: others that get it look meanwhile whether a node is gone.
const AFTER_SIGTERM: Duration = Duration::from_millis(100);

/// How long a message that must go out now may take.
const FOR_LAST_MESSAGE: Duration = Duration::from_millis(500);

/// How often the thread looks whether other processes of the machine have ended, while it does not sleep longer.
const BETWEEN_WATCHES: Duration = Duration::from_millis(5);

/// For how long the thread looks all the time after something has happened, where a worker sleeps. To be woken takes
/// some ten microseconds, and more where a core that had nothing to do is stopped by a hypervisor.
const SOON: Duration = Duration::from_micros(200);

/// How long node 0 waits between two rounds of questions whether anything can still happen.
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);

/// Whether the run of a node other than 0 has ended, so that the link may. The store in `join.rs` pairs with the load
/// in `serve`.
pub(super) static RUN_HAS_ENDED: AtomicBool = AtomicBool::new(false);

/// Somebody asks the process to end, by SIGTERM. The handler's store pairs with the swap in `look_after`.
pub(super) static TERMINATED: AtomicBool = AtomicBool::new(false);

/// The process of node 0, on the other nodes of its machine.
pub(super) static NODE_0: OnceLock<Process> = OnceLock::new();

/// What the process that joins tells the thread.
pub(super) struct Plan {
    pub(super) plugin: PathBuf,
    /// How many processes the launcher has started, if it says that, and what it is called.
    pub(super) launch: Option<(Option<u32>, &'static str)>,
    pub(super) hello: Hello,
}

/// What a node knows when it has joined.
pub(crate) struct Joined {
    pub(super) place: NodePlace,
    pub(super) share: (u32, u32),
    /// A number that the nodes of this program share, and no others.
    pub(super) launch: u64,
    /// The plug-in and the MPI library.
    pub(super) about: String,
}

/// What the thread tells the process that joins, or waits on another node than 0.
pub(crate) enum Told {
    /// There is one process, and so no link.
    Alone,
    Joined(Joined),
    /// The nodes cannot be one program, with the words for that.
    Failed(String),
    /// The program has failed to begin, which another node says.
    Refused(i32),
    /// The program ends with this status.
    Ending {
        status: i32,
        orderly: bool,
    },
    /// The link is over.
    Over,
    /// Another node is gone, in words for the process that prints them.
    Lost(Option<String>),
}

/// Works from the beginning of MPI to its end.
pub(super) fn work(plan: Plan, tell: Sender<Told>) {
    threads::mark_this();
    // SAFETY: `gettid` has no preconditions.
    THREAD.store(unsafe { libc::gettid() }, Ordering::SeqCst);
    // Libraries that MPI loads install handlers as they are loaded.
    let begun = threads::watch(|| handlers::keep_all(|| begin(&plan)));
    let (link, place, about) = match begun {
        Ok(begun) => begun,
        // Nobody hears it where the process has given up.
        Err(why) => return drop(tell.send(Told::Failed(why))),
    };
    threads::ask_for_short_shares();
    let mut thread = Communicator {
        link,
        place,
        events: Vec::new(),
        inbox: VecDeque::new(),
        taking: HashMap::new(),
        taken: 0,
        brought: Vec::new(),
        recorded: HashMap::new(),
        has_handed_over: false,
        last: Instant::now(),
        mates: Mates::new(Vec::new()),
        watched: Instant::now(),
        bells: Vec::new(),
        hellos: Vec::new(),
        gone: Vec::new(),
        ends: false,
        is_noted: false,
        is_ending: false,
        is_exiting: false,
        wave: Wave::new(place.nodes),
        looked: Instant::now(),
        tell,
    };
    if place.nodes == 1 {
        let _ = thread.link.end();
        return thread.say(Told::Alone);
    }
    NODE.store(place.node, Ordering::Relaxed);
    NODES.store(place.nodes, Ordering::Relaxed);
    if let Some((share, launch)) = thread.meet(Hello { bell: bell::begin(), ..plan.hello }) {
        thread.say(Told::Joined(Joined { place, share, launch, about }));
        thread.serve();
        PHASE.store(OVER, Ordering::SeqCst);
    }
}

/// Loads the plug-in and begins MPI; compares what that says with what the launcher says. The error is for people.
fn begin(plan: &Plan) -> Result<(Plugin, NodePlace, String), String> {
    let mut plugin = Plugin::load(&plan.plugin)?;
    let place = plugin.begin()?;
    let about = plugin.about();
    if let Some((Some(size), launcher)) = plan.launch
        && size != place.nodes
    {
        let _ = plugin.end();
        return Err(format!(
            "{launcher} has started {size} processes, and the plug-in {about} knows of {}: the launcher is of another MPI \
             than the plug-in, and {size} programs would run that do not know of one another. Start the program with the \
             launcher of {}, or name the launcher's plug-in by OCR_MPI",
            place.nodes,
            plugin.interface()
        ));
    }
    if place.nodes > MOST_NODES {
        let _ = plugin.end();
        return Err(too_many(place.nodes));
    }
    Ok((plugin, place, about))
}

/// What is said where there are more nodes than there may be.
pub(super) fn too_many(nodes: u32) -> String {
    format!(
        "the launcher has started {nodes} processes, and a program has at most {MOST_NODES} nodes. Start fewer processes: one \
         on each machine suffices, since a node uses all cores that it may"
    )
}

/// Whether this thread has a core to itself, as far as that can be told.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Core {
    Spare,
    /// A worker may begin to run on it.
    SpareUntilNow,
    Used,
}

/// Whether a worker sleeps, searches, or waits for an answer. One that searches, or waits, may just have got what it
/// goes on with, if a message was handled.
fn spare_core(has_handed_over: bool) -> Core {
    let idle = outbox::handler().map_or(IdleWorkers { sleep: true, search: false }, |handler| (handler.idle)());
    match outbox::is_waited_for() || idle.search {
        _ if idle.sleep => Core::Spare,
        true if has_handed_over => Core::SpareUntilNow,
        true => Core::Spare,
        false => Core::Used,
    }
}

/// How far this node is.
fn progress(handler: WorkHandler) -> NodeProgress {
    let rests = (handler.rests)();
    let (sent, handled) = outbox::counts();
    NodeProgress { rests, sent, handled }
}

/// A message whose bytes follow it on the link's lane for blocks.
struct Announced {
    from: u32,
    work: NodeWork,
    /// Its number where the run is recorded, or 0.
    number: u64,
}

struct Communicator {
    link: Plugin,
    place: NodePlace,
    /// What has happened on the link and has not been looked at.
    events: Vec<LinkEvent>,
    /// Messages that have come and have not been handled, each with its sender. Several may come in one turn, and the
    /// function that handles one of them may return before the next.
    inbox: VecDeque<(u32, NodeMessage)>,
    /// The messages whose bytes are being taken, by their numbers.
    taking: HashMap<u64, Announced>,
    /// How many have been taken; the number of the next.
    taken: u64,
    /// Those whose bytes are in their places, and that the run has not handled.
    brought: Vec<Announced>,
    /// How many messages that lead to something have come from each node, where the run is recorded.
    recorded: HashMap<u32, u64>,
    /// Whether messages were handled since, which a worker may begin to work on.
    has_handed_over: bool,
    /// When something happened last.
    last: Instant,
    mates: Mates,
    /// When it was looked whether one of these is gone.
    watched: Instant,
    /// The bells of the other nodes of this machine that can be reached.
    bells: Vec<(u32, Bell)>,
    /// What each node has told; on node 0 alone.
    hellos: Vec<Hello>,
    /// Nodes that are gone.
    gone: Vec<u32>,
    /// Whether the run of this node ends, and node 0 does not know yet that its EDTs have ended. Not on node 0.
    ends: bool,
    /// Whether a note has said that a node does not answer at the end; on node 0 alone.
    is_noted: bool,
    /// Whether this process ends because of a node that is gone or cannot be reached; on node 0 alone.
    is_ending: bool,
    /// Whether this process ends by itself, as by `exit`, and has told node 0 so; on node 0: whether another one has.
    is_exiting: bool,
    /// Whether anything can still happen; on node 0 alone.
    wave: Wave,
    /// When the last round of it began.
    looked: Instant,
    tell: Sender<Told>,
}

impl Communicator {
    fn say(&self, told: Told) {
        // The process may have stopped listening, as it does when it ends.
        let _ = self.tell.send(told);
    }

    fn others(&self) -> impl Iterator<Item = u32> + use<> {
        let gone = self.gone.clone();
        let this = self.place.node;
        (0..self.place.nodes).filter(move |node| *node != this && !gone.contains(node))
    }

    fn send(&mut self, to: u32, message: &NodeMessage) {
        self.send_bytes(to, message.encode());
        self.bells.iter().filter(|(node, _)| *node == to).for_each(|(_, bell)| bell.ring());
    }

    fn send_bytes(&mut self, to: u32, bytes: Vec<u8>) {
        let begun = self.link.send(to, bytes);
        self.note_begun(to, begun);
    }

    /// A request that concerns a node was begun, or has failed.
    fn note_begun(&mut self, node: u32, begun: Result<(), String>) {
        if begun.is_err() {
            self.events.push(LinkEvent::Failed { node: Some(node) });
        }
        self.last = Instant::now();
    }

    /// Takes the bytes that a message has announced, into their place.
    fn take(&mut self, announced: Announced, place: BlockBytes) {
        let from = announced.from;
        let id = self.taken;
        self.taken += 1;
        self.taking.insert(id, announced);
        let begun = self.link.take(from, place, id);
        self.note_begun(from, begun);
    }

    /// Takes a content that a call passes by value, into memory of its own.
    fn take_value(&mut self, mut announced: Announced) {
        let NodeWork::Call { call: Call::PassValue { size, bytes, .. }, .. } = &mut announced.work else { return };
        let (size, from) = (*size as usize, announced.from);
        let mut content = Vec::new();
        if heap::may_fail(|| content.try_reserve_exact(size)).is_err() {
            let why = format!("node {from} passes {size} bytes by value, for which there is no memory here.");
            return self.end_by(move || fatal(&why), FATAL_STATUS);
        }
        content.resize(size, 0);
        // SAFETY: the memory has so many bytes, and stays: the message that it becomes a part of is kept until they
        // have come, and nobody reads it before.
        let place = unsafe { BlockBytes::of_block(content.as_mut_ptr(), size) };
        *bytes = Some(content);
        self.take(announced, place);
    }

    /// Passes over a message when the run has ended. The bytes that it announces are taken: its sender waits for that.
    fn drop_work(&mut self, from: u32, work: &NodeWork) {
        if let Some(size) = work.announced() {
            let mut place = Vec::new();
            if heap::may_fail(|| place.try_reserve_exact(size as usize)).is_err() {
                warning!(
                    "there is no memory for {size} bytes of a data block that node {from} sends at the end of the program: \
                     that node may not end. End it by a signal, and give the process more memory (ulimit -v)."
                );
                return;
            }
            place.resize(size as usize, 0);
            self.take(Announced { from, work: work.clone(), number: 0 }, place.into());
        }
    }

    /// Passes over what has come, when the run has ended. Whether node 0 has said that all nodes have answered, and the
    /// nodes that have.
    fn drop_all(&mut self) -> (bool, Vec<u32>) {
        let (mut is_end, mut stopped) = (false, Vec::new());
        self.brought.clear();
        while let Some((from, message)) = self.inbox.pop_front() {
            match message {
                NodeMessage::Stopped => stopped.push(from),
                NodeMessage::End => is_end = true,
                NodeMessage::Crashed(status) => {
                    // It has said so itself.
                    self.gone.push(from);
                    LOST_AT_END.store(status, Ordering::SeqCst);
                }
                // It answers as the others do.
                NodeMessage::Exits(status) if status != 0 => LOST_AT_END.store(status, Ordering::SeqCst),
                NodeMessage::Work(all) => all.iter().for_each(|work| self.drop_work(from, work)),
                _ => {}
            }
        }
        (is_end, stopped)
    }

    /// Puts what has come into the inbox, and sleeps if nothing is there. Returns the nodes that are gone since.
    fn turn(&mut self) -> Vec<Lost> {
        let outgoing = outbox::take();
        let mut receivers = Vec::new();
        for (to, messages) in outgoing.messages {
            let batches = batches(&messages);
            outbox::note_sent(to, Traffic::of(&messages, batches.len() as u64));
            batches.into_iter().for_each(|bytes| self.send_bytes(to, bytes));
            receivers.push(to);
        }
        for (to, bytes) in outgoing.blocks {
            let begun = self.link.send_block(to, bytes);
            self.note_begun(to, begun);
        }
        // A large message moves while both of its nodes look, and parts of it leave this one as it looks.
        let is_under_way = self.link.under_way() > 0;
        self.link.poll(&mut self.events);
        let rings = |(node, _): &&(u32, Bell)| is_under_way || receivers.contains(node);
        self.bells.iter().filter(rings).for_each(|(_, bell)| bell.ring());
        let mut lost = self.sort_events();
        if self.inbox.is_empty() && self.brought.is_empty() && lost.is_empty() {
            let idle = self.last.elapsed();
            let is_soon = idle < SOON;
            let has_handed_over = std::mem::take(&mut self.has_handed_over);
            let still_under_way = self.link.under_way() > 0;
            let core = if is_soon || still_under_way { spare_core(has_handed_over) } else { Core::Used };
            let others = self.place.nodes as usize - 1;
            let all_ring = self.bells.len() == others && bell::ringers() == others;
            let looks = match core {
                Core::Spare => true,
                // A message of another machine would be seen when the sleep is over.
                Core::SpareUntilNow => !all_ring,
                Core::Used => false,
            };
            let ended = if looks {
                std::thread::yield_now();
                // Where a transfer stands still, its other node may be gone.
                if self.watched.elapsed() < BETWEEN_WATCHES { Vec::new() } else { self.watch() }
            } else {
                let micros = match idle.as_millis() {
                    _ if is_under_way || still_under_way || core == Core::SpareUntilNow => 30,
                    // Its workers do not wake this thread.
                    _ if self.ends => 500,
                    _ if all_ring => 10_000,
                    0..5 => 50,
                    _ if outbox::is_awaited() => 50,
                    5..100 => 1000,
                    _ => 2000,
                };
                outbox::wait(Duration::from_micros(micros));
                self.watch()
            };
            lost.extend(self.sort_events());
            lost.extend(ended.into_iter().map(|process| Lost { node: Some(process.node), how: How::Ended(process) }));
        }
        lost.retain(|lost| lost.node.is_none_or(|node| !self.gone.contains(&node)));
        self.gone.extend(lost.iter().filter_map(|lost| lost.node));
        lost
    }

    /// The processes of this machine that have ended since.
    fn watch(&mut self) -> Vec<Process> {
        self.watched = Instant::now();
        let ended = self.mates.wait(Duration::ZERO);
        if !ended.is_empty() {
            // What a node has sent before it ended comes first: it may say why.
            self.link.poll(&mut self.events);
        }
        ended
    }

    /// Puts messages that have come into the inbox. Returns the nodes that cannot be reached.
    fn sort_events(&mut self) -> Vec<Lost> {
        let mut lost = Vec::new();
        for event in std::mem::take(&mut self.events) {
            self.last = Instant::now();
            match event {
                LinkEvent::Arrived { from, bytes } => match NodeMessage::decode(&bytes) {
                    Some(message) => self.inbox.push_back((from, message)),
                    None => lost.push(Lost { node: Some(from), how: How::Strange }),
                },
                LinkEvent::Taken { id } => self.brought.extend(self.taking.remove(&id)),
                LinkEvent::Failed { node } => lost.push(Lost { node, how: How::Unreachable }),
            }
        }
        lost
    }

    /// Tells node 0 of this one, and hears whether the program may begin: then how this node shares its cores, and the
    /// number of the launch.
    fn meet(&mut self, hello: Hello) -> Option<((u32, u32), u64)> {
        if self.place.node != 0 {
            self.send(0, &NodeMessage::Hello(Box::new(hello)));
            loop {
                let lost = self.turn();
                while let Some((_, message)) = self.inbox.pop_front() {
                    match message {
                        NodeMessage::Welcome(Welcome { share, mates, launch }) => {
                            if let Some(process) = mates.iter().find(|mate| mate.node == 0) {
                                let _ = NODE_0.set(*process);
                            }
                            self.know(mates);
                            return Some((share, launch));
                        }
                        NodeMessage::Stop { status, .. } => {
                            self.say(Told::Refused(status));
                            self.answer_stop(status);
                            return None;
                        }
                        _ => {}
                    }
                }
                if !lost.is_empty() {
                    self.say(Told::Failed("node 0 cannot be reached while the program begins".into()));
                    return None;
                }
            }
        }
        let mut hellos: Vec<Option<Hello>> = vec![None; self.place.nodes as usize];
        hellos[0] = Some(hello);
        while hellos.iter().any(Option::is_none) {
            let lost = self.turn();
            while let Some((from, message)) = self.inbox.pop_front() {
                if let NodeMessage::Hello(hello) = message {
                    hellos[from as usize] = Some(*hello);
                }
            }
            if let Some(lost) = lost.into_iter().next() {
                let why = match (lost.node, lost.how) {
                    (Some(node), How::Strange) => format!(
                        "node {node} has a library of another release than node 0 (ocr {}): their messages differ. Install \
                         one release on all machines",
                        env!("CARGO_PKG_VERSION")
                    ),
                    (Some(node), _) => format!("node {node} cannot be reached while the program begins"),
                    (None, _) => "a node cannot be reached while the program begins".into(),
                };
                self.refuse(why);
                return None;
            }
        }
        let hellos: Vec<Hello> = hellos.into_iter().flatten().collect();
        let differs = |(node, other): (usize, &Hello)| hellos[0].difference(0, other, node as u32);
        if let Some(why) = hellos.iter().enumerate().find_map(differs) {
            self.refuse(why);
            return None;
        }
        let mut welcomes = welcomes(&hellos).into_iter();
        let own = welcomes.next()?;
        for (welcome, node) in welcomes.zip(1..) {
            self.send(node, &NodeMessage::Welcome(welcome));
        }
        self.know(own.mates);
        self.hellos = hellos;
        Some((own.share, own.launch))
    }

    /// Knows the other nodes of this machine.
    fn know(&mut self, mates: Vec<Process>) {
        self.bells = mates.iter().filter_map(|mate| Some((mate.node, Bell::of(mate.pid, mate.bell)?))).collect();
        self.mates = Mates::new(mates);
    }

    /// Ends all nodes, since they cannot be one program; node 0 says why.
    fn refuse(&mut self, why: String) {
        self.say(Told::Failed(why));
        self.stop_all(REFUSED_STATUS);
        self.say(Told::Over);
    }

    /// Works for the program until it ends.
    fn serve(&mut self) {
        let mut early = VecDeque::new();
        let mut stops = None;
        loop {
            let lost = self.turn();
            // Where the process exits, its run does not end.
            if let Some(status) = stops
                && (self.is_exiting || RUN_HAS_ENDED.load(Ordering::SeqCst))
            {
                early.iter().for_each(|(from, work)| self.drop_work(*from, work));
                return self.answer_stop(status);
            }
            for Announced { from, work, number } in std::mem::take(&mut self.brought) {
                self.has_handed_over = true;
                if let Some(handler) = outbox::handler() {
                    if trace::is_on() {
                        trace::events::came(from, number);
                    }
                    (handler.goes_on)();
                    (handler.work)(from, work);
                    outbox::note_handled();
                }
            }
            // What has come before the run could handle it.
            if !early.is_empty() && outbox::handler().is_some() {
                for (from, work) in std::mem::take(&mut early) {
                    self.handle(from, work);
                }
            }
            while let Some((from, message)) = self.inbox.pop_front() {
                match message {
                    // In their order, where some came before the run could handle them.
                    NodeMessage::Work(all) if (outbox::handler().is_none() || !early.is_empty()) && stops.is_none() => {
                        early.extend(all.into_iter().map(|work| (from, work)));
                    }
                    NodeMessage::Work(all) => all.into_iter().for_each(|work| self.handle(from, work)),
                    NodeMessage::Stop { status, orderly: true } => {
                        self.say(Told::Ending { status, orderly: true });
                        stops = Some(status);
                    }
                    NodeMessage::Stop { status, orderly: false } => {
                        self.say(Told::Ending { status, orderly: false });
                        return self.say(Told::Over);
                    }
                    NodeMessage::Crashed(status) => {
                        self.gone.push(from);
                        self.end_by(move || end_process(status), status);
                    }
                    NodeMessage::Exits(_) if self.is_exiting => {}
                    NodeMessage::Exits(status) => {
                        if status == 0 {
                            note!("node {from} has called exit(0), so all nodes end.");
                        }
                        self.is_exiting = true;
                        end_on_thread(move || end_process(status), status);
                    }
                    NodeMessage::Lost(node) => {
                        self.gone.push(node);
                        self.end_because_of(&Lost { node: Some(node), how: How::Told });
                    }
                    _ => {}
                }
            }
            for lost in lost {
                if self.lose(&lost) {
                    return;
                }
            }
            self.look_around();
            match ASKED.load(Ordering::SeqCst) {
                NO_STATUS => {}
                status if self.place.node == 0 => return self.stop_all(status),
                status if CRASHES.load(Ordering::SeqCst) => {
                    self.send(0, &NodeMessage::Crashed(status));
                    return self.flush(FOR_LAST_MESSAGE);
                }
                // MPI is ended on all nodes before the process ends: launchers kill those on which it is not.
                status if !self.is_exiting => {
                    self.is_exiting = true;
                    self.send(0, &NodeMessage::Exits(status));
                }
                _ => {}
            }
            if TERMINATED.swap(false, Ordering::SeqCst) && self.look_after() {
                return;
            }
        }
    }

    /// Handles a message about work. One that comes when the run has ended is dropped.
    fn handle(&mut self, from: u32, work: NodeWork) {
        self.has_handed_over = true;
        let Some(handler) = outbox::handler() else { return self.drop_work(from, &work) };
        let mut number = 0;
        if trace::is_on() && work.is_counted() {
            let last = if work.leads_on() { self.recorded.entry(from).or_default() } else { &mut 0 };
            *last += u64::from(work.leads_on());
            number = *last;
            trace::events::came(from, number);
        }
        match work {
            // Handled when it is in its place.
            NodeWork::Content { block, size, reads, bytes: None } => {
                (handler.goes_on)();
                // Where there is no place, the program ends with a message.
                if let Some(place) = (handler.place)(block, size, reads) {
                    self.take(Announced { from, work, number }, place);
                }
            }
            NodeWork::Call { call: Call::PassValue { bytes: None, .. }, .. } => {
                (handler.goes_on)();
                self.take_value(Announced { from, work, number });
            }
            NodeWork::Answer { id, answer } => {
                let held = outbox::answered(id, answer);
                if !held.is_empty() {
                    (handler.let_go)(held);
                }
                outbox::note_handled();
            }
            NodeWork::Confirmed(calls) => {
                let answered = |id| outbox::answered(id, CallAnswer::default());
                let held: Vec<Guid> = calls.into_iter().flat_map(answered).collect();
                if !held.is_empty() {
                    (handler.let_go)(held);
                }
                outbox::note_handled();
            }
            NodeWork::Look(round) => {
                let progress = progress(handler);
                outbox::post(from, NodeWork::Seen { round, progress });
            }
            NodeWork::Seen { round, progress } => {
                if self.wave.answer(from, round, progress) {
                    self.wave.forget();
                    (handler.all_rest)();
                }
            }
            work => {
                match work {
                    NodeWork::Ending => self.ends = true,
                    NodeWork::Ended => drain::note_ended(),
                    _ => {}
                }
                (handler.goes_on)();
                (handler.work)(from, work);
                outbox::note_handled();
            }
        }
    }

    /// Tells node 0 when the run of this node ends and its EDTs have ended.
    fn tell_ended(&mut self) {
        if self.ends && outbox::handler().is_some_and(|handler| (handler.has_ended)()) {
            self.ends = false;
            outbox::post(0, NodeWork::Ended);
        }
    }

    /// Says once that a node does not answer at the end of the program.
    fn note_waiting(&mut self, node: u32) {
        if !std::mem::replace(&mut self.is_noted, true) {
            note!(
                "the program has ended on node 0, and {} has not answered for {} seconds. If its process is stopped, kill -CONT \
                 has it go on.",
                self.hello_name(node),
                NOTE_AFTER.as_secs()
            );
        }
    }

    /// On node 0: asks all others whether anything can still happen, if nothing happens here.
    fn look_around(&mut self) {
        self.tell_ended();
        if self.looked.elapsed() > NOTE_AFTER
            && drain::waits_for_others()
            && let Some(node) = self.wave.unanswered()
        {
            self.note_waiting(node);
        }
        if self.place.node != 0 || self.wave.is_under_way() || self.looked.elapsed() < BETWEEN_LOOKS {
            return;
        }
        self.looked = Instant::now();
        let Some(handler) = outbox::handler() else { return };
        let own = progress(handler);
        if !own.rests {
            return self.wave.forget();
        }
        let round = self.wave.begin(own);
        let others: Vec<u32> = self.others().collect();
        for node in others {
            self.send(node, &NodeMessage::Work(vec![NodeWork::Look(round)]));
        }
    }

    /// Somebody has sent SIGTERM. Launchers do when another process has ended, so it is looked for first. Without that,
    /// the process ends as the system has it end, a little later: where all nodes have got the signal, none is to take
    /// another one for the cause. True where this thread has nothing to do any more.
    fn look_after(&mut self) -> bool {
        let mut ended = self.mates.wait(Duration::ZERO);
        ended.retain(|process| !self.gone.contains(&process.node));
        let is_any = !ended.is_empty();
        for process in ended {
            self.gone.push(process.node);
            if self.lose(&Lost { node: Some(process.node), how: How::Ended(process) }) {
                return true;
            }
        }
        if is_any || !self.gone.is_empty() {
            return false;
        }
        std::thread::sleep(AFTER_SIGTERM);
        handlers::Handler::give_back(libc::SIGTERM);
        // SAFETY: the call sends a signal to this process, which ends it.
        unsafe { libc::kill(std::process::id() as libc::pid_t, libc::SIGTERM) };
        false
    }

    /// A node is gone. True where this thread has nothing to do any more.
    fn lose(&mut self, lost: &Lost) -> bool {
        let this = self.place.node;
        if this == 0 {
            self.end_because_of(lost);
            return false;
        }
        // Of those on the machine, the first that is left speaks.
        let is_first = self.mates.nodes().all(|mate| mate > this);
        match (lost.node, &lost.how) {
            (Some(0), _) => {
                let words = is_first.then(|| self.lost_words(lost));
                if is_first {
                    let others: Vec<u32> = self.others().collect();
                    for node in others {
                        self.send(node, &NodeMessage::Stop { status: FATAL_STATUS, orderly: false });
                    }
                    self.flush(FOR_LAST_MESSAGE);
                }
                self.say(Told::Lost(words));
                true
            }
            // Node 0 sees that itself, or is told by the first that does.
            (Some(node), How::Ended(_)) => {
                if is_first && self.mates.find(0).is_none() {
                    self.send(0, &NodeMessage::Lost(node));
                }
                false
            }
            _ => {
                self.say(Told::Lost(Some(self.lost_words(lost))));
                true
            }
        }
    }

    /// Ends the process of node 0 with an error, on a thread of its own: this one has to tell the others then. Once:
    /// MPI may fail in the same way at each turn until that thread has written the report.
    fn end_because_of(&mut self, lost: &Lost) {
        let why = self.lost_words(lost);
        self.end_by(move || fatal(&why), FATAL_STATUS);
    }

    /// Ends the process of node 0 by what is called on a thread of its own, or with this status. Once.
    fn end_by(&mut self, end: impl FnOnce() + Send + 'static, status: i32) {
        if !std::mem::replace(&mut self.is_ending, true) {
            end_on_thread(end, status);
        }
    }

    fn lost_words(&self, lost: &Lost) -> String {
        let who = match (lost.node, &lost.how) {
            // Node 0 alone knows what the others have told.
            (Some(node), How::Ended(process)) if self.hellos.is_empty() => {
                let host = read_file("/proc/sys/kernel/hostname").unwrap_or_default();
                format!("node {node} (process {} on {})", process.pid, host.trim())
            }
            (Some(node), _) => self.hello_name(node),
            (None, _) => "a node".to_string(),
        };
        let what = match lost.how {
            How::Ended(_) | How::Told => {
                "is gone: its process was killed, or ended without the runtime, as by _exit. All other nodes end"
            }
            How::Unreachable => "cannot be reached any more: MPI says that a message has failed. All other nodes end",
            How::Strange => "has sent what is no message of this release. All nodes end",
        };
        format!("{who} {what}.")
    }

    /// Looks until all messages are sent, or until this time has passed.
    fn flush(&mut self, limit: Duration) {
        let begin = Instant::now();
        while self.link.under_way() > 0 && begin.elapsed() < limit {
            self.link.poll(&mut self.events);
            std::thread::yield_now();
        }
    }

    /// Answers node 0, and ends the link when all nodes have answered: until then another one may send the content of a
    /// block, and wait until it is taken.
    fn answer_stop(&mut self, status: i32) {
        self.send(0, &NodeMessage::Stopped);
        let begin = Instant::now();
        loop {
            let (is_end, _) = self.drop_all();
            let is_left = self.gone.contains(&0) || status != 0 && begin.elapsed() > FOR_STOPPED;
            if is_end || is_left {
                break;
            }
            self.turn();
        }
        self.flush(FOR_STOPPED);
        self.end_link();
        self.say(Told::Over);
    }

    fn end_link(&mut self) {
        IS_ENDING_MPI.store(true, Ordering::SeqCst);
        if let Err(why) = self.link.end() {
            warning!("MPI has not ended as it should: {why}.");
        }
    }

    /// On node 0: ends all others with this status, and the link.
    fn stop_all(&mut self, status: i32) {
        PHASE.store(STOPPING, Ordering::SeqCst);
        let crashes = CRASHES.load(Ordering::SeqCst);
        let orderly = !crashes && self.gone.is_empty() && !self.is_ending;
        let mut waiting: Vec<u32> = self.others().collect();
        for &node in &waiting {
            self.send(node, &NodeMessage::Stop { status, orderly });
        }
        if !orderly {
            self.flush(if crashes { FOR_CRASH / 2 } else { FOR_LAST_MESSAGE });
            return PHASE.store(OVER, Ordering::SeqCst);
        }
        let begin = Instant::now();
        while !waiting.is_empty() {
            let lost = self.turn();
            let (_, stopped) = self.drop_all();
            waiting.retain(|node| !stopped.contains(node));
            for lost in lost.iter().filter(|lost| lost.node.is_none_or(|node| waiting.contains(&node))) {
                // One that has crashed has said so.
                if LOST_AT_END.load(Ordering::SeqCst) == 0 {
                    error!("{}", self.lost_words(lost));
                    LOST_AT_END.store(FATAL_STATUS, Ordering::SeqCst);
                }
            }
            waiting.retain(|node| !self.gone.contains(node));
            let time = begin.elapsed();
            if (status != 0 || self.is_exiting) && time > FOR_STOPPED || LOST_AT_END.load(Ordering::SeqCst) != 0 {
                break;
            }
            if time > NOTE_AFTER
                && let Some(&first) = waiting.first()
            {
                self.note_waiting(first);
            }
        }
        if waiting.is_empty() && self.gone.is_empty() {
            let others: Vec<u32> = self.others().collect();
            others.into_iter().for_each(|node| self.send(node, &NodeMessage::End));
            self.flush(FOR_LAST_MESSAGE);
            self.end_link();
            return PHASE.store(OVER, Ordering::SeqCst);
        }
        PHASE.store(OVER, Ordering::SeqCst);
        if LOST_AT_END.load(Ordering::SeqCst) == 0 {
            // The launcher ends those that do not answer.
            self.link.abort(status);
        }
    }

    /// A node, for people: as much of it as this one knows.
    fn hello_name(&self, node: u32) -> String {
        self.hellos.get(node as usize).map_or_else(|| format!("node {node}"), |hello| hello.name(node))
    }
}

/// Calls what ends the process of node 0 with this status, on a thread of its own.
fn end_on_thread(end: impl FnOnce() + Send + 'static, status: i32) {
    if std::thread::Builder::new().name("ocr-lost".into()).spawn(end).is_err() {
        ask(status);
    }
}

/// A node that is gone, as far as this one knows.
struct Lost {
    node: Option<u32>,
    how: How,
}

enum How {
    /// Its process has ended.
    Ended(Process),
    /// Another node says so.
    Told,
    /// A message to it has failed.
    Unreachable,
    /// It has sent what is no message.
    Strange,
}
