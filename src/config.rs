//! Every setting: where it can be given, what it means, and where it came from.
//!
//! A later source wins: default, file (`OCR_CONFIG` or `-ocr:cfg`, TOML), environment, `-ocr:` argument. A relative
//! name of a file is of the directory in which the process was started, whichever the source. A program that has been
//! given more rights than its user has (set-user-ID) takes no name of a file from that user. To add a setting, add an
//! entry to `settings!`. Its name, variable, meaning, default, reading and row follow from that.
//!
//! | file | what it has |
//! |---|---|
//! | `config/values.rs` | how a value is read |
//! | `config/words.rs` | settings whose values are words: each word with what it means |
//! | `config/arguments.rs` | the `-ocr:` arguments of a command line |
//! | `config/checkpoint.rs`, `config/redundancy.rs`, `config/retry.rs`, `config/time_limit.rs` | settings of several values: `OCR_CHECKPOINT`, `OCR_REDUNDANT`, `OCR_RETRY`, `OCR_TIME_LIMIT` |

mod arguments;
mod checkpoint;
mod redundancy;
mod retry;
mod time_limit;
mod values;
mod words;

use crate::device::Selection;
use crate::directory::from_start;
pub use arguments::GivenArguments;
pub use checkpoint::CheckpointSetting;
use checkpoint::parse_checkpoint;
use ocr_base::text::Readable;
use ocr_place::model::Store;
use ocr_place::policy;
use redundancy::parse_redundancy;
pub use redundancy::{FloatType, Redundancy, Tolerance};
pub use retry::Retry;
use retry::parse_retry;
use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
pub use time_limit::TimeLimit;
use time_limit::parse_time_limit;
use values::{
    parse_bytes, parse_count, parse_flag, parse_models, parse_patience, parse_policy, parse_queues, parse_workers,
};
pub use words::{Bind, Checks, Nodes, Placing};
use words::{parse_bind, parse_checks, parse_nodes, parse_place};

/// One setting, as people see it.
pub struct Description {
    /// The key in a file and behind `-ocr:`.
    pub name: &'static str,
    /// The name of the environment variable.
    pub variable: &'static str,
    /// What it means, with its values.
    pub what: &'static str,
}

/// The origin of a value that the user has not given.
pub const DEFAULT_ORIGIN: &str = "default";

/// A value and where it came from.
#[derive(Clone, Debug)]
pub struct Set<T> {
    /// The value that the run uses.
    pub value: T,
    /// Where the value came from, as messages say it.
    pub origin: String,
}

impl<T: PartialEq> Set<T> {
    /// The setting, which names files, or `nothing` where the program has rights that its user does not have. If values
    /// may name something else than a file, `is_file` tells.
    fn unless_privileged(self, values: &Values, name: &str, nothing: T, is_file: Option<fn(&T) -> bool>) -> Set<T> {
        let names_file = self.value != nothing && is_file.is_none_or(|is_file| is_file(&self.value));
        if !values.is_privileged || !names_file {
            return self;
        }
        let given = values.given.get(name).map(|(_, origin)| origin.clone());
        values.ignored.borrow_mut().extend(given);
        Set { value: nothing, origin: "the rights of the program".to_string() }
    }
}

impl<T> std::ops::Deref for Set<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.value
    }
}

/// Where what runs have learned is kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Models {
    /// In the user's cache directory, by policies that learn.
    Cache,
    /// Nothing is kept beyond the run.
    Off,
    /// In this directory, by all policies.
    In(PathBuf),
}

impl Models {
    /// Where that is; none if nothing will be kept, or the user has no cache directory.
    pub fn store(&self) -> Option<Store> {
        match self {
            Models::Off => None,
            Models::In(directory) => Some(Store::new(directory.clone())),
            Models::Cache => Store::of_user(|name| std::env::var_os(name)),
        }
    }
}

