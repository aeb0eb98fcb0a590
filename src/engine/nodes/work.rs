//! What nodes ask of each other while a program runs: calls about objects of another node, and the contents of blocks.
//!
//! | message | from, to | what follows |
//! |---|---|---|
//! | `Call` | a node with a caller, the owner of the object | the owner makes the call, and answers if `id` is not 0 |
//! | `Answer` | back | the caller goes on |
//! | `Confirmed` | back | the callers go on: these calls are made, and their answers say no more |
//! | `Want` | a node on which an EDT needs a block, to read or to write it, its owner | an EDT of the owner's acquires the block for that node, and its content is sent |
//! | `Content` | the owner, the borrower; and back | the block is here, or comes on the link's lane for blocks: then it is here when that has brought it |
//! | `NoBlock` | the owner, the borrower | the block does not exist |
//! | `Recall` | the owner, the borrower | the borrower sends the content back when the EDTs that it has let in have ended; of a copy to read, `Left` |
//! | `Left` | a borrower, the owner | the borrower has its copy to read no more |
//! | `ScopeDone` | a node, that of the creator | all that so many EDTs of a finish scope have led to there has ended |
//! | `LetGo` | a caller, the owner of EDTs | the EDTs are held back no more ([`crate::protocol::order`]) |
//! | `Gone` | the owner of EDTs, their creator | the creator uses their GUIDs' slots again |
//! | `Ending` | node 0, all | the program ends: the node begins no EDT any more, and serves others as before |
//! | `Ended` | back | all EDTs that ran there have ended |
//! | `NothingComes` | node 0, all | no EDT runs on any node any more, and no message is on its way: what waits in calls has waited in vain |
//! | `Look`, `Seen` | node 0, all; and back | whether something can still happen anywhere ([`super::wave`]) |
//!
//! The thread of the link takes each message (`thread.rs`). `handle` of `run/serve.rs` passes it to what acts on it:
//! what concerns blocks to `life/away.rs`, calls to `capi/elsewhere.rs`.

use crate::engine::nodes::new_edt::{FunctionHome, NewEdt, TemplateText};
use crate::engine::nodes::wire::{Reader, Writer, guid, guids, read_waiting, write_guids, write_waiting};
use crate::engine::state::fan::WaitingSlot;
use crate::object::collective::CollectiveParams;
use crate::object::edt::Mode;
use crate::object::event::{EventKind, NewEvent};
use crate::object::guid::Guid;
use crate::object::reduction::Operator;

/// A range of labels, or a map, as another node uses it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct RangeText {
    pub(crate) first: Guid,
    pub(crate) len: u32,
    /// The function of a map, and its numbers when it was asked for.
    pub(crate) map: Option<(FunctionHome, Vec<i64>)>,
}

/// A copy from one block of the receiver to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct NewCopy {
    pub(crate) destination: Guid,
    /// Where in it, in bytes.
    pub(crate) destination_offset: u64,
    pub(crate) source: Guid,
    /// Where in it, in bytes.
    pub(crate) source_offset: u64,
    /// In bytes.
    pub(crate) size: u64,
    pub(crate) destroys_source: bool,
    /// The event of the caller that is satisfied when all is copied, or `NULL_GUID`.
    pub(crate) completion: Guid,
    /// The finish scope of the caller, as its node knows it; 0 for none.
    pub(crate) scope: u64,
}

/// What is satisfied on the node that a message goes to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct PassedTo {
    pub(crate) waiting: Vec<WaitingSlot>,
    /// An event of the sender whose waiting EDTs the receiver knows; they are satisfied, too. `NULL_GUID` for none.
    pub(crate) event: Guid,
}

