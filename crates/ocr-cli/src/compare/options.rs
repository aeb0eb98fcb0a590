//! What `ocr compare` is asked for: its options, the devices it has, and the purposes of its runs.

use clap::builder::{OsStringValueParser, TypedValueParser};
use ocr::device::Selection;
use ocr_base::text::Readable;
use std::ffi::OsString;
use std::path::PathBuf;

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
without a tenth on either side), and other figures of the run in the middle. Where the spreads of \
two policies overlap, the difference of their medians is not called one.

The exit status is 1 if a run failed or values of --same differ.

Example:
  ocr compare --show distance,gcups --same distance -- build/examples/levenshtein a.fa b.fa";

/// The arguments of `ocr compare`.
#[derive(clap::Args)]
pub(crate) struct CompareOptions {
    /// Policies, in the order of the rows; the first is what the others are measured against.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "cpu,device,static:1:1,eager,eft"
    )]
    pub(crate) policies: Vec<String>,

    /// Measured runs of each policy; the table shows their median.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) runs: u32,

    /// Runs of each policy before the measured ones; their times do not count.
    #[arg(long, value_name = "RUNS", default_value_t = 1)]
    pub(crate) warm_up: u32,

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
    /// time no schedule of the same EDTs in the same places can save; sentences say why others are slower, and what to try.
    #[arg(long)]
    pub(crate) bounds: bool,

    /// Writes a page for a browser: what ran where and when under each policy, why, and all of what is printed. It needs
    /// no other file. As --bounds, it has one more run of each policy recorded.
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,

    /// Prints everything, with each run, as JSON.
    #[arg(long)]
    pub(crate) json: bool,

    /// The program and its arguments.
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) program: Vec<OsString>,
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
