//! What is made of the recording of a run when it has ended: its score, and a file for viewers where `OCR_TRACE` names
//! one.
//!
//! Where `OCR_TRACE` names `x.pftrace`, `x.json`, `x.html`, `x.dot` or `x.graphml`, the run is recorded into a file
//! beside it, such as `x.pftrace.recording`. When the run has ended, the code of `ocr trace export` makes the file for
//! viewers of it.
//!
//! That needs about as much memory as the recording has bytes. At that time the program may have none left, or have
//! overwritten some, and other threads may still run. So a process does it that is forked for that. What becomes of it
//! changes neither the program's status nor its memory, and where memory is short the system is asked to end it first.
//! The process has one thread, and must not wait for a lock that another thread of its parent has had. It reads and
//! writes files, which takes none, and the C library keeps its memory usable after a fork. It prints nothing: its
//! parent tells.
//!
//! A process that is killed or crashes converts nothing. Its recording stays, and so does one that cannot be converted.

use crate::config::Settings;
use crate::engine::nodes::ending;
use crate::engine::state::runtime::Runtime;
use crate::report::warn_if_elsewhere;
use crate::{heap, trace};
use ocr_analysis::export::{self, ViewerForm};
use ocr_analysis::recorded::{self, Score};
use ocr_base::output_file::OutputFile;
use ocr_base::text::Readable;
use ocr_trace::identity::{RunIdentity, not_over_others};
use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, PipeReader, PipeWriter, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::process::ExitStatusExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

/// The score of a run is reported at its end where the recording has no more bytes than this: it takes as much memory,
/// or so.
const SCORED_BYTES: u64 = 1 << 30;

/// What the process that converts says where it has.
const DONE: &str = "done";

/// No message of it is longer: as much is written and read at once (`PIPE_BUF`).
const LONGEST_WORD: usize = 4096;

/// The files of a run that is recorded.
pub(crate) struct Recorded {
    /// What the run is recorded into.
    file: PathBuf,
    /// What is made of that for viewers.
    viewed: Option<PathBuf>,
}

impl Recorded {
    /// The files of the recording that the settings ask for; none where they ask for no recording.
    pub(crate) fn of(settings: &Settings) -> Option<Recorded> {
        let asked = settings.trace.value.clone()?;
        Some(match ViewerForm::of(&asked) {
            None => Recorded { file: asked, viewed: None },
            // Node 0 makes one file of all nodes.
            Some(_) if ending::place().is_some_and(|(node, _)| node != 0) => {
                Recorded { file: export::recording_of(&asked), viewed: None }
            }
            Some(_) => Recorded { file: export::recording_of(&asked), viewed: Some(asked) },
        })
    }

    /// Begins to record. Returns the file for viewers as it is then, if one is wanted. The error is for people.
    pub(crate) fn begin(&self, run: RunIdentity, about: &str) -> Result<Option<OutputFile>, String> {
        let viewed = self.viewed.as_deref().map(OutputFile::new).transpose();
        let fail = |error| {
            let name = Readable::path(self.viewed.as_deref().unwrap_or(&self.file));
            format!("the recording {name} cannot be written: {error}")
        };
        let viewed = viewed.map_err(fail)?;
        trace::recording::begin(&self.file, run, about)?;
        // If this run is killed, the file of an earlier run would stay and be taken for that of this one.
        let cleared = viewed.map(|viewed| viewed.clear().and_then(|()| OutputFile::new(viewed.name())));
        cleared.transpose().map_err(fail)
    }

    /// Makes the file for viewers, if one is wanted, of a run that has ended. `begun` is that file as it was when the
    /// run began.
    pub(crate) fn convert(&self, begun: Option<&OutputFile>) {
        let (Some(viewed), Some(begun)) = (&self.viewed, begun) else { return };
        let to = not_over_others(begun, None);
        let convert = || {
            let run = recorded::read(&self.file)?;
            let to = to.as_ref().ok_or("something else was written there meanwhile")?;
            // The end of the name says the form, also where the name has a number.
            export::write_file(&run, to, None, export::ARROWS).map_err(|error| error.to_string())
        };
        match in_a_process(|| convert().map(drop)) {
            Ok(()) => {
                if let Some(to) = &to {
                    warn_if_elsewhere("file for viewers", begun, to);
                }
                // The other nodes go on, so what is made of all recordings later has more.
                if ending::place().is_none() {
                    // One that stays is of no harm.
                    let _ = fs::remove_file(&self.file);
                }
            }
            Err(why) => {
                let [file, viewed] = [&self.file, viewed].map(|path| Readable::path(path));
                warning!(
                    "{viewed} cannot be written: {why}. The recording is kept as {file}, of which `ocr trace export {file}` makes \
                     it later"
                );
            }
        }
    }
}

