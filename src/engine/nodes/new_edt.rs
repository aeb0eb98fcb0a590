//! EDTs that one node has another one create, as messages say it.

use crate::engine::nodes::wire::{self, Reader, Writer, guid, guids, read_waiting, write_guids, write_waiting};
use crate::link::LONGEST_MESSAGE;
use crate::object::edt::{ExplicitRange, Mode};
use crate::object::guid::Guid;

/// What is kept free in a message for all that it has beside parameters, pre-slots and contents, in bytes.
pub(crate) const FOR_THE_REST: usize = 8192;

/// A function of the program: its file by what tells builds apart, and its distance from where that is loaded.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct FunctionHome {
    pub(crate) build: String,
    pub(crate) distance: u64,
}

/// A template, as another node makes it anew.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct TemplateText {
    /// None for one of kernels alone.
    pub(crate) function: Option<FunctionHome>,
    pub(crate) name: String,
    pub(crate) paramc: u32,
    pub(crate) depc: u32,
    /// What the sender calls its kernels, whose text goes apart ([`super::kernels`]); 0 for none.
    pub(crate) kernels: u64,
}

/// An EDT that another node is to create.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct NewEdt {
    /// The GUID that its creator has given it, or its label; `NULL_GUID` where the receiver gives it one.
    pub(crate) guid: Guid,
    /// Whether the creator says that no other creates on its label.
    pub(crate) alone: bool,
    pub(crate) template: TemplateText,
    pub(crate) params: Vec<u64>,
    pub(crate) depc: u32,
    /// Its index space, if it has one of its own. It names no device.
    pub(crate) range: Option<ExplicitRange>,
    /// What its pre-slots are connected to, where the receiver can do that: blocks, and events of its own. The caller
    /// connects the others. Empty for none.
    pub(crate) sources: Vec<Guid>,
    pub(crate) finish: bool,
    /// Whether the caller wants an output event.
    pub(crate) output: bool,
    /// Whether the answer is to have the GUIDs.
    pub(crate) asked: bool,
    /// The finish scope of the creator, as its node knows it; 0 for none.
    pub(crate) scope: u64,
    pub(crate) along: Along,
}

/// A block, `NULL_GUID` or an event of the EDT's node, the pre-slot of a new EDT that it is connected to, and the mode.
pub(crate) type GivenSource = (Guid, u32, Mode);

/// What goes with the creation of an EDT.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Along {
    /// What its creator has connected to pre-slots that were open when it was created.
    pub(crate) given: Vec<GivenSource>,
    /// Whether the EDT is to be held back before that is done.
    pub(crate) hold: bool,
    /// The contents of blocks of the creator's node that it reads.
    pub(crate) contents: Vec<(Guid, Vec<u8>)>,
}

/// What a content takes in a message beside its bytes: the GUID of the block, and its size.
const OF_CONTENT: usize = 12;

/// An EDT with more pre-slots gets its dependences by messages of their own: each looks through those before it.
const MOST_SLOTS: u32 = 64;

impl NewEdt {
    /// Whether it is for the creator to say what a pre-slot is connected to.
    fn is_open(&self, slot: u32) -> bool {
        let source = self.sources.get(slot as usize).copied().unwrap_or(Guid::UNINITIALIZED);
        slot < self.depc && source == Guid::UNINITIALIZED && !self.along.given.iter().any(|&(_, at, _)| at == slot)
    }

    /// Whether any pre-slot is open.
    pub(crate) fn has_open_slot(&self) -> bool {
        (0..self.depc).any(|slot| self.is_open(slot))
    }

    /// Has a pre-slot connected with the creation, if it is open. Whether that is so.
    pub(crate) fn connect(&mut self, (source, slot, mode): GivenSource, hold: bool) -> bool {
        let goes = self.depc <= MOST_SLOTS && self.is_open(slot);
        if goes {
            self.along.given.push((source, slot, mode));
            self.along.hold |= hold;
        }
        goes
    }

