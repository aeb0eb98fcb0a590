//! `ocr tune`: the best of many settings of a program and of the runtime, with few runs.
//!
//! | file | what |
//! |---|---|
//! | `vary.rs` | what is varied, and how a value gets to a run |
//! | `plan.rs` | how many settings there are, which begin, and how many runs each stage has |
//! | `search.rs` | which setting runs when, and which is the best |
//! | `outcome.rs` | the result of a search, in words and tables |
//! | `json.rs` | the result of a search as JSON |

mod json;
mod outcome;
mod plan;
mod search;
mod vary;

use crate::compare::find_devices;
use crate::compare::options::{Devices, key};
use crate::compare::same::{self, Values};
use crate::output::{CommandError, print};
use crate::progress::Progress;
use crate::run::{Program, Run, RunError, Runner, TimeForm, check_words};
use crate::signals;
use crate::table::seconds;
use ocr::config::Settings;
use ocr::device::Selection;
use ocr_analysis::diagnosis::Facts;
use ocr_analysis::reasons::{Reasons, SeenRun, reasons};
use ocr_base::text::counted;
use outcome::Outcome;
use plan::{Plan, Setting};
use search::{Found, Stage, search};
use std::collections::BTreeMap;
use std::ffi::OsString;
use vary::{Dimension, Target};

/// The text of the help below the options.
pub(crate) const AFTER_HELP: &str = "\
What can be varied:
  policy=eft,cpu        a setting of the runtime, by its name (OCR_SCHED here); all but report
  arg:--tile=256,512    an option of the program: takes the place of its value, or is added at the end
  env:NAME=a,b          a variable of the environment
Values are separated by commas (\\, is a comma inside of one); 1..8 are the numbers from 1 to 8, 0..32+8 those in steps \
of 8, and 64..1024x2 those that double.

First each setting runs to warm up. Then all run in turns, and after each round the slower half of them is left out, until \
four are left. These run again, in turns with all that differ from the best of them in one value; a better one among those \
takes its place. At last the best and the next run against each other; if the best is shown to be faster, it runs against \
others that may be as fast. Where the budget is not enough for all settings, a random sample of them begins, and from the best \
of it the search goes to better ones beside it, first in long steps and then in short ones. Where the budget ends before all \
beside the best have run, that is said.

A setting with which the program fails is left out, and that is said; so is one with which it prints its seconds in another \
form than with the first. Each run gets the standard input from its beginning, as in ocr compare. The devices are those of \
ocr compare where policy is varied; otherwise OCR_DEVICES is left as it is. Interrupted, it ends as ocr compare does.

The best setting is distinguished from another at a confidence of 95 %, by a rank test (Mann-Whitney, exact, for both \
directions) of runs that they make against each other. All these tests together are wrong for equal settings once in twenty \
searches at most. Other settings are called alike where the spreads of their runs overlap. A varied setting that has no effect \
is named.

At last the best setting runs once more, recorded. What ocr explain finds in the recording is shown: why the run takes so \
long, and what to try next.

The exit status is 1 if no setting ran to its end or values of --same differ. Interrupted, it is 128 and the number of the \
signal.

Example:
  ocr tune --vary policy=eft,cpu --vary arg:--tile=1024..8192x2 --same distance -- \
build/examples/levenshtein --quiet a.fa b.fa";

/// The arguments of `ocr tune`.
#[derive(clap::Args)]
pub(crate) struct TuneOptions {
    /// What is varied, with its values; may be given several times.
    #[arg(long, value_name = "NAME=VALUES", required = true)]
    vary: Vec<Dimension>,

    /// Runs at most, warm-ups included.
    #[arg(long, value_name = "N", default_value_t = 200)]
    runs_budget: u32,

    /// Runs of each setting before the measured ones; their times do not count.
    #[arg(long, value_name = "RUNS", default_value_t = 1)]
    warm_up: u32,

    /// What should be as small as possible: the number in a line `KEY: number` of the program's output. By default the
    /// seconds that the program prints, or else those of the runtime.
    #[arg(long, value_name = "KEY", value_parser = key())]
    metric: Option<String>,

    /// Values that must be the same in all runs, the warm-ups included.
    #[arg(long, value_name = "KEY", value_delimiter = ',', value_parser = key())]
    same: Vec<String>,

    /// Devices for the policies that use kernels, as in ocr compare.
    #[arg(long, value_name = "DEVICES")]
    devices: Option<Selection>,

    /// Seconds after which a run is ended, and counts as failed, as in ocr compare; 0 is without end.
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<u32>,

    /// Begins the random numbers by which a sample is drawn.
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// Prints everything, with each run, as JSON.
    #[arg(long)]
    json: bool,

    /// The program and its arguments.
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    program: Vec<OsString>,
}