impl fmt::Display for Models {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Models::Cache => f.write_str("-"),
            Models::Off => f.write_str("off"),
            Models::In(path) => Readable::path(path).fmt(f),
        }
    }
}

/// Makes the table of all settings, the struct of their values, and what reads and shows each of them.
///
/// An entry has, in this order: what its field is for, the field and its type, its default, how it is read, its name in
/// a file and behind `-ocr:`, the variable of the environment, and what help says of it. A setting that names files
/// also has its value where the program has rights that its user does not have, and which values name files, if not all
/// do. `cores` is what a default may use: how many cores the process may use.
macro_rules! settings {
    ($cores:ident; $(
        $(#[$doc:meta])* $field:ident: $type:ty = $default:expr, $read:expr, $name:literal, $variable:literal,
        $what:literal $(, names files $(if $is_file:path)?: $nothing:expr)?;
    )*) => {
        /// All settings, in the order in which help and tables show them.
        pub const SETTINGS: &[Description] = &[$(Description {
            name: $name,
            variable: $variable,
            what: $what,
        }),*];

        /// The settings of a run.
        #[derive(Clone, Debug)]
        pub struct Settings {
            /// How many cores the process may use: no setting.
            pub cores: usize,
            /// The file of settings; none where none was read.
            pub file: Option<PathBuf>,
            /// Which of the program's nodes on this machine the process is, from 0, and how many they are: no setting.
            pub on_machine: (usize, usize),
            $($(#[$doc])* pub $field: Set<$type>,)*
        }

        impl Settings {
            /// Each setting as text, for `ocr info`: name, value, origin.
            pub fn rows(&self) -> Vec<(&'static str, String, &str)> {
                vec![$(($name, self.$field.value.show(), &self.$field.origin)),*]
            }
        }

        impl Values {
            fn settings(&self) -> Result<Settings, String> {
                let $cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
                Ok(Settings {
                    cores: $cores,
                    file: self.file.clone(),
                    on_machine: (0, 1),
                    $($field: self.get($name, $default, $read)?$(
                        .unless_privileged(self, $name, $nothing, None$(.or(Some(|value| $is_file(value))))?)
                    )?,)*
                })
            }
        }
    };
}

settings! { cores;
    /// Worker threads, at least 1.
    workers: usize = cores, utf8(parse_workers), "workers", "OCR_WORKERS",
        "worker threads; default: the cores that the process may use, less the fixed share of a CPU device beside functions";

    /// Whether workers and CPU devices get cores of their own.
    bind: Bind = Bind::Auto, utf8(parse_bind), "bind", "OCR_BIND",
        "auto: under eft, a CPU device has cores of the workers' for as long as kernels use them better; otherwise as fixed; fixed: workers and a CPU device that is used beside functions get cores of their own; cores: so, and each worker stays on one core; off: all share all";

    /// Name of the placement policy.
    sched: String = policy::DEFAULT.into(), utf8(parse_policy), "sched", "OCR_SCHED",
        "placement policy: eft, cpu, device, static:C:D, eager, heteroprio, locality, random:SEED, or the file of a policy, as ./mine.so",
        names files if policy::is_file: policy::DEFAULT.into();

    /// Whether the process is a node of a program on several.
    nodes: Nodes = Nodes::Auto, utf8(parse_nodes), "nodes", "OCR_NODES",
        "auto: where a launcher, such as mpirun, has started several processes of a program without a main of its own, they are the nodes of one program; mpi: of any program; 1: each process runs the whole program by itself";

    /// Where EDTs are created on several nodes.
    place: Placing = Placing::Home, utf8(parse_place), "place", "OCR_PLACE",
        "on several nodes, where an EDT without a hint is created: home, on the node of its creator; round, on one node after the other; default: home";

    /// The plug-in for MPI.
    mpi: Option<PathBuf> = None, file, "mpi", "OCR_MPI",
        "the plug-in for MPI, libocr-mpi-openmpi.so or another; default: the one beside the library that suits the launcher", names files: None;

    /// Which OpenCL devices are used.
    devices: Selection = Selection::Auto, utf8(str::parse), "devices", "OCR_DEVICES",
        "OpenCL devices: auto, none, cpu, gpu, all, or numbers as `ocr info` prints them; default: auto, and the nodes of a machine divide those among them", names files: Selection::None;

    /// Bytes of buffers per device.
    device_memory: Option<u64> = None, utf8(|text| parse_bytes(text).map(Some)), "device-memory", "OCR_DEVICE_MEMORY",
        "bound on the memory of each device's buffers, e.g. 512M; default: 3/4 of a device that has its own";

    /// Copy even where memory is shared.
    device_copies: bool = false, utf8(parse_flag), "device-copies", "OCR_DEVICE_FORCE_COPIES",
        "1: copy to devices that share the host's memory, too (for tests)";

    /// Queues for kernels, per device. None: as many as suit the kind of device.
    device_queues: Option<usize> = None, utf8(|text| parse_queues(text).map(Some)), "device-queues", "OCR_DEVICE_QUEUES",
        "command queues for kernels of each device, 1 to 32; kernels in different ones may run at the same time; default: 2 for a CPU device, 16 for others";

    /// Kernels enqueued ahead, per device.
    device_ahead: usize = 32, utf8(parse_count), "device-ahead", "OCR_DEVICE_AHEAD",
        "kernels that each device has enqueued behind the one they wait for, at most; 0: none; default: 32";

    /// After how long a note says that all wait for a device; whole seconds, at least 1. None: it is not said.
    patience: Option<Duration> = Some(DEFAULT_PATIENCE), utf8(parse_patience), "patience", "OCR_PATIENCE",
        "seconds after which a note says that nothing ends on a device for which all others wait, and again after twice the time; off; default: 60";

    /// How many events that have triggered and are gone each thread remembers, at least; 0: a dependence on one is
    /// refused.
    gone_events: usize = 64, utf8(parse_count), "gone-events", "OCR_GONE_EVENTS",
        "how many once, latch and output events that went last each thread remembers, at least, so that a dependence that comes too late is served; 0: refuse it; default: 64";

    /// The description of the machine is there.
    platform: Option<PathBuf> = None, file, "platform", "OCR_PLATFORM",
        "a description of the machine, as `ocr info --write-platform FILE` writes it", names files: None;

    /// Where what runs have learned is kept.
    models: Models = Models::Cache, parse_models, "models", "OCR_MODELS",
        "what runs have learned of how long EDTs and copies take: off, or a directory; runs under every policy add to it, and eft, heteroprio and policies of files read it; default: ocr/models in the user's cache directory", names files: Models::Off;

    /// How much of what the program does is checked.
    check: Checks = Checks::Off, utf8(parse_checks), "check", "OCR_CHECK",
        "strict: end at the first misuse of the interface that can be seen, and say what to do; leaks: and with status 1 if objects are left; default: off";

    /// How often EDTs with a C function and a kernel run, to be compared; none: once.
    redundant: Option<Redundancy> = None, utf8(parse_redundancy), "redundant", "OCR_REDUNDANT",
        "2: each EDT that has a C function and a kernel runs as both, and what they leave in its blocks is compared; 3: and as a kernel once more; 2:f32, 2:f64:1e-9: as numbers that may be apart by a part of their size; off; default: off";

    /// How often an EDT whose function crashes, or whose kernel fails, is undone and runs again.
    retry: Retry = Retry::Off, utf8(parse_retry), "retry", "OCR_RETRY",
        "how often an EDT whose function crashes, or whose kernel fails, is undone and runs again, 1 to 1000; verify: each EDT runs twice, and the first time is undone (for tests); off; default: off";

    /// Whether an idle worker runs an EDT, too, that a device is late with.
    duplicates: bool = false, utf8(parse_flag), "duplicates", "OCR_DUPLICATES",
        "1: an idle worker calls the C function of an EDT whose kernel has not ended in twice the expected time, or in a time that is not known, and what ends first counts; 0; default: 0";

    /// How long the function of an EDT may run; none: as long as it wants.
    time_limit: Option<TimeLimit> = None, utf8(parse_time_limit), "time-limit", "OCR_TIME_LIMIT",
        "seconds that the function of an EDT may run, or 10x: ten times its OCR_HINT_EDT_TIME; one that takes longer is undone and runs again with OCR_RETRY, and ends the program otherwise; off; default: off";

    /// Whether statistics are printed on the standard error at exit.
    stats: bool = false, utf8(parse_flag), "stats", "OCR_STATS",
        "1: print at exit what ran where and what moved";

    /// The file that gets the report as JSON; none: no report is wanted.
    report: Option<PathBuf> = None, file, "report", "OCR_REPORT",
        "a file that gets the same as JSON", names files: None;

    /// The file that gets a recording of the run; none: nothing is recorded.
    trace: Option<PathBuf> = None, file, "trace", "OCR_TRACE",
        "a file that gets a recording of the run, for `ocr trace`, or for viewers if its name ends in .pftrace, .json, .html, .dot or .graphml", names files: None;

    /// Where checkpoints are written, and how often; none: none is written.
    checkpoint: Option<CheckpointSetting> = None, parse_checkpoint, "checkpoint", "OCR_CHECKPOINT",
        "DIR or DIR:SECONDS: a directory that gets checkpoints of the run, one each so many seconds, and one for each call of ocrCheckpoint and each `ocr checkpoint PID`", names files: None;

    /// The directory with the checkpoints from which the run goes on; none: it begins anew.
    restore: Option<PathBuf> = None, file, "restore", "OCR_RESTORE",
        "a directory with checkpoints: the run goes on from the last whole one", names files: None;

    /// The file that gets a graph of what waits, when the program hangs or SIGUSR1 comes; none: it is not drawn.
    halt_dot: Option<PathBuf> = None, file, "halt-dot", "OCR_HALT_DOT",
        "a file that gets what waits for what, for Graphviz, when the program hangs and on SIGUSR1", names files: None;
}

/// The value of a setting as `ocr info` shows it; "-" stands for none.
trait Show {
    fn show(&self) -> String;
}

macro_rules! show_as_displayed {
    ($($type:ty),* $(,)?) => {
        $(impl Show for $type {
            fn show(&self) -> String {
                self.to_string()
            }
        }

        impl Show for Option<$type> {
            fn show(&self) -> String {
                self.as_ref().map_or("-".into(), Show::show)
            }
        })*
    };
}

show_as_displayed!(
    usize,
    u64,
    bool,
    String,
    Selection,
    Checks,
    Retry,
    Bind,
    Nodes,
    Placing,
    Models,
    Redundancy,
    CheckpointSetting,
);

impl Show for Option<PathBuf> {
    fn show(&self) -> String {
        (self.as_deref()).map_or("-".into(), |path| Readable::path(path).to_string())
    }
}

impl Show for Option<TimeLimit> {
    fn show(&self) -> String {
        self.map_or("off".into(), |limit| limit.to_string())
    }
}

impl Show for Option<Duration> {
    fn show(&self) -> String {
        self.map_or("off".into(), |time| time.as_secs().to_string())
    }
}

/// What the command line asks for besides settings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Request {
    /// Nothing: the program is to run.
    Run,
    /// `-ocr:help`: the options are printed, and the program does not run.
    Help,
    /// `-ocr:version`: the version is printed, and the program does not run.
    Version,
}

/// After how long a note says that all wait for a device.
const DEFAULT_PATIENCE: Duration = Duration::from_secs(60);

/// What the settings are read from.
struct Values {
    /// The value that each setting was given, and its origin.
    given: HashMap<&'static str, (OsString, String)>,
    /// The file of settings; none where none was read.
    file: Option<PathBuf>,
    /// Whether the program has rights that its user does not have. Then the user names no files. Drivers of devices,
    /// and the user's cache directory, are named by variables, too.
    is_privileged: bool,
    /// What has named files in vain.
    ignored: RefCell<Vec<String>>,
}

/// Whether the system says that the program has rights that its user does not have: it is set-user-ID, set-group-ID, or
/// has capabilities of its file.
pub(crate) fn is_privileged() -> bool {
    if cfg!(miri) {
        // The interpreter does not have the call.
        return false;
    }
    // SAFETY: the call takes a number, and reads what the system gave the process when it began.
    unsafe { libc::getauxval(libc::AT_SECURE) != 0 }
}

/// A variable of the environment; an empty one is as none.
fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|text| !text.is_empty())
}

