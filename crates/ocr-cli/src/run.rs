//! One run of an OCR program, with its report and the `key: value` lines of its output.

use crate::input::Input;
use crate::output::CommandError;
use crate::started;
use ocr::report::{Report, numbered};
use ocr_analysis::recorded as records;
use ocr_base::text::Readable;
use std::ffi::OsString;
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Output, Stdio};

/// A program and its arguments.
pub(crate) struct Program<'a> {
    /// The words of the program's command line; never empty.
    pub(crate) words: &'a [OsString],
    /// A folder for the program's report and recording.
    pub(crate) folder: &'a Path,
}

/// A run that ended well.
pub(crate) struct Run {
    /// The report of the runtime: of all programs that have run, if the command has run several.
    pub(crate) report: Report,
    /// How many programs of the runtime have run.
    pub(crate) programs: usize,
    /// The standard output. Bytes that are not UTF-8 are marked.
    pub(crate) output: String,
    /// The recording, or a text that says why it cannot be read. None for a run that was not recorded. Of several programs it
    /// is that of the one that has taken the most time.
    pub(crate) recording: Option<Result<records::RecordedRun, String>>,
}

/// Why there is no run that ended well.
pub(crate) enum RunError {
    /// The program cannot be started, for the reason in this text.
    NotStarted(String),
    /// The standard input or the output could not be passed on as a whole, for the reason in this text.
    Input(String),
    /// The program was started and failed.
    Failed {
        /// How the program failed, in a few words such as "failed (status 3)".
        how: String,
        /// The last lines of its standard error, or what else is known of the failure.
        tail: String,
    },
}

/// Refuses a command line whose program begins with a dash. This is a wrong option of `ocr`, which is read as the
/// program, since the program's own arguments may look like options.
pub(crate) fn check_words(words: &[OsString], command: &str) -> Result<(), CommandError> {
    let first = Readable::os(&words[0]).to_string();
    if first.starts_with('-') {
        return Err(CommandError::usage(format!(
            "there is no option {first}; ocr {command} --help lists them (a program of that name: ./{first})"
        )));
    }
    Ok(())
}

impl Program<'_> {
    /// Runs the program under a policy. `devices` is the value of `OCR_DEVICES`; none leaves the variable as it is. A
    /// run that is `recorded` has a recording, and its report says how good its schedule was.
    pub(crate) fn run(
        &self,
        input: &mut Input,
        policy: &str,
        devices: Option<&str>,
        recorded: bool,
    ) -> Result<Run, RunError> {
        let devices = devices.map(|devices| ("OCR_DEVICES", devices));
        let variables = [("OCR_SCHED", policy)].into_iter().chain(devices);
        self.run_with(input, variables, recorded)
    }

    /// Runs the program with the environment of this process and these variables.
    pub(crate) fn run_with<'v>(
        &self,
        input: &mut Input,
        variables: impl IntoIterator<Item = (&'v str, &'v str)>,
        recorded: bool,
    ) -> Result<Run, RunError> {
        let file = self.folder.join("report.json");
        // What an earlier run has left says nothing about this one.
        remove_all(&file);
        let mut command = Command::new(&self.words[0]);
        command
            .args(&self.words[1..])
            .envs(variables)
            .env("OCR_REPORT", &file);
        let recording = self.folder.join("recording");
        if recorded {
            command.env("OCR_TRACE", &recording);
        }
        let ends_with_us = || {
            // The signal comes when the thread ends that has started the program. That thread waits for the program.
            // SAFETY: `PR_SET_PDEATHSIG` takes a number and no pointer.
            unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGTERM) };
            Ok(())
        };
        // SAFETY: the closure makes one system call, which is allowed between fork and exec: it takes no lock and no
        // memory.
        unsafe { command.pre_exec(ends_with_us) };
        let output = self.output(command, input);
        let was_run = recorded && output.as_ref().is_ok_and(|output| output.status.success());
        let recording_read = was_run.then(|| longest(&recording));
        // The recording may be large, so it is removed at once.
        remove_all(&recording);
        let output = output?;
        if !output.status.success() {
            let how = how_it_ended(output.status);
            let errors = Readable(&output.stderr).to_string();
            return Err(RunError::Failed {
                how: format!("failed ({how})"),
                tail: tail(&errors) + &started::explain_end(&self.words[0], output.status),
            });
        }
        match reports(&file) {
            Ok((report, programs)) => Ok(Run {
                report,
                programs,
                output: Readable(&output.stdout).to_string(),
                recording: recording_read,
            }),
            Err(message) => Err(RunError::Failed {
                how: "no report".into(),
                tail: message,
            }),
        }
    }
}

/// The files that programs of one run have under a name.
fn numbered_files(name: &Path) -> impl Iterator<Item = PathBuf> {
    let files = (1..).map(|number| numbered(name, number));
    files.take_while(|file| file.exists())
}

fn remove_all(name: &Path) {
    let files: Vec<PathBuf> = numbered_files(name).collect();
    for file in files {
        let _ = std::fs::remove_file(file);
    }
}

