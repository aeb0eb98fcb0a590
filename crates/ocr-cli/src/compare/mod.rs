//! `ocr compare`: the same program under several placement policies, in one table, and which of them to use; or two
//! recordings side by side.
//!
//! | file | what |
//! |---|---|
//! | `options.rs` | what is asked for |
//! | `race.rs` | which policies are shown to be slower than others, and whether more runs are worth their time |
//! | `comparison.rs`, `row.rs` | the results of the runs as tables, notes and a verdict; what is kept of one policy |
//! | `best.rs` | which policy is best, in words |
//! | `because.rs` | why one place is faster than the other |
//! | `same.rs` | values that must be alike in all runs |
//! | `recordings.rs` | two recordings side by side |
//! | `verify.rs` | kernels and functions in one run, by what they leave |
//! | `json.rs` | the comparison as JSON |

mod because;
pub(crate) mod best;
mod comparison;
mod json;
pub(crate) mod options;
mod race;
mod recordings;
mod row;
pub(crate) mod same;
mod verify;

use crate::compare::comparison::Comparison;
use crate::compare::options::{CompareOptions, Devices, Purpose};
use crate::output::{CommandError, output_file, print_beside};
use crate::progress::Progress;
use crate::run::{Program, RunError, Runner, check_words};
use crate::signals;
use crate::started;
use ocr::checkpoints_of;
use ocr::config::{DEFAULT_ORIGIN, Settings};
use ocr::device::{ASK_INFO, DeviceKind, Inventory, Selection, discover};
use ocr_base::output_file::OutputFile;
use ocr_base::text::{counted, files_in};
use ocr_place::policy;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How long rounds of measured runs go on where their number is not given. The least number is made in any case.
const LONG: Duration = Duration::from_secs(600);

/// Runs the program under each policy, and shows the table.
pub(crate) fn compare(options: &CompareOptions) -> Result<(), CommandError> {
    check_words::<CompareOptions>(&options.program, "compare")?;
    if options.verify {
        return verify::verify(options);
    }
    if let Some(files) = recordings::named(&options.program)? {
        return recordings::compare(options, files);
    }
    for name in &options.policies {
        policy::parse(name).map_err(|message| CommandError::usage(format!("--policies: {message}")))?;
    }
    let (settings, _) = Settings::load(&mut vec!["ocr".into()]).map_err(CommandError::usage)?;
    let html = page_file(options, &settings)?;
    let devices = if options.policies.iter().all(|name| name == "cpu") {
        Devices::None("the policy cpu uses devices only for kernels without a C function".into())
    } else {
        find_devices(options.devices.as_ref(), &settings)?
    };
    let mut runner = Runner::new(options.timeout, &[&options.show, &options.same]).map_err(CommandError::failed)?;
    let mut given = Vec::new();
    let mut policies = Vec::new();
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
        policies.push(name.as_str());
    }
    let mut comparison = Comparison::new(options, &policies);
    let signal = run_in_turns(&mut comparison, &given, &mut runner)?;
    // The files of the runs are removed, and a signal ends the command from here on.
    drop(runner);
    let text = if options.json { comparison.json(&devices, &left_out) } else { comparison.text(&devices, &left_out) };
    print_beside(html.as_ref(), &text)?;
    if let Some(file) = &html {
        comparison.page(&devices, &left_out).write(file).map_err(CommandError::failed)?;
    }
    match signal {
        Some(signal) => Err(CommandError::interrupted(signal)),
        None => comparison.check(),
    }
}

/// The file of the page, if one is wanted. It is neither the program, nor a file that its arguments, the standard input
/// or the settings name: these are read in each run.
fn page_file(options: &CompareOptions, settings: &Settings) -> Result<Option<OutputFile>, CommandError> {
    let Some(file) = options.html.as_deref() else {
        return Ok(None);
    };
    let mut words = options.program.iter();
    let program = words.next().and_then(|word| started::find(word));
    let program = program.map(|file| ("the program", file));
    let names = words.flat_map(|word| files_in(word));
    let arguments = names.map(|name| ("an argument of the program,", name.to_owned()));
    let stdin = ("the standard input,", PathBuf::from("/dev/stdin"));
    let named = [
        ("the settings file", settings.file.clone()),
        ("the description of the machine", settings.platform.value.clone()),
    ];
    let named = named.into_iter().filter_map(|(what, file)| Some((what, file?)));
    let checkpoints = checkpoints_of(settings).into_iter().map(|file| ("the checkpoint", file));
    let inputs = program.into_iter().chain(arguments).chain(named).chain(checkpoints).chain([stdin]);
    output_file("the page", file, inputs).map(Some)
}

