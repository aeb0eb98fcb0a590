//! Which run a file is of, so that runs that write under one name do not take it from each other.
//!
//! A name is taken by a run that still goes on, and by an earlier run that the same parent has started in the same
//! process group: by another program of a script or of `make`. Then the next run numbers it: `t.ocrtrace`,
//! `t.2.ocrtrace`, `t.3.ocrtrace`. A shell that somebody types into gives each command a process group of its own. So a
//! command that is given again replaces the files of the one before it.
//!
//! What a file is of stands in it: as numbers in the head of a recording, and as a word in texts
//! ([`RunIdentity`]'s `Display`).

use super::format::{Head, MAGIC};
use std::fmt;
use std::fs::{self, OpenOptions};
use std::io::{self, Read};
use std::mem::offset_of;
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// What stands before the words of a run in a file that is a text.
const MARK: &str = "ocr-run:";

/// How many bytes from the begin of a file may have the words of its run.
const LOOKED_AT: u64 = 4096;

/// How many names are tried.
const MOST_NAMES: u32 = 100_000;

/// A run, as the system distinguishes its process and its job from others.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RunIdentity {
    process: u64,
    /// When the process began, in the system's ticks since the machine started; 0: not known.
    process_began: u64,
    /// The process that has started it.
    parent: u64,
    /// When that began; 0: not known.
    parent_began: u64,
    /// The process group.
    group: u64,
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
    pub fn of_this() -> RunIdentity {
        let process = u64::from(std::process::id());
        // SAFETY: `getppid` has no preconditions.
        let parent = unsafe { libc::getppid() } as u64;
        // SAFETY: `getpgrp` has no preconditions.
        let group = unsafe { libc::getpgrp() } as u64;
        RunIdentity::of_words([process, began(process), parent, began(parent), group])
    }

    /// The identity as it stands in the head of a recording.
    pub fn words(&self) -> [u64; 5] {
        [self.process, self.process_began, self.parent, self.parent_began, self.group]
    }

    fn of_words([process, process_began, parent, parent_began, group]: [u64; 5]) -> RunIdentity {
        RunIdentity { process, process_began, parent, parent_began, group }
    }

    /// The run in the text of a file.
    pub fn parse(text: &str) -> Option<RunIdentity> {
        let (_, rest) = text.split_once(MARK)?;
        let mut words = [0; 5];
        let mut parts = rest.splitn(5, '-');
        for word in &mut words {
            let part = parts.next()?;
            let digits = part.find(|c: char| !c.is_ascii_hexdigit());
            *word = u64::from_str_radix(&part[..digits.unwrap_or(part.len())], 16).ok()?;
        }
        Some(RunIdentity::of_words(words))
    }

    /// The run that a file is of. None where the file does not say, or there is none.
    pub fn of_file(path: &Path) -> Option<RunIdentity> {
        // Opening a pipe would wait for a writer without that.
        let opened = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open(path);
        let file = opened.ok().filter(|file| file.metadata().is_ok_and(|about| about.is_file()))?;
        let mut bytes = Vec::new();
        file.take(LOOKED_AT).read_to_end(&mut bytes).ok()?;
        if !bytes.starts_with(&MAGIC) {
            return RunIdentity::parse(&String::from_utf8_lossy(&bytes));
        }
        RunIdentity::in_head(&bytes)
    }

    /// The run in the head of a recording.
    pub fn in_head(head: &[u8]) -> Option<RunIdentity> {
        let at = offset_of!(Head, run);
        let mut words = head.get(at..at + 40)?.chunks_exact(8);
        let mut word = || Some(u64::from_le_bytes(words.next()?.try_into().ok()?));
        Some(RunIdentity::of_words([word()?, word()?, word()?, word()?, word()?]))
    }

    /// Whether its name is not to be taken for the run `next`.
    fn keeps_name(&self, next: &RunIdentity) -> bool {
        let goes_on = self.process_began != 0 && began(self.process) == self.process_began;
        let of_same = |run: &RunIdentity| (run.parent, run.parent_began, run.group);
        goes_on || self.parent_began != 0 && of_same(self) == of_same(next)
    }
}

impl fmt::Display for RunIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [process, began, parent, parent_began, group] = self.words();
        write!(f, "{MARK}{process:x}-{began:x}-{parent:x}-{parent_began:x}-{group:x}")
    }
}

/// A name with a number before its extension; the name itself for the first one.
pub fn numbered(name: &Path, number: u32) -> PathBuf {
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

/// The first of the names with numbers that no run keeps from this one. `files` are the files that a run has under a
/// name.
pub fn own_name(name: &Path, run: &RunIdentity, files: impl Fn(&Path) -> Vec<PathBuf>) -> PathBuf {
    let is_free = |name: &PathBuf| {
        let files = files(name);
        let mut runs = files.iter().filter_map(|file| RunIdentity::of_file(file));
        !runs.any(|earlier| earlier.keeps_name(run))
    };
    let mut names = (1..MOST_NAMES).map(|number| numbered(name, number));
    names.find(is_free).unwrap_or_else(|| name.to_owned())
}

/// Locks a folder as long as the result lives. None where another program has the lock for too long, or the file system
/// has none. The caller has a table of descriptors of its own.
pub fn lock(folder: &Path) -> Option<fs::File> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_numbered_before_what_they_end_in() {
        for (name, second) in [
            ("/a/t.ocrtrace", "/a/t.2.ocrtrace"),
            ("/a.b/t", "/a.b/t.2"),
            ("x.y.pftrace", "x.y.2.pftrace"),
            (".hidden", ".hidden.2"),
        ] {
            assert_eq!(numbered(Path::new(name), 2), Path::new(second));
            assert_eq!(numbered(Path::new(name), 1), Path::new(name));
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "it reads /proc")]
    fn a_name_is_kept_by_who_lives_or_has_the_same_parent() {
        let this = RunIdentity::of_this();
        assert!(this.process_began != 0 && this.parent_began != 0);
        assert_eq!(RunIdentity::parse(&format!("x {this}\" y")), Some(this));
        assert_eq!(RunIdentity::parse("ocr-run:1-2-3"), None);
        let gone = RunIdentity { process_began: this.process_began + 1, ..this };
        let of_other = |run: RunIdentity| {
            [
                RunIdentity { parent: 1, ..run },
                RunIdentity { parent_began: run.parent_began + 1, ..run },
                RunIdentity { group: run.group + 1, ..run },
            ]
        };
        // One that lives keeps it from all, and one that has ended from those of its parent and group alone.
        for next in of_other(this) {
            assert!(this.keeps_name(&next) && !gone.keeps_name(&next));
        }
        assert!(gone.keeps_name(&this));
        let unknown = RunIdentity { parent_began: 0, ..gone };
        assert!(!unknown.keeps_name(&unknown));
    }
}