/// A setting that was left out, and why.
pub(crate) struct Left {
    /// The setting that was left out.
    pub(crate) setting: Setting,
    /// Why the setting was left out, in a few words such as "failed (status 3)".
    pub(crate) how: String,
    /// The last lines of the program's standard error, or what else is known.
    pub(crate) tail: String,
}

/// What is searched, and what every run gets.
pub(crate) struct Task<'a> {
    /// The dimensions in which settings vary.
    pub(crate) dimensions: Vec<Dimension>,
    /// The words of the program's command line.
    pub(crate) words: &'a [OsString],
    /// The value of `OCR_DEVICES` for all runs. None where it is varied, or need not be set.
    pub(crate) devices: Option<String>,
    /// The key of the output line that has the number by which settings are judged. None for the seconds.
    pub(crate) metric: Option<&'a str>,
    /// The keys that `--same` names, whose values must not vary.
    pub(crate) same: &'a [String],
}

/// What was seen during a search.
#[derive(Default)]
pub(crate) struct SeenInSearch {
    /// For each key of `--same`, the values that runs printed.
    pub(crate) values: Vec<Values>,
    /// The settings that were left out, since the program failed with them.
    pub(crate) left: Vec<Left>,
    /// How the first run said how long it took. Later ones are to say it alike. None before the first one has.
    pub(crate) form: Option<TimeForm>,
    /// For each number of workers that was asked for, the numbers that runs had.
    pub(crate) workers: BTreeMap<usize, Vec<usize>>,
    /// Why the best setting takes its time, by a recorded run. Empty where there is no recording.
    pub(crate) reasons: Reasons,
    /// How the search was interrupted, in words. None where it was not.
    pub(crate) interrupted: Option<String>,
}

/// Why a search ends before it is done.
enum SearchError {
    /// A signal has interrupted it.
    Signal(i32),
    /// Something is wrong with all runs alike.
    Error(CommandError),
}

/// Searches for the best setting, and shows what was found.
pub(crate) fn tune(options: &TuneOptions) -> Result<(), CommandError> {
    check_words::<TuneOptions>(&options.program, "tune")?;
    let mut notes = Vec::new();
    let task = task(options, &mut notes)?;
    let mut plan = Plan {
        sizes: task.dimensions.iter().map(|one| one.values.len()).collect(),
        budget: options.runs_budget as usize,
        warm_up: options.warm_up as usize,
        seed: options.seed,
    };
    if plan.total() < 2 && !notes.is_empty() {
        return Err(CommandError::failed(format!(
            "only one setting is left, so there is nothing to choose from. {}",
            notes.join(" ")
        )));
    }
    if plan.total() < 2 {
        return Err(CommandError::usage("there is only one setting: give --vary two values or more"));
    }
    if plan.budget < plan.least() {
        return Err(CommandError::usage(format!(
            "--runs-budget {}: at least {} runs are needed to tell a difference from chance",
            plan.budget,
            plan.least()
        )));
    }
    // One run is kept for the recording, where the rest is enough for the search.
    let is_recorded = plan.budget > plan.least();
    plan.budget -= usize::from(is_recorded);
    let mut seen = SeenInSearch { values: vec![Vec::new(); task.same.len()], ..SeenInSearch::default() };
    let metric = Vec::from_iter(options.metric.clone());
    let mut runner = Runner::new(options.timeout, &[&options.same, &metric]).map_err(CommandError::failed)?;
    let progress = Progress::new((plan.likely() + usize::from(is_recorded)) as u64);
    let (mut found, stop) = search(&plan, |setting, stage| {
        progress.begins(format!("{}: {}", stage.name(), task.name(setting)));
        let run = task.run(setting, &mut runner, false)?;
        progress.ended();
        seen.take(&task, setting, run).map_err(SearchError::Error)
    });
    let mut signal = match stop {
        Some(SearchError::Error(error)) => return Err(error),
        Some(SearchError::Signal(signal)) => Some(signal),
        None => None,
    };
    if let (Some(best), true, None) = (found.best, is_recorded, signal) {
        let setting = &found.tried[best].setting;
        progress.begins(format!("recorded run: {}", task.name(setting)));
        match task.run(setting, &mut runner, true) {
            Ok(run) => {
                found.runs += 1;
                if let Ok(run) = run {
                    seen.reasons = task.reasons(&run);
                }
            }
            Err(SearchError::Error(error)) => return Err(error),
            Err(SearchError::Signal(number)) => signal = Some(number),
        }
    }
    drop(progress);
    // The files of the runs are removed, and a signal ends the command from here on.
    drop(runner);
    seen.interrupted = signal.map(|signal| interrupted(signal, &found));
    if found.best.is_none() {
        return Err(match signal {
            Some(signal) => CommandError::interrupted(signal),
            None => CommandError::failed(format!(
                "with no setting did the program run to its end\n{}",
                outcome::left_out(&task, &seen).trim_end()
            )),
        });
    }
    let outcome = Outcome {
        task: &task,
        plan: &plan,
        budget: options.runs_budget as usize,
        found: &found,
        seen: &seen,
        notes: &notes,
    };
    print(&if options.json { outcome.json() } else { outcome.text() })?;
    signal.map_or(Ok(()), |signal| Err(CommandError::interrupted(signal)))
}