/// A call about an object of the receiver.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Call {
    Satisfy {
        event: Guid,
        increment: bool,
        data: Guid,
    },
    Depend {
        source: Guid,
        post_slot: u32,
        destination: Guid,
        slot: u32,
        mode: Mode,
        /// Whether the destination, an EDT of the receiver, is to be held back.
        hold: bool,
    },
    /// An EDT of the receiver is to be held back.
    Hold(Guid),
    /// A content satisfies events or pre-slots of EDTs of the receiver, each with a block of its own. Without bytes it
    /// follows on the link's lane for blocks.
    PassValue {
        to: PassedTo,
        size: u64,
        bytes: Option<Vec<u8>>,
    },
    /// A block is divided into parts, which have these offsets and sizes; with `fixed` there are to be no others. The
    /// answer has their GUIDs.
    Divide {
        whole: Guid,
        spans: Vec<(u64, u64)>,
        fixed: bool,
    },
    Copy(NewCopy),
    /// An event of the caller passes on what it was satisfied with: no new dependence, so a block may be gone by now.
    Pass {
        data: Guid,
        to: PassedTo,
        /// The content of the block, if it goes along.
        content: Option<Vec<u8>>,
    },
    /// The answer is whether the caller is told when this event triggers, by a [`PassedTo::event`].
    Promise(Guid),
    /// An event of the caller is gone that was to be told of so.
    Broken(Guid),
    /// An EDT of the caller has returned the event, and its output event waits for that.
    Return {
        event: Guid,
        output: Guid,
    },
    /// An object of any kind is destroyed.
    Destroy(Guid),
    /// The answer is the text of the template. The text of its kernels goes before the answer, or has gone.
    DescribeTemplate(Guid),
    /// The next part of the text of kernels, by what the caller calls them ([`super::kernels`]).
    KernelText {
        kernels: u64,
        part: Vec<u8>,
        is_last: bool,
    },
    /// The kernels of this template of the caller's are built. The answer comes when that is done: 1 if a device of the
    /// receiver has one, or else 0.
    BuildKernels(TemplateText),
    /// A template of the caller's has changed: copies of it are used no more.
    TemplateChanged(Guid),
    /// A template of the receiver's gets the function of the text, if that has one, and these kernels of the caller's.
    AddVariants {
        template: Guid,
        text: TemplateText,
    },
    /// The answer is the text of the range or map.
    DescribeRange(Guid),
    /// The answer has the GUIDs of the EDT and of its output event, where they are asked for.
    CreateEdt(Box<NewEdt>),
    /// An event is created on a label. With `alone` no other creates on it, the creator says.
    CreateEvent {
        label: Guid,
        new: NewEvent,
        alone: bool,
    },
    /// A block is created on a label. If it is `lent`, the caller has it from its creation on.
    CreateBlock {
        label: Guid,
        size: u64,
        written_once: bool,
        lent: bool,
    },
    /// The answer comes when the label is free; with `leaving`, also when what is there is not about to go.
    AwaitFree {
        label: Guid,
        leaving: bool,
    },
    /// The answer comes when there is an event on the label.
    AwaitMade(Guid),
    /// The answer is how far a sticky or idempotent event is: 1, or 2 if it is satisfied. Of a channel event it is 3,
    /// or 4 if a dependence would be satisfied at once; of all else 0.
    EventState(Guid),
    /// A contribution to a collective event.
    Contribute {
        event: Guid,
        slot: u32,
        bytes: Vec<u8>,
    },
    /// The answer is the size of a block, or of a contribution to a collective event, in bytes.
    SizeOf(Guid),
    /// The answer is the kind of the object, as `ocrGetGuidKind` has it.
    KindOf(Guid),
    /// The answer is the home of the function at that address of the receiver's process, in a template without more.
    FindFunction(u64),
    /// The answer is what waits on the receiver, in words: the program hangs.
    Report,
    /// The answer is what the receiver has sent other nodes, as JSON of a [`crate::report::nodes::NodeReport`].
    Traffic,
    Shutdown,
    Abort(i32),
}

/// What the owner of an object answers.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(crate) struct CallAnswer {
    /// The status code of the call.
    pub(crate) status: u32,
    pub(crate) guids: [Guid; 2],
    /// The GUID of the slot of an EDT that is held back for the call, or `NULL_GUID`.
    pub(crate) held: Guid,
    /// Whether the status is that of a dependence which has come with the creation of an EDT.
    pub(crate) of_along: bool,
    /// What the call asks for, if that is a number. Of a creation that has failed: 1 if what is on the label is about
    /// to go, or else 0.
    pub(crate) value: u64,
    pub(crate) template: Option<Box<TemplateText>>,
    pub(crate) range: Option<Box<RangeText>>,
    /// The parts of a block.
    pub(crate) parts: Vec<Guid>,
    /// What the call asks for, if that is words for people.
    pub(crate) text: String,
}

