//! Which run a file is of, so that runs that write under one name do not take it from each other.
//!
//! A name is taken by a run that still goes on, and by an earlier run of the same job: by another program of a script
//! or of `make`, in whatever shell that runs. Then the next run numbers it: `t.ocrtrace`, `t.2.ocrtrace`,
//! `t.3.ocrtrace`. A job is a process group. A shell that somebody types into gives each command one of its own. So a
//! command that is given again replaces the files of the one before it.
//!
//! Some programs of scripts, such as `timeout`, make a process group of their own, too. What they start belongs to the
//! job of the process that has started them, unless that is a shell with a terminal, where somebody has typed them.
//!
//! The user has named the first of these files, and no other. So what is no file of a run is replaced under the first
//! name alone: a number behind it, and the recording beside a page, leave such a file where it is.
//!
//! In a folder with a file [`COUNTED`], each run gets names of its own.
//!
//! On several nodes each writes a recording of its own: node 0 `t.ocrtrace`, node 1 `t.node1.ocrtrace`. A number in
//! their heads says that they are of one run, whatever their names are ([`NodeOfRun`]).
//!
//! What a file is of stands in it: as numbers in the head of a recording, and as a word in texts
//! ([`RunIdentity`]'s `Display`).

use super::format::{Head, MAGIC};
use ocr_base::output_file::OutputFile;
use std::fmt;
use std::fs::{self, OpenOptions};
use std::io::{self, Read};
use std::mem::offset_of;
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// What stands before the words of a run in a file that is a text.
const MARK: &str = "ocr-run:";

/// A file that makes its folder one in which no run replaces a file of another one. `ocr compare` counts the programs
/// of a command by their reports.
pub const COUNTED: &str = ".counted";

/// Programs that give a process group of its own to themselves or to what they start, and no terminal.
const GROUPING: [&str; 3] = ["timeout", "ninja", "parallel"];

/// How many processes between a run and what has started its job are looked at.
const MOST_PARENTS: u32 = 1000;

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
    job: RunJob,
    /// Which node of the run it is. In the text of a file it does not stand.
    pub node: NodeOfRun,
}

/// The programs that somebody has started by one command.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct RunJob {
    /// The process that has started it: the first ancestor outside the process group.
    starter: u64,
    /// When that began; 0: not known.
    starter_began: u64,
    /// The process group.
    group: u32,
    /// The last digits of when the first process of the group began; 0: that is gone.
    group_began: u32,
}

/// What the system says of a process that is there.
struct ProcessState {
    /// The name of its program, in 15 letters.
    name: String,
    /// Whether it has ended, and nobody has asked how yet.
    is_ended: bool,
    parent: u64,
    group: u64,
    session: u64,
    has_terminal: bool,
    /// The process group to which its terminal listens.
    foreground: u64,
    /// When it began, in the system's ticks since the machine started.
    began: u64,
}

impl ProcessState {
    /// None if there is no such process.
    fn of(process: u64) -> Option<ProcessState> {
        let about = fs::read(format!("/proc/{process}/stat")).ok()?;
        let about = String::from_utf8_lossy(&about);
        // The name of the program, in parentheses, may have any letters.
        let (name, fields) = about.rsplit_once(')')?;
        let fields: Vec<&str> = fields.split_ascii_whitespace().collect();
        // A session without a terminal has -1 as its foreground.
        let number =
            |at: usize| fields.get(at).and_then(|field| field.parse::<i64>().ok()).map_or(0, |n| n.max(0) as u64);
        Some(ProcessState {
            name: name.split_once('(')?.1.to_string(),
            is_ended: matches!(fields.first(), Some(&("Z" | "X"))),
            parent: number(1),
            group: number(2),
            session: number(3),
            // The number of a terminal may have all 32 bits.
            has_terminal: fields.get(4).is_some_and(|terminal| *terminal != "0"),
            foreground: number(5),
            began: number(19),
        })
    }
}

/// When a process began, in the system's ticks since the machine started; 0 if there is none, or it has ended.
fn began(process: u64) -> u64 {
    ProcessState::of(process).filter(|state| !state.is_ended).map_or(0, |state| state.began)
}

impl RunJob {
    /// The job of a process.
    fn of(process: u64) -> RunJob {
        let mut job = RunJob::default();
        let mut at = process;
        for _ in 0..MOST_PARENTS {
            let Some(state) = ProcessState::of(at) else { break };
            job.group = state.group as u32;
            job.starter = state.parent;
            let Some(parent) = ProcessState::of(state.parent) else { break };
            job.starter_began = parent.began;
            if parent.group != state.group && !is_of_job(&state, at, &parent) {
                break;
            }
            at = state.parent;
        }
        job.group_began = ProcessState::of(job.group.into()).map_or(0, |first| first.began as u32);
        job
    }