/// The most letters that may be wrong, missing or too many in a name that is meant for another.
const NEAR: usize = 2;

/// Variables of the environment that look like a setting and are none, with the setting that each looks like.
fn misspelt(names: impl Iterator<Item = OsString>) -> Vec<(String, &'static str)> {
    let known = || SETTINGS.iter().map(|setting| setting.variable).chain(["OCR_CONFIG"]);
    let near = names.filter(|name| name.as_bytes().starts_with(b"OCR_")).filter_map(|name| {
        // What is not UTF-8 counts as one letter here.
        let letters = name.to_string_lossy();
        let distance = |known: &&str| strsim::osa_distance(&letters, known);
        let nearest = known().min_by_key(distance)?;
        (1..=NEAR).contains(&distance(&nearest)).then(|| (Readable::os(&name).to_string(), nearest))
    });
    near.collect()
}

impl Settings {
    /// Whether the user wants to know what ran where.
    pub fn is_reported(&self) -> bool {
        *self.stats || self.report.value.is_some()
    }

    /// Whether the user has asked for this number of workers.
    pub fn are_workers_fixed(&self) -> bool {
        self.workers.origin != DEFAULT_ORIGIN
    }

    /// Reads everything, and takes `-ocr:` arguments (with their values) out of `args`, whose first
    /// is the program's name. The error is for people.
    pub fn load(args: &mut Vec<OsString>) -> Result<(Settings, Request), String> {
        let given = GivenArguments::take_from(args)?;
        Ok((Settings::with(&given)?, given.request))
    }

