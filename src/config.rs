//! Every setting: where it can be given, what it means, and where it came from.
//!
//! A later source wins: default, file (`OCR_CONFIG` or `-ocr:cfg`, TOML), environment, `-ocr:`
//! argument. A relative name of a file is of the directory in which the process was started, whichever the source.
//! To add a setting, add a line to [`SETTINGS`] and a field to [`Settings`], and read it in
//! `Values::settings` and show it in [`Settings::rows`].

mod arguments;
mod values;

use crate::device::Selection;
use crate::directory::from_start;
use crate::model::Store;
use crate::sched::policy;
use crate::text::Readable;
pub use arguments::GivenArguments;
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use values::{
    parse_bind, parse_bytes, parse_checks, parse_count, parse_flag, parse_models, parse_patience,
    parse_queues, parse_workers,
};

/// One setting, as people see it.
pub struct Description {
    /// The key in a file and behind `-ocr:`.
    pub name: &'static str,
    /// The name of the environment variable.
    pub variable: &'static str,
    /// What it means, with its values.
    pub what: &'static str,
}

/// All settings, in the order in which help and tables show them.
pub const SETTINGS: &[Description] = &[
    Description {
        name: "workers",
        variable: "OCR_WORKERS",
        what: "worker threads; default: the cores that the process may use, less those of a CPU device beside functions",
    },
    Description {
        name: "bind",
        variable: "OCR_BIND",
        what: "auto: workers and a CPU device that is used beside functions get cores of their own; off: all share all",
    },
    Description {
        name: "sched",
        variable: "OCR_SCHED",
        what: "placement policy: eft, cpu, device, static:C:D, eager, heteroprio, locality, random:SEED",
    },
    Description {
        name: "devices",
        variable: "OCR_DEVICES",
        what: "OpenCL devices: auto, none, cpu, gpu, all, or numbers as `ocr info` prints them",
    },
    Description {
        name: "device-memory",
        variable: "OCR_DEVICE_MEMORY",
        what: "bound on the memory of each device's buffers, e.g. 512M; default: 3/4 of a device that has its own",
    },
    Description {
        name: "device-copies",
        variable: "OCR_DEVICE_FORCE_COPIES",
        what: "1: copy to devices that share the host's memory, too (for tests)",
    },
    Description {
        name: "device-queues",
        variable: "OCR_DEVICE_QUEUES",
        what: "command queues for kernels of each device, 1 to 32; kernels in different ones may run at the same time; default: 2 for a CPU device, 16 for others",
    },
    Description {
        name: "device-ahead",
        variable: "OCR_DEVICE_AHEAD",
        what: "kernels that each device has enqueued behind the one they wait for, at most; 0: none; default: 32",
    },
    Description {
        name: "patience",
        variable: "OCR_PATIENCE",
        what: "seconds after which a note says that nothing ends on a device for which all others wait, and again after twice the time; off; default: 60",
    },
    Description {
        name: "platform",
        variable: "OCR_PLATFORM",
        what: "a description of the machine, as `ocr info --write-platform FILE` writes it",
    },
    Description {
        name: "models",
        variable: "OCR_MODELS",
        what: "what runs have learned of how long EDTs and copies take: off, or a directory; runs under every policy add to it, and eft and heteroprio read it; default: ocr/models in the user's cache directory",
    },
    Description {
        name: "check",
        variable: "OCR_CHECK",
        what: "strict: end at the first misuse of the interface that can be seen, and say what to do; leaks: and with status 1 if objects are left; default: off",
    },
    Description {
        name: "stats",
        variable: "OCR_STATS",
        what: "1: print at exit what ran where and what moved",
    },
    Description {
        name: "report",
        variable: "OCR_REPORT",
        what: "a file that gets the same as JSON",
    },
    Description {
        name: "trace",
        variable: "OCR_TRACE",
        what: "a file that gets a recording of the run, for `ocr trace`, or for viewers if its name ends in .pftrace or .json",
    },
    Description {
        name: "halt-dot",
        variable: "OCR_HALT_DOT",
        what: "a file that gets what waits for what, for Graphviz, when the program hangs and on SIGUSR1",
    },
];

/// The origin of a value that nobody has given.
pub const DEFAULT_ORIGIN: &str = "default";

/// A value and where it came from.
#[derive(Clone, Debug)]
pub struct Set<T> {
    /// The value that the run uses.
    pub value: T,
    /// Where the value came from, as messages say it.
    pub origin: String,
}

impl<T> std::ops::Deref for Set<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.value
    }
}

/// How much of what the program does is checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Checks {
    /// Checks only what costs nothing.
    Off,
    /// Strict mode, in which a misuse ends the program.
    Strict,
    /// Strict mode, in which it is an error to leave objects behind.
    Leaks,
}

impl Checks {
    /// Whether strict mode is on.
    pub fn is_on(self) -> bool {
        self != Checks::Off
    }
}

impl fmt::Display for Checks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Checks::Off => "off",
            Checks::Strict => "strict",
            Checks::Leaks => "leaks",
        })
    }
}

