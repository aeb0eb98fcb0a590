//! A run that goes on from a checkpoint (`OCR_RESTORE`): which file, of which program, and what its EDTs begin with.

use crate::config::Settings;
use crate::engine::checkpoint::file::{self, CheckpointError};
use crate::engine::checkpoint::pieces::EarlierBytes;
use crate::engine::checkpoint::{names, objects, why_none};
use crate::engine::state::context::Context;
use crate::engine::state::fatal::fatal;
use crate::engine::state::runtime::Runtime;
use crate::memory::private;
use crate::object::data_block::{BlockState, DataBlock};
use crate::object::edt::{Edt, EdtState, PreSlot};
use crate::object::guid::Guid;
use crate::object::saved::{Saved, malformed};
use memmap2::Mmap;
use ocr_base::output_file::apart;
use ocr_base::text::Readable;
use std::collections::HashMap;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

/// A whole checkpoint.
pub(crate) struct Checkpoint {
    path: PathBuf,
    bytes: Mmap,
    earlier: EarlierBytes,
}

/// Finds the last whole checkpoint, if the settings ask for one. The error is for people.
pub(crate) fn open(settings: &Settings, legacy: bool) -> Result<Option<Checkpoint>, String> {
    let Some(directory) = &settings.restore.value else { return Ok(None) };
    let origin = &settings.restore.origin;
    if let Some(why) = why_none(settings, legacy) {
        return Err(format!("{origin}: no run goes on from a checkpoint {why}."));
    }
    let tell = |why: &str| warning!("{why}");
    apart(|| last_whole(directory, tell)).map(Some).map_err(|why| format!("{origin}: {why}"))
}

/// The program of the last whole checkpoint in a directory, by its full name, and its arguments without those of the
/// runtime. The error is for people.
pub fn command_of(directory: &Path) -> Result<Vec<OsString>, String> {
    // The program says itself what is wrong with later ones.
    let Checkpoint { path, bytes, earlier } = last_whole(directory, |_| ())?;
    let piece = |file, offset, len| earlier.piece(file, offset, len);
    let command = content(&bytes).and_then(|content| objects::pass_command(&mut Saved::from(content, &piece), &[]));
    command.map_err(|error| format!("{} cannot be used: {error}", Readable::path(&path)))
}

/// The last whole checkpoint in a directory; `tell` gets what is wrong with later ones.
fn last_whole(directory: &Path, tell: impl Fn(&str)) -> Result<Checkpoint, String> {
    let name = Readable::path(directory);
    let all = names::all_in(directory).map_err(|error| format!("{name} has no checkpoint: {error}"))?;
    let is_any = !all.is_empty();
    for (number, path) in all {
        let shown = Readable::path(&path).to_string();
        let bytes = match names::map(&path) {
            Ok(bytes) => bytes,
            Err(error) => {
                tell(&format!("{shown} cannot be read, and the checkpoint before it is used: {error}"));
                continue;
            }
        };
        let earlier = file::content(&bytes)
            .and_then(|(_, index)| EarlierBytes::open(directory, number, &index).map_err(CheckpointError::Damaged));
        match earlier {
            Ok(earlier) => return Ok(Checkpoint { path, bytes, earlier }),
            Err(CheckpointError::Damaged(why)) => {
                tell(&format!("{shown} cannot be used, and the checkpoint before it is: {why}"));
            }
            Err(CheckpointError::OtherVersion(version)) => {
                return Err(format!(
                    "{shown} cannot be used: {}. Use the runtime that has written it, or begin anew.",
                    CheckpointError::of_version(version)
                ));
            }
        }
    }
    Err(if is_any {
        format!("{name} has no checkpoint that is whole. Begin anew.")
    } else {
        format!("{name} has no checkpoint. Name the directory that OCR_CHECKPOINT has named, or begin anew.")
    })
}

/// Fills the objects of a run that has none, and begins with its EDTs.
pub(crate) fn restore(runtime: &'static Runtime, checkpoint: &Checkpoint) {
    let piece = |file, offset, len| checkpoint.earlier.piece(file, offset, len);
    let begun = content(&checkpoint.bytes)
        .and_then(|content| objects::pass(runtime, &mut Saved::from(content, &piece), &[], &objects::modules()));
    if let Err(error) = begun {
        let name = Readable::path(&checkpoint.path);
        fatal(&format!(
            "the run cannot go on from {name}: {error}. Start the program that has written it, on a machine that has \
             what it needs, or begin anew, without OCR_RESTORE."
        ));
    }
    runtime.count_restored_kernels();
    let Some(context) = Context::get() else {
        unreachable!("the runtime has been started");
    };
    // SAFETY: `Context::get` returns this thread's own context, which is alive; nothing else refers to it here.
    unsafe { &mut *context }.begin_restored();
    Context::leave();
}

fn content(bytes: &[u8]) -> io::Result<&[u8]> {
    file::content(bytes).map(|(content, _)| content).map_err(|_| malformed())
}

impl Context {
    /// Has the EDTs of a checkpoint go on: those that are runnable have neither a place nor blocks.
    fn begin_restored(&mut self) {
        let objects = &self.runtime.objects;
        let edts: Vec<&'static Edt> = objects.edts.live().map(|(_, edt)| edt).collect();
        let is_in = |edt: &Edt, state| edt.header.peek().state() == state;
        // A block that is private, or was destroyed, stays for those that have it.
        let mut users: HashMap<Guid, u32> = HashMap::new();
        for edt in edts.iter().filter(|edt| is_in(edt, EdtState::Waiting) || is_in(edt, EdtState::Runnable)) {
            for data in edt.slots().iter().filter_map(PreSlot::satisfied_with) {
                *users.entry(data).or_default() += 1;
            }
        }
        let blocks: Vec<(Guid, &'static DataBlock)> = objects.data_blocks.live().collect();
        for (guid, block) in blocks {
            let word = block.header.peek();
            let uses = users.get(&guid).copied().unwrap_or(0);
            // A slot whose generations are used up has no block, unless an EDT uses its last one.
            let is_there = word.freed().is_some() || uses > 0;
            if matches!(word.state(), BlockState::Private | BlockState::Destroyed) && is_there {
                let left = private::expect(block, uses);
                self.dispose_if(block, left);
            }
        }
        // All of them before the first: workers run it at once, and others become runnable by that.
        let runnable: Vec<&'static Edt> = edts.into_iter().filter(|edt| is_in(edt, EdtState::Runnable)).collect();
        for edt in runnable {
            self.advance(edt);
        }
        self.work_off();
    }
}