    /// Reads everything; `given` are the arguments that were taken out before.
    pub fn with(given: &GivenArguments) -> Result<Settings, String> {
        Settings::read(given, is_privileged())
    }

    fn read(given: &GivenArguments, is_privileged: bool) -> Result<Settings, String> {
        let mut values = Values { given: HashMap::new(), file: None, is_privileged, ignored: RefCell::default() };
        let argument = given.file.clone().map(|file| (file, "-ocr:cfg"));
        let of_variable = || Some((variable("OCR_CONFIG")?.into(), "$OCR_CONFIG"));
        if let Some((path, origin)) = argument.or_else(of_variable) {
            values.read_file(&path, origin)?;
        }
        let names = std::env::vars_os().map(|(name, _)| name);
        for (name, nearest) in misspelt(names) {
            warning!("${name} is no setting and has no effect: ${nearest} is one");
        }
        for setting in SETTINGS {
            if let Some(text) = variable(setting.variable) {
                values.given.insert(setting.name, (text, format!("${}", setting.variable)));
            }
        }
        for (setting, text) in &given.settings {
            values.given.insert(setting.name, (text.clone(), format!("-ocr:{}", setting.name)));
        }
        let settings = values.settings()?;
        let ignored = values.ignored.into_inner();
        if !ignored.is_empty() {
            note!(
                "this program has rights that its user does not have (set-user-ID, set-group-ID or capabilities), so \
                 what names files counts for nothing, and no OpenCL device is used: {}",
                ignored.join(", ")
            );
        }
        Ok(settings)
    }
}