/// Whether workers and CPU devices get cores of their own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bind {
    /// Workers and CPU devices get cores of their own where both run EDTs.
    Auto,
    /// All threads may run on all cores.
    Off,
}

impl fmt::Display for Bind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Bind::Auto => "auto",
            Bind::Off => "off",
        })
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
    /// Where that is; none if nothing is to be kept, or the user has no cache directory.
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

/// The settings of a run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How many cores the process may use: no setting.
    pub cores: usize,
    /// Worker threads, at least 1.
    pub workers: Set<usize>,
    /// Whether workers and CPU devices get cores of their own.
    pub bind: Set<Bind>,
    /// Name of the placement policy.
    pub sched: Set<String>,
    /// Which OpenCL devices are used.
    pub devices: Set<Selection>,
    /// Bytes of buffers per device.
    pub device_memory: Set<Option<u64>>,
    /// Copy even where memory is shared.
    pub device_copies: Set<bool>,
    /// Queues for kernels, per device. None: as many as suit the kind of device.
    pub device_queues: Set<Option<usize>>,
    /// Kernels enqueued ahead, per device.
    pub device_ahead: Set<usize>,
    /// After how long a note says that all wait for a device; whole seconds, at least 1. None: it is not said.
    pub patience: Set<Option<Duration>>,
    /// The description of the machine is there.
    pub platform: Set<Option<PathBuf>>,
    /// Where what runs have learned is kept.
    pub models: Set<Models>,
    /// How much of what the program does is checked.
    pub check: Set<Checks>,
    /// Whether statistics are printed on the standard error at exit.
    pub stats: Set<bool>,
    /// The file that gets the report as JSON; none: nobody asks for it.
    pub report: Set<Option<PathBuf>>,
    /// The file that gets a recording of the run; none: nothing is recorded.
    pub trace: Set<Option<PathBuf>>,
    /// The file that gets a graph of what waits, when the program hangs or SIGUSR1 comes; none: it is not drawn.
    pub halt_dot: Set<Option<PathBuf>>,
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
const PATIENCE: Duration = Duration::from_secs(60);

/// The value that each setting was given, and its origin.
struct Values(HashMap<&'static str, (OsString, String)>);

/// A variable of the environment; an empty one is as none.
fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|text| !text.is_empty())
}

