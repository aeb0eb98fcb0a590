//! What `ocr compare` is asked for: its options, the devices it has, and the purposes of its runs.

use crate::ranks::MOST_RUNS;
use clap::builder::{OsStringValueParser, PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Command};
use ocr::device::Selection;
use ocr_base::text::Readable;
use ocr_place::policy;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::str::FromStr;

/// The text of the help below the options.
pub(crate) const AFTER_HELP: &str = "\
Each run gets OCR_SCHED and OCR_REPORT, and OCR_DEVICES as said above; other settings are left as \
they are. The policy `cpu` uses devices only for kernels without a C function. Where there is no \
device, the other policies are left out, and the reason is said.

Each run gets the standard input from its beginning: a file is read again, and what comes from a \
pipe is kept in a temporary file (at most 4 GiB, in TMPDIR). A terminal is given to no run: there \
the standard input is empty.

In the program's output and in names, a byte that is not UTF-8 is shown as \\xHH.

The policies take turns: after the warm-up, each runs once, then each once more, and so on, so that \
a machine that becomes slower or busier meanwhile hits all alike. Some OpenCL drivers compile a \
kernel at its first launch, and keep the result; the warm-up keeps that out of the figures.

The table shows the median, the spread from the fastest run to the slowest (of ten runs and more \
without a tenth on either side), and other figures of the run in the middle.

A policy is called best at a confidence of 95 %: where all policies take the same time, one is called \
faster in at most one of twenty comparisons. The method is the rank test of Mann and Whitney, exact, \
for all pairs of policies and all looks at the runs together. The runs are looked at as soon as they \
can show anything, five or six of each. A policy that is shown to be slower is not run any more. Those \
that are not distinguished run on where their difference may be more than 3 %, up to 20 runs of each; no \
round begins after ten minutes. In parentheses stands by how many times at least and at most the best \
policy is faster.

Times are compared only if all runs print them alike: as `seconds: NUMBER`, or not at all.

Interrupted by SIGINT, SIGTERM or SIGHUP, it ends the program with all that it has started, and shows \
what was measured. What a run leaves in the background is not waited for. The output of runs is kept \
in TMPDIR until they end.

Two recordings in place of a program (OCR_TRACE=FILE has a run write one) are shown side by side: what \
the EDTs of each template took, what the time went into, and how near each run is to its bound.

The exit status is 1 if a run failed, values of --same differ, or times were not printed alike; with \
--verify, if a kernel has left something else than its function, or nothing was compared. \
Interrupted, it is 128 and the number of the signal.

Examples:
  ocr compare --show distance,gcups --same distance -- build/examples/levenshtein a.fa b.fa
  ocr compare --verify -- build/examples/levenshtein a.fa b.fa
  ocr compare before.ocrtrace after.ocrtrace";

