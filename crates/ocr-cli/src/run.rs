//! One run of an OCR program, with its report and the `key: value` lines of its output, which goes to a file.

use crate::child::{self, WaitEnd};
use crate::input::Input;
use crate::output::CommandError;
use crate::signals::Signals;
use crate::started;
use clap::Args;
use ocr::report::{Report, numbered};
use ocr_analysis::recorded as records;
use ocr_base::text::Readable;
use ocr_base::text::duration;
use ocr_trace::identity::COUNTED;
use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::{DirBuilder, File};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::process::ExitStatusExt;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// What all runs of a command have in common: a folder for their files, the standard input, and when they are ended.
pub(crate) struct Runner {
    /// A folder for the report, the recording and the output of the run that goes on.
    folder: Folder,
    /// The standard input, of which each run gets all.
    input: Input,
    /// What asks the command to end.
    signals: Signals,
    /// How long a run may take.
    limit: Limit,
    /// The keys whose values are looked for in the output of runs.
    keys: Vec<String>,
}

/// A program and its arguments, and what else makes a run of it.
pub(crate) struct Program<'a> {
    /// The words of the program's command line; never empty.
    pub(crate) words: &'a [OsString],
    /// Variables of the environment, besides those that the command was started with.
    pub(crate) variables: Vec<(&'a str, &'a str)>,
    /// Whether the run has a recording, and a report that says how good its schedule was.
    pub(crate) recorded: bool,
}

/// A run that ended well.
pub(crate) struct Run {
    /// The report of the runtime: of all programs that have run, if the command has run several.
    pub(crate) report: Report,
    /// How many programs of the runtime have run.
    pub(crate) programs: usize,
    /// The values that the output has for keys. Bytes that are not UTF-8 are marked.
    values: HashMap<String, String>,
    /// The recording, or a text that says why it cannot be read. None for a run that was not recorded. Of several
    /// programs it is that of the one that has taken the most time.
    pub(crate) recording: Option<Result<records::RecordedRun, String>>,
}

/// Why there is no run that ended well.
pub(crate) enum RunError {
    /// The program cannot be started, for the reason in this text.
    NotStarted(String),
    /// The standard input or the output could not be passed on as a whole, for the reason in this text.
    Input(String),
    /// The command was asked to end, by this signal.
    Interrupted(i32),
    /// The program was started and failed.
    Failed {
        /// How the program failed, in a few words such as "failed (status 3)".
        how: String,
        /// The last lines of its standard error, or what else is known of the failure.
        tail: String,
    },
}

/// How a run says how long it took. Times of different forms are not those of the same work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TimeForm {
    /// By a line `seconds: NUMBER` of its output.
    Number,
    /// By a line `seconds: ...` that is no number of seconds.
    OtherText,
    /// Not at all, so that the runtime's report alone has its time.
    Missing,
}

impl TimeForm {
    /// What the program prints, in words.
    pub(crate) fn words(self) -> &'static str {
        match self {
            TimeForm::Number => "a number",
            TimeForm::OtherText => "a text that is no number",
            TimeForm::Missing => "no such line",
        }
    }
}

/// How long a run may take.
pub(crate) struct Limit {
    /// The seconds that the command line gives; 0 is without end. None if it gives none.
    given: Option<u32>,
    /// The longest run so far that ended well.
    longest: Option<Duration>,
}

impl Limit {
    /// How long a run may take where none has ended well before.
    const FIRST: Duration = Duration::from_secs(600);

    /// How many times as long as the longest run before a run may take, besides [`Limit::LEAST`].
    const TIMES: u32 = 20;

    /// How long any run may take.
    const LEAST: Duration = Duration::from_secs(20);

    pub(crate) fn new(given: Option<u32>) -> Limit {
        Limit { given, longest: None }
    }

    /// How long the next run may take. None for one that may take any time.
    fn next(&self) -> Option<Duration> {
        match (self.given, self.longest) {
            (Some(0), _) => None,
            (Some(seconds), _) => Some(Duration::from_secs(seconds.into())),
            (None, None) => Some(Limit::FIRST),
            (None, Some(longest)) => Some(Limit::LEAST + longest * Limit::TIMES),
        }
    }

    /// Notes how long a run took that ended well.
    fn ended(&mut self, after: Duration) {
        self.longest = self.longest.max(Some(after));
    }

    /// Why the limit is as it is, and what changes it.
    fn reason(&self) -> String {
        let why = match (self.given, self.longest) {
            (Some(_), _) => "--timeout says so".to_string(),
            (None, None) => "no run has ended well before".to_string(),
            (None, Some(longest)) => format!("the longest run before took {}", duration(longest.as_secs_f64())),
        };
        format!("(it was ended, since {why}; --timeout SECONDS gives it more, and --timeout 0 any time)")
    }
}