/// Variables of the environment that look like a setting and are none, with the setting that each looks like.
fn misspelt(names: impl Iterator<Item = OsString>) -> Vec<(String, &'static str)> {
    /// The most letters that may be wrong, missing or too many.
    const NEAR: usize = 2;
    let known = || {
        SETTINGS
            .iter()
            .map(|setting| setting.variable)
            .chain(["OCR_CONFIG"])
    };
    let near = names
        .filter(|name| name.as_bytes().starts_with(b"OCR_"))
        .filter_map(|name| {
            // What is not UTF-8 counts as one letter here.
            let letters = name.to_string_lossy();
            let distance = |known: &&str| strsim::osa_distance(&letters, known);
            let nearest = known().min_by_key(distance)?;
            (1..=NEAR)
                .contains(&distance(&nearest))
                .then(|| (Readable::os(&name).to_string(), nearest))
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
        let mut values = Values(HashMap::new());
        let file = given.file.clone();
        if let Some(path) = file.or_else(|| variable("OCR_CONFIG").map(PathBuf::from)) {
            values.read_file(&path)?;
        }
        let names = std::env::vars_os().map(|(name, _)| name);
        for (name, nearest) in misspelt(names) {
            warning!("${name} is no setting and has no effect: ${nearest} is one");
        }
        for setting in SETTINGS {
            if let Some(text) = variable(setting.variable) {
                values
                    .0
                    .insert(setting.name, (text, format!("${}", setting.variable)));
            }
        }
        for (setting, text) in &given.settings {
            values.0.insert(
                setting.name,
                (text.clone(), format!("-ocr:{}", setting.name)),
            );
        }
        values.settings()
    }

    /// Each setting as text, for `ocr info`: name, value, origin.
    pub fn rows(&self) -> Vec<(&'static str, String, &str)> {
        fn maybe(value: &Option<impl fmt::Display>) -> String {
            value
                .as_ref()
                .map_or("-".into(), std::string::ToString::to_string)
        }
        let path = |set: &Set<Option<PathBuf>>| maybe(&set.value.as_deref().map(Readable::path));
        vec![
            ("workers", self.workers.to_string(), &self.workers.origin),
            ("bind", self.bind.to_string(), &self.bind.origin),
            ("sched", self.sched.to_string(), &self.sched.origin),
            ("devices", self.devices.to_string(), &self.devices.origin),
            (
                "device-memory",
                maybe(&self.device_memory.value),
                &self.device_memory.origin,
            ),
            (
                "device-copies",
                self.device_copies.to_string(),
                &self.device_copies.origin,
            ),
            (
                "device-queues",
                maybe(&self.device_queues.value),
                &self.device_queues.origin,
            ),
            (
                "device-ahead",
                self.device_ahead.to_string(),
                &self.device_ahead.origin,
            ),
            (
                "patience",
                (self.patience.value).map_or("off".into(), |time| time.as_secs().to_string()),
                &self.patience.origin,
            ),
            ("platform", path(&self.platform), &self.platform.origin),
            ("models", self.models.to_string(), &self.models.origin),
            ("check", self.check.to_string(), &self.check.origin),
            ("stats", self.stats.to_string(), &self.stats.origin),
            ("report", path(&self.report), &self.report.origin),
            ("trace", path(&self.trace), &self.trace.origin),
            ("halt-dot", path(&self.halt_dot), &self.halt_dot.origin),
        ]
    }
}

impl Values {
    fn read_file(&mut self, path: &Path) -> Result<(), String> {
        // Programs written for the reference implementation name a machine description here, which
        // says nothing to this runtime.
        if !path.as_os_str().as_bytes().ends_with(b".toml") {
            return Ok(());
        }
        let file = from_start(path).map_err(|error| format!("the settings file: {error}"))?;
        let path = Readable::path(&file);
        let bytes = std::fs::read(&file)
            .map_err(|error| format!("the settings file {path} cannot be read: {error}"))?;
        let text = String::from_utf8(bytes).map_err(|error| {
            let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
            format!(
                "the settings file {path} is not TOML: line {line} is not UTF-8; a name that is not can be given in \
                 the environment or by an -ocr: argument"
            )
        })?;
        let table: toml::Table = text
            .parse()
            .map_err(|error| format!("the settings file {path} is not TOML: {error}"))?;
        for (key, value) in table {
            let setting = find(&key).map_err(|message| format!("{path}: {message}"))?;
            let text = match value {
                toml::Value::String(text) => text,
                toml::Value::Boolean(value) => (value as u8).to_string(),
                toml::Value::Integer(value) => value.to_string(),
                other => {
                    return Err(format!(
                        "{path}: {key}: a {} is no value here",
                        other.type_str()
                    ));
                }
            };
            self.0.insert(setting.name, (text.into(), path.to_string()));
        }
        Ok(())
    }

    fn get<T>(
        &self,
        name: &str,
        default: T,
        parse: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<Set<T>, String> {
        self.get_bytes(name, default, |text| match text.to_str() {
            Some(text) => parse(text),
            None => Err(format!("\"{}\" is not UTF-8", Readable::os(text))),
        })
    }

    /// The name of a file, which need not be UTF-8.
    fn get_file(&self, name: &str) -> Result<Set<Option<PathBuf>>, String> {
        self.get_bytes(name, None, |text| {
            let file = from_start(Path::new(text)).map_err(|error| error.to_string())?;
            Ok(Some(file))
        })
    }

    fn get_bytes<T>(
        &self,
        name: &str,
        default: T,
        parse: impl FnOnce(&OsStr) -> Result<T, String>,
    ) -> Result<Set<T>, String> {
        let Some((text, origin)) = self.0.get(name) else {
            return Ok(Set {
                value: default,
                origin: "default".into(),
            });
        };
        let value = parse(text).map_err(|message| format!("{origin}: {message}"))?;
        Ok(Set {
            value,
            origin: origin.clone(),
        })
    }

    fn settings(&self) -> Result<Settings, String> {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Ok(Settings {
            cores,
            workers: self.get("workers", cores, parse_workers)?,
            bind: self.get("bind", Bind::Auto, parse_bind)?,
            sched: self.get("sched", policy::DEFAULT.into(), |text| {
                policy::parse(text).map(|_| text.to_string())
            })?,
            devices: self.get("devices", Selection::Auto, str::parse)?,
            device_memory: self.get("device-memory", None, |text| parse_bytes(text).map(Some))?,
            device_copies: self.get("device-copies", false, parse_flag)?,
            device_queues: self.get("device-queues", None, |text| parse_queues(text).map(Some))?,
            device_ahead: self.get("device-ahead", 32, parse_count)?,
            patience: self.get("patience", Some(PATIENCE), parse_patience)?,
            platform: self.get_file("platform")?,
            models: self.get_bytes("models", Models::Cache, parse_models)?,
            check: self.get("check", Checks::Off, parse_checks)?,
            stats: self.get("stats", false, parse_flag)?,
            report: self.get_file("report")?,
            trace: self.get_file("trace")?,
            halt_dot: self.get_file("halt-dot")?,
        })
    }
}

fn find(name: &str) -> Result<&'static Description, String> {
    SETTINGS
        .iter()
        .find(|setting| setting.name == name)
        .ok_or_else(|| {
            let known: Vec<_> = SETTINGS.iter().map(|setting| setting.name).collect();
            format!(
                "there is no setting \"{name}\"; there are: {}",
                known.join(", ")
            )
        })
}

/// The text that `-ocr:help` prints: each option, with its meaning.
pub fn help() -> String {
    let mut text = String::from("Options of the OCR runtime, taken out before the program runs:\n");
    for setting in SETTINGS {
        text += &format!(
            "  -ocr:{:<14} ${:<24} {}\n",
            setting.name, setting.variable, setting.what
        );
    }
    text += "  -ocr:cfg FILE    $OCR_CONFIG               the same settings in TOML\n";
    text += "  -ocr:version, -ocr:help\n";
    text
}

#[cfg(test)]
mod tests;