/// Has a process of its own do some work. The error is for people.
fn in_a_process(work: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
    let fail = |error: io::Error| format!("a process for that cannot be started: {error}");
    let (mut from, to) = io::pipe().map_err(fail)?;
    // SAFETY: the child has this thread alone, and ends in `be_the_child`, which uses nothing that another thread may
    // have left half done.
    let child = unsafe { libc::fork() };
    match child {
        -1 => Err(fail(io::Error::last_os_error())),
        0 => {
            drop(from);
            be_the_child(work, to)
        }
        child => {
            drop(to);
            let status = wait_for(child);
            match (word_of(&mut from).as_str(), status) {
                (DONE, _) => Ok(()),
                ("", Some(status)) => Err(format!(
                    "the process that converts the recording has ended ({status}), as it does where there is no memory"
                )),
                ("", None) => Err("the process that converts the recording has ended".to_string()),
                (why, _) => Err(why.to_string()),
            }
        }
    }
}

/// Waits for the end of a child, and returns how it has ended; none where another caller has got that.
fn wait_for(child: libc::pid_t) -> Option<ExitStatus> {
    let mut status = 0;
    loop {
        // SAFETY: `status` is a variable of this function, so the system may write the status there during the call.
        match unsafe { libc::waitpid(child, &raw mut status, 0) } {
            -1 if io::Error::last_os_error().kind() == ErrorKind::Interrupted => {}
            -1 => return None,
            _ => return Some(ExitStatus::from_raw(status)),
        }
    }
}

/// What a process that has ended has said; nothing where it was killed before.
fn word_of(from: &mut PipeReader) -> String {
    // Another process that was forked meanwhile may have the other end, and what has not come will not come.
    // SAFETY: with `F_SETFL`, `fcntl` gets a number and no pointer, and `from` owns the descriptor, so it is open.
    unsafe { libc::fcntl(from.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK) };
    let mut word = [0; LONGEST_WORD];
    let length = from.read(&mut word).unwrap_or(0);
    String::from_utf8_lossy(&word[..length]).into_owned()
}

/// Does the work in a process that was forked for that, says how it went, and ends.
fn be_the_child(work: impl FnOnce() -> Result<(), String>, mut to: PipeWriter) -> ! {
    // SAFETY: it takes no pointers. The parent is this thread, which waits.
    unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
    let own = [libc::SIGILL, libc::SIGTRAP, libc::SIGABRT, libc::SIGBUS, libc::SIGFPE, libc::SIGSEGV];
    for signal in own {
        // SAFETY: what the system does by itself is right here: the handlers of the run need other threads of it.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
    // SAFETY: a file that becomes too large is an error then, which is reported.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
    if let Ok(null) = OpenOptions::new().write(true).open("/dev/null") {
        // SAFETY: `null` owns its descriptor, and nothing in this process owns that of the standard error, which is
        // replaced.
        unsafe { libc::dup2(null.as_raw_fd(), libc::STDERR_FILENO) };
    }
    let _ = fs::write("/proc/self/oom_score_adj", "1000");
    // The reserve has a lock, which another thread may have had.
    let done = catch_unwind(AssertUnwindSafe(|| heap::may_fail(work)));
    let word = match done {
        Ok(Ok(())) => DONE.to_string(),
        Ok(Err(why)) => why,
        Err(_) => "a mistake of the runtime, please report it with the recording".to_string(),
    };
    let length = word.len().min(LONGEST_WORD);
    let _ = to.write_all(&word.as_bytes()[..length]);
    // SAFETY: `_exit` has no preconditions. What the program has registered for its end is the parent's.
    unsafe { libc::_exit(0) }
}

impl Runtime {
    /// The score of a run that was recorded, if somebody wants to know. It has ended.
    pub(crate) fn score(&self) -> Option<Score> {
        let Recorded { file, .. } = Recorded::of(&self.settings)?;
        if !self.settings.is_reported() {
            return None;
        }
        if is_too_large(&file) {
            let name = Readable::path(&file);
            let remark = format!("the recording is large: `ocr trace show {name}` tells the score");
            self.registry.remark(remark);
            return None;
        }
        // What the recording lacks was reported.
        recorded::read(&file).ok()?.score()
    }
}

fn is_too_large(file: &Path) -> bool {
    (file.metadata()).is_ok_and(|about| about.len() > SCORED_BYTES)
}
