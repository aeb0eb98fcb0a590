//! Which run a file is of, so that runs that write under one name do not take it from each other.
//!
//! A *job* is what a shell starts for one command: a process group. A program that is started by hand is a job of its own,
//! and so is a script, or `make`, with all that it starts. A name is taken by a run that still goes on, and by an earlier
//! run of the same job. Then the next run numbers it: `t.ocrtrace`, `t.2.ocrtrace`, `t.3.ocrtrace`. So a command that is
//! given again replaces the files of the one before it, and no program of a script replaces those of another one.

use crate::apart::{self, Kept};
use std::fmt;
use std::fs::{self, OpenOptions};
use std::io::{self, Read};
use std::mem::offset_of;
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use super::format::{Head, MAGIC};

/// What stands before the words of a run in a file that is a text.
const MARK: &str = "ocr-run:";

/// How many bytes from the begin of a file may have the words of its run.
const LOOKED_AT: u64 = 4096;

/// How many names are tried.
const MOST_NAMES: u32 = 100_000;

/// A run, as the system tells its process and its job from others.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct RunIdentity {
    process: u64,
    /// When the process began, in the system's ticks since the machine started; 0: not known.
    process_began: u64,
    /// The process group.
    group: u64,
    /// When the process that leads it began; 0: not known, or it is gone.
    group_began: u64,
}

/// When a process began, in the system's ticks since the machine started; 0 if there is none, or it has ended.
fn began(process: u64) -> u64 {
    let about = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // The name of the program, in parentheses, may have any letters.
    let fields = about.rsplit_once(')').map_or("", |(_, fields)| fields);
    let mut fields = fields.split_ascii_whitespace();
    let state = fields.next().unwrap_or("Z");
    // The state is the third field, and this the 22nd.
    let began = fields.nth(18).and_then(|began| began.parse().ok());
    match state {
        "Z" | "X" => 0,
        _ => began.unwrap_or(0),
    }
}

impl RunIdentity {
    /// This run.
    pub(crate) fn of_this() -> RunIdentity {
        let process = u64::from(std::process::id());
        // SAFETY: `getpgrp` has no preconditions.
        let group = unsafe { libc::getpgrp() } as u64;
        RunIdentity {
            process,
            process_began: began(process),
            group,
            group_began: began(group),
        }
    }

    pub(crate) fn words(&self) -> [u64; 4] {
        [
            self.process,
            self.process_began,
            self.group,
            self.group_began,
        ]
    }

    fn of_words([process, process_began, group, group_began]: [u64; 4]) -> RunIdentity {
        RunIdentity {
            process,
            process_began,
            group,
            group_began,
        }
    }

    /// The run in the text of a file.
    pub(crate) fn parse(text: &str) -> Option<RunIdentity> {
        let (_, rest) = text.split_once(MARK)?;
        let mut words = [0; 4];
        let mut parts = rest.splitn(5, '-');
        for word in &mut words {
            let part = parts.next()?;
            let digits = part.find(|c: char| !c.is_ascii_hexdigit());
            *word = u64::from_str_radix(&part[..digits.unwrap_or(part.len())], 16).ok()?;
        }
        Some(RunIdentity::of_words(words))
    }

    /// The run that a file is of. None where the file does not say, or there is none.
    pub(crate) fn of_file(path: &Path) -> Option<RunIdentity> {
        // Opening a pipe would wait for a writer without that.
        let opened = OpenOptions::new()
            .read(true)
            .custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY)
            .open(path);
        let file = opened
            .ok()
            .filter(|file| file.metadata().is_ok_and(|about| about.is_file()))?;
        let mut bytes = Vec::new();
        file.take(LOOKED_AT).read_to_end(&mut bytes).ok()?;
        if !bytes.starts_with(&MAGIC) {
            return RunIdentity::parse(&String::from_utf8_lossy(&bytes));
        }
        let at = offset_of!(Head, run);
        let mut words = bytes.get(at..at + 32)?.chunks_exact(8);
        let mut word = || Some(u64::from_le_bytes(words.next()?.try_into().ok()?));
        Some(RunIdentity::of_words([word()?, word()?, word()?, word()?]))
    }

    /// Whether its name is not to be taken for the run `next`.
    fn keeps_name(&self, next: &RunIdentity) -> bool {
        let goes_on = self.process_began != 0 && began(self.process) == self.process_began;
        let known = |began: u64| (began != 0).then_some(began);
        let leaders = known(self.group_began).zip(known(next.group_began));
        let is_same_job =
            self.group == next.group && leaders.is_none_or(|(one, other)| one == other);
        goes_on || is_same_job
    }
}

impl fmt::Display for RunIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [process, began, group, group_began] = self.words();
        write!(f, "{MARK}{process:x}-{began:x}-{group:x}-{group_began:x};")
    }
}

/// A name with a number before its extension; the name itself for the first one.
pub(crate) fn numbered(name: &Path, number: u32) -> PathBuf {
    if number < 2 {
        return name.to_owned();
    }
    let mut file = name.file_stem().unwrap_or_default().to_owned();
    file.push(format!(".{number}"));
    if let Some(extension) = name.extension() {
        file.push(".");
        file.push(extension);
    }
    name.with_file_name(file)
}

/// Finds a name that no run keeps from this one, and has `claim` make the files under it, while no other process that asks
/// so does the same in that folder. `files` are the files that a run has under a name.
pub(crate) fn with_own_name<T: Send>(
    name: &Path,
    run: &RunIdentity,
    files: impl Fn(&Path) -> Vec<PathBuf> + Sync,
    claim: impl FnOnce(&Path) -> T + Send,
) -> io::Result<T> {
    let find = || {
        let folder = name.parent().unwrap_or(Path::new("/"));
        let _lock = lock(folder);
        let is_free = |name: &PathBuf| {
            let runs = files(name);
            let mut runs = runs.iter().filter_map(|file| RunIdentity::of_file(file));
            !runs.any(|earlier| earlier.keeps_name(run))
        };
        let mut names = (1..MOST_NAMES).map(|number| numbered(name, number));
        claim(&names.find(is_free).unwrap_or_else(|| name.to_owned()))
    };
    apart::run("ocr-files", Kept::Everything, find)
}

/// Locks a folder as long as the result lives. None where another program has the lock for too long, or the file system
/// has none.
fn lock(folder: &Path) -> Option<fs::File> {
    const TRIES: u32 = 200;
    let folder = fs::File::open(folder).ok()?;
    for _ in 0..TRIES {
        // SAFETY: the descriptor is that of `folder`, which is open during the call, which touches no memory.
        if unsafe { libc::flock(folder.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) } == 0 {
            return Some(folder);
        }
        if io::Error::last_os_error().kind() != io::ErrorKind::WouldBlock {
            return None;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    None
}
