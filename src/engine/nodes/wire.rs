//! How the fields of messages are bytes, and what more than one kind of message has. Numbers are little-endian, and
//! texts have their length before them.

use crate::link::bell::BellPlace;
use crate::object::edt::Mode;
use crate::object::guid::Guid;

/// Writes fields.
#[derive(Default)]
pub(super) struct Writer(pub(super) Vec<u8>);

impl Writer {
    pub(super) fn u32(&mut self, number: u32) {
        self.0.extend(number.to_le_bytes());
    }

    pub(super) fn u64(&mut self, number: u64) {
        self.0.extend(number.to_le_bytes());
    }

    pub(super) fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.u32(bytes.len() as u32);
        self.0.extend(bytes);
    }
}

/// Reads fields, each of which may be missing.
pub(super) struct Reader<'a>(pub(super) &'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, bytes: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(bytes)?;
        self.0 = rest;
        Some(taken)
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }

    pub(super) fn u64(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }

    pub(super) fn text(&mut self) -> Option<String> {
        String::from_utf8(self.bytes()?.to_vec()).ok()
    }

    pub(super) fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = self.u32()? as usize;
        self.take(length)
    }
}

pub(super) fn guid(from: &mut Reader<'_>) -> Option<Guid> {
    from.u64().map(Guid::from_bits)
}

pub(super) fn write_guids(out: &mut Writer, guids: &[Guid]) {
    out.u32(guids.len() as u32);
    guids.iter().for_each(|guid| out.u64(guid.bits()));
}

pub(super) fn guids(from: &mut Reader<'_>) -> Option<Vec<Guid>> {
    let count = from.u32()?;
    (0..count).map(|_| guid(from)).collect()
}

/// Writes objects, each with a pre-slot and a mode.
pub(super) fn write_waiting(out: &mut Writer, waiting: &[(Guid, u32, Mode)]) {
    out.u32(waiting.len() as u32);
    for (object, slot, mode) in waiting {
        out.u64(object.bits());
        out.u32(*slot);
        out.u32(*mode as u32);
    }
}

pub(super) fn read_waiting(from: &mut Reader<'_>) -> Option<Vec<(Guid, u32, Mode)>> {
    let count = from.u32()?;
    let mut one = || Some((guid(from)?, from.u32()?, Mode::from_bits(from.u32()?)?));
    (0..count).map(|_| one()).collect()
}

/// Another node of the same machine, by its process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Process {
    pub(super) node: u32,
    pub(super) pid: u32,
    /// When it was started, in the system's ticks since that began: another process may get the number later.
    pub(super) start: u64,
    /// Where its bell is.
    pub(super) bell: BellPlace,
}

impl Process {
    pub(super) fn write(&self, out: &mut Writer) {
        out.u32(self.node);
        out.u32(self.pid);
        out.u64(self.start);
        self.bell.write(out);
    }

    pub(super) fn read(from: &mut Reader<'_>) -> Option<Process> {
        Some(Process { node: from.u32()?, pid: from.u32()?, start: from.u64()?, bell: BellPlace::read(from)? })
    }
}

impl BellPlace {
    pub(super) fn write(&self, out: &mut Writer) {
        out.u32(self.descriptor);
        out.u64(self.inode);
    }

    pub(super) fn read(from: &mut Reader<'_>) -> Option<BellPlace> {
        Some(BellPlace { descriptor: from.u32()?, inode: from.u64()? })
    }
}

/// What node 0 tells each node when all fit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Welcome {
    /// Which of the nodes that share cores it is, and how many they are.
    pub(super) share: (u32, u32),
    /// The other nodes that it can watch, by number.
    pub(super) mates: Vec<Process>,
    /// A number that the nodes of this program share, and no others.
    pub(super) launch: u64,
}