/// Refuses a command line whose program begins with a dash. This is a wrong option of `ocr`, which is read as the
/// program, since the program's own arguments may look like options. The message names the option of the command, whose
/// options are `O`, that is most like it.
pub(crate) fn check_words<O: Args>(words: &[OsString], command: &str) -> Result<(), CommandError> {
    let first = Readable::os(&words[0]).to_string();
    if first.starts_with('-') {
        let option = first.split('=').next().unwrap_or_default();
        let all = O::augment_args(clap::Command::new("ocr"));
        let all = all.get_opts().filter_map(|known| known.get_long());
        let all: Vec<String> = all.map(|name| format!("--{name}")).collect();
        let near = nearest(option, all.iter().map(String::as_str));
        let near = near.map_or(String::new(), |near| format!(" (do you mean {near}?)"));
        return Err(CommandError::usage(format!(
            "there is no option {first}{near}; ocr {command} --help lists them (a program of that name: ./{first})"
        )));
    }
    Ok(())
}

/// The one of some names that is most like a word which is none of them. None if none is like it.
pub(crate) fn nearest<'n>(word: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    /// How like two words are at least, where one may be meant by the other; 1 is the same word.
    const LIKE: f64 = 0.8;
    let likeness = |name: &&str| strsim::jaro_winkler(word, name);
    let nearest = names.max_by(|one, other| likeness(one).total_cmp(&likeness(other)))?;
    (likeness(&nearest) >= LIKE).then_some(nearest)
}

impl Runner {
    /// Prepares runs whose output has values for keys. The error is a text for the user.
    pub(crate) fn new(timeout: Option<u32>, keys: &[&[String]]) -> Result<Runner, String> {
        let unusual = |error: std::io::Error| format!("signals cannot be noticed: {error}");
        let signals = Signals::new().map_err(unusual)?;
        child::adopt();
        let folder = Folder::new()?;
        // Each program of a run gets names of its own there.
        let marked = File::create_new(folder.path().join(COUNTED));
        marked.map_err(|error| format!("the folder for reports cannot be written: {error}"))?;
        let input = Input::new(folder.path())?;
        let mut keys = keys.concat();
        keys.push(SECONDS.into());
        Ok(Runner { folder, input, signals, limit: Limit::new(timeout), keys })
    }

    /// Runs a program with the environment that the command was started with, and its variables.
    pub(crate) fn run(&mut self, program: &Program<'_>) -> Result<Run, RunError> {
        if let Some(signal) = self.signals.come() {
            return Err(RunError::Interrupted(signal));
        }
        let path = |name: &str| self.folder.path().join(name);
        let [report, recording, output, errors] = ["report.json", "recording", "output", "errors"].map(path);
        // What an earlier run has left says nothing about this one.
        remove_all(&report);
        let mut command = command(program, &report);
        if program.recorded {
            command.env("OCR_TRACE", &recording);
        }
        let begin = Instant::now();
        let files = made(&output).and_then(|output| Ok([output, made(&errors)?].map(Stdio::from)));
        let status = files.and_then(|files| self.status(command, program, files));
        let was_run = program.recorded && matches!(status, Ok(Some(status)) if status.success());
        let recording_read = was_run.then(|| longest(&recording));
        // The recording may be large, so it is removed at once.
        remove_all(&recording);
        let failed = |how: String, what: &str| RunError::Failed { how, tail: tail(&end_of(&errors)) + what };
        let result = match status {
            Err(error) => Err(error),
            Ok(None) => {
                let limit = self.limit.next().unwrap_or_default();
                let how = format!("no end within {}", duration(limit.as_secs_f64()));
                Err(failed(how, &format!("\n{}", self.limit.reason())))
            }
            Ok(Some(status)) if !status.success() => {
                let how = format!("failed ({})", how_it_ended(status));
                Err(failed(how, &started::explain_end(&program.words[0], status)))
            }
            Ok(Some(_)) => match (reports(&report), values(&output, &self.keys)) {
                (Ok((report, programs)), Ok(values)) => Ok(Run { report, programs, values, recording: recording_read }),
                (Err(message), _) => Err(RunError::Failed { how: "no report".into(), tail: message }),
                (_, Err(error)) => Err(RunError::Input(format!("what a run prints cannot be read: {error}"))),
            },
        };
        if result.is_ok() {
            self.limit.ended(begin.elapsed());
        }
        // The output may be large, too.
        for file in [output, errors] {
            let _ = std::fs::remove_file(file);
        }
        result
    }

