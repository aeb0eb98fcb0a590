//! Which run a file is of, so that runs that write under one name do not take it from each other.
//!
//! A name is taken by a run that still goes on, and by an earlier run that the same parent has started in the same
//! process group: by another program of a script or of `make`. Then the next run numbers it: `t.ocrtrace`,
//! `t.2.ocrtrace`, `t.3.ocrtrace`. A shell that somebody types into gives each command a process group of its own. So a
//! command that is given again replaces the files of the one before it.
//!
//! On several nodes each writes a recording of its own: node 0 `t.ocrtrace`, node 1 `t.node1.ocrtrace`. A number in
//! their heads says that they are of one run, whatever their names are ([`NodeOfRun`]).
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

/// The most nodes of a run.
const MOST_NODES: u32 = 1 << 12;

/// Which node of a run writes a recording. All zeros where the process is alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct NodeOfRun {
    /// The number of the node.
    pub node: u32,
    /// How many nodes there are.
    pub nodes: u32,
    /// A number that the nodes of this run share, and no others.
    pub launch: u64,
    /// The machine, since its system was started.
    pub machine: [u64; 2],
}

/// This machine, since its system was started. Zeros where the system does not say.
pub fn this_machine() -> [u64; 2] {
    let id = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let id = u128::from_str_radix(&id.trim().replace('-', ""), 16).unwrap_or(0);
    [(id >> 64) as u64, id as u64]
}

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
    /// Which node of the run it is. In the text of a file it does not stand.
    pub node: NodeOfRun,
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
        RunIdentity { process, process_began, parent, parent_began, group, node: NodeOfRun::default() }
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
        let mut words = head.get(at..at + 72)?.chunks_exact(8);
        let mut word = || Some(u64::from_le_bytes(words.next()?.try_into().ok()?));
        let run = RunIdentity::of_words([word()?, word()?, word()?, word()?, word()?]);
        // Two numbers of 32 bits.
        let place = word()?;
        let (node, nodes) = (place as u32, (place >> 32) as u32);
        let node = NodeOfRun { node, nodes, launch: word()?, machine: [word()?, word()?] };
        // Other numbers are damaged.
        let can_be = node.nodes <= MOST_NODES && node.node < node.nodes;
        Some(RunIdentity { node: if can_be { node } else { NodeOfRun::default() }, ..run })
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
    if number < 2 { name.to_owned() } else { with_part(name, &number.to_string()) }
}

/// The name of the recording of a node, where node 0 records under this name.
pub fn of_node(name: &Path, node: u32) -> PathBuf {
    if node == 0 { name.to_owned() } else { with_part(name, &format!("node{node}")) }
}

/// A name with one more part before its extension.
fn with_part(name: &Path, part: &str) -> PathBuf {
    let mut file = name.file_stem().unwrap_or_default().to_owned();
    file.push(format!(".{part}"));
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
        assert_eq!(of_node(Path::new("/a.b/t.ocrtrace"), 12), Path::new("/a.b/t.node12.ocrtrace"));
        assert_eq!(of_node(Path::new("t"), 0), Path::new("t"));
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
