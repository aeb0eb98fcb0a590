//! What a node tells node 0 of itself when it joins, and what has to be the same on all nodes.

use crate::config::{DEFAULT_ORIGIN, Settings};
use crate::cores::CoreSet;
use crate::engine::nodes::mates;
use crate::engine::nodes::wire::{Process, Reader, Welcome, Writer};
use crate::link::bell::BellPlace;
use crate::symbols;
use ocr_base::text::{Readable, read_file};
use std::time::SystemTime;

/// The form of what follows. It comes first, so that libraries of different releases can say that they are.
const FORM: u32 = 1;

/// The settings that decide what the program does, or what a node makes of its objects. All nodes need the same. The
/// others are about one process: how many workers it has, or where it writes.
const OF_THE_PROGRAM: &[&str] = &["sched", "gone-events", "check", "nodes"];

/// A text has at most so many bytes here: a message has room for all of them.
const LONGEST_TEXT: usize = 4096;

/// The most nodes that one of them watches.
pub(super) const MOST_MATES: u32 = 2300;

/// A file that is loaded, as others can tell it from one that was built otherwise.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Build {
    pub(super) id: String,
    pub(super) file: String,
}

/// What a node is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Hello {
    /// The version of the library.
    pub(super) version: String,
    pub(super) library: Build,
    pub(super) program: Build,
    /// The settings that all nodes need: name, value, origin.
    pub(super) settings: Vec<(String, String, String)>,
    pub(super) host: String,
    /// What the machine's system calls the time since it was started: two machines may have one name.
    pub(super) boot: String,
    /// In which numbers of processes `pid` is one: containers have their own.
    pub(super) numbering: String,
    pub(super) pid: u32,
    pub(super) start: u64,
    /// By what others of the machine wake the thread of its link.
    pub(super) bell: BellPlace,
    /// The cores on which the process may run, as a list of the system.
    pub(super) cores: String,
}

/// The file that is loaded at an address.
fn build_of(address: usize) -> Build {
    let (id, file) =
        symbols::build_of(address).unwrap_or_else(|| ("unknown".into(), "a file that cannot be read".into()));
    Build { id, file: cut(Readable::path(&file).to_string()) }
}

/// At most so much of a text as a message has room for.
fn cut(mut text: String) -> String {
    let mut end = LONGEST_TEXT.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
    text
}

impl Hello {
    /// What this process is.
    pub(super) fn of_this(settings: &Settings) -> Hello {
        // SAFETY: `getauxval` has no preconditions.
        let headers = unsafe { libc::getauxval(libc::AT_PHDR) } as usize;
        let of_program = |(name, _, _): &(&'static str, String, &str)| OF_THE_PROGRAM.contains(name);
        let rows = settings.rows().into_iter().filter(of_program);
        let file = |name: &str| read_file(name).unwrap_or_default().trim().to_string();
        let numbering = std::fs::read_link("/proc/self/ns/pid");
        Hello {
            version: env!("CARGO_PKG_VERSION").to_string(),
            library: build_of(build_of as *const () as usize),
            program: build_of(headers),
            settings: rows
                .map(|(name, value, origin)| (name.to_string(), cut(value), cut(origin.to_string())))
                .collect(),
            host: file("/proc/sys/kernel/hostname"),
            boot: file("/proc/sys/kernel/random/boot_id"),
            numbering: numbering.map_or(String::new(), |link| link.display().to_string()),
            pid: std::process::id(),
            start: mates::start_of(std::process::id()).unwrap_or(0),
            bell: BellPlace::default(),
            cores: CoreSet::of_thread(0).map_or(String::new(), |cores| cut(cores.to_string())),
        }
    }

    pub(super) fn write(&self, out: &mut Writer) {
        out.u32(FORM);
        out.text(&self.version);
        for build in [&self.library, &self.program] {
            out.text(&build.id);
            out.text(&build.file);
        }
        out.u32(self.settings.len() as u32);
        for (name, value, origin) in &self.settings {
            for text in [name, value, origin] {
                out.text(text);
            }
        }
        for text in [&self.host, &self.boot, &self.numbering] {
            out.text(text);
        }
        out.u32(self.pid);
        out.u64(self.start);
        self.bell.write(out);
        out.text(&self.cores);
    }

    pub(super) fn read(from: &mut Reader<'_>) -> Option<Hello> {
        if from.u32()? != FORM {
            return None;
        }
        let version = from.text()?;
        let mut build = || Some(Build { id: from.text()?, file: from.text()? });
        let (library, program) = (build()?, build()?);
        let count = from.u32()?;
        let mut setting = || Some((from.text()?, from.text()?, from.text()?));
        let settings = (0..count).map(|_| setting()).collect::<Option<_>>()?;
        Some(Hello {
            version,
            library,
            program,
            settings,
            host: from.text()?,
            boot: from.text()?,
            numbering: from.text()?,
            pid: from.u32()?,
            start: from.u64()?,
            bell: BellPlace::read(from)?,
            cores: from.text()?,
        })
    }

    /// A node, for people.
    pub(super) fn name(&self, node: u32) -> String {
        format!("node {node} (process {} on {})", self.pid, self.host)
    }

    /// Whether two nodes are on one machine.
    fn is_on_machine_of(&self, other: &Hello) -> bool {
        self.boot == other.boot
    }

    /// Why two nodes cannot be of one program, with what to do; none if they can. `node` and `other_node` are their
    /// numbers.
    pub(super) fn difference(&self, node: u32, other: &Hello, other_node: u32) -> Option<String> {
        let [this, that] = [self.name(node), other.name(other_node)];
        let same_files = "All nodes of a program start the same file with the same library: copy both to each machine anew, \
            and name one program alone to the launcher.";
        let files = [("library", &self.library, &other.library), ("program", &self.program, &other.program)];
        if let Some((what, own, others)) = files.into_iter().find(|(_, own, others)| own.id != others.id) {
            return Some(format!(
                "the nodes have different builds of the {what}. On {this} it is {} of ocr {}, with build ID {}; on {that} it \
                 is {} of ocr {}, with build ID {}. {same_files}",
                own.file, self.version, own.id, others.file, other.version, others.id
            ));
        }
        let (name, own, others) = self.settings.iter().find_map(|(name, value, origin)| {
            let others = other.settings.iter().find(|(other, _, _)| other == name)?;
            (others.1 != *value).then_some((name, (value, origin), (&others.1, &others.2)))
        })?;
        let says = |(value, origin): (&String, &String)| match origin.as_str() {
            DEFAULT_ORIGIN => format!("\"{value}\", by default"),
            origin => format!("\"{value}\", by {origin}"),
        };
        Some(format!(
            "the nodes have different settings. On {this}, {name} is {}; on {that}, it is {}. Give all nodes the same: the \
             launcher passes a variable on by -x NAME (Open MPI) or -genv NAME VALUE (MPICH), and passes options behind the \
             program, such as -ocr:{name}, to all nodes.",
            says(own),
            says(others)
        ))
    }
}

/// What node 0 tells each node, of what all have told it.
pub(super) fn welcomes(hellos: &[Hello]) -> Vec<Welcome> {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64);
    // Two machines may begin a program at one time.
    let launch =
        hellos.iter().fold(now, |launch, hello| launch.rotate_left(5) ^ hello.start << 32 ^ u64::from(hello.pid));
    let welcome = |node: usize| {
        let this = &hellos[node];
        let on_machine = || hellos.iter().enumerate().filter(|(_, other)| this.is_on_machine_of(other));
        let sharing: Vec<usize> =
            on_machine().filter(|(_, other)| other.cores == this.cores).map(|(at, _)| at).collect();
        let index = sharing.iter().position(|&at| at == node).unwrap_or(0);
        let mates = on_machine().filter(|(at, other)| *at != node && other.numbering == this.numbering);
        let process = |(at, other): (usize, &Hello)| Process {
            node: at as u32,
            pid: other.pid,
            start: other.start,
            bell: other.bell,
        };
        Welcome {
            share: (index as u32, sharing.len() as u32),
            mates: mates.map(process).take(MOST_MATES as usize).collect(),
            launch,
        }
    };
    (0..hellos.len()).map(welcome).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::config::SETTINGS;