    /// The blocks whose content it gets and does not write, if it starts when it is created.
    pub(crate) fn reads_at_once(&self) -> Vec<Guid> {
        let given = &self.along.given;
        let waits = self.sources.iter().chain(given.iter().map(|(source, ..)| source)).any(|source| source.is_event());
        if waits || self.has_open_slot() {
            return Vec::new();
        }
        // A block that another pre-slot gets to write is asked for at once.
        let writes = |block: Guid| {
            self.sources.contains(&block) || given.iter().any(|&(source, _, mode)| source == block && !only_reads(mode))
        };
        let is_read =
            |&&(source, _, mode): &&GivenSource| source.is_data_block() && only_reads(mode) && !writes(source);
        given.iter().filter(is_read).map(|&(block, ..)| block).collect()
    }

    /// The bytes of one more content for which a message has room.
    pub(crate) fn room(&self) -> usize {
        let contents: usize = self.along.contents.iter().map(|(_, bytes)| OF_CONTENT + bytes.len()).sum();
        let words = 8 * (self.params.len() + self.sources.len());
        (LONGEST_MESSAGE - FOR_THE_REST).saturating_sub(words + contents + OF_CONTENT)
    }

    pub(super) fn write(&self, out: &mut Writer) {
        out.u64(self.guid.bits());
        out.u32(self.alone.into());
        self.template.write(out);
        out.u32(self.params.len() as u32);
        self.params.iter().for_each(|&param| out.u64(param));
        out.u32(self.depc);
        write_range(out, self.range.as_ref());
        write_guids(out, &self.sources);
        out.u32(self.finish.into());
        out.u32(self.output.into());
        out.u32(self.asked.into());
        out.u64(self.scope);
        write_waiting(out, &self.along.given);
        out.u32(self.along.hold.into());
        out.u32(self.along.contents.len() as u32);
        for (block, bytes) in &self.along.contents {
            out.u64(block.bits());
            out.bytes(bytes);
        }
    }

    pub(super) fn read(from: &mut Reader<'_>) -> Option<NewEdt> {
        let (guid, alone, template) = (guid(from)?, from.u32()? != 0, TemplateText::read(from)?);
        let count = from.u32()?;
        let params = (0..count).map(|_| from.u64()).collect::<Option<_>>()?;
        let (depc, range, sources) = (from.u32()?, read_range(from)?, guids(from)?);
        let (finish, output, asked, scope) = (from.u32()? != 0, from.u32()? != 0, from.u32()? != 0, from.u64()?);
        let (given, hold, count) = (read_waiting(from)?, from.u32()? != 0, from.u32()?);
        let mut content = || Some((wire::guid(from)?, from.bytes()?.to_vec()));
        let contents = (0..count).map(|_| content()).collect::<Option<_>>()?;
        Some(NewEdt {
            guid,
            alone,
            template,
            params,
            depc,
            range,
            sources,
            finish,
            output,
            asked,
            scope,
            along: Along { given, hold, contents },
        })
    }
}

/// Whether an EDT gets a content in this mode, and does not write it.
pub(crate) fn only_reads(mode: Mode) -> bool {
    matches!(mode, Mode::Ro | Mode::Const)
}

impl FunctionHome {
    pub(super) fn write(&self, out: &mut Writer) {
        out.text(&self.build);
        out.u64(self.distance);
    }

    pub(super) fn read(from: &mut Reader<'_>) -> Option<FunctionHome> {
        Some(FunctionHome { build: from.text()?, distance: from.u64()? })
    }
}

/// Writes how a function is found, if there is one.
pub(super) fn write_home(out: &mut Writer, home: Option<&FunctionHome>) {
    out.u32(home.is_some().into());
    if let Some(home) = home {
        home.write(out);
    }
}

pub(super) fn read_home(from: &mut Reader<'_>) -> Option<Option<FunctionHome>> {
    Some(if from.u32()? == 0 { None } else { Some(FunctionHome::read(from)?) })
}