/// How far a node is: what [`super::wave`] adds up.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct NodeProgress {
    /// Whether nothing happens on the node before a message comes.
    pub(crate) rests: bool,
    /// How many messages about work it has sent, and how many it has handled.
    pub(crate) sent: u64,
    pub(crate) handled: u64,
}

/// Who makes a call, for messages of strict mode.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Caller {
    /// The EDT, or `NULL_GUID` outside of EDTs.
    pub(crate) edt: Guid,
    /// The name of its function.
    pub(crate) name: String,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum NodeWork {
    Call { id: u64, by: Option<Box<Caller>>, call: Call },
    Answer { id: u64, answer: CallAnswer },
    Confirmed(Vec<u64>),
    Want { block: Guid, reads: bool },
    Content { block: Guid, size: u64, reads: bool, bytes: Option<Vec<u8>> },
    NoBlock(Guid),
    Recall(Guid),
    Left(Guid),
    ScopeDone { scope: u64, edts: u64 },
    LetGo(Vec<Guid>),
    Gone(Vec<Guid>),
    Ending,
    Ended,
    NothingComes,
    Look(u32),
    Seen { round: u32, progress: NodeProgress },
}

impl NodeWork {
    /// Whether the message itself keeps the program from having come to a halt.
    pub(super) fn is_counted(&self) -> bool {
        !matches!(self, NodeWork::Look(_) | NodeWork::Seen { .. })
    }

    /// Whether what the receiver does is the doing of what runs on the thread that sends it: recordings tell of such.
    pub(super) fn leads_on(&self) -> bool {
        matches!(self, NodeWork::Call { .. } | NodeWork::ScopeDone { .. })
    }

    /// How many bytes follow the message on the link's lane for blocks; none where it has all that belongs to it.
    pub(super) fn announced(&self) -> Option<u64> {
        match *self {
            NodeWork::Content { size, bytes: None, .. }
            | NodeWork::Call { call: Call::PassValue { size, bytes: None, .. }, .. } => Some(size),
            _ => None,
        }
    }

    pub(super) fn write(&self, out: &mut Writer) {
        match self {
            NodeWork::Call { id, by, call } => {
                out.u32(0);
                out.u64(*id);
                out.u32(by.is_some().into());
                if let Some(Caller { edt, name }) = by.as_deref() {
                    out.u64(edt.bits());
                    out.text(name);
                }
                call.write(out);
            }
            NodeWork::Answer { id, answer } => {
                out.u32(1);
                out.u64(*id);
                out.u32(answer.status);
                answer.guids.iter().for_each(|guid| out.u64(guid.bits()));
                out.u64(answer.held.bits());
                out.u32(answer.of_along.into());
                out.u64(answer.value);
                out.u32(answer.template.is_some().into());
                if let Some(template) = &answer.template {
                    template.write(out);
                }
                out.u32(answer.range.is_some().into());
                if let Some(range) = &answer.range {
                    range.write(out);
                }
                write_guids(out, &answer.parts);
                out.text(&answer.text);
            }
            NodeWork::Want { block, reads } => {
                out.u32(2);
                out.u64(block.bits());
                out.u32((*reads).into());
            }
            NodeWork::Content { block, size, reads, bytes } => {
                out.u32(3);
                out.u64(block.bits());
                out.u32((*reads).into());
                write_content(out, *size, bytes.as_deref());
            }
            NodeWork::NoBlock(block) => {
                out.u32(4);
                out.u64(block.bits());
            }
            NodeWork::Recall(block) => {
                out.u32(5);
                out.u64(block.bits());
            }
            NodeWork::Left(block) => {
                out.u32(11);
                out.u64(block.bits());
            }
            NodeWork::ScopeDone { scope, edts } => {
                out.u32(6);
                out.u64(*scope);
                out.u64(*edts);
            }
            NodeWork::Look(round) => {
                out.u32(7);
                out.u32(*round);
            }
            NodeWork::LetGo(edts) => {
                out.u32(9);
                write_guids(out, edts);
            }
            NodeWork::Gone(edts) => {
                out.u32(10);
                write_guids(out, edts);
            }
            NodeWork::Confirmed(calls) => {
                out.u32(12);
                out.u32(calls.len() as u32);
                calls.iter().for_each(|&call| out.u64(call));
            }
            NodeWork::Ending => out.u32(13),
            NodeWork::Ended => out.u32(14),
            NodeWork::NothingComes => out.u32(15),
            NodeWork::Seen { round, progress } => {
                out.u32(8);
                out.u32(*round);
                out.u32(progress.rests.into());
                out.u64(progress.sent);
                out.u64(progress.handled);
            }
        }
    }