/// The sentence on a search that a signal has interrupted.
fn interrupted(signal: i32, found: &Found) -> String {
    format!(
        "Interrupted by {} after {}: what was measured until then is shown.",
        signals::name(signal),
        counted(found.runs as u64, "run")
    )
}

/// The search that is asked for, on the devices that there are. Sentences on what is left out for want of a device are
/// added to `notes`.
fn task<'a>(options: &'a TuneOptions, notes: &mut Vec<String>) -> Result<Task<'a>, CommandError> {
    let mut dimensions = options.vary.clone();
    vary::check(&dimensions, &options.program).map_err(CommandError::usage)?;
    let (settings, _) = Settings::load(&mut vec!["ocr".into()]).map_err(CommandError::usage)?;
    let varies = |name: &str| {
        let target = Target::Variable(name.into());
        dimensions.iter().any(|one| one.target == target)
    };
    let policies = dimensions.iter().position(Dimension::is_policy);
    let is_wanted = options.devices.is_some() || policies.is_some();
    let mut devices = None;
    if is_wanted && varies("OCR_DEVICES") {
        if options.devices.is_some() {
            return Err(CommandError::usage("--devices and --vary set the same thing"));
        }
    } else if is_wanted {
        match find_devices(options.devices.as_ref(), &settings)? {
            Devices::Some { setting, .. } => devices = setting,
            Devices::None(why) => {
                if let Some(at) = policies {
                    let values = &mut dimensions[at].values;
                    let (cpu, others): (Vec<_>, Vec<_>) = values.drain(..).partition(|policy| policy == "cpu");
                    *values = cpu;
                    if !others.is_empty() {
                        notes.push(format!("Left out: {}. {why}", others.join(", ")));
                    }
                }
            }
        }
    }
    if dimensions.iter().any(|one| one.values.is_empty()) {
        return Err(CommandError::failed(format!("no policy could be run. {}", notes.join(" "))));
    }
    Ok(Task { dimensions, words: &options.program, devices, metric: options.metric.as_deref(), same: &options.same })
}

impl Stage {
    /// The name of the stage beside the progress bar.
    fn name(self) -> &'static str {
        match self {
            Stage::WarmUp => "warm-up",
            Stage::Halving => "halving",
            Stage::Climb => "climb",
            Stage::Last => "last stage",
            Stage::Duel => "duel",
        }
    }
}