/// The report of all programs that a run has run, and how many there were. The error is a text for the user.
fn reports(file: &Path) -> Result<(Report, usize), String> {
    let mut all: Option<Report> = None;
    let mut programs = 0;
    for file in numbered_files(file) {
        let text = std::fs::read_to_string(&file).map_err(|error| error.to_string())?;
        let report = Report::parse(&text)
            .map_err(|error| format!("its report is that of another version: {error}"))?;
        // A program that was killed has none.
        let Some(report) = report else { continue };
        programs += 1;
        match &mut all {
            Some(all) => all.add(report),
            None => all = Some(report),
        }
    }
    let all = all.ok_or("it wrote no report; is it a program that is linked with libocr?")?;
    Ok((all, programs))
}

/// The recording of the program that has taken the most time.
fn longest(name: &Path) -> Result<records::RecordedRun, String> {
    let mut longest: Option<records::RecordedRun> = None;
    for file in numbered_files(name) {
        let run = records::read(&file)?;
        if longest.as_ref().is_none_or(|longest| longest.end < run.end) {
            longest = Some(run);
        }
    }
    longest.ok_or_else(|| "it wrote no recording".to_string())
}

impl Program<'_> {
    /// Starts the program, feeds it, and waits for its end.
    fn output(&self, mut command: Command, input: &mut Input) -> Result<Output, RunError> {
        let system = |error: std::io::Error| RunError::Input(format!("no pipe for a run: {error}"));
        let given = input.give().map_err(system)?;
        let (ended, end) = std::io::pipe().map_err(system)?;
        command
            .stdin(given.stdin)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let child = command.spawn().map_err(|error| {
            RunError::NotStarted(started::explain_start(&self.words[0], &error))
        })?;
        // The command has the end of a pipe that only the program is to have.
        drop(command);
        std::thread::scope(|scope| {
            let ended = &ended;
            let feeding = given.feed.map(|feed| scope.spawn(move || feed.feed(ended)));
            let output = child.wait_with_output();
            drop(end);
            if let Some(feeding) = feeding {
                let fed = feeding.join().unwrap_or_else(|panic| resume_unwind(panic));
                fed.map_err(RunError::Input)?;
            }
            output.map_err(|error| {
                RunError::Input(format!("what a run prints cannot be read: {error}"))
            })
        })
    }
}

impl Run {
    /// The value in the first line `key: value` of the output. None if there is no such line.
    pub(crate) fn value(&self, key: &str) -> Option<&str> {
        self.output.lines().find_map(|line| {
            let value = line.trim_start().strip_prefix(key)?.trim_start();
            Some(value.strip_prefix(':')?.trim())
        })
    }

    /// How many seconds the run took, as the program prints it, or else as the runtime reports. Programs leave out what
    /// is no part of the work, such as reading files.
    pub(crate) fn seconds(&self) -> f64 {
        self.own_seconds().unwrap_or(self.report.seconds)
    }

    /// How many seconds the run took by the line `seconds: ...` of its output. None without such a number.
    pub(crate) fn own_seconds(&self) -> Option<f64> {
        let value: f64 = self.value("seconds")?.parse().ok()?;
        (value.is_finite() && value >= 0.0).then_some(value)
    }
}

/// The words for how a program ended.
fn how_it_ended(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("status {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => status.to_string(),
    }
}

/// The last lines of what a program wrote to the standard error.
fn tail(text: &str) -> String {
    const LINES: usize = 10;
    let lines: Vec<&str> = text.lines().collect();
    match lines.len().saturating_sub(LINES) {
        0 if lines.is_empty() => "(nothing on the standard error)".into(),
        0 => lines.join("\n"),
        left_out => format!("...\n{}", lines[left_out..].join("\n")),
    }
}

/// A folder that only this user can read. It is removed when this value is dropped.
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// A new folder among the system's temporary files. The error is a text for the user.
    pub(crate) fn new() -> Result<Folder, String> {
        let place = std::env::temp_dir();
        // The call fails where a folder of that name is there already, left over or planted by another user.
        for attempt in 0..100 {
            let path = place.join(format!("ocr-runs-{}-{attempt}", std::process::id()));
            match DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => return Ok(Folder(path)),
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => {
                    return Err(format!(
                        "no folder for reports can be made in {}: {error}; set TMPDIR to a folder \
                         that can be written",
                        Readable::path(&place)
                    ));
                }
            }
        }
        Err(format!(
            "{} is full of ocr-runs-* folders; remove them",
            Readable::path(&place)
        ))
    }

    /// The path of the folder.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_by_key() {
        let run = Run {
            report: Report {
                seconds: 2.0,
                ..Report::default()
            },
            programs: 1,
            output: "gcups_max: 9\n gcups : 1.5 x\ngcups: 2\nseconds: 0.25\n".into(),
            recording: None,
        };
        assert_eq!(run.value("gcups"), Some("1.5 x"));
        assert_eq!(run.value("gcup"), None);
        assert_eq!(run.seconds(), 0.25);
    }

    #[test]
    fn without_the_programs_seconds_the_reports_are_taken() {
        for output in ["", "seconds: many\n", "seconds: NaN\n", "seconds: -1\n"] {
            let run = Run {
                report: Report {
                    seconds: 2.0,
                    ..Report::default()
                },
                programs: 1,
                output: output.into(),
                recording: None,
            };
            assert_eq!(run.seconds(), 2.0, "{output}");
        }
    }

    #[test]
    fn long_texts_are_cut_at_the_front() {
        let text: String = (0..30).map(|n| format!("{n}\n")).collect();
        assert!(tail(&text).starts_with("...\n20\n") && tail(&text).ends_with("29"));
        assert_eq!(tail("one\ntwo\n"), "one\ntwo");
    }
}