    pub(super) fn read(from: &mut Reader<'_>) -> Option<NodeWork> {
        Some(match from.u32()? {
            0 => {
                let id = from.u64()?;
                let by = match from.u32()? {
                    0 => None,
                    _ => Some(Box::new(Caller { edt: guid(from)?, name: from.text()? })),
                };
                NodeWork::Call { id, by, call: Call::read(from)? }
            }
            1 => {
                let (id, status) = (from.u64()?, from.u32()?);
                let (guids, held) = ([guid(from)?, guid(from)?], guid(from)?);
                let (of_along, value) = (from.u32()? != 0, from.u64()?);
                let template = match from.u32()? {
                    0 => None,
                    _ => Some(Box::new(TemplateText::read(from)?)),
                };
                let range = match from.u32()? {
                    0 => None,
                    _ => Some(Box::new(RangeText::read(from)?)),
                };
                let (parts, text) = (self::guids(from)?, from.text()?);
                let answer = CallAnswer { status, guids, held, of_along, value, template, range, parts, text };
                NodeWork::Answer { id, answer }
            }
            2 => NodeWork::Want { block: guid(from)?, reads: from.u32()? != 0 },
            3 => {
                let (block, reads) = (guid(from)?, from.u32()? != 0);
                let (size, bytes) = read_content(from)?;
                NodeWork::Content { block, size, reads, bytes }
            }
            4 => NodeWork::NoBlock(guid(from)?),
            5 => NodeWork::Recall(guid(from)?),
            6 => NodeWork::ScopeDone { scope: from.u64()?, edts: from.u64()? },
            7 => NodeWork::Look(from.u32()?),
            8 => {
                let round = from.u32()?;
                let progress = NodeProgress { rests: from.u32()? != 0, sent: from.u64()?, handled: from.u64()? };
                NodeWork::Seen { round, progress }
            }
            9 => NodeWork::LetGo(guids(from)?),
            10 => NodeWork::Gone(guids(from)?),
            11 => NodeWork::Left(guid(from)?),
            12 => {
                let count = from.u32()?;
                NodeWork::Confirmed((0..count).map(|_| from.u64()).collect::<Option<_>>()?)
            }
            13 => NodeWork::Ending,
            14 => NodeWork::Ended,
            15 => NodeWork::NothingComes,
            _ => return None,
        })
    }
}

/// The content of a block, or the number of its bytes where these follow on the link's lane for blocks.
fn write_content(out: &mut Writer, size: u64, bytes: Option<&[u8]>) {
    out.u64(size);
    out.u32(bytes.is_some().into());
    if let Some(bytes) = bytes {
        out.bytes(bytes);
    }
}

fn read_content(from: &mut Reader<'_>) -> Option<(u64, Option<Vec<u8>>)> {
    let size = from.u64()?;
    let bytes = match from.u32()? {
        0 => None,
        _ => Some(from.bytes()?.to_vec()).filter(|bytes| bytes.len() as u64 == size).map(Some)?,
    };
    Some((size, bytes))
}

impl RangeText {
    fn write(&self, out: &mut Writer) {
        out.u64(self.first.bits());
        out.u32(self.len);
        out.u32(self.map.is_some().into());
        if let Some((function, params)) = &self.map {
            function.write(out);
            out.u32(params.len() as u32);
            params.iter().for_each(|&param| out.u64(param as u64));
        }
    }

    fn read(from: &mut Reader<'_>) -> Option<RangeText> {
        let (first, len) = (guid(from)?, from.u32()?);
        let map = match from.u32()? {
            0 => None,
            _ => {
                let (function, count) = (FunctionHome::read(from)?, from.u32()?);
                Some((function, (0..count).map(|_| from.u64().map(|param| param as i64)).collect::<Option<_>>()?))
            }
        };
        Some(RangeText { first, len, map })
    }
}