impl Task<'_> {
    /// A setting in words, such as `workers=4 --tile=256`.
    pub(crate) fn name(&self, setting: &Setting) -> String {
        let values = self.dimensions.iter().zip(setting);
        let words: Vec<String> = values.map(|(one, &value)| one.shown(value)).collect();
        words.join(" ")
    }

    /// The variables of the environment for a run with a setting: names and values.
    pub(crate) fn variables(&self, setting: &Setting) -> Vec<(&str, &str)> {
        let devices = self.devices.iter();
        let mut variables: Vec<(&str, &str)> = devices.map(|all| ("OCR_DEVICES", &**all)).collect();
        for (dimension, &value) in self.dimensions.iter().zip(setting) {
            if let Target::Variable(name) = &dimension.target {
                variables.push((name, &dimension.values[value]));
            }
        }
        variables
    }

    /// The number of workers that a setting asks for. None where it is not varied.
    fn workers(&self, setting: &Setting) -> Option<usize> {
        let mut dimensions = self.dimensions.iter().zip(setting);
        let workers = Target::Variable("OCR_WORKERS".into());
        let (dimension, &value) = dimensions.find(|(one, _)| one.target == workers)?;
        dimension.values[value].parse().ok()
    }

    /// The words of the command line for a run with a setting.
    pub(crate) fn words(&self, setting: &Setting) -> Vec<OsString> {
        let mut words = self.words.to_vec();
        for (dimension, &value) in self.dimensions.iter().zip(setting) {
            if let Target::Option(option) = &dimension.target {
                words = vary::with_option(&words, option, &dimension.values[value]);
            }
        }
        words
    }

    /// The command line for a run with a setting, with its variables, for a shell.
    pub(crate) fn command(&self, setting: &Setting) -> String {
        let variables = self.variables(setting).into_iter();
        let mut all: Vec<String> =
            variables.map(|(name, value)| format!("{name}={}", vary::quoted(value.as_ref()))).collect();
        all.extend(self.words(setting).iter().map(|word| vary::quoted(word)));
        all.join(" ")
    }

    /// Runs the program once with a setting. The inner error is a failure with this setting alone, the outer one ends
    /// the search.
    fn run(&self, setting: &Setting, runner: &mut Runner, recorded: bool) -> Result<Result<Run, Left>, SearchError> {
        let words = self.words(setting);
        let program = Program { words: &words, variables: self.variables(setting), recorded };
        match runner.run(&program) {
            Ok(run) => Ok(Ok(run)),
            Err(RunError::NotStarted(message)) => Err(SearchError::Error(CommandError::usage(message))),
            Err(RunError::Input(message)) => Err(SearchError::Error(CommandError::failed(message))),
            Err(RunError::Interrupted(signal)) => Err(SearchError::Signal(signal)),
            Err(RunError::Failed { how, tail }) => Ok(Err(self.left(setting, how, tail))),
        }
    }

    /// Why a recorded run took as long as it did, and what to try next that has not been varied.
    fn reasons(&self, run: &Run) -> Reasons {
        let Some(Ok(recording)) = &run.recording else {
            return Reasons::default();
        };
        let Some(facts) = Facts::of(recording) else {
            return Reasons::default();
        };
        let seen = SeenRun { policy: &run.report.policy, facts: &facts, own: run.own_seconds() };
        let mut reasons = reasons(None, &[], &[seen]);
        let is_varied = |sentence: &str| {
            let mut targets = self.dimensions.iter().map(|one| &one.target);
            targets.any(|target| match target {
                Target::Variable(name) => sentence.contains(name.as_str()),
                Target::Option(_) => false,
            })
        };
        for advice in &mut reasons.next {
            let sentences = advice.split_inclusive(". ");
            let left: String = sentences.filter(|sentence| !is_varied(sentence)).collect();
            *advice = left.trim().to_string();
        }
        reasons.next.retain(|advice| !advice.is_empty());
        reasons
    }

    fn left(&self, setting: &Setting, how: String, tail: String) -> Left {
        Left { setting: setting.clone(), how, tail }
    }

    /// The number by which a run is judged: its seconds, or that of `--metric`. The error is a text for the user.
    fn measure(&self, run: &Run) -> Result<f64, String> {
        let Some(key) = self.metric else {
            return Ok(run.seconds());
        };
        let text = run.value(key).ok_or_else(|| format!("the program prints no line \"{key}: ...\""))?;
        let number: Option<f64> = text.parse().ok();
        number
            .filter(|number| number.is_finite() && *number >= 0.0)
            .ok_or_else(|| format!("the line \"{key}: {text}\" has no number that is 0 or more"))
    }

    /// The text of a number by which settings are judged.
    pub(crate) fn number(&self, value: f64) -> String {
        if self.metric.is_some() && value.fract() == 0.0 && value < 1e15 {
            format!("{value:.0}")
        } else {
            seconds(value)
        }
    }
}

impl SeenInSearch {
    /// Adds a run, and returns the number by which it is judged. None if the run failed. The error ends the search:
    /// values of `--same` differ.
    fn take(
        &mut self,
        task: &Task<'_>,
        setting: &Setting,
        run: Result<Run, Left>,
    ) -> Result<Option<f64>, CommandError> {
        let result = run.and_then(|run| {
            let left = |how: &str, tail: String| Err(task.left(setting, how.into(), tail));
            let mut dimensions = task.dimensions.iter().zip(setting);
            let policy = dimensions.find(|(one, _)| one.is_policy());
            if let Some((dimension, &value)) = policy
                && dimension.values[value] != run.report.policy
            {
                let text = format!("the program has chosen {} itself", run.report.policy);
                return left("ran under another policy", text);
            }
            let form = *self.form.get_or_insert(run.form());
            if form != run.form() && task.metric.is_none() {
                let text = format!(
                    "in the line \"seconds: ...\" the program prints {}, and with the first setting that ran it printed {}",
                    run.form().words(),
                    form.words()
                );
                return left("has a time that is not comparable", text);
            }
            if let Some(wanted) = task.workers(setting) {
                let had = self.workers.entry(wanted).or_default();
                if !had.contains(&run.report.workers) {
                    had.push(run.report.workers);
                }
            }
            match task.measure(&run) {
                Ok(value) => Ok((run, value)),
                Err(message) => left("has no value", message),
            }
        });
        match result {
            Ok((run, value)) => {
                same::see(task.same, &mut self.values, &run, &task.name(setting));
                let complaints = same::complaints(task.same, &self.values, "with");
                if !complaints.is_empty() {
                    return Err(CommandError::failed(complaints.join("; ")));
                }
                Ok(Some(value))
            }
            Err(left) => {
                self.left.push(left);
                Ok(None)
            }
        }
    }
}
