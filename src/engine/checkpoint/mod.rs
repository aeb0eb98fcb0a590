//! Checkpoints of a run, and runs that go on from one.
//!
//! A thread makes them (`make.rs`), by time, when the program asks (`ocrCheckpoint`), or a user (`requests.rs`):
//!
//! | step | what | who works meanwhile |
//! |---|---|---|
//! | 1 | the workers stand still between two EDTs, threads of the program before their calls; kernels are sent to devices no more | what runs, to its end |
//! | 2 | nothing is in flight: kernels that were sent have ended, with all that they led to | devices |
//! | 3 | contents that only devices have are brought to the host | |
//! | 4 | the process is forked | |
//! | 5 | all go on; kernels that were put off are sent | all |
//! | 6 | the forked process writes the file (`file.rs`, `names.rs`), without what earlier files have (`pieces.rs`) | all |
//!
//! A checkpoint has the state of a moment at which each EDT has ended or has not begun. A runnable EDT of it may have
//! had blocks and a place. The run that goes on places it and has it acquire its blocks anew (`restore.rs`), with
//! its own numbers of workers and devices. What each kind of object has in the file is written with the object
//! (`object::saved`); `objects.rs` has what they share. A function is saved as the build of its file and a distance.
//! Where that build is not loaded, `FunctionError` of `object/saved.rs` has the run refused.
//!
//! Where something cannot be saved, such as an EDT that waits in a call on the stack of its thread, all are let go, and
//! it is tried again. While the thread holds others, it counts as work in flight, so the program does not seem to hang.

mod file;
mod make;
mod names;
mod objects;
mod pieces;
mod requests;
mod restore;

pub(crate) use make::{begin, remark};
pub use names::checkpoints_of;
pub use requests::ask_for_checkpoint;
pub use restore::command_of;
pub(crate) use restore::{open, restore};

use crate::config::Settings;
use crate::engine::nodes::ending;

/// Why a run with these settings has no checkpoints.
fn why_none(settings: &Settings, legacy: bool) -> Option<&'static str> {
    Some(match () {
        () if legacy => "of a program with a main of its own, whose state is on the stack of that",
        () if ending::place().is_some() => "of a program on several nodes",
        () if settings.check.is_on() => "in strict mode, which remembers more of each object",
        () if settings.redundant.value.is_some() => "with OCR_REDUNDANT, by which an EDT is in several runs at once",
        () if settings.trace.value.is_some() => "of a run that is recorded: its recording would be in two parts",
        () => return None,
    })
}
