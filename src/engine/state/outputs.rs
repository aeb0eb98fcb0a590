//! The files that the settings name for what the run tells of itself: found, and tried out, before the run begins.
//!
//! A file that is read for the run, or gets what the program prints, is refused, and so are two outputs with one file:
//! one would be lost. What the program itself writes under such a name before the end stays
//! ([`identity::not_over_others`]).

use crate::config::{GivenArguments, Settings};
use crate::report::Report;
use ocr_analysis::export;
use ocr_base::output_file::OutputFile;
use ocr_base::text::{self, Readable};
use ocr_trace::identity::{self, COUNTED, NameTaken, RunIdentity};
use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// What `OCR_HALT_DOT` names, as messages call it.
const GRAPH: &str = "graph of what waits";

/// The files that are written when the run ends or hangs. The recording has its own.
#[derive(Default)]
pub(crate) struct Outputs {
    /// The run, as its files say.
    pub(crate) run: RunIdentity,
    /// The report as JSON.
    pub(crate) report: Option<OutputFile>,
    /// What is made of the recording for viewers, as it was when the run began.
    pub(crate) page: Option<OutputFile>,
    /// What waits for what, for Graphviz. It may be written several times.
    pub(crate) halt_dot: Option<Mutex<OutputFile>>,
}

/// Gives what a run writes names that no other run keeps from it. Returns what must be said of
/// that. The caller has a table of descriptors of its own, and keeps the result until the files are there: it keeps
/// other processes from looking for names meanwhile.
pub(crate) fn own_names(settings: &mut Settings, run: &RunIdentity) -> OwnNames {
    let mut own = OwnNames::default();
    let names = [
        ("report", &mut settings.report.value),
        (GRAPH, &mut settings.halt_dot.value),
        ("recording", &mut settings.trace.value),
    ];
    let names = names.into_iter().filter_map(|(what, value)| Some((what, value.as_mut()?)));
    // Names of pipes, devices and descriptors are those of what is written there.
    let is_plain = |name: &Path| OutputFile::new(name).is_ok_and(|file| file.plain().is_some());
    let mut names: Vec<_> = names.filter(|(_, name)| is_plain(name)).collect();
    for (_, name) in &mut names {
        **name = identity::of_node(name, run.node.node);
    }
    let folders = names.iter().filter_map(|(_, name)| name.parent());
    // In one order, so that two processes do not wait for each other.
    let folders: BTreeSet<PathBuf> = folders.map(Path::to_owned).collect();
    own.locks = folders.iter().filter_map(|folder| identity::lock(folder)).collect();
    for (what, name) in names {
        let is_recording = what == "recording";
        let (free, taken) = identity::own_name(name, run, |name| {
            let mut files = vec![name.to_owned()];
            if is_recording && export::recording_of(name) != *name {
                files.push(export::recording_of(name));
            }
            files
        });
        let [asked, got] = [&*name, &free].map(|name| Readable::path(name).to_string());
        let why = match taken {
            None => None,
            Some(NameTaken::ByRun) => {
                Some(format!("{asked} is that of another run, which goes on or is of the same job, such as a script"))
            }
            Some(NameTaken::ByFile(file)) => Some(format!("{} is a file of somebody else", Readable::path(&file))),
        };
        // There, the user has named no file.
        let is_counted = name.parent().is_some_and(|folder| folder.join(COUNTED).exists());
        if let Some(why) = why.filter(|_| !is_counted) {
            own.notes.push(format!("the {what} of this run is {got}: {why}"));
        }
        *name = free;
    }
    own
}

/// What must be said of the names that a run was given.
#[derive(Default)]
pub(crate) struct OwnNames {
    pub(crate) notes: Vec<String>,
    /// The locks of the folders.
    locks: Vec<File>,
}