    /// Runs a program once, with the output of the command. How it ended, and the report of all programs that have run,
    /// or why there is none.
    pub(crate) fn run_openly(
        &mut self,
        program: &Program<'_>,
    ) -> Result<(ExitStatus, Result<Report, String>), RunError> {
        let report = self.folder.path().join("report.json");
        let command = command(program, &report);
        let Some(status) = self.status(command, program, [Stdio::inherit(), Stdio::inherit()])? else {
            let how = format!("no end within {}", duration(self.limit.next().unwrap_or_default().as_secs_f64()));
            return Err(RunError::Failed { how, tail: self.limit.reason() });
        };
        Ok((status, reports(&report).map(|(report, _)| report)))
    }

    /// Starts a program whose standard output and standard error go to these files, feeds it, and waits for its end.
    /// None if it has not ended in time.
    fn status(
        &mut self,
        mut command: Command,
        program: &Program<'_>,
        [output, errors]: [Stdio; 2],
    ) -> Result<Option<ExitStatus>, RunError> {
        let system = |error: std::io::Error| RunError::Input(format!("no pipe for a run: {error}"));
        let given = self.input.give().map_err(system)?;
        let (ended, end) = std::io::pipe().map_err(system)?;
        command.stdin(given.stdin).stdout(output).stderr(errors);
        child::in_group(&mut command);
        let mut child =
            command.spawn().map_err(|error| RunError::NotStarted(started::explain_start(&program.words[0], &error)))?;
        // The command has files open that only the program is to have.
        drop(command);
        let (number, signals) = (child.id(), &self.signals);
        let limit = self.limit.next();
        std::thread::scope(|scope| {
            let ended = &ended;
            let feeding = given.feed.map(|feed| scope.spawn(move || feed.feed(ended)));
            scope.spawn(move || child::close_at_end(number, end));
            let why = child::wait(ended, limit, signals);
            if why != WaitEnd::Ended {
                child::end(&mut child, signals);
            }
            let status = child.wait();
            child::forget_ended(number);
            if let Some(feeding) = feeding {
                let fed = feeding.join().unwrap_or_else(|panic| resume_unwind(panic));
                fed.map_err(RunError::Input)?;
            }
            match why {
                WaitEnd::Signal(signal) => Err(RunError::Interrupted(signal)),
                WaitEnd::Late => Ok(None),
                WaitEnd::Ended => status
                    .map(Some)
                    .map_err(|error| RunError::Input(format!("the end of a run cannot be waited for: {error}"))),
            }
        })
    }
}

/// The command that runs a program, which writes its report to this file.
fn command(program: &Program<'_>, report: &Path) -> Command {
    let mut command = Command::new(&program.words[0]);
    command
        .args(&program.words[1..])
        .env_clear()
        .envs(child::environment().iter().map(|(name, value)| (name, value)))
        .envs(program.variables.iter().copied())
        .env("OCR_REPORT", report);
    command
}

/// A file for the output of a run.
fn made(file: &Path) -> Result<File, RunError> {
    // A process that an earlier run has left may have the old file open.
    let _ = std::fs::remove_file(file);
    File::create_new(file).map_err(|error| RunError::Input(format!("the output of a run cannot be kept: {error}")))
}

/// The files that programs of one run have under a name.
fn numbered_files(name: &Path) -> impl Iterator<Item = PathBuf> {
    let files = (1..).map(|number| numbered(name, number));
    files.take_while(|file| file.exists())
}

/// Removes the files that programs of one run, and their nodes, have under a name in the folder of the runs.
fn remove_all(name: &Path) {
    let (Some(folder), Some(stem)) = (name.parent(), name.file_stem()) else { return };
    for file in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if file.file_name().as_encoded_bytes().starts_with(stem.as_encoded_bytes()) {
            let _ = std::fs::remove_file(file.path());
        }
    }
}