/// The arguments of `ocr compare`.
#[derive(clap::Args)]
pub(crate) struct CompareOptions {
    /// Policies, in the order of the rows; the first is what the others are measured against.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "cpu,device,static:1:1,eager,eft",
        value_parser = policy_name(),
        hide_possible_values = true
    )]
    pub(crate) policies: Vec<String>,

    /// Measured runs of each policy: as many as this, or as they are needed from one number to another (6..30). By
    /// default from 5 or 6 to 20, as they are needed to tell which policy is best.
    #[arg(long, value_name = "RUNS")]
    pub(crate) runs: Option<Rounds>,

    /// Runs of each policy before the measured ones; their times do not count.
    #[arg(long, value_name = "RUNS", default_value_t = 1)]
    pub(crate) warm_up: u32,

    /// Seconds after which a run is ended, and counts as failed; 0 is without end. By default 20 seconds and 20 times
    /// the longest run that has ended well, or ten minutes where none has.
    #[arg(long, value_name = "SECONDS")]
    pub(crate) timeout: Option<u32>,

    /// Devices for the policies that use kernels, as in OCR_DEVICES. By default what OCR_DEVICES or
    /// the settings file says; if they say nothing, GPUs and accelerators, or where there is none
    /// of these, all devices.
    #[arg(long, value_name = "DEVICES")]
    pub(crate) devices: Option<Selection>,

    /// A column for each KEY, from a line `KEY: value` of the program's output.
    #[arg(long, value_name = "KEY", value_delimiter = ',', value_parser = key())]
    pub(crate) show: Vec<String>,

    /// Values that must be the same in all runs, the warm-up included.
    #[arg(long, value_name = "KEY", value_delimiter = ',', value_parser = key())]
    pub(crate) same: Vec<String>,

    /// One more run of each policy at the end, recorded (in TMPDIR) and not measured. A column says which part of its
    /// time no schedule of the same EDTs in the same places can save; sentences say why others are slower, and what to
    /// try.
    #[arg(long)]
    pub(crate) bounds: bool,

    /// Writes a page for a browser: what ran where and when under each policy, why, and all of what is printed. It
    /// needs no other file. As --bounds, it has one more run of each policy recorded.
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,

    /// Runs the program once, with its output shown, and each EDT that has a C function and a kernel as both. What they
    /// leave in its blocks is compared, as OCR_REDUNDANT says (default: 2, bit by bit).
    #[arg(long, conflicts_with_all = ["policies", "runs", "warm_up", "show", "same", "bounds", "html"])]
    pub(crate) verify: bool,

    /// Prints everything, with each run, as JSON.
    #[arg(long)]
    pub(crate) json: bool,

    /// The program and its arguments, or two recordings.
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) program: Vec<OsString>,
}

/// How many runs each policy has, at least and at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rounds(pub(crate) usize, pub(crate) usize);

impl FromStr for Rounds {
    type Err = String;

    /// Reads `N` or `LEAST..MOST`. The error is a text for the user.
    fn from_str(text: &str) -> Result<Rounds, String> {
        let (least, most) = text.split_once("..").unwrap_or((text, text));
        let numbers = least.parse().ok().zip(most.parse().ok());
        match numbers {
            Some((least, most)) if 1 <= least && least <= most && most <= MOST_RUNS => Ok(Rounds(least, most)),
            _ => Err(format!("write a number of runs from 1 to {MOST_RUNS}, or two of them, as 6..30")),
        }
    }
}

/// Parses the name of a policy; completions offer those that there are.
#[derive(Clone)]
pub(crate) struct PolicyName;

/// See [`PolicyName`].
pub(crate) fn policy_name() -> PolicyName {
    PolicyName
}

impl TypedValueParser for PolicyName {
    type Value = String;

    fn parse_ref(&self, command: &Command, argument: Option<&Arg>, value: &OsStr) -> Result<String, clap::Error> {
        // The name is checked later, with a message that says which policies there are and what they need.
        StringValueParser::new().parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        // A policy with numbers is offered with some that make a beginning.
        let names = policy::POLICIES.iter().map(|entry| {
            let numbers = entry.usage.matches(':').count();
            format!("{}{}", entry.name, ":1".repeat(numbers))
        });
        Some(Box::new(names.map(PossibleValue::new)))
    }
}

impl CompareOptions {
    /// Whether a run of each policy is recorded.
    pub(crate) fn records(&self) -> bool {
        self.bounds || self.html.is_some()
    }
}

/// Parses a key of `--show` or `--same`. Bytes that are not UTF-8 are marked, as they are in the program's output.
pub(crate) fn key() -> impl TypedValueParser<Value = String> {
    OsStringValueParser::new().map(|key| Readable::os(&key).to_string())
}

/// The devices on which kernels can run.
pub(crate) enum Devices {
    /// There are devices.
    Some {
        /// The value of `OCR_DEVICES` for the runs. None if it need not be set.
        setting: Option<String>,
        /// The names of the devices.
        names: String,
    },
    /// There is no device, for the reason in this sentence.
    None(String),
}

/// The purpose of a run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// The run comes before the measured ones and is not measured, so that these find caches and drivers warm.
    WarmUp,
    /// The time of the run counts.
    Measure,
    /// The run is recorded, for the bounds of its schedule, and is not measured.
    Record,
}