impl Values {
    fn read_file(&mut self, path: &Path, origin: &str) -> Result<(), String> {
        // Programs written for the reference implementation name a machine description here, which
        // says nothing to this runtime.
        if !path.as_os_str().as_bytes().ends_with(b".toml") {
            return Ok(());
        }
        if self.is_privileged {
            self.ignored.borrow_mut().push(origin.to_string());
            return Ok(());
        }
        let file = from_start(path).map_err(|error| format!("the settings file: {error}"))?;
        self.file = Some(file.clone());
        let path = Readable::path(&file);
        let bytes =
            std::fs::read(&file).map_err(|error| format!("the settings file {path} cannot be read: {error}"))?;
        let text = String::from_utf8(bytes).map_err(|error| {
            let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
            format!(
                "the settings file {path} is not TOML: line {line} is not UTF-8; a name that is not can be given in \
                 the environment or by an -ocr: argument"
            )
        })?;
        let table: toml::Table =
            text.parse().map_err(|error| format!("the settings file {path} is not TOML: {error}"))?;
        for (key, value) in table {
            let setting = find(&key).map_err(|message| format!("{path}: {message}"))?;
            let text = match value {
                toml::Value::String(text) => text,
                toml::Value::Boolean(value) => (value as u8).to_string(),
                toml::Value::Integer(value) => value.to_string(),
                other => {
                    return Err(format!("{path}: {key}: a {} is no value here", other.type_str()));
                }
            };
            self.given.insert(setting.name, (text.into(), path.to_string()));
        }
        Ok(())
    }

