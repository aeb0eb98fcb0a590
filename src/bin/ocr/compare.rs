//! `ocr compare`: the same program under several placement policies, in one table, and which of them to use.

use crate::comparison::Comparison;
use crate::input::Input;
use crate::progress::Progress;
use crate::run::{Fault, Folder, Program, check_words};
use crate::{Failure, print};
use clap::builder::{OsStringValueParser, TypedValueParser};
use ocr::config::{DEFAULT_ORIGIN, Settings};
use ocr::device::{DeviceKind, Inventory, Selection, discover};
use ocr::policy;
use ocr::text::Readable;
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
pub(crate) struct Options {
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
    warm_up: u32,

    /// Devices for the policies that use kernels, as in OCR_DEVICES. By default what OCR_DEVICES or
    /// the settings file says; if they say nothing, GPUs and accelerators, or where there is none
    /// of these, all devices.
    #[arg(long, value_name = "DEVICES")]
    devices: Option<Selection>,

    /// A column for each KEY, from a line `KEY: value` of the program's output.
    #[arg(long, value_name = "KEY", value_delimiter = ',', value_parser = key())]
    pub(crate) show: Vec<String>,

    /// Values that must be the same in all runs, the warm-up included.
    #[arg(long, value_name = "KEY", value_delimiter = ',', value_parser = key())]
    pub(crate) same: Vec<String>,

    /// One more run of each policy at the end, recorded (in TMPDIR) and not measured. A column says which part of its
    /// time no schedule of the same EDTs in the same places can save; sentences say why others are slower, and what to try.
    #[arg(long)]
    bounds: bool,

    /// Writes a page for a browser: what ran where and when under each policy, why, and all of what is printed. It needs
    /// no other file. As --bounds, it has one more run of each policy recorded.
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,

    /// Prints everything, with each run, as JSON.
    #[arg(long)]
    json: bool,

    /// The program and its arguments.
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) program: Vec<OsString>,
}

impl Options {
    /// Whether a run of each policy is recorded.
    fn records(&self) -> bool {
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

/// Runs the program under each policy, and shows the table.
pub(crate) fn compare(options: &Options) -> Result<(), Failure> {
    check_words(&options.program, "compare")?;
    for name in &options.policies {
        policy::parse(name).map_err(|message| Failure::usage(format!("--policies: {message}")))?;
    }
    let (settings, _) = Settings::load(&mut vec!["ocr".into()]).map_err(Failure::usage)?;
    let devices = if options.policies.iter().all(|name| name == "cpu") {
        Devices::None("the policy cpu uses devices only for kernels without a C function".into())
    } else {
        find_devices(options.devices.as_ref(), &settings)?
    };
    let folder = Folder::new().map_err(Failure::failed)?;
    let mut input = Input::new(folder.path()).map_err(Failure::failed)?;
    let program = Program {
        words: &options.program,
        folder: folder.path(),
    };

    let mut comparison = Comparison::new(options);
    let mut given = Vec::new();
    let mut left_out = Vec::new();
    for name in &options.policies {
        given.push(match &devices {
            Devices::Some { setting, .. } => setting.as_deref(),
            Devices::None(_) if name == "cpu" => None,
            Devices::None(_) => {
                left_out.push(name.as_str());
                continue;
            }
        });
        comparison.add(name);
    }
    run_in_turns(&mut comparison, &given, &program, &mut input)?;
    let text = if options.json {
        comparison.json(&devices, &left_out)
    } else {
        comparison.text(&devices, &left_out)
    };
    print(&text)?;
    if let Some(file) = &options.html {
        comparison.page(&devices, &left_out).write(file)?;
    }
    comparison.check()
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

/// Runs the policies in turns. `given` has the value of `OCR_DEVICES` for each policy. A policy under which the program
/// has failed is left out from there on. The error is a failure that concerns all policies alike.
fn run_in_turns(
    comparison: &mut Comparison<'_>,
    given: &[Option<&str>],
    program: &Program<'_>,
    input: &mut Input,
) -> Result<(), Failure> {
    let options = comparison.options;
    let rounds = [
        (Purpose::WarmUp, options.warm_up, "warm-up"),
        (Purpose::Measure, options.runs, "run"),
        (
            Purpose::Record,
            u32::from(options.records()),
            "recorded run",
        ),
    ];
    let each: u64 = rounds.iter().map(|&(_, rounds, _)| u64::from(rounds)).sum();
    let progress = Progress::new(each * given.len() as u64);
    for (purpose, rounds, what) in rounds {
        for round in 1..=rounds {
            for (index, devices) in given.iter().enumerate() {
                if let Some(policy) = comparison.policy_to_run(index) {
                    progress.begins(format!("{policy}: {what} {round} of {rounds}"));
                    let recorded = purpose == Purpose::Record;
                    match program.run(input, policy, *devices, recorded) {
                        Ok(run) => comparison.ran(index, run, purpose),
                        Err(Fault::NotStarted(message)) => return Err(Failure::usage(message)),
                        Err(Fault::Input(message)) => return Err(Failure::failed(message)),
                        Err(Fault::Failed { how, tail }) => comparison.failed(index, how, tail),
                    }
                }
                progress.ended();
            }
        }
    }
    Ok(())
}

/// The devices for policies that use kernels. `asked` is the selection on the command line. The error is a selection on
/// the command line that names a device which is not there.
pub(crate) fn find_devices(
    asked: Option<&Selection>,
    settings: &Settings,
) -> Result<Devices, Failure> {
    let inventory = discover();
    let given = settings.devices.origin != DEFAULT_ORIGIN;
    let (selection, setting) = match asked {
        Some(selection) => (selection.clone(), Some(selection.to_string())),
        None if given => (settings.devices.value.clone(), None),
        None if has_other_than_cpu(&inventory) => (Selection::Auto, None),
        None => (Selection::All, Some("all".to_string())),
    };
    let wanted = selection != Selection::None;
    if wanted && inventory.devices.is_empty() && asked.is_none() {
        return Ok(Devices::None(inventory.explain_absence()));
    }
    let chosen = match inventory.select(&selection) {
        Ok(chosen) => chosen,
        // Devices that the command line names must be there.
        Err(message) if asked.is_some() => {
            return Err(Failure::usage(format!("--devices: {message}")));
        }
        Err(message) => {
            return Ok(Devices::None(format!(
                "{}: {message}",
                settings.devices.origin
            )));
        }
    };
    if chosen.is_empty() {
        let why = match selection {
            Selection::None => "no device is to be used",
            _ => "there is neither a GPU nor an accelerator; --devices all uses CPU devices, too",
        };
        let origin = match asked {
            Some(_) => "--devices",
            None => &settings.devices.origin,
        };
        return Ok(Devices::None(format!("{why} ({origin}: {selection})")));
    }
    let names: Vec<String> = chosen
        .iter()
        .map(|&index| &inventory.devices[index])
        .map(|device| format!("{} ({})", device.name, device.kind))
        .collect();
    Ok(Devices::Some {
        setting,
        names: names.join(", "),
    })
}

/// Whether the machine has a GPU or an accelerator.
fn has_other_than_cpu(inventory: &Inventory) -> bool {
    let mut devices = inventory.devices.iter();
    devices.any(|device| matches!(device.kind, DeviceKind::Gpu | DeviceKind::Accelerator))
}
