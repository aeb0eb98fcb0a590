//! The files that the settings name for what the run tells of itself: found, and tried out, before the run begins.
//!
//! A file that is read for the run, or gets what the program prints, is refused, and so are two outputs with one file:
//! one would be lost.

use crate::config::Settings;
use crate::output_file::OutputFile;
use crate::text::Readable;
use std::path::Path;

/// The files that are written when the run ends or hangs. The recording has its own.
#[derive(Default)]
pub(crate) struct Outputs {
    /// The report as JSON.
    pub(crate) report: Option<OutputFile>,
    /// What waits for what, for Graphviz.
    pub(crate) halt_dot: Option<OutputFile>,
}

impl Outputs {
    /// The files that the settings name. The error is for people.
    pub(crate) fn of(settings: &Settings) -> Result<Outputs, String> {
        let named = [
            ("report", &settings.report),
            ("graph of what waits", &settings.halt_dot),
            ("recording", &settings.trace),
        ];
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
            if let Some(what_it_is) = other_use(&output, settings) {
                return Err(fail(format!("it is {what_it_is}. Give it another name")));
            }
            let of_same = |(_, other): &&(_, OutputFile)| output.is_same(other);
            if let Some((other, _)) = found.iter().find(of_same)
                && output.plain().is_some()
            {
                return Err(fail(format!(
                    "it is the {other}, too. Give each a name of its own"
                )));
            }
            found.push((what, output));
        }
        let mut outputs = Outputs::default();
        for (what, output) in found {
            match what {
                "report" => outputs.report = Some(output),
                "recording" => {}
                _ => outputs.halt_dot = Some(output),
            }
        }
        Ok(outputs)
    }

    /// Empties the report of an earlier run. If this run crashes, it would be taken for that of this run. The error is
    /// for
    /// people.
    pub(crate) fn clear(&self) -> Result<(), String> {
        let Some(report) = &self.report else {
            return Ok(());
        };
        report.clear().map_err(|error| {
            let name = Readable::path(report.name());
            format!("the report {name} cannot be written: {error}")
        })
    }
}

/// What a file is already that an output would overwrite, in words; none where it is nothing.
fn other_use(output: &OutputFile, settings: &Settings) -> Option<&'static str> {
    let files = [
        ("the program itself", Some(Path::new("/proc/self/exe"))),
        (
            "the description of the machine",
            settings.platform.value.as_deref(),
        ),
        ("the settings file", settings.file.as_deref()),
    ];
    let is_it = |file: Option<&Path>| file.is_some_and(|file| output.is(file));
    let file = files.into_iter().find(|(_, file)| is_it(*file));
    if let Some((what, _)) = file {
        return Some(what);
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