fn write_event(out: &mut Writer, event: &NewEvent) {
    match event {
        NewEvent::Plain { kind, counter } => {
            out.u32(0);
            out.u32(*kind as u32);
            out.u64(*counter as u64);
        }
        NewEvent::Counted { dependences } => {
            out.u32(1);
            out.u64(*dependences);
        }
        NewEvent::Between => out.u32(2),
        NewEvent::Channel { bound } => {
            out.u32(3);
            out.u32(*bound);
        }
        NewEvent::Collective(params) => {
            out.u32(4);
            let CollectiveParams { bound, contributors, contributors_here, elements, arity, operator, reuse } = *params;
            let small = [elements.into(), arity.into(), operator.bits().into(), reuse.into()];
            [bound, contributors, contributors_here].into_iter().chain(small).for_each(|number| out.u32(number));
        }
    }
}

fn read_event(from: &mut Reader<'_>) -> Option<NewEvent> {
    Some(match from.u32()? {
        0 => NewEvent::Plain { kind: EventKind::from_bits(from.u32()?)?, counter: from.u64()? as i64 },
        1 => NewEvent::Counted { dependences: from.u64()? },
        2 => NewEvent::Between,
        3 => NewEvent::Channel { bound: from.u32()? },
        4 => NewEvent::Collective(CollectiveParams {
            bound: from.u32()?,
            contributors: from.u32()?,
            contributors_here: from.u32()?,
            elements: from.u32()?.try_into().ok()?,
            arity: from.u32()?.try_into().ok()?,
            operator: Operator::from_bits(from.u32()?.try_into().ok()?)?,
            reuse: from.u32()? != 0,
        }),
        _ => return None,
    })
}

impl PassedTo {
    fn write(&self, out: &mut Writer) {
        out.u64(self.event.bits());
        write_waiting(out, &self.waiting);
    }

    fn read(from: &mut Reader<'_>) -> Option<PassedTo> {
        let event = guid(from)?;
        Some(PassedTo { waiting: read_waiting(from)?, event })
    }
}

impl From<WaitingSlot> for PassedTo {
    fn from(waiting: WaitingSlot) -> PassedTo {
        PassedTo { waiting: vec![waiting], event: Guid::NULL }
    }
}