    /// Whether both are one job.
    fn is(&self, other: &RunJob) -> bool {
        let has_starter =
            self.starter_began != 0 && (self.starter, self.starter_began) == (other.starter, other.starter_began);
        let has_first = self.group_began != 0 && self.group_began == other.group_began;
        self.group == other.group && (has_starter || has_first)
    }
}

/// Whether a process belongs to the job of its parent, which is in another process group.
fn is_of_job(state: &ProcessState, process: u64, parent: &ProcessState) -> bool {
    let is_grouping = |state: &ProcessState| GROUPING.contains(&state.name.as_str());
    let is_first = state.group == process && state.session == parent.session;
    // A shell that somebody types into is the first of its session, or lends the terminal to its command.
    let is_typed = parent.has_terminal && (parent.session == state.parent || parent.foreground == state.group);
    is_first && !is_typed && (is_grouping(state) || is_grouping(parent))
}

impl RunIdentity {
    /// This run.
    pub fn of_this() -> RunIdentity {
        let process = u64::from(std::process::id());
        RunIdentity { process, process_began: began(process), job: RunJob::of(process), node: NodeOfRun::default() }
    }

    /// The identity as it stands in the head of a recording.
    pub fn words(&self) -> [u64; 5] {
        let RunJob { starter, starter_began, group, group_began } = self.job;
        let group = u64::from(group_began) << 32 | u64::from(group);
        [self.process, self.process_began, starter, starter_began, group]
    }

    fn of_words([process, process_began, starter, starter_began, group]: [u64; 5]) -> RunIdentity {
        let job = RunJob { starter, starter_began, group: group as u32, group_began: (group >> 32) as u32 };
        RunIdentity { process, process_began, job, node: NodeOfRun::default() }
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
        goes_on || self.job.is(&next.job)
    }
}

impl fmt::Display for RunIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [process, began, starter, starter_began, group] = self.words();
        write!(f, "{MARK}{process:x}-{began:x}-{starter:x}-{starter_began:x}-{group:x}")
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

/// What keeps a run from a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NameTaken {
    /// Another run, which goes on or is of the same job.
    ByRun,
    /// A file that is none of a run.
    ByFile(PathBuf),
}

/// The first of the names with numbers that this run may have, and what has kept it from the name itself. `files` are
/// the files that a run has under a name, first the one with that name.
pub fn own_name(name: &Path, run: &RunIdentity, files: impl Fn(&Path) -> Vec<PathBuf>) -> (PathBuf, Option<NameTaken>) {
    let is_counted = name.parent().is_some_and(|folder| folder.join(COUNTED).exists());
    let is_there = |file: &Path| fs::symlink_metadata(file).is_ok();
    let taken = |number: u32| {
        let files = files(&numbered(name, number));
        let mut states = files.iter().enumerate().map(|(at, file)| {
            let is_named = number < 2 && at == 0 && run.node.node == 0;
            match RunIdentity::of_file(file) {
                Some(earlier) => (is_counted || earlier.keeps_name(run)).then_some(NameTaken::ByRun),
                None => (is_counted || !is_named && is_there(file)).then(|| NameTaken::ByFile(file.clone())),
            }
            .filter(|_| is_there(file))
        });
        states.find_map(|state| state)
    };
    let first = taken(1);
    if first.is_none() {
        return (name.to_owned(), None);
    }
    let free = (2..MOST_NAMES).find(|number| taken(*number).is_none());
    (free.map_or(name.to_owned(), |number| numbered(name, number)), first)
}