    fn get<T>(
        &self,
        name: &str,
        default: T,
        parse: impl FnOnce(&OsStr) -> Result<T, String>,
    ) -> Result<Set<T>, String> {
        let Some((text, origin)) = self.given.get(name) else {
            return Ok(Set { value: default, origin: DEFAULT_ORIGIN.into() });
        };
        let value = parse(text).map_err(|message| format!("{origin}: {message}"))?;
        Ok(Set { value, origin: origin.clone() })
    }
}

/// Reads a value that has to be UTF-8.
fn utf8<T>(parse: impl Fn(&str) -> Result<T, String>) -> impl FnOnce(&OsStr) -> Result<T, String> {
    move |text| match text.to_str() {
        Some(text) => parse(text),
        None => Err(format!("\"{}\" is not UTF-8", Readable::os(text))),
    }
}

/// The name of a file, which need not be UTF-8.
fn file(text: &OsStr) -> Result<Option<PathBuf>, String> {
    let file = from_start(Path::new(text)).map_err(|error| error.to_string())?;
    Ok(Some(file))
}

fn find(name: &str) -> Result<&'static Description, String> {
    SETTINGS.iter().find(|setting| setting.name == name).ok_or_else(|| {
        let known: Vec<_> = SETTINGS.iter().map(|setting| setting.name).collect();
        let distance = |known: &&&str| strsim::osa_distance(name, known);
        let nearest = known.iter().min_by_key(distance);
        let nearest = nearest.filter(|nearest| distance(nearest) <= NEAR);
        let meant = nearest.map_or(String::new(), |nearest| format!(" (do you mean {nearest}?)"));
        format!("there is no setting \"{name}\"{meant}; there are: {}", known.join(", "))
    })
}

/// The text that `-ocr:help` prints: each option, with its meaning.
pub fn help() -> String {
    let mut text = String::from("Options of the OCR runtime, taken out before the program runs:\n");
    for setting in SETTINGS {
        text += &format!("  -ocr:{:<14} ${:<24} {}\n", setting.name, setting.variable, setting.what);
    }
    text += "  -ocr:cfg FILE    $OCR_CONFIG               the same settings in TOML\n";
    text += "  -ocr:version, -ocr:help\n";
    text
}

#[cfg(test)]
mod tests;