/// Runs the policies in turns; every second round goes backwards, so that no policy always follows the same one.
/// `given` has the value of `OCR_DEVICES` for each policy. A policy under which the program has failed is left out from
/// there on. Returns the signal that has interrupted the runs, if one has. The error is a failure that concerns all
/// policies alike.
fn run_in_turns(
    comparison: &mut Comparison<'_>,
    given: &[Option<&str>],
    runner: &mut Runner,
) -> Result<Option<i32>, CommandError> {
    let options = comparison.options;
    let (least, most) = comparison.rounds();
    let recorded = usize::from(options.records());
    let warm_up = options.warm_up as usize;
    let stages = [
        (Purpose::WarmUp, warm_up, warm_up, "warm-up"),
        (Purpose::Measure, least, most, "run"),
        (Purpose::Record, recorded, recorded, "recorded run"),
    ];
    let each = warm_up + least + recorded;
    let progress = Progress::new((each * given.len()) as u64);
    let mut done = 0;
    for (purpose, least, most, what) in stages {
        let begin = Instant::now();
        for round in 1..=most {
            let mut order: Vec<usize> = (0..given.len()).collect();
            if round % 2 == 0 {
                order.reverse();
            }
            for index in order {
                let Some(policy) = comparison.policy_to_run(index, purpose) else {
                    if round <= least {
                        progress.ended();
                    }
                    continue;
                };
                progress.begins(format!("{policy}: {what} {round} of {}", round.max(least)));
                let devices = given[index].map(|devices| ("OCR_DEVICES", devices));
                let variables = [("OCR_SCHED", policy)].into_iter().chain(devices);
                let program = Program {
                    words: &options.program,
                    variables: variables.collect(),
                    recorded: purpose == Purpose::Record,
                };
                match runner.run(&program) {
                    Ok(run) => comparison.ran(index, run, purpose),
                    Err(RunError::NotStarted(message)) => {
                        return Err(CommandError::usage(message));
                    }
                    Err(RunError::Input(message)) => return Err(CommandError::failed(message)),
                    Err(RunError::Failed { how, tail }) => comparison.failed(index, how, tail),
                    Err(RunError::Interrupted(signal)) => {
                        comparison.interrupted = Some(format!(
                            "Interrupted by {} after {}: what was measured until then is shown.",
                            signals::name(signal),
                            counted(done, "run")
                        ));
                        return Ok(Some(signal));
                    }
                }
                done += 1;
                progress.ended();
            }
            if purpose == Purpose::Measure && round >= least {
                let is_long = options.runs.is_none() && begin.elapsed() > LONG;
                if !comparison.round_ended(round) || is_long {
                    break;
                }
                progress.more(comparison.racing() as u64);
            }
        }
    }
    Ok(None)
}

/// The devices for policies that use kernels. `asked` is the selection on the command line. The error is a selection on
/// the command line that names a device which is not there.
pub(crate) fn find_devices(asked: Option<&Selection>, settings: &Settings) -> Result<Devices, CommandError> {
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
        return Ok(Devices::None(format!("{} {ASK_INFO}", inventory.explain_absence())));
    }
    let chosen = match inventory.select(&selection) {
        Ok(chosen) => chosen,
        // Devices that the command line names must be there.
        Err(message) if asked.is_some() => {
            return Err(CommandError::usage(format!("--devices: {message}")));
        }
        Err(message) => {
            return Ok(Devices::None(format!("{}: {message}", settings.devices.origin)));
        }
    };
    if chosen.is_empty() {
        let why = match selection {
            Selection::None => "no device may be used",
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
    Ok(Devices::Some { setting, names: names.join(", ") })
}

/// Whether the machine has a GPU or an accelerator.
fn has_other_than_cpu(inventory: &Inventory) -> bool {
    let mut devices = inventory.devices.iter();
    devices.any(|device| matches!(device.kind, DeviceKind::Gpu | DeviceKind::Accelerator))
}