impl Call {
    fn write(&self, out: &mut Writer) {
        match self {
            Call::Satisfy { event, increment, data } => {
                out.u32(0);
                out.u64(event.bits());
                out.u32((*increment).into());
                out.u64(data.bits());
            }
            Call::Depend { source, post_slot, destination, slot, mode, hold } => {
                out.u32(1);
                out.u64(source.bits());
                out.u32(*post_slot);
                out.u64(destination.bits());
                out.u32(*slot);
                out.u32(*mode as u32);
                out.u32((*hold).into());
            }
            Call::Hold(edt) => {
                out.u32(9);
                out.u64(edt.bits());
            }
            Call::Destroy(guid) => {
                out.u32(2);
                out.u64(guid.bits());
            }
            Call::DescribeTemplate(guid) => {
                out.u32(3);
                out.u64(guid.bits());
            }
            Call::CreateEdt(edt) => {
                out.u32(4);
                edt.write(out);
            }
            Call::KernelText { kernels, part, is_last } => {
                out.u32(31);
                out.u64(*kernels);
                out.bytes(part);
                out.u32((*is_last).into());
            }
            Call::BuildKernels(text) => {
                out.u32(32);
                text.write(out);
            }
            Call::TemplateChanged(guid) => {
                out.u32(33);
                out.u64(guid.bits());
            }
            Call::AddVariants { template, text } => {
                out.u32(34);
                out.u64(template.bits());
                text.write(out);
            }
            Call::Shutdown => out.u32(5),
            Call::Abort(status) => {
                out.u32(6);
                out.u32(*status as u32);
            }
            Call::Pass { data, to, content } => {
                out.u32(8);
                out.u64(data.bits());
                to.write(out);
                out.u32(content.is_some().into());
                if let Some(content) = content {
                    out.bytes(content);
                }
            }
            Call::Promise(event) => {
                out.u32(24);
                out.u64(event.bits());
            }
            Call::Broken(event) => {
                out.u32(25);
                out.u64(event.bits());
            }
            Call::Return { event, output } => {
                out.u32(7);
                out.u64(event.bits());
                out.u64(output.bits());
            }
            Call::DescribeRange(guid) => {
                out.u32(10);
                out.u64(guid.bits());
            }
            Call::CreateEvent { label, new, alone } => {
                out.u32(11);
                out.u64(label.bits());
                write_event(out, new);
                out.u32((*alone).into());
            }
            Call::CreateBlock { label, size, written_once, lent } => {
                out.u32(12);
                out.u64(label.bits());
                out.u64(*size);
                out.u32((*written_once).into());
                out.u32((*lent).into());
            }
            Call::AwaitFree { label, leaving } => {
                out.u32(13);
                out.u64(label.bits());
                out.u32((*leaving).into());
            }
            Call::Contribute { event, slot, bytes } => {
                out.u32(14);
                out.u64(event.bits());
                out.u32(*slot);
                out.bytes(bytes);
            }
            Call::SizeOf(guid) => {
                out.u32(15);
                out.u64(guid.bits());
            }
            Call::KindOf(guid) => {
                out.u32(16);
                out.u64(guid.bits());
            }
            Call::Report => out.u32(17),
            Call::Traffic => out.u32(30),
            Call::FindFunction(at) => {
                out.u32(18);
                out.u64(*at);
            }
            Call::AwaitMade(label) => {
                out.u32(19);
                out.u64(label.bits());
            }
            Call::EventState(event) => {
                out.u32(20);
                out.u64(event.bits());
            }
            Call::PassValue { to, size, bytes } => {
                out.u32(21);
                to.write(out);
                write_content(out, *size, bytes.as_deref());
            }
            Call::Copy(copy) => {
                out.u32(23);
                [copy.destination, copy.source, copy.completion].iter().for_each(|guid| out.u64(guid.bits()));
                [copy.destination_offset, copy.source_offset, copy.size, copy.scope].iter().for_each(|&at| out.u64(at));
                out.u32(copy.destroys_source.into());
            }
            Call::Divide { whole, spans, fixed } => {
                out.u32(22);
                out.u64(whole.bits());
                out.u32((*fixed).into());
                out.u32(spans.len() as u32);
                spans.iter().for_each(|&(offset, size)| {
                    out.u64(offset);
                    out.u64(size);
                });
            }
        }
    }