fn write_range(out: &mut Writer, range: Option<&ExplicitRange>) {
    let Some(range) = range else { return out.u64(0) };
    out.u64(range.work_dim);
    [range.offset, range.global, range.local].as_flattened().iter().for_each(|&size| out.u64(size));
}

fn read_range(from: &mut Reader<'_>) -> Option<Option<ExplicitRange>> {
    let work_dim = from.u64()?;
    if work_dim == 0 {
        return Some(None);
    }
    let mut sizes = || Some([from.u64()?, from.u64()?, from.u64()?]);
    let (offset, global, local) = (sizes()?, sizes()?, sizes()?);
    Some(Some(ExplicitRange { work_dim, offset, global, local, device: u64::MAX }))
}

impl TemplateText {
    pub(super) fn write(&self, out: &mut Writer) {
        write_home(out, self.function.as_ref());
        out.text(&self.name);
        out.u32(self.paramc);
        out.u32(self.depc);
        out.u64(self.kernels);
    }

    pub(super) fn read(from: &mut Reader<'_>) -> Option<TemplateText> {
        Some(TemplateText {
            function: read_home(from)?,
            name: from.text()?,
            paramc: from.u32()?,
            depc: from.u32()?,
            kernels: from.u64()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::Objects;
    use crate::object::arena::Cache;
    use crate::object::guid::Kind;

    fn block(objects: &Objects) -> Guid {
        objects.data_blocks.allocate(&mut Cache::default(), 8, false).expect("memory").guid()
    }

    fn new_edt(depc: u32, sources: Vec<Guid>) -> NewEdt {
        let function = FunctionHome { build: String::new(), distance: 0 };
        let template = TemplateText { function: Some(function), name: String::new(), paramc: 0, depc, kernels: 0 };
        NewEdt {
            guid: Guid::NULL,
            alone: false,
            template,
            params: vec![0; 100],
            depc,
            range: None,
            sources,
            finish: false,
            output: false,
            asked: false,
            scope: 0,
            along: Along::default(),
        }
    }

    #[test]
    fn open_pre_slots_are_connected_once() {
        let objects = Objects::default();
        let (read, written) = (block(&objects), block(&objects));
        let mut edt = new_edt(3, vec![Guid::UNINITIALIZED, Guid::NULL, Guid::UNINITIALIZED]);
        assert!(edt.has_open_slot());
        assert!(!edt.connect((read, 1, Mode::Ro), true) && !edt.along.hold);
        assert!(edt.connect((read, 2, Mode::Ro), false));
        assert!(!edt.connect((read, 2, Mode::Ro), false) && !edt.connect((read, 3, Mode::Ro), false));
        assert!(edt.reads_at_once().is_empty(), "it has an open pre-slot");
        assert!(edt.connect((written, 0, Mode::Ew), true) && edt.along.hold);
        assert!(!edt.has_open_slot());
        assert_eq!(edt.reads_at_once(), [read]);
        let mut edt = new_edt(1, Vec::new());
        assert!(edt.connect((written, 0, Mode::Const), false));
        assert_eq!(edt.reads_at_once(), [written]);
        assert!(!new_edt(MOST_SLOTS + 1, Vec::new()).connect((read, 0, Mode::Ro), false));
        let event = Guid::new(Kind::Event, 0, 7);
        let mut edt = new_edt(2, Vec::new());
        assert!(edt.connect((read, 0, Mode::Ro), false) && edt.connect((event, 1, Mode::Null), false));
        assert!(!edt.has_open_slot() && edt.reads_at_once().is_empty(), "it waits for an event");
    }

    #[test]
    fn what_there_is_room_for_fits_a_message() {
        let mut edt = new_edt(1, Vec::new());
        while edt.room() > 0 {
            let content = vec![1; edt.room().min(16 << 10)];
            edt.along.contents.push((Guid::NULL, content));
        }
        assert!(edt.along.contents.len() > 3);
        let mut out = Writer::default();
        edt.write(&mut out);
        assert!(out.0.len() <= LONGEST_MESSAGE);
    }
}