/// The output itself, or the first of the names with numbers that no file has, where something else has come under its
/// name since it was looked at. `own` is what the runtime itself has written there, if it has: some file systems give a
/// file that stays as it is another number or time. None where no such file can be made.
pub fn not_over_others(output: &OutputFile, own: Option<&str>) -> Option<OutputFile> {
    let is_own = |own: &str| {
        let has_length = fs::metadata(output.name()).is_ok_and(|about| about.len() == own.len() as u64);
        has_length && fs::read(output.name()).is_ok_and(|content| content == own.as_bytes())
    };
    if !output.is_changed() || own.is_some_and(is_own) {
        return Some(output.clone());
    }
    let mut names = (2..MOST_NAMES).map(|number| numbered(output.name(), number));
    let name = names.find(|name| fs::symlink_metadata(name).is_err())?;
    OutputFile::new(&name).ok().map(OutputFile::only_new)
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
    fn a_name_is_kept_by_who_lives_or_is_of_the_same_job() {
        let this = RunIdentity::of_this();
        assert!(this.process_began != 0 && this.job.group != 0);
        assert_eq!(RunIdentity::parse(&format!("x {this}\" y")), Some(this));
        assert_eq!(RunIdentity::parse("ocr-run:1-2-3"), None);
        let job = RunJob { starter: 10, starter_began: 20, group: 30, group_began: 40 };
        let run = |process_began, job| RunIdentity { process_began, job, ..this };
        let (lives, gone) = (run(this.process_began, job), run(this.process_began + 1, job));
        // One that lives keeps it from all, and one that has ended from those of its job alone.
        let other_starter = RunJob { starter: 11, ..job };
        let other_first = RunJob { group_began: 41, ..job };
        let neither = RunJob { starter_began: 21, ..other_first };
        let other_group = RunJob { group: 31, ..job };
        for (job, is_same) in
            [(job, true), (other_starter, true), (other_first, true), (neither, false), (other_group, false)]
        {
            let next = run(1, job);
            assert!(lives.keeps_name(&next));
            assert_eq!(gone.keeps_name(&next), is_same, "{job:?}");
        }
        let unknown = run(1, RunJob { starter_began: 0, group_began: 0, ..job });
        assert!(!unknown.keeps_name(&unknown));
    }

    #[test]
    fn a_command_that_somebody_types_is_a_job() {
        let state = |name: &str, process, group, session| ProcessState {
            name: name.to_string(),
            is_ended: false,
            parent: process,
            group,
            session,
            has_terminal: false,
            foreground: 0,
            began: 1,
        };
        // `timeout` is process 30, and what has started it process 20, of group 10 and session 5.
        let (timeout, other) = (state("timeout", 20, 30, 5), state("sh", 20, 30, 5));
        let script = state("sh", 10, 10, 5);
        assert!(is_of_job(&timeout, 30, &script) && !is_of_job(&other, 30, &script));
        assert!(is_of_job(&other, 30, &state("ninja", 10, 10, 5)));
        // Another session, and one that is not the first of its group.
        assert!(!is_of_job(&timeout, 30, &state("setsid", 4, 4, 4)));
        assert!(!is_of_job(&timeout, 31, &script));
        // A script in a terminal, which listens to its group, and shells to which somebody types.
        let in_terminal =
            |session, foreground| ProcessState { has_terminal: true, session, foreground, ..state("sh", 10, 10, 5) };
        let typed = |session| state("timeout", 20, 30, session);
        assert!(is_of_job(&typed(5), 30, &in_terminal(5, 10)));
        assert!(!is_of_job(&typed(5), 30, &in_terminal(5, 30)));
        assert!(!is_of_job(&typed(20), 30, &in_terminal(20, 20)));
    }

    #[test]
    #[cfg_attr(miri, ignore = "it makes files")]
    fn a_file_that_is_none_of_a_run_is_replaced_under_the_first_name_alone() {
        let folder = std::env::temp_dir().join(format!("ocr-identity-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("there is room");
        let [first, second, beside] = ["t.html", "t.2.html", "t.html.recording"].map(|name| folder.join(name));
        let run = RunIdentity { job: RunJob::default(), ..RunIdentity::of_this() };
        let files = |name: &Path| vec![name.to_owned(), PathBuf::from(format!("{}.recording", name.display()))];
        let own = |run: &RunIdentity| own_name(&first, run, files);
        fs::write(&first, "a page of the user").expect("it is ours");
        assert_eq!(own(&run), (first.clone(), None));
        // The name of another node was made of that.
        let node = RunIdentity { node: NodeOfRun { node: 1, ..NodeOfRun::default() }, ..run };
        assert_eq!(own(&node).0, second);
        fs::write(&beside, "notes").expect("it is ours");
        assert_eq!(own(&run), (second.clone(), Some(NameTaken::ByFile(beside.clone()))));
        std::os::unix::fs::symlink("nowhere", &second).expect("it is ours");
        assert_eq!(own(&run).0, folder.join("t.3.html"));
        // What a run has left that was killed.
        let killed = RunIdentity { process_began: 1, ..run };
        fs::write(&beside, killed.to_string()).expect("it is ours");
        assert_eq!(own(&run), (first.clone(), None));
        fs::write(folder.join(COUNTED), "").expect("it is ours");
        assert_eq!(own(&run).0, folder.join("t.3.html"));
        fs::remove_dir_all(folder).expect("it is ours");
    }
}
