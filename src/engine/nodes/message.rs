//! The messages between nodes, as bytes: a word that says which it is, and its fields.

use crate::engine::nodes::hello::Hello;
use crate::engine::nodes::wire::{Process, Reader, Welcome, Writer};
use crate::engine::nodes::work::NodeWork;
use crate::link::LONGEST_MESSAGE;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum NodeMessage {
    /// To node 0: what a node is.
    Hello(Box<Hello>),
    /// From node 0: the program may begin.
    Welcome(Welcome),
    /// The receiver is to end with this status. `orderly`: it answers, and ends MPI.
    Stop { status: i32, orderly: bool },
    /// To node 0: the sender ends.
    Stopped,
    /// From node 0: all nodes have answered, and nothing is sent any more.
    End,
    /// To node 0: another node is gone.
    Lost(u32),
    /// To node 0: the sender crashes, and has said so. All are to end with this status.
    Crashed(i32),
    /// To node 0: the sender ends by itself, as by `exit`. All are to end with this status, and MPI before them.
    Exits(i32),
    /// About the program's objects, in the order in which they are to be handled.
    Work(Vec<NodeWork>),
}

/// The word of a message about the program's objects.
const WORK: u32 = 6;

/// The messages that bring a node what is for it: in its order, and together as far as that fits in one.
pub(super) fn batches(all: &[NodeWork]) -> Vec<Vec<u8>> {
    let begun = || {
        let mut out = Writer::default();
        out.u32(WORK);
        out
    };
    let mut full = Vec::new();
    let mut batch = begun();
    for work in all {
        let mut one = Writer::default();
        work.write(&mut one);
        if batch.0.len() + one.0.len() > LONGEST_MESSAGE {
            full.push(std::mem::replace(&mut batch, begun()).0);
        }
        batch.0.extend(one.0);
    }
    full.push(batch.0);
    full
}

impl NodeMessage {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut out = Writer::default();
        match self {
            NodeMessage::Hello(hello) => {
                out.u32(1);
                hello.write(&mut out);
            }
            NodeMessage::Welcome(Welcome { share, mates, launch }) => {
                out.u32(2);
                out.u64(*launch);
                out.u32(share.0);
                out.u32(share.1);
                out.u32(mates.len() as u32);
                for mate in mates {
                    mate.write(&mut out);
                }
            }
            NodeMessage::Stop { status, orderly } => {
                out.u32(3);
                out.u32(*status as u32);
                out.u32(u32::from(*orderly));
            }
            NodeMessage::Stopped => out.u32(4),
            NodeMessage::End => out.u32(7),
            NodeMessage::Lost(node) => {
                out.u32(5);
                out.u32(*node);
            }
            NodeMessage::Crashed(status) => {
                out.u32(8);
                out.u32(*status as u32);
            }
            NodeMessage::Exits(status) => {
                out.u32(9);
                out.u32(*status as u32);
            }
            NodeMessage::Work(all) => {
                out.u32(WORK);
                all.iter().for_each(|work| work.write(&mut out));
            }
        }
        out.0
    }

    /// The message that these bytes are; none where they are no whole one.
    pub(super) fn decode(bytes: &[u8]) -> Option<NodeMessage> {
        let mut from = Reader(bytes);
        let message = match from.u32()? {
            1 => NodeMessage::Hello(Box::new(Hello::read(&mut from)?)),
            2 => {
                let launch = from.u64()?;
                let share = (from.u32()?, from.u32()?);
                let count = from.u32()?;
                let mates = (0..count).map(|_| Process::read(&mut from)).collect::<Option<_>>()?;
                NodeMessage::Welcome(Welcome { share, mates, launch })
            }
            3 => NodeMessage::Stop { status: from.u32()? as i32, orderly: from.u32()? != 0 },
            4 => NodeMessage::Stopped,
            7 => NodeMessage::End,
            5 => NodeMessage::Lost(from.u32()?),
            8 => NodeMessage::Crashed(from.u32()? as i32),
            9 => NodeMessage::Exits(from.u32()? as i32),
            WORK => {
                let mut all = vec![NodeWork::read(&mut from)?];
                while !from.0.is_empty() {
                    all.push(NodeWork::read(&mut from)?);
                }
                NodeMessage::Work(all)
            }
            _ => return None,
        };
        from.0.is_empty().then_some(message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::nodes::hello::tests::hello;
    use crate::link::bell::BellPlace;
    use crate::object::guid::Guid;

    #[test]
    fn what_is_sent_is_read() {
        let mates = vec![
            Process { node: 3, pid: 77, start: 1 << 40, bell: BellPlace { descriptor: 5, inode: 1 << 33 } },
            Process { node: 4095, pid: 1, start: 0, bell: BellPlace::default() },
        ];
        let all = [
            NodeMessage::Hello(Box::new(hello())),
            NodeMessage::Welcome(Welcome { share: (2, 5), mates, launch: 1 << 63 }),
            NodeMessage::Welcome(Welcome { share: (0, 1), mates: Vec::new(), launch: 0 }),
            NodeMessage::Stop { status: -7, orderly: true },
            NodeMessage::Stop { status: 0, orderly: false },
            NodeMessage::Stopped,
            NodeMessage::Crashed(139),
            NodeMessage::Exits(-3),
            NodeMessage::End,
            NodeMessage::Lost(9),
        ];
        let work = crate::engine::nodes::work::tests::all().into_iter().map(|work| NodeMessage::Work(vec![work]));
        for message in all.into_iter().chain(work) {
            let bytes = message.encode();
            assert_eq!(NodeMessage::decode(&bytes), Some(message.clone()));
            for end in 0..bytes.len() {
                assert_eq!(NodeMessage::decode(&bytes[..end]), None, "{end} bytes of {message:?}");
            }
            assert_eq!(NodeMessage::decode(&[&bytes[..], &[0]].concat()), None, "a byte more than {message:?}");
        }
        assert_eq!(NodeMessage::decode(&[99, 0, 0, 0]), None);
    }

    #[test]
    fn messages_for_a_node_go_together_as_far_as_they_fit() {
        let all = crate::engine::nodes::work::tests::all();
        let large = |number| NodeWork::Content {
            block: Guid::from_bits(number),
            size: LONGEST_MESSAGE as u64 / 2,
            reads: false,
            bytes: Some(vec![number as u8; LONGEST_MESSAGE / 2]),
        };
        let sent: Vec<NodeWork> = all.iter().cloned().chain((1..4).map(large)).chain(all.clone()).collect();
        let mut arrived = Vec::new();
        let batches = batches(&sent);
        for bytes in &batches {
            assert!(bytes.len() <= LONGEST_MESSAGE);
            let Some(NodeMessage::Work(works)) = NodeMessage::decode(bytes) else { panic!("it is about work") };
            arrived.extend(works);
        }
        assert_eq!(arrived, sent);
        // Two of the large ones do not fit one message.
        assert_eq!(batches.len(), 3);
    }

    /// A machine may have all nodes.
    #[test]
    fn the_longest_welcome_is_one_message() {
        let mate = |node| Process { node, pid: node, start: 0, bell: BellPlace::default() };
        let mates = (0..crate::engine::nodes::hello::MOST_MATES).map(mate).collect();
        let bytes = NodeMessage::Welcome(Welcome { share: (0, 1), mates, launch: 7 }).encode();
        assert!(bytes.len() <= crate::link::LONGEST_MESSAGE, "{}", bytes.len());
    }
}
