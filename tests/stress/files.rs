//! Files of a random graph (`ocrFileOpen`). Some blocks are chunks of files: those that are there from the
//! start, which an EDT with the descriptor makes, and those that tasks make. What is in the file, with
//! zeros behind it, is their first content. A task that destroys a chunk, or comes after that, may make
//! another one of the same bytes, which contains what that left. In the end, and also where chunks are
//! left to the end of the program, the bytes of the file are those of the chunks that were made last.

use crate::api::{self, Dep, EBUSY, Guid, NULL, NewEdt, OPEN, check_one_of};
use crate::graph::*;
use crate::oracle::{Moment, Order, mix, word_set};
use crate::run::{Place, Running, fail, running};
use serde::{Deserialize, Serialize};
use std::ffi::CString;
use std::ops::Range;
use std::path::PathBuf;

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct FileSpec {
    pub(crate) mode: FileMode,
    /// Bytes that are there from the start, unless it is new.
    pub(crate) length: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum FileMode {
    /// Chunks are not written back.
    Read,
    Update,
    New,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct ChunkSpec {
    pub(crate) file: usize,
    /// Bytes between it and the one before.
    pub(crate) gap: u32,
    /// Which of the chunks that were written before it takes the place of.
    pub(crate) again: Option<usize>,
    /// That chunk; follows from the rest.
    pub(crate) base: Option<Block>,
}

impl FileSpec {
    fn is_writable(&self) -> bool {
        self.mode != FileMode::Read
    }

    /// What is in it at the start.
    fn first(&self, file: usize) -> Vec<u8> {
        let length = match self.mode {
            FileMode::New => 0,
            _ => self.length as usize,
        };
        let words = (0..length.div_ceil(4)).map(|at| word_set(mix(0xF11E, file as u32), at));
        let mut bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
        bytes.truncate(length);
        bytes
    }
}

impl Graph {
    pub(crate) fn is_chunk(&self, block: Block) -> bool {
        self.blocks[block].chunk.is_some()
    }

    /// The chunks of a file, those that take the place of others after these.
    fn chunks(&self, file: usize) -> Vec<(Block, &ChunkSpec)> {
        let blocks = self.blocks.iter().enumerate();
        let chunks = blocks.filter_map(|(block, spec)| Some((block, spec.chunk.as_ref()?)));
        let mut chunks: Vec<_> = chunks.filter(|(_, spec)| spec.file == file).collect();
        let base = |block: &Block| self.blocks[*block].chunk.as_ref()?.base;
        chunks.sort_by_key(|&(block, _)| std::iter::successors(Some(block), base).count());
        chunks
    }

    /// Which bytes of its file a block is.
    fn bytes_of(&self, block: Block) -> Option<Range<usize>> {
        let chunk = self.blocks[block].chunk.as_ref()?;
        let size = 4 * self.size(block) as usize;
        if let Some(base) = chunk.base {
            let start = self.bytes_of(base)?.start;
            return Some(start..start + size);
        }
        let chunks = self.chunks(chunk.file).into_iter();
        let before = chunks.filter(|&(other, spec)| other < block && spec.base.is_none());
        let ends = before.map(|(other, spec)| (spec.gap + 4 * self.size(other)) as usize);
        let start = chunk.gap as usize + ends.sum::<usize>();
        Some(start..start + size)
    }

    /// What a chunk contains when it is made, by what other blocks contain then.
    pub(crate) fn first_content(&self, block: Block, blocks: &[Vec<u32>]) -> Option<Vec<u32>> {
        let chunk = self.blocks[block].chunk.as_ref()?;
        let place = self.bytes_of(block)?;
        if let Some(base) = chunk.base {
            return Some(blocks[base][..place.len() / 4].to_vec());
        }
        let mut bytes = self.files[chunk.file].first(chunk.file);
        bytes.resize(bytes.len().max(place.end), 0);
        let words = bytes[place].as_chunks::<4>().0;
        Some(words.iter().copied().map(u32::from_le_bytes).collect())
    }

    /// What a file must contain in the end, by what blocks have contained.
    fn last_content(&self, file: usize, blocks: &[Vec<u32>]) -> Vec<u8> {
        let spec = &self.files[file];
        let mut content = spec.first(file);
        for (block, _) in self.chunks(file) {
            let Some(place) = self.bytes_of(block).filter(|_| spec.is_writable()) else {
                continue;
            };
            let bytes: Vec<u8> = blocks[block].iter().flat_map(|word| word.to_le_bytes()).collect();
            content.resize(content.len().max(place.end), 0);
            content[place].copy_from_slice(&bytes);
        }
        content
    }

    /// Whether no task acquires a chunk again after the tasks: only the file shows what was in it.
    pub(crate) fn is_unseen(&self, block: Block) -> bool {
        let spec = &self.blocks[block];
        let chunk = spec.chunk.as_ref();
        let writable = chunk.is_some_and(|chunk| self.files[chunk.file].is_writable());
        writable && spec.destroyed_by.is_none() && block % 2 == 1
    }

    /// Whether an unseen chunk is left to the end of the program, with its parts.
    pub(crate) fn is_left(&self, block: Block) -> bool {
        self.is_unseen(block) && block % 4 == 1
    }

    /// Whether there are chunks of a file that tasks make.
    fn is_used_by_tasks(&self, file: usize) -> bool {
        let chunks = self.chunks(file);
        chunks.iter().any(|&(block, _)| self.blocks[block].origin != Origin::Main)
    }
}

/// Which blocks are chunks.
pub(crate) fn settle_chunks(graph: &mut Graph) {
    for spec in &mut graph.blocks {
        let can_be = matches!(spec.origin, Origin::Main | Origin::Made(_));
        spec.chunk = spec.chunk.take().filter(|_| can_be);
        spec.labeled &= spec.chunk.is_none();
    }
}

/// Which of them take the place of others, once it is known who destroys what; false if that has made
/// some shorter.
pub(crate) fn settle_bases(graph: &mut Graph, order: &Order) -> bool {
    let chunks = graph.blocks.iter_mut();
    let chunks = chunks.filter_map(|spec| spec.chunk.as_mut());
    chunks.for_each(|chunk| chunk.base = None);
    for block in 0..graph.blocks.len() {
        let spec = &graph.blocks[block];
        let (Some(chunk), Origin::Made(maker)) = (&spec.chunk, spec.origin) else {
            continue;
        };
        if !graph.files[chunk.file].is_writable() {
            continue;
        }
        let written = |&other: &Block| {
            let Some(last) = graph.blocks[other].destroyed_by else {
                return false;
            };
            // Others destroy what they do not hold themselves.
            graph.tasks[last].variant == Variant::Function
                && graph.size(other) > graph.blocks[block].margin
                && (last == maker || order.is_before(Moment::End(last), Moment::Start(maker)))
        };
        let others: Vec<(Block, &ChunkSpec)> = graph.chunks(chunk.file);
        let is_free = |&block: &Block| others.iter().all(|(_, spec)| spec.base != Some(block));
        let bases = others.iter().map(|&(other, _)| other);
        let bases: Vec<Block> = bases.filter(written).filter(is_free).collect();
        let base = chunk.again.and_then(|again| again.checked_rem(bases.len()));
        let base = base.map(|at| bases[at]);
        if let Some(base) = base
            && graph.size(block) > graph.size(base)
        {
            graph.blocks[block].words = graph.size(base) - graph.blocks[block].margin;
            return false;
        }
        if let Some(chunk) = &mut graph.blocks[block].chunk {
            chunk.base = base;
        }
    }
    true
}

/// A file that is open.
pub(crate) struct FileState {
    guid: Place,
    path: PathBuf,
}

impl FileState {
    pub(crate) fn all_of(graph: &Graph) -> Vec<FileState> {
        let folder = crate::child::folder();
        let state = |file| FileState {
            guid: Place::default(),
            path: folder.join(format!("stress-{}-{file}.data", std::process::id())),
        };
        (0..graph.files.len()).map(state).collect()
    }
}

impl Running {
    /// The files that have chunks.
    fn used_files(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.files.len()).filter(|&file| !self.graph.chunks(file).is_empty())
    }

    /// Makes the files, and has the chunks made that are there from the start. The answer is the output
    /// events of the EDTs that do so.
    pub(crate) fn open_files(&self) -> Vec<(Guid, Guid, Guid)> {
        let open = |file: usize| {
            let (spec, state) = (&self.graph.files[file], &self.files[file]);
            if let Err(error) = std::fs::write(&state.path, spec.first(file)) {
                fail(format!("{}: {error}", state.path.display()));
            }
            let mode = match spec.mode {
                FileMode::Read => c"r",
                FileMode::Update => c"rb+",
                FileMode::New => c"w",
            };
            let path = state.path.to_str().and_then(|path| CString::new(path).ok());
            let (guid, descriptor) = api::open_file(&path.unwrap_or_default(), mode);
            state.guid.set(guid);
            let template = api::template(make_chunks, 1, 1, c"make_chunks");
            let (edt, output) = NewEdt {
                template,
                params: &mut [file as u64],
                depc: 1,
                depv: &mut [OPEN],
                named: true,
                output: true,
                ..NewEdt::default()
            }
            .create();
            api::destroy_template(template);
            (edt, output, descriptor)
        };
        self.used_files().map(open).collect()
    }

    /// A chunk that no task has acquired.
    pub(crate) fn new_chunk(&self, block: Block) -> Guid {
        let (Some(chunk), Some(place)) = (&self.graph.blocks[block].chunk, self.graph.bytes_of(block)) else {
            return NULL;
        };
        let file = self.files[chunk.file].guid.get();
        let (status, guid) = api::try_chunk(file, place.start, place.len());
        check_one_of("ocrFileGetChunk", status, &[0]);
        self.blocks[block].guid.set(guid);
        let (status, _) = api::try_chunk(file, place.end - 1, 1);
        check_one_of("ocrFileGetChunk of what has a chunk", status, &[EBUSY]);
        guid
    }

    /// Destroys chunks that no task acquires again.
    pub(crate) fn end_chunks(&self) {
        let blocks = 0..self.blocks.len();
        let unseen = blocks.filter(|&block| self.graph.is_unseen(block));
        unseen
            .filter(|&block| !self.graph.is_left(block))
            .for_each(|block| api::destroy_block(self.blocks[block].guid.get()));
    }

    /// Releases what is left at the end, or leaves it to the end of the program.
    pub(crate) fn end_files(&self) {
        let left = self.used_files().filter(|file| file % 2 == 0);
        left.filter(|&file| self.graph.is_used_by_tasks(file))
            .for_each(|file| api::release_file(self.files[file].guid.get()));
    }

    /// What is wrong in the files, which are removed.
    pub(crate) fn judge_files(&self) -> Vec<String> {
        let judge = |file: usize| {
            let path = &self.files[file].path;
            let content = std::fs::read(path).unwrap_or_default();
            let right = self.graph.last_content(file, &self.expected.blocks);
            // If it is not there, that was said.
            let _ = std::fs::remove_file(path);
            let wrong = (0..content.len().max(right.len())).find(|&at| content.get(at) != right.get(at))?;
            Some(format!("byte {wrong} of file {file} is {:?}, not {:?}", content.get(wrong), right.get(wrong)))
        };
        self.used_files().filter_map(judge).collect()
    }
}

/// Makes the chunks of a file that are there from the start.
unsafe extern "C" fn make_chunks(_: u32, paramv: *mut u64, _: u32, depv: *mut Dep) -> Guid {
    let running = running();
    // SAFETY: it has one parameter.
    let file = unsafe { paramv.read() } as usize;
    // SAFETY: it has one pre-slot.
    let dep = unsafe { &*depv };
    let guid = running.files[file].guid.get();
    let length = running.graph.files[file].first(file).len() as u64;
    let found = api::described(dep.ptr);
    if (found.0.guid, found.1) != (guid.guid, length) {
        fail(format!(
            "the descriptor of file {file} says {:#x} and {}, not {:#x} and {length}",
            found.0.guid, found.1, guid.guid
        ));
    }
    for (block, _) in running.graph.chunks(file) {
        if running.graph.blocks[block].origin == Origin::Main {
            running.new_chunk(block);
        }
    }
    if !running.graph.is_used_by_tasks(file) {
        api::release_file(guid);
    }
    api::destroy_block(dep.guid);
    NULL
}