    pub(crate) fn hello() -> Hello {
        let build = |id: &str, file: &str| Build { id: id.into(), file: file.into() };
        Hello {
            version: "1.2.3".into(),
            library: build("aa", "/lib/libocr.so.0"),
            program: build("bb", "/home/u/p"),
            settings: vec![("check".into(), "off".into(), DEFAULT_ORIGIN.into())],
            host: "m".into(),
            boot: "b".into(),
            numbering: "pid:[1]".into(),
            pid: 100,
            start: 7,
            bell: BellPlace { descriptor: 9, inode: 10 },
            cores: "0-3".into(),
        }
    }

    #[test]
    fn settings_that_must_be_the_same_are_settings() {
        for name in OF_THE_PROGRAM {
            assert!(SETTINGS.iter().any(|setting| setting.name == *name), "{name}");
        }
    }

    #[test]
    fn nodes_that_are_alike_differ_in_nothing() {
        let other = Hello { pid: 101, start: 8, host: "n".into(), boot: "c".into(), cores: "0".into(), ..hello() };
        assert_eq!(hello().difference(0, &other, 1), None);
        // A library may be in another place of another machine.
        let mut moved = other;
        moved.library.file = "/opt/libocr.so.0".into();
        assert_eq!(hello().difference(0, &moved, 1), None);
    }

    #[test]
    fn a_difference_names_both_sides() {
        let mut other = Hello { pid: 101, ..hello() };
        other.program.id = "cc".into();
        let said = hello().difference(0, &other, 3).expect("they differ");
        for word in ["node 0 (process 100 on m)", "node 3 (process 101 on m)", "program", "build ID bb", "build ID cc"]
        {
            assert!(said.contains(word), "{word}: {said}");
        }
        let mut other = hello();
        other.settings[0] = ("check".into(), "strict".into(), "$OCR_CHECK".into());
        let said = hello().difference(0, &other, 1).expect("they differ");
        for word in ["check is \"off\", by default", "it is \"strict\", by $OCR_CHECK"] {
            assert!(said.contains(word), "{word}: {said}");
        }
    }

    #[test]
    fn nodes_of_a_machine_know_one_another() {
        let away = Hello { boot: "c".into(), ..hello() };
        let bound = Hello { cores: "1".into(), pid: 103, ..hello() };
        let contained = Hello { numbering: "pid:[2]".into(), pid: 104, ..hello() };
        let all = [hello(), away, Hello { pid: 102, ..hello() }, bound, contained];
        let welcomes = welcomes(&all);
        // Those that may use the same cores share them.
        assert_eq!(welcomes.iter().map(|it| it.share).collect::<Vec<_>>(), [(0, 3), (0, 1), (1, 3), (0, 1), (2, 3)]);
        // Those whose processes have numbers of the same kind watch one another.
        let mates = |node: usize| welcomes[node].mates.iter().map(|mate| (mate.node, mate.pid)).collect::<Vec<_>>();
        assert_eq!(mates(0), [(2, 102), (3, 103)]);
        assert_eq!(mates(1), []);
        assert_eq!(mates(4), []);
    }
}