    fn read(from: &mut Reader<'_>) -> Option<Call> {
        Some(match from.u32()? {
            0 => Call::Satisfy { event: guid(from)?, increment: from.u32()? != 0, data: guid(from)? },
            1 => Call::Depend {
                source: guid(from)?,
                post_slot: from.u32()?,
                destination: guid(from)?,
                slot: from.u32()?,
                mode: Mode::from_bits(from.u32()?)?,
                hold: from.u32()? != 0,
            },
            2 => Call::Destroy(guid(from)?),
            3 => Call::DescribeTemplate(guid(from)?),
            4 => Call::CreateEdt(Box::new(NewEdt::read(from)?)),
            31 => Call::KernelText { kernels: from.u64()?, part: from.bytes()?.to_vec(), is_last: from.u32()? != 0 },
            32 => Call::BuildKernels(TemplateText::read(from)?),
            33 => Call::TemplateChanged(guid(from)?),
            34 => Call::AddVariants { template: guid(from)?, text: TemplateText::read(from)? },
            5 => Call::Shutdown,
            6 => Call::Abort(from.u32()? as i32),
            7 => Call::Return { event: guid(from)?, output: guid(from)? },
            8 => {
                let (data, to) = (guid(from)?, PassedTo::read(from)?);
                let content = if from.u32()? != 0 { Some(from.bytes()?.to_vec()) } else { None };
                Call::Pass { data, to, content }
            }
            24 => Call::Promise(guid(from)?),
            25 => Call::Broken(guid(from)?),
            9 => Call::Hold(guid(from)?),
            10 => Call::DescribeRange(guid(from)?),
            11 => Call::CreateEvent { label: guid(from)?, new: read_event(from)?, alone: from.u32()? != 0 },
            12 => Call::CreateBlock {
                label: guid(from)?,
                size: from.u64()?,
                written_once: from.u32()? != 0,
                lent: from.u32()? != 0,
            },
            13 => Call::AwaitFree { label: guid(from)?, leaving: from.u32()? != 0 },
            14 => Call::Contribute { event: guid(from)?, slot: from.u32()?, bytes: from.bytes()?.to_vec() },
            15 => Call::SizeOf(guid(from)?),
            16 => Call::KindOf(guid(from)?),
            17 => Call::Report,
            30 => Call::Traffic,
            18 => Call::FindFunction(from.u64()?),
            19 => Call::AwaitMade(guid(from)?),
            20 => Call::EventState(guid(from)?),
            21 => {
                let (to, (size, bytes)) = (PassedTo::read(from)?, read_content(from)?);
                Call::PassValue { to, size, bytes }
            }
            23 => {
                let (destination, source, completion) = (guid(from)?, guid(from)?, guid(from)?);
                let (destination_offset, source_offset) = (from.u64()?, from.u64()?);
                let (size, scope, destroys_source) = (from.u64()?, from.u64()?, from.u32()? != 0);
                Call::Copy(NewCopy {
                    destination,
                    destination_offset,
                    source,
                    source_offset,
                    size,
                    destroys_source,
                    completion,
                    scope,
                })
            }
            22 => {
                let (whole, fixed, count) = (guid(from)?, from.u32()? != 0, from.u32()?);
                let spans = (0..count).map(|_| Some((from.u64()?, from.u64()?))).collect::<Option<_>>()?;
                Call::Divide { whole, spans, fixed }
            }
            _ => return None,
        })
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::engine::nodes::new_edt::Along;
    use crate::object::edt::ExplicitRange;

    /// A message of each kind.
    pub(in crate::engine::nodes) fn all() -> Vec<NodeWork> {
        let guid = |bits| Guid::from_bits(bits);
        let template = TemplateText {
            function: Some(FunctionHome { build: "ab12".into(), distance: 0x1130 }),
            name: "step".into(),
            paramc: 2,
            depc: 3,
            kernels: 0x7f02,
        };
        let range =
            ExplicitRange { work_dim: 2, offset: [1, 2, 0], global: [3, 4, 0], local: [0; 3], device: u64::MAX };
        let edt = NewEdt {
            guid: guid(15),
            alone: true,
            template: template.clone(),
            params: vec![7, u64::MAX],
            depc: 3,
            range: Some(range),
            sources: vec![guid(5), Guid::UNINITIALIZED, Guid::NULL],
            finish: true,
            output: false,
            asked: true,
            scope: 0x7f00,
            along: Along {
                given: vec![(guid(102), 1, Mode::Ro), (Guid::NULL, 2, Mode::Null)],
                hold: true,
                contents: vec![(guid(102), vec![4, 5, 6]), (guid(103), Vec::new())],
            },
        };
        let copy = NewCopy {
            destination: guid(96),
            destination_offset: 1,
            source: guid(97),
            source_offset: 2,
            size: 1 << 40,
            destroys_source: true,
            completion: guid(98),
            scope: 0x7f01,
        };
        let passed = (guid(14), 3, Mode::Const);
        let calls = [
            Call::Satisfy { event: guid(1 << 60 | 5), increment: true, data: Guid::NULL },
            Call::Depend { source: guid(9), post_slot: 1, destination: guid(10), slot: 2, mode: Mode::Ew, hold: true },
            Call::Hold(guid(16)),
            Call::Return { event: guid(11), output: guid(12) },
            Call::Pass { data: guid(13), to: PassedTo { waiting: Vec::new(), event: guid(99) }, content: None },
            Call::Pass {
                data: guid(13),
                to: PassedTo { waiting: vec![passed, passed], event: Guid::NULL },
                content: Some(vec![1, 2]),
            },
            Call::PassValue { to: passed.into(), size: 2, bytes: Some(vec![8, 9]) },
            Call::PassValue { to: passed.into(), size: 1 << 33, bytes: None },
            Call::Promise(guid(100)),
            Call::Broken(guid(101)),
            Call::Copy(copy),
            Call::Divide { whole: guid(93), spans: vec![(0, 5), (1 << 40, u64::MAX)], fixed: true },
            Call::Destroy(guid(77)),
            Call::DescribeTemplate(guid(78)),
            Call::KernelText { kernels: 0x7f03, part: vec![3, 4], is_last: true },
            Call::BuildKernels(TemplateText { function: None, ..template.clone() }),
            Call::TemplateChanged(guid(79)),
            Call::AddVariants { template: guid(80), text: template.clone() },
            Call::CreateEdt(Box::new(edt)),
            Call::Shutdown,
            Call::Abort(-3),
            Call::DescribeRange(guid(80)),
            Call::CreateBlock { label: guid(81), size: 1 << 40, written_once: true, lent: false },
            Call::AwaitFree { label: guid(82), leaving: true },
            Call::Contribute { event: guid(83), slot: 4, bytes: vec![5, 6, 7] },
            Call::SizeOf(guid(84)),
            Call::KindOf(guid(85)),
            Call::Report,
            Call::Traffic,
            Call::FindFunction(1 << 46),
            Call::AwaitMade(guid(89)),
            Call::EventState(guid(90)),
        ];
        let params = CollectiveParams {
            bound: 1,
            contributors: 3,
            contributors_here: 2,
            elements: u16::MAX,
            arity: u8::MAX,
            operator: Operator::from_bits(7 << 2).expect("there is such an operator"),
            reuse: true,
        };
        let events = [
            NewEvent::Plain { kind: EventKind::Latch, counter: -5 },
            NewEvent::Counted { dependences: 1 << 33 },
            NewEvent::Between,
            NewEvent::Channel { bound: 9 },
            NewEvent::Collective(params),
        ];
        let on_labels = events.map(|new| Call::CreateEvent { label: guid(86), new, alone: true });
        let ranges = [None, Some((FunctionHome { build: "cd34".into(), distance: 16 }, vec![-1, i64::MAX]))];
        let range = |map| NodeWork::Answer {
            id: 5,
            answer: CallAnswer {
                value: 77,
                text: "an EDT waits".into(),
                parts: vec![guid(94), guid(95)],
                range: Some(Box::new(RangeText { first: guid(87), len: u32::MAX, map })),
                ..CallAnswer::default()
            },
        };
        let guids = [guid(3), guid(4)];
        let answer = CallAnswer { status: 22, guids, held: guid(6), of_along: true, ..CallAnswer::default() };
        let described = CallAnswer { template: Some(Box::new(template)), ..CallAnswer::default() };
        let others = [
            NodeWork::Answer { id: 3, answer },
            NodeWork::Answer { id: 4, answer: described },
            NodeWork::Want { block: guid(8), reads: true },
            NodeWork::Content { block: guid(8), size: 3, reads: false, bytes: Some(vec![1, 2, 3]) },
            NodeWork::Content { block: guid(8), size: 1 << 40, reads: true, bytes: None },
            NodeWork::Left(guid(8)),
            NodeWork::NoBlock(guid(8)),
            NodeWork::Recall(guid(8)),
            NodeWork::ScopeDone { scope: 0x7fff_0000, edts: 3 },
            NodeWork::LetGo(vec![guid(17), guid(18)]),
            NodeWork::Gone(Vec::new()),
            NodeWork::Confirmed(vec![91, u64::MAX]),
            NodeWork::Ending,
            NodeWork::Ended,
            NodeWork::NothingComes,
            NodeWork::Look(9),
            NodeWork::Seen { round: 9, progress: NodeProgress { rests: true, sent: 5, handled: 4 } },
        ];
        let calls = calls.into_iter().chain(on_labels).map(|call| NodeWork::Call { id: 12, by: None, call });
        let by = Some(Box::new(Caller { edt: guid(3), name: "tile".to_string() }));
        let of_caller = NodeWork::Call { id: 13, by, call: Call::Destroy(guid(1)) };
        calls.chain(others).chain(ranges.map(range)).chain([of_caller]).collect()
    }

    #[test]
    fn a_content_of_another_size_than_its_block_is_no_message() {
        let mut out = Writer::default();
        NodeWork::Content { block: Guid::from_bits(8), size: 2, reads: false, bytes: Some(vec![1, 2, 3]) }
            .write(&mut out);
        assert_eq!(NodeWork::read(&mut Reader(&out.0)), None);
    }
}