/// The report of all programs that a run has run, and how many there were. The error is a text for the user.
fn reports(file: &Path) -> Result<(Report, usize), String> {
    let mut all: Option<Report> = None;
    let mut programs = 0;
    for file in numbered_files(file) {
        let text = std::fs::read_to_string(&file).map_err(|error| error.to_string())?;
        let report = Report::parse(&text).map_err(|error| format!("its report is that of another version: {error}"))?;
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

/// The key of the line in which a program prints how long its work took.
const SECONDS: &str = "seconds";

impl Run {
    /// The value in the first line `key: value` of the output, for a key that the runner was given. None if there is no
    /// such line.
    pub(crate) fn value(&self, key: &str) -> Option<&str> {
        self.values.get(key).map(String::as_str)
    }

    /// How many seconds the run took, as the program prints it, or else as the runtime reports. Programs leave out what
    /// is no part of the work, such as reading files.
    pub(crate) fn seconds(&self) -> f64 {
        self.own_seconds().unwrap_or(self.report.seconds)
    }

    /// How many seconds the run took by the line `seconds: ...` of its output. None without such a number.
    pub(crate) fn own_seconds(&self) -> Option<f64> {
        let value: f64 = self.value(SECONDS)?.parse().ok()?;
        (value.is_finite() && value >= 0.0).then_some(value)
    }

    /// How the run says how long it took.
    pub(crate) fn form(&self) -> TimeForm {
        match (self.own_seconds(), self.value(SECONDS)) {
            (Some(_), _) => TimeForm::Number,
            (None, Some(_)) => TimeForm::OtherText,
            (None, None) => TimeForm::Missing,
        }
    }
}

/// The value in the first line `key: value` of a file, for each key that has such a line.
fn values(file: &Path, keys: &[String]) -> std::io::Result<HashMap<String, String>> {
    /// How many bytes of a line are looked at. Values stand in short lines.
    const LINE: u64 = 1 << 16;
    let mut from = BufReader::new(File::open(file)?);
    let mut values = HashMap::new();
    let mut line = Vec::new();
    loop {
        line.clear();
        if from.by_ref().take(LINE).read_until(b'\n', &mut line)? == 0 {
            return Ok(values);
        }
        if line.last() != Some(&b'\n') {
            from.skip_until(b'\n')?;
        }
        let text = Readable(line.trim_ascii()).to_string();
        for key in keys {
            let value = text.strip_prefix(key.as_str()).map(str::trim_start);
            if let Some(value) = value.and_then(|rest| rest.strip_prefix(':'))
                && !values.contains_key(key)
            {
                values.insert(key.clone(), value.trim().to_string());
            }
        }
    }
}

/// The end of a file, as text. It is empty where the file cannot be read.
fn end_of(file: &Path) -> String {
    /// How many bytes are enough for the lines that are shown.
    const END: u64 = 1 << 16;
    let mut text = Vec::new();
    let read = File::open(file).and_then(|mut file| {
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(END)))?;
        file.take(END).read_to_end(&mut text)
    });
    read.map_or_else(|_| String::new(), |_| Readable(&text).to_string())
}

/// The words for how a program ended.
pub(crate) fn how_it_ended(status: ExitStatus) -> String {
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
        Err(format!("{} is full of ocr-runs-* folders; remove them", Readable::path(&place)))
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

    /// A run that has printed this.
    fn printed(output: &[u8]) -> Run {
        let folder = Folder::new().expect("a folder");
        let file = folder.path().join("output");
        std::fs::write(&file, output).expect("it is ours");
        let keys = ["gcups", "gcup", SECONDS].map(String::from);
        Run {
            report: Report { seconds: 2.0, ..Report::default() },
            programs: 1,
            values: values(&file, &keys).expect("it can be read"),
            recording: None,
        }
    }

    #[test]
    fn values_are_found_by_key() {
        let run = printed(b"gcups_max: 9\n gcups : 1.5 x\ngcups: 2\nseconds: 0.25\n");
        assert_eq!(run.value("gcups"), Some("1.5 x"));
        assert_eq!(run.value("gcup"), None);
        assert_eq!(run.seconds(), 0.25);
        // A line without an end is passed over, and bytes that are no text are marked.
        let long = [&b"gcups: ".repeat(100_000)[..], b"\ngcup: \xff\nseconds: 1"].concat();
        let run = printed(&long);
        assert_eq!(run.value("gcup"), Some("\\xff"));
        assert_eq!(run.seconds(), 1.0);
    }

    #[test]
    fn without_the_programs_seconds_the_reports_are_taken() {
        for (output, form) in [
            ("", TimeForm::Missing),
            ("seconds: many\n", TimeForm::OtherText),
            ("seconds: 250 ms\n", TimeForm::OtherText),
            ("seconds: NaN\n", TimeForm::OtherText),
            ("seconds: -1\n", TimeForm::OtherText),
        ] {
            let run = printed(output.as_bytes());
            assert_eq!((run.seconds(), run.form()), (2.0, form), "{output}");
        }
        assert_eq!(printed(b"seconds: 1e-3").form(), TimeForm::Number);
    }

    #[test]
    fn other_runs_suggest_how_long_a_run_may_take() {
        let seconds = Duration::from_secs;
        let mut limit = Limit::new(None);
        assert_eq!(limit.next(), Some(Limit::FIRST));
        assert!(limit.reason().contains("no run has ended well before"));
        limit.ended(seconds(3));
        limit.ended(seconds(1));
        assert_eq!(limit.next(), Some(seconds(20 + 60)));
        assert!(limit.reason().contains("the longest run before took 3.00 s"));
        limit.given = Some(5);
        assert_eq!(limit.next(), Some(seconds(5)));
        limit.given = Some(0);
        assert_eq!(limit.next(), None);
    }

    #[test]
    fn long_texts_are_cut_at_the_front() {
        let text: String = (0..30).map(|n| format!("{n}\n")).collect();
        assert!(tail(&text).starts_with("...\n20\n") && tail(&text).ends_with("29"));
        assert_eq!(tail("one\ntwo\n"), "one\ntwo");
    }
}