impl Outputs {
    /// The files that the settings name. `checkpoints` are those that the run may read. The error is for people.
    pub(crate) fn of(settings: &Settings, checkpoints: &[PathBuf]) -> Result<Outputs, String> {
        let named = [("report", &settings.report), (GRAPH, &settings.halt_dot), ("recording", &settings.trace)];
        let mut found: Vec<(&str, OutputFile)> = Vec::new();
        for (what, set) in named {
            let Some(file) = set.value.as_deref() else {
                continue;
            };
            let name = Readable::path(file);
            let fail = |why: String| format!("the {what} {name} cannot be written: {why}");
            let output = match OutputFile::new(file) {
                Ok(output) => output,
                // What becomes of a recording is said when it begins.
                Err(_) if what == "recording" => continue,
                Err(error) => return Err(fail(format!("{error}. {} names it", set.origin))),
            };
            if let Some(what_it_is) = other_use(&output, settings, checkpoints) {
                return Err(fail(format!("it is {what_it_is}. Give it another name")));
            }
            let of_same = |(_, other): &&(_, OutputFile)| output.is_same(other);
            if let Some((other, _)) = found.iter().find(of_same)
                && output.plain().is_some()
            {
                return Err(fail(format!("it is the {other}, too. Give each a name of its own")));
            }
            found.push((what, output));
        }
        let mut outputs = Outputs::default();
        for (what, output) in found {
            match what {
                "report" => outputs.report = Some(output),
                "recording" => {}
                _ => outputs.halt_dot = Some(Mutex::new(output)),
            }
        }
        Ok(outputs)
    }

    /// Has the report say that this run goes on. If it crashes, the report of an earlier run would be taken for that of
    /// this one; and other runs leave it its name. The error is for people.
    pub(crate) fn claim(&mut self, run: &RunIdentity) -> Result<(), String> {
        self.run = *run;
        let Some(report) = self.report.as_mut().filter(|file| file.plain().is_some()) else {
            return Ok(());
        };
        let text = Report::of_going(run.to_string());
        let written = report.write(|out| out.write_all(text.as_bytes()));
        let seen = written.and_then(|()| OutputFile::new(report.name()));
        *report = seen.map_err(|error| {
            let name = Readable::path(report.name());
            format!("the report {name} cannot be written: {error}")
        })?;
        Ok(())
    }
}

/// The files that the words of the program's command line name, as it gets them.
fn arguments() -> Vec<PathBuf> {
    let mut words = std::env::args_os().collect();
    // There is no error: the settings of this run were read from them.
    let _ = GivenArguments::take_from(&mut words);
    words.iter().skip(1).flat_map(|word| text::files_in(word)).map(Path::to_owned).collect()
}

/// What a file is already that an output would overwrite, in words; none where it is nothing.
fn other_use(output: &OutputFile, settings: &Settings, checkpoints: &[PathBuf]) -> Option<&'static str> {
    if output.is_new() {
        return None;
    }
    let files = [
        ("the program itself", Some(Path::new("/proc/self/exe"))),
        ("the description of the machine", settings.platform.value.as_deref()),
        ("the settings file", settings.file.as_deref()),
    ];
    let is_it = |file: Option<&Path>| file.is_some_and(|file| output.is(file));
    let file = files.into_iter().find(|(_, file)| is_it(*file));
    if let Some((what, _)) = file {
        return Some(what);
    }
    // The program's libraries, and the one that has the policy.
    if output.is_code() {
        return Some("a program or a shared library");
    }
    if checkpoints.iter().any(|file| output.is(file)) {
        return Some("a checkpoint");
    }
    let is_file = |file: &Path| file.metadata().is_ok_and(|about| about.is_file());
    if arguments().iter().any(|file| is_file(file) && output.is(file)) {
        return Some("an argument of the program");
    }
    output.plain()?;
    let descriptors = [
        "the standard input",
        "the standard output, too, which /dev/stdout names",
        "the standard error, too, which /dev/stderr names",
    ];
    let mut numbered = (0..).zip(descriptors);
    let is_it = numbered.find(|(number, _)| output.is_descriptor(*number));
    is_it.map(|(_, what)| what)
}
